"""Signed distances: closed forms, bounds, symmetry, degenerate pairs, memory of the last normal."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise.detection.spatial import Blocks, Shapes, contacts, distances, gap, separate
from banquise.detection.spatial import _kernels_support as kernels_support
from banquise.scene.polyhedron import rotation_matrix
from banquise.scene.solids import convex_part
from banquise.threads import set_threads

from .shapes import box_part, pebble_part, placed, random_pairs

CUBE = bq.Polyhedron.box((1, 1, 1))
EIGHTH = np.pi / 8  # half of 45 degrees


def test_face_to_face():
    found = gap(CUBE, CUBE.moved(position=(2, 0, 0)))
    assert found.distance == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(found.normal, [1, 0, 0], atol=1e-12)


def test_corner_to_corner():
    found = gap(CUBE, CUBE.moved(position=(2, 2, 2)))
    assert found.distance == pytest.approx(np.sqrt(3), rel=1e-12)
    np.testing.assert_allclose(found.points, [[0.5] * 3, [1.5] * 3], atol=1e-12)
    assert len(found.polygon) == 1


def test_crossed_edges():
    first = CUBE.moved(orientation=(np.cos(EIGHTH), np.sin(EIGHTH), 0, 0))
    second = CUBE.moved(orientation=(np.cos(EIGHTH), 0, np.sin(EIGHTH), 0), position=(0, 0, 2))
    found = gap(first, second)
    assert found.distance == pytest.approx(2 - np.sqrt(2), rel=1e-12)
    np.testing.assert_allclose(found.normal, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(found.points, [[0, 0, np.sqrt(0.5)], [0, 0, 2 - np.sqrt(0.5)]], atol=1e-12)


def test_overlap():
    found = gap(CUBE, CUBE.moved(position=(0.4, 0.3, 0.9)))
    assert found.distance == pytest.approx(-0.1, rel=1e-12)
    np.testing.assert_allclose(found.normal, [0, 0, 1], atol=1e-12)


def test_contact_polygon():
    found = gap(CUBE, CUBE.moved(position=(0.4, 0.3, 0.99)))
    assert found.distance == pytest.approx(-0.01, rel=1e-10)  # 0.99 - 1 keeps fourteen digits
    assert found.area == pytest.approx(0.42, rel=1e-12)
    corners = sorted(map(tuple, found.polygon.round(12).tolist()))
    np.testing.assert_allclose(
        corners, [(-0.1, -0.2, 0.495), (-0.1, 0.5, 0.495), (0.5, -0.2, 0.495), (0.5, 0.5, 0.495)], atol=1e-12
    )
    np.testing.assert_allclose(found.gaps, -0.01, rtol=1e-10)


def test_points_and_polygons_by_kind_of_contact():
    edge_on_face = CUBE.moved(orientation=(np.cos(EIGHTH), np.sin(EIGHTH), 0, 0), position=(0, 0, 0.5 + np.sqrt(0.5)))
    found = gap(CUBE, edge_on_face)
    assert len(found.polygon) == 2 and abs(found.distance) < 1e-12
    np.testing.assert_allclose(sorted(found.polygon[:, 0]), [-0.5, 0.5], atol=1e-12)
    star = gap(CUBE, CUBE.moved(orientation=(np.cos(EIGHTH), 0, 0, np.sin(EIGHTH)), position=(0, 0, 1)))
    assert len(star.polygon) == 8  # two squares turned by 45 degrees: an octagon of inradius 1/2
    assert star.area == pytest.approx(2 * (np.sqrt(2) - 1), rel=1e-12)
    side_by_side = gap(CUBE, CUBE.moved(position=(1, 0, 1)))
    assert len(side_by_side.polygon) == 2 and abs(side_by_side.distance) < 1e-15


def test_a_tilted_face_keeps_its_four_points_and_their_gaps():
    tilt = 2e-3
    found = gap(CUBE, CUBE.moved(orientation=(np.cos(tilt / 2), np.sin(tilt / 2), 0, 0), position=(0, 0, 1.01)))
    assert len(found.polygon) == 4
    # Along the normal of the lower face the gap opens as tan(tilt) times the width.
    assert np.ptp(found.gaps) == pytest.approx(np.tan(tilt), rel=5e-3)
    assert found.gaps.min() == pytest.approx(found.distance, abs=1e-6)


def test_contact_points_are_thinned_to_the_number_asked():
    turned = CUBE.moved(orientation=(np.cos(EIGHTH), 0, 0, np.sin(EIGHTH)), position=(0, 0, 1))
    blocks, pair = Blocks.of([CUBE, turned]), np.array([[0, 1]])
    found = contacts(blocks, pair, distances(blocks, pair), points=4)
    assert found.count[0] == 4 and found.area[0] == pytest.approx(2 * (np.sqrt(2) - 1))
    chosen = found.point[0, :4, :2]
    assert np.linalg.norm(chosen.mean(axis=0)) < 0.2  # spread around the middle, not bunched on one side


@pytest.fixture(scope="module")
def random_mix():
    rng = np.random.default_rng(3)
    parts = [box_part(rng.uniform(0.6, 1.2, 3)) for _ in range(10)] + [pebble_part(rng, n) for n in (4, 7, 20, 36, 150)]
    blocks, pairs = random_pairs(rng, parts, 3000, 0.2, 1.6)
    return blocks, pairs, distances(blocks, pairs)


def test_points_distance_and_normal_fit_each_other(random_mix):
    _, _, found = random_mix
    np.testing.assert_allclose(found.on_b - found.on_a, found.distance[:, None] * found.normal, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-12)


def test_bounds_prove_the_distance(random_mix):
    """The gap of the shadows along the normal is a lower bound, the points an upper bound: they meet."""
    blocks, pairs, found = random_mix
    shapes = blocks.shapes
    for (a, b), normal, distance in zip(pairs[:500], found.normal, found.distance):
        shadows = []
        for body in (a, b):
            shape = blocks.shape_of[body]
            corners = shapes.corners[shapes.bounds[shape] : shapes.bounds[shape + 1]]
            shadows.append((blocks.position[body] + corners @ blocks.rotation[body].T) @ normal)
        assert shadows[1].min() - shadows[0].max() == pytest.approx(distance, abs=1e-11)


def test_overlap_agrees_with_every_separating_axis(random_mix):
    blocks, pairs, found = random_mix
    axes = separate(blocks, pairs[:400], reach=np.inf, exact=True)
    overlap = found.distance[:400] < 0
    assert overlap.sum() > 50
    np.testing.assert_array_equal(axes.gap < 0, overlap)
    np.testing.assert_allclose(axes.gap[overlap], found.distance[:400][overlap], atol=1e-12)
    assert np.all(axes.gap <= found.distance[:400] + 1e-12)


@pytest.mark.parametrize("corners", [30, 100, 300])  # all in words of the table, some in lists, all in lists
def test_deep_overlap_of_bodies_of_many_corners_is_the_least_of_all_axes(corners):
    rng = np.random.default_rng(corners)
    blocks, pairs = random_pairs(rng, [pebble_part(rng, corners) for _ in range(4)], 40, 0.0, 0.6)
    found, axes = distances(blocks, pairs), separate(blocks, pairs, reach=np.inf, exact=True)
    assert np.all(found.distance < 0.0)
    np.testing.assert_allclose(found.distance, axes.gap, atol=1e-12)
    np.testing.assert_allclose(found.on_b - found.on_a, found.distance[:, None] * found.normal, atol=1e-12)


def test_order_of_the_pair_only_turns_the_normal(random_mix):
    blocks, pairs, found = random_mix
    swapped = distances(blocks, pairs[:, ::-1])
    np.testing.assert_allclose(swapped.distance, found.distance, atol=1e-12)
    apart = np.abs(found.distance) > 1e-3
    np.testing.assert_allclose(swapped.normal[apart], -found.normal[apart], atol=1e-9)


def test_threads_do_not_show(random_mix):
    blocks, pairs, found = random_mix
    try:
        set_threads(2)
        again = distances(blocks, pairs)
    finally:
        set_threads(None)
    for name in ("distance", "normal", "on_a", "on_b"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))


def test_last_normal_is_only_a_start(random_mix):
    blocks, pairs, found = random_mix
    again = distances(blocks, pairs, last=found.normal)
    np.testing.assert_allclose(again.distance, found.distance, atol=1e-12)
    wrong = distances(blocks, pairs, last=-found.normal)
    np.testing.assert_allclose(wrong.distance, found.distance, atol=1e-12)


def test_reach_leaves_far_pairs_early_with_a_bound(random_mix):
    blocks, pairs, found = random_mix
    near = distances(blocks, pairs, reach=0.1)
    assert near.far.any() and np.all(found.distance[near.far] > 0.1)
    assert np.all((near.distance[near.far] > 0.1) & (near.distance[near.far] <= found.distance[near.far] + 1e-12))
    np.testing.assert_allclose(near.distance[~near.far], found.distance[~near.far], atol=1e-12)


def test_the_last_normal_decides_where_none_is_best():
    corner = CUBE.moved(position=(1, 1, 1))  # corners touch: every normal of the corner's cone is right
    for last in ([1, 0, 0], [0, 1, 0], [0.6, 0.8, 0.0]):
        np.testing.assert_allclose(gap(CUBE, corner, last=last).normal, last, atol=1e-12)
    edge = CUBE.moved(position=(0.99, 0, 0.99))  # as deep along x as along z
    np.testing.assert_allclose(gap(CUBE, edge, last=[0, 0, 1]).normal, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(gap(CUBE, edge, last=[1, 0, 0]).normal, [1, 0, 0], atol=1e-12)
    face = CUBE.moved(position=(0, 0, 0.99))  # but a wrong memory does not win
    np.testing.assert_allclose(gap(CUBE, face, last=[1, 0, 0]).normal, [0, 0, 1], atol=1e-12)


def _degenerate(rng, name, n=300):
    still = np.tile([1.0, 0, 0, 0], (2 * n, 1))
    position = np.zeros((2 * n, 3))
    if name == "touching lattice":
        position[1::2] = rng.integers(-3, 4, (n, 3)) * 0.5
        return placed([box_part((1, 1, 1))], [0] * 2 * n, position, still)
    if name == "nearly aligned":
        still[:, 1:] = rng.normal(size=(2 * n, 3)) * 10.0 ** rng.uniform(-14, -2, (2 * n, 1))
        position[1::2] = [0.2, 0.3, 1.0]
        position[1::2, 2] += 10.0 ** rng.uniform(-14, -2, n) * rng.choice([-1, 1], n)
        return placed([box_part((1, 1, 1))], [0] * 2 * n, position, still)
    if name == "parallel edges":
        angle = rng.uniform(0, np.pi, 2 * n)
        still[:, 0], still[:, 3] = np.cos(angle), np.sin(angle)
        position = rng.normal(size=(2 * n, 3)) * [1, 1, 0]
        return placed(
            [box_part(rng.uniform(0.5, 1.5, 3)) for _ in range(8)], rng.integers(0, 8, 2 * n), position, still
        )
    thin = {
        "flat": (1, 1, 1e-6),
        "needle": (1, 1e-5, 1e-5),
        "coplanar sheets": (1, 1, 1e-6),
        "small on large": (1e4, 1e4, 1e2),
    }
    position = rng.normal(size=(2 * n, 3)) * (50 if name == "small on large" else 0.4)
    turns = still if name == "coplanar sheets" else rng.normal(size=(2 * n, 4))
    if name == "coplanar sheets":
        position[:, 2] = 0.0
    parts = [box_part(thin[name]), box_part((1, 1, 1))]
    return placed(parts, rng.integers(0, 2, 2 * n) if name == "small on large" else [0] * 2 * n, position, turns)


@pytest.mark.parametrize(
    "name",
    ["touching lattice", "nearly aligned", "parallel edges", "flat", "needle", "coplanar sheets", "small on large"],
)
def test_degenerate_pairs_keep_nine_digits(name):
    blocks, pairs = _degenerate(np.random.default_rng(11), name)
    found = distances(blocks, pairs)
    size = blocks.shapes.size.max()
    assert np.all(found.status == 0)
    axes = separate(blocks, pairs, reach=np.inf, exact=True)
    inside = axes.gap < -1e-12 * size
    np.testing.assert_allclose(found.distance[inside], axes.gap[inside], atol=1e-12 * size)
    assert np.all(found.distance >= axes.gap - 1e-12 * size)  # the widest shadow gap is a lower bound
    spread = np.linalg.norm(found.on_b - found.on_a, axis=1)  # and the points an upper one
    np.testing.assert_allclose(spread, np.abs(found.distance), atol=1e-9 * size)


def test_against_coal_on_100000_random_pairs_and_degenerate_ones():
    coal = pytest.importorskip("coal")
    from banquise.bench.blocks import coal_distances, coal_shapes

    rng = np.random.default_rng(5)
    parts = [box_part(rng.uniform(0.6, 1.2, 3)) for _ in range(40)] + [pebble_part(rng, n) for n in range(4, 44)]
    blocks, pairs = random_pairs(rng, parts, 100_000, 0.2, 2.0)
    found = distances(blocks, pairs)
    assert 0.1 < np.mean(found.distance < 0) < 0.9
    np.testing.assert_allclose(
        found.distance,
        coal_distances(coal, coal_shapes(coal, blocks.shapes.parts), blocks, pairs, tolerance=1e-12),
        atol=1e-9,
    )
    for name in ("touching lattice", "nearly aligned", "parallel edges", "flat", "coplanar sheets"):
        blocks, pairs = _degenerate(rng, name)
        other = coal_distances(coal, coal_shapes(coal, blocks.shapes.parts), blocks, pairs, tolerance=1e-12)
        sane = np.abs(other) < 1e3  # coal 3.0.3 returns the largest number for a few turned touching pairs
        assert sane.mean() > 0.99
        np.testing.assert_allclose(distances(blocks, pairs).distance[sane], other[sane], atol=1e-9)


def test_rounded_bodies_are_their_cores_less_the_radii():
    a = bq.Polyhedron.box((1, 1, 1), radius=0.2)
    b = bq.Polyhedron.ball(0.3, position=(2, 0.1, 0))
    found = gap(a, b)
    assert found.distance == pytest.approx(1.5 - 0.5, rel=1e-12)
    np.testing.assert_allclose(found.points, [[0.7, 0.1, 0], [1.7, 0.1, 0]], atol=1e-12)
    pressed = gap(a, b.moved(position=(0.9, 0.1, 0)))
    assert pressed.distance == pytest.approx(-0.1, rel=1e-12)
    corner = gap(a, b.moved(position=(1, 1, 1)))  # the normal at a rounded corner is unique
    np.testing.assert_allclose(corner.normal, np.full(3, 1 / np.sqrt(3)), atol=1e-12)
    one, other = bq.Polyhedron.ball(1.0), bq.Polyhedron.ball(1.0)
    assert gap(one, other).distance == pytest.approx(-2.0)  # the same centre: any normal parts them


def test_witness_axis_is_cheap_and_right():
    rng = np.random.default_rng(8)
    parts = [pebble_part(rng, 12), box_part((1, 1, 1)), pebble_part(rng, 60)]
    blocks, pairs = random_pairs(rng, parts, 400, 0.8, 2.0)
    first = separate(blocks, pairs, reach=0.02)
    true = distances(blocks, pairs).distance
    parted = first.gap > 0.02
    assert parted.any() and np.all(true[parted] >= first.gap[parted] - 1e-12)
    assert not first.from_witness.any()
    moved = Blocks(
        blocks.shapes,
        blocks.shape_of,
        blocks.position + 1e-4 * rng.normal(size=(800, 3)),
        blocks.rotation,
        blocks.block_of,
    )
    again = separate(moved, pairs, reach=0.0, witness=first.axis)
    assert again.from_witness[first.gap > 0.05].all()


def as_hulls(blocks: Blocks) -> Blocks:
    """The same bodies, their corners given in a turned frame: boxes are then no longer seen as boxes."""
    turn = rotation_matrix(np.array([0.6, 0.48, 0.64, 0.0]))
    parts = [convex_part(part.corners @ turn.T, part.radius) for part in blocks.shapes.parts]
    return Blocks(Shapes.of(parts), blocks.shape_of, blocks.position, blocks.rotation @ turn.T, blocks.block_of)


def box_pairs(rng: np.random.Generator, count: int, kind: str) -> tuple[Blocks, np.ndarray]:
    """Random pairs of boxes, some off the origin of their frame: turned freely, slightly, or not at all."""
    parts = [convex_part(box_part(rng.uniform(0.6, 1.2, 3)).corners + 0.2 * (k % 2)) for k in range(40)]
    position = rng.uniform(-0.6, 0.6, (2 * count, 3))
    turns = np.zeros((2 * count, 4))
    turns[:, 0] = 1.0
    turns[:, 1:] = rng.normal(size=(2 * count, 3)) * {"turned": 1.0, "nearly aligned": 1e-7, "aligned": 0.0}[kind]
    if kind == "aligned":  # as stones of a wall: on a lattice, faces and edges in common
        position = np.round(4 * position) / 4
        parts = [box_part(np.round(4 * np.ptp(part.corners, axis=0)) / 4) for part in parts]
    shape_of = rng.integers(0, len(parts), 2 * count)
    return placed(parts, shape_of, position, turns)


@pytest.mark.parametrize("kind", ["turned", "nearly aligned", "aligned"])
def test_boxes_by_their_axes_and_as_any_hull_are_equally_far(kind):
    blocks, pairs = box_pairs(np.random.default_rng(3), 2000, kind)
    assert np.all(blocks.shapes.boxes[:, 3] > 0.0)
    hulls = as_hulls(blocks)
    assert np.all(np.isnan(hulls.shapes.boxes))
    found, other = distances(blocks, pairs), distances(hulls, pairs)
    assert 0.2 < np.mean(found.distance < 0.0) < 0.9
    # rounding of the turned corners and of the gap of two bounds: some 1e-13 of the sizes
    np.testing.assert_allclose(found.distance, other.distance, atol=3e-12)
    np.testing.assert_allclose(found.on_b - found.on_a, found.distance[:, None] * found.normal, atol=1e-11)
    for on, side in ((found.on_a, 0), (found.on_b, 1)):  # the points lie in their bodies
        own = pairs[:, side]
        local = np.einsum("nji,nj->ni", blocks.rotation[own], on - blocks.position[own])
        box = blocks.shapes.boxes[blocks.shape_of[own]]
        assert np.all(np.abs(local - box[:, :3]) <= box[:, 3:] + 1e-11)


def test_boxes_out_of_reach_are_left_with_a_lower_bound():
    blocks, pairs = box_pairs(np.random.default_rng(4), 500, "turned")
    exact, near = distances(blocks, pairs), distances(blocks, pairs, reach=0.05)
    assert np.any(near.far)
    assert np.all(near.distance[near.far] > 0.05)
    assert np.all(near.distance[near.far] <= exact.distance[near.far] + 1e-12)
    np.testing.assert_allclose(near.distance[~near.far], exact.distance[~near.far], atol=1e-12)


def corners_in_word(word: np.uint64) -> list[int]:
    return [int(word) >> (8 * k) & 255 for k in range(8)]


@pytest.mark.parametrize("corners", [40, 150, 400])  # a byte numbers 255
def test_the_farthest_corner_is_among_those_of_its_cell_of_directions(corners):
    rng = np.random.default_rng(5)
    part = pebble_part(rng, corners)
    shapes = Shapes.of([part, part])
    # the last ones lie on borders of cells, folds of the table among them
    ways = np.vstack(
        [rng.normal(size=(3000, 3)), np.eye(3), -np.eye(3), [[1, 1, 1], [1, -1, 0], [-1, -1, 0], [-0.5, 0.5, -1]]]
    )
    cells, in_words = shapes.cells[1], 0
    for way in ways:
        cell = kernels_support.start_cell.py_func(*way)
        listed = shapes.listed[cells[cell] : cells[cell + 1]]
        reach = part.corners @ way
        assert reach[listed].max() == reach.max()
        if shapes.words[1, cell] != kernels_support.LISTED:
            in_words += 1
            assert set(corners_in_word(shapes.words[1, cell])) == set(listed.tolist())
    assert np.diff(cells).mean() < 10
    assert (in_words == 0) if corners > 255 else (in_words > 0.9 * len(ways))
