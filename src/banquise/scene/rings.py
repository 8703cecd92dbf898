"""Rings of points: cleaned, checked, oriented. A ring that is not the border of a body is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.given import floats

Array = NDArray[np.float64]

# A ring whose area is below this part of (its extent)^2 is a line drawn twice: its inertia would be noise.
FLAT = 1e-12


def as_points(points: Any, what: str) -> Array:
    """(n, 2) finite floats from anything array-like, or an error that names the first bad point."""
    try:
        array = floats(points)
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(
            f"{what}: cannot be read as points: {_first_bad(points)}. Expected (n, 2) numbers in metres."
        ) from None
    if array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"{what}: got an array of shape {array.shape}, expected (n, 2) in metres.")
    bad = ~np.isfinite(array).all(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        raise ShapeError(f"{what}: point {k} is {tuple(array[k].tolist())}, expected finite coordinates.")
    if array.size and np.abs(array).max() > 1e12:
        raise ShapeError(f"{what}: coordinates up to {np.abs(array).max():.3g} m. Expected metres in one map frame.")
    return array


def _first_bad(points: Any) -> str:
    """The first entry that is not two numbers, in words."""
    if isinstance(points, Iterable) and not isinstance(points, str):
        for k, point in enumerate(points):
            try:
                _x, _y = (float(c) for c in point)
            except (TypeError, ValueError, OverflowError):
                return f"point {k} is {point!r}"
    return f"got {points!r}"


def _on_a_line(ring: Array) -> bool:
    """Whether all points lie on a line: their width is round-off of their extent."""
    _, size, _ = np.linalg.svd(ring - ring.mean(axis=0), full_matrices=False)
    return bool(size[1] <= FLAT * size[0])


def clean_ring(points: Any, what: str = "ring", clockwise: bool = False) -> Array:
    """An open ring without repeated points, counter-clockwise (or clockwise for a hole), checked to be simple.

    >>> clean_ring([[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    ring = as_points(points, what)
    if len(ring) > 1:
        new = np.empty(
            len(ring), dtype=bool
        )  # slices, not np.roll: five times as fast on the short rings of a large pack
        new[:-1] = (ring[1:] != ring[:-1]).any(axis=1)
        new[-1] = (ring[0] != ring[-1]).any()
        ring = ring if new.all() else ring[new]
    if len(ring) < 3:
        raise ShapeError(f"{what}: {len(ring)} distinct points, a ring needs at least 3. Use bq.Disc for a round floe.")
    area = signed_area(ring)
    extent = float((ring.max(axis=0) - ring.min(axis=0)).max())
    flat = abs(area) <= FLAT * extent**2
    if flat and _on_a_line(ring):
        raise ShapeError(
            f"{what}: area {abs(area):.3g} m2 for an extent of {extent:.3g} m: the points lie on a line "
            f"near ({ring[0, 0]:.6g}, {ring[0, 1]:.6g}). Expected a ring with an inside."
        )
    check_simple(shapely.Polygon(ring), what)
    if flat:
        raise ShapeError(
            f"{what}: area {abs(area):.3g} m2 for an extent of {extent:.3g} m. Expected a ring with an inside."
        )
    if (area < 0) != clockwise:
        ring = np.ascontiguousarray(np.roll(ring[::-1], 1, axis=0))  # the first point stays first
    return ring


def check_simple(polygon: Any, what: str) -> None:
    """Raise with the place where the border crosses or touches itself."""
    if shapely.is_valid(polygon):
        return
    reason = shapely.is_valid_reason(polygon)
    place = re.search(r"\[(.*?)\]", reason)
    where = f" at ({', '.join(place[1].split())})" if place else ""
    kind = reason.split("[")[0].strip().lower()
    raise ShapeError(
        f"{what}: the border crosses or touches itself{where} ({kind}). Expected a simple ring: mend that point."
    )


def clean_holes(outer: Array, holes: Any, what: str) -> list[Array]:
    """Holes cleaned and turned clockwise (the ice is on the left of every edge), inside `outer` and apart."""
    rings = [clean_ring(hole, f"{what}, hole {k}", clockwise=True) for k, hole in enumerate(holes)]
    if rings:
        solid = shapely.Polygon(outer)
        for k, ring in enumerate(rings):
            if not solid.contains(shapely.Polygon(ring)):
                raise ShapeError(f"{what}: hole {k} is not inside the ring. Expected holes within the floe.")
        check_simple(shapely.Polygon(outer, rings), what)
    return rings


def signed_area(ring: Array) -> float:
    """Area of a ring, positive counter-clockwise (shoelace about its first point: offsets do not cost digits)."""
    x, y = (ring - ring[0]).T  # the first point is the origin: the closing edge adds nothing
    return float(0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))
