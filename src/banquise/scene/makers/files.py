"""Scenes from files and back: GeoJSON, shapefile, WKT, CSV, MAT (catalogue of rings, SubZero's floes).

Coordinates are metres in one map frame. Files in degrees are read when a `crs` says where to put them; none is
guessed. What a format has no place for is refused by its writer, or said in its docstring. WKT, MAT and HDF5 files say no
map: they are taken to be in metres, whatever the map.
"""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shapely

from banquise.errors import CaseError, known_keywords, need
from banquise.scene.domain import Box, Domain, Periodic
from banquise.scene.makers.floedyn import read_floedyn, write_floedyn
from banquise.scene.makers.mat import read_mat, write_subzero
from banquise.scene.makers.rows import LOCAL, NUMBERS, TEXTS, in_metres, row_of, rows_of, scene_of
from banquise.scene.scene import Scene, as_scene

LONGEST = 254  # bytes of a text in a shapefile


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError:
        raise CaseError(f"{path}: not a text file.") from None


# ---------------------------------------------------------------- GeoJSON


def read_geojson(path: str | Path, crs: str | None = None) -> Scene:
    """Floes and coasts of a GeoJSON file. Without a `crs` member its coordinates are degrees, as the standard says."""
    path = Path(path)
    try:
        data = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        # also of a number of thousands of digits, of a list in a list in ...
        raise CaseError(f"{path}: not valid JSON: {problem}.") from None
    if not isinstance(data, dict) or "type" not in data:
        raise CaseError(f"{path}: JSON, but not GeoJSON (no type).")
    features = data.get("features", [data if data["type"] == "Feature" else {"geometry": data}])
    if not isinstance(features, list):
        raise CaseError(f"{path}: features is {str(features)[:40]!r}, expected a list of GeoJSON features.")
    rows = []
    for k, feature in enumerate(features):
        try:
            shape = shapely.geometry.shape(feature["geometry"]) if feature.get("geometry") else None
            row = dict(feature.get("properties") or {})
        except Exception as problem:
            # shapely raises many kinds for what is no geometry, and more for lists that are not even
            raise CaseError(f"{path}: feature {k} is not a GeoJSON geometry ({problem}).") from None
        rows.append((shape, row))
    source = None if data.get("frame") == LOCAL else _crs_of(data.get("crs"), path)
    scene = scene_of(in_metres(rows, source, crs, path), path)
    return Scene(scene.floes, scene.obstacles, _domain_of(data.get("domain"), path)) if "domain" in data else scene


def _crs_of(entry: Any, path: Path) -> str:
    """The map that a GeoJSON file names; degrees without one, as the standard says."""
    if entry is None:
        return "OGC:CRS84"
    properties = entry.get("properties") if isinstance(entry, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if not isinstance(name, str):
        raise CaseError(
            f"{path}: its crs cannot be understood ({str(entry)[:60]}). Expected a name, such as EPSG:3413."
        )
    return "OGC:CRS84" if "CRS84" in name else name


def _domain_of(entry: Any, path: Path) -> Domain:
    """A domain as `write_geojson` says it."""
    kinds: dict[str, Any] = {"box": Box, "periodic": Periodic}
    try:
        return kinds[entry["kind"]](**{k: v for k, v in entry.items() if k != "kind"})  # type: ignore[no-any-return]
    except (KeyError, TypeError, AttributeError) as problem:
        raise CaseError(f"{path}: its domain cannot be understood ({problem!r}).") from None


def write_geojson(scene: Scene, path: str | Path, crs: str | None = None) -> None:
    """Write floes and obstacles with all their properties; `crs` names the map frame they are in."""
    features = [
        {"type": "Feature", "geometry": shapely.geometry.mapping(shape), "properties": row}
        for shape, row in rows_of(scene)
    ]
    head: dict[str, Any] = {"type": "FeatureCollection"}
    head |= {"crs": {"type": "name", "properties": {"name": crs}}} if crs else {"frame": LOCAL}
    if scene.domain is not None:
        kind = "periodic" if isinstance(scene.domain, Periodic) else "box"
        head["domain"] = {"kind": kind, **dataclasses.asdict(scene.domain)}
    Path(path).write_text(json.dumps(head | {"features": features}), encoding="utf-8")


# ---------------------------------------------------------------- WKT and CSV


def read_wkt(path: str | Path, crs: str | None = None) -> Scene:
    """Floes from a text file with one WKT geometry a line (m); thickness and the rest are the defaults."""
    path = Path(path)
    lines = [line for line in _text(path).splitlines() if line.strip() and not line.startswith("#")]
    return scene_of([(_wkt(line, f"{path}: line {k + 1}"), {}) for k, line in enumerate(lines)], path)


def _wkt(text: str, where: str) -> Any:
    try:
        return shapely.from_wkt(text)
    except (shapely.errors.GEOSException, TypeError):
        raise CaseError(f"{where}: {text[:40]!r} is not WKT, such as POLYGON ((0 0, 1 0, 1 1, 0 0)).") from None


def write_wkt(scene: Scene, path: str | Path, crs: str | None = None) -> None:
    """Write the outlines of the floes alone, a line each; WKT has no place for anything else."""
    if scene.obstacles or any(len(f.ring) == 1 or f.radius > 0 for f in scene.floes):
        raise CaseError(f"{path}: WKT has no place for obstacles and round floes. Write CSV or GeoJSON.")
    lines = [shapely.to_wkt(row_of(f, k)[0], rounding_precision=-1) for k, f in enumerate(scene.floes)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_csv(path: str | Path, crs: str | None = None) -> Scene:
    """Bodies from a table with a column `wkt`, or points in order around each floe: columns floe, x, y (m) or floe, lon, lat."""
    path = Path(path)
    try:
        table = list(csv.DictReader(_text(path).splitlines()))
    except csv.Error as problem:
        raise CaseError(f"{path}: not a table with commas ({problem}).") from None
    columns = {str(name).strip().lower() for name in (table[0] if table else {})}
    table = [{str(k).strip().lower(): v for k, v in row.items()} for row in table]
    if "wkt" in columns:
        return scene_of([(_wkt(row["wkt"], f"{path}: line {k + 2}"), row) for k, row in enumerate(table)], path)
    x, y = ("lon", "lat") if {"lon", "lat"} <= columns else ("x", "y")
    if not {"floe", x, y} <= columns:
        got = ", ".join(sorted(columns)) or "none"
        raise CaseError(f"{path}: columns {got}. Expected wkt, or floe, x, y (metres), or floe, lon, lat (degrees).")
    rings: dict[str, list[tuple[float, float]]] = {}
    first: dict[str, dict[str, Any]] = {}
    for k, row in enumerate(table):
        try:
            rings.setdefault(row["floe"], []).append((float(row[x]), float(row[y])))
        except (TypeError, ValueError, OverflowError):
            raise CaseError(f"{path}: line {k + 2}: {x}, {y} are {row[x]!r}, {row[y]!r}, expected numbers.") from None
        first.setdefault(row["floe"], row)
    for name, ring in rings.items():
        if len(ring) < 3:
            raise CaseError(f"{path}: floe {name!r} has {len(ring)} points, a ring needs at least 3.")
    rows = [(shapely.Polygon(ring), first[name]) for name, ring in rings.items()]
    return scene_of(in_metres(rows, "OGC:CRS84" if x == "lon" else None, crs, path), path)


def write_csv(scene: Scene, path: str | Path, crs: str | None = None) -> None:
    """Write a row a body: kind, material, name, numbers in full, and its geometry as WKT."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*TEXTS, *NUMBERS, "wkt"])
        table.writeheader()
        for shape, row in rows_of(scene):
            numbers = {k: repr(float(v)) for k, v in row.items() if k in NUMBERS}
            table.writerow(row | numbers | {"wkt": shapely.to_wkt(shape, rounding_precision=-1)})


# ---------------------------------------------------------------- shapefile


def _shapefile(path: Path) -> Any:
    need("shapefile", f"{path}: a shapefile", "files")
    import shapefile

    return shapefile


def read_shapefile(path: str | Path, crs: str | None = None) -> Scene:
    """Floes and coasts of a shapefile; its .prj says the map frame, without one it is taken to be in metres."""
    path = Path(path)
    library = _shapefile(path)
    try:
        with library.Reader(str(path)) as file:
            rows = [
                (shapely.geometry.shape(e.shape.__geo_interface__) if e.shape.points else None, e.record.as_dict())
                for e in file.iterShapeRecords()
            ]
    except Exception as problem:  # a damaged one fails anywhere inside pyshp, in its own way
        raise CaseError(f"{path}: not a readable shapefile ({problem or type(problem).__name__}).") from None
    map_file = path.with_suffix(".prj")
    source = _text(map_file).strip() if map_file.exists() else None
    return scene_of(in_metres(rows, source or None, crs, path), path)


def write_shapefile(scene: Scene, path: str | Path, crs: str | None = None) -> None:
    """Write polygons with their properties; `crs` names the map frame, written beside it (.prj)."""
    path = Path(path)
    library = _shapefile(path)
    if any(len(b.ring) == 1 for b in (*scene.floes, *scene.obstacles)):
        raise CaseError(f"{path}: a shapefile of polygons has no place for discs. Write GeoJSON.")
    if any(len((b.name or "").encode()) > LONGEST for b in (*scene.floes, *scene.obstacles)):
        raise CaseError(f"{path}: a shapefile has no place for names of more than {LONGEST} bytes. Write GeoJSON.")
    with library.Writer(str(path.with_suffix("")), shapeType=library.POLYGON) as file:
        for name in TEXTS:
            file.field(name, "C", size=LONGEST)
        for name in NUMBERS:
            file.field(name, "F", size=60, decimal=40)  # no exponents in dBase: all digits of what is above 1e-23
        for shape, row in rows_of(scene):
            rings = [shape.exterior, *shape.interiors]
            file.poly([shapely.get_coordinates(r)[::-1].tolist() for r in rings])  # outer rings clockwise
            file.record(*(row.get(name) or "" for name in TEXTS), *(row.get(name) for name in NUMBERS))
    if crs:
        import pyproj

        path.with_suffix(".prj").write_text(pyproj.CRS.from_user_input(crs).to_wkt("WKT1_ESRI"))


# ---------------------------------------------------------------- any of them

READERS: dict[str, Callable[..., Scene]] = {
    ".geojson": read_geojson,
    ".json": read_geojson,
    ".wkt": read_wkt,
    ".csv": read_csv,
    ".shp": read_shapefile,
    ".mat": lambda path, crs=None: read_mat(path),
    ".h5": lambda path, crs=None: read_floedyn(path),
    ".hdf5": lambda path, crs=None: read_floedyn(path),
}
WRITERS: dict[str, Callable[..., None]] = {
    ".geojson": write_geojson,
    ".json": write_geojson,
    ".wkt": write_wkt,
    ".csv": write_csv,
    ".shp": write_shapefile,
    ".mat": lambda scene, path, crs=None: write_subzero(scene, path),
    ".h5": lambda scene, path, crs=None: write_floedyn(scene, path),
    ".hdf5": lambda scene, path, crs=None: write_floedyn(scene, path),
}


def read_floes(path: str | Path, crs: str | None = None) -> Scene:
    """Floes and obstacles of a file of any known kind, by its ending."""
    path = Path(path)
    if not path.exists():
        raise CaseError(f"{path}: no such file.")
    if path.is_dir():
        raise CaseError(f"{path}: is a folder, expected a file of floes.")
    if path.suffix.lower() not in READERS:
        raise CaseError(f"{path}: unknown ending {path.suffix!r}. Known: .nc, .toml, {', '.join(READERS)}.")
    return READERS[path.suffix.lower()](path, crs=crs)


def check_output(path: str | Path) -> None:
    """Raise unless a scene can be written to such a file: to be asked before a long making, not after."""
    path = Path(path)
    if path.suffix.lower() not in WRITERS:
        raise CaseError(f"{path}: unknown ending {path.suffix!r}. Known: {', '.join(WRITERS)}.")
    if path.is_dir() or not path.resolve().parent.is_dir():
        what = "is a folder" if path.is_dir() else f"the folder {path.resolve().parent} does not exist"
        raise CaseError(f"{path}: {what}. Expected the name of a file in a folder that is there.")


@known_keywords
def write_scene(scene: Scene, path: str | Path, crs: str | None = None) -> None:
    """Write a scene to a file of the kind its ending says (.mat is SubZero's; see `write_catalogue` for rings alone).

    Only GeoJSON has a place for the domain.
    """
    as_scene(scene, "write_scene")
    check_output(path)
    ending = Path(path).suffix.lower()
    if scene.domain is not None and ending not in (".geojson", ".json"):
        raise CaseError(
            f"{path}: the scene's domain has no place in {ending}. Write GeoJSON, or leave it out: "
            "bq.Scene(scene.floes, scene.obstacles), --no-domain."
        )
    try:
        WRITERS[ending](scene, path, crs=crs)
    except OSError as problem:
        raise CaseError(f"{path}: cannot be written ({problem.strerror or problem}).") from None
