"""Friction and restitution by material pair, as a table the step can look up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError


def pair_table(value: Any, materials: list[str], what: str, free: set[str] | None = None) -> NDArray[np.float64]:
    """(k, k) symmetric table for the materials of a scene; nan where the table has no entry and needs none.

    Pairs that meet need one: those with a material in `free`, the materials of what can move (None: all). Obstacles and fixed
    blocks never meet each other.

    >>> pair_table({("ice", "rock"): 0.3, ("default", "default"): 0.7}, ["ice", "rock"], "friction").tolist()
    [[0.7, 0.3], [0.3, 0.7]]
    >>> pair_table({("ice", "ice"): 0.7, ("ice", "rock"): 0.3}, ["ice", "rock"], "friction", {"ice"}).tolist()
    [[0.7, 0.3], [0.3, nan]]
    """
    n = len(materials)
    if not isinstance(value, dict):
        return np.full((n, n), float(value))
    table = np.full((n, n), value.get(("default", "default"), np.nan))
    for (a, b), entry in value.items():
        for one, other in ((a, b), (b, a)):
            if one in materials and other in materials:
                table[materials.index(one), materials.index(other)] = entry
    missing = [(materials[i], materials[j]) for i, j in np.argwhere(np.isnan(table))]
    missing = [pair for pair in missing if free is None or free & set(pair)]
    if missing:
        a, b = missing[0]
        raise CaseError(
            f"contact {what}: the table has no entry for {a} with {b}. Add it, or one for all the others, "
            '"default-default" in a case file, ("default", "default") in Python.'
        )
    return table
