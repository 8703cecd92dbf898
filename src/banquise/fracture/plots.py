"""Pictures of fracture: the elastic state of a struck floe, the energy landscape over all chords, the chosen crack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import need
from banquise.fracture.griffith import Griffith
from banquise.fracture.percussion import Impact
from banquise.fracture.search import Crack, landscape
from banquise.fracture.split import split
from banquise.fracture.state import loaded
from banquise.scene.floe import Floe, Obstacle

Array = NDArray[np.float64]

ICE, EDGE, CRACK = "#dfeaf2", "#33475b", "#c0392b"


def axes_of(ax: Any) -> Any:
    """The axes given, or new ones, with equal scales in metres."""
    if ax is None:
        need("matplotlib", "a figure", "plot")
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6, 5), layout="constrained")
    ax.set_aspect("equal")
    ax.set(xlabel="x (m)", ylabel="y (m)")
    return ax


def principal_tension(stress: Array) -> Array:
    """Largest principal stress from columns xx, yy, xy (tension positive)."""
    mean, half = (stress[:, 0] + stress[:, 1]) / 2, (stress[:, 0] - stress[:, 1]) / 2
    return np.asarray(mean + np.hypot(half, stress[:, 2]))


def plot_state(
    floe: Floe, load: Any, ax: Any = None, ice: Griffith | None = None, exaggerate: float | None = None
) -> Any:
    """Largest principal stress on the deformed mesh; displacements are enlarged to a twentieth of the floe."""
    ax = axes_of(ax)
    ice = ice or getattr(load, "ice", None) or Griffith()
    state = loaded(floe, load, ice)
    body = state.body
    tension = principal_tension(state.stress) * ice.young / 1e3
    factor = exaggerate or 0.05 / float(np.abs(state.u0).max())
    x, y = body.to_world(body.mesh.nodes + factor * state.u0).T
    # A push leaves a spike of stress under the patch; the colours serve 97 % of the floe's area.
    rising = np.argsort(np.abs(tension))
    covered = np.cumsum(body.mesh.area[rising])
    top = float(np.abs(tension)[rising[np.searchsorted(covered, 0.97 * covered[-1])]]) or 1.0
    faces = ax.tripcolor(x, y, body.mesh.elements, tension, cmap="RdBu_r", vmin=-top, vmax=top, ec="0.75", lw=0.15)
    ax.figure.colorbar(faces, ax=ax, label="largest principal stress (kPa)", extend="both")
    for ring in (floe.ring, *floe.holes):
        ax.plot(*np.vstack([ring, ring[:1]]).T, "--", color=EDGE, lw=0.8)
    if isinstance(load, Impact):
        _arrows(ax, floe, load)
    ax.set_title(f"Elastic state, displacements x {factor:,.0f}")
    return ax


def plot_landscape(floe: Floe, load: Any, ax: Any = None, ice: Griffith | None = None, starts: str = "all") -> Any:
    """Every candidate chord, coloured by its release over its cost; those that pay are drawn last and thick."""
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    ax = axes_of(ax)
    ice = ice or getattr(load, "ice", None) or Griffith()
    rows = landscape(floe, load, ice, starts)
    cost = ice.toughness * floe.thickness * np.hypot(*(rows[:, 2:4] - rows[:, :2]).T)
    gain = rows[:, 4] / cost
    order = np.argsort(gain)
    fill_floe(ax, floe)
    pays = gain[order] >= 1
    lines = LineCollection(list(rows[order, :4].reshape(-1, 2, 2)), array=gain[order], cmap="plasma_r")
    lines.set(linewidth=np.where(pays, 1.2, 0.4), alpha=np.where(pays, 1.0, 0.35))
    ax.add_collection(lines)
    plt.colorbar(lines, ax=ax, label="release / cost of the crack")
    if isinstance(load, Impact):
        _arrows(ax, floe, load)
    ax.set_title(f"{len(rows)} candidate cracks, {int((gain >= 1).sum())} pay")
    return ax


def plot_crack(floe: Floe, crack: Crack, ax: Any = None, load: Any = None) -> Any:
    """The floe, the chosen crack and, when it breaks, its two pieces a little apart."""
    ax = axes_of(ax)
    if crack.breaks and crack.separates:
        for piece, shade in zip(split(floe, crack.start, crack.end), ("#c9dcea", ICE)):
            away = piece.centre - floe.centre
            fill_floe(ax, piece, 0.03 * away, shade)
    else:
        fill_floe(ax, floe)
        ax.plot(*np.array([crack.start, crack.end]).T, color=CRACK, lw=2)
    if isinstance(load, Impact):
        _arrows(ax, floe, load)
    verb = "opens" if crack.breaks else "does not open"
    ax.set_title(f"{crack.length:.0f} m crack {verb}: {crack.release:.3g} J against {crack.surface:.3g} J")
    return ax


def fill_floe(ax: Any, floe: Floe | Obstacle, shift: Any = (0.0, 0.0), colour: str = ICE) -> None:
    """Draw a floe or an obstacle, holes left open."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    polygon = floe.polygon
    rings = [np.asarray(r.coords) + shift for r in (polygon.exterior, *polygon.interiors)]
    path = Path.make_compound_path(*(Path(r, closed=True) for r in rings))
    ax.add_patch(PathPatch(path, fc=colour, ec=EDGE, lw=1.2))
    ax.autoscale_view()


def _arrows(ax: Any, floe: Floe, hit: Impact) -> None:
    size = 0.12 * np.sqrt(floe.area)
    for contact in hit.contacts:
        tip = np.array(contact.point)
        tail = tip - size * np.array(contact.normal)
        ax.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": CRACK, "lw": 2}, annotation_clip=False)
        ax.update_datalim([tail])
        ax.autoscale_view()
