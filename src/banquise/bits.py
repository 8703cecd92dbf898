"""Bits of numbers, for kernels: what the processor does in one instruction and Python has no word for."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def bits_of(_: Any, x: Any) -> Any:
    """The 64 bits of a float as a whole number. Of numbers above zero, the larger one has the larger bits."""

    def build(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), build


@intrinsic
def lowest_bit(_: Any, x: Any) -> Any:
    """The place of the lowest bit that is set in a word; undefined for zero."""

    def build(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), build
