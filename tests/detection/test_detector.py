"""The detector over many bodies and many steps: nothing missed by lists, deadlines, rows, images or threads."""

import numpy as np
import pytest
from random_bodies import columns, star_rings, world_polygons

from banquise import threads
from banquise.detection.broad_phase import pairs_of_boxes, spatial_order
from banquise.detection.planar import Detector
from banquise.detection.walls import box_walls
from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Disc, Floe


def scattered(rng, n, spread=0.9, size=(0.3, 3.0), **more):
    """n bodies of mixed sizes strewn over a square, some overlapping, moving."""
    rings = star_rings(rng, n, (3, 24), size, rough=0.5)
    side = spread * np.sqrt(n) * 2
    return columns(
        rings,
        side * rng.random(n),
        side * rng.random(n),
        2 * np.pi * rng.random(n),
        u=0.2 * rng.standard_normal(n),
        v=0.2 * rng.standard_normal(n),
        spin=0.1 * rng.standard_normal(n),
        **more,
    )


def move(bodies, dt):
    bodies.x += dt * bodies.u
    bodies.y += dt * bodies.v
    c, s = np.cos(dt * bodies.spin), np.sin(dt * bodies.spin)
    bodies.cos, bodies.sin = bodies.cos * c - bodies.sin * s, bodies.sin * c + bodies.cos * s


def same(one, two):
    """Bit for bit."""
    return all(
        np.array_equal(getattr(one, name), getattr(two, name))
        for name in ("a", "b", "normal", "lever_a", "lever_b", "gap", "key", "shift", "pair_a", "pair_b", "pair_start")
    )


def box_pairs(box):
    """Sort and sweep, the plain way: the oracle."""
    order = np.argsort(box[:, 0], kind="stable")
    pairs = set()
    for k, i in enumerate(order):
        for j in order[k + 1 :]:
            if box[j, 0] > box[i, 2]:
                break
            if box[i, 1] <= box[j, 3] and box[j, 1] <= box[i, 3]:
                pairs.add((min(i, j), max(i, j)))
    return pairs


@pytest.mark.parametrize("layout", ["even", "clustered", "one far away", "three decades", "walls"])
def test_grid_against_sort_and_sweep(layout):
    rng = np.random.default_rng(7)
    n = 1500
    centre = 100 * rng.random((n, 2))
    half = np.full((n, 2), 1.0)
    if layout == "clustered":
        centre[: n - 50] *= 0.03
        half *= 0.1
    elif layout == "one far away":
        centre[0] = 1e7
    elif layout == "three decades":
        half = 0.02 * np.minimum(rng.random((n, 1)) ** (-1 / 1.5), 1000) * np.ones(2)
    n_free = n
    if layout == "walls":
        half[-2:], centre[-2:], n_free = (200.0, 0.01), 50.0, n - 2
        half[-1] = (0.01, 300.0)
    box = np.concatenate([centre - half, centre + half], axis=1)
    found = pairs_of_boxes(box, n_free, np.zeros(2), (0.0, 0.0))
    wanted = {p for p in box_pairs(box) if p[0] < n_free}
    assert len(found) == len(wanted)
    assert {(int(a), int(b)) for a, b, _, _ in found} == wanted
    assert np.all(np.diff(found[:, 0] * (n + 1) + found[:, 1]) > 0)


def test_few_boxes_as_wide_as_the_grid():
    """Boxes that the folded grid cuts off, or that stand in its first column again, are told apart all the same."""
    rng = np.random.default_rng(15)
    for _ in range(400):
        n = int(rng.integers(2, 12))
        half = rng.uniform(0.1, 3.0, (n, 2)) * rng.choice([1.0, 5.0], (n, 1))
        centre = np.round(rng.uniform(0, 12, (n, 2)))  # often in line, often as far apart as they are wide
        box = np.concatenate([centre - half, centre + half], axis=1)
        found = pairs_of_boxes(box, n, np.zeros(2), (0.0, 0.0))
        assert [(int(a), int(b)) for a, b, _, _ in found] == sorted(box_pairs(box))


def test_pairs_against_the_two_levels_of_discs():
    """The papers' neighbours: discs of level 1 cover stretches of the border, level 0 covers them all."""
    rng = np.random.default_rng(8)
    bodies = scattered(rng, 300)
    zone = 0.01 * np.sqrt(bodies.area)
    detector = Detector(bodies)
    contacts = detector.contacts(bodies, zone)
    listed = {(int(a), int(b)) for a, b in detector.pairs[:, :2]}
    discs = []
    for polygon, eta in zip(world_polygons(bodies), zone):
        ring = np.asarray(polygon.exterior.coords)
        middle, half = 0.5 * (ring[1:] + ring[:-1]), 0.5 * np.hypot(*(ring[1:] - ring[:-1]).T)
        discs.append((middle, half + 0.5 * eta))
    covered = set()
    for i, (ci, ri) in enumerate(discs):
        for j in range(i + 1, len(discs)):
            cj, rj = discs[j]
            if np.any(np.hypot(*(ci[:, None] - cj[None]).transpose(2, 0, 1)) <= ri[:, None] + rj[None]):
                covered.add((i, j))
    touching = {(int(a), int(b)) for a, b in zip(contacts.pair_a, contacts.pair_b)}
    assert touching <= covered  # what touches has discs that meet
    polygons = world_polygons(bodies)
    gap = {(i, j): polygons[i].distance(polygons[j]) for i, j in covered}
    near = {
        (i, j) for (i, j), d in gap.items() if 0 < d <= min(zone[i], zone[j])
    }  # overlapping floes are another matter
    assert near == {pair for pair in touching if gap[pair] > 0}
    assert near <= listed
    assert len(near) > 3


def test_every_step_as_if_seen_for_the_first_time():
    """Lists, deadlines and rows change nothing: also when steps are undone and reach and zone change."""
    rng = np.random.default_rng(9)
    bodies = scattered(rng, 600)
    detector = Detector(bodies)
    zone = 0.02 * np.sqrt(bodies.area)
    for step in range(40):
        travel = 0.3 * rng.random(600) if step % 3 == 0 else None
        if step % 5 == 4:  # a step that is undone
            kept = [getattr(bodies, name).copy() for name in ("x", "y", "cos", "sin")]
            move(bodies, 2.0)
            detector.contacts(bodies, zone)
            for name, column in zip(("x", "y", "cos", "sin"), kept):
                setattr(bodies, name, column)
        else:
            move(bodies, 0.3 * rng.random())
        fresh = Detector(bodies)
        assert same(detector.contacts(bodies, zone, travel), fresh.contacts(bodies, zone, travel))
        one, two = detector.overlaps(bodies), fresh.overlaps(bodies)
        assert all(np.array_equal(p, q) for p, q in zip(one, two))
    assert detector.rebuilds < 40  # reach and zone change at every third step, by more than the skin


@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_trusted_overlaps_are_all_there_are(radius):
    """Contacts at the start of a step, overlaps at its end, steps undone: rows and deadlines hide no overlap."""
    rng = np.random.default_rng(5)
    bodies = scattered(rng, 600, spread=1.1, radius=np.full(600, radius))
    detector = Detector(bodies)
    zone = 0.001 * np.sqrt(bodies.area)
    detector.overlaps(bodies, trust=True)
    begun = 0
    for step in range(40):
        dt = 0.3 if step % 7 else 6.0  # and now and then a leap over half a body
        detector.contacts(bodies, zone, dt * (np.hypot(bodies.u, bodies.v) + bodies.extent * np.abs(bodies.spin)))
        kept = [getattr(bodies, name).copy() for name in ("x", "y", "cos", "sin")]
        for part in (0.5 * dt, dt) if step % 4 == 0 else (dt,):
            for name, column in zip(("x", "y", "cos", "sin"), kept):
                setattr(bodies, name, column.copy())
            move(bodies, part)
            found = detector.overlaps(bodies, trust=True)
            assert all(np.array_equal(p, q) for p, q in zip(found, Detector(bodies).overlaps(bodies)))
        begun += int((found[2] < 0.05).sum())
    assert begun > 100  # many that have just begun


def test_one_and_two_threads_give_the_same_bits():
    rng = np.random.default_rng(10)
    bodies = scattered(rng, 9000)
    zone = 0.02 * np.sqrt(bodies.area)
    before = threads.threads()
    results = []
    try:
        for count in (1, 2, 3):
            threads.set_threads(count)
            moving = scattered(np.random.default_rng(10), 9000)
            detector = Detector(moving)
            out = [detector.contacts(moving, zone)]
            for _ in range(3):
                move(moving, 0.5)
                out.append(detector.contacts(moving, zone))
            results.append((out, detector.overlaps(moving), detector.pairs))
    finally:
        threads.set_threads(before)
    for out, overlaps, pairs in results[1:]:
        assert all(same(p, q) for p, q in zip(out, results[0][0]))
        assert all(np.array_equal(p, q) for p, q in zip(overlaps, results[0][1]))
        assert np.array_equal(pairs, results[0][2])


def test_pair_bounds():
    rng = np.random.default_rng(11)
    bodies = scattered(rng, 200, spread=1.3)
    detector = Detector(bodies)
    polygons = world_polygons(bodies)
    for _ in range(4):
        bounds = detector.pair_bounds(bodies, np.full(200, 0.4))
        polygons = world_polygons(bodies)
        listed = set()
        for a, b, d, exact in zip(bounds.a, bounds.b, bounds.distance, bounds.exact):
            true = polygons[a].distance(polygons[b])
            listed.add((a, b))
            if exact and true > 0:
                assert abs(d - true) < 1e-9
            elif true > 0:
                assert d <= true + 1e-9
                assert true > 0.8 - 1e-9 or exact
        for i in range(200):
            for j in range(i + 1, 200):
                if (i, j) not in listed:
                    assert polygons[i].distance(polygons[j]) > bounds.horizon[i] + bounds.horizon[j]
        move(bodies, 0.4)


@pytest.mark.parametrize("wrapped", [True, False])
def test_periodic_images(wrapped):
    """Contacts over the seam are those of a tiled scene, wherever the bodies' positions are counted from."""
    rng = np.random.default_rng(12)
    side, n = 20.0, 60
    bodies = scattered(rng, n, spread=side / 2 / np.sqrt(n), size=(0.5, 2.0))
    detector = Detector(bodies, Periodic(0.0, side, 0.0, side))
    zone = np.full(n, 0.05)
    crossing = 0
    for _ in range(12):
        move(bodies, 3.0)
        if wrapped:
            bodies.x %= side
            bodies.y %= side
        found = detector.contacts(bodies, zone)
        rows, offsets = np.tile(np.arange(n), 9), [(i, j) for i in (0, -1, 1) for j in (0, -1, 1)]
        tiled = columns(
            [bodies.vertices[bodies.ring_start[k] : bodies.ring_start[k + 1]] for k in rows],
            np.concatenate([bodies.x % side + i * side for i, _ in offsets]),
            np.concatenate([bodies.y % side + j * side for _, j in offsets]),
            np.arctan2(bodies.sin, bodies.cos)[rows],
        )
        every = Detector(tiled).contacts(tiled, np.full(9 * n, 0.05))
        ours = every.a < n  # from the middle tile to anywhere: each pair over the seam is seen from both ends
        wanted = every.gap[ours & (every.b % n != every.a)]
        inner = every.b[ours & (every.b % n != every.a)] < n
        crossing += int((~inner).sum())
        assert len(found) == inner.sum() + (~inner).sum() // 2
        wanted = np.sort(wanted)
        place = np.clip(np.searchsorted(wanted, found.gap), 1, len(wanted) - 1)
        nearest = np.minimum(np.abs(wanted[place] - found.gap), np.abs(wanted[place - 1] - found.gap))
        assert nearest.max(initial=0.0) < 1e-8  # the tiles turn by arctan2 and back
        # levers and shift put both points where the gap says
        at_a = np.stack([bodies.x[found.a], bodies.y[found.a]], axis=1) + found.lever_a
        at_b = np.stack([bodies.x[found.b], bodies.y[found.b]], axis=1) + found.lever_b + found.shift
        assert np.allclose(np.einsum("ij,ij->i", at_b - at_a, found.normal), found.gap, atol=1e-9)
    assert crossing > 10


def test_box_walls():
    box = Box(0, 10, 0, 5, open=("right",), velocity={"left": 0.5})
    walls = box_walls(box)
    assert [w.velocity for w in walls] == [(0.5, 0.0), (0.0, 0.0), (0.0, 0.0)]
    floe = Disc((1.02, 1.03), 1.0)
    bodies = Bodies.of([floe], walls)
    detector = Detector(bodies, box)
    found = detector.contacts(bodies, np.full(len(bodies), 0.05))
    assert np.allclose(sorted(found.gap), [0.02, 0.03])
    assert np.allclose(found.normal, [[-1, 0], [0, -1]])
    assert np.isclose(detector.time_to_contact(bodies, [0], [1], 0.0, 1.0)[0], 0.04)
    bodies.x[1] += 0.01  # the wall moves in
    assert np.allclose(sorted(detector.contacts(bodies, np.full(len(bodies), 0.05)).gap), [0.01, 0.03])
    out = Bodies.of([Disc((11.5, 0.9), 1.0)], walls)
    assert len(Detector(out, box).contacts(out, np.full(len(out), 0.05))) == 0  # past the open side there is no wall


def test_new_shapes_are_noticed():
    bodies = Bodies.of([Floe([[0, 0], [1, 0], [1, 1], [0, 1]]), Disc((1.6, 0.5), 0.5)])
    detector = Detector(bodies)
    zone = np.full(2, 0.2)
    assert len(detector.contacts(bodies, zone)) == 1
    smaller = Bodies.of([Floe([[0, 0], [1, 0], [1, 1], [0, 1]]), Disc((1.6, 0.5), 0.1)])
    assert len(detector.contacts(smaller, zone)) == 0


def test_a_coast_of_thousands_of_points():
    """A huge concave obstacle round all floes spoils neither the list nor the answer."""
    rng = np.random.default_rng(13)
    turn = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    wavy = 60 + 3 * np.sin(40 * turn) + rng.random(4000)
    shore = np.stack([wavy * np.cos(turn), wavy * np.sin(turn)], axis=1)
    frame = np.array([[-100, -100], [100, -100], [100, 100], [-100, 100.0]])
    rings = star_rings(rng, 400, (5, 12), (1.0, 2.0), rough=0.3)
    place = (50 + 7 * rng.random(400))[:, None] * np.stack([np.cos(t := 7 * rng.random(400)), np.sin(t)], axis=1)
    bodies = columns(
        [*rings, frame], [*place[:, 0], 0.0], [*place[:, 1], 0.0], np.zeros(401), holes={400: [shore[::-1]]}, n_free=400
    )
    detector = Detector(bodies)
    found = detector.contacts(bodies, np.full(401, 0.8))
    polygons = world_polygons(bodies)
    wanted = np.array([polygons[k].distance(polygons[400]) for k in range(400)])
    least = np.full(400, np.inf)
    shoreline = found.b == 400
    np.minimum.at(least, found.a[shoreline], found.gap[shoreline])
    near = (wanted > 0) & (wanted <= 0.8)
    assert near.sum() > 5
    assert np.abs(least[near] - wanted[near]).max() < 1e-9
    assert np.all(np.isinf(least[wanted > 0.8]))
    a, b, _ = detector.overlaps(bodies)
    assert set(a[b == 400]) == set(np.flatnonzero(wanted == 0))


def test_spatial_order_is_a_permutation_that_keeps_obstacles_last():
    bodies = scattered(np.random.default_rng(14), 500, n_free=490)
    order = spatial_order(bodies)
    assert np.array_equal(np.sort(order), np.arange(500))
    assert np.array_equal(order[490:], np.arange(490, 500))
    step = np.hypot(np.diff(bodies.x[order[:490]]), np.diff(bodies.y[order[:490]]))
    assert step.mean() < 0.3 * np.hypot(np.diff(bodies.x[:490]), np.diff(bodies.y[:490])).mean()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_a_corner_within_reach_by_a_hair_is_found(size):
    """Rows are searched in single precision: what that may hide of a distance is hundreds of times the reach here."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        ring = star_rings(rng, 1, (3, 12), (size, size), rough=0.1)[0]
        here, there = ring[0], ring[1]
        turn, along = 2 * np.pi * rng.random(), rng.uniform(0.2, 0.8)
        outward = np.arctan2(here[0] - there[0], there[1] - here[1])
        needle, reach = 1e-3 * size * np.array([[0, 0], [1, -0.2], [1, 0.2]]), 1e-9 * size
        place = here + along * (there - here) + reach * (1 - 1e-4) * np.array([np.cos(outward), np.sin(outward)])
        x, y = np.cos(turn) * place[0] - np.sin(turn) * place[1], np.sin(turn) * place[0] + np.cos(turn) * place[1]
        bodies = columns([needle, ring], [x, 0.0], [y, 0.0], np.array([outward + turn, turn]), n_free=1)
        detector, zone, travel = Detector(bodies), np.full(2, reach), np.zeros(2)
        detector.follow(bodies, zone, travel)
        (found,) = detector.look(zone, travel, 0, 0.0)  # not a bit beyond the reach
        assert found.value[:, 6] == pytest.approx([reach], rel=1e-3)


def test_nothing_to_do():
    empty = columns([np.array([[0.0, 0.0], [1, 0], [0, 1]])], [0], [0], np.zeros(1))
    detector = Detector(empty)
    assert len(detector.contacts(empty, np.ones(1))) == 0
    assert detector.max_overlap(empty) == (0.0, -1, -1)


def test_what_has_not_moved_is_taken_over_only_for_the_same_reach():
    bodies = scattered(np.random.default_rng(5), 60)
    zone, wider = np.full(60, 0.1), np.full(60, 0.4)
    detector = Detector(bodies)
    first = detector.contacts(bodies, zone)
    assert same(detector.contacts(bodies, zone), first)  # nothing has moved
    assert same(detector.contacts(bodies, wider), Detector(bodies).contacts(bodies, wider))
    assert same(
        detector.contacts(bodies, zone, np.full(60, 0.2)), Detector(bodies).contacts(bodies, zone, np.full(60, 0.2))
    )
    assert same(detector.contacts(bodies, zone), first)
    bodies.x[7] += 0.05
    assert same(detector.contacts(bodies, zone), Detector(bodies).contacts(bodies, zone))
