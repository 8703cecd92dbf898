"""Contact polygons and contact points of many convex pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banquise.detection.spatial import _kernels_polygon as kernels
from banquise.detection.spatial.distance import Distances
from banquise.detection.spatial.table import Blocks
from banquise.scene.meshes import Floats, Ints
from banquise.threads import over_blocks

SLACK = 0.01  # of the smaller body: corners this close to the extreme one belong to the contact


@dataclass(frozen=True)
class Contacts:
    """One row a pair; rows of `point` and `gap` beyond `count` are not set."""

    point: Floats  # (n, room, 3) m, on the common plane, in order around the polygon
    gap: Floats  # (n, room) m, between the two bodies along the normal at each point
    count: Ints  # (n,)
    area: Floats  # (n,) m2 of the whole polygon
    middle: Floats  # (n, 3) m, its centre


def contacts(
    blocks: Blocks, pairs: Ints, near: Distances, points: int | None = 4, slack: ArrayLike = SLACK
) -> Contacts:
    """Contact points of pairs whose distances are known, by the five steps of the common plane.

    Corners within `slack` (of the smaller body; a number, or one a pair) of the extreme along the normal are projected
    on the common plane, their hulls intersected,
    and the corners of the intersection are the contact points: 1 for a corner, 2 for an edge, 3 or more for a face.
    At most `points` are kept (None: all), the deepest first, then those farthest apart.
    """
    n = len(pairs)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(n, 2)
    shapes = blocks.shapes
    room = 2 * shapes.widest + 1 if points is None else points
    within = np.array(np.broadcast_to(np.asarray(slack, dtype=np.float64), (n,)))
    out = Contacts(
        np.full((n, room, 3), np.nan), np.full((n, room), np.nan), np.zeros(n, np.int64), np.empty(n), np.empty((n, 3))
    )

    def work(first: int, last: int) -> None:
        kernels.contacts(
            first, last, pairs, blocks.shape_of, blocks.position, blocks.rotation, shapes.corners, shapes.bounds,
            shapes.widest, *shapes.planes, shapes.radius, shapes.size, near.normal, near.on_a, near.on_b, within,
            out.point, out.gap, out.count, out.area, out.middle,
        )  # fmt: skip

    over_blocks(work, n, grain=500)
    return out
