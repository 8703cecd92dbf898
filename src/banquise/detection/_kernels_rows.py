"""Kernels that find the (point, edge) rows of a pair: every point of one body with every edge of the other within a limit.

All geometry is done in the frame of the body whose edges are looked at, relative to its centre, so that coordinates of
thousands of kilometres cost no digits. A row is packed as (slot of the point << 32 | slot of the edge), slots counted
from the first of their body.
"""

import math

from numba import njit


@njit(cache=True, nogil=True)
def point(sh, k):
    """Point in slot k."""
    return sh.block[k >> 2, 0, k & 3], sh.block[k >> 2, 1, k & 3]


@njit(cache=True, nogil=True)
def edge(sh, k):
    """Edge that starts in slot k, and 1 / length^2 (zero when there is none)."""
    return sh.block[k >> 2, 2, k & 3], sh.block[k >> 2, 3, k & 3], sh.block[k >> 2, 4, k & 3]


@njit(cache=True, nogil=True)
def box_gap(sh, a, b, c, s, tx, ty, ux, uy):
    """Lower bound of the distance of two bodies from their turned boxes.

    (c, s, tx, ty) carry the frame of b into that of a, (ux, uy) the centre of a into the frame of b.
    """
    ac, as_, box = abs(c), abs(s), sh.frame
    awx, awy = 0.5 * (box[a, 2] - box[a, 0]), 0.5 * (box[a, 3] - box[a, 1])
    bwx, bwy = 0.5 * (box[b, 2] - box[b, 0]), 0.5 * (box[b, 3] - box[b, 1])
    amx, amy = 0.5 * (box[a, 2] + box[a, 0]), 0.5 * (box[a, 3] + box[a, 1])
    bmx, bmy = 0.5 * (box[b, 2] + box[b, 0]), 0.5 * (box[b, 3] + box[b, 1])
    gx = max(abs(c * bmx - s * bmy + tx - amx) - awx - (ac * bwx + as_ * bwy), 0.0)
    gy = max(abs(s * bmx + c * bmy + ty - amy) - awy - (as_ * bwx + ac * bwy), 0.0)
    hx = max(abs(c * amx + s * amy + ux - bmx) - bwx - (ac * awx + as_ * awy), 0.0)
    hy = max(abs(-s * amx + c * amy + uy - bmy) - bwy - (as_ * awx + ac * awy), 0.0)
    return math.sqrt(max(gx * gx + gy * gy, hx * hx + hy * hy))


@njit(cache=True, nogil=True)
def near_rows(sh, v_body, e_body, c, s, tx, ty, limit, slots, qx, qy, rows, n):
    """Append the rows of the points of `v_body` and the edges of `e_body` closer than `limit`; their count so far.

    (c, s, tx, ty) carry the frame of v_body into that of e_body. Counts on past the end of `rows` without writing.
    """
    x0, y0 = sh.frame[e_body, 0] - limit, sh.frame[e_body, 1] - limit
    x1, y1 = sh.frame[e_body, 2] + limit, sh.frame[e_body, 3] + limit
    first = sh.body[v_body, 1]
    kept = 0
    node, end = sh.body[v_body, 0], sh.body[v_body + 1, 0]
    while node < end:
        mx, my, r = sh.node[node, 4], sh.node[node, 5], sh.node[node, 6]
        x, y = c * mx - s * my + tx, s * mx + c * my + ty
        if x < x0 - r or x > x1 + r or y < y0 - r or y > y1 + r:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for lane in range(4):
            px, py = sh.block[run, 0, lane], sh.block[run, 1, lane]
            x, y = c * px - s * py + tx, s * px + c * py + ty
            slots[kept], qx[kept], qy[kept] = 4 * run + lane - first, x, y
            kept += (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1) & (sh.link[4 * run + lane, 0] >= 0)
    if kept == 0:
        return n
    x0, y0, x1, y1 = qx[0], qy[0], qx[0], qy[0]
    for k in range(1, kept):
        x0, x1 = min(x0, qx[k]), max(x1, qx[k])
        y0, y1 = min(y0, qy[k]), max(y1, qy[k])
    x0, y0, x1, y1 = x0 - limit, y0 - limit, x1 + limit, y1 + limit
    square = limit * limit
    base = sh.body[e_body, 1]
    node, end = sh.body[e_body, 0], sh.body[e_body + 1, 0]
    while node < end:
        bx0, by0, bx1, by1 = sh.node[node, 0], sh.node[node, 1], sh.node[node, 2], sh.node[node, 3]
        if bx0 > x1 or bx1 < x0 or by0 > y1 or by1 < y0:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        bx0, by0, bx1, by1 = bx0 - limit, by0 - limit, bx1 + limit, by1 + limit
        for k in range(kept):
            x, y = qx[k], qy[k]
            if x < bx0 or x > bx1 or y < by0 or y > by1:
                continue
            hits = 0
            for lane in range(4):
                ex, ey = sh.block[run, 2, lane], sh.block[run, 3, lane]
                rx, ry = x - sh.block[run, 0, lane], y - sh.block[run, 1, lane]
                t = min(max((rx * ex + ry * ey) * sh.block[run, 4, lane], 0.0), 1.0)
                dx, dy = rx - t * ex, ry - t * ey
                hits |= (dx * dx + dy * dy <= square) << lane
            for lane in range(4):
                if (hits >> lane) & 1 and sh.link[4 * run + lane, 0] >= 0:
                    if n < len(rows):
                        rows[n] = (slots[k] << 32) | (4 * run + lane - base)
                    n += 1
    return n


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def measure_rows(sh, v_body, e_body, c, s, tx, ty, rows, first, last, along, side, dist):
    """Fill place along the edge, signed distance to its line and distance to the edge of each row; the least distance.

    The place along an edge of length zero (a disc) is -1: its nearest feature is its starting point.
    """
    v0, e0 = sh.body[v_body, 1], sh.body[e_body, 1]
    least = math.inf
    for k in range(first, last):
        v, e = v0 + (rows[k] >> 32), e0 + (rows[k] & 0xFFFFFFFF)
        px, py = point(sh, v)
        qx, qy = point(sh, e)
        ex, ey, inv = edge(sh, e)
        rx, ry = c * px - s * py + tx - qx, s * px + c * py + ty - qy
        t = (rx * ex + ry * ey) * inv
        u = min(max(t, 0.0), 1.0)
        dx, dy = rx - u * ex, ry - u * ey
        along[k] = t if inv > 0.0 else -1.0
        side[k] = (rx * ey - ry * ex) * math.sqrt(inv)
        dist[k] = math.sqrt(dx * dx + dy * dy)
        least = min(least, dist[k])
    return least
