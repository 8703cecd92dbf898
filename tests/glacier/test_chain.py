"""The chain: its equilibrium, ends, properties that vary, and what it says to bad input."""

import math

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl

C = 10**6.75


def test_masses_springs_and_weights():
    g = gl.Glacier(length=2000.0, block=25.0)
    assert g.nodes == 81
    assert g.mass.sum() == pytest.approx(920 * 800 * 2000, rel=1e-14)
    assert g.weight[0] == g.weight[-1] == 12.5
    assert np.allclose(g.stiffness, 2.944e10)
    assert "81" not in repr(g) and "80 blocks" in repr(g)


def test_one_block_is_one_node():
    g = gl.Glacier(500.0, 500.0)
    assert g.nodes == 1 and g.weight[0] == 500.0


def test_arrays_and_functions_mean_the_same():
    thick = gl.Glacier(1000.0, 100.0, thickness=lambda x: 700 + 0.1 * x, slope=np.full(11, 1.0))
    again = gl.Glacier(1000.0, 100.0, thickness=700 + 0.1 * np.arange(11) * 100.0)
    assert thick.equilibrium_speed == again.equilibrium_speed
    assert np.array_equal(thick.stiffness, again.stiffness)


def test_equilibrium_of_an_uneven_glacier_balances_and_stays():
    g = gl.Glacier(
        3000.0, 100.0, thickness=lambda x: 600 + 0.1 * x, slope=lambda x: 1 + 0.3 * np.sin(x / 500),
        friction=gl.Weertman(C * np.linspace(0.8, 1.3, 31)),
    )  # fmt: skip
    carried = g.weight @ g.friction.stress(np.full(g.nodes, g.equilibrium_speed))
    assert carried == pytest.approx(-(g.weight @ g.driving_stress), rel=1e-13)
    for scheme in ("imex", "verlet", "hht"):
        out = g.run(None, until=0.2, scheme=scheme, step=1e-4)
        # Nothing pushes: nothing moves, but for rounding of speeds near 1e-5 m/s.
        assert out.front_displacement < 1e-15
        assert out.peak_seismic_force < 1e-6 * g.weight @ g.driving_stress


def test_bed_that_slopes_up_slides_the_other_way():
    assert gl.Glacier(1000.0, 100.0, slope=-1.0).equilibrium_speed == pytest.approx(1.1251396e-5, rel=1e-7)


def test_no_weight_no_slide():
    g = gl.Glacier(1000.0, 100.0, slope=0.0)
    assert g.equilibrium_speed == 0.0
    out = g.run(None, until=10.0)
    assert out.front_displacement == 0.0 and out.peak_seismic_force == 0.0
    pushed = g.run(gl.HalfSine(33e6, 10.0), until=10.0)
    assert pushed.front_displacement > 0 and pushed.impulse_residual < 1e-12


def test_waves_travel_at_sqrt_e_over_rho():
    # A weak bed, a short pulse: it reaches 3 km after 3 s at c = 1000 m/s.
    g = gl.Glacier(5000.0, 25.0, slope=0.0, friction=gl.Weertman(1e-6))
    out = g.run(gl.SinSquared(1e6, 0.5), until=4.0, step=0.0125, every=0.0125)
    at = out.dataset.velocity.isel(node=120)
    # The pulse's middle left at 0.25 s; half a record and the grid's dispersion are within 2 %.
    assert float(at.time[int(np.argmax(at.values))]) == pytest.approx(3.25, rel=0.02)
    assert float(at.max()) == pytest.approx(1e6 / (800 * math.sqrt(920 * 0.92e9)), rel=0.05)  # v = F/(rho c H)


@pytest.mark.parametrize(("back", "sign"), [("free", 1.0), ("steady", -1.0), ("absorbing", 0.0)])
def test_ends_reflect_as_they_should(back, sign):
    g = gl.Glacier(2000.0, 10.0, slope=0.0, friction=gl.Weertman(1e-6), back=back)
    for scheme in ("imex", "hht"):
        out = g.run(gl.SinSquared(1e6, 0.5), until=4.0, scheme=scheme, step=0.008, alpha=0.0, every=0.016)
        there = out.dataset.velocity.isel(node=100)
        going, back_again = there.sel(time=slice(0, 1.9)), there.sel(time=slice(2.4, 4.0))
        peak = float(going.max())
        met = back_again.values[np.argmax(np.abs(back_again.values))]
        # A free end returns the pulse, a held one its mirror image, an absorbing one nothing (2 %: discrete impedance).
        assert met == pytest.approx(sign * peak, abs=0.05 * peak)
        assert out.impulse_residual < 1e-11


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"thickness": -5.0}, "thickness is -5 m, expected more than 0"),
        ({"thickness": np.nan}, "finite"),
        ({"slope": 90.0}, "slope is 90 degrees"),
        ({"block": 3000.0}, "no block"),
        ({"block": 0.0}, "block is 0"),
        ({"block": 30.0}, "whole number of blocks"),
        ({"length": "far"}, "expected a number"),
        ({"young": 0.0}, "young is 0"),
        ({"thickness": [800.0, 700.0]}, "expected one or 11"),
        ({"back": "absorbin"}, "absorbing"),
        ({"friction": 3.0}, "expected a law"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, says):
    with pytest.raises(bq.BanquiseError, match=says):
        gl.Glacier(**{"length": 1000.0, "block": 100.0, **arguments})


def test_text_with_units_as_in_a_case_file():
    """Everything a case file can say a script can say."""
    told = gl.Glacier(
        "2 km", "50 m", thickness=["700 m"] * 41, slope="1 deg", young="0.92 GPa", density="0.92 g/cm3",
        friction=gl.Smooth(5e6, nu="1e-4 cm/s"),
    )  # fmt: skip
    plain = gl.Glacier(2000.0, 50.0, 700.0, 1.0, 920.0, 0.92e9, gl.Smooth(5e6, nu=1e-6))
    assert told.equilibrium_speed == plain.equilibrium_speed
    assert gl.HalfSine("310.75 MN/m", "100 s") == gl.HalfSine(310.75e6, 100.0)
    assert gl.Iceberg(height="0.4 km", tilt="2 deg") == gl.Iceberg(height=400.0, tilt=2.0)
    assert gl.Capsize.of_iceberg(height="800 m") == gl.Capsize.of_iceberg(height=800.0)
    with pytest.raises(bq.BanquiseError, match="unit 'km' is not one of time"):
        gl.HalfSine(1e6, "3 km")


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda g: g.run(untl=3), "run: no keyword 'untl'. Did you mean 'until'"),
        (lambda g: g.run(stp=3), "no keyword 'stp'. Did you mean 'step'"),
        (lambda g: g.stability(sped=3), "stability: no keyword 'sped'. Did you mean 'speed'"),
        (lambda g: g.stability(speed=math.nan), "speed: got nan"),
        (lambda g: g.stability().spectral_radius("verlet", "x"), "step: got 'x'"),
        (lambda g: g.run(scheme="hht", alpha="a"), "alpha is 'a', expected one number"),
        (lambda g: g.run(scheme="hht", tolerance=-1), "tolerance: got -1"),
        (lambda g: g.run(perturbation="x"), "perturbation: got 'x'"),
        (lambda g: gl.HalfSine(None, 1.0), "HalfSine: peak is None"),
        (lambda g: gl.HalfSine(1.0, [1.0, 2.0]), "HalfSine: duration is \\[1.0, 2.0\\], expected one number"),
        (lambda g: gl.Weertman("a"), "Weertman: coefficient is 'a'"),
        (lambda g: gl.Weertman(None), "Weertman: coefficient"),
        (lambda g: gl.Glacier(2000, 500, friction=gl.Budd(3.0, q=[1.0, 2.0])), "Budd: q has 2 values for 5 nodes"),
        (lambda g: gl.Weertman(lambda x: 1e6).stress(1.0), "put the law under a Glacier"),
        (lambda g: gl.Glacier(2000, 500, friction=gl.Weertman(lambda x: "a")), "Weertman: coefficient: .* gave 'a'"),
    ],
)
def test_wrong_options_are_answered_in_words(wrong, said):
    with pytest.raises(bq.BanquiseError, match=said):
        wrong(gl.Glacier(2000.0, 500.0))
