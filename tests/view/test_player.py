"""The page in a real browser: it loads, draws floes where the run says, plays, scrubs, picks, colours, with and
without WebGL, at the sizes of a phone and of a desk."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from PIL import Image

from banquise.view.outlines import outlines_of, place
from banquise.view.player import write_page
from banquise.view.serve import served

from .synthetic import BREAK_TIME, CHILDREN, PARENT, made_up_run

RENDERERS = ("webgl", "canvas")
# one way of drawing is enough in the fast tests where both draw the same page
EITHER = [RENDERERS[0], *(pytest.param(r, marks=pytest.mark.slow) for r in RENDERERS[1:])]


def picture(page: Any, selector: str = "#stage") -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB")).astype(int)


def bare(page: Any) -> None:
    """Nothing but sea and faces, so that pixels can be compared."""
    page.add_style_tag(content="#legend, #zoom, #card, #settings { visibility: hidden }")
    page.evaluate("() => { const p = banquise; p.settings.flat = true; p.set('edges', false); p.draw(); }")


def ice_mask(page: Any) -> np.ndarray:
    """Which pixels are not sea; the last row may hold a part of the bar below."""
    shown = picture(page)[:-1]
    sea = page.evaluate("banquise.look.sea")
    return np.abs(shown - np.array(sea)).max(axis=2) > 12


def expected_mask(run: Any, time: float, page: Any, shape: tuple[int, int]) -> np.ndarray:
    """Pixels whose centre lies in a body at a recorded time, from the run file's numbers alone."""
    view = page.evaluate("(({x, y, scale, width, height}) => [x, y, scale, width, height])(banquise.view)")
    x, y, scale, width, height = view
    frame = int(np.searchsorted(run.records["time"], time))
    across, down = (
        x + (np.arange(shape[1]) + 0.5 - width / 2) / scale,
        y - (np.arange(shape[0]) + 0.5 - height / 2) / scale,
    )
    outlines = outlines_of(run.shapes)
    state = run.records["state"][frame]
    mask = np.zeros(shape, dtype=bool)
    for body in range(len(outlines.rings)):
        floe = body < state.shape[1]
        pose = state[:3, body] if floe else run.records["obstacle_pose"][frame, body - state.shape[1]]
        if not np.isfinite(pose[0]):
            continue
        rings = [place(r, pose) for r in outlines.border(body)]
        near_x = np.nonzero(np.abs(across - pose[0]) <= outlines.reach[body])[0]
        near_y = np.nonzero(np.abs(down - pose[1]) <= outlines.reach[body])[0]
        box = np.ix_(near_y, near_x)
        mask[box] |= shapely.contains_xy(
            shapely.Polygon(rings[0], rings[1:]), *np.meshgrid(across[near_x], down[near_y])
        )
    return mask


@pytest.mark.parametrize("renderer", RENDERERS)
def test_floes_are_where_the_run_says_to_within_a_pixel(
    run: Any, player_page: Path, open_page: Any, renderer: str
) -> None:
    page = open_page(player_page, renderer=renderer)
    assert page.evaluate("banquise.renderer.name") == renderer
    bare(page)
    for time in (0.0, 300.0, 310.0, 600.0):  # before and after the break
        page.evaluate("t => banquise.seek(t)", time)
        shown = ice_mask(page)
        wanted = expected_mask(run, time, page, shown.shape)
        assert wanted.sum() > 5000
        near = grown(wanted, 1)
        core = ~grown(~wanted, 1)
        assert not (shown & ~near).any() and not (core & ~shown).any()


def grown(mask: np.ndarray, pixels: int) -> np.ndarray:
    out = mask.copy()
    for dy in range(-pixels, pixels + 1):
        for dx in range(-pixels, pixels + 1):
            out |= np.roll(mask, (dy, dx), (0, 1))
    return out


@pytest.mark.parametrize("renderer", EITHER)
def test_it_plays_and_pixels_change(player_page: Path, open_page: Any, renderer: str) -> None:
    page = open_page(player_page, 700, 500, renderer=renderer, autoplay=1)
    first, time = picture(page), page.evaluate("banquise.time")
    page.wait_for_function("t => banquise.time > t + 15", arg=time, timeout=10_000)
    assert (picture(page) != first).any(axis=2).sum() > 200
    page.keyboard.press("Space")
    page.wait_for_function("!banquise.playing")
    assert page.get_attribute("#play", "aria-label") == "Play"


def test_births_and_ends_follow_their_instants_between_records(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page)
    there = "t => banquise.seek(t).then(() => [...banquise.run.there])"
    before = page.evaluate(there, BREAK_TIME - 0.5)
    after = page.evaluate(there, BREAK_TIME + 0.5)
    assert before[PARENT] == 1 and after[PARENT] == 0
    for child in CHILDREN:
        assert before[child] == 0 and after[child] == 1
    assert page.text_content("#summary") == f"{len(after) - 2 - 1} floes"  # two obstacles, one ended


def test_page_decodes_the_poses_of_the_run(run: Any, player_page: Path, open_page: Any) -> None:
    page = open_page(player_page)
    for frame in (0, 17, 60):
        time = float(run.records["time"][frame])
        x, y, angle, speed = page.evaluate(
            "t => banquise.seek(t).then(() => ['x', 'y', 'angle', 'speed'].map(k => [...banquise.run.frame[k]]))", time
        )
        state = run.records["state"][frame]
        there = np.isfinite(state[0])
        n = len(there)
        quantum = page.evaluate("banquise.meta.quantum[0]")
        assert np.abs(np.array(x)[:n] - state[0])[there].max() <= quantum
        assert np.abs(np.array(y)[:n] - state[1])[there].max() <= quantum
        assert np.abs(np.array(angle)[:n] - state[2])[there].max() < 2e-4
        assert np.abs(np.array(speed)[:n] - np.hypot(state[3], state[4]))[there].max() < 1e-3 * np.nanmax(state[3])
        # the ship goes with its recorded path
        assert x[-1] == pytest.approx(run.records["obstacle_pose"][frame, 1, 0], abs=quantum)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_click_shows_the_numbers_and_follows(run: Any, player_page: Path, open_page: Any, renderer: str) -> None:
    page = open_page(player_page, renderer=renderer, t=400)
    child = CHILDREN[0]
    x, y = page.evaluate("i => banquise.view.toScreen(banquise.run.frame.x[i], banquise.run.frame.y[i])", child)
    box = page.locator("#stage").bounding_box()
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.text_content("#card-title") == f"Floe {child}"
    rows = dict(zip(page.locator("#card dt").all_text_contents(), page.locator("#card dd").all_text_contents()))
    assert rows["Area"] == f"{float(run.shapes['area'][child]):.0f} m²" and rows["Parent"] == f"floe {PARENT}"
    assert rows["Thickness"] == "1 m" and rows["Speed"].endswith("m/s") and rows["Born"] == "00:05:05"
    page.click("#follow")
    page.evaluate("banquise.seek(600)")
    view = page.evaluate("[banquise.view.x, banquise.view.y]")
    assert view == pytest.approx(run.records["state"][60, :2, child], abs=1.0)
    page.keyboard.press("Escape")
    assert page.is_hidden("#card")
    # the hole of floe 3 is water
    hole = page.evaluate("banquise.run.pick(banquise.run.frame.x[3], banquise.run.frame.y[3])")
    assert hole == -1


def test_following_goes_on_with_a_piece_when_the_floe_breaks(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page, t=290)
    page.evaluate("i => { banquise.select(i); banquise.follow(true); }", PARENT)
    page.evaluate("banquise.seek(320)")
    assert page.evaluate("banquise.settings.selected") in CHILDREN


@pytest.mark.parametrize("renderer", EITHER)
def test_every_colour_mode_looks_different(player_page: Path, open_page: Any, renderer: str) -> None:
    page = open_page(player_page, 700, 560, renderer=renderer, t=400)
    seen = set()
    modes = page.evaluate("banquise.run.colourModes")
    assert set(modes) >= {"speed", "thickness", "cluster", "impulse", "age"}
    page.evaluate("banquise.set('contacts', false)")
    for mode in modes:
        page.evaluate("m => { banquise.setColour(m); banquise.draw(); }", mode)
        seen.add(picture(page, "#ice").tobytes())
        assert page.text_content("#legend-name")
    assert len(seen) == len(modes)


def test_speed_colours_follow_speed(run: Any, player_page: Path, open_page: Any) -> None:
    page = open_page(player_page, t=100, colour="speed")
    colours = np.array(page.evaluate("[...banquise.run.frame.colour]")).reshape(-1, 4)
    state = run.records["state"][10]
    alive = np.isfinite(state[0])
    order = np.argsort(np.hypot(state[3], state[4])[alive])
    light = (colours[: len(alive), :3] @ [0.299, 0.587, 0.114])[alive][order]
    assert (np.diff(light) >= -1).all() and light[-1] > light[0] + 30


def test_clusters_join_floes_in_contact(run: Any, player_page: Path, open_page: Any) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    time = 400.0
    page = open_page(player_page, t=time)
    events = run.events
    n = run.dataset.sizes["floe"]
    recent = events[(events.kind == "impact") & (events.time > time - 10) & (events.time <= time) & (events.floe_b < n)]
    graph = coo_array((np.ones(len(recent)), (recent.floe_a, recent.floe_b)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    found = np.array(page.evaluate("[...banquise.run.cluster]"))[:n]
    assert len(recent) > 0
    assert (np.equal.outer(labels, labels) == np.equal.outer(found, found)).all()


def test_contacts_and_breaks_are_drawn_when_they_happen(run: Any, player_page: Path, open_page: Any) -> None:
    page = open_page(player_page, colour="ice")
    page.evaluate("t => { banquise.set('arrows', false); return banquise.seek(t); }", BREAK_TIME + 1)
    x, y = run.records["events"][run.records["events"][:, 1] == 1][0, 4:6]
    px, py = page.evaluate("([x, y]) => banquise.view.toScreen(x, y)", [float(x), float(y)])
    box = (slice(int(py) - 20, int(py) + 20), slice(int(px) - 20, int(px) + 20))
    with_star = picture(page)[box]
    page.evaluate("() => { banquise.set('contacts', false); banquise.draw(); }")
    assert (with_star != picture(page)[box]).any(axis=2).sum() > 20


def test_scrubbing_keyboard_and_curves(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page)
    page.locator("#scrub").fill("0.5")
    page.wait_for_function("Math.abs(banquise.time - 300) < 1e-6")
    assert page.text_content("#clock") == "00:05:00"
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Math.abs(banquise.time - 310) < 1e-6")
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_function("Math.abs(banquise.time - 210) < 1e-6")
    canvas = page.locator("#curves canvas").first.bounding_box()
    page.mouse.click(canvas["x"] + canvas["width"] / 4, canvas["y"] + 20)
    page.wait_for_function("Math.abs(banquise.time - 150) < 5")
    rate = page.evaluate("banquise.settings.rate")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("banquise.settings.rate") > rate
    page.keyboard.press("c")
    assert page.evaluate("banquise.settings.colour") == "thickness"
    page.keyboard.press("End")
    page.wait_for_function("banquise.time === banquise.last")


def test_zoom_and_pan_keep_the_point_under_the_cursor(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page)
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    before = page.evaluate("banquise.view.toWorld(300, 200)")
    page.mouse.wheel(0, -500)
    page.wait_for_function("banquise.view.scale > banquise.view.whole * 1.5")
    assert page.evaluate("banquise.view.toWorld(300, 200)") == pytest.approx(before, abs=1e-6)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 250, steps=4)
    page.mouse.up()
    assert page.evaluate("banquise.view.toWorld(400, 250)") == pytest.approx(
        before, abs=2 * 4 / page.evaluate("banquise.view.scale")
    )
    page.keyboard.press("0")
    page.wait_for_function("banquise.view.scale === banquise.view.whole")


PINCH = """() => {
  const stage = document.getElementById("stage"), box = stage.getBoundingClientRect();
  const send = (type, id, x, y) => stage.dispatchEvent(new PointerEvent(type, { pointerId: id, pointerType: "touch",
    clientX: box.left + x, clientY: box.top + y, bubbles: true, isPrimary: id === 1 }));
  stage.setPointerCapture = () => {};
  send("pointerdown", 1, 100, 200); send("pointerdown", 2, 200, 200);
  send("pointermove", 1, 50, 200); send("pointermove", 2, 250, 200);
  send("pointerup", 1, 50, 200); send("pointerup", 2, 250, 200);
  return banquise.view.scale / banquise.view.whole;
}"""


def test_two_fingers_zoom_and_a_tap_picks(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page, 390, 844)
    assert page.evaluate(PINCH) == pytest.approx(2.0, rel=1e-6)
    page.evaluate("banquise.fit()")
    x, y = page.evaluate("banquise.view.toScreen(banquise.run.frame.x[1], banquise.run.frame.y[1])")
    box = page.locator("#stage").bounding_box()
    page.touchscreen.tap(box["x"] + x, box["y"] + y)
    page.wait_for_function("banquise.settings.selected === 1")


@pytest.mark.parametrize(("width", "height", "scale"), [(360, 740, 3.0), (820, 1180, 2.0), (1920, 1000, 1.0)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_sizes_and_themes(player_page: Path, open_page: Any, width: int, height: int, scale: float, theme: str) -> None:
    page = open_page(player_page, width, height, scale, theme=theme)
    size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size == [width, height]  # nothing hangs over the edge
    stage = page.locator("#stage").bounding_box()
    assert stage["height"] > 0.5 * height
    for control in ("#play", "#scrub", "#clock", "#slower", "#faster", "#open-settings"):
        box = page.locator(control).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
    page.click("#open-settings")
    panel = page.locator("#settings").bounding_box()
    assert panel["x"] >= 0 and panel["y"] + panel["height"] <= stage["y"] + stage["height"]
    page_colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = np.mean([int(c) for c in page_colour[4:-1].split(",")])
    assert light > 200 if theme == "light" else light < 60


def test_without_webgl_the_canvas_draws(player_page: Path, browser: Any) -> None:
    context = browser.new_context()
    context.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, o) {"
        "  return kind === 'webgl2' ? null : get.call(this, kind, o); };"
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.goto(player_page.resolve().as_uri() + "#autoplay=0")
    page.wait_for_selector("#player[data-state=ready]", timeout=30_000)
    assert page.evaluate("banquise.renderer.name") == "canvas" and ice_mask(page).sum() > 1000
    assert not problems
    context.close()


def test_a_lost_graphics_card_does_not_stop_the_show(player_page: Path, open_page: Any) -> None:
    page = open_page(player_page, 600, 500, renderer="webgl")
    page.evaluate("banquise.renderer.gl.getExtension('WEBGL_lose_context').loseContext()")
    page.wait_for_function("banquise.renderer.name === 'canvas'")
    assert ice_mask(page).sum() > 1000


def test_periodic_domain_shows_border_floes_on_both_sides(open_page: Any, tmp_path: Path) -> None:
    box = {"kind": "periodic", "xmin": 0.0, "xmax": 1000.0, "ymin": 0.0, "ymax": 600.0}
    run = made_up_run(records=3, domain=box, extras=False)
    run.records["state"][:, 0, 1] = 990.0  # the disc of 35 m radius: 25 m of it come in on the left
    write_page(run, tmp_path / "p.html")
    for renderer in RENDERERS:
        page = open_page(tmp_path / "p.html", renderer=renderer)
        bare(page)
        mask = ice_mask(page)
        for x, wet in ((20.0, False), (30.0, True), (960.0, False), (950.0, True)):
            px, py = page.evaluate("([x, y]) => banquise.view.toScreen(x, y)", [x, 300.0])
            assert mask[int(py), int(px)] != wet, (renderer, x)
        assert page.evaluate("banquise.run.pick(20, 300)") == 1


@pytest.mark.parametrize("renderer", EITHER)
def test_short_and_empty_runs_open(open_page: Any, tmp_path: Path, renderer: str) -> None:
    short = made_up_run(records=1)
    write_page(short, tmp_path / "short.html")
    page = open_page(tmp_path / "short.html", renderer=renderer)
    assert page.text_content("#summary") == "13 floes" and ice_mask(page).sum() > 1000
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    empty = made_up_run(records=2)
    which = empty.shapes["obstacle"].values == 1
    keep = which[empty.shapes["ring_body"].values]
    first = int(which.argmax())
    nodes = np.repeat(keep, empty.shapes["part_node_count"].values)
    empty.shapes = empty.shapes.isel(body=which, ring=keep, node=nodes)
    empty.shapes["ring_body"] = empty.shapes["ring_body"] - first
    empty.records |= {"state": np.empty((2, 6, 0)), "events": np.empty((0, 10))}
    write_page(empty, tmp_path / "empty.html")
    assert open_page(tmp_path / "empty.html", renderer=renderer).text_content("#summary") == "0 floes"


def test_large_runs_are_served_in_pieces(open_page: Any) -> None:
    run = made_up_run(records=600)
    with served(run, autoplay=False) as address:
        assert address.startswith("http://127.0.0.1:")
        page = open_page(address)
        page.evaluate("banquise.seek(5990)")
        x = page.evaluate("banquise.run.frame.x[5]")
    assert x == pytest.approx(run.records["state"][-1, 0, 5], abs=page_quantum(run))


def page_quantum(run: Any) -> float:
    from banquise.view.player import pack

    return float(pack(run).meta["quantum"][0])
