"""Jams: an arch and a funnel come to rest, stay, and what holds them balances what pushes them."""

import numpy as np
import pytest

import banquise as bq
from banquise.constants import AIR_DENSITY, AIR_DRAG
from banquise.scenes.jams import arch, funnel
from banquise.validation.jam import rows


def speeds(run):
    return np.hypot(run.dataset.u, run.dataset.v).max("floe").values


@pytest.mark.parametrize("restitution", [0.0, 0.35])
@pytest.mark.parametrize("n", [5, 12])
def test_an_arch_jams_under_its_weight(n, restitution):
    sim = arch(n=n, restitution=restitution)
    run = sim.run(until=300.0, every=20.0)
    push = 0.01 * sum(floe.mass for floe in sim.scene.floes)
    assert speeds(run)[10:].max() < 1e-6  # at rest within 200 s, and it stays (free fall over 20 s: 0.2 m/s)
    total = run.loads.force_y.sum("obstacle").values[10:]
    assert total == pytest.approx(np.full(len(total), -push), rel=1e-2)
    thrust = run.loads.force_x.values[-1]
    assert thrust[0] > 0 > thrust[1]  # it leans on both sides
    assert thrust.sum() == pytest.approx(0.0, abs=1e-3 * push)
    assert float(run.ledger.unsolved.sum()) == 0
    assert float(run.ledger.max_overlap.max()) < 1e-5 * np.sqrt(sim.scene.floes[0].area)


def test_an_arch_carries_the_wind():
    sim = arch(wind=15.0, restitution=0.35)
    run = sim.run(until=200.0, every=20.0)
    push = AIR_DENSITY * AIR_DRAG * 15.0**2 * sum(floe.area for floe in sim.scene.floes)
    assert speeds(run)[-3:].max() < 1e-6
    assert run.loads.force_y.sum("obstacle").values[-3:] == pytest.approx([-push] * 3, rel=1e-2)


def test_a_funnel_keeps_its_pack():
    """A small pack on its way into the funnel: nothing overlaps, nothing passes a bank, the books close."""
    sim = funnel(n=6)
    run = sim.run(until=600.0, every=100.0)
    assert len(run.events) > 0
    assert float(run.ledger.unsolved.sum()) == 0
    exchanged = float(run.ledger.work_wind[-1])
    assert float(abs(run.ledger.balance).max()) < 1e-6 * exchanged
    assert bq.Scene(run.scene.floes, sim.scene.obstacles).overlaps() == []


def test_rows_of_validate():
    found = list(rows())
    assert found
    assert [row for row in found if not row.passed] == []
