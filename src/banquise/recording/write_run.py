"""Writing the run file: NetCDF-4, CF-1.11, one file, plain xarray reads it.

The state goes in block by block, so a run larger than memory can be written. Chunks hold some hundred floes and times:
one floe's track and one moment's picture both read a small part of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.errors import RunFileError
from banquise.recording.extras import contacts_table, flow_table, obstacles_table, profile_table
from banquise.recording.ledger import LONG_NAMES
from banquise.recording.recorder import (
    EVENTS,
    STATE,
    STRESS,
    joined_extras,
    kept_in,
    obstacles_after,
    pieces_of,
    widened,
)
from banquise.recording.sealed import refusal, seal
from banquise.recording.shapes import floes_of, for_file
from banquise.threads import FILES
from banquise.update.impulses import KINDS

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
FORMAT = 1  # of the run file; a reader refuses a later one
CHUNK = 256  # records and floes in a chunk: half a megabyte
_EPOCH = "2000-01-01 00:00:00"
STATE_ATTRS: dict[str, dict[str, str]] = {
    "x": {
        "units": "m",
        "long_name": "x of the centre of mass",
        "standard_name": "projection_x_coordinate",
        "axis": "X",
    },
    "y": {
        "units": "m",
        "long_name": "y of the centre of mass",
        "standard_name": "projection_y_coordinate",
        "axis": "Y",
    },
    "rotation": {"units": "rad", "long_name": "rotation from the pose at the start, counter-clockwise"},
    "u": {"units": "m s-1", "long_name": "velocity along x", "standard_name": "sea_ice_x_velocity"},
    "v": {"units": "m s-1", "long_name": "velocity along y", "standard_name": "sea_ice_y_velocity"},
    "spin": {"units": "rad s-1", "long_name": "angular velocity, counter-clockwise"},
}
STRESS_ATTRS: dict[str, dict[str, str]] = {
    name: {
        "units": "Pa",
        "long_name": f"mean stress {name[-2:]} of the floe from its contacts since the last record, tension positive",
        "cell_methods": "time: mean",
    }
    for name in STRESS
}
_PLACES = {
    "lon": {"units": "degrees_east", "long_name": "longitude of the centre of mass", "standard_name": "longitude"},
    "lat": {"units": "degrees_north", "long_name": "latitude of the centre of mass", "standard_name": "latitude"},
}


def write_run(
    path: Path,
    pieces: Iterator[dict[str, Any]],
    shapes: xr.Dataset,
    case: dict[str, Any],
    checkpoint: dict[str, bytes] | None = None,
) -> None:
    """Write to a temporary name, seal, rename. `checkpoint` holds what it takes to go on from the end."""

    def write(temporary: Path) -> None:
        records = _write_state(temporary, pieces, floes_of(shapes), case)
        write_groups(temporary, _groups(records, shapes, case), {**case, "format": FORMAT}, checkpoint)

    written_whole(path, write)


def written_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a file under another name, seal it, rename it: it is there whole or not at all."""
    if path.exists() and not path.is_file():  # a file put in the place of /dev/null would take it away
        raise RunFileError(f"output {path}: is a folder or a device, expected the name of a file such as run.nc.")
    temporary = path.with_name(path.name + ".tmp")
    try:
        with FILES:
            write(temporary)
        seal(temporary)
        os.replace(temporary, path)
    except (OSError, RuntimeError) as problem:
        reason = refusal(problem, path.parent)  # asked before what did not fit is taken away
        temporary.unlink(missing_ok=True)
        raise RunFileError(f"output {path}: cannot write ({reason}).{kept_in(pieces_of(path))}") from None


def _write_state(path: Path, pieces: Iterator[dict[str, Any]], n: int, case: dict[str, Any]) -> dict[str, Any]:
    """The root group; what the others need of the pieces is given back."""
    import netCDF4

    kept: list[dict[str, Any]] = []  # the pieces without their state and stress
    waiting: list[dict[str, Array]] = []
    projection = _projection(case)
    done = 0
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        _root(file, n, case, projection)
        for piece in pieces:
            kept.append({name: value for name, value in piece.items() if name not in ("state", "stress")})
            waiting.append({name: widened(piece[name], n) for name in ("state", "stress") if name in piece})
            if sum(len(w["state"]) for w in waiting) >= CHUNK:
                done, waiting = _put(file, done, waiting, projection, CHUNK)
        if not kept:
            raise RunFileError(f"output {path}: no records to write.")
        _put(file, done, waiting, projection)
        records = {name: np.concatenate([k[name] for k in kept]) for name in ("time", "ledger", "loads", "events")}
        file["time"][:] = records["time"]
    return {**records, **joined_extras(kept, n), "ledger_names": kept[0]["ledger_names"]}


def _projection(case: dict[str, Any]) -> Any:
    if not case.get("crs"):
        return None
    from banquise.projection import Projection

    return Projection(case["crs"])


def _root(file: Any, n: int, case: dict[str, Any], projection: Any) -> None:
    begin_root(file, "floe", n, case, "Rabatel, Labbe, Weiss (2015), J. Geophys. Res. Oceans 120, 5887-5909")
    places = {} if projection is None else _PLACES
    for name, attrs in {**STATE_ATTRS, **STRESS_ATTRS, **places}.items():
        column = state_column(file, name, attrs, "floe", "f4" if name in STRESS else "f8")
        if name in ("u", "v", "rotation", "spin", *STRESS):
            column.coordinates = "time x y floe_id" + (" lon lat" if places else "")
            if places:
                column.grid_mapping = "crs"
    if projection is not None:
        file.createVariable("crs", "i4", ()).setncatts(projection.cf())


def begin_root(file: Any, kind: str, n: int, case: dict[str, Any], references: str) -> None:
    """Dimensions, attributes, time and ids of the root group: n bodies of a `kind` ("floe", "block") as trajectories."""
    file.createDimension("time", None)
    file.createDimension(kind, n)
    file.setncatts(
        {
            "Conventions": "CF-1.11",
            "featureType": "trajectory",
            "title": case.get("title", "Banquise run"),
            "institution": case.get("institution", "not stated"),
            "source": f"Banquise {__version__}",
            "history": f"{case.get('written', '')} written by Banquise {__version__}",
            "references": references,
            "comment": f"{kind.title()}s as trajectories; shapes in the group of that name; "
            "time counts from the start of the run.",
        }
    )
    file.createVariable("time", "f8", ("time",), chunksizes=(4096,)).setncatts(time_attrs(case.get("start")))
    ids = file.createVariable(f"{kind}_id", "i8", (kind,))
    ids.setncatts({"cf_role": "trajectory_id", "long_name": f"{kind} id"})
    ids[:] = np.arange(n)


def state_column(file: Any, name: str, attrs: dict[str, str], kind: str, dtype: str = "f8") -> Any:
    """A variable on (time, body); float noise compresses badly: the fastest level is nearly as small as the slowest."""
    chunks = (CHUNK, max(1, min(CHUNK, file.dimensions[kind].size)))
    column = file.createVariable(
        name, dtype, ("time", kind), zlib=True, complevel=1, shuffle=True, chunksizes=chunks, fill_value=np.nan
    )
    column.setncatts(attrs)
    return column


def time_attrs(start: str | None) -> dict[str, str]:
    return {
        "units": f"seconds since {(start or _EPOCH).replace('T', ' ')}",
        "calendar": "standard",
        "units_metadata": "leap_seconds: none",
        "standard_name": "time",
        "long_name": "time of the run",
        "axis": "T",
    }


def _put(
    file: Any, first: int, waiting: list[dict[str, Array]], projection: Any, whole: int = 1
) -> tuple[int, list[dict[str, Array]]]:
    """Write what waits, in multiples of `whole` records; how many are written now, and what still waits."""
    block = np.concatenate([w["state"] for w in waiting])
    missing = [np.full((len(w["state"]), 3, block.shape[2]), np.nan, np.float32) for w in waiting]
    stress = np.concatenate([w.get("stress", nothing) for w, nothing in zip(waiting, missing)])
    count = len(block) // whole * whole
    if count:
        _put_block(file, slice(first, first + count), block[:count], stress[:count], projection)
    return first + count, [{"state": block[count:], "stress": stress[count:]}]


def _put_block(file: Any, rows: slice, block: Array, stress: Array, projection: Any) -> None:
    for k, name in enumerate(STATE):
        file[name][rows] = block[:, k]
    for k, name in enumerate(STRESS):
        file[name][rows] = stress[:, k]
    if projection is not None:
        longitude, latitude = projection.to_lonlat(block[:, 0], block[:, 1])
        file["lon"][rows] = np.where(np.isfinite(longitude), longitude, np.nan)
        file["lat"][rows] = np.where(np.isfinite(latitude), latitude, np.nan)


def _groups(records: dict[str, Any], shapes: xr.Dataset, case: dict[str, Any]) -> dict[str, xr.Dataset]:
    import xarray as xr

    records = records | obstacles_after(records, floes_of(shapes))
    events = xr.Dataset({name: ("event", records["events"][:, k]) for k, name in enumerate(EVENTS)})
    events["kind"].attrs = {"flag_values": np.arange(len(KINDS), dtype=float), "flag_meanings": " ".join(KINDS)}
    time = ("time", records["time"], time_attrs(case.get("start")))
    groups = {
        "shapes": for_file(shapes),
        "ledger": ledger_table(records).assign_coords(time=time),
        "events": events,
        "loads": loads_table(records, case.get("every")).assign_coords(time=time),
        "profile": profile_table(case),
    }
    if "obstacle_pose" in records:  # where none moves, the shapes say where they are
        groups["obstacles"] = obstacles_table(records, shapes).assign_coords(time=time)
    if "wind" in records or "current" in records:
        groups["flow"] = flow_table(records, case).assign_coords(time=time)
    if "contacts" in records:
        groups["contacts"] = contacts_table(records)
    return groups


def write_groups(
    path: Path, groups: dict[str, xr.Dataset], case: dict[str, Any], checkpoint: dict[str, bytes] | None
) -> None:
    """Add groups, the case and what it takes to go on to a file, opened once: `to_netcdf` opens it for each group."""
    import netCDF4
    import xarray as xr

    no_fill: dict[str, Any] = {"time": {"_FillValue": None}}  # a coordinate has no missing values (CF 2.5.1)
    told = xr.Dataset(attrs={"json": json.dumps(case), "version": __version__})
    with netCDF4.Dataset(path, "a") as file:
        for name, data in {**groups, "case": told}.items():
            store = xr.backends.NetCDF4DataStore(file.createGroup(name))
            data.dump_to_store(store, encoding=no_fill if "time" in data else {})
        if checkpoint:
            group = file.createGroup("checkpoint")
            group.comment = "what it takes to go on from the end of the run; for Banquise only"
            for name, content in checkpoint.items():
                group.createDimension(name, len(content))
                group.createVariable(name, "u1", (name,), zlib=True, complevel=1)[:] = np.frombuffer(content, np.uint8)


def ledger_table(records: dict[str, Any]) -> xr.Dataset:
    """Energy, work, overlap, contacts on time, without its coordinate."""
    import xarray as xr

    columns = {}
    for k, name in enumerate(map(str, records["ledger_names"])):
        units, long_name = LONG_NAMES.get(name, ("1", name))
        columns[name] = ("time", records["ledger"][:, k], {"units": units, "long_name": long_name})
    return xr.Dataset(columns)


def loads_table(records: dict[str, Any], window: Any) -> xr.Dataset:
    """Mean force (N) and torque (N m) on each obstacle over the record interval, without the coordinate of time."""
    import xarray as xr

    loads = records["loads"]
    columns = {
        "force_x": (("time", "obstacle"), loads[:, :, 0], {"units": "N", "long_name": "mean force along x"}),
        "force_y": (("time", "obstacle"), loads[:, :, 1], {"units": "N", "long_name": "mean force along y"}),
        "torque": (("time", "obstacle"), loads[:, :, 2], {"units": "N m", "long_name": "mean torque"}),
    }
    data = xr.Dataset(columns, attrs={"window_seconds": window})
    if len(loads) and loads.shape[1]:
        size = np.hypot(loads[:, :, 0], loads[:, :, 1])
        data["peak_force"] = (
            "obstacle",
            size.max(axis=0),
            {"units": "N", "long_name": "largest mean force over a window"},
        )
    return data
