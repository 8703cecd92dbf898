"""bq.gap, overlap depth and time to contact against closed forms and against sampling."""

import math

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st
from random_bodies import columns, star_rings, world_polygons

import banquise as bq
from banquise.detection.planar import Detector
from banquise.errors import BanquiseError
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Disc, Floe, Obstacle


def box(x0, y0, x1, y1):
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=float)


RING = Floe(box(-2, -2, 2, 2), holes=[box(-1, -1, 1, 1)])
LENS = 2 * math.acos(0.25) - 0.25 * math.sqrt(4 - 0.25)  # two unit discs half a metre apart: r = 1, d = 0.5

# a, b, signed distance, normal or None, overlap area or None
GAPS = {
    "apart, faces": (Floe(box(0, 0, 1, 1)), Floe(box(3, 0.5, 4, 2)), 2.0, (1, 0), 0.0),
    "apart, corners": (Floe(box(0, 0, 1, 1)), Floe(box(4, 5, 6, 6)), 5.0, (0.6, 0.8), 0.0),
    "touching": (Floe(box(0, 0, 1, 1)), Floe(box(1, 0.5, 2, 2)), 0.0, (1, 0), 0.0),
    "overlapping faces": (Floe(box(0, 0, 1, 1)), Floe(box(0.9, 0.5, 2, 2)), -0.1, (1, 0), 0.05),
    "inside": (Floe(box(-2, -1.5, 2, 1.5)), Floe(box(-0.5, 0, 0.5, 1)), -1.5, (0, 1), 1.0),
    "crossing bars": (Floe(box(-5, -0.5, 5, 0.5)), Floe(box(-0.5, -5, 0.5, 6)), -5.5, None, 1.0),
    "in the hole": (RING, Floe(box(-0.5, -0.5, 0.7, 0.5)), 0.3, (-1, 0), 0.0),
    "over the rim": (RING, Floe(box(-0.5, -0.5, 1.1, 0.5)), -0.1, (-1, 0), 0.1),
    "discs apart": (Disc((0, 0), 1.0), Disc((3, 4), 2.0), 2.0, (0.6, 0.8), 0.0),
    "discs overlapping": (Disc((0, 0), 1.0), Disc((0.5, 0), 1.0), -1.5, (1, 0), LENS),
    "disc and face": (Disc((0, 0), 1.0), Floe(box(0.5, -4, 5, 4)), -0.5, (1, 0), math.pi / 3 - math.sqrt(3) / 4),
    "disc inside": (Floe(box(-2, -2, 2, 3)), Disc((0.5, 0), 0.25), -1.75, (1, 0), math.pi / 16),
    "rounded": (Floe(box(0, 0, 1, 1), radius=0.25), Obstacle(box(1.75, 0, 3, 1)), 0.5, (1, 0), 0.0),
}


@pytest.mark.parametrize("name", GAPS)
def test_gap(name):
    a, b, distance, normal, area = GAPS[name]
    found = bq.gap(a, b)
    assert found.distance == pytest.approx(distance, abs=1e-9)
    assert found.depth == pytest.approx(max(-distance, 0.0), abs=1e-9)
    assert np.hypot(*found.normal) == pytest.approx(1.0)
    if normal is not None:
        assert np.allclose(found.normal, normal, atol=1e-9)
        # from the point of a to that of b is the signed distance along the normal
        assert np.allclose(found.point_b - found.point_a, distance * np.array(normal), atol=1e-9)
        assert np.allclose(bq.gap(b, a).normal, np.negative(normal), atol=1e-9)
    assert found.area == pytest.approx(area, abs=1e-9)
    assert (len(found.polygon) > 0) == (area > 0)


def test_the_move_separates():
    """Moved by the depth along the normal, bodies that overlap only touch; moved by less, they still overlap."""
    rng = np.random.default_rng(20)
    for _ in range(25):
        rings = star_rings(rng, 2, (4, 14), rough=0.6)
        shift = 0.8 * rng.standard_normal(2)
        a, b = Floe(rings[0]), Floe(rings[1] + shift)
        found = bq.gap(a, b)
        if found.distance >= 0:
            continue
        for part, free in ((1.000001, True), (0.999, False)):
            moved = shapely.Polygon(b.ring + part * found.depth * found.normal)
            assert (a.polygon.intersection(moved).area < 1e-9) == free


def test_gap_of_what_is_not_a_body():
    with pytest.raises(BanquiseError, match="gap"):
        bq.gap(Disc((0, 0), 1.0), "floe")


def overlap_of(*floes):
    bodies = Bodies.of(floes)
    return Detector(bodies).max_overlap(bodies)[0]


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (Floe(box(0, 0, 1, 1)), Floe(box(0.3, 0.9, 1.3, 2)), 0.1),
        (Floe(box(0, 0, 1, 1)), Floe(box(0, 1 - 1e-5, 1, 2)), 1e-5),  # flush: no point lies deep inside the other
        (Floe(box(0, 0, 1, 1)), Floe(box(1e-7, 1 - 1e-5, 1, 2)), 1e-5),
        (Floe(box(0, 0, 1, 1)), Floe(box(0, 1.00001, 1, 2)), 0.0),
        (Floe(box(-1.5, -1.5, 1.5, 1.5)), Floe(box(-0.5, -0.5, 0.5, 0.4)), 1.9),  # wholly inside: 1 m down, 0.9 m high
        (Floe(box(-5, -0.5, 5, 0.5)), Floe(box(-0.5, -5, 0.5, 5)), 0.5),  # crossing bars: half their width
        (RING, Floe(box(-0.9, -0.5, 0.5, 0.5)), 0.0),  # in the hole
        (RING, Floe(box(-0.9, -0.5, 1.25, 0.5)), 0.25),
        (Disc((0, 0), 1.0), Disc((1.9, 0), 1.0), 0.1),
        (Disc((0, 0), 1.0), Floe(box(0.75, -3, 2, 3)), 0.25),
        (Floe(box(-2, -2, 2, 2)), Disc((0.5, 0), 0.5), 2.0),
        (Floe(box(0, 0, 1, 1), radius=0.1), Floe(box(1.15, 0, 2, 1), radius=0.1), 0.05),
    ],
)
def test_overlap_depth(a, b, depth):
    # golden sections stop at 1e-5 of the stretch inside, 1 m for the bars, where the depth has a kink
    tolerance = 1e-5 if depth == 0.5 else 1e-9
    assert overlap_of(a, b) == pytest.approx(depth, abs=tolerance)
    assert overlap_of(b, a) == pytest.approx(depth, abs=tolerance)


def test_contacts_and_overlap_agree_when_shallow():
    """Convex bodies that overlap by a hair: the deepest contact point has the depth that the other routine measures."""
    rng = np.random.default_rng(21)
    n = 4000
    turns = [np.sort(rng.random(k)) for k in rng.integers(5, 12, 2 * n)]
    rings = [np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], axis=1) for t in turns]
    rings = [r - r.mean(axis=0) for r in rings]
    x, y = np.repeat(10.0 * np.arange(n)[None], 2, axis=0).ravel(), np.zeros(2 * n)
    angle = 2 * np.pi * rng.random(2 * n)
    bodies = columns(rings, x, y, angle)
    about = np.stack([bodies.x[:n], bodies.y[:n]], axis=1)
    # bring the lowest point of b onto the highest of a, less 1e-4
    a, b = world_polygons(bodies, np.arange(n), about), world_polygons(bodies, np.arange(n, 2 * n), about)
    for k in range(n):
        pa, pb = np.asarray(a[k].exterior.coords), np.asarray(b[k].exterior.coords)
        top, low = pa[np.argmax(pa[:, 1])], pb[np.argmin(pb[:, 1])]
        bodies.x[n + k] += top[0] - low[0] + 0.01 * rng.random() * (1 if rng.random() < 0.5 else 0)
        bodies.y[n + k] += top[1] - low[1] - 1e-4
    detector = Detector(bodies)
    contacts = detector.contacts(bodies, np.full(2 * n, 1e-2))
    least = np.full(n, np.inf)
    np.minimum.at(least, contacts.a, contacts.gap)
    rows, _, depth = detector.overlaps(bodies)
    shallow = depth < 1e-3
    assert shallow.sum() > 500, shallow.sum()
    assert np.all(least[rows[shallow]] < 0)
    # the shallowest way out of a corner may be by another edge than the one the contact takes: within the corner's size
    assert np.abs(least[rows[shallow]] + depth[shallow]).max() < 1e-3
    assert np.median(np.abs(least[rows[shallow]] + depth[shallow])) < 1e-9


def test_corners_that_slid_past_each_other():
    """Sharp bodies whose corners overlap by a hair, turned anyhow: a contact says so, about as deep as it is, none far deeper.

    A corner just inside an edge that looks away from it, one that has come out again beyond, an edge that leans over another.
    """
    rng = np.random.default_rng(5)
    n = 6000
    turns = [(np.arange(k) + 0.49 * rng.random(k)) / k for k in rng.integers(3, 6, 2 * n)]  # around their centres
    rings = [
        rng.uniform(0.2, 1.0, (len(t), 1)) * np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], axis=1)
        for t in turns
    ]
    angle = 2 * np.pi * rng.random(2 * n)
    bodies = columns(rings, np.repeat(10.0 * np.arange(n)[None], 2, axis=0).ravel(), np.zeros(2 * n), angle)
    about = np.stack([bodies.x[:n], bodies.y[:n]], axis=1)
    a, b = world_polygons(bodies, np.arange(n), about), world_polygons(bodies, np.arange(n, 2 * n), about)
    off, way = 10.0 ** rng.uniform(-6, -3, n), 2 * np.pi * rng.random(n)
    for k in range(n):
        one, other = np.asarray(a[k].exterior.coords)[0], np.asarray(b[k].exterior.coords)[0]
        bodies.x[n + k] += one[0] - other[0] + off[k] * np.cos(way[k])
        bodies.y[n + k] += one[1] - other[1] + off[k] * np.sin(way[k])
    detector = Detector(bodies)
    for reach in (2e-3, 0.1):
        contacts = detector.contacts(bodies, np.full(2 * n, reach))
        least = np.full(n, np.inf)
        np.minimum.at(least, contacts.a, contacts.gap)
        rows, _, depth = detector.overlaps(bodies)
        slight = (depth < off[rows]) & (depth > 1e-7)  # else more than the corners overlap
        rows, depth = rows[slight], depth[slight]
        assert len(rows) > 400, len(rows)
        # half: where two ways out are about as short, either may be taken, and by the other the corner lies less deep
        assert np.all(least[rows] <= -0.5 * depth), (least[rows] / depth).max()
        assert np.all(least[rows] >= -2.0 * off[rows]), (least[rows] / off[rows]).min()


@pytest.mark.parametrize(
    ("a", "b", "distance", "when"),
    [
        (Disc((0, 0), 1.0, velocity=(1, 0)), Disc((5, 0), 1.0), 0.0, 3.0),
        (Disc((0, 0), 1.0, velocity=(1, 0)), Disc((5, 0), 1.0), 0.5, 2.5),
        (Disc((0, 0), 1.0, velocity=(1, 0)), Disc((5, 2.5), 1.0), 0.0, math.inf),
        (Floe(box(0, 0, 1, 1), velocity=(1, 0)), Floe(box(5, 0.2, 6, 2), velocity=(-1, 0)), 0.0, 2.0),
        (
            Floe(box(-0.5, -0.5, 0.5, 0.5), spin=3.0),
            Floe(box(0.6, -5, 2, 5)),
            0.0,
            (math.pi / 4 - math.acos(0.6 / math.sqrt(0.5))) / 3.0,
        ),
        (Floe(box(-0.5, -0.5, 0.5, 0.5), spin=3.0), Floe(box(0.71, -5, 2, 5)), 0.0, math.inf),
        (Floe(box(0, 0, 1, 1)), Floe(box(1.5, 0, 2, 1)), 0.5, 0.0),
        (Floe(box(0, 0, 1, 1)), Floe(box(1.5, 0, 2, 1)), 0.0, math.inf),
    ],
)
def test_time_to_contact(a, b, distance, when):
    bodies = Bodies.of([a, b])
    found = Detector(bodies).time_to_contact(bodies, [0], [1], distance, 10.0)[0]
    assert found == pytest.approx(when, abs=1e-10)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_time_to_contact_is_the_first(seed):
    """Just at the time found the distance is the one asked for, and it is larger at all times before."""
    rng = np.random.default_rng(seed)
    rings = star_rings(rng, 2, (3, 12), rough=0.6)
    bodies = columns(
        rings, [0, 4], [0, 0], 6 * rng.random(2),
        u=[0, -rng.random()], v=0.3 * rng.standard_normal(2), spin=2 * rng.standard_normal(2),
    )  # fmt: skip
    dt, distance = 6.0, 0.01
    when = Detector(bodies).time_to_contact(bodies, [0], [1], distance, dt)[0]

    def apart(t):
        moved = columns(
            rings, bodies.x + t * bodies.u, bodies.y + t * bodies.v,
            np.arctan2(bodies.sin, bodies.cos) + t * bodies.spin,
        )  # fmt: skip
        a, b = world_polygons(moved)
        return a.distance(b)

    early = np.linspace(0, min(when, dt) - 1e-9, 150)
    assert min(apart(t) for t in early) >= distance - 1e-9
    if when < dt:
        assert apart(when) == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize("height", [0.1, 0.9, 2.0, 2.8])
def test_a_disc_in_a_notch_leaves_along_its_middle(height):
    """Walls at 45 degrees: a disc of radius 2 is free of both where its centre is 2 sqrt(2) above the apex."""
    notch = Floe([[-10, -10], [10, -10], [10, 10], [0, 0], [-10, 10]])
    found = bq.gap(notch, Disc((0.0, height), 2.0))
    assert found.depth == pytest.approx(2 * math.sqrt(2) - height, rel=1e-12)
    np.testing.assert_allclose(found.normal, [0, 1], atol=1e-12)


def test_rounded_concave_bodies_part_by_the_depth_and_no_sooner():
    """Rings with bays and holes, rounded: after the move they are the radii apart, after shorter ones never."""
    rng = np.random.default_rng(17)
    seen = 0
    for _ in range(150):
        rings = star_rings(rng, 2, (4, 10), (0.6, 3.0), 0.7)
        at, radii = rng.uniform(-1.5, 1.5, 2), rng.choice([0.0, 0.05, 0.4], 2)
        hole = 0.05 * np.array([[1, 0], [0, 1], [-1, -1]])
        one = Floe(rings[0], radius=radii[0])
        other = Floe(rings[1] + at, holes=[hole + at] if shapely.Polygon(rings[1]).contains(shapely.Polygon(hole)) else [],
                     radius=radii[1])  # fmt: skip
        shapes = [shapely.Polygon(body.ring, body.holes) for body in (one, other)]
        found = bq.gap(one, other)
        if radii.sum() == 0 or not found.depth > 0:
            continue
        seen += 1
        out = shapely.affinity.translate(shapes[1], *(found.depth * found.normal))
        assert shapes[0].distance(out) == pytest.approx(radii.sum(), rel=1e-9)
        np.testing.assert_allclose(found.points[0] - found.points[1], found.depth * found.normal, atol=1e-12)
        for turn in np.linspace(0, 2 * np.pi, 48, endpoint=False):
            shorter = 0.98 * found.depth * np.array([np.cos(turn), np.sin(turn)])
            assert shapes[0].distance(shapely.affinity.translate(shapes[1], *shorter)) < radii.sum()
    assert seen > 50


def test_an_overlap_that_grows_slowly_is_not_trusted_to_be_apart():
    """Contacts measure how far borders are from each other: a hair inside is no more told apart by that than a hair outside."""
    bodies = Bodies.of([Floe(square_at(0.0)), Floe(square_at(1.0 - 1e-4))])
    detector = Detector(bodies)
    for depth in (1e-4, 1.2e-4, 1.5e-4):
        bodies.x[1] = bodies.x[0] + 1.0 - depth
        assert detector.overlaps(bodies, trust=True)[2] == pytest.approx([depth], rel=1e-6)
        detector.contacts(bodies, np.full(2, 0.1))


def square_at(x):
    return np.array([[x, 0.0], [x + 1, 0.2], [x + 1, 0.8], [x, 1.0]])
