"""Sweep files: TOML with what to run, the lists of parameters, the seeds, and what to keep of each run.

    scene = "channel"                 # or case = "case.toml" (floes or glacier)
    seeds = 20                        # or a list
    measures = ["summary", "jam"]
    until = "5 h"
    [options]                         # the same for every member
    shake = 1.0
    [parameters]                      # every combination
    friction = [0.5, 0.7]
    test = [{ name = "1", restitution = 0.35, coriolis = 0 }, ...]     # several that go together

Parameters of a case file are named by their table: "contact.friction".
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banquise.errors import CaseError, nearest
from banquise.given import read_toml
from banquise.units import duration

KEYS = {
    "title",
    "scene",
    "case",
    "seeds",
    "measures",
    "until",
    "every",
    "options",
    "parameters",
    "keep_runs",
    "contacts",
}
MOST = 100_000  # members: beyond, a sweep is a mistake


@dataclass(frozen=True)
class Member:
    """One run of a sweep: its place on each dimension, the settings that make it, its folder's name."""

    labels: dict[str, Any]
    settings: dict[str, Any]
    seed: int
    name: str

    @property
    def mark(self) -> str:
        """Changes when anything changes that makes the run: a result with another mark is not this member's.

        Of a case that is what it says (`case_mark`), not where it lies: a folder may be moved.
        """
        return _digest([{key: value for key, value in self.settings.items() if key != "case"}, self.seed])


def _digest(what: Any) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Plan:
    """A checked sweep: what every member is made of (`base`), and its members."""

    title: str
    base: dict[str, Any]
    dimensions: dict[str, list[Any]]  # name -> coordinates, seeds last
    members: list[Member]


def read_plan(path: str | Path) -> Plan:
    """Read and check a sweep file; files it names lie beside it."""
    tables = read_toml(path, "sweep file")
    path = Path(path)
    try:
        return plan_of(tables, path.parent)
    except CaseError as problem:
        raise CaseError(f"{path}: {problem}") from None


def plan_of(tables: dict[str, Any], folder: Path = Path()) -> Plan:
    """The plan that the tables of a sweep file say."""
    if isinstance(tables.get("scene"), dict) or "glacier" in tables:
        raise CaseError('a case file, not a sweep. Name it in one: case = "case.toml", with [parameters] and seeds.')
    for key in tables:
        if key not in KEYS:
            raise CaseError(f"unknown key {key!r}. {nearest(key, KEYS)}")
    if ("scene" in tables) == ("case" in tables):
        raise CaseError("expected either scene = (a ready-made scene) or case = (a case file).")
    base: dict[str, Any] = {key: tables[key] for key in ("until", "every") if key in tables}
    for key in ("until", "every"):
        if key in base:
            duration(base[key], key)  # said now, not by every member
    base["measures"] = _texts(tables.get("measures", ["summary"]), "measures")
    base["keep_runs"] = bool(tables.get("keep_runs", True))
    base["contacts"] = bool(tables.get("contacts", False))
    base["options"] = _dictionary(tables, "options")
    if "scene" in tables:
        base["scene"] = str(tables["scene"])
        base["options"] = {
            k: _beside(v, folder) if k in ("floes", "forcing") else v for k, v in base["options"].items()
        }
    else:
        base["case"] = _beside(str(tables["case"]), folder)
        if not Path(base["case"]).is_file():
            raise CaseError(f"case: no file {base['case']}.")
        base["case_mark"] = _digest(read_toml(base["case"]))
    dimensions, settings = _dimensions(_dictionary(tables, "parameters"))
    seeds = _seeds(tables.get("seeds", 1))
    count = len(seeds)
    for values in dimensions.values():
        count *= len(values)
    if count > MOST:
        raise CaseError(f"{count:,} members, expected at most {MOST:,}. Shorten a list.")
    members = []
    for place in itertools.product(*(range(len(v)) for v in dimensions.values())):
        labels = {name: dimensions[name][k] for name, k in zip(dimensions, place)}
        chosen: dict[str, Any] = {}
        for name, k in zip(dimensions, place):
            chosen |= settings[name][k]
        for seed in seeds:
            words = [f"{name.split('.')[-1]}={value}" for name, value in labels.items()]
            plain = re.sub(r"[\[\]()\s'\"]", "", "_".join([*words, f"seed={seed}"]))  # [10, 0] as 10_0
            folder_name = re.sub(r"[^A-Za-z0-9_.=+-]", "_", plain)
            members.append(Member({**labels, "seed": seed}, {**base, "parameters": chosen}, seed, folder_name))
    if len({m.name for m in members}) != len(members):
        members = [Member(m.labels, m.settings, m.seed, f"{k:05d}_{m.name}") for k, m in enumerate(members)]
    title = str(tables.get("title", base.get("scene", Path(base.get("case", "sweep")).stem)))
    return Plan(title, base, {**dimensions, "seed": seeds}, members)


def _beside(value: Any, folder: Path) -> Any:
    return str((folder / value).resolve()) if isinstance(value, str) else value


def _dictionary(tables: dict[str, Any], name: str) -> dict[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, dict):
        raise CaseError(f"{name}: got {found!r}, expected a table [{name}].")
    return _flat(found) if name == "parameters" else dict(found)


def _flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Tables within tables as names with points: TOML reads contact.friction = [...] as a table."""
    out: dict[str, Any] = {}
    for key, value in table.items():
        out |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return out


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise CaseError(f"{where}: got {value!r}, expected a list of names.")
    return list(value)


def _seeds(value: Any) -> list[int]:
    if isinstance(value, int) and value > MOST:
        raise CaseError(f"seeds: got {str(value)[:20]}, expected at most {MOST:,}.")
    seeds = list(range(value)) if isinstance(value, int) and not isinstance(value, bool) else value
    whole = isinstance(seeds, list) and all(isinstance(s, int) and not isinstance(s, bool) and s >= 0 for s in seeds)
    if not whole or not seeds or len(set(seeds)) != len(seeds):
        raise CaseError(f"seeds: got {value!r}, expected how many, or a list of different whole numbers.")
    return list(seeds)


def _dimensions(parameters: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, list[dict[str, Any]]]]:
    """Coordinates of each dimension, and the settings that each of them stands for."""
    coordinates: dict[str, list[Any]] = {}
    settings: dict[str, list[dict[str, Any]]] = {}
    for name, values in parameters.items():
        if name == "seed":
            raise CaseError("parameters: seed is given by seeds = ...")
        if not isinstance(values, list) or not values:
            raise CaseError(f"parameters.{name}: got {values!r}, expected a list of values.")
        tables = [isinstance(v, dict) for v in values]
        if any(tables):
            if not all(tables) or not all("name" in v for v in values):
                raise CaseError(f"parameters.{name}: every value must be a table with a name, or none.")
            coordinates[name] = [str(v["name"]) for v in values]
            settings[name] = [_flat({k: w for k, w in v.items() if k != "name"}) for v in values]
        else:
            mixed = any(isinstance(v, str) for v in values) and not all(isinstance(v, str) for v in values)
            coordinates[name] = (
                [str(v) for v in values] if mixed or any(isinstance(v, list) for v in values) else list(values)
            )
            settings[name] = [{name: v} for v in values]
        if len(set(coordinates[name])) != len(values):
            raise CaseError(f"parameters.{name}: two values are alike: {coordinates[name]}.")
    return coordinates, settings
