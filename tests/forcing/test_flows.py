"""Wind and current: what may be written, what they say at a time and place, whether they cover the run."""

import numpy as np
import pytest
from reference_motion import last_state

import banquise as bq
from banquise.forcing.flows import as_flow

SCENE = bq.Scene([bq.Disc((0, 0), 5.0)])


def test_series_is_linear_between_instants():
    series = bq.Series([0, 10, 30], [0, 1, 1], [0, 0, 4])
    assert series.at(5.0) == (0.5, 0.0)
    assert series.at(20.0) == (1.0, 2.0)


def test_after_end():
    times, u, v = [0, 10], [0.0, 1.0], [2.0, 2.0]
    assert bq.Series(times, u, v, after_end="hold").at(99.0) == (1.0, 2.0)
    assert bq.Series(times, u, v, after_end="repeat").at(23.0) == pytest.approx((0.3, 2.0))
    with pytest.raises(bq.BanquiseError, match=r"wind ends at 10 s, the run needs 60 s.*after_end"):
        bq.Simulation(SCENE, bq.Forcing(wind=bq.Series(times, u, v))).run(until=60.0)
    with pytest.raises(bq.BanquiseError, match="current starts at 5 s"):
        bq.Simulation(SCENE, bq.Forcing(current=bq.Series([5, 90], u, v))).run(until=60.0)


def test_the_same_flow_said_three_ways():
    """Uniform, as a series, as a field: the same drift; the field goes by the points, so to round-off only."""
    ends = []
    for current in ((0.3, -0.1), bq.Series([0, 1e4], [0.3, 0.3], [-0.1, -0.1]), lambda x, y, t: (0.3 + 0 * x, -0.1)):
        ends.append(last_state(bq.Simulation(SCENE, bq.Forcing(current=current)).run(until=600.0)))
    assert ends[0].tolist() == ends[1].tolist()
    assert ends[2] == pytest.approx(ends[0], rel=1e-11, abs=1e-13)


def test_none_is_not_still_water():
    """None: no water, nothing slows the floe. (0, 0): still water, its drag acts."""
    scene = bq.Scene([bq.Disc((0, 0), 5.0, velocity=(1.0, 0.0))])
    free = last_state(bq.Simulation(scene, bq.Forcing()).run(until=600.0))
    slowed = last_state(bq.Simulation(scene, bq.Forcing(current=(0, 0))).run(until=600.0))
    assert free[3] == 1.0
    # du/dt = -k u^2: u = 1 / (1 + k t), k = rho_w C_w / (rho h)
    assert slowed[3] == pytest.approx(1 / (1 + 1024.071 * 5e-3 / 917 * 600), rel=2e-4)


def test_fields_that_are_wrong():
    for field, words in (
        (lambda x, y, t: (np.nan * x, y), "not finite at"),
        (lambda x, y, t: np.zeros(3), r"Expected \(u, v\) in m/s, two numbers or arrays"),
        (lambda x, y, t: None, r"Expected \(u, v\) in m/s, two numbers or arrays"),
    ):
        with pytest.raises(bq.BanquiseError, match=words):
            bq.Simulation(SCENE, bq.Forcing(wind=field)).run(until=60.0)


@pytest.mark.parametrize("value", ["north", (1,), (1, 2, 3), (1, float("nan")), 7, {"u": 1}])
def test_what_is_no_flow(value):
    with pytest.raises(bq.BanquiseError, match="wind"):
        as_flow(value, "wind")


@pytest.mark.parametrize(
    "options,words",
    [
        (dict(latitude=81, coriolis=1e-4), "not both"),
        (dict(latitude=120), "between -90 and 90"),
        (dict(latitude="north"), "latitude: got 'north'"),
        (dict(turning_angle=95), "turning_angle"),
        (dict(gravity=(1, 2, 3, 4)), "gravity"),
        (dict(air_density=-1), "air_density"),
        (dict(relative_wind="no"), "relative_wind"),
        (dict(loads=[3]), r"loads\[0\]"),
        (dict(forces=[3]), r"forces\[0\]"),
    ],
)
def test_settings_that_are_wrong(options, words):
    with pytest.raises(bq.BanquiseError, match=words):
        bq.Forcing(**options)


def test_coriolis_from_latitude():
    assert bq.Forcing(latitude=90).coriolis == pytest.approx(2 * 7.292e-5)
    assert bq.Forcing(latitude=-30).coriolis == pytest.approx(-7.292e-5)
    assert bq.Forcing(coriolis=1.44e-4).coriolis == 1.44e-4
    assert bq.Forcing().coriolis == 0.0
