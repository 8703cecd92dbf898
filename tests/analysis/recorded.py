"""Runs made up from given motion, for analyses with a known answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.recording.ledger import COLUMNS
from banquise.recording.recorder import EVENTS
from banquise.recording.run_file import Run, shapes_dataset
from banquise.scene.floe import Disc


def recorded(floes, times, x, y, rotation=0.0, u=0.0, v=0.0, spin=0.0, obstacles=(), case=None, **extras: Any) -> Run:
    """A run of floes with given columns on (time, floe), each broadcast; `extras` are further records."""
    n, times = len(floes), np.asarray(times, dtype=float)
    columns = [np.broadcast_to(np.asarray(c, dtype=float), (len(times), n)) for c in (x, y, rotation, u, v, spin)]
    lives = {"birth": np.zeros(n), "end": np.full(n, np.inf), "parent": np.full(n, -1)}
    records = {
        "time": times,
        "state": np.stack(columns, axis=1),
        "ledger": np.zeros((len(times), len(COLUMNS))),
        "ledger_names": np.array(COLUMNS),
        "loads": np.zeros((len(times), len(obstacles), 3)),
        "events": np.empty((0, len(EVENTS))),
    }
    return Run(records | extras, shapes_dataset(list(floes), list(obstacles), lives), {"every": 1.0, **(case or {})})


def lattice(across: int, spacing: float, radius: float) -> list[Disc]:
    """Discs on a square lattice whose cells fill (0, across x spacing)."""
    at = spacing * (np.arange(across) + 0.5)
    return [Disc((x, y), radius) for y in at for x in at]


def centres(floes) -> np.ndarray:
    return np.array([f.centre for f in floes])
