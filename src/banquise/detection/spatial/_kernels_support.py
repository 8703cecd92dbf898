# mypy: ignore-errors
"""Support points of convex bodies and of D = A - B, the set of differences, in the frame of body A.

Few corners are all looked at. For bodies of more, a table holds, for each cell of directions, the corners that are the
farthest for some direction of that cell: two to four mostly, whatever the body.
"""

import numpy as np

from banquise.jit import bare_inline as inline
from banquise.jit import bare_inner as bare
from banquise.jit import kernel

# Corners up to which looking at all of them is as quick as the table of cells.
LOOK_UP_TO = 24
CELLS = 20  # the table of cells: CELLS x CELLS, an even number
HALF = 0.5 * CELLS
# A word of the table names up to eight corners, a byte each, the last one repeated: no list to follow, and the table of a body
# is small enough to stay near. Cells with more corners, and bodies of more than a byte can number, have a list.
BYTES, LISTED = 255, np.uint64(0xFFFFFFFFFFFFFFFF)
BYTE, EIGHT, SIXTEEN, TWENTY_FOUR, HALF_WORD = (np.uint64(k) for k in (255, 8, 16, 24, 32))


@inline
def start_cell(x, y, z):
    """Cell of a direction in the table of cells: the octahedron of directions unfolded to a square.

    Without branches: which octant a direction is in cannot be foreseen.
    """
    ax, ay = abs(x), abs(y)
    scale = HALF / max(ax + ay + abs(z), 1e-300)
    u, w = x * scale, y * scale
    s, t = HALF - ay * scale, HALF - ax * scale  # below the equator the corners of the square fold in
    s = s if x >= 0.0 else -s
    t = t if y >= 0.0 else -t
    u = u if z >= 0.0 else s
    w = w if z >= 0.0 else t
    i = max(min(int(u + HALF), CELLS - 1), 0)
    j = max(min(int(w + HALF), CELLS - 1), 0)
    return i * CELLS + j


@inline
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


@inline
def best_of_four(corners, row, four, x, y, z):
    """The corner farthest along (x, y, z) of those that the lower bytes of a word name, and how far it is."""
    a, b = row + (four & BYTE), row + ((four >> EIGHT) & BYTE)
    c, d = row + ((four >> SIXTEEN) & BYTE), row + ((four >> TWENTY_FOUR) & BYTE)
    r0 = corners[a, 0] * x + corners[a, 1] * y + corners[a, 2] * z
    r1 = corners[b, 0] * x + corners[b, 1] * y + corners[b, 2] * z
    r2 = corners[c, 0] * x + corners[c, 1] * y + corners[c, 2] * z
    r3 = corners[d, 0] * x + corners[d, 1] * y + corners[d, 2] * z
    i = b if r1 > r0 else a
    m = r1 if r1 > r0 else r0
    j = d if r3 > r2 else c
    n = r3 if r3 > r2 else r2
    return (j if n > m else i), (n if n > m else m)


@inline
def look_in_cell(corners, first, words, starts, listed, x, y, z):
    """The same among the corners of the cell of (x, y, z)."""
    cell = start_cell(x, y, z)
    word = words[cell]
    if word == LISTED:
        best, far = first, -np.inf
        for k in range(starts[cell], starts[cell + 1]):
            other = first + listed[k]
            reach = corners[other, 0] * x + corners[other, 1] * y + corners[other, 2] * z
            best = other if reach > far else best
            far = reach if reach > far else far
        return best
    row = np.uint64(first)  # without a sign: no test whether it counts from the end
    near, reach = best_of_four(corners, row, word, x, y, z)
    rest = word >> HALF_WORD
    if (rest >> TWENTY_FOUR) != ((word >> TWENTY_FOUR) & BYTE):  # more than four, seldom
        other, far = best_of_four(corners, row, rest, x, y, z)
        near = other if far > reach else near
    return np.int64(near)


@kernel
def list_cells(corners, first, last, slack, words, starts, listed, used):
    """Write the words and lists of one body, from listed[used] on; returns where they end, or -1 when there is no room.

    Along a direction of a cell corners differ by linear functions of the place in the cell (of a cell on the equator: in
    each of its halves), so that a corner is never the farthest there if some other one beats it at the four corners of the
    cell. Those that are best at these, and in the middle, are tried.
    """
    ways, values, beat = np.empty((5, 3)), np.empty((last - first, 5)), np.empty(5, np.int64)
    for cell in range(CELLS * CELLS):
        starts[cell] = used
        for w in range(5):
            u = (cell // CELLS + (0.5 if w == 4 else w % 2)) / HALF - 1.0
            v = (cell % CELLS + (0.5 if w == 4 else w // 2)) / HALF - 1.0
            z = 1.0 - abs(u) - abs(v)
            if z < 0.0:
                u, v = (1.0 - abs(v)) * np.sign(u), (1.0 - abs(u)) * np.sign(v)
            ways[w, 0], ways[w, 1], ways[w, 2] = u, v, z
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
        count = used - starts[cell]
        words[cell] = LISTED
        if count <= 8 and last - first <= BYTES:
            word = np.uint64(0)
            for k in range(7, -1, -1):
                word = (word << EIGHT) | np.uint64(listed[starts[cell] + min(k, count - 1)])
            words[cell] = word
    starts[CELLS * CELLS] = used
    return used


@inline
def difference(corners, p, q, turn, shift, w, row):
    """Write w[row] = corner p of A minus corner q of B, in the frame of A."""
    bx, by, bz = corners[q, 0], corners[q, 1], corners[q, 2]
    w[row, 0] = corners[p, 0] - (turn[0, 0] * bx + turn[0, 1] * by + turn[0, 2] * bz + shift[0])
    w[row, 1] = corners[p, 1] - (turn[1, 0] * bx + turn[1, 1] * by + turn[1, 2] * bz + shift[1])
    w[row, 2] = corners[p, 2] - (turn[2, 0] * bx + turn[2, 1] * by + turn[2, 2] * bz + shift[2])


@inline
def towards(shapes, fa, la, fb, lb, sa, sb, turn, x, y, z):
    """Support point of D along (x, y, z), as its two corners.

    Inlined: its arrays would cost a call more than its work.
    """
    corners, words, cells, listed = shapes
    bx = -(turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z)
    by = -(turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z)
    bz = -(turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)
    if la - fa <= LOOK_UP_TO:
        p = look_at_all(corners, fa, la, x, y, z)
    else:
        p = look_in_cell(corners, fa, words[sa], cells[sa], listed, x, y, z)
    if lb - fb <= LOOK_UP_TO:
        q = look_at_all(corners, fb, lb, bx, by, bz)
    else:
        q = look_in_cell(corners, fb, words[sb], cells[sb], listed, bx, by, bz)
    return p, q


@bare
def support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, w, row):
    """`towards` and `difference` as a call, for the places that are not hot: each inlined copy is compiled anew."""
    p, q = towards(shapes, bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1], sa, sb, turn, x, y, z)
    difference(shapes[0], p, q, turn, shift, w, row)
    return p, q
