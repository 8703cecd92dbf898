"""The 1-D models against tables, an ODE solver, and conservation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import banquise as bq
from banquise.errors import BanquiseError

p = bq.percussion

CASES = {
    "elastic": (1.2, 1.5, 2.2, -1.8, 7.0, 0.0),
    "damped": (1.2, 1.5, 2.2, -1.8, 7.0, 0.5),
    "floes": (8.19e6, 9.1e6, 0.3, -0.1, 3e9, 2e7),
}
DISTANCE = {  # e, T, d_m, v1+, v2+, J, loss
    "elastic": (1, 0.9695165413, 1.2344268, -2.2444444444, 1.7555555556, 5.3333333333, 0),
    "damped": (0.6934833516, 0.9760747889, 1.041963008, -1.563296337, 1.210637070, 4.515955604, 2.768431152),
    "floes": (0.7577981035, 0.1195473967, 0.01330200466, -0.07006275864, 0.2330564828, 3.030813993e6, 1.468137794e5),
}
FORCE = {  # e', T', v1'+, v2'+
    "damped": (0.7124820350, 0.9040015499, -1.605515633, 1.244412507),
    "floes": (0.7696710691, 0.1128461471, -0.07256233, 0.23530610),
}


@pytest.mark.parametrize("case", DISTANCE)
def test_two_bodies_held_until_they_part(case):
    hit = p.two_bodies(*CASES[case], release="distance")
    e, duration, depth, v1, v2, impulse, loss = DISTANCE[case]
    assert hit.restitution == pytest.approx(e, abs=1e-9)
    assert hit.duration == pytest.approx(duration, abs=1e-9)
    assert hit.compression == pytest.approx(depth, rel=1e-7)  # printed to that many digits
    assert (hit.v1, hit.v2) == pytest.approx((v1, v2), abs=1e-9)
    assert hit.impulse == pytest.approx(impulse, rel=1e-9)
    assert hit.loss == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("case", FORCE)
def test_two_bodies_that_do_not_stick(case):
    hit = p.two_bodies(*CASES[case])
    e, duration, v1, v2 = FORCE[case]
    assert (hit.restitution, hit.duration) == pytest.approx((e, duration), abs=1e-9)
    assert (hit.v1, hit.v2) == pytest.approx((v1, v2), abs=1e-8)
    assert hit.restitution > p.two_bodies(*CASES[case], release="distance").restitution


@pytest.mark.parametrize("damping", [0.0, 0.7, 4.3, 4.32, 4.3204937989, 5.0, 40.0])
def test_two_bodies_against_an_ode_solver(damping):
    m1, m2, v1, v2, k = 1.2, 1.5, 2.2, -1.8, 7.0
    hit = p.two_bodies(m1, m2, v1, v2, k, damping)

    def rate(_, s):
        force = k * (s[0] - s[1]) + damping * (s[2] - s[3])
        return [s[2], s[3], -force / m1, force / m2]

    run = solve_ivp(rate, (0, hit.duration), [0, 0, v1, v2], rtol=1e-11, atol=1e-13, dense_output=True)
    assert (hit.v1, hit.v2) == pytest.approx(tuple(run.y[2:, -1]), abs=1e-8)
    d, dv = run.y[0, -1] - run.y[1, -1], run.y[2, -1] - run.y[3, -1]
    assert k * d + damping * dv == pytest.approx(0, abs=1e-8)  # released when the force is back to zero
    t = np.linspace(0, hit.duration, 4001)
    x = run.sol(t)
    assert hit.compression == pytest.approx((x[0] - x[1]).max(), rel=1e-5)
    assert m1 * hit.v1 + m2 * hit.v2 == pytest.approx(m1 * v1 + m2 * v2, rel=1e-13)


def test_critical_damping_is_a_limit():
    m = 1.2 * 1.5 / 2.7
    at = 2 * math.sqrt(7.0 * m)
    e = [
        p.two_bodies(1.2, 1.5, 2.2, -1.8, 7.0, at * f).restitution
        for f in (1 - 1e-6, 1 - 1e-10, 1, 1 + 1e-10, 1 + 1e-6)
    ]
    assert e == pytest.approx([math.exp(-2)] * 5, rel=1e-5)
    assert p.two_bodies(1.2, 1.5, 2.2, -1.8, 7.0, at, release="distance").duration == math.inf


@pytest.mark.parametrize(
    "bad",
    [(0, 1, 1, 0, 1, 0), (1, 1, 0, 1, 1, 0), (1, 1, 1, 0, -1, 0), (1, 1, 1, 0, 1, -1), (1, 1, float("nan"), 0, 1, 1)],
)
def test_bodies_that_cannot_meet_are_refused(bad):
    with pytest.raises(BanquiseError, match="percussion"):
        p.two_bodies(*bad)
    with pytest.raises(BanquiseError, match="release"):
        p.two_bodies(1, 1, 1, 0, 1, 0, release="never")


@pytest.mark.parametrize(
    ("v", "want"),
    [
        ((0.8, 0.8), [(0.0981227387, -0.0981227387), (0.0150622243, -0.0150622243), (-0.0153714232, 0.0153714232)]),
        ((0.6, 0.8), [(0.0608573963, -0.1108573963), (-0.0368205537, -0.0631794463), (-0.1134499953, -0.0865500047)]),
    ],
)
def test_floe_of_two_nodes(v, want):
    got = np.array(p.two_nodes(1.0, 18.0, 1.3, *v, [0.25, 0.5, 1.0])).T
    assert got == pytest.approx(np.array(want), abs=1e-9)


@pytest.mark.parametrize("damping", [0.0, 1.3, 6.0, 9.0])
def test_closed_form_and_exponential_agree(damping):
    t = np.linspace(0, 4, 9)
    run = p.chain(2, 1.0, 18.0, damping).motion([0, 0], [0.6, -0.8], t)
    assert pytest.approx(run.x, abs=1e-12) == np.array(p.two_nodes(1.0, 18.0, damping, 0.6, 0.8, t)).T


def test_two_nodes_come_to_rest_only_when_thrown_alike():
    assert np.abs(p.two_nodes(1.0, 18.0, 1.3, 0.8, 0.8, 60.0)).max() < 1e-15
    assert np.abs(p.two_nodes(1.0, 18.0, 1.3, 0.6, 0.8, 60.0)).max() > 5.9  # drifts away at 0.1 m/s


@pytest.mark.parametrize(
    ("damping", "want"),
    [
        ((4, 2.5), [-2.25271 + 2.51038j, -0.62229 + 1.76882j]),
        ((2.8, 2.5), [-2.01675 + 2.59266j, -0.55825 + 1.84276j]),
    ],
)
def test_hit_on_a_clamped_floe_dies_out(damping, want):
    run = p.clamped_hit((1, 1), (16, 5), damping, -1.0, np.linspace(0, 32, 65))
    assert run.system.eigenvalues()[:2] == pytest.approx(np.array(want), abs=1e-5)
    energy = run.elastic_energy + run.kinetic_energy
    assert (np.diff(energy) < 1e-15).all()
    assert energy[-1] < 1e-12
    assert run.v[0].tolist() == [-0.5, -1.0]


def test_no_spring_system_grows():
    rng = np.random.default_rng(2)
    for _ in range(30):
        n = int(rng.integers(2, 9))
        springs = [(i, i + 1, rng.uniform(0, 50), rng.uniform(0, 20)) for i in range(n - 1)] + [(0, -1, 3.0, 0.1)]
        assert p.Springs(rng.uniform(0.1, 5, n), springs).eigenvalues().real.max() < 1e-7


def test_free_hit_keeps_momentum():
    run = p.free_hit((1, 1), (16, 22), (6, 2), (-1.8, 0.0), np.linspace(0, 20, 41))
    assert run.v[0].tolist() == [-0.9, -1.8, 0.0]
    assert np.ptp(run.momentum) < 1e-10  # scaling and squaring of exp(20 A), |A| about 40, multiplies rounding
    assert np.allclose(run.v[-1], run.momentum[-1] / 4, atol=1e-3)  # ends as one rigid floe


def test_chain_of_seven():
    run = p.chain(7, 1.2, 7.0, 0.5).motion(np.zeros(7), [2.2] * 6 + [-76 / 45], [0.25, 0.5])
    want = [[-0.0048016549, -0.0887267360, -0.7796660097], [-0.0581959195, -0.3824892399, -0.9820661961]]
    assert run.elongations[:, -3:] == pytest.approx(np.array(want), abs=1e-9)
    assert run.elastic_energy == pytest.approx([2.155211117, 3.899583040], abs=1e-9)
    assert run.momentum == pytest.approx([1.2 * (13.2 - 76 / 45)] * 2, rel=1e-14)


def test_percussion_models_of_a_pair():
    pair = p.pair_with_springs(1.2, 1.5, 2.2, -1.8, 0.75)
    assert (pair.impulse, pair.v1, pair.v2) == pytest.approx((14 / 3, -76 / 45, 59 / 45), rel=1e-12)
    assert pair.loss == pytest.approx(7 / 3, rel=1e-12)
    one = p.pair_impulse(1.2, 1.5, 2.2, -1.8, 0.75)
    assert (one.v1, one.v2, one.impulse) == pytest.approx((pair.v1, pair.v2, pair.impulse), rel=1e-12)
    pushed = p.pair_impulse(1.2, 1.5, 2.2, -1.8, 0.5, outside=0.3)
    assert pushed.v1 - pushed.v2 == pytest.approx(-0.5 * 4.0, rel=1e-12)
    assert 1.2 * pushed.v1 + 1.5 * pushed.v2 == pytest.approx(1.2 * 2.2 - 1.5 * 1.8 + 0.3, rel=1e-12)
    held = p.pair_with_springs(1.2, 1.5, 2.2, -1.8, 0.5, force1=-3.0, force2=5.0)
    assert held.v1 - held.v2 == pytest.approx(-0.5 * 4.0, rel=1e-12)
    assert held.spring_impulse == pytest.approx(0.02)  # comes from outside the pair: its neighbours must lose it


def test_griffith_on_a_chain_at_one_instant():
    got = p.weakest_spring([0.1, -0.9, 0.3], 10.0, cost=0.44)
    assert (got.spring, got.breaks) == (2, True)  # the pressed spring stores more and does not break
    assert not p.weakest_spring([-1.0, -2.0], 10.0, cost=0.1).breaks
    chain = p.chain(7, 1.2, 7.0, 0.5)
    start = (np.zeros(7), [2.2] * 6 + [-76 / 45])
    found = p.first_break(chain, *start, until=5.0, cost=0.3)
    assert found is not None
    run = chain.motion(*start, [found.time])
    energies = 3.5 * np.maximum(run.elongations[0], 0) ** 2
    assert energies.argmax() == found.spring
    assert energies.max() == pytest.approx(0.3, rel=1e-9)
    before = chain.motion(*start, np.linspace(0, 0.999 * found.time, 300)).elongations
    assert (3.5 * np.maximum(before, 0) ** 2).max() < 0.3
    assert p.first_break(chain, *start, until=5.0, cost=50.0) is None


def test_a_chain_that_only_calms_down_does_not_break():
    """Energies of two different times would call this fall of the elastic energy a fracture."""
    pressed = p.chain(4, 1.0, 10.0, 8.0)
    x = [0.0, -0.2, -0.4, -0.6]
    energy = pressed.motion(x, np.zeros(4), [0.0, 5.0]).elastic_energy
    assert energy[1] < 0.1 * energy[0]
    assert p.first_break(pressed, x, np.zeros(4), until=0.3, cost=0.05) is None


def test_triangle_calms_down_without_pins():
    t = np.linspace(0, 20, 60)
    run = p.triangle([[0, 0], [1, 0], [0.5, 0.9]], [[0, 0], [1, 0.5], [0, -1]], t)
    assert (np.diff(run.energy) < 1e-9).all()  # ODE tolerance
    assert np.ptp(run.momentum, axis=0).max() < 1e-9
    assert np.ptp(run.angular_momentum) < 1e-8
    assert np.abs(run.q).max() < 1e2


def test_triangle_frequency():
    """Own closed form: the breathing of an equilateral triangle of equal springs has w^2 = 3 k / m."""
    ring = np.array([[1, 0], [-0.5, math.sqrt(0.75)], [-0.5, -math.sqrt(0.75)]])
    period = 2 * math.pi / math.sqrt(3 * 23.3 / 6.2)
    run = p.triangle(ring, 1e-4 * ring, [0, period / 4, period / 2, period], damping=0.0)
    swing = np.linalg.norm(run.q[:, 0], axis=1) - 1
    assert swing[1] == pytest.approx(1e-4 / math.sqrt(3 * 23.3 / 6.2), rel=1e-3)  # small, but not infinitely
    assert abs(swing[3]) < 1e-3 * swing[1]


def test_bad_systems_are_refused():
    for make in (
        lambda: p.chain(1, 1.0, 1.0, 0.0),
        lambda: p.Springs([1.0], [(0, 3, 1.0, 0.0)]),
        lambda: p.chain(2, 1.0, 1.0, 0.0).motion([0.0], [0.0], [1.0]),
        lambda: p.triangle([[0, 0]], [[0, 0]], [1.0]),
        lambda: p.first_break(p.chain(2, 1.0, 1.0, 0.0), [0, 0], [0, 0], until=-1.0, cost=1.0),
    ):
        with pytest.raises(BanquiseError, match="percussion"):
            make()


@pytest.mark.parametrize("ratio", [1e3, 7e7, 7e8, 1e12])
def test_strong_damping_has_its_limit(ratio):
    """Far beyond critical damping the damper stops the bodies at v / (2 z w) and they part at e = (2 z)^-2 of their speed."""
    stiffness, reduced, speed = 3.0, 2.0 / 3.0, 1.7  # masses 1 and 2
    w = math.sqrt(stiffness / reduced)
    hit = p.two_bodies(1.0, 2.0, speed, 0.0, stiffness, 2 * ratio * math.sqrt(stiffness * reduced))
    # The next terms of both are of the order ln(z) / z^2.
    assert hit.restitution == pytest.approx((2 * ratio) ** -2, rel=30 / ratio**2 + 1e-9)
    assert hit.compression == pytest.approx(speed / (2 * ratio * w), rel=30 / ratio**2 + 1e-9)
    assert hit.duration == pytest.approx(2 * math.log(2 * ratio) / (ratio * w), rel=30 / ratio**2 + 1e-9)


def test_weak_damping_loses_in_proportion():
    """To first order in z a contact loses pi z of m v^2, however small z is."""
    z = 1e-15
    hit = p.two_bodies(1.0, 1.0, 1.0, 0.0, 2.0, 2 * z)  # k m = 1
    assert hit.loss == pytest.approx(math.pi * z * 0.5, rel=1e-9, abs=0.0)


@pytest.mark.parametrize("k, c, m", [(1e-300, 1e300, 1.0), (1.0, 1.0, 1e200), (1e300, 0.0, 1e300)])
def test_beyond_the_range_of_numbers(k, c, m):
    with pytest.raises(BanquiseError, match="beyond the range of numbers"):
        p.two_bodies(m, m, 1.0, 0.0, k, c)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: p.triangle([[0, 0], [0, 0], [0, 1]], np.zeros((3, 2)), [1.0]), "lie at one place"),  # never ended
        (lambda: p.triangle([[0, 0], [1, 0], [0, 1]], np.zeros((3, 2)), [-1.0, 1.0]), "times begin at -1 s"),
        (lambda: p.chain(2.5, 1.0, 1.0, 1.0), "chain of 2.5 nodes"),
        (lambda: p.chain("a", 1.0, 1.0, 1.0), "nodes is 'a'"),
        (lambda: p.Springs([1, 1], [(0, 1, 1)]), "spring 0 is"),
        (lambda: p.chain(2, 1, 1, 1).motion([0, 0], [0, 0], [math.nan]), "times holds nan"),
        (lambda: p.two_nodes(1, 1, 1, "a", 1, 0.1), "v1 is 'a'"),
        (lambda: p.pair_impulse(1, 1, "a", 0, 0.5), "v1 is 'a'"),
        (lambda: p.weakest_spring([], 1.0, 1.0), "no elongations"),
        (lambda: p.first_break(p.chain(2, 1, 1, 1), [0, 0], [-1, 1], "a", 1), "until is 'a'"),
    ],
)
def test_what_is_no_number_is_said(wrong, said):
    with pytest.raises(BanquiseError, match=said):
        wrong()
