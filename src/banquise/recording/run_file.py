"""A run: its records as xarray, read from the NetCDF file that keeps them or from the pieces of one that was stopped."""

from __future__ import annotations

import json
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import RunFileError, known_keywords
from banquise.given import counted, path_of
from banquise.recording.extras import contacts_from, extras_from, flow_table, obstacles_table
from banquise.recording.groups import read_groups
from banquise.recording.ledger import COUNTS, check_columns
from banquise.recording.recorder import (
    EVENTS,
    STATE,
    STRESS,
    check_place,
    join_pieces,
    obstacles_after,
    pieces_of,
    read_pieces,
)
from banquise.recording.sealed import verify
from banquise.recording.shapes import (
    check_finite,
    check_shapes,
    check_times,
    floes_of,
    from_file,
    scene_from,
    shapes_dataset,
)
from banquise.recording.write_run import FORMAT, STATE_ATTRS, STRESS_ATTRS, ledger_table, loads_table, write_run
from banquise.scene.scene import Scene
from banquise.update.impulses import CONTACT_COLUMNS, KINDS

__all__ = ["Run", "open_run", "shapes_dataset", "write_run"]

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]

# kind of run, as its case says -> what reads its file, and its class; runs of floes need not say
READERS = {"blocks": "banquise.blocks.run:read_run"}
CLASSES = {"blocks": "banquise.blocks.run:BlockRun"}
IN_MEMORY = 64e6  # bytes of state below which a run file is read whole; above, what is asked for is read when asked


LAZY = {"state": STATE, "stress": STRESS}  # read from the file when asked for, column by column


class Records(dict):
    """Arrays of a run by name; state (time, 6, floe) and stress (time, 3, floe) of a file are read when first asked for."""

    def __init__(self, arrays: dict[str, Any], dataset: Any = None):
        super().__init__(arrays)
        self._dataset = dataset

    def __missing__(self, name: str) -> Any:
        if name not in self or self._dataset is None:
            raise KeyError(name)
        self[name] = np.stack([self._dataset[column].values for column in LAZY[name]], axis=1)
        return self[name]

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        return self._dataset is not None and name in LAZY and LAZY[str(name)][0] in self._dataset

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


class Run:
    """What a simulation recorded.

    `dataset` (time, floe), `ledger` (time), `events` (a table, one row an impact or a break), `loads` on obstacles and
    where these are in `obstacles` (time, obstacle), `flow` of air and water (time), `contacts` where kept, `shapes`, `scene` at
    the end, `profile` (seconds a stage), `case` (settings and versions).
    """

    def __init__(
        self,
        records: dict[str, Any],
        shapes: xr.Dataset,
        case: dict[str, Any],
        path: Path | None = None,
        dataset: xr.Dataset | None = None,
    ):
        self.records = records
        self.shapes = shapes
        self.case = case
        self.path = path
        if dataset is not None:
            self.__dict__["dataset"] = dataset  # of a file: takes the place of the cached property

    @cached_property
    def dataset(self) -> xr.Dataset:
        """State on (time, floe): x, y, rotation, u, v, spin; mean stress of each floe; time in float seconds from the start."""
        import xarray as xr

        state = self.records["state"]
        columns = {name: (("time", "floe"), state[:, k, :], STATE_ATTRS[name]) for k, name in enumerate(STATE)}
        if "stress" in self.records:
            stress = self.records["stress"]
            columns |= {name: (("time", "floe"), stress[:, k], STRESS_ATTRS[name]) for k, name in enumerate(STRESS)}
        coords = {
            "time": ("time", self.records["time"], {"long_name": "time from the start of the run", "units": "s"}),
            "floe": ("floe", np.arange(state.shape[2]), {"long_name": "floe id", "cf_role": "trajectory_id"}),
        }
        data = xr.Dataset(columns, coords, attrs={"title": self.case.get("title", "Banquise run")})
        if self.case.get("crs"):
            from banquise.projection import Projection

            longitude, latitude = Projection(self.case["crs"]).to_lonlat(state[:, 0], state[:, 1])
            data = data.assign_coords(lon=(("time", "floe"), longitude), lat=(("time", "floe"), latitude))
        return data

    @cached_property
    def ledger(self) -> xr.Dataset:
        """Energy, work, overlap, contacts on time."""
        return ledger_table(self.records).assign_coords(time=self.dataset["time"])

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row an impact or a break, floe_a < floe_b; an obstacle k is numbered after all floes."""
        import pandas as pd

        table = pd.DataFrame(self.records["events"], columns=list(EVENTS))
        table["kind"] = np.array(KINDS)[table["kind"].to_numpy(dtype=int)]
        for name in ("floe_a", "floe_b"):
            table[name] = table[name].astype(int)
        table["slip"] = table["slip"].astype(bool)
        return table

    @cached_property
    def loads(self) -> xr.Dataset:
        """Mean force (N) and torque (N m, about its centre) of the ice on each obstacle over the record interval.

        `name` says which obstacle is which; the walls of a box are the last ones.
        """
        return self._named(loads_table(self.records, self.case.get("every")))

    @cached_property
    def obstacles(self) -> xr.Dataset:
        """x, y (m, centre) and rotation (rad, from the pose at the start) of each obstacle on (time, obstacle)."""
        return self._named(obstacles_table(self.records, self.shapes))

    def _named(self, table: xr.Dataset) -> xr.Dataset:
        """A table on time and obstacles with both coordinates."""
        names = self.shapes["name"].values[self.shapes["obstacle"].values.astype(bool)].astype(str)
        return table.assign_coords(time=self.dataset["time"], name=("obstacle", names))

    @cached_property
    def flow(self) -> xr.Dataset:
        """wind_u, wind_v, current_u, current_v (m/s) on time, those the run has: uniform, or the mean over the floes."""
        return flow_table(self.records, self.case).assign_coords(time=self.dataset["time"])

    @cached_property
    def contacts(self) -> pd.DataFrame:
        """One row a pair that pushed since the last record: time, floe_a, floe_b, x, y, impulse (N s) on floe_b.

        Of runs made with `contacts=True`. An obstacle k is numbered after all floes.
        """
        import pandas as pd

        if "contacts" not in self.records:
            raise RunFileError(
                "this run did not keep the forces between floes. Run it with contacts=True (case file: contacts = true)."
            )
        table = pd.DataFrame(self.records["contacts"], columns=list(CONTACT_COLUMNS))
        return table.astype({"floe_a": int, "floe_b": int})

    @property
    def profile(self) -> dict[str, Any]:
        """Seconds of wall time in each stage, steps, threads."""
        return dict(self.case.get("profile", {}))

    @cached_property
    def scene(self) -> Scene:
        """The scene as it stands at the end."""
        last = self.dataset.isel(time=-1)
        return scene_from(self.shapes, np.stack([last[name].values for name in STATE]), self.case)

    def save(self, path: str | Path) -> None:
        """Write the run file (to a temporary name, then renamed)."""
        path = path_of(path, "run file")
        check_place(path)
        whole = dict(self.records) | {name: self.records[name] for name in LAZY if name in self.records}
        write_run(path, iter([whole]), self.shapes, self.case)
        self.path = path

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").run_html(self)

    def __repr__(self) -> str:
        d = self.dataset
        end = float(d.time[-1]) if d.sizes["time"] else 0.0
        where = f" {self.path}" if self.path else ""
        energy, balance = float(self.ledger.kinetic_energy[-1]), float(self.ledger.balance[-1])
        left = int(np.isfinite(d.x[-1]).sum()) if d.sizes["time"] else d.sizes["floe"]
        gone = "" if left == d.sizes["floe"] else f" ({left:,} at the end)"  # broken, or out through an open side
        lines = [
            f"Run{where}: {counted(d.sizes['floe'], 'floe')}{gone}, {counted(d.sizes['time'], 'record')} to {end:g} s",
            f"├── energy    {energy:.4g} J kinetic, balance {balance:.2g} J",
            f"├── contacts  {counted(int(self.ledger.collisions.sum()), 'impact')}, {int(self.ledger.unsolved.sum())} unsolved, "
            f"largest overlap {float(self.ledger.max_overlap.max()):.2g} m",
            "└── profile   "
            + (" · ".join(f"{k} {v:.3g} s" for k, v in self.profile.items() if isinstance(v, float)) or "none"),
        ]
        return "\n".join(lines)


@known_keywords
def open_run(path: str | Path, check: bool = True) -> Run:
    """Open a run file, or the pieces of one that was stopped.

    Parameters
    ----------
    path : the run file, whether it is there already or still in pieces
    check : False to skip the checksum, for a file that you have changed yourself
    """
    path = path_of(path, "run file", RunFileError)
    folder = pieces_of(path)
    if folder.is_dir() and (not path.exists() or not same_run(path, folder)):
        return _open_pieces(path, folder)
    if not path.exists():
        raise RunFileError(f"{path}: no such run file.")
    if path.is_dir():
        raise RunFileError(f"{path}: is a folder, expected a run file (.nc).")
    if path.suffix.lower() == ".toml":
        raise RunFileError(f"{path}: a case file, not a run file. Run it first: banquise run {path}.")
    if check:
        _verified(path)
    try:
        kind = stored_case(path).get("kind")
        return _named(READERS[kind])(path) if kind in READERS else _read(path)
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError, TypeError, IndexError) as problem:
        if isinstance(problem, RunFileError):
            raise
        if _of_a_glacier(path):
            raise RunFileError(
                f"{path}: a run of a glacier, which is not opened, resumed or exported as one of floes. "
                f"Look at it with banquise view, plot or report, read it with xarray.open_dataset."
            ) from None
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise RunFileError(f"{path}: not a Banquise run file, or a damaged one ({reason}).") from None


def _verified(path: Path) -> None:
    """Raise unless the seal of a run file fits; what is no run at all is said to be so."""
    try:
        verify(path, "run file")
    except RunFileError:
        if of_a_sweep(path):
            raise RunFileError(
                f"{path}: the results of a sweep, not a run. Look at them with: banquise inspect {path}, "
                "or xarray.open_dataset."
            ) from None
        raise


def of_a_sweep(path: Path) -> bool:
    """Whether a file holds the results of `banquise sweep`."""
    import netCDF4

    try:
        with netCDF4.Dataset(path) as data:
            return {"title", "members", "done"} <= set(data.ncattrs()) and "seed" in data.dimensions
    except Exception:  # a damaged file fails anywhere inside HDF5 and netCDF, each in its own way
        return False


def _of_a_glacier(path: Path) -> bool:
    """Whether a file that is no run of floes or blocks is one of a glacier, which is a plain dataset on time and node."""
    import xarray as xr

    try:
        with xr.open_dataset(path, engine="netcdf4") as data:
            return bool(data.attrs.get("source") == "banquise glacier" and "node" in data.sizes)
    except (OSError, ValueError, KeyError, RuntimeError):
        return False


def _named(place: str) -> Any:
    """What a "module:name" names, imported."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def stored_case(path: Path) -> dict[str, Any]:
    """The case in a run file."""
    case: dict[str, Any] = json.loads(read_groups(path, ("case",))["case"].attrs["json"])
    return case


def _read(path: Path) -> Run:
    import xarray as xr

    groups = read_groups(path, ("shapes", "ledger", "events", "loads", "case"), ("obstacles", "flow", "contacts"))
    case = json.loads(groups["case"].attrs["json"])
    if case.get("format", 1) > FORMAT:
        raise RunFileError(f"{path}: written by a newer Banquise (format {case['format']}). Install that one.")
    root = xr.open_dataset(path, engine="netcdf4", decode_times=False)
    missing = [name for name in (*STATE, "time") if name not in root]
    if missing:
        root.close()
        raise RunFileError(f"{path}: NetCDF, but not a Banquise run file (no {', '.join(missing)}).")
    if 8 * 6 * root.sizes["time"] * root.sizes["floe"] < IN_MEMORY:
        root.load().close()
    held = [*STATE, *(name for name in STRESS if name in root)]
    data = root.reset_coords()[held].assign_coords(
        floe=("floe", root["floe_id"].values, {"long_name": "floe id", "cf_role": "trajectory_id"})
    )
    data = data.assign_coords({name: root[name].variable for name in ("lon", "lat") if name in root})
    data["time"].attrs = {"long_name": "time from the start of the run", "units": "s"}
    data.attrs = {"title": case.get("title", "Banquise run")}
    names = [str(name) for name in groups["ledger"].data_vars]
    check_columns(names, path)
    loads = groups["loads"]
    check_shapes(groups["shapes"])
    check_times(root["time"])
    if floes_of(groups["shapes"]) != root.sizes["floe"]:
        raise ValueError("shapes: not as many floes as in the records")
    check_finite(loads, ("force_x", "force_y", "torque"), "loads")
    check_finite(groups["events"], ("time", "floe_a", "floe_b"), "events")
    check_finite(groups["ledger"], COUNTS, "ledger")
    if "impulse_x" in groups["contacts"]:
        check_finite(groups["contacts"], CONTACT_COLUMNS, "contacts")
    if not groups["events"]["kind"].isin(range(len(KINDS))).all():
        raise ValueError("events: of no known kind")
    records = Records(
        {
            "time": root["time"].values,
            "ledger": np.column_stack([groups["ledger"][name].values for name in names]),
            "ledger_names": np.array(names),
            "loads": np.stack([loads[name].values for name in ("force_x", "force_y", "torque")], axis=2),
            "events": np.column_stack([groups["events"][name].values for name in EVENTS]),
            **extras_from(groups["obstacles"], groups["flow"]),
            **contacts_from(groups["contacts"]),
        },
        data,
    )
    return Run(records, from_file(groups["shapes"]), case, path, data)


def in_file(path: Path) -> tuple[bytes, bytes]:
    """Settings and state at the end of a finished run."""
    import netCDF4

    open_run(path)
    with netCDF4.Dataset(path) as file:
        if "checkpoint" not in file.groups:
            raise RunFileError(f"{path}: holds no checkpoint, so it cannot be taken further.")
        group = file["checkpoint"]
        return group["settings"][:].data.tobytes(), group["state"][:].data.tobytes()


def same_run(path: Path, folder: Path) -> bool:
    """Whether pieces belong to the finished file beside them: then they are only left over."""
    try:
        return bool(stored_case(path)["run_id"] == start_of(folder)[1]["run_id"])
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError, TypeError, IndexError):
        return False


def start_of(folder: Path) -> tuple[xr.Dataset, dict[str, Any]]:
    """Shapes and case of a run in pieces."""
    import xarray as xr

    start = folder / "start.nc"
    if not start.exists():
        raise RunFileError(f"{folder}: pieces of a run without their start; nothing can be read.")
    verify(start, "start of a run")
    try:
        with xr.open_dataset(start, engine="netcdf4", decode_times=False) as shapes:
            shapes = shapes.load()
        case = json.loads(shapes.attrs.pop("case"))
        return from_file(shapes), case
    except (OSError, ValueError, KeyError, AttributeError) as problem:
        reason = str(problem).splitlines()[0]
        raise RunFileError(f"{start}: the start of a run that was stopped, but damaged ({reason}).") from None


def _open_pieces(path: Path, folder: Path) -> Run:
    shapes, case = start_of(folder)
    records = join_pieces(read_pieces(folder))
    kind = case.get("kind")
    if kind in CLASSES:
        made: Run = _named(CLASSES[kind])(records, shapes, case, path)
        return made
    records |= obstacles_after(records, floes_of(shapes))
    return Run(records, shapes, case, path)
