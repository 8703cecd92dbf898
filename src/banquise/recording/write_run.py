"""Writing the run file: NetCDF-4, CF-1.11, one file, plain xarray reads it.

The state goes in block by block, so a run larger than memory can be written. Chunks hold some hundred floes and times:
one floe's track and one moment's picture both read a small part of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.errors import RunFileError
from banquise.recording.ledger import LONG_NAMES
from banquise.recording.recorder import EVENT_COLUMNS, EXTRAS, STATE, join_extras, widened
from banquise.recording.sealed import seal
from banquise.recording.shapes import for_file
from banquise.threads import FILES
from banquise.update.impulses import CONTACT_COLUMNS

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
FORMAT = 1  # of the run file; a reader refuses a later one
KINDS = ("impact", "break")
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
    temporary = path.with_name(path.name + ".tmp")
    try:
        with FILES:
            records = _write_state(temporary, pieces, int((shapes["obstacle"].values == 0).sum()), case)
            _write_groups(temporary, records, shapes, case, checkpoint)
        seal(temporary)
        os.replace(temporary, path)
    except (OSError, RuntimeError) as problem:
        temporary.unlink(missing_ok=True)
        reason = getattr(problem, "strerror", None) or problem
        raise RunFileError(f"output {path}: cannot write ({reason}).") from None


def _write_state(path: Path, pieces: Iterator[dict[str, Any]], n: int, case: dict[str, Any]) -> dict[str, Any]:
    """The root group; what the others need of the pieces is given back."""
    import netCDF4

    small: dict[str, list[Any]] = {name: [] for name in ("time", "ledger", "loads", "events")}
    names: Any = None
    extras: list[dict[str, Any]] = []
    waiting: list[Array] = []
    projection = _projection(case)
    done = 0
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        _root(file, n, case, projection)
        for piece in pieces:
            names = piece["ledger_names"] if names is None else names
            for name, parts in small.items():
                parts.append(piece[name])
            extras.append({name: piece[name] for name in EXTRAS if name in piece})
            waiting.append(widened(piece["state"], n))
            if sum(map(len, waiting)) >= CHUNK:
                block = np.concatenate(waiting)
                whole = len(block) // CHUNK * CHUNK
                _put(file, done, block[:whole], projection)
                done += whole
                waiting = [block[whole:]]
        if names is None:
            raise RunFileError(f"output {path}: no records to write.")
        rest = np.concatenate(waiting)
        _put(file, done, rest, projection)
        records = {name: np.concatenate(parts) for name, parts in small.items()}
        file["time"][:] = records["time"]
    return {**records, "ledger_names": names, **join_extras(extras, n)}


def _projection(case: dict[str, Any]) -> Any:
    if not case.get("crs"):
        return None
    from banquise.projection import Projection

    return Projection(case["crs"])


def _root(file: Any, n: int, case: dict[str, Any], projection: Any) -> None:
    file.createDimension("time", None)
    file.createDimension("floe", n)
    file.setncatts(
        {
            "Conventions": "CF-1.11",
            "featureType": "trajectory",
            "title": case.get("title", "Banquise run"),
            "institution": case.get("institution", "not stated"),
            "source": f"Banquise {__version__}",
            "history": f"{case.get('written', '')} written by Banquise {__version__}",
            "references": "Rabatel, Labbe, Weiss (2015), J. Geophys. Res. Oceans 120, 5887-5909",
            "comment": "Floes as trajectories; shapes in the group of that name; time counts from the start of the run.",
        }
    )
    time = file.createVariable("time", "f8", ("time",), chunksizes=(4096,))
    time.setncatts(_time_attrs(case.get("start")))
    ids = file.createVariable("floe_id", "i8", ("floe",))
    ids.setncatts({"cf_role": "trajectory_id", "long_name": "floe id"})
    ids[:] = np.arange(n)
    chunks = (CHUNK, max(1, min(CHUNK, n)))
    places = {} if projection is None else _PLACES
    for name, attrs in {**STATE_ATTRS, **places}.items():
        # float noise in the last bits compresses badly: the fastest level is nearly as small as the slowest
        column = file.createVariable(
            name, "f8", ("time", "floe"), zlib=True, complevel=1, shuffle=True, chunksizes=chunks, fill_value=np.nan
        )
        column.setncatts(attrs)
        if name in ("u", "v", "rotation", "spin"):
            column.coordinates = "time x y floe_id" + (" lon lat" if places else "")
            if places:
                column.grid_mapping = "crs"
    if projection is not None:
        file.createVariable("crs", "i4", ()).setncatts(projection.cf())


def _time_attrs(start: str | None) -> dict[str, str]:
    return {
        "units": f"seconds since {(start or _EPOCH).replace('T', ' ')}",
        "calendar": "standard",
        "units_metadata": "leap_seconds: none",
        "standard_name": "time",
        "long_name": "time of the run",
        "axis": "T",
    }


def _put(file: Any, first: int, block: Array, projection: Any) -> None:
    if not len(block):
        return
    rows = slice(first, first + len(block))
    for k, name in enumerate(STATE):
        file[name][rows] = block[:, k]
    if projection is not None:
        longitude, latitude = projection.to_lonlat(block[:, 0], block[:, 1])
        file["lon"][rows] = np.where(np.isfinite(longitude), longitude, np.nan)
        file["lat"][rows] = np.where(np.isfinite(latitude), latitude, np.nan)


def _write_groups(
    path: Path, records: dict[str, Any], shapes: xr.Dataset, case: dict[str, Any], checkpoint: dict[str, bytes] | None
) -> None:
    import xarray as xr

    events = xr.Dataset({name: ("event", records["events"][:, k]) for k, name in enumerate(EVENT_COLUMNS)})
    events["kind"].attrs = {"flag_values": np.arange(len(KINDS), dtype=float), "flag_meanings": " ".join(KINDS)}
    stored = {**case, "format": FORMAT}
    time = ("time", records["time"], _time_attrs(case.get("start")))
    no_fill: dict[str, Any] = {"time": {"_FillValue": None}}  # a coordinate has no missing values (CF 2.5.1)
    groups = {
        "shapes": for_file(shapes),
        "ledger": ledger_table(records).assign_coords(time=time),
        "events": events,
        "loads": loads_table(records, case.get("every")).assign_coords(time=time),
        "case": xr.Dataset(attrs={"json": json.dumps(stored), "version": __version__}),
    }
    if "contacts" in records:
        groups["contacts"] = xr.Dataset(
            {n: ("contact", records["contacts"][:, k]) for k, n in enumerate(CONTACT_COLUMNS)}
        )
        groups["stress"] = stress_table(records).assign_coords(time=time)
    for name, data in groups.items():
        data.to_netcdf(path, mode="a", group=name, engine="netcdf4", encoding=no_fill if "time" in data else {})
    if checkpoint:
        import netCDF4

        with netCDF4.Dataset(path, "a") as file:
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


def stress_table(records: dict[str, Any]) -> xr.Dataset:
    """Sums of contact force times lever on (time, floe), means over the record interval, without coordinates."""
    import xarray as xr

    attrs = {
        "units": "N m",
        "long_name": "contact force times lever, tension positive; over area and thickness: stress",
    }
    names = ("moment_xx", "moment_xy", "moment_yy")
    return xr.Dataset({n: (("time", "floe"), records["stress"][:, k], attrs) for k, n in enumerate(names)})


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
