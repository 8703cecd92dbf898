"""Floes in MAT files: catalogues of rings (variable G) and SubZero's floes (structure Floe)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely

from banquise.errors import BanquiseError, CaseError
from banquise.scene.floe import Floe
from banquise.scene.makers.mat_tree import load_mat
from banquise.scene.scene import Scene


def read_mat(path: str | Path) -> Scene:
    """Floes of a MAT file: G holds a closed ring a floe (m, 1 m thick); Floe holds SubZero's structures."""
    path = Path(path)
    data = load_mat(path)
    if "G" in data:
        return _catalogue(data["G"], path)
    name = next((n for n in ("Floe", "Floes", "floes") if n in data), None)
    if name is None or data[name].dtype.names is None:
        held = ", ".join(n for n in data if not n.startswith("__")) or "nothing"
        raise CaseError(f"{path}: holds {held}. Expected G (rings of a catalogue) or Floe (SubZero's structures).")
    return _subzero(data[name].ravel(), path)


def _catalogue(rings: Any, path: Path) -> Scene:
    try:
        return Scene([Floe(np.asarray(ring, dtype=float), name=str(k)) for k, ring in enumerate(rings.ravel())])
    except BanquiseError as problem:
        raise type(problem)(f"{path}: {problem}") from None
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"{path}: G is not a list of rings (n, 2).") from None


def _subzero(records: Any, path: Path) -> Scene:
    needed = {"Xi", "Yi", "c_alpha", "h"}
    missing = needed - set(records.dtype.names)
    if missing:
        raise CaseError(f"{path}: Floe without {', '.join(sorted(missing))}. Expected SubZero's structures.")
    floes = []
    for k, record in enumerate(records):

        def number(name: str, default: float = 0.0, record: Any = record) -> float:
            value = record[name] if name in record.dtype.names else np.empty(0)
            return float(np.ravel(value)[0]) if np.size(value) else default

        try:
            if number("alive", 1.0) == 0:
                continue
            ring = np.asarray(record["c_alpha"], dtype=float).T + np.array([number("Xi"), number("Yi")])
            motion: dict[str, Any] = {"velocity": (number("Ui"), number("Vi")), "spin": number("ksi_ice")}
            floes.append(Floe(ring, thickness=number("h"), name=str(k), **motion))
        except BanquiseError as problem:
            raise type(problem)(f"{path}: {problem}") from None
        except (TypeError, ValueError) as problem:
            raise CaseError(f"{path}: floe {k}: not SubZero's numbers ({problem}).") from None
    return Scene(floes)


def _plain(scene: Scene, path: Any, what: str) -> None:
    if scene.obstacles or any(f.holes or f.radius > 0 or not f.flat for f in scene.floes):
        raise CaseError(
            f"{path}: {what} has no place for obstacles, holes, round floes or a thickness that varies. Write GeoJSON."
        )


def write_catalogue(scene: Scene, path: str | Path) -> None:
    """Write the rings of the floes, each closed, with the centre and radius of the least circle around each."""
    from scipy.io import savemat

    _plain(scene, path, "a catalogue")
    n = len(scene.floes)
    rings = np.empty((n, 1), dtype=object)
    centre, radius = np.empty((n, 2)), np.empty((n, 1))
    for k, floe in enumerate(scene.floes):
        rings[k, 0] = np.vstack([floe.ring, floe.ring[:1]])
        circle = shapely.minimum_bounding_circle(floe.polygon)
        centre[k], radius[k, 0] = circle.centroid.coords[0], shapely.minimum_bounding_radius(floe.polygon)
    savemat(path, {"G": rings, "Cmin": centre, "Rmin": radius})


def write_subzero(scene: Scene, path: str | Path) -> None:
    """Write SubZero's structures: rings about the centres (c_alpha, c0), place, thickness, mass and motion."""
    from scipy.io import savemat

    _plain(scene, path, "a file of SubZero's floes")
    names = (
        "Xi",
        "Yi",
        "c_alpha",
        "c0",
        "alpha_i",
        "h",
        "area",
        "mass",
        "inertia_moment",
        "rmax",
        "Ui",
        "Vi",
        "ksi_ice",
        "alive",
    )
    records = np.empty(len(scene.floes), dtype=[(name, object) for name in names])
    for k, floe in enumerate(scene.floes):
        local = np.ascontiguousarray((np.vstack([floe.ring, floe.ring[:1]]) - floe.centre).T)
        x, y = (float(c) for c in floe.centre)
        u, v = floe.velocity
        reach = float(np.sqrt((local**2).sum(axis=0).max()))
        records[k] = (
            x,
            y,
            local,
            local,
            0.0,
            floe.thickness,
            floe.area,
            floe.mass,
            floe.inertia,
            reach,
            u,
            v,
            floe.spin,
            1.0,
        )
    savemat(path, {"Floe": records})
