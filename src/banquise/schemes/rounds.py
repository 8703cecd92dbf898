"""A step in rounds: groups of floes that may meet advance together, each group from meeting to meeting.

free motion of all; who may meet; floes that meet nobody are done
rounds, for the others:  impacts of what touches and approaches (with restitution)
                         -> free motion -> what rests together is held -> first meeting of each group -> move
verify: what overlaps now is taken into the groups, and the step is done again
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_laws
from banquise.contact.laws import Outcome, Proof, Touches, hold, impact
from banquise.detection.meeting import meetings
from banquise.detection.scratch import Found
from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import FreeMotion, free_motion_of
from banquise.recording.recorder import EVENT_COLUMNS
from banquise.schemes import _kernels
from banquise.update.positions import turn

if TYPE_CHECKING:
    from banquise.simulation import Simulation

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

ZONE = 1e-4  # of the smaller size: within it bodies may rest against each other
ETA = 1e-2  # of the smaller size: the papers' contact distance
REST = 1e-6  # of the smaller size: bodies at rest this near stay where they are
TOUCH = 1e-10  # of the smaller size: nearer than this is contact
AIM = 1e-12  # of the smaller size: how near a meeting is located
ROUND_OFF = 2e-15  # of the largest coordinate: nearer than this nobody can tell
TOLERANCE = 1e-5  # of the smaller size: overlap that no step may leave behind
BEND = 0.5  # of the tolerance: how far a held point may leave the straight line in a step
SHORTEST = 256  # part of a step that a group takes at least, overlap or not
REDONE = 2  # times a step that leaves an overlap is done again before it is halved
HALVINGS = 8
CUTS = 6  # times a round is shortened before its meeting is taken where it is


class Rounds:
    """One step of the whole scene.

    Parameters
    ----------
    step : s
    shortest : s, the shortest flight between two impacts that is followed
    rebounds : rounds of a step in which impacts rebound, (so many, and so many over the size of the group); in ten
        more they do not; then the rest of the step is taken whole
    soft : bodies that approach too slowly to rebound are kept apart over the step without being met
    """

    def __init__(self, sim: Simulation, step: float, shortest: float, rebounds: tuple[int, int], soft: bool):
        self.sim, self.step, self.shortest, self.rebound_rounds, self.soft = sim, step, shortest, rebounds, soft
        bodies = self.bodies = sim.bodies
        n = self.n = bodies.n_free
        sim.obstacle_motion.set_velocity(bodies, sim.time, step)
        self.together = not sim.obstacle_motion.still
        self.start = bodies.copy()
        self.left = np.full(n, step)  # time each floe has yet to go
        self.velocity = np.column_stack([bodies.u, bodies.v, bodies.spin])
        self.pose = np.column_stack([bodies.x, bodies.y, bodies.cos, bodies.sin])
        self.pushes = pushes_on(bodies, sim.forcing, sim.time, step)
        self.water = np.zeros((n, 3))  # impulse of the water on each floe, for an ocean that answers
        self.blur = ROUND_OFF * float(max(np.abs(bodies.x).max(initial=0.0), np.abs(bodies.y).max(initial=0.0)))
        self.work = np.zeros(4)
        self.lost = self.from_obstacles = 0.0
        self.proof = Proof()
        self.collisions = self.touching = self.count = 0
        self.projection = 0.0
        self.since = np.full(n, np.inf)  # since the last impact of each floe, within this step
        self.quick = np.zeros(n, np.int64)  # its impacts in a row that came sooner than the shortest flight
        self.reach, self.pull = np.empty(len(bodies)), np.empty(len(bodies))
        self.motion = np.zeros((len(bodies), 6))

    # ------------------------------------------------------------ the step

    def advance(self, also: list[tuple[int, int]]) -> None:
        """Advance all floes; pairs in `also` are in the groups whatever they look like at first."""
        self.free = self._free(self.left)
        found = self._look()
        if self._regain(found):
            found = self._look()
        pairs = self.pairs = self._groups(found, also)
        idle = np.flatnonzero(self.group < 0)
        nothing = np.zeros((self.n, 3))
        self._move(idle, self.left, self.free.displacement, nothing)
        self.active = np.flatnonzero(self.group >= 0)
        if not len(self.active):
            return
        found = self._among(found, pairs)
        while self.left.any():
            self._round(found)
            self.count += 1
            if self.left.any():
                self.free = self._free(self.left, self.active)
                self._reaches()
                found = self._contacts_among(pairs)

    def _free(self, steps: Array, chosen: Rows | None = None) -> FreeMotion:
        sim = self.sim
        out = None if chosen is None else self.free
        time = sim.time + (0.0 if sim.euler else 0.5 * self.step)
        return free_motion_of(sim.bodies, sim.forcing, time, steps, self.pushes, sim.euler, chosen, out)

    def _reaches(self) -> None:
        longest = float(self.left.max(initial=0.0))
        _kernels.reaches(
            self.left, self.velocity, self.free.velocity, self.bodies.extent, longest, self.reach, self.pull
        )

    def _look(self) -> Found:
        """Every contact point that may matter before the end of the step."""
        self._reaches()
        return self.sim.detector.found(self.bodies, self.sim.zone, self.reach, self.sim.largest_restitution)

    def _regain(self, found: Found) -> bool:
        """Push bodies that overlap by a good part of the tolerance apart, positions only; whether any were.

        What turning leaves behind over many steps would otherwise use the tolerance up, and every further step would have
        to be split. The largest displacement is entered in the ledger. No more than the tolerance is moved: a jam may
        have no room.
        """
        value, who = found.value, found.who
        size = self.sim.size[who[:, 0]]
        free = who[:, 1] < self.n
        size[free] = np.minimum(size[free], self.sim.size[who[free, 1]])
        gap = value[:, 6]
        if not np.any(gap < -0.25 * TOLERANCE * size):
            return False
        chosen = np.flatnonzero(gap <= ZONE * size)
        laws = self.sim.laws
        still = np.zeros((len(self.bodies), 3))
        problem = laws.touches(chosen, found, still, gap[chosen], np.zeros(len(chosen), np.bool_))
        smooth = replace(problem, rows=replace(problem.rows, friction=np.zeros(len(chosen))))
        outcome = hold(smooth, laws, tolerance=1e-3)
        change = np.zeros((self.n, 3))
        self._changes(problem, outcome, change)
        b, rows = self.bodies, problem.bodies
        way = np.hypot(change[rows, 0], change[rows, 1]) + b.extent[rows] * np.abs(change[rows, 2])
        change[rows] *= np.minimum(1.0, TOLERANCE * self.sim.size[rows] / np.maximum(way, 1e-300))[:, None]
        b.x[rows] += change[rows, 0]
        b.y[rows] += change[rows, 1]
        turn(b, rows, b.angle[rows] + change[rows, 2])
        self.pose[rows] = np.column_stack([b.x[rows], b.y[rows], b.cos[rows], b.sin[rows]])
        self.projection = float(np.minimum(way, TOLERANCE * self.sim.size[rows]).max(initial=0.0))
        return True

    def _contacts_among(self, pairs: NDArray[np.int32]) -> Found:
        return self.sim.detector.found_among(pairs, self.pose, self.sim.zone, 1.05 * self.reach)

    def _groups(self, found: Found, also: list[tuple[int, int]]) -> NDArray[np.int32]:
        """Label the groups of floes that may meet; the pairs among their members, as the detector lists them."""
        m = len(found.value)
        pairs, first, live = np.empty((m, 2), np.int32), np.empty(m, np.int64), np.zeros(m, np.bool_)
        b = self.bodies
        count = _kernels.survey(
            found.value, found.who, self.velocity, self.free.displacement, self.step, self.n, self.sim.size, self.pull,
            b.extent, self.reach, self.shortest, ZONE, TOUCH, self.blur, pairs, first, live, np.zeros(len(b), np.bool_),
        )  # fmt: skip
        pairs, first, live = pairs[:count], first[:count], live[:count]
        if also:
            more = np.array(also, dtype=np.int32)
            pairs = np.concatenate([pairs, more])
            live = np.append(live, np.ones(len(more), np.bool_))
        self.group = np.empty(self.n, np.int64)
        _kernels.label_groups(pairs, np.flatnonzero(live), self.n, self.group)
        members = np.bincount(self.group[self.group >= 0], minlength=self.n)
        self.rebounds = self.rebound_rounds[0] + self.rebound_rounds[1] // np.maximum(members, 1)
        # every pair near enough to meet counts once its members are in a group: an impact may send them anywhere
        a, b2 = pairs[:count, 0], pairs[:count, 1]
        inside = self.group[a] >= 0
        free = b2 < self.n
        inside[free] &= self.group[b2[free]] >= 0
        detector = self.sim.detector
        listed = np.zeros((int(inside.sum()), 4), np.int32)
        listed[:, 0], listed[:, 1] = a[inside], b2[inside]
        if detector.period.any():
            shift = found.value[first[inside], 7:9]
            period = np.where(detector.period > 0, detector.period, 1.0)
            image = np.rint(shift / period).astype(np.int64)
            listed[:, 2:] = image - detector.wraps[listed[:, 0]] + detector.wraps[listed[:, 1]]
        if also:
            extra = np.zeros((len(also), 4), np.int32)
            extra[:, :2] = also
            listed = np.unique(np.concatenate([listed, extra]), axis=0)
        return listed

    def _among(self, found: Found, pairs: NDArray[np.int32]) -> Found:
        """The contacts of floes in groups, from what was found for all."""
        if len(pairs) and len(found.value):
            a, b = found.who[:, 0], found.who[:, 1]
            inside = self.group[a] >= 0
            free = b < self.n
            inside[free] &= self.group[b[free]] >= 0
            if inside.all():
                return found
            return Found(found.value[inside], found.who[inside], found.key[inside])
        return found

    # ------------------------------------------------------------ one round

    def _round(self, found: Found) -> None:
        near, striking = self._classify(found)
        if striking:
            self._impacts(found, near)
            self.free = self._free(self.left, self.active)
            self._reaches()
            found = self._contacts_among(self.pairs)  # what was struck may reach farther now
            self._classify(found)
        self._advance_groups(found)

    def _classify(self, found: Found) -> tuple[int, int]:
        m = len(found.value)
        self.state, self.gap_rate, self.bounce = np.empty(m, np.int8), np.empty(m), np.empty(m, np.bool_)
        approach = np.empty(self.n)
        near, striking, self.held = _kernels.classify(
            found.value, found.who, self.velocity, self.left, self.quick, self.group, self.count, self.rebounds, self.n,
            self.sim.size, self.pull, self.shortest, ZONE, TOUCH, self.blur, self.soft, self.sim.largest_restitution,
            approach, self.state, self.gap_rate, self.bounce,
        )  # fmt: skip
        return near, striking

    def _impacts(self, found: Found, near: int) -> None:
        """Bodies that touch and approach exchange impulses."""
        chosen = np.flatnonzero(self.state & 3)
        problem = self.sim.laws.touches(chosen, found, self.velocity, self.gap_rate[chosen], self.bounce[chosen])
        outcome = impact(problem, self.sim.laws)
        loss = self._book(found, problem, outcome, outcome.before, outcome.after)
        events = np.empty((len(chosen), len(EVENT_COLUMNS)))
        b = self.bodies
        count = _kernels_laws.write_events(
            chosen, problem.order, found.value, found.who, b.ids, b.x, b.y, problem.rows.friction, outcome.impulses,
            loss, self.sim.time + self.step, self.left, self.state, events,
        )  # fmt: skip
        _kernels.note_impacts(found.who, self.state, self.n, self.shortest, self.since, self.quick)
        self.collisions += count
        self.sim.impulses.events.append(events[:count])
        change = np.zeros((self.n, 3))
        self._changes(problem, outcome, change)
        rows = problem.bodies
        self.velocity[rows] += change[rows]
        b.u[rows], b.v[rows], b.spin[rows] = self.velocity[rows].T

    def _changes(self, problem: Touches, outcome: Outcome, change: Array) -> None:
        b = self.bodies
        _kernels_laws.velocity_changes(
            problem.bodies, len(problem.bodies), outcome.y, b.inverse_mass, b.inverse_inertia, change
        )

    def _book(self, found: Found, problem: Touches, outcome: Outcome, before: Array, after: Array) -> Array:
        """Enter impulses into the books; the energy lost at each row."""
        impulses = self.sim.impulses
        loss = np.empty(len(problem.order))
        total, work = _kernels_laws.book(
            problem.chosen, problem.order, found.value, found.who, self.velocity, outcome.impulses, before, after, self.n,
            impulses.on_obstacles, impulses.stress, loss,
        )  # fmt: skip
        impulses.note(self.bodies, found, problem.chosen[problem.order], outcome.impulses)
        self.proof.merge(outcome.proof)
        self.lost += total
        self.from_obstacles += work
        return loss

    def _advance_groups(self, found: Found) -> None:
        """Move every group to its next meeting, or to the end of the step."""
        steps = self._longest_steps(found.who)
        if np.any(steps[self.active] < self.left[self.active]):
            self.free = self._free(steps, self.active)
        held = np.flatnonzero(self.state & 4) if self.held else np.empty(0, np.int64)
        m = len(found.value)
        pair_a, pair_b = np.empty(m, np.int32), np.empty(m, np.int32)
        shift, distances, is_held = np.empty((m, 2)), np.empty((m, 2)), np.empty(m, np.bool_)
        count = _kernels.watched(
            found.value, found.who, self.state, self.left, self.n, self.sim.size, TOUCH, AIM, self.blur,
            pair_a, pair_b, shift, distances, is_held,
        )  # fmt: skip
        least = np.empty(self.n)
        change, displacement = np.zeros((self.n, 3)), np.empty((self.n, 3))
        for _ in range(CUTS):
            problem, outcome = self._hold(found, held, steps, change)
            _kernels.held_displacement(self.active, steps, change, self.free.displacement, displacement)
            if not count:
                break
            _kernels.paths(self.active, self.velocity, displacement, steps, self.n, self.motion)
            when = meetings(
                self.sim.detector, self.pose, self.bodies.extent, pair_a[:count], pair_b[:count], shift[:count],
                self.motion, steps[pair_a[:count]], distances[:count, 0].copy(), distances[:count, 1].copy(),
                is_held[:count],
            )  # fmt: skip
            if not _kernels.cut_steps(pair_a[:count], when, self.active, self.group, self.together, least, steps):
                break
            self.free = self._free(steps, self.active)
        if problem is not None and outcome is not None:
            # before the step's forces, not before the impulses: the forces' work is on the way that came about
            before, after = np.empty((len(held), 2)), np.empty((len(held), 2))
            _kernels.contact_speeds(held, problem.order, found.value, found.who, self.velocity, before)
            end = self.velocity.copy()
            end[self.active] = self.free.velocity[self.active] + change[self.active]
            _kernels.contact_speeds(held, problem.order, found.value, found.who, end, after)
            self._book(found, problem, outcome, before, after)
            self.touching = int(np.count_nonzero(outcome.impulses[:, 0]))
        self._move(self.active, steps, displacement, change)
        if self.together:
            # on the straight way to where they will be: meetings are sought there, a curved path would jump
            gone = self.step - float(self.left.max())
            b, n, first = self.bodies, self.n, self.start
            b.x[n:], b.y[n:] = first.x[n:] + gone * b.u[n:], first.y[n:] + gone * b.v[n:]
            turn(b, slice(n, len(b)), first.angle[n:] + gone * b.spin[n:])
            self.pose[n:] = np.column_stack([b.x[n:], b.y[n:], b.cos[n:], b.sin[n:]])

    def _longest_steps(self, who: NDArray[np.int32]) -> Array:
        """The time left, cut for groups in which longer steps left an overlap, or whose bodies are held apart.

        Held bodies are kept apart along straight lines. A point that turns at spin w while it moves at speed v leaves its
        line by w v h^2 / 2 in a step h: no more than a part of the tolerance is allowed. Those kept apart without being met
        also move by at most half the papers' contact distance, since their contact points are those of where they start.
        """
        steps, active = self.left.copy(), self.active
        limit = self.sim.step_cap[active].copy()
        turning = np.abs(self.velocity[active, 2])
        going = self.left[active] > 0.0
        speed = np.where(going, self.reach[active] / np.where(going, self.left[active], 1.0), 0.0)
        size = self.sim.size[active]
        for least, bound in (
            (4, np.sqrt(BEND * TOLERANCE * size / np.maximum(turning * speed, 1e-300))),
            (8, 0.5 * ETA * size / np.maximum(speed, 1e-300)),
        ):
            rows = who[self.state >= least, 0]
            if len(rows):
                concerned = np.zeros(self.n, np.bool_)
                concerned[self.group[rows]] = True
                near = concerned[self.group[active]]
                limit[near] = np.minimum(limit[near], bound[near])
        if not limit.min(initial=np.inf) < np.inf:
            return steps
        group_cap = np.full(self.n, np.inf)
        np.minimum.at(group_cap, self.group[active], limit)
        steps[active] = np.minimum(steps[active], group_cap[self.group[active]])
        if self.together:
            steps[active] = steps[active].min()
        return steps

    def _hold(self, found: Found, held: Rows, steps: Array, change: Array) -> tuple[Touches | None, Outcome | None]:
        """Impulses that keep bodies at rest against each other apart over the step; writes the velocity changes."""
        if not len(held):
            return None, None
        rates = np.empty(len(held))
        _kernels.held_rates(found.value, found.who, held, steps, self.n, self.sim.size, REST, rates)
        velocity = self.velocity.copy()
        velocity[self.active] = self.free.velocity[self.active]
        problem = self.sim.laws.touches(held, found, velocity, rates, np.zeros(len(held), np.bool_))
        outcome = hold(problem, self.sim.laws)
        self._changes(problem, outcome, change)
        return problem, outcome

    def _move(self, chosen: Rows, steps: Array, displacement: Array, change: Array) -> None:
        b, free = self.bodies, self.free
        if self.sim.ocean is not None:
            self.water[chosen] += free.force[chosen, 1] * steps[chosen, None]
        _kernels.move(
            chosen, steps, free.velocity, change, displacement, free.force, self.pushes, b.mass, free.gravity,
            b.x, b.y, b.angle, b.cos, b.sin, b.u, b.v, b.spin, self.velocity, self.pose, self.left, self.since, self.work,
        )  # fmt: skip

    # ------------------------------------------------------------ accounts

    def undo(self) -> None:
        """Put the scene back to the start of the step."""
        for name in ("x", "y", "cos", "sin", "angle", "u", "v", "spin"):
            getattr(self.bodies, name)[:] = getattr(self.start, name)
        self.sim.impulses.undo()

    def overlaps(self) -> tuple[float, list[tuple[int, int]]]:
        """Largest overlap now (m), and the pairs beyond the tolerance; measured apart from the contact code."""
        sim, b = self.sim, self.bodies
        one, other, depth = sim.detector.overlaps(b)
        if not len(depth):
            return 0.0, []
        size = np.minimum(sim.size[one], np.where(other < self.n, sim.size[other], np.inf))
        deep = depth > TOLERANCE * size
        return float(depth.max()), [(int(i), int(j)) for i, j in zip(one[deep], other[deep])]

    def watched(self, i: int, j: int) -> bool:
        """Whether two bodies were among the pairs looked at in every round."""
        return bool(np.any((self.pairs[:, 0] == i) & (self.pairs[:, 1] == j)))

    def commit(self, overlap: float) -> None:
        """Enter the step into the simulation's books."""
        sim, proof = self.sim, self.proof
        sim.impulses.keep()
        if sim.ocean is not None:
            sim.ocean.advance(self.start, self.water, sim.time, self.step, sim.forcing)
        sim.ledger.add(
            steps=1,
            collisions=self.collisions,
            contacts=self.touching,
            islands=proof.islands,
            largest_island=proof.largest_island,
            residual=proof.residual,
            unsolved=proof.unsolved,
            max_overlap=overlap,
            projection=self.projection,
            work_wind=self.work[0],
            work_current=self.work[1],
            work_gravity=self.work[2],
            work_loads=self.work[3],
            work_obstacles=self.from_obstacles,
            dissipated_contact=self.lost,
        )
        sim.time += self.step


def verified_step(
    sim: Simulation, step: float, shortest: float, rebounds: tuple[int, int], soft: bool, halvings: int = HALVINGS
) -> int:
    """One step, done again until nothing overlaps beyond the tolerance; how many rounds it took.

    Bodies that overlap although they were no group become one; those that were take shorter steps from then on (turning
    bodies that slide on each other leave the straight line on which they were kept apart), lengthened again while all goes
    well. Where that does not help the whole step is halved.
    """
    also: list[tuple[int, int]] = []
    for attempt in range(REDONE + 1):
        rounds = Rounds(sim, step, shortest, rebounds, soft)
        rounds.advance(also)
        sim.obstacle_motion.place(sim.bodies, sim.time + step)
        deepest, bad = rounds.overlaps()
        fresh = [pair for pair in bad if pair not in sim.overlapping]
        if not fresh:
            break
        if attempt == REDONE and not halvings:
            # said, not hidden: it is in the ledger, and these pairs do not hold up the clock while they overlap
            sim.ledger.add(unsolved=1)
            break
        for i, j in fresh:
            if rounds.watched(i, j):
                for row in (i, j) if j < rounds.n else (i,):
                    sim.step_cap[row] = max(0.5 * min(sim.step_cap[row], step), step / SHORTEST)
            else:
                also = sorted({*also, (i, j)})
        rounds.undo()
        sim.obstacle_motion.place(sim.bodies, sim.time)
        sim.ledger.add(splits=1)
    if fresh and halvings:
        return sum(verified_step(sim, 0.5 * step, shortest, rebounds, soft, halvings - 1) for _ in range(2))
    if sim.step_cap.min(initial=np.inf) < np.inf:
        sim.step_cap *= 1.2
        sim.step_cap[sim.step_cap >= step] = np.inf
    sim.overlapping = bad
    rounds.commit(deepest)
    return rounds.count
