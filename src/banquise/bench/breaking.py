"""What breaking costs: an impact that is looked at and let go, and a storm with and without it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from banquise.bench import Figure


def bench(quick: bool = False) -> list[Figure]:
    """Figures of breaking in a run; CPU time of this process."""
    n, minutes = (60, 2.0) if quick else (1000, 5.0)
    both = storm_costs(n, minutes)
    whole, broken = both["whole"], both["broken"]
    note = (
        f"{n} floes, {broken['floes']:.0f} at the end of {minutes:g} min, {broken['searches']:.0f} searches, "
        f"{broken['breaks']:.0f} floes broke; whole storm, runs interleaved"
    )
    costs = [1e6 * cost["seconds"] / cost["floe_steps"] for cost in (whole, broken)]
    return [
        screened(200 if quick else 2000),
        Figure("storm, unbroken, a floe and step", costs[0], "us", note=note),
        Figure("storm, breaking, a floe and step", costs[1], "us", note=note),
        Figure(
            "of it, looking, searching and cutting", 1e6 * broken["breaking"] / broken["floe_steps"], "us", note=note
        ),
        Figure(
            "of it, all that for one search", 1e3 * broken["breaking"] / max(broken["searches"], 1.0), "ms", note=note
        ),
        Figure("searches for a floe that broke", broken["searches"] / max(broken["breaks"], 1.0), "1", note=note),
        Figure("storm, unbroken over breaking", costs[0] / costs[1], "1", at_least=0.5, note=note),
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


def storm_costs(n: int, minutes: float, step: float = 5.0) -> dict[str, dict[str, float]]:
    """CPU seconds of a whole storm without and with breaking, a step of one after a step of the other."""
    from banquise.fracture import Griffith
    from banquise.scenes.fracture import storm

    storm(n=60, law=Griffith(), step=step).run(180, every=180)  # compiles all that breaks take
    sims = {"whole": storm(n=n, law=None, step=step), "broken": storm(n=n, law=Griffith(), step=step)}
    costs = {name: {"seconds": 0.0, "breaking": 0.0, "floe_steps": 0.0} for name in sims}
    for k in range(2 + round(60 * minutes / step)):
        for name, sim in sims.items():
            spent = _step(sim, step)
            if k >= 2:  # the first ones compile what is left
                cost = costs[name]
                cost["seconds"] += sum(spent)
                cost["breaking"] += spent[1]
                cost["floe_steps"] += sim.bodies.n_free
    costs["broken"]["floes"] = sims["broken"].bodies.n_free
    costs["broken"]["searches"] = sims["broken"].breaking.searches
    costs["broken"]["breaks"] = float(np.isfinite(sims["broken"].breaking.family.end).sum())
    return costs


def _step(sim: Any, step: float) -> tuple[float, float]:
    """CPU seconds of a step and of what breaks after it; events are let go, as a run does when it has written them."""
    start = time.process_time()
    sim.scheme.advance(sim, sim.time + step)
    moved = time.process_time()
    if sim.breaking is not None:
        sim.breaking.after_step(sim)
        sim.breaking.new_window()
    sim.impulses.events.clear()
    return moved - start, time.process_time() - moved
