"""Displacements given on stretches of border: the thesis' loading, for tests and for floes held by obstacles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from banquise.errors import ShapeError, known_keywords

Value = float | Callable[[float, float], float] | None


@known_keywords
@dataclass(frozen=True)
class Dirichlet:
    """Displacement given on straight stretches of a floe's border.

    Parameters
    ----------
    stretches : [((x0, y0), (x1, y1), ux, uy), ...] ends in metres, components in metres: numbers, functions of
        (x, y), or None for a free component

    >>> len(Dirichlet([((0, 0), (0, 100), 0.0, None)]).stretches)
    1
    """

    stretches: Sequence[tuple[Any, Any, Value, Value]]

    def __post_init__(self) -> None:
        cleaned = []
        try:
            stretches = list(self.stretches)
        except TypeError:
            raise ShapeError(f"Dirichlet: got {self.stretches!r}, expected a list of stretches.") from None
        for k, stretch in enumerate(stretches):
            try:
                (x0, y0), (x1, y1), ux, uy = stretch
                ends = ((float(x0), float(y0)), (float(x1), float(y1)))
            except (TypeError, ValueError, OverflowError):
                raise ShapeError(
                    f"Dirichlet: stretch {k} is {stretch!r}, expected ((x0, y0), (x1, y1), ux, uy)."
                ) from None
            for name, value in (("ux", ux), ("uy", uy)):
                number = isinstance(value, (int, float)) and math.isfinite(value)
                if not (value is None or callable(value) or number):
                    raise ShapeError(f"Dirichlet: {name} of stretch {k} is {value!r}, expected a number or a function.")
            if ends[0] == ends[1] or not all(math.isfinite(c) for end in ends for c in end):
                raise ShapeError(f"Dirichlet: stretch {k} runs from {ends[0]} to {ends[1]}, expected two places.")
            cleaned.append((*ends, ux, uy))
        if not any(v is not None for s in cleaned for v in s[2:]):
            raise ShapeError("Dirichlet: nothing is held. Give at least one displacement.")
        object.__setattr__(self, "stretches", tuple(cleaned))
