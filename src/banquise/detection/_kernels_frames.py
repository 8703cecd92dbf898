"""Kernels that turn the rows of a pair into contact frames, and keep those that matter.

A frame is first noted in the frame of the body that owns the edge (normal outward from it, foot on its ring, signed
distance), then written in world axes: normal from a to b, lever on a, lever on b, gap, and the gap by which it is told from
others at the same corner (less than that of its point where the border leans over the edge). Beside it four integers: which
body owns the touching point (0: b, 1: a), slot of the point, slot of the edge or other point, kind (0 point on edge,
1 point on point, 2 point on point whose direction vanished).
"""

import math

import numpy as np

from banquise.detection._kernels_rows import AFTER, BEFORE, CONVEX, edge, point, unit
from banquise.detection.jit import inline, inner

TOUCH = 1e-9  # part of the size below which a distance has no direction
CONE = (
    0.5  # sine of the slack (30 degrees) by which a normal may leave the cone of a point: ends of a tilted line contact
)
CORNER = 0.9063077870366499  # cosine of 25 degrees: normals farther apart than this contradict each other at a corner
FACE = 0.984807753012208  # cosine of 10 degrees: normals nearer than this make one face
CROWD = 32  # edges within reach of one point beyond which only those at the nearest place count: a fine border
MOST = 6  # points kept of one face
# kinds of frames; typed, for a literal would compile each function once more
EDGE, POINT, VANISHED = np.int64(0), np.int64(1), np.int64(2)
NONE = np.int64(-1)


@inline
def _faces(block, link, v, nx, ny, slack):
    """Whether the border at point v can touch one with outward normal n (frame of v): n in its cone, with slack."""
    ex, ey, root = unit(block, v)
    if root == 0.0:
        return True
    fx, fy, before = unit(block, link[v, BEFORE])
    return (nx * ex + ny * ey) * root >= -slack and (nx * fx + ny * fy) * before <= slack


@inline
def _usable(block, link, v, e, c, s, along, dist, inside, touch, reach):
    """Whether edge e can be a contact of point v: it faces the point, which has its foot on it (for a point inside
    also past the end that lies in a notch)."""
    ex, ey, root = unit(block, e)
    if root == 0.0:
        return False
    slack = touch * root
    if not -slack <= along <= 1.0 + slack:
        end = e if along < 0.5 else link[e, AFTER]
        if not inside or dist > reach or link[end, CONVEX] == 1:
            return False
    nx, ny = ey * root, -ex * root
    return _faces(block, link, v, c * nx + s * ny, -s * nx + c * ny, CONE)


@inline
def _hidden(block, link, e0, rows, k0, k1, k, skip, measure):
    """Whether another edge of the body lies between the point and its foot on the edge of row k."""
    ex, ey, root = unit(block, e0 + (rows[k] & 0xFFFFFFFF))
    wx, wy = -measure[k, 1] * ey * root, measure[k, 1] * ex * root  # from the point to the foot
    for j in range(k0, k1):
        if j in (k, skip) or measure[j, 2] >= measure[k, 2]:
            continue
        f = e0 + (rows[j] & 0xFFFFFFFF)
        fx, fy, other = edge(block, f)
        there = measure[j, 1] + (wx * fy - wy * fx) * unit(block, f)[2]
        if measure[j, 1] * there >= 0.0:
            continue
        part = measure[j, 1] / (measure[j, 1] - there)
        if 0.0 < measure[j, 0] + part * (wx * fx + wy * fy) * other < 1.0:
            return True
    return False


@inner
def _cone(block, link, v):
    """Middle and half width of the normal cone of a convex point."""
    ex, ey, inv = edge(block, v)
    if inv == 0.0:
        return 0.0, math.pi
    fx, fy, _ = edge(block, link[v, BEFORE])
    first = math.atan2(-fx, fy)
    width = math.atan2(-ex, ey) - first
    width -= 2 * math.pi * math.floor(width / (2 * math.pi))
    return first + 0.5 * width, 0.5 * width


@inner
def _vanished_normal(block, link, p, q, c, s):
    """Normal at two convex points in one place, outward from q, in its frame: the middle of what both cones share.

    For two cones that share nothing it is the middle of the gap between them. (c, s) carries the frame of p.
    """
    mid_q, half_q = _cone(block, link, q)
    mid_p, half_p = _cone(block, link, p)
    turn = mid_p + math.atan2(s, c) + math.pi - mid_q
    turn -= 2 * math.pi * math.floor(turn / (2 * math.pi) + 0.5)
    angle = mid_q + 0.5 * (max(-half_q, turn - half_p) + min(half_q, turn + half_p))
    return math.cos(angle), math.sin(angle)


@inline
def _leaning(block, link, v, e, c, s, along, gap):
    """Gap of the border at a point v that lies inside edge e: less than that of the point where an edge at v leans over e.

    n out of the cone of v, which is let pass with slack, means just that: to move by the gap of the point would not do.
    """
    ex, ey, root = unit(block, e)
    nx, ny = c * ey * root - s * ex * root, -s * ey * root - c * ex * root  # in the frame of v
    gx, gy, g = unit(block, v)
    hx, hy, h = unit(block, link[v, BEFORE])
    after, before = -(nx * gx + ny * gy) * g, (nx * hx + ny * hy) * h
    if g == 0.0 or max(after, before) <= 0.0:
        return gap
    toward_end = nx * gy - ny * gx > 0.0 if after > before else nx * hy - ny * hx < 0.0
    rest = min(max(1.0 - along if toward_end else along, 0.0), 1.0) / root
    return gap - max(after, before) * min(rest, 1.0 / (g if after > before else h))


@inline
def _note(out, tag, m, v, e, kind, nx, ny, gap, told, x, y):
    """Note a frame whose foot is the point (x, y) less gap times the normal; the count so far, also when it is full."""
    if m < len(out):
        out[m, 0], out[m, 1], out[m, 2], out[m, 3], out[m, 6] = nx, ny, x - gap * nx, y - gap * ny, gap
        out[m, 7] = told
        tag[m, 1], tag[m, 2], tag[m, 3] = v, e, kind
    return m + 1


@inline
def frames_of_point(block, link, seen, v0, e0, touch, c, s, tx, ty, rows, k0, k1, measure, reach, out, tag, m):
    """Append the frames of one point, from its rows k0:k1 with the other body; the count so far.

    reach is measured from ring to ring, and one row at least is within it. (c, s, tx, ty) carry the frame of the point's
    body into that of the edges. v0, e0: first slots of the bodies; touch: distance without direction; seen: whether
    points on points have been seen from the other side already.
    """
    v = v0 + (rows[k0] >> 32)
    best = k0
    for k in range(k0 + 1, k1):
        if measure[k, 2] < measure[best, 2]:
            best = k
    if link[v, CONVEX] == 0:
        return m
    x, y = point(block, v)
    x, y = c * x - s * y + tx, s * x + c * y + ty
    e = e0 + (rows[best] & 0xFFFFFFFF)
    corner = e if measure[best, 0] < 0.5 else link[e, AFTER]
    qx, qy = point(block, corner)
    if (x - qx) ** 2 + (y - qy) ** 2 <= touch * touch and link[corner, CONVEX] == 1:
        # two corners in one place: the points give no direction
        if seen:
            return m
        nx, ny = _vanished_normal(block, link, v, corner, c, s)
        gap = (x - qx) * nx + (y - qy) * ny
        return _note(out, tag, m, v, corner, VANISHED, nx, ny, gap, gap, x, y)
    beyond = measure[best, 0] < 0.0 or measure[best, 0] > 1.0
    inside = link[corner, CONVEX] == 0 if beyond else measure[best, 1] <= touch
    begun = m
    pick, second = NONE, NONE  # shallowest edge that a point inside can leave by, and the next
    gap, next_gap = 0.0, 0.0
    nearest = e
    for k in range(k0, k1):
        e = e0 + (rows[k] & 0xFFFFFFFF)
        if k1 - k0 > CROWD and e != nearest and e != link[nearest, AFTER] and e != link[nearest, BEFORE]:
            continue
        if measure[k, 0] < 0.0 and not inside and not seen:
            m = _point_on_point(block, link, v, e, x, y, c, s, touch, reach, out, tag, m)
        if measure[k, 1] > max(reach, touch) or measure[k, 1] < (-reach if inside else 0.0):
            continue  # on none of the ways below; told before the dearer question
        if not _usable(block, link, v, e, c, s, measure[k, 0], measure[k, 2], inside, touch, reach):
            continue
        if inside and measure[k, 1] <= touch:
            told = _leaning(block, link, v, e, c, s, measure[k, 0], measure[k, 1])
            if pick < 0 or told > gap:
                pick, second, gap, next_gap = k, pick, told, gap
            elif second < 0 or told > next_gap:
                second, next_gap = k, told
        elif 0.0 <= measure[k, 1] <= reach and (
            k == best or not _hidden(block, link, e0, rows, k0, k1, k, best if inside else NONE, measure)
        ):
            ex, ey, root = unit(block, e)
            m = _note(out, tag, m, v, e, EDGE, ey * root, -ex * root, measure[k, 1], measure[k, 1], x, y)
    if not inside and not beyond:
        ex, ey, root = unit(block, nearest)
        nx, ny = ey * root, -ex * root
        if m == begun or not _faces(block, link, v, c * nx + s * ny, -s * nx + c * ny, 1e-9):
            # it takes the place of what was let pass with slack
            past = _corner_past_corner(block, link, v, nearest, x, y, c, s, tx, ty, reach, out, tag, begun)
            m = past if past > begun else m
    if pick < 0 and m == begun and inside:
        pick = _past_end(block, link, v, c, s, e0, rows, k0, k1, measure, touch, reach)
        gap = measure[pick, 1] if pick >= 0 else 0.0
    if pick >= 0:
        m = _ways_out(
            block, link, v, x, y, c, s, e0, rows, k0, k1, pick, second, gap, next_gap, measure, touch, reach, out, tag,
            m,
        )  # fmt: skip
    return m


@inner
def _past_end(block, link, v, c, s, e0, rows, k0, k1, measure, touch, reach):
    """The row by whose line a point inside leaves that has its foot on no edge which faces it, or -1.

    A corner that has slid past a blunt corner lies just inside an edge that looks away from it; the way out is by the edge
    before it, past the end of which it is.
    """
    pick = NONE
    for k in range(k0, k1):
        ex, ey, root = unit(block, e0 + (rows[k] & 0xFFFFFFFF))
        nx, ny = ey * root, -ex * root
        if (
            -reach <= measure[k, 1] <= touch
            and measure[k, 2] <= reach
            and (pick < 0 or measure[k, 2] < measure[pick, 2])
            and root > 0.0
            and _faces(block, link, v, c * nx + s * ny, -s * nx + c * ny, CONE)
        ):
            pick = k
    return pick


@inner
def _point_on_point(block, link, v, q, x, y, c, s, touch, reach, out, tag, m):
    """Append the frame of two convex points when each lies in the other's normal cone."""
    qx, qy = point(block, q)
    dx, dy = x - qx, y - qy
    d = math.sqrt(dx * dx + dy * dy)
    meets = link[q, CONVEX] == 1 and touch < d <= reach
    ex, ey, inv = edge(block, q)
    if meets and inv > 0.0:
        px, py = point(block, link[q, BEFORE])
        fx, fy, before = edge(block, link[q, BEFORE])
        # the same numbers as for the rows of both edges, so that no point falls between edge and corner
        meets = (dx * ex + dy * ey) * inv < 0.0 and ((x - px) * fx + (y - py) * fy) * before > 1.0
    if meets:
        nx, ny = dx / d, dy / d
        if _faces(block, link, v, c * nx + s * ny, -s * nx + c * ny, 1e-9):
            m = _note(out, tag, m, v, q, POINT, nx, ny, d, d, x, y)
    return m


@inner
def _corner_past_corner(block, link, v, e, x, y, c, s, tx, ty, reach, out, tag, m):
    """Append the frame of a corner that has gone in by one edge and come out by the next, past the other's corner.

    Neither corner then lies inside the other body, yet they overlap: an edge at point v crosses edge e, on whose outer
    side v lies, and the edge of the other body that follows on e at its corner. The way back is by that one. (Where the
    edge at v ends inside the other body, that end speaks for itself.)
    """
    ex, ey, inv = edge(block, e)
    qx, qy = point(block, e)
    side = (x - qx) * ey - (y - qy) * ex
    for turn in range(2):
        wx, wy = point(block, link[v, AFTER + turn])
        wx, wy = c * wx - s * wy + tx, s * wx + c * wy + ty
        there = (wx - qx) * ey - (wy - qy) * ex
        if there >= 0.0 or side <= 0.0:
            continue
        part = side / (side - there)
        along = ((x + part * (wx - x) - qx) * ex + (y + part * (wy - y) - qy) * ey) * inv
        if not 0.0 <= along <= 1.0:
            continue
        near = e if along < 0.5 else link[e, AFTER]
        f = link[e, BEFORE] if along < 0.5 else near
        px, py = point(block, near)
        fx, fy, root = unit(block, f)
        nx, ny = fy * root, -fx * root
        gap = (x - px) * nx + (y - py) * ny
        ax, ay = c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)
        gx, gy, g = unit(block, v)
        hx, hy, h = unit(block, link[v, BEFORE])
        after, before = (ax * gy - ay * gx) * g, (ax * hy - ay * hx) * h  # gaps of that corner from the edges at v
        if (
            max(after, before) < 0.0
            and (
                (after > gap and _faces(block, link, near, (c * gy + s * gx) * g, (s * gy - c * gx) * g, 0.0))
                or (before > gap and _faces(block, link, near, (c * hy + s * hx) * h, (s * hy - c * hx) * h, 0.0))
            )
        ):  # fmt: skip
            continue  # that corner lies inside and speaks for itself
        if (
            link[near, CONVEX] == 1
            and -reach <= gap < 0.0 < (wx - px) * nx + (wy - py) * ny
            and _faces(block, link, v, c * nx + s * ny, c * ny - s * nx, CONE)
        ):
            return _note(out, tag, m, v, f, EDGE, nx, ny, gap, gap, x, y)
    return m


@inner
def _ways_out(
    block, link, v, x, y, c, s, e0, rows, k0, k1, pick, second, told, next_told, measure, touch, reach, out, tag, m
):
    """Append the frames by which a point inside leaves: the shallowest edge, or between two edges of equal depth, and
    the other side of a notch past whose bottom the point was pushed.

    The tie matters: a symmetrical corner driven into a symmetrical corner must not be thrown to one side.
    """
    e = e0 + (rows[pick] & 0xFFFFFFFF)
    ex, ey, root = unit(block, e)
    nx, ny, gap = ey * root, -ex * root, measure[pick, 1]
    kind, feature = EDGE, e
    if second >= 0 and told - next_told <= 1e-6 * abs(told) + touch:
        f = e0 + (rows[second] & 0xFFFFFFFF)
        q = f if link[e, AFTER] == f else (e if link[f, AFTER] == e else -1)
        if q >= 0 and link[q, CONVEX] == 1:
            fx, fy, root = unit(block, f)
            nx, ny = nx + fy * root, ny - fx * root
            norm = math.sqrt(nx * nx + ny * ny)
            nx, ny = nx / norm, ny / norm
            qx, qy = point(block, q)
            gap = told = (x - qx) * nx + (y - qy) * ny
            kind, feature = POINT, q
    m = _note(out, tag, m, v, feature, kind, nx, ny, gap, told, x, y)
    for k in range(k0, k1):
        f = e0 + (rows[k] & 0xFFFFFFFF)
        notch = (f == link[e, AFTER] and link[f, CONVEX] == 0) or (e == link[f, AFTER] and link[e, CONVEX] == 0)
        if (
            notch
            and -reach <= measure[k, 1] <= touch
            and _usable(block, link, v, f, c, s, measure[k, 0], measure[k, 2], np.bool_(True), touch, reach)
        ):
            fx, fy, root = unit(block, f)
            m = _note(out, tag, m, v, f, EDGE, fy * root, -fx * root, measure[k, 1], measure[k, 1], x, y)
    return m


@inline
def to_world(block, who, ce, se, re, cv, sv, rv, out, tag, first, last):
    """Turn noted frames first:last into world axes and add the rounding: normal from a to b, levers, gap.

    ce, se, re: cos and sin of the body that owns the edges, and its radius; cv, sv, rv: of the other one.
    """
    for m in range(first, last):
        nx, ny = ce * out[m, 0] - se * out[m, 1], se * out[m, 0] + ce * out[m, 1]
        fx, fy = out[m, 2], out[m, 3]
        ex, ey = ce * fx - se * fy + re * nx, se * fx + ce * fy + re * ny
        px, py = point(block, tag[m, 1])
        vx, vy = cv * px - sv * py - rv * nx, sv * px + cv * py - rv * ny
        out[m, 6] -= re + rv
        out[m, 7] -= re + rv
        tag[m, 0] = who
        if who == 0:
            out[m, 0], out[m, 1] = nx, ny
            out[m, 2], out[m, 3], out[m, 4], out[m, 5] = ex, ey, vx, vy
        else:
            out[m, 0], out[m, 1] = -nx, -ny
            out[m, 2], out[m, 3], out[m, 4], out[m, 5] = vx, vy, ex, ey
