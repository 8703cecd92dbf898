"""Bad input: each mistake its own clear sentence, exit code 2, no traceback."""

import json
import os

import numpy as np
import pytest
import xarray as xr

from banquise.cli import main

FLOE = "[[scene.floes]]\n"
RING = "ring = [[0, 0], [10, 0], [10, 10], [0, 10]]\n"
RUN = '[run]\nuntil = "1 min"\n'
GOOD = FLOE + RING + RUN


def ring(points, more=""):
    return FLOE + f"ring = {points}\n" + more + RUN


def floe(more):
    return FLOE + RING + more + "\n" + RUN


# what is wrong -> the case file, and words of the message: the culprit by name, and what is wrong with it
CASES = {
    # rings
    "bow tie": (
        ring("[[0, 0], [10, 10], [10, 0], [0, 10]]"),
        ["scene.floes[0]", "crosses or touches itself", "(5, 5)"],
    ),
    "touching itself": (
        ring("[[0, 0], [10, 0], [5, 5], [10, 10], [0, 10], [5, 5]]"),
        ["scene.floes[0]", "touches itself", "(5, 5)"],
    ),
    "two points": (ring("[[0, 0], [1, 0]]"), ["scene.floes[0]", "2 distinct points", "at least 3"]),
    "one point thrice": (ring("[[1, 1], [1, 1], [1, 1]]"), ["scene.floes[0]", "distinct points"]),
    "empty ring": (ring("[]"), ["scene.floes[0]", "shape (0,)"]),
    "a line": (ring("[[0, 0], [5, 5], [10, 10]]"), ["scene.floes[0]", "on a line"]),
    "nan in a ring": (ring("[[0, 0], [1, 0], [nan, 1]]"), ["scene.floes[0]", "point 2", "finite"]),
    "inf in a ring": (ring("[[0, 0], [inf, 0], [1, 1]]"), ["scene.floes[0]", "point 1", "finite"]),
    "three coordinates": (ring("[[0, 0, 0], [1, 0, 0], [1, 1, 0]]"), ["scene.floes[0]", "(3, 3)", "expected (n, 2)"]),
    "ragged ring": (ring("[[0, 0], [1], [1, 1]]"), ["scene.floes[0]", "cannot be read as points", "point 1 is [1]"]),
    "words in a ring": (ring('[["a", "b"], ["c", "d"], ["e", "f"]]'), ["scene.floes[0]", "point 0 is ['a', 'b']"]),
    "ring is text": (FLOE + 'ring = "square"\n' + RUN, ["scene.floes[0]", "got 'square'"]),
    "far beyond the map": (ring("[[0, 0], [1e15, 0], [0, 1e15]]"), ["scene.floes[0]", "1e+15", "one map frame"]),
    "hole outside": (
        ring("[[0, 0], [9, 0], [9, 9]]", "holes = [[[20, 20], [21, 20], [21, 21]]]\n"),
        ["scene.floes[0]", "hole 0 is not inside"],
    ),
    "hole crosses itself": (
        floe("holes = [[[2, 2], [4, 4], [4, 2], [2, 4]]]"),
        ["scene.floes[0]", "hole 0", "crosses"],
    ),
    "holes overlap": (
        floe("holes = [[[2, 2], [5, 2], [5, 5], [2, 5]], [[4, 4], [7, 4], [7, 7], [4, 7]]]"),
        ["scene.floes[0]", "crosses or touches itself"],
    ),
    "holes is a number": (floe("holes = 3"), ["scene.floes[0]", "holes", "got 3"]),
    "named floe": (floe('name = "berg"\nthickness = -1'), ["'berg'", "thickness", "-1"]),
    # floes
    "no shape": (FLOE + "thickness = 1.0\n" + RUN, ["scene.floes[0]", "either a ring", "or a centre"]),
    "two shapes": (floe("centre = [0, 0]\nradius = 1"), ["scene.floes[0]", "either a ring"]),
    "disc without radius": (FLOE + "centre = [0, 0]\n" + RUN, ["scene.floes[0]", "needs a radius"]),
    "disc of no size": (FLOE + "centre = [0, 0]\nradius = 0\n" + RUN, ["scene.floes[0]", "radius", "above 0"]),
    "negative rounding": (floe("radius = -2"), ["scene.floes[0]", "radius", "-2"]),
    "no thickness": (floe("thickness = 0"), ["scene.floes[0]", "thickness", "above 0"]),
    "wrong unit": (floe('thickness = "2 h"'), ["scene.floes[0]", "thickness", "unit 'h'", "length"]),
    "thick, yes": (floe("thickness = true"), ["scene.floes[0]", "thickness", "got True"]),
    "no number": (floe('thickness = "thick"'), ["scene.floes[0]", "thickness", "'thick'"]),
    "negative density": (floe("density = -917"), ["scene.floes[0]", "density", "-917"]),
    "negative drag": (floe("water_drag = -0.1"), ["scene.floes[0]", "water_drag"]),
    "one velocity": (floe("velocity = [1]"), ["scene.floes[0]", "velocity", "two numbers"]),
    "velocity in metres": (floe('velocity = ["1 m", 0]'), ["scene.floes[0]", "velocity", "unit 'm'"]),
    "spin is text": (floe('spin = "fast"'), ["scene.floes[0]", "spin", "'fast'"]),
    "misspelt key": (floe("thicknes = 1.0"), ["scene.floes[0]", "'thicknes'", "Did you mean 'thickness'?"]),
    "floes overlap": (GOOD + FLOE + "ring = [[5, 5], [15, 5], [15, 15]]\n", ["floe 0 and floe 1 overlap", "Move one"]),
    # obstacles and domain
    "obstacle without shape": (GOOD + "[[scene.obstacles]]\nradius = 1\n", ["scene.obstacles[0]", "either a ring"]),
    "obstacle overlaps": (
        GOOD + "[[scene.obstacles]]\nring = [[5, 5], [15, 5], [15, 15]]\n",
        ["floe 0 and obstacle 0 overlap"],
    ),
    "obstacle key": (GOOD + "[[scene.obstacles]]\ncenter = [1, 1]\n", ["scene.obstacles[0]", "Did you mean 'centre'?"]),
    "obstacle ragged": (
        GOOD + "[[scene.obstacles]]\nradius = 1\nring = [[50, 50], [1]]\n",
        ["scene.obstacles[0]", "cannot be read as points"],
    ),
    "domain kind": (GOOD + '[scene.domain]\nkind = "boks"\n', ["scene.domain", "'boks'", "box, periodic"]),
    "domain without bounds": (GOOD + '[scene.domain]\nkind = "box"\nxmin = 0\n', ["scene.domain", "xmax, ymax, ymin"]),
    "domain inside out": (
        GOOD + '[scene.domain]\nkind = "periodic"\nxmin = 9\nxmax = 0\nymin = 0\nymax = 9\n',
        ["scene.domain", "xmin < xmax"],
    ),
    "domain side": (
        GOOD + '[scene.domain]\nkind = "box"\nxmin = 0\nxmax = 9\nymin = 0\nymax = 9\nopen = ["up"]\n',
        ["scene.domain", "no side 'up'"],
    ),
    "domain velocity": (
        GOOD + '[scene.domain]\nkind = "box"\nxmin = 0\nxmax = 9\nymin = 0\nymax = 9\nvelocity = 3\n',
        ["scene.domain", "velocity", "3"],
    ),
    "floe over a wall": (
        GOOD + '[scene.domain]\nkind = "box"\nxmin = 0\nxmax = 9\nymin = 0\nymax = 90\n',
        ["floe 0 reaches 1 m over the right side", "open that side"],
    ),
    "floe as wide as the sea": (
        GOOD + '[scene.domain]\nkind = "periodic"\nxmin = 0\nxmax = 9\nymin = 0\nymax = 90\n',
        ["floe 0 is 10 m by 10 m", "9 m by 90 m", "meet itself"],
    ),
    # forcing
    "wind of one number": (GOOD + "[forcing]\nwind = [10]\n", ["forcing", "wind", "(u, v)"]),
    "wind is text": (GOOD + '[forcing]\nwind = "west"\n', ["forcing.wind", "west: no such forcing file"]),
    "wind in knots of metres": (GOOD + '[forcing]\nwind = ["10 m", 0]\n', ["forcing.wind", "unit 'm'", "speed"]),
    "series without v": (GOOD + "[forcing.wind]\ntimes = [0, 1]\nu = [1, 2]\n", ["forcing.wind", "v missing"]),
    "series goes back": (
        GOOD + "[forcing.wind]\ntimes = [0, 60, 30]\nu = [1, 1, 1]\nv = [0, 0, 0]\n",
        ["forcing.wind", "times must increase", "30 s"],
    ),
    "series too short": (
        GOOD + "[forcing.current]\ntimes = [0, 30]\nu = [1, 1]\nv = [0, 0]\n",
        ["current ends at 30 s", "needs 60 s", "after_end"],
    ),
    "series of two lengths": (
        GOOD + "[forcing.wind]\ntimes = [0, 60]\nu = [1, 1, 1]\nv = [0, 0]\n",
        ["forcing.wind", "one length"],
    ),
    "series key": (
        GOOD + '[forcing.wind]\ntimes = [0, 60]\nu = [1, 1]\nv = [0, 0]\nafterend = "hold"\n',
        ["forcing.wind", "Did you mean 'after_end'?"],
    ),
    "latitude": (GOOD + "[forcing]\nlatitude = 123\n", ["latitude", "123", "-90 and 90"]),
    "latitude and coriolis": (GOOD + "[forcing]\nlatitude = 1\ncoriolis = 1e-4\n", ["forcing", "not both"]),
    "turning": (GOOD + "[forcing]\nturning_angle = 100\n", ["turning_angle", "100"]),
    "relative wind": (GOOD + '[forcing]\nrelative_wind = "no"\n', ["relative_wind", "'no'", "true or false"]),
    "forcing key": (GOOD + "[forcing]\nwinds = [1, 0]\n", ["forcing", "Did you mean 'wind'?"]),
    "load without floe": (GOOD + "[[forcing.loads]]\nforce = [1, 0]\n", ["forcing.loads[0]", "floe is missing"]),
    "load on no floe": (GOOD + "[[forcing.loads]]\nfloe = 7\n", ["floe 7", "floes 0 to 0"]),
    "load backwards": (
        GOOD + "[[forcing.loads]]\nfloe = 0\nstart = 5\nstop = 1\n",
        ["forcing.loads[0]", "start < stop"],
    ),
    "load force": (GOOD + "[[forcing.loads]]\nfloe = 0\nforce = 3\n", ["forcing.loads[0]", "force", "got 3"]),
    "loads is a table": (GOOD + "[forcing.loads]\nfloe = 0\n", ["forcing.loads", "[[forcing.loads]]"]),
    # the rest
    "an Earth that spins": (GOOD + "[forcing]\ncoriolis = 1e5\n", ["coriolis: got 100000 1/s", "at most 100"]),
    "a box that closes": (
        GOOD + '[scene.domain]\nkind = "box"\nxmin = 0\nxmax = 20\nymin = 0\nymax = 20\nvelocity = {right = -1}\n',
        ["left and right sides", "10 m that its widest floe needs", "from t = 10 s on"],
    ),
    "restitution": (GOOD + "[contact]\nrestitution = 1.5\n", ["contact restitution", "1.5", "at most 1"]),
    "friction pair": (GOOD + "[contact]\nfriction = {ice = 0.3}\n", ["contact.friction", "'ice'", "ice-rock"]),
    "contact order": (GOOD + '[contact]\norder = "simultanous"\n', ["Did you mean 'simultaneous'?"]),
    "contact key": (GOOD + "[contact]\nfrictions = 0.1\n", ["contact", "Did you mean 'friction'?"]),
    "scheme kind": (GOOD + '[scheme]\nkind = "event-drive"\n', ["scheme", "Did you mean 'event-driven'?"]),
    "scheme step": (GOOD + "[scheme]\nmax_step = -1\n", ["scheme", "max_step", "-1"]),
    "scheme key": (GOOD + "[scheme]\nmaxstep = 1\n", ["scheme", "Did you mean 'max_step'?"]),
    "seed": ("seed = 1.5\n" + GOOD, ["seed", "1.5", "whole number"]),
    "seed below 0": ("seed = -1\n" + GOOD, ["seed", "-1", "0 or more"]),
    "integrator": ('integrator = "rk4"\n' + GOOD, ["integrator", "'rk4'", "euler, fitted"]),
    "no until": (FLOE + RING, ["until is missing", "2 h"]),
    "until zero": (FLOE + RING + "[run]\nuntil = 0\n", ["until", "above 0"]),
    "until unit": (FLOE + RING + '[run]\nuntil = "2 km"\n', ["until", "unit 'km'", "time"]),
    "until the end of time": (FLOE + RING + "[run]\nuntil = 1e300\n", ["until", "1e+300", "at most 1e+12 s"]),
    "every": (GOOD + "every = -5\n", ["every", "-5"]),
    "run key": (GOOD + "evry = 5\n", ["run", "Did you mean 'every'?"]),
    "output is a number": (GOOD + "output = 3\n", ["run.output", "got 3"]),
    "output in no folder": (GOOD + 'output = "no/such/run.nc"\n', ["no/such/run.nc", "does not exist"]),
    "output of another kind": (GOOD + 'output = "run.csv"\n', ["run.csv", ".csv is not the ending", "such as run.nc"]),
    "start": (GOOD + 'start = "noon"\n', ["run.start", "'noon'", "2024-03-01"]),
    "no floes": (RUN, ["scene", "no floes", "[[scene.floes]]"]),
    "scene is a number": ("scene = 3\n" + RUN, ["scene", "got 3", "[scene]"]),
    "scene file missing": ('[scene]\nfile = "pack.nc"\n' + RUN, ["pack.nc", "no such run file"]),
    "top key": ("tittle = 'x'\n" + GOOD, ["case", "Did you mean 'title'?"]),
    "until a date": (
        FLOE + RING + "[run]\nuntil = 2024-03-01\n",
        ["until", "'2024-03-01', a date", "such as '2 days'"],
    ),
    "records without end": (GOOD + "every = 1e-9\n", ["every", "6e+10 records"]),
    "domain unit": (
        GOOD + '[scene.domain]\nkind = "box"\nxmin = "0 s"\nxmax = 9\nymin = 0\nymax = 9\n',
        ["scene.domain", "xmin", "unit 's'"],
    ),
    "latitude unit": (GOOD + '[forcing]\nlatitude = "81 km"\n', ["forcing", "latitude", "unit 'km'"]),
    "load unit": (
        GOOD + '[[forcing.loads]]\nfloe = 0\nforce = ["1 Pa", 0]\n',
        ["forcing.loads[0]", "force", "unit 'Pa'"],
    ),
    "young unit": (GOOD + '[fracture]\nyoung = "9 m"\n', ["fracture", "young", "unit 'm'"]),
    "series of dates": (
        GOOD + "[forcing.wind]\ntimes = [2024-01-01, 2024-01-02]\nu = [1, 2]\nv = [0, 0]\n",
        ["forcing.wind", "times[0]", "a date"],
    ),
    "not toml": ("[scene\n", ["not valid TOML", "line 1"]),
    "not text": (b"\x89HDF\xff\xfe\x00", ["not a text file"]),
}


def complains(argv, capsys, words):
    """Exit code 2, one or two lines on stderr that hold the words, no traceback, nothing on stdout claims success."""
    try:
        code = main(argv)
    except SystemExit as stop:  # argparse
        code = stop.code
    out, err = capsys.readouterr()
    assert code == 2, (out, err)
    text = err + out
    assert "Traceback" not in text
    for word in words:
        assert word in text, text
    assert err.count("\n") <= 2, err


@pytest.mark.parametrize("name", CASES)
def test_bad_case(name, tmp_path, capsys):
    text, words = CASES[name]
    path = tmp_path / "case.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    complains(["run", str(path), "--quiet"], capsys, [*words, "case.toml"])
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written
    complains(["check", str(path)], capsys, words)


def test_each_mistake_has_its_own_message(tmp_path, capsys):
    messages = {}
    path = tmp_path / "case.toml"
    for name, (text, _) in CASES.items():
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert main(["run", str(path), "--quiet"]) == 2
        messages.setdefault(capsys.readouterr().err, []).append(name)
    shared = [names for names in messages.values() if len(names) > 1]
    assert shared == [["no shape", "two shapes"]]  # which one sentence answers
    assert len(messages) >= 40


def test_the_good_case_is_good(tmp_path, capsys):
    """Otherwise the table above shows nothing."""
    (tmp_path / "case.toml").write_text(GOOD)
    assert main(["check", str(tmp_path / "case.toml")]) == 0
    assert main(["run", str(tmp_path / "case.toml"), "--quiet"]) == 0
    assert (tmp_path / "case.nc").exists()


def test_a_stopped_run_is_not_written_over(tmp_path, capsys):
    (tmp_path / "case.toml").write_text(GOOD)
    (tmp_path / "case.nc.pieces").mkdir()
    complains(["run", str(tmp_path / "case.toml"), "--quiet"], capsys, ["banquise resume", "--force"])
    assert main(["run", str(tmp_path / "case.toml"), "--quiet", "--force"]) == 0


FIRST_RUNS = {  # what makes a run, and the same call, shorter
    "floes": ["run", "case.toml", "--quiet"],
    "blocks": ["blocks", "run", "tower", "--blocks", "2", "--until", "0.02", "--quiet", "-o", "case.nc"],
    "glacier": ["glacier", "run", "ice.toml", "--no-plot", "--quiet", "-o", "case.nc"],
    "demo": ["demo", "--set", "n=5", "--until", "1 min", "--quiet", "-o", "case.nc"],
}


@pytest.mark.parametrize("kind", FIRST_RUNS)
def test_a_finished_run_is_not_written_over(tmp_path, capsys, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text(GOOD)
    (tmp_path / "ice.toml").write_text('[glacier]\nlength = "2 km"\nblock = "100 m"\n[run]\nuntil = 2\n')
    argv, run = FIRST_RUNS[kind], tmp_path / "case.nc"
    assert main(argv) == 0
    before = run.read_bytes()
    complains(argv, capsys, ["case.nc: a run is there already", "--force", "-o"])
    assert run.read_bytes() == before
    assert main([*argv, "--force"]) == 0


def test_an_empty_file_and_the_last_demo_give_way(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text(GOOD)
    (tmp_path / "case.nc").touch()  # as tempfile makes it
    assert main(["run", "case.toml", "--quiet"]) == 0
    for _ in range(2):
        assert main(["demo", "--set", "n=5", "--until", "1 min", "--quiet"]) == 0


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_only_a_run_gives_way_to_a_run(tmp_path, capsys, force):
    """A file of wind of the same name as the case was written over by its first run; /dev/null was taken away."""
    (tmp_path / "case.toml").write_text(GOOD)
    xr.Dataset({"u10": ("time", np.arange(3.0))}).to_netcdf(tmp_path / "case.nc")
    before = (tmp_path / "case.nc").read_bytes()
    argv = ["run", str(tmp_path / "case.toml"), "--quiet", *force]
    complains(argv, capsys, ["no run file is there"])
    assert (tmp_path / "case.nc").read_bytes() == before
    os.mkfifo(tmp_path / "pipe")
    complains([*argv, "-o", str(tmp_path / "pipe")], capsys, ["pipe", "expected the name of a file"])
    assert (tmp_path / "pipe").is_fifo()


def damaged(path, how):
    """Files that are not run files, each in its own way."""
    if how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_text("x y z")
    elif how == "other netcdf":
        xr.Dataset({"t": ("n", np.arange(3))}).to_netcdf(path)
    else:
        from banquise.scenes.drift import drifting_floes

        drifting_floes(2).run(until=10.0, output=path)
        if how == "cut":
            path.write_bytes(path.read_bytes()[:3000])
        elif how == "group without variable":
            import netCDF4

            with netCDF4.Dataset(path, "a") as data:
                data["events"].renameVariable("slip", "slid")
        elif how == "no case":
            import netCDF4

            with netCDF4.Dataset(path, "a") as data:
                data["case"].delncattr("json")
        elif how == "case not json":
            import netCDF4

            with netCDF4.Dataset(path, "a") as data:
                data["case"].json = "{"


@pytest.mark.parametrize(
    "how,words",
    {
        "empty": ["not a Banquise run file"],
        "text": ["not a Banquise run file"],
        "other netcdf": ["not a Banquise run file"],
        "cut": ["damaged"],
        "group without variable": ["damaged", "changed"],
        "no case": ["not a Banquise run file", "case"],
        "case not json": ["damaged", "changed"],
    }.items(),
)
def test_bad_run_file(how, words, tmp_path, capsys):
    damaged(tmp_path / "run.nc", how)
    complains(["inspect", str(tmp_path / "run.nc")], capsys, [*words, "run.nc"])


def test_damaged_pieces(tmp_path, capsys):
    folder = tmp_path / "run.nc.pieces"
    folder.mkdir()
    complains(["inspect", str(tmp_path / "run.nc")], capsys, ["without their start"])
    (folder / "start.nc").write_text("not netcdf")
    complains(["inspect", str(tmp_path / "run.nc")], capsys, ["start.nc"])


@pytest.mark.parametrize(
    "argv,words",
    [
        (["rnu"], ["no command 'rnu'", "Did you mean 'run'?"]),
        (["run"], ["case"]),
        (["run", "none.toml"], ["none.toml", "no such case file"]),
        (["run", "."], ["is a folder"]),
        (["check", "none.toml"], ["none.toml", "no such case file"]),
        (["inspect", "none.nc"], ["none.nc", "no such run file"]),
        (["inspect", "none.toml"], ["none.toml", "no such case file"]),
        (["inspect", "."], ["is a folder"]),
        (["run", "GOOD", "--until", "2 parsecs"], ["until", "unit 'parsecs'"]),
        (["run", "GOOD", "--every", "0 s"], ["every", "above 0"]),
        (["run", "GOOD", "--threads", "0"], ["threads", "0"]),
        (["run", "GOOD", "--threads", "two"], ["threads", "two"]),
        (["run", "GOOD", "-o", "no/such/place.nc"], ["no/such/place.nc", "does not exist"]),
        (["run", "GOOD", "-o", "."], ["is a folder"]),
        (["demo", "-o", "no/such/place.nc"], ["does not exist"]),
        (["validate", "drfit"], ["no group 'drfit'", "Did you mean 'drift'?"]),
        (["bench", "fundation"], ["no benchmark 'fundation'", "Did you mean 'foundation'?"]),
        (["run", "GOOD", "--fast"], ["--fast"]),
        (["new", "no/such/case.toml"], ["no/such", "does not exist"]),
        (["floes", "pack", "-n", "9", "--exponent", "nan"], ["exponent", "nan", "such as 1.5"]),
        (["floes", "info", "none.csv"], ["none.csv: no such file"]),
        (["glacier", "run", "none.toml"], ["none.toml: no such case file"]),
        (["blocks", "run", "towr"], ["Did you mean 'tower'?"]),
        (["demo", "--set", "frogs=3"], ["no parameter 'frogs'"]),
        (["demo", "--seed", "-1"], ["seed: got -1"]),
        (["floes", "pack", "-n", "9", "--seed", "-1"], ["pack: seed: got -1"]),
        (["run", "GOOD", "-o", "run.csv"], ["run.csv", "banquise export", "such as run.nc"]),
        (["demo", "-o", "demo.html"], [".html is not the ending of a run file"]),
        (["blocks", "run", "tower", "-o", "tower.png"], [".png is not the ending of a run file"]),
        (["inspect", "ice.geojson"], ["ice.geojson", "banquise floes info ice.geojson"]),
        (["movie", "good.toml"], ["a case file, not a run file"]),
        (["run", "GOOD", "--thread", "1", "--untill", "5"], ["--untill", "Did you mean '--until'?"]),
        (["view", "run.nc", "--color", "speed"], ["--color", "Did you mean '--colour'?"]),
        (["export", "run.nc"], ["--to is missing: vtk, geoparquet, csv, zarr"]),
        (["export", "run.nc", "--to", "parquet"], ["no --to 'parquet'", "Did you mean 'geoparquet'?"]),
        (["floes"], ["action is missing: pack, voronoi"]),
        (["floes", "infos", "a.csv"], ["no action 'infos'", "Did you mean 'info'?"]),
        (["floes", "tile", "a.csv"], ["across is missing: how many along x"]),
        (["floes", "pack", "--n", "30"], ["--n 30", "Did you mean '-n'?"]),  # not short for --no-plot
        (["sweep"], ["SWEEP.toml is missing"]),
        (["plot", "run.nc", "energy", "-o", "a.jpg"], ["a.jpg", "ends in .png, .pdf or .svg"]),
        (["glacier", "stability", "none.toml", "--plot", "a.xyz"], ["a.xyz", ".png"]),
        (["floes", "pack", "-n", "9", "--plot", "a.xyz"], ["a.xyz", ".png"]),
        (["floes", "pack", "-n", "9", "--min-size", "20", "--max-size", "10"], ["min_size is 20.0, max_size 10.0"]),
        (["floes", "info", "metres.geojson"], ["up to 1500, which are no degrees", '"frame": "local frame, metres"']),
    ],
)
def test_bad_command_line(argv, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "ice.geojson").write_text("{}")
    ring = "[[0, 0], [1500, 0], [1500, 900], [0, 0]]"
    (tmp_path / "metres.geojson").write_text(f'{{"type": "Polygon", "coordinates": [{ring}]}}')
    complains(["good.toml" if a == "GOOD" else a for a in argv], capsys, words)


def test_units_are_read_wherever_a_key_is_a_quantity(tmp_path, capsys):
    """The same case in plain numbers and in text with units, as people write them."""
    from banquise.case import load_case
    from banquise.case_tables import tables_of, toml_of

    plain, worded = tmp_path / "plain.toml", tmp_path / "worded.toml"
    text = """
    [scene.domain]
    kind = "box"
    xmin = {xmin}
    xmax = 500
    ymin = -500
    ymax = 500
    velocity = {{right = {wall}}}
    [[scene.floes]]
    centre = [{x}, 0]
    radius = {radius}
    thickness = {thickness}
    velocity = [{speed}, 0]
    [forcing]
    latitude = {latitude}
    wind = {{times = {times}, u = [{wind}, 0], v = [0, 0]}}
    [[forcing.loads]]
    floe = 0
    force = [{force}, 0]
    [fracture]
    young = {young}
    toughness = {toughness}
    [run]
    until = {until}
    """
    numbers = dict(xmin=-500.0, wall=-0.01, x=10, radius=20, thickness=0.8, speed=0.5, latitude=81, times=[0, 3600])
    numbers |= dict(wind=10, force=2000, young=9e9, toughness=12.0, until=600)
    words = dict(xmin="-0.5 km", wall="-1 cm/s", x="10 m", radius="20 metres", thickness="80 cm", speed="50 cm/s")
    words |= dict(latitude="81 deg", wind="36 km/h", force="2 kN", young="9 GPa", toughness="12 J/m2")
    quoted = {name: f'"{word}"' for name, word in words.items()} | {"times": '["0 s", "1 hour"]', "until": 600}
    plain.write_text(text.format(**numbers))
    worded.write_text(text.format(**quoted))
    first, second = (toml_of(tables_of(load_case(path))) for path in (plain, worded))
    assert first == second


@pytest.mark.parametrize(
    ("text", "metres"), [("20 in", 0.508), ("6 inches", 0.1524), ("150 ft", 45.72), ("2 NM", 3704.0)]
)
def test_lengths_of_ships_and_piers_are_read(text, metres):
    from banquise.units import quantity

    assert quantity(text, "length") == pytest.approx(metres, rel=1e-15)


def test_a_glacier_is_no_run_of_floes(tmp_path, capsys, monkeypatch):
    """A good file for the wrong command: what it is, and what to do with it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ice.toml").write_text("[glacier]\nlength = 1000\nblock = 100\n[run]\nuntil = 1\n")
    assert main(["glacier", "run", "ice.toml", "--no-plot", "--quiet"]) == 0
    capsys.readouterr()
    for argv in (
        ["resume", "ice.nc", "--until", "5"],
        ["export", "ice.nc", "--to", "csv"],
        ["floes", "info", "ice.nc"],
    ):
        complains(argv, capsys, ["ice.nc: a run of a glacier", "banquise view"])


def test_a_run_does_not_write_over_what_is_no_run(tmp_path, capsys):
    case = tmp_path / "case.toml"
    case.write_text(GOOD + f'output = "{case}"\n')
    text = case.read_text()
    complains(["check", str(case)], capsys, ["a file that is no run file is there", "such as run.nc"])
    complains(["run", str(case)], capsys, ["a file that is no run file is there"])
    assert case.read_text() == text


def test_a_load_beside_its_floe_is_said(tmp_path, capsys):
    case = tmp_path / "case.toml"
    case.write_text(GOOD + "[[forcing.loads]]\nfloe = 0\npoint = [900, 0]\nforce = [1, 0]\n")
    assert main(["check", str(case)]) == 0
    assert "point (900.0, 0.0) lies beside floe 0" in capsys.readouterr().out


def test_a_case_from_an_editor_that_marks_its_files(tmp_path, capsys):
    """Notepad begins a file with a byte order mark, and ends lines in its own way."""
    (tmp_path / "case.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert main(["check", str(tmp_path / "case.toml")]) == 0


MARK = b"\xef\xbb\xbf"
MARKED = {
    "floes.geojson": ["floes", "info"],
    "floes.csv": ["floes", "info"],
    "floes.wkt": ["floes", "info"],
    "ice.toml": ["glacier", "stability", "--no-plot"],
    "plan.toml": ["sweep", "--workers", "0"],
}


@pytest.mark.parametrize("name", MARKED)
def test_files_that_begin_with_a_mark(name, tmp_path, capsys, monkeypatch):
    import banquise as bq
    from banquise.scene.makers.files import read_floes, write_scene

    monkeypatch.chdir(tmp_path)
    if name.startswith("floes"):
        square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]])
        rocks = [] if name == "floes.wkt" else [bq.Obstacle(square + 20)]  # which has no place for them
        write_scene(bq.Scene([bq.Floe(square)], rocks), name)
        text = (tmp_path / name).read_bytes()
    elif name == "ice.toml":
        text = b"[glacier]\nlength = 1000\nblock = 100\n"
    else:
        (tmp_path / "case.toml").write_bytes(MARK + GOOD.encode())
        text = b'case = "case.toml"\nseeds = 1\n'
    (tmp_path / name).write_bytes(MARK + text)
    assert main([*MARKED[name], name]) == 0
    if name == "floes.csv":
        assert len(read_floes(name).obstacles) == 1  # whose column is the first


def test_a_block_whose_file_begins_with_a_mark(tmp_path):
    import banquise as bq

    corners, faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "rock.obj").write_bytes(MARK + (corners + faces).encode())
    assert bq.Polyhedron.from_file(tmp_path / "rock.obj").volume == pytest.approx(1 / 6)


def test_the_name_of_a_file_is_a_wind(tmp_path):
    import banquise as bq

    times = np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]")
    axes = {"time": times, "latitude": [80.0, 79.0], "longitude": [0.0, 1.0]}
    wind = {name: (tuple(axes), np.full((2, 2, 2), 7.0)) for name in ("u10", "v10")}
    xr.Dataset(wind, axes).to_netcdf(tmp_path / "era5.nc")
    head, tail = 'crs = "EPSG:3413"\n', '[forcing]\nwind = "era5.nc"\n'
    (tmp_path / "case.toml").write_text(head + GOOD + 'start = "2024-01-01"\n' + tail)
    told = tmp_path / "told.toml"
    told.write_text(head + GOOD + 'start = "2024-01-01"\n' + tail.replace('"era5.nc"', '{file = "era5.nc"}'))
    short, long = (bq.load_case(path).forcing.wind for path in (tmp_path / "case.toml", told))
    assert short.describe() == long.describe()


def test_what_is_not_installed_is_named(monkeypatch, capsys, tmp_path):
    import importlib.util

    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "skimage" else there(name, *a))
    complains(["floes", "from-image", "ice.png"], capsys, ["skimage", "pip install 'banquise[image]'"])


def test_bad_threads_variable(tmp_path, capsys, monkeypatch):
    import banquise.threads as threads

    monkeypatch.setenv("BANQUISE_THREADS", "many")
    monkeypatch.setattr(threads, "_threads", 0)
    (tmp_path / "good.toml").write_text(GOOD)
    complains(["run", str(tmp_path / "good.toml"), "--quiet"], capsys, ["BANQUISE_THREADS", "'many'"])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["view"], ["a case file, not a run file", "banquise run"]),
        (["glacier", "run"], ["a case of floes", "banquise run"]),
        (["sweep"], ["a case file, not a sweep", "parameters"]),
    ],
)
def test_a_good_file_for_the_wrong_command(tmp_path, capsys, command, words):
    """What a newcomer does: the answer says what the file is, and what to do with it."""
    (tmp_path / "case.toml").write_text(GOOD)
    assert main([*command, str(tmp_path / "case.toml")]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said


GLACIER = "[glacier]\nlength = 100\nblock = 10\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GLACIER + "thicknes = 3\n", ["thicknes", "Did you mean 'thickness'"]),
        (GLACIER + "[run]\nscheme = 'verlt'\n", ["no 'verlt'", "Did you mean 'verlet'"]),
        (GLACIER + "[run]\nuntil = 0\n", ["until is 0 s"]),
        (GLACIER + "[run]\nstep = '1 s'\n", ["beyond the elastic limit", "smaller step"]),
        (GLACIER + "[run]\nalpha = -1\nscheme = 'hht'\n", ["alpha is -1"]),
    ],
)
def test_check_says_of_a_glacier_what_its_run_would(text, words, tmp_path, capsys):
    (tmp_path / "ice.toml").write_text(text)
    for argv in (["check"], ["glacier", "run"]):
        complains([*argv, str(tmp_path / "ice.toml")], capsys, words)


def test_check_of_a_good_glacier(tmp_path, capsys):
    (tmp_path / "ice.toml").write_text(GLACIER + "[run]\nuntil = '1 s'\nstep = '0.01 s'\nevery = '0.1 s'\n")
    assert main(["check", str(tmp_path / "ice.toml")]) == 0
    out = capsys.readouterr().out
    assert "11 nodes, 11 records" in out and "100 steps of 0.01 s" in out and "ready to run" in out


def test_a_glacier_is_not_run_as_floes(tmp_path, capsys):
    (tmp_path / "ice.toml").write_text("[glacier]\nlength = 100\nblock = 10\n")
    assert main(["run", str(tmp_path / "ice.toml")]) == 2
    assert "banquise glacier run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv,words",
    [
        (["view", "-o", "run.nc"], [".nc is not the ending of a page"]),
        (["report", "-o", "run.nc"], [".nc is not the ending of a page"]),
        (["export", "--to", "csv", "-o", "run.nc"], [".nc is not the ending of a csv export", "such as run.csv"]),
        (["movie", "-o", "run.nc"], ["ends in .mp4 or .gif"]),
    ],
)
def test_a_run_file_is_not_written_over(argv, words, tmp_path, capsys, monkeypatch):
    from banquise.scenes.drift import drifting_floes

    monkeypatch.chdir(tmp_path)
    drifting_floes(2).run(until=10.0, output="run.nc")
    before = (tmp_path / "run.nc").read_bytes()
    complains([argv[0], "run.nc", *argv[1:]], capsys, words)
    assert (tmp_path / "run.nc").read_bytes() == before


def test_a_floe_outside_is_said_by_check(tmp_path, capsys):
    case = tmp_path / "case.toml"
    case.write_text(GOOD + '[scene.domain]\nkind = "periodic"\nxmin = 50\nxmax = 99\nymin = 0\nymax = 99\n')
    assert main(["check", str(case)]) == 0
    assert "floe 0 at (5, 5) m lies outside the periodic domain" in capsys.readouterr().out


def test_a_case_of_a_glacier_is_shown(tmp_path, capsys):
    """It was sent away to `banquise glacier run`, though `inspect` is for cases of all kinds."""
    path = tmp_path / "ice.toml"
    path.write_text('[glacier]\nlength = "2 km"\nblock = "100 m"\n[run]\nuntil = 2\nstep = 0.02\n')
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "20 blocks of 100 m" in out and "100 steps of 0.02 s" in out and "load: none" in out
    assert main(["inspect", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["glacier"]["block"] == "100 m"
    path.write_text('[glacier]\nlength = "2 km"\nblock = "100 m"\n[run]\nuntil = 2\nstep = 9\n')
    complains(["inspect", str(path)], capsys, ["step 9 s is beyond the elastic limit"])


def test_results_of_a_sweep_are_said_to_be_no_run(tmp_path, capsys):

    path = tmp_path / "sweep.nc"
    told = {"title": "drift", "members": 2, "done": 2}
    xr.Dataset({"speed": ("seed", [1.0, 2.0])}, {"seed": [0, 1]}, told).to_netcdf(path)
    for command in ("view", "plot", "report", "movie", "resume"):
        complains([command, str(path)], capsys, ["the results of a sweep, not a run", "banquise inspect"])
