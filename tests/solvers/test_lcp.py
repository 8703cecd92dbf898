"""Linear complementarity: examples that break naive codes, random problems, and honest refusals."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import nnls

import banquise as bq
from banquise.contact.samples import random_problem
from banquise.errors import SolverError
from banquise.solvers import _kernels_lemke as kernels
from banquise.solvers import lcp
from banquise.solvers.dense import stewart_trinkle
from banquise.solvers.lcp_dictionary import Dictionary


def assert_solves(M, q, answer, tolerance=1e-9):
    """By hand, in the units of the problem: complementarity against the size of its own terms."""
    z, w = answer.z, M @ answer.z + q
    size = np.abs(M) @ np.abs(z) + np.abs(q) + 1e-300
    assert answer.converged and answer.status == "solved"
    assert z.min() >= 0 and (w / size).min() > -tolerance
    np.testing.assert_allclose(answer.w, w, atol=1e-12 * size.max())
    assert (np.minimum(z / (np.abs(z).max() + 1e-300), w / size)).max() < tolerance


def murty(n):
    return np.eye(n) + 2 * np.tril(np.ones((n, n)), -1)


@pytest.mark.parametrize("n", [1, 2, 6, 12, 40])
def test_exponential_families(n):
    """Murty's and Fathi's families, with right sides on which pivoting walks through 2^n bases."""
    doubling = -np.cumsum(2.0 ** np.arange(n)[::-1])
    for M in (murty(n), murty(n).T, murty(n) @ murty(n).T, murty(n).T @ murty(n)):
        for q in (-np.ones(n), doubling, doubling[::-1]):
            assert_solves(M, q, bq.lcp.solve(M, q))


@pytest.mark.parametrize(
    ("M", "q", "z"),
    [
        ([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3, 1 / 3, 1 / 3]),  # Murty's rule cycles on it
        ([[1, 1], [1, 1]], [-1, -2], [0, 2]),  # singular
        ([[0, -1], [1, 0]], [1, -2], [2, 1]),  # zero diagonal: a linear programme
        ([[0, 0], [0, 0]], [3, 0], [0, 0]),
        ([[2]], [-4], [2]),
        ([[2]], [4], [0]),
    ],
)
def test_known_answers(M, q, z):
    answer = bq.lcp.solve(M, q)
    assert answer.converged
    np.testing.assert_allclose(answer.z, z, atol=1e-12)


def test_degenerate_right_side_does_not_cycle():
    rng = np.random.default_rng(0)
    for _ in range(50):
        A = rng.integers(-2, 3, (10, 5)).astype(float)
        M = A @ A.T + np.triu(np.ones((10, 10)), 1) - np.tril(np.ones((10, 10)), -1)
        q = M @ np.zeros(10) + rng.integers(-1, 2, 10)
        answer = bq.lcp.solve(M, q)
        if answer.converged:
            assert_solves(M, q, answer)
        else:
            assert answer.status == "no solution" and answer.ray is not None


@pytest.mark.parametrize(
    ("M", "q"),
    [([[1, -1], [-1, 1]], [-1, -1]), ([[0, 0], [0, 1]], [-1, 2]), ([[-1]], [-1]), ([[0, -1], [-1, 0]], [-1, 0])],
)
def test_no_solution_comes_with_its_proof(M, q):
    M, q = np.array(M, float), np.array(q, float)
    answer = bq.lcp.solve(M, q)
    assert answer.status == "no solution" and not answer.converged
    v = answer.ray
    assert v.min() >= 0 and (M.T @ v).max() <= 1e-12 and q @ v < 0  # Farkas: no z >= 0 has M z + q >= 0


def test_feasible_without_solution_is_not_called_solved():
    """M z + q >= 0 can be met, complementarity cannot: z = 0 and each other basis fail."""
    M, q = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([-1.0, 0.0])
    answer = bq.lcp.solve(M, q)
    M2, q2 = np.array([[-1.0, 1.0], [3.0, -2.0]]), np.array([-1.0, -1.0])
    for matrix, vector, result in ((M, q, answer), (M2, q2, bq.lcp.solve(M2, q2))):
        by_hand = bq.lcp.solve(matrix, vector, method="enumerate")
        assert result.converged == by_hand.converged
        assert result.converged or result.status == "no solution"


@pytest.mark.parametrize(("contacts", "bodies"), [(5, 5), (5, 3), (20, 20), (20, 10), (50, 25)])
def test_random_floe_problems(contacts, bodies):
    for seed in range(40 if contacts < 50 else 10):
        M, q = stewart_trinkle(random_problem(contacts, bodies, seed=seed))
        answer = bq.lcp.solve(M, q)
        assert answer.converged and answer.residual < 1e-8, (seed, answer)


def test_same_seed_same_bits_and_methods_agree():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(12, 12))
    M, q = A @ A.T + np.eye(12), rng.normal(size=12)
    first, second = bq.lcp.solve(M, q, seed=3), bq.lcp.solve(M, q, seed=3)
    assert first.z.tobytes() == second.z.tobytes() and first.pivots == second.pivots
    for method in ("gauss-seidel", "enumerate"):
        np.testing.assert_allclose(bq.lcp.solve(M, q, method=method).z, first.z, atol=1e-9)
    swept = bq.lcp.solve(sparse.csr_array(M), q, method="gauss-seidel")
    assert swept.converged
    np.testing.assert_allclose(swept.z, first.z, atol=1e-8)
    np.testing.assert_allclose(bq.lcp.solve(sparse.csr_array(M), q).z, first.z, atol=1e-12)


def test_sweeps_that_cannot_converge_say_so():
    answer = bq.lcp.solve([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], method="gauss-seidel", max_iterations=500)
    assert not answer.converged and answer.status == "cap"
    with pytest.raises(SolverError, match="positive diagonal"):
        bq.lcp.solve([[0, 1], [1, 0]], [-1, -1], method="gauss-seidel")


def test_thousand_unknowns_stay_within_a_few_copies():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(1000, 300))
    M, q = A @ A.T + np.eye(1000), rng.normal(size=1000)
    tracemalloc.start()
    answer = bq.lcp.solve(M, q)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.converged
    assert peak < 4 * M.nbytes  # the dictionary is one copy, finishing on the active set at most two


@pytest.mark.parametrize("method", ["lemke", "enumerate"])
@pytest.mark.parametrize("copies", [1, 2, 3])
def test_solution_that_only_singular_bases_hold(method, copies):
    """z = (1, 0), w = (0, 0), alone or in copies side by side: every other basis is singular, or has w < 0."""
    M = np.kron(np.eye(copies), [[0.0, 0.0], [1.0, 0.0]])
    q = np.tile([0.0, -1.0], copies)
    answer = bq.lcp.solve(M, q, method=method)
    assert_solves(M, q, answer)
    np.testing.assert_allclose(answer.z, np.tile([1.0, 0.0], copies), atol=1e-12)


def test_a_ray_of_no_solution_is_a_proof():
    """Random integers, many of them singular: what is called unsolvable is so by Farkas, or in every complementary cone."""
    rng = np.random.default_rng(7)
    counts = {True: 0, False: 0}
    for _ in range(150):
        n = int(rng.integers(1, 5))
        M, q = rng.integers(-2, 3, (n, n)).astype(float), rng.integers(-2, 3, n).astype(float)
        answer = bq.lcp.solve(M, q)
        assert answer.status in ("solved", "no solution")
        counts[answer.converged] += 1
        if answer.ray is not None:
            v = answer.ray
            assert v.min() >= 0 and (M.T @ v).max() <= 1e-9 * v.max() and q @ v < 0
        cones = [np.where((basis >> np.arange(n)) & 1 == 1, -M, np.eye(n)) for basis in range(2**n)]
        nearest = min(nnls(cone, q)[1] for cone in cones)  # of the distances of q from the complementary cones
        assert answer.converged == (nearest < 1e-9)
    assert min(counts.values()) > 20


@pytest.mark.parametrize(
    ("M", "q", "words"),
    [
        (np.eye(2) * 1j, np.ones(2), "real numbers"),
        (sparse.eye_array(2) * 1j, np.ones(2), "real numbers"),
        (np.eye(2), [1.0, 2j], "real numbers"),
        (np.eye(2), np.ones(3), "expected \\(3, 3\\)"),
        (np.ones((2, 3)), np.ones(2), "shape"),
        (np.eye(2), np.ones((2, 1)), "expected \\(n,\\)"),
        (np.array([[np.nan]]), np.ones(1), "NaN"),
        (np.eye(1), np.array([np.inf]), "infinity"),
        ("matrix", np.ones(1), "numbers"),
    ],
)
def test_bad_input_is_named(M, q, words):
    with pytest.raises(SolverError, match=words):
        bq.lcp.solve(M, q)


def test_sizes_zero_and_unknown_methods():
    empty = bq.lcp.solve(np.zeros((0, 0)), np.zeros(0))
    assert empty.converged and empty.z.shape == (0,)
    with pytest.raises(SolverError, match="Did you mean 'lemke'"):
        bq.lcp.solve(np.eye(1), np.ones(1), method="lemk")
    with pytest.raises(SolverError, match="no method None. Known names"):
        bq.lcp.solve(np.eye(1), np.ones(1), method=None)
    with pytest.raises(bq.BanquiseError, match="Did you mean 'method'"):
        bq.lcp.solve(np.eye(1), np.ones(1), methods="lemke")
    with pytest.raises(SolverError, match="2\\^n"):
        bq.lcp.solve(np.eye(30), np.ones(30), method="enumerate")


def test_rebuilt_dictionary_is_the_same():
    """After some pivots, the dictionary made from the data agrees with the one that was pivoted."""
    M, q = stewart_trinkle(random_problem(10, 8, seed=2))
    n = len(q)
    problem = lcp._Problem(M, q, 1e-10)
    T, rhs, cover = np.empty((n, n + 1)), np.empty(n), np.ones(n)
    unit = kernels.dictionary(M, q, problem.scale, cover, T, rhs)
    run = Dictionary(T, rhs)
    status, pivots = run.go(12, kernels.LEXICOGRAPHIC, None)
    assert status == kernels.CAP and pivots == 12
    pivoted, before = run.T.copy(), run.rhs.copy()
    assert run.drift(M, q, problem.scale, cover, unit) < 1e-12
    assert run.refactor(M, q, problem.scale, cover, unit)
    np.testing.assert_allclose(run.T, pivoted, atol=1e-9 * np.abs(pivoted).max())
    np.testing.assert_allclose(run.rhs, before, atol=1e-11)
    status, _ = run.go(1000, kernels.LEXICOGRAPHIC, (M, q, problem.scale, cover, unit))
    assert status == kernels.SOLVED
