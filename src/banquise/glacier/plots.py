"""Pictures of a glacier run and of the stability of its schemes. Needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import CaseError
from banquise.view.style import pyplot

if TYPE_CHECKING:
    import xarray as xr

    from banquise.glacier.schemes import GlacierRun
    from banquise.glacier.stability import Stability

_BLUES = ("#08306b", "#2171b5", "#6baed6", "#41ab5d", "#d94801")


def plot_run(run: GlacierRun | xr.Dataset) -> Any:
    """Forces, displacement and velocity at five places, displacement over time and place; returns the figure."""
    plt = pyplot()
    data: Any = getattr(run, "dataset", run)
    figure, ((force, move), (speed, waves)) = plt.subplots(2, 2, figsize=(11, 7.5), constrained_layout=True)
    force.plot(data.time, data.contact_force / 1e6, color="#d94801", lw=3, alpha=0.45, label="contact on the front")
    force.plot(data.time, data.seismic_force / 1e6, color="#08306b", lw=1.3, label="seismic, on the bed")
    force.set(xlabel="time (s)", ylabel="force (MN/m)", title="Forces")
    force.legend(frameon=False)
    reach = _reached(data.max_displacement.values)
    picks = np.unique(np.linspace(0, reach, 5).round().astype(int))
    for pick, colour in zip(picks, _BLUES):
        label = f"x = {data.x.values[pick]:g} m"
        move.plot(data.time, data.displacement.isel(node=pick) * 1e3, color=colour, lw=1.4, label=label)
        speed.plot(data.time, data.velocity.isel(node=pick) * 1e3, color=colour, lw=1.4)
    move.set(xlabel="time (s)", ylabel="displacement (mm)", title="Displacement less the steady slide")
    move.legend(frameon=False)
    speed.axhline(data.attrs["equilibrium_speed"] * 1e3, color="0.6", lw=0.8, ls="--")
    speed.set(xlabel="time (s)", ylabel="velocity (mm/s)", title="Velocity (dashed: equilibrium)")
    if data.sizes["node"] > 1:
        limit = float(np.abs(data.displacement).max()) * 1e3 or 1.0
        shade = waves.pcolormesh(
            data.x / 1e3, data.time, data.displacement * 1e3, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="auto"
        )
        figure.colorbar(shade, ax=waves, label="displacement (mm)")
        waves.set(xlabel="distance from the front (km)", ylabel="time (s)", title="Displacement along the glacier")
        waves.set_xlim(0.0, data.x.values[reach] / 1e3)
    else:
        waves.plot(data.displacement.isel(node=0) * 1e3, data.velocity.isel(node=0) * 1e3, color=_BLUES[0])
        waves.set(xlabel="displacement (mm)", ylabel="velocity (mm/s)", title="Path of the block")
    return figure


def _reached(largest: Any) -> int:
    """The node a little beyond the last that moved a hundredth as far as the one that moved most."""
    moved = np.flatnonzero(largest > 0.01 * largest.max())
    return min(largest.size - 1, max(4, int(1.25 * moved[-1]) + 1 if moved.size else largest.size))


def plot_stability(stability: Stability, alphas: tuple[float, ...] = (0.0, -0.1, -1 / 3), points: int = 61) -> Any:
    """Spectral radius of every scheme against the step, and the map of HHT over (alpha, step); returns the figure."""
    plt = pyplot()
    if not stability.even:  # every radius is then an eigenvalue problem of three times the nodes
        points = min(points, 13)
        if stability.frequencies.size > 120:
            raise CaseError(
                "a picture of spectral radii along an uneven chain takes at most 120 nodes. Use larger blocks."
            )
    steps = np.logspace(-6, 0, points)
    figure, (lines, chart) = plt.subplots(1, 2, figsize=(12, 4.8), constrained_layout=True)
    for scheme, colour in (("verlet", "#d94801"), ("verlet-frictionless", "#fdae6b"), ("imex", "#6baed6")):
        radii = [stability.spectral_radius(scheme, dt) for dt in steps]
        lines.semilogx(steps, radii, color=colour, lw=4 if scheme == "imex" else 2, label=scheme)
    for alpha, dash in zip(alphas, ("-", "--", ":")):
        radii = [stability.spectral_radius("hht", dt, alpha) for dt in steps]
        lines.semilogx(steps, radii, color="#41ab5d", ls=dash, lw=1.5, label=f"hht, alpha = {alpha:.2f}")
    lines.axvline(
        stability.verlet_limit, color="0.5", lw=0.8, ls="--", label=f"a + b/2 = 1: {stability.verlet_limit:.3g} s"
    )
    lines.axhline(1.0, color="0.8", lw=0.8, zorder=0)
    lines.set(xlabel="step (s)", ylabel="spectral radius", ylim=(0.9, 3.0), title="Spectral radius of one step")
    lines.legend(frameon=False, fontsize=8, loc="upper left")
    grid = np.linspace(-1 / 3, 0.0, 25 if stability.even else 4)
    values = stability.radius_map("hht", grid, steps, slide=False)
    rest = np.maximum(1.0 - values, 1e-16)
    shade = chart.pcolormesh(steps, grid, rest, cmap="viridis", norm="log", shading="auto")
    figure.colorbar(shade, ax=chart, label="1 - spectral radius, without the slide")
    worst = float(stability.radius_map("hht", grid, steps).max())
    chart.set(
        xscale="log",
        xlabel="step (s)",
        ylabel="alpha",
        title=f"HHT: decay of the slowest strain (radius at most {worst:.6g})",
    )
    return figure
