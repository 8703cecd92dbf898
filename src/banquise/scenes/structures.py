"""Scenes of many blocks: an arch bridge, a jointed rock slope, ballast under a sleeper, ice rubble against a slope."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene
from banquise.scenes.blocks import random_polyhedron, walls

Floats = NDArray[np.float64]


def _wedge(
    inner: float, outer: float, begin: float, end: float, left: float, right: float, **options: Any
) -> Polyhedron:
    """A voussoir between two angles from the spring line, two radii and two sides."""
    ring = [(r * np.cos(t), r * np.sin(t)) for t in (begin, end) for r in (inner, outer)]
    corners = np.array([(x, y, z) for y in (left, right) for x, z in ring])
    middle = corners.mean(axis=0)
    return Polyhedron(corners - middle, position=middle, **options)


def arch_bridge(
    voussoirs: int = 50, rings: int = 6, radius: float = 5.0, thickness: float = 0.75, width: float = 3.0,
    density: float = 2400.0, joint: float = 0.0,
) -> Scene:  # fmt: skip
    """A semicircular barrel arch of `rings` x `voussoirs` stones in bond on two fixed springers (blocks 0 and 1).

    `radius` is that of the middle line. It stands if thickness / radius is above 0.1075 (Milankovitch), if friction holds.
    `joint` (m) opens the joints between rings.
    """
    inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
    blocks = []
    for side in (-1.0, 1.0):
        centre = (side * radius, 0.0, -0.25)
        blocks.append(Polyhedron.box((2 * thickness, width + 1.0, 0.5), position=centre, fixed=True, material="ground"))
    each = width / rings
    for ring in range(rings):
        left = ring * each - 0.5 * width + 0.5 * joint
        cuts = np.linspace(0.0, np.pi, voussoirs + 1)
        if ring % 2:  # half a stone further: the bond that ties the rings together
            cuts = np.concatenate([[0.0], 0.5 * (cuts[:-1] + cuts[1:]), [np.pi]])
        blocks += [
            _wedge(inner, outer, a, b, left, left + each - joint, density=density, material="block")
            for a, b in pairwise(cuts.tolist())
        ]
    return Scene(blocks=blocks)


def rock_slope(
    dip: float = 30.0, layers: int = 6, columns: int = 12, block: tuple[float, float, float] = (1.0, 1.0, 0.5),
    density: float = 2700.0,
) -> Scene:  # fmt: skip
    """Layers of blocks in running bond on a plane dipping by `dip` degrees (block 0): they hold if friction > tan dip."""
    half = 0.5 * np.radians(dip)
    turned = (np.cos(half), 0.0, np.sin(half), 0.0)
    plane = Polyhedron.box(
        (3 * columns * block[0], 4 * block[1], 1.0), orientation=turned, fixed=True, material="ground"
    )
    one = Polyhedron.box(block, orientation=turned, density=density, material="block")
    blocks = [plane]
    for layer in range(layers):
        for k in range(columns - layer):  # each layer half a block in at both ends: no stone overhangs
            along = (k + 0.5 + 0.5 * layer - 0.5 * columns) * block[0]
            blocks.append(one.moved(position=plane.rotation @ [along, 0.0, 0.5 + (layer + 0.5) * block[2]]))
    return Scene(blocks=blocks)


def ballast(
    n: int = 200, load: float = 20e3, period: float = 0.5, start: float = 1.5, seed: int = 0
) -> tuple[Scene, Callable[[Any], Floats]]:
    """Stones of about 0.1 m in a box under a sleeper (the last block), and the force that loads it again and again.

    The force goes from 0 to `load` (N) and back as sin^2 once in `period` (s), from `start` on: `Forcing(forces=[force])`.
    """
    rng = np.random.default_rng(seed)
    kinds = [random_polyhedron(rng, density=2700.0) for _ in range(20)]
    small = [Polyhedron(0.1 * kind.vertices, density=2700.0, material="stone") for kind in kinds]
    pitch, row = 0.105, max(3, round((n / 1.2) ** (1 / 3)))
    side, layers = pitch * row, -(-n // (row * row))
    height = pitch * (layers + 4)
    base = Polyhedron.box((side + 0.4, side + 0.4, 0.2), position=(0, 0, -0.1), fixed=True)
    blocks = [base, *walls(side, height, 0.2)]
    for k in range(n):
        layer, place = divmod(k, row * row)
        i, j = divmod(place, row)
        spot = ((i + 0.5) * pitch - 0.5 * side, (j + 0.5) * pitch - 0.5 * side, 0.06 + pitch * layer)
        blocks.append(small[k % len(small)].moved(position=spot, orientation=rng.normal(size=4)))
    sleeper = Polyhedron.box((0.8 * side, 0.5 * side, 0.1), density=2400.0, material="sleeper")
    blocks.append(sleeper.moved(position=(0, 0, pitch * layers + 0.12)))

    def force(state: Any) -> Floats:
        out = np.zeros((len(state.mass), 6))
        if state.time >= start:
            out[-1, 2] = -load * np.sin(np.pi * (state.time - start) / period) ** 2
        return out

    return Scene(blocks=blocks), force


def rubble(
    n: int = 60, slope: float = 45.0, speed: float = 0.5, piece: tuple[float, float, float] = (1.0, 1.0, 0.4),
    seed: int = 0,
) -> Scene:  # fmt: skip
    """Ice pieces afloat between a sloping structure (block 0) and a wall (block 1) that pushes them up its face at `speed`.

    Water at z = 0: `Forcing(gravity=(0, 0, -9.81), water_level=0.0)`; the load on the structure is `run.loads` of block 0.
    """
    rng = np.random.default_rng(seed)
    rows = 4
    width, length = rows * 1.1 * piece[1], -(-n // rows) * 1.1 * piece[0]
    run, high = 6.0, 4.0
    rise = run * np.tan(np.radians(slope))
    corners = [
        (x, y, z) for y in (-width, width) for x, z in ((0, -rise), (0, rise), (-2 * run, -rise), (-2 * run, rise))
    ]
    face = [(run, y, -rise) for y in (-width, width)]  # the face climbs from (run, -rise) to (0, rise)
    structure = Polyhedron(np.array(corners + face), position=(-0.5 * run, 0, 0), fixed=True, material="structure")
    back = 0.5 * run + length

    def path(time: float) -> tuple[float, float, float]:
        return back + 1.0 - speed * time, 0.0, 0.0

    pusher = Polyhedron.box((1.0, 2 * width, 2 * high), position=path(0.0), fixed=True, path=path)
    blocks = [structure, pusher]
    for side in (-1.0, 1.0):  # a channel
        y = side * (0.5 * width + 0.5)
        blocks.append(Polyhedron.box((length + 20.0, 1.0, 2 * high), position=(0.5 * back, y, 0), fixed=True))
    box = Polyhedron.box(piece, density=917.0, material="ice")
    for k in range(n):
        i, j = divmod(k, rows)
        x = 0.5 * run + (i + 0.5) * 1.1 * piece[0]
        y = (j + 0.5) * 1.1 * piece[1] - 0.5 * width
        turn = rng.uniform(-0.05, 0.05)
        spot = (x, y, (0.5 - 917.0 / 1025.0) * piece[2])
        blocks.append(box.moved(position=spot, orientation=(np.cos(turn), 0, 0, np.sin(turn))))
    return Scene(blocks=blocks)
