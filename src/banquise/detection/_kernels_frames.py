"""Kernels that turn the rows of a pair into contact frames, and keep those that matter.

A frame is a row of eight numbers: normal (from a to b), lever on a, lever on b, gap, unused; all in world axes. Beside
it four integers: which body owns the touching point (0: b, 1: a), slot of the point, slot of the edge or other point,
kind (0 point on edge, 1 point on point, 2 point on point whose direction vanished).
"""

import math

from numba import njit

TOUCH = 1e-9  # part of the size below which a distance has no direction
CONE = (
    0.5  # sine of the slack (30 degrees) by which a normal may leave the cone of a point: ends of a tilted line contact
)
CORNER = 0.9063077870366499  # cosine of 25 degrees: normals farther apart than this contradict each other at a corner
FACE = 0.9961946980917455  # cosine of 5 degrees: normals nearer than this make one face
MOST = 6  # points kept of one face


@njit(cache=True, nogil=True)
def _faces(sh, v, nx, ny, slack):
    """Whether the border at point v (its own frame) can touch a border with outward normal n: n in its cone, with slack."""
    if sh.inv[v] == 0.0:
        return True
    p = sh.prv[v]
    ahead = (nx * sh.ex[v] + ny * sh.ey[v]) * math.sqrt(sh.inv[v])
    behind = -(nx * sh.ex[p] + ny * sh.ey[p]) * math.sqrt(sh.inv[p])
    return ahead >= -slack and behind >= -slack


@njit(cache=True, nogil=True)
def _hidden(sh, e0, rows, k0, k1, k, skip, along, side, dist):
    """Whether another edge of the body lies between the point and its foot on the edge of row k."""
    e = e0 + (rows[k] & 0xFFFFFFFF)
    length = math.sqrt(sh.inv[e])
    wx, wy = -side[k] * sh.ey[e] * length, side[k] * sh.ex[e] * length  # from the point to the foot
    for j in range(k0, k1):
        if j == k or j == skip or dist[j] >= dist[k]:
            continue
        f = e0 + (rows[j] & 0xFFFFFFFF)
        root = math.sqrt(sh.inv[f])
        there = side[j] + (wx * sh.ey[f] - wy * sh.ex[f]) * root
        if side[j] * there >= 0.0:
            continue
        part = side[j] / (side[j] - there)
        t = along[j] + part * (wx * sh.ex[f] + wy * sh.ey[f]) * sh.inv[f]
        if 0.0 < t < 1.0:
            return True
    return False


@njit(cache=True, nogil=True)
def _cone(sh, v, c, s):
    """Middle and half width of the normal cone of a convex point, its frame turned by (c, s)."""
    if sh.inv[v] == 0.0:
        return 0.0, math.pi
    p = sh.prv[v]
    first = math.atan2(-sh.ex[p], sh.ey[p])
    width = math.atan2(-sh.ex[v], sh.ey[v]) - first
    width -= 2 * math.pi * math.floor(width / (2 * math.pi))
    return first + 0.5 * width + math.atan2(s, c), 0.5 * width


@njit(cache=True, nogil=True)
def vanished_normal(sh, p, q, c, s):
    """Normal at two convex points in one place, outward from q, in its frame: the middle of what both cones share.

    For two cones that share nothing it is the middle of the gap between them. (c, s) carries the frame of p.
    """
    mid_q, half_q = _cone(sh, q, 1.0, 0.0)
    mid_p, half_p = _cone(sh, p, c, s)
    turn = mid_p + math.pi - mid_q
    turn -= 2 * math.pi * math.floor(turn / (2 * math.pi) + 0.5)
    low, high = max(-half_q, turn - half_p), min(half_q, turn + half_p)
    angle = mid_q + 0.5 * (low + high)
    return math.cos(angle), math.sin(angle)


@njit(cache=True, nogil=True)
def _put(sh, who, a, b, v, e, kind, nx, ny, gap, footx, footy, pose, out, tag, m):
    """Write one frame: n and foot in the frame of the body that owns the edge, n outward from it; the count so far."""
    if m < len(out):
        edge_body, vertex_body = (a, b) if who == 0 else (b, a)
        ce, se, cv, sv = pose[edge_body, 2], pose[edge_body, 3], pose[vertex_body, 2], pose[vertex_body, 3]
        wx, wy = ce * nx - se * ny, se * nx + ce * ny
        re, rv = sh.radius[edge_body], sh.radius[vertex_body]
        ex, ey = ce * footx - se * footy + re * wx, se * footx + ce * footy + re * wy
        vx, vy = cv * sh.px[v] - sv * sh.py[v] - rv * wx, sv * sh.px[v] + cv * sh.py[v] - rv * wy
        row = out[m]
        if who == 0:
            row[0], row[1], row[2], row[3], row[4], row[5] = wx, wy, ex, ey, vx, vy
        else:
            row[0], row[1], row[2], row[3], row[4], row[5] = -wx, -wy, vx, vy, ex, ey
        row[6] = gap - re - rv
        tag[m, 0], tag[m, 1], tag[m, 2], tag[m, 3] = who, v, e, kind
    return m + 1


@njit(cache=True, nogil=True)
def frames_of_point(sh, who, a, b, c, s, tx, ty, rows, k0, k1, along, side, dist, reach, pose, out, tag, m):
    """Append the frames of one point, from its rows k0:k1 with the other body; the count so far.

    reach is measured from ring to ring. (c, s, tx, ty) carry the frame of the point's body into that of the edges.
    """
    v_body, e_body = (b, a) if who == 0 else (a, b)
    v = sh.body_slot[v_body] + (rows[k0] >> 32)
    if sh.convex[v] == 0:
        return m
    e0 = sh.body_slot[e_body]
    touch = TOUCH * min(sh.size[a], sh.size[b])
    best = k0
    for k in range(k0 + 1, k1):
        if dist[k] < dist[best]:
            best = k
    if dist[best] > reach:
        return m
    x, y = c * sh.px[v] - s * sh.py[v] + tx, s * sh.px[v] + c * sh.py[v] + ty
    e = e0 + (rows[best] & 0xFFFFFFFF)
    corner = e if along[best] < 0.5 else sh.nxt[e]
    hx, hy = x - sh.px[corner], y - sh.py[corner]
    if hx * hx + hy * hy <= touch * touch and sh.convex[corner] == 1:
        # two corners in one place: no direction to be had from the points (the other side would say the same again)
        if who == 1:
            return m
        nx, ny = vanished_normal(sh, v, corner, c, s)
        return _put(
            sh, who, a, b, v, corner, 2, nx, ny, hx * nx + hy * ny, sh.px[corner], sh.py[corner], pose, out, tag, m
        )
    beyond = along[best] < 0.0 or along[best] > 1.0
    inside = sh.convex[corner] == 0 if beyond else side[best] <= touch
    pick, second = -1, -1  # shallowest edge that a point inside can leave by, and the next
    for k in range(k0, k1):
        e = e0 + (rows[k] & 0xFFFFFFFF)
        if along[k] < 0.0 and not inside:
            m = _point_on_point(sh, who, a, b, v, e, x, y, c, s, touch, reach, pose, out, tag, m)
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
            k == best or not _hidden(sh, e0, rows, k0, k1, k, best if inside else -1, along, side, dist)
        ):
            root = math.sqrt(sh.inv[e])
            nx, ny = sh.ey[e] * root, -sh.ex[e] * root
            m = _put(sh, who, a, b, v, e, 0, nx, ny, side[k], x - side[k] * nx, y - side[k] * ny, pose, out, tag, m)
    if pick < 0:
        return m
    m = _way_out(sh, who, a, b, v, x, y, e0, rows, pick, second, side, touch, pose, out, tag, m)
    e = e0 + (rows[pick] & 0xFFFFFFFF)
    for k in range(k0, k1):  # a point pushed past the bottom of a notch has the other side of it to leave by as well
        f = e0 + (rows[k] & 0xFFFFFFFF)
        notch = (f == sh.nxt[e] and sh.convex[f] == 0) or (e == sh.nxt[f] and sh.convex[e] == 0)
        if notch and -reach <= side[k] <= touch and _usable(sh, v, f, c, s, along[k], dist[k], True, touch, reach):
            root = math.sqrt(sh.inv[f])
            nx, ny = sh.ey[f] * root, -sh.ex[f] * root
            m = _put(sh, who, a, b, v, f, 0, nx, ny, side[k], x - side[k] * nx, y - side[k] * ny, pose, out, tag, m)
    return m


@njit(cache=True, nogil=True)
def _usable(sh, v, e, c, s, along, dist, inside, touch, reach):
    """Whether edge e can be a contact of point v: it faces the point, which has its foot on it (for a point inside
    also past the end that lies in a notch)."""
    if sh.inv[e] == 0.0:
        return False
    root = math.sqrt(sh.inv[e])
    slack = touch * root
    if not -slack <= along <= 1.0 + slack and not (
        inside and dist <= reach and sh.convex[e if along < 0.5 else sh.nxt[e]] == 0
    ):
        return False
    nx, ny = sh.ey[e] * root, -sh.ex[e] * root
    return _faces(sh, v, c * nx + s * ny, -s * nx + c * ny, CONE)


@njit(cache=True, nogil=True)
def _point_on_point(sh, who, a, b, v, q, x, y, c, s, touch, reach, pose, out, tag, m):
    """Append the frame of two convex points when each lies in the other's normal cone. Seen from one side only."""
    if who == 1 or sh.convex[q] == 0:
        return m
    dx, dy = x - sh.px[q], y - sh.py[q]
    d = math.sqrt(dx * dx + dy * dy)
    if d > reach or d <= touch:
        return m
    if sh.inv[q] > 0.0:
        p = sh.prv[q]
        # the same numbers as for the rows of both edges, so that no point falls between edge and corner
        ahead = (dx * sh.ex[q] + dy * sh.ey[q]) * sh.inv[q]
        behind = ((x - sh.px[p]) * sh.ex[p] + (y - sh.py[p]) * sh.ey[p]) * sh.inv[p]
        if not (ahead < 0.0 and behind > 1.0):
            return m
    nx, ny = dx / d, dy / d
    if not _faces(sh, v, c * nx + s * ny, -s * nx + c * ny, 1e-9):
        return m
    return _put(sh, who, a, b, v, q, 1, nx, ny, d, sh.px[q], sh.py[q], pose, out, tag, m)


@njit(cache=True, nogil=True)
def _way_out(sh, who, a, b, v, x, y, e0, rows, pick, second, side, touch, pose, out, tag, m):
    """Append the frame by which a point inside leaves: the shallowest edge, or between two edges of equal depth.

    The tie matters: a symmetrical corner driven into a symmetrical corner must not be thrown to one side.
    """
    e = e0 + (rows[pick] & 0xFFFFFFFF)
    root = math.sqrt(sh.inv[e])
    nx, ny = sh.ey[e] * root, -sh.ex[e] * root
    depth = -side[pick]
    if second >= 0 and -side[second] - depth <= 1e-6 * depth + touch:
        f = e0 + (rows[second] & 0xFFFFFFFF)
        q = f if sh.nxt[e] == f else (e if sh.nxt[f] == e else -1)
        if q >= 0 and sh.convex[q] == 1:
            other = math.sqrt(sh.inv[f])
            nx, ny = nx + sh.ey[f] * other, ny - sh.ex[f] * other
            norm = math.sqrt(nx * nx + ny * ny)
            nx, ny = nx / norm, ny / norm
            gap = (x - sh.px[q]) * nx + (y - sh.py[q]) * ny
            return _put(sh, who, a, b, v, q, 1, nx, ny, gap, sh.px[q], sh.py[q], pose, out, tag, m)
    return _put(sh, who, a, b, v, e, 0, nx, ny, -depth, x + depth * nx, y + depth * ny, pose, out, tag, m)


@njit(cache=True, nogil=True)
def _contradict(sh, f, g, tf, tg, near):
    """Whether two frames are the two sides of one corner against corner: one or the other holds, never both."""
    if tf[1] == tg[1] or (tf[0] == tg[0] and tf[3] == 0 and tg[3] == 0):
        return False
    if f[0] * g[0] + f[1] * g[1] >= CORNER:
        return False
    if tf[0] != tg[0] and tf[3] == 0 and tg[3] == 0:
        own = tf[2] == tg[1] or sh.nxt[tf[2]] == tg[1]
        if own and (tg[2] == tf[1] or sh.nxt[tg[2]] == tf[1]):
            return True
    dx, dy = f[2] - g[2], f[3] - g[3]
    return dx * dx + dy * dy < near * near


@njit(cache=True, nogil=True)
def _drop_corners(sh, near, out, tag, m):
    """Of frames that contradict each other keep the nearest, or the shallowest when both overlap; the count left."""
    i = 0
    while i < m:
        j = i + 1
        lost = False
        while j < m:
            if not _contradict(sh, out[i], out[j], tag[i], tag[j], near):
                j += 1
                continue
            gi, gj = out[i, 6], out[j, 6]
            if (gi < 0.0 and gj < 0.0 and gi < gj) or (max(gi, gj) >= 0.0 and gi > gj):
                lost = True
                break
            m -= 1
            out[j], tag[j] = out[m], tag[m]
        if lost:
            m -= 1
            out[i], tag[i] = out[m], tag[m]
        else:
            i += 1
    return m


@njit(cache=True, nogil=True)
def _thin_face(out, at, n, tolerance, same, keep):
    """Mark in `keep` the frames at[:n] of one face that can ever bind, given sorted along the face.

    With one normal the condition of a point is gap + rise + turn * place >= 0: only the lower hull of (place, gap) can
    bind. A smooth stretch is all hull, so it is thinned to the ends, the nearest, and what lies farthest below the
    chords, until that is less than the tolerance.
    """
    lowest = at[0]
    for k in range(n):
        keep[k] = False
        if out[at[k], 6] < out[lowest, 6]:
            lowest = at[k]
    nx, ny = out[lowest, 0], out[lowest, 1]
    for i in range(1, n):  # along the face
        row = at[i]
        place = out[row, 3] * nx - out[row, 2] * ny
        j = i
        while j > 0 and out[at[j - 1], 3] * nx - out[at[j - 1], 2] * ny > place:
            at[j] = at[j - 1]
            j -= 1
        at[j] = row
    kept = 0
    for k in range(n):
        if at[k] == lowest:
            keep[k] = True
            kept += 1
    for end in range(2):
        k = 0 if end == 0 else n - 1
        apart = abs((out[at[k], 3] - out[lowest, 3]) * nx - (out[at[k], 2] - out[lowest, 2]) * ny)
        if not keep[k] and apart > same:
            keep[k] = True
            kept += 1
    while kept < MOST:
        worst, deepest = -1, tolerance
        left = -1
        for k in range(n):
            if keep[k]:
                left = k
                continue
            right = k + 1
            while right < n and not keep[right]:
                right += 1
            if left < 0 or right == n:
                continue
            l, r, i = at[left], at[right], at[k]
            pl = out[l, 3] * nx - out[l, 2] * ny
            pr = out[r, 3] * nx - out[r, 2] * ny
            pk = out[i, 3] * nx - out[i, 2] * ny
            if pk - pl <= same or pr - pk <= same:
                continue
            below = out[l, 6] + (pk - pl) / (pr - pl) * (out[r, 6] - out[l, 6]) - out[i, 6]
            if below > deepest:
                worst, deepest = k, below
        if worst < 0:
            return
        keep[worst] = True
        kept += 1


@njit(cache=True, nogil=True)
def reduce_frames(sh, a, b, zone, out, tag, m, at, keep, chosen):
    """Keep the frames of a pair that matter: no contradicting corners, few points a face; the count left."""
    if m < 2:
        return m
    size = min(sh.size[a], sh.size[b])
    m = _drop_corners(sh, 0.02 * size, out, tag, m)
    for k in range(m):
        chosen[k] = -1
    while True:
        seed = -1
        for k in range(m):
            if chosen[k] < 0 and (seed < 0 or out[k, 6] < out[seed, 6]):
                seed = k
        if seed < 0:
            break
        n = 0
        for k in range(m):
            if chosen[k] < 0 and out[k, 0] * out[seed, 0] + out[k, 1] * out[seed, 1] > FACE:
                at[n] = k
                n += 1
        if n == 0:  # the seed itself, when its normal is not of unit length to the last bit
            at[0], n = seed, 1
        _thin_face(out, at, n, 0.05 * zone, 2e-4 * size, keep)
        for k in range(n):
            chosen[at[k]] = 1 if keep[k] else 0
    left = 0
    for k in range(m):
        if chosen[k] == 1:
            if left != k:
                out[left], tag[left] = out[k], tag[k]
            left += 1
    return left
