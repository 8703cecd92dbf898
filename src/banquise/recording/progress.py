"""Progress of a run: a bar on a terminal, plain lines elsewhere, nothing when not asked."""

from __future__ import annotations

import sys
import time as clock
from types import TracebackType
from typing import Any

LINE_SECONDS = 10.0


def said_seconds(value: float) -> str:
    """Six digits as people read them, not 1.728e+07.

    >>> said_seconds(17280000.0), said_seconds(69165.25), said_seconds(0.0125)
    ('17,280,000', '69,165.2', '0.0125')
    """
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:,.6g}"


class Progress:
    """Shows model time, step, who is there and speed while a simulation (with `time` and `at_work`) runs."""

    def __init__(self, shown: bool, simulation: Any, end: float):
        self.shown = shown
        self.simulation = simulation
        self.start, self.end = simulation.time, end
        self.steps = 0
        self.began = self.last = clock.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self.shown and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=Console(stderr=True)
            )
            self._bar.start()
            self._task = self._bar.add_task(self._text(), total=self.end - self.start)
        return self

    def update(self, steps: int = 1) -> None:
        """After each step, or after some."""
        self.steps += steps
        if not self.shown:
            return
        now = clock.monotonic()
        if self._bar is not None:
            if now - self.last > 0.1:
                self._bar.update(self._task, completed=self.simulation.time - self.start, description=self._text())
                self.last = now
        elif now - self.last > LINE_SECONDS:
            print(self._text(), file=sys.stderr, flush=True)
            self.last = now

    def _text(self) -> str:
        sim = self.simulation
        wall = max(clock.monotonic() - self.began, 1e-9)
        speed = (sim.time - self.start) / wall
        share = 100 * sim.time / max(self.end, 1e-300)  # of the whole run, as the times beside it, also after a resume
        pace = f"{speed:,.0f}" if speed >= 1000 else f"{speed:.3g}"
        return (
            f"{said_seconds(sim.time)} of {said_seconds(self.end)} s ({share:.0f} %), step {self.steps:,}, "
            f"{sim.at_work}, {pace} x real time"
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=self.simulation.time - self.start, description=self._text())
            self._bar.stop()
        elif self.shown:
            print(self._text(), file=sys.stderr, flush=True)
