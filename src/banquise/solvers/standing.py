"""A start from nothing for blocks that stand on each other: the load goes down body by body.

From the highest body down, each is held by its contacts with the bodies below it as if those did not move, and its load goes
on to them. Where every body stands on those below it (towers, walls, slopes) this is the answer itself, whatever the
height. Passes over all contacts carry a load down by one body a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.contact.spatial import SpatialProblem
from banquise.solvers import _kernels_cone, _kernels_sweeps

if TYPE_CHECKING:
    from banquise.solvers.spatial import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PASSES = 200  # over the contacts below one body: four to a dozen


@dataclass(frozen=True, eq=False)
class Order:
    """Who stands on whom: `upper` (m,) the body that rests at each contact (-1: neither), `bodies` (n,) from the highest down."""

    upper: Ints
    bodies: Ints


def standing(problem: SpatialProblem, rows: Rows, order: Order, goal: float) -> Floats:
    """Impulses (m, 3) along the frames with which each body stands on those below; `goal` m/s, how well."""
    m, n = problem.contacts, problem.bodies
    # the lower body of each contact gives way to one that stays where it is; what cannot move keeps its own speed
    free = problem.inverse_mass > 0.0
    a, b = (
        np.where((order.upper != body) & free[body], n, body).astype(np.int32)
        for body in (problem.body_a, problem.body_b)
    )
    G, W, V, c = np.empty_like(rows.G), np.empty_like(rows.W), np.empty_like(rows.V), np.empty_like(rows.c)
    one, other = np.empty(m, np.int64), np.empty(m, np.int64)
    _kernels_cone.spatial_rows(
        a, b, np.append(problem.inverse_mass, 0.0), np.concatenate([problem.roots, np.zeros((1, 3, 3))]), problem.frames,
        problem.lever_a, problem.lever_b, np.concatenate([problem.free_velocity, np.zeros((1, 6))]), G, W, c, one, other,
    )  # fmt: skip
    _kernels_sweeps.invert_blocks(W, V)
    c[:, 0] += problem.gap_rate
    members = np.argsort(order.upper, kind="stable")
    start = np.searchsorted(order.upper[members], np.arange(n + 1))
    r, y = np.zeros((m, 3)), np.zeros((n + 2, 6))
    _kernels_sweeps.stand(
        order.bodies, start, members, PASSES, goal, G, W, V, one, other, c, rows.mu, rows.low, r, y, rows.G, rows.a, rows.b,
    )  # fmt: skip
    return r
