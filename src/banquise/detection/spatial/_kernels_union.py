# mypy: ignore-errors
"""Depth of the origin in a union of convex cells, some possibly hollow skins: the shortest way out.

The nearest point outside lies on one plane of a cell (its foot), on the line of two (its foot), or where three meet. A
candidate counts when some point next to it, in one of the sectors its planes cut around it, is outside everything.
"""

import numpy as np

from banquise.detection.spatial._kernels_triangles import winding
from banquise.jit import inner, kernel


@inner
def outside(x, y, z, cells, planes, small, skin_a, ax, ay, az, skin_b, bx, by, bz):
    """Whether a shift (x, y, z) of body B frees it: in no cell, and neither skin holds the other body."""
    for c in range(len(cells) - 1):
        inside = True
        for k in range(cells[c], cells[c + 1]):
            if planes[k, 0] * x + planes[k, 1] * y + planes[k, 2] * z > planes[k, 3] + small:
                inside = False
                break
        if inside:
            return False
    if len(skin_a) and winding(skin_a, bx + x, by + y, bz + z) > 0.5:
        return False
    return not (len(skin_b) and winding(skin_b, ax - x, ay - y, az - z) > 0.5)


@inner
def corner_of(p, q, r, i, j, k, out):
    """Solve p.x = i, q.x = j, r.x = k for unit p, q, r; False when they are nearly in a plane."""
    cx, cy, cz = q[1] * r[2] - q[2] * r[1], q[2] * r[0] - q[0] * r[2], q[0] * r[1] - q[1] * r[0]
    det = p[0] * cx + p[1] * cy + p[2] * cz
    if abs(det) < 1e-9:
        return False
    dx, dy, dz = r[1] * p[2] - r[2] * p[1], r[2] * p[0] - r[0] * p[2], r[0] * p[1] - r[1] * p[0]
    ex, ey, ez = p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]
    out[0] = (i * cx + j * dx + k * ex) / det
    out[1] = (i * cy + j * dy + k * ey) / det
    out[2] = (i * cz + j * dz + k * ez) / det
    return True


@inner
def frees(at, normals, count, step, small, cells, planes, skin_a, in_a, skin_b, in_b, u):
    """Whether a point next to `at` is outside, in some sector of the `count` planes through it (rows of `normals`)."""
    for sector in range(2**count):
        si, sj, sk = 1.0 - 2.0 * (sector & 1), 1.0 - (sector & 2), 1.0 - 0.5 * (sector & 4)
        if count == 1:
            u[0], u[1], u[2] = si * normals[0, 0], si * normals[0, 1], si * normals[0, 2]
        else:
            corner_of(normals[0], normals[1], normals[2], si, sj, 0.0 if count == 2 else sk, u)
        size = step / np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
        if outside(
            at[0] + size * u[0], at[1] + size * u[1], at[2] + size * u[2], cells, planes, small,
            skin_a, in_a[0], in_a[1], in_a[2], skin_b, in_b[0], in_b[1], in_b[2],
        ):  # fmt: skip
            return True
    return False


@kernel
def way_out(unique, cells, planes, scale, limit, skin_a, in_a, skin_b, in_b, best):
    """Length of the shortest shift that frees the bodies, below `limit`; the shift goes to best[:3].

    unique (k, 4): the planes of all cells once, by distance from the origin. in_a is a point of body A, in_b of body B.
    Feet on planes first, then on lines, then corners: what is found early shortens the search for the rest.
    """
    step, small = 1e-9 * scale, 1e-13 * scale
    at, u, normals = np.empty(3), np.empty(3), np.empty((3, 3))
    reach = limit
    for count in range(1, 4):
        for i in range(len(unique)):
            if abs(unique[i, 3]) >= reach:
                break
            for r in range(3):
                normals[0, r] = unique[i, r]
            if count == 1:
                for r in range(3):
                    at[r] = unique[i, r] * unique[i, 3]
                if frees(at, normals, count, step, small, cells, planes, skin_a, in_a, skin_b, in_b, u):
                    reach = abs(unique[i, 3])
                    best[0], best[1], best[2] = at[0], at[1], at[2]
                continue
            for j in range(i + 1, len(unique)):
                if abs(unique[j, 3]) >= reach:
                    break
                for r in range(3):
                    normals[1, r] = unique[j, r]
                    m, n = (r + 1) % 3, (r + 2) % 3
                    normals[2, r] = unique[i, m] * unique[j, n] - unique[i, n] * unique[j, m]
                size = np.sqrt(normals[2, 0] ** 2 + normals[2, 1] ** 2 + normals[2, 2] ** 2)
                if size < 1e-7:
                    continue
                for r in range(3):
                    normals[2, r] /= size
                if not corner_of(normals[0], normals[1], normals[2], unique[i, 3], unique[j, 3], 0.0, at):
                    continue
                far = np.sqrt(at[0] ** 2 + at[1] ** 2 + at[2] ** 2)
                if far >= reach:
                    continue
                if count == 2:
                    if frees(at, normals, count, step, small, cells, planes, skin_a, in_a, skin_b, in_b, u):
                        reach = far
                        best[0], best[1], best[2] = at[0], at[1], at[2]
                    continue
                for k in range(j + 1, len(unique)):
                    if abs(unique[k, 3]) >= reach:
                        break
                    for r in range(3):
                        normals[2, r] = unique[k, r]
                    if not corner_of(normals[0], normals[1], normals[2], unique[i, 3], unique[j, 3], unique[k, 3], at):
                        continue
                    far = np.sqrt(at[0] ** 2 + at[1] ** 2 + at[2] ** 2)
                    if far < reach and frees(
                        at, normals, count, step, small, cells, planes, skin_a, in_a, skin_b, in_b, u
                    ):
                        reach = far
                        best[0], best[1], best[2] = at[0], at[1], at[2]
    return reach
