"""A step in rounds: groups of floes that may meet advance together, each group from meeting to meeting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact.laws import Outcome, Proof, hold, impact, touches
from banquise.detection.manifold import Contacts
from banquise.detection.meeting import meetings
from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import FreeMotion, free_motion_of
from banquise.schemes import _kernels

if TYPE_CHECKING:
    from banquise.simulation import Simulation

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

ZONE = 1e-4  # of the smaller size: within it bodies may rest against each other
TOUCH = 1e-10  # of the smaller size: nearer than this is contact
AIM = 1e-12  # of the smaller size: how near a meeting is located
ROUND_OFF = 2e-15  # of the largest coordinate: nearer than this nobody can tell
REST = 1e-6  # of the smaller size: bodies at rest this near stay where they are
ROUNDS = 60, 2000  # rounds of a step in which impacts rebound, this many and so many over the size of the group;
#                    in as many again they do not; then the rest of the step is taken whole
TOLERANCE = 1e-5  # of the smaller size: overlap that no step may leave behind
CUTS = 6  # times a round's step is cut before its meeting is taken where it is


class Rounds:
    """One step of the whole scene. Nothing of the simulation changes before `commit`, except the poses."""

    def __init__(self, sim: Simulation, step: float, shortest: float, together: bool = False):
        self.sim, self.step, self.shortest = sim, step, shortest
        bodies = self.bodies = sim.bodies
        n = self.n = bodies.n_free
        sim.obstacle_motion.set_velocity(bodies, sim.time, step)
        self.together = together or not sim.obstacle_motion.still
        self.start = bodies.copy()
        self.left = np.full(n, step)  # time each floe has yet to go
        self.velocity = np.column_stack([bodies.u, bodies.v, bodies.spin])
        self.pushes = pushes_on(bodies, sim.forcing, sim.time, step)
        self.zone = ZONE * sim.size
        self.blur = ROUND_OFF * float(max(np.abs(bodies.x).max(initial=0.0), np.abs(bodies.y).max(initial=0.0)))
        self.sums: dict[str, float] = {}
        self.proof = Proof()
        self.overlap = 0.0
        self.collisions = 0
        self.touching = 0
        self.group: Rows | None = None
        self.covered = np.zeros(len(bodies))  # travel for which the contacts at hand are complete

    def advance(self) -> bool:
        """Advance all floes to the end of the step; False, with everything as before, if groups got in each other's way."""
        count = 0
        self.contacts: Contacts | None = None
        while self.left.any():
            if not self._round(count):
                self._undo()
                return False
            count += 1
        return True

    # ------------------------------------------------------------ one round

    def _round(self, count: int) -> bool:
        free = self._free(self.left)
        contacts = self._look(free)
        if not self._grouped(contacts):
            return False
        if self._impacts(contacts, count):
            free = self._free(self.left)
            if np.any(self._reach(free)[0] > self.covered):
                contacts = self._look(free)
                if not self._grouped(contacts):
                    return False
        self._move(contacts, free, count)
        return True

    def _free(self, steps: Array) -> FreeMotion:
        sim = self.sim
        return free_motion_of(sim.bodies, sim.forcing, sim.time + 0.5 * self.step, steps, self.pushes, sim.euler)

    def _reach(self, free: FreeMotion) -> tuple[Array, Array]:
        b = self.bodies
        reach, acceleration = np.empty(len(b)), np.empty(len(b))
        _kernels.reaches(
            self.left, self.velocity, free.velocity, b.extent, float(self.left.max(initial=0.0)), reach, acceleration
        )
        return reach, acceleration

    def _look(self, free: FreeMotion) -> Contacts:
        """Every contact point that may matter before the end of the step."""
        reach, self.acceleration = self._reach(free)
        if self.group is None:
            # a floe that is struck may come farther than its own speed lets expect: its neighbours' speed counts too
            near = self.sim.detector.contacts(self.bodies, self.zone, reach)
            self.first_reach = reach.copy()
            hit = 1.0 + self.sim.largest_restitution
            for one, other in ((near.pair_a, near.pair_b), (near.pair_b, near.pair_a)):
                np.maximum.at(reach, one, np.where(other < self.n, hit * self.first_reach[other], 0.0))
        else:
            reach *= 1.1
        self.covered = reach
        found = self.sim.detector.contacts(self.bodies, self.zone, reach, self.sim.contact_memory)
        self.sim.contact_memory = found
        if len(found):
            self.overlap = max(self.overlap, float(-found.gap.min()))
        return found

    def _grouped(self, contacts: Contacts) -> bool:
        """Groups of floes that may meet; False if floes of two groups that stand at different times may meet."""
        if self.group is None:
            self.group = np.empty(self.n, np.int64)
            if self.together:
                self.group[:] = 0
            else:
                _kernels.label_groups(contacts.pair_a, contacts.pair_b, self.n, self.group)
            members = np.bincount(self.group)[self.group]
            self.rebounds = ROUNDS[0] + ROUNDS[1] // members
            return True
        if self.together:
            return True
        free = contacts.pair_b < self.n
        a, b = contacts.pair_a[free], contacts.pair_b[free]
        apart = self.group[a] != self.group[b]
        if not apart.any():
            return True
        a, b = a[apart], b[apart]
        if np.any(self.left[a] != self.left[b]):
            return False
        for i, j in zip(a, b):  # at the same time still: one group from now on
            self.group[self.group == self.group[j]] = self.group[i]
        return True

    # ------------------------------------------------------------ impacts

    def _impacts(self, contacts: Contacts, count: int) -> bool:
        """Bodies that touch and approach exchange impulses; whether any did."""
        speed = self._speeds(contacts)
        going = self.left[contacts.a] > 0.0
        limit = -np.maximum(self._rest_speed(contacts), 1e-13 * np.abs(speed).max(initial=0.0))
        touch = contacts.gap <= TOUCH * self._sizes(contacts) + self.blur
        near = np.flatnonzero(going & (touch | self._whole(contacts, count)))
        gap_rate = np.where(touch[near], 0.0, np.maximum(contacts.gap[near], 0.0) / self.left[contacts.a[near]])
        striking = speed[near] < limit[near] - gap_rate
        if not striking.any():
            return False
        b = self.bodies
        friction, restitution = self.sim.contact_laws(contacts, near)
        # a rebound too slow to be followed is none: otherwise it would lift the bodies off while they are held
        # (the fastest approach of the group counts: a contact at rest rebounds too when its neighbour is struck)
        assert self.group is not None
        group = self.group[contacts.a[near]]
        approach = np.zeros(self.n)
        np.maximum.at(approach, group, -speed[near])
        bounces = (count < self.rebounds[contacts.a[near]]) & (restitution * approach[group] > -limit[near])
        problem = touches(
            contacts.a[near], contacts.b[near], b.inverse_mass, b.inverse_inertia, contacts.normal[near],
            contacts.lever_a[near], contacts.lever_b[near], self.velocity, gap_rate, friction,
            np.where(bounces, restitution, 0.0),
        )  # fmt: skip
        outcome = impact(problem, self.sim.contact)
        rows = near[problem.order]
        self._account(contacts, rows, outcome)
        time = self.sim.time + self.step - self.left[contacts.a[rows]]
        self.collisions += self.sim.impulses.impacts(b, contacts, rows, outcome, problem.rows.friction, time)
        self._kick(outcome.y)
        return True

    def _speeds(self, contacts: Contacts) -> Array:
        speed = np.empty(len(contacts))
        _kernels.normal_speeds(
            contacts.a, contacts.b, contacts.normal, contacts.lever_a, contacts.lever_b, self.velocity, speed
        )
        return speed

    def _rest_speed(self, contacts: Contacts) -> Array:
        """Slower than this two bodies part neither for as long as the shortest flight nor as far as can be told."""
        pull = self.acceleration[contacts.a] + self.acceleration[contacts.b]
        return np.maximum(self.shortest * pull, 2 * np.sqrt(pull * (TOUCH * self._sizes(contacts) + self.blur)))

    def _whole(self, contacts: Contacts, count: int) -> NDArray[np.bool_]:
        """Contacts of groups that have met too often in this step: the rest of it is taken whole, nothing rebounds."""
        return count >= 2 * self.rebounds[contacts.a]

    def _kick(self, y: Array) -> None:
        """Give the floes the velocities that the impulses leave them."""
        self.velocity[: self.n] += self._change(y)
        b, n = self.bodies, self.n
        b.u[:n], b.v[:n], b.spin[:n] = self.velocity[:n].T

    def _change(self, y: Array) -> Array:
        b, n = self.bodies, self.n
        root = np.sqrt(b.inverse_mass[:n])
        return y[:n] * np.column_stack([root, root, np.sqrt(b.inverse_inertia[:n])])

    def _sizes(self, contacts: Contacts) -> Array:
        """The smaller size of the two bodies, an obstacle not counted."""
        size = self.sim.size
        other = np.where(contacts.b < self.n, size[contacts.b], np.inf)
        return np.minimum(size[contacts.a], other)

    # ------------------------------------------------------------ motion

    def _move(self, contacts: Contacts, free: FreeMotion, count: int) -> None:
        """Move every group to its next meeting, or to the end of the step."""
        steps = self.left.copy()
        slow = np.abs(self._speeds(contacts)) <= self._rest_speed(contacts)
        near = contacts.gap <= ZONE * self._sizes(contacts)
        whole = self._whole(contacts, count)
        held = np.flatnonzero(((near & slow) | whole) & (self.left[contacts.a] > 0.0))
        pairs = self._pairs(contacts, held, whole)
        for _ in range(CUTS):
            outcome, rows, change = self._hold(contacts, held, free, steps)
            displacement = free.displacement + 0.5 * steps[:, None] * change
            if not len(pairs[0]):
                break
            motion = np.empty((len(self.bodies), 6))
            _kernels.paths(self.velocity, displacement, steps, self.velocity, motion)
            when = meetings(self.sim.detector, self.bodies, *pairs[:3], motion, steps[pairs[0]], *pairs[3:])
            if self.together:
                steps[:] = min(float(steps.max()), float(when.min(initial=np.inf)))
                cut = bool(np.any(when < np.inf)) and float(when.min()) < self.left.max() * (1 - 1e-12)
            else:
                assert self.group is not None
                cut = _kernels.cut_steps(pairs[0], when, self.group, steps, 1e-12) > 0
            if not cut:
                break
            free = self._free(steps)
        self._apply(contacts, rows, outcome, free, change, displacement, steps)

    def _pairs(self, contacts: Contacts, held: Rows, whole: NDArray[np.bool_]) -> tuple[Any, ...]:
        """Pairs to watch: rows of bodies, image offsets, distances that count, whether held together."""
        first = contacts.pair_start[:-1]
        size = self._sizes(contacts)[first]
        is_held = np.zeros(len(contacts), np.bool_)
        is_held[held] = True
        held_pair = np.logical_or.reduceat(is_held, first) if len(first) else np.empty(0, np.bool_)
        going = (self.left[contacts.pair_a] > 0.0) & ~whole[first]
        return (
            contacts.pair_a[going],
            contacts.pair_b[going],
            contacts.shift[first][going],
            TOUCH * size[going] + self.blur,
            AIM * size[going] + 0.5 * self.blur,
            held_pair[going],
        )

    def _hold(
        self, contacts: Contacts, held: Rows, free: FreeMotion, steps: Array
    ) -> tuple[Outcome | None, Rows, Array]:
        """Impulses that keep bodies at rest against each other apart over the step; their rows and velocity changes."""
        if not len(held):
            return None, held, np.zeros((self.n, 3))
        b = self.bodies
        velocity = self.velocity.copy()
        velocity[: self.n] = free.velocity
        room = contacts.gap[held] - REST * self._sizes(contacts)[held]
        gap_rate = np.maximum(room, 0.0) / steps[contacts.a[held]]
        friction, restitution = self.sim.contact_laws(contacts, held)
        problem = touches(
            contacts.a[held], contacts.b[held], b.inverse_mass, b.inverse_inertia, contacts.normal[held],
            contacts.lever_a[held], contacts.lever_b[held], velocity, gap_rate, friction, restitution,
        )  # fmt: skip
        outcome = hold(problem, self.sim.contact)
        return outcome, held[problem.order], self._change(outcome.y)

    def _apply(
        self, contacts: Contacts, rows: Rows, outcome: Outcome | None, free: FreeMotion, change: Array,
        displacement: Array, steps: Array,
    ) -> None:  # fmt: skip
        b, n = self.bodies, self.n
        if outcome is not None:
            # before the step's forces, not before the impulses: the work of the forces is on the way that came about
            before = self._relative(contacts, rows, self.velocity)
            self.touching = int(np.count_nonzero(outcome.impulses[:, 0]))
            self.velocity[:n] = free.velocity + change
            after = self._relative(contacts, rows, self.velocity)
            self._account(contacts, rows, Outcome(outcome.impulses, outcome.y, before, after, outcome.proof))
        else:
            self.velocity[:n] = free.velocity
        for name, amount in free.work(b, displacement).items():
            self.sums[name] = self.sums.get(name, 0.0) + amount
        b.x[:n] += displacement[:, 0]
        b.y[:n] += displacement[:, 1]
        b.angle[:n] += displacement[:, 2]
        b.cos[:n], b.sin[:n] = np.cos(b.angle[:n]), np.sin(b.angle[:n])
        b.u[:n], b.v[:n], b.spin[:n] = self.velocity[:n].T
        if n < len(b) and not self.sim.obstacle_motion.still:
            taken = float(steps.max(initial=0.0))
            self.sim.obstacle_motion.place(b, self.sim.time + self.step - float(self.left.max()) + taken)
        self.left = np.where(steps >= self.left, 0.0, self.left - steps)

    def _relative(self, contacts: Contacts, rows: Rows, velocity: Array) -> Array:
        """Relative speeds (k, 2), normal and tangent, at some contacts."""
        normal = contacts.normal[rows]
        out = np.empty((len(rows), 2))
        a, b, la, lb = contacts.a[rows], contacts.b[rows], contacts.lever_a[rows], contacts.lever_b[rows]
        for k, direction in enumerate((normal, np.column_stack([-normal[:, 1], normal[:, 0]]))):
            speed = np.empty(len(rows))
            _kernels.normal_speeds(a, b, np.ascontiguousarray(direction), la, lb, velocity, speed)
            out[:, k] = speed
        return out

    # ------------------------------------------------------------ accounts

    def _account(self, contacts: Contacts, rows: Rows, outcome: Outcome) -> None:
        """Energy lost, work of obstacles, loads and stress of a set of impulses."""
        self.proof.merge(outcome.proof)
        self._add("dissipated_contact", float(outcome.loss.sum()))
        self.sim.impulses.add(self.bodies, contacts, rows, outcome.impulses)
        if self.n < len(self.bodies) and not self.sim.obstacle_motion.still:
            self._add("work_obstacles", self._obstacle_work(contacts, rows, outcome.impulses))

    def _obstacle_work(self, contacts: Contacts, rows: Rows, impulses: Array) -> float:
        """Work of moving obstacles on the floes: impulse on the floe times the obstacle's own speed at the point."""
        hit = contacts.b[rows] >= self.n
        rows, impulses = rows[hit], impulses[hit]
        j, lever, normal = contacts.b[rows], contacts.lever_b[rows], contacts.normal[rows]
        u = self.velocity[j, 0] - self.velocity[j, 2] * lever[:, 1]
        v = self.velocity[j, 1] + self.velocity[j, 2] * lever[:, 0]
        along = u * normal[:, 0] + v * normal[:, 1]
        across = -u * normal[:, 1] + v * normal[:, 0]
        return float(-np.sum(impulses[:, 0] * along + impulses[:, 1] * across))

    def _add(self, name: str, amount: float) -> None:
        self.sums[name] = self.sums.get(name, 0.0) + amount

    def _undo(self) -> None:
        """Put everything back to the start of the step."""
        for name in ("x", "y", "cos", "sin", "angle", "u", "v", "spin"):
            getattr(self.bodies, name)[:] = getattr(self.start, name)
        self.sim.impulses.undo()

    def commit(self) -> None:
        """Enter the step into the simulation's books."""
        sim = self.sim
        sim.obstacle_motion.place(self.bodies, sim.time + self.step)
        sim.impulses.keep()
        sim.ledger.add(
            steps=1,
            collisions=self.collisions,
            contacts=self.touching,
            islands=self.proof.islands,
            largest_island=self.proof.largest_island,
            residual=self.proof.residual,
            unsolved=self.proof.unsolved,
            max_overlap=self.overlap,
            **self.sums,
        )
        sim.time += self.step
