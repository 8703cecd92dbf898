"""Detection of packs of 1,000 to 100,000 floes: CPU time of the broad and the narrow phase, memory, growth.

The pack of the data directory where there is one (`BANQUISE_DATA`), else one made here. Bars are 1.3 times what the
algorithms were measured to reach on one core of a 2.45 GHz Zen 3 server.

The clock of a machine that others use wanders by a half within a minute. So the packs are taken in turn in each of several
rounds, each stage in many short repetitions, a figure is the median over the rounds, and growth is the ratio within a round.
Between the measurements a fixed loop is timed: how much slower it was than at its best is printed for each round, and
beside each figure what it would be without that; the bars are for the figures as measured.
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
from numpy.typing import NDArray

from banquise import threads
from banquise.bench import Figure
from banquise.detection.broad_phase import empty_state
from banquise.detection.planar import Detector
from banquise.scene.bodies import Bodies
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scenes.packs import pack_tile, tile

Times = NDArray[np.float64]  # ms

REACH = 1.0  # m
POSE = ("x", "y", "cos", "sin")
ROUNDS = 5
FLIGHT = 30  # steps of 0.2 s
REPEATS = {1_000: (60, 15), 9_000: (15, 3)}  # in a round: of stages where nothing moves, and flights
STAGES = {
    "rebuild": "neighbour list, one rebuild",
    "narrow": "narrow phase, no memory",
    "step": "narrow phase, steps of 0.2 s",
    "long step": "narrow phase, steps of 1 s",
    "jam": "narrow phase, nothing moves",
    "nearly jam": "narrow phase, one floe moves",
    "list": "paths and list, steps of 0.2 s",
    "long list": "paths and list, steps of 1 s",
    "overlap": "overlap of every near pair, steps of 0.2 s",
}
# ms of these stages in this order, on one thread; then of the first four on two
BARS = {
    1_000: (0.27, 0.30, 0.08, 0.21, 0.017, 0.017, 0.023, 0.048),
    9_000: (2.8, 4.3, 1.5, 3.5, 0.27, 0.27, 0.25, 0.51),
    100_000: (26.0, 53.0, 14.7, 35.0, 7.7, 7.7, 2.6, 4.6),
}
BARS_OF_TWO = {9_000: (2.3, 2.1, 0.9, 2.2), 100_000: (20.0, 31.0, 9.1, 22.0)}


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
    """CPU time, each measurement next to one of the reference loop; with several threads, of the longest way through them."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._loop = rng.permutation(2_000), rng.random(2_000)
        self.loops: list[float] = []

    def time(self, work: Callable[[], Any]) -> float:
        """Milliseconds of one call: of this thread, and what others were busy with while it had to wait."""
        for _ in range(4):  # what the work does to the cache and to the foresight of jumps is not what the loop is for
            _reference(*self._loop)
        start = time.thread_time()
        _reference(*self._loop)
        middle = time.thread_time()
        if threads.threads() == 1:
            work()
            waited = 0.0
        else:
            with threads.recorded() as stages:
                work()
            waited = sum(max(parts) - parts[0] for parts in stages.values())
        end = time.thread_time()
        self.loops.append(middle - start)
        return 1e3 * (end - middle + waited)

    def times(self, work: Callable[[], Any], repeats: int, prepare: Callable[[], None] = lambda: None) -> Times:
        """Milliseconds of many calls."""
        found = []
        for _ in range(repeats):
            prepare()
            found.append(self.time(work))
        return np.array(found)

    def loop(self, since: int) -> float:
        """Median time of the reference loop, from one of its runs on (s)."""
        return statistics.median(self.loops[since:])

    def best(self) -> float:
        """Its least time."""
        return min(loop for loop in self.loops if loop > 0.0)


class Trial:
    """One pack, and the stages of its detection."""

    def __init__(self, across: int) -> None:
        self.bodies, self.source = pack(across)
        self.n = len(self.bodies)
        self.zone, self.travel = np.full(self.n, REACH), np.zeros(self.n)
        self.detector = Detector(self.bodies)
        self.start = [getattr(self.bodies, name).copy() for name in POSE]
        self.begin(self.start)
        for _ in range(FLIGHT):
            move(self.bodies, 0.2)
        self.later = [getattr(self.bodies, name).copy() for name in POSE]

    def begin(self, pose: list[Any]) -> None:
        """Bodies where they were, nothing known of them but their contacts and overlaps."""
        for name, values in zip(POSE, pose):
            setattr(self.bodies, name, values.copy())
        self.forget_all()
        self.follow_and_cover()
        self.box_gap = self.detector.state.until.copy()
        self.contacts = len(self.detector.contacts(self.bodies, self.zone))
        self.detector.overlaps(self.bodies)

    def cover(self) -> None:
        self.detector.cover(self.zone, self.travel)

    def follow_and_cover(self) -> None:
        self.detector.follow(self.bodies, self.zone, self.travel)

    def look(self) -> None:
        self.detector.look(self.zone, self.travel, 0)

    def forget_list(self) -> None:
        self.detector.margin[:] = -np.inf

    def forget_pairs(self) -> None:
        state = self.detector.state
        state.until[:], state.known_until[:], state.seen[:] = self.box_gap, -np.inf, 0
        self.detector.forget_look()

    def forget_all(self) -> None:
        self.detector.pairs, self.detector.state = np.empty((0, 4), np.int32), empty_state(0)
        self.forget_list()
        self.detector.forget_look()

    def move_one(self) -> None:
        self.bodies.x[0] += 1e-9
        self.detector.follow(self.bodies)

    def standing(self, watch: Stopwatch, repeats: int) -> dict[str, Times]:
        """Times of the stages where nothing moves."""
        self.begin(self.start)
        found = {"rebuild": watch.times(self.cover, repeats, self.forget_list)}
        # nothing remembered, so nothing looked at beyond the reach
        detector, zone, travel = self.detector, self.zone, self.travel
        found["narrow"] = watch.times(lambda: detector.look(zone, travel, 0, 0.0), repeats, self.forget_pairs)
        self.look()
        found["jam"] = watch.times(self.look, repeats)
        found["nearly jam"] = watch.times(self.look, repeats, self.move_one)
        return found

    def flying(
        self, watch: Stopwatch, start: list[Any], dt: float, steps: int, repeats: int
    ) -> tuple[Times, Times, Times]:
        """Times (repeats, steps) of list, narrow phase and overlaps: the same free flight again and again."""
        found = np.empty((repeats, steps, 3))
        for repeat in range(repeats):
            self.begin(start)
            for step in range(steps):
                move(self.bodies, dt)
                found[repeat, step] = [
                    watch.time(work)
                    for work in (self.follow_and_cover, self.look, lambda: self.detector.overlaps(self.bodies))
                ]
        return found[:, :, 0], found[:, :, 1], found[:, :, 2]

    def measure(self, watch: Stopwatch, repeats: int, flights: int) -> dict[str, tuple[float, float]]:
        """(typical, least) time of each stage (ms): medians; of steps, the mean over the steps of the medians over flights."""
        found = self.standing(watch, repeats)
        found["list"], found["step"], found["overlap"] = self.flying(watch, self.start, 0.2, FLIGHT, flights)
        found["long list"], found["long step"], _ = self.flying(watch, self.later, 1.0, 10, flights)
        return {
            name: (float(np.median(times, axis=0).mean()), float(np.min(times, axis=0).mean()))
            for name, times in found.items()
        }

    def all_anew(self) -> None:
        """Narrow phase and rebuild, nothing remembered (`forget_pairs`, `forget_list`)."""
        self.detector.look(self.zone, self.travel, 0, 0.0)
        self.cover()

    def after_others(self, watch: Stopwatch, other: Trial, repeats: int) -> dict[str, float]:
        """Time (ms) of all found anew, and of steps of 0.2 and 1 s with paths and list, where the processor has just done the
        same for another pack: medians."""
        self.begin(self.start)
        other.begin(other.start)
        anew = []
        for _ in range(repeats):
            for trial in (other, self):
                trial.forget_pairs()
                trial.forget_list()
                anew.append(watch.time(trial.all_anew))
        found = {"all anew": statistics.median(anew[1::2])}
        for name, dt, steps in (("steps of 0.2 s", 0.2, FLIGHT), ("steps of 1 s", 1.0, 10)):
            flights = []
            for _ in range(1 if self.n > 10_000 else 3):
                for trial in (other, self):
                    trial.begin(trial.start if dt < 1.0 else trial.later)
                for _ in range(steps):
                    for trial in (other, self):
                        move(trial.bodies, dt)
                        flights.append(watch.time(trial.follow_and_cover) + watch.time(trial.look))
            found[name] = float(np.median(np.reshape(flights[1::2], (-1, steps)), axis=0).mean())
        return found


class Rounds:
    """One pack on so many threads: its stages in each of the rounds."""

    def __init__(self, trial: Trial, count: int) -> None:
        self.trial, self.count = trial, count
        self.found: list[dict[str, tuple[float, float]]] = []
        self.loops: list[float] = []
        self.after: list[dict[str, float]] = []  # times where the processor comes from another pack

    def take(self, watch: Stopwatch) -> None:
        """One more round."""
        threads.set_threads(self.count)
        since = len(watch.loops)
        self.found.append(self.trial.measure(watch, *REPEATS.get(self.trial.n, (5, 1))))
        self.loops.append(watch.loop(since))

    def figures(self, best: float) -> list[Figure]:
        """A figure a stage, against 1.3 times its bar."""
        trial, two = self.trial, self.count > 1
        bars = (BARS_OF_TWO if two else BARS).get(trial.n, ())
        figures = []
        for k, name in enumerate(list(STAGES)[: len(bars)] if two else STAGES):
            typical = statistics.median(found[name][0] for found in self.found)
            quiet = statistics.median(found[name][0] * best / loop for found, loop in zip(self.found, self.loops))
            least = min(found[name][1] for found in self.found)
            note = f"least {least:.4g}, over slowness {quiet:.4g}, {trial.source}, reach {REACH:g} m, CPU of "
            note += f"{'two threads' if two else 'one thread'}, {trial.contacts} contacts"
            label = f"detection {trial.n:,}: {STAGES[name]}" + (", two threads" if two else "")
            limit = 1.3 * bars[k] if k < len(bars) else None
            figures.append(Figure(label, typical, "ms", at_most=limit, note=note))
        if not two:
            figures.append(Figure(f"detection {trial.n:,}: memory a floe", _bytes(trial.detector) / trial.n, "bytes"))
        return figures


def _bytes(detector: Detector) -> int:
    shapes = detector.shapes._asdict()
    del shapes["link"]  # in the memory of the blocks
    arrays: list[Any] = [
        *shapes.values(),
        *detector.state,
        detector.pairs,
        detector.pose,
        detector.path,
        detector.margin,
    ]
    return int(sum(array.nbytes for array in arrays))


# stages of looks that are repeated to the last bit
REPEATED = {
    "steps of 0.2 s, the same flight again and again": ("list", "step"),
    "steps of 1 s, the same flight again and again": ("long list", "long step"),
    "all anew, the same floes over and over": ("rebuild", "narrow"),
}


def growth(small: Rounds, large: Rounds) -> list[Figure]:
    """Growth exponents from the smallest pack to the largest: of each round, and of these the median.

    Once where the processor comes from another pack, once of looks repeated to the last bit: of a thousand floes that lie
    where they lay it learns every turn that the search takes, and needs half the time; of nine thousand it does not.
    """
    times = [
        [
            found | {name: sum(seen[stage][0] for stage in stages) for name, stages in REPEATED.items()}
            for found, seen in zip(rounds.after, rounds.found)
        ]
        for rounds in (small, large)
    ]
    figures = []
    for name in times[0][0]:
        exponents = [math.log(b[name] / a[name]) / math.log(large.trial.n / small.trial.n) for a, b in zip(*times)]
        note = f"{small.trial.n:,} to {large.trial.n:,}, median of {len(exponents)} rounds"
        exponent = statistics.median(exponents)
        figures.append(Figure(f"detection: growth exponent, {name}", exponent, "", at_most=1.1, note=note))
    return figures


def bench(quick: bool = False) -> list[Figure]:
    """Figures of packs of 1,000 and 9,000 floes, and when not quick of 100,000 and of two threads."""
    before = threads.threads()
    watch = Stopwatch()
    try:
        threads.set_threads(1)
        trials = [Trial(across) for across in ((1, 3) if quick else (1, 3, 10))]
        between = Trial(2)
        one = [Rounds(trial, 1) for trial in trials]
        two = [] if quick else [Rounds(trial, 2) for trial in trials if trial.n in BARS_OF_TWO]
        for _ in range(ROUNDS):
            for rounds in one + two:
                rounds.take(watch)
            threads.set_threads(1)
            for rounds in one[0], one[-1]:
                rounds.after.append(rounds.trial.after_others(watch, between, 5))
    finally:
        threads.set_threads(before)
    best = watch.best()
    figures = [
        figure for trial in trials for rounds in one + two if rounds.trial is trial for figure in rounds.figures(best)
    ]
    for k in range(ROUNDS):
        slowness = [rounds.loops[k] / best for rounds in one + two]
        note = "reference loop over its least, " + ", ".join(f"{slow:.2f}" for slow in slowness)
        name = f"detection: slowness of the machine, round {k + 1}"
        figures.append(Figure(name, statistics.median(slowness), "times", note=note))
    return figures + growth(one[0], one[-1])
