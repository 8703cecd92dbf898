"""Kernels that measure overlap and least distance, apart from the contact code: by crossing parity, crossing edges and
nearest border points, not by the signs and cones of contact frames."""

import math

import numpy as np
from numba import njit

from banquise.detection._kernels_rows import box_gap, edge, point


@njit(cache=True, nogil=True)
def nearest(sh, body, x, y, bound):
    """Square of the distance of a point to the border of a body, and the nearest border point; `bound` if not less."""
    best, fx, fy = bound, x, y
    node, end = sh.body[body, 0], sh.body[body + 1, 0]
    while node < end:
        dx = max(sh.node[node, 0] - x, x - sh.node[node, 2], 0.0)
        dy = max(sh.node[node, 1] - y, y - sh.node[node, 3], 0.0)
        if dx * dx + dy * dy >= best:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for lane in range(4):
            px, py = sh.block[run, 0, lane], sh.block[run, 1, lane]
            ex, ey = sh.block[run, 2, lane], sh.block[run, 3, lane]
            t = min(max(((x - px) * ex + (y - py) * ey) * sh.block[run, 4, lane], 0.0), 1.0)
            gx, gy = px + t * ex, py + t * ey
            square = (x - gx) ** 2 + (y - gy) ** 2
            if square < best:
                best, fx, fy = square, gx, gy
    return best, fx, fy


@njit(cache=True, nogil=True)
def holds(sh, body, x, y):
    """Whether a point lies in the ice of a body: a ray to the right crosses its border an odd number of times."""
    odd = False
    node, end = sh.body[body, 0], sh.body[body + 1, 0]
    while node < end:
        if y < sh.node[node, 1] or y > sh.node[node, 3] or x > sh.node[node, 2]:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for lane in range(4):
            py, ey = sh.block[run, 1, lane], sh.block[run, 3, lane]
            end_y = py + ey
            if (py > y) != (end_y > y):
                cross = sh.block[run, 0, lane] + (y - py) / ey * sh.block[run, 2, lane]
                odd ^= x < cross
    return odd


@njit(cache=True, nogil=True)
def _scan_points(sh, v_body, e_body, c, s, tx, ty, near, found):
    """Look at the points of v_body that lie within `near` of the box of e_body.

    found: least distance outside, deepest point inside, least distance inside and the direction out there.
    """
    node, end = sh.body[v_body, 0], sh.body[v_body + 1, 0]
    bx0, by0, bx1, by1 = sh.frame[e_body, 0], sh.frame[e_body, 1], sh.frame[e_body, 2], sh.frame[e_body, 3]
    found[0] = near
    while node < end:
        mx, my, r = sh.node[node, 4], sh.node[node, 5], sh.node[node, 6]
        x, y = c * mx - s * my + tx, s * mx + c * my + ty
        r += found[0]
        if x < bx0 - r or x > bx1 + r or y < by0 - r or y > by1 + r:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for lane in range(4):
            px, py = sh.block[run, 0, lane], sh.block[run, 1, lane]
            x, y = c * px - s * py + tx, s * px + c * py + ty
            dx, dy = max(bx0 - x, x - bx1, 0.0), max(by0 - y, y - by1, 0.0)
            if dx * dx + dy * dy >= found[0] * found[0]:
                continue
            if dx == 0.0 and dy == 0.0 and holds(sh, e_body, x, y):
                square, fx, fy = nearest(sh, e_body, x, y, math.inf)
                depth = math.sqrt(square)
                found[1] = max(found[1], depth)
                if depth < found[2]:
                    found[2], found[3], found[4] = depth, fx - x, fy - y
            else:
                square, fx, fy = nearest(sh, e_body, x, y, found[0] * found[0])
                found[0] = min(found[0], math.sqrt(square))


@njit(cache=True, nogil=True)
def _chord(sh, body, px, py, ex, ey, cuts):
    """Places along an edge where it crosses the border of a body, sorted; their number (at most len(cuts))."""
    n = 0
    x0, x1 = min(px, px + ex), max(px, px + ex)
    y0, y1 = min(py, py + ey), max(py, py + ey)
    node, end = sh.body[body, 0], sh.body[body + 1, 0]
    while node < end:
        if x0 > sh.node[node, 2] or x1 < sh.node[node, 0] or y0 > sh.node[node, 3] or y1 < sh.node[node, 1]:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for lane in range(4):
            rx, ry = sh.block[run, 0, lane] - px, sh.block[run, 1, lane] - py
            fx, fy = sh.block[run, 2, lane], sh.block[run, 3, lane]
            before, after = ex * ry - ey * rx, ex * (ry + fy) - ey * (rx + fx)
            if (before > 0.0) == (after > 0.0):
                continue
            across = ex * fy - ey * fx
            t = (rx * fy - ry * fx) / across
            if 0.0 < t < 1.0 and n < len(cuts):
                k = n
                while k > 0 and cuts[k - 1] > t:
                    cuts[k] = cuts[k - 1]
                    k -= 1
                cuts[k] = t
                n += 1
    return n


@njit(cache=True, nogil=True)
def _scan_edges(sh, v_body, e_body, c, s, tx, ty, cuts):
    """Deepest middle of a stretch of v_body's edges inside e_body, and whether any edge crosses its border."""
    deepest, crossed = 0.0, False
    bx0, by0, bx1, by1 = sh.frame[e_body, 0], sh.frame[e_body, 1], sh.frame[e_body, 2], sh.frame[e_body, 3]
    node, end = sh.body[v_body, 0], sh.body[v_body + 1, 0]
    while node < end:
        mx, my, r = sh.node[node, 4], sh.node[node, 5], sh.node[node, 6]
        x, y = c * mx - s * my + tx, s * mx + c * my + ty
        if x < bx0 - r or x > bx1 + r or y < by0 - r or y > by1 + r:
            node = sh.node_link[node, 1]
            continue
        run = sh.node_link[node, 0]
        node += 1
        if run < 0:
            continue
        for k in range(4 * run, 4 * run + 4):
            px, py = point(sh, k)
            ex, ey, inv = edge(sh, k)
            if inv == 0.0:
                continue
            x, y, fx, fy = c * px - s * py + tx, s * px + c * py + ty, c * ex - s * ey, s * ex + c * ey
            if max(x, x + fx) < bx0 or min(x, x + fx) > bx1 or max(y, y + fy) < by0 or min(y, y + fy) > by1:
                continue
            n = _chord(sh, e_body, x, y, fx, fy, cuts)
            crossed |= n > 0
            for l in range(n - 1):
                t = 0.5 * (cuts[l] + cuts[l + 1])
                gx, gy = x + t * fx, y + t * fy
                if holds(sh, e_body, gx, gy):
                    deepest = max(deepest, math.sqrt(nearest(sh, e_body, gx, gy, math.inf)[0]))
    return deepest, crossed


@njit(cache=True, nogil=True)
def _width(sh, body, dx, dy):
    """Extent of a body's points along the unit vector (its own frame)."""
    low, high = math.inf, -math.inf
    for k in range(sh.body[body, 1], sh.body[body + 1, 1]):
        x, y = point(sh, k)
        low, high = min(low, x * dx + y * dy), max(high, x * dx + y * dy)
    return high - low


@njit(cache=True, nogil=True)
def pair_overlap(sh, i, j, c, s, tx, ty, ux, uy, near, found, cuts):
    """(overlap depth, clearance) of two bodies; one of them is zero. The clearance is a lower bound, at most `near`.

    The depth is that of the deepest border point of one inside the other; of a body wholly inside another the way to
    leave through the nearest border point.
    """
    radii = sh.frame[i, 4] + sh.frame[j, 4]
    apart, depth = near + radii, 0.0
    crossed = False
    inner = -1
    for who in range(2):
        v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
        found[0], found[1], found[2] = apart, 0.0, math.inf
        _scan_points(sh, v, e, c, turn, ox, oy, apart, found)
        apart = found[0]
        chord, crosses = _scan_edges(sh, v, e, c, turn, ox, oy, cuts)
        crossed |= crosses
        depth = max(depth, found[1], chord)
        if found[2] < math.inf and inner < 0:
            inner = v
            out, dx, dy = found[2], c * found[3] + turn * found[4], c * found[4] - turn * found[3]
    if inner >= 0 and not crossed and out > 0.0:
        depth = out + _width(sh, inner, dx / out, dy / out)
    if depth > 0.0:
        return depth + radii, 0.0
    if apart < radii:
        return radii - apart, 0.0
    return 0.0, apart - radii


@njit(cache=True, nogil=True)
def look_overlaps(first, last, pairs, sh, pose, wraps, period, path, clear, near, a, b, depth):
    """Overlapping pairs of first:last as (a, b, depth); their number, also when they do not fit."""
    count = 0
    found, cuts = np.empty(5), np.empty(32)
    for p in range(first, last):
        i, j = pairs[p, 0], pairs[p, 1]
        moved = path[i] + path[j]
        moved += 1e-12 * moved
        if clear[p] - moved > 0.0:
            continue
        dx = pose[j, 0] + (pairs[p, 2] + wraps[i, 0] - wraps[j, 0]) * period[0] - pose[i, 0]
        dy = pose[j, 1] + (pairs[p, 3] + wraps[i, 1] - wraps[j, 1]) * period[1] - pose[i, 1]
        ca, sa, cb, sb = pose[i, 2], pose[i, 3], pose[j, 2], pose[j, 3]
        c, s = ca * cb + sa * sb, ca * sb - sa * cb
        tx, ty = ca * dx + sa * dy, ca * dy - sa * dx
        ux, uy = -cb * dx - sb * dy, sb * dx - cb * dy
        gap = box_gap(sh, i, j, c, s, tx, ty, ux, uy) - sh.frame[i, 4] - sh.frame[j, 4]
        if gap > 0.0:
            clear[p] = gap + moved
            continue
        deep, free = pair_overlap(sh, i, j, c, s, tx, ty, ux, uy, near, found, cuts)
        clear[p] = free + moved if deep == 0.0 else -math.inf
        if deep > 0.0:
            if count < len(depth):
                a[count], b[count], depth[count] = i, j, deep
            count += 1
    return count


@njit(cache=True, nogil=True)
def closest_points(first, last, a, b, sh, pose, value):
    """Least distance of the borders of pairs first:last, and where, relative to the centre of a, in world axes.

    value: distance of the rings, point on a, point on b. However far apart: the bound shrinks as points are met.
    """
    for p in range(first, last):
        i, j = a[p], b[p]
        dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
        ca, sa, cb, sb = pose[i, 2], pose[i, 3], pose[j, 2], pose[j, 3]
        c, s = ca * cb + sa * sb, ca * sb - sa * cb
        tx, ty = ca * dx + sa * dy, ca * dy - sa * dx
        ux, uy = -cb * dx - sb * dy, sb * dx - cb * dy
        best = math.inf
        for who in range(2):
            v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
            node, end = sh.body[v, 0], sh.body[v + 1, 0]
            while node < end:
                mx, my, r = sh.node[node, 4], sh.node[node, 5], sh.node[node, 6]
                x, y = c * mx - turn * my + ox, turn * mx + c * my + oy
                away_x = max(sh.frame[e, 0] - x, x - sh.frame[e, 2], 0.0)
                away_y = max(sh.frame[e, 1] - y, y - sh.frame[e, 3], 0.0)
                if away_x * away_x + away_y * away_y >= (math.sqrt(best) + r) ** 2:
                    node = sh.node_link[node, 1]
                    continue
                run = sh.node_link[node, 0]
                node += 1
                if run < 0:
                    continue
                for k in range(4 * run, 4 * run + 4):
                    px, py = point(sh, k)
                    x, y = c * px - turn * py + ox, turn * px + c * py + oy
                    square, fx, fy = nearest(sh, e, x, y, best)
                    if square >= best:
                        continue
                    best = square
                    value[p, 0] = math.sqrt(square)
                    if who == 0:
                        value[p, 1], value[p, 2] = ca * fx - sa * fy, sa * fx + ca * fy
                        value[p, 3], value[p, 4] = ca * x - sa * y, sa * x + ca * y
                    else:
                        value[p, 1], value[p, 2] = cb * x - sb * y + dx, sb * x + cb * y + dy
                        value[p, 3], value[p, 4] = cb * fx - sb * fy + dx, sb * fx + cb * fy + dy
