"""Glacier case files: TOML with the tables [glacier], [friction], [load] and [run].

Numbers are SI (slope and tilt in degrees); text may carry a unit ("2 km", "310.75 MN/m"). What varies along the chain
is a list over the nodes or a table { x = [...], value = [...] } read straight between its points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import CaseError, known_keywords, nearest
from banquise.given import read_toml
from banquise.glacier.chain import Glacier
from banquise.glacier.friction import LAWS, Friction
from banquise.glacier.iceberg import Iceberg
from banquise.glacier.kinds import GLACIER, PARAMETERS
from banquise.glacier.loads import LOADS, Capsize, Table
from banquise.units import quantity

if TYPE_CHECKING:
    import xarray as xr

    from banquise.glacier.schemes import Plan

_RUN = {
    "until": "time", "scheme": "", "step": "time", "every": "time", "alpha": "number", "tolerance": "number",
    "perturbation": "number", "beyond_limit": "",
}  # fmt: skip
_SHAPE_OF_ICEBERG = ("height", "aspect", "turn", "density", "gravity", "peak_time")


@dataclass(frozen=True)
class GlacierCase:
    """A case read and checked."""

    glacier: Glacier
    load: Any
    options: dict[str, Any]

    def run(self, progress: bool = False) -> Any:
        """Run it."""
        return self.glacier.run(self.load, **self.options, progress=progress)

    def plan(self) -> Plan:
        """What the run will do; raises what it would raise before its first step."""
        from banquise.glacier.schemes import plan  # with the kernels, which reading a case does not need

        options = {k: v for k, v in self.options.items() if k not in ("tolerance", "perturbation")}
        return plan(self.glacier, self.load, **options)


@known_keywords
def read_case(path: str | Path) -> GlacierCase:
    """Read and check a case file."""
    path = Path(path)
    tables = read_toml(path, "case file of a glacier")
    return parse_case(tables, path.parent, str(path))


def parse_case(tables: dict[str, Any], folder: Path = Path(), where: str = "case") -> GlacierCase:
    """Make a case of tables as `tomllib` gives them; files named in it lie in `folder`."""
    known = ("glacier", "friction", "load", "run")
    if "scene" in tables:
        raise CaseError(f"{where}: a case of floes or blocks. Run it with: banquise run.")
    for name, table in tables.items():
        if name not in known:
            raise CaseError(f"{where}: no table [{name}]. {nearest(name, known)}")
        if not isinstance(table, dict):
            raise CaseError(f"{where}: {name} is {table!r}, expected a table [{name}].")
    if "glacier" not in tables:
        raise CaseError(f"{where}: no table [glacier]. It needs at least length and block.")
    values = _values(tables["glacier"], GLACIER, f"{where} [glacier]")
    for name in ("length", "block"):
        if name not in values:
            raise CaseError(f"{where} [glacier]: {name} is missing, in m.")
    friction = _friction(tables["friction"], f"{where} [friction]") if "friction" in tables else None
    load = _load(dict(tables.get("load", {})), folder, f"{where} [load]")
    options = _values(tables.get("run", {}), _RUN, f"{where} [run]")
    return GlacierCase(_made(Glacier, values | {"friction": friction}, f"{where} [glacier]"), load, options)


_MEASURES = {
    "peak_seismic_force": ("N m-1", "largest force on the bed over every step, per metre of width"),
    "peak_time": ("s", "when it was reached"),
    "front_displacement": ("m", "largest displacement of the front over every step"),
    "impulse_residual": ("1", "impulse left over, of that of the load"),
    "iterations": ("1", "Newton iterations a step"),
    "step": ("s", "time step used"),
    "equilibrium_speed": ("m s-1", "speed of the steady slide, up-glacier"),
}


@known_keywords
def run_case(tables: dict[str, Any], folder: Path = Path(), keep: Sequence[str] = ()) -> xr.Dataset:
    """Run a case given as tables, for one member of an ensemble: its numbers, and the fields named in `keep`.

    Numbers have no dimension, so the members of a sweep join with `xarray.concat` along a dimension of their own; a case
    that cannot run raises `CaseError`.

    >>> tables = {"glacier": {"length": "2 km", "block": 100}, "load": {"shape": "HalfSine", "peak": 3e8, "duration": 10}}
    >>> float(run_case(tables | {"run": {"until": "5 s"}}).front_displacement) > 0
    True
    """
    import xarray as xr

    case = parse_case(tables, folder)
    result = case.run()
    unknown = [name for name in keep if name not in result.dataset]
    if unknown:
        raise CaseError(f"keep: no field {unknown[0]!r}. {nearest(unknown[0], map(str, result.dataset.data_vars))}")
    told = {**result.summary(), "equilibrium_speed": case.glacier.equilibrium_speed}
    numbers = {name: ((), told[name], {"units": unit, "long_name": text}) for name, (unit, text) in _MEASURES.items()}
    data = xr.Dataset(numbers, attrs={"scheme": result.scheme, "warnings": "\n".join(result.warnings)})
    return data.merge(result.dataset[list(keep)])


@dataclass(frozen=True, eq=False)
class _Between:
    """A value along the chain, straight between places x (m)."""

    x: Any
    value: Any

    def __call__(self, at: Any) -> Any:
        return np.interp(at, self.x, self.value)

    def __repr__(self) -> str:
        return "a table of x and value"


def _values(table: dict[str, Any], kinds: dict[str, str], where: str) -> dict[str, Any]:
    out = {}
    for name, value in table.items():
        if name not in kinds:
            raise CaseError(f"{where}: no key {name!r}. {nearest(name, kinds)}")
        out[name] = _value(value, kinds[name], f"{where} {name}")
    return out


def _value(value: Any, kind: str, where: str) -> Any:
    """A value in SI: text, number, list, or a function of x from { x, value }."""
    if kind == "":
        if not isinstance(value, str):
            raise CaseError(f"{where}: got {value!r}, expected text.")
        return value
    if isinstance(value, list):
        if any(isinstance(v, list | dict) for v in value):
            raise CaseError(f"{where}: got a list or table within a list, expected a list of numbers.")
        return np.array([_value(v, kind, where) for v in value], dtype=float)
    if isinstance(value, dict):
        if set(value) != {"x", "value"}:
            raise CaseError(f"{where}: got keys {sorted(value)}, expected {{ x = [...], value = [...] }}.")
        x, y = (np.atleast_1d(_value(value[k], unit, where)) for k, unit in (("x", "length"), ("value", kind)))
        if x.shape != y.shape or (np.diff(x) <= 0).any():
            raise CaseError(f"{where}: {x.size} places x and {y.size} values, expected as many of each, x ascending.")
        return _Between(x, y)
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
            raise CaseError(f"{where}: got {str(value)[:40]}, expected a number.")
        return float(value)
    return quantity(value, kind, where)


def _built(cls: Any, table: dict[str, Any], where: str) -> Any:
    """An object of a dataclass from its table."""
    names = [f.name for f in fields(cls)]
    values = _values(table, {name: PARAMETERS.get(name, "number") for name in names}, where)
    for field in fields(cls):
        if field.default is MISSING and field.name not in values:
            raise CaseError(f"{where}: {cls.__name__} needs {field.name}. Its keys: {', '.join(names)}.")
    return _made(cls, values, where)


def _made(cls: Any, values: dict[str, Any], where: str) -> Any:
    """An object of these values; what it does not take is said with the place in the file."""
    try:
        return cls(**values)
    except CaseError as problem:
        raise CaseError(f"{where}: {problem}") from None


def _friction(table: dict[str, Any], where: str) -> Friction:
    table = dict(table)
    law = table.pop("law", "Weertman")
    if not isinstance(law, str) or law not in LAWS:
        raise CaseError(f"{where}: no law {law!r}. {nearest(str(law), LAWS)}")
    return _built(LAWS[law], table, where)


def _load(table: dict[str, Any], folder: Path, where: str) -> Any:
    shapes: dict[str, Any] = {**LOADS, "Iceberg": Iceberg}
    if not table:
        return None
    if "shape" not in table:
        raise CaseError(f"{where}: shape is missing, one of {', '.join(shapes)}.")
    shape = table.pop("shape")
    if not isinstance(shape, str) or shape not in shapes:
        raise CaseError(f"{where}: no shape {shape!r}. {nearest(str(shape), shapes)}")
    if shape == "Capsize" and "peak" not in table:
        values = _values(table, {k: PARAMETERS.get(k, "number") for k in _SHAPE_OF_ICEBERG}, where)
        return _made(Capsize.of_iceberg, values, where)
    if shape == "Table" and "file" in table:
        return _table_file(folder / str(table["file"]), where)
    return _built(shapes[shape], table, where)


def _table_file(path: Path, where: str) -> Table:
    """Two columns, s and N/m, commas or blanks between, lines of # and a heading left out."""
    rows = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "not a text file"
        raise CaseError(f"{where}: {path} cannot be read ({reason}).") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].replace(",", " ").split()
        if not words:
            continue
        try:
            rows.append((float(words[0]), float(words[1])))
        except (ValueError, IndexError):
            if rows or number > 1:
                raise CaseError(
                    f"{where}: {path} line {number}: {line!r}, expected a time (s) and a force (N/m)."
                ) from None
    if not rows:
        raise CaseError(f"{where}: {path} holds no rows of time (s) and force (N/m).")
    times, forces = zip(*rows)
    return Table(times, forces)
