"""Kernels that turn the rows of a pair into contact frames, and keep those that matter.

A frame is first noted in the frame of the body that owns the edge (normal outward from it, foot on its ring, signed
distance), then written in world axes: normal from a to b, lever on a, lever on b, gap. Beside it four integers: which
body owns the touching point (0: b, 1: a), slot of the point, slot of the edge or other point, kind (0 point on edge,
1 point on point, 2 point on point whose direction vanished).
"""

import math

import numpy as np
from numba import njit

from banquise.detection._kernels_rows import edge, point

TOUCH = 1e-9  # part of the size below which a distance has no direction
CONE = 0.5  # sine of the slack (30 degrees) by which a normal may leave the cone of a point: ends of a tilted line contact
CORNER = 0.9063077870366499  # cosine of 25 degrees: normals farther apart than this contradict each other at a corner
FACE = 0.984807753012208  # cosine of 10 degrees: normals nearer than this make one face
MOST = 6  # points kept of one face
# kinds of frames; typed, for a literal would compile each function once more
EDGE, POINT, VANISHED = np.int64(0), np.int64(1), np.int64(2)
NONE = np.int64(-1)


@njit(cache=True, nogil=True)
def _faces(sh, v, nx, ny, slack):
    """Whether the border at point v (its own frame) can touch a border with outward normal n: n in its cone, with slack."""
    ex, ey, inv = edge(sh, v)
    if inv == 0.0:
        return True
    fx, fy, before = edge(sh, sh.link[v, 2])
    return (nx * ex + ny * ey) * math.sqrt(inv) >= -slack and (nx * fx + ny * fy) * math.sqrt(before) <= slack


@njit(cache=True, nogil=True)
def _usable(sh, v, e, c, s, along, dist, inside, touch, reach):
    """Whether edge e can be a contact of point v: it faces the point, which has its foot on it (for a point inside
    also past the end that lies in a notch)."""
    ex, ey, inv = edge(sh, e)
    if inv == 0.0:
        return False
    root = math.sqrt(inv)
    slack = touch * root
    if not -slack <= along <= 1.0 + slack:
        end = e if along < 0.5 else sh.link[e, 1]
        if not inside or dist > reach or sh.link[end, 3] == 1:
            return False
    nx, ny = ey * root, -ex * root
    return _faces(sh, v, c * nx + s * ny, -s * nx + c * ny, CONE)


@njit(cache=True, nogil=True)
def _hidden(sh, e0, rows, k0, k1, k, skip, along, side, dist):
    """Whether another edge of the body lies between the point and its foot on the edge of row k."""
    ex, ey, inv = edge(sh, e0 + (rows[k] & 0xFFFFFFFF))
    root = math.sqrt(inv)
    wx, wy = -side[k] * ey * root, side[k] * ex * root  # from the point to the foot
    for j in range(k0, k1):
        if j == k or j == skip or dist[j] >= dist[k]:
            continue
        fx, fy, other = edge(sh, e0 + (rows[j] & 0xFFFFFFFF))
        there = side[j] + (wx * fy - wy * fx) * math.sqrt(other)
        if side[j] * there >= 0.0:
            continue
        part = side[j] / (side[j] - there)
        if 0.0 < along[j] + part * (wx * fx + wy * fy) * other < 1.0:
            return True
    return False


@njit(cache=True, nogil=True)
def _cone(sh, v):
    """Middle and half width of the normal cone of a convex point."""
    ex, ey, inv = edge(sh, v)
    if inv == 0.0:
        return 0.0, math.pi
    fx, fy, _ = edge(sh, sh.link[v, 2])
    first = math.atan2(-fx, fy)
    width = math.atan2(-ex, ey) - first
    width -= 2 * math.pi * math.floor(width / (2 * math.pi))
    return first + 0.5 * width, 0.5 * width


@njit(cache=True, nogil=True)
def _vanished_normal(sh, p, q, c, s):
    """Normal at two convex points in one place, outward from q, in its frame: the middle of what both cones share.

    For two cones that share nothing it is the middle of the gap between them. (c, s) carries the frame of p.
    """
    mid_q, half_q = _cone(sh, q)
    mid_p, half_p = _cone(sh, p)
    turn = mid_p + math.atan2(s, c) + math.pi - mid_q
    turn -= 2 * math.pi * math.floor(turn / (2 * math.pi) + 0.5)
    angle = mid_q + 0.5 * (max(-half_q, turn - half_p) + min(half_q, turn + half_p))
    return math.cos(angle), math.sin(angle)


@njit(cache=True, nogil=True)
def _note(out, tag, m, v, e, kind, nx, ny, gap, x, y):
    """Note a frame whose foot is the point (x, y) less gap times the normal; the count so far, also when out is full."""
    if m < len(out):
        out[m, 0], out[m, 1], out[m, 2], out[m, 3], out[m, 6] = nx, ny, x - gap * nx, y - gap * ny, gap
        tag[m, 1], tag[m, 2], tag[m, 3] = v, e, kind
    return m + 1


@njit(cache=True, nogil=True)
def frames_of_point(sh, seen, v_body, e_body, c, s, tx, ty, rows, k0, k1, along, side, dist, reach, out, tag, m):
    """Append the frames of one point, from its rows k0:k1 with the other body; the count so far.

    reach is measured from ring to ring. (c, s, tx, ty) carry the frame of the point's body into that of the edges.
    seen: whether points on points have been seen from the other side already.
    """
    v = sh.body[v_body, 1] + (rows[k0] >> 32)
    best = k0
    for k in range(k0 + 1, k1):
        if dist[k] < dist[best]:
            best = k
    if sh.link[v, 3] == 0 or dist[best] > reach:
        return m
    e0 = sh.body[e_body, 1]
    touch = TOUCH * min(sh.frame[v_body, 5], sh.frame[e_body, 5])
    x, y = point(sh, v)
    x, y = c * x - s * y + tx, s * x + c * y + ty
    e = e0 + (rows[best] & 0xFFFFFFFF)
    corner = e if along[best] < 0.5 else sh.link[e, 1]
    qx, qy = point(sh, corner)
    if (x - qx) ** 2 + (y - qy) ** 2 <= touch * touch and sh.link[corner, 3] == 1:
        # two corners in one place: the points give no direction
        if seen:
            return m
        nx, ny = _vanished_normal(sh, v, corner, c, s)
        return _note(out, tag, m, v, corner, VANISHED, nx, ny, (x - qx) * nx + (y - qy) * ny, x, y)
    beyond = along[best] < 0.0 or along[best] > 1.0
    inside = sh.link[corner, 3] == 0 if beyond else side[best] <= touch
    pick, second = NONE, NONE  # shallowest edge that a point inside can leave by, and the next
    for k in range(k0, k1):
        e = e0 + (rows[k] & 0xFFFFFFFF)
        if along[k] < 0.0 and not inside and not seen:
            m = _point_on_point(sh, v, e, x, y, c, s, touch, reach, out, tag, m)
        if not _usable(sh, v, e, c, s, along[k], dist[k], inside, touch, reach):
            continue
        if inside and side[k] <= touch:
            if -side[k] > reach:
                continue
            if pick < 0 or side[k] > side[pick]:
                pick, second = k, pick
            elif second < 0 or side[k] > side[second]:
                second = k
        elif 0.0 <= side[k] <= reach and (
            k == best or not _hidden(sh, e0, rows, k0, k1, k, best if inside else NONE, along, side, dist)
        ):
            ex, ey, inv = edge(sh, e)
            root = math.sqrt(inv)
            m = _note(out, tag, m, v, e, EDGE, ey * root, -ex * root, side[k], x, y)
    if pick >= 0:
        m = _ways_out(sh, v, x, y, c, s, e0, rows, k0, k1, pick, second, along, side, dist, touch, reach, out, tag, m)
    return m


@njit(cache=True, nogil=True)
def _point_on_point(sh, v, q, x, y, c, s, touch, reach, out, tag, m):
    """Append the frame of two convex points when each lies in the other's normal cone."""
    if sh.link[q, 3] == 0:
        return m
    qx, qy = point(sh, q)
    dx, dy = x - qx, y - qy
    d = math.sqrt(dx * dx + dy * dy)
    if d > reach or d <= touch:
        return m
    ex, ey, inv = edge(sh, q)
    if inv > 0.0:
        px, py = point(sh, sh.link[q, 2])
        fx, fy, before = edge(sh, sh.link[q, 2])
        # the same numbers as for the rows of both edges, so that no point falls between edge and corner
        if (dx * ex + dy * ey) * inv >= 0.0 or ((x - px) * fx + (y - py) * fy) * before <= 1.0:
            return m
    nx, ny = dx / d, dy / d
    if not _faces(sh, v, c * nx + s * ny, -s * nx + c * ny, 1e-9):
        return m
    return _note(out, tag, m, v, q, POINT, nx, ny, d, x, y)


@njit(cache=True, nogil=True)
def _ways_out(sh, v, x, y, c, s, e0, rows, k0, k1, pick, second, along, side, dist, touch, reach, out, tag, m):
    """Append the frames by which a point inside leaves: the shallowest edge, or between two edges of equal depth, and
    the other side of a notch past whose bottom the point was pushed.

    The tie matters: a symmetrical corner driven into a symmetrical corner must not be thrown to one side.
    """
    e = e0 + (rows[pick] & 0xFFFFFFFF)
    ex, ey, inv = edge(sh, e)
    nx, ny, gap = ey * math.sqrt(inv), -ex * math.sqrt(inv), side[pick]
    kind, feature = EDGE, e
    if second >= 0 and gap - side[second] <= 1e-6 * abs(gap) + touch:
        f = e0 + (rows[second] & 0xFFFFFFFF)
        q = f if sh.link[e, 1] == f else (e if sh.link[f, 1] == e else -1)
        if q >= 0 and sh.link[q, 3] == 1:
            fx, fy, other = edge(sh, f)
            nx, ny = nx + fy * math.sqrt(other), ny - fx * math.sqrt(other)
            norm = math.sqrt(nx * nx + ny * ny)
            nx, ny = nx / norm, ny / norm
            qx, qy = point(sh, q)
            gap = (x - qx) * nx + (y - qy) * ny
            kind, feature = POINT, q
    m = _note(out, tag, m, v, feature, kind, nx, ny, gap, x, y)
    for k in range(k0, k1):
        f = e0 + (rows[k] & 0xFFFFFFFF)
        notch = (f == sh.link[e, 1] and sh.link[f, 3] == 0) or (e == sh.link[f, 1] and sh.link[e, 3] == 0)
        if notch and -reach <= side[k] <= touch and _usable(sh, v, f, c, s, along[k], dist[k], True, touch, reach):
            fx, fy, other = edge(sh, f)
            root = math.sqrt(other)
            m = _note(out, tag, m, v, f, EDGE, fy * root, -fx * root, side[k], x, y)
    return m


@njit(cache=True, nogil=True)
def to_world(sh, who, a, b, pose, out, tag, first, last):
    """Turn noted frames first:last into world axes and add the rounding: normal from a to b, levers, gap."""
    e_body, v_body = (a, b) if who == 0 else (b, a)
    ce, se, cv, sv = pose[e_body, 2], pose[e_body, 3], pose[v_body, 2], pose[v_body, 3]
    re, rv = sh.frame[e_body, 4], sh.frame[v_body, 4]
    for m in range(first, last):
        row = out[m]
        nx, ny = ce * row[0] - se * row[1], se * row[0] + ce * row[1]
        ex, ey = ce * row[2] - se * row[3] + re * nx, se * row[2] + ce * row[3] + re * ny
        px, py = point(sh, tag[m, 1])
        vx, vy = cv * px - sv * py - rv * nx, sv * px + cv * py - rv * ny
        if who == 0:
            row[0], row[1], row[2], row[3], row[4], row[5] = nx, ny, ex, ey, vx, vy
        else:
            row[0], row[1], row[2], row[3], row[4], row[5] = -nx, -ny, vx, vy, ex, ey
        row[6] -= re + rv
        tag[m, 0] = who
