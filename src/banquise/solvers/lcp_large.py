"""Complementarity problems too large to pivot: sparse matrices, and matrices known only by what they do to a vector.

`active_set` factors the sparse matrix on the rows it believes tight, `projected_cg` only multiplies. Both work in the
units they are given; the caller equilibrates, and measures what comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from banquise.errors import SolverError
from banquise.solvers import _kernels_lemke as kernels

Floats = NDArray[np.float64]
Apply = Callable[[Floats], Floats]

FRESH = 50  # conjugate-gradient steps between two gradients from scratch
ASYMMETRY = 1e-8  # of x.My against y.Mx, above which M is not taken for symmetric


def _dot(x: Floats, y: Floats) -> float:
    """x.y without BLAS: the same bits with any library behind numpy, and no threads woken for it."""
    return float(np.sum(x * y))


def _error(z: Floats, w: Floats) -> float:
    return float(np.abs(np.minimum(z, w)).max(initial=0.0))


def active_set(M: Any, q: Floats, z: Floats, tolerance: float, steps: int) -> tuple[Floats, int]:
    """Newton's method on min(z, w) = 0 with a sparse LU of the rows where z > w; (best point, steps).

    M (n, n) is compressed by rows. Ends in a handful of steps for matrices of diffusion and contact (M- and P-matrices);
    in others it may cycle. A step that does not lower the residual is therefore followed by sweeps, from there.
    """
    columns = sparse.csc_array(M)
    diagonal = M.diagonal()
    best, least, stuck = z, _error(z, M @ z + q), 0
    for done in range(1, steps + 1):
        chosen = np.flatnonzero(z > M @ z + q)
        z = np.zeros_like(q)
        if len(chosen):
            block = sparse.csc_array(columns[:, chosen][chosen])
            try:
                z[chosen] = splu(block).solve(-q[chosen])
            except RuntimeError:  # a singular block: only sweeps can go on
                z = best
        error = _error(z, M @ z + q) if np.isfinite(z).all() else np.inf
        if error < least:
            best, least, stuck = z, error, 0
        else:
            stuck += 1
        if least <= tolerance or stuck > 10:
            return np.maximum(best, 0.0), done
        if stuck:
            z = np.maximum(z, 0.0) if np.isfinite(z).all() and stuck < 3 else best.copy()
            if diagonal.min() <= 0 or kernels.gauss_seidel_sparse(
                M.data, M.indices, M.indptr, diagonal, q, z, 1.0, 20 * stuck, 0.0
            ) < 0:  # fmt: skip
                return np.maximum(best, 0.0), done
    return np.maximum(best, 0.0), steps


def symmetric(apply: Apply, n: int) -> bool:
    """Whether x.My = y.Mx for two random vectors: proves the contrary, and makes the claim very likely."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(n), rng.standard_normal(n)
    mx, my = apply(x), apply(y)
    return abs(_dot(x, my) - _dot(y, mx)) <= ASYMMETRY * (_dot(x, x) * _dot(my, my)) ** 0.5 + 1e-300


def largest_eigenvalue(apply: Apply, n: int) -> float:
    """About, from below, by twenty products."""
    x = np.random.default_rng(1).standard_normal(n)
    value = 0.0
    for _ in range(20):
        size = _dot(x, x) ** 0.5
        if size == 0:
            return 0.0
        y = apply(x / size)
        value = max(value, _dot(y, y) ** 0.5)
        x = y
    return value


def projected_cg(
    apply: Apply, q: Floats, z: Floats, tolerance: float, products: int
) -> tuple[Floats, int, Floats | None, bool]:
    """The least of z.Mz/2 + q.z over z >= 0, M symmetric and positive semidefinite, by products with M alone.

    Conjugate gradients on the unknowns that are free, a projected step with a fixed length where one meets its bound, a
    step that frees unknowns once their part of the gradient outweighs the rest (proportioning). Returns (z, products,
    direction or None, proved): the direction v >= 0 has v.Mv <= 0 and q.v < 0. For such an M, Mv = 0 follows, and so that there
    is no solution; where Mv > 0 somewhere, M is none of these and nothing is proved.
    """
    most = largest_eigenvalue(apply, len(q))
    length = 1.0 / most if most > 0 else 1.0
    z = np.maximum(z, 0.0)
    g = apply(z) + q
    done, since = 21, 0
    p = np.where(z > 0, g, 0.0)
    while done < products:
        if since >= FRESH or _error(z, g) <= tolerance:
            exact = apply(z) + q
            done, since = done + 1, 0
            if _error(z, exact) <= tolerance:
                break
            g, p = exact, np.where(z > 0, exact, 0.0)
        free, bound = np.where(z > 0, g, 0.0), np.where(z > 0, 0.0, np.minimum(g, 0.0))
        opening = _dot(bound, bound) > _dot(np.minimum(z / length, free), free)
        d = bound if opening else p
        Md = apply(d)
        done, since = done + 1, since + 1
        curvature, slope = _dot(d, Md), _dot(g, d)
        flat = curvature <= 1e-15 * most * _dot(d, d)
        step = np.inf if flat else slope / curvature
        shrinking = d > 0
        room = float(np.min(z[shrinking] / d[shrinking], initial=np.inf))
        if flat and room == np.inf:
            # |Mv|^2 <= most v.Mv: flat to 1e-15 means Mv = 0 to its root
            return z, done, np.maximum(-d, 0.0), float((-Md).max()) <= 1e-7 * most * float((-d).max())
        if step <= room:
            z, g = np.maximum(z - step * d, 0.0), g - step * Md
            free = np.where(z > 0, g, 0.0)
            p = free if opening else free - (_dot(free, Md) / curvature) * d
        else:
            half, gradient = z - room * d, g - room * Md
            z = np.maximum(half - length * np.where(half > 0, gradient, 0.0), 0.0)
            g = apply(z) + q
            done += 1
            p = np.where(z > 0, g, 0.0)
    return z, done, None, False


def as_operator(M: Any, n: int) -> Apply:
    """What M does to a vector of n numbers: M has `matvec`, or is itself the function. Checked once."""
    product = M.matvec if hasattr(M, "matvec") else M
    if hasattr(M, "shape") and tuple(M.shape) != (n, n):
        raise SolverError(f"lcp: M has shape {tuple(M.shape)}, expected ({n}, {n}) to match q.")
    try:
        given = np.asarray(product(np.ones(n)), np.float64)
    except Exception as error:
        raise SolverError(f"lcp: M fails on a vector of {n} ones: {type(error).__name__}: {error}") from error
    if given.shape != (n,) or not np.isfinite(given).all():
        raise SolverError(f"lcp: M gives an array of shape {given.shape} for a vector, expected ({n},) finite numbers.")
    return lambda x: np.asarray(product(x), np.float64)
