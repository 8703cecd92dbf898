"""Checkpoints: all that a simulation is at a moment, as bytes, and back into a simulation of the same settings, bit for bit.

State is found, not listed: every attribute of the simulation that is not a setting is stored, through the objects of this
package it holds. So a new part of the state cannot be forgotten; `not_stored` names what would be, and a test wants none.
"""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from banquise.errors import BanquiseError, RunFileError
from banquise.recording.recorder import packed, unpacked

if TYPE_CHECKING:
    from banquise.simulation import Simulation

# made again from the case by Simulation.__init__, or kept in part (detector)
SETTINGS = {
    "scene", "forcing", "contact", "scheme", "fracture", "projection", "obstacles", "obstacle_motion", "detector", "laws",
    "engine",
    "stages",  # wall time, of this leg alone
}  # fmt: skip
# of the detector; the rest is its neighbour list and what it saw last. When the list is made anew changes which pairs are
# looked at ahead, and with it the last bits of a step: so the list goes into the checkpoint too
_FROM_SHAPES = {
    "shapes",
    "_columns",
    "period",
    "bounds",
    "n_free",
    "scale",
    "_scratch",
    "_found",
    "_memory",
    "_look_pairs",
    "_look_overlaps",
    "_most",
}
_PLAIN = (bool, int, float, str, type(None))


def snapshot(sim: Simulation, plan: dict[str, float]) -> bytes:
    """The state of a simulation and the plan of its run (start, end, every)."""
    arrays: dict[str, Any] = {}
    state = {name: encode(value, arrays, name) for name, value in vars(sim).items() if name not in SETTINGS}
    seen = {k: encode(v, arrays, f"detector.{k}") for k, v in vars(sim.detector).items() if k not in _FROM_SHAPES}
    text = json.dumps({"plan": plan, "state": state, "detector": seen})
    return packed({"json": np.frombuffer(text.encode(), np.uint8), **arrays})


def restore(sim: Simulation, content: bytes) -> dict[str, float]:
    """Put the state into a simulation made from the same settings; the plan of the run is given back."""
    arrays = unpacked(content)
    stored = json.loads(arrays.pop("json").tobytes())
    bodies = sim.bodies
    for name, value in stored["state"].items():
        setattr(sim, name, decode(value, arrays))
    if sim.breaking is None:
        sim.bodies = _into(bodies, sim.bodies)
    else:
        sim.fit_bodies(sim.bodies)
    if sim.ocean is not None:
        sim.forcing.current = sim.ocean
    sim.detector.reset(sim.bodies)
    for name, value in stored["detector"].items():
        setattr(sim.detector, name, decode(value, arrays))
    sim.detector._parts = 0  # what the last look wrote is gone: nothing may be taken over from it
    return dict(stored["plan"])


def _into(bodies: Any, stored: Any) -> Any:
    """The stored columns in the arrays of the bodies there are, for others hold on to those."""
    for name, value in vars(stored).items():
        if name in bodies.NOT_STORED:  # an older file may have them all the same
            continue
        there = getattr(bodies, name)
        if isinstance(value, np.ndarray) and there.shape == value.shape and there.dtype == value.dtype:
            there[...] = value
        elif isinstance(value, np.ndarray):
            raise RunFileError("checkpoint: its floes are not those of the simulation.")
    return bodies


def not_stored(sim: Simulation) -> list[str]:
    """Attributes of the simulation that a checkpoint could not hold."""
    arrays: dict[str, Any] = {}
    lost = []
    for name, value in vars(sim).items():
        if name not in SETTINGS:
            try:
                encode(value, arrays, name)
            except RunFileError:
                lost.append(name)
    return lost


def encode(value: Any, arrays: dict[str, Any], where: str) -> Any:
    """A value as plain data; its arrays go to `arrays`. Only what this package made: nothing is run when it is read."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray) and value.dtype != object:
        arrays[where] = value
        return {"array": where}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        columns = [encode(v, arrays, f"{where}.{k}") for k, v in zip(value._fields, value)]
        return {"named": columns, "class": f"{type(value).__module__}:{type(value).__qualname__}"}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encode(v, arrays, f"{where}.{k}") for k, v in enumerate(value)]}
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        return {"dict": {k: encode(v, arrays, f"{where}.{k}") for k, v in value.items()}}
    if isinstance(value, dict):
        return {"table": [encode(entry, arrays, f"{where}.{k}") for k, entry in enumerate(value.items())]}
    if isinstance(value, np.random.Generator):
        return {"random": value.bit_generator.state}
    if type(value).__module__.split(".")[0] == "banquise" and hasattr(value, "__dict__"):
        left = getattr(type(value), "NOT_STORED", ())
        parts = {k: encode(v, arrays, f"{where}.{k}") for k, v in vars(value).items() if k not in left}
        return {"object": parts, "class": f"{type(value).__module__}:{type(value).__qualname__}"}
    raise RunFileError(f"checkpoint: {where} is a {type(value).__name__} and cannot be stored.")


def decode(value: Any, arrays: dict[str, Any]) -> Any:
    """And back."""
    if isinstance(value, _PLAIN):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "complex" in value:
        return complex(*value["complex"])
    if "list" in value:
        return [decode(v, arrays) for v in value["list"]]
    if "tuple" in value:
        return tuple(decode(v, arrays) for v in value["tuple"])
    if "dict" in value:
        return {k: decode(v, arrays) for k, v in value["dict"].items()}
    if "table" in value:
        return dict(decode(entry, arrays) for entry in value["table"])
    if "random" in value:
        generator = np.random.Generator(getattr(np.random, value["random"]["bit_generator"])())
        generator.bit_generator.state = value["random"]
        return generator
    module, _, name = value["class"].partition(":")
    if module.split(".")[0] != "banquise":
        raise RunFileError(f"checkpoint: holds a {value['class']}, which is not ours.")
    kind = getattr(importlib.import_module(module), name)
    if "named" in value:
        return kind(*(decode(v, arrays) for v in value["named"]))
    made = object.__new__(kind)
    made.__dict__.update({k: decode(v, arrays) for k, v in value["object"].items()})
    return made


# ---------------------------------------------------------------- settings


def settings_bytes(sim: Simulation) -> bytes:
    """What makes the simulation again: the tables of its case, floes as columns; or why that cannot be."""
    from banquise.case_tables import tables_of

    arrays: dict[str, Any] = {}
    try:
        tables = tables_of(sim)
        tables["scene"].pop("floes")
        stored: dict[str, Any] = {"tables": tables, "floes": _floe_columns(sim.scene.floes, arrays)}
    except BanquiseError as problem:
        stored = {"reason": str(problem)}
    return packed_settings(stored, arrays)


def packed_settings(stored: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """Settings of a run of floes or blocks as bytes: what JSON holds, and arrays."""
    text = json.dumps(stored, default=_plain)
    return packed({"json": np.frombuffer(text.encode(), np.uint8), **arrays})


def unpacked_settings(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `packed_settings` was given; an error with the reason where the settings could not be stored."""
    arrays = unpacked(content)
    stored: dict[str, Any] = json.loads(arrays.pop("json").tobytes())
    if "reason" in stored:
        raise RunFileError(
            f"the settings of this run could not be stored: {stored['reason']} Make the simulation again as your script "
            "did and hand it over: bq.resume(path, until, simulation=sim)."
        )
    return stored, arrays


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else list(value)


_NUMBERS = ("thickness", "density", "spin", "radius", "water_drag", "air_drag")


def _floe_columns(floes: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    rings = [ring for f in floes for ring in (f.ring, *f.holes)]
    arrays["points"] = np.concatenate(rings) if rings else np.empty((0, 2))
    arrays["ring_points"] = np.array([len(r) for r in rings], dtype=np.int64)
    arrays["floe_rings"] = np.array([1 + len(f.holes) for f in floes], dtype=np.int64)
    arrays["velocity"] = np.array([f.velocity for f in floes], dtype=float).reshape(len(floes), 2)
    for name in _NUMBERS[1:]:
        arrays[name] = np.array([getattr(f, name) for f in floes], dtype=float)
    # not `thickness`, which is volume over area: a rounding away from the number that was given
    arrays["thickness"] = np.array([f.upper - f.lower for f in floes], dtype=float)
    return {"material": [f.material for f in floes], "name": [f.name for f in floes]}


def simulation_from(content: bytes) -> Simulation:
    """The simulation, at its start, from what `settings_bytes` stored."""
    from banquise.case import case_of
    from banquise.scene.floe import Disc, Floe
    from banquise.scene.scene import Scene

    stored, arrays = unpacked_settings(content)
    tables, words = stored["tables"], stored["floes"]
    points = np.split(arrays["points"], np.cumsum(arrays["ring_points"])[:-1])
    floes: list[Floe] = []
    first = 0
    for k, count in enumerate(arrays["floe_rings"]):
        ring, holes = points[first], points[first + 1 : first + count]
        first += count
        options: dict[str, Any] = {name: float(arrays[name][k]) for name in _NUMBERS}
        options |= {
            "velocity": tuple(arrays["velocity"][k]),
            "material": words["material"][k],
            "name": words["name"][k],
        }
        floes.append(
            Disc(ring[0], options.pop("radius"), **options) if len(ring) == 1 else Floe(ring, holes, **options)
        )
    tables["scene"]["floes"] = [{"centre": [0.0, 0.0], "radius": 1.0}]  # a case needs one; the columns take its place
    case = case_of(tables)
    case.scene = Scene(floes, case.scene.obstacles, case.scene.domain)
    return case.simulation()
