"""Benchmark scenes and their figures. `banquise bench` runs them; a part adds its own by a line in BENCHES.

A benchmark is a function `bench(quick: bool) -> list[Figure]`. A figure may carry a bar (`at_most` or `at_least`);
`banquise bench` says which bars hold. Compare ratios within one run: machines are noisy.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

peers = False  # whether to run other codes too; `banquise bench --peers` sets it

BENCHES: dict[str, str] = {
    "foundation": "banquise.bench.foundation:bench",
    "detection": "banquise.bench.detection:bench",
    # name -> module:function
    "glacier": "banquise.bench.glacier:bench",
    "lcp-20": "banquise.bench.solvers:lcp_20",
    "lcp-100": "banquise.bench.solvers:lcp_100",
    "lcp-400": "banquise.bench.solvers:lcp_400",
    "jams": "banquise.bench.solvers:jams",
    "fracture": "banquise.bench.fracture:bench",
    "breaking": "banquise.bench.breaking:bench",
    "view": "banquise.bench.view:figures",
    "blocks": "banquise.bench.blocks:bench",
    "fields": "banquise.bench.fields:bench",
    "blocks-dynamics": "banquise.bench.blocks_dynamics:bench",
    "recording": "banquise.bench.recording:recording",
    "impact": "banquise.bench.impact:bench",
    "large": "banquise.bench.large:bench",
    "jam-1k": "banquise.bench.large:jam",
}


@dataclass(frozen=True)
class Figure:
    """One measured number, with the bar it is held to, if any."""

    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool:
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


def cpu_seconds(work: Callable[[], Any], repeats: int) -> float:
    """Median processor time of this thread for `work()`: what to compare on a machine that others use too."""
    return median_seconds(work, repeats, time.thread_time)


def median_seconds(work: Callable[[], Any], repeats: int = 9, clock: Callable[[], float] = time.perf_counter) -> float:
    """Median wall time of `work()`, or that of another clock, after one call that compiles and warms up."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return statistics.median(times)


def check_names(names: Iterable[str]) -> None:
    """A sentence about the first name that is not a benchmark's."""
    from banquise.errors import CaseError, nearest

    for name in names:
        if name not in BENCHES:
            raise CaseError(f"no benchmark {name!r}. {nearest(name, BENCHES)}")


def run(name: str, quick: bool = False) -> list[Figure]:
    """The figures of one benchmark."""
    check_names([name])
    module, _, function = BENCHES[name].partition(":")
    return list(getattr(importlib.import_module(module), function)(quick))
