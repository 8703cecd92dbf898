"""A floe at the instant of an impact: its contacts, who gives them, and the energy they carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.fracture import _kernels_blow
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
        return Blow(
            self.spots,
            *_kernels_blow.load(
                self.spots, self.impulses, self.levers, self.others, self.restitution, *_inertness(floe),
                bodies.inverse_mass, bodies.inverse_inertia,
            ),
        )  # fmt: skip

    def mobility(self, bodies: Bodies, floe: Floe) -> Array:
        """W (2k, 2k) of the contacts with `floe` on this side."""
        found: Array = _kernels_blow.mobility(
            self.spots, self.levers, self.others, *_inertness(floe), bodies.inverse_mass, bodies.inverse_inertia
        )
        return found


def _inertness(floe: Floe) -> tuple[float, float, float, float]:
    """Centre (m), one over mass (1/kg) and one over inertia of a floe."""
    x, y = floe.centre.tolist()
    return x, y, 1 / floe.mass, 1 / floe.inertia
