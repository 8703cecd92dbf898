"""Trees of boxes, over the bodies of a scene or over the faces of a skin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.scene import _kernels_skin
from banquise.scene import _kernels_tree as kernels

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-14  # of the size cubed: a volume below it is rounding


@dataclass(frozen=True)
class Tree:
    """A tree over boxes (n, 6); `order` is the Morton order in which its leaves take them."""

    boxes: Floats
    order: Ints
    nodes: Floats

    @classmethod
    def of(cls, boxes: Floats, order: Ints | None = None) -> Tree:
        """Build the tree; give the `order` of an earlier one to refit it to boxes that have moved."""
        boxes = np.ascontiguousarray(boxes, dtype=np.float64)
        if order is None:
            low = boxes[:, :3].min(axis=0)
            extent = float((boxes[:, 3:] - low).max())
            codes = np.empty(len(boxes), dtype=np.int64)
            kernels.morton_codes(boxes, low, 2.0**20 / extent if extent > 0.0 else 0.0, codes)
            order = np.argsort(codes, kind="stable")
        leaves = 1
        while leaves * kernels.LEAF < len(boxes):
            leaves *= 2
        nodes = np.empty((2 * leaves - 1, 6))
        kernels.fill_nodes(boxes, order, nodes)
        return cls(boxes, order, nodes)

    def overlapping(self, boxes: Floats | None = None) -> Ints:
        """(k, 2) pairs of `boxes` and the tree's that meet; without `boxes`, pairs i < j of the tree's own."""
        asked = self.boxes if boxes is None else np.ascontiguousarray(boxes, dtype=np.float64)
        out = np.empty((4 * len(asked) + 16, 2), dtype=np.int64)
        while True:
            count = kernels.overlapping(0, len(asked), asked, self.boxes, self.order, self.nodes, boxes is None, out)
            if count <= len(out):
                return out[:count]
            out = np.empty((count, 2), dtype=np.int64)


def triangle_boxes(corners: Floats) -> Floats:
    """Boxes (m, 6) of triangles (m, 3, 3)."""
    return np.hstack([corners.min(axis=1), corners.max(axis=1)])


def first_self_crossing(vertices: Floats, triangles: Ints) -> tuple[int, int] | None:
    """Two triangles of a skin that pass through each other, or None."""
    corners = vertices[triangles]
    near = Tree.of(triangle_boxes(corners)).overlapping()
    small = ROUNDING * float(np.ptp(vertices, axis=0).max()) ** 3
    found = _kernels_skin.self_crossing(vertices, triangles, near, small)
    return None if found < 0 else (int(near[found, 0]), int(near[found, 1]))
