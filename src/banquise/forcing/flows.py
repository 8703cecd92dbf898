"""Wind and current: nothing, uniform, a time series, or a field of position and time. SI, map frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError

Array = NDArray[np.float64]
AFTER_END = ("stop", "hold", "repeat")


@dataclass(frozen=True)
class Uniform:
    """The same everywhere and always (m/s)."""

    u: float
    v: float

    def at(self, time: float) -> tuple[float, float]:
        return self.u, self.v

    def check_cover(self, until: float, what: str) -> None:
        """Always covers."""


class Series:
    """The same everywhere, linear in time between given instants.

    Parameters
    ----------
    times : (n,) s from the start of the run, increasing
    u, v : (n,) m/s
    after_end : "stop" (an error before the run starts if it needs more), "hold" or "repeat"
    """

    def __init__(self, times: Any, u: Any, v: Any, after_end: str = "stop"):
        try:
            self.times, self.u, self.v = (np.asarray(c, dtype=float) for c in (times, u, v))
        except (TypeError, ValueError):
            raise ForcingError("series: times, u and v must be lists of numbers.") from None
        if self.times.ndim != 1 or not self.times.shape == self.u.shape == self.v.shape or len(self.times) < 2:
            raise ForcingError(
                f"series: got times {self.times.shape}, u {self.u.shape}, v {self.v.shape}; "
                "expected three lists of one length, at least 2."
            )
        if not all(np.isfinite(c).all() for c in (self.times, self.u, self.v)):
            raise ForcingError("series: all values must be finite.")
        back = np.flatnonzero(np.diff(self.times) <= 0)
        if len(back):
            k = int(back[0])
            raise ForcingError(
                f"series: times must increase, but entry {k + 1} ({self.times[k + 1]:g} s) follows {self.times[k]:g} s."
            )
        if after_end not in AFTER_END:
            raise ForcingError(f"series: after_end is {after_end!r}, expected one of {', '.join(AFTER_END)}.")
        self.after_end = after_end

    def at(self, time: float) -> tuple[float, float]:
        if self.after_end == "repeat" and time > self.times[-1]:
            time = self.times[0] + (time - self.times[0]) % (self.times[-1] - self.times[0])
        return float(np.interp(time, self.times, self.u)), float(np.interp(time, self.times, self.v))

    def check_cover(self, until: float, what: str) -> None:
        if self.times[0] > 0:
            raise ForcingError(f"{what} starts at {self.times[0]:g} s, the run at 0 s. Add earlier values.")
        if self.after_end == "stop" and self.times[-1] < until:
            raise ForcingError(
                f"{what} ends at {self.times[-1]:g} s, the run needs {until:g} s. "
                "Add values, shorten `until`, or set after_end = 'hold'."
            )


class Field:
    """A function of position and time: field(x, y, t) -> (u, v), arrays in m and s to arrays in m/s."""

    def __init__(self, function: Callable[[Array, Array, float], Any]):
        self.function = function

    def sample(self, x: Array, y: Array, time: float) -> tuple[Array, Array]:
        try:
            u, v = self.function(x, y, time)
            u, v = (np.ascontiguousarray(np.broadcast_to(np.asarray(c, dtype=float), x.shape)) for c in (u, v))
        except (TypeError, ValueError) as problem:
            raise ForcingError(
                f"field at t = {time:g} s: expected two arrays (or numbers) for {x.shape} points; {problem}."
            ) from None
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            k = int(np.argmin(np.isfinite(u.ravel()) & np.isfinite(v.ravel())))
            raise ForcingError(
                f"field at t = {time:g} s is not finite at ({x.ravel()[k]:.6g}, {y.ravel()[k]:.6g}) m. "
                "Expected finite m/s wherever there is ice."
            )
        return u, v

    def check_cover(self, until: float, what: str) -> None:
        """A function is taken to cover all."""


Flow = Uniform | Series | Field | None


def as_flow(value: Any, what: str) -> Flow:
    """A flow from what a user may write: None, (u, v), a `Series`, or a function of (x, y, t)."""
    if value is None or isinstance(value, Uniform | Series | Field):
        return value
    if callable(value):
        return Field(value)
    try:
        u, v = (float(c) for c in value)
    except (TypeError, ValueError):
        raise ForcingError(
            f"{what}: got {value!r}, expected (u, v) in m/s, a bq.Series, a function of (x, y, t), or None."
        ) from None
    if not (math.isfinite(u) and math.isfinite(v)):
        raise ForcingError(f"{what}: got ({u}, {v}), expected finite m/s.")
    return Uniform(u, v)
