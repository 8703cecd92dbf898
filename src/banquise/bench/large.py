"""Large scenes: packs of 1,000, 10,000 and 100,000 floes, a channel, a jam; two threads against one; pymunk beside.

The packs are tiles of the reference pack (1,000 outlines of real floes at 65 per cent, `BANQUISE_DATA`), for which the bars
were set, where it is at hand; else of one that is made here. That one is also measured as "crowded": its floes lie
centimetres apart, are half as large and as quick as the others, so they meet twice as often.

Times are CPU times, so that they mean something on a machine that others use too. "Path" is the CPU time of the longest
path through a step: of the thread that calls, and where others had more to do, of the one with the most. On a machine
that is idle the wall clock says the same.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import banquise.bench as registry
from banquise import threads
from banquise.bench import Figure
from banquise.bench.impact import data_folder
from banquise.case import read_scene
from banquise.errors import BanquiseError
from banquise.recording.ledger import LARGEST
from banquise.scenes import large
from banquise.schemes._kernels import TOLERANCE
from banquise.schemes.workspace import MOVING
from banquise.simulation import Simulation

# floes -> steps, bars: ms a step on the path with two threads, times pymunk's step
PACKS: dict[int, tuple[int, float, float]] = {
    1_000: (60, 0.8, 1.5),
    10_000: (24, 8.0, 1.0),
    100_000: (10, 90.0, 1.0),
}
REFERENCE_SIDE = 2 * 1169.71691451  # m
REFERENCE_MOTION = 0.14, 5e-4  # speed (m/s) and spin (rad/s) of its floes, root of the mean square
BIG = 0.05  # part of the CPU time of a step from which on a stage is big
HELPED = 0.1  # part of a big stage that a second thread does at least
JAM_STEP = 5.0  # s
JAM_BUDGET = 600.0  # s of CPU time to lock in
CLOCKED = 5_000  # floes from which on clocks in the stages do not show
BUDGET = 20.0  # s of CPU time that the timed steps of a scene may take; at least 3 are taken


@dataclass
class Timing:
    """Steps of one run: CPU time of all threads, of the longest path, wall (s); stages, and what the ledger says."""

    cpu: list[float] = field(default_factory=list)
    path: list[float] = field(default_factory=list)
    wall: float = 0.0
    simulated: float = 0.0
    stages: dict[str, list[float]] = field(default_factory=dict)
    clocked: int = 0  # steps whose stages these are
    overlapping: int = 0  # steps that left an overlap beyond the tolerance
    window: dict[str, float] = field(default_factory=dict)
    contacts: int = 0

    @property
    def ms(self) -> float:
        """Median CPU time of a step (ms)."""
        return 1e3 * float(np.median(self.cpu))

    @property
    def path_ms(self) -> float:
        return 1e3 * float(np.median(self.path))


def timed_steps(
    sim: Simulation, steps: int, step: float, before: int = 2, budget: float = math.inf, clocks: bool = True
) -> Timing:
    """Take `before` steps to warm up, then `steps` timed ones, fewer when they use the `budget` (s) up.

    Without `clocks` in the stages, which add some 20 microseconds to a step, the path is all the CPU time there is: no less.
    """
    end = sim.time + (before + steps) * step
    for _ in range(before):
        sim.scheme.advance(sim, end)
    sim.ledger.record(0.0)
    out = Timing()
    start, at = time.perf_counter(), sim.time
    for done in range(steps):
        if done >= 3 and sum(out.cpu) > budget:
            break
        clock: AbstractContextManager[dict[str, list[float]]] = threads.recorded() if clocks else nullcontext({})
        with clock as stages:
            cpu, own = time.process_time(), time.thread_time()
            sim.scheme.advance(sim, end)
            own, cpu = time.thread_time() - own, time.process_time() - cpu
        out.cpu.append(cpu)
        out.path.append(own + sum(max(parts) - parts[0] for parts in stages.values()) if clocks else cpu)
        out.clocked += clocks
        for name, parts in stages.items():
            sums = out.stages.setdefault(name, [])
            sums += [0.0] * (len(parts) - len(sums))
            for k, part in enumerate(parts):
                sums[k] += part
        out.overlapping += bool(sim.overlapping)
        out.contacts = max(out.contacts, int(sim.ledger.window["contacts"]))
    out.wall, out.simulated = time.perf_counter() - start, sim.time - at
    out.window = dict(sim.ledger.window)
    return out


def idle_stages(timing: Timing) -> list[str]:
    """Big stages in which one thread does all the work."""
    total = timing.clocked * float(np.mean(timing.cpu))
    return [
        name
        for name, parts in timing.stages.items()
        if sum(parts) > BIG * total and sum(sorted(parts)[:-1]) < HELPED * sum(parts)
    ]


def two_threads(make: Callable[[], Simulation], steps: int, step: float) -> tuple[Simulation, Timing, Timing, bool]:
    """The same steps with one thread and with two: the simulation at the end, both timings, whether the bits agree."""
    asked = threads.threads()
    state = []
    timings: list[Timing] = []
    for count in (1, 2):
        threads.set_threads(count)
        sim = make()
        clocks = sim.bodies.n_free >= CLOCKED
        timing = timed_steps(sim, steps, step, budget=BUDGET if count == 1 else math.inf, clocks=clocks)
        if not clocks:
            more = timed_steps(sim, len(timing.cpu) // 3, step)
            timing.stages, timing.clocked = more.stages, more.clocked
        timings.append(timing)
        steps = len(timings[0].cpu)
        state.append([getattr(sim.bodies, name).copy() for name in MOVING])
    threads.set_threads(asked)
    same = all(np.array_equal(one, other) for one, other in zip(*state))
    return sim, timings[0], timings[1], same


def thread_figures(title: str, one: Timing, two: Timing, same: bool, floes: int) -> list[Figure]:
    """What a second thread is worth; a bar is missed where the bits differ, or where it stands idle in a big stage."""
    idle = idle_stages(two)
    said = f"two threads asked, one works in {', '.join(idle)}" if idle else "both threads work in every big stage"
    gain = one.path_ms / two.path_ms
    large_scene = floes >= 10_000  # smaller stages are not worth waking a thread for
    return [
        Figure(f"{title}: same bits with two threads", same, "", at_least=1),
        Figure(f"{title}: big stages in one thread", len(idle), "", at_most=0 if large_scene else None, note=said),
        Figure(f"{title}: two threads gain", gain, "times", at_least=1.5 if floes >= 100_000 else None, note="paths"),
    ]


def largest_overlap(sim: Simulation) -> float:
    """Largest overlap now, in tolerances of its pair; all pairs are looked at, apart from the scheme's own check."""
    one, other, depth = sim.detector.overlaps(sim.bodies)
    return float((depth / (TOLERANCE * sim.bodies.smaller_size(one, other))).max(initial=0.0))


def scene_figures(title: str, sim: Simulation, timing: Timing, settled: bool = True) -> list[Figure]:
    """What every scene reports; unsolved steps of a jam that settles are counted and shown."""
    w, steps = timing.window, len(timing.cpu)
    return [
        Figure(f"{title}: floes", sim.bodies.n_free, ""),
        Figure(f"{title}: contacts", timing.contacts, "", note="most in a step that carry an impulse"),
        Figure(f"{title}: impacts", w["collisions"], ""),
        Figure(f"{title}: steps", steps, ""),
        Figure(f"{title}: simulated", timing.simulated, "s"),
        Figure(f"{title}: wall", timing.wall, "s"),
        Figure(f"{title}: a step", timing.ms, "ms", note="median CPU"),
        Figure(f"{title}: steps split", w["splits"], ""),
        Figure(f"{title}: largest overlap", w["max_overlap"], "m"),
        Figure(f"{title}: steps with overlap beyond tolerance", timing.overlapping, "", at_most=0),
        Figure(f"{title}: overlap at the end, in tolerances", largest_overlap(sim), "", at_most=1.0),
        Figure(f"{title}: worst residual", w["residual"], "", at_most=1e-6 if settled else None),
        Figure(f"{title}: unsolved", w["unsolved"], "", at_most=0 if settled else None),
    ]


def packs(quick: bool) -> list[Figure]:
    """The packs: one thread and two, stages, growth with the number of floes."""
    figures: list[Figure] = []
    at_one: dict[int, list[float]] = {}
    tile = reference_tile()
    for n, (steps, bar, _) in PACKS.items():
        if quick and n > 10_000:
            break
        title = f"pack-{n // 1000}k"
        scene = large.moving_pack(n) if tile is None else large.moving_pack(n, 0, *REFERENCE_MOTION, tile)
        print(f"  {title} ...", file=sys.stderr, flush=True)
        sim, one, two, same = two_threads(partial(large.drifting_pack, n, scene=scene), steps, 1.0)
        at_one[n] = one.cpu
        figures += scene_figures(title, sim, one)
        figures += [
            Figure(f"{title}: a step, two threads", two.path_ms, "ms", at_most=bar, note="median path"),
            Figure(f"{title}: memory", _gigabytes(), "GB", at_most=3.0, note="peak of the process so far"),
        ]
        figures += thread_figures(title, one, two, same, n)
        figures += stage_figures(title, one, two)
        if registry.peers:
            figures += against_pymunk(title, scene, steps, one, two)
    sizes = sorted(at_one)
    common = min(map(len, at_one.values()))  # the same steps: impacts become fewer as the pack spreads
    least, most = (float(np.median(at_one[size][:common])) for size in (sizes[0], sizes[-1]))
    growth = math.log(most / least) / math.log(sizes[-1] / sizes[0])
    note = f"{sizes[0]} to {sizes[-1]} floes, CPU, their first {common} steps"
    figures.append(Figure("growth exponent", growth, "", at_most=1.1, note=note))
    return figures if tile is None else figures + crowded(quick)


def reference_tile() -> large.Tile | None:
    """The reference pack, None where it is not at hand."""
    folder = data_folder()
    file = None if folder is None else folder / "pack_1000_moving.h5"
    return large.Tile.of(read_scene(file), REFERENCE_SIDE, (0.0, 0.0)) if file is not None and file.exists() else None


def crowded(quick: bool) -> list[Figure]:
    """The packs made here, in which floes meet twice as often, held to the same time a step."""
    figures: list[Figure] = []
    for n in (1_000,) if quick else (1_000, 10_000):
        title = f"crowded-{n // 1000}k"
        print(f"  {title} ...", file=sys.stderr, flush=True)
        sim, one, two, same = two_threads(partial(large.drifting_pack, n), PACKS[n][0], 1.0)
        figures += scene_figures(title, sim, one)
        bar = PACKS[n][1]
        figures.append(Figure(f"{title}: a step, two threads", two.path_ms, "ms", at_most=bar, note="median path"))
        figures.append(Figure(f"{title}: same bits with two threads", same, "", at_least=1))
    return figures


def stage_figures(title: str, one: Timing, two: Timing) -> list[Figure]:
    """CPU time of the stages cut into parts, with one thread, and how much of each a second thread took over."""
    steps = one.clocked
    figures = []
    for name, parts in sorted(one.stages.items(), key=lambda item: -sum(item[1])):
        shared = two.stages.get(name, [0.0])
        helped = 1.0 - max(shared) / max(sum(shared), 1e-12)
        figures.append(Figure(f"{title}: {name}", 1e3 * sum(parts) / steps, "ms", note=f"2nd thread {helped:.0%}"))
    rest = steps * float(np.mean(one.cpu)) - sum(sum(parts) for parts in one.stages.values())
    return [*figures, Figure(f"{title}: the rest, in one thread", 1e3 * rest / steps, "ms")]


def _gigabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**30 if sys.platform == "darwin" else 2**20)


def against_pymunk(title: str, scene: Any, steps: int, one: Timing, two: Timing) -> list[Figure]:
    """pymunk on the same pack: convex hulls, ten iterations, no drag, overlap allowed."""
    peer = pymunk_ms(scene, steps)
    bar = PACKS[len(scene.floes)][2]
    return [
        Figure(f"{title}: pymunk, a step", peer, "ms", note="median CPU, one thread"),
        Figure(f"{title}: over pymunk", two.path_ms / peer, "times", at_most=bar, note="path of two threads"),
        Figure(f"{title}: over pymunk, one thread", one.ms / peer, "times"),
    ]


def pymunk_ms(scene: Any, steps: int, before: int = 2) -> float:
    """Median CPU time (ms) of pymunk's step of 1 s."""
    try:
        import pymunk
    except ImportError:
        raise BanquiseError("bench large --peers: pymunk is not here, pip install 'banquise[peers]'.") from None
    space = pymunk.Space()
    space.iterations = 10
    for floe in scene.floes:
        body = pymunk.Body(floe.mass, floe.inertia)
        x, y = (float(c) for c in floe.centre)
        body.position, body.velocity = (x, y), (float(floe.velocity[0]), float(floe.velocity[1]))
        body.angular_velocity = float(floe.spin)
        hull = pymunk.Poly(body, [(float(p[0]) - x, float(p[1]) - y) for p in floe.ring])
        hull.friction, hull.elasticity = math.sqrt(0.7), math.sqrt(0.35)  # it multiplies those of a pair
        space.add(body, hull)
    times = []
    for _ in range(before + steps):
        start = time.process_time()
        space.step(1.0)
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times[before:]))


def channel(quick: bool) -> list[Figure]:
    """100 floes between two banks."""
    sim = large.channel(100)
    return scene_figures("channel-100", sim, timed_steps(sim, 60 if quick else 600, 1.0, budget=BUDGET))


def jam(quick: bool) -> list[Figure]:
    """1,000 floes blown into a funnel (100 with `quick`) at friction 0.7 and 0.3, until they lock or the time is up."""
    figures: list[Figure] = []
    for friction in (0.7, 0.3):
        title = f"jam-{'100' if quick else '1k'}, friction {friction:g}"
        print(f"  {title} ...", file=sys.stderr, flush=True)
        sim = large.jammed(100 if quick else 1000, friction, JAM_STEP)
        settling = Timing()
        while not locked(sim) and sum(settling.cpu) < (30.0 if quick else JAM_BUDGET):
            part = timed_steps(sim, 20, JAM_STEP, before=0)
            settling = joined_timing(settling, part)
        figures += scene_figures(title, sim, settling, settled=False)
        figures.append(Figure(f"{title}: locked", locked(sim), "", at_least=1 if friction == 0.7 else None))
        if locked(sim):
            figures += locked_figures(title, sim)
    return figures


def in_funnel(sim: Simulation) -> Any:
    """Which floes have not come out of the mouth, at y = 0, to drift away on open water."""
    b, n = sim.bodies, sim.bodies.n_free
    return b.y[:n] > -b.extent[:n]


def locked(sim: Simulation) -> bool:
    """Whether nothing in the funnel moves any more: less than a micrometre a second."""
    b, inside = sim.bodies, np.flatnonzero(in_funnel(sim))
    speed = np.hypot(b.u[inside], b.v[inside]) + b.extent[inside] * np.abs(b.spin[inside])
    return bool(sim.time > 0 and len(inside) and speed.max() < 1e-6)


def joined_timing(one: Timing, other: Timing) -> Timing:
    """Two stretches of a run as one."""
    window = {
        name: (max if name in LARGEST else float.__add__)(float(one.window.get(name, 0.0)), float(value))
        for name, value in other.window.items()
    }
    return Timing(
        one.cpu + other.cpu,
        one.path + other.path,
        one.wall + other.wall,
        one.simulated + other.simulated,
        other.stages,
        other.clocked,
        one.overlapping + other.overlapping,
        window,
        max(one.contacts, other.contacts),
    )


def locked_figures(title: str, sim: Simulation) -> list[Figure]:
    """An hour of a locked jam: residual, time, drift, how steady the load on the banks is."""
    b, inside = sim.bodies, np.flatnonzero(in_funnel(sim))
    start = np.stack([b.x[inside], b.y[inside]])
    loads = []
    whole = Timing()
    for _ in range(6):
        sim.impulses.reset(b)
        whole = joined_timing(whole, timed_steps(sim, round(600 / JAM_STEP), JAM_STEP, before=0))
        loads.append(np.hypot(*sim.impulses.on_obstacles[:, :2].T) / 600.0)
    drift = float(np.hypot(*(np.stack([b.x[inside], b.y[inside]]) - start)).max())
    steady = np.ptp(loads, axis=0) / np.mean(loads, axis=0)
    return [
        Figure(f"{title}: floes in the jam", len(inside), ""),
        Figure(f"{title}: a locked step", whole.ms, "ms", at_most=60.0, note="median CPU"),
        Figure(f"{title}: residual, locked", whole.window["residual"], "", at_most=1e-6),
        Figure(f"{title}: unsolved, locked", whole.window["unsolved"], "", at_most=0),
        Figure(f"{title}: drift in an hour", drift, "m", at_most=1e-6),
        Figure(f"{title}: load on a bank varies by", 100 * float(steady.max()), "%", at_most=1.0),
    ]


def bench(quick: bool) -> list[Figure]:
    """Packs and channel; `banquise bench jam-1k lcp-20 lcp-100 lcp-400` for the rest of the large problems."""
    return [*packs(quick), *channel(quick)]
