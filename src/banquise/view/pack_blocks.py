"""A run of blocks packed for the player: each shape once, poses in chunks of frames, curves.

As for floes, places are whole numbers of a quantum and speeds and forces of a part of the largest: data to look at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.recording.block_shapes import blocks_from
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.skins import skin_of
from banquise.view.pack import MAX_CHUNK_FRAMES, POSES_PER_CHUNK, SPEED_QUANTA, Columns, Packed
from banquise.view.series import thin

Array = NDArray[np.float64]
QUANTA_PER_BLOCK = 2048  # of the smallest blocks' size: finer than a pixel until one block fills the window
TURN_QUANTA = 2**14
COLOURS = ("speed", "force", "block", "material")


def pack_blocks(run: Any, max_frames: int | None = None) -> Packed:
    """Pack a run of blocks; `max_frames` thins its records evenly (for a notebook or a report)."""
    records = run.records
    frames = thin(len(records["time"]), max_frames or len(records["time"]))
    state = records["state"]
    n = state.shape[2]
    blocks = blocks_from(run.shapes)
    fixed = run.shapes["fixed"].values.astype(bool)
    low, high = _extent(state, blocks, fixed)
    size = np.cbrt(run.shapes["volume"].values)
    quantum = float(np.percentile(size, 5)) / QUANTA_PER_BLOCK
    span = float(np.abs(state[:, :3] - low[:, None]).max(initial=1e-9))
    quantum = max(quantum, span / 2**29)
    speed = np.linalg.norm(state[:, 7:10], axis=1)
    packed = Packed(
        {
            "kind": "blocks",
            "title": str(run.case.get("title", "Banquise run")),
            "version": __version__,
            "bodies": n,
            "frames_per_chunk": int(np.clip(POSES_PER_CHUNK // (2 * max(n, 1)), 8, MAX_CHUNK_FRAMES)),
            "quantum": quantum,
            "origin": low.tolist(),
            "turn_quanta": TURN_QUANTA,
            "share_quanta": SPEED_QUANTA,
            "top": {"speed": _top(speed), "force": _top(state[:, 13])},
            "usual": {"speed": _usual(speed[:, ~fixed]), "force": _usual(state[:, 13, ~fixed])},
            "low": low.tolist(),
            "high": high.tolist(),
            "size": float(np.median(size[~fixed])) if (~fixed).any() else float(np.median(size)),
            "water": run.case.get("water_level"),
            "start": run.case.get("start"),
            "colours": list(COLOURS),
            "colour": "speed",
            "arrays": {},
        }
    )
    packed.add("time", np.asarray(records["time"], dtype=float)[frames])
    packed.add_chunks(_columns(state[frames], speed[frames], packed.meta))
    _add_shapes(packed, run, blocks, low, high)
    _add_curves(packed, run)
    return packed


def _extent(state: Array, blocks: list[Polyhedron], fixed: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Lowest and highest corner of what moves; of what is fixed, only as much as stands beside it."""
    reach = np.array([np.linalg.norm(b.vertices, axis=1).max() + b.radius for b in blocks])
    chosen = ~fixed if (~fixed).any() else np.ones(len(blocks), dtype=bool)
    start = state[0][:3][:, chosen]
    # a block thrown far out of the picture would leave the rest a dot: the box is that of the start, and of the middle 98 %
    some = state[:: max(1, len(state) // 50), :3][:, :, chosen]
    low = np.minimum((start - reach[chosen]).min(axis=1), np.percentile(some - reach[chosen], 1, axis=(0, 2)))
    high = np.maximum((start + reach[chosen]).max(axis=1), np.percentile(some + reach[chosen], 99, axis=(0, 2)))
    return low, high


def _top(values: Array) -> float:
    return float(values.max(initial=0.0))


def _usual(values: Array) -> float:
    """End of a scale: the largest, or what 99.5 % stay below where a few far outrun the rest."""
    top = _top(values)
    usual = float(np.percentile(values, 99.5)) if values.size else 0.0
    return usual if 0 < usual < 0.75 * top else top


def _columns(state: Array, speed: Array, meta: dict[str, Any]) -> Columns:
    """x, y, z, the quaternion, speed and contact force (frames, bodies) as whole numbers."""
    columns: Columns = [
        (np.rint((state[:, k] - meta["origin"][k]) / meta["quantum"]).astype(np.int64), 2) for k in range(3)
    ]
    turn = state[:, 3:7].copy()
    # q and -q are one orientation: the sign is chosen so that it changes little from record to record
    flips = np.where(np.sum(turn[1:] * turn[:-1], axis=1) < 0.0, -1.0, 1.0)
    turn[1:] *= np.cumprod(flips, axis=0)[:, None]
    columns += [(np.rint(turn[:, k] * TURN_QUANTA).astype(np.int64), 2) for k in range(4)]
    for values, name in ((speed, "speed"), (state[:, 13], "force")):
        share = np.sqrt(values / (meta["top"][name] or 1.0))
        columns.append((np.rint(share * SPEED_QUANTA).astype(np.int64), 1))
    return columns


def _add_shapes(packed: Packed, run: Any, blocks: list[Polyhedron], low: Array, high: Array) -> None:
    """Every different shape once, as triangles from the centre of mass with a mark on each sharp edge."""
    known: dict[bytes, int] = {}
    shape_of: list[int] = []
    points: list[Any] = []
    triangles: list[Any] = []
    sharp: list[Any] = []
    for block in blocks:
        key = b"".join(p.corners.tobytes() + np.float64(p.radius).tobytes() for p in block.parts)
        key = key or block.vertices.tobytes() + block.faces.tobytes()
        if key not in known:
            known[key] = len(points)
            corners, faces, marks = skin_of(block)
            points.append(corners)
            triangles.append(faces)
            sharp.append(marks)
        shape_of.append(known[key])
    packed.add("shape", np.array(shape_of, dtype=np.int32))
    packed.add("point_counts", np.array([len(p) for p in points], dtype=np.int32))
    packed.add("triangle_counts", np.array([len(t) for t in triangles], dtype=np.int32))
    packed.add("points", np.concatenate(points).astype(np.float32))
    packed.add("triangles", np.concatenate(triangles).astype(np.int32))
    packed.add("sharp", np.concatenate(sharp).astype(np.uint8))
    shapes = run.shapes
    for name in ("mass", "volume"):
        packed.add(name, shapes[name].values.astype(np.float32))
    fixed = shapes["fixed"].values.astype(np.uint8)
    packed.add("fixed", fixed)
    top = (
        np.array([b.vertices[:, 2].max() if len(b.vertices) else b.radius for b in blocks]) + run.records["state"][0, 2]
    )
    # fixed blocks that stand up beside the others hide them: they are drawn as glass
    packed.add("glass", (fixed.astype(bool) & (top > low[2] + 0.25 * (high[2] - low[2]))).astype(np.uint8))
    materials = sorted({b.material for b in blocks})
    packed.add("material", np.array([materials.index(b.material) for b in blocks], dtype=np.int32))
    packed.meta |= {"materials": materials, "names": {str(k): b.name for k, b in enumerate(blocks) if b.name}}


def _add_curves(packed: Packed, run: Any) -> None:
    chosen = thin(len(run.records["time"]))
    ledger, loads = run.ledger, run.records["loads"]
    curves: list[dict[str, Any]] = [
        {"key": "kinetic_energy", "label": "Kinetic energy", "unit": "J", "values": ledger["kinetic_energy"].values},
        {"key": "contacts", "label": "Contacts", "unit": "", "format": "count", "values": ledger["contacts"].values},
        {"key": "max_overlap", "label": "Largest overlap", "unit": "m", "values": ledger["max_overlap"].values},
    ]
    force = np.linalg.norm(loads[:, :, :3], axis=2)
    if force.any():
        one = int((force.max(axis=0) > 0).sum()) == 1
        which = "on the fixed block" if one else "on the most loaded fixed block"
        curves.append({"key": "load", "label": "Load", "unit": f"N, {which}", "values": force.max(axis=1)})
    packed.meta["curves"] = [{k: v for k, v in c.items() if k != "values"} for c in curves]
    packed.add("curve_time", np.asarray(run.records["time"], dtype=np.float64)[chosen])
    packed.add("curve_values", np.array([np.asarray(c["values"], dtype=np.float32)[chosen] for c in curves]))
