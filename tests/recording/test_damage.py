"""Files that are not what they should be: a plain sentence, never a traceback, never a wrong read in silence."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.cli import main
from banquise.errors import BanquiseError
from banquise.recording import recorder as recorder_module
from banquise.recording.recorder import pieces_of
from banquise.recording.run_file import open_run
from banquise.recording.sealed import seal, sealed_length
from banquise.scenes.drift import drifting_floes

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "forcing"))
import forcing_files

CASE = "[[scene.floes]]\ncentre = [0.0, 0.0]\nradius = 10.0\n[run]\nuntil = 10.0\n"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "run.nc"
    drifting_floes(3).run(300.0, 30.0, output=path)
    return path


def reseal(path: Path) -> None:
    """Take the seal off, for what follows to change the file and seal it again: a forger's work."""
    content = path.read_bytes()
    path.write_bytes(content[: sealed_length(path)])


def resealed_without_group(path: Path, name: str) -> None:
    """A whole, sealed NetCDF file that lacks what a run needs."""
    reseal(path)
    groups = [g for g in ("shapes", "ledger", "events", "loads", "case") if g != name]
    parts = {g: xr.load_dataset(path, group=g, decode_times=False) for g in groups}
    root = xr.load_dataset(path, decode_times=False)
    root.to_netcdf(path)
    for group, data in parts.items():
        data.to_netcdf(path, mode="a", group=group)
    seal(path)


def without_variable(path: Path, name: str) -> None:
    reseal(path)
    parts = {
        g: xr.load_dataset(path, group=g, decode_times=False) for g in ("shapes", "ledger", "events", "loads", "case")
    }
    xr.load_dataset(path, decode_times=False).drop_vars(name).to_netcdf(path)
    for group, data in parts.items():
        data.to_netcdf(path, mode="a", group=group)
    seal(path)


def with_case(path: Path, text: str) -> None:
    reseal(path)
    import netCDF4

    with netCDF4.Dataset(path, "a") as file:
        file["case"].json = text
    seal(path)


def rewrite(change):
    """Damage by a function of the bytes."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


DAMAGES = {
    "empty": rewrite(lambda b: b""),
    "one byte": rewrite(lambda b: b[:1]),
    "first half": rewrite(lambda b: b[: len(b) // 2]),
    "last byte gone": rewrite(lambda b: b[:-1]),
    "seal gone": rewrite(lambda b: b[:-20]),
    "part of the seal gone": rewrite(lambda b: b[:-7]),
    "first byte gone": rewrite(lambda b: b[1:]),
    "a hole of zeros": rewrite(lambda b: b[:5000] + bytes(4096) + b[9096:]),
    "a block twice": rewrite(lambda b: b[:4096] + b[:4096] + b[8192:]),
    "a block moved": rewrite(lambda b: b[:4096] + b[8192:12288] + b[4096:8192] + b[12288:]),
    "more at the end": rewrite(lambda b: b + b"more"),
    "twice over": rewrite(lambda b: b + b),
    "line ends changed": rewrite(lambda b: b.replace(b"\n", b"\r\n")),
    "zeros": rewrite(lambda b: bytes(len(b))),
    "noise": rewrite(lambda b: np.random.default_rng(1).bytes(len(b))),
    "text": lambda p: p.write_text("not ice"),
    "json": lambda p: p.write_text(json.dumps({"x": 1})),
    "html, a proxy's answer": lambda p: p.write_text("<!DOCTYPE html><html><body>Login</body></html>"),
    "gzip": rewrite(lambda b: __import__("gzip").compress(b)),
    "zip": lambda p: zipfile.ZipFile(p, "w").close(),
    "npz": lambda p: p.write_bytes(recorder_module.packed({"x": np.arange(3)})),
    "png": lambda p: p.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "HDF5 signature only": lambda p: p.write_bytes(b"\x89HDF\r\n\x1a\n"),
    "other NetCDF": lambda p: xr.Dataset({"a": ("t", [1.0, 2.0])}).to_netcdf(p),
    "NetCDF 3": lambda p: xr.Dataset({"a": ("t", [1.0, 2.0])}).to_netcdf(p, format="NETCDF3_CLASSIC"),
    "other NetCDF, sealed": lambda p: (xr.Dataset({"a": ("t", [1.0, 2.0])}).to_netcdf(p), seal(p)),
    "no shapes": lambda p: resealed_without_group(p, "shapes"),
    "no ledger": lambda p: resealed_without_group(p, "ledger"),
    "no case": lambda p: resealed_without_group(p, "case"),
    "no x": lambda p: without_variable(p, "x"),
    "no spin": lambda p: without_variable(p, "spin"),
    "case is no JSON": lambda p: with_case(p, "{not json"),
    "case is a list": lambda p: with_case(p, "[1, 2]"),
    "of a later version": lambda p: with_case(p, json.dumps({"format": 99})),
    "a folder": lambda p: (p.unlink(), p.mkdir()),
    "gone": lambda p: p.unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_run_file(good, tmp_path, capsys, damage):
    path = tmp_path / "run.nc"
    shutil.copy(good, path)
    DAMAGES[damage](path)
    with pytest.raises(BanquiseError) as caught:
        open_run(path)
    assert "run.nc" in str(caught.value) and len(str(caught.value)) < 400
    for command in (["resume", str(path), "--until", "400"], ["inspect", str(path)]):
        code = main(command)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert code == 2


def test_one_bit_anywhere_in_a_run_file(good, tmp_path):
    content = good.read_bytes()
    rng = np.random.default_rng(3)
    path = tmp_path / "run.nc"
    for place in rng.integers(0, 8 * len(content), 200):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << int(place % 8)
        path.write_bytes(changed)
        with pytest.raises(BanquiseError):
            open_run(path)


def stopped_run(path: Path) -> None:
    class Stop(Exception):
        pass

    def fail(sim):
        if sim.time > 200:
            raise Stop

    with pytest.raises(Stop):
        drifting_floes(3).run(300.0, 30.0, output=path, callbacks=[fail])


def test_one_bit_anywhere_in_the_pieces(tmp_path, monkeypatch):
    """Every file of a stopped run: what is read is right or refused."""
    monkeypatch.setattr(recorder_module, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(recorder_module, "SHARE", 1e9)
    stopped_run(tmp_path / "run.nc")
    folder = pieces_of(tmp_path / "run.nc")
    true = open_run(tmp_path / "run.nc").dataset.x.values
    end = drifting_floes(3).run(300.0, 30.0).dataset.x.values
    rng = np.random.default_rng(4)
    files = sorted(folder.iterdir())
    refused = 0
    for k in range(120):
        name = files[k % len(files)]
        content = name.read_bytes()
        place = int(rng.integers(0, 8 * len(content)))
        changed = bytearray(content)
        changed[place // 8] ^= 1 << (place % 8)
        name.write_bytes(changed)
        try:
            np.testing.assert_array_equal(open_run(tmp_path / "run.nc").dataset.x.values, true)
        except BanquiseError:
            refused += 1
        name.write_bytes(content)
    assert refused > 60  # checkpoints and settings do not matter for reading, everything else does
    settings = folder / "settings.bin"
    settings.write_bytes(settings.read_bytes()[:-30])
    with pytest.raises(BanquiseError, match="settings"):
        bq.resume(tmp_path / "run.nc")
    np.testing.assert_array_equal(true, end[: len(true)])


def small(longitudes=(0.0, 1.0), latitudes=(80.0, 81.0), when=None):
    """A wind of 1 m/s on a few points."""
    times = forcing_files.times() if when is None else when
    return forcing_files.lonlat(
        np.array(longitudes), np.array(latitudes), times, lambda a, b, k: 1.0, lambda a, b, k: 0.0
    )


def nowhere(path: Path) -> None:
    """A wind on axes that are none."""
    xr.Dataset({n: (("t", "a", "b"), np.zeros((2, 3, 3))) for n in ("u10", "v10")}).to_netcdf(path)


def curvilinear(path: Path) -> None:
    """Longitudes and latitudes of two dimensions."""
    places = {n: (("y", "x"), np.zeros((3, 3))) for n in ("lon", "lat")}
    xr.Dataset({n: (("y", "x"), np.zeros((3, 3))) for n in ("u10", "v10")}, places).to_netcdf(path)


OF_OURS = ("no ", "case", "of a", "seal", "part of", "more", "twice")  # what matters to sealed files only
FORCING = {
    **{k: v for k, v in DAMAGES.items() if "sealed" not in k and not k.startswith(OF_OURS)},
    "no axes": nowhere,
    "2-D longitudes": curvilinear,
    "one component": lambda p: small().drop_vars("v10").to_netcdf(p),
    "NetCDF 3 signature only": lambda p: p.write_bytes(b"CDF\x01"),
    "a time twice": lambda p: small(when=forcing_files.times()[[0, 1, 1]]).to_netcdf(p),
    "latitudes in disorder": lambda p: small(latitudes=(80.0, 85.0, 82.0)).to_netcdf(p),
    "latitudes beyond the pole": lambda p: small(latitudes=(80.0, 181.0)).to_netcdf(p),
    "one row": lambda p: small(latitudes=(80.0,)).to_netcdf(p),
    "an axis of NaN": lambda p: small(longitudes=(0.0, np.nan)).to_netcdf(p),
}
BARELY = {"a block twice", "a block moved", "a hole of zeros", "last byte gone"}  # HDF5 may not notice these


@pytest.mark.parametrize("damage", FORCING)
def test_forcing_file(tmp_path, damage):
    path = forcing_files.era5(tmp_path / "run.nc", step=3.0)
    FORCING[damage](path)
    try:
        flow = bq.read_forcing(path).on_map(bq_projection(), "2024-03-01")
        flow.sample(np.array([1e5]), np.array([0.0]), 0.0)
    except BanquiseError as problem:
        assert len(str(problem)) < 500
    else:
        assert damage in BARELY


def bq_projection():
    from banquise.projection import Projection

    return Projection("EPSG:3413")


def test_one_bit_anywhere_in_a_forcing_file(tmp_path):
    """There is no checksum in other people's files: never a traceback is what can be asked."""
    path = forcing_files.era5(tmp_path / "f.nc", step=5.0)
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    told = 0
    for k, place in enumerate(rng.integers(0, 8 * len(content), 60)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << int(place % 8)
        name = tmp_path / f"{k}.nc"
        name.write_bytes(changed)
        try:
            bq.read_forcing(name).on_map(bq_projection(), "2024-03-01").sample(np.array([1e5]), np.array([0.0]), 0.0)
        except BanquiseError:
            told += 1
    assert told >= 0


CASES = {
    "bytes": b"\xff\xfe\x00",
    "not TOML": b"scene = [",
    "a table for a number": CASE.replace("radius = 10.0", "radius = {a = 1}").encode(),
    "forcing file not there": (CASE + '[forcing.wind]\nfile = "none.nc"\n').encode(),
    "forcing file a number": (CASE + "[forcing.wind]\nfile = 3\n").encode(),
    "unknown option": (CASE + '[forcing.wind]\nfile = "a.nc"\nafter_ent = "hold"\n').encode(),
    "unknown map": ('crs = "EPSG:99999999"\n' + CASE).encode(),
    "map in degrees": ('crs = "EPSG:4326"\n' + CASE).encode(),
    "map a number of nothing": ("crs = -1\n" + CASE).encode(),
}


@pytest.mark.parametrize("damage", CASES)
def test_case_file(tmp_path, capsys, damage):
    (tmp_path / "case.toml").write_bytes(CASES[damage])
    assert main(["check", str(tmp_path / "case.toml")]) == 2
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out and len(said.err + said.out) < 600


def test_a_file_opened_many_times_at_once(good, monkeypatch):
    """netCDF-C crashes on this when a file holds variable-length texts: ours must not."""
    from banquise.recording import run_file

    monkeypatch.setattr(run_file, "IN_MEMORY", 0.0)
    runs = [open_run(good) for _ in range(4)]
    tracks = [run.dataset.x.isel(floe=1).values for run in runs]
    assert all(np.array_equal(track, tracks[0]) for track in tracks)
    assert runs[3].scene.floes[0].material == "ice"
