"""Friction laws of a glacier on its bed: stress against speed, its derivative, and the implicit solve.

Every parameter may be one number, an array along the chain, front first, or, under a glacier, a function of the distance x from
the front (m); text may carry a unit. `pressure` (Pa) is the effective pressure N;
left out, it is the glacier's own: ice overburden less the water pressure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from banquise.errors import CaseError, in_short, known_keywords
from banquise.given import ask_numbers, floats
from banquise.glacier import _kernels_friction as kernels
from banquise.glacier.kinds import read_parameters

Values = float | npt.ArrayLike | Callable[[npt.NDArray[np.float64]], npt.ArrayLike]
Array = npt.NDArray[np.float64]
_SLOWEST, _FASTEST = math.log(1e-30), math.log(1e4)  # m/s, where an equilibrium is looked for


@dataclass(frozen=True)
class Friction:
    """A law tau(v), odd in v, in Pa and m/s."""

    code: ClassVar[int]
    may_be_zero: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        read_parameters(self)
        for field in fields(self):
            value = getattr(self, field.name)
            where = f"{type(self).__name__}: {field.name}"
            if callable(value) or (value is None and field.default is None):
                continue
            try:
                array = floats(value)
            except (TypeError, ValueError, OverflowError):
                raise CaseError(f"{where} is {in_short(value)}, expected a number or a row of them.") from None
            if array.ndim:
                object.__setattr__(self, field.name, array)
            if array.ndim > 1:
                raise CaseError(
                    f"{where} has {array.ndim} dimensions, expected a number or a row of them along the chain."
                )
            if not np.isfinite(array).all():
                raise CaseError(f"{where} holds {array[~np.isfinite(array)][0]}, expected finite numbers.")
            if (array < 0).any() or (field.name not in self.may_be_zero and (array == 0).any()):
                least = "zero or more" if field.name in self.may_be_zero else "more than zero"
                raise CaseError(f"{where} is {array.min():g}, expected {least}.")

    def columns(self) -> list[Values]:
        """Parameters in the order of the kernel's row."""
        raise NotImplementedError

    def at(self, x: Array) -> Friction:
        """The law with its functions of x replaced by what they give at these places (m)."""
        own = f"{type(self).__name__}: "
        gives = f"one number or {x.size}, one a node, for x in m"
        given = {f.name: getattr(self, f.name) for f in fields(self) if callable(getattr(self, f.name))}
        found = {
            name: ask_numbers(function, x, what=own + name, gives=gives, shape=x.shape)
            for name, function in given.items()
        }
        law = replace(self, **found) if found else self
        for field in fields(law):
            value: Any = getattr(law, field.name)
            size = np.size(value)
            if size not in (1, x.size):
                raise CaseError(f"{own}{field.name} has {size} values for {x.size} nodes along the chain.")
        return law

    def bind(self, pressure: Array, speed_of: Any = None) -> Friction:
        """The law with its open parameters filled in by the glacier it lies under.

        `speed_of(law)` is the equilibrium speed (m/s) the glacier would have on another law.
        """
        if getattr(self, "pressure", pressure) is None:
            if (pressure <= 0).any():
                raise CaseError("water_pressure is at or above the ice overburden: this friction law needs N > 0.")
            return replace(self, pressure=pressure)  # type: ignore[call-arg]
        return self

    def rows(self, n: int) -> Array:
        """Kernel parameters of `n` nodes, (n, 6)."""
        out = np.zeros((n, kernels.COLUMNS))
        self._check_numbers()
        columns: list[Any] = self.columns()
        for k, value in enumerate(columns):
            try:
                out[:, k] = np.asarray(value, dtype=float)
            except ValueError:
                raise CaseError(
                    f"{type(self).__name__}: a parameter has {np.size(value)} values for {n} nodes along the chain."
                ) from None
        return out

    def start_state(self, speed: Array) -> Array:
        """State at steady sliding; only rate-and-state has one."""
        return np.ones_like(speed)

    def _check_numbers(self) -> None:
        if any(callable(getattr(self, f.name)) for f in fields(self)):
            raise CaseError(
                f"{type(self).__name__}: a parameter is a function of x; put the law under a Glacier first."
            )

    def _shaped(self, *values: npt.ArrayLike) -> tuple[tuple[int, ...], list[Array]]:
        self._check_numbers()
        columns: list[Any] = self.columns()
        arrays = np.broadcast_arrays(*[np.asarray(v, dtype=float) for v in values], *columns)
        return arrays[0].shape, [np.ascontiguousarray(a).ravel() for a in arrays[: len(values)]]

    def _stress_and_slope(self, speed: npt.ArrayLike) -> tuple[Array, Array]:
        shape, (v,) = self._shaped(speed)
        stress, slope = np.empty_like(v), np.empty_like(v)
        kernels.stresses(self.code, self.rows(v.size), self.start_state(v), v, stress, slope)
        return stress.reshape(shape), slope.reshape(shape)

    def stress(self, speed: npt.ArrayLike) -> Array:
        """Bed stress tau (Pa) at `speed` (m/s), with the sign of the speed."""
        return self._stress_and_slope(speed)[0]

    def slope(self, speed: npt.ArrayLike) -> Array:
        """d tau / d v (Pa s/m) at `speed`; infinite where the law is vertical."""
        return self._stress_and_slope(speed)[1]

    def solve(self, gain: npt.ArrayLike, target: npt.ArrayLike) -> Array:
        """Speed v such that v + gain tau(v) = target: one implicit step of a block that only rubs.

        >>> law = Weertman(10**6.75)
        >>> v = law.solve(1e-8, 1e-3)
        >>> bool(abs(v + 1e-8 * law.stress(v) - 1e-3) < 1e-15)
        True
        """
        shape, (g, r) = self._shaped(gain, target)
        speed = np.empty_like(r)
        kernels.solves(self.code, self.rows(r.size), self.start_state(r), g, r, speed)
        return speed.reshape(shape)


@known_keywords
@dataclass(frozen=True)
class Weertman(Friction):
    """tau = C |v|^(1/m) sign(v); `coefficient` in Pa (s/m)^(1/m)."""

    coefficient: Values
    exponent: Values = 3.0
    code: ClassVar[int] = kernels.POWER

    def columns(self) -> list[Values]:
        return [self.exponent, self.coefficient]


@dataclass(frozen=True)
class _Rounded(Friction):
    coefficient: Values
    nu: Values | None = None
    eta: float | None = None
    exponent: Values = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.nu is None) == (self.eta is None):
            raise CaseError(
                f"{type(self).__name__}: give nu (m/s) or eta (nu as a fraction of the equilibrium speed), one of them."
            )

    def bind(self, pressure: Array, speed_of: Any = None) -> Friction:
        if self.nu is not None:
            return self
        assert self.eta is not None
        return replace(self, nu=self.eta * abs(speed_of(Weertman(self.coefficient, self.exponent))), eta=None)

    def columns(self) -> list[Values]:
        if self.nu is None:
            raise CaseError(
                f"{type(self).__name__}: eta is a fraction of a glacier's speed; put the law under a Glacier first."
            )
        return [self.exponent, self.coefficient, self.nu]


@known_keywords
@dataclass(frozen=True)
class Regularised(_Rounded):
    """Weertman with a straight line below `nu`: continuous, but its slope jumps by the exponent at nu.

    The line is the stiff side. Give `nu` in m/s, or `eta` to have nu = eta |U_eq|.
    """

    code: ClassVar[int] = kernels.LINEAR_BELOW

    @classmethod
    def for_step(
        cls,
        coefficient: float,
        step: float,
        density: float,
        thickness: float,
        gamma: float = 1.0,
        exponent: float = 3.0,
    ) -> Regularised:
        """nu = gamma times the speed below which lagged Verlet at `step` (s) is unstable on the pure law."""
        steepest = 2.0 * density * thickness / step  # d tau / d v at which a = 1
        speed = (exponent * steepest / coefficient) ** (exponent / (1.0 - exponent))
        return cls(coefficient, nu=gamma * speed, exponent=exponent)


@known_keywords
@dataclass(frozen=True)
class Smooth(_Rounded):
    """tau = C v (v^2 + nu^2)^((1/m - 1)/2): Weertman far above nu, a line far below, smooth between."""

    code: ClassVar[int] = kernels.SMOOTH


@known_keywords
@dataclass(frozen=True)
class Budd(Friction):
    """tau = C^2 N^(q/p) |v|^(1/p); `coefficient` C in the units that make tau Pa."""

    coefficient: Values
    pressure: Values | None = None
    q: float = 1.0
    p: float = 1.0
    code: ClassVar[int] = kernels.POWER
    may_be_zero: ClassVar[frozenset[str]] = frozenset({"q"})

    def columns(self) -> list[Values]:
        n = np.asarray(self.pressure, dtype=float)
        return [self.p, np.asarray(self.coefficient) ** 2 * n ** (self.q / self.p)]


@known_keywords
@dataclass(frozen=True)
class PseudoPlastic(Friction):
    """tau = tau_c (|v|/u_t)^q; `yield_stress` in Pa, `threshold_speed` u_t in m/s."""

    yield_stress: Values
    threshold_speed: Values = 100.0 / 31556926.0
    q: float = 0.25
    code: ClassVar[int] = kernels.POWER

    def columns(self) -> list[Values]:
        return [1.0 / self.q, np.asarray(self.yield_stress) / np.asarray(self.threshold_speed) ** self.q]


@known_keywords
@dataclass(frozen=True)
class Schoof(Friction):
    """tau = C^2 v^m / (1 + (C^2/(Cmax N))^(1/m) v)^m: a power law that levels off at Cmax N."""

    coefficient: Values
    max_coefficient: Values
    pressure: Values | None = None
    m: float = 1.0 / 3.0
    code: ClassVar[int] = kernels.SATURATING

    def columns(self) -> list[Values]:
        square = np.asarray(self.coefficient, dtype=float) ** 2
        ceiling = np.asarray(self.max_coefficient) * np.asarray(self.pressure, dtype=float)
        return [1.0 / self.m, square, (ceiling / square) ** (1.0 / self.m)]


@known_keywords
@dataclass(frozen=True)
class RegularisedCoulomb(Friction):
    """tau = C^2 (|v| / (|v|/u0 + 1))^(1/m): a power law that levels off above `threshold_speed` u0 (m/s)."""

    coefficient: Values
    threshold_speed: Values = 300.0 / 31556926.0
    exponent: float = 3.0
    code: ClassVar[int] = kernels.SATURATING

    def columns(self) -> list[Values]:
        return [self.exponent, np.asarray(self.coefficient, dtype=float) ** 2, self.threshold_speed]


@known_keywords
@dataclass(frozen=True)
class Gagliardini(Friction):
    """tau = C N (chi/(1 + a chi^q))^(1/n), chi = v/(C^n N^n As), a = (q-1)^(q-1)/q^q; rate-weakening when q > 1."""

    coefficient: Values
    sliding: Values  # As, m/s Pa^-n
    pressure: Values | None = None
    q: float = 1.0
    n: float = 3.0
    code: ClassVar[int] = kernels.PEAKED

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.min(self.q) < 1:
            raise CaseError(f"Gagliardini: q is {np.min(self.q):g}, expected 1 (no peak) or more.")

    def columns(self) -> list[Values]:
        ceiling = np.asarray(self.coefficient) * np.asarray(self.pressure, dtype=float)
        speed = ceiling**self.n * np.asarray(self.sliding)
        peak = (self.q - 1) ** (self.q - 1) / self.q**self.q  # 1 at q = 1
        return [self.n, ceiling / speed ** (1.0 / self.n), speed, self.q, peak]


@known_keywords
@dataclass(frozen=True)
class Tsai(Friction):
    """tau = min(f N, C |v|^(1/m)): Weertman under a Coulomb ceiling."""

    coefficient: Values
    pressure: Values | None = None
    friction: Values = 0.5
    exponent: float = 3.0
    code: ClassVar[int] = kernels.CAPPED

    def columns(self) -> list[Values]:
        return [self.exponent, self.coefficient, np.asarray(self.friction) * np.asarray(self.pressure, dtype=float)]


@known_keywords
@dataclass(frozen=True)
class RateState(Friction):
    """tau = N a asinh((v/2v0) exp((f0 + b ln(v0 theta/Dc))/a)), theta' = 1 - |v| theta/Dc (ageing law)."""

    a: Values
    b: Values
    slip: Values  # Dc, m
    pressure: Values | None = None
    f0: Values = 0.6
    v0: Values = 1e-6
    code: ClassVar[int] = kernels.RATE_STATE
    may_be_zero: ClassVar[frozenset[str]] = frozenset({"b"})

    def columns(self) -> list[Values]:
        return [self.pressure if self.pressure is not None else np.nan, self.a, self.b, self.f0, self.v0, self.slip]

    def start_state(self, speed: Array) -> Array:
        """theta = Dc/|v| of steady sliding (s); at rest, one year of ageing at most."""
        slip = np.broadcast_to(np.asarray(self.slip, dtype=float), speed.shape)
        return np.minimum(slip / np.maximum(np.abs(speed), 1e-300), 3.2e7)


LAWS: dict[str, type[Friction]] = {
    law.__name__: law
    for law in (
        Weertman,
        Regularised,
        Smooth,
        Budd,
        PseudoPlastic,
        Schoof,
        RegularisedCoulomb,
        Gagliardini,
        Tsai,
        RateState,
    )
}


def balance_speed(law: Friction, rows: Array, weight: Array, drive: float) -> float:
    """Common speed (m/s, against the drive) at which nodes of `weight` on the law's `rows` carry `drive` in all."""
    if drive == 0.0:
        return 0.0
    total = float(weight.sum())
    if (rows == rows[0]).all():
        rows, weight = rows[:1], np.array([total])
    stress, slope = np.empty(len(rows)), np.empty(len(rows))

    def lack(log_speed: float) -> float:
        speed = np.full(len(rows), math.exp(log_speed))
        age = rows[:, 5] / speed if law.code == kernels.RATE_STATE else speed  # steady: theta = Dc/v
        kernels.stresses(law.code, rows, age, speed, stress, slope)
        return float(weight @ stress) - abs(drive)

    low, high = _SLOWEST, _FASTEST
    if law.code in (kernels.PEAKED, kernels.RATE_STATE):  # several answers: the slowest at which the bed strengthens
        speeds = np.linspace(low, high, 600)
        lacks = np.array([lack(s) for s in speeds])
        up = np.flatnonzero((lacks[:-1] < 0) & (lacks[1:] >= 0))
        if up.size:
            low, high = float(speeds[up[0]]), float(speeds[up[0] + 1])
    if lack(low) * lack(high) > 0:
        raise CaseError(
            f"no equilibrium: the driving stress is {abs(drive) / total:.4g} Pa on average, and {type(law).__name__} "
            "friction never meets it. Change the slope or the strength of the bed."
        )
    return -math.copysign(math.exp(brentq(lack, low, high, xtol=1e-15, rtol=1e-15)), drive)
