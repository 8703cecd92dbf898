"""Large islands in space: Newton by blocks against sweeps, and passes by colour with any number of threads."""

import numpy as np
import pytest
from stacks import GRAVITY, STEP, cube_stack

import banquise as bq
from banquise.scenes.blocks import heap
from banquise.solvers import spatial


def test_newton_by_blocks_solves_a_tall_stack(monkeypatch):
    """40 cubes: sweeps alone are slow, the square of the height; a Newton step sees the whole stack."""
    problem = cube_stack(40, 0.5, 0.02)
    answer = spatial.solve(problem, tolerance=1e-9)
    assert answer.unsolved == 0 and answer.iterations < 400
    lowest = answer.forces[:4].sum(axis=0)
    assert lowest[2] == pytest.approx(40 * GRAVITY * STEP * np.cos(0.02), rel=1e-6)
    monkeypatch.setattr(spatial, "NEWTON_STEPS", 0)
    swept = spatial.solve(problem, tolerance=1e-9, sweeps=answer.iterations)
    assert swept.residual > 100 * max(answer.residual, 1e-12)


def test_passes_by_colour_have_the_same_bits_for_any_threads(monkeypatch):
    monkeypatch.setattr(spatial, "COLOURED_FROM", 1)
    found = []
    before = bq.set_threads()
    try:
        for threads in (1, 2):
            bq.set_threads(threads)
            found.append(spatial.solve(cube_stack(300, 0.5, 0.3), tolerance=1e-9, sweeps=20).impulses)
    finally:
        bq.set_threads(before)
    np.testing.assert_array_equal(*found)
    assert np.all(found[0][:, 0] >= 0.0) and found[0].max() > 0.0


@pytest.mark.slow
def test_heap_of_random_blocks_comes_to_rest():
    sim = bq.Simulation(
        heap(80), bq.Forcing(gravity=(0, 0, -9.81)), bq.Contact(0.5, 0.0, tolerance=1e-4), bq.TimeStepping(5e-3)
    )
    run = sim.run(until=4.0, every=0.25)
    energy = run.ledger.kinetic_energy.values
    assert energy[-1] < 1e-4 * energy.max()
    assert float(run.ledger.max_overlap[-1]) < 1e-3  # m, of blocks of 0.8 m; while they fall it is more
    assert sim.columns.centre[sim.columns.free, 2].min() > 0.0
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * float(run.ledger.work_gravity[-1])
