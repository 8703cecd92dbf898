"""Boxes at random, for tests and benchmarks of broad phases."""

from __future__ import annotations

import numpy as np

from banquise.scene.meshes import Floats


def spread_boxes(rng: np.random.Generator, count: int, spread: float, filled: float = 0.6) -> Floats:
    """Boxes (n, 6) at random, sizes over a ratio `spread` (even in the logarithm), that fill a part of the room."""
    sides = np.exp(rng.uniform(0.0, np.log(spread), count))[:, None] * rng.uniform(0.7, 1.3, (count, 3))
    room = float(sides.prod(axis=1).sum() / filled) ** (1.0 / 3.0)
    middle = rng.uniform(0.0, room, (count, 3))
    return np.hstack([middle - 0.5 * sides, middle + 0.5 * sides])
