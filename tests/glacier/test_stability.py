"""Stability: exact limits against eigenvalues, and the flawed formulas for the record."""

import math

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl

C = 10**6.75


@pytest.fixture(scope="module")
def chain():
    return gl.Glacier(5000.0, 100.0, friction=gl.Weertman(C))


def test_a_plus_half_b_below_one_is_exact():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0, 2, 20000), rng.uniform(0, 5, 20000)
    companion = np.zeros((a.size, 3, 3))
    companion[:, 0, 1] = companion[:, 1, 2] = 1.0
    companion[:, 2] = np.stack([a, -np.ones_like(a), 2 - a - b], axis=1)
    stable = np.abs(np.linalg.eigvals(companion)).max(axis=1) < 1
    assert np.array_equal(stable, a + b / 2 < 1)


def test_closed_form_of_the_combined_limit(chain):
    st = chain.stability()
    rate, top = 2 / st.friction_limit, 20.0  # c/m and omega_max = 2c/dl
    expected = (-rate / 2 + math.sqrt((rate / 2) ** 2 + 2 * top**2)) / top**2
    assert st.verlet_limit == pytest.approx(expected, rel=1e-10)
    assert st.frequencies[-1] == pytest.approx(top, rel=1e-12)
    assert st.elastic_limit == pytest.approx(0.1, rel=1e-12)


def test_however_weak_lagged_friction_costs_sqrt_two(chain):
    # C/1e4 at the same speed: 0.070079 s, not 0.1 s
    weak = chain.stability(speed=chain.equilibrium_speed * 1e6)
    assert weak.verlet_limit == pytest.approx(0.070079, rel=1e-4)
    assert weak.verlet_limit < math.sqrt(2) / 20


def test_the_radius_crosses_one_at_the_limit(chain):
    st = chain.stability()
    for factor, beyond in ((0.999, False), (1.001, True)):
        assert (st.spectral_radius("verlet", factor * st.verlet_limit) > 1 + 1e-9) is beyond
        assert (st.spectral_radius("imex", factor * st.imex_limit) > 1 + 1e-9) is beyond
        assert (st.spectral_radius("verlet-frictionless", factor * st.elastic_limit) > 1 + 1e-9) is beyond


def test_uneven_chains_have_exact_limits_too():
    rng = np.random.default_rng(3)
    for _ in range(5):
        n = 13
        g = gl.Glacier(
            1200.0, 100.0, thickness=rng.uniform(300, 900, n), young=rng.uniform(0.5e9, 9e9, n),
            friction=gl.Weertman(10 ** rng.uniform(3.0, 6.9, n)), back=str(rng.choice(gl.chain.ENDS)),
        )  # fmt: skip
        st = g.stability()
        for factor, beyond in ((0.999, False), (1.001, True)):
            assert (st.spectral_radius("verlet", factor * st.verlet_limit) > 1 + 1e-9) is beyond
            assert (st.spectral_radius("imex", factor * st.imex_limit) > 1 + 1e-9) is beyond
        for step in (1e-4, 1e-2, 1.0):
            assert st.spectral_radius("hht", step, -0.2) <= 1 + 1e-7


def test_modes_and_full_matrix_agree():
    st = gl.Glacier(2000.0, 100.0, friction=gl.Weertman(C)).stability()
    flawed = frozenset(gl.stability.FLAWS)
    for step in (1e-5, 4e-4, 1e-2):
        for scheme in ("verlet", "imex", "hht"):
            assert st._dense_radius(scheme, step, -0.1, frozenset(), True) == pytest.approx(
                st.spectral_radius(scheme, step, -0.1), rel=1e-7
            )
        assert st._dense_radius("hht", step, -0.1, flawed, True) == pytest.approx(
            st.spectral_radius("hht", step, -0.1, flaws=flawed), rel=1e-7
        )


# N_p 50, 100 m, seed numbers: what the printed formulas give, each error by itself and all together.
FLAWED = [
    (("identity-base",), (1.0, 1.0072, 1.4345, 2.075)),
    (("negative-damping",), (1.2258, 139.6, 2.302, 1.082)),
    (gl.stability.FLAWS, (1.0, 140.4, 191.4, 2.001)),
]


@pytest.mark.parametrize(("flaws", "radii"), FLAWED)
def test_flawed_formulas_are_on_record(flaws, radii):
    st = gl.Glacier(5000.0, 100.0, friction=gl.Weertman(5.623e6)).stability(speed=1.125e-5)
    got = [st.spectral_radius("hht", step, 0.0, flaws=flaws) for step in (4e-5, 4e-4, 1e-3, 1.0)]
    # 1e-3: near 4e-4 the flawed matrix is nearly singular, and three digits of input are all there is.
    assert np.allclose(got, radii, rtol=1e-3)
    if flaws == gl.stability.FLAWS:
        printed = gl.Glacier(5000.0, 100.0, friction=gl.Weertman(5.623e6)).stability(speed=1.125e-5, as_printed=True)
        assert printed.spectral_radius("hht", 4e-4, 0.0) == got[1]
        assert printed.friction_limit == 2 * st.friction_limit


def test_printed_hht_fails_at_one_step_whatever_alpha():
    # (2/3) M/c = 1.314e-4 s, independent of alpha
    st = gl.Glacier(5000.0, 100.0, friction=gl.Weertman(5.623e6)).stability(speed=1.125e-5, as_printed=True)
    expected = (2 / 3) * (st.friction_limit / 2) / 2
    assert expected == pytest.approx(1.314e-4, rel=1e-3)
    for alpha in (0.0, -0.1, -0.3):
        assert st.spectral_radius("hht", 0.99 * expected, alpha) < 1 + 1e-6
        assert st.spectral_radius("hht", 1.02 * expected, alpha) > 1 + 1e-3


def test_hht_damps_high_frequencies_as_known():
    # K only, Omega -> infinity: 1, .905, .818, .538, .5; a nearly free block chain of one mode at a huge step
    g = gl.Glacier(200.0, 100.0, slope=0.0, friction=gl.Weertman(C))
    st = g.stability(speed=1e30)  # friction gone
    for alpha, radius in ((0.0, 1.0), (-0.05, 0.905), (-0.1, 0.818), (-0.3, 0.538), (-1 / 3, 0.5)):
        # The slide keeps both its displacement and, without friction, its speed: only the strained modes are looked at.
        squares = (st.frequencies[st.frequencies > 0] * 1e7) ** 2
        blocks = gl.stability._hht_block(np.zeros_like(squares), squares, alpha, 1e7, frozenset())
        # Omega ~ 1e8: double roots split by the square root of rounding.
        assert np.abs(np.linalg.eigvals(blocks)).max() == pytest.approx(radius, abs=2e-3)


def test_linear_zone_limit():
    # dt_lin = 2 rho H / C_l = 2.83166e-5 s at eta = 0.1
    g = gl.Glacier(500.0, 500.0, friction=gl.Regularised(5.623e6, nu=1.125e-6))
    assert g.stability(speed=0.0).friction_limit == pytest.approx(2.83166e-5, rel=1e-5)


def test_stable_speed(chain):
    st = chain.stability()
    assert st.stable_speed(2e-4) == pytest.approx(4.06e-6, rel=2e-3)
    assert st.stable_speed(0.09) == math.inf  # beyond sqrt2/omega
    smooth = gl.Glacier(5000.0, 100.0, friction=gl.Smooth(C, eta=0.1))
    assert smooth.stability().stable_speed(2e-5) == 0.0


def test_map_and_report(chain):
    st = chain.stability()
    chart = st.radius_map("hht", [0.0, -0.3], [1e-4, 1e-1, 1.0])
    assert chart.shape == (2, 3) and float(chart.max()) <= 1 + 1e-7
    report = st.report(1e-4)
    assert report["a"] == pytest.approx(1e-4 / st.friction_limit, rel=1e-12)
    assert report["b"] == pytest.approx((20.0 * 1e-4) ** 2, rel=1e-10)
    assert report["a_plus_half_b"] == report["a"] + report["b"] / 2
    assert "verlet_limit" in repr(st)


def test_bad_requests_get_a_sentence(chain):
    st = chain.stability()
    for call, says in (
        (lambda: st.spectral_radius("verlett", 1e-3), "Did you mean 'verlet'"),
        (lambda: st.spectral_radius("verlet", -1.0), "step"),
        (lambda: st.spectral_radius("hht", 1e-3, 0.5), "alpha"),
        (lambda: st.spectral_radius("hht", 1e-3, 0.0, flaws=["typo"]), "no flaw"),
    ):
        with pytest.raises(bq.BanquiseError, match=says):
            call()
    uneven = gl.Glacier(50_000.0, 100.0, friction=gl.Weertman(C * np.linspace(1, 2, 501)))
    with pytest.raises(bq.BanquiseError, match="at most 400"):
        uneven.stability().spectral_radius("verlet", 1e-4)
    assert uneven.stability().verlet_limit > 0
