"""The same word for the same thing in Python, in case files and on the page that lists their keys."""

import inspect
import re
from pathlib import Path

import pytest

import banquise as bq
from banquise import case
from banquise.cli import build_parser

PAGE = (Path(__file__).parents[2] / "docs" / "case_file.md").read_text(encoding="utf-8")
NAMED = {word for span in re.findall(r"`([^`\n]+)`", PAGE) for word in re.findall(r"\w+", span)}
# Tables of a case file and the callable whose keywords they are; words of the file that Python says otherwise.
TABLES = [
    (case._FLOE, bq.Floe, {"centre"}),  # bq.Disc(centre, ...)
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


def test_one_name_a_thing_on_the_command_line():
    """An option that several commands have says the same in each, and options that are keywords carry their names."""
    parser = build_parser()
    helps: dict[str, set[str]] = {}
    for command in _commands(parser):
        for action in command._actions:
            for option in action.option_strings:
                if option in {"--threads", "--quiet", "--crs", "--every", "--open", "--no-open"}:
                    helps.setdefault(option, set()).add(str(action.help).split(" (default")[0])
    helps["--threads"].discard("threads of each member")  # of a sweep
    assert len(helps) == 6 and all(len(said) == 1 for said in helps.values()), helps
    words = set(inspect.signature(bq.from_image).parameters) | set(inspect.signature(bq.read_scene).parameters)
    assert {"min_area", "crs"} <= words and "crs" in inspect.signature(bq.Simulation.__init__).parameters


def _commands(parser):
    for action in parser._actions:
        for sub in (action.choices or {}).values() if isinstance(action.choices, dict) else ():
            yield sub
            yield from _commands(sub)


def test_threshold_means_one_thing():
    """What counts as a contact (`EventDriven`): not a speed, a force or a concavity."""
    for maker in (bq.Contact, bq.analysis.load_statistics, bq.Polyhedron.in_parts, bq.glacier.PseudoPlastic):
        assert "threshold" not in inspect.signature(maker).parameters
    assert "threshold" in inspect.signature(bq.EventDriven).parameters
