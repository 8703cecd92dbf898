"""Checks of the numbers that the 1-D models take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError


def number(value: Any, what: str, least: float = -math.inf, strict: bool = False) -> float:
    """A finite float of at least (or, strictly, above) `least`, or a sentence that says what was wrong."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BanquiseError(f"percussion: {what} is {value!r}, expected a number.") from None
    if not math.isfinite(found) or found < least or (strict and found == least):
        limit = "" if least == -math.inf else f" {'above' if strict else 'of at least'} {least:g}"
        raise BanquiseError(f"percussion: {what} is {found!r}, expected a finite number{limit}.")
    return found


def rows(value: Any, what: str, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Finite floats, of that shape where one is asked for."""
    try:
        found = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BanquiseError(f"percussion: {what} is {value!r}, expected numbers.") from None
    if shape is not None and found.shape != shape:
        raise BanquiseError(f"percussion: {what} has the shape {found.shape}, expected {shape}.")
    if not np.isfinite(found).all():
        raise BanquiseError(f"percussion: {what} holds {found[~np.isfinite(found)][0]}, expected finite numbers.")
    return found
