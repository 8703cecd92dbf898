"""A real pack: 100 floes of Robeson Channel in still air and water, as their drag slows them and they meet."""

import numpy as np
import pytest

import banquise as bq
from banquise.scene.makers.floedyn import read_floedyn

LATITUDE = 80.207


def pack_run(shared_data, until, every, water=True):
    path = shared_data / "floedyn_100_floes_input.h5"
    if not path.exists():
        pytest.skip("floedyn_100_floes_input.h5 is not among the reference data")
    scene = read_floedyn(path)
    forcing = bq.Forcing(wind=(0, 0), current=(0, 0), latitude=LATITUDE) if water else None
    sim = bq.Simulation(scene, forcing, bq.Contact(friction=0.7, restitution=0.4), bq.EventDriven(max_step=10.0))
    ratios = []

    def look(sim):
        """Depth of every pair over the smaller size, at the end of a step (steps are of 10 s)."""
        one, other, depth = sim.detector.overlaps(sim.bodies)
        ratios.append((depth / np.minimum(sim.size[one], sim.size[other])).max(initial=0.0))

    run = sim.run(until=until, every=every, callbacks=[bq.Every(10.0, look)])
    assert len(ratios) > 0.9 * until / 10.0
    return scene, run, max(ratios)


def check(scene, run, deepest):
    assert deepest < 1e-5
    # in metres, of any pair and every step: no more than the largest floe allows
    assert float(run.ledger.max_overlap.max()) < 1e-5 * np.sqrt(max(floe.area for floe in scene.floes))
    assert float(run.ledger.unsolved.sum()) == 0
    assert len(run.events) > 0
    given = float(run.ledger.kinetic_energy[0])
    assert float(abs(run.ledger.balance).max()) < 1e-9 * given


def test_still_water(shared_data):
    scene, run, deepest = pack_run(shared_data, 500.0, 50.0)
    check(scene, run, deepest)
    energy = run.ledger.kinetic_energy.values
    assert (np.diff(energy) < 0).all()  # still air and water only take


def test_impulses_sum_to_zero(shared_data):
    """Without air and water the momentum of the pack is its start's, whatever the floes do to each other."""
    scene, run, _ = pack_run(shared_data, 500.0, 100.0, water=False)
    assert len(run.events) > 0
    mass = np.array([floe.mass for floe in scene.floes])
    data = run.dataset
    size = float((mass * np.hypot(data.u, data.v)).sum("floe")[0])
    for name in ("u", "v"):
        total = (mass * data[name].values).sum(axis=1)
        assert np.abs(total - total[0]).max() < 1e-13 * size * len(mass)


@pytest.mark.slow
def test_ten_thousand_seconds(shared_data):
    scene, run, deepest = pack_run(shared_data, 10_000.0, 100.0)
    check(scene, run, deepest)
