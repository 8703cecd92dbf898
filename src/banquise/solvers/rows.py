"""Solve contact problems in their mass-scaled form, without the checks of the public `frictional.solve`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ScaledRows
from banquise.solvers import _kernels, _kernels_small
from banquise.solvers.dense import lemke_island
from banquise.threads import over_blocks

Floats = NDArray[np.float64]


@dataclass
class RowsSolution:
    """y (n, 3) = M^1/2 (W+ - W_free), impulses (m, 2) in row order, residual of each island."""

    impulses: Floats
    y: Floats
    error: Floats
    unsolved: int


def solve_rows(
    rows: ScaledRows,
    start: NDArray[np.int64],
    impulses: Floats,
    reference: Floats,
    tolerance: float,
    memory: Any = None,
) -> RowsSolution:
    """Islands start[i]:start[i + 1] of `rows`; `impulses` is the first guess and becomes the answer."""
    count = len(start) - 1
    y = np.zeros((rows.bodies, 3))
    error, how, work = np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64)
    members = np.arange(count)

    def small(first: int, last: int) -> None:
        _kernels_small.solve_islands(
            first, last, members, start, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower,
            impulses, y, reference, tolerance, 0, error, how, work,
        )  # fmt: skip

    over_blocks(small, count, grain=64)
    for i in np.flatnonzero(~(error <= tolerance)):
        first, last = start[i], start[i + 1]
        lemke_island(rows, first, last, impulses, reference[i], tolerance)
        island = (first, last, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, impulses, y)
        error[i] = _kernels.residual(*island) / reference[i]
        if not error[i] <= tolerance:
            _kernels.damp(first, last, rows.G, rows.a, rows.b, rows.c, rows.bias, rows.lower, impulses, y)
            error[i] = _kernels.residual(*island) / reference[i]
    return RowsSolution(impulses, y, error, int(np.sum(~(error <= tolerance))))
