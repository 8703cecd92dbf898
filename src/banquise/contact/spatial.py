"""The contact problem of blocks in space: six freedoms a body, a disc of friction at each contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import as_bodies, as_floats
from banquise.errors import SolverError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpatialProblem:
    """Impulses r (m, 3) along normal and two tangents, at m contacts of n blocks.

    As `ContactProblem`, with |r_t| <= friction * r_n a disc, and r_t opposed to the sliding velocity.

    Parameters
    ----------
    body_a, body_b : (m,) int
    inverse_mass : (n,) float, 1/kg; 0 for a body that cannot move
    inverse_inertia : (n, 3, 3) float, 1/(kg m2), world frame
    normal : (m, 3) unit vectors from a to b
    lever_a, lever_b : (m, 3) float, m, world frame
    gap_rate, friction : (m,) float
    free_velocity : (n, 6) float: velocity, m/s, then spin, rad/s, world frame
    lower_normal : (m,) float, N s
    reference : float, m/s; None: the largest contact speed of each island
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
    free_velocity: Floats
    lower_normal: Floats | None = None
    reference: float | None = None

    def __post_init__(self) -> None:
        m, n = len(np.atleast_1d(self.body_a)), len(np.atleast_1d(self.inverse_mass))
        shapes: dict[str, tuple[int, ...]] = {
            "inverse_mass": (n,),
            "inverse_inertia": (n, 3, 3),
            **dict.fromkeys(("normal", "lever_a", "lever_b"), (m, 3)),
            **dict.fromkeys(("gap_rate", "friction", "lower_normal"), (m,)),
            "free_velocity": (n, 6),
        }
        for name in ("body_a", "body_b"):
            object.__setattr__(self, name, as_bodies(getattr(self, name), m, n, name))
        for name, shape in shapes.items():
            given = getattr(self, name)
            value = np.full(shape, given or 0.0) if given is None or isinstance(given, (int, float)) else given
            object.__setattr__(self, name, as_floats(value, shape, name))
        if self.friction.size and self.friction.min() < 0:
            raise SolverError(f"contact problem: friction is negative ({self.friction.min():g}), expected >= 0.")

    @property
    def contacts(self) -> int:
        return len(self.body_a)

    @property
    def bodies(self) -> int:
        return len(self.inverse_mass)

    def frames(self) -> Floats:
        """(m, 3, 3): normal, then two tangents. The first is built from the axis the normal is least along."""
        n = self.normal
        least = np.abs(n).argmin(axis=1)
        row = np.arange(self.contacts)
        following, last = (least + 1) % 3, (least + 2) % 3
        out = np.zeros((self.contacts, 3, 3))
        size = np.hypot(n[row, following], n[row, last])
        out[:, 0] = n
        # n x axis, written out: np.cross is an order of magnitude slower on short lists
        out[row, 1, following], out[row, 1, last] = n[row, last] / size, -n[row, following] / size
        first, second = out[:, 1], out[:, 2]
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            second[:, i] = n[:, j] * first[:, k] - n[:, k] * first[:, j]
        return out
