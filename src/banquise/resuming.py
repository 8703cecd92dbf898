"""Going on with a run, exactly where its last checkpoint stands."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from banquise.errors import BanquiseError, CaseError, RunFileError, known_keywords
from banquise.recording.recorder import Recorder, checkpoints_in, pieces_of
from banquise.recording.run_file import Run, in_file, open_run, same_run, start_of, stored_case
from banquise.recording.sealed import read_sealed
from banquise.simulation import Simulation
from banquise.units import duration

# kind of run, as its case says -> its checkpoints; runs of floes need not say
CHECKPOINTS = {None: "banquise.recording.checkpoint", "blocks": "banquise.blocks.checkpoint"}


@known_keywords
def resume(
    path: str | Path,
    until: Any = None,
    simulation: Simulation | None = None,
    callbacks: Sequence[Any] = (),
    progress: bool = False,
) -> Run:
    """Go on with a run from its last checkpoint, or take a finished one further.

    Parameters
    ----------
    path : the run file, finished or in pieces
    until : s or text with units; the end first asked for by default
    simulation : made as your script made it, at its start: needed only when the run has functions of yours in it
        (fields, paths, own forces), which cannot be stored
    callbacks, progress : as in `Simulation.run`
    """
    path = Path(path)
    end = None if until is None else duration(until, "until")
    settings, state, count = _stored(path)
    sim = _simulation(path, settings, simulation)
    if state is None:  # stopped before its first checkpoint: from the beginning
        case = _case_of(path)
        return sim.run(case["until"] if end is None else end, case["every"], path, callbacks, progress)
    kept = state
    plan = decoded(path, "checkpoint", lambda: _checkpoints(_case_of(path)).restore(sim, kept))
    plan["end"] = plan["end"] if end is None else end
    joining = count is not None and plan["end"] == sim.time  # all is recorded, the file not yet made
    if count is None and plan["end"] == sim.time and pieces_of(path).is_dir():
        # stopped between making the file and clearing the pieces it was made of
        shutil.rmtree(pieces_of(path), ignore_errors=True)
        return open_run(path)
    if plan["end"] <= sim.time and not joining:
        raise CaseError(
            f"{path}: the run is at {sim.time:g} s already. Say how far to go: until={2 * sim.time:g}, --until {2 * sim.time:g}."
        )
    if count is None:
        _unfold(path, settings)
        count = 0
    case = _case_of(path) | {"until": plan["end"]}
    return sim.go_on(Recorder(path, resumed=count), case, plan, callbacks, progress)


def _stored(path: Path) -> tuple[bytes, bytes | None, int | None]:
    """Settings, state (None: at the start), and how many pieces the checkpoint knew (None: all in the finished file)."""
    open_pieces = pieces_of(path)
    if open_pieces.is_dir() and not _finished(path):
        last = None
        for name in checkpoints_in(open_pieces):
            try:
                state = read_sealed(name, "checkpoint")
                return read_sealed(open_pieces / "settings.bin", "settings file"), state, int(name.stem)
            except RunFileError as problem:
                last = problem
        if (open_pieces / "base.nc").exists() and last is None:  # stopped between making it the base and going on
            return (*in_file(open_pieces / "base.nc"), 0)
        if last is None and (open_pieces / "start.nc").exists() and start_of(open_pieces)[1].get("began") == 0.0:
            return read_sealed(open_pieces / "settings.bin", "settings file"), None, 0
        raise last or RunFileError(f"{path}: stopped before its first checkpoint. Start it again.")
    if not path.exists():
        raise RunFileError(f"{path}: no such run file.")
    return (*in_file(path), None)


def decoded(path: Path, what: str, decode: Callable[[], Any]) -> Any:
    """What `decode` makes of stored bytes; what it cannot is said with the file's name."""
    try:
        return decode()
    except BanquiseError as problem:
        raise type(problem)(f"{path}: {problem}") from None
    except Exception as problem:  # sealed by someone else's hand, or written by another version: it can fail anywhere
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise RunFileError(f"{path}: its {what} cannot be read by this version ({reason}).") from None


def _finished(path: Path) -> bool:
    return path.exists() and same_run(path, pieces_of(path))


def _simulation(path: Path, settings: bytes, given: Simulation | None) -> Simulation:
    case = _case_of(path)
    if given is None:
        sim = decoded(path, "settings", lambda: _checkpoints(case).simulation_from(settings))
    else:
        sim = given
        if not (isinstance(sim, Simulation) or hasattr(sim, "columns")):
            raise CaseError(f"simulation: got {type(sim).__name__}, expected bq.Simulation.")
        if sim.time != 0.0:
            raise CaseError(f"simulation: is at {sim.time:g} s, expected one freshly made, at its start.")
        # as it would be stored: tuples become lists
        mine = json.loads(json.dumps(sim.describe(case.get("until", 0.0), case.get("every", 0.0))))
        for name in ("seed", "integrator", "scheme", "contact", "fracture", "domain", "floes", "blocks"):
            if mine.get(name) != case.get(name):
                raise CaseError(f"simulation: its {name} is {mine.get(name)}, the run's was {case.get(name)}.")
    stored, now = case.get("forcing_files", {}), sim.forcing.fingerprints()
    changed = sorted(name for name in stored if now.get(name) != stored[name])
    if changed:
        raise RunFileError(f"{path}: the forcing file {changed[0]} is not the one the run began with.")
    return sim


def _checkpoints(case: dict[str, Any]) -> Any:
    return import_module(CHECKPOINTS[case.get("kind")])


def _case_of(path: Path) -> dict[str, Any]:
    folder = pieces_of(path)
    return start_of(folder)[1] if folder.is_dir() and not _finished(path) else stored_case(path)


def _unfold(path: Path, settings: bytes) -> None:
    """Make a finished file the base of a run in pieces: renamed, not copied."""
    run = open_run(path)
    recorder = Recorder(path)
    recorder.start(run.shapes, run.case, settings)
    os.replace(path, recorder.folder / "base.nc")
