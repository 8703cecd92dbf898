"""Mean stress of a floe from its contact impulses: sigma = -sum(J x lever) / (area h T), tension positive."""

import numpy as np
import pytest

import banquise as bq

SIDE, THICKNESS = 10.0, 0.5


def against_a_wall(loads):
    """A block that touches a wall on its left and is pushed. No friction: two sticking points of one face may pull against
    each other, and rigid bodies do not say how hard."""
    left = bq.Obstacle([[-8, -9], [0, -9], [0, 19], [-8, 19]], name="left")
    block = bq.Floe([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], thickness=THICKNESS)
    return bq.Simulation(
        bq.Scene([block], [left]),
        bq.Forcing(loads=loads),
        bq.Contact(friction=0.0, restitution=0.0),
        bq.EventDriven(max_step=1.0),
    )


def mean_stress(impulses, area, thickness, window):
    """xx, xy, yy (Pa) from sums of impulse times lever (N m s)."""
    return impulses / (area * thickness * window)


@pytest.mark.parametrize("force", [1e3, 5e4])
def test_a_block_pushed_against_a_wall(force):
    """A force F through the centre, held by the wall: the wall's contact gives F L / 2 / (L^2 h), half of F / (L h)
    because the push itself acts at the centre, where its lever is zero."""
    sim = against_a_wall([bq.Load(0, (-force, 0.0))])
    caught = []
    sim.run(until=20.0, every=20.0, callbacks=[bq.Every(10.0, lambda s: caught.append(s.impulses.stress.copy()))])
    xx, xy, yy = mean_stress(caught[0][0], SIDE**2, THICKNESS, 10.0)
    assert xx == pytest.approx(-0.5 * force / (SIDE * THICKNESS), rel=1e-9)
    assert abs(xy) < 1e-9 * abs(xx)
    assert abs(yy) < 1e-9 * abs(xx)


@pytest.mark.slow  # walls that close on a row without room: steps are halved again and again, minutes
@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_a_row_of_blocks_squeezed_between_walls(angle):
    """Three blocks in a row, the last pushed by F against a wall: the middle one carries sigma = -F / (L h) along the
    row, turned with the row."""
    force = 2e4
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    ring = np.array([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]])
    wall = bq.Obstacle(np.array([[-8, -9], [0, -9], [0, 19], [-8, 19]]) @ turn)
    floes = [bq.Floe((ring + np.array([k * SIDE, 0])) @ turn, thickness=THICKNESS) for k in range(3)]
    sim = bq.Simulation(
        bq.Scene(floes, [wall]),
        bq.Forcing(loads=[bq.Load(2, (-force * c, -force * s))]),
        bq.Contact(friction=0.0, restitution=0.0),
        bq.EventDriven(max_step=1.0),
    )
    caught = []
    sim.run(until=20.0, every=20.0, callbacks=[bq.Every(10.0, lambda s: caught.append(s.impulses.stress.copy()))])
    assert [int(k) for k in sim.bodies.ids[:3]] == [0, 1, 2]
    xx, xy, yy = mean_stress(caught[0][1], SIDE**2, THICKNESS, 10.0)
    along = np.array([c, s])
    expected = -force / (SIDE * THICKNESS) * np.outer(along, along)
    found = np.array([[xx, xy], [xy, yy]])
    # at rest within 1e-6 of the size the levers are those of the faces
    assert np.abs(found - expected).max() < 1e-5 * force / (SIDE * THICKNESS)


@pytest.mark.slow
def test_a_block_carried_by_a_moving_wall():
    """Caught by a wall that moves, pushed against it by F: it goes with the wall, which carries F and does its work."""
    walls = [
        bq.Obstacle([[-8, -9], [-0.5, -9], [-0.5, 19], [-8, 19]], velocity=(0.1, 0.0)),
        bq.Obstacle([[10.5, -9], [18, -9], [18, 19], [10.5, 19]], velocity=(0.1, 0.0)),
    ]
    # the right wall runs away at the speed of the left one: the block is caught by the left one and never meets it
    force = 3e4
    block = bq.Floe([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]], thickness=THICKNESS)
    sim = bq.Simulation(
        bq.Scene([block], walls),
        bq.Forcing(loads=[bq.Load(0, (-force, 0.0))]),
        bq.Contact(friction=0.3, restitution=0.0),
        bq.EventDriven(max_step=0.5),
    )
    run = sim.run(until=60.0, every=20.0)
    assert run.loads.force_x.values[-1] == pytest.approx([-force, 0.0], rel=1e-6)
    assert float(run.dataset.u[-1, 0]) == pytest.approx(0.1, abs=1e-9)
    ledger = run.ledger
    exchanged = float(abs(ledger.work_obstacles[-1]))
    assert float(abs(ledger.balance).max()) < 1e-9 * exchanged
