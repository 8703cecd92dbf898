"""The slab ocean: exchange with the ice closes, and each process alone has its closed form."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise.errors import ForcingError


def floes(speed=0.3):
    return [
        bq.Disc((100.0 * k, 37.0 * k), 30.0, thickness=1 + 0.3 * k, velocity=(speed, -0.1 * k), spin=1e-3)
        for k in range(4)
    ]


def ice_momentum(sim):
    b, n = sim.bodies, sim.bodies.n_free
    return complex((b.mass[:n] * (b.u[:n] + 1j * b.v[:n])).sum())


def total(sim):
    return ice_momentum(sim) + sim.ocean.momentum(sim.forcing.water_density)


@pytest.mark.parametrize("cells", [(1, 1), (5, 4)])
def test_momentum_of_ice_and_slab_closes(cells):
    """No wind, no friction, no Coriolis: what the ice loses the slab has, to round-off of the sums."""
    ocean = bq.SlabOcean(depth=10.0, area=(-200, 700, -200, 500), cells=cells)
    sim = bq.Simulation(bq.Scene(floes()), bq.Forcing(current=ocean), scheme=bq.EventDriven(max_step=20.0))
    before = total(sim)
    start = ice_momentum(sim)
    sim.run(1000.0, 500.0)
    assert abs(ice_momentum(sim) - start) > 0.05 * abs(start)  # they did exchange
    assert abs(total(sim) - before) < 1e-12 * abs(before)


def test_the_budget_closes_with_everything_acting():
    ocean = bq.SlabOcean(depth=15.0, area=(-300, 900, -300, 700), cells=(3, 2), friction=2e-5, deep=(0.05, 0.02))
    forcing = bq.Forcing(current=ocean, wind=(8.0, -3.0), latitude=80.0, relative_wind=True)
    sim = bq.Simulation(bq.Scene(floes()), forcing, scheme=bq.EventDriven(max_step=30.0))
    before = sim.ocean.momentum(sim.forcing.water_density)
    sim.run(1200.0, 600.0)
    change = sim.ocean.momentum(sim.forcing.water_density) - before
    parts = sim.ocean.budget
    assert all(abs(part) > 0 for part in parts.values())
    assert abs(change - sum(parts.values())) < 1e-12 * sum(map(abs, parts.values()))
    # the caller's ocean is its own: a second run starts where the first did
    assert not ocean.relative.any() and sim.ocean is not ocean


def test_slab_alone_under_wind_is_the_exact_spiral():
    """dw/dt = -(r + if) w + tau / (rho H): the closed form at any step."""
    r, f, depth, wind = 1e-5, 1.4e-4, 25.0, 10 + 2j
    ocean = bq.SlabOcean(depth=depth, area=(0, 1e5, 0, 1e5), friction=r, velocity=(0.1, 0.0))
    speck = bq.Disc((5e4, 5e4), 1e-3, water_drag=0.0, air_drag=0.0)
    forcing = bq.Forcing(current=ocean, wind=(wind.real, wind.imag), coriolis=f)
    for step in (600.0, 7200.0):
        sim = bq.Simulation(bq.Scene([speck]), forcing, scheme=bq.EventDriven(max_step=step))
        sim.run(86400.0, 43200.0)
        tau = forcing.air_density * ocean.air_drag * abs(wind) * wind / (forcing.water_density * depth)
        z = r + 1j * f
        exact = 0.1 * np.exp(-z * 86400) + tau * (1 - np.exp(-z * 86400)) / z
        assert abs(sim.ocean.relative[0, 0] - exact) < 1e-11 * abs(exact)


def test_ice_cover_shields_the_water():
    """Wind acts on open water only: a cell full of ice that is not dragged gets nothing."""
    plate = bq.Floe([(0, 0), (100, 0), (100, 100), (0, 100)], water_drag=0.0, air_drag=0.0)
    ocean = bq.SlabOcean(depth=10.0, area=(0, 200, 0, 100), cells=(2, 1))
    sim = bq.Simulation(
        bq.Scene([plate]), bq.Forcing(current=ocean, wind=(10, 0)), scheme=bq.EventDriven(max_step=10.0)
    )
    sim.run(10.0, 10.0)
    covered, bare = sim.ocean.relative[0]
    # a floe is 75 points to its cells: one or two of them may count for the neighbour
    assert abs(covered) < 0.05 * abs(bare) and bare.real > 0


def test_stop_and_go_on(tmp_path):
    def make():
        ocean = bq.SlabOcean(depth=10.0, area=(-200, 900, -200, 500), cells=(2, 2), friction=1e-5)
        forcing = bq.Forcing(current=ocean, wind=(5, 1), latitude=80)
        return bq.Simulation(bq.Scene(floes()), forcing, scheme=bq.EventDriven(max_step=20.0))

    make().run(200.0, 100.0, output=tmp_path / "run.nc")
    run = bq.resume(tmp_path / "run.nc", until=400.0)
    whole = make().run(400.0, 100.0)
    np.testing.assert_array_equal(run.dataset.u.values, whole.dataset.u.values)


def test_mistakes():
    with pytest.raises(ForcingError, match="area"):
        bq.SlabOcean(area=(1, 0, 0, 1))
    with pytest.raises(ValueError, match="depth"):
        bq.SlabOcean(depth=0.0)
    sim = bq.Simulation(
        bq.Scene(floes()),
        bq.Forcing(current=bq.SlabOcean(area=(0, 10, 0, 10), cells=(2, 2))),
        scheme=bq.EventDriven(10.0),
    )
    with pytest.raises(ForcingError, match="left the slab ocean"):
        sim.run(10.0, 10.0)
