# mypy: ignore-errors
"""The kernel of the time of impact: when two bodies in steady motion first come as near as asked.

The distance of a moving point to an edge (a convex set) lies above its tangent: f(t + h) >= f + h n.v - h^2 A / 2,
A being the greatest acceleration of the point seen from the edge's body. Going to where that bound meets the target
never goes past the first contact, and converges like Newton's method. All rows within a window are followed until the
motion could have brought in another.
"""

import math

import numpy as np

from banquise.detection._kernels_rows import box_gap, edge, near_rows, point
from banquise.detection.jit import inner, kernel

STEPS = 2000  # then the time reached is returned: still not later than the contact


@inner
def _safe_step(block, rows, first, last, v0, e0, c, s, tx, ty, vx, vy, spin_v, spin_e, accel, target):
    """Least distance of the rows less the target, and the time within which none of them can reach it.

    (vx, vy): velocity of the point's body relative to the other, in the frame of that one.
    """
    least, step = math.inf, math.inf
    for k in range(first, last):
        px, py = point(block, v0 + (rows[k] >> 32))
        e = e0 + (rows[k] & 0xFFFFFFFF)
        qx, qy = point(block, e)
        ex, ey, inv = edge(block, e)
        ax, ay = c * px - s * py, s * px + c * py
        x, y = ax + tx, ay + ty
        t = min(max(((x - qx) * ex + (y - qy) * ey) * inv, 0.0), 1.0)
        dx, dy = x - qx - t * ex, y - qy - t * ey
        d = math.sqrt(dx * dx + dy * dy)
        left = d - target
        least = min(least, left)
        if d == 0.0:
            continue
        # velocity of the point seen from the turning body of the edge
        ux, uy = vx - spin_v * ay + spin_e * y, vy + spin_v * ax - spin_e * x
        rate = (dx * ux + dy * uy) / d
        below = math.sqrt(rate * rate + 2.0 * accel * max(left, 0.0)) - rate
        if below > 0.0:
            step = min(step, 2.0 * left / below)
    return least, step


@kernel
def impact_times(first, last, a, b, shift, sh, pose, velocity, extent, distance, dt, window, tolerance, scratch, when):
    """First time in [0, dt] at which pairs first:last are within their distance; infinite when never; rows needed.

    velocity: (n, 3) of centre and spin, steady. The time returned is never later than the true one, and earlier by less
    than it takes to come `tolerance` nearer.
    """
    block, node, node_link, body, box = sh.block, sh.node, sh.node_link, sh.body, sh.frame
    slots, near, runs, rows = scratch.slots, scratch.near, scratch.runs, scratch.rows
    need = np.int64(0)
    for p in range(first, last):
        i, j = a[p], b[p]
        radii = box[i, 4] + box[j, 4]
        target = distance[p] + radii
        du, dv = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
        spin_i, spin_j = velocity[i, 2], velocity[j, 2]
        speed = math.sqrt(du * du + dv * dv) + abs(spin_i) * extent[i] + abs(spin_j) * extent[j]
        t, rows_until = 0.0, -1.0
        n0, n1 = np.int64(0), np.int64(0)
        when[p] = math.inf
        for _ in range(STEPS):
            dx, dy = pose[j, 0] + shift[p, 0] - pose[i, 0] + du * t, pose[j, 1] + shift[p, 1] - pose[i, 1] + dv * t
            ci, si, cj, sj = math.cos(spin_i * t), math.sin(spin_i * t), math.cos(spin_j * t), math.sin(spin_j * t)
            ca, sa = pose[i, 2] * ci - pose[i, 3] * si, pose[i, 3] * ci + pose[i, 2] * si
            cb, sb = pose[j, 2] * cj - pose[j, 3] * sj, pose[j, 3] * cj + pose[j, 2] * sj
            c, s = ca * cb + sa * sb, ca * sb - sa * cb
            tx, ty = ca * dx + sa * dy, ca * dy - sa * dx
            ux, uy = -cb * dx - sb * dy, sb * dx - cb * dy
            if t >= rows_until:
                ahead = box_gap(box, i, j, c, s, tx, ty, ux, uy) - target - 0.5 * window
                n0, n1 = np.int64(0), np.int64(0)
                if ahead <= 0.5 * window:
                    ahead = window
                    for who in range(2):
                        n0 = n1
                        v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
                        n1 = near_rows(
                            block, sh.coarse, node, node_link, body, box, v, e, c, turn, ox, oy, target + window, slots,
                            near, runs, rows, n0,
                        )  # fmt: skip
                    if n1 > len(rows):
                        need = max(need, n1)
                        break
                rows_until = t + ahead / speed if speed > 0.0 else math.inf
            step = rows_until - t
            least = math.inf
            for who in range(2):
                v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
                ce, se = (ca, sa) if who == 0 else (cb, sb)
                sign = 1.0 if who == 0 else -1.0
                vx, vy = sign * (ce * du + se * dv), sign * (ce * dv - se * du)
                k0, k1 = (np.int64(0), n0) if who == 0 else (n0, n1)
                far = extent[e] + target + 2.0 * window
                fast = math.sqrt(du * du + dv * dv) + abs(velocity[v, 2]) * extent[v]
                turning = abs(velocity[e, 2])
                accel = velocity[v, 2] ** 2 * extent[v] + 2.0 * turning * fast + turning * turning * far
                left, safe = _safe_step(
                    block, rows, k0, k1, body[v, 1], body[e, 1], c, turn, ox, oy, vx, vy, velocity[v, 2],
                    velocity[e, 2], accel, target,
                )  # fmt: skip
                least, step = min(least, left), min(step, safe)
            if least <= tolerance:
                when[p] = t
                break
            t = rows_until if step == rows_until - t else t + step
            if t > dt:
                break
        else:
            when[p] = t
    return need
