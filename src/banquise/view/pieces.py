"""The pieces of broken floes, drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.fracture.plots import axes_of, fill_floe
from banquise.recording.recorder import STATE
from banquise.recording.run_file import Run
from banquise.recording.shapes import scene_from
from banquise.view.style import ROCK

SHADES = ("#dfeaf2", "#b9d3e4", "#f0e3d2", "#d3e6d5", "#e6d6e8", "#f3d9d4")


def plot_pieces(run: Run, ax: Any = None, record: int = -1) -> Any:
    """The floes of a run at a record, pieces of one floe in one shade, obstacles in grey."""
    ax = axes_of(ax)
    state = np.stack([run.dataset[name].values[record] for name in STATE])
    parent = run.shapes["parent"].values
    scene = scene_from(run.shapes, state, run.case)
    for number, floe in zip(np.flatnonzero(np.isfinite(state[0])), scene.floes):
        first = int(number)
        while parent[first] >= 0:
            first = int(parent[first])
        fill_floe(ax, floe, colour=SHADES[first % len(SHADES)])
    x, y, width, height = ax.dataLim.bounds
    for rock in scene.obstacles:
        fill_floe(ax, rock, colour=ROCK)
    room = 0.08 * max(width, height)
    ax.set(xlim=(x - room, x + width + room), ylim=(y - room, y + height + room))
    ax.set_title(f"{len(scene.floes)} floes at {float(run.dataset.time[record]):g} s")
    return ax
