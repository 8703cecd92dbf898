"""Blocks in case files: one table [[scene.blocks]] a block, or a row of equal ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from banquise.blocks.bonds import Bond
from banquise.blocks.schemes import Events, Moreau, Penalty, QuasiStatic
from banquise.case_tools import known, named
from banquise.errors import BanquiseError, CaseError
from banquise.scene.polyhedron import Polyhedron
from banquise.schemes.time_stepping import TimeStepping
from banquise.units import quantity

# name in a case file; the first is the default
BLOCK_SCHEMES: dict[str, Any] = {
    "time-stepping": TimeStepping, "moreau": Moreau, "quasi-static": QuasiStatic, "events": Events, "penalty": Penalty,
}  # fmt: skip
_SHAPES = ("box", "ball", "vertices", "parts", "centres", "file")
_WITH = {
    "vertices": {"faces", "radius", "parts"},
    "centres": {"radii"},
    "file": {"scale", "radius"},
    "parts": {"radius"},
}
_COMMON = ("density", "position", "orientation", "velocity", "spin", "fixed", "material", "name")
_KINDS = {"box": "length", "ball": "length", "radius": "length", "position": "length", "density": "density"}


def block_of(entry: Mapping[str, Any], where: str, folder: Path = Path()) -> Polyhedron:
    """The block of a table: its shape under one of the keys box, ball, vertices, parts, centres or file."""
    known(entry, {*_SHAPES, *_COMMON, *set().union(*_WITH.values())}, where)
    options = {key: _in_si(value, key, f"{where}: {key}") for key, value in entry.items()}
    shape = next((s for s in _SHAPES if s in options), None)
    if shape is None:
        raise CaseError(f"{where}: no shape. Give one of {', '.join(_SHAPES)}, such as box = [1.0, 1.0, 1.0].")
    for key in options:
        if key not in _COMMON and key != shape and key not in _WITH.get(shape, ()):
            raise CaseError(f"{where}: {key} does not go with {shape}.")
    options["fixed"] = _flag(options.get("fixed", False), where)
    first = options.pop(shape)
    makers: dict[str, Callable[[], Any]] = {
        "box": lambda: Polyhedron.box(first, **options),
        "ball": lambda: Polyhedron.ball(first, **options),
        "vertices": lambda: Polyhedron(first, **options),
        "parts": lambda: Polyhedron(None, parts=first, **options),
        "centres": lambda: Polyhedron.clump(first, options.pop("radii", 0.0), **options),
        "file": lambda: Polyhedron.from_file(folder / first, **options),
    }

    def make() -> Any:
        try:
            return makers[shape]()
        except BanquiseError as problem:
            raise type(problem)(f"{shape}: {problem}") from None
        except (TypeError, ValueError, OverflowError) as problem:
            raise CaseError(f"{shape} is {str(first)[:80]}: {problem}.") from None

    return named(where, make)


def _in_si(value: Any, key: str, what: str) -> Any:
    """Text with units read into SI, in lists too."""
    if isinstance(value, list):
        return [_in_si(entry, key, what) for entry in value]
    if isinstance(value, str) and key in _KINDS:
        return quantity(value, _KINDS[key], what)
    if isinstance(value, str) and key == "velocity":
        return quantity(value, "speed", what)
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise CaseError(f"{where}: fixed is {value!r}, expected true or false.")
    return value


def blocks_table(blocks: Sequence[Polyhedron]) -> list[dict[str, Any]]:
    """The tables of blocks, that `block_of` reads back to blocks of the same shape and pose."""
    tables = []
    for k, block in enumerate(blocks):
        if block.path is not None:
            raise CaseError(f"block {k}: a path is a function and cannot be written to a case file.")
        tables.append({**_shape(block), **{name: _plain(getattr(block, name)) for name in _COMMON}})
    return tables


def _shape(block: Polyhedron) -> dict[str, Any]:
    parts = block.parts
    if block.convex:
        return {"vertices": parts[0].corners, "radius": block.radius or None}
    if parts and all(len(p.corners) == 1 for p in parts):
        return {"centres": [p.corners[0] for p in parts], "radii": [p.radius for p in parts]}
    if len(block.vertices) == sum(len(p.corners) for p in parts):
        return {"parts": [p.corners for p in parts], "radius": block.radius or None}
    cut = [p.corners for p in parts]
    return {"vertices": block.vertices, "faces": block.faces, "parts": cut, "radius": block.radius or None}


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def bond_of(table: Mapping[str, Any]) -> Bond | None:
    """The bond of a table; None when there is none."""
    if not table:
        return None
    known(table, {f.name for f in fields(Bond)}, "bond")
    options = dict(table)
    for name in ("tension", "shear"):
        if name not in options:
            raise CaseError(f"bond: {name} (Pa) is missing.")
    if "materials" in options:
        pairs = options["materials"]
        if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
            raise CaseError(f'bond.materials: got {pairs!r}, expected pairs such as [["ice", "ice"]].')
        options["materials"] = tuple(tuple(p) for p in pairs)
    found: Bond = named("bond", lambda: Bond(**options))
    return found


def bond_table(bond: Bond | None) -> dict[str, Any] | None:
    """And back."""
    return None if bond is None else asdict(bond)
