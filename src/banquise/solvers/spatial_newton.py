"""Large islands of blocks: the smoothing Newton method of the plane (`newton`) with the round cone and 6 x 6 blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.solvers import _kernels_cone, _kernels_cone_newton, _kernels_sweeps
from banquise.solvers._kernels_newton import Plan
from banquise.solvers.newton import Outcome

if TYPE_CHECKING:
    from banquise.solvers.spatial import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSES = 20  # sweeps where the line search fails
PATIENCE = 4  # failed line searches before the method gives up
REFINE = 1e-8  # relative error of a linear solution above which it is corrected once
FOLD = 30  # steps at one nu, after which the path must have folded there, and nu falls all the same
STAGNANT = 200  # steps of the path without halving the best residual, after which it stops
HELD, LOOSEST = 1e-3, 1e-8  # delta of an anchored solution at first, and at the least
FINEST, ENOUGH = 0.02, 0.3  # of the goal: the least nu there, and the largest equation that moves the anchor
INNER = 15  # steps from one anchor before the method gives up


class Pace(NamedTuple):
    """How smoothing goes: nu at the start (of the reference speed), what a full step leaves of it, and when more goes.

    `easy`: of nu, the largest equation below which nu falls to a tenth.
    """

    nu: float
    fall: float
    easy: float


# from no impulse at all; from afar; and for what the others could not solve
BLANK, BRISK, CAREFUL = Pace(0.1, 0.3, 0.5), Pace(1.0, 0.3, 0.5), Pace(10.0, 0.64, 0.05)


class Gait(NamedTuple):
    """How a path is followed: nu at the start (of the reference speed), what is left of it after one step and after more.

    `near`: of nu, the largest equation that counts as on the path.
    """

    nu: float
    swift: float
    steady: float
    near: float


# near the last answer; from nothing; and where neither keeps to the path
SWIFT, CALM, STEADY = Gait(0.01, 0.5, 0.7, 0.5), Gait(1.0, 0.7, 0.85, 0.3), Gait(0.1, 0.9, 0.97, 0.15)
ANCHORED = "anchored"

# Attempts in turn: the manner, where from, and the most steps. A start from afar first goes downhill, and again from
# there rather than from where it got stuck; one near the last step's answer first stays near it. What is all but solved at
# the end is held where it is, and let go.
Chain = tuple[tuple[Pace | Gait | str, str, int], ...]
PATHS: Chain = ((CALM, "nothing", 300), (STEADY, "start", 300), (ANCHORED, "best", 60))
FROM_MEMORY: Chain = ((ANCHORED, "start", 30), (SWIFT, "best", 120), *PATHS)
FROM_AFAR: Chain = ((BRISK, "start", 60), (CAREFUL, "start", 60), *PATHS)
FROM_NOTHING: Chain = ((BLANK, "start", 60), *FROM_AFAR)


class SpatialIsland:
    """One island with its bodies numbered 0..n-1 (n: those that cannot move), and the work arrays of the method."""

    entries = _kernels_cone_newton.BLOCK

    def __init__(self, rows: Rows, members: Ints) -> None:
        a, b = rows.a[members], rows.b[members]
        fixed = len(rows.y) - 1
        touched = np.unique(np.concatenate((a, b)))
        self.bodies = touched[touched < fixed]
        m, n = len(members), len(self.bodies)
        self.m, self.n, self.members = m, n, np.arange(m)
        self.a, self.b = np.searchsorted(self.bodies, a), np.searchsorted(self.bodies, b)
        self.G, self.W, self.V, self.c = rows.G[members], rows.W[members], rows.V[members], rows.c[members]
        self.mu, self.low = rows.mu[members], rows.low[members]
        tangent = 0.5 * (self.W[:, 1, 1] + self.W[:, 2, 2])
        self.own = np.column_stack([self.W[:, 0, 0], tangent, tangent])
        self.y, self.u, self.zero = np.zeros((n + 1, 6)), np.empty((m, 3)), np.zeros((m, 3))
        self.dr, self.du, self.dy = np.empty((m, 3)), np.empty((m, 3)), np.zeros((n + 1, 6))
        self.F, self.S, self.c0 = np.empty((m, 3)), np.empty((m, 7)), np.empty((m, 3))
        self.x = np.empty((n, 6))

    def residual(self, r: Floats) -> float:
        """Largest natural map; y is left at that of r."""
        return float(
            _kernels_cone.spatial_residual(
                self.members, self.G, self.W, self.a, self.b, self.c, self.mu, self.low, r, self.y
            )
        )

    def sweeps(self, r: Floats, count: int, goal: float) -> float:
        """Up to `count` passes over the contacts; the residual they reach."""
        e, _ = _kernels_sweeps.passes(
            self.members, count, goal, self.G, self.W, self.V, self.a, self.b, self.c, self.mu, self.low, r, self.y
        )
        return float(e)

    def step(self, plan: Plan, A: Floats, r: Floats, nu: float, delta: float, anchor: Floats | None = None) -> float:
        """Newton direction dr (with dy, du) at r, whose y is current; the merit at r, NaN if there is no direction.

        `delta` damps the step. With an `anchor` it is part of the equations: contacts give way by delta times the speed
        that the impulses beyond those of the anchor give to each of them alone.
        """
        k = _kernels_cone_newton
        k.speeds(self.G, self.a, self.b, self.c, self.y, self.u)
        if anchor is not None:
            self.u += delta * self.own * (r - anchor)
        merit = k.linearise(
            self.G, self.W, self.a, self.b, plan.ab, plan.ba, plan.position[:-1], self.mu, self.low, r, self.u, nu, delta,
            self.F, self.S, self.c0, A,
        )  # fmt: skip
        if not k.factor(A, plan.column, plan.start, plan.target):
            return np.nan
        k.right_side(self.G, self.a, self.b, plan.position[:-1], self.c0, self.dy, self.x)
        k.substitute(A, plan.column, plan.rows, self.x)
        off = self._direction(plan)
        if off > REFINE:  # no pivoting between blocks: where that costs digits, one correction brings them back
            solved = self.x.copy()
            self.x[plan.position[:-1]] = self.dy[:-1]
            self.x -= solved
            k.substitute(A, plan.column, plan.rows, self.x)
            self.x += solved
            off = self._direction(plan)
        if anchor is not None:
            self.du += delta * self.own * self.dr
        return float(merit) if np.isfinite(off) else np.nan

    def _direction(self, plan: Plan) -> float:
        return float(
            _kernels_cone_newton.direction(
                self.G,
                self.a,
                self.b,
                plan.position[:-1],
                self.S,
                self.c0,
                self.x,
                self.zero,
                self.dr,
                self.dy,
                self.du,
            )
        )

    def merit(self, r: Floats, step: float, nu: float) -> tuple[float, float]:
        """(sum of squares, largest) of the smoothed equations at r + step dr."""
        value: tuple[float, float] = _kernels_cone_newton.merit(
            self.W, self.mu, self.low, r, self.u, self.dr, self.du, step, nu
        )
        return value


def newton(
    island: SpatialIsland, plan: Plan, r: Floats, goal: float, reference: float, manner: Pace | Gait | str, steps: int
) -> Outcome:
    """One attempt in the given manner, from r, which is used up; goal and reference are velocities."""
    if isinstance(manner, Pace):
        return smoothing_newton(island, plan, r, goal, reference, manner, steps)
    if isinstance(manner, Gait):
        return follow_path(island, plan, r, goal, reference, manner, steps)
    return anchored_newton(island, plan, r, goal, steps)


def _searched(island: SpatialIsland, r: Floats, before: float, nu: float) -> tuple[float, float, float]:
    """Part of the direction that lowers the merit `before`, the merit there and the largest equation."""
    alpha = 1.0
    for _ in range(12):
        after, most = island.merit(r, alpha, nu)
        if after <= (1 - 0.02 * alpha) * before:
            break
        alpha *= 0.5
    return alpha, after, most


def _room(island: SpatialIsland, plan: Plan) -> Floats:
    return np.empty((len(plan.position) + 2 * len(plan.rows), island.entries))


def smoothing_newton(
    island: SpatialIsland, plan: Plan, r: Floats, goal: float, reference: float, pace: Pace, steps: int
) -> Outcome:
    """Newton with line search on the smoothed equations, nu falling fast; sweeps where the search fails.

    Quick where friction is low or the start is near. After `PATIENCE` failed
    searches it gives up. goal and reference are velocities; r is used up.
    """
    nu = pace.nu * reference
    A = _room(island, plan)
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
        alpha, after, most = _searched(island, r, before, nu)
        if alpha >= 0.02 or after < 1.5 * before:
            r += alpha * island.dr
        if alpha == 1.0:
            nu *= pace.fall
        elif alpha >= 0.25:
            nu *= 0.8
        if most < pace.easy * nu:
            nu *= 0.1
        if alpha < 0.02:
            failures += 1
            nu = max(nu, 0.3 * island.sweeps(r, PASSES, goal))
    return Outcome(best, least, done)


def anchored_newton(island: SpatialIsland, plan: Plan, r: Floats, goal: float, steps: int) -> Outcome:
    """Newton with line search on contacts that give way where impulses leave those of an anchor, r at first; r is used up.

    More points than hold a body leave impulses open: without the anchor they drift far from those of the last step, which
    solved nearly the same problem, and line searches fail on the way. Once solved, the point is the next anchor and
    contacts give way a tenth as much (the proximal point method). nu begins at the residual, with each anchor anew.
    """
    A = _room(island, plan)
    anchor, delta, inner, done = r.copy(), HELD, 0, 0
    best, least = r.copy(), island.residual(r)
    nu = e = least
    while e > goal and done < steps:
        done += 1
        inner += 1
        before = island.step(plan, A, r, nu, delta, anchor)
        if not before > 0.0:
            break
        alpha, _, most = _searched(island, r, before, nu)
        r += alpha * island.dr
        e = island.residual(r)
        if e < least:
            best, least = r.copy(), e
        if alpha >= 0.25:
            nu = max(nu * (0.3 if alpha == 1.0 else 0.8), FINEST * goal)
        if nu <= 0.5 * goal and most < ENOUGH * goal:
            anchor, delta, inner, nu = r.copy(), max(0.1 * delta, LOOSEST), 0, e
        elif alpha < 0.01 or inner == INNER:
            break
    return Outcome(best, least, done)


def follow_path(
    island: SpatialIsland, plan: Plan, r: Floats, goal: float, reference: float, gait: Gait, steps: int
) -> Outcome:
    """Follow the solutions of the smoothed equations to small nu, without a line search; r is used up.

    Points that rock, slide and press on one another make the path fold, and a method that only goes downhill ends in a
    hollow there. Each step carries a proximal term delta that grows where the equations get worse and shrinks where they
    get better, as on the planar path (`_kernels_path.central_path`): the point may climb, and drifts to the next branch.
    goal and reference are velocities.
    """
    A, nu = _room(island, plan), gait.nu * reference
    best, least, delta = r.copy(), np.inf, 1e-2
    done = since = marked = 0
    mark, e = np.inf, island.residual(r)
    while True:
        if e < least:
            best, least = r.copy(), e
        if least < 0.5 * mark:
            mark, marked = least, done
        if e <= goal or done - marked > STAGNANT or done == steps:
            break
        done += 1
        since += 1
        before = island.step(plan, A, r, nu, delta)
        after, most = island.merit(r, 1.0, nu)
        ratio = np.sqrt(after / before) if before > 0.0 else np.inf
        if not ratio < 4.0 and delta < 0.25:
            delta *= 4.0
            continue
        if not np.isfinite(ratio):
            break
        r += island.dr
        e = island.residual(r)
        if ratio < 0.9:
            delta = max(delta * max(ratio, 0.35), 1e-9)
        elif ratio < 1.05:
            delta = max(0.8 * delta, 1e-9)
        elif ratio > 1.2:
            delta = min(1.5 * delta, 1.0)
        if most < gait.near * nu or since > FOLD:
            nu *= gait.swift if since == 1 else gait.steady
            since = 0
    return Outcome(best, least, done)
