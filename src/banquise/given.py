"""What a user gives besides single numbers: arrays, seeds, and functions of their own (forces, paths, thicknesses, flows,
loads), which are asked so that what goes wrong inside is said in a sentence with its place and what was expected."""

from __future__ import annotations

import datetime
import tomllib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import BanquiseError, CaseError, in_short
from banquise.units import quantity

# endings that say a format: a file of another one under such a name would mislead whoever opens it
ENDINGS = frozenset((
    ".nc", ".csv", ".html", ".htm", ".json", ".geojson", ".toml", ".txt", ".md", ".py", ".png", ".jpg", ".jpeg", ".tif",
    ".svg", ".pdf", ".mp4", ".gif", ".vtk", ".vtu", ".pvd", ".parquet", ".zarr", ".mat", ".shp", ".wkt", ".obj", ".stl", ".zip",
))  # fmt: skip


def check_ending(path: str | Path, own: tuple[str, ...], what: str, error: type[BanquiseError] = CaseError) -> None:
    """Raise if a file to be written has the ending of a format that is not its `own`."""
    ending = Path(path).suffix.lower()
    if ending in ENDINGS and ending not in own:
        name = Path(path).with_suffix(own[0]).name
        raise error(
            f"output {path}: {ending} is not the ending of {what}. Expected {' or '.join(own)}, such as {name}."
        )


def path_of(value: Any, what: str, error: type[BanquiseError] = CaseError) -> Path:
    """The path that a name says.

    >>> path_of(None, "run file")
    Traceback (most recent call last):
    banquise.errors.CaseError: run file: got None, expected the name of a file.
    """
    try:
        return Path(value)
    except TypeError:
        raise error(f"{what}: got {in_short(value)}, expected the name of a file.") from None


def read_toml(path: str | Path, what: str = "case file") -> dict[str, Any]:
    """The tables of a TOML file in UTF-8, which some editors begin with a mark of their own."""
    path = path_of(path, what)
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise CaseError(f"{path}: no such {what}.") from None
    except IsADirectoryError:
        raise CaseError(f"{path}: is a folder, expected a {what} (TOML).") from None
    except OSError as problem:
        raise CaseError(f"{path}: cannot be read ({problem.strerror or problem}).") from None
    except UnicodeDecodeError:
        resumes = path.suffix == ".nc" and what == "case file"  # of floes or blocks
        hint = f" A run goes on with: banquise resume {path}." if resumes else ""
        raise CaseError(f"{path}: not a text file in UTF-8, expected a {what} (TOML).{hint}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise CaseError(f"{path}: not valid TOML: {problem}.") from None


def floats(values: Any) -> NDArray[np.float64]:
    """An array of floats, masked entries as NaN (whatever lies under a mask is no number); TypeError if complex or dates.

    Dates would become counts of nanoseconds, or of days: which, nobody sees.

    >>> floats(np.ma.array([1, 2], mask=[False, True])).tolist()
    [1.0, nan]
    """
    if np.iscomplexobj(values):
        raise TypeError("complex numbers")
    if getattr(getattr(values, "dtype", None), "kind", "") in ("m", "M"):
        raise TypeError("dates")
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)  # type: ignore[no-untyped-call]
    return np.array(values, dtype=float)


def seconds(values: Any, what: str) -> NDArray[np.float64]:
    """Times from the start of a run: numbers (s), text with units, or differences of times; dates are refused.

    >>> seconds(["0 s", "1 h"], "times").tolist(), seconds(np.array([0, 2], "m8[m]"), "times").tolist()
    ([0.0, 3600.0], [0.0, 120.0])
    """
    found = np.asarray(values)
    if found.dtype.kind == "M":
        raise CaseError(
            f"{what}: got dates. Expected seconds from the start of the run: (times - start) / np.timedelta64(1, 's')."
        )
    if found.dtype.kind == "m":
        return np.asarray(found / np.timedelta64(1, "s"), dtype=float)
    return in_si(values, "time", what)


def in_si(values: Any, kind: str, what: str) -> NDArray[np.float64]:
    """Numbers, where some may be text with a unit of `kind`; others than numbers and text raise as `floats` does."""
    if isinstance(values, list | tuple) and any(
        isinstance(v, str | datetime.timedelta | datetime.date) for v in values
    ):
        return np.array([quantity(v, kind, f"{what}[{k}]") for k, v in enumerate(values)])
    return floats(values)


def seed_of(value: Any, what: str) -> int:
    """A seed: a whole number, not below 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise CaseError(f"{what}: got {in_short(value)}, expected a whole number, 0 or more.")
    return int(value)


def ask(
    function: Callable[..., Any],
    *arguments: Any,
    what: str,
    gives: str,
    error: type[BanquiseError] = CaseError,
) -> Any:
    """What a function of the user's own gives; what it raises becomes an `error` that says where, and what it should give.

    >>> ask(float, "ice", what="thickness", gives="metres")
    Traceback (most recent call last):
    banquise.errors.CaseError: thickness: ValueError: could not convert string to float: 'ice' (float). Expected metres.
    """
    try:
        return function(*arguments)
    except BanquiseError:
        raise
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}".splitlines()[0][:200].rstrip(".: ")
        raise error(f"{what}: {said} ({place_of(function, problem)}). Expected {gives}.") from problem


def ask_numbers(
    function: Callable[..., Any],
    *arguments: Any,
    what: str,
    gives: str,
    shape: tuple[int, ...],
    spread: bool = True,
    error: type[BanquiseError] = CaseError,
) -> NDArray[np.float64]:
    """Numbers of that shape (or that can be `spread` over it) from a function of the user's own; finite or not."""
    given = ask(function, *arguments, what=what, gives=gives, error=error)
    try:
        found = floats(given)
        if not spread and found.shape != shape:
            raise ValueError
        return np.array(np.broadcast_to(found, shape))
    except (TypeError, ValueError, OverflowError):
        raise error(f"{what}: {place_of(function)} gave {in_short(given)}. Expected {gives}.") from None


def counted(n: int, what: str) -> str:
    """So many of them.

    >>> counted(1, "floe"), counted(2000, "floe")
    ('1 floe', '2,000 floes')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def place_of(function: Callable[..., Any], problem: BaseException | None = None) -> str:
    """Name of a function with its file; the line of it at which a problem arose, where it did."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    name = getattr(function, "__name__", type(function).__name__)
    if code is None:
        return str(name)
    line = code.co_firstlineno
    for frame in traceback.extract_tb(problem.__traceback__ if problem else None):
        if frame.filename == code.co_filename and frame.lineno:
            line = frame.lineno
    return f"{name}, line {line} of {Path(code.co_filename).name}"


def jump_of(place: Callable[[float], NDArray[np.float64]], start: float, end: float, far: float) -> float | None:
    """Time of a jump of more than `far` between two times, found by halving; None where the way shrinks with the time.

    >>> jump_of(lambda t: np.array([0.0 if t < 0.3 else 5.0]), 0.0, 1.0, 0.1), jump_of(lambda t: np.array([t]), 0.0, 1.0, 0.1)
    (0.3, None)
    """
    a, b = place(start), place(end)
    for _ in range(40):
        middle = 0.5 * (start + end)
        if not start < middle < end:
            break
        m = place(middle)
        if np.abs(m - a).max() > np.abs(b - m).max():
            end, b = middle, m
        else:
            start, a = middle, m
        if np.abs(b - a).max() <= far:
            return None
    return float(f"{end:.9g}")
