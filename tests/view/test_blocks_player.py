"""The page of blocks in a real browser: blocks are where the run says, the camera turns, blocks are picked."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import banquise as bq
from banquise.blocks.run import BlockRun
from banquise.recording.block_shapes import block_shapes
from banquise.recording.ledger import COLUMNS
from banquise.view.pack_blocks import pack_blocks
from banquise.view.player import write_page

N, FRAMES = 5, 41


def made_up_run() -> BlockRun:
    """A floor, a wall beside it and shapes that rise and turn at known rates; nothing is simulated."""
    blocks = [
        bq.Polyhedron.box((10, 6, 1), fixed=True, material="ground"),
        bq.Polyhedron.box((10, 0.2, 5), fixed=True, material="ground"),
        bq.Polyhedron.box((1, 1, 1), name="cube"),
        bq.Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        bq.Polyhedron.ball(0.5),
    ]
    time = np.linspace(0.0, 4.0, FRAMES)
    state = np.zeros((FRAMES, 14, N))
    state[:, 3] = 1.0
    state[:, 2, 0] = -0.5
    state[:, 1, 1], state[:, 2, 1] = -2.9, 2.5
    for k, x in ((2, -2.5), (3, 0.0), (4, 2.5)):
        state[:, 0, k], state[:, 2, k] = x, 0.6 + 0.5 * k * 0.25 * time
        half = 0.5 * 3.0 * time  # through q and -q: more than a turn
        state[:, 3, k], state[:, 6, k] = np.cos(half), np.sin(half)
        state[:, 9, k], state[:, 13, k] = 0.125 * k, 100.0 * k
    records = {
        "time": time,
        "state": state,
        "ledger": np.zeros((FRAMES, len(COLUMNS))),
        "ledger_names": np.array(COLUMNS),
        "loads": np.zeros((FRAMES, N, 6)),
    }
    return BlockRun(records, block_shapes(blocks), {"kind": "blocks", "title": "Shapes", "water_level": None})


@pytest.fixture(scope="module")
def run() -> BlockRun:
    return made_up_run()


@pytest.fixture(scope="module")
def page_file(run: BlockRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("blocks") / "blocks.html"
    write_page(run, path)
    return path


def picture(page: Any) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(page.locator("#stage").screenshot())).convert("RGB")).astype(int)


def test_packed_page_holds_each_shape_once_and_the_licence(run: BlockRun, page_file: Path) -> None:
    packed = pack_blocks(run)
    assert packed.meta["bodies"] == N and packed.meta["colours"][:2] == ["speed", "force"]
    same = BlockRun(run.records, block_shapes([bq.Polyhedron.box((1, 1, 1))] * N), run.case)
    assert pack_blocks(same).meta["arrays"]["point_counts"]["shape"] == [1]
    text = page_file.read_text()
    assert "three.js authors" in text and "Permission is hereby granted" in text
    assert "src=" not in text.split("<script>", 1)[0] and 'href="http' not in text
    assert len(text) < 1_500_000


def test_blocks_are_where_the_run_says_and_are_picked_there(run: BlockRun, page_file: Path, open_page: Any) -> None:
    page = open_page(page_file)
    assert page.evaluate("banquise.renderer.name") == "webgl"
    for frame in (0, 17, 40):
        page.evaluate("t => banquise.seek(t)", float(run.records["time"][frame]))
        place = np.array(page.evaluate("[...banquise.run.frame.place]")).reshape(N, 3)
        # a quantum of place is below a thousandth of the blocks
        np.testing.assert_allclose(place, run.records["state"][frame, :3].T, atol=1e-3)
        turn = np.array(page.evaluate("[...banquise.run.frame.turn]")).reshape(N, 4)[:, [3, 0, 1, 2]]
        alike = np.abs(np.sum(turn * run.records["state"][frame, 3:7].T, axis=1))
        np.testing.assert_allclose(alike, 1.0, atol=1e-7)
        for body in (2, 3, 4):
            find = "i => { const v = banquise.view; v.place(); const [x, y] = v.toScreen(...banquise.run.placeOf(i));"
            # the centre of the tetrahedron's frame is its centre of mass: inside
            assert page.evaluate(find + " return banquise.run.pickAt(v, x, y); }", body) == body
    half_way = float(run.records["time"][17:19].mean())
    page.evaluate("t => banquise.seek(t)", half_way)
    turn = np.array(page.evaluate("[...banquise.run.frame.turn]")).reshape(N, 4)[2, [3, 0, 1, 2]]
    wanted = [np.cos(1.5 * half_way), 0, 0, np.sin(1.5 * half_way)]
    assert abs(turn @ wanted) == pytest.approx(1.0, abs=1e-5)


def test_the_stage_shows_turns_zooms_and_colours(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file, theme="light")
    page.evaluate("banquise.seek(2.0)")
    first = picture(page)
    spots = page.evaluate("[2, 3, 4].map((i) => banquise.view.toScreen(...banquise.run.placeOf(i)).map(Math.round))")
    for x, y, _ in spots:  # these shapes are green to yellow; the floor is brown, the paper nearly white
        red, green, blue = first[y, x]
        assert min(red, green) - blue > 25
    box = page.locator("#stage").bounding_box()
    x, y = box["x"] + 300, box["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 30, steps=4)
    page.mouse.up()
    page.wait_for_timeout(200)
    turned = picture(page)
    assert (np.abs(turned - first).max(axis=2) > 25).mean() > 0.05
    assert page.evaluate("banquise.view.azimuth") == pytest.approx(-1.05 - 0.48, abs=0.05)
    before = page.evaluate("banquise.view.distance")
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(200)
    assert page.evaluate("banquise.view.distance") < 0.7 * before
    page.keyboard.press("0")
    assert page.evaluate("banquise.view.fitted")
    page.evaluate("banquise.setColour('force')")
    assert "Contact force" in page.locator("#legend").inner_text()
    shade = "() => { banquise.draw(); return [...banquise.run.frame.colour.subarray(12, 15)]; }"
    assert page.evaluate(shade) == [0x7F, 0, 0]  # the most pressed block has the last colour of the scale


@pytest.mark.slow
def test_a_click_opens_the_card_and_the_camera_follows(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file, theme="dark")
    spot = page.evaluate(
        "(() => { const v = banquise.view; v.place(); return v.toScreen(...banquise.run.placeOf(2)); })()"
    )
    box = page.locator("#stage").bounding_box()
    page.mouse.click(box["x"] + spot[0], box["y"] + spot[1])
    assert page.locator("#card-title").inner_text() == "Block 2 · cube"
    assert "1.00 t" in page.locator("#card-rows").inner_text()
    page.locator("#follow").click()
    page.evaluate("banquise.seek(4.0)")
    assert page.evaluate("banquise.view.target[2]") == pytest.approx(0.6 + 0.25 * 4.0, abs=1e-3)
    assert picture(page).mean() < 130  # dark


@pytest.mark.slow
def test_it_plays_and_scrubs(page_file: Path, open_page: Any) -> None:
    page = open_page(page_file, width=390, height=700)
    page.locator("#play").click()
    page.wait_for_timeout(700)
    assert page.evaluate("banquise.time") > 0.0
    page.locator("#play").click()
    page.locator("#scrub").fill("0.5")
    page.wait_for_timeout(200)
    assert page.evaluate("banquise.time") == pytest.approx(2.0, abs=1e-6)
