"""Every classical case with a known answer: expected, got, pass. `banquise validate` prints them, tests assert them.

A part of the package adds its cases by a line in GROUPS: a function that returns rows. Expected values are literals
or formulas of this subpackage, which imports no solver for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

GROUPS: dict[str, str] = {
    "drift": "banquise.validation.drift:rows",
    # name of the group -> module:function, called without arguments, yields Row
    "impact": "banquise.validation.impact:rows",
    "stepping": "banquise.validation.stepping:rows",
    "jam": "banquise.validation.jam:rows",
    "papers": "banquise.validation.papers_scheme:rows",
    "glacier": "banquise.validation.glacier:rows",
    "solvers": "banquise.validation.solvers:rows",
    "fracture": "banquise.validation.fracture:rows",
    "breaking": "banquise.validation.breaking:rows",
    "blocks": "banquise.validation.blocks:rows",
    "blocks-dynamics": "banquise.validation.blocks_dynamics:rows",
    "forcing": "banquise.validation.forcing:rows",
}


@dataclass(frozen=True)
class Row:
    """One comparison of a computed number with the known one."""

    case: str  # "inertial circle"
    principle: str  # what it shows: symmetry, Coulomb, accumulation, coherence in time, energy, momentum, drift, ...
    parameters: str  # "f = 1.4e-4 1/s, step 60 s"
    expected: float
    got: float
    tolerance: float  # on |got - expected|, absolute

    @property
    def error(self) -> float:
        return abs(self.got - self.expected)

    @property
    def passed(self) -> bool:
        return bool(self.error <= self.tolerance)  # NaN fails

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "error": self.error, "pass": self.passed}


def rows(groups: list[str] | None = None) -> Iterator[tuple[str, Row]]:
    """All rows of the named groups (default: all), as they are computed."""
    check_groups(groups or [])
    for name in groups or GROUPS:
        module, _, function = GROUPS[name].partition(":")
        for row in getattr(importlib.import_module(module), function)():
            yield name, row


def check_groups(groups: list[str]) -> None:
    """A group that does not exist is a mistake, said before the first of the others is computed."""
    from banquise.errors import CaseError, nearest

    for name in groups:
        if name not in GROUPS:
            raise CaseError(f"no group {name!r}. {nearest(name, GROUPS)}")
