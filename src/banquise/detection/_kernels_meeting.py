"""When two bodies meet: the first instant at which their distance falls to zero, each on its own quadratic path."""

import math

import numpy as np

from banquise.detection._kernels_rows import edge, near_rows, point
from banquise.jit import inner, njit

LOOKS = 200  # instants looked at for one pair before the one reached is taken
DEEP = 1e5  # touch distances: deeper than this is no contact


@inner
def _place(pose, motion, i, t, out):
    """Body i after t seconds on its path (motion: velocity and half acceleration of x, y, angle).

    out: displacement x, y, cos, sin, then velocity x, y, spin.
    """
    out[0] = t * (motion[i, 0] + t * motion[i, 3])
    out[1] = t * (motion[i, 1] + t * motion[i, 4])
    turn = t * (motion[i, 2] + t * motion[i, 5])
    c, s = math.cos(turn), math.sin(turn)
    out[2] = pose[i, 2] * c - pose[i, 3] * s
    out[3] = pose[i, 3] * c + pose[i, 2] * s
    for k in range(3):
        out[4 + k] = motion[i, k] + 2 * t * motion[i, 3 + k]


@inner
def _distances(block, v0, e0, x, y, pv, pe, rows, first, last, dist, rate):
    """Distance of each row's point to its edge and the rate at which it changes; negative behind the edge.

    (x, y): centre of the points' body seen from that of the edges', world axes; v0, e0: their first slots. All is done
    in the frame of the edges.
    """
    c, s = pe[2] * pv[2] + pe[3] * pv[3], pe[2] * pv[3] - pe[3] * pv[2]
    tx, ty = pe[2] * x + pe[3] * y, pe[2] * y - pe[3] * x
    u, v = pv[4] - pe[4], pv[5] - pe[5]
    u, v = pe[2] * u + pe[3] * v, pe[2] * v - pe[3] * u
    for k in range(first, last):
        p, e = v0 + (rows[k] >> 32), e0 + (rows[k] & 0xFFFFFFFF)
        lx, ly = point(block, p)
        lx, ly = c * lx - s * ly, s * lx + c * ly
        px, py = lx + tx, ly + ty
        qx, qy = point(block, e)
        ex, ey, inv = edge(block, e)
        rx, ry = px - qx, py - qy
        along = (rx * ex + ry * ey) * inv
        place = min(max(along, 0.0), 1.0)
        dx, dy = rx - place * ex, ry - place * ey
        d = math.sqrt(dx * dx + dy * dy)
        # speed of the point in the frame of the edge
        su = u - pv[6] * ly + pe[6] * py
        sv = v + pv[6] * lx - pe[6] * px
        length = math.sqrt(1.0 / inv) if inv > 0.0 else 0.0
        if d > 1e-9 * (length + abs(px) + abs(py)):
            dx, dy = dx / d, dy / d
        elif length > 0.0:  # on the edge: its outward normal
            dx, dy = ey / length, -ex / length
        dist[k], rate[k] = d, dx * su + dy * sv
        if length > 0.0 and rx * ey - ry * ex < 0.0 and 0.0 <= along <= 1.0:
            dist[k] = -d
            if d > 1e-9 * (length + abs(px) + abs(py)):
                rate[k] = -rate[k]


@inner
def _bend(motion, i, j, h, extent, speed, far):
    """Bound on the acceleration of a point of body i seen in the turning frame of body j."""
    si, ai = abs(motion[i, 2]) + 2 * h * abs(motion[i, 5]), 2 * abs(motion[i, 5])
    sj, aj = abs(motion[j, 2]) + 2 * h * abs(motion[j, 5]), 2 * abs(motion[j, 5])
    qx, qy = motion[i, 3] - motion[j, 3], motion[i, 4] - motion[j, 4]
    straight = 2 * math.sqrt(qx * qx + qy * qy)
    return straight + extent[i] * (si * si + ai) + far * (sj * sj + aj) + 2 * sj * speed


@njit(cache=True, nogil=True, _nrt=True, error_model="numpy")  # makes arrays: bare kernels call it
def first_meetings(
    first, last, pair_a, pair_b, shift, sh, pose, extent, motion, horizon, touch, aim, held,
    rows, slots, near, dist, rate, begin, armed, when,
):  # fmt: skip
    """when[p]: first instant in [0, horizon[p]] at which pair p comes to distance aim[p], inf if it does not.

    Conservative advancement over the rows (point, edge) that can meet at all. The distance D to a segment is convex, so
    after t it is at least D + D' t - A t^2 / 2 with A a bound on the point's acceleration seen from the edge: the first
    root of that is safe, and Newton's step near the end. Rows that touch at the start (below `touch`) count only once
    they have come apart, never in a pair that is held together. Returns the rows needed when `rows` was too short.
    """
    block, node, node_link, body, box = sh.block, sh.node, sh.node_link, sh.body, sh.frame
    pa, pb = np.empty(7), np.empty(7)
    runs = np.empty(len(slots) // 2 + 1, np.int32)
    need = 0
    for p in range(first, last):
        i, j, h = pair_a[p], pair_b[p], horizon[p]
        when[p] = math.inf
        if h <= 0.0:
            continue
        radii = box[i, 4] + box[j, 4]
        dx, dy = pose[j, 0] - pose[i, 0] + shift[p, 0], pose[j, 1] - pose[i, 1] + shift[p, 1]
        vx, vy = motion[j, 0] - motion[i, 0], motion[j, 1] - motion[i, 1]
        bx, by = motion[j, 3] - motion[i, 3], motion[j, 4] - motion[i, 4]
        speed = math.sqrt(vx * vx + vy * vy) + 2 * h * math.sqrt(bx * bx + by * by)
        speed += extent[i] * (abs(motion[i, 2]) + 2 * h * abs(motion[i, 5]))
        speed += extent[j] * (abs(motion[j, 2]) + 2 * h * abs(motion[j, 5]))
        limit = h * speed + 2 * touch[p] + radii
        _place(pose, motion, i, 0.0, pa)
        _place(pose, motion, j, 0.0, pb)
        c, s = pa[2] * pb[2] + pa[3] * pb[3], pa[2] * pb[3] - pa[3] * pb[2]
        tx, ty = pa[2] * dx + pa[3] * dy, pa[2] * dy - pa[3] * dx
        ux, uy = -pb[2] * dx - pb[3] * dy, pb[3] * dx - pb[2] * dy
        n0, n1 = np.int64(0), np.int64(0)
        for who in range(2):
            n0 = n1
            v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
            n1 = near_rows(
                block, sh.coarse, node, node_link, body, box, v, e, c, turn, ox, oy, limit, slots, near, runs, rows, n0
            )
        if n1 > len(rows):
            need = max(need, n1)
            continue
        # a point of one body stays within the other's extent plus the limit of its centre
        bend_j = _bend(motion, j, i, h, extent, speed, extent[i] + limit)
        bend_i = _bend(motion, i, j, h, extent, speed, extent[j] + limit)
        t, t_before = 0.0, 0.0
        for look in range(LOOKS):
            x, y = dx + (pb[0] - pa[0]), dy + (pb[1] - pa[1])
            _distances(block, body[j, 1], body[i, 1], x, y, pb, pa, rows, np.int64(0), n0, dist, rate)
            _distances(block, body[i, 1], body[j, 1], -x, -y, pa, pb, rows, n0, n1, dist, rate)
            step, back, there = h, False, False
            for k in range(n1):
                d = dist[k] - radii
                if look == 0:  # what lies far behind an edge is not inside the body, but around its end
                    armed[k] = d > touch[p] or d < -DEEP * touch[p]
                    begin[k] = min(d, 0.0)
                bend = bend_j if k < n0 else bend_i
                if not armed[k]:
                    if held[p]:
                        continue
                    back = back or d < begin[k] - touch[p]
                    armed[k] = d > 2 * touch[p]
                    if not armed[k]:  # just leaving: the way back takes as long as the way out
                        step = min(step, max(touch[p] / speed, 0.25 * t))
                        continue
                if d < -DEEP * touch[p]:  # behind the edge: only around its end can the point come before it
                    step = min(step, -d / speed)
                    continue
                there = there or d <= aim[p]
                room = max(d - 0.5 * aim[p], 0.0)
                root = math.sqrt(rate[k] * rate[k] + 2 * bend * room)
                if rate[k] <= 0.0 and root > rate[k]:
                    step = min(step, 2 * room / (root - rate[k]))
                elif rate[k] > 0.0 and bend > 0.0:
                    step = min(step, (root + rate[k]) / bend)
            if there:
                when[p] = t
                break
            if back and t > 0.0:  # left and came back between two looks, without going far
                when[p] = t_before
                break
            if t >= h:
                break
            t_before = t
            t = min(t + step, h)
            _place(pose, motion, i, t, pa)
            _place(pose, motion, j, t, pb)
        else:
            when[p] = t
    return need
