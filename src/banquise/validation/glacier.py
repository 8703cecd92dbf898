"""Known answers of the sliding chain: closed forms, exact stability limits, balances, agreement of schemes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from banquise.validation import Row

COEFFICIENT = 10**6.75  # Pa (s/m)^(1/3)
PRINTED = 5.623e6  # the same as the source document rounds it, with U_eq = 1.125e-5 m/s


def rows() -> Iterator[Row]:
    """All rows of the glacier."""
    yield from _equilibrium()
    yield from _limits()
    yield from _growth()
    yield from _implicit()
    yield from _loaded()
    yield from _iceberg()


def _equilibrium() -> Iterator[Row]:
    from banquise.glacier import Glacier, Weertman

    g = Glacier(2000.0, 25.0, friction=Weertman(COEFFICIENT))
    text = "slope 1 deg, C 10^6.75, H 800 m"
    yield Row("steady slide", "balance of forces", text, -1.1251396e-5, g.equilibrium_speed, 1e-7 * 1.1251396e-5)
    drive = float(g.driving_stress[0])
    yield Row("driving stress", "balance of forces", text, 126009.167, drive, 1e-7 * 126009.167)


def _limits() -> Iterator[Row]:
    from banquise.glacier import Glacier, Weertman

    block = Glacier(500.0, 500.0, friction=Weertman(PRINTED))
    right, printed = block.stability(speed=1.125e-5), block.stability(speed=1.125e-5, as_printed=True)
    limit = right.friction_limit
    yield Row("lagged friction, one block", "stability", "6 rho H U^(2/3) / C", 3.94302e-4, limit, 1e-5 * 3.94302e-4)
    text = "12 rho H U^(2/3) / C: twice too large"
    yield Row("the same as first printed", "stability", text, 7.88605e-4, printed.friction_limit, 1e-5 * 7.88605e-4)
    for a, radius in ((0.5, 0.707107), (1.0, 1.0), (1.5, 1.224745), (4.0, 2.0)):
        got = right.spectral_radius("verlet", a * limit)
        # The expected values are rounded to 1e-6; their closed form is sqrt(a), met to 1e-9.
        yield Row("spectral radius, one block", "stability", f"a = {a}", math.sqrt(a), got, 1e-9)
        yield Row("spectral radius, one block", "stability", f"a = {a}, rounded", radius, got, 5e-7)
    chain = Glacier(5000.0, 100.0, friction=Weertman(PRINTED))
    stiff = chain.stability(speed=1.125e-5).verlet_limit
    yield Row("chain of 50 blocks, largest step", "stability", "a + b/2 = 1", 3.94290e-4, stiff, 1e-5 * 3.9429e-4)
    weak = chain.stability(speed=1.125e-5 * 1000).verlet_limit  # d tau/dv falls as v^(-2/3): a hundredth
    text = "friction a hundredth"
    yield Row("chain of 50 blocks, largest step", "stability", text, 0.0315703, weak, 1e-5 * 0.0315703)
    elastic = chain.stability().elastic_limit
    yield Row("springs alone", "stability", "dl sqrt(rho/E), 100 m", 0.1, elastic, 1e-12)


def _growth() -> Iterator[Row]:
    import numpy as np

    from banquise.glacier import Glacier, Weertman

    block = Glacier(500.0, 500.0, friction=Weertman(COEFFICIENT))
    limit = block.stability().friction_limit
    for factor in (0.99, 1.01):
        step = factor * limit
        out = block.run(
            None, until=4000 * step, scheme="verlet", step=step, perturbation=1e-6, every=step, beyond_limit="warn"
        )
        away = np.abs(out.dataset.velocity.values[:, 0] / block.equilibrium_speed - 1.0)
        text = f"step {factor} of the limit, perturbation 1e-6, 4000 steps"
        if factor < 1:
            yield Row("lagged friction, decay", "stability", text, 0.0, float(away[-1]), 1e-12)
        else:
            grown = float(away.max() > 1.0)
            yield Row("lagged friction, growth past 1", "stability", text, 1.0, grown, 0.0)


def _implicit() -> Iterator[Row]:
    import numpy as np

    from banquise.glacier import Glacier, Weertman

    found = Glacier(5000.0, 100.0, friction=Weertman(COEFFICIENT)).stability()
    for alpha in (0.0, -0.1, -0.3, -1.0 / 3.0):
        worst = max(found.spectral_radius("hht", float(dt), alpha) for dt in np.logspace(-6, 0, 25))
        text = f"50 blocks of 100 m, alpha {alpha:.3g}, 1e-6 to 1 s"
        yield Row("HHT is stable at any step", "stability", text, 1.0, worst, 1e-7)


def _loaded() -> Iterator[Row]:
    from banquise.glacier import Glacier, HalfSine, Smooth, Weertman

    block = Glacier(500.0, 500.0, friction=Weertman(COEFFICIENT))
    out = block.run(HalfSine(80e6, 100.0), until=100.0, step=0.01)
    known = quasi_static_slip(80e6, 100.0, 500.0, float(block.driving_stress[0]), COEFFICIENT)
    text = "500 m, half-sine 80 MN/m, 100 s, IMEX 0.01 s"
    yield Row("slip of one block", "closed form", text, 9.850525e-4, known, 1e-9)
    yield Row("slip of one block", "closed form", text, known, out.front_displacement, 1e-5 * known)
    glacier = Glacier(2000.0, 25.0, friction=Weertman(COEFFICIENT))
    load = HalfSine(310.75e6, 100.0)
    for step in (0.02, 0.005, 0.001):
        out = glacier.run(load, until=100.0, step=step)
        text = f"2 km, 25 m blocks, half-sine 310.75 MN/m, IMEX {step} s"
        yield Row(
            "peak seismic force, MN/m", "convergence", text, 310.7594, out.peak_seismic_force / 1e6, 1e-6 * 310.76
        )
        yield Row("largest front displacement, m", "convergence", text, 0.10511, out.front_displacement, 1e-4 * 0.10511)
        yield Row("impulse balance", "momentum", text, 0.0, out.impulse_residual, 1e-12)
    smooth = Glacier(2000.0, 25.0, friction=Smooth(COEFFICIENT, nu=1e-7))
    imex = smooth.run(load, until=100.0, step=0.02).peak_seismic_force / 1e6
    hht = smooth.run(load, until=100.0, step=0.02, scheme="hht", alpha=-0.1)
    text = "smooth law, nu 1e-7 m/s, 0.02 s"
    yield Row("HHT against IMEX, MN/m", "independent methods", text, imex, hht.peak_seismic_force / 1e6, 1e-6 * imex)
    yield Row("impulse balance of HHT", "momentum", text, 0.0, hht.impulse_residual, 1e-12)


def quasi_static_slip(peak: float, duration: float, block: float, drive: float, coefficient: float) -> float:
    """Slip (m) of one block under a slow half-sine: the integral of ((F - P)/(C dl))^3 + |U_eq|, P = tau_d dl."""
    hold, scale = drive * block, (coefficient * block) ** 3
    a, p = peak, hold
    cubic = 4 * a**3 / (3 * math.pi) - 1.5 * a**2 * p + 6 * a * p**2 / math.pi - p**3
    return duration * cubic / scale + duration * (drive / coefficient) ** 3


def _iceberg() -> Iterator[Row]:
    import numpy as np

    from banquise.glacier import Iceberg, critical_aspect

    yield Row("critical aspect of an iceberg", "hydrostatics", "920 / 1025", 0.74275, critical_aspect(), 5e-6)
    # 2.5 %: two independent codes with the same model and their own drag, added mass and contact settings.
    force = float(Iceberg(800.0, 0.25).capsize(300.0).iceberg_force.max()) / 1e6
    yield Row("capsize, peak contact force, MN/m", "two codes", "800 m, aspect 0.25, bottom-out", 33.0, force, 0.8)
    body = Iceberg(800.0, 0.25, drag=0.0, added_mass=0.0, tilt=5.0).afloat(0.02)
    body.state[0] = -1e6  # far from the front: ice and water alone
    start = sum(body.energy())
    worst = 0.0
    for _ in range(5000):
        body.advance(0.0, 0.0)
        worst = max(worst, abs(sum(body.energy()) - start))
    released = body.iceberg.energy_released
    # Runge-Kutta of order four falls to order three where a corner crosses the water line: 3e-7 of what is released.
    yield Row("iceberg without drag", "energy", "100 s at 0.02 s", 0.0, worst / released, 1e-6)
    yield Row(
        "energy released, J/m", "closed form", "800 m, aspect 0.25", 4.4378e10, float(np.round(released, -6)), 1e6
    )
