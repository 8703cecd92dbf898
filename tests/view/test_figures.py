"""Figures, movies, reports and reprs: they show the run's numbers, and bad requests get plain words."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import banquise as bq
from banquise.errors import CaseError, RunFileError
from banquise.view import plots
from banquise.view.movie import ffmpeg, write_movie
from banquise.view.report import checks, report, stated, write_report
from banquise.view.report import floe_facts as facts
from banquise.view.reprs import run_html
from banquise.view.sea import frame_at

from .synthetic import CHILDREN, PARENT, made_up_run

matplotlib = pytest.importorskip("matplotlib", reason="figures need matplotlib")
matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures() -> Any:
    yield
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("name", "kind"), [*((n, "png") for n in sorted(plots.FIGURES)), ("snapshot", "pdf"), ("energy", "svg")]
)
def test_every_figure_is_written(run: Any, name: str, kind: str, tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    plots.figure(run, name).savefig(tmp_path / f"a.{kind}", dpi=60)
    assert (tmp_path / f"a.{kind}").stat().st_size > 3000
    assert dict(matplotlib.rcParams) == before  # the user's own style is left alone


def test_snapshot_draws_the_floes_of_that_time(run: Any) -> None:
    for time, there, gone in ((300.0, [PARENT], CHILDREN), ("310 s", CHILDREN, [PARENT])):
        figure = plots.snapshot(run, time=time)
        ice, rocks = figure.axes[0].collections
        frame = frame_at(run, time)
        state = run.records["state"][frame]
        alive = np.nonzero(np.isfinite(state[0]))[0]
        assert set(there) <= set(alive) and not set(gone) & set(alive)
        assert len(ice.get_paths()) == len(alive) and len(rocks.get_paths()) == 2
        assert (np.asarray(ice.get_array()) == np.hypot(state[3], state[4])[alive]).all()
        for path, floe in zip(ice.get_paths(), alive):
            x, y = path.vertices[:, 0], path.vertices[:, 1]
            assert x.min() - 1e-9 <= state[0, floe] <= x.max() and y.min() - 1e-9 <= state[1, floe] <= y.max()


def test_energy_has_its_legend_beside_the_curves_and_impulses_an_axis_without_round_off(run: Any) -> None:
    figure = plots.energy(run)
    figure.canvas.draw()
    (ax,) = figure.axes
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
    events = run.events
    events.loc[events.index[:3], "normal_impulse"] = 1e-25
    shown = type("Run", (), {"events": events})()
    low, high = plots.impulses(shown).axes[0].get_xlim()
    assert low > 0 and high / low < 1e11


def test_map_projection_and_its_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cartopy", reason="maps need cartopy (extra `map`)")
    run = made_up_run(records=3)
    run.case["crs"] = "EPSG:3413"
    # the coast is fetched from the network, which a test must not need
    monkeypatch.setattr(
        "cartopy.io.shapereader.natural_earth", lambda *a, **k: (_ for _ in ()).throw(OSError("no network"))
    )
    with pytest.warns(UserWarning, match="map without a coast"):
        axes = plots.snapshot(run).axes[0]
    assert type(axes).__name__ == "GeoAxes" and len(axes.collections[0].get_paths()) == 13
    run.case["crs"] = "Atlantis"
    with pytest.warns(UserWarning, match="plain axes"):
        axes = plots.snapshot(run).axes[0]
    assert type(axes).__name__ != "GeoAxes"


def test_energy_shows_the_ledger(run: Any) -> None:
    line = plots.energy(run).axes[0].lines[0]
    assert line.get_ydata() == pytest.approx(run.ledger["kinetic_energy"].values)
    assert line.get_xdata()[-1] == pytest.approx(10.0)  # minutes


def test_trajectories_come_back_into_a_periodic_domain() -> None:
    sea = bq.Periodic(0.0, 30.0, 0.0, 30.0)
    scene = bq.Scene([bq.Disc((5, 10), 4.0, velocity=(2, -1))], domain=sea)
    run = bq.Simulation(scene).run(until=100, every=1)
    ax = plots.trajectories(run).axes[0]
    pieces = np.array(ax.collections[0].get_segments())
    assert (
        len(pieces) == 100 and pieces.min() > -1.1 and pieces.max() < 31.1
    )  # 2 m a record: a piece hangs over by 1 m at most
    np.testing.assert_allclose(pieces[:, 1] - pieces[:, 0], [[2.0, -1.0]] * 100, atol=1e-9)
    last = next(line for line in ax.lines if line.get_label() == "last place")
    np.testing.assert_allclose(last.get_xydata(), [[205.0 - 6 * 30, -90.0 + 3 * 30]], atol=1e-9)


def test_one_floe_is_seen_among_sizes_and_nothing_left_over_is_nothing() -> None:
    alone = bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0)])).run(until=2, every=1)
    ax = plots.sizes(alone).axes[0]
    assert ax.lines[0].get_marker() == "o" and list(ax.lines[0].get_ydata()) == [1]  # a step of no length is not seen
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["start: 1 floe", "end: 1 floe"]
    assert "left over (0 J)" in [line.get_label() for line in plots.energy(alone).axes[0].lines]


def test_sizes_and_impulses_count_downwards(run: Any) -> None:
    start = plots.sizes(run).axes[0].lines[0]
    n = int(np.isfinite(run.records["state"][0, 0]).sum())
    assert list(start.get_ydata()) == list(range(n, 0, -1)) and (np.diff(start.get_xdata()) >= 0).all()
    hits = plots.impulses(run).axes[0].lines[0]
    values = run.events.loc[run.events.kind == "impact", "normal_impulse"]
    assert hits.get_xdata()[-1] == values.max() and hits.get_ydata()[0] == len(values)


def test_figures_of_what_is_not_there_say_so() -> None:
    run = made_up_run(records=3, extras=False)
    run.records["events"] = np.empty((0, 10))
    for name in ("flow", "impulses"):
        with pytest.raises(plots.NothingToPlot, match=name):
            plots.figure(run, name)
    with pytest.raises(CaseError, match="Did you mean 'energy'"):
        plots.figure(run, "enrgy")
    with pytest.raises(CaseError, match="the run goes from 0 to 20 s"):
        plots.snapshot(run, time="1 h")
    with pytest.raises(CaseError, match="no 'sped'"):
        plots.snapshot(run, colour="sped")


def test_colours_keep_their_order_without_hue() -> None:
    from banquise.view.style import ice_colours

    for table in (matplotlib.colormaps["viridis"], matplotlib.colormaps["cividis"], ice_colours()):
        light = table(np.linspace(0, 1, 64))[:, :3] @ [0.299, 0.587, 0.114]
        assert (np.diff(light) > 0).all()


def test_gif_has_the_pictures_asked_for(run: Any, tmp_path: Path) -> None:
    from PIL import Image

    n = write_movie(run, tmp_path / "a.gif", fps=5, seconds=1.0, size=(241, 161))
    with Image.open(tmp_path / "a.gif") as movie:
        assert movie.n_frames == n == 5 and movie.size == (240, 160)
        first = np.asarray(movie.convert("RGB"))
        movie.seek(4)
        assert (np.asarray(movie.convert("RGB")) != first).any()
        assert movie.info["duration"] == 200


def test_few_records_make_a_slow_movie_not_a_flash(run: Any, tmp_path: Path) -> None:
    from PIL import Image

    for seconds in (None, 8.0):
        n = write_movie(run, tmp_path / "a.gif", seconds=seconds, size=(120, 80))
        with Image.open(tmp_path / "a.gif") as movie:
            assert n * movie.info["duration"] / 1000 == pytest.approx(seconds or 4.0, rel=0.35)


def test_mp4_has_the_pictures_asked_for(run: Any, tmp_path: Path) -> None:
    try:
        program = ffmpeg()
    except bq.BanquiseError as problem:
        pytest.skip(str(problem))
    n = write_movie(run, tmp_path / "a.mp4", fps=5, seconds=0.8, size=(240, 160))
    said = subprocess.run([program, "-i", str(tmp_path / "a.mp4"), "-f", "null", "-"], capture_output=True, text=True)
    assert n == 4 and "240x160" in said.stderr and "frame=    4" in said.stderr.replace("\r", "\n")


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_mistake_leaves_no_half_movie_and_keeps_the_old_one(run: Any, tmp_path: Path, ending: str) -> None:
    if ending == "mp4" and shutil.which("ffmpeg") is None:
        pytest.skip("no ffmpeg on this system")
    old = tmp_path / f"a.{ending}"
    old.write_bytes(b"a movie of before")
    with pytest.raises(CaseError, match="colour: no 'sped'"):
        write_movie(run, old, colour="sped")

    def stopped(k: int, n: int) -> None:
        if k == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_movie(run, old, size=(120, 80), progress=stopped)
    assert [p.name for p in tmp_path.iterdir()] == [old.name] and old.read_bytes() == b"a movie of before"


def test_movie_mistakes(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CaseError, match="expected a name that ends in"):
        write_movie(run, tmp_path / "a.avi")
    with pytest.raises(CaseError, match="1 or more"):
        write_movie(run, tmp_path / "a.gif", fps=0)
    with pytest.raises(CaseError, match="the folder .* does not exist"):
        write_movie(run, tmp_path / "nowhere" / "a.gif")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(bq.BanquiseError, match="MP4 needs ffmpeg"):
        ffmpeg()


def test_settings_in_a_report_do_not_say_their_names_twice() -> None:
    case = {"forcing": "Forcing: wind, current", "scheme": "EventDriven(max_step=5.0)", "fracture": None, "crs": ""}
    found = [("Forcing", "wind, current"), ("Scheme", "EventDriven(max_step=5.0)")]
    assert stated(case, ("forcing", "scheme", "fracture", "crs")) == found


def test_report_tells_what_went_wrong(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("banquise.view.plots.FIGURES", {"energy": plots.energy})
    assert all(c.fine for c in checks(run))
    names = dict(facts(run))
    assert names["Floes"] == "13 at the start, 14 at the end" and names["Breaks"] == "1"
    bad = made_up_run(records=3)
    columns = list(bad.records["ledger_names"])
    bad.records["ledger"][1, columns.index("unsolved")] = 2
    bad.records["ledger"][1, columns.index("max_overlap")] = 0.5
    bad.records["ledger"][2, columns.index("balance")] = 1e6
    assert [c.fine for c in checks(bad)] == [False, True, False, False]
    text = report(bad, player=False)
    assert "To look at" in text and "Contact problems not solved: 2" in text and "<iframe" not in text


def test_an_overlap_is_measured_by_the_smaller_floe_of_its_pair() -> None:
    """The ledger does not name the pair: between the bars of the least and the largest floe the unsolved steps decide."""
    run = made_up_run(records=3)
    columns = list(run.records["ledger_names"])
    n = run.records["state"].shape[2]
    sizes = np.sqrt(run.shapes["area"].values[:n])
    for overlap, unsolved, fine in ((0.9e-5 * sizes.max(), 0, True), (0.9e-5 * sizes.max(), 1, False),
                                    (1.1e-5 * sizes.max(), 0, False)):  # fmt: skip
        run.records["ledger"][1, columns.index("max_overlap")] = overlap
        run.records["ledger"][1, columns.index("unsolved")] = unsolved
        run.__dict__.pop("ledger", None)
        assert checks(run)[0].fine == fine


def test_report_is_one_page_with_player_and_figures(run: Any, tmp_path: Path, browser: Any) -> None:
    write_report(run, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.count("<img ") == len(plots.FIGURES) and "made-up &lt;run&gt;" in text and "All 4 checks hold" in text
    page = browser.new_page()
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.goto((tmp_path / "r.html").resolve().as_uri())
    page.frame_locator("iframe").locator("#player[data-state=ready]").wait_for(timeout=30_000)
    assert not problems
    page.close()
    with pytest.raises(RunFileError, match="cannot write"):
        write_report(run, tmp_path / "no" / "r.html", player=False)


def test_reprs_draw_and_escape() -> None:
    floe = bq.Floe([[0, 0], [10, 0], [10, 10], [0, 10]], holes=[[[4, 4], [6, 4], [6, 6], [4, 6]]], name="<b>")
    rock = bq.Obstacle([[20, 0], [30, 0], [25, 9]])
    scene = bq.Scene([floe, bq.Disc((0, 40), 5.0)], [rock])
    for thing, paths in ((floe, 1), (rock, 1), (scene, 3), (bq.Simulation(scene), 3)):
        text = thing._repr_html_()
        assert text.count("<path ") == paths and "<b>" not in text
        assert repr(thing).splitlines()[0].split(":")[0].split("'")[0] in text
    assert floe._repr_html_().count("Z") == 2  # outline and hole
    assert "<svg" not in bq.Scene()._repr_html_()


def test_a_run_shows_itself_with_the_player_and_large_ones_less(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from banquise.view import reprs

    text = run._repr_html_()
    assert "<iframe" in text and "151 impacts" in text and "The player shows" not in text
    monkeypatch.setattr(reprs, "NOTEBOOK_POSES", 17 * 20)
    assert "The player shows 20 of 61 records" in run_html(run)
    monkeypatch.setattr(reprs, "NOTEBOOK_BODIES", 5)
    assert "too large for a notebook" in run_html(run) and "<iframe" not in run_html(run)


def test_a_periodic_sea_shows_floes_that_went_round() -> None:
    run = made_up_run(records=3)
    run.case["domain"] = {"kind": "periodic", "xmin": 0.0, "xmax": 100.0, "ymin": 0.0, "ymax": 100.0}
    run.records["state"][-1, 0] += 1000.0  # ten times round
    ice = plots.snapshot(run).axes[0].collections[0]
    middles = np.array([path.vertices.mean(axis=0) for path in ice.get_paths()])
    assert len(middles) and (middles[:, 0] > -100).all() and (middles[:, 0] < 200).all()


def test_times_of_trajectories_are_those_of_the_run():
    """Also with two records, where all pieces begin at time 0."""
    import banquise as bq
    from banquise.view.plots import trajectories

    run = bq.Simulation(bq.Scene([bq.Disc((0, 0), 5.0, velocity=(1, 0))])).run(60.0, every=60.0)
    lines = trajectories(run).axes[0].collections[0]
    assert lines.get_clim() == (0.0, 60.0) or lines.get_clim() == (0.0, 1.0)  # s or min


def test_nothing_of_a_movie_is_cut_off():
    """The clock, the names of the axes and the scale lie within the picture: its rim is white."""
    from banquise.view.movie import frames
    from banquise.view.sea import scene_size

    bank = bq.Obstacle([[-40, -80], [40, -80], [40, -40], [-40, -40]])
    run = bq.Simulation(bq.Scene([bq.Disc((0, 0), 10.0, velocity=(0.1, 0.5))], [bank])).run(60.0, every=30.0)
    _, high = scene_size(run, 6.4)
    for picture in frames(run, [0, 2], "speed", (640, round(100 * high) // 2 * 2)):
        rim = np.concatenate(
            [picture[:2].ravel(), picture[-2:].ravel(), picture[:, :2].ravel(), picture[:, -2:].ravel()]
        )
        assert rim.min() == 255
        assert picture[2:40, :300].min() < 100  # the clock


def test_what_is_shown_of_obstacles_ends_at_their_borders():
    from banquise.view.sea import bounds_of

    bank = bq.Obstacle([[-100, -200], [-80, -200], [-80, 200], [-100, 200]])
    turning = bq.Obstacle([[50, -10], [60, -10], [60, 10], [50, 10]], spin=0.1)
    run = bq.Simulation(bq.Scene([bq.Disc((0, y), 10.0) for y in (-150, 150)], [bank, turning])).run(10.0, every=5.0)
    x0, x1, y0, y1 = bounds_of(run)
    margin = 0.02 * 400
    assert (x0, y0, y1) == pytest.approx((-100 - margin, -200 - margin, 200 + margin))
    assert x1 == pytest.approx(55 + np.hypot(5, 10) + margin)


def test_a_backend_chosen_inside_the_style_stays_interactive():
    """The first figure of a notebook turns `interactive` on inside our context; without it no later figure is shown."""
    import matplotlib.pyplot as plt

    from banquise.view.style import styled

    plt.ioff()
    try:
        with styled():
            plt.ion()
        assert plt.isinteractive()
    finally:
        plt.ioff()


def test_counts_of_a_few_are_whole_numbers() -> None:
    sim = bq.Simulation(bq.Scene([bq.Disc((0, 0), 10.0), bq.Disc((50, 0), 20.0)]))
    axis = plots.sizes(sim.run(1, every=1)).axes[0].yaxis
    ticks = [t for t in axis.get_ticklocs() if 1 <= t <= 2]
    assert ticks == [1, 2]
