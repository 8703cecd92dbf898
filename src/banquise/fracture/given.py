"""Checks of what the public functions of fracture are given."""

from __future__ import annotations

import math
from typing import Any

from banquise.errors import ShapeError, in_short
from banquise.fracture.griffith import Griffith
from banquise.scene.floe import Floe


def a_floe(value: Any) -> Floe:
    if not isinstance(value, Floe):
        raise ShapeError(f"fracture: got {in_short(value)}, expected a floe.")
    return value


def an_ice(value: Any) -> Griffith:
    """The law as given, the default where None is."""
    if value is None:
        return Griffith()
    if not isinstance(value, Griffith):
        raise ShapeError(f"fracture: ice is {in_short(value)}, expected bq.Griffith(...).")
    return value


def finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ShapeError(f"fracture: {what} is {in_short(value)}, expected a finite number.")
    return number


def pair(value: Any, what: str) -> tuple[float, float]:
    try:
        x, y = value
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"fracture: {what} is {in_short(value)}, expected two numbers.") from None
    return finite(x, what), finite(y, what)


def unit(value: Any, what: str) -> tuple[float, float]:
    """A direction of length 1."""
    x, y = pair(value, what)
    length = math.hypot(x, y)
    if length == 0:
        raise ShapeError(f"fracture: the {what} is (0, 0), expected a direction.")
    return x / length, y / length
