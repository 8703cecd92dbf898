"""Kernels that find the (point, edge) rows of a pair: every point of one with every edge of the other within a limit.

All geometry is done in the frame of the body whose edges are looked at, relative to its centre, so that coordinates of
thousands of kilometres cost no digits. A row is packed as (slot of the point << 32 | slot of the edge), slots counted
from the first of their body.

Kernels take the columns of `Shapes` one by one: read from a tuple, each costs a count of references at every call.
"""

import math

import numpy as np

from banquise.detection.jit import inline, inner, loose_inner, loose_kernel

SECTORS = 32  # corners of a rim: with 16 twice as many pairs that are apart are not told so, with 64 few less
HULL_LOOKS = 6  # directions tried to tell two rims apart


@inline
def point(block, k):
    """Point in slot k."""
    return block[k >> 2, 0, k & 3], block[k >> 2, 1, k & 3]


@inline
def edge(block, k):
    """Edge that starts in slot k, and 1 / length^2 (zero when there is none)."""
    return block[k >> 2, 2, k & 3], block[k >> 2, 3, k & 3], block[k >> 2, 4, k & 3]


@inline
def unit(block, k):
    """Edge that starts in slot k, and 1 / length: kept, for a root takes as long as all the rest of a test."""
    return block[k >> 2, 2, k & 3], block[k >> 2, 3, k & 3], block[k >> 2, 5, k & 3]


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


@loose_kernel
def hull_gap(rim, a, b, c, s, tx, ty, enough):
    """Lower bound of the distance of the rings of bodies a and b, from their rims; it ends as soon as that is more than
    `enough`, or cannot be.

    w, the corner of b least far along the direction d less the corner of a farthest along it, gives the bound w . d; the
    point nearest to zero between w and those seen before is a better direction. (c, s, tx, ty) carry the frame of b into
    that of a.
    """
    x, y = tx, ty
    px = py = qx = qy = 0.0
    bound = -math.inf
    for look in range(HULL_LOOKS):
        square = x * x + y * y
        if square <= enough * enough:  # the rims are at least as near as that
            break
        v, e = sector(-(c * x + s * y), s * x - c * y), sector(x, y)
        vx, vy = np.float64(rim[b, v, 0]), np.float64(rim[b, v, 1])
        wx, wy = c * vx - s * vy + tx - rim[a, e, 0], s * vx + c * vy + ty - rim[a, e, 1]
        bound = max(bound, (wx * x + wy * y) / math.sqrt(square))
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
    return bound - 1e-13 * (abs(tx) + abs(ty))


@loose_inner
def _square(block, run, lane, x, y):
    """Square of the distance of a point to one edge of a run."""
    ex, ey = block[run, 2, lane], block[run, 3, lane]
    rx, ry = x - block[run, 0, lane], y - block[run, 1, lane]
    t = (rx * ex + ry * ey) * block[run, 4, lane]
    t = 0.0 if t < 0.0 else t
    t = 1.0 if t > 1.0 else t
    dx, dy = rx - t * ex, ry - t * ey
    return dx * dx + dy * dy


@loose_inner
def near_rows(block, link, node, node_link, body, box, v_body, e_body, c, s, tx, ty, limit, slots, q, runs, rows, n):
    """Append the rows of the points of `v_body` and the edges of `e_body` closer than `limit`; their count so far, and
    whether runs of both are near at all (if not, there are no rows the other way round either).

    (c, s, tx, ty) carry the frame of v_body into that of e_body. Counts on past the end of `rows` without writing.
    Three sieves: runs of edges near the box of v_body, points near those runs, then point by run.
    """
    mx, my = 0.5 * (box[v_body, 0] + box[v_body, 2]), 0.5 * (box[v_body, 1] + box[v_body, 3])
    wx, wy = box[v_body, 2] - mx, box[v_body, 3] - my
    x, y = c * mx - s * my + tx, s * mx + c * my + ty
    wide, high = abs(c) * wx + abs(s) * wy + limit, abs(s) * wx + abs(c) * wy + limit
    x0, y0, x1, y1 = x - wide, y - high, x + wide, y + high
    rx0, ry0, rx1, ry1 = math.inf, math.inf, -math.inf, -math.inf
    count = 0
    at, end = body[e_body, 0], body[e_body + 1, 0]
    while at < end:
        if node[at, 0] > x1 or node[at, 2] < x0 or node[at, 1] > y1 or node[at, 3] < y0:
            at = node_link[at, 1]
            continue
        if node_link[at, 0] >= 0:
            runs[count] = at
            count += 1
            rx0, ry0 = min(rx0, node[at, 0]), min(ry0, node[at, 1])
            rx1, ry1 = max(rx1, node[at, 2]), max(ry1, node[at, 3])
        at += 1
    x0, y0, x1, y1 = rx0 - limit, ry0 - limit, rx1 + limit, ry1 + limit
    kept, met = 0, False
    at, end = body[v_body, 0], body[v_body + 1, 0] if count > 0 else body[v_body, 0]
    while at < end:
        mx, my, r = node[at, 4], node[at, 5], node[at, 6]
        x, y = c * mx - s * my + tx, s * mx + c * my + ty
        if x < x0 - r or x > x1 + r or y < y0 - r or y > y1 + r:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        met = True  # the disc holds the edges of the run, not only its points
        for lane in range(4):
            px, py = block[run, 0, lane], block[run, 1, lane]
            x, y = c * px - s * py + tx, s * px + c * py + ty
            slots[kept], q[kept, 0], q[kept, 1] = 4 * run + lane, x, y
            kept += (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    square = limit * limit
    first, base = body[v_body, 1], body[e_body, 1]
    for l in range(count if kept > 0 else 0):
        at = runs[l]
        run = node_link[at, 0]
        x0, y0, x1, y1 = node[at, 0] - limit, node[at, 1] - limit, node[at, 2] + limit, node[at, 3] + limit
        for k in range(kept):
            x, y = q[k, 0], q[k, 1]
            if x < x0 or x > x1 or y < y0 or y > y1:
                continue
            d0, d1 = _square(block, run, 0, x, y), _square(block, run, 1, x, y)
            d2, d3 = _square(block, run, 2, x, y), _square(block, run, 3, x, y)
            if (d0 > square and d1 > square and d2 > square and d3 > square) or link[slots[k], 0] < 0:
                continue
            for lane in range(4):
                d = (d0 if lane == 0 else d1) if lane < 2 else (d2 if lane == 2 else d3)
                if d <= square and link[4 * run + lane, 0] >= 0:
                    if n < len(rows):
                        rows[n] = (np.int64(slots[k] - first) << 32) | (4 * run + lane - base)
                    n += 1
    return n, met


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
        measure[kept, 1] = (rx * ey - ry * ex) * block[e >> 2, 5, e & 3]
        measure[kept, 2] = d
        kept += d <= square
        least = min(least, d)
    return least, kept
