# mypy: ignore-errors
"""The point of a simplex (segment, triangle, tetrahedron) closest to the origin, as weights of its corners."""

import numpy as np

from banquise.jit import bare_inner as bare


@bare
def on_segment(w, i, j):
    """Weight of w[j] in the point of segment (w[i], w[j]) closest to the origin."""
    x, y, z = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    length2 = x * x + y * y + z * z
    along = -(w[i, 0] * x + w[i, 1] * y + w[i, 2] * z)
    if along <= 0.0 or length2 == 0.0:
        return 0.0
    return 1.0 if along >= length2 else along / length2


@bare
def on_triangle(w, i, j, k):
    """Weights of w[i], w[j], w[k] in the point of their triangle closest to the origin.

    The areas are taken as n.(a x ab), not from products of dot products: that loses distance/size digits, not its
    square.
    """
    ax, ay, az = w[i, 0], w[i, 1], w[i, 2]
    ux, uy, uz = w[j, 0] - ax, w[j, 1] - ay, w[j, 2] - az
    vx, vy, vz = w[k, 0] - ax, w[k, 1] - ay, w[k, 2] - az
    d1 = -(ux * ax + uy * ay + uz * az)
    d2 = -(vx * ax + vy * ay + vz * az)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    uu = ux * ux + uy * uy + uz * uz
    uv = ux * vx + uy * vy + uz * vz
    d3, d4 = d1 - uu, d2 - uv
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    # a x u and v x a: twice the triangles (origin, a, b) and (origin, c, a)
    vc = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / uu
        return 1.0 - t, t, 0.0
    vv = vx * vx + vy * vy + vz * vz
    d5, d6 = d1 - uv, d2 - vv
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = nx * (vy * az - vz * ay) + ny * (vz * ax - vx * az) + nz * (vx * ay - vy * ax)
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / vv
        return 1.0 - t, 0.0, t
    nn = nx * nx + ny * ny + nz * nz
    va = nn - vb - vc
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    if nn == 0.0:
        t = on_segment(w, i, j)
        return 1.0 - t, t, 0.0
    return va / nn, vb / nn, vc / nn


@bare
def beyond(w, i, j, k, m):
    """Whether triangle (i, j, k) of a tetrahedron hides corner m from the origin, or the tetrahedron is flat."""
    ux, uy, uz = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    vx, vy, vz = w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(w[i, 0] * nx + w[i, 1] * ny + w[i, 2] * nz)
    fx, fy, fz = w[m, 0] - w[i, 0], w[m, 1] - w[i, 1], w[m, 2] - w[i, 2]
    fourth = fx * nx + fy * ny + fz * nz
    flat = fourth * fourth <= 1e-26 * (nx * nx + ny * ny + nz * nz) * (fx * fx + fy * fy + fz * fz)
    return flat or origin * fourth < 0.0


@bare
def on_simplex(w, n, weight):
    """Weights of the point of the simplex w[:n] closest to the origin; True when the origin is inside a tetrahedron."""
    weight[0] = 0.0
    weight[1] = 0.0
    weight[2] = 0.0
    weight[3] = 0.0
    if n == 1:
        weight[0] = 1.0
    elif n == 2:
        t = on_segment(w, np.int64(0), np.int64(1))
        weight[0], weight[1] = 1.0 - t, t
    elif n == 3:
        weight[0], weight[1], weight[2] = on_triangle(w, np.int64(0), np.int64(1), np.int64(2))
    else:
        # The three faces at the newest corner: the fourth cannot be the closest, for v was and the newest lies before
        # it.
        nearest = np.inf
        for i in range(3):
            j = 0 if i == 2 else i + 1
            m = 3 - i - j
            if beyond(w, i, j, np.int64(3), m):
                a, b, c = on_triangle(w, i, j, np.int64(3))
                x = a * w[i, 0] + b * w[j, 0] + c * w[3, 0]
                y = a * w[i, 1] + b * w[j, 1] + c * w[3, 1]
                z = a * w[i, 2] + b * w[j, 2] + c * w[3, 2]
                size2 = x * x + y * y + z * z
                if size2 < nearest:
                    nearest = size2
                    weight[m] = 0.0
                    weight[i], weight[j], weight[3] = a, b, c
        return nearest == np.inf
    return False
