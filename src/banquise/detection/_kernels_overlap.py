"""Kernels that measure overlap and least distance, apart from the contact code: by crossing edges, crossing parity and
nearest border points, not by the signs and cones of contact frames."""

import math

from banquise.detection._kernels_rows import box_gap, edge, hull_gap, point
from banquise.detection.jit import inline, inner, kernel

SLIGHT = 1e-4  # of the smaller body's radius: borders nearer than that to each other may be one and the same


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
            px, py = block[run, 0, lane], block[run, 1, lane]
            ex, ey = block[run, 2, lane], block[run, 3, lane]
            t = min(max(((x - px) * ex + (y - py) * ey) * block[run, 4, lane], 0.0), 1.0)
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
            py, ey = block[run, 1, lane], block[run, 3, lane]
            if (py > y) != (py + ey > y):
                odd ^= x < block[run, 0, lane] + (y - py) / ey * block[run, 2, lane]
    return odd


@inner
def _chord(block, node, node_link, at, end, px, py, ex, ey, cuts):
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
            rx, ry = block[run, 0, lane] - px, block[run, 1, lane] - py
            fx, fy = block[run, 2, lane], block[run, 3, lane]
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
def _deepest(block, node, node_link, at, end, x, y, ex, ey, low, high, out, back):
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
                    rx, ry = block[other, 0, lane] - px, block[other, 1, lane] - py
                    fx, fy = block[other, 2, lane], block[other, 3, lane]
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
            n = _chord(block, node, node_link, e_at, e_end, x, y, fx, fy, cuts)
            for l in range(n + 1):
                low, high = cuts[l - 1] if l > 0 else 0.0, cuts[l] if l < n else 1.0
                t = 0.5 * (low + high)
                if holds(block, node, node_link, e_at, e_end, x + t * fx, y + t * fy):
                    out, back = low if l > 0 else -math.inf, high if l < n else math.inf
                    deepest = _deepest(block, node, node_link, e_at, e_end, x, y, fx, fy, low, high, out, back)
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
            px, py = block[run, 0, lane], block[run, 1, lane]
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
def _in_common(block, node, node_link, body, v_body, e_body, c, s, tx, ty, cuts):
    """Whether bodies whose borders lie on each other have ice in common: the middle of one of the chords that go straight
    in from the middles of the edges of v_body lies in e_body too, away from its border."""
    at, end = body[v_body, 0], body[v_body + 1, 0]
    e_at, e_end = body[e_body, 0], body[e_body + 1, 0]
    reach = 4.0 * node[at, 6]  # from any point of the border to beyond it
    for k in range(body[v_body, 1], body[v_body + 1, 1]):
        px, py = point(block, k)
        ex, ey, inv = edge(block, k)
        unit = reach * math.sqrt(inv)
        px, py, dx, dy = px + 0.5 * ex, py + 0.5 * ey, -ey * unit, ex * unit  # the ice is on the left
        n = _chord(block, node, node_link, at, end, px, py, dx, dy, cuts) if inv > 0.0 else 0
        l = 0
        while l < n and cuts[l] < 1e-9:  # the edge itself
            l += 1
        if l == n:
            continue
        px, py = px + 0.5 * cuts[l] * dx, py + 0.5 * cuts[l] * dy
        x, y = c * px - s * py + tx, s * px + c * py + ty
        if holds(block, node, node_link, e_at, e_end, x, y):
            bound = 0.25 * (cuts[l] * reach) ** 2  # of its own border, to which the other one must be about as near
            square, _, _ = nearest(block, node, node_link, e_at, e_end, x, y, bound)
            if square > 1e-4 * bound:
                return True
    return False


@inner
def _width(block, body, which):
    """Least distance of two parallel lines, one along an edge, that hold a body: the way to leave one that it lies on."""
    least = math.inf
    for k in range(body[which, 1], body[which + 1, 1]):
        ex, ey, inv = edge(block, k)
        if inv == 0.0:
            continue
        low, high = math.inf, -math.inf
        for l in range(body[which, 1], body[which + 1, 1]):
            x, y = point(block, l)
            low, high = min(low, x * ey - y * ex), max(high, x * ey - y * ex)
        least = min(least, (high - low) * math.sqrt(inv))
    return least


@inline
def _may_coincide(block, node, node_link, body, i, j, c, s, tx, ty, ux, uy, slight):
    """Whether two bodies may lie on each other: the middles of their boxes in each other's, a point of one on the other's
    border. All but none of the pairs that only touch are told from those by the first of it."""
    a, b = body[i, 0], body[j, 0]
    x, y = c * node[b, 4] - s * node[b, 5] + tx, s * node[b, 4] + c * node[b, 5] + ty
    if x < node[a, 0] or x > node[a, 2] or y < node[a, 1] or y > node[a, 3]:
        return False
    x, y = c * node[a, 4] + s * node[a, 5] + ux, c * node[a, 5] - s * node[a, 4] + uy
    if x < node[b, 0] or x > node[b, 2] or y < node[b, 1] or y > node[b, 3]:
        return False
    x, y = point(block, body[j, 1])
    x, y = c * x - s * y + tx, s * x + c * y + ty
    square, _, _ = nearest(block, node, node_link, a, body[i + 1, 0], x, y, slight * slight)
    return square < slight * slight


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
            if found[1] < slight and not _in_common(block, node, node_link, body, v, e, c, turn, ox, oy, cuts):
                deep = found[1]  # all its points on the border of the other, and outside: it fills a bay
            return deep + radii, 0.0
        else:
            apart = found[0]
    if (
        (depth < slight if crossed else apart < slight)
        and _may_coincide(block, node, node_link, body, i, j, c, s, tx, ty, ux, uy, slight)
        and _in_common(block, node, node_link, body, j, i, c, s, tx, ty, cuts)
    ):
        depth = min(_width(block, body, i), _width(block, body, j))
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
        w = link[v, 2]
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
