"""Where floes may be: the open sea (None), a box with walls or open sides, or a periodic box."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from banquise.errors import CaseError, in_short, known_keywords, nearest
from banquise.units import quantity

SIDES = ("left", "right", "bottom", "top")


def _number(value: Any, kind: str, where: str, expected: str) -> float:
    """A finite number as given, also of NumPy; text with a unit of `kind` is read."""
    if isinstance(value, str | np.integer | np.floating):
        value = quantity(value, kind, where)
    if isinstance(value, bool) or not (isinstance(value, int | float) and abs(value) <= sys.float_info.max):
        raise CaseError(f"{where} is {in_short(value)}, expected a finite number of {expected}.")
    return value


def _check_bounds(box: Any) -> None:
    what = type(box).__name__
    for name in ("xmin", "xmax", "ymin", "ymax"):
        object.__setattr__(box, name, _number(getattr(box, name), "length", f"{what}: {name}", "metres"))
    xmin, xmax, ymin, ymax = box.xmin, box.xmax, box.ymin, box.ymax
    if xmax <= xmin or ymax <= ymin:
        raise CaseError(
            f"{what}: bounds ({xmin:g}, {xmax:g}, {ymin:g}, {ymax:g}), expected xmin < xmax and ymin < ymax."
        )


@known_keywords
@dataclass(frozen=True)
class Periodic:
    """A box whose opposite sides are one: what leaves on one side comes in on the other (m)."""

    xmin: float
    xmax: float
    ymin: float
    ymax: float

    def __post_init__(self) -> None:
        _check_bounds(self)


@known_keywords
@dataclass(frozen=True)
class Box:
    """A box with walls (m). Sides named in `open` let floes out; `velocity` moves a wall: {"left": 0.1} m/s inward or
    out along its normal axis (+x for left and right, +y for bottom and top)."""

    xmin: float
    xmax: float
    ymin: float
    ymax: float
    open: tuple[str, ...] = ()
    velocity: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_bounds(self)
        if not isinstance(self.open, str | list | tuple):
            raise CaseError(f"Box: open is {in_short(self.open)}, expected names of sides: {', '.join(SIDES)}.")
        if not isinstance(self.velocity, Mapping):
            raise CaseError(
                f"Box: velocity is {in_short(self.velocity)}, expected a table such as {{left = 0.1}} in m/s."
            )
        sides = (self.open,) if isinstance(self.open, str) else tuple(self.open)
        object.__setattr__(self, "open", sides)
        for side in (*sides, *self.velocity):
            if side not in SIDES:
                raise CaseError(f"Box: no side {side!r}. {nearest(str(side), SIDES)}")
        for side in self.velocity:
            if side in sides:
                raise CaseError(f"Box: side {side!r} is open and cannot have a velocity.")
        where = "Box: velocity of side"
        speeds = {side: _number(v, "speed", f"{where} {side!r}", "m/s") for side, v in self.velocity.items()}
        object.__setattr__(self, "velocity", speeds)


Domain = Periodic | Box | None


def periods_passed(places: Any, domain: Mapping[str, Any] | None) -> Any:
    """Whole periods (m) by which places (..., 2) are outside a periodic domain, zero in others; `domain` as a case has it.

    Runs record where a floe has gone to, through as many borders as it may be; less this it is inside.

    >>> periods_passed([[120.0, -5.0]], {"kind": "periodic", "xmin": 0, "xmax": 50, "ymin": 0, "ymax": 20}).tolist()
    [[100.0, -20.0]]
    """
    places = np.asarray(places, dtype=float)
    if not domain or domain.get("kind") != "periodic":
        return np.zeros_like(places)
    low = np.array([domain["xmin"], domain["ymin"]], dtype=float)
    side = np.array([domain["xmax"], domain["ymax"]]) - low
    return side * np.floor((places - low) / side)
