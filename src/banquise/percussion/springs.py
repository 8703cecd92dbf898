"""Masses on a line joined by springs and dampers, solved exactly by the matrix exponential.

Such a system is passive: no eigenvalue has a positive real part, whatever the masses, springs and dampers. Runs of
the source report that grow without bound come from damping terms of the wrong sign there, not from the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from banquise.errors import BanquiseError, known_keywords
from banquise.percussion._checks import number, rows

Array = NDArray[np.float64]

WALL = -1  # the other end of a spring that is fixed


@dataclass(frozen=True)
class Motion:
    """Displacements and velocities (times, nodes) of a line of masses."""

    times: Array  # s
    x: Array  # m
    v: Array  # m/s
    system: Springs

    @property
    def elongations(self) -> Array:
        """(times, springs) m, positive in tension."""
        return self.x @ self.system.ends.T

    @property
    def elastic_energy(self) -> Array:
        return 0.5 * self.elongations**2 @ self.system.stiffness

    @property
    def kinetic_energy(self) -> Array:
        return 0.5 * self.v**2 @ self.system.masses

    @property
    def momentum(self) -> Array:
        return self.v @ self.system.masses


@known_keywords
class Springs:
    """Masses (kg) and springs (first node, second node or WALL, stiffness N/m, damping N s/m)."""

    def __init__(self, masses: Sequence[float], springs: Sequence[tuple[int, int, float, float]]):
        self.masses = np.array([number(m, "a mass", 0.0, strict=True) for m in masses])
        n = len(self.masses)
        for row, spring in enumerate(springs):
            if np.size(spring) != 4:
                raise BanquiseError(
                    f"percussion: spring {row} is {spring!r}, expected (first node, second node, stiffness, damping)."
                )
        self.stiffness = np.array([number(s[2], "a stiffness", 0.0) for s in springs])
        self.damping = np.array([number(s[3], "a damping", 0.0) for s in springs])
        self.ends = np.zeros((len(springs), n))
        for row, (i, j, _, _) in enumerate(springs):
            if not (0 <= i < n and (j == WALL or 0 <= j < n) and i != j):
                raise BanquiseError(f"percussion: spring {row} joins {i} and {j}, expected two of {n} nodes or a wall.")
            self.ends[row, i] = -1
            if j != WALL:
                self.ends[row, j] = 1

    @property
    def matrix(self) -> Array:
        """A of d(x, v)/dt = A (x, v)."""
        n = len(self.masses)
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:, :n] = -(self.ends.T * self.stiffness) @ self.ends / self.masses[:, None]
        A[n:, n:] = -(self.ends.T * self.damping) @ self.ends / self.masses[:, None]
        return A

    def eigenvalues(self) -> NDArray[np.complex128]:
        """1/s, by falling imaginary part then real part."""
        found = np.linalg.eigvals(self.matrix).astype(complex)
        return found[np.lexsort((found.real, -found.imag))]

    def motion(self, x: Any, v: Any, times: Any) -> Motion:
        """Exact motion from displacements x and velocities v at time 0."""
        start = np.concatenate([np.atleast_1d(rows(x, "x")), np.atleast_1d(rows(v, "v"))])
        n = len(self.masses)
        if start.shape != (2 * n,):
            raise BanquiseError(
                f"percussion: {start.size} displacements and velocities for {n} masses, expected {n} of each."
            )
        t = np.atleast_1d(rows(times, "times"))
        A = self.matrix
        states = np.stack([expm(A * s) @ start for s in t])
        return Motion(t, states[:, :n], states[:, n:], self)


@known_keywords
def two_nodes(mass: float, stiffness: float, damping: float, v1: float, v2: float, times: Any) -> tuple[Array, Array]:
    """Displacements (m) of a floe of two equal nodes thrown at each other: x1' = v1, x2' = -v2 at time 0.

    x1, x2 = t (v1 - v2)/2 +- exp(a t) sin(b t) (v1 + v2)/(2 b), a = -damping/mass, b = sqrt(2 k m - damping^2)/m;
    sinh beyond critical damping. They have a limit if and only if v1 = v2 (and there is damping).

    >>> x1, x2 = two_nodes(1.0, 18.0, 1.3, 0.8, 0.8, 0.25)
    >>> round(float(x1), 10)
    0.0981227387
    """
    m, k = number(mass, "mass", 0.0, strict=True), number(stiffness, "stiffness", 0.0, strict=True)
    c, v1, v2 = number(damping, "damping", 0.0), number(v1, "v1"), number(v2, "v2")
    t = rows(times, "times")
    b = np.sqrt(complex(2 * k * m - c * c)) / m
    # exp(a t) joined with the sine: each alone overflows for strong damping and long times.
    a = -c / m
    swing = t * np.exp(a * t) if b == 0 else np.real((np.exp((a + 1j * b) * t) - np.exp((a - 1j * b) * t)) / (2j * b))
    return t * (v1 - v2) / 2 + swing * (v1 + v2) / 2, t * (v1 - v2) / 2 - swing * (v1 + v2) / 2


@known_keywords
def clamped_hit(
    masses: tuple[float, float],
    stiffness: tuple[float, float],
    damping: tuple[float, float],
    speed: float,
    times: Any,
) -> Motion:
    """A two-node floe that hits, perfectly plastically, a two-node floe clamped to a wall.

    The struck floe (first of each pair) has its far node in the wall; the contact nodes stay glued. Nodes: 0 the glued
    pair, 1 the far node of the striker, which comes at `speed` (negative: towards the wall).
    """
    (m, other), (k, k2), (c, c2) = masses, stiffness, damping
    system = Springs([m + other, other], [(0, WALL, k, c), (0, 1, k2, c2)])
    return system.motion([0, 0], [other * speed / (m + other), speed], times)


@known_keywords
def free_hit(
    masses: tuple[float, float],
    stiffness: tuple[float, float],
    damping: tuple[float, float],
    speeds: tuple[float, float],
    times: Any,
) -> Motion:
    """Two free two-node floes whose contact nodes stay glued. Nodes: 0 the glued pair, 1 and 2 the far nodes."""
    (m, other), (k, k2), (c, c2), (v, v2) = masses, stiffness, damping, speeds
    system = Springs([m + other, m, other], [(0, 1, k, c), (0, 2, k2, c2)])
    return system.motion([0, 0, 0], [(m * v + other * v2) / (m + other), v, v2], times)


@known_keywords
def chain(nodes: int, mass: float, stiffness: float, damping: float) -> Springs:
    """A floe of equal nodes on a line, each joined to the next.

    >>> bool(chain(3, 1.0, 7.0, 0.5).eigenvalues().real.max() < 1e-7)
    True
    """
    if number(nodes, "nodes") < 2 or nodes != int(nodes):
        raise BanquiseError(f"percussion: a chain of {nodes!r} nodes, expected at least 2.")
    return Springs([mass] * int(nodes), [(i, i + 1, stiffness, damping) for i in range(int(nodes) - 1)])
