"""Who was born of whom: the shapes of all floes that ever were, each in the frame that its first ancestor was written in.

In that frame a floe is cut, whatever its pose: thickness fields keep their meaning, and the two sides of a crack are the
same numbers. A piece has its ancestor's rotation, so a pose (x, y, rotation) draws it like any other floe.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.fracture.split import like
from banquise.scene.floe import Floe

Array = NDArray[np.float64]
Slit = list[list[float]]  # the points of a crack that ends inside, from the border to its tip


class Family:
    """Pieces by id, after the floes of the scene; columns only, so that a checkpoint holds them as they are."""

    NOT_STORED = ("_floes",)

    def __init__(self, floes: int):
        self.first = floes
        self.points = np.empty((0, 2))
        self.ring_points = np.empty(0, np.int64)
        self.piece_rings = np.empty(0, np.int64)
        self.root, self.parent = np.empty(0, np.int64), np.empty(0, np.int64)
        self.number = np.empty(0, np.int64)  # which of its siblings
        self.birth, self.density = np.empty(0), np.empty(0)
        self.start = np.empty((0, 2))  # centre at birth, on the map
        self.end = np.full(floes, np.inf)
        self.slits: dict[str, list[Slit]] = {}
        self._floes: dict[int, Floe] = {}

    def __len__(self) -> int:
        """Floes that ever were."""
        return self.first + len(self.parent)

    def floe(self, scene: Sequence[Floe], number: int) -> Floe:
        """A floe in the frame of its first ancestor; its motion means nothing."""
        if number < self.first:
            return scene[number]
        known = self.__dict__.setdefault("_floes", {})
        if number not in known:
            known[number] = self._made(scene, number - self.first)
        return known[number]

    def _made(self, scene: Sequence[Floe], k: int) -> Floe:
        first = int(self.piece_rings[:k].sum())
        ends = np.concatenate([[0], np.cumsum(self.ring_points)])
        rings = [self.points[ends[r] : ends[r + 1]] for r in range(first, first + int(self.piece_rings[k]))]
        return like(scene[self.root[k]], rings, float(self.density[k]), self._name(scene, k))

    def _name(self, scene: Sequence[Floe], k: int) -> str | None:
        root = scene[self.root[k]].name
        if root is None:
            return None
        path = []
        while k >= 0:
            path.append(str(self.number[k]))
            k = int(self.parent[k]) - self.first
        return ".".join([root, *path[::-1]])

    def add(
        self, parents: Sequence[int], pieces: Sequence[Sequence[Floe]], time: float, starts: Array
    ) -> list[list[int]]:
        """The pieces of each floe that ends now, `starts` (k, 2) the centres of all on the map; their ids."""
        every = [piece for own in pieces for piece in own]
        counts = [len(own) for own in pieces]
        ends = np.cumsum([len(self), *counts]).tolist()
        ids = [list(range(low, high)) for low, high in pairwise(ends)]
        roots = [parent if parent < self.first else int(self.root[parent - self.first]) for parent in parents]
        rings = [ring for p in every for ring in (p.ring, *p.holes)]
        self.points = np.concatenate([self.points, *rings])
        self.ring_points = np.append(self.ring_points, [len(r) for r in rings])
        self.piece_rings = np.append(self.piece_rings, [1 + len(p.holes) for p in every])
        self.root = np.append(self.root, np.repeat(roots, counts))
        self.parent = np.append(self.parent, np.repeat(parents, counts))
        self.number = np.append(self.number, [k for count in counts for k in range(1, count + 1)])
        self.birth = np.append(self.birth, np.full(len(every), time))
        self.density = np.append(self.density, [p.density for p in every])
        self.start = np.concatenate([self.start, starts])
        self.end[list(parents)] = time
        self.end = np.append(self.end, np.full(len(every), np.inf))
        known = self.__dict__.setdefault("_floes", {})
        for parent in parents:
            known.pop(parent, None)
            self.slits.pop(str(parent), None)
        return ids

    def keep(self, scene: Sequence[Floe], ids: Sequence[int], pieces: Sequence[Floe]) -> None:
        """Take the pieces that were cut for those of these ids: `_made` would only make the same ones again."""
        for number, piece in zip(ids, pieces):
            piece.name = self._name(scene, number - self.first)
            self.__dict__.setdefault("_floes", {})[number] = piece

    def all_floes(self, scene: Sequence[Floe]) -> list[Floe]:
        """Every floe that ever was, by id."""
        ends = np.concatenate([[0], np.cumsum(self.ring_points)])
        parts = np.concatenate([[0], np.cumsum(self.piece_rings)])
        made = []
        for k in range(len(self.parent)):
            rings = [self.points[ends[r] : ends[r + 1]] for r in range(parts[k], parts[k + 1])]
            made.append(like(scene[self.root[k]], rings, float(self.density[k]), self._name(scene, k)))
        return [*scene, *made]

    def lives(self, scene: Sequence[Floe]) -> dict[str, Any]:
        """Birth, end, parent and place of birth of every floe, for the record."""
        return {
            "birth": np.append(np.zeros(self.first), self.birth),
            "end": self.end,
            "parent": np.append(np.full(self.first, -1), self.parent),
            "start": np.concatenate([np.array([f.centre for f in scene]).reshape(-1, 2), self.start]),
        }
