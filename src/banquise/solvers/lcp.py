"""Linear complementarity problems: w = M z + q, z >= 0, w >= 0, z.w = 0. An answer with its proof, or an honest no.

`solve` is the door, for dense and sparse matrices and for operators. Lemke's method is tried with several covering
vectors, pivot rules, orders and a perturbed matrix, each answer finished on the original data and checked there; a ray
is believed only when it proves that no solution exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray

from banquise.errors import SolverError, in_short, known_keywords, nearest
from banquise.solvers import _kernels_lemke as kernels
from banquise.solvers import _kernels_small
from banquise.solvers.lcp_dictionary import Dictionary
from banquise.solvers.lcp_large import active_set, as_operator, projected_cg, symmetric
from banquise.solvers.lcp_proof import certificate, in_singular_bases, infeasible_direction

Floats = NDArray[np.float64]

METHODS = ("lemke", "gauss-seidel", "enumerate", "active-set", "projected-cg")
DENSE_METHODS = ("lemke", "enumerate")
ENUMERATE_UP_TO = 20  # 2^20 bases take about a second
DENSE_UP_TO = 8000  # Lemke's dictionary of this size takes half a gigabyte


@dataclass(frozen=True, eq=False)
class LCPResult:
    """What was found, and how good it is."""

    z: Floats
    w: Floats  # M z + q
    converged: bool
    residual: float  # max |min(z, w)| in equilibrated units, over the largest |q|
    pivots: int
    iterations: int  # pivots, sweeps or bases tried
    method: str
    status: str  # "solved", "no solution", "ray" (nothing proved) or "cap"
    attempts: tuple[str, ...] = field(default=())
    ray: Floats | None = (
        None  # "no solution": v >= 0, M'v <= 0, q.v < 0, None if all bases were tried; "ray": the way out
    )
    solutions: int | None = None  # how many an enumeration found

    def __repr__(self) -> str:
        return (
            f"LCPResult: {self.status}, n = {len(self.z)}, residual {self.residual:.1e}, {self.iterations} iterations, "
            f"method {self.method}"
        )


@known_keywords
def solve(
    M: ArrayLike | sparse.spmatrix | sparse.sparray,
    q: ArrayLike,
    method: str = "lemke",
    seed: int = 0,
    tolerance: float = 1e-10,
    guess: ArrayLike | None = None,
    max_iterations: int | None = None,
) -> LCPResult:
    """Solve w = M z + q with z >= 0, w >= 0 and z.w = 0.

    Parameters
    ----------
    M : (n, n) array; scipy sparse matrix; or an operator: a scipy LinearOperator, or a function z -> M z
    q : (n,) array
    method : "lemke" (dense, up to n = 8,000; an operator, and a sparse M beyond that size, get "projected-cg" and
        "active-set" in its place); "enumerate" (dense, up to n = 20); "gauss-seidel" (projected sweeps, dense or sparse, needs
        a positive diagonal); "active-set" (Newton with a sparse LU, for M- and P-matrices); "projected-cg" (products with
        M alone, for symmetric positive semidefinite M)
    seed : of the random covering vectors; the same seed gives the same bits
    tolerance : largest residual of a solved problem (see `LCPResult.residual`)
    guess : (n,) start of every method but "lemke" and "enumerate"
    max_iterations : pivots of one attempt, sweeps, Newton steps or products with M

    >>> answer = solve([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
    >>> answer.z.round(12).tolist(), answer.converged
    ([1.333333333333, 2.333333333333], True)
    """
    if not isinstance(method, str) or method not in METHODS:
        raise SolverError(f"lcp: no method {in_short(method)}. {nearest(str(method)[:80], METHODS)}")
    matrix, vector = _checked(M, q)
    method = _method_for(matrix, len(vector), method)
    matrix = matrix.toarray() if sparse.issparse(matrix) and method in DENSE_METHODS else matrix
    problem = _Problem(matrix, vector, float(tolerance))
    if len(vector) == 0:
        return problem.result(np.zeros(0), method, 0)
    if method == "gauss-seidel":
        return _gauss_seidel(problem, guess, max_iterations or 20_000)
    if method == "active-set":
        return _active_set(problem, guess, max_iterations or 100)
    if method == "projected-cg":
        return _projected_cg(problem, guess, max_iterations or 50_000)
    if method == "enumerate":
        return _enumerate(problem)
    return _lemke_chain(problem, seed, max_iterations)


def _checked(M: Any, q: Any) -> tuple[Any, Floats]:
    """(M, q) with a dense M as an array, a sparse one compressed by rows, an operator as a function of z."""
    operator = callable(M) or hasattr(M, "matvec")
    try:
        if np.iscomplexobj(q) or (not operator and np.iscomplexobj(M)):
            raise TypeError  # the conversions below would drop the imaginary part
        vector = np.ascontiguousarray(q, np.float64)
        matrix: Any = M
        if sparse.issparse(M):
            matrix = sparse.csr_array(M, dtype=np.float64)
        elif not operator:
            matrix = np.ascontiguousarray(M, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise SolverError("lcp: M and q must be arrays of real numbers.") from None
    n = vector.size
    if vector.ndim != 1:
        raise SolverError(f"lcp: q has shape {vector.shape}, expected (n,).")
    if not np.isfinite(vector).all():
        raise SolverError("lcp: q holds NaN or infinity, expected finite numbers.")
    if operator:
        return (as_operator(M, n) if n else np.zeros((0, 0))), vector
    if n == 0 and matrix.size == 0:
        return np.zeros((0, 0)), vector
    if matrix.shape != (n, n):
        raise SolverError(f"lcp: M has shape {matrix.shape}, expected ({n}, {n}) to match q.")
    if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
        raise SolverError("lcp: M holds NaN or infinity, expected finite numbers.")
    return matrix, vector


def _method_for(matrix: Any, n: int, method: str) -> str:
    """The method that will run: "lemke", the default, stands for the one that suits the matrix."""
    if callable(matrix):
        if method not in ("lemke", "projected-cg"):
            raise SolverError(f"lcp: {method!r} needs the entries of M, got an operator. Use 'projected-cg'.")
        return "projected-cg"
    if n > DENSE_UP_TO and method == "lemke":
        if not sparse.issparse(matrix):
            raise SolverError(
                f"lcp: n = {n} is too large for 'lemke' (up to {DENSE_UP_TO}). Use 'gauss-seidel' or a sparse M."
            )
        return "active-set"
    return method


class _Problem:
    """The data, its equilibration, and the check every answer goes through."""

    def __init__(self, M: Any, q: Floats, tolerance: float) -> None:
        self.M, self.q, self.tolerance = M, q, tolerance
        self.n = n = len(q)
        self.scale = np.ones(n)
        if callable(M):
            pass  # its entries are not known
        elif sparse.issparse(M):
            diagonal = np.abs(M.diagonal())
            self.scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        elif n:
            kernels.equilibrate(M, self.scale)
        self.unit = float(np.abs(q * self.scale).max(initial=0.0)) or 1.0

    def measure(self, z: Floats) -> tuple[float, Floats]:
        """(residual, w) of z."""
        if callable(self.M) or sparse.issparse(self.M):
            w = (self.M(z) if callable(self.M) else self.M @ z) + self.q
            return float(np.abs(np.minimum(z / self.scale, w * self.scale)).max(initial=0.0)) / self.unit, w
        w = np.empty(self.n)
        return float(kernels.complementarity(self.M, self.q, self.scale, z, w)) / self.unit, w

    def residual(self, z: Floats) -> float:
        return self.measure(z)[0]

    def basis_point(self, active: NDArray[np.bool_]) -> Floats:
        """The point of a complementary basis, from the original data: M_aa z_a = -q_a, with one step of refinement."""
        z = np.zeros(self.n)
        chosen = np.flatnonzero(active)
        A = self.M[np.ix_(chosen, chosen)] * self.scale[chosen, None] * self.scale[chosen]
        right = -self.q[chosen] * self.scale[chosen]
        x = _kernels_small.solve_square(A, right)
        if np.isfinite(x).all():
            z[chosen] = x * self.scale[chosen]
        return np.maximum(z, 0.0)

    def polish(self, z: Floats, steps: int = 12) -> Floats:
        """Active-set steps on the original data from z; the best point seen (z itself if none is better)."""
        best, error = z, self.residual(z)
        seen = b""
        point = z
        for _ in range(steps):
            active = point > self.measure(point)[1] * self.scale**2
            if error <= 1e-14 or active.tobytes() == seen:
                break
            seen = active.tobytes()
            point = self.basis_point(active)
            now = self.residual(point)
            if now < error:
                best, error = point, now
        return best

    def result(self, z: Floats, method: str, iterations: int, **more: Any) -> LCPResult:
        error, w = self.measure(z)
        solved = error <= self.tolerance
        status = "solved" if solved else more.pop("status", "cap")
        more.pop("status", None)
        return LCPResult(
            z=z, w=w, converged=solved, residual=error, pivots=more.pop("pivots", 0), iterations=iterations,
            method=method, status=status, **more,
        )  # fmt: skip


def _start(problem: _Problem, guess: ArrayLike | None) -> Floats:
    n = problem.n
    z = np.zeros(n) if guess is None else np.maximum(np.array(guess, np.float64), 0.0)
    if z.shape != (n,) or not np.isfinite(z).all():
        raise SolverError(f"lcp: guess has shape {z.shape}, expected ({n},) finite numbers.")
    return z


def _active_set(problem: _Problem, guess: ArrayLike | None, cap: int) -> LCPResult:
    S = sparse.diags_array(problem.scale)
    scaled = sparse.csr_array(S @ sparse.csr_array(problem.M) @ S)
    z = _start(problem, guess) / problem.scale / problem.unit
    z, steps = active_set(scaled, problem.q * problem.scale / problem.unit, z, 0.1 * problem.tolerance, cap)
    return problem.result(z * problem.scale * problem.unit, "active-set", steps)


def _projected_cg(problem: _Problem, guess: ArrayLike | None, cap: int) -> LCPResult:
    M, scale, unit = problem.M, problem.scale, problem.unit

    def apply(x: Floats) -> Floats:
        return np.asarray(scale * (M(scale * x) if callable(M) else M @ (scale * x)))

    if not symmetric(apply, problem.n):
        raise SolverError(
            "lcp: 'projected-cg' needs a symmetric M, and this one is not. Use 'active-set', 'gauss-seidel' or 'lemke' with "
            "its entries."
        )
    z = _start(problem, guess) / scale / unit
    z, products, ray, proved = projected_cg(apply, problem.q * scale / unit, z, 0.5 * problem.tolerance, cap)
    status = "cap" if ray is None else "no solution" if proved else "ray"
    direction = None if ray is None else ray * scale
    return problem.result(z * scale * unit, "projected-cg", products, status=status, ray=direction)


def _gauss_seidel(problem: _Problem, guess: ArrayLike | None, cap: int) -> LCPResult:
    n, z = problem.n, _start(problem, guess)
    diagonal = problem.M.diagonal()
    if diagonal.min() <= 0:
        raise SolverError(
            f"lcp: 'gauss-seidel' needs a positive diagonal, got {diagonal.min():g} in row {int(diagonal.argmin())}. "
            "Use 'lemke'."
        )
    target = 0.1 * problem.tolerance * float(np.abs(problem.q).max(initial=0.0))
    if sparse.issparse(problem.M):
        M = problem.M
        sweeps = kernels.gauss_seidel_sparse(M.data, M.indices, M.indptr, diagonal, problem.q, z, 1.0, cap, target)
        if sweeps < 0:
            z = np.zeros(n)
    else:
        sweeps = kernels.gauss_seidel_dense(problem.M, problem.q, z, 1.0, cap, target)
        z = problem.polish(z if sweeps >= 0 else np.zeros(n))
    return problem.result(z, "gauss-seidel", abs(sweeps))


def _enumerate(problem: _Problem) -> LCPResult:
    n = problem.n
    if n > ENUMERATE_UP_TO:
        raise SolverError(f"lcp: 'enumerate' tries 2^n bases, n = {n} is more than {ENUMERATE_UP_TO}. Use 'lemke'.")
    z = np.zeros(n)
    scaled = problem.M * problem.scale[:, None] * problem.scale
    q, singular = problem.q * problem.scale / problem.unit, np.zeros(2**n, np.bool_)
    found = int(kernels.enumerate_bases(scaled, q, 1e-11, z, singular))
    none = found == 0
    if none and singular.any():
        # a solution with w = z = 0 somewhere may belong to singular bases alone: M = [[0, 0], [1, 0]], q = (0, -1)
        point, none = in_singular_bases(scaled, q, np.flatnonzero(singular))
        if point is not None:
            z, found = point, 1
    z = problem.polish(z * problem.scale * problem.unit)
    return problem.result(z, "enumerate", 2**n, solutions=found, status="no solution" if none else "cap")


def _lemke_chain(problem: _Problem, seed: int, max_iterations: int | None) -> LCPResult:
    n = problem.n
    rng = np.random.default_rng(seed)
    cap = max_iterations or 40 * n + 400
    total, tried = 0, []
    best, best_error = np.zeros(n), np.inf
    left: tuple[int, Floats | None] = (kernels.CAP, None)
    for name in ("lexicographic", "random covering", "random covering", "largest pivot", "permuted", "perturbed"):
        status, z, direction, pivots = _attempt(problem, name, rng, cap)
        total += pivots
        tried.append(name)
        z = z if problem.residual(z) <= problem.tolerance else problem.polish(z)
        error = problem.residual(z)
        if error < best_error:
            best, best_error = z, error
        if best_error <= problem.tolerance:
            return problem.result(best, "lemke", total, pivots=total, attempts=tuple(tried))
        if direction is not None:
            left = (status, direction)
            proof = certificate(problem.M, problem.q, direction, problem.scale)
            if proof is not None:
                return _no(problem, best, total, tried, proof)
    return _last_resort(problem, best, total, tried, left)


def _last_resort(
    problem: _Problem, best: Floats, total: int, tried: list[str], left: tuple[int, Floats | None]
) -> LCPResult:
    """Another method, then the question whether a solution exists at all."""
    diagonal = problem.M.diagonal()
    if diagonal.min() > 0:
        tried.append("gauss-seidel")
        swept = _gauss_seidel(problem, best, 2000)
        if swept.residual < problem.residual(best):
            best = swept.z
        if swept.converged:
            return problem.result(best, "gauss-seidel", total + swept.iterations, pivots=total, attempts=tuple(tried))
    proof = infeasible_direction(problem.M, problem.q, problem.scale)
    if proof is not None:
        return _no(problem, best, total, [*tried, "linear programme"], proof)
    if problem.n <= 14:
        answer = _enumerate(problem)
        tried.append("enumerate")
        return problem.result(
            answer.z if answer.converged else best, "enumerate", total + answer.iterations, pivots=total,
            attempts=tuple(tried), status=answer.status, solutions=answer.solutions,
        )  # fmt: skip
    status = "ray" if left[0] == kernels.RAY else "cap"
    return problem.result(best, "lemke", total, pivots=total, attempts=tuple(tried), status=status, ray=left[1])


def _no(problem: _Problem, z: Floats, pivots: int, tried: list[str], proof: Floats) -> LCPResult:
    return problem.result(z, "lemke", pivots, pivots=pivots, attempts=tuple(tried), status="no solution", ray=proof)


def _attempt(
    problem: _Problem, name: str, rng: np.random.Generator, cap: int
) -> tuple[int, Floats, Floats | None, int]:
    """One run of Lemke: (status, z, direction of the ray or None, pivots)."""
    n = problem.n
    M, q, scale = problem.M, problem.q, problem.scale
    cover, rule, order = np.ones(n), kernels.LARGEST, None
    if name == "lexicographic":
        rule = kernels.LEXICOGRAPHIC
    elif name == "permuted":
        # A symmetric permutation: other ties, other path. Permuting rows alone, which some codes do to remove zeros
        # from the diagonal, pairs other variables and so solves another problem.
        order = rng.permutation(n)
        M, q, scale = M[np.ix_(order, order)], q[order], scale[order]
    elif name != "largest pivot":
        cover = rng.uniform(1.0, 2.0, n)
    T, rhs = np.empty((n, n + 1)), np.empty(n)
    unit = kernels.dictionary(M, q, scale, cover, T, rhs)
    if name == "perturbed":
        T[np.arange(n), np.arange(n)] += 1e-7 * rng.uniform(1.0, 2.0, n)
    run = Dictionary(T, rhs)
    data = None if name == "perturbed" else (M, q, scale, cover, unit)
    status, pivots = run.go(cap, rule, data)
    z = run.point() * scale * unit
    if order is None and status == kernels.SOLVED and problem.residual(z) > 1e-13:
        exact = problem.basis_point(run.active())
        z = exact if problem.residual(exact) < problem.residual(z) else z
    direction = run.direction() * scale if status == kernels.RAY else None
    if order is not None:
        z = _unpermuted(z, order)
        direction = None if direction is None else _unpermuted(direction, order)
    return status, z, direction, pivots


def _unpermuted(v: Floats, order: NDArray[np.int64]) -> Floats:
    back = np.empty_like(v)
    back[order] = v
    return back
