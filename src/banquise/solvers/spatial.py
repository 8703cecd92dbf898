"""Frictional contact in space, with the exact (round) Coulomb cone: sweeps and semismooth Newton steps in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact.islands import group
from banquise.contact.spatial import SpatialProblem
from banquise.errors import SolverError
from banquise.solvers import _kernels_cone, _kernels_sweeps
from banquise.solvers.newton import symbolic_within
from banquise.solvers.spatial_newton import FROM_AFAR, FROM_MEMORY, FROM_NOTHING, SpatialIsland, newton
from banquise.solvers.standing import Order, standing
from banquise.threads import over_blocks

Floats = NDArray[np.float64]

DENSE_UP_TO = 40  # contacts of an island; Newton's dense matrix then has 120 rows
NEWTON_STEPS, FEWEST_STEPS = 840, 12  # of all attempts; where fewer can be paid for, sweeps do better
NEWTON_SHARE = 5.0  # of the passes allowed: what Newton steps may cost, all attempts together
FLAT = 15.0  # passes: what a step costs where bodies touch in layers, as in a wall; there Newton is worth any number
AT_HAND = 0.05  # of the reference speed: residual up to which a start is near
STANDING = 0.01  # of the tolerance: how well a body stands on those below before its load goes on
REST = 4.0  # passes that all but the factor of a Newton step costs
BLOCK_PRODUCTS = 1.2  # products of 6 x 6 blocks that cost as much as one contact in a pass
COLOURED_FROM = 6000  # contacts of an island from which threads share its passes
COLOURS = 64
CHECK_EVERY = 10  # passes between two looks at the residual of a large island


@dataclass(frozen=True, eq=False)
class SpatialSolution:
    """Impulses, velocities and the proof of them."""

    impulses: Floats  # (m, 3), N s, along the frame's rows
    frames: Floats  # (m, 3, 3)
    velocity: Floats  # (n, 6)
    residual: float
    island_residual: Floats
    unsolved: int
    iterations: int
    islands: int
    largest_island: int

    @property
    def converged(self) -> bool:
        return self.unsolved == 0

    @property
    def forces(self) -> Floats:
        """Impulses on body b as vectors, (m, 3), world frame, N s."""
        return np.einsum("ki,kij->kj", self.impulses, self.frames)


@dataclass(frozen=True, eq=False)
class Rows:
    """The scaled rows of a problem, and the unknowns they act on."""

    G: Floats  # (m, 3, 12)
    W: Floats  # (m, 3, 3)
    V: Floats  # (m, 3, 3) inverse of W
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    c: Floats  # (m, 3) free speeds
    mu: Floats
    low: Floats
    r: Floats  # (m, 3)
    y: Floats  # (n + 1, 6)

    @property
    def plain(self) -> tuple[Any, ...]:
        """For the kernels that do without V."""
        return self.G, self.W, self.a, self.b, self.c, self.mu, self.low, self.r, self.y

    @property
    def all(self) -> tuple[Any, ...]:
        return self.G, self.W, self.V, self.a, self.b, self.c, self.mu, self.low, self.r, self.y

    def taken(self, order: NDArray[np.int64]) -> Rows:
        """The rows in another order, acting on the same bodies."""
        each = ("G", "W", "V", "a", "b", "c", "mu", "low", "r")
        return replace(self, **{name: getattr(self, name)[order] for name in each})

    def residual(self, members: NDArray[np.int64]) -> float:
        """Largest natural map over contacts; y is made that of r."""
        return float(_kernels_cone.spatial_residual(members, *self.plain))

    def passes(self, members: NDArray[np.int64], count: int, goal: float) -> tuple[float, int]:
        """Up to `count` passes; (residual, passes made)."""
        error, done = _kernels_sweeps.passes(members, count, goal, *self.all)
        return float(error), int(done)


def solve(
    problem: SpatialProblem, guess: Floats | None = None, tolerance: float = 1e-9, sweeps: int = 2000,
    order: Order | None = None,
) -> SpatialSolution:  # fmt: skip
    """Impulses that keep blocks apart and obey Coulomb's law; `guess` (m, 3) along `problem.frames`.

    `order` says which body stands on which, for a start from nothing in its place.
    An island that stays above the tolerance is counted as unsolved and handed out with the best point found, scaled
    down where it would add energy.
    """
    m, n = problem.contacts, problem.bodies
    frames, root = problem.frames, problem.roots
    assert problem.lower_normal is not None
    rows = Rows(
        np.empty((m, 3, 12)), np.empty((m, 3, 3)), np.empty((m, 3, 3)), np.empty(m, np.int64), np.empty(m, np.int64),
        np.empty((m, 3)), problem.friction, problem.lower_normal,
        np.zeros((m, 3)) if guess is None else _guess(guess, m), np.zeros((n + 1, 6)),
    )  # fmt: skip
    speed = np.empty((m, 3))
    _kernels_cone.spatial_rows(
        problem.body_a, problem.body_b, problem.inverse_mass, root, frames, problem.lever_a, problem.lever_b,
        problem.free_velocity, rows.G, rows.W, speed, rows.a, rows.b,
    )  # fmt: skip
    _kernels_sweeps.invert_blocks(rows.W, rows.V)
    rows.c[:] = speed
    rows.c[:, 0] += problem.gap_rate
    free = (problem.inverse_mass > 0) | (np.abs(problem.inverse_inertia).max(axis=(1, 2)) > 0)
    groups = group(problem.body_a, problem.body_b, free)
    start, count = groups.start, groups.count
    error, work = np.zeros(count), np.zeros(count, np.int64)
    fastest = problem.reference or float(np.abs(speed).max(initial=0.0)) or 1.0
    if order is not None and rows.c[:, 0].min(initial=0.0) < -tolerance * fastest:
        rows.r[:] = standing(problem, rows, order, STANDING * tolerance * fastest)

    def one(i: int, solver: Any) -> None:
        members = groups.order[start[i] : start[i + 1]]
        reference = (
            problem.reference
            or max(float(np.abs(speed[members]).max()), -float(problem.gap_rate[members].min()), 0.0)
            or 1.0
        )
        goal = tolerance * reference
        if order is not None and not rows.residual(members) <= AT_HAND * reference:
            rows.r[members] = 0.0  # they do not stand: nothing is a better start
        e, work[i] = solver(members, goal, reference, sweeps, rows)
        if not e <= goal:
            e = _damped(members, rows, speed, problem.gap_rate)
        error[i] = e / reference

    large = np.flatnonzero(np.diff(start) >= COLOURED_FROM)
    for i in large:  # threads share these, so they come one after the other
        one(int(i), _coloured)
    small = np.flatnonzero(np.diff(start) < COLOURED_FROM)

    def others(first: int, last: int) -> None:
        for i in small[first:last]:
            one(int(i), _island)

    over_blocks(others, len(small), grain=8)
    velocity = problem.free_velocity.copy()
    velocity[:, :3] += rows.y[:-1, :3] * np.sqrt(problem.inverse_mass)[:, None]
    velocity[:, 3:] += np.einsum("nij,nj->ni", root, rows.y[:-1, 3:])
    return SpatialSolution(
        impulses=rows.r, frames=frames, velocity=velocity, residual=float(error.max(initial=0.0)),
        island_residual=error, unsolved=int(np.sum(~(error <= tolerance))), iterations=int(work.sum()), islands=count,
        largest_island=int(np.diff(start).max(initial=0)),
    )  # fmt: skip


def _island(members: NDArray[np.int64], goal: float, reference: float, sweeps: int, rows: Rows) -> tuple[float, int]:
    """Sweeps, and where they are slow Newton steps: with a dense matrix for few contacts; by blocks for more, or then."""
    dense = len(members) <= DENSE_UP_TO
    # Newton's dense steps want a good start; where there will be none, sweeps stop at the goal.
    fine = 1e-3 * goal if dense else goal
    error, done = rows.passes(members, 30, fine)
    if not dense and error > goal:
        error, more = _by_blocks(members, goal, reference, sweeps, rows)
        done += more
    for _ in range(4):
        if error <= goal or not dense:
            break
        error = _kernels_cone.spatial_newton(members, 30, fine, *rows.plain)
        if error > goal:
            error, more = rows.passes(members, 60, fine)
            done += more
    if error > goal and dense:  # edges and corners on faces, thrown about
        error, more = _by_blocks(members, goal, reference, sweeps, rows)
        done += more
    if error > goal:
        error, more = rows.passes(members, sweeps, goal)
        done += more
    return rows.residual(members), done


def _by_blocks(members: NDArray[np.int64], goal: float, reference: float, sweeps: int, rows: Rows) -> tuple[float, int]:
    """Smoothing Newton with sweeps from the impulses at hand, kept where they get better; as many steps as passes cost."""
    island = SpatialIsland(rows, members)
    dearest = max(FLAT, NEWTON_SHARE * sweeps / FEWEST_STEPS)  # passes, a step of those worth beginning
    plan = symbolic_within(island.a, island.b, island.n, int((dearest - REST) * BLOCK_PRODUCTS * len(members)))
    if plan is None:
        return np.inf, 0
    passes_a_step = REST + len(plan.target) / (BLOCK_PRODUCTS * len(members))
    left = NEWTON_STEPS if passes_a_step <= FLAT else int(NEWTON_SHARE * sweeps / passes_a_step)
    start = rows.r[members]
    best, least, done = start, island.residual(start), 0
    chain = FROM_MEMORY if least <= AT_HAND * reference else FROM_AFAR if start.any() else FROM_NOTHING
    for manner, origin, most in chain:
        steps = min(most, left - done)
        if least <= goal or steps <= 0:
            break
        point = {"start": start, "best": best, "nothing": np.zeros_like(start)}[origin].copy()
        outcome = newton(island, plan, point, goal, reference, manner, steps)
        done += outcome.steps
        if outcome.residual < least:
            best, least = outcome.impulses, outcome.residual
    rows.r[members] = best
    return least, int(done * passes_a_step)


def _coloured(members: NDArray[np.int64], goal: float, reference: float, sweeps: int, rows: Rows) -> tuple[float, int]:
    """Passes over a large island, colour by colour of its pairs, the pairs of a colour shared among threads.

    Pairs of one colour have no moving body in common, so the bits do not depend on the number of threads.
    """
    error, spent = rows.residual(members), 0
    if error <= goal:
        return error, spent
    a, b, fixed = rows.a, rows.b, len(rows.y) - 1
    new = np.flatnonzero(np.append(True, (np.diff(a[members]) != 0) | (np.diff(b[members]) != 0)))
    colour = np.empty(len(new), np.int64)
    count = _kernels_sweeps.colours(members[new], a, b, fixed, colour, np.zeros((len(rows.y), COLOURS), np.bool_))
    by_colour = np.argsort(colour, kind="stable")
    length = np.diff(np.append(new, len(members)))[by_colour]
    first = np.append(0, np.cumsum(length))
    order = members[np.repeat(new[by_colour] - first[:-1], length) + np.arange(len(members))]
    cuts = np.searchsorted(colour[by_colour], np.arange(count + 1))
    error, spent = _by_blocks(members, goal, reference, sweeps, rows)
    # In the order in which they are gone through: rows that stream from memory take less than half the time of rows that do not.
    sorted_rows, every, each = rows.taken(order), np.arange(len(order)), np.empty(len(order))
    data, plain = sorted_rows.all, sorted_rows.plain

    def measured() -> float:
        sorted_rows.residual(every)  # makes y that of r
        over_blocks(lambda i, j: _kernels_sweeps.residual_of(every, i, j, *plain, each), len(order), grain=5000)
        return float(each.max())

    error, done = measured(), 0
    while error > goal and done < sweeps:
        for c in range(count) if done % 2 == 0 else range(count - 1, -1, -1):
            low, high = int(cuts[c]), int(cuts[c + 1])

            def pairs(i: int, j: int, low: int = low) -> None:
                _kernels_sweeps.one_pass(every, first[low + i], first[low + j], *data)

            # pairs beyond the last colour may share a body: one thread
            over_blocks(pairs, high - low, grain=500 if c < COLOURS - 1 else high - low + 1)
        done += 1
        if done % CHECK_EVERY == 0 or done == sweeps:
            error = measured()
    rows.r[order] = sorted_rows.r
    return error, done + spent


def _damped(members: NDArray[np.int64], rows: Rows, speed: Floats, gap_rate: Floats) -> float:
    """Scale the impulses of an unsolved island down to no gain of energy; returns the residual after it."""
    r, y = rows.r, rows.y
    bodies = np.unique(np.concatenate((rows.a[members], rows.b[members])))
    square = float(np.sum(y[bodies] ** 2))
    power = float(np.sum(r[members] * speed[members]))
    allowed = float(np.sum(np.maximum(0.0, -gap_rate[members]) * r[members, 0]))
    if power + 0.5 * square > allowed and square > 0:
        r[members] *= min(1.0, max(0.0, (allowed - power) / square))
    return rows.residual(members)


def _guess(guess: Floats, m: int) -> Floats:
    r = np.array(guess, np.float64)
    if r.shape != (m, 3) or not np.isfinite(r).all():
        raise SolverError(f"contact solver: guess has shape {r.shape}, expected finite ({m}, 3).")
    return r
