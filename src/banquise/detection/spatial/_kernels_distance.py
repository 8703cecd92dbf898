# mypy: ignore-errors
"""Signed distance of convex pairs: GJK outside, the expanding polytope inside.

Everything happens in the frame of body A, where D = A - B is the set of differences; v is a point of D, its closest to
the origin so far. Two bounds certify each answer: |v| from above (v is a convex combination of points of D) and
v.w/|v| from below (w the support point of D against v). A pair whose bounds stay apart is handed back with status
UNSURE and settled by the exhaustive search of `_kernels_axes`.

Scratch arrays are made once a call, never once a pair. Support points of many-cornered bodies are found by climbing
from corner to corner along edges, from a table of starts by direction; few-cornered ones by looking at all.
"""

import numpy as np
from numba import njit

from banquise.jit import bare_inner as bare
from banquise.jit import kernel

LOOK_UP_TO = 100  # corners up to which looking at all of them beats climbing (measured: by half at 50, level at 100)
CELLS = 8  # the table of starts: CELLS x CELLS directions on each side of a cube
SURE, UNSURE, FAR, FLAT = 0, 1, 2, 3

# Numbers handed to another kernel are made int64 by np.int64(): a literal would compile that kernel once more for its
# value.
POINTS, FACES = 160, 1000  # of the expanding polytope; a pair that needs more is handed back UNSURE
RIM = 320  # edges of an outline
# A face of the polytope is a row of whole numbers: its three corners, the faces beyond its edges, which of their edges
# those are, whether it is still there; the last column holds the heap of faces by the distance of their planes. One
# table, not six: each array handed to a kernel costs it some ten words.
NEAR, BACK, ALIVE, HEAP = 3, 6, 9, 10
CLIMB_ABOVE = 24  # corners: a face of the polytope hints at where the next corner is, so that climbing is short
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
# Closer than this part of the sizes v/|v| has lost the digits a normal needs, so the normal comes from a face of D.
CLOSE = 1e-6


@bare
def start_cell(x, y, z):
    """Cell of a direction in the table of starts."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax >= ay and ax >= az:
        side, u, w, m = (0 if x > 0 else 1), y, z, ax
    elif ay >= az:
        side, u, w, m = (2 if y > 0 else 3), z, x, ay
    else:
        side, u, w, m = (4 if z > 0 else 5), x, y, az
    scale = 0.5 * CELLS / m if m > 0.0 else 0.0
    i = min(int((u + m) * scale), CELLS - 1)
    j = min(int((w + m) * scale), CELLS - 1)
    return (side * CELLS + i) * CELLS + j


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def look_at_all(corners, first, last, x, y, z):
    """Number of the corner farthest along (x, y, z); rows come in fours (the table pads them).

    A tournament without branches: the usual running maximum costs twice as much, in mispredicted jumps.
    """
    best, far = first, -np.inf
    for k in range(first, last, 4):
        r0 = corners[k, 0] * x + corners[k, 1] * y + corners[k, 2] * z
        r1 = corners[k + 1, 0] * x + corners[k + 1, 1] * y + corners[k + 1, 2] * z
        r2 = corners[k + 2, 0] * x + corners[k + 2, 1] * y + corners[k + 2, 2] * z
        r3 = corners[k + 3, 0] * x + corners[k + 3, 1] * y + corners[k + 3, 2] * z
        i = k + 1 if r1 > r0 else k
        m = r1 if r1 > r0 else r0
        j = k + 3 if r3 > r2 else k + 2
        n = r3 if r3 > r2 else r2
        i = j if n > m else i
        m = n if n > m else m
        best = i if m > far else best
        far = m if m > far else far
    return best


@bare
def climb(corners, first, start, joined, seeds, x, y, z, guess):
    """The same for a body of many corners: from corner to corner along edges, as long as it goes up.

    On a convex body a corner with no higher neighbour is the highest. `guess` -1 starts from the table of starts.
    """
    here = guess if guess >= 0 else first + seeds[start_cell(x, y, z)]
    far = corners[here, 0] * x + corners[here, 1] * y + corners[here, 2] * z
    while True:
        best = here
        for k in range(start[here], start[here + 1]):
            other = first + joined[k]
            reach = corners[other, 0] * x + corners[other, 1] * y + corners[other, 2] * z
            if reach > far:
                best, far = other, reach
        if best == here:
            return here
        here = best


@bare
def on_segment(w, i, j):
    """Weight of w[j] in the point of segment (w[i], w[j]) closest to the origin."""
    x, y, z = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    length2 = x * x + y * y + z * z
    along = -(w[i, 0] * x + w[i, 1] * y + w[i, 2] * z)
    if along <= 0.0 or length2 == 0.0:
        return 0.0
    return 1.0 if along >= length2 else along / length2


@bare
def on_triangle(w, i, j, k):
    """Weights of w[i], w[j], w[k] in the point of their triangle closest to the origin.

    The areas are taken as n.(a x ab), not from products of dot products: that loses distance/size digits, not its
    square.
    """
    ax, ay, az = w[i, 0], w[i, 1], w[i, 2]
    ux, uy, uz = w[j, 0] - ax, w[j, 1] - ay, w[j, 2] - az
    vx, vy, vz = w[k, 0] - ax, w[k, 1] - ay, w[k, 2] - az
    d1 = -(ux * ax + uy * ay + uz * az)
    d2 = -(vx * ax + vy * ay + vz * az)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    uu = ux * ux + uy * uy + uz * uz
    uv = ux * vx + uy * vy + uz * vz
    d3, d4 = d1 - uu, d2 - uv
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    # a x u and v x a: twice the triangles (origin, a, b) and (origin, c, a)
    vc = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / uu
        return 1.0 - t, t, 0.0
    vv = vx * vx + vy * vy + vz * vz
    d5, d6 = d1 - uv, d2 - vv
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = nx * (vy * az - vz * ay) + ny * (vz * ax - vx * az) + nz * (vx * ay - vy * ax)
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / vv
        return 1.0 - t, 0.0, t
    nn = nx * nx + ny * ny + nz * nz
    va = nn - vb - vc
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    if nn == 0.0:
        t = on_segment(w, i, j)
        return 1.0 - t, t, 0.0
    return va / nn, vb / nn, vc / nn


@bare
def beyond(w, i, j, k, m):
    """Whether triangle (i, j, k) of a tetrahedron hides corner m from the origin, or the tetrahedron is flat."""
    ux, uy, uz = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    vx, vy, vz = w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(w[i, 0] * nx + w[i, 1] * ny + w[i, 2] * nz)
    fx, fy, fz = w[m, 0] - w[i, 0], w[m, 1] - w[i, 1], w[m, 2] - w[i, 2]
    fourth = fx * nx + fy * ny + fz * nz
    flat = fourth * fourth <= 1e-26 * (nx * nx + ny * ny + nz * nz) * (fx * fx + fy * fy + fz * fz)
    return flat or origin * fourth < 0.0


@bare
def on_simplex(w, n, weight):
    """Weights of the point of the simplex w[:n] closest to the origin; True when the origin is inside a tetrahedron."""
    weight[0] = 0.0
    weight[1] = 0.0
    weight[2] = 0.0
    weight[3] = 0.0
    if n == 1:
        weight[0] = 1.0
    elif n == 2:
        t = on_segment(w, np.int64(0), np.int64(1))
        weight[0], weight[1] = 1.0 - t, t
    elif n == 3:
        weight[0], weight[1], weight[2] = on_triangle(w, np.int64(0), np.int64(1), np.int64(2))
    else:
        # The three faces at the newest corner: the fourth cannot be the closest, for v was and the newest lies before
        # it.
        nearest = np.inf
        for i in range(3):
            j = 0 if i == 2 else i + 1
            m = 3 - i - j
            if beyond(w, i, j, np.int64(3), m):
                a, b, c = on_triangle(w, i, j, np.int64(3))
                x = a * w[i, 0] + b * w[j, 0] + c * w[3, 0]
                y = a * w[i, 1] + b * w[j, 1] + c * w[3, 1]
                z = a * w[i, 2] + b * w[j, 2] + c * w[3, 2]
                size2 = x * x + y * y + z * z
                if size2 < nearest:
                    nearest = size2
                    weight[m] = 0.0
                    weight[i], weight[j], weight[3] = a, b, c
        return nearest == np.inf
    return False


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def difference(corners, p, q, turn, shift, w, row):
    """Write w[row] = corner p of A minus corner q of B, in the frame of A."""
    bx, by, bz = corners[q, 0], corners[q, 1], corners[q, 2]
    w[row, 0] = corners[p, 0] - (turn[0, 0] * bx + turn[0, 1] * by + turn[0, 2] * bz + shift[0])
    w[row, 1] = corners[p, 1] - (turn[1, 0] * bx + turn[1, 1] * by + turn[1, 2] * bz + shift[1])
    w[row, 2] = corners[p, 2] - (turn[2, 0] * bx + turn[2, 1] * by + turn[2, 2] * bz + shift[2])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def towards(shapes, fa, la, fb, lb, sa, sb, turn, x, y, z, ga, gb, most):
    """Support point of D along (x, y, z), as its two corners; bodies of over `most` corners are climbed from ga and gb.

    Inlined: its arrays would cost a call more than its work.
    """
    corners, start, joined, seeds = shapes
    bx = -(turn[0, 0] * x + turn[1, 0] * y + turn[2, 0] * z)
    by = -(turn[0, 1] * x + turn[1, 1] * y + turn[2, 1] * z)
    bz = -(turn[0, 2] * x + turn[1, 2] * y + turn[2, 2] * z)
    if la - fa <= most:
        p = look_at_all(corners, fa, la, x, y, z)
    else:
        p = climb(corners, fa, start, joined, seeds[sa], x, y, z, ga)
    if lb - fb <= most:
        q = look_at_all(corners, fb, lb, bx, by, bz)
    else:
        q = climb(corners, fb, start, joined, seeds[sb], bx, by, bz, gb)
    return p, q


@bare
def support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, ga, gb, w, row):
    """`towards` and `difference` as a call, for the places that are not hot: each inlined copy is compiled anew."""
    p, q = towards(
        shapes, bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1], sa, sb, turn, x, y, z, ga, gb, LOOK_UP_TO
    )
    difference(shapes[0], p, q, turn, shift, w, row)
    return p, q


@bare
def relative_pose(position, rotation, a, b, turn, shift):
    """Rotation and shift that carry the frame of body b into that of body a."""
    dx = position[b, 0] - position[a, 0]
    dy = position[b, 1] - position[a, 1]
    dz = position[b, 2] - position[a, 2]
    for r in range(3):
        a0, a1, a2 = rotation[a, 0, r], rotation[a, 1, r], rotation[a, 2, r]
        shift[r] = a0 * dx + a1 * dy + a2 * dz
        for c in range(3):
            turn[r, c] = a0 * rotation[b, 0, c] + a1 * rotation[b, 1, c] + a2 * rotation[b, 2, c]


@bare
def gjk(shapes, bounds, sa, sb, turn, shift, scale, reach, w, ends, weight, v):
    """Closest point v of D to the origin, from direction v. Returns status, simplex size, and the lower bound.

    On exit w[:n], ends[:n] and weight[:n] hold the simplex. Size 4 means that the origin is inside.
    """
    corners = shapes[0]
    fa, la, fb, lb = bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1]
    n, p, q = 0, np.int64(-1), np.int64(-1)
    vx, vy, vz = v[0], v[1], v[2]
    vv = np.inf
    scale2 = scale * scale
    stalled = False
    for _ in range(64):
        p, q = towards(shapes, fa, la, fb, lb, sa, sb, turn, -vx, -vy, -vz, p, q, LOOK_UP_TO)
        difference(corners, p, q, turn, shift, w, n)
        x, y, z = w[n, 0], w[n, 1], w[n, 2]
        ww = x * x + y * y + z * z
        scale2 = max(scale2, ww)
        vw = vx * x + vy * y + vz * z
        if vw > 0.0 and vw * vw > reach * reach * (vx * vx + vy * vy + vz * vz):
            v[0], v[1], v[2] = vx, vy, vz
            return FAR, n, vw / np.sqrt(vx * vx + vy * vy + vz * vz)
        if n > 0:
            length = np.sqrt(vv)
            # |v| - v.w/|v|: how far the answer can still move
            open_by = (vv - vw) / length
            for k in range(n):
                stalled = stalled or (ends[k, 0] == p and ends[k, 1] == q)
            if stalled or open_by <= AGREE * np.sqrt(scale2):
                v[0], v[1], v[2] = vx, vy, vz
                return (SURE if open_by <= 1e-11 * np.sqrt(scale2) else UNSURE), n, vw / length
        ends[n, 0] = p
        ends[n, 1] = q
        n += 1
        if on_simplex(w, n, weight):
            return SURE, 4, 0.0
        kept = 0
        x, y, z = 0.0, 0.0, 0.0
        for k in range(n):
            if weight[k] > 0.0:
                if kept != k:
                    w[kept, 0], w[kept, 1], w[kept, 2] = w[k, 0], w[k, 1], w[k, 2]
                    ends[kept, 0], ends[kept, 1] = ends[k, 0], ends[k, 1]
                    weight[kept] = weight[k]
                x += weight[kept] * w[kept, 0]
                y += weight[kept] * w[kept, 1]
                z += weight[kept] * w[kept, 2]
                kept += 1
        n = kept
        before = vv
        vx, vy, vz = x, y, z
        vv = x * x + y * y + z * z
        if vv <= 1e-28 * scale2:  # the origin lies on the simplex, to rounding
            v[0], v[1], v[2] = vx, vy, vz
            return SURE, n, 0.0
        stalled = vv >= before  # no progress: rounding has the last word, the bounds decide
    v[0], v[1], v[2] = vx, vy, vz
    return UNSURE, n, 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def add_face(links, plane, points, count, i, j, k):
    """Write face (i, j, k) with its unit normal and distance in row `count`; False when it has no area."""
    ax, ay, az = points[i, 0], points[i, 1], points[i, 2]
    ux, uy, uz = points[j, 0] - ax, points[j, 1] - ay, points[j, 2] - az
    vx, vy, vz = points[k, 0] - ax, points[k, 1] - ay, points[k, 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    good = nn > 1e-26 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
    shrink = 1.0 / np.sqrt(nn)
    nx, ny, nz = nx * shrink, ny * shrink, nz * shrink
    links[count, 0], links[count, 1], links[count, 2], links[count, ALIVE] = i, j, k, 1
    plane[count, 0], plane[count, 1], plane[count, 2] = nx, ny, nz
    plane[count, 3] = nx * ax + ny * ay + nz * az
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
            p, q = support_of_difference(
                shapes, bounds, sa, sb, turn, shift, x, y, z, np.int64(-1), np.int64(-1), points, n
            )
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


@bare
def push(links, plane, size, face):
    """Put a face into the heap, the nearest plane on top; returns its new size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if plane[links[above, HEAP], 3] <= plane[face, 3]:
            break
        links[at, HEAP] = links[above, HEAP]
        at = above
    links[at, HEAP] = face
    return size + 1


@bare
def pop(links, plane, size):
    """Take the top of the heap away: its last face sinks to its place. Returns the new size."""
    size -= 1
    last = links[size, HEAP]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and plane[links[below + 1, HEAP], 3] < plane[links[below, HEAP], 3]:
            below += 1
        if plane[links[below, HEAP], 3] >= plane[last, 3]:
            break
        links[at, HEAP] = links[below, HEAP]
        at = below
    links[at, HEAP] = last
    return size


@bare
def horizon(links, path, plane, low, points, s, slack):
    """Remove the faces that corner s sees, from face `low` on; the number of edges of their outline.

    The outline goes to path[:, :2]: the face beyond each edge and which of its edges it is, counter-clockwise seen
    from s. Walked from face to face in depth, with a stack in path[:, 2:]: only what is seen is looked at.
    """
    x, y, z = points[s, 0], points[s, 1], points[s, 2]
    links[low, ALIVE] = 0
    top, edges = 3, 0
    for k in range(3):
        path[2 - k, 2], path[2 - k, 3] = links[low, NEAR + k], links[low, BACK + k]
    while top > 0:
        top -= 1
        f, e = path[top, 2], path[top, 3]
        if links[f, ALIVE] == 0:
            continue
        if plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z - plane[f, 3] <= slack:
            if edges == len(path):
                return -1
            path[edges, 0], path[edges, 1] = f, e
            edges += 1
            continue
        links[f, ALIVE] = 0
        if top + 2 > len(path):
            return -1
        for turn in range(2, 0, -1):
            side = e + turn
            side -= 3 if side > 2 else 0
            path[top, 2], path[top, 3] = links[f, NEAR + side], links[f, BACK + side]
            top += 1
    return edges


@bare
def cone(links, path, plane, faces, edges, points, n):
    """Faces from the outline in `path` to corner n, joined to each other and to what is beyond; False if that fails."""
    for m in range(edges):
        g, e = path[m, 0], path[m, 1]
        to, new = links[g, e], faces + m
        frm = links[g, 0 if e == 2 else e + 1]
        if m > 0 and frm != links[new - 1, 1]:  # rounding tore the outline
            return False
        if not add_face(links, plane, points, new, frm, to, n):
            return False
        links[new, NEAR], links[new, BACK] = g, e
        links[g, NEAR + e], links[g, BACK + e] = new, 0
        links[new, NEAR + 1], links[new, BACK + 1] = faces if m == edges - 1 else new + 1, 2
        links[new, NEAR + 2], links[new, BACK + 2] = faces + edges - 1 if m == 0 else new - 1, 1
    return links[faces, 0] == links[faces + edges - 1, 1]


@bare
def first_faces(links, plane, points, ends):
    """The four faces of the tetrahedron points[:4], seen from outside; False when it is flat."""
    for _ in range(2):
        if not add_face(links, plane, points, np.int64(0), np.int64(0), np.int64(1), np.int64(2)):
            return False
        if plane[0, 0] * points[3, 0] + plane[0, 1] * points[3, 1] + plane[0, 2] * points[3, 2] <= plane[0, 3]:
            break
        for r in range(3):
            points[0, r], points[1, r] = points[1, r], points[0, r]
        ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1] = ends[1, 0], ends[1, 1], ends[0, 0], ends[0, 1]
    good = add_face(links, plane, points, np.int64(1), np.int64(0), np.int64(3), np.int64(1))
    good = good and add_face(links, plane, points, np.int64(2), np.int64(0), np.int64(2), np.int64(3))
    good = good and add_face(links, plane, points, np.int64(3), np.int64(1), np.int64(3), np.int64(2))
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
    links, path, plane = polytope
    corners = shapes[0]
    fa, la, fb, lb = bounds[sa], bounds[sa + 1], bounds[sb], bounds[sb + 1]
    n = first_tetrahedron(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale)
    if n < 4:
        return FLAT
    if not first_faces(links, plane, points, ends):
        return UNSURE
    faces, waiting = np.int64(4), np.int64(0)
    for f in range(4):
        waiting = push(links, plane, waiting, f)
    agree = AGREE * scale
    deepest = np.inf  # no answer lies deeper than a support plane of D: faces beyond it never come to the top
    while True:
        while waiting > 0 and links[links[0, HEAP], ALIVE] == 0:
            waiting = pop(links, plane, waiting)
        if waiting == 0:
            return UNSURE
        low = links[0, HEAP]
        waiting = pop(links, plane, waiting)
        x, y, z = plane[low, 0], plane[low, 1], plane[low, 2]
        hint = links[low, 0]
        p, q = towards(shapes, fa, la, fb, lb, sa, sb, turn, x, y, z, ends[hint, 0], ends[hint, 1], CLIMB_ABOVE)
        difference(corners, p, q, turn, shift, points, n)
        high = x * points[n, 0] + y * points[n, 1] + z * points[n, 2]
        rise = high - plane[low, 3]
        deepest = min(deepest, high)
        same = False
        for k in range(3):
            same = same or (ends[links[low, k], 0] == p and ends[links[low, k], 1] == q)
        if rise <= agree or same:
            if rise > 1e-11 * scale:
                return UNSURE
            break
        ends[n, 0], ends[n, 1] = p, q
        edges = horizon(links, path, plane, low, points, n, 0.5 * agree)
        if (
            edges < 3
            or n + 2 > POINTS
            or faces + edges > FACES
            or not cone(links, path, plane, faces, edges, points, n)
        ):
            return UNSURE
        for f in range(faces, faces + edges):
            if plane[f, 3] <= deepest + agree:
                waiting = push(links, plane, waiting, f)
        faces += edges
        n += 1
    for r in range(4):
        result[r] = plane[low, r]
    # Of the triangles in that plane, the one that holds the foot of the origin.
    nearest, chosen = np.inf, low
    for g in range(-1, faces):
        f = low if g < 0 else g  # that very one first: mostly it does
        if nearest <= agree * agree:
            break
        if links[f, ALIVE] == 1 and plane[f, 3] - plane[low, 3] <= 2.0 * agree:
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


@bare
def widest_gap(shapes, bounds, sa, sb, turn, shift, x, y, z, w):
    """Signed distance of A and B along the unit vector (x, y, z) of A's frame, from a to b."""
    support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, np.int64(-1), np.int64(-1), w, np.int64(3))
    return -(w[3, 0] * x + w[3, 1] * y + w[3, 2] * z)


@bare
def distance_loop(
    first, last, pairs, shape_of, position, rotation, shapes, bounds, radius, sizes, reach, tie, distance, normal, on_a,
    on_b, status, turn, shift, v, w, weight, result, points, ends, polytope,
):  # fmt: skip
    """The work of `distances`, with the scratch arrays it is handed."""
    corners = shapes[0]
    for pair in range(first, last):
        a, b = pairs[pair, 0], pairs[pair, 1]
        sa, sb = shape_of[a], shape_of[b]
        relative_pose(position, rotation, a, b, turn, shift)
        hx, hy, hz = normal[pair, 0], normal[pair, 1], normal[pair, 2]
        ox = rotation[a, 0, 0] * hx + rotation[a, 1, 0] * hy + rotation[a, 2, 0] * hz
        oy = rotation[a, 0, 1] * hx + rotation[a, 1, 1] * hy + rotation[a, 2, 1] * hz
        oz = rotation[a, 0, 2] * hx + rotation[a, 1, 2] * hy + rotation[a, 2, 2] * hz
        remembered = hx != 0.0 or hy != 0.0 or hz != 0.0
        if remembered:
            v[0], v[1], v[2] = -ox, -oy, -oz
        else:
            v[0], v[1], v[2] = -shift[0], -shift[1], -shift[2]
            if v[0] == 0.0 and v[1] == 0.0 and v[2] == 0.0:
                v[2] = -1.0
        round_off = radius[sa] + radius[sb]
        scale = sizes[sa] + sizes[sb]
        code, n, low = gjk(shapes, bounds, sa, sb, turn, shift, scale, reach + round_off, w, ends, weight, v)
        length = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if code == FAR:
            distance[pair], status[pair] = low - round_off, FAR
            for r in range(3):
                on_a[pair, r], on_b[pair, r] = np.nan, np.nan
                normal[pair, r] = (
                    -(rotation[a, r, 0] * v[0] + rotation[a, r, 1] * v[1] + rotation[a, r, 2] * v[2]) / length
                )
            continue
        if n == 4 or length <= CLOSE * scale or code == UNSURE:
            # The closest points of a pair that does not quite touch are those of GJK: epa then gives the normal only.
            for k in range(n):
                points[k, 0], points[k, 1], points[k, 2] = w[k, 0], w[k, 1], w[k, 2]
            kept, certain = n, code == SURE
            p0, q0, p1, q1, p2, q2 = ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], ends[2, 0], ends[2, 1]
            w0, w1, w2 = weight[0], weight[1], weight[2]
            outside = n < 4 and length > 1e-13 * scale
            code = epa(shapes, bounds, sa, sb, turn, shift, points, ends, n, scale, polytope, weight, result)
            n = 3
            if code == FLAT:
                # The difference around the origin has no thickness here: any axis may be the one that parts the bodies.
                # Last step's serves if it still does; otherwise every axis has to be tried.
                gap = 0.0
                nx, ny, nz = (ox, oy, oz) if remembered else (0.0, 0.0, 1.0)
                parts = widest_gap(shapes, bounds, sa, sb, turn, shift, nx, ny, nz, w) >= -tie
                code = SURE if parts else UNSURE
                n = 1 if kept == 4 else kept
                weight[0], weight[1], weight[2] = (1.0, 0.0, 0.0) if n == 1 else (w0, w1, w2)
            else:
                nx, ny, nz, gap = result[0], result[1], result[2], -result[3]
            if outside and not certain:
                # GJK stopped at v without proof. Inside every face of the polytope settles it; else the exhaustive
                # search.
                outside = gap > 0.0
                code = UNSURE if outside else code
            if outside:
                # A corner or an edge of D in front of the origin: the plane of a face is nearer than the corner.
                if gap < length - 1e-9 * length - AGREE * scale:
                    nx, ny, nz = -v[0] / length, -v[1] / length, -v[2] / length
                gap = length
                n = kept
                ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1], ends[2, 0], ends[2, 1] = p0, q0, p1, q1, p2, q2
                weight[0], weight[1], weight[2] = w0, w1, w2
            if (
                remembered
                and gap <= CLOSE * scale
                and widest_gap(shapes, bounds, sa, sb, turn, shift, ox, oy, oz, w) >= gap - tie
            ):
                nx, ny, nz = ox, oy, oz
        else:
            gap = length
            nx, ny, nz = -v[0] / length, -v[1] / length, -v[2] / length
        status[pair] = code
        distance[pair] = gap - round_off
        px, py, pz, qx, qy, qz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            p, q = ends[k, 0], ends[k, 1]
            px += weight[k] * corners[p, 0]
            py += weight[k] * corners[p, 1]
            pz += weight[k] * corners[p, 2]
            qx += weight[k] * corners[q, 0]
            qy += weight[k] * corners[q, 1]
            qz += weight[k] * corners[q, 2]
        ra, rb = radius[sa], radius[sb]
        px, py, pz = px + ra * nx, py + ra * ny, pz + ra * nz
        for r in range(3):
            normal[pair, r] = rotation[a, r, 0] * nx + rotation[a, r, 1] * ny + rotation[a, r, 2] * nz
            on_a[pair, r] = position[a, r] + rotation[a, r, 0] * px + rotation[a, r, 1] * py + rotation[a, r, 2] * pz
            on_b[pair, r] = position[b, r] + rotation[b, r, 0] * qx + rotation[b, r, 1] * qy + rotation[b, r, 2] * qz
        for r in range(3):
            on_b[pair, r] -= rb * normal[pair, r]


@kernel
def distances(
    first, last, pairs, shape_of, position, rotation, shapes, bounds, radius, sizes, reach, tie, distance, normal, on_a,
    on_b, status,
):  # fmt: skip
    """Signed distance, normal from a to b, and closest points of pairs[first:last], in the world frame.

    `normal` holds on entry the normal of the last step (zeros: none). It is the first direction tried, and it stays
    the answer where it separates the pair as well as the best one does, to `tie` metres.
    """
    turn, shift, v = np.empty((3, 3)), np.empty(3), np.empty(3)
    w, weight, result = np.empty((4, 3)), np.empty(4), np.empty(4)
    points, ends = np.empty((POINTS, 3)), np.empty((POINTS, 2), np.int64)
    polytope = np.empty((FACES, 11), np.int64), np.empty((RIM, 4), np.int64), np.empty((FACES, 4))
    distance_loop(
        first, last, pairs, shape_of, position, rotation, shapes, bounds, radius, sizes, reach, tie, distance, normal,
        on_a, on_b, status, turn, shift, v, w, weight, result, points, ends, polytope,
    )  # fmt: skip
