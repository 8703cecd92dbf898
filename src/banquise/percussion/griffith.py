"""Griffith's test on a chain of springs, done at one instant: the broken chain against the unbroken one.

Comparing the energy of the broken chain with the unbroken one of an earlier time would read any fall of the elastic
energy as fracture. At one instant the nodes have not moved, so a broken spring sets free its own energy; one in
compression sets free nothing, because the lips of the crack stay pressed together. The cost is toughness times the
section (height times width), not times a rest length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from banquise.errors import BanquiseError, known_keywords
from banquise.percussion._checks import number, rows
from banquise.percussion.springs import Springs

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Break:
    """A spring that breaks, or the one nearest to it."""

    spring: int
    release: float  # J
    breaks: bool
    time: float = 0.0  # s


@known_keywords
def weakest_spring(elongations: Any, stiffness: Any, cost: float) -> Break:
    """The spring whose break pays most at this instant; it breaks when its energy reaches `cost` (J).

    >>> weakest_spring([0.25, -0.5, 0.5], 100.0, cost=1.5)
    Break(spring=2, release=12.5, breaks=True, time=0.0)
    """
    stretch = np.maximum(np.atleast_1d(rows(elongations, "elongations")), 0.0)
    if not stretch.size:
        raise BanquiseError("percussion: no elongations, expected one a spring.")
    energy = 0.5 * rows(stiffness, "stiffness") * stretch**2
    spring = int(np.argmax(energy))
    return Break(spring, float(energy[spring]), bool(energy[spring] >= number(cost, "cost", 0.0)))


@known_keywords
def first_break(system: Springs, x: Any, v: Any, until: float, cost: float, steps: int = 400) -> Break | None:
    """The first break of a chain in motion, or None before `until` (s)."""
    cost = number(cost, "cost", 0.0)
    if number(until, "until") <= 0 or number(steps, "steps") < 2:
        raise BanquiseError(f"percussion: until = {until!r} s in {steps!r} steps, expected a time above 0.")

    def most(t: float) -> float:
        return _energies(system, x, v, t).max() - cost

    times = np.linspace(0.0, until, steps + 1)
    paths = system.motion(x, v, times).elongations
    above = (0.5 * system.stiffness * np.maximum(paths, 0) ** 2).max(axis=1) >= cost
    if not above.any():
        return None
    k = int(np.argmax(above))
    time = 0.0 if k == 0 else float(brentq(most, times[k - 1], times[k], xtol=1e-13 * until))
    energies = _energies(system, x, v, time)
    spring = int(np.argmax(energies))
    return Break(spring, float(energies[spring]), True, time)


def _energies(system: Springs, x: Any, v: Any, time: float) -> Array:
    stretch = np.maximum(system.motion(x, v, [time]).elongations[0], 0.0)
    return np.asarray(0.5 * system.stiffness * stretch**2)
