"""Detection of packs of 1,000 to 100,000 floes: CPU time of the broad and the narrow phase, memory, growth.

The pack of the data directory where there is one (`BANQUISE_DATA`), else one made here. Bars are 1.3 times what the
algorithms were measured to reach on one core of a 2.45 GHz Zen 3 server.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from banquise import threads
from banquise.bench import Figure
from banquise.detection.planar import Detector
from banquise.scene.bodies import Bodies
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scenes.packs import pack_tile, tile

REACH = 1.0  # m
# ms: rebuild, every near pair, steps of 0.2 s and of 1 s, nothing moves
BARS = {
    1_000: (0.27, 0.30, 0.08, 0.21, 0.017),
    9_000: (2.8, 4.3, 1.5, 3.5, 0.27),
    100_000: (26.0, 53.0, 14.7, 35.0, 7.7),
}


def pack(across: int) -> tuple[Bodies, str]:
    """The benchmark pack, across x across tiles of 1,000 floes, and where it comes from."""
    data = Path(os.environ.get("BANQUISE_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))
    file = data / "pack_1000_moving.h5"
    if file.exists():
        return tile(read_floedyn(file).bodies(), 2 * 1169.71691451, across), "catalogue outlines"
    scene, side = pack_tile()
    return tile(scene.bodies(), side, across), "generated"


def move(bodies: Any, dt: float) -> None:
    """Free flight."""
    bodies.x += dt * bodies.u
    bodies.y += dt * bodies.v
    c, s = np.cos(dt * bodies.spin), np.sin(dt * bodies.spin)
    bodies.cos, bodies.sin = bodies.cos * c - bodies.sin * s, bodies.sin * c + bodies.cos * s


def _cpu(work: Callable[[], Any], repeats: int, prepare: Callable[[], Any] | None = None) -> float:
    """Median CPU time of this thread (ms)."""
    times = []
    for _ in range(repeats):
        if prepare:
            prepare()
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return 1e3 * statistics.median(times)


def measure(across: int, repeats: int = 9, steps: int = 30) -> tuple[dict[str, float], str]:
    """Stage times (ms, one thread) and counts of one pack."""
    bodies, source = pack(across)
    n = len(bodies)
    zone = np.full(n, REACH)
    detector = Detector(bodies)
    contacts = detector.contacts(bodies, zone)
    detector.overlaps(bodies)

    def forget_list() -> None:
        detector.margin[:] = -np.inf

    def forget_pairs() -> None:
        detector.state.until[:] = box_gap
        detector.state.known_until[:] = -np.inf
        detector.state.seen[:] = 0

    found = {"floes": float(n), "contacts": float(len(contacts)), "pairs": float(len(detector.pairs))}
    found["rebuild"] = _cpu(lambda: detector.cover(0.5 * zone, zone), repeats, forget_list)
    fresh = Detector(bodies)
    fresh.follow(bodies)
    fresh.cover(0.5 * zone, zone)
    box_gap = fresh.state.until.copy()
    travel = np.zeros(n)
    # nothing remembered, so nothing looked at beyond the reach
    found["narrow"] = _cpu(lambda: detector.look(zone, travel, 0, 0.0), repeats, forget_pairs)
    detector.look(zone, travel, 0)
    found["jam"] = _cpu(lambda: detector.look(zone, travel, 0), repeats)
    found["contacts"] = float(len(contacts))
    found["bytes"] = _bytes(detector) / n
    for dt, name in ((0.2, "step"), (1.0, "long step")):
        look, overlap, rebuild = [], [], []
        for _ in range(steps if dt < 1.0 else steps // 3):
            move(bodies, dt)
            start = time.thread_time()
            detector.follow(bodies)
            detector.cover(0.5 * zone, zone)
            middle = time.thread_time()
            detector.look(zone, travel, 0)
            end = time.thread_time()
            detector.overlaps(bodies)
            overlap.append(time.thread_time() - end)
            look.append(end - middle)
            rebuild.append(middle - start)
        found[name] = 1e3 * statistics.mean(look)
        found[f"overlap, {name}"], found[f"list, {name}"] = (
            1e3 * statistics.mean(overlap),
            1e3 * statistics.mean(rebuild),
        )
    return found, source


def _bytes(detector: Detector) -> int:
    arrays = [*detector.shapes, *detector.state, detector.pairs, detector.pose, detector.path, detector.margin]
    return sum(int(array.nbytes) for array in arrays)


def bench(quick: bool = False) -> list[Figure]:
    """Figures of packs of 1,000 and 9,000 floes, and of 100,000 when not quick."""
    before = threads.threads()
    threads.set_threads(1)
    figures: list[Figure] = []
    sizes, times = [], []
    try:
        for across in (1, 3) if quick else (1, 3, 10):
            found, source = measure(across)
            n = int(found["floes"])
            bars = BARS.get(n, (None,) * 5)
            label = f"detection {n:,}"
            note = f"{source}, reach {REACH:g} m, CPU of one thread, {found['contacts']:.0f} contacts"
            for name, key, bar in (
                ("neighbour list, one rebuild", "rebuild", bars[0]),
                ("narrow phase, no memory", "narrow", bars[1]),
                ("narrow phase, steps of 0.2 s", "step", bars[2]),
                ("narrow phase, steps of 1 s", "long step", bars[3]),
                ("narrow phase, nothing moves", "jam", bars[4]),
                ("overlap of every near pair, steps of 0.2 s", "overlap, step", None),
            ):
                limit = None if bar is None else 1.3 * bar
                figures.append(Figure(f"{label}: {name}", found[key], "ms", at_most=limit, note=note))
            figures.append(Figure(f"{label}: memory a floe", found["bytes"], "bytes"))
            sizes.append(n)
            times.append(found["rebuild"] + found["narrow"])
    finally:
        threads.set_threads(before)
    growth = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    figures.append(Figure("detection: growth exponent", growth, "", at_most=1.1, note=f"{sizes[0]:,} to {sizes[-1]:,}"))
    return figures
