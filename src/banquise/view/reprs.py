"""How objects show themselves in a notebook: a small drawing and their numbers; a run brings the player."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import numpy as np

NOTEBOOK_POSES = 1_500_000  # floes x records shown in a cell: about 4 MB in the notebook file
NOTEBOOK_BODIES = 20_000
MAX_DRAWN = 1500
_CARD = "display:flex;gap:18px;align-items:center;font:13px/1.5 system-ui,sans-serif;flex-wrap:wrap"


def svg(floes: Iterable[Any], obstacles: Iterable[Any], width: int = 220, height: int = 160) -> str:
    """A small drawing of floes and obstacles (the largest `MAX_DRAWN`), as SVG."""
    floes = sorted(floes, key=lambda f: -f.area)[:MAX_DRAWN]
    parts = [(f, "#eef5f8", "#2c5a73") for f in floes] + [
        (o, "#7d7168", "#3f3832") for o in list(obstacles)[:MAX_DRAWN]
    ]
    if not parts:
        return ""
    bounds = np.array([p.polygon.bounds for p, _, _ in parts])
    x0, y0 = bounds[:, :2].min(axis=0)
    x1, y1 = bounds[:, 2:].max(axis=0)
    scale = 0.94 * min(width / max(x1 - x0, 1e-12), height / max(y1 - y0, 1e-12))
    middle = 0.5 * np.array([x0 + x1, y0 + y1])
    paths = []
    for part, fill, line in parts:
        shape = part.polygon
        rings = [np.asarray(r.coords)[:-1] for r in (shape.exterior, *shape.interiors)]
        data = "".join(
            "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in _screen(r, middle, scale, width, height)) + "Z" for r in rings
        )
        paths.append(f'<path d="{data}" fill="{fill}" stroke="{line}" fill-rule="evenodd"/>')
    style = "background:#a6c8d9;border-radius:8px;flex:none"
    line_width = 0.8 if len(parts) < 300 else 0.3
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" style="{style}" '
        f'stroke-width="{line_width}">{"".join(paths)}</svg>'
    )


def _screen(ring: Any, middle: Any, scale: float, width: int, height: int) -> Any:
    return (ring - middle) * (scale, -scale) + (width / 2, height / 2)


def _card(picture: str, text: str) -> str:
    return f'<div style="{_CARD}">{picture}<div style="flex:1;min-width:240px">{text}</div></div>'


def _lines(text: str) -> str:
    """The plain repr, its tree kept in line."""
    style = "margin:0;background:none;color:inherit;font-size:12px;white-space:pre-wrap"
    return f'<pre style="{style}">{html.escape(text)}</pre>'


def floe_html(floe: Any) -> str:
    """A floe or an obstacle: its outline and its numbers."""
    rock = not hasattr(floe, "thickness")
    return _card(svg([] if rock else [floe], [floe] if rock else [], 110, 80), _lines(repr(floe)))


def scene_html(scene: Any) -> str:
    """A scene: a drawing of it and its sizes."""
    text = repr(scene)
    if scene.floes:
        size = np.sqrt([f.area for f in scene.floes])
        thick = np.array([f.thickness for f in scene.floes])
        text += f"\n├── sizes      {size.min():.3g} to {size.max():.3g} m (square root of the area)"
        text += f"\n└── thickness  {thick.min():.3g} to {thick.max():.3g} m"
    return _card(svg(scene.floes, scene.obstacles), _lines(text))


def simulation_html(simulation: Any) -> str:
    """A simulation: its scene and the tree of its parts."""
    return _card(svg(simulation.scene.floes, simulation.scene.obstacles), _lines(repr(simulation)))


def bodies_of(run: Any) -> int:
    """How many bodies the player of a run draws: the last dimension of its recorded state, or of its shapes."""
    return int(run.shapes.sizes["body"]) if hasattr(run, "shapes") else int(run.bodies)


def frames_within(run: Any, poses: int) -> int:
    """How many records of a run hold at most that many poses."""
    return max(2, poses // max(bodies_of(run), 1))


def run_html(run: Any, height: int = 560) -> str:
    """A run: its numbers and the player; records are thinned to what a notebook bears, huge runs get a note instead."""
    from banquise.errors import BanquiseError
    from banquise.view.player import pack, page

    text = _lines(repr(run))
    records = len(run.records["time"])
    if bodies_of(run) > NOTEBOOK_BODIES or not records:
        return text + _note("The player of this run is too large for a notebook: banquise view writes it as a page.")
    most = frames_within(run, NOTEBOOK_POSES)
    try:
        shown = page(pack(run, most), autoplay=False)
    except BanquiseError as problem:
        return text + _note(str(problem))
    note = (
        _note(f"The player shows {most:,} of {records:,} records; banquise view shows all.") if records > most else ""
    )
    return text + note + frame(shown, height)


def _note(text: str) -> str:
    return f'<p style="font:13px system-ui,sans-serif;opacity:.75;margin:4px 0">{html.escape(text)}</p>'


def frame(page: str, height: int) -> str:
    """A page within a page."""
    style = f"width:100%;height:{height}px;border:0;border-radius:10px"
    return f'<iframe title="Player" style="{style}" srcdoc="{html.escape(page)}" loading="lazy"></iframe>'
