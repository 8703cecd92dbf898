"""What the settings of glaciers, laws and loads are measured in, for text with units in scripts and case files alike."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from banquise.errors import CaseError, in_short
from banquise.units import quantity

GLACIER = {
    "length": "length", "block": "length", "thickness": "length", "slope": "degrees", "density": "density",
    "young": "pressure", "gravity": "acceleration", "water_pressure": "pressure", "front": "", "back": "",
}  # fmt: skip
# Parameters of laws and loads that have a unit; the rest are plain numbers.
PARAMETERS = {
    "nu": "speed", "threshold_speed": "speed", "v0": "speed", "pressure": "pressure", "yield_stress": "pressure",
    "slip": "length", "peak": "line force", "forces": "line force", "duration": "time", "start": "time",
    "times": "time", "peak_time": "time", "rise": "time", "fall": "time", "height": "length", "density": "density",
    "water_density": "density", "gravity": "acceleration", "tilt": "degrees", "turn": "",
}  # fmt: skip


def in_si(value: Any, kind: str, where: str) -> Any:
    """Text with a unit, or a list of such, as numbers; all else as it is."""
    if isinstance(value, str):
        return quantity(value, kind, where)
    if isinstance(value, list | tuple) and any(isinstance(v, str) for v in value):
        return np.array([quantity(v, kind, f"{where}[{k}]") for k, v in enumerate(value)])
    return value


def read_parameters(settings: Any) -> None:
    """Take the fields of a frozen dataclass that are text with units as numbers."""
    for field in fields(settings):
        kind = PARAMETERS.get(field.name)
        if kind:
            where = f"{type(settings).__name__}: {field.name}"
            object.__setattr__(settings, field.name, in_si(getattr(settings, field.name), kind, where))


def one_number(value: Any, what: str) -> float:
    """A single number."""
    try:
        if np.ndim(value) or isinstance(value, bool | str) or value is None:
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"{what} is {in_short(value)}, expected one number.") from None
