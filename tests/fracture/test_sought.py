"""Searches of a run: in one call, on a rough mesh first."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import shapely
from shapely.ops import split as cut

from banquise.bench.fracture import struck_floes
from banquise.errors import CaseError
from banquise.fracture import Contact, Griffith, _kernels_border, from_impulses, impact, release, search, split
from banquise.fracture.blow import Struck
from banquise.fracture.sought import MIDDLING, ROUGH, Other, crack_of, own_fineness, seek
from banquise.fracture.struck import LIMIT
from banquise.scene.floe import Disc, Floe

from .conftest import notches, ragged, rectangle


def blow_on(floe, *contacts):
    """As a run makes it: the other side of each contact is a row of the bodies, without inverse mass where there is none."""
    others = [c.other for c in contacts]
    bodies = SimpleNamespace(
        inverse_mass=np.array([0.0 if other is None else 1 / other.mass for other in others]),
        inverse_inertia=np.array([0.0 if other is None else 1 / other.inertia for other in others]),
    )
    spots = np.array([(*c.point, *c.normal) for c in contacts])
    impulses = np.array([(c.impulse, c.tangential) for c in contacts])
    levers = np.array([(0.0, 0.0) if c.other is None else c.point - c.other.centre for c in contacts])
    rows = np.arange(len(contacts))
    return Struck(0, rows, spots, impulses, levers, rows, 0.0).blow(bodies, floe)


def contact(point, push, impulse, tangential=0.0, other=None):
    way = np.asarray(push, dtype=float) / np.hypot(*push)
    return Contact(tuple(map(float, point)), tuple(way), impulse, tangential, other)


HOLED = Floe(
    [[0, 0], [120, 0], [130, 70], [60, 110], [-10, 60]],
    holes=[[[50, 40], [50, 60], [70, 60], [70, 40]]],
    density=910.0,
)
CASES = [
    ([contact((0, 30), (1, 0), 2e5)], Griffith(), rectangle(100, 80)),
    ([contact((0, 30), (1, 0), 2e5, 4e4)], Griffith(min_piece=0.3), rectangle(100, 80)),
    ([contact((0, 30), (1, 0), 2e5, 4e4)], Griffith(min_width=25.0), rectangle(100, 80)),
    ([contact((0, 30), (1, 0), 2e5), contact((100, 50), (-1, 0.1), 1e5)], Griffith(), rectangle(100, 80)),
    ([contact((60, 0), (0, 1), 3e5)], Griffith(rule="least-energy"), HOLED),
    ([contact((60, 0), (0, 1), 3e5)], Griffith(strength=2e5), HOLED),
]


@pytest.mark.parametrize("contacts, ice, floe", CASES)
def test_one_call_finds_what_the_steps_find(contacts, ice, floe):
    blow = blow_on(floe, *contacts)
    found, gives = seek(floe, blow, ice, own_fineness(ice), limit=math.inf)
    hit = from_impulses(floe, contacts, ice=ice)
    crack = search(floe, hit, ice)
    assert gives / (ice.young * floe.thickness) == pytest.approx(hit.compliance * contacts[0].impulse ** 2, rel=1e-3)
    assert found.critical == pytest.approx(crack.critical, rel=1e-3)
    assert found.release == pytest.approx(crack.release, rel=2e-3)
    assert found.surface == pytest.approx(crack.surface, rel=2e-3)
    assert np.array([found.start, found.end]) == pytest.approx(np.array([crack.start, crack.end]), abs=0.1)


def test_a_disc_is_cut_as_a_chain_of_chords():
    """Its corners are thinned out in another way than shapely's, so meshes differ a little."""
    floe, one = Disc((60, 60), 60.0), contact((60, 0), (0, 1), 3e5)
    found, _ = seek(floe, blow_on(floe, one), Griffith(), own_fineness(Griffith()), limit=math.inf)
    assert found.critical == pytest.approx(search(floe, from_impulses(floe, [one])).critical, rel=0.02)
    for x, y in (found.start, found.end):  # on the chords themselves
        assert floe.polygon.boundary.distance(shapely.Point(x, y)) < 1e-6


@pytest.mark.parametrize("fineness", [ROUGH, MIDDLING])
def test_rough_and_fine_meshes_agree_on_the_crack(fineness):
    """What a rough mesh chooses is, on the fine one, as good as the fine one's choice; and its factor is near enough for the
    bounds within which a blow is searched again."""
    ratios, losses = [], []
    for floe, point, push in struck_floes(30, seed=5):
        ice, one = Griffith(), contact(point, push, 0.05 * floe.mass)
        blow = blow_on(floe, one)
        rough, _ = seek(floe, blow, ice, fineness, limit=math.inf)
        fine, _ = seek(floe, blow, ice, own_fineness(ice), limit=math.inf)
        ratios.append(rough.critical / fine.critical)
        there = release(floe, from_impulses(floe, [one], ice=ice), rough.start, rough.end)
        losses.append(math.sqrt(ice.toughness * floe.thickness * rough.length / there) / fine.critical)
    assert min(ratios) > fineness.sure and max(ratios) < fineness.never
    assert np.median(losses) < 1.01
    assert np.percentile(losses, 90) < 1.05


def test_a_doubt_is_settled_on_the_laws_own_mesh():
    for floe, point, push in struck_floes(4, seed=2):
        ice = Griffith()
        unit, _ = seek(floe, blow_on(floe, contact(point, push, 1.0)), ice, own_fineness(ice), limit=math.inf)
        for factor in (0.995, 1.005):
            one = contact(point, push, factor * unit.critical)
            _, crack = crack_of(floe, blow_on(floe, one), ice, [None], 1.25)
            assert crack.critical == pytest.approx(1 / factor, rel=2e-3)


def ragged_floes(count, seed):
    """Floes of 5 to 10 corners at 0.3 to 1.1 of their radius of 10 to 60 m, large enough to break."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        n = int(rng.integers(5, 11))
        turn = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.8, n)) / n
        reach = rng.uniform(10, 60) * rng.uniform(0.3, 1.1, n)
        floe = Floe(
            np.column_stack([reach * np.cos(turn), reach * np.sin(turn)]), thickness=float(rng.uniform(0.4, 1.6))
        )
        if Griffith().in_run(floe) is not None:
            found.append(floe)
    return found


NOTCHED = Floe([[11.9, 29.89], [0, 0], [13.32, -8.95], [19.56, 7.02], [40, -0.28], [46.2, 14.66]], thickness=1.13)


@pytest.mark.parametrize("floe", [NOTCHED, *ragged_floes(24, seed=5)])
def test_ragged_floes_break_where_the_laws_own_mesh_says(floe):
    """Rough meshes are up to half too high there, and moving the ends of the best chord gains up to half: wide bounds are
    needed. Within them all is the law's own; below `sure` a rough mesh is believed, so the lower side is wider."""
    ice, corner = Griffith().in_run(floe), floe.ring[np.argmin(floe.ring[:, 0])]
    critical = search(floe, impact(floe, corner, (1.0, 0.0), 1.0, ice=ice), ice).critical  # m/s
    if critical == math.inf:
        return  # no chord leaves pieces that are wide enough
    mobility = 1 / floe.mass + (corner[1] - floe.centre[1]) ** 2 / floe.inertia
    for factor, breaks in ((0.95, False), (1.02, True)):
        _, crack = crack_of(
            floe, blow_on(floe, contact(corner, (1.0, 0.0), factor * critical / mobility)), ice, [None], LIMIT
        )
        assert (crack.critical <= 1) == breaks


def test_few_ragged_floes_break_early_or_late():
    """At 0.98 and 1.02 of the load that the law's own mesh asks for; of 2,253 such floes 9 and 11 are misjudged."""
    wrong = {0.98: 0, 1.02: 0}
    for floe in ragged_floes(150, seed=8):
        ice, corner = Griffith().in_run(floe), floe.ring[np.argmin(floe.ring[:, 0])]
        blow = blow_on(floe, contact(corner, (1.0, 0.0), 1.0))
        unit, _ = seek(floe, blow, ice, own_fineness(ice), limit=math.inf)
        for factor in wrong if unit is not None else ():
            load = factor * unit.critical
            blow = blow_on(floe, contact(corner, (1.0, 0.0), load))
            _, crack = crack_of(floe, blow, ice, [None], LIMIT)
            wrong[factor] += (crack.critical <= 1) != (factor > 1)
    assert max(wrong.values()) <= 2  # 1 and 0; 0 and 3 with one pair of bounds for all floes of one least piece


HALVED = Floe(
    [
        [29.58, 3.74],
        [11.73, 23.99],
        [-21.15, 20.26],
        [-34.06, -3.65],
        [-18.85, -24.22],
        [-5.14, -31.32],
        [16.35, -19.45],
    ],
    thickness=1.925,
)


def test_a_rough_crack_beyond_twice_the_load_may_pay_when_its_ends_are_moved():
    """No chord from the contact is wide enough here, and those from elsewhere gain half by being moved: it did not break at 1.1
    times its critical load."""
    ice, corner = Griffith().in_run(HALVED), HALVED.ring[np.argmin(HALVED.ring[:, 0])]
    unit, _ = seek(HALVED, blow_on(HALVED, contact(corner, (1.0, 0.0), 1.0)), ice, own_fineness(ice), limit=math.inf)
    for factor in (0.95, 1.02):
        blow = blow_on(HALVED, contact(corner, (1.0, 0.0), factor * unit.critical))
        _, crack = crack_of(HALVED, blow, ice, [None], LIMIT)
        assert (crack.critical <= 1) == (factor > 1)


def test_a_law_may_ask_for_its_own_mesh_at_once():
    floe, point, push = struck_floes(1, seed=3)[0]
    blow = blow_on(floe, contact(point, push, 0.2 * floe.mass))
    own, _ = seek(floe, blow, Griffith(), own_fineness(Griffith()), limit=1.25)
    rough, fine = (crack_of(floe, blow, Griffith(rough_first=first), [None], 1.25)[1] for first in (True, False))
    assert fine.critical == own.critical < 0.5
    assert rough.critical != fine.critical and rough.critical == pytest.approx(fine.critical, rel=0.3)
    with pytest.raises(CaseError, match="rough_first"):
        Griffith(rough_first=1)


def test_the_other_side_takes_its_share():
    """Two equal squares head on store half of the energy each, whichever way their share is told."""
    floe, ice = rectangle(100, 100), Griffith()
    other = Floe(floe.ring - np.array([100.0, 0.0]), density=910.0)
    one = contact((0, 50), (1, 0), 1.0, other=other)
    blow = blow_on(floe, one)
    whole, _ = seek(floe, blow, ice, own_fineness(ice), limit=math.inf)
    for factor in (1.0, 2.0):
        load = contact((0, 50), (1, 0), factor * math.sqrt(2) * whole.critical, other=other)
        blow = blow_on(floe, load)
        energy, crack = crack_of(floe, blow, ice, [Other(other.thickness, lambda: other)], 1.25)
        assert energy == pytest.approx(0.25 * blow.kinetic, rel=1e-2)
        assert crack.critical == pytest.approx(1 / factor, rel=0.02 if factor == 1.0 else 0.15)
    thick = Other(100 * other.thickness, lambda: other)
    energy, _ = crack_of(floe, blow, ice, [thick], 1.25)
    assert energy == pytest.approx(0.5 * blow.kinetic, rel=0.02)


def test_impulses_that_cancel_are_no_load():
    floe = rectangle(100, 100)
    pair = [contact((0, 50), (1, 0), 1e5), contact((100, 50), (-1, 0), 1e5)]
    with pytest.raises(Exception, match="cancel"):
        crack_of(floe, blow_on(floe, *pair), Griffith(), [None, None], 1.25)


@pytest.mark.parametrize("least, width", [(0.05, 0.0), (0.3, 0.0), (0.45, 0.0), (0.49, 0.0), (0.05, 0.2), (0.05, 0.48)])
def test_chords_that_cut_off_just_enough_are_among_the_candidates(least, width):
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    first = np.array([0, 4])
    along, turn = _kernels_border.marks(corners, first)
    spots = np.array([[0.0, 3.6], [0.0, 0.35], [0.0, 1.7]])
    chords = _kernels_border.chords(corners, first, along, turn, spots, 1, least, width, False)
    x0, y0 = -0.5, -0.1
    areas = []
    for a, b, x, y, _ in chords:
        assert (a, b) == pytest.approx((x0, y0))
        areas.append(min(_cut_areas(corners, (a, b), (x, y))))
    length = np.hypot(chords[:, 2] - chords[:, 0], chords[:, 3] - chords[:, 1])
    spare = np.array(areas) - np.maximum(least, width * length)
    assert (spare >= -1e-9).all()
    assert np.isclose(spare, 0.0, atol=2e-3).sum() >= 2  # one on either side
    assert (np.diff(length) >= 0).all()


def _cut_areas(corners, a, b):
    a, b = np.asarray(a), np.asarray(b)
    line = shapely.LineString([a + 1e-9 * (a - b), b + 1e-9 * (b - a)])
    return [part.area for part in cut(shapely.Polygon(corners), line).geoms]


def test_rough_and_fine_meshes_agree_on_floes_that_may_just_be_halved():
    """Few chords, if any, leave two pieces that are wide enough: those that just do are candidates, whatever the ends are."""
    for floe, point, push in struck_floes(20, seed=9):
        small = 24.0 / math.sqrt(floe.area)
        ring, place = (floe.centre + small * (np.asarray(at) - floe.centre) for at in (floe.ring, point))
        little = Floe(ring, thickness=1.0, density=910.0)
        ice, one = Griffith().in_run(little), contact(place, push, 0.5 * little.mass)
        rough, fine = (
            seek(little, blow_on(little, one), ice, fineness, limit=math.inf)[0]
            for fineness in (ROUGH, own_fineness(ice))
        )
        assert 0.8 < rough.critical / fine.critical < 2.0  # few to choose from; 0.9 to 1.7 over 40 floes
        for crack in (rough, fine):
            smaller = min(piece.area for piece in split(little, crack.start, crack.end))
            assert smaller >= 10.0 * crack.length - 2e-3 * little.area and smaller >= 100.0 - 2e-3 * little.area


@pytest.mark.parametrize("fineness", [ROUGH, MIDDLING, own_fineness(Griffith())])
def test_a_blow_in_a_notch_that_is_left_out_of_the_mesh_is_searched(fineness):
    """Such blows broke nothing: their patch lay beside the mesh, which was taken for a floe that cannot be meshed."""
    floe, ice = ragged(200, 0), Griffith()
    for spot, push in notches(floe)[::4]:
        crack, gives = seek(floe, blow_on(floe, contact(spot, push, 1e6)), ice, fineness, limit=math.inf)
        assert gives > 0
        assert crack is not None


def test_area_that_a_chord_cuts_off():
    ring = np.array([[0.0, 0.0], [4.0, -1.0], [6.0, 2.0], [3.0, 5.0], [-1.0, 3.0]])
    first = np.array([0, len(ring)])
    along, turn = _kernels_border.marks(ring, first)
    border = shapely.Polygon(ring).exterior
    for a, b in np.random.default_rng(2).uniform(-1, 2, (30, 2)) * turn[0]:
        ends = [border.interpolate(s % turn[0]).coords[0] for s in (a, b)]
        areas = _cut_areas(ring, *ends)
        found = _kernels_border.most_cut_off(np.array([[0.0, a], [0.0, b]]), ring, first, along, turn)
        assert found == pytest.approx(min(areas) if len(areas) > 1 else 0.0, abs=1e-6)
