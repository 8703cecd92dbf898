"""The contact problem: which impulses keep the bodies apart and obey friction. Columns only, no object a contact."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banquise.contact import _kernels_problem
from banquise.errors import SolverError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """Impulses r = (r_n, r_t) wanted at m contacts of n planar bodies.

    The normal points from body a to body b, the tangent is the normal turned by +90 degrees, u is the velocity of b
    minus that of a at the contact point after the impulses, which act with + on b and with - on a:

        u_n + gap_rate >= 0  complementary to  r_n >= lower_normal;   |r_t| <= friction r_n, opposed to u_t + bias_t

    A body with inverse mass and inertia 0 is an obstacle; its free velocity is the one it keeps.

    Parameters
    ----------
    body_a, body_b : (m,) int, rows of the body arrays
    inverse_mass, inverse_inertia : (n,) float, 1/kg and 1/(kg m2)
    normal : (m, 2) float, unit vectors
    lever_a, lever_b : (m, 2) float, m, from the centre of mass to the contact point, world frame
    gap_rate : (m,) float, m/s, gap / step, or minus the rebound speed asked for
    friction, restitution : (m,) float (restitution is carried for the laws; a solver reads `gap_rate`)
    free_velocity : (n, 3) float, m/s, m/s, rad/s: velocities with the step's forces and without contact
    bias_t : (m,) float, m/s, added to the sliding speed
    lower_normal : (m,) float, N s, least normal impulse (decompression in Poisson's law)
    reference : float, m/s, the speed residuals are measured in; None: the largest contact speed of each island
    """

    body_a: NDArray[np.int32]
    body_b: NDArray[np.int32]
    inverse_mass: Floats
    inverse_inertia: Floats
    normal: Floats
    lever_a: Floats
    lever_b: Floats
    gap_rate: Floats
    friction: Floats
    restitution: Floats
    free_velocity: Floats
    bias_t: Floats | None = None
    lower_normal: Floats | None = None
    reference: float | None = None

    def __post_init__(self) -> None:
        m, n = np.shape(self.body_a)[0] if np.ndim(self.body_a) else 0, len(np.atleast_1d(self.inverse_mass))
        shapes: dict[str, tuple[int, ...]] = {
            **dict.fromkeys(("inverse_mass", "inverse_inertia"), (n,)),
            **dict.fromkeys(("normal", "lever_a", "lever_b"), (m, 2)),
            **dict.fromkeys(("gap_rate", "friction", "restitution", "bias_t", "lower_normal"), (m,)),
            "free_velocity": (n, 3),
        }
        take_columns(self, m, n, shapes)
        for name in ("inverse_mass", "inverse_inertia", "friction", "lower_normal"):
            if getattr(self, name).size and getattr(self, name).min() < 0:
                raise SolverError(
                    f"contact problem: {name} is negative ({getattr(self, name).min():g}), expected >= 0."
                )
        if self.reference is not None and not self.reference > 0:
            raise SolverError(f"contact problem: reference speed is {self.reference}, expected a number above 0 m/s.")

    @property
    def contacts(self) -> int:
        """How many contacts."""
        return len(self.body_a)

    @property
    def bodies(self) -> int:
        """How many bodies, obstacles included."""
        return len(self.inverse_mass)

    def scaled(self, order: NDArray[np.int64] | None = None) -> ScaledRows:
        """The same problem in the form the solvers work on, contacts taken in `order`."""
        if order is None:
            order = np.arange(self.contacts)
        m = len(order)
        G, W, speed = np.empty((m, 2, 6)), np.empty((m, 3)), np.empty((m, 2))
        a, b = np.empty(m, np.int64), np.empty(m, np.int64)
        _kernels_problem.scaled_rows(
            order, self.body_a, self.body_b, self.inverse_mass, self.inverse_inertia, self.normal, self.lever_a,
            self.lever_b, self.free_velocity, G, W, speed, a, b,
        )  # fmt: skip
        assert self.bias_t is not None and self.lower_normal is not None
        bias = np.stack((self.gap_rate, self.bias_t), axis=1)[order]
        return ScaledRows(G, W, a, b, speed + bias, bias, self.friction[order], self.lower_normal[order], self.bodies)

    def relative_velocity(self, velocity: Floats | None = None) -> Floats:
        """Velocity of b minus that of a at each contact, (m, 2) normal and tangent, m/s (default: the free one)."""
        v = self.free_velocity if velocity is None else np.asarray(velocity, np.float64)
        point_b = v[self.body_b, :2] + v[self.body_b, 2:] * _turned(self.lever_b)
        point_a = v[self.body_a, :2] + v[self.body_a, 2:] * _turned(self.lever_a)
        u = point_b - point_a
        return np.stack((np.sum(u * self.normal, axis=1), np.sum(u * _turned(self.normal), axis=1)), axis=1)

    def velocity_after(self, impulses: Floats) -> Floats:
        """Velocities of all bodies after the impulses (m, 2), N s."""
        push = impulses[:, :1] * self.normal + impulses[:, 1:] * _turned(self.normal)
        change = np.zeros((self.bodies, 3))
        for bodies, lever, sign in ((self.body_a, self.lever_a, -1.0), (self.body_b, self.lever_b, 1.0)):
            torque = lever[:, 0] * push[:, 1] - lever[:, 1] * push[:, 0]
            for j, part in enumerate((push[:, 0], push[:, 1], torque)):
                change[:, j] += sign * np.bincount(bodies, weights=part, minlength=self.bodies)
        change[:, :2] *= self.inverse_mass[:, None]
        change[:, 2] *= self.inverse_inertia
        return self.free_velocity + change

    @classmethod
    def from_rows(
        cls, G: ArrayLike, body_a: ArrayLike, body_b: ArrayLike, inverse_mass: ArrayLike, inverse_inertia: ArrayLike,
        free_velocity: ArrayLike, gap_rate: ArrayLike, friction: ArrayLike, **more: Any,
    ) -> ContactProblem:  # fmt: skip
        """From rows G (m, 2, 6): normal and tangent, columns body a (x, y, spin) then body b.

        The levers follow from the spin columns: lever = (lever x t) n - (lever x n) t.
        """
        rows = as_floats(G, (len(np.atleast_1d(np.asarray(body_a))), 2, 6), "G")
        normal, tangent = rows[:, 0, 3:5], rows[:, 1, 3:5]
        if len(rows) and (
            np.abs(tangent - _turned(normal)).max() > 1e-9 or np.abs(rows[:, :, :2] + rows[:, :, 3:5]).max() > 1e-9
        ):
            raise SolverError(
                "contact problem: rows G are not (normal, tangent) rows of two bodies. Expected the tangent to be the "
                "normal turned by +90 degrees and the columns of body a opposite to those of body b."
            )
        lever_b = rows[:, 1, 5:] * normal - rows[:, 0, 5:] * tangent
        lever_a = -rows[:, 1, 2:3] * normal + rows[:, 0, 2:3] * tangent
        columns: dict[str, Any] = {"restitution": 0.0, **more}
        return cls(
            body_a=np.asarray(body_a), body_b=np.asarray(body_b), inverse_mass=np.asarray(inverse_mass),
            inverse_inertia=np.asarray(inverse_inertia), normal=normal, lever_a=lever_a, lever_b=lever_b,
            gap_rate=np.asarray(gap_rate), friction=np.asarray(friction), free_velocity=np.asarray(free_velocity),
            **columns,
        )  # fmt: skip

    def replace(self, **changes: Any) -> ContactProblem:
        """The same problem with some columns changed."""
        return ContactProblem(**{**{f.name: getattr(self, f.name) for f in fields(self)}, **changes})


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """Mass-scaled form: y = M^1/2 (W+ - W_free) = sum G' r and u = c + G y, so that nothing large is subtracted."""

    G: Floats  # (m, 2, 6)
    W: Floats  # (m, 3): nn, nt, tt of the contact's own Delassus block
    a: NDArray[np.int64]  # (m,) body row; `bodies`, a spare row, for one that cannot move
    b: NDArray[np.int64]
    c: Floats  # (m, 2): free speed plus bias
    bias: Floats  # (m, 2)
    friction: Floats
    lower: Floats
    bodies: int


def _turned(vectors: Floats) -> Floats:
    return np.stack((-vectors[:, 1], vectors[:, 0]), axis=1)


def take_columns(problem: Any, m: int, n: int, shapes: dict[str, tuple[int, ...]]) -> None:
    """Make arrays of what a frozen problem of m contacts of n bodies was given; a number, or nothing (0), fills its column."""
    for name in ("body_a", "body_b"):
        object.__setattr__(problem, name, as_bodies(getattr(problem, name), m, n, name))
    for name, shape in shapes.items():
        given = getattr(problem, name)
        value = np.full(shape, given or 0.0) if given is None or isinstance(given, (int, float)) else given
        object.__setattr__(problem, name, as_floats(value, shape, name))


def as_floats(value: ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    try:
        array = np.ascontiguousarray(value, np.float64)
    except (TypeError, ValueError):
        raise SolverError(f"contact problem: {name} is not an array of numbers.") from None
    if array.shape != shape:
        raise SolverError(f"contact problem: {name} has shape {array.shape}, expected {shape}.")
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        raise SolverError(f"contact problem: {name} is not finite at {tuple(int(i) for i in where)}.")
    return array


def as_bodies(value: ArrayLike, m: int, n: int, name: str) -> NDArray[np.int32]:
    array = np.asarray(value)
    if array.shape != (m,) or (m and array.dtype.kind not in "iu"):
        raise SolverError(
            f"contact problem: {name} has shape {array.shape} of {array.dtype}, expected ({m},) whole numbers."
        )
    if m and (array.min() < 0 or array.max() >= n):
        raise SolverError(f"contact problem: {name} names body {int(array.max())}, expected 0 to {n - 1}.")
    return np.ascontiguousarray(array, np.int32)
