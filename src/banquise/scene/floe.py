"""Floes, discs and obstacles as a user writes them down: shape (world frame), stuff, and motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise import constants
from banquise.errors import ShapeError, in_short, known_keywords
from banquise.scene.moments import polygon_moments, ring_moments, rounded_border, rounded_moments
from banquise.scene.rings import clean_holes, clean_ring
from banquise.scene.surfaces import Surface, thickness_integrals
from banquise.units import quantity

Array = NDArray[np.float64]
LEAST, MOST = (
    1e-12,
    1e12,
)  # of what a floe is given, in SI: beyond, masses and inertias run out of floating-point numbers
Path = Callable[[float], tuple[float, float, float]]  # t (s) -> x, y (m), angle (rad)


def _number(value: Any, what: str, above: float = -math.inf, strict: bool = False, kind: str = "") -> float:
    """A finite number, as large as it may be; text with a unit of `kind` is read."""
    if kind and isinstance(value, str):
        value = quantity(value, kind, what)
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise ShapeError(f"{what}: got {in_short(value)}, expected a number.")
    if MOST < abs(number) < math.inf or (strict and above == 0 < number < LEAST):
        raise ShapeError(f"{what}: got {number!r}, expected SI units: sizes from {LEAST:g} to {MOST:g}.")
    if not math.isfinite(number) or number < above or (strict and number <= above):
        least = "" if above == -math.inf else f" {'above' if strict else 'of at least'} {above:g}"
        raise ShapeError(f"{what}: got {number!r}, expected a finite number{least}.")
    return number


def _pair(value: Any, what: str, kind: str) -> tuple[float, float]:
    try:
        x, y = value if not isinstance(value, str) else [value]
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{what}: got {in_short(value)}, expected two numbers.") from None
    return _number(x, f"{what}[0]", kind=kind), _number(y, f"{what}[1]", kind=kind)


def _length(rings: Any, what: str) -> int:
    try:
        return len(rings)
    except TypeError:
        raise ShapeError(f"{what}: got {rings!r}, expected a list of points or rings.") from None


class _Body:
    """Shape and mass properties shared by floes and obstacles."""

    ring: Array
    holes: tuple[Array, ...]
    radius: float
    name: str | None

    @cached_property
    def area_moments(self) -> Array:
        """Integrals of 1, x, y, x^2, xy, y^2 over the plane section, about the ring's first point."""
        rings = [self.ring, *self.holes]
        if len(self.ring) == 1:
            s = math.pi * self.radius**2
            return np.array([s, 0.0, 0.0, s * self.radius**2 / 4, 0.0, s * self.radius**2 / 4])
        if self.radius > 0:
            return rounded_moments(rings, self.radius, self.ring[0])
        return polygon_moments(rings, self.ring[0])

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").floe_html(self)

    @property
    def area(self) -> float:
        """Area of the plane section, rounding included (m2)."""
        return float(self.area_moments[0])

    @cached_property
    def polygon(self) -> Any:
        """The plane section as a shapely polygon (arcs as chords)."""
        if len(self.ring) == 1:
            return shapely.Point(self.ring[0]).buffer(self.radius, quad_segs=64)
        rings = [self.ring, *self.holes]
        if self.radius > 0:
            rings = rounded_border(rings, self.radius)
        return shapely.Polygon(rings[0], rings[1:])

    @cached_property
    def centre(self) -> Array:
        """Centre of mass (m)."""
        m = self.mass_moments
        return self.ring[0] + m[1:3] / m[0]

    @property
    def mass_moments(self) -> Array:
        return self.area_moments


@known_keywords
class Floe(_Body):
    """A rigid floe: a simple ring, concave allowed, with holes, with an optional rounding radius.

    Numbers are SI; text with a unit is read too: `thickness="80 cm"`, `velocity=("1 kn", 0)`.

    Parameters
    ----------
    ring : (n, 2) m, world frame; either orientation, the first point may be repeated at the end
    holes : rings inside it
    thickness : m; a number, a function of (x, y), or a `bq.Surface`; or give `lower` and `upper` surfaces
    density : kg/m3
    velocity : m/s, of the centre of mass
    spin : rad/s, counter-clockwise
    radius : m, rounds the floe (Minkowski sum with a disc)
    water_drag, air_drag : quadratic drag coefficients
    material : name for the table of friction and restitution

    >>> floe = Floe([[0, 0], [2, 0], [2, 1], [0, 1]], thickness=0.5)
    >>> floe.area, floe.mass, floe.centre.tolist()
    (2.0, 917.0, [1.0, 0.5])
    """

    def __init__(
        self,
        ring: Any,
        holes: Any = (),
        thickness: Any = 1.0,
        density: float = constants.ICE_DENSITY,
        velocity: Any = (0.0, 0.0),
        spin: float = 0.0,
        radius: float = 0.0,
        water_drag: float = constants.WATER_DRAG,
        air_drag: float = constants.AIR_DRAG,
        material: str = "ice",
        name: str | None = None,
        lower: Any = None,
        upper: Any = None,
    ):
        self.name = None if name is None else str(name)
        what = self._what = f"floe {self.name!r}" if self.name else "floe"
        holes = () if holes is None else holes
        self.ring = self._clean(ring, what)
        self.holes = tuple(clean_holes(self.ring, holes, what)) if _length(holes, f"{what}: holes") else ()
        self.density = _number(density, f"{what}: density", 0.0, strict=True, kind="density")
        self.velocity = _pair(velocity, f"{what}: velocity", "speed")
        self.spin = _number(spin, f"{what}: spin", kind="rate")
        self.radius = _number(radius, f"{what}: radius", 0.0, kind="length")
        self.water_drag = _number(water_drag, f"{what}: water_drag", 0.0)
        self.air_drag = _number(air_drag, f"{what}: air_drag", 0.0)
        self.material = str(material)
        if (lower is None) != (upper is None):
            raise ShapeError(f"{what}: give both `lower` and `upper` surfaces, or `thickness` alone.")
        self.lower: Any = 0.0 if lower is None else lower
        self.upper: Any = thickness if lower is None else upper
        if isinstance(self.upper, str):
            self.upper = quantity(self.upper, "length", f"{what}: thickness")
        if self.flat:
            _number(self._span, f"{what}: thickness", 0.0, strict=True)

    @staticmethod
    def _clean(ring: Any, what: str) -> Array:
        return clean_ring(ring, what)

    def part(self, ring: Array, name: str | None = None) -> Floe:
        """A part of this floe at rest, of its stuff: `ring` is taken as it is, clean and counter-clockwise."""
        other = Floe.__new__(Floe)
        other.name = name
        other._what = f"floe {name!r}" if name else "floe"
        other.ring, other.holes, other.radius = ring, (), 0.0
        other.density, other.velocity, other.spin = self.density, (0.0, 0.0), 0.0
        other.water_drag, other.air_drag, other.material = self.water_drag, self.air_drag, self.material
        other.lower, other.upper = self.lower, self.upper
        return other

    @cached_property
    def flat(self) -> bool:
        """Whether both surfaces are constant."""
        return not any(callable(s) or isinstance(s, Surface) for s in (self.lower, self.upper))

    @cached_property
    def _span(self) -> float:
        low = _number(self.lower, f"{self._what}: lower")
        return _number(self.upper, f"{self._what}: thickness") - low

    @cached_property
    def _thickness(self) -> tuple[Array, Array]:
        if self.flat:
            return self.area_moments * self._span, np.full(3, self._span)
        return thickness_integrals(self.polygon, self.lower, self.upper, self.ring[0], self._what)

    @property
    def mass_moments(self) -> Array:
        """Integrals of density * h times 1, x, y, x^2, xy, y^2 about the ring's first point."""
        return self.density * self._thickness[0]

    @cached_property
    def thickness(self) -> float:
        """Mean thickness (m)."""
        return float(self._thickness[0][0] / self.area)

    @property
    def thickness_measures(self) -> tuple[float, float, float]:
        """Largest upper less smallest lower surface, largest and smallest thickness (m)."""
        a, b, c = self._thickness[1]
        return float(a), float(b), float(c)

    @property
    def mass(self) -> float:
        """kg"""
        return float(self.density * self._thickness[0][0])

    @property
    def inertia(self) -> float:
        """About the centre of mass (kg m2)."""
        mass, x, y, xx, _, yy = self.mass_moments.tolist()  # numbers: as arrays of one they take ten times as long
        dx, dy = x / mass, y / mass
        return float(xx - 2 * dx * x + dx * dx * mass + (yy - 2 * dy * y + dy * dy * mass))

    def __repr__(self) -> str:
        kind = "Disc" if len(self.ring) == 1 else f"Floe of {len(self.ring)} points"
        label = f" {self.name!r}" if self.name else ""
        x, y = self.centre
        size = f"{self.area:.4g} m2, {self.thickness:.3g} m thick, {self.mass:.4g} kg"
        return f"{kind}{label}: {size}, at ({x:.6g}, {y:.6g})"


def weigh(floes: Sequence[Floe]) -> None:
    """Make the area moments of plain floes that have none yet together: each by itself takes ten times as long."""
    new = [f for f in floes if "area_moments" not in f.__dict__ and f.radius == 0 and not f.holes]
    if new:
        local = np.concatenate([f.ring - f.ring[0] for f in new])
        for floe, moments in zip(new, ring_moments(local, np.cumsum([0, *(len(f.ring) for f in new)]))):
            floe.__dict__["area_moments"] = moments


@known_keywords
class Disc(Floe):
    """An exactly round floe.

    >>> round(Disc((0, 0), 2.0).area, 12)
    12.566370614359
    """

    def __init__(self, centre: Any, radius: float, thickness: Any = 1.0, **options: Any):
        what = f"disc {options['name']!r}" if options.get("name") else "disc"
        if _length(options.get("holes", ()), f"{what}: holes"):
            raise ShapeError(f"{what}: a disc has no holes. Use bq.Floe with a ring.")
        _number(radius, f"{what}: radius", 0.0, strict=True, kind="length")
        super().__init__([_pair(centre, f"{what}: centre", "length")], radius=radius, thickness=thickness, **options)

    @staticmethod
    def _clean(ring: Any, what: str) -> Array:
        return np.array(ring, dtype=float)


@known_keywords
class Obstacle(_Body):
    """A body of infinite mass: still, at a steady velocity and spin, or on a path.

    Parameters
    ----------
    ring : (n, 2) m, world frame at time 0; one point with a `radius` is a round pier
    velocity, spin : m/s, rad/s about its centre
    path : function of time (s) -> x, y of the centre (m), angle (rad) from the pose at the start
    """

    def __init__(
        self,
        ring: Any,
        velocity: Any = (0.0, 0.0),
        spin: float = 0.0,
        path: Path | None = None,
        holes: Any = (),
        radius: float = 0.0,
        material: str = "rock",
        name: str | None = None,
    ):
        self.name = None if name is None else str(name)
        what = f"obstacle {self.name!r}" if self.name else "obstacle"
        self.radius = _number(radius, f"{what}: radius", 0.0, kind="length")
        if self.radius > 0 and _length(ring, what) == 1:
            self.ring: Array = np.array([_pair(ring[0], f"{what}: centre", "length")])
        else:
            self.ring = clean_ring(ring, what)
        self.holes = tuple(clean_holes(self.ring, holes, what)) if _length(holes, f"{what}: holes") else ()
        if len(self.ring) == 1 and self.holes:
            raise ShapeError(f"{what}: a round obstacle has no holes. Give a ring.")
        self.velocity = _pair(velocity, f"{what}: velocity", "speed")
        self.spin = _number(spin, f"{what}: spin", kind="rate")
        self.material = str(material)
        if path is not None and not callable(path):
            raise ShapeError(f"{what}: path is {in_short(path)}, expected a function of time giving x, y, angle.")
        if path is not None and (self.velocity != (0.0, 0.0) or self.spin != 0.0):
            raise ShapeError(f"{what}: give either a path or a steady velocity and spin, not both.")
        self.path = path

    def __repr__(self) -> str:
        x, y = self.centre
        how = "on a path" if self.path else ("still" if self.velocity == (0, 0) and self.spin == 0 else "moving")
        return f"Obstacle{f' {self.name!r}' if self.name else ''}: {self.area:.4g} m2 at ({x:.6g}, {y:.6g}), {how}"
