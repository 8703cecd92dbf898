"""Bodies that are not convex: the same numbers from parts and from a skin."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise.detection.spatial import Blocks, gap

from .shapes import l_of_parts, l_solid

PROBE = bq.Polyhedron.box((0.8, 0.8, 0.8))


def poses(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield PROBE.moved(position=rng.uniform(-0.8, 2.8, 3) * [1, 1, 0.6], orientation=rng.normal(size=4))


def compare(count, seed):
    skin, parts = l_solid(), l_of_parts()
    overlaps = 0
    for probe in poses(count, seed):
        one, other = gap(skin, probe), gap(parts, probe)
        assert one.distance == pytest.approx(other.distance, abs=1e-9)
        overlaps += one.distance < 0
        for found in (one, other):
            np.testing.assert_allclose(found.points[1] - found.points[0], found.distance * found.normal, atol=1e-9)
    return overlaps


def test_skin_and_parts_give_the_same_signed_distance():
    assert 4 < compare(15, 0) < 13


@pytest.mark.slow
def test_skin_and_parts_in_a_thousand_poses():
    assert 300 < compare(1000, 1) < 800


def test_distance_is_that_of_the_nearest_part_when_apart():
    first, second = (bq.Polyhedron(part.corners) for part in l_of_parts().parts)
    for probe in poses(25, 2):
        nearest = min(gap(first, probe).distance, gap(second, probe).distance)
        if nearest > 0:
            assert gap(l_solid(), probe).distance == pytest.approx(nearest, abs=1e-12)


def test_the_shortest_way_out_belongs_to_the_body_not_to_its_cut():
    """A probe across the inner wall of the parts: each part alone could be left sideways, the L cannot."""
    probe = bq.Polyhedron.box((0.2, 0.2, 0.2), position=(0.5, 1.0, 0.5))
    for body in (l_solid(), l_of_parts()):
        found = gap(body, probe)
        assert found.distance == pytest.approx(-0.6, rel=1e-12)  # up, down or out through x = 0, all 0.5 + 0.1
    shallow = bq.Polyhedron.box((0.2, 0.2, 0.2), position=(0.5, 1.0, 1.05))
    for body in (l_solid(), l_of_parts()):
        found = gap(body, shallow)
        assert found.distance == pytest.approx(-0.05, rel=1e-9)
        np.testing.assert_allclose(found.normal, [0, 0, 1], atol=1e-9)


def test_in_the_crook_the_way_out_is_along_both_walls():
    """A cube pushed 0.1 into both inner walls leaves by the diagonal, sqrt(2) * 0.1: neither wall's normal frees it."""
    probe = bq.Polyhedron.box((0.6, 0.6, 0.6), position=(1.2, 1.2, 0.5))
    for body in (l_solid(), l_of_parts()):
        found = gap(body, probe)
        assert found.distance == pytest.approx(-0.1 * np.sqrt(2), rel=1e-9)
        np.testing.assert_allclose(found.normal, np.array([1, 1, 0]) / np.sqrt(2), atol=1e-7)


def test_two_concave_skins():
    other = l_solid().moved(position=(2.5, 2.5, 1.0), orientation=(0, 0, 0, 1))  # turned half round: two hooks
    cut = l_of_parts().moved(position=(2.5, 2.5, 1.0), orientation=(0, 0, 0, 1))
    assert gap(l_solid(), other).distance == pytest.approx(gap(l_of_parts(), cut).distance, abs=1e-12)
    higher = other.moved(position=(2.5, 2.5, 1.5))
    assert gap(l_solid(), higher).distance == pytest.approx(0.5, abs=1e-12)
    hooked = other.moved(position=(2.9, 2.9, 0.0))
    assert gap(l_solid(), hooked).distance == pytest.approx(
        gap(l_of_parts(), cut.moved(position=(2.9, 2.9, 0.0))).distance, abs=1e-9
    )


def test_a_swallowed_body_is_found():
    small = bq.Polyhedron.box((0.1, 0.1, 0.1), position=(0.5, 0.5, 0.5))
    for body in (l_solid(), l_of_parts()):
        assert gap(body, small).distance == pytest.approx(-0.55, rel=1e-9)
    large = bq.Polyhedron.box((10, 10, 10), position=(1, 1, 0.5))
    assert gap(l_solid(), large).distance == pytest.approx(-5.5, rel=1e-9)  # out through z: 5 + 0.5


def test_balls_and_clumps_against_a_skin():
    ball = bq.Polyhedron.ball(0.5, position=(2, 2, 0.5))
    assert gap(l_solid(), ball).distance == pytest.approx(0.5, rel=1e-12)  # a metre from each inner wall
    clump = bq.Polyhedron.clump([[0, 0, 0], [0.5, 0, 0]], 0.25, position=(3, 0.5, 0.5))
    assert gap(l_solid(), clump).distance == pytest.approx(0.75, rel=1e-12)
    assert gap(clump, l_solid()).normal[0] == pytest.approx(-1.0)


def test_a_skin_without_parts_is_refused_by_the_batch():
    with pytest.raises(bq.BanquiseError, match="in_parts"):
        Blocks.of([l_solid(), PROBE])
    with pytest.raises(bq.BanquiseError, match="Polyhedron"):
        gap(PROBE, "cube")


def bumpy_ball(rings: int) -> bq.Polyhedron:
    """A ball with dents, of 4 rings^2 triangles or so."""
    polar, around = np.pi * np.arange(1, rings) / rings, np.pi * np.arange(2 * rings) / rings
    t, p = np.meshgrid(polar, around, indexing="ij")
    r = 1 + 0.1 * np.sin(7 * t) * np.cos(9 * p)
    points = np.stack([r * np.sin(t) * np.cos(p), r * np.sin(t) * np.sin(p), r * np.cos(t)], -1).reshape(-1, 3)
    grid = np.arange(len(points)).reshape(rings - 1, 2 * rings)
    a, b, c, d = grid[:-1], np.roll(grid, -1, axis=1)[:-1], grid[1:], np.roll(grid, -1, axis=1)[1:]
    poles = [np.full(2 * rings, len(points) + k) for k in (0, 1)]
    faces = [np.stack(f, -1).reshape(-1, 3) for f in ((a, c, b), (b, c, d))]
    faces += [np.stack([poles[0], grid[0], np.roll(grid[0], -1)], -1)]
    faces += [np.stack([poles[1], np.roll(grid[-1], -1), grid[-1]], -1)]
    return bq.Polyhedron(np.vstack([points, [[0, 0, 1], [0, 0, -1]]]), np.vstack(faces))


def test_a_skin_of_many_faces_has_its_distance_through_its_tree_and_refuses_to_search_a_way_out():
    ball, probe = bumpy_ball(75), bq.Polyhedron.box((1, 1, 1), position=(3, 0.1, 0.2))
    assert len(ball.faces) > 20_000
    found = gap(ball, probe)
    corners = ball.vertices  # the face x = 2.5 of the probe: the closest point is the farthest corner before it
    before = corners[np.all(np.abs(corners[:, 1:] - [0.1, 0.2]) <= 0.5, axis=1)]
    assert found.distance == pytest.approx(2.5 - before[:, 0].max(), rel=1e-12)
    np.testing.assert_allclose(found.normal, [1, 0, 0], atol=1e-9)
    with pytest.raises(bq.BanquiseError, match="in_parts"):
        gap(ball, probe.moved(position=(1, 0, 0)))
