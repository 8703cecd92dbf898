"""Contacts of blocks, point by point, and the memory that follows each point from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.blocks import _kernels
from banquise.blocks.columns import Columns
from banquise.detection.spatial import Blocks, Contacts, Distances, contacts, distances, find_pairs, part_boxes
from banquise.detection.spatial.polygon import SLACK
from banquise.scene.meshes import Floats, Ints

if TYPE_CHECKING:
    from banquise.blocks.bonds import Bonds

ALERT = 5e-3  # of a block's size: what is nearer is watched even at rest
WIDEST_SLACK = 0.1  # of the smaller body: corners of a face that may turn into contact within a step
CLOSE = 1e-6  # of the smaller block: how well the distance along a remembered face must be proven
SHALLOW = 2e-5  # of the smaller block: overlaps up to this keep their face; deeper ones look at every axis again
KINK = 1e-6  # of the smaller block: how much nearer bodies are at a remembered point to be worth keeping it
KEPT = 2  # remembered points a pair, beside those found
SPARE = 0.02  # of a block's size: how far blocks may move before pairs are looked for again


@dataclass
class Memory:
    """What the last step leaves to the next: pairs, their normals, contact points (frame of the first) and impulses."""

    pairs: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    normal: Floats = field(default_factory=lambda: np.empty((0, 3)))
    side: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # normal of a face of 1 (a) or 2 (b), 3: of edges
    local: Floats = field(default_factory=lambda: np.empty((0, 3)))  # a face's normal in its body's axes
    edge: Ints = field(default_factory=lambda: np.empty((0, 4), np.int64))  # corners of the two edges
    start: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    spot: Floats = field(default_factory=lambda: np.empty((0, 3)))
    impulse: Floats = field(default_factory=lambda: np.empty((0, 3)))

    def arrays(self) -> dict[str, Floats | Ints]:
        """For a checkpoint."""
        return dict(self.__dict__)


@dataclass
class Touching:
    """Contact points of one instant, sorted by pair; `impulse` is filled when the problem is solved."""

    pairs: Ints  # (p, 2) parts
    pair_normal: Floats  # (p, 3)
    side: Ints  # (p,)
    local: Floats  # (p, 3)
    edge: Ints  # (p, 4)
    start: Ints  # (p + 1,) points of pair i are start[i]:start[i + 1]
    body_a: NDArray[np.int32]  # (m,)
    body_b: NDArray[np.int32]  # (m,)
    point: Floats  # (m, 3) m, world
    normal: Floats  # (m, 3) from a to b
    gap: Floats  # (m,) m
    lever_a: Floats  # (m, 3) m
    lever_b: Floats  # (m, 3) m
    spot: Floats  # (m, 3) m, in the frame of a
    size: Floats  # (m,) m, of the smaller of the two blocks
    guess: Floats  # (m, 3) N s, world, remembered
    overlap: float  # m, deepest overlap of a pair, by the distance of the bodies
    impulse: Floats  # (m, 3) N s on b, world

    def speed(self, velocity: Floats) -> Floats:
        """Velocity (m, 3) of b minus that of a at each point."""
        out = np.empty_like(self.point)
        _kernels.relative_speed(self.body_a, self.body_b, self.lever_a, self.lever_b, velocity, out)
        return out

    def along(self, velocity: Floats) -> Floats:
        """The same along the normal, (m,)."""
        found: Floats = np.einsum("ki,ki->k", self.speed(velocity), self.normal)
        return found

    def wrench(self, n: int) -> Floats:
        """Sum (n, 6) of the impulses on each of n bodies: N s, then N m s about its centre."""
        out = np.zeros((n, 6))
        _kernels.push_sums(self.body_a, self.body_b, self.lever_a, self.lever_b, self.impulse, out)
        return out

    def joined(self, **more: Any) -> Touching:
        """The contacts with further points at the end, which belong to no pair and are not remembered."""
        grown: dict[str, Any] = {key: np.concatenate([getattr(self, key), value]) for key, value in more.items()}
        return replace(self, **grown)

    def only(self, rows: NDArray[np.bool_]) -> Touching:
        """The contacts where `rows` (m,) is true."""
        start = np.append(0, np.cumsum(rows))[self.start]
        held = np.diff(start) > 0
        by_pair: dict[str, Any] = {
            name: getattr(self, name)[held] for name in ("pairs", "pair_normal", "side", "local", "edge")
        }
        names = (
            "body_a", "body_b", "point", "normal", "gap", "lever_a", "lever_b", "spot", "size", "guess", "impulse"
        )  # fmt: skip
        by_point: dict[str, Any] = {name: np.ascontiguousarray(getattr(self, name)[rows]) for name in names}
        return replace(self, **by_pair, **by_point, start=np.append(start[:-1][held], start[-1]))

    def memory(self) -> Memory:
        """What the next step should know."""
        return Memory(
            self.pairs, self.pair_normal, self.side, self.local, self.edge, self.start, self.spot, self.impulse
        )


def watched(columns: Columns, ahead: float, gravity: float) -> Floats:
    """How far (n,) m each block may get within `ahead` seconds, and what is watched even at rest."""
    speed, spin = (np.linalg.norm(columns.velocity[:, part], axis=1) for part in (slice(0, 3), slice(3, 6)))
    found: Floats = ahead * (speed + spin * columns.reach + gravity * ahead) + ALERT * columns.size
    return found


class Finder:
    """Finds contacts; keeps the list of pairs that may touch until a block has moved far enough to change it."""

    def __init__(self) -> None:
        self._pairs: Ints | None = None
        self._centre = self._orientation = self._allowed = np.empty(0)

    def candidates(self, columns: Columns, blocks: Blocks, watch: Floats) -> Ints:
        """Sorted pairs (p, 2) of parts, at least all those whose boxes come within `watch` (n,) m."""
        if self._pairs is not None:
            moved = np.abs(columns.centre - self._centre).sum(axis=1)
            turned = 2.0 * np.abs(columns.orientation - self._orientation).sum(axis=1) * columns.reach
            if np.all(moved + turned + watch <= self._allowed):
                return self._pairs
        allowed = 1.5 * watch + SPARE * columns.size
        pairs = find_pairs(part_boxes(blocks, allowed[columns.block_of]), block_of=blocks.block_of)
        keep = columns.free[blocks.block_of[pairs]].any(axis=1)
        self._pairs = np.ascontiguousarray(pairs[keep])
        self._centre, self._orientation = columns.centre.copy(), columns.orientation.copy()
        self._allowed = allowed
        return self._pairs

    def find(
        self,
        columns: Columns,
        ahead: float,
        gravity: float,
        memory: Memory,
        bonds: Bonds | None = None,
        points: int = 4,
    ) -> Touching:
        """All points that can touch within `ahead` seconds: every pair near enough, up to `points` points each.

        Pairs of blocks that are bonded are left out.
        """
        turned = columns.rotation
        blocks = columns.placed(turned)
        spin = np.linalg.norm(columns.velocity[:, 3:], axis=1)
        watch = watched(columns, ahead, gravity)
        pairs = self.candidates(columns, blocks, watch)
        own = blocks.block_of[pairs]
        if bonds is not None and bonds.alive.any():
            loose = bonds.loose(own, len(columns))
            pairs, own = np.ascontiguousarray(pairs[loose]), own[loose]
        reach = watch[own].sum(axis=1)
        slack = np.clip(2.0 * ahead * spin[own].max(axis=1, initial=0.0), SLACK, WIDEST_SLACK)
        size = columns.size[own].min(axis=1)
        near, met, side = _measure(blocks, pairs, reach, size, memory, points, slack)
        met = _with_kept(columns, blocks, pairs, size, near, met, memory)
        return _lined_up(columns, turned, blocks, pairs, reach, size, near, met, side, memory)

    def faces(self, columns: Columns, within: float) -> tuple[Touching, Floats]:
        """Contacts of all pairs nearer than `within` (m) now, and the area (p,) m2 of each pair's contact polygon."""
        turned = columns.rotation
        blocks = columns.placed(turned)
        pairs = self.candidates(columns, blocks, np.full(len(columns), within))
        own = blocks.block_of[pairs]
        size = columns.size[own].min(axis=1)
        reach = np.full(len(pairs), 10.0 * within + 1e-12)
        near, met, side = _measure(blocks, pairs, reach, size, Memory(), 4, np.full(len(pairs), 1e-6))
        touching = _lined_up(columns, turned, blocks, pairs, reach, size, near, met, side, Memory())
        rows = np.searchsorted(pairs[:, 0] * len(blocks.block_of) + pairs[:, 1],
                               touching.pairs[:, 0] * len(blocks.block_of) + touching.pairs[:, 1])  # fmt: skip
        return touching, met.area[rows]


def _measure(
    blocks: Blocks, pairs: Ints, reach: Floats, size: Floats, memory: Memory, points: int, slack: Floats
) -> tuple[Distances, Contacts, Ints]:
    """Distances and contact points of all pairs, and whose face the normal is where the last step's still holds.

    A pair that met on a face or across two edges last step is tried there: one look along one direction. The search over all
    directions is for the others, and for those where the face is no longer proven to be the one.
    """
    n, shapes = len(pairs), blocks.shapes
    normal, side = np.zeros((n, 3)), np.zeros(n, np.int64)
    near = Distances(np.empty(n), normal, np.full((n, 3), np.nan), np.full((n, 3), np.nan), np.zeros(n, np.int64))
    _kernels.recall_normals(
        pairs, memory.pairs, memory.normal, memory.side, memory.local, memory.edge, blocks.shape_of, shapes.corners,
        shapes.radius, blocks.position, blocks.rotation, normal, near.on_a, near.on_b, side,
    )  # fmt: skip
    known = np.flatnonzero(side)
    _kernels.apart_along(
        known, pairs, blocks.shape_of, blocks.position, blocks.rotation, shapes.corners, shapes.bounds, shapes.radius,
        normal, near.distance,
    )  # fmt: skip
    near.status[known[near.distance[known] > reach[known]]] = 2
    _search(blocks, pairs, np.flatnonzero(side == 0), reach, near)
    met = contacts(blocks, pairs, near, points, slack)
    failed = np.empty(len(known), np.int64)
    count = _kernels.not_proven(known, near.distance, met.point, met.gap, met.count, size, CLOSE, SHALLOW, failed)
    again = failed[:count]
    again = again[near.status[again] == 0]
    if len(again):
        side[again] = 0
        _search(blocks, pairs, again, reach, near)
        part = Distances(*(getattr(near, name)[again] for name in ("distance", "normal", "on_a", "on_b", "status")))
        redone = contacts(blocks, pairs[again], part, points, slack[again])
        for name in ("point", "gap", "count"):
            getattr(met, name)[again] = getattr(redone, name)
    return near, met, side


def _with_kept(
    columns: Columns, blocks: Blocks, pairs: Ints, size: Floats, near: Distances, met: Contacts, memory: Memory
) -> Contacts:
    """The points with those that pressed at the last step and would be lost."""
    if not len(memory.pairs):
        return met
    n, shapes = len(pairs), blocks.shapes
    point = np.concatenate([met.point, np.full((n, KEPT, 3), np.nan)], axis=1)
    gap = np.concatenate([met.gap, np.full((n, KEPT), np.nan)], axis=1)
    _kernels.keep_points(
        pairs, blocks.block_of, blocks.shape_of, blocks.position, blocks.rotation, columns.centre, *shapes.planes,
        shapes.radius, size, near.distance, near.normal, near.status, memory.pairs, memory.start, memory.spot,
        memory.impulse, KINK, point, gap, met.count,
    )  # fmt: skip
    return replace(met, point=point, gap=gap)


def _search(blocks: Blocks, pairs: Ints, rows: Ints, reach: Floats, near: Distances) -> None:
    """Distances of pairs[rows] from scratch, starting at the normals in `near`, written there."""
    if not len(rows):
        return
    found = distances(blocks, pairs[rows], float(reach[rows].max()), near.normal[rows])
    for name in ("distance", "normal", "on_a", "on_b", "status"):
        getattr(near, name)[rows] = getattr(found, name)


def _lined_up(
    columns: Columns, turned: Floats, blocks: Blocks, pairs: Ints, reach: Floats, size: Floats,
    near: Distances, met: Contacts, known: Ints, memory: Memory,
) -> Touching:  # fmt: skip
    """The points in a row with what they remember; pairs without a point are dropped."""
    most = int(met.count.sum())
    start = np.empty(len(pairs) + 1, np.int64)
    a, b, gap = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most)
    point, normal, lever_a, lever_b, spot = (np.empty((most, 3)) for _ in range(5))
    far = near.far
    m = _kernels.line_up(
        pairs, blocks.block_of, met.count, met.point, met.gap, reach, near.normal, columns.centre, turned, far,
        start, a, b, point, normal, gap, lever_a, lever_b, spot,
    )  # fmt: skip
    held = np.flatnonzero(np.diff(start))
    kept = np.ascontiguousarray(pairs[held])
    start = np.append(start[held], m)
    guess = np.zeros((m, 3))
    _kernels.recall(kept, start, spot, memory.pairs, memory.start, memory.spot, memory.impulse, 0.1 * size[held], guess)
    side, local, edge = np.empty(len(held), np.int64), np.zeros((len(held), 3)), np.zeros((len(held), 4), np.int64)
    shapes = blocks.shapes
    planes, _, plane_bounds = shapes.planes
    pair_normal = near.normal[held]
    _kernels.name_sides(
        kept, blocks.shape_of, blocks.rotation, shapes.corners, shapes.bounds, planes, plane_bounds, size[held],
        pair_normal, known[held], side, local, edge,
    )  # fmt: skip
    overlap = max(0.0, -float(near.distance[~far].min(initial=0.0)))
    return Touching(
        kept, pair_normal, side, local, edge, start, a[:m], b[:m], point[:m], normal[:m], gap[:m], lever_a[:m], lever_b[:m],
        spot[:m], np.repeat(size[held], np.diff(start)), guess, overlap, np.zeros((m, 3)),
    )  # fmt: skip
