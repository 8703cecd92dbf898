"""From a percussion to force, time and energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from banquise.errors import BanquiseError
from banquise.fracture import Contact, Griffith, from_impulses, impact
from banquise.scene.floe import Obstacle

from .conftest import YOUNG, rectangle, star


def test_square_on_a_wall(square, hit):
    assert hit.energy == pytest.approx(0.5 * square.mass * 0.1**2, rel=1e-12)  # all of it: the wall is rigid
    assert hit.force == pytest.approx(0.1 * math.sqrt(square.mass / hit.compliance), rel=1e-12)
    assert hit.duration == pytest.approx(math.pi * math.sqrt(square.mass * hit.compliance), rel=1e-12)
    assert 0.135 < hit.duration < 0.145
    assert hit.body.energy(hit.displacement / 100) * YOUNG * 100**2 == pytest.approx(hit.energy, rel=1e-9)


def test_an_obstacle_is_a_wall(square, hit):
    wall = Obstacle([[-10, 0], [0, 0], [0, 100], [-10, 100]])
    assert impact(square, (0, 50), (1, 0), 0.1, other=wall, patch=5.0).energy == hit.energy


def test_two_floes_share_by_compliance(square, hit):
    twin = rectangle(100, 100)
    other = type(twin)(twin.ring - [100, 0], density=910.0)
    pair = impact(square, (0, 50), (1, 0), 0.1, other=other, patch=5.0)
    back = impact(other, (0, 50), (-1, 0), 0.1, other=square, patch=5.0)
    assert pair.effective_mass == pytest.approx(square.mass / 2)
    assert pair.energy + back.energy == pytest.approx(0.25 * square.mass * 0.1**2, rel=1e-12)
    assert pair.energy == pytest.approx(back.energy, rel=0.02)  # twins, meshed apart
    # Twice the compliance, half the mass: half the force, the same time.
    assert pair.force == pytest.approx(hit.force / 2, rel=0.01)
    assert pair.duration == pytest.approx(hit.duration, rel=0.01)


def test_off_centre_hits_have_less_effective_mass(square):
    off = impact(square, (0, 80), (1, 0), 0.1)
    assert 1 / off.effective_mass == pytest.approx(1 / square.mass + 30**2 / square.inertia, rel=1e-12)
    assert off.energy == pytest.approx(0.5 * off.effective_mass * 0.01, rel=1e-12)


def test_a_squeezed_bar_is_in_uniform_stress():
    """Own closed form: equal percussions on both ends balance without inertia, C = L / (E h W), thrice that of one."""
    bar = rectangle(100, 10)
    left = type(bar)(bar.ring - np.array([100, 0]), density=910.0)
    right = type(bar)(bar.ring + np.array([100, 0]), density=910.0)
    both = [Contact((0, 5), (1, 0), 1e5, 0.0, left), Contact((100, 5), (-1, 0), 1e5, 0.0, right)]
    hit = from_impulses(bar, both, patch=10.0)
    assert hit.compliance == pytest.approx(100 / (YOUNG * 10), rel=1e-9)
    stress = hit.stresses()
    assert np.allclose(stress[:, 0], -hit.force / 10, rtol=1e-6)
    assert np.abs(stress[:, 1:]).max() < 1e-6 * hit.force / 10


def test_impulses_give_the_same_as_the_speed(square, hit):
    e = 0.4
    contact = Contact((0.0, 50.0), (1.0, 0.0), (1 + e) * square.mass * 0.1)
    assert from_impulses(square, [contact], restitution=e, patch=5.0).force == pytest.approx(hit.force, rel=1e-12)


def test_a_rubbed_contact_stores_more(square, hit):
    rubbed = from_impulses(
        square, [Contact((0.0, 50.0), (1.0, 0.0), square.mass * 0.1, 0.3 * square.mass * 0.1)], patch=5.0
    )
    assert rubbed.gripped == (True,)
    assert rubbed.energy > hit.energy


def test_crushing_widens_the_patch(square):
    soft = impact(square, (0, 50), (1, 0), 0.1, ice=Griffith(crushing=1e6))
    assert soft.patch == pytest.approx(soft.force / 1e6, rel=0.05)  # two sweeps of a weakly varying map
    assert soft.patch > 10


def test_patches_follow_the_border():
    floe = star(8)
    corner = floe.ring[2]
    hit = impact(floe, corner, -corner, 0.1)
    assert hit.patch == pytest.approx(0.05 * math.sqrt(floe.area), rel=1e-6)
    square = rectangle(100, 100)
    near = impact(square, (0, 99), (1, 0), 0.1)  # the far side of the corner does not face the wall
    assert near.patch == pytest.approx(2.5 + 1.0, rel=1e-6)


@pytest.mark.parametrize(
    "bad",
    [
        {"normal": (0, 0)},
        {"speed": float("nan")},
        {"speed": 0.0},
        {"patch": -1.0},
        {"point": 3},
        {"patch": 1e4},
    ],
)
def test_bad_impacts_are_refused(square, bad):
    given = {"point": (0, 50), "normal": (1, 0), "speed": 0.1, **bad}
    with pytest.raises(BanquiseError, match="fracture"):
        impact(square, **given)


def test_impulses_that_cancel_are_refused(square):
    with pytest.raises(BanquiseError, match="cancel"):
        from_impulses(square, [Contact((0, 50), (1, 0), 1.0), Contact((100, 50), (-1, 0), 1.0)])


@pytest.mark.parametrize(
    "bad", [{"toughness": -1}, {"poisson": 0.5}, {"rule": "last"}, {"nodes": 10}, {"young": "hard"}]
)
def test_bad_settings_are_refused(bad):
    with pytest.raises(BanquiseError, match=next(iter(bad))):
        Griffith(**bad)


def test_the_length_of_a_normal_says_nothing(square):
    """Normals are directions: a contact solver's (2, 0) is (1, 0)."""
    one, two = (from_impulses(square, [Contact((0, 50), (length, 0.0), 1e5)]) for length in (1.0, 2.0))
    assert two.energy == one.energy == pytest.approx(1e10 / (2 * square.mass), rel=1e-12)


def test_what_is_given_wrongly_is_said(square):
    far = rectangle(100, 100, low=500.0)
    for made, said in [
        (lambda: impact("floe", (0, 50), (1, 0), 0.1), "expected a floe"),
        (lambda: impact(square, (0, 50), (1, 0), 0.1, other="wall"), "expected a floe, an obstacle or None"),
        (lambda: impact(square, (0, 50), (1, 0), 0.1, other=far), "450 m from the border"),
        (lambda: impact(square, (0, 50), (1, 0), 0.1, ice="ice"), "expected bq.Griffith"),
        (lambda: from_impulses(square, [3]), "expected fracture.Contact"),
        (lambda: from_impulses(square, [Contact((0, 500), (1, 0), 1e5)]), "400 m from the border"),
        (lambda: from_impulses(square, [Contact((0, 50), (1, 0), 1e5, math.nan)]), "tangential impulse is nan"),
        (lambda: from_impulses(square, [Contact((0, 50), (1, 0), 1e5)], restitution=-1.0), "from 0 to 1"),
    ]:
        with pytest.raises(BanquiseError, match=said):
            made()


def test_numbers_of_a_law_are_those_of_numpy_too():
    """A sweep over np.arange gives NumPy's numbers; a part of a node or a word is no setting."""
    ice = Griffith(toughness=np.float32(4.0), nodes=np.int64(100), generations=np.int32(2), arrested=np.bool_(True))
    assert ice == Griffith(toughness=4.0, nodes=100, generations=2, arrested=True)
    assert type(ice.toughness) is float and type(ice.nodes) is int and ice.arrested is True
    for wrong in ({"nodes": 100.5}, {"generations": 2.5}, {"arrested": "no"}, {"toughness": True}):
        with pytest.raises(BanquiseError, match=f"Griffith: {next(iter(wrong))} is"):
            Griffith(**wrong)
