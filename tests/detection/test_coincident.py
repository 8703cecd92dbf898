"""Bodies whose borders lie on each other: on itself a body overlaps by its whole width, in a bay of another it only touches."""

import numpy as np
import pytest

import banquise as bq
from banquise.detection.planar import Detector

SQUARE = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float)
HALVED = np.array([[0, 0], [5, 0], [10, 0], [10, 5], [10, 10], [5, 10], [0, 10], [0, 5]], float)
ELL = np.array([[0, 0], [10, 0], [10, 4], [4, 4], [4, 10], [0, 10]], float)
BAY = np.array([[0, 0], [9, 0], [9, 9], [6, 9], [6, 3], [3, 3], [3, 9], [0, 9]], float)
PLUG = np.array([[3, 3], [6, 3], [6, 9], [3, 9]], float)
KITE = np.array([[0, 0], [7, -2], [12, 1], [9, 6], [2, 5]], float)
PLACES = [(angle, offset) for angle in (0.0, 0.3, 1.234) for offset in (0.0, 1e3, 12345.678)]


def put(ring, angle, offset):
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(ring) @ np.array([[c, s], [-s, c]]) + offset


def overlap(a, b, trust=False):
    bodies = bq.Scene([a, b]).bodies()
    return float(Detector(bodies).overlaps(bodies, trust=trust)[2].max(initial=0.0))


def pair(one, other, angle, offset):
    return bq.Floe(put(one, angle, offset)), bq.Floe(put(other, angle, offset))


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("ring", [SQUARE, KITE, BAY])
def test_a_body_on_itself_overlaps_by_its_width(ring, place, trust):
    """For convex rings, and for one that must leave another by its whole height, that is the shortest move that parts them."""
    a, b = pair(ring, np.roll(ring, 1, axis=0), *place)
    assert overlap(a, b, trust) == pytest.approx(bq.gap(a, b).depth, rel=1e-9)


@pytest.mark.parametrize("place", PLACES)
def test_a_concave_body_on_itself_overlaps_by_no_less_than_it_must_move(place):
    a, b = pair(ELL, ELL, *place)
    assert bq.gap(a, b).depth == pytest.approx(np.hypot(4, 4), rel=1e-9)
    assert np.hypot(4, 4) <= overlap(a, b) <= 10 + 1e-9  # by its width, as of a body wholly inside another


@pytest.mark.parametrize("place", PLACES)
def test_the_same_border_with_other_points(place):
    assert overlap(*pair(SQUARE, HALVED, *place)) == pytest.approx(10, rel=1e-9)
    assert overlap(*pair(HALVED, SQUARE, *place)) == pytest.approx(10, rel=1e-9)


@pytest.mark.parametrize("shift", [1e-12, 1e-9, 1e-6, 1e-5])
def test_all_but_on_itself(shift):
    """Between the shifts that are round-off and those whose own depth is seen (1e-5 of a size is one)."""
    assert overlap(bq.Floe(SQUARE), bq.Floe(SQUARE + (shift, 0.7 * shift))) == pytest.approx(10, abs=1e-3)


@pytest.mark.parametrize("place", PLACES)
def test_a_ring_shifted_along_its_edge(place):
    for shift in (1.0, 3.0, 5.0):
        assert overlap(*pair(SQUARE, SQUARE + (shift, 0), *place)) == pytest.approx(shift, rel=1e-5)  # its deepest edge
    assert overlap(*pair(SQUARE, SQUARE + (10, 0), *place)) < 1e-11


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_what_fills_a_bay_or_a_hole_only_touches(place, trust):
    a, b = pair(BAY, PLUG, *place)
    assert overlap(a, b, trust) < 1e-11 and overlap(b, a, trust) < 1e-11
    assert bq.gap(a, b).depth < 1e-11
    angle, offset = place
    host = bq.Floe(put(3 * SQUARE - 10, angle, offset), holes=[put(SQUARE, angle, offset)])
    plug = bq.Floe(put(SQUARE, angle, offset))
    assert overlap(host, plug, trust) < 1e-11 and overlap(plug, host, trust) < 1e-11
    assert overlap(host, host) == pytest.approx(30, rel=1e-9)


def test_an_inscribed_body_is_wholly_inside():
    """Its corners lie on the border of the other, its ice does not."""
    assert overlap(bq.Floe(SQUARE), bq.Floe([[5, 0], [10, 5], [5, 10], [0, 5]])) > 2.4


def test_rounded_bodies_on_themselves():
    assert overlap(bq.Floe(SQUARE, radius=1.0), bq.Floe(SQUARE, radius=1.0)) == pytest.approx(12)
    assert overlap(bq.Disc((3, 4), 5.0), bq.Disc((3, 4), 5.0)) == pytest.approx(10)


@pytest.mark.parametrize("seed", range(20))
def test_touching_cells_do_not_overlap(seed):
    """A plane cut into cells: all borders are shared, none overlaps."""
    bodies = bq.voronoi(40, 1.0, (100, 100), seed=seed).bodies()
    depth = Detector(bodies).overlaps(bodies)[2]
    assert depth.max(initial=0.0) < 1e-9
