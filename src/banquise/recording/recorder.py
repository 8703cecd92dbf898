"""Records as a run goes: frames, ledger rows, events. Kept in memory, or written in pieces beside the run file.

HDF5 does not survive a kill in the middle of a write, so while a run goes its records go into small complete files,
each renamed into place when whole; the end of the run joins them. With the pieces go checkpoints: number k was taken
when there were k pieces, so a run that goes on from it drops the pieces from k on and makes them again, bit for bit.

A folder RUN.pieces holds: start.nc (shapes, case), settings.bin (to make the simulation again), 000000.bin, 000001.bin,
... (records), 000007.checkpoint, ... (the last few), and base.nc: the finished run that is being taken further.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import time as clock
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError, RunFileError
from banquise.given import check_ending
from banquise.recording.sealed import read_sealed, refusal, seal, write_sealed
from banquise.recording.shapes import floes_of, for_file
from banquise.scene.bodies import Bodies
from banquise.threads import FILES
from banquise.update.impulses import EVENT_COLUMNS, OBSTACLE_IDS, RECORDED

__all__ = ["EVENTS", "EVENT_COLUMNS", "STATE", "Recorder"]

Array = NDArray[np.float64]
STATE = ("x", "y", "rotation", "u", "v", "spin")
STRESS = ("stress_xx", "stress_xy", "stress_yy")
# beside the state, where a run has them: stress (time, 3, floe), obstacle_pose (time, obstacle, 3), wind and current (time, 2),
# and rows of contacts
EXTRAS = ("stress", "obstacle_pose", "wind", "current", "contacts")
EVENTS = EVENT_COLUMNS[:RECORDED]
PIECE_SECONDS = 5.0  # wall time between pieces: what a kill may lose
SHARE = 0.03  # of the wall time that pieces and checkpoints may take, where they are dear
KEEP = 3  # checkpoints that stay


def frame_of(bodies: Bodies, n_ids: int) -> Array:
    """State (6, n_ids) by floe id, NaN where a floe is not there."""
    n = bodies.n_free
    frame = np.full((6, n_ids), np.nan)
    frame[:, bodies.ids[:n]] = (
        bodies.x[:n],
        bodies.y[:n],
        bodies.angle[:n],
        bodies.u[:n],
        bodies.v[:n],
        bodies.spin[:n],
    )
    return frame


def stress_of(bodies: Bodies, impulses: Array, window: float, n_ids: int) -> NDArray[np.float32]:
    """Mean stress (3, n_ids) by floe id, Pa, tension positive, from sums of impulse times lever (n, 3) over a window.

    Single precision: a mean over a window is not known better, and a jam has as many stresses as places.
    """
    n = bodies.n_free
    stress = np.full((3, n_ids), np.nan, dtype=np.float32)
    volume = bodies.area[:n] * bodies.thickness[:n]
    stress[:, bodies.ids[:n]] = (impulses / (volume * window)[:, None]).T if window > 0 else 0.0
    return stress


def check_place(output: Path) -> None:
    """Whether a run file can be written there: said before anything is computed."""
    if output.is_dir():
        raise RunFileError(f"output {output}: is a folder, expected the name of a file such as run.nc.")
    if output.exists() and not output.is_file():  # /dev/null: a run file put in its place would take it away
        raise RunFileError(f"output {output}: is a device, expected the name of a file such as run.nc.")
    parent = output.resolve().parent
    if not parent.is_dir():
        raise RunFileError(f"output {output}: the folder {parent} does not exist. Make it first.")
    if not os.access(parent, os.W_OK):
        raise RunFileError(f"output {output}: the folder {parent} cannot be written to.")
    if output.exists() and not _may_give_way(output):
        raise RunFileError(f"output {output}: a file that is no run file is there. Give another name, such as run.nc.")
    check_ending(output, (".nc",), "a run file (NetCDF; banquise export writes others)", RunFileError)


def _may_give_way(file: Path) -> bool:
    """Whether a file is empty or a run file: a case, a picture, a text or the wind of the run is not written over."""
    import netCDF4

    with open(file, "rb") as there:
        first = there.read(8)
    if first != b"\x89HDF\r\n\x1a\n":
        return first == b""
    try:
        with netCDF4.Dataset(file) as data:
            return str(getattr(data, "source", "")).lower().startswith("banquise")
    except (OSError, RuntimeError):  # a run file that was cut short: nothing in it can be read
        return True


class Claim:
    """A folder of pieces belongs to one run at a time: a lock of the system on it, which ends with its process."""

    def __init__(self, output: Path):
        self.output = output
        self._folder: int | None = None

    def take(self) -> None:
        """Hold the folder, or raise if another run does. Where the system or the disk has no locks, nothing is known."""
        try:
            import fcntl

            self._folder = os.open(pieces_of(self.output), os.O_RDONLY)
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise RunFileError(
                f"output {self.output}: a run that is still going writes there. Wait for its end, stop it, or give another name."
            ) from None
        except (ImportError, OSError):
            pass

    def release(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None


def check_free(output: Path) -> None:
    """Raise if a run that is still going writes there."""
    if pieces_of(output).is_dir():
        claim = Claim(output)
        claim.take()
        claim.release()


class Recorder:
    """Collects records; `pieces` of them lie in a folder beside the output until the run ends."""

    def __init__(self, output: str | Path | None, resumed: int | None = None):
        """`resumed` is the number of pieces a checkpoint knew: later ones go, and the next one gets that number."""
        if output is not None and not isinstance(output, str | os.PathLike):
            raise RunFileError(f"output: got {output!r}, expected the name of a file such as run.nc.")
        self.output = None if output is None else Path(output)
        self.kept: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.frames: list[Array] = []
        self.rows: list[dict[str, float]] = []
        self.loads: list[Array] = []
        self.events: list[NDArray[Any]] = []
        self.extras: list[dict[str, Array]] = []
        self._last_piece = clock.monotonic()
        self._last_cost = 0.0
        self.before_end: Callable[[], None] | None = None  # called before the last piece of a run that ends in an error
        self._count = resumed or 0
        if self.output is not None:
            check_free(self.output)
            with self._errors():
                self._prepare() if resumed is None else self._clear_after(resumed)
        self._claim = None if self.output is None else Claim(self.output)

    def __enter__(self) -> Recorder:
        if self._claim is not None:
            self._claim.take()
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, _: object) -> None:
        """A run that ends in an error (or Ctrl-C) leaves all its records in the pieces; one of ours says so."""
        if kind is not None and self.output is not None:
            try:
                if self.before_end is not None:
                    self.before_end()
                self.flush()
            finally:
                self._release()
            if isinstance(problem, BanquiseError) and not isinstance(problem, RunFileError):
                kept = f"Its records and last checkpoint are kept; to go on from there: banquise resume {self.output}"
                raise type(problem)(f"{problem}\n{kept}") from None
        self._release()

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()

    @property
    def folder(self) -> Path:
        assert self.output is not None
        return pieces_of(self.output)

    @property
    def due(self) -> bool:
        """Whether it is time for a piece and a checkpoint."""
        if self.output is None:
            return False
        return clock.monotonic() - self._last_piece > max(PIECE_SECONDS, self._last_cost / SHARE)

    def _prepare(self) -> None:
        assert self.output is not None
        check_place(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def _clear_after(self, count: int) -> None:
        for name in self.folder.iterdir():
            stale = name.suffix in (".bin", ".checkpoint") and name.stem.isdigit() and int(name.stem) >= count
            if name.suffix == ".tmp" or (stale and not (name.suffix == ".checkpoint" and int(name.stem) == count)):
                name.unlink()

    def _errors(self) -> _Writing:
        return _Writing(self.output, self.folder)

    def start(self, shapes: Any, case: dict[str, Any], settings: bytes) -> None:
        """What the pieces need to be read without the run file: shapes and case; and what makes the simulation again."""
        if self.output is None:
            return
        with self._errors():
            write_sealed(self.folder / "settings.bin", settings)
        self.note_shapes(shapes, case)

    def note_shapes(self, shapes: Any, case: dict[str, Any]) -> None:
        """Shapes and case as they are now: at the start, and when there are new bodies."""
        stored = for_file(shapes)
        stored.attrs["case"] = json.dumps(case)
        with self._errors(), FILES:
            temporary = self.folder / "start.nc.tmp"
            stored.to_netcdf(temporary, engine="netcdf4")
            seal(temporary)
            os.replace(temporary, self.folder / "start.nc")

    def add(
        self,
        time: float,
        frame: Array,
        row: dict[str, float],
        loads: Array,
        events: list[NDArray[Any]],
        extras: dict[str, Array] | None = None,
    ) -> None:
        """One record: state, ledger row, obstacle loads, the events since the last one, and what else the run has."""
        self.times.append(time)
        self.frames.append(frame)
        self.rows.append(row)
        self.loads.append(loads)
        self.events += events
        self.extras.append(extras or {})

    def flush(self) -> None:
        """Write what has been collected as one complete piece."""
        if not self.times:
            return
        piece = self._piece()
        if self.output is None:
            self.kept.append(piece)
        else:
            with self._errors():
                write_sealed(self.folder / f"{self._count:06d}.bin", packed(piece))
        self._count += 1
        self.times, self.frames, self.rows, self.loads, self.events, self.extras = [], [], [], [], [], []

    def save(self, checkpoint: Callable[[], bytes]) -> None:
        """A piece, and a checkpoint that goes with it; older ones are removed."""
        if self.output is None:
            return
        began = clock.monotonic()
        self.flush()
        with self._errors():
            write_sealed(self.folder / f"{self._count:06d}.checkpoint", checkpoint())
            for old in checkpoints_in(self.folder)[KEEP:]:
                old.unlink()
        self._last_piece = clock.monotonic()
        self._last_cost = self._last_piece - began

    def _piece(self) -> dict[str, Any]:
        names = list(self.rows[0])
        return {
            "time": np.array(self.times),
            "state": stacked(self.frames),
            "ledger": np.array([[row[n] for n in names] for row in self.rows]),
            "ledger_names": np.array(names),
            "loads": np.array(self.loads),
            "events": np.concatenate(self.events) if self.events else np.empty((0, len(EVENTS))),
            **{name: _joined(name, [e[name] for e in self.extras]) for name in self.extras[0]},
        }

    def pieces(self) -> Iterator[dict[str, Any]]:
        """All records of the run so far, in order."""
        self.flush()
        return iter(self.kept) if self.output is None else read_pieces(self.folder)

    def remove_pieces(self) -> None:
        if self.output is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class _Writing:
    """Turns what the disk refuses into a sentence."""

    def __init__(self, output: Path | None, folder: Path):
        self.output, self.folder = output, folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if isinstance(problem, OSError | RuntimeError) and not isinstance(problem, RunFileError):
            reason = refusal(problem, self.folder if self.folder.is_dir() else self.folder.parent)
            raise RunFileError(f"output {self.output}: cannot write ({reason}).{kept_in(self.folder)}") from None


def kept_in(folder: Path) -> str:
    """What to say of the pieces of a run that could not be written."""
    return f" What was written before is kept in {folder}." if folder.is_dir() else ""


def pieces_of(output: Path) -> Path:
    """The folder of a run's pieces."""
    return output.parent / (output.name + ".pieces")


def checkpoints_in(folder: Path) -> list[Path]:
    """Newest first."""
    return sorted((p for p in folder.glob("*.checkpoint") if p.stem.isdigit()), key=lambda p: -int(p.stem))


def packed(arrays: dict[str, Any]) -> bytes:
    """Named arrays as bytes."""
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def unpacked(content: bytes) -> dict[str, Any]:
    """And back; nothing in it is run as code."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def read_pieces(folder: Path) -> Iterator[dict[str, Any]]:
    """The records in a folder, in order: those of the run that was taken further, then the complete pieces."""
    if (folder / "base.nc").exists():
        from banquise.recording.run_file import open_run

        base = open_run(folder / "base.nc")
        always = ("time", "state", "ledger", "ledger_names", "loads", "events")
        records = {name: base.records[name] for name in (*always, *(e for e in EXTRAS if e in base.records))}
        if "obstacle" in base.shapes:
            records |= _obstacles_above(records, floes_of(base.shapes))
        yield records
    names = sorted(p for p in folder.glob("*.bin") if p.stem.isdigit())
    for k, name in enumerate(names):
        if int(name.stem) != k:
            raise RunFileError(f"{folder}: piece {k:06d}.bin is missing. Remove the later ones to read the rest.")
        try:
            piece = unpacked(read_sealed(name, "piece"))
            piece["state"], piece["time"]
        except (ValueError, KeyError, OSError) as problem:
            raise RunFileError(f"{problem} Remove it and the later ones to read the rest.") from None
        yield piece


def join_pieces(pieces: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """One set of records; floes born later are NaN before."""
    parts = list(pieces)
    if not parts:
        raise RunFileError("no records: the run was stopped before its first one was written.")
    widest = max(p["state"].shape[2] for p in parts)
    return {
        "time": np.concatenate([p["time"] for p in parts]),
        "state": np.concatenate([widened(p["state"], widest) for p in parts]),
        "ledger": np.concatenate([p["ledger"] for p in parts]),
        "ledger_names": parts[0]["ledger_names"],
        "loads": np.concatenate([p["loads"] for p in parts]),
        "events": np.concatenate([p["events"] for p in parts]),
        **joined_extras(parts, widest),
    }


def joined_extras(parts: list[dict[str, Any]], n: int) -> dict[str, Any]:
    """What the run has beside the state, NaN in parts that do not have it (written by an earlier version).

    The contacts are there only if every part has them.
    """
    found = {}
    for name in EXTRAS:
        like = next((p[name] for p in parts if name in p), None)
        if name == "contacts" or like is None:
            continue
        nothing = [np.full((len(p["time"]), *like.shape[1:]), np.nan, dtype=like.dtype) for p in parts]
        arrays = [p.get(name, empty) for p, empty in zip(parts, nothing)]
        found[name] = np.concatenate([widened(a, n) if name == "stress" else a for a in arrays])
    if all("contacts" in p for p in parts):
        found["contacts"] = np.concatenate([p["contacts"] for p in parts])
    return found


def stacked(frames: list[Array]) -> Array:
    """Frames (..., n) of one piece as one array; a frame with fewer floes than the widest has NaN for the others."""
    widest = max(frame.shape[-1] for frame in frames)
    out = np.full((len(frames), *frames[0].shape[:-1], widest), np.nan, dtype=frames[0].dtype)
    for k, frame in enumerate(frames):
        out[k, ..., : frame.shape[-1]] = frame
    return out


def _joined(name: str, frames: list[Array]) -> Array:
    return np.concatenate(frames) if name == "contacts" else stacked(frames)


_WHO = {"events": (2, 3), "contacts": (1, 2)}  # columns that hold ids


def obstacles_after(records: dict[str, Any], floes: int) -> dict[str, Array]:
    """Events and contacts of a run of so many floes in the end: obstacle k is number floes + k."""
    found = {name: records[name].copy() for name in _WHO if name in records}
    for name, table in found.items():
        for column in _WHO[name]:
            above = table[:, column] >= OBSTACLE_IDS
            table[above, column] += floes - OBSTACLE_IDS
    return found


def _obstacles_above(records: dict[str, Any], floes: int) -> dict[str, Array]:
    """And back: more floes may be born."""
    found = {name: records[name].copy() for name in _WHO if name in records}
    for name, table in found.items():
        for column in _WHO[name]:
            above = (table[:, column] >= floes) & (table[:, column] < OBSTACLE_IDS)
            table[above, column] += OBSTACLE_IDS - floes
    return found


def widened(state: Array, n: int) -> Array:
    """Columns (time, k, n) with NaN for floes that came later."""
    if state.shape[2] == n:
        return state
    missing = np.full((*state.shape[:2], n - state.shape[2]), np.nan, dtype=state.dtype)
    return np.concatenate([state, missing], axis=2)
