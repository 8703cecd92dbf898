# mypy: ignore-errors
"""Broad phase: pairs of boxes that meet, by cells, by sweeping, and along a triangulation of centres.

Every kernel returns the number of pairs found and writes those that fit: count always, write if it fits, grow and
repeat.
"""

import numpy as np

from banquise.jit import inner, kernel
from banquise.scene._kernels_tree import overlap


@kernel
def part_boxes(first, last, shape_of, position, rotation, corners, bounds, radius, margin, boxes):
    """Boxes of parts first..last in the world, a margin (n,) around each."""
    for n in range(first, last):
        s = shape_of[n]
        grow = radius[s] + margin[n]
        for r in range(3):
            x, y, z = rotation[n, r, 0], rotation[n, r, 1], rotation[n, r, 2]
            low, high = np.inf, -np.inf
            for k in range(bounds[s], bounds[s + 1]):
                along = corners[k, 0] * x + corners[k, 1] * y + corners[k, 2] * z
                low, high = min(low, along), max(high, along)
            boxes[n, r] = position[n, r] + low - grow
            boxes[n, r + 3] = position[n, r] + high + grow


@kernel
def brute(boxes, out):
    """Every pair tried."""
    count = 0
    for i in range(len(boxes)):
        for j in range(i + 1, len(boxes)):
            if overlap(boxes, i, boxes, j):
                if count < len(out):
                    out[count, 0], out[count, 1] = i, j
                count += 1
    return count


@kernel
def sweep(boxes, order, axis, out):
    """Boxes in the order of their low ends along `axis`, each against those that begin before it ends."""
    count = 0
    for m in range(len(order)):
        i = order[m]
        end = boxes[i, axis + 3]
        for n in range(m + 1, len(order)):
            j = order[n]
            if boxes[j, axis] > end:
                break
            if overlap(boxes, i, boxes, j):
                if count < len(out):
                    out[count, 0], out[count, 1] = min(i, j), max(i, j)
                count += 1
    return count


@inner
def _cell_of(point, low, cell):
    return int((point[0] - low[0]) / cell), int((point[1] - low[1]) / cell), int((point[2] - low[2]) / cell)


@kernel
def count_cells(boxes, low, cell, shape, start):
    """How many boxes meet each cell, summed up into start (cells + 1,); returns the number of entries."""
    start[:] = 0
    for i in range(len(boxes)):
        x0, y0, z0 = _cell_of(boxes[i, :3], low, cell)
        x1, y1, z1 = _cell_of(boxes[i, 3:], low, cell)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    start[(x * shape[1] + y) * shape[2] + z + 1] += 1
    for k in range(1, len(start)):
        start[k] += start[k - 1]
    return start[-1]


@kernel
def in_cells(boxes, low, cell, shape, start, member, out):
    """Pairs that share a cell. Each is reported by one cell only: that of the low corner of what the boxes share."""
    filled = start[:-1].copy()
    for i in range(len(boxes)):
        x0, y0, z0 = _cell_of(boxes[i, :3], low, cell)
        x1, y1, z1 = _cell_of(boxes[i, 3:], low, cell)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    k = (x * shape[1] + y) * shape[2] + z
                    member[filled[k]] = i
                    filled[k] += 1
    count = 0
    for k in range(len(start) - 1):
        for m in range(start[k], start[k + 1]):
            i = member[m]
            for n in range(m + 1, start[k + 1]):
                j = member[n]
                if not overlap(boxes, i, boxes, j):
                    continue
                x = int((max(boxes[i, 0], boxes[j, 0]) - low[0]) / cell)
                y = int((max(boxes[i, 1], boxes[j, 1]) - low[1]) / cell)
                z = int((max(boxes[i, 2], boxes[j, 2]) - low[2]) / cell)
                if (x * shape[1] + y) * shape[2] + z != k:
                    continue
                if count < len(out):
                    out[count, 0], out[count, 1] = i, j
                count += 1
    return count


@kernel
def along_triangulation(boxes, centres, reach, start, joined, out):
    """Pairs found by walking a Delaunay triangulation of the centres.

    The points of a Delaunay triangulation inside any ball are joined to each other within the ball, so a walk that
    does not leave the ball around a body finds them all. A pair is found from its larger body, in a ball of twice its
    reach.
    """
    n = len(boxes)
    seen, queue = np.full(n, -1), np.empty(n, np.int64)
    count = 0
    for i in range(n):
        limit = (2.0 * reach[i] * (1.0 + 1e-9)) ** 2
        seen[i] = i
        queue[0] = i
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for m in range(start[here], start[here + 1]):
                j = joined[m]
                if seen[j] == i:
                    continue
                seen[j] = i
                away = 0.0
                for k in range(3):
                    away += (centres[j, k] - centres[i, k]) ** 2
                if away > limit:
                    continue
                queue[tail] = j
                tail += 1
                if (reach[j] < reach[i] or (reach[j] == reach[i] and i < j)) and overlap(boxes, i, boxes, j):
                    if count < len(out):
                        out[count, 0], out[count, 1] = min(i, j), max(i, j)
                    count += 1
    return count
