"""Bodies the tests of blocks share."""

from __future__ import annotations

import numpy as np

import banquise as bq
from banquise.detection.spatial import Blocks, Shapes
from banquise.scene.polyhedron import rotation_matrix
from banquise.scene.solids import ConvexPart, convex_part

L_VERTICES = np.array(
    [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))], dtype=float
)
L_FACES = [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11], *([i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i] for i in range(6))]
L_PARTS = [
    [[x, y, z] for x in (0, 2) for y in (0, 1) for z in (0, 1)],
    [[x, y, z] for x in (0, 1) for y in (1, 2) for z in (0, 1)],
]


def l_solid() -> bq.Polyhedron:
    """The L of three unit cubes as one skin."""
    return bq.Polyhedron(L_VERTICES, L_FACES, density=1.0)


def l_of_parts() -> bq.Polyhedron:
    """The same L as two boxes."""
    return bq.Polyhedron(None, parts=L_PARTS, density=1.0)


def box_part(sides) -> ConvexPart:
    signs = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    return convex_part(signs * np.asarray(sides, dtype=float))


def pebble_part(rng, corners: int) -> ConvexPart:
    """A hull of points on an ellipsoid."""
    points = rng.normal(size=(corners, 3))
    return convex_part(points / np.linalg.norm(points, axis=1)[:, None] * rng.uniform(0.4, 0.6, 3))


def unit(quaternions) -> np.ndarray:
    quaternions = np.asarray(quaternions, dtype=float)
    return quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)


def placed(parts, shape_of, position, orientation) -> tuple[Blocks, np.ndarray]:
    """Bodies two by two: pair k is (2k, 2k + 1)."""
    blocks = Blocks(
        Shapes.of(parts), np.asarray(shape_of), np.ascontiguousarray(position, dtype=float),
        rotation_matrix(unit(orientation)), np.arange(len(shape_of)),
    )  # fmt: skip
    return blocks, np.arange(len(shape_of)).reshape(-1, 2)


def random_pairs(rng, parts, count: int, near: float, far: float) -> tuple[Blocks, np.ndarray]:
    """Random shapes and turns, centres between `near` and `far` apart."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    position = rng.normal(size=(2 * count, 3))
    position[1::2] = position[::2] + direction * rng.uniform(near, far, count)[:, None]
    return placed(parts, rng.integers(0, len(parts), 2 * count), position, rng.normal(size=(2 * count, 4)))
