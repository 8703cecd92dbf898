"""Ready figures of a run. Each function draws one, on `ax` when given, and returns the matplotlib figure.

>>> sorted(FIGURES)
['energy', 'flow', 'impulses', 'loads', 'sizes', 'snapshot', 'trajectories']
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError, RunFileError, nearest
from banquise.recording.run_file import Run
from banquise.units import duration
from banquise.view.kinds import kind_of
from banquise.view.outlines import Outlines, outlines_of, place
from banquise.view.pack import extent_of, usual_top_speed
from banquise.view.series import flow_of, obstacle_poses
from banquise.view.style import (
    BLUE,
    CYCLE,
    EDGE,
    ORANGE,
    RED,
    ROCK,
    SEA,
    clock,
    ice_colours,
    plain_log_axis,
    pyplot,
    side_bar,
    styled,
    time_axis,
    unit_axis,
    with_prefix,
)

Array = NDArray[np.float64]
COLOURS = ("speed", "thickness", "plain")


class NothingToPlot(RunFileError):
    """The run holds none of what the figure shows."""


def _axes(ax: Any, size: tuple[float, float] = (5.2, 3.4), run: Run | None = None) -> Any:
    if ax is not None:
        return ax
    return pyplot().figure(figsize=size).add_subplot(projection=None if run is None else map_projection(run))


def map_projection(run: Run) -> Any:
    """cartopy's projection of the run's `crs` when cartopy is there and can draw it; None: plain axes in metres."""
    crs = run.case.get("crs")
    if not crs:
        return None
    try:
        import cartopy.crs as ccrs
    except ImportError:
        return None
    # cartopy takes a code's bounds from its corners, which around a pole encloses nothing: the polar maps by name
    polar = {
        3413: lambda: ccrs.Stereographic(90, -45, true_scale_latitude=70),
        3995: lambda: ccrs.Stereographic(90, 0, true_scale_latitude=71),
        3976: lambda: ccrs.Stereographic(-90, 0, true_scale_latitude=-70),
        3031: lambda: ccrs.Stereographic(-90, 0, true_scale_latitude=-71),
        6931: lambda: ccrs.LambertAzimuthalEqualArea(0, 90),
        6932: lambda: ccrs.LambertAzimuthalEqualArea(0, -90),
    }
    try:
        number = int(str(crs).upper().removeprefix("EPSG:"))
        return polar[number]() if number in polar else ccrs.epsg(number)
    except Exception as problem:  # cartopy raises many kinds for a map it cannot draw
        warnings.warn(f"crs {crs!r}: cartopy cannot draw this map ({problem}); plain axes in metres.", stacklevel=2)
        return None


def frame_at(run: Run, time: Any = None) -> int:
    """Number of the record nearest to `time` (s, or text with units); the last by default."""
    times = run.records["time"]
    if time is None:
        return len(times) - 1
    seconds = duration(time, "time")
    if not times[0] <= seconds <= times[-1]:
        raise CaseError(f"time: got {time!r}, the run goes from {times[0]:g} to {times[-1]:g} s.")
    return int(np.abs(times - seconds).argmin())


def patches(outlines: Outlines, poses: Array, bodies: Any) -> list[Any]:
    """matplotlib paths of bodies at poses (n, 3), holes included."""
    from matplotlib.path import Path

    paths = []
    for body in bodies:
        rings = [place(r, poses[body]) for r in outlines.border(body)]
        points = np.concatenate([np.vstack([r, r[:1]]) for r in rings])
        codes = np.concatenate([[Path.MOVETO] + [Path.LINETO] * (len(r) - 1) + [Path.CLOSEPOLY] for r in rings])
        paths.append(Path(points, codes))
    return paths


def colour_values(run: Run, frame: int, colour: str) -> tuple[Array | None, str, tuple[float, float]]:
    """Values of the floes at a record, label of the scale, and its ends over the whole run."""
    state = run.records["state"]
    if colour == "plain":
        return None, "", (0.0, 1.0)
    if colour == "thickness":
        values = run.shapes["thickness"].values[: state.shape[2]]
        low, high = float(values.min(initial=np.inf)), float(values.max(initial=0.0))
        return values, "thickness (m)", (low if low < high else 0.0, high or 1.0)
    if colour == "speed":
        top = float(np.nanmax(np.hypot(state[:, 3], state[:, 4]), initial=0.0))
        return np.hypot(state[frame, 3], state[frame, 4]), "speed (m/s)", (0.0, usual_top_speed(state, top) or 1.0)
    raise CaseError(f"colour: no {colour!r}. {nearest(colour, COLOURS)}")


def bounds_of(run: Run) -> tuple[float, float, float, float]:
    """xmin, xmax, ymin, ymax (m) of the run's domain, or of all its floes at all times, with a margin."""
    x0, x1, y0, y1 = (float(v) for v in extent_of(run.records["state"], run))
    margin = 0.02 * max(x1 - x0, y1 - y0)
    return x0 - margin, x1 + margin, y0 - margin, y1 + margin


def scene_size(run: Run, width: float = 6.2) -> tuple[float, float]:
    """Width and height of a figure (inches) with the shape of the scene."""
    x0, x1, y0, y1 = bounds_of(run)
    return width, float(np.clip((width - 2.0) * (y1 - y0) / (x1 - x0) + 0.8, 0.4 * width, 1.3 * width))


def draw_bodies(run: Run, frame: int, ax: Any, colour: str, outlines: Outlines | None = None) -> Any:
    """Floes and obstacles of one record on `ax`; the collection of floes."""
    from matplotlib.collections import PathCollection

    outlines = outlines or outlines_of(run.shapes)
    state = run.records["state"][frame]
    n = state.shape[1]
    poses = np.concatenate([state[:3].T, obstacle_poses(run)[frame]])
    domain = run.case.get("domain") or {}
    if (
        domain.get("kind") == "periodic"
    ):  # floes keep counting as they go round: bring their centres back into the picture
        for k, axis in enumerate("xy"):
            low, high = domain[f"{axis}min"], domain[f"{axis}max"]
            poses[:n, k] = low + np.mod(poses[:n, k] - low, high - low)
    there = np.nonzero(np.isfinite(state[0]))[0]
    values, _, (low, high) = colour_values(run, frame, colour)
    width = float(np.clip(40.0 / np.sqrt(max(len(there), 1)), 0.15, 0.7))
    ice = PathCollection(patches(outlines, poses, there), linewidths=width, edgecolors=EDGE, facecolors="#f4fafc")
    if values is not None:
        ice.set_cmap("viridis" if colour == "speed" else ice_colours())
        ice.set_array(values[there])
        ice.set_clim(low, high)
    ax.add_collection(ice)
    rocks = patches(outlines, poses, range(n, len(poses)))
    ax.add_collection(PathCollection(rocks, facecolors=ROCK, edgecolors="#3f3832", linewidths=0.6, hatch="////"))
    return ice


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


def clock_text(run: Run, frame: int) -> str:
    """Time of a record as it is written over a picture."""
    times = run.records["time"]
    return f"{run.case.get('title', 'Banquise run')}, {clock(float(times[frame]), float(times[-1]))}"


def sea_axes(run: Run, ax: Any) -> None:
    """Equal scales, the colour of water, kilometres for large scenes; a coast when the axes are a map."""
    x0, x1, y0, y1 = bounds_of(run)
    ax.set_facecolor(SEA)
    ax.grid(False)
    ax.set_aspect("equal")
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    for spine in ax.spines.values():
        spine.set_visible(True)
    if hasattr(ax, "coastlines"):
        _coast(ax)
        return
    if max(x1 - x0, y1 - y0) > 5000:
        ax.xaxis.set_major_formatter(lambda v, _: f"{v / 1000:g}")
        ax.yaxis.set_major_formatter(lambda v, _: f"{v / 1000:g}")
        ax.set_xlabel("x (km)")
        ax.set_ylabel("y (km)")
    else:
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")


def _coast(ax: Any) -> None:
    """Graticule and coast; cartopy fetches the coast once, and where it cannot the map goes without it."""
    from cartopy.io.shapereader import natural_earth

    ax.gridlines(draw_labels=True, linewidth=0.3)
    try:
        natural_earth("10m", "physical", "coastline")
    except OSError as problem:
        warnings.warn(f"map without a coast: cartopy could not fetch it ({problem}).", stacklevel=3)
        return
    ax.coastlines(resolution="10m", linewidth=0.6)


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
    domain = run.case.get("domain") or {}
    keep = np.isfinite(pieces).all(axis=(1, 2))
    if domain.get("kind") == "periodic":  # a step across the border is not a path
        size = np.array([domain["xmax"] - domain["xmin"], domain["ymax"] - domain["ymin"]])
        keep &= (np.abs(pieces[:, 1] - pieces[:, 0]) < size / 2).all(axis=1)
    scale, unit = time_axis(float(times[-1]))
    with styled():
        ax = _axes(ax, scene_size(run), run)
        lines = LineCollection(pieces[keep], cmap="cividis_r", linewidths=0.9, array=when[keep] / scale)
        ax.add_collection(lines)
        last = np.array([_last_place(state[:, :2, k]) for k in largest])
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
        ax = _axes(ax)
        shown = [k for k in names if k in ledger and (k == "kinetic_energy" or np.abs(ledger[k].values).max() > 0)]
        for k, name in enumerate(shown):
            colour = CYCLE[k % len(CYCLE)]
            ax.plot(times / scale, ledger[name].values, color=colour, linestyle=styles[k], label=names[name])
        if "balance" in ledger:
            label = f"left over (at most {np.abs(ledger['balance'].values).max():.1e} J)"
            ax.plot(times / scale, ledger["balance"].values, color="black", linewidth=0.8, label=label)
        ax.set_xlabel(f"time ({unit})")
        ax.set_ylabel("energy")
        unit_axis(ax.yaxis, "J")
        ax.legend()
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
                ax.step(size, np.arange(len(size), 0, -1), where="pre", color=colour, linestyle=style,
                        label=f"{label}: {len(size):,} floes")  # fmt: skip
        ax.set_xscale("log")
        ax.set_yscale("log")
        root = np.sqrt(area)
        plain_log_axis(ax.xaxis, float(root.min()), float(root.max()))
        plain_log_axis(ax.yaxis, 1.0, len(area))
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
