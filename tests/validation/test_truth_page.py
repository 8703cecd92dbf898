"""The page of truths names what shows each: groups of `banquise validate` and tests that exist."""

import re
from pathlib import Path

from banquise.validation import GROUPS

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "truth.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]


def test_everything_named_exists():
    texts = [path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("test_*.py")]
    tests = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.M)}
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 10 and named <= tests, sorted(named - tests)
    groups = set(re.findall(r"`validate ([\w-]+)`", PAGE))
    assert len(groups) > 5 and groups <= set(GROUPS), sorted(groups - set(GROUPS))


def test_every_row_has_a_verdict_and_what_shows_it():
    rows = [row for row in ROWS if row[0] != "printed"]
    assert len(rows) > 30
    for row in rows:
        assert row[1] in {"reproduced", "corrected", "refuted", "open"}, row
        assert "`test_" in row[-1] or "`validate " in row[-1] or (row[1] == "open" and "](" in row[-1]), row
