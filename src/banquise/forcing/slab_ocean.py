"""An ocean that answers: a slab of water under the ice that takes what the ice gives, and gives it back.

Each cell is a column of depth H that moves as one. Its velocity w relative to the deep water below obeys

    dw/dt = -(r + i f) w + (stress of the wind on open water + reaction of the ice) / (rho H)        (w = u + i v)

solved exactly over a step with the stresses held constant. The ice feels the slab as its current; the slab receives
the opposite of the very impulse that the water gave the floes, so what they exchange adds up to nothing, to round-off.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError, known_keywords
from banquise.forcing.flows import Series, Uniform
from banquise.forcing.grid import Lattice, Points, sample
from banquise.settings import number

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
BUDGET = ("ice", "wind", "friction", "coriolis")


@known_keywords
class SlabOcean:
    """A slab ocean for `bq.Forcing(current=...)`.

    Parameters
    ----------
    depth : m, of the slab
    area : (xmin, xmax, ymin, ymax) m that it covers; the run's floes and domain by default
    cells : (nx, ny) columns in it
    friction : 1/s, rate at which it is slowed to the deep current below
    deep : (u, v) m/s of the deep water, which is in balance with the turning Earth
    velocity : (u, v) m/s of the slab at the start; the deep current's by default
    air_drag : of the wind on open water
    """

    def __init__(
        self,
        depth: float = 20.0,
        area: Any = None,
        cells: tuple[int, int] = (1, 1),
        friction: float = 0.0,
        deep: tuple[float, float] = (0.0, 0.0),
        velocity: tuple[float, float] | None = None,
        air_drag: float = 1.3e-3,
    ):
        what = "slab ocean"
        self.depth = number(depth, f"{what}: depth", above=0.0)
        self.friction = number(friction, f"{what}: friction", at_least=0.0)
        self.air_drag = number(air_drag, f"{what}: air_drag", at_least=0.0)
        self.deep = _pair(deep, f"{what}: deep")
        self.velocity = None if velocity is None else _pair(velocity, f"{what}: velocity")
        try:
            self.cells = (int(cells[0]), int(cells[1]))
            self.area = None if area is None else tuple(float(a) for a in area)
        except (TypeError, ValueError, IndexError):
            raise ForcingError(
                f"{what}: cells is {cells!r}, area {area!r}; expected (nx, ny) and four numbers."
            ) from None
        if min(self.cells) < 1:
            raise ForcingError(f"{what}: cells is {cells!r}, expected at least (1, 1).")
        if self.area is not None and (
            len(self.area) != 4 or self.area[1] <= self.area[0] or self.area[3] <= self.area[2]
        ):
            raise ForcingError(f"{what}: area is {area!r}, expected xmin < xmax and ymin < ymax.")
        self.relative = np.zeros((self.cells[1], self.cells[0]), dtype=complex)  # to the deep water
        if self.velocity is not None:
            self.relative[:] = complex(*self.velocity) - complex(*self.deep)
        # impulses (N s) received since the start, u + i v: they add up to the change of momentum
        self.budget = dict.fromkeys(BUDGET, 0j)

    @property
    def options(self) -> dict[str, Any]:
        """What a case file says of it."""
        names = ("depth", "area", "cells", "friction", "deep", "velocity", "air_drag")
        return {"kind": "slab", **{n: getattr(self, n) for n in names if getattr(self, n) is not None}}

    def on_map(self, projection: Any, start: str | None, bounds: Any = None) -> SlabOcean:
        """A slab of its own for a run, over the run's area where none was given."""
        other = copy.copy(self)
        other.relative, other.budget = self.relative.copy(), dict(self.budget)
        if other.area is None:
            assert bounds is not None
            other.area = bounds
        return other

    def check_cover(self, until: float, what: str) -> None:
        """Always covers in time."""

    # ------------------------------------------------------------ as the current that floes feel

    def _steps(self) -> tuple[float, float]:
        assert self.area is not None
        return (self.area[1] - self.area[0]) / self.cells[0], (self.area[3] - self.area[2]) / self.cells[1]

    def at_points(self, points: Points, time: float) -> Array:
        """The slab's velocity (n, 2, m): linear between the middles of its cells, constant beyond the outer ones."""
        n, m = points.px.shape
        here = complex(*self.deep) + self.relative
        if here.size == 1:
            return np.ascontiguousarray(np.broadcast_to([[here.real[0, 0]], [here.imag[0, 0]]], (n, 2, m)))
        assert self.area is not None
        hx, hy = self._steps()
        padded = np.pad(here, 1, mode="edge")
        field = np.ascontiguousarray(np.stack([padded.real, padded.imag]))
        lattice = Lattice(
            hx, hy, self.area[0] - 0.5 * hx, self.area[2] - 0.5 * hy, fixed=(padded.shape[1], padded.shape[0])
        )
        values, missing = sample(lattice, field, field, 0.0, points)
        if len(missing):
            k = int(missing[0])
            raise ForcingError(
                f"a floe at ({points.x[k]:.6g}, {points.y[k]:.6g}) m has left the slab ocean at t = {time:g} s. "
                "Give it a larger area."
            )
        return values

    def sample(self, x: Array, y: Array, time: float) -> tuple[Array, Array]:
        """u, v at places."""
        values = self.at_points(Points.at(np.ravel(x).astype(float), np.ravel(y).astype(float)), time)
        return values[:, 0, 0].reshape(np.shape(x)), values[:, 1, 0].reshape(np.shape(x))

    # ------------------------------------------------------------ as water that is moved

    def momentum(self, water_density: float) -> complex:
        """Of the whole slab relative to the deep water (N s), u + i v."""
        return complex(self.relative.sum() * self.column_mass(water_density))

    def column_mass(self, water_density: float) -> float:
        """Of one cell (kg)."""
        hx, hy = self._steps()
        return water_density * self.depth * hx * hy

    def advance(self, bodies: Any, impulse: Array, time: float, step: float, forcing: Any) -> None:
        """Go on by a step in which the water gave the floes `impulse` (n, 3); poses are those at its start."""
        hx, hy = self._steps()
        share, ice = self._deposit(bodies, impulse[:, 0] + 1j * impulse[:, 1])
        open_water = np.clip(1.0 - ice / (hx * hy), 0.0, 1.0)
        pushed_by_wind = open_water * self._wind_stress(time + 0.5 * step, forcing) * hx * hy * step
        mass = self.column_mass(forcing.water_density)
        gain = (pushed_by_wind - share) / mass / step  # m/s2
        f = self._coriolis(forcing)
        z = (self.friction + 1j * f) * step
        small = np.abs(z) < 1e-2
        safe = np.where(small, 1.0, z)
        # phi_1 = (1 - e^-z) / z and phi_2 = (1 - phi_1) / z, by their series where the formulas lose digits
        one = np.where(small, 1 - z / 2 * (1 - z / 3 * (1 - z / 4 * (1 - z / 5))), -np.expm1(-safe) / safe)
        two = np.where(small, 0.5 - z / 6 * (1 - z / 4 * (1 - z / 5 * (1 - z / 6))), (1 - one) / safe)
        way = step * (one * self.relative + step * two * gain)  # integral of the velocity over the step
        after = self.relative + step * gain - (self.friction + 1j * f) * way
        self.budget["ice"] -= complex(share.sum())
        self.budget["wind"] += complex(pushed_by_wind.sum())
        self.budget["friction"] -= complex((self.friction * way).sum() * mass)
        self.budget["coriolis"] -= complex((1j * f * way).sum() * mass)
        self.relative = after

    def _deposit(self, bodies: Any, impulse: Complex) -> tuple[Complex, NDArray[Any]]:
        """The floes' impulses by cell, each floe's shared out by its area there; and the area of ice by cell."""
        n, (nx, ny) = bodies.n_free, self.cells
        if nx * ny == 1:
            return np.array([[impulse.sum()]]), np.array([[bodies.area[:n].sum()]])
        assert self.area is not None
        hx, hy = self._steps()
        c, s = bodies.cos[:n, None], bodies.sin[:n, None]
        x = bodies.x[:n, None] + c * bodies.qx - s * bodies.qy
        y = bodies.y[:n, None] + s * bodies.qx + c * bodies.qy
        column = np.clip(((x - self.area[0]) / hx).astype(int), 0, nx - 1)
        row = np.clip(((y - self.area[2]) / hy).astype(int), 0, ny - 1)
        cell = (row * nx + column).ravel()
        part = bodies.qw / bodies.qw.sum(axis=1, keepdims=True)
        given = (part * impulse[:, None]).ravel()
        ice = np.bincount(cell, weights=bodies.qw.ravel(), minlength=nx * ny)
        real, imaginary = (np.bincount(cell, weights=v, minlength=nx * ny) for v in (given.real, given.imag))
        return (real + 1j * imaginary).reshape(ny, nx), ice.reshape(ny, nx)

    def _middles(self) -> tuple[Array, Array]:
        assert self.area is not None
        hx, hy = self._steps()
        x, y = np.meshgrid(
            self.area[0] + hx * (np.arange(self.cells[0]) + 0.5), self.area[2] + hy * (np.arange(self.cells[1]) + 0.5)
        )
        return x, y

    def _wind_stress(self, time: float, forcing: Any) -> Complex:
        """On open water (N/m2), by cell."""
        wind = forcing.wind
        if wind is None:
            return np.zeros((self.cells[1], self.cells[0]), dtype=complex)
        if isinstance(wind, Uniform | Series):
            w = np.full((self.cells[1], self.cells[0]), complex(*wind.at(time)))
        else:
            u, v = wind.sample(*self._middles(), time)
            w = u + 1j * v
        w = w - (self.relative + complex(*self.deep) if forcing.relative_wind else 0.0)
        return np.asarray(forcing.air_density * self.air_drag * np.abs(w) * w)

    def _coriolis(self, forcing: Any) -> Any:
        if forcing.local_coriolis is None:
            return forcing.coriolis
        return forcing.local_coriolis.projection.coriolis(*self._middles())

    def __repr__(self) -> str:
        return (
            f"SlabOcean {self.depth:g} m deep, {self.cells[0]} x {self.cells[1]} cells, friction {self.friction:g} 1/s"
        )


def _pair(value: Any, what: str) -> tuple[float, float]:
    try:
        u, v = (float(c) for c in value)
    except (TypeError, ValueError, OverflowError):
        raise ForcingError(f"{what}: got {value!r}, expected (u, v) in m/s.") from None
    if not (np.isfinite(u) and np.isfinite(v)):
        raise ForcingError(f"{what}: got {value!r}, expected finite m/s.")
    return u, v
