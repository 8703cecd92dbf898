"""Quick blocks do not pass into each other within a step: what they would run into is part of the step."""

import numpy as np
import pytest

import banquise as bq
from banquise.blocks import step as stepping
from banquise.scenes.blocks import floor
from banquise.scenes.structures import ballast

G = 9.81
ROD = bq.Polyhedron.box((1.0, 0.1, 0.1), density=917.0)


def rods(count=6, seed=0):
    """Rods that tumble down on fixed bars: within a step they move by half of their width, and turn."""
    rng = np.random.default_rng(seed)
    blocks = []
    for k in range(count):
        blocks.append(ROD.moved(position=(1.5 * k, 0, 0), orientation=(1, 0, 0, 1), fixed=True))
        turned, spin = rng.normal(size=4), rng.normal(0, 10, 3)
        blocks.append(ROD.moved(position=(1.5 * k, 0, 0.7), orientation=turned, velocity=(0, 0, -5), spin=spin))
    return bq.Scene(blocks=blocks)


def deepest():
    sim = bq.Simulation(rods(), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.5, 0.0), bq.TimeStepping(1e-2))
    run = sim.run(until=0.25, every=0.05)
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * float(run.ledger.work_gravity[-1])
    return float(run.ledger.max_overlap.max())


def test_tumbling_rods_do_not_pass_into_bars(monkeypatch):
    looking = deepest()
    monkeypatch.setattr(stepping, "ROUNDS", 0)
    blind = deepest()
    assert blind > 1e-3  # an end that turns at 15 rad/s is off its tangent by 5 mm after a step of 10 ms
    assert looking < 0.1 * blind


def test_points_found_ahead_keep_momentum_and_angular_momentum(monkeypatch):
    """Two rods in free space that strike while they turn: what the points pass on is equal and opposite, at one place."""
    found = []
    look = stepping.overlooked
    monkeypatch.setattr(stepping, "overlooked", lambda *a: found.append(look(*a)) or found[-1])
    rng = np.random.default_rng(4)
    first, turned, second = rng.normal(0, 10, 3), rng.normal(size=4), rng.normal(0, 10, 3)
    other = ROD.moved(position=(0.1, 0, 0.6), orientation=turned, velocity=(0, 0, -5), spin=second)
    scene = bq.Scene(blocks=[ROD.moved(spin=first), other])
    sim = bq.Simulation(scene, contact=bq.Contact(0.3, 0.2), scheme=bq.TimeStepping(1e-2))

    def total():
        c = sim.columns
        spin = np.einsum("nij,nj->ni", c.world_inertia(c.rotation), c.velocity[:, 3:])
        push = c.mass[:, None] * c.velocity[:, :3]
        return np.r_[push.sum(axis=0), (spin + np.cross(c.centre, push)).sum(axis=0)]

    before, energy = total(), sim.columns.kinetic_energy()
    sim.run(until=0.3, every=0.1)
    assert any(more is not None for more in found)
    np.testing.assert_allclose(total(), before, atol=1e-12 * np.abs(before).max())
    assert sim.columns.kinetic_energy() < energy


def test_blocks_at_rest_are_not_looked_at_twice(monkeypatch):
    cube = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.5))
    sim = bq.Simulation(bq.Scene(blocks=[floor(), cube]), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.5, 0.0))
    stepping.advance(sim, 1e-3)
    monkeypatch.setattr(sim.finder, "candidates", lambda *a: pytest.fail("pairs looked for"))
    assert stepping.overlooked(sim, sim.touching, sim.columns.velocity, 1e-3) is None


@pytest.mark.slow
def test_ballast_under_a_repeated_load_hardly_overlaps():
    """Stones of 0.1 m that fall at 3 m/s and are then pressed by 20 kN again and again, at 4 ms."""
    scene, force = ballast(100, start=0.75)
    sim = bq.Simulation(
        scene, bq.Forcing(gravity=(0, 0, -G), forces=[force]), bq.Contact(0.6, 0.0, tolerance=1e-3), bq.TimeStepping(4e-3),
        sweeps=50,
    )  # fmt: skip
    run = sim.run(until=1.25, every=0.1)
    assert float(run.ledger.max_overlap.max()) < 1e-3  # of 200 stones 4 mm without looking ahead, 0.4 mm with
