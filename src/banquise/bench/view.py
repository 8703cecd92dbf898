"""The player of a large run: how big, how long to make, to load, and to draw a frame in a real browser."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from banquise.bench import Figure
from banquise.recording.ledger import COLUMNS
from banquise.recording.run_file import Run, shapes_dataset
from banquise.scene.floe import Floe

SIZE_BAR = 40e6  # bytes of the page for 10,000 floes and 1,000 records


def drifting_pack(n: int, records: int, every: float = 60.0, seed: int = 0) -> Run:
    """`n` eight-sided floes some 100 m across, carried round by eddies, jostled by their neighbours and turning.

    The jostling is a velocity of 5 mm/s that forgets itself in about ten records: without noise a drift would pack
    into nearly nothing.
    """
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(n)))
    grid = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:n] * 110.0
    turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    sizes = rng.uniform(0.45, 1.0, n) * 52
    centres = grid + rng.uniform(-4, 4, (n, 2))
    floes = [
        Floe(c + s * ring * rng.uniform(0.82, 1.0, (8, 1)), thickness=float(rng.uniform(0.3, 2.0)))
        for c, s in zip(centres, sizes)
    ]
    state = np.empty((records, 6, n))
    place = np.array([f.centre for f in floes])
    jostle, spin, angle = np.zeros((n, 2)), rng.normal(0, 2e-5, n), np.zeros(n)
    length = side * 110.0
    for k in range(records):
        wave = 2 * np.pi * place / length
        eddy = 0.25 * np.column_stack([np.sin(wave[:, 1]) + 0.3, -np.sin(wave[:, 0] + k / 400)])
        velocity = eddy + jostle
        state[k] = [*place.T, angle, *velocity.T, spin]
        place = place + every * velocity
        angle = angle + every * spin
        jostle = 0.9 * jostle + rng.normal(0, 0.005 * np.sqrt(1 - 0.81), (n, 2))
        spin = 0.97 * spin + rng.normal(0, 5e-6, n)
    return _run(floes, state, every, rng)


def _run(floes: list[Floe], state: Any, every: float, rng: np.random.Generator) -> Run:
    records, _, n = state.shape
    time_ = every * np.arange(records)
    lives = {"birth": np.zeros(n), "end": np.full(n, np.inf), "parent": np.full(n, -1)}
    hits = 20 * records  # impacts in all
    a = rng.integers(0, max(n - 1, 1), hits)
    when = np.sort(rng.uniform(0, time_[-1], hits))
    frame = np.searchsorted(time_, when)
    events = np.zeros((hits, 10))
    events[:, 0], events[:, 2], events[:, 3] = when, a, np.minimum(a + 1, n - 1)
    events[:, 4], events[:, 5] = state[frame, 0, a] + 50, state[frame, 1, a]
    events[:, 6] = rng.lognormal(8, 2, hits)
    ledger = np.zeros((records, len(COLUMNS)))
    ledger[:, 0] = (state[:, 3] ** 2 + state[:, 4] ** 2).sum(axis=1) * 5e5
    ledger[:, COLUMNS.index("collisions")] = np.bincount(frame, minlength=records)[:records]
    kept = {
        "time": time_,
        "state": state,
        "ledger": ledger,
        "ledger_names": np.array(COLUMNS),
        "loads": np.zeros((records, 0, 3)),
        "events": events,
    }
    return Run(kept, shapes_dataset(floes, [], lives), {"title": f"{n:,} floes, made up", "every": every})


def figures(quick: bool = False) -> list[Figure]:
    """Page size and times for 10,000 floes x 1,000 records (1,000 x 200 when quick)."""
    from banquise.view.player import write_page

    n, records = (1000, 200) if quick else (10_000, 1000)
    run = drifting_pack(n, records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.html"
        began = time.process_time()
        size = write_page(run, path, autoplay=False)
        spent = time.process_time() - began
        what = f"{n:,} floes x {records:,} records"
        return [
            Figure("page size", size / 1e6, "MB", at_most=None if quick else SIZE_BAR / 1e6, note=what),
            Figure("time to make the page", spent, "s of processor", note=what),
            *browser_figures(path, what),
        ]


def browser_figures(path: Path, what: str) -> list[Figure]:
    """Load time, frame times and the time of a jump in a headless Chromium; none when there is no browser."""
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    if browser_path is None:
        return []
    found = []
    options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=browser_path, args=options)
        for renderer in ("canvas", "webgl"):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            began = time.perf_counter()
            page.goto(f"{path.resolve().as_uri()}#renderer={renderer}")
            page.wait_for_selector("#player[data-state=ready]", timeout=180_000)
            opened = time.perf_counter() - began
            numbers = page.evaluate(_MEASURE)
            note = f"{what}, headless Chromium, " + (
                "WebGL2 in software, no graphics card" if renderer == "webgl" else "Canvas 2D"
            )
            found += [
                Figure(f"open in a browser ({renderer})", opened, "s", note=note),
                Figure(f"poses and colours of a frame ({renderer})", numbers["prepare"], "ms", note=note),
                Figure(f"whole frame ({renderer})", numbers["frame"], "ms", note=note),
                Figure(f"jump in time ({renderer})", numbers["jump"], "ms", note=note),
            ]
            page.close()
        browser.close()
    return found


# drawing calls return before the picture is there: reading one pixel back waits for it
_MEASURE = """async () => {
  const p = window.banquise, median = (a) => a.sort((x, y) => x - y)[a.length >> 1];
  const wait = () => { const c = document.createElement("canvas").getContext("2d");
    c.drawImage(p.page.ice, 0, 0, 1, 1, 0, 0, 1, 1); c.getImageData(0, 0, 1, 1); };
  const frames = [], prepare = [], jumps = [], per = p.meta.frames_per_chunk;
  await p.seek(p.first);
  for (let k = 0; k < 12; k++) {
    p.time = p.first + (k + 0.5) * p.run.interval;
    let began = performance.now();
    p.run.frameAt(p.time); p.run.colour("speed", p.look);
    prepare.push(performance.now() - began);
    began = performance.now();
    p.draw(); wait();
    frames.push(performance.now() - began);
  }
  for (let k = 1; k < 5; k++) {
    const began = performance.now();
    await p.seek(p.run.time[Math.min(k * per + 3, p.run.time.length - 1)]);
    jumps.push(performance.now() - began);
  }
  return { frame: median(frames), prepare: median(prepare), jump: median(jumps) };
}"""
