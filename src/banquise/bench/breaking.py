"""What breaking costs: an impact that is looked at and let go, and a storm with and without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from banquise import threads
from banquise.bench import Figure
from banquise.given import counted

# how much has broken after five minutes in the bay differs by a half from one pack to the next
STORMS = {"bay": ((0, 1, 2, 3), 5.0), "open sea": ((0, 3), 10.0)}  # seeds, minutes
OF_ALL = "seconds", "path", "breaking", "breaking_path", "floe_steps"


def bench(quick: bool = False) -> list[Figure]:
    """Figures of breaking in a run; CPU time of all threads, and of the longest path (see `bench.large`)."""
    figures = [screened(200 if quick else 2000)]
    for place, (seeds, minutes) in STORMS.items():
        figures += in_storms(place, 60, 2.0, seeds[:1]) if quick else in_storms(place, 1000, minutes, seeds)
    return figures


def in_storms(place: str, n: int, minutes: float, seeds: tuple[int, ...]) -> list[Figure]:
    """What breaking costs in the storms of one place."""
    figures = []
    paths = f"paths, {counted(threads.threads(), 'thread')}"
    storms = [storm_costs(n, minutes, seed=seed, bay=place == "bay") for seed in seeds]
    for seed, both in zip(seeds, storms):
        broken = both["broken"]
        note = (
            f"{n} floes, {broken['floes']:.0f} after {minutes:g} min, {broken['searches']:.0f} searches, "
            f"{broken['breaks']:.0f} floes broke; {paths}, runs interleaved"
        )
        figures.append(Figure(f"{place}, storm {seed}, unbroken over breaking", _ratio(both, "path"), "1", note=note))
    sums = {
        name: {key: sum(both[name].get(key, 0.0) for both in storms) for key in storms[0]["broken"]}
        for name in ("whole", "broken")
    }
    note = counted(len(seeds), "storm")
    for kind, of, how in (("seconds", "breaking", "CPU"), ("path", "breaking_path", "path")):
        figures += [
            Figure(f"{place}, unbroken, a floe and step, {how}", _cost(sums["whole"], kind), "us", note=note),
            Figure(f"{place}, breaking, a floe and step, {how}", _cost(sums["broken"], kind), "us", note=note),
            Figure(
                f"{place}, of it, looking, searching and cutting, {how}", _cost(sums["broken"], of), "us", note=note
            ),
        ]
    broken = sums["broken"]
    a_search = 1e3 * broken["breaking"] / max(broken["searches"], 1.0)
    return [
        *figures,
        Figure(f"{place}, all that for one search, CPU", a_search, "ms", note=note),
        Figure(f"{place}, searches for a floe that broke", broken["searches"] / max(broken["breaks"], 1.0), "1", note=note),
        # what breaking itself costs; all else that the bar below asks for is contacts of pieces
        Figure(
            f"{place}, steps without and with what breaks, the same floes", 1.0 - broken["breaking_path"] / broken["path"], "1",
            note=f"{note}, {paths}",
        ),
        Figure(f"{place}, unbroken over breaking, CPU of all threads", _ratio(sums, "seconds"), "1", note=note),
        Figure(f"{place}, unbroken over breaking", _ratio(sums, "path"), "1", at_least=0.5, note=paths),
    ]  # fmt: skip


def _cost(of: dict[str, float], kind: str) -> float:
    """Microseconds a floe and step."""
    return 1e6 * of[kind] / of["floe_steps"]


def _ratio(both: dict[str, dict[str, float]], kind: str) -> float:
    """Speed with breaking over that without, a floe and step."""
    return _cost(both["whole"], kind) / _cost(both["broken"], kind)


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


def storm_costs(
    n: int, minutes: float, step: float = 5.0, seed: int = 0, bay: bool = True
) -> dict[str, dict[str, float]]:
    """CPU seconds of a whole storm without and with breaking, of all threads and on the longest path.

    A step of one after a step of the other; both have been through it once before, so that nothing is compiled or loaded.
    """
    from banquise.fracture import Griffith
    from banquise.scenes.fracture import storm

    for _ in range(2):
        sims = {
            name: storm(n=n, law=law, step=step, seed=seed, bay=bay)
            for name, law in (("whole", None), ("broken", Griffith()))
        }
        costs = {name: dict.fromkeys(OF_ALL, 0.0) for name in sims}
        for _step_number in range(2 + round(60 * minutes / step)):
            for name, sim in sims.items():
                (moved, moved_path), (broke, broke_path) = _step(sim, step)
                cost = costs[name]
                cost["seconds"] += moved + broke
                cost["path"] += moved_path + broke_path
                cost["breaking"] += broke
                cost["breaking_path"] += broke_path
                cost["floe_steps"] += sim.bodies.n_free
    costs["broken"]["floes"] = sims["broken"].bodies.n_free
    costs["broken"]["searches"] = sims["broken"].breaking.searches
    costs["broken"]["breaks"] = float(np.isfinite(sims["broken"].breaking.family.end).sum())
    return costs


def _step(sim: Any, step: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """CPU seconds, of all threads and on the path, of a step and of what breaks after it; events are let go, as a run does
    when it has written them."""
    moved = _timed(lambda: sim.scheme.advance(sim, sim.time + step))
    broke = 0.0, 0.0
    if sim.breaking is not None:
        broke = _timed(lambda: sim.breaking.after_step(sim))
        sim.breaking.new_window()
    sim.impulses.events.clear()
    return moved, broke


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    with threads.recorded() as stages:
        cpu, own = time.process_time(), time.thread_time()
        work()
        own, cpu = time.thread_time() - own, time.process_time() - cpu
    return cpu, own + sum(max(parts) - parts[0] for parts in stages.values())
