"""Hourly series at one place from a MAT file: names in `varargin`, values in var01, var02, ..."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError, ForcingError
from banquise.forcing.flows import Series
from banquise.scene.makers.mat_tree import load_mat

_COLUMNS = {"wind": ("uwind", "vwind"), "current": ("uoce", "voce"), "thickness": ("hice", "hice")}


def read_mat(
    path: Path, quantity: str, after_end: str = "stop", start_hour: float = 0.0, options: dict[str, Any] | None = None
) -> Series:
    """Wind or current of a MAT series as a `Series` that starts at `start_hour` of the file.

    Components are east and north: in a run on a map they are turned at the middle of its area.
    """
    columns = _read(path)
    if quantity not in ("wind", "current"):
        raise ForcingError(f"{path}: a MAT series gives wind or current, not {quantity!r}.")
    wanted = ("hour", *_COLUMNS[quantity])
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise ForcingError(f"{path}: no {', '.join(missing)} among {', '.join(columns)}.")
    try:
        hours, u, v = (np.asarray(columns[name], dtype=float).ravel() for name in wanted)
    except (TypeError, ValueError):
        raise ForcingError(f"{path}: {', '.join(wanted)} are not columns of numbers.") from None
    hours = _hours(hours)
    try:
        begin = float(start_hour)
    except (TypeError, ValueError, OverflowError):
        raise ForcingError(f"start_hour: got {start_hour!r}, expected a number of hours.") from None
    if not (len(hours) and hours[0] <= begin <= hours[-1]):
        reach = f"{hours[0]:g} to {hours[-1]:g}" if len(hours) else "nothing"
        raise ForcingError(f"{path}: start_hour is {begin:g}, the file holds hours {reach}.")
    return Series((hours - begin) * 3600.0, u, v, after_end, frame="east", options=options)


def _hours(hours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hours that only rise: the files of this kind hold the hour of the day, which starts again every midnight."""
    if len(hours) < 2 or (np.diff(hours) > 0).all():
        return hours
    gone = np.mod(np.diff(hours), 24.0)
    return hours[0] + np.concatenate([[0.0], np.cumsum(np.where(gone == 0, 24.0, gone))])


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ForcingError(f"{path}: no such forcing file.")
    try:
        stored = load_mat(path, squeeze_me=True)
    except CaseError as problem:
        raise ForcingError(str(problem)) from None
    if "varargin" not in stored:
        raise ForcingError(f"{path}: a MAT file, but no series (no varargin that names its columns).")
    names = [str(n) for n in np.atleast_1d(stored["varargin"])[1:]]
    return {name: stored[f"var{k:02d}"] for k, name in enumerate(names, 1) if f"var{k:02d}" in stored}


def describe_mat(path: Path) -> list[str]:
    """What a MAT series holds, a line each."""
    columns = _read(path)
    hours = np.asarray(columns.get("hour", []), dtype=float).ravel()
    lines = [f"series of {len(hours)} hours at one place: {', '.join(columns)}"]
    for quantity, (u, v) in _COLUMNS.items():
        if u in columns:
            lines.append(f"{quantity} <- {u}, {v} (by name, east/north)" if u != v else f"{quantity} <- {u} (by name)")
    return lines
