"""The run file of blocks: the same file as that of floes, with a state in space."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import RunFileError
from banquise.recording.block_shapes import COLUMNS, check_block_shapes
from banquise.recording.groups import read_groups
from banquise.recording.ledger import COUNTS, check_columns
from banquise.recording.shapes import check_finite, check_times, for_file, from_file
from banquise.recording.write_run import (
    FORMAT,
    begin_root,
    ledger_table,
    state_column,
    time_attrs,
    write_groups,
    written_whole,
)  # fmt: skip

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
# no axis "X" and "Y": CF would take them for places on the globe and ask for their latitude
STATE: dict[str, dict[str, str]] = {
    "x": {"units": "m", "long_name": "x of the centre of mass"},
    "y": {"units": "m", "long_name": "y of the centre of mass"},
    "z": {"units": "m", "long_name": "z of the centre of mass, upwards", "axis": "Z", "positive": "up"},
    "qw": {"units": "1", "long_name": "orientation, unit quaternion from body axes to the world: w"},
    "qx": {"units": "1", "long_name": "orientation: x"},
    "qy": {"units": "1", "long_name": "orientation: y"},
    "qz": {"units": "1", "long_name": "orientation: z"},
    "u": {"units": "m s-1", "long_name": "velocity of the centre of mass along x"},
    "v": {"units": "m s-1", "long_name": "velocity of the centre of mass along y"},
    "w": {"units": "m s-1", "long_name": "velocity of the centre of mass along z"},
    "spin_x": {"units": "rad s-1", "long_name": "angular velocity about x, world axes"},
    "spin_y": {"units": "rad s-1", "long_name": "angular velocity about y, world axes"},
    "spin_z": {"units": "rad s-1", "long_name": "angular velocity about z, world axes"},
    "contact_force": {
        "units": "N", "long_name": "sizes of the contact forces on the block, summed, mean over the record interval"
    },
}  # fmt: skip
LOADS = {
    **{f"force_{axis}": {"units": "N", "long_name": f"mean force along {axis}"} for axis in "xyz"},
    **{f"torque_{axis}": {"units": "N m", "long_name": f"mean torque about {axis}, at its centre"} for axis in "xyz"},
}
# kind is a number here, an index of KINDS
EVENTS = {
    "time": {"units": "s", "long_name": "time from the start of the run"},
    "kind": {"flag_values": [0.0], "flag_meanings": "impact"},
    "block_a": {"long_name": "block id"},
    "block_b": {"long_name": "block id, above block_a"},
    **{axis: {"units": "m", "long_name": f"{axis} of the mean of its points, by normal impulse"} for axis in "xyz"},
    "normal_impulse": {"units": "N s", "long_name": "sum over the points of the pair, along their normals"},
    "tangential_impulse": {"units": "N s", "long_name": "size of the sum of what acts across the normals"},
    "energy_loss": {"units": "J", "long_name": "energy that the contact takes"},
}
KINDS = ("impact",)


def write_block_run(
    path: Path,
    pieces: Iterator[dict[str, Any]],
    shapes: xr.Dataset,
    case: dict[str, Any],
    checkpoint: dict[str, bytes] | None = None,
) -> None:
    """Write to a temporary name, seal, rename. `checkpoint` holds what it takes to go on from the end."""

    def write(temporary: Path) -> None:
        records = _write_state(temporary, pieces, shapes.sizes["body"], case)
        time = ("time", records["time"], time_attrs(case.get("start")))
        groups = {
            "shapes": for_file(shapes),
            "ledger": ledger_table(records).assign_coords(time=time),
            "loads": on_blocks(records["loads"], LOADS).assign_coords(time=time),
            "events": _events_table(records["events"]),
        }
        write_groups(temporary, groups, {**case, "format": FORMAT}, checkpoint)

    written_whole(path, write)


def _write_state(path: Path, pieces: Iterator[dict[str, Any]], n: int, case: dict[str, Any]) -> dict[str, Any]:
    """The root group; what the others need of the pieces is given back."""
    import netCDF4

    small: dict[str, list[Any]] = {name: [] for name in ("time", "ledger", "loads", "events")}
    names: Any = None
    done = 0
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        _root(file, n, case)
        for piece in pieces:
            names = piece["ledger_names"] if names is None else names
            for name, parts in small.items():
                parts.append(piece[name])
            rows = slice(done, done + len(piece["time"]))
            for k, name in enumerate(STATE):
                file[name][rows] = piece["state"][:, k]
            done = rows.stop
        if names is None:
            raise RunFileError(f"output {path}: no records to write.")
        records = {name: np.concatenate(parts) for name, parts in small.items()}
        file["time"][:] = records["time"]
    return {**records, "ledger_names": names}


def _root(file: Any, n: int, case: dict[str, Any]) -> None:
    references = "Dubois (2010), numerical modeling of granular media composed of polyhedral particles"
    begin_root(file, "block", n, case, references)
    for name, attrs in STATE.items():
        column = state_column(file, name, attrs, "block")
        if name not in ("x", "y", "z"):
            column.coordinates = "time x y z block_id"


def on_blocks(values: Array, columns: dict[str, dict[str, str]]) -> xr.Dataset:
    """Numbers (time, block, k) as columns on (time, block), without the coordinate of time."""
    import xarray as xr

    return xr.Dataset(
        {name: (("time", "block"), values[:, :, k], attrs) for k, (name, attrs) in enumerate(columns.items())}
    )


def _events_table(rows: Array) -> xr.Dataset:
    import xarray as xr

    return xr.Dataset({name: ("event", rows[:, k], attrs) for k, (name, attrs) in enumerate(EVENTS.items())})


def read_block_file(path: Path) -> tuple[dict[str, Any], xr.Dataset, dict[str, Any]]:
    """Records, shapes and case of a run file of blocks."""
    groups = read_groups(path, ("", "shapes", "ledger", "loads", "case"), ("events",))
    if not groups["events"].variables:  # a file of an earlier version
        groups["events"] = _events_table(np.empty((0, len(EVENTS))))
    case = json.loads(groups["case"].attrs["json"])
    if case.get("format", 1) > FORMAT:
        raise RunFileError(f"{path}: written by a newer Banquise (format {case['format']}). Install that one.")
    ledger = groups["ledger"].reset_coords(drop=True)
    names = [str(name) for name in ledger.data_vars]
    check_columns(names, path)
    records = {
        "time": groups[""]["time"].values,
        "state": np.stack([groups[""][name].values for name in STATE], axis=1),
        "ledger": np.column_stack([ledger[name].values for name in names]),
        "ledger_names": np.array(names),
        "loads": np.stack([groups["loads"][name].values for name in LOADS], axis=2),
        "events": np.column_stack([groups["events"][name].values for name in EVENTS]),
    }
    shapes = from_file(groups["shapes"])
    lost = [name for name in COLUMNS if name not in shapes]
    if lost:
        raise RunFileError(f"{path}: {', '.join(lost)} missing among its shapes. Damaged, or not written by Banquise.")
    check_block_shapes(shapes)
    check_times(groups[""]["time"])
    check_finite(ledger, COUNTS, "ledger")
    check_finite(groups["loads"], LOADS, "loads")
    check_finite(groups["events"], ("time", "block_a", "block_b"), "events")
    if not groups["events"]["kind"].isin(range(len(KINDS))).all():
        raise ValueError("events: of no known kind")
    return records, shapes, case
