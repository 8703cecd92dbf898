"""The case file among the examples is ready to run."""

from pathlib import Path

import banquise as bq

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_case_example_is_ready():
    from banquise.commands.check import findings

    assert [level for level, _ in findings(bq.load_case(EXAMPLES / "two_floes.toml"))] == ["note"]
