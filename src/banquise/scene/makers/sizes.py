"""Sizes of floes: laws to draw them from, and the law that given sizes follow.

The size of a floe is s = sqrt(area / pi), the radius of the disc of its area (m).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from banquise.errors import CaseError, in_short
from banquise.given import ask_numbers, floats

Array = NDArray[np.float64]
STEEPEST = 30.0  # of the law of sizes: all floes but a few are then of one size
LEAST_RATIO = 1e-4  # smallest over largest size: beyond four decades a pack is not one scene


def power_law(quantile: Any, smallest: float, largest: float, exponent: float) -> Array:
    """Sizes at given quantiles (0 to 1) of P(> s) ~ s^-exponent cut off at both ends.

    >>> power_law([0.0, 1.0], 2.0, 8.0, 1.5).round(12).tolist()
    [2.0, 8.0]
    """
    u = np.asarray(quantile, dtype=float)
    if exponent == 0.0:
        return np.asarray(smallest * (largest / smallest) ** u)
    low, high = smallest**-exponent, largest**-exponent
    return np.asarray((low - u * (low - high)) ** (-1 / exponent))


def draw_sizes(
    rng: np.random.Generator, n: int, ice_area: float, exponent: float, largest: float, smallest: float | None = None
) -> Array:
    """`n` sizes (m), largest first, whose areas sum to `ice_area` (m2): the smallest size is solved for.

    One quantile is drawn in each n-th of the law, so that the pack holds its rare large floes. When `smallest` is given
    too, all sizes are scaled to the area; the law's cut-offs scale with them.
    """
    try:
        exponent = float(exponent)
        known = abs(exponent) <= STEEPEST
    except (TypeError, ValueError, OverflowError):
        known = False
    if not known:
        raise CaseError(
            f"pack: exponent is {in_short(exponent)}, expected a number from -{STEEPEST:g} to {STEEPEST:g}, such as 1.5."
        )
    quantile = (np.arange(n) + rng.random(n)) / n
    most = n * math.pi * largest**2
    if smallest is not None:
        sizes = power_law(quantile, smallest, largest, exponent)
        return np.sort(sizes * math.sqrt(ice_area / (math.pi * np.sum(sizes**2))))[::-1]

    def excess(low: float) -> float:
        return math.pi * float(np.sum(power_law(quantile, low, largest, exponent) ** 2)) - ice_area

    if most < ice_area:
        raise CaseError(
            f"pack: {n:,} floes of at most {largest:g} m cover {most:.4g} m2, the concentration asks for {ice_area:.4g}. "
            "Take more floes, a larger max_size or a lower concentration."
        )
    if excess(LEAST_RATIO * largest) > 0:
        raise CaseError(
            f"pack: {n:,} floes of up to {largest:g} m cover more than {ice_area:.4g} m2 whatever the smallest. "
            "Take a smaller max_size, fewer floes or a higher concentration."
        )
    low = brentq(excess, LEAST_RATIO * largest, largest, xtol=1e-12 * largest, rtol=1e-14)
    return np.sort(power_law(quantile, float(low), largest, exponent))[::-1]


def given_sizes(rng: np.random.Generator, n: int, ice_area: float, sizes: Any) -> Array:
    """Sizes from a list (taken as they are when there are n, else drawn from it) or from a function of quantiles,
    scaled together so that the areas sum to `ice_area`."""
    if callable(sizes):
        law: Callable[[Array], Any] = sizes
        gives = f"metres above 0, one for each of {n} quantiles"
        drawn = ask_numbers(law, (np.arange(n) + rng.random(n)) / n, what="pack: sizes", gives=gives, shape=(n,))
    else:
        try:
            listed = floats(sizes)
        except (TypeError, ValueError, OverflowError):
            raise CaseError(f"pack: sizes is {in_short(sizes)}, expected metres, or a function of quantiles.") from None
        drawn = listed.ravel() if listed.size == n else rng.choice(listed.ravel(), n) if listed.size else listed
    if drawn.shape != (n,) or not np.isfinite(drawn).all() or (drawn <= 0).any():
        what = (
            f"{drawn.size} sizes"
            if drawn.shape != (n,)
            else f"a size of {drawn[~(drawn > 0) | ~np.isfinite(drawn)][0]} m"
        )
        raise CaseError(
            f"pack: got {what}, expected positive metres, or a function that gives {n} of them for quantiles."
        )
    return np.sort(drawn * math.sqrt(ice_area / (math.pi * np.sum(drawn**2))))[::-1]


@dataclass(frozen=True)
class SizeLaw:
    """A power law fitted to sizes: exponent of P(> s), its standard error, and the range it was fitted on (m)."""

    exponent: float
    error: float
    min_size: float
    max_size: float
    n: int


def fit_power_law(sizes: Any, min_size: float | None = None, max_size: float | None = None) -> SizeLaw:
    """The exponent of most likelihood for sizes between two cut-offs (by default the ends of the data).

    >>> law = fit_power_law(power_law((np.arange(2000) + 0.5) / 2000, 1.0, 50.0, 1.5), 1.0, 50.0)
    >>> round(law.exponent, 2)
    1.5
    """
    s = np.asarray(sizes, dtype=float)
    low = float(s.min() if min_size is None else min_size)
    high = float(s.max() if max_size is None else max_size)
    s = s[(s >= low) & (s <= high)]
    n = len(s)
    if n < 3 or high <= low:
        return SizeLaw(math.nan, math.nan, low, high, n)
    width = math.log(high / low)
    mean = float(np.mean(np.log(s / low))) / width

    def mean_of(k: float) -> float:  # of ln(s / low) / width when its density is ~ exp(-k t) on (0, 1)
        if abs(k) < 1e-6:
            return 0.5 - k / 12
        return 1 / k - 1 / math.expm1(k) if k < 500 else 1 / k

    if not mean_of(400.0) < mean < mean_of(-400.0):
        return SizeLaw(math.nan, math.nan, low, high, n)
    k = float(brentq(lambda z: mean_of(z) - mean, -400.0, 400.0))
    # Fisher information of k: the variance of t
    variance = 1 / 12 if abs(k) < 1e-3 else 1 / k**2 - 1 / (4 * math.sinh(k / 2) ** 2)
    return SizeLaw(k / width, 1 / (width * math.sqrt(n * variance)), low, high, n)
