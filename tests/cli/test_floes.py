"""`banquise floes`: every action on a small field, with its picture; mistakes in a sentence."""

import json

import numpy as np
import pytest

import banquise as bq
from banquise.cli import main
from banquise.scene.makers.files import write_scene
from banquise.scene.makers.image import from_image

SQUARE = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 8.0], [0.0, 8.0]])


@pytest.fixture
def field(tmp_path, monkeypatch):
    """Two moving floes in a.geojson (a periodic box of 40 by 20 m), the folder being the working one."""
    monkeypatch.chdir(tmp_path)
    floes = [bq.Floe(SQUARE + (20.0 * k + 2, 3), velocity=(0.1, 0.0), spin=1e-3, thickness=1.0 + k) for k in (0, 1)]
    write_scene(bq.Scene(floes, domain=bq.Periodic(0.0, 40.0, 0.0, 20.0)), "a.geojson")
    return floes


def numbers(capsys, *words):
    assert main(["floes", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_tools(field, capsys, tmp_path):
    found = numbers(capsys, "tile", "a.geojson", "2", "3", "-o", "tiled.geojson")
    assert found["floes"] == 12 and found["overlaps"] == 0 and found["concentration"] == pytest.approx(0.2)
    assert bq.read_scene("tiled.geojson").domain == bq.Periodic(0.0, 80.0, 0.0, 60.0)
    found = numbers(capsys, "cut", "a.geojson", "--box", "0", "30", "0", "7", "-o", "cut.csv", "--no-plot")
    assert found["ice_area"] == pytest.approx(10 * 4 + 8 * 4) and found["concentration"] == pytest.approx(72 / 210)
    numbers(capsys, "rest", "a.geojson", "-o", "rest.geojson", "--no-plot")
    assert all(f.velocity == (0.0, 0.0) and f.spin == 0.0 for f in bq.read_scene("rest.geojson").floes)
    turned = ("rotate", "a.geojson", "90", "--no-domain", "-o", "turned.h5", "--no-plot")
    numbers(capsys, *turned)
    np.testing.assert_allclose(bq.read_scene("turned.h5").floes[0].velocity, (0.0, 0.1), atol=1e-15)
    assert numbers(capsys, "scale", "a.geojson", "2", "--no-plot")["ice_area"] == pytest.approx(4 * 160)
    assert bq.read_scene("floes.geojson").domain == bq.Periodic(0.0, 80.0, 0.0, 40.0)
    assert (
        numbers(capsys, "scale", "a.geojson", "3", "--no-plot")["output"] == "floes-2.geojson"
    )  # nothing is written over
    numbers(capsys, "shift", "a.geojson", "100", "50", "-o", "b.geojson", "--no-plot")
    assert numbers(capsys, "merge", "a.geojson", "b.geojson", "-o", "c.geojson")["floes"] == 4
    assert bq.read_scene("c.geojson").domain is None  # theirs differ
    found = numbers(capsys, "info", "c.geojson", "--box", "0", "40", "0", "20")
    assert found["concentration"] == pytest.approx(0.2) and "picture" not in found  # it looks, and writes nothing
    assert {"tiled-floes.png", "c-floes.png"} == {p.name for p in tmp_path.glob("*.png")}
    assert numbers(capsys, "info", "c.geojson", "--plot", "look.png")["picture"] == "look.png"
    assert (tmp_path / "look.png").stat().st_size > 1000


def test_makers(field, capsys):
    with open("bay.wkt", "w") as file:
        file.write("POLYGON ((0 0, 100 0, 100 60, 40 60, 0 100, 0 0))")
    with open("sizes.txt", "w") as file:
        file.write("1 2\n2 3\n")
    words = ("--region", "bay.wkt", "--keep", "a.geojson", "--sizes", "sizes.txt", "--shapes", "a.geojson", "--no-plot")
    found = numbers(capsys, "pack", "-n", "4", "--concentration", "0.5", *words)
    assert found["floes"] == 6 and found["concentration"] == pytest.approx(0.5) and found["overlaps"] == 0
    found = numbers(capsys, "pack", "-n", "9", "--box", "90", "60", "--periodic", "--no-plot")
    assert found["concentration"] == pytest.approx(0.6) and found["concentration_of"] == "domain"
    with open("chart.csv", "w") as file:
        file.write("0.5, 0.9\n0, 0.9\n")
    found = numbers(capsys, "voronoi", "-n", "60", "--chart", "chart.csv", "--thickness", "2", "--box", "90", "60")
    assert found["overlaps"] == 0 and 0.4 < found["concentration"] < 0.75 and found["max_thickness"] == 2.0


def test_a_picture_is_not_written_over(field, capsys, tmp_path):
    pytest.importorskip("skimage")
    from PIL import Image

    grey = np.full((60, 80), 40, np.uint8)
    grey[10:30, 10:40], grey[40:55, 45:70] = 200, 210
    Image.fromarray(grey).save("ice.png")
    found = numbers(capsys, "from-image", "ice.png", "--pixel", "2", "-o", "ice.geojson", "--thickness", "0.5")
    assert found["floes"] == 2 and found["picture"] == "ice-floes.png" and found["max_thickness"] == 0.5
    assert np.array_equal(np.asarray(Image.open("ice.png")), grey)
    # corners are cut by half a pixel of each of the four
    np.testing.assert_allclose(sorted(f.area for f in from_image("ice.png", 2.0).scene.floes), [1500, 2400], rtol=0.01)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["pack", "-o", "no/a.geojson"], "does not exist"),
        (["pack", "-o", "a.xyz"], "unknown ending '.xyz'"),
        (["pack", "--region", "a.geojson", "--periodic"], "needs a --box"),
        (["pack", "--sizes", "a.geojson"], "expected rows of numbers"),
        (["pack", "-n", "3", "--max-size", "5"], "Take more floes"),
        (["pack", "--concentration", "0.97"], "bq.voronoi"),
        (["voronoi", "--thickness", "1", "2"], "thickness-chart"),
        (["voronoi", "--coast", "a.geojson", "--box", "3", "5", "4", "6"], "coasts cover the whole box"),
        (["from-image", "a.geojson", "--pixel", "1"], "not a picture"),
        (["tile", "a.geojson", "0", "1"], "across is 0"),
        (["tile", "a.geojson", "2", "1", "--box", "5", "5"], "overlap"),
        (["cut", "a.geojson"], "say what to cut out"),
        (["cut", "a.geojson", "--box", "500", "600", "0", "9"], "The floes lie in x 2 to 32"),
        (["rotate", "a.geojson", "30"], "--no-domain"),
        (["scale", "a.geojson", "0"], "above 0"),
        (["merge", "a.geojson", "a.geojson"], "2 pairs overlap"),
        (["convert", "a.geojson", "-o", "a.csv"], "domain has no place in .csv"),
        (["info", "none.shp"], "no such file"),
    ],
)
def test_mistakes(field, capsys, words, says):
    assert main(["floes", *words, "--no-plot"]) == 2
    said = capsys.readouterr().err
    assert says in said and "Traceback" not in said


def test_without_matplotlib_floes_are_made_and_told(field, capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["floes", "pack", "-n", "8", "--box", "300", "300", "-o", "few.geojson"]) == 0
    told = capsys.readouterr()
    assert "concentration" in told.out and "no picture" in told.err and "banquise[plot]" in told.err
    assert main(["floes", "info", "few.geojson", "--plot", "few.png"]) == 2
