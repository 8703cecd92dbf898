"""What a contact problem means: impacts with restitution, and contacts that only hold.

Poisson's law in two phases (compression, then decompression with at least epsilon times the compression's impulse),
guarded so that no island gains energy; the papers' fallback and Newton's law by name. Solved for all contacts at once,
or for those that approach, again and again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_laws, _kernels_problem
from banquise.contact.problem import ScaledRows
from banquise.settings import Contact
from banquise.solvers.rows import RowsSolution, solve_rows

Array = NDArray[np.float64]

SEQUENCE = 1000  # rounds of the sequential order before the rest is taken at once, and said
STILL = 1e-12  # of the fastest speed in the problem: a slower approach is round-off


@dataclass(frozen=True)
class Touches:
    """Contacts in the plane as columns, ready for a law: grouped by island, mass-scaled.

    order : (m,) the given contact behind each row; start : (islands + 1,) rows of each island
    restitution : (m,) in row order. `rows.c` holds the relative speeds before (plus the bias asked for).
    """

    rows: ScaledRows
    order: NDArray[np.int64]
    start: NDArray[np.int64]
    restitution: Array

    @property
    def label(self) -> NDArray[np.int64]:
        """Island of each row."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


@dataclass
class Proof:
    """How the contact problems of a stage were solved."""

    residual: float = 0.0
    unsolved: int = 0
    islands: int = 0
    largest_island: int = 0
    guarded: int = 0  # islands whose rebound the energy guard shortened

    def add(self, error: Array, unsolved: int, start: NDArray[np.int64]) -> None:
        self.residual = max(self.residual, float(error.max(initial=0.0)))
        self.unsolved += unsolved
        self.islands = max(self.islands, len(start) - 1)
        self.largest_island = max(self.largest_island, int(np.diff(start).max(initial=0)))

    def merge(self, other: Proof) -> None:
        self.residual = max(self.residual, other.residual)
        self.unsolved += other.unsolved
        self.guarded += other.guarded
        self.islands = max(self.islands, other.islands)
        self.largest_island = max(self.largest_island, other.largest_island)


@dataclass
class Outcome:
    """Impulses (m, 2) by row, y (n, 3) = M^1/2 (W+ - W-), relative speeds (m, 2) before and after, and the proof."""

    impulses: Array
    y: Array
    before: Array
    after: Array
    proof: Proof = field(default_factory=Proof)

    @property
    def loss(self) -> Array:
        """Energy lost at each contact (J): -J . (v- + v+) / 2."""
        return -0.5 * np.sum(self.impulses * (self.before + self.after), axis=1)


def touches(
    body_a: NDArray[np.int32],
    body_b: NDArray[np.int32],
    inverse_mass: Array,
    inverse_inertia: Array,
    normal: Array,
    lever_a: Array,
    lever_b: Array,
    velocity: Array,
    gap_rate: Array,
    friction: Array,
    restitution: Array,
) -> Touches:
    """Group contacts by island and scale them by the masses (columns as in `ContactProblem`, not checked again)."""
    m = len(body_a)
    label = np.empty(m, np.int64)
    count = _kernels_problem.label_islands(body_a, body_b, inverse_mass > 0, label)
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(label, minlength=count), out=start[1:])
    order = np.argsort(label, kind="stable")
    G, W, speed = np.empty((m, 2, 6)), np.empty((m, 3)), np.empty((m, 2))
    a, b = np.empty(m, np.int64), np.empty(m, np.int64)
    _kernels_problem.scaled_rows(
        order, body_a, body_b, inverse_mass, inverse_inertia, normal, lever_a, lever_b, velocity, G, W, speed, a, b
    )
    bias = np.zeros((m, 2))
    bias[:, 0] = gap_rate[order]
    rows = ScaledRows(G, W, a, b, speed + bias, bias, friction[order], np.zeros(m), len(inverse_mass))
    return Touches(rows, order, start, restitution[order])


def hold(problem: Touches, settings: Contact, guess: Array | None = None) -> Outcome:
    """Contacts that only keep bodies apart: no restitution (pushes, and contacts at rest). `guess` is by row."""
    proof = Proof()
    solution = _solve(problem.rows, problem.start, settings, proof, guess)
    return _outcome(problem.rows, solution.impulses, solution.y, proof)


def impact(problem: Touches, settings: Contact) -> Outcome:
    """Impacts, by the settings' law and order."""
    if settings.order == "sequential":
        return _sequential(problem, settings)
    if settings.active_only:
        return _part_of(problem, problem.rows.c[:, 0] < 0, settings)
    return _simultaneous(problem, settings)


def _simultaneous(problem: Touches, settings: Contact) -> Outcome:
    rows, start, proof = problem.rows, problem.start, Proof()
    if settings.threshold:
        rows = _with_bias(rows, np.full(len(rows.a), settings.threshold))
    compression = _solve(rows, start, settings, proof)
    push = problem.restitution * compression.impulses[:, 0]
    if not np.any(push > 0):
        return _outcome(rows, compression.impulses, compression.y, proof)
    before = rows.c - rows.bias
    middle = _speeds(rows, before, compression.y)
    if settings.law == "newton":
        wanted = _with_bias(rows, problem.restitution * np.minimum(before[:, 0], 0.0))
        whole = _solve(wanted, start, settings, proof, compression.impulses)
        second, after = whole.impulses - compression.impulses, _speeds(rows, before, whole.y)
    else:
        relaxed = replace(rows, c=middle + rows.bias, lower=push)
        guess = compression.impulses * problem.restitution[:, None]
        rebound = _solve(relaxed, start, settings, proof, guess)
        second, after = rebound.impulses, _speeds(rows, middle, rebound.y)
    share = np.empty(len(start) - 1)
    guarded = _kernels_laws.guard(start, before, middle, after, compression.impulses, second, share)
    proof.guarded += guarded
    impulses = compression.impulses.copy()
    if guarded and settings.law == "papers":
        # W = (1 + epsilon) W_c - epsilon W- in the islands that gain energy: cannot gain, but may approach again
        least = np.minimum.reduceat(problem.restitution, start[:-1])[problem.label]
        gained = share[problem.label] < 1
        impulses = np.where(gained[:, None], (1 + least)[:, None] * impulses, impulses + second)
    else:
        _kernels_laws.add_scaled(start, share, second, impulses)
    y = np.zeros((rows.bodies, 3))
    _kernels_laws.gather_y(rows.G, rows.a, rows.b, impulses, y)
    return _outcome(rows, impulses, y, proof)


def _sequential(problem: Touches, settings: Contact) -> Outcome:
    """Only contacts that approach enter; solve; look again which approach; until none does."""
    rows = problem.rows
    before = rows.c - rows.bias
    total = Outcome(np.zeros((len(rows.a), 2)), np.zeros((rows.bodies, 3)), before, before)
    still = STILL * max(float(np.abs(before).max(initial=0.0)), 1e-300) + settings.threshold
    for _ in range(SEQUENCE):
        approach = total.after[:, 0] < -still
        if not approach.any():
            return total
        part = _part_of(replace(problem, rows=replace(rows, c=total.after + rows.bias)), approach, settings)
        total = _sum(total, part, rows)
    # termination is not proved: take what is left at once, without rebound, and say so
    rest = replace(problem, rows=replace(rows, c=total.after + rows.bias), restitution=np.zeros(len(rows.a)))
    total = _sum(total, _simultaneous(rest, settings), rows)
    total.proof.unsolved += 1
    return total


def _sum(total: Outcome, part: Outcome, rows: ScaledRows) -> Outcome:
    y = total.y + part.y
    total.proof.merge(part.proof)
    return Outcome(total.impulses + part.impulses, y, total.before, _speeds(rows, total.before, y), total.proof)


def _part_of(problem: Touches, chosen: NDArray[np.bool_], settings: Contact) -> Outcome:
    """The law on some of the contacts, their islands found anew; the others get no impulse."""
    rows = problem.rows
    some = ScaledRows(
        *(column[chosen] for column in (rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower)),
        rows.bodies,
    )
    label = np.empty(len(some.a), np.int64)
    # a body that cannot move is -1 in rows: give it a row of its own, behind all others, that joins nobody
    free = np.ones(rows.bodies + 1, np.bool_)
    free[-1] = False
    body_a, body_b = (np.where(c < 0, rows.bodies, c) for c in (some.a, some.b))
    count = _kernels_problem.label_islands(body_a, body_b, free, label)
    order = np.argsort(label, kind="stable")
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(label, minlength=count), out=start[1:])
    some = ScaledRows(
        *(column[order] for column in (some.G, some.W, some.a, some.b, some.c, some.bias, some.friction, some.lower)),
        rows.bodies,
    )
    part = _simultaneous(Touches(some, order, start, problem.restitution[chosen][order]), settings)
    impulses = np.zeros((len(rows.a), 2))
    impulses[np.flatnonzero(chosen)[order]] = part.impulses
    return _outcome(rows, impulses, part.y, part.proof)


def _with_bias(rows: ScaledRows, more: Array) -> ScaledRows:
    bias = rows.bias.copy()
    bias[:, 0] += more
    c = rows.c.copy()
    c[:, 0] += more
    return replace(rows, c=c, bias=bias)


def _solve(
    rows: ScaledRows, start: NDArray[np.int64], settings: Contact, proof: Proof, guess: Array | None = None
) -> RowsSolution:
    reference = np.empty(len(start) - 1)
    _kernels_laws.island_reference(start, rows.c, rows.bias, rows.W, rows.lower, reference)
    impulses = np.zeros((len(rows.a), 2)) if guess is None else guess.copy()
    solution = solve_rows(rows, start, impulses, reference, settings.tolerance)
    proof.add(solution.error, solution.unsolved, start)
    return solution


def _speeds(rows: ScaledRows, before: Array, y: Array) -> Array:
    out = np.empty_like(before)
    _kernels_laws.speeds(rows.G, rows.a, rows.b, before, y, out)
    return out


def _outcome(rows: ScaledRows, impulses: Array, y: Array, proof: Proof) -> Outcome:
    before = rows.c - rows.bias
    return Outcome(impulses, y, before, _speeds(rows, before, y), proof)
