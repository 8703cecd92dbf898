"""Contacts in space: the round cone, stacks, and a block on a slope."""

import numpy as np
import pytest
from stacks import GRAVITY, STEP, cube_stack

from banquise.contact.spatial import SpatialProblem
from banquise.errors import SolverError
from banquise.solvers import _kernels_cone, spatial, spatial_newton


@pytest.mark.parametrize("heading", [0.0, 0.4, 2.5])  # the cone is round: a sideways slope is no different
@pytest.mark.parametrize("slope", [0.1, 0.4, 0.5, 0.7])
def test_block_on_a_slope(slope, heading):
    answer = spatial.solve(cube_stack(1, 0.5, slope, heading))
    slide = max(0.0, np.sin(slope) - 0.5 * np.cos(slope)) * GRAVITY * STEP
    assert answer.unsolved == 0
    wanted = [slide * np.cos(heading), slide * np.sin(heading), 0, 0, 0, 0]
    np.testing.assert_allclose(answer.velocity[1], wanted, atol=2e-9 * GRAVITY * STEP)
    np.testing.assert_allclose(answer.impulses[:, 0].sum(), GRAVITY * STEP * np.cos(slope), rtol=1e-8)


@pytest.mark.parametrize("height", [2, 5, 12])
def test_stack_stands_and_carries_its_weight(height):
    answer = spatial.solve(cube_stack(height))
    assert answer.unsolved == 0 and answer.largest_island == 4 * height
    np.testing.assert_allclose(answer.velocity[1:], 0, atol=1e-8 * GRAVITY * STEP)
    lowest = answer.forces[:4].sum(axis=0)
    np.testing.assert_allclose(lowest, [0, 0, height * GRAVITY * STEP], atol=1e-7 * GRAVITY * STEP * height)


@pytest.mark.parametrize("origin", ["start", "nothing"])
@pytest.mark.parametrize("manner", [spatial_newton.ANCHORED, spatial_newton.SWIFT, spatial_newton.STEADY])
def test_each_newton_method_alone_makes_a_stack_stand(manner, origin, monkeypatch):
    for chain in ("FROM_MEMORY", "FROM_AFAR", "FROM_NOTHING"):
        monkeypatch.setattr(spatial, chain, ((manner, origin, 400),))
    problem = cube_stack(20)
    weight = GRAVITY * STEP * np.repeat(np.arange(20, 0, -1), 4)
    guess = np.zeros((80, 3))  # that of a last step: the load on two corners of four, and a tenth too much
    guess[:, 0] = 1.1 * weight * np.tile([0.4, 0.1, 0.1, 0.4], 20)
    tolerance = 1e-7
    assert spatial.solve(problem, guess, tolerance, sweeps=30).unsolved == 0
    answer = spatial.solve(problem, guess, tolerance, sweeps=0)  # no passes but the first thirty, which leave 1e-2
    assert answer.unsolved == 0
    # what is left may tilt every joint the same way: at the top that adds up to the square of the height
    np.testing.assert_allclose(answer.velocity[1:], 0, atol=20**2 * tolerance * GRAVITY * STEP)
    np.testing.assert_allclose(answer.forces.reshape(20, 4, 3).sum(axis=1)[:, 2] / weight[::4], 1, atol=1e-5)


def test_tall_stack_on_a_slope_topples_and_loses_energy():
    problem = cube_stack(5, 0.5, 0.3)  # tan 0.3 > 1/5: it holds by friction and turns over its edge
    answer = spatial.solve(problem)
    assert answer.unsolved == 0
    assert answer.velocity[-1, 4] > 0
    before = np.sum(problem.free_velocity**2 * [1, 1, 1, 1 / 6, 1 / 6, 1 / 6])
    after = np.sum(answer.velocity**2 * [1, 1, 1, 1 / 6, 1 / 6, 1 / 6])
    assert after < before


def test_one_contact_obeys_coulomb_exactly():
    rng = np.random.default_rng(0)
    for _ in range(300):
        A = rng.normal(size=(3, 5))
        w, q, mu = A @ A.T, rng.normal(size=3), rng.uniform(0, 1.2)
        r = np.empty(3)
        _kernels_cone.one_spatial(q, w, mu, 0.0, r)
        u = q + w @ r
        size = np.abs(q).max()
        assert r[0] >= 0 and u[0] > -1e-12 * size and abs(r[0] * u[0]) < 1e-12 * size * (1 + r[0])
        slip, rub = np.hypot(*u[1:]), np.hypot(*r[1:])
        assert rub <= mu * r[0] * (1 + 1e-12)
        if slip > 1e-10 * size and r[0] > 0:  # slipping: on the cone, against the motion
            assert rub == pytest.approx(mu * r[0], rel=1e-10)
            assert r[1:] @ u[1:] == pytest.approx(-slip * rub, rel=1e-8)


def test_bad_input_is_named():
    good = cube_stack(1)
    fields = {name: getattr(good, name) for name in good.__dataclass_fields__}
    with pytest.raises(SolverError, match="normal has shape"):
        SpatialProblem(**{**fields, "normal": np.zeros((4, 2))})
    with pytest.raises(SolverError, match="negative eigenvalue"):
        spatial.solve(SpatialProblem(**{**fields, "inverse_inertia": -np.tile(np.eye(3), (2, 1, 1))}))
    with pytest.raises(SolverError, match="guess has shape"):
        spatial.solve(good, guess=np.zeros((4, 2)))
