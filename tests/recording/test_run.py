"""A run: lands on its instants, calls back on time, and what it keeps comes back bit for bit."""

import json
import math

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.recording.recorder import STRESS
from banquise.scenes.drift import drifting_floes


def disc_sim(**options):
    return bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0, velocity=(1, 0))]), **options)


# ---------------------------------------------------------------- instants


@pytest.mark.parametrize("until,every", [(10.0, 3.0), (1.0, 0.1), ("1 h", "7 min"), (math.pi, 1 / 7)])
def test_records_land_exactly(until, every):
    run = disc_sim().run(until=until, every=every)
    seconds = {"1 h": 3600.0, "7 min": 420.0}
    end, step = seconds.get(until, until), seconds.get(every, every)
    count = math.ceil(end / step - 1e-9)
    expected = [k * step for k in range(count)] + [end]
    assert run.dataset.time.values.tolist() == pytest.approx(expected, rel=1e-15)
    assert run.dataset.time.values[-1] == end
    # a floe that nothing pushes is where its time says
    assert run.dataset.x.values[:, 0] == pytest.approx(run.dataset.time.values, rel=1e-13)


def test_hundred_records_by_default():
    assert disc_sim().run(until=5.0).dataset.sizes["time"] == 101


def test_goes_on_where_it_stopped():
    """Two runs of one simulation are one run, and the ledger goes on."""
    sim, once = drifting_floes(4), drifting_floes(4)
    sim.run(until=600.0, every=60.0)
    second = sim.run(until=1200.0, every=60.0)
    whole = once.run(until=1200.0, every=60.0)
    assert second.dataset.time.values[0] == 600.0
    for name in ("x", "u", "spin"):
        assert second.dataset[name].values.tolist() == whole.dataset[name].values[10:].tolist()
    assert float(second.ledger.work_wind[-1]) == float(whole.ledger.work_wind[-1])


def test_callbacks_on_their_schedules():
    seen, own = [], []
    sim = disc_sim(forcing=bq.Forcing(loads=[bq.Load(0, (1, 0), start=1.5, stop=2.5)]))
    sim.run(
        until=10.0,
        every=4.0,
        callbacks=[lambda s: seen.append(s.time), bq.Every("3 s", lambda s: own.append((s.time, float(s.state.x[0]))))],
    )
    assert seen == [4.0, 8.0, 10.0]  # at every record after the start
    assert [t for t, _ in own] == [3.0, 6.0, 9.0]
    assert [x for _, x in own] == pytest.approx([3.0, 6.0, 9.0], rel=1e-4)


@pytest.mark.parametrize(
    "options,words",
    [
        (dict(until=-1), "until"),
        (dict(until=0), "until"),
        (dict(until="soon"), "until"),
        (dict(until=math.inf), "until"),
        (dict(until=10, every=0), "every"),
        (dict(until=10, every="2 m"), "unit 'm'"),
        (dict(until=10, callbacks=[3]), r"callbacks\[0\]"),
        (dict(until=10, output="/nowhere/at/all.nc"), "does not exist"),
        (dict(until=10, output="/tmp"), "is a folder"),
    ],
)
def test_bad_runs(options, words):
    with pytest.raises(bq.BanquiseError, match=words):
        disc_sim().run(**options)


@pytest.mark.parametrize(
    "make,words",
    [
        (lambda: bq.Simulation([]), "scene is list"),
        (lambda: disc_sim(forcing=(1, 0)), "forcing is tuple"),
        (lambda: disc_sim(scheme="fast"), "scheme"),
        (lambda: disc_sim(seed=1.5), "seed"),
        (lambda: disc_sim(integrator="eular"), "Did you mean 'euler'"),
        (lambda: disc_sim(start="tomorrow"), "start"),
        (lambda: bq.Every("0 s", print), "callback interval"),
        (lambda: bq.EventDriven(max_step=0), "max_step"),
        (lambda: bq.Flow, "banquise has no 'Flow'"),
    ],
)
def test_bad_simulations(make, words):
    with pytest.raises((bq.BanquiseError, AttributeError), match=words):
        make()


def test_a_floe_that_is_lost_is_named(tmp_path):
    """A load beyond all numbers: the message names the floe and when, and what was recorded stays readable."""
    floes = [bq.Disc((0, 0), 5.0), bq.Disc((50, 0), 5.0, name="runaway")]
    forcing = bq.Forcing(loads=[bq.Load(1, force=(1e308, 0), start=30.0)])
    sim = bq.Simulation(bq.Scene(floes), forcing, scheme=bq.EventDriven(max_step=1e4))
    with pytest.raises(bq.BanquiseError, match=r"floe 1: the forces on it at t = .* give no sensible motion"):
        sim.run(until=1e9, every=10.0, output=tmp_path / "lost.nc")
    assert bq.open_run(tmp_path / "lost.nc").dataset.sizes["time"] >= 4


# ---------------------------------------------------------------- the file


@pytest.fixture
def run_and_path(tmp_path):
    path = tmp_path / "run.nc"
    floes = [
        bq.Floe([[0, 0], [40, 0], [40, 30], [10, 30]], holes=[[[25, 10], [30, 10], [30, 15]]], spin=0.01, name="a"),
        bq.Disc((200, 0), 20.0, thickness=0.4, material="old ice"),
        bq.Floe([[300, 0], [340, 0], [340, 30]], radius=2.0, water_drag=4e-3),
    ]
    rocks = [bq.Obstacle([[900, 900], [950, 900], [950, 950]]), bq.Obstacle([[-900, 0]], radius=9.0)]
    forcing = bq.Forcing(wind=(8, 2), current=(0, 0), latitude=70.0)
    scene = bq.Scene(floes, rocks, bq.Box(-2000, 2000, -2000, 2000, open=("left",)))
    sim = bq.Simulation(scene, forcing, title="three floes", start="2024-03-01T12:00:00")
    return sim.run(until=1800.0, every=100.0, output=path), path


def test_round_trip_bit_for_bit(run_and_path):
    run, path = run_and_path
    back = bq.open_run(path)
    for name, value in run.records.items():
        assert (
            np.array_equal(value, back.records[name])
            if value.dtype.kind == "U"
            else (value.tobytes() == back.records[name].astype(value.dtype).tobytes())
        ), name
    for name in run.shapes:
        assert run.shapes[name].values.tolist() == back.shapes[name].values.tolist(), name
    assert back.case == json.loads(json.dumps(run.case))
    assert back.events.columns.tolist() == run.events.columns.tolist()
    assert list(path.parent.iterdir()) == [path]  # no pieces, no temporary file


def test_scene_comes_back(run_and_path):
    run, path = run_and_path
    for scene in (run.scene, bq.open_run(path).scene):
        assert [f.name for f in scene.floes] == ["a", None, None]
        assert isinstance(scene.floes[1], bq.Disc) and scene.floes[1].material == "old ice"
        assert len(scene.floes[0].holes) == 1 and scene.floes[2].radius == 2.0
        assert len(scene.obstacles) == 2 and scene.domain == bq.Box(-2000, 2000, -2000, 2000, open=("left",))
        end = run.dataset.isel(time=-1)
        for k, floe in enumerate(scene.floes):
            assert floe.centre == pytest.approx([float(end.x[k]), float(end.y[k])], abs=1e-10)
            assert floe.velocity == (float(end.u[k]), float(end.v[k]))
            assert floe.mass == pytest.approx(float(run.shapes.mass[k]), rel=1e-12)


def test_plain_xarray_reads_it(run_and_path):
    run, path = run_and_path
    with xr.open_dataset(path) as data:
        assert set("xy") <= set(data.coords) and set(data.data_vars) == {"rotation", "u", "v", "spin", *STRESS}
        assert str(data.time.values[0])[:19] == "2024-03-01T12:00:00"
        assert (data.time.values[1] - data.time.values[0]) / np.timedelta64(1, "s") == 100.0
        assert data.u.values.tolist() == run.dataset.u.values.tolist()
    with xr.open_dataset(path, group="ledger") as ledger:
        assert ledger.kinetic_energy.values.tolist() == run.ledger.kinetic_energy.values.tolist()
        assert ledger.sizes["time"] == 19 and "time" in ledger.coords


def test_cf_checker_finds_no_error(run_and_path, tmp_path):
    """CF-1.11, strict. The checker's own test of groups wants a time dimension in every group and stumbles over ours;
    such exceptions of its own are not findings."""
    pytest.importorskip("compliance_checker")
    from compliance_checker.runner import CheckSuite, ComplianceChecker

    CheckSuite.load_all_available_checkers()
    report = tmp_path / "report.json"
    ComplianceChecker.run_checker(
        str(run_and_path[1]), ["cf:1.11"], 0, "strict", output_filename=str(report), output_format="json"
    )
    found = json.loads(report.read_text())["cf:1.11"]
    errors = [(f["name"], f["msgs"]) for f in found["high_priorities"] if f["msgs"]]
    assert errors == []
    assert found["scored_points"] > 40  # it did look


@pytest.mark.parametrize("piece_seconds", [0.0, 1e9])
def test_a_stopped_run_can_be_read(tmp_path, monkeypatch, piece_seconds):
    """Pieces beside the file: a run that dies keeps what it recorded, and open_run reads it."""
    path = tmp_path / "run.nc"
    monkeypatch.setattr("banquise.recording.recorder.PIECE_SECONDS", piece_seconds)

    def stop(sim):
        if sim.time >= 50:
            raise KeyboardInterrupt

    sim = drifting_floes(3)
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=100.0, every=10.0, output=path, callbacks=[stop])
    assert not path.exists()
    run = bq.open_run(path)
    assert run.dataset.time.values.tolist() == [0, 10, 20, 30, 40, 50]
    assert run.scene.floes[2].centre == pytest.approx([sim.state.x[2], sim.state.y[2]], abs=1e-9)


def test_saving_later(tmp_path):
    run = drifting_floes(2).run(until=60.0, every=30.0)
    run.save(tmp_path / "later.nc")
    assert bq.open_run(tmp_path / "later.nc").dataset.x.values.tolist() == run.dataset.x.values.tolist()
    with pytest.raises(bq.BanquiseError, match="the folder .* does not exist"):
        run.save(tmp_path / "no" / "later.nc")


def test_things_print_as_small_trees():
    sim = drifting_floes(2)
    assert "├── Scene: 2 floes" in repr(sim) and "└── EventDriven" in repr(sim)
    run = sim.run(until=60.0)
    assert "Run: 2 floes, 101 records to 60 s" in repr(run) and "└── profile" in repr(run)
    assert repr(bq.Disc((1, 2), 3.0)).startswith("Disc: 28.27 m2, 1 m thick")
