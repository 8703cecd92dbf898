"""A real browser for the tests of the page, and a made-up run to show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .synthetic import made_up_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def run() -> Any:
    return made_up_run()


@pytest.fixture(scope="session")
def player_page(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from banquise.view.player import write_page

    path: Path = tmp_path_factory.mktemp("view") / "run.html"
    write_page(run, path)
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra `browser`)")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with sync_api.sync_playwright() as play:
        options = [
            "--no-sandbox",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--force-color-profile=srgb",
        ]
        browser = play.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """open_page(path or address, width, height, **settings) -> a page that is ready; console errors fail the test."""
    contexts, problems = [], []

    def open_one(where: Any, width: int = 1000, height: int = 760, scale: float = 1.0, **settings: Any) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=scale, has_touch=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        address = where.resolve().as_uri() if isinstance(where, Path) else where
        page.goto(address + "#" + "&".join(f"{k}={v}" for k, v in {"autoplay": 0, **settings}.items()))
        page.wait_for_selector("#player[data-state=ready]", timeout=30_000)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not problems, problems
