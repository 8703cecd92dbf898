"""Kernels compile on first use and are cached on disk: say so once, so that nobody wonders what takes so long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path


def say_if_compiling() -> None:
    """One line on stderr when no compiled kernel is found beside the package or in Numba's cache folder."""
    import os

    package = Path(__file__).parent
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [package]
    if not any(next(place.rglob("*.nbi"), None) for place in places):
        print("compiling kernels, once, about a minute ...", file=sys.stderr, flush=True)


def compile_kernels(groups: list[str]) -> Iterator[str]:
    """Compile the kernels of some parts of the package (none named: all); names of the parts as they become ready.

    The cases of `banquise validate` call every kernel on small problems with the types that runs use, so they are what is
    run. Two processes, a part each: compiling holds the interpreter's lock.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from banquise.validation import GROUPS, check_groups

    check_groups(groups)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = {pool.submit(_compile_part, name): name for name in groups or GROUPS}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]


def _compile_part(name: str) -> None:
    from banquise.validation import rows

    for _ in rows([name]):
        pass
