"""What the kernel of the groups works on: the scene's columns, the step's state, the rules, and one desk a thread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.detection.broad_phase import PairState, empty_state
from banquise.detection.scratch import Found, Scratch, make_found, make_scratch, refit_scratch
from banquise.detection.shapes import Shapes
from banquise.motion.free_velocity import Room
from banquise.scene.quadrature import PIECES
from banquise.solvers._kernels_island import SMALL
from banquise.solvers._kernels_small import Scratch as SolverScratch
from banquise.solvers._kernels_small import scratch_for

Array = NDArray[np.float64]
Index = NDArray[np.int64]

MOVING = ("x", "y", "angle", "cos", "sin", "u", "v", "spin")  # columns of bodies that a step changes
CONTROLS = 24  # numbers a desk keeps of the group it is at
EVENT_WIDTH = 17  # an event with where it fell on its bodies, and its group
TOTALS = 13  # what a group adds to the ledger


class Columns(NamedTuple):
    """Columns of the bodies; floes first, then obstacles."""

    x: Array
    y: Array
    angle: Array
    cos: Array
    sin: Array
    u: Array
    v: Array
    spin: Array
    mass: Array
    inertia: Array
    area: Array
    extent: Array
    inverse_mass: Array
    inverse_inertia: Array
    material: NDArray[np.int32]
    ids: Index
    size: Array
    zone: Array
    qx: Array
    qy: Array
    qw: Array
    moment_x: Array
    moment_y: Array
    spread: Array


class State(NamedTuple):
    """State of the step; rows of bodies."""

    left: Array  # (n,) time each floe has yet to go
    velocity: Array  # (all, 3)
    ahead: Array  # (all, 3) velocity at the end of the step, without contacts
    pose: Array  # (all, 4) x, y, cos, sin
    reach: Array  # (all,) how far any point may come in the time left
    drift: Array  # (2,) mean velocity of the floes on their free ways
    looked: Array  # (all,) reach at the last look
    pull: Array  # (all,) bound on the acceleration of any point
    since: Array  # (n,) since the last impact, within this step
    quick: Index  # (n,) impacts in a row that came sooner than the shortest flight
    free_velocity: Array  # (n, 3)
    free_displacement: Array
    force: Array  # (n, 2, 3)
    steps: Array  # (n,) the step of the round
    change: Array  # (n, 3) velocity change by contacts that hold
    displacement: Array  # (n, 3)
    motion: Array  # (all, 6) path of the round: velocity and half acceleration
    cap: Array  # (n,) longest step a floe may take
    pace: Array  # (n,) how long the rounds of a group may be after some had to be shortened; that of its first floe counts
    stress: Array  # (n, 3) sums of impulse times lever over the step
    water: Array  # (n, 3) impulse of the water
    obstacles: Array  # (obstacles, 3) pose at the start of the step
    now: Array  # (2,) when the step began (s), and how near nobody can tell (m)


class Rules(NamedTuple):
    """Settings of the step."""

    n_free: int
    step: float
    shortest: float
    rebounds_many: int
    rebounds_few: int
    soft: bool
    direct: int  # floes of a group from which on meetings are not followed one by one
    follow: bool  # contacts are carried along, and looked for again only where bodies meet
    skin: float  # of the smaller size: bodies are kept this far apart, for what turning takes
    sink: float  # of the smaller size: what is held sinks in no deeper in a step, or it is solved again
    touch: float  # of the smaller size: nearer to the skin than this is contact
    bend: float  # tolerances by which what is held may leave its arc
    still: float  # of the fastest speed of a group: a slower approach is none to the sequential order
    aim: float  # of the smaller size: how near a meeting is located
    largest: float  # restitution
    threshold: float
    law: int  # 0 Poisson, 1 the papers' fallback, 2 Newton
    sequential: bool
    active_only: bool
    tolerance: float  # of small islands
    small: int  # contacts up to which an island is one
    wide: int  # contacts up to which the kernel tries to solve them
    rough: float  # tolerance of the others
    moving: bool
    ocean: bool
    contacts: bool  # whether the impulse of every pair is kept


class Lists(NamedTuple):
    """Who may meet in a step, and the groups of those that look as if they will; room for so many contacts, and all floes."""

    pairs: NDArray[np.int32]  # (m, 6) rows, images, first contact, contacts
    first: Index
    live: NDArray[np.bool_]
    rest: NDArray[np.bool_]
    where: Index
    listed: NDArray[np.int32]  # (m, 6) the pairs of groups
    pair_start: Index
    members: Index
    member_start: Index
    resting: Index

    @classmethod
    def of(cls, contacts: int, floes: int) -> Lists:
        m, n = contacts, floes
        return cls(
            np.empty((m, 6), np.int32), np.empty(m, np.int64), np.empty(m, np.bool_), np.empty(m, np.bool_),
            np.empty(m, np.int64), np.empty((m, 6), np.int32), np.empty(n + 1, np.int64), np.empty(n, np.int64),
            np.empty(n + 1, np.int64), np.empty(n, np.int64),
        )  # fmt: skip


class Tables(NamedTuple):
    """Friction and restitution by material pair; impulses a second of contacts that held at the last step, by key."""

    friction: Array
    restitution: Array
    key: Index
    rate: Array  # (k, 2)


class View(NamedTuple):
    """What the detector knows that the kernel needs."""

    wraps: Index
    period: Array
    still: Array
    moved_at: Index


class Problem(NamedTuple):
    """The contact problem being solved, row by row, and what was found on the way (see `contact.laws`)."""

    order: Index
    start: Index
    bodies: Index
    G: Array
    W: Array
    a: Index
    b: Index
    c: Array
    bias: Array
    mu: Array
    epsilon: Array
    lower: Array
    r: Array
    y: Array
    first: Array
    before: Array
    middle: Array
    after: Array
    loss: Array
    numbers: Index
    reference: Array
    error: Array
    how: Index
    iterations: Index
    share: Array


class Watch(NamedTuple):
    """The pairs watched for meetings."""

    pair_a: NDArray[np.int32]
    pair_b: NDArray[np.int32]
    shift: Array
    distances: Array
    held: NDArray[np.bool_]
    horizon: Array
    touch: Array
    aim: Array
    when: Array
    rows: Index
    slots: Index
    near: Array
    dist: Array
    rate: Array
    begin: Array
    armed: NDArray[np.bool_]


class Out(NamedTuple):
    """What a desk hands in."""

    on_obstacles: Array
    events: Array
    loads: Array  # (k, 5) group, obstacle, impulse x, y and moment
    kept_key: Index
    kept_rate: Array
    contacts: Array  # (k, 7) group, ids, place and impulse, where the run keeps them


class Desk(NamedTuple):
    """Work space of one thread: controls, the contacts of the group at hand, the problem being solved, what goes out."""

    control: Index
    slot: Index  # -1 for every body
    flight: Room
    pairs: PairState
    ends: PairState  # of the same pairs at the end of the way
    scratch: Scratch
    found: Found
    state: NDArray[np.int8]
    gap_rate: Array
    bounce: NDArray[np.bool_]
    middle: Array  # (m, 9) held contacts in the middle of the step
    later: Found  # contacts at the end of the way, or of a new look
    one: Found  # contacts of one pair
    chosen: Index
    picked_rate: Array
    picked_bounce: NDArray[np.bool_]
    taken: Array  # (m, 5) impulse, loss, friction and fastest speed of each contact over the passes of an impact
    problem: Problem
    work: SolverScratch  # of islands small enough to be solved here
    watch: Watch
    out: Out


def make_desk(shapes: Shapes, obstacles: int, contacts: int, rows: int, pairs: int, old: Desk | None = None) -> Desk:
    """A desk with room for so many contacts, rows of a pair, and pairs of a group; what is on the `old` one is kept."""
    m = contacts
    slots = int(np.diff(shapes.body[:, 1]).max(initial=0)) + 1
    n = len(shapes.frame)
    room = 4 * m if old is None else max(4 * m, 2 * len(old.out.events))
    desk = Desk(
        control=np.zeros(CONTROLS, np.int64),
        slot=np.full(n, -1, np.int64),
        flight=Room.of(3 * PIECES),
        pairs=empty_state(pairs),
        ends=empty_state(pairs),
        scratch=make_scratch(shapes, rows),
        found=make_found(m),
        state=np.zeros(m, np.int8),
        gap_rate=np.zeros(m),
        bounce=np.zeros(m, np.bool_),
        middle=np.zeros((m, 9)),
        later=make_found(m),
        one=make_found(m),
        chosen=np.zeros(m, np.int64),
        picked_rate=np.zeros(m),
        picked_bounce=np.zeros(m, np.bool_),
        taken=np.zeros((m, 5)),
        problem=Problem(
            order=np.zeros(m, np.int64), start=np.zeros(m + 1, np.int64), bodies=np.zeros(2 * m, np.int64),
            G=np.zeros((m, 2, 6)), W=np.zeros((m, 3)), a=np.zeros(m, np.int64), b=np.zeros(m, np.int64),
            c=np.zeros((m, 2)), bias=np.zeros((m, 2)), mu=np.zeros(m), epsilon=np.zeros(m), lower=np.zeros(m),
            r=np.zeros((m, 2)), y=np.zeros((2 * m + 1, 3)), first=np.zeros((m, 2)), before=np.zeros((m, 2)),
            middle=np.zeros((m, 2)), after=np.zeros((m, 2)), loss=np.zeros(m), numbers=np.arange(m),
            reference=np.zeros(m), error=np.zeros(m), how=np.zeros(m, np.int64), iterations=np.zeros(m, np.int64),
            share=np.zeros(m),
        ),
        work=scratch_for(SMALL),
        watch=Watch(
            pair_a=np.zeros(m, np.int32), pair_b=np.zeros(m, np.int32), shift=np.zeros((m, 2)),
            distances=np.zeros((m, 2)), held=np.zeros(m, np.bool_), horizon=np.zeros(m), touch=np.zeros(m),
            aim=np.zeros(m), when=np.zeros(m), rows=np.zeros(rows, np.int64), slots=np.zeros(slots, np.int64),
            near=np.zeros((slots, 2)), dist=np.zeros(rows), rate=np.zeros(rows), begin=np.zeros(rows),
            armed=np.zeros(rows, np.bool_),
        ),
        out=Out(
            on_obstacles=np.zeros((obstacles, 3)), events=np.zeros((room, EVENT_WIDTH)),
            loads=np.zeros((room, 5)), kept_key=np.zeros(room, np.int64), kept_rate=np.zeros((room, 2)),
            contacts=np.zeros((room, 7)),
        ),
    )  # fmt: skip
    if old is not None:
        _carry(old, desk)
    return desk


def refit_desk(desk: Desk, shapes: Shapes, obstacles: int) -> Desk | None:
    """The desk for other bodies, without what is on it; None where one of them has too many points for it, or obstacles went."""
    scratch = refit_scratch(desk.scratch, shapes)
    slots = int(np.diff(shapes.body[:, 1]).max(initial=0)) + 1
    if scratch is None or slots > len(desk.watch.slots) or obstacles != len(desk.out.on_obstacles):
        return None
    return desk._replace(slot=np.full(len(shapes.frame), -1, np.int64), scratch=scratch)


def same_columns(one: Any, other: Any) -> bool:
    """Whether all columns of two sets of bodies are of the same kinds of array, so that a kernel for one serves the other."""
    return all(_kind(getattr(one, name, None)) == _kind(getattr(other, name, None)) for name in Columns._fields)


def _kind(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return None
    return column.dtype, column.ndim, column.flags.c_contiguous, column.flags.writeable


def _carry(old: Any, desk: Any) -> None:
    """Copy what fits, field by field: room is asked for in the middle of a group."""
    for name, before, now in zip(desk._fields, old, desk):
        if isinstance(before, tuple):
            if name != "work":
                _carry(before, now)
        elif name != "numbers" and before.ndim and len(before):
            k = min(len(before), len(now))
            now[:k] = before[:k]
