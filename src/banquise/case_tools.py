"""Small checks shared by the readers of case tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from banquise.errors import BanquiseError, CaseError, nearest

FRACTURE = {
    "griffith": "Griffith",
    "mean-stress": "MeanStress",
}  # laws by their names; imported when a case asks for one


def known(table: Mapping[str, Any], names: set[str], what: str) -> None:
    """Raise if a table has a key that is none of `names`."""
    for key in table:
        if key not in names:
            raise CaseError(f"{what}: unknown key {key!r}. {nearest(key, names)}")


def named(where: str, make: Callable[[], Any]) -> Any:
    """Call `make`; an error says which entry of the case it was."""
    try:
        return make()
    except BanquiseError as problem:
        raise type(problem)(f"{where}: {problem}") from None
