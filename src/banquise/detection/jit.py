"""How the kernels of the detection are compiled.

Without Numba's memory manager (`_nrt`): arrays come from outside, none is made inside. Otherwise every array handed to
an inner function is counted up and down with atomic operations, which was most of the time of a contact frame.
"""

from typing import Any

from numba import njit

_options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

kernel = njit(**_options)
# sums in any order: for sieves, whose answers are bounds, never for what is written out
loose_kernel = njit(fastmath={"reassoc", "contract", "nsz"}, **_options)
