"""The two axes of a field in a file: which dimensions they are, what map they are on, which way they run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError
from banquise.forcing import names
from banquise.forcing.grid import SourceGrid

Array = NDArray[np.float64]


def _axis(data: Any, dim: str) -> Array:
    return np.asarray(data[dim].values, dtype=float) if dim in data.coords else np.arange(data.sizes[dim], dtype=float)


def _why_none(data: Any) -> str:
    """More about a grid whose axes have no values: its places may be said by longitudes and latitudes of every node."""
    known = {*names.LONGITUDES, *names.LATITUDES}
    found = [str(name) for name in data.variables if str(name) in known and data[name].ndim == 2]
    if not found:
        return ""
    return (
        f" {' and '.join(sorted(found))} give the place of each node: a curvilinear grid must be put on a regular one first; "
        "one that is regular on a map needs x and y in metres and a grid mapping."
    )


def grid_of(
    data: Any, variable: Any, time: str | None, grid_crs: Any, where: str
) -> tuple[tuple[str, str], SourceGrid, tuple[bool, bool]]:
    """Dimensions (y, x), the grid they are, and which of them the file has falling."""
    dims = [str(d) for d in variable.dims if str(d) not in (time, "expver")]
    x_dim = next((d for d in dims if _is_axis(data, d, names.LONGITUDES, names.X_AXES, "longitude", "X")), None)
    y_dim = next((d for d in dims if _is_axis(data, d, names.LATITUDES, names.Y_AXES, "latitude", "Y")), None)
    if len(dims) != 2 or x_dim is None or y_dim is None:
        extra = [d for d in dims if d not in (x_dim, y_dim)]
        if extra and x_dim and y_dim:
            raise ForcingError(
                f"{where}: {variable.name} also varies along {', '.join(extra)}. Cut one slice out first."
            )
        raise ForcingError(
            f"{where}: {variable.name} is on {', '.join(dims) or 'nothing'}; expected two axes in longitude and latitude "
            "or in x and y with a grid mapping. A curvilinear grid must be put on a regular one first."
        )
    x, y = (_axis(data, d) for d in (x_dim, y_dim))
    for dim, axis in ((x_dim, x), (y_dim, y)):
        if dim not in data.coords:
            raise ForcingError(f"{where}: the axis {dim} has no values.{_why_none(data)}")
        if not np.isfinite(axis).all():
            raise ForcingError(f"{where}: the axis {dim} has values that are not finite.")
    lonlat = _is_axis(data, x_dim, names.LONGITUDES, (), "longitude", "")
    if len(x) == 1 and len(y) == 1 and lonlat:
        return (y_dim, x_dim), SourceGrid(x, y, "point"), (False, False)
    if min(len(x), len(y)) < 2:
        raise ForcingError(f"{where}: {len(x)} x {len(y)} points; expected at least 2 x 2, or a single place.")
    if lonlat:
        x = np.unwrap(x, period=360.0)
    else:
        x, y = x * _length(data, x_dim, where), y * _length(data, y_dim, where)
    for dim, axis in ((x_dim, x), (y_dim, y)):
        steps = np.diff(axis)
        if not ((steps > 0).all() or (steps < 0).all()):
            raise ForcingError(f"{where}: the axis {dim} neither rises nor falls throughout.")
    falling = bool(y[1] < y[0]), bool(x[1] < x[0])
    x, y = np.sort(x), np.sort(y)
    if lonlat:
        if np.abs(y).max() > 90 + 1e-6 or x[-1] - x[0] > 360 + 1e-6:
            raise ForcingError(
                f"{where}: latitudes {y[0]:g} to {y[-1]:g}, longitudes {x[0]:g} to {x[-1]:g}: not degrees."
            )
        return (y_dim, x_dim), SourceGrid(x, np.clip(y, -90, 90), "lonlat"), falling
    crs = _grid_mapping(data, variable, grid_crs, where)
    return (y_dim, x_dim), SourceGrid(x, y, "plane" if crs is None else "map", crs), falling


def _is_axis(data: Any, dim: str, first: tuple[str, ...], second: tuple[str, ...], standard: str, axis: str) -> bool:
    if dim in first or dim in second:
        return True
    attrs = data[dim].attrs if dim in data.coords else {}
    name = str(attrs.get("standard_name", ""))
    if name == standard:
        return True
    projected = {"X": ("projection_x_coordinate", "grid_longitude"), "Y": ("projection_y_coordinate", "grid_latitude")}
    return bool(axis) and (name in projected[axis] or attrs.get("axis") == axis)


def _length(data: Any, dim: str, where: str) -> float:
    """Metres in a unit of a map axis ("km", and TOPAZ's "100 km"); degrees of a rotated pole stay degrees."""
    text = str(data[dim].attrs.get("units", "m")).strip()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)?\s*(m|km|meters?|metres?|kilometers?|degrees?)", text)
    if not match:
        raise ForcingError(f"{where}: the axis {dim} is in {text!r}, expected m or km.")
    return float(match[1] or 1) * (1000.0 if match[2].startswith("k") else 1.0)


def _grid_mapping(data: Any, variable: Any, grid_crs: Any, where: str) -> Any:
    """The map of the file's grid: the user's, else the file's grid mapping, else None."""
    import pyproj

    given: Any = grid_crs
    if given is None:
        name = variable.attrs.get("grid_mapping", variable.encoding.get("grid_mapping"))
        if name is None:
            return None
        name = str(name).split(":")[0].strip()
        if name not in data:
            raise ForcingError(f"{where}: the grid mapping {name!r} is not in the file. Say grid_crs = 'EPSG:...'.")
        given = dict(data[name].attrs)
    try:
        if isinstance(given, dict):
            return pyproj.CRS.from_wkt(given["crs_wkt"]) if "crs_wkt" in given else pyproj.CRS.from_cf(given)
        return pyproj.CRS.from_user_input(given)
    except (pyproj.exceptions.CRSError, KeyError, TypeError, ValueError) as problem:
        reason = str(problem).splitlines()[0][:120]
        raise ForcingError(
            f"{where}: its grid mapping is not understood ({reason}). Say grid_crs = 'EPSG:...'."
        ) from None
