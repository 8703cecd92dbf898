"""Floes in the open sea under changing wind and current (the paper's section 4.2), and in a closed basin."""

from __future__ import annotations

import math
from typing import Any

from banquise.forcing.forcing import Forcing
from banquise.scene.domain import Box
from banquise.scene.makers.pack import pack
from banquise.scenes.starts import floes_from, flows_from, scheme_of, simplified
from banquise.settings import Contact
from banquise.simulation import Simulation


def drift(
    floes: Any = None,
    forcing: Any = None,
    n: int = 350,
    concentration: float = 0.6,
    box: Any = (1200.0, 1200.0),
    exponent: float = 1.5,
    max_size: float = 250.0,
    thickness: Any = (0.25, 0.38),
    start_hour: float = 0.0,
    days: float = 7.0,
    latitude: float | None = 80.2,
    friction: float = 0.7,
    restitution: float = 0.35,
    order: str = "simultaneous",
    simplify: float = 0.01,
    max_step: float = 5.0,
    step: float | None = None,
    seed: int = 0,
) -> Simulation:
    """A pack at rest in the open sea, under a wind and a current that change with time.

    Parameters
    ----------
    floes : a file (a catalogue), a scene or a list: outlines to draw from; by default the package's own
    forcing : a file of wind and current; by default the package's own weather, of `days` days
    n, concentration, box, exponent, max_size, thickness : of the pack, as in `bq.pack`
    start_hour : hour of the forcing file at which the run starts
    latitude : degrees, for Coriolis' force; None: without it
    simplify : outlines from a file lose points that change them by less than this part of their size
    step : s, for time stepping; by default event-driven, steps up to max_step
    """
    shapes = _outlines(floes, simplify)
    scene = pack(n, concentration, box, exponent, max_size, thickness, seed, shapes=shapes)
    wind, current = flows_from(forcing, start_hour, days, seed)
    return Simulation(
        scene,
        Forcing(wind=wind, current=current, latitude=latitude),
        Contact(friction=friction, restitution=restitution, order=order),
        scheme_of(step, max_step),
        seed=seed,
        title="drift",
    )


def basin(
    floes: Any = None,
    forcing: Any = None,
    n: int = 60,
    side: float = 400.0,
    concentration: float = 0.5,
    exponent: float = 1.5,
    max_size: float | None = None,
    thickness: Any = (0.3, 0.8),
    wind: float = 10.0,
    wind_angle: float = 30.0,
    start_hour: float = 0.0,
    friction: float = 0.7,
    restitution: float = 0.35,
    order: str = "simultaneous",
    max_step: float = 5.0,
    step: float | None = None,
    seed: int = 0,
) -> Simulation:
    """Floes at rest in a closed square basin, blown together against its lee shore.

    Parameters
    ----------
    floes : outlines to draw from (a file, a scene or a list); by default the package's own
    forcing : a file of wind and current instead of the steady `wind` (m/s, `wind_angle` degrees from the x axis)
    side : m, of the basin
    """
    shapes = _outlines(floes, 0.01)
    scene = pack(n, concentration, Box(0.0, side, 0.0, side), exponent, max_size, thickness, seed, shapes=shapes)
    angle = math.radians(wind_angle)
    flows: tuple[Any, Any] = (wind * math.cos(angle), wind * math.sin(angle)), (0.0, 0.0)
    if forcing is not None:
        flows = flows_from(forcing, start_hour, 0.0, seed)
    return Simulation(
        scene,
        Forcing(wind=flows[0], current=flows[1]),
        Contact(friction=friction, restitution=restitution, order=order),
        scheme_of(step, max_step),
        seed=seed,
        title="basin",
    )


def _outlines(floes: Any, simplify: float) -> list[Any] | None:
    """Outlines to draw from, without points that change them by less than that part of their size; None: none given."""
    if floes is None:
        return None
    return [s for f in floes_from(floes) for s in simplified([f], simplify * math.sqrt(f.area))]
