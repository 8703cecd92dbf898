"""Exports read back: the same floes at the same places."""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.cli import main
from banquise.errors import CaseError
from banquise.export import export

HOLE = [(4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0)]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A floe with a hole, a concave one, a disc; turning and drifting, on a map."""
    ell = [(100.0, 0.0), (120.0, 0.0), (120.0, 5.0), (105.0, 5.0), (105.0, 20.0), (100.0, 20.0)]
    floes = [
        bq.Floe([(0, 0), (10, 0), (10, 10), (0, 10)], holes=[HOLE], spin=0.01),
        bq.Floe(ell, velocity=(0.1, 0.05), spin=-0.02),
        bq.Disc((200.0, 0.0), 8.0, velocity=(0.2, 0.0)),
    ]
    where = tmp_path_factory.mktemp("run") / "run.nc"
    sim = bq.Simulation(bq.Scene(floes), crs="EPSG:3413", start="2024-03-01T06:00")
    sim.run(100.0, 25.0, output=where)
    return where


def areas(points, triangles):
    a, b, c = (points[triangles[:, k], :2] for k in range(3))
    return 0.5 * np.abs((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))


def arrays_of(file):
    found = {}
    for entry in ElementTree.parse(file).iter("DataArray"):
        raw = base64.b64decode(entry.text)
        size = int(np.frombuffer(raw[:8], "<u8")[0])
        assert size == len(raw) - 8
        kind = {"Float64": "<f8", "Int64": "<i8"}[entry.get("type")]
        found[entry.get("Name")] = np.frombuffer(raw[8:], kind)
    return found


def test_vtk(path, tmp_path, capsys):
    assert main(["export", str(path), "--to", "vtk", "-o", str(tmp_path / "out")]) == 0
    run = bq.open_run(path)
    listing = ElementTree.parse(tmp_path / "out" / "floes.pvd")
    entries = [(float(e.get("timestep")), e.get("file")) for e in listing.iter("DataSet")]
    assert [t for t, _ in entries] == [0.0, 25.0, 50.0, 75.0, 100.0]
    for k, (_, name) in enumerate(entries):
        got = arrays_of(tmp_path / "out" / name)
        points, triangles = got["Points"].reshape(-1, 3), got["connectivity"].reshape(-1, 3)
        np.testing.assert_array_equal(got["offsets"], 3 * np.arange(1, len(triangles) + 1))
        area = np.bincount(got["floe"], weights=areas(points, triangles))
        # the hole is no ice; a disc is drawn with 64 chords: 0.2 % less
        np.testing.assert_allclose(area[:2], [96.0, 175.0], rtol=1e-12)
        np.testing.assert_allclose(area[2], np.pi * 64, rtol=2e-3)
        for floe in range(3):
            own = triangles[got["floe"] == floe]
            weights = areas(points, own)
            centre = (points[own].mean(axis=1)[:, :2] * weights[:, None]).sum(axis=0) / weights.sum()
            np.testing.assert_allclose(centre, [run.dataset.x[k, floe], run.dataset.y[k, floe]], atol=1e-9)


def test_vtk_reads_it(path, tmp_path):
    pytest.importorskip("vtk")
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

    export(path, "vtk", tmp_path / "out")
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(tmp_path / "out" / "floes_000004.vtp"))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPolys() > 10
    assert reader.GetOutput().GetCellData().HasArray("velocity")


def test_csv(path, tmp_path):
    import pandas as pd

    run = bq.open_run(path)
    export(path, "csv", tmp_path / "run.csv", stride=2)
    table = pd.read_csv(tmp_path / "run.csv")
    assert len(table) == 9
    last = table[table.time == 100.0].set_index("floe")
    for name in ("x", "y", "rotation", "u", "v", "spin", "lon", "lat"):
        np.testing.assert_array_equal(last[name], run.dataset[name].values[-1])
    assert len(pd.read_csv(tmp_path / "run_ledger.csv")) == 5


def test_geoparquet(path, tmp_path):
    geopandas = pytest.importorskip("geopandas")
    run = bq.open_run(path)
    export(run, "geoparquet", tmp_path / "run.parquet")
    table = geopandas.read_parquet(tmp_path / "run.parquet")
    assert len(table) == 15 and table.crs.to_epsg() == 3413 and table.is_valid.all()
    assert str(table["date"].iloc[-1]).startswith("2024-03-01 06:01:40")
    centre = table.geometry.centroid
    np.testing.assert_allclose(centre.x, table["x"], atol=1e-9)
    np.testing.assert_allclose(centre.y, table["y"], atol=1e-9)
    np.testing.assert_allclose(table.area[:2], [96.0, 175.0], rtol=1e-12)
    scene = run.scene  # an independent way to the last outlines
    for k in range(2):
        assert table.geometry.iloc[12 + k].symmetric_difference(scene.floes[k].polygon).area < 1e-8


def test_zarr(path, tmp_path):
    pytest.importorskip("zarr")
    run = bq.open_run(path)
    export(run, "zarr", tmp_path / "run.zarr")
    data = xr.open_zarr(tmp_path / "run.zarr", consolidated=False)
    np.testing.assert_array_equal(data.x.values, run.dataset.x.values)
    ledger = xr.open_zarr(tmp_path / "run.zarr", group="ledger", consolidated=False)
    np.testing.assert_array_equal(ledger.balance.values, run.ledger.balance.values)


def test_mistakes(path, tmp_path, capsys):
    assert main(["export", str(tmp_path / "none.nc"), "--to", "csv"]) == 2
    assert "no such run file" in capsys.readouterr().err
    with pytest.raises(CaseError, match="no format 'vkt'"):
        export(path, "vkt")
    with pytest.raises(CaseError, match="stride is 0"):
        export(path, "csv", tmp_path / "a.csv", stride=0)
    with pytest.raises(CaseError, match="does not exist. Make it first"):
        export(path, "csv", tmp_path / "no folder" / "a.csv")
