"""The shortest move that separates two overlapping bodies: exact, for single pairs (`bq.gap`).

The bodies a and b + t overlap exactly when t lies inside the sum of a and the mirrored b. The shortest way out of that
sum is the answer. Bodies are cut into triangles, whose sums are convex; their union is the sum.
"""

from __future__ import annotations

import itertools
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


def convex(body: Any) -> bool:
    """Whether the ring of a body is convex and without holes; a disc's is a point."""
    return len(body.ring) == 1 or len(_pieces(_polygon(body, np.asarray(body.ring[0], dtype=float)))) == 1


def separating_translation(a: Any, b: Any) -> tuple[Array, Array]:
    """The shortest move of b after which a and b no longer overlap, and a point where they then touch.

    Zero when they only touch.
    """
    origin, radius = np.asarray(a.ring[0], dtype=float), a.radius + b.radius
    pa, pb = _polygon(a, origin), _polygon(b, origin)
    # a body that just fills a bay of another has a way out of no width, which the union of sums below would close
    round_off = 4e-16 * float(max(np.abs(a.ring).max(), np.abs(b.ring).max())) * min(pa.length, pb.length)
    if radius == 0 and shapely.intersection(pa, pb).area <= round_off:
        return np.zeros(2), _touching_point(pa, pb, 0.0) + origin
    parts_a, parts_b = _pieces(pa), _pieces(pb)
    if len(parts_a) * len(parts_b) > MOST_SUMS:
        parts_a, parts_b = [shapely.get_coordinates(pa.convex_hull)], [shapely.get_coordinates(pb.convex_hull)]
    # t overlaps where b + t meets a: t in a - b
    sums = [shapely.MultiPoint((p[:, None] - q[None, :]).reshape(-1, 2)).convex_hull for p in parts_a for q in parts_b]
    forbidden = shapely.union_all(sums)
    here = shapely.Point(0, 0)
    if radius > 0:
        out = _way_out_of_rounded(forbidden, radius)
    elif forbidden.area == 0 or not forbidden.contains(here):
        out = np.zeros(2)
    else:
        out = shapely.get_coordinates(shapely.shortest_line(here, forbidden.boundary))[1]
    moved = shapely.transform(pb, lambda xy: xy + out)
    return out, _touching_point(pa, moved, a.radius / radius if radius > 0 else 0.0) + origin


def _way_out_of_rounded(shape: Any, radius: float) -> Array:
    """The point nearest the origin that is `radius` or more from a shape.

    Near where a drawing of the rounded shape has it, it lies on one or two of the lines and circles at that distance from the
    edges and corners of the shape: exact, where the drawing has chords.
    """
    drawn = shape.buffer(radius * (1 + 1e-4), quad_segs=64)  # its chords stay outside the arcs
    here = shapely.Point(0, 0)
    if not drawn.contains(here):
        return np.zeros(2)
    near = shapely.get_coordinates(shapely.shortest_line(here, drawn.boundary))[1]
    places = [p for ring in _rings(shape) for p in _offsets(ring, near, radius)]
    lone = [_nearest_on(place, radius) for place in places]
    crossings = [p for one, other in itertools.combinations(places, 2) for p in _crossings(one, other, radius)]
    slack = 1e-11 * (radius + float(np.abs(shapely.get_coordinates(shape)).max()))
    fit = [p for p in (*lone, *crossings) if shape.distance(shapely.Point(p)) >= radius - slack]
    return min(fit, key=lambda p: float(np.hypot(*p)), default=near)


def _rings(shape: Any) -> list[Array]:
    """Borders (n, 2), closed, of polygons; of points and lines themselves."""
    lines = shapely.get_parts(shapely.boundary(shape)) if shape.area > 0 else shapely.get_parts(shape)
    return [shapely.get_coordinates(line) for line in lines]


def _offsets(ring: Array, near: Array, radius: float) -> list[tuple[Array, Array]]:
    """Edges as (point, way), their corners as (point, 0), that are about `radius` from a place."""
    ways = np.diff(ring, axis=0)
    lengths = np.hypot(*ways.T)
    starts, ways = ring[:-1][lengths > 0], ways[lengths > 0] / lengths[lengths > 0, None]
    along = np.clip(((near - starts) * ways).sum(axis=1), 0, lengths[lengths > 0])
    close = np.hypot(*(starts + along[:, None] * ways - near).T) < radius * (1 + 1e-3)
    corners = ring[np.hypot(*(ring - near).T) < radius * (1 + 1e-3)]
    edges = []
    for p, way in zip(starts[close], ways[close]):
        side = np.array([-way[1], way[0]])
        edges.append((p + radius * side * np.sign(side @ (near - p)), way))
    return edges + [(corner, np.zeros(2)) for corner in np.unique(corners, axis=0)]


def _nearest_on(place: tuple[Array, Array], radius: float) -> Array:
    """The point of a line, or of a circle about a corner, that is nearest the origin."""
    p, way = place
    if way.any():
        return np.asarray(p - (p @ way) * way)
    distance = float(np.hypot(*p))
    return np.asarray(p - radius * p / distance) if distance > 0 else np.array([radius, 0.0])


def _crossings(one: tuple[Array, Array], other: tuple[Array, Array], radius: float) -> list[Array]:
    """Where two lines or circles cross."""
    (p, way), (q, turn) = one, other
    if not way.any():
        (p, way), (q, turn) = other, one
    if turn.any():
        cross = way[0] * turn[1] - way[1] * turn[0]
        if abs(cross) < 1e-12:
            return []
        d = q - p
        return [p + (d[0] * turn[1] - d[1] * turn[0]) / cross * way]
    if way.any():  # a line and a circle
        middle = p + ((q - p) @ way) * way
        half = radius**2 - float((middle - q) @ (middle - q))
    else:
        d = q - p
        middle, half = p + 0.5 * d, radius**2 - 0.25 * float(d @ d)
        if not d.any():
            return []
        way = np.array([-d[1], d[0]]) / np.hypot(*d)
    return [middle + s * np.sqrt(half) * way for s in (-1, 1)] if half >= 0 else []


def overlap_area(a: Any, b: Any, overlap: Any) -> float:
    """Area of the overlap: exact with discs, from the drawn polygons (arcs as chords) for rounded rings."""
    if len(a.ring) == 1 and len(b.ring) == 1:
        return _lens(a.radius, b.radius, float(np.hypot(*(b.ring[0] - a.ring[0]))))
    for disc, other in ((a, b), (b, a)):
        if len(disc.ring) == 1 and other.radius == 0:
            rings = [other.ring, *other.holes]
            return abs(sum(_disc_and_ring(ring - disc.ring[0], disc.radius) for ring in rings))
    return float(overlap.area)


def _lens(r: float, s: float, d: float) -> float:
    """Area common to two discs of radii r and s whose centres are d apart."""
    if d >= r + s:
        return 0.0
    if d <= abs(r - s):
        return float(np.pi * min(r, s) ** 2)
    p, q = (d * d + r * r - s * s) / (2 * d), (d * d + s * s - r * r) / (2 * d)
    area = r * r * np.arccos(p / r) - p * np.sqrt(r * r - p * p) + s * s * np.arccos(q / s) - q * np.sqrt(s * s - q * q)
    return float(area)


def _disc_and_ring(ring: Array, radius: float) -> float:
    """Signed area common to a disc about the origin and a ring: sectors and triangles, edge by edge."""
    total = 0.0
    for p, q in zip(ring, np.roll(ring, -1, axis=0)):
        edge = q - p
        # where the edge is within the circle
        a, b, c = edge @ edge, p @ edge, p @ p - radius**2
        root = b * b - a * c
        low, high = ((-b - np.sqrt(root)) / a, (-b + np.sqrt(root)) / a) if root > 0 else (1.0, 1.0)
        low, high = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
        stops = [p, p + low * edge, p + high * edge, q] if high > low else [p, p, p, q]
        for k, (u, v) in enumerate(itertools.pairwise(stops)):
            cross, dot = u[0] * v[1] - u[1] * v[0], u @ v
            inside = k == 1 and high > low
            total += 0.5 * cross if inside else 0.5 * radius**2 * float(np.arctan2(cross, dot))
    return float(total)


def _touching_point(pa: Any, pb: Any, share: float) -> Array:
    """Where two shapes that touch meet, to round-off; of rounded ones that part of the way between their rings."""
    line = shapely.get_coordinates(shapely.shortest_line(_border(pa), _border(pb)))
    return np.asarray(line.mean(axis=0) if share == 0 and np.ptp(line) == 0 else line[0] + share * (line[1] - line[0]))


def _border(shape: Any) -> Any:
    return shape if shape.geom_type == "Point" else shape.boundary
