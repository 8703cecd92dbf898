# mypy: ignore-errors
"""Separating axes: every direction that can part two convex bodies, tried in turn.

The faces of D = A - B are those of A, those of B turned round, and one for each pair of edges whose arcs cross on the
sphere of normals. The largest gap over their normals is the signed distance of a pair that overlaps, and a lower bound
for one that does not.
"""

import numpy as np

from banquise.jit import inner, kernel


@inner
def extreme(corners, first, last, x, y, z):
    """Largest coordinate of the corners along (x, y, z)."""
    far = -np.inf
    for k in range(first, last):
        far = max(far, corners[k, 0] * x + corners[k, 1] * y + corners[k, 2] * z)
    return far


@inner
def turned(m, x, y, z):
    """Matrix m times a vector."""
    return (
        m[0, 0] * x + m[0, 1] * y + m[0, 2] * z,
        m[1, 0] * x + m[1, 1] * y + m[1, 2] * z,
        m[2, 0] * x + m[2, 1] * y + m[2, 2] * z,
    )


@inner
def turned_back(m, x, y, z):
    """Transpose of matrix m times a vector."""
    return (
        m[0, 0] * x + m[1, 0] * y + m[2, 0] * z,
        m[0, 1] * x + m[1, 1] * y + m[2, 1] * z,
        m[0, 2] * x + m[1, 2] * y + m[2, 2] * z,
    )


@inner
def gap_along(corners, bounds, sa, sb, turn, shift, x, y, z):
    """Gap of A and B along the unit vector (x, y, z) of A's frame, from a to b."""
    bx, by, bz = turned_back(turn, -x, -y, -z)
    top = extreme(corners, bounds[sa], bounds[sa + 1], x, y, z)
    bottom = extreme(corners, bounds[sb], bounds[sb + 1], bx, by, bz)
    return shift[0] * x + shift[1] * y + shift[2] * z - bottom - top


@inner
def widest_axis(
    corners, bounds, planes, offsets, plane_bounds, edges, left, right, edge_bounds, sa, sb, turn, shift, stop, best
):
    """Largest gap over the normals of the faces of D; its axis, in A's frame, goes to best[:3].

    Ends as soon as a gap above `stop` is found (infinity: never).
    """
    widest = -np.inf
    for f in range(plane_bounds[sa], plane_bounds[sa + 1]):
        x, y, z = planes[f, 0], planes[f, 1], planes[f, 2]
        bx, by, bz = turned_back(turn, -x, -y, -z)
        gap = (
            shift[0] * x
            + shift[1] * y
            + shift[2] * z
            - extreme(corners, bounds[sb], bounds[sb + 1], bx, by, bz)
            - offsets[f]
        )
        if gap > widest:
            widest, best[0], best[1], best[2] = gap, x, y, z
            if gap > stop:
                return widest
    for f in range(plane_bounds[sb], plane_bounds[sb + 1]):
        x, y, z = turned(turn, -planes[f, 0], -planes[f, 1], -planes[f, 2])
        gap = (
            shift[0] * x
            + shift[1] * y
            + shift[2] * z
            - offsets[f]
            - extreme(corners, bounds[sa], bounds[sa + 1], x, y, z)
        )
        if gap > widest:
            widest, best[0], best[1], best[2] = gap, x, y, z
            if gap > stop:
                return widest
    for j in range(edge_bounds[sb], edge_bounds[sb + 1]):
        q0, q1 = edges[j, 0], edges[j, 1]
        qx, qy, qz = turned(turn, corners[q0, 0], corners[q0, 1], corners[q0, 2])
        qx, qy, qz = qx + shift[0], qy + shift[1], qz + shift[2]
        fx, fy, fz = turned(
            turn, corners[q1, 0] - corners[q0, 0], corners[q1, 1] - corners[q0, 1], corners[q1, 2] - corners[q0, 2]
        )
        cx, cy, cz = turned(turn, -left[j, 0], -left[j, 1], -left[j, 2])
        dx, dy, dz = turned(turn, -right[j, 0], -right[j, 1], -right[j, 2])
        for i in range(edge_bounds[sa], edge_bounds[sa + 1]):
            p0, p1 = edges[i, 0], edges[i, 1]
            ex, ey, ez = (
                corners[p1, 0] - corners[p0, 0],
                corners[p1, 1] - corners[p0, 1],
                corners[p1, 2] - corners[p0, 2],
            )
            # Arcs left-right of A and of -B cross when each pair of ends lies on both sides of the other's plane, and
            # both on the same half of the sphere. The edge itself is the normal of the plane of its arc, up to its
            # length.
            sc = cx * ex + cy * ey + cz * ez
            sd = dx * ex + dy * ey + dz * ez
            if sc * sd >= 0.0:
                continue
            sl = left[i, 0] * fx + left[i, 1] * fy + left[i, 2] * fz
            sr = right[i, 0] * fx + right[i, 1] * fy + right[i, 2] * fz
            if sl * sr >= 0.0:
                continue
            x, y, z = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
            size2 = x * x + y * y + z * z
            if size2 <= 1e-24 * (ex * ex + ey * ey + ez * ez) * (fx * fx + fy * fy + fz * fz):
                continue  # parallel edges: a face normal does as well
            half = left[i, 0] + right[i, 0], left[i, 1] + right[i, 1], left[i, 2] + right[i, 2]
            other = cx + dx, cy + dy, cz + dz
            sign = 1.0 if half[0] * x + half[1] * y + half[2] * z >= 0.0 else -1.0
            if sign * (other[0] * x + other[1] * y + other[2] * z) <= 0.0:
                continue
            size = sign / np.sqrt(size2)
            x, y, z = x * size, y * size, z * size
            gap = (qx - corners[p0, 0]) * x + (qy - corners[p0, 1]) * y + (qz - corners[p0, 2]) * z
            if gap > widest:
                widest, best[0], best[1], best[2] = gap, x, y, z
                if gap > stop:
                    return widest
    return widest


@kernel
def separate(
    first,
    last,
    pairs,
    shape_of,
    position,
    rotation,
    corners,
    bounds,
    planes,
    offsets,
    plane_bounds,
    edges,
    left,
    right,
    edge_bounds,
    radius,
    reach,
    witness,
    gap,
    tried,
):
    """Approximate phase: gap along a separating axis, or the widest one. The axis stays in `witness`, world frame.

    A pair that last step's axis still parts by more than `reach` costs two extremes (`tried` 1), any other all axes.
    """
    turn, shift, best = np.empty((3, 3)), np.empty(3), np.empty(3)
    for pair in range(first, last):
        a, b = pairs[pair, 0], pairs[pair, 1]
        sa, sb = shape_of[a], shape_of[b]
        for r in range(3):
            shift[r] = 0.0
            for k in range(3):
                shift[r] += rotation[a, k, r] * (position[b, k] - position[a, k])
                turn[r, k] = 0.0
                for m in range(3):
                    turn[r, k] += rotation[a, m, r] * rotation[b, m, k]
        far = reach + radius[sa] + radius[sb]
        tried[pair] = 1
        x, y, z = turned_back(rotation[a], witness[pair, 0], witness[pair, 1], witness[pair, 2])
        if x != 0.0 or y != 0.0 or z != 0.0:
            kept = gap_along(corners, bounds, sa, sb, turn, shift, x, y, z)
            if kept > far:
                gap[pair] = kept - radius[sa] - radius[sb]
                continue
        tried[pair] = 2
        widest = widest_axis(
            corners,
            bounds,
            planes,
            offsets,
            plane_bounds,
            edges,
            left,
            right,
            edge_bounds,
            sa,
            sb,
            turn,
            shift,
            far,
            best,
        )
        gap[pair] = widest - radius[sa] - radius[sb]
        for r in range(3):
            witness[pair, r] = rotation[a, r, 0] * best[0] + rotation[a, r, 1] * best[1] + rotation[a, r, 2] * best[2]
