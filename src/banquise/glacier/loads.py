"""Contact force of the iceberg on the front, N per metre of width, against time. Positive pushes up-glacier."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from banquise.errors import CaseError, in_short, known_keywords
from banquise.given import in_si, seconds
from banquise.glacier.kinds import one_number, read_parameters
from banquise.units import quantity

Array = npt.NDArray[np.float64]

# Peak contact force over rho_i g H^2 against aspect W/H, of the two-dimensional capsizing iceberg (`Iceberg`).
_ASPECTS = (0.1, 0.2, 0.25, 0.3, 0.4)
_PEAKS = (0.0026, 0.0048, 0.0057, 0.0064, 0.0069)
# Rise and fall times in sqrt(H/g), by which way the iceberg turns.
_TURNS = {"bottom-out": (4.6, 2.8), "top-out": (4.0, 1.5)}


@dataclass(frozen=True)
class Load:
    """A force history; called with times (s) it gives N/m."""

    def __post_init__(self) -> None:
        read_parameters(self)
        for field in fields(self):
            value = one_number(getattr(self, field.name), f"{type(self).__name__}: {field.name}")
            if not math.isfinite(value):
                raise CaseError(f"{type(self).__name__}: {field.name} is {value}, expected a finite number.")
            if field.name in ("duration", "rise", "fall") and value <= 0:
                raise CaseError(f"{type(self).__name__}: {field.name} is {value:g} s, expected more than zero.")

    def __call__(self, time: npt.ArrayLike) -> Array:
        raise NotImplementedError


@known_keywords
@dataclass(frozen=True)
class NoLoad(Load):
    """Nothing pushes."""

    def __call__(self, time: npt.ArrayLike) -> Array:
        return np.zeros_like(np.asarray(time, dtype=float))


@known_keywords
@dataclass(frozen=True)
class Step(Load):
    """`peak` from `start` on. Peaks of the answer do not converge with the block size: the load has no time scale."""

    peak: float
    start: float = 0.0

    def __call__(self, time: npt.ArrayLike) -> Array:
        return np.where(np.asarray(time, dtype=float) >= self.start, self.peak, 0.0)


def _phase(time: npt.ArrayLike, start: float, duration: float) -> Array:
    return np.clip((np.asarray(time, dtype=float) - start) / duration, 0.0, 1.0)


@known_keywords
@dataclass(frozen=True)
class HalfSine(Load):
    """`peak` sin(pi t / duration), zero outside.

    >>> float(HalfSine(2.0, 100.0)(50.0))
    2.0
    """

    peak: float
    duration: float
    start: float = 0.0

    def __call__(self, time: npt.ArrayLike) -> Array:
        phase = _phase(time, self.start, self.duration)
        return np.where(phase < 1.0, self.peak * np.sin(math.pi * phase), 0.0)


@known_keywords
@dataclass(frozen=True)
class SinSquared(Load):
    """`peak` sin^2(pi t / duration): no jump of slope at either end."""

    peak: float
    duration: float
    start: float = 0.0

    def __call__(self, time: npt.ArrayLike) -> Array:
        phase = _phase(time, self.start, self.duration)
        return np.where(phase < 1.0, self.peak * np.sin(math.pi * phase) ** 2, 0.0)


@known_keywords
@dataclass(frozen=True)
class Capsize(Load):
    """Shape of the contact force of a capsizing iceberg: a slow rise to `peak` at `peak_time`, a quick fall.

    F = peak exp(-ln 2 ((t_p - t)/rise)^1.4) before, peak max(0, 1 - ((t - t_p)/fall)^2.4) after.
    """

    peak: float
    peak_time: float
    rise: float
    fall: float

    @classmethod
    def of_iceberg(
        cls,
        height: float = 800.0,
        aspect: float = 0.25,
        turn: str = "bottom-out",
        density: float = 920.0,
        gravity: float = 9.81,
        peak_time: float | None = None,
    ) -> Capsize:
        """The shape for an iceberg `height` (m) high and `aspect` times as wide."""
        height = quantity(height, "length", "Capsize: height")
        density = quantity(density, "density", "Capsize: density")
        gravity = quantity(gravity, "acceleration", "Capsize: gravity")
        aspect = one_number(aspect, "Capsize: aspect")
        if not isinstance(turn, str) or turn not in _TURNS:
            raise CaseError(f"Capsize: turn is {turn!r}, expected 'bottom-out' or 'top-out'.")
        if not _ASPECTS[0] <= aspect <= _ASPECTS[-1]:
            raise CaseError(
                f"Capsize: aspect is {aspect:g}, the fit covers {_ASPECTS[0]} to {_ASPECTS[-1]}. Use Iceberg."
            )
        if not height > 0:
            raise CaseError(f"Capsize: height is {height:g} m, expected more than zero.")
        unit = math.sqrt(height / gravity)
        rise, fall = (factor * unit for factor in _TURNS[turn])
        peak = float(np.interp(aspect, _ASPECTS, _PEAKS)) * density * gravity * height**2
        # At 3.4 rises before its peak the force is below a fiftieth of it; earlier than that it may be cut.
        return cls(peak, 3.4 * rise if peak_time is None else peak_time, rise, fall)

    def __call__(self, time: npt.ArrayLike) -> Array:
        lag = np.asarray(time, dtype=float) - self.peak_time
        rising = np.exp(-math.log(2.0) * (np.maximum(-lag, 0.0) / self.rise) ** 1.4)
        falling = np.maximum(0.0, 1.0 - (np.maximum(lag, 0.0) / self.fall) ** 2.4)
        return self.peak * np.where(lag < 0, rising, falling)


@known_keywords
@dataclass(frozen=True, eq=False)
class Table(Load):
    """Force given at times, straight between them, zero outside."""

    times: npt.ArrayLike
    forces: npt.ArrayLike

    def __post_init__(self) -> None:
        try:
            times, forces = seconds(self.times, "Table: times"), in_si(self.forces, "line force", "Table: forces")
        except (TypeError, ValueError) as problem:
            if isinstance(problem, CaseError):
                raise
            raise CaseError(
                f"Table: got times {in_short(self.times)} and forces {in_short(self.forces)}, expected lists of numbers."
            ) from None
        if times.ndim != 1 or times.shape != forces.shape or times.size < 2:
            raise CaseError(
                f"Table: {times.shape} times and {forces.shape} forces, expected two rows of one length, 2 or more."
            )
        for name, values in (("times", times), ("forces", forces)):
            if not np.isfinite(values).all():
                row = int(np.flatnonzero(~np.isfinite(values))[0])
                raise CaseError(
                    f"Table: {name}[{row}] is {values[row]}, expected finite numbers. Fill or drop that row."
                )
        if (np.diff(times) <= 0).any():
            row = int(np.flatnonzero(np.diff(times) <= 0)[0])
            raise CaseError(
                f"Table: times[{row + 1}] = {times[row + 1]:g} does not come after {times[row]:g}. Sort the rows."
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "forces", forces)

    def __call__(self, time: npt.ArrayLike) -> Array:
        return np.interp(
            np.asarray(time, dtype=float), np.asarray(self.times), np.asarray(self.forces), left=0.0, right=0.0
        )


LOADS: dict[str, type[Load]] = {load.__name__: load for load in (NoLoad, Step, HalfSine, SinSquared, Capsize, Table)}
