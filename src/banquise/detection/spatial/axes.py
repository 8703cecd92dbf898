"""Approximate phase: separating axes ("shadow overlap"), with the last one kept as witness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from banquise.detection.spatial import _kernels_axes as kernels
from banquise.detection.spatial.table import Blocks
from banquise.scene.meshes import Floats, Ints
from banquise.threads import over_blocks


@dataclass(frozen=True)
class Separation:
    """One row a pair: `gap` > reach means parted by that much at least; otherwise the widest gap over all axes.

    A negative gap is exactly the signed distance of parts that were not boxed; a positive one is a lower bound for it.
    """

    gap: Floats  # (n,) m
    axis: Floats  # (n, 3) unit, from a to b: hand it in again at the next step
    from_witness: np.ndarray  # (n,) whether last step's axis was enough


def separate(
    blocks: Blocks, pairs: Ints, reach: float = 0.0, witness: Floats | None = None, exact: bool = False
) -> Separation:
    """Try to part each pair of convex parts by more than `reach` (m) with a plane; `witness` are the axes of last step.

    Parts of many corners are tried as oriented boxes, for their edges are many and the tries grow as their square;
    `exact` tries every axis of the bodies themselves.
    """
    n = len(pairs)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(n, 2)
    axis = np.zeros((n, 3)) if witness is None else np.array(witness, dtype=np.float64, order="C").reshape(n, 3)
    gap, tried = np.empty(n), np.empty(n, dtype=np.int64)
    shapes = blocks.shapes if exact else blocks.shapes.boxed

    def work(first: int, last: int) -> None:
        kernels.separate(
            first, last, pairs, blocks.shape_of, blocks.position, blocks.rotation, shapes.corners, shapes.bounds,
            *shapes.planes, *shapes.edges, shapes.radius, float(reach), axis, gap, tried,
        )  # fmt: skip

    over_blocks(work, n, grain=300)
    return Separation(gap, axis, tried == 1)
