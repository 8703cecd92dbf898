"""Blocks in water: displaced volume, draft, stability, energy."""

import numpy as np
import pytest

import banquise as bq
from banquise.blocks.columns import Columns
from banquise.blocks.water import Water

G, ICE, SEA = 9.81, 917.0, 1025.0
RATIO = ICE / SEA


def forcing(**options):
    return bq.Forcing(gravity=(0, 0, -G), water_level=0.0, water_density=SEA, **options)


def afloat(sides, tilt=0.0, lift=0.0, step=0.02, **options):
    """A box at its draft, turned by `tilt` about y (the long axis is y)."""
    box = bq.Polyhedron.box(sides, density=ICE, orientation=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0))
    box = box.moved(position=(0, 0, (0.5 - RATIO) * sides[2] + lift))
    return bq.Simulation(bq.Scene(blocks=[box]), forcing(**options), scheme=bq.TimeStepping(step=step))


def test_displaced_volume_and_centre_of_a_cut_tetrahedron():
    """Apex down, submerged by half its height: an eighth of the volume, a similar tetrahedron."""
    block = bq.Polyhedron([(0, 0, -2), (3, 0, 2), (-1, 2, 2), (-1, -2, 2)], density=ICE)
    columns = Columns.of([block])
    volume, moment, wrench = Water([block], forcing(), G).measure(columns)
    small = 0.5 * (block.world_vertices - [0, 0, -2]) + [0, 0, -2]
    assert volume[0] == pytest.approx(block.volume / 8, rel=1e-13)
    np.testing.assert_allclose(columns.centre[0] + moment[0] / volume[0], small.mean(axis=0), atol=1e-13)
    assert wrench[0, 2] == pytest.approx(SEA * G * block.volume / 8, rel=1e-13)


def test_turned_concave_block_displaces_all_or_nothing():
    ring = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    sides = [[i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6)]
    vertices = [(x, y, z) for z in (0, 1) for x, y in ring]
    hook = bq.Polyhedron(vertices, [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *sides], orientation=(1, 0.3, 0.2, -0.5))
    for z, part in ((-10.0, 1.0), (10.0, 0.0)):
        placed = hook.moved(position=(0, 0, z))
        columns = Columns.of([bq.Polyhedron.box((1, 1, 1))])
        columns.centre[0], columns.orientation[0] = placed.centre, placed.orientation
        volume, moment, _ = Water([placed], forcing(), G).measure(columns)
        assert volume[0] == pytest.approx(3 * part, abs=1e-12)
        np.testing.assert_allclose(moment[0], 0, atol=1e-12)


def test_box_comes_to_float_at_its_draft():
    sim = afloat((2, 2, 1), lift=0.05, form_drag=30.0)
    run = sim.run(until=20, every=0.5)
    z = run.dataset.z.values[:, 0]
    assert z[-5:].mean() == pytest.approx(0.5 - RATIO, abs=2e-3)  # quadratic drag leaves a slow small bobbing
    assert float(run.ledger.kinetic_energy[-1]) < 0.02 * SEA * G * 4 * 0.05**2
    assert abs(float(run.ledger.balance[-1])) < 1e-10 * float(abs(run.ledger.work_gravity).max())


def test_bobbing_has_the_period_of_the_closed_form_and_keeps_energy():
    """m z'' = -rho g A z: period 2 pi sqrt(ratio height / g); no drag."""
    sim = afloat((2, 2, 1), lift=0.05, step=0.01, form_drag=0.0, skin_drag=0.0)
    period = 2 * np.pi * np.sqrt(RATIO / G)
    run = sim.run(until=3 * period, every=3 * period / 300)
    z = run.dataset.z.values[:, 0] - (0.5 - RATIO)
    expected = 0.05 * np.cos(2 * np.pi * run.dataset.time.values / period)
    np.testing.assert_allclose(z, expected, atol=0.05 * 5e-3)  # phase of the leapfrog: (omega h)^2 / 24 a radian
    energy = 0.5 * sim.columns.mass[0] * run.dataset.w.values[:, 0] ** 2 + 0.5 * SEA * G * 4 * z**2
    assert np.ptp(energy) < 2e-3 * energy[0]  # second order: (omega h)^2 / 4


@pytest.mark.parametrize(("factor", "capsizes"), [(0.95, True), (1.05, False)])
def test_capsize_at_the_critical_aspect(factor, capsizes):
    """A tall box tips over below width / height = sqrt(6 r (1 - r)), r the ratio of densities."""
    critical = np.sqrt(6 * RATIO * (1 - RATIO))
    sim = afloat((factor * critical, 4.0, 1.0), tilt=0.01)
    run = sim.run(until=25, every=0.25)
    d = run.dataset.isel(block=0)
    tilt = np.abs(2 * np.arctan2(d.qy.values, d.qw.values))
    assert (tilt.max() > 1.0) if capsizes else (tilt.max() < 0.03)
    work = float(abs(run.ledger.work_gravity).max() + abs(run.ledger.work_current).max())
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * max(work, 1.0)


def test_drag_slows_and_never_throws_back():
    box = bq.Polyhedron.box((1, 1, 1), density=ICE, position=(0, 0, -5), velocity=(50, 0, 0))
    sim = bq.Simulation(
        bq.Scene(blocks=[box]),
        bq.Forcing(gravity=(0, 0, 0), water_level=0.0, water_density=SEA),
        scheme=bq.TimeStepping(step=0.05),
    )
    u = sim.run(until=2, every=0.05).dataset.u.values[:, 0]
    k = 0.5 * SEA / ICE  # a cube of 1 m, form drag 1 on the face in front
    skin = 4 * 0.5 * 5e-3 * SEA / ICE  # and friction along four sides
    np.testing.assert_allclose(u, 50 / (1 + (k + skin) * 50 * np.arange(41) * 0.05), rtol=1e-9)


def test_rounded_blocks_do_not_float():
    with pytest.raises(bq.BanquiseError, match="rounded"):
        bq.Simulation(bq.Scene(blocks=[bq.Polyhedron.ball(1.0)]), forcing())
