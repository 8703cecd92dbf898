# mypy: ignore-errors
"""Contact polygons: the five steps from a common plane to contact points with their gaps.

The frame is the world's axes with the origin at body A. On the plane, (u, w) are coordinates along two tangents.
"""

import numpy as np

from banquise.jit import inner, kernel

ON_IT = 1e-6  # of the smaller body: a contact point this near to the closest distance is one of the closest
SAME_SIDE = 1e-7  # of the smaller body: outlines nearer than this are on each other


@inner
def tangents(x, y, z, frame):
    """Fill frame[0], frame[1] with two unit tangents of the unit normal (x, y, z)."""
    # Across the axis least along the normal: never degenerate, and a function of the normal alone.
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        ux, uy, uz = 0.0, z, -y
    elif abs(y) <= abs(z):
        ux, uy, uz = -z, 0.0, x
    else:
        ux, uy, uz = y, -x, 0.0
    size = np.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / size, uy / size, uz / size
    frame[0, 0], frame[0, 1], frame[0, 2] = ux, uy, uz
    frame[1, 0], frame[1, 1], frame[1, 2] = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux


@inner
def near_corners(corners, first, last, rotation, shift, normal, sign, slack, frame, out):
    """Corners within `slack` of the extreme along sign * normal, on the plane; returns their number and the extreme."""
    lx = rotation[0, 0] * normal[0] + rotation[1, 0] * normal[1] + rotation[2, 0] * normal[2]
    ly = rotation[0, 1] * normal[0] + rotation[1, 1] * normal[1] + rotation[2, 1] * normal[2]
    lz = rotation[0, 2] * normal[0] + rotation[1, 2] * normal[1] + rotation[2, 2] * normal[2]
    far = -np.inf
    for k in range(first, last):
        far = max(far, sign * (corners[k, 0] * lx + corners[k, 1] * ly + corners[k, 2] * lz))
    count = 0
    for k in range(first, last):
        if sign * (corners[k, 0] * lx + corners[k, 1] * ly + corners[k, 2] * lz) < far - slack:
            continue
        u, w = 0.0, 0.0
        for r in range(3):
            part = (
                shift[r]
                + rotation[r, 0] * corners[k, 0]
                + rotation[r, 1] * corners[k, 1]
                + rotation[r, 2] * corners[k, 2]
            )
            u += frame[0, r] * part
            w += frame[1, r] * part
        out[count, 0], out[count, 1] = u, w
        count += 1
    along = shift[0] * normal[0] + shift[1] * normal[1] + shift[2] * normal[2]
    return count, sign * far + along


@inner
def flat_hull(points, n, small, hull):
    """Convex hull of points[:n] in the plane, counter-clockwise; one point or two when they lie within `small`."""
    for i in range(1, n):  # insertion sort: n is small
        u, w = points[i, 0], points[i, 1]
        j = i - 1
        while j >= 0 and (points[j, 0] > u or (points[j, 0] == u and points[j, 1] > w)):
            points[j + 1, 0], points[j + 1, 1] = points[j, 0], points[j, 1]
            j -= 1
        points[j + 1, 0], points[j + 1, 1] = u, w
    count = 0
    for way in range(2):
        base = count
        for step in range(n):
            k = step if way == 0 else n - 1 - step
            u, w = points[k, 0], points[k, 1]
            while count - base >= 2:
                au, aw = hull[count - 2, 0], hull[count - 2, 1]
                bu, bw = hull[count - 1, 0], hull[count - 1, 1]
                reach = np.sqrt((u - au) ** 2 + (w - aw) ** 2)
                if (bu - au) * (w - aw) - (bw - aw) * (u - au) > small * reach:
                    break
                count -= 1
            if count > base and (hull[count - 1, 0] - u) ** 2 + (hull[count - 1, 1] - w) ** 2 <= small * small:
                continue
            hull[count, 0], hull[count, 1] = u, w
            count += 1
        if count - base > 1 or way == 1:
            count -= 1  # the end of one chain is the start of the other
    return max(count, 1)


@inner
def cross_segments(p, q, small, out):
    """Meeting points of two segments p[:2], q[:2]: their common stretch when parallel, else where their lines cross."""
    du, dw = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1]
    eu, ew = q[1, 0] - q[0, 0], q[1, 1] - q[0, 1]
    length, other = np.sqrt(du * du + dw * dw), np.sqrt(eu * eu + ew * ew)
    cross = du * ew - dw * eu
    if abs(cross) > small * (length + other):
        t = ((q[0, 0] - p[0, 0]) * ew - (q[0, 1] - p[0, 1]) * eu) / cross
        t = min(max(t, 0.0), 1.0)
        out[0, 0], out[0, 1] = p[0, 0] + t * du, p[0, 1] + t * dw
        return 1
    s = ((q[0, 0] - p[0, 0]) * du + (q[0, 1] - p[0, 1]) * dw) / (length * length)
    t = ((q[1, 0] - p[0, 0]) * du + (q[1, 1] - p[0, 1]) * dw) / (length * length)
    low, high = max(0.0, min(s, t)), min(1.0, max(s, t))
    if low > high + small / length:
        return 0
    out[0, 0], out[0, 1] = p[0, 0] + low * du, p[0, 1] + low * dw
    if (high - low) * length <= small:
        return 1
    out[1, 0], out[1, 1] = p[0, 0] + high * du, p[0, 1] + high * dw
    return 2


@inner
def meet(p, n, q, m, small, spare, out):
    """Intersection of two convex polygons p[:n] and q[:m], points and segments included; returns its corners."""
    if n == 1:
        out[0, 0], out[0, 1] = p[0, 0], p[0, 1]
        return 1
    if m == 1:
        out[0, 0], out[0, 1] = q[0, 0], q[0, 1]
        return 1
    if n == 2 and m == 2:
        return cross_segments(p, q, small, out)
    if m == 2:
        p, n, q, m = q, m, p, n
    count = n
    for k in range(n):
        out[k, 0], out[k, 1] = p[k, 0], p[k, 1]
    for k in range(m):  # cut by each side of q in turn
        j = 0 if k == m - 1 else k + 1
        du, dw = q[j, 0] - q[k, 0], q[j, 1] - q[k, 1]
        size = np.sqrt(du * du + dw * dw)
        kept = 0
        for i in range(count):
            h = 0 if i == count - 1 else i + 1
            here = (du * (out[i, 1] - q[k, 1]) - dw * (out[i, 0] - q[k, 0])) / size
            there = (du * (out[h, 1] - q[k, 1]) - dw * (out[h, 0] - q[k, 0])) / size
            if here >= -small:
                spare[kept, 0], spare[kept, 1] = out[i, 0], out[i, 1]
                kept += 1
            if (here > small and there < -small) or (here < -small and there > small):
                t = here / (here - there)
                spare[kept, 0] = out[i, 0] + t * (out[h, 0] - out[i, 0])
                spare[kept, 1] = out[i, 1] + t * (out[h, 1] - out[i, 1])
                kept += 1
        count = 0
        for i in range(kept):
            near = False
            for h in range(count):
                near = near or (abs(out[h, 0] - spare[i, 0]) <= small and abs(out[h, 1] - spare[i, 1]) <= small)
            if not near:
                out[count, 0], out[count, 1] = spare[i, 0], spare[i, 1]
                count += 1
        if count == 0:
            return 0
    return count


@inner
def area_and_middle(poly, n):
    """Area and centre of a convex polygon; the middle of a segment or point."""
    u0, w0 = poly[0, 0], poly[0, 1]
    area, mu, mw = 0.0, 0.0, 0.0
    for k in range(1, n - 1):
        au, aw = poly[k, 0] - u0, poly[k, 1] - w0
        bu, bw = poly[k + 1, 0] - u0, poly[k + 1, 1] - w0
        part = 0.5 * (au * bw - aw * bu)
        area += part
        mu += part * (au + bu) / 3.0
        mw += part * (aw + bw) / 3.0
    if area > 0.0:
        return area, u0 + mu / area, w0 + mw / area
    mu, mw = 0.0, 0.0
    for k in range(n):
        mu += poly[k, 0] / n
        mw += poly[k, 1] / n
    return 0.0, mu, mw


@inner
def height(planes, offsets, first, last, rotation, shift, normal, sign, x, y, z, otherwise):
    """Where the line through (x, y, z) along the normal leaves a convex body: coordinate along the normal."""
    nx, ny, nz = normal[0], normal[1], normal[2]
    lx = rotation[0, 0] * nx + rotation[1, 0] * ny + rotation[2, 0] * nz
    ly = rotation[0, 1] * nx + rotation[1, 1] * ny + rotation[2, 1] * nz
    lz = rotation[0, 2] * nx + rotation[1, 2] * ny + rotation[2, 2] * nz
    px, py, pz = x - shift[0], y - shift[1], z - shift[2]
    qx = rotation[0, 0] * px + rotation[1, 0] * py + rotation[2, 0] * pz
    qy = rotation[0, 1] * px + rotation[1, 1] * py + rotation[2, 1] * pz
    qz = rotation[0, 2] * px + rotation[1, 2] * py + rotation[2, 2] * pz
    reach = np.inf
    for f in range(first, last):
        slope = sign * (planes[f, 0] * lx + planes[f, 1] * ly + planes[f, 2] * lz)
        if slope > 0.02:  # steeper faces are sides: a contact point on the rim must not slide down them
            reach = min(reach, (offsets[f] - (planes[f, 0] * qx + planes[f, 1] * qy + planes[f, 2] * qz)) / slope)
    if reach == np.inf:
        return otherwise
    return x * nx + y * ny + z * nz + sign * reach


@inner
def choose(poly, n, gap, room, chosen):
    """Numbers of `room` of the n points: the deepest, then always the one farthest from those taken."""
    best = 0
    for k in range(1, n):
        if gap[k] < gap[best]:
            best = k
    chosen[0] = best
    for taken in range(1, room):
        far = -1.0
        for k in range(n):
            near = np.inf
            for t in range(taken):
                j = chosen[t]
                near = min(near, (poly[k, 0] - poly[j, 0]) ** 2 + (poly[k, 1] - poly[j, 1]) ** 2)
            if near > far:
                far, best = near, k
        chosen[taken] = best
    for i in range(1, room):  # back in order around the polygon
        k, j = chosen[i], i - 1
        while j >= 0 and chosen[j] > k:
            chosen[j + 1] = chosen[j]
            j -= 1
        chosen[j + 1] = k


@kernel
def contacts(
    first,
    last,
    pairs,
    shape_of,
    position,
    rotation,
    corners,
    bounds,
    widest,
    planes,
    offsets,
    plane_bounds,
    radius,
    sizes,
    normal,
    on_a,
    on_b,
    slack,
    point,
    gap,
    count,
    area,
    middle,
):
    """Contact polygon of pairs[first:last]: points (n, room, 3) on the common plane, gaps, count, area and middle."""
    room = point.shape[1]
    frame, origin, shift = np.empty((2, 3)), np.zeros(3), np.empty(3)
    flat_a, flat_b = np.empty((widest, 2)), np.empty((widest, 2))
    hull_a, hull_b = np.empty((2 * widest + 2, 2)), np.empty((2 * widest + 2, 2))
    poly, spare = np.empty((4 * widest + 8, 2)), np.empty((4 * widest + 8, 2))
    gaps, chosen = np.empty(4 * widest + 8), np.empty(4 * widest + 8, np.int64)
    for pair in range(first, last):
        a, b = pairs[pair, 0], pairs[pair, 1]
        sa, sb = shape_of[a], shape_of[b]
        n = normal[pair]
        for r in range(3):
            shift[r] = position[b, r] - position[a, r]
        tangents(n[0], n[1], n[2], frame)
        scale = min(sizes[sa] + radius[sa], sizes[sb] + radius[sb])
        small = 1e-12 * (sizes[sa] + sizes[sb])
        na, top = near_corners(
            corners, bounds[sa], bounds[sa + 1], rotation[a], origin, n, 1.0, slack[pair] * scale, frame, flat_a
        )
        nb, bottom = near_corners(
            corners, bounds[sb], bounds[sb + 1], rotation[b], shift, n, -1.0, slack[pair] * scale, frame, flat_b
        )
        na = flat_hull(flat_a, na, small, hull_a)
        nb = flat_hull(flat_b, nb, small, hull_b)
        # Sides that lie on each other but for rounding must not be crossed: the crossing would be anywhere on them.
        found = meet(hull_a, na, hull_b, nb, SAME_SIDE * scale, spare, poly)
        if found == 0:  # features that meet beyond the slack: the closest points are the contact
            for t in range(2):
                poly[0, t] = 0.0
                for r in range(3):
                    poly[0, t] += frame[t, r] * (0.5 * (on_a[pair, r] + on_b[pair, r]) - position[a, r])
            found = 1
        area[pair], mu, mw = area_and_middle(poly, found)
        level = 0.5 * (top + radius[sa] + bottom - radius[sb])
        for r in range(3):
            middle[pair, r] = position[a, r] + mu * frame[0, r] + mw * frame[1, r] + level * n[r]
        for k in range(found):
            x = poly[k, 0] * frame[0, 0] + poly[k, 1] * frame[1, 0] + level * n[0]
            y = poly[k, 0] * frame[0, 1] + poly[k, 1] * frame[1, 1] + level * n[1]
            z = poly[k, 0] * frame[0, 2] + poly[k, 1] * frame[1, 2] + level * n[2]
            up = height(
                planes, offsets, plane_bounds[sa], plane_bounds[sa + 1], rotation[a], origin, n, 1.0, x, y, z, top
            )
            down = height(
                planes, offsets, plane_bounds[sb], plane_bounds[sb + 1], rotation[b], shift, n, -1.0, x, y, z, bottom
            )
            gaps[k] = down - up - radius[sa] - radius[sb]
        apart, least = 0.0, np.inf
        for r in range(3):
            apart += (on_b[pair, r] - on_a[pair, r]) * n[r]
        for k in range(found):
            least = min(least, gaps[k])
        if least > apart + ON_IT * scale:  # the nearest corner lies inside the outline of those within the slack
            for t in range(2):
                poly[found, t] = 0.0
                for r in range(3):
                    poly[found, t] += frame[t, r] * (0.5 * (on_a[pair, r] + on_b[pair, r]) - position[a, r])
            gaps[found] = apart
            found += 1
        for k in range(found):
            chosen[k] = k
        if found > room:
            choose(poly, found, gaps, room, chosen)
            found = room
        count[pair] = found
        for k in range(found):
            j = chosen[k]
            gap[pair, k] = gaps[j]
            for r in range(3):
                point[pair, k, r] = position[a, r] + poly[j, 0] * frame[0, r] + poly[j, 1] * frame[1, r] + level * n[r]
