"""Friction laws: their formulas, derivatives and implicit solves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banquise as bq
from banquise import glacier as gl

C = 10**6.75
N = 1.3e6
# Each law with its formula written apart from the kernels, for v > 0.
FORMULAS = [
    (gl.Weertman(C), lambda v: C * v ** (1 / 3)),
    (gl.Weertman(2e5, exponent=1.7), lambda v: 2e5 * v ** (1 / 1.7)),
    (gl.Regularised(C, nu=1e-6), lambda v: np.where(v < 1e-6, C * 1e-6 ** (-2 / 3) * v, C * v ** (1 / 3))),
    (gl.Smooth(C, nu=1e-6), lambda v: C * v * (v * v + 1e-12) ** (-1 / 3)),
    (gl.Smooth(C, nu=1e-6, exponent=4.0), lambda v: C * v * (v * v + 1e-12) ** (1 / 8 - 1 / 2)),
    (gl.Budd(30.0, pressure=N, q=2.0, p=3.0), lambda v: 900.0 * N ** (2 / 3) * v ** (1 / 3)),
    (gl.PseudoPlastic(2e5, 3e-6, q=0.25), lambda v: 2e5 * (v / 3e-6) ** 0.25),
    (
        gl.Schoof(2500.0, 0.4, pressure=N, m=0.3),
        lambda v: 2500.0**2 * v**0.3 / (1 + (2500.0**2 / (0.4 * N)) ** (1 / 0.3) * v) ** 0.3,
    ),
    (gl.RegularisedCoulomb(2500.0, 1e-5), lambda v: 2500.0**2 * v ** (1 / 3) / (v / 1e-5 + 1) ** (1 / 3)),
    (gl.Tsai(C, pressure=N, friction=0.3), lambda v: np.minimum(0.3 * N, C * v ** (1 / 3))),
    (
        gl.Gagliardini(0.4, 1e-21, pressure=N, q=2.0, n=3.0),
        lambda v: 0.4 * N * ((x := v / (0.4**3 * N**3 * 1e-21)) / (1 + 0.25 * x**2)) ** (1 / 3),
    ),
    (
        gl.RateState(0.012, 0.01, 1e-4, pressure=N),  # at steady sliding, theta = Dc/v
        lambda v: N * 0.012 * np.arcsinh(v / 2e-6 * np.exp((0.6 + 0.01 * np.log(1e-6 / v)) / 0.012)),
    ),
]
NAMES = [f"{type(law).__name__}-{k}" for k, (law, _) in enumerate(FORMULAS)]
MONOTONE = [law for law, _ in FORMULAS if not isinstance(law, gl.Gagliardini | gl.RateState)]


@pytest.mark.parametrize(("law", "formula"), FORMULAS, ids=NAMES)
def test_stress_is_the_formula_and_odd(law, formula):
    v = np.logspace(-10, -2, 60)
    # 1e-12: a handful of roundings in powers of numbers of very different size.
    assert np.allclose(law.stress(v), formula(v), rtol=1e-12)
    assert np.array_equal(law.stress(-v), -law.stress(v))


@pytest.mark.parametrize(("law", "formula"), FORMULAS[:-1], ids=NAMES[:-1])
def test_slope_is_the_derivative(law, formula):
    v = np.logspace(-8, -3, 41) * 1.0137  # off the corners of the laws that have one
    h = 1e-6 * v
    # Central difference: error h^2 tau'''/6 ~ 1e-12, rounding 1e-16/1e-6.
    assert np.allclose(law.slope(v), (formula(v + h) - formula(v - h)) / (2 * h), rtol=1e-7, atol=1e-3)


def test_power_law_is_vertical_at_rest():
    assert gl.Weertman(C).slope(0.0) == math.inf


@settings(max_examples=200, deadline=None)
@given(
    law=st.sampled_from(MONOTONE),
    gain=st.floats(-14, -3).map(lambda e: 10.0**e),
    size=st.floats(-14, 2).map(lambda e: 10.0**e),
    sign=st.sampled_from([-1.0, 1.0]),
)
def test_implicit_solve_leaves_nothing(law, gain, size, sign):
    target = sign * size
    v = float(law.solve(gain, target))
    residual = v + gain * float(law.stress(v)) - target
    # Through z = v^(1/m) the speed carries m roundings, and its stress as many: a few 1e-15 of the target.
    assert abs(residual) <= 2e-14 * size
    assert v * sign >= 0


def test_zero_target_is_rest():
    for law in MONOTONE:
        assert law.solve(1e-8, 0.0) == 0.0


def test_cubic_solve_is_the_closed_form():
    # y^3 + p y = R has y = 2q sinh(asinh(R/2q^3)/3), q = sqrt(p/3)
    gain, target = 2.7e-8, np.array([1e-9, 1e-5, 0.3, -2.0])
    q = np.sqrt(C * gain / 3)
    y = 2 * q * np.sinh(np.arcsinh(target / (2 * q**3)) / 3)
    assert np.allclose(gl.Weertman(C).solve(gain, target), y**3, rtol=1e-12)


def test_regularised_slope_jumps_threefold_at_nu():
    law = gl.Regularised(C, nu=1e-6)
    below, above = law.slope(1e-6 * (1 - 1e-9)), law.slope(1e-6 * (1 + 1e-9))
    assert below / above == pytest.approx(3.0, rel=1e-6)
    assert below == pytest.approx(C * 1e-6 ** (-2 / 3), rel=1e-12)
    assert gl.Smooth(C, nu=1e-6).slope(0.0) == pytest.approx(below, rel=1e-12)  # same steepest slope


def test_nu_of_a_step_is_the_least_stable_speed():
    # (dt C / 6 rho H)^(3/2) = 4.06e-6 m/s at 2e-4 s, the printed value
    law = gl.Regularised.for_step(C, 2e-4, 920.0, 800.0)
    assert law.nu == pytest.approx(4.06e-6, rel=2e-3)
    assert law.nu == pytest.approx((2e-4 * C / (6 * 920 * 800)) ** 1.5, rel=1e-12)


def test_eta_is_a_fraction_of_the_equilibrium_speed():
    g = gl.Glacier(1000.0, 100.0, friction=gl.Smooth(C, eta=0.1))
    assert g.friction.nu == pytest.approx(0.1 * 1.1251396e-5, rel=1e-7)


def test_pressure_comes_from_the_glacier():
    g = gl.Glacier(1000.0, 100.0, friction=gl.Tsai(C, friction=0.5), water_pressure=5e6)
    assert np.allclose(g.friction.pressure, 920 * 9.81 * 800 - 5e6)
    with pytest.raises(bq.BanquiseError, match="overburden"):
        gl.Glacier(1000.0, 100.0, friction=gl.Tsai(C), water_pressure=8e6)


def test_state_ages_exactly():
    from banquise.glacier._kernels_friction import aged

    row = np.array([N, 0.012, 0.01, 0.6, 1e-6, 1e-4])
    theta = 5.0
    for _ in range(20000):  # theta' = 1 - v theta/Dc by small explicit steps
        theta += 1e-4 * (1 - 3e-5 * theta / 1e-4)
    assert aged(row, 5.0, -3e-5, 2.0) == pytest.approx(theta, rel=1e-4)  # first order at 1e-4 s
    assert aged(row, 5.0, 0.0, 2.0) == 7.0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: gl.Weertman(-1.0), "coefficient is -1"),
        (lambda: gl.Weertman(math.nan), "finite"),
        (lambda: gl.Smooth(C), "nu"),
        (lambda: gl.Smooth(C, nu=1e-6, eta=0.1), "one of them"),
        (lambda: gl.Gagliardini(0.4, 1e-21, pressure=N, q=0.5), "q is 0.5"),
        (lambda: gl.Glacier(1000.0, 100.0, friction=gl.Weertman([C, C])), "2 values for 11 nodes"),
        (lambda: gl.Glacier(1000.0, 100.0, friction=gl.Tsai(C, pressure=1e5)), "no equilibrium"),
        (lambda: gl.Smooth(C, eta=0.1).stress(1.0), "Glacier first"),
    ],
)
def test_mistakes_get_a_sentence(make, says):
    with pytest.raises(bq.BanquiseError, match=says):
        make()


def test_a_law_that_varies_along_the_chain_by_a_function():
    """Half of the bed at C, half at 2 C: a power law carries the weight at the speed that the mean coefficient has."""
    lengths = np.array([0.5, 1, 1, 1, 0.5])
    g = gl.Glacier(2000.0, 500.0, friction=gl.Weertman(lambda x: 5e6 * (1 + x / 2000.0)))
    mean = float(lengths @ (5e6 * (1 + np.arange(5) / 4)) / lengths.sum())
    assert g.equilibrium_speed == pytest.approx(-((g.driving_stress[0] / mean) ** 3), rel=1e-12)
    rows = gl.Glacier(2000.0, 500.0, friction=gl.Weertman(5e6 * (1 + g.x / 2000.0)))
    np.testing.assert_array_equal(rows.friction.stress(rows.equilibrium_speed), g.friction.stress(g.equilibrium_speed))


def test_the_peak_of_gagliardini_may_vary():
    """q = 1 has no peak: C N (chi / (1 + chi))^(1/n)."""
    chi = 1e-6 / (0.5**3 * 1e6**3 * 1e-20)
    law = gl.Gagliardini(0.5, 1e-20, pressure=1e6, q=[1.0, 2.0])
    expected = [0.5e6 * (chi / (1 + chi)) ** (1 / 3), 0.5e6 * (chi / (1 + 0.25 * chi**2)) ** (1 / 3)]
    assert law.stress([1e-6, 1e-6]) == pytest.approx(expected, rel=1e-12)
