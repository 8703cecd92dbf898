"""The commands a stranger tries first."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import banquise as bq
from banquise.cli import main
from banquise.commands import COMMANDS

SOURCE = Path(bq.__file__).parents[1]


def python(*arguments, cwd=None):
    env = os.environ | {"PYTHONPATH": str(SOURCE)}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=env, cwd=cwd)


def test_demo(tmp_path, capsys, monkeypatch):
    """The channel, cut short: the whole demo is a matter of a minute."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--until", "5 min"]) == 0
    out, err = capsys.readouterr()
    assert "30 floes" in out and "demo.nc" in out
    assert "100 %" in err  # plain lines when not on a terminal
    assert (tmp_path / "demo.html").resolve().as_uri() in out
    assert "data-state" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    run = bq.open_run(tmp_path / "demo.nc")
    assert run.dataset.sizes["floe"] == 30 and run.dataset.sizes["time"] == 6


def test_demo_for_programs(tmp_path, capsys):
    arguments = ["--json", "-o", str(tmp_path / "d.nc"), "--until", "1 min", "--set", "n=8", "--seed", "2"]
    assert main(["demo", "basin", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["floes"] == 8 and found["time"] == 60.0 and abs(found["balance"]) < 1e-9 * found["kinetic_energy"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chanxel"], "Did you mean 'channel'"),
        (["--set", "wibth=3"], "Did you mean 'width'"),
        (["--set", "width"], "expected NAME=VALUE"),
        (["ship", "--forcing", "a.nc"], "takes no --forcing"),
        (["--floes", "nowhere.mat"], "nowhere.mat"),
    ],
)
def test_demo_says_what_is_wrong(arguments, words, capsys):
    assert main(["demo", *arguments]) == 2
    err = capsys.readouterr().err
    assert words in err and "Traceback" not in err


def test_run_check_inspect(tmp_path, capsys):
    case = tmp_path / "case.toml"
    case.write_text(
        '[[scene.floes]]\ncentre = [0, 0]\nradius = 5\nvelocity = [1, 0]\n[run]\nuntil = "1 min"\nevery = 10\n'
    )
    assert main(["check", str(case)]) == 0
    said = capsys.readouterr().out
    assert "ready to run" in said and "1 floe, 7 records, about 0.42 kB" in said  # 60 bytes a floe and record
    assert main(["check", str(case), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    assert main(["run", str(case), "--quiet", "--json", "--until", "30 s", "--threads", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["time"] == 30.0 and found["records"] == 4 and found["output"] == str(tmp_path / "case.nc")
    assert main(["inspect", str(tmp_path / "case.nc")]) == 0
    assert "1 floe, 4 records to 30 s" in capsys.readouterr().out
    assert main(["inspect", str(tmp_path / "case.nc"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["case"]["every"] == 10.0
    assert main(["inspect", str(case)]) == 0
    assert "Scene: 1 floe" in capsys.readouterr().out
    assert main(["inspect", str(case), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["floes"], found["obstacles"]) == (1, 0) and found["ice_area"] == pytest.approx(25 * math.pi)


def test_check_tells_programs_of_a_case_that_cannot_be_read(tmp_path, capsys):
    """These came as text on stderr, the other findings as JSON."""
    case = tmp_path / "case.toml"
    wrong = {
        "a = = 1": "not valid TOML",
        "[[scene.floes]]\ncentre = [0, 0]\nradius = -1\n": "radius: got -1.0",
        '[glacier]\nlength = "2 kg"\n': "unit 'kg'",
    }
    for text, says in wrong.items():
        case.write_text(text)
        assert main(["check", str(case), "--json"]) == 2
        told = json.loads(capsys.readouterr().out)
        assert told["ok"] is False and [f["level"] for f in told["findings"]] == ["error"]
        assert says in told["findings"][0]["text"]


def test_inspect_tells_programs_the_numbers_it_prints(tmp_path, capsys):
    cube = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 5))
    sim = bq.Simulation(bq.Scene(blocks=[cube]), bq.Forcing(gravity=(0, 0, -9.81)))
    sim.run(until=0.01, every=0.01, output=tmp_path / "cube.nc")
    assert main(["inspect", str(tmp_path / "cube.nc"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "blocks" and (found["blocks"], found["records"], found["time"]) == (1, 2, 0.01)
    assert found["kinetic_energy"] == pytest.approx(0.5 * cube.mass * (9.81 * 0.01) ** 2)
    assert found["case"]["scheme"].startswith("Moreau(step=0.001")  # the one in use where none was named, not "None"
    ice = bq.glacier.Glacier(length=1000.0, block=100.0, thickness=800.0)
    peak = ice.run(load=bq.glacier.HalfSine(1e6, 10.0), until=1.0, step=0.02)
    peak.to_netcdf(tmp_path / "ice.nc")
    assert main(["inspect", str(tmp_path / "ice.nc"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["peak_seismic_force"] == peak.dataset.attrs["peak_seismic_force"]


def test_inspect_sends_files_of_floes_to_the_command_that_shows_them(tmp_path, capsys):
    path = tmp_path / "pack.h5"
    bq.write_scene(bq.Scene([bq.Floe([[0, 0], [9, 0], [9, 9], [0, 9]])]), path)
    assert main(["inspect", str(path)]) == 2
    assert f"a file of floes, no forcing. Look at it with: banquise floes info {path}" in capsys.readouterr().err


def test_validate(capsys):
    assert main(["validate", "drift", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"group", "case", "principle", "expected", "got", "pass"} <= set(found[0])
    assert main(["validate", "drift"]) == 0
    assert "pass" in capsys.readouterr().out


def test_warmup(capsys):
    assert main(["warmup", "drift"]) == 0
    assert capsys.readouterr().out.startswith("drift")
    assert main(["warmup", "drifts"]) == 2
    assert "Did you mean 'drift'" in capsys.readouterr().err


def test_bench_registry():
    from banquise.bench import BENCHES, Figure

    assert "foundation" in BENCHES
    assert not Figure("x", 2.0, "s", at_most=1.0).holds and Figure("x", 2.0, "s", at_least=1.0).holds


def test_many_floes_is_a_scene():
    from banquise.scenes.drift import many_floes

    scene = many_floes(40)
    assert len(scene.floes) == 40 and scene.overlaps() == []


def test_first_words(capsys):
    """What is said to do first can be done: every command named exists."""
    assert main([]) == 0
    said = capsys.readouterr().out
    named = [line.split()[1] for line in said.splitlines() if line.startswith("  banquise ")]
    assert named[:4] == ["demo", "new", "run", "view"]
    assert {name for name in named if not name.startswith("-")} <= set(COMMANDS)
    assert len(said.splitlines()) <= 12


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name):
    top = Path(__file__).parents[2]
    assert f"`banquise {name}" in (top / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert f"`{name}`" in (top / "README.md").read_text(encoding="utf-8")


def test_version_and_help_need_no_numba():
    """--help answers at once: nothing heavy is imported for it."""
    text = "import sys; from banquise.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    text += "print(sorted({'numba', 'numpy', 'xarray', 'shapely', 'scipy'} & set(sys.modules)))"
    found = python("-c", text)
    assert found.stdout.strip().endswith("[]"), found.stdout + found.stderr
    version = python("-m", "banquise", "--version")
    assert version.stdout == f"banquise {bq.__version__}\n" and version.returncode == 0


def test_no_traceback_in_a_real_process(tmp_path):
    found = python("-m", "banquise", "run", "nothing.toml", cwd=tmp_path)
    assert found.returncode == 2 and found.stdout == ""
    assert found.stderr == "banquise run: nothing.toml: no such case file.\n"


def test_a_closed_pipe_is_no_error(tmp_path):
    env = os.environ | {"PYTHONPATH": str(SOURCE)}
    command = f"{sys.executable} -m banquise --help | head -1"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, env=env)
    assert found.stderr == ""


@pytest.mark.parametrize("name", [n for n in bq.__all__ if n not in bq._MODULES])
def test_public_names_resolve(name):
    """Lazy names point somewhere; a name of a part that is not here yet is no promise kept."""
    assert getattr(bq, name) is not None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "case.toml", "--untill", "5"], ["'--until'", "banquise run --help"]),
        (["glacier", "run", "case.toml", "--polt", "a"], ["'--plot'", "banquise glacier run --help"]),
        (["floes", "pack", "--boxx", "3"], ["'--box'", "banquise floes pack --help"]),
    ],
)
def test_an_unknown_option_is_answered_by_the_command_it_was_given_to(words, said, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    told = capsys.readouterr().err
    assert stop.value.code == 2 and all(part in told for part in said)


def test_an_option_of_another_command_is_not_proposed(capsys):
    with pytest.raises(SystemExit):
        main(["run", "case.toml", "--step", "5"])  # blocks run has it
    assert "Did you mean" not in capsys.readouterr().err
