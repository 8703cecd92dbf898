"""A floe of three nodes in the plane: springs and dampers along its sides, large rotations allowed.

With u the unit vector from node i to node j the force on i is [k (|q_j - q_i| - L) + c <q_j' - q_i', u>] u: the
damper draws i after j. The opposite sign, printed in the sources, feeds energy in; that alone made their triangle
blow up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from banquise.errors import BanquiseError, known_keywords
from banquise.percussion._checks import number, rows

Array = NDArray[np.float64]

SIDES = np.array([[0, 1], [1, 2], [2, 0]])


@dataclass(frozen=True)
class Triangle:
    """Positions and velocities (times, 3, 2) of three nodes."""

    times: Array
    q: Array
    v: Array
    mass: float
    stiffness: float
    rest: Array  # (3,) m

    @property
    def elastic_energy(self) -> Array:
        long = np.linalg.norm(self.q[:, SIDES[:, 1]] - self.q[:, SIDES[:, 0]], axis=2)
        return 0.5 * self.stiffness * np.sum((long - self.rest) ** 2, axis=1)

    @property
    def energy(self) -> Array:
        return self.elastic_energy + 0.5 * self.mass * np.sum(self.v**2, axis=(1, 2))

    @property
    def momentum(self) -> Array:
        return self.mass * self.v.sum(axis=1)

    @property
    def angular_momentum(self) -> Array:
        return self.mass * np.sum(self.q[..., 0] * self.v[..., 1] - self.q[..., 1] * self.v[..., 0], axis=1)


@known_keywords
def triangle(
    positions: Any, velocities: Any, times: Any, mass: float = 6.2, stiffness: float = 23.3, damping: float = 3.0
) -> Triangle:
    """Motion of a triangle of three equal nodes (kg, N/m, N s/m) at rest length where it starts."""
    q0, v0 = rows(positions, "positions", (3, 2)), rows(velocities, "velocities", (3, 2))
    m, k = number(mass, "mass", 0.0, strict=True), number(stiffness, "stiffness", 0.0)
    c = number(damping, "damping", 0.0)
    rest = np.linalg.norm(q0[SIDES[:, 1]] - q0[SIDES[:, 0]], axis=1)
    if not rest.min() > 0:  # a spring of no length has no direction, and the solver would never end
        raise BanquiseError("percussion: two nodes of the triangle lie at one place, expected three places.")
    t = np.atleast_1d(rows(times, "times"))
    if t.size and t.min() < 0:
        raise BanquiseError(f"percussion: times begin at {t.min():g} s, expected 0 or more.")

    def rate(_: float, state: Array) -> Array:
        q, v = state[:6].reshape(3, 2), state[6:].reshape(3, 2)
        force = np.zeros((3, 2))
        for (i, j), length in zip(SIDES, rest):
            step = q[j] - q[i]
            long = np.hypot(*step)
            u = step / long
            pull = (k * (long - length) + c * float((v[j] - v[i]) @ u)) * u
            force[i] += pull
            force[j] -= pull
        return np.concatenate([v.ravel(), force.ravel() / m])

    span = (0.0, float(t.max()) or 1.0)
    out = solve_ivp(rate, span, np.concatenate([q0.ravel(), v0.ravel()]), "DOP853", t, rtol=1e-10, atol=1e-12)
    return Triangle(t, out.y[:6].T.reshape(-1, 3, 2), out.y[6:].T.reshape(-1, 3, 2), m, k, rest)
