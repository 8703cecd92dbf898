"""The scripts that remake the papers, on a small scene: every figure and a table."""

import importlib.util
from pathlib import Path

import matplotlib
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
matplotlib.use("Agg")


def script(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_drift_script(tmp_path):
    arguments = ["--days", "0.005", "-n", "6", "--box", "150", "--every", "72", "--folder", str(tmp_path)]
    rows = script("papers_drift").main(arguments)
    assert sorted(p.name for p in tmp_path.glob("*.png")) == [f"figure_{k}.png" for k in (23, 24, 25, 26)]
    assert rows[0][1] == "45 %" and rows[0][2].endswith("%") and (tmp_path / "table.md").read_text().count("|") > 40
    again = script("papers_drift").main(arguments)  # reads what is there
    assert again == rows


@pytest.mark.slow  # two runs of a quarter of an hour
def test_channel_script(tmp_path):
    arguments = ["--starts", "1", "--tests", "1", "3", "-n", "6", "--width", "120", "--until", "10 min"]
    rows = script("papers_channel").main([*arguments, "--every", "60", "--workers", "0", "--folder", str(tmp_path)])
    assert [row[0] for row in rows] == ["1", "3"] and all("of 1" in row[2] for row in rows)
    names = {p.name for p in tmp_path.glob("*.png")}
    assert {"figure_17.png", "figure_20.png", "figure_21.png", "figure_22.png", "jam_probability.png"} <= names
