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


@pytest.mark.parametrize("kind", ["blocks", "glacier"])
def test_new_of_another_kind_is_ready_and_runs_without_a_complaint(kind, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--of", kind]) == 0
    command = re.search(r"Run it with: banquise (.*)", capsys.readouterr().out)[1].split()
    assert main(["check", f"{kind}.toml"]) == 0
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    if kind == "blocks":
        run = bq.open_run("blocks.nc")
        assert int(run.ledger.unsolved.sum()) == 0
        assert float(run.dataset.z[-1, 2]) == pytest.approx(
            0.6, abs=0.2
        )  # on the floor, and not on the other block any more
    else:
        assert 20e6 < told["peak_seismic_force"] < 50e6  # N/m, about the iceberg's push


def test_new_of_a_sweep_lists_its_members(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--of", "sweep"]) == 0 and main(["sweep", "sweep.toml", "--list"]) == 0
    assert capsys.readouterr().out.count("to do ") == 4
    for command in ("check", "run"):  # the wrong command names the right one
        assert main([command, "sweep.toml"]) == 2
        assert "banquise sweep" in capsys.readouterr().err


def test_folders_of_a_sweep_have_plain_names(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new"]) == 0
    Path("many.toml").write_text('case = "case.toml"\nseeds = 1\n[parameters]\n"forcing.wind" = [[5, 0], [10, -2.5]]\n')
    assert main(["sweep", "many.toml", "--list"]) == 0
    said = capsys.readouterr().out
    assert "wind=5_0_seed=0" in said and "wind=10_-2.5_seed=0" in said


def test_blocks_that_are_fixed_need_no_law_between_them():
    blocks = [bq.Polyhedron.box((1, 1, 1), position=(2.0 * k, 0, 0), fixed=k < 2, material="rock" if k < 2 else "ice")
              for k in range(3)]  # fmt: skip
    scene = bq.Scene(blocks=blocks)
    sim = bq.Simulation(scene, contact=bq.Contact(friction={("ice", "ice"): 0.3, ("ice", "rock"): 0.5}))
    assert sim.run(0.01, every=0.01).ledger.unsolved.sum() == 0
    with pytest.raises(
        bq.BanquiseError, match='no entry for ice with rock. Add it, or one for all .*"default-default"'
    ):
        bq.Simulation(scene, contact=bq.Contact(friction={("ice", "ice"): 0.3}))


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
