"""Errors a user can cause. Each message says what, where, got, expected and what to do next, in a line or two.

The command line prints them without a traceback and exits with code 2; anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Public = TypeVar("Public", bound=Callable[..., Any])


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


class KeywordError(BanquiseError, TypeError):
    """A keyword that a function does not have."""


def need(module: str, what: str, extra: str, instead: str = "") -> None:
    """A sentence about what to install where a package that only some tasks need is not here.

    >>> need("no_such_package", "tea", "kettle")
    Traceback (most recent call last):
    banquise.errors.BanquiseError: tea needs no_such_package: pip install 'banquise[kettle]'
    """
    if importlib.util.find_spec(module) is None:
        raise BanquiseError(f"{what} needs {module}: pip install 'banquise[{extra}]'{instead}")


def in_short(given: Any) -> str:
    """A value in a few words, on one line, for the end of "got".

    >>> in_short(1.5), len(in_short(10**400))
    ('1.5', 74)
    """
    shape = getattr(given, "shape", ())
    if isinstance(shape, tuple) and len(shape) > 0 and math.prod(shape) > 3:
        return f"an array of shape {shape}"
    try:
        text = " ".join(repr(given).split())
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return f"a {type(given).__name__} too long to write"
    return text if len(text) < 80 else f"{text[:70]} ..."


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown `word`: the nearest known name, or all of them.

    >>> nearest("densty", ["density", "radius"])
    "Did you mean 'density'?"
    """
    known = sorted(known)
    close = difflib.get_close_matches(str(word), known, n=1, cutoff=0.6)  # a user may have given anything
    if close:
        return f"Did you mean {close[0]!r}?"
    return "Known names: " + ", ".join(known) + "."


def known_keywords(public: Public) -> Public:
    """A function, or a class by what makes it, that answers a keyword it does not have with the nearest that it has.

    Python names the wrong word only. All public names of `banquise` are so.

    >>> @known_keywords
    ... def melt(ice, thickness=1.0): ...
    >>> melt(3, thicknes=2)
    Traceback (most recent call last):
    banquise.errors.KeywordError: melt: no keyword 'thicknes'. Did you mean 'thickness'?
    """
    if isinstance(public, type):
        makers = [kind.__dict__["__init__"] for kind in public.__mro__[:-1] if "__init__" in kind.__dict__]
        public.__init__ = _asked(makers, public.__name__)  # type: ignore[misc]
        return public
    return _asked([public], public.__name__)  # type: ignore[return-value]


def _asked(functions: list[Callable[..., Any]], name: str) -> Callable[..., Any]:
    """The first of the functions with its keywords checked; one that hands on others than its own hands them to the next."""
    known: set[str] = set()
    for function in functions:
        code = getattr(function, "__wrapped__", function).__code__
        known.update(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        if not code.co_flags & 0x08:  # takes no others
            break
    else:
        return functions[0]
    known.discard("self")

    @functools.wraps(functions[0])
    def asked(*arguments: Any, **keywords: Any) -> Any:
        for word in keywords:
            if word not in known:
                raise KeywordError(f"{name}: no keyword {word!r}. {nearest(word, known)}")
        return functions[0](*arguments, **keywords)

    return asked
