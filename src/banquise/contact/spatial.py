"""The contact problem of blocks in space: six freedoms a body, a disc of friction at each contact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_spatial
from banquise.contact.problem import take_columns
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
    inverse_root : (n, 3, 3) float, factors L with L L' = inverse_inertia, where they are known already
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
    inverse_root: Floats | None = None

    def __post_init__(self) -> None:
        m, n = len(np.atleast_1d(self.body_a)), len(np.atleast_1d(self.inverse_mass))
        shapes: dict[str, tuple[int, ...]] = {
            "inverse_mass": (n,),
            "inverse_inertia": (n, 3, 3),
            **dict.fromkeys(("normal", "lever_a", "lever_b"), (m, 3)),
            **dict.fromkeys(("gap_rate", "friction", "lower_normal"), (m,)),
            "free_velocity": (n, 6),
        }
        take_columns(self, m, n, shapes)
        if self.friction.size and self.friction.min() < 0:
            raise SolverError(f"contact problem: friction is negative ({self.friction.min():g}), expected >= 0.")

    @property
    def contacts(self) -> int:
        return len(self.body_a)

    @property
    def bodies(self) -> int:
        return len(self.inverse_mass)

    @cached_property
    def frames(self) -> Floats:
        """(m, 3, 3): normal, then two tangents. The first is built from the axis the normal is least along."""
        out = np.empty((self.contacts, 3, 3))
        _kernels_spatial.spatial_frames(self.normal, out)
        return out

    @cached_property
    def roots(self) -> Floats:
        """(n, 3, 3) factors L with L L' = inverse inertia; zero where a body cannot turn."""
        if self.inverse_root is not None:
            return self.inverse_root
        values, vectors = np.linalg.eigh(self.inverse_inertia)
        if values.size and values.min() < -1e-9 * max(values.max(), 1e-300):
            raise SolverError(
                "contact problem: an inverse inertia has a negative eigenvalue, expected a positive matrix."
            )
        return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
