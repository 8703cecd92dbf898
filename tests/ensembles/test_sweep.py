"""Sweeps: every member once, one dataset, nothing done twice, a failure that is no end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import banquise as bq
from banquise.cli import main
from banquise.ensembles.plan import plan_of
from banquise.errors import CaseError

CASE = """
[[scene.floes]]
centre = [0, 0]
radius = 5
velocity = [1, 0]
[forcing]
current = [0, 0]
[run]
until = 20
every = 10
"""
GLACIER = """
[glacier]
length = 1000
block = 100
[friction]
coefficient = 1e7
[load]
shape = "HalfSine"
peak = 1e8
duration = 20
[run]
until = 20
step = 0.05
"""


def write(folder: Path, text: str, case: str = CASE) -> Path:
    (folder / "case.toml").write_text(case)
    path = folder / "many.toml"
    path.write_text(text)
    return path


def test_product_of_lists_and_seeds(tmp_path):
    text = 'case = "case.toml"\nseeds = [3]\nmeasures = ["summary", "energy"]\n'
    text += '[parameters]\ncontact.friction = [0.2, 0.7]\n"run.until" = [20, 30]\n'
    path = write(tmp_path, text)
    found = bq.sweep(path, workers=0)
    data = found.dataset
    assert dict(data.sizes) == {"contact.friction": 2, "run.until": 2, "seed": 1, "time": 4}
    assert data["end"].sel({"run.until": 30}).values.tolist() == [[30], [30]]
    # the longest run sets the times; those that end sooner have none there
    assert np.isnan(data["kinetic_energy"].sel({"run.until": 20}).values[..., -1]).all()
    assert not found.failed and found.done_before == 0 and data.attrs["done"] == 4
    folders = sorted(p.name for p in found.folder.iterdir() if p.is_dir())
    assert len(folders) == 4 and folders[0] == "friction=0.2_until=20_seed=3"
    assert bq.open_run(found.folder / folders[0] / "run.nc").dataset.sizes["time"] == 3
    again = bq.sweep(path, workers=0)
    assert again.done_before == 4 and again.dataset.identical(data)
    path.write_text(text.replace("0.7]", "0.9]"))
    changed = bq.sweep(path, workers=0)
    assert changed.done_before == 2 and changed.dataset["contact.friction"].values.tolist() == [0.2, 0.9]


def test_a_changed_setting_is_another_member(tmp_path):
    path = write(tmp_path, 'case = "case.toml"\n')
    assert bq.sweep(path, workers=0).dataset["end"].values.tolist() == [20]
    path.write_text('case = "case.toml"\nuntil = 30\n')
    again = bq.sweep(path, workers=0)
    assert again.done_before == 0 and again.dataset["end"].values.tolist() == [30]


def test_results_of_other_settings_are_not_written_over(tmp_path, capsys):
    path = write(tmp_path, 'case = "case.toml"\n')
    argv = ["sweep", str(path), "--workers", "0", "--quiet"]
    assert main(argv) == 0 and main(argv) == 0  # the second finds all done
    result = tmp_path / "many" / "seed=0" / "result.nc"
    before = result.read_bytes()
    path.write_text('case = "case.toml"\nuntil = 30\n')
    capsys.readouterr()
    assert main(argv) == 2
    said = capsys.readouterr().err
    assert "1 of 1 members" in said and "-o" in said and "--force" in said and result.read_bytes() == before
    assert main([*argv, "--force"]) == 0 and result.read_bytes() != before


def test_a_case_is_what_it_says(tmp_path, capsys):
    """A sweep of a case that was changed gave the results of the case as it had been."""
    (tmp_path / "here").mkdir()
    path = write(tmp_path / "here", 'case = "case.toml"\n')
    assert bq.sweep(path, workers=0).done_before == 0
    path = (tmp_path / "here").rename(tmp_path / "there") / "many.toml"
    write(path.parent, path.read_text(), CASE + "# a remark\n")
    assert bq.sweep(path, workers=0).done_before == 1
    write(path.parent, path.read_text(), CASE.replace("velocity = [1, 0]", "velocity = [2, 0]"))
    assert main(["sweep", str(path), "--workers", "0"]) == 2
    assert bq.sweep(path, workers=0).done_before == 0


def test_inspect_knows_the_results(tmp_path, capsys):
    path = write(tmp_path, 'case = "case.toml"\nseeds = 2\n')
    bq.sweep(path, workers=0)
    assert main(["inspect", str(tmp_path / "many" / "sweep.nc")]) == 0
    assert "2 of 2 members done" in capsys.readouterr().out
    assert main(["inspect", str(tmp_path / "many" / "sweep.nc"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["done"] == 2 and told["dimensions"] == {"seed": [0, 1]} and "end" in told["variables"]


def test_a_failed_member_is_reported_and_not_fatal(tmp_path, capsys):
    path = write(tmp_path, 'case = "case.toml"\n[parameters]\n"contact.restitution" = [0.1, 2.0, 0.3]\n')
    assert main(["sweep", str(path), "--workers", "0", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["members"] == 3 and found["done"] == 2
    (reason,) = found["failed"].values()
    assert "restitution" in reason and "got 2" in reason
    assert "3/3" in err and (tmp_path / "many" / "restitution=2.0_seed=0" / "error.txt").exists()
    assert main(["sweep", str(path), "--list"]) == 0
    assert capsys.readouterr().out.count("done") == 2


def test_glacier(tmp_path):
    text = 'case = "case.toml"\n[parameters]\n"load.peak" = [0.5e8, 1e8]\n"run.scheme" = ["imex", "hht"]\n'
    found = bq.sweep(write(tmp_path, text, GLACIER), workers=0)
    force = found.dataset["peak_seismic_force"].values[..., 0]
    assert not found.failed and force.shape == (2, 2) and (force[1] > force[0]).all()


def test_values_that_go_together():
    tests = [{"name": "a", "friction": 0.7, "coriolis": 0.0}, {"name": "b", "friction": 0.5, "coriolis": 1e-4}]
    plan = plan_of({"scene": "channel", "seeds": 3, "parameters": {"test": tests}})
    assert plan.dimensions == {"test": ["a", "b"], "seed": [0, 1, 2]} and len(plan.members) == 6
    assert plan.members[-1].settings["parameters"] == {"friction": 0.5, "coriolis": 1e-4}
    assert len({m.mark for m in plan.members}) == 6


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({}, "either scene"),
        ({"scene": "channel", "parameter": {}}, "Did you mean 'parameters'"),
        ({"scene": "channel", "seeds": 0}, "seeds: got 0"),
        ({"scene": "channel", "seeds": [1, 1]}, "different whole numbers"),
        ({"scene": "channel", "parameters": {"friction": 0.5}}, "expected a list"),
        ({"scene": "channel", "parameters": {"friction": [0.5, 0.5]}}, "two values are alike"),
        ({"scene": "channel", "parameters": {"a": [{"b": 1}]}}, "a table with a name"),
        ({"scene": "channel", "measures": "jam"}, "a list of names"),
        ({"case": "nowhere.toml"}, "no file"),
        ({"scene": "channel", "seeds": 200_000}, "at most 100,000"),
    ],
)
def test_bad_plans(tables, words):
    with pytest.raises(CaseError, match=words):
        plan_of(tables)


def test_bad_names_are_found_before_anything_runs(tmp_path, capsys):
    for text, words in (
        ('scene = "chanxel"\n', "Did you mean 'channel'"),
        ('scene = "channel"\nmeasures = ["jams"]\n', "Did you mean 'jam'"),
        ('scene = "channel"\n[parameters]\nfricton = [0.1]\n', "Did you mean 'friction'"),
        ('scene = "channel"\nmeasures = ["no_such_module:f"]\n', "No module named 'no_such_module'"),
        ("scene = [\n", "not valid TOML"),
    ):
        path = write(tmp_path, text)
        assert main(["sweep", str(path), "--workers", "0", "--quiet"]) == 2
        err = capsys.readouterr().err
        assert words in err and err.count("\n") == 1
    assert main(["sweep", str(tmp_path / "none.toml")]) == 2


@pytest.mark.slow
def test_killed_in_the_middle_and_started_again(tmp_path):
    """Killed without warning: the second start does only what was not done, and finishes."""
    path = write(tmp_path, 'case = "case.toml"\nseeds = 8\n')
    env = os.environ | {"PYTHONPATH": str(Path(bq.__file__).parents[1])}
    command = [sys.executable, "-m", "banquise", "sweep", str(path), "--workers", "0", "--quiet"]
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    folder = tmp_path / "many"
    end = time.monotonic() + 120
    while len(list(folder.glob("*/result.nc"))) < 2 and time.monotonic() < end and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = {p: p.stat().st_mtime_ns for p in folder.glob("*/result.nc")}
    assert 2 <= len(done) < 8
    again = bq.sweep(path, workers=0)
    assert again.done_before == len(done) and again.dataset.attrs["done"] == 8 and not again.failed
    assert all(p.stat().st_mtime_ns == when for p, when in done.items())
    assert np.isfinite(again.dataset["kinetic_energy_end"]).all()


@pytest.mark.slow
def test_on_dask(tmp_path, capsys):
    pytest.importorskip("distributed", reason="dask is not installed")
    path = write(tmp_path, 'case = "case.toml"\nmeasures = ["ensembles_threads:threads"]\nseeds = 2\n')
    (tmp_path / "ensembles_threads.py").write_text(
        "import os\nfrom banquise.threads import threads as own\n"
        'def threads(run, sim): return {"threads": float(own()), "blas": float(os.environ["OMP_NUM_THREADS"])}\n'
    )
    env = os.environ | {"PYTHONPATH": f"{Path(bq.__file__).parents[1]}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "banquise", "sweep", str(path), "--workers", "1", "--quiet", "--json"]
    found = subprocess.run(command, env=env, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    summary = json.loads(found.stdout)
    assert summary["done"] == 2 and summary["failed"] == {}
    data = bq.sweep(path, workers=0).dataset
    assert data["threads"].values.tolist() == [1, 1] and data["blas"].values.tolist() == [1, 1]
    assert main(["sweep", str(path), "-o", str(tmp_path / "other"), "--scheduler", "nowhere", "--quiet"]) == 2
    assert "no Dask scheduler at nowhere" in capsys.readouterr().err
