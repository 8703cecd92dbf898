# mypy: ignore-errors
"""Kernels of moving blocks: normals that follow their faces, contact points and remembered impulses in a row."""

import numpy as np

from banquise.detection.spatial._kernels_axes import extreme, turned_back
from banquise.detection.spatial._kernels_polygon import height
from banquise.jit import inner, kernel

FACE_OF_A, FACE_OF_B, EDGES = 1, 2, 3
STEEP = 0.02  # slope below which `height` takes a face for a side
ALIGNED = 1.0 - 1e-10  # cosine from which a normal is taken to be that of a face: the next look proves it or not
EDGE = 1e-6  # of the smaller block: corners this near to the extreme one may be its edge's other end
PARALLEL = 0.05  # sine of the angle of two edges below which their cross product is no normal


@kernel
def rotations(orientation, out):
    """Matrices (n, 3, 3), body axes to world, of unit quaternions (n, 4)."""
    for n in range(orientation.shape[0]):
        w, x, y, z = orientation[n, 0], orientation[n, 1], orientation[n, 2], orientation[n, 3]
        out[n, 0, 0], out[n, 0, 1], out[n, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        out[n, 1, 0], out[n, 1, 1], out[n, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        out[n, 2, 0], out[n, 2, 1], out[n, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel
def relative_speed(body_a, body_b, lever_a, lever_b, velocity, out):
    """Velocity (m, 3) of b minus that of a at each contact, world axes."""
    for k in range(body_a.shape[0]):
        va, vb, la, lb = velocity[body_a[k]], velocity[body_b[k]], lever_a[k], lever_b[k]
        out[k, 0] = vb[0] + vb[4] * lb[2] - vb[5] * lb[1] - va[0] - va[4] * la[2] + va[5] * la[1]
        out[k, 1] = vb[1] + vb[5] * lb[0] - vb[3] * lb[2] - va[1] - va[5] * la[0] + va[3] * la[2]
        out[k, 2] = vb[2] + vb[3] * lb[1] - vb[4] * lb[0] - va[2] - va[3] * la[1] + va[4] * la[0]


@kernel
def push_sums(body_a, body_b, lever_a, lever_b, impulse, out):
    """Add the wrench (n, 6) of impulses (m, 3) on b, and their opposites on a, about the centres."""
    for k in range(body_a.shape[0]):
        x, y, z = impulse[k, 0], impulse[k, 1], impulse[k, 2]
        for side in range(2):
            body = body_b[k] if side == 0 else body_a[k]
            lever = lever_b[k] if side == 0 else lever_a[k]
            sign = 1.0 if side == 0 else -1.0
            out[body, 0] += sign * x
            out[body, 1] += sign * y
            out[body, 2] += sign * z
            out[body, 3] += sign * (lever[1] * z - lever[2] * y)
            out[body, 4] += sign * (lever[2] * x - lever[0] * z)
            out[body, 5] += sign * (lever[0] * y - lever[1] * x)


@inner
def row_of(pairs, low, first, second):
    """Row of a pair in a sorted list, searched from row `low` on: where it is or would be."""
    high = pairs.shape[0]
    while low < high:
        middle = (low + high) // 2
        if pairs[middle, 0] < first or (pairs[middle, 0] == first and pairs[middle, 1] < second):
            low = middle + 1
        else:
            high = middle
    return low


@inner
def placed_corner(corners, k, rotation, position):
    """Corner k of the list, in the world."""
    x, y, z = corners[k, 0], corners[k, 1], corners[k, 2]
    return (
        position[0] + rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2] * z,
        position[1] + rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2] * z,
        position[2] + rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2] * z,
    )


@inner
def crossing(corners, edge, rotation_a, rotation_b, position_a, position_b, last, normal, on_a, on_b):
    """Normal and closest points of two edges, given by their corners; False where they do not cross within them."""
    ax, ay, az = placed_corner(corners, edge[0], rotation_a, position_a)
    ux, uy, uz = placed_corner(corners, edge[1], rotation_a, position_a)
    bx, by, bz = placed_corner(corners, edge[2], rotation_b, position_b)
    vx, vy, vz = placed_corner(corners, edge[3], rotation_b, position_b)
    ux, uy, uz, vx, vy, vz = ux - ax, uy - ay, uz - az, vx - bx, vy - by, vz - bz
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    square = x * x + y * y + z * z
    if square <= PARALLEL**2 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz):
        return False
    wx, wy, wz = bx - ax, by - ay, bz - az
    s = (x * (wy * vz - wz * vy) + y * (wz * vx - wx * vz) + z * (wx * vy - wy * vx)) / square
    t = (x * (wy * uz - wz * uy) + y * (wz * ux - wx * uz) + z * (wx * uy - wy * ux)) / square
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return False
    size = np.sqrt(square) if x * last[0] + y * last[1] + z * last[2] > 0.0 else -np.sqrt(square)
    normal[0], normal[1], normal[2] = x / size, y / size, z / size
    on_a[0], on_a[1], on_a[2] = ax + s * ux, ay + s * uy, az + s * uz
    on_b[0], on_b[1], on_b[2] = bx + t * vx, by + t * vy, bz + t * vz
    return True


@kernel
def recall_normals(
    pairs, old_pairs, old_normal, old_side, old_local, old_edge, shape_of, corners, radius, position, rotation,
    normal, on_a, on_b, side,
):  # fmt: skip
    """Normals (p, 3) and sides of the pairs at the last step, zero where there was none; both lists are sorted.

    A normal that was a face's has turned with its body: `side` says whose face it is, `old_local` its body axes. One
    between two edges is that of where these lie now, and so are the closest points.
    """
    j = np.int64(0)
    for i in range(pairs.shape[0]):
        j = row_of(old_pairs, j, pairs[i, 0], pairs[i, 1])
        side[i] = 0
        if j == old_pairs.shape[0]:
            for k in range(i, pairs.shape[0]):
                side[k] = 0
            return
        a, b = pairs[i, 0], pairs[i, 1]
        if old_pairs[j, 0] != a or old_pairs[j, 1] != b:
            continue
        side[i] = old_side[j]
        if side[i] == EDGES:
            if crossing(
                corners, old_edge[j], rotation[a], rotation[b], position[a], position[b], old_normal[j], normal[i],
                on_a[i], on_b[i],
            ):  # fmt: skip
                for r in range(3):
                    on_a[i, r] += radius[shape_of[a]] * normal[i, r]
                    on_b[i, r] -= radius[shape_of[b]] * normal[i, r]
                continue
            side[i] = 0
        for r in range(3):
            if side[i] == 0:
                normal[i, r] = old_normal[j, r]
            else:
                turn = rotation[a if side[i] == FACE_OF_A else b]
                normal[i, r] = (
                    turn[r, 0] * old_local[j, 0] + turn[r, 1] * old_local[j, 1] + turn[r, 2] * old_local[j, 2]
                )


@inner
def reach_along(corners, first, last, rotation, x, y, z):
    """Farthest a part reaches from the origin of its frame along a world direction."""
    lx, ly, lz = turned_back(rotation, x, y, z)
    return extreme(corners, first, last, lx, ly, lz)


@kernel
def apart_along(rows, pairs, shape_of, position, rotation, corners, bounds, radius, normal, distance):
    """Distance of pairs[rows] along their normals: a lower bound of their true one."""
    for i in rows:
        a, b = pairs[i, 0], pairs[i, 1]
        sa, sb = shape_of[a], shape_of[b]
        x, y, z = normal[i, 0], normal[i, 1], normal[i, 2]
        between = (position[b, 0] - position[a, 0]) * x + (position[b, 1] - position[a, 1]) * y
        between += (position[b, 2] - position[a, 2]) * z
        between -= reach_along(corners, bounds[sa], bounds[sa + 1], rotation[a], x, y, z)
        between -= reach_along(corners, bounds[sb], bounds[sb + 1], rotation[b], -x, -y, -z)
        distance[i] = between - radius[sa] - radius[sb]


@kernel
def not_proven(rows, distance, point, gap, count, size, close, shallow, failed):
    """Rows whose normal may have passed to another face: returns how many, written into `failed`.

    Along the normal a pair is `distance` apart at the least, and the least gap at its points at the most: where
    these agree to `close` of the size the distance is certain. An overlap deeper than `shallow` may be less deep along
    another axis.
    """
    found = 0
    for i in rows:
        least = np.inf
        for k in range(count[i]):
            if not np.isnan(point[i, k, 0]):  # outlines that do not meet along this normal leave no point
                least = min(least, gap[i, k])
        if not (least - distance[i] <= close * size[i] and distance[i] >= -shallow * size[i]):
            failed[found] = i
            found += 1
    return found


@inner
def edge_along(corners, first, last, rotation, x, y, z, near, edge):
    """The two corners of a part that reach farthest along a world direction; False unless they are two, within `near`."""
    far = reach_along(corners, first, last, rotation, x, y, z)
    lx, ly, lz = turned_back(rotation, x, y, z)
    found = 0
    for k in range(first, last):
        if corners[k, 0] * lx + corners[k, 1] * ly + corners[k, 2] * lz >= far - near:
            if found == 2:
                return False
            edge[found] = k
            found += 1
    return found == 2


@kernel
def name_sides(
    pairs, shape_of, rotation, corners, bounds, planes, plane_bounds, size, normal, known, side, local, edge
):
    """Whose face each normal belongs to and its body axes there, or between which edges (0: neither).

    Pairs `known` by a face keep it. A wrong name does no harm: the next look along it proves nothing.
    """
    for i in range(pairs.shape[0]):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        side[i] = known[i] if known[i] != EDGES else 0
        for s in (FACE_OF_A, FACE_OF_B):
            part = pairs[i, 0] if s == FACE_OF_A else pairs[i, 1]
            if side[i] != 0 and side[i] != s:
                continue
            lx, ly, lz = turned_back(rotation[part], nx, ny, nz)
            out = 1.0 if s == FACE_OF_A else -1.0
            shape = shape_of[part]
            for f in range(plane_bounds[shape], plane_bounds[shape + 1]):
                if out * (planes[f, 0] * lx + planes[f, 1] * ly + planes[f, 2] * lz) >= ALIGNED:
                    # the face's own axes, not the turned ones: a copy of a copy would drift
                    side[i] = s
                    lx, ly, lz = out * planes[f, 0], out * planes[f, 1], out * planes[f, 2]
                    break
            if side[i] == s:
                local[i, 0], local[i, 1], local[i, 2] = lx, ly, lz
                break
        if side[i] == 0:
            a, b = pairs[i, 0], pairs[i, 1]
            fa, la, fb, lb = bounds[shape_of[a]], bounds[shape_of[a] + 1], bounds[shape_of[b]], bounds[shape_of[b] + 1]
            if edge_along(corners, fa, la, rotation[a], nx, ny, nz, EDGE * size[i], edge[i, :2]) and edge_along(
                corners, fb, lb, rotation[b], -nx, -ny, -nz, EDGE * size[i], edge[i, 2:]
            ):
                side[i] = EDGES


@inner
def beside(planes, offsets, first, last, rotation, position, nx, ny, nz, x, y, z, small):
    """Whether (x, y, z) lies outside one of the sides of a convex body, seen along the normal."""
    px, py, pz = x - position[0], y - position[1], z - position[2]
    for f in range(first, last):
        wx = rotation[0, 0] * planes[f, 0] + rotation[0, 1] * planes[f, 1] + rotation[0, 2] * planes[f, 2]
        wy = rotation[1, 0] * planes[f, 0] + rotation[1, 1] * planes[f, 1] + rotation[1, 2] * planes[f, 2]
        wz = rotation[2, 0] * planes[f, 0] + rotation[2, 1] * planes[f, 1] + rotation[2, 2] * planes[f, 2]
        if abs(wx * nx + wy * ny + wz * nz) <= STEEP and wx * px + wy * py + wz * pz > offsets[f] + small:
            return True
    return False


@kernel
def keep_points(
    pairs, block_of, shape_of, position, rotation, centre, planes, offsets, plane_bounds, radius, size, distance, normal,
    status, old_pairs, old_start, old_spot, old_impulse, part, point, gap, count,
):  # fmt: skip
    """Add to the points of each pair those that pressed at the last step, where bodies are nearer than at the points found.

    An edge that rests on the rim of a face touches inside the outline of the corners that are near, where no point is
    looked for unless it is the deepest: lost and found again step by step, it would keep a heap in motion. `part`: of
    the smaller block, how much nearer than at the closest point found.
    """
    j, room = 0, point.shape[1]
    for i in range(pairs.shape[0]):
        a, b = pairs[i, 0], pairs[i, 1]
        j = row_of(old_pairs, j, a, b)
        if j == old_pairs.shape[0]:
            return
        found = count[i]
        if old_pairs[j, 0] != a or old_pairs[j, 1] != b or status[i] != 0 or found == 0 or np.isnan(point[i, 0, 0]):
            continue
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        level = point[i, 0, 0] * nx + point[i, 0, 1] * ny + point[i, 0, 2] * nz
        c, turn = centre[block_of[a]], rotation[a]
        sa, sb = shape_of[a], shape_of[b]
        for o in range(old_start[j], old_start[j + 1]):
            pressed = old_impulse[o, 0] != 0.0 or old_impulse[o, 1] != 0.0 or old_impulse[o, 2] != 0.0
            if count[i] == room or not pressed:
                continue
            lx, ly, lz = old_spot[o, 0], old_spot[o, 1], old_spot[o, 2]
            x = c[0] + turn[0, 0] * lx + turn[0, 1] * ly + turn[0, 2] * lz
            y = c[1] + turn[1, 0] * lx + turn[1, 1] * ly + turn[1, 2] * lz
            z = c[2] + turn[2, 0] * lx + turn[2, 1] * ly + turn[2, 2] * lz
            lift = level - (x * nx + y * ny + z * nz)
            x, y, z = x + lift * nx, y + lift * ny, z + lift * nz
            nearest, there = np.inf, 0.0
            for k in range(found):
                d = (x - point[i, k, 0]) ** 2 + (y - point[i, k, 1]) ** 2 + (z - point[i, k, 2]) ** 2
                if d < nearest:
                    nearest, there = d, gap[i, k]
            fa, la, fb, lb = plane_bounds[sa], plane_bounds[sa + 1], plane_bounds[sb], plane_bounds[sb + 1]
            # A ball or a capsule has no faces: its core ends a radius below where the two are nearest, not at the level.
            top, bottom = level - 0.5 * distance[i] - radius[sa], level + 0.5 * distance[i] + radius[sb]
            up = height(planes, offsets, fa, la, turn, position[a], normal[i], 1.0, x, y, z, top)
            down = height(planes, offsets, fb, lb, rotation[b], position[b], normal[i], -1.0, x, y, z, bottom)
            apart, small = down - up - radius[sa] - radius[sb], part * size[i]
            if (
                apart >= there - small
                or beside(planes, offsets, fa, la, turn, position[a], nx, ny, nz, x, y, z, small)
                or beside(planes, offsets, fb, lb, rotation[b], position[b], nx, ny, nz, x, y, z, small)
            ):
                continue
            point[i, count[i], 0], point[i, count[i], 1], point[i, count[i], 2] = x, y, z
            gap[i, count[i]] = apart
            count[i] += 1


@kernel
def line_up(
    pairs, block_of, count, point, gap, reach, pair_normal, centre, rotation, far,
    start, body_a, body_b, spot_point, normal, spot_gap, lever_a, lever_b, spot,
):  # fmt: skip
    """Write the points of all pairs that are within reach in a row, with levers and places on the first body."""
    m = 0
    for i in range(pairs.shape[0]):
        start[i] = m
        if far[i]:
            continue
        a, b = block_of[pairs[i, 0]], block_of[pairs[i, 1]]
        turn = rotation[a]
        for k in range(count[i]):
            if not gap[i, k] <= reach[i]:
                continue
            body_a[m], body_b[m], spot_gap[m] = a, b, gap[i, k]
            for r in range(3):
                spot_point[m, r], normal[m, r] = point[i, k, r], pair_normal[i, r]
                lever_a[m, r], lever_b[m, r] = point[i, k, r] - centre[a, r], point[i, k, r] - centre[b, r]
            for r in range(3):
                spot[m, r] = turn[0, r] * lever_a[m, 0] + turn[1, r] * lever_a[m, 1] + turn[2, r] * lever_a[m, 2]
            m += 1
    start[pairs.shape[0]] = m
    return m


@kernel
def recall(pairs, start, spot, old_pairs, old_start, old_spot, old_impulse, near, impulse):
    """Impulses of the last step for the contacts of this one: those of the same pair, each to the nearest new point.

    pairs, old_pairs (p, 2) are sorted; contacts of pair i are start[i]:start[i + 1]. `spot` (m, 3) lie in the frame of
    the first body, `near` (p,) m is how far a point may have moved. Impulses that found no point are shared by all
    points of the pair, so that the sum over a face is kept when its outline changes.
    """
    j = np.int64(0)
    for i in range(pairs.shape[0]):
        j = row_of(old_pairs, j, pairs[i, 0], pairs[i, 1])
        if j == old_pairs.shape[0]:
            return
        if old_pairs[j, 0] != pairs[i, 0] or old_pairs[j, 1] != pairs[i, 1] or start[i] == start[i + 1]:
            continue
        for o in range(old_start[j], old_start[j + 1]):
            best, where = near[i] * near[i], -1
            for k in range(start[i], start[i + 1]):
                d = 0.0
                for r in range(3):
                    d += (spot[k, r] - old_spot[o, r]) ** 2
                if d < best:
                    best, where = d, k
            if where >= 0:
                for r in range(3):
                    impulse[where, r] += old_impulse[o, r]
            else:
                for k in range(start[i], start[i + 1]):
                    for r in range(3):
                        impulse[k, r] += old_impulse[o, r] / (start[i + 1] - start[i])
