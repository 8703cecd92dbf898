"""The borders of all bodies of a run in their own frames, as things to draw: rings, triangles, crack edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.scene.moments import rounded_border

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

ARC_SEGMENTS = 8  # chords a quarter turn of a rounded corner: the sagitta is 0.5 % of the radius, below what is seen
DISC_POINTS = 48


@dataclass(frozen=True)
class Outlines:
    """Rings of each body, outer first, in its own frame (m); a disc is one point with a radius."""

    rings: list[list[Array]]
    radius: Array  # (n,) of discs, 0 for the others
    reach: Array  # (n,) largest distance of a point of the border from the centre

    def border(self, body: int) -> list[Array]:
        """Closed curves to draw, discs as polygons."""
        if self.radius[body] == 0:
            return self.rings[body]
        turn = np.linspace(0, 2 * np.pi, DISC_POINTS, endpoint=False)
        return [self.radius[body] * np.column_stack([np.cos(turn), np.sin(turn)])]


def outlines_of(shapes: xr.Dataset) -> Outlines:
    """The borders of the bodies in a run's shapes, rounding included."""
    counts = shapes["part_node_count"].values
    starts = np.concatenate([[0], np.cumsum(counts)])
    nodes = np.column_stack([shapes["node_x"].values, shapes["node_y"].values])
    rings: list[list[Array]] = [[] for _ in range(shapes.sizes["body"])]
    for k, owner in enumerate(shapes["ring_body"].values):
        rings[int(owner)].append(nodes[starts[k] : starts[k + 1]])
    radius = shapes["radius"].values.astype(float).copy()
    reach = np.zeros(len(rings))
    for k, body in enumerate(rings):
        if len(body[0]) == 1:
            reach[k] = radius[k]
            continue
        if radius[k] > 0:
            rings[k] = body = rounded_border(body, radius[k], ARC_SEGMENTS)
        radius[k] = 0.0
        reach[k] = np.sqrt((body[0] ** 2).sum(axis=1).max())
    return Outlines(rings, radius, reach)


def triangles(body: list[Array]) -> NDArray[np.int64]:
    """Vertex numbers (m, 3) that fill an outer ring less its holes; none for a convex ring, which is a fan."""
    if len(body) == 1 and _convex(body[0]):
        return np.empty((0, 3), dtype=np.int64)
    points = np.concatenate(body)
    found = shapely.constrained_delaunay_triangles(shapely.Polygon(body[0], body[1:]))
    corners = shapely.get_coordinates(found).reshape(-1, 4, 2)[:, :3].reshape(-1, 2)
    order = np.lexsort((points[:, 1], points[:, 0]))
    # the triangulation keeps coordinates bit for bit, so corners are found again by value
    keys = points[order].view([("x", float), ("y", float)]).ravel()
    place = np.searchsorted(keys, np.ascontiguousarray(corners).view([("x", float), ("y", float)]).ravel())
    return order[np.minimum(place, len(order) - 1)].reshape(-1, 3)


def _convex(ring: Array) -> bool:
    edge = np.roll(ring, -1, axis=0) - ring
    following = np.roll(edge, -1, axis=0)
    return bool((edge[:, 0] * following[:, 1] - edge[:, 1] * following[:, 0] >= 0).all())


def crack_edges(outlines: Outlines, parent: NDArray[np.integer], start: Array) -> list[NDArray[np.bool_]]:
    """For each body, which edges of its outer ring were opened by the break that made it.

    Siblings are written down in the same orientation, so an edge they share is the same vector the other way round,
    and joining them along it puts their centres as far apart as they were when made (`start`, (n, 2)). This needs no
    pose at the instant of the break, which falls between records.
    """
    marks = [np.zeros(len(rings[0]), dtype=bool) for rings in outlines.rings]
    families: dict[int, list[int]] = {}
    for child, origin in enumerate(parent):
        if origin >= 0 and outlines.radius[child] == 0:
            families.setdefault(int(origin), []).append(child)
    for children in families.values():
        for i, a in enumerate(children):
            for b in children[i + 1 :]:
                apart = float(np.hypot(*(start[b] - start[a])))
                of_a, of_b = _shared_edges(outlines.rings[a][0], outlines.rings[b][0], apart)
                marks[a][of_a] = True
                marks[b][of_b] = True
    return marks


def _shared_edges(one: Array, two: Array, apart: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges of two rings that lie on each other when the rings' frames are `apart` (m) from each other."""
    edge, back = np.roll(one, -1, axis=0) - one, two - np.roll(two, -1, axis=0)
    scale = 1e-6 * (np.abs(one).max() + np.abs(two).max())
    same = np.abs(edge[:, None] - back[None]).max(axis=2) <= scale
    joined = one[:, None] - np.roll(two, -1, axis=0)[None]  # from frame to frame, if this pair of edges is the joint
    same &= np.abs(np.hypot(joined[..., 0], joined[..., 1]) - apart) <= 10 * scale
    of_one, of_two = np.nonzero(same)
    return of_one, of_two


def place(ring: Array, pose: Any) -> Array:
    """A ring of a body at a pose (x, y, rotation), in the world frame (m)."""
    x, y, angle = pose
    c, s = np.cos(angle), np.sin(angle)
    return ring @ np.array([[c, s], [-s, c]]) + (x, y)
