"""What contact impulses leave behind: events, loads on obstacles, stress in floes, energy lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]


class ImpulseRecord:
    """Sums of contact impulses since the last record, and the impacts among them."""

    def __init__(self, bodies: Bodies):
        self.events: list[Array] = []
        self.reset(bodies)

    def reset(self, bodies: Bodies) -> None:
        """Start a new window for these bodies."""
        self.on_obstacles = np.zeros((len(bodies) - bodies.n_free, 3))  # N s, N s, N m s
        self.stress = np.zeros((bodies.n_free, 3))  # N m s: sums of impulse times lever, xx, xy, yy
        self.keep()

    def keep(self) -> None:
        """What is here now stays, whatever is undone later."""
        self._kept = (self.on_obstacles.copy(), self.stress.copy(), len(self.events))

    def undo(self) -> None:
        """Back to what was last kept."""
        loads, stress, events = self._kept
        self.on_obstacles, self.stress = loads.copy(), stress.copy()
        del self.events[events:]

    def take_events(self) -> list[Array]:
        events, self.events = self.events, []
        self.keep()
        return events
