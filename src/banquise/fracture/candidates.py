"""Straight candidate cracks: chords of the meshed floe between points of its border."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.fracture import _kernels_border
from banquise.fracture.elasticity import Body
from banquise.fracture.griffith import Griffith

Array = NDArray[np.float64]

BESIDE = 0.04  # a crack starts this part of a patch's width beside the patch: inside it, both its lips are gripped


class Border:
    """The border of a meshed floe, as ends of cracks; `sources` are the patches that were struck."""

    def __init__(self, body: Body, sources: tuple[int, ...], ice: Griffith):
        mesh = body.mesh
        self.corners, self.first = mesh.corners, mesh.first
        self.along, self.turn = _kernels_border.marks(self.corners, self.first)
        self.open_ended = ice.arrested
        self.least = ice.min_piece * float(mesh.area.sum())
        self.width = (ice.min_width or 0.0) / body.unit
        self.step = float(self.turn.sum()) / ice.border_points
        stretches = [self._stretch(body.patches[k].line, BESIDE * body.patches[k].width) for k in sources]
        self.taken = np.array(stretches).reshape(-1, 3)
        self.spots = _kernels_border.ends(
            self.corners, self.first, self.along, self.turn, self.taken, ice.border_points, self.step, False
        )
        self._chords: dict[bool, Array] = {}

    def chords(self, from_contact: bool) -> Array:
        """(k, 5) chords inside the ice, by length: from beside the patches to all border points, or between all; kept."""
        if from_contact not in self._chords:
            starts = 2 * len(self.taken) if from_contact and len(self.taken) else len(self.spots)
            self._chords[from_contact] = _kernels_border.chords(
                self.corners,
                self.first,
                self.along,
                self.turn,
                self.spots,
                starts,
                self.least,
                self.width,
                self.open_ended,
            )
        return self._chords[from_contact]

    def nearest(self, spot: Array) -> tuple[int, float]:
        """Ring and distance along it of the border place nearest to a point."""
        ring, where = _kernels_border.nearest(float(spot[0]), float(spot[1]), self.corners, self.first, self.along)
        return int(ring), float(where)

    def _stretch(self, line: Array, reach: float) -> tuple[float, float, float]:
        """Ring of a patch, and the stretch of it along the ring that is just wider than the patch (its end may be past the
        ring's)."""
        ring, first = self.nearest(line[0])
        _, last = self.nearest(line[-1])
        turn = float(self.turn[ring])
        if (last - first) % turn >= (first - last) % turn:
            first, last = last, first
        return float(ring), first - reach, first + (last - first) % turn + reach
