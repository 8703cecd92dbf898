"""Errors a user can cause. Each message says what, where, got, expected and what to do next, in a line or two.

The command line prints them without a traceback and exits with code 2; anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Iterable


class BanquiseError(ValueError):
    """A mistake in the input, said in one or two plain lines."""


class ShapeError(BanquiseError):
    """A ring, surface or mesh that is not a body."""


class CaseError(BanquiseError):
    """A case file or a setting that cannot be understood."""


class ForcingError(BanquiseError):
    """Forcing that does not cover the run or cannot be read."""


class RunFileError(BanquiseError):
    """A run file that is missing, damaged or not ours."""


class SolverError(BanquiseError):
    """A problem handed to a solver that is not a problem (shapes, NaN)."""


def need(module: str, what: str, extra: str, instead: str = "") -> None:
    """A sentence about what to install where a package that only some tasks need is not here.

    >>> need("no_such_package", "tea", "kettle")
    Traceback (most recent call last):
    banquise.errors.BanquiseError: tea needs no_such_package: pip install 'banquise[kettle]'
    """
    if importlib.util.find_spec(module) is None:
        raise BanquiseError(f"{what} needs {module}: pip install 'banquise[{extra}]'{instead}")


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown `word`: the nearest known name, or all of them.

    >>> nearest("densty", ["density", "radius"])
    "Did you mean 'density'?"
    """
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    return "Known names: " + ", ".join(known) + "."
