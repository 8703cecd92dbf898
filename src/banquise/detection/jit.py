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

__all__ = ["edges_within", "fetch", "inline", "inner", "kernel", "loose_inner", "loose_kernel"]


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


@intrinsic
def edges_within(typing: Any, block: Any, run: Any, x: Any, y: Any, square: Any) -> Any:
    """Which of the four edges of a run are nearer to a point than the root of `square`: a bit each.

    Written out in vectors: compiled from a loop over the edges, each took four jumps that nobody foresees.
    """
    four, number = ir.VectorType(ir.DoubleType(), 4), ir.IntType(64)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        begin = builder.mul(args[1], number(24))

        def row(k: int) -> Any:
            place = builder.gep(data, [builder.add(begin, number(4 * k))])
            return builder.load(builder.bitcast(place, four.as_pointer()), align=8)

        def all_of(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(four, ir.Undefined), value, ir.IntType(32)(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4))

        def inner_product(a: Any, b: Any, c: Any, d: Any) -> Any:
            return builder.fadd(builder.fmul(a, b, loose), builder.fmul(c, d, loose), loose)

        loose = ("contract",)
        ex, ey = row(2), row(3)
        rx, ry = builder.fsub(all_of(args[2]), row(0)), builder.fsub(all_of(args[3]), row(1))
        t = builder.fmul(inner_product(rx, ex, ry, ey), row(4))
        for bound, sign in ((0.0, "<"), (1.0, ">")):
            limit = ir.Constant(four, [bound] * 4)
            t = builder.select(builder.fcmp_ordered(sign, t, limit), limit, t)
        dx, dy = (
            builder.fsub(rx, builder.fmul(t, ex, loose), loose),
            builder.fsub(ry, builder.fmul(t, ey, loose), loose),
        )
        near = builder.fcmp_ordered("<=", inner_product(dx, dx, dy, dy), all_of(args[4]))
        return builder.zext(builder.bitcast(near, ir.IntType(4)), number)

    return types.uint64(block, types.intp, types.float64, types.float64, types.float64), code
