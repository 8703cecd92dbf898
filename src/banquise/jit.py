"""Decorators of kernels.

`kernel`: called from Python. `inner`: only kernels call it; without the doors to Python it compiles in half the time.
Both divide as NumPy does: a check for zero at each division would cost a jump in the innermost loops. `checked_inner`:
divides as its caller does, which by default raises at a zero. `apart`: a kernel that others call, also bare ones, large and not
so often that the call counts; it stays out of them, and makes its own arrays. `loose_kernel`, `loose_inner`: sums in any
order, for SIMD.

`bare_kernel`: without Numba's memory manager (`_nrt`). Arrays come from outside, none is made inside; otherwise every
array handed to an inner function is counted up and down with atomic operations, a third of the time of pairs in
contact. `bare_loose_kernel`: sums in any order besides, for SIMD. `bare_inline`: put into its one caller, for a function
with many arrays: each is seven words to be copied at a call.

All of them, and `njit` for other options, compile a kernel together with all it calls (`OwnCopies`), so that it gives the same
bits when it is compiled and when it is read from the cache: Numba's own `njit` does not, where something is loose. What is
loose may still come out otherwise in each kernel that calls it. So what must agree between two kernels to the last bit is not
loose, and which of them is called must not depend on the number of threads.

`plain_*`: bare, and indices are taken as they are (`PlainIndices`): a computed one must not be negative. `making_*`: the same
indices, for what makes arrays.

A number or truth value written out in a call compiles a copy of the function for that value, and a variable that begins as
one does too: `np.int64(0)` and `np.bool_(True)` do not. An array written into a slice of another brings in the words of the
error for shapes that differ, three seconds to compile: numbers are written one by one.
"""

from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from banquise.copies import Apart, OwnCopies
from banquise.indices import PlainIndices
from banquise.stale import drop_stale

drop_stale(Path(__file__).parent)

_options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_no_doors = {"no_cpython_wrapper": True}
_loose = {"reassoc", "contract", "nsz"}

njit: Any = partial(numba.njit, pipeline_class=OwnCopies)  # Numba's types do not know `_nrt` and doors


def _with_doors(**options: Any) -> Any:
    """A decorator of kernels: for Python with doors, for other kernels a twin without.

    A kernel that others call would be optimised and made into machine code by itself, too, whether Python ever calls it or not:
    a fifth of the time to compile a step. The twin is neither until it is part of a kernel that Python does call. Numba knows
    a function that calls itself by its code object's owner, which a twin is not: kernels must not.
    """

    def decorate(function: Any) -> Any:
        opened = njit(**options)(function)
        name = f"{function.__name__}_within"
        twin = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
        twin.__kwdefaults__, twin.__module__, twin.__qualname__ = function.__kwdefaults__, function.__module__, name
        within = njit(**(options | _no_doors))(twin)
        opened.get_call_template, opened.get_overload = within.get_call_template, within.get_overload
        return opened

    return decorate


kernel = _with_doors(**_options)
inner = njit(**_no_doors, **_options)
checked_inner = njit(cache=True, nogil=True, no_cfunc_wrapper=True, **_no_doors)
apart = _with_doors(pipeline_class=Apart, _nrt=True, forceinline=False, **_options)  # else as `bare_inline` callers are

loose_kernel = _with_doors(fastmath=_loose, **_options)
loose_inner = njit(fastmath=_loose, **_no_doors, **_options)

bare_kernel = _with_doors(_nrt=False, **_options)
bare_inner = njit(_nrt=False, **_no_doors, **_options)
bare_loose_kernel = _with_doors(_nrt=False, fastmath=_loose, **_options)
bare_loose_inner = njit(_nrt=False, fastmath=_loose, **_no_doors, **_options)
bare_inline = njit(_nrt=False, forceinline=True, **_no_doors, **_options)
bare_loose_inline = njit(_nrt=False, forceinline=True, fastmath=_loose, **_no_doors, **_options)

_plain: dict[str, Any] = {"_nrt": False, "pipeline_class": PlainIndices, **_options}
plain_kernel = _with_doors(**_plain)
plain_inner = njit(**_no_doors, **_plain)
plain_inline = njit(forceinline=True, **_no_doors, **_plain)
plain_loose_kernel = _with_doors(fastmath=_loose, **_plain)
plain_loose_inner = njit(fastmath=_loose, **_no_doors, **_plain)

_making: dict[str, Any] = {"pipeline_class": PlainIndices, **_options}
making_kernel = _with_doors(**_making)
making_inner = njit(**_no_doors, **_making)
making_loose_kernel = _with_doors(fastmath=_loose, **_making)
making_loose_inner = njit(fastmath=_loose, **_no_doors, **_making)


class SameTypes:
    """A kernel that one caller calls again and again with arguments of the same types.

    A call of a kernel asks each argument for its type, and each array within a tuple takes a fifth of a microsecond to tell:
    fifty for a desk of a thread. Only the first call through this asks. Arrays that are others than those of the first call
    (strided, of another kind) would be misread: one for each caller, which makes its arrays itself.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel, self._open = kernel, None

    def __call__(self, *args: Any) -> Any:
        if self._open is not None:
            return self._open(*args)
        answer = self._kernel(*args)
        compiled = getattr(self._kernel, "overloads", None) or {}
        found: Any = None
        if len(compiled) == 1:  # as nearly always: no need to ask each argument once more, which takes milliseconds
            (found,) = compiled.values()
        elif compiled:
            found = compiled.get(tuple(map(self._kernel.typeof_pyval, args)))
        self._open = self._kernel if found is None else found.entry_point
        return answer
