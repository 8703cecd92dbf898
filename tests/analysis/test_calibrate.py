"""Restitution and friction come back from noisy trajectories, within the errors the fit claims."""

import math

import numpy as np
import pytest

import banquise as bq

RADIUS, MASS = 0.3, 14.0
TIMES = np.linspace(0.0, 3.0, 13)


def wood_discs(speed=0.5, offset=0.0, spin=0.0):
    density = MASS / (math.pi * RADIUS**2)
    return bq.Scene(
        [
            bq.Disc((0, offset), RADIUS, density=density, velocity=(speed, 0), spin=spin),
            bq.Disc((1, 0), RADIUS, density=density),
        ]
    )


def recorded(scene, contact, rng, noise):
    """Trajectories as a camera would see them: x, y with noise (m), rotations with noise (rad)."""
    data = bq.Simulation(scene, contact=contact).run(until=TIMES[-1], every=TIMES[1]).dataset
    sigma = {"x": noise, "y": noise, "rotation": noise / RADIUS}
    return {"time": data.time.values} | {
        name: data[name].values + s * rng.standard_normal(data[name].shape) for name, s in sigma.items()
    }


@pytest.mark.parametrize("speed", [0.4, pytest.param(0.9, marks=pytest.mark.slow)])
def test_restitution_of_wood_discs(speed):
    """Head on: the speeds after are (1 -+ epsilon) / 2 of the first; 12 positions to 2 mm give epsilon to a few percent."""
    rng = np.random.default_rng(7)
    scene = wood_discs(speed)
    observed = recorded(scene, bq.Contact(friction=0.4, restitution=0.35), rng, 2e-3)
    fit = bq.calibrate(observed, scene, contact=bq.Contact(friction=0.4, restitution=0.7))
    assert abs(fit.values["restitution"] - 0.35) < 3 * fit.errors["restitution"]
    assert 1e-4 < fit.errors["restitution"] < 0.06
    assert fit.noise == pytest.approx(2e-3, rel=0.5)  # few records; rotations are weighted by sqrt(area), 1.8 radii


@pytest.mark.slow
def test_errors_are_honest():
    """The scatter of many fits is the error each of them claims."""
    scene = wood_discs(0.6)
    contact = bq.Contact(friction=0.0, restitution=0.35)
    fits = [
        bq.calibrate(recorded(scene, contact, np.random.default_rng(seed), 2e-3), scene, contact=contact)
        for seed in range(12)
    ]
    off = np.array([(f.values["restitution"] - 0.35) / f.errors["restitution"] for f in fits])
    # twelve draws of a unit normal: chi-square of 12 lies between 2.2 and 32.9 but for one case in a thousand each way
    assert 2.2 < np.sum(off**2) < 32.9


def test_both_parameters_of_an_oblique_impact():
    rng = np.random.default_rng(1)
    scene = wood_discs(0.8, offset=0.3, spin=3.0)
    observed = recorded(scene, bq.Contact(friction=0.15, restitution=0.35), rng, 1e-3)
    start = bq.Contact(friction=0.25, restitution=0.6)
    fit = bq.calibrate(observed, scene, contact=start, parameters=("restitution", "friction"))
    for name, value in (("restitution", 0.35), ("friction", 0.15)):
        assert abs(fit.values[name] - value) < 3 * fit.errors[name]
        assert fit.errors[name] < 0.1


def test_a_parameter_nobody_saw_has_no_error_bar():
    """Friction of a head-on impact without spin: nothing slides, so nothing is learnt."""
    scene = wood_discs(0.8)
    contact = bq.Contact(friction=0.3, restitution=0.35)
    observed = recorded(scene, contact, np.random.default_rng(2), 0.0)
    fit = bq.calibrate(observed, scene, contact=contact, parameters=("restitution", "friction"), fit_start=False)
    assert fit.errors["friction"] == math.inf
    assert fit.values["restitution"] == pytest.approx(0.35, abs=1e-6)


def test_bad_input_is_said():
    scene = wood_discs()
    good = {"time": TIMES, "x": np.zeros((13, 2)), "y": np.zeros((13, 2))}
    with pytest.raises(bq.BanquiseError, match="shape"):
        bq.calibrate(good | {"x": np.zeros((13, 3))}, scene)
    with pytest.raises(bq.BanquiseError, match="no 'x'"):
        bq.calibrate({"time": TIMES}, scene)
    with pytest.raises(bq.BanquiseError, match="parameter"):
        bq.calibrate(good, scene, parameters=("restitutoin",))
    with pytest.raises(bq.BanquiseError, match="table"):
        bq.calibrate(good, scene, contact=bq.Contact(restitution={("ice", "ice"): 0.3}))
