"""What no step can mend is said, and the clock goes on."""

import numpy as np
import pytest

import banquise as bq


@pytest.mark.parametrize("scheme", [bq.TimeStepping(step=5.0), bq.EventDriven(max_step=5.0)], ids=["steps", "events"])
def test_ship_that_drives_a_floe_into_a_wall(scheme):
    floe = bq.Floe([[0, 0], [50, 0], [50, 50], [0, 50]])
    ship = bq.Obstacle([[-60, 10], [-20, 10], [-10, 25], [-20, 40], [-60, 40]], velocity=(1.0, 0.0))
    wall = bq.Obstacle([[60, -100], [100, -100], [100, 200], [60, 200]])
    scene = bq.Scene([floe], obstacles=[ship, wall])
    sim = bq.Simulation(scene, forcing=bq.Forcing(current=(0, 0)), scheme=scheme)
    run = sim.run(until=30.0, every=5.0)
    # from 20 s on there is no room between bow and wall: an overlap that must be said, and that is as deep as the ship went
    assert run.ledger.unsolved[-1] > 0
    assert np.all(run.ledger.unsolved[run.ledger.time < 15] == 0)
    assert float(run.ledger.max_overlap[-1]) == pytest.approx(10.0, abs=5.1)  # the ship has gone 30 m, there were 20
    assert np.hypot(run.dataset.u[-1, 0], run.dataset.v[-1, 0]) < 1e-6  # what stays where it was rests
