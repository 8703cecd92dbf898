"""Blocks in motion: steps a second of the 105-block wall at rest, its overlap and reaction; a falling heap."""

from __future__ import annotations

import statistics
import time

import numpy as np

from banquise.bench import Figure

GRAVITY = 9.81


def bench(quick: bool = False) -> list[Figure]:
    """All figures of this part."""
    return [*_wall(quick), *_heap(quick)]


def _wall(quick: bool) -> list[Figure]:
    import banquise as bq
    from banquise.scenes.blocks import WALL_CONTACT, wall

    step = 1e-3
    sim = bq.Simulation(
        wall(), bq.Forcing(gravity=(0, 0, -GRAVITY)), WALL_CONTACT, scheme=bq.TimeStepping(step), sweeps=50
    )
    sim.run(until=50 * step, every=50 * step)
    rates, overlap, run = [], 0.0, None
    for _ in range(2 if quick else 9):
        began = time.process_time()
        run = sim.run(until=sim.time + 25 * step, every=25 * step)
        rates.append(25 / (time.process_time() - began))
        overlap = max(overlap, float(run.ledger.max_overlap.max()))
    assert run is not None and sim.touching is not None
    weight = GRAVITY * float(sim.columns.mass[sim.columns.free].sum())
    reaction = -float(run.loads.force_z[-1, :2].sum())
    note = f"{len(sim.touching.gap)} points, step {step:g} s, tolerance {WALL_CONTACT.tolerance:g}, CPU time"
    return [
        Figure("wall of 105 blocks, steps a second", statistics.median(rates), "1/s", at_least=200.0, note=note),
        Figure("wall, deepest overlap", 1e3 * overlap, "mm", at_most=0.01),
        Figure("wall, base reaction off by", abs(reaction / weight - 1.0), "1", at_most=1e-4),
    ]


def _heap(quick: bool) -> list[Figure]:
    import banquise as bq
    from banquise.scenes.blocks import heap

    n = 100 if quick else 400
    sim = bq.Simulation(
        heap(n), bq.Forcing(gravity=(0, 0, -GRAVITY)), bq.Contact(friction=0.5, restitution=0.0, tolerance=1e-3),
        scheme=bq.TimeStepping(5e-3), sweeps=50,
    )  # fmt: skip
    began = time.process_time()
    run = sim.run(until=0.5 if quick else 2.0, every=0.1)
    spent = time.process_time() - began
    steps = float(run.ledger.steps.sum())
    free = sim.columns.free
    speed = float(np.linalg.norm(sim.columns.velocity[free, :3], axis=1).max())
    return [
        Figure(f"heap of {n}, milliseconds a step", 1e3 * spent / steps, "ms", note="CPU time"),
        Figure(f"heap of {n}, deepest overlap", 1e3 * float(run.ledger.max_overlap.max()), "mm"),
        Figure(f"heap of {n}, fastest block at the end", speed, "m/s"),
    ]
