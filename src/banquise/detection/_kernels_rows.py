"""Kernels that find the (point, edge) rows of a pair: every point of one with every edge of the other within a limit.

All geometry is done in the frame of the body whose edges are looked at, relative to its centre, so that coordinates of
thousands of kilometres cost no digits. A row is packed as (slot of the point << 32 | slot of the edge), slots counted
from the first of their body.

Kernels take the columns of `Shapes` one by one: read from a tuple, each costs a count of references at every call.
"""

import math

import numpy as np

from banquise.bits import lowest_bit
from banquise.detection.jit import edges_within, fetch, inline, inner, loose_inner, loose_kernel

# columns of a slot's links: the point's number in its body (-1: padding), next and previous slot, 1 if convex; before them
# stand the numbers of the block, in the same line of the cache
OWN, AFTER, BEFORE, CONVEX = 12, 13, 14, 15
COARSE = 4e-7  # part of coordinates, and three times that of lengths, that single precision may add to a distance
SECTORS = 32  # corners of a rim: with 16 twice as many pairs that are apart are not told so, with 64 few less
HULL_LOOKS = 6  # directions tried to tell two rims apart


@inline
def point(block, k):
    """Point in slot k."""
    return block[k, 0], block[k, 1]


@inline
def edge(block, k):
    """Edge that starts in slot k, and 1 / length^2 (zero when there is none)."""
    return block[k, 2], block[k, 3], block[k, 4]


@inline
def unit(block, k):
    """Edge that starts in slot k, and 1 / length: kept, for a root takes as long as all the rest of a test."""
    return block[k, 2], block[k, 3], block[k, 5]


@inner
def box_gap(box, a, b, c, s, tx, ty, ux, uy):
    """Lower bound of the distance of two bodies from their turned boxes.

    (c, s, tx, ty) carry the frame of b into that of a, (ux, uy) the centre of a into the frame of b.
    """
    ac, as_ = abs(c), abs(s)
    awx, awy = 0.5 * (box[a, 2] - box[a, 0]), 0.5 * (box[a, 3] - box[a, 1])
    bwx, bwy = 0.5 * (box[b, 2] - box[b, 0]), 0.5 * (box[b, 3] - box[b, 1])
    amx, amy = 0.5 * (box[a, 2] + box[a, 0]), 0.5 * (box[a, 3] + box[a, 1])
    bmx, bmy = 0.5 * (box[b, 2] + box[b, 0]), 0.5 * (box[b, 3] + box[b, 1])
    gx = max(abs(c * bmx - s * bmy + tx - amx) - awx - (ac * bwx + as_ * bwy), 0.0)
    gy = max(abs(s * bmx + c * bmy + ty - amy) - awy - (as_ * bwx + ac * bwy), 0.0)
    hx = max(abs(c * amx + s * amy + ux - bmx) - bwx - (ac * awx + as_ * awy), 0.0)
    hy = max(abs(-s * amx + c * amy + uy - bmy) - bwy - (as_ * awx + ac * awy), 0.0)
    return math.sqrt(max(gx * gx + gy * gy, hx * hx + hy * hy))


@loose_inner
def sector(x, y):
    """Which corner of a rim is farthest along (x, y): SECTORS pieces of the way round, each side of a square in equal parts."""
    flat = abs(x) >= abs(y)
    across, along = (y, x) if flat else (-x, y)
    side = (0 if x > 0.0 else 2) if flat else (1 if y > 0.0 else 3)
    part = int((across / along + 1.0) * (SECTORS // 8))
    return side * (SECTORS // 4) + min(max(part, 0), SECTORS // 4 - 1)


@loose_inner
def _toward_zero(x, y, ax, ay):
    """Point of the segment from (x, y) to a that is nearest to zero."""
    ux, uy = x - ax, y - ay
    square = ux * ux + uy * uy
    part = (x * ux + y * uy) / square if square > 0.0 else 0.0
    part = 0.0 if part < 0.0 else part
    part = 1.0 if part > 1.0 else part
    return x - part * ux, y - part * uy


@loose_inner
def told_apart(rim, a, b, c, s, tx, ty, enough):
    """Lower bound of the distance of the rings of bodies a and b, from their rims, and the direction (of length 1, frame of a)
    along which they are that far apart; it ends as soon as the bound is more than `enough`, or cannot be.

    w, the corner of b least far along the direction d less the corner of a farthest along it, gives the bound w . d; the
    point nearest to zero between w and those seen before is a better direction. (c, s, tx, ty) carry the frame of b into
    that of a.
    """
    x, y = tx, ty
    px = py = qx = qy = nx = ny = 0.0
    bound = -math.inf
    for look in range(HULL_LOOKS):
        square = x * x + y * y
        if square <= enough * enough:  # the rims are at least as near as that
            break
        v, e = sector(-(c * x + s * y), s * x - c * y), sector(x, y)
        vx, vy = np.float64(rim[b, v, 0]), np.float64(rim[b, v, 1])
        wx, wy = c * vx - s * vy + tx - rim[a, e, 0], s * vx + c * vy + ty - rim[a, e, 1]
        over = 1.0 / math.sqrt(square)
        along = (wx * x + wy * y) * over
        if along > bound:
            bound, nx, ny = along, x * over, y * over
        if bound > enough:
            break
        if look == 0:
            px, py, qx, qy = wx, wy, wx, wy
        fx, fy = _toward_zero(wx, wy, px, py)
        gx, gy = _toward_zero(wx, wy, qx, qy)
        if fx * fx + fy * fy < gx * gx + gy * gy:
            x, y, qx, qy = fx, fy, wx, wy
        else:
            x, y, px, py = gx, gy, wx, wy
    return bound - 1e-13 * (abs(tx) + abs(ty)), nx, ny


@loose_kernel
def hull_gap(rim, a, b, c, s, tx, ty, enough):
    """The bound of `told_apart` alone."""
    bound, _, _ = told_apart(rim, a, b, c, s, tx, ty, enough)
    return bound


@loose_inner
def near_runs(node, node_link, body, box, v_body, e_body, c, s, tx, ty, limit, runs, first):
    """List runs of edges of `e_body` near the box of `v_body`, then runs of points of `v_body` near those, by their nodes:
    runs[first:middle] and runs[middle:last]; (middle, last). Where one list is empty, the other is too.

    (c, s, tx, ty) carry the frame of v_body into that of e_body. Every leaf is written, near or not, and the next takes its
    place if it is not: nobody foresees which are.
    """
    mx, my = 0.5 * (box[v_body, 0] + box[v_body, 2]), 0.5 * (box[v_body, 1] + box[v_body, 3])
    wx, wy = box[v_body, 2] - mx, box[v_body, 3] - my
    x, y = c * mx - s * my + tx, s * mx + c * my + ty
    wide, high = abs(c) * wx + abs(s) * wy + limit, abs(s) * wx + abs(c) * wy + limit
    x0, y0, x1, y1 = x - wide, y - high, x + wide, y + high
    middle = first
    at, end = np.int64(body[e_body, 0]), body[e_body + 1, 0]
    while at < end:
        near = (node[at, 0] <= x1) & (node[at, 2] >= x0) & (node[at, 1] <= y1) & (node[at, 3] >= y0)
        if node_link[at, 0] < 0:
            at = at + 1 if near else np.int64(node_link[at, 1])
            continue
        runs[middle] = at
        middle += near
        at += 1
    x0, y0, x1, y1 = _around(node, runs, first, middle, limit)
    last = middle
    at, end = np.int64(body[v_body, 0]), body[v_body + 1, 0] if middle > first else body[v_body, 0]
    while at < end:
        mx, my, r = node[at, 4], node[at, 5], node[at, 6]
        x, y = c * mx - s * my + tx, s * mx + c * my + ty
        near = (x >= x0 - r) & (x <= x1 + r) & (y >= y0 - r) & (y <= y1 + r)
        if node_link[at, 0] < 0:
            at = at + 1 if near else np.int64(node_link[at, 1])
            continue
        runs[last] = at
        last += near
        at += 1
    return (middle, last) if last > middle else (first, first)


@loose_inner
def _around(node, runs, first, last, limit):
    """Box around the runs first:last of a list, and `limit` more."""
    x0, y0, x1, y1 = math.inf, math.inf, -math.inf, -math.inf
    for k in range(first, last):
        at = runs[k]
        x0, y0, x1, y1 = min(x0, node[at, 0]), min(y0, node[at, 1]), max(x1, node[at, 2]), max(y1, node[at, 3])
    return x0 - limit, y0 - limit, x1 + limit, y1 + limit


@loose_inner
def rows_of_runs(
    block, coarse, node, node_link, v0, e0, c, s, tx, ty, limit, runs, first, middle, last, slots, q, rows, n
):  # fmt: skip
    """Append the rows closer than `limit` of points of the runs middle:last of a list and edges of the runs first:middle;
    their count so far. Counts on past the end of `rows` without writing. v0, e0: first slots of the bodies.

    By coarse coordinates, so a few rows that are a little farther are among them.
    """
    x0, y0, x1, y1 = _around(node, runs, first, middle, limit)
    slack = COARSE * (max(abs(x0), abs(y0), abs(x1), abs(y1)) + abs(tx) + abs(ty) + 3.0 * (x1 - x0 + y1 - y0))
    x0, y0, x1, y1 = x0 - slack, y0 - slack, x1 + slack, y1 + slack
    kept = 0
    for k in range(middle, last):
        run, points = np.int64(node_link[runs[k], 0]), node_link[runs[k], 2]
        for lane in range(4):
            px, py = np.float64(coarse[run, 0, lane]), np.float64(coarse[run, 1, lane])
            x, y = c * px - s * py + tx, s * px + c * py + ty
            slots[kept], q[kept, 0], q[kept, 1] = 4 * run + lane, x, y
            kept += (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1) & (lane < points)
    square = (limit + slack) * (limit + slack)
    for k in range(first if kept > 0 else middle, middle):
        run, real = np.int64(node_link[runs[k], 0]), (np.uint64(1) << np.uint64(node_link[runs[k], 2])) - np.uint64(1)
        for l in range(kept):
            near = edges_within(coarse, run, q[l, 0], q[l, 1], square) & real
            while near != 0:
                e = 4 * run + np.int64(lowest_bit(near))
                fetch(block, 8 * np.int64(slots[l]))
                fetch(block, 8 * e)
                if n < len(rows):
                    rows[n] = (np.int64(slots[l] - v0) << 32) | (e - e0)
                n += 1
                near &= near - np.uint64(1)
    return n


@loose_inner
def near_rows(block, coarse, node, node_link, body, box, v_body, e_body, c, s, tx, ty, limit, slots, q, runs, rows, n):
    """Append the rows of the points of `v_body` and the edges of `e_body` closer than `limit`; their count so far."""
    middle, last = near_runs(node, node_link, body, box, v_body, e_body, c, s, tx, ty, limit, runs, np.int64(0))
    return rows_of_runs(
        block, coarse, node, node_link, body[v_body, 1], body[e_body, 1], c, s, tx, ty, limit, runs, np.int64(0), middle,
        last, slots, q, rows, n,
    )  # fmt: skip


@inner
def sort_rows(rows, first, last):
    """Sort rows[first:last] in place, by point and then by edge (Shell's gaps: lists are short, but not always)."""
    gap = 1
    while 3 * gap + 1 < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            row = rows[i]
            j = i
            while j >= first + gap and rows[j - gap] > row:
                rows[j] = rows[j - gap]
                j -= gap
            rows[j] = row
        gap //= 3


@inline
def measure_rows(block, v0, e0, c, s, tx, ty, rows, first, last, wanted, measure, kept):
    """Move the rows first:last that are within `wanted` to `kept`, with their place along the edge, signed distance to its
    line and distance to the edge; (square of the least distance of all, how many are kept so far).

    The others tell nothing but that they are farther. Every row is written, for none can foresee which are near: `kept` is
    at most `first`. The place along an edge of length zero (a disc) is -1: its nearest feature is its starting point. v0, e0:
    first slots.
    """
    least = math.inf
    square = wanted * wanted if wanted > 0.0 else 0.0
    square += 1e-15 * square  # a root of what is more is more
    for k in range(first, last):
        row = rows[k]
        v, e = v0 + (row >> 32), e0 + (row & 0xFFFFFFFF)
        px, py = point(block, v)
        qx, qy = point(block, e)
        ex, ey, inv = edge(block, e)
        rx, ry = c * px - s * py + tx - qx, s * px + c * py + ty - qy
        t = (rx * ex + ry * ey) * inv
        u = min(max(t, 0.0), 1.0)
        dx, dy = rx - u * ex, ry - u * ey
        d = dx * dx + dy * dy
        rows[kept] = row
        measure[kept, 0] = t if inv > 0.0 else -1.0
        measure[kept, 1] = (rx * ey - ry * ex) * block[e, 5]
        measure[kept, 2] = d
        kept += d <= square
        least = min(least, d)
    return least, kept
