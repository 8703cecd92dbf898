"""Frictional islands: known answers, agreement of independent methods, and the proof each answer carries."""

import numpy as np
import pytest

from banquise.contact.samples import cradle, random_problem
from banquise.solvers import frictional


def kinetic_energy(problem, velocity):
    movable = problem.inverse_mass > 0
    mass, inertia = 1 / problem.inverse_mass[movable], 1 / problem.inverse_inertia[movable]
    v = velocity[movable]
    return 0.5 * np.sum(mass * (v[:, 0] ** 2 + v[:, 1] ** 2)) + 0.5 * np.sum(inertia * v[:, 2] ** 2)


def residual_by_hand(problem, impulses):
    """The natural map written once more, without kernels, unscaled by any reference."""
    u = problem.relative_velocity(problem.velocity_after(impulses))
    u = u + np.stack((problem.gap_rate, problem.bias_t), axis=1)
    diagonal = problem.scaled().W
    rn, rt = impulses.T
    normal = diagonal[:, 0] * np.abs(rn - np.maximum(problem.lower_normal, rn - u[:, 0] / diagonal[:, 0]))
    bound = problem.friction * np.maximum(0, rn)
    tangent = diagonal[:, 2] * np.abs(rt - np.clip(rt - u[:, 1] / diagonal[:, 2], -bound, bound))
    return max(normal.max(), tangent.max())


@pytest.mark.parametrize(("contacts", "bodies"), [(5, 5), (5, 3), (20, 20), (20, 10), (50, 50), (50, 25)])
def test_random_floe_problems_are_all_solved(contacts, bodies):
    for seed in range(100):
        problem = random_problem(contacts, bodies, seed=seed, gaps=seed % 2 == 0)
        answer = frictional.solve(problem)
        assert answer.unsolved == 0 and answer.residual < 1e-10
        speed = np.abs(problem.relative_velocity()).max()
        assert residual_by_hand(problem, answer.impulses) < 1e-10 * speed
        before, after = (kinetic_energy(problem, v) for v in (problem.free_velocity, answer.velocity))
        assert after <= before * (1 + 1e-12)  # contacts take energy, never give it


def test_cradle_moves_as_one():
    answer = frictional.solve(cradle(5))
    np.testing.assert_allclose(answer.velocity[:, 0], 0.2, rtol=0, atol=1e-14)
