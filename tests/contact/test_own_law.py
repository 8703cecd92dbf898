"""Friction and restitution from a function of the two materials: used in impacts, kept in run files."""

import math

import numpy as np
import pytest

import banquise as bq
from banquise.case import Case, case_of
from banquise.case_tables import tables_of
from banquise.errors import CaseError

SPRINGY = {"young-ice": 0.2, "old-ice": 0.8}


def rebound(a, b):
    """The geometric mean of what each material has."""
    return math.sqrt(SPRINGY[a] * SPRINGY[b])


def two_pairs(law):
    """Discs head on, far from each other: young on young, young on old."""
    discs = [
        bq.Disc((x, y), 10.0, velocity=(v, 0.0), material=m)
        for y, right in ((0.0, "young-ice"), (100.0, "old-ice"))
        for x, v, m in ((-11.0, 1.0, "young-ice"), (11.0, -1.0, right))
    ]
    return bq.Simulation(bq.Scene(discs), contact=bq.Contact(friction=0.0, restitution=law))


def test_own_law_sets_the_rebound(tmp_path):
    sim = two_pairs(rebound)
    run = sim.run(until=5.0, every=1.0, output=tmp_path / "pairs.nc")
    u = run.dataset.u[-1].values
    expected = np.array([rebound("young-ice", "young-ice"), rebound("young-ice", "old-ice")])
    assert u[1::2] == pytest.approx(
        expected, rel=1e-9
    )  # equal discs head on: e times the speed, to round-off of the solve
    further = bq.resume(tmp_path / "pairs.nc", until=6.0)  # the table, with dashes in its names, is in the file
    assert further.dataset.u[-1].values == pytest.approx(u, rel=1e-12)


def test_a_law_becomes_the_table_of_what_can_meet():
    sim = two_pairs(rebound)
    assert set(sim.contact.restitution) == {
        ("old-ice", "old-ice"),
        ("old-ice", "young-ice"),
        ("young-ice", "young-ice"),
    }
    again = case_of(tables_of(sim, until=1.0))
    assert again.contact == sim.contact
    with pytest.raises(CaseError, match="own law"):
        tables_of(Case(sim.scene, sim.forcing, bq.Contact(friction=rebound), sim.scheme))


def test_mistakes_in_a_law():
    with pytest.raises(CaseError, match="gives 0.1 for a, b"):
        bq.Contact(friction=lambda a, b: 0.1 if a < b else 0.2).tabulated(["b", "a"])
    with pytest.raises(CaseError, match="restitution of .*at most 1"):
        bq.Contact(restitution=lambda a, b: 1.5).tabulated(["ice"])
