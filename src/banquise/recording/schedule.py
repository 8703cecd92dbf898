"""When a run records and calls back, and when it saves or stops: what runs of floes and of blocks share."""

from __future__ import annotations

import heapq
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from banquise.errors import BanquiseError, CaseError, in_short, known_keywords
from banquise.given import place_of
from banquise.recording.progress import said_seconds
from banquise.recording.recorder import Recorder
from banquise.stopping import StopSignals, leave
from banquise.units import duration

MOST_RECORDS = 1e8  # of one floe they take ten gigabytes
LONGEST = 1e12  # s, thirty thousand years: there a time has 15 digits before and 4 behind its point


def planned(now: float, until: Any, every: Any) -> tuple[float, float]:
    """End and record interval (s) of a run from `now`; None for `every` makes 100 records."""
    end = duration(until, "until")
    if end <= now:
        raise CaseError(f"until: got {until!r}, the simulation is at {now:g} s already. Expected a later time.")
    if end > LONGEST:
        raise CaseError(f"until: got {until!r}, expected at most {LONGEST:g} s: beyond, time is too coarse for a step.")
    interval = (end - now) / 100 if every is None else duration(every, "every")
    if interval <= 0:
        raise CaseError(f"every: got {every!r}, expected a time above 0.")
    if (end - now) / interval > MOST_RECORDS:
        raise CaseError(
            f"every: got {every!r}, which makes {(end - now) / interval:.3g} records. Expected at most {MOST_RECORDS:g}."
        )
    return end, interval


def begun(
    output: str | Path | None,
    case: dict[str, Any],
    shapes: Callable[[], Any],
    settings: Callable[[], bytes],
    record: Callable[[Recorder], None],
    content: Callable[[], bytes],
) -> Recorder:
    """The recorder of a new run with its start in it: shapes and settings where it has a file, the first record, a
    checkpoint."""
    recorder = Recorder(output)
    if output is not None:
        recorder.start(shapes(), case, settings())
    record(recorder)
    recorder.save(content)
    return recorder


def save_due(recorder: Recorder, stop: StopSignals) -> bool:
    """Whether a piece and a checkpoint are to be written now."""
    return recorder.output is not None and bool(recorder.due or stop.asked)


def save_or_leave(
    recorder: Recorder, stop: StopSignals, now: float, end: float, content: Callable[[], bytes]
) -> None:  # fmt: skip
    """Write a piece and a checkpoint; when asked to stop, stop."""
    recorder.save(content)
    if stop.asked:
        said = f"stopped at {said_seconds(now)} s of {said_seconds(end)} s"
        leave(stop.asked, f"{said}. Go on with: banquise resume {shlex.quote(str(recorder.output))}")


@known_keywords
@dataclass(frozen=True)
class Every:
    """A callback on its own schedule: `call(simulation)` every `interval` (s, or text with units)."""

    interval: Any
    call: Callable[[Any], Any]

    def __post_init__(self) -> None:
        seconds = duration(self.interval, "callback interval")
        if seconds <= 0:
            raise CaseError(f"callback interval: got {self.interval!r}, expected a time above 0.")
        if not callable(self.call):
            raise CaseError(f"callback: got {self.call!r}, expected a function of the simulation.")
        object.__setattr__(self, "interval", seconds)


class Schedule:
    """Instants at which a step must land, in order: (time, whether to record, callbacks to call)."""

    def __init__(self, start: float, end: float, every: float, instants: Iterable[float], callbacks: Sequence[Any]):
        self.start, self.end, self.every = start, end, every
        self.instants = [t for t in instants if start < t < end]
        self.at_records: list[Callable[[Any], Any]] = []
        self.timed: list[Every] = []
        if not np.iterable(callbacks):
            raise CaseError(f"callbacks: got {in_short(callbacks)}, expected a list of functions.")
        for k, callback in enumerate(callbacks):
            if isinstance(callback, Every):
                self.timed.append(callback)
            elif callable(callback):
                self.at_records.append(callback)
            else:
                raise CaseError(f"callbacks[{k}] is {callback!r}, expected a function or bq.Every(interval, function).")

    @staticmethod
    def call(callbacks: Iterable[Callable[[Any], Any]], simulation: Any) -> None:
        """Call back. What a callback raises is its own (it may mean to end the run so); a note says whose it is."""
        for callback in callbacks:
            try:
                callback(simulation)
            except BanquiseError:
                raise
            except Exception as problem:
                where = f"callback {place_of(callback, problem)}, at t = {simulation.time:g} s of the run"
                if problem.__traceback__ is not None and problem.__traceback__.tb_next is None:  # it was never begun
                    raise CaseError(f"{where}: {problem}. Expected a function of the simulation.") from None
                problem.add_note(where)
                raise

    def after(self, now: float) -> Any:
        """The instants later than `now`, for a run that goes on."""
        return (entry for entry in self if entry[0] > now)

    def __iter__(self) -> Any:
        """Record times are start + k every, each computed afresh so that they do not drift; `end` is recorded too.

        Times are rounded to 15 digits: 3 x 0.1 is then 0.3, the number a user writes for the end of a run, so that a
        run taken further goes through the same instants as one that was not stopped there.
        """
        record, instant, timed = 0, 1, 2
        queue: list[tuple[float, int, int]] = [(self.end, record, 0)]
        queue += [(t, instant, 0) for t in self.instants]
        heapq.heapify(queue)

        def push(kind: int, index: int, count: int, interval: float) -> None:
            time = float(f"{self.start + count * interval:.15g}")
            if time < self.end * (1 - 1e-12):
                heapq.heappush(queue, (time, kind, index))

        counts = {(record, 1): 1} | {(timed, k): 1 for k in range(len(self.timed))}
        push(record, 1, 1, self.every)
        for k, callback in enumerate(self.timed):
            push(timed, k, 1, callback.interval)
        while queue:
            time = queue[0][0]
            records, calls = False, []
            while queue and queue[0][0] <= time * (1 + 1e-14):
                _, kind, index = heapq.heappop(queue)
                if kind == record:
                    records = True
                elif kind == timed:
                    calls.append(self.timed[index].call)
                if (kind, index) in counts:
                    counts[kind, index] += 1
                    interval = self.every if kind == record else self.timed[index].interval
                    push(kind, index, counts[kind, index], interval)
            yield time, records, [*(self.at_records if records else []), *calls]
