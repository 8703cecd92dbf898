"""What a run shows beside its floes: curves on time, contacts merged by record interval, wind and current."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from banquise.recording.run_file import Run

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

MAX_CURVE_POINTS = 2000
MAX_CONTACTS = 400_000


def alive(run: Run) -> NDArray[np.bool_]:
    """(time, floe): whether the floe is there."""
    return np.isfinite(run.records["state"][:, 0, :])


def ice_area(run: Run) -> Array:
    """Area of ice at each record (m2)."""
    there = alive(run)
    return there @ run.shapes["area"].values[: there.shape[1]]


def concentration(run: Run) -> tuple[Array, str]:
    """Share of the sea covered by ice at each record, and of which piece of sea: the domain, or the floes' own box."""
    domain = run.case.get("domain")
    if domain:
        sea = (domain["xmax"] - domain["xmin"]) * (domain["ymax"] - domain["ymin"])
        return ice_area(run) / sea, "of the domain"
    state = run.records["state"]
    there = alive(run)
    half = np.sqrt(run.shapes["area"].values[: state.shape[2]] / np.pi)
    spans = []
    for k in (0, 1):
        low = np.where(there, state[:, k] - half, np.inf).min(axis=1, initial=np.inf)
        high = np.where(there, state[:, k] + half, -np.inf).max(axis=1, initial=-np.inf)
        spans.append(high - low)
    sea = spans[0] * spans[1]
    return np.where(
        np.isfinite(sea) & (sea > 0), ice_area(run) / np.where(sea > 0, sea, 1.0), 0.0
    ), "of the box around the floes"


def curves_of(run: Run) -> list[dict[str, Any]]:
    """The curves under the player: key, label, unit and values on the records, those that say something."""
    ledger = run.ledger
    share, of_what = concentration(run)
    curves = [
        {"key": "kinetic_energy", "label": "Kinetic energy", "unit": "J", "values": ledger["kinetic_energy"].values},
        {"key": "collisions", "label": "Collisions", "unit": "per record", "format": "count",
         "values": ledger["collisions"].values},
        {"key": "concentration", "label": "Concentration", "unit": of_what, "format": "percent", "values": share},
    ]  # fmt: skip
    loads = run.records["loads"]
    if loads.ndim == 3 and loads.shape[1]:
        force = np.hypot(loads[:, :, 0], loads[:, :, 1])
        which = "on the obstacle" if loads.shape[1] == 1 else "on the most loaded obstacle"
        curves.append({"key": "load", "label": "Load", "unit": f"N, {which}", "values": force.max(axis=1)})
    count = alive(run).sum(axis=1)
    if len(count) and count.min() != count.max():
        curves.append({"key": "floes", "label": "Floes", "unit": "", "format": "count", "values": count.astype(float)})
    return curves


def thin(n: int, most: int = MAX_CURVE_POINTS) -> NDArray[np.int64]:
    """At most `most` of `n` records, evenly, the last one included."""
    if n <= most:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))


def merged_contacts(run: Run, most: int = MAX_CONTACTS) -> tuple[pd.DataFrame, int]:
    """One row a pair and record interval: when and where its largest impulse fell, and the sum; and how many rows
    were left out beyond `most` (the weakest). Breaks are kept apart, in `breaks_of`.
    """
    table = run.events[run.events["kind"] == "impact"]
    frame = np.searchsorted(run.records["time"], table["time"].to_numpy(), side="left")
    table = table.assign(frame=frame).sort_values("normal_impulse", kind="stable", ascending=False)
    keys = ["frame", "floe_a", "floe_b"]
    total = table.groupby(keys, sort=False)["normal_impulse"].sum()
    rows = table.drop_duplicates(keys).set_index(keys)
    rows["impulse"] = total
    left_out = max(0, len(rows) - most)
    if left_out:
        rows = rows.nlargest(most, "impulse")
    return rows.reset_index().sort_values("time", kind="stable"), left_out


def breaks_of(run: Run) -> pd.DataFrame:
    """The breaks among the events, in time."""
    table = run.events[run.events["kind"] == "break"]
    return table.sort_values("time", kind="stable")


def flow_of(run: Run, name: str) -> Array | None:
    """Recorded uniform part of "wind" or "current" (time, 2), m/s; None when the run has none."""
    flow = run.records.get(name)
    if flow is None:
        return None
    flow = np.asarray(flow, dtype=float)
    return flow if flow.shape == (len(run.records["time"]), 2) and np.isfinite(flow).any() else None


def obstacle_poses(run: Run) -> Array:
    """(time, obstacle, 3): x, y (m) and rotation of each obstacle; where it started when its motion is not recorded."""
    n_times = len(run.records["time"])
    which = run.shapes["obstacle"].values.astype(bool)
    start = np.column_stack([run.shapes["start_x"].values[which], run.shapes["start_y"].values[which]])
    poses = np.zeros((n_times, len(start), 3))
    poses[:, :, :2] = start
    recorded = run.records.get("obstacle_pose")
    if recorded is not None and np.shape(recorded) == poses.shape:
        return np.asarray(recorded, dtype=float)
    return poses
