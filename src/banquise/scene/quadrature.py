"""75 points a floe whose weights give its exact area, first and second moments, whatever its ring; and 40 of them for flows
that are the same everywhere.

How a rigid floe goes through a uniform flow are three numbers, velocity and spin, and the drag on a point is a smooth function
of its place but for one place, about which the floe turns. 40 of the 75 points, with other weights, give the same sums
(`_kernels_condense`). A flow that varies within a floe wants all 75: spread out evenly they see more of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.scene._kernels import quadrature
from banquise.scene._kernels_condense import FUNCTIONS, condense
from banquise.threads import over_blocks

Array = NDArray[np.float64]

PIECES = 25  # of three points each
FEW = FUNCTIONS  # points, where the flow is the same everywhere
AT_ONCE = 1000  # floes: what is worked out on the way would be several times the points of all


def quadrature_points(
    vertices: Array, ring_start: NDArray[np.int32], body_ring: NDArray[np.int32], moments: Array
) -> tuple[Array, Array, Array]:
    """Points and weights (n, 75) of n bodies in their own frames.

    `moments` (n, 6) are the exact area moments about each body's centre of mass; where the polygon given is a
    chord drawing of a round border, the points are stretched and shifted to carry them.
    """
    n = len(body_ring) - 1
    qx, qy, qw = (np.empty((n, 3 * PIECES)) for _ in range(3))
    over_blocks(lambda i, j: quadrature(vertices, ring_start, body_ring, PIECES, i, j, qx, qy, qw), n, grain=200)
    _match(qx, qy, qw, moments)
    return qx, qy, qw


def fewer_points(qx: Array, qy: Array, qw: Array, moments: Array) -> tuple[Array, Array, Array]:
    """Points and weights (n, FEW) that give the drag of a uniform flow as those of `quadrature_points` do."""
    n = len(qx)
    x, y, w = (np.empty((n, FEW)) for _ in range(3))
    over_blocks(lambda i, j: condense(i, j, qx, qy, qw, x, y, w), n, grain=100)
    _match(x, y, w, moments)
    return x, y, w


def _match(qx: Array, qy: Array, qw: Array, moments: Array) -> None:
    """Scale the weights and map the points affinely so that all six moments are exact (a no-op to round-off)."""
    for i in range(0, len(qx), AT_ONCE):
        rows = slice(i, i + AT_ONCE)
        _match_some(qx[rows], qy[rows], qw[rows], moments[rows])


def _match_some(qx: Array, qy: Array, qw: Array, moments: Array) -> None:
    qw *= (moments[:, 0] / qw.sum(axis=1))[:, None]
    area = moments[:, 0]
    mx, my = (qw * qx).sum(1) / area, (qw * qy).sum(1) / area
    dx, dy = qx - mx[:, None], qy - my[:, None]
    l00, l10, l11 = _cholesky((qw * dx * dx).sum(1) / area, (qw * dx * dy).sum(1) / area, (qw * dy * dy).sum(1) / area)
    tx, ty = moments[:, 1] / area, moments[:, 2] / area
    t00, t10, t11 = _cholesky(
        moments[:, 3] / area - tx * tx, moments[:, 4] / area - tx * ty, moments[:, 5] / area - ty * ty
    )
    # p -> t + T L^-1 (p - m)
    a00 = t00 / l00
    a11 = t11 / l11
    a10 = (t10 - a11 * l10) / l00
    qx[:] = tx[:, None] + a00[:, None] * dx
    qy[:] = ty[:, None] + a10[:, None] * dx + a11[:, None] * dy


def _cholesky(cxx: Array, cxy: Array, cyy: Array) -> tuple[Array, Array, Array]:
    l00 = np.sqrt(cxx)
    l10 = cxy / l00
    return l00, l10, np.sqrt(np.maximum(cyy - l10 * l10, 1e-300))
