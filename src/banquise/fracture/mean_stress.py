"""Breaking by the mean stress of a floe, as other floe codes do it: for comparison with cracks that pay for themselves.

The stress is the mean over the floe and over a window of time, from the impulses of all its contacts and their levers. A
floe whose principal stresses leave a region breaks in two through its centre, across the greatest tension.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, known_keywords
from banquise.fracture.breaking import Breaking, Cuts
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe
from banquise.settings import number, one_of
from banquise.units import duration, read_fields

Array = NDArray[np.float64]

CRITERIA = ("mohr", "ellipse")
UNITS = {"cohesion": "pressure", "corner": "pressure", "strength": "pressure", "min_size": "length"}


@known_keywords
@dataclass(frozen=True)
class MeanStress:
    """A floe breaks when its mean stress leaves a region of the principal stresses (tension positive).

    Parameters
    ----------
    criterion : "mohr" (a triangle between Mohr-Coulomb's two lines and a cap) or "ellipse" (Hibler's, axes 2 : 1)
    slope, cohesion : of Mohr-Coulomb's lines: compression = slope * confinement + cohesion (Pa)
    corner : Pa of tension, where the cap cuts the lines
    strength : Pa, P* of the ellipse; concentration : of the pack, by which exp(-20 (1 - concentration)) weakens it
    window : s, or text with units, over which the stress is the mean
    min_size : m, least square root of a piece's area, as in `Griffith`; None: ten times the thickness

    >>> MeanStress().outside(np.array([0.0, 80e3]), np.array([0.0, -80e3])).tolist()
    [False, True]
    """

    criterion: str = "mohr"
    slope: float = 5.2
    cohesion: float = 250e3
    corner: float = 33.75e3
    strength: float = 2.25e5
    concentration: float = 1.0
    window: Any = 60.0
    min_size: float | None = None

    def __post_init__(self) -> None:
        read_fields(self, UNITS)
        one_of(self.criterion, CRITERIA, "MeanStress: criterion")
        number(self.slope, "MeanStress: slope", above=1.0)
        for name in ("cohesion", "strength"):
            number(getattr(self, name), f"MeanStress: {name}", above=0.0)
        number(self.corner, "MeanStress: corner", at_most=self.cohesion / (self.slope - 1))
        number(self.concentration, "MeanStress: concentration", above=0.0, at_most=1.0)
        seconds = duration(self.window, "MeanStress: window")
        if seconds <= 0:
            raise CaseError(f"MeanStress: window is {self.window!r}, expected a time above 0.")
        object.__setattr__(self, "window", seconds)
        if self.min_size is not None:
            number(self.min_size, "MeanStress: min_size", at_least=0.0)

    def breaker(self, bodies: Bodies) -> Breaking:
        """What breaks the floes of a run."""
        return StressedFloes(bodies)

    def least_size(self, thickness: float) -> float:
        """Least square root of a piece's area (m)."""
        return 10 * thickness if self.min_size is None else float(self.min_size)

    def outside(self, major: Array, minor: Array) -> NDArray[np.bool_]:
        """Whether principal stresses (Pa, tension positive, major >= minor) are outside the region."""
        if self.criterion == "ellipse":
            p = self.strength * math.exp(-20 * (1 - self.concentration))
            return ((major + minor) / p + 1) ** 2 + (2 * (major - minor) / p) ** 2 > 1
        # the two lines meet at equal tensions; the cap joins the points where one tension is `corner`
        cap = self.slope * self.corner - self.cohesion + self.corner
        return (-minor > self.cohesion - self.slope * major) | (major + minor < cap)


class StressedFloes(Breaking):
    """Floes under `MeanStress`."""

    def __init__(self, bodies: Bodies):
        super().__init__(bodies)
        self.sum = np.zeros((bodies.n_free, 3))  # N m s: impulse times lever since `since`
        self.before = np.zeros((bodies.n_free, 3))  # of it, what has been counted in this record
        self.since = 0.0

    def new_window(self) -> None:
        super().new_window()
        self.before = np.zeros_like(self.before)

    def renumber(self, before: NDArray[np.int64]) -> None:
        alive = (before >= 0)[:, None]
        self.sum = np.where(alive, self.sum[before], 0.0)
        self.before = np.where(alive, self.before[before], 0.0)

    def proposed(self, sim: Any) -> list[Cuts]:
        law: MeanStress = sim.fracture
        now = sim.impulses.stress
        self.sum += now - self.before
        self.before = now.copy()
        span = sim.time - self.since
        if span < law.window * (1 - 1e-9):
            return []
        b, n = sim.bodies, sim.bodies.n_free
        xx, xy, yy = (self.sum / (b.area[:n] * b.thickness[:n] * span)[:, None]).T
        middle, half = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
        broken = np.flatnonzero(law.outside(middle + half, middle - half) & (half + np.abs(middle) > 0))
        # the axis of the greatest tension, on the map; the crack runs across it
        axis = 0.5 * np.arctan2(2 * xy, xx - yy)
        self.sum = np.zeros_like(self.sum)
        self.since = sim.time
        return [cuts for row in broken if (cuts := self._cut(sim, int(row), float(axis[row]))) is not None]

    def _cut(self, sim: Any, row: int, axis: float) -> Cuts | None:
        floe = self.floe(sim, row)
        if floe.area < 2 * sim.fracture.least_size(floe.thickness) ** 2:
            return None
        across = axis - sim.bodies.angle[row] + 0.5 * math.pi
        path = chord_through(floe, np.array([math.cos(across), math.sin(across)]))
        cuts = self.start_cuts(sim, row)
        return cuts if path is not None and cuts.cut(0, path, 0.0) is not None else None


def chord_through(floe: Floe, way: Array) -> Array | None:
    """The chord through the floe's centre (or the ice nearest to it) along `way`, (2, 2) m."""
    reach = 4 * math.sqrt(floe.area) + floe.polygon.length
    line = floe.polygon.intersection(shapely.LineString([floe.centre - reach * way, floe.centre + reach * way]))
    parts = [p for p in getattr(line, "geoms", [line]) if isinstance(p, shapely.LineString)]
    if not parts:
        return None
    nearest = min(parts, key=lambda p: p.distance(shapely.Point(floe.centre)))
    ends = np.asarray(nearest.coords)
    return np.array([ends[0], ends[-1]])
