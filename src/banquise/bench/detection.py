"""Detection of packs of 1,000 to 100,000 floes: CPU time of the broad and the narrow phase, memory, growth.

The pack of the data directory where there is one (`BANQUISE_DATA`), else one made here. Bars are 1.3 times what the
algorithms were measured to reach on one core of a 2.45 GHz Zen 3 server. Between the measurements a fixed loop is timed: where
that is slower than at its best, the machine was busy, and so are the other figures too high.
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
from numba import njit

from banquise import threads
from banquise.bench import Figure
from banquise.detection.planar import Detector
from banquise.scene.bodies import Bodies
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scenes.packs import pack_tile, tile

REACH = 1.0  # m
POSE = ("x", "y", "cos", "sin")
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


@njit(cache=True, nogil=True, error_model="numpy")
def _reference(place: Any, x: Any) -> float:
    """A fixed piece of work like detection's: numbers fetched from here and there, branches, roots."""
    total = 0.0
    for k in range(len(place)):
        d = x[place[k]] - x[k]
        if d > 0.1:
            total += math.sqrt(d)
        else:
            total -= d
    return total


class Stopwatch:
    """CPU time of this thread, each measurement next to one of the reference loop."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._loop = rng.permutation(2_000), rng.random(2_000)
        self.loops: list[float] = []
        self.least: dict[str, float] = {}

    def time(self, work: Callable[[], Any]) -> float:
        """Milliseconds of one call."""
        _reference(*self._loop)  # once to fetch its numbers: what others do to the cache is not what the loop is for
        start = time.thread_time()
        _reference(*self._loop)
        middle = time.thread_time()
        work()
        self.loops.append(middle - start)
        return 1e3 * (time.thread_time() - middle)

    def median(self, name: str, work: Callable[[], Any], repeats: int, prepare: Any = None) -> float:
        """Median of many calls (ms); the least is kept under that name."""
        times = []
        for _ in range(repeats):
            if prepare:
                prepare()
            times.append(self.time(work))
        self.least[name] = min(times)
        return statistics.median(times)

    def slowness(self) -> float:
        """Median time of the reference loop over its least: 1 on a machine that nobody else uses."""
        return statistics.median(self.loops) / min(loop for loop in self.loops if loop > 0.0)


def measure(
    across: int, watch: Stopwatch, repeats: int = 9, steps: int = 30, flown: int = 3
) -> tuple[dict[str, float], str]:
    """Stage times (ms, one thread) and counts of one pack; of steps, over so many flights from the same start."""
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
        detector.forget_look()

    found = {"floes": float(n), "contacts": float(len(contacts)), "pairs": float(len(detector.pairs))}
    found["rebuild"] = watch.median("rebuild", lambda: detector.cover(0.5 * zone, zone), repeats, forget_list)
    fresh = Detector(bodies)
    fresh.follow(bodies)
    fresh.cover(0.5 * zone, zone)
    box_gap = fresh.state.until.copy()
    travel = np.zeros(n)
    # nothing remembered, so nothing looked at beyond the reach
    found["narrow"] = watch.median("narrow", lambda: detector.look(zone, travel, 0, 0.0), repeats, forget_pairs)
    if n >= 9_000:
        found["share"] = _two_threads(detector, zone, travel, forget_pairs, found["narrow"], repeats)
    detector.look(zone, travel, 0)
    found["jam"] = watch.median("jam", lambda: detector.look(zone, travel, 0), repeats)

    def move_one() -> None:
        bodies.x[0] += 1e-9
        detector.follow(bodies)

    found["nearly jam"] = watch.median("nearly jam", lambda: detector.look(zone, travel, 0), repeats, move_one)
    found["contacts"] = float(len(contacts))
    found["bytes"] = _bytes(detector) / n

    def follow_and_cover() -> None:
        detector.follow(bodies)
        detector.cover(0.5 * zone, zone)

    start = [getattr(bodies, name).copy() for name in POSE]
    for dt, name in ((0.2, "step"), (1.0, "long step")):
        flights = []
        for _ in range(flown):
            for column, values in zip(POSE, start):
                setattr(bodies, column, values.copy())
            detector = Detector(bodies)  # `follow_and_cover` is about this one now
            detector.contacts(bodies, zone)
            detector.overlaps(bodies)
            flights.append([])
            for _ in range(steps if dt < 1.0 else steps // 3):
                move(bodies, dt)
                cover = watch.time(follow_and_cover)
                look = watch.time(lambda: detector.look(zone, travel, 0))
                flights[-1].append((cover, look, watch.time(lambda: detector.overlaps(bodies))))
        start = [getattr(bodies, column).copy() for column in POSE]
        # the same flight again and again: of each step the median, of the steps the mean
        table = np.median(flights, axis=0)
        found[f"list, {name}"], found[name], found[f"overlap, {name}"] = table.mean(axis=0)
        found[f"{name}, median"] = float(np.median(table[:, 1]))
        watch.least[name] = float(np.min(flights, axis=0)[:, 1].mean())
    return found, source


def _two_threads(
    detector: Detector, zone: Any, travel: Any, forget: Callable[[], None], alone: float, repeats: int
) -> float:
    """CPU time of the narrow phase on one thread (ms, given) over that of the busier of two: the speed-up, were both free."""
    busier = []
    threads.set_threads(2)
    for _ in range(repeats):
        forget()
        with threads.recorded() as stages:
            detector.look(zone, travel, 0, 0.0)
        busier.append(1e3 * max(stages["detection.planar.Detector.look"]))
    threads.set_threads(1)
    return alone / statistics.median(busier)


def _bytes(detector: Detector) -> int:
    arrays = [*detector.shapes, *detector.state, detector.pairs, detector.pose, detector.path, detector.margin]
    return sum(int(array.nbytes) for array in arrays)


def bench(quick: bool = False) -> list[Figure]:
    """Figures of packs of 1,000 and 9,000 floes, and of 100,000 when not quick."""
    before = threads.threads()
    threads.set_threads(1)
    figures: list[Figure] = []
    sizes, times = [], []
    watch = Stopwatch()
    try:
        for across in (1, 3) if quick else (1, 3, 10):
            found, source = measure(across, watch, {1: 99, 3: 25}.get(across, 9), flown={1: 15, 3: 5}.get(across, 3))
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
                ("narrow phase, one floe moves", "nearly jam", bars[4]),
                ("narrow phase, steps of 0.2 s, median", "step, median", None),
                ("overlap of every near pair, steps of 0.2 s", "overlap, step", None),
            ):
                limit = None if bar is None else 1.3 * bar
                least = f"least {watch.least[key]:.4g}, " if key in watch.least else ""
                figures.append(Figure(f"{label}: {name}", found[key], "ms", at_most=limit, note=least + note))
            figures.append(Figure(f"{label}: memory a floe", found["bytes"], "bytes"))
            if "share" in found:
                note = "CPU of one thread over that of the busier of two: wall time tells nothing where others run"
                figures.append(Figure(f"{label}: narrow phase, two threads", found["share"], "times faster", note=note))
            sizes.append(n)
            times.append(found["rebuild"] + found["narrow"])
    finally:
        threads.set_threads(before)
    growth = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    note = "reference loop between all the others, median over least"
    figures.append(Figure("detection: slowness of the machine", watch.slowness(), "", note=note))
    figures.append(Figure("detection: growth exponent", growth, "", at_most=1.1, note=f"{sizes[0]:,} to {sizes[-1]:,}"))
    return figures
