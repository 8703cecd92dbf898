"""A plot of each analysis: made from its result, on `ax` when given; gives the matplotlib figure back."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.analysis.ice import Ice, as_ice, one_frame
from banquise.recording.run_file import Run
from banquise.view.sea import draw_bodies, sea_axes
from banquise.view.style import (
    BLUE,
    CYCLE,
    GREEN,
    ORANGE,
    RED,
    clock,
    plain_log_axis,
    pyplot,
    styled,
    time_axis,
    unit_axis,
    with_prefix,
)


def _axes(ax: Any, size: tuple[float, float] = (5.2, 3.4)) -> Any:
    return pyplot().figure(figsize=size).add_subplot() if ax is None else ax


def _on_time(ax: Any, data: Any, values: Any, **style: Any) -> None:
    """Values against the time of `data`, in the unit a run of that length is read in."""
    times = np.asarray(data["time"], dtype=float)
    scale, unit = time_axis(float(times[-1]) if len(times) else 1.0)
    ax.plot(times / scale, values, **style)
    ax.set_xlabel(f"time ({unit})")


def plot_sizes(found: Any, ax: Any = None) -> Any:
    """Number of floes of at least a size, and the fitted power law with its interval (`size_distribution`)."""
    law = found.law
    with styled():
        ax = _axes(ax)
        ax.step(found.sizes, found.larger, where="pre", color=BLUE, label=f"{len(found.sizes):,} floes")
        if np.isfinite(law.exponent):
            s = np.geomspace(law.min_size, law.max_size, 100)
            low, high = law.min_size**-law.exponent, law.max_size**-law.exponent
            above = float(np.sum(found.sizes > law.max_size))
            fitted = above + law.n * (s**-law.exponent - high) / (low - high)
            reach = found.interval[1] - law.exponent
            label = f"s$^{{-{law.exponent:.2f}}}$, exponent $\\pm$ {reach:.2f} ({found.level:.0%})"
            ax.plot(s, np.maximum(fitted, 0.5), "--", color=ORANGE, label=label)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if len(found.sizes):
            plain_log_axis(ax.xaxis, float(found.sizes[0]), float(found.sizes[-1]))
        ax.set_ylim(0.8, None)
        ax.set_xlabel("size s = sqrt(area / $\\pi$) (m)")
        ax.set_ylabel("floes of at least this size")
        ax.legend()
        ax.set_title("Floe size distribution")
    return ax.figure


def plot_concentration(found: Any, ax: Any = None) -> Any:
    """Concentration of a window on time (`concentration`)."""
    with styled():
        ax = _axes(ax)
        _on_time(ax, found, 100 * found.values, color=BLUE)
        ax.set_ylabel("concentration (%)")
        x0, x1, y0, y1 = found.attrs["window"]
        how = "following the ice" if found.attrs["follow"] else "that stays"
        ax.set_title(f"Concentration in {x1 - x0:,.0f} x {y1 - y0:,.0f} m {how}")
    return ax.figure


UNITS = {"N m-1": "N/m", "s-1": "1/s", "m s-1": "m/s", "1": ""}


def plot_grid(field: Any, ax: Any = None) -> Any:
    """A field on (y, x): concentration, divergence, pressure, ... (`concentration_grid`, `gridded`)."""
    values = field.values
    finite = values[np.isfinite(values)]
    most = float(np.abs(finite).max(initial=0.0)) or 1.0
    signed = bool((finite < 0).any())
    with styled():
        ax = _axes(ax, (5.6, 4.4))
        colours = {"cmap": "RdBu_r", "vmin": -most, "vmax": most} if signed else {"cmap": "viridis", "vmin": 0.0}
        drawn = ax.pcolormesh(field["x"], field["y"], values, **colours)
        ax.set_aspect("equal")
        ax.grid(False)
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")
        unit = UNITS.get(field.attrs.get("units", ""), field.attrs.get("units", ""))
        ax.figure.colorbar(drawn, ax=ax, label=f"{field.name}" + (f" ({unit})" if unit else ""))
        ax.set_title(str(field.name).replace("_", " ").capitalize())
    return ax.figure


def plot_velocity(fields: Any, ax: Any = None) -> Any:
    """Arrows of the mean velocity over the concentration (`gridded`)."""
    with styled():
        figure = plot_grid(fields["concentration"], ax)
        ax = ax or figure.axes[0]
        speed = np.hypot(fields["u"].values, fields["v"].values)
        top = float(np.nanmax(speed)) if np.isfinite(speed).any() else 1.0
        arrows = ax.quiver(fields["x"], fields["y"], fields["u"], fields["v"], color=RED, angles="xy", width=0.004)
        ax.quiverkey(arrows, 0.85, 1.03, top, f"{top:.2g} m/s", labelpos="E")
        ax.set_title("Velocity")
    return figure


def plot_clusters(run: Run | Ice, found: Any, time: Any = None, ax: Any = None) -> Any:
    """The floes at a time, those of the twenty largest groups in colour (`clusters`)."""
    ice = as_ice(run)
    times = np.asarray(found["time"])
    wanted = float(times[-1]) if time is None else float(ice.times[one_frame(ice, time)])
    row = int(np.abs(times - wanted).argmin())
    frame = one_frame(ice, float(times[row]))
    label = found["label"].values[row]
    there = ice.there(frame)
    size = np.bincount(label[there], minlength=1)
    shown = [g for g in range(len(size)) if size[g] > 1][:20]
    rank = {g: k for k, g in enumerate(shown)}
    palette = pyplot().get_cmap("tab20").colors
    with styled():
        ax = _axes(ax, (5.6, 5.0))
        drawn = draw_bodies(ice.run, frame, ax, "plain")
        drawn.set_facecolor([palette[rank[g]] if g in rank else "#f4fafc" for g in label[there]])
        close_axes(ice, frame, ax)
        count = int(found["count"].values[row])
        ax.set_title(f"{count} clusters at {clock(float(times[row]), float(ice.times[-1]))}")
    return ax.figure


def close_axes(ice: Ice, frame: int, ax: Any) -> None:
    """Axes of the sea around the floes at one record."""
    sea_axes(ice.run, ax)
    who = ice.there(frame)
    if len(who):
        x, y, r = ice.state[frame, 0, who], ice.state[frame, 1, who], ice.reach[who]
        ax.set_xlim((x - r).min() - 20, (x + r).max() + 20)
        ax.set_ylim((y - r).min() - 20, (y + r).max() + 20)


def plot_dispersion(absolute: Any = None, relative: Any = None, ax: Any = None) -> Any:
    """Mean square displacement and relative dispersion on logarithmic axes, with slopes 1 and 2 to compare."""
    with styled():
        ax = _axes(ax)
        top = None
        for found, colour, style, label in (
            (absolute, BLUE, "-", "from the start"),
            (relative, ORANGE, "--", "of pairs"),
        ):
            if found is None:
                continue
            times, values = np.asarray(found["time"], dtype=float), found["dispersion"].values
            use = (times > 0) & (values > 0)
            scale, unit = time_axis(float(times[-1]))
            ax.plot(times[use] / scale, values[use], style, color=colour, label=label)
            ax.set_xlabel(f"time ({unit})")
            if top is None and use.any():
                top = times[use][-1] / scale, times[use][0] / scale, values[use][-1]
        if top is not None:
            t = np.array([max(top[1], top[0] / 30), top[0]])
            for power, style in ((1, ":"), (2, "-.")):
                line = top[2] * (t / t[1]) ** power
                ax.plot(t, line, style, color="#7f8c94", linewidth=0.9, label=f"slope {power}")
        ax.set_xscale("log")
        ax.set_yscale("log")
        if top is not None:  # pairs that move as one have a dispersion of round-off
            ax.set_ylim(bottom=max(ax.get_ylim()[0], 1e-8 * top[2]))
        ax.set_ylabel("dispersion (m$^2$)")
        ax.legend()
        ax.set_title("Dispersion")
    return ax.figure


def plot_velocities(found: Any, axes: Any = None) -> Any:
    """Densities of the fluctuating velocities beside a normal law, and their correlation (`velocity_statistics`)."""
    with styled():
        if axes is None:
            axes = pyplot().figure(figsize=(7.6, 3.2)).subplots(1, 2)
        left, right = axes
        for c, (name, colour, mark) in enumerate((("x", BLUE, "o"), ("y", ORANGE, "s"))):
            values = found.fluctuations[..., c].ravel()
            values = values[np.isfinite(values)] / (found.rms[c] or 1.0)
            density, edges = np.histogram(values, np.linspace(-5, 5, 41), density=True)
            middle = 0.5 * (edges[1:] + edges[:-1])
            full = density > 0
            left.plot(middle[full], density[full], mark, color=colour, markersize=3, label=f"along {name}")
            lag = found.correlation["lag"].values
            scale, unit = time_axis(float(lag[-1]))
            label = f"{name}: {found.integral_time[c] / scale:.3g} {unit}, {found.diffusivity[c]:.3g} m$^2$/s"
            right.plot(lag / scale, found.correlation.values[:, c], color=colour, label=label)
        z = np.linspace(-5, 5, 200)
        left.plot(z, np.exp(-z * z / 2) / np.sqrt(2 * np.pi), color="#7f8c94", linewidth=0.9, label="normal")
        left.set_yscale("log")
        left.set_ylim(1e-4, 3)
        left.set_xlabel("fluctuation over its r.m.s.")
        left.set_ylabel("density")
        left.legend()
        left.set_title("Velocities")
        right.axhline(0, color="#7f8c94", linewidth=0.8)
        right.set_xlabel(f"lag ({unit})")
        right.set_ylabel("correlation")
        right.legend(title="integral time, diffusivity")
        right.set_title("Memory")
    return left.figure


def plot_collisions(found: Any, ax: Any = None) -> Any:
    """Collisions per hour on time (`collision_rate`)."""
    with styled():
        ax = _axes(ax)
        _on_time(ax, found, found.values, color=BLUE, drawstyle="steps-mid")
        ax.set_ylabel("collisions per hour")
        ax.set_ylim(0, None)
        ax.set_title("Collisions")
    return ax.figure


def plot_energy_fraction(found: Any, ax: Any = None, label: str = "kinetic energy", **style: Any) -> Any:
    """Kinetic energy over that of free drift, on time (`energy_fraction`)."""
    with styled():
        ax = _axes(ax)
        _on_time(ax, found, found["of_bound"].values, label=label, **{"color": BLUE, **style})
        if not any(line.get_label() == "free drift" for line in ax.get_lines()):
            _on_time(
                ax, found, (found["free"] / found["bound"]).values, color="black", linewidth=0.9, label="free drift"
            )
        ax.set_ylabel("kinetic energy over its bound")
        ax.set_ylim(0, 1.05)
        ax.legend()
        ax.set_title("Kinetic energy and free drift")
    return ax.figure


def plot_chains(run: Run | Ice, found: Any, ax: Any = None) -> Any:
    """The floes with the forces between them: lines from centre to centre, as wide as the force (`force_chains`)."""
    from matplotlib.collections import LineCollection

    ice = as_ice(run)
    frame = one_frame(ice, found.time)
    table = found.contacts
    a, b = table["floe_a"].to_numpy(), table["floe_b"].to_numpy()
    point = table[["x", "y"]].to_numpy()
    places = np.concatenate([ice.state[frame, :2].T, ice.start[ice.n :]])
    rock = b >= ice.n
    second = np.where(rock[:, None], point, places[np.minimum(b, len(places) - 1)])
    lines = np.stack([places[a], point, second], axis=1) if len(table) else np.empty((0, 3, 2))
    force = table["force"].to_numpy()
    width = 4.5 * np.sqrt(force / (force.max() if len(force) else 1.0))
    colour = np.where(table["chain"].to_numpy() >= 0, RED, "#5b7c8d")
    with styled():
        ax = _axes(ax, (5.6, 5.0))
        draw_bodies(ice.run, frame, ax, "plain").set_facecolor("#f4fafc")
        ax.add_collection(LineCollection(list(lines), linewidths=width, colors=colour, capstyle="round"))
        close_axes(ice, frame, ax)
        most = with_prefix(float(force.max()), "N") if len(force) else "0 N"
        plural = "" if len(found.lengths) == 1 else "s"
        ax.set_title(f"{len(found.lengths)} force chain{plural}, largest force {most}")
    return ax.figure


def plot_jam(found: Any, ax: Any = None) -> Any:
    """Part of the ice that is stuck, on time (`jam`)."""
    with styled():
        ax = _axes(ax)
        _on_time(ax, found.history, 100 * found.history["share"].values, color=BLUE, label="held by an obstacle")
        bridging = 100 * found.history["bridging"].values
        _on_time(ax, found.history, bridging, color=ORANGE, linestyle="--", label="between two obstacles")
        ax.set_ylabel("ice that is stuck (%)")
        ax.set_ylim(0, 105)
        ax.legend()
        scale, unit = time_axis(float(found.history["time"].values[-1]))
        ax.set_title(f"Jammed since {found.since / scale:.3g} {unit}" if found.jammed else "Not jammed")
    return ax.figure


def plot_loads(found: Any, axes: Any = None) -> Any:
    """Load history with its peaks, and the part of the time above a load (`load_statistics`)."""
    with styled():
        if axes is None:
            axes = pyplot().figure(figsize=(7.6, 3.2)).subplots(1, 2, width_ratios=(2, 1))
        left, right = axes
        times = found.history["time"].values
        scale, unit = time_axis(float(times[-1]))
        left.plot(times / scale, found.history.values, color=BLUE, linewidth=0.9)
        left.plot(found.peaks["time"].values / scale, found.peaks.values, "o", color=RED, markersize=3, label="peaks")
        left.axhline(found.mean, color=GREEN, linewidth=0.9, label=f"mean {with_prefix(found.mean, 'N')}")
        left.set_xlabel(f"time ({unit})")
        left.set_ylabel(f"force, mean over {found.window:g} s")
        unit_axis(left.yaxis, "N")
        left.legend()
        left.set_title(f"Load on {found.name}")
        right.step(found.exceedance["load"].values, found.exceedance.values, where="post", color=BLUE)
        unit_axis(right.xaxis, "N")
        right.locator_params(axis="x", nbins=4)
        right.set_yscale("log")
        right.set_xlabel("load")
        right.set_ylabel("part of the time above")
        right.set_title("Exceedance")
    return left.figure


def plot_resistance(found: Any, ax: Any = None) -> Any:
    """Force against a ship's way on time, with its mean (`resistance`)."""
    with styled():
        ax = _axes(ax)
        _on_time(ax, found, found.values, color=CYCLE[0], linewidth=0.9)
        mean = float(found.attrs.get("mean", 0.0))
        ax.axhline(mean, color=RED, label=f"mean {with_prefix(mean, 'N')}")
        unit_axis(ax.yaxis, "N")
        ax.set_ylabel("ice resistance")
        ax.legend()
        ax.set_title("Resistance")
    return ax.figure
