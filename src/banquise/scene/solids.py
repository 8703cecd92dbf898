"""Shapes of blocks, kept once and shared by every block of that shape: convex parts, skins, their masses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from banquise.errors import ShapeError
from banquise.scene import masses, meshes
from banquise.scene.meshes import Floats, HalfEdges, Ints


@lru_cache(maxsize=256)
def _joined(triangles: bytes, n: int) -> tuple[Ints, Ints]:
    """Adjacency by the triangles alone: cells of a skin and boxes are many and alike."""
    faces = np.frombuffer(triangles, np.int64).reshape(-1, 3)
    if len(faces):
        pairs = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        pairs = np.unique(np.vstack([pairs, pairs[:, ::-1]]), axis=0)
    else:
        pairs = np.array([[0, 1], [1, 0]])[: 2 * (n - 1)].reshape(-1, 2)
    starts = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=n))])
    return starts, pairs[:, 1].copy()


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """Corners of a convex body in the frame of its block, with a radius around them (0: sharp)."""

    corners: Floats  # (n, 3)
    triangles: Ints  # (m, 3); none for a point or a segment, two-sided for a plate
    radius: float = 0.0

    @cached_property
    def edges(self) -> HalfEdges:
        """Adjacency of the corners."""
        return meshes.half_edges(self.triangles, len(self.corners))

    @cached_property
    def joined(self) -> tuple[Ints, Ints]:
        """Corners joined to each corner by an edge: starts (n + 1,) and numbers."""
        return _joined(self.triangles.astype(np.int64).tobytes(), len(self.corners))

    @cached_property
    def faces(self) -> tuple[Floats, Floats]:
        """Unit normals (k, 3) and offsets (k,) of its planes, triangles of one plane merged."""
        if not len(self.triangles):
            return np.empty((0, 3)), np.empty(0)
        a, b, c = (self.corners[self.triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        areas = np.linalg.norm(normals, axis=1)
        order = np.argsort(-areas, kind="stable")  # the largest triangle of a plane gives its best normal
        normals, a = normals[order] / areas[order, None], a[order]
        kept: list[int] = []
        for k in range(len(normals)):
            # 1e-9 rad: rounding of a good triangle is 1e-15; true faces of one body differ by far more.
            if not kept or np.min(np.linalg.norm(normals[kept] - normals[k], axis=1)) > 1e-9:
                kept.append(k)
        normals = np.ascontiguousarray(normals[kept])
        return normals, np.max(self.corners @ normals.T, axis=0)

    @cached_property
    def sharp_edges(self) -> tuple[Ints, Floats, Floats]:
        """Edges between different planes: corners (e, 2) and the unit normals (e, 3) of the faces left and right."""
        if not len(self.triangles):
            return np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3))
        a, b, c = (self.corners[self.triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        h = np.flatnonzero(np.arange(len(self.edges.twin)) < self.edges.twin)
        left, right = normals[h // 3], normals[self.edges.twin[h] // 3]
        sharp = np.linalg.norm(left - right, axis=1) > 1e-9
        ends = np.column_stack([self.edges.origin[h], self.edges.origin[self.edges.twin[h]]])
        return ends[sharp], left[sharp], right[sharp]

    @cached_property
    def mass(self) -> masses.Mass:
        """Volume, centre and inertia for density 1, the radius included exactly."""
        if len(self.corners) == 1:
            return masses.of_ball(self.radius, self.corners[0])
        if len(self.corners) == 2:
            return masses.of_capsule(self.corners[0], self.corners[1], self.radius)
        if self.radius > 0.0:
            return masses.of_rounded_hull(self.corners, self.triangles, self.edges, self.radius)
        return masses.from_skin(self.corners, self.triangles)


def convex_part(vertices: ArrayLike, radius: float = 0.0) -> ConvexPart:
    """The hull of `vertices` with a radius; with a radius it may be a point, a segment or a plate."""
    points = meshes.as_vertices(vertices)
    if radius <= 0.0:
        corners, triangles = meshes.hull(points)
        return ConvexPart(corners, triangles)
    centred = points - points.mean(axis=0)
    size, axes = np.linalg.svd(centred)[1:] if len(points) > 1 else (np.zeros(3), np.eye(3))
    thin = meshes.FLAT * max(float(size[0]), radius)
    if size[0] <= thin:
        return ConvexPart(points[:1].copy(), np.empty((0, 3), np.int64), radius)
    if len(size) < 2 or size[1] <= thin:
        along = centred @ axes[0]
        return ConvexPart(points[[np.argmin(along), np.argmax(along)]], np.empty((0, 3), np.int64), radius)
    if len(size) < 3 or size[2] <= thin:
        from scipy.spatial import ConvexHull

        ring = ConvexHull(centred @ axes[:2].T).vertices  # counter-clockwise
        n = len(ring)
        # The two sides are cut from different corners, so that no edge is used twice the same way.
        front = [[0, k, k + 1] for k in range(1, n - 1)]
        back = [[1, (k + 1) % n, k] for k in range(2, n)]
        return ConvexPart(points[ring], np.array(front + back, dtype=np.int64), radius)
    corners, triangles = meshes.hull(points)
    return ConvexPart(corners, triangles, radius)


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape: its skin, its convex parts (none: a concave skin), and its mass for density 1."""

    vertices: Floats
    triangles: Ints
    parts: tuple[ConvexPart, ...]
    convex: bool
    mass: masses.Mass
    radius: float = 0.0
    edges: HalfEdges | None = field(default=None, repr=False)

    @cached_property
    def size(self) -> float:
        """Largest distance of a point of the body from the origin of its frame, m."""
        return max(
            [float(np.linalg.norm(self.vertices, axis=1).max()) + self.radius]
            + [float(np.linalg.norm(part.corners, axis=1).max()) + part.radius for part in self.parts]
        )


def solid_from(
    vertices: ArrayLike | None,
    faces: ArrayLike | Iterable[Sequence[int]] | None,
    parts: Iterable[ArrayLike | ConvexPart] | None,
    radius: float,
) -> Solid:
    """The shape of a hull (vertices alone), of a skin (with faces), or of convex parts."""
    if not np.isfinite(radius) or radius < 0.0:
        raise ShapeError(f"radius: {radius!r}, expected a finite number of metres, 0 or more.")
    given = None
    if parts is not None:
        given = tuple(p if isinstance(p, ConvexPart) else convex_part(p, radius) for p in parts)  # type: ignore[arg-type]
        if not given:
            raise ShapeError("parts: none given. Leave `parts` out for a convex body.")
    if faces is None:
        if given is not None:
            return _solid_of_parts(given, radius)
        if vertices is None:
            raise ShapeError("a block needs vertices, or convex parts.")
        part = convex_part(vertices, radius)
        return Solid(
            part.corners, part.triangles, (part,), True, part.mass, radius, part.edges if len(part.triangles) else None
        )
    if vertices is None:
        raise ShapeError("faces without vertices: give both.")
    points = meshes.as_vertices(vertices)
    triangles = meshes.as_triangles(points, faces)
    edges = meshes.check_skin(points, triangles)
    convex = meshes.is_convex(points, triangles, edges)
    if convex:
        part = convex_part(points, radius)
        mass = part.mass if radius > 0.0 else masses.from_skin(points, triangles)
        return Solid(points, triangles, (part,), True, mass, radius, edges)
    return Solid(points, triangles, given or (), False, masses.from_skin(points, triangles), radius, edges)


def _solid_of_parts(parts: tuple[ConvexPart, ...], radius: float) -> Solid:
    """A shape of parts that touch but do not overlap (balls may overlap: their union is measured)."""
    if all(len(part.corners) == 1 for part in parts):
        mass = masses.of_balls(np.vstack([p.corners for p in parts]), np.array([p.radius for p in parts]))
    else:
        own = [part.mass for part in parts]
        volume = sum(m.volume for m in own)
        centre = sum((m.volume * m.centre for m in own), np.zeros(3)) / volume
        inertia = np.zeros((3, 3))
        for m in own:
            d = m.centre - centre
            inertia += m.inertia + m.volume * (d @ d * np.eye(3) - np.outer(d, d))
        mass = masses.Mass(volume, centre, inertia)
    first = np.cumsum([0] + [len(p.corners) for p in parts])
    triangles = np.vstack([p.triangles + k for p, k in zip(parts, first)])
    return Solid(np.vstack([p.corners for p in parts]), triangles, parts, len(parts) == 1, mass, radius)
