"""Case files and the command line."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise import glacier as gl
from banquise.cli import main
from banquise.errors import CaseError

CASE = """
[glacier]
length = "2 km"
block = "100 m"
thickness = "800 m"
slope = "1 deg"
young = "0.92 GPa"
[friction]
law = "Weertman"
coefficient = 5623413.251903491
[load]
shape = "HalfSine"
peak = "310.75 MN/m"
duration = "20 s"
[run]
until = "20 s"
step = "0.02 s"
"""


@pytest.fixture
def case(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "front.toml"
    path.write_text(CASE)
    return path


def _parsed(text, folder=None):
    import tomllib

    from banquise.glacier.case import parse_case

    return parse_case(tomllib.loads(text), *([folder] if folder else []))


def test_a_case_and_a_script_give_the_same_bits(case):
    told = gl.read_case(case).run()
    scripted = gl.Glacier(2000.0, 100.0, friction=gl.Weertman(10**6.75)).run(
        gl.HalfSine(310.75e6, 20.0), until=20.0, step=0.02
    )
    assert told.peak_seismic_force == scripted.peak_seismic_force
    assert told.dataset.identical(scripted.dataset)


def test_values_along_the_chain():
    text = """
        [glacier]
        length = 1000
        block = 500
        thickness = { x = ["0 km", "1 km"], value = ["500 m", "700 m"] }
        slope = [1, 1.5, "2 deg"]
    """
    g = _parsed(text).glacier
    assert np.allclose(g.thickness, [500, 600, 700]) and np.allclose(g.slope, [1, 1.5, 2])


@pytest.mark.parametrize(
    ("load", "kind"),
    [
        ('shape = "Capsize"\nheight = "1 km"\naspect = 0.3', gl.Capsize),
        ('shape = "Iceberg"\nheight = "600 m"\nturn = "top-out"', gl.Iceberg),
        ('shape = "Table"\ntimes = ["0 s", "1 min"]\nforces = [0, 1e6]', gl.Table),
        ('shape = "Table"\nfile = "push.csv"', gl.Table),
        ('shape = "SinSquared"\npeak = 1e6\nduration = 5', gl.SinSquared),
    ],
)
def test_every_shape_of_load(load, kind, tmp_path):
    (tmp_path / "push.csv").write_text("time,force\n0,0\n5,1e6\n")
    assert isinstance(_parsed(f"[glacier]\nlength = 1000\nblock = 100\n[load]\n{load}", tmp_path).load, kind)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("thickness", "thicknes", "Did you mean 'thickness'"),
        ("[friction]", "[fricton]", "Did you mean 'friction'"),
        ('law = "Weertman"', 'law = "Weerman"', "Did you mean 'Weertman'"),
        ("coefficient", "coeficient", "Did you mean 'coefficient'"),
        ("coefficient = 5623413.251903491", "", "needs coefficient"),
        ('"HalfSine"', '"Halfsine"', "Did you mean 'HalfSine'"),
        ('"310.75 MN/m"', '"310.75 MNm"', "MN/m"),
        ('shape = "HalfSine"', "", "shape is missing"),
        ('"0.02 s"', '"0.2 s"', "beyond the elastic limit"),
        ('until = "20 s"', 'untill = "20 s"', "Did you mean 'until'"),
        ('"800 m"', "-800", "thickness is -800 m"),
        ('slope = "1 deg"', "slope = 90", "slope is 90 degrees"),
        ('block = "100 m"', "", "block is missing"),
        ('block = "100 m"', 'block = "3 km"', "no block"),
        ("[glacier]", "[glacier", "not valid TOML"),
        ('step = "0.02 s"', "scheme = 3", "expected text"),
        ('duration = "20 s"', "duration = nan", "finite"),
    ],
)
def test_a_mistake_is_one_plain_line_and_code_2(case, capsys, old, new, says):
    case.write_text(CASE.replace(old, new))
    assert main(["glacier", "run", str(case), "--no-plot"]) == 2
    error = capsys.readouterr().err
    assert says in error and "Traceback" not in error and len(error.splitlines()) <= 2


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('slope = "1 deg"', "slope = 90", "[glacier]: slope"),
        ('duration = "20 s"', "duration = nan", "[load]: "),
        ("coefficient = 5623413.251903491", "coefficient = -1", "[friction]: "),
    ],
)
def test_a_value_that_cannot_be_names_its_table(case, capsys, old, new, where):
    case.write_text(CASE.replace(old, new))
    assert main(["check", str(case)]) == 2
    assert f"{case} {where}" in capsys.readouterr().err


def test_the_nearest_block_is_one_that_fits(case, capsys):
    case.write_text(CASE.replace('block = "100 m"', 'block = "97 m"'))
    assert main(["check", str(case)]) == 2
    nearest = capsys.readouterr().err.split("Nearest block: ")[1].split(" m.")[0]
    case.write_text(CASE.replace('block = "100 m"', f"block = {nearest}"))
    assert main(["check", str(case)]) == 0


def test_nan_in_a_table_file(case, capsys, tmp_path):
    (tmp_path / "push.csv").write_text("0,0\n5,nan\n9,0\n")
    text = CASE[: CASE.index("[load]")] + '[load]\nshape = "Table"\nfile = "push.csv"\n'
    case.write_text(text)
    assert main(["glacier", "run", str(case)]) == 2
    assert "forces[1] is nan" in capsys.readouterr().err
    (tmp_path / "push.csv").write_text("0,0\n5,much\n")
    assert main(["glacier", "run", str(case)]) == 2
    assert "line 2" in capsys.readouterr().err


def test_run_writes_file_picture_and_json(case, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    assert main(["glacier", "run", str(case), "-o", "out.nc", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["peak_seismic_force"] == pytest.approx(310.8e6, rel=1e-3)
    with xr.open_dataset(tmp_path / "out.nc") as data:
        assert data.displacement.dims == ("time", "node") and data.displacement.units == "m"
        assert float(data.seismic_force.max()) == pytest.approx(told["peak_seismic_force"], rel=1e-3)
    assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"
    assert main(["glacier", "run", str(case), "-o", "out.nc", "--force", "--no-plot", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_run_goes_beside_its_case_and_until_is_taken(case, capsys, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    options = ["--until", "20 s", "--every", "2 s", "--no-plot"]
    assert main(["glacier", "run", str(case), *options]) == 0
    assert list(elsewhere.iterdir()) == []
    with xr.open_dataset(case.with_suffix(".nc"), decode_timedelta=False) as data:
        assert float(data.time[-1]) == 20.0 and data.sizes["time"] == 11
    assert main(["glacier", "run", str(case), "--until", "soon"]) == 2
    assert "until" in capsys.readouterr().err


def test_stability_writes_limits_and_picture(case, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    assert main(["glacier", "stability", str(case), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["friction_limit"] == pytest.approx(3.943e-4, rel=1e-4)
    assert told["elastic_limit"] == pytest.approx(0.1)
    assert (tmp_path / "front-stability.png").exists()
    assert main(["glacier", "stability", str(case), "--no-plot"]) == 0
    assert "a + b/2" in capsys.readouterr().out


def test_one_block_has_no_elastic_limit_in_json(case, capsys):
    case.write_text("[glacier]\nlength = 500\nblock = 500")
    assert main(["glacier", "stability", str(case), "--json", "--no-plot"]) == 0
    assert json.loads(capsys.readouterr().out)["elastic_limit"] is None


def test_without_matplotlib_the_run_goes_on(case, capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["glacier", "run", str(case)]) == 0
    assert "banquise[plot]" in capsys.readouterr().err
    assert main(["glacier", "run", str(case), "--plot", "p.png"]) == 2


def test_every_known_answer_is_met():
    from banquise.validation import rows

    missed = [row for _, row in rows(["glacier"]) if not row.passed]
    assert missed == []


def test_unknown_public_name_is_an_error():
    with pytest.raises(AttributeError):
        bq.glacier.Glaicer  # noqa: B018


def test_a_long_uneven_chain_still_gets_its_limits(case, capsys):
    case.write_text('[glacier]\nlength = "20 km"\nblock = 100\nthickness = { x = [0, 20000], value = [500, 900] }')
    assert main(["glacier", "stability", str(case)]) == 0
    told = capsys.readouterr()
    assert "verlet_limit" in told.out and "no picture" in told.err


EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("glacier*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_cases_run(path, tmp_path, capsys):
    assert main(["glacier", "run", str(path), "-o", str(tmp_path / "out.nc"), "--json", "--no-plot"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["impulse_residual"] < 1e-12 and told["warnings"] == []
    # 310.7594 MN/m of the standard case; 33 MN/m of an iceberg of 800 m
    expected = 310.7594e6 if path.stem == "glacier_seed" else 33e6
    assert told["peak_seismic_force"] == pytest.approx(expected, rel=0.02)


def test_there_are_examples():
    assert len(EXAMPLES) == 2


def test_members_of_an_ensemble_join(case):
    """Case tables in, a dataset out: numbers without dimension, so that xarray joins the members."""
    tables = tomllib.loads(CASE)
    members = []
    for length in (1000.0, 2000.0):
        tables["glacier"]["length"] = length
        members.append(bq.glacier.run_case(tables))
    joined = xr.concat(members, xr.Variable("length", [1000.0, 2000.0], {"units": "m"}))
    assert joined.peak_seismic_force.dims == ("length",) and joined.peak_seismic_force.units == "N m-1"
    assert float(joined.front_displacement[0]) > 0
    direct = bq.glacier.read_case(case).run()
    assert float(joined.peak_seismic_force[1]) == direct.peak_seismic_force
    kept = bq.glacier.run_case(tables, keep=["seismic_force"])
    np.testing.assert_array_equal(kept.seismic_force, direct.dataset.seismic_force)
    with pytest.raises(CaseError, match="keep: no field 'seismic'"):
        bq.glacier.run_case(tables, keep=["seismic"])


def test_friction_that_varies_along_the_chain(tmp_path):
    path = tmp_path / "along.toml"
    path.write_text(
        "[glacier]\nlength = 2000\nblock = 500\n[friction]\ncoefficient = { x = [0, 2000], value = [5e6, 1e7] }\n"
    )
    rows = 5e6 * (1 + np.arange(5) / 4)
    expected = gl.Glacier(2000.0, 500.0, friction=gl.Weertman(rows)).equilibrium_speed
    assert gl.read_case(path).glacier.equilibrium_speed == expected


@pytest.mark.parametrize(
    "lines, said",
    [
        (
            "[load]\nshape = 'HalfSine'\npeak = 1e6\nduration = [1, 2]",
            r"\[load\]: HalfSine: duration is .* expected one number",
        ),
        ("[load]\nshape = 'HalfSine'\nduration = 1\npeak = { x = [0], value = [1] }", "peak is a table of x and value"),
        ("[load]\nshape = 'Capsize'\naspect = 0.9", r"\[load\]: Capsize: aspect is 0.9"),
        ("[load]\nshape = 'Capsize'\nheight = [1, 2]", r"\[load\]: Capsize: height"),
        ("[friction]\nlaw = 'Budd'\ncoefficient = 3\nq = [1, 2]", "Budd: q has 2 values for 5 nodes"),
        ("[run]\nalpha = { x = [0], value = [1] }", "alpha is a table of x and value"),
        ("[run]\nscheme = 'hht'\ntolerance = -1", "tolerance: got -1"),
    ],
)
def test_values_of_the_wrong_kind_are_no_tracebacks(tmp_path, capsys, lines, said):
    path = tmp_path / "wrong.toml"
    path.write_text(f"[glacier]\nlength = 2000\nblock = 500\n{lines}\n")
    assert main(["glacier", "run", str(path), "--no-plot"]) == 2
    told = capsys.readouterr().err
    assert len(told.strip().splitlines()) <= 2
    with pytest.raises(CaseError, match=said):
        raise CaseError(told)
