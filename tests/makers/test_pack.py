"""Packs: concentration, law of sizes, no overlap, same bits; what cannot be done is said."""

import numpy as np
import pytest
import shapely
from scipy.stats import ks_2samp

import banquise as bq
from banquise.detection.planar import Detector
from banquise.errors import CaseError
from banquise.scene.makers import tools
from banquise.scene.makers.catalogue import catalogue, shape_numbers
from banquise.scene.makers.sizes import fit_power_law, power_law


def concentration(scene, area):
    return sum(f.area for f in scene.floes) / area


def sizes(scene):
    return np.sqrt([f.area / np.pi for f in scene.floes])


@pytest.mark.parametrize("n,part,seed", [(350, 0.6, 0), (150, 0.8, 4), (40, 0.1, 1), (1, 0.05, 2)])
def test_concentration_and_overlap(n, part, seed):
    scene = bq.pack(n, part, (1200, 1200), seed=seed)
    assert len(scene.floes) == n
    assert concentration(scene, 1200**2) == pytest.approx(part, rel=1e-9)  # areas are solved for; rings only moved
    assert scene.overlaps() == []
    bodies = scene.bodies()
    assert Detector(bodies).max_overlap(bodies)[0] == 0.0  # by a routine apart from the one that made it
    assert all(shapely.box(0, 0, 1200, 1200).contains(f.polygon) for f in scene.floes)


def test_law_of_sizes_and_thickness():
    scene = bq.pack(
        n=350, concentration=0.6, box=(1200, 1200), exponent=1.5, max_size=250.0, thickness=(0.25, 0.38), seed=1
    )
    s = sizes(scene)
    law = fit_power_law(s, max_size=250.0)
    assert abs(law.exponent - 1.5) < 2 * law.error
    assert s.max() <= 250.0 and s.max() > 150.0
    thick = np.array([f.thickness for f in scene.floes])
    assert 0.25 <= thick.min() < 0.26 and 0.37 < thick.max() <= 0.38


@pytest.mark.parametrize("exponent", [0.7, 1.5, 2.6])
def test_fit_finds_the_exponent_within_its_error(exponent):
    rng = np.random.default_rng(0)
    pull = []
    for _ in range(40):
        law = fit_power_law(power_law(rng.random(400), 2.0, 100.0, exponent), 2.0, 100.0)
        pull.append((law.exponent - exponent) / law.error)
    # 40 standard normal deviates: mean within 3/sqrt(40), spread within three of its errors (1/sqrt(80))
    assert abs(np.mean(pull)) < 3 / np.sqrt(40) and abs(np.std(pull) - 1) < 3 / np.sqrt(80)


def test_same_seed_same_bits():
    one, two, other = (bq.pack(80, 0.7, (600, 600), seed=k) for k in (5, 5, 6))
    assert all(np.array_equal(a.ring, b.ring) and a.thickness == b.thickness for a, b in zip(one.floes, two.floes))
    assert not np.array_equal(one.floes[0].ring, other.floes[0].ring)


def test_periodic_box_and_obstacle():
    rock = bq.Obstacle([[400, -50], [500, -50], [500, 50], [400, 50]])
    scene = bq.pack(120, 0.7, bq.Periodic(0, 1000, -500, 500), seed=2, obstacles=[rock])
    bodies = scene.bodies()
    assert Detector(bodies, scene.domain).max_overlap(bodies)[0] == 0.0
    assert concentration(scene, 1000**2 - rock.area) == pytest.approx(0.7, rel=1e-9)


def test_polygon_with_a_floe_in_place():
    bay = shapely.Polygon([(0, 0), (1000, 0), (1000, 700), (600, 300), (0, 800)])
    mine = bq.Disc((300, 200), 80.0)
    scene = bq.pack(100, 0.6, bay, floes=[mine], seed=3)
    assert scene.floes[0] is mine and scene.overlaps() == []
    assert all(bay.contains(f.polygon) for f in scene.floes)
    # the disc is drawn with chords when its area is taken off: 4e-4 of itself
    assert concentration(scene, bay.area) == pytest.approx(0.6, rel=1e-4)


def test_given_shapes_and_sizes():
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    scene = bq.pack(30, 0.5, (500, 500), shapes=[square], sizes=np.linspace(1, 3, 30))
    s = np.sort(sizes(scene))
    np.testing.assert_allclose(s / s[0], np.linspace(1, 3, 30), rtol=1e-9)
    assert {len(f.ring) for f in scene.floes} == {4}


@pytest.mark.parametrize(
    "options,says",
    [
        ({"concentration": 0.95}, "voronoi"),
        ({"concentration": 60}, "between 0 and 1"),
        ({"n": 0}, "whole number"),
        ({"n": 3, "max_size": 10.0}, "more floes"),
        ({"box": (0, 5)}, "box"),
        ({"box": "big"}, "box"),
        ({"n": 1, "concentration": 0.8, "max_size": 1e4, "box": (4000, 100)}, "largest floe"),
        ({"n": 3, "concentration": 0.88, "max_size": 900.0}, "not reached|largest floe"),
        ({"obstacles": [bq.Obstacle([[-1, -1], [2000, -1], [2000, 2000], [-1, 2000]])]}, "cover the whole box"),
        ({"thickness": -1.0}, "thickness"),
        ({"shapes": []}, "empty"),
        ({"exponent": None}, "exponent is None"),
        ({"exponent": "steep"}, "exponent is 'steep'"),
    ],
)
def test_what_cannot_be_done_is_said(options, says):
    with pytest.raises(CaseError, match=says):
        bq.pack(**({"n": 20, "concentration": 0.3} | options))


def test_catalogue_matches_real_floes(shared_data):
    real = shape_numbers([f.ring for f in bq.read_scene(shared_data / "robeson_floes.mat").floes])
    made = shape_numbers(catalogue())
    for name in ("solidity", "circularity", "aspect"):
        assert ks_2samp(real[name], made[name]).pvalue > 0.05, name


def test_cells_at_a_concentration_clipped_to_a_coast():
    coast = bq.Obstacle([[300, 300], [700, 350], [600, 500], [650, 800], [350, 700], [450, 500]])
    scene = bq.voronoi(300, 0.92, (1200, 1200), obstacles=[coast], seed=2)
    assert scene.overlaps() == []
    assert concentration(scene, 1200**2 - coast.area) == pytest.approx(0.92, rel=1e-6)
    with pytest.raises(CaseError, match="coasts cover"):
        bq.voronoi(10, 0.9, (400, 400), obstacles=[bq.Obstacle([[-1, -1], [500, -1], [500, 500], [-1, 500]])])


def test_cells_from_a_chart():
    scene = bq.voronoi(600, [[0.5, 0.9], [0.0, 0.7]], (1000, 1000), thickness=[[0.5, 1.0], [1.0, 2.0]], seed=1)
    for (x, y), part in {(0, 0): 0.5, (500, 0): 0.9, (500, 500): 0.7}.items():
        # cells across the border of a chart's cell blur it: 600 cells are 40 m wide in quarters of 500 m
        found = tools.info(scene, (x + 60, x + 440, y + 60, y + 440))["concentration"]
        assert found == pytest.approx(part, abs=0.03)
    assert {f.thickness for f in scene.floes} == {0.5, 1.0, 2.0}


def test_tools_keep_what_they_should():
    scene = bq.pack(30, 0.5, (400, 400), seed=1)
    moving = bq.Scene([tools.like(f, f.ring, velocity=(0.1, 0.0), spin=1e-3) for f in scene.floes])
    whole = tools.info(scene)
    turned = tools.rotate(moving, np.pi / 2)
    np.testing.assert_allclose([f.velocity for f in turned.floes], np.tile([0.0, 0.1], (30, 1)), atol=1e-15)
    assert tools.info(tools.scale(scene, 2.0))["ice_area"] == pytest.approx(4 * whole["ice_area"], rel=1e-12)
    tiled = tools.tile(scene, 2, 3, (400, 400))
    assert len(tiled.floes) == 180 and tiled.overlaps() == []
    pieces = [tools.cut(scene, (x, x + 200, 0, 400)) for x in (0, 200)]
    assert sum(tools.info(p)["ice_area"] for p in pieces) == pytest.approx(whole["ice_area"], rel=1e-9)
    assert all(f.velocity == (0.0, 0.0) and f.spin == 0.0 for f in tools.at_rest(moving).floes)
    with pytest.raises(CaseError, match="overlap"):
        tools.merge(scene, tools.shift(scene, 1.0, 0.0))
