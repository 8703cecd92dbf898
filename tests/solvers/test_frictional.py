"""Frictional islands: known answers, agreement of independent methods, and the proof each answer carries."""

import numpy as np
import pytest
from scipy.optimize import nnls

from banquise import validation
from banquise.contact.problem import ContactProblem
from banquise.contact.samples import cradle, pressed_pack, random_problem
from banquise.errors import SolverError
from banquise.solvers import frictional, newton
from banquise.solvers._kernels_large import room_for
from banquise.solvers.dense import enumerate_island
from banquise.threads import set_threads


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


def side_by_side(problems):
    """Several problems as one, bodies renumbered: as many islands."""
    shift = np.cumsum([0] + [p.bodies for p in problems])[:-1]
    columns = {}
    for name in ("normal", "lever_a", "lever_b", "gap_rate", "friction", "restitution", "free_velocity",
                 "inverse_mass", "inverse_inertia"):  # fmt: skip
        columns[name] = np.concatenate([getattr(p, name) for p in problems])
    for name in ("body_a", "body_b"):
        columns[name] = np.concatenate([getattr(p, name) + s for p, s in zip(problems, shift)])
    return ContactProblem(**columns)


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


@pytest.mark.slow
@pytest.mark.parametrize(("contacts", "bodies"), [(5, 5), (5, 3), (20, 20), (20, 10), (50, 50), (50, 25)])
def test_a_thousand_random_floe_problems_of_each_kind(contacts, bodies):
    for seed in range(1000):
        answer = frictional.solve(random_problem(contacts, bodies, seed=seed))
        assert answer.unsolved == 0 and answer.residual < 1e-8


def agreement_with_enumeration(problems):
    """How many of the problems have one answer by enumeration; the solver must find that one."""
    unique = 0
    for seed in range(problems):
        contacts = 1 + seed % 4
        problem = random_problem(contacts, 2 + seed % 3, seed=seed)
        impulses = np.zeros((contacts, 2))
        speed = np.abs(problem.relative_velocity()).max()
        if enumerate_island(problem.scaled(), 0, contacts, impulses, speed) != 1:
            continue
        unique += 1
        answer = frictional.solve(problem)
        wanted = problem.relative_velocity(problem.velocity_after(impulses))
        np.testing.assert_allclose(problem.relative_velocity(answer.velocity), wanted, atol=1e-9 * speed)
    return unique


def test_agrees_with_enumeration():
    assert agreement_with_enumeration(2000) > 1900


@pytest.mark.slow
def test_agrees_with_enumeration_on_ten_thousand_problems():
    assert agreement_with_enumeration(10_000) > 9500


def test_frictionless_problems_agree_with_a_quadratic_programme():
    """Without friction and gaps the velocities are a projection: min |M^1/2 (W - W_free)|, G W >= 0, solved by NNLS."""
    for seed in range(60):
        problem = random_problem(15, 10, seed=seed, friction=0.0)
        rows = problem.scaled()
        G = np.zeros((15, 33))
        for k in range(15):
            G[k, 3 * rows.a[k] : 3 * rows.a[k] + 3] += rows.G[k, 0, :3]
            G[k, 3 * rows.b[k] : 3 * rows.b[k] + 3] += rows.G[k, 0, 3:]
        root = np.sqrt(np.stack((problem.inverse_mass, problem.inverse_mass, problem.inverse_inertia), axis=1))
        start = (problem.free_velocity / root).ravel()
        scale = np.abs(start).max()
        r, _ = nnls(G[:, :30].T, -start / scale, maxiter=1000)
        wanted = problem.free_velocity + root * (G[:, :30].T @ r * scale).reshape(-1, 3)
        got = frictional.solve(problem).velocity
        speed = np.abs(problem.relative_velocity()).max()
        difference = problem.relative_velocity(got) - problem.relative_velocity(wanted)
        assert np.abs(difference).max() < 1e-9 * speed


def test_cradle_moves_as_one():
    answer = frictional.solve(cradle(5))
    np.testing.assert_allclose(answer.velocity[:, 0], 0.2, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["auto", "gauss-seidel", "active-set", "lemke", "newton", "enumerate"])
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_symmetric_problem_has_a_symmetric_answer(method, friction):
    """Bernoulli's problem at 45 degrees: impulse v cos / (1 + 2 cos^2) to each of two equal discs, without friction."""
    s = np.sqrt(0.5)
    normal = np.array([[s, s], [s, -s]])
    problem = ContactProblem(
        body_a=np.array([0, 0]), body_b=np.array([1, 2]), inverse_mass=np.ones(3), inverse_inertia=np.full(3, 2.0),
        normal=normal, lever_a=normal, lever_b=-normal, gap_rate=np.zeros(2), friction=np.full(2, friction),
        restitution=np.zeros(2), free_velocity=np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]),
    )  # fmt: skip
    answer = frictional.solve(problem, method=method)
    # The named methods stop at their tolerance; the default goes to round-off.
    close = 1e-13 if method in ("auto", "active-set", "lemke", "enumerate") else 1e-9
    assert answer.velocity[1, 0] == pytest.approx(answer.velocity[2, 0], abs=close)
    assert answer.velocity[1, 1] == pytest.approx(-answer.velocity[2, 1], abs=close)
    assert answer.velocity[0, 1] == pytest.approx(0, abs=close)
    if friction == 0:
        np.testing.assert_allclose(answer.impulses[:, 0], s / (1 + 2 * s * s), atol=close)


def test_least_impulse_of_a_decompression_phase():
    """Equal discs, compression impulse 1/2; with at least 1/2 more they part at epsilon = 1."""
    problem = cradle(2)
    compressed = frictional.solve(problem)
    again = problem.replace(free_velocity=compressed.velocity, lower_normal=compressed.impulses[:, 0])
    np.testing.assert_allclose(frictional.solve(again).velocity[:, 0], [0, 1], atol=1e-14)


def test_target_speed_of_newtons_law():
    problem = cradle(2).replace(gap_rate=np.array([-0.5]))
    np.testing.assert_allclose(frictional.solve(problem).velocity[:, 0], [0.25, 0.75], atol=1e-14)


def test_lower_impulses_in_random_problems():
    for seed in range(50):
        problem = random_problem(8, 6, seed=seed)
        first = frictional.solve(problem)
        second = problem.replace(free_velocity=first.velocity, lower_normal=0.4 * first.impulses[:, 0])
        answer = frictional.solve(second)
        assert answer.unsolved == 0
        assert (answer.impulses[:, 0] >= second.lower_normal * (1 - 1e-12)).all()


@pytest.mark.parametrize("threads", [2, 3])
def test_same_bits_for_any_number_of_threads(threads):
    parts = [random_problem(1 + seed % 9, 2 + seed % 7, seed=seed) for seed in range(400)]
    parts += [pressed_pack(7, 5, 0.3, seed=seed) for seed in range(3)]
    problem = side_by_side(parts)
    try:
        set_threads(1)
        alone = frictional.solve(problem)
        set_threads(threads)
        together = frictional.solve(problem)
    finally:
        set_threads(None)
    assert alone.impulses.tobytes() == together.impulses.tobytes()
    assert alone.velocity.tobytes() == together.velocity.tobytes()


def test_pressed_pack_cold_and_warm():
    problem = pressed_pack(10, 10, friction=0.3)
    memory = frictional.SolverMemory()
    cold = frictional.solve(problem, memory=memory)
    assert cold.largest_island == problem.contacts and cold.unsolved == 0 and cold.residual <= 1e-6
    assert residual_by_hand(problem, cold.impulses) <= 1.01e-6 * problem.reference
    rng = np.random.default_rng(0)
    moved = problem.replace(free_velocity=problem.free_velocity * rng.uniform(0.98, 1.02, (problem.bodies, 1)))
    warm = frictional.solve(moved, guess=cold.impulses, memory=memory)
    assert warm.unsolved == 0


@pytest.mark.parametrize(("across", "friction"), [(6, 0.7), (8, 0.7), (10, 0.5)])
def test_grids_whose_path_folds_everywhere(across, friction):
    """Six neighbours each: the path of smoothed solutions ends at 2e-4 to 1e-3, the way through the cells below 1e-6."""
    problem = pressed_pack(across, across, friction=friction)
    answer = frictional.solve(problem)
    assert answer.unsolved == 0 and answer.residual <= 1e-6
    assert residual_by_hand(problem, answer.impulses) <= 1.01e-6 * problem.reference
    assert kinetic_energy(problem, answer.velocity) <= kinetic_energy(problem, problem.free_velocity)
    # half the push: not solved by the same impulses, and solved when it starts from them
    moved = problem.replace(free_velocity=0.5 * problem.free_velocity)
    assert residual_by_hand(moved, answer.impulses) > 1e-3 * problem.reference
    assert frictional.solve(moved, guess=answer.impulses).unsolved == 0


@pytest.mark.parametrize("part", [0.0, 0.5])
def test_a_start_from_less_friction_solves_the_problem_itself(part):
    """What is returned is proved with all of the friction: by hand, and it is no answer of the eased problem."""
    problem = pressed_pack(6, 6, friction=0.1)
    rows = problem.scaled()
    island = newton.LargeIsland(rows, slice(0, problem.contacts))
    plan = newton.symbolic(island.a, island.b, island.n)
    room = room_for(island.columns, plan)
    goal = 1e-6 * problem.reference
    found, residual, steps = newton._from_less_friction(island.columns, plan, room, part, problem.reference, goal)
    assert steps > 0 and residual <= goal
    assert residual_by_hand(problem, found) == pytest.approx(residual, rel=1e-3)
    eased = problem.replace(friction=part * problem.friction)
    assert residual_by_hand(eased, found) > 1e3 * goal


def test_way_through_the_cells_has_the_same_bits_on_two_threads():
    problem = side_by_side([pressed_pack(6, 6, 0.7, seed=seed) for seed in range(3)])
    ends = []
    try:
        for count in (1, 2):
            set_threads(count)
            ends.append(frictional.solve(problem).impulses.tobytes())
    finally:
        set_threads(None)
    assert ends[0] == ends[1]


def test_unsolved_is_counted_and_adds_no_energy():
    problem = pressed_pack(10, 10, friction=0.7)
    answer = frictional.solve(problem, method="gauss-seidel", tolerance=1e-14)
    assert answer.unsolved == 1 and not answer.converged
    assert answer.residual == pytest.approx(residual_by_hand(problem, answer.impulses) / problem.reference, rel=1e-6)
    assert kinetic_energy(problem, answer.velocity) <= kinetic_energy(problem, problem.free_velocity)
    # A start far off is not handed out either: with no sweep at all the impulses are scaled to do no work.
    wild = frictional.solve(problem, guess=np.full((problem.contacts, 2), 1e9), tolerance=0.0, method="active-set")
    assert kinetic_energy(problem, wild.velocity) <= kinetic_energy(problem, problem.free_velocity) * (1 + 1e-12)


@pytest.mark.parametrize("name", ["arch_100", "jam_100", "jam_300", "jam_1000"])
@pytest.mark.parametrize("friction", ["0.3", "0.7"])
def test_jams_cold_and_warm(shared_data, name, friction):
    """Packs locked in a funnel, from nothing and from the impulses of a state a few per cent away: all to 1e-6."""
    data = np.load(shared_data / "jams" / f"{name}_{friction}.npz")
    problem = ContactProblem.from_rows(
        data["G"], data["ia"], data["ib"], data["minv"][:, 0], data["minv"][:, 2], data["Wf"], data["b"][:, 0],
        data["mu"], reference=float(data["vref"]),
    )  # fmt: skip
    memory = frictional.SolverMemory()
    cold = frictional.solve(problem, memory=memory)
    assert cold.residual <= 1e-6
    assert kinetic_energy(problem, cold.velocity) <= kinetic_energy(problem, problem.free_velocity)
    rng = np.random.default_rng(0)
    moved = problem.replace(
        free_velocity=problem.free_velocity * rng.uniform(0.99, 1.01, problem.free_velocity.shape),
        gap_rate=problem.gap_rate * rng.uniform(0.97, 1.03, problem.contacts),
    )
    warm = frictional.solve(moved, guess=cold.impulses, memory=memory)
    assert warm.residual <= 1e-6 and warm.iterations < cold.iterations + 700


def test_bad_requests_are_named():
    with pytest.raises(SolverError, match="Did you mean 'lemke'"):
        frictional.solve(cradle(3), method="lemk")
    with pytest.raises(SolverError, match="guess has shape"):
        frictional.solve(cradle(3), guess=np.zeros((5, 2)))
    with pytest.raises(SolverError, match="up to 8 contacts"):
        frictional.solve(cradle(12), method="enumerate")


def test_validation_rows_pass():
    rows = [row for _, row in validation.rows(["solvers"])]
    assert len(rows) == 9 and all(row.passed for row in rows)


def test_memory_tells_a_last_body_from_a_wall():
    """Two islands whose contacts join the same numbers, the last of them a body in one and what cannot move in the other."""
    from types import SimpleNamespace

    a, b = np.array([0, 1]), np.array([1, 2])
    memory = frictional.SolverMemory()
    on_wall, free = (memory.plan(SimpleNamespace(a=a, b=b, n=n)) for n in (2, 3))
    assert len(on_wall.position) == 2 + 1  # ends of the columns of the factor
    assert len(free.position) == 3 + 1
