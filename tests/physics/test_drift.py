"""Drift with closed answers: terminal speed, tanh start, inertial circle, spin-down, torque-free flow."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_motion import body_points, dense_points, last_state, solve
from shapes import holed, star

import banquise as bq
from banquise.constants import AIR_DENSITY, AIR_DRAG, EARTH_RATE, ICE_DENSITY, WATER_DENSITY, WATER_DRAG

NANSEN = math.sqrt(AIR_DENSITY * AIR_DRAG / (WATER_DENSITY * WATER_DRAG))
SHAPE = [[0, 0], [40, 0], [40, 30], [10, 30], [10, 10], [0, 10]]


def drift(forcing, until, step, floe=None, every=None, **options):
    floe = floe if floe is not None else bq.Floe(SHAPE)
    sim = bq.Simulation(bq.Scene([floe]), forcing, scheme=bq.EventDriven(max_step=step), **options)
    return sim.run(until=until, every=every or until)


@pytest.mark.parametrize("wind", [(10.0, 0.0), (-3.0, 7.5)])
@pytest.mark.parametrize("current", [(0.0, 0.0), (0.3, -0.2)])
def test_terminal_drift_without_coriolis(wind, current):
    """V = N U_a + U_w."""
    run = drift(bq.Forcing(wind=wind, current=current), "5 d", 600.0)
    assert last_state(run)[3:5] == pytest.approx(NANSEN * np.array(wind) + current, abs=1e-12)


@pytest.mark.parametrize("thickness", [0.25, 3.0])
@pytest.mark.parametrize("latitude", [81.0, -60.0])
def test_terminal_drift_with_coriolis(thickness, latitude):
    """tau = V (k |V| + i m f) in complex numbers: |V|^2 solves k^2 V^4 + m^2 f^2 V^2 = tau^2."""
    wind = complex(6.0, -8.0)
    tau = AIR_DENSITY * AIR_DRAG * abs(wind) * wind
    k, mf = WATER_DENSITY * WATER_DRAG, ICE_DENSITY * thickness * 2 * EARTH_RATE * math.sin(math.radians(latitude))
    speed = math.sqrt((math.sqrt(mf**4 + 4 * k**2 * abs(tau) ** 2) - mf**2) / (2 * k**2))
    expected = tau / (k * speed + 1j * mf)
    run = drift(
        bq.Forcing(wind=(wind.real, wind.imag), current=(0, 0), latitude=latitude),
        "10 d", 1800.0, bq.Floe(SHAPE, thickness=thickness),
    )  # fmt: skip
    u, v = last_state(run)[3:5]
    assert complex(u, v) == pytest.approx(expected, abs=1e-12)
    assert (expected.conjugate() * wind).imag * latitude > 0  # to the right of the wind in the north


@pytest.mark.parametrize("thickness", [0.25, 1.0, 4.0])
def test_tanh_start(thickness):
    """v = K tanh(K t rho_w C_w / (rho h)) from rest, at every record."""
    forcing = bq.Forcing(wind=(10.0, 0.0), current=(0, 0))
    run = drift(forcing, 3600.0, 2.0, bq.Floe(SHAPE, thickness=thickness), every=120.0)
    k = NANSEN * 10.0
    expected = k * np.tanh(k * run.dataset.time * WATER_DENSITY * WATER_DRAG / (ICE_DENSITY * thickness))
    # second order: a step of 2 s is under 1 % of the time scale rho h / (rho_w C_w K) >= 212 s
    assert np.abs(run.dataset.u.isel(floe=0) - expected).max() < 2e-5 * k
    assert float(np.abs(run.dataset.v).max()) < 1e-16 * k  # round-off of the torque turns it by nothing to speak of


@pytest.mark.parametrize("steps", [7, 100])
def test_inertial_circle_closes(steps):
    """Nothing but Coriolis: back at the start after 2 pi / f, at any number of steps; the speed never changes."""
    f = 1.4e-4
    period, radius = 2 * math.pi / f, 0.5 / f
    floe = bq.Floe(SHAPE, velocity=(0.3, 0.4), spin=1e-4)
    run = drift(bq.Forcing(coriolis=f), period, period / steps, floe, every=period / 20)
    x, y = run.dataset.x.values[:, 0], run.dataset.y.values[:, 0]
    assert math.hypot(x[-1] - x[0], y[-1] - y[0]) < 1e-6 * radius  # the bar; round-off is 1e-15 of it
    centre = x[0] + 0.4 / f, y[0] - 0.3 / f
    assert np.abs(np.hypot(x - centre[0], y - centre[1]) - radius).max() < 1e-10 * radius
    energy = run.ledger.kinetic_energy.values
    assert np.abs(energy / energy[0] - 1).max() < 1e-13  # the work of Coriolis is zero
    assert np.abs(run.ledger.balance).max() < 1e-13 * energy[0]
    assert run.dataset.rotation.values[-1, 0] == pytest.approx(1e-4 * period, rel=1e-12)


@pytest.mark.parametrize(
    "floe",
    [
        bq.Floe([[0, 0], [60, 0], [60, 20], [0, 20]], spin=0.02),
        bq.Floe(SHAPE, spin=-0.03, thickness=0.4),
        bq.Floe(star(np.random.default_rng(4), 30), spin=0.01, velocity=(0.2, -0.1)),
    ],
    ids=["plank", "L", "star"],
)
def test_spin_down_against_a_dense_reference(floe):
    """Still water. The reference has some 100,000 points of its own and a Runge-Kutta of order 8."""
    run = drift(bq.Forcing(current=(0, 0)), 600.0, 1.0, floe)
    expected = solve(floe, 600.0, dense_points(floe, 250), current=lambda x, y, t: (0 * x, 0 * y), rtol=1e-9)
    # what differs is the 40 points: |r| r is not a polynomial. Two decimal digits beyond what a drag coefficient has
    assert last_state(run)[5] == pytest.approx(expected[5], rel=3e-3)
    assert last_state(run)[2] == pytest.approx(expected[2], rel=3e-3)


def test_spin_down_of_a_disc_closed_form():
    """dw/dt = -c w^2 with c = rho_w C_w (2 pi / 5) R^5 / I, so w = w0 / (1 + c w0 t)."""
    disc = bq.Disc((0, 0), 25.0, spin=0.05)
    c = WATER_DENSITY * WATER_DRAG * 2 * math.pi / 5 * 25.0**5 / disc.inertia
    run = drift(bq.Forcing(current=(0, 0)), 900.0, 1.0, disc)
    assert last_state(run)[5] == pytest.approx(0.05 / (1 + c * 0.05 * 900), rel=3e-3)  # the 40 points again


def test_spin_down_with_the_same_points():
    """With the floe's own points in the reference only the time integration is left: second order, small steps."""
    floe = bq.Floe(SHAPE, spin=0.03, velocity=(0.4, 0.1))
    run = drift(bq.Forcing(current=(0, 0)), 300.0, 0.25, floe)
    expected = solve(floe, 300.0, body_points(floe, varying=False), current=lambda x, y, t: (0 * x, 0 * y))
    assert last_state(run) == pytest.approx(expected, rel=2e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 40), st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 1e4))
def test_no_torque_in_uniform_flow(seed, n, u, v, step):
    """Constant thickness, no spin: the torque of any uniform flow on any shape is zero to round-off."""
    rng = np.random.default_rng(seed)
    ring = star(rng, n) if n < 12 else holed(rng, n, 1)[0]
    floe = bq.Floe(ring, velocity=(0.3, 0.1))
    forcing = bq.Forcing(wind=(10 * u, -5 * v), current=(u, v), turning_angle=20.0, relative_wind=True)
    run = drift(forcing, step, step, floe)
    state = last_state(run)
    # spin a real torque would give: stress x area x size / inertia x time; here a part in 1e13 of it
    stress = WATER_DENSITY * WATER_DRAG * ((abs(u) + 0.4) ** 2 + (abs(v) + 0.4) ** 2)
    scale = stress * floe.area * math.sqrt(floe.area) / floe.inertia * step
    assert abs(state[5]) <= 1e-13 * scale


def test_uneven_thickness_turns_in_the_wind():
    """The centre of mass is not the centre of the area: the wind has a lever, M_z = stress x (first moment of area)."""
    floe = bq.Floe([[0, 0], [40, 0], [40, 20], [0, 20]], thickness=lambda x, y: 0.5 + x / 20)
    lever = 20.0 - floe.centre[0]  # the area's centre from the centre of mass, along x
    torque = AIR_DENSITY * AIR_DRAG * 100.0 * 800.0 * lever  # wind along y
    run = drift(bq.Forcing(wind=(0, 10.0)), 1e-3, 1e-3, floe)
    assert last_state(run)[5] == pytest.approx(torque / floe.inertia * 1e-3, rel=1e-10)


def test_gravity_and_water_give_the_terminal_speed():
    """m g = rho_w C_w S V^2 down a slope of the sea surface."""
    floe = bq.Floe(SHAPE, thickness=0.5)
    run = drift(bq.Forcing(current=(0, 0), gravity=(0, -1e-3)), "2 d", 300.0, floe)
    assert last_state(run)[4] == pytest.approx(-math.sqrt(917 * 0.5 * 1e-3 / (WATER_DENSITY * WATER_DRAG)), rel=1e-12)


@pytest.mark.parametrize("angle", [25.0, -25.0])
def test_turning_angle(angle):
    """Still air, no Coriolis: the water drag leans on the drift, so V = U_w; with wind V makes the angle with it."""
    run = drift(bq.Forcing(wind=(10, 0), current=(0, 0), turning_angle=angle), "5 d", 600.0)
    u, v = last_state(run)[3:5]
    # tau_a + R(angle) (-k |V| V) = 0: V = R(-angle) N U_a
    assert complex(u, v) == pytest.approx(NANSEN * 10 * np.exp(-1j * math.radians(angle)), abs=1e-12)


def test_relative_wind():
    """rho_a C_a (U - V)^2 = rho_w C_w V^2: V = N U / (1 + N)."""
    run = drift(bq.Forcing(wind=(10, 0), current=(0, 0), relative_wind=True), "5 d", 600.0)
    assert last_state(run)[3] == pytest.approx(NANSEN * 10 / (1 + NANSEN), rel=1e-12)


def test_constants_are_settable():
    """Drag coefficients a floe, densities a fluid: N = sqrt(rho_a C_a / (rho_w C_w)) with those."""
    floe = bq.Floe(SHAPE, air_drag=3e-3, water_drag=8e-3, density=850.0)
    run = drift(bq.Forcing(wind=(8, 0), current=(0, 0), air_density=1.2, water_density=1000.0), "5 d", 600.0, floe)
    assert last_state(run)[3] == pytest.approx(8 * math.sqrt(1.2 * 3e-3 / (1000 * 8e-3)), rel=1e-12)
