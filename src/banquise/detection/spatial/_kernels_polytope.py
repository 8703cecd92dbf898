# mypy: ignore-errors
"""The expanding polytope: the face of D = A - B closest to an origin inside it."""

import numpy as np

from banquise.detection.spatial._kernels_simplex import on_triangle
from banquise.detection.spatial._kernels_support import difference, support_of_difference, towards
from banquise.jit import bare_inline as inline
from banquise.jit import bare_inner as bare

SURE, UNSURE, FAR, FLAT = 0, 1, 2, 3

# Numbers handed to another kernel are made int64 by np.int64(): a literal would compile that kernel once more for its
# value.
POINTS = 160  # of the expanding polytope; a pair that needs more is handed back UNSURE
FACES = 2 * POINTS  # a closed skin of triangles with n corners has 2 n - 4 of them
# Whole numbers of the polytope stand in one row of short ones, for each array handed to a kernel costs it some ten words,
# and an index that cannot be negative costs no test for counting from the end. In turn: the face left of each edge, by the
# edge's two corners; three corners of each face; the faces seen; which faces are among them; the corner after each one
# along the outline, and a place for what is to be forgotten.
EDGE, TRIANGLE = POINTS, POINTS * POINTS
SEEN = TRIANGLE + 4 * FACES
MARK = SEEN + FACES + 1
AFTER = MARK + FACES
LINKS = AFTER + POINTS + 1
FORGET = POINTS
# Keys of faces: the height in steps of 2^-52 of the sizes, then the number of the face, so that the least one of a row
# of whole numbers, which takes no branch, tells the face.
PLACES = 9
GONE = np.int64(2**63 - 1)

# Bounds that agree to this part of the sizes are called equal. Rounding of v is some 1e-16 of the sizes.
AGREE = 1e-13


@inline
def add_face(plane, keys, links, f, i, j, k, ux, uy, uz, vx, vy, vz, x, y, z, grid):
    """Write face f = (i, j, k), its unit normal and height; False when it has no area.

    Corner k is (x, y, z); (ux, uy, uz) and (vx, vy, vz) lead from it to i and j.
    """
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    good = nn > 1e-26 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
    shrink = 1.0 / np.sqrt(nn)
    nx, ny, nz = nx * shrink, ny * shrink, nz * shrink
    height = nx * x + ny * y + nz * z
    plane[f, 0], plane[f, 1], plane[f, 2], plane[f, 3] = nx, ny, nz, height
    keys[f] = (np.int64(height * grid) << PLACES) + np.int64(f)
    links[TRIANGLE + 4 * f], links[TRIANGLE + 4 * f + 1], links[TRIANGLE + 4 * f + 2] = i, j, k
    links[i * EDGE + j] = f
    links[j * EDGE + k] = f
    links[k * EDGE + i] = f
    links[MARK + f] = 0
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


@inline
def turn_outwards(points, ends):
    """Exchange the first two corners of the tetrahedron points[:4] where its faces (`face_of_tetrahedron`) look inwards."""
    ux, uy, uz = points[0, 0] - points[3, 0], points[0, 1] - points[3, 1], points[0, 2] - points[3, 2]
    vx, vy, vz = points[1, 0] - points[3, 0], points[1, 1] - points[3, 1], points[1, 2] - points[3, 2]
    wx, wy, wz = points[2, 0] - points[3, 0], points[2, 1] - points[3, 1], points[2, 2] - points[3, 2]
    if wx * (uy * vz - uz * vy) + wy * (uz * vx - ux * vz) + wz * (ux * vy - uy * vx) < 0.0:
        for r in range(3):
            points[0, r], points[1, r] = points[1, r], points[0, r]
        ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1] = ends[1, 0], ends[1, 1], ends[0, 0], ends[0, 1]


@inline
def face_of_tetrahedron(f):
    """The corners of its face f, seen from outside: (0, 1, 2), (3, 2, 1), (0, 2, 3), (1, 0, 3)."""
    i = np.int64(3 if f == 1 else (1 if f == 3 else 0))
    j = np.int64(1 if f == 0 else (0 if f == 3 else 2))
    k = np.int64(2 if f == 0 else (1 if f == 1 else 3))
    return i, j, k


@bare
def first_faces(plane, keys, links, points, ends, grid):
    """The four faces of the tetrahedron points[:4], seen from outside; False when it is flat."""
    turn_outwards(points, ends)
    good = True
    for f in range(4):
        i, j, k = face_of_tetrahedron(f)
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        good &= add_face(
            plane, keys, links, f, i, j, k, points[i, 0] - x, points[i, 1] - y, points[i, 2] - z, points[j, 0] - x,
            points[j, 1] - y, points[j, 2] - z, x, y, z, grid,
        )  # fmt: skip
    for f in range(4, 8):
        keys[f] = GONE
    return good


@inline
def corners_of(links, f):
    """The three corners of face f."""
    at = TRIANGLE + 4 * f
    return np.int64(links[at]), np.int64(links[at + 1]), np.int64(links[at + 2])


@inline
def past_edge(plane, links, i, j, x, y, z, slack, seen, edges, start):
    """Look past edge (i, j) of a face that (x, y, z) sees: the face there is seen too, or the edge is of the outline.

    Without branches, for neither can be foreseen: returns the number of faces seen, of edges of the outline, a corner of it.
    """
    g = links[j * EDGE + i]
    above = np.int64(plane[g, 0] * x + plane[g, 1] * y + plane[g, 2] * z - plane[g, 3] > slack)
    mark = np.int64(links[MARK + g])
    links[SEEN + seen] = g
    links[MARK + g] = mark | above
    links[AFTER + i + above * (FORGET - i)] = j
    return seen + (above & (1 - mark)), edges + 1 - above, i + above * (start - i)


@inline
def outline(plane, links, low, x, y, z, slack):
    """Faces that (x, y, z) sees, from face `low` on: how many, how many edges their outline has, and a corner of it."""
    links[SEEN], links[MARK + low] = low, 1
    looked, seen, edges, start = 0, np.int64(1), np.int64(0), np.int64(0)
    while looked < seen:
        i, j, k = corners_of(links, np.int64(links[SEEN + looked]))
        seen, edges, start = past_edge(plane, links, i, j, x, y, z, slack, seen, edges, start)
        seen, edges, start = past_edge(plane, links, j, k, x, y, z, slack, seen, edges, start)
        seen, edges, start = past_edge(plane, links, k, i, x, y, z, slack, seen, edges, start)
        looked += 1
    return seen, edges, start


@inline
def cone(plane, keys, links, points, n, seen, edges, start, faces, x, y, z, grid):
    """Faces from the outline to corner n = (x, y, z), in the rows of the `seen` ones and behind; False if that fails."""
    good = True
    i = np.int64(links[AFTER + start])
    ux, uy, uz = points[i, 0] - x, points[i, 1] - y, points[i, 2] - z
    begin = i
    for m in range(edges):
        j = np.int64(links[AFTER + i])
        f = np.int64(links[SEEN + m]) if m < seen else faces + m - seen
        vx, vy, vz = points[j, 0] - x, points[j, 1] - y, points[j, 2] - z
        good &= add_face(plane, keys, links, f, i, j, n, ux, uy, uz, vx, vy, vz, x, y, z, grid)
        good &= (j == begin) == (m == edges - 1)  # otherwise rounding tore the outline
        i = j
        ux, uy, uz = vx, vy, vz
    for m in range(edges, seen):
        keys[links[SEEN + m]] = GONE
    return good


@bare
def epa(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale, polytope, weight, result):
    """Face of D closest to the origin, from the simplex points[:n] around it. Returns status and writes `result`.

    result: unit normal of D outwards (3), distance of the face below the origin (negative when the origin is outside).
    The corners of the triangle below the origin and its weights go to ends[:3], weight[:3].
    """
    plane, keys, links = polytope
    corners = shapes[0]
    fa, la, fb, lb = bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1]
    n = first_tetrahedron(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale)
    if n < 4:
        return FLAT
    grid = 2.0**52 / scale
    if not first_faces(plane, keys, links, points, ends, grid):
        return UNSURE
    faces = np.int64(4)
    agree = AGREE * scale
    while True:
        key = GONE
        for f in range(8 * ((faces + 7) // 8)):
            key = keys[f] if keys[f] < key else key
        low = key & (2**PLACES - 1)
        nx, ny, nz = plane[low, 0], plane[low, 1], plane[low, 2]
        p, q = towards(shapes, fa, la, fb, lb, sa, sb, turn, nx, ny, nz)
        difference(corners, p, q, turn, shift, points, n)
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        rise = nx * x + ny * y + nz * z - plane[low, 3]
        i, j, k = corners_of(links, low)
        same = (ends[i, 0] == p and ends[i, 1] == q) or (ends[j, 0] == p and ends[j, 1] == q)
        same = same or (ends[k, 0] == p and ends[k, 1] == q)
        if rise <= agree or same:
            if rise > 1e-11 * scale:
                return UNSURE
            break
        ends[n, 0], ends[n, 1] = p, q
        seen, edges, start = outline(plane, links, low, x, y, z, 0.5 * agree)
        behind = faces + max(edges - seen, 0)
        if edges < 3 or n + 2 > POINTS or behind + 8 > FACES:
            return UNSURE
        if not cone(plane, keys, links, points, n, seen, edges, start, faces, x, y, z, grid):
            return UNSURE
        faces = behind
        for f in range(faces, faces + 8):
            keys[f] = GONE
        n += 1
    for r in range(4):
        result[r] = plane[low, r]
    # Of the triangles in that plane, the one that holds the foot of the origin.
    nearest, chosen = np.inf, low
    for g in range(-1, faces):
        f = low if g < 0 else g  # that very one first: mostly it does
        if nearest <= agree * agree:
            break
        if keys[f] < GONE and plane[f, 3] - plane[low, 3] <= 2.0 * agree:
            i, j, k = corners_of(links, f)
            a, b, c = on_triangle(points, i, j, k)
            far2 = 0.0
            for r in range(3):
                part = a * points[i, r] + b * points[j, r] + c * points[k, r]
                far2 += (part - plane[low, r] * plane[low, 3]) ** 2
            if far2 < nearest:
                nearest, chosen = far2, f
                weight[0], weight[1], weight[2] = a, b, c
    i, j, k = corners_of(links, chosen)
    p0, q0, p1, q1, p2, q2 = ends[i, 0], ends[i, 1], ends[j, 0], ends[j, 1], ends[k, 0], ends[k, 1]
    ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], ends[2, 0], ends[2, 1] = p0, q0, p1, q1, p2, q2
    return SURE if nearest <= (1e-9 * scale) ** 2 or result[3] < 0.0 else UNSURE
