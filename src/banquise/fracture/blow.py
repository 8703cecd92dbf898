"""A floe at the instant of an impact: its contacts, who gives them, and the energy they carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.fracture.percussion import Contact
from banquise.fracture.sought import Blow
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass
class Struck:
    """A floe at the instant of an impact: its k contacts in the frame it is cut in, and what the other side is."""

    row: int
    events: Index  # numbers of its contacts among the events of the step
    spots: Array  # (k, 4) place (m) and push
    impulses: Array  # (k, 2) N s along the push, and along the push turned left
    levers: Array  # (k, 2) of the others
    others: Index  # rows
    restitution: float

    def only(self, mine: list[int]) -> Struck:
        """The same with these of its contacts alone."""
        if len(mine) == len(self.others):
            return self
        return Struck(
            self.row, self.events[mine], self.spots[mine], self.impulses[mine], self.levers[mine], self.others[mine],
            self.restitution,
        )  # fmt: skip

    def contacts(self) -> list[Contact]:
        """One by one."""
        rows = zip(self.spots.tolist(), self.impulses.tolist())
        return [Contact((x, y), (nx, ny), along, across) for (x, y, nx, ny), (along, across) in rows]

    def blow(self, bodies: Bodies, floe: Floe) -> Blow:
        """The load on `floe` (this one, or a piece of it)."""
        return Blow.under(self.spots, self.impulses / (1 + self.restitution), self.mobility(bodies, floe))

    def mobility(self, bodies: Bodies, floe: Floe) -> Array:
        """W (2k, 2k) of the contacts with `floe` on this side."""
        if len(self.others) == 1:
            return self._one_mobility(bodies, floe)
        ways = self.spots[:, [2, 3, 3, 2]]  # the push, and the push turned left
        ways[:, 2] *= -1.0
        ways, others = ways.reshape(-1, 2), np.repeat(self.others, 2)
        cosines = ways @ ways.T
        own, there = _arms(self.spots[:, :2] - floe.centre, ways), _arms(self.levers, ways)
        beside = bodies.inverse_mass[others] * cosines + bodies.inverse_inertia[others] * (there[:, None] * there)
        beside[others[:, None] != others] = 0.0  # two contacts share the other side where it is the same body
        return 1 / floe.mass * cosines + 1 / floe.inertia * (own[:, None] * own) + beside

    def _one_mobility(self, bodies: Bodies, floe: Floe) -> Array:
        """The same for one contact, which most blows have: ten small arrays less."""
        (row,), ((px, py, nx, ny),), (lever,) = self.others.tolist(), self.spots.tolist(), self.levers.tolist()
        cx, cy = floe.centre.tolist()
        total = [0.0, 0.0, 0.0]
        for x, y, mass, inertia in (
            (px - cx, py - cy, 1 / floe.mass, 1 / floe.inertia),
            (*lever, float(bodies.inverse_mass[row]), float(bodies.inverse_inertia[row])),
        ):
            along, across = x * ny - y * nx, x * nx + y * ny
            total[0] += mass + inertia * along * along
            total[1] += inertia * along * across
            total[2] += mass + inertia * across * across
        return np.array([[total[0], total[1]], [total[1], total[2]]])


def _arms(levers: Array, ways: Array) -> Array:
    """Of both ways of each contact about the centre that its lever begins at."""
    both = levers.repeat(2, axis=0)
    return both[:, 0] * ways[:, 1] - both[:, 1] * ways[:, 0]
