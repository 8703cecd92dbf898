"""Bonded faces: they carry their load, break at the stated one, and a broken bond stays broken after a resume."""

import numpy as np
import pytest

import banquise as bq
from banquise.blocks import Bond, Moreau

G = 9.81
CUBE = bq.Polyhedron.box((1, 1, 1))
WEIGHT = 1000.0 * G


def hanging(n, tension, shear=1e6):
    """A fixed block and a row of n cubes frozen below it."""
    row = [CUBE.moved(position=(0, 0, 10), fixed=True), *(CUBE.moved(position=(0, 0, 9 - k)) for k in range(n))]
    return bq.Simulation(
        bq.Scene(blocks=row), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.5, 0.0), Moreau(0.005),
        bond=Bond(tension=tension, shear=shear),
    )  # fmt: skip


def test_bonded_row_carries_its_load():
    sim = hanging(3, 1.001 * 3 * WEIGHT)
    run = sim.run(until=0.1, every=0.05)
    np.testing.assert_allclose(run.dataset.z.values[-1], [10, 9, 8, 7], atol=1e-9)
    assert float(run.loads.force_z[-1, 0]) == pytest.approx(-3 * WEIGHT, rel=1e-9)
    assert sim.bonds.alive.all()


def test_bonded_row_breaks_at_the_stated_load_and_only_there():
    """The upmost face bears three weights; a shade too weak, it parts, and the rest falls as one."""
    sim = hanging(3, 0.999 * 3 * WEIGHT)
    run = sim.run(until=0.1, every=0.05)
    assert sim.bonds.alive.tolist() == [0] * 4 + [1] * 8
    np.testing.assert_allclose(np.diff(run.dataset.z.values[-1, 1:]), -1.0, atol=1e-9)
    assert float(run.dataset.w[-1, 1]) < -0.9 * G * 0.1


@pytest.mark.parametrize(("factor", "holds"), [(1.01, True), (0.99, False)])
def test_bond_shears_at_its_strength(factor, holds):
    """Held by one side face: the weight is shear, its moment small against a strong tension."""
    side = CUBE.moved(position=(-1, 0, 0), fixed=True)
    sim = bq.Simulation(
        bq.Scene(blocks=[side, CUBE]), bq.Forcing(gravity=(0, 0, -G)), bq.Contact(0.0, 0.0), Moreau(0.005),
        bond=Bond(tension=1e9, shear=factor * WEIGHT),
    )  # fmt: skip
    sim.run(until=0.1, every=0.1)
    assert bool(sim.bonds.alive.all()) == holds


def test_broken_bonds_survive_a_resume(tmp_path):
    through = hanging(2, 0.999 * 2 * WEIGHT)
    through.run(until=0.2, every=0.1)
    first = hanging(2, 0.999 * 2 * WEIGHT)
    first.run(until=0.1, every=0.1, output=tmp_path / "row.nc")
    second = hanging(2, 0.999 * 2 * WEIGHT)
    second.restore(tmp_path / "row.nc")
    second.run(until=0.2, every=0.1)
    np.testing.assert_array_equal(second.bonds.alive, through.bonds.alive)
    assert not second.bonds.alive.all()
    np.testing.assert_array_equal(second.columns.centre, through.columns.centre)


def test_only_named_materials_are_bonded():
    ice, rock = CUBE.moved(material="ice"), CUBE.moved(material="rock", fixed=True)
    sim = bq.Simulation(
        bq.Scene(blocks=[rock, ice.moved(position=(0, 0, 1)), ice.moved(position=(0, 0, 2))]),
        bond=Bond(1e5, 1e5, materials=(("ice", "ice"),)),
    )
    pairs = np.array([[0, 1], [1, 2], [0, 2]])
    assert sim.bonds.loose(pairs, 3).tolist() == [True, False, True]
    with pytest.raises(bq.BanquiseError, match="tension"):
        Bond(tension=0.0, shear=1.0)
