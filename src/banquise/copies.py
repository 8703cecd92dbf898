"""Kernels that hold what they call.

Numba puts the functions that a kernel calls into the kernel's object, under names that all objects share: the one that is
loaded first serves every kernel. That is the function's own in a process that compiles, and some caller's in one that reads
the cache. Each copy was optimised with what is around it, and what is loose comes out otherwise in its last bits, in strict
functions too that loose ones were inlined into: a first run differed from later ones, and a resumed one from one that was never
stopped. `OwnCopies` compiles a kernel whose copies only itself can see. It runs the code that was compiled with it, whatever
else was compiled or read, and in whichever order.

So the machine code of a function without doors, which only kernels call, would be run by nobody: none is made. That, the search
for garbage and two questions that Numba asks at length (`_Object`, `Flags`) were a seventh to a fifth of the time to compile.
Nor is it optimised by itself: each kernel optimises the copy that it holds, and that was a fifth of the rest.
"""

import gc
from inspect import signature
from typing import Any

from llvmlite.binding import Linkage, parse_assembly
from numba.core import compiler
from numba.core.codegen import CPUCodegen, JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import IRLegalization

# Objects made between two searches for garbage while kernels compile. Most of them stay: every 700, as in Python, is a tenth
# of the time.
NEW = 100_000
_ONE_SET_OF_PASSES = len(signature(CPUCodegen._function_pass_manager).parameters) > 1  # for a module: Numba up to 0.61


class _Object(JITCodeLibrary):  # type: ignore[misc]
    """What a kernel is compiled into. Read from the cache, an object is one of Numba's: its names are hidden already."""

    has_doors = True
    apart = False

    def _optimize_functions(self, module: Any) -> None:
        for function in module.functions if self.apart else ():
            if not function.is_declaration:
                function.add_function_attribute("noinline")
        if _ONE_SET_OF_PASSES:
            return super()._optimize_functions(module)
        # as Numba does, which prepares a set of passes for each function that is only named, too
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                with self._recorded_timings.record(f"Function passes on {function.name!r}", builder):
                    passes.run(function, builder)
        return None

    def _optimize_final_module(self) -> None:
        """Not of a function that only kernels call: each kernel optimises the copy that it holds, and nobody runs another."""
        if not self._for_callers_only():
            super()._optimize_final_module()

    def _for_callers_only(self) -> bool:
        return not self.has_doors and not self._calls_itself()

    def _finalize_final_module(self) -> None:
        if self._for_callers_only():
            # All of it is for callers. What is left to compile holds the place of its environment, which Numba asks for.
            self._finalize_dynamic_globals()
            _relink(self._final_module, Linkage.external, Linkage.linkonce_odr)
            kept = [str(known) for known in self._final_module.global_variables if known.linkage == Linkage.common]
            empty = "\n".join([str(self._codegen._create_empty_module(self.name)), *kept])
            self._shared_module, self._final_module = self._final_module, parse_assembly(empty)
            super()._finalize_final_module()
            return
        # For callers. Numba copies it when the first one asks: by then it was rewritten for the machine (a third more lines)
        self._shared_module = self._final_module.clone()
        _relink(self._shared_module, Linkage.external, Linkage.linkonce_odr)
        _relink(self._final_module, Linkage.linkonce_odr, Linkage.internal)
        super()._finalize_final_module()

    def _calls_itself(self) -> bool:
        """Through others, whose addresses Numba looks for later."""
        return any(known.name.startswith(RuntimeLinker.PREFIX) for known in self._final_module.global_variables)


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
            state.library.has_doors = not (state.flags.no_cpython_wrapper and state.flags.no_cfunc_wrapper)
            state.library.enable_object_caching()  # as Numba does with its own, for the cache on disk
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _StayApart(LoweringPass):  # type: ignore[misc]
    """Has a function called where it stands."""

    _name = "stay_apart"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library.apart = True
        return True


class Flags(compiler.Flags):  # type: ignore[misc]
    """Options of a compilation. At each call it meets, Numba asks whether they are those of a compilation it knows.

    Its answer writes out all forty, set or not, for both sides, and is a twelfth of the time to compile. The name is part of
    those of compiled functions, so it is Numba's.
    """

    __slots__ = ()
    options: Any
    _hash = hash(compiler.Flags())  # of the options' names alone: one for all

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, compiler.Flags):
            return NotImplemented
        mine, theirs, options = self._values, other._values, self.options
        return mine == theirs or all(
            mine.get(name, options[name].default) == theirs.get(name, options[name].default)
            for name in mine.keys() | theirs.keys()
        )


class OwnCopies(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with that pass; for `njit(pipeline_class=...)`."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        super().__init__(typingctx, targetctx, library, args, return_type, Flags(flags), locals)

    def compile_extra(self, func: Any) -> Any:
        before = gc.get_threshold()
        gc.set_threshold(max(before[0], NEW) if before[0] else 0, *before[1:])  # 0: never
        try:
            return super().compile_extra(func)
        finally:
            gc.set_threshold(*before)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_IntoOwnObject, IRLegalization)
        self.add_passes(passes)
        passes.finalize()
        return [passes]

    def add_passes(self, passes: Any) -> None:
        """Further passes of a compiler made from this one."""


class Apart(OwnCopies):
    """The same, of a function that is not put into its callers: LLVM does that with whatever is called once or twice, and the
    time it takes to compile grows faster than the size of a function."""

    def add_passes(self, passes: Any) -> None:
        passes.add_pass_after(_StayApart, _IntoOwnObject)
