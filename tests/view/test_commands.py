"""The commands, as a user types them: what they write, what they say, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from banquise.cli import main


@pytest.fixture(scope="module")
def run_file(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("commands") / "sea.nc"
    run.save(path)
    run.path = None
    return path


def test_view_writes_a_page(run_file: Path, capsys: Any, monkeypatch: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["view", str(run_file)]) == 0
    page = run_file.with_suffix(".html")
    assert str(page) in capsys.readouterr().out and opened == [page.resolve().as_uri()]
    whole = page.stat().st_size
    assert main(["view", str(run_file), "-o", str(page), "--no-open", "--max-frames", "5", "--colour", "age"]) == 0
    assert page.stat().st_size < whole and '"colour": "age"' in page.read_text(encoding="utf-8") and len(opened) == 1


def test_plot_writes_what_can_be_shown(run_file: Path, capsys: Any, tmp_path: Path) -> None:
    assert main(["plot", str(run_file), "energy", "-o", str(tmp_path / "e.svg")]) == 0
    assert (tmp_path / "e.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert main(["plot", str(run_file), "snapshot", "sizes", "-o", str(tmp_path / "all"), "--time", "2 min"]) == 0
    assert sorted(p.name for p in (tmp_path / "all").iterdir()) == ["sea_sizes.png", "sea_snapshot.png"]
    assert main(["plot", str(run_file), "energi"]) == 2
    assert "Did you mean 'energy'?" in capsys.readouterr().err
    assert main(["plot", str(run_file), "-o", str(tmp_path / "one.png")]) == 2


def test_movie_writes_a_gif(run_file: Path, capsys: Any, tmp_path: Path) -> None:
    out = tmp_path / "m.gif"
    assert main(["movie", str(run_file), "-o", str(out), "--seconds", "0.6", "--fps", "5", "--size", "200x120"]) == 0
    assert "3 pictures, 0.6 s" in capsys.readouterr().out and out.stat().st_size > 1000
    assert main(["movie", str(run_file), "--size", "big"]) == 2
    assert "--size: got 'big'" in capsys.readouterr().err


def test_report_counts_its_checks(run_file: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("banquise.view.plots.FIGURES", {})  # drawn in the tests of figures
    assert main(["report", str(run_file), "--no-player", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert Path(said["output"]).name == "sea_report.html" and all(c["fine"] for c in said["checks"])


@pytest.mark.parametrize("command", ["view", "plot", "movie", "report"])
def test_a_missing_run_is_said_plainly(command: str, tmp_path: Path, capsys: Any) -> None:
    assert main([command, str(tmp_path / "none.nc")]) == 2
    said = capsys.readouterr().err
    assert "no such run file" in said and "Traceback" not in said
