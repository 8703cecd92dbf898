"""Loads of the ice on structures: history, peaks, how large the largest may get; resistance of a ship."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.signal import find_peaks

from banquise.analysis.ice import Ice, as_ice
from banquise.errors import CaseError, known_keywords, nearest
from banquise.recording.run_file import Run
from banquise.units import duration

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gumbel:
    """Law of block maxima: P(largest < F) = exp(-exp(-(F - location) / scale)); N."""

    location: float
    scale: float
    blocks: int
    block: float  # s

    def level(self, period: float) -> float:
        """Load (N) that is passed once in `period` (s) on average: by one block in period / block."""
        blocks = period / self.block
        if not blocks > 1:
            raise CaseError(f"return period: got {period:g} s, expected more than a block of {self.block:g} s.")
        return self.location - self.scale * float(np.log(-np.log1p(-1 / blocks)))


@dataclass(frozen=True)
class LoadStatistics:
    """Load on one structure: mean, largest, peaks, and the law of the largest in a block of time."""

    name: str
    window: float  # s, each value is a mean over this
    mean: float  # N, of the size of the force
    largest: float  # N
    mean_force: tuple[float, float]  # N, vector
    peaks: xr.DataArray = field(repr=False)  # N on their times
    history: xr.DataArray = field(repr=False)  # N on time
    exceedance: xr.DataArray = field(repr=False)  # part of the time above a load
    gumbel: Gumbel | None


def obstacle_of(ice: Ice, which: int | str) -> int:
    """Number of an obstacle given by number or name."""
    names = [str(n) for n in ice.run.shapes["name"].values[ice.is_obstacle]]
    if not names:
        raise CaseError("loads: the run has no obstacles.")
    if isinstance(which, str):
        if which not in names:
            known = [n for n in names if n]
            hint = nearest(which, known) if known else f"None has a name; give a number, 0 to {len(names) - 1}."
            raise CaseError(f"loads: no obstacle named {which!r}. {hint}")
        return names.index(which)
    if not 0 <= int(which) < len(names):
        raise CaseError(f"loads: no obstacle {which}, the run has {len(names)}, numbered from 0.")
    return int(which)


@known_keywords
def load_statistics(
    run: Run | Ice, obstacle: int | str = 0, after: Any = 0.0, min_peak: float | None = None, block: Any = None
) -> LoadStatistics:
    """Statistics of the force on an obstacle, given by number or name.

    Parameters
    ----------
    after : s or text with units; what comes before (the ice arriving) is left out
    min_peak : N, least height of a peak; by default the mean load. Peaks are the largest value of each stay above it.
    block : s or text with units; a Gumbel law is fitted to the largest load of each block. By default a tenth of the time.

    Forces are means over the record interval: record often to see short peaks.
    """
    import xarray as xr

    ice = as_ice(run)
    k = obstacle_of(ice, obstacle)
    use = np.flatnonzero((ice.times > ice.times[0]) & (ice.times > duration(after, "after")))
    if len(use) < 3:
        raise CaseError(f"loads: {len(use)} records after {after!r}, expected 3 or more.")
    force = ice.run.records["loads"][use, k, :2]
    size, times = np.hypot(force[:, 0], force[:, 1]), ice.times[use]
    level = float(size.mean()) if min_peak is None else float(min_peak)
    rows = _peak_rows(size, level)
    on_time = {"units": "N", "long_name": "force of the ice on the structure"}
    ordered = np.sort(size)
    window = float(np.median(np.diff(ice.times)))
    return LoadStatistics(
        name=str(ice.run.shapes["name"].values[ice.is_obstacle][k]) or f"obstacle {k}",
        window=window,
        mean=float(size.mean()),
        largest=float(size.max()),
        mean_force=(float(force[:, 0].mean()), float(force[:, 1].mean())),
        peaks=xr.DataArray(size[rows], {"time": times[rows]}, ("time",), name="peaks", attrs=on_time),
        history=xr.DataArray(size, {"time": times}, ("time",), name="force", attrs=on_time),
        exceedance=xr.DataArray(
            np.arange(len(size) - 1, -1, -1) / len(size), {"load": ("load", ordered, {"units": "N"})}, name="exceedance"
        ),
        gumbel=_gumbel(size, times, window, block),
    )


def _peak_rows(size: Array, level: float) -> NDArray[np.intp]:
    """The largest value of each stay above a level."""
    padded = np.concatenate([[-np.inf], size, [-np.inf]])
    rows = find_peaks(padded, height=np.nextafter(level, np.inf))[0] - 1
    above = size > level
    stay = np.cumsum(np.diff(np.concatenate([[False], above]).astype(int)) > 0)[rows]
    best = [rows[stay == s][size[rows[stay == s]].argmax()] for s in np.unique(stay)]
    return np.array(best, dtype=np.intp)


def _gumbel(size: Array, times: Array, window: float, block: Any) -> Gumbel | None:
    """Most likely Gumbel law of the largest in each whole block; None with fewer than five, or all alike."""
    span = float(times[-1] - times[0]) + window
    width = span / 10 if block is None else duration(block, "block")
    if not 0 < width <= span:
        raise CaseError(f"block: got {block!r}, expected a time above 0 and at most {span:g} s.")
    number = ((times - times[0]) / width + 1e-9).astype(int)
    count = int(span / width + 1e-9)
    if count < 5:
        return None
    largest = np.full(count, -np.inf)
    inside = number < count
    np.maximum.at(largest, number[inside], size[inside])
    return fit_gumbel(largest[np.isfinite(largest)], width)


def fit_gumbel(largest: Any, block: float) -> Gumbel | None:
    """The most likely Gumbel law of block maxima (N), blocks of `block` s."""
    x = np.asarray(largest, dtype=float)
    spread = float(np.std(x)) if len(x) else 0.0
    if len(x) < 5 or spread <= 1e-12 * abs(float(x.mean())):
        return None
    z = (x - x.mean()) / spread

    def excess(beta: float) -> float:  # zero of the likelihood's slope in the scale
        weight = np.exp(-(z - z.min()) / beta)
        return beta + float(np.sum(z * weight) / np.sum(weight))

    beta = float(brentq(excess, 1e-3, 10.0))
    location = -beta * float(np.log(np.mean(np.exp(-z / beta))))
    return Gumbel(float(x.mean() + spread * location), spread * beta, len(x), block)


@known_keywords
def resistance(run: Run | Ice, obstacle: int | str, heading: Any, after: Any = 0.0) -> xr.DataArray:
    """Force against the way of a ship (N), on time: minus the part of the ice's force along `heading` (x, y).

    Its mean over the time in the ice is the ice resistance; attributes hold it and its peak.
    """
    import xarray as xr

    ice = as_ice(run)
    k = obstacle_of(ice, obstacle)
    along = np.asarray(heading, dtype=float)
    length = float(np.hypot(*along)) if along.shape == (2,) else 0.0
    if not length > 0:
        raise CaseError(f"heading: got {heading!r}, expected a direction (x, y).")
    use = np.flatnonzero((ice.times > ice.times[0]) & (ice.times > duration(after, "after")))
    values = -(ice.run.records["loads"][use, k, :2] @ (along / length))
    attrs = {"units": "N", "long_name": "force of the ice against the way of the ship"}
    out = xr.DataArray(values, {"time": ("time", ice.times[use], {"units": "s"})}, name="resistance", attrs=attrs)
    if len(values):
        out.attrs |= {"mean": float(values.mean()), "largest": float(values.max())}
    return out
