"""Case files: TOML in, a checked case out (`case_tables` goes back). Everything a case file can say a script can say.

A case has the tables [scene], [forcing], [contact], [scheme], [run]; `Case.simulation()` makes the simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from banquise.case_blocks import BLOCK_SCHEMES, block_of, bond_of
from banquise.case_tools import FRACTURE as _FRACTURE
from banquise.case_tools import known as _known
from banquise.case_tools import named as _named
from banquise.errors import BanquiseError, CaseError, known_keywords, nearest
from banquise.forcing.flows import Series
from banquise.forcing.forcing import Forcing, Load
from banquise.forcing.grid_flow import read_forcing
from banquise.forcing.slab_ocean import SlabOcean
from banquise.given import path_of, read_toml, seed_of
from banquise.recording.run_file import Run, open_run
from banquise.scene.domain import Box, Periodic
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.makers.files import read_floes
from banquise.scene.scene import Scene
from banquise.schemes import SCHEMES
from banquise.settings import Contact
from banquise.simulation import INTEGRATORS, Simulation
from banquise.units import date, quantity

_FLOE = {
    "ring", "holes", "centre", "radius", "thickness", "density", "velocity", "spin", "water_drag", "air_drag",
    "material", "name",
}  # fmt: skip
_OBSTACLE = {"ring", "holes", "centre", "radius", "velocity", "spin", "material", "name"}
_FORCING = {
    "wind", "current", "latitude", "coriolis", "gravity", "loads", "relative_wind", "turning_angle", "air_density",
    "water_density", "water_level", "form_drag", "skin_drag",
}  # fmt: skip
_LOAD = {"floe", "force", "point", "torque", "start", "stop"}
_SERIES = {"times", "u", "v", "after_end", "frame"}
_FILE = {
    "file", "quantity", "variables", "after_end", "start_hour", "frame", "units", "grid_crs", "depth", "member", "fill",
}  # fmt: skip
_RUN = {"until", "every", "output", "start", "contacts"}
_SCENE = {"floes", "obstacles", "domain", "file", "blocks"}
_TOP = {"title", "seed", "integrator", "crs", "scene", "forcing", "contact", "scheme", "fracture", "bond", "run"}


@dataclass
class Case:
    """A checked case: scene, forcing, settings, and how long to run."""

    scene: Scene
    forcing: Forcing
    contact: Contact
    scheme: Any
    until: Any = None
    every: Any = None
    output: str | None = None
    title: str = "Banquise run"
    start: str | None = None
    seed: int = 0
    integrator: str = "fitted"
    fracture: Any = None
    crs: Any = None
    bond: Any = None
    contacts: bool = False

    def simulation(self) -> Simulation:
        """A simulation of this case, at time 0."""
        if self.scene.blocks:
            if self.crs is not None or self.integrator != "fitted":
                raise CaseError("case: crs and integrator are for floes; leave them out of a case of blocks.")
            made: Any = Simulation  # gives the simulation of blocks, which takes a bond
            return made(
                self.scene, forcing=self.forcing, contact=self.contact, scheme=self.scheme, seed=self.seed,
                title=self.title, start=self.start, bond=self.bond, fracture=self.fracture,
            )  # fmt: skip
        if self.bond is not None:
            raise CaseError("bond: is for blocks; remove the table.")
        return Simulation(
            self.scene,
            forcing=self.forcing,
            contact=self.contact,
            scheme=self.scheme,
            fracture=self.fracture,
            seed=self.seed,
            integrator=self.integrator,
            title=self.title,
            start=self.start,
            crs=self.crs,
        )

    def run(self, output: str | Path | None = None, progress: bool = False, **options: Any) -> Run:
        """Run it; `until`, `every` and `callbacks` may be given here too."""
        until = options.pop("until", self.until)
        if until is None:
            raise CaseError('run: until is missing. Say how long to run, such as until = "2 h".')
        every = options.pop("every", self.every)
        where = self.output if output is None else output
        if self.contacts:
            if self.scene.blocks:
                raise CaseError("run.contacts: is for floes; leave it out of a case of blocks.")
            options.setdefault("contacts", True)
        return self.simulation().run(until, every, output=where, progress=progress, **options)


@known_keywords
def load_case(path: str | Path) -> Case:
    """Read and check a TOML case file."""
    data = read_toml(path)
    path = Path(path)
    try:
        return case_of(data, path.parent)
    except BanquiseError as problem:
        raise type(problem)(f"{path}: {problem}") from None


def case_of(data: Mapping[str, Any], folder: Path = Path()) -> Case:
    """A case from the tables of a case file; files it names are looked for in `folder`."""
    if "glacier" in data:
        raise CaseError("a case of a glacier. Run it with: banquise glacier run.")
    if "parameters" in data:
        raise CaseError("a sweep, not a case. Look at it with: banquise sweep --list; run it with: banquise sweep.")
    _known(data, _TOP, "case")
    scene = _scene(_table(data, "scene"), folder, data.get("crs"))
    run = _table(data, "run")
    _known(run, _RUN, "run")
    seed = seed_of(data.get("seed", 0), "seed")
    integrator = data.get("integrator", "fitted")
    if integrator not in INTEGRATORS:
        raise CaseError(f"integrator: got {integrator!r}. {nearest(str(integrator), INTEGRATORS)}")
    return Case(
        scene=scene,
        forcing=_forcing(_table(data, "forcing"), folder),
        contact=_contact(_table(data, "contact")),
        scheme=_scheme(_table(data, "scheme"), bool(scene.blocks)),
        bond=bond_of(_table(data, "bond")),
        fracture=_fracture(data.get("fracture")),
        until=run.get("until"),
        every=run.get("every"),
        output=_text(run.get("output"), "run.output"),
        start=date(run.get("start"), "run.start"),
        title=_text(data.get("title"), "title") or "Banquise run",
        seed=seed,
        integrator=integrator,
        crs=data.get("crs"),
        contacts=_flag(run.get("contacts", False), "run.contacts"),
    )


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = {} if data.get(name) is None else data[name]  # None: a table that `tables_of` left out
    if not isinstance(table, Mapping):
        raise CaseError(f"{name}: got {table!r}, expected a table [{name}].")
    return table


def _text(value: Any, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise CaseError(f"{where}: got {value!r}, expected text in quotes.")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise CaseError(f"{where}: got {value!r}, expected true or false.")
    return value


def _each(table: Mapping[str, Any], key: str, make: Callable[[Mapping[str, Any], str], Any], what: str) -> list[Any]:
    entries = table.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
        raise CaseError(f"{what}.{key}: expected a list of tables, [[{what}.{key}]].")
    return [make(entry, f"{what}.{key}[{k}]") for k, entry in enumerate(entries)]


def _scene(table: Mapping[str, Any], folder: Path, crs: Any = None) -> Scene:
    _known(table, _SCENE, "scene")
    floes: list[Floe] = []
    obstacles: list[Obstacle] = []
    blocks: list[Any] = []
    domain = _domain(table.get("domain"))
    if "file" in table:
        _text(table["file"], "scene.file")
        found = read_scene(folder / str(table["file"]), None if crs is None else str(crs))
        floes, obstacles, domain = [*found.floes], [*found.obstacles], domain or found.domain
        blocks = [*found.blocks]
    floes += _each(table, "floes", _floe, "scene")
    obstacles += _each(table, "obstacles", _obstacle, "scene")
    blocks += _each(table, "blocks", partial(block_of, folder=folder), "scene")
    if not floes and not blocks:
        raise CaseError(
            "scene: no floes. Add [[scene.floes]] with a ring or a centre and radius, [[scene.blocks]], or `file`."
        )
    return Scene(floes, obstacles, domain, blocks)


@known_keywords
def read_scene(path: str | Path, crs: str | None = None) -> Scene:
    """The scene of any known file, by its ending.

    .nc: the last state of a run; .toml: the scene of a case; .h5: a FloeDyn input; .mat: a catalogue of rings or SubZero's
    floes; .geojson, .shp, .wkt, .csv: polygons. `crs` (such as "EPSG:3413") is the map for files in degrees.
    """
    path = path_of(path, "scene")
    if path.suffix.lower() == ".nc":
        return open_run(path).scene
    if path.suffix.lower() == ".toml":
        return load_case(path).scene
    return read_floes(path, crs)


def _one_shape(entry: Mapping[str, Any], known: Any, where: str) -> dict[str, Any]:
    """The options of a floe or obstacle, all of them known, with its ring or its centre."""
    _known(entry, known, where)
    if ("ring" in entry) == ("centre" in entry):
        raise CaseError(f"{where}: give either a ring ([[x, y], ...]) or a centre ([x, y] and radius).")
    return dict(entry)


def _floe(entry: Mapping[str, Any], where: str) -> Floe:
    options = _one_shape(entry, _FLOE, where)
    if "centre" in options:
        if "radius" not in options:
            raise CaseError(f"{where}: a centre makes a disc, which needs a radius.")
        return _named(where, lambda: Disc(options.pop("centre"), **options))
    return _named(where, lambda: Floe(**options))


def _obstacle(entry: Mapping[str, Any], where: str) -> Obstacle:
    options = _one_shape(entry, _OBSTACLE, where)
    if "centre" in options:
        options["ring"] = [options.pop("centre")]
    return _named(where, lambda: Obstacle(**options))


def _domain(entry: Any) -> Box | Periodic | None:
    if entry is None:
        return None
    if not isinstance(entry, Mapping):
        raise CaseError(f"scene.domain: got {entry!r}, expected a table with kind = 'box' or 'periodic'.")
    options = dict(entry)
    kind = options.pop("kind", None)
    makers: dict[str, Any] = {"box": Box, "periodic": Periodic}
    if not isinstance(kind, str) or kind not in makers:
        raise CaseError(f"scene.domain: kind is {kind!r}. {nearest(str(kind), makers)}")
    known = {f.name for f in fields(makers[kind])}
    _known(options, known, "scene.domain")
    missing = {"xmin", "xmax", "ymin", "ymax"} - set(options)
    if missing:
        raise CaseError(f"scene.domain: {', '.join(sorted(missing))} missing.")
    if "open" in options:
        options["open"] = tuple(options["open"]) if isinstance(options["open"], list) else (options["open"],)
    return _named("scene.domain", lambda: makers[kind](**options))


def _forcing(table: Mapping[str, Any], folder: Path = Path()) -> Forcing:
    _known(table, _FORCING, "forcing")
    options = dict(table)
    for name in ("wind", "current"):
        if isinstance(options.get(name), str):
            options[name] = {"file": options[name]}
        if isinstance(options.get(name), Mapping) and "file" in options[name]:
            options[name] = _file_flow(options[name], name, folder)
        elif isinstance(options.get(name), Mapping) and "kind" in options[name]:
            options[name] = _slab(options[name], f"forcing.{name}")
        elif isinstance(options.get(name), Mapping):
            series = options[name]
            _known(series, _SERIES, f"forcing.{name}")
            missing = {"times", "u", "v"} - set(series)
            if missing:
                raise CaseError(f"forcing.{name}: {', '.join(sorted(missing))} missing for a time series.")
            options[name] = _named(f"forcing.{name}", partial(Series, **series))
        elif isinstance(options.get(name), list):
            options[name] = [
                quantity(c, "speed", f"forcing.{name}") if isinstance(c, str) else c for c in options[name]
            ]
    options["loads"] = _each(table, "loads", _load, "forcing")
    return _named("forcing", lambda: Forcing(**options))


def _slab(table: Mapping[str, Any], where: str) -> SlabOcean:
    options = dict(table)
    kind = options.pop("kind")
    if kind != "slab" or where != "forcing.current":
        raise CaseError(f"{where}: kind is {kind!r}, expected 'slab', for the current only.")
    _known(options, set(SlabOcean().options) | {"area", "velocity"}, where)
    return _named(where, lambda: SlabOcean(**options))


def _file_flow(table: Mapping[str, Any], name: str, folder: Path) -> Any:
    """Wind or current from files named in a case; they lie beside the case file unless their path is absolute."""
    where = f"forcing.{name}"
    _known(table, _FILE, where)
    options = {"quantity": name, **table}
    files = options.pop("file")
    files = files if isinstance(files, list) else [files]
    if not files or not all(isinstance(f, str) for f in files):
        raise CaseError(f"{where}.file: got {table['file']!r}, expected the name of a file, or a list of them.")
    return _named(where, lambda: read_forcing([folder / f for f in files], **options))


def _load(entry: Mapping[str, Any], where: str) -> Load:
    _known(entry, _LOAD, where)
    if "floe" not in entry:
        raise CaseError(f"{where}: floe is missing (the number of the floe it acts on).")
    return _named(where, lambda: Load(**entry))


def _contact(table: Mapping[str, Any]) -> Contact:
    _known(table, {f.name for f in fields(Contact)}, "contact")
    options = dict(table)
    for name in ("friction", "restitution"):
        if isinstance(options.get(name), Mapping):
            options[name] = {_pair(key, name): value for key, value in options[name].items()}
    return _named("contact", lambda: Contact(**options))


def _pair(key: str, name: str) -> tuple[str, str]:
    parts = tuple(p.strip() for p in key.split(" - " if " - " in key else "-"))
    if len(parts) != 2:
        raise CaseError(
            f"contact.{name}: key {key!r}, expected two materials joined by '-', such as \"ice-rock\", "
            "or by ' - ' where a name has a dash, such as \"first-year - rock\"."
        )
    return parts[0], parts[1]


def _scheme(table: Mapping[str, Any], blocks: bool = False) -> Any:
    options, known = dict(table), BLOCK_SCHEMES if blocks else SCHEMES
    if blocks and not options:
        return None
    kind = options.pop("kind", next(iter(known)))
    if not isinstance(kind, str) or kind not in known:
        raise CaseError(f"scheme: kind is {kind!r}. {nearest(str(kind), known)}")
    maker = known[kind]
    _known(options, {f.name for f in fields(maker)}, "scheme")
    return _named("scheme", lambda: maker(**options))


def _fracture(table: Any) -> Any:
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise CaseError(f"fracture: got {table!r}, expected a table [fracture].")
    options = dict(table)
    kind = options.pop("kind", next(iter(_FRACTURE)))
    if not isinstance(kind, str) or kind not in _FRACTURE:
        raise CaseError(f"fracture: kind is {kind!r}. {nearest(str(kind), _FRACTURE)}")
    maker = getattr(import_module("banquise.fracture"), _FRACTURE[kind])
    _known(options, {f.name for f in fields(maker)}, "fracture")
    return _named("fracture", lambda: maker(**options))
