"""Time stepping: fixed steps for large scenes, with the same contacts and the same laws.

Where the event-driven scheme follows every bounce down to a tiny flight, a step follows only bounces that last longer
than the step; slower approaches are kept apart over the step, gap by gap, without being met. So what rests, rubs and jams
takes one contact problem a step.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import known_keywords
from banquise.schemes.rounds import verified_step
from banquise.schemes.workspace import MOVING
from banquise.settings import number
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.simulation import Simulation

REBOUNDS = 4, 128  # rounds of a step in which a group's impacts rebound: so many, and so many over its size


@known_keywords
@dataclass(frozen=True)
class TimeStepping:
    """Steps of `step` (s), shortened evenly to land on records.

    Parameters
    ----------
    step : s; with `error` the longest
    error : None, or how far a floe may end from where two half steps take it, as a part of its size: each step is then
        taken whole and in halves, the halves are kept, and its length follows from the difference (three times the work)
    """

    step: Any = 5.0
    error: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", number(duration(self.step, "step"), "step", above=0.0))
        if self.error is not None:
            object.__setattr__(self, "error", number(self.error, "error", above=0.0, at_most=1.0))

    def advance(self, sim: Simulation, target: float) -> None:
        """One step, no farther than `target`."""
        if self.error is None:
            step = sim.even_step(target, self.step)
            verified_step(sim, step, step, REBOUNDS, soft=True)
            return
        while True:
            step = sim.even_step(target, min(self.step, sim.pace))
            before = _Moment(sim)
            verified_step(sim, step, step, REBOUNDS, soft=True)
            whole = _places(sim)
            before.restore(sim)
            for _ in range(2):
                verified_step(sim, 0.5 * step, 0.5 * step, REBOUNDS, soft=True)
            apart = np.abs(_places(sim) - whole).max(axis=0) / sim.size[: sim.bodies.n_free]
            found = float(apart.max(initial=0.0)) / self.error
            # the difference falls with the square of the step in smooth motion, with the step itself where floes meet
            sim.pace = step * min(2.0, max(0.3, 0.9 / math.sqrt(max(found, 1e-12))))
            if found <= 1.0 or step <= 1e-3 * self.step:
                sim.pace = max(sim.pace, 1e-3 * self.step)
                return
            before.restore(sim)
            sim.ledger.add(splits=1)


def _places(sim: Simulation) -> Any:
    b, n = sim.bodies, sim.bodies.n_free
    return np.stack([b.x[:n], b.y[:n], b.extent[:n] * b.angle[:n]])


class _Moment:
    """What a step changes, to go back to."""

    def __init__(self, sim: Simulation):
        self.time, self.overlapping = sim.time, sim.overlapping
        self.columns = {name: getattr(sim.bodies, name).copy() for name in MOVING}
        self.cap, self.held = sim.step_cap.copy(), (sim.held_key, sim.held_rate)
        self.ledger, self.ocean = copy.deepcopy(sim.ledger), copy.deepcopy(sim.ocean)
        impulses = sim.impulses
        self.impulses = impulses.on_obstacles.copy(), impulses.stress.copy(), len(impulses.events)

    def restore(self, sim: Simulation) -> None:
        for name, column in self.columns.items():
            getattr(sim.bodies, name)[:] = column
        sim.time, sim.overlapping = self.time, self.overlapping
        sim.step_cap[:] = self.cap
        sim.held_key, sim.held_rate = self.held
        sim.ledger = copy.deepcopy(self.ledger)
        if sim.ocean is not None:
            vars(sim.ocean).update(copy.deepcopy(vars(self.ocean)))
        loads, stress, events = self.impulses
        sim.impulses.on_obstacles, sim.impulses.stress = loads.copy(), stress.copy()
        del sim.impulses.events[events:]
