"""Outlines of the floes in their own frames, once, and where they are at a record."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.recording.recorder import STATE
from banquise.recording.run_file import Run

Array = NDArray[np.float64]
ARC = 16  # chords for a quarter of a round outline


def polygons(run: Run) -> list[Any]:
    """The shape of every floe id, in its own frame, rounding included."""
    shapes = run.shapes
    counts = shapes["part_node_count"].values
    nodes = np.column_stack([shapes["node_x"].values, shapes["node_y"].values])
    rings: dict[int, list[Array]] = {}
    for owner, ring in zip(shapes["ring_body"].values, np.split(nodes, np.cumsum(counts)[:-1])):
        rings.setdefault(int(owner), []).append(ring)
    radius = shapes["radius"].values
    found = []
    for k in range(int((shapes["obstacle"].values == 0).sum())):
        outer, holes = rings[k][0], rings[k][1:]
        shape = shapely.Point(outer[0]) if len(outer) == 1 else shapely.Polygon(outer, holes)
        found.append(shape.buffer(radius[k], quad_segs=ARC) if radius[k] > 0 else shape)
    return found


def state_at(run: Run, k: int) -> tuple[NDArray[np.int64], Array]:
    """Floe ids that are there at record k, and their state (6, m)."""
    moment = run.dataset.isel(time=k)
    state = np.stack([moment[name].values for name in STATE])
    there = np.flatnonzero(np.isfinite(state[0]))
    return there, state[:, there]


def moved(points: Array, owner: NDArray[np.int64], state: Array) -> Array:
    """Points in the frames of floes, taken to the map: `owner` is the column of each in `state`."""
    x, y, angle = state[:3]
    c, s = np.cos(angle)[owner], np.sin(angle)[owner]
    return np.stack(
        [x[owner] + c * points[:, 0] - s * points[:, 1], y[owner] + s * points[:, 0] + c * points[:, 1]], axis=1
    )
