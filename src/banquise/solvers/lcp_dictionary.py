"""Lemke's dictionary between calls of its kernel: pivots, the drift of the tableau from the data, and its cure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.solvers import _kernels_lemke as kernels

Floats = NDArray[np.float64]

CHUNK = 60  # pivots between two looks at the drift
MOST_DRIFT = 1e-10


class Dictionary:
    """Lemke's dictionary between calls of the kernel."""

    def __init__(self, T: Floats, rhs: Floats) -> None:
        n = len(rhs)
        self.n, self.T, self.rhs, self.entering = n, T, rhs, -1
        self.line = np.empty(n + 1)
        self.basic, self.nonbasic = np.arange(n), np.arange(n, 2 * n + 1)
        self.place = np.concatenate((np.arange(n), np.arange(n + 1, 2 * n + 2)))

    def go(self, cap: int, rule: int, data: tuple[Floats, Floats, Floats, Floats, float] | None) -> tuple[int, int]:
        """Pivot to the end; every CHUNK pivots the drift of the dictionary from the data is measured, and cured.

        A ray is believed only in a fresh dictionary: round-off makes false ones.
        """
        pivots, fresh = 0, True
        while True:
            status, done, self.entering = kernels.lemke(
                self.T, self.rhs, self.basic, self.nonbasic, self.place, self.entering, min(CHUNK, cap - pivots), rule,
                self.line,
            )  # fmt: skip
            pivots += done
            fresh = fresh and done == 0
            if data is None or fresh or status == kernels.SOLVED or pivots >= cap:
                if status == kernels.CAP and pivots < cap:
                    continue
                return status, pivots
            if status != kernels.CAP or self.drift(*data) > MOST_DRIFT:
                if not self.refactor(*data):
                    return kernels.STALLED, pivots
                fresh = True

    def drift(self, M: Floats, q: Floats, scale: Floats, cover: Floats, unit: float) -> float:
        """How far the point of the dictionary is from w = M z + q + d z0."""
        x = np.zeros(2 * self.n + 1)
        x[self.basic] = self.rhs
        n = self.n
        off = x[:n] - scale * (M @ (scale * x[n : 2 * n])) - q * scale / unit - cover * x[2 * n]
        return float(np.abs(off).max())

    def point(self) -> Floats:
        z = np.zeros(self.n)
        mine = (self.basic >= self.n) & (self.basic < 2 * self.n)
        z[self.basic[mine] - self.n] = np.maximum(self.rhs[mine], 0.0)
        return z

    def active(self) -> NDArray[np.bool_]:
        mine = np.zeros(2 * self.n + 1, np.bool_)
        mine[self.basic] = True
        return mine[self.n : 2 * self.n]

    def direction(self) -> Floats:
        v = np.zeros(2 * self.n + 1)
        v[self.basic] = self.T[:, self.entering]
        v[self.nonbasic[self.entering]] = 1.0
        return np.asarray(v[self.n : 2 * self.n])

    def refactor(self, M: Floats, q: Floats, scale: Floats, cover: Floats, unit: float) -> bool:
        """Rebuild T and rhs from the data for the present basis; False if the basis is singular or already left.

        Rows whose w is nonbasic determine the basic z (K x = ...), the others follow.
        """
        n = self.n
        if self.entering < 0:
            return False
        full = np.column_stack((M * scale[:, None] * scale, cover))
        inside = self.basic >= n
        tight = self.nonbasic[self.nonbasic < n]  # rows with w = 0
        loose = self.basic[~inside]
        cols = self.basic[inside] - n
        others = self.nonbasic >= n
        right = np.column_stack(
            (-q[tight] * scale[tight] / unit, -full[np.ix_(tight, self.nonbasic[others] - n)], np.eye(len(tight)))
        )
        try:
            found = np.linalg.solve(full[np.ix_(tight, cols)], right)
        except np.linalg.LinAlgError:
            return False
        if not np.isfinite(found).all():
            return False
        free = int(others.sum())
        T = np.empty_like(self.T)
        T[np.ix_(inside, others)] = found[:, 1 : 1 + free]
        T[np.ix_(inside, ~others)] = found[:, 1 + free :]
        below = full[np.ix_(loose, cols)] @ found
        T[np.ix_(~inside, others)] = below[:, 1 : 1 + free] + full[np.ix_(loose, self.nonbasic[others] - n)]
        T[np.ix_(~inside, ~others)] = below[:, 1 + free :]
        self.rhs[inside] = found[:, 0]
        self.rhs[~inside] = below[:, 0] + q[loose] * scale[loose] / unit
        self.T = T
        return bool(self.rhs.min() > -1e-6)
