"""The Coriolis parameter where each floe is, on a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.forcing.grid import Lattice, Points, sample
from banquise.projection import Projection

Array = NDArray[np.float64]
# f bends over the radius of the Earth: linear over 5 km it is good to 1e-7, and a projection of every floe every
# step (microseconds each) is saved
SPACING = 5000.0


class LocalCoriolis:
    """f = 2 Omega sin(latitude) at the floes, read from a lattice of exact values."""

    def __init__(self, projection: Projection):
        self.projection = projection
        self._lattice = Lattice(SPACING, SPACING)
        self._values = np.empty((1, 0, 0))

    def of(self, bodies: Any, chosen: NDArray[np.int64] | None = None) -> Array:
        """f (n,) in 1/s of the floes, or of some rows of them."""
        rows = slice(bodies.n_free) if chosen is None else chosen
        points = Points.at(bodies.x[rows], bodies.y[rows])
        if not len(points.x):
            return np.zeros(1)
        if self._lattice.grow(points.bounds(), "coriolis"):
            self._values = self.projection.coriolis(*self._lattice.nodes())[None]
        values, _ = sample(self._lattice, self._values, self._values, 0.0, points)
        return np.ascontiguousarray(values[:, 0, 0])
