"""What a run means: each function takes a run and gives numbers with units, each with a plot in `analysis.plots`."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {
    "Ice": "ice",
    "size_distribution": "sizes",
    "concentration": "cover",
    "concentration_grid": "cover",
    "gridded": "fields",
    "clusters": "groups",
    "absolute_dispersion": "dispersion",
    "relative_dispersion": "dispersion",
    "velocity_statistics": "velocities",
    "collision_rate": "collisions",
    "free_drift": "energy",
    "energy_fraction": "energy",
    "force_chains": "chains",
    "jam": "jams",
    "wilson": "jams",
    "load_statistics": "structures",
    "resistance": "structures",
}
__all__ = sorted([*_NAMES, "plots"])


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(f"banquise.analysis.{_NAMES[name]}"), name)
    if name == "plots":
        return importlib.import_module("banquise.analysis.plots")
    from banquise.errors import nearest

    raise AttributeError(f"banquise.analysis has no {name!r}. {nearest(name, __all__)}")
