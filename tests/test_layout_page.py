"""The picture of the layout is true: every part of the package is in it, and everything in it exists."""

import re
from pathlib import Path

TOP = Path(__file__).parents[1]


def test_the_picture_of_the_layout_is_true():
    page = (TOP / "docs" / "design" / "layout.md").read_text(encoding="utf-8")
    picture = page[page.index("src/banquise/\n") : page.index("    tests/")]
    source = TOP / "src" / "banquise"
    folders = {path.parent.name for path in source.glob("*/__init__.py")}
    named = set(re.findall(r"(\w+)/", picture)) - {
        "src",
        "banquise",
        "makers",
        "spatial",
    }  # the last two: parts of parts
    assert named == folders, named ^ folders
    modules = {path.name for path in source.glob("*.py")} - {
        "__main__.py",
        "case_tools.py",
        "case_tables.py",
        "case_blocks.py",
    }
    files = set(re.findall(r"(\w+\.py)", picture))
    assert files == modules, files ^ modules
