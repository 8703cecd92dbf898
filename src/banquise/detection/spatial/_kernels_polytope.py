# mypy: ignore-errors
"""The expanding polytope: the face of D = A - B closest to an origin inside it."""

import numpy as np
from numba import njit

from banquise.detection.spatial._kernels_simplex import on_triangle
from banquise.detection.spatial._kernels_support import difference, support_of_difference, towards
from banquise.jit import bare_inner as bare

SURE, UNSURE, FAR, FLAT = 0, 1, 2, 3

# Numbers handed to another kernel are made int64 by np.int64(): a literal would compile that kernel once more for its
# value.
POINTS, FACES = 160, 1000  # of the expanding polytope; a pair that needs more is handed back UNSURE
RIM = 320  # edges of an outline
# A face of the polytope is a row of whole numbers: its three corners, the faces beyond its edges, which of their edges
# those are. One table, not three: each array handed to a kernel costs it some ten words. The height of a face is that of
# its plane, infinite once the face is gone.
NEAR, BACK = 3, 6
# Of the faces (0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2): the face beyond each edge, and which of its edges it is.
TETRAHEDRON = np.array(
    [
        [[1, 2], [3, 2], [2, 0]],
        [[2, 2], [3, 0], [0, 0]],
        [[0, 2], [3, 1], [1, 0]],
        [[1, 1], [2, 1], [0, 1]],
    ]
)

# Bounds that agree to this part of the sizes are called equal. Rounding of v is some 1e-16 of the sizes.
AGREE = 1e-13


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def add_face(links, plane, height, points, count, i, j, k):
    """Write face (i, j, k) with its unit normal and distance in row `count`; False when it has no area."""
    ax, ay, az = points[i, 0], points[i, 1], points[i, 2]
    ux, uy, uz = points[j, 0] - ax, points[j, 1] - ay, points[j, 2] - az
    vx, vy, vz = points[k, 0] - ax, points[k, 1] - ay, points[k, 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    good = nn > 1e-26 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
    shrink = 1.0 / np.sqrt(nn)
    nx, ny, nz = nx * shrink, ny * shrink, nz * shrink
    links[count, 0], links[count, 1], links[count, 2] = i, j, k
    plane[count, 0], plane[count, 1], plane[count, 2] = nx, ny, nz
    plane[count, 3] = height[count] = nx * ax + ny * ay + nz * az
    return good


@bare
def first_tetrahedron(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale):
    """Grow the simplex points[:n] to a tetrahedron that is not flat; returns how many corners it got to."""
    while n < 4:
        grown = False
        for k in range(6):
            x, y, z = 0.0, 0.0, 0.0
            sign = 1.0 if k < 3 else -1.0
            if n == 3:
                ux, uy, uz = points[1, 0] - points[0, 0], points[1, 1] - points[0, 1], points[1, 2] - points[0, 2]
                vx, vy, vz = points[2, 0] - points[0, 0], points[2, 1] - points[0, 1], points[2, 2] - points[0, 2]
                x, y, z = sign * (uy * vz - uz * vy), sign * (uz * vx - ux * vz), sign * (ux * vy - uy * vx)
            elif k % 3 == 0:
                x = sign
            elif k % 3 == 1:
                y = sign
            else:
                z = sign
            if n == 2:  # across the segment: without its part along it
                ux, uy, uz = points[1, 0] - points[0, 0], points[1, 1] - points[0, 1], points[1, 2] - points[0, 2]
                along = (x * ux + y * uy + z * uz) / (ux * ux + uy * uy + uz * uz)
                x, y, z = x - along * ux, y - along * uy, z - along * uz
            size = np.sqrt(x * x + y * y + z * z)
            if size == 0.0:
                continue
            p, q = support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, points, n)
            rise = (
                x * (points[n, 0] - points[0, 0])
                + y * (points[n, 1] - points[0, 1])
                + z * (points[n, 2] - points[0, 2])
            )
            if rise > 1e-12 * scale * size:
                ends[n, 0], ends[n, 1] = p, q
                grown = True
                break
        if not grown:
            return n
        n += 1
    return n


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def nearest_face(height, faces):
    """Number of the face of the least height; rows come in fours.

    Looking at some fifty of them beats a heap, whose every level is a jump the processor cannot foresee.
    """
    best, low = 0, np.inf
    for k in range(0, faces, 4):
        i = k + 1 if height[k + 1] < height[k] else k
        m = height[k + 1] if height[k + 1] < height[k] else height[k]
        j = k + 3 if height[k + 3] < height[k + 2] else k + 2
        n = height[k + 3] if height[k + 3] < height[k + 2] else height[k + 2]
        i = j if n < m else i
        m = n if n < m else m
        best = i if m < low else best
        low = m if m < low else low
    return best


@bare
def horizon(links, path, plane, height, low, points, s, slack):
    """Remove the faces that corner s sees, from face `low` on; the number of edges of their outline.

    The outline goes to path[:, :2]: the face beyond each edge and which of its edges it is, counter-clockwise seen
    from s. Walked from face to face in depth, with a stack in path[:, 2:]: only what is seen is looked at.
    """
    x, y, z = points[s, 0], points[s, 1], points[s, 2]
    height[low] = np.inf
    top, edges = 3, 0
    for k in range(3):
        path[2 - k, 2], path[2 - k, 3] = links[low, NEAR + k], links[low, BACK + k]
    while top > 0:
        top -= 1
        f, e = path[top, 2], path[top, 3]
        if height[f] == np.inf:
            continue
        if plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z - plane[f, 3] <= slack:
            if edges == len(path):
                return -1
            path[edges, 0], path[edges, 1] = f, e
            edges += 1
            continue
        height[f] = np.inf
        if top + 2 > len(path):
            return -1
        for turn in range(2, 0, -1):
            side = e + turn
            side -= 3 if side > 2 else 0
            path[top, 2], path[top, 3] = links[f, NEAR + side], links[f, BACK + side]
            top += 1
    return edges


@bare
def cone(links, path, plane, height, faces, edges, points, n):
    """Faces from the outline in `path` to corner n, joined to each other and to what is beyond; False if that fails."""
    for m in range(edges):
        g, e = path[m, 0], path[m, 1]
        to, new = links[g, e], faces + m
        frm = links[g, 0 if e == 2 else e + 1]
        if m > 0 and frm != links[new - 1, 1]:  # rounding tore the outline
            return False
        if not add_face(links, plane, height, points, new, frm, to, n):
            return False
        links[new, NEAR], links[new, BACK] = g, e
        links[g, NEAR + e], links[g, BACK + e] = new, 0
        links[new, NEAR + 1], links[new, BACK + 1] = faces if m == edges - 1 else new + 1, 2
        links[new, NEAR + 2], links[new, BACK + 2] = faces + edges - 1 if m == 0 else new - 1, 1
    return links[faces, 0] == links[faces + edges - 1, 1]


@bare
def first_faces(links, plane, height, points, ends):
    """The four faces of the tetrahedron points[:4], seen from outside; False when it is flat."""
    for _ in range(2):
        if not add_face(links, plane, height, points, np.int64(0), np.int64(0), np.int64(1), np.int64(2)):
            return False
        if plane[0, 0] * points[3, 0] + plane[0, 1] * points[3, 1] + plane[0, 2] * points[3, 2] <= plane[0, 3]:
            break
        for r in range(3):
            points[0, r], points[1, r] = points[1, r], points[0, r]
        ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1] = ends[1, 0], ends[1, 1], ends[0, 0], ends[0, 1]
    good = add_face(links, plane, height, points, np.int64(1), np.int64(0), np.int64(3), np.int64(1))
    good = good and add_face(links, plane, height, points, np.int64(2), np.int64(0), np.int64(2), np.int64(3))
    good = good and add_face(links, plane, height, points, np.int64(3), np.int64(1), np.int64(3), np.int64(2))
    for f in range(4):
        for k in range(3):
            links[f, NEAR + k], links[f, BACK + k] = TETRAHEDRON[f, k, 0], TETRAHEDRON[f, k, 1]
    return good


@bare
def epa(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale, polytope, weight, result):
    """Face of D closest to the origin, from the simplex points[:n] around it. Returns status and writes `result`.

    result: unit normal of D outwards (3), distance of the face below the origin (negative when the origin is outside).
    The corners of the triangle below the origin and its weights go to ends[:3], weight[:3].
    """
    links, path, plane, height = polytope
    corners = shapes[0]
    fa, la, fb, lb = bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1]
    n = first_tetrahedron(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale)
    if n < 4:
        return FLAT
    if not first_faces(links, plane, height, points, ends):
        return UNSURE
    faces = np.int64(4)
    agree = AGREE * scale
    while True:
        low = nearest_face(height, faces)
        if height[low] == np.inf:
            return UNSURE
        x, y, z = plane[low, 0], plane[low, 1], plane[low, 2]
        p, q = towards(shapes, fa, la, fb, lb, sa, sb, turn, x, y, z)
        difference(corners, p, q, turn, shift, points, n)
        rise = x * points[n, 0] + y * points[n, 1] + z * points[n, 2] - plane[low, 3]
        same = False
        for k in range(3):
            same = same or (ends[links[low, k], 0] == p and ends[links[low, k], 1] == q)
        if rise <= agree or same:
            if rise > 1e-11 * scale:
                return UNSURE
            break
        ends[n, 0], ends[n, 1] = p, q
        edges = horizon(links, path, plane, height, low, points, n, 0.5 * agree)
        if (
            edges < 3
            or n + 2 > POINTS
            or faces + edges > FACES
            or not cone(links, path, plane, height, faces, edges, points, n)
        ):
            return UNSURE
        faces += edges
        for f in range(faces, (faces + 3) // 4 * 4):
            height[f] = np.inf
        n += 1
    for r in range(4):
        result[r] = plane[low, r]
    # Of the triangles in that plane, the one that holds the foot of the origin.
    nearest, chosen = np.inf, low
    for g in range(-1, faces):
        f = low if g < 0 else g  # that very one first: mostly it does
        if nearest <= agree * agree:
            break
        if height[f] < np.inf and plane[f, 3] - plane[low, 3] <= 2.0 * agree:
            a, b, c = on_triangle(points, links[f, 0], links[f, 1], links[f, 2])
            far2 = 0.0
            for r in range(3):
                part = a * points[links[f, 0], r] + b * points[links[f, 1], r] + c * points[links[f, 2], r]
                far2 += (part - plane[low, r] * plane[low, 3]) ** 2
            if far2 < nearest:
                nearest, chosen = far2, f
                weight[0], weight[1], weight[2] = a, b, c
    i, j, k = links[chosen, 0], links[chosen, 1], links[chosen, 2]
    p0, q0, p1, q1, p2, q2 = ends[i, 0], ends[i, 1], ends[j, 0], ends[j, 1], ends[k, 0], ends[k, 1]
    ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], ends[2, 0], ends[2, 1] = p0, q0, p1, q1, p2, q2
    return SURE if nearest <= (1e-9 * scale) ** 2 or result[3] < 0.0 else UNSURE
