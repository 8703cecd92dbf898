"""What a newcomer does in the first minutes, and what an author needs in the last."""

import json
import re
from pathlib import Path

import pytest

import banquise as bq
from banquise.cli import main
from banquise.commands.check import findings

TOP = Path(__file__).parents[2]


def test_new_writes_a_case_that_is_ready(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    assert main(["new", str(path)]) == 0
    assert f"banquise run {path}" in capsys.readouterr().out
    case = bq.load_case(path)
    assert not [text for level, text in findings(case) if level == "error"]
    sim = case.simulation()
    assert [floe.name for floe in sim.scene.floes] == ["raft", "pancake"] and len(sim.scene.obstacles) == 1
    assert sim.scene.overlaps() == [] and sim.contact.friction == 0.7
    assert sim.forcing.coriolis == pytest.approx(2 * 7.292e-5 * 0.98768834)  # sin 81 degrees


def test_new_never_writes_over_a_file(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text("mine")
    assert main(["new", str(path)]) == 2
    assert "--force" in capsys.readouterr().err and path.read_text() == "mine"
    assert main(["new", str(path), "--force"]) == 0 and path.read_text() != "mine"
    assert main(["new", str(tmp_path / "mine.nc")]) == 2
    assert "mine.toml" in capsys.readouterr().err


def test_cite(capsys):
    assert main(["cite"]) == 0
    said = capsys.readouterr().out
    assert f"Banquise: ice in pieces, {bq.__version__}." in said
    assert "Rabatel, M., Labbé, S. and Weiss, J. (2015): Dynamics of an assembly of rigid ice floes" in said
    assert main(["cite", "--bibtex"]) == 0
    entries = capsys.readouterr().out
    assert entries in said and entries.startswith("@software{banquise,")
    assert entries.count("{") == entries.count("}")  # a .bib file is read by its braces


def test_cite_for_programs_agrees_with_citation_file(capsys):
    assert main(["cite", "--json"]) == 0
    works = {work["key"]: work for work in json.loads(capsys.readouterr().out)}
    file = (TOP / "CITATION.cff").read_text(encoding="utf-8")
    fields = works["rabatel2015"]["fields"]
    assert f"doi: {fields['doi']}" in file and f"volume: {fields['volume']}" in file
    first, last = fields["pages"].split("--")
    assert f"start: {first}" in file and f"end: {last}" in file
    assert re.search(r"^version: (.*)$", file, re.M)[1] == works["banquise"]["fields"]["version"]
    for work in works.values():
        assert f"title: {work['title']}" in file.replace('"', ""), f"CITATION.cff does not name {work['title']}"


def test_compiling_is_said(capsys, monkeypatch):
    """Once, and again while it lasts; where somebody looks, or always."""
    from banquise import compiling

    said = []
    monkeypatch.setattr(compiling, "_note", compiling._Note())
    monkeypatch.setattr(compiling, "register", lambda kind, listener: said.append(kind))
    compiling.say_when_compiling()
    assert not said  # BANQUISE_NOTES=0 in tests
    monkeypatch.delenv("BANQUISE_NOTES")
    compiling.say_when_compiling(always=False)
    assert not said  # stderr is no terminal here
    compiling.say_when_compiling()
    compiling.say_when_compiling()
    assert said == ["numba:compile"]
    monkeypatch.setattr(compiling, "EVERY", -1.0)
    for step in ("on_start", "on_start", "on_end", "on_end"):  # a kernel, and one that it calls
        getattr(compiling._note, step)(None)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and lines[0].startswith("compiling kernels: once") and "2 in 0 s" in lines[2]
