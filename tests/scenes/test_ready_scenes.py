"""Ready-made scenes: what they say they are, from our own floes and from real ones."""

import math

import numpy as np
import pytest
import shapely

import banquise as bq
from banquise.errors import CaseError
from banquise.scenes import SCENES, make, parameters
from banquise.scenes.channel_scene import TESTS
from banquise.scenes.starts import shaken, simplified, weather


def ice(scene):
    return sum(f.area for f in scene.floes)


def clear(sim):
    assert sim.scene.overlaps() == []
    return sim.scene


def test_channel_of_our_own_floes():
    sim = make("channel", n=20, width=300.0, length=700.0, slope=30.0, wind_angle=10.0, coriolis=1e-4)
    scene = clear(sim)
    right, left = (o.ring for o in scene.obstacles)
    assert right[:, 0].min() == 150 and left[:, 0].max() == -150 and right[:, 1].min() == -700
    floor = shapely.union_all([f.polygon for f in scene.floes])
    banks = shapely.union_all([o.polygon for o in scene.obstacles])
    assert shapely.distance(floor, banks) == pytest.approx(20.0, abs=0.1) or floor.bounds[1] == pytest.approx(20.0)
    u, v = sim.forcing.wind.at(0.0)
    assert math.hypot(u, v) == pytest.approx(10) and math.degrees(math.atan2(u, -v)) == pytest.approx(10)
    assert sim.forcing.coriolis == 1e-4
    # the size of Robeson's field to its channel
    assert ice(scene) / 300**2 == pytest.approx(7.885e5 / 850**2, rel=0.02)


def test_starts_of_an_ensemble_differ_by_little():
    one, other = (make("channel", n=12, width=200.0, shake=0.5, seed=s).scene for s in (1, 2))
    apart = np.linalg.norm(np.array([f.centre for f in one.floes]) - [f.centre for f in other.floes], axis=1)
    assert 0 < apart.max() <= 1.0 and clear(make("channel", n=12, width=200.0, shake=5.0, seed=3))
    unlike = make("channel", n=12, width=200.0, seed=2).scene
    assert not np.allclose([f.area for f in unlike.floes], [f.area for f in one.floes])


def test_shaking_never_overlaps():
    floes = [bq.Disc((10.001 * k, 0), 5.0) for k in range(6)]
    moved = shaken(floes, 3.0, 0)
    assert bq.Scene(moved).overlaps() == []


def test_channel_of_robeson(shared_data):
    sim = make("channel", floes=shared_data / "robeson_floes.mat", **TESTS["5"])
    scene = clear(sim)
    given = bq.read_scene(shared_data / "robeson_floes.mat")
    assert len(scene.floes) == 100 and ice(scene) == pytest.approx(ice(given), rel=0.01)
    assert [f.thickness for f in scene.floes] == pytest.approx([1.0] * 100)
    assert sum(len(f.ring) for f in scene.floes) < 0.1 * sum(len(f.ring) for f in given.floes)
    assert sim.contact.restitution == 0.35 and sim.forcing.coriolis == 1.44e-4


def test_a_field_upside_down():
    floes = [bq.Floe([(0, 0), (30, 0), (0, 10)]), bq.Disc((50, 40), 6.0)]
    up, down = (make("channel", floes=floes, width=200.0, simplify=0.0, flip=f).scene.floes for f in (False, True))
    way = [b[1].centre - b[0].centre for b in (up, down)]
    assert way[1] == pytest.approx(way[0] * (1, -1)) and [f.area for f in down] == pytest.approx([f.area for f in up])
    ring = down[0].ring - down[0].ring.min(axis=0)
    assert np.array(sorted(ring.round(9).tolist())) == pytest.approx(np.array([[0.0, 0.0], [0.0, 10.0], [30.0, 10.0]]))


def test_simplified_outlines_stay_near(shared_data):
    given = list(bq.read_scene(shared_data / "robeson_floes.mat").floes)[:30]
    made = simplified(given, 1.0)
    for a, b in zip(given, made):
        # GEOS drops the ring's first point too, without counting what the points around it have moved already
        assert shapely.hausdorff_distance(a.polygon, b.polygon) <= 2.0


def test_drift_of_real_outlines_and_forcing(shared_data):
    sim = make(
        "drift", floes=shared_data / "robeson_floes.mat", forcing=shared_data / "barents_forcing_2008_02.mat", n=25,
        box=(300.0, 300.0), max_size=60.0, start_hour=48.0,
    )  # fmt: skip
    assert ice(clear(sim)) / 300**2 == pytest.approx(0.6, rel=1e-6)
    h = np.array([f.thickness for f in sim.scene.floes])
    assert h.min() >= 0.25 and h.max() <= 0.38
    whole = bq.read_forcing(shared_data / "barents_forcing_2008_02.mat", "wind")
    assert sim.forcing.wind.at(0.0) == pytest.approx(whole.at(48 * 3600.0))
    run = sim.run("10 min", "5 min")
    assert float(run.ledger.max_overlap.max()) < 1e-3


def test_basin_keeps_its_floes():
    sim = make("basin", n=10, side=150.0)
    run = sim.run("90 s", "30 s")
    state = run.records["state"]
    assert (
        (state[:, 0] > 0).all() and (state[:, 0] < 150).all() and (state[:, 1] > 0).all() and (state[:, 1] < 150).all()
    )


def test_platform_is_pushed_the_way_the_ice_goes():
    sim = make("platform", n=8, field=(80.0, 60.0), diameter=30.0, max_size=15.0, current=0.6)
    run = sim.run("60 s", "2 s")
    found = bq.analysis.load_statistics(run, "platform", after="10 s")
    assert found.largest > 0 and found.mean_force[0] > 0
    hits = run.events[run.events["floe_b"] == 8]
    assert len(hits) and float(run.ledger.max_overlap.max()) < 1e-3


def test_ship_meets_resistance():
    sim = make("ship", n=8, field=(80.0, 40.0), max_size=12.0)
    run = sim.run("30 s", "1 s")
    found = bq.analysis.resistance(run, "ship", (1.0, 0.0))
    assert found.attrs["mean"] > 0
    # the work it does on the ice is its resistance times its way
    way, work = 2.0 * 30.0, float(run.ledger["work_obstacles"][-1])
    assert found.attrs["mean"] * way == pytest.approx(work, rel=1e-6)


def test_weather_is_that_of_its_seed():
    wind, current = weather(3.0, 4)
    again, _ = weather(3.0, 4)
    assert np.array_equal(wind.u, again.u) and len(wind.times) == 74 and wind.times[-1] >= 3 * 86400
    speed = np.hypot(wind.u, wind.v)
    assert 1 < speed.mean() < 18 and np.hypot(current.u, current.v).max() < 0.4


def test_names(capsys):
    assert {"channel", "drift", "basin", "platform", "ship"} == set(SCENES)
    assert parameters("channel")["width"] == 850.0
    with pytest.raises(CaseError, match="Did you mean 'basin'"):
        make("bassin")
    with pytest.raises(CaseError, match="Did you mean 'slope'"):
        make("channel", slop=1)
    with pytest.raises(CaseError, match="expected at least the width"):
        make("channel", n=5, width=200.0, approach=100.0)


@pytest.mark.parametrize(
    "scene, option, value, says",
    [
        ("channel", "slope", "steep", "slope: got 'steep'"),
        ("channel", "width", "300 kg", "unit 'kg' is not one of length"),
        ("channel", "shake", [1, 2], r"shake: got \[1, 2\]"),
        ("channel", "floes", 3, "floes: got 3, expected the name of a file"),
        ("drift", "floes", [1, 2], "expected the name of a file, a bq.Scene or a list of bq.Floe"),
        ("basin", "wind", None, "wind: got None"),
        ("basin", "wind_angle", math.inf, "wind_angle: got inf, expected a finite number"),
        ("platform", "diameter", -3, "diameter: got -3, expected a finite number above 0"),
        ("platform", "field", 100, "field: got 100, expected its length and width"),
        ("ship", "field", [100, "x"], r"field\[1\]: got 'x'"),
        ("ship", "bow", 0, "bow: got 0, expected degrees above 0 and at most 90"),
        ("ship", "run_up", {}, "run_up: got {}"),
    ],
)
def test_a_wrong_parameter_is_named(scene, option, value, says):
    with pytest.raises(CaseError, match=says):
        make(scene, n=2, **{option: value})


def test_parameters_are_read_with_their_units():
    options = {
        "n": 3,
        "concentration": 0.1,
        "field": ("0.2 km", 150),
        "length": "200 ft",
        "beam": "12 m",
        "speed": "4 kn",
        "run_up": "20 m",
    }
    (ship,) = make("ship", **options).scene.obstacles
    low, _, high, _ = ship.polygon.bounds
    assert high - low == pytest.approx(200 * 0.3048) and high == pytest.approx(-20.0)
    assert ship.velocity[0] == pytest.approx(4 * 1852 / 3600)
