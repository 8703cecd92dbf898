"""How a pack's floes are distributed in size: the exponent of a power law, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class PowerLaw:
    """Number of floes larger than x, as x^-exponent above `min_size`."""

    exponent: float
    low: float  # of the 95 % interval
    high: float
    min_size: float  # m
    count: int  # floes above it


def size_exponent(sizes: Any, min_size: float | None = None) -> PowerLaw:
    """The most likely exponent of the cumulative distribution of sizes (m) above `min_size` (their median by default).

    Hill's estimator without its bias, (n - 1) / sum ln(x / min_size); n times the sum over the exponent is a gamma variable,
    which gives the interval.

    >>> x = 10 * (1 - (np.arange(4000) + 0.5) / 4000) ** (-1 / 1.7)
    >>> round(size_exponent(x, min_size=10.0).exponent, 2)
    1.7
    """
    from scipy.stats import gamma

    given = np.asarray(sizes, dtype=float)
    floor = float(np.median(given)) if min_size is None else float(min_size)
    above = given[given > floor]
    n = len(above)
    if n < 3:
        return PowerLaw(math.nan, math.nan, math.nan, floor, n)
    total = float(np.log(above / floor).sum())
    low, high = (float(gamma.ppf(q, n)) / total for q in (0.025, 0.975))
    return PowerLaw((n - 1) / total, low, high, floor, n)
