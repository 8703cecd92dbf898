"""banquise check: everything that can be found wrong before a long run."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from banquise.commands import options

HELP = "find what is wrong with a case before a long run"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", help="case file (TOML)")
    options.json(parser, "the findings")


def findings(case: Any) -> list[tuple[str, str]]:
    """(level, text), errors first; level is "error" or "note"."""
    from banquise.errors import BanquiseError
    from banquise.given import counted
    from banquise.placing import check_closing, named
    from banquise.recording.recorder import check_place
    from banquise.recording.schedule import planned
    from banquise.scene.scene import area_of
    from banquise.units import duration

    found: list[tuple[str, str]] = []
    try:
        if case.until is None:
            raise BanquiseError('run: until is missing. Say how long to run, such as until = "2 h".')
        until = duration(case.until, "run.until")
        if until <= 0:
            raise BanquiseError(f"run.until: got {case.until!r}, expected a time above 0.")
        every = duration(case.every, "run.every") if case.every is not None else until / 100
        if every <= 0:
            raise BanquiseError(f"run.every: got {case.every!r}, expected a time above 0.")
        if every > until:
            found.append(
                ("note", f"every ({every:g} s) is longer than until ({until:g} s): start and end are recorded.")
            )
        if case.output is not None:
            check_place(Path(case.output))
        planned(0.0, until, every)
        simulation = case.simulation()
        simulation.forcing.check(len(case.scene.floes), until)
        if not case.scene.blocks:
            check_closing(case.scene, until, simulation.fracture is not None)
        if not case.scene.blocks and simulation.projection is not None:
            found.append(("note", simulation.projection.describe(area_of(case.scene, simulation.bodies)) + "."))
        for name in ("wind", "current"):
            source = getattr(getattr(simulation.forcing, name), "source", None)
            if source is not None and (gap := source.gap()):
                found.append(("note", f"{name}: {gap} ({source.where})."))
        records = math.ceil(until / every - 1e-9) + 1  # the end is recorded too
        size = records * (60 * len(case.scene.floes) + 160 * len(case.scene.blocks))
        text = f"{simulation.crowd}, {counted(records, 'record')}, about {_bytes(size)} before compression."
        found.append(("note", text))
        if case.scene.blocks:
            found.append(("note", f"about {math.ceil(until / simulation.step):,} steps of {simulation.step:g} s."))
    except BanquiseError as problem:
        found.append(("error", str(problem)))
    if case.scene.blocks:
        found += _block_findings(case.scene.blocks)
        return sorted(found, key=lambda f: f[0] != "error")
    found += _out_of_place(case)
    for i, j, area in case.scene.overlaps():
        pair = f"{named(case.scene, i)} and {named(case.scene, j)}"
        found.append(("error", f"{pair} overlap by {area:.4g} m2. Move one of them apart."))
    return sorted(found, key=lambda f: f[0] != "error")


def _bytes(size: float) -> str:
    """A size that one can picture."""
    unit, name = next((u, n) for u, n in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if size >= u or n == "kB")
    return f"{size / unit:.3g} {name}"


def _out_of_place(case: Any) -> list[tuple[str, str]]:
    """Floes that reach over a wall of the box or lie outside the domain, and loads that act beside their floe."""
    import numpy as np

    from banquise.placing import out_of_sight, over_walls

    scene = case.scene
    found = [("error", text) for text in over_walls(scene)] + [("note", text) for text in out_of_sight(scene)]
    for k, load in enumerate(case.forcing.loads):
        if load.point is not None and load.floe < len(scene.floes):
            floe = scene.floes[load.floe]
            reach = float(np.linalg.norm(floe.ring - floe.centre, axis=1).max()) + floe.radius
            if np.hypot(*load.point) > 1.001 * reach:
                text = f"forcing.loads[{k}]: point {tuple(load.point)} lies beside floe {load.floe}"
                found.append(("note", f"{text}; points are metres from the floe's centre of mass."))
    return found


def _block_findings(blocks: Any) -> list[tuple[str, str]]:
    """Blocks that overlap deeper than a step would let them, and scenes in which nothing can move."""
    from banquise.blocks.overlaps import overlaps, said

    found = [("error", said(*pair)) for pair in overlaps(blocks)]
    if all(block.fixed for block in blocks):
        found.append(("error", "all blocks are fixed: nothing can move."))
    return found


def _glacier_findings(case: Any) -> list[tuple[str, str]]:
    """What `banquise glacier run` would stop at before its first step, or how much it has to do."""
    from banquise.errors import BanquiseError
    from banquise.given import counted

    try:
        plan = case.plan()
    except BanquiseError as problem:
        return [("error", f"run: {problem}")]
    size = plan.records * 8 * (4 * case.glacier.nodes + 3)  # four fields on the nodes, two forces and the time
    text = f"{counted(case.glacier.nodes, 'node')}, {counted(plan.records, 'record')}, about {_bytes(size)}."
    steps = f"{counted(plan.steps, 'step')} of {plan.step:.4g} s."
    return [("note", note) for note in (*plan.notes, text, steps)]


def summary(run: Any) -> dict[str, Any]:
    """A run in numbers, for programs."""
    ledger = run.ledger
    return {
        "output": None if run.path is None else str(run.path),
        **{f"{what}s": int(run.dataset.sizes[what]) for what in ("floe", "block") if what in run.dataset.sizes},
        "records": int(run.dataset.sizes["time"]),
        "time": float(run.dataset.time[-1]),
        "kinetic_energy": float(ledger.kinetic_energy[-1]),
        "balance": float(ledger.balance[-1]),
        "collisions": int(ledger.collisions.sum()),
        "unsolved": int(ledger.unsolved.sum()),
        "max_overlap": float(ledger.max_overlap.max()),
        "residual": float(ledger.residual.max()),
        "steps": int(ledger.steps.sum()),
        "profile": run.profile,
    }


def run(args: argparse.Namespace) -> int:
    import json

    from banquise.case import load_case
    from banquise.errors import BanquiseError
    from banquise.given import read_toml
    from banquise.glacier.case import read_case

    try:
        if "glacier" in read_toml(args.case):
            found = _glacier_findings(read_case(args.case))
        else:
            found = findings(load_case(args.case))
    except BanquiseError as problem:  # nothing to check: a program gets it as it gets the other findings
        if not args.json:
            raise
        found = [("error", str(problem))]
    bad = any(level == "error" for level, _ in found)
    if args.json:
        print(json.dumps({"ok": not bad, "findings": [{"level": a, "text": b} for a, b in found]}))
    else:
        for level, text in found:
            print(f"{level}: {text}")
        print(f"{args.case}: {'not ready' if bad else 'ready to run'}")
    return 2 if bad else 0
