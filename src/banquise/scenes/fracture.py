"""Ice that breaks: a floe thrown on a wall, an L-shaped one, a channel, a storm on a pack, a strait, an arch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.forcing.flows import Field
from banquise.forcing.forcing import Forcing
from banquise.fracture import Griffith, impact, search
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.makers.pack import pack
from banquise.scene.makers.voronoi import voronoi
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.schemes.time_stepping import TimeStepping
from banquise.settings import Contact
from banquise.simulation import Simulation

Array = NDArray[np.float64]

ROUGH = np.array([[0, 20], [35, 0], [80, 10], [110, 45], [95, 90], [60, 80], [30, 100], [5, 70]], dtype=float)
ELL = np.array([[0, 0], [100, 0], [100, 35], [40, 35], [40, 120], [0, 120]], dtype=float)
EIGHT = np.array(
    [[-0.2, -0.5], [0.2, -0.5], [0.5, -0.2], [0.5, 0.2], [0.2, 0.5], [-0.2, 0.5], [-0.5, 0.2], [-0.5, -0.2]]
)
LAW = Griffith()
TOUGH = Griffith(toughness=20.0)


def thrown(
    speed: float = 0.1,
    floe: Any = None,
    law: Any = LAW,
    gap: float = 0.5,
    spin: float = 0.0,
    friction: float = 0.3,
    restitution: float = 0.35,
    max_step: float = 2.0,
) -> Simulation:
    """One floe thrown on a wall, without water.

    Parameters
    ----------
    speed : m/s, towards the wall at x = 0; floe : its ring (m), `bq.Floe`, or None for a rough one of 90 m
    gap : m, from the wall at the start; law : of fracture, None for none
    """
    given = floe if isinstance(floe, Floe) else Floe(ROUGH if floe is None else floe, density=910.0)
    ring = given.ring + np.array([gap - given.ring[:, 0].min(), 0.0])
    moving = Floe(
        ring, thickness=given.thickness, density=given.density, velocity=(-speed, 0.0), spin=spin, name="floe"
    )
    low, high = ring[:, 1].min() - 500.0, ring[:, 1].max() + 500.0
    wall = Obstacle([[-50, low], [0, low], [0, high], [-50, high]], name="wall")
    return Simulation(
        Scene([moving], [wall]),
        contact=Contact(friction=friction, restitution=restitution),
        scheme=EventDriven(max_step=max_step),
        fracture=law,
        title="floe thrown on a wall",
    )


def predicted_speed(seed: int, law: Griffith = LAW) -> tuple[Floe, float]:
    """A rough floe at random, and the speed (m/s) from which it breaks when a wall stops it at its left-most corner."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 13))
    turn = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.7, n)) / n
    reach = rng.uniform(30, 120) * rng.uniform(0.75, 1.1, n)
    ring = np.column_stack([reach * np.cos(turn), reach * np.sin(turn)])
    floe = Floe(ring, thickness=float(rng.uniform(0.3, 2.0)), density=910.0)
    ice = law.in_run(floe)
    corner = floe.ring[np.argmin(floe.ring[:, 0])]
    hit = impact(floe, corner, (1.0, 0.0), 0.05, ice=ice)
    return floe, 0.05 * search(floe, hit, ice).critical


def ell(speed: float = 0.1, law: Any = LAW, **options: Any) -> Simulation:
    """An L-shaped floe thrown on a wall: it breaks where its arms meet."""
    return thrown(speed, floe=ELL, law=law, **options)


def channel(
    n: int = 40, size: float = 40.0, wind: float = 20.0, law: Any = LAW, seed: int = 0, max_step: float = 5.0
) -> Simulation:
    """Floes blown along a channel that narrows to half its width.

    Parameters
    ----------
    size : m, of a floe; wind : m/s along x; the water flows at 0.3 m/s
    """
    box = (5.0 * size, size * math.ceil(n / 3))
    floes = _pack(n, 0.6, (box[1], box[0]), seed)
    length = box[1]
    half, narrow = 0.5 * box[0], 0.25 * box[0]
    banks = [
        Obstacle([(0, s * half), (1.2 * length, s * half), (1.8 * length, s * narrow), (2.4 * length, s * narrow),
                  (2.4 * length, s * (half + 20)), (0, s * (half + 20))][:: int(s)])
        for s in (1.0, -1.0)
    ]  # fmt: skip
    shifted = [Floe(f.ring - [0.0, half], thickness=f.thickness) for f in floes]
    return Simulation(
        Scene(shifted, banks),
        Forcing(wind=(wind, 0.0), current=(0.3, 0.0)),
        Contact(),
        TimeStepping(step=max_step),
        fracture=law,
        seed=seed,
        title="channel",
    )


def storm(
    n: int = 100, wind: float = 25.0, swirl: float = 0.3, side: float = 0.0, law: Any = LAW, seed: int = 0,
    concentration: float = 0.5, step: float = 5.0, eddy: float = 5000.0, turning: float = 12 * 3600.0, bay: bool = True,
) -> Simulation:  # fmt: skip
    """A pack in a bay of still walls or in the open sea, in a wind that turns as a storm passes and eddies of the water.

    The shear of the water, 2 pi swirl / eddy, is 4e-4 per second by default: 2.7 times the Coriolis parameter, which is what
    lively eddies of the marginal ice zone have.

    Parameters
    ----------
    wind : m/s; swirl : m/s, speed of the eddies; eddy : m, their wave length; turning : s, in which the wind turns once
    side : m, of the box (0: 60 m a floe)
    bay : False for the open sea, periodic in x and y. There a whole number of eddies goes into the box, of the same shear
    """
    side = side or 60.0 * math.sqrt(n)
    floes = _pack(n, concentration, (side, side), seed)
    domain: Box | Periodic = Box(-5.0, side + 5.0, -5.0, side + 5.0)
    if not bay:
        domain = Periodic(0.0, side, 0.0, side)
        fitting = side / max(1, round(side / eddy))
        swirl, eddy = swirl * fitting / eddy, fitting
    wave = 2 * np.pi / eddy

    def eddies(x: Array, y: Array, time: float) -> tuple[Array, Array]:
        return swirl * np.sin(wave * y), swirl * np.sin(wave * x)

    def gale(x: Array, y: Array, time: float) -> tuple[Array, Array]:
        turn = 2 * np.pi * time / turning
        return wind * math.cos(turn) + 0 * x, wind * math.sin(turn) + 0 * y

    return Simulation(
        Scene(floes, domain=domain),
        Forcing(wind=Field(gale), current=Field(eddies)),
        Contact(),
        TimeStepping(step=step),
        fracture=law,
        seed=seed,
        title="storm on a pack",
    )


def strait(
    n: int = 60, mouth: float = 70.0, wind: float = 20.0, law: Any = LAW, seed: int = 0, step: float = 5.0,
    gap: float = 5.0, late: float = 0.0, behind: float = 200.0,
) -> Simulation:  # fmt: skip
    """Packed ice blown into a strait that it is too wide for: it arches. A late floe that runs into it breaks it.

    Parameters
    ----------
    mouth : m, width of the strait; wind : m/s towards it; gap : m, from the pack to the funnel at the start
    late : m, size of one more floe that comes after the pack (0: none); behind : m, how far behind the pack it starts
    """
    width = 40.0 * math.ceil(math.sqrt(n))
    height = 1500.0 * n / width
    floes = voronoi(n, 0.85, (width, height), seed=seed).floes
    deep = 0.5 * (width - mouth)
    moved = [Floe(f.ring + [-0.5 * width, deep + gap], thickness=f.thickness) for f in floes]
    if late:
        low = deep + gap + height + behind
        moved.append(Floe(late * EIGHT + [0.0, low + 0.5 * late], thickness=1.0, name="late"))
    top = deep + height + 100.0 + (behind + late if late else 0.0)
    banks = []
    for s in (1.0, -1.0):
        ring = [(s * 0.5 * mouth, -80.0), (s * 0.5 * mouth, 0.0), (s * 0.5 * width + s, deep), (s * 0.5 * width + s, top),
                (s * (0.5 * width + 60), top), (s * (0.5 * width + 60), -80.0)]  # fmt: skip
        banks.append(Obstacle(ring, name="right bank" if s > 0 else "left bank"))
    return Simulation(
        Scene(moved, banks),
        Forcing(wind=(0.0, -wind), current=(0.0, 0.0)),
        Contact(),
        TimeStepping(step=step),
        fracture=law,
        seed=seed,
        title="strait",
    )


def arch(n: int = 30, law: Any = TOUGH, **options: Any) -> Simulation:
    """The strait as an arch that holds and is broken: a gentle wind, ice of twice the toughness, and a late floe of 200 m.

    The pack comes to rest over the mouth within the hour; half an hour later the late floe, at 0.2 m/s, runs into it and breaks
    what bears. The pieces go on or lock again.
    """
    given = {"mouth": 60.0, "wind": 10.0, "gap": 1.0, "late": 200.0, "behind": 900.0} | options
    return strait(n=n, law=law, **given)


def _pack(n: int, concentration: float, box: tuple[float, float], seed: int) -> list[Floe]:
    found = pack(n=n, concentration=concentration, box=box, exponent=1.5, thickness=(0.8, 1.2), seed=seed)
    return list(found.floes)
