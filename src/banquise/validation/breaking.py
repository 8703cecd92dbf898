"""Floes that break in a run: what a break keeps, what it costs, and from which speed on it comes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture.family import Family
from banquise.fracture.splice import Broken, splice
from banquise.fracture.split import pieces_of, split
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe
from banquise.scenes.fracture import predicted_speed, thrown
from banquise.validation import Row

Array = NDArray[np.float64]


def totals(bodies: Bodies) -> Array:
    """Mass, momentum x and y, angular momentum about the mean centre of the first body, kinetic energy."""
    n = bodies.n_free
    m, u, v, spin = bodies.mass[:n], bodies.u[:n], bodies.v[:n], bodies.spin[:n]
    turning = bodies.inertia[:n] * spin + m * (bodies.x[:n] * v - bodies.y[:n] * u)
    kinetic = 0.5 * m * (u**2 + v**2) + 0.5 * bodies.inertia[:n] * spin**2
    return np.array([m.sum(), (m * u).sum(), (m * v).sum(), turning.sum(), kinetic.sum()])


def _sizes(bodies: Bodies) -> Array:
    """The same sums of absolute values: what rounding is relative to."""
    n = bodies.n_free
    m, u, v, spin = (np.abs(c[:n]) for c in (bodies.mass, bodies.u, bodies.v, bodies.spin))
    turning = bodies.inertia[:n] * spin + m * (np.abs(bodies.x[:n]) * v + np.abs(bodies.y[:n]) * u)
    return np.array([m.sum(), (m * u).sum(), (m * v).sum(), turning.sum(), totals(bodies)[4]])


def rough_floe(rng: np.random.Generator, number: int) -> Floe:
    """Concave, every third one with a hole, every fourth one of uneven thickness."""
    n = int(rng.integers(6, 20))
    turn = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.7, n)) / n
    reach = rng.uniform(30, 100) * rng.uniform(0.6, 1.2, n)
    place = rng.uniform(-1000, 1000, 2)
    ring = place + np.column_stack([reach * np.cos(turn), reach * np.sin(turn)])
    holes = [place + 0.2 * reach.min() * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])] if number % 3 == 0 else []
    uneven = number % 4 == 0
    x0, y0 = place
    thickness = (lambda x, y: 1.0 + 0.002 * (x - x0) + 1e-5 * (y - y0) ** 2) if uneven else float(rng.uniform(0.3, 2))
    return Floe(ring, holes=holes, thickness=thickness, velocity=rng.normal(0, 0.3, 2), spin=rng.normal(0, 1e-3))


def random_breaks(count: int, seed: int = 0) -> tuple[Array, float, int]:
    """Break floes, and pieces of pieces, in random poses; worst relative errors of the totals, overlap, how many."""
    rng = np.random.default_rng(seed)
    worst, overlap, breaks, number = np.zeros(5), 0.0, 0, 0
    while breaks < count:
        floe = rough_floe(rng, number)
        number += 1
        bodies = Bodies.of([floe])
        bodies.angle[0] = rng.uniform(0, 6)
        bodies.cos[0], bodies.sin[0] = np.cos(bodies.angle[0]), np.sin(bodies.angle[0])
        family = Family(1)
        first, sizes = totals(bodies), _sizes(bodies)
        for _ in range(40):
            if bodies.n_free >= 6 or breaks >= count:
                break
            row = int(rng.integers(bodies.n_free))
            whole = family.floe([floe], int(bodies.ids[row]))
            border = whole.polygon.exterior
            ends = [border.interpolate(s, normalized=True).coords[0] for s in rng.random(2)]
            try:
                pieces = pieces_of(whole, ends)
            except ShapeError:
                continue
            (ids,) = family.add([int(bodies.ids[row])], [pieces], 1.0, np.zeros((2, 2)))
            pieces = [family.floe([floe], k) for k in ids]
            bodies, _ = splice(bodies, [Broken(row, whole, pieces, ids)])
            breaks += 1
            worst = np.maximum(worst, np.abs(totals(bodies) - first) / sizes)
        shapes = [shapely.Polygon(r[0], r[1:]) for r in (bodies.world_rings(k) for k in range(bodies.n_free))]
        for i, one in enumerate(shapes):
            for two in shapes[:i]:
                overlap = max(overlap, one.intersection(two).area / floe.area)
    return worst, overlap, breaks


def rows() -> Iterator[Row]:
    """Rows of the group "breaking"."""
    square = Floe([[0, 0], [100, 0], [100, 100], [0, 100]], density=910.0, velocity=(0.2, -0.1), spin=1e-3)
    small, large = split(square, (0, 50), (43.75, 0))
    cut = "square 100 m, cut (0, 50) - (43.75, 0)"
    for name, got, expected in (
        ("mass of the small piece", small.mass, 995312.5),
        ("its velocity x", small.velocity[0], 0.2333333),
        ("its velocity y", small.velocity[1], -0.1354167),
        ("mass of the large piece", large.mass, 8104687.5),
        ("its velocity x, large", large.velocity[0], 0.1959064),
        ("its velocity y, large", large.velocity[1], -0.0956506),
    ):
        yield Row(
            "split",
            "pieces move as their part of the floe did",
            f"{cut}: {name}",
            expected,
            got,
            5e-8 if abs(expected) < 1 else 1e-6,
        )
    worst, overlap, count = random_breaks(1000)
    for name, error in zip(("mass", "momentum x", "momentum y", "angular momentum", "kinetic energy"), worst):
        yield Row(
            "random breaks", f"{name} is kept", f"{count} breaks, concave, holes, uneven", 0.0, float(error), 1e-12
        )
    yield Row("random breaks", "pieces do not overlap", f"{count} breaks, part of the area", 0.0, overlap, 1e-9)
    for seed in range(4):
        floe, speed = predicted_speed(seed)
        yield Row(
            "critical speed", "bisection in a run against the search", f"rough floe {seed} on a wall",
            speed, bisected(floe, speed), 0.02 * speed,
        )  # fmt: skip
    sim = thrown(speed=0.06)
    kinetic = sim.bodies.kinetic_energy()
    run = sim.run(20.0, every=5.0)
    left = abs(float(run.ledger.balance[-1])) / kinetic
    yield Row("energy ledger", "work = kinetic + lost + surface", "floe of 90 m, 6 cm/s", 0.0, left, 1e-12)


def bisected(floe: Floe, speed: float, halvings: int = 5) -> float:
    """The speed (m/s) from which a floe thrown on a wall breaks, by bisection within 15 % of `speed`."""
    low, high = 0.85 * speed, 1.15 * speed
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        sim = thrown(floe=floe, speed=middle, friction=0.0)
        sim.run(0.505 / middle)  # the gap is 0.5 m: the first impact only
        low, high = (low, middle) if sim.bodies.n_free > 1 else (middle, high)
    return 0.5 * (low + high)
