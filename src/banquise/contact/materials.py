"""Friction and restitution by material pair, as a table the step can look up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError
from banquise.settings import Table


def pair_table(value: float | Table, materials: list[str], what: str) -> NDArray[np.float64]:
    """(k, k) symmetric table for the materials of a scene.

    >>> pair_table({("ice", "rock"): 0.3, ("default", "default"): 0.7}, ["ice", "rock"], "friction").tolist()
    [[0.7, 0.3], [0.3, 0.7]]
    """
    n = len(materials)
    if not isinstance(value, dict):
        return np.full((n, n), float(value))
    table = np.full((n, n), value.get(("default", "default"), np.nan))
    for (a, b), entry in value.items():
        for one, other in ((a, b), (b, a)):
            if one in materials and other in materials:
                table[materials.index(one), materials.index(other)] = entry
    missing = np.argwhere(np.isnan(table))
    if len(missing):
        a, b = (materials[k] for k in missing[0])
        raise CaseError(
            f"contact {what}: the table has no entry for {a} with {b}. Add it, or a ('default', 'default') entry."
        )
    return table
