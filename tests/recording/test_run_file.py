"""The run file as others see it: CF, plain xarray, the map."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.projection import Projection
from banquise.recording import run_file, write_run


@pytest.fixture(scope="module")
def on_a_map(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.nc"
    x, y = (float(c) for c in Projection("EPSG:3413").to_map(30.0, 81.0))
    floes = [bq.Disc((x + 3000 * k, y), 100.0, name=f"floe {k}") for k in range(4)]
    sim = bq.Simulation(bq.Scene(floes), bq.Forcing(wind=(8, 2), current=(0, 0)), crs="EPSG:3413", start="2024-03-01")
    run = sim.run("1 h", "10 min", output=path)
    return path, run


def test_lon_lat_and_grid_mapping(on_a_map):
    path, run = on_a_map
    data = xr.open_dataset(path)
    lon, lat = Projection("EPSG:3413").to_lonlat(data.x.values, data.y.values)
    np.testing.assert_allclose(data.lon, lon, atol=1e-12)
    np.testing.assert_allclose(data.lat, lat, atol=1e-12)
    assert data.lat.attrs["standard_name"] == "latitude" and "lon" in data.u.coords
    assert {**data.u.encoding, **data.u.attrs}["grid_mapping"] == "crs" and data.crs.attrs[
        "grid_mapping_name"
    ] == "polar_stereographic"
    assert str(data.time.values[-1]).startswith("2024-03-01T01:00")
    stress = {"stress_xx", "stress_xy", "stress_yy"}
    assert set(run.dataset.data_vars) == {"x", "y", "rotation", "u", "v", "spin"} | stress
    assert "lat" in run.dataset.coords
    assert run.dataset.time.values[-1] == 3600.0


def test_scale_error_is_reported(on_a_map, capsys):
    from banquise.cli import main

    path, _ = on_a_map
    assert main(["inspect", str(path)]) == 0
    said = capsys.readouterr().out
    # polar stereographic, true at 70 N: k = k0 (1 + sin 70) / (1 + sin lat) on the sphere = 0.9755 at 81 N
    assert "scale error -2." in said


def test_scale_of_polar_stereographic():
    """On the ellipsoid to 0.1 % as on the sphere: (1 + sin 70) / (1 + sin latitude)."""
    p = Projection("EPSG:3413")
    for latitude in (60.0, 70.0, 81.0, 89.9):
        scale = p.scale(*p.to_map(12.0, latitude))
        expected = (1 + np.sin(np.radians(70))) / (1 + np.sin(np.radians(latitude)))
        np.testing.assert_allclose(scale, expected, rtol=1.5e-3)  # flattening 1/298 over the range of latitudes


def test_blocks_give_the_same_file(tmp_path, on_a_map, monkeypatch):
    """Written in chunks of any size, read whole or on demand: the same numbers."""
    _, run = on_a_map
    monkeypatch.setattr(write_run, "CHUNK", 3)
    monkeypatch.setattr(run_file, "IN_MEMORY", 0.0)
    run.save(tmp_path / "again.nc")
    again = bq.open_run(tmp_path / "again.nc")
    for name in run.dataset.data_vars:
        np.testing.assert_array_equal(run.dataset[name].values, again.dataset[name].values)
    np.testing.assert_array_equal(run.records["state"], again.records["state"])
    assert [f.name for f in again.scene.floes] == ["floe 0", "floe 1", "floe 2", "floe 3"]


def test_cf_checker(on_a_map):
    """No error from the CF checker."""
    pytest.importorskip("compliance_checker")
    from compliance_checker.suite import CheckSuite

    suite = CheckSuite()
    suite.load_all_available_checkers()
    path, _ = on_a_map
    data = suite.load_dataset(str(path))
    groups = suite.run_all(data, ["cf:1.11"])["cf:1.11"][0]
    errors = [f"{r.name}: {r.msgs}" for r in groups if r.weight >= 3 and r.value and r.value[0] < r.value[1]]
    assert not errors, "\n".join(errors)


def test_save_writes_over_no_other_file(tmp_path):
    run = bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0)])).run(until=2, every=1)
    case = tmp_path / "case.toml"
    case.write_text("title = 'mine'")
    wrong = {
        case: "a file that is no run file",
        tmp_path / "a.txt": ".txt is not the ending",
        tmp_path / "no" / "a.nc": "the folder .* does not exist",
        3: "expected the name of a file",
    }
    for name, says in wrong.items():
        with pytest.raises(bq.BanquiseError, match=says):
            run.save(name)
    assert case.read_text() == "title = 'mine'" and [p.name for p in tmp_path.iterdir()] == ["case.toml"]
