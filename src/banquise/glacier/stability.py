"""How large a step a scheme bears: limits, spectral radii, maps.

Linearised about a speed, with a = c dt / 2m (friction, c = w d tau/dv) and b = omega^2 dt^2 (springs), the velocity
Verlet scheme with friction one step late has for each mode the characteristic polynomial
    lambda^3 + (a + b - 2) lambda^2 + lambda - a,
stable if and only if a + b/2 < 1. At the limit its roots are +i, -i and 1 - b/2; putting lambda = i in the matrix
problem gives 2M - dt C - dt^2 K singular, so for properties that vary along the chain the limit is, still exactly,
    largest eigenvalue of M^-1 (C dt/2 + K dt^2/2) < 1.
(Sufficient: the Rayleigh quotients of any eigenvector give a scalar polynomial with a + b/2 < 1.)
The IMEX scheme meets lambda = -1: largest eigenvalue of M^-1 (K dt^2 - 2 C dt) < 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.linalg import eigh_tridiagonal

from banquise.errors import CaseError, in_short, known_keywords, nearest
from banquise.glacier import _kernels_friction
from banquise.glacier.kinds import one_number
from banquise.settings import number
from banquise.units import duration

if TYPE_CHECKING:
    from banquise.glacier.chain import Glacier

Array = npt.NDArray[np.float64]
SCHEMES = ("verlet", "verlet-frictionless", "imex", "hht")
FLAWS = ("identity-base", "negative-damping", "stiffness-without-step")
_DENSE = 400  # nodes; beyond, the eigenvalues of the full matrix take minutes


@known_keywords
class Stability:
    """Step limits (s) and spectral radii of a glacier's schemes about one sliding speed."""

    def __init__(self, glacier: Glacier, speed: float | None = None, as_printed: bool = False) -> None:
        system = glacier.system()
        self.speed = glacier.equilibrium_speed if speed is None else number(speed, "speed")
        self.as_printed = as_printed
        self._glacier = glacier
        self._moving = np.flatnonzero(system.inverse_mass > 0)
        self._inverse_mass = system.inverse_mass[self._moving]
        self._per_mass = self._inverse_mass * system.weight[self._moving]
        self._dashpots = (system.dashpot * system.inverse_mass)[self._moving]
        self._diagonal, self._off = _scaled_stiffness(system, self._moving)
        # Damping rate c/m of every node, 1/s.
        self._damping = self._per_mass * self._friction_slope(self.speed) + self._dashpots

    def __repr__(self) -> str:
        return (
            f"Stability about {self.speed:.4g} m/s{' (formulas as printed)' if self.as_printed else ''}\n"
            f"├── friction_limit  {self.friction_limit:.6g} s   (Verlet, friction of the step before)\n"
            f"├── elastic_limit   {self.elastic_limit:.6g} s   (2/omega_max, no friction)\n"
            f"├── verlet_limit    {self.verlet_limit:.6g} s   (both: a + b/2 = 1)\n"
            f"└── imex_limit      {self.imex_limit:.6g} s   (about this speed; at any speed: elastic_limit)"
        )

    @cached_property
    def frequencies(self) -> Array:
        """Angular frequencies of the chain without friction, rad/s, ascending."""
        if self._diagonal.size == 1:
            return np.sqrt(self._diagonal)
        squares = eigh_tridiagonal(self._diagonal, self._off, eigvals_only=True)
        squares[squares < 1e-12 * squares[-1]] = 0.0  # the rigid slide
        return np.sqrt(squares)

    @property
    def even(self) -> bool:
        """Whether friction per mass is the same all along, so that modes decouple and radii of any size are cheap."""
        return bool(np.ptp(self._damping) <= 1e-9 * self._damping.max(initial=0.0))

    @cached_property
    def friction_limit(self) -> float:
        """Largest stable step (s) of one block under the lagged Verlet scheme: 2 m / c."""
        worst = float(self._damping.max(initial=0.0))
        limit = math.inf if worst == 0 else 2.0 / worst
        return 2.0 * limit if self.as_printed else limit  # the printed derivation drops one of two equal forces

    @cached_property
    def elastic_limit(self) -> float:
        """Largest stable step (s) of the springs alone: 2 / omega_max."""
        top = self._largest(0.0, 1.0, np.zeros_like(self._damping))
        return math.inf if top <= 0 else 2.0 / math.sqrt(top)

    @cached_property
    def verlet_limit(self) -> float:
        """Largest stable step (s) of the lagged Verlet scheme with springs and friction together."""
        if self.as_printed:  # "the stability of each block is sufficient"
            return min(self.friction_limit, self.elastic_limit)
        if not np.isfinite(self._damping).all():
            return 0.0
        if self.friction_limit == math.inf:
            return self.elastic_limit
        return _largest_step(lambda dt: self._largest(0.5 * dt, 0.5 * dt * dt) - 1.0, self.friction_limit)

    @cached_property
    def imex_limit(self) -> float:
        """Largest stable step (s) of the IMEX scheme about this speed; never below the elastic limit."""
        if self.elastic_limit == math.inf or not np.isfinite(self._damping).all():
            return math.inf
        bound = self.elastic_limit
        while self._largest(-2.0 * bound, bound * bound) < 4.0:
            bound *= 2.0
        return _largest_step(lambda dt: self._largest(-2.0 * dt, dt * dt) - 4.0, bound)

    @known_keywords
    def spectral_radius(
        self, scheme: str, step: float, alpha: float = -0.1, flaws: Iterable[str] | None = None, slide: bool = True
    ) -> float:
        """Largest |eigenvalue| of one step of `scheme`: "verlet", "verlet-frictionless", "imex" or "hht".

        A chain's rigid slide keeps its displacement for ever, so its radius is never below 1; a single block has no
        springs, its displacement acts on nothing and is left out. `slide=False` leaves the slide out of a chain too:
        what remains is how fast strain dies out. `flaws` (hht) puts the errors of the printed formulas
        back, any of "identity-base", "negative-damping", "stiffness-without-step"; `as_printed=True` puts in all three.
        """
        if not isinstance(scheme, str) or scheme not in SCHEMES:
            raise CaseError(f"no scheme {in_short(scheme)}. {nearest(str(scheme)[:80], SCHEMES)}")
        step = number(duration(step, "step"), "step", above=0.0)
        if not -1 / 3 - 1e-12 <= one_number(alpha, "alpha") <= 0:
            raise CaseError(f"alpha is {alpha:g}, expected from -1/3 to 0.")
        wrong = frozenset(FLAWS if self.as_printed and flaws is None else flaws or ())
        for flaw in wrong - set(FLAWS):
            raise CaseError(f"no flaw {flaw!r}. {nearest(flaw, FLAWS)}")
        if scheme == "verlet-frictionless":
            return self._verlet_frictionless(step)
        damping = self._damping * step
        if not np.isfinite(damping).all():
            return math.inf if scheme == "verlet" else 1.0
        blocks = {"verlet": _verlet_block, "imex": _imex_block}.get(scheme)
        if self.even:
            # Even damping: modes decouple, and the radius is the largest over small matrices.
            square = (self.frequencies * step) ** 2
            one = np.ones_like(square)
            if blocks is not None:
                matrices = blocks(one * damping[0], square)
            else:
                matrices = _hht_block(one * damping[0], square, alpha, step, wrong)
            return self._radius_of_modes(matrices, square, slide)
        return self._dense_radius(scheme, step, alpha, wrong, slide)

    def stable_speed(self, step: float) -> float:
        """Slowest speed (m/s) at which the lagged Verlet scheme at `step` is stable; 0 if at all, inf if at none."""
        grid = np.logspace(-16, 2, 400)

        def stable(speed: float) -> bool:
            slope = self._per_mass * self._friction_slope(speed) + self._dashpots
            return bool(np.isfinite(slope).all()) and self._largest(0.5 * step, 0.5 * step * step, slope) < 1.0

        if stable(0.0) and stable(grid[0]):
            return 0.0
        low, high = 0, grid.size - 1  # laws soften with speed: bisect over the grid, then between two points of it
        if not stable(grid[high]):
            return math.inf
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if stable(grid[middle]) else (middle, high)
        a, b = grid[low], grid[high]
        for _ in range(40):
            middle_speed = math.sqrt(a * b)
            a, b = (a, middle_speed) if stable(middle_speed) else (middle_speed, b)
        return float(b)

    def radius_map(self, scheme: str, alphas: npt.ArrayLike, steps: npt.ArrayLike, **options: Any) -> xr.DataArray:
        """Spectral radius over (alpha, step)."""
        alphas, steps = np.atleast_1d(np.asarray(alphas, float)), np.atleast_1d(np.asarray(steps, float))
        values = [[self.spectral_radius(scheme, dt, al, **options) for dt in steps] for al in alphas]
        attrs = {"long_name": f"spectral radius of {scheme}", "units": "1"}
        return xr.DataArray(
            values, {"alpha": alphas, "step": ("step", steps, {"units": "s"})}, ["alpha", "step"], attrs=attrs
        )

    def report(self, step: float) -> dict[str, float]:
        """a, b and a + b/2 of the stiffest node and mode at `step`, with every limit."""
        a = float(self._damping.max(initial=0.0)) * step / 2
        b = (2.0 * step / self.elastic_limit) ** 2
        limits = {k: getattr(self, k) for k in ("friction_limit", "elastic_limit", "verlet_limit", "imex_limit")}
        return {"step": step, "a": a, "b": b, "a_plus_half_b": a + b / 2, **limits}

    def _friction_slope(self, speed: float) -> Array:
        glacier = self._glacier
        speeds = np.full(glacier.nodes, speed)
        # A state variable is the one of the equilibrium: only the direct effect of the speed acts within a step.
        stress, slope = np.empty(glacier.nodes), np.empty(glacier.nodes)
        state = glacier.friction.start_state(np.full(glacier.nodes, glacier.equilibrium_speed))
        law = glacier.friction
        _kernels_friction.stresses(law.code, law.rows(glacier.nodes), state, speeds, stress, slope)
        return slope[self._moving]

    def _largest(self, of_damping: float, of_stiffness: float, damping: Array | None = None) -> float:
        diagonal = of_damping * (self._damping if damping is None else damping) + of_stiffness * self._diagonal
        n = diagonal.size
        if n == 1:
            return float(diagonal[0])
        off = of_stiffness * self._off
        return float(eigh_tridiagonal(diagonal, off, eigvals_only=True, select="i", select_range=(n - 1, n - 1))[0])

    def _verlet_frictionless(self, step: float) -> float:
        square = (self.frequencies * step) ** 2
        half = 0.5 * (2.0 - square)  # lambda^2 - (2 - b) lambda + 1 = 0
        return float(
            np.max(np.abs(half) + np.sqrt(np.maximum(half * half - 1.0, 0.0)), initial=1.0, where=np.abs(half) > 1)
        )

    def _radius_of_modes(self, matrices: Array, square: Array, slide: bool) -> float:
        """Largest eigenvalue of (mode, 3, 3) matrices; a mode without springs splits off its displacement."""
        tied, loose = matrices[square > 0], matrices[square == 0]
        radius = 1.0 if slide and len(loose) and self._diagonal.size > 1 else 0.0
        if len(tied):
            radius = max(radius, float(np.abs(np.linalg.eigvals(tied)).max()))
        if len(loose):
            radius = max(radius, float(np.abs(np.linalg.eigvals(loose[:, 1:, 1:])).max()))
        return radius

    def _dense_radius(self, scheme: str, step: float, alpha: float, wrong: frozenset[str], slide: bool) -> float:
        n = self._damping.size
        if n > _DENSE:
            raise CaseError(
                f"spectral radius of {n} nodes with properties that vary along the chain: at most {_DENSE}. "
                "The limits (friction_limit, elastic_limit, verlet_limit, imex_limit) serve any size."
            )
        damping = np.diag(self._damping * step)
        stiffness = step**2 * (np.diag(self._diagonal) + np.diag(self._off, 1) + np.diag(self._off, -1))
        if scheme == "verlet":
            matrix = _verlet_block(damping[None], stiffness[None])
        elif scheme == "imex":
            matrix = _imex_block(damping[None], stiffness[None])
        else:
            matrix = _hht_block(damping[None], stiffness[None], alpha, step, wrong)
        values = np.linalg.eigvals(matrix[0])
        if not slide and self.frequencies[0] == 0.0:
            values = np.delete(values, np.argmin(np.abs(values - 1.0)))
        return float(np.abs(values).max())


def _scaled_stiffness(system: Any, moving: npt.NDArray[np.intp]) -> tuple[Array, Array]:
    """Diagonal and off-diagonal of M^-1/2 K M^-1/2 over the nodes that move."""
    k, n = system.stiffness, system.weight.size
    diagonal = np.zeros(n)
    diagonal[:-1] += k
    diagonal[1:] += k
    root = np.sqrt(system.inverse_mass)
    off = -k * root[1:] * root[:-1]
    first, last = moving[0], moving[-1] + 1
    return (diagonal * system.inverse_mass)[first:last], off[first : last - 1]


def _largest_step(excess: Any, bound: float) -> float:
    """Root of an increasing `excess(dt)` in (0, bound], by bisection to the last bits."""
    low, high = 0.0, bound
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high


def _square(value: Array) -> Array:
    """(mode,) numbers as (mode, 1, 1) matrices; matrices as they are."""
    return value[:, None, None] if value.ndim == 1 else value


def _verlet_block(damping: Array, stiffness: Array) -> Array:
    """One step on (u, dt v, dt^2 F/m), friction of the step before."""
    c, k = _square(damping), _square(stiffness)
    one = np.broadcast_to(np.eye(c.shape[-1]), c.shape)
    # u' = u + v + f/2;  f' = -k u' - c v;  v' = v + (f + f')/2
    force = [-k, -k - c, -0.5 * k]
    speed = [0.5 * force[0], one + 0.5 * force[1], 0.5 * (one + force[2])]
    return np.block([[one, one, 0.5 * one], speed, force])


def _imex_block(damping: Array, stiffness: Array) -> Array:
    """One step on (u, dt v): (1 + c) v' = v - k u, u' = u + v'."""
    c, k = _square(damping), _square(stiffness)
    one = np.broadcast_to(np.eye(c.shape[-1]), c.shape)
    drop = np.linalg.inv(one + c)
    return np.block([[one - drop @ k, drop], [-drop @ k, drop]])


def _hht_block(damping: Array, stiffness: Array, alpha: float, step: float, wrong: frozenset[str]) -> Array:
    """One step on (u, dt v, dt^2 a): P + Gamma M*^-1 R, with M = 1."""
    c, k = _square(damping), _square(stiffness)
    one = np.broadcast_to(np.eye(c.shape[-1]), c.shape)
    zero = np.zeros_like(one)
    if "negative-damping" in wrong:
        c = -c
    gamma, beta, blend = 0.5 - alpha, 0.25 * (1.0 - alpha) ** 2, 1.0 + alpha
    stiff = k / step**2 if "stiffness-without-step" in wrong else k
    inverse = np.linalg.inv(one + blend * gamma * c + blend * beta * stiff)
    change = [inverse @ row for row in (-k, -(c + blend * k), -(one + blend * c + 0.5 * blend * k))]
    base = [[one, one, 0.5 * one], [zero, one, one], [zero, zero, one]]
    if "identity-base" in wrong:
        base = [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    factors = (beta, gamma, 1.0)
    return np.block([[base[i][j] + factors[i] * change[j] for j in range(3)] for i in range(3)])
