"""Distances against shapely on random pairs of every kind, by the distance routine and by the contact code."""

import numpy as np
import pytest
import shapely
from random_bodies import columns, star_rings, world_polygons
from shapes import star

import banquise as bq
from banquise.detection import _kernels_border
from banquise.detection._kernels_rows import hull_gap
from banquise.detection.planar import Detector
from banquise.detection.shapes import shapes_of


def random_pairs(rng, n, ratio, low, high, rough=0.6, offset=0.0):
    """n pairs far from each other: sizes 1 and 1 to `ratio`, centres (low to high) times the sum of extents apart."""
    rings = star_rings(rng, n, (3, 30), (1.0, 1.0), rough) + star_rings(rng, n, (3, 30), (1.0, ratio), rough)
    reach = np.array([np.hypot(*r.T).max() for r in rings])
    apart = (reach[:n] + reach[n:]) * (low + (high - low) * rng.random(n))
    angle = 2 * np.pi * rng.random(n)
    site = np.stack([np.arange(n) % 317, np.arange(n) // 317], axis=1) * 40.0 * ratio + offset
    x = np.concatenate([site[:, 0], site[:, 0] + apart * np.cos(angle)])
    y = np.concatenate([site[:, 1], site[:, 1] + apart * np.sin(angle)])
    return columns(rings, x, y, 2 * np.pi * rng.random(2 * n))


def compare(bodies, zone, tolerance):
    """Check both routines on the pairs (k, n + k) of `bodies`; number of pairs apart, of pairs in the zone."""
    n = len(bodies.x) // 2
    first, second = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    about = np.stack([bodies.x[:n], bodies.y[:n]], axis=1)
    a, b = world_polygons(bodies, first, about), world_polygons(bodies, second, about)
    wanted = shapely.distance(a, b)
    apart = wanted > 0
    detector = Detector(bodies)
    value = np.empty((n, 5))
    _kernels_border.closest_points(0, n, first, second, detector.shapes, detector.pose, value)
    assert np.abs(value[apart, 0] - wanted[apart]).max() < tolerance
    # the points found are that far apart, too
    length = np.hypot(value[:, 3] - value[:, 1], value[:, 4] - value[:, 2])
    assert np.abs(length - value[:, 0]).max() < tolerance

    contacts = detector.contacts(bodies, np.full(2 * n, zone))
    assert np.all(contacts.b == contacts.a + n)
    least = np.full(n, np.inf)
    np.minimum.at(least, contacts.a, contacts.gap)
    near = apart & (wanted <= zone)
    assert np.all(np.isinf(least[apart & (wanted > zone)]))  # none added
    assert np.abs(least[near] - wanted[near]).max() < tolerance  # none missed
    overlapping = np.zeros(n, bool)
    overlapping[detector.overlaps(bodies)[0]] = True
    area = shapely.area(shapely.intersection(a, b))
    sure = (area == 0) | (area > 1e-12)
    assert np.array_equal(overlapping[sure], (area > 0)[sure])
    return int(apart.sum()), int(near.sum())


@pytest.mark.parametrize(
    ("kind", "n", "ratio", "low", "high"),
    [
        ("apart", 25_000, 1.0, 0.9, 3.0),
        ("nearly touching", 25_000, 1.0, 0.55, 1.0),
        ("interlocked", 20_000, 3.0, 0.35, 0.8),
        ("one to a thousand", 30_000, 1000.0, 0.6, 1.05),
    ],
)
def test_random_pairs_against_shapely(kind, n, ratio, low, high):
    rough = 0.8 if kind == "interlocked" else 0.6
    bodies = random_pairs(np.random.default_rng(1), n, ratio, low, high, rough)
    # 1e-9 of the size; the large ones are up to `ratio` in size and round-off is a part of that
    apart, near = compare(bodies, zone=0.3, tolerance=1e-9)
    assert apart > 0.1 * n
    assert near > 0.01 * n


def test_coordinates_a_million_metres_off():
    # positions are stored to 1e-10 m there: both sides see the same rounded positions, relative to one of the bodies
    bodies = random_pairs(np.random.default_rng(2), 2000, 1.0, 0.55, 1.1, offset=1e6)
    _, near = compare(bodies, zone=0.3, tolerance=1e-9)
    assert near > 300


def test_touching_pairs():
    """A point put on an edge of the other, to round-off: distance and gap are zero to 1e-9."""
    rng = np.random.default_rng(3)
    n = 3000
    rings = star_rings(rng, n, (3, 12), rough=0.5) + star_rings(rng, n, (3, 12), rough=0.5)
    x, y, angle = np.zeros(2 * n), np.zeros(2 * n), np.zeros(2 * n)
    for k in range(n):
        a, b = rings[k], rings[n + k]
        tip = b[np.argmin(b[:, 1])]
        top = int(np.argmax(a[:, 1]))
        x[[k, n + k]] = 50.0 * (k % 60)
        y[[k, n + k]] = 50.0 * (k // 60)
        # highest point of a meets the lowest point of b: nothing else can meet
        x[n + k] += a[top, 0] - tip[0]
        y[n + k] += a[top, 1] - tip[1]
    bodies = columns(rings, x, y, angle)
    contacts = Detector(bodies).contacts(bodies, np.full(2 * n, 1e-6))
    assert len(np.unique(contacts.a)) == n
    assert np.abs(contacts.gap).max() < 1e-9
    assert np.allclose(np.hypot(*contacts.normal.T), 1.0, atol=1e-14)


def test_inside_a_hole():
    """A body in a hole touches the rim: distances against shapely, no overlap."""
    rng = np.random.default_rng(4)
    n = 2000
    outer = star_rings(rng, n, (20, 40), (3.0, 3.0), rough=0.2)
    inner = star_rings(rng, n, (3, 12), (0.6, 1.5), rough=0.5)
    holes = {k: [ring[::-1] * 0.55] for k, ring in enumerate(outer)}
    site = np.stack([np.arange(n) % 50, np.arange(n) // 50], axis=1) * 10.0
    shift = 0.5 * (rng.random((n, 2)) - 0.5)
    x = np.concatenate([site[:, 0], site[:, 0] + shift[:, 0]])
    y = np.concatenate([site[:, 1], site[:, 1] + shift[:, 1]])
    bodies = columns(outer + inner, x, y, 2 * np.pi * rng.random(2 * n), holes=holes)
    apart, near = compare(bodies, zone=0.3, tolerance=1e-9)
    assert apart > n // 2
    assert near > n // 10


@pytest.mark.parametrize("points", [3, 4, 7, 33, 300, 3000])
def test_rings_of_any_length(points):
    rng = np.random.default_rng(points)
    n = 15 if points > 1000 else 200
    rings = star_rings(rng, 2 * n, (points, points), rough=min(0.6, 20 / points))
    reach = np.array([np.hypot(*r.T).max() for r in rings])
    apart = (reach[:n] + reach[n:]) * (0.75 + 0.4 * rng.random(n))
    x = np.concatenate([50.0 * np.arange(n), 50.0 * np.arange(n) + apart])
    bodies = columns(rings, x, np.zeros(2 * n), 2 * np.pi * rng.random(2 * n))
    compare(bodies, zone=0.2, tolerance=1e-9)


def test_slivers():
    """Triangles a million times longer than wide are neither missed nor touched from the wrong side."""
    rng = np.random.default_rng(5)
    n = 2000
    rings = []
    for _ in range(2 * n):
        long, thin = 1 + rng.random(), 1e-6 * (1 + rng.random())
        rings.append(np.array([[-long, 0.0], [long, -thin], [long * (2 * rng.random() - 1), thin]]))
    x = np.concatenate([10.0 * np.arange(n), 10.0 * np.arange(n) + 0.4 * rng.standard_normal(n)])
    y = np.concatenate([np.zeros(n), 0.4 * rng.standard_normal(n)])
    bodies = columns(rings, x, y, 2 * np.pi * rng.random(2 * n))
    first, second = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    a, b = world_polygons(bodies, first), world_polygons(bodies, second)
    wanted = shapely.distance(a, b)
    detector = Detector(bodies)
    contacts = detector.contacts(bodies, np.full(2 * n, 0.05))
    least = np.full(n, np.inf)
    np.minimum.at(least, contacts.a, contacts.gap)
    near = (wanted > 0) & (wanted <= 0.05)
    assert near.sum() > 30
    assert np.abs(least[near] - wanted[near]).max() < 1e-9
    assert np.all(np.isinf(least[wanted > 0.05]))
    crossing = np.zeros(n, bool)
    crossing[detector.overlaps(bodies)[0]] = True
    assert np.array_equal(crossing, wanted == 0)


def test_gap_of_hulls_is_a_lower_bound(pair_count=400):
    """The sieve before the rows never says more than the distance of the hulls, and mostly that they are apart."""
    rng = np.random.default_rng(12)
    told = apart = 0
    for k in range(pair_count):
        rings = [star(rng, int(rng.integers(3, 40))) * rng.uniform(0.3, 2) for _ in range(2)]
        floes = [bq.Floe(rings[0]), bq.Floe(rings[1] + rng.uniform(-150, 150, 2) + (1e6 if k % 7 == 0 else 0.0))]
        if k % 7 == 0:
            floes[0] = bq.Floe(rings[0] + 1e6)
        bodies = bq.Scene(floes).bodies()
        sh = shapes_of(bodies)
        turn = rng.uniform(0, 2 * np.pi, 2)
        bodies.cos[:], bodies.sin[:] = np.cos(turn), np.sin(turn)
        hulls = [shapely.Polygon(bodies.world_rings(i)[0]).convex_hull for i in range(2)]
        exact = hulls[0].distance(hulls[1])
        dx, dy = bodies.x[1] - bodies.x[0], bodies.y[1] - bodies.y[0]
        (ca, cb), (sa, sb) = bodies.cos, bodies.sin
        for enough in (0.0, 0.5 * exact, 0.99 * exact):
            gap = hull_gap(
                sh.rim, 0, 1, ca * cb + sa * sb, ca * sb - sa * cb, ca * dx + sa * dy, ca * dy - sa * dx, enough,
            )  # fmt: skip
            assert gap <= exact + 1e-8 * max(1.0, 1e-6 * abs(bodies.x[0]))  # round-off of coordinates of 1e6 m
            told += gap > enough
            apart += exact > 0
    assert apart > 300 and told > 0.8 * apart
