"""Time stepping: fixed steps for large scenes, with the same contacts and the same laws.

Where the event-driven scheme follows every bounce down to a tiny flight, a step follows only bounces that last longer
than the step; slower approaches are kept apart over the step, gap by gap, without being met. So what rests, rubs and jams
takes one contact problem a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banquise.schemes.rounds import verified_step
from banquise.settings import number
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.simulation import Simulation

REBOUNDS = 8, 24  # rounds of a step in which a group's impacts rebound: so many, and so many over its size


@dataclass(frozen=True)
class TimeStepping:
    """Steps of `step` (s), shortened evenly to land on records."""

    step: Any = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", number(duration(self.step, "step"), "step", above=0.0))

    def advance(self, sim: Simulation, target: float) -> None:
        """One step, no farther than `target`."""
        step = sim.even_step(target, self.step)
        verified_step(sim, step, step, REBOUNDS, soft=True)
