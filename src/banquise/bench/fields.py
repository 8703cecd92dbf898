"""How long fields of floes take to make."""

from __future__ import annotations

import statistics
import time
from typing import Any

from banquise.bench import Figure
from banquise.scene.makers.pack import pack
from banquise.scene.makers.voronoi import voronoi

# floes, concentration, side of the box (m), bar (s)
PACKS = ((350, 0.6, 1200.0, 5.0), (2_000, 0.75, 3000.0, 60.0), (10_000, 0.6, 5000.0, 60.0))


def _cpu(make: Any) -> tuple[float, Any]:
    start = time.process_time()
    made = make()
    return time.process_time() - start, made


def bench(quick: bool = False) -> list[Figure]:
    """CPU time of packs at the concentrations users ask for, once compiled; the two large ones when not quick."""
    pack(10, 0.3, (200, 200))
    figures = []
    for n, concentration, side, bar in PACKS[: 1 if quick else 3]:
        repeats = 3 if n < 1000 else 1
        runs = [
            _cpu(lambda k=k, n=n, c=concentration, s=side: pack(n, c, (s, s), max_size=250.0, seed=k))
            for k in range(repeats)
        ]
        label = f"fields: pack of {n:,} at {concentration:.0%}"
        seconds = statistics.median(t for t, _ in runs)
        figures.append(Figure(label, seconds, "s", at_most=bar, note=f"CPU time, median of {repeats}"))
        scene = runs[0][1]
        reached = sum(f.area for f in scene.floes) / side**2
        figures.append(Figure(f"{label}: off the target", abs(reached / concentration - 1), "", at_most=0.005))
        figures.append(Figure(f"{label}: overlaps", float(len(scene.overlaps())), "", at_most=0.0))
    seconds, _ = _cpu(lambda: voronoi(2000, 0.95, (5000.0, 5000.0)))
    figures.append(Figure("fields: 2,000 cells at 95%", seconds, "s"))
    return figures
