"""Frictional contact problems in the plane: islands, each solved by the method its size calls for, each with its proof.

Every answer carries its residual (the natural map of Signorini and Coulomb, in units of a reference speed, computed
from the impulses alone). An island above its tolerance counts as unsolved; it gets the best point found, scaled down
where that point would add energy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact.islands import Islands, find_islands
from banquise.contact.problem import ContactProblem, ScaledRows
from banquise.errors import SolverError, nearest
from banquise.solvers import _kernels, _kernels_small
from banquise.solvers.dense import lemke_island
from banquise.threads import over_blocks

Floats = NDArray[np.float64]

SMALL = 50  # contacts; up to here an island is solved dense
SMALL_TOLERANCE, LARGE_TOLERANCE = 1e-10, 1e-6

_METHODS = {"auto": 0, "gauss-seidel": 2, "active-set": 3, "lemke": 4}
_NAMES = ("open", "closed form", "gauss-seidel", "active-set", "lemke", "newton", "enumerate")


@dataclass(frozen=True, eq=False)
class Solution:
    """Impulses, velocities and the proof of them."""

    impulses: Floats  # (m, 2), N s, normal and tangent
    velocity: Floats  # (n, 3), after
    residual: float  # the largest over the islands
    island_residual: Floats  # (islands,)
    unsolved: int  # islands above the tolerance
    iterations: int  # sweeps, pivots and Newton steps of all islands
    islands: int
    largest_island: int  # contacts
    methods: dict[str, int]  # how many islands each method solved

    @property
    def converged(self) -> bool:
        return self.unsolved == 0

    def __repr__(self) -> str:
        ways = ", ".join(f"{count} {name}" for name, count in self.methods.items())
        return (
            f"Solution: {len(self.impulses)} contacts in {self.islands} islands (largest {self.largest_island}), "
            f"residual {self.residual:.1e}, {self.unsolved} unsolved; {ways}"
        )


def solve(
    problem: ContactProblem,
    guess: Floats | None = None,
    tolerance: float | None = None,
    method: str = "auto",
) -> Solution:
    """Impulses that keep the bodies apart and obey Coulomb's law.

    Parameters
    ----------
    problem : the contact problem
    guess : (m, 2) impulses to start from, N s (default: none)
    tolerance : largest scaled residual (default: 1e-10 for islands of up to 50 contacts, 1e-6 for larger ones)
    method : "auto", or one method for all small islands: "gauss-seidel", "active-set", "lemke"

    >>> from banquise.contact.samples import cradle
    >>> solve(cradle(3)).velocity[:, 0].round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """
    if method not in _METHODS:
        raise SolverError(f"contact solver: no method {method!r}. {nearest(method, _METHODS)}")
    groups = find_islands(problem)
    rows = problem.scaled(groups.order)
    impulses = _start(problem, groups, guess)
    y = np.zeros((problem.bodies, 3))
    reference = _reference(problem, rows, groups)
    error, how, work = np.zeros(groups.count), np.zeros(groups.count, np.int64), np.zeros(groups.count, np.int64)
    goal = SMALL_TOLERANCE if tolerance is None else tolerance

    members = np.arange(groups.count)

    def small(first: int, last: int) -> None:
        _kernels_small.solve_islands(
            first, last, members, groups.start, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower,
            impulses, y, reference, goal, _METHODS[method], error, how, work,
        )  # fmt: skip

    over_blocks(small, len(members), grain=64)
    for i in np.flatnonzero(~(error <= goal)):
        first, last = groups.start[i], groups.start[i + 1]
        if method in ("auto", "lemke"):
            _, pivots = lemke_island(rows, first, last, impulses, reference[i], goal)
            how[i], work[i] = 4, work[i] + pivots
        error[i] = _close(rows, first, last, impulses, y, goal * reference[i]) / reference[i]
    limits = np.full(groups.count, goal)
    return _solution(problem, groups, impulses, y, error, limits, how, work)


def _close(rows: ScaledRows, first: int, last: int, impulses: Floats, y: Floats, goal: float) -> float:
    """The residual of an island as it is handed out, after damping where it is unsolved and would add energy."""
    island = (first, last, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, impulses, y)
    error = _kernels.residual(*island)
    if not error <= goal:
        _kernels.damp(first, last, rows.G, rows.a, rows.b, rows.c, rows.bias, rows.lower, impulses, y)
        error = _kernels.residual(*island)
    return float(error)


def _start(problem: ContactProblem, groups: Islands, guess: Floats | None) -> Floats:
    if guess is None:
        return np.zeros((problem.contacts, 2))
    given = np.asarray(guess, np.float64)
    if given.shape != (problem.contacts, 2) or not np.isfinite(given).all():
        raise SolverError(f"contact solver: guess has shape {given.shape}, expected finite ({problem.contacts}, 2).")
    return np.ascontiguousarray(given[groups.order])


def _reference(problem: ContactProblem, rows: ScaledRows, groups: Islands) -> Floats:
    """The speed each island's residual is measured in."""
    if problem.reference is not None:
        return np.full(groups.count, float(problem.reference))
    if not problem.contacts:
        return np.zeros(0)
    speed = np.abs(rows.c - rows.bias).max(axis=1)
    speed = np.maximum(speed, np.maximum(-rows.bias[:, 0], np.abs(rows.bias[:, 1])))
    speed = np.maximum(speed, rows.W[:, 0] * rows.lower)
    largest = np.maximum.reduceat(speed, groups.start[:-1])
    return np.where(largest > 0, largest, 1.0)


def _solution(
    problem: ContactProblem, groups: Islands, impulses: Floats, y: Floats, error: Floats, limits: Floats,
    how: NDArray[np.int64], work: NDArray[np.int64],
) -> Solution:  # fmt: skip
    given = np.empty_like(impulses)
    given[groups.order] = impulses
    velocity = problem.free_velocity.copy()
    velocity[:, :2] += y[:, :2] * np.sqrt(problem.inverse_mass)[:, None]
    velocity[:, 2] += y[:, 2] * np.sqrt(problem.inverse_inertia)
    counts = np.bincount(how, minlength=len(_NAMES))
    return Solution(
        impulses=given,
        velocity=velocity,
        residual=float(error.max(initial=0.0)),
        island_residual=error,
        unsolved=int(np.sum(~(error <= limits))),
        iterations=int(work.sum()),
        islands=groups.count,
        largest_island=int(groups.sizes.max(initial=0)),
        methods={name: int(count) for name, count in zip(_NAMES, counts) if count},
    )
