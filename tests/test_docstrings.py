"""Examples in docstrings run, and every public name has a docstring."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import banquise as bq

PACKAGE = Path(bq.__file__).parent
MODULES = sorted(
    ".".join(("banquise", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("name", [n for n in bq.__all__ if n not in (*bq._MODULES, "__version__")])
def test_public_names_are_documented(name):
    assert inspect.getdoc(getattr(bq, name))


def test_the_reference_lists_names_as_parameters():
    """Every name of the page as Sphinx reads it: examples and sentences after a list of parameters are no parameters."""
    napoleon = pytest.importorskip("sphinx.ext.napoleon", reason="sphinx is not installed")
    docs = PACKAGE.parents[1] / "docs"
    place = importlib.util.spec_from_file_location("docstrings", docs / "docstrings.py")
    tool = importlib.util.module_from_spec(place)
    place.loader.exec_module(tool)
    assert doctest.testmod(tool).failed == 0
    listed = 0
    for path in re.findall(r"auto(?:class|function):: ([\w.]+)", (docs / "api.md").read_text(encoding="utf-8")):
        named = pkgutil.resolve_name(path)
        lines = tool.said(tool.parted(inspect.getdoc(named).splitlines()))
        for one in re.findall(r"^:param (.*?):", str(napoleon.NumpyDocstring(lines)), re.M):
            assert re.fullmatch(r"\\?\*{0,2}\w+", one), (path, one)
            listed += 1
    assert listed > 100


def test_the_reference_has_every_public_name():
    page = (PACKAGE.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in bq.__all__ if name != "__version__" and not re.search(rf"\b{name}\b", page)] == []
