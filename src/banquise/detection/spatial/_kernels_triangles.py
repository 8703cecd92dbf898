# mypy: ignore-errors
"""Triangles of two skins: where they cross, how far apart they are, which solid angle they fill."""

import numpy as np

from banquise.jit import inner, kernel
from banquise.scene._kernels_skin import pierces
from banquise.scene._kernels_tree import LEAF


@kernel
def crossings(first, second, pairs, small, segment, which):
    """Segments in which triangles of two skins cross, turned so that both normals see them the same way round.

    Each goes along (normal of the first) x (normal of the second). Returns their number.
    """
    at = np.empty(3)
    ends = np.empty((6, 3))
    count = 0
    for n in range(len(pairs)):
        s, t = first[pairs[n, 0]], second[pairs[n, 1]]
        found = 0
        for k in range(3):
            m = (k + 1) % 3
            if pierces(s, k, m, t, small, at):
                ends[found, 0], ends[found, 1], ends[found, 2] = at[0], at[1], at[2]
                found += 1
            if pierces(t, k, m, s, small, at):
                ends[found, 0], ends[found, 1], ends[found, 2] = at[0], at[1], at[2]
                found += 1
        if found < 2:
            continue
        ux, uy, uz = s[1, 0] - s[0, 0], s[1, 1] - s[0, 1], s[1, 2] - s[0, 2]
        vx, vy, vz = s[2, 0] - s[0, 0], s[2, 1] - s[0, 1], s[2, 2] - s[0, 2]
        ax, ay, az = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
        vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
        bx, by, bz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        dx, dy, dz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        low, high = 0, 0
        for k in range(1, found):
            along = dx * ends[k, 0] + dy * ends[k, 1] + dz * ends[k, 2]
            if along < dx * ends[low, 0] + dy * ends[low, 1] + dz * ends[low, 2]:
                low = k
            if along > dx * ends[high, 0] + dy * ends[high, 1] + dz * ends[high, 2]:
                high = k
        for r in range(3):
            segment[count, 0, r], segment[count, 1, r] = ends[low, r], ends[high, r]
        which[count] = n
        count += 1
    return count


@kernel
def segment_to_segment(a, b, c, d, p, q):
    """Squared distance of segments a-b and c-d; closest points to p, q."""
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    ex, ey, ez = d[0] - c[0], d[1] - c[1], d[2] - c[2]
    rx, ry, rz = a[0] - c[0], a[1] - c[1], a[2] - c[2]
    dd, ee = dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez
    de, dr, er = dx * ex + dy * ey + dz * ez, dx * rx + dy * ry + dz * rz, ex * rx + ey * ry + ez * rz
    # |d x e|^2, not dd ee - de^2: the difference of two nearly equal products says nothing of nearly parallel sides.
    cx, cy, cz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
    across = cx * cx + cy * cy + cz * cz
    s = min(max((de * er - ee * dr) / across, 0.0), 1.0) if across > 1e-30 * dd * ee else 0.0
    t = (de * s + er) / ee if ee > 0.0 else 0.0
    if t < 0.0 or t > 1.0 or ee == 0.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((de * t - dr) / dd, 0.0), 1.0) if dd > 0.0 else 0.0
    far2 = 0.0
    for r in range(3):
        p[r] = a[r] + s * (b[r] - a[r])
        q[r] = c[r] + t * (d[r] - c[r])
        far2 += (p[r] - q[r]) ** 2
    return far2


@inner
def foot_inside(a, t, q):
    """Whether the foot of point a on the plane of triangle t lies inside t; it goes to q. Returns the squared
    distance or inf.
    """
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    if nn == 0.0:
        return np.inf
    px, py, pz = a[0] - t[0, 0], a[1] - t[0, 1], a[2] - t[0, 2]
    wu = (nx * (py * vz - pz * vy) + ny * (pz * vx - px * vz) + nz * (px * vy - py * vx)) / nn
    wv = (nx * (uy * pz - uz * py) + ny * (uz * px - ux * pz) + nz * (ux * py - uy * px)) / nn
    if wu < 0.0 or wv < 0.0 or wu + wv > 1.0:
        return np.inf
    high = (px * nx + py * ny + pz * nz) / nn
    q[0], q[1], q[2] = a[0] - high * nx, a[1] - high * ny, a[2] - high * nz
    return high * high * nn


@inner
def copy_both(a, b, p, q):
    """p = a, q = b."""
    for r in range(3):
        p[r], q[r] = a[r], b[r]


@inner
def triangle_to_triangle(s, t, p, q, p1, q1, best):
    """Squared distance of two triangles that do not cross, if below `best`, with closest points p, q; else `best`."""
    for i in range(3):
        for j in range(3):
            far2 = segment_to_segment(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3], p1, q1)
            if far2 < best:
                best = far2
                copy_both(p1, q1, p, q)
    for i in range(3):
        far2 = foot_inside(s[i], t, q1)
        if far2 < best:
            best = far2
            copy_both(s[i], q1, p, q)
        far2 = foot_inside(t[i], s, p1)
        if far2 < best:
            best = far2
            copy_both(p1, t[i], p, q)
    return best


@inner
def box_gap2(a, i, b, j):
    """Squared distance of two boxes."""
    total = 0.0
    for k in range(3):
        gap = max(a[i, k] - b[j, k + 3], b[j, k] - a[i, k + 3], 0.0)
        total += gap * gap
    return total


@kernel
def skins_apart(first, order_a, nodes_a, second, order_b, nodes_b, p, q):
    """Squared distance of two skins that do not cross, with closest points, through their trees."""
    leaves_a, leaves_b = (len(nodes_a) + 1) // 2, (len(nodes_b) + 1) // 2
    stack = np.empty((512, 2), np.int64)
    p1, q1 = np.empty(3), np.empty(3)
    stack[0, 0], stack[0, 1] = 0, 0
    top, best = 1, np.inf
    while top:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if box_gap2(nodes_a, i, nodes_b, j) >= best:
            continue
        inner_a, inner_b = i < leaves_a - 1, j < leaves_b - 1
        if not inner_a and not inner_b:
            for m in range((i - leaves_a + 1) * LEAF, min((i - leaves_a + 2) * LEAF, len(order_a))):
                for n in range((j - leaves_b + 1) * LEAF, min((j - leaves_b + 2) * LEAF, len(order_b))):
                    best = triangle_to_triangle(first[order_a[m]], second[order_b[n]], p, q, p1, q1, best)
            continue
        size_a = nodes_a[i, 3] - nodes_a[i, 0] + nodes_a[i, 4] - nodes_a[i, 1] + nodes_a[i, 5] - nodes_a[i, 2]
        size_b = nodes_b[j, 3] - nodes_b[j, 0] + nodes_b[j, 4] - nodes_b[j, 1] + nodes_b[j, 5] - nodes_b[j, 2]
        if inner_a and (size_a >= size_b or not inner_b):
            near, far = 2 * i + 1, 2 * i + 2
            if box_gap2(nodes_a, far, nodes_b, j) < box_gap2(nodes_a, near, nodes_b, j):
                near, far = far, near
            stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = far, j, near, j
        else:
            near, far = 2 * j + 1, 2 * j + 2
            if box_gap2(nodes_a, i, nodes_b, far) < box_gap2(nodes_a, i, nodes_b, near):
                near, far = far, near
            stack[top, 0], stack[top, 1], stack[top + 1, 0], stack[top + 1, 1] = i, far, i, near
        top += 2
    return best


@kernel
def winding(corners, x, y, z):
    """How many times the skin winds around a point: 1 inside, 0 outside (solid angles, Van Oosterom and Strackee)."""
    total = 0.0
    for f in range(len(corners)):
        ax, ay, az = corners[f, 0, 0] - x, corners[f, 0, 1] - y, corners[f, 0, 2] - z
        bx, by, bz = corners[f, 1, 0] - x, corners[f, 1, 1] - y, corners[f, 1, 2] - z
        cx, cy, cz = corners[f, 2, 0] - x, corners[f, 2, 1] - y, corners[f, 2, 2] - z
        la, lb, lc = (
            np.sqrt(ax * ax + ay * ay + az * az),
            np.sqrt(bx * bx + by * by + bz * bz),
            np.sqrt(cx * cx + cy * cy + cz * cz),
        )
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        spread = (
            la * lb * lc
            + (ax * bx + ay * by + az * bz) * lc
            + (bx * cx + by * cy + bz * cz) * la
            + (cx * ax + cy * ay + cz * az) * lb
        )
        total += np.arctan2(volume, spread)
    return total / (2.0 * np.pi)
