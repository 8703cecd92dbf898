"""Who pays for a crack: its own impact, with what it lost, and where that is not enough with a slower rebound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.fracture.blow import Struck
from banquise.fracture.search import Crack
from banquise.update.impulses import OBSTACLE_IDS
from banquise.update.rebound import Touch, slow_rebound

Array = NDArray[np.float64]


@dataclass
class Till:
    """Where the cracks of a step are paid: the energy that each impact lost, and after that its rebound."""

    sim: Any
    rows: NDArray[np.int64]  # by id
    events: Array
    purse: Array  # J that is left of what each event lost

    def touch(self, event: Array) -> Touch:
        """The contact of an event as the step leaves it. Its two points have parted since; both levers end halfway between
        them, in one place, or equal and opposite impulses would turn the pair."""
        b = self.sim.bodies
        one, two = int(self.rows[int(event[2])]), int(event[3])
        other = b.n_free + two - OBSTACLE_IDS if two >= OBSTACLE_IDS else int(self.rows[two])
        apart = np.array([b.x[other] - b.x[one], b.y[other] - b.y[one]]) + event[14:16] - event[12:14]
        period = self.sim.detector.period  # 0: none
        apart -= period * np.round(apart / np.where(period > 0, period, math.inf))
        return Touch(one, other, event[12:14] + 0.5 * apart, event[14:16] - 0.5 * apart, event[10:12])

    def payable(self, struck: Struck, crack: Crack) -> bool:
        """Whether the impact lost, or its rebound still has, what the crack costs."""
        lost = float(self.purse[struck.events].sum())
        if lost >= crack.surface:
            return True
        spare = max(self.touch(self.events[k]).spare(self.sim.bodies) for k in struck.events)
        return lost + spare * (1 - 1e-9) >= crack.surface

    def pay(self, struck: Struck, crack: Crack) -> None:
        sim, surface = self.sim, crack.surface
        lost = float(self.purse[struck.events].sum())
        taken = min(lost, surface)
        if taken > 0:
            self.purse[struck.events] *= 1 - taken / lost
        rest = surface - taken
        work = 0.0
        if rest > 0:
            touches = [self.touch(self.events[k]) for k in struck.events]
            touch = max(touches, key=lambda t: t.spare(sim.bodies))
            work, push = slow_rebound(sim.bodies, touch, rest)
            if touch.b >= sim.bodies.n_free:
                lever = touch.lever_b
                sim.impulses.on_obstacles[touch.b - sim.bodies.n_free] += (
                    *push, lever[0] * push[1] - lever[1] * push[0],
                )  # fmt: skip
        sim.ledger.add(dissipated_contact=-taken, surface_energy=surface, work_obstacles=work)
