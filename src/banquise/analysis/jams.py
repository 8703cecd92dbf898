"""Jams: ice that obstacles hold in place while it is pushed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from banquise.analysis.groups import groups_of
from banquise.analysis.ice import ETA, Ice, as_ice
from banquise.errors import CaseError, known_keywords
from banquise.recording.run_file import Run
from banquise.units import duration

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Jam:
    """Whether the ice is jammed at the end of a run, since when (s, NaN if not), and how much of it.

    `share` is the part of the ice (by area) that is stuck at the end, `anchors` the number of obstacles that the
    largest stuck group leans on (2: it bridges two banks). `history` has both on time.
    """

    jammed: bool
    bridged: bool
    since: float
    share: float
    anchors: int
    history: xr.Dataset = field(repr=False)


@known_keywords
def jam(
    run: Run | Ice,
    speed: float | None = None,
    slow: float = 0.1,
    hold: Any = None,
    share: float = 0.05,
    gap: float = ETA,
) -> Jam:
    """Find ice that is stuck: slower than `slow` times `speed` over the time `hold`, and held by an obstacle.

    A floe is stuck at a record when its way over the last `hold` is less than that, and floes as slow link it, contact by
    contact, to an obstacle. The run is jammed if at its end at least `share` of the ice is stuck, and bridged if a stuck
    group of that share leans on two obstacles or more.

    Parameters
    ----------
    speed : m/s, what the ice would do if free; by default the largest mean speed of the run (by mass)
    hold : s or text with units; by default half an hour, or a sixth of a run that is shorter than three hours
    gap : contact, in parts of the smaller size
    """
    import xarray as xr

    ice = as_ice(run)
    span = float(ice.times[-1] - ice.times[0])
    wait = min(1800.0, span / 6) if hold is None else duration(hold, "hold")
    if not 0 < wait <= span:
        raise CaseError(f"hold: got {hold!r}, expected a time above 0 and at most the run's {span:g} s.")
    with np.errstate(invalid="ignore"):
        pace = np.hypot(ice.state[:, 3], ice.state[:, 4])
    if speed is None:
        speed = float(
            (np.nansum(pace * ice.mass, axis=1) / np.sum(np.where(np.isnan(pace), 0, ice.mass), axis=1)).max()
        )
    paths = ice.paths()
    stuck, anchors, bridging = np.zeros(len(ice.times)), np.zeros(len(ice.times), np.int64), np.zeros(len(ice.times))
    for k, time in enumerate(ice.times):
        before = int(np.searchsorted(ice.times, time - wait * (1 + 1e-9)))
        if time - ice.times[0] < wait * (1 - 1e-9):
            continue
        way = np.linalg.norm(paths[k] - paths[before], axis=1)
        still = way < slow * speed * (time - ice.times[before])
        if still.any():
            stuck[k], anchors[k], bridging[k] = _held(ice, k, still, gap)
    data = {
        "share": ("time", stuck, {"units": "1", "long_name": "part of the ice that is stuck"}),
        "anchors": ("time", anchors, {"long_name": "obstacles that the largest stuck group leans on"}),
        "bridging": (
            "time",
            bridging,
            {"units": "1", "long_name": "part of the ice stuck between two obstacles or more"},
        ),
    }
    history = xr.Dataset(data, {"time": ("time", ice.times, {"units": "s"})}, attrs={"speed": speed, "hold": wait})
    jammed = bool(stuck[-1] >= share)
    free = np.flatnonzero(stuck < share)
    since = float(ice.times[free[-1] + 1] if len(free) else ice.times[0]) if jammed else math.nan
    return Jam(jammed, bool(bridging[-1] >= share), since, float(stuck[-1]), int(anchors[-1]), history)


def _held(ice: Ice, frame: int, still: Any, gap: float) -> tuple[float, int, float]:
    """Part of the ice that is still and held by an obstacle, obstacles of the largest group, part that bridges two."""
    pairs = ice.touching(frame, gap, obstacles=True)
    pairs = pairs[still[pairs[:, 0]]]
    on_rock = pairs[:, 1] >= ice.n
    among = pairs[~on_rock]
    among = among[still[among[:, 1]]]
    group = groups_of(among, ice.n)
    held = np.unique(np.column_stack([group[pairs[on_rock, 0]], pairs[on_rock, 1]]), axis=0)
    if not len(held):
        return 0.0, 0, 0.0
    leans = np.bincount(held[:, 0], minlength=int(group.max()) + 1)
    area = np.where(still, ice.area, 0.0)
    whole = float(ice.area[ice.there(frame)].sum())
    by_group = np.bincount(group, area, minlength=len(leans)) * (leans > 0)
    largest = int(by_group.argmax())
    return float(by_group.sum()) / whole, int(leans[largest]), float(by_group[leans > 1].sum()) / whole


@known_keywords
def wilson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a probability from successes among trials.

    >>> [round(p, 3) for p in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise CaseError(f"wilson: {successes} of {trials}, expected 0 <= successes <= trials, at least one trial.")
    z = float(norm.ppf(0.5 + 0.5 * level))
    p = successes / trials
    middle = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z / (1 + z * z / trials) * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return max(0.0, middle - reach), min(1.0, middle + reach)
