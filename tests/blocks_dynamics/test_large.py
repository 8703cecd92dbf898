"""Large islands in space: Newton by blocks against sweeps, and passes by colour with any number of threads."""

from dataclasses import replace

import numpy as np
import pytest
from stacks import GRAVITY, STEP, cube_stack

import banquise as bq
from banquise.scenes.blocks import WALL_CONTACT, heap, wall
from banquise.solvers import spatial
from banquise.solvers.newton import symbolic_within
from banquise.solvers.standing import Order


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


def test_a_stack_is_solved_from_nothing_body_by_body():
    """Each cube stands on the one below: the load goes down in one go, whatever the height, and no pass is needed."""
    problem = cube_stack(200, 0.5, 0.002)  # steeper, it topples
    order = Order(problem.body_b.astype(np.int64), np.arange(200, -1, -1))
    answer = spatial.solve(problem, tolerance=1e-9, order=order)
    assert answer.unsolved == 0 and answer.iterations == 0
    lowest = answer.forces[:4].sum(axis=0)
    np.testing.assert_allclose(lowest, 200 * GRAVITY * STEP * np.array([-np.sin(0.002), 0, np.cos(0.002)]), atol=1e-6)
    # friction below the slope: nothing stands, and the answer is the one without an order
    problem = cube_stack(3, 0.2, 0.3)
    order = Order(problem.body_b.astype(np.int64), np.arange(3, -1, -1))
    ordered, plain = (spatial.solve(problem, tolerance=1e-9, order=o) for o in (order, None))
    np.testing.assert_allclose(ordered.velocity, plain.velocity, atol=1e-9)


def test_a_high_wall_stands_at_its_first_step():
    """40 courses of 5: passes from nothing would take some thousand, and its base bears it at once."""
    sim = bq.Simulation(
        wall(courses=40, row=5), bq.Forcing(gravity=(0, 0, -GRAVITY)), replace(WALL_CONTACT, tolerance=1e-4),
        bq.TimeStepping(1e-3), sweeps=1,
    )  # fmt: skip
    run = sim.run(until=2e-3, every=1e-3)
    weight = GRAVITY * sim.columns.mass[sim.columns.free].sum()
    np.testing.assert_allclose(-run.loads.force_z.values[1:, :2].sum(axis=1), weight, rtol=1e-4)
    assert float(run.ledger.unsolved.sum()) == 0


def test_a_factor_that_is_too_dear_is_given_up():
    """A row of bodies: one product each but the last."""
    a, b = np.arange(9), np.arange(1, 10)
    assert symbolic_within(a, b, 10, 8) is None
    assert len(symbolic_within(a, b, 10, 9).target) == 9


@pytest.mark.slow
@pytest.mark.parametrize("count", [80, 400])
def test_heap_of_random_blocks_comes_to_rest(count):
    sim = bq.Simulation(
        heap(count), bq.Forcing(gravity=(0, 0, -9.81)), bq.Contact(0.5, 0.0, tolerance=1e-3), bq.TimeStepping(5e-3)
    )
    run = sim.run(until=4.5, every=0.25)
    assert float(run.ledger.kinetic_energy[-1]) < 1e-6 * float(run.ledger.work_gravity[-1])
    assert float(run.ledger.max_overlap[-1]) < 1e-4  # m, of blocks of 0.8 m
    assert float(run.ledger.max_overlap.max()) < 5e-3  # while they fall at up to 10 m/s, 50 mm a step
    assert sim.columns.centre[sim.columns.free, 2].min() > 0.0
    assert abs(float(run.ledger.balance[-1])) < 1e-9 * float(run.ledger.work_gravity[-1])
