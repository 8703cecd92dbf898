"""Contacts of blocks, point by point, and the memory that follows each point from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from banquise.blocks import _kernels
from banquise.blocks.columns import Columns
from banquise.detection.spatial import Blocks, contacts, distances, find_pairs, part_boxes
from banquise.detection.spatial.polygon import SLACK
from banquise.scene.meshes import Floats, Ints
from banquise.scene.polyhedron import Polyhedron

ALERT = 5e-3  # of a block's size: what is nearer is watched even at rest
WIDEST_SLACK = 0.1  # of the smaller body: corners of a face that may turn into contact within a step


@dataclass
class Memory:
    """What the last step leaves to the next: pairs, their normals, contact points (frame of the first) and impulses."""

    pairs: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    normal: Floats = field(default_factory=lambda: np.empty((0, 3)))
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
    start: Ints  # (p + 1,) points of pair i are start[i]:start[i + 1]
    body_a: NDArray[np.int32]  # (m,)
    body_b: NDArray[np.int32]  # (m,)
    point: Floats  # (m, 3) m, world
    normal: Floats  # (m, 3) from a to b
    gap: Floats  # (m,) m
    lever_a: Floats  # (m, 3) m
    lever_b: Floats  # (m, 3) m
    spot: Floats  # (m, 3) m, in the frame of a
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

    def memory(self) -> Memory:
        """What the next step should know."""
        return Memory(self.pairs, self.pair_normal, self.start, self.spot, self.impulse)


def find(columns: Columns, turned: Floats, ahead: float, gravity: float, memory: Memory, points: int = 4) -> Touching:
    """All points that can touch within `ahead` seconds: every pair near enough, up to `points` points each."""
    blocks = columns.placed(turned)
    speed = np.linalg.norm(columns.velocity[:, :3], axis=1)
    spin = np.linalg.norm(columns.velocity[:, 3:], axis=1)
    watch = ahead * (speed + spin * columns.reach + gravity * ahead) + ALERT * columns.size
    pairs = find_pairs(part_boxes(blocks, watch[columns.block_of]), block_of=blocks.block_of)
    own = blocks.block_of[pairs]
    keep = columns.free[own].any(axis=1)
    pairs, own = np.ascontiguousarray(pairs[keep]), own[keep]
    last = np.zeros((len(pairs), 3))
    _kernels.recall_normals(pairs, memory.pairs, memory.normal, last)
    reach = watch[own].sum(axis=1)
    near = distances(blocks, pairs, float(reach.max(initial=0.0)), last)
    slack = float(np.clip(2.0 * ahead * spin.max(initial=0.0), SLACK, WIDEST_SLACK))
    met = contacts(blocks, pairs, near, points, slack)
    room = np.arange(met.gap.shape[1]) < np.where(near.far, 0, met.count)[:, None]
    room &= met.gap <= reach[:, None]
    row = np.nonzero(room)[0]
    a, b = own[row, 0].astype(np.int32), own[row, 1].astype(np.int32)
    point = np.ascontiguousarray(met.point[room])
    lever_a, lever_b = point - columns.centre[a], point - columns.centre[b]
    spot = np.einsum("kji,kj->ki", turned[a], lever_a)
    start = np.concatenate([[0], np.cumsum(room.sum(axis=1))]).astype(np.int64)
    guess = np.zeros_like(point)
    _kernels.recall(
        pairs, start, spot, memory.pairs, memory.start, memory.spot, memory.impulse,
        0.1 * columns.size[own].min(axis=1), guess,
    )  # fmt: skip
    overlap = max(0.0, -float(near.distance[~near.far].min(initial=0.0)))
    return Touching(
        pairs, near.normal, start, a, b, point, np.ascontiguousarray(near.normal[row]), met.gap[room],
        lever_a, lever_b, spot, guess, overlap, np.zeros_like(point),
    )  # fmt: skip


def overlaps(blocks: Sequence[Polyhedron], part: float = 1e-3) -> list[tuple[int, int, float]]:
    """Pairs (i, j, depth m) of blocks that overlap deeper than `part` of the smaller one's size, fixed pairs left out."""
    placed = Blocks.of(blocks)
    pairs = find_pairs(part_boxes(placed, np.zeros(len(placed.block_of))), block_of=placed.block_of)
    size = np.cbrt([b.volume for b in blocks])
    deepest: dict[tuple[int, int], float] = {}
    for (p, q), gap in zip(pairs, distances(placed, pairs, reach=0.0).distance):
        i, j = sorted((int(placed.block_of[p]), int(placed.block_of[q])))
        if -gap > part * min(size[i], size[j]) and not (blocks[i].fixed and blocks[j].fixed):
            deepest[i, j] = max(deepest.get((i, j), 0.0), -float(gap))
    return [(i, j, depth) for (i, j), depth in sorted(deepest.items())]
