"""Pictures of the player for the README and the docs: python docs/pictures.py RUN.nc [folder] [time in s].

A run of floes gives three; one of a glacier (examples/glacier_capsize.toml, 160 s) gives its own.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from banquise.view.kinds import open_any
from banquise.view.player import write_page

FLOES = {
    "player_dark.png": (1280, 820, 1.25, {"theme": "dark", "colour": "speed"}),
    "player_light.png": (1280, 820, 1.25, {"theme": "light", "colour": "ice"}),
    "player_phone.png": (390, 780, 2.0, {"theme": "dark", "colour": "cluster"}),
}
GLACIER = {"player_glacier.png": (1280, 760, 1.25, {"theme": "light", "colour": "displacement"})}


def main(run_file: str, folder: str = "docs/_static", time: str = "") -> None:
    run = open_any(run_file)
    shots = GLACIER if getattr(run, "kind", "") == "glacier" else FLOES
    moment = time or str(0.6 * float(run.records["time"][-1]))
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, sync_playwright() as play:
        page_path = Path(work) / "run.html"
        write_page(run, page_path, autoplay=False)
        options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        for name, (width, height, scale, settings) in shots.items():
            page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=scale)
            wanted = {"renderer": "webgl", "t": moment, **settings}
            page.goto(page_path.as_uri() + "#" + "&".join(f"{k}={v}" for k, v in wanted.items()))
            page.wait_for_selector("#player[data-state=ready]", timeout=60_000)
            page.wait_for_timeout(300)
            page.screenshot(path=Path(folder) / name)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
