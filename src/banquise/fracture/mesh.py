"""A triangle mesh of a floe, made on demand: 150-300 nodes, fine at the contacts and in narrow places.

Everything here is in units of the square root of the floe's area, about its centre, so that a floe twice as large
gets the same mesh to the last bits of rounding. The border is resampled by a size field, the inside filled with
hexagonal lattices of the local size, and both joined by a constrained Delaunay triangulation of our own: none that takes
inner points has a licence that fits, and Qhull, called four times a mesh, took half of the time of a search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_delaunay, _kernels_mesh, _kernels_points, _kernels_skyline

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Of the size per unit of distance from a fine place, at 300 nodes (0.22 at 200): strains fall like 1/r there, so the best
# size grows like r. More nodes refine this too (and the patch), or the compliance would not converge.
GROWTH = 0.18
PATCH_EDGES = 8  # over a contact patch: fewer than six blur gripped and free cracks
ROUNDS = 2  # of smoothing: a third does not narrow the scatter of critical loads over turned meshes
FACING = 0.2  # cosine below which a border stretch does not face the push


@dataclass(frozen=True)
class Patch:
    """A stretch of border pushed along `direction` (unit, into the floe): corners of the border line, in mesh units."""

    line: Array  # (k, 2)
    direction: Array  # (2,)

    @property
    def width(self) -> float:
        return float(np.linalg.norm(np.diff(self.line, axis=0), axis=1).sum())


@dataclass(frozen=True)
class Mesh:
    """Nodes (n, 2), neighbours with near numbers; triangles (ne, 3) counter-clockwise, neighbours over edge k -> k+1 (-1:
    border), local sizes."""

    nodes: Array
    elements: Index
    neighbours: Index
    size: Array
    border: Any  # the meshed polygon
    corners: Array  # (c, 2) of its rings, ice on the left, with the ends of the patches
    first: Index  # (rings + 1,) of them
    area: Array = field(repr=False)  # (ne,)


def meshed_border(polygon: Any, nodes: int) -> Any:
    """A polygon of unit area without border detail far below the mesh size; much detail allows a coarser eye."""
    spacing = float(np.sqrt(1.15 / nodes))
    tolerance = 0.02 * spacing
    while True:
        simple = polygon.simplify(tolerance, preserve_topology=True)
        corners = len(simple.exterior.coords) + sum(len(r.coords) for r in simple.interiors)
        if corners <= 90 or tolerance > 0.3 * spacing:
            return simple
        tolerance *= 1.6


def find_patch(polygon: Any, point: Array, direction: Array, width: float) -> Patch:
    """The stretch of border of that width about the border point nearest to `point`, as far as it faces the push."""
    rings = [polygon.exterior, *polygon.interiors]
    spot = shapely.Point(point)
    ring = min(rings, key=lambda r: r.distance(spot)) if len(rings) > 1 else rings[0]
    corners = np.asarray(ring.coords)
    if ring.is_ccw != (ring is rings[0]):
        corners = corners[::-1]  # ice on the left
    steps = np.diff(corners, axis=0)
    lengths = np.hypot(*steps.T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    place = shapely.LineString(corners).project(spot)
    nearest = float(along[np.argmin(np.abs(along - place))])
    if abs(nearest - place) < 1e-8 * along[-1]:
        place = nearest  # a contact at a corner: its last bits would choose the side to start from
    place %= along[-1]
    faces = (np.column_stack([-steps[:, 1], steps[:, 0]]) / lengths[:, None]) @ direction
    turn = along[-1]
    half = min(width, 0.5 * turn) / 2
    ends = []
    for way in (-1.0, 1.0):
        # Walk from the contact until the border turns away; a hit whose direction faces nothing keeps its full width.
        left = half
        position = place if way > 0 or place > 0 else turn
        edge = int(np.searchsorted(along, position, side="right" if way > 0 else "left")) - 1
        while left > 0 and (abs(faces[edge]) > FACING or np.abs(faces).max() <= FACING):
            room = (along[edge + 1] - position) if way > 0 else (position - along[edge])
            step = min(room, left)
            position += way * step
            left -= step
            if left > 1e-12 * turn:
                edge = (edge + int(way)) % len(steps)
                position = along[edge] if way > 0 else along[edge + 1]
            else:
                break
        ends.append((half - left) * way)
    if ends[1] - ends[0] <= 0.02 * width:
        ends = [-half, half]
    inner = np.concatenate([along[:-1] - turn, along[:-1], along[:-1] + turn]) - place
    cuts = [ends[0], *sorted(s for s in inner if ends[0] + 1e-9 < s < ends[1] - 1e-9), ends[1]]
    spots = (place + np.asarray(cuts)) % turn
    line = np.column_stack([np.interp(spots, along, corners[:, k]) for k in (0, 1)])
    return Patch(line, direction)


def make_mesh(border: Any, patches: list[Patch], nodes: int) -> Mesh:
    """Mesh a `meshed_border` with about that many nodes and at least six edges on each patch, which lies on it."""
    coarse = float(np.sqrt(1.15 / nodes))
    rings = [_oriented(r, k == 0) for k, r in enumerate([border.exterior, *border.interiors])]
    rings = [_with_patch_ends(r, patches) for r in rings]
    corners = np.ascontiguousarray(np.vstack(rings))
    first = np.cumsum([0, *(len(r) for r in rings)])
    edges = PATCH_EDGES * max(1.0, np.sqrt(nodes / 300)) + 0.5
    fine = [(*a, *b, patch.width / edges) for patch in patches for a, b in pairwise(patch.line)]
    growth = GROWTH * float(np.sqrt(300 / nodes))
    sizes = _kernels_points.fine_places(corners, first, np.array(fine).reshape(-1, 5), coarse, growth)
    top, cells, grid = _kernels_points.top_size(corners, first, sizes, growth, float(nodes))
    points, parts = _kernels_points.border_points(corners, first, sizes, growth, top)
    rim = np.concatenate([corners, points])
    nodes_at = _kernels_points.filled(corners, first, rim, sizes, growth, top, cells, grid)
    elements, neighbours = _kernels_delaunay.triangulated(nodes_at, first, parts, len(rim), sizes, growth, top, ROUNDS)
    if len(elements):
        far = patches[0].line[0] if patches else corners[0]
        seed = int(np.argmin((nodes_at[:, 0] - far[0]) ** 2 + (nodes_at[:, 1] - far[1]) ** 2))
        number = _kernels_skyline.narrow_order(elements, len(nodes_at), seed)
        elements = number[elements]
        nodes_at[number] = nodes_at.copy()
    area, size = _kernels_mesh.areas(nodes_at, elements)
    if not len(elements) or area.min() <= 0:
        raise ShapeError("fracture: this floe could not be meshed. Simplify its ring and try again.")
    return Mesh(nodes_at, elements, neighbours, size, border, corners, first, area)


def _oriented(ring: Any, outer: bool) -> Array:
    corners = np.asarray(ring.coords)[:-1]
    return np.ascontiguousarray(corners if bool(ring.is_ccw) == outer else corners[::-1])


def _with_patch_ends(ring: Array, patches: list[Patch]) -> Array:
    """The ring with the corners and ends of the patches as points of it, where they lie on it.

    A patch lies on one ring only; the others are a mesh size away and stay as they are.
    """
    for patch in patches:
        ring = _kernels_points.with_points(ring, np.ascontiguousarray(patch.line), 0.02 * patch.width)
    return ring
