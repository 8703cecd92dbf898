"""Ice concentration: in a window, on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.analysis.ice import Ice, as_ice, frames_of, one_frame
from banquise.errors import CaseError, known_keywords
from banquise.given import floats
from banquise.recording.run_file import Run

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@known_keywords
def concentration(run: Run | Ice, window: Any = None, follow: bool = True, times: Any = None) -> xr.DataArray:
    """Area of ice over area of water in a window, on time.

    Parameters
    ----------
    window : (width, height) m about the centre of mass at the start, or (xmin, xmax, ymin, ymax); by default the box
        around the floes at the start
    follow : the window moves with the centre of mass of the ice; False: it stays
    times : all records by default; a list of times, or a slice(start, stop)

    Obstacles in the window are not water.
    """
    import xarray as xr

    ice = as_ice(run)
    frames = frames_of(ice, times)
    first = ice.middle(0)
    box = window_of(ice, window)
    values = np.empty(len(frames))
    for k, frame in enumerate(frames):
        shift = ice.middle(int(frame)) - first if follow else np.zeros(2)
        here = box + np.array([shift[0], shift[0], shift[1], shift[1]])
        values[k] = _ice_in(ice, int(frame), here) / _water_in(ice, here)
    return xr.DataArray(
        values,
        {"time": ("time", ice.times[frames], {"units": "s"})},
        name="concentration",
        attrs={"units": "1", "long_name": "ice area over area of water", "window": box.tolist(), "follow": int(follow)},
    )


def window_of(ice: Ice, window: Any) -> Array:
    """xmin, xmax, ymin, ymax of a window at the start."""
    if window is None:
        d = ice.domain
        if d:
            return np.array([d["xmin"], d["xmax"], d["ymin"], d["ymax"]], dtype=float)
        x0, y0, x1, y1 = shapely.total_bounds(ice.placed(ice.outlines, 0, ice.there(0)))
        return np.array([x0, x1, y0, y1])
    try:
        values = floats(window)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape == (2,):
        x, y = ice.middle(0)
        values = np.array([x - values[0] / 2, x + values[0] / 2, y - values[1] / 2, y + values[1] / 2])
    if values.shape != (4,) or not (values[1] > values[0] and values[3] > values[2]):
        raise CaseError(f"window: got {window!r}, expected (width, height) or (xmin, xmax, ymin, ymax) in metres.")
    return values


def _ice_in(ice: Ice, frame: int, box: Array) -> float:
    """Area of ice (m2) in a box: whole floes by their area, those on the border by their outline."""
    who = ice.there(frame)
    total = 0.0
    for shift in images(ice, box):
        x, y, r = ice.state[frame, 0, who] + shift[0], ice.state[frame, 1, who] + shift[1], ice.reach[who]
        inside = (x - r >= box[0]) & (x + r <= box[1]) & (y - r >= box[2]) & (y + r <= box[3])
        outside = (x + r <= box[0]) | (x - r >= box[1]) | (y + r <= box[2]) | (y - r >= box[3])
        cut = who[~inside & ~outside]
        total += float(ice.area[who[inside]].sum())
        if len(cut):
            here = shapely.box(box[0] - shift[0], box[2] - shift[1], box[1] - shift[0], box[3] - shift[1])
            total += float(shapely.area(shapely.intersection(ice.placed(ice.outlines, frame, cut), here)).sum())
    return total


def images(ice: Ice, box: Array) -> list[Array]:
    """Shifts at which copies of the ice of a periodic domain may lie in a box; (0, 0) alone for others."""
    if ice.period is None:
        return [np.zeros(2)]
    far = float(ice.reach[: ice.n].max(initial=0.0))
    d = ice.domain
    low = np.ceil((np.array([box[0] - d["xmax"], box[2] - d["ymax"]]) - far) / ice.period)
    high = np.floor((np.array([box[1] - d["xmin"], box[3] - d["ymin"]]) + far) / ice.period)
    return [
        np.array([i, j]) * ice.period for i in np.arange(low[0], high[0] + 1) for j in np.arange(low[1], high[1] + 1)
    ]


def _water_in(ice: Ice, box: Array) -> float:
    area = float((box[1] - box[0]) * (box[3] - box[2]))
    rocks = np.flatnonzero(ice.is_obstacle)
    if len(rocks):
        here = shapely.box(box[0], box[2], box[1], box[3])
        area -= float(shapely.union_all(shapely.intersection(ice.placed(ice.outlines, 0, rocks), here)).area)
    return area


def pieces_on_grid(ice: Ice, frame: int, x: Array, y: Array) -> tuple[Index, Index, Array]:
    """Floe, cell (row of y times columns + column of x) and area (m2) of every piece of ice in the cells of a grid.

    `x` and `y` are the edges of the cells, evenly spaced.
    """
    who = ice.there(frame)
    floes, cells, areas = [], [], []
    nx, ny = len(x) - 1, len(y) - 1
    dx, dy = (x[-1] - x[0]) / nx, (y[-1] - y[0]) / ny
    for shift in images(ice, np.array([x[0], x[-1], y[0], y[-1]])):
        cx, cy, r = ice.state[frame, 0, who] + shift[0], ice.state[frame, 1, who] + shift[1], ice.reach[who]
        first_i, last_i = np.floor((cx - r - x[0]) / dx), np.floor((cx + r - x[0]) / dx)
        first_j, last_j = np.floor((cy - r - y[0]) / dy), np.floor((cy + r - y[0]) / dy)
        whole = (first_i == last_i) & (first_j == last_j)
        inside = whole & (first_i >= 0) & (first_i < nx) & (first_j >= 0) & (first_j < ny)
        floes.append(who[inside])
        cells.append((first_j[inside] * nx + first_i[inside]).astype(np.intp))
        areas.append(ice.area[who[inside]])
        first_i, first_j = np.maximum(first_i, 0), np.maximum(first_j, 0)
        wide = np.where(whole, 0, np.maximum(np.minimum(last_i, nx - 1) - first_i + 1, 0)).astype(np.intp)
        tall = np.where(whole, 0, np.maximum(np.minimum(last_j, ny - 1) - first_j + 1, 0)).astype(np.intp)
        count = wide * tall
        row = np.repeat(np.arange(len(who)), count)
        place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        i = first_i[row].astype(np.intp) + place % np.maximum(wide[row], 1)
        j = first_j[row].astype(np.intp) + place // np.maximum(wide[row], 1)
        if not len(row):
            continue
        boxes = shapely.box(
            x[0] + i * dx - shift[0],
            y[0] + j * dy - shift[1],
            x[0] + (i + 1) * dx - shift[0],
            y[0] + (j + 1) * dy - shift[1],
        )
        # outlines once a floe, then handed out to its cells
        several = np.flatnonzero(count)
        outline = np.empty(len(who), dtype=object)
        outline[several] = ice.placed(ice.outlines, frame, who[several])
        area = shapely.area(shapely.intersection(outline[row], boxes))
        keep = area > 0
        floes.append(who[row[keep]])
        cells.append((j * nx + i)[keep])
        areas.append(area[keep])
    return np.concatenate(floes), np.concatenate(cells), np.concatenate(areas)


def grid_edges(ice: Ice, cell: float, window: Any) -> tuple[Array, Array]:
    """Edges of square cells that cover a window; the last column and row may hang over."""
    if not cell > 0:
        raise CaseError(f"cell: got {cell!r}, expected metres above 0.")
    x0, x1, y0, y1 = window_of(ice, window)
    nx, ny = max(1, int(np.ceil((x1 - x0) / cell - 1e-9))), max(1, int(np.ceil((y1 - y0) / cell - 1e-9)))
    if nx * ny > 10_000_000:
        raise CaseError(f"cell: {cell:g} m makes {nx * ny:,} cells. Expected at most ten million; take larger ones.")
    return x0 + cell * np.arange(nx + 1), y0 + cell * np.arange(ny + 1)


@known_keywords
def concentration_grid(run: Run | Ice, cell: float, time: Any = None, window: Any = None) -> xr.DataArray:
    """Part of each square cell (side `cell`, m) that is ice, on (y, x), at a time (the end by default)."""
    import xarray as xr

    ice = as_ice(run)
    frame = one_frame(ice, time)
    x, y = grid_edges(ice, cell, window)
    _, cells, area = pieces_on_grid(ice, frame, x, y)
    shape = (len(y) - 1, len(x) - 1)
    values = np.bincount(cells, area, shape[0] * shape[1]).reshape(shape) / cell**2
    return xr.DataArray(
        values,
        {"y": 0.5 * (y[1:] + y[:-1]), "x": 0.5 * (x[1:] + x[:-1]), "time": float(ice.times[frame])},
        ("y", "x"),
        name="concentration",
        attrs={"units": "1", "long_name": "ice area over cell area"},
    )
