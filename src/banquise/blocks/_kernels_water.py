# mypy: ignore-errors
"""Polyhedra across the surface of the water: clipped volume, buoyancy and drag, triangle by triangle."""

import numpy as np

from banquise.jit import inner, kernel


@inner
def clip_below(p, level, out):
    """Corners of triangle p (3, 3) below z = level; returns their number (0, 3 or 4)."""
    count = 0
    for i in range(3):
        j = (i + 1) % 3
        here, there = p[i, 2] - level, p[j, 2] - level
        if here <= 0.0:
            for r in range(3):
                out[count, r] = p[i, r]
            count += 1
        if (here < 0.0 and there > 0.0) or (here > 0.0 and there < 0.0):
            t = here / (here - there)
            for r in range(3):
                out[count, r] = p[i, r] + t * (p[j, r] - p[i, r])
            out[count, 2] = level
            count += 1
    return count


@kernel
def under_water(
    first, last, bounds, corners, centre, rotation, velocity, level, pressure, form, skin, volume, moment, wrench
):
    """Volume and first moment (about the centre) below `level`, and wrench (n, 6) of buoyancy and drag.

    Triangles corners[bounds[n]:bounds[n + 1]] (3, 3) of body n are given from its centre of mass, counter-clockwise from
    outside. With the apex of all tetrahedra on the surface, above the centre, the cut itself adds no volume. Drag on an
    element with outer normal n and velocity v through the water: -form |v.n| (v.n) n on the side that moves against the
    water (half of it on each side gives the same on a closed body), -skin |v_t| v_t along it.
    """
    p, q = np.empty((3, 3)), np.empty((4, 3))
    for n in range(first, last):
        z0 = level - centre[n, 2]
        total, mx, my, mz = 0.0, 0.0, 0.0, 0.0
        for r in range(6):
            wrench[n, r] = 0.0
        v = velocity[n]
        for t in range(bounds[n], bounds[n + 1]):
            for i in range(3):
                for r in range(3):
                    c = corners[t, i]
                    p[i, r] = rotation[n, r, 0] * c[0] + rotation[n, r, 1] * c[1] + rotation[n, r, 2] * c[2]
            count = clip_below(p, z0, q)
            for k in range(1, count - 1):
                a, b, c = q[0], q[k], q[k + 1]
                az, bz, cz = a[2] - z0, b[2] - z0, c[2] - z0
                nx = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
                ny = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])
                nz = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                part = (a[0] * nx + a[1] * ny + az * nz) / 6.0
                total += part
                mx += part * 0.25 * (a[0] + b[0] + c[0])
                my += part * 0.25 * (a[1] + b[1] + c[1])
                mz += part * (z0 + 0.25 * (az + bz + cz))
                size = np.sqrt(nx * nx + ny * ny + nz * nz)
                if size == 0.0 or (form == 0.0 and skin == 0.0):
                    continue
                nx, ny, nz = nx / size, ny / size, nz / size
                for s in range(3):  # three mid-edges: exact for quadratic integrands
                    e, f = (a, b) if s == 0 else ((b, c) if s == 1 else (c, a))
                    x, y, z = 0.5 * (e[0] + f[0]), 0.5 * (e[1] + f[1]), 0.5 * (e[2] + f[2])
                    ux = v[0] + v[4] * z - v[5] * y
                    uy = v[1] + v[5] * x - v[3] * z
                    uz = v[2] + v[3] * y - v[4] * x
                    across = ux * nx + uy * ny + uz * nz
                    ux, uy, uz = ux - across * nx, uy - across * ny, uz - across * nz
                    along = np.sqrt(ux * ux + uy * uy + uz * uz)
                    push = -form * across * across if across > 0.0 else 0.0
                    area = size / 6.0
                    fx = area * (push * nx - skin * along * ux)
                    fy = area * (push * ny - skin * along * uy)
                    fz = area * (push * nz - skin * along * uz)
                    wrench[n, 0] += fx
                    wrench[n, 1] += fy
                    wrench[n, 2] += fz
                    wrench[n, 3] += y * fz - z * fy
                    wrench[n, 4] += z * fx - x * fz
                    wrench[n, 5] += x * fy - y * fx
        volume[n] = total
        moment[n, 0], moment[n, 1], moment[n, 2] = mx, my, mz
        wrench[n, 2] += pressure * total
        wrench[n, 3] += pressure * my
        wrench[n, 4] -= pressure * mx
