"""Case files: what is read is what is written, and a script can say the same."""

import tomllib

import numpy as np
import pytest

import banquise as bq
from banquise.case import case_of
from banquise.case_tables import tables_of, toml_of

CASE = """
title = "two floes and a rock"
seed = 3
integrator = "fitted"

[scene.domain]
kind = "box"
xmin = -500
xmax = 500
ymin = -500.0
ymax = 500
open = ["left"]
velocity = {right = -0.01}

[[scene.floes]]
name = "big"
ring = [[0, 0], [100, 0], [100, 80], [0, 80]]
holes = [[[40, 40], [50, 40], [50, 50], [40, 50]]]
thickness = "120 cm"
velocity = ["36 cm/s", 0.1]
spin = "0.1 deg/s"

[[scene.floes]]
centre = [-200, 0]
radius = "0.02 km"
density = "0.9 g/cm3"
water_drag = 0.004
material = "young ice"

[[scene.obstacles]]
centre = [300, 300]
radius = 20

[[scene.obstacles]]
ring = [[-300, -300], [-250, -300], [-250, -250]]
velocity = [0.1, 0.0]

[forcing]
current = [0.1, "5 cm/s"]
latitude = 80
relative_wind = true
turning_angle = 25

[forcing.wind]
times = [0, 3600]
u = [10, 5]
v = [0, 5]
after_end = "hold"

[[forcing.loads]]
floe = 0
force = [1000, 0]
start = "10 s"
stop = "1 min"

[contact]
restitution = 0.2
friction = {ice-rock = 0.3, default-default = 0.7}

[scheme]
kind = "event-driven"
max_step = "10 s"

[run]
until = "10 min"
every = "1 min"
start = 2024-03-01T00:00:00
"""


@pytest.fixture
def case_path(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    return path


def test_what_is_read(case_path):
    case = bq.load_case(case_path)
    big, disc = case.scene.floes
    assert big.thickness == pytest.approx(1.2) and big.velocity == pytest.approx((0.36, 0.1))
    assert big.spin == pytest.approx(np.radians(0.1)) and big.area == 7900.0
    assert isinstance(disc, bq.Disc) and disc.radius == 20.0 and disc.density == 900.0
    assert case.scene.domain == bq.Box(-500, 500, -500.0, 500, open=("left",), velocity={"right": -0.01})
    assert case.forcing.wind.at(1800.0) == (7.5, 2.5)
    assert case.forcing.current.at(0.0) == (0.1, 0.05)
    assert case.forcing.loads == (bq.Load(0, (1000, 0), start=10.0, stop=60.0),)
    assert case.contact.friction == {("ice", "rock"): 0.3, ("default", "default"): 0.7}
    assert case.scheme == bq.EventDriven(max_step=10.0)
    assert case.start == "2024-03-01T00:00:00" and case.seed == 3
    assert case.simulation().title == "two floes and a rock"


def test_round_trip(case_path, tmp_path):
    """Read, write, read: the same tables, and the same run to the last bit."""
    first = bq.load_case(case_path)
    bq.save_case(first, tmp_path / "again.toml")
    again = bq.load_case(tmp_path / "again.toml")
    assert toml_of(tables_of(first)) == toml_of(tables_of(again))
    runs = [case.simulation().run(until=30.0, every=10.0).records["state"] for case in (first, again)]
    assert runs[0].tobytes() == runs[1].tobytes()


def test_a_script_says_the_same(case_path, tmp_path):
    """A simulation built by hand can be written as a case and comes back."""
    sim = bq.Simulation(
        bq.Scene([bq.Floe([[0, 0], [1 / 3, 0], [0, 0.1]], name='say "ice"')], domain=bq.Periodic(0, 9, 0, 9.5)),
        bq.Forcing(wind=(1, 2), coriolis=1.4e-4),
        bq.Contact(order="sequential"),
        integrator="euler",
    )
    bq.save_case(sim, tmp_path / "own.toml", until=60.0)
    back = bq.load_case(tmp_path / "own.toml")
    assert back.until == 60.0 and back.integrator == "euler" and back.contact == sim.contact
    assert back.scene.domain == sim.scene.domain and back.scene.floes[0].name == 'say "ice"'
    assert back.scene.floes[0].ring.tolist() == sim.scene.floes[0].ring.tolist()


@pytest.mark.parametrize(
    "make,words",
    [
        (
            lambda: bq.Simulation(bq.Scene([bq.Disc((0, 0), 1)]), bq.Forcing(wind=lambda x, y, t: (x, y))),
            "forcing.wind",
        ),
        (lambda: bq.Simulation(bq.Scene([bq.Disc((0, 0), 1)]), bq.Forcing(forces=[print])), "forcing.forces"),
        (lambda: bq.Simulation(bq.Scene([bq.Disc((0, 0), 1, thickness=lambda x, y: 1 + 0 * x)])), "floe 0"),
        (
            lambda: bq.Simulation(
                bq.Scene([bq.Disc((0, 0), 1)], [bq.Obstacle([[5, 5], [6, 5], [6, 6]], path=lambda t: (5, 5, 0))])
            ),
            "obstacle 0",
        ),
    ],
)
def test_what_a_case_file_cannot_hold(make, words, tmp_path):
    with pytest.raises(bq.BanquiseError, match=words):
        bq.save_case(make(), tmp_path / "x.toml")


def test_the_end_of_one_run_starts_the_next(tmp_path):
    from banquise.scenes.drift import drifting_floes

    run = drifting_floes(3).run(until=60.0, output=tmp_path / "first.nc")
    case = case_of({"scene": {"file": "first.nc"}, "run": {"until": 60}}, tmp_path)
    assert len(case.scene.floes) == 3
    assert case.scene.floes[1].velocity == run.scene.floes[1].velocity


def test_toml_is_toml(case_path):
    assert tomllib.loads(toml_of(tables_of(bq.load_case(case_path))))["forcing"]["latitude"] == 80
