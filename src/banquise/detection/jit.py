"""How the kernels of the detection are compiled.

Without Numba's memory manager (`_nrt`): arrays come from outside, none is made inside. Otherwise every array handed to
an inner function is counted up and down with atomic operations: a third of the time of pairs in contact.
"""

from typing import Any

import numba

_njit: Any = numba.njit  # its types do not know `_nrt`
kernel = _njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
# sums in any order: for sieves, whose answers are bounds, never for what is written out
loose_kernel = _njit(cache=True, nogil=True, error_model="numpy", _nrt=False, fastmath={"reassoc", "contract", "nsz"})
