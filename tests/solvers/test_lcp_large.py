"""Complementarity problems of tens of thousands of unknowns: sparse matrices and operators."""

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

import banquise as bq
from banquise.errors import SolverError

SIDE = 150  # 22,500 unknowns


def membrane(side, wind=0.0):
    """(M, q, obstacle): a membrane on a unit square under a load, above a dome; unknown: its height above the dome.

    `wind` adds upwind advection along x: M is then not symmetric, and still an M-matrix.
    """
    h = 1 / (side + 1)
    line = sparse.diags_array([-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1])
    drift = sparse.diags_array([-np.ones(side - 1), np.ones(side)], offsets=[-1, 0]) * wind * h
    one = sparse.eye_array(side)
    M = sparse.csr_array(sparse.kron(one, line + drift) + sparse.kron(line, one))
    x = h * np.arange(1, side + 1)
    dome = (0.3 - 2 * ((x[:, None] - 0.5) ** 2 + (x[None, :] - 0.4) ** 2)).ravel()
    return M, M @ dome + 4 * h * h, dome


def stencil(side):
    """The same M (no wind) as a function."""

    def apply(z):
        u = np.pad(z.reshape(side, side), 1)
        return (4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]).ravel()

    return apply


def natural(M, q, z):
    """max |min(z, w)| by hand, in units of a unit diagonal and of the largest load."""
    d = np.sqrt(M.diagonal())
    return np.abs(np.minimum(z * d, (M @ z + q) / d)).max() / np.abs(q / d).max()


def test_sparse_and_matrix_free_agree_on_a_membrane_over_a_dome():
    M, q, _ = membrane(SIDE)
    newton = bq.lcp.solve(M, q)  # more than Lemke can hold: the default takes the method for sparse matrices
    assert newton.method == "active-set" and newton.converged and natural(M, q, newton.z) < 1e-10
    assert 0.05 < np.mean(newton.z == 0) < 0.9  # part of it lies on the dome
    free = bq.lcp.solve(stencil(SIDE), q, tolerance=1e-9)
    assert free.method == "projected-cg" and free.converged and natural(M, q, free.z) < 1e-9
    np.testing.assert_allclose(free.z, newton.z, atol=1e-5 * newton.z.max())
    warm = bq.lcp.solve(LinearOperator(M.shape, matvec=M.dot), q, tolerance=1e-9, guess=newton.z)
    assert warm.converged and warm.iterations < 30


def test_matrix_that_is_not_symmetric():
    M, q, _ = membrane(SIDE, wind=30.0)
    answer = bq.lcp.solve(M, q, method="active-set")
    assert answer.converged and natural(M, q, answer.z) < 1e-10
    with pytest.raises(SolverError, match="symmetric"):
        bq.lcp.solve(lambda z: M @ z, q)


def test_sweeps_on_a_large_sparse_matrix():
    M, q, _ = membrane(SIDE)
    M = sparse.csr_array(M + sparse.eye_array(SIDE**2))  # a spring at each point: sweeps converge by a fifth each
    swept = bq.lcp.solve(M, q, method="gauss-seidel")
    assert swept.converged and natural(M, q, swept.z) < 1e-10
    np.testing.assert_allclose(swept.z, bq.lcp.solve(M, q, method="active-set").z, atol=1e-9 * swept.z.max())


def test_large_methods_agree_with_pivoting_on_dense_problems():
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 40):
        root = rng.standard_normal((n, n))
        M, q = root @ root.T + 0.1 * np.eye(n), rng.standard_normal(n)
        wanted = bq.lcp.solve(M, q).z
        for method in ("active-set", "projected-cg"):
            answer = bq.lcp.solve(M, q, method=method)
            assert answer.converged and answer.method == method
            np.testing.assert_allclose(answer.z, wanted, atol=1e-7 * max(wanted.max(), 1e-9))


def test_operator_without_solution_gives_the_proof():
    M = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    q = np.array([-1.0, -0.5, 1.0])
    answer = bq.lcp.solve(lambda z: M @ z, q)
    v = answer.ray
    assert answer.status == "no solution" and not answer.converged
    assert v.min() >= 0 and np.abs(M @ v).max() < 1e-12 * v.max() and q @ v < 0


def test_matrix_that_is_not_semidefinite_proves_nothing():
    """z = (0, 1) solves it; along (1, 0) the curvature is 0, but M (1, 0) = (0, 1) is not."""
    M, q = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([-1.0, -1.0])
    answer = bq.lcp.solve(M, q, method="projected-cg")
    assert answer.converged or answer.status != "no solution"
    assert bq.lcp.solve(M, q).converged


def test_cap_is_not_called_solved():
    M, q, _ = membrane(40)
    answer = bq.lcp.solve(M, q, method="projected-cg", max_iterations=40)
    assert not answer.converged and answer.status == "cap" and answer.residual > 1e-10


@pytest.mark.parametrize(
    ("M", "method", "words"),
    [
        (lambda z: z[:2], "lemke", "shape \\(2,\\)"),
        (lambda z: z * np.nan, "lemke", "finite"),
        (lambda z: 1 / 0, "lemke", "ZeroDivisionError"),
        (lambda z: z, "gauss-seidel", "needs the entries"),
        (LinearOperator((4, 4), matvec=lambda z: z), "lemke", "expected \\(3, 3\\)"),
        (sparse.eye_array(4), "active-set", "expected \\(3, 3\\)"),
        (sparse.csr_array(np.diag([1.0, np.nan, 1.0])), "active-set", "NaN"),
        (np.eye(3), "activeset", "Did you mean 'active-set'"),
    ],
)
def test_bad_input_is_named(M, method, words):
    with pytest.raises(SolverError, match=words):
        bq.lcp.solve(M, np.ones(3), method=method)
