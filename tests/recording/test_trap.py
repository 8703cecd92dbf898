"""NaN and infinities stop a run, with the culprit's name, and never reach a record or a checkpoint."""

import numpy as np
import pytest

import banquise as bq
from banquise.cli import main
from banquise.errors import BanquiseError, ForcingError
from banquise.trap import NotFinite, lost_row


def test_the_first_row_that_is_lost():
    columns = [np.zeros(4), np.ones((4, 3))]
    assert lost_row(columns) is None and lost_row([np.empty(0)]) is None
    columns[1][2, 1] = -np.inf
    columns[0][3] = np.nan
    assert lost_row(columns) == 2
    columns[1][1, 0] = np.inf  # +inf and -inf cancel to NaN in the sum, not to something finite
    assert lost_row(columns) == 1


def two_discs():
    discs = [bq.Disc((0, 0), 10.0), bq.Disc((1000, 0), 10.0, name="far")]
    return bq.Simulation(bq.Scene(discs), forcing=bq.Forcing(current=(0, 0)))


def poison(sim):
    if sim.time > 100:
        sim.bodies.u[1] = np.nan


def test_a_run_stops_and_keeps_what_was_sound(tmp_path):
    path = tmp_path / "run.nc"
    with pytest.raises(NotFinite, match=r"floe 1 \(far\) .* t = 120 s.*\n.*banquise resume") as stopped:
        two_discs().run(until=600, every=30, output=path, callbacks=[bq.Every(60, poison)])
    assert isinstance(stopped.value, BanquiseError)
    kept = bq.open_run(path)  # the pieces
    assert float(kept.dataset.time[-1]) == 120.0 and np.isfinite(kept.dataset.u.values).all()
    run = bq.resume(path)  # without the callback: from the last checkpoint, which is sound
    whole = two_discs().run(until=600, every=30)
    assert np.array_equal(run.dataset.u.values, whole.dataset.u.values)


def test_the_command_line_says_it(tmp_path, capsys):
    """A force that no number can hold is met where it is added up: the acceleration of so small a mass is infinite."""
    case = tmp_path / "case.toml"
    case.write_text(
        '[[scene.floes]]\nname = "crumb"\ncentre = [0, 0]\nradius = 0.01\nthickness = 0.001\n'
        "[[forcing.loads]]\nfloe = 0\nforce = [1e308, 0]\nstart = 1\nstop = 2\n[run]\nuntil = 10\nevery = 1\n"
    )
    assert main(["run", str(case), "--quiet"]) == 2
    said = capsys.readouterr().err
    assert "floe 0" in said and "t = 1" in said and "Traceback" not in said
    assert np.isfinite(bq.open_run(tmp_path / "case.nc").dataset.x.values).all()  # the records before it


def falters(sizes):
    """A force that is not a number from its fiftieth call on, on the second body."""
    calls = iter(range(10**9))
    return lambda state: np.where((np.arange(sizes[0]) == 1)[:, None] & (next(calls) >= 49), np.nan, np.zeros(sizes))


def test_a_force_that_is_not_a_number(tmp_path):
    sim = two_discs()
    sim.forcing = bq.Forcing(current=(0, 0), forces=[falters((2, 3))])
    with pytest.raises(ForcingError, match=r"forces\[0\] at t = 247.5 s .* floe 1.*\n.* kept.*banquise resume"):
        sim.run(until=600, every=30, output=tmp_path / "run.nc")
    kept = bq.open_run(tmp_path / "run.nc")
    assert float(kept.dataset.time[-1]) == 240.0 and np.isfinite(kept.dataset.u.values).all()


def test_a_force_on_a_block_that_is_not_a_number(tmp_path):
    cubes = [bq.Polyhedron.box((1, 1, 1), position=(3 * k, 0, 5), name=f"cube {k}") for k in range(2)]
    forcing = bq.Forcing(gravity=(0, 0, -9.81), forces=[falters((2, 6))])
    sim = bq.Simulation(bq.Scene(blocks=cubes), forcing, scheme=bq.TimeStepping(0.01))
    with pytest.raises(ForcingError, match=r"forces\[0\] .* block 1 \(cube 1\).*\n.* kept"):
        sim.run(until=1.0, every=0.1, output=tmp_path / "run.nc")
    assert float(bq.open_run(tmp_path / "run.nc").dataset.time[-1]) == pytest.approx(0.4)


def test_a_load_on_a_glacier_that_is_not_a_number():
    ice = bq.glacier.Glacier(length=1000.0, block=250.0, thickness=400.0, slope=1.0, friction=bq.glacier.Weertman(1e7))
    for load in (lambda t: np.where(t > 5, np.nan, 1e6), lambda t: float("inf") if t > 5 else 1e6):
        with pytest.raises(BanquiseError, match=r"the force at 5\.1 s is not a finite number"):
            ice.run(load, until=20.0, step=0.1)


def test_blocks_too():
    cube = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 5), name="cube")
    sim = bq.Simulation(bq.Scene(blocks=[cube]), bq.Forcing(gravity=(0, 0, -9.81)), scheme=bq.TimeStepping(0.01))

    def poison(sim):
        sim.columns.velocity[0, 5] = np.inf

    with pytest.raises(NotFinite, match=r"block 0 \(cube\)"):
        sim.run(until=0.1, every=0.05, callbacks=[poison])
