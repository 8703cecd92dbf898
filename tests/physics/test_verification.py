"""What no shorter step mends stays where it was: floes never go into each other, whatever a solver does."""

import numpy as np
import pytest

import banquise as bq
from banquise.schemes.rounds import Engine


def square(x, y=0.0, **motion):
    return bq.Floe(np.array([[0, 0], [10, 0], [10, 10], [0, 10.0]]) + (x, y), thickness=1.0, **motion)


@pytest.fixture
def contact_fails(monkeypatch):
    """Groups go straight on, as if nobody were there."""

    def straight(engine, groups):
        b, rows = engine.bodies, groups.members
        b.x[rows] += engine.rule.step * b.u[rows]
        b.y[rows] += engine.rule.step * b.v[rows]

    monkeypatch.setattr(Engine, "run_groups", straight)


def test_floes_that_would_overlap_stay_where_they_were(contact_fails):
    """One runs into another, a third into those two from behind once they stand; a fourth is far away."""
    floes = [square(0, velocity=(1, 0)), square(12), square(26, velocity=(-0.5, 0)), square(0, 100, velocity=(0.2, 0))]
    sim = bq.Simulation(bq.Scene(floes), scheme=bq.TimeStepping(step=10.0))
    start = sim.bodies.x.copy()
    run = sim.run(until=10.0, every=10.0)
    b = sim.bodies
    assert b.x[:3].tolist() == start[:3].tolist()
    assert b.u[:3].tolist() == [0.0, 0.0, 0.0]
    assert b.x[3] == pytest.approx(start[3] + 2.0, rel=1e-14)
    assert sim.overlapping == []
    assert run.ledger.unsolved.sum() == 1  # said
    mass = floes[0].mass
    assert float(run.ledger.dissipated_contact[-1]) == pytest.approx(0.5 * mass * (1.0 + 0.25), rel=1e-12)
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * mass


def test_an_overlap_that_is_there_gets_no_deeper(contact_fails):
    """Two floes that overlap from the start, by more than the tolerance, and press on."""
    depth = 5e-4
    floes = [square(0, velocity=(1e-4, 0)), square(10.0 - depth)]
    sim = bq.Simulation(bq.Scene(floes), scheme=bq.TimeStepping(step=10.0))
    sim.run(until=100.0, every=50.0)
    left = sim.detector.overlaps(sim.bodies)[2]
    assert (left <= depth * (1 + 1e-9)).all()
