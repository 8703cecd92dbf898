"""Groups of floes that may meet within a step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from banquise.schemes.workspace import TOTALS

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
Pairs = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(eq=False)
class Groups:
    """Groups of floes as lists, and what each of them adds to the books; a group done again elsewhere is `stale`."""

    member_start: Rows
    members: Rows
    pair_start: Rows
    pairs: Pairs
    first: int  # number of the first group, counted through all that are run in the step
    most: int  # pairs of the largest
    careful: Flags = field(init=False)  # followed contacts led to an overlap: they are looked for at every turn
    totals: Array = field(init=False)
    stale: NDArray[np.bool_] = field(init=False)
    # of each desk: events, loads on obstacles, keys and rates of contacts that held, impulses of contacts
    handed_in: list[tuple[Array, Array, Rows, Array, Array]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.totals = np.zeros((len(self), TOTALS))
        self.stale = np.zeros(len(self), np.bool_)
        self.careful = np.zeros(len(self), np.bool_)

    def __len__(self) -> int:
        return len(self.member_start) - 1

    def rows(self, group: int) -> Rows:
        return self.members[self.member_start[group] : self.member_start[group + 1]]
