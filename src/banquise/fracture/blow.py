"""A floe at the instant of an impact: its contacts, who gives them, and the energy they carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.fracture.percussion import Contact
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe

Array = NDArray[np.float64]


@dataclass
class Struck:
    """A floe at the instant of an impact: its contacts in the frame it is cut in, and what the other side is."""

    row: int
    events: NDArray[np.int64]  # numbers of its contacts among the events of the step
    contacts: list[Contact]
    others: list[int]  # rows
    turn: float  # angle of the floe at that instant
    centre: Array  # its centre in the frame it is cut in
    levers: Array  # (k, 2) of the others, in that frame
    restitution: float

    def mobility(self, bodies: Bodies, floe: Floe) -> Array:
        """W (2k, 2k) of the contacts with `floe` (this one, or a piece of it) on this side."""
        if len(self.contacts) == 1:
            return self._one_mobility(bodies, floe)
        ways = np.array([w for c in self.contacts for w in (c.normal, (-c.normal[1], c.normal[0]))])
        points = np.repeat([c.point for c in self.contacts], 2, axis=0)
        total = _weighed(points - floe.centre, ways, 1 / floe.mass, 1 / floe.inertia)
        others = np.repeat(self.others, 2)
        levers = np.repeat(self.levers, 2, axis=0)
        for row in sorted(set(self.others)):
            mine = (others == row)[:, None]
            total += _weighed(
                np.where(mine, levers, 0.0),
                np.where(mine, ways, 0.0),
                float(bodies.inverse_mass[row]),
                float(bodies.inverse_inertia[row]),
            )
        return total

    def _one_mobility(self, bodies: Bodies, floe: Floe) -> Array:
        """The same for one contact, which most blows have: ten small arrays less."""
        contact, row = self.contacts[0], self.others[0]
        nx, ny = contact.normal
        total = [0.0, 0.0, 0.0]
        for lever, mass, inertia in (
            (np.asarray(contact.point) - floe.centre, 1 / floe.mass, 1 / floe.inertia),
            (self.levers[0], float(bodies.inverse_mass[row]), float(bodies.inverse_inertia[row])),
        ):
            x, y = float(lever[0]), float(lever[1])
            along, across = x * ny - y * nx, x * nx + y * ny
            total[0] += mass + inertia * along * along
            total[1] += inertia * along * across
            total[2] += mass + inertia * across * across
        return np.array([[total[0], total[1]], [total[1], total[2]]])

    def energy(self, mobility: Array) -> float:
        """Kinetic energy (J) that the compression takes up."""
        pattern = np.array([(c.impulse, c.tangential) for c in self.contacts]).ravel() / (1 + self.restitution)
        return 0.5 * float(pattern @ mobility @ pattern)


def _weighed(levers: Array, ways: Array, inverse_mass: float, inverse_inertia: float) -> Array:
    arms = levers[:, 0] * ways[:, 1] - levers[:, 1] * ways[:, 0]
    return inverse_mass * (ways @ ways.T) + inverse_inertia * np.outer(arms, arms)
