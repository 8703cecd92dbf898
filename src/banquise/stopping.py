"""Stopping a run from outside: on SIGINT and SIGTERM it finishes the step, writes a checkpoint and says how to go on."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any


class Stopped(KeyboardInterrupt):
    """A run was stopped by the keyboard, its state saved."""


class StopSignals:
    """While in force, the first SIGINT or SIGTERM only sets `asked`; a second one acts at once."""

    def __init__(self, active: bool):
        # only the main thread may listen to signals; elsewhere they keep what they do now
        self.active = active and threading.current_thread() is threading.main_thread()
        self.asked: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        if self.active:
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        self._before = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()


def leave(number: int, message: str) -> None:
    """End the run: KeyboardInterrupt for the keyboard, exit code 143 for a scheduler's SIGTERM."""
    if number == signal.SIGINT:
        raise Stopped(message)
    print(f"banquise: {message}", file=sys.stderr, flush=True)
    raise SystemExit(128 + number)
