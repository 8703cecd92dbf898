"""The capsizing iceberg: a rigid rectangle that turns over against the glacier's front, coupled both ways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from banquise.constants import GRAVITY
from banquise.errors import CaseError, in_short, known_keywords
from banquise.glacier import _kernels_iceberg as kernels
from banquise.glacier.kinds import read_parameters
from banquise.settings import number
from banquise.units import duration, quantity

Array = npt.NDArray[np.float64]


@known_keywords
def critical_aspect(density: float = 920.0, water_density: float = 1025.0) -> float:
    """Width over height below which an upright rectangular iceberg capsizes: sqrt(6 r (1 - r)), r the density ratio.

    >>> round(critical_aspect(), 5)
    0.74275
    """
    density = quantity(density, "density", "critical_aspect: density")
    water_density = quantity(water_density, "density", "critical_aspect: water_density")
    if not 0 < density < water_density < math.inf:
        raise CaseError(
            f"critical_aspect: ice of {density:g} kg/m3 in water of {water_density:g} kg/m3 does not float."
        )
    ratio = density / water_density
    return math.sqrt(6.0 * ratio * (1.0 - ratio))


def _finite(value: Any) -> float:
    """A number as a float; NaN and infinity where it is none or none that a float holds."""
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.inf


@known_keywords
@dataclass(frozen=True)
class Iceberg:
    """A rectangle `height` (m) high and `aspect` times as wide, afloat upright, tilted a little, touching the front.

    It turns "bottom-out" (its top falls against the glacier) or "top-out". `tilt` in degrees at the start. Left out:
    waves it radiates, water squeezed out of the gap, melange, rate of change of the wetted part in the added mass.
    """

    height: float = 800.0
    aspect: float = 0.25
    turn: str = "bottom-out"
    tilt: float = 0.5
    density: float = 920.0
    water_density: float = 1025.0
    drag: float = 1.0
    added_mass: float = 1.0
    contact_stiffness: float = 1e9  # N/m per metre of width
    contact_damping: float = 0.3  # of critical, for the whole mass on one corner
    gravity: float = GRAVITY

    def __post_init__(self) -> None:
        read_parameters(self)
        for name in ("height", "aspect", "tilt", "density", "water_density", "contact_stiffness", "gravity"):
            value = getattr(self, name)
            if not 0 < _finite(value) < math.inf:
                raise CaseError(f"Iceberg: {name} is {in_short(value)}, expected a number above zero.")
        for name in ("drag", "added_mass", "contact_damping"):
            value = getattr(self, name)
            if not 0 <= _finite(value) < math.inf:
                raise CaseError(f"Iceberg: {name} is {in_short(value)}, expected a number of zero or more.")
        if self.density >= self.water_density:
            raise CaseError(f"Iceberg: ice of {self.density:g} kg/m3 sinks in water of {self.water_density:g} kg/m3.")
        if not isinstance(self.turn, str) or self.turn not in ("bottom-out", "top-out"):
            raise CaseError(f"Iceberg: turn is {in_short(self.turn)}, expected 'bottom-out' or 'top-out'.")
        if self.tilt >= 45:
            raise CaseError(f"Iceberg: tilt is {self.tilt:g} degrees, expected a start near upright, below 45.")

    @property
    def critical_aspect(self) -> float:
        """Aspect below which it capsizes by itself."""
        return critical_aspect(self.density, self.water_density)

    @property
    def energy_released(self) -> float:
        """Potential energy (J/m) between upright and lying flat: rho g eps (1 - eps)(1 - r) H^3 / 2."""
        ratio = self.density / self.water_density
        unit = 0.5 * self.density * self.gravity * self.height**3
        return unit * self.aspect * (1.0 - self.aspect) * (1.0 - ratio)

    def parts(self) -> kernels.Berg:
        """Arrays and numbers of the kernel."""
        h, w = self.height, self.aspect * self.height
        outline = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2.0
        mass = self.density * h * w
        water = self.added_mass * math.pi * self.water_density
        return kernels.Berg(
            outline, mass, mass * (h * h + w * w) / 12.0,
            water * h * h / 4.0, water * w * w / 4.0, water * h**4 * (1.0 - self.aspect**2) ** 2 / 128.0,
            self.gravity, self.water_density, self.drag, self.contact_stiffness,
            2.0 * self.contact_damping * math.sqrt(self.contact_stiffness * mass), h * w,
        )  # fmt: skip

    def afloat(self, step: float) -> Afloat:
        """The iceberg at its start, ready to be moved in steps of `step` s."""
        return Afloat(self, step)

    def capsize(self, until: float | str = 200.0, step: float | str = 0.02, every: float | str = 0.2) -> xr.Dataset:
        """Let it capsize against a front that does not move: angle, position and contact force against time."""
        until, every = duration(until, "until"), duration(every, "every")
        step = number(duration(step, "step"), "step", above=0.0)
        body = self.afloat(step)
        stride = max(1, round(every / step))
        for n in range(math.ceil(until / step) + 1):
            if n % stride == 0:
                body.force(0.0, 0.0)
                body.record(n * step)
            body.advance(0.0, 0.0)
        return body.dataset()


class Afloat:
    """An iceberg in motion: position, turn, speed, and what was recorded of them."""

    def __init__(self, iceberg: Iceberg, step: float) -> None:
        self.iceberg = iceberg
        self.berg = iceberg.parts()
        self._corners = np.empty_like(self.berg.outline)
        turn = math.radians(iceberg.tilt) * (-1.0 if iceberg.turn == "bottom-out" else 1.0)
        self.state = np.array([0.0, 0.0, turn, 0.0, 0.0, 0.0])
        self._float_and_touch()
        bounce = math.sqrt(iceberg.contact_stiffness / self.berg.mass)
        self._step, self._parts = step, max(1, math.ceil(step * bounce / 0.2))
        self.contact_force = 0.0
        self._rows: list[list[float]] = []

    def _float_and_touch(self) -> None:
        low, high = -self.iceberg.height, self.iceberg.height
        for _ in range(80):  # depth at which it displaces its own mass
            self.state[1] = 0.5 * (low + high)
            kernels.placed(self.berg, self.state, self._corners)
            wet, _, _ = kernels.submerged(self._corners)
            low, high = (
                (self.state[1], high) if wet * self.iceberg.water_density > self.berg.mass else (low, self.state[1])
            )
        self.state[0] = -float(self._corners[:, 0].max())

    def force(self, front: float, front_speed: float) -> float:
        """Force (N/m) on a front at `front` (m) moving at `front_speed` (m/s)."""
        self.contact_force = float(kernels.contact(self.berg, self.state, self._corners, front, front_speed)[0])
        return self.contact_force

    def advance(self, front: float, front_speed: float) -> None:
        """Move on by one step, the front going on at its speed."""
        kernels.advance(self.berg, self.state, front, front_speed, self._step, self._parts)

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J per metre of width."""
        kinetic, potential = kernels.energy(self.berg, self.state, self._corners)
        return float(kinetic), float(potential)

    def record(self, time: float) -> None:
        """Keep the state as it stands."""
        self._rows.append([time, *self.state, self.contact_force])

    def dataset(self) -> xr.Dataset:
        """What was recorded, on time."""
        rows = np.array(self._rows)
        names = {
            "iceberg_x": ("m", "horizontal position of the iceberg's centre, up-glacier"),
            "iceberg_y": ("m", "height of the iceberg's centre above the water line"),
            "iceberg_angle": ("rad", "turn of the iceberg, counter-clockwise with the glacier on its right"),
            "iceberg_force": ("N m-1", "force of the iceberg on the front, per metre of width"),
        }
        columns = dict(zip(names, (rows[:, 1], rows[:, 2], rows[:, 3], rows[:, -1])))
        return xr.Dataset(
            {name: ("time", columns[name], {"units": unit, "long_name": text}) for name, (unit, text) in names.items()},
            {"time": ("time", rows[:, 0], {"units": "s", "long_name": "time from the start of the run"})},
            {"iceberg_height": self.iceberg.height, "iceberg_aspect": self.iceberg.aspect},
        )
