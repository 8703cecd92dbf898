"""What a run records beside its floes: where obstacles are, wind and current, seconds a stage. As tables, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.update.impulses import CONTACT_COLUMNS

if TYPE_CHECKING:
    import xarray as xr

POSE = {
    "x": {"units": "m", "long_name": "x of the obstacle's centre"},
    "y": {"units": "m", "long_name": "y of the obstacle's centre"},
    "rotation": {"units": "rad", "long_name": "rotation from the pose at the start, counter-clockwise"},
}
FLOWS = {
    "wind": ("wind", "x_wind", "y_wind"),
    "current": ("current", "sea_water_x_velocity", "sea_water_y_velocity"),
}


def start_poses(shapes: xr.Dataset) -> Any:
    """(obstacle, 3): x, y and rotation of the obstacles at the start."""
    rocks = shapes["obstacle"].values.astype(bool)
    start = np.column_stack([shapes["start_x"].values[rocks], shapes["start_y"].values[rocks]])
    return np.column_stack([start, np.zeros(len(start))])


def obstacles_table(records: dict[str, Any], shapes: xr.Dataset) -> xr.Dataset:
    """Pose of each obstacle on (time, obstacle), without the coordinate of time; where none moves, its one place."""
    import xarray as xr

    poses = records.get("obstacle_pose")
    if poses is None:
        still = start_poses(shapes)
        poses = np.broadcast_to(still, (len(records["time"]), *still.shape))
    columns = {name: (("time", "obstacle"), poses[:, :, k], attrs) for k, (name, attrs) in enumerate(POSE.items())}
    return xr.Dataset(columns)


def flow_table(records: dict[str, Any], case: dict[str, Any]) -> xr.Dataset:
    """Wind and current on time, without its coordinate; `comment` says of what they are the mean."""
    import xarray as xr

    said = case.get("flow") or {}
    columns = {}
    for name, (text, *standard_names) in FLOWS.items():
        if name not in records:
            continue
        for k, axis in enumerate("uv"):
            attrs = {
                "units": "m s-1",
                "long_name": f"{text} along {'xy'[k]}",
                "standard_name": standard_names[k],
                "comment": said.get(name, "uniform"),
            }
            columns[f"{name}_{axis}"] = ("time", records[name][:, k], attrs)
    return xr.Dataset(columns)


def profile_table(case: dict[str, Any]) -> xr.Dataset:
    """Seconds of wall time in each stage of the run's last leg."""
    import xarray as xr

    profile = {name: value for name, value in (case.get("profile") or {}).items() if isinstance(value, float)}
    seconds = ("stage", np.array(list(profile.values()), dtype=float), {"units": "s", "long_name": "wall time"})
    return xr.Dataset({"seconds": seconds, "stage_name": ("stage", np.array(list(profile), dtype=str))})


def contacts_table(records: dict[str, Any]) -> xr.Dataset:
    """One row a pair that pushed since the last record."""
    import xarray as xr

    return xr.Dataset({name: ("contact", records["contacts"][:, k]) for k, name in enumerate(CONTACT_COLUMNS)})


def contacts_from(table: xr.Dataset) -> dict[str, Any]:
    """And back; nothing for runs that did not keep them."""
    if "impulse_x" not in table:
        return {}
    return {"contacts": np.column_stack([table[name].values for name in CONTACT_COLUMNS])}


def extras_from(obstacles: xr.Dataset, flow: xr.Dataset) -> dict[str, Any]:
    """The records these tables were made of."""
    found = {}
    if "x" in obstacles:
        found["obstacle_pose"] = np.stack([obstacles[name].values for name in POSE], axis=2)
    for name in FLOWS:
        if f"{name}_u" in flow:
            found[name] = np.column_stack([flow[f"{name}_u"].values, flow[f"{name}_v"].values])
    return found
