"""Whether floes lie where they may at the start of a run: apart from each other, within the box, and with room to its end."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import shapely

from banquise.detection.planar import Detector
from banquise.errors import CaseError
from banquise.scene.domain import Box
from banquise.scene.scene import Scene

DEEP = 1e-5  # of the smaller floe's size: the overlap that steps keep below
NAMED = 3  # in a warning; the rest is counted


def named(scene: Scene, k: int) -> str:
    """Body k of a scene, floes first, in words."""
    n = len(scene.floes)
    body: Any = scene.floes[k] if k < n else scene.obstacles[k - n]
    return f"{'floe' if k < n else 'obstacle'} {k if k < n else k - n}" + (f" ({body.name})" if body.name else "")


def over_walls(scene: Scene) -> list[str]:
    """A sentence for each floe that reaches over a wall of the box."""
    d = scene.domain
    if not isinstance(d, Box):
        return []
    found = []
    sides = (("left", 0, -1, d.xmin), ("right", 0, 1, d.xmax), ("bottom", 1, -1, d.ymin), ("top", 1, 1, d.ymax))
    for k, floe in enumerate(scene.floes):
        for name, axis, way, wall in sides:
            over = float((way * (floe.ring[:, axis] - wall)).max()) + floe.radius
            if name not in d.open and over > 1e-6 * math.sqrt(floe.area):
                text = f"{named(scene, k)} reaches {over:.4g} m over the {name} side of the box."
                found.append(f"{text} Move it in, or open that side.")
    return found


def out_of_sight(scene: Scene) -> list[str]:
    """A sentence for each floe that lies wholly outside the domain, where no wall of a box stops it from being."""
    d = scene.domain
    if d is None:
        return []
    found = []
    closed = (
        [] if not isinstance(d, Box) else [side for side in ("left", "right", "bottom", "top") if side not in d.open]
    )
    for k, floe in enumerate(scene.floes):
        low, high = floe.ring.min(axis=0) - floe.radius, floe.ring.max(axis=0) + floe.radius
        beyond = {
            "left": high[0] < d.xmin,
            "right": low[0] > d.xmax,
            "bottom": high[1] < d.ymin,
            "top": low[1] > d.ymax,
        }
        sides = [side for side, out in beyond.items() if out]
        if sides and not set(sides) & set(closed):
            what = "box" if isinstance(d, Box) else "periodic domain"
            x, y = floe.centre
            found.append(
                f"{named(scene, k)} at ({x:.6g}, {y:.6g}) m lies outside the {what}, beyond its {sides[0]} side."
            )
    return found


def check_closing(scene: Scene, end: float, breaks: bool = False) -> None:
    """Raise if walls of the box come so near to each other before the end of the run that its floes (unless they may break)
    have no room between them."""
    d = scene.domain
    if not isinstance(d, Box) or not any(d.velocity.values()):
        return
    narrow = 0.0 if breaks else max((_width(floe) for floe in scene.floes), default=0.0)
    for low, high, wide in (("left", "right", d.xmax - d.xmin), ("bottom", "top", d.ymax - d.ymin)):
        rate = d.velocity.get(low, 0.0) - d.velocity.get(high, 0.0)  # at which they come together
        if rate <= 0 or {low, high} & set(d.open) or wide - rate * end > narrow * (1 - 1e-9):
            continue
        when = (wide - narrow) / rate
        what = f"leave less than the {narrow:.4g} m that its widest floe needs" if narrow else "meet"
        raise CaseError(
            f"Box: its {low} and {high} sides {what} from t = {max(when, 0.0):.4g} s on, and the run goes on to {end:g} s. "
            "Take a shorter run, slower walls or a larger box."
        )


def _width(floe: Any) -> float:
    """Least distance of two parallel lines that hold a floe (m)."""
    if len(floe.ring) == 1:
        return 2.0 * float(floe.radius)
    hull = shapely.get_coordinates(shapely.MultiPoint(floe.ring).convex_hull)
    edge = np.diff(hull, axis=0)
    across = np.stack([-edge[:, 1], edge[:, 0]], axis=1) / np.hypot(*edge.T)[:, None]
    return float(np.ptp(across @ hull.T, axis=1).min()) + 2.0 * float(floe.radius)


def warn_of_start(sim: Any) -> None:
    """Warn of floes that overlap others or lie outside, by name: `banquise check` calls these errors."""
    found = over_walls(sim.scene) + out_of_sight(sim.scene)
    one, other, depth = Detector(sim.bodies, sim.scene.domain).overlaps(sim.bodies)
    size, n = sim.bodies.size, sim.bodies.n_free
    own = len(sim.scene.floes) + len(sim.scene.obstacles)  # walls of the box come after them
    deep = depth > DEEP * np.minimum(size[one], np.where(other < n, size[other], np.inf))
    for i, j, d in zip(one[deep].tolist(), other[deep].tolist(), depth[deep].tolist()):
        if j < own:
            found.append(f"{named(sim.scene, i)} and {named(sim.scene, j)} overlap by {d:.3g} m. Move one of them.")
    if found:
        more = f" And {len(found) - NAMED} more." if len(found) > NAMED else ""
        warnings.warn("at the start of the run: " + " ".join(found[:NAMED]) + more, stacklevel=4)
