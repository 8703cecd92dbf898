"""Penalty contacts, as molecular dynamics has them: floes overlap, and a spring and a damper push them apart.

For comparison with codes that work this way. What it costs beside exact contact is in the ledger: the overlap
(`max_overlap`), the time that contacts last (`contact_time`), and a step bound by the stiffness and the lightest floe.

A step:  half the free motion -> detect -> impulses of springs and dampers -> the other half of the free motion
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError, CaseError, known_keywords
from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import free_motion_of
from banquise.recording.recorder import EVENT_COLUMNS
from banquise.schemes import _kernels_penalty as kernels
from banquise.settings import number, one_of
from banquise.units import duration
from banquise.update.positions import move, set_velocity

if TYPE_CHECKING:
    from banquise.simulation import Simulation

Array = NDArray[np.float64]

LAWS = ("linear", "hertz", "area")
RELEASES = ("force", "distance")
PARTS = 25  # of the shortest contact, to a step
DEEPEST = 0.1  # of the smaller size: overlap up to which contact points are found
MEMORY = 8  # columns of the memory of a contact


@known_keywords
@dataclass(frozen=True)
class Penalty:
    """Springs and dampers between floes that overlap, in steps that follow them.

    Parameters
    ----------
    stiffness : of the normal force: k depth (linear, N/m), k depth^(3/2) (hertz, N/m^1.5), k area (area, N/m2)
    law : "linear", "hertz" or "area"
    damping : c of c rate (linear, N s/m), c depth^(1/4) rate (hertz), c chord rate (area); by default each contact has the
        one that gives the restitution of `bq.Contact`: exact for a blow of two bodies by the first two laws
    step : s; by default a twenty-fifth of the shortest contact
    shear : stiffness of the tangent spring over that of the normal one; it slips at the friction of `bq.Contact`
    release : "force" (a contact never pulls) or "distance" (it may, until the overlap is gone)
    """

    stiffness: float = 1e7
    law: str = "linear"
    damping: float | None = None
    step: Any = None
    shear: float = 2 / 7
    release: str = "force"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", number(self.stiffness, "stiffness", above=0.0))
        one_of(self.law, LAWS, "penalty law")
        one_of(self.release, RELEASES, "penalty release")
        object.__setattr__(self, "shear", number(self.shear, "shear", at_least=0.0))
        if self.damping is not None:
            object.__setattr__(self, "damping", number(self.damping, "damping", at_least=0.0))
        if self.step is not None:
            object.__setattr__(self, "step", number(duration(self.step, "step"), "step", above=0.0))

    def advance(self, sim: Simulation, target: float) -> None:
        """One step, no farther than `target`."""
        if self.law == "area" and bool(np.any(sim.bodies.radius > 0)):
            raise CaseError(
                'penalty: law "area" is for polygons without rounding. Draw discs with chords, or use "linear".'
            )
        stable, row = self.stable_step(sim)
        if self.step is not None and self.step > stable:
            raise CaseError(
                f"penalty: step {self.step:g} s is not stable; floe {sim.bodies.ids[row]} ({sim.bodies.mass[row]:.4g} kg) at "
                f"stiffness {self.stiffness:g} needs less than {stable:.3g} s. Take a shorter step or a lower stiffness."
            )
        # the bound is that of 2 / w, a contact lasts pi / w
        longest = self.step or stable * 0.5 * math.pi / PARTS
        step = sim.even_step(target, longest)
        sim.obstacle_motion.set_velocity(sim.bodies, sim.time, step)
        self._drift(sim, sim.time, 0.5 * step)
        sim.obstacle_motion.place(sim.bodies, sim.time + 0.5 * step)
        self._kick(sim, sim.time + 0.5 * step, step)
        self._drift(sim, sim.time + 0.5 * step, 0.5 * step)
        sim.obstacle_motion.place(sim.bodies, sim.time + step)
        sim.time += step
        sim.ledger.add(steps=1, max_overlap=self._overlap(sim))

    def stable_step(self, sim: Simulation) -> tuple[float, int]:
        """The bound 2 sqrt(m / k) of the step (s), and the floe it comes from.

        m is what two such floes have to move where they are lightest, at the ends of their longest levers; k the slope
        of the force: of Hertz' law at the depth that the fastest blow of the scene reaches, of the area law with a chord
        as long as the floe.
        """
        b, n = sim.bodies, sim.bodies.n_free
        if n == 0:
            return math.inf, 0
        m = 0.5 / (1 / b.mass[:n] + b.extent[:n] ** 2 / b.inertia[:n])
        k: Any = self.stiffness
        if self.law == "area":
            k = self.stiffness * sim.size[:n]
        elif self.law == "hertz":
            speed = np.hypot(b.u, b.v) + b.extent * np.abs(b.spin)
            fastest = max(2.0 * float(speed.max()), 1e-3)
            # m v^2 / 2 = 2 k d^(5/2) / 5, with the mass of the heaviest pair: a blow between light ones is less deep
            deepest = (1.25 * 0.5 * float(b.mass[:n].max()) * fastest**2 / self.stiffness) ** 0.4
            k = 1.5 * self.stiffness * math.sqrt(deepest)
        steps = 2.0 * np.sqrt(m / k)
        row = int(np.argmin(steps))
        return float(steps[row]), row

    # ------------------------------------------------------------ a step

    def _overlap(self, sim: Simulation) -> float:
        """Largest overlap now (m), measured apart from the contact points."""
        depth, i, j = sim.detector.max_overlap(sim.bodies)
        if depth > DEEPEST * min(float(sim.size[k]) for k in (i, j) if k < sim.bodies.n_free):
            ids = sim.bodies.ids
            raise BanquiseError(
                f"penalty: bodies {ids[i]} and {ids[j]} overlap by {depth:.3g} m at t = {sim.time:g} s, more than a tenth of the "
                f"smaller one's size. Stiffness {self.stiffness:g} is too low for this scene: take a higher one."
            )
        return depth

    def _drift(self, sim: Simulation, time: float, step: float) -> None:
        """Free motion of all floes."""
        b, n = sim.bodies, sim.bodies.n_free
        pushes = pushes_on(b, sim.forcing, time, step)
        middle = time + (0.0 if sim.euler else 0.5 * step)
        before = b.copy() if sim.ocean is not None else None
        free = free_motion_of(b, sim.forcing, middle, np.full(n, step), pushes, sim.euler)
        sim.ledger.add(**free.work(b, free.displacement))
        move(b, free.displacement)
        set_velocity(b, free.velocity)
        if sim.ocean is not None:
            sim.ocean.advance(before, free.force[:, 1] * step, time, step, sim.forcing)

    def _kick(self, sim: Simulation, time: float, step: float) -> None:
        """What the contacts do over the step, at the places of its middle."""
        b, n = sim.bodies, sim.bodies.n_free
        count, out, pair = self._resultants(sim)
        keys = (pair[:, 0] * len(b) + pair[:, 1]) * kernels.PLACES + pair[:, 2]
        order = np.argsort(keys, kind="stable")
        keys, out, pair = keys[order], np.ascontiguousarray(out[order]), np.ascontiguousarray(pair[order])
        memory = self._memory(sim, keys, time)
        before = np.column_stack([b.u, b.v, b.spin])
        change, found = np.zeros((len(b), 3)), np.zeros((count, 2))
        kernels.impulses(
            count, out, pair, memory, LAWS.index(self.law), self.stiffness, -1.0 if self.damping is None else self.damping,
            self.release == "distance", step, before, b.inverse_mass, b.inverse_inertia, b.material, sim.laws.friction,
            self._ratios(sim), change, found,
        )  # fmt: skip
        after = before + change
        set_velocity(b, after[:n])
        lost, work = kernels.enter(
            count, out, pair, memory, found, before, after, n, b.x, b.y, sim.impulses.on_obstacles, sim.impulses.stress
        )
        sim.held_key, sim.held_rate = keys, memory
        lasted = time + 0.5 * step - memory[:, kernels.START]
        sim.ledger.add(
            contacts=count,
            dissipated_contact=lost,
            work_obstacles=work,
            contact_time=float(lasted.max(initial=0.0)),
        )

    def _resultants(self, sim: Simulation) -> tuple[int, Array, NDArray[np.int64]]:
        """One row a contact (see the kernels), and its bodies and place among the contacts of the pair."""
        b = sim.bodies
        found = sim.detector.found(b, DEEPEST * sim.size)
        m = len(found.value)
        out, pair = np.zeros((m, 9)), np.zeros((m, 3), np.int64)
        if self.law == "area":
            most = int(np.diff(b.ring_start[b.body_ring]).max(initial=0))
            count = kernels.areas(
                found.value, found.who, self.stiffness, self.shear, b.x, b.y, b.cos, b.sin, b.vertices, b.ring_start,
                b.body_ring, np.empty((2 * most, 4)), np.empty(most + 2), out, pair,
            )  # fmt: skip
        else:
            law = LAWS.index(self.law)
            count = kernels.shared(found.value, found.who, law, self.stiffness, self.shear, out, pair)
        return count, out[:count], pair[:count]

    def _memory(self, sim: Simulation, keys: NDArray[np.int64], time: float) -> Array:
        """The memory of these contacts (kept where schemes keep theirs, so that a run goes on from it); those that are
        over become events."""
        memory = np.zeros((len(keys), MEMORY))
        memory[:, kernels.START], memory[:, kernels.SLIP] = time, 1.0
        old_keys, old = sim.held_key, sim.held_rate
        if len(old_keys):
            place = np.minimum(np.searchsorted(old_keys, keys), len(old_keys) - 1)
            known = old_keys[place] == keys
            memory[known] = old[place[known]]
            over = ~np.isin(old_keys, keys)
            if over.any():
                self._note(sim, old_keys[over], old[over])
        return memory

    def _note(self, sim: Simulation, keys: NDArray[np.int64], memory: Array) -> None:
        """Events of contacts that are over, at the time they began."""
        pairs = keys // kernels.PLACES
        ids = np.sort(sim.bodies.ids[np.column_stack([pairs // len(sim.bodies), pairs % len(sim.bodies)])], axis=1)
        events = np.zeros((len(keys), len(EVENT_COLUMNS)))
        events[:, 0], events[:, 2:4] = memory[:, kernels.START], ids
        events[:, 4:6] = memory[:, kernels.X : kernels.Y + 1]
        events[:, 6:9] = memory[:, kernels.NORMAL : kernels.LOSS + 1]
        events[:, 9] = memory[:, kernels.SLIP]
        sim.impulses.events.append(events)
        sim.ledger.add(collisions=len(events))

    def _ratios(self, sim: Simulation) -> Array:
        """Damping ratio by material pair."""
        table = np.nan_to_num(sim.laws.restitution, nan=1.0)
        return np.array([[damping_ratio(float(e), self.release) for e in row] for row in table]).reshape(table.shape)


def damping_ratio(restitution: float, release: str = "force") -> float:
    """Damping over critical damping with which a blow of two bodies has this restitution.

    Released at zero distance, e = exp(-pi z / sqrt(1 - z^2)), and critical damping for none. Released at zero force,
    e = exp(-2 z atan(s / z) / s) with s = sqrt(1 - z^2) (atanh and sqrt(z^2 - 1) beyond critical damping), by bisection up
    to z = 10: below 0.0024 there is no less. Hertz' law with a damper that goes with depth^(1/4) has the same, at any
    speed: with depth^(5/4) for the depth its motion is that of the linear law.

    >>> round(damping_ratio(0.35, "distance"), 6), round(damping_ratio(0.35), 6)
    (0.316941, 0.418565)
    """
    if restitution >= 1.0:
        return 0.0
    if release == "distance":
        rate = -math.log(max(restitution, 1e-300)) / math.pi
        return min(rate / math.sqrt(1.0 + rate * rate), 1.0)
    low, high = 0.0, 10.0
    for _ in range(60):
        z = 0.5 * (low + high)
        s = math.sqrt(abs(1.0 - z * z))
        turn = 1.0 if s < 1e-6 else (math.atan2(s, z) if z < 1.0 else math.atanh(s / z)) / s
        low, high = (z, high) if math.exp(-2.0 * z * turn) > restitution else (low, z)
    return 0.5 * (low + high)
