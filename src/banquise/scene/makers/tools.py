"""Scenes made from scenes: moved, turned, scaled, cut, tiled, joined; and what a scene holds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, known_keywords
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.makers.pack import region_of
from banquise.scene.makers.sizes import fit_power_law
from banquise.scene.scene import Scene, as_scene
from banquise.units import quantity

Array = NDArray[np.float64]


def like(floe: Floe, ring: Any, holes: Any = (), **changes: Any) -> Floe:
    """A floe with another border and all else the same."""
    names = ("density", "velocity", "spin", "radius", "water_drag", "air_drag", "material", "name", "lower", "upper")
    options = {name: getattr(floe, name) for name in names} | changes
    if len(ring) == 1:
        made = Floe.__new__(type(floe))
        Floe.__init__(made, ring, **options)
        return made
    return Floe(ring, holes, **options)


def mapped(scene: Scene, change: Callable[[Array], Array], scale: float = 1.0, turn: float = 0.0) -> Scene:
    """Every ring and the domain through `change`; lengths times `scale`, velocities turned (rad). Thickness stays."""
    as_scene(scene, "fields")
    if scene.domain is not None and turn:
        raise CaseError(
            "a scene with a domain cannot be turned. Leave it out: bq.Scene(scene.floes, scene.obstacles), --no-domain."
        )
    c, s = math.cos(turn), math.sin(turn)

    def velocity(body: Any) -> tuple[float, float]:
        u, v = body.velocity
        return c * u - s * v, s * u + c * v

    for k, floe in enumerate(scene.floes):
        if not floe.flat:
            raise CaseError(
                f"floe {k}: a thickness that varies cannot be moved with the floe. Give it a mean thickness."
            )
    floes = [
        like(f, change(f.ring), [change(h) for h in f.holes], velocity=velocity(f), radius=scale * f.radius)
        for f in scene.floes
    ]
    if any(o.path for o in scene.obstacles):
        raise CaseError("an obstacle on a path cannot be moved with the scene. Add it afterwards.")
    obstacles = [
        Obstacle(
            change(o.ring),
            velocity(o),
            o.spin,
            None,
            [change(h) for h in o.holes],
            scale * o.radius,
            o.material,
            o.name,
        )
        for o in scene.obstacles
    ]
    domain = scene.domain
    if domain is not None:
        (x0, y0), (x1, y1) = change(np.array([[domain.xmin, domain.ymin], [domain.xmax, domain.ymax]])).tolist()
        domain = dataclasses.replace(domain, xmin=x0, xmax=x1, ymin=y0, ymax=y1)
    return Scene(floes, obstacles, domain)


@known_keywords
def shift(scene: Scene, x: float, y: float) -> Scene:
    """The scene moved by (x, y) m, its domain too."""
    way = np.array([quantity(x, "length", "shift: x"), quantity(y, "length", "shift: y")])
    return mapped(scene, lambda ring: ring + way)


@known_keywords
def scale(scene: Scene, factor: float, origin: Any = (0.0, 0.0)) -> Scene:
    """Lengths in the plane times `factor` about `origin`; thickness and velocities stay."""
    if not factor > 0:
        raise CaseError(f"scale: factor is {factor!r}, expected a number above 0.")
    about = np.asarray(origin, dtype=float)
    return mapped(scene, lambda ring: about + factor * (ring - about), scale=factor)


@known_keywords
def rotate(scene: Scene, angle: float, origin: Any = (0.0, 0.0)) -> Scene:
    """The scene turned by `angle` (rad, counter-clockwise) about `origin`, velocities too."""
    about, c, s = np.asarray(origin, dtype=float), math.cos(angle), math.sin(angle)
    return mapped(scene, lambda ring: about + (ring - about) @ np.array([[c, s], [-s, c]]), turn=angle)


@known_keywords
def at_rest(scene: Scene) -> Scene:
    """The same floes without velocity and spin."""
    floes = [like(f, f.ring, f.holes, velocity=(0.0, 0.0), spin=0.0) for f in as_scene(scene, "at_rest").floes]
    return Scene(floes, scene.obstacles, scene.domain)


@known_keywords
def merge(*scenes: Scene, check: bool = True) -> Scene:
    """All floes and obstacles of several scenes in one; refused when they overlap, unless `check` is off.

    A domain is kept when the scenes that have one have the same.
    """
    domains = [s.domain for s in (as_scene(s, "merge") for s in scenes) if s.domain is not None]
    domain = domains[0] if domains and all(d == domains[0] for d in domains) else None
    joined = Scene([f for s in scenes for f in s.floes], [o for s in scenes for o in s.obstacles], domain)
    found = joined.overlaps() if check else []
    if found:
        i, j, area = found[0]
        raise CaseError(
            f"merge: {len(found)} pairs overlap, first {i} and {j} by {area:.4g} m2. Move one of the scenes."
        )
    return joined


@known_keywords
def tile(scene: Scene, across: int, up: int, box: Any = None) -> Scene:
    """The scene repeated across x up times, in steps of `box` (by default its domain, which grows with it)."""
    for name, count in (("across", across), ("up", up)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise CaseError(f"tile: {name} is {count!r}, expected a whole number, at least 1.")
    if box is None and as_scene(scene, "tile").domain is None:
        raise CaseError("tile: the scene has no domain. Say its box, such as (1200, 1200).")
    polygon, _ = region_of(scene.domain if box is None else box)
    x0, y0, x1, y1 = polygon.bounds
    bare = Scene(scene.floes, scene.obstacles)
    copies = [shift(bare, i * (x1 - x0), j * (y1 - y0)) for j in range(up) for i in range(across)]
    joined = merge(*copies, check=False)
    if joined.overlaps():
        raise CaseError(
            f"tile: copies {x1 - x0:g} m by {y1 - y0:g} m apart overlap. Give a box that holds the scene, or cut it first."
        )
    whole = None
    if box is None and scene.domain is not None:
        whole = dataclasses.replace(scene.domain, xmax=x0 + across * (x1 - x0), ymax=y0 + up * (y1 - y0))
    return Scene(joined.floes, joined.obstacles, whole)


@known_keywords
def cut(scene: Scene, box: Any, min_area: float = 0.0) -> Scene:
    """What lies in a box or polygon: floes across its border are cut, pieces below `min_area` m2 dropped."""
    polygon, domain = region_of(box)
    floes = []
    for floe in as_scene(scene, "cut").floes:
        if shapely.contains(polygon, floe.polygon):
            floes.append(floe)
            continue
        for piece in shapely.get_parts(shapely.intersection(polygon, floe.polygon)):
            if piece.geom_type == "Polygon" and piece.area > max(min_area, 1e-9 * floe.area):
                holes = [shapely.get_coordinates(r) for r in piece.interiors]
                floes.append(like(floe, shapely.get_coordinates(piece.exterior), holes, radius=0.0))
    if not floes:
        x0, y0, x1, y1 = polygon.bounds
        raise CaseError(
            f"cut: no floe lies in x {x0:g} to {x1:g}, y {y0:g} to {y1:g} m. The floes lie in {_extent(scene)}."
        )
    return Scene(floes, [o for o in scene.obstacles if shapely.intersects(polygon, o.polygon)], domain)


def _extent(scene: Scene) -> str:
    if not scene.floes:
        return "no place: there are none"
    bounds = np.array([f.polygon.bounds for f in scene.floes])
    (x0, y0), (x1, y1) = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
    return f"x {x0:.6g} to {x1:.6g}, y {y0:.6g} to {y1:.6g} m"


@known_keywords
def info(scene: Scene, box: Any = None) -> dict[str, Any]:
    """What a scene holds: count, area, concentration, sizes and the law fitted to them, thickness, overlaps.

    The concentration is that of `box`, of the domain, or of the bounds of the floes.
    """
    area = np.array([f.area for f in as_scene(scene, "info").floes])
    found: dict[str, Any] = {
        "floes": len(scene.floes),
        "obstacles": len(scene.obstacles),
        "ice_area": float(area.sum()),
    }
    if not len(area):
        return found
    where = "box" if box is not None else "domain" if scene.domain is not None else "bounds of the floes"
    if where == "bounds of the floes":
        bounds = np.array([f.polygon.bounds for f in scene.floes])
        polygon = shapely.box(*bounds[:, :2].min(axis=0), *bounds[:, 2:].max(axis=0))
    else:
        polygon = region_of(scene.domain if box is None else box)[0]
    rock = shapely.union_all([o.polygon for o in scene.obstacles]) if scene.obstacles else shapely.Point()
    water = shapely.difference(polygon, rock)
    ice = float(area.sum()) if where != "box" else float(sum(polygon.intersection(f.polygon).area for f in scene.floes))
    size = np.sqrt(area / math.pi)
    law = fit_power_law(size)
    thickness = [f.thickness for f in scene.floes]
    return found | {
        "concentration": ice / water.area,
        "concentration_of": where,
        "min_size": float(size.min()),
        "max_size": float(size.max()),
        "exponent": law.exponent,
        "exponent_error": law.error,
        "min_thickness": float(min(thickness)),
        "max_thickness": float(max(thickness)),
        "points": int(sum(len(f.ring) for f in scene.floes)),
        "overlaps": len(scene.overlaps()),
    }
