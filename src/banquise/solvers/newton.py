"""Smoothing Newton with sweeps, for large hyperstatic islands. See `docs/design/large-islands.md` for why this one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.solvers import _kernels, _kernels_block, _kernels_newton

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Symbolic:
    """Elimination order and places of one body graph; reused as long as the graph stays."""

    position: Ints
    column: Ints
    rows: Ints
    start: Ints
    target: Ints
    ab: Ints
    ba: Ints

    @property
    def blocks(self) -> int:
        return len(self.position) + 2 * len(self.rows)


def symbolic(a: Ints, b: Ints, bodies: int) -> Symbolic:
    """Order the bodies by minimum degree and find the pattern of the factor. a, b: local rows of each contact, -1 fixed."""
    linked = (a >= 0) & (b >= 0)
    low, high = np.minimum(a, b)[linked], np.maximum(a, b)[linked]
    keys = np.unique(low * bodies + high)
    i, j = keys // bodies, keys % bodies
    ends = np.concatenate((i, j))
    order = np.argsort(ends, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=bodies)))).astype(np.int64)
    position, column, rows = _kernels_block.minimum_degree(start, np.concatenate((j, i))[order])
    return Symbolic(position, column, rows, *_kernels_block.block_places(position, column, rows, a, b))


class LargeIsland:
    """One island with its bodies numbered 0..n-1, and the work arrays of the method."""

    def __init__(self, G: Floats, W: Floats, a: Ints, b: Ints, c: Floats, mu: Floats, low: Floats) -> None:
        rows = np.unique(np.concatenate((a, b)))
        self.bodies = rows[rows >= 0]
        self.a = np.where(a >= 0, np.searchsorted(self.bodies, a), -1)
        self.b = np.where(b >= 0, np.searchsorted(self.bodies, b), -1)
        self.G, self.W, self.c, self.mu, self.low = G, W, c, mu, low
        m, n = len(a), len(self.bodies)
        self.y, self.u = np.zeros((n, 3)), np.empty((m, 2))
        self.dr, self.du, self.dy = np.empty((m, 2)), np.empty((m, 2)), np.empty((n, 3))
        self.S, self.c0, self.x = np.empty((m, 3)), np.empty((m, 2)), np.empty((n, 3))

    def residual(self, r: Floats) -> float:
        """Largest natural map; y and u are left at those of r."""
        m = len(self.a)
        e = _kernels.residual(0, m, self.G, self.W, self.a, self.b, self.c, self.mu, self.low, r, self.y)
        return float(e)

    def sweeps(self, r: Floats, count: int, goal: float) -> float:
        m = len(self.a)
        e, _ = _kernels.sweeps(
            0, m, count, goal, self.G, self.W, self.a, self.b, self.c, self.mu, self.low, r, self.y
        )
        return float(e)

    def step(self, plan: Symbolic, A: Floats, r: Floats, nu: float, delta: float) -> bool:
        """Newton direction dr (with dy, du) at r, whose y is current; False if the matrix is singular."""
        _kernels_newton.speeds(self.G, self.a, self.b, self.c, self.y, self.u)
        _kernels_newton.linearise(
            self.G, self.W, self.a, self.b, plan.ab, plan.ba, plan.position, self.mu, self.low, r, self.u, nu, delta,
            self.S, self.c0, A, self.x,
        )  # fmt: skip
        if not _kernels_block.factor(A, plan.column, plan.start, plan.target):
            return False
        _kernels_block.substitute(A, plan.column, plan.rows, self.x)
        _kernels_newton.direction(
            self.G, self.a, self.b, plan.position, self.S, self.c0, self.x, self.dr, self.dy, self.du
        )
        return bool(np.isfinite(self.dr).all())

    def merit(self, r: Floats, step: float, nu: float) -> tuple[float, float]:
        value: tuple[float, float] = _kernels_newton.merit(
            self.W, self.mu, self.low, r, self.u, self.dr, self.du, step, nu
        )
        return value


def smoothing_newton(
    island: LargeIsland, plan: Symbolic, r: Floats, reference: float, goal: float, nu: float, steps: int, passes: int,
    delta: float = 1e-7, log: list | None = None,
) -> tuple[Floats, float, int]:  # fmt: skip
    """Newton on the smoothed equations, nu falling; sweeps where the line search fails. Returns (best r, residual, steps).

    goal and nu are velocities.
    """
    A = np.empty((plan.blocks, 9))
    best, least = r.copy(), np.inf
    for i in range(steps):
        e = island.residual(r)
        if e < least:
            best, least = r.copy(), e
        if log is not None:
            log.append((i, e / reference, nu / reference))
        if e <= goal:
            break
        if not island.step(plan, A, r, nu, delta):
            break
        before, _ = island.merit(r, 0.0, nu)
        alpha = 1.0
        for _ in range(12):
            after, most = island.merit(r, alpha, nu)
            if after <= (1 - 0.02 * alpha) * before:
                break
            alpha *= 0.5
        if alpha >= 0.02 or after < 1.5 * before:
            r += alpha * island.dr
        if alpha == 1.0:
            nu *= 0.64
        elif alpha >= 0.25:
            nu *= 0.8
        if most < 0.05 * nu:
            nu *= 0.1
        if alpha < 0.02:
            e = island.sweeps(r, passes, goal)
            nu = max(nu, 0.3 * e)
    return best, least, i + 1
