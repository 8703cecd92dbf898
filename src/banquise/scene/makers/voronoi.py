"""Packed ice: the cells of random points, drawn in from their borders until the concentration is met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, known_keywords
from banquise.given import ask_numbers, seed_of
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.makers.pack import region_of
from banquise.scene.scene import Scene

Array = NDArray[np.float64]
HALVINGS = 50


@known_keywords
def voronoi(
    n: int = 500,
    concentration: Any = 0.9,
    box: Any = (1200.0, 1200.0),
    thickness: Any = 1.0,
    seed: int = 0,
    *,
    obstacles: Sequence[Obstacle] = (),
    even: int = 1,
) -> Scene:
    """A scene of floes that are the cells of `n` random points, clipped to the box and to coasts.

    Each cell is drawn in by a strip of even width along its border, so that leads are open between floes.

    Parameters
    ----------
    concentration : ice area over water, 0 to 1; a number, a function of (x, y), or a grid (ny, nx) over the bounds of
        the box, first row at the lowest y, as from an ice chart; cells where it is 0 are open water
    box : as for `bq.pack` (m)
    thickness : m; a number, a function of (x, y), or a grid
    even : times the points are moved to the centres of their cells; 0 leaves sizes most uneven

    >>> scene = voronoi(50, 0.85, (500, 500), seed=1)
    >>> round(sum(f.area for f in scene.floes) / 500**2, 9), scene.overlaps()
    (0.85, [])
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise CaseError(f"voronoi: n is {n!r}, expected a whole number of cells, at least 1.")
    polygon, domain = region_of(box)
    water = polygon
    if obstacles:
        water = shapely.difference(polygon, shapely.union_all([o.polygon for o in obstacles]))
    if water.is_empty or water.area <= 1e-9 * polygon.area:
        raise CaseError(
            "voronoi: coasts cover the whole box. Take a larger box, or check that both are in one map frame."
        )
    cells = _cells(water, int(n), np.random.default_rng(seed_of(seed, "voronoi: seed")), even)
    centre = shapely.get_coordinates(shapely.centroid(cells))
    part = sampled(concentration, centre, polygon.bounds, "concentration")
    if not ((part >= 0) & (part <= 1)).all():
        raise CaseError(f"voronoi: concentration from {part.min():g} to {part.max():g}, expected parts from 0 to 1.")
    height = sampled(thickness, centre, polygon.bounds, "thickness")
    kept = part > 0
    if not (height[kept] > 0).all():
        raise CaseError(
            f"voronoi: thickness goes down to {height[kept].min():g} m, expected above 0 m wherever there is ice."
        )
    floes = [
        Floe(shapely.get_coordinates(cell.exterior), [shapely.get_coordinates(r) for r in cell.interiors], thickness=h)
        for cell, h in zip(drawn_in(cells[kept], part[kept]), height[kept])
    ]
    return Scene(floes, obstacles, domain)


def _cells(water: Any, n: int, rng: np.random.Generator, even: int) -> NDArray[Any]:
    """Polygons that fill the water: cells of n points in it, each in one piece."""
    x0, y0, x1, y1 = water.bounds
    points = np.empty((0, 2))
    shapely.prepare(water)
    while len(points) < n:
        more = rng.uniform((x0, y0), (x1, y1), (2 * n + 16, 2))
        points = np.concatenate([points, more[shapely.contains_xy(water, more)]])
    points = points[:n]
    for again in range(even + 1):
        cells = shapely.get_parts(
            shapely.voronoi_polygons(shapely.MultiPoint(points), extend_to=shapely.box(x0, y0, x1, y1))
        )
        parts = shapely.get_parts(shapely.intersection(cells, water)) if n > 1 else shapely.get_parts(water)
        parts = parts[(shapely.get_type_id(parts) == 3) & (shapely.area(parts) > 1e-9 * water.area / n)]
        if again < even:
            points = shapely.get_coordinates(shapely.centroid(parts))
    return parts


def drawn_in(cells: NDArray[Any], part: Array) -> NDArray[Any]:
    """Each cell less a strip of even width along its border, so that `part` of its area is left, in one piece."""
    area = shapely.area(cells)
    low, high = np.zeros(len(cells)), np.sqrt(area)

    def left(width: Array) -> NDArray[Any]:
        return _largest_piece(shapely.buffer(cells, -width, join_style="mitre", mitre_limit=4.0))

    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        enough = shapely.area(left(middle)) >= part * area
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    found = np.where(part < 1.0, left(low), cells)
    # a strip that cuts a cell in two takes area at a stroke: what is then too much is scaled away about the centre
    excess = np.sqrt(part * area / shapely.area(found))
    return np.array([
        shapely.affinity.scale(cell, s, s, origin="centroid") if s < 1 - 1e-12 else cell
        for cell, s in zip(found, excess)
    ], dtype=object)  # fmt: skip


def _largest_piece(polygons: NDArray[Any]) -> NDArray[Any]:
    many = np.flatnonzero(shapely.get_num_geometries(polygons) > 1)
    for k in many:
        pieces = shapely.get_parts(polygons[k])
        polygons[k] = pieces[np.argmax(shapely.area(pieces))]
    return polygons


def sampled(value: Any, points: Array, bounds: tuple[float, float, float, float], what: str) -> Array:
    """A number, a function of (x, y) or a grid over the bounds, at points (nearest cell of the grid)."""
    if callable(value):
        return np.array(
            [
                float(ask_numbers(value, x, y, what=f"{what} at ({x:g}, {y:g}) m", gives="a number", shape=()))
                for x, y in points.tolist()
            ]
        )
    try:
        grid = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"{what}: got {value!r}, expected a number, a function of (x, y) or a grid.") from None
    if grid.ndim == 0:
        return np.full(len(points), float(grid))
    if grid.ndim != 2 or not grid.size:
        raise CaseError(f"{what}: a grid of shape {grid.shape}, expected (rows along y, columns along x).")
    x0, y0, x1, y1 = bounds
    place = (points - (x0, y0)) / (x1 - x0, y1 - y0) * (grid.shape[1], grid.shape[0])
    column, row = np.clip(place.astype(int), 0, np.array(grid.shape[::-1]) - 1).T
    return np.asarray(grid[row, column])
