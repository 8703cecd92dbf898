"""Force chains: the lines of floes that carry more than their share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.analysis.groups import groups_of
from banquise.analysis.ice import Ice, as_ice, one_frame
from banquise.errors import known_keywords
from banquise.recording.run_file import Run

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ForceChains:
    """Contacts of one record with their mean force (N), and which of them are in chains.

    `contacts`: floe_a, floe_b, x, y, force, `strong` (above `factor` times the mean force), `chain` (number of the
    group of strong contacts with at least `min_bodies` bodies, -1 for none; 0 is the longest).
    `lengths`: bodies of each chain. `share`: part of the sum of forces that chains carry.
    """

    time: float
    contacts: pd.DataFrame = field(repr=False)
    lengths: tuple[int, ...]
    mean_force: float
    share: float


@known_keywords
def force_chains(run: Run | Ice, time: Any = None, factor: float = 1.0, min_bodies: int = 3) -> ForceChains:
    """Chains of contacts that carry more than `factor` times the mean force, of at least `min_bodies` bodies.

    Forces are means over the record interval that ends at `time` (the last record by default). A contact with an
    obstacle belongs to a chain, but does not join two: a wall touches everything. Of runs made with `contacts=True`.
    """
    ice = as_ice(run)
    frame = one_frame(ice, time)
    table = ice.run.contacts
    table = table[table["time"] == ice.times[frame]].reset_index(drop=True)
    window = float(ice.times[frame] - ice.times[frame - 1]) if frame else float("nan")
    force = np.hypot(table["impulse_x"], table["impulse_y"]).to_numpy() / window
    mean = float(force.mean()) if len(force) else 0.0
    strong = force > factor * mean * (1 - 1e-12) if len(force) else np.zeros(0, bool)
    chain, lengths = _chains(table[["floe_a", "floe_b"]].to_numpy(), strong, ice.n, min_bodies)
    out = table.assign(force=force, strong=strong, chain=chain)
    total = float(force.sum())
    share = float(force[chain >= 0].sum()) / total if total > 0 else 0.0
    return ForceChains(float(ice.times[frame]), out, lengths, mean, share)


def _chains(pairs: Any, strong: Any, n_floes: int, min_bodies: int) -> tuple[NDArray[np.int64], tuple[int, ...]]:
    """Chain of each contact (-1: none), longest first, and how many bodies each has."""
    chain = np.full(len(pairs), -1, dtype=np.int64)
    if not len(pairs):
        return chain, ()
    # every contact with an obstacle gets an end of its own
    ends = pairs.copy()
    rock = np.flatnonzero(ends[:, 1] >= n_floes)
    ends[rock, 1] = n_floes + np.arange(len(rock))
    group = groups_of(ends[strong], int(ends.max()) + 1)
    bodies = np.bincount(group[np.unique(ends[strong])], minlength=int(group.max()) + 1)
    numbers = np.flatnonzero(bodies >= min_bodies)
    numbers = numbers[np.argsort(-bodies[numbers], kind="stable")]
    rank = np.full(len(bodies), -1, dtype=np.int64)
    rank[numbers] = np.arange(len(numbers))
    chain[strong] = rank[group[ends[strong, 0]]]
    return chain, tuple(int(b) for b in bodies[numbers])
