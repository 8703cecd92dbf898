"""Slow a rebound down: what a crack costs beyond the energy that the impact lost anyway."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Touch:
    """A contact of two rows: levers from their centres (m), normal from a to b."""

    a: int
    b: int
    lever_a: Array
    lever_b: Array
    normal: Array

    def mobility(self, bodies: Bodies) -> float:
        """1 / effective mass along the normal (1/kg)."""
        total = 0.0
        for row, lever in ((self.a, self.lever_a), (self.b, self.lever_b)):
            arm = lever[0] * self.normal[1] - lever[1] * self.normal[0]
            total += bodies.inverse_mass[row] + arm**2 * bodies.inverse_inertia[row]
        return float(total)

    def parting(self, bodies: Bodies) -> float:
        """Speed at which the two points part along the normal (m/s)."""
        return float((_speed(bodies, self.b, self.lever_b) - _speed(bodies, self.a, self.lever_a)) @ self.normal)

    def spare(self, bodies: Bodies) -> float:
        """Kinetic energy (J) of the parting, which may be taken."""
        speed = self.parting(bodies)
        return 0.5 * speed**2 / self.mobility(bodies) if speed > 0 else 0.0


def slow_rebound(bodies: Bodies, touch: Touch, energy: float) -> tuple[float, Array]:
    """Take `energy` (J) from the parting of two bodies; work of an obstacle on the way (J), impulse on body b (N s).

    Equal and opposite impulses along the normal: momenta stay.
    """
    mobility, speed = touch.mobility(bodies), touch.parting(bodies)
    left = math.sqrt(max(speed**2 - 2 * energy * mobility, 0.0))
    push = (left - speed) / mobility * touch.normal  # on b; against the parting
    work = 0.0
    for row, lever, impulse in ((touch.a, touch.lever_a, -push), (touch.b, touch.lever_b, push)):
        if bodies.inverse_mass[row] == 0.0:
            work -= float(impulse @ _speed(bodies, row, lever))
            continue
        bodies.u[row] += bodies.inverse_mass[row] * impulse[0]
        bodies.v[row] += bodies.inverse_mass[row] * impulse[1]
        bodies.spin[row] += bodies.inverse_inertia[row] * (lever[0] * impulse[1] - lever[1] * impulse[0])
    return work, push


def _speed(bodies: Bodies, row: int, lever: Array) -> Array:
    spin = bodies.spin[row]
    return np.array([bodies.u[row] - spin * lever[1], bodies.v[row] + spin * lever[0]])
