"""Frictional contact in space, with the exact (round) Coulomb cone: sweeps and semismooth Newton steps in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact.islands import group
from banquise.contact.spatial import SpatialProblem
from banquise.errors import SolverError
from banquise.solvers import _kernels_cone
from banquise.threads import over_blocks

Floats = NDArray[np.float64]

DENSE_UP_TO = 200  # contacts of an island; Newton's dense matrix then has 600 rows


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


def solve(
    problem: SpatialProblem, guess: Floats | None = None, tolerance: float = 1e-9, sweeps: int = 2000
) -> SpatialSolution:
    """Impulses that keep blocks apart and obey Coulomb's law; `guess` (m, 3) along `problem.frames()`.

    An island that stays above the tolerance is counted as unsolved and handed out with the best point found, scaled
    down where it would add energy.
    """
    m, n = problem.contacts, problem.bodies
    frames = problem.frames()
    root = _roots(problem.inverse_inertia)
    G, W, speed = np.empty((m, 3, 12)), np.empty((m, 3, 3)), np.empty((m, 3))
    a, b = np.empty(m, np.int64), np.empty(m, np.int64)
    _kernels_cone.spatial_rows(
        problem.body_a, problem.body_b, problem.inverse_mass, root, frames, problem.lever_a, problem.lever_b,
        problem.free_velocity, G, W, speed, a, b,
    )  # fmt: skip
    c = speed.copy()
    c[:, 0] += problem.gap_rate
    assert problem.lower_normal is not None
    r = np.zeros((m, 3)) if guess is None else _guess(guess, m)
    y = np.zeros((n + 1, 6))
    free = (problem.inverse_mass > 0) | (np.abs(problem.inverse_inertia).max(axis=(1, 2)) > 0)
    groups = group(problem.body_a, problem.body_b, free)
    order, start, count = groups.order, groups.start, groups.count
    error, work = np.zeros(count), np.zeros(count, np.int64)
    data = (G, W, a, b, c, problem.friction, problem.lower_normal, r, y)

    def islands(first: int, last: int) -> None:
        for i in range(first, last):
            members = order[start[i] : start[i + 1]]
            reference = (
                problem.reference
                or float(max(np.abs(speed[members]).max(), -problem.gap_rate[members].min(), 0.0))
                or 1.0
            )
            goal = tolerance * reference
            e, work[i] = _island(members, goal, sweeps, data)
            if not e <= goal:
                e = _damped(members, data, speed, problem.gap_rate)
            error[i] = e / reference

    over_blocks(islands, count, grain=8)
    velocity = problem.free_velocity.copy()
    velocity[:, :3] += y[:-1, :3] * np.sqrt(problem.inverse_mass)[:, None]
    velocity[:, 3:] += np.einsum("nij,nj->ni", root, y[:-1, 3:])
    return SpatialSolution(
        impulses=r, frames=frames, velocity=velocity, residual=float(error.max(initial=0.0)), island_residual=error,
        unsolved=int(np.sum(~(error <= tolerance))), iterations=int(work.sum()), islands=count,
        largest_island=int(np.diff(start).max(initial=0)),
    )  # fmt: skip


def _island(members: NDArray[np.int64], goal: float, sweeps: int, data: tuple[Any, ...]) -> tuple[float, int]:
    """Sweeps and Newton steps in turn, the latter while the island is small enough for a dense matrix."""
    # Newton steps want a good start; where there will be none, sweeps stop at the goal.
    fine = 1e-3 * goal if len(members) <= DENSE_UP_TO else goal
    error, done = _kernels_cone.spatial_sweeps(members, 30, fine, *data)
    for _ in range(4):
        if error <= goal or len(members) > DENSE_UP_TO:
            break
        error = _kernels_cone.spatial_newton(members, 30, fine, *data)
        if error > goal:
            error, more = _kernels_cone.spatial_sweeps(members, 60, fine, *data)
            done += more
    if error > goal:
        error, more = _kernels_cone.spatial_sweeps(members, sweeps, goal, *data)
        done += more
    return float(_kernels_cone.spatial_residual(members, *data)), int(done)


def _damped(members: NDArray[np.int64], data: tuple[Any, ...], speed: Floats, gap_rate: Floats) -> float:
    """Scale the impulses of an unsolved island down to no gain of energy; returns the residual after it."""
    c, r, y = data[4], data[7], data[8]
    bodies = np.unique(np.concatenate((data[2][members], data[3][members]))).astype(np.int64)
    square = float(np.sum(y[bodies] ** 2))
    power = float(np.sum(r[members] * speed[members]))
    allowed = float(np.sum(np.maximum(0.0, -gap_rate[members]) * r[members, 0]))
    if power + 0.5 * square > allowed and square > 0 and c is not None:
        r[members] *= min(1.0, max(0.0, (allowed - power) / square))
    return float(_kernels_cone.spatial_residual(members, *data))


def _roots(inverse_inertia: Floats) -> Floats:
    """Factors L with L L' = inverse inertia; zero where a body cannot turn."""
    values, vectors = np.linalg.eigh(inverse_inertia)
    if values.size and values.min() < -1e-9 * max(values.max(), 1e-300):
        raise SolverError("contact problem: an inverse inertia has a negative eigenvalue, expected a positive matrix.")
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])


def _guess(guess: Floats, m: int) -> Floats:
    r = np.array(guess, np.float64)
    if r.shape != (m, 3) or not np.isfinite(r).all():
        raise SolverError(f"contact solver: guess has shape {r.shape}, expected finite ({m}, 3).")
    return r
