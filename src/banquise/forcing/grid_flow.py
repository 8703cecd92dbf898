"""Wind, current and other fields from files, linear in time, served at the points of the floes."""

from __future__ import annotations

import copy
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError, known_keywords
from banquise.forcing.flows import AFTER_END
from banquise.forcing.grid import FINER, Bounds, Lattice, Points, onto_lattice, sample
from banquise.forcing.names import VECTORS
from banquise.forcing.readers import Source, open_source
from banquise.given import path_of
from banquise.projection import Projection

Array = NDArray[np.float64]


class GridField:
    """A quantity of a file. `on_map` gives it the frame and the start of a run; from then on it can be sampled."""

    def __init__(self, source: Source, after_end: str = "stop", options: dict[str, Any] | None = None):
        if not isinstance(after_end, str) or after_end not in AFTER_END:
            raise ForcingError(f"{source.where}: after_end is {after_end!r}, expected one of {', '.join(AFTER_END)}.")
        self.source = source
        self.after_end = after_end
        self.options = dict(options or {})  # what `read_forcing` was called with, for case files
        self.bounds: Bounds | None = None
        self._bound = False

    # ------------------------------------------------------------ the frame of a run

    def on_map(self, projection: Projection | None, start: str | None, bounds: Bounds | None = None) -> Any:
        """This field in the frame of a run that starts at `start` (a date) and needs it over `bounds`."""
        other = copy.copy(self)
        grid = self.source.grid
        if projection is None and grid.kind != "plane":
            raise ForcingError(
                f"{self.source.where} is on the Earth ({grid.describe()}); the run has no map. "
                "Say crs = 'EPSG:3413' or another map in metres."
            )
        if projection is not None and grid.kind == "plane":
            raise ForcingError(
                f"{self.source.where}: x and y without a grid mapping, in a run on the map {projection.given}. "
                "Say which map the file is on: grid_crs = 'EPSG:...'."
            )
        other.projection, other.bounds = projection, bounds
        other.seconds = self.source.seconds(start)
        other._lattice = _lattice_for(grid, projection)
        other._direct = grid.is_lattice_of(projection)
        other._slices = {}
        other._ahead = None
        other._pool = None
        other._rows = slice(0, len(grid.y))
        other._bound = True
        if other._lattice.fixed:
            other._place()
        return other

    projection: Projection | None
    seconds: Array
    _lattice: Lattice
    _slices: dict[int, Array]
    _ahead: tuple[int, Future] | None
    _pool: ThreadPoolExecutor | None
    _direct: bool  # the file's grid is the lattice
    _rows: slice  # of the file that are needed

    def check_cover(self, until: float, what: str) -> None:
        """Raise unless the file covers the run in time, and in space where its floes or its domain are."""
        self._ready(what)
        times, where = self.seconds, self.source.where
        if self.source.times is not None:
            if times[0] > 0:
                raise ForcingError(
                    f"{what} starts {times[0]:g} s after the run does ({where}). Start later or add an earlier file."
                )
            if self.after_end == "stop" and times[-1] < until:
                raise ForcingError(
                    f"{what} ends at {times[-1]:g} s, the run needs {until:g} s ({where}). "
                    "Add a file, shorten `until`, or set after_end = 'hold' or 'repeat'."
                )
            if self.after_end == "repeat" and len(times) < 2:
                raise ForcingError(f"{what} has one time only and cannot repeat ({where}). Set after_end = 'hold'.")
        if self.bounds is None:
            return
        x, y = np.meshgrid(np.linspace(*self.bounds[:2], 17), np.linspace(*self.bounds[2:], 17))
        row, column = self.source.grid.place(self.projection, x, y)
        outside = np.isnan(row) | np.isnan(column)
        if outside.any():
            k = int(np.argmax(outside))
            raise ForcingError(
                f"{what} does not reach {self._say(x.ravel()[k], y.ravel()[k])}, inside the run's area "
                f"({where}: {self.source.grid.describe()})."
            )
        flat = Points.at(np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel()))
        if self.source.fill == "stop":
            missing = self._values(flat, 0.0)[1]
            if len(missing) == len(flat.x):
                raise ForcingError(f"{what} is missing (fill values) all over the run's area ({where}).")

    def _ready(self, what: str) -> None:
        if not self._bound:
            raise ForcingError(
                f"{what}: a file's field needs the map and the start of a run: field.on_map(crs, start)."
            )

    def _say(self, x: float, y: float) -> str:
        if self.projection is None:
            return f"({x:.6g}, {y:.6g}) m"
        longitude, latitude = self.projection.to_lonlat(x, y)
        return f"({x:.6g}, {y:.6g}) m = {float(latitude):.3f} N {float(longitude):.3f} E"

    # ------------------------------------------------------------ values

    def _values(self, points: Points, time: float) -> tuple[Array, NDArray[Any]]:
        first, second, weight = self._between(time)
        if self._lattice.grow(points.bounds(), self.source.where):
            self._place()
        before, after = self._slice(first), self._slice(second)
        self._read_ahead(first, second)
        return sample(self._lattice, before, after, weight, points)

    def at_points(self, points: Points, time: float) -> Array:
        """(n, components, m) at the points; an error where the file has nothing."""
        self._ready(self.source.quantity)
        if not len(points.px):
            return np.empty((0, len(self.source.parts), points.px.shape[1]))
        values, missing = self._values(points, time)
        if len(missing):
            k = int(missing[0])
            advice = (
                " Where it is land, set fill = 'nearest' or 'zero'."
                if self.source.fill == "stop"
                else " Its slice of that time is empty: leave it out of the file, time is linear between slices."
            )
            raise ForcingError(
                f"{self.source.quantity} at t = {time:g} s has no value near {self._say(points.x[k], points.y[k])} "
                f"({self.source.where}).{advice}"
            )
        return values

    def _between(self, time: float) -> tuple[int, int, float]:
        """The two slices around a time and the weight of the second."""
        times = self.seconds
        if len(times) == 1:
            return 0, 0, 0.0
        if self.after_end == "repeat" and time > times[-1]:
            time = times[0] + (time - times[0]) % (times[-1] - times[0])
        time = min(max(time, times[0]), times[-1])
        k = min(int(np.searchsorted(times, time, side="right")) - 1, len(times) - 2)
        return k, k + 1, float((time - times[k]) / (times[k + 1] - times[k]))

    def _place(self) -> None:
        """The lattice window has changed: where its nodes lie in the file, and how vectors turn there."""
        self._forget()
        grid = self.source.grid
        if not self._direct:
            x, y = self._lattice.nodes()
            row, column = grid.place(self.projection, x, y)
            if self.source.fill != "nearest":  # the nearest value may lie outside the rows of the window
                self._rows, first = grid.rows_for(row)
                row = row - first
            self._row, self._column = row, column
        self._directions = (
            grid.directions(self.projection, self.source.found.frame, self._rows)
            if self.source.quantity in VECTORS
            else None
        )

    def _forget(self) -> None:
        if self._ahead is not None:
            self._ahead[1].cancel() or self._ahead[1].exception()
        self._ahead, self._slices = None, {}

    def _load(self, k: int) -> Array:
        """Slice k on the lattice: read, turned at the file's nodes, then interpolated."""
        values = self.source.read(k, self._rows)
        if self._directions is not None:
            ex, ey = self._directions
            u, v = values
            values = np.stack([ex * u - ey * v, ey * u + ex * v])
        if self._direct:
            return np.ascontiguousarray(values)
        return onto_lattice(self.source.grid.pad(values, self._rows), self._row, self._column)

    def _slice(self, k: int) -> Array:
        if k not in self._slices:
            if self._ahead is not None and self._ahead[0] == k:
                loaded = self._ahead[1].result()
                self._ahead = None
            else:
                loaded = self._load(k)
            self._slices[k] = loaded
        return self._slices[k]

    def _read_ahead(self, first: int, second: int) -> None:
        """Keep two slices; start reading the next one while the run goes on."""
        for k in [k for k in self._slices if k not in (first, second)]:
            del self._slices[k]
        follower = second + 1
        if follower >= len(self.seconds) or (self._ahead is not None and self._ahead[0] == follower):
            return
        if self._ahead is not None:
            self._ahead[1].cancel() or self._ahead[1].exception()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="banquise-forcing")
        self._ahead = (follower, self._pool.submit(self._load, follower))

    def describe(self) -> list[str]:
        """How the file was understood, a line each."""
        return self.source.describe()

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.source.where}: " + "; ".join(self.describe())


class GridFlow(GridField):
    """Wind or current from a file, along x and y of the map (m/s)."""

    def sample(self, x: Array, y: Array, time: float) -> tuple[Array, Array]:
        """u, v at places of any shape."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        points = Points.at(np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel()))
        values = self.at_points(points, time)
        return values[:, 0, 0].reshape(x.shape), values[:, 1, 0].reshape(x.shape)


class GridScalar(GridField):
    """Concentration, thickness or another number from a file."""

    def sample(self, x: Array, y: Array, time: float) -> Array:
        """Values at places of any shape."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        points = Points.at(np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel()))
        return self.at_points(points, time)[:, 0, 0].reshape(x.shape)


def _lattice_for(grid: Any, projection: Projection | None) -> Lattice:
    if grid.kind == "point":
        return Lattice(1e12, 1e12, -5e11, -5e11, fixed=(2, 2))
    if grid.is_lattice_of(projection):
        hx, hy = ((axis[-1] - axis[0]) / (len(axis) - 1) for axis in (grid.x, grid.y))
        return Lattice(float(hx), float(hy), float(grid.x[0]), float(grid.y[0]), fixed=(len(grid.x), len(grid.y)))
    step = grid.spacing() / FINER
    return Lattice(step, step)


@known_keywords
def read_forcing(
    path: Any,
    quantity: str = "wind",
    variables: Any = None,
    *,
    after_end: str = "stop",
    start_hour: float = 0.0,
    frame: str | None = None,
    units: str | None = None,
    grid_crs: Any = None,
    depth: float | None = None,
    member: int | None = None,
    fill: str = "stop",
) -> Any:
    """Wind, current or another field from a file (NetCDF, Zarr) or several; a time series from a MAT file.

    Parameters
    ----------
    path : a file, or a list of them (months; u and v apart)
    quantity : "wind", "current", "ice_drift", "concentration", "thickness", "wave_height", "wave_period"
    variables : names of the variables, where they are not recognised
    after_end : "stop" (an error before the run if it needs more), "hold" or "repeat"
    start_hour : hour of a MAT series at which the run starts
    frame : "east" or "grid": what the components follow, where the file does not say it
    units : of the variables, where the file does not say them
    grid_crs : map of the file's x and y, where the file does not say it
    depth : m below the surface, of either sign, of a current with levels (default: the one nearest the surface)
    member : of an ensemble
    fill : "stop" (an error where ice meets a missing value), "nearest" sea value, or "zero"
    """
    given = dict(
        quantity=quantity, variables=variables, after_end=after_end, start_hour=start_hour, frame=frame, units=units,
        grid_crs=grid_crs, depth=depth, member=member, fill=fill,
    )  # fmt: skip
    paths = [path_of(p, quantity, ForcingError) for p in (path if isinstance(path, list | tuple) else [path])]
    if not paths:
        raise ForcingError("no forcing file given.")
    # whole paths: a run may be resumed from another folder
    options = {"file": [str(p.resolve()) for p in paths] if len(paths) > 1 else str(paths[0].resolve())}
    options |= {k: v for k, v in given.items() if v is not None and v != (read_forcing.__kwdefaults__ or {}).get(k)}
    if paths[0].suffix == ".mat":
        from banquise.forcing.mat_series import read_mat

        return read_mat(paths[0], quantity, after_end, start_hour, options)
    source = open_source(paths, quantity, variables, frame, units, grid_crs, depth, member, fill)
    return (GridFlow if quantity in VECTORS else GridScalar)(source, after_end, options)
