"""Skins against skins: crossings of faces, distance through trees of boxes, points inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from banquise.detection.spatial import _kernels_triangles as kernels
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.tree import ROUNDING, Tree, triangle_boxes


def world_triangles(block: Polyhedron) -> Floats:
    """(m, 3, 3) corners of the faces of a block in the world."""
    return np.ascontiguousarray(block.world_vertices[block.faces])


@dataclass(frozen=True)
class FaceCrossing:
    """Contact of two skins by the crossings of their faces; `crosses` False when none do."""

    crosses: bool
    normal: Floats  # (3,) from a to b: of the surface the outline spans
    depth: float  # m, extent of the common volume along the normal
    area: float  # m2 spanned by the outline
    point: Floats  # (3,) centre of the outline
    segments: Floats  # (k, 2, 3) the outline


def face_crossing(a: Polyhedron, b: Polyhedron) -> FaceCrossing:
    """Contact of two blocks by triangle intersection, for any closed skins.

    The faces cross along closed lines. Their area vector gives the normal; the common volume is bounded by the corners
    of each body inside the other and by the outline. Bodies that do not cross give nothing: no distance, and nothing
    for one body wholly inside the other.
    """
    first, second = world_triangles(a), world_triangles(b)
    origin = first.mean(axis=(0, 1))
    first, second = first - origin, second - origin
    pairs = Tree.of(triangle_boxes(second)).overlapping(triangle_boxes(first))
    segments = np.empty((len(pairs), 2, 3))
    size = float(max(np.ptp(first, axis=(0, 1)).max(), np.ptp(second, axis=(0, 1)).max()))
    count = kernels.crossings(first, second, pairs, ROUNDING * size**3, segments, np.empty(len(pairs), np.int64))
    segments = segments[:count]
    nothing = np.full(3, np.nan)
    if count == 0:
        return FaceCrossing(False, nothing, 0.0, 0.0, nothing, segments)
    # Each segment runs along n_a x n_b, so the outline turns around the part of a's skin that is inside b; its area
    # vector points the way a's skin faces there.
    middle = segments.mean(axis=(0, 1))
    vector = 0.5 * np.cross(segments[:, 0] - middle, segments[:, 1] - middle).sum(axis=0)
    area = float(np.linalg.norm(vector))
    if area <= 1e-12 * size**2:
        return FaceCrossing(False, nothing, 0.0, area, middle + origin, segments + origin)
    normal = vector / area
    common = [segments.reshape(-1, 3)]
    for own, other in ((first, second), (second, first)):
        corners = np.unique(own.reshape(-1, 3), axis=0)
        common.append(corners[[kernels.winding(other, *corner) > 0.5 for corner in corners]])
    along = np.vstack(common) @ normal
    return FaceCrossing(True, normal, float(np.ptp(along)), area, middle + origin, segments + origin)


@dataclass(frozen=True)
class Skin:
    """The faces of a block in the world, under a tree of boxes."""

    corners: Floats  # (m, 3, 3)
    tree: Tree

    @classmethod
    def of(cls, block: Polyhedron) -> Skin:
        """The skin where the block is."""
        return cls.around(world_triangles(block))

    @classmethod
    def around(cls, corners: Floats) -> Skin:
        """The skin of triangles (m, 3, 3)."""
        return cls(corners, Tree.of(triangle_boxes(corners)))

    def contains(self, point: Floats) -> bool:
        """Whether a point is inside."""
        return bool(kernels.winding(self.corners, float(point[0]), float(point[1]), float(point[2])) > 0.5)


def skins_meet(a: Skin, b: Skin) -> bool:
    """Whether two closed skins cross, or one holds the other."""
    pairs = b.tree.overlapping(a.tree.boxes)
    size = float(max(np.ptp(a.corners, axis=(0, 1)).max(), np.ptp(b.corners, axis=(0, 1)).max()))
    buffer, which = np.empty((len(pairs), 2, 3)), np.empty(len(pairs), np.int64)
    if kernels.crossings(a.corners, b.corners, pairs, ROUNDING * size**3, buffer, which):
        return True
    return a.contains(b.corners[0, 0]) or b.contains(a.corners[0, 0])


def skin_distance(a: Skin, b: Skin) -> tuple[float, Floats, Floats]:
    """Distance of two skins that do not cross, and their closest points."""
    p, q = np.empty(3), np.empty(3)
    far2 = kernels.skins_apart(a.corners, a.tree.order, a.tree.nodes, b.corners, b.tree.order, b.tree.nodes, p, q)
    return float(np.sqrt(far2)), p, q
