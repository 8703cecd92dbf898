"""One step of the whole scene, in which no overlap beyond the tolerance survives.

free motion of all; who may meet; floes that meet nobody are done
groups of those that may, each by itself:  impacts of what touches and approaches (with restitution)
                         -> free motion -> what rests together is held -> first meeting of the group -> move -> again
verify (`verification`): what overlaps now is taken into the groups, or takes shorter steps, and those groups are done again
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from banquise import threads
from banquise.contact.problem import ScaledRows
from banquise.forcing.loads import pushes_on
from banquise.jit import SameTypes
from banquise.motion.free_velocity import FreeMotion, flows_of, fly
from banquise.recording.stages import timed
from banquise.schemes import _kernels_group, _kernels_listing, _kernels_phases, _kernels_scene, codes
from banquise.schemes.accounts import enter_step
from banquise.schemes.groups import Array, Flags, Groups, Pairs, Rows
from banquise.schemes.regain import regain
from banquise.schemes.verification import verify
from banquise.schemes.workspace import (
    MOVING,
    TOTALS,
    Columns,
    Desk,
    Lists,
    Rules,
    State,
    Tables,
    View,
    make_desk,
    refit_desk,
    same_columns,
)
from banquise.settings import LAWS, Contact
from banquise.solvers._kernels_island import SMALL
from banquise.solvers.frictional import LARGE_TOLERANCE, SMALL_TOLERANCE, WIDE, IslandRun

if TYPE_CHECKING:
    from banquise.simulation import Simulation

# of the smaller size, where every bounce is followed and where steps are whole. Skin: bodies meet and rest this far apart, so
# that what turning takes from a gap within a step is not an overlap. Sink: what is held sinks in no deeper, or is solved again.
# Touch: nearer to the skin than this is contact; aim: how near a meeting is located
SKIN = 0.0, 5e-5
SINK = 1e-7, 5e-6
TOUCH = 1e-10, 1e-7
AIM = 1e-12, 2e-8
STILL = 1e-12, 1e-6  # of the fastest speed of a group: round-off, and what large islands are solved to
BEND = 0.5, 8.0  # tolerances by which what is held may leave its arc in a step, before what sank in is solved again
SHARES = 4  # of groups for each thread: a large one takes longer than its pairs tell, and others then take the rest
DIRECT = 8  # floes of a group beyond which whole steps do not follow its meetings one by one
ASKING = 3  # methods tried on what may have no solution: those that start from the last step's impulses


class Engine:
    """Takes a simulation from step to step; holds work space, and nothing that changes an answer."""

    def __init__(self, sim: Simulation, former: Engine | None = None):
        self.sim = sim
        b = self.bodies = sim.bodies
        n, every = b.n_free, len(b)
        self.n = n
        self.rows = np.arange(n)
        self.start = np.empty((len(MOVING), every))
        self.label, self.number = np.empty(n, np.int64), np.empty(n, np.int64)
        self.home = np.empty(n, np.int64)  # the group in which each floe was last taken through the step, -1 for none
        self.state = State(
            left=np.empty(n), velocity=np.zeros((every, 3)), ahead=np.zeros((every, 3)), pose=np.zeros((every, 4)),
            reach=np.zeros(every), drift=np.zeros(2), looked=np.zeros(every), pull=np.zeros(every), since=np.empty(n),
            quick=np.zeros(n, np.int64),
            free_velocity=np.empty((n, 3)), free_displacement=np.empty((n, 3)), force=np.empty((n, 2, 3)),
            steps=np.zeros(n), change=np.zeros((n, 3)), displacement=np.zeros((n, 3)), motion=np.zeros((every, 6)),
            cap=sim.step_cap, pace=np.empty(n), stress=np.zeros((n, 3)), water=np.zeros((n, 3)),
            obstacles=np.zeros((every - n, 3)), now=np.zeros(2),
        )  # fmt: skip
        self.desks: list[Desk] = []
        self.contacts, self.pair_rows, self.group_pairs = 64, 256, 64
        self.struck = np.zeros(every, np.bool_)
        self.deepest = 0.0  # overlap at the start of the step, as a part of the smaller size
        self.pushed: tuple[Rows, Array] | None = None  # floes pushed apart before the step, their columns before that
        self.careful = np.zeros(n, np.bool_)  # floes of pairs whose contacts went wrong in this step
        self.sums = np.empty((-(-n // _kernels_scene.BLOCK), 4))
        self.totals, self.largest = np.empty(TOTALS), np.empty(TOTALS)  # of the groups of a step
        self.lists = Lists.of(256, n)
        self._steady: tuple[Any, ...] | None = None  # what the flows were made of
        self._asked: tuple[Any, ...] = ()  # what the rules were made of
        # kernels that are handed tuples of many arrays
        self._begin_step = SameTypes(_kernels_scene.begin_step)
        self._reaches = SameTypes(_kernels_scene.reaches_of_all)
        self._take_up_found = SameTypes(_kernels_scene.take_up_found)
        self._group_up = SameTypes(_kernels_listing.group_up)
        self._move = SameTypes(_kernels_scene.move_idle)
        self._run_groups = SameTypes(_kernels_group.run_groups)
        if former is not None:
            self._take_over(former)

    def _take_over(self, former: Engine) -> None:
        """Room, desks and compiled kernels of the engine that served until floes broke: making them takes longer than a step."""
        self.contacts, self.pair_rows, self.group_pairs = former.contacts, former.pair_rows, former.group_pairs
        obstacles = len(self.bodies) - self.n
        desks = [refit_desk(desk, self.sim.detector.shapes, obstacles) for desk in former.desks]
        self.desks = [desk for desk in desks if desk is not None]
        if same_columns(self.bodies, former.bodies):
            for name in ("_begin_step", "_reaches", "_take_up_found", "_group_up", "_move", "_run_groups"):
                setattr(self, name, getattr(former, name))

    # ------------------------------------------------------------ the step

    def advance(self, step: float, shortest: float, rebounds: tuple[int, int], soft: bool) -> int:
        """One step; how many rounds the group with the most of them took.

        Parameters
        ----------
        step : s
        shortest : s, the shortest flight between two impacts that is followed
        rebounds : rounds in which the impacts of a group rebound, (so many, and so many over its size); in ten more (two
            when soft) they do not; then the rest of the step is taken whole
        soft : bodies that approach too slowly to rebound are kept apart over the step without being met, and groups hold
            who will meet on free paths, not all who might
        """
        sim, b = self.sim, self.bodies
        self._begin(step, shortest, rebounds, soft)
        self._free(step)
        self._look()
        projection = regain(self, self.found)
        pairs, groups = self._groups(step)
        self._move_idle(step)
        done = [groups]
        self.run_groups(groups)
        sim.obstacle_motion.place(b, sim.time + step)
        overlap, unsolved = verify(self, done, pairs, step)
        enter_step(self, done, overlap, projection, unsolved, step)
        return int(self.largest[codes.ROUNDS])

    def _begin(self, step: float, shortest: float, rebounds: tuple[int, int], soft: bool) -> None:
        sim, b, s = self.sim, self.bodies, self.state
        sim.obstacle_motion.set_velocity(b, sim.time, step)
        self.pushed = None
        self.columns = Columns(
            b.x, b.y, b.angle, b.cos, b.sin, b.u, b.v, b.spin, b.mass, b.inertia, b.area, b.extent, b.inverse_mass,
            b.inverse_inertia, b.material, b.ids, sim.size, sim.zone, *b.points(sim.forcing.varies), b.moment_x, b.moment_y,
            b.spread,
        )  # fmt: skip
        self._begin_step(sim.time, step, self.columns, s, self.start, self.careful)
        asked = (
            step,
            shortest,
            rebounds,
            soft,
            sim.contact,
            not sim.obstacle_motion.still,
            sim.impulses.contacts is None,
        )
        if self._asked != asked:
            self._asked, self.rule = asked, self._rules(*asked)
        self.table = Tables(sim.laws.friction, sim.laws.restitution, sim.held_key, sim.held_rate)
        detector = sim.detector
        self.view = View(detector.wraps, detector.period, detector._still, detector.moved_at)

    def _rules(
        self,
        step: float,
        shortest: float,
        rebounds: tuple[int, int],
        soft: bool,
        settings: Contact,
        moving: bool,
        few: bool,
    ) -> Rules:
        sim, n = self.sim, self.n
        return Rules(
            n_free=n, step=float(step), shortest=float(shortest), rebounds_many=rebounds[0],
            rebounds_few=rebounds[1], soft=soft, direct=DIRECT if soft else n, follow=soft, skin=SKIN[soft], sink=SINK[soft],
            touch=TOUCH[soft], aim=AIM[soft], bend=BEND[soft], still=STILL[soft], largest=sim.largest_restitution,
            threshold=float(settings.relaxation),
            law=LAWS.index(settings.law), sequential=settings.order == "sequential",
            active_only=bool(settings.active_only), tolerance=settings.tolerance or SMALL_TOLERANCE, small=SMALL,
            rough=settings.tolerance or LARGE_TOLERANCE, wide=WIDE, moving=moving, ocean=sim.ocean is not None, contacts=not few,
        )  # fmt: skip

    @timed("motion")
    def _free(self, step: float) -> None:
        """Free motion of all floes over the whole step."""
        sim, b, s = self.sim, self.bodies, self.state
        time = sim.time + (0.0 if sim.euler else 0.5 * step)
        steady = sim.forcing.steady
        if steady is None or steady != self._steady:
            self._steady = steady
            pushes = pushes_on(b, sim.forcing, sim.time, step)
            self.flows = flows_of(b, sim.forcing, time, s.steps, pushes, sim.euler)
            self.free = FreeMotion(s.free_velocity, s.free_displacement, s.force, pushes, self.flows.gravity)
        fly(b, self.flows, s.steps, self.rows, self.free, time)
        self._reaches(step, self.columns, s)

    @timed("detection")
    def _look(self) -> None:
        """Every contact point that may matter before the end of the step; its bodies' velocities are taken up."""
        sim, s = self.sim, self.state
        # with steps that hope, what is struck may go farther: it shows when it overlaps
        bounce = -1.0 if self.rule.soft else sim.largest_restitution
        self.found = found = sim.detector.found(self.bodies, sim.zone, s.reach, bounce)
        np.copyto(s.looked, s.reach)
        self.deepest = self._take_up_found(found.value, found.who, self.columns, s)

    # ------------------------------------------------------------ groups

    def _groups(self, step: float) -> tuple[Pairs, Groups]:
        """The pairs (p, 6: rows, images, contacts) that may meet in this step, and the groups of those that look as if they
        will."""
        value, who, _ = self.found
        if len(value) > len(self.lists.first):
            self.lists = Lists.of(2 * len(value), self.n)
        l = self.lists
        count, groups, members, pairs, most = self._group_up(
            step, value, who, self.rule, self.columns, self.state, self.view, self.struck, self.label, self.number, self.home, l
        )  # fmt: skip
        found = Groups(
            l.member_start[: groups + 1], l.members[:members], l.pair_start[: groups + 1], l.listed[:pairs], 0, most
        )
        return l.pairs[:count], found

    def list_groups(self, pairs: Pairs, live: Flags, first: int) -> Groups:
        """The groups of floes joined by live pairs, numbered from `first`."""
        n, p = self.n, len(pairs)
        most = min(n, 2 * p)
        members, listed = np.empty(most, np.int64), np.empty((p, 6), np.int32)
        starts, pair_starts = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
        groups, total, count, most = _kernels_listing.list_groups(
            pairs, live, n, first, self.label, self.number, members, starts, listed, pair_starts, np.empty(p, np.int64), self.home
        )  # fmt: skip
        return Groups(starts[: groups + 1], members[:total], pair_starts[: groups + 1], listed[:count], first, most)

    def _move_idle(self, step: float) -> None:
        """Move the floes that are in no group."""

        def part(first: int, last: int) -> None:
            self._move(first, last, self.label, step, self.columns, self.flows, self.state, self.sums)

        threads.over_blocks(part, len(self.sums), grain=8)

    @timed("contact")
    def run_groups(self, groups: Groups) -> None:
        """Take all groups through the step, each by whichever thread is free; what they hand in is kept in their order."""
        if not len(groups):
            return
        self.group_pairs = max(self.group_pairs, groups.most)
        # moving obstacles are where the group at hand is in time: one desk
        desks = 1 if self.rule.moving else max(1, min(threads.threads(), len(groups.pairs) // 32))
        while len(self.desks) < desks:
            self.desks.append(self._desk())
        cuts = _shares(groups.pair_start, SHARES * desks if desks > 1 else 1)
        handed_in: list[Any] = [None] * (len(cuts) - 1)
        # the largest first: nobody shall wait for it at the end
        queue = iter(np.argsort(-np.diff(groups.pair_start[cuts]), kind="stable").tolist())

        def part(first: int, last: int) -> None:
            for k in queue:
                handed_in[k] = self._work_through(first, groups, cuts[k], cuts[k + 1])

        threads.over_blocks(part, desks, grain=1)
        groups.handed_in += handed_in

    def _desk(self, old: Desk | None = None) -> Desk:
        obstacles = len(self.bodies) - self.n
        return make_desk(
            self.sim.detector.shapes, obstacles, self.contacts, self.pair_rows, self.group_pairs, old
        )  # fmt: skip

    def _work_through(self, k: int, groups: Groups, first: int, last: int) -> tuple[Array, Array, Rows, Array, Array]:
        desk = self.desks[k]
        if len(desk.pairs.until) < self.group_pairs:
            desk = self.desks[k] = self._desk()
        desk.control[:] = 0
        desk.control[codes.GROUP] = first
        while True:
            status = self._run_groups(
                last, groups.member_start, groups.members, groups.pair_start, groups.pairs, self.found, self.columns, self.flows,
                self.state, self.rule, self.table, self.view, self.sim.detector.shapes, groups.careful, groups.totals, desk,
            )  # fmt: skip
            if status == codes.DONE:
                break
            if status == codes.SOLVE:
                self._solve(desk, groups.totals[desk.control[codes.GROUP]])
            else:
                need = int(desk.control[codes.NEED])
                if status == codes.CONTACT_ROOM:
                    self.contacts = max(len(desk.state), 2 * need)
                else:
                    self.pair_rows = max(self.pair_rows, 2 * need)
                desk.control[codes.NEED] = 0
                desk = self.desks[k] = self._desk(desk)
        control, out = desk.control.tolist(), desk.out
        kept = control[codes.KEPT]
        return (
            _kept(out.events, control[codes.EVENTS]), _kept(out.loads, control[codes.LOADS]), _kept(out.kept_key, kept),
            _kept(out.kept_rate, kept), _kept(out.contacts, control[codes.CONTACTS]),
        )  # fmt: skip

    def _solve(self, desk: Desk, total: Array) -> None:
        """The problem on a desk, by the solvers for large and hard islands."""
        m, bodies, islands = (int(desk.control[c]) for c in (codes.ROWS, codes.BODIES, codes.ISLANDS))
        p, laws = desk.problem, self.sim.laws
        rows = ScaledRows(p.G[:m], p.W[:m], p.a[:m], p.b[:m], p.c[:m], p.bias[:m], p.mu[:m], p.lower[:m], bodies)
        holds = desk.control[codes.PHASE] == codes.HOLD
        start, guess = p.start[: islands + 1], p.r[:m].copy() if holds else p.r[:m]
        run = IslandRun(rows, start, p.r[:m], p.reference[:islands], laws.settings.tolerance, laws.memory)
        opens = holds and bool(rows.bias[:, 0].min() < 0.0)
        run.auto(tries=ASKING if opens else None, begun=int(run.sizes.max()) <= WIDE)
        if opens and run.unsolved_count:
            # a locked jam has no room for what turning asks (the whole chain would only prove that, slowly): nothing is
            # asked to open, and what sinks in is seen later
            desk.control[codes.NO_ROOM] = 1
            asked = np.minimum(rows.bias[:, 0], 0.0)
            rows.c[:, 0] -= asked
            rows.bias[:, 0] -= asked
            p.r[:m] = guess
            run = IslandRun(rows, start, p.r[:m], p.reference[:islands], laws.settings.tolerance, laws.memory)
            run.auto()
        b = self.bodies
        inverse = b.inverse_mass, b.inverse_inertia
        if holds and _kernels_phases.at_rest(
            p.bodies[:bodies], run.y, float(run.reference.max()), self.state.ahead, *inverse, b.extent
        ):
            run.polish(_kernels_phases.POLISH)
        run.finish()
        p.y[: bodies + 1] = run.y
        p.error[:islands] = run.error
        total[codes.UNSOLVED] += run.unsolved_count
        desk.control[codes.SOLVED] = 1

    def start_bodies(self) -> Any:
        """The bodies as they were at the start of the step."""
        before = self.bodies.copy()
        for row, name in zip(self.start, MOVING):
            setattr(before, name, row)
        return before


def _shares(pair_start: Rows, count: int) -> list[int]:
    """Where the groups are cut into up to `count` shares of about as many pairs."""
    if count == 1:
        return [0, len(pair_start) - 1]
    pairs = int(pair_start[-1])
    cuts = np.searchsorted(pair_start, [pairs * k // count for k in range(count)])
    return list(dict.fromkeys([*cuts.tolist(), len(pair_start) - 1]))


def _kept(rows: Any, n: int) -> Any:
    """The first n rows, which the desk will write over."""
    return rows[:n].copy() if n else rows[:0]


def verified_step(sim: Simulation, step: float, shortest: float, rebounds: tuple[int, int], soft: bool) -> int:
    """One step in which no overlap beyond the tolerance survives; how many rounds it took."""
    engine: Engine | None = sim.engine
    if engine is None or engine.bodies is not sim.bodies:
        engine = sim.engine = Engine(sim, engine)
    return engine.advance(step, shortest, rebounds, soft)
