"""Cundall's common plane: the normal that maximises the gap between the shadows of two convex blocks.

The largest gap over all normals is the signed distance. Two searches for it: by turning the plane a little this way
and that (Cundall 1988), and by trying only planes that features at the closest corners can make (the fast variant of
Nezami and others 2004). Both climb, so for overlapping blocks, where the gap has several summits, both can end below
the highest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banquise.errors import ShapeError
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron


@dataclass(frozen=True)
class Plane:
    """A common plane: `distance` is the gap along its normal, never more than the true signed distance."""

    distance: float  # m
    normal: Floats  # (3,) unit, from a to b
    point: Floats  # (3,) m, halfway between the two shadows
    trials: int  # normals tried


class _Pair:
    """Corners, faces and edges of two convex blocks in the world, about the middle of their centres."""

    def __init__(self, a: Polyhedron, b: Polyhedron) -> None:
        if not (a.convex and b.convex):
            raise ShapeError("common plane: both blocks must be convex; cut them with block.in_parts().")
        self.middle = 0.5 * (a.centre + b.centre)
        self.across = b.centre - a.centre
        self.trials = 0
        self.rounding = a.radius + b.radius
        self.corners, self.normals, self.offsets, self.edges = [], [], [], []
        for block in (a, b):
            part = block.parts[0]
            self.corners.append(block.position - self.middle + part.corners @ block.rotation.T)
            self.normals.append(part.faces[0] @ block.rotation.T)
            self.offsets.append((self.corners[-1] @ self.normals[-1].T).max(axis=0))
            self.edges.append(part.sharp_edges[0])
        self.size = float(max(np.ptp(c, axis=0).max() for c in self.corners))

    def gaps(self, normals: Floats) -> Floats:
        """Gap of the shadows along each of some unit normals (k, 3)."""
        self.trials += len(normals)
        return (self.corners[1] @ normals.T).min(axis=0) - (self.corners[0] @ normals.T).max(axis=0)

    def start(self, last: ArrayLike | None) -> Floats:
        guess = self.across if last is None else np.asarray(last, dtype=np.float64)
        size = float(np.linalg.norm(guess))
        return guess / size if size > 0.0 else np.array([0.0, 0.0, 1.0])

    def plane(self, normal: Floats) -> Plane:
        top, bottom = (self.corners[0] @ normal).max(), (self.corners[1] @ normal).min()
        # Halfway between the shadows, beside the middle of the closest corners.
        near = [
            c[np.abs(c @ normal - level) <= 1e-9 * self.size].mean(axis=0)
            for c, level in zip(self.corners, (top, bottom))
        ]
        point = 0.5 * (near[0] + near[1])
        point = point + (0.5 * (top + bottom) - point @ normal) * normal
        return Plane(float(bottom - top) - self.rounding, normal, self.middle + point, self.trials)


def common_plane(a: Polyhedron, b: Polyhedron, last: ArrayLike | None = None, tolerance: float = 1e-9) -> Plane:
    """The common plane by perturbation: turn the normal about eight tangents, halve the angle when none is better.

    `last` is the normal of the last step; `tolerance` (rad) the angle at which to stop. On a ridge between faces no
    tangent may climb although a better normal exists: the gap can fall short of the distance by a part of it.
    """
    pair = _Pair(a, b)
    normal = pair.start(last)
    best, angle = float(pair.gaps(normal[None])[0]), np.radians(5.0)
    around = np.arange(8) * np.pi / 4.0
    while angle > tolerance:
        first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        first /= np.linalg.norm(first)
        second = np.cross(normal, first)
        tilted = np.outer(np.cos(around), first) + np.outer(np.sin(around), second)
        tilted = np.cos(angle) * normal + np.sin(angle) * tilted
        tilted /= np.linalg.norm(tilted, axis=1)[:, None]
        gaps = pair.gaps(tilted)
        k = int(np.argmax(gaps))
        if gaps[k] > best:
            best, normal = float(gaps[k]), tilted[k]
        else:
            angle *= 0.5
    return pair.plane(normal)


def fast_common_plane(a: Polyhedron, b: Polyhedron, last: ArrayLike | None = None) -> Plane:
    """The common plane by candidates: those the corners nearest to the present plane can make with each other.

    Across the line of two corners, of a corner and an edge; along a face of either; along an edge of each. The best
    is taken until none is better.
    """
    pair = _Pair(a, b)
    normal = pair.start(last)
    best = float(pair.gaps(normal[None])[0])
    for _ in range(200):
        candidates = _candidates(pair, normal)
        gaps = pair.gaps(candidates)
        k = int(np.argmax(gaps))
        if gaps[k] <= best + 1e-15 * pair.size:
            break
        best, normal = float(gaps[k]), candidates[k]
    return pair.plane(normal)


def _candidates(pair: _Pair, normal: Floats) -> Floats:
    """Unit normals that features at the corners closest to the plane can make."""
    slack = 1e-9 * pair.size
    heights = [pair.corners[0] @ normal, -(pair.corners[1] @ normal)]
    near = [np.flatnonzero(h >= h.max() - slack) for h in heights]
    rows = [normal[None]]
    segments = []
    for own, sign in ((0, 1.0), (1, -1.0)):
        points = pair.corners[own][near[own]]
        touching = (np.abs(points @ pair.normals[own].T - pair.offsets[own]) <= slack).any(axis=0)
        rows.append(sign * pair.normals[own][touching])
        ends = pair.edges[own]
        segments.append(pair.corners[own][ends[np.isin(ends, near[own]).any(axis=1)]])
    a, b = segments
    crossed = np.cross((a[:, 1] - a[:, 0])[:, None], (b[:, 1] - b[:, 0])[None]).reshape(-1, 3)
    rows += [crossed, -crossed]
    p, q = pair.corners[0][near[0]], pair.corners[1][near[1]]
    rows.append((q[None] - p[:, None]).reshape(-1, 3))
    rows.append(_to_segments(p, b))
    rows.append(-_to_segments(q, a))
    all_rows = np.vstack(rows)
    length = np.linalg.norm(all_rows, axis=1)
    kept = length > 1e-12 * pair.size
    return all_rows[kept] / length[kept, None]


def _to_segments(points: Floats, segments: Floats) -> Floats:
    """Vectors from each point to the closest point of each segment."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    t = np.einsum("pkj,kj->pk", points[:, None] - start[None], along) / np.einsum("kj,kj->k", along, along)
    foot = start[None] + np.clip(t, 0.0, 1.0)[..., None] * along[None]
    return (foot - points[:, None]).reshape(-1, 3)
