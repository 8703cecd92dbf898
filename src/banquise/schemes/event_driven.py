"""Event-driven time: step from contact to contact, as the papers do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from banquise.settings import number
from banquise.step import free_step
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.simulation import Simulation


@dataclass(frozen=True)
class EventDriven:
    """Steps of at most `max_step` (s) that end where bodies meet."""

    max_step: Any = 5.0

    def __post_init__(self) -> None:
        seconds = number(duration(self.max_step, "max_step"), "max_step", above=0.0)
        object.__setattr__(self, "max_step", seconds)

    def advance(self, sim: Simulation, target: float) -> None:
        """One step, no farther than `target`."""
        free_step(sim, sim.even_step(target, self.max_step))
