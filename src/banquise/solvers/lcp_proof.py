"""Proofs that a complementarity problem has no solution: a direction v >= 0 with M'v <= 0 and q.v < 0 (Farkas).

No z >= 0 can then have M z + q >= 0, since v.(M z + q) = (M'v).z + q.v < 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LINEAR_PROGRAMME_UP_TO = 2000
_SINGULAR_UP_TO = 4096  # bases, some 20 us each


def certificate(M: Floats, q: Floats, direction: Floats, scale: Floats) -> Floats | None:
    """`direction` as a proof, or None where it proves nothing. Signs are judged in equilibrated units."""
    v = np.maximum(direction, 0.0) / scale
    size = v.max(initial=0.0)
    if not (np.isfinite(size) and size > 0):
        return None
    v = v / size
    unit = np.abs(q * scale).max(initial=0.0) or 1.0
    steepest = ((v * scale) @ M * scale).max()
    gain = -(v * scale) @ q / unit
    return v * scale if gain > 1e-9 and steepest <= 1e-10 * gain else None


def infeasible_direction(M: Floats, q: Floats, scale: Floats) -> Floats | None:
    """A proof from the linear programme min t, M z + t >= -q, z >= 0, t >= 0; None when the inequalities can be met.

    Where t > 0 at the optimum, its multipliers are the direction.
    """
    n = len(q)
    if n > _LINEAR_PROGRAMME_UP_TO:
        return None
    from scipy.optimize import linprog

    scaled = M * scale[:, None] * scale
    unit = np.abs(q * scale).max(initial=0.0) or 1.0
    outcome = linprog(
        np.append(np.zeros(n), 1.0), A_ub=np.column_stack((-scaled, -np.ones(n))), b_ub=q * scale / unit, method="highs"
    )
    if outcome.status != 0 or outcome.fun < 1e-9:
        return None
    return certificate(M, q, -outcome.ineqlin.marginals * scale, scale)


def in_singular_bases(M: Floats, q: Floats, bases: NDArray[np.int64]) -> tuple[Floats | None, bool]:
    """(a solution z, False), or (None, whether it is certain that these complementary bases hold none).

    bases: as bits, i set where z_i may be above 0 and w_i is 0. q = w - M z with all of these at least 0 is a question of
    non-negative least squares. More than a few thousand bases are not asked: nothing is certain then.
    """
    from scipy.optimize import nnls

    n, certain = len(q), len(bases) <= _SINGULAR_UP_TO
    for basis in bases[:_SINGULAR_UP_TO]:
        active = (int(basis) >> np.arange(n)) & 1 == 1
        try:
            x, rest = nnls(np.where(active, -M, np.eye(n)), q)
        except RuntimeError:  # too many iterations
            certain = False
            continue
        if rest <= 1e-12:
            return np.where(active, x, 0.0), False
        certain = certain and rest > 1e-9
    return None, certain
