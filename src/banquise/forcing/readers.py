"""Forcing files through xarray: NetCDF, Zarr (GRIB where cfgrib is installed), normalised to one form.

A `Source` is what one quantity of some files comes to: an increasing grid, increasing times, and `read(k)` for a slice in
SI with NaN where the file has nothing. `time` or `valid_time`, `expver`, `number`, depth, fill values, percent,
0-360 degrees and other calendars are dealt with here and nowhere else.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError
from banquise.forcing import names
from banquise.forcing.axes import grid_of
from banquise.threads import FILES

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
# undeclared fill values are -999, -9999, 1e20, 9.97e36; SI, by quantity, what nothing on Earth comes near
ABSURD = {"wind": 500.0, "current": 50.0, "ice_drift": 50.0}
_WHOLE = 256 * 2**20  # bytes hashed entirely; of larger files both ends


def open_forcing(path: str | Path) -> xr.Dataset:
    """A file as an xarray dataset (lazy), decoded; ForcingError when it is none."""
    import xarray as xr

    path = Path(path)
    if not path.exists():
        raise ForcingError(f"{path}: no such forcing file.")
    if path.is_dir() and not any((path / name).exists() for name in ("zarr.json", ".zgroup", ".zmetadata")):
        raise ForcingError(f"{path}: is a folder, expected a NetCDF file or a Zarr store.")
    engine = "zarr" if path.is_dir() else "cfgrib" if path.suffix in (".grib", ".grb", ".grib2") else "netcdf4"
    if engine in ("zarr", "cfgrib"):
        _need(engine, path)
    try:
        with FILES:
            return xr.open_dataset(path, engine=engine, decode_timedelta=False)
    except Exception as problem:  # every engine has errors of its own; whatever it says, the file cannot be read
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise ForcingError(f"{path}: cannot be read as {engine} ({reason}). Expected NetCDF, Zarr or GRIB.") from None


def _need(module: str, path: Path) -> None:
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise ForcingError(f"{path}: reading it needs {module}. Install it: pip install {module}.")


class Source:
    """One quantity of one or more files (u and v may lie apart, and so may months)."""

    def __init__(
        self,
        paths: Sequence[Path],
        quantity: str,
        variables: Any = None,
        frame: str | None = None,
        units: str | None = None,
        grid_crs: Any = None,
        depth: float | None = None,
        member: int | None = None,
        fill: str = "stop",
    ):
        if fill not in ("stop", "nearest", "zero"):
            raise ForcingError(f"fill is {fill!r}, expected 'stop', 'nearest' or 'zero'.")
        self.paths, self.quantity, self.fill = list(paths), quantity, fill
        self.where = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        datasets = [open_forcing(path) for path in paths]
        everything: dict[str, Any] = {}
        for data in datasets:
            everything |= {str(name): data[name] for name in data.data_vars}
        self.found = names.choose(everything, quantity, variables, frame, self.where)
        self.factors = [
            names.unit_factor(everything[name], quantity, self.where, units) for name in self.found.variables
        ]
        self.parts: list[list[tuple[Any, str | None, int]]] = []  # a component: (variable, its time, index) in time
        self.notes: list[str] = []
        times: list[list[Any]] = []
        first: Any = None
        for name in self.found.variables:
            parts: list[tuple[Any, str | None, int]] = []
            when: list[Any] = []
            for data in datasets:
                if name not in data.data_vars:
                    continue
                variable, axis = _reduced(data, name, self.where, depth, member, self.notes)
                first = first if first is not None else (data, variable, axis)
                stamps = [None] if axis is None else _stamps(data[axis], self.where)
                parts += [(variable, axis, k) for k in range(len(stamps))]
                when += stamps
            order = (
                sorted(range(len(when)), key=lambda k: when[k]) if when and when[0] is not None else range(len(when))
            )
            self.parts.append([parts[k] for k in order])
            times.append([when[k] for k in order])
        if member is not None and not any(str(d) in names.MEMBERS for data in datasets for d in data.dims):
            raise ForcingError(f"{self.where}: member is {member!r}, but the file has no members. Leave it out.")
        self.times = self._check_times(times)
        self.dims, self.grid, self._flip = grid_of(first[0], first[1], first[2], grid_crs, self.where)
        for parts in self.parts:
            for variable in {id(v): v for v, _, _ in parts}.values():
                if set(self.dims) - set(variable.dims) or any(
                    variable.sizes[d] != n for d, n in zip(self.dims, self.grid.shape)
                ):
                    raise ForcingError(f"{self.where}: {variable.name} is on another grid than {first[1].name}.")

    def _check_times(self, times: list[list[Any]]) -> list[Any] | None:
        if any(len(t) != len(times[0]) or any(a != b for a, b in zip(t, times[0])) for t in times[1:]):
            raise ForcingError(f"{self.where}: {' and '.join(self.found.variables)} have different times.")
        stamps = times[0]
        if not stamps:
            raise ForcingError(f"{self.where}: no times.")
        if stamps[0] is None:
            if len(stamps) > 1:
                raise ForcingError(f"{self.where}: several files without times. Expected one.")
            return None
        if any(t != t for t in stamps):
            raise ForcingError(f"{self.where}: a time is missing (NaT).")
        twice = next((a for a, b in itertools.pairwise(stamps) if a == b), None)
        if twice is not None:
            raise ForcingError(f"{self.where}: the time {_stamp(twice)} appears twice.")
        return stamps

    def seconds(self, start: str | None) -> Array:
        """Times in seconds from the start of the run."""
        if self.times is None:
            return np.zeros(1)
        first = self.times[0]
        if isinstance(first, float | int | np.floating | np.integer):
            return np.array(self.times, dtype=float)
        if start is None:
            raise ForcingError(
                f"{self.where} runs from {_stamp(first)} to {_stamp(self.times[-1])}: say when the run starts, "
                f"such as start = '{_stamp(first)}'."
            )
        return np.array([_difference(t, start, self.where) for t in self.times])

    def read(self, k: int, rows: slice) -> Array:
        """Slice k (components, rows, columns): increasing axes, SI, NaN where there is nothing."""
        out = []
        for parts, factor in zip(self.parts, self.factors):
            variable, time, index = parts[k]
            with FILES:
                try:
                    piece = variable if time is None else variable.isel({time: index})
                    n = self.grid.shape[0]
                    taken = slice(n - rows.stop, n - rows.start) if self._flip[0] else rows
                    piece = piece.isel({self.dims[0]: taken})
                    piece = _first_known(piece) if "expver" in piece.dims else piece
                    values = piece.transpose(*self.dims).values.astype(float)
                except Exception as problem:  # as in open_source: whatever it is, the file is not to be trusted
                    raise ForcingError(
                        f"{self.where}: slice {k} of {variable.name} cannot be read ({problem})."
                    ) from None
            values *= factor
            values[~(np.abs(values) < ABSURD.get(self.quantity, 1e10))] = np.nan
            out.append(values[:: -1 if self._flip[0] else 1, :: -1 if self._flip[1] else 1])
        return _filled(np.stack(out), self.fill)

    def describe(self) -> list[str]:
        """What was understood, a line each."""
        lines = [str(self.found), self.grid.describe()]
        if self.times is None:
            lines.append("no time: steady")
        elif isinstance(self.times[0], float | np.floating):
            lines.append(
                f"{len(self.times)} times, {self.times[0]:g} to {self.times[-1]:g} s from the start of the run"
            )
        else:
            calendar = getattr(self.times[0], "calendar", "standard")
            lines.append(
                f"{len(self.times)} times, {_stamp(self.times[0])} to {_stamp(self.times[-1])}, calendar {calendar}"
            )
        return lines + ([gap] if (gap := self.gap()) else []) + self.notes

    def gap(self) -> str | None:
        """The longest step between two slices, where it is longer than the others: a file that was left out, most likely."""
        if self.times is None or len(self.times) < 3 or isinstance(self.times[0], float | np.floating):
            return None
        steps = [_elapsed(b - a) for a, b in itertools.pairwise(self.times)]
        k, usual = int(np.argmax(steps)), float(np.median(steps))
        if steps[k] < 1.5 * usual:  # months differ by less
            return None
        ends = f"from {_stamp(self.times[k])} to {_stamp(self.times[k + 1])}"
        return f"longest step {steps[k] / 3600:g} h, {ends}, the usual one {usual / 3600:g} h: linear in between"


def open_source(paths: Sequence[Path], *options: Any, **named: Any) -> Source:
    """A `Source`, or a ForcingError whatever is wrong with the files."""
    try:
        return Source(paths, *options, **named)
    except ForcingError:
        raise
    except Exception as problem:  # a damaged file can fail anywhere inside HDF5, xarray or cftime, in its own way
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise ForcingError(f"{paths[0]}: cannot be understood, perhaps damaged ({reason}).") from None


def _stamps(axis: Any, where: str) -> list[Any]:
    """Dates, or seconds from the start of the run where the file has bare numbers."""
    if axis.dtype.kind in "fiu":
        unit = str(axis.attrs.get("units", "s")).strip()
        factor = {"s": 1.0, "seconds": 1.0, "second": 1.0, "h": 3600.0, "hours": 3600.0, "days": 86400.0}.get(unit)
        if factor is None:
            raise ForcingError(f"{where}: times in {unit!r}, expected dates, or s, hours or days from the start.")
        return [float(t) * factor for t in axis.values]
    if axis.dtype.kind not in "MO":
        raise ForcingError(f"{where}: the axis {axis.name} holds no times.")
    return list(axis.values)


def _reduced(
    data: Any, name: str, where: str, depth: float | None, member: int | None, notes: list[str]
) -> tuple[Any, str | None]:
    """The variable with nothing but time and two places left (and expver, joined when read), and its time dimension."""
    variable = data[name]
    time = next((str(d) for d in variable.dims if _is_time(data, str(d))), None)
    for dim in map(str, variable.dims):
        if dim == time or dim == "expver" or variable.sizes[dim] == 0:
            continue
        if dim in names.MEMBERS or dim in names.DEPTHS or (variable.sizes[dim] == 1 and dim not in _places(data)):
            index = 0
            size = variable.sizes[dim]
            if dim in names.MEMBERS and size > 1:
                if member is None or not 0 <= member < size:
                    raise ForcingError(f"{where}: {name} has {size} members ({dim}): choose, member = 0 to {size - 1}.")
                index = member
            elif dim in names.DEPTHS and size > 1:
                levels = np.abs(np.asarray(data[dim].values, dtype=float))
                index = int(np.argmin(levels if depth is None else np.abs(levels - abs(depth))))
                notes.append(f"depth {levels[index]:g} m of {size} levels")
            variable = variable.isel({dim: index})
    if 0 in variable.shape:
        raise ForcingError(f"{where}: {name} is empty {variable.shape}.")
    return variable, time


def _elapsed(step: Any) -> float:
    """Seconds of a difference of two times, of NumPy's or of another calendar's."""
    return float(step.total_seconds()) if hasattr(step, "total_seconds") else float(step / np.timedelta64(1, "s"))


def _places(data: Any) -> set[str]:
    known = {*names.LONGITUDES, *names.LATITUDES, *names.X_AXES, *names.Y_AXES}
    return {str(d) for d in data.dims if str(d) in known}


def _is_time(data: Any, dim: str) -> bool:
    if dim in names.TIMES:
        return True
    return dim in data.coords and (data[dim].dtype.kind == "M" or data[dim].attrs.get("standard_name") == "time")


def _first_known(piece: Any) -> Any:
    """ERA5 beside ERA5T: two halves of one field along `expver`, each missing where the other is."""
    out = piece.isel(expver=0)
    for k in range(1, piece.sizes["expver"]):
        out = out.fillna(piece.isel(expver=k))
    return out


def _filled(field: Array, fill: str) -> Array:
    missing = np.isnan(field).any(axis=0)
    if fill == "stop" or not missing.any():
        return field
    if fill == "zero":
        return np.where(np.isnan(field), 0.0, field)
    if missing.all():
        return field
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(missing, return_distances=False, return_indices=True)
    return np.asarray(field[:, nearest[0], nearest[1]])


def fingerprint(path: Path) -> str:
    """sha256 of a file, of both ends and the size of a large one, of the names and sizes in a store."""
    digest = hashlib.sha256()
    if path.is_dir():
        for inner in sorted(p for p in path.rglob("*") if p.is_file()):
            digest.update(f"{inner.relative_to(path)} {inner.stat().st_size}\n".encode())
        return digest.hexdigest()
    size = path.stat().st_size
    with open(path, "rb") as file:
        if size <= _WHOLE:
            while block := file.read(2**20):
                digest.update(block)
        else:
            digest.update(str(size).encode() + file.read(_WHOLE // 2))
            file.seek(-_WHOLE // 2, 2)
            digest.update(file.read())
    return digest.hexdigest()


def _stamp(time: Any) -> str:
    if isinstance(time, np.datetime64):
        return str(time.astype("datetime64[s]"))
    return time.isoformat() if hasattr(time, "isoformat") else f"{time:g} s"


_START = re.compile(r"(-?\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?Z?")


def start_parts(start: str) -> tuple[int, ...]:
    """Year, month, day, hour, minute, second of an ISO date; also of dates only other calendars have."""
    match = _START.fullmatch(start.strip()) if isinstance(start, str) else None
    if match is None:
        raise ForcingError(f"start: got {start!r}, expected a date such as '2024-03-01T00:00'.")
    return tuple(int(part or 0) for part in match.groups())


def _difference(time: Any, start: str, where: str) -> float:
    """Seconds from `start`, in the calendar of the file."""
    parts = start_parts(start)
    try:
        if isinstance(time, np.datetime64):
            year, month, day, hour, minute, second = parts
            origin = np.datetime64(f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}", "ns")
            gone: Any = time - origin
            return float(gone / np.timedelta64(1, "ns")) * 1e-9
        import cftime

        return float((time - cftime.datetime(*parts, calendar=time.calendar)).total_seconds())
    except (ValueError, TypeError) as problem:
        raise ForcingError(f"{where}: start {start!r} is not a date of its calendar ({problem}).") from None
