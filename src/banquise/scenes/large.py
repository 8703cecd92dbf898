"""Large scenes of benchmarks: packs tiled from one, a channel between two banks, a pack blown into a funnel."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from banquise.detection.broad_phase import spatial_order
from banquise.errors import CaseError
from banquise.forcing.forcing import Forcing
from banquise.scene.domain import Periodic
from banquise.scene.floe import Obstacle
from banquise.scene.makers import tools
from banquise.scene.makers.pack import pack
from banquise.scene.scene import Scene
from banquise.scenes.jams import funnel
from banquise.schemes.time_stepping import TimeStepping
from banquise.settings import Contact
from banquise.simulation import Simulation

TILE = 1000  # floes of a tile
SIDE = 1500.0  # m, of the tile that is made here


class Tile(NamedTuple):
    """1,000 floes on a square of this side (m) about this place, in the order of a curve in space."""

    scene: Scene
    side: float
    middle: tuple[float, float]

    @classmethod
    def of(cls, scene: Scene, side: float, middle: tuple[float, float]) -> Tile:
        if len(scene.floes) != TILE:
            raise CaseError(f"tile of a pack: {len(scene.floes)} floes, expected {TILE}.")
        return cls(Scene([scene.floes[k] for k in spatial_order(scene.bodies())]), side, middle)


@lru_cache(maxsize=2)
def pack_of_a_thousand(seed: int = 1) -> Tile:
    """1,000 floes at 65 per cent of a square, number of floes larger than s ~ s^-1.5."""
    made = pack(n=TILE, concentration=0.65, box=(SIDE, SIDE), exponent=1.5, max_size=250.0, seed=seed)
    return Tile.of(made, SIDE, (0.5 * SIDE, 0.5 * SIDE))


def moving_pack(
    n: int = 1000, seed: int = 0, speed: float = 0.125, spin: float = 1e-3, tile: Tile | None = None
) -> Scene:
    """That pack (or another `tile`) and its quarter turns side by side, until there are `n` floes, each with its own motion.

    Parameters
    ----------
    n : a multiple of 1,000
    speed : m/s, root of the mean square; spin : rad/s, likewise
    """
    if n < TILE or n % TILE:
        raise CaseError(f"moving_pack: n is {n!r}, expected a multiple of {TILE}.")
    rng = np.random.default_rng(seed)
    copies = n // TILE
    across = math.ceil(math.sqrt(copies))
    base, side, middle = tile or pack_of_a_thousand()
    turned = [tools.rotate(base, 0.5 * math.pi * k, middle) for k in range(4)]
    tiles = [
        tools.shift(turned[quarter], side * (k % across), side * (k // across))
        for k, quarter in enumerate(rng.integers(0, 4, copies))
    ]
    velocity, turn = rng.normal(0.0, speed / math.sqrt(2.0), (n, 2)), rng.normal(0.0, spin, n)
    still = tools.merge(*tiles, check=False)
    return Scene([tools.like(f, f.ring, velocity=v, spin=w) for f, v, w in zip(still.floes, velocity, turn)])


def drifting_pack(n: int = 1000, step: float = 1.0, scene: Scene | None = None) -> Simulation:
    """The moving pack (or a `scene` made before) under a wind of 10 m/s over still water."""
    forcing = Forcing(wind=(10.0, 0.0), current=(0.0, 0.0))
    return Simulation(scene or moving_pack(n), forcing, Contact(), TimeStepping(step), title=f"pack of {n}")


def channel(n: int = 100, step: float = 1.0, seed: int = 0) -> Simulation:
    """A pack between two banks, blown along and against one of them; what leaves on the right comes in on the left."""
    length, width, bank = 900.0, 300.0, 50.0
    made = pack(n=n, concentration=0.6, box=(length, width), exponent=1.5, max_size=60.0, seed=seed)
    rings: Any = [
        ((0, -bank), (length, -bank), (length, 0), (0, 0)),
        ((0, width), (length, width), (length, width + bank), (0, width + bank)),
    ]
    banks = [Obstacle(ring, name=name) for ring, name in zip(rings, ("right bank", "left bank"))]
    return Simulation(
        Scene(made.floes, banks, Periodic(0.0, length, -bank, width + bank)),
        Forcing(wind=(12.0, -4.0), current=(0.0, 0.0)),
        Contact(),
        TimeStepping(step),
        title="channel",
    )


def jammed(n: int = 1000, friction: float = 0.7, step: float = 5.0, seed: int = 0) -> Simulation:
    """A pack of rough floes blown into a funnel; at a friction of 0.7 it locks, at 0.3 it flows for longer."""
    blown = funnel(n=n, friction=friction, mouth=60.0, seed=seed)
    return Simulation(blown.scene, blown.forcing, blown.contact, TimeStepping(step), title="jam")
