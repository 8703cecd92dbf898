"""Sharp and concave floes that a turning wind presses together in a closed box, for hours: nothing gives way."""

import numpy as np
import pytest
from pressed_floes import SIDE, pressed, scattered

import banquise as bq
from banquise.schemes import verification


@pytest.mark.parametrize(
    ("seed", "friction", "restitution", "scheme", "until"),
    [
        (2, 0.0, 0.8, bq.TimeStepping(step=10.0), 11000.0),
        (9, 0.2, 0.8, bq.TimeStepping(step=30.0), 14400.0),
        (11, 1.0, 0.3, bq.TimeStepping(step=120.0), 14400.0),
        (1, 0.7, 0.0, bq.EventDriven(max_step=30.0), 3600.0),
        pytest.param(0, 0.2, 0.3, bq.TimeStepping(step=30.0), 86400.0, marks=pytest.mark.slow),
        pytest.param(100, 0.7, 0.0, bq.EventDriven(max_step=120.0), 14400.0, marks=pytest.mark.slow),
    ],
)
def test_pressed_floes_do_not_give_way(seed, friction, restitution, scheme, until):
    run = pressed(seed, bq.Contact(friction=friction, restitution=restitution), scheme, until)
    there = [floe.polygon for floe in run.scene.floes]
    for i, one in enumerate(there):
        for other in there[:i]:
            assert one.intersection(other).area <= 1e-5 * min(one.area, other.area)


def notched(deep):
    """The corner of a floe beside the bottom of a notch, along whose one side a heavy floe, `deep` inside it, pushes it.

    It is a tenth of a millimetre from the other side, and has no foot there: only the side along which it slides is its contact.
    """
    along, out = np.array([np.cos(1.065), np.sin(1.065)]), np.array([np.sin(1.065), -np.cos(1.065)])
    wide = bq.Floe([(-300, -300), 300 * along * (1, -1), (0, 0), 300 * along, (-300, 300)], thickness=100)
    tip, middle = 1e-4 * along + 3e-5 * out, np.array([40.0, -12.0])
    sliding = bq.Floe(tip + np.array([(0, 0), middle - 15 * along, 2 * middle, middle + 15 * along]))
    face = tip + middle + (15 - deep) * along
    heavy = bq.Floe(
        [face + s * out + r * along for s, r in ((-20, 0), (150, 0), (150, 200), (-20, 200))], thickness=1000
    )
    return bq.Scene([wide, sliding, heavy])


def test_a_push_does_not_drive_a_corner_into_the_other_side_of_a_notch():
    """Overlaps within the tolerance are pushed apart before a step; that made one of three tolerances, which stayed."""
    sim = bq.Simulation(notched(2e-4), bq.Forcing(), bq.Contact(friction=0.2), bq.TimeStepping(30.0))
    size = sim.size[1]
    run = sim.run(until=60.0, every=30.0)
    assert float(run.ledger.projection.max()) > 0.0  # it was pushed, or the scene tests nothing
    assert float(run.ledger.max_overlap.max()) <= 1e-5 * size
    assert float(run.ledger.unsolved.sum()) == 0


def test_last_resort_leaves_no_overlap(monkeypatch):
    """Nothing is tried twice: whatever overlaps stays where it was, and all that moves into it; the books still close."""
    monkeypatch.setattr(verification, "ATTEMPTS", 0)
    floes = scattered(np.random.default_rng(9))
    forcing = bq.Forcing(wind=(15.0, 5.0), current=(0, 0))
    scene = bq.Scene(floes, domain=bq.Box(0, SIDE, 0, SIDE))
    sim = bq.Simulation(scene, forcing, bq.Contact(friction=0.2, restitution=0.3), bq.TimeStepping(30.0))
    left = []
    run = sim.run(until=7200.0, every=1800.0, callbacks=[bq.Every(30.0, lambda sim: left.extend(sim.overlapping))])
    assert float(run.ledger.unsolved.sum()) > 0  # or this tests nothing
    assert left == []
    assert float(abs(run.ledger.balance).max()) < 1e-12 * float(abs(run.ledger.work_wind).max())
