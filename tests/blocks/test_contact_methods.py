"""The contact methods side by side: where they agree, and where they are expected to differ."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise.detection.spatial import gap
from banquise.detection.spatial.closest_features import closest_features
from banquise.detection.spatial.common_plane import common_plane, fast_common_plane
from banquise.detection.spatial.triangles import face_crossing

from .shapes import l_solid, unit

CUBE = bq.Polyhedron.box((1, 1, 1))


def pairs(count, near, far, seed=0):
    rng = np.random.default_rng(seed)
    pebble = bq.Polyhedron(rng.normal(size=(16, 3)) * 0.4)
    for k in range(count):
        shape = CUBE if k % 2 else pebble
        way = unit(rng.normal(size=3))
        a = shape.moved(orientation=rng.normal(size=4))
        yield a, shape.moved(orientation=rng.normal(size=4), position=way * rng.uniform(near, far))


def test_apart_all_exact_methods_agree():
    for a, b in pairs(40, 1.8, 2.6):
        found = gap(a, b)
        assert found.distance > 0
        walk = closest_features(a, b)
        assert walk.distance == pytest.approx(found.distance, abs=1e-12) and not walk.overlaps
        np.testing.assert_allclose(walk.normal, found.normal, atol=1e-9)
        # Candidates of the closest corners: exact but for rare stops a little short (1 in 600 in a longer run).
        assert fast_common_plane(a, b).distance <= found.distance + 1e-12
    short = [gap(a, b).distance - fast_common_plane(a, b).distance for a, b in pairs(40, 1.8, 2.6)]
    assert np.median(short) < 1e-12 and np.mean(np.array(short) > 1e-9) < 0.05


def test_perturbation_never_overshoots_and_finds_faces():
    short = []
    for a, b in pairs(16, 1.6, 2.4, seed=1):
        short.append(gap(a, b).distance - common_plane(a, b).distance)
    # It stops on ridges: short by some thousandths of the size, never beyond the distance.
    assert min(short) > -1e-12 and max(short) < 0.05
    assert common_plane(CUBE, CUBE.moved(position=(0.4, 0.3, 1.2))).distance == pytest.approx(0.2, abs=1e-8)
    assert common_plane(CUBE, CUBE.moved(position=(2, 2, 2))).distance == pytest.approx(np.sqrt(3), abs=1e-8)


def test_the_last_normal_makes_the_common_plane_cheap():
    a, b = next(iter(pairs(1, 1.8, 2.0)))
    first = common_plane(a, b)
    nudged = b.moved(position=b.position + 1e-4)
    again, cold = common_plane(a, nudged, last=first.normal), common_plane(a, nudged)
    assert again.distance == pytest.approx(cold.distance, abs=1e-3)
    assert again.trials <= cold.trials


def test_overlapping_all_say_so_and_bounds_hold():
    for a, b in pairs(16, 0.3, 0.6, seed=2):
        found = gap(a, b)
        assert found.distance < 0
        assert closest_features(a, b).overlaps
        # Any direction is a way out, so a common plane's gap cannot exceed the shortest one; it may miss it.
        assert common_plane(a, b).distance <= found.distance + 1e-12
        assert fast_common_plane(a, b).distance <= found.distance + 1e-12
        assert face_crossing(a, b).crosses


def test_closest_features_go_on_from_where_they_were():
    for a, b in pairs(10, 1.8, 2.2, seed=3):
        first = closest_features(a, b)
        again = closest_features(a, b, start=first.features)
        assert again.steps <= 1 < first.steps
        assert again.distance == first.distance


def test_face_crossing_of_a_pressed_face_is_the_common_volume():
    found = face_crossing(CUBE, CUBE.moved(position=(0, 0, 0.9), orientation=unit([1, 0, 0, 0.2])))
    assert found.crosses and found.depth == pytest.approx(0.1, abs=1e-9)
    np.testing.assert_allclose(found.normal, [0, 0, 1], atol=1e-9)
    assert not face_crossing(CUBE, CUBE.moved(position=(2, 0, 0))).crosses


def test_face_crossing_tilts_its_normal_where_gjk_keeps_the_face():
    """An overlap at an edge: the outline turns around the corner of the common volume, so its normal leans."""
    other = CUBE.moved(position=(0.4, 0.3, 0.9))
    outline, nearest = face_crossing(CUBE, other), gap(CUBE, other)
    np.testing.assert_allclose(nearest.normal, [0, 0, 1], atol=1e-12)
    # Outline around the box [-0.1, 0.5] x [-0.2, 0.5] x [0.4, 0.5]: area vector (0.07, 0.06, 0.42).
    np.testing.assert_allclose(outline.normal, unit([0.07, 0.06, 0.42]), atol=1e-9)
    assert outline.depth > -nearest.distance


def test_face_crossing_knows_nothing_of_a_swallowed_body():
    small = bq.Polyhedron.box((0.1, 0.1, 0.1))
    assert not face_crossing(CUBE, small).crosses
    assert gap(CUBE, small).distance == pytest.approx(-0.55, rel=1e-12)


def test_face_crossing_of_concave_skins():
    l = l_solid()
    found = face_crossing(l, CUBE.moved(position=(1.45, 1.5, 0.5), orientation=unit([1, 0, 0.05, 0.1])))
    assert found.crosses and found.normal[0] > 0.8  # pressed against the inner wall x = 1 of the L


def test_concave_bodies_are_refused_where_they_must_be():
    for method in (common_plane, fast_common_plane, closest_features):
        with pytest.raises(bq.BanquiseError, match="convex"):
            method(l_solid(), CUBE)
