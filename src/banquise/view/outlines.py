"""The borders of all bodies of a run in their own frames, as things to draw: rings, triangles, crack edges."""

from __future__ import annotations

import itertools
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

    Siblings are written down in the same orientation, so an edge that two of them share is the same vector the other way round,
    and joining them along it puts their centres as far apart as they were when made (`start`, (n, 2)). The last crack of a
    break has two such edges; they tell how the family lay, and with that all edges that lie along each other (one crack may
    end on another) are found. This needs no pose at the instant of the break, which falls between records.
    """
    marks = [np.zeros(len(rings[0]), dtype=bool) for rings in outlines.rings]
    families: dict[int, list[int]] = {}
    for child, origin in enumerate(parent):
        if origin >= 0 and outlines.radius[child] == 0:
            families.setdefault(int(origin), []).append(child)
    for children in families.values():
        rings = [outlines.rings[child][0] for child in children]
        turned = _as_written(rings, start[children])
        if turned is None:
            continue
        lying = [ring + centre for ring, centre in zip(rings, turned)]
        for i, j in itertools.permutations(range(len(children)), 2):
            marks[children[i]] |= _lie_along(lying[i], lying[j])
    return marks


def _as_written(rings: list[Array], start: Array) -> Array | None:
    """The centres of siblings in the orientation of their rings, from those at the break; None where no two share an edge."""
    places = start[:, 0] + 1j * start[:, 1]
    for i, j in itertools.combinations(range(len(rings)), 2):
        one, two = rings[i], rings[j]
        edge, back = np.roll(one, -1, axis=0) - one, two - np.roll(two, -1, axis=0)
        scale = 1e-6 * (np.abs(one).max() + np.abs(two).max())
        same = np.abs(edge[:, None] - back[None]).max(axis=2) <= scale
        joined = (
            one[:, None] - np.roll(two, -1, axis=0)[None]
        )  # from frame to frame, if this pair of edges is the joint
        apart = places[j] - places[i]
        same &= np.abs(np.hypot(joined[..., 0], joined[..., 1]) - abs(apart)) <= 10 * scale
        if same.any():
            x, y = joined[same][0]
            turned = (places - places[i]) * (complex(x, y) / apart)
            return np.column_stack([turned.real, turned.imag])
    return None


def _lie_along(one: Array, two: Array) -> NDArray[np.bool_]:
    """Which edges of one ring lie along an edge of the other that goes the other way."""
    edge, other = np.roll(one, -1, axis=0) - one, np.roll(two, -1, axis=0) - two
    long = np.hypot(edge[:, 0], edge[:, 1])
    way = edge / np.maximum(long, 1e-300)[:, None]
    near = 2e-5 * np.ptp(one, axis=0).max()
    along, off = [], []
    for end in (two, two + other):
        away = end[None] - one[:, None]
        along.append((away * way[:, None]).sum(axis=2))
        off.append(np.abs(away[..., 1] * way[:, None, 0] - away[..., 0] * way[:, None, 1]))
    shared = np.minimum(along[0], long[:, None]) - np.maximum(along[1], 0.0)
    return np.asarray(((np.maximum(*off) <= near) & (shared > 10 * near)).any(axis=1))


def place(ring: Array, pose: Any) -> Array:
    """A ring of a body at a pose (x, y, rotation), in the world frame (m)."""
    x, y, angle = pose
    c, s = np.cos(angle), np.sin(angle)
    return ring @ np.array([[c, s], [-s, c]]) + (x, y)
