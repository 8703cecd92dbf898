"""Kernels compile on first use and are cached on disk: say so once, so that nobody wonders what takes so long."""

from __future__ import annotations

import sys
from pathlib import Path


def say_if_compiling() -> None:
    """One line on stderr when no compiled kernel is found beside the package or in Numba's cache folder."""
    import os

    package = Path(__file__).parent
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [package]
    if not any(next(place.rglob("*.nbi"), None) for place in places):
        print("compiling kernels, once, about a minute ...", file=sys.stderr, flush=True)
