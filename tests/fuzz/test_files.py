"""Files of every kind that is read, with bytes spoiled: what is in them or a sentence comes out, never another error.

Run files and checkpoints carry a checksum, so that bytes spoiled at random never get past it: here they are sealed again, as
if by someone who means it. Bytes within HDF5 are spoiled in a process of its own (`test_damage.py` does the rest).
"""

import struct
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given

import banquise as bq
from banquise.forcing.readers import open_source
from banquise.glacier.case import _table_file
from banquise.recording.checkpoint import restore, settings_bytes, simulation_from, snapshot
from banquise.recording.sealed import seal
from banquise.resuming import decoded
from banquise.scene.mesh_files import read_mesh
from banquise.view.kinds import open_any
from fuzz.damage import EDITS, only_sentences, rounds, spoiled

FILE = Path("run.nc")
TETRAHEDRON = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def scene():
    """Two floes that every format has a place for."""
    return bq.Scene(
        [bq.Floe([[0, 0], [4, 0], [3, 3], [0, 2]], name="a"), bq.Floe([[6, 0], [9, 1], [7, 4]], thickness=0.5)]
    )


def floes(ending):
    def make(path):
        bq.write_scene(scene(), path)

    return ending, make, bq.read_scene


def stl_text(path):
    corners = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in TETRAHEDRON[f])
        + "endloop\nendfacet\n"
        for f in FACES
    )
    path.write_text(f"solid t\n{corners}endsolid t\n")


def stl_binary(path):
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *TETRAHEDRON[f].ravel(), 0) for f in FACES)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", 4) + records)


def obj(path):
    lines = [f"v {x} {y} {z}" for x, y, z in TETRAHEDRON] + ["f " + " ".join(str(k + 1) for k in f) for f in FACES]
    path.write_text("\n".join(lines))


def ply(style):
    def make(path):
        head = f"ply\nformat {style} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        head += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
        if style == "ascii":
            rows = [" ".join(map(str, p)) for p in TETRAHEDRON] + ["3 " + " ".join(map(str, f)) for f in FACES]
            body = "\n".join(rows).encode()
        else:
            body = TETRAHEDRON.astype("<f4").tobytes() + b"".join(struct.pack("<B3i", 3, *f) for f in FACES)
        path.write_bytes(head.encode() + body)

    return make


def picture(path):
    from PIL import Image

    grey = np.full((24, 24), 40, np.uint8)
    grey[5:18, 6:17] = 200
    Image.fromarray(grey).save(path)


def small_forcing():
    when = np.datetime64("2024-03-01", "ns") + np.arange(2) * np.timedelta64(6, "h")
    field = (("time", "latitude", "longitude"), np.ones((2, 3, 4)), {"units": "m s**-1"})
    axes = {"time": when, "latitude": [80.0, 81.0, 82.0], "longitude": [0.0, 1.0, 2.0, 3.0]}
    return xr.Dataset({"u10": field, "v10": field}, axes)


def forcing(path):
    small_forcing().to_netcdf(path, format="NETCDF3_CLASSIC", engine="scipy")


def series(path):
    from scipy.io import savemat

    names = np.array(["x", "hour", "uwind", "vwind"], dtype=object)
    savemat(path, {"varargin": names, "var01": np.arange(3.0), "var02": np.ones(3), "var03": np.zeros(3)})


def load_table(path):
    path.write_text("time force\n0, 0\n1, 3e8\n# end\n2, 0\n")


FILES = {
    **{f"floes {e}": floes(e) for e in (".geojson", ".csv", ".wkt", ".mat", ".shp")},
    "mesh stl text": (".stl", stl_text, lambda path: bq.Polyhedron.from_file(path)),
    "mesh stl binary": (".stl", stl_binary, read_mesh),
    "mesh obj": (".obj", obj, lambda path: bq.Polyhedron.from_file(path)),
    "mesh ply text": (".ply", ply("ascii"), read_mesh),
    "mesh ply binary": (".ply", ply("binary_little_endian"), read_mesh),
    "picture png": (".png", picture, lambda path: bq.from_image(path, pixel=2.0)),
    "picture tiff": (".tif", picture, lambda path: bq.from_image(path, pixel=2.0)),
    "forcing nc": (".nc", forcing, lambda path: open_source([path], "wind").describe()),
    "forcing mat": (".mat", series, lambda path: bq.read_forcing(path, "wind")),
    "glacier load": (".txt", load_table, lambda path: _table_file(path, "load")),
}


@pytest.mark.parametrize("kind", FILES)
@rounds(15)
@given(edits=EDITS)
def test_spoiled_bytes(kind, edits, tmp_path):
    ending, make, read = FILES[kind]
    good, bad = tmp_path / f"good{ending}", tmp_path / f"bad{ending}"
    if not good.exists():
        make(good)
        read(good)
    bad.write_bytes(spoiled(good.read_bytes(), edits))
    for side in (".shx", ".dbf"):  # a shapefile is three files
        if ending == ".shp":
            bad.with_suffix(side).write_bytes(good.with_suffix(side).read_bytes())
    only_sentences(lambda: read(bad))


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Settings and state of a small run, as a checkpoint keeps them."""
    sim = bq.Simulation(scene(), bq.Forcing(wind=(10, 0), current=(0, 0)), seed=3)
    return settings_bytes(sim), snapshot(sim, {"end": 10.0, "every": 1.0})


@rounds(25)
@given(edits=EDITS)
def test_spoiled_checkpoint(states, edits):
    settings, state = states
    only_sentences(lambda: decoded(FILE, "settings", lambda: simulation_from(spoiled(settings, edits))))
    sim = simulation_from(settings)
    only_sentences(lambda: decoded(FILE, "checkpoint", lambda: restore(sim, spoiled(state, edits))))


@rounds(25)
@given(edits=EDITS)
def test_spoiled_run_file(edits, tmp_path):
    good, bad = tmp_path / "good.nc", tmp_path / "bad.nc"
    if not good.exists():
        sim = bq.Simulation(scene(), bq.Forcing(wind=(10, 0), current=(0, 0)))
        sim.run(2.0, 1.0, output=good)
    bad.write_bytes(spoiled(good.read_bytes(), edits))
    only_sentences(lambda: open_any(bad))
    bad.write_bytes(b"not a run at all" + spoiled(b"", edits))
    seal(bad)
    only_sentences(lambda: open_any(bad))
