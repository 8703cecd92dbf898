# mypy: ignore-errors
"""The farthest corner of a body by a look at all of them, some at a time.

Corners stand in rows: all x, all y, all z, the last corner repeated up to a width that is known to the compiler, which
then makes it straight code of products. What is compared is a whole number: the bits of the product, raised to be
positive, with the corner's number in the last seven. The largest of a row of whole numbers takes no branch, and rounding
that does not depend on the order; of floats it would take either. It costs seven bits: corners along a direction that are
equal to 1e-13 of the size count as equal.
"""

import numpy as np

from banquise.bits import bits_of
from banquise.jit import plain_inline as inline

WIDTHS = (24, 40, 64, 104, 128)  # of rows; bodies of more corners have none
NUMBER = np.int64(127)
COARSE = 16  # cells along a side of the coarse table: the farthest corner along the middle of each


# Written out for each width: made by one function they would bear one name, under which compiled kernels are kept.
@inline
def look_at_24(rows, at, x, y, z, raised):
    """The largest reach of 24 corners, with the corner's number in its last bits."""
    best = np.int64(0)
    for k in range(24):
        reach = rows[at + k] * x + rows[at + 24 + k] * y + rows[at + 48 + k] * z + raised
        best = max(best, (bits_of(reach) & ~NUMBER) | (NUMBER - k))
    return best


@inline
def look_at_40(rows, at, x, y, z, raised):
    """The largest reach of 40 corners, with the corner's number in its last bits."""
    best = np.int64(0)
    for k in range(40):
        reach = rows[at + k] * x + rows[at + 40 + k] * y + rows[at + 80 + k] * z + raised
        best = max(best, (bits_of(reach) & ~NUMBER) | (NUMBER - k))
    return best


@inline
def look_at_64(rows, at, x, y, z, raised):
    """The largest reach of 64 corners, with the corner's number in its last bits."""
    best = np.int64(0)
    for k in range(64):
        reach = rows[at + k] * x + rows[at + 64 + k] * y + rows[at + 128 + k] * z + raised
        best = max(best, (bits_of(reach) & ~NUMBER) | (NUMBER - k))
    return best


@inline
def look_at_104(rows, at, x, y, z, raised):
    """The largest reach of 104 corners, with the corner's number in its last bits."""
    best = np.int64(0)
    for k in range(104):
        reach = rows[at + k] * x + rows[at + 104 + k] * y + rows[at + 208 + k] * z + raised
        best = max(best, (bits_of(reach) & ~NUMBER) | (NUMBER - k))
    return best


@inline
def look_at_128(rows, at, x, y, z, raised):
    """The largest reach of 128 corners, with the corner's number in its last bits."""
    best = np.int64(0)
    for k in range(128):
        reach = rows[at + k] * x + rows[at + 128 + k] * y + rows[at + 256 + k] * z + raised
        best = max(best, (bits_of(reach) & ~NUMBER) | (NUMBER - k))
    return best


@inline
def farthest(rows, at, width, size, x, y, z):
    """Number of the corner farthest along (x, y, z), of any length, in the rows from `at` on."""
    raised = 1.5 * size * (abs(x) + abs(y) + abs(z))
    if width == 24:
        best = look_at_24(rows, at, x, y, z, raised)
    elif width == 40:
        best = look_at_40(rows, at, x, y, z, raised)
    elif width == 64:
        best = look_at_64(rows, at, x, y, z, raised)
    elif width == 104:
        best = look_at_104(rows, at, x, y, z, raised)
    else:
        best = look_at_128(rows, at, x, y, z, raised)
    return NUMBER - (best & NUMBER)


@inline
def difference_of_rows(rows, at_a, width_a, at_b, width_b, p, q, turn, shift):
    """Corner p of A minus corner q of B, in the frame of A."""
    bx, by, bz = rows[at_b + q], rows[at_b + width_b + q], rows[at_b + 2 * width_b + q]
    wx = rows[at_a + p] - (turn[0, 0] * bx + turn[0, 1] * by + turn[0, 2] * bz + shift[0])
    wy = rows[at_a + width_a + p] - (turn[1, 0] * bx + turn[1, 1] * by + turn[1, 2] * bz + shift[1])
    wz = rows[at_a + 2 * width_a + p] - (turn[2, 0] * bx + turn[2, 1] * by + turn[2, 2] * bz + shift[2])
    return wx, wy, wz


@inline
def corner_of_difference(rows, at_a, width_a, size_a, at_b, width_b, size_b, turn, shift, x, y, z):
    """Corner of D = A - B farthest along (x, y, z) of A's frame: its place, and its two corners."""
    bx = -(turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z)
    by = -(turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z)
    bz = -(turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)
    p = farthest(rows, at_a, width_a, size_a, x, y, z)
    q = farthest(rows, at_b, width_b, size_b, bx, by, bz)
    wx, wy, wz = difference_of_rows(rows, at_a, width_a, at_b, width_b, p, q, turn, shift)
    return wx, wy, wz, p, q


@inline
def near_cell(x, y, z):
    """Cell of a direction in the coarse table: the octahedron of directions unfolded to a square, as in `_kernels_support`."""
    ax, ay = abs(x), abs(y)
    scale = 0.5 * COARSE / (ax + ay + abs(z))
    ax, ay = ax * scale, ay * scale
    u = ax if z >= 0.0 else 0.5 * COARSE - ay
    w = ay if z >= 0.0 else 0.5 * COARSE - ax
    u = u if x >= 0.0 else -u
    w = w if y >= 0.0 else -w
    i = min(np.int64(u + 0.5 * COARSE), COARSE - 1)
    j = min(np.int64(w + 0.5 * COARSE), COARSE - 1)
    return i * COARSE + j
