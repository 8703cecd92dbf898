"""The capsizing iceberg: hydrostatics, energy, scaling, and its two-way coupling to the glacier."""

import math

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl
from banquise.glacier import _kernels_iceberg as kernels


def _peak(**options):
    data = gl.Iceberg(**{"aspect": 0.25, "tilt": 2.0, **options}).capsize(until=250.0, step=0.05, every=0.05)
    return float(data.iceberg_force.max()), data


@pytest.fixture(scope="module")
def standard():
    return _peak()


@pytest.mark.parametrize(("aspect", "falls"), [(0.73, True), (0.755, False)])
def test_critical_aspect_divides_falling_from_standing(aspect, falls):
    body = gl.Iceberg(aspect=aspect, tilt=0.2, drag=0.0).afloat(0.05)
    body.state[0] = -1e5  # away from the front
    for _ in range(12000):
        body.advance(0.0, 0.0)
        if abs(body.state[2]) > math.radians(5):
            break
    assert bool(abs(body.state[2]) > math.radians(5)) is falls


def test_floats_at_its_draught():
    body = gl.Iceberg(800.0, 0.25, tilt=1e-9).afloat(0.1)
    draught = 800.0 * 920 / 1025
    assert body.state[1] == pytest.approx(400 - draught, rel=1e-9)


def test_energy_released_is_that_between_upright_and_flat():
    berg = gl.Iceberg(800.0, 0.25, tilt=1e-9)
    body = berg.afloat(0.1)
    upright = body.energy()[1]
    body.state[:] = [0.0, 100 - 200 * 920 / 1025, math.pi / 2, 0, 0, 0]
    assert upright - body.energy()[1] == pytest.approx(berg.energy_released, rel=1e-9)
    assert berg.energy_released == pytest.approx(4.4e10, rel=0.01)


def test_energy_is_kept_without_drag():
    # Contact spring included, dashpot off; order three at the kinks where corners cross the water line.
    body = gl.Iceberg(drag=0.0, added_mass=0.0, contact_damping=0.0, contact_stiffness=1e8, tilt=5.0).afloat(0.02)

    def total():
        body.force(0.0, 0.0)
        spring = 0.5 * 1e8 * float((np.maximum(body._corners[:, 0], 0.0) ** 2).sum())
        return sum(body.energy()) + spring

    start = total()
    worst = 0.0
    for _ in range(6000):
        body.advance(0.0, 0.0)
        worst = max(worst, abs(total() - start))
    assert worst < 1e-6 * body.iceberg.energy_released


def test_drag_and_dashpot_only_take_energy():
    body = gl.Iceberg(added_mass=0.0, tilt=5.0).afloat(0.02)
    body.state[0] = -1e5
    energies = []
    for _ in range(3000):
        body.advance(0.0, 0.0)
        energies.append(sum(body.energy()))
    assert np.diff(energies).max() < 1e-7 * body.iceberg.energy_released


def test_drag_on_a_plate_is_the_formula():
    berg = gl.Iceberg(800.0, 0.25, drag=0.7).parts()
    corners = np.empty((4, 2))
    state = np.array([0.0, -1000.0, 0.0, 0.0, 0.0, 0.0])
    state[3] = 2.0  # under water, sideways
    kernels.placed(berg, state, corners)
    fx, fy, torque = kernels._drag(berg, state, corners)
    # Both long faces resist: 2 x 1/2 rho Cd v^2 H
    assert fx == pytest.approx(-1025 * 0.7 * 4.0 * 800, rel=1e-12)
    assert abs(fy) < 1e-6 and abs(torque) < 1e-6 * abs(fx)


def test_kirchhoff_conserves_energy_and_impulse_in_still_water():
    # Neutral weight, fully under water, no drag: kinetic energy and the world momentum (m + m_a) v stay.
    spec = gl.Iceberg(800.0, 0.25, drag=0.0, density=920.0)
    berg = spec.parts()._replace(water_density=920.0)
    state = np.array([0.0, -5000.0, 0.3, 3.0, -2.0, 0.01])
    corners = np.empty((4, 2))

    def momentum():
        c, s = math.cos(state[2]), math.sin(state[2])
        p1, p2 = (berg.mass + berg.added_1) * state[3], (berg.mass + berg.added_2) * state[4]
        return np.array([c * p1 - s * p2, s * p1 + c * p2])

    p, k = momentum(), kernels.energy(berg, state, corners)[0]
    kernels.advance(berg, state, 1e6, 0.0, 200.0, 4000)
    assert np.allclose(momentum(), p, rtol=1e-9)
    assert kernels.energy(berg, state, corners)[0] == pytest.approx(k, rel=1e-9)


def test_peak_force_and_its_scaling(standard):
    peak, data = standard
    assert peak == pytest.approx(33.0e6, rel=0.03)  # a separate prototype of the model: 33.0 MN/m
    angle = np.degrees(np.abs(data.iceberg_angle.values))
    lost = angle[np.flatnonzero(data.iceberg_force.values > 0)[-1]]
    assert lost == pytest.approx(50, abs=5)
    half, _ = _peak(height=400.0, contact_stiffness=1e9)
    assert peak / half == pytest.approx(4.0, rel=0.02)  # H^2, but for the spring, which does not scale


def test_drag_and_added_mass_hardly_move_the_peak(standard):
    peak, _ = standard
    assert _peak(drag=2.0)[0] == pytest.approx(peak, rel=0.05)
    assert _peak(added_mass=0.5)[0] == pytest.approx(peak, rel=0.05)


def test_top_out_turns_the_other_way():
    _, data = _peak(turn="top-out")
    assert float(data.iceberg_angle[-1]) > 1.0


def test_coupled_both_ways(standard):
    g = gl.Glacier(2000.0, 100.0)
    berg = gl.Iceberg(800.0, 0.25, tilt=2.0)
    runs = {
        scheme: g.run(berg, until=200.0, scheme=scheme, step=0.05) for scheme in ("imex", "hht")
    }  # fmt: skip
    out = runs["imex"]
    assert out.peak_seismic_force == pytest.approx(standard[0], rel=0.02)  # the front gives by millimetres only
    assert out.impulse_residual < 1e-12
    assert out.front_displacement > 1e-4
    assert {"iceberg_angle", "iceberg_force"} <= set(out.dataset)
    assert np.allclose(out.dataset.iceberg_force, out.dataset.contact_force)
    assert runs["hht"].peak_seismic_force == pytest.approx(out.peak_seismic_force, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"height": -1.0}, "height is -1"),
        ({"density": 1100.0}, "sinks"),
        ({"turn": "sideways"}, "bottom-out"),
        ({"drag": math.nan}, "drag is nan"),
        ({"tilt": 60.0}, "tilt is 60"),
    ],
)
def test_bad_icebergs_get_a_sentence(arguments, says):
    with pytest.raises(bq.BanquiseError, match=says):
        gl.Iceberg(**arguments)
