"""Threads: a stage is cut into fixed blocks, each written by one task, so the bits do not depend on their number.

Kernels are serial, `nogil`, and take (first, last): one compilation serves one thread and many. A Numba
`parallel=True` twin of every kernel would double the time a new user waits for the compiler.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from banquise.errors import CaseError, known_keywords

# HDF5 is not thread safe: every read ahead and every write of ours holds this
FILES = threading.RLock()

_pool: ThreadPoolExecutor | None = None
_threads = 0
_inside = threading.local()  # set in the threads of the pool: what they call runs in one of them
_stages: dict[str, list[float]] | None = None  # CPU seconds of each part of each stage, while somebody asks
_names: dict[Any, str] = {}  # of the stages, by the code of their work


@known_keywords
def set_threads(n: int | None = None) -> int:
    """Use `n` threads from now on (None: BANQUISE_THREADS, or the cores this process may use)."""
    global _pool, _threads
    if n is None:
        n = _wanted() or _cores()
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise CaseError(f"threads: got {n!r}, expected a whole number of 1 or more.")
    if n != _threads:
        if _pool is not None:
            _pool.shutdown(wait=True)
        _pool = ThreadPoolExecutor(n - 1, thread_name_prefix="banquise") if n > 1 else None
        _threads = n
    return n


def _wanted() -> int:
    """BANQUISE_THREADS, 0 when not set."""
    text = os.environ.get("BANQUISE_THREADS", "").strip() or "0"
    if not text.isdigit():
        raise CaseError(f"BANQUISE_THREADS: got {text!r}, expected a whole number of 1 or more.")
    return int(text)


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """How many threads are in use."""
    return _threads or set_threads()


def alone(n: int, grain: int) -> bool:
    """Whether `over_blocks` would do no more than call work(0, n): a caller for whom microseconds count does it itself."""
    return _stages is None and (n < 2 * grain or threads() < 2 or getattr(_inside, "part", False))


def over_blocks(work: Callable[[int, int], Any], n: int, grain: int = 1500) -> list[Any]:
    """Call `work(first, last)` over range(n) in as many contiguous parts as there are threads; what they return, in order.

    Below `grain` items a thread the call is made directly: waking a thread costs tens of microseconds.
    `work` must write only to rows first..last, each by itself, so that the cut cannot show in the answer.
    """
    parts = min(threads(), n // grain)
    if parts < 2 or _pool is None or getattr(_inside, "part", False):
        if not n:
            return []
        if _stages is None or getattr(_inside, "timed", False):
            return [work(0, n)]  # a stage within a stage is part of its time
        seconds, answer = _timed(work, 0, n)
        _note(work, [seconds])
        return [answer]
    cuts = [n * k // parts for k in range(parts + 1)]
    others = [_pool.submit(_part, work, cuts[k], cuts[k + 1]) for k in range(1, parts)]
    done = [_part(work, cuts[0], cuts[1]), *(other.result() for other in others)]
    if _stages is not None:
        _note(work, [seconds for seconds, _ in done])
    return [answer for _, answer in done]


def _part(work: Callable[[int, int], Any], first: int, last: int) -> tuple[float, Any]:
    """One part; a stage within it would wait for a thread that waits for it. CPU seconds, when somebody asks."""
    _inside.part = True
    try:
        return (0.0, work(first, last)) if _stages is None else _timed(work, first, last)
    finally:
        _inside.part = False


@contextmanager
def recorded() -> Iterator[dict[str, list[float]]]:
    """Within it, the CPU seconds that each thread spends in each stage, by the name of the stage's function.

    A stage that has run in one part only has one number: nobody helped.
    """
    global _stages
    before, _stages = _stages, {}
    try:
        yield _stages
    finally:
        _stages = before


def _timed(work: Callable[[int, int], Any], first: int, last: int) -> tuple[float, Any]:
    start, _inside.timed = time.thread_time(), True
    try:
        answer = work(first, last)
    finally:
        _inside.timed = False
    return time.thread_time() - start, answer


def _note(work: Callable[[int, int], Any], seconds: list[float]) -> None:
    assert _stages is not None
    code = getattr(work, "__code__", work)  # made anew at each step, its code is not
    name = _names.get(code)
    if name is None:
        name = f"{work.__module__.removeprefix('banquise.')}.{work.__qualname__.split('.<locals>')[0]}"
        _names[code] = name
    sums = _stages.setdefault(name, [])
    sums += [0.0] * (len(seconds) - len(sums))
    for k, part in enumerate(seconds):
        sums[k] += part
