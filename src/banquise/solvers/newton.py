"""Smoothing Newton with sweeps, for large hyperstatic islands. See `docs/design/large-islands.md` for why this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ScaledRows
from banquise.solvers import _kernels, _kernels_block, _kernels_newton

PATIENCE = 4  # failed line searches before the quick method gives way to the sure one
REFINE = 1e-8  # relative error of a linear solution above which it is corrected once
STAGNANT = 400  # steps of the path without halving the best residual, after which it stops
MAX_STEPS = 1600  # of the path; the hardest jam at hand takes 1,100

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
    """Order the bodies by minimum degree and find the pattern of the factor.

    a, b : (m,) local rows of the bodies of each contact, `bodies` for one that cannot move
    """
    linked = (a < bodies) & (b < bodies)
    low, high = np.minimum(a, b)[linked], np.maximum(a, b)[linked]
    keys = np.unique(low * bodies + high)
    i, j = keys // bodies, keys % bodies
    ends = np.concatenate((i, j))
    order = np.argsort(ends, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=bodies)))).astype(np.int64)
    position, column, rows = _kernels_block.minimum_degree(start, np.concatenate((j, i))[order])
    rows = rows[: column[-1]].copy()
    return Symbolic(position, column, rows, *_kernels_block.block_places(position, column, rows, a, b))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best impulses of a method, their residual (a velocity) and the steps it took."""

    impulses: Floats
    residual: float
    steps: int


class Island(Protocol):
    """What the method needs of an island, in the plane or in space."""

    entries: int  # numbers of a block of the matrix
    dr: Floats  # the direction of the last step

    def residual(self, r: Floats) -> float: ...

    def sweeps(self, r: Floats, count: int, goal: float) -> float: ...

    def step(self, plan: Symbolic, A: Floats, r: Floats, nu: float, delta: float) -> float: ...

    def merit(self, r: Floats, step: float, nu: float) -> tuple[float, float]: ...


class LargeIsland:
    """One island with its bodies numbered 0..n-1 (n: those that cannot move), and the work arrays of the method."""

    entries = 9

    def __init__(self, rows: ScaledRows, first: int, last: int) -> None:
        a, b = rows.a[first:last], rows.b[first:last]
        touched = np.unique(np.concatenate((a, b)))
        self.bodies = touched[touched < rows.bodies]
        m, n = last - first, len(self.bodies)
        self.m, self.n = m, n
        self.a = np.searchsorted(self.bodies, a)
        self.b = np.searchsorted(self.bodies, b)
        self.G, self.W, self.c = rows.G[first:last], rows.W[first:last], rows.c[first:last]
        self.mu, self.low = rows.friction[first:last], rows.lower[first:last]
        self.y, self.u, self.zero = np.zeros((n + 1, 3)), np.empty((m, 2)), np.zeros((m, 2))
        self.dr, self.du, self.dy = np.empty((m, 2)), np.empty((m, 2)), np.zeros((n + 1, 3))
        self.F, self.P, self.S, self.c0 = np.empty((m, 2)), np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 2))
        self.x = np.empty((n, 3))

    def residual(self, r: Floats) -> float:
        """Largest natural map; y is left at that of r."""
        return float(_kernels.residual(0, self.m, self.G, self.W, self.a, self.b, self.c, self.mu, self.low, r, self.y))

    def sweeps(self, r: Floats, count: int, goal: float) -> float:
        """Up to `count` passes over the contacts; the residual they reach."""
        e, _ = _kernels.sweeps(
            0, self.m, count, goal, self.G, self.W, self.a, self.b, self.c, self.mu, self.low, r, self.y
        )
        return float(e)

    def step(self, plan: Symbolic, A: Floats, r: Floats, nu: float, delta: float) -> float:
        """Newton direction dr (with dy, du) at r, whose y is current; the merit at r, NaN if there is no direction."""
        _kernels_newton.speeds(self.G, self.a, self.b, self.c, self.y, self.u)
        merit = _kernels_newton.linearise(
            self.G, self.W, self.a, self.b, plan.ab, plan.ba, plan.position, self.mu, self.low, r, self.u, nu, delta,
            self.F, self.P, self.S, A,
        )  # fmt: skip
        if _kernels_block.factor(A, plan.column, plan.start, plan.target) == 0:
            return np.nan
        _kernels_newton.right_side(self.G, self.a, self.b, plan.position, self.F, self.P, self.c0, self.dy, self.x)
        _kernels_block.substitute(A, plan.column, plan.rows, self.x)
        off = self._direction(plan)
        if off > REFINE:  # no pivoting between blocks: where that costs digits, one correction brings them back
            solved = self.x.copy()
            self.x[plan.position] = self.dy[:-1]
            self.x -= solved
            _kernels_block.substitute(A, plan.column, plan.rows, self.x)
            self.x += solved
            off = self._direction(plan)
        return float(merit) if np.isfinite(off) else np.nan

    def _direction(self, plan: Symbolic) -> float:
        return float(
            _kernels_newton.direction(
                self.G, self.a, self.b, plan.position, self.S, self.c0, self.x, self.zero, self.dr, self.dy, self.du
            )
        )

    def merit(self, r: Floats, step: float, nu: float) -> tuple[float, float]:
        """(sum of squares, largest) of the smoothed equations at r + step dr."""
        value: tuple[float, float] = _kernels_newton.merit(
            self.W, self.mu, self.low, r, self.u, self.dr, self.du, step, nu
        )
        return value


def smoothing_newton(
    island: Island, plan: Symbolic, r: Floats, goal: float, nu: float, steps: int, passes: int
) -> Outcome:
    """Newton with line search on the smoothed equations, nu falling fast; sweeps where the search fails.

    Quick where friction is low or the start is near. After `PATIENCE` failed searches it gives up: then the path to the
    solution folds, and `central_path` is for that. goal and nu are velocities; r is used up.
    """
    A = np.empty((plan.blocks, island.entries))
    best, least, failures = r.copy(), np.inf, 0
    done = 0
    while done < steps:
        done += 1
        e = island.residual(r)
        if e < least:
            best, least = r.copy(), e
        before = island.step(plan, A, r, nu, 1e-7) if e > goal and failures <= PATIENCE else np.nan
        if not before > 0:
            break
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
            failures += 1
            nu = max(nu, 0.3 * island.sweeps(r, passes, goal))
    return Outcome(best, least, done)


def central_path(island: Island, plan: Symbolic, r: Floats, goal: float, nu: float, steps: int) -> Outcome:
    """Follow the solutions of the smoothed equations to small nu in small steps, without a line search.

    With much friction the path folds, and a method that only goes downhill ends in a hollow at the fold. Here each
    Newton step carries a proximal term delta that grows when the equations get worse and shrinks when they get better
    (pseudo-transient continuation): the point may climb out of a fold and drifts to the next stable branch. nu falls
    by a tenth where one step suffices, else by three hundredths.
    """
    A = np.empty((plan.blocks, island.entries))
    best, least = r.copy(), np.inf
    delta = 1e-2
    done = since = 0
    mark, marked = np.inf, 0
    while done < steps:
        done += 1
        e = island.residual(r)
        if e < least:
            best, least = r.copy(), e
        if least < 0.5 * mark:
            mark, marked = least, done
        if e <= goal or done - marked > STAGNANT:
            break
        before = island.step(plan, A, r, nu, delta)
        after, most = island.merit(r, 1.0, nu)
        ratio = (after / before) ** 0.5 if before > 0 else np.inf
        since += 1
        if not ratio < 4.0 and delta < 0.25:
            delta *= 4.0
            continue
        if not np.isfinite(ratio):
            break
        r += island.dr
        if ratio < 0.9:
            delta = max(delta * max(ratio, 0.35), 1e-9)
        elif ratio < 1.05:
            delta = max(0.8 * delta, 1e-9)
        elif ratio > 1.2:
            delta = min(1.5 * delta, 1.0)
        if most < 0.15 * nu:
            nu *= 0.9 if since == 1 else 0.97
            since = 0
    return Outcome(best, least, done)


def solve_large(island: Island, plan: Symbolic, start: Floats, reference: float, goal: float) -> Outcome:
    """The chain for a large island, from memory (`start` not zero) or cold. The best point of all is returned.

    `reference` and `goal` are velocities.
    """
    warm = bool(start.any())
    r = start.copy()
    swept = island.sweeps(r, 50, goal)
    outcome = Outcome(r.copy(), swept, 50)
    attempts: list[tuple[bool, float]] = (
        [(False, 1e-3), (True, 0.1), (True, 10.0)] if warm else [(False, 10.0), (True, 10.0)]
    )
    for follow, nu in attempts:
        if outcome.residual <= goal:
            break
        if follow:
            point = r.copy() if nu < 1 else np.zeros_like(r)
            trial = central_path(island, plan, point, goal, nu * reference, 600 if nu < 1 else MAX_STEPS)
        else:
            trial = smoothing_newton(island, plan, r.copy(), goal, nu * reference, 80, 50 if warm else 20)
        steps = outcome.steps + trial.steps
        outcome = trial if trial.residual < outcome.residual else outcome
        outcome = Outcome(outcome.impulses, outcome.residual, steps)
    return outcome
