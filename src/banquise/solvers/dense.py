"""Dense methods for one contact island: Lemke on the Stewart-Trinkle form, and every combination of statuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ContactProblem, ScaledRows
from banquise.solvers import _kernels_lemke, _kernels_small

Floats = NDArray[np.float64]

# Covering vectors tried in turn: 1 + spread * an aperiodic pattern, which breaks the ties of symmetric problems and is
# the same on every run.
_SPREADS = (0.0, 1.0, 0.1, 10.0)


def dense_island(rows: ScaledRows, first: int, last: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Delassus matrix, free speeds, friction and least normal impulses of the contacts first..last-1."""
    m = last - first
    D, speed = np.empty((2 * m, 2 * m)), np.empty((m, 2))
    _kernels_small.dense_island(first, last, rows.G, rows.W, rows.a, rows.b, rows.c, rows.bodies, D, speed)
    return D, speed, rows.friction[first:last], rows.lower[first:last]


def enumerate_island(rows: ScaledRows, first: int, last: int, impulses: Floats, reference: float) -> int:
    """Write the first solution found into `impulses`; returns how many different ones there are (by velocity)."""
    D, speed, mu, low = dense_island(rows, first, last)
    return int(
        _kernels_small.enumerate_statuses(D, speed, mu, low, 1e-10 * reference, 1e-7 * reference, impulses[first:last])
    )


def lemke_island(
    rows: ScaledRows, first: int, last: int, impulses: Floats, reference: float, tolerance: float
) -> tuple[float, int]:
    """Improve the impulses of contacts first..last-1 in place; returns (residual in velocity units, pivots)."""
    m = last - first
    n = 4 * m
    D, speed, mu, low = dense_island(rows, first, last)
    best = _kernels_small.dense_residual(D, speed, mu, low, impulses[first:last], np.empty(2 * m))
    point, total = np.empty((m, 2)), 0
    T, rhs = np.empty((n, n + 1)), np.empty(n)
    pattern = (np.arange(n) * 0.6180339887498949) % 1.0
    for spread in _SPREADS:
        unit = float(reference * np.sqrt(1.0 / D.diagonal().max()))
        _kernels_lemke.friction_dictionary(D, speed, mu, low, unit, T, rhs)
        largest = np.abs(rhs).max()
        rhs /= largest
        T[:, n] = 1.0 + spread * pattern
        basic, nonbasic = np.arange(n), np.arange(n, 2 * n + 1)
        place = np.concatenate((np.arange(n), np.arange(n + 1, 2 * n + 2)))
        _, pivots, _ = _kernels_lemke.lemke(T, rhs, basic, nonbasic, place, -1, 12 * n + 50, _kernels_lemke.LARGEST)
        total += pivots
        _kernels_lemke.friction_impulses(D, low, unit * largest, rhs, basic, point)
        error = _kernels_small.active_set(D, speed, mu, low, point, 1e-13 * reference, 4)
        if error < best:
            best = error
            impulses[first:last] = point
        if best <= tolerance * reference:
            break
    return best, total


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
