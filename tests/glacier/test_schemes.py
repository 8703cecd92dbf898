"""The three schemes: closed forms, agreement, balances, order, limits."""

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl
from banquise.validation.glacier import quasi_static_slip

C = 10**6.75


@pytest.mark.parametrize("scheme", ["imex", "hht"])
@pytest.mark.parametrize(("peak", "duration", "block"), [(80e6, 100.0, 500.0), (130e6, 60.0, 700.0)])
def test_one_block_slips_as_the_closed_form(scheme, peak, duration, block):
    g = gl.Glacier(block, block, friction=gl.Weertman(C))
    out = g.run(gl.HalfSine(peak, duration), until=duration, scheme=scheme, step=0.01)
    known = quasi_static_slip(peak, duration, block, float(g.driving_stress[0]), C)
    # The closed form leaves out inertia, 1e-7 here; the step adds a few 1e-8.
    assert out.front_displacement == pytest.approx(known, rel=1e-5)
    fastest = ((peak - g.driving_stress[0] * block) / (C * block)) ** 3
    assert float(out.dataset.velocity.max()) == pytest.approx(fastest, rel=1e-4)


def test_regularising_makes_creep_at_peak_too_fast():
    # 80 MN/m on one block of 500 m, nu = 0.1 U_eq: at tau = (A - P)/dl the straight part creeps at tau/C_l, the pure
    # law at (tau/C)^3, 2.96 times slower.
    law = gl.Regularised(C, eta=0.1)
    g = gl.Glacier(500.0, 500.0, friction=law)
    tau = 80e6 / 500 - float(g.driving_stress[0])
    pure = (tau / C) ** 3
    linear = tau / (C * g.friction.nu ** (-2 / 3))
    expected = linear if linear < g.friction.nu else pure
    out = g.run(gl.HalfSine(80e6, 100.0), until=100.0, step=0.01)
    assert float(out.dataset.velocity.max()) == pytest.approx(expected, rel=1e-4)
    assert expected / pure == pytest.approx(2.96, rel=5e-3)


def test_schemes_agree_on_the_peak_of_the_smooth_law():
    g = gl.Glacier(2000.0, 100.0, friction=gl.Smooth(C, nu=1e-7))
    load = gl.HalfSine(310.75e6, 100.0)
    imex = g.run(load, until=100.0, step=0.02)
    hht = g.run(load, until=100.0, step=0.02, scheme="hht")
    assert hht.peak_seismic_force == pytest.approx(imex.peak_seismic_force, rel=1e-6)
    assert hht.front_displacement == pytest.approx(imex.front_displacement, rel=2e-4)  # IMEX is of first order in dt


def test_lagged_verlet_agrees_with_imex_below_its_limit():
    g = gl.Glacier(2000.0, 500.0, friction=gl.Smooth(C, eta=0.1))
    load = gl.HalfSine(310.75e6, 20.0)
    imex = g.run(load, until=20.0, step=2e-3)
    verlet = g.run(load, until=20.0, step=2e-5, scheme="verlet")
    assert verlet.peak_seismic_force == pytest.approx(imex.peak_seismic_force, rel=1e-6)
    assert verlet.warnings == []


@pytest.mark.slow
def test_lagged_verlet_agrees_with_imex_on_the_25_m_case():
    g = gl.Glacier(2000.0, 25.0, friction=gl.Smooth(C, eta=0.1))
    load = gl.HalfSine(310.75e6, 100.0)
    verlet = g.run(load, until=100.0, step=2e-5, scheme="verlet")
    assert verlet.peak_seismic_force == pytest.approx(g.run(load, step=0.02).peak_seismic_force, rel=1e-6)


def test_hht_bears_steps_of_a_second_on_the_pure_law():
    g = gl.Glacier(2000.0, 25.0)
    out = g.run(gl.HalfSine(310.75e6, 100.0), until=100.0, step=1.0, scheme="hht", alpha=-0.1)
    assert out.peak_seismic_force == pytest.approx(310.7594e6, rel=1e-5)
    assert out.iterations < 8 and out.warnings == []


@pytest.mark.parametrize(
    "law", [gl.Weertman(C), gl.Smooth(C, eta=0.1), gl.Tsai(C), gl.RateState(0.015, 0.01, 1e-4, 2.1e5)]
)
@pytest.mark.parametrize("scheme", ["imex", "verlet", "hht"])
def test_impulse_balances(law, scheme):
    g = gl.Glacier(1000.0, 50.0, friction=law)
    until = 2.0 if scheme == "verlet" else 60.0
    step = {"verlet": 1e-5, "imex": 0.02, "hht": 0.1}[scheme]
    out = g.run(gl.SinSquared(90e6, 0.8 * until), until=until, scheme=scheme, step=step)
    assert out.impulse_residual < 1e-12


def test_fast_and_general_kernels_are_the_same_scheme():
    load = gl.HalfSine(310.75e6, 20.0)
    fast = gl.Glacier(2000.0, 50.0, friction=gl.Weertman(C)).run(load, until=20.0, step=0.02)
    # A ceiling never reached leaves a Weertman law, solved by the general kernel.
    general = gl.Glacier(2000.0, 50.0, friction=gl.Tsai(C, pressure=1e12)).run(load, until=20.0, step=0.02)
    assert np.allclose(fast.dataset.displacement, general.dataset.displacement, rtol=1e-9, atol=1e-16)
    assert fast.peak_seismic_force == pytest.approx(general.peak_seismic_force, rel=1e-13)
    assert np.allclose(fast.dataset.bed_stress, general.dataset.bed_stress, rtol=1e-9)
    assert np.allclose(fast.dataset.max_speed, general.dataset.max_speed, rtol=1e-9)


def _errors(scheme, steps, **options):
    g = gl.Glacier(2000.0, 100.0, friction=gl.Smooth(C, nu=3e-5))
    load = gl.SinSquared(33e6, 8.0)
    fine = g.run(load, until=8.0, step=2.5e-4, scheme="hht", alpha=0.0, every=8.0).dataset.displacement.values[-1]
    runs = [
        g.run(load, until=8.0, step=dt, scheme=scheme, every=8.0, **options).dataset.displacement.values[-1]
        for dt in steps
    ]
    return [float(np.linalg.norm(u - fine)) for u in runs]


@pytest.mark.parametrize(("scheme", "alpha", "order"), [("imex", 0.0, 1), ("hht", 0.0, 2), ("hht", -0.2, 2)])
def test_order_in_the_step(scheme, alpha, order):
    steps = [0.04, 0.02, 0.01]
    errors = _errors(scheme, steps, **({"alpha": alpha} if scheme == "hht" else {}))
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.25)


def test_peaks_do_not_depend_on_what_is_recorded():
    g = gl.Glacier(2000.0, 100.0)
    load = gl.HalfSine(310.75e6, 20.0)
    often, rarely = (g.run(load, until=20.0, step=0.02, every=every) for every in (0.02, 7.0))
    assert often.peak_seismic_force == rarely.peak_seismic_force
    assert often.front_displacement == rarely.front_displacement
    assert rarely.dataset.sizes["time"] == 3
    assert float(np.abs(often.dataset.seismic_force).max()) == often.peak_seismic_force
    assert often.front_displacement == pytest.approx(float(often.dataset.displacement.isel(node=0).max()), rel=1e-14)


def test_runs_in_pieces_are_one_run():
    # 20,001 arrivals cross two borders of pieces; the same run in one piece is the reference.
    from banquise.glacier import schemes

    g, load = gl.Glacier(500.0, 100.0), gl.HalfSine(90e6, 20.0)
    for scheme in ("imex", "hht", "verlet"):
        options = {"until": 2.0, "step": 1e-4, "scheme": scheme}
        cut = g.run(load, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schemes, "_PIECE", 10**9)
            patch.setattr(schemes, "_WORK", 10**10)
            whole = g.run(load, **options)
            patch.setattr(schemes, "_WORK", 6 * 1000)  # 1,000 arrivals of 6 nodes, as a long chain has them
            fine = g.run(load, **options)
        assert cut.dataset.identical(whole.dataset) and fine.dataset.identical(whole.dataset)


@pytest.mark.parametrize("load", [gl.HalfSine(90e6, 20.0), gl.Iceberg(height=800.0, aspect=0.25, tilt=2.0)])
def test_progress_is_shown_when_asked(load, capsys, monkeypatch):
    from banquise.recording import progress

    monkeypatch.setattr(progress, "LINE_SECONDS", -1.0)  # a line after every piece
    g = gl.Glacier(500.0, 100.0)
    g.run(load, until=2.0, step=1e-3)
    assert capsys.readouterr().err == ""
    g.run(load, until=2.0, step=1e-3, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("2 of 2 s (100 %), step 2,000, 6 nodes, ") and lines[-1].endswith(" x real time")


def test_step_never_above_the_one_asked_for_and_ends_on_time():
    out = gl.Glacier(1000.0, 100.0).run(None, until=1.0, step=0.03)
    assert out.steps == 34 and out.step == pytest.approx(1.0 / 34)
    assert float(out.dataset.time[-1]) == pytest.approx(1.0)


def test_dataset_says_its_units():
    data = gl.Glacier(1000.0, 100.0).run(gl.Step(1e6), until=1.0).dataset
    assert data.displacement.dims == ("time", "node")
    for name, variable in data.variables.items():
        assert "long_name" in variable.attrs, name
        assert name == "node" or "units" in variable.attrs, name
    total = data.bed_force.sum("node")
    assert np.allclose(total, data.seismic_force, rtol=1e-9, atol=1.0)  # N/m, of 1e6


def test_load_may_be_any_function_of_time():
    g = gl.Glacier(1000.0, 100.0)
    a = g.run(lambda t: 1e7 * np.sin(np.pi * t / 5) ** 2, until=5.0)
    b = g.run(gl.SinSquared(1e7, 5.0), until=5.0)
    # sin^2(pi) at the last instant is 1e-32 in one and 0 in the other
    assert a.peak_seismic_force == pytest.approx(b.peak_seismic_force, rel=1e-12)


def test_a_step_load_does_not_converge_with_the_blocks():
    # A smooth load's peak does, to 1e-5; a jump rings in the first block whatever its size.
    jump, smooth = (
        [gl.Glacier(2000.0, block).run(load, until=50.0).peak_seismic_force for block in (100.0, 50.0)]
        for load in (gl.Step(310.75e6), gl.SinSquared(310.75e6, 50.0))
    )
    assert abs(jump[1] - jump[0]) > 1e6
    assert abs(smooth[1] - smooth[0]) < 1e-5 * 310e6


def test_verlet_beyond_its_limit_is_refused_or_said():
    g = gl.Glacier(1000.0, 100.0)
    with pytest.raises(bq.BanquiseError, match=r"beyond the limit .* a \+ b/2"):
        g.run(None, until=1.0, scheme="verlet", step=5e-4)
    out = g.run(None, until=1.0, scheme="verlet", step=5e-4, perturbation=1e-6, beyond_limit="warn")
    assert "not to be trusted" in out.warnings[0]
    assert np.abs(out.dataset.velocity.values / g.equilibrium_speed - 1).max() > 0.5


def test_verlet_says_when_the_speed_falls_below_the_stable_one():
    g = gl.Glacier(1000.0, 100.0)
    out = g.run(gl.HalfSine(200e6, 5.0), until=5.0, scheme="verlet", step=2e-4)
    assert any("4.06e-06 m/s" in w for w in out.warnings)
    assert g.run(None, until=0.5, scheme="verlet", step=2e-4).warnings == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"step": 0.2}, "beyond the elastic limit"),
        ({"step": 0.0}, "step is 0"),
        ({"step": -1.0}, "step"),
        ({"until": 0.0}, "until is 0"),
        ({"until": "soon"}, "until"),
        ({"scheme": "verle"}, "verlet"),
        ({"scheme": "hht", "alpha": 0.2}, "alpha is 0.2"),
        ({"beyond_limit": "ignore"}, "beyond_limit"),
        ({"load": 3.0}, "expected a load"),
        ({"load": lambda t: np.where(t > 0.3, np.nan, 0.0)}, "force at 0.3"),
    ],
)
def test_bad_options_get_a_sentence(options, says):
    with pytest.raises(bq.BanquiseError, match=says):
        gl.Glacier(1000.0, 100.0).run(**{"until": 1.0, **options})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: gl.Table([0, 1, 2], [0, np.nan, 0]), r"forces\[1\] is nan"),
        (lambda: gl.Table([0, 2, 1], [0, 1, 0]), "does not come after"),
        (lambda: gl.Table([0, 1], [0, 1, 2]), "one length"),
        (lambda: gl.HalfSine(1e6, 0.0), "duration is 0"),
        (lambda: gl.HalfSine(np.inf, 1.0), "finite"),
        (lambda: gl.Capsize.of_iceberg(aspect=0.9), "aspect is 0.9"),
        (lambda: gl.Capsize.of_iceberg(turn="over"), "bottom-out"),
    ],
)
def test_bad_loads_get_a_sentence(make, says):
    with pytest.raises(bq.BanquiseError, match=says):
        make()


def test_capsize_shape():
    load = gl.Capsize.of_iceberg(800.0, 0.25)
    assert load.peak == pytest.approx(33.0e6, rel=5e-3)
    assert float(load(load.peak_time)) == load.peak
    assert float(load(load.peak_time - load.rise)) == pytest.approx(load.peak / 2)
    assert abs(float(load(load.peak_time + load.fall))) < 1e-14 * load.peak
    assert float(load(0.0)) < load.peak / 40


@pytest.mark.slow
def test_drift_of_the_unstable_scheme_grows_with_the_step():
    # 300 s, 40 km in blocks of 800 m, nothing pushes: -0.0084, -0.0149, -0.894 m at 4e-4, 1e-3, 0.012 s.
    g = gl.Glacier(40_000.0, 800.0)
    drifts = []
    for step in (4e-4, 1e-3, 0.012):
        out = g.run(None, until=300.0, scheme="verlet", step=step, perturbation=1e-6, beyond_limit="warn")
        drifts.append(float(out.dataset.displacement[-1].mean()))
    assert drifts[0] > drifts[1] > drifts[2]
    assert np.allclose(drifts, [-0.0084, -0.0149, -0.894], rtol=0.15)  # a chaotic cycle: its mean, not its path


@pytest.mark.parametrize("scheme", ["imex", "hht"])
@pytest.mark.parametrize(("factor", "grows"), [(0.85, True), (1.2, False)])
def test_rate_and_state_slips_where_the_ice_is_softer_than_critical(scheme, factor, grows):
    # Sliding is unstable when the stiffness per area of the softest mode is below (b - a) N / Dc.
    a, b, pressure = 0.010, 0.015, 2.1e5
    parts = {"length": 200.0, "block": 100.0, "back": "steady"}
    stiffness = gl.Glacier(**parts).stability().frequencies[0] ** 2 * 920 * 800
    critical = (b - a) * pressure / stiffness
    g = gl.Glacier(**parts, friction=gl.RateState(a, b, factor * critical, pressure))
    out = g.run(None, until=600.0, scheme=scheme, step=0.04, perturbation=1e-3, every=1.0)
    away = np.abs(out.dataset.velocity.values[:, 0] / g.equilibrium_speed - 1)
    early, late = away[20:120].max(), away[-100:].max()
    assert (late > 1.3 * early) if grows else (late < 0.8 * early)
