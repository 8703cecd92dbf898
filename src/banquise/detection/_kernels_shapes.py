"""Kernels of the static shapes: boxes over runs of edges, rims around them."""

import numpy as np

from banquise.detection._kernels_rows import AFTER, BEFORE, CONVEX, OWN
from banquise.detection.jit import kernel
from banquise.jit import njit

BRANCHES = 8


@kernel
def runs_of(vertices, ring_start, body_ring, run_start, block, link, coarse, box):
    """Write the points, edges and links of all slots, and the box of each run; ring r has the runs from run_start[r] on.

    Padding repeats the last point of the ring, with an edge of no length that follows itself.
    """
    for b in range(len(body_ring) - 1):
        own = ring_start[body_ring[b]]
        for r in range(body_ring[b], body_ring[b + 1]):
            start, n, first = ring_start[r], ring_start[r + 1] - ring_start[r], 4 * run_start[r]
            for k in range(4 * (run_start[r + 1] - run_start[r])):
                slot, i = first + k, min(k, n - 1)
                after, before = ((k + 1) % n, (k + n - 1) % n) if k < n else (i, i)
                x, y = vertices[start + i, 0], vertices[start + i, 1]
                ex, ey = vertices[start + after, 0] - x, vertices[start + after, 1] - y
                bx, by = x - vertices[start + before, 0], y - vertices[start + before, 1]
                squared = ex * ex + ey * ey
                inverse = 1.0 / squared if squared > 0.0 else 0.0
                block[slot, 0], block[slot, 1], block[slot, 2], block[slot, 3] = x, y, ex, ey
                block[slot, 4], block[slot, 5] = inverse, np.sqrt(inverse)
                link[slot, OWN] = start + k - own if k < n else -1
                link[slot, AFTER] = first + after if k < n else slot
                link[slot, BEFORE] = first + before if k < n else slot
                link[slot, CONVEX] = bx * ey - by * ex > 0.0 or squared == 0.0
                run, q = slot // 4, slot % 4
                coarse[run, 0, q], coarse[run, 1, q], coarse[run, 2, q], coarse[run, 3, q] = x, y, ex, ey
                if q == 0:
                    box[run, 0], box[run, 1], box[run, 2], box[run, 3] = x, y, x, y
                box[run, 0], box[run, 1] = min(box[run, 0], x, x + ex), min(box[run, 1], y, y + ey)
                box[run, 2], box[run, 3] = max(box[run, 2], x, x + ex), max(box[run, 3], y, y + ey)


@njit(cache=True, nogil=True)
def tree_over_runs(run_box, body_run):
    """Boxes over the runs of each body in depth-first order: box, (run of a leaf or -1, skip link), nodes of a body."""
    n = len(body_run) - 1
    body_node = np.zeros(n + 1, np.int32)
    for b in range(n):
        runs = body_run[b + 1] - body_run[b]
        nodes = runs
        width = BRANCHES
        while width < runs:  # no node over the whole body: its own box has been looked at before
            nodes += (runs + width - 1) // width
            width *= BRANCHES
        body_node[b + 1] = body_node[b] + nodes
    box = np.empty((body_node[n], 4))
    link = np.full((body_node[n], 2), -1, np.int32)
    for b in range(n):
        first, runs = body_run[b], body_run[b + 1] - body_run[b]
        top = 1
        while top * BRANCHES < runs:
            top *= BRANCHES
        node = body_node[b]
        for r in range(runs):
            width = top
            while width > 1:
                if r % width == 0:
                    last = min(r + width, runs)
                    for side in range(4):
                        box[node, side] = run_box[first + r, side]
                    below = last - r
                    step = BRANCHES
                    while step < width:
                        below += (last - r + step - 1) // step
                        step *= BRANCHES
                    for k in range(r + 1, last):
                        for side in range(2):
                            box[node, side] = min(box[node, side], run_box[first + k, side])
                            box[node, 2 + side] = max(box[node, 2 + side], run_box[first + k, 2 + side])
                    link[node, 1] = node + 1 + below
                    node += 1
                width //= BRANCHES
            for side in range(4):
                box[node, side] = run_box[first + r, side]
            link[node, 0] = first + r
            link[node, 1] = node + 1
            node += 1
    return box, link, body_node


@kernel
def rims(block, body_slot, x, y, reach, out):
    """Around each body the corners of the polygon whose sides touch it and face the directions (x, y), in single precision:
    out[body, k] lies between sides k and k + 1. reach: work space, a number a direction."""
    n = len(x)
    for b in range(len(out)):
        for k in range(n):
            reach[k] = -np.inf
        for slot in range(body_slot[b], body_slot[b + 1]):
            px, py = block[slot, 0], block[slot, 1]
            for k in range(n):
                reach[k] = max(reach[k], x[k] * px + y[k] * py)
        size = 0.0
        for k in range(n):
            size = max(size, abs(reach[k]))
        slack = 2e-7 * size  # rounding, up to 9e-8 of the size, must not cut a point off
        for k in range(n):
            j = k + 1 if k + 1 < n else 0
            here, there = reach[k] + slack, reach[j] + slack
            turn = x[k] * y[j] - y[k] * x[j]
            out[b, k, 0], out[b, k, 1] = (here * y[j] - there * y[k]) / turn, (there * x[k] - here * x[j]) / turn


@kernel
def gathered(old, made, source, out):
    """Write to `out` (shapes, room for all) row after row: row source[b] of `old`, or row source[b] - (rows of `old`) of `made`.

    Numbers of runs, slots and nodes count within a set of shapes: they move with their row.
    """
    kept = old.frame.shape[0]
    out.body[0, 0] = out.body[0, 1] = 0
    for b in range(len(source)):
        row = source[b] if source[b] < kept else source[b] - kept
        shapes = old if source[b] < kept else made
        node, slot = shapes.body[row, 0], shapes.body[row, 1]
        nodes, slots = shapes.body[row + 1, 0] - node, shapes.body[row + 1, 1] - slot
        first_node, first_slot = out.body[b, 0], out.body[b, 1]
        out.body[b + 1, 0], out.body[b + 1, 1] = first_node + nodes, first_slot + slots
        for r in range(slots // 4):
            for q in range(4):
                for k in range(4):
                    out.coarse[first_slot // 4 + r, q, k] = shapes.coarse[slot // 4 + r, q, k]
        for k in range(slots):
            for q in range(6):
                out.block[first_slot + k, q] = shapes.block[slot + k, q]
            out.link[first_slot + k, OWN] = shapes.link[slot + k, OWN]
            out.link[first_slot + k, AFTER] = shapes.link[slot + k, AFTER] - slot + first_slot
            out.link[first_slot + k, BEFORE] = shapes.link[slot + k, BEFORE] - slot + first_slot
            out.link[first_slot + k, CONVEX] = shapes.link[slot + k, CONVEX]
        for k in range(nodes):
            for q in range(7):
                out.node[first_node + k, q] = shapes.node[node + k, q]
            run = shapes.node_link[node + k, 0]
            out.node_link[first_node + k, 0] = run - slot // 4 + first_slot // 4 if run >= 0 else run
            out.node_link[first_node + k, 1] = shapes.node_link[node + k, 1] - node + first_node
            out.node_link[first_node + k, 2] = shapes.node_link[node + k, 2]
        for q in range(6):
            out.frame[b, q] = shapes.frame[row, q]
        for k in range(shapes.rim.shape[1]):
            out.rim[b, k, 0], out.rim[b, k, 1] = shapes.rim[row, k, 0], shapes.rim[row, k, 1]
