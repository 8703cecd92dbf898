"""Examples in docstrings run, and every public name has a docstring."""

import doctest
import importlib
import inspect
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
