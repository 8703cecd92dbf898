"""NaN and infinities stop a run at the step that made them, before they reach a record or a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError


class NotFinite(BanquiseError):
    """A body has no finite place or velocity any more."""


def lost_row(columns: Sequence[NDArray[Any]]) -> int | None:
    """First row in which any of the columns (n,) or (n, k) holds NaN or an infinity; None if all is well.

    >>> lost_row([np.zeros(3), np.array([0.0, np.nan, np.inf])])
    1
    """
    # One sum a column instead of a mask of all numbers: this runs at every step. What is not finite stays so in a sum
    # (inf - inf is NaN), and finite places and speeds of ice do not overflow one.
    with np.errstate(invalid="ignore", over="ignore"):
        if all(math.isfinite(column.sum()) for column in columns):
            return None
    sound = np.ones(len(columns[0]), dtype=bool)
    for column in columns:
        sound &= np.isfinite(column.reshape(len(column), -1)).all(axis=1)
    return None if sound.all() else int(np.argmin(sound))


def not_finite(who: str, time: float) -> NotFinite:
    """The error to raise for the body `who`."""
    return NotFinite(
        f"{who} has no finite place or velocity any more at t = {time:g} s. Look at its forces, or take a shorter step."
    )
