"""Kernels that measure overlap, apart from the contact code: by crossing edges, crossing parity and nearest border points, not
by the signs and cones of contact frames."""

import math

from banquise.detection._kernels_border import crossings, deepest_along, holds, nearest
from banquise.detection._kernels_coincident import in_common, may_coincide, width
from banquise.detection._kernels_rows import BEFORE, box_gap, edge, hull_gap, point
from banquise.detection.jit import inline, inner, kernel

SLIGHT = 1e-4  # of the smaller body's radius: borders nearer than that to each other may be one and the same


@inline
def _cross(block, node, node_link, body, box, v_body, e_body, c, s, tx, ty, runs):
    """Whether any edge of v_body crosses the border of e_body: two sieves, runs of edges of e_body that meet the box of
    v_body, then edges of v_body that meet what those cover. (c, s, tx, ty) carry the frame of v_body into that of e_body."""
    mx, my = 0.5 * (box[v_body, 0] + box[v_body, 2]), 0.5 * (box[v_body, 1] + box[v_body, 3])
    wx, wy = box[v_body, 2] - mx, box[v_body, 3] - my
    x, y = c * mx - s * my + tx, s * mx + c * my + ty
    round_off = 1e-12 * (abs(x) + abs(y) + wx + wy)
    wide, high = abs(c) * wx + abs(s) * wy + round_off, abs(s) * wx + abs(c) * wy + round_off
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
    x0, y0, x1, y1 = max(x0, rx0), max(y0, ry0), min(x1, rx1), min(y1, ry1)
    at, end = body[v_body, 0], body[v_body + 1, 0] if count > 0 else body[v_body, 0]
    while at < end:
        r = node[at, 6]
        x, y = c * node[at, 4] - s * node[at, 5] + tx, s * node[at, 4] + c * node[at, 5] + ty
        if x < x0 - r or x > x1 + r or y < y0 - r or y > y1 + r:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for k in range(4 * run, 4 * run + 4):
            px, py = point(block, k)
            ex, ey, _ = edge(block, k)
            px, py, ex, ey = c * px - s * py + tx, s * px + c * py + ty, c * ex - s * ey, s * ex + c * ey
            low_x, high_x, low_y, high_y = min(px, px + ex), max(px, px + ex), min(py, py + ey), max(py, py + ey)
            if high_x < x0 or low_x > x1 or high_y < y0 or low_y > y1:
                continue
            for l in range(count):
                near = runs[l]
                if low_x > node[near, 2] or high_x < node[near, 0] or low_y > node[near, 3] or high_y < node[near, 1]:
                    continue
                other = node_link[near, 0]
                for lane in range(4):
                    m = 4 * other + lane
                    rx, ry = block[m, 0] - px, block[m, 1] - py
                    fx, fy, _ = edge(block, m)
                    before, after = ex * ry - ey * rx, ex * (ry + fy) - ey * (rx + fx)
                    if (before > 0.0) != (after > 0.0) and 0.0 <= (rx * fy - ry * fx) / (ex * fy - ey * fx) < 1.0:
                        return True
    return False


@inner
def _chords(block, node, node_link, body, box, v_body, e_body, c, s, tx, ty, cuts):
    """Depth of the deepest place of the edges of v_body inside e_body."""
    x0, y0, x1, y1 = box[e_body, 0], box[e_body, 1], box[e_body, 2], box[e_body, 3]
    e_at, e_end = body[e_body, 0], body[e_body + 1, 0]
    at, end = body[v_body, 0], body[v_body + 1, 0]
    depth = 0.0
    while at < end:
        r = node[at, 6]
        x, y = c * node[at, 4] - s * node[at, 5] + tx, s * node[at, 4] + c * node[at, 5] + ty
        if x < x0 - r or x > x1 + r or y < y0 - r or y > y1 + r:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for k in range(4 * run, 4 * run + 4):
            px, py = point(block, k)
            ex, ey, inv = edge(block, k)
            x, y, fx, fy = c * px - s * py + tx, s * px + c * py + ty, c * ex - s * ey, s * ex + c * ey
            if (
                inv == 0.0 or (x < x0 and x + fx < x0) or (x > x1 and x + fx > x1)
                or (y < y0 and y + fy < y0) or (y > y1 and y + fy > y1)
            ):  # fmt: skip
                continue
            n = crossings(block, node, node_link, e_at, e_end, x, y, fx, fy, cuts)
            for l in range(n + 1):
                low, high = cuts[l - 1] if l > 0 else 0.0, cuts[l] if l < n else 1.0
                t = 0.5 * (low + high)
                if holds(block, node, node_link, e_at, e_end, x + t * fx, y + t * fy):
                    out, back = low if l > 0 else -math.inf, high if l < n else math.inf
                    deepest = deepest_along(block, node, node_link, e_at, e_end, x, y, fx, fy, low, high, out, back)
                    depth = max(depth, deepest)
    return depth


@inner
def _points(block, node, node_link, body, box, v_body, e_body, c, s, tx, ty, near, inside, found):
    """Distances of the points of v_body to the border of e_body.

    inside: of those in its ice, the greatest goes to found[1] and the least to found[2], the way out to found[3:5].
    Otherwise the least of all to found[0], if less than near.
    """
    x0, y0, x1, y1 = box[e_body, 0], box[e_body, 1], box[e_body, 2], box[e_body, 3]
    e_at, e_end = body[e_body, 0], body[e_body + 1, 0]
    at, end = body[v_body, 0], body[v_body + 1, 0]
    found[0], found[1], found[2] = near, 0.0, math.inf
    while at < end:
        x, y = c * node[at, 4] - s * node[at, 5] + tx, s * node[at, 4] + c * node[at, 5] + ty
        r = node[at, 6] + (0.0 if inside else found[0])
        if x < x0 - r or x > x1 + r or y < y0 - r or y > y1 + r:
            at = node_link[at, 1]
            continue
        run = node_link[at, 0]
        at += 1
        if run < 0:
            continue
        for lane in range(4):
            k = 4 * run + lane
            px, py = point(block, k)
            x, y = c * px - s * py + tx, s * px + c * py + ty
            dx, dy = max(x0 - x, x - x1, 0.0), max(y0 - y, y - y1, 0.0)
            bound = math.inf if inside else found[0] * found[0]
            if dx * dx + dy * dy >= (0.0 if inside and dx + dy > 0.0 else bound):
                continue
            if inside and not holds(block, node, node_link, e_at, e_end, x, y):
                continue
            square, fx, fy = nearest(block, node, node_link, e_at, e_end, x, y, bound)
            d = math.sqrt(square)
            if not inside:
                found[0] = min(found[0], d)
                continue
            found[1] = max(found[1], d)
            if d < found[2]:
                found[2], found[3], found[4] = d, fx - x, fy - y


@inner
def _way_to_leave(block, body, which, c, s, found):
    """Depth of a body that lies wholly inside another: from its far side out through the nearest border point."""
    if found[2] == 0.0:
        return 0.0
    # the way out in the body's own frame
    dx, dy = (c * found[3] + s * found[4]) / found[2], (c * found[4] - s * found[3]) / found[2]
    low, high = math.inf, -math.inf
    for k in range(body[which, 1], body[which + 1, 1]):
        x, y = point(block, k)
        low, high = min(low, x * dx + y * dy), max(high, x * dx + y * dy)
    return found[2] + high - low


@inner
def pair_overlap(block, node, node_link, body, box, i, j, c, s, tx, ty, ux, uy, near, found, cuts, runs):
    """(overlap depth, clearance) of two bodies; one of them is zero. The clearance is a lower bound, at most `near`.

    The depth is that of the deepest border point of one inside the other; of a body wholly inside another the way to
    leave through the nearest border point; of bodies that lie on each other, so that no border is inside, their
    width. Where the rings are apart it is what the radii reach over the distance.
    """
    radii = box[i, 4] + box[j, 4]
    crossed = _cross(block, node, node_link, body, box, j, i, c, s, tx, ty, runs)
    apart, depth = near + radii, 0.0
    slight = SLIGHT * min(node[body[i, 0], 6], node[body[j, 0], 6])
    for who in range(2):
        v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
        inside = crossed
        if not crossed:  # borders apart: one point tells for all
            x, y = point(block, body[v, 1])
            x, y = c * x - turn * y + ox, turn * x + c * y + oy
            inside = holds(block, node, node_link, body[e, 0], body[e + 1, 0], x, y)
        if not inside and apart <= 0.0:  # nothing to tell: neither rounded nor asked how far apart
            continue
        _points(block, node, node_link, body, box, v, e, c, turn, ox, oy, apart, inside, found)
        if crossed:
            chord = _chords(block, node, node_link, body, box, v, e, c, turn, ox, oy, cuts)
            depth = max(depth, found[1], chord)
        elif inside:
            deep = _way_to_leave(block, body, v, c, turn, found)
            if found[1] < slight and not in_common(block, node, node_link, body, v, e, c, turn, ox, oy, cuts):
                deep = found[1]  # all its points on the border of the other, and outside: it fills a bay
            return deep + radii, 0.0
        else:
            apart = found[0]
    if (
        (depth < slight if crossed else apart < slight)
        and may_coincide(block, node, node_link, body, i, j, c, s, tx, ty, ux, uy, slight)
        and in_common(block, node, node_link, body, j, i, c, s, tx, ty, cuts)
    ):
        depth = min(width(block, body, i), width(block, body, j))
    if crossed or depth > 0.0:
        return depth + radii, 0.0
    return max(radii - apart, 0.0), max(apart - radii, 0.0)


@inline
def _may_cross(px, py, ex, ey, qx, qy, fx, fy):
    """Whether the edges from p along e and from q along f cross, or nearly: without a jump, for none can be foreseen."""
    rx, ry = qx - px, qy - py
    before, after = ex * ry - ey * rx, ex * (ry + fy) - ey * (rx + fx)
    top, below = rx * fy - ry * fx, ex * fy - ey * fx
    return ((before > 0.0) != (after > 0.0)) & (top * below >= 0.0) & (abs(top) <= abs(below))


@inner
def still_apart(block, link, node, node_link, body, box, known, p, i, j, c, s, tx, ty, ux, uy):
    """Whether bodies i and j of pair p, apart when last seen, neither cross nor hold each other now; False where unsure.

    known: every (point, edge) that was near enough then to have met since. Of two edges that cross now and did not then, an
    end of one was as near to the other as both have come. What holds the other without a crossing holds any of its points.
    """
    n0 = known[p, 0] & 0xFF
    n1 = n0 + (known[p, 0] >> 8)
    met = False
    for k in range(1, n1 + 1):
        of_b = k <= n0  # a point of b and an edge of a, or the other way round
        v, e = known[p, k] >> 16, known[p, k] & 0xFFFF
        v, e = (body[j, 1] + v, body[i, 1] + e) if of_b else (body[i, 1] + v, body[j, 1] + e)
        w = link[v, BEFORE]
        vx, vy = point(block, v)
        gx, gy, _ = edge(block, v)
        wx, wy = point(block, w)
        hx, hy, _ = edge(block, w)
        qx, qy = point(block, e)
        fx, fy, _ = edge(block, e)
        if of_b:
            vx, vy, gx, gy = c * vx - s * vy + tx, s * vx + c * vy + ty, c * gx - s * gy, s * gx + c * gy
            wx, wy, hx, hy = c * wx - s * wy + tx, s * wx + c * wy + ty, c * hx - s * hy, s * hx + c * hy
            met |= _may_cross(vx, vy, gx, gy, qx, qy, fx, fy) | _may_cross(wx, wy, hx, hy, qx, qy, fx, fy)
        else:
            qx, qy, fx, fy = c * qx - s * qy + tx, s * qx + c * qy + ty, c * fx - s * fy, s * fx + c * fy
            met |= _may_cross(qx, qy, fx, fy, vx, vy, gx, gy) | _may_cross(qx, qy, fx, fy, wx, wy, hx, hy)
    if met:
        return False
    for who in range(2):
        v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
        x, y = point(block, body[v, 1])
        x, y = c * x - turn * y + ox, turn * x + c * y + oy
        beyond = x < box[e, 0] or x > box[e, 2] or y < box[e, 1] or y > box[e, 3]
        if not beyond and holds(block, node, node_link, body[e, 0], body[e + 1, 0], x, y):
            return False
    return True


@kernel
def look_overlaps(
    first, last, pairs, sh, pose, wraps, period, path, state, trust, rows, near, found, cuts, runs, a, b, depth
):  # fmt: skip
    """Overlapping pairs of first:last as (a, b, depth); their number, also when they do not fit.

    state.clear: path length of a pair up to which this routine found it apart, -inf while it overlaps. With `trust`, also
    who has not come as far as the contact code found it apart is not looked at, unless it overlapped when last seen here (a
    distance of borders does not tell in from out). rows: whether the rows of the contact code tell which edges can cross.
    """
    count = 0
    clear, told, known, known_until = state.clear, state.until, state.known, state.known_until
    block, link, node, node_link, body, box, rim = sh.block, sh.link, sh.node, sh.node_link, sh.body, sh.frame, sh.rim
    for p in range(first, last):
        i, j = pairs[p, 0], pairs[p, 1]
        moved = path[i] + path[j]
        moved += 1e-12 * moved
        if clear[p] >= moved or (trust and told[p] > moved and clear[p] > -math.inf):
            continue
        dx = pose[j, 0] + (pairs[p, 2] + wraps[i, 0] - wraps[j, 0]) * period[0] - pose[i, 0]
        dy = pose[j, 1] + (pairs[p, 3] + wraps[i, 1] - wraps[j, 1]) * period[1] - pose[i, 1]
        ca, sa, cb, sb = pose[i, 2], pose[i, 3], pose[j, 2], pose[j, 3]
        c, s = ca * cb + sa * sb, ca * sb - sa * cb
        tx, ty = ca * dx + sa * dy, ca * dy - sa * dx
        ux, uy = -cb * dx - sb * dy, sb * dx - cb * dy
        radii = box[i, 4] + box[j, 4]
        if (
            rows and known_until[p] > moved and clear[p] > -math.inf and radii == 0.0
            and still_apart(block, link, node, node_link, body, box, known, p, i, j, c, s, tx, ty, ux, uy)
        ):  # fmt: skip
            clear[p] = moved
            continue
        gap = box_gap(box, i, j, c, s, tx, ty, ux, uy) - radii
        if gap <= 0.0:
            gap = hull_gap(rim, i, j, c, s, tx, ty, radii) - radii
        if gap > 0.0:
            clear[p] = gap + moved
            continue
        deep, free = pair_overlap(
            block, node, node_link, body, box, i, j, c, s, tx, ty, ux, uy, near, found, cuts, runs
        )  # fmt: skip
        clear[p] = free + moved if deep == 0.0 else -math.inf
        if deep > 0.0:
            if count < len(depth):
                a[count], b[count], depth[count] = i, j, deep
            count += 1
    return count
