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
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401  its BLAS must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_depth = 0  # of calls within calls; the limit is the process's, so threads share it
_lock = threading.Lock()
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, or within a function that it decorates, BLAS runs in the calling thread only.

    Only the outermost call asks the libraries: a quarter of a millisecond each time.
    """
    global _depth, _limit
    with _lock:
        _depth += 1
        if _depth == 1:
            _limit = _libraries().limit(limits=1)
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _limit.restore_original_limits()
