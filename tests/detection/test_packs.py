"""The packs that benchmarks run on: floes apart, as dense as asked, the same for the same seed."""

import os
from pathlib import Path

import numpy as np
import pytest

from banquise.detection.planar import Detector
from banquise.errors import BanquiseError
from banquise.scene.domain import Periodic
from banquise.scene.makers.floedyn import read_floedyn
from banquise.scenes.packs import pack_tile, tile

DATA = Path(os.environ.get("BANQUISE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def test_generated_pack():
    scene, side = pack_tile(n=250, seed=3)
    bodies = scene.bodies()
    assert bodies.area.sum() / side**2 == pytest.approx(0.65, abs=1e-9)
    assert np.median(bodies.size) == pytest.approx(25.0)
    assert bodies.size.max() / bodies.size.min() > 10
    assert Detector(bodies, Periodic(0, side, 0, side)).max_overlap(bodies)[0] == 0.0
    again, _ = pack_tile(n=250, seed=3)
    assert all(np.array_equal(p.ring, q.ring) for p, q in zip(scene.floes, again.floes))
    many = tile(bodies, 1.2 * side, 2)
    assert len(many) == 1000
    assert many.area.sum() == pytest.approx(4 * bodies.area.sum())
    assert Detector(many).max_overlap(many)[0] == 0.0


@pytest.mark.skipif(not (DATA / "pack_1000_moving.h5").exists(), reason="no data directory (BANQUISE_DATA)")
def test_floedyn_pack():
    scene = read_floedyn(DATA / "pack_1000_moving.h5")
    bodies = scene.bodies()
    assert len(bodies) == 1000
    assert bodies.area.sum() / (2 * 1169.71691451) ** 2 == pytest.approx(0.65, abs=0.02)
    assert np.hypot(bodies.u, bodies.v).mean() == pytest.approx(0.125, abs=0.01)
    assert Detector(bodies).max_overlap(bodies)[0] == 0.0


def test_a_file_that_is_not_one(tmp_path):
    with pytest.raises(BanquiseError, match="no such file"):
        read_floedyn(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("not HDF5")
    with pytest.raises(BanquiseError, match="not an HDF5 file"):
        read_floedyn(tmp_path / "text.h5")
