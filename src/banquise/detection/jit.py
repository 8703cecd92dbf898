"""How the kernels of the detection are compiled: bare, indices taken as they are, and loose for sieves, whose
answers are bounds, never for what is written out. `fetch` asks for memory that will be needed soon."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from banquise.jit import plain_inline as inline
from banquise.jit import plain_inner as inner
from banquise.jit import plain_kernel as kernel
from banquise.jit import plain_loose_inner as loose_inner
from banquise.jit import plain_loose_kernel as loose_kernel

__all__ = ["fetch", "inline", "inner", "kernel", "loose_inner", "loose_kernel"]


@intrinsic
def fetch(typing: Any, array: Any, element: Any) -> Any:
    """Ask for the cache line of an element (counted through all axes of an array in C order) without waiting for it.

    A hundred thousand floes do not fit in a cache. Which of them come next is known from the list of pairs, to nobody but
    the kernel.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        number, void = ir.IntType(32), ir.VoidType()
        kind = ir.FunctionType(void, [cgutils.voidptr_t, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        place = builder.bitcast(builder.gep(data, [args[1]]), cgutils.voidptr_t)
        builder.call(ask, [place, number(0), number(3), number(1)])  # to be read, kept near, data
        return context.get_dummy_value()

    return types.void(array, types.intp), code
