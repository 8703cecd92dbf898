"""Cost of fracture: screening, meshing, and searching the crack of a struck floe."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from banquise.bench import Figure


def struck_floes(count: int, seed: int = 0) -> list[tuple[Any, Any, Any]]:
    """Floes of 6-15 corners, concave or not, 60-200 m, with a point of their border and the direction of a push."""
    from banquise.scene.floe import Floe

    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        n = int(rng.integers(6, 16))
        angle = (np.arange(n) + rng.uniform(-0.35, 0.35, n)) * 2 * np.pi / n
        reach = rng.uniform(30, 100) * rng.uniform(0.55, 1.2, n)
        ring = np.column_stack([reach * np.cos(angle) * rng.uniform(1, 1.6), reach * np.sin(angle)])
        k = int(rng.integers(n))
        before, corner, after = ring[k - 1], ring[k], ring[(k + 1) % n]
        if rng.random() < 0.5:  # on a side
            point, push = (corner + after) / 2, np.array([corner[1] - after[1], after[0] - corner[0]])
        else:  # on a corner, along its bisector into the ice
            point = corner
            a, b = before - corner, after - corner
            push = a / np.hypot(*a) + b / np.hypot(*b)
            push = push if b[0] * a[1] - b[1] * a[0] > 0 else -push
        out.append((Floe(ring, density=910.0), point, push))
    return out


def bench(quick: bool = False) -> list[Figure]:
    """Figures of the fracture part; CPU time of this thread, one core."""
    from banquise.fracture import Griffith, impact, screen, search
    from banquise.fracture.elasticity import clear_cache

    few = Griffith(border_points=46)  # about 70 candidates from the contact
    many = Griffith(border_points=38)  # about 430 between all border points
    floes = struck_floes(20 if quick else 100)
    warm, point, push = floes[0]
    for ice in (few, many):
        search(warm, impact(warm, point, push, 0.1), ice=ice)
    times: dict[str, list[float]] = {"make": [], "contact": [], "all": [], "screen": []}
    counts: dict[str, list[int]] = {"contact": [], "all": [], "nodes": []}
    for number, (floe, point, push) in enumerate(floes):
        clear_cache()
        hit = _timed(times["make"], impact, floe, point, push, 0.1)
        search(floe, hit, ice=few)  # the factor under the load is kept with the hit
        counts["nodes"].append(len(hit.body.mesh.nodes))
        counts["contact"].append(_timed(times["contact"], search, floe, hit, few).candidates)
        if number % 5 == 0:
            counts["all"].append(_timed(times["all"], search, floe, hit, many, None, "all").candidates)
        screen(floe, 1e3, few)
        _timed(times["screen"], screen, floe, 1e3, few)
    middle = {k: 1e3 * statistics.median(v) for k, v in times.items()}
    note = f"median of {len(floes)} floes, {statistics.median(counts['nodes']):.0f} nodes"
    return [
        Figure("mesh and factor of a struck floe", middle["make"], "ms", note=note),
        Figure(
            "search from the contact",
            middle["contact"],
            "ms",
            at_most=60.0,
            note=f"{note}, {statistics.median(counts['contact']):.0f} candidates",
        ),
        Figure(
            "search between all border points",
            middle["all"],
            "ms",
            at_most=400.0,
            note=f"{len(counts['all'])} floes, {statistics.median(counts['all']):.0f} candidates",
        ),
        Figure("screen of an impact", 1e3 * middle["screen"], "us", at_most=20.0, note="shape seen before"),
    ]


def _timed(into: list[float], work: Any, *arguments: Any) -> Any:
    start = time.thread_time()
    out = work(*arguments)
    into.append(time.thread_time() - start)
    return out
