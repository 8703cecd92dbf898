"""Frictional contact problems in the plane: islands, each solved by the method its size calls for, each with its proof.

Every answer carries its residual (the natural map of Signorini and Coulomb, in units of a reference speed, computed
from the impulses alone). An island above its tolerance counts as unsolved; it gets the best point found, scaled down
where that point would add energy.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact.islands import Islands, find_islands
from banquise.contact.problem import ContactProblem, ScaledRows
from banquise.errors import SolverError, in_short, nearest
from banquise.solvers import _kernels, _kernels_island, _kernels_large
from banquise.solvers._kernels_island import SMALL
from banquise.solvers._kernels_large import ROUGH, SIEVES
from banquise.solvers._kernels_newton import Plan
from banquise.solvers.dense import enumerate_island, lemke_island
from banquise.solvers.newton import LargeIsland, solve_large, symbolic
from banquise.threads import over_blocks

Floats = NDArray[np.float64]

# contacts; up to here the kernel of groups tries an island itself, and the chain goes on with what it leaves. With 4,000 jams of
# 1,000 floes at friction 0.7 took two to four times as long, by what problems they met: `docs/design/large-islands.md`
WIDE = 1000
PIVOT_UP_TO = 150  # contacts; up to here Lemke (0.1 s) is the last resort
SMALL_TOLERANCE, LARGE_TOLERANCE = 1e-10, 1e-6

_METHODS = {"auto": 0, "gauss-seidel": 2, "active-set": 3, "lemke": 4, "newton": 5, "enumerate": 6}
_DENSE_LIMITS = {"enumerate": 8, "lemke": 500, "active-set": 500}  # contacts: 4^m trials, (4 m)^2 numbers
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


class SolverMemory:
    """What a caller keeps between solves: elimination orders of the body graphs seen last."""

    def __init__(self, graphs: int = 32) -> None:
        self._graphs = graphs
        self._plans: OrderedDict[bytes, Plan] = OrderedDict()

    def plan(self, island: LargeIsland) -> Plan:
        """The symbolic factor of an island, made anew only when its contacts join other bodies than before."""
        # with the number of bodies: the one after them stands for all that cannot move
        graph = island.a.tobytes() + island.b.tobytes() + island.n.to_bytes(8, "little")
        key = hashlib.blake2b(graph, digest_size=16).digest()
        found = self._plans.get(key)
        if found is None:
            found = symbolic(island.a, island.b, island.n)
        self._plans[key] = found
        while len(self._plans) > self._graphs:
            self._plans.popitem(last=False)
        return found


def solve(
    problem: ContactProblem,
    guess: Floats | None = None,
    tolerance: float | None = None,
    method: str = "auto",
    memory: SolverMemory | None = None,
) -> Solution:
    """Impulses that keep the bodies apart and obey Coulomb's law.

    Parameters
    ----------
    problem : the contact problem
    guess : (m, 2) impulses to start from, N s (default: none)
    tolerance : largest scaled residual (default: 1e-10 for islands of up to 50 contacts, 1e-6 for larger ones)
    method : "auto", or one method for all islands: "gauss-seidel", "active-set", "lemke", "newton", "enumerate"
    memory : kept by the caller between solves, saves the ordering of large islands

    >>> from banquise.contact.samples import cradle
    >>> solve(cradle(3)).velocity[:, 0].round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise SolverError(f"contact solver: no method {in_short(method)}. {nearest(str(method)[:80], _METHODS)}")
    groups = find_islands(problem)
    rows = problem.scaled(groups.order)
    reference = _reference(problem, rows, groups)
    run = IslandRun(rows, groups.start, _start(problem, groups, guess), reference, tolerance, memory or SolverMemory())
    dense_limit = _DENSE_LIMITS.get(method, 0)
    if dense_limit and groups.sizes.max(initial=0) > dense_limit:
        raise SolverError(
            f"contact solver: method {method!r} takes islands of up to {dense_limit} contacts, got one of "
            f"{groups.sizes.max()}. Use 'auto'."
        )
    if method == "newton":
        run.each(run.large, np.flatnonzero(groups.sizes > 0))
    elif method in ("lemke", "enumerate"):
        run.each(run.pivoting if method == "lemke" else run.enumerate, np.flatnonzero(groups.sizes > 0))
    elif method == "auto":
        run.auto()
    else:
        run.small(np.arange(groups.count), _METHODS[method])
    run.finish()
    return _solution(problem, groups, run)


class IslandRun:
    """One solve: the islands start[i]:start[i + 1] of the rows, and what is known of each.

    `impulses` (m, 2) is the first guess and becomes the answer, y (bodies + 1, 3) = M^1/2 (W+ - W_free) goes with it.
    """

    def __init__(
        self, rows: ScaledRows, start: NDArray[np.int64], impulses: Floats, reference: Floats,
        tolerance: float | None, memory: SolverMemory,
    ) -> None:  # fmt: skip
        self.rows, self.start, self.impulses, self.memory = rows, start, impulses, memory
        self.sizes = np.diff(start)
        self.y = np.zeros((rows.bodies + 1, 3))  # the last row stands for all that cannot move
        self.reference = reference
        count = len(self.sizes)
        self.error = np.full(count, np.inf)
        self.how, self.work = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.limit = np.where(self.sizes > SMALL, LARGE_TOLERANCE, SMALL_TOLERANCE)
        if tolerance is not None:
            self.limit[:] = tolerance

    def auto(self, tries: int | None = None, begun: bool = False) -> None:
        """The chain: small islands in one batch, Newton for large ones and for what the batch leaves; then pivoting.

        tries : how much of Newton's chain is gone through, and no pivoting; None for all
        begun : its first methods have been tried on large islands, and the impulses are the best of them
        """
        huge = self.sizes > SMALL
        self.small(np.flatnonzero(~huge), _METHODS["auto"])
        if (self.error <= self.limit).all():
            return
        self.each(lambda i: self.large(i, tries=tries, begun=begun and huge[i]), self.unsolved(self.sizes > 0))
        if tries is None:
            self.each(self.pivoting, self.unsolved(huge & (self.sizes <= PIVOT_UP_TO)))

    def finish(self) -> None:
        """What is left unsolved is handed out so that it adds no energy."""
        for i in self.unsolved(self.sizes > 0):
            self.guard(int(i))

    @property
    def unsolved_count(self) -> int:
        return int(np.sum(~(self.error <= self.limit)))

    def unsolved(self, among: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.flatnonzero(among & ~(self.error <= self.limit))

    def small(self, members: NDArray[np.int64], method: int) -> None:
        rows = self.rows
        goal = float(self.limit.min(initial=SMALL_TOLERANCE))

        def work(first: int, last: int) -> None:
            _kernels_island.solve_islands(
                first, last, members, self.start, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction,
                rows.lower, self.impulses, self.y, self.reference, goal, method, self.error, self.how, self.work,
            )  # fmt: skip

        over_blocks(work, len(members), grain=64)

    def each(self, method: Callable[[int], None], members: NDArray[np.int64]) -> None:
        """One island a task, the largest first, taken by whichever thread is free: each writes only its own contacts and
        bodies, so who does it cannot show in the answer."""
        queue = iter(members[np.argsort(-self.sizes[members], kind="stable")].tolist())

        def work(_first: int, _last: int) -> None:
            for i in queue:
                method(i)

        over_blocks(work, len(members), grain=1)

    def pivoting(self, i: int) -> None:
        first, last = self.span(i)
        _, pivots = lemke_island(self.rows, first, last, self.impulses, self.reference[i], self.limit[i])
        self.settle(i, 4, pivots)

    def enumerate(self, i: int) -> None:
        first, last = self.span(i)
        enumerate_island(self.rows, first, last, self.impulses, self.reference[i])
        self.settle(i, 6, 4 ** (last - first))

    def polish(self, part: float) -> None:
        """Take large islands that are solved on to `part` of their limits, as far as one try from there goes."""
        self.each(
            lambda i: self.large(i, part, tries=1), np.flatnonzero((self.sizes > SMALL) & (self.error <= self.limit))
        )

    def large(self, i: int, part: float = 1.0, tries: int | None = None, begun: bool = False) -> None:
        first, last = self.span(i)
        mine = self.impulses[first:last]
        if (self.rows.c[first:last, 0] >= 0).all() and not self.rows.lower[first:last].any():
            mine[:] = 0.0
            return self.settle(i, 0, 0)
        goal = part * self.limit[i] * self.reference[i]
        before, steps, turn = mine.copy(), 0, 0
        best, least_error = before, self.error[i]
        near, least = self._near(i, goal)
        mine[~near] = 0.0
        self.settle(i, 5, 0)
        if begun:  # with those that were taken in on the way here
            near |= self._normal_speeds(i) < least
        rough = max(goal, ROUGH * self.reference[i])  # what parts are solved to until it is known which contacts close
        known = bool(mine.any()) and not self.rows.lower[first:last].any() and not begun
        while self.error[i] * self.reference[i] > goal:
            whole = bool(near.all())
            aim = goal if whole or (turn == 0 and known) else rough
            more, hard = self._solve_parts(i, near, aim, goal, tries, begun)
            steps += more
            self.settle(i, 5, 0)
            if self.error[i] < least_error:
                best, least_error = mine.copy(), self.error[i]
            if whole:
                break
            if hard:  # a part may be harder than the whole
                near[:], mine[:], begun = True, before, False
                self.settle(i, 5, 0)
                continue
            turn += 1
            closing = (self._normal_speeds(i) < least) | (turn >= SIEVES)
            if (closing & ~near).any():
                begun = False
            else:
                rough = goal
            near |= closing
        if self.error[i] > least_error:
            mine[:] = best
            self.settle(i, 5, 0)
        self.work[i] += steps
        return None

    def _near(self, i: int, goal: float) -> tuple[NDArray[np.bool_], float]:
        """The contacts of an island that may matter, and the closing speed below which one does."""
        rows, (first, last) = self.rows, self.span(i)
        near = np.empty(last - first, np.bool_)
        _, least = _kernels_large.near_contacts(
            first, last, rows.W, rows.c, rows.bias, rows.lower, self.impulses, goal, near
        )
        return near, least

    def _solve_parts(
        self, i: int, near: NDArray[np.bool_], aim: float, goal: float, tries: int | None, begun: bool
    ) -> tuple[int, bool]:
        """Solve each part of what is near by itself, where it is not; the steps it took, and whether one is left.

        Each to the `aim`, small ones to the `goal`.
        """
        rows, (first, last), speed = self.rows, self.span(i), self.reference[i]
        members, start = np.empty(last - first, np.int64), np.empty(last - first + 1, np.int64)
        parts = _kernels_large.list_parts(first, near, rows.a, rows.b, rows.bodies, members, start)
        left = np.empty(parts, np.bool_)
        steps = _kernels_large.solve_parts(
            parts, members, start, SMALL, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, self.impulses,
            self.y, speed, aim, goal, 0, left,
        )  # fmt: skip
        hard = False
        for p in np.flatnonzero(left):
            which = members[start[p] : start[p + 1]]
            wanted = aim if len(which) > SMALL else goal
            island = LargeIsland(rows, which)
            ready = begun and len(which) > SMALL
            outcome = solve_large(island, self.memory.plan(island), self.impulses[which], speed, wanted, tries, ready)
            self.impulses[which] = outcome.impulses
            steps += outcome.steps
            hard = hard or not outcome.residual <= wanted
        return steps, hard

    def _normal_speeds(self, i: int) -> Floats:
        """Normal speed of each contact of an island, with the room it has."""
        rows, (first, last) = self.rows, self.span(i)
        G, a, b = rows.G[first:last, 0], rows.a[first:last], rows.b[first:last]
        y = self.y
        return np.asarray(rows.c[first:last, 0] + (G[:, :3] * y[a]).sum(axis=1) + (G[:, 3:] * y[b]).sum(axis=1))

    def span(self, i: int) -> tuple[int, int]:
        return int(self.start[i]), int(self.start[i + 1])

    def settle(self, i: int, how: int, work: int) -> None:
        """Note the residual of an island, from its impulses alone; y is left at theirs."""
        rows, (first, last) = self.rows, self.span(i)
        e = _kernels.residual(
            first, last, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, self.impulses, self.y
        )
        self.error[i], self.how[i] = e / self.reference[i], how
        self.work[i] += work

    def guard(self, i: int) -> None:
        """An unsolved island is handed out damped, where it would add energy."""
        rows, (first, last) = self.rows, self.span(i)
        _kernels.damp(first, last, rows.G, rows.a, rows.b, rows.c, rows.bias, rows.lower, self.impulses, self.y)
        self.settle(i, int(self.how[i]), 0)


def _solution(problem: ContactProblem, groups: Islands, run: IslandRun) -> Solution:
    impulses = np.empty_like(run.impulses)
    impulses[groups.order] = run.impulses
    velocity = problem.free_velocity.copy()
    velocity[:, :2] += run.y[:-1, :2] * np.sqrt(problem.inverse_mass)[:, None]
    velocity[:, 2] += run.y[:-1, 2] * np.sqrt(problem.inverse_inertia)
    counts = np.bincount(run.how, minlength=len(_NAMES))
    return Solution(
        impulses=impulses,
        velocity=velocity,
        residual=float(run.error.max(initial=0.0)),
        island_residual=run.error,
        unsolved=run.unsolved_count,
        iterations=int(run.work.sum()),
        islands=groups.count,
        largest_island=int(run.sizes.max(initial=0)),
        methods={name: int(count) for name, count in zip(_NAMES, counts) if count},
    )


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
