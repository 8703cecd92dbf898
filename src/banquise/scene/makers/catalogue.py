"""Outlines of floes made from a seed, and the numbers that describe an outline.

Floes in aerial pictures are worn: rounded by collisions, longer than wide, with broad bays and few sharp corners. An
outline here is a stretched circle whose reach varies by a few low harmonics. The spreads of solidity, circularity and
aspect are those of digitised floes of Robeson channel (two-sample test in the tests).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError
from banquise.scene.rings import clean_ring, signed_area

Array = NDArray[np.float64]

POINTS = 24
HARMONICS = np.arange(2, 8)
AMPLITUDE = 0.145  # of the second harmonic, in parts of the mean reach; falls as harmonic^-DECAY
DECAY = 1.4
ROUGHNESS = 0.006  # of single points
NARROWEST = 0.445  # width over length of the stretch, drawn between this and 1


def catalogue(n: int = 200, seed: int = 0) -> list[Array]:
    """`n` outlines of area pi about their centre (so that their size, sqrt(area / pi), is 1), counter-clockwise.

    >>> rings = catalogue(3, seed=1)
    >>> [round(signed_area(ring) / np.pi, 12) for ring in rings]
    [1.0, 1.0, 1.0]
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise CaseError(f"catalogue: n is {n!r}, expected a whole number of outlines, at least 1.")
    rng = np.random.default_rng([seed, 0xF10E])
    rings: list[Array] = []
    while len(rings) < n:
        ring = _worn_outline(rng)
        if shapely.is_valid(shapely.Polygon(ring)):
            rings.append(unit_ring(ring))
    return rings


def _worn_outline(rng: np.random.Generator) -> Array:
    """Points about a circle, reach by harmonics of random phase, stretched."""
    turn = 2 * np.pi * (np.arange(POINTS) + 0.5 * rng.uniform(-0.5, 0.5, POINTS)) / POINTS
    amplitude = AMPLITUDE * rng.standard_normal(len(HARMONICS)) * (HARMONICS / 2.0) ** -DECAY
    phase = rng.uniform(0, 2 * np.pi, len(HARMONICS))
    reach = 1 + amplitude @ np.cos(HARMONICS[:, None] * turn + phase[:, None])
    reach = np.maximum(reach + ROUGHNESS * rng.standard_normal(POINTS), 0.2)
    return np.stack([reach * np.cos(turn), rng.uniform(NARROWEST, 1.0) * reach * np.sin(turn)], axis=1)


def unit_ring(ring: Any, what: str = "outline") -> Array:
    """The ring cleaned, moved to its centre of area and scaled to area pi."""
    ring = clean_ring(ring, what)
    centre = np.array(shapely.Polygon(ring).centroid.coords[0])
    return np.ascontiguousarray((ring - centre) * np.sqrt(np.pi / signed_area(ring)))


def unit_rings(rings: Iterable[Any]) -> list[Array]:
    """Outlines given by a user (rings, or floes) as unit rings."""
    found = [unit_ring(getattr(ring, "ring", ring), f"outline {k}") for k, ring in enumerate(rings)]
    if not found:
        raise CaseError("outlines: the list is empty. Give at least one ring, or none for the package's own.")
    return found


def shape_numbers(rings: Iterable[Any]) -> dict[str, Array]:
    """Solidity (area over area of the convex hull), circularity (4 pi area / perimeter^2), sides of the least box.

    >>> found = shape_numbers([[[0, 0], [2, 0], [2, 1], [0, 1]]])
    >>> float(found["solidity"][0]), float(found["aspect"][0])
    (1.0, 0.5)
    """
    polygons = np.array([shapely.Polygon(ring) for ring in rings], dtype=object)
    area = shapely.area(polygons)
    box = shapely.get_coordinates(shapely.minimum_rotated_rectangle(polygons)).reshape(-1, 5, 2)
    side = np.sort(np.hypot(*np.moveaxis(np.diff(box[:, :3], axis=1), 2, 0)), axis=1)
    return {
        "solidity": area / shapely.area(shapely.convex_hull(polygons)),
        "circularity": 4 * np.pi * area / shapely.length(polygons) ** 2,
        "aspect": side[:, 0] / side[:, 1],
    }
