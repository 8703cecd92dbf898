"""What the page holds is what the run recorded, to within its grid."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banquise.errors import CaseError, RunFileError
from banquise.scene.floe import Disc, Floe
from banquise.view import encode
from banquise.view.outlines import crack_edges, outlines_of, place, triangles
from banquise.view.pack import ANGLE_QUANTA, SPEED_QUANTA, pack_floes
from banquise.view.player import pack, page, write_folder, write_page
from banquise.view.series import concentration, curves_of, merged_contacts, obstacle_poses, thin

from .synthetic import BREAK_TIME, CHILDREN, PARENT, made_up_run

ORDERS = (2, 2, 2, 1)


def unpack(packed: Any) -> list[np.ndarray]:
    """x, y, angle and speed (frames, bodies) from the text of the chunks, as the page does it."""
    columns: list[list[np.ndarray]] = [[] for _ in ORDERS]
    for text in packed.chunks:
        raw = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
        at, counts = len(ORDERS), [int(c) for c in raw[: len(ORDERS)]]
        size = (len(raw) - at) // sum(counts)
        for k, order in enumerate(ORDERS):
            planes = raw[at : at + counts[k] * size].reshape(counts[k], size).astype(np.uint32)
            at += counts[k] * size
            folded = sum(planes[p] << np.uint32(8 * p) for p in range(counts[k]))
            columns[k].append(encode.undo_differences(np.asarray(folded).reshape(-1, packed.meta["bodies"]), order))
    return [np.concatenate(c) for c in columns]


# a loaded machine is no reason to fail
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(-(2**28), 2**28), min_size=1, max_size=30), st.sampled_from([1, 2]))
def test_differences_are_undone_exactly(values: list[int], order: int) -> None:
    column = np.array(values, dtype=np.int64)[:, None]
    assert (encode.undo_differences(encode.differences(column, order), order) == column).all()


def test_array_text_comes_back() -> None:
    array = np.random.default_rng(0).normal(size=(3, 5))
    info, text = encode.encode_array(array)
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    back = np.ascontiguousarray(planes.reshape(8, -1).T).view("<f8").reshape(info["shape"])
    assert info["type"] == "float64" and (back == array).all()


def test_poses_are_kept_to_half_a_quantum(run: Any) -> None:
    packed = pack_floes(run)
    state = run.records["state"]
    n = state.shape[2]
    found = unpack(packed)
    for k in range(2):
        places = packed.meta["origin"][k] + packed.meta["quantum"][k] * found[k]
        error = np.nanmax(np.abs(places[:, :n] - state[:, k]))
        assert error <= 0.5 * packed.meta["quantum"][k] * (1 + 1e-9)
        rock = np.abs(places[:, n:] - obstacle_poses(run)[:, :, k]).max()
        assert rock <= 0.5 * packed.meta["quantum"][k] * (1 + 1e-9)
    angle = found[2][:, :n] * packed.meta["angle_quantum"]
    assert np.nanmax(np.abs(angle - state[:, 2])) <= np.pi / ANGLE_QUANTA * (1 + 1e-9)
    speed = packed.meta["top_speed"] * (found[3][:, :n] / SPEED_QUANTA) ** 2
    true = np.hypot(state[:, 3], state[:, 4])
    # half a quantum of the square root, twice the root: 1 / SPEED_QUANTA of the largest speed at most
    assert np.nanmax(np.abs(speed - true)) <= packed.meta["top_speed"] / SPEED_QUANTA
    assert packed.meta["quantum"][0] < 0.02 * np.sqrt(run.shapes["area"].values[:n].min())


def test_chunks_are_cut_where_they_should_be() -> None:
    long = made_up_run(records=600)
    packed = pack_floes(long)
    assert packed.meta["chunks"] == len(packed.chunks) == int(np.ceil(600 / packed.meta["frames_per_chunk"])) > 1
    assert len(unpack(packed)[0]) == 600


def test_periodic_places_do_not_jump() -> None:
    box = {"kind": "periodic", "xmin": 0.0, "xmax": 1000.0, "ymin": 0.0, "ymax": 600.0}
    run = made_up_run(domain=box)
    wrapped = run.records["state"].copy()
    shift = wrapped[:, 0] + 900.0
    run.records["state"][:, 0] = shift % 1000.0
    packed = pack_floes(run)
    x = packed.meta["origin"][0] + packed.meta["quantum"][0] * unpack(packed)[0][:, : shift.shape[1]]
    # equal up to whole periods, and no step longer than the floes go in a record
    away = (x - shift) / 1000.0
    assert np.nanmax(np.abs(away - np.round(away))) * 1000 <= packed.meta["quantum"][0]
    assert np.abs(np.diff(x, axis=0)).max() < 10.0
    assert (1000.0 / packed.meta["quantum"][0]) == pytest.approx(round(1000.0 / packed.meta["quantum"][0]), abs=1e-6)


def test_triangles_fill_the_polygon_and_nothing_else(run: Any) -> None:
    outlines = outlines_of(run.shapes)
    concave = 0
    for body, rings in enumerate(outlines.rings):
        if outlines.radius[body] > 0:
            continue
        corners = triangles(rings)
        points = np.concatenate(rings)
        if not len(corners):
            corners = np.array([[0, i - 1, i] for i in range(2, len(points))])
        else:
            concave += 1
        a, b, c = (points[corners[:, k]] for k in range(3))
        areas = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        polygon = shapely.Polygon(rings[0], rings[1:])
        assert areas.sum() == pytest.approx(polygon.area, rel=1e-12)
        # equal area and each triangle inside: a cover without overlap
        inside = shapely.covers(polygon.buffer(1e-6 * outlines.reach[body]), shapely.polygons(points[corners]))
        assert inside.all()
    assert concave >= 2


def test_rounded_and_round_borders_have_the_area_of_the_floe(run: Any) -> None:
    outlines = outlines_of(run.shapes)
    for body in (1, 2):  # the disc and the rounded square
        area = shapely.Polygon(outlines.border(body)[0]).area
        # chords lose at most (pi/DISC_POINTS)^2 * 2/3 of a disc
        assert area == pytest.approx(float(run.shapes["area"][body]), rel=3e-3)


def test_only_the_cut_is_a_crack(run: Any) -> None:
    shapes = run.shapes
    start = np.column_stack([shapes["start_x"].values, shapes["start_y"].values])
    outlines = outlines_of(shapes)
    marks = crack_edges(outlines, shapes["parent"].values, start)
    for child in CHILDREN:
        ring = outlines.rings[child][0] + start[child]
        ends = {
            tuple(np.round(p, 6)) for k in np.nonzero(marks[child])[0] for p in (ring[k], ring[(k + 1) % len(ring)])
        }
        assert ends == {(105.0, 260.0), (95.0, 340.0)}  # the square's other edges have the same lengths by symmetry
    assert sum(m.sum() for m in marks) == 2


def test_lives_contacts_and_curves(run: Any) -> None:
    packed = pack(run)
    rows, left_out = merged_contacts(run)
    impacts = run.events[run.events["kind"] == "impact"]
    assert left_out == 0 and len(rows) <= len(impacts)
    assert rows["impulse"].sum() == pytest.approx(impacts["normal_impulse"].sum(), rel=1e-12)
    assert rows["time"].is_monotonic_increasing
    few, left = merged_contacts(run, most=10)
    assert len(few) == 10 and left == len(rows) - 10
    assert few["impulse"].min() >= rows["impulse"].nlargest(11).min()
    keys = [c["key"] for c in packed.meta["curves"]]
    assert keys == ["kinetic_energy", "collisions", "concentration", "load", "floes"]
    count = next(c["values"] for c in curves_of(run) if c["key"] == "floes")
    time = run.records["time"]
    assert set(np.diff(count)) == {0.0, 1.0} and count[time < BREAK_TIME][-1] + 1 == count[time >= BREAK_TIME][0]
    assert PARENT == 0 and packed.meta["names"]["0"] == "square"


def test_concentration_of_a_domain() -> None:
    from banquise.bench.view import drifting_pack

    run = drifting_pack(4, 3)
    run.case["domain"] = {"kind": "box", "xmin": 0.0, "xmax": 500.0, "ymin": 0.0, "ymax": 200.0}
    share, of_what = concentration(run)
    assert of_what == "of the domain"
    assert share == pytest.approx(np.full(3, float(run.shapes["area"].sum()) / 1e5), rel=1e-12)


def test_thin_keeps_both_ends() -> None:
    assert list(thin(5)) == [0, 1, 2, 3, 4]
    few = thin(1000, 7)
    assert len(few) == 7 and few[0] == 0 and few[-1] == 999


def test_place_turns_counter_clockwise() -> None:
    assert place(np.array([[1.0, 0.0]]), (10.0, 20.0, np.pi / 2)) == pytest.approx(np.array([[10.0, 21.0]]), abs=1e-12)


def test_page_is_self_contained_and_safe(run: Any, tmp_path: Any) -> None:
    text = page(pack(run))
    assert "<title>made-up &lt;run&gt; " in text
    for word in ("http://", "https://", "src=", "@import", "url("):
        assert word not in text.replace("tag.src=", "").replace("tag.src =", ""), word
    meta = text.split('id="meta">')[1].split("</script>")[0]
    assert json.loads(meta)["title"] == "made-up <run>" and "<" not in meta
    size = write_page(run, tmp_path / "a.html", max_frames=5)
    assert size == (tmp_path / "a.html").stat().st_size < len(text)


def test_folder_page_has_its_chunks_beside_it(tmp_path: Any) -> None:
    index = write_folder(made_up_run(records=600), tmp_path / "player")
    assert len(list((index.parent / "chunks").glob("*.js"))) == 3
    assert 'id="chunk-0"' not in index.read_text(encoding="utf-8")


def test_bad_requests_say_what_to_do(run: Any, tmp_path: Any) -> None:
    with pytest.raises(RunFileError, match="cannot write"):
        write_page(run, tmp_path / "missing" / "a.html")
    with pytest.raises(CaseError, match="Did you mean 'speed'"):
        write_page(run, tmp_path / "a.html", colour="sped")
    other = made_up_run(records=3)
    other.case["kind"] = "floe"
    with pytest.raises(RunFileError, match="Did you mean 'floes'"):
        pack(other)


def test_a_run_of_one_record_or_without_ice_packs() -> None:
    assert pack(made_up_run(records=1)).meta["frames"] == 1
    from banquise.recording.run_file import shapes_dataset
    from banquise.scene.floe import Obstacle

    bare = made_up_run(records=2)
    empty = {"birth": np.zeros(0), "end": np.zeros(0), "parent": np.zeros(0)}
    bare.shapes = shapes_dataset([], [Obstacle([[0, 0], [1, 0], [0, 1]])], empty)
    bare.records |= {
        "state": np.empty((2, 6, 0)), "loads": np.zeros((2, 1, 3)), "events": np.empty((0, 10)), "obstacle_pose": None,
    }  # fmt: skip
    assert pack(bare).meta["bodies"] == 1


def test_one_disc_and_one_floe_in_a_real_simulation(tmp_path: Any) -> None:
    import banquise as bq

    sim = bq.Simulation(bq.Scene([Disc((0, 0), 5.0), Floe([[20, 0], [30, 0], [25, 9]], velocity=(0.1, 0))]))
    done = sim.run(until=10.0, every=1.0, output=tmp_path / "a.nc")
    opened = bq.open_run(tmp_path / "a.nc")
    assert pack(done).chunks == pack(opened).chunks
