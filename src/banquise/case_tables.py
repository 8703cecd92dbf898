"""From a case or a simulation back to the tables of a case file, and to its text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.case_blocks import BLOCK_SCHEMES, blocks_table, bond_table
from banquise.case_tools import FRACTURE
from banquise.errors import CaseError, in_short, known_keywords
from banquise.forcing.flows import Field, Series, Uniform
from banquise.forcing.forcing import Forcing
from banquise.given import path_of
from banquise.scene.scene import Scene
from banquise.schemes import SCHEMES
from banquise.settings import Contact

if TYPE_CHECKING:
    from banquise.case import Case
    from banquise.simulation import Simulation


@known_keywords
def save_case(case: Case | Simulation, path: str | Path, until: Any = None, every: Any = None) -> None:
    """Write a case file that `load_case` reads back to the same case."""
    if not hasattr(case, "scheme"):
        raise CaseError(f"save_case: got {in_short(case)}, expected a case or a simulation.")
    text = toml_of(tables_of(case, until, every))
    try:
        path_of(path, "case file").write_text(text, encoding="utf-8")
    except OSError as problem:
        raise CaseError(f"{path}: cannot be written ({problem.strerror or problem}).") from None


def tables_of(case: Case | Simulation, until: Any = None, every: Any = None) -> dict[str, Any]:
    """The tables of a case file for a case or a simulation."""
    scheme = case.scheme
    blocks = bool(case.scene.blocks)
    schemes = BLOCK_SCHEMES if blocks else SCHEMES
    kind = next((name for name, maker in schemes.items() if type(scheme) is maker), None)
    if kind is None and not (blocks and scheme is None):
        raise CaseError(f"scheme {scheme!r}: an own scheme cannot be written to a case file.")
    run = {"until": until or getattr(case, "until", None), "every": every or getattr(case, "every", None)}
    run |= {"output": getattr(case, "output", None), "start": case.start}
    run |= {"contacts": True} if getattr(case, "contacts", False) else {}
    return {
        "title": case.title,
        "seed": case.seed,
        "integrator": None if blocks else case.integrator,
        "crs": None if blocks else case.crs,
        "scene": {"blocks": blocks_table(case.scene.blocks)} if blocks else _scene_table(case.scene),
        "forcing": _forcing_table(case.forcing),
        "contact": _contact_table(case.contact),
        "scheme": scheme and {"kind": kind, **{f.name: getattr(scheme, f.name) for f in fields(scheme)}},
        "bond": bond_table(getattr(case, "bond", None)),
        "fracture": _fracture_table(getattr(case, "fracture", None)),
        "run": run,
    }


def _fracture_table(law: Any) -> dict[str, Any] | None:
    if law is None:
        return None
    kind = next((name for name, maker in FRACTURE.items() if type(law).__name__ == maker), None)
    if kind is None:
        raise CaseError(f"fracture {law!r}: an own law cannot be written to a case file.")
    return {"kind": kind, **{f.name: getattr(law, f.name) for f in fields(law)}}


def _scene_table(scene: Scene) -> dict[str, Any]:
    floes = []
    for k, floe in enumerate(scene.floes):
        if not floe.flat:
            raise CaseError(f"floe {k}: a thickness that varies cannot be written to a case file.")
        shape: dict[str, Any] = (
            {"centre": floe.ring[0]} if len(floe.ring) == 1 else {"ring": floe.ring, "holes": list(floe.holes)}
        )
        names = ("radius", "density", "velocity", "spin", "water_drag", "air_drag", "material", "name")
        floes.append({**shape, "thickness": floe.thickness, **{n: getattr(floe, n) for n in names}})
    obstacles = []
    for k, rock in enumerate(scene.obstacles):
        if rock.path is not None:
            raise CaseError(f"obstacle {k}: a path is a function and cannot be written to a case file.")
        shape = {"centre": rock.ring[0]} if len(rock.ring) == 1 else {"ring": rock.ring, "holes": list(rock.holes)}
        obstacles.append({**shape, **{n: getattr(rock, n) for n in ("radius", "velocity", "spin", "material", "name")}})
    domain = scene.domain
    table: dict[str, Any] = {"floes": floes, "obstacles": obstacles}
    if domain is not None:
        table["domain"] = {
            "kind": type(domain).__name__.lower(),
            **{f.name: getattr(domain, f.name) for f in fields(domain)},
        }
    return table


def _forcing_table(forcing: Forcing) -> dict[str, Any]:
    if forcing.forces:
        raise CaseError("forcing.forces: your own functions cannot be written to a case file.")
    table: dict[str, Any] = {}
    for name in ("wind", "current"):
        flow = getattr(forcing, name)
        if isinstance(flow, Field):
            raise CaseError(f"forcing.{name}: a function cannot be written to a case file.")
        if isinstance(flow, Uniform):
            table[name] = [flow.u, flow.v]
        elif getattr(flow, "options", None):
            table[name] = dict(flow.options)
        elif isinstance(flow, Series):
            table[name] = {"times": flow.times, "u": flow.u, "v": flow.v, "after_end": flow.after_end}
            table[name] |= {} if flow.frame == "map" else {"frame": flow.frame}
    if forcing.latitude is not None:
        table["latitude"] = forcing.latitude
    elif forcing.coriolis_given:
        table["coriolis"] = forcing.coriolis
    for name in ("gravity", "relative_wind", "turning_angle", "air_density", "water_density", "water_level"):
        table[name] = getattr(forcing, name)
    if forcing.water_level is not None:
        table |= {"form_drag": forcing.form_drag, "skin_drag": forcing.skin_drag}
    table["loads"] = [{f.name: getattr(load, f.name) for f in fields(load)} for load in forcing.loads]
    return table


def _contact_table(contact: Contact) -> dict[str, Any]:
    table = {f.name: getattr(contact, f.name) for f in fields(contact)}
    for name in ("friction", "restitution"):
        if callable(table[name]):
            raise CaseError(f"contact.{name}: your own law cannot be written to a case file; its table can.")
        if isinstance(table[name], dict):
            dashed = any("-" in material for pair in table[name] for material in pair)
            table[name] = {(" - " if dashed else "-").join(pair): value for pair, value in table[name].items()}
    return table


def toml_of(tables: Mapping[str, Any]) -> str:
    """TOML text of nested tables; None and empty lists are left out."""
    lines: list[str] = []
    _write_table(tables, "", lines)
    return "\n".join(lines).lstrip() + "\n"


def _write_table(table: Mapping[str, Any], prefix: str, lines: list[str]) -> None:
    nested = {}
    for key, value in table.items():
        if value is None or (isinstance(value, list | tuple) and len(value) == 0):
            continue
        if isinstance(value, Mapping) or (isinstance(value, list) and isinstance(value[0], Mapping)):
            nested[key] = value
        else:
            lines.append(f"{_key(key)} = {_toml_value(value)}")
    for key, value in nested.items():
        name = f"{prefix}{_key(key)}"
        for entry in value if isinstance(value, list) else [value]:
            lines += ["", f"[[{name}]]" if isinstance(value, list) else f"[{name}]"]
            _write_table(entry, name + ".", lines)


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, np.ndarray | list | tuple):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    if isinstance(value, int | np.integer):
        return str(int(value))
    return repr(float(value))  # shortest text that reads back to the same bits; inf and nan are TOML too
