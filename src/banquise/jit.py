"""Decorators of kernels.

`kernel`: called from Python. `inner`: only kernels call it; without the doors to Python it compiles in half the time.
`bare`: an inner one that makes no arrays: it leaves out the counting of who holds an array, which costs more than the work of a
short function (an atomic addition for each array at each call).
All divide as NumPy does: a check for zero at each division would cost a jump in the innermost loops.
"""

from typing import Any

from numba import njit

_options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

kernel = njit(**_options)
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_options)  # type: ignore[call-overload]
bare = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, **_options)  # type: ignore[call-overload]
