"""Contact frames of hand-made situations: points, normals and gaps known beforehand."""

import math

import numpy as np
import pytest

from banquise.detection.planar import Detector
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Disc, Floe, Obstacle

ROOT = math.sqrt(0.5)


def box(x0, y0, x1, y1):
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=float)


def square(x=0.0, y=0.0, side=1.0, **options):
    return Floe(box(x, y, x + side, y + side), **options)


def diamond(x, y):
    """Square on its tip, lowest point at (x, y)."""
    return Floe(np.array([[0, 0], [1, 1], [0, 2], [-1, 1.0]]) + np.array([x, y]))


NOTCH = np.array([[-2, -1], [2, -1], [2, 1], [0, 0], [-2, 1.0]])  # a wide V cut from above, bottom at (0, 0)
TIP = np.array([[0, 0], [0.3, 2], [-0.3, 2.0]])
WIDE = math.sqrt(5.0)


def contacts_of(a, b, zone=0.05, obstacle=False):
    """Rows (point on a, point on b, normal, gap) of a pair, sorted by place."""
    bodies = Bodies.of([a], [b]) if obstacle else Bodies.of([a, b])
    found = Detector(bodies).contacts(bodies, np.full(2, zone))
    centre = np.stack([bodies.x, bodies.y], axis=1)
    rows = [
        (*(centre[0] + found.lever_a[k]), *(centre[1] + found.lever_b[k]), *found.normal[k], found.gap[k])
        for k in range(len(found))
    ]
    return np.array(sorted(rows, key=lambda r: (round(r[0], 6), round(r[1], 6), round(r[4], 6)))).reshape(-1, 7)


# name: a, b, expected rows (ax, ay, bx, by, nx, ny, gap)
TABLE = {
    "edge on edge, offset": (
        square(),
        square(0.3, 1.01),
        [(0.3, 1, 0.3, 1.01, 0, 1, 0.01), (1, 1, 1, 1.01, 0, 1, 0.01)],
    ),
    "edge on edge, flush and touching": (
        square(),
        square(0, 1.0),
        [(0, 1, 0, 1, 0, 1, 0), (1, 1, 1, 1, 0, 1, 0)],
    ),
    "edge on edge, flush, overlapping": (
        square(),
        square(0, 1 - 1e-5),
        [(0, 1, 0, 1 - 1e-5, 0, 1, -1e-5), (1, 1, 1, 1 - 1e-5, 0, 1, -1e-5)],
    ),
    "edge on edge, shifted a hair, overlapping": (
        square(),
        square(1e-7, 1 - 1e-5),
        [(1e-7, 1, 1e-7, 1 - 1e-5, 0, 1, -1e-5), (1, 1, 1, 1 - 1e-5, 0, 1, -1e-5)],
    ),
    "short edge on long edge": (
        square(0, 0, 4.0),
        square(1, 4.01),
        [(1, 4, 1, 4.01, 0, 1, 0.01), (2, 4, 2, 4.01, 0, 1, 0.01)],
    ),
    "corner on edge": (square(-2, -4, 4.0), diamond(0.2, 0.01), [(0.2, 0, 0.2, 0.01, 0, 1, 0.01)]),
    "corner in edge": (square(-2, -4, 4.0), diamond(0.2, -1e-4), [(0.2, 0, 0.2, -1e-4, 0, 1, -1e-4)]),
    "corner on corner, in both cones": (
        square(),
        square(1.006, 1.008),
        [(1, 1, 1.006, 1.008, 0.6, 0.8, 0.01)],
    ),
    "corner on corner, out of the cones": (square(), diamond(0.999, 1.02), [(0.999, 1, 0.999, 1.02, 0, 1, 0.02)]),
    "corner at corner": (square(), square(1, 1), [(1, 1, 1, 1, ROOT, ROOT, 0)]),
    "tip at tip": (diamond(0, -2), diamond(0, 0), [(0, 0, 0, 0, 0, 1, 0)]),
    "tip in tip": (diamond(0, -2), diamond(0, -1e-5), [(0, 0, 0, -1e-5, 0, 1, -1e-5)]),
    "corner beyond corner": (square(), square(1.1, 1.1), []),
    "tip over a notch": (
        Floe(NOTCH),
        Floe(TIP + np.array([0, 0.01])),
        [
            (-0.004, 0.002, 0, 0.01, 1 / WIDE, 2 / WIDE, 0.02 / WIDE),
            (0.004, 0.002, 0, 0.01, -1 / WIDE, 2 / WIDE, 0.02 / WIDE),
        ],
    ),
    "tip past the bottom of a notch": (
        Floe(NOTCH),
        Floe(TIP - (0, 0.01)),
        [
            (-0.004, -0.002, 0, -0.01, -1 / WIDE, 2 / WIDE, -0.02 / WIDE),
            (0.004, -0.002, 0, -0.01, 1 / WIDE, 2 / WIDE, -0.02 / WIDE),
        ],
    ),
    "disc on disc": (Disc((0, 0), 1.0), Disc((1.206, 1.608), 1.0), [(0.6, 0.8, 0.606, 0.808, 0.6, 0.8, 0.01)]),
    "disc on edge": (Disc((0, 0), 1.0), Floe(box(1.01, -3, 2, 2)), [(1, 0, 1.01, 0, 1, 0, 0.01)]),
    "disc on corner": (
        Disc((0, 0), 1.0),
        Floe(box(0.606, 0.808, 3, 3)),
        [(0.6, 0.8, 0.606, 0.808, 0.6, 0.8, 0.01)],
    ),
    "disc in a right angle": (
        Floe([[-1, -1], [3, -1], [3, 0], [0, 0], [0, 3], [-1, 3]]),
        Disc((1.01, 1.02), 1.0),
        [(0, 1.02, 0.01, 1.02, 1, 0, 0.01), (1.01, 0, 1.01, 0.02, 0, 1, 0.02)],
    ),
    "disc in disc": (Disc((0, 0), 1.0), Disc((1.99, 0), 1.0), [(1, 0, 0.99, 0, 1, 0, -0.01)]),
    "rounded on rounded, faces": (
        square(radius=0.1),
        square(0.25, 1.21, radius=0.1),
        [(0.25, 1.1, 0.25, 1.11, 0, 1, 0.01), (1, 1.1, 1, 1.11, 0, 1, 0.01)],
    ),
    "rounded corner on corner": (
        square(radius=0.5),
        square(1.606, 1.808, radius=0.5),
        [(1.3, 1.4, 1.306, 1.408, 0.6, 0.8, 0.01)],
    ),
    "in a hole, against the rim": (
        Floe(box(-3, -3, 3, 3), holes=[box(-1, -1, 1, 1)]),
        Floe(box(-0.5, -0.5, 0.99, 0.5)),
        [(1, -0.5, 0.99, -0.5, -1, 0, 0.01), (1, 0.5, 0.99, 0.5, -1, 0, 0.01)],
    ),
    "thin plate, the far side is not touched": (
        Floe(box(-2, -0.02, 2, 0)),
        diamond(0, 0.01),
        [(0, 0, 0, 0.01, 0, 1, 0.01)],
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    a, b, expected = TABLE[name]
    found = contacts_of(a, b)
    expected = np.array(sorted(expected, key=lambda r: (round(r[0], 6), round(r[1], 6), round(r[4], 6)))).reshape(-1, 7)
    assert found.shape == expected.shape, f"{name}: {found}"
    assert np.abs(found - expected).max(initial=0.0) < 1e-9, f"{name}: {found}"


@pytest.mark.parametrize("name", TABLE)
def test_bodies_exchanged_and_mirrored(name):
    """The order of the bodies turns the normals and nothing else; a mirror mirrors every number."""
    a, b, _ = TABLE[name]
    direct = contacts_of(a, b)
    exchanged = contacts_of(b, a)[:, [2, 3, 0, 1, 4, 5, 6]] * (1, 1, 1, 1, -1, -1, 1)
    mirror = [_mirrored(body) for body in (a, b)]
    mirrored = contacts_of(*mirror) * (-1, 1, -1, 1, -1, 1, 1)
    for other in (exchanged, mirrored):
        assert other.shape == direct.shape
        order = np.lexsort(np.round(other[:, [4, 1, 0]].T, 6))
        base = direct[np.lexsort(np.round(direct[:, [4, 1, 0]].T, 6))]
        assert np.abs(other[order] - base).max(initial=0.0) < 1e-12


def _mirrored(body):
    if isinstance(body, Disc):
        return Disc(body.ring[0] * (-1, 1), body.radius)
    return Floe(body.ring * (-1, 1), holes=[hole * (-1, 1) for hole in body.holes], radius=body.radius)


def test_a_floe_on_an_obstacle_uses_its_own_zone():
    rock = Obstacle(box(-500, -1000, 500, 0))
    assert len(contacts_of(square(0, 0.04), rock, obstacle=True)) == 2
    bodies = Bodies.of([square(0, 0.04)], [rock])
    assert len(Detector(bodies).contacts(bodies, np.array([0.03, 10.0]))) == 0


def test_reach_adds_the_travel_of_both():
    bodies = Bodies.of([square(), square(1.1, 0)])
    detector = Detector(bodies)
    zone = np.full(2, 0.05)
    assert len(detector.contacts(bodies, zone)) == 0
    assert len(detector.contacts(bodies, zone, np.array([0.02, 0.02]))) == 0
    assert len(detector.contacts(bodies, zone, np.array([0.02, 0.04]))) == 2
    assert len(detector.contacts(bodies, np.array([0.05, 0.2]), np.array([0.04, 0.02]))) == 2


def test_the_last_normal_where_two_points_meet():
    apart = Bodies.of([square(), square(1.0006, 1.0008)])
    before = Detector(apart).contacts(apart, np.full(2, 0.05))
    touching = Bodies.of([square(), square(1, 1)])
    detector = Detector(touching)
    assert np.allclose(detector.contacts(touching, np.full(2, 0.05)).normal, [[ROOT, ROOT]])
    remembered = detector.contacts(touching, np.full(2, 0.05), memory=before)
    assert np.allclose(remembered.normal, before.normal)
    discs = Bodies.of([Disc((0, 0), 1.0), Disc((0.06, 0.08), 1.0)])
    before = Detector(discs).contacts(discs, np.full(2, 0.05))
    same = Bodies.of([Disc((0, 0), 1.0), Disc((0, 0), 1.0)])
    found = Detector(same).contacts(same, np.full(2, 0.05), memory=before)
    assert np.allclose(found.normal, [[0.6, 0.8]])
    assert np.allclose(found.lever_a, [[0.6, 0.8]])
    assert np.allclose(found.lever_b, [[-0.6, -0.8]])


def test_few_points_for_a_smooth_stretch():
    turn = np.linspace(0, 2 * np.pi, 3000, endpoint=False)
    round_floe = 100 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for other in (Floe(round_floe + np.array([200.05, 0])), Floe(box(100.05, -100, 300, 100))):
        found = contacts_of(Floe(round_floe), other, zone=1.0)
        assert 3 <= len(found) <= 8
        assert abs(found[:, 6].min() - 0.05) < 1e-9
        # ends on both sides, placed alike
        assert abs(found[:, 1].max() + found[:, 1].min()) < 1e-6


def test_no_contact_through_a_wall():
    """The bottom of an inlet is not touched through its thin roof."""
    roofed = Floe([[0, 0], [10, 0], [10, 2], [1, 2], [1, 1], [9.98, 1], [9.98, 0.98], [0.98, 0.98], [0.98, 2], [0, 2]])
    found = contacts_of(roofed, diamond(5, 2.01), zone=1.5)
    assert np.all(found[:, 1] > 1.9)


def test_keys_do_not_change_with_the_rows():
    floes = [square(0, 0), square(1.01, 0.2), diamond(0.5, 1.005)]
    bodies = Bodies.of(floes)
    first = Detector(bodies).contacts(bodies, np.full(3, 0.05))
    shuffled = Bodies.of([floes[2], floes[0], floes[1]])
    shuffled.ids = np.array([2, 0, 1])
    second = Detector(shuffled).contacts(shuffled, np.full(3, 0.05))
    assert len(first) == 3
    assert len(np.unique(first.key)) == len(first)
    assert set(first.key) == set(second.key)
    gaps = dict(zip(second.key, second.gap))
    assert all(abs(gaps[key] - gap) < 1e-12 for key, gap in zip(first.key, first.gap))
