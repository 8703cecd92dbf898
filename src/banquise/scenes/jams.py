"""Ice that jams: an arch of blocks between two abutments, and a pack blown into a closing funnel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError
from banquise.forcing.forcing import Forcing
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.settings import Contact
from banquise.simulation import Simulation

Array = NDArray[np.float64]


def _sector(inner: float, outer: float, first: float, last: float) -> Array:
    """A block between two circles about the origin and two radial faces (angles in rad), sides straight."""
    return np.array(
        [[r * math.cos(a), r * math.sin(a)] for r, a in ((inner, first), (outer, first), (outer, last), (inner, last))]
    )


def arch(
    n: int = 7,
    inner: float = 20.0,
    outer: float = 30.0,
    spread: float = 120.0,
    gap: float = 1e-3,
    wind: float | None = None,
    gravity: float = 0.01,
    restitution: float = 0.35,
    friction: float = 0.7,
    max_step: float = 5.0,
) -> Simulation:
    """An arch of `n` blocks between two fixed abutments, pushed towards its hollow side until it carries the push.

    Parameters
    ----------
    inner, outer : m, radii of the ring the blocks are cut from; obstacles 0 (right) and 1 (left) are its abutments
    spread : degrees of the ring that the blocks fill
    gap : m, free way between neighbours at the start, closed by the first impacts
    wind : m/s, pushes with air drag alone; None: `gravity` (m/s2 in the plane) pushes
    """
    if not 0 < spread < 180 or not 0 < inner < outer:
        raise CaseError(
            f"arch: spread {spread!r}, radii {inner!r} and {outer!r}, expected 0 < spread < 180, 0 < inner < outer."
        )
    half = math.radians(spread) / 2
    start, turn = math.pi / 2 - half, 2 * half / n
    slack = 0.5 * gap / (0.5 * (inner + outer))
    floes = [Floe(_sector(inner, outer, start + k * turn + slack, start + (k + 1) * turn - slack)) for k in range(n)]
    foot = 0.3  # rad: abutments a good deal thicker than a block
    abutments = [
        Obstacle(_sector(inner - 5, outer + 5, start - foot, start), name="right abutment"),
        Obstacle(_sector(inner - 5, outer + 5, start + 2 * half, start + 2 * half + foot), name="left abutment"),
    ]
    push = Forcing(gravity=(0.0, -gravity)) if wind is None else Forcing(wind=(0.0, -wind))
    contact = Contact(friction=friction, restitution=restitution)
    return Simulation(Scene(floes, abutments), push, contact, EventDriven(max_step=max_step), title="arch")


def funnel(
    n: int = 60,
    size: float = 40.0,
    mouth: float = 60.0,
    slope: float = 55.0,
    wind: float = 15.0,
    restitution: float = 0.35,
    friction: float = 0.7,
    max_step: float = 5.0,
    seed: int = 0,
) -> Simulation:
    """A pack of `n` rough floes blown into a funnel that closes to a mouth too narrow for two of them.

    Parameters
    ----------
    size : m, mean width of a floe; mouth : m, width of the gap at y = 0; slope : degrees of the banks from the x axis
    wind : m/s, towards the mouth; the water is still
    """
    rng = np.random.default_rng(seed)
    across = max(2, math.ceil(math.sqrt(n)))
    rows = math.ceil(n / across)
    width = 1.25 * size * across
    lean = math.tan(math.radians(slope))
    deep = 0.5 * (width - mouth) * lean  # height at which the funnel is as wide as the pack
    far = 0.5 * mouth + (deep + 2.0 * rows * size) / lean
    top = (far - 0.5 * mouth) * lean
    banks: list[Any] = []
    for side, name in ((1.0, "right bank"), (-1.0, "left bank")):
        ring = [(side * 0.5 * mouth, 0.0), (side * far, top), (side * (far + size), top), (side * (far + size), 0.0)]
        banks.append(Obstacle(ring, name=name))
    floes = []
    for k in range(n):
        points = int(rng.integers(6, 12))
        turn = (np.arange(points) + 0.6 * rng.random(points)) * 2 * np.pi / points
        reach = 0.58 * size * rng.uniform(0.75, 1.0, points)
        centre = (1.25 * size * (k % across - 0.5 * (across - 1)), deep + 1.25 * size * (k // across + 0.5))
        floes.append(Floe(np.asarray(centre) + np.stack([reach * np.cos(turn), reach * np.sin(turn)], axis=1)))
    return Simulation(
        Scene(floes, banks),
        Forcing(wind=(0.0, -wind), current=(0.0, 0.0)),
        Contact(friction=friction, restitution=restitution),
        EventDriven(max_step=max_step),
        seed=seed,
        title="funnel",
    )
