"""Collisions per hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.analysis.ice import Ice, as_ice
from banquise.errors import CaseError, known_keywords
from banquise.recording.run_file import Run
from banquise.settings import one_of
from banquise.units import duration

if TYPE_CHECKING:
    import xarray as xr

COUNTS = ("contacts", "pairs")


@known_keywords
def collision_rate(
    run: Run | Ice, window: Any = 3600.0, count: str = "contacts", min_impulse: float = 0.0
) -> xr.DataArray:
    """Collisions per hour in windows of time (s, or text with units), on time (the middle of each window).

    Parameters
    ----------
    count : "contacts": every impact at every contact point, as the papers count; "pairs": impacts of the same two bodies
        at the same instant are one
    min_impulse : N s, smallest normal impulse that counts
    """
    import xarray as xr

    ice = as_ice(run)
    one_of(count, COUNTS, "collisions: count")
    width = duration(window, "window")
    span = ice.times[-1] - ice.times[0]
    if not 0 < width <= span * (1 + 1e-12):
        raise CaseError(f"window: got {window!r}, expected a time above 0 and at most the run's {span:g} s.")
    events = ice.run.events
    events = events[(events["kind"] == "impact") & (events["normal_impulse"] >= min_impulse)]
    if count == "pairs":
        events = events.drop_duplicates(["time", "floe_a", "floe_b"])
    edges = ice.times[0] + width * np.arange(int(span / width + 1e-9) + 1)
    counts = np.histogram(events["time"].to_numpy(), edges)[0]
    return xr.DataArray(
        counts * (3600.0 / width),
        {"time": ("time", 0.5 * (edges[1:] + edges[:-1]), {"units": "s"})},
        name="collisions",
        attrs={"units": "h-1", "long_name": "collisions per hour", "window": width, "count": count},
    )
