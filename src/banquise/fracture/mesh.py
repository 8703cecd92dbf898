"""A triangle mesh of a floe, made on demand: 200-400 nodes, fine at the contacts and in narrow places.

Everything here is in units of the square root of the floe's area, about its centre, so that a floe twice as large
gets the same mesh to the last bits of rounding. The border is resampled by a size field, the inside filled with
hexagonal lattices of the local size, and both joined by Delaunay; a border edge that Delaunay misses is halved until
it is there (no constrained Delaunay that takes inner points has a licence that fits).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError

from banquise.errors import ShapeError
from banquise.fracture import _kernels_mesh

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Of the size per unit of distance from a fine place, at 300 nodes: strains fall like 1/r there, so the best size grows
# like r. More nodes refine this too (and the patch), or the compliance would not converge.
GROWTH = 0.22
PATCH_EDGES = 6  # at least, over a contact patch: fewer blur gripped and free cracks
PACKING = 0.9  # points that fit, as a part of a perfect hexagonal packing (measured on graded meshes)
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
    """Nodes (n, 2), triangles (ne, 3) counter-clockwise, neighbours over edge k -> k+1 (-1: border), local sizes."""

    nodes: Array
    elements: Index
    neighbours: Index
    size: Array
    border: Any  # the meshed polygon
    area: Array = field(repr=False)  # (ne,)


def find_patch(polygon: Any, point: Array, direction: Array, width: float) -> Patch:
    """The stretch of border of that width about the border point nearest to `point`, as far as it faces the push."""
    rings = [polygon.exterior, *polygon.interiors]
    spot = shapely.Point(point)
    ring = min(rings, key=lambda r: r.distance(spot))
    corners = np.asarray(ring.coords)
    if shapely.LinearRing(corners).is_ccw != (ring is rings[0]):
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


def make_mesh(polygon: Any, patches: list[Patch], nodes: int) -> Mesh:
    """Mesh a polygon of unit area with about that many nodes and at least six edges on each patch."""
    spacing = np.sqrt(1.15 / nodes)
    border = _simplified(polygon, spacing, patches)
    shapely.prepare(border)
    rings = [_oriented(r, k == 0) for k, r in enumerate([border.exterior, *border.interiors])]
    rings = [_with_patch_ends(r, patches) for r in rings]
    sizes = _SizeField(rings, patches, border, nodes)
    points, edges = _resample(rings, sizes)
    for attempt in range(3):
        try:
            inner = _fill(border, points, sizes)
            points, edges, triangles, inner = _join(border, points, edges, inner, sizes)
            break
        except _Stuck:
            # A place too narrow for the size field: halve the border edges everywhere and try again.
            points, edges = _halve(points, edges, np.ones(len(edges), bool))
            if attempt == 2:
                raise ShapeError("fracture: this floe could not be meshed. Simplify its ring and try again.") from None
    return _finish(np.vstack([points, inner]), triangles, border)


class _Stuck(Exception):
    pass


def _oriented(ring: Any, outer: bool) -> Array:
    corners = np.asarray(ring.coords)[:-1]
    return corners if bool(ring.is_ccw) == outer else corners[::-1]


def _simplified(polygon: Any, spacing: float, patches: list[Patch]) -> Any:
    """Drop border detail far below the mesh size; much detail allows a coarser eye."""
    tolerance = 0.02 * spacing
    while True:
        simple = polygon.simplify(tolerance, preserve_topology=True)
        corners = len(simple.exterior.coords) + sum(len(r.coords) for r in simple.interiors)
        if corners <= 90 or tolerance > 0.3 * spacing:
            return simple
        tolerance *= 1.6


def _with_patch_ends(ring: Array, patches: list[Patch]) -> Array:
    """The ring with the corners and ends of the patches as points of it, where they lie on it."""
    for patch in patches:
        for spot in patch.line:
            after = np.roll(ring, -1, axis=0)
            step = after - ring
            part = np.clip(np.sum((spot - ring) * step, axis=1) / np.sum(step**2, axis=1), 0, 1)
            foot = ring + part[:, None] * step
            gap = np.hypot(*(spot - foot).T)
            k = int(np.argmin(gap))
            reach = 0.02 * patch.width
            # A patch lies on one ring only; the others are a mesh size away and must stay as they are.
            if gap[k] < reach and min(np.hypot(*(ring - spot).T)) > reach:
                ring = np.insert(ring, k + 1, foot[k], axis=0)
    return ring


class _SizeField:
    """Size wanted at a point: `top`, less near patches and across narrow places."""

    def __init__(self, rings: list[Array], patches: list[Patch], border: Any, nodes: int):
        segments = np.vstack([np.hstack([r, np.roll(r, -1, axis=0)]) for r in rings])
        starts, ends = segments[:, :2], segments[:, 2:]
        long = np.hypot(*(ends - starts).T)
        coarse = np.sqrt(1.15 / nodes)
        parts = np.maximum(1, np.ceil(long / coarse)).astype(int)
        place = np.concatenate([(np.arange(p) + 0.5) / p for p in parts])
        which = np.repeat(np.arange(len(segments)), parts)
        spots = starts[which] + place[:, None] * (ends - starts)[which]
        inward = np.column_stack([-(ends - starts)[:, 1], (ends - starts)[:, 0]])[which]
        inward /= np.hypot(*inward.T)[:, None]
        gap = _kernels_mesh.across(spots, inward, segments)
        narrow = gap < 3 * coarse
        width = np.maximum(gap[narrow] / 2.5, coarse / 6)
        fine = [np.column_stack([spots[narrow], spots[narrow], width])]
        edges = PATCH_EDGES * max(1.0, np.sqrt(nodes / 300)) + 0.5
        for patch in patches:
            fine += [np.array([[*a, *b, patch.width / edges]]) for a, b in pairwise(patch.line)]
        self.fine = np.vstack(fine)  # (k, 5) stretches x0, y0, x1, y1 and the size wanted there
        self.growth = GROWTH * np.sqrt(300 / nodes)
        self.top = coarse
        self._fit(border, segments, nodes)

    def __call__(self, points: Array) -> Array:
        return _kernels_mesh.local_size(np.ascontiguousarray(points), self.fine, self.growth, self.top)

    def box_below(self, size: float, bounds: Any) -> tuple[Array, Array]:
        """Corners of the box outside of which the size wanted is at least `size`."""
        low, high = np.array(bounds[:2]), np.array(bounds[2:])
        fine = self.fine[self.fine[:, 4] < size]
        if self.top < size or not len(fine):
            return low, high
        reach = ((size - fine[:, 4]) / self.growth)[:, None]
        one, two = fine[:, :2], fine[:, 2:4]
        low = np.maximum(low, (np.minimum(one, two) - reach).min(axis=0))
        return low, np.minimum(high, (np.maximum(one, two) + reach).max(axis=0))

    def _fit(self, border: Any, segments: Array, nodes: int) -> None:
        """Choose the top size so that the expected number of nodes is the one asked for."""
        x0, y0, x1, y1 = border.bounds
        grid = np.sqrt((x1 - x0) * (y1 - y0) / 2500)
        x, y = np.meshgrid(np.arange(x0 + grid / 2, x1, grid), np.arange(y0 + grid / 2, y1, grid))
        cells = np.column_stack([x.ravel(), y.ravel()])
        cells = cells[shapely.contains_xy(border, cells[:, 0], cells[:, 1])]
        rim = (segments[:, :2] + segments[:, 2:]) / 2
        long = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
        self.top = np.inf
        inside, edge = self(cells), self(rim)
        low, high = 0.2 * np.sqrt(1.15 / nodes), 4 * np.sqrt(1.15 / nodes)
        for _ in range(40):
            top = np.sqrt(low * high)
            count = PACKING * np.sum(grid**2 / (0.866 * np.minimum(top, inside) ** 2))
            count += np.sum(long / np.minimum(top, edge)) / 2
            low, high = (low, top) if count < nodes else (top, high)
        self.top = float(np.sqrt(low * high))


def _resample(rings: list[Array], sizes: _SizeField) -> tuple[Array, Index]:
    """Border points at the local spacing, and the border edges between them."""
    points: list[Array] = []
    edges: list[Array] = []
    first = 0
    for ring in rings:
        start = first
        for a, b in zip(ring, np.roll(ring, -1, axis=0)):
            fraction = np.linspace(0, 1, 33)
            density = 1 / sizes(a + fraction[:, None] * (b - a))
            count = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)]) * np.hypot(*(b - a)) / 32
            n = max(1, int(np.ceil(count[-1] - 0.2)))
            at = np.interp(np.arange(n) / n * count[-1], count, fraction)
            points.append(a + at[:, None] * (b - a))
            first += n
        run = np.arange(start, first)
        edges.append(np.column_stack([run, np.append(run[1:], start)]))
    return np.vstack(points), np.vstack(edges).astype(np.int64)


def _fill(border: Any, points: Array, sizes: _SizeField) -> Array:
    """Inner points: lattices of each size where that size is wanted, finest first, spread apart."""
    bounds = border.bounds
    corner = np.array(bounds[:2])
    finest = min(sizes.top, float(sizes.fine[:, 4].min())) if len(sizes.fine) else sizes.top
    levels = int(np.ceil(np.log(sizes.top / finest) / np.log(1.25)))
    lattices = []
    for level in range(levels, -1, -1):
        step = sizes.top / 1.25**level
        cell = (step, 0.866 * step)
        low, high = sizes.box_below(1.13 * step, bounds)
        first, last = np.floor((low - corner) / cell).astype(int) - 1, np.ceil((high - corner) / cell).astype(int) + 1
        column, row = (int(k) for k in first)
        columns, rows = (int(max(k, 0)) for k in last - first)
        lattices.append(
            _kernels_mesh.lattice(
                float(corner[0]),
                float(corner[1]),
                step,
                columns,
                rows,
                column,
                row,
                sizes.fine,
                sizes.growth,
                sizes.top,
            )
        )
    found = np.vstack(lattices)
    found = found[shapely.contains_xy(border, found[:, 0], found[:, 1])]
    spots = np.ascontiguousarray(found[:, :2])
    kept = _kernels_mesh.spread(spots, np.ascontiguousarray(found[:, 2]), points, 0.7)
    return np.ascontiguousarray(spots[kept])


def _join(
    border: Any, points: Array, edges: Index, inner: Array, sizes: _SizeField
) -> tuple[Array, Index, Index, Array]:
    """Delaunay with all border edges present, inner points smoothed."""
    for _ in range(2):
        points, edges, triangles = _conform(border, points, edges, inner)
        inner = _smoothed(points, inner, triangles, sizes)
    points, edges, triangles = _conform(border, points, edges, inner)
    return points, edges, triangles, inner


def _conform(border: Any, points: Array, edges: Index, inner: Array) -> tuple[Array, Index, Index]:
    for _ in range(12):
        every = np.vstack([points, inner])
        try:
            triangles = Delaunay(every).simplices.astype(np.int64)
        except QhullError:
            raise _Stuck from None
        area = _areas(every, triangles)
        triangles[area < 0] = triangles[area < 0][:, ::-1]
        n = len(every)
        have = np.zeros(n * n, bool)
        for k in range(3):
            have[triangles[:, k] * n + triangles[:, (k + 1) % 3]] = True
        missing = ~(have[edges[:, 0] * n + edges[:, 1]] | have[edges[:, 1] * n + edges[:, 0]])
        if not missing.any():
            corners = every[triangles]
            middle = corners.mean(axis=1)
            longest = np.square(corners - corners[:, [1, 2, 0]]).sum(axis=2).max(axis=1)
            inside = shapely.contains_xy(border, middle[:, 0], middle[:, 1]) & (np.abs(area) > 1e-4 * longest)
            return points, edges, triangles[inside]
        points, edges = _halve(points, edges, missing)
    raise _Stuck


def _halve(points: Array, edges: Index, which: NDArray[np.bool_]) -> tuple[Array, Index]:
    new = points[edges[which]].mean(axis=1)
    at = len(points) + np.arange(len(new))
    kept = edges[~which]
    halves = np.vstack([np.column_stack([edges[which, 0], at]), np.column_stack([at, edges[which, 1]])])
    return np.vstack([points, new]), np.vstack([kept, halves])


def _smoothed(points: Array, inner: Array, triangles: Index, sizes: _SizeField) -> Array:
    """Each inner point moved to the mean of its triangles' centres, weighted for the wanted size."""
    if not len(inner):
        return inner
    every = np.vstack([points, inner])
    centre = every[triangles].mean(axis=1)
    weight = np.abs(_areas(every, triangles)) / sizes(centre) ** 4
    total = np.bincount(triangles.ravel(), np.repeat(weight, 3), len(every))
    moved = [np.bincount(triangles.ravel(), np.repeat(weight * centre[:, k], 3), len(every)) for k in (0, 1)]
    with np.errstate(invalid="ignore", divide="ignore"):
        target = np.column_stack(moved) / total[:, None]
    target = np.where(total[:, None] > 0, target, every)[len(points) :]
    return np.ascontiguousarray(target)


def _areas(nodes: Array, triangles: Index) -> Array:
    a, b, c = (nodes[triangles[:, k]] for k in range(3))
    return 0.5 * ((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))


def _finish(nodes: Array, triangles: Index, border: Any) -> Mesh:
    used = np.unique(triangles)
    place = np.full(len(nodes), -1, np.int64)
    place[used] = np.arange(len(used))
    nodes, triangles = np.ascontiguousarray(nodes[used]), np.ascontiguousarray(place[triangles])
    n, ne = len(nodes), len(triangles)
    sides = np.stack([np.sort(triangles[:, [k, (k + 1) % 3]], axis=1) for k in range(3)], axis=1)
    keys = (sides[..., 0] * n + sides[..., 1]).ravel()
    order = np.argsort(keys, kind="stable")
    twin = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    neighbours = np.full(3 * ne, -1, np.int64)
    neighbours[order[twin]] = order[twin + 1] // 3
    neighbours[order[twin + 1]] = order[twin] // 3
    long = np.hypot(*(nodes[sides[..., 0]] - nodes[sides[..., 1]]).T).T
    size = np.full(n, np.inf)
    for k in range(3):
        np.minimum.at(size, sides[:, k].ravel(), np.repeat(long[:, k], 2))
    return Mesh(nodes, triangles, neighbours.reshape(ne, 3), size, border, _areas(nodes, triangles))
