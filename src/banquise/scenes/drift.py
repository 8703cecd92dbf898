"""Floes that drift: wind, still water, the turning Earth."""

from __future__ import annotations

import numpy as np

from banquise.forcing.forcing import Forcing
from banquise.scene.floe import Floe
from banquise.scene.scene import Scene
from banquise.simulation import Simulation


def drifting_floes(n: int = 12, seed: int = 0) -> Simulation:
    """`n` floes of different sizes, far enough apart to drift freely under a wind of 10 m/s at 81 degrees north."""
    rng = np.random.default_rng(seed)
    floes = []
    for k in range(n):
        turn = np.sort(rng.uniform(0, 2 * np.pi, 16)) + np.linspace(0, 0.3, 16)
        size = rng.uniform(20, 80) * rng.uniform(0.7, 1.0, 16)
        centre = np.array([400.0 * (k % 4), 400.0 * (k // 4)])
        ring = centre + np.stack([size * np.cos(turn), size * np.sin(turn)], axis=1)
        floes.append(Floe(ring, thickness=rng.uniform(0.3, 2.0), spin=rng.normal(0, 2e-3)))
    return Simulation(
        Scene(floes), Forcing(wind=(10.0, 0.0), current=(0.0, 0.0), latitude=81.0), title="drifting floes"
    )
