"""A run of a glacier packed for the player, and its part of a report: forces, displacement, what was run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.glacier.plots import plot_run
from banquise.glacier.stored import ChainRun
from banquise.view.pack import Packed
from banquise.view.report import Check
from banquise.view.series import thin

Array = NDArray[np.float64]

QUANTA = 30_000  # of the largest displacement, velocity and force
VALUES_PER_CHUNK = 500_000
SHOWN = 0.03  # of the length of the chain: how far the largest displacement is drawn
MEETING = 0.4  # of a block: how much shorter or longer one is drawn at most
IMPULSE_TOLERANCE = 1e-12
COLOURS = ("displacement", "velocity", "bed force", "thickness")


def pack_glacier(run: ChainRun, max_frames: int | None = None) -> Packed:
    """Pack a run of the chain; `max_frames` thins its records evenly."""
    data = run.dataset
    frames = thin(data.sizes["time"], max_frames or data.sizes["time"])
    slide = float(data.attrs["equilibrium_speed"])
    columns = [
        np.asarray(data["displacement"].values, dtype=float)[frames],
        np.asarray(data["velocity"].values, dtype=float)[frames] - slide,
        np.asarray(data["bed_force"].values, dtype=float)[frames],
    ]
    most = [float(np.abs(c).max(initial=0.0)) or 1.0 for c in columns]
    thickness = data["thickness"].values
    bed = _bed(data)
    nodes = data.sizes["node"]
    length = float(data["weight"].sum())
    packed = Packed(
        {
            "kind": "glacier",
            "title": run.case["title"],
            "version": __version__,
            "bodies": nodes,
            "blocks": max(1, nodes - 1),
            "frames_per_chunk": int(np.clip(VALUES_PER_CHUNK // nodes, 8, 500)),
            "colours": list(COLOURS),
            "colour": "displacement",
            "start": None,
            "arrays": {},
            "length": length,
            "friction": str(data.attrs.get("friction", "")),
            "slide": slide,
            "slope": float(np.tan(np.radians(data["slope"].values[-1]))),
            "units": [m / QUANTA for m in most],
            "exaggeration": _exaggeration(columns[0], data["x"].values, length),
            "scales": {
                **{name: [-m, m] for name, m in zip(COLOURS, most)},
                "thickness": _spread(thickness),
                "contact": _largest(data["contact_force"].values),
                "seismic": _largest(data["seismic_force"].values),
            },
            "top": float((bed + thickness).max()),
        }
    )
    packed.add("time", np.asarray(data["time"].values, dtype=float)[frames])
    for name, values in (("x", data["x"].values), ("thickness", thickness), ("bed", bed)):
        packed.add(name, np.asarray(values, dtype=np.float64))
    for name, column in (("contact", "contact_force"), ("seismic", "seismic_force")):
        packed.add(name, np.asarray(data[column].values, dtype=np.float64)[frames])
    _add_iceberg(packed, data, frames)
    packed.meta["extent"] = _extent(packed.meta, bed, thickness)
    orders = (2, 2, 1)
    packed.add_chunks([(np.rint(c * (QUANTA / m)).astype(np.int64), o) for c, m, o in zip(columns, most, orders)])
    _add_curves(packed, data)
    return packed


def _bed(data: Any) -> Array:
    """Height of the bed at the nodes over the water line (m): the front's ice as if afloat, the slope from there."""
    x, slope = data["x"].values, np.tan(np.radians(data["slope"].values))
    density = float(data.attrs.get("front_density", 920.0))
    rise = np.concatenate([[0.0], np.cumsum(0.5 * (slope[1:] + slope[:-1]) * np.diff(x))])
    return np.asarray(rise - density / 1025.0 * data["thickness"].values[0])


def _exaggeration(displacement: Array, x: Array, length: float) -> int:
    """How many times larger the motion is drawn: seen, but no block drawn inside out. One, two or five times a power of ten."""
    most = float(np.abs(displacement).max(initial=0.0))
    if most == 0:
        return 1
    factor = SHOWN * length / most
    if len(x) > 1:
        strain = np.abs(np.diff(displacement, axis=1)).max(initial=0.0) / float(np.diff(x).min())
        factor = min(factor, MEETING / strain) if strain > 0 else factor
    if not factor >= 1:
        return 1
    power = 10.0 ** np.floor(np.log10(factor))
    return max(1, int(power * max((k for k in (1, 2, 5) if k * power <= factor), default=1)))


def _spread(values: Array) -> list[float]:
    low, high = float(values.min()), float(values.max())
    return [low, high] if high > low else [0.0, high]


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0)) or 1.0


def _add_iceberg(packed: Packed, data: Any, frames: NDArray[np.int64]) -> None:
    if "iceberg_x" not in data:
        return
    for name in ("x", "y", "angle"):
        packed.add(f"berg_{name}", np.asarray(data[f"iceberg_{name}"].values, dtype=np.float64)[frames])
    height = float(data.attrs["iceberg_height"])
    packed.meta["berg"] = {"height": height, "width": height * float(data.attrs["iceberg_aspect"])}
    packed.meta["farthest"] = float(np.nanmin(data["iceberg_x"].values))


def _extent(meta: dict[str, Any], bed: Array, thickness: Array) -> list[float]:
    """The ice, some sea, the iceberg where there is one, and room for curves over and under the chain."""
    sea, low, high = 0.06 * meta["length"], float(bed[0]), meta["top"]
    if "berg" in meta:
        half = 0.5 * float(np.hypot(meta["berg"]["width"], meta["berg"]["height"]))
        sea, high, low = max(sea, half - meta["farthest"]), max(high, 0.6 * half), min(low, -1.6 * half)
    tall = high - low
    return [-sea, 1.03 * meta["length"], low - 0.25 * tall, high + 0.45 * tall]


def _add_curves(packed: Packed, data: Any) -> None:
    chosen = thin(data.sizes["time"])
    front = data["displacement"].values[:, 0]
    curves = [
        ("contact_force", "Contact on the front", "N/m", data["contact_force"].values),
        ("seismic_force", "Seismic force", "N/m", data["seismic_force"].values),
        ("front_displacement", "Front displacement", "m", front),
        ("front_velocity", "Front velocity", "m/s", data["velocity"].values[:, 0]),
    ]
    packed.meta["curves"] = [{"key": k, "label": label, "unit": unit} for k, label, unit, _ in curves]
    packed.add("curve_time", np.asarray(data["time"].values, dtype=np.float64)[chosen])
    packed.add("curve_values", np.array([np.asarray(c[3], dtype=np.float32)[chosen] for c in curves]))


def facts(run: ChainRun) -> list[tuple[str, str]]:
    """What was run, as (name, text)."""
    data, attrs = run.dataset, run.dataset.attrs
    thickness, slope = data["thickness"].values, data["slope"].values
    blocks = max(1, data.sizes["node"] - 1)
    rows = [
        ("Run file", str(run.path) if run.path else "kept in memory"),
        ("Glacier", f"{float(data['weight'].sum()):g} m in {blocks:,} blocks"),
        ("Thickness", _range(thickness, "m")),
        ("Slope", _range(slope, "degrees")),
        ("Friction", str(attrs["friction"])),
        ("Equilibrium speed", f"{attrs['equilibrium_speed']:.4g} m/s"),
        ("Scheme", f"{attrs['scheme']}, step {attrs['step']:.4g} s"),
        ("Length", f"{float(data['time'].values[-1]):g} s, {data.sizes['time']:,} records"),
        ("Largest contact force", f"{_largest(data['contact_force'].values) / 1e6:.5g} MN/m"),
    ]
    if "peak_seismic_force" in attrs:
        peak, when = attrs["peak_seismic_force"], attrs["peak_time"]
        rows.append(("Peak seismic force", f"{peak / 1e6:.7g} MN/m at {when:.4g} s"))
        rows.append(("Front displacement", f"{attrs['front_displacement']:.5g} m at most"))
    if "iceberg_height" in attrs:
        rows.append(("Iceberg", f"{attrs['iceberg_height']:g} m high, aspect {attrs['iceberg_aspect']:g}"))
    return rows


def _range(values: Array, unit: str) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:g} {unit}" if low == high else f"{low:g} to {high:g} {unit}"


def checks(run: ChainRun) -> list[Check]:
    """Balance of impulses, and whether the run gave warnings."""
    attrs = run.dataset.attrs
    found = []
    if "impulse_residual" in attrs:
        left = float(attrs["impulse_residual"])
        found.append(
            Check(
                "Impulse left over",
                f"{left:.2g} of that of the load",
                f"at most {IMPULSE_TOLERANCE:g}",
                left <= IMPULSE_TOLERANCE,
            )
        )
    said = run.case["warnings"]
    found.append(Check("Warnings of the run", str(len(said)), "none", not said))
    return found


def run_figure(run: ChainRun) -> Any:
    """Forces, displacement and velocity at five places, and displacement over time and place."""
    return plot_run(run.dataset)


FIGURES = {"run": run_figure}
