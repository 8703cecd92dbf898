"""The papers' own event-driven scheme: floes nearer than eta, a hundredth of their size, are in contact.

A step:  detect -> solve the contacts (impacts, with restitution) -> the largest safe step by the rule
         -> move, the push of the forces held -> verify the overlap; halve and move again where there is one

The whole scene takes the same step. No meeting is located: the zone eta is wide enough to land in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_laws
from banquise.contact.laws import Outcome, Proof, Touches, hold, impact
from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import FreeMotion, free_motion_of
from banquise.schemes import _kernels_papers as kernels
from banquise.update.impulses import EVENT_COLUMNS

if TYPE_CHECKING:
    from banquise.simulation import Simulation

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

ETA = 1e-2  # of the size: the papers' threshold
AGAIN = 10  # solves of the impacts of a step; what then still approaches is held without rebound
FLOOR = 256  # part of the shortest step that is taken whatever it leaves
TURNED = 0.99  # part of a step: contacts that part turn back no sooner, or they would be pushed on before they do
TOLERANCE = 1e-5  # of the smaller size: overlap that no step may leave behind
RULES = {"half": kernels.HALF, "pairs": kernels.PAIRS}


def advance(sim: Simulation, target: float, longest: float, shortest: float, rule: str) -> None:
    """One step of the whole scene, no farther than `target`."""
    step = PapersStep(sim, min(longest, sim.pace), shortest, RULES[rule])
    step.collide()
    safe = step.largest()
    while not step.move(sim.even_step(target, max(safe, step.shortest))):
        safe = step.retry
    step.commit()
    sim.pace = 2.0 * safe


class PapersStep:
    """One step.

    Parameters
    ----------
    horizon : s, the step looked ahead for
    shortest : s, the step taken even against the rule, which is counted; impacts that would need shorter ones do not
        rebound
    rule : HALF or PAIRS
    """

    def __init__(self, sim: Simulation, horizon: float, shortest: float, rule: int):
        self.sim, self.horizon, self.shortest, self.rule = sim, horizon, shortest, rule
        self.smallest = shortest / FLOOR
        b = self.bodies = sim.bodies
        n = self.n = b.n_free
        sim.obstacle_motion.set_velocity(b, sim.time, horizon)
        self.eta = ETA * sim.size
        self.start, self.velocity, self.reach = np.empty((len(b), 5)), np.empty((len(b), 3)), np.empty(len(b))
        ahead = 2.0 * horizon if rule == kernels.HALF else horizon
        kernels.begin(
            b.x, b.y, b.cos, b.sin, b.angle, b.u, b.v, b.spin, b.extent, self.eta, n, ahead, self.start, self.velocity,
            self.reach,
        )  # fmt: skip
        self.found, self.pairs, self.distance = sim.detector.found_and_distances(b, self.eta, self.reach)
        kernels.meet_halfway(self.found.value, self.found.who, sim.detector.pose)
        m = len(self.found.value)
        self.chosen, self.rate, self.bounce = np.empty(m, np.int64), np.empty(m), np.empty(m, np.bool_)
        self.before = b.copy() if sim.ocean is not None else None
        self.rows = np.arange(n)
        self.way, self.work = np.empty((len(b), 3)), np.empty(4)
        self.proof = Proof()
        self.lost = self.from_obstacles = self.overlap = self.length = 0.0
        self.collisions = self.touching = self.forced = self.unsolved = 0

    # ------------------------------------------------------------ solve the contacts

    def collide(self) -> None:
        """Bodies in contact that approach exchange impulses, by the simulation's laws.

        Again where that leaves an approach: among active contacts only, one solve may send a floe into its neighbour.
        """
        for _ in range(AGAIN):
            problem = self._approaching(self.velocity, 0.0)
            if problem is None:
                return
            self._impact(problem)

    def _impact(self, problem: Touches) -> None:
        outcome = impact(problem, self.sim.laws)
        loss = self._book(problem, outcome, outcome.before)
        b, found = self.bodies, self.found
        events = np.empty((len(loss), len(EVENT_COLUMNS)))
        count = _kernels_laws.write_events(
            problem.chosen, problem.order, found.value, found.who, b.ids, b.x, b.y, problem.rows.friction,
            outcome.impulses, loss, self.sim.time, np.zeros(self.n), np.zeros(len(found.value), np.int8), events,
        )  # fmt: skip
        self.collisions += count
        self.sim.impulses.events.append(events[:count])
        self.velocity[: self.n] += self._changes(problem, outcome)
        b.u[: self.n], b.v[: self.n], b.spin[: self.n] = self.velocity[: self.n].T

    def _approaching(self, velocity: Array, step: float) -> Touches | None:
        """The problem of the contacts that approach, and of those that share floes with them; None without any.

        `step` 0: impacts, which rebound; otherwise what the forces of that step push together, which does not.
        """
        found, laws, b = self.found, self.sim.laws, self.bodies
        count = kernels.approaching(
            found.value, found.who, self.n, self.eta, velocity, b.extent, float(laws.settings.relaxation), step,
            self.shortest, self.chosen, self.rate, self.bounce,
        )  # fmt: skip
        if not count:
            return None
        bounce = self.bounce[:count] if step == 0.0 else np.zeros(count, np.bool_)
        return laws.touches(self.chosen[:count].copy(), found, velocity, self.rate[:count], bounce)

    def _changes(self, problem: Touches, outcome: Outcome) -> Array:
        """Velocity changes (n, 3) of the floes."""
        b, change = self.bodies, np.zeros((self.n, 3))
        _kernels_laws.velocity_changes(
            problem.bodies, len(problem.bodies), outcome.y, b.inverse_mass, b.inverse_inertia, change
        )
        return change

    def _book(self, problem: Touches, outcome: Outcome, before: Array) -> Array:
        """Enter impulses into the books; the energy lost at each row."""
        impulses, found = self.sim.impulses, self.found
        loss = np.empty(len(problem.order))
        total, work = _kernels_laws.book(
            problem.chosen, problem.order, found.value, found.who, self.velocity, outcome.impulses, before, outcome.after,
            self.n, impulses.on_obstacles, impulses.stress, loss,
        )  # fmt: skip
        impulses.note(self.bodies, found, problem.chosen[problem.order], outcome.impulses)
        self.proof.merge(outcome.proof)
        self.lost += total
        self.from_obstacles += work
        self.touching = max(self.touching, int(np.count_nonzero(outcome.impulses[:, 0])))
        return loss

    # ------------------------------------------------------------ the largest safe step

    def largest(self) -> float:
        """The largest step (s) that the rule allows at the velocities there are now, within the horizon."""
        return min(self._factor(self.velocity), self.horizon)

    def _factor(self, motion: Array) -> float:
        seen = self.sim.detector
        return float(
            kernels.largest_factor(
                self.pairs, self.distance, self.n, self.eta, motion, self.bodies.extent, seen.pose, seen.wraps, seen.period,
                self.reach, self.rule,
            )
        )  # fmt: skip

    # ------------------------------------------------------------ move, and verify

    def move(self, step: float) -> bool:
        """Move all by a step; False, with a shorter one in `retry`, where that breaks the rule or leaves an overlap.

        The forces may take a body farther than its velocity says, and bodies that turn may overlap though their contacts
        do not approach: both are seen on the way that came about. Where the forces turn a floe back that was leaving, the
        step ends there: held over a whole step it would be pushed on. The shortest step is taken against
        the rule, a small part of it whatever happens.
        """
        sim, b, n = self.sim, self.bodies, self.n
        last = step <= self.shortest * (1 + 1e-12)
        sim.obstacle_motion.set_velocity(b, sim.time, step)
        if not sim.obstacle_motion.still:
            self.velocity[n:] = np.column_stack([b.u[n:], b.v[n:], b.spin[n:]])
        pushes = pushes_on(b, sim.forcing, sim.time, step)
        middle = sim.time + (0.0 if sim.euler else 0.5 * step)
        forces = b, sim.forcing, middle, np.full(n, step), pushes, sim.euler
        free = self.free = free_motion_of(*forces, self.rows, self._room(pushes))
        end = self.velocity.copy()
        end[:n] = free.velocity
        turned = kernels.turning(self.found.value, self.found.who, n, self.eta, self.velocity, end)
        if turned < TURNED and turned * step > self.shortest:
            self.retry = turned * step
            return False
        change = self._hold(end, step)
        if not kernels.displacements(step, self.velocity, free.displacement, change, n, self.way):
            free_motion_of(*forces)  # says which floe, and why
        factor = self._factor(self.way)
        if factor < 1 - 1e-9 and not last:
            self.retry = min(factor, 0.9) * step
            return False
        kernels.move(
            step, self.way, free.velocity, change, free.force, pushes, b.mass, free.gravity,
            b.x, b.y, b.angle, b.cos, b.sin, b.u, b.v, b.spin, self.work,
        )  # fmt: skip
        sim.obstacle_motion.place(b, sim.time + step)
        bad = self._overlaps()
        before = {(i, j) for i, j, _ in sim.overlapping}
        fresh = [pair for pair in bad if pair[:2] not in before]
        if fresh and step > self.smallest * (1 + 1e-12):
            self.shortest = self.smallest  # against the rule, but not into each other
            b.x[:], b.y[:], b.cos[:], b.sin[:], b.angle[:] = self.start.T
            b.u[:n], b.v[:n], b.spin[:n] = self.velocity[:n].T
            sim.ledger.add(splits=1)
            self.retry = 0.5 * step
            return False
        sim.overlapping = bad
        self.length, self.forced, self.unsolved = step, int(factor < 1 - 1e-9), int(bool(fresh))
        return True

    def _room(self, pushes: Array) -> FreeMotion:
        n, gravity = self.n, self.sim.forcing.gravity
        return FreeMotion(
            np.empty((n, 3)),
            np.empty((n, 3)),
            np.empty((n, 2, 3)),
            pushes,
            np.array(gravity[:2] if gravity else (0.0, 0.0)),
        )

    def _hold(self, velocity: Array, step: float) -> Array:
        """Velocity changes (n, 3) that keep what the forces push together from approaching: no restitution."""
        self.held = None
        problem = self._approaching(velocity, step)
        if problem is None:
            return np.zeros((self.n, 3))
        outcome = hold(problem, self.sim.laws)
        self.held = problem, outcome
        return self._changes(problem, outcome)

    def _overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs that overlap beyond the tolerance now and how deep, measured apart from the contact code."""
        sim = self.sim
        one, other, depth = sim.detector.overlaps(self.bodies)
        if not len(depth):
            self.overlap = 0.0
            return []
        size = np.minimum(sim.size[one], np.where(other < self.n, sim.size[other], np.inf))
        deep = depth > TOLERANCE * size
        self.overlap = float(depth.max())
        return [(int(i), int(j), float(part)) for i, j, part in zip(one[deep], other[deep], (depth / size)[deep])]

    # ------------------------------------------------------------ accounts

    def commit(self) -> None:
        """Enter the step into the simulation's books."""
        sim, b, free = self.sim, self.bodies, self.free
        if self.held is not None:
            problem, outcome = self.held
            before = np.empty((len(problem.order), 2))
            kernels.loss_speeds(
                self.length, problem.chosen, problem.order, self.found.value, self.found.who, self.velocity, free.velocity,
                free.force, free.pushes, free.gravity, b.mass, b.inertia, np.empty((len(b), 3)), before,
            )  # fmt: skip
            self._book(problem, outcome, before)
        if sim.ocean is not None:
            sim.ocean.advance(self.before, free.force[:, 1] * self.length, sim.time, self.length, sim.forcing)
        proof = self.proof
        sim.ledger.add(
            steps=1,
            forced=self.forced,
            collisions=self.collisions,
            contacts=self.touching,
            islands=proof.islands,
            largest_island=proof.largest_island,
            residual=proof.residual,
            unsolved=proof.unsolved + self.unsolved,
            max_overlap=self.overlap,
            work_wind=self.work[0],
            work_current=self.work[1],
            work_gravity=self.work[2],
            work_loads=self.work[3],
            work_obstacles=self.from_obstacles,
            dissipated_contact=self.lost,
        )
        sim.time += self.length
