# mypy: ignore-errors
"""Signed distance of convex pairs: GJK outside, the expanding polytope inside; pairs of boxes by their fifteen axes.

Inside, a short search for pairs without trouble goes first (`_kernels_inside`), the careful one where it gives up.
Bodies that lie well inside each other (balls within them overlap) need no GJK to begin with.

Everything happens in the frame of body A, where D = A - B is the set of differences; v is a point of D, its closest to
the origin so far. Two bounds certify each answer: |v| from above (v is a convex combination of points of D) and
v.w/|v| from below (w the support point of D against v). A pair whose bounds stay apart is handed back with status
UNSURE and settled by the exhaustive search of `_kernels_axes`.

Scratch arrays are made once a call, never once a pair.
"""

import numpy as np

from banquise.detection.spatial._kernels_boxes import boxes_apart
from banquise.detection.spatial._kernels_inside import BYTES, CORNERS, PLANES, nearest_face
from banquise.detection.spatial._kernels_polytope import AGREE, FACES, FAR, FLAT, LINKS, POINTS, SURE, UNSURE, epa
from banquise.detection.spatial._kernels_simplex import on_simplex
from banquise.detection.spatial._kernels_support import difference, support_of_difference, towards
from banquise.jit import bare_inner as bare
from banquise.jit import kernel

# Closer than this part of the sizes v/|v| has lost the digits a normal needs, so the normal comes from a face of D.
CLOSE = 1e-6


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
    n = 0
    vx, vy, vz = v[0], v[1], v[2]
    vv = np.inf
    scale2 = scale * scale
    stalled = False
    for _ in range(64):
        p, q = towards(shapes, fa, la, fb, lb, sa, sb, turn, -vx, -vy, -vz)
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


@bare
def widest_gap(shapes, bounds, sa, sb, turn, shift, x, y, z, w):
    """Signed distance of A and B along the unit vector (x, y, z) of A's frame, from a to b."""
    support_of_difference(shapes, bounds, sa, sb, turn, shift, x, y, z, w, np.int64(3))
    return -(w[3, 0] * x + w[3, 1] * y + w[3, 2] * z)


@bare
def from_inside(
    shapes, bounds, sa, sb, turn, shift, scale, tie, code, n, length, remembered, ox, oy, oz, v, w, weight, result, points,
    ends, polytope,
):  # fmt: skip
    """Signed distance and normal where GJK ended inside, at the surface or without proof: status, simplex, gap, normal.

    (ox, oy, oz) is the normal of the last step, in A's frame. Corners and weights of the answer stay in ends and weight.
    """
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
        # GJK stopped at v without proof. Inside every face of the polytope settles it; else the exhaustive search.
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
    return code, n, gap, nx, ny, nz


@bare
def distance_loop(
    first, last, pairs, shape_of, position, rotation, shapes, bounds, boxes, radius, sizes, solid, reach, tie, distance,
    normal, on_a, on_b, status, turn, shift, v, w, weight, result, points, ends, polytope, hull, frame, polygon,
):  # fmt: skip
    """The work of `distances`, with the scratch arrays it is handed."""
    corners = shapes[0]
    width, inner = solid[2], solid[4]
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
        ra, rb = radius[sa], radius[sb]
        round_off = ra + rb
        scale = sizes[sa] + sizes[sb]
        code, n, gap, proven = SURE, 0, 0.0, False
        nx, ny, nz = 0.0, 0.0, 0.0
        if boxes[sa, 3] > 0.0 and boxes[sb, 3] > 0.0:
            gap, known, proven = boxes_apart(boxes, sa, sb, turn, shift, scale, frame, polygon, result, w[0])
            nx, ny, nz = result[0], result[1], result[2]
            if known and gap > 0.0:
                v[0], v[1], v[2] = -nx, -ny, -nz
                if gap > reach + round_off:
                    code = FAR
        within = False  # the origin in D, and the nearest face found by the short search
        balls = inner[sa] + inner[sb]
        apart2 = shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]
        if balls > 0.0 and apart2 < balls * balls and not proven and not remembered:
            found = nearest_face(
                np.bool_(False), solid, sizes, bounds, sa, sb, turn, shift, w, ends, hull, weight, result
            )  # fmt: skip
            within = found == SURE
        if not proven and not within and code != FAR:
            code, n, gap = gjk(shapes, bounds, sa, sb, turn, shift, scale, reach + round_off, w, ends, weight, v)
            length = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            nx, ny, nz = -v[0] / length, -v[1] / length, -v[2] / length
            if n == 4 and width[sa] > 0 and width[sb] > 0:
                found = nearest_face(
                    np.bool_(True), solid, sizes, bounds, sa, sb, turn, shift, w, ends, hull, weight, result
                )  # fmt: skip
                within = found == SURE
            if code != FAR and not within:
                if n == 4 or length <= CLOSE * scale or code == UNSURE:
                    code, n, gap, nx, ny, nz = from_inside(
                        shapes, bounds, sa, sb, turn, shift, scale, tie, code, n, length, remembered, ox, oy, oz, v, w,
                        weight, result, points, ends, polytope,
                    )  # fmt: skip
                else:
                    gap = length
        if within:
            n, gap = np.int64(3), -result[3]
            nx, ny, nz = result[0], result[1], result[2]
            for k in range(3):
                ends[k, 0], ends[k, 1] = bounds[sa] + hull[4][k, 0], bounds[sb] + hull[4][k, 1]
        status[pair] = code
        distance[pair] = gap - round_off
        if code == FAR:
            for r in range(3):
                on_a[pair, r], on_b[pair, r] = np.nan, np.nan
                normal[pair, r] = rotation[a, r, 0] * nx + rotation[a, r, 1] * ny + rotation[a, r, 2] * nz
            continue
        px, py, pz, qx, qy, qz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if proven:
            px, py, pz = w[0, 0], w[0, 1], w[0, 2]
            qx, qy, qz = px + gap * nx, py + gap * ny, pz + gap * nz
        for k in range(n):
            p, q = ends[k, 0], ends[k, 1]
            px += weight[k] * corners[p, 0]
            py += weight[k] * corners[p, 1]
            pz += weight[k] * corners[p, 2]
            qx += weight[k] * corners[q, 0]
            qy += weight[k] * corners[q, 1]
            qz += weight[k] * corners[q, 2]
        if (
            remembered
            and gap <= CLOSE * scale
            and widest_gap(shapes, bounds, sa, sb, turn, shift, ox, oy, oz, w) >= gap - tie
        ):
            nx, ny, nz = ox, oy, oz
        px, py, pz = px + ra * nx, py + ra * ny, pz + ra * nz
        own = a if proven else b  # in whose frame (qx, qy, qz) is given
        for r in range(3):
            normal[pair, r] = rotation[a, r, 0] * nx + rotation[a, r, 1] * ny + rotation[a, r, 2] * nz
            on_a[pair, r] = position[a, r] + rotation[a, r, 0] * px + rotation[a, r, 1] * py + rotation[a, r, 2] * pz
            on_b[pair, r] = (
                position[own, r] + rotation[own, r, 0] * qx + rotation[own, r, 1] * qy + rotation[own, r, 2] * qz
            )
        for r in range(3):
            on_b[pair, r] -= rb * normal[pair, r]


@kernel
def distances(
    first, last, pairs, shape_of, position, rotation, shapes, bounds, boxes, radius, sizes, solid, reach, tie, distance,
    normal, on_a, on_b, status,
):  # fmt: skip
    """Signed distance, normal from a to b, and closest points of pairs[first:last], in the world frame.

    `normal` holds on entry the normal of the last step (zeros: none). It is the first direction tried, and it stays
    the answer where it separates the pair as well as the best one does, to `tie` metres.
    """
    turn, shift, v = np.empty((3, 3)), np.empty(3), np.empty(3)
    w, weight, result = np.empty((4, 3)), np.empty(4), np.empty(4)
    points, ends = np.empty((POINTS, 3)), np.empty((POINTS, 2), np.int64)
    polytope = np.empty((FACES, 4)), np.empty(FACES, np.int64), np.zeros(LINKS, np.uint16)
    hull = (
        np.zeros((4, PLANES)),
        np.empty(PLANES, np.int64),
        np.zeros(BYTES, np.uint8),
        np.empty((CORNERS, 3)),
        np.empty((CORNERS, 2), np.int64),
    )
    frame, polygon = np.empty((3, 3)), np.empty((3, 12, 3))
    distance_loop(
        first, last, pairs, shape_of, position, rotation, shapes, bounds, boxes, radius, sizes, solid, reach, tie,
        distance, normal, on_a, on_b, status, turn, shift, v, w, weight, result, points, ends, polytope, hull, frame,
        polygon,
    )  # fmt: skip
