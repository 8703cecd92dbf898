"""Sharp and concave floes that a turning wind presses together in a closed box, for hours: nothing gives way."""

import pytest
from pressed_floes import pressed

import banquise as bq


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
