"""Floes from the HDF5 input files of FloeDyn."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from banquise.errors import BanquiseError, CaseError
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.scene import Scene


def read_floedyn(path: str | os.PathLike[str]) -> Scene:
    """The scene of a FloeDyn input: rings turned and placed as its state says, velocities, thickness, water drag.

    The first state of the file is read. Shapes marked as obstacles become obstacles; inactive floes are left out.
    """
    import h5py

    name = os.fspath(path)
    if not os.path.exists(name):
        raise CaseError(f"{name}: no such file.")
    try:
        with h5py.File(name, "r") as file:
            missing = {"floe_shapes", "floe_states"} - set(file)
            if missing:
                raise CaseError(f"{name}: no {' or '.join(sorted(missing))}. Expected an HDF5 input of FloeDyn.")
            states = np.array(file["floe_states"], dtype=float)
            shapes = [_shape(file["floe_shapes"][str(k)]) for k in range(len(file["floe_shapes"]))]
    except CaseError:
        raise
    except OSError:
        raise CaseError(f"{name}: not an HDF5 file.") from None
    except Exception as problem:  # a damaged file can fail anywhere inside HDF5, in its own way
        raise CaseError(f"{name}: not an HDF5 input of FloeDyn, or a damaged one ({problem}).") from None
    states = states[0] if states.ndim == 3 else states
    if states.ndim != 2 or states.shape[1] < 11 or len(states) != len(shapes):
        raise CaseError(
            f"{name}: floe_states of shape {states.shape} for {len(shapes)} shapes, expected (times, floes, 11)."
        )
    if any(ring.ndim != 2 or ring.shape[1] != 2 for ring, _, _ in shapes):
        raise CaseError(f"{name}: a floe's shape is no list of points (n, 2).")
    floes, obstacles = [], []
    for k, (state, (ring, water_drag, fixed)) in enumerate(zip(states, shapes)):
        x, y, angle, u, v, spin = (float(value) for value in state[:6])
        if state[9] == 0:
            continue
        c, s = math.cos(angle), math.sin(angle)
        placed = ring @ np.array([[c, s], [-s, c]]) + (x, y)
        options: dict[str, Any] = {"velocity": (u, v), "spin": spin, "name": str(k)}
        try:
            if fixed:
                obstacles.append(Obstacle(placed, **options))
                continue
            options |= {} if water_drag is None else {"water_drag": water_drag}
            floes.append(Floe(placed, thickness=float(state[10]), **options))
        except BanquiseError as problem:
            raise type(problem)(f"{name}: floe {k}: {problem}") from None
    return Scene(floes, obstacles)


def _shape(dataset: Any) -> tuple[Any, float | None, bool]:
    """Ring in the floe's frame, water drag or None, whether it is an obstacle."""
    drag = dataset.attrs.get("C_w")
    return np.array(dataset, dtype=float), None if drag is None else float(drag), bool(dataset.attrs.get("obstacle", 0))


def write_floedyn(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a FloeDyn input: rings about their centres, one state, water drag; the format has no density or air drag."""
    import h5py

    for k, body in enumerate((*scene.floes, *scene.obstacles)):
        name = f"floe {k}" if k < len(scene.floes) else f"obstacle {k - len(scene.floes)}"
        if body.holes or body.radius > 0 or (isinstance(body, Floe) and not body.flat):
            raise CaseError(
                f"{path}: {name} has no place in FloeDyn's input, which has no holes, round floes or thickness that varies. "
                "Write GeoJSON."
            )
    bodies: list[Any] = [*scene.floes, *scene.obstacles]
    states = np.zeros((1, len(bodies), 11))
    bounds = np.array([b.polygon.bounds for b in bodies])
    with h5py.File(path, "w") as file:
        shapes = file.create_group("floe_shapes")
        for k, body in enumerate(bodies):
            free = isinstance(body, Floe)
            data = shapes.create_dataset(str(k), data=body.ring - body.centre)
            data.attrs["C_w"] = body.water_drag if free else 0.0
            data.attrs["obstacle"] = int(not free)
            x, y = body.centre
            u, v = body.velocity
            states[0, k] = (x, y, 0.0, u, v, body.spin, 0.0, x, y, 1.0, body.thickness if free else 1.0)
        file["floe_states"] = states
        if len(bodies):
            low, high = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
            file["window"] = np.array([low[0], high[0], low[1], high[1]])
