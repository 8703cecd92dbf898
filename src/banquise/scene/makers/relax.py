"""Placing outlines without overlap: small and apart at first, then grown while they push each other apart.

Random placing alone stops near 60 %. Here every outline starts at a size at which its disc finds a free place, and all
grow together; after each growth those that overlap give way, turning as well as moving, the small more than the large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.scene.makers import _kernels_relax as kernels

Array = NDArray[np.float64]

START_COVER = 0.42  # part of the water under the discs around the outlines when they are placed
SKIN = 0.004  # gap asked for, in sizes (sqrt(area / pi)) of the smaller floe; at least a tenth of it is left
DONE = 0.9  # lack over skin at which the gaps are said to be there
GROWTH = 1.03  # a step, far from the end
MOST_TURN = 0.05  # rad a push
TRIES = 400  # random places a disc
CELLS = 300  # grid of clearance, along the longer side
ROUND = 60  # sweeps before caught floes are taken elsewhere
CAUGHT = 5.0  # lack over skin of a floe said to be caught
ROOMS = 3000  # random points, and 4 a floe, at which room is looked for
PIECES = 24  # cuts of land along the longer side


@dataclass
class Land:
    """What does not move, cut into pieces: points, where pieces start, which edges are border."""

    points: Array
    start: NDArray[np.int64]
    real: NDArray[np.bool_]


def land_around(region: Any, walls: bool = True) -> Land:
    """Everything within and around the bounds of `region` that is not in it, in pieces with small boxes.

    Without `walls` (a periodic box) only the holes of the region count.
    """
    x0, y0, x1, y1 = region.bounds
    side = max(x1 - x0, y1 - y0)
    around = shapely.box(x0, y0, x1, y1)
    outside = shapely.difference(around.buffer(0.2 * side, join_style="mitre") if walls else around, region)
    if outside.is_empty:
        return Land(np.empty((0, 2)), np.zeros(1, np.int64), np.empty(0, np.bool_))
    fx0, fy0, fx1, fy1 = outside.bounds
    nx, ny = (max(1, math.ceil(PIECES * (b - a) / (1.4 * side))) for a, b in ((fx0, fx1), (fy0, fy1)))
    gx, gy = np.linspace(fx0, fx1, nx + 1), np.linspace(fy0, fy1, ny + 1)
    cells = shapely.box(
        *(c.ravel() for c in np.broadcast_arrays(gx[:-1, None], gy[None, :-1], gx[1:, None], gy[None, 1:]))
    )
    parts = shapely.get_parts(shapely.get_parts(shapely.intersection(outside, cells)))
    parts = parts[(shapely.get_type_id(parts) == 3) & (shapely.area(parts) > 0)]
    whole = shapely.get_num_interior_rings(parts) == 0
    cut = [shapely.constrained_delaunay_triangles(p) for p in parts[~whole]]  # a ring without holes is what is wanted
    parts = np.concatenate([parts[whole], *(shapely.get_parts(c) for c in cut)])
    rings = [shapely.get_coordinates(p)[:-1] for p in shapely.orient_polygons(parts)]
    middle = np.concatenate([0.5 * (r + np.roll(r, -1, axis=0)) for r in rings])
    real = shapely.distance(shapely.points(middle), region.boundary) < 1e-9 * side
    if not walls:  # the sides of a periodic box are no border
        real &= shapely.distance(shapely.points(middle), around.boundary) > 1e-9 * side
    owner = np.repeat(np.arange(len(rings)), [len(r) for r in rings])
    kept = np.bincount(owner, real, len(rings)) > 0
    start = np.cumsum([0, *[len(r) for r, k in zip(rings, kept) if k]]).astype(np.int64)
    return Land(np.concatenate([r for r, k in zip(rings, kept) if k] or [np.empty((0, 2))]), start, real[kept[owner]])


def clearance_grid(region: Any, walls: bool = True) -> tuple[Array, Array]:
    """Distance to land at the middles of a grid over the bounds, negative on land, and the bounds (x0, x1, y0, y1)."""
    x0, y0, x1, y1 = region.bounds
    step = max(x1 - x0, y1 - y0) / CELLS
    nx, ny = max(2, round((x1 - x0) / step)), max(2, round((y1 - y0) / step))
    gx, gy = x0 + (np.arange(nx) + 0.5) * (x1 - x0) / nx, y0 + (np.arange(ny) + 0.5) * (y1 - y0) / ny
    points = shapely.points(*np.meshgrid(gx, gy))
    border = region.boundary
    if not walls:
        border = shapely.difference(border, shapely.box(x0, y0, x1, y1).boundary)
    far = np.full(points.shape, np.inf) if border.is_empty else shapely.distance(points, border)
    shapely.prepare(region)
    return np.where(shapely.contains(region, points), far, -far), np.array([x0, x1, y0, y1])


class Packing:
    """Outlines in a region, at poses that change as they are grown and pushed apart."""

    def __init__(self, rings: list[Array], region: Any, seed: int, period: Array | None = None):
        self.n = len(rings)
        self.region = region
        self.walls = period is None
        self.period = np.zeros(2) if period is None else np.asarray(period, dtype=float)
        land = land_around(region, self.walls)
        pieces = len(land.start) - 1
        counts = [len(r) for r in rings]
        self.start = np.concatenate([np.cumsum([0, *counts]), sum(counts) + land.start[1:]]).astype(np.int64)
        self.local = np.concatenate([*rings, land.points])
        self.real = np.concatenate([np.ones(sum(counts), np.bool_), land.real])
        m = self.n + pieces
        area = shapely.area(np.array([shapely.Polygon(r) for r in rings], dtype=object))
        size = np.sqrt(area / np.pi)
        self.size = size
        self.weight, self.turn = np.zeros(m), np.zeros(m)
        self.weight[: self.n] = 1 / area
        self.extent = np.array([np.sqrt((r**2).sum(axis=1).max()) for r in rings])
        self.turn[: self.n] = 2 / (area * size * self.extent)
        self.skins = np.full(m, np.inf)
        self.skins[: self.n] = SKIN * size
        self.pose = np.zeros((m, 3))
        self.world, self.box = self.local.copy(), np.empty((m, 4))
        kernels.set_world(self.n, m, self.local, self.start, self.pose, 1.0, self.world, self.box)
        self.rng = np.random.default_rng([seed, 0x9ACC])
        self.scale = 1.0
        self.sweeps = 0
        self.reached = 0.0  # largest scale at which all were nearly apart
        self.pairs, self.shift = np.empty((0, 2), np.int64), np.empty((0, 2))
        self.lack = np.zeros(m)

    def place(self) -> None:
        """Random places for the discs around the outlines, at the scale at which they cover little of the water."""
        cover = np.pi * float(np.sum(self.extent**2)) / self.region.area
        self.scale = min(0.9, math.sqrt(START_COVER / cover))
        clearance, bounds = clearance_grid(self.region, self.walls)
        room = float(np.max(clearance))
        self.scale = min(self.scale, 0.95 * room / float(self.extent.max()))
        centre = np.empty((self.n, 2))
        seed = int(self.rng.integers(1, 2**62))
        order = np.argsort(-self.extent, kind="stable")
        kernels.place_discs(self.scale * self.extent[order], bounds, self.period, clearance, TRIES, seed, centre)
        self.pose[order, :2] = centre
        self.pose[: self.n, 2] = self.rng.uniform(0, 2 * np.pi, self.n)
        self._set()

    def _set(self) -> None:
        kernels.set_world(0, self.n, self.local, self.start, self.pose, self.scale, self.world, self.box)

    def _list(self) -> None:
        """Pairs whose boxes, each widened by the margin, meet."""
        n, m = self.n, self.margin
        box = self.box + np.array([-m, -m, m, m])
        boxes = shapely.box(*box.T)
        tree = shapely.STRtree(boxes)
        found, shifts = [], []
        for sx, sy in self._images():
            moved = shapely.box(*(box[:n] - np.array([sx, sy, sx, sy])).T) if sx or sy else boxes[:n]
            a, b = tree.query(moved)
            keep = a < b  # the other way round is the opposite image
            found.append(np.stack([a[keep], b[keep]], axis=1))
            shifts.append(np.tile([sx, sy], (int(keep.sum()), 1)))
        pairs, shift = np.concatenate(found), np.concatenate(shifts).astype(float)
        order = np.lexsort((shift[:, 1], shift[:, 0], pairs[:, 1], pairs[:, 0]))
        self.pairs, self.shift = np.ascontiguousarray(pairs[order]), np.ascontiguousarray(shift[order])
        self.listed = (self.pose[:n].copy(), self.scale)

    def _images(self) -> list[tuple[float, float]]:
        px, py = self.period
        return [(i * px, j * py) for i in ((0, -1, 1) if px else (0,)) for j in ((0, -1, 1) if py else (0,))]

    def _stale(self) -> bool:
        if not len(self.pairs):
            return True
        pose, scale = self.listed
        d = self.pose[: self.n] - pose
        moved = np.hypot(d[:, 0], d[:, 1]) + self.extent * (np.abs(d[:, 2]) + abs(self.scale - scale))
        return bool(moved.max() > self.margin)

    def relax(self, most: int, enough: float) -> float:
        """Sweeps until the largest lack over skin is below `enough`; the last one seen."""
        worst = math.inf
        for k in range(most):
            if self._stale():
                self._list()
            worst = kernels.sweep(
                self.pairs, self.shift, k % 2 == 1, self.local, self.start, self.real, self.weight, self.turn,
                self.skins, MOST_TURN, self.scale, self.pose, self.world, self.box, self.lack,
            )  # fmt: skip
            self.sweeps += 1
            if worst < enough:
                break
        return worst

    def grow(self, most_sweeps: int) -> bool:
        """Grow to full size; whether all are apart in the end."""
        self.margin = 0.15 * float(np.median(self.size))
        self._set()
        while self.scale < 1.0:
            gap = 1.0 - self.scale
            self.scale = 1.0 if gap < 1e-3 else min(1.0, self.scale * min(GROWTH, 1 + max(0.25 * gap, 1e-3)))
            self._set()
            if self.relax(12, 3.0) < 3.0:
                self.reached = self.scale
        while self.sweeps < most_sweeps:
            if self.relax(ROUND, DONE) > DONE:
                self._relocate()
            elif self.apart():
                return True
        return False

    def apart(self) -> bool:
        """Whether no floe meets another or land, by the exact predicates of shapely."""
        floes = np.array([shapely.Polygon(r) for r in self.rings()], dtype=object)
        if self.walls and not shapely.contains_properly(self.region, floes).all():
            return False
        land = shapely.difference(shapely.box(*self.region.bounds), self.region)
        for sx, sy in self._images():
            if (
                not self.walls
                and shapely.intersects(shapely.transform(land, lambda xy, s=(sx, sy): xy + s), floes).any()
            ):
                return False
            moved = shapely.transform(floes, lambda xy, s=(sx, sy): xy + s) if sx or sy else floes
            i, j = shapely.STRtree(moved).query(floes, predicate="intersects")
            if np.any(i < j if not (sx or sy) else i >= 0):
                return False
        return True

    def _relocate(self) -> None:
        """Take floes that stay caught to where most room is: the small ones, for which there is some.

        Rooms are looked for at random points of the water; of two rooms that overlap the larger is used.
        """
        caught = np.flatnonzero(self.lack[: self.n] > CAUGHT)
        caught = caught[np.argsort(self.size[caught], kind="stable")]
        x0, y0, x1, y1 = self.region.bounds
        place = self.rng.uniform((x0, y0), (x1, y1), (ROOMS + 4 * self.n, 2))
        points = shapely.points(place)
        floes = np.array([shapely.Polygon(r) for r in self.rings()], dtype=object)
        tree = shapely.STRtree(floes)
        (who, _), room = tree.query_nearest(points, return_distance=True, all_matches=False)
        clear = np.zeros(len(points))
        clear[who] = room
        clear = np.where(shapely.contains(self.region, points), clear, 0.0)
        clear = np.minimum(clear, shapely.distance(points, self.region.boundary)) if self.walls else clear
        for floe in caught[: max(1, len(caught) // 2)]:
            k = int(np.argmax(clear))
            if clear[k] < 0.3 * self.size[floe]:
                break
            self.pose[floe, :2] = place[k]
            clear[np.hypot(*(place - place[k]).T) < clear[k] + clear] = 0.0
        self._set()

    def rings(self) -> list[Array]:
        """The outlines where they are; in a periodic box, those whose centre is in it."""
        home = np.zeros((self.n, 2))
        if not self.walls:
            home = self.period * np.floor((self.pose[: self.n, :2] - self.region.bounds[:2]) / self.period)
        return [self.world[self.start[k] : self.start[k + 1]] - home[k] for k in range(self.n)]
