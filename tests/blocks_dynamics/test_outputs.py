"""What a run of blocks leaves: a run file that others read, the same bits after a stop, cases, checks, exports."""

from __future__ import annotations

import base64
import json
import re

import netCDF4
import numpy as np
import pytest
import xarray as xr

import banquise as bq
from banquise import threads
from banquise.blocks import step as stepping
from banquise.cli import main
from banquise.commands import blocks as blocks_command
from banquise.export import export
from banquise.recording import recorder
from banquise.scenes import block_cases
from banquise.scenes.blocks import floor
from banquise.view.blocks import cut_to, face_rings

L_PARTS = [
    [[i, j, k] for i in (0, 0.4) for j in (0, 0.2) for k in (0, 0.2)],
    [[i, j, k] for i in (0, 0.2) for j in (0.2, 0.4) for k in (0, 0.2)],
]


def simulation(**options):
    """All kinds of shapes, tumbling onto a floor."""
    down = {"velocity": (0, 0, -1), "spin": (0.3, 2.0, 0.1)}
    blocks = [
        floor((8, 8, 1), material="ground"),
        bq.Polyhedron.box((0.5, 0.4, 0.3), position=(0, 0, 0.4), orientation=(1, 0.1, 0.05, 0), name="box", **down),
        bq.Polyhedron.ball(0.2, position=(1, 0, 0.3), density=500.0, **down),
        bq.Polyhedron([[0, 0, 0], [0.4, 0, 0]], radius=0.1, position=(-1, 0, 0.4), **down),
        bq.Polyhedron(None, parts=L_PARTS, position=(0, 1, 0.3), **down),
        bq.Polyhedron.clump([[0, 0, 0], [0.2, 0, 0]], [0.15, 0.1], position=(0, -1, 0.3), **down),
    ]
    table = {("ice", "ice"): 0.3, ("ice", "ground"): 0.5, ("ground", "ground"): 0.5}
    return bq.Simulation(
        bq.Scene(blocks=blocks), bq.Forcing(gravity=(0, 0, -9.81)), bq.Contact(friction=table, restitution=0.1),
        **{"scheme": bq.TimeStepping(step=0.005), "title": "All kinds", **options},
    )  # fmt: skip


CASE = """
title = "Case of blocks"
[[scene.blocks]]
box = [4, 4, "100 cm"]
position = [0, 0, -0.5]
fixed = true
[[scene.blocks]]
box = [1, 1, 1]
position = [0, 0, 0.5]
density = "900 kg/m3"
[[scene.blocks]]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
position = [0, 0, 1.001]
[forcing]
gravity = [0, 0, -9.81]
[scheme]
kind = "time-stepping"
step = "10 ms"
[run]
until = "0.1 s"
every = "0.05 s"
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks") / "run.nc"
    simulation(start="2024-03-01T00:00:00").run(until=0.3, every=0.05, output=path)
    return path


def same_bits(one, other):
    for part in ("dataset", "ledger", "loads"):
        first, second = getattr(one, part), getattr(other, part)
        assert set(first.variables) == set(second.variables)
        for name in first.variables:
            np.testing.assert_array_equal(first[name].values, second[name].values, err_msg=f"{part} {name}")
    np.testing.assert_array_equal(one.records["events"], other.records["events"])


def test_plain_xarray_reads_the_run_file(finished):
    root = xr.open_dataset(finished)
    assert root.attrs["Conventions"] == "CF-1.11" and root.attrs["featureType"] == "trajectory"
    assert root["time"].values[-1] == np.datetime64("2024-03-01T00:00:00.300")
    assert root["block_id"].attrs["cf_role"] == "trajectory_id"
    assert root["z"].attrs["units"] == "m" and root["spin_x"].attrs["units"] == "rad s-1"
    run = bq.open_run(finished)
    for name in ("x", "y", "z", "qw", "qx", "qy", "qz", "u", "v", "w", "spin_x", "spin_y", "spin_z"):
        np.testing.assert_array_equal(root[name].values, run.dataset[name].values)
    shapes = xr.open_dataset(finished, group="shapes")
    first = int(shapes["vertex_count"][0])
    corners = shapes["vertex"].values[first : first + int(shapes["vertex_count"][1])]
    w, x, y, z = (float(root[q][0, 1]) for q in ("qw", "qx", "qy", "qz"))
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    world = corners @ turn.T + [float(root[c][0, 1]) for c in "xyz"]
    wanted = simulation().scene.blocks[1].world_vertices
    np.testing.assert_allclose(world[np.lexsort(world.T)], wanted[np.lexsort(wanted.T)], atol=1e-12)


def test_impacts_are_in_the_file_and_beside_the_tables(finished, tmp_path):
    run = bq.open_run(finished)
    events = run.events
    columns = [
        "time",
        "kind",
        "block_a",
        "block_b",
        "x",
        "y",
        "z",
        "normal_impulse",
        "tangential_impulse",
        "energy_loss",
    ]
    assert events.columns.tolist() == columns
    assert set(events["block_b"]) == {1, 2, 3, 4, 5} and (events["block_a"] == 0).all()  # each of the five lands
    assert (events["kind"] == "impact").all() and (events["normal_impulse"] > 0).all()
    assert int(run.ledger.collisions.sum()) == len(events)
    stored = xr.open_dataset(finished, group="events")
    assert stored["normal_impulse"].attrs["units"] == "N s"
    np.testing.assert_array_equal(stored["z"], events["z"])
    export(run, "csv", tmp_path / "out.csv")
    assert len((tmp_path / "out_events.csv").read_text().splitlines()) == 1 + len(events)


def test_files_of_earlier_versions_have_no_impacts(finished, tmp_path, monkeypatch):
    from banquise.recording import block_file

    monkeypatch.setattr(block_file, "_events_table", lambda rows: xr.Dataset())
    bq.open_run(finished).save(tmp_path / "old.nc")
    monkeypatch.undo()
    with netCDF4.Dataset(tmp_path / "old.nc", "a") as file:
        file.renameGroup("events", "no_events")
    assert bq.open_run(tmp_path / "old.nc", check=False).events.empty


def test_cf_checker_finds_no_error(finished):
    pytest.importorskip("compliance_checker")
    from compliance_checker.suite import CheckSuite

    suite = CheckSuite()
    suite.load_all_available_checkers()
    found = suite.run_all(suite.load_dataset(str(finished)), ["cf:1.11"])["cf:1.11"][0]
    errors = [f"{r.name}: {r.msgs}" for r in found if r.weight >= 3 and r.value and r.value[0] < r.value[1]]
    assert not errors, "\n".join(errors)


def test_contact_force_is_what_the_floor_feels_when_there_is_no_friction():
    box = bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.5))
    sim = bq.Simulation(
        bq.Scene(blocks=[floor(), box]), bq.Forcing(gravity=(0, 0, -10)), bq.Contact(friction=0.0),
        scheme=bq.TimeStepping(step=0.01),
    )  # fmt: skip
    run = sim.run(until=0.2, every=0.1)
    np.testing.assert_allclose(run.dataset["contact_force"][1:], 1e4, rtol=1e-6)
    np.testing.assert_allclose(run.loads["force_z"][1:, 0], -1e4, rtol=1e-6)


def test_shapes_come_back_with_the_scene(finished):
    for made, found in zip(simulation().scene.blocks, bq.open_run(finished).scene.blocks):
        assert found.mass == pytest.approx(made.mass, rel=1e-12)
        np.testing.assert_allclose(found.inertia, made.inertia, rtol=1e-9, atol=1e-12)
        assert (found.fixed, found.material, found.name, len(found.parts)) == (
            made.fixed, made.material, made.name, len(made.parts),
        )  # fmt: skip


def test_resume_of_a_finished_run_is_bit_for_bit(finished, tmp_path):
    half = tmp_path / "half.nc"
    simulation(start="2024-03-01T00:00:00").run(until=0.15, every=0.05, output=half)
    same_bits(bq.resume(half, until=0.3), bq.open_run(finished))


def test_a_killed_run_reads_from_its_pieces_and_goes_on_bit_for_bit(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "PIECE_SECONDS", -1.0)  # a checkpoint after every step
    path, steps, advance = tmp_path / "killed.nc", [], stepping.advance

    def killed(sim, step):
        steps.append(step)
        if len(steps) == 27:  # between two records
            raise MemoryError
        advance(sim, step)

    monkeypatch.setattr(stepping, "advance", killed)
    with pytest.raises(MemoryError):
        simulation().run(until=0.3, every=0.05, output=path)
    monkeypatch.setattr(stepping, "advance", advance)
    assert not path.exists()
    part = bq.open_run(path)
    assert part.dataset.sizes["time"] == 3
    through = bq.open_run(finished)
    np.testing.assert_array_equal(part.dataset["x"], through.dataset["x"][:3])
    same_bits(bq.resume(path), through)
    assert path.exists() and not list(tmp_path.glob("*.pieces"))


def test_a_bonded_case_goes_on_bit_for_bit(tmp_path):
    case = CASE.replace("1.001", "1.0").replace("[scheme]", "[bond]\ntension = 1e5\nshear = 2e5\n[scheme]")
    (tmp_path / "case.toml").write_text(case)
    made = bq.load_case(tmp_path / "case.toml")
    bq.save_case(made, tmp_path / "again.toml")
    again = bq.load_case(tmp_path / "again.toml")
    assert again.bond == made.bond
    made.run(output=tmp_path / "run.nc")
    same_bits(bq.resume(tmp_path / "run.nc", until=0.15), again.run(until=0.15))


def test_what_cannot_be_stored_is_asked_for(tmp_path):
    def made():
        led = floor().moved(path=lambda time: (0.0, 0.0, -0.5 - 0.1 * time))
        return bq.Simulation(bq.Scene(blocks=[led, bq.Polyhedron.box((1, 1, 1), position=(0, 0, 0.5))]))

    path = tmp_path / "led.nc"
    made().run(until=0.02, every=0.01, output=path)
    with pytest.raises(bq.BanquiseError, match=r"block 0: path is a function.*simulation=sim"):
        bq.resume(path, until=0.04)
    with pytest.raises(bq.BanquiseError, match="blocks is 1, the run's was 2"):
        bq.resume(path, until=0.04, simulation=bq.Simulation(bq.Scene(blocks=[floor()])))
    again = bq.resume(path, until=0.04, simulation=made())
    same_bits(again, made().run(until=0.04, every=0.01))


def test_a_case_file_says_what_a_script_says(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    case = bq.load_case(path)
    assert [b.fixed for b in case.scene.blocks] == [True, False, False]
    assert case.scene.blocks[1].mass == pytest.approx(900.0)
    bq.save_case(case, tmp_path / "again.toml")
    one, other = case.run(), bq.load_case(tmp_path / "again.toml").run()
    np.testing.assert_array_equal(one.dataset["z"], other.dataset["z"])
    sim = simulation()
    bq.save_case(sim, tmp_path / "all.toml", until=1.0)
    for made, found in zip(sim.scene.blocks, bq.load_case(tmp_path / "all.toml").scene.blocks):
        assert found.mass == pytest.approx(made.mass, rel=1e-12) and len(found.parts) == len(made.parts)
        np.testing.assert_allclose(found.centre, made.centre, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("box = [1, 1, 1]", "bx = [1, 1, 1]", "unknown key 'bx'"),
        ("box = [1, 1, 1]", "", r"blocks\[1\]: no shape"),
        ("box = [1, 1, 1]", "box = [1, 1]", "expected 3 finite numbers"),
        ("box = [1, 1, 1]", "box = [1, 1, 0]", r"blocks\[1\]"),
        ("box = [1, 1, 1]", "box = [1, 1, 1]\nradii = [1.0]", "radii does not go with box"),
        ("box = [1, 1, 1]", 'file = "none.stl"', "none.stl"),
        ("fixed = true", "fixed = 1", "expected true or false"),
        ("gravity = [0, 0, -9.81]", "wind = [1, 0]\ngravity = [0, 0, -9.81]", "wind does not act on blocks"),
        ("position = [0, 0, 0.5]", "position = [0, 0, 0.3]", "blocks 0 and 1 overlap by 0.2 m"),
        ('until = "0.1 s"', "", "until is missing"),
        ('kind = "time-stepping"', 'kind = "time-steping"', "time-stepping"),
        ("[scheme]", "[bond]\ntension = 1e5\n[scheme]", r"bond: shear \(Pa\) is missing"),
    ],
)
def test_check_finds_what_is_wrong(tmp_path, capsys, old, new, what):
    path = tmp_path / "case.toml"
    path.write_text(CASE.replace(old, new, 1))
    assert main(["check", str(path)]) == 2
    said = capsys.readouterr()
    assert re.search(what, said.out + said.err)
    assert "Traceback" not in said.err


def test_commands_from_a_case_to_its_pictures(tmp_path, capsys):
    case, run = tmp_path / "case.toml", tmp_path / "run.nc"
    case.write_text(CASE)
    assert main(["check", str(case)]) == 0
    assert "about 10 steps of 0.01 s" in capsys.readouterr().out
    assert main(["blocks", "run", str(case), "-o", str(run), "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["blocks"] == 3
    assert main(["resume", str(run), "--until", "0.2 s", "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"] == 0.2
    assert main(["inspect", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["case"]["kind"] == "blocks"
    assert main(["view", str(run), "--no-open"]) == 0
    assert main(["report", str(run), "--no-player"]) == 0
    assert main(["export", str(run), "--to", "vtk"]) == 0
    assert main(["export", str(run), "--to", "geoparquet"]) == 2
    assert "blocks go to vtk, csv, zarr" in capsys.readouterr().err


def vtp_array(text, name):
    found = re.search(rf'type="(\w+)" Name="{name}"[^>]*>([^<]*)<', text)
    kind = {"Float64": "<f8", "Int64": "<i8"}[found[1]]
    return np.frombuffer(base64.b64decode(found[2])[8:], kind)


def test_vtk_holds_the_blocks_where_they_are(finished, tmp_path):
    run = bq.open_run(finished)
    folder = export(run, "vtk", tmp_path / "out", stride=6)
    listing = (folder / "blocks.pvd").read_text()
    assert re.findall(r'timestep="([^"]*)" part="0" file="([^"]*)"', listing) == [
        ("0.0", "blocks_000000.vtp"), ("0.3", "blocks_000006.vtp"),
    ]  # fmt: skip
    text = (folder / "blocks_000006.vtp").read_text()
    points = vtp_array(text, "Points").reshape(-1, 3)
    triangles, owner = vtp_array(text, "connectivity").reshape(-1, 3), vtp_array(text, "block")
    for k in (1, 4):  # sharp: the skin is exact
        a, b, c = (points[triangles[owner == k, i]] for i in range(3))
        volume = np.sum(np.cross(a, b) * c) / 6
        centre = np.sum(np.sum(np.cross(a, b) * c, axis=1)[:, None] * (a + b + c), axis=0) / (24 * volume)
        assert volume == pytest.approx(run.scene.blocks[k].volume, rel=1e-12)
        np.testing.assert_allclose(centre, [float(run.dataset[n][-1, k]) for n in "xyz"], atol=1e-12)
    ball = points[np.unique(triangles[owner == 2])]
    middle = [float(run.dataset[n][-1, 2]) for n in "xyz"]
    np.testing.assert_allclose(np.linalg.norm(ball - middle, axis=1), 0.2, rtol=1e-12)


def test_every_ready_case_of_the_command_line_makes_its_scene():
    assert tuple(block_cases.CASES) == blocks_command.CASES
    for name, case in block_cases.CASES.items():
        made = case(6 if name in block_cases.COUNTED else None)
        assert any(not b.fixed for b in made.scene.blocks) and made.step < made.until


def test_command_line_runs_a_ready_case_and_draws_it(tmp_path, capsys):
    path = tmp_path / "rubble.nc"
    options = ["--blocks", "4", "--until", "0.05 s", "--every", "10 ms", "--threads", "1", "-o", str(path), "--quiet"]
    before = bq.set_threads()
    try:
        assert main(["blocks", "run", "rubble", *options]) == 0
        assert threads.threads() == 1
    finally:
        bq.set_threads(before)
    assert len(bq.open_run(path).dataset.time) == 6
    assert main(["plot", str(path), "snapshot", "-o", str(tmp_path / "rubble.png")]) == 0
    assert (tmp_path / "rubble.png").stat().st_size > 10_000
    assert main(["blocks", "run", "wall", "--blocks", "4"]) == 2
    assert "--blocks" in capsys.readouterr().err


def test_faces_are_cut_to_the_picture():
    ring = np.array([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0.0]])
    kept = cut_to(ring, np.full(3, -1.0), np.full(3, 1.0))
    assert len(kept) == 4 and np.abs(kept).max() == 1.0
    assert not len(cut_to(ring + [0, 0, 3.0], np.full(3, -1.0), np.full(3, 1.0)))
    assert sorted(map(len, face_rings(bq.Polyhedron.box((1, 2, 3))))) == [4] * 6
