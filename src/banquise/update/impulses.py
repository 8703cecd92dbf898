"""What contact impulses leave behind: events, loads on obstacles, stress in floes, energy lost."""

from __future__ import annotations

from typing import Any

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

    def add(self, bodies: Bodies, contacts: Any, chosen: NDArray[np.int64], impulses: Array) -> None:
        """Impulses (k, 2) at the contacts `chosen`."""
        normal = contacts.normal[chosen]
        jx = impulses[:, 0] * normal[:, 0] - impulses[:, 1] * normal[:, 1]
        jy = impulses[:, 0] * normal[:, 1] + impulses[:, 1] * normal[:, 0]
        a, b = contacts.a[chosen], contacts.b[chosen]
        lever_a, lever_b = contacts.lever_a[chosen], contacts.lever_b[chosen]
        n = bodies.n_free
        hit = b >= n
        if hit.any():
            k = b[hit] - n
            torque = lever_b[hit, 0] * jy[hit] - lever_b[hit, 1] * jx[hit]
            for column, part in enumerate((jx[hit], jy[hit], torque)):
                self.on_obstacles[:, column] += np.bincount(k, weights=part, minlength=len(self.on_obstacles))
        for rows, lever, sign, there in ((a, lever_a, -1.0, None), (b, lever_b, 1.0, ~hit)):
            if there is not None:
                rows, lever, x, y = rows[there], lever[there], jx[there], jy[there]
            else:
                x, y = jx, jy
            parts = (x * lever[:, 0], 0.5 * (x * lever[:, 1] + y * lever[:, 0]), y * lever[:, 1])
            for column, part in enumerate(parts):
                self.stress[:, column] += sign * np.bincount(rows, weights=part, minlength=n)

    def impacts(
        self, bodies: Bodies, contacts: Any, chosen: NDArray[np.int64], outcome: Any, friction: Array, time: Array
    ) -> int:
        """One event a contact that took an impulse; their number. `time` is by contact chosen."""
        struck = np.flatnonzero(outcome.impulses[:, 0] > 0)
        if not len(struck):
            return 0
        k = chosen[struck]
        a, b = contacts.a[k], contacts.b[k]
        normal_impulse, tangential = outcome.impulses[struck].T
        ids_a, ids_b = bodies.ids[a], bodies.ids[b]
        swap = ids_a > ids_b  # the normal points from the smaller id to the larger
        slip = np.abs(tangential) >= friction[struck] * normal_impulse * (1 - 1e-9)
        self.events.append(
            np.column_stack(
                [
                    time[struck],
                    np.zeros(len(k)),
                    np.where(swap, ids_b, ids_a),
                    np.where(swap, ids_a, ids_b),
                    bodies.x[a] + contacts.lever_a[k, 0],
                    bodies.y[a] + contacts.lever_a[k, 1],
                    normal_impulse,
                    tangential,
                    outcome.loss[struck],
                    slip,
                ]
            )
        )
        return len(k)

    def take_events(self) -> list[Array]:
        events, self.events = self.events, []
        self.keep()
        return events
