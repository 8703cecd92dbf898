"""The foundation in figures: a free-motion step of 100,000 floes, memory, the time to import and to answer --help."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from banquise.bench import Figure

STEP = 5.0  # s, of model time


def bench(quick: bool = False) -> list[Figure]:
    """Step time, memory and start-up, each in processes of their own."""
    n = 10_000 if quick else 100_000
    found = json.loads(_python("-m", "banquise.bench.foundation", str(n)))
    repeats = 3 if quick else 7
    bar = None if quick else 0.10
    note = f"{found['threads']} threads, step of {STEP:g} s, uniform wind and water, Coriolis, every floe turning"
    return [
        Figure(f"free-motion step of {n:,} floes, 40 points each", found["wall"], "s", at_most=bar, note=note),
        Figure("the same in processor time, over two cores", found["processor"] / 2, "s", at_most=bar),
        Figure(f"memory of that process in all, {n:,} floes", found["memory"], "GB", at_most=1.5),
        Figure("making the floes", found["floes"], "s"),
        Figure("columns and quadrature points", found["columns"], "s"),
        Figure("import banquise", _median_time(["-c", "import banquise"], repeats), "s", at_most=0.7),
        Figure("import banquise and make a scene", _median_time(["-c", _SCENE], repeats), "s"),
        Figure("banquise --help", _median_time(["-m", "banquise", "--help"], repeats), "s", at_most=0.4),
    ]


_SCENE = "import banquise as bq; bq.Simulation(bq.Scene([bq.Disc((0, 0), 1)]))"


def _python(*arguments: str) -> str:
    """Standard output of a fresh interpreter that sees this package."""
    import banquise

    source = os.path.dirname(os.path.dirname(banquise.__file__))
    paths = os.pathsep.join(p for p in (source, os.environ.get("PYTHONPATH")) if p)
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": paths}
    ).stdout


def _median_time(arguments: Sequence[str], repeats: int) -> float:
    """Median wall time of a fresh interpreter, warm: the first call is not counted."""
    _python(*arguments)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        _python(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _measure(n: int) -> dict[str, float]:
    """In a process of its own, so that its memory is this scene's alone."""
    import resource

    from banquise.forcing.forcing import Forcing
    from banquise.scenes.drift import many_floes
    from banquise.simulation import Simulation
    from banquise.step import free_step
    from banquise.threads import threads

    start = time.perf_counter()
    scene = many_floes(n)
    made = time.perf_counter()
    sim = Simulation(scene, Forcing(wind=(10.0, 0.0), current=(0.0, 0.0), latitude=81.0))
    ready = time.perf_counter()
    free_step(sim, STEP)
    walls, processor = [], []
    for _ in range(9):
        wall, own = time.perf_counter(), time.process_time()
        free_step(sim, STEP)
        walls.append(time.perf_counter() - wall)
        processor.append(time.process_time() - own)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "floes": made - start,
        "columns": ready - made,
        "wall": statistics.median(walls),
        "processor": statistics.median(processor),
        "memory": memory / (1e9 if sys.platform == "darwin" else 1e6),  # bytes there, kB elsewhere
        "threads": threads(),
    }


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))
