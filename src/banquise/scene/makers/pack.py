"""A pack of floes from a law of sizes and a concentration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, in_short, known_keywords
from banquise.given import ask_numbers, seed_of
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.makers.catalogue import catalogue, unit_rings
from banquise.scene.makers.relax import Packing
from banquise.scene.makers.sizes import draw_sizes, given_sizes
from banquise.scene.rings import clean_ring
from banquise.scene.scene import Scene

Array = NDArray[np.float64]

OUTLINES = 200  # of the package's own catalogue
MOST_SWEEPS = 3000
MOST = 10_000_000  # floes: more than any memory holds
HIGHEST = 0.9  # rigid floes of drawn shapes do not pack beyond; packed ice is made of cells


@known_keywords
def pack(
    n: int = 350,
    concentration: float = 0.6,
    box: Any = (1200.0, 1200.0),
    exponent: float = 1.5,
    max_size: float | None = None,
    thickness: Any = (0.25, 0.38),
    seed: int = 0,
    *,
    min_size: float | None = None,
    sizes: Any = None,
    shapes: Iterable[Any] | None = None,
    floes: Sequence[Floe] = (),
    obstacles: Sequence[Obstacle] = (),
) -> Scene:
    """A scene of `n` floes at rest that do not overlap, at a concentration of the water of a box or polygon.

    The size of a floe is sqrt(area / pi). The same seed gives the same bits.

    Parameters
    ----------
    n : floes to place, besides those given
    concentration : ice area over area of the water (the box less the obstacles), 0 to 0.9; given floes count as ice
    box : (width, height) from the origin, (xmin, xmax, ymin, ymax), `bq.Box`, `bq.Periodic`, a ring or a shapely polygon (m)
    exponent, max_size : sizes with P(> s) ~ s^-exponent up to max_size (m; by default 250, or less in a small box); the
        smallest size is solved for, so that the concentration comes out
    min_size : smallest size (m; a radius, sqrt(area / pi), not the square root of the area as in `Griffith`) instead; then
        both ends are scaled together to the concentration
    sizes : instead of the law, a list (m) or a function of quantiles, scaled together
    thickness : m; a number, (low, high) drawn evenly, one a floe (largest floe first), or a function of the sizes
    shapes : rings (or floes) to take the outlines from; by default the package's own catalogue
    floes, obstacles : left where they are

    >>> scene = pack(n=20, concentration=0.4, box=(300, 200), seed=3)
    >>> round(sum(f.area for f in scene.floes) / (300 * 200), 9), scene.overlaps()
    (0.4, [])
    """
    n, concentration = _checked(n, concentration)
    polygon, domain = region_of(box)
    water = polygon
    if obstacles:
        water = shapely.difference(polygon, shapely.union_all([o.polygon for o in obstacles]))
    if water.is_empty:
        raise CaseError("pack: obstacles cover the whole box. Take a larger box, or leave out an obstacle.")
    given = shapely.intersection(water, shapely.union_all([f.polygon for f in floes])) if floes else shapely.Point()
    free = shapely.difference(water, given) if floes else water
    ice = concentration * water.area - given.area
    if ice <= 0:
        raise CaseError(
            f"pack: the floes given cover {given.area / water.area:.1%} of the water, concentration asks for "
            f"{concentration:.1%}. Raise the concentration or leave out a floe."
        )
    if ice > HIGHEST * free.area:
        raise CaseError(f"pack: {ice:.4g} m2 of ice for {free.area:.4g} m2 of free water. Lower the concentration.")
    seed = seed_of(seed, "pack: seed")
    rng = np.random.default_rng(seed)
    largest = _largest(max_size, polygon)
    if min_size is not None and max_size is not None and min_size > max_size:
        raise CaseError(f"pack: min_size is {min_size!r}, max_size {max_size!r}. Expected the smaller one first.")
    if sizes is not None:
        size = given_sizes(rng, n, ice, sizes)
    else:
        size = draw_sizes(rng, n, ice, exponent, largest, min_size)
    outlines = catalogue(OUTLINES) if shapes is None else unit_rings(shapes)
    rings = [s * outlines[k] for s, k in zip(size, rng.integers(0, len(outlines), n))]
    placed = _placed(rings, free, domain, seed, concentration)
    height = _thickness(thickness, size, rng)
    made = [Floe(ring, thickness=h) for ring, h in zip(placed, height)]
    return Scene([*floes, *made], obstacles, domain)


def _checked(n: Any, concentration: Any) -> tuple[int, float]:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MOST:
        raise CaseError(f"pack: n is {in_short(n)}, expected a whole number of floes, 1 to {MOST:,}.")
    if not isinstance(concentration, int | float | np.floating) or not 0 < concentration <= 1:
        raise CaseError(f"pack: concentration is {concentration!r}, expected a part between 0 and 1, such as 0.6.")
    if concentration > HIGHEST:
        raise CaseError(
            f"pack: concentration {concentration:g} is out of reach of rigid outlines (at most {HIGHEST:g}). "
            "Use bq.voronoi for packed ice."
        )
    return int(n), float(concentration)


def region_of(box: Any) -> tuple[Any, Box | Periodic | None]:
    """The polygon that `box` says, and the domain of the scene."""
    if isinstance(box, Box | Periodic):
        return shapely.box(box.xmin, box.ymin, box.xmax, box.ymax), box
    if isinstance(box, shapely.Geometry):
        if box.geom_type not in ("Polygon", "MultiPolygon") or not box.is_valid or box.area <= 0:
            raise CaseError(f"box: a {box.geom_type} that is not a valid polygon with an inside.")
        return box, None
    try:
        values = np.asarray(box, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"box: got {box!r}, expected (width, height) or (xmin, xmax, ymin, ymax) in metres.") from None
    if values.ndim == 2:
        return shapely.Polygon(clean_ring(values, "box")), None
    if values.shape == (2,):
        values = np.array([0.0, values[0], 0.0, values[1]])
    if values.shape != (4,) or not np.isfinite(values).all() or values[1] <= values[0] or values[3] <= values[2]:
        raise CaseError(f"box: got {box!r}, expected (width, height) or (xmin, xmax, ymin, ymax) in metres, not empty.")
    x0, x1, y0, y1 = values.tolist()
    return shapely.box(x0, y0, x1, y1), None


def _largest(max_size: Any, polygon: Any) -> float:
    if max_size is None:
        return min(250.0, 0.21 * math.sqrt(polygon.area))
    if not isinstance(max_size, int | float | np.floating) or not 0 < max_size < 1e9:
        raise CaseError(f"pack: max_size is {in_short(max_size)}, expected metres above 0 and below 1e9.")
    return float(max_size)


def _placed(rings: list[Array], free: Any, domain: Any, seed: int, concentration: float) -> list[Array]:
    room = shapely.length(shapely.maximum_inscribed_circle(max(shapely.get_parts(free), key=lambda p: p.area)))
    size = math.sqrt(shapely.Polygon(rings[0]).area / math.pi)
    if size > 1.5 * room:
        raise CaseError(
            f"pack: the largest floe has a size of {size:.4g} m, the widest free water a radius of {room:.4g} m. "
            "Take a smaller max_size or a larger box."
        )
    period = None
    if isinstance(domain, Periodic):
        period = np.array([domain.xmax - domain.xmin, domain.ymax - domain.ymin], dtype=float)
    packing = Packing(rings, free, seed, period)
    packing.place()
    if not packing.grow(MOST_SWEEPS):
        raise CaseError(
            f"pack: a concentration of {concentration:.1%} was not reached without overlap, about "
            f"{concentration * packing.reached**2:.0%} was. Lower it, take more or smaller floes, another seed, or "
            "bq.voronoi for packed ice."
        )
    return packing.rings()


def _thickness(thickness: Any, size: Array, rng: np.random.Generator) -> Array:
    if callable(thickness):
        gives = f"metres above 0, one for each of the {len(size)} sizes (m)"
        thickness = ask_numbers(thickness, size, what="pack: thickness", gives=gives, shape=size.shape)
    try:
        values = np.asarray(thickness, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"pack: thickness is {thickness!r}, expected metres or (low, high).") from None
    if values.shape == (2,) and len(size) != 2:
        if not 0 < values[0] <= values[1]:
            raise CaseError(f"pack: thickness is {thickness!r}, expected (low, high) in metres above 0.")
        values = rng.uniform(values[0], values[1], len(size))
    if values.shape not in ((), (len(size),)) or not (values > 0).all():
        raise CaseError(
            f"pack: thickness is {in_short(thickness)}, expected a number, (low, high), or one number a floe, in metres above 0."
        )
    return np.array(np.broadcast_to(values, len(size)))
