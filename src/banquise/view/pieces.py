"""The pieces of broken floes, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from banquise.fracture.plots import axes_of, fill_floe
from banquise.fracture.sizes import size_exponent
from banquise.recording.recorder import STATE
from banquise.recording.run_file import Run
from banquise.recording.shapes import scene_from
from banquise.scene.domain import periods_passed
from banquise.view.style import ROCK, pyplot

SHADES = ("#dfeaf2", "#b9d3e4", "#f0e3d2", "#d3e6d5", "#e6d6e8", "#f3d9d4")


def plot_pieces(run: Run, ax: Any = None, record: int = -1) -> Any:
    """The floes of a run at a record, pieces of one floe in one shade, obstacles in grey."""
    ax = axes_of(ax)
    state = np.stack([run.dataset[name].values[record] for name in STATE])
    state[:2] -= periods_passed(state[:2].T, run.case.get("domain")).T
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
    count = f"{len(scene.floes)} floe{'s' if len(scene.floes) != 1 else ''}"
    ax.set_title(f"{count} at {float(run.dataset.time[record]):g} s")
    return ax


def plot_storms(runs: Mapping[str, Run], axes: Any = None) -> Any:
    """Number of floes in time, and number of floes larger than a size at the start and at the end, of runs by name.

    The exponents of the law of sizes, with their 95 % intervals, are in the legend.
    """
    if axes is None:
        _, axes = pyplot().subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for k, (name, run) in enumerate(runs.items()):
        time, colour = run.dataset.time.values, f"C{k}"
        there = np.isfinite(run.dataset.x.values)
        axes[0].step(time / 60, there.sum(axis=1), where="post", color=colour, label=name)
        for record, style in ((0, ":"), (-1, "-")):
            if k > 0 and record == 0:
                continue  # all start from the same floes
            sizes = np.sort(sizes_at(run, record))
            law = size_exponent(sizes)
            text = f"{'start' if record == 0 else name}: {law.exponent:.2f} ({law.low:.2f} to {law.high:.2f})"
            colours = "0.4" if record == 0 else colour
            axes[1].loglog(sizes, len(sizes) - np.arange(len(sizes)), style, color=colours, label=text)
    axes[0].set(xlabel="time (min)", ylabel="floes")
    axes[0].yaxis.get_major_locator().set_params(integer=True)
    axes[1].set(xlabel="size, square root of the area (m)", ylabel="floes at least as large")
    axes[0].legend()
    axes[1].legend(title="exponent above the median", fontsize="small")
    return axes


def sizes_at(run: Run, record: int) -> Any:
    """Square roots of the areas (m) of the floes that are there at a record."""
    there = np.isfinite(run.dataset.x.values[record])
    mass, h, density = (run.shapes[name].values[: len(there)][there] for name in ("mass", "thickness", "density"))
    return np.sqrt(mass / (h * density))
