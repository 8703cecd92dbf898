"""`gap(a, b)`: signed distance, normal, points and contact polygon of two blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banquise.detection.spatial.concave import concave_gap
from banquise.detection.spatial.distance import Distances, distances
from banquise.detection.spatial.polygon import SLACK, contacts
from banquise.detection.spatial.table import Blocks, Shapes
from banquise.errors import ShapeError
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.solids import ConvexPart


@dataclass(frozen=True)
class Gap:
    """How two blocks stand to each other, in the world frame."""

    distance: float  # m; negative: the shortest shift that parts them
    normal: Floats  # (3,) unit, from a to b
    points: Floats  # (2, 3) on a, on b: points[1] - points[0] = distance * normal
    polygon: Floats  # (k, 3) m, the contact on the common plane: 1 point, 2 for a line, 3 or more for a face
    area: float  # m2 of the polygon
    gaps: Floats  # (k,) m, distance of the two bodies along the normal at each corner of the polygon

    @property
    def depth(self) -> float:
        """Length of the shortest shift that parts them, 0 when apart."""
        return max(0.0, -self.distance)

    @property
    def point_a(self) -> Floats:
        """The point on a."""
        return self.points[0]

    @property
    def point_b(self) -> Floats:
        """The point on b."""
        return self.points[1]

    def __repr__(self) -> str:
        normal = np.array2string(self.normal, precision=6)
        return f"<Gap {self.distance:.9g} m, normal {normal}, {len(self.polygon)} points, {self.area:.6g} m2>"


def gap(a: Polyhedron, b: Polyhedron, last: ArrayLike | None = None, slack: float = SLACK) -> Gap:
    """Signed distance, normal, closest points and contact polygon of two blocks, convex or not.

    Parameters
    ----------
    last : normal of the last step, kept where the best one is not unique (a corner that touches a corner)
    slack : of the smaller body; corners this close to the extreme along the normal belong to the contact

    Examples
    --------
    >>> cube = Polyhedron.box((1, 1, 1))
    >>> found = gap(cube, cube.moved(position=(0.4, 0.3, 0.99)))
    >>> round(found.distance, 12), round(found.area, 12)
    (-0.01, 0.42)
    """
    for block in (a, b):
        if not isinstance(block, Polyhedron):
            raise ShapeError(
                f"gap: {type(block).__name__} given, expected two of Polyhedron, or two of Floe, Disc or Obstacle."
            )
    memory = np.zeros((1, 3)) if last is None else np.asarray(last, dtype=np.float64).reshape(1, 3)
    pair = np.array([[0, 1]])
    if a.convex and b.convex:
        blocks = Blocks.of([a, b])
        near = distances(blocks, pair, last=memory)
    else:
        distance, normal, p, q, cells = concave_gap(a, b)
        blocks = _as_blocks(cells)
        near = Distances(np.array([distance]), normal[None], p[None], q[None], np.zeros(1, np.int64))
    contact = contacts(blocks, pair, near, points=None, slack=slack)
    count = int(contact.count[0])
    return Gap(
        float(near.distance[0]), near.normal[0], np.stack([near.on_a[0], near.on_b[0]]), contact.point[0, :count],
        float(contact.area[0]), contact.gap[0, :count],
    )  # fmt: skip


def _as_blocks(cells: tuple[ConvexPart, ConvexPart]) -> Blocks:
    """Two convex cells that already stand in the world."""
    return Blocks(Shapes.of(cells), np.arange(2), np.zeros((2, 3)), np.tile(np.eye(3), (2, 1, 1)), np.arange(2))
