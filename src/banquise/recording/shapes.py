"""Shapes in the run file: every ring once, in its own frame, and the floes made from them again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.scene import Scene

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
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


def floes_of(shapes: Any) -> int:
    """How many floes the shapes of a run hold."""
    return int((shapes["obstacle"].values == 0).sum())


def shapes_dataset(floes: list[Floe], obstacles: list[Obstacle], lives: dict[str, Any]) -> xr.Dataset:
    """Every ring once, in its own frame, by id, with what is needed to make the floe again.

    `lives` gives birth and end times and parents by floe id (arrays of the length of `floes`), and `start` (n, 2), where
    they were made, when that is not where their rings are.
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
    if "start" in lives:
        numbers["start_x"] = np.append(lives["start"][:, 0], bodies.x[len(floes) :])
        numbers["start_y"] = np.append(lives["start"][:, 1], bodies.y[len(floes) :])
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


def for_file(shapes: xr.Dataset) -> xr.Dataset:
    """With texts of one width: netCDF-C crashes on variable-length ones when a file is open twice in a process."""
    stored = shapes.copy()
    for name in ("material", "name"):
        raw = [str(word).encode() for word in shapes[name].values]
        stored[name] = ("body", np.array(raw, dtype=f"S{max([1, *map(len, raw)])}"))
    return stored


def from_file(stored: xr.Dataset) -> xr.Dataset:
    """And back to texts."""
    shapes = stored.copy()
    for name in ("material", "name"):
        words = [w.decode() if isinstance(w, bytes) else str(w) for w in stored[name].values]
        shapes[name] = ("body", np.array(words, dtype=str))
    return shapes


# what scenes, figures and players are made from: dimension -> numbers on it
_NEEDED = {
    "body": (*_SHAPE_NUMBERS, "obstacle", "birth", "end", "parent"),
    "ring": ("ring_body", "interior_ring", "part_node_count"),
    "node": ("node_x", "node_y"),
}


def check_shapes(shapes: xr.Dataset) -> None:
    """Raise a ValueError unless every body has its rings and every ring its points."""
    for axis, names in _NEEDED.items():
        for name in names:
            if name not in shapes or shapes[name].dims != (axis,) or shapes[name].dtype.kind not in "fiu":
                raise ValueError(f"shapes: no numbers {name} on {axis}")
    owner, points = shapes["ring_body"].values, shapes["part_node_count"].values
    if not (points > 0).all() or points.sum() != shapes.sizes["node"]:
        raise ValueError("shapes: rings do not share out the points")
    if not np.array_equal(np.unique(owner), np.arange(shapes.sizes["body"])) or (np.diff(owner) < 0).any():
        raise ValueError("shapes: bodies without rings")
    check_finite(
        shapes, ("node_x", "node_y", *(set(_SHAPE_NUMBERS) - {"mass", "inertia"}), "obstacle", "parent"), "shapes"
    )
    if not (shapes["area"].values > 0).all() or not np.isin(shapes["obstacle"].values, (0, 1)).all():
        raise ValueError("shapes: area not above 0, or obstacle neither 0 nor 1")


def check_finite(table: Any, names: Iterable[str], what: str) -> None:
    """Raise a ValueError if numbers that no run leaves open are not there, or not finite."""
    for name in names:
        if name not in table:
            raise ValueError(f"{what}: no {name}")
        if table[name].dtype.kind not in "fiu" or not np.isfinite(table[name].values).all():
            raise ValueError(f"{what}: {name} is not finite everywhere")


def check_times(times: Any) -> None:
    """Raise a ValueError unless times are finite and increase."""
    check_finite({"time": times}, ("time",), "records")
    if (np.diff(times.values) <= 0).any():
        raise ValueError("records: time does not increase")


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
            # shapes may know of floes born since the last record, while a run goes or when it was killed
            x, y, angle = state[:3, k] if k < state.shape[1] else (np.nan, np.nan, np.nan)
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
