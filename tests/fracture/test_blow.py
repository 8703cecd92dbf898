"""Contacts of a floe at one instant: what they resist with, and the energy that they carry."""

from __future__ import annotations

import numpy as np
import pytest

from banquise.fracture import Griffith
from banquise.fracture.blow import Struck
from banquise.fracture.screen import PAYS, may_pay, shortest_from
from banquise.scene.bodies import Bodies

from .conftest import rectangle, star


def struck(others, seed=0):
    """A floe struck by these rows, at random."""
    rng = np.random.default_rng(seed)
    k, turn = len(others), rng.uniform(0, 2 * np.pi, len(others))
    spots = np.column_stack([rng.uniform(-50, 50, (k, 2)), np.cos(turn), np.sin(turn)])
    impulses, levers = rng.uniform(-1e5, 1e5, (k, 2)), rng.uniform(-40, 40, (k, 2))
    return Struck(0, np.arange(k), spots, impulses, levers, np.array(others), 0.3)


@pytest.mark.parametrize("others", [[1], [1, 2], [2, 1, 2]])
def test_impulses_carry_the_energy_of_the_motions_that_they_stop(others):
    """Twice the energy of impulses J is the sum over bodies of |P|^2 / m + L^2 / I, with P and L what they give each body."""
    floe = star(3)
    bodies = Bodies.of([floe, rectangle(60, 40), star(5)])
    hit = struck(others)
    ways = np.stack([hit.spots[:, 2:], np.column_stack([-hit.spots[:, 3], hit.spots[:, 2]])], axis=1)
    push = np.einsum("kq,kqc->kc", hit.impulses / (1 + hit.restitution), ways)
    twice = 0.0
    for row in {0, *others}:
        mine = np.full(len(others), row == 0) | (np.array(others) == row)
        arm = hit.spots[:, :2] - floe.centre if row == 0 else hit.levers
        turn = float((arm[:, 0] * push[:, 1] - arm[:, 1] * push[:, 0])[mine].sum())
        through = push[mine].sum(axis=0)
        twice += through @ through * bodies.inverse_mass[row] + turn**2 * bodies.inverse_inertia[row]
    blow = hit.blow(bodies, floe)
    flat = blow.pattern.ravel()
    assert blow.kinetic == pytest.approx(twice, rel=1e-12)
    assert flat @ hit.mobility(bodies, floe) @ flat == pytest.approx(twice, rel=1e-12)


def test_a_crack_that_is_short_enough_stands_for_the_shortest():
    """The look that stops at the first chord that pays says what the shortest chord says."""
    ice = Griffith()
    for seed in range(12):
        floe = star(seed)
        spots, reach = np.array([[*floe.ring[seed % 11], 1.0, 0.0]]), 0.05 * np.sqrt(floe.area)
        shortest = shortest_from(floe, spots, reach, ice)
        price = PAYS * ice.toughness * floe.thickness * shortest
        for part in (0.3, 0.999, 1.001, 1.5, 40.0):
            assert may_pay(floe, spots, reach, ice, part * price) == (part > 1)


def test_a_floe_broken_in_one_call_is_the_one_broken_step_by_step(monkeypatch):
    """Four generations of pieces: the same bits whether a kernel cuts them and goes on, or Python."""
    from banquise.fracture import struck as module
    from banquise.scenes.fracture import thrown

    def bodies(in_one_call):
        terms = module.terms
        if not in_one_call:
            monkeypatch.setattr(module, "terms", lambda *given: terms(*given[:-1], False))
        sim = thrown(speed=1.5, floe=star(4, size=120.0))
        sim.run(until=6.0)
        return sim

    one, other = bodies(True), bodies(False)
    assert one.bodies.n_free >= 4
    assert one.breaking.searches == other.breaking.searches
    for name in ("x", "y", "angle", "u", "v", "spin", "mass", "inertia", "vertices"):
        assert np.array_equal(getattr(one.bodies, name), getattr(other.bodies, name)), name
