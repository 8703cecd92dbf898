"""Reports and figures of runs of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from banquise.view.plots import energy
from banquise.view.report import Check, ledger_checks
from banquise.view.style import clock, pyplot, styled, time_axis, unit_axis

OVERLAP_TOLERANCE = 1e-3  # of the smallest block's size: what is pushed apart again at the next step stays far below
RESIDUAL_TOLERANCE = 1e-2  # the largest relative residual that `bq.Contact(tolerance=...)` may ask for


def block_checks(run: Any) -> list[Check]:
    """Overlap, residual, unsolved problems and energy balance, each against its bar."""
    free = run.shapes["fixed"].values == 0
    smallest = float(np.cbrt(run.shapes["volume"].values[free]).min()) if free.any() else 1.0
    return ledger_checks(run, smallest, "block", OVERLAP_TOLERANCE, RESIDUAL_TOLERANCE)


def block_facts(run: Any) -> list[tuple[str, str]]:
    """What was run, as (name, text)."""
    case, times = run.case, run.records["time"]
    fixed = int(run.shapes["fixed"].values.sum())
    level = case.get("water_level")
    rows = [
        ("Run file", str(run.path) if run.path else "kept in memory"),
        ("Written", str(case.get("written", "not stated"))),
        ("Length", f"{clock(float(times[-1]), float(times[-1]))}, {len(times):,} records"),
        ("Blocks", f"{run.bodies:,}, {fixed:,} of them fixed"),
        ("Step", f"{case.get('step', 0.0):g} s"),
        ("Water", "none" if level is None else f"its surface at z = {level:g} m"),
    ]
    rows += [(name.capitalize(), str(case[name])) for name in ("forcing", "contact", "scheme", "seed") if name in case]
    rows.append(("Versions", ", ".join(f"{k} {v}" for k, v in (case.get("versions") or {}).items()) or "not stated"))
    rows.append(("Wall time", f"{run.profile['wall']:.3g} s" if "wall" in run.profile else "not recorded"))
    return rows


def heights(run: Any, ax: Any = None) -> Any:
    """Heights of the centres of the blocks that move, of at most 60 of them."""
    times = run.records["time"]
    scale, unit = time_axis(float(times[-1]))
    free = np.flatnonzero(run.shapes["fixed"].values == 0)[:60]
    with styled():
        ax = pyplot().figure(figsize=(5.2, 3.4)).add_subplot() if ax is None else ax
        ax.plot(times / scale, run.records["state"][:, 2, free], linewidth=0.9)
        ax.set_xlabel(f"time ({unit})")
        ax.set_ylabel("height of the centre")
        unit_axis(ax.yaxis, "m")
        ax.set_title("Heights")
    return ax.figure


FIGURES = {"energy": energy, "heights": heights}
