# mypy: ignore-errors
"""The nearest face of D = A - B for an origin well inside: the expanding polytope, as short as it gets.

The same search as in `_kernels_polytope`, for pairs without trouble. Whatever is odd (rounding that tears the outline, a
face without area, more than 64 corners) is handed back, and the careful search begins anew.

Faces are kept as four rows (normal, not of unit length, and offset), so that a new corner is held against all of them in
one sweep, eight at a time: the faces it sees come out as the bits of two words, and the least height of the others with
them. The height is compared squared, n.w n.w / n.n, by its bits: no root, and the number of the face in the last bits.
"""

import numpy as np

from banquise.bits import bits_of, lowest_bit
from banquise.detection.spatial._kernels_farthest import (
    COARSE,
    NUMBER,
    corner_of_difference,
    difference_of_rows,
    near_cell,
)
from banquise.detection.spatial._kernels_polytope import AGREE, SURE, UNSURE, face_of_tetrahedron, turn_outwards
from banquise.detection.spatial._kernels_simplex import on_triangle
from banquise.jit import plain_inline as inline
from banquise.jit import plain_inner as plain

CORNERS = 66  # of the polytope, so that its faces are no more than two words have bits
PLANES = 128
# One row of bytes. In turn: the face left of each edge, by the edge's two corners; three corners of each face; faces to
# be written anew; the outline's edges, from and to; the corner after each one along it, and a place to be forgotten.
EDGE = 7  # bits of a corner's number in the number of an edge
TRIANGLE = CORNERS << EDGE
FREE = TRIANGLE + 4 * PLANES
START = FREE + PLANES + 4
END = START + 3 * PLANES
AFTER = END + 3 * PLANES
BYTES = AFTER + CORNERS + 1
FORGET = CORNERS
FEW = 40  # corners of a body, up to which the twelve of a first polytope would not all be different
GONE = np.int64(2**63 - 1)
ZERO, ONE, HALF, LAST = (np.uint64(k) for k in (0, 1, 64, 63))


def _ring(count, angle, turned):
    """Directions in a ring around the first axis."""
    around = 2 * np.pi * (np.arange(count) + turned) / count
    return np.column_stack(
        [np.full(count, np.cos(angle)), np.sin(angle) * np.cos(around), np.sin(angle) * np.sin(around)]
    )


def _first_polytopes():
    """Polytopes to begin with, one behind the other: directions of corners, faces, and which corner lies across an edge.

    An octahedron, and one of twelve corners that is denser around the first axis, along which the bodies lie: between poles,
    two rings of five.
    """
    pole = np.array([[1.0, 0.0, 0.0]])
    ways, faces, across, bounds = [], [], [], [(0, 0, 0)]
    for count, rings in ((4, (np.pi / 2,)), (5, (0.7, 1.6))):
        own = np.vstack([pole, *(_ring(count, angle, 0.5 * (k % 2)) for k, angle in enumerate(rings)), -pole])
        around = [(k, (k + 1) % count) for k in range(count)]
        end = len(own) - 1
        triangles = [(0, 1 + k, 1 + n) for k, n in around] + [
            (end, end - count + n, end - count + k) for k, n in around
        ]
        for k, n in around if len(rings) == 2 else ():  # the second ring is turned by half a step
            triangles += [(1 + k, 1 + count + k, 1 + n), (1 + count + k, 1 + count + n, 1 + n)]
        left = {(t[k], t[(k + 1) % 3]): n for n, t in enumerate(triangles) for k in range(3)}
        across += [(left[i, j], next(c for c in triangles[left[j, i]] if c not in (i, j))) for i, j in left if i < j]
        ways.append(own)
        faces += triangles
        bounds.append((bounds[-1][0] + len(own), bounds[-1][1] + len(triangles), len(across)))
    return np.vstack(ways), np.array(faces), np.array(across), np.array(bounds)


WAYS, FIRST, ACROSS, BEGIN = _first_polytopes()


@inline
def add_face(plane, keys, links, f, i, j, k, ux, uy, uz, vx, vy, vz, x, y, z, slack, least):
    """Write face f = (i, j, k); False when it has no area or the origin is not below it. Also returns its key.

    No area: twice it, squared, is below `least`. Corner k is (x, y, z); (ux, uy, uz) and (vx, vy, vz) lead from it to i and j.
    """
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    offset = nx * x + ny * y + nz * z
    plane[0, f], plane[1, f], plane[2, f] = nx, ny, nz
    plane[3, f] = offset + slack * (abs(nx) + abs(ny) + abs(nz))
    key = (bits_of(offset * offset / nn) & ~NUMBER) | f
    keys[f] = key
    at = TRIANGLE + 4 * f
    links[at], links[at + 1], links[at + 2] = i, j, k
    links[(i << EDGE) + j] = f
    links[(j << EDGE) + k] = f
    links[(k << EDGE) + i] = f
    return (nn > least) & (offset > 0.0), key


@inline
def face_of_points(plane, keys, links, points, f, i, j, k, slack, least):
    """The same from the corners' numbers alone; True when it is good."""
    x, y, z = points[k, 0], points[k, 1], points[k, 2]
    good, _ = add_face(
        plane, keys, links, f, i, j, k, points[i, 0] - x, points[i, 1] - y, points[i, 2] - z, points[j, 0] - x,
        points[j, 1] - y, points[j, 2] - z, x, y, z, slack, least,
    )  # fmt: skip
    return good


@inline
def corners_of(links, f):
    """The three corners of face f."""
    at = TRIANGLE + 4 * f
    return np.int64(links[at]), np.int64(links[at + 1]), np.int64(links[at + 2])


@inline
def sweep_32(plane, keys, first, x, y, z, least):
    """Of 32 faces those seen from (x, y, z) as bits, and the least key of the others."""
    word = ZERO
    for f in range(32):
        at = first + f
        above = np.int64(plane[0, at] * x + plane[1, at] * y + plane[2, at] * z - plane[3, at] > 0.0)
        word |= np.uint64(above) << np.uint64(f)
        least = min(least, keys[at] | (-above & GONE))
    return word, least


@inline
def sweep_64(plane, keys, first, x, y, z, least):
    """Of 64 faces those seen from (x, y, z) as bits, and the least key of the others."""
    word = ZERO
    for f in range(64):
        at = first + f
        above = np.int64(plane[0, at] * x + plane[1, at] * y + plane[2, at] * z - plane[3, at] > 0.0)
        word |= np.uint64(above) << np.uint64(f)
        least = min(least, keys[at] | (-above & GONE))
    return word, least


@inline
def past_edge(links, low, high, i, j, edges):
    """Look past edge (i, j) of a face that is seen: is the face there seen too, or is the edge of the outline?"""
    g = np.uint64(links[(j << EDGE) + i])
    word = low if g < HALF else high
    hidden = np.int64(ONE & ~(word >> (g & LAST)))
    links[START + edges] = i
    links[END + edges] = j
    links[AFTER + FORGET + hidden * (i - FORGET)] = j
    return edges + hidden


@inline
def outline(links, low, high):
    """Number of faces seen and of the edges around them."""
    seen, edges = np.int64(0), np.int64(0)
    left, first = low, np.int64(0)
    for _ in range(2):
        while left != ZERO:
            f = np.int64(lowest_bit(left)) + first
            left &= left - ONE
            links[FREE + seen] = f
            seen += 1
            i, j, k = corners_of(links, f)
            edges = past_edge(links, low, high, i, j, edges)
            edges = past_edge(links, low, high, j, k, edges)
            edges = past_edge(links, low, high, k, i, edges)
        left, first = high, np.int64(64)
    return seen, edges


@inline
def cone(plane, keys, links, points, n, seen, edges, faces, x, y, z, slack, area, least):
    """Faces from the outline to corner n = (x, y, z): whether all are good, and the least key with theirs.

    They are written over those seen and behind. The outline must be one round, or rounding tore it.
    """
    links[FREE + seen] = faces
    links[FREE + seen + 1] = faces + 1
    begin = np.int64(links[START])
    at, good = begin, True
    for m in range(edges):
        f = np.int64(links[FREE + m])
        i, j = np.int64(links[START + m]), np.int64(links[END + m])
        fine, key = add_face(
            plane, keys, links, f, i, j, n, points[i, 0] - x, points[i, 1] - y, points[i, 2] - z, points[j, 0] - x,
            points[j, 1] - y, points[j, 2] - z, x, y, z, slack, area,
        )  # fmt: skip
        least = min(least, key)
        at = np.int64(links[AFTER + at])
        good &= fine & ((at == begin) == (m == edges - 1))
    for m in range(edges, seen):
        f = np.int64(links[FREE + m])
        keys[f] = GONE
        plane[0, f], plane[1, f], plane[2, f], plane[3, f] = 0.0, 0.0, 0.0, 0.0
    return good, least


@inline
def foot(links, keys, points, low, faces, scale, nx, ny, nz, ends, weight, result):
    """Write the answer from face `low` of normal (nx, ny, nz): of the triangles in its plane the one below the origin."""
    agree = AGREE * scale
    size = 1.0 / np.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx * size, ny * size, nz * size
    i, j, k = corners_of(links, low)
    height = nx * points[k, 0] + ny * points[k, 1] + nz * points[k, 2]
    result[0], result[1], result[2], result[3] = nx, ny, nz, height
    nearest, chosen = np.inf, low
    for g in range(-1, faces):
        f = low if g < 0 else np.int64(g)  # that very one first: mostly it does
        if nearest <= agree * agree:
            break
        if keys[f] < GONE:
            i, j, k = corners_of(links, f)
            lowest = min(
                nx * points[i, 0] + ny * points[i, 1] + nz * points[i, 2],
                nx * points[j, 0] + ny * points[j, 1] + nz * points[j, 2],
                nx * points[k, 0] + ny * points[k, 1] + nz * points[k, 2],
            )
            if lowest < height - 2.0 * agree:
                continue
            a, b, c = on_triangle(points, i, j, k)
            far2 = 0.0
            for r in range(3):
                part = a * points[i, r] + b * points[j, r] + c * points[k, r]
                far2 += (part - result[r] * height) ** 2
            if far2 < nearest:
                nearest, chosen = far2, f
                weight[0], weight[1], weight[2] = a, b, c
    i, j, k = corners_of(links, chosen)
    p0, q0, p1, q1, p2, q2 = ends[i, 0], ends[i, 1], ends[j, 0], ends[j, 1], ends[k, 0], ends[k, 1]
    ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], ends[2, 0], ends[2, 1] = p0, q0, p1, q1, p2, q2
    return SURE if nearest <= (1e-9 * scale) ** 2 else UNSURE


@inline
def first_corners(rows, coarse, at_a, width_a, sa, at_b, width_b, sb, turn, shift, kind, points, ends):
    """Corners of D towards the directions of a first polytope around the line that joins the bodies. Returns their number.

    Any corner will do to begin with, so a coarse table tells it: nearly the farthest, at a tenth of the cost.
    """
    ux, uy, uz = 0.0, 0.0, 1.0
    length2 = shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]
    if length2 > 0.0:
        shrink = 1.0 / np.sqrt(length2)
        ux, uy, uz = shift[0] * shrink, shift[1] * shrink, shift[2] * shrink
    sign = 1.0 if uz >= 0.0 else -1.0  # two unit vectors across u, without a root
    a = -1.0 / (sign + uz)
    b = ux * uy * a
    ex, ey, ez = 1.0 + sign * ux * ux * a, sign * b, -sign * ux
    gx, gy, gz = b, sign + uy * uy * a, -uy
    first = BEGIN[kind, 0]
    count = BEGIN[kind + 1, 0] - first
    for k in range(count):
        c, s, t = WAYS[first + k, 0], WAYS[first + k, 1], WAYS[first + k, 2]
        x, y, z = c * ux + s * ex + t * gx, c * uy + s * ey + t * gy, c * uz + s * ez + t * gz
        bx = -(turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z)
        by = -(turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z)
        bz = -(turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)
        p = np.int64(coarse[sa * COARSE * COARSE + near_cell(x, y, z)])
        q = np.int64(coarse[sb * COARSE * COARSE + near_cell(bx, by, bz)])
        points[k, 0], points[k, 1], points[k, 2] = difference_of_rows(
            rows, at_a, width_a, at_b, width_b, p, q, turn, shift
        )
        ends[k, 0], ends[k, 1] = p, q
    return count


@inline
def first_faces(plane, keys, links, points, kind, slack, least):
    """Faces of a first polytope: their number, and whether it is convex with the origin inside."""
    for f in range(PLANES):
        keys[f] = GONE
    first, good = BEGIN[kind, 1], True
    count = BEGIN[kind + 1, 1] - first
    for f in range(count):
        i, j, k = FIRST[first + f, 0], FIRST[first + f, 1], FIRST[first + f, 2]
        good &= face_of_points(plane, keys, links, points, np.int64(f), i, j, k, slack, least)
    for m in range(BEGIN[kind, 2], BEGIN[kind + 1, 2]):
        f, c = ACROSS[m, 0], ACROSS[m, 1]
        good &= plane[0, f] * points[c, 0] + plane[1, f] * points[c, 1] + plane[2, f] * points[c, 2] <= plane[3, f]
    return count, good


@inline
def tetrahedron(plane, keys, links, points, ends, slack, least):
    """The four faces of points[:4]; False when it is flat or the origin is not inside."""
    for f in range(PLANES):
        keys[f] = GONE
    turn_outwards(points, ends)
    good = True
    for f in range(4):
        i, j, k = face_of_tetrahedron(f)
        good &= face_of_points(plane, keys, links, points, np.int64(f), i, j, k, slack, least)
    return good


@plain
def nearest_face(simplex, solid, sizes, bounds, sa, sb, turn, shift, w, own, hull, weight, result):
    """Nearest face of D to an origin within: SURE, or UNSURE where something is odd. One call, for each array costs ten words.

    It begins with the tetrahedron w (4, 3) around the origin, its corners in own (4, 2), or, where `simplex` is False, with a
    polytope around the line that joins the bodies.
    result: unit normal of D outwards (3), distance of the face. The corners of the triangle below the origin, numbered
    within their bodies, and its weights go to ends[:3] (the last of `hull`) and weight[:3].
    """
    rows, at, width, coarse, _ = solid
    plane, keys, links, points, ends = hull
    at_a, width_a, size_a, at_b, width_b, size_b = at[sa], width[sa], sizes[sa], at[sb], width[sb], sizes[sb]
    scale = size_a + size_b
    slack, area = 0.5 * AGREE * scale, 1e-26 * scale**4
    if simplex:
        n, faces = np.int64(4), np.int64(4)
        for k in range(4):
            points[k, 0], points[k, 1], points[k, 2] = w[k, 0], w[k, 1], w[k, 2]
            ends[k, 0], ends[k, 1] = own[k, 0] - bounds[sa], own[k, 1] - bounds[sb]
        good = tetrahedron(plane, keys, links, points, ends, slack, area)
    else:
        kind = np.int64(1 if width_a > FEW and width_b > FEW else 0)
        n, faces, good = np.int64(0), np.int64(0), False
        while kind >= 0 and not good:
            n = first_corners(rows, coarse, at_a, width_a, sa, at_b, width_b, sb, turn, shift, kind, points, ends)
            faces, good = first_faces(plane, keys, links, points, kind, slack, area)
            kind -= 1
    if not good:
        return UNSURE
    least = GONE
    for f in range(32):
        least = min(least, keys[f])
    while True:
        low = least & NUMBER
        nx, ny, nz = plane[0, low], plane[1, low], plane[2, low]
        x, y, z, p, q = corner_of_difference(
            rows, at_a, width_a, size_a, at_b, width_b, size_b, turn, shift, nx, ny, nz
        )  # fmt: skip
        if nx * x + ny * y + nz * z <= plane[3, low]:
            return foot(links, keys, points, low, faces, scale, nx, ny, nz, ends, weight, result)
        points[n, 0], points[n, 1], points[n, 2] = x, y, z
        ends[n, 0], ends[n, 1] = p, q
        high = ZERO
        if faces <= 32:
            word, least = sweep_32(plane, keys, np.int64(0), x, y, z, GONE)
        else:
            word, least = sweep_64(plane, keys, np.int64(0), x, y, z, GONE)
        if faces < 64:  # rows behind hold what other pairs left
            word &= (ONE << np.uint64(faces)) - ONE
        elif faces > 64:
            high, least = sweep_64(plane, keys, np.int64(64), x, y, z, least)
            high &= (ONE << (np.uint64(faces) - HALF)) - ONE
        seen, edges = outline(links, word, high)
        if edges < 3 or edges > seen + 2 or n + 2 > CORNERS or faces + 4 > PLANES:
            return UNSURE
        good, least = cone(plane, keys, links, points, n, seen, edges, faces, x, y, z, slack, area, least)
        if not good:
            return UNSURE
        faces += 2 if edges > seen else 0
        n += 1
