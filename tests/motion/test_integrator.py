"""What the integrators promise: no blow-up at any step, steady states kept, a ledger that closes, Euler's bounds."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_motion import last_state
from scipy.optimize import minimize_scalar
from shapes import star

import banquise as bq
from banquise.motion.free_velocity import euler_bound, free_motion_of

RING = [[0, 0], [40, 0], [40, 30], [10, 30], [10, 10], [0, 10]]
N = math.sqrt(1.341 * 1.7e-3 / (1024.071 * 5e-3))


def run_of(floe, forcing, until, step, every=None, **options):
    sim = bq.Simulation(bq.Scene([floe]), forcing, scheme=bq.EventDriven(max_step=step), **options)
    return sim.run(until=until, every=every or until)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0, 8),
    st.floats(-2, 1),
    st.floats(-85, 85),
    st.booleans(),
    st.sampled_from([0.0, 1.4e-4, -1e-3]),
    st.integers(0, 2**31),
)
def test_stable_at_giant_steps(decades, thin, turning, relative, coriolis, seed):
    """Thin or thick, fast or spinning, any step: the speed stays below what it was or what the flows can give."""
    rng = np.random.default_rng(seed)
    wind, current = rng.normal(0, 10, 2), rng.normal(0, 0.5, 2)
    floe = bq.Floe(star(rng, 9), thickness=10**thin, velocity=rng.normal(0, 3, 2), spin=rng.normal(0, 0.1))
    step = 10**decades
    forcing = bq.Forcing(wind=wind, current=current, turning_angle=turning, relative_wind=relative, coriolis=coriolis)
    run = run_of(floe, forcing, min(8 * step, 2e6), step, every=min(2 * step, 5e5))
    speed = np.hypot(run.dataset.u, run.dataset.v).values[:, 0]
    assert np.isfinite(speed).all()
    start = np.hypot(*floe.velocity) + abs(floe.spin) * 50.0
    # the turning angle lets the drift exceed N U_a by 1 / cos(angle); 1.5 for the overshoot of a force held a step
    reach = (N * np.hypot(*wind) + 2 * np.hypot(*current)) / math.cos(math.radians(turning))
    assert speed.max() <= 1.5 * (start + reach)
    gained = np.abs(run.ledger.balance).max() / max(float(np.abs(run.ledger.kinetic_energy).max()), 1.0)
    assert gained < 1e-9


def test_steady_drift_stays_steady():
    """A floe that already drifts at N U_a + U_w keeps its velocity, to round-off, at any step."""
    for step in (1.0, 1e3, 1e6):
        floe = bq.Floe(RING, velocity=(N * 10 + 0.2, 0.1))
        run = run_of(floe, bq.Forcing(wind=(10, 0), current=(0.2, 0.1)), 10 * step, step)
        assert last_state(run)[3:5] == pytest.approx(floe.velocity, rel=1e-14)


def test_linear_decay_is_followed_at_any_step():
    """In a strong current a small difference decays at the rate 2 k |U| along it: the fitted weight follows e^-z."""
    k = 1024.071 * 5e-3 / 917
    rate = 2 * k * (10 * N)
    for z in (0.1, 1.0, 5.0):
        step = z / rate
        floe = bq.Floe(RING, velocity=(10 * N + 1e-6, 0.0))
        run = run_of(floe, bq.Forcing(wind=(10, 0), current=(0, 0)), step, step)
        left = (last_state(run)[3] - 10 * N) / 1e-6
        # the weight is fitted to the mean of the rates along and across the flow, 3/4 of the one along: close, not exact
        assert abs(left - math.exp(-z)) < 0.12


def test_ledger_closes_to_round_off():
    """Wind, field current, gravity, loads, own forces, Coriolis, turning: work in = kinetic energy gained."""

    def current(x, y, t):
        return 0.3 * np.sin(y / 40 + t / 900), 0.2 * np.cos(x / 60)

    forcing = bq.Forcing(
        wind=bq.Series([0, 1800, 4000], [5, 15, -3], [0, 4, 8]),
        current=current,
        latitude=75.0,
        gravity=(1e-4, -2e-4),
        loads=[bq.Load(0, force=(3e4, 0), point=(3, 4), start=100, stop=1000.5)],
        forces=[lambda s: np.stack([0 * s.x, 50.0 * np.sin(s.time / 99) + 0 * s.x, 10 + 0 * s.x], axis=1)],
        relative_wind=True,
        turning_angle=20.0,
    )
    run = run_of(bq.Floe(RING, spin=0.02, velocity=(0.5, 0)), forcing, 3600.0, 30.0, every=60.0)
    moved = sum(np.abs(run.ledger[name]).max() for name in ("work_wind", "work_current", "work_gravity", "work_loads"))
    assert float(np.abs(run.ledger.balance).max()) < 1e-13 * 200 * float(moved)  # 200 sums of round-off
    for name in ("work_wind", "work_current", "work_gravity", "work_loads"):
        assert float(np.abs(run.ledger[name]).max()) > 0


def test_work_of_the_wind_is_force_times_path():
    """A steady wind without water: its work is stress x area x distance, and all of it is kinetic energy."""
    floe = bq.Floe(RING)
    run = run_of(floe, bq.Forcing(wind=(8.0, 6.0)), 900.0, 50.0)
    force = 1.341 * 1.7e-3 * 10.0 * floe.area
    x, y = last_state(run)[:2] - floe.centre
    assert float(run.ledger.work_wind[-1]) == pytest.approx(force * (8 * x + 6 * y), rel=1e-12)
    assert float(run.ledger.kinetic_energy[-1]) == pytest.approx(force * (8 * x + 6 * y), rel=1e-12)


def test_euler_ledger_shows_what_coriolis_adds():
    """Moved by the mean velocity its ledger closes too, except for the energy that Euler's Coriolis makes up."""
    floe = bq.Floe(RING, spin=0.01, velocity=(0.2, 0))
    forcing = dict(wind=(10, 0), current=(0, 0))
    run = run_of(floe, bq.Forcing(**forcing), 1200.0, 20.0, integrator="euler")
    assert abs(float(run.ledger.balance[-1])) < 1e-12 * float(run.ledger.work_wind[-1])
    balances = []
    for step in (20.0, 10.0, 5.0):
        run = run_of(floe, bq.Forcing(**forcing, coriolis=1.4e-4), 1200.0, step, integrator="euler")
        balances.append(float(run.ledger.balance[-1]))
    assert min(balances) > 0
    order = np.polyfit(np.log([20.0, 10.0, 5.0]), np.log(balances), 1)[0]
    assert 0.9 < order < 1.1, balances  # first order, as the scheme


@pytest.mark.parametrize("thickness,wind,bound", [(1.0, 10.0, 424.0), (0.25, 16.0, 66.0)])
def test_eulers_bound_is_enforced_and_said(thickness, wind, bound):
    """rho h / (2 |U_a| sqrt(rho_a C_a rho_w C_w)): 424 s and 66 s."""
    floe = bq.Floe(RING, thickness=thickness)
    forcing = bq.Forcing(wind=(wind, 0), current=(0, 0))
    bodies = bq.Scene([floe]).bodies()
    exact = 917 * thickness / (2 * wind * math.sqrt(1.341 * 1.7e-3 * 1024.071 * 5e-3))
    assert euler_bound(bodies, forcing, 0.0) == pytest.approx(exact, rel=1e-12)
    assert exact == pytest.approx(bound, abs=0.5)
    with pytest.warns(UserWarning, match=rf"explicit Euler: step cut from 5000 to {exact:.4g}"):
        run = run_of(floe, forcing, 50_000.0, 5000.0, integrator="euler")
    assert int(run.ledger.steps.sum()) >= 50_000 / exact
    assert last_state(run)[3] == pytest.approx(N * wind, rel=1e-6)  # and so it settles


def test_eulers_second_bound():
    """2 K / L with current along the wind; smaller than the first when the water runs fast."""
    a, w, k = N * 10.0, 0.8, 1024.071 * 5e-3 / 917
    bodies = bq.Scene([bq.Floe(RING)]).bodies()
    bound = euler_bound(bodies, bq.Forcing(wind=(10, 0), current=(0.8, 0)), 0.0)
    assert bound == pytest.approx(min(1 / (2 * k * a), 2 * (a + w) / (k * (a * a + (a + 2 * w) ** 2)), 1 / (2 * k * w)))


def test_euler_when_wind_and_water_oppose_each_other():
    """K is zero there; the bound must not be: the step stays positive, and the floe stays put."""
    forcing = bq.Forcing(wind=(10, 0), current=(-10 * N, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_of(bq.Floe(RING), forcing, 3600.0, 600.0, integrator="euler")
    assert abs(last_state(run)[3]) < 1e-12


def test_euler_with_a_fast_start():
    """The papers' bounds suppose a start from rest; a floe thrown at 20 m/s into still water must not blow up."""
    floe = bq.Floe(RING, thickness=0.2, velocity=(20, 0), spin=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_of(floe, bq.Forcing(current=(0, 0)), 600.0, 60.0, every=10.0, integrator="euler")
    speed = np.abs(run.dataset.u.values[:, 0])
    assert (np.diff(speed) <= 1e-12).all()


def test_euler_gains_energy_from_coriolis():
    """Why it is not the default: |V| grows by sqrt(1 + (f dt)^2) a step."""
    f, step = 1.4e-4, 100.0
    floe = bq.Floe(RING, velocity=(0.3, 0.4))
    run = run_of(floe, bq.Forcing(coriolis=f), 10_000.0, step, integrator="euler")
    assert np.hypot(*last_state(run)[3:5]) == pytest.approx(0.5 * (1 + (f * step) ** 2) ** 50, rel=1e-12)


def test_same_bits_for_any_number_of_threads():
    from banquise.threads import set_threads

    rng = np.random.default_rng(0)
    floes = [
        bq.Disc((30.0 * (k % 80), 30.0 * (k // 80)), 10.0, velocity=rng.normal(0, 1, 2), spin=0.1) for k in range(3200)
    ]
    forcing = bq.Forcing(wind=(10, 3), current=(0.1, 0.2), latitude=80)
    ends = []
    try:
        for n in (1, 2):
            set_threads(n)
            sim = bq.Simulation(bq.Scene(floes), forcing)
            from banquise.step import free_step

            free_step(sim, 60.0)
            ends.append(np.stack([sim.bodies.x, sim.bodies.u, sim.bodies.spin]).tobytes())
    finally:
        set_threads()
    assert ends[0] == ends[1]


def test_moving_obstacles_follow_their_orders():
    """Steady velocity and spin, and a path: where they are at the end, and that floes far away do not mind."""
    rock = [[0, 0], [10, 0], [10, 10], [0, 10]]
    obstacles = [
        bq.Obstacle(rock, velocity=(0.5, -0.25), spin=0.01),
        bq.Obstacle(np.array(rock) + 500, path=lambda t: (505 + 3 * math.sin(t / 50), 505 + t / 10, 0.02 * t)),
    ]
    sim = bq.Simulation(bq.Scene([bq.Disc((-900, -900), 5)], obstacles), scheme=bq.EventDriven(max_step=7.0))
    sim.run(until=100.0)
    b = sim.bodies
    assert (b.x[1], b.y[1], b.angle[1]) == pytest.approx((5 + 50, 5 - 25, 1.0), rel=1e-13)
    assert (b.x[2], b.y[2], b.angle[2]) == pytest.approx((505 + 3 * math.sin(2), 515.0, 2.0), rel=1e-13)


@pytest.mark.parametrize("current", [(0.1, -0.2), lambda x, y, t: (0.3 * np.sin(y / 40), 0.2 * np.cos(x / 60))])
def test_some_rows_move_as_they_do_among_all(current):
    """The same bits, whoever else is asked for; rows not asked for are left alone."""
    rng = np.random.default_rng(5)
    floes = [bq.Floe(star(rng, 9) + [300 * k, 0], velocity=rng.normal(0, 0.3, 2), spin=0.01 * k) for k in range(6)]
    bodies = bq.Scene(floes).bodies()
    forcing = bq.Forcing(wind=(8, 3), current=current, latitude=70.0, turning_angle=15.0, relative_wind=True)
    steps, pushes = rng.uniform(1, 50, 6), rng.normal(0, 100, (6, 3))
    whole = free_motion_of(bodies, forcing, 0.0, steps, pushes)
    part = free_motion_of(bodies, forcing, 0.0, steps, pushes)
    rows = np.array([4, 1])
    for column in (part.velocity, part.displacement, part.force):
        column[:] = np.nan
    free_motion_of(bodies, forcing, 0.0, steps, pushes, chosen=rows, out=part)
    for got, expected in zip(
        (part.velocity, part.displacement, part.force), (whole.velocity, whole.displacement, whole.force), strict=True
    ):
        assert np.array_equal(got[rows], expected[rows])
        assert np.isnan(got[[0, 2, 3, 5]]).all()


@pytest.mark.parametrize("step", [0.2, 5.0, 300.0])
def test_a_floe_moves_the_same_whoever_is_done_together_with_it(step):
    """In a uniform flow floes are done sixteen at a time: the same bits wherever a floe stands in a block, full or not."""
    rng = np.random.default_rng(6)
    n = 37
    floes = [
        bq.Floe(
            star(rng, 9), thickness=10 ** rng.uniform(-2, 0.5), velocity=rng.normal(0, 0.3, 2), spin=rng.normal(0, 0.01)
        )
        for _ in range(n)
    ]
    bodies = bq.Scene(floes).bodies()
    forcing = bq.Forcing(wind=(8, 3), current=(0.1, -0.2), latitude=70.0, turning_angle=15.0)
    steps, pushes = np.full(n, step), rng.normal(0, 100, (n, 3))
    steps[::5] = 0.0  # some wait
    whole = free_motion_of(bodies, forcing, 0.0, steps, pushes)
    assert np.array_equal(whole.velocity[::5], np.column_stack([bodies.u, bodies.v, bodies.spin])[::5])
    for rows in (
        rng.permutation(n),
        np.arange(n)[::-1].copy(),
        *(np.arange(k, k + 1) for k in (0, 17, 36)),
        np.arange(3, 20),
    ):
        part = free_motion_of(bodies, forcing, 0.0, steps, pushes, chosen=rows)
        for column in ("velocity", "displacement", "force"):
            assert np.array_equal(getattr(part, column)[rows], getattr(whole, column)[rows])


def test_what_moved_before_does_not_matter():
    """The work space of a thread is used again: nothing of a flow that varied, or of an air that blew, is left in it."""
    rng = np.random.default_rng(7)
    bodies = bq.Scene([bq.Floe(star(rng, 9), thickness=0.02, velocity=(0.3, 0.1), spin=0.02)]).bodies()
    steps, pushes = np.array([300.0]), np.zeros((1, 3))  # long: by Newton's method
    cases = [(bq.Forcing(current=(0.0, 0.0)), euler) for euler in (False, True)]
    before = [free_motion_of(bodies, forcing, 0.0, steps, pushes, euler).velocity for forcing, euler in cases]
    varied = bq.Forcing(
        wind=lambda x, y, t: (9 + 0 * x, 3 + 0 * x),
        current=lambda x, y, t: (0.3 + 0 * x, 0.2 + 0 * x),
        relative_wind=True,
    )
    for other in (varied, bq.Forcing(wind=(9, 3), current=(0.2, 0.1), turning_angle=20.0)):
        free_motion_of(bodies, other, 0.0, steps, pushes)
        for (forcing, euler), expected in zip(cases, before, strict=True):
            assert np.array_equal(free_motion_of(bodies, forcing, 0.0, steps, pushes, euler).velocity, expected)


@pytest.mark.parametrize("step", [0.2, 5.0, 300.0])
@pytest.mark.parametrize("relative", [False, True])
def test_the_force_of_a_step_is_the_drag_within_it(step, relative):
    """The held force is the sum over the points at one velocity between start and end, whatever way it was found.

    Here by scipy from the points themselves: thin and thick, slow flow past floes that spin, and steps beyond Euler's.
    """
    rng = np.random.default_rng(8)
    for k in range(12):
        floe = bq.Floe(
            star(rng, 12), thickness=10 ** rng.uniform(-1, 0.5), velocity=rng.normal(0, 0.2, 2), spin=0.02 * k
        )
        b = bq.Scene([floe]).bodies()
        forcing = bq.Forcing(wind=(9, -4), current=(0.1, 0.05), turning_angle=20.0, relative_wind=relative)
        free = free_motion_of(b, forcing, 0.0, np.array([step]), np.zeros((1, 3)))
        start, end = np.array([b.u[0], b.v[0], b.spin[0]]), free.velocity[0]
        turn = 0.5 * step * b.spin[0]
        c, s = math.cos(turn), math.sin(turn)
        x, y = c * b.few_x[0] - s * b.few_y[0], s * b.few_x[0] + c * b.few_y[0]

        def drag(velocity, x=x, y=y, weight=b.few_w[0]):
            du, dv = 0.1 - velocity[0] + velocity[2] * y, 0.05 - velocity[1] - velocity[2] * x
            size = 1024.071 * 5e-3 * weight * np.hypot(du, dv)
            t = math.radians(20.0)
            fx, fy = size * (math.cos(t) * du - math.sin(t) * dv), size * (math.sin(t) * du + math.cos(t) * dv)
            return np.array([fx.sum(), fy.sum(), (x * fy - y * fx).sum()])

        misses = minimize_scalar(
            lambda theta, f=free.force[0, 1], a=start, z=end, drag=drag: np.abs(drag((1 - theta) * a + theta * z) - f)[:2].sum(),
            bounds=(0.49, 1.01), method="bounded", options={"xatol": 1e-13},
        )  # fmt: skip
        scale = np.abs(drag(start)).sum() + np.abs(drag(end)).sum()
        assert misses.fun < 1e-7 * scale  # 1e-10 of the speed in the solution, and scipy's search for the weight
