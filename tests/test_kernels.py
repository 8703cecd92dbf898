"""Kernels are called as they were compiled."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import banquise

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
