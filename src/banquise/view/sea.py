"""The sea with its ice at one record: what every picture of a run is drawn on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError, nearest
from banquise.recording.run_file import Run
from banquise.scene.domain import periods_passed
from banquise.units import duration
from banquise.view.outlines import Outlines, outlines_of, place
from banquise.view.pack import extent_of, usual_top_speed
from banquise.view.series import obstacle_poses
from banquise.view.style import EDGE, ROCK, SEA, clock, ice_colours

Array = NDArray[np.float64]
COLOURS = ("speed", "thickness", "plain")


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
    poses = state[:3].T.copy()
    poses[:, :2] -= periods_passed(poses[:, :2], run.case.get("domain"))
    there = np.nonzero(np.isfinite(state[0]))[0]
    values, _, (low, high) = colour_values(run, frame, colour)
    width = float(np.clip(40.0 / np.sqrt(max(len(there), 1)), 0.15, 0.7))
    ice = PathCollection(patches(outlines, poses, there), linewidths=width, edgecolors=EDGE, facecolors="#f4fafc")
    if values is not None:
        ice.set_cmap("viridis" if colour == "speed" else ice_colours())
        ice.set_array(values[there])
        ice.set_clim(low, high)
    ax.add_collection(ice)
    draw_obstacles(run, frame, ax, outlines)
    return ice


def draw_obstacles(run: Run, frame: int, ax: Any, outlines: Outlines | None = None) -> None:
    """Obstacles of one record on `ax`."""
    from matplotlib.collections import PathCollection

    outlines = outlines or outlines_of(run.shapes)
    n = run.records["state"].shape[2]
    still = obstacle_poses(run)[frame]
    if not len(still):
        return
    rocks = patches(outlines, np.concatenate([np.zeros((n, 3)), still]), range(n, n + len(still)))
    ax.add_collection(PathCollection(rocks, facecolors=ROCK, edgecolors="#3f3832", linewidths=0.6, hatch="////"))


def clock_text(run: Run, frame: int) -> str:
    """Time of a record as it is written over a picture."""
    times = run.records["time"]
    return f"{run.case.get('title', 'Banquise run')}, {clock(float(times[frame]), float(times[-1]))}"


def sea_axes(run: Run, ax: Any, kilometres: bool | None = None) -> None:
    """Equal scales, the colour of water, kilometres for large scenes (or as told); a coast when the axes are a map."""
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
    if max(x1 - x0, y1 - y0) > 5000 if kilometres is None else kilometres:
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
