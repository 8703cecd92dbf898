"""`bq.gap`: how far two bodies are apart, or how deep they are in each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.detection import _kernels_border
from banquise.detection.overlap import convex, overlap_area, separating_translation
from banquise.detection.shapes import shapes_of
from banquise.errors import ShapeError, known_keywords
from banquise.scene.floe import Floe, Obstacle

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """Signed distance of two bodies a and b (m).

    Attributes
    ----------
    distance : apart, or minus the depth of the overlap
    normal : (2,) unit, from a to b: the way b must go to come free, or farther
    points : (2, 2) the nearest point of the border of a and of b; `point_a`, `point_b` by name
    depth : length of the shortest move that separates them, 0 when apart
    area : of the overlap (m2)
    polygon : (k, 2) border of the largest piece of the overlap, empty when apart
    """

    distance: float
    normal: Array
    points: Array
    depth: float = 0.0
    area: float = 0.0
    polygon: Array = field(default_factory=lambda: np.empty((0, 2)))

    def __repr__(self) -> str:
        n = f"({self.normal[0]:.6g}, {self.normal[1]:.6g})"
        deep = f", overlap {self.area:.6g} m2" if self.area else ""
        return f"Gap: {self.distance:.9g} m along {n}{deep}"

    @property
    def point_a(self) -> Array:
        return self.points[0]

    @property
    def point_b(self) -> Array:
        return self.points[1]


def columns_of(parts: list[Any]) -> Any:
    """Shape and pose columns of bodies at rest, about the first point of each, without masses or quadrature."""
    rings = [ring for p in parts for ring in (p.ring, *p.holes)]
    origin = np.array([p.ring[0] for p in parts])
    counts = np.array([1 + len(p.holes) for p in parts])
    owner = np.repeat(np.repeat(np.arange(len(parts)), counts), [len(r) for r in rings])
    n = len(parts)
    return SimpleNamespace(
        x=origin[:, 0].copy(),
        y=origin[:, 1].copy(),
        cos=np.ones(n),
        sin=np.zeros(n),
        vertices=np.concatenate(rings) - origin[owner],
        ring_start=np.concatenate([[0], np.cumsum([len(r) for r in rings])]).astype(np.int32),
        body_ring=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        radius=np.array([p.radius for p in parts], dtype=float),
        area=np.ones(n),
        ids=np.arange(n),
        n_free=n,
    )


@known_keywords
def gap(a: Any, b: Any) -> Any:
    """Signed distance, normal, nearest points and overlap of two bodies.

    Parameters
    ----------
    a, b : `bq.Floe`, `bq.Disc` or `bq.Obstacle`; or two `bq.Polyhedron`

    >>> from banquise.scene.floe import Disc
    >>> found = gap(Disc((0, 0), 1.0), Disc((5, 0), 2.0))
    >>> found.distance, found.normal.tolist(), found.points.tolist()
    (2.0, [1.0, 0.0], [[1.0, 0.0], [3.0, 0.0]])
    """
    planar = [isinstance(body, Floe | Obstacle) for body in (a, b)]
    if not any(planar):
        from banquise.detection.spatial import gap as spatial_gap

        return spatial_gap(a, b)
    if not all(planar):
        kinds = f"{type(a).__name__} and {type(b).__name__}"
        raise ShapeError(f"gap: got {kinds}, expected two floes, discs or obstacles, or two polyhedra.")
    columns = columns_of([a, b])
    shapes = shapes_of(columns)
    pose = np.stack([columns.x, columns.y, columns.cos, columns.sin], axis=1)
    value = np.empty((1, 5))
    first, second = np.zeros(1, np.int32), np.ones(1, np.int32)
    _kernels_border.closest_points(0, 1, first, second, shapes, pose, value)
    rings, radii = value[0, 0], a.radius + b.radius
    overlap = shapely.intersection(a.polygon, b.polygon)
    inside = _first_point_inside(shapes, pose, 0, 1) or _first_point_inside(shapes, pose, 1, 0)
    # rounded bodies in a bay of each other: away from the nearest place, another may be in the way
    caught = rings < radii and not (convex(a) and convex(b))
    if inside or rings <= 0.0 or (overlap.area > 0 and rings >= radii) or caught:
        return _overlapping(a, b, overlap)
    normal = (value[0, 3:5] - value[0, 1:3]) / rings
    points = np.array([value[0, 1:3] + a.radius * normal, value[0, 3:5] - b.radius * normal]) + pose[0, :2]
    distance = float(rings - radii)
    return Gap(distance, normal, points, max(-distance, 0.0), *_region(a, b, overlap if distance < 0 else None))


def _first_point_inside(shapes: Any, pose: Array, inner: int, outer: int) -> bool:
    """Whether the first point of one body lies in the ice of the other (frames not turned)."""
    x, y = pose[inner, :2] - pose[outer, :2] + shapes.block[shapes.body[inner, 1], :2]
    nodes = (int(shapes.body[outer, 0]), int(shapes.body[outer + 1, 0]))
    return bool(_kernels_border.holds(shapes.block, shapes.node, shapes.node_link, *nodes, float(x), float(y)))


def _region(a: Any, b: Any, overlap: Any) -> tuple[float, Array]:
    """Area and largest ring of the overlap."""
    if overlap is None or overlap.area == 0.0:
        return 0.0, np.empty((0, 2))
    pieces = [g for g in shapely.get_parts(overlap) if g.area > 0]
    largest = max(pieces, key=lambda g: g.area)
    return overlap_area(a, b, overlap), shapely.get_coordinates(largest.exterior)[:-1]


def _overlapping(a: Any, b: Any, overlap: Any) -> Gap:
    """The gap of bodies that overlap or touch: the shortest move of b that frees it."""
    move, point = separating_translation(a, b)
    depth = float(np.hypot(*move))
    normal = move / depth if depth > 0 else _touching_normal(a, b)
    points = np.array([point, point - move])  # where the two borders will part: b's point moves out by the depth to a's
    return Gap(-depth if depth > 0 else 0.0, normal, points, depth, *_region(a, b, overlap))


def _touching_normal(a: Any, b: Any) -> Array:
    """Normal of two bodies that touch: that of their first contact point."""
    from banquise.detection.planar import Detector

    columns = columns_of([a, b])
    columns.area = np.array([a.area, b.area])
    columns.extent = np.full(2, 0.0)
    contacts = Detector(columns).contacts(columns, np.full(2, 1e-9 * float(np.sqrt(columns.area.min()))))
    if len(contacts):
        return np.asarray(contacts.normal[0])
    d = b.centre - a.centre
    return np.asarray(d / np.hypot(*d)) if np.any(d) else np.array([1.0, 0.0])
