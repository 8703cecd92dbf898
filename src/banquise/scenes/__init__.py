"""Ready-made scenes, shared by tests, benchmarks, sweeps and the command line: `make("channel", seed=3)`."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from banquise.errors import CaseError, nearest
from banquise.given import seed_of

# name -> where it is made, and how long and how often it is run and recorded when nothing else is said
SCENES = {
    "channel": ("banquise.scenes.channel_scene:channel", "5 h", "5 min"),
    "drift": ("banquise.scenes.open_sea:drift", "7 d", "1 h"),
    "basin": ("banquise.scenes.open_sea:basin", "2 h", "2 min"),
    "platform": ("banquise.scenes.offshore:platform", "40 min", "5 s"),
    "ship": ("banquise.scenes.offshore:ship", "8 min", "1 s"),
}


def make(name: str, **options: Any) -> Any:
    """The simulation of a ready-made scene; its parameters by name."""
    maker = _maker(name)
    known = inspect.signature(maker).parameters
    for option in options:
        if option not in known:
            raise CaseError(f"scene {name}: no parameter {option!r}. {nearest(option, known)}")
    if "seed" in options:
        seed_of(options["seed"], f"scene {name}: seed")
    return maker(**options)


def parameters(name: str) -> dict[str, Any]:
    """The parameters of a ready-made scene and their defaults."""
    return {key: p.default for key, p in inspect.signature(_maker(name)).parameters.items()}


def _maker(name: str) -> Any:
    if name not in SCENES:
        raise CaseError(f"no scene {name!r}. {nearest(str(name), SCENES)}")
    module, _, function = SCENES[name][0].partition(":")
    return getattr(importlib.import_module(module), function)
