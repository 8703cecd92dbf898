"""Kernels of a body's border, by crossing edges and nearest points: how far from it, whether in it, where an edge crosses it.

They serve the measures of overlap and least distance, and share nothing with the contact code but the boxes."""

import math

from banquise.detection._kernels_rows import edge, point
from banquise.detection.jit import inner, kernel


@inner
def nearest(block, node, node_link, at, end, x, y, bound):
    """Square of the distance of a point to the border below nodes at:end, and the nearest point of it; `bound` if not
    less."""
    best, fx, fy = bound, x, y
    while at < end:
        dx = max(node[at, 0] - x, x - node[at, 2], 0.0)
        dy = max(node[at, 1] - y, y - node[at, 3], 0.0)
        if dx * dx + dy * dy >= best:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for lane in range(4):
            k = 4 * run + lane
            px, py = point(block, k)
            ex, ey, inv = edge(block, k)
            t = min(max(((x - px) * ex + (y - py) * ey) * inv, 0.0), 1.0)
            gx, gy = px + t * ex, py + t * ey
            square = (x - gx) * (x - gx) + (y - gy) * (y - gy)
            if square < best:
                best, fx, fy = square, gx, gy
    return best, fx, fy


@kernel
def holds(block, node, node_link, at, end, x, y):
    """Whether a point lies in the ice below nodes at:end: a ray to the right crosses its border an odd number."""
    odd = False
    while at < end:
        if y < node[at, 1] or y > node[at, 3] or x > node[at, 2]:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for lane in range(4):
            k = 4 * run + lane
            px, py = point(block, k)
            ex, ey, _ = edge(block, k)
            if (py > y) != (py + ey > y):
                odd ^= x < px + (y - py) / ey * ex
    return odd


@inner
def crossings(block, node, node_link, at, end, px, py, ex, ey, cuts):
    """Places along an edge where it crosses the border below nodes at:end, sorted; their number, at most len(cuts)."""
    n = 0
    x0, x1 = min(px, px + ex), max(px, px + ex)
    y0, y1 = min(py, py + ey), max(py, py + ey)
    while at < end:
        if x0 > node[at, 2] or x1 < node[at, 0] or y0 > node[at, 3] or y1 < node[at, 1]:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for lane in range(4):
            l = 4 * run + lane
            rx, ry = block[l, 0] - px, block[l, 1] - py
            fx, fy, _ = edge(block, l)
            before, after = ex * ry - ey * rx, ex * (ry + fy) - ey * (rx + fx)
            if (before > 0.0) == (after > 0.0):
                continue
            t = (rx * fy - ry * fx) / (ex * fy - ey * fx)
            if 0.0 <= t < 1.0 and n < len(cuts):
                k = n
                while k > 0 and cuts[k - 1] > t:
                    cuts[k] = cuts[k - 1]
                    k -= 1
                cuts[k] = t
                n += 1
    return n


@inner
def _depth_at(block, node, node_link, at, end, x, y, ex, ey, t, out, back):
    """Square of the distance to the border from place t of an edge that comes in at `out` and leaves at `back` (infinite
    where it does not): the border is no farther than those, so few runs are looked at."""
    way = min(t - out, back - t)
    bound = (ex * ex + ey * ey) * way * way * (1.0 + 1e-12)
    square, _, _ = nearest(block, node, node_link, at, end, x + t * ex, y + t * ey, bound)
    return square


@inner
def deepest_along(block, node, node_link, at, end, x, y, ex, ey, low, high, out, back):
    """Greatest distance to the border along a stretch of an edge inside it, by golden sections.

    Inside a convex border the distance is concave along a line, so the search finds its top; else a high point.
    """
    golden = 0.6180339887498949
    p, q = high - golden * (high - low), low + golden * (high - low)
    dp = _depth_at(block, node, node_link, at, end, x, y, ex, ey, p, out, back)
    dq = _depth_at(block, node, node_link, at, end, x, y, ex, ey, q, out, back)
    for _ in range(24):
        left = dp > dq
        low, high = (low, q) if left else (p, high)
        p, q = (high - golden * (high - low), p) if left else (q, low + golden * (high - low))
        d = _depth_at(block, node, node_link, at, end, x, y, ex, ey, p if left else q, out, back)
        dp, dq = (d, dp) if left else (dq, d)
    return math.sqrt(max(dp, dq))


@kernel
def closest_points(first, last, a, b, sh, pose, value):
    """Least distance of the borders of pairs first:last, and where, relative to the centre of a, in world axes.

    value: distance of the rings, point on a, point on b. However far apart: the bound shrinks as points are met.
    """
    block, node, node_link, body, box = sh.block, sh.node, sh.node_link, sh.body, sh.frame
    for p in range(first, last):
        i, j = a[p], b[p]
        dx, dy = pose[j, 0] - pose[i, 0], pose[j, 1] - pose[i, 1]
        ca, sa, cb, sb = pose[i, 2], pose[i, 3], pose[j, 2], pose[j, 3]
        c, s = ca * cb + sa * sb, ca * sb - sa * cb
        best = math.inf
        for who in range(2):
            v, e, turn = (j, i, s) if who == 0 else (i, j, -s)
            ox = ca * dx + sa * dy if who == 0 else -cb * dx - sb * dy
            oy = ca * dy - sa * dx if who == 0 else sb * dx - cb * dy
            at, end = body[v, 0], body[v + 1, 0]
            while at < end:
                x, y = c * node[at, 4] - turn * node[at, 5] + ox, turn * node[at, 4] + c * node[at, 5] + oy
                away_x, away_y = max(box[e, 0] - x, x - box[e, 2], 0.0), max(box[e, 1] - y, y - box[e, 3], 0.0)
                if away_x * away_x + away_y * away_y >= (math.sqrt(best) + node[at, 6]) ** 2:
                    at = node_link[at, 1]
                    continue
                run = node_link[at, 0]
                at += 1
                if run < 0:
                    continue
                for k in range(4 * run, 4 * run + 4):
                    px, py = point(block, k)
                    x, y = c * px - turn * py + ox, turn * px + c * py + oy
                    square, fx, fy = nearest(block, node, node_link, body[e, 0], body[e + 1, 0], x, y, best)
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
