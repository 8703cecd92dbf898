"""The crack that a search chooses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from banquise.bench.fracture import struck_floes
from banquise.errors import BanquiseError
from banquise.fracture import Dirichlet, Griffith, impact, landscape, release, search, shortest_cut, split
from banquise.scene.floe import Floe

from .conftest import TOUGHNESS, YOUNG, rectangle

CRITICAL = math.sqrt(2 * TOUGHNESS * 100 / YOUNG)


def critical_speed(size: float, ice: Griffith | None = None) -> float:
    floe = rectangle(size, size)
    return 0.1 * search(floe, impact(floe, (0, size / 2), (1, 0), 0.1), ice=ice).critical


def test_strip_breaks_at_griffiths_elongation(square):
    def load(factor):
        return Dirichlet([((0, 0), (0, 100), 0.0, None), ((100, 0), (100, 100), factor * CRITICAL, None)])

    crack = search(square, load(1.25))
    assert crack.breaks
    assert crack.critical == pytest.approx(0.8, rel=1e-6)
    assert crack.length == pytest.approx(100.0, rel=1e-9)  # any straight section; none is shorter
    assert not search(square, load(0.99)).breaks
    # Pressed, it can only shear: never at Griffith's load, later with lips that rub than with slippery ones.
    assert not search(square, load(-1.0)).breaks
    assert not search(square, load(-1.2)).breaks
    assert search(square, load(-1.2), ice=Griffith(lip_friction=0.0)).breaks


def test_struck_square_breaks_from_two_to_three_centimetres_a_second(square, hit):
    crack = search(square, hit)
    speed = 0.1 * crack.critical
    assert crack.breaks
    assert 0.02 < speed < 0.03
    for factor, breaks in ((0.99, False), (1.01, True)):
        assert search(square, impact(square, (0, 50), (1, 0), factor * speed, patch=5.0)).breaks is breaks
    assert crack.release == pytest.approx(release(square, hit, crack.start, crack.end), rel=1e-6)
    assert crack.critical == pytest.approx(math.sqrt(crack.surface / crack.release), rel=1e-12)


def test_critical_speed_falls_with_the_root_of_the_size():
    sizes = [20.0, 63.0, 200.0]
    speeds = [critical_speed(s) for s in sizes]
    slope = np.polyfit(np.log(sizes), np.log(speeds), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.005)
    assert speeds[0] / speeds[-1] == pytest.approx(math.sqrt(10), rel=0.01)


def test_critical_speed_grows_with_the_root_of_the_toughness():
    assert critical_speed(100, Griffith(toughness=40.0)) / critical_speed(100) == pytest.approx(2.0, rel=0.01)


def test_critical_speed_does_not_depend_on_the_mesh(square):
    speeds = []
    for nodes in (185, 380, 869):
        hit = impact(square, (0, 50), (1, 0), 0.1, patch=5.0, ice=Griffith(nodes=nodes))
        assert abs(len(hit.body.mesh.nodes) / nodes - 1) < 0.1
        speeds.append(search(square, hit).critical)
    assert max(speeds) / min(speeds) < 1.03


@pytest.mark.parametrize("case", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
def test_the_best_of_all_chords_starts_at_the_contact(case):
    floe, point, push = struck_floes(4, seed=5)[case]
    hit = impact(floe, point, push, 0.1)
    near, far = search(floe, hit), search(floe, hit, starts="all")
    assert far.candidates > 3 * near.candidates
    assert far.critical == pytest.approx(near.critical, rel=0.02)
    # Skipping by bounds must not lose the winner.
    rows = landscape(floe, hit)
    lengths = np.hypot(*(rows[:, 2:4] - rows[:, :2]).T)
    with np.errstate(divide="ignore"):
        best = np.sqrt(10.0 * lengths / np.maximum(rows[:, 4], 0)).min()
    unrefined = search(floe, hit, starts="all", refine=False)
    assert unrefined.critical == pytest.approx(best, rel=1e-9)
    assert far.critical <= unrefined.critical
    # The bound of the cheap screen holds for every candidate, and the crack can be cut.
    assert lengths.min() >= shortest_cut(floe)
    pieces = split(floe, near.start, near.end)
    assert min(p.area for p in pieces) >= 0.0199 * floe.area


def test_least_energy_leaves_the_least_energy(square, hit):
    ice = hit.ice
    least = search(square, hit, rule="least-energy", starts="all", refine=False)
    rows = landscape(square, hit)
    lengths = np.hypot(*(rows[:, 2:4] - rows[:, :2]).T)
    assert least.surface - least.release == pytest.approx((ice.toughness * lengths - rows[:, 4]).min(), rel=1e-9)
    weak = impact(square, (0, 50), (1, 0), 0.01, patch=5.0)
    nothing = search(square, weak, rule="least-energy")
    assert not nothing.breaks
    assert nothing.critical > 1


def test_the_strength_gate_holds_back(square, hit):
    free = search(square, hit)
    gated = search(square, hit, ice=Griffith(strength=3e5))
    assert gated.critical >= free.critical
    closed = search(square, hit, ice=Griffith(strength=1e9))
    assert not closed.breaks


def test_cracks_may_stop_inside(square, hit):
    through = search(square, hit, refine=False)
    both = search(square, hit, ice=Griffith(arrested=True), refine=False)
    assert both.critical <= through.critical
    assert both.candidates > through.candidates


def test_searching_twice_gives_the_same_bits(square):
    def once():
        from banquise.fracture.elasticity import clear_cache

        clear_cache()
        crack = search(square, impact(square, (0, 41), (1, 0), 0.1))
        return crack.start, crack.end, crack.release, crack.critical

    assert once() == once()


def test_a_butterfly_breaks_at_its_waist():
    wings = Floe([[0, 0], [50, 35], [100, 0], [100, 100], [50, 65], [0, 100]], density=910.0)
    held = Dirichlet([((0, 0), (0, 100), 0.0, None), ((100, 0), (100, 100), 1e-3, None)])
    crack = search(wings, held)
    assert crack.breaks
    assert crack.length == pytest.approx(30.0, abs=0.5)
    assert crack.start[0] == pytest.approx(50, abs=2)


def test_a_hole_draws_no_crack_across_it():
    floe = Floe(
        [[0, 0], [100, 0], [100, 100], [0, 100]], holes=[[[40, 40], [60, 40], [60, 60], [40, 60]]], density=910.0
    )
    crack = search(floe, impact(floe, (0, 50), (1, 0), 0.1))
    assert crack.breaks
    first, second = split(floe, crack.start, crack.end)
    assert first.mass + second.mass == pytest.approx(floe.mass, rel=1e-12)


def test_a_rough_border_is_no_obstacle():
    """An outline from an image has more detail than the mesh; ends and releases refer to the floe itself."""
    rng = np.random.default_rng(3)
    angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    reach = 50 * (1 + 0.15 * np.cos(3 * angle)) + rng.normal(0, 0.25, 300)
    floe = Floe(np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]), density=910.0)
    hit = impact(floe, floe.ring[0], (-1, 0), 0.1)
    crack = search(floe, hit)
    assert crack.breaks
    pieces = split(floe, crack.start, crack.end)
    assert sum(p.mass for p in pieces) == pytest.approx(floe.mass, rel=1e-12)
    # The same crack, entered by hand: its ends are led to the meshed border anew, an element away at most.
    assert release(floe, hit, crack.start, crack.end) == pytest.approx(crack.release, rel=0.05)


def test_an_unknown_rule_is_refused(square, hit):
    with pytest.raises(BanquiseError, match="rule"):
        search(square, hit, rule="random")


@pytest.mark.parametrize("part", [0.1, 0.2, 0.4])
def test_no_piece_is_narrower_than_asked(part):
    """Widths as parts of the floe's size."""
    for floe, point, push in struck_floes(6, seed=4):
        ice = Griffith(min_width=part * math.sqrt(floe.area))
        hit = impact(floe, point, push, 0.1, ice=ice)
        crack, any_width = search(floe, hit, ice), search(floe, hit, Griffith())
        smaller = min(piece.area for piece in split(floe, crack.start, crack.end))
        # areas are those of the mesh, whose nodes are kept off the cut: a thousandth of the whole
        assert smaller >= ice.min_width * crack.length - 2e-3 * floe.area
        assert (
            crack.critical >= 0.99 * any_width.critical
        )  # fewer cracks to choose from; ends are moved by halves of a step


def test_half_of_a_square_is_as_wide_as_a_piece_can_be(square):
    """Chords of a square of 100 m cut off at most 50 m2 a metre: asked for more, nothing breaks (the shortest cut is a bound)."""
    for width, breaks in ((49.0, True), (60.0, False)):
        ice = Griffith(min_width=width)
        assert (
            np.isfinite(search(square, impact(square, (0.0, 50.0), (1.0, 0.0), 1.0, ice=ice), ice).critical) == breaks
        )
        assert np.isfinite(shortest_cut(square, 0.02, width)) == breaks


def test_a_load_goes_with_its_floe(square, hit):
    """A floe of the same area elsewhere, of another shape or thickness, was not struck by this impact."""
    for other in (rectangle(100, 100, low=500.0), rectangle(200, 50, low=25.0), rectangle(100, 100, thickness=0.5)):
        with pytest.raises(BanquiseError, match="made on another floe"):
            search(other, hit)
    again = rectangle(100, 100)
    assert search(again, hit).critical == search(square, hit).critical


def test_words_and_numbers_that_are_not_known(square, hit):
    nothing = Dirichlet([((0, 0), (0, 100), lambda x, y: math.nan, None)])
    for made, said in [
        (lambda: search(square, hit, starts="al"), "Did you mean 'all'"),
        (lambda: landscape(square, hit, starts="contacts"), "Did you mean 'contact'"),
        (lambda: search(square, hit, limit=math.nan), "limit is nan"),
        (lambda: search(square, hit, ice=3), "expected bq.Griffith"),
        (lambda: release(square, hit, (0, 60), (100, 60), lip_friction=-1), "lip_friction is -1"),
        (lambda: release(square, hit, (0, 60), (100, 60), lip_friction=math.nan), "lip_friction is nan"),
        (lambda: release(square, hit, "a", (100, 60)), "start of a crack is 'a'"),
        (lambda: search(square, nothing), "displacement at .* is nan"),
        (lambda: Dirichlet(None), "expected a list of stretches"),
    ]:
        with pytest.raises(BanquiseError, match=said):
            made()
