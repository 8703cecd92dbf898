# mypy: ignore-errors
"""Do the faces of a skin pass through each other?"""

import numpy as np

from banquise.jit import inner, kernel


@inner
def side(t, x, y, z):
    """Signed volume (six times) of triangle t with a point: positive on the side of its normal."""
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    px, py, pz = x - t[0, 0], y - t[0, 1], z - t[0, 2]
    return px * (uy * vz - uz * vy) + py * (uz * vx - ux * vz) + pz * (ux * vy - uy * vx)


@inner
def pierces(s, i, j, t, small, at):
    """Whether side i-j of triangle s passes through triangle t (not merely touching its plane); the point goes to `at`.

    `small` is a volume: below it a sign is taken as rounding.
    """
    ax, ay, az, bx, by, bz = s[i, 0], s[i, 1], s[i, 2], s[j, 0], s[j, 1], s[j, 2]
    da, db = side(t, ax, ay, az), side(t, bx, by, bz)
    if not ((da > small and db < -small) or (da < -small and db > small)):
        return False
    cut = da / (da - db)
    ux, uy, uz = bx - ax, by - ay, bz - az
    at[0], at[1], at[2] = ax + cut * ux, ay + cut * uy, az + cut * uz
    positive, negative = False, False
    for k in range(3):  # signed volumes of the line with each side of the triangle
        m = 0 if k == 2 else k + 1
        vx, vy, vz = t[k, 0] - ax, t[k, 1] - ay, t[k, 2] - az
        wx, wy, wz = t[m, 0] - ax, t[m, 1] - ay, t[m, 2] - az
        volume = ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx)
        positive = positive or volume > 0.0
        negative = negative or volume < 0.0
    return not (positive and negative)


@inner
def apart(triangles, i, k, m, j):
    """Whether neither end of side (k, m) of triangle i is a corner of triangle j."""
    a, b = triangles[i, k], triangles[i, m]
    shared = False
    for n in range(3):
        shared = shared or triangles[j, n] == a or triangles[j, n] == b
    return not shared


@kernel
def self_crossing(vertices, triangles, pairs, small):
    """First of the pairs of triangles of one skin that cross, or -1. Sides that share a corner with the other do not
    count.
    """
    at = np.empty(3)
    s, t = np.empty((3, 3)), np.empty((3, 3))
    for n in range(len(pairs)):
        i, j = pairs[n, 0], pairs[n, 1]
        for k in range(3):
            for r in range(3):
                s[k, r] = vertices[triangles[i, k], r]
                t[k, r] = vertices[triangles[j, k], r]
        for k in range(3):
            m = (k + 1) % 3
            if apart(triangles, i, k, m, j) and pierces(s, k, m, t, small, at):
                return n
            if apart(triangles, j, k, m, i) and pierces(t, k, m, s, small, at):
                return n
    return -1
