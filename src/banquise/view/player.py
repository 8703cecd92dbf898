"""The web player: one HTML file with everything in it, or a page with its chunks beside it for very large runs."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from banquise.errors import CaseError, RunFileError, in_short, nearest
from banquise.given import check_ending
from banquise.view.kinds import kind_named, kind_of
from banquise.view.pack import Packed

WEB = Path(__file__).parent / "web"
# in this order, into one script: the first makes the name space; the scripts of the kind of run; the last starts
COMMON = ("store.js", "colours.js", "curves.js", "view.js", "kind.js")
LAST = "player.js"
OPTIONS = ("autoplay", "colour", "renderer", "t", "theme")
THEMES = ("auto", "light", "dark")
SINGLE_FILE_LIMIT = 100_000_000  # characters; browsers open larger pages slowly or not at all


def pack(run: Any, max_frames: int | None = None) -> Packed:
    """Pack a run of any known kind for the player."""
    if not hasattr(run, "case"):
        raise CaseError(f"player: got {in_short(run)}, expected a run, such as bq.open_run('run.nc').")
    if max_frames is not None and (not isinstance(max_frames, int | np.integer) or max_frames < 2):
        raise CaseError(f"max_frames: got {max_frames!r}, expected 2 or more.")
    packed: Packed = kind_of(run).get("pack")(run, max_frames)
    return packed


def page(packed: Packed, inline_chunks: bool = True, **options: Any) -> str:
    """The HTML of the player; `options` are its first settings, such as autoplay=False, theme="dark", colour="age"."""
    for name in options:
        if name not in OPTIONS:
            raise CaseError(f"player: no option {name!r}. {nearest(name, OPTIONS)}")
    if options.get("theme", "auto") not in THEMES:
        raise CaseError(f"theme: got {options['theme']!r}. {nearest(str(options['theme']), THEMES)}")
    colour, known = options.get("colour"), packed.meta["colours"]
    if colour is not None and colour not in known:
        raise CaseError(f"colour: no {colour!r}. {nearest(str(colour), known)}")
    meta = {**packed.meta, "options": options, "chunk_folder": None if inline_chunks else "chunks"}
    kind = kind_named(packed.meta["kind"])
    data = [f"<script>\n{_web(name)}\n</script>" for name in kind.libraries]
    data += [_data_tag(f"array-{name}", text) for name, text in packed.blobs.items()]
    if inline_chunks:
        data += [_data_tag(f"chunk-{k}", text) for k, text in enumerate(packed.chunks)]
    parts = {
        "TITLE": html.escape(packed.meta["title"]),
        "STYLE": _web("player.css"),
        "DATA": "\n".join(data),
        # a "<" in a name could end the script element early; JSON may write it as an escape
        "META": json.dumps(meta).replace("<", "\\u003c"),
        "SCRIPT": "\n".join(_web(name) for name in (*COMMON, *kind.scripts, LAST)),
    }
    text = _web("player.html")
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part, 1)
    return text


def _web(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def _data_tag(name: str, text: str) -> str:
    return f'<script type="text/plain" id="{name}">{text}</script>'


def write_page(run: Any, path: str | Path, max_frames: int | None = None, **options: Any) -> int:
    """Write the player of a run as one self-contained HTML file; its size in bytes."""
    check_ending(path, (".html", ".htm"), "a page", RunFileError)
    text = page(pack(run, max_frames), **options)
    _write(Path(path), text)
    return len(text.encode("utf-8"))


def write_folder(run: Any, folder: str | Path, **options: Any) -> Path:
    """Write the player as a page with its chunks beside it, each loaded when needed; the path of the page."""
    folder = Path(folder)
    packed = pack(run)
    (folder / "chunks").mkdir(parents=True, exist_ok=True)
    for k, text in enumerate(packed.chunks):
        # a script, not data to fetch: pages opened from a disk may load scripts but not fetch files
        _write(folder / "chunks" / f"{k}.js", f'BQ.Store.arrived({k}, "{text}");')
    _write(folder / "index.html", page(packed, inline_chunks=False, **options))
    return folder / "index.html"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise RunFileError(f"output {path}: cannot write ({problem.strerror or problem}).") from None
