"""One BLAS thread while a floe is factored and cut.

The matrices are small (600 unknowns, 90 for a crack). A second BLAS thread gains little on an idle machine, waits in a loop
for the first on a busy one (measured: 2.1 s of CPU for a search of 0.09 s), and may change the last bits of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401  its BLAS must be there to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, or within a function that it decorates, BLAS runs in the calling thread only."""
    with _libraries().limit(limits=1):
        yield
