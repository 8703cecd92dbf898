"""Pictures of the 1-D models; each draws on the axes it is given and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.errors import need
from banquise.percussion.contact import compression_at, two_bodies
from banquise.percussion.springs import Motion
from banquise.percussion.triangle import SIDES, Triangle


def _axes(ax: Any) -> Any:
    if ax is None:
        need("matplotlib", "a figure", "plot")
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    return ax


def plot_two_bodies(
    m1: float, m2: float, v1: float, v2: float, stiffness: float, damping: float, ax: Any = None
) -> Any:
    """Compression in time under both release rules."""
    ax = _axes(ax)
    m = m1 * m2 / (m1 + m2)
    for release, style in (("distance", "--"), ("force", "-")):
        hit = two_bodies(m1, m2, v1, v2, stiffness, damping, release)
        if np.isfinite(hit.duration):
            t = np.linspace(0, hit.duration, 300)
            label = f"part at zero {release}: e = {hit.restitution:.3f}"
            ax.plot(t, compression_at(hit, t, v1 - v2, stiffness, m), style, label=label)
    ax.axhline(0, color="0.7", lw=0.8)
    ax.set(xlabel="time (s)", ylabel="compression (m)", title="Two bodies, spring and damper")
    ax.legend(frameon=False)
    return ax


def plot_motion(motion: Motion, ax: Any = None, title: str = "") -> Any:
    """Displacement of each node in time."""
    ax = _axes(ax)
    for node in range(motion.x.shape[1]):
        ax.plot(motion.times, motion.x[:, node], label=f"node {node}")
    ax.set(xlabel="time (s)", ylabel="displacement (m)", title=title)
    ax.legend(frameon=False, ncols=2)
    return ax


def plot_elongations(motion: Motion, ax: Any = None) -> Any:
    """Elongation of each spring of a chain (blue: pressed, red: stretched) in time: the wave of a percussion."""
    ax = _axes(ax)
    d = motion.elongations
    top = float(np.abs(d).max()) or 1.0
    edges = np.arange(d.shape[1] + 1) - 0.5
    mesh = ax.pcolormesh(edges, motion.times, d[:-1], cmap="RdBu_r", vmin=-top, vmax=top)
    ax.figure.colorbar(mesh, ax=ax, label="elongation (m)")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="spring", ylabel="time (s)", title="A percussion runs through a chain")
    return ax


def plot_triangle(run: Triangle, ax: Any = None) -> Any:
    """Energy of a triangle in time, elastic and total, with its first and last shape in a corner."""
    ax = _axes(ax)
    ax.plot(run.times, run.energy, label="total")
    ax.plot(run.times, run.elastic_energy, label="elastic")
    ax.set(xlabel="time (s)", ylabel="energy (J)", title="A triangle of springs and dampers calms down")
    ax.legend(frameon=False, loc="center right")
    small = ax.inset_axes((0.55, 0.62, 0.4, 0.35))
    for frame, style in ((0, "--"), (-1, "-")):
        ring = run.q[frame][np.append(SIDES[:, 0], 0)]
        small.plot(*(ring - ring[:-1].mean(axis=0)).T, style, color="0.3")
    small.set_aspect("equal")
    small.axis("off")
    return ax
