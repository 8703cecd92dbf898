"""Records as a run goes: frames, ledger rows, events. Kept in memory, or written in pieces beside the run file.

HDF5 does not survive a kill in the middle of a write, so while a run goes its records go into small complete files,
each renamed into place when whole; the end of the run joins them. A killed run loses the piece being written, no more.
"""

from __future__ import annotations

import json
import os
import shutil
import time as clock
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import RunFileError
from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]
STATE = ("x", "y", "rotation", "u", "v", "spin")
EVENT_COLUMNS = (
    "time",
    "kind",
    "floe_a",
    "floe_b",
    "x",
    "y",
    "normal_impulse",
    "tangential_impulse",
    "energy_loss",
    "slip",
)
PIECE_SECONDS = 5.0  # wall time between pieces: what a kill may lose


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


class Recorder:
    """Collects records; `pieces` of them lie in a folder beside the output until the run ends."""

    def __init__(self, output: str | Path | None):
        self.output = None if output is None else Path(output)
        self.kept: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.frames: list[Array] = []
        self.rows: list[dict[str, float]] = []
        self.loads: list[Array] = []
        self.events: list[NDArray[Any]] = []
        self._last_piece = clock.monotonic()
        self._count = 0
        if self.output is not None:
            self._prepare()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """A run that ends in an error (or Ctrl-C) leaves all its records in the pieces."""
        if kind is not None and self.output is not None:
            self.flush()

    @property
    def folder(self) -> Path:
        assert self.output is not None
        return self.output.with_name(self.output.name + ".pieces")

    def _prepare(self) -> None:
        assert self.output is not None
        if self.output.is_dir():
            raise RunFileError(f"output {self.output}: is a folder, expected the name of a file such as run.nc.")
        parent = self.output.resolve().parent
        if not parent.is_dir():
            raise RunFileError(f"output {self.output}: the folder {parent} does not exist. Make it first.")
        if not os.access(parent, os.W_OK):
            raise RunFileError(f"output {self.output}: the folder {parent} cannot be written to.")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def start(self, shapes: Any, case: dict[str, Any]) -> None:
        """What the pieces need to be read without the run file: shapes and settings."""
        if self.output is not None:
            stored = shapes.copy()
            stored.attrs["case"] = json.dumps(case)
            stored.to_netcdf(self.folder / "start.nc", engine="netcdf4")

    def add(self, time: float, frame: Array, row: dict[str, float], loads: Array, events: list[NDArray[Any]]) -> None:
        """One record: state, ledger row, obstacle loads, and the events since the last one."""
        self.times.append(time)
        self.frames.append(frame)
        self.rows.append(row)
        self.loads.append(loads)
        self.events += events
        if self.output is not None and clock.monotonic() - self._last_piece > PIECE_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what has been collected as one complete piece."""
        if not self.times:
            return
        piece = self._piece()
        self.kept.append(piece)
        if self.output is not None:
            name = self.folder / f"{self._count:06d}.npz"
            temporary = name.with_suffix(".tmp")
            try:
                with open(temporary, "wb") as file:
                    np.savez(file, **piece)
                os.replace(temporary, name)
            except OSError as problem:
                raise RunFileError(
                    f"output {self.output}: cannot write ({problem.strerror}). "
                    f"What was written before is kept in {self.folder}."
                ) from None
            self.kept.clear()
        self._count += 1
        self.times, self.frames, self.rows, self.loads, self.events = [], [], [], [], []
        self._last_piece = clock.monotonic()

    def _piece(self) -> dict[str, Any]:
        widest = max(frame.shape[1] for frame in self.frames)
        states = np.full((len(self.frames), 6, widest), np.nan)
        for k, frame in enumerate(self.frames):
            states[k, :, : frame.shape[1]] = frame
        names = list(self.rows[0])
        return {
            "time": np.array(self.times),
            "state": states,
            "ledger": np.array([[row[n] for n in names] for row in self.rows]),
            "ledger_names": np.array(names),
            "loads": np.array(self.loads),
            "events": np.concatenate(self.events) if self.events else np.empty((0, len(EVENT_COLUMNS))),
        }

    def join(self) -> dict[str, Any]:
        """All records of the run so far, in order."""
        self.flush()
        return join_pieces(self.kept if self.output is None else read_pieces(self.folder))

    def remove_pieces(self) -> None:
        if self.output is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def read_pieces(folder: Path) -> list[dict[str, Any]]:
    """The complete pieces in a folder, in order."""
    pieces = []
    for name in sorted(folder.glob("*.npz")):
        try:
            with np.load(name, allow_pickle=False) as stored:
                pieces.append({key: stored[key] for key in stored.files})
        except (OSError, ValueError, KeyError, EOFError) as problem:
            raise RunFileError(
                f"{name}: this piece of a run is damaged ({problem}). Remove it to read the rest."
            ) from None
    return pieces


def join_pieces(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """One set of records; floes born later are NaN before."""
    if not pieces:
        raise RunFileError("no records: the run was stopped before its first one was written.")
    widest = max(p["state"].shape[2] for p in pieces)
    states = [
        p["state"]
        if p["state"].shape[2] == widest
        else np.concatenate(
            [p["state"], np.full((*p["state"].shape[:2], widest - p["state"].shape[2]), np.nan)], axis=2
        )
        for p in pieces
    ]
    return {
        "time": np.concatenate([p["time"] for p in pieces]),
        "state": np.concatenate(states),
        "ledger": np.concatenate([p["ledger"] for p in pieces]),
        "ledger_names": pieces[0]["ledger_names"],
        "loads": np.concatenate([p["loads"] for p in pieces]),
        "events": np.concatenate([p["events"] for p in pieces]),
    }
