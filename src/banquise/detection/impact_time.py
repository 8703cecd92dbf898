"""Time to contact of pairs under their rigid motions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.detection import _kernels_impact
from banquise.detection.scratch import make_scratch
from banquise.detection.shapes import Shapes
from banquise.threads import over_blocks

Array = NDArray[np.float64]


def impact_times(
    shapes: Shapes, bodies: Any, a: Any, b: Any, shift: Array, distance: Any, dt: float, window: float
) -> Array:
    """First time in [0, dt] at which each pair of rows is within its distance (m), at steady velocity and spin.

    Infinite when that does not happen. Never later than the true time; earlier by no more than 1e-12 of the bodies'
    extent takes.
    """
    a, b = np.ascontiguousarray(a, dtype=np.int32), np.ascontiguousarray(b, dtype=np.int32)
    pose = np.stack([bodies.x, bodies.y, bodies.cos, bodies.sin], axis=1)
    velocity = np.stack([bodies.u, bodies.v, bodies.spin], axis=1)
    distance = np.array(np.broadcast_to(np.asarray(distance, dtype=float), len(a)))
    extent = np.ascontiguousarray(bodies.extent, dtype=float)
    tolerance = 1e-12 * float(np.min(extent, initial=np.inf)) if len(extent) else 0.0
    when = np.empty(len(a))

    def part(first: int, last: int) -> None:
        rows = 256
        while True:
            scratch = make_scratch(shapes, rows)
            need = _kernels_impact.impact_times(
                first, last, a, b, shift, shapes, pose, velocity, extent, distance, float(dt), float(window), tolerance,
                scratch, when,
            )  # fmt: skip
            if not need:
                return
            rows = 2 * int(need)

    over_blocks(part, len(a), 500)
    return when
