"""All that pushes the ice, as a user writes it down."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import constants
from banquise.errors import CaseError, ForcingError, in_short, known_keywords
from banquise.forcing.coriolis import LocalCoriolis
from banquise.forcing.flows import Flow, Series, Uniform, as_flow
from banquise.forcing.readers import fingerprint
from banquise.given import counted
from banquise.units import quantity

Array = NDArray[np.float64]
_SAME_EVERYWHERE = (type(None), Uniform, Series)
FASTEST = 100.0  # 1/s: a step is at most a radian of the turn, and a run of those beyond would never end


@known_keywords
@dataclass(frozen=True)
class Load:
    """A force (N) and torque (N m) on one floe, from `start` to `stop` (s, or text with units).

    `point` is where the force acts, in the floe's own frame (m from its centre of mass, turning with it); the centre
    if None. The force keeps its direction in the map frame.
    """

    floe: int
    force: tuple[float, float] = (0.0, 0.0)
    point: tuple[float, float] | None = None
    torque: float = 0.0
    start: Any = 0.0
    stop: Any = math.inf

    def __post_init__(self) -> None:
        what = f"load on floe {self.floe!r}"
        if isinstance(self.floe, bool) or not isinstance(self.floe, int | np.integer) or self.floe < 0:
            raise ForcingError(f"{what}: expected the number of a floe, 0 or more.")
        for name in ("start", "stop"):
            object.__setattr__(self, name, quantity(getattr(self, name), "time", f"{what}: {name}"))
        if callable(self.force):
            raise ForcingError(
                f"{what}: force is a function, expected 2 finite numbers. Functions of the state: bq.Forcing(forces=[...])."
            )
        object.__setattr__(self, "force", _numbers(self.force, 2, f"{what}: force", "force"))
        if self.point is not None:
            object.__setattr__(self, "point", _numbers(self.point, 2, f"{what}: point", "length"))
        object.__setattr__(self, "torque", _number(self.torque, f"{what}: torque"))
        if math.isnan(self.start) or math.isnan(self.stop) or self.stop <= self.start:
            raise ForcingError(f"{what}: acts from {self.start:g} to {self.stop:g} s, expected start < stop.")


def _numbers(value: Any, n: int, what: str, kind: str = "") -> tuple[float, ...]:
    """So many finite numbers; text with a unit of `kind` is read."""
    try:
        found = tuple(_read(c, what, kind) for c in value)
    except ForcingError:
        raise
    except (TypeError, ValueError, OverflowError):
        found = ()
    if len(found) != n or not all(map(math.isfinite, found)):
        raise ForcingError(f"{what}: got {in_short(value)}, expected {n} finite numbers.")
    return found


def _number(value: Any, what: str, kind: str = "") -> float:
    try:
        number = _read(value, what, kind)
    except (TypeError, ValueError, OverflowError) as problem:
        if isinstance(problem, ForcingError):
            raise
        number = math.nan
    if not math.isfinite(number):
        raise ForcingError(f"{what}: got {in_short(value)}, expected a finite number.")
    return number


def _read(value: Any, what: str, kind: str) -> float:
    if not isinstance(value, str):
        return float(value)
    if not kind:
        raise TypeError
    try:
        return quantity(value, kind, what)
    except CaseError as problem:
        raise ForcingError(str(problem)) from None


def _list(value: Any, what: str, example: str) -> tuple[Any, ...]:
    if not np.iterable(value) or isinstance(value, str):
        raise ForcingError(f"{what} is one {type(value).__name__}, expected a list: {what}=[{example}].")
    return tuple(value)


@known_keywords
class Forcing:
    """Wind, current, Coriolis, gravity, loads and your own forces.

    Parameters
    ----------
    wind, current : None (no air, no water), (u, v) m/s, a `bq.Series`, a function (x, y, t) -> (u, v), or a file's
        field from `bq.read_forcing`
    latitude : degrees; or `coriolis` = f in 1/s; when neither is given none, or f of the local latitude in a run on
        a map (`bq.Simulation(crs=...)`; coriolis=0 switches it off)
    gravity : (gx, gy) m/s2 in the plane, (gx, gy, gz) for blocks
    loads : list of `bq.Load`
    forces : functions of the state (`state.time`, `state.bodies`) -> (n, 3) force x, y (N) and torque (N m) a floe
    relative_wind : subtract the ice velocity from the wind in the air drag
    turning_angle : degrees, turns the water drag counter-clockwise
    water_level : z of the surface (m) in which blocks float; None: no water in space
    form_drag, skin_drag : coefficients of the drag of water on blocks, across and along their faces
    """

    def __init__(
        self,
        wind: Any = None,
        current: Any = None,
        latitude: float | None = None,
        coriolis: float | None = None,
        gravity: Any = None,
        loads: Sequence[Load] = (),
        forces: Sequence[Callable[[Any], Any]] = (),
        relative_wind: bool = False,
        turning_angle: float = 0.0,
        air_density: float = constants.AIR_DENSITY,
        water_density: float | None = None,
        water_level: float | None = None,
        form_drag: float = 1.0,
        skin_drag: float = 5e-3,
    ):
        self.wind: Flow = as_flow(wind, "wind")
        self.current: Flow = as_flow(current, "current")
        self.latitude = None if latitude is None else _number(latitude, "latitude", "degrees")
        self.coriolis = _coriolis(latitude, coriolis)
        self.local_coriolis: LocalCoriolis | None = None
        self.coriolis_given = latitude is not None or coriolis is not None
        self.gravity = None if gravity is None else _gravity(gravity)
        self.loads = _list(loads, "loads", "bq.Load(...)")
        for k, load in enumerate(self.loads):
            if not isinstance(load, Load):
                raise ForcingError(f"loads[{k}] is {type(load).__name__}, expected bq.Load.")
        self.forces = _list(forces, "forces", "function")
        for k, force in enumerate(self.forces):
            if not callable(force):
                raise ForcingError(f"forces[{k}] is {force!r}, expected a function of the state.")
        if not isinstance(relative_wind, bool | np.bool_):
            raise ForcingError(f"relative_wind: got {relative_wind!r}, expected true or false.")
        self.relative_wind = bool(relative_wind)
        self.turning_angle = _number(turning_angle, "turning_angle", "degrees")
        if abs(self.turning_angle) >= 90:
            raise ForcingError(
                f"turning_angle: got {turning_angle} degrees, expected between -90 and 90: beyond, drag drives."
            )
        self.air_density = _density(air_density, "air_density")
        self.water_level = None if water_level is None else _number(water_level, "water_level", "length")
        if water_density is None:  # drag on floes is the papers'; blocks float in sea water
            water_density = constants.WATER_DENSITY if self.water_level is None else constants.SEA_WATER_DENSITY
        self.water_density = _density(water_density, "water_density")
        self.form_drag, self.skin_drag = _number(form_drag, "form_drag"), _number(skin_drag, "skin_drag")
        if min(self.form_drag, self.skin_drag) < 0:
            raise ForcingError(f"drag: got {form_drag} and {skin_drag}, expected coefficients of 0 or more.")

    def instants(self) -> Array:
        """Times at which a load starts or stops: steps land on them (s)."""
        return np.unique([t for load in self.loads for t in (load.start, load.stop) if math.isfinite(t)])

    def on_map(self, projection: Any, start: str | None, bounds: tuple[float, float, float, float]) -> Forcing:
        """This forcing in the frame of a run: file fields bound to its map and start, f from the local latitude."""
        flows = {}
        for name in ("wind", "current"):
            flow = getattr(self, name)
            if isinstance(flow, Series) or hasattr(flow, "at_points"):
                flows[name] = flow.on_map(projection, start, bounds)
        if projection is None and not flows:
            return self
        other = copy.copy(self)
        for name, flow in flows.items():
            setattr(other, name, flow)
        if projection is not None and not self.coriolis_given:
            other.local_coriolis = LocalCoriolis(projection)
        return other

    def fingerprints(self) -> dict[str, str]:
        """Hashes of the files it comes from."""
        paths: list[Any] = []
        for flow in (self.wind, self.current):
            file = getattr(flow, "options", {}).get("file", [])
            paths += file if isinstance(file, list) else [file]
        return {str(path): fingerprint(Path(path)) for path in paths if Path(path).exists()}

    @property
    def steady(self) -> tuple[Any, ...] | None:
        """All that flows depend on, where neither time nor place changes them; else None."""
        same = all(flow is None or isinstance(flow, Uniform) for flow in (self.wind, self.current))
        if not same or self.loads or self.forces or self.local_coriolis is not None:
            return None
        drag = self.relative_wind, self.turning_angle, self.air_density, self.water_density
        return self.wind, self.current, self.coriolis, self.gravity, *drag

    @property
    def varies(self) -> bool:
        """Whether wind or water are other in one place than in another."""
        return not (isinstance(self.wind, _SAME_EVERYWHERE) and isinstance(self.current, _SAME_EVERYWHERE))

    def coriolis_of(self, bodies: Any, chosen: NDArray[np.int64] | None = None) -> Array:
        """f (1/s): one number for all (1,), or one a floe (n,), of the chosen rows if given."""
        if self.local_coriolis is not None:
            return self.local_coriolis.of(bodies, chosen)
        return np.array([self.coriolis])

    def check(self, n_floes: int, until: float) -> None:
        """Raise if the forcing does not cover the run or names a floe that is not there."""
        for load in self.loads:
            if load.floe >= n_floes:
                raise ForcingError(f"load on floe {load.floe}: the scene has floes 0 to {n_floes - 1}.")
        for name, flow in (("wind", self.wind), ("current", self.current)):
            if flow is not None:
                flow.check_cover(until, name)

    def __repr__(self) -> str:
        acting = [name for name in ("wind", "current", "gravity") if getattr(self, name) is not None]
        if self.local_coriolis is not None:
            acting.append("f from the local latitude")
        elif self.coriolis:
            acting.append(f"f = {self.coriolis:.3g} 1/s")
        if self.loads:
            acting.append(counted(len(self.loads), "load"))
        if self.forces:
            acting.append(counted(len(self.forces), "force"))
        return "Forcing: " + (", ".join(acting) or "none")


def _coriolis(latitude: float | None, coriolis: float | None) -> float:
    if latitude is not None and coriolis is not None:
        raise ForcingError("give latitude or coriolis, not both.")
    if coriolis is not None:
        rate = _number(coriolis, "coriolis", "rate")
        if abs(rate) > FASTEST:
            raise ForcingError(
                f"coriolis: got {rate:g} 1/s, expected at most {FASTEST:g} (the Earth's poles: 1.458e-4)."
            )
        return rate
    if latitude is None:
        return 0.0
    degrees = _number(latitude, "latitude", "degrees")
    if abs(degrees) > 90:
        raise ForcingError(f"latitude: got {latitude}, expected degrees between -90 and 90.")
    return 2 * constants.EARTH_RATE * math.sin(math.radians(degrees))


def _gravity(value: Any) -> tuple[float, ...]:
    of_blocks = isinstance(value, Sized) and np.iterable(value) and len(value) == 3
    return _numbers(value, 3 if of_blocks else 2, "gravity", "acceleration")


def _density(value: Any, what: str) -> float:
    number = _number(value, what, "density")
    if number <= 0:
        raise ForcingError(f"{what}: got {number:g}, expected a density above 0 kg/m3.")
    return number
