"""Impacts: momentum, energy, Coulomb's cone, symmetry; every law and both orders; the classical cases of `validate`."""

import inspect

import numpy as np
import pytest
from pairs_of_floes import books_of_pairs, pairs_of_floes, single_impacts

import banquise as bq
from banquise.schemes import event_driven
from banquise.validation import impact as cases
from banquise.validation import stepping

CASES = [
    name
    for name, case in inspect.getmembers(cases, inspect.isgeneratorfunction)
    if case.__module__ == cases.__name__ and not name.startswith("_") and name != "rows"
]


@pytest.mark.parametrize("name", CASES)
def test_classical_case(name):
    rows = list(getattr(cases, name)(cases.event_driven))
    assert rows
    assert [row for row in rows if not row.passed] == []


def test_every_case_is_among_the_rows():
    """What `banquise validate impact` prints is these cases, all of them."""
    text = inspect.getsource(cases.rows)
    assert [name for name in CASES if f"{name}(scheme)" not in text] == []


def test_classical_cases_by_time_stepping():
    """The same answers, but for the skin; what accumulates comes to rest the nearer to its time, the shorter the step."""
    rows = list(stepping.rows())
    assert len(rows) == len(stepping.STEPS) * len(list(cases.rows()))
    assert [row for row in rows if not row.passed] == []
    late = [row for row in rows if row.parameters.startswith("epsilon 0.9, H 0.5 m, time of rest")]
    long, short = (row.error for row in late)
    # first order: the error falls as the step
    assert long / short == pytest.approx(stepping.STEPS[0] / stepping.STEPS[1], rel=0.2)


def collide(floes, contact, until=25.0, max_step=5.0, **options):
    scene = bq.Scene(floes, **options)
    return bq.Simulation(scene, contact=contact, scheme=bq.EventDriven(max_step=max_step)).run(until=until, every=1.0)


def check_pairs(run, floes, friction, approach_allowed=0.0):
    """What must hold for every pair and every impact problem; returns the part of the pairs that met."""
    momentum, angular, energy, size, turning = books_of_pairs(run, floes)
    assert (np.abs(momentum - momentum[0]).max(axis=(0, 2)) / size).max() < 1e-12
    turned = np.abs(angular - angular[0]).max(axis=0) / turning
    impacts = np.bincount(run.events.floe_a.to_numpy() // 2, minlength=len(turned))
    # pairs that never met show what the books themselves round: places of a kilometre, step after step; beyond that, the gap
    # at which a meeting is taken (1e-12 of the size) is the arm of the friction
    unmet = turned[impacts == 0].max(initial=0.0)
    assert turned.max() < 1e-12 + 2 * unmet
    assert (np.diff(energy, axis=0) / energy[0]).max() < 1e-14  # the sum of squares itself rounds
    normal, tangent = run.events.normal_impulse.to_numpy(), run.events.tangential_impulse.to_numpy()
    assert (normal > 0).all()
    assert (np.abs(tangent) <= friction * normal * (1 + 1e-9)).all()
    before, after = single_impacts(run, floes)
    assert len(before) > 0.2 * len(floes) / 2
    assert (before < 0).all()
    # problems are solved to 1e-10; the way to the point is taken from coordinates of a kilometre
    assert (after >= (1e-9 + approach_allowed) * before.min()).all()
    ledger = run.ledger
    assert float(ledger.unsolved.sum()) == 0
    assert float(np.abs(ledger.balance).max()) < 1e-9 * float(ledger.dissipated_contact[-1])
    # the losses in the events are those in the ledger, but for what contacts that last rub away
    lost, told = float(ledger.dissipated_contact[-1]), float(run.events.energy_loss.sum())
    assert told <= lost * (1 + 1e-9)
    if not ledger.contacts.any():
        assert told >= lost * (1 - 1e-9)
    assert float(ledger.max_overlap.max()) < 1e-5 * np.sqrt(min(f.area for f in floes))
    return np.mean(energy[-1] < energy[0] * (1 - 1e-9))


@pytest.mark.parametrize(
    ("law", "order", "friction", "restitution", "n"),
    [
        ("poisson", "simultaneous", 0.7, 0.35, 250),
        ("poisson", "simultaneous", 0.1, 0.6, 250),
        ("poisson", "sequential", 0.3, 0.9, 100),
        ("papers", "simultaneous", 0.7, 0.8, 100),
        ("papers", "sequential", 0.4, 0.4, 100),
        ("newton", "simultaneous", 0.7, 0.8, 100),
        ("newton", "sequential", 0.2, 0.6, 100),
    ],
)
def test_oblique_impacts_of_concave_floes(law, order, friction, restitution, n):
    """1,000 in all; `test_ten_thousand_oblique_impacts` is the same with more."""
    floes = pairs_of_floes(np.random.default_rng(int(n + 100 * friction)), n)
    contact = bq.Contact(friction=friction, restitution=restitution, law=law, order=order)
    # the papers' fallback may leave an approach where a contact was separating: at most epsilon of the speed
    allowed = restitution if law == "papers" else 0.0
    assert check_pairs(collide(floes, contact), floes, friction, allowed) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_ten_thousand_oblique_impacts(seed):
    rng = np.random.default_rng(1000 + seed)
    floes = pairs_of_floes(rng, 600)  # over nine in ten meet
    contact = bq.Contact(friction=rng.uniform(0, 1.2), restitution=rng.uniform(0, 1))
    run = collide(floes, contact)
    assert check_pairs(run, floes, contact.friction) > 0.5
    assert len(run.events) > 500


@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_mirrored_scenes_give_mirrored_results(order):
    contact = bq.Contact(friction=0.5, restitution=0.5, order=order)
    one, other = (
        collide(pairs_of_floes(np.random.default_rng(3), 60, mirrored), contact).dataset for mirrored in (False, True)
    )
    # each impact is mirrored to round-off; a later one of the same pair amplifies it, by curvature over the flight
    for name, sign in (("u", -1), ("v", 1), ("spin", -1), ("x", -1), ("y", 1)):
        assert np.abs(one[name] - sign * other[name]).max() < 1e-9


@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_same_bits_with_two_threads(order):
    contact = bq.Contact(friction=0.5, restitution=0.5, order=order)
    found = []
    try:
        for threads in (1, 2):
            bq.set_threads(threads)
            found.append(collide(pairs_of_floes(np.random.default_rng(9), 150), contact))
    finally:
        bq.set_threads(1)
    for name in ("x", "y", "rotation", "u", "v", "spin"):
        assert np.array_equal(found[0].dataset[name], found[1].dataset[name])
    assert found[0].events.equals(found[1].events)


def two_discs(contact, material=("ice", "ice"), offset=0.0):
    floes = [
        bq.Disc((0, offset), 1.0, velocity=(1.0, 0.0), material=material[0]),
        bq.Disc((3, 0), 1.0, material=material[1]),
    ]
    return collide(floes, contact, until=5.0)


@pytest.mark.parametrize("material", [("ice", "ice"), ("ice", "wood"), ("wood", "ice"), ("wood", "wood")])
def test_friction_and_restitution_by_material_pair(material):
    table = {("ice", "ice"): 0.35, ("ice", "wood"): 0.8, ("default", "default"): 0.1}
    friction = {("ice", "ice"): 0.02, ("wood", "ice"): 0.05, ("default", "default"): 0.03}
    run = two_discs(bq.Contact(friction=friction, restitution=table), material, offset=1.0)
    pair = tuple(sorted(material))
    epsilon = table.get(pair, 0.1)
    mu = {("ice", "ice"): 0.02, ("ice", "wood"): 0.05, ("wood", "wood"): 0.03}[pair]
    event = run.events.iloc[0]
    mass = run.shapes["mass"].values[0] if "mass" in run.shapes else np.pi * 917.0
    normal = np.array([np.sqrt(3.0), -1.0]) / 2
    # equal discs: the approach is cos 30 deg, reduced mass m / 2; friction this low slips throughout
    assert event.normal_impulse == pytest.approx(0.5 * mass * (1 + epsilon) * normal[0], rel=1e-12)
    assert abs(event.tangential_impulse) == pytest.approx(mu * event.normal_impulse, rel=1e-12)
    assert event.slip


@pytest.mark.slow
def test_threshold_leaves_an_approach_of_at_most_c():
    """Contacts may keep approaching at up to c: discs that come slower pass the impulse by, faster keep c."""
    c = 0.1
    for speed, left in ((1.0, c), (0.3, c)):
        disc = bq.Disc((0, 0), 1.0, velocity=(speed, 0.0))
        contact = bq.Contact(friction=0.0, restitution=0.0, relaxation=c)
        run = bq.Simulation(
            bq.Scene([disc, bq.Disc((2.5, 0), 1.0)]), contact=contact, scheme=bq.EventDriven(max_step=0.1)
        ).run(until=3.0, every=0.1)
        first = run.events.iloc[0]
        mass = np.pi * 917.0
        assert first.normal_impulse == pytest.approx(0.5 * mass * (speed - left), rel=1e-9)


@pytest.mark.parametrize("active_only", [False, True])
def test_active_contacts_only(active_only):
    """A cradle in touch: with active contacts only, the resting pair is left out of the first problem."""
    floes = [bq.Disc((2.0 * k, 0), 1.0, velocity=(1.0 if k == 0 else 0.0, 0)) for k in range(3)]
    contact = bq.Contact(friction=0.0, restitution=1.0, active_only=active_only)
    run = collide(floes, contact, until=2.0)
    expected = (0.0, 0.0, 1.0) if active_only else (-1 / 3, 2 / 3, 2 / 3)
    assert run.dataset.u.values[-1] == pytest.approx(expected, abs=1e-9)


def test_a_disc_bounces_through_the_seam():
    """10 m round, two discs: they meet across the seam, in turn, with the exchange of speeds of equal masses."""
    floes = [bq.Disc((7, 5), 1.0, velocity=(1, 0)), bq.Disc((1.5, 5), 1.0)]
    run = collide(
        floes, bq.Contact(friction=0.0, restitution=1.0), until=30.0, max_step=1.0, domain=bq.Periodic(0, 10, 0, 10)
    )
    # gap of 2.5 m over the seam, then 10 - 2 x 2 m of free way each time
    assert run.events.time.to_numpy() == pytest.approx([2.5, 8.5, 14.5, 20.5, 26.5], abs=1e-9)
    assert run.dataset.u.values[-1] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert run.dataset.x.values[-1, 0] % 10 == pytest.approx(1.5, abs=1e-9)  # 7 + 2.5, then 6 m in each second flight


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6])
def test_a_cradle_with_gaps_passes_its_speed_on(gap):
    """Impacts that follow each other closely are still impacts: however small the gap, one by one, elastic."""
    floes = [bq.Disc((0, 0), 1.0, velocity=(1, 0)), bq.Disc((3, 0), 1.0), bq.Disc((5 + gap, 0), 1.0)]
    run = collide(floes, bq.Contact(friction=0.0, restitution=1.0), until=5.0)
    assert run.dataset.u.values[-1] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)


def test_a_run_of_short_steps_names_the_other_scheme_once(monkeypatch):
    monkeypatch.setattr(event_driven, "SHORT", 10.0)  # all of them are
    monkeypatch.setattr(event_driven, "OFTEN", 3)
    sim = bq.Simulation(bq.Scene([bq.Disc((0, 0), 10.0)]), scheme=bq.EventDriven(max_step=2.0))
    with pytest.warns(UserWarning, match=r"3 steps as short as 20 s by 6 s; .* bq.TimeStepping\(step=2\)") as told:
        sim.run(until=20.0, every=10.0)
    assert len(told) == 1


def test_steps_are_not_cut_below_a_fiftieth(monkeypatch):
    """Where every step has too many meetings, however short it is, the clock still goes on."""
    monkeypatch.setattr(event_driven, "MANY", -1)
    sim = bq.Simulation(bq.Scene([bq.Disc((0, 0), 10.0)]), scheme=bq.EventDriven(max_step=2.0))
    run = sim.run(until=20.0, every=20.0)
    whole = 2.0 + 1.0 + 0.5 + 0.25 + 0.125 + 0.0625  # halved, until 0.04 s are reached
    assert float(run.ledger.steps[-1]) == pytest.approx(6 + (20.0 - whole) / 0.04, abs=1.5)
    assert float(run.ledger.forced[-1]) == float(run.ledger.steps[-1]) - 6


@pytest.mark.parametrize("scheme", [bq.EventDriven(max_step=1.0), bq.TimeStepping(step=0.2)])
def test_floes_that_stick_are_not_struck_again_in_sequence(scheme):
    """Without restitution and with much friction an impact leaves round-off of speed, which is no approach: one pass, solved."""
    rng = np.random.default_rng(41)
    for _ in range(25):
        way = np.exp(1j * rng.uniform(0, 2 * np.pi))
        way = np.array([way.real, way.imag])
        discs = [
            bq.Disc((0, 0), 1.0, velocity=0.7 * way + 0.1 * rng.standard_normal(2), spin=0.1 * rng.standard_normal()),
            bq.Disc(4 * way, rng.uniform(0.5, 1.5), velocity=-0.7 * way),
        ]
        contact = bq.Contact(friction=5.0, restitution=0.0, order="sequential")
        run = bq.Simulation(bq.Scene(discs), contact=contact, scheme=scheme).run(until=4.0, every=4.0)
        assert len(run.events) >= 1 and float(run.ledger.unsolved.sum()) == 0
