"""One decorator for functions that only kernels call: without the doors to Python they compile in half the time."""

from numba import njit

inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
