# mypy: ignore-errors
"""Support points of convex bodies and of D = A - B, the set of differences, in the frame of body A.

Few corners are all looked at. For bodies of more, a table holds, for each cell of directions, the corners that are the
farthest for some direction of that cell: some two to six, whatever the body.
"""

import numpy as np
from numba import njit

from banquise.jit import bare_inner as bare
from banquise.jit import kernel

# Corners up to which looking at all of them is as quick as the table of cells (measured: 30 ns at 20, 110 at 100; 20 to 30).
LOOK_UP_TO = 24
CELLS = 8  # the table of cells: CELLS x CELLS directions on each side of a cube


@bare
def start_cell(x, y, z):
    """Cell of a direction in the table of cells."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax >= ay and ax >= az:
        side, u, w, m = (0 if x > 0 else 1), y, z, ax
    elif ay >= az:
        side, u, w, m = (2 if y > 0 else 3), z, x, ay
    else:
        side, u, w, m = (4 if z > 0 else 5), x, y, az
    scale = 0.5 * CELLS / m if m > 0.0 else 0.0
    i = min(int((u + m) * scale), CELLS - 1)
    j = min(int((w + m) * scale), CELLS - 1)
    return (side * CELLS + i) * CELLS + j


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def look_at_all(corners, first, last, x, y, z):
    """Number of the corner farthest along (x, y, z); rows come in fours (the table pads them).

    A tournament without branches: the usual running maximum costs twice as much, in mispredicted jumps.
    """
    best, far = first, -np.inf
    for k in range(first, last, 4):
        r0 = corners[k, 0] * x + corners[k, 1] * y + corners[k, 2] * z
        r1 = corners[k + 1, 0] * x + corners[k + 1, 1] * y + corners[k + 1, 2] * z
        r2 = corners[k + 2, 0] * x + corners[k + 2, 1] * y + corners[k + 2, 2] * z
        r3 = corners[k + 3, 0] * x + corners[k + 3, 1] * y + corners[k + 3, 2] * z
        i = k + 1 if r1 > r0 else k
        m = r1 if r1 > r0 else r0
        j = k + 3 if r3 > r2 else k + 2
        n = r3 if r3 > r2 else r2
        i = j if n > m else i
        m = n if n > m else m
        best = i if m > far else best
        far = m if m > far else far
    return best


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def look_in_cell(corners, first, starts, listed, x, y, z):
    """The same among the corners listed for the cell of (x, y, z)."""
    cell = start_cell(x, y, z)
    best, far = first, -np.inf
    for k in range(starts[cell], starts[cell + 1]):
        other = first + listed[k]
        reach = corners[other, 0] * x + corners[other, 1] * y + corners[other, 2] * z
        best = other if reach > far else best
        far = reach if reach > far else far
    return best


@kernel
def list_cells(corners, first, last, slack, starts, listed, used):
    """Write the lists of one body from listed[used] on; returns where they end, or -1 when there is no room.

    Along a direction of a cell corners differ by linear functions of the place in the cell, so that a corner is never the
    farthest there if some other one beats it at the four corners of the cell. Those that are best at these, and in the
    middle, are tried.
    """
    ways, values, beat = np.empty((5, 3)), np.empty((last - first, 5)), np.empty(5, np.int64)
    for cell in range(6 * CELLS * CELLS):
        starts[cell] = used
        side, i, j = cell // (CELLS * CELLS), cell // CELLS % CELLS, cell % CELLS
        for w in range(5):
            u = 0.5 if w == 4 else w % 2
            v = 0.5 if w == 4 else w // 2
            axis = side // 2
            ways[w, axis] = 1.0 - 2.0 * (side % 2)
            ways[w, (axis + 1) % 3] = 2.0 * (i + u) / CELLS - 1.0
            ways[w, (axis + 2) % 3] = 2.0 * (j + v) / CELLS - 1.0
            far = -np.inf
            for k in range(last - first):
                c = corners[first + k]
                values[k, w] = c[0] * ways[w, 0] + c[1] * ways[w, 1] + c[2] * ways[w, 2]
                if values[k, w] > far:
                    far, beat[w] = values[k, w], k
        for k in range(last - first):
            kept = True
            for w in range(5):
                other = beat[w]
                kept = kept and (
                    k == other
                    or values[k, 0] >= values[other, 0] - slack
                    or values[k, 1] >= values[other, 1] - slack
                    or values[k, 2] >= values[other, 2] - slack
                    or values[k, 3] >= values[other, 3] - slack
                )
            if kept:
                if used == listed.shape[0]:
                    return -1
                listed[used] = k
                used += 1
    starts[6 * CELLS * CELLS] = used
    return used


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def difference(corners, p, q, turn, shift, w, row):
    """Write w[row] = corner p of A minus corner q of B, in the frame of A."""
    bx, by, bz = corners[q, 0], corners[q, 1], corners[q, 2]
    w[row, 0] = corners[p, 0] - (turn[0, 0] * bx + turn[0, 1] * by + turn[0, 2] * bz + shift[0])
    w[row, 1] = corners[p, 1] - (turn[1, 0] * bx + turn[1, 1] * by + turn[1, 2] * bz + shift[1])
    w[row, 2] = corners[p, 2] - (turn[2, 0] * bx + turn[2, 1] * by + turn[2, 2] * bz + shift[2])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def towards(shapes, fa, la, fb, lb, sa, sb, turn, x, y, z):
    """Support point of D along (x, y, z), as its two corners.

    Inlined: its arrays would cost a call more than its work.
    """
    corners, cells, listed = shapes
    bx = -(turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z)
    by = -(turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z)
    bz = -(turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)
    if la - fa <= LOOK_UP_TO:
        p = look_at_all(corners, fa, la, x, y, z)
    else:
        p = look_in_cell(corners, fa, cells[sa], listed, x, y, z)
    if lb - fb <= LOOK_UP_TO:
        q = look_at_all(corners, fb, lb, bx, by, bz)
    else:
        q = look_in_cell(corners, fb, cells[sb], listed, bx, by, bz)
    return p, q


@bare
def support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, w, row):
    """`towards` and `difference` as a call, for the places that are not hot: each inlined copy is compiled anew."""
    p, q = towards(shapes, bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1], sa, sb, turn, x, y, z)
    difference(shapes[0], p, q, turn, shift, w, row)
    return p, q
