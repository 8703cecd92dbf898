"""Skins of solids: hulls, checks, adjacency by half-edges.

A skin is `vertices` (n, 3) float64 and `triangles` (m, 3) int64, each triangle counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banquise.errors import ShapeError, in_short
from banquise.given import floats

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A body thinner than this part of its size is called flat: below it the volume is lost in the rounding of its terms.
FLAT = 1e-12


def as_vertices(vertices: ArrayLike, what: str = "vertices") -> Floats:
    """(n, 3) finite float64, or a ShapeError that says what is wrong with them."""
    try:
        points = np.ascontiguousarray(floats(vertices))
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(f"{what}: not numbers. Expected an (n, 3) array in metres.") from None
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        raise ShapeError(f"{what}: shape {points.shape}, expected (n, 3) with n at least 1.")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(
            f"{what}: {len(bad)} of {len(points)} not finite, the first is number {bad[0]}: {points[bad[0]]}."
        )
    if np.abs(points).max() > 1e12:
        raise ShapeError(f"{what}: up to {np.abs(points).max():.3g} m from the origin. Expected metres.")
    return points


def as_triangles(vertices: Floats, faces: ArrayLike | Iterable[Sequence[int]]) -> Ints:
    """Triangles of a list of faces, each a triangle or a flat polygon of vertex numbers."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2 and faces.shape[1] == 3 and faces.dtype.kind in "iu":
        triangles = faces.astype(np.int64)
    else:
        rows: list[Sequence[int]] = []
        if not np.iterable(faces):
            raise ShapeError(f"faces: got {in_short(faces)}, expected a list of faces, each of vertex numbers.")
        for number, face in enumerate(faces):  # type: ignore[arg-type]
            ring = _vertex_numbers(face)
            if ring is None:
                raise ShapeError(f"face {number}: {in_short(face)}, expected three or more vertex numbers.")
            if ring.min() < 0 or ring.max() >= len(vertices):
                bad = ring.min() if ring.min() < 0 else ring.max()
                raise ShapeError(f"face {number}: vertex {bad} named, the body has {len(vertices)} (from 0).")
            rows += [ring.tolist()] if len(ring) == 3 else _ears(vertices, ring)
        triangles = np.array(rows, dtype=np.int64).reshape(-1, 3)
    if not len(triangles):
        raise ShapeError("faces: none given. Leave `faces` out to take the convex hull of the vertices.")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        bad = triangles.min() if triangles.min() < 0 else triangles.max()
        raise ShapeError(f"faces: vertex {bad} named, the body has {len(vertices)} vertices (from 0).")
    return triangles


def _vertex_numbers(face: Any) -> Ints | None:
    """Three or more whole numbers, or None."""
    try:
        ring = np.asarray(face)
        whole = ring.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if ring.ndim == 1 and len(ring) >= 3 and np.array_equal(ring, whole) else None


def _ears(vertices: Floats, ring: Ints) -> list[list[int]]:
    """A flat polygon cut into triangles by its ears, so that concave faces (the side of an L) work too."""
    points = vertices[ring]
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    left, triangles = list(range(len(ring))), []
    while len(left) > 3:
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = points[i], points[j], points[m]
            if np.dot(np.cross(b - a, c - b), normal) <= 0:
                continue
            others = points[[p for p in left if p not in (i, j, m)]]
            sides = [np.cross(q - p, others - p) @ normal >= 0 for p, q in ((a, b), (b, c), (c, a))]
            if not np.any(sides[0] & sides[1] & sides[2]):
                triangles.append([int(ring[i]), int(ring[j]), int(ring[m])])
                del left[k]
                break
        else:
            raise ShapeError(
                f"face {ring.tolist()}: a polygon that crosses itself or has no area. Give triangles instead."
            )
    return [*triangles, ring[left].tolist()]


def hull(vertices: ArrayLike) -> tuple[Floats, Ints]:
    """The convex hull: its corners in the order given, and its triangles.

    >>> corners, triangles = hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
    >>> len(corners), len(triangles)
    (4, 4)
    """
    from scipy.spatial import ConvexHull, QhullError

    points = as_vertices(vertices)
    if len(points) < 4:
        raise ShapeError(
            f"hull: {len(points)} vertices, a solid needs 4. Give `radius` for a rounded point, line or plate."
        )
    centred = points - points.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)
    if spread[2] <= FLAT * spread[0]:
        raise ShapeError(
            f"hull: the {len(points)} vertices lie in a plane. Move one, or give `radius` for a rounded plate."
        )
    try:
        result = ConvexHull(centred)
    except QhullError:
        # Thin bodies: Qhull takes lengths as equal in all directions, so give it a body as thick as it is wide. An
        # affine
        # map keeps hulls.
        axes = np.linalg.svd(centred, full_matrices=False)[2]
        result = ConvexHull(centred @ axes.T / spread)
    corners = np.sort(result.vertices)
    number = np.full(len(points), -1)
    number[corners] = np.arange(len(corners))
    triangles = number[result.simplices]
    kept = points[corners]
    return np.ascontiguousarray(kept), _facing_out(kept, triangles.astype(np.int64))


def _facing_out(vertices: Floats, triangles: Ints) -> Ints:
    """Triangles of a hull turned so that each sees the mean of the vertices from behind."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - vertices.mean(axis=0)) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


@dataclass(frozen=True)
class HalfEdges:
    """Adjacency of a closed skin. Half-edge h is side h % 3 of triangle h // 3, from `origin[h]` to
    `origin[next(h)]`.
    """

    origin: Ints  # (3m,) vertex it leaves
    twin: Ints  # (3m,) the half-edge the other way
    leaving: Ints  # (n,) one half-edge that leaves each vertex, -1 for a vertex no triangle uses

    @staticmethod
    def next(half_edge: int) -> int:
        """The half-edge that follows around its triangle."""
        return half_edge - 2 if half_edge % 3 == 2 else half_edge + 1

    def around(self, vertex: int) -> list[int]:
        """Half-edges that leave a vertex, counter-clockwise."""
        first = int(self.leaving[vertex])
        turn = [first] if first >= 0 else []
        while turn:
            before = turn[-1] - 1 if turn[-1] % 3 else turn[-1] + 2
            following = int(self.twin[before])
            if following == first:
                break
            turn.append(following)
        return turn

    def faces_around(self, vertex: int) -> list[int]:
        """Triangles around a vertex, counter-clockwise."""
        return [h // 3 for h in self.around(vertex)]

    def neighbours(self, vertex: int) -> list[int]:
        """Vertices joined to a vertex by an edge, counter-clockwise."""
        return [int(self.origin[self.twin[h]]) for h in self.around(vertex)]

    def faces_beside(self, half_edge: int) -> tuple[int, int]:
        """The two triangles beside an edge, that of the half-edge first."""
        return half_edge // 3, int(self.twin[half_edge]) // 3

    def edges(self) -> Ints:
        """(k, 2) vertex numbers of every edge, once."""
        h = np.flatnonzero(np.arange(len(self.twin)) < self.twin)
        return np.column_stack([self.origin[h], self.origin[self.twin[h]]])


def half_edges(triangles: Ints, vertex_count: int) -> HalfEdges:
    """Adjacency of a closed, oriented skin; a ShapeError that counts the offending edges otherwise."""
    origin = triangles.ravel()
    target = np.roll(triangles, -1, axis=1).ravel()
    forward, backward = origin * vertex_count + target, target * vertex_count + origin
    if np.any(origin == target):
        raise ShapeError(f"skin: triangle {int(np.argmax(origin == target)) // 3} names a vertex twice. Remove it.")
    order = np.argsort(forward, kind="stable")
    doubled = np.flatnonzero(np.diff(forward[order]) == 0)
    if len(doubled):
        raise ShapeError(
            f"skin: {len(doubled)} edges run twice the same way (triangle {order[doubled[0]] // 3}): "
            "neighbouring triangles must turn opposite ways, and an edge joins two triangles only."
        )
    place = np.minimum(np.searchsorted(forward[order], backward), len(order) - 1)
    twin = order[place]
    lonely = np.flatnonzero(forward[twin] != backward)
    if len(lonely):
        raise ShapeError(
            f"skin: open, {len(lonely)} edges have a triangle on one side only (the first: triangle {lonely[0] // 3}). "
            "Close the surface, or leave `faces` out to take the convex hull."
        )
    leaving = np.full(vertex_count, -1, dtype=np.int64)
    leaving[origin] = np.arange(len(origin))
    return HalfEdges(origin.copy(), twin, leaving)


def check_skin(vertices: Floats, triangles: Ints) -> HalfEdges:
    """Adjacency of a skin that bounds a solid: closed, oriented, outward, not flat, not crossing itself."""
    edges = half_edges(triangles, len(vertices))
    centred = vertices - vertices.mean(axis=0)
    a, b, c = (centred[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    volume = float(np.einsum("ij,ij->", a, normals)) / 6.0
    size = float(np.ptp(centred, axis=0).max())
    area = float(np.linalg.norm(normals, axis=1).sum()) / 2.0
    if size == 0.0 or abs(volume) <= FLAT * size * area:
        raise ShapeError(f"skin: flat, volume {volume:.3g} m3 for a surface of {area:.3g} m2.")
    if volume < 0.0:
        raise ShapeError(
            f"skin: inside out, volume {volume:.6g} m3. Reverse every triangle: faces[:, ::-1] "
            "(counter-clockwise from outside)."
        )
    from banquise.scene.tree import first_self_crossing

    crossing = first_self_crossing(vertices, triangles)
    if crossing is not None:
        i, j = crossing
        raise ShapeError(f"skin: crosses itself, triangles {i} and {j} meet. Repair the mesh, or give convex `parts`.")
    _check_shells(centred, triangles, edges)
    return edges


def _check_shells(vertices: Floats, triangles: Ints, edges: HalfEdges) -> None:
    """Refuse shells that fill a place twice: one within another must be a cavity, turned inwards; one outside must not."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    side = np.arange(len(edges.twin)) // 3
    graph = coo_array((np.ones(len(side), np.int8), (side, edges.twin // 3)), shape=(len(triangles),) * 2)
    count, shell = connected_components(graph, directed=False)
    if count == 1:
        return
    order = np.argsort(shell, kind="stable")
    shells = [vertices[triangles[part]] for part in np.split(order, np.cumsum(np.bincount(shell))[:-1])]
    low, high = (np.array([bound(corners.reshape(-1, 3), axis=0) for corners in shells]) for bound in (np.min, np.max))
    for k, corners in enumerate(shells):
        point = corners[0, 0]
        around = [m for m in np.flatnonzero(((low <= point) & (point <= high)).all(axis=1)) if m != k]
        filled = sum(_turns_around(point, shells[m]) for m in around)
        outward = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) > 0.0
        if filled != (0 if outward else 1):
            where = "within another" if outward else "outside the others, or in a cavity"
            turned = "outwards: turn the shell inside out for a cavity" if outward else "inwards: reverse its triangles"
            raise ShapeError(
                f"skin: shell {k} of {count} lies {where} and faces {turned}, or give blocks of their own."
            )


def _turns_around(point: Floats, corners: Floats) -> int:
    """How often a closed shell (t, 3, 3) goes round a point: the sum of the solid angles of its triangles."""
    arm = corners - point
    a, b, c = arm[:, 0], arm[:, 1], arm[:, 2]
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", one, other) for one, other in ((a, b), (b, c), (c, a))]
    below = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    return round(float(np.arctan2(triple, below).sum()) / (2.0 * np.pi))


def is_convex(vertices: Floats, triangles: Ints, edges: HalfEdges) -> bool:
    """Whether a closed skin bounds a convex solid: one shell, every edge folded outwards or flat."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    if np.any(length == 0.0):
        return False
    normals /= length[:, None]
    size = float(np.ptp(vertices, axis=0).max())
    h = np.arange(len(edges.twin))
    # The vertex across each edge must not rise above the plane of the triangle: 1e-10 of the size is the noise of a
    # file
    # in single precision after one rotation, and far below any notch one means.
    opposite = np.where(edges.twin % 3 == 0, edges.twin + 2, edges.twin - 1)
    across = vertices[edges.origin[opposite]]
    height = np.einsum("ij,ij->i", normals[h // 3], across - vertices[edges.origin])
    if height.max() > 1e-10 * size:
        return False
    corners = np.unique(triangles)
    # Locally convex everywhere and of the kind of a sphere: a torus is never locally convex, two shells would be.
    return bool(len(corners) - len(h) // 2 + len(triangles) == 2)
