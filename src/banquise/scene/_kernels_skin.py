"""Do the faces of a skin pass through each other?"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def side(t, x, y, z):
    """Signed volume (six times) of triangle t with a point: positive on the side of its normal."""
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    px, py, pz = x - t[0, 0], y - t[0, 1], z - t[0, 2]
    return px * (uy * vz - uz * vy) + py * (uz * vx - ux * vz) + pz * (ux * vy - uy * vx)


@njit(cache=True, nogil=True)
def pierces(a, b, t, small, at):
    """Whether segment a-b passes through triangle t (not merely touching its plane); the point goes to `at`.

    `small` is a volume: below it a sign is taken as rounding.
    """
    da, db = side(t, a[0], a[1], a[2]), side(t, b[0], b[1], b[2])
    if not ((da > small and db < -small) or (da < -small and db > small)):
        return False
    s = da / (da - db)
    for r in range(3):
        at[r] = a[r] + s * (b[r] - a[r])
    positive, negative = False, False
    for k in range(3):  # signed volumes of the line with each side of the triangle
        p, q = t[k], t[(k + 1) % 3]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
        wx, wy, wz = q[0] - a[0], q[1] - a[1], q[2] - a[2]
        volume = ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx)
        positive = positive or volume > 0.0
        negative = negative or volume < 0.0
    return not (positive and negative)


@njit(cache=True, nogil=True)
def self_crossing(vertices, triangles, pairs, small):
    """First of the pairs of triangles of one skin that cross, or -1. Sides that share a corner with the other do not count."""
    at = np.empty(3)
    s, t = np.empty((3, 3)), np.empty((3, 3))
    for n in range(len(pairs)):
        i, j = pairs[n, 0], pairs[n, 1]
        for k in range(3):
            s[k] = vertices[triangles[i, k]]
            t[k] = vertices[triangles[j, k]]
        for k in range(3):
            m = (k + 1) % 3
            a, b = triangles[i, k], triangles[i, m]
            if not (a == triangles[j, 0] or a == triangles[j, 1] or a == triangles[j, 2]) and not (
                b == triangles[j, 0] or b == triangles[j, 1] or b == triangles[j, 2]
            ):
                if pierces(s[k], s[m], t, small, at):
                    return n
            a, b = triangles[j, k], triangles[j, m]
            if not (a == triangles[i, 0] or a == triangles[i, 1] or a == triangles[i, 2]) and not (
                b == triangles[i, 0] or b == triangles[i, 1] or b == triangles[i, 2]
            ):
                if pierces(t[k], t[m], s, small, at):
                    return n
    return -1
