"""Banquise: ice in pieces. Floes on the sea, blocks in space, glaciers that slide.

The public names, nothing else. Each is imported when first used, so that `import banquise` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "BanquiseError": "banquise.errors",
    "gap": "banquise.detection.gap",
    "Floe": "banquise.scene.floe",
    "Disc": "banquise.scene.floe",
    "Obstacle": "banquise.scene.floe",
    "Surface": "banquise.scene.surfaces",
    "Scene": "banquise.scene.scene",
    "Box": "banquise.scene.domain",
    "Periodic": "banquise.scene.domain",
    "Forcing": "banquise.forcing",
    "Load": "banquise.forcing",
    "Series": "banquise.forcing",
    "Field": "banquise.forcing",
    "read_forcing": "banquise.forcing",
    "SlabOcean": "banquise.forcing.slab_ocean",
    "Contact": "banquise.settings",
    "EventDriven": "banquise.schemes.event_driven",
    "TimeStepping": "banquise.schemes.time_stepping",
    "Penalty": "banquise.schemes.penalty",
    "Simulation": "banquise.simulation",
    "Every": "banquise.recording.schedule",
    "Run": "banquise.recording.run_file",
    "open_run": "banquise.recording.run_file",
    "resume": "banquise.resuming",
    "load_case": "banquise.case",
    "save_case": "banquise.case_tables",
    "set_threads": "banquise.threads",
    "sweep": "banquise.ensembles.sweep",
    "calibrate": "banquise.analysis.calibrate",
    "Griffith": "banquise.fracture.griffith",
    "MeanStress": "banquise.fracture.mean_stress",
    "Polyhedron": "banquise.scene.polyhedron",
    "pack": "banquise.scene.makers.pack",
    "voronoi": "banquise.scene.makers.voronoi",
    "from_image": "banquise.scene.makers.image",
    "read_scene": "banquise.case",
    "write_scene": "banquise.scene.makers.files",
    "fields": "banquise.scene.makers.tools:",
    "lcp": "banquise.solvers.lcp:",
}
_MODULES = ("glacier", "fracture", "percussion", "scenes", "analysis", "blocks")

__all__ = sorted([*_NAMES, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"banquise.{name}")
    if name not in _NAMES:
        from banquise.errors import nearest

        raise AttributeError(f"banquise has no {name!r}. {nearest(name, __all__)}")
    module, colon, _ = _NAMES[name].partition(":")
    value = importlib.import_module(module)
    if not colon:
        value = getattr(value, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
