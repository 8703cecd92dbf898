"""Reports and figures of runs of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.recording.block_shapes import blocks_from
from banquise.settings import one_of
from banquise.view.plots import energy
from banquise.view.report import Check, ledger_checks, stated
from banquise.view.sea import clock_text, frame_at
from banquise.view.style import clock, pyplot, styled, time_axis

REST = 1e-9  # m/s: slower is round-off of a block at rest, and not worth a scale of colours
OVERLAP_TOLERANCE = 1e-3  # of the smallest block's size: what is pushed apart again at the next step stays far below
RESIDUAL_TOLERANCE = 1e-2  # the largest relative residual that `bq.Contact(tolerance=...)` may ask for


def block_checks(run: Any) -> list[Check]:
    """Overlap, residual, unsolved problems and energy balance, each against its bar."""
    free = run.shapes["fixed"].values == 0
    smallest = float(np.cbrt(run.shapes["volume"].values[free]).min()) if free.any() else 1.0
    return ledger_checks(run, (smallest, smallest), "block", OVERLAP_TOLERANCE, RESIDUAL_TOLERANCE)


def block_facts(run: Any) -> list[tuple[str, str]]:
    """What was run, as (name, text)."""
    case, times = run.case, run.records["time"]
    fixed = int(run.shapes["fixed"].values.sum())
    level = case.get("water_level")
    rows = [
        ("Run file", str(run.path) if run.path else "kept in memory"),
        ("Written", str(case.get("written", "not stated"))),
        ("Length", f"{clock(float(times[-1]), float(times[-1]))}, {len(times):,} records"),
        ("Blocks", f"{run.bodies:,}, {fixed:,} of them fixed"),
        ("Step", f"{case.get('step', 0.0):g} s"),
        ("Impacts", f"{len(run.events):,}"),
        ("Water", "none" if level is None else f"its surface at z = {level:g} m"),
    ]
    rows += stated(case, ("forcing", "contact", "scheme", "seed"))
    rows.append(("Versions", ", ".join(f"{k} {v}" for k, v in (case.get("versions") or {}).items()) or "not stated"))
    rows.append(("Wall time", f"{run.profile['wall']:.3g} s" if "wall" in run.profile else "not recorded"))
    return rows


def heights(run: Any, ax: Any = None) -> Any:
    """Heights of the centres of the blocks that move, of at most 60 of them."""
    times = run.records["time"]
    scale, unit = time_axis(float(times[-1]))
    free = np.flatnonzero(run.shapes["fixed"].values == 0)[:60]
    with styled():
        ax = pyplot().figure(figsize=(5.2, 3.4)).add_subplot() if ax is None else ax
        ax.plot(times / scale, run.records["state"][:, 2, free], linewidth=0.9)
        ax.set_xlabel(f"time ({unit})")
        ax.set_ylabel("height of the centre (m)")
        ax.set_title("Heights")
    return ax.figure


LIGHT = np.array([-0.35, -0.6, 0.72])  # towards the light, of unit length


def face_rings(block: Any) -> list[Any]:
    """The faces of a block in the world as rings (k, 3) of corners: flat polygons of its parts, triangles of a skin."""
    if not block.parts:
        return list(block.world_vertices[block.faces])
    rings = []
    for part in block.parts:
        normals, offsets = part.faces
        for normal, offset in zip(normals, offsets):
            on = part.corners[np.abs(part.corners @ normal - offset) <= 1e-9 * np.abs(part.corners).max()]
            across = np.linalg.svd(on - on.mean(axis=0))[2][:2]
            flat = (on - on.mean(axis=0)) @ across.T
            rings.append(on[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))] @ block.rotation.T + block.position)
    return rings


def cut_to(ring: Any, low: Any, high: Any) -> Any:
    """What of a ring (k, 3) lies in a box: cut by its six sides in turn."""
    for axis in range(3):
        for sign, bound in ((1.0, high[axis]), (-1.0, -low[axis])):
            out = sign * ring[:, axis] - bound
            corners = []
            for k in range(len(ring)):
                n = (k + 1) % len(ring)
                if out[k] <= 0.0:
                    corners.append(ring[k])
                if out[k] * out[n] < 0.0:
                    corners.append(ring[k] + out[k] / (out[k] - out[n]) * (ring[n] - ring[k]))
            ring = np.array(corners).reshape(-1, 3)
    return ring


def snapshot(run: Any, time: Any = None, ax: Any = None, colour: str = "speed") -> Any:
    """The blocks at one time, from above and aside; fixed ones as glass, cut to the picture.

    `time` in seconds or as text with units (the end by default); `colour` is "speed" or "plain".
    """
    from matplotlib.ticker import MaxNLocator
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    one_of(colour, ("speed", "plain"), "colour")
    frame, fixed = frame_at(run, time), run.shapes["fixed"].values != 0
    state = run.records["state"][frame]
    placed = [
        block.moved(position=row[:3], orientation=row[3:7])  # their frames are at their centres of mass
        for block, row in zip(blocks_from(run.shapes), state.T)
    ]
    shown = np.vstack([b.world_vertices for b, held in zip(placed, fixed) if not held or fixed.all()])
    margin = 0.1 * float(np.ptp(shown, axis=0).max())
    low, high = shown.min(axis=0) - margin, shown.max(axis=0) + margin
    speed = np.linalg.norm(state[7:10], axis=0)
    with styled():
        plt = pyplot()
        ax = plt.figure(figsize=(6.4, 5.0)).add_subplot(projection="3d") if ax is None else ax
        fastest = float(speed[~fixed].max(initial=0.0))
        scale = plt.Normalize(0.0, fastest if fastest > REST else 1.0)
        rings, tints = [], []
        for block, held, fast in zip(placed, fixed, speed):
            base = np.array(plt.get_cmap("viridis")(scale(fast))[:3] if colour == "speed" else (0.62, 0.76, 0.87))
            for ring in face_rings(block):
                shape = cut_to(ring, low, high) if held else ring
                if len(shape) < 3:
                    continue
                normal = np.cross(ring[1] - ring[0], ring[2] - ring[1])
                lit = 0.65 + 0.35 * abs(float(normal @ LIGHT)) / max(float(np.linalg.norm(normal)), 1e-300)
                rings.append(shape)
                tints.append((0.6, 0.6, 0.6, 0.12) if held else (*np.clip(lit * base, 0.0, 1.0), 1.0))
        # one collection: only within it are faces drawn from the back to the front
        ax.add_collection3d(Poly3DCollection(rings, facecolors=tints, edgecolors=(0, 0, 0, 0.35), linewidths=0.3))
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        ax.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
        for axis, length in zip((ax.xaxis, ax.yaxis, ax.zaxis), high - low):
            narrow = length < 0.4 * float((high - low).max())
            axis.set_major_locator(MaxNLocator(3, prune="both") if narrow else MaxNLocator(5))
        tall = (high - low)[2] > 2.0 * (high - low)[:2].max()
        ax.set_box_aspect(high - low, zoom=0.8 if tall else 1.0)  # room for the names of the axes below a tower,
        if tall:  # and for its heights: matplotlib counts their distance in widths of the box
            ax.tick_params(axis="z", pad=14.0)
            ax.zaxis.labelpad = 40.0
        ax.view_init(elev=22.0, azim=-62.0)
        if colour == "speed":
            plt.colorbar(plt.cm.ScalarMappable(scale, "viridis"), ax=ax, shrink=0.6, pad=0.14, label="speed (m/s)")
        ax.set_title(clock_text(run, frame))
    return ax.figure


FIGURES = {"snapshot": snapshot, "energy": energy, "heights": heights}
