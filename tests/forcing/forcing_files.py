"""Tiny forcing files as data centres write them. Fields are solid rotations about the pole: known everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

RADIUS = 6_371_000.0
SPIN = 1e-6  # rad/s about the pole: 0.6 m/s at 85 N


def solid_rotation(latitude):
    """Eastward speed of a solid rotation about the pole (m/s)."""
    return SPIN * RADIUS * np.cos(np.radians(latitude))


def uniform_flow(longitude, speed=1.0, along=0.0):
    """East and north components of a flow that is uniform on a polar map whose x axis lies along `along` degrees.

    On a polar stereographic map of central meridian m, north points along -(sin, -cos) of (longitude - m).
    """
    turn = np.radians(longitude - along)
    return -speed * np.sin(turn), -speed * np.cos(turn)


def times(n=3, start="2024-03-01T00:00", hours=6):
    return np.datetime64(start, "ns") + np.arange(n) * np.timedelta64(hours, "h")


def lonlat(
    longitudes, latitudes, when, u, v, names=("u10", "v10"), time="time", attrs=None, axes=("longitude", "latitude")
):
    """A dataset (time, latitude, longitude) of two fields given as functions of (lon, lat, k)."""
    lon, lat = np.meshgrid(longitudes, latitudes)
    fields = [np.stack([np.broadcast_to(f(lon, lat, k), lon.shape) for k in range(len(when))]) for f in (u, v)]
    dims = (time, axes[1], axes[0])
    base = {"units": "m s**-1"} if attrs is None else {}
    data = {
        n: (dims, f.astype("f8"), {**base, **(attrs[i] if attrs else {})})
        for i, (n, f) in enumerate(zip(names, fields))
    }
    return xr.Dataset(data, {time: when, axes[1]: latitudes, axes[0]: longitudes})


def era5(path: Path, new: bool = False, around: bool = True, step: float = 1.0, u=None, v=None, n=3) -> Path:
    """ERA5 over the Arctic, old (time) or new (valid_time, number, expver as coordinates) style, latitudes falling."""
    longitudes = np.arange(0, 360, step) if around else np.arange(-60, -20 + step / 2, step)
    latitudes = np.arange(90, 75 - step / 2, -step)
    data = lonlat(
        longitudes,
        latitudes,
        times(n),
        u or (lambda lon, lat, k: solid_rotation(lat)),
        v or (lambda lon, lat, k: 0 * lat),
        time="valid_time" if new else "time",
    )
    for name in ("u10", "v10"):
        data[name].attrs |= {"long_name": "10 metre wind component", "standard_name": "unknown"}
    if new:
        data = data.assign_coords(number=0, expver=("valid_time", np.array(["0001"] * n)))
    data.to_netcdf(path)
    return path


def polar_grid(path: Path, mapped: bool = True, unit: str = "km", n: int = 21) -> Path:
    """CMEMS Arctic: x, y of EPSG:3413, vxo, vyo along them: u = 1e-6 x, v = -2e-6 y (m/s)."""
    import pyproj

    x = np.linspace(-500e3, 500e3, n)
    y = np.linspace(-900e3, 100e3, n)[::-1]
    gx, gy = np.meshgrid(x, y)
    when = times(2)
    factor = {"km": 1e3, "m": 1.0, "100 km": 1e5}[unit]
    data = xr.Dataset(
        {
            "vxo": (
                ("time", "y", "x"),
                np.stack([1e-6 * gx, 2e-6 * gx]),
                {"standard_name": "sea_water_x_velocity", "units": "m s-1"},
            ),
            "vyo": (
                ("time", "y", "x"),
                np.stack([-2e-6 * gy, -4e-6 * gy]),
                {"standard_name": "sea_water_y_velocity", "units": "m s-1"},
            ),
        },
        {"time": when, "y": ("y", y / factor, {"units": unit}), "x": ("x", x / factor, {"units": unit})},
    )
    if mapped:
        data["stereographic"] = ((), 0, pyproj.CRS.from_epsg(3413).to_cf())
        for name in ("vxo", "vyo"):
            data[name].attrs["grid_mapping"] = "stereographic"
    data.to_netcdf(path)
    return path
