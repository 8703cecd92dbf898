"""The glacier seen from above: plane stress in two directions, the chain's friction at every point.

    rho H u'' = div(H sigma) - tau(|v|) v/|v| - rho g H sin(slope) e_x + front load

x up-glacier from the front, y across. Everything is about a steady slide towards -x at one speed (or at a given
profile of speeds, which the slow viscous flow of the ice is then taken to hold up).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from banquise.constants import GRAVITY
from banquise.errors import CaseError, known_keywords, nearest
from banquise.given import ask, floats
from banquise.glacier import _kernels_friction, _kernels_plan, _kernels_schemes
from banquise.glacier._kernels_plan import Plan, PlanRecord, PlanState
from banquise.glacier.friction import Friction, Weertman, balance_speed
from banquise.glacier.loads import NoLoad
from banquise.glacier.schemes import load_at
from banquise.units import duration

Array = npt.NDArray[np.float64]
Over = float | npt.ArrayLike | Callable[[Array, Array], npt.ArrayLike]
SIDES = ("free", "slip")
_PIECE, _RECORDS = 2048, 100


@dataclass
class PlanRun:
    """What a run of the plan view gave. Forces in N over the whole width."""

    step: float
    steps: int
    peak_seismic_force: float  # N, largest |S_x| over every step, bed and margins together
    peak_time: float
    front_displacement: float  # m, largest of any point of the front over every step
    impulse_residual: float
    dataset: xr.Dataset
    warnings: list[str] = field(default_factory=list)


@known_keywords
class PlanView:
    """A rectangle of ice, `length` by `width` (m), in cells of `cell` = (dx, dy) m.

    `thickness`, `slope` (degrees), `density`, `young` are numbers, arrays (nx, ny) over the nodes, or functions of x
    and y. `sides` are "free" or "slip" (no motion across them); `side_friction`, a Weertman law of the bed's exponent,
    adds the drag of the margins. `speed` (m/s, negative: seaward) is the steady slide; default, the one at which drag
    meets weight.
    """

    def __init__(
        self,
        length: float,
        width: float,
        cell: tuple[float, float],
        thickness: Over = 800.0,
        slope: Over = 1.0,
        density: Over = 920.0,
        young: Over = 0.92e9,
        poisson: float = 0.3,
        friction: Friction | None = None,
        sides: str = "free",
        side_friction: Weertman | None = None,
        speed: Over | None = None,
        gravity: float = GRAVITY,
    ) -> None:
        if not isinstance(sides, str) or sides not in SIDES:
            raise CaseError(f"sides: no {sides!r}. {nearest(str(sides), SIDES)}")
        if not -1.0 < poisson < 0.5:
            raise CaseError(f"poisson is {poisson:g}, expected between -1 and 0.5.")
        if np.size(cell) != 2:
            raise CaseError(f"cell is {cell!r}, expected (dx, dy) in metres.")
        nx, ny = (_cells(name, size, part) for name, size, part in zip(("length", "width"), (length, width), cell))
        self.shape = (nx + 1, ny + 1)
        cell = (float(cell[0]), float(cell[1]))
        self.length, self.width, self.cell, self.poisson, self.sides = float(length), float(width), cell, poisson, sides
        self.x: Array = np.arange(nx + 1, dtype=np.float64) * cell[0]
        self.y: Array = np.arange(ny + 1, dtype=np.float64) * cell[1]
        self.thickness = self._over("thickness", thickness, positive=True)
        self.density = self._over("density", density, positive=True)
        self.young = self._over("young", young, positive=True)
        self.slope = self._over("slope", slope)
        if (np.abs(self.slope) >= 90).any():
            raise CaseError(f"slope is {self.slope.max():g} degrees, expected between -90 and 90.")
        across = _halved(np.full(ny + 1, cell[1]))
        self.weight = _halved(np.full(nx + 1, cell[0]))[:, None] * across[None, :]  # m2 of bed a node
        self._front_share = across / width
        overburden = self.density * gravity * self.thickness
        self.driving_stress = overburden * np.sin(np.radians(self.slope))
        law = (friction or Weertman(10**6.75)).bind(
            overburden.ravel(), lambda law: self._equilibrium(law, law.rows(self.weight.size))
        )
        if law.code == _kernels_friction.RATE_STATE:
            raise CaseError("the plan view has no state variable: use a friction law without one, or the chain.")
        self.friction = law
        self.rows = law.rows(self.weight.size)
        if side_friction is not None:
            self._add_margins(law, side_friction)
        if speed is None:
            self.speed = np.full(self.shape, self._equilibrium(law, self.rows))
        else:
            self.speed = self._over("speed", speed)

    @property
    def equilibrium_speed(self) -> float:
        """Steady speed at the middle of the front, m/s, negative towards the sea."""
        return float(self.speed[0, self.shape[1] // 2])

    @property
    def mass(self) -> Array:
        """Mass of every node, kg."""
        return self.density * self.thickness * self.weight

    @property
    def elastic_limit(self) -> float:
        """A step (s) that is surely stable: 2 / omega of the stiffest element, which bounds that of the whole."""
        top = float(np.linalg.eigvalsh(_element(self.cell, self.poisson)).max())
        area = self.cell[0] * self.cell[1]
        lightest = _corners_least(self.density * self.thickness) * area / 4.0
        return 2.0 / math.sqrt(float((top * self._modulus() / lightest).max()))

    @known_keywords
    def run(
        self,
        load: Any = None,
        until: float | str = 100.0,
        step: float | str | None = None,
        every: float | str | None = None,
        profile: Callable[[Array], npt.ArrayLike] | None = None,
    ) -> PlanRun:
        """Shake it: `load` gives N per metre of width, spread evenly over the front or as `profile(y)` says."""
        force = NoLoad() if load is None else load
        total, limit = duration(until, "until"), self.elastic_limit
        wanted = 0.8 * limit if step is None else duration(step, "step")
        if not 0 < wanted <= limit or total == 0:
            raise CaseError(f"step {wanted:g} s over {total:g} s: expected a step above 0 and below {limit:.4g} s.")
        steps = max(1, math.ceil(total / wanted * (1 - 1e-12)))
        dt = total / steps
        stride = max(1, round((total / _RECORDS if every is None else duration(every, "every")) / dt))
        plan, state = self._parts(profile), self._start()
        records = steps // stride + 1
        record = PlanRecord(
            np.zeros((records, *self.shape, 2)), np.zeros((records, *self.shape, 2)),
            np.zeros(records), np.zeros(records), np.zeros(self.shape), stride,
        )  # fmt: skip
        tally = np.zeros(_kernels_schemes.TALLY)
        for first in range(0, steps + 1, _PIECE):
            times = np.arange(first, min(first + _PIECE, steps + 1)) * dt
            loads = self.width * load_at(force, times)
            _kernels_plan.plan_steps(plan, state, record, tally, loads, first, first + loads.size, steps, dt)
        gained = float(np.sum(self.mass * (state.v[..., 0] - self.speed)))
        k = _kernels_schemes
        scale = tally[k.SIZE] or float(np.sum(self.weight * np.abs(plan.steady_stress))) * total or 1.0
        residual = abs(tally[k.SEISMIC] - tally[k.APPLIED] + gained) / scale
        return PlanRun(
            dt, steps, abs(float(tally[k.PEAK])), float(tally[k.PEAK_TIME]), float(record.most[0].max()),
            float(residual), self._dataset(record, stride * dt),
        )  # fmt: skip

    def _parts(self, profile: Callable[[Array], npt.ArrayLike] | None) -> Plan:
        share = self._front_share
        if profile is not None:
            share = share * np.asarray(profile(self.y), dtype=float)
            share = share / share.sum()
        stress, slope = np.empty(self.weight.size), np.empty(self.weight.size)
        state = np.ones(self.weight.size)
        _kernels_friction.stresses(self.friction.code, self.rows, state, self.speed.ravel(), stress, slope)
        return Plan(
            _element(self.cell, self.poisson), self._modulus(), self.weight, 1.0 / self.mass, self.speed,
            stress.reshape(self.shape), share, self.sides == "slip", self.friction.code, self.rows,
        )  # fmt: skip

    def _start(self) -> PlanState:
        v = np.zeros((*self.shape, 2))
        v[..., 0] = self.speed
        zero = np.zeros_like(v)
        # z starts as a guess only: the solver brackets it.
        return PlanState(zero.copy(), v, np.zeros(self.shape), zero)

    def _modulus(self) -> Array:
        product = self.young * self.thickness
        return 0.25 * (product[1:, 1:] + product[:-1, 1:] + product[1:, :-1] + product[:-1, :-1])

    def _add_margins(self, law: Friction, side: Weertman) -> None:
        if law.code != _kernels_friction.POWER or not np.all(self.rows[:, 0] == side.exponent):
            raise CaseError(
                "side_friction needs a Weertman bed of the same exponent: the two drags then add up to one law."
            )
        wall = _halved(np.full(self.shape[0], self.cell[0]))  # m of margin a node
        extra = np.zeros(self.shape)
        for j in (0, -1):
            extra[:, j] = np.asarray(side.coefficient) * self.thickness[:, j] * wall / self.weight[:, j]
        self.rows[:, 1] += extra.ravel()

    def _equilibrium(self, law: Friction, rows: Array) -> float:
        return balance_speed(law, rows, self.weight.ravel(), float(np.sum(self.weight * self.driving_stress)))

    def _over(self, name: str, value: Over, positive: bool = False) -> Array:
        given: Any = value
        if callable(value):
            places = np.meshgrid(self.x, self.y, indexing="ij")
            given = ask(value, *places, what=name, gives=f"one number or {self.shape} for x and y in m")
        try:
            array = np.array(np.broadcast_to(floats(given), self.shape))
        except (TypeError, ValueError, OverflowError):
            raise CaseError(f"{name}: got shape {np.shape(given)}, expected one number or {self.shape}.") from None
        if not np.isfinite(array).all():
            raise CaseError(f"{name} holds {array[~np.isfinite(array)][0]}, expected finite numbers.")
        if positive and (array <= 0).any():
            raise CaseError(f"{name} is {array.min():g}, expected more than zero.")
        return array

    def _dataset(self, record: PlanRecord, interval: float) -> xr.Dataset:
        dims = ("time", "x", "y")
        fields = {
            "displacement_x": (record.u[..., 0], "m", "displacement up-glacier, less the steady slide"),
            "displacement_y": (record.u[..., 1], "m", "displacement across"),
            "velocity_x": (record.v[..., 0], "m s-1", "velocity up-glacier"),
            "velocity_y": (record.v[..., 1], "m s-1", "velocity across"),
        }
        data = {name: (dims, values, {"units": u, "long_name": text}) for name, (values, u, text) in fields.items()}
        force = {"units": "N", "long_name": "force on bed and margins, up-glacier, less that at equilibrium"}
        contact = {"units": "N", "long_name": "force of the iceberg on the front"}
        time = np.arange(record.seismic.size) * interval
        coords = {
            "time": ("time", time, {"units": "s", "long_name": "time from the start of the run"}),
            "x": ("x", self.x, {"units": "m", "long_name": "distance up-glacier from the front"}),
            "y": ("y", self.y, {"units": "m", "long_name": "distance across"}),
        }
        more = {"seismic_force": ("time", record.seismic, force), "contact_force": ("time", record.contact, contact)}
        return xr.Dataset({**data, **more}, coords, {"title": "glacier in plan view", "source": "banquise glacier"})


def _cells(name: str, size: float, part: float) -> int:
    if not (size > 0 and part > 0 and math.isfinite(size / part)):
        raise CaseError(f"{name} {size!r} m in cells of {part!r} m: expected numbers above zero.")
    count = round(size / part)
    if count < 1 or abs(count * part - size) > 1e-6 * part:
        raise CaseError(f"{name} {size:g} m is not a whole number of cells of {part:g} m.")
    return count


def _halved(spacing: Array) -> Array:
    spacing[[0, -1]] *= 0.5
    return spacing


def _corners_least(values: Array) -> Array:
    pairs = np.minimum(values[1:], values[:-1])
    return np.minimum(pairs[:, 1:], pairs[:, :-1])


def _element(cell: tuple[float, float], poisson: float) -> Array:
    """Stiffness (8, 8) of a bilinear rectangle in plane stress for E H = 1, by 2 x 2 Gauss points."""
    law = np.array([[1, poisson, 0], [poisson, 1, 0], [0, 0, (1 - poisson) / 2]]) / (1 - poisson**2)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    points = 0.5 + np.array([-0.5, 0.5]) / math.sqrt(3.0)
    total = np.zeros((8, 8))
    for s in points:
        for t in points:
            ds = np.where(corners[:, 0] == 1, 1.0, -1.0) * np.where(corners[:, 1] == 1, t, 1 - t) / cell[0]
            dt = np.where(corners[:, 1] == 1, 1.0, -1.0) * np.where(corners[:, 0] == 1, s, 1 - s) / cell[1]
            strain = np.zeros((3, 8))
            strain[0, 0::2], strain[1, 1::2] = ds, dt
            strain[2, 0::2], strain[2, 1::2] = dt, ds
            total += strain.T @ law @ strain * cell[0] * cell[1] / 4.0
    return total
