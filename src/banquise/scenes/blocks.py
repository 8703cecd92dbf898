"""Scenes of blocks, shared by tests, benchmarks, commands and docs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene
from banquise.settings import Contact

WALL_BLOCK = (0.124, 0.062, 0.049)  # m: length, depth, height
WALL_COURSES, WALL_ROW = 10, 10
WALL_CONTACT = Contact(
    friction={("block", "block"): 0.6, ("block", "ground"): 0.7, ("ground", "ground"): 0.7},
    restitution=0.0,
    tolerance=1e-5,
)


def floor(sides: tuple[float, float, float] = (40.0, 40.0, 1.0), **options: object) -> Polyhedron:
    """A fixed slab whose top is at z = 0."""
    return Polyhedron.box(sides, position=(0.0, 0.0, -0.5 * sides[2]), fixed=True, **options)


def tower(n: int = 10, side: float = 1.0, density: float = 1.0) -> Scene:
    """A floor (block 0) and n cubes on top of each other."""
    cube = Polyhedron.box((side, side, side), density=density)
    return Scene(blocks=[floor(), *(cube.moved(position=(0, 0, (k + 0.5) * side)) for k in range(n))])


def settlement(depth: float = 0.02, start: float = 1.0, duration: float = 2.0) -> Callable[[float], float]:
    """How far the ground has sunk (m) at a time: 3 s^2 - 2 s^3 from `start` over `duration`."""

    def sunk(time: float) -> float:
        s = min(max((time - start) / duration, 0.0), 1.0)
        return depth * s * s * (3.0 - 2.0 * s)

    return sunk


def wall(
    joint: float = 0.0, density: float = 600.0, settle: Callable[[float], float] | None = None,
    courses: int = WALL_COURSES, row: int = WALL_ROW,
) -> Scene:  # fmt: skip
    """The 105-block wall in running bond: five courses of 10 full blocks, five of 9 full and two half ones.

    Blocks 0 and 1 are the two halves of the foundation, material "ground"; `joint` (m) opens the head joints;
    `settle` (time -> m) lowers the right half; `courses` of `row` blocks make a larger one.
    """
    length, depth, height = WALL_BLOCK
    pitch = length + joint
    width = row * pitch - joint
    full = Polyhedron.box(WALL_BLOCK, density=density, material="block")
    half = Polyhedron.box((0.5 * (length - joint), depth, height), density=density, material="block")
    side = 0.5 * width + 0.2
    ground = Polyhedron.box((side, 0.4, 0.1), fixed=True, material="ground")
    left = (0.5 * width - 0.5 * side, 0.0, -0.05)
    right = (0.5 * width + 0.5 * side, 0.0, -0.05)

    def path(time: float) -> tuple[float, float, float]:
        assert settle is not None
        return right[0], right[1], right[2] - settle(time)

    blocks = [ground.moved(position=left), ground.moved(position=right, path=None if settle is None else path)]
    for course in range(courses):
        z = (course + 0.5) * height
        if course % 2 == 0:
            blocks += [full.moved(position=((k + 0.5) * length + k * joint, 0, z)) for k in range(row)]
            continue
        short = 0.5 * (length - joint)
        blocks += [half.moved(position=(0.5 * short, 0, z)), half.moved(position=(width - 0.5 * short, 0, z))]
        blocks += [full.moved(position=((k + 1) * pitch - 0.5 * joint, 0, z)) for k in range(row - 1)]
    return Scene(blocks=blocks)


def random_polyhedron(rng: np.random.Generator, corners: int = 12, density: float = 917.0) -> Polyhedron:
    """The hull of random points on a ball of radius 0.5 m, squeezed a little."""
    points = rng.normal(size=(corners, 3))
    points *= 0.5 / np.linalg.norm(points, axis=1)[:, None]
    return Polyhedron(points * rng.uniform(0.7, 1.0, 3), density=density)


def walls(side: float, height: float, thickness: float) -> list[Polyhedron]:
    """Four fixed walls around a square of that side (m) about the z axis, from z = 0 up."""
    made = []
    for sign in (-1.0, 1.0):
        x = sign * (0.5 * side + 0.5 * thickness)
        along, across = (thickness, side + 2 * thickness, height), (side, thickness, height)
        made.append(Polyhedron.box(along, position=(x, 0, 0.5 * height), fixed=True))
        made.append(Polyhedron.box(across, position=(0, x, 0.5 * height), fixed=True))
    return made


def heap(n: int = 2000, box: float | None = None, seed: int = 0, shapes: int = 20) -> Scene:
    """Random polyhedra (of `shapes` kinds) on a loose grid above a floor between four walls; they fall into a heap."""
    rng = np.random.default_rng(seed)
    kinds = [random_polyhedron(rng) for _ in range(shapes)]
    row = int(np.ceil((n / 1.5) ** (1 / 3))) if box is None else max(1, int(box / 1.05))
    side = 1.05 * row if box is None else box
    height = 1.05 * (n // (row * row) + 2)
    blocks = [floor((side + 4.0, side + 4.0, 1.0)), *walls(side, height, 1.0)]
    for k in range(n):
        layer, place = divmod(k, row * row)
        i, j = divmod(place, row)
        spot = np.array([(i + 0.5) * 1.05 - 0.5 * side, (j + 0.5) * 1.05 - 0.5 * side, 0.6 + 1.05 * layer])
        turned = rng.normal(size=4)
        blocks.append(kinds[k % shapes].moved(position=spot + rng.uniform(-0.02, 0.02, 3), orientation=turned))
    return Scene(blocks=blocks)


def tall_iceberg(height: float = 100.0, aspect: float = 0.5, density: float = 917.0, water: float = 1025.0) -> Scene:
    """A box narrower than sqrt(6 r (1 - r)) of its height, at its draft and half a degree off upright: it capsizes."""
    half = np.radians(0.25)
    draft = density / water * height
    box = Polyhedron.box((aspect * height, 3 * height, height), density=density)
    return Scene(
        blocks=[box.moved(position=(0, 0, 0.5 * height - draft), orientation=(np.cos(half), 0, np.sin(half), 0))]
    )
