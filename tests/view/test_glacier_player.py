"""A run of a glacier in the player and in a report: from its file, in a real browser, on one page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.cli import main
from banquise.view.kinds import open_any
from banquise.view.player import pack

from .test_player import picture


@pytest.fixture(scope="module")
def shaken() -> Any:
    """A short chain that an iceberg pushes; thickness and slope vary along it."""
    glacier = bq.glacier.Glacier(
        length=3000.0, block=100.0, thickness=lambda x: 600 + x / 20, slope=1.0, friction=bq.glacier.Weertman(10**6.75)
    )
    return glacier.run(bq.glacier.Iceberg(height=600.0, tilt=20.0), until=60.0, every=1.0)


@pytest.fixture(scope="module")
def run_file(shaken: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("glacier") / "front.nc"
    shaken.to_netcdf(path)
    return path


def test_file_opens_as_a_glacier_and_keeps_its_numbers(shaken: Any, run_file: Path) -> None:
    again = open_any(run_file)
    assert again.kind == "glacier" and again.bodies == 31 and "31 nodes" in repr(again)
    assert again.dataset.attrs["peak_seismic_force"] == shaken.peak_seismic_force
    assert again.dataset.attrs["iceberg_height"] == 600.0 and again.case["warnings"] == shaken.warnings
    np.testing.assert_array_equal(again.dataset.displacement, shaken.dataset.displacement)
    assert pack(again).chunks == pack(shaken).chunks


def test_the_page_shows_the_chain_where_the_run_says(run_file: Path, open_page: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: None)
    assert main(["view", str(run_file)]) == 0
    data = xr.open_dataset(run_file, decode_timedelta=False)
    page = open_page(run_file.with_suffix(".html"), 900, 640)
    assert page.text_content("#summary") == "30 blocks, 3 km, Weertman"
    for k in (0, 31, 57):
        page.evaluate("t => banquise.seek(t)", float(data.time[k]))
        u, v, force = page.evaluate("['u', 'v', 'force'].map((n) => [...banquise.run.frame[n]])")
        slide = data.attrs["equilibrium_speed"]
        for got, name, less in ((u, "displacement", 0.0), (v, "velocity", slide), (force, "bed_force", 0.0)):
            column = data[name].values - less
            # numbers of the page are rounded to 1/30,000 of the largest
            np.testing.assert_allclose(got, column[k], atol=np.abs(column).max() / 30_000)
        assert page.evaluate("banquise.run.frame.seismic") == pytest.approx(float(data.seismic_force[k]))
        angle = page.evaluate("banquise.run.frame.berg.angle")
        assert angle == pytest.approx(float(data.iceberg_angle[k]))
    # the pixels of the front block move with the exaggerated displacement and take its colour
    shown = picture(page)
    x, y = page.evaluate("banquise.view.toScreen(...banquise.run.placeOf(2))")
    css = page.evaluate("banquise.run.frame.css[2].match(/\\d+/g).map(Number)")
    page.evaluate(
        "() => { for (const k of ['profile', 'bed', 'arrows', 'edges']) banquise.set(k, false); banquise.draw(); }"
    )
    plain = picture(page)
    assert (plain != shown).any(axis=2).sum() > 200
    assert np.abs(plain[int(y), int(x)] - css).max() <= 2
    box = page.locator("#stage").bounding_box()
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.text_content("#card-title") == "Node 2" and "Thickness610 m" in page.text_content("#card-rows")
    seen = {picture(page, "#ice").tobytes()}
    for _ in range(3):
        page.keyboard.press("c")
        page.evaluate("banquise.draw()")
        seen.add(picture(page, "#ice").tobytes())
    assert len(seen) == 4
    page.keyboard.press("Home")
    page.wait_for_function("banquise.time === 0")
    page.set_viewport_size({"width": 380, "height": 760})
    size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size == [380, 760]


def test_report_plot_and_notebook(run_file: Path, shaken: Any, capsys: Any, tmp_path: Path) -> None:
    assert main(["report", str(run_file), "-o", str(tmp_path / "r.html"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [c["name"] for c in said["checks"]] == ["Impulse left over", "Warnings of the run"]
    assert said["checks"][0]["fine"] and "Peak seismic force" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert main(["plot", str(run_file), "run", "-o", str(tmp_path / "g.png")]) == 0
    assert main(["plot", str(run_file), "energy"]) == 2
    assert main(["view", str(run_file), "--no-open", "--colour", "spead"]) == 2
    assert "no 'spead'" in capsys.readouterr().err
    assert "<iframe" in shaken._repr_html_()
    assert main(["inspect", str(run_file)]) == 0
    assert "31 nodes" in capsys.readouterr().out
    assert main(["movie", str(run_file)]) == 2
    assert "shows floes" in capsys.readouterr().err


def test_one_block_and_no_load_open(open_page: Any, tmp_path: Path) -> None:
    glacier = bq.glacier.Glacier(length=500.0, block=500.0)
    glacier.run(None, until=1.0).to_netcdf(tmp_path / "one.nc")
    assert main(["view", str(tmp_path / "one.nc"), "--no-open"]) == 0
    assert open_page(tmp_path / "one.html", 500, 500).text_content("#summary").startswith("1 block, 500 m")
