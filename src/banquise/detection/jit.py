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
def edges_within(typing: Any, coarse: Any, run: Any, x: Any, y: Any, square: Any) -> Any:
    """Which of the four edges of a run are nearer to a point than the root of `square`, in single precision: a bit each.

    Written out in vectors: compiled from a loop over the edges, each took four jumps that nobody foresees.
    """
    single, number = ir.FloatType(), ir.IntType(64)
    four = ir.VectorType(single, 4)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        begin = builder.mul(args[1], number(16))

        def row(k: int) -> Any:
            place = builder.gep(data, [builder.add(begin, number(4 * k))])
            return builder.load(builder.bitcast(place, four.as_pointer()), align=4)

        def all_of(value: Any) -> Any:
            one = builder.insert_element(
                ir.Constant(four, ir.Undefined), builder.fptrunc(value, single), ir.IntType(32)(0)
            )
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), 4), [0] * 4))

        def inner_product(a: Any, b: Any, c: Any, d: Any) -> Any:
            return builder.fadd(builder.fmul(a, b, loose), builder.fmul(c, d, loose), loose)

        def bounded(value: Any, sign: str, bound: float) -> Any:
            limit = ir.Constant(four, [bound] * 4)
            return builder.select(builder.fcmp_ordered(sign, value, limit), limit, value)

        loose = ("contract",)
        ex, ey = row(2), row(3)
        rx, ry = builder.fsub(all_of(args[2]), row(0)), builder.fsub(all_of(args[3]), row(1))
        length = bounded(inner_product(ex, ex, ey, ey), "<", 2.0**-126)  # squared; an edge of length zero is its point
        t = bounded(bounded(builder.fdiv(inner_product(rx, ex, ry, ey), length), "<", 0.0), ">", 1.0)
        dx, dy = (
            builder.fsub(rx, builder.fmul(t, ex, loose), loose),
            builder.fsub(ry, builder.fmul(t, ey, loose), loose),
        )
        near = builder.fcmp_ordered("<=", inner_product(dx, dx, dy, dy), all_of(args[4]))
        return builder.zext(builder.bitcast(near, ir.IntType(4)), number)

    return types.uint64(coarse, types.intp, types.float64, types.float64, types.float64), code
