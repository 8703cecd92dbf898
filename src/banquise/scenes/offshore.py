"""A structure in the ice: a platform in a drifting pack, a ship on a track through it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.forcing.forcing import Forcing
from banquise.scene.floe import Obstacle
from banquise.scene.makers.pack import pack
from banquise.schemes.event_driven import EventDriven
from banquise.settings import Contact
from banquise.simulation import Simulation

Array = NDArray[np.float64]


def platform(
    n: int = 120,
    concentration: float = 0.6,
    field: tuple[float, float] = (600.0, 300.0),
    diameter: float = 30.0,
    distance: float = 10.0,
    wind: float = 12.0,
    current: float = 0.3,
    thickness: Any = (0.5, 1.0),
    exponent: float = 1.5,
    max_size: float = 30.0,
    friction: float = 0.3,
    restitution: float = 0.1,
    max_step: float = 2.0,
    seed: int = 0,
) -> Simulation:
    """A round platform (obstacle 0) in the way of a field of floes that wind and current carry along x.

    Parameters
    ----------
    field : m, length along x and width across of the field of floes, upstream of the platform at the origin
    distance : m, free way between the field and the platform at the start
    wind, current : m/s along x
    """
    length, width = field
    edge = -0.5 * diameter - distance
    area = (edge - length, edge, -0.5 * width, 0.5 * width)
    pier = Obstacle([(0.0, 0.0)], radius=0.5 * diameter, name="platform")
    ice = pack(n, concentration, area, exponent, max_size, thickness, seed)
    scene = type(ice)([_carried(f, current) for f in ice.floes], [pier])
    return Simulation(
        scene,
        Forcing(wind=(wind, 0.0), current=(current, 0.0)),
        Contact(friction=friction, restitution=restitution),
        EventDriven(max_step=max_step),
        seed=seed,
        title="platform",
    )


def _carried(floe: Any, current: float) -> Any:
    floe.velocity = (current, 0.0)
    return floe


def hull(length: float, beam: float, bow: float) -> Array:
    """Outline of a ship along x, its middle at the origin: a bow of half angle `bow` (degrees), straight sides."""
    entry = min(0.5 * beam / math.tan(math.radians(bow)), 0.8 * length)
    half, side = 0.5 * length, 0.5 * beam
    return np.array([[half, 0], [half - entry, side], [-half, side], [-half, -side], [half - entry, -side]])


def ship(
    n: int = 120,
    concentration: float = 0.6,
    field: tuple[float, float] = (600.0, 300.0),
    length: float = 80.0,
    beam: float = 18.0,
    bow: float = 30.0,
    speed: float = 2.0,
    run_up: float = 10.0,
    wind: float = 0.0,
    thickness: Any = (0.3, 0.6),
    exponent: float = 1.5,
    max_size: float = 30.0,
    friction: float = 0.1,
    restitution: float = 0.1,
    max_step: float = 1.0,
    seed: int = 0,
) -> Simulation:
    """A ship (obstacle 0) on a straight track along x at a steady speed through a field of loose floes in still water.

    Parameters
    ----------
    field : m, length along the track and width across of the field of floes; the ship enters it at x = 0
    length, beam, bow : m, m, and degrees of the bow's sides from the track
    run_up : m, free way before the bow at the start
    """
    along, across = field
    outline = hull(length, beam, bow) - (0.5 * length + run_up, 0.0)
    vessel = Obstacle(outline, velocity=(speed, 0.0), material="steel", name="ship")
    ice = pack(n, concentration, (0.0, along, -0.5 * across, 0.5 * across), exponent, max_size, thickness, seed)
    return Simulation(
        type(ice)(ice.floes, [vessel]),
        Forcing(wind=(wind, 0.0) if wind else None, current=(0.0, 0.0)),
        Contact(friction=friction, restitution=restitution),
        EventDriven(max_step=max_step),
        seed=seed,
        title="ship",
    )
