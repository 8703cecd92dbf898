"""How fast the chain of blocks goes."""

from __future__ import annotations

import tracemalloc
from typing import Any

from banquise.bench import Figure, cpu_seconds


def bench(quick: bool = False) -> list[Figure]:
    """Block-steps a second, the 25 m case, growth with blocks and steps, memory against steps."""
    from banquise.glacier import Glacier, HalfSine, Smooth, Weertman

    repeats = 3 if quick else 9
    law, load = Weertman(10**6.75), HalfSine(310.75e6, 100.0)
    large = Glacier(25_000.0, 25.0, friction=law)
    steps = 2000 if quick else 5000
    seconds = cpu_seconds(lambda: large.run(load, until=0.02 * steps, step=0.02), repeats)
    rate = large.blocks * steps / seconds / 1e6
    figures = [
        Figure("IMEX, Weertman, 1,000 blocks", rate, "million block-steps/s", at_least=30.0, note="one core, CPU time")
    ]
    small = Glacier(2000.0, 25.0, friction=law)
    seconds = cpu_seconds(lambda: small.run(load, until=100.0, step=0.02), repeats)
    figures.append(
        Figure("25 m blocks, 100 s at 0.02 s", seconds * 1e3, "ms", at_most=50.0, note="run and dataset, compiled")
    )
    # Proportional to blocks x steps: four times either costs four times as much, less what a run costs at all.
    quarter = cpu_seconds(lambda: large.run(load, until=0.02 * steps / 4, step=0.02), repeats)
    whole = cpu_seconds(lambda: large.run(load, until=0.02 * steps, step=0.02), repeats)
    figures.append(Figure("cost of 4 x the steps", whole / quarter, "times", at_most=4.8))
    longer = Glacier(100_000.0, 25.0, friction=law)
    more = cpu_seconds(lambda: longer.run(load, until=0.02 * steps / 4, step=0.02), repeats)
    figures.append(Figure("cost of 4 x the blocks", more / quarter, "times", at_most=4.8))
    figures.append(Figure("memory of 10 x the steps", _memory_ratio(small, load), "times", at_most=1.1))
    smooth = Glacier(2000.0, 25.0, friction=Smooth(10**6.75, nu=1e-7))
    for name, scheme, step in (("IMEX", "imex", 0.02), ("HHT with Newton", "hht", 0.1)):
        seconds = cpu_seconds(lambda s=scheme, dt=step: smooth.run(load, 100.0, scheme=s, step=dt), repeats)  # type: ignore[misc]
        figures.append(Figure(f"{name}, smooth law, 25 m, 100 s at {step} s", seconds * 1e3, "ms"))
    return figures


def _memory_ratio(glacier: Any, load: Any) -> float:
    peaks = []
    for step in (0.02, 0.002):
        glacier.run(load, until=100.0, step=step)
        tracemalloc.start()
        glacier.run(load, until=100.0, step=step)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peaks[1] / peaks[0]
