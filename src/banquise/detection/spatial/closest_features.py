"""Closest features: walk from corner to edge to face until each holds the other's closest point in its Voronoi region.

The method of Lin and Canny, with the edges clipped against the regions as in V-Clip (Mirtich 1998). A walk begun at
the features of the last step takes a step or two. Overlap is found, not measured globally: the depth is that of the
features at which the walk ends, so it is at most the true depth of those and not always the shortest way out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from banquise.detection.spatial._kernels_triangles import segment_to_segment
from banquise.errors import ShapeError, SolverError
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.solids import ConvexPart

Feature = tuple[str, int]  # ("corner" | "edge" | "face", number)


class Boundary:
    """Corners, edges and whole flat faces of a convex part, with what lies beside what."""

    def __init__(self, part: ConvexPart) -> None:
        self.corners = part.corners
        self.normals, self.offsets = part.faces
        size = float(np.ptp(part.corners, axis=0).max())
        self.loops: list[list[int]] = []
        for normal, offset in zip(self.normals, self.offsets):
            ring = np.flatnonzero(np.abs(part.corners @ normal - offset) <= 1e-9 * size)
            points = part.corners[ring] - part.corners[ring].mean(axis=0)
            u = points[0] / np.linalg.norm(points[0])
            turn = np.arctan2(points @ np.cross(normal, u), points @ u)
            self.loops.append([int(k) for k in ring[np.argsort(turn)]])
        number: dict[tuple[int, int], int] = {}
        self.ends: list[tuple[int, int]] = []
        self.beside: list[list[int]] = []  # faces left and right of tail -> head
        self.rims: list[list[int]] = []  # edges of each face, in the order of its loop
        for face, loop in enumerate(self.loops):
            rim = []
            for tail, head in zip(loop, loop[1:] + loop[:1]):
                if (head, tail) in number:
                    edge = number[(head, tail)]
                    self.beside[edge].append(face)
                else:
                    edge = number[(tail, head)] = len(self.ends)
                    self.ends.append((tail, head))
                    self.beside.append([face])
                rim.append(edge)
            self.rims.append(rim)
        self.spokes: list[list[int]] = [[] for _ in part.corners]
        for edge, (tail, head) in enumerate(self.ends):
            self.spokes[tail].append(edge)
            self.spokes[head].append(edge)


class _Placed:
    """A boundary in the world: its regions as planes (feature beyond, normal, offset), positive inside the region."""

    def __init__(self, boundary: Boundary, rotation: Floats, shift: Floats) -> None:
        self.shape = boundary
        self.corners = shift + boundary.corners @ rotation.T
        self.normals = boundary.normals @ rotation.T
        self.offsets = boundary.offsets + self.normals @ shift

    def edge(self, number: int) -> tuple[Floats, Floats]:
        tail, head = self.shape.ends[number]
        return self.corners[tail], self.corners[head]

    def inward(self, edge: int, face: int) -> Floats:
        """Direction in a face, across one of its edges, into the face."""
        tail, head = self.edge(edge)
        way = 1.0 if self.shape.beside[edge][0] == face else -1.0
        return way * np.cross(self.normals[face], head - tail)

    def region(self, feature: Feature) -> list[tuple[Feature, Floats, float]]:
        """Planes of the Voronoi region of a feature (for a face: without the face itself)."""
        kind, number = feature
        planes: list[tuple[Feature, Floats, float]] = []
        if kind == "corner":
            for edge in self.shape.spokes[number]:
                tail, head = self.shape.ends[edge]
                other = head if tail == number else tail
                normal = self.corners[number] - self.corners[other]
                planes.append((("edge", edge), normal, float(normal @ self.corners[number])))
        elif kind == "edge":
            tail, head = self.shape.ends[number]
            along = self.corners[head] - self.corners[tail]
            planes.append((("corner", tail), along, float(along @ self.corners[tail])))
            planes.append((("corner", head), -along, float(-along @ self.corners[head])))
            for face in self.shape.beside[number]:
                normal = -self.inward(number, face)
                planes.append((("face", face), normal, float(normal @ self.corners[tail])))
        else:
            for edge in self.shape.rims[number]:
                normal = self.inward(edge, number)
                planes.append((("edge", edge), normal, float(normal @ self.corners[self.shape.ends[edge][0]])))
        return planes

    def height(self, face: int, point: Floats) -> float:
        return float(self.normals[face] @ point - self.offsets[face])


def _clip(
    planes: list[tuple[Feature, Floats, float]], tail: Floats, head: Floats, small: float
) -> tuple[float, float, Feature | None, Feature | None, Feature | None]:
    """Part of an edge in a region: low, high, the features beyond its ends, and the one that alone excludes it.

    low > high: no plane alone excludes the edge, two together do.
    """
    low, high = 0.0, 1.0
    below: Feature | None = None
    above: Feature | None = None
    for beyond, normal, offset in planes:
        slack = small * float(np.linalg.norm(normal))
        at_tail, at_head = float(normal @ tail) - offset, float(normal @ head) - offset
        if at_tail < -slack and at_head < -slack:
            return low, high, below, above, beyond
        if at_tail < -slack <= at_head and at_head - at_tail > 0.0:
            cut = at_tail / (at_tail - at_head)
            if cut > low:
                low, below = cut, beyond
        elif at_head < -slack <= at_tail and at_tail - at_head > 0.0:
            cut = at_tail / (at_tail - at_head)
            if cut < high:
                high, above = cut, beyond
        if low > high:
            break
    return low, high, below, above, None


def _slope(body: _Placed, feature: Feature, at: Floats, along: Floats) -> float:
    """Change of the distance to a corner or face when a point moves along an edge."""
    kind, number = feature
    if kind == "corner":
        return float((at - body.corners[number]) @ along)
    if kind == "edge":
        tail, head = body.edge(number)
        unit = (head - tail) / np.linalg.norm(head - tail)
        off = at - tail
        return float((off - (off @ unit) * unit) @ along)
    return float(np.sign(body.height(number, at)) * (body.normals[number] @ along))


def _step_corner(own: _Placed, feature: Feature, point: Floats, small: float) -> Feature | None:
    """Feature beyond the plane of a region that a point violates most, or None when the point is inside."""
    worst, beyond = -small, None
    for neighbour, normal, offset in own.region(feature):
        out = (float(normal @ point) - offset) / float(np.linalg.norm(normal))
        if out < worst:
            worst, beyond = out, neighbour
    return beyond


def _step_edge(own: _Placed, feature: Feature, other: _Placed, edge: int, small: float) -> Feature | None:
    """Better feature of `own` than `feature` towards an edge of the other body, or None."""
    tail, head = other.edge(edge)
    low, high, below, above, excluded = _clip(own.region(feature), tail, head, small)
    if excluded is not None:
        return excluded
    along = head - tail
    slack = small * float(np.linalg.norm(along))
    if below is not None and _slope(own, below, tail + low * along, along) > slack:
        return below
    if above is not None and (low > high or _slope(own, above, tail + high * along, along) < -slack):
        return above
    return None


def _edge_and_face(own: _Placed, edge: int, other: _Placed, face: int, small: float) -> tuple[Feature, Feature, bool]:
    """Next features for an edge of `own` against a face of the other; True when the edge passes through the face."""
    tail, head = own.edge(edge)
    low, high, below, above, excluded = _clip(other.region(("face", face)), tail, head, small)
    if excluded is not None or low > high:
        return ("edge", edge), _nearest_on_rim(other, face, tail, head, small), False
    along = head - tail
    first, last = other.height(face, tail + low * along), other.height(face, tail + high * along)
    if first * last < 0.0:
        return ("edge", edge), ("face", face), True
    # Go to the end of the clipped edge that is nearer to the plane of the face.
    if abs(first) <= abs(last):
        return (
            (("edge", edge), below, False)
            if below is not None
            else (("corner", own.shape.ends[edge][0]), ("face", face), False)
        )
    return (
        (("edge", edge), above, False)
        if above is not None
        else (("corner", own.shape.ends[edge][1]), ("face", face), False)
    )


def _nearest_on_rim(body: _Placed, face: int, tail: Floats, head: Floats, small: float) -> Feature:
    """Edge of a face nearest to a segment, or its corner when the closest point is one: two edges tie there."""
    p, q, best, nearest = np.empty(3), np.empty(3), np.inf, ("edge", 0)
    for edge in body.shape.rims[face]:
        ends = body.edge(edge)
        apart = segment_to_segment(tail, head, ends[0], ends[1], p, q)
        if apart < best:
            best, nearest = apart, ("edge", edge)
            for corner, end in zip(body.shape.ends[edge], ends):
                if np.linalg.norm(q - end) <= small:
                    nearest = ("corner", corner)
    return nearest


@dataclass(frozen=True)
class Features:
    """The pair of closest features, their distance and points; `overlaps` when the walk ended inside."""

    distance: float
    normal: Floats
    points: tuple[Floats, Floats]
    features: tuple[Feature, Feature]
    overlaps: bool
    steps: int


def closest_features(a: Polyhedron, b: Polyhedron, start: tuple[Feature, Feature] | None = None) -> Features:
    """Closest features of two sharp convex blocks; `start` are those of the last step."""
    if not (a.convex and b.convex) or not (len(a.parts[0].triangles) and len(b.parts[0].triangles)):
        raise ShapeError("closest features: both blocks must be convex solids.")
    origin = a.position
    first = _Placed(Boundary(a.parts[0]), a.rotation, a.position - origin)
    second = _Placed(Boundary(b.parts[0]), b.rotation, b.position - origin)
    small = 1e-12 * (a.solid.size + b.solid.size)
    f, g = start or (("corner", 0), ("corner", 0))
    inside = False
    for steps in range(1, 2000):
        before = (f, g)
        f, g, inside = _next(first, f, second, g, small)
        if inside or before == (f, g):
            return _measure(first, f, second, g, inside, steps, origin, a.radius, b.radius)
    raise SolverError(
        f"closest features: the walk did not end between {f} and {g}; the blocks are degenerate, use gap()."
    )


def _next(a: _Placed, f: Feature, b: _Placed, g: Feature, small: float) -> tuple[Feature, Feature, bool]:
    """One step of the walk; the features come back unchanged at the end, or True when the bodies overlap."""
    kinds = (f[0], g[0])
    if kinds in (("corner", "edge"), ("corner", "face"), ("edge", "face")) or kinds[0] == kinds[1]:
        return _ordered(a, f, b, g, small)
    g, f, inside = _ordered(b, g, a, f, small)
    return f, g, inside


def _ordered(a: _Placed, f: Feature, b: _Placed, g: Feature, small: float) -> tuple[Feature, Feature, bool]:
    """The step for corner-corner, corner-edge, corner-face, edge-edge and edge-face."""
    if f[0] == "corner":
        point = a.corners[f[1]]
        better = _step_corner(b, g, point, small)
        if better is not None:
            return f, better, False
        if g[0] == "corner":
            return _step_corner(a, f, b.corners[g[1]], small) or f, g, False
        if g[0] == "edge":
            return _step_edge(a, f, b, g[1], small) or f, g, False
        return _corner_above_face(a, f, b, g, small)
    if g[0] == "edge":
        better = _step_edge(a, f, b, g[1], small)
        if better is not None:
            return better, g, False
        return f, _step_edge(b, g, a, f[1], small) or g, False
    return _edge_and_face(a, f[1], b, g[1], small)


def _corner_above_face(a: _Placed, f: Feature, b: _Placed, g: Feature, small: float) -> tuple[Feature, Feature, bool]:
    """A corner over a face: down along an edge, to a better face, or the end."""
    high = b.height(g[1], a.corners[f[1]])
    for edge in a.shape.spokes[f[1]]:
        tail, head = a.shape.ends[edge]
        other = b.height(g[1], a.corners[head if tail == f[1] else tail])
        if abs(high) > small and np.sign(high) * (other - high) < -small:
            return ("edge", edge), g, False
    if high >= -small:
        return f, g, False
    heights = b.normals @ a.corners[f[1]] - b.offsets
    face = int(np.argmax(heights))
    if heights[face] > small:  # behind this face but before another one
        return f, ("face", face), False
    return f, ("face", face), True


def _measure(
    a: _Placed,
    f: Feature,
    b: _Placed,
    g: Feature,
    inside: bool,
    steps: int,
    origin: Floats,
    radius_a: float,
    radius_b: float,
) -> Features:
    """Distance and points of the features at which the walk ended."""
    p, q = np.empty(3), np.empty(3)
    if "face" in (f[0], g[0]):
        over_a = f[0] == "face"
        body, face, other, feature = (a, f[1], b, g) if over_a else (b, g[1], a, f)
        ends = [feature[1]] if feature[0] == "corner" else list(other.shape.ends[feature[1]])
        lowest = min(ends, key=lambda k: body.height(face, other.corners[k]))
        high, point = body.height(face, other.corners[lowest]), other.corners[lowest]
        foot = point - high * body.normals[face]
        p, q = (foot, point) if over_a else (point, foot)
        normal = body.normals[face] if over_a else -body.normals[face]
        distance = high
    else:
        ends_a = a.edge(f[1]) if f[0] == "edge" else (a.corners[f[1]],) * 2
        ends_b = b.edge(g[1]) if g[0] == "edge" else (b.corners[g[1]],) * 2
        distance = float(np.sqrt(segment_to_segment(ends_a[0], ends_a[1], ends_b[0], ends_b[1], p, q)))
        normal = (q - p) / distance if distance > 0.0 else np.array([0.0, 0.0, 1.0])
    points = (origin + p + radius_a * normal, origin + q - radius_b * normal)
    return Features(distance - radius_a - radius_b, normal, points, (f, g), inside, steps)
