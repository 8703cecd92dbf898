# mypy: ignore-errors
"""A tree of boxes over items in Morton order: the nodes are implicit, node k has children 2k + 1 and 2k + 2.

`boxes` (n, 6) hold low corner then high corner. Leaves hold LEAF items; the tree is padded with empty boxes.
"""

import numpy as np

from banquise.jit import inner, kernel

LEAF = 4


@inner
def spread_bits(v):
    """The low 20 bits of v, two zeros after each."""
    v &= 0xFFFFF
    v = (v | (v << 32)) & 0x1F00000000FFFF
    v = (v | (v << 16)) & 0x1F0000FF0000FF
    v = (v | (v << 8)) & 0x100F00F00F00F00F
    v = (v | (v << 4)) & 0x10C30C30C30C30C3
    return (v | (v << 2)) & 0x1249249249249249


@kernel
def morton_codes(boxes, low, scale, codes):
    """Codes of the middles of the boxes on a grid of 2^20 cells a side."""
    for i in range(len(boxes)):
        code = 0
        for k in range(3):
            cell = int((0.5 * (boxes[i, k] + boxes[i, k + 3]) - low[k]) * scale)
            code |= spread_bits(min(max(cell, 0), 0xFFFFF)) << k
        codes[i] = code


@kernel
def fill_nodes(boxes, order, nodes):
    """Boxes of all nodes, from the leaves up."""
    leaves = (len(nodes) + 1) // 2
    for node in range(len(nodes) - 1, -1, -1):
        for k in range(3):
            nodes[node, k], nodes[node, k + 3] = np.inf, -np.inf
        if node >= leaves - 1:
            first = (node - leaves + 1) * LEAF
            for m in range(first, min(first + LEAF, len(order))):
                i = order[m]
                for k in range(3):
                    nodes[node, k] = min(nodes[node, k], boxes[i, k])
                    nodes[node, k + 3] = max(nodes[node, k + 3], boxes[i, k + 3])
        else:
            for child in (2 * node + 1, 2 * node + 2):
                for k in range(3):
                    nodes[node, k] = min(nodes[node, k], nodes[child, k])
                    nodes[node, k + 3] = max(nodes[node, k + 3], nodes[child, k + 3])


@inner
def overlap(a, i, b, j):
    """Whether box i of a and box j of b meet, touching included."""
    return (
        a[i, 0] <= b[j, 3] and b[j, 0] <= a[i, 3]
        and a[i, 1] <= b[j, 4] and b[j, 1] <= a[i, 4]
        and a[i, 2] <= b[j, 5] and b[j, 2] <= a[i, 5]
    )  # fmt: skip


@kernel
def overlapping(first, last, asked, boxes, order, nodes, own, out):
    """Pairs (i, j) of asked[first:last] and boxes that meet; returns their number, writes those that fit in `out`.

    `own`: the two sets are one, and only pairs i < j count.
    """
    leaves = (len(nodes) + 1) // 2
    stack = np.empty(128, np.int64)
    count = 0
    for i in range(first, last):
        top = 1
        stack[0] = 0
        while top:
            top -= 1
            node = stack[top]
            if not overlap(asked, i, nodes, node):
                continue
            if node < leaves - 1:
                stack[top], stack[top + 1] = 2 * node + 2, 2 * node + 1
                top += 2
                continue
            start = (node - leaves + 1) * LEAF
            for m in range(start, min(start + LEAF, len(order))):
                j = order[m]
                if (not own or i < j) and overlap(asked, i, boxes, j):
                    if count < len(out):
                        out[count, 0], out[count, 1] = i, j
                    count += 1
    return count
