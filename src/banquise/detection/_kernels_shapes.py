"""Kernels of the static shapes: boxes over runs of edges."""

import numpy as np
from numba import njit

BRANCHES = 8


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
