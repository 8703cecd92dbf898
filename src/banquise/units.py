"""Numbers with units, at the border only: "2 h" -> 7200.0 (SI floats inside)."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from banquise.errors import CaseError, in_short, nearest

_FACTORS: dict[str, dict[str, float]] = {
    "time": {
        "s": 1.0,
        "ms": 1e-3,
        "min": 60.0,
        "h": 3600.0,
        "d": 86400.0,
    },
    "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3, "in": 0.0254, "ft": 0.3048, "nmi": 1852.0},
    "speed": {"m/s": 1.0, "cm/s": 1e-2, "km/h": 1.0 / 3.6, "kn": 1852.0 / 3600.0},
    "angle": {"rad": 1.0, "deg": math.pi / 180.0, "°": math.pi / 180.0},
    "degrees": {"deg": 1.0, "°": 1.0, "rad": 180.0 / math.pi},  # where a plain number is degrees: latitudes
    "density": {"kg/m3": 1.0, "kg/m^3": 1.0, "g/cm3": 1e3},
    "force": {"N": 1.0, "kN": 1e3, "MN": 1e6},
    "pressure": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9},
    "energy of a surface": {"J/m2": 1.0, "J/m^2": 1.0, "kJ/m2": 1e3, "kJ/m^2": 1e3},
    "acceleration": {"m/s2": 1.0, "m/s^2": 1.0},
    "line force": {"N/m": 1.0, "kN/m": 1e3, "MN/m": 1e6, "GN/m": 1e9},
    "rate": {"1/s": 1.0, "rad/s": 1.0, "deg/s": math.pi / 180.0},
}
# the same units as people write them out
_WORDS = {
    "sec": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min", "mins": "min", "hr": "h", "hrs": "h",
    "hour": "h", "hours": "h", "day": "d", "days": "d", "metre": "m", "metres": "m", "meter": "m", "meters": "m",
    "inch": "in", "inches": "in", "foot": "ft", "feet": "ft", "NM": "nmi",
    "kt": "kn", "knot": "kn", "knots": "kn", "degree": "deg", "degrees": "deg",
}  # fmt: skip
_NUMBER = re.compile(r"^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*$")
_DATE = re.compile(r"^\s*\d{4}-\d{1,2}(-\d|$)")


def quantity(value: Any, kind: str, where: str = "value") -> float:
    """A float in SI from a number or a string such as "1.2 m"; `kind` names the dimension.

    >>> quantity("2 h", "time")
    7200.0
    >>> quantity(3, "length")
    3.0
    >>> quantity(datetime.timedelta(minutes=2), "time")
    120.0
    """
    if kind == "time":
        value = _seconds(value, where)
    if isinstance(value, bool) or value is None:
        raise CaseError(f"{where}: got {in_short(value)}, expected a number or text with a unit of {kind}.")
    if isinstance(value, str):
        match = _NUMBER.match(value)
        if not match:
            raise CaseError(
                f"{where}: got {in_short(value)}, expected a number with a unit of {kind}, such as '2 {_some(kind)}'."
            )
        number, unit = float(match[1]), match[2]
        factor = 1.0 if not unit else _FACTORS[kind].get(_WORDS.get(unit, unit))
        if factor is None:
            raise CaseError(f"{where}: unit {unit!r} is not one of {kind}. {nearest(unit, _FACTORS[kind])}")
        return number * factor
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"{where}: got {in_short(value)}, expected a number or text with a unit of {kind}.") from None


def read_fields(settings: Any, kinds: Mapping[str, str]) -> None:
    """Take the fields of a frozen dataclass that are text as quantities of these kinds."""
    for name, kind in kinds.items():
        value = getattr(settings, name)
        if isinstance(value, str):
            object.__setattr__(settings, name, quantity(value, kind, f"{type(settings).__name__}: {name}"))


def _seconds(value: Any, where: str) -> Any:
    """A difference of times as seconds; a date is none, and said to be one before its text is taken for a number."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "m" and value.ndim == 0:
        return value / np.timedelta64(1, "s")
    if kind == "M" or isinstance(value, datetime.date) or (isinstance(value, str) and _DATE.match(value)):
        raise CaseError(
            f"{where}: got {str(value)!r}, a date. Expected a time from the start of the run, such as '2 days'."
        )
    return value


def duration(value: Any, where: str = "time") -> float:
    """Seconds, finite and not negative."""
    seconds = quantity(value, "time", where)
    if not math.isfinite(seconds) or seconds < 0:
        raise CaseError(f"{where}: got {in_short(value)}, expected a finite time of zero or more.")
    return seconds


def date(value: Any, where: str = "start") -> str | None:
    """A date as ISO text without a time zone, such as "2024-03-01T00:00:00" (UTC); None stays None."""
    if value is None:
        return None
    try:
        if value != value:  # NaT
            raise ValueError
        found = value if isinstance(value, datetime.date) else datetime.datetime.fromisoformat(str(value))
    except ValueError:
        raise CaseError(f"{where}: got {in_short(value)}, expected a date such as '2024-03-01T00:00:00'.") from None
    if not isinstance(found, datetime.datetime):
        found = datetime.datetime(found.year, found.month, found.day)
    if found.tzinfo is not None:
        found = found.astimezone(datetime.UTC).replace(tzinfo=None)
    return found.isoformat()


def _some(kind: str) -> str:
    return next(iter(_FACTORS[kind]))
