"""Clusters: groups of floes in contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from banquise.analysis.ice import ETA, Ice, as_ice, frames_of
from banquise.errors import known_keywords
from banquise.recording.run_file import Run
from banquise.settings import number

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
Index = NDArray[np.intp]


def groups_of(pairs: Index, n: int) -> Index:
    """Label (n,) of each body's group, from 0, given pairs (m, 2) in contact."""
    graph = coo_array((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


@known_keywords
def clusters(run: Run | Ice, times: Any = None, gap: float = ETA) -> xr.Dataset:
    """Groups of floes nearer to each other than `gap` times the smaller size (its square root of area).

    A dataset on (time, floe): `label` (groups numbered from the largest by area, -1 for a floe that is not there); on
    time: `count` of groups of two floes or more, `alone` (floes in none), `largest` and `mean_size` (floes in a group
    of two or more), `largest_area` (part of the ice in the largest group).
    """
    import xarray as xr

    ice = as_ice(run)
    gap = number(gap, "clusters: gap", at_least=0.0)
    frames = frames_of(ice, times)
    label = np.full((len(frames), ice.n), -1, dtype=np.int64)
    numbers = np.zeros((5, len(frames)))
    for k, frame in enumerate(frames):
        who = ice.there(int(frame))
        found = groups_of(ice.touching(int(frame), gap), ice.n)[who]
        label[k, who], numbers[:, k] = _numbered(found, ice.area[who])
    names = {
        "count": "groups of two floes or more",
        "alone": "floes that touch nobody",
        "largest": "floes of the largest group",
        "mean_size": "floes in a group of two or more, mean",
        "largest_area": "part of the ice in the group of largest area",
    }
    data: dict[str, Any] = {"label": (("time", "floe"), label, {"long_name": "group, 0 is the largest by area"})}
    data |= {name: ("time", numbers[j], {"long_name": text}) for j, (name, text) in enumerate(names.items())}
    coords = {"time": ("time", ice.times[frames], {"units": "s"}), "floe": np.arange(ice.n)}
    return xr.Dataset(data, coords, attrs={"gap": gap})


def _numbered(found: Index, area: Array) -> tuple[Index, Array]:
    """Labels by falling area, and count, alone, largest, mean size, part of the ice in the largest."""
    if not len(found):
        return found, np.zeros(5)
    size, ice = np.bincount(found), np.bincount(found, area)
    order = np.argsort(-ice, kind="stable")
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    several = size[size > 1]
    mean = float(several.mean()) if len(several) else 0.0
    numbers = [len(several), int((size == 1).sum()), int(size.max()), mean, float(ice.max() / area.sum())]
    return rank[found], np.array(numbers, dtype=float)
