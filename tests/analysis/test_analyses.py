"""Each analysis on a case whose answer is known: lattice of discs, Poisson pattern, rigid rotation, two clusters, ..."""

import math

import numpy as np
import pytest
from analysis.recorded import centres, lattice, recorded

import banquise as bq
from banquise.analysis.structures import fit_gumbel
from banquise.errors import CaseError, RunFileError
from banquise.scene.makers.sizes import power_law

SQUARE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def still(floes, **options):
    x, y = centres(floes).T
    return recorded(floes, [0.0, 10.0], x, y, **options)


# ---------------------------------------------------------------- sizes


def test_exponent_of_drawn_sizes_lies_in_its_interval_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(120):
        sizes = power_law(rng.random(60), 5.0, 100.0, 1.5)
        run = still([bq.Disc((0, 0), s) for s in sizes])
        found = bq.analysis.size_distribution(run, min_size=5.0, max_size=100.0)
        inside += found.interval[0] <= 1.5 <= found.interval[1]
    # 120 trials at 95 %: 114, a standard deviation is 2.4
    assert 106 <= inside <= 120


def test_sizes_are_radii_of_discs():
    found = bq.analysis.size_distribution(still([bq.Disc((0, 0), r) for r in (3.0, 1.0, 2.0)]))
    assert found.sizes == pytest.approx([1, 2, 3]) and found.larger.tolist() == [3, 2, 1]


# ---------------------------------------------------------------- concentration


def test_lattice_of_discs():
    run = still(lattice(8, 10.0, 4.0))
    part = math.pi * 16 / 100
    whole = bq.analysis.concentration(run, (0, 80, 0, 80), follow=False)
    assert whole.values == pytest.approx(part, rel=1e-12)
    # cut through discs: a window of 3.5 cells ends in the middle of a disc; polygons of 64 sides scaled to the exact area
    cut = bq.analysis.concentration(run, (0, 35, 0, 35), follow=False)
    assert cut.values == pytest.approx(part, rel=1e-3)
    assert cut.values == pytest.approx(part, abs=1e-12)  # symmetric halves and quarters
    cells = bq.analysis.concentration_grid(run, 10.0, window=(0, 80, 0, 80))
    assert cells.shape == (8, 8) and cells.values == pytest.approx(part, rel=1e-12)
    halves = bq.analysis.concentration_grid(run, 5.0, window=(0, 80, 0, 80))
    assert halves.values == pytest.approx(part, rel=1e-9)


def test_window_follows_the_ice_and_obstacles_are_no_water():
    floes = lattice(4, 10.0, 4.0)
    x, y = centres(floes).T
    times = np.linspace(0, 100, 6)
    rock = bq.Obstacle([[0, 0], [20, 0], [20, 40], [0, 40]])
    run = recorded(floes, times, x + 0.5 * times[:, None], y, u=0.5)
    follows = bq.analysis.concentration(run, (40, 40))
    assert follows.values == pytest.approx(math.pi * 16 / 100)
    stays = bq.analysis.concentration(run, (40, 40), follow=False).values
    assert stays[-1] == 0 and stays[2] == pytest.approx(math.pi * 16 / 100 / 2)
    beside = recorded(floes, [0, 1], x + 20, y, obstacles=[rock])
    # a window half of rock: the ice of two columns over the water of two
    assert bq.analysis.concentration(beside, (0, 40, 0, 40), False).values == pytest.approx(math.pi * 16 / 100)


def test_periodic_images_count():
    box = {"kind": "periodic", "xmin": 0.0, "xmax": 30.0, "ymin": 0.0, "ymax": 30.0}
    run = still([bq.Disc((0.5, 29.5), 4.0), bq.Disc((15, 15), 4.0)], case={"domain": box})
    whole = 2 * math.pi * 16
    assert bq.analysis.concentration(run).values == pytest.approx(whole / 900)
    cells = bq.analysis.concentration_grid(run, 7.5)
    assert cells.values.sum() * 7.5**2 == pytest.approx(whole)
    assert cells.values[0, 0] > 0 and cells.values[-1, 0] > 0 and cells.values[-1, -1] > 0


def test_poisson_pattern():
    """Points at random: the ice in cells varies as N a (1 - 1/cells), clusters are those of the pair distances."""
    rng = np.random.default_rng(2)
    n, side, radius = 4000, 1000.0, 0.5
    floes = [bq.Disc(p, radius) for p in rng.uniform(0, side, (n, 2))]
    run = still(floes)
    cells = bq.analysis.concentration_grid(run, 50.0, window=(0, side, 0, side)).values * 2500 / (math.pi * radius**2)
    expected = n / 400
    # mean and variance of a Poisson count are equal; the variance of 400 cells is known to 7 %
    assert cells.mean() == pytest.approx(expected, rel=1e-3)
    assert cells.var() == pytest.approx(expected, rel=0.25)
    found = bq.analysis.clusters(run, [0.0])
    # neighbours nearer than reach = 2 r + gap: alone with probability exp(-density pi reach^2)
    reach = 2 * radius + 0.01 * math.sqrt(math.pi) * radius
    alone = n * math.exp(-n / side**2 * math.pi * reach**2)
    assert float(found["alone"][0]) == pytest.approx(alone, abs=4 * math.sqrt(n - alone))


# ---------------------------------------------------------------- fields


def test_rigid_rotation_has_no_strain():
    floes = lattice(10, 10.0, 4.0)
    (x, y), turn = centres(floes).T - 50.0, 2e-3
    run = recorded(floes, [0, 1, 2], x, y, u=-turn * y, v=turn * x, spin=turn)
    fields = bq.analysis.gridded(run, 20.0, window=(-50, 50, -50, 50))
    assert np.abs(fields["divergence"]).max() < 1e-12 * turn
    assert np.abs(fields["shear"]).max() < 1e-12 * turn
    assert fields["vorticity"].values == pytest.approx(2 * turn, rel=1e-10)
    # whole discs lie in the cells: the mean velocity is that of the cell's middle
    assert fields["u"].values == pytest.approx(np.broadcast_to(-turn * fields["y"].values[:, None], (5, 5)))
    assert fields["v"].values == pytest.approx(np.broadcast_to(turn * fields["x"].values, (5, 5)))


def test_strain_of_a_linear_motion_is_exact_on_any_grid():
    floes = lattice(12, 10.0, 4.0)
    (x, y) = centres(floes).T + 1e6  # far from the origin: the fit keeps its digits
    gradient = np.array([[3e-4, -1e-4], [5e-4, -2e-4]])
    u, v = gradient @ np.stack([x - 1e6, y - 1e6])
    fields = bq.analysis.gridded(recorded(floes, [0, 1], x, y, u=u, v=v), 17.0, follow=True)
    assert fields["divergence"].values == pytest.approx(1e-4, rel=1e-7)
    assert fields["shear"].values == pytest.approx(math.hypot(5e-4, 4e-4), rel=1e-7)
    assert fields["vorticity"].values == pytest.approx(6e-4, rel=1e-7)


def test_stress_of_a_lattice_under_pressure():
    """Discs of a square lattice that push each neighbour with F: forces 2 x F r / a^2 on each axis, -F / a in all."""
    radius, force = 5.0, 300.0
    floes = lattice(6, 2 * radius, radius)
    x, y = centres(floes).T
    moment = np.zeros((2, 3, 36))
    moment[1, 0] = moment[1, 2] = -2 * force * radius
    run = recorded(floes, [0, 10], x, y, stress=moment / (floes[0].area * floes[0].thickness))
    fields = bq.analysis.gridded(run, 20.0, times=[10.0], window=(0, 60, 0, 60))
    assert fields["pressure"].values == pytest.approx(force / (2 * radius), rel=1e-3)
    assert np.abs(fields["stress_xy"]).max() == 0
    # the polygon of a disc, of its exact area, reaches a little beyond the disc and the window
    assert fields["stress_xx"].values.sum() * 400 == pytest.approx(moment[1, 0].sum(), rel=1e-5)


def test_runs_without_contacts_say_what_to_do():
    run = still(lattice(2, 10.0, 4.0))
    with pytest.raises(RunFileError, match="contacts=True"):
        bq.analysis.force_chains(run)


# ---------------------------------------------------------------- clusters


def test_two_clusters():
    """Three squares in a row, two discs that touch, and one floe alone."""
    floes = [bq.Floe(SQUARE * 5 + (10.0 * k, 0)) for k in range(3)]
    floes += [bq.Disc((100, 0), 3.0), bq.Disc((100, 7.0), 4.0), bq.Floe(SQUARE + (60.0, 60.0))]
    found = bq.analysis.clusters(still(floes), [0.0])
    label = found["label"].values[0]
    assert len(set(label[:3])) == 1 and label[3] == label[4] and len(set(label)) == 3
    assert label[0] == 0 and label[3] == 1 and label[5] == 2  # by area
    assert (int(found["count"][0]), int(found["alone"][0]), int(found["largest"][0])) == (2, 1, 3)
    assert float(found["mean_size"][0]) == 2.5
    assert float(found["largest_area"][0]) == pytest.approx(300 / (300 + 25 * math.pi + 4))
    apart = [*floes[:1], bq.Floe(SQUARE * 5 + (10.2, 0))]
    assert int(bq.analysis.clusters(still(apart), [0.0])["count"][0]) == 0  # 0.2 m of 10 m is beyond a hundredth
    assert int(bq.analysis.clusters(still(apart), [0.0], gap=0.03)["count"][0]) == 1


def test_clusters_across_a_periodic_border():
    box = {"kind": "periodic", "xmin": 0.0, "xmax": 30.0, "ymin": 0.0, "ymax": 30.0}
    run = still([bq.Disc((3, 15), 3.0), bq.Disc((27, 15), 3.0)], case={"domain": box})
    assert int(bq.analysis.clusters(run)["count"][0]) == 1


# ---------------------------------------------------------------- dispersion and velocities


def test_dispersion_of_straight_flight_and_of_a_rotation():
    floes = lattice(6, 10.0, 1.0)
    x, y = centres(floes).T - 30.0
    t = np.linspace(0, 100, 21)[:, None]
    rng = np.random.default_rng(0)
    u, v = rng.normal(0.2, 0.1, (2, 36))
    flight = bq.analysis.absolute_dispersion(recorded(floes, t[:, 0], x + u * t, y + v * t))
    assert flight["dispersion"].values == pytest.approx(np.mean(u**2 + v**2) * t[:, 0] ** 2)
    assert flight["slope"].values[1:] == pytest.approx(2.0)
    fluctuating = bq.analysis.absolute_dispersion(recorded(floes, t[:, 0], x + u * t, y + v * t), about_mean=True)
    assert fluctuating["dispersion"].values == pytest.approx((u.var() + v.var()) * t[:, 0] ** 2)
    turn = 0.01 * t
    c, s = np.cos(turn), np.sin(turn)
    rotation = bq.analysis.relative_dispersion(recorded(floes, t[:, 0], c * x - s * y, s * x + c * y), (9.0, 11.0))
    assert rotation.attrs["pairs"] == 60
    assert rotation["separation2"].values == pytest.approx(100.0) and np.abs(rotation["stretch"]).max() < 1e-12
    assert rotation["dispersion"].values == pytest.approx(400 * np.sin(turn[:, 0] / 2) ** 2)
    growth = 1 + 1e-3 * t
    spread = bq.analysis.relative_dispersion(recorded(floes, t[:, 0], growth * x, growth * y), (9.0, 11.0))
    assert spread["stretch"].values == pytest.approx(np.log(growth[:, 0]))
    with pytest.raises(CaseError, match="no two floes"):
        bq.analysis.relative_dispersion(recorded(floes, t[:, 0], x, y), (1.0, 2.0))


def test_paths_across_a_periodic_border_go_on():
    box = {"kind": "periodic", "xmin": 0.0, "xmax": 30.0, "ymin": 0.0, "ymax": 30.0}
    t = np.arange(20.0)
    for speed in (
        4.0,
        29.0,
        70.0,
    ):  # m from record to record: much less than the domain, nearly all of it, more than two
        run = recorded([bq.Disc((1, 1), 1.0)], t, (1 + speed * t)[:, None], 1.0, case={"domain": box})
        assert bq.analysis.absolute_dispersion(run)["dispersion"].values == pytest.approx((speed * t) ** 2)


def test_ice_that_has_gone_through_a_periodic_border_is_still_there():
    """A true run: what it records goes on across the border, however often; concentration stays, neighbours stay."""
    sea = bq.Periodic(0.0, 30.0, 0.0, 30.0)
    pair = [
        bq.Disc((5, 10), 4.0, velocity=(2, -1)),
        bq.Disc((13.01, 10), 4.0, velocity=(2, -1)),
        bq.Disc((20, 22), 3.0, velocity=(2, -1)),
    ]
    run = bq.Simulation(bq.Scene(pair, domain=sea), bq.Forcing(), contact=bq.Contact(friction=0.0)).run(
        until=100, every=50
    )
    assert float(run.dataset.x[-1, 0]) == pytest.approx(205.0)  # seven seas on
    ice = math.pi * (16 + 16 + 9)
    assert bq.analysis.concentration(run).values == pytest.approx(ice / 900, rel=1e-9)
    assert bq.analysis.concentration_grid(run, 7.5).values.sum() * 7.5**2 == pytest.approx(ice, rel=1e-9)
    cells = bq.analysis.gridded(run, 10.0)["concentration"].values
    assert cells.shape[-2:] == (3, 3) and cells.sum(axis=(-2, -1)) * 100 == pytest.approx(ice, rel=1e-9)
    moved = bq.analysis.absolute_dispersion(run)["dispersion"].values
    assert moved[-1] == pytest.approx(5 * 100**2)  # all drift alike and never meet
    # one that has gone all around meets the one that stayed: neighbours over seven borders
    apart = recorded([bq.Disc((5, 5), 4.0), bq.Disc((13.01, 5), 4.0)], [0, 1], np.array([[5.0, 13.01], [215.0, 13.01]]), 5.0,
                     case={"domain": {"kind": "periodic", "xmin": 0.0, "xmax": 30.0, "ymin": 0.0, "ymax": 30.0}})  # fmt: skip
    assert bq.analysis.clusters(apart)["label"].values[-1].tolist() == [0, 0]


def test_velocities_with_a_known_memory():
    """Velocities that forget at a rate 1 / T (a discrete Ornstein-Uhlenbeck process): correlation exp(-t / T)."""
    rng = np.random.default_rng(1)
    floes = [bq.Disc((0, 0), 1.0) for _ in range(400)]
    step, memory, speed, count = 60.0, 600.0, 0.1, 400
    keep = math.exp(-step / memory)
    velocity = np.empty((count, 400, 2))
    velocity[0] = speed * rng.standard_normal((400, 2))
    for k in range(1, count):
        velocity[k] = keep * velocity[k - 1] + speed * math.sqrt(1 - keep**2) * rng.standard_normal((400, 2))
    velocity += (0.3, -0.1)
    place = np.concatenate([np.zeros((1, 400, 2)), np.cumsum(velocity, axis=0) * step])
    run = recorded(floes, step * np.arange(count + 1), place[..., 0], place[..., 1])
    found = bq.analysis.velocity_statistics(run, max_lag="2 h")
    # 400 floes over 40 memories: 16000 independent values, the rms to half a percent, the mean to 0.001
    assert found.mean == pytest.approx((0.3, -0.1), abs=0.004)
    assert found.rms == pytest.approx((speed, speed), rel=0.02)
    assert found.excess_kurtosis == pytest.approx((0, 0), abs=0.15)
    lag = found.correlation["lag"].values
    assert found.correlation.values[:20, 0] == pytest.approx(np.exp(-lag[:20] / memory), abs=0.03)
    assert found.integral_time == pytest.approx((memory, memory), rel=0.1)
    assert found.diffusivity == pytest.approx((speed**2 * memory,) * 2, rel=0.12)
    assert found.kinetic_energy == pytest.approx(speed**2, rel=0.04)


# ---------------------------------------------------------------- collisions, energy


def test_collisions_per_hour():
    times = np.arange(0, 7201.0, 600)
    events = np.zeros((90, 10))
    events[:, 0] = np.concatenate([np.linspace(1, 3599, 60), np.linspace(3601, 7199, 30)])
    events[:, 3], events[:, 6] = 1, 5.0
    events[1, 0] = events[0, 0]  # two points of one impact
    run = recorded([bq.Disc((0, 0), 1), bq.Disc((9, 0), 1)], times, [0, 9], 0, events=events)
    assert bq.analysis.collision_rate(run).values.tolist() == [60, 30]
    assert bq.analysis.collision_rate(run, count="pairs").values.tolist() == [59, 30]
    assert bq.analysis.collision_rate(run, "30 min").values.sum() / 2 == 90
    assert bq.analysis.collision_rate(run, min_impulse=6.0).values.tolist() == [0, 0]


def test_energy_of_a_floe_alone_is_that_of_free_drift():
    """Wind of 10 m/s, still water: speed U tanh-like to U = sqrt(rho_a C_a / rho_w C_w) x 10; nobody meets: fraction 1."""
    scene = bq.Scene([bq.Disc((0, 0), 20.0), bq.Disc((0, 100), 30.0, thickness=2.0)])
    sim = bq.Simulation(scene, bq.Forcing(wind=(10, 0), current=(0, 0)), scheme=bq.EventDriven(max_step=20.0))
    run = sim.run("2 h", "10 min")
    found = bq.analysis.energy_fraction(run, sim, max_step=20.0)
    assert found["fraction"].values[1:] == pytest.approx(1.0, rel=1e-9)
    speed = 10 * math.sqrt(1.341 * 1.7e-3 / (1024.071 * 5e-3))
    whole = 0.5 * sum(f.mass for f in scene.floes) * speed**2
    # (U tanh(a t) with a t of about 8 for the thick floe)
    assert float(found["bound"][-1]) == pytest.approx(whole, rel=1e-3)


# ---------------------------------------------------------------- chains, jams, loads


def test_a_row_carries_one_chain():
    floes = [bq.Disc((10.0 * k, 0), 5.0) for k in range(4)] + [bq.Disc((0, 30), 5.0), bq.Disc((0, 40), 5.0)]
    wall = bq.Obstacle([[-15, -50], [-5, -50], [-5, 50], [-15, 50]], name="wall")
    pairs = [(0, 1, 100), (1, 2, 90), (2, 3, 80), (4, 5, 10), (0, 6, 100), (4, 6, 10)]
    rows = np.array([[10.0, a, b, 0, 0, 10.0 * f, 0] for a, b, f in pairs])
    x, y = centres(floes).T
    run = recorded(floes, [0, 10], x, y, obstacles=[wall], contacts=rows)
    found = bq.analysis.force_chains(run)
    assert found.lengths == (5,) and found.contacts["force"].tolist() == [100, 90, 80, 10, 100, 10]
    assert found.contacts["chain"].tolist() == [0, 0, 0, -1, 0, -1]  # the wall does not join the two rows
    assert found.mean_force == pytest.approx(65) and found.share == pytest.approx(370 / 390)


def pressed(gap=0.0):
    """Two discs in a row pushed by 1 kN each against a wall."""
    wall = bq.Obstacle([[-15, -50], [0, -50], [0, 50], [-15, 50]], name="wall")
    floes = [bq.Disc((5 + gap, 0), 5.0), bq.Disc((15 + 2 * gap, 0), 5.0)]
    loads = [bq.Load(k, (-1000.0, 0.0)) for k in range(2)]
    contact = bq.Contact(friction=0.0, restitution=0.0)
    return bq.Simulation(bq.Scene(floes, [wall]), bq.Forcing(loads=loads), contact, bq.EventDriven(max_step=1.0))


def test_contacts_and_stress_of_a_real_run(tmp_path):
    """At rest the wall carries 2 kN, the discs push each other with 1 kN: forces, moments and loads say so, and come back
    from the file bit for bit."""
    run = pressed().run(40.0, 10.0, output=tmp_path / "pressed.nc", contacts=True)
    found = bq.analysis.force_chains(run)
    by_pair = {(a, b): f for a, b, f in found.contacts[["floe_a", "floe_b", "force"]].to_numpy()}
    assert by_pair[0, 1] == pytest.approx(1000, rel=1e-6) and by_pair[0, 2] == pytest.approx(2000, rel=1e-6)
    last = found.contacts.set_index(["floe_a", "floe_b"])
    assert last.loc[(0, 1), "impulse_x"] > 0  # on floe 1, away from floe 0
    assert last.loc[(0, 2), "impulse_x"] < 0
    assert last.loc[(0, 1), "x"] == pytest.approx(10, abs=1e-3)
    moment = run.dataset["stress_xx"].values[-1] * [f.area * f.thickness for f in run.scene.floes]
    assert moment == pytest.approx([-(2000 + 1000) * 5, -1000 * 5], rel=1e-6)
    again = bq.open_run(tmp_path / "pressed.nc")
    assert again.contacts.equals(run.contacts) and again.dataset.equals(run.dataset)
    memory = pressed().run(40.0, 10.0, contacts=True)
    assert memory.contacts.equals(run.contacts) and memory.dataset["stress_xx"].equals(run.dataset["stress_xx"])
    bq.resume(tmp_path / "pressed.nc", until=60.0)
    longer = bq.open_run(tmp_path / "pressed.nc")
    whole = pressed().run(60.0, 10.0, contacts=True)
    assert longer.contacts.equals(whole.contacts)
    case = tmp_path / "case.toml"
    case.write_text("[[scene.floes]]\ncentre = [0, 0]\nradius = 5\n[run]\nuntil = 2\ncontacts = true\n")
    assert bq.load_case(case).run().contacts.empty


def jam_case(speed_of):
    """Two banks and three floes between them in contact, one floe free; speeds (m/s) along -y by floe."""
    banks = [bq.Obstacle(SQUARE * 20 + (sign * 50.0, 0)) for sign in (-1, 1)]
    floes = [bq.Floe(SQUARE * 10 + (20.0 * k, 0)) for k in (-1, 0, 1)] + [bq.Floe(SQUARE * 10 + (0, 200.0))]
    t = np.arange(0, 7201.0, 600)
    x, y = centres(floes).T
    v = np.array(speed_of)
    return recorded(floes, t, x, y - np.outer(t, v), v=-v, obstacles=banks)


def test_jams():
    found = bq.analysis.jam(jam_case([0, 0, 0, 0.2]), speed=0.2, hold="30 min")
    assert found.jammed and found.bridged and found.share == pytest.approx(0.75) and found.anchors == 2
    assert found.since == 1800.0
    free = bq.analysis.jam(jam_case([0.2, 0.2, 0.2, 0.2]))
    assert not free.jammed and free.share == 0 and math.isnan(free.since)
    leaning = bq.analysis.jam(jam_case([0, 0.2, 0.2, 0.2]), speed=0.2)
    assert leaning.jammed and not leaning.bridged and leaning.anchors == 1
    alone = bq.analysis.jam(jam_case([0.2, 0.2, 0.2, 0]), speed=0.2)  # at rest, but nothing holds it
    assert not alone.jammed


def test_wilson_interval_covers():
    """Exact coverage of Wilson's interval for n = 20 lies close to 95 % wherever the probability is."""
    from scipy.stats import binom

    bounds = [bq.analysis.wilson(k, 20) for k in range(21)]
    for p in np.linspace(0.05, 0.95, 19):
        covered = sum(binom.pmf(k, 20, p) for k, (low, high) in enumerate(bounds) if low <= p <= high)
        assert 0.91 < covered < 0.99


def test_load_statistics():
    t = np.arange(0.0, 1001.0)
    pier = bq.Obstacle([(0, 0)], radius=2.0, name="pier")
    loads = np.zeros((len(t), 1, 3))
    loads[:, 0, 0] = 3e3
    for start, height in ((100, 20e3), (400, 50e3), (700, 35e3)):
        loads[start : start + 21, 0, 1] = height * (1 - np.abs(np.arange(-10, 11)) / 11)
    run = recorded([bq.Disc((9, 0), 1)], t, 9, 0, obstacles=[pier], loads=loads)
    found = bq.analysis.load_statistics(run, "pier", min_peak=10e3)
    assert found.peaks["time"].values.tolist() == [110, 410, 710]
    assert found.peaks.values == pytest.approx(np.hypot(3e3, [20e3, 50e3, 35e3]))
    assert found.largest == pytest.approx(math.hypot(3e3, 50e3)) and found.mean_force[0] == pytest.approx(3e3)
    above = found.exceedance.values[found.exceedance["load"].values < 10e3].min()
    assert above == pytest.approx(np.mean(np.hypot(*loads[1:, 0, :2].T) > 10e3), abs=1e-12)
    drag = bq.analysis.resistance(run, 0, (-1, 0))
    assert drag.attrs["mean"] == pytest.approx(3e3)
    with pytest.raises(CaseError, match="Did you mean 'pier'"):
        bq.analysis.load_statistics(run, "peer")


def test_gumbel_law_of_maxima():
    rng = np.random.default_rng(4)
    law = fit_gumbel(rng.gumbel(40e3, 5e3, 4000), 3600.0)
    # standard errors of the most likely values: 1.05 scale / sqrt(n) and 0.78 scale / sqrt(n)
    assert law.location == pytest.approx(40e3, abs=4 * 1.05 * 5e3 / math.sqrt(4000))
    assert law.scale == pytest.approx(5e3, abs=4 * 0.78 * 5e3 / math.sqrt(4000))
    # passed by one block in a hundred
    assert law.level(100 * 3600.0) == pytest.approx(40e3 - 5e3 * math.log(-math.log(0.99)), rel=0.02)
