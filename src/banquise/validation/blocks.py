"""Blocks: mass, distance, contact polygon, neighbours, rotation and concave bodies against their known answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from banquise.validation import Row

L_RING = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))


def rows() -> Iterator[Row]:
    """All rows of this part."""
    yield from _mass()
    yield from _distance()
    yield from _neighbours()
    yield from _rotation()
    yield from _concave()


def _l_solid(density: float = 1.0):  # type: ignore[no-untyped-def]
    from banquise.scene.polyhedron import Polyhedron

    vertices = [[x, y, z] for z in (0.0, 1.0) for x, y in L_RING]
    sides = [[i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    return Polyhedron(vertices, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides], density=density)


def _l_of_parts():  # type: ignore[no-untyped-def]
    from banquise.scene.polyhedron import Polyhedron

    first = [[x, y, z] for x in (0, 2) for y in (0, 1) for z in (0, 1)]
    second = [[x, y, z] for x in (0, 1) for y in (1, 2) for z in (0, 1)]
    return Polyhedron(None, parts=[first, second], density=1.0)


def _mass() -> Iterator[Row]:
    from banquise.scene.polyhedron import Polyhedron

    block = Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], density=1.0)
    case = ("tetrahedron", "mass", "unit corner, density 1")
    yield Row(*case, 1 / 6, block.volume, 1e-13)
    yield Row(*case, 1 / 80, float(block.inertia[0, 0]), 1e-13)
    yield Row(*case, 1 / 480, float(block.inertia[0, 1]), 1e-13)
    yield Row(*case, 1 / 60, float(block.principal[0][2]), 1e-13)
    for side, inertia in ((1.0, 1 / 6), (2.0, 16 / 3)):
        cube = Polyhedron.box([side] * 3, density=1.0)
        yield Row("cube", "mass", f"side {side:g} m", inertia, float(cube.inertia[2, 2]), 1e-12)
    for route, body in (("skin", _l_solid()), ("parts", _l_of_parts())):
        case = ("L solid", "mass", f"three unit cubes, by {route}")
        yield Row(*case, 3.0, body.volume, 1e-12)
        yield Row(*case, 5 / 6, float(body.centre[0]), 1e-12)
        yield Row(*case, 1 / 3, float(body.inertia[0, 1]), 1e-12)
        yield Row(*case, 3 / 2, float(body.principal[0][1]), 1e-12)


def _distance() -> Iterator[Row]:
    from banquise.detection.spatial import gap
    from banquise.scene.polyhedron import Polyhedron

    cube, eighth = Polyhedron.box((1, 1, 1)), np.pi / 8
    yield Row(
        "cubes, faces", "distance", "centre (2, 0, 0)", 1.0, gap(cube, cube.moved(position=(2, 0, 0))).distance, 1e-12
    )
    corner = gap(cube, cube.moved(position=(2, 2, 2)))
    yield Row("cubes, corners", "distance", "centre (2, 2, 2)", 3**0.5, corner.distance, 1e-12)
    crossed = gap(
        cube.moved(orientation=(np.cos(eighth), np.sin(eighth), 0, 0)),
        cube.moved(orientation=(np.cos(eighth), 0, np.sin(eighth), 0), position=(0, 0, 2)),
    )
    yield Row(
        "cubes, crossed edges", "distance", "45 degrees about x and y, 2 m up", 2 - 2**0.5, crossed.distance, 1e-12
    )
    yield Row(
        "cubes, crossed edges", "closest points", "height on the first", 0.5**0.5, float(crossed.points[0][2]), 1e-12
    )
    pressed = gap(cube, cube.moved(position=(0.4, 0.3, 0.9)))
    yield Row("cubes, overlap", "depth", "centre (0.4, 0.3, 0.9)", -0.1, pressed.distance, 1e-12)
    yield Row("cubes, overlap", "normal", "along z", 1.0, float(pressed.normal[2]), 1e-12)
    polygon = gap(cube, cube.moved(position=(0.4, 0.3, 0.99)))
    yield Row("contact polygon", "area", "centre (0.4, 0.3, 0.99)", 0.42, polygon.area, 1e-12)
    yield Row("contact polygon", "plane", "height of the polygon", 0.495, float(polygon.polygon[:, 2].mean()), 1e-12)


def _neighbours() -> Iterator[Row]:
    from banquise.detection.spatial import find_pairs
    from banquise.detection.spatial.broad_phase import METHODS
    from banquise.scenes.boxes import spread_boxes

    boxes = spread_boxes(np.random.default_rng(0), 1000, 10)
    flat = boxes.copy()
    flat[:, 2], flat[:, 5] = -0.5, 0.5
    for where, scene in (("in space", boxes), ("in a plane", flat)):
        expected = find_pairs(scene, "brute")
        for method in METHODS:
            found = find_pairs(scene, method)
            different = len(set(map(tuple, found)) ^ set(map(tuple, expected)))
            yield Row(f"neighbours by {method}", "same pairs", f"1,000 boxes 1:10 {where}", 0.0, float(different), 0.0)


def _rotation() -> Iterator[Row]:
    from banquise.motion.rotation import advance, angular_momentum, energy

    inertia, start = np.array([np.diag([1.0, 2.0, 3.0])]), np.array([[0.01, 1.0, 0.01]])
    for method, step, drift, tolerance in (
        ("midpoint", 0.01, 0.0, 1e-12),
        ("hughes-winget", 0.01, 6.0e-2, 1e-3),
        ("explicit", 0.01, 6.0e-2, 1e-3),
    ):
        q, spin = np.array([[1.0, 0, 0, 0]]), start
        e0, l0 = energy(q, spin, inertia)[0], angular_momentum(q, spin, inertia)[0]
        for _ in range(round(100 / step)):
            q, spin = advance(q, spin, inertia, step, method=method)
        case = (f"torque-free spin, {method}", "energy", f"I = (1, 2, 3), step {step:g} s, 100 s")
        yield Row(*case, drift, float(energy(q, spin, inertia)[0] / e0 - 1), tolerance)
        if method == "midpoint":
            change = np.linalg.norm(angular_momentum(q, spin, inertia)[0] - l0) / np.linalg.norm(l0)
            yield Row(case[0], "angular momentum", case[2], 0.0, float(change), 1e-12)


def _concave() -> Iterator[Row]:
    from banquise.detection.spatial import gap
    from banquise.scene.polyhedron import Polyhedron

    rng = np.random.default_rng(0)
    probe = Polyhedron.box((0.8, 0.8, 0.8))
    skin, parts, worst = _l_solid(), _l_of_parts(), 0.0
    for _ in range(20):
        there = probe.moved(position=rng.uniform(-0.8, 2.8, 3) * [1, 1, 0.6], orientation=rng.normal(size=4))
        worst = max(worst, abs(gap(skin, there).distance - gap(parts, there).distance))
    yield Row("L solid, skin or parts", "distance", "probe cube in 20 poses", 0.0, worst, 1e-9)
    crook = gap(skin, Polyhedron.box((0.6, 0.6, 0.6), position=(1.2, 1.2, 0.5)))
    yield Row("L solid, in the crook", "depth", "0.1 m into both inner walls", -0.1 * 2**0.5, crook.distance, 1e-9)
