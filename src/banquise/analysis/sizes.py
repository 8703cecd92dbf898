"""Floe size distribution: how many floes are larger than a size, and the power law that says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from banquise.analysis.ice import Ice, as_ice, one_frame
from banquise.errors import known_keywords
from banquise.recording.run_file import Run
from banquise.scene.makers.sizes import SizeLaw, fit_power_law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SizeDistribution:
    """Sizes s = sqrt(area / pi) (m, ascending), and the law P(> s) ~ s^-exponent of most likelihood.

    `interval` holds the exponent with the given `level` of confidence; NaN where there are too few floes to fit.
    """

    sizes: Array = field(repr=False)
    law: SizeLaw
    interval: tuple[float, float]
    level: float

    @property
    def exponent(self) -> float:
        return self.law.exponent

    @property
    def larger(self) -> NDArray[np.int64]:
        """Number of floes of at least each size."""
        return np.arange(len(self.sizes), 0, -1)


@known_keywords
def size_distribution(
    run: Run | Ice, time: Any = None, min_size: float | None = None, max_size: float | None = None, level: float = 0.95
) -> SizeDistribution:
    """Sizes of the floes at a time (the end by default), and the exponent of their power law with an interval.

    `min_size` and `max_size` (m) bound the range of the fit; by default the ends of the data.
    """
    ice = as_ice(run)
    sizes = np.sort(np.sqrt(ice.area[ice.there(one_frame(ice, time))] / np.pi))
    law = fit_power_law(sizes, min_size, max_size) if len(sizes) else SizeLaw(np.nan, np.nan, np.nan, np.nan, 0)
    reach = float(norm.ppf(0.5 + 0.5 * level)) * law.error
    return SizeDistribution(sizes, law, (law.exponent - reach, law.exponent + reach), level)
