"""What a sweep keeps of each run: named measures, each a small dataset."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import CaseError, nearest

if TYPE_CHECKING:
    import xarray as xr


def summary(run: Any, sim: Any) -> dict[str, Any]:
    """Numbers of the whole run."""
    ledger = run.ledger
    return {
        "end": float(run.records["time"][-1]),
        "kinetic_energy_end": float(ledger["kinetic_energy"][-1]),
        "collisions": float(ledger["collisions"].sum()),
        "steps": float(ledger["steps"].sum()),
        "unsolved": float(ledger["unsolved"].sum()),
        "max_overlap": float(ledger["max_overlap"].max()),
        "wall_seconds": float(run.profile.get("wall", np.nan)),
    }


def energy(run: Any, sim: Any) -> dict[str, Any]:
    """Kinetic energy on time, and as a part of free drift."""
    from banquise.analysis.energy import energy_fraction

    found = energy_fraction(run, sim, max_step=getattr(sim.scheme, "max_step", 60.0))
    return {name: found[name] for name in ("kinetic_energy", "fraction", "of_bound")}


def jam(run: Any, sim: Any) -> dict[str, Any]:
    """Whether the ice is jammed at the end, since when, how much of it; the reference is free drift at the end."""
    from banquise.analysis.energy import free_drift
    from banquise.analysis.jams import jam as find

    speed = float(free_drift(run, sim.forcing, getattr(sim.scheme, "max_step", 60.0))["speed"].max())
    found = find(run, speed=speed)
    return {
        "jammed": float(found.jammed),
        "bridged": float(found.bridged),
        "jam_since": found.since,
        "stuck_share": found.history["share"],
    }


def clusters(run: Any, sim: Any) -> dict[str, Any]:
    """Groups in contact on time."""
    from banquise.analysis.groups import clusters as find

    found = find(run)
    return {f"clusters_{name}": found[name] for name in ("count", "alone", "largest", "largest_area")}


def concentration(run: Any, sim: Any) -> dict[str, Any]:
    """Concentration on time in the window of the start that follows the ice."""
    from banquise.analysis.cover import concentration as find

    return {"concentration": find(run)}


def loads(run: Any, sim: Any) -> dict[str, Any]:
    """Mean and largest load on each obstacle (N)."""
    import xarray as xr

    force = np.hypot(run.records["loads"][1:, :, 0], run.records["loads"][1:, :, 1])
    return {
        "load_mean": xr.DataArray(force.mean(axis=0), dims="obstacle"),
        "load_largest": xr.DataArray(force.max(axis=0), dims="obstacle"),
    }


UNITS = {
    "end": "s", "kinetic_energy_end": "J", "collisions": "1", "steps": "1", "unsolved": "1", "max_overlap": "m",
    "wall_seconds": "s", "jammed": "1", "bridged": "1", "jam_since": "s", "load_mean": "N", "load_largest": "N",
}  # fmt: skip
MEASURES = {f.__name__: f for f in (summary, energy, jam, clusters, concentration, loads)}


def check_measures(names: list[str], here: bool = True) -> None:
    """Every name is a measure, or `module:function` of the user's, which can be found where members run on this machine."""
    for name in names:
        if ":" in name and here:
            own_measure(name)  # said now, not when the first member is through
        if ":" not in name and name not in MEASURES:
            raise CaseError(f"measures: no {name!r}. {nearest(name, MEASURES)} Your own: 'module:function'.")


def own_measure(name: str) -> Any:
    """The function that a measure of the user's names; the workers of a cluster may find what this machine does not."""
    module, _, function = name.partition(":")
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as problem:
        raise CaseError(
            f"measures: {name}: {problem}. Expected 'module:function', both to be found by Python."
        ) from None


def measured(names: list[str], run: Any, sim: Any) -> xr.Dataset:
    """The measures of a run of floes, in one dataset."""
    import xarray as xr

    data: dict[str, Any] = {}
    for name in names:
        if ":" in name:
            found = own_measure(name)(run, sim)
        else:
            found = MEASURES[name](run, sim)
        data |= found
    found = xr.Dataset(data)
    for name in UNITS.keys() & found.data_vars.keys():
        found[name].attrs.setdefault("units", UNITS[name])
    return found
