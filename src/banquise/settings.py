"""Validated, frozen settings of a simulation: one group a process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

from banquise.errors import CaseError, in_short, known_keywords, nearest
from banquise.given import ask

ORDERS = ("simultaneous", "sequential")
LAWS = ("poisson", "papers", "newton")


def number(
    value: Any, what: str, at_least: float | None = None, above: float | None = None, at_most: float = math.inf
) -> float:
    """A finite number within bounds, or an error that names it."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise CaseError(f"{what}: got {in_short(value)}, expected a number.") from None
    low = -math.inf if at_least is None else at_least
    if not math.isfinite(found) or found < low or found > at_most or (above is not None and found <= above):
        wanted = [f"above {above:g}"] if above is not None else []
        wanted += [f"at least {at_least:g}"] if at_least is not None else []
        wanted += [f"at most {at_most:g}"] if math.isfinite(at_most) else []
        raise CaseError(f"{what}: got {in_short(value)}, expected a finite number {' and '.join(wanted)}.")
    return found


def one_of(value: Any, known: tuple[str, ...], what: str) -> str:
    """One of the known words, or an error with the nearest."""
    if not isinstance(value, str) or value not in known:
        raise CaseError(f"{what}: got {in_short(value)}. {nearest(str(value)[:80], known)}")
    return str(value)


Table = dict[tuple[str, str], float]
PairLaw = Callable[[str, str], float]


@known_keywords
@dataclass(frozen=True)
class Contact:
    """What happens where floes meet.

    Parameters
    ----------
    friction : Coulomb coefficient, a number or a table {("ice", "rock"): 0.3, ...} by material pair (any order);
        a table's ("default", "default") entry serves the pairs it does not name; or your own law, a function of the two
        materials, asked once for every pair that can meet. Materials are words of your own: one a floe if need be
    restitution : 0 to 1, likewise
    order : "simultaneous" (all contacts of a group at once) or "sequential" (only those that approach, again and again)
    law : "poisson" (two phases, energy guarded), "papers" (Poisson with the papers' fallback), "newton"
    relaxation : m/s, c of the papers: contacts may keep approaching at up to this speed
    active_only : only contacts that approach enter the problem
    tolerance : scaled residual to which contact problems are solved (default: 1e-10, groups of over 50 contacts 1e-6)
    """

    friction: float | Table | PairLaw = 0.7
    restitution: float | Table | PairLaw = 0.35
    order: str = "simultaneous"
    law: str = "poisson"
    relaxation: float = 0.0
    active_only: bool = False
    tolerance: float | None = None

    def __post_init__(self) -> None:
        for name, most in (("friction", math.inf), ("restitution", 1.0)):
            value = getattr(self, name)
            if isinstance(value, dict):
                for pair, entry in value.items():
                    if not (isinstance(pair, tuple) and len(pair) == 2):
                        raise CaseError(
                            f"contact {name}: key {pair!r}, expected a pair of materials such as ('ice', 'rock')."
                        )
                    number(entry, f"contact {name} of {pair}", at_least=0.0, at_most=most)
            elif not callable(value):
                object.__setattr__(self, name, number(value, f"contact {name}", at_least=0.0, at_most=most))
        one_of(self.order, ORDERS, "contact order")
        one_of(self.law, LAWS, "contact law")
        number(self.relaxation, "contact relaxation", at_least=0.0)
        if self.tolerance is not None:
            number(self.tolerance, "contact tolerance", above=0.0, at_most=1e-2)

    def tabulated(self, materials: Iterable[str], free: Iterable[str] | None = None) -> Contact:
        """The same settings with your own laws as tables, for pairs of which one is in `free` (None: all).

        >>> Contact(friction=lambda a, b: 0.1 if "steel" in (a, b) else 0.6).tabulated(["ice", "steel"]).friction
        {('ice', 'ice'): 0.6, ('ice', 'steel'): 0.1, ('steel', 'steel'): 0.1}
        """
        names = sorted(set(materials))
        moving = set(names if free is None else free)
        pairs = [pair for pair in combinations_with_replacement(names, 2) if moving & set(pair)]
        tables: dict[str, Any] = {
            name: _table(name, law, pairs)
            for name in ("friction", "restitution")
            if callable(law := getattr(self, name))
        }
        return replace(self, **tables) if tables else self


def _table(name: str, law: PairLaw, pairs: list[tuple[str, str]]) -> Table:
    table = {}
    for a, b in pairs:
        table[a, b], back = (_of_pair(name, law, *pair) for pair in ((a, b), (b, a)))
        if back != table[a, b]:
            raise CaseError(f"contact {name}: your law gives {table[a, b]!r} for {a}, {b} and {back!r} for {b}, {a}.")
    return table


def _of_pair(name: str, law: PairLaw, a: str, b: str) -> float:
    what, gives = f"contact {name} of {(a, b)}", "a number of at least 0 for two materials"
    given: float = ask(law, a, b, what=what, gives=gives)
    return given
