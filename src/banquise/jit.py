"""Decorators of kernels.

`kernel`: called from Python. `inner`: only kernels call it; without the doors to Python it compiles in half the time.
Both divide as NumPy does: a check for zero at each division would cost a jump in the innermost loops.

`bare_kernel`: without Numba's memory manager (`_nrt`). Arrays come from outside, none is made inside; otherwise every
array handed to an inner function is counted up and down with atomic operations, a third of the time of pairs in
contact. `bare_loose_kernel`: sums in any order besides, for SIMD. `bare_inline`: put into its one caller, for a function
with many arrays: each is seven words to be copied at a call.
"""

from typing import Any

import numba
from numba import njit

_options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

kernel = njit(**_options)
inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_options)  # type: ignore[call-overload]

_njit: Any = numba.njit  # its types do not know `_nrt`
bare_kernel = _njit(_nrt=False, **_options)
bare_inner = _njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_options)
bare_loose_kernel = _njit(_nrt=False, fastmath={"reassoc", "contract", "nsz"}, **_options)
bare_inline = _njit(_nrt=False, forceinline=True, **_options)
