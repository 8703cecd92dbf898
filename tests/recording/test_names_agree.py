"""The same word for the same thing in Python, in case files and on the page that lists their keys."""

import inspect
import re
from pathlib import Path

import pytest

import banquise as bq
from banquise import case

PAGE = (Path(__file__).parents[2] / "docs" / "case_file.md").read_text(encoding="utf-8")
NAMED = {word for span in re.findall(r"`([^`\n]+)`", PAGE) for word in re.findall(r"\w+", span)}
# Tables of a case file and the callable whose keywords they are; words of the file that Python says otherwise.
TABLES = [
    (case._FLOE, bq.Floe, {"disc"}),  # bq.Disc(centre, ...)
    (case._OBSTACLE, bq.Obstacle, {"centre"}),  # of a round one
    (case._FORCING, bq.Forcing, set()),
    (case._LOAD, bq.Load, set()),
    (case._SERIES, bq.Series, set()),
    (case._RUN, bq.Simulation.run, {"start"}),  # of the simulation
]


@pytest.mark.parametrize(("keys", "maker", "own"), TABLES)
def test_keys_are_keywords(keys, maker, own):
    assert keys - own <= set(inspect.signature(maker).parameters)


def test_top_of_a_case_is_the_simulation():
    words = set(inspect.signature(bq.Simulation.__init__).parameters) | {"run", "bond"}  # bond: of blocks only
    assert words >= case._TOP


def test_the_page_names_every_key():
    keys = set().union(case._TOP, case._SCENE, case._FILE, case._FRACTURE, *(keys for keys, _, _ in TABLES))
    keys = {word for key in keys for word in re.findall(r"\w+", key)}
    assert not keys - NAMED, sorted(keys - NAMED)
