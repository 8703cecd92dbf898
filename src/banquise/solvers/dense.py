"""Dense methods for one contact island: Lemke on the Stewart-Trinkle form, and every combination of statuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ContactProblem, ScaledRows
from banquise.solvers import _kernels_small

Floats = NDArray[np.float64]

EVERY = -1  # solutions wanted: all


def dense_island(rows: ScaledRows, first: int, last: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Delassus matrix, free speeds, friction and least normal impulses of the contacts first..last-1."""
    m = last - first
    D, speed = np.empty((2 * m, 2 * m)), np.empty((m, 2))
    _kernels_small.dense_island(first, last, rows.G, rows.W, rows.a, rows.b, rows.c, rows.bodies, D, speed)
    return D, speed, rows.friction[first:last], rows.lower[first:last]


def enumerate_island(rows: ScaledRows, first: int, last: int, impulses: Floats, reference: float) -> int:
    """Write the first solution found into `impulses`; returns how many different ones there are (by velocity)."""
    D, speed, mu, low = dense_island(rows, first, last)
    work = _kernels_small.scratch_for(last - first)
    goal, apart = 1e-10 * reference, 1e-7 * reference
    found = _kernels_small.enumerate_statuses(D, speed, mu, low, goal, apart, impulses[first:last], EVERY, work)
    return int(found)


def lemke_island(
    rows: ScaledRows, first: int, last: int, impulses: Floats, reference: float, tolerance: float
) -> tuple[float, int]:
    """Improve the impulses of contacts first..last-1 in place; returns (residual in velocity units, pivots)."""
    D, speed, mu, low = dense_island(rows, first, last)
    work = _kernels_small.scratch_for(last - first)
    error, pivots = _kernels_small.pivoting(
        D, speed, mu, low, impulses[first:last], reference, tolerance * reference, work
    )
    return float(error), int(pivots)


def stewart_trinkle(problem: ContactProblem) -> tuple[Floats, Floats]:
    """(M, q) of the whole problem as one LCP in (normals, +-tangents in pairs, sliding speeds), of size 4 m.

    Impulses are in the units of the mass-scaled rows, which are those of the problem.
    """
    m = problem.contacts
    D, speed, mu, _ = dense_island(problem.scaled(), 0, m)
    k = np.arange(m)
    J = np.zeros((2 * m, 3 * m))  # (normal, tangent) impulses from the LCP's unknowns
    J[2 * k, k] = J[2 * k + 1, m + 2 * k] = 1.0
    J[2 * k + 1, m + 2 * k + 1] = -1.0
    M = np.zeros((4 * m, 4 * m))
    M[: 3 * m, : 3 * m] = J.T @ D @ J
    H = np.kron(np.eye(m), np.ones((2, 1)))
    M[m : 3 * m, 3 * m :], M[3 * m :, m : 3 * m] = H, -H.T
    M[3 * m :, :m] = np.diag(mu)
    return M, np.concatenate((J.T @ speed.ravel(), np.zeros(m)))
