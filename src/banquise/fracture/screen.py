"""A cheap look at an impact: can any crack pay at all? Nothing is meshed; a safe no costs a microsecond.

A crack of length s releases at most what the floe stores, and a floe stores at most the kinetic energy of the
compression, J^2 / (2 (1 + e)^2 m). So no crack opens while that is below toughness * thickness * (shortest chord that
cuts off enough of the floe). The chord is bounded from below once per shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from banquise.errors import known_keywords
from banquise.fracture import _kernels_screen
from banquise.fracture._kernels_screen import PAYS, SAMPLES
from banquise.fracture.griffith import Griffith
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe
from banquise.threads import over_blocks

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_DEFAULT = Griffith()
_known: WeakKeyDictionary[Floe, dict[tuple[float, float], float]] = WeakKeyDictionary()


@known_keywords
def screen(floe: Floe, energy: Any, ice: Griffith | None = None) -> Any:
    """Whether an impact that compresses with this kinetic energy (J; a number or an array) might break the floe.

    False is certain for cracks that cut the floe in two (cracks that end inside have no shortest length).
    """
    ice = ice or _DEFAULT
    return energy > ice.toughness * floe.thickness * shortest_cut(floe, ice.min_piece, ice.min_width or 0.0)


@known_keywords
def compression_energy(impulse: Any, effective_mass: Any, restitution: Any = 0.0) -> Any:
    """Kinetic energy (J) that the compression phase of an impact takes up, from its normal impulse (N s)."""
    return np.square(impulse) / (2 * np.square(1 + np.asarray(restitution)) * effective_mass)


@known_keywords
def shortest_cut(floe: Floe, min_piece: float = 0.02, min_width: float = 0.0) -> float:
    """Length (m) below which no chord cuts off that part of the floe's area, and that area (m2) for each metre of it; kept with
    the floe.

    >>> square = Floe([[0, 0], [100, 0], [100, 100], [0, 100]])
    >>> 23 < shortest_cut(square) < 28.3  # the corner triangle of 2 % has a base of 28.28 m
    True
    """
    known = _known.setdefault(floe, {})
    asked = min_piece, min_width
    if asked not in known:
        least = min_piece * _area(floe)
        rings = [_sampled(ring) for ring in (_outer(floe), *_holes(floe))]
        known[asked] = min(_shortest(at, step, least, min_width) for at, step in rings)
    return known[asked]


def shortest_cuts(bodies: Bodies, rows: Rows, min_piece: Array, min_width: Array) -> Array:
    """`shortest_cut` of rows that are plain rings, all at once."""
    out, least = np.empty(len(rows)), min_piece * bodies.area[rows]

    def part(low: int, high: int) -> None:
        _kernels_screen.shortest_cuts(
            low, high, rows, bodies.vertices, bodies.ring_start, bodies.body_ring, least, min_width, SAMPLES, out
        )

    over_blocks(part, len(rows), grain=4)
    return out


def _shortest(at: Array, step: float, least: float, width: float) -> float:
    """Over pairs of sampled border points. Moving both ends by up to half a step changes a chord by at most a step,
    and the area it cuts off by at most half a step times the (longer) chord."""
    return max(0.0, float(_kernels_screen.shortest_chord(at, least, width, step, 0.0)) - step)


def shortest_from(floe: Floe, spots: Array, reach: float, ice: Griffith, enough: float = 0.0) -> float:
    """Length (m) below which no chord from the outer border within `reach` of one of the `spots` (x, y, ...) cuts off what `ice`
    asks for; of chords from anywhere, where none of those does. Where it is below `enough`, any length below that."""
    least, width = ice.min_piece * _area(floe), ice.min_width or 0.0
    return float(_kernels_screen.shortest_from(_outer(floe), spots, reach, least, width, SAMPLES, enough))


def may_pay(floe: Floe, spots: Array, reach: float, ice: Griffith, energy: float) -> bool:
    """Whether that energy (J) pays for a chord of `shortest_from`, PAYS times over."""
    longest = energy / (PAYS * ice.toughness * floe.thickness)
    return longest > shortest_from(floe, spots, reach, ice, longest)


def _area(floe: Floe) -> float:
    """Of the floe as it is cut: arcs as chords."""
    return float(floe.polygon.area) if floe.radius > 0 else floe.area


def _holes(floe: Floe) -> Sequence[Array]:
    return [np.asarray(r.coords)[:-1] for r in floe.polygon.interiors] if floe.radius > 0 else floe.holes


def _outer(floe: Floe) -> Array:
    return floe.ring if floe.radius == 0 else np.asarray(floe.polygon.exterior.coords)[:-1]


def _sampled(ring: Array) -> tuple[Array, float]:
    """Border points (k, 3): x, y and the area swept so far about the first; and the largest step between them."""
    at, step = _kernels_screen.sampled(np.ascontiguousarray(ring[:, :2]), SAMPLES)
    return at, float(step)
