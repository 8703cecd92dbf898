"""Wind and current: nothing, uniform, a time series, or a field of position and time. SI, map frame."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError, ForcingError, in_short, known_keywords
from banquise.given import ask, floats, in_si, place_of, seconds
from banquise.units import quantity

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


@known_keywords
class Series:
    """The same everywhere, linear in time between given instants.

    Parameters
    ----------
    times : (n,) s from the start of the run, increasing; text with units and timedeltas are read too
    u, v : (n,) m/s
    after_end : "stop" (an error before the run starts if it needs more), "hold" or "repeat"
    frame : "map": u, v along x, y of the run; "east": along east and north, turned at the middle of the run's area
    options : how it was read from a file, for case files
    """

    def __init__(
        self,
        times: Any,
        u: Any,
        v: Any,
        after_end: str = "stop",
        frame: str = "map",
        options: dict[str, Any] | None = None,
    ):
        kinds = (("times", times, "time"), ("u", u, "speed"), ("v", v, "speed"))
        self.times, self.u, self.v = (_column(values, kind, f"series: {name}") for name, values, kind in kinds)
        if self.times.ndim != 1 or not self.times.shape == self.u.shape == self.v.shape or len(self.times) < 2:
            raise ForcingError(
                f"series: got times {self.times.shape}, u {self.u.shape}, v {self.v.shape}; "
                "expected three lists of one length, at least 2."
            )
        for name, column in (("times", self.times), ("u", self.u), ("v", self.v)):
            if not np.isfinite(column).all():
                k = int(np.argmin(np.isfinite(column)))
                raise ForcingError(
                    f"series: {name}[{k}] is {column[k]}, expected finite numbers. Fill or drop that entry."
                )
        back = np.flatnonzero(np.diff(self.times) <= 0)
        if len(back):
            k = int(back[0])
            raise ForcingError(
                f"series: times must increase, but entry {k + 1} ({self.times[k + 1]:g} s) follows {self.times[k]:g} s."
            )
        if not isinstance(after_end, str) or after_end not in AFTER_END:
            raise ForcingError(f"series: after_end is {after_end!r}, expected one of {', '.join(AFTER_END)}.")
        if not isinstance(frame, str) or frame not in ("map", "east"):
            raise ForcingError(f"series: frame is {frame!r}, expected 'map' or 'east'.")
        self.after_end = after_end
        self.frame = frame
        self.options = dict(options or {})

    def __repr__(self) -> str:
        ends = f"{self.times[0]:g} to {self.times[-1]:g} s, then {self.after_end}"
        return f"Series of {len(self.times)} times, {ends}, up to {np.hypot(self.u, self.v).max():.3g} m/s"

    def on_map(self, projection: Any, start: str | None, bounds: tuple[float, float, float, float] | None) -> Series:
        """Along x and y of a run on a map, east taken at the middle of its area."""
        if self.frame == "map" or projection is None or bounds is None:
            return self
        middle = 0.5 * (bounds[0] + bounds[1]), 0.5 * (bounds[2] + bounds[3])
        ex, ey = projection.east(*projection.to_lonlat(*middle))
        u, v = ex * self.u - ey * self.v, ey * self.u + ex * self.v
        return Series(self.times, u, v, self.after_end, options=self.options)

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


def _column(values: Any, kind: str, what: str) -> Array:
    try:
        return seconds(values, what) if kind == "time" else in_si(values, kind, what)
    except BanquiseError as problem:
        raise ForcingError(str(problem)) from None
    except (TypeError, ValueError, OverflowError):
        raise ForcingError(f"{what}: got {in_short(values)}, expected a list of numbers.") from None


@known_keywords
class Field:
    """A function of position and time: field(x, y, t) -> (u, v), arrays in m and s to arrays in m/s."""

    def __init__(self, function: Callable[[Array, Array, float], Any], name: str = "field"):
        if not callable(function):
            raise ForcingError(
                f"{name}: got {in_short(function)}, expected a function of (x, y, t) giving (u, v) in m/s."
            )
        self.function, self.name = function, name

    def sample(self, x: Array, y: Array, time: float) -> tuple[Array, Array]:
        what, gives = f"{self.name} at t = {time:g} s", f"(u, v) in m/s, two numbers or arrays of shape {x.shape}"
        given = ask(self.function, x, y, time, what=what, gives=gives, error=ForcingError)
        try:
            u, v = given
            u, v = (np.ascontiguousarray(np.broadcast_to(floats(c), x.shape)) for c in (u, v))
        except (TypeError, ValueError, OverflowError):
            raise ForcingError(
                f"{what}: got {in_short(given)} from {place_of(self.function)}. Expected {gives}."
            ) from None
        if not (np.isfinite(u).all() and np.isfinite(v).all()):
            k = int(np.argmin(np.isfinite(u.ravel()) & np.isfinite(v.ravel())))
            raise ForcingError(
                f"{what} is not finite at ({x.ravel()[k]:.6g}, {y.ravel()[k]:.6g}) m. "
                "Expected finite m/s wherever there is ice."
            )
        return u, v

    def check_cover(self, until: float, what: str) -> None:
        """A function is taken to cover all."""


class FileFlow(Protocol):
    """A field from files (`GridFlow`): `on_map` gives it the frame of a run, `at_points` samples it."""

    options: dict[str, Any]

    def on_map(self, projection: Any, start: str | None, bounds: Any = None) -> FileFlow: ...
    def check_cover(self, until: float, what: str) -> None: ...
    def at_points(self, points: Any, time: float) -> Array: ...
    def sample(self, x: Array, y: Array, time: float) -> tuple[Array, Array]: ...


Flow = Uniform | Series | Field | FileFlow | None


def as_flow(value: Any, what: str) -> Flow:
    """A flow from what a user may write: None, (u, v), a `Series`, a file's field, or a function of (x, y, t)."""
    if value is None or isinstance(value, Uniform | Series | Field) or hasattr(value, "at_points"):
        return value
    if isinstance(value, str | os.PathLike):
        raise ForcingError(
            f"{what}: got the text {str(value)!r}. Read a file with bq.read_forcing({str(value)!r}, {what!r})."
        )
    if callable(value):
        return Field(value, what)
    try:
        if isinstance(value, Mapping):
            raise TypeError
        u, v = (quantity(c, "speed", what) if isinstance(c, str) else float(c) for c in value)
    except BanquiseError as problem:
        raise ForcingError(str(problem)) from None
    except (TypeError, ValueError, OverflowError):
        raise ForcingError(
            f"{what}: got {in_short(value)}, expected (u, v) in m/s, a bq.Series, a function of (x, y, t), or None."
        ) from None
    if not (math.isfinite(u) and math.isfinite(v)):
        raise ForcingError(f"{what}: got ({u}, {v}), expected finite m/s.")
    return Uniform(u, v)


def how_recorded(flow: Flow) -> str | None:
    """What `recorded` gives of a flow, in words; None where there is no flow."""
    if flow is None:
        return None
    return "uniform" if isinstance(flow, Uniform | Series) else "mean over the area of the floes"


def recorded(flow: Flow, bodies: Any, time: float) -> Array | None:
    """(2,) m/s for the run file: the flow where it is uniform, else its mean over the ice (NaN without floes).

    Over the floes' own quadrature points: there the flow has been asked for already, while the centre of a bent floe may
    lie on land, where a file has no value.
    """
    if flow is None:
        return None
    if isinstance(flow, Uniform | Series):
        return np.array(flow.at(time))
    n = bodies.n_free
    if not n:
        return np.full(2, np.nan)
    x, y, cos, sin = (column[:n, None] for column in (bodies.x, bodies.y, bodies.cos, bodies.sin))
    places = x + cos * bodies.qx - sin * bodies.qy, y + sin * bodies.qx + cos * bodies.qy
    weight = bodies.qw / bodies.qw.sum()
    return np.array([float((weight * column).sum()) for column in flow.sample(*places, time)])
