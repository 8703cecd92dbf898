"""Velocity, strain rate and stress of the ice on a grid, averaged over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.analysis.cover import grid_edges, pieces_on_grid
from banquise.analysis.ice import Ice, as_ice, frames_of
from banquise.errors import known_keywords
from banquise.recording.run_file import Run

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
ATTRS = {
    "concentration": ("1", "part of the cell that is ice"),
    "u": ("m s-1", "velocity along x, mean over the ice"),
    "v": ("m s-1", "velocity along y, mean over the ice"),
    "divergence": ("s-1", "du/dx + dv/dy"),
    "shear": ("s-1", "sqrt((du/dx - dv/dy)^2 + (du/dy + dv/dx)^2)"),
    "vorticity": ("s-1", "dv/dx - du/dy"),
    "stress_xx": ("N m-1", "contact stress times thickness, tension positive"),
    "stress_xy": ("N m-1", "contact stress times thickness, tension positive"),
    "stress_yy": ("N m-1", "contact stress times thickness, tension positive"),
    "pressure": ("N m-1", "-(stress_xx + stress_yy) / 2"),
}


@known_keywords
def gridded(
    run: Run | Ice, cell: float, times: Any = None, window: Any = None, follow: bool = False, reach: int = 1
) -> xr.Dataset:
    """Concentration, velocity, strain rate and stress on (y, x), means over the chosen records.

    Parameters
    ----------
    cell : m, side of the square cells
    times : all records by default; a list of times, or a slice(start, stop)
    window : as in `concentration`
    follow : the grid moves with the centre of mass
    reach : strain rates are those of the plane fitted to the velocities of the floes of so many cells around each one

    The velocity of a cell is the mean over its ice (each floe by its velocity, weighted by its area there); the strain
    rate is a least-squares fit over floe centres, so it is exact for any motion that is linear in the place. The stress
    is the sum over floes of contact force times lever, shared out by area, over the area of the cell: records hold
    means over their interval, so the mean over records is the mean over time (records at even intervals).
    """
    import xarray as xr

    ice = as_ice(run)
    frames = frames_of(ice, times)
    x, y = grid_edges(ice, cell, window)
    shape = (len(y) - 1, len(x) - 1)
    first = ice.middle(0)
    stress = ice.run.records.get("stress")
    moments = None if stress is None else stress * (ice.area * ice.thickness)  # N m: contact force times lever
    sums = np.zeros((6, *shape)) if moments is not None else np.zeros((3, *shape))
    fit = np.zeros((12, *shape))
    for frame in frames:
        shift = ice.middle(int(frame)) - first if follow else np.zeros(2)
        floe, where, area = pieces_on_grid(ice, int(frame), x + shift[0], y + shift[1])
        sums += _sums(ice, int(frame), floe, where, area, shape, moments)
        fit += _fit_sums(ice, int(frame), floe, where, area, shape, (x, y), shift, reach)
    with np.errstate(invalid="ignore", divide="ignore"):
        data = {"concentration": sums[0] / (len(frames) * cell**2), "u": sums[1] / sums[0], "v": sums[2] / sums[0]}
    data |= _strain(fit, cell)
    if moments is not None:
        for k, name in enumerate(("stress_xx", "stress_xy", "stress_yy")):
            data[name] = sums[3 + k] / (len(frames) * cell**2)
        data["pressure"] = -0.5 * (data["stress_xx"] + data["stress_yy"])
    coords = {"y": 0.5 * (y[1:] + y[:-1]), "x": 0.5 * (x[1:] + x[:-1])}
    out = xr.Dataset({name: (("y", "x"), values) for name, values in data.items()}, coords)
    for known in out.data_vars:
        out[known].attrs = dict(zip(("units", "long_name"), ATTRS[str(known)]))
    out.attrs = {"start": float(ice.times[frames[0]]), "stop": float(ice.times[frames[-1]]), "records": len(frames)}
    return out


def _sums(
    ice: Ice, frame: int, floe: Any, where: Any, area: Array, shape: tuple[int, int], moments: Array | None
) -> Array:
    """Area, area times velocity, and share of the contact moments, summed over the pieces of each cell."""
    columns = [area, area * ice.state[frame, 3, floe], area * ice.state[frame, 4, floe]]
    if moments is not None:
        share = area / ice.area[floe]
        columns += [share * np.nan_to_num(moments[frame, k, floe]) for k in range(3)]
    n = shape[0] * shape[1]
    return np.stack([np.bincount(where, column, n).reshape(shape) for column in columns])


def _fit_sums(
    ice: Ice,
    frame: int,
    floe: Any,
    where: Any,
    area: Array,
    shape: tuple[int, int],
    edges: tuple[Array, Array],
    shift: Array,
    reach: int,
) -> Array:
    """Sums (12, y, x) of a fit of velocity to place over the cells around each one, weighted by area.

    A floe counts at its centre, with the area it has in those cells.
    """
    x, y = edges
    cell = x[1] - x[0]
    # places in cells from the grid's corner: the sums stay well scaled wherever the grid lies
    px = (ice.state[frame, 0, floe] - shift[0] - x[0]) / cell
    py = (ice.state[frame, 1, floe] - shift[1] - y[0]) / cell
    if ice.period is not None:
        for p, at, side in ((px, where % shape[1], ice.period[0]), (py, where // shape[1], ice.period[1])):
            p -= side / cell * np.round((p - (at + 0.5)) * cell / side)
    u, v = ice.state[frame, 3, floe], ice.state[frame, 4, floe]
    one = np.ones_like(px)
    terms = (one, px, py, px * px, px * py, py * py, u, v, px * u, py * u, px * v, py * v)
    n = shape[0] * shape[1]
    sums = [np.asarray(np.bincount(where, area * term, n), dtype=float).reshape(shape) for term in terms]
    return np.stack([_box_sum(values, reach) for values in sums])


def _box_sum(values: Array, reach: int) -> Array:
    """Sums over the (2 reach + 1)^2 cells around each one, fewer at the border."""
    padded = np.pad(values, reach)
    total = np.zeros_like(values)
    for j in range(2 * reach + 1):
        for i in range(2 * reach + 1):
            total += padded[j : j + values.shape[0], i : i + values.shape[1]]
    return total


def _strain(fit: Array, cell: float) -> dict[str, Array]:
    """Divergence, shear and vorticity (1/s) from the sums of `_fit_sums`; NaN where the floes do not span the plane."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = fit / fit[0]
        _, x, y, xx, xy, yy, u, v, xu, yu, xv, yv = mean
        cxx, cxy, cyy = xx - x * x, xy - x * y, yy - y * y
        determinant = cxx * cyy - cxy * cxy
        # fewer than three floes, or all in a row (to a hundredth): no gradient across
        determinant = np.where(determinant > 1e-4 * (cxx + cyy) ** 2, determinant, np.nan) * cell

        def slopes(speed: Array, x_speed: Array, y_speed: Array) -> tuple[Array, Array]:
            a, b = x_speed - x * speed, y_speed - y * speed
            return (cyy * a - cxy * b) / determinant, (cxx * b - cxy * a) / determinant

        ux, uy = slopes(u, xu, yu)
        vx, vy = slopes(v, xv, yv)
    return {"divergence": ux + vy, "shear": np.hypot(ux - vy, uy + vx), "vorticity": vx - uy}
