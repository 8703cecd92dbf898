"""Velocity statistics as studies of drifting buoys report them (after Rampal and others, 2009)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.stats import kurtosis, skew

from banquise.analysis.ice import Ice, as_ice
from banquise.errors import CaseError, known_keywords
from banquise.recording.run_file import Run
from banquise.units import duration

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VelocityStatistics:
    """Velocities from displacements over `interval` (s), split into a mean over `window` (s) and what fluctuates.

    Components are x and y. `diffusivity` = variance x integral_time (m2/s), by component.
    """

    interval: float
    window: float
    mean: tuple[float, float]  # m/s, of all floes and times
    rms: tuple[float, float]  # m/s, of the fluctuations
    skewness: tuple[float, float]
    excess_kurtosis: tuple[float, float]
    speed_scale: float  # m/s: mean fluctuating speed, the scale of an exponential law of speeds
    integral_time: tuple[float, float]  # s
    diffusivity: tuple[float, float]  # m2/s
    fluctuations: Array = field(repr=False)  # (time, floe, 2) m/s
    correlation: xr.DataArray = field(repr=False)  # (lag, component)

    @property
    def kinetic_energy(self) -> float:
        """Fluctuating kinetic energy a unit of mass (m2/s2)."""
        return 0.5 * float(self.rms[0] ** 2 + self.rms[1] ** 2)


@known_keywords
def velocity_statistics(
    run: Run | Ice, interval: Any = None, window: Any = None, max_lag: Any = None
) -> VelocityStatistics:
    """Mean and fluctuating velocities of the floes, their moments, memory and diffusivity.

    Parameters
    ----------
    interval : s or text with units, over which velocities are taken from displacements, as from positions of buoys; by
        default the record interval
    window : the mean velocity at a time is that of all floes over this time around it; by default the whole run
    max_lag : of the correlation; a quarter of the run by default. The integral time goes to its first zero.
    """
    import xarray as xr

    ice = as_ice(run)
    every = np.diff(ice.times)
    if len(every) < 4 or np.ptp(every) > 1e-6 * every[0]:
        raise CaseError("velocity statistics: expected at least five records at even intervals.")
    stride = 1 if interval is None else max(1, round(duration(interval, "interval") / every[0]))
    step = stride * float(every[0])
    paths = ice.paths()[::stride]
    if len(paths) < 4:
        raise CaseError(
            f"velocity statistics: an interval of {step:g} s leaves {len(paths)} records, expected 4 or more."
        )
    velocity = np.diff(paths, axis=0) / step
    span = (len(paths) - 1) * step
    width = span if window is None else min(duration(window, "window"), span)
    mean = np.nanmean(velocity, axis=1)
    if window is None:
        mean = np.broadcast_to(mean.mean(axis=0), mean.shape)
    else:
        mean = uniform_filter1d(mean, max(1, round(width / step)), axis=0, mode="nearest")
    fluctuation = velocity - mean[:, None]
    values = fluctuation.reshape(-1, 2)
    values = values[np.isfinite(values[:, 0])]
    lags = min(len(velocity) - 1, round((span / 4 if max_lag is None else duration(max_lag, "max_lag")) / step))
    correlation = _correlation(fluctuation, lags)
    memory = [_integral(correlation[:, c], step) for c in range(2)]
    variance = values.var(axis=0)
    return VelocityStatistics(
        interval=step,
        window=width,
        mean=_pair(np.nanmean(velocity, axis=(0, 1))),
        rms=_pair(np.sqrt(np.mean(values**2, axis=0))),
        skewness=_pair(skew(values, axis=0)),
        excess_kurtosis=_pair(kurtosis(values, axis=0)),
        speed_scale=float(np.hypot(*values.T).mean()),
        integral_time=_pair(memory),
        diffusivity=_pair(variance * memory),
        fluctuations=fluctuation,
        correlation=xr.DataArray(
            correlation,
            {"lag": ("lag", step * np.arange(lags + 1), {"units": "s"}), "component": ["x", "y"]},
            ("lag", "component"),
            name="correlation",
        ),
    )


def _pair(values: Any) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _correlation(fluctuation: Array, lags: int) -> Array:
    """Lagrangian correlation (lag, 2) over all floes and start times, 1 at lag 0."""
    out = np.empty((lags + 1, 2))
    for lag in range(lags + 1):
        out[lag] = np.nanmean(fluctuation[: len(fluctuation) - lag] * fluctuation[lag:], axis=(0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return out / out[0]


def _integral(correlation: Array, step: float) -> float:
    """Trapezium rule to the first zero (or the last lag)."""
    below = np.flatnonzero(~(correlation > 0))
    end = below[0] if len(below) else len(correlation)
    return float(np.trapezoid(correlation[:end], dx=step)) if end > 1 else 0.0
