"""The papers' threshold: contact within a hundredth of the size, steps by either rule; nothing passes through anything."""

import numpy as np
import pytest
from random_bodies import star_rings

import banquise as bq
from banquise.errors import CaseError
from banquise.scene.makers.floedyn import read_floedyn
from banquise.schemes.papers import RULES, TOLERANCE
from banquise.validation import papers_scheme as cases

ETA = cases.ETA  # of a disc of radius 1


def papers(max_step=1.0, rule="half", **options):
    return bq.EventDriven(max_step=max_step, threshold="papers", rule=rule, **options)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", ["step_of_two_discs", "cradle", "bernoulli", "offset_squares", "bouncing_disc"])
def test_case_with_a_known_answer(case, rule):
    rows = list(getattr(cases, case)(rule))
    assert rows
    assert [row for row in rows if not row.passed] == []


def crowd(rng, n, speed, side):
    """Concave floes of very different sizes on a square lattice, moving and turning at random."""
    floes = []
    for k, ring in enumerate(star_rings(rng, n * n, (5, 12), (0.08 * side, 0.45 * side), 0.6)):
        at = side * np.array([k % n, k // n])
        velocity, spin = speed * rng.standard_normal(2), speed / side * rng.standard_normal()
        floes.append(bq.Floe(ring + at, velocity=velocity, spin=spin, thickness=rng.uniform(0.3, 2.0)))
    return floes


def depths(sim, deepest):
    one, other, depth = sim.detector.overlaps(sim.bodies)
    size = np.where(other < sim.bodies.n_free, sim.size[other], np.inf)
    deepest.append((depth / np.minimum(sim.size[one], size)).max(initial=0.0))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_nothing_overlaps_in_a_closed_box(rule, order):
    n, side = 4, 10.0
    floes = crowd(np.random.default_rng(5), n, 1.0, side)
    scene = bq.Scene(floes, domain=bq.Box(-0.7 * side, (n - 0.3) * side, -0.7 * side, (n - 0.3) * side))
    sim = bq.Simulation(scene, contact=bq.Contact(friction=0.4, restitution=0.6, order=order), scheme=papers(0.5, rule))
    deepest = []
    run = sim.run(until=40.0, every=1.0, callbacks=[lambda sim: depths(sim, deepest)])
    assert len(run.events) > 50
    assert max(deepest) < TOLERANCE
    assert float(run.ledger.max_overlap.max()) < TOLERANCE * np.sqrt(max(floe.area for floe in floes))
    assert float(run.ledger.unsolved.sum()) == 0
    # the walls keep all inside, and no floe has come out on the other side of another
    assert run.dataset.x.min() > -0.7 * side and run.dataset.x.max() < (n - 0.3) * side
    energy = run.ledger.kinetic_energy.values
    assert (np.diff(energy) <= 1e-12 * energy[0]).all()
    assert float(abs(run.ledger.balance).max()) < 1e-12 * energy[0] * len(run.events)


@pytest.mark.parametrize("rule", RULES)
def test_friction_across_the_zone_makes_no_angular_momentum(rule):
    """Floes in contact are up to eta apart; both impulses of an impact act in one place all the same, in open sea."""
    floes = crowd(np.random.default_rng(23), 3, 1.0, 9.0)
    contact = bq.Contact(friction=0.6, restitution=0.8)
    run = bq.Simulation(bq.Scene(floes), contact=contact, scheme=papers(0.5, rule)).run(until=12.0, every=1.0)
    assert len(run.events) >= 5 and float(abs(run.events.tangential_impulse).max()) > 0
    mass, inertia = (np.array([getattr(floe, name) for floe in floes]) for name in ("mass", "inertia"))
    x, y, u, v, spin = (run.dataset[name].values for name in ("x", "y", "u", "v", "spin"))
    orbital = mass * (x * v - y * u)
    total = (orbital + inertia * spin).sum(axis=1)
    # round-off of sums over some hundred impacts and moves; friction over a hundredth of a size would leave 1e-5
    assert np.abs(total - total[0]).max() < 1e-12 * np.abs(orbital).sum(axis=1).max()


@pytest.mark.parametrize("rule", RULES)
def test_impulses_sum_to_zero(rule):
    """Nothing but the floes themselves, in a periodic sea: the momentum is what it was."""
    n, side = 4, 10.0
    floes = crowd(np.random.default_rng(11), n, 1.0, side)
    scene = bq.Scene(floes, domain=bq.Periodic(-0.5 * side, (n - 0.5) * side, -0.5 * side, (n - 0.5) * side))
    run = bq.Simulation(scene, scheme=papers(0.5, rule)).run(until=40.0, every=4.0)
    assert len(run.events) > 20
    mass = np.array([floe.mass for floe in floes])
    size = float((mass * np.hypot(run.dataset.u, run.dataset.v)).sum("floe")[0])
    for name in ("u", "v"):
        total = (mass * run.dataset[name].values).sum(axis=1)
        assert np.abs(total - total[0]).max() < 1e-12 * size


@pytest.mark.parametrize("rule", RULES)
def test_a_fast_disc_does_not_jump_over_a_thin_bar(rule):
    """At 100 m/s a step of 1 s would put it far behind."""
    bar = bq.Obstacle([[10, -5], [10.01, -5], [10.01, 5], [10, 5]])
    disc = bq.Disc((0, 0), 0.1, velocity=(100.0, 0.0))
    run = bq.Simulation(
        bq.Scene([disc], [bar]), contact=bq.Contact(restitution=0.5), scheme=papers(1.0, rule, min_step=1e-9)
    ).run(1.0, 1.0)
    assert run.dataset.u.values[-1] == pytest.approx([-50.0], abs=1e-9)
    assert len(run.events) == 1
    assert float(run.ledger.forced.sum()) == 0


def test_steps_below_the_shortest_are_counted_and_do_not_rebound():
    disc = bq.Disc((0, 0), 0.1, velocity=(1.0, 0.0))
    wall = bq.Obstacle([[1, -5], [5, -5], [5, 5], [1, 5]])
    # eta is 1.8 mm: half of it takes 0.9 ms; a step of 10 ms would end inside the wall, so it is halved there
    run = bq.Simulation(
        bq.Scene([disc], [wall]), contact=bq.Contact(restitution=0.5), scheme=papers(1.0, min_step=1e-2)
    ).run(3.0, 1.0)
    assert run.dataset.u.values[-1] == pytest.approx([0.0], abs=1e-12)
    assert float(run.ledger.forced.sum()) > 0
    assert float(run.ledger.max_overlap.max()) < TOLERANCE * 0.1
    assert float(run.ledger.unsolved.sum()) == 0


def test_lands_on_loads_and_records():
    """A push from 1.3 s to 2.7 s gives its impulse, exactly, and records are where they were asked for."""
    disc = bq.Disc((0, 0), 1.0)
    forcing = bq.Forcing(loads=[bq.Load(0, (7.0, 0.0), start=1.3, stop=2.7)])
    run = bq.Simulation(bq.Scene([disc]), forcing, scheme=papers(0.4)).run(4.0, 0.7)
    assert run.dataset.time.values == pytest.approx([0.0, 0.7, 1.4, 2.1, 2.8, 3.5, 4.0], abs=1e-14)
    assert float(run.dataset.u[-1, 0]) * disc.mass == pytest.approx(7.0 * 1.4, rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_a_floe_leans_on_a_wall(rule):
    """Wind blows a square against a wall: it comes to rest within eta, and the wall bears the wind's force."""
    floe = bq.Floe([[0, 0], [10, 0], [10, 10], [0, 10]])
    wall = bq.Obstacle([[11, -50], [20, -50], [20, 60], [11, 60]])
    sim = bq.Simulation(bq.Scene([floe], [wall]), bq.Forcing(wind=(15, 0), current=(0, 0)), scheme=papers(5.0, rule))
    run = sim.run(600.0, 100.0)
    assert abs(float(run.dataset.u[-1, 0])) < 1e-9
    assert 0 < 6.0 - float(run.dataset.x[-1, 0]) <= 0.1
    push = 1.341 * 1.7e-3 * 15**2 * 100
    # drag is that of the free motion over a step of 5 s, up to 3 mm/s, before the wall stops it: 1e-3 N
    assert float(run.loads.force_x[-1, 0]) == pytest.approx(push, rel=1e-4)
    assert float(abs(run.ledger.balance).max()) < 1e-9 * float(run.ledger.work_wind[-1])


@pytest.mark.parametrize("rule", RULES)
def test_a_wall_that_moves(rule):
    """A wall at 0.5 m/s, told by a path, meets a still disc: it leaves at (1 + epsilon) times that speed."""
    wall = bq.Obstacle([[-3, -5], [-2, -5], [-2, 5], [-3, 5]], path=lambda t: (-2.5 + 0.5 * t, 0.0, 0.0))
    sim = bq.Simulation(
        bq.Scene([bq.Disc((0, 0), 1.0)], [wall]), contact=bq.Contact(restitution=0.4), scheme=papers(1.0, rule)
    )
    run = sim.run(4.0, 1.0)
    assert float(run.dataset.u[-1, 0]) == pytest.approx(0.7, abs=1e-9)
    last = run.ledger.isel(time=-1)
    assert abs(float(last.balance)) < 1e-9 * float(last.work_obstacles)


@pytest.mark.parametrize("active_only", [False, True])
def test_relaxations(active_only):
    """Active contacts only: the pair at rest in a cradle is left out; relaxation c: an approach of c is left."""
    floes = [bq.Disc((2.0 * k, 0), 1.0, velocity=(1.0 if k == 0 else 0.0, 0)) for k in range(3)]
    contact = bq.Contact(friction=0.0, restitution=1.0, active_only=active_only)
    run = bq.Simulation(bq.Scene(floes), contact=contact, scheme=papers(0.5)).run(2.0, 2.0)
    expected = (0.0, 0.0, 1.0) if active_only else (-1 / 3, 2 / 3, 2 / 3)
    assert run.dataset.u.values[-1] == pytest.approx(expected, abs=1e-9)
    contact = bq.Contact(friction=0.0, restitution=0.0, relaxation=0.1, active_only=active_only)
    pair = [bq.Disc((0, 0), 1.0, velocity=(1.0, 0)), bq.Disc((2.5, 0), 1.0)]
    run = bq.Simulation(bq.Scene(pair), contact=contact, scheme=papers(0.5)).run(0.6, 0.6)
    assert run.events.normal_impulse.iloc[0] == pytest.approx(0.5 * np.pi * 917.0 * (1.0 - 0.1), rel=1e-9)


def test_goes_on_bit_for_bit(tmp_path):
    def simulation():
        forcing = bq.Forcing(wind=(8, 3), current=(0, 0), latitude=80.0)
        return bq.Simulation(bq.Scene(crowd(np.random.default_rng(3), 3, 0.3, 10.0)), forcing, scheme=papers(2.0))

    whole = simulation().run(30.0, 5.0)
    simulation().run(15.0, 5.0, output=tmp_path / "run.nc")
    rest = bq.resume(tmp_path / "run.nc", until=30.0)
    for name in ("x", "y", "rotation", "u", "v", "spin"):
        assert np.array_equal(whole.dataset[name], rest.dataset[name])
    assert whole.events.equals(rest.events)


def test_settings_are_checked():
    with pytest.raises(CaseError, match="threshold"):
        bq.EventDriven(threshold="paper")
    with pytest.raises(CaseError, match="rule"):
        bq.EventDriven(threshold="papers", rule="thirds")
    with pytest.raises(CaseError, match="papers"):
        bq.EventDriven(rule="half")


def pack(shared_data, name, scheme, until):
    path = shared_data / name
    if not path.exists():
        pytest.skip(f"{name} is not among the reference data")
    scene = read_floedyn(path)
    forcing = bq.Forcing(wind=(0, 0), current=(0, 0), latitude=80.207)
    sim = bq.Simulation(scene, forcing, bq.Contact(friction=0.7, restitution=0.4), scheme)
    deepest = []
    run = sim.run(until, until / 10, callbacks=[bq.Every(10.0, lambda sim: depths(sim, deepest))])
    assert max(deepest) < TOLERANCE
    assert float(run.ledger.unsolved.sum()) == 0
    assert float(abs(run.ledger.balance).max()) < 1e-9 * float(run.ledger.kinetic_energy[0])
    return run


def agree(one, other):
    """Floes meet up to a hundredth of their size sooner: energies go the same way, to a few parts in a hundred."""
    ratio = one.ledger.kinetic_energy.values / other.ledger.kinetic_energy.values
    assert np.abs(ratio - 1).max() < 0.05
    # by pairs: one that slides along another is struck over and over, hardly at all
    met = [len(set(zip(run.events.floe_a, run.events.floe_b))) for run in (one, other)]
    assert 2 / 3 < met[0] / met[1] < 1.5


def test_a_real_pack_with_both_thresholds(shared_data):
    name = "floedyn_100_floes_input.h5"
    known = pack(shared_data, name, bq.EventDriven(max_step=10.0), 150.0)
    for rule in RULES:
        agree(pack(shared_data, name, papers(10.0, rule), 150.0), known)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "until"), [("floedyn_100_floes_input.h5", 10_000.0), ("pack_1000_moving.h5", 300.0)])
def test_floedyn_packs(shared_data, name, until, rule):
    run = pack(shared_data, name, papers(10.0, rule), until)
    assert (np.diff(run.ledger.kinetic_energy.values) < 0).all()


def test_a_table_needs_no_entry_for_two_obstacles():
    table = {("ice", "ice"): 0.7, ("ice", "rock"): 0.3}
    wall = bq.Obstacle([[1, -5], [5, -5], [5, 5], [1, 5]], material="rock")
    disc = bq.Disc((-2, 0), 1.0, velocity=(1.0, 0.0))
    contact = bq.Contact(friction=table, restitution=table)
    for scheme in (papers(), bq.EventDriven(1.0)):
        run = bq.Simulation(bq.Scene([disc], [wall]), contact=contact, scheme=scheme).run(4.0, 4.0)
        assert float(run.dataset.u[-1, 0]) == pytest.approx(-0.3, abs=1e-9)
    with pytest.raises(CaseError, match="ice with rock|rock with ice"):
        bq.Simulation(bq.Scene([disc], [wall]), contact=bq.Contact(friction={("ice", "ice"): 0.7}))
