"""Skins of blocks as triangles to look at: sharp blocks as they are, rounded ones cut into small triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.scene.meshes import Floats as Array
from banquise.scene.meshes import half_edges, hull
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.solids import ConvexPart

SHARP = 0.94  # cosine: an edge is drawn where the faces beside it turn by more than 20 degrees
BALL = 3  # how often the triangles of an icosahedron are cut in four for a ball


def skin_of(block: Polyhedron) -> tuple[Array, NDArray[np.int64], NDArray[np.uint8]]:
    """Points, triangles and, for each triangle, which of its edges are sharp (bits 0 to 2: after corner 0, 1, 2)."""
    rounded = [part for part in block.parts if part.radius > 0.0]
    if not rounded:
        return block.vertices, block.faces, _sharp(block.vertices, block.faces)
    points, triangles, first = [], [], 0
    for part in block.parts:
        corners, faces = _rounded(part)
        points.append(corners)
        triangles.append(faces + first)
        first += len(corners)
    faces = np.concatenate(triangles)
    return np.concatenate(points), faces, np.zeros(len(faces), dtype=np.uint8)


def _rounded(part: ConvexPart) -> tuple[Array, NDArray[np.int64]]:
    """A part with its radius as triangles: the hull of small balls at its corners."""
    ball = _ball(BALL if len(part.corners) <= 2 else 1)
    return hull((part.corners[:, None] + part.radius * ball).reshape(-1, 3))


def _ball(cuts: int) -> Array:
    """Points of an icosahedron whose triangles are cut in four so often, on the unit ball."""
    golden = (1 + np.sqrt(5)) / 2
    points = np.array([[0, i, j * golden] for i in (-1, 1) for j in (-1, 1)])
    points = np.concatenate([np.roll(points, k, axis=1) for k in range(3)])
    for _ in range(cuts):
        apart = np.linalg.norm(points[:, None] - points[None], axis=2)
        edge = apart[apart > 0].min()
        i, j = np.nonzero(np.triu((apart > 0) & (apart < 1.4 * edge)))
        points = np.concatenate([points, 0.5 * (points[i] + points[j])])
        points /= np.linalg.norm(points, axis=1)[:, None]
    return points / np.linalg.norm(points, axis=1)[:, None]


def _sharp(points: Array, faces: NDArray[np.int64]) -> NDArray[np.uint8]:
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    twin = half_edges(faces, len(points)).twin
    bends = np.sum(normals[np.arange(len(twin)) // 3] * normals[twin // 3], axis=1) < SHARP
    return (bends.reshape(-1, 3) * np.array([1, 2, 4])).sum(axis=1).astype(np.uint8)
