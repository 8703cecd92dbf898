"""Benchmarks of the solvers: random floe problems of 20, 100 and 400 contacts, and the jams."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from banquise.bench import Figure
from banquise.contact.problem import ContactProblem
from banquise.contact.samples import pressed_pack, random_problem, with_mirror_image
from banquise.solvers import frictional, lcp
from banquise.solvers.dense import stewart_trinkle

# Upper ends of what a study of large islands found reachable, ms: (contacts, friction) -> cold, warm.
_JAM_BARS = {
    300: (50.0, 3.0),
    1000: (150.0, 20.0),
    3000: (800.0, 65.0),
    6200: (1860.0, 149.0),
}  # the last: of 5,000, in proportion
# the same to a residual of 1e-3, ms, of its best method
_ROUGH_BARS = {
    "arch_100_0.7": 2.5, "jam_100_0.7": 2.6, "jam_300_0.3": 5.2, "jam_1000_0.3": 24.0, "jam_300_0.7": 101.0,
    "jam_1000_0.7": 1000.0,
}  # fmt: skip
_SIDE_WALL = 1003  # of the jam of 1,000: the obstacle at which it is doubled


def cpu_ms(work: Callable[..., Any], *given: Any, **named: Any) -> tuple[float, Any]:
    """Processor time of one call in ms, and what it returned."""
    start = time.process_time()
    value = work(*given, **named)
    return 1e3 * (time.process_time() - start), value


def _random(contacts: int, count: int, bars: tuple[float | None, float | None], pivot: bool) -> list[Figure]:
    figures = []
    for kind, bodies, bar in (("loose", contacts, bars[0]), ("dense", contacts // 2, bars[1])):
        problems = [random_problem(contacts, bodies, seed=seed) for seed in range(count)]
        tolerance = 1e-9 if contacts <= 100 else None
        frictional.solve(problems[0])
        runs = [cpu_ms(frictional.solve, problem, tolerance=tolerance) for problem in problems]
        worst = max(answer.residual for _, answer in runs)
        figures += [
            Figure(f"chain, {kind}", statistics.median(ms for ms, _ in runs), "ms", at_most=bar, note="median, CPU"),
            Figure(f"chain, {kind}, largest residual", worst, "", at_most=1e-8 if contacts <= 100 else 1e-6),
        ]
        if pivot:
            data = [stewart_trinkle(problem) for problem in problems]
            lcp.solve(*data[0])
            pivoted = [cpu_ms(lcp.solve, *pair) for pair in data]
            worst = max(answer.residual for _, answer in pivoted)
            figures += [
                Figure(f"lcp.solve, {kind}", statistics.median(ms for ms, _ in pivoted), "ms", at_most=bar,
                       note=f"Lemke, n = {4 * contacts}, median, CPU"),
                Figure(f"lcp.solve, {kind}, largest residual", worst, "", at_most=1e-8),
            ]  # fmt: skip
    return figures


def lcp_20(quick: bool = False) -> list[Figure]:
    """1,000 random problems of 20 contacts, one body a contact (loose) and half a body (dense)."""
    return _random(20, 100 if quick else 1000, (0.4, 0.4), pivot=True)


def lcp_100(quick: bool = False) -> list[Figure]:
    """100 contacts."""
    return _random(100, 10 if quick else 60, (40.0, 60.0), pivot=True)


def lcp_400(quick: bool = False) -> list[Figure]:
    """400 contacts: beyond what pivoting is for, the chain alone."""
    return _random(400, 3 if quick else 10, (None, None), pivot=False)


def _jam_files() -> Iterator[tuple[str, ContactProblem]]:
    places = [Path(os.environ["BANQUISE_DATA"])] if "BANQUISE_DATA" in os.environ else []
    places += [parent / "shared" / "data" for parent in Path.cwd().resolve().parents]
    folder = next((place / "jams" for place in places if (place / "jams").is_dir()), None)
    for path in sorted(folder.glob("*_*_0.*.npz")) if folder else ():
        data = np.load(path)
        yield path.stem, ContactProblem.from_rows(
            data["G"], data["ia"], data["ib"], data["minv"][:, 0], data["minv"][:, 2], data["Wf"], data["b"][:, 0],
            data["mu"], reference=float(data["vref"]),
        )  # fmt: skip


def _moved(problem: ContactProblem, seed: int) -> ContactProblem:
    """Loads and gaps changed by 2 per cent at random."""
    rng = np.random.default_rng(seed)
    return problem.replace(
        free_velocity=problem.free_velocity * rng.uniform(0.98, 1.02, problem.free_velocity.shape),
        gap_rate=problem.gap_rate * rng.uniform(0.98, 1.02, problem.contacts),
    )


def _cold_and_warm(name: str, problem: ContactProblem, warm_runs: int) -> list[Figure]:
    m = problem.contacts
    bars = _JAM_BARS[min(_JAM_BARS, key=lambda size: abs(size - m))]
    memory = frictional.SolverMemory()
    frictional.solve(problem, memory=memory)
    cold_ms, cold = cpu_ms(frictional.solve, problem)
    runs = [
        cpu_ms(frictional.solve, _moved(problem, seed), guess=cold.impulses, memory=memory) for seed in range(warm_runs)
    ]
    worst = max(warm.residual for _, warm in runs)
    middle = statistics.median(ms for ms, _ in runs)
    rough_runs = [cpu_ms(frictional.solve, problem, tolerance=1e-3) for _ in range(min(warm_runs, 9))]
    rough_ms, rough = statistics.median(ms for ms, _ in rough_runs), rough_runs[0][1]
    return [
        Figure(f"{name}, cold to 1e-3", rough_ms, "ms", at_most=_ROUGH_BARS.get(name),
               note=f"median of {len(rough_runs)}, CPU, {rough.iterations} steps, residual {rough.residual:.1e}"),
        Figure(f"{name}, cold", cold_ms, "ms", at_most=bars[0], note=f"{m} contacts, {cold.iterations} steps, CPU"),
        Figure(f"{name}, cold, residual", cold.residual, "", at_most=1e-6),
        Figure(f"{name}, warm", middle, "ms", at_most=bars[1], note=f"median of {warm_runs}, CPU"),
        Figure(f"{name}, warm, largest residual", worst, "", at_most=1e-6),
    ]  # fmt: skip


def _sequence(name: str, problem: ContactProblem, steps: int) -> list[Figure]:
    """Steps from memory: each starts from the velocities and gaps of the last, with a gusty push; the geometry stays."""
    free = problem.inverse_mass > 0
    push = np.where(free, np.median(problem.free_velocity[free, 1]), 0.0)
    rng = np.random.default_rng(0)
    memory, guess = frictional.SolverMemory(), None
    times, residuals = [], []
    for _ in range(steps):
        ms, answer = cpu_ms(frictional.solve, problem, guess=guess, memory=memory)
        times.append(ms)
        residuals.append(answer.residual)
        guess, velocity = answer.impulses, answer.velocity.copy()
        approach = problem.relative_velocity(velocity)[:, 0]
        velocity[:, 1] += push * rng.uniform(0.98, 1.02, len(push))
        problem = problem.replace(gap_rate=np.maximum(0.0, problem.gap_rate + approach), free_velocity=velocity)
    note = f"{steps} steps from memory, largest {max(times[1:]):.0f} ms, {sum(e > 1e-6 for e in residuals)} above 1e-6"
    return [
        Figure(f"{name}, in a loop", statistics.median(times[1:]), "ms", at_most=60.0, note=note),
        Figure(f"{name}, in a loop, median residual", statistics.median(residuals), "", at_most=1e-6),
    ]


def jams(quick: bool = False) -> list[Figure]:
    """Locked packs to 1e-6: cold, warm (loads and gaps changed by 2 per cent at random), doubled, and in a loop."""
    problems = dict(_jam_files()) or {"pressed pack, friction 0.3": pressed_pack(10, 10, 0.3)}
    figures = []
    for name in list(problems)[:4] if quick else problems:
        figures += _cold_and_warm(name, problems[name], 2 if quick else 15)
    for name in ("jam_1000_0.3", "jam_1000_0.7", "jam_300_0.7"):
        if name not in problems or quick:
            continue
        figures += _sequence(name, problems[name], 40)
        if name != "jam_300_0.7":
            double = _moved(with_mirror_image(problems[name], _SIDE_WALL), 0)  # symmetric loads: half a problem
            figures += _cold_and_warm(f"{name}, doubled", double, 5)
    return figures
