"""Dispersion: how floes leave where they were, and how they leave each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from banquise.analysis.ice import Ice, as_ice
from banquise.errors import CaseError, known_keywords
from banquise.recording.run_file import Run

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@known_keywords
def absolute_dispersion(run: Run | Ice, about_mean: bool = False) -> xr.Dataset:
    """Mean square displacement of floes from their places at the start, on time (m2).

    `about_mean` takes away the mean displacement of all floes first (dispersion of the fluctuating motion, as in Taylor's
    single-particle theory for a drift that carries all floes). Also its components, and the exponent of its growth: the
    logarithmic slope d ln / d ln t, 2 where floes fly straight, 1 where they wander.
    """
    import xarray as xr

    ice = as_ice(run)
    moved = ice.paths() - ice.paths()[0]
    if about_mean:
        moved = moved - np.nanmean(moved, axis=1, keepdims=True)
    square = np.nanmean(moved**2, axis=1)
    total = square.sum(axis=1)
    data = {
        "dispersion": ("time", total, {"units": "m2", "long_name": "mean square displacement"}),
        "dispersion_x": ("time", square[:, 0], {"units": "m2"}),
        "dispersion_y": ("time", square[:, 1], {"units": "m2"}),
        "slope": ("time", _log_slope(ice.times - ice.times[0], total), {"long_name": "d ln dispersion / d ln time"}),
    }
    return xr.Dataset(data, {"time": ("time", ice.times, {"units": "s"})}, attrs={"about_mean": int(about_mean)})


def _log_slope(times: Array, values: Array) -> Array:
    slope = np.full(len(times), np.nan)
    use = (times > 0) & (values > 0)
    if use.sum() > 2:
        slope[use] = np.gradient(np.log(values[use]), np.log(times[use]))
    return slope


@known_keywords
def relative_dispersion(
    run: Run | Ice, separation: tuple[float, float], start: float = 0.0, max_pairs: int = 200_000, seed: int = 0
) -> xr.Dataset:
    """Mean square separation of pairs of floes that were `separation` (least, largest; m) apart at `start`, on time.

    Returns `separation2` (m2), `dispersion` (mean square change of the separation vector, m2), `stretch` (mean of
    ln(separation / first separation)), and `pairs`. Above `max_pairs` a random part of the pairs is taken.
    """
    import xarray as xr

    ice = as_ice(run)
    low, high = separation
    if not 0 <= low < high:
        raise CaseError(f"separation: got {separation!r}, expected (least, largest) in metres.")
    paths = ice.paths()
    frame = int(np.abs(ice.times - start).argmin())
    there = np.flatnonzero(np.isfinite(paths[frame, :, 0]))
    pairs = cKDTree(paths[frame, there]).query_pairs(high, output_type="ndarray")
    pairs = there[pairs]
    apart = np.linalg.norm(paths[frame, pairs[:, 1]] - paths[frame, pairs[:, 0]], axis=1)
    pairs = pairs[apart >= low]
    if not len(pairs):
        raise CaseError(f"separation: no two floes are {low:g} to {high:g} m apart at {ice.times[frame]:g} s.")
    if len(pairs) > max_pairs:
        pairs = pairs[np.sort(np.random.default_rng(seed).choice(len(pairs), max_pairs, replace=False))]
    numbers = np.full((3, len(paths)), np.nan)
    first = paths[frame, pairs[:, 1]] - paths[frame, pairs[:, 0]]
    length = np.linalg.norm(first, axis=1)
    for k in range(frame, len(paths)):  # one time after the other: all at once may not fit the memory
        now = paths[k, pairs[:, 1]] - paths[k, pairs[:, 0]]
        alive = np.isfinite(now[:, 0])
        if not alive.any():
            break
        square = np.sum(now[alive] ** 2, axis=1)
        change = np.sum((now[alive] - first[alive]) ** 2, axis=1)
        numbers[:, k] = square.mean(), change.mean(), np.mean(0.5 * np.log(square) - np.log(length[alive]))
    data = {
        "separation2": ("time", numbers[0], {"units": "m2", "long_name": "mean square separation"}),
        "dispersion": ("time", numbers[1], {"units": "m2", "long_name": "mean square change of the separation"}),
        "stretch": ("time", numbers[2], {"units": "1", "long_name": "mean of ln(separation / first separation)"}),
    }
    return xr.Dataset(data, {"time": ("time", ice.times, {"units": "s"})}, attrs={"pairs": len(pairs)})
