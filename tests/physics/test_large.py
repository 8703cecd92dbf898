"""Large scenes: time stepping against the event-driven scheme, a step with an error of its own, one thread and two."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise import threads
from banquise.bench.impact import data_folder
from banquise.bench.large import idle_stages, timed_steps
from banquise.scene.makers import tools
from banquise.scenes.packs import pack_tile
from banquise.schemes.workspace import MOVING

DATA = data_folder()


@pytest.mark.skipif(DATA is None or not (DATA / "pack_1000_moving.h5").exists(), reason="needs the reference data")
def test_time_stepping_keeps_the_energy_of_the_event_driven_run():
    scene = bq.read_scene(DATA / "pack_1000_moving.h5")
    forcing = bq.Forcing(wind=(0, 0), current=(0, 0), latitude=80.207)
    contact = bq.Contact(friction=0.7, restitution=0.4)
    schemes = (bq.EventDriven(max_step=10.0), bq.TimeStepping(1.0))
    ledgers = []
    for scheme in schemes:
        sim = bq.Simulation(scene, forcing, contact, scheme)
        ledgers.append(sim.run(60.0, every=30.0).ledger)
        assert float(ledgers[-1].unsolved.sum()) == 0  # counts overlap beyond the tolerance too
    exact, stepped = ledgers
    # the paths of single floes part ways after a few impacts; the energy of a thousand does not
    assert float(stepped.kinetic_energy[-1]) == pytest.approx(float(exact.kinetic_energy[-1]), rel=0.02)


def bumping(scheme):
    """Four spinning floes blown about in a box; where they are after 120 s (m), and the steps taken."""
    floes = [
        bq.Floe(
            np.array([[-5, -4], [6, -5], [5, 5], [-4, 6.0]]) + (14.0 * (k % 2) + 8, 14.0 * (k // 2) + 8),
            thickness=0.3,
            velocity=(0.25 - 0.1 * k, 0.1),
            spin=0.02 * (k - 1),
        )
        for k in range(4)
    ]
    scene = bq.Scene(floes, domain=bq.Box(0.0, 40.0, 0.0, 40.0))
    forcing = bq.Forcing(wind=(12.0, 5.0), current=(0.0, 0.0))
    run = bq.Simulation(scene, forcing, bq.Contact(restitution=0.2), scheme).run(120.0, every=120.0)
    return np.stack([run.dataset.x.values[-1], run.dataset.y.values[-1]]), float(run.ledger.steps.sum())


def test_step_with_an_error_of_its_own():
    """Places against those of short steps: within the error allowed in each step, far nearer than long steps of one size."""
    wanted, _ = bumping(bq.TimeStepping(0.05))

    def away(scheme):
        places, steps = bumping(scheme)
        return float(np.abs(places - wanted).max()) / 10.0, steps

    long, _ = away(bq.TimeStepping(20.0))
    coarse, few = away(bq.TimeStepping(20.0, error=1e-2))
    fine, many = away(bq.TimeStepping(20.0, error=1e-6))
    assert long > 0.05
    assert many > 4 * few > 40
    assert fine < coarse < 0.01 * long
    # each step may be wrong by its error: those of all steps at worst add up; the short steps are themselves 5e-5 away
    assert coarse < 1e-2 * few and fine < 1e-6 * many + 5e-5


def test_two_threads_share_the_groups_and_give_the_same_bits():
    tile, side = pack_tile(n=300, concentration=0.65)
    scene = tools.tile(tile, 4, 4, (side, side))
    before = threads.threads()
    ends = []
    try:
        for count in (1, 2):
            threads.set_threads(count)
            sim = bq.Simulation(scene, bq.Forcing(wind=(10, 0), current=(0, 0)), scheme=bq.TimeStepping(5.0))
            timing = timed_steps(sim, 6, 5.0, before=0)
            ends.append([getattr(sim.bodies, name).copy() for name in MOVING])
    finally:
        threads.set_threads(before)
    assert timing.window["collisions"] > 100
    assert len(timing.stages["schemes.rounds.Engine.run_groups"]) == 2
    assert idle_stages(timing) == []
    for one, two in zip(*ends):
        assert np.array_equal(one, two)
