"""The classical cases of `impact` once more, by time stepping: the same answers, as far as a skin and a step let them be.

With time stepping bodies meet a skin apart (5e-5 of the smaller size), so directions and levers of an impact differ by that
much; and flights shorter than the step are not followed, so what bounces ever lower comes to rest sooner, by so many steps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from banquise.schemes.time_stepping import TimeStepping
from banquise.validation import Row, impact

SKIN = 3e-4  # part of the speeds: what 9e-5 m between discs of 1 m does to an impact 15 degrees from grazing
STEPS = 0.01, 0.002  # s
LONG = 10.0  # s, from which on a case has a step of its own, longer than the flights it looks at


def short_steps(step: float) -> impact.Maker:
    """Maker of time stepping with this step where a case asks for steps of the order of its flights."""

    def scheme(longest: float, **_: Any) -> TimeStepping:
        return TimeStepping(step if longest < LONG else longest)

    return scheme


def rows() -> Iterator[Row]:
    """All rows of `impact` by time stepping, with two steps."""
    for step in STEPS:
        for row in impact.rows(short_steps(step)):
            where = f"{row.parameters}, steps of {step:g} s"
            yield dataclasses.replace(row, parameters=where, tolerance=_tolerance(row, step))


def _tolerance(row: Row, step: float) -> float:
    if row.principle == "accumulation" and row.expected > 0.0:
        # the last flight followed takes about a step; those left over are as long together as it over 1 - epsilon
        epsilon = float(row.parameters.split()[1].rstrip(","))
        return 4.0 * step / (1.0 - epsilon)
    return row.tolerance * SKIN / impact.EXACT if row.tolerance < 1e-6 else row.tolerance
