"""One BLAS thread while a floe is factored and cut.

The matrices are small (600 unknowns, 90 for a crack). A second BLAS thread gains little on an idle machine, waits in a loop
for the first on a busy one (measured: 2.1 s of CPU for a search of 0.09 s), and may change the last bits of a sum.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _libraries() -> list[Any]:
    import scipy.linalg  # noqa: F401  its BLAS must be there to be found
    from threadpoolctl import ThreadpoolController

    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


_depth = 0  # of calls within calls; the limit is the process's, so threads share it
_lock = threading.Lock()
_before: list[int] = []  # threads of each library outside of it


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, or within a function that it decorates, BLAS runs in the calling thread only.

    Only the outermost call asks the libraries, and asks for nothing but numbers: the limits of `threadpoolctl` itself ask what
    they are besides, a seventh of a millisecond each time.
    """
    global _depth
    with _lock:
        _depth += 1
        if _depth == 1:
            _before[:] = [library.get_num_threads() for library in _libraries()]
            for library in _libraries():
                library.set_num_threads(1)
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for library, count in zip(_libraries(), _before):
                    library.set_num_threads(count)
