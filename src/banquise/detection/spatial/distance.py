"""Signed distance of many convex pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from banquise.detection.spatial import _kernels_distance as kernels
from banquise.detection.spatial.table import Blocks
from banquise.scene.meshes import Floats, Ints
from banquise.threads import over_blocks

TIE = 1e-10  # of the size: a normal this close to the best one counts as equally good


@dataclass(frozen=True)
class Distances:
    """One row a pair. Where `far` the pair is farther than `reach`: distance is a lower bound, there are no points."""

    distance: Floats  # (n,) m; negative: depth of the smallest shift that parts the pair
    normal: Floats  # (n, 3) unit, from a to b
    on_a: Floats  # (n, 3) m; on_b - on_a = distance * normal
    on_b: Floats  # (n, 3) m
    status: Ints  # (n,) 0, or 2 where the pair is beyond reach

    @property
    def far(self) -> np.ndarray:
        """Pairs beyond reach."""
        return self.status == kernels.FAR


def distances(blocks: Blocks, pairs: Ints, reach: float = np.inf, last: Floats | None = None) -> Distances:
    """Signed distance, normal and closest points of `pairs` (n, 2) of convex parts.

    Parameters
    ----------
    reach : m; farther pairs are left as soon as that is certain
    last : (n, 3) normals of the last step, zeros where there is none. A good guess makes the search short, and the
        last normal is kept where it is as good as the best (the normal of a touching corner is not unique).
    """
    n = len(pairs)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(n, 2)
    shapes = blocks.shapes
    normal = np.zeros((n, 3)) if last is None else np.array(last, dtype=np.float64, order="C").reshape(n, 3)
    distance, status = np.empty(n), np.empty(n, dtype=np.int64)
    on_a, on_b = np.empty((n, 3)), np.empty((n, 3))
    tie = TIE * float(shapes.size.max()) if len(shapes.size) else 0.0

    def work(first: int, end: int) -> None:
        kernels.distances(
            first, end, pairs, blocks.shape_of, blocks.position, blocks.rotation, shapes.climbing, shapes.bounds,
            shapes.radius, shapes.size, float(reach), tie, distance, normal, on_a, on_b, status,
        )  # fmt: skip

    over_blocks(work, n)
    return Distances(distance, normal, on_a, on_b, status)
