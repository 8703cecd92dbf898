"""Bodies as a geometry and a row of attributes, which is what the files of other programs hold, and the map they are on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import BanquiseError, CaseError
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.scene import Scene

LOCAL = "local frame, metres"  # the mark of a GeoJSON written without a map

Array = NDArray[np.float64]

NUMBERS = ("thickness", "density", "u", "v", "spin", "radius", "water_drag", "air_drag")
TEXTS = ("kind", "material", "name")


def row_of(body: Any, k: int) -> tuple[Any, dict[str, Any]]:
    """Geometry and attributes of a body; a round one is a point with a radius."""
    if isinstance(body, Floe) and not body.flat:
        raise CaseError(f"floe {k}: a thickness that varies has no place in this format. Give it a mean thickness.")
    if isinstance(body, Obstacle) and body.path is not None:
        raise CaseError(f"obstacle {k}: a path is a function and has no place in a file.")
    shape = shapely.Point(body.ring[0]) if len(body.ring) == 1 else shapely.Polygon(body.ring, body.holes)
    row: dict[str, Any] = {"kind": "floe" if isinstance(body, Floe) else "obstacle"}
    row |= {name: getattr(body, name) for name in ("material", "name")}
    row |= {"u": body.velocity[0], "v": body.velocity[1], "spin": body.spin, "radius": body.radius}
    if isinstance(body, Floe):
        row |= {name: getattr(body, name) for name in ("thickness", "density", "water_drag", "air_drag")}
    return shape, row


def bodies_of(shape: Any, row: dict[str, Any], where: str) -> list[Floe | Obstacle]:
    """The bodies of a geometry with its attributes; attributes that are not ours are ignored."""
    options: dict[str, Any] = {}
    for name in NUMBERS:
        value = row.get(name)
        if value is None or value == "":
            continue
        try:
            options[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise CaseError(f"{where}: {name} is {value!r}, expected a number.") from None
    options |= {name: str(row[name]) for name in ("material", "name") if row.get(name)}
    velocity = (options.pop("u", 0.0), options.pop("v", 0.0))
    if shape is None or shape.is_empty:
        return []
    rock = str(row.get("kind", "")).lower() in ("obstacle", "coast", "land")
    if rock:
        options = {k: v for k, v in options.items() if k in ("spin", "radius", "material", "name")}
    found: list[Floe | Obstacle] = []
    for part in shapely.get_parts(shape):
        if part.is_empty:
            continue
        try:
            if part.geom_type == "Point" and options.get("radius", 0.0) > 0:
                centre = part.coords[0][:2]
                found.append(
                    Obstacle([centre], velocity, **options) if rock else Disc(centre, velocity=velocity, **options)
                )
            elif part.geom_type == "Polygon":
                ring, holes = _xy(part.exterior), [_xy(r) for r in part.interiors]
                make: Any = Obstacle if rock else Floe
                found.append(make(ring, holes=holes, velocity=velocity, **options))
            else:
                raise CaseError(f"a {part.geom_type}, expected polygons (or points with a radius)")
        except BanquiseError as problem:
            raise type(problem)(f"{where}: {problem}") from None
    return found


def _xy(ring: Any) -> Array:
    return shapely.get_coordinates(ring)


def scene_of(rows: list[tuple[Any, dict[str, Any]]], path: Path) -> Scene:
    """The scene of geometries with attributes, or an error when there is none."""
    bodies = [b for k, (shape, row) in enumerate(rows) for b in bodies_of(shape, row, f"{path}: entry {k}")]
    if not bodies:
        raise CaseError(f"{path}: no polygons in it.")
    return Scene([b for b in bodies if isinstance(b, Floe)], [b for b in bodies if isinstance(b, Obstacle)])


def rows_of(scene: Scene) -> list[tuple[Any, dict[str, Any]]]:
    """Geometry and attributes of all floes, then of all obstacles."""
    groups: tuple[Sequence[Floe | Obstacle], ...] = (scene.floes, scene.obstacles)
    return [row_of(body, k) for group in groups for k, body in enumerate(group)]


def projected(shape: Any, source: Any, target: Any, where: str) -> Any:
    """A geometry from one map frame to another (anything pyproj understands)."""
    import pyproj

    try:
        change = pyproj.Transformer.from_crs(source, target, always_xy=True)
    except pyproj.exceptions.CRSError as problem:
        raise CaseError(f"{where}: crs {target!r} is not known ({str(problem).split(':')[-1].strip()}).") from None
    return shapely.transform(shape, lambda xy: np.stack(change.transform(xy[:, 0], xy[:, 1]), axis=1))


def in_metres(rows: list[Any], source: Any, crs: str | None, path: Path) -> list[Any]:
    """Rows in a metric frame; `source` None is a local frame in metres."""
    degrees = source is not None and _geographic(source, path)
    if degrees and (far := _beyond_degrees([shape for shape, _ in rows])):
        raise CaseError(
            f"{path}: coordinates up to {far:g}, which are no degrees, and no map is named. "
            f'For metres, GeoJSON says "frame": "{LOCAL}" beside its "type"; CSV has columns x, y.'
        )
    if degrees and crs is None:
        raise CaseError(
            f"{path}: coordinates are degrees. Say which map to put them on: crs='EPSG:3413' (Arctic), "
            "'EPSG:3976' (Antarctic) or another in metres."
        )
    if source is None or crs is None:
        return rows
    if _geographic(crs, path):
        raise CaseError(f"crs {crs!r} is in degrees. Expected a map in metres, such as 'EPSG:3413'.")
    return [(projected(shape, source, crs, str(path)), row) for shape, row in rows]


def _beyond_degrees(shapes: list[Any]) -> float:
    """The farthest of the coordinates where they cannot be longitudes and latitudes, else 0."""
    bounds = shapely.bounds([shape for shape in shapes if shape is not None])
    far = np.nan_to_num(np.abs(bounds)).reshape(-1, 2).max(axis=0, initial=0.0)
    return float(far.max()) if far[0] > 360.0 or far[1] > 90.0 else 0.0


def _geographic(crs: Any, path: Path) -> bool:
    if crs == "OGC:CRS84":
        return True
    import pyproj

    try:
        return bool(pyproj.CRS.from_user_input(crs).is_geographic)
    except pyproj.exceptions.CRSError:
        raise CaseError(f"{path}: map frame {crs!r} is not known.") from None
