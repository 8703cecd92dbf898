"""Kernels compile on first use and are kept on disk: say so, so that nobody wonders what takes so long."""

from __future__ import annotations

import os
import sys
import time

from numba.core.event import Event, Listener, register

EVERY = 10.0  # s between lines


class _Note(Listener):
    """Told by Numba when it compiles a function that its cache does not hold, and when it is done."""

    def __init__(self) -> None:
        self.listening = False
        self.done, self.depth = 0, 0
        self.spent, self.began, self.said = 0.0, 0.0, 0.0

    def on_start(self, event: Event) -> None:
        if not self.done and not self.depth:
            self._say("compiling kernels: once, a few minutes, kept on disk ...")
        if self.depth == 0:
            self.began = time.monotonic()
        self.depth += 1

    def on_end(self, event: Event) -> None:
        self.done += 1
        self.depth -= 1
        now = time.monotonic()
        if self.depth == 0:
            self.spent += now - self.began
        if now - self.said > EVERY:
            spent = self.spent + (now - self.began if self.depth else 0.0)
            self._say(f"compiling kernels: {self.done} in {spent:.0f} s ...")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
        self.said = time.monotonic()


_note = _Note()


def say_when_compiling(always: bool = True) -> None:
    """Lines on stderr while kernels are compiled in this process; with `always` false only where somebody looks.

    A command says it always; a script where stderr is a terminal or a notebook. `BANQUISE_NOTES=0` keeps it quiet.
    """
    looked_at = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    if (always or looked_at) and os.environ.get("BANQUISE_NOTES") != "0" and not _note.listening:
        register("numba:compile", _note)
        _note.listening = True
