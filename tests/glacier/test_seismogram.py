"""Force histories, magnitudes, far-field waves and the files they go to."""

import struct
import sys

import numpy as np
import pytest

import banquise as bq
from banquise import glacier as gl


@pytest.fixture
def source():
    time = np.arange(0, 101) * 0.5
    return gl.Source(time, 1e11 * np.sin(2 * np.pi * time / 50.0), azimuth=0.0)


def test_integrals_of_one_sine(source):
    # F = A sin(wt): momentum A/w (1 - cos wt), moment A/w (t - sin(wt)/w) whose end is A T / w
    w = 2 * np.pi / 50
    assert np.allclose(source.moment_rate, 1e11 / w * (1 - np.cos(w * source.time)), atol=1e-3 * 1e11 / w)
    assert source.magnitude == pytest.approx(1e11 * 50 / w, rel=2e-3)  # trapezoids at T/100


def test_force_of_a_run_is_width_times_the_sum():
    run = gl.Glacier(1000.0, 100.0).run(gl.HalfSine(33e6, 10.0), until=20.0, step=0.02)
    source = gl.Source.of_run(run, width=3000.0)
    assert np.abs(source.force).max() == pytest.approx(33e6 * 3000, rel=1e-2)
    # What the iceberg gave is what the bed took, but for the momentum still in the ice.
    assert source.moment_rate[-1] == pytest.approx(3000 * 2 / np.pi * 33e6 * 10.0, rel=1e-2)


def test_far_field_along_and_across_the_force(source):
    rho, vp, vs, r = 2700.0, 6000.0, 3464.0, 1e6
    ahead = source.far_field((0.0, r, 0.0), vp, vs, rho)  # north, along the force: P only
    assert np.abs(ahead.motion[1]).max() == pytest.approx(1e11 / (4 * np.pi * rho * vp**2 * r), rel=5e-3)
    assert np.all(ahead.motion[[0, 2]] == 0)
    beside = source.far_field((r, 0.0, 0.0), vp, vs, rho)  # east, across it: S only, moving north
    assert np.abs(beside.motion[1]).max() == pytest.approx(1e11 / (4 * np.pi * rho * vs**2 * r), rel=5e-3)
    first = beside.time[np.flatnonzero(np.abs(beside.motion[1]) > 0)[0]]
    assert first == pytest.approx(r / vs, abs=1.0)  # no sooner than the S wave, within two samples


def test_far_field_in_any_direction_is_the_formula(source):
    to = np.array([3e5, -7e5, 2e5])
    out = source.far_field(to)
    r = np.linalg.norm(to)
    ray, north = to / r, np.array([0.0, 1.0, 0.0])
    at = out.time[200]
    force = lambda t: np.interp(t, source.time, source.force, left=0, right=0)  # noqa: E731
    expected = ray * ray[1] * force(at - r / 6000) / 6000**2 + (north - ray * ray[1]) * force(at - r / 3464) / 3464**2
    assert np.allclose(out.motion[:, 200], expected / (4 * np.pi * 2700 * r), rtol=1e-12, atol=1e-25)


def test_convolution_with_a_spike_is_the_source(source):
    green = np.zeros((3, 40))
    green[0, 10] = 2.0 / source.interval  # an impulse of 2 m/N s after 5 s
    out = source.convolved(green)
    assert np.allclose(out.motion[0, 10 : 10 + source.time.size], 2.0 * source.force, atol=1e-4)
    assert np.allclose(out.motion[1:], 0)


def test_band_keeps_what_is_inside_and_drops_the_rest():
    time = np.arange(0, 4000) * 0.5
    tone = lambda f: np.sin(2 * np.pi * f * time)  # noqa: E731
    out = gl.Source(time, tone(0.03) + tone(0.4)).band(0.01, 0.1).force[1000:-1000]
    assert np.allclose(out, tone(0.03)[1000:-1000], atol=0.02)


def test_sac_file_has_header_and_samples(source, tmp_path):
    out = source.far_field((0.0, 1e6, 0.0))
    path = out.write_sac(tmp_path / "quake", station="ILULI")[1]
    raw = path.read_bytes()
    assert path.name == "quake.N.sac" and len(raw) == 632 + 4 * out.time.size
    assert struct.unpack_from("<f", raw, 0)[0] == pytest.approx(source.interval)
    assert struct.unpack_from("<i", raw, 280 + 4 * 6)[0] == 6
    assert struct.unpack_from("<i", raw, 280 + 4 * 9)[0] == out.time.size
    assert raw[440:448] == b"ILULI   "
    assert np.array_equal(np.frombuffer(raw, "<f4", offset=632), out.motion[1].astype("f4"))


def test_obspy_reads_what_is_written(source, tmp_path):
    obspy = pytest.importorskip("obspy")
    out = source.far_field((2e5, 1e6, 0.0))
    for path, row in zip(out.write_sac(tmp_path / "q"), out.motion):
        trace = obspy.read(str(path))[0]
        assert trace.stats.delta == pytest.approx(out.interval) and np.allclose(trace.data, row, rtol=1e-6, atol=1e-20)
    out.write_mseed(tmp_path / "q.mseed")
    stream = obspy.read(str(tmp_path / "q.mseed"))
    assert [t.stats.channel for t in stream] == ["BXE", "BXN", "BXZ"]
    assert np.array_equal(stream[1].data, out.motion[1])


def test_without_obspy_a_sentence_names_the_extra(source, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "obspy", None)
    with pytest.raises(bq.BanquiseError, match=r"banquise\[seismic\]"):
        source.far_field((0.0, 1e6, 0.0)).write_mseed(tmp_path / "q.mseed")


def test_saved_tables_read_back(source, tmp_path):
    source.save(tmp_path / "f.csv")
    table = np.genfromtxt(tmp_path / "f.csv", delimiter=",", names=True)
    assert np.allclose(table["force_N"], source.force)
    source.save(tmp_path / "f.npz")
    assert np.array_equal(np.load(tmp_path / "f.npz")["moment"], source.moment)


def test_mistakes_get_a_sentence(source, tmp_path):
    for call, says in (
        (lambda: gl.Source(np.array([0.0, 1.0, 3.0]), np.zeros(3)), "evenly"),
        (lambda: gl.Source(np.arange(3.0), np.array([0, np.nan, 0])), "NaN"),
        (lambda: source.band(0.1, 2.0), "expected 0 < low < high"),
        (lambda: source.far_field((0, 0, 0)), "away from the source"),
        (lambda: source.save(tmp_path / "f.txt"), "npz or .csv"),
        (lambda: source.convolved(np.zeros((2, 5))), "expected 3"),
    ):
        with pytest.raises(bq.BanquiseError, match=says):
            call()
    assert gl.Source.resampled([0.0, 1.0, 3.0], [0.0, 1.0, 0.0], 0.5).force[4] == pytest.approx(0.5)


def test_rows_may_be_lists_and_wrong_ones_are_said():
    assert gl.Source([0, 1, 2], [0, 2, 0]).magnitude == pytest.approx(2.0)  # trapezia: 0, 1, 2, and then 0, 0.5, 2
    for wrong, said in [
        (lambda: gl.Source("a", [1]), "time is 'a'"),
        (lambda: gl.Source.resampled([0, 1, 2], [1, 2, 3], 0), "interval"),
        (lambda: gl.Source.resampled([0, 2, 1], [1, 2, 3], 0.1), "times do not ascend"),
        (lambda: gl.Source([0, 1, 2], [0, 2, 0]).far_field((1, 2, 3), p_speed=0), "p_speed"),
        (lambda: gl.critical_aspect(1100.0, 1025.0), "does not float"),
        (lambda: gl.Iceberg().capsize(step=0), "step"),
    ]:
        with pytest.raises(bq.BanquiseError, match=said):
            wrong()
