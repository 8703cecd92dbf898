"""Lower and upper surface of a floe that is not flat: functions of position, or values on triangles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, known_keywords
from banquise.given import ask_numbers, floats
from banquise.scene.rings import as_points

Array = NDArray[np.float64]
Height = Callable[[Array, Array], Array]  # (x, y) -> m


@known_keywords
class Surface:
    """A height over triangles: constant on each (k values) or linear on each (k, 3 values at the corners).

    Parameters
    ----------
    triangles : (k, 3, 2) float array, m, world frame; together they cover the floe
    values : (k,) or (k, 3) float array, m
    """

    def __init__(self, triangles: Any, values: Any):
        try:
            triangles, values = floats(triangles), floats(values)
        except (TypeError, ValueError, OverflowError):
            raise ShapeError("surface: triangles and values must be numbers, in metres.") from None
        if triangles.ndim != 3 or triangles.shape[1:] != (3, 2):
            raise ShapeError(f"surface: got triangles of shape {triangles.shape}, expected (k, 3, 2) in metres.")
        if values.shape not in ((len(triangles),), (len(triangles), 3)):
            raise ShapeError(
                f"surface: got values of shape {values.shape}, expected ({len(triangles)},) or ({len(triangles)}, 3)."
            )
        as_points(triangles.reshape(-1, 2), "surface triangles")
        if not np.isfinite(values).all():
            raise ShapeError("surface: values must be finite metres.")
        self.triangles = triangles
        self.values = values if values.ndim == 2 else np.repeat(values[:, None], 3, axis=1)

    def on(self, k: int, x: Array, y: Array) -> Array:
        """Height of triangle k's own plane at (x, y)."""
        (ax, ay), (bx, by), (cx, cy) = self.triangles[k]
        det = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        beta = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / det
        gamma = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / det
        a, b, c = self.values[k]
        return a + beta * (b - a) + gamma * (c - a)


def thickness_integrals(polygon: Any, lower: Any, upper: Any, origin: Array, what: str) -> tuple[Array, Array]:
    """Moments (6,) of the thickness h over the polygon about `origin`, and the three measures of thickness.

    The measures are sup h_+ - inf h_-, sup h, inf h (m): exact on triangles, for functions the extremes over some
    thousand points of the floe (to about 0.1 % where they vary over the floe's size).
    """
    bent = callable(lower) or callable(upper)
    meshes = [s for s in (lower, upper) if isinstance(s, Surface)]
    if meshes:
        pieces = _pieces(polygon, meshes, what)
    else:
        pieces = [(polygon, ())]
    moments = np.zeros(6)
    highest, lowest, thickest, thinnest = -np.inf, np.inf, -np.inf, np.inf
    for piece, owner in pieces:
        of = dict(zip(map(id, meshes), owner))
        low, high = _height(lower, of, what), _height(upper, of, what)
        triangles = _triangles(piece)
        moments += _adaptive_moments(triangles, partial(_difference, low, high), origin)
        points = _look_points(triangles) if bent else triangles.reshape(-1, 2)
        z_low, z_high = low(*points.T), high(*points.T)
        highest, lowest = max(highest, z_high.max()), min(lowest, z_low.min())
        thickest, thinnest = max(thickest, (z_high - z_low).max()), min(thinnest, (z_high - z_low).min())
    if not np.isfinite(moments).all():
        raise ShapeError(f"{what}: the surface is not finite everywhere on the floe.")
    if thinnest <= 0:
        raise ShapeError(
            f"{what}: the thickness falls to {thinnest:.3g} m. Expected the upper above the lower surface."
        )
    return moments, np.array([highest - lowest, thickest, thinnest])


def _difference(low: Height, high: Height, x: Array, y: Array) -> Array:
    return high(x, y) - low(x, y)


def _height(surface: Any, owner: dict[int, int], what: str) -> Height:
    if isinstance(surface, Surface):
        return lambda x, y: surface.on(owner[id(surface)], x, y)
    if callable(surface):
        gives = "finite metres for arrays x and y in metres: a number, or an array of their shape"
        return lambda x, y: ask_numbers(
            surface, x, y, what=f"{what}: thickness", gives=gives, shape=np.shape(x), error=ShapeError
        )
    return lambda x, y: np.full(np.shape(x), float(surface))


def _pieces(polygon: Any, meshes: list[Surface], what: str) -> list[tuple[Any, tuple[int, ...]]]:
    """The polygon cut along the triangles of one or two meshes, each piece with its triangle of each mesh."""
    pieces: list[tuple[Any, tuple[int, ...]]] = [(polygon, ())]
    for mesh in meshes:
        cells = shapely.polygons(mesh.triangles)
        tree = shapely.STRtree(cells)
        cut = []
        for piece, owner in pieces:
            for k in sorted(tree.query(piece)):
                part = shapely.intersection(piece, cells[k])
                if part.area > 0:
                    cut.append((part, (*owner, int(k))))
        covered = sum(p.area for p, _ in cut)
        if abs(covered - polygon.area) > 1e-9 * polygon.area:
            raise ShapeError(
                f"{what}: the surface's triangles cover {covered:.6g} m2 of the floe's {polygon.area:.6g} m2. "
                "Expected every point of the floe to be covered once."
            )
        pieces = cut
    return pieces


def _triangles(geometry: Any) -> Array:
    """(k, 3, 2) triangles of a polygon or several."""
    parts = [g for g in getattr(geometry, "geoms", [geometry]) if g.geom_type == "Polygon"]
    found = [np.asarray(t.exterior.coords)[:3] for p in parts for t in shapely.constrained_delaunay_triangles(p).geoms]
    return np.array(found)


_X, _W = np.polynomial.legendre.leggauss(10)
_X, _W = 0.5 * (_X + 1), 0.5 * _W  # on [0, 1]


def _gauss_points(triangles: Array) -> tuple[Array, Array]:
    """Points (k, 100, 2) and weights (k, 100) of a collapsed Gauss rule, exact to degree 18 on each triangle."""
    s, t = np.meshgrid(_X, _X, indexing="ij")
    ws = np.outer(_W * _X, _W)  # Jacobian of the collapse is s
    a, b, c = (triangles[:, k, None, None] for k in range(3))
    points = a + s[..., None] * ((1 - t)[..., None] * (b - a) + t[..., None] * (c - a))
    e, f = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    twice = np.abs(e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0])
    return points.reshape(len(triangles), -1, 2), twice[:, None] * ws.ravel()[None]


def _rule_moments(triangles: Array, height: Height, origin: Array) -> Array:
    """Moments (k, 6) of `height` over each triangle."""
    points, weights = _gauss_points(triangles)
    h = weights * height(points[..., 0], points[..., 1])
    x, y = points[..., 0] - origin[0], points[..., 1] - origin[1]
    return np.stack(
        [h.sum(1), (h * x).sum(1), (h * y).sum(1), (h * x * x).sum(1), (h * x * y).sum(1), (h * y * y).sum(1)], 1
    )


def _quartered(triangles: Array) -> Array:
    """(k, 4, 3, 2): each triangle cut in four at the middles of its sides."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    return np.stack([np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))], 1)


def _look_points(triangles: Array) -> Array:
    """(k, 2) corners and inner points, fine enough to see the extremes of a smooth surface."""
    while len(triangles) < 128:
        triangles = _quartered(triangles).reshape(-1, 3, 2)
    return np.concatenate([triangles.reshape(-1, 2), _gauss_points(triangles)[0].reshape(-1, 2)])


def _adaptive_moments(triangles: Array, height: Height, origin: Array) -> Array:
    """Moments (6,), triangles cut in four where the rule and its refinement differ (1e-14 of the whole, 12 levels)."""
    total = np.zeros(6)
    coarse = _rule_moments(triangles, height, origin)
    scale = np.abs(coarse).sum(axis=0) + 1e-300
    for _ in range(12):
        four = _quartered(triangles)
        fine = _rule_moments(four.reshape(-1, 3, 2), height, origin).reshape(-1, 4, 6)
        done = (np.abs(fine.sum(1) - coarse) <= 1e-14 * scale).all(axis=1)
        total += fine[done].sum(axis=(0, 1))
        if done.all():
            return total
        triangles, coarse = four[~done].reshape(-1, 3, 2), fine[~done].reshape(-1, 6)
        if len(triangles) > 200_000:  # a rough function: the sum so far is good to what it can be
            break
    return np.asarray(total + coarse.sum(axis=0))
