"""Kernels are called as they were compiled."""

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from llvmlite.binding import Linkage
from numba.core.compiler import Flags as NumbaFlags
from numba.core.dispatcher import Dispatcher

import banquise
from banquise.copies import Flags, OwnCopies
from banquise.jit import SameTypes, apart, bare_inline, bare_kernel, inner, njit, plain_kernel
from banquise.stale import drop_stale

PACKAGE = Path(banquise.__file__).parent
CALLERS = [
    path
    for folder in (PACKAGE, Path(__file__).parent)
    for path in sorted(folder.rglob("*.py"))
    if not path.name.startswith("_kernels")
    and "_kernels" in path.read_text(encoding="utf-8")
    and path != Path(__file__)
]


def kernels_used(path: Path) -> Iterator[tuple[str, str]]:
    """(module, name) of all that a file takes from modules of kernels: imported, or read from a module or its alias."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    modules = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                if name.name.startswith("_kernels"):
                    modules[name.asname or name.name] = f"{node.module}.{name.name}"
                elif node.module.rpartition(".")[2].startswith("_kernels"):
                    yield node.module, name.name
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in modules:
            modules |= {target.id: modules[node.value.id] for target in node.targets if isinstance(target, ast.Name)}
    plain = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "py_func"}
    for node in nodes:
        if id(node) in plain:  # the function as it was written
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


@pytest.mark.parametrize("path", CALLERS, ids=lambda path: path.stem)
def test_python_calls_no_inner_function(path):
    """Called from Python, a function compiled without its door there ends the process."""
    for module, name in kernels_used(path):
        options = getattr(getattr(importlib.import_module(module), name), "targetoptions", {})
        assert not options.get("no_cpython_wrapper"), f"{path} calls {module}.{name}"


def test_plain_indices_count_from_the_end_only_where_written_out():
    x, y = np.arange(5.0), np.arange(12.0).reshape(3, 4)
    assert _indexed(x, y, np.int32(2), np.int64(1)) == (4.0, 2.0, 11.0, 9.0, 7.0)
    assert x[2] == 7.0 and y[1, -2] == 8.0


@plain_kernel
def _indexed(x, y, i, j):
    read = x[-1], x[i], y[i, -1], y[i, j], y[j, 3]
    x[i], y[j, -2] = 7.0, 8.0
    return read


def test_every_kernel_holds_what_it_calls():
    """Numba's own `njit` leaves it to the order of loading which copy of a function serves, and loose ones differ."""
    for path in sorted(PACKAGE.rglob("_kernels*.py")):
        module = importlib.import_module(".".join(("banquise", *path.relative_to(PACKAGE).with_suffix("").parts)))
        found = {name: thing for name, thing in vars(module).items() if isinstance(thing, Dispatcher)}
        found = {name: thing for name, thing in found.items() if thing.py_func.__module__ == module.__name__}
        shared = [name for name, thing in found.items() if not issubclass(thing._compiler.pipeline_class, OwnCopies)]
        assert not shared, f"{path}: from banquise.jit import njit, for {shared}"


@inner
def _long(x):
    """Too long to be inlined."""
    total = 0.0
    for k in range(len(x)):
        total += np.sin(x[k]) + np.cos(x[k])
    for k in range(len(x)):
        total += np.exp(x[k]) * np.tanh(x[k])
    for k in range(len(x)):
        total += np.log1p(x[k]) / (1.0 + np.sinh(x[k]))
    for k in range(len(x)):
        total += np.arctan(x[k]) * np.sqrt(1.0 + x[k]) + np.expm1(-x[k]) / (2.0 + np.cosh(x[k]))
    for k in range(len(x)):
        total += np.tan(x[k]) * np.arcsinh(x[k]) - np.arctan2(x[k], 3.0) / (1.0 + np.hypot(x[k], 1.0))
    return total


def test_copies_within_a_kernel_are_seen_by_nobody_else():
    twice = njit(lambda x: _long(x) * _long(x[1:]))
    x = np.arange(3.0)
    assert twice(x) == _long.py_func(x) * _long.py_func(x[1:])
    (compiled,) = twice.overloads.values()
    linked = {f.name: f.linkage for f in compiled.library._final_module.functions if not f.is_declaration}
    assert [linkage for name, linkage in linked.items() if "_long" in name] == [Linkage.internal]
    assert set(linked.values()) == {Linkage.external, Linkage.internal}


@apart
def _short(x):
    return 2.0 * x


@inner
def _brief(x):
    return 2.0 * x


@pytest.mark.parametrize(("made", "calls"), [(_short, True), (_brief, False)])
def test_what_is_apart_is_called_where_it_stands(made, calls):
    """Also by what is put into its own caller; anything else so short is inlined."""
    middle = bare_inline(lambda x: made(x) + made(2.0 * x))
    caller = bare_kernel(lambda x: middle(x))
    assert caller(1.5) == 9.0
    (compiled,) = caller.overloads.values()
    lines = str(compiled.library._final_module).splitlines()
    assert any(" call " in line and made.py_func.__name__ in line for line in lines) == calls


@bare_kernel
def _asked(x):
    return 2.0 * x


def test_kernels_that_python_does_not_call_are_not_compiled_for_it():
    """Other kernels have a twin of theirs, which has no doors; with them only what Python calls is compiled."""
    caller = bare_kernel(lambda x: _asked(x) + 1.0)
    assert caller(1.5) == 4.0
    assert not _asked.overloads
    assert _asked(1.5) == 3.0
    assert len(_asked.overloads) == 1


def test_functions_that_only_kernels_call_have_no_machine_code():
    """Each kernel holds a copy of its own; what callers compile it from is there."""
    sizes = []
    # `inner`, but not kept on disk: what is read from there is no object
    without_doors = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, nogil=True, error_model="numpy")
    for made in (without_doors(_long.py_func), njit(_long.py_func)):
        made.compile("float64(float64[::1])")
        (compiled,) = made.overloads.values()
        assert [f.name for f in compiled.library._shared_module.functions if "_long" in f.name and not f.is_declaration]
        sizes.append(len(compiled.library._get_compiled_object()))
    assert sizes[0] < 1000 < sizes[1]


def test_options_are_compared_as_numba_does():
    """Set to what they are by default or not set: the same."""
    told = [{}, {"nrt": False}, {"nrt": True}, {"forceinline": False}, {"fastmath": {"nsz"}}, {"fastmath": {"reassoc"}}]
    for one in told:
        for other in told:
            mine, theirs, plain = Flags(), Flags(), NumbaFlags()
            for flags, options in ((mine, one), (theirs, other), (plain, other)):
                for name, value in options.items():
                    setattr(flags, name, value)
            assert (mine == theirs) == (mine == plain) == (plain == mine) == (NumbaFlags(mine) == plain)
            assert hash(mine) == hash(plain)
    assert Flags().summary() == NumbaFlags().summary()  # part of the names of compiled functions


# A sum in any order that LLVM orders otherwise when it optimises it a second time, within its caller
LOOSE = """
import numpy as np
from banquise.jit import kernel, loose_inner

@loose_inner
def summed(x, y, z, out):
    a = b = c = d = 0.0
    for k in range(len(x)):
        p, q, r = x[k], y[k], z[k]
        g = np.sqrt(p * p + q * q + r * r)
        a += g * p * q
        b += g * q * r + p * q
        c += (p * q + q * r + r * p) * g
        d += g / (1.0 + p * p) + q * r
    for k in range(1, len(x)):
        out[0] += (x[k] + y[k] + z[k] + a + b + c) * (x[k - 1] * y[k - 1] * z[k - 1] * d)

@kernel
def twice(x, out):
    summed(x[0], x[1], x[2], out)
    summed(x[1], x[2], x[0], out)

x, out = np.random.default_rng(0).normal(size=(3, 1001)), np.zeros(1)
twice(x, out)
print(sum(twice.stats.cache_hits.values()), out[0].hex())
"""


def test_compiled_kernels_and_those_of_the_cache_give_the_same_bits(tmp_path):
    """Else a first run that is stopped and resumed is not the one that was never stopped."""
    (tmp_path / "loose.py").write_text(LOOSE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(PACKAGE.parent)}
    said = [
        subprocess.run(
            [sys.executable, str(tmp_path / "loose.py")], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert [hits for hits, _ in said] == ["0", "1"]
    assert said[0][1] == said[1][1]


def test_contacts_of_blocks_are_summed_in_one_order():
    """Loose sums differ between copies of a function, and which copy serves depends on what was compiled and what read."""
    for path in sorted((PACKAGE / "detection" / "spatial").glob("_kernels*.py")):
        module = importlib.import_module(f"banquise.detection.spatial.{path.stem}")
        found = {name: getattr(thing, "targetoptions", {}).get("fastmath") for name, thing in vars(module).items()}
        assert not [name for name, loose in found.items() if loose], path.name


def test_compiled_kernels_go_when_a_source_of_kernels_changes(tmp_path):
    """A kernel's file on disk knows its own source, not those of the kernels it calls."""
    source, kept = tmp_path / "part" / "_kernels.py", tmp_path / "part" / "__pycache__" / "_kernels.caller.nbi"
    kept.parent.mkdir(parents=True)
    source.write_text("SIZE = 1\n")
    kept.write_text("")
    assert drop_stale(tmp_path) and not kept.exists()  # of a time before the first stamp
    kept.write_text("")
    assert not drop_stale(tmp_path) and kept.exists()
    source.write_text("SIZE = 12\n")
    assert drop_stale(tmp_path) and not kept.exists()


@bare_kernel
def _weighed(pair, weight):
    """Sum of the products of two columns, times a weight."""
    total = 0.0
    for k in range(len(pair[0])):
        total += weight * pair[0][k] * pair[1][k]
    return total


def test_kernel_entered_without_asking_for_types():
    """Later calls go past the question of types, and give what the kernel gives."""
    entered = SameTypes(_weighed)
    for n in (3, 5, 0):
        columns = np.arange(n, dtype=float), np.full(n, 2.0)
        assert entered(columns, 0.5) == _weighed(columns, 0.5) == n * (n - 1) / 2
    assert entered._open is not _weighed
    plain = SameTypes(lambda x: x + 1)  # what is not compiled is called as it is
    assert [plain(1), plain(2)] == [2, 3]
