"""The shortest move that separates two overlapping bodies: exact, for single pairs (`bq.gap`).

The bodies a and b + t overlap exactly when t lies inside the sum of a and the mirrored b. The shortest way out of that
sum is the answer. Bodies are cut into triangles, whose sums are convex; their union is the sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_SUMS = 40_000  # pairs of triangles beyond which hulls are used: an upper bound of the depth


def _polygon(body: Any, origin: Array) -> Any:
    """The ring of a body as a polygon about `origin`, rounding left out."""
    if len(body.ring) == 1:
        return shapely.Point(body.ring[0] - origin)
    return shapely.Polygon(body.ring - origin, [hole - origin for hole in body.holes])


def _pieces(polygon: Any) -> list[Array]:
    """Convex pieces (points each) of a polygon."""
    if polygon.geom_type == "Point":
        return [shapely.get_coordinates(polygon)]
    if not polygon.interiors and polygon.convex_hull.area <= polygon.area * (1 + 1e-12):
        return [shapely.get_coordinates(polygon.exterior)[:-1]]
    triangles = shapely.constrained_delaunay_triangles(polygon)
    return [shapely.get_coordinates(t)[:3] for t in shapely.get_parts(triangles) if t.area > 0]


def separating_translation(a: Any, b: Any) -> tuple[Array, Array]:
    """The shortest move of b after which the rings of a and b no longer overlap, and a point where they then touch.

    Zero when they only touch.
    """
    origin = np.asarray(a.ring[0], dtype=float)
    pa, pb = _polygon(a, origin), _polygon(b, origin)
    parts_a, parts_b = _pieces(pa), _pieces(pb)
    if len(parts_a) * len(parts_b) > MOST_SUMS:
        parts_a, parts_b = [shapely.get_coordinates(pa.convex_hull)], [shapely.get_coordinates(pb.convex_hull)]
    # t overlaps where b + t meets a: t in a - b
    sums = [shapely.MultiPoint((p[:, None] - q[None, :]).reshape(-1, 2)).convex_hull for p in parts_a for q in parts_b]
    forbidden = shapely.union_all(sums)
    here = shapely.Point(0, 0)
    if forbidden.area == 0 or not forbidden.contains(here):
        return np.zeros(2), _touching_point(pa, pb) + origin
    out = shapely.get_coordinates(shapely.shortest_line(here, forbidden.boundary))[1]
    moved = shapely.transform(pb, lambda xy: xy + out)
    return out, _touching_point(pa, moved) + origin


def _touching_point(pa: Any, pb: Any) -> Array:
    """Where two polygons that touch meet, to round-off."""
    line = shapely.get_coordinates(shapely.shortest_line(_border(pa), _border(pb)))
    return np.asarray(line.mean(axis=0))


def _border(shape: Any) -> Any:
    return shape if shape.geom_type == "Point" else shape.boundary
