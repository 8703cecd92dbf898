"""Arrays indexed without asking whether an index is negative.

Numba lets x[-1] mean the last element, so each index that is not known to be positive is compared with zero and, if less,
raised by the length: three instructions and a register for each access, a fifth of the time of a look at a thousand floes.
`PlainIndices` compiles a kernel without that question. Written out, as in x[-1], a negative index still counts from the
end; one that is computed must not be negative. With NUMBA_BOUNDSCHECK=1 it is an error.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import find_const, get_definition, guard
from numba.core.typed_passes import NopythonRewrites
from numba.core.typing.templates import signature

from banquise.copies import OwnCopies


@register_pass(mutates_CFG=False, analysis_only=False)
class _TakeAsPositive(FunctionPass):
    """Gives the indices of reads and writes of arrays unsigned types."""

    _name = "take_indices_as_positive"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for inst in block.body:
                node, array = inst, None
                if isinstance(inst, ir.SetItem):
                    array = inst.target
                elif isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Expr) and inst.value.op == "getitem":
                    node, array = inst.value, inst.value.value
                if array is None or not isinstance(state.typemap[array.name], types.Array):
                    continue
                found = state.calltypes[node]
                kind = _positive(found.args[1])
                if kind is not None and not _counts_from_end(state.func_ir, node.index):
                    del state.calltypes[node]  # it may be set once
                    state.calltypes[node] = signature(found.return_type, found.args[0], kind, *found.args[2:])
        return True


def _positive(kind: Any) -> Any:
    """The unsigned type of an index, or of a tuple of them; None for others (slices)."""
    if isinstance(kind, types.Integer):
        return types.uintp
    parts = getattr(kind, "types", ())
    if parts and isinstance(kind, types.BaseTuple) and all(isinstance(part, types.Integer) for part in parts):
        return types.UniTuple(types.uintp, len(parts))
    return None


def _counts_from_end(func_ir: Any, index: Any) -> bool:
    """Whether a negative number is written out in an index."""
    made = guard(get_definition, func_ir, index)
    parts = made.items if isinstance(made, ir.Expr) and made.op == "build_tuple" else [index]
    return any(isinstance(number := guard(find_const, func_ir, part), int) and number < 0 for part in parts)


class PlainIndices(OwnCopies):
    """Numba's compiler with that pass; for `njit(pipeline_class=...)`."""

    def add_passes(self, passes: Any) -> None:
        passes.add_pass_after(_TakeAsPositive, NopythonRewrites)
