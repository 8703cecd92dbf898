"""Checkpoints of blocks: what makes a simulation again, and all that its next step depends on, as bytes."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import RunFileError
from banquise.recording.checkpoint import decode, encode, packed_settings, unpacked_settings
from banquise.recording.recorder import packed, unpacked
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene
from banquise.scene.solids import ConvexPart, Solid

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

_BLOCK = ("density", "position", "orientation", "velocity", "spin", "fixed", "material", "name", "path")


def settings_bytes(sim: BlockSimulation) -> bytes:
    """What makes the simulation again, bit for bit, or why that cannot be: shapes once, blocks, settings."""
    arrays: dict[str, Any] = {}
    try:
        # what the simulation is made with it keeps under the same name, so that none can be forgotten here
        names = [p.name for p in inspect.signature(type(sim)).parameters.values() if p.kind != p.VAR_KEYWORD]
        stored = {name: encode(getattr(sim, name), arrays, name) for name in names if name != "scene"}
        content: dict[str, Any] = {"settings": stored, "blocks": _blocks(sim.scene.blocks, arrays)}
    except RunFileError as problem:
        content, arrays = {"reason": str(problem).removeprefix("checkpoint: ")}, {}
    content["pool"], pools = _pooled(arrays)
    return packed_settings(content, pools)


def _blocks(blocks: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    solids: dict[int, int] = {}
    shapes: list[Any] = []
    rows = []
    for k, block in enumerate(blocks):
        if id(block.solid) not in solids:
            solids[id(block.solid)] = len(shapes)
            shapes.append(encode(_bare(block.solid), arrays, f"solid{len(shapes)}"))
        own = {name: encode(getattr(block, name), arrays, f"block {k}: {name}") for name in _BLOCK}
        rows.append({"solid": solids[id(block.solid)], **own})
    return {"shapes": shapes, "rows": rows}


def _bare(solid: Solid) -> Solid:
    """Without what is worked out when asked for."""
    return replace(solid, parts=tuple(ConvexPart(p.corners, p.triangles, p.radius) for p in solid.parts))


def simulation_from(content: bytes) -> BlockSimulation:
    """The simulation, at its start, from what `settings_bytes` stored."""
    from banquise.blocks.simulation import BlockSimulation

    stored, pools = unpacked_settings(content)
    arrays = _unpooled(stored["pool"], pools)
    solids = [decode(shape, arrays) for shape in stored["blocks"]["shapes"]]
    blocks = []
    for row in stored["blocks"]["rows"]:
        block = object.__new__(Polyhedron)
        block.solid = solids[row["solid"]]
        for name in _BLOCK:
            setattr(block, name, decode(row[name], arrays))
        blocks.append(block)
    settings = {name: decode(value, arrays) for name, value in stored["settings"].items()}
    return BlockSimulation(Scene(blocks=blocks), **settings)


def snapshot(sim: BlockSimulation, plan: dict[str, float]) -> bytes:
    """The state of a simulation and the plan of its run (start, end, every)."""
    window = {"ledger_window": np.array(list(sim.ledger.window.values()))}
    return packed({"plan": np.frombuffer(json.dumps(plan).encode(), np.uint8), **window, **sim.checkpoint()})


def restore(sim: BlockSimulation, content: bytes) -> dict[str, float]:
    """Put the state into a simulation made from the same settings; the plan of the run is given back."""
    stored = unpacked(content)
    plan: dict[str, float] = json.loads(stored.pop("plan").tobytes())
    sim.ledger.window = dict(zip(sim.ledger.window, map(float, stored.pop("ledger_window"))))
    sim.restore(stored)
    return plan


def _pooled(arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Many small arrays as one a type, with the place of each: a file of thousands of members opens slowly."""
    kinds: dict[str, list[Any]] = {}
    places: dict[str, Any] = {}
    for name, array in arrays.items():
        kind = array.dtype.str.strip("<|")
        pool = kinds.setdefault(kind, [])
        places[name] = [kind, len(pool), list(array.shape)]
        pool.append(array.ravel())
    starts = {kind: np.cumsum([0] + [a.size for a in pool]).tolist() for kind, pool in kinds.items()}
    table = {name: [kind, starts[kind][k], shape] for name, (kind, k, shape) in places.items()}
    return table, {kind: np.concatenate(pool) for kind, pool in kinds.items()}


def _unpooled(table: dict[str, Any], pools: dict[str, Any]) -> dict[str, Any]:
    return {
        name: pools[kind][start : start + int(np.prod(shape))].reshape(shape).copy()
        for name, (kind, start, shape) in table.items()
    }
