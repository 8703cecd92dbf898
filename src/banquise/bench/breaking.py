"""What breaking costs: an impact that is looked at and let go, and a storm with and without it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from banquise.bench import Figure


def bench(quick: bool = False) -> list[Figure]:
    """Figures of breaking in a run; CPU time of this process."""
    found = [screened(200 if quick else 2000)]
    n, steps = (60, 6) if quick else (1000, 20)
    whole = storm_cost(n, steps, broken=False)
    broken = storm_cost(n, steps, broken=True)
    note = f"{n} floes at the start, {broken['floes']} at the end, {steps} steps of 5 s, {broken['searches']} searches"
    return [
        *found,
        Figure("storm, unbroken, a floe and step", 1e6 * whole["cost"], "us", note=note),
        Figure("storm, breaking, a floe and step", 1e6 * broken["cost"], "us", note=note),
        Figure("storm, unbroken over breaking", whole["cost"] / broken["cost"], "1", at_least=0.5, note=note),
    ]


def screened(count: int) -> Figure:
    """CPU time of the cheap look at one impact that cannot break anything."""
    from banquise.scenes.fracture import thrown
    from banquise.update.impulses import EVENT_COLUMNS, OBSTACLE_IDS

    sim = thrown(speed=0.01)
    event = np.zeros((1, len(EVENT_COLUMNS)))
    event[0, [0, 3, 6, 10, 12, 14]] = 1.0, OBSTACLE_IDS, 1.0, -1.0, -50.0, 25.0
    sim.impulses.events = [event]
    sim.breaking.after_step(sim)  # compiles, and prices the floe's shortest crack
    spent = []
    for k in range(count):
        event[0, 0] = 2.0 + k
        sim.breaking.seen = 0
        start = time.thread_time()
        sim.breaking.after_step(sim)
        spent.append(time.thread_time() - start)
    return Figure(
        "impact looked at and let go", 1e6 * float(np.median(spent)), "us", at_most=20.0, note=f"{count} impacts"
    )


def storm_cost(n: int, steps: int, broken: bool) -> dict[str, Any]:
    """CPU seconds a floe and step of the first steps of a storm (after two that are not counted)."""
    from banquise.fracture import Griffith
    from banquise.scenes.fracture import predicted_speed, storm

    if broken:
        predicted_speed(0)  # compiles the search, which may come long after the second step
    sim = storm(n=n, law=Griffith() if broken else None)
    floes, start = 0, 0.0
    for k in range(steps + 2):
        if k == 2:
            start = time.process_time()
        sim.scheme.advance(sim, sim.time + 5.0)
        if sim.breaking is not None:
            sim.breaking.after_step(sim)
        floes += sim.bodies.n_free if k >= 2 else 0
    cost = (time.process_time() - start) / floes
    return {"cost": cost, "floes": sim.bodies.n_free, "searches": sim.breaking.searches if broken else 0}
