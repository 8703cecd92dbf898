"""What a run records beside the poses of its floes: obstacles that move, wind and current, stress, seconds a stage."""

from __future__ import annotations

import os

import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise.cli import main
from banquise.recording.recorder import EXTRAS

WIND = bq.Series([0, 10, 30], [5, 0, -3], [1, 4, 4])


def ship_and_discs(current=(0.0, 0.02)):
    """A ship runs slowly into a row of discs, turning a little; one disc lies out of its way."""
    ship = bq.Obstacle([[-2, -1], [2, -1], [2, 1], [-2, 1]], velocity=(0.5, 0.1), spin=0.01, name="ship")
    rock = bq.Obstacle([[60, 0], [63, 0], [63, 3], [60, 3]])
    floes = [bq.Disc((6 + 4.5 * k, 0.3 * k), 2.0, thickness=0.5 + 0.2 * k) for k in range(3)]
    return bq.Simulation(
        bq.Scene([*floes, bq.Disc((0, 40), 3.0)], [ship, rock]),
        bq.Forcing(wind=WIND, current=current),
        bq.Contact(friction=0.3, restitution=0.2),
        bq.EventDriven(max_step=1.0),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return ship_and_discs().run(20.0, 2.0, tmp_path_factory.mktemp("run") / "run.nc", contacts=True)


def test_obstacles_that_move_are_where_they_were_sent(run):
    time = run.obstacles.time.values
    np.testing.assert_allclose(run.obstacles.x[:, 0], 0.5 * time, atol=1e-12)
    np.testing.assert_allclose(run.obstacles.y[:, 0], 0.1 * time, atol=1e-12)
    np.testing.assert_allclose(run.obstacles.rotation[:, 0], 0.01 * time, atol=1e-12)
    assert np.all(run.obstacles.x[:, 1] == 61.5) and np.all(run.obstacles.rotation[:, 1] == 0.0)
    assert run.records["obstacle_pose"].shape == (11, 2, 3)


def test_uniform_flows_are_recorded_as_they_are(run):
    expected = np.array([WIND.at(t) for t in run.flow.time.values])
    np.testing.assert_array_equal(np.column_stack([run.flow.wind_u, run.flow.wind_v]), expected)
    assert np.all(run.flow.current_v == 0.02) and run.flow.wind_u.attrs["comment"] == "uniform"


def test_a_field_is_recorded_as_its_mean_over_the_floes():
    """Of a current linear in x and y the mean over discs by area is its value at their common centre."""
    run = ship_and_discs(current=lambda x, y, t: (1e-3 * x, 2e-3 * y + 1e-4 * t)).run(2.0, 1.0)
    area = np.array([f.area for f in run.scene.floes])
    x, y = (run.dataset[name].values @ area / area.sum() for name in "xy")
    np.testing.assert_allclose(run.flow.current_u, 1e-3 * x, rtol=1e-12)
    np.testing.assert_allclose(run.flow.current_v, 2e-3 * y + 1e-4 * run.flow.time, rtol=1e-12)
    assert run.flow.current_u.attrs["comment"] == "mean over the area of the floes"


def test_stress_of_a_push_through_a_row():
    """A disc squeezed by F across its diameter carries F D / (area h) along the row, and nothing across."""
    force, radius, thickness = 2e4, 2.0, 0.5
    wall = bq.Obstacle([[-8, -9], [0, -9], [0, 9], [-8, 9]])
    discs = [bq.Disc(((2 * k + 1) * radius, 0.0), radius, thickness=thickness) for k in range(2)]
    run = bq.Simulation(
        bq.Scene(discs, [wall]),
        bq.Forcing(loads=[bq.Load(1, (-force, 0.0))]),
        bq.Contact(friction=0.3, restitution=0.0),
        bq.EventDriven(max_step=1.0),
    ).run(6.0, 3.0)
    expected = -force * 2 * radius / (np.pi * radius**2 * thickness)
    last = run.dataset.isel(time=-1)
    # single precision, and the discs are kept apart by a part of their size that moves the lever by 1e-6 at most
    assert float(last.stress_xx[0]) == pytest.approx(expected, rel=1e-5)
    assert float(last.stress_xx[1]) == pytest.approx(0.5 * expected, rel=1e-5)  # the push acts at its centre
    assert np.abs([last.stress_xy, last.stress_yy]).max() < 1e-9 * abs(expected)
    assert run.dataset.stress_xx.attrs["units"] == "Pa"
    force_on_wall = float(run.loads.force_x[-1, 0])
    assert force_on_wall == pytest.approx(-force, rel=1e-6)


def test_stress_is_none_out_of_reach_and_at_the_start(run):
    assert np.all(run.records["stress"][0] == 0.0) and np.all(run.records["stress"][:, :, 3] == 0.0)
    assert (run.dataset.stress_xx[-1, 0] < 0.0).item()  # pushed by the ship


def test_impulses_of_pairs_add_up_to_loads(run):
    """The ship, obstacle 0, is number 4."""
    with_ship = run.contacts[run.contacts.floe_b == 4].groupby("time")[["impulse_x", "impulse_y"]].sum()
    times = with_ship.index.to_numpy()
    assert len(times) > 3
    loads = run.loads.sel(time=times, obstacle=0)
    size = np.abs(loads.force_x.values).max()
    assert with_ship.impulse_x.to_numpy() / 2.0 == pytest.approx(loads.force_x.values, abs=1e-12 * size)
    assert with_ship.impulse_y.to_numpy() / 2.0 == pytest.approx(loads.force_y.values, abs=1e-12 * size)


def test_file_memory_and_going_on_give_the_same_records(run, tmp_path):
    kept = ship_and_discs().run(20.0, 2.0, contacts=True)
    path = tmp_path / "short.nc"
    ship_and_discs().run(8.0, 2.0, path, contacts=True)
    further = bq.resume(path, until=20.0)
    run.save(tmp_path / "again.nc")
    for other in (kept, further, bq.open_run(tmp_path / "again.nc")):
        assert all(name in other.records for name in EXTRAS)
        for name in EXTRAS:
            assert other.records[name].dtype == run.records[name].dtype
            np.testing.assert_array_equal(other.records[name], run.records[name])


def test_a_file_without_them_opens_and_goes_on(tmp_path):
    """As written by an earlier version."""
    short = ship_and_discs().run(4.0, 2.0, contacts=True)
    for name in EXTRAS:
        del short.records[name]
    short.save(tmp_path / "old.nc")
    old = bq.open_run(tmp_path / "old.nc")
    assert "wind" not in old.records and "obstacle_pose" not in old.records and not old.flow.data_vars
    assert np.all(old.obstacles.x[:, 0] == 0.0)  # where it started


def test_groups_carry_units_and_inspect_lists_them(run, capsys):
    flow = xr.open_dataset(run.path, group="flow")
    assert flow.wind_u.attrs["standard_name"] == "x_wind" and flow.current_v.attrs["units"] == "m s-1"
    assert str(flow.time.values[-1]).startswith("2000-01-01T00:00:20")
    assert xr.open_dataset(run.path, group="obstacles").rotation.attrs["units"] == "rad"
    stages = xr.open_dataset(run.path, group="profile")
    seconds = dict(zip(stages.stage_name.values, stages.seconds.values))
    assert seconds == run.profile and min(seconds.values()) >= 0.0
    parts = sum(value for name, value in seconds.items() if name != "wall")
    assert parts == pytest.approx(seconds["wall"])
    assert main(["inspect", str(run.path)]) == 0
    said = capsys.readouterr().out
    for name in ("stress_xx", "obstacles", "flow", "wind_u", "loads", "detection"):
        assert name in said


def test_loads_and_places_say_which_obstacle(tmp_path):
    scene = bq.Scene(
        [bq.Disc((0, 0), 5.0)], [bq.Obstacle([[20, 0], [30, 0], [30, 9]], name="pier")], bq.Box(-50, 50, -50, 50)
    )
    run = bq.Simulation(scene).run(until=2.0, output=tmp_path / "run.nc")
    for table in (run.loads, run.obstacles, bq.open_run(tmp_path / "run.nc").loads):
        assert table["name"].values.tolist() == ["pier", "wall left", "wall right", "wall bottom", "wall top"]
    pier = run.loads.swap_dims(obstacle="name").sel(name="pier")
    assert pier.force_x.shape == run.dataset.time.shape


def test_a_run_in_memory_is_not_saved_over_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    run = bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0)])).run(until=2.0)
    with pytest.raises(bq.BanquiseError, match="expected the name of a file"):
        run.save(tmp_path / "pipe.nc")
    assert (tmp_path / "pipe.nc").is_fifo()
