"""Ready figures of a run. Each function draws one, on `ax` when given, and returns the matplotlib figure.

>>> sorted(FIGURES)
['energy', 'flow', 'impulses', 'loads', 'sizes', 'snapshot', 'trajectories']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError, RunFileError, nearest
from banquise.given import counted
from banquise.recording.run_file import Run
from banquise.scene.domain import periods_passed
from banquise.view.kinds import kind_of
from banquise.view.sea import (
    clock_text,
    colour_values,
    draw_bodies,
    draw_obstacles,
    frame_at,
    map_projection,
    scene_size,
    sea_axes,
)
from banquise.view.series import flow_of
from banquise.view.style import (
    BLUE,
    CYCLE,
    ORANGE,
    RED,
    plain_log_axis,
    pyplot,
    side_bar,
    styled,
    time_axis,
    unit_axis,
    with_prefix,
)

Array = NDArray[np.float64]
FAINT = 1e-9  # of the strongest impulse: weaker ones are what solvers leave of a contact that bears nothing


class NothingToPlot(RunFileError):
    """The run holds none of what the figure shows."""


def _axes(ax: Any, size: tuple[float, float] = (5.2, 3.4), run: Run | None = None) -> Any:
    if ax is not None:
        return ax
    return pyplot().figure(figsize=size).add_subplot(projection=None if run is None else map_projection(run))


def snapshot(run: Run, time: Any = None, ax: Any = None, colour: str = "speed") -> Any:
    """The floes at one time.

    `time` in seconds or as text with units (the end by default); `colour` is "speed", "thickness" or "plain".
    """
    frame = frame_at(run, time)
    with styled():
        ax = _axes(ax, scene_size(run), run)
        ice = draw_bodies(run, frame, ax, colour)
        sea_axes(run, ax)
        label = colour_values(run, frame, colour)[1]
        if label:
            side_bar(ice, ax, label)
        ax.set_title(clock_text(run, frame))
    return ax.figure


def trajectories(run: Run, ax: Any = None, most: int = 2000) -> Any:
    """Paths of the largest floes, darker with time, and where they end."""
    from matplotlib.collections import LineCollection

    state, times = run.records["state"], run.records["time"]
    n = state.shape[2]
    if len(times) < 2 or not n:
        raise NothingToPlot("trajectories: the run has fewer than two records, or no floes.")
    largest = np.argsort(-run.shapes["area"].values[:n], kind="stable")[:most]
    every = max(1, len(times) // 300)
    x, y = state[::every, 0][:, largest], state[::every, 1][:, largest]
    pieces = np.stack([np.stack([x[:-1], y[:-1]], -1), np.stack([x[1:], y[1:]], -1)], axis=2).reshape(-1, 2, 2)
    when = np.repeat(times[::every][: len(x) - 1], len(largest))
    domain = run.case.get("domain")
    keep = np.isfinite(pieces).all(axis=(1, 2))
    last = np.array([_last_place(state[:, :2, k]) for k in largest])
    pieces -= periods_passed(pieces.mean(axis=1), domain)[:, None]  # each is drawn where its middle is
    last -= periods_passed(last, domain)
    scale, unit = time_axis(float(times[-1]))
    with styled():
        ax = _axes(ax, scene_size(run), run)
        lines = LineCollection(pieces[keep], cmap="cividis_r", linewidths=0.9, array=when[keep] / scale)
        lines.set_clim(float(times[0]) / scale, float(times[-1]) / scale)  # of the run, not of the starts of the pieces
        draw_obstacles(run, len(times) - 1, ax)
        ax.add_collection(lines)
        ax.plot(last[:, 0], last[:, 1], "o", color=RED, markersize=2.2, markeredgewidth=0, label="last place")
        sea_axes(run, ax)
        ax.set_facecolor("white")
        side_bar(lines, ax, f"time ({unit})")
        ax.set_title("Trajectories")
    return ax.figure


def _last_place(path: Array) -> Array:
    there = np.nonzero(np.isfinite(path[:, 0]))[0]
    return path[there[-1]] if len(there) else np.full(2, np.nan)


def energy(run: Run, ax: Any = None) -> Any:
    """Kinetic energy, work done by each agent, what contacts and cracks took, and what is left over."""
    ledger, times = run.ledger, run.records["time"]
    scale, unit = time_axis(float(times[-1]))
    names = {
        "kinetic_energy": "kinetic",
        "work_wind": "work of the wind",
        "work_current": "work of the water",
        "work_gravity": "work of gravity",
        "work_loads": "work of loads",
        "work_obstacles": "work of obstacles",
        "dissipated_contact": "lost in contacts",
        "surface_energy": "spent on cracks",
    }
    styles = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (6, 2, 1, 2)))
    with styled():
        given, ax = ax, _axes(ax, (6.8, 3.4))
        shown = [k for k in names if k in ledger and (k == "kinetic_energy" or np.abs(ledger[k].values).max() > 0)]
        for k, name in enumerate(shown):
            colour = CYCLE[k % len(CYCLE)]
            ax.plot(times / scale, ledger[name].values, color=colour, linestyle=styles[k], label=names[name])
        if "balance" in ledger:
            most = float(np.abs(ledger["balance"].values).max())
            label = f"left over (at most {most:.1e} J)" if most else "left over (0 J)"
            ax.plot(times / scale, ledger["balance"].values, color="black", linewidth=0.8, label=label)
        ax.set_xlabel(f"time ({unit})")
        ax.set_ylabel("energy")
        unit_axis(ax.yaxis, "J")
        # up to nine lines leave no free corner; axes that were given keep their place
        ax.legend(**({"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if given is None else {}))
        ax.set_title("Energy")
    return ax.figure


def impulses(run: Run, ax: Any = None) -> Any:
    """How many impacts had at least a given normal impulse."""
    events = run.events
    values = np.sort(events.loc[events["kind"] == "impact", "normal_impulse"].to_numpy(dtype=float))
    values = values[values > 0]
    if not len(values):
        raise NothingToPlot("impulses: the run has no impacts.")
    with styled():
        ax = _axes(ax)
        ax.step(values, np.arange(len(values), 0, -1), where="pre", color=BLUE)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if values[0] < FAINT * values[-1]:
            ax.set_xlim(left=FAINT * values[-1])
        plain_log_axis(ax.yaxis, 1.0, len(values), counts=True)
        ax.set_xlabel("normal impulse (N s)")
        ax.set_ylabel("impacts of at least this")
        ax.set_title(f"Impulses of {len(values):,} impacts")
    return ax.figure


def sizes(run: Run, ax: Any = None) -> Any:
    """Number of floes at least as large as a given size (the square root of the area), first and last record."""
    state = run.records["state"]
    area = run.shapes["area"].values[: state.shape[2]]
    if not len(area):
        raise NothingToPlot("sizes: the run has no floes.")
    with styled():
        ax = _axes(ax)
        for frame, colour, label, style in ((0, BLUE, "start", "-"), (-1, ORANGE, "end", "--")):
            size = np.sort(np.sqrt(area[np.isfinite(state[frame, 0])]))
            if len(size):
                # steps between floes of one size have no length: a point shows them
                ax.step(size, np.arange(len(size), 0, -1), where="pre", color=colour, linestyle=style,
                        marker="o" if size[0] == size[-1] else None, label=f"{label}: {counted(len(size), 'floe')}")  # fmt: skip
        ax.set_xscale("log")
        ax.set_yscale("log")
        root = np.sqrt(area)
        plain_log_axis(ax.xaxis, float(root.min()), float(root.max()))
        plain_log_axis(ax.yaxis, 1.0, len(area), counts=True)
        ax.set_xlabel("size, square root of the area (m)")
        ax.set_ylabel("floes of at least this size")
        ax.legend()
        ax.set_title("Floe sizes")
    return ax.figure


def flow(run: Run, ax: Any = None) -> Any:
    """Wind and current, where the run recorded them: components on time."""
    found = {name: flow_of(run, name) for name in ("wind", "current")}
    shown = {name: values for name, values in found.items() if values is not None}
    if not shown:
        raise NothingToPlot("flow: the run recorded neither wind nor current.")
    times = run.records["time"]
    scale, unit = time_axis(float(times[-1]))
    with styled():
        plt = pyplot()
        if ax is None:
            figure, axes = plt.subplots(
                len(shown), 1, figsize=(5.2, 1.7 * len(shown) + 0.6), sharex=True, squeeze=False
            )
            axes = axes[:, 0]
        else:
            figure, axes = ax.figure, [ax] * len(shown)
        for axis, (name, values) in zip(axes, shown.items()):
            for k, (component, colour, style) in enumerate((("x", BLUE, "-"), ("y", ORANGE, "--"))):
                axis.plot(times / scale, values[:, k], color=colour, linestyle=style, label=f"along {component}")
            axis.plot(times / scale, np.hypot(*values.T), color="black", linewidth=0.8, label="speed")
            axis.set_ylabel(f"{name} (m/s)")
        axes[0].legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0.2)
        axes[-1].set_xlabel(f"time ({unit})")
    return figure


def loads(run: Run, ax: Any = None) -> Any:
    """Mean force on each obstacle over the record interval, and the largest."""
    values = run.records["loads"]
    if values.ndim != 3 or not values.shape[1]:
        raise NothingToPlot("loads: the run has no obstacles.")
    times = run.records["time"]
    scale, unit = time_axis(float(times[-1]))
    force = np.hypot(values[:, :, 0], values[:, :, 1])
    names = run.shapes["name"].values[run.shapes["obstacle"].values.astype(bool)]
    most = np.argsort(-force.max(axis=0), kind="stable")[: len(CYCLE)]
    with styled():
        ax = _axes(ax)
        for k, body in enumerate(most):
            name = str(names[body]) or f"obstacle {body}"
            label = f"{name}, peak {with_prefix(force[:, body].max(), 'N')}"
            ax.plot(times / scale, force[:, body], color=CYCLE[k], linestyle=("-", "--", "-.", ":")[k % 4], label=label)
        ax.set_xlabel(f"time ({unit})")
        every = run.case.get("every")
        ax.set_ylabel(f"mean force over {every:g} s" if isinstance(every, int | float) else "mean force")
        unit_axis(ax.yaxis, "N")
        ax.set_ylim(0, 1.25 * (force.max() or 1.0))  # room for the legend
        ax.legend(loc="upper left", ncols=2)
        ax.set_title("Loads on obstacles")
    return ax.figure


FIGURES: dict[str, Callable[..., Any]] = {
    "snapshot": snapshot,
    "trajectories": trajectories,
    "energy": energy,
    "impulses": impulses,
    "sizes": sizes,
    "flow": flow,
    "loads": loads,
}


def figures_of(run: Any) -> dict[str, Any]:
    """The ready figures of a run of any kind, by name."""
    found: dict[str, Any] = kind_of(run).get("figures")
    return found


def figure(run: Any, name: str, **options: Any) -> Any:
    """One of the ready figures by name."""
    known = figures_of(run)
    if name not in known:
        raise CaseError(f"plot: no figure {name!r}. {nearest(name, known)}")
    return known[name](run, **options)
