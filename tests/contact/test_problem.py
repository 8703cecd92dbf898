"""The contact problem: signs, levers, islands, and clear words about bad input."""

import numpy as np
import pytest

from banquise.contact.islands import find_islands
from banquise.contact.problem import ContactProblem
from banquise.contact.samples import cradle, random_problem
from banquise.errors import SolverError
from banquise.solvers import frictional


def one_on_wall(velocity, friction=0.5):
    """A unit disc of mass 1 at the origin, a wall below it: normal from disc (0) to wall (1)."""
    return dict(
        body_a=np.array([0]), body_b=np.array([1]), inverse_mass=np.array([1.0, 0.0]),
        inverse_inertia=np.array([2.0, 0.0]), normal=np.array([[0.0, -1.0]]), lever_a=np.array([[0.0, -1.0]]),
        lever_b=np.zeros((1, 2)), gap_rate=np.zeros(1), friction=np.full(1, friction), restitution=np.zeros(1),
        free_velocity=np.array([velocity, [0.0, 0.0, 0.0]]),
    )  # fmt: skip


def test_rows_and_levers_give_the_same_problem():
    problem = random_problem(12, 8, seed=3)
    tangent = np.stack((-problem.normal[:, 1], problem.normal[:, 0]), axis=1)
    G = np.zeros((12, 2, 6))
    for row, direction in enumerate((problem.normal, tangent)):
        for first, lever, sign in ((0, problem.lever_a, -1), (3, problem.lever_b, 1)):
            G[:, row, first : first + 2] = sign * direction
            G[:, row, first + 2] = sign * (lever[:, 0] * direction[:, 1] - lever[:, 1] * direction[:, 0])
    again = ContactProblem.from_rows(
        G, problem.body_a, problem.body_b, problem.inverse_mass, problem.inverse_inertia, problem.free_velocity,
        problem.gap_rate, problem.friction,
    )  # fmt: skip
    np.testing.assert_allclose(again.lever_a, problem.lever_a, atol=1e-12 * np.abs(problem.lever_a).max())
    np.testing.assert_allclose(again.lever_b, problem.lever_b, atol=1e-12 * np.abs(problem.lever_b).max())


def test_relative_velocity_is_that_of_b_minus_a():
    problem = ContactProblem(**one_on_wall([0.3, -1.0, 0.2]))
    # The point of the disc moves at (0.3 + 0.2, -1); seen from it the wall moves at the opposite; t = (1, 0).
    np.testing.assert_allclose(problem.relative_velocity(), [[-1.0, -0.5]], atol=1e-15)


@pytest.mark.parametrize(("speed", "stick"), [(0.1, True), (10.0, False)])
def test_oblique_impact_sticks_or_slips(speed, stick):
    """Disc on a wall: W_t = 1 + 2, so it sticks when |v_t| / 3 <= mu |v_n|."""
    answer = frictional.solve(ContactProblem(**one_on_wall([speed, -1.0, 0.0])))
    rn, rt = answer.impulses[0]
    assert rn == pytest.approx(1.0, abs=1e-14)
    u = ContactProblem(**one_on_wall([speed, -1.0, 0.0])).relative_velocity(answer.velocity)[0]
    assert u[0] == pytest.approx(0.0, abs=1e-14)
    assert rt == pytest.approx(speed / 3 if stick else 0.5, abs=1e-13)
    assert (abs(u[1]) < 1e-13) == stick


def test_islands_are_cut_at_obstacles():
    problem = random_problem(40, 30, seed=1)
    fixed = problem.replace(
        inverse_mass=np.where(np.arange(30) % 2, 0.0, problem.inverse_mass),
        inverse_inertia=np.where(np.arange(30) % 2, 0.0, problem.inverse_inertia),
    )
    groups = find_islands(fixed)
    owner = {}
    for i in range(groups.count):
        for k in groups.order[groups.start[i] : groups.start[i + 1]]:
            for body in (fixed.body_a[k], fixed.body_b[k]):
                if fixed.inverse_mass[body] > 0:
                    assert owner.setdefault(int(body), i) == i  # a movable body belongs to one island
    assert sorted(groups.order.tolist()) == list(range(40))
    assert groups.count > find_islands(problem).count


def test_moving_obstacle_pushes():
    parts = one_on_wall([0.0, 0.0, 0.0])
    parts["free_velocity"][1] = [0.0, 2.0, 0.0]
    answer = frictional.solve(ContactProblem(**parts))
    np.testing.assert_allclose(answer.velocity, [[0, 2, 0], [0, 2, 0]], atol=1e-14)


def test_contact_of_two_obstacles_does_no_harm():
    problem = random_problem(20, 8, seed=5, obstacles=3)
    assert (np.minimum(problem.inverse_mass[problem.body_a], 1) + problem.inverse_mass[problem.body_b] == 0).any()
    assert frictional.solve(problem).unsolved == 0


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("normal", np.zeros((2, 2)), "normal has shape"),
        ("gap_rate", np.array([np.nan]), "gap_rate is not finite"),
        ("body_b", np.array([7]), "names body 7"),
        ("body_b", np.array([0.5]), "whole numbers"),
        ("friction", np.array([-0.1]), "friction is negative"),
        ("free_velocity", np.zeros((3, 3)), "free_velocity has shape"),
        ("lever_a", "long", "lever_a"),
    ],
)
def test_bad_columns_are_named(column, value, words):
    with pytest.raises(SolverError, match=words):
        ContactProblem(**{**one_on_wall([0, -1, 0]), column: value})


def test_no_contacts():
    problem = cradle(2).replace(
        body_a=np.zeros(0, int), body_b=np.zeros(0, int), normal=np.zeros((0, 2)), lever_a=np.zeros((0, 2)),
        lever_b=np.zeros((0, 2)), gap_rate=np.zeros(0), friction=np.zeros(0), restitution=np.zeros(0),
        bias_t=np.zeros(0), lower_normal=np.zeros(0),
    )  # fmt: skip
    answer = frictional.solve(problem)
    assert answer.islands == 0 and answer.unsolved == 0
    np.testing.assert_array_equal(answer.velocity, problem.free_velocity)
