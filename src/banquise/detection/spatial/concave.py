"""Signed distance of blocks that are not convex: convex parts, or a closed skin with a tree over its faces.

Both give the same numbers. Apart: the distance of the closest parts or faces. Overlapping: the length of the shortest
shift that parts the bodies, which belongs to the bodies and not to how they are cut up.
"""

from __future__ import annotations

import numpy as np

from banquise.detection.spatial import _kernels_union as kernels
from banquise.detection.spatial.distance import distances
from banquise.detection.spatial.table import Blocks, Shapes
from banquise.detection.spatial.triangles import Skin, skin_distance, skins_meet, world_triangles
from banquise.errors import ShapeError
from banquise.scene.meshes import Floats, Ints
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.solids import ConvexPart

TOUCH = 1e-12  # of the size: closer cells count as meeting
# The search for the shortest way out grows as the cube of the planes: seconds for 2,000, many minutes for 5,000.
MOST_PLANES, MOST_FACES = 3_000, 20_000
CUT = "That many take too long: cut the concave skin with block.in_parts(), or give convex `parts`."
BOTH_SIDES = np.array([[0, 1, 2], [0, 2, 1]])  # the two sides of a triangle

Apart = tuple[float, Floats, Floats, Floats, tuple[ConvexPart, ConvexPart]]


def _cells(block: Polyhedron) -> list[ConvexPart]:
    """Convex parts of a block, or its triangles when it has none, in the world's axes."""
    if block.parts:
        return [
            ConvexPart(block.position + part.corners @ block.rotation.T, part.triangles, part.radius)
            for part in block.parts
        ]
    return [ConvexPart(corners, BOTH_SIDES, block.radius) for corners in world_triangles(block)]


def _boxes(cells: list[ConvexPart]) -> Floats:
    return np.array(
        [np.concatenate([c.corners.min(axis=0) - c.radius, c.corners.max(axis=0) + c.radius]) for c in cells]
    )


def _closest_cells(
    first: list[ConvexPart], second: list[ConvexPart]
) -> tuple[float, Floats, Floats, Floats, tuple[int, int]]:
    """Smallest signed distance over pairs of cells: distance, normal, points, and which cells."""
    a, b = _boxes(first), _boxes(second)
    gaps = np.maximum(a[:, None, :3] - b[None, :, 3:], b[None, :, :3] - a[:, None, 3:])
    bound = np.linalg.norm(np.maximum(gaps, 0.0), axis=2)
    order = np.argsort(bound, axis=None)
    blocks = Blocks(
        Shapes.of([*first, *second]),
        np.arange(len(first) + len(second)),
        np.zeros((len(first) + len(second), 3)),
        np.tile(np.eye(3), (len(first) + len(second), 1, 1)),
        np.zeros(len(first) + len(second), dtype=np.int64),
    )
    best = (np.inf, np.zeros(3), np.zeros(3), np.zeros(3), (0, 0))
    for start in range(0, len(order), 64):  # nearest boxes first; stop when no box can be nearer
        some = order[start : start + 64]
        if bound.ravel()[some[0]] >= best[0]:
            break
        i, j = np.unravel_index(some, bound.shape)
        near = distances(blocks, np.column_stack([i, j + len(first)]))
        k = int(np.argmin(near.distance))
        if near.distance[k] < best[0]:
            best = (float(near.distance[k]), near.normal[k], near.on_a[k], near.on_b[k], (int(i[k]), int(j[k])))
    return best


def _difference_planes(a: ConvexPart, b: ConvexPart) -> Floats:
    """Planes (k, 4) that bound the differences of two convex cells: normal outwards, offset."""
    own, other = a.sharp_edges[0], b.sharp_edges[0]
    along = np.cross(
        (a.corners[own[:, 1]] - a.corners[own[:, 0]])[:, None], (b.corners[other[:, 1]] - b.corners[other[:, 0]])[None]
    )
    along = along.reshape(-1, 3)
    size = np.linalg.norm(along, axis=1)
    along = (
        along[size > 1e-12 * max(float(size.max()), 1e-300)] / size[size > 1e-12 * max(float(size.max()), 1e-300), None]
    )
    normals = np.vstack([a.faces[0], -b.faces[0], along, -along])
    normals = normals[np.unique(np.round(normals, 9), axis=0, return_index=True)[1]]
    offsets = (a.corners @ normals.T).max(axis=0) - (b.corners @ normals.T).min(axis=0)
    return np.column_stack([normals, offsets])


def _shortest_way_out(a: Polyhedron, b: Polyhedron, first: list[ConvexPart], second: list[ConvexPart]) -> Floats:
    """Shift of block b, as short as can be, that parts it from block a."""
    hulls = [Polyhedron(np.vstack([c.corners for c in cells])) for cells in (first, second)]
    whole = distances(Blocks.of(hulls), np.array([[0, 1]]))
    limit = -float(whole.distance[0])  # parting the hulls parts the bodies
    scale = float(np.ptp(np.vstack([h.vertices for h in hulls]), axis=0).max())
    boxes_a, boxes_b = _boxes(first), _boxes(second)
    gaps = np.maximum(boxes_a[:, None, :3] - boxes_b[None, :, 3:], boxes_b[None, :, :3] - boxes_a[:, None, 3:])
    near = np.argwhere(np.linalg.norm(np.maximum(gaps, 0.0), axis=2) <= limit)
    planes = [_difference_planes(first[i], second[j]) for i, j in near]
    starts: Ints = np.cumsum([0] + [len(p) for p in planes])
    table = np.ascontiguousarray(np.vstack(planes))
    # A plane and its reverse are one surface; rounding joins the same plane met in many cells.
    flipped = np.where(table[:, 3:] < 0.0, -table, table)
    unique = flipped[np.unique(np.round(flipped / [1, 1, 1, scale], 10), axis=0, return_index=True)[1]]
    unique = np.ascontiguousarray(unique[np.argsort(np.abs(unique[:, 3]), kind="stable")])
    if len(unique) > MOST_PLANES:
        raise ShapeError(f"gap: the blocks overlap across {len(near)} pairs of faces and parts. {CUT}")
    nothing = np.empty((0, 3, 3))
    best = limit * whole.normal[0]
    kernels.way_out(
        unique, starts, table, scale, limit * (1.0 + 1e-12),
        nothing if a.parts else world_triangles(a), first[0].corners[0],
        nothing if b.parts else world_triangles(b), second[0].corners[0], best,
    )  # fmt: skip
    return best


def _cell_at(block: Polyhedron, corners: Floats, point: Floats) -> ConvexPart:
    """The cell of a block of one skin at a point of it: the convex block itself, or the triangle (of `corners`) there."""
    if block.convex:
        return _cells(block)[0]
    small = 1e-9 * block.solid.size
    there = np.all((corners.min(axis=1) - small <= point) & (point <= corners.max(axis=1) + small), axis=1)
    near = corners[there] if there.any() else corners
    normals = np.cross(near[:, 1] - near[:, 0], near[:, 2] - near[:, 0])
    height = np.abs(np.einsum("ij,ij->i", normals, point - near[:, 0])) / np.linalg.norm(normals, axis=1)
    off = np.maximum(height, small) + 1e-3 * np.linalg.norm(near.mean(axis=1) - point, axis=1)  # of equals the nearer
    return ConvexPart(near[int(np.argmin(off))], BOTH_SIDES, block.radius)


def _apart_by_skins(a: Polyhedron, b: Polyhedron) -> Apart | None:
    """`concave_gap` of blocks of one skin each that are apart, through the trees of the skins: for any number of faces."""
    if (a.parts and b.parts) or not all(len(x.faces) and (x.convex or not x.parts) for x in (a, b)):
        return None
    skin_a, skin_b = Skin.of(a), Skin.of(b)
    if skins_meet(skin_a, skin_b):
        return None
    distance, p, q = skin_distance(skin_a, skin_b)
    if distance <= TOUCH * (a.solid.size + b.solid.size):  # two points that touch have no direction
        return None
    normal = (q - p) / distance
    cells = _cell_at(a, skin_a.corners, p), _cell_at(b, skin_b.corners, q)
    return distance - a.radius - b.radius, normal, p + a.radius * normal, q - b.radius * normal, cells


def concave_gap(a: Polyhedron, b: Polyhedron) -> Apart:
    """Signed distance, normal from a to b, points on a and b, and the two cells in contact."""
    apart = _apart_by_skins(a, b)
    if apart is not None:
        return apart
    for block in (a, b):
        if not block.parts and len(block.faces) > MOST_FACES:
            raise ShapeError(
                f"gap: the blocks overlap or touch, one is a concave skin of {len(block.faces)} faces. {CUT}"
            )
    first, second = _cells(a), _cells(b)
    distance, normal, p, q, (i, j) = _closest_cells(first, second)
    scale = a.solid.size + b.solid.size
    rounding = first[i].radius + second[j].radius
    held = (not a.parts and Skin.of(a).contains(second[0].corners[0])) or (
        not b.parts and Skin.of(b).contains(first[0].corners[0])
    )
    if distance + rounding > TOUCH * scale and not held:
        return distance, normal, p, q, (first[i], second[j])
    shift = _shortest_way_out(a, b, first, second)
    depth = float(np.linalg.norm(shift))
    if depth > TOUCH * scale:
        normal = shift / depth
    moved = [ConvexPart(c.corners + shift, c.triangles, c.radius) for c in second]
    _, _, p, q, (i, j) = _closest_cells(first, moved)
    middle = 0.5 * (p + q) - shift
    return -depth - rounding, normal, middle + shift, middle, (first[i], second[j])
