"""One member of a sweep: made, run (or taken further), measured, written into its folder.

A folder holds member.json, run.nc (or its pieces while it runs), and at last result.nc, written under another name and
renamed: a member is done when result.nc is there with its mark. A member that failed has error.txt.
"""

from __future__ import annotations

import json
import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banquise.ensembles.measures import measured
from banquise.ensembles.plan import Member
from banquise.errors import BanquiseError, CaseError
from banquise.given import read_toml

if TYPE_CHECKING:
    import xarray as xr

RESULT = "result.nc"


def mark_in(folder: Path) -> str | None:
    """The mark of the member whose result a folder holds; None if there is no result."""
    import netCDF4

    try:
        with netCDF4.Dataset(folder / RESULT) as file:
            return str(file.getncattr("mark"))
    except (OSError, AttributeError):
        return None


def is_done(folder: Path, mark: str) -> bool:
    """Whether a folder holds the result of the member with this mark."""
    return mark_in(folder) == mark


def run_member(member: Member, folder: str | Path, threads: int = 1) -> tuple[str, str]:
    """Run a member unless it is done: ("done" or "failed", reason). Never raises for what goes wrong in a run."""
    from banquise.threads import set_threads

    set_threads(threads)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    error = folder / "error.txt"
    try:
        _begin(member, folder)
        found = _glacier(member) if _is_glacier(member) else _floes(member, folder)
        found.attrs["mark"] = member.mark
        temporary = folder / (RESULT + ".tmp")
        found.to_netcdf(temporary, engine="netcdf4")
        os.replace(temporary, folder / RESULT)
        error.unlink(missing_ok=True)
        return "done", ""
    except BanquiseError as problem:
        error.write_text(f"{problem}\n")
        return "failed", str(problem)
    except Exception as problem:  # a bug in one member must not end the others; the whole story is in its folder
        error.write_text(traceback.format_exc())
        return "failed", f"{type(problem).__name__}: {problem} (see {error})"


def _begin(member: Member, folder: Path) -> None:
    """Note what the member is; leftovers of another member in this folder go."""
    import shutil

    note = folder / "member.json"
    text = json.dumps({"mark": member.mark, "seed": member.seed, **member.settings}, indent=1, default=str)
    if note.exists() and json.loads(note.read_text() or "{}").get("mark") != member.mark:
        for name in ("run.nc", RESULT):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / "run.nc.pieces", ignore_errors=True)
    note.write_text(text)


def _tables(member: Member) -> dict[str, Any]:
    """The tables of the member's case file, with its parameters put in."""
    settings = member.settings
    tables = read_toml(settings["case"])
    for name, value in {**settings["options"], **settings["parameters"]}.items():
        *path, key = name.split(".")
        place = tables
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise CaseError(f"parameters: {name}: {part} is no table of the case.")
        place[key] = value
    return tables


def _is_glacier(member: Member) -> bool:
    if "case" not in member.settings:
        return False
    return "glacier" in read_toml(member.settings["case"])


def _glacier(member: Member) -> xr.Dataset:
    """Summary numbers of a glacier run. Its model has no random part: members that differ by seed alone are alike."""
    import xarray as xr

    from banquise.glacier.case import parse_case

    path = Path(member.settings["case"])
    tables = _tables(member)
    for key in ("until", "every"):
        if key in member.settings:
            tables.setdefault("run", {})[key] = member.settings[key]
    result = parse_case(tables, path.parent, path.name).run()
    return xr.Dataset({k: v for k, v in result.summary().items() if isinstance(v, int | float)})


def try_case(member: Member) -> None:
    """Read the case of a member with its parameters, as its run will: raises where there is no such key."""
    from banquise.case import case_of
    from banquise.glacier.case import parse_case

    path, tables = Path(member.settings["case"]), _tables(member)
    if _is_glacier(member):
        parse_case(tables, path.parent, path.name)
    else:
        case_of(tables, path.parent)


def simulation_of(member: Member) -> tuple[Any, Any, Any]:
    """The member's simulation, and until and every of its run."""
    settings = member.settings
    if "scene" in settings:
        from banquise.scenes import SCENES, make

        sim = make(settings["scene"], **{**settings["options"], **settings["parameters"], "seed": member.seed})
        _, until, every = SCENES[settings["scene"]]
        return sim, settings.get("until", until), settings.get("every", every)
    from banquise.case import case_of

    tables = _tables(member)
    tables["seed"] = member.seed
    case = case_of(tables, Path(settings["case"]).parent)
    until = settings.get("until", case.until)
    if until is None:
        raise CaseError('run: until is missing. Say how long to run, such as until = "2 h".')
    return case.simulation(), until, settings.get("every", case.every)


def _floes(member: Member, folder: Path) -> xr.Dataset:
    from banquise.errors import RunFileError
    from banquise.recording.recorder import pieces_of
    from banquise.recording.run_file import open_run
    from banquise.resuming import resume

    sim, until, every = simulation_of(member)
    path = folder / "run.nc"
    run = None
    if pieces_of(path).is_dir():  # it was stopped on the way
        try:
            run = resume(path, simulation=sim)
        except RunFileError:
            sim, until, every = simulation_of(member)
    elif path.exists():
        try:
            run = open_run(path)
        except RunFileError:
            path.unlink()
    if run is None:
        run = sim.run(until, every, output=path, contacts=member.settings["contacts"])
    found = measured(member.settings["measures"], run, sim)
    if not member.settings["keep_runs"]:
        path.unlink()
    return found
