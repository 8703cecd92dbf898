"""Straight candidate cracks: chords of the meshed floe between points of its border."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.fracture.elasticity import Body
from banquise.fracture.griffith import Griffith

Array = NDArray[np.float64]

BESIDE = 0.04  # a crack starts this part of a patch's width beside the patch: inside it, both its lips are gripped


@dataclass(frozen=True)
class Point:
    """A border point: place (mesh units), ring, and distance along the ring."""

    place: tuple[float, float]
    ring: int
    along: float


class Border:
    """The border of a meshed floe, as ends of cracks; `sources` are the patches that were struck."""

    def __init__(self, body: Body, sources: tuple[int, ...], ice: Griffith):
        border = body.mesh.border
        self.patches, self.sources = body.patches, sources
        self.count, self.open_ended = ice.border_points, ice.arrested
        self.least = ice.min_piece * float(body.mesh.area.sum())
        self.inside = border.buffer(1e-7)  # ends of chords are on the border only to rounding
        shapely.prepare(self.inside)
        self.rings = [np.asarray(r.coords) for r in (border.exterior, *border.interiors)]
        self.along = [np.concatenate([[0], np.cumsum(np.hypot(*np.diff(r, axis=0).T))]) for r in self.rings]
        self._chords: dict[bool, list[tuple[Point, Point]]] = {}
        self.step = sum(float(a[-1]) for a in self.along) / self.count
        self.taken = [self._stretch(k) for k in sources]

    def chords(self, from_contact: bool) -> list[tuple[Point, Point]]:
        """Chords inside the ice, by length: from beside the patches to all border points, or between all; kept."""
        if from_contact not in self._chords:
            self._chords[from_contact] = self._find(from_contact)
        return self._chords[from_contact]

    def _find(self, from_contact: bool) -> list[tuple[Point, Point]]:
        beside = [self.at(ring, s) for ring, *ends in self.taken for s in ends]
        others = self._border_points(beside)
        points = beside + others
        place = np.array([p.place for p in points])
        n = len(beside) if from_contact and beside else len(points)
        i, j = np.triu_indices(len(points), 1)
        keep = (i < n) & self._worth(points, i, j)
        i, j = i[keep], j[keep]
        inside = shapely.covers(self.inside, shapely.linestrings(np.stack([place[i], place[j]], axis=1)))
        i, j = i[inside], j[inside]
        order = np.argsort(np.hypot(*(place[i] - place[j]).T), kind="stable")
        return [(points[a], points[b]) for a, b in zip(i[order], j[order])]

    def at(self, ring: int, along: float) -> Point:
        along %= self.along[ring][-1]
        x, y = (np.interp(along, self.along[ring], self.rings[ring][:, c]) for c in (0, 1))
        return Point((float(x), float(y)), ring, float(along))

    def nearest(self, spot: Array) -> tuple[int, float]:
        point = shapely.Point(spot)
        lines = [shapely.LineString(r) for r in self.rings]
        ring = int(np.argmin([line.distance(point) for line in lines]))
        return ring, float(lines[ring].project(point))

    def _stretch(self, patch: int) -> tuple[int, float, float]:
        """Ring of a patch, and the stretch of it along the ring that is just wider than the patch (its end may be past the
        ring's)."""
        line, reach = self.patches[patch].line, BESIDE * self.patches[patch].width
        ring, first = self.nearest(line[0])
        _, last = self.nearest(line[-1])
        turn = self.along[ring][-1]
        if (last - first) % turn >= (first - last) % turn:
            first, last = last, first
        return ring, first - reach, first + (last - first) % turn + reach

    def _border_points(self, taken: list[Point]) -> list[Point]:
        """Corners, then equally spaced points that are not next to one already there; none on a contact patch."""
        points: list[Point] = []
        for ring, along in enumerate(self.along):
            parts = max(1.0, round(along[-1] / self.step))
            spaced = np.arange(0.5, parts) * along[-1] / parts
            here = np.array([p.along for p in taken if p.ring == ring])
            for group, room in ((along[:-1], 0.25 * self.step), (spaced, 0.5 * self.step)):
                for s in group:
                    away = np.abs(here - s)
                    if (np.minimum(away, along[-1] - away) > room).all() and not self.on_patch(ring, float(s)):
                        points.append(self.at(ring, float(s)))
                        here = np.append(here, s)
        return points

    def on_patch(self, ring: int, along: float) -> bool:
        turn = float(self.along[ring][-1])
        slack = 1e-9 * turn  # a start just beside the patch is off it
        return any(
            ring == own and (along - first) % turn > slack and (along - first) % turn < last - first - slack
            for own, first, last in self.taken
        )

    def _worth(self, points: list[Point], i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Pairs that can cut off enough: on one ring, by the area between chord and border (a bound: no holes)."""
        rings = np.array([p.ring for p in points])
        along = np.array([p.along for p in points])
        place = np.array([p.place for p in points])
        moment = np.empty(len(points))
        for ring in set(rings.tolist()):
            corners, marks = self.rings[ring], self.along[ring]
            cross = np.concatenate([[0], np.cumsum(_cross(corners[:-1], corners[1:]))])
            on = np.flatnonzero(rings == ring)
            edge = np.clip(np.searchsorted(marks, along[on], side="right") - 1, 0, len(corners) - 2)
            moment[on] = cross[edge] + _cross(corners[edge], place[on])
        low, high = np.where(along[i] < along[j], i, j), np.where(along[i] < along[j], j, i)
        part = np.abs(0.5 * (moment[high] - moment[low] + _cross(place[high], place[low])))
        outer = abs(0.5 * np.sum(_cross(self.rings[0][:-1], self.rings[0][1:])))
        enough = self.least
        same = rings[i] == rings[j]
        outside = same & (rings[i] == 0)
        cuts = np.where(outside, np.minimum(part, outer - part) >= enough, part > 1e-9)
        return np.where(same, cuts, self.open_ended)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
