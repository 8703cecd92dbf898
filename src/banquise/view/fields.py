"""Pictures of floe fields: a scene, and what was found in a picture laid over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.scene.scene import Scene
from banquise.view.style import EDGE, ORANGE, ROCK, SEA, ice_colours, pyplot, side_bar, styled


def _paths(bodies: Any) -> list[Any]:
    import shapely
    from matplotlib.path import Path

    paths = []
    for body in bodies:
        rings = [shapely.get_coordinates(r) for r in (body.polygon.exterior, *body.polygon.interiors)]
        codes = np.concatenate([[Path.MOVETO] + [Path.LINETO] * (len(r) - 2) + [Path.CLOSEPOLY] for r in rings])
        paths.append(Path(np.concatenate(rings), codes))
    return paths


def scene_picture(scene: Scene, title: str = "") -> Any:
    """Floes shaded by thickness, obstacles, equal scales."""
    from matplotlib.collections import PathCollection

    with styled():
        figure = pyplot().figure(figsize=(6.2, 5.4))
        ax = figure.add_subplot()
        width = float(np.clip(40.0 / np.sqrt(max(len(scene.floes), 1)), 0.15, 0.7))
        ice = PathCollection(_paths(scene.floes), linewidths=width, edgecolors=EDGE, facecolors="#f4fafc")
        thickness = np.array([f.thickness for f in scene.floes])
        if len(thickness) and thickness.max() > thickness.min() * (1 + 1e-9):
            ice.set_cmap(ice_colours())
            ice.set_array(thickness)
        ax.add_collection(ice)
        ax.add_collection(
            PathCollection(_paths(scene.obstacles), facecolors=ROCK, edgecolors="#3f3832", linewidths=0.6)
        )
        ax.autoscale_view()
        ax.set_aspect("equal")
        ax.set_facecolor(SEA)
        ax.grid(False)
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")
        ax.set_title(title)
        if ice.get_array() is not None:
            side_bar(ice, ax, "thickness (m)")
    return figure


def overlay_picture(found: Any) -> Any:
    """The borders of the floes found, over the picture they were found in, for a person to judge."""
    from matplotlib.collections import PathCollection

    rows, columns = found.picture.shape
    x, y = found.origin
    with styled():
        figure = pyplot().figure(figsize=(6.2, 5.4))
        ax = figure.add_subplot()
        extent = (x, x + columns * found.pixel, y, y + rows * found.pixel)
        ax.imshow(found.picture, cmap="gray", extent=extent, interpolation="nearest")
        ax.add_collection(
            PathCollection(_paths(found.scene.floes), facecolors="none", edgecolors=ORANGE, linewidths=0.9)
        )
        ax.grid(False)
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")
        ax.set_title(f"{len(found.scene.floes):,} floes found")
    return figure
