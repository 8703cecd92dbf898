"""Strategies for blocks: laws and places of Moreau's step, event detection, penalty, quasi-static; Lemke on facets."""

import numpy as np
import pytest
from stacks import cube_stack

import banquise as bq
from banquise.blocks import Events, Moreau, Penalty, QuasiStatic
from banquise.scenes.blocks import floor, tower, wall
from banquise.solvers import faceted, spatial

G = 9.81
CUBE = bq.Polyhedron.box((1, 1, 1))


def simulate(blocks, scheme, until, friction=0.3, restitution=0.0, gravity=G):
    sim = bq.Simulation(
        bq.Scene(blocks=blocks),
        bq.Forcing(gravity=(0, 0, -gravity)),
        bq.Contact(friction=friction, restitution=restitution),
        scheme=scheme,
    )
    return sim, sim.run(until=until, every=until / 4)


@pytest.mark.parametrize("theta", [0.5, 1.0])
@pytest.mark.parametrize("contacts", ["middle", "start"])
@pytest.mark.parametrize("law", ["gap", "velocity"])
def test_sliding_block_stops_whatever_the_law(law, contacts, theta):
    _, run = simulate(
        [floor(), CUBE.moved(position=(0, 0, 0.5), velocity=(1, 0, 0))], Moreau(0.002, theta, law, contacts), 0.4
    )
    d = run.dataset.isel(block=1, time=-1)
    assert float(d.x) == pytest.approx(0.169895, abs=0.002)  # first order in the step
    assert abs(float(d.u)) < 1e-10 and abs(float(d.z) - 0.5) < 1e-9
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * 500  # of the energy at the start


@pytest.mark.parametrize("law", ["gap", "velocity"])
def test_dropped_block_lands(law):
    """The gap law lands on the floor; the velocity law as deep as a step of the fall, then is pushed out."""
    step = 0.002
    _, run = simulate([floor(), CUBE.moved(position=(0, 0, 0.6))], Moreau(step, law=law), 0.4)
    z, deepest = float(run.dataset.z[-1, 1]) - 0.5, float(run.ledger.max_overlap.max())
    fall = np.sqrt(2 * G * 0.1) * step
    assert abs(z) < (1e-5 if law == "gap" else fall)
    assert deepest < 1e-12 if law == "gap" else 0.0 < deepest < fall


def test_events_meet_the_impact_times_of_the_closed_form():
    """Dropped from 1 m, restitution 1/2: impacts at T, 2 T, 2.5 T, ..., rest at 3 T; T = sqrt(2 / g)."""
    _, run = simulate([floor(), CUBE.moved(position=(0, 0, 1.5))], Events(0.02, 1e-4), 1.5, restitution=0.5)
    first = np.sqrt(2 / G)
    times = run.events["time"].to_numpy()
    expected = first * (3 - 2.0 ** (1 - np.arange(8)))
    np.testing.assert_allclose(times[:8], expected, atol=1e-10)
    assert times[-1] == pytest.approx(3 * first, abs=2e-4)  # rebounds below 0.1 ms are none
    assert float(run.dataset.z[-1, 1]) == pytest.approx(0.5, abs=1e-9)
    assert abs(float(run.dataset.w[-1, 1])) < 1e-9
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * 1000 * G


@pytest.mark.parametrize("scheme", [Events(0.02), Moreau(1e-3)])
def test_impacts_say_what_acted(scheme):
    """A cube that falls 1 m onto a floor which takes half of its speed: m v (1 + e) and m v^2 (1 - e^2) / 2, at its face."""
    _, run = simulate([floor(), CUBE.moved(position=(0.2, 0, 1.5))], scheme, 0.6, restitution=0.5)
    (hit,) = run.events.itertuples()
    speed = np.sqrt(2 * G)
    near = {
        "rel": 1e-9 if isinstance(scheme, Events) else 2 * G * 1e-3 / speed
    }  # an impact is placed a step early at most
    assert (hit.kind, hit.block_a, hit.block_b) == ("impact", 0, 1)
    assert hit.normal_impulse == pytest.approx(1000 * speed * 1.5, **near)
    assert hit.energy_loss == pytest.approx(1000 * speed**2 / 2 * 0.75, **near)
    assert hit.tangential_impulse < 1e-9 * hit.normal_impulse
    assert (hit.x, hit.y) == pytest.approx((0.2, 0.0), abs=1e-9)
    assert abs(hit.z) < speed * 1e-3  # a step of the fall


def test_what_rests_slides_or_creeps_is_no_impact():
    for scheme in (Moreau(0.002), Events(0.01), QuasiStatic(0.01)):
        _, run = simulate([*tower(5).blocks], scheme, 0.2)
        assert run.events.empty and not run.ledger.collisions.any(), scheme
    _, run = simulate([floor(), CUBE.moved(position=(0, 0, 0.5), velocity=(1, 0, 0))], Moreau(0.002), 0.4)
    assert run.events.empty


@pytest.mark.parametrize(("gap", "after"), [(0.0, (-1 / 3, 2 / 3, 2 / 3)), (0.05, (0, 0, 1))])
def test_events_of_a_chain(gap, after):
    row = [CUBE.moved(position=(k * (1 + gap), 0, 0), velocity=(k == 0, 0, 0)) for k in range(3)]
    _, run = simulate(row, Events(0.02), 0.2, restitution=1.0, gravity=0.0)
    np.testing.assert_allclose(run.dataset.u.values[-1], after, atol=1e-9)


def test_penalty_rests_as_deep_as_its_spring_says():
    stiffness = 1e7
    sim, run = simulate([floor(), CUBE.moved(position=(0, 0, 0.5))], Penalty(stiffness, damping=0.5), 1.0)
    # damped at half the critical rate for 100 periods of the slowest rotation
    assert 0.5 - float(run.dataset.z[-1, 1]) == pytest.approx(1000 * G / stiffness, rel=1e-9)
    assert sim.step == pytest.approx(0.2 * np.sqrt(1000 / stiffness))


@pytest.mark.parametrize(("factor", "stable"), [(0.95, True), (1.05, False)])
def test_penalty_is_stable_below_twice_the_root_of_mass_over_stiffness(factor, stable):
    law = Penalty(1e7, damping=0.0, step=factor * 2 * np.sqrt(1000 / 1e7))
    deep = 1000 * G / 1e7
    _, run = simulate([floor(), CUBE.moved(position=(0, 0, 0.5 - 1.1 * deep))], law, 2.0, friction=0.0)
    assert (float(abs(run.dataset.z[:, 1] - 0.5).max()) < 2.5 * deep) == stable


def test_penalty_of_a_wall_is_stable_at_its_own_step_however_it_is_damped():
    """A stone has six neighbours: their dashpots together threw the wall apart, by metres within 200 steps."""
    stiffness = 2e5
    for damping in (0.2, 2.0):
        sim = bq.Simulation(
            wall(), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.6, 0.0), scheme=Penalty(stiffness, damping)
        )
        start = sim.columns.centre.copy()
        sim.run(until=200 * sim.step, every=100 * sim.step)
        # ten courses of 0.23 kg a stone sink into each other by less than 55 weights over the stiffness
        assert np.abs(sim.columns.centre - start).max() < 1e-3


def test_quasi_static_tower_stands_and_block_creeps_down():
    sim = bq.Simulation(tower(3), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.5, 0.0), scheme=QuasiStatic(0.01))
    run = sim.run(until=0.2, every=0.1)
    assert float(abs(run.dataset.z[-1] - run.dataset.z[0]).max()) < 1e-9
    _, run = simulate([floor(), CUBE.moved(position=(0, 0, 0.6))], QuasiStatic(0.01), 2.0)
    z = run.dataset.z.values[:, 1]
    assert z[1] == pytest.approx(0.6 - 50 * G * 0.01**2, abs=1e-9)  # g step^2 a step, no faster
    assert z[-1] == pytest.approx(0.5, abs=1e-5)


def test_unknown_scheme_is_said():
    with pytest.raises(bq.BanquiseError, match="Moreau"):
        bq.Simulation(bq.Scene(blocks=[CUBE]), scheme=3)
    with pytest.raises(bq.BanquiseError, match="theta"):
        Moreau(0.01, theta=0.0)


def test_faceted_cone_comes_near_the_round_one():
    """A block sliding askew: the polygon's friction differs by less than 1 - cos(pi / facets)."""
    problem = cube_stack(1, 0.5, 0.7, 0.3)
    exact = spatial.solve(problem).forces.sum(axis=0)
    errors = []
    for facets in (8, 32):
        r = faceted.solve_faceted(problem, facets)
        found = np.einsum("ki,kij->kj", r, problem.frames).sum(axis=0)
        errors.append(np.abs(found - exact).max() / np.abs(exact).max())
        assert np.all(np.hypot(r[:, 1], r[:, 2]) <= 0.5 * r[:, 0] + 1e-12)
    assert errors[0] < 0.2 and errors[1] < 0.25 * errors[0] + 1e-9
