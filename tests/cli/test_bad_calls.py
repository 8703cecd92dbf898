"""Wrong calls from Python: each a sentence that names the culprit, none a bare error from inside."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import banquise as bq
from banquise.errors import BanquiseError

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def floe() -> bq.Floe:
    return bq.Floe(SQUARE)


def block_of_file(tmp_path):
    path = tmp_path / "rock.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 0 1 2\n")
    return bq.Polyhedron.from_file(path)


WRONG = {
    "a shape for a ring": (lambda _: bq.Floe(shapely.Polygon(SQUARE)), "cannot be read as points: got <POLYGON"),
    "a truth for a thickness": (lambda _: bq.Floe(SQUARE, thickness=True), "thickness: got True"),
    "one floe for a list": (lambda _: bq.Scene(floe()), r"floes is one Floe, expected a list: floes=\[...\]"),
    "a period too short": (lambda _: bq.Scene([floe()], domain=bq.Periodic(0, 9, 0, 99)), "floe 0 is 10 m by 10 m"),
    "a number for callbacks": (lambda _: bq.Simulation(bq.Scene([floe()])).run(1, callbacks=3), "callbacks: got 3"),
    "a number for a function": (lambda _: bq.Every(10, 3), "callback: got 3, expected a function"),
    "no folder for a case": (
        lambda tmp: bq.save_case(bq.Simulation(bq.Scene([floe()])), tmp / "no" / "x.toml", until=1),
        "cannot be written",
    ),
    "thin before thick": (
        lambda _: bq.pack(n=5, box=(100, 100), concentration=0.3, thickness=(2, 1)),
        r"\(low, high\)",
    ),
    "a blow beside the floe": (lambda _: bq.fracture.impact(floe(), (99, 5), (1, 0), 0.1), "89 m from the border"),
    "a box inside out": (lambda _: bq.Polyhedron.box((1, 1, -1)), "three above 0"),
    "vertex 0 of an OBJ file": (block_of_file, "line 6: 'f 0 1 2', expected vertices from 1"),
    "no folder for an export": (lambda tmp: exported(tmp), "does not exist. Make it first"),
}


def exported(tmp_path):
    from banquise.export import export

    run = bq.Simulation(bq.Scene([floe()])).run(1, output=tmp_path / "a.nc")
    return export(run, "csv", tmp_path / "no" / "a.csv")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_call(name, tmp_path):
    call, words = WRONG[name]
    with pytest.raises(BanquiseError, match=words) as told:
        call(tmp_path)
    assert str(told.value).count("\n") <= 1


def test_a_blow_near_the_border_acts_on_it():
    on, near = (bq.fracture.impact(floe(), (x, 5), (1, 0), 0.1) for x in (0.0, -0.3))
    assert near.energy == pytest.approx(on.energy, rel=1e-12)  # the lever is that of the border
    assert np.isfinite(near.force)
