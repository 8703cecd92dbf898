"""Order of the default integrator, fitted, against an independent solution."""

import math

import numpy as np
import pytest
from reference_motion import body_points, last_state, slope, solve

import banquise as bq

FLOE = dict(thickness=0.5, velocity=(0.5, -0.3), spin=0.01)
RING = [[0, 0], [40, 0], [40, 30], [10, 30], [10, 10], [0, 10]]
STEPS = [80.0, 40.0, 20.0, 10.0]
UNTIL = 960.0


def swirl(x, y, t):
    """A current that varies over the floe, in space and in time."""
    return 0.3 + 0.2 * np.sin(y / 60 + t / 400), 0.2 * np.cos(x / 50 - t / 300)


def gust(x, y, t):
    return 8 + 2 * np.cos(x / 90 + t / 500), 3 * np.sin(t / 350) + 0 * x


def still(x, y, t):
    return 0 * x, 0 * x


def steady_wind(x, y, t):
    return 10.0 + 0 * x, 0 * x


CASES = {
    "wind": (dict(wind=(10, 0), current=(0, 0)), dict(wind=steady_wind, current=still)),
    "coriolis": (dict(wind=(10, 0), current=(0, 0), coriolis=1.4e-4), dict(wind=steady_wind, current=still, f=1.4e-4)),
    "fields": (dict(wind=gust, current=swirl, coriolis=1.4e-4), dict(wind=gust, current=swirl, f=1.4e-4)),
    "relative": (
        dict(wind=gust, current=swirl, relative_wind=True),
        dict(wind=gust, current=swirl, relative_wind=True),
    ),
    "turning": (
        dict(wind=gust, current=swirl, turning_angle=25.0, coriolis=-1e-4),
        dict(wind=gust, current=swirl, turn=math.radians(25.0), f=-1e-4),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_second_order(name):
    options, reference = CASES[name]
    floe = bq.Floe(RING, **FLOE)
    expected = solve(floe, UNTIL, body_points(floe, bq.Forcing(**options).varies), **reference)
    errors = []
    for step in STEPS:
        sim = bq.Simulation(bq.Scene([floe]), bq.Forcing(**options), scheme=bq.EventDriven(max_step=step))
        difference = last_state(sim.run(until=UNTIL, every=UNTIL)) - expected
        errors.append([np.hypot(*difference[:2]), abs(difference[2]), np.hypot(*difference[3:5]), abs(difference[5])])
    for k, what in enumerate(("place", "angle", "velocity", "spin")):
        fitted = slope(STEPS, np.array(errors)[:, k])
        assert fitted > 1.8, (what, fitted, errors)  # second order; the coarsest step is a fifth of the drag's time


def test_own_force_second_order():
    """A spring to the start as a user's own force: explicit in the place, so taken where the floe will be mid-step."""
    floe = bq.Floe(RING, velocity=(0.5, 0.0))
    stiffness = floe.mass * (2 * math.pi / 300) ** 2
    x0, y0 = floe.centre

    def spring(state):
        return np.stack([-stiffness * (state.x - x0), -stiffness * (state.y - y0), 0 * state.x], axis=1)

    def push(t, s):
        return -stiffness * (s[0] - x0), -stiffness * (s[1] - y0), 0.0

    expected = solve(floe, 240.0, body_points(floe, varying=False), current=still, push=push)
    steps, errors = [8.0, 4.0, 2.0, 1.0], []
    for step in steps:
        sim = bq.Simulation(
            bq.Scene([floe]), bq.Forcing(current=(0, 0), forces=[spring]), scheme=bq.EventDriven(max_step=step)
        )
        errors.append(np.abs(last_state(sim.run(until=240.0, every=240.0)) - expected)[:5].max())
    assert slope(steps, errors) > 1.8, errors


def test_euler_is_first_order():
    floe = bq.Floe(RING, **FLOE)
    expected = solve(floe, UNTIL, body_points(floe, varying=False), wind=steady_wind, current=still)
    errors = []
    for step in STEPS:
        sim = bq.Simulation(
            bq.Scene([floe]),
            bq.Forcing(wind=(10, 0), current=(0, 0)),
            scheme=bq.EventDriven(max_step=step),
            integrator="euler",
        )
        errors.append(np.abs(last_state(sim.run(until=UNTIL, every=UNTIL)) - expected)[3:5].max())
    assert 0.8 < slope(STEPS, errors) < 1.4, errors
