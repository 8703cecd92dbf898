"""Wrong calls from Python: each a sentence that names the culprit, none a bare error from inside."""

from __future__ import annotations

import datetime
import inspect
import warnings

import numpy as np
import pytest
import shapely
import xarray as xr

import banquise as bq
from banquise import glacier
from banquise.blocks.columns import Columns
from banquise.blocks.overlaps import warn_of_start
from banquise.errors import BanquiseError
from banquise.export import export
from banquise.scenes import make
from banquise.scenes.block_cases import CASES
from banquise.view.player import write_page

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def floe() -> bq.Floe:
    return bq.Floe(SQUARE)


def cube(**more) -> bq.Polyhedron:
    return bq.Polyhedron.box((1, 1, 1), **more)


def done() -> bq.Run:
    return bq.Simulation(bq.Scene([floe()])).run(1, every=0.5)


def of_blocks():
    return bq.Simulation(bq.Scene(blocks=[cube()])).run(0.01, every=0.01)


def beside_a_pier() -> bq.Run:
    return bq.Simulation(bq.Scene([floe()], [bq.Obstacle([[50, 0], [60, 0], [60, 9]])])).run(1, every=0.5)


def block_of_file(tmp_path):
    path = tmp_path / "rock.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 0 1 2\n")
    return bq.Polyhedron.from_file(path)


WRONG = {
    "a shape for a ring": (lambda _: bq.Floe(shapely.Polygon(SQUARE)), "cannot be read as points: got <POLYGON"),
    "a truth for a thickness": (lambda _: bq.Floe(SQUARE, thickness=True), "thickness: got True"),
    "one floe for a list": (lambda _: bq.Scene(floe()), r"floes is one Floe, expected a list: floes=\[...\]"),
    "blocks among floes": (lambda _: bq.Scene([cube()]), r"floes\[0\] is Polyhedron, .* go into bq.Scene\(blocks="),
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
    "a mask in a ring": (
        lambda _: bq.Floe(np.ma.array(SQUARE, mask=[[0, 0], [1, 0], [0, 0], [0, 0]])),
        r"point 1 is \(nan, 0.0\)",
    ),
    "a mask in a series": (lambda _: bq.Series([0, 1], np.ma.array([1, 2], mask=[0, 1]), [0, 0]), r"u\[1\] is nan"),
    "half a seed": (lambda _: bq.pack(n=5, box=(100, 100), concentration=0.3, seed=1.5), "pack: seed: got 1.5"),
    "a seed below 0": (lambda _: bq.voronoi(9, 0.8, (100, 100), seed=-1), "voronoi: seed: got -1, expected a whole"),
    "a seed below 0 for a run": (lambda _: bq.Simulation(bq.Scene([floe()]), seed=-1), "seed: got -1"),
    "a seed below 0 for a scene": (lambda _: make("drift", seed=-1), "scene drift: seed: got -1"),
    "a number for an output": (lambda _: bq.Simulation(bq.Scene([floe()])).run(1, output=3), "output: got 3"),
    "an Earth that spins too fast": (
        lambda _: bq.Forcing(coriolis=1e5),
        "coriolis: got 100000 1/s, expected at most 100",
    ),
    "a box that closes": (
        lambda _: bq.Simulation(bq.Scene([floe()], domain=bq.Box(0, 50, 0, 50, velocity={"right": -1}))).run(41),
        "left and right sides leave less than the 10 m .* from t = 40 s on, and the run goes on to 41 s",
    ),
    "walls that meet": (
        lambda _: bq.Simulation(
            bq.Scene([floe()], domain=bq.Box(0, 50, 0, 50, velocity={"bottom": 1, "top": -1})), fracture=bq.Griffith()
        ).run(25),
        "bottom and top sides meet from t = 25 s on",
    ),
    "no folder for an export": (lambda tmp: exported(tmp), "does not exist. Make it first"),
    # a kind of thing for another
    "a class for a scheme": (lambda _: bq.Simulation(bq.Scene([floe()]), scheme=bq.EventDriven), "scheme is <class"),
    "a class for a law": (lambda _: bq.Simulation(bq.Scene([floe()]), fracture=bq.Griffith), "fracture is <class"),
    "springs of floes for blocks": (
        lambda _: bq.Simulation(bq.Scene(blocks=[cube()]), scheme=bq.Penalty(1e6)),
        "scheme is Penalty.*one of bq.blocks",
    ),
    "a push for a forcing of blocks": (
        lambda _: bq.Simulation(bq.Scene(blocks=[cube()]), (0, 0, -9.81)),
        "forcing is tuple",
    ),
    "a word for a bond": (lambda _: bq.Simulation(bq.Scene(blocks=[cube()]), bond="ice"), "bond is 'ice'"),
    "a word for a truth": (lambda _: cube(fixed="no"), "fixed: got 'no', expected True or False"),
    "one load for a list": (lambda _: bq.Forcing(loads=bq.Load(0)), r"loads is one Load, expected a list: loads=\["),
    "one force for a list": (lambda _: bq.Forcing(forces=print), r"forces is one builtin_function_or_method"),
    "a number for a field": (lambda _: bq.Field(3), r"field: got 3, expected a function of \(x, y, t\)"),
    "a dataset for a wind": (lambda _: bq.Forcing(wind=xr.Dataset({"u": ("t", [1.0])})), "wind: got <xarray.Dataset>"),
    "a dataset for a file": (lambda _: bq.read_forcing(xr.Dataset()), "wind: got .* expected the name of a file"),
    "nothing for a run file": (lambda _: bq.open_run(None), "run file: got None, expected the name of a file"),
    "a number for a case": (lambda _: bq.load_case(3), "case file: got 3, expected the name of a file"),
    "tables for a sweep file": (lambda _: bq.sweep({"scene": "channel"}), "sweep file: got .* the name of a file"),
    "a name for a run": (
        lambda _: bq.analysis.clusters("run.nc"),
        r"got 'run.nc', expected a run of floes.*bq.open_run",
    ),
    "blocks for floes": (lambda _: bq.analysis.clusters(of_blocks()), "got a run of blocks, expected a run of floes"),
    "floes for a scene": (lambda _: bq.fields.shift([floe()], 1, 1), "fields: got .* expected a bq.Scene"),
    "scenes in a list": (lambda _: bq.fields.merge([bq.Scene([floe()])]), "merge: got .* expected a bq.Scene"),
    "a run for a scene": (
        lambda tmp: bq.write_scene(done(), tmp / "a.geojson"),
        r"expected a bq.Scene \(of a run: run.scene\)",
    ),
    "a scene of blocks": (lambda _: bq.fields.info(bq.Scene(blocks=[cube()])), "one of blocks, expected one of floes"),
    "a run for a case": (lambda tmp: bq.save_case(done(), tmp / "a.toml"), "expected a case or a simulation"),
    "run and format swapped": (lambda tmp: export("csv", done(), tmp / "a.csv"), "no format Run: 1 floe"),
    "a name for a page": (lambda tmp: write_page("run.nc", tmp / "a.html"), "player: got 'run.nc', expected a run"),
    "a theme nobody knows": (lambda tmp: write_page(done(), tmp / "a.html", theme="blue"), "theme: got 'blue'"),
    "an option nobody knows": (lambda tmp: write_page(done(), tmp / "a.html", color="age"), "Did you mean 'colour'"),
    "a page of one record": (lambda tmp: write_page(done(), tmp / "a.html", max_frames=1), "max_frames: got 1"),
    "no forcing": (lambda _: bq.analysis.energy_fraction(done(), None), "forcing is None, expected bq.Forcing"),
    "a word for a window": (lambda _: bq.analysis.concentration(done(), "all"), "window: got 'all'"),
    "a gap below 0": (lambda _: bq.analysis.clusters(done(), gap=-1), "clusters: gap: got -1"),
    "a name where none has one": (
        lambda _: bq.analysis.load_statistics(beside_a_pier(), "pier"),
        "None has a name; give a number",
    ),
    "one side of a cell": (lambda _: glacier.PlanView(1000, 500, 300), r"cell is 300, expected \(dx, dy\)"),
    "large before small": (
        lambda _: bq.pack(n=3, concentration=0.3, box=(100, 100), min_size=20, max_size=10),
        "min_size is 20, max_size 10",
    ),
    # times and units
    "dates in a series": (
        lambda _: bq.Series(np.array(["2024-01-01", "2024-01-02"], "M8[ns]"), [1, 2], [0, 0]),
        "series: times: got dates. Expected seconds from the start",
    ),
    "a list of dates": (
        lambda _: bq.Series([datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)], [1, 2], [0, 0]),
        r"series: times\[0\]: got '2024-01-01 00:00:00', a date",
    ),
    "dates of a load on a glacier": (
        lambda _: glacier.Table(np.array(["2024-01-01", "2024-01-02"], "M8[D]"), [1, 2]),
        "Table: times: got dates",
    ),
    "a date for an end": (
        lambda _: bq.Simulation(bq.Scene([floe()])).run("2024-03-02"),
        "until: got '2024-03-02', a date",
    ),
    "no date": (lambda _: bq.Simulation(bq.Scene([floe()]), start=np.datetime64("NaT")), "start: got .*NaT"),
    "records without end": (lambda _: bq.Simulation(bq.Scene([floe()])).run(10, every=1e-9), "makes 1e.10 records"),
    "seconds for metres": (
        lambda _: bq.Floe(SQUARE, thickness="2 h"),
        "floe: thickness: unit 'h' is not one of length",
    ),
    "words for a speed": (
        lambda _: bq.Forcing(wind=("calm", 0)),
        "wind: got 'calm', expected a number with a unit of speed",
    ),
    "east of a latitude": (lambda _: bq.Forcing(latitude="81 E"), "latitude: unit 'E' is not one of degrees"),
}


def exported(tmp_path):
    run = bq.Simulation(bq.Scene([floe()])).run(1, output=tmp_path / "a.nc")
    return export(run, "csv", tmp_path / "no" / "a.csv")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_call(name, tmp_path):
    call, words = WRONG[name]
    with pytest.raises(BanquiseError, match=words) as told:
        call(tmp_path)
    assert str(told.value).count("\n") <= 1


HOUR = datetime.timedelta(hours=1)
SEVERAL = {  # one thing said in several ways -> how each reads it
    "end of a run": (
        lambda end: float(bq.Simulation(bq.Scene([floe()])).run(end, every=600).dataset.time[-1]),
        (3600, "1 h", "1 hour", "60 minutes", "3600 seconds", HOUR, np.timedelta64(1, "h"), np.float32(3600)),
    ),
    "times of a series": (
        lambda times: bq.Series(times, [1, 2], [0, 0]).times.tolist(),
        (
            [0, 3600], ("0 h", "1 h"), [datetime.timedelta(0), HOUR], np.array([0, 3600], "m8[s]"),
            np.array([0, 3600 * 10**9], "m8[ns]"), xr.DataArray([0.0, 3600.0]),
        ),
    ),
    "thickness": (
        lambda h: bq.Floe(SQUARE, thickness=h).mass,
        (2, 2.0, "2 m", "200 cm", "2 metres", np.int64(2), np.float32(2), np.array(2.0), xr.DataArray(2.0)),
    ),
    "velocity": (
        lambda v: bq.Floe(SQUARE, velocity=v).velocity,
        ((0.5, 0), [0.5, 0], np.array([0.5, 0]), ("50 cm/s", "0 m/s"), (np.float32(0.5), 0)),
    ),
    "wind": (
        lambda w: bq.Forcing(wind=w).wind.at(0.0),
        ((10, 0), [10, 0], np.array([10, 0], "i2"), ("10 m/s", 0), ("36 km/h", "0 kn"), xr.DataArray([10.0, 0.0])),
    ),
    "latitude": (lambda y: bq.Forcing(latitude=y).coriolis, (81, 81.0, "81 deg", "81 degrees", np.int64(81))),
    "bounds": (
        lambda x: bq.Box(-x if not isinstance(x, str) else "-1 km", x, 0, 1).xmax,
        (1000, 1000.0, "1 km", np.int64(1000), np.float32(1000)),
    ),
    "force": (lambda f: bq.Load(0, force=f).force, ((2000, 0), ["2 kN", 0], np.array([2000, 0]))),
    "ring": (
        lambda ring: bq.Floe(ring).area,
        (SQUARE, SQUARE[::-1], tuple(map(tuple, SQUARE)), np.array(SQUARE), np.array(SQUARE, "f4"), xr.DataArray(SQUARE)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_one_thing_said_in_several_ways(name):
    read, ways = SEVERAL[name]
    found = [read(way) for way in ways]
    assert all(one == found[0] for one in found), list(zip(ways, found))


def test_a_blow_near_the_border_acts_on_it():
    on, near = (bq.fracture.impact(floe(), (x, 5), (1, 0), 0.1) for x in (0.0, -0.3))
    assert near.energy == pytest.approx(on.energy, rel=1e-12)  # the lever is that of the border
    assert np.isfinite(near.force)


# ---------------------------------------------------------------- functions of the user's own

FAR = [[100, 0], [110, 0], [110, 10], [100, 10]]


def on_path(path) -> bq.Scene:
    return bq.Scene([floe()], [bq.Obstacle(FAR, path=path)])


def moving_cubes(path) -> bq.Scene:
    return bq.Scene(blocks=[cube(), cube(position=(5, 0, 0), fixed=True, path=path)])


USES = {  # where a function of one's own may stand -> what to do with it, and what is said of it
    "forces": (lambda own: bq.Simulation(bq.Scene([floe()]), bq.Forcing(forces=[own])).run(1), r"forces\[0\]"),
    "wind": (lambda own: bq.Simulation(bq.Scene([floe()]), bq.Forcing(wind=own)).run(1), "wind at t = 0 s"),
    "current": (lambda own: bq.Simulation(bq.Scene([floe()]), bq.Forcing(current=own)).run(1), "current at t = 0 s"),
    "path": (lambda own: bq.Simulation(on_path(own)).run(1), "obstacle 0: its path at t = 0 s"),
    "thickness": (lambda own: bq.Floe(SQUARE, thickness=own, name="berg").mass, "floe 'berg': thickness"),
    "forces on blocks": (
        lambda own: bq.Simulation(bq.Scene(blocks=[cube()]), bq.Forcing(forces=[own])).run(0.1),
        r"forces\[0\]",
    ),
    "path of a block": (lambda own: bq.Simulation(moving_cubes(own)).run(0.1), "path of block 1 at t = 0 s"),
    "load on a glacier": (lambda own: glacier.Glacier(1e3, 100.0).run(own, until=1), "load at 0 s"),
    "slope of a glacier": (lambda own: glacier.Glacier(1e3, 100.0, slope=own), "slope"),
    "friction": (
        lambda own: bq.Simulation(bq.Scene([floe()]), contact=bq.Contact(friction=own)),
        r"contact friction of \('ice', 'ice'\)",
    ),
    "thickness of a pack": (
        lambda own: bq.pack(n=5, box=(100, 100), concentration=0.3, thickness=own),
        "pack: thickness",
    ),
    "sizes of a pack": (lambda own: bq.pack(n=5, box=(100, 100), concentration=0.3, sizes=own), "pack: sizes"),
}


def raises(*_):
    return {}["x"]


def too_few():
    return 0.0


def gives_words(*_):
    return "north"


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("own", [raises, too_few, gives_words])
def test_own_functions_that_fail_are_named(use, own):
    call, words = USES[use]
    with pytest.raises(BanquiseError, match=words) as told:
        call(own)
    said = str(told.value)
    assert "xpected" in said and said.count("\n") <= 1
    if own is not gives_words or use not in ("friction", "slope of a glacier"):  # those are taken for numbers given
        assert f"{own.__name__}, line" in said and "test_bad_calls.py" in said, said
    if own is raises:
        assert "KeyError: 'x'" in said and isinstance(told.value.__cause__, KeyError)  # with its own lines in a script


def test_a_callback_keeps_its_own_error_and_a_note_says_whose_it_is():
    with pytest.raises(KeyError) as told:
        bq.Simulation(bq.Scene([floe()])).run(1, callbacks=[raises])
    assert "callback raises, line" in told.value.__notes__[0] and "t = 0.01 s" in told.value.__notes__[0]
    with pytest.raises(BanquiseError, match="callback too_few.*Expected a function of the simulation"):
        bq.Simulation(bq.Scene([floe()])).run(1, callbacks=[bq.Every(0.5, too_few)])


@pytest.mark.parametrize(
    "path,words",
    [
        (lambda t: (105.0 if t < 0.55 else 1e5, 5.0, 0.0), "jumps at t = 0.55 s"),
        (lambda t: (105.0, 5.0, (3.0 + t) % np.pi), "jumps at t = 0.14159"),  # an angle wound back
        (lambda t: (105.0 if t < 0.5 else np.nan, 5.0, 0.0), r"at t = 0.5 s is \[nan"),
    ],
)
def test_a_path_that_jumps(path, words):
    with pytest.raises(BanquiseError, match=f"obstacle 0: its path .*{words}|obstacle 0: its path {words}"):
        bq.Simulation(on_path(path)).run(1)


def test_a_fast_path_is_no_jump():
    run = bq.Simulation(on_path(lambda t: (105.0 + 1e4 * t, 5.0, 40.0 * t))).run(1, every=0.5)
    assert float(run.obstacles.x[-1, 0]) == pytest.approx(10105.0)


def test_a_block_that_jumps():
    with pytest.raises(BanquiseError, match="path of block 1: <lambda>.* jumps at t = 0.05"):
        bq.Simulation(moving_cubes(lambda t: (5.0 if t < 0.05 else 50.0, 0.0, 0.0))).run(0.1)


# ---------------------------------------------------------------- floes that lie where they should not


@pytest.mark.parametrize(
    "scene,words",
    [
        (
            lambda: bq.Scene([floe(), bq.Floe(np.array(SQUARE) + 8, name="berg")]),
            r"floe 0 and floe 1 \(berg\) overlap by 2 m",
        ),
        (lambda: bq.Scene([floe()], [bq.Obstacle(SQUARE, name="pier")]), r"floe 0 and obstacle 0 \(pier\) overlap"),
        (lambda: bq.Scene([floe()], domain=bq.Box(5, 99, 0, 99)), "floe 0 reaches 5 m over the left side of the box"),
        (lambda: bq.Scene([floe()], domain=bq.Box(50, 99, 0, 99, open=("left",))), "outside the box, beyond its left"),
        (
            lambda: bq.Scene([floe()], domain=bq.Periodic(0, 99, 50, 99)),
            "outside the periodic domain, beyond its bottom",
        ),
    ],
)
def test_floes_out_of_place_are_named(scene, words):
    with pytest.warns(UserWarning, match=f"at the start of the run: .*{words}") as said:
        bq.Simulation(scene()).run(0.1, every=0.1)
    assert said[0].filename == __file__


def test_floes_in_their_place_are_not_warned_of(recwarn):
    scene = bq.Scene([floe(), bq.Floe(np.array(SQUARE) + (10, 0))], domain=bq.Box(0, 20, 0, 10))  # all touch
    bq.Simulation(scene).run(0.1, every=0.1)
    assert not [w for w in recwarn if "start of the run" in str(w.message)]


def test_blocks_that_overlap_at_the_start_are_said():
    piece = cube()
    places = [(0.9 * k, 0, 0) for k in range(6)]  # five pairs: three are named
    sim = bq.Simulation(bq.Scene(blocks=[piece.moved(position=p) for p in places]))
    words = r"at the start of the run: blocks 0 and 1 overlap by 0.1 m\. .*blocks 2 and 3 overlap .* And 2 more\.$"
    with pytest.warns(UserWarning, match=words) as said:
        sim.run(0.001, every=0.001)
    assert said[0].filename == __file__
    with warnings.catch_warnings():  # once: what is left of it in a run that goes on is in the ledger
        warnings.simplefilter("error")
        sim.run(0.002, every=0.001)


@pytest.mark.parametrize("name", CASES)
def test_ready_scenes_of_blocks_do_not_overlap(name, recwarn):
    warn_of_start(Columns.of(CASES[name](None).scene.blocks))
    assert not recwarn


def public_names():
    """All that can be called by a name of the package; not what only a run makes, or a kind of which there are several."""
    made = {"BanquiseError", "Run", "GlacierRun", "PlanRun", "GlacierCase", "Friction", "Load", "Ice"}
    made |= {"Crack", "Impact", "TwoBodies", "Break", "Motion", "Pair", "Triangle"}
    tools = ["shift", "scale", "rotate", "at_rest", "merge", "tile", "cut", "info"]
    homes = {bq.fields: tools, bq.lcp: ["solve"]}
    for home in (bq, bq.glacier, bq.blocks, bq.analysis, bq.fracture, bq.percussion, bq.fields, bq.lcp):
        for name in homes.get(home) or home.__all__:
            if callable(getattr(home, name)) and (name not in made or (home, name) == (bq, "Load")):
                yield pytest.param(home, name, id=f"{home.__name__}.{name}")


@pytest.mark.parametrize("home, name", list(public_names()))
def test_a_keyword_nobody_knows_is_answered_with_the_nearest(home, name):
    public = getattr(home, name)
    taken = inspect.signature(public.__init__ if isinstance(public, type) else public).parameters
    keyword = [p.name for p in taken.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)][-1]
    if keyword == "self":
        return  # takes nothing
    given = [None] if name == "Simulation" else []  # which of two it is, is told by the scene
    with pytest.raises(TypeError, match=f"{name}: no keyword '{keyword}x'. Did you mean '{keyword}'") as told:
        public(*given, **{f"{keyword}x": 1})
    assert isinstance(told.value, BanquiseError)


def test_keywords_that_are_handed_on_and_those_of_a_run():
    with pytest.raises(BanquiseError, match="Disc: no keyword 'spinn'. Did you mean 'spin'"):
        bq.Disc((0, 0), 3.0, spinn=1)
    assert bq.Disc((0, 0), 3.0, spin=1.0).spin == 1.0
    with pytest.raises(BanquiseError, match="Polyhedron: no keyword 'densty'. Did you mean 'density'"):
        cube(densty=900.0)
    for scene in (bq.Scene([floe()]), bq.Scene(blocks=[cube()])):
        with pytest.raises(BanquiseError, match="run: no keyword 'untl'. Did you mean 'until'"):
            bq.Simulation(scene).run(untl=1)
        with pytest.raises(BanquiseError, match="no keyword 'frcing'. Did you mean 'forcing'"):
            bq.Simulation(scene, frcing=bq.Forcing())
