"""What the pages print can be typed: commands have the options they show, files of settings are read, no block is left unrun."""

import argparse
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from banquise.case import case_of
from banquise.cli import build_parser
from banquise.ensembles.plan import plan_of
from banquise.glacier.case import parse_case

TOP = Path(__file__).parents[2]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
WORD = re.compile(r"^[A-Z][A-Z_.]*$|^\.\.\.$")  # RUN, CASE.toml: for a file of the reader's


def commands(page):
    """Whole commands: lines of blocks, and code within a line that begins with `banquise`."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    (?! )(.*)$)|(?:^(banquise .*)$)", text, re.M)
    lines = [part for a, b in blocks for part in re.split(r"  +(?=banquise )", a or b)]
    spans = re.findall(r"`(banquise [^`\n]+)`", text)
    for line in [*lines, *spans]:
        line = line.split("  #")[0].split(" # ")[0].split("|")[0].strip()
        if line.startswith("banquise ") and "[" not in line:
            yield re.split(r"   +", line)[0]


ALL = [(page, line) for page in PAGES for line in commands(page)]


def parser_that_raises():
    """The command line, with its answer to a mistake as an exception."""

    def all_of(parser):
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub in action.choices.values():
                    yield from all_of(sub)

    parser = build_parser()
    for one in all_of(parser):
        one.error = lambda message: (_ for _ in ()).throw(ValueError(message))
    return parser


def test_the_pages_show_commands():
    assert len(ALL) > 60 and len({line.split()[1] for _, line in ALL}) > 15


@pytest.mark.parametrize("page", sorted({page for page, _ in ALL}), ids=lambda page: page.name)
def test_commands_on_pages_can_be_typed(page):
    parser = parser_that_raises()
    for where, line in ALL:
        words = shlex.split(line)[1:]
        if where != page or not words or words[0] in ("COMMAND", "--help", "--version"):
            continue
        try:
            parser.parse_args(words)
        except ValueError as problem:
            # a command named for what it is, not to be typed: its name alone lacks its file
            assert "required" in str(problem) and len(words) <= 2, f"{line}: {problem}"


def toml_blocks():
    for page in PAGES:
        for k, text in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.S)):
            yield pytest.param(text, id=f"{page.name}-{k}")


@pytest.mark.parametrize("text", list(toml_blocks()))
def test_files_of_settings_on_pages_are_read(text):
    tables = tomllib.loads(text)
    if "glacier" in tables:
        parse_case(tables)
    elif "parameters" in tables:
        plan_of(tables)
    elif "scene" in tables:
        case_of(tables)
    else:  # a part of a case: its tables, with a floe; the files it names are the reader's
        for name in ("wind", "current"):
            assert isinstance(tables.get("forcing", {}).get(name, {}), dict)
        tables["forcing"] = {}
        case_of({**tables, "scene": {"floes": [{"centre": [0, 0], "radius": 1}]}})


def test_every_block_of_python_is_run():
    """README's ten lines are those of the first page, which is run; all others are cells."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        plain = re.findall(r"```python\n(.*?)```", text, re.S)
        if page.name == "README.md":
            first = (TOP / "docs" / "getting_started.md").read_text(encoding="utf-8")
            for line in plain[0].splitlines():
                if line.startswith(("floe =", "disc =")):
                    assert line in first
            plain = plain[1:]
        assert not plain, f"{page.name}: {plain[0][:80]}"
