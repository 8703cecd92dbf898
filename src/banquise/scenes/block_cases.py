"""Ready cases of blocks for the command line: a scene, its forcing and contact, a step that suits it, how long it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from banquise.forcing.forcing import Forcing
from banquise.scene.scene import Scene
from banquise.scenes import blocks, structures
from banquise.settings import Contact

GRAVITY = (0.0, 0.0, -9.81)
DOWN = Forcing(gravity=GRAVITY)
STONES = Contact(friction=0.5, restitution=0.0)


@dataclass(frozen=True)
class BlockCase:
    """What `banquise blocks run NAME` runs."""

    scene: Scene
    step: float  # s
    until: float  # s
    forcing: Forcing = DOWN
    contact: Contact = STONES
    options: tuple[tuple[str, Any], ...] = ()  # further settings of the simulation


def _wall(n: int | None) -> BlockCase:
    return BlockCase(blocks.wall(), 4e-3, 2.0, contact=blocks.WALL_CONTACT)


def _settling_wall(n: int | None) -> BlockCase:
    scene = blocks.wall(joint=2e-4, settle=blocks.settlement())
    return BlockCase(scene, 4e-3, 4.0, contact=replace(blocks.WALL_CONTACT, tolerance=1e-4))


def _capsize(n: int | None) -> BlockCase:
    return BlockCase(blocks.tall_iceberg(), 0.05, 200.0, Forcing(gravity=GRAVITY, water_level=0.0))


def _arch(n: int | None) -> BlockCase:
    scene = structures.arch_bridge(voussoirs=n or 50)
    return BlockCase(scene, 4e-3, 0.5, contact=Contact(friction=0.7, restitution=0.0), options=(("sweeps", 200),))


def _slope(n: int | None) -> BlockCase:
    # the bed is smoother than the joints, and than tan 30: the whole slides as one
    friction = {("block", "block"): 0.7, ("block", "ground"): 0.5, ("ground", "ground"): 0.5}
    return BlockCase(structures.rock_slope(), 5e-3, 2.0, contact=Contact(friction=friction, restitution=0.0))


def _ballast(n: int | None) -> BlockCase:
    scene, load = structures.ballast(n or 200)
    contact = Contact(friction=0.6, restitution=0.0, tolerance=1e-3)
    return BlockCase(scene, 2e-3, 3.0, Forcing(gravity=GRAVITY, forces=[load]), contact, (("sweeps", 50),))


def _rubble(n: int | None) -> BlockCase:
    contact = Contact(friction=0.3, restitution=0.0, tolerance=1e-3)
    water = Forcing(gravity=GRAVITY, water_level=0.0)
    return BlockCase(structures.rubble(n or 60), 1e-2, 20.0, water, contact, (("sweeps", 50),))


CASES: dict[str, Callable[[int | None], BlockCase]] = {
    "tower": lambda n: BlockCase(blocks.tower(n or 10), 5e-3, 2.0),
    "wall": _wall,
    "settling-wall": _settling_wall,
    "heap": lambda n: BlockCase(blocks.heap(n or 200), 5e-3, 5.0, contact=replace(STONES, tolerance=1e-3)),
    "capsize": _capsize,
    "arch": _arch,
    "slope": _slope,
    "ballast": _ballast,
    "rubble": _rubble,
}
COUNTED = ("tower", "heap", "arch", "ballast", "rubble")  # cases whose number of blocks can be asked for
