"""Penalty contacts against closed forms: a spring and a damper between two masses, a floe at rest, exact impacts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import banquise as bq
from banquise.percussion import two_bodies
from banquise.schemes.penalty import damping_ratio


def square(x, side=10.0, **options):
    ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.5 * side + (x, 0.0)
    return bq.Floe(ring, **options)


def head_on(scheme, restitution=0.5, friction=0.0, discs=True, until=60.0, masses=(1.0, 2.0)):
    """Two floes, the left one at 0.2 m/s; m, v of both before, and the run."""
    if discs:
        floes = [bq.Disc((0, 0), 5, thickness=masses[0], velocity=(0.2, 0)), bq.Disc((11, 0), 5, thickness=masses[1])]
    else:
        floes = [square(0.0, velocity=(0.2, 0), thickness=masses[0]), square(11.0, thickness=masses[1])]
    contact = bq.Contact(friction=friction, restitution=restitution)
    run = bq.Simulation(bq.Scene(floes), contact=contact, scheme=scheme).run(until, every=until)
    return floes, run


@pytest.mark.parametrize(
    ("release", "discs"),
    [
        ("force", True),
        ("distance", False),
        pytest.param("force", False, marks=pytest.mark.slow),
        pytest.param("distance", True, marks=pytest.mark.slow),
    ],
)
def test_linear_blow_has_the_closed_form(release, discs):
    k, e = 1e6, 0.5
    (a, b), run = head_on(bq.Penalty(k, release=release), e, discs=discs)
    m = a.mass * b.mass / (a.mass + b.mass)
    z = damping_ratio(e, release)
    hit = two_bodies(a.mass, b.mass, 0.2, 0.0, k, 2 * z * math.sqrt(k * m), release)
    assert hit.restitution == pytest.approx(e, rel=1e-12)
    u = run.dataset.u.values[-1]
    # steps of T/25 or less of the stiffest pair: the start of a contact is known to half a step, second order within
    assert (u[1] - u[0]) / 0.2 == pytest.approx(e, abs=0.01)
    ledger = run.ledger
    assert float(ledger.max_overlap.max()) == pytest.approx(hit.compression, rel=0.01)
    step = 60.0 / float(ledger.steps.sum())
    # released at zero force the overlap itself is still there for a while: the damper unloads it slowly
    lasts = hit.duration if release == "distance" else math.pi / math.sqrt(k / m)
    assert float(ledger.contact_time.max()) > lasts - 2 * step
    if release == "distance":
        assert float(ledger.contact_time.max()) < lasts + 2 * step
    assert a.mass * u[0] + b.mass * u[1] == pytest.approx(0.2 * a.mass, rel=1e-13)
    energy = 0.5 * a.mass * 0.2**2
    assert abs(float(ledger.balance[-1])) < 1e-12 * energy  # impulses times mean velocities: exact at any step
    assert float(ledger.dissipated_contact[-1]) == pytest.approx(0.5 * m * 0.04 * (1 - e**2), rel=0.02)
    events = run.events
    assert len(events) == 1
    assert float(events.normal_impulse[0]) == pytest.approx(hit.impulse, rel=0.01)


def test_damping_gives_the_restitution_back():
    for e in (0.9, 0.5, 0.2, 0.135, 0.05):
        for release in ("force", "distance"):
            z = damping_ratio(e, release)
            assert two_bodies(1.0, 1.0, 1.0, 0.0, 2.0, 2 * z, release).restitution == pytest.approx(e, rel=1e-9)


def test_hertz_blow_keeps_its_restitution_at_any_speed():
    k = 1e7
    for speed in (0.02, 0.2):
        floes = [bq.Disc((0, 0), 5, velocity=(speed, 0)), bq.Disc((10.1, 0), 5)]
        contact = bq.Contact(friction=0.0, restitution=0.6)
        sim = bq.Simulation(bq.Scene(floes), contact=contact, scheme=bq.Penalty(k, law="hertz", release="distance"))
        run = sim.run(0.1 / speed + 20, every=0.1 / speed + 20)
        u = run.dataset.u.values[-1]
        assert (u[1] - u[0]) / speed == pytest.approx(0.6, abs=0.01)
    # without damping: 2.9432 d / v, with m v^2 / 2 = 2 k d^(5/2) / 5
    sim = bq.Simulation(
        bq.Scene(floes), contact=bq.Contact(friction=0, restitution=1), scheme=bq.Penalty(k, law="hertz")
    )
    run = sim.run(20, every=20)
    m = 0.5 * floes[0].mass
    depth = (1.25 * m * speed**2 / k) ** 0.4
    step = 20 / float(run.ledger.steps.sum())
    assert float(run.ledger.max_overlap.max()) == pytest.approx(depth, rel=0.01)
    assert float(run.ledger.contact_time.max()) == pytest.approx(2.9432 * depth / speed, abs=2 * step)


def resting(law, stiffness, until):
    """A square of 10 m pressed onto a floor by gravity in the plane, damped; the floe and its run."""
    floe = bq.Floe([(0, 0), (10, 0), (10, 10), (0, 10)])
    floor = bq.Obstacle([(-20, -10), (30, -10), (30, 0), (-20, 0)])
    contact = bq.Contact(friction=0.5, restitution=0.05)
    forcing = bq.Forcing(gravity=(0.0, -0.01))
    sim = bq.Simulation(bq.Scene([floe], [floor]), forcing, contact, bq.Penalty(stiffness, law=law))
    return floe, sim.run(until, every=until / 4)


@pytest.mark.parametrize(
    ("law", "stiffness", "depth"),
    [
        ("linear", 1e5, lambda w: w / 1e5),  # two corners: the stiffness is shared, or it would be half
        ("hertz", 3e5, lambda w: (w / 3e5) ** (2 / 3)),
        ("area", 1e4, lambda w: w / (1e4 * 10.0)),
    ],
)
def test_overlap_at_rest_carries_the_weight(law, stiffness, depth):
    floe, run = resting(law, stiffness, 40.0)
    weight = floe.mass * 0.01
    assert -(run.dataset.y.values[-1, 0] - 5.0) == pytest.approx(depth(weight), rel=1e-3)
    assert abs(run.dataset.rotation.values[-1, 0]) < 1e-9
    assert float(run.loads.force_y[-1].sum()) == pytest.approx(-weight, rel=1e-3)


def test_friction_holds_below_its_cone_and_slips_above():
    floor = bq.Obstacle([(-200, -10), (300, -10), (300, 0), (-200, 0)])
    speeds = []
    for pull in (0.3, 0.8):  # of the weight, against a friction of 0.5
        floe = bq.Floe([(0, 0), (10, 0), (10, 4), (0, 4)])
        contact = bq.Contact(friction=0.5, restitution=0.05)
        forcing = bq.Forcing(gravity=(0.01 * pull, -0.01))
        run = bq.Simulation(bq.Scene([floe], [floor]), forcing, contact, bq.Penalty(1e5)).run(30, every=15)
        speeds.append(run.dataset.u.values[-1, 0])
    assert abs(speeds[0]) < 1e-4  # against 0.09 without friction: the spring still rings a little
    # it slides with g (pull - friction), but for the second or so in which the contact builds up
    assert speeds[1] == pytest.approx(0.01 * 0.3 * 30, rel=0.03)


def test_approaches_the_exact_impact_as_stiffness_grows():
    """A blow off the centres of two floes: their velocities against those of the event-driven scheme."""

    def velocities(scheme):
        floes = [
            square(0.0, velocity=(0.2, 0.0)),
            bq.Floe(np.array([[6.0, -4.0], [14, -1], [13, 8], [5.5, 1]]) - (0.4, 0.0)),
        ]
        contact = bq.Contact(friction=0.0, restitution=0.5)
        run = bq.Simulation(bq.Scene(floes), contact=contact, scheme=scheme).run(8, every=8)
        data = run.dataset
        return np.array([data.u.values[-1], data.v.values[-1], 5 * data.spin.values[-1]])

    exact = velocities(bq.EventDriven())
    # steps of a 300th of the contact, so that what is left is the overlap itself
    soft, stiff = (np.abs(velocities(bq.Penalty(k, step=1.0 / math.sqrt(k))) - exact).max() / 0.2 for k in (1e4, 1e5))
    # floes turn while they overlap, for a time that goes with k^-1/2: a third for a factor of ten
    assert stiff < 0.5 * soft and stiff < 0.01


def test_refuses_a_step_that_is_not_stable_and_rounded_floes_by_area():
    scene = bq.Scene([bq.Disc((0, 0), 5)])
    with pytest.raises(bq.BanquiseError, match="not stable; floe 0"):
        bq.Simulation(scene, scheme=bq.Penalty(1e7, step=5.0)).run(10)
    with pytest.raises(bq.BanquiseError, match="polygons without rounding"):
        bq.Simulation(scene, scheme=bq.Penalty(law="area")).run(10)
    with pytest.raises(bq.BanquiseError, match="penalty law"):
        bq.Penalty(law="cubic")


def test_area_of_overlap_of_concave_floes_is_that_of_shapely():
    from shapely.geometry import Polygon

    from banquise.schemes import _kernels_penalty as kernels

    rng = np.random.default_rng(3)
    for _ in range(20):
        turn = (np.arange(9) + 0.5 * rng.random(9)) * 2 * np.pi / 9
        rings = [
            np.stack([r * np.cos(turn), r * np.sin(turn)], axis=1) + centre
            for r, centre in ((5 * rng.uniform(0.4, 1, 9), (0, 0)), (5 * rng.uniform(0.4, 1, 9), (6, 1)))
        ]
        b = bq.Scene([bq.Floe(r) for r in rings]).bodies()
        wanted = Polygon(rings[0]).intersection(Polygon(rings[1]))
        out, pair = np.zeros((1, 9)), np.zeros((1, 3), np.int64)
        count = kernels.areas(
            np.zeros((1, 9)), np.array([[0, 1, 0]], np.int32), 1.0, 0.0, b.x, b.y, b.cos, b.sin, b.vertices,
            b.ring_start, b.body_ring, np.empty((18, 4)), np.empty(11), out, pair,
        )  # fmt: skip
        assert count == (wanted.area > 0)
        if count:
            assert out[0, kernels.FORCE] == pytest.approx(wanted.area, rel=1e-10)
            centre = np.array([b.x[0], b.y[0]]) + out[0, 2:4]
            assert np.allclose(centre, wanted.centroid.coords[0], rtol=0, atol=1e-8)


@pytest.mark.slow
def test_case_files_and_resumed_runs_keep_it(tmp_path):
    scene = bq.Scene([bq.Disc((0, 0), 5, velocity=(0.2, 0.05)), bq.Disc((10.05, 0), 5)])
    sim = bq.Simulation(scene, scheme=bq.Penalty(1e5, law="hertz", release="distance"))
    whole = sim.run(6.0, every=0.5)
    path = tmp_path / "hit.nc"
    bq.Simulation(scene, scheme=bq.Penalty(1e5, law="hertz", release="distance")).run(2.0, every=0.5, output=path)
    on = bq.resume(path, until=6.0)  # in the middle of the contact: the spring in the tangent is remembered
    assert np.array_equal(on.dataset.u.values[-1], whole.dataset.u.values[-1])
    assert np.array_equal(on.dataset.spin.values[-1], whole.dataset.spin.values[-1])
    case = tmp_path / "case.toml"
    case.write_text(
        '[scene]\nfloes = [{ ring = [[0, 0], [9, 0], [0, 9]] }]\n[scheme]\nkind = "penalty"\nlaw = "area"\nstiffness = 2e4\n'
        '[run]\nuntil = "1 s"\n'
    )
    assert bq.load_case(case).scheme == bq.Penalty(2e4, law="area")
