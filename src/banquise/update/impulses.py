"""What contact impulses leave behind: events, loads on obstacles, stress in floes, energy lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.contact._kernels_laws import AX, AY, NX, NY
from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]
# of a contact: when the window of its impulse ends, who, where, and the impulse on the second of the pair
CONTACT_COLUMNS = ("time", "floe_a", "floe_b", "x", "y", "impulse_x", "impulse_y")
ROOM = 50_000  # rows of contacts that are held before they are summed up by pair

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
        self.contacts: list[Array] | None = None  # rows of CONTACT_COLUMNS but the time; None: not wanted
        self._unsummed = 0
        self.reset(bodies)

    def reset(self, bodies: Bodies) -> None:
        """Start a new window for these bodies."""
        self.on_obstacles = np.zeros((len(bodies) - bodies.n_free, 3))  # N s, N s, N m s
        self.stress = np.zeros((bodies.n_free, 3))  # N m s: sums of impulse times lever, xx, xy, yy
        if self.contacts is not None:
            self.contacts = []

    def note(self, bodies: Bodies, found: Any, rows: NDArray[np.int64], impulses: Array) -> None:
        """Enter the impulses (m, 2) of contacts `rows` among what was found, if contacts are wanted."""
        if self.contacts is None:
            return
        acting = np.flatnonzero(impulses.any(axis=1))
        value, who, impulse = found.value[rows[acting]], found.who[rows[acting]], impulses[acting]
        one, other = bodies.ids[who[:, 0]], bodies.ids[who[:, 1]]
        along = np.where(one < other, 1.0, -1.0)  # the impulse is on the second of the pair
        columns = (
            np.minimum(one, other),
            np.maximum(one, other),
            bodies.x[who[:, 0]] + value[:, AX],
            bodies.y[who[:, 0]] + value[:, AY],
            along * (impulse[:, 0] * value[:, NX] - impulse[:, 1] * value[:, NY]),
            along * (impulse[:, 0] * value[:, NY] + impulse[:, 1] * value[:, NX]),
        )
        self.add_contacts(np.column_stack(columns))

    def add_contacts(self, rows: Array) -> None:
        """Rows of CONTACT_COLUMNS but the time; a long window is summed up by pair now and then."""
        assert self.contacts is not None
        self.contacts.append(rows)
        self._unsummed += len(rows)
        if self._unsummed > ROOM:
            self.contacts = [_by_pair(self.contacts)]
            self._unsummed = 0

    def take_contacts(self, time: float) -> Array:
        """One row a pair since the last record (CONTACT_COLUMNS); its point is the mean, by size of the impulse."""
        rows = _by_pair(self.contacts or [])
        return np.column_stack([np.full(len(rows), time), rows])

    def resize(self, rows: NDArray[np.int64]) -> None:
        """Floes broke: row k is now what row rows[k] was, -1 for a piece, which starts from nothing."""
        self.stress = self.stress.take(rows, axis=0, mode="clip")
        self.stress[rows < 0] = 0.0

    def take_events(self) -> list[Array]:
        events, self.events = [table[:, :RECORDED] for table in self.events], []
        return events


def _by_pair(parts: list[Array]) -> Array:
    """Rows (a, b, x, y, impulse x, impulse y) summed by pair, pairs in order."""
    rows = np.concatenate(parts) if parts else np.empty((0, 6))
    if not len(rows):
        return rows
    pairs, which = np.unique(rows[:, :2], axis=0, return_inverse=True)
    which = which.ravel()
    size = np.hypot(rows[:, 4], rows[:, 5])

    def total(column: Array) -> Array:
        return np.asarray(np.bincount(which, column, len(pairs)), dtype=float)

    whole = np.maximum(total(size), 1e-300)
    return np.column_stack(
        [
            pairs,
            total(rows[:, 2] * size) / whole,
            total(rows[:, 3] * size) / whole,
            total(rows[:, 4]),
            total(rows[:, 5]),
        ]
    )
