"""A cut keeps mass, momentum, angular momentum and kinetic energy, and cuts only what it should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banquise.errors import BanquiseError
from banquise.fracture import split, split_along
from banquise.fracture.split import _plain_pieces, _simple_cut, like
from banquise.scene.floe import Disc, Floe
from banquise.scene.moments import polygon_moments

from .conftest import rectangle, star

MOTION = {"velocity": (0.2, -0.1), "spin": 1e-3, "density": 910.0}


def totals(floes):
    mass = sum(f.mass for f in floes)
    momentum = sum(f.mass * np.array(f.velocity) for f in floes)
    turning = sum(f.inertia * f.spin + f.mass * np.cross([*f.centre, 0], [*f.velocity, 0])[2] for f in floes)
    kinetic = sum(0.5 * f.mass * np.dot(f.velocity, f.velocity) + 0.5 * f.inertia * f.spin**2 for f in floes)
    return np.array([mass, *momentum, turning, kinetic])


def test_reference_cut():
    square = rectangle(100, 100, **MOTION)
    small, large = split(square, (0, 50), (43.75, 0))
    assert small.mass == pytest.approx(995312.5, rel=1e-12)
    assert large.mass == pytest.approx(8104687.5, rel=1e-12)
    assert small.velocity == pytest.approx((0.2333333, -0.1354167), abs=5e-8)
    assert large.velocity == pytest.approx((0.1959064, -0.0956506), abs=5e-8)
    assert small.spin == pytest.approx(1e-3, rel=1e-12)
    assert totals([small, large]) == pytest.approx(totals([square]), rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 500), st.floats(0, 1), st.floats(0, 1))
def test_any_visible_cut_conserves(seed, first, second):
    floe = star(seed)
    moving = Floe(floe.ring + np.array([1e3, -2e3]), **MOTION)
    border = moving.polygon.exterior
    a, b = (np.array(border.interpolate(s, normalized=True).coords[0]) for s in (first, second))
    try:
        pieces = split(moving, a, b)
    except BanquiseError:
        return  # ends that do not see each other, or one place: refused in words
    # Angular momentum about the origin sums terms a thousand times larger than itself.
    assert totals(pieces) == pytest.approx(totals([moving]), rel=1e-11)
    assert pieces[0].area <= pieces[1].area
    assert pieces[0].polygon.intersection(pieces[1].polygon).area < 1e-9 * floe.area


def test_the_plain_way_cuts_as_the_general_one():
    """Rings cut by a kernel are those that shapely's polygons give, point by point, and weigh the same."""
    rng = np.random.default_rng(3)
    both = 0
    for seed in range(60):
        floe = star(seed)
        border = floe.polygon.exterior
        ends = [np.array(border.interpolate(s, normalized=True).coords[0]) for s in rng.random(2)]
        if seed % 3 == 0:
            ends[0] = floe.ring[seed % len(floe.ring)]  # at a corner
        plain, general = _plain_pieces(floe, ends), _simple_cut(floe.polygon, np.array(ends))
        if general is None:
            assert plain is None  # ends that do not see each other
        if plain is None or general is None:
            continue
        both += 1
        general.sort(key=lambda p: p.area)
        for piece, polygon in zip(plain, general):
            assert piece.polygon.symmetric_difference(polygon).area < 1e-12 * floe.area
            assert len(piece.ring) == len(polygon.exterior.coords) - 1
            moments = polygon_moments([piece.ring], piece.ring[0])
            assert piece.area_moments == pytest.approx(moments, rel=1e-12, abs=1e-12 * moments[0] ** 2)
            again = like(floe, [piece.ring], piece.density, piece.name)  # as a resumed run makes it: bit for bit
            assert (again.ring == piece.ring).all() and again.mass == piece.mass and again.inertia == piece.inertia
    assert both > 20


def test_concave_floes_are_cut_between_the_ends_only():
    horseshoe = Floe([[0, 0], [30, 0], [30, 20], [20, 20], [20, 10], [10, 10], [10, 20], [0, 20]], **MOTION)
    arm, rest = split(horseshoe, (0, 15), (10, 15))
    assert (arm.area, rest.area) == (50.0, 450.0)
    with pytest.raises(BanquiseError, match="3 piece"):
        split(horseshoe, (0, 15), (30, 15))


def test_holes_go_with_their_piece_or_open():
    frame = Floe([[0, 0], [30, 0], [30, 20], [0, 20]], holes=[[[10, 5], [20, 5], [20, 15], [10, 15]]], **MOTION)
    beside = split(frame, (5, 0), (5, 20))
    assert [len(p.holes) for p in beside] == [0, 1]
    assert totals(beside) == pytest.approx(totals([frame]), rel=1e-12)
    through = split(frame, (15, 0), (15, 20))
    assert [len(p.holes) for p in through] == [0, 0]
    assert totals(through) == pytest.approx(totals([frame]), rel=1e-12)
    with pytest.raises(BanquiseError, match="1 piece"):
        split(frame, (0, 10), (10, 10))  # to the hole only: nothing comes off


def test_a_cut_at_a_corner_leaves_no_sliver():
    square = rectangle(100, 100, **MOTION)
    for piece in split(square, (1e-9, 0), (100, 100 - 1e-9)):
        assert len(piece.ring) == 3


def test_rounded_floes_keep_their_momenta():
    for floe, a, b in (
        (Disc((3, 4), 10.0, **MOTION), (3, 14), (3, -6)),
        (Floe([[0, 0], [30, 0], [30, 20], [0, 20]], radius=2.0, **MOTION), (10, -2), (15, 22)),
    ):
        pieces = split(floe, a, b)
        assert totals(pieces)[:4] == pytest.approx(totals([floe])[:4], rel=1e-12)
        assert totals(pieces)[4] == pytest.approx(totals([floe])[4], rel=1e-6)  # arcs are cut as chords


def test_pieces_keep_what_they_are_made_of():
    floe = rectangle(10, 10, thickness=0.7, water_drag=1e-3, material="old ice", name="B7")
    first, second = split(floe, (5, 0), (5, 10))
    assert first.thickness == pytest.approx(0.7)
    assert (second.water_drag, second.material) == (1e-3, "old ice")
    assert {first.name, second.name} == {"B7.1", "B7.2"}


@pytest.mark.parametrize(("start", "end"), [((0, 5), (5, 5)), ((0, 5), (0, 5)), ((0, 2), (0, 8)), ("a", (0, 0))])
def test_bad_cuts_are_refused(start, end):
    with pytest.raises(BanquiseError):
        split(rectangle(10, 10), start, end)


@pytest.mark.parametrize(
    "path, said",
    [
        ([(0, 50), (200, 50), (100, 20)], "turns at \\(200, 50\\), expected a place in its ice"),
        ([(0, 50), (50, "x"), (100, 50)], "expected two finite numbers"),
        ([(0, 50), (50, np.nan), (100, 50)], "expected two finite numbers"),
        ([(0, 50, 1), (100, 50)], "expected two finite numbers"),
        (5, "expected two points or more"),
        ([(0, 50)], "expected two ends"),
    ],
)
def test_paths_that_cut_nothing_are_refused(path, said):
    """A corner beside the ice would leave pieces that the path does not part."""
    with pytest.raises(BanquiseError, match=said):
        split_along(rectangle(100, 100), path)


def test_what_is_no_floe_is_said():
    with pytest.raises(BanquiseError, match="expected a floe"):
        split("floe", (0, 1), (1, 1))
