"""Lemke's method on a faceted cone of friction, for small problems in space: exact pivots, an inscribed polygon for the disc."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.contact.spatial import SpatialProblem
from banquise.errors import SolverError
from banquise.solvers import _kernels_cone, lcp

Floats = NDArray[np.float64]


def faceted_problem(problem: SpatialProblem, facets: int = 8) -> tuple[Floats, Floats, Floats]:
    """(M, q, J): the problem of Stewart and Trinkle with `facets` directions a contact, and r = J z.

    The unknowns z are normals (m), the parts along each direction (m x facets), and sliding speeds (m).
    """
    if facets < 4 or facets % 2:
        raise SolverError(f"faceted cone: {facets} directions, expected an even number of 4 or more.")
    m, n = problem.contacts, problem.bodies
    G, W, speed = np.empty((m, 3, 12)), np.empty((m, 3, 3)), np.empty((m, 3))
    a, b, D = np.empty(m, np.int64), np.empty(m, np.int64), np.empty((3 * m, 3 * m))
    _kernels_cone.spatial_rows(
        problem.body_a, problem.body_b, problem.inverse_mass, problem.roots, problem.frames, problem.lever_a,
        problem.lever_b, problem.free_velocity, G, W, speed, a, b,
    )  # fmt: skip
    _kernels_cone.spatial_delassus(np.arange(m), G, a, b, n, D)
    speed[:, 0] += problem.gap_rate
    angle = 2.0 * np.pi * np.arange(facets) / facets
    J = np.zeros((3 * m, m + facets * m))
    for k in range(m):
        own = slice(m + facets * k, m + facets * (k + 1))
        J[3 * k, k], J[3 * k + 1, own], J[3 * k + 2, own] = 1.0, np.cos(angle), np.sin(angle)
    size = (2 + facets) * m
    M = np.zeros((size, size))
    inner = (1 + facets) * m
    M[:inner, :inner] = J.T @ D @ J
    each = np.kron(np.eye(m), np.ones((facets, 1)))
    M[m:inner, inner:], M[inner:, m:inner] = each, -each.T
    M[inner:, :m] = np.diag(problem.friction)
    return M, np.concatenate([J.T @ speed.ravel(), np.zeros(m)]), J


def solve_faceted(problem: SpatialProblem, facets: int = 8) -> Floats:
    """Impulses (m, 3) along `problem.frames`; the cone is too small by 1 - cos(pi / facets) between its edges."""
    M, q, J = faceted_problem(problem, facets)
    found = lcp.solve(M, q, method="lemke")
    if not found.converged:
        raise SolverError(
            f"faceted cone: Lemke's method ended with residual {found.residual:.3g}. Use solvers.spatial."
        )
    impulses: Floats = (J @ found.z[: J.shape[1]]).reshape(-1, 3)
    return impulses
