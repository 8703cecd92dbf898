"""The plan view: elements, agreement with the chain, balance, waves."""

import math

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl
from banquise.glacier import _kernels_plan, plan_view

C = 10**6.75


def test_without_poisson_a_strip_is_the_chain():
    load = gl.HalfSine(33e6, 20.0)
    chain = gl.Glacier(2000.0, 100.0).run(load, until=30.0, step=0.05)
    strip = gl.PlanView(2000.0, 300.0, (100.0, 100.0), poisson=0.0).run(load, until=30.0, step=0.05)
    assert strip.peak_seismic_force == pytest.approx(300 * chain.peak_seismic_force, rel=1e-12)
    assert strip.front_displacement == pytest.approx(chain.front_displacement, rel=1e-10)
    assert strip.impulse_residual < 1e-12


def test_uniform_strain_and_turning_leave_the_inside_unloaded():
    plan = gl.PlanView(500.0, 400.0, (100.0, 100.0), poisson=0.3)._parts(None)
    x, y = np.meshgrid(np.arange(6) * 100.0, np.arange(5) * 100.0, indexing="ij")
    force = np.zeros((6, 5, 2))
    for u in (np.stack([0.02 * x + 0.01 * y, 0.03 * y - 0.04 * x], -1), np.stack([-y, x], -1) * 1e-3):
        _kernels_plan.elastic(plan, u, force)
        scale = 0.92e9 * 800 * 100 * 0.02
        assert np.abs(force[1:-1, 1:-1]).max() < 1e-12 * scale
    assert np.abs(force).max() < 1e-12 * scale  # a small rotation strains nothing at all


def test_pull_gives_the_plane_stress_answer():
    # Uniaxial pull of 1 %: force E H b per metre on the end, and a contraction of Poisson's ratio of it.
    element = plan_view._element((1.0, 1.0), 0.3)
    u = np.array([0, 0, 1, 0, 1, -0.3, 0, -0.3]) * 0.01
    force = element @ u
    assert np.allclose(force[[2, 4]], 0.5 * 0.01, rtol=1e-12)
    assert np.allclose(force[[1, 3, 5, 7]], 0.0, atol=1e-15)


def test_confined_waves_go_at_the_plate_speed():
    # Slip sides: c_p^2 = E / (rho (1 - nu^2)); a weak bed at rest.
    p = gl.PlanView(4000.0, 100.0, (25.0, 50.0), slope=0.0, friction=gl.Weertman(1e-6), sides="slip")
    out = p.run(gl.SinSquared(1e6, 0.5), until=3.5, every=0.0125, step=0.0125)
    at = out.dataset.velocity_x.isel(x=120, y=1)
    speed = math.sqrt(0.92e9 / (920 * (1 - 0.09)))
    assert float(at.time[int(np.argmax(at.values))]) == pytest.approx(0.25 + 3000 / speed, rel=0.015)


def test_friction_opposes_the_velocity_vector():
    # One even push across the front's corner: every node's drag lies along its velocity, so S has the balance of F.
    p = gl.PlanView(
        1000.0, 600.0, (100.0, 100.0), thickness=lambda x, y: 500 + 0.2 * x + 0.1 * y, side_friction=gl.Weertman(C / 3)
    )
    out = p.run(gl.HalfSine(33e6, 10.0), until=15.0, profile=lambda y: y < 250)
    assert out.impulse_residual < 1e-12
    assert float(np.abs(out.dataset.velocity_y).max()) > 0
    bed = p.weight.ravel() @ (p.rows[:, 1] * abs(p.equilibrium_speed) ** (1 / 3))
    assert bed == pytest.approx(float((p.weight * p.driving_stress).sum()), rel=1e-12)


def test_margins_slow_the_slide():
    bare = gl.PlanView(1000.0, 500.0, (100.0, 100.0))
    walled = gl.PlanView(1000.0, 500.0, (100.0, 100.0), side_friction=gl.Weertman(C))
    assert bare.equilibrium_speed == pytest.approx(-1.1251396e-5, rel=1e-7)
    # Two walls of 800 m on a bed of 500 m: the drag is (500 + 1600)/500 times that of the bed alone.
    assert walled.equilibrium_speed == pytest.approx(-1.1251396e-5 * (500 / 2100) ** 3, rel=1e-7)


def test_elastic_limit_is_safe_and_near():
    p = gl.PlanView(500.0, 500.0, (100.0, 100.0), friction=gl.Weertman(1e-6), slope=0.0)
    n = 2 * p.weight.size
    plan = p._parts(None)
    matrix = np.empty((n, n))
    force = np.empty((*p.shape, 2))
    for k in range(n):
        u = np.zeros(n)
        u[k] = 1.0
        _kernels_plan.elastic(plan, u.reshape(*p.shape, 2), force)
        matrix[:, k] = -force.ravel() / np.repeat(p.mass.ravel(), 2)
    top = math.sqrt(np.linalg.eigvals(matrix).real.max())
    assert p.elastic_limit <= 2 / top * (1 + 1e-9)
    assert p.elastic_limit > 0.85 * 2 / top  # the bound takes one element by itself, free of its neighbours


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cell": (300.0, 100.0)}, "whole number"),
        ({"thickness": -1.0}, "thickness is -1"),
        ({"slope": 90.0}, "slope is 90"),
        ({"poisson": 0.6}, "poisson"),
        ({"sides": "slipp"}, "slip"),
        ({"friction": gl.Smooth(C, nu=1e-6), "side_friction": gl.Weertman(C)}, "same exponent"),
        ({"friction": gl.RateState(0.01, 0.01, 1e-4)}, "no state variable"),
        ({"thickness": np.ones((2, 2))}, "shape"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, says):
    with pytest.raises(bq.BanquiseError, match=says):
        gl.PlanView(**{"length": 1000.0, "width": 400.0, "cell": (100.0, 100.0), **arguments})


def test_step_beyond_the_limit_gets_a_sentence():
    with pytest.raises(bq.BanquiseError, match="below"):
        gl.PlanView(1000.0, 400.0, (100.0, 100.0)).run(None, until=1.0, step=0.5)
