"""Loads start and stop exactly when they say, act where they say, and their work is in the ledger."""

import math

import numpy as np
import pytest
from reference_motion import last_state

import banquise as bq

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def pushed(loads, until=10.0, every=None, step=5.0, **options):
    floe = bq.Floe(SQUARE, **options)
    sim = bq.Simulation(bq.Scene([floe]), bq.Forcing(loads=loads), scheme=bq.EventDriven(max_step=step))
    return floe, sim.run(until=until, every=every or until)


@pytest.mark.parametrize("start,stop", [(1.3, 4.7), (0.1 + 0.2, 0.9), (1 / 3, math.pi), (0.0, 9.999999)])
@pytest.mark.parametrize("every", [10.0, 0.3])
def test_impulse_is_exact(start, stop, every):
    """u = F (stop - start) / m though steps are 5 s and records fall elsewhere; x by the same two constant pushes."""
    floe, run = pushed([bq.Load(0, force=(1e4, 0), start=start, stop=stop)], every=every)
    u = 1e4 * (stop - start) / floe.mass
    assert last_state(run)[3] == pytest.approx(u, rel=1e-13)
    assert last_state(run)[0] - 5.0 == pytest.approx(u * (stop - start) / 2 + u * (10.0 - stop), rel=1e-12)
    assert float(run.ledger.work_loads[-1]) == pytest.approx(0.5 * floe.mass * u**2, rel=1e-12)


def test_units_and_many_loads():
    floe, run = pushed(
        [bq.Load(0, force=(1e4, 0), start="1 s", stop="2 s"), bq.Load(0, torque=5e3, stop="1 min")], 60.0
    )
    assert last_state(run)[3] == pytest.approx(1e4 / floe.mass, rel=1e-13)
    assert last_state(run)[5] == pytest.approx(5e3 * 60 / floe.inertia, rel=1e-12)


def test_point_of_action_turns_with_the_floe():
    """A force at a corner of a floe that already spins: the torque goes with the corner. Small steps, same ODE."""
    from scipy.integrate import solve_ivp

    floe, run = pushed([bq.Load(0, force=(2e3, 500.0), point=(5.0, 5.0))], 40.0, step=0.05, spin=0.05)

    def rate(t, s):
        c, sn = math.cos(s[2]), math.sin(s[2])
        px, py = 5 * c - 5 * sn, 5 * sn + 5 * c
        return [s[3], s[4], s[5], 2e3 / floe.mass, 500.0 / floe.mass, (px * 500.0 - py * 2e3) / floe.inertia]

    expected = solve_ivp(rate, (0, 40), [5, 5, 0, 0, 0, 0.05], rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    assert last_state(run) == pytest.approx(expected, rel=1e-4)  # second order at 0.05 s


def test_own_forces_go_to_the_right_floe_and_into_the_ledger():
    floes = [bq.Disc((0, 0), 5.0), bq.Disc((100, 0), 5.0)]

    def push(state):
        return np.array([[0.0, 0, 0], [1e3, 0, 0]])

    run = bq.Simulation(bq.Scene(floes), bq.Forcing(forces=[push])).run(until=20.0)
    assert last_state(run, 0)[3] == 0.0
    assert last_state(run, 1)[3] == pytest.approx(1e3 * 20 / floes[1].mass, rel=1e-13)
    assert float(run.ledger.work_loads[-1]) == pytest.approx(float(run.ledger.kinetic_energy[-1]), rel=1e-12)


def test_own_force_that_is_wrong():
    scene = bq.Scene([bq.Disc((0, 0), 5.0)])
    for force, words in (
        (lambda s: np.zeros((2, 3)), r"forces\[0\] returned shape \(2, 3\)"),
        (lambda s: [[math.nan, 0, 0]], "not finite on floe 0"),
        (lambda s: "north", r"forces\[0\] at t = 0.1 s gave no array"),
    ):
        with pytest.raises(bq.BanquiseError, match=words):
            bq.Simulation(scene, bq.Forcing(forces=[force])).run(until=20.0)


def test_a_function_as_a_load_is_sent_to_where_functions_go():
    with pytest.raises(bq.BanquiseError, match=r"force is a function.*bq\.Forcing\(forces="):
        bq.Load(0, force=lambda t: (1.0, 0.0))


def test_forcing_and_series_introduce_themselves():
    series = bq.Series([0, 60, 3600], u=[0, 3, 0], v=[0, 4, 0], after_end="hold")
    assert repr(series) == "Series of 3 times, 0 to 3600 s, then hold, up to 5 m/s"
    assert repr(bq.Forcing(wind=series, loads=[bq.Load(0)], forces=[print])) == "Forcing: wind, 1 load, 1 force"
