"""A run: its records as xarray, and the NetCDF file that keeps them (CF-1.11, one file, plain xarray reads it)."""

from __future__ import annotations

import json
import os
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.errors import RunFileError
from banquise.recording.ledger import LONG_NAMES
from banquise.recording.recorder import EVENT_COLUMNS, STATE, join_pieces, read_pieces
from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.scene import Scene

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]

KINDS = ("impact", "break")
_STATE_ATTRS = {
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
_EPOCH = "2000-01-01 00:00:00"
# numbers of one body kept in the shapes group, enough to make the floe again
_SHAPE_NUMBERS = {
    "thickness": ("m", "mean thickness"),
    "density": ("kg m-3", "density"),
    "area": ("m2", "area of the plane section"),
    "mass": ("kg", "mass"),
    "inertia": ("kg m2", "moment of inertia about the centre of mass"),
    "radius": ("m", "rounding radius"),
    "water_drag": ("1", "drag coefficient of the water"),
    "air_drag": ("1", "drag coefficient of the air"),
    "start_x": ("m", "x of the centre of mass when the body was made"),
    "start_y": ("m", "y of the centre of mass when the body was made"),
}


class Run:
    """What a simulation recorded.

    `dataset` (time, floe), `ledger` (time), `events` (a table, one row an impact or a break), `loads` on obstacles
    (time, obstacle), `shapes`, `scene` at the end, `profile` (seconds a stage), `case` (settings and versions).
    """

    def __init__(self, records: dict[str, Any], shapes: xr.Dataset, case: dict[str, Any], path: Path | None = None):
        self.records = records
        self.shapes = shapes
        self.case = case
        self.path = path

    @cached_property
    def dataset(self) -> xr.Dataset:
        """State on (time, floe): x, y, rotation, u, v, spin; time in float seconds from the start."""
        import xarray as xr

        state = self.records["state"]
        columns = {name: (("time", "floe"), state[:, k, :], _STATE_ATTRS[name]) for k, name in enumerate(STATE)}
        coords = {
            "time": ("time", self.records["time"], {"long_name": "time from the start of the run", "units": "s"}),
            "floe": ("floe", np.arange(state.shape[2]), {"long_name": "floe id", "cf_role": "trajectory_id"}),
        }
        return xr.Dataset(columns, coords, attrs={"title": self.case.get("title", "Banquise run")})

    @cached_property
    def ledger(self) -> xr.Dataset:
        """Energy, work, overlap, contacts on time."""
        import xarray as xr

        columns = {}
        for k, name in enumerate(map(str, self.records["ledger_names"])):
            units, long_name = LONG_NAMES.get(name, ("1", name))
            columns[name] = ("time", self.records["ledger"][:, k], {"units": units, "long_name": long_name})
        return xr.Dataset(columns, {"time": self.dataset["time"]})

    @cached_property
    def events(self) -> pd.DataFrame:
        """One row an impact or a break, floe_a < floe_b; an obstacle k is numbered after all floes."""
        import pandas as pd

        table = pd.DataFrame(self.records["events"], columns=list(EVENT_COLUMNS))
        table["kind"] = np.array(KINDS)[table["kind"].to_numpy(dtype=int)]
        for name in ("floe_a", "floe_b"):
            table[name] = table[name].astype(int)
        table["slip"] = table["slip"].astype(bool)
        return table

    @cached_property
    def loads(self) -> xr.Dataset:
        """Mean force (N) and torque (N m, about its centre) of the ice on each obstacle over the record interval."""
        import xarray as xr

        loads = self.records["loads"]
        columns = {
            "force_x": (("time", "obstacle"), loads[:, :, 0], {"units": "N", "long_name": "mean force along x"}),
            "force_y": (("time", "obstacle"), loads[:, :, 1], {"units": "N", "long_name": "mean force along y"}),
            "torque": (("time", "obstacle"), loads[:, :, 2], {"units": "N m", "long_name": "mean torque"}),
        }
        window = self.case.get("every")
        data = xr.Dataset(columns, {"time": self.dataset["time"]}, attrs={"window_seconds": window})
        if len(self.records["time"]) and loads.shape[1]:
            size = np.hypot(loads[:, :, 0], loads[:, :, 1])
            data["peak_force"] = (
                "obstacle",
                size.max(axis=0),
                {"units": "N", "long_name": "largest mean force over a window"},
            )
        return data

    @property
    def profile(self) -> dict[str, Any]:
        """Seconds of wall time in each stage, steps, threads."""
        return dict(self.case.get("profile", {}))

    @cached_property
    def scene(self) -> Scene:
        """The scene as it stands at the end."""
        return scene_from(self.shapes, self.records["state"][-1], self.case)

    def save(self, path: str | Path) -> None:
        """Write the run file (to a temporary name, then renamed)."""
        write_run(self, Path(path))

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").run_html(self)

    def __repr__(self) -> str:
        d = self.dataset
        end = float(d.time[-1]) if d.sizes["time"] else 0.0
        where = f" {self.path}" if self.path else ""
        energy, balance = float(self.ledger.kinetic_energy[-1]), float(self.ledger.balance[-1])
        lines = [
            f"Run{where}: {d.sizes['floe']:,} floes, {d.sizes['time']:,} records to {end:g} s",
            f"├── energy    {energy:.4g} J kinetic, balance {balance:.2g} J",
            f"├── contacts  {int(self.ledger.collisions.sum()):,} impacts, {int(self.ledger.unsolved.sum())} unsolved, "
            f"largest overlap {float(self.ledger.max_overlap.max()):.2g} m",
            "└── profile   "
            + (" · ".join(f"{k} {v:.3g}" for k, v in self.profile.items() if isinstance(v, float)) or "none"),
        ]
        return "\n".join(lines)


# ---------------------------------------------------------------- shapes


def shapes_dataset(floes: list[Floe], obstacles: list[Obstacle], lives: dict[str, Any]) -> xr.Dataset:
    """Every ring once, in its own frame, by id, with what is needed to make the floe again.

    `lives` gives birth and end times and parents by floe id (arrays of the length of `floes`).
    """
    import xarray as xr

    parts: list[Any] = [*floes, *obstacles]
    bodies = Bodies.shapes_of(floes, obstacles)
    n = len(parts)
    rings_of = np.diff(bodies.body_ring)
    owner = np.repeat(np.arange(n), rings_of)
    interior = np.ones(len(owner), dtype=np.int8)
    interior[bodies.body_ring[:-1]] = 0
    free = np.arange(n) < len(floes)
    numbers = {
        "thickness": bodies.thickness,
        "density": [getattr(p, "density", 0.0) for p in parts],
        "area": bodies.area,
        "mass": np.where(free, bodies.mass, np.inf),
        "inertia": np.where(free, bodies.inertia, np.inf),
        "radius": [p.radius for p in parts],
        "water_drag": [getattr(p, "water_drag", 0.0) for p in parts],
        "air_drag": [getattr(p, "air_drag", 0.0) for p in parts],
        "start_x": bodies.x,
        "start_y": bodies.y,
    }
    nodes = bodies.vertices
    data = {
        name: ("body", np.array(values, dtype=float), dict(zip(("units", "long_name"), _SHAPE_NUMBERS[name])))
        for name, values in numbers.items()
    }
    pad = len(obstacles)
    parent = np.append(lives["parent"], np.full(pad, -1)).astype(np.int64)
    points = np.diff(bodies.ring_start).astype(np.int64)
    data |= {
        "obstacle": ("body", (np.arange(n) >= len(floes)).astype(np.int8), {"long_name": "1 for an obstacle"}),
        "birth": ("body", np.append(lives["birth"], np.zeros(pad)), {"units": "s", "long_name": "time of birth"}),
        "end": ("body", np.append(lives["end"], np.full(pad, np.inf)), {"units": "s", "long_name": "time of end"}),
        "parent": ("body", parent, {"long_name": "id of the parent, -1 for none"}),
        "material": ("body", np.array([p.material for p in parts], dtype=str), {"long_name": "material"}),
        "name": ("body", np.array([p.name or "" for p in parts], dtype=str), {"long_name": "name"}),
        "ring_body": ("ring", owner.astype(np.int64), {"long_name": "body of this ring"}),
        "interior_ring": ("ring", interior, {"long_name": "1 for a hole"}),
        "part_node_count": ("ring", points, {"long_name": "points of this ring"}),
        "node_x": ("node", nodes[:, 0].copy(), {"units": "m", "long_name": "x in the body frame"}),
        "node_y": ("node", nodes[:, 1].copy(), {"units": "m", "long_name": "y in the body frame"}),
    }  # fmt: skip
    return xr.Dataset(
        data, attrs={"comment": "pose (x, y, rotation) of the state applied to these rings draws the floes"}
    )


def scene_from(shapes: xr.Dataset, state: Array, case: dict[str, Any]) -> Scene:
    """Floes and obstacles at a recorded state (6, n); floes that are not there (NaN) are left out."""
    counts = shapes["part_node_count"].values
    starts = np.concatenate([[0], np.cumsum(counts)])
    nodes = np.column_stack([shapes["node_x"].values, shapes["node_y"].values])
    rings: dict[int, list[Array]] = {}
    for k, owner in enumerate(shapes["ring_body"].values):
        rings.setdefault(int(owner), []).append(nodes[starts[k] : starts[k + 1]])
    value = {name: shapes[name].values for name in (*_SHAPE_NUMBERS, "material", "name", "obstacle")}
    floes: list[Floe] = []
    obstacles: list[Obstacle] = []
    walls = int(case.get("walls", 0))
    n_bodies = len(value["obstacle"])
    poses = case.get("obstacle_poses", [])
    n_floes = int((value["obstacle"] == 0).sum())
    for k in range(n_bodies):
        if value["obstacle"][k]:
            if k >= n_bodies - walls:
                continue  # a wall of the domain comes back with the domain
            x, y, angle = poses[k - n_floes] if poses else (value["start_x"][k], value["start_y"][k], 0.0)
        else:
            x, y, angle = state[:3, k]
            if not np.isfinite(x):
                continue
        c, s = np.cos(angle), np.sin(angle)
        moved = [ring @ np.array([[c, s], [-s, c]]) + (x, y) for ring in rings[k]]
        common: dict[str, Any] = {"material": str(value["material"][k]), "name": str(value["name"][k]) or None}
        if value["obstacle"][k]:
            obstacles.append(Obstacle(moved[0], holes=moved[1:], radius=float(value["radius"][k]), **common))
            continue
        options: dict[str, Any] = {
            "thickness": float(value["thickness"][k]),
            "density": float(value["density"][k]),
            "velocity": (float(state[3, k]), float(state[4, k])),
            "spin": float(state[5, k]),
            "water_drag": float(value["water_drag"][k]),
            "air_drag": float(value["air_drag"][k]),
            **common,
        }
        if len(moved[0]) == 1:
            floes.append(Disc(moved[0][0], float(value["radius"][k]), **options))
        else:
            floes.append(Floe(moved[0], holes=moved[1:], radius=float(value["radius"][k]), **options))
    return Scene(floes, obstacles, _domain_from(case.get("domain")))


def _domain_from(stored: Any) -> Any:
    if not stored:
        return None
    stored = dict(stored)
    kind = stored.pop("kind")
    if "open" in stored:
        stored["open"] = tuple(stored["open"])
    return {"box": Box, "periodic": Periodic}[kind](**stored)


# ---------------------------------------------------------------- the file


def write_run(run: Run, path: Path) -> None:
    """One NetCDF-4 file: state at the root, groups shapes, ledger, events, loads, case."""
    import xarray as xr

    root = run.dataset.drop_vars("floe").copy()
    root["floe_id"] = ("floe", run.dataset["floe"].values, {"cf_role": "trajectory_id", "long_name": "floe id"})
    time = ("time", run.records["time"], _time_attrs(run.case.get("start")))
    root = root.assign_coords(time=time)
    for name in ("u", "v", "rotation", "spin"):
        root[name].attrs["coordinates"] = "time x y floe_id"
    root.attrs = {
        "Conventions": "CF-1.11",
        "featureType": "trajectory",
        "title": run.case.get("title", "Banquise run"),
        "institution": run.case.get("institution", "not stated"),
        "source": f"Banquise {__version__}",
        "history": f"{run.case.get('written', '')} written by Banquise {__version__}",
        "references": "Rabatel, Labbe, Weiss (2015), J. Geophys. Res. Oceans 120, 5887-5909",
        "comment": "Floes as trajectories; shapes in the group of that name; time counts from the start of the run.",
    }
    squeeze = {"zlib": True, "complevel": 1, "shuffle": True}
    encoding: dict[str, Any] = {name: {**squeeze, "_FillValue": np.nan} for name in STATE}
    no_fill: dict[str, Any] = {"time": {"_FillValue": None}}  # a coordinate has no missing values (CF 2.5.1)
    events = xr.Dataset({name: ("event", run.records["events"][:, k]) for k, name in enumerate(EVENT_COLUMNS)})
    events["kind"].attrs = {"flag_values": np.arange(len(KINDS), dtype=float), "flag_meanings": " ".join(KINDS)}
    case = xr.Dataset(attrs={"json": json.dumps(run.case), "version": __version__})
    temporary = path.with_name(path.name + ".tmp")
    try:
        root.to_netcdf(temporary, mode="w", engine="netcdf4", encoding=encoding | no_fill)
        for group, data in (
            ("shapes", run.shapes),
            ("ledger", run.ledger.assign_coords(time=time)),
            ("events", events),
            ("loads", run.loads.assign_coords(time=time)),
            ("case", case),
        ):
            data.to_netcdf(
                temporary, mode="a", group=group, engine="netcdf4", encoding=no_fill if "time" in data else {}
            )
        os.replace(temporary, path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise RunFileError(f"output {path}: cannot write ({problem.strerror or problem}).") from None
    run.path = path


def _time_attrs(start: str | None) -> dict[str, str]:
    return {
        "units": f"seconds since {(start or _EPOCH).replace('T', ' ')}",
        "calendar": "standard",
        "units_metadata": "leap_seconds: none",
        "standard_name": "time",
        "long_name": "time of the run",
        "axis": "T",
    }


def open_run(path: str | Path) -> Run:
    """Open a run file, or the pieces of one that was stopped."""
    import xarray as xr

    path = Path(path)
    if not path.exists():
        folder = path.with_name(path.name + ".pieces")
        if folder.is_dir():
            return _open_pieces(path, folder)
        raise RunFileError(f"{path}: no such run file.")
    if path.is_dir():
        raise RunFileError(f"{path}: is a folder, expected a run file (.nc).")
    try:
        with xr.open_dataset(path, engine="netcdf4", decode_times=False) as root:
            root = root.load()
        groups = {}
        for name in ("shapes", "ledger", "events", "loads", "case"):
            with xr.open_dataset(path, engine="netcdf4", group=name, decode_times=False) as data:
                groups[name] = data.load()
    except (OSError, ValueError, KeyError, RuntimeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise RunFileError(f"{path}: not a Banquise run file, or a damaged one ({reason}).") from None
    missing = [name for name in (*STATE, "time") if name not in root]
    if missing or "json" not in groups["case"].attrs:
        raise RunFileError(f"{path}: NetCDF, but not a Banquise run file (no {', '.join(missing) or 'case'}).")
    try:
        return Run(_records_of(root, groups), groups["shapes"], json.loads(groups["case"].attrs["json"]), path)
    except (KeyError, ValueError) as problem:
        raise RunFileError(f"{path}: a Banquise run file with a part missing or damaged ({problem}).") from None


def _records_of(root: xr.Dataset, groups: dict[str, xr.Dataset]) -> dict[str, Any]:
    names = list(groups["ledger"].data_vars)
    loads = groups["loads"]
    return {
        "time": root["time"].values,
        "state": np.stack([root[name].values for name in STATE], axis=1),
        "ledger": np.column_stack([groups["ledger"][name].values for name in names]),
        "ledger_names": np.array(names),
        "loads": np.stack([loads[name].values for name in ("force_x", "force_y", "torque")], axis=2),
        "events": np.column_stack([groups["events"][name].values for name in EVENT_COLUMNS]),
    }


def _open_pieces(path: Path, folder: Path) -> Run:
    import xarray as xr

    start = folder / "start.nc"
    if not start.exists():
        raise RunFileError(f"{folder}: pieces of a run without their start; nothing can be read.")
    try:
        with xr.open_dataset(start, engine="netcdf4", decode_times=False) as shapes:
            shapes = shapes.load()
        case = json.loads(shapes.attrs.pop("case"))
    except (OSError, ValueError, KeyError) as problem:
        reason = str(problem).splitlines()[0]
        raise RunFileError(f"{start}: the start of a run that was stopped, but damaged ({reason}).") from None
    return Run(join_pieces(read_pieces(folder)), shapes, case, path)
