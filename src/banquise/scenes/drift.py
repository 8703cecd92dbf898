"""Floes that drift: wind, still water, the turning Earth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
        if turn[-1] - turn[0] >= 2 * np.pi:  # once around and over its own start
            turn *= 6.2 / (turn[-1] - turn[0])
        size = rng.uniform(20, 80) * rng.uniform(0.7, 1.0, 16)
        centre = np.array([400.0 * (k % 4), 400.0 * (k // 4)])
        ring = centre + np.stack([size * np.cos(turn), size * np.sin(turn)], axis=1)
        floes.append(Floe(ring, thickness=rng.uniform(0.3, 2.0), spin=rng.normal(0, 2e-3)))
    return Simulation(
        Scene(floes), Forcing(wind=(10.0, 0.0), current=(0.0, 0.0), latitude=81.0), title="drifting floes"
    )


def many_floes(n: int, points: int = 12, seed: int = 0) -> Scene:
    """`n` rough floes of `points` points on a square grid, sizes over one decade, each moving and turning on its own.

    They are 60 to 90 % of their cell wide, so that nobody touches at the start.
    """
    rng = np.random.default_rng(seed)
    rings = _rough_rings(rng, n, points)
    thickness = rng.uniform(0.3, 3.0, n)
    velocity = rng.normal(0, 0.05, (n, 2))
    spin = rng.normal(0, 1e-3, n)
    return Scene(Floe(rings[k], thickness=thickness[k], velocity=velocity[k], spin=spin[k]) for k in range(n))


def _rough_rings(rng: np.random.Generator, n: int, points: int) -> NDArray[np.float64]:
    """(n, points, 2) stars of random reach, all drawn at once."""
    turn = (np.arange(points) + rng.uniform(0.1, 0.9, (n, points))) * 2 * np.pi / points
    reach = 10 ** rng.uniform(1, 2, (n, 1)) * rng.uniform(0.6, 0.9, (n, points))
    side = 200.0
    across = int(np.ceil(np.sqrt(n)))
    centre = side * np.stack([np.arange(n) % across, np.arange(n) // across], axis=1)
    return np.asarray(centre[:, None] + reach[..., None] * np.stack([np.cos(turn), np.sin(turn)], axis=2))
