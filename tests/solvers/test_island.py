"""One small island inside a kernel, without allocation: what the time steppers call."""

import numpy as np
import pytest
from numba import njit

from banquise.contact.samples import pressed_pack, random_problem, with_mirror_image
from banquise.solvers import _kernels, frictional
from banquise.solvers._kernels_island import AUTO, CLOSED, LEMKE, solve_island
from banquise.solvers._kernels_large import list_parts, near_contacts, quick_island
from banquise.solvers._kernels_patch import PATCH, contacts_of, solve_patches
from banquise.solvers._kernels_small import scratch_for


def solved(problem, work, method=AUTO, start=None):
    """(residual over the largest speed, method, impulses, y) of a problem of one island."""
    rows = problem.scaled()
    r = np.zeros((problem.contacts, 2)) if start is None else start.copy()
    y = np.zeros((rows.bodies + 1, 3))
    speed = np.abs(rows.c).max()
    e, way, _ = solve_island(
        0, problem.contacts, rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, r, y, speed, 1e-10,
        method, work,
    )  # fmt: skip
    return e / speed, way, r, y


def test_islands_of_one_to_twelve_contacts():
    work = scratch_for(12)
    ways = set()
    for seed in range(1200):
        contacts = 1 + seed % 12
        bodies = max(2, contacts if seed % 2 else contacts // 2 + 1)
        problem = random_problem(contacts, bodies, seed=seed % 600, friction=None if seed < 600 else 0.7)
        e, way, r, _ = solved(problem, work)
        ways.add(way)
        assert e <= 1e-10
        again, _, _, _ = solved(problem, work, start=r)  # from its own answer
        assert again <= 1e-10
    assert {CLOSED, LEMKE} <= ways  # both ends of the chain were needed


def test_agrees_with_the_solver_of_whole_problems():
    work = scratch_for(12)
    for seed in range(40):
        problem = random_problem(8, 6, seed=seed, friction=0.2)
        whole = frictional.solve(problem)
        if whole.islands > 1:
            continue
        _, _, _, y = solved(problem, work)
        velocity = problem.free_velocity[:, :2] + y[:-1, :2] * np.sqrt(problem.inverse_mass)[:, None]
        np.testing.assert_allclose(velocity, whole.velocity[:, :2], atol=1e-8 * np.abs(velocity).max())


def test_a_pack_and_its_mirror_image_move_alike():
    """Without friction the answer is unique, so symmetric, and the pack moves as it did against the wall."""
    problem = pressed_pack(4, 4, friction=0.0)
    wall = problem.bodies - 1
    # the right side of the box becomes a wall of its own: there, all normals are one
    right = (problem.body_b == wall) & (problem.normal[:, 0] > 0.9)
    normal, lever_b = problem.normal.copy(), problem.lever_b.copy()
    normal[right] = (1.0, 0.0)
    columns = {
        "inverse_mass": np.append(problem.inverse_mass, 0.0),
        "inverse_inertia": np.append(problem.inverse_inertia, 0.0),
    }
    problem = problem.replace(
        **columns, normal=normal, lever_b=lever_b, body_b=np.where(right, wall + 1, problem.body_b),
        free_velocity=np.vstack((problem.free_velocity, np.zeros(3))),
    )  # fmt: skip
    alone = frictional.solve(problem, tolerance=1e-10)
    both = frictional.solve(with_mirror_image(problem, wall + 1), tolerance=1e-10)
    assert both.unsolved == 0 and both.largest_island == 2 * problem.contacts - right.sum()
    n = problem.bodies
    atol = 1e-7 * np.abs(alone.velocity).max()
    np.testing.assert_allclose(both.velocity[:n], alone.velocity, atol=atol)
    np.testing.assert_allclose(both.velocity[n:] * [-1, 1, -1], alone.velocity, atol=atol)


@pytest.mark.slow
def test_inside_another_kernel():
    @njit
    def many(times, G, W, a, b, c, mu, low, r, y, speed, work):
        worst = 0.0
        for _ in range(times):
            e, _, _ = solve_island(0, a.shape[0], G, W, a, b, c, mu, low, r, y, speed, 1e-10, AUTO, work)
            worst = max(worst, e)
        return worst

    rows = random_problem(6, 4, seed=1).scaled()
    r, y = np.zeros((6, 2)), np.zeros((rows.bodies + 1, 3))
    speed = np.abs(rows.c).max()
    args = (rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower, r, y, speed, scratch_for(6))
    assert many(3, *args) <= 1e-10 * speed


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.5])
def test_large_islands_inside_a_kernel(friction):
    """As `frictional.solve` finds it; where the first methods fail (friction 0.5 in a grid) their best point."""
    problem = pressed_pack(6, 6, friction=friction)
    rows = problem.scaled()
    m, y, speed = problem.contacts, np.zeros((rows.bodies + 1, 3)), np.abs(rows.c).max()
    columns = rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower
    r = np.zeros((m, 2))
    G, W, a, b, c, _, mu, low = columns
    nothing = _kernels.residual(0, m, G, W, a, b, c, mu, low, r, y) / speed
    e = quick_island(0, m, *columns, r, y, speed, 1e-6, 2) / speed
    assert e == _kernels.residual(0, m, G, W, a, b, c, mu, low, r, y) / speed
    if friction == 0.5:
        assert 1e-6 < e < 0.1 * nothing
        return
    assert e <= 1e-6
    np.testing.assert_allclose(r, frictional.solve(problem).impulses, atol=1e-5 * np.abs(r).max())


def test_a_large_island_that_opens_bears_nothing():
    problem = pressed_pack(6, 6, friction=0.5)
    rows = problem.scaled()
    m, y = problem.contacts, np.zeros((rows.bodies + 1, 3))
    rows.c[:, 0] = 1.0
    r = np.ones((m, 2))
    columns = rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower
    assert quick_island(0, m, *columns, r, y, 1.0, 1e-6, 2) == 0.0
    assert not r.any() and not y.any()


def test_contacts_with_room_are_left_out_and_taken_in_where_they_close():
    """The residual is that of all contacts, also of those that were not in the problem at first."""
    rows = pressed_pack(6, 6, friction=0.1).scaled()
    m, y, speed = len(rows.a), np.zeros((rows.bodies + 1, 3)), np.abs(rows.c).max()
    room = np.where(np.arange(m) % 3 == 0, 0.1 * speed, 0.0)
    rows.c[:, 0] += room
    rows.bias[:, 0] += room
    r, near = np.zeros((m, 2)), np.empty(m, np.bool_)
    count, _ = near_contacts(0, m, rows.W, rows.c, rows.bias, rows.lower, r, 1e-6 * speed, near)
    assert 0 < count < m
    columns = rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower
    assert quick_island(0, m, *columns, r, y, speed, 1e-6, 2) <= 1e-6 * speed
    assert r[~near, 0].any()
    G, W, a, b, c, _, mu, low = columns
    assert _kernels.residual(0, m, G, W, a, b, c, mu, low, r, y) <= 1e-6 * speed


def test_parts_share_no_body_that_moves():
    """Of a grid, without a column of its contacts: two parts, each contact in one of them, in the order of the rows."""
    rows = pressed_pack(6, 6, friction=0.1).scaled()
    m, fixed = len(rows.a), rows.bodies
    left = np.zeros(fixed + 1, np.bool_)
    left[: fixed // 2] = True
    near = (left[rows.a] == left[rows.b]) | (rows.a == fixed) | (rows.b == fixed)
    members, start = np.empty(m, np.int64), np.empty(m + 1, np.int64)
    count = list_parts(0, near, rows.a, rows.b, fixed, members, start)
    parts = [members[start[p] : start[p + 1]] for p in range(count)]
    assert count >= 2
    assert sorted(np.concatenate(parts).tolist()) == np.flatnonzero(near).tolist()
    bodies = [set(rows.a[part]) | set(rows.b[part]) for part in parts]
    for p in range(count):
        assert (np.diff(parts[p]) > 0).all()
        assert all(bodies[p] & bodies[q] <= {fixed} for q in range(p))


def test_an_island_of_two_halves_is_solved_as_they_are():
    """A hard half keeps no other from its end: impulses of a pack are the same bits with another beside it, behind a gap."""
    rows = pressed_pack(6, 6, friction=0.1).scaled()
    m, n, speed = len(rows.a), rows.bodies, np.abs(rows.c).max()
    one = [rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower]

    def impulses(copies):
        """Of so many packs, and of one contact more, with room to spare: it is left out, and never closes."""
        columns = [np.concatenate([x] * copies + [x[:1]]) for x in one]
        for side in (columns[2], columns[3]):
            for k in range(copies):
                part = side[k * m : (k + 1) * m]
                part[:] = np.where(part == n, copies * n, part + k * n)
        columns[2][-1], columns[3][-1] = 0, copies * n - 1
        columns[4][-1, 0] = columns[5][-1, 0] = 10.0 * speed
        r, y = np.zeros((copies * m + 1, 2)), np.zeros((copies * n + 1, 3))
        assert quick_island(0, len(r), *columns, r, y, speed, 1e-6, 2) <= 1e-6 * speed
        assert not r[-1].any()
        return r[:-1]

    np.testing.assert_array_equal(impulses(2), np.concatenate([impulses(1)] * 2))


def test_a_patch_mends_what_is_wrong_about_one_contact():
    """One impulse of a solved grid is lost: the patch about it brings it back, and nothing beyond the patch changes."""
    from banquise.solvers._kernels_newton import Island

    rows = pressed_pack(6, 6, friction=0.1).scaled()
    m, y, speed = len(rows.a), np.zeros((rows.bodies + 1, 3)), np.abs(rows.c).max()
    island = Island(rows.G, rows.W, rows.a, rows.b, rows.c, rows.friction, rows.lower)
    r = frictional.solve(pressed_pack(6, 6, friction=0.1), tolerance=1e-10).impulses
    lost = r.copy()
    worst = np.argmax(r[:, 0])
    lost[worst] = 0.0
    assert _kernels.residual(0, m, *island, lost, y) > 1e-2 * speed
    solve_patches(island, *contacts_of(rows.a, rows.b, rows.bodies), lost, y, speed, 1e-6 * speed)
    assert _kernels.residual(0, m, *island, lost, y) <= 1e-6 * speed
    assert 0 < np.any(lost != r, axis=1).sum() <= PATCH
    np.testing.assert_allclose(lost, r, atol=1e-5 * r.max())


def test_the_chain_goes_on_where_the_kernel_ended():
    """From the best point of the first methods it solves what they left, and does not go through them again."""
    problem = pressed_pack(6, 6, friction=0.5)
    rows = problem.scaled()
    m, speed = problem.contacts, np.array([np.abs(rows.c).max()])
    columns = rows.G, rows.W, rows.a, rows.b, rows.c, rows.bias, rows.friction, rows.lower
    anew, after = np.zeros((m, 2)), np.zeros((m, 2))
    quick_island(0, m, *columns, after, np.zeros((rows.bodies + 1, 3)), speed[0], 1e-6, 2)
    steps = []
    for r, begun in ((anew, False), (after, True)):
        run = frictional.IslandRun(rows, np.array([0, m]), r, speed, None, frictional.SolverMemory())
        run.auto(begun=begun)
        assert run.unsolved_count == 0
        steps.append(int(run.work[0]))
    assert steps[1] < steps[0]
