"""The kinds of run that can be shown: how each is known, opened, packed for the player, drawn and reported.

A kind is one row of `KINDS` here and one class in JavaScript; `docs/design/player-kinds.md` says how one plugs in.
Functions are named, not imported: the player of floes does not load the glacier.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from banquise.errors import RunFileError, nearest


@dataclass(frozen=True)
class Kind:
    """What the commands need to know of one kind of run; functions as "module:name"."""

    dimension: str  # of the root group of its run file: by it the file is known
    open: str  # path -> run
    pack: str  # run, max_frames or None -> view.pack.Packed
    facts: str  # run -> [(name, text)]: what was run
    checks: str  # run -> [view.report.Check]: how it went
    figures: str  # {name: run -> matplotlib figure}
    scripts: tuple[str, ...]  # in view/web; they define BQ.kinds[name], and go into its pages only
    libraries: tuple[str, ...] = ()  # in view/web; each goes before them in a script element of its own

    def get(self, part: str) -> Any:
        """What a field names, imported."""
        module, _, name = getattr(self, part).partition(":")
        return getattr(importlib.import_module(module), name)


KINDS = {
    "floes": Kind(
        dimension="floe",
        open="banquise.recording.run_file:open_run",
        pack="banquise.view.pack:pack_floes",
        facts="banquise.view.report:floe_facts",
        checks="banquise.view.report:floe_checks",
        figures="banquise.view.plots:FIGURES",
        scripts=("gl.js", "canvas.js", "overlay.js", "kind_floes.js"),
    ),
    "blocks": Kind(
        dimension="block",
        open="banquise.recording.run_file:open_run",
        pack="banquise.view.pack_blocks:pack_blocks",
        facts="banquise.view.blocks:block_facts",
        checks="banquise.view.blocks:block_checks",
        figures="banquise.view.blocks:FIGURES",
        scripts=("space.js", "kind_blocks.js"),
        libraries=("three.min.js",),
    ),
    "glacier": Kind(
        dimension="node",
        open="banquise.glacier.stored:open_glacier",
        pack="banquise.view.pack_glacier:pack_glacier",
        facts="banquise.view.pack_glacier:facts",
        checks="banquise.view.pack_glacier:checks",
        figures="banquise.view.pack_glacier:FIGURES",
        scripts=("overlay.js", "kind_glacier.js"),
    ),
}


def kind_named(name: str) -> Kind:
    """The kind of that name."""
    if name not in KINDS:
        raise RunFileError(f"view: no player for runs of kind {name!r}. {nearest(name, KINDS)}")
    return KINDS[name]


def kind_of(run: Any) -> Kind:
    """The kind of a run: its `kind`, or that of its case; runs of floes need not say."""
    return kind_named(str(getattr(run, "kind", None) or run.case.get("kind", "floes")))


def kind_at(path: str | Path) -> str | None:
    """The kind of a run file; None for one that is none of ours, damaged, or in pieces only."""
    import netCDF4

    try:
        with netCDF4.Dataset(path) as file:
            ours = str(getattr(file, "source", "")).lower().startswith("banquise")
            return next((name for name, kind in KINDS.items() if ours and kind.dimension in file.dimensions), None)
    except Exception:  # a damaged file fails anywhere inside HDF5 and netCDF, each in its own way
        return None


def open_any(path: str | Path) -> Any:
    """Open a run file of any kind; one that is none of them is opened as floes, which says what is wrong with it."""
    opened: Callable[[Any], Any] = KINDS[kind_at(path) or "floes"].get("open")
    return opened(path)
