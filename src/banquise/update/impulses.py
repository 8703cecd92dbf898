"""What contact impulses leave behind: events, loads on obstacles, stress in floes, energy lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]

# an event as it is noted in a step; the first RECORDED of them are kept in the run
EVENT_COLUMNS = (
    "time",
    "kind",
    "floe_a",
    "floe_b",
    "x",
    "y",
    "normal_impulse",
    "tangential_impulse",
    "energy_loss",
    "slip",
    "normal_x",  # from floe_a to floe_b
    "normal_y",
    "lever_ax",  # from the centres to the contact point, in the axes of the map
    "lever_ay",
    "lever_bx",
    "lever_by",
)
RECORDED = 10
KINDS = ("impact", "break", "crack")
# ids of obstacles while floes may be born: above every floe's; numbered after all floes in what is recorded
OBSTACLE_IDS = 3 << 20


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

    def resize(self, rows: NDArray[np.int64]) -> None:
        """Floes broke: row k is now what row rows[k] was, -1 for a piece, which starts from nothing."""
        self.stress = np.where((rows >= 0)[:, None], self.stress[rows], 0.0)
        self.keep()

    def take_events(self) -> list[Array]:
        events, self.events = [table[:, :RECORDED] for table in self.events], []
        self.keep()
        return events
