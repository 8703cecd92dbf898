"""What a contact problem means: impacts with restitution, and contacts that only hold.

Poisson's law in two phases (compression, then decompression with at least epsilon times the compression's impulse),
guarded so that no island gains energy; the papers' fallback and Newton's law by name. Solved for all contacts at once,
or for those that approach, again and again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_laws, _kernels_problem
from banquise.contact.problem import ScaledRows
from banquise.settings import Contact
from banquise.solvers.frictional import IslandRun, SolverMemory

Array = NDArray[np.float64]

SEQUENCE = 1000  # rounds of the sequential order before the rest is taken at once, and said
STILL = 1e-12  # of the fastest speed in the problem: a slower approach is round-off


@dataclass(frozen=True)
class Touches:
    """Some contacts, ready for a law: grouped by island, mass-scaled, on local bodies.

    chosen : the contacts' numbers; order : (m,) place in `chosen` of each row; start : (islands + 1,) rows of each island
    bodies : row of each local body that can move; restitution : (m,) by row. `rows.c` holds the relative speeds before
    plus the bias asked for.
    """

    rows: ScaledRows
    chosen: NDArray[np.int64]
    order: NDArray[np.int64]
    start: NDArray[np.int64]
    bodies: NDArray[np.int64]
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

    def add(self, error: Array, unsolved: int, sizes: NDArray[np.int64]) -> None:
        self.residual = max(self.residual, float(error.max(initial=0.0)))
        self.unsolved += unsolved
        self.islands = max(self.islands, len(sizes))
        self.largest_island = max(self.largest_island, int(sizes.max(initial=0)))

    def merge(self, other: Proof) -> None:
        self.residual = max(self.residual, other.residual)
        self.unsolved += other.unsolved
        self.guarded += other.guarded
        self.islands = max(self.islands, other.islands)
        self.largest_island = max(self.largest_island, other.largest_island)


@dataclass
class Outcome:
    """Impulses (m, 2) by row, y = M^1/2 (W+ - W-) of the local bodies, relative speeds (m, 2) before and after, proof."""

    impulses: Array
    y: Array
    before: Array
    after: Array
    proof: Proof = field(default_factory=Proof)


@dataclass(frozen=True)
class Laws:
    """Friction and restitution by material pair, and what is needed to write problems of some contacts."""

    settings: Contact
    material: NDArray[np.int32]
    friction: Array  # (k, k)
    restitution: Array
    inverse_mass: Array
    inverse_inertia: Array
    slot: NDArray[np.int64]  # scratch, -1 for every body
    memory: SolverMemory

    def touches(
        self, chosen: NDArray[np.int64], contacts: Any, velocity: Array, gap_rate: Array, bounce: NDArray[np.bool_]
    ) -> Touches:
        """The problem of the contacts `chosen`; gap_rate and bounce (whether restitution acts) are by chosen contact."""
        m = len(chosen)
        ints = [np.empty(m, np.int64) for _ in range(3)]
        bodies, start = np.empty(2 * m, np.int64), np.empty(m + 1, np.int64)
        G, W, c, bias, mu, epsilon = (np.empty(s) for s in ((m, 2, 6), (m, 3), (m, 2), (m, 2), m, m))
        local, islands = _kernels_laws.contact_rows(
            chosen, contacts.value, contacts.who, self.slot, self.inverse_mass, self.inverse_inertia, velocity, gap_rate,
            bounce, self.material, self.friction, self.restitution, bodies, ints[0], start, G, W, c, bias, mu, epsilon,
            ints[1], ints[2],
        )  # fmt: skip
        rows = ScaledRows(G, W, ints[1], ints[2], c, bias, mu, np.zeros(m), local)
        return Touches(rows, chosen, ints[0], start[: islands + 1], bodies[:local], epsilon)


def hold(problem: Touches, laws: Laws, guess: Array | None = None, tolerance: float | None = None) -> Outcome:
    """Contacts that only keep bodies apart: no restitution (pushes, and contacts at rest). `guess` is by row."""
    proof = Proof()
    solution = _solve(problem.rows, problem.start, laws, proof, guess, tolerance)
    return _outcome(problem.rows, solution.impulses, solution.y, proof)


def impact(problem: Touches, laws: Laws) -> Outcome:
    """Impacts, by the settings' law and order."""
    settings = laws.settings
    if settings.order == "sequential":
        return _sequential(problem, laws)
    if settings.active_only:
        return _part_of(problem, problem.rows.c[:, 0] < 0, laws)
    return _simultaneous(problem, laws)


def _simultaneous(problem: Touches, laws: Laws) -> Outcome:
    settings, rows, start, proof = laws.settings, problem.rows, problem.start, Proof()
    if settings.relaxation:
        rows = _with_bias(rows, np.full(len(rows.a), settings.relaxation))
    compression = _solve(rows, start, laws, proof)
    push = problem.restitution * compression.impulses[:, 0]
    if not np.any(push > 0):
        return _outcome(rows, compression.impulses, compression.y, proof)
    before = rows.c - rows.bias
    middle = _speeds(rows, before, compression.y)
    if settings.law == "newton":
        wanted = _with_bias(rows, problem.restitution * np.minimum(before[:, 0], 0.0))
        whole = _solve(wanted, start, laws, proof, compression.impulses)
        second, after = whole.impulses - compression.impulses, _speeds(rows, before, whole.y)
    else:
        relaxed = replace(rows, c=middle + rows.bias, lower=push)
        guess = compression.impulses * problem.restitution[:, None]
        rebound = _solve(relaxed, start, laws, proof, guess)
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
    y = np.zeros((rows.bodies + 1, 3))
    _kernels_laws.gather_y(rows.G, rows.a, rows.b, impulses, y)
    return _outcome(rows, impulses, y, proof)


def _sequential(problem: Touches, laws: Laws) -> Outcome:
    """Only contacts that approach enter; solve; look again which approach; until none does."""
    rows = problem.rows
    before = rows.c - rows.bias
    total = Outcome(np.zeros((len(rows.a), 2)), np.zeros((rows.bodies + 1, 3)), before, before)
    still = STILL * max(float(np.abs(before).max(initial=0.0)), 1e-300) + laws.settings.relaxation
    for _ in range(SEQUENCE):
        approach = total.after[:, 0] < -still
        if not approach.any():
            return total
        part = _part_of(replace(problem, rows=replace(rows, c=total.after + rows.bias)), approach, laws)
        total = _sum(total, part, rows)
    # termination is not proved: take what is left at once, without rebound, and say so
    rest = replace(problem, rows=replace(rows, c=total.after + rows.bias), restitution=np.zeros(len(rows.a)))
    total = _sum(total, _simultaneous(rest, laws), rows)
    total.proof.unsolved += 1
    return total


def _sum(total: Outcome, part: Outcome, rows: ScaledRows) -> Outcome:
    y = total.y + part.y
    total.proof.merge(part.proof)
    return Outcome(total.impulses + part.impulses, y, total.before, _speeds(rows, total.before, y), total.proof)


def _part_of(problem: Touches, chosen: NDArray[np.bool_], laws: Laws) -> Outcome:
    """The law on some of the contacts, their islands found anew; the others get no impulse."""
    rows = problem.rows
    picked = np.flatnonzero(chosen)
    free = np.ones(rows.bodies + 1, np.bool_)
    free[-1] = False  # the spare row of what cannot move joins nobody
    label = np.empty(len(picked), np.int64)
    count = _kernels_problem.label_islands(rows.a[picked], rows.b[picked], free, label)
    picked = picked[np.argsort(label, kind="stable")]
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(label, minlength=count), out=start[1:])
    columns = ("G", "W", "a", "b", "c", "bias", "friction", "lower")
    some = replace(rows, **{name: getattr(rows, name)[picked] for name in columns})
    part = _simultaneous(
        Touches(some, problem.chosen, problem.order[picked], start, problem.bodies, problem.restitution[picked]), laws
    )
    impulses = np.zeros((len(rows.a), 2))
    impulses[picked] = part.impulses
    return _outcome(rows, impulses, part.y, part.proof)


def _with_bias(rows: ScaledRows, more: Array) -> ScaledRows:
    bias = rows.bias.copy()
    bias[:, 0] += more
    c = rows.c.copy()
    c[:, 0] += more
    return replace(rows, c=c, bias=bias)


def _solve(
    rows: ScaledRows, start: NDArray[np.int64], laws: Laws, proof: Proof, guess: Array | None = None,
    tolerance: float | None = None,
) -> IslandRun:  # fmt: skip
    reference = np.empty(len(start) - 1)
    _kernels_laws.island_reference(start, rows.c, rows.bias, rows.W, rows.lower, reference)
    impulses = np.zeros((len(rows.a), 2)) if guess is None else guess.copy()
    run = IslandRun(rows, start, impulses, reference, tolerance or laws.settings.tolerance, laws.memory)
    run.auto()
    run.finish()
    proof.add(run.error, run.unsolved_count, run.sizes)
    return run


def _speeds(rows: ScaledRows, before: Array, y: Array) -> Array:
    out = np.empty_like(before)
    _kernels_laws.speeds(rows.G, rows.a, rows.b, before, y, out)
    return out


def _outcome(rows: ScaledRows, impulses: Array, y: Array, proof: Proof) -> Outcome:
    before = rows.c - rows.bias
    return Outcome(impulses, y, before, _speeds(rows, before, y), proof)
