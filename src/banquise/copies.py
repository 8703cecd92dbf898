"""Kernels that hold what they call.

Numba puts the functions that a kernel calls into the kernel's object, under names that all objects share: the one that is
loaded first serves every kernel. That is the function's own in a process that compiles, and some caller's in one that reads
the cache. Each copy was optimised with what is around it, and what is loose comes out otherwise in its last bits, in strict
functions too that loose ones were inlined into: a first run differed from later ones, and a resumed one from one that was never
stopped. `OwnCopies` compiles a kernel whose copies only itself can see. It runs the code that was compiled with it, whatever
else was compiled or read, and in whichever order.
"""

from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import IRLegalization


class _Object(JITCodeLibrary):  # type: ignore[misc]
    """What a kernel is compiled into. Read from the cache, an object is one of Numba's: its names are hidden already."""

    def _finalize_final_module(self) -> None:
        # For callers. Numba copies it when the first one asks: by then it was rewritten for the machine (a third more lines)
        self._shared_module = self._final_module.clone()
        _relink(self._shared_module, Linkage.external, Linkage.linkonce_odr)
        _relink(self._final_module, Linkage.linkonce_odr, Linkage.internal)
        super()._finalize_final_module()


def _relink(module: Any, old: Linkage, new: Linkage) -> None:
    for function in module.functions:
        if not function.is_declaration and function.linkage == old:
            function.linkage = new


@register_pass(mutates_CFG=False, analysis_only=False)
class _IntoOwnObject(LoweringPass):  # type: ignore[misc]
    """Has a function compiled into such an object."""

    _name = "into_own_object"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = _Object(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()  # as Numba does with its own, for the cache on disk
        return True


class OwnCopies(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with that pass; for `njit(pipeline_class=...)`."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_IntoOwnObject, IRLegalization)
        self.add_passes(passes)
        passes.finalize()
        return [passes]

    def add_passes(self, passes: Any) -> None:
        """Further passes of a compiler made from this one."""
