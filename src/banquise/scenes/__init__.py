"""Ready-made scenes, shared by tests, benchmarks, sweeps and the command line: `make("channel", seed=3)`."""

from __future__ import annotations

import importlib
import inspect
import math
from typing import Any

from banquise.errors import CaseError, in_short, nearest
from banquise.given import seed_of
from banquise.units import quantity

# name -> where it is made, and how long and how often it is run and recorded when nothing else is said
SCENES = {
    "channel": ("banquise.scenes.channel_scene:channel", "5 h", "5 min"),
    "drift": ("banquise.scenes.open_sea:drift", "7 d", "1 h"),
    "basin": ("banquise.scenes.open_sea:basin", "2 h", "2 min"),
    "platform": ("banquise.scenes.offshore:platform", "40 min", "5 s"),
    "ship": ("banquise.scenes.offshore:ship", "8 min", "1 s"),
}

# numbers that scenes compute with before anything else looks at them: unit, what is expected, and whether it is so.
# The others (friction, max_size, latitude, ...) are checked where they go.
_ABOVE = ("a finite number above 0", lambda v: 0 < v < math.inf)
_NOT_BELOW = ("a finite number of 0 or more", lambda v: 0 <= v < math.inf)
_ANY = ("a finite number", math.isfinite)
_NUMBERS: dict[str, tuple[str, tuple[str, Any]]] = {
    **dict.fromkeys(("width", "length", "side", "diameter", "beam", "approach"), ("length", _ABOVE)),
    **dict.fromkeys(("distance", "run_up", "shake"), ("length", _NOT_BELOW)),
    **dict.fromkeys(("wind", "current", "speed"), ("speed", _ANY)),
    "wind_angle": ("degrees", _ANY),
    "slope": ("degrees", ("0 to 90 degrees", lambda v: 0 <= v <= 90)),
    "bow": ("degrees", ("degrees above 0 and at most 90", lambda v: 0 < v <= 90)),
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
    return maker(
        **{key: _read(f"scene {name}: {key}", key, value, known[key].default) for key, value in options.items()}
    )


def parameters(name: str) -> dict[str, Any]:
    """The parameters of a ready-made scene and their defaults."""
    return {key: p.default for key, p in inspect.signature(_maker(name)).parameters.items()}


def _read(where: str, key: str, value: Any, default: Any) -> Any:
    """The value of a parameter as its scene takes it: numbers in SI, text with a unit read."""
    if value is None and default is None:
        return value
    if key == "field":
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise CaseError(
                f"{where}: got {in_short(value)}, expected its length and width in metres, such as [600, 300]."
            )
        return tuple(_number(f"{where}[{k}]", side, "length", *_ABOVE) for k, side in enumerate(value))
    if key in _NUMBERS:
        kind, expected = _NUMBERS[key]
        return _number(where, value, kind, *expected)
    return value


def _number(where: str, value: Any, kind: str, expected: str, holds: Any) -> float:
    found = quantity(value, kind, where)
    if not holds(found):
        raise CaseError(f"{where}: got {in_short(value)}, expected {expected}.")
    return found


def _maker(name: str) -> Any:
    if name not in SCENES:
        raise CaseError(f"no scene {name!r}. {nearest(str(name), SCENES)}")
    module, _, function = SCENES[name][0].partition(":")
    return getattr(importlib.import_module(module), function)
