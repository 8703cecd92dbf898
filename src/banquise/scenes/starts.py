"""What ready-made scenes share: floes from a file or a seed, small changes of the start, forcing from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, in_short
from banquise.forcing.flows import Series
from banquise.forcing.grid_flow import read_forcing
from banquise.scene.floe import Disc, Floe
from banquise.scene.makers.files import read_floes
from banquise.scene.makers.tools import like
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.schemes.time_stepping import TimeStepping

Array = NDArray[np.float64]


def scheme_of(step: float | None, max_step: float) -> EventDriven | TimeStepping:
    """Time stepping where a step (s) is given, else event-driven with steps up to max_step (s)."""
    return EventDriven(max_step=max_step) if step is None else TimeStepping(step)


def floes_from(source: Any) -> list[Floe]:
    """Floes of a file, a scene, or a list."""
    if isinstance(source, str | Path):
        return list(read_floes(Path(source)).floes)
    found = getattr(source, "floes", source)
    if not isinstance(found, list | tuple) or not found or not all(isinstance(f, Floe) for f in found):
        raise CaseError(f"floes: got {in_short(source)}, expected the name of a file, a bq.Scene or a list of bq.Floe.")
    return list(found)


def simplified(floes: list[Floe], tolerance: float) -> list[Floe]:
    """Outlines with fewer points, about `tolerance` (m) from the given ones at most; no two overlap.

    Outlines traced from pictures are staircases of pixels. Where a simpler outline would overlap a neighbour, the
    given one stays.
    """
    if tolerance <= 0:
        return floes
    polygons = shapely.simplify(np.array([f.polygon for f in floes], dtype=object), tolerance)
    made = [
        f if len(f.ring) == 1 or f.radius > 0 else like(f, _points(p.exterior), [_points(r) for r in p.interiors])
        for f, p in zip(floes, polygons)
    ]
    for i, j, _ in Scene(made).overlaps():
        made[i], made[j] = floes[i], floes[j]
    left = Scene(made).overlaps()
    if left:
        raise CaseError(
            f"floes {left[0][0]} and {left[0][1]} overlap by {left[0][2]:.4g} m2 already in what was given."
        )
    return made


def _points(ring: Any) -> Array:
    return np.asarray(ring.coords)[:-1]


def shaken(floes: list[Floe], amount: float, seed: int, obstacles: Any = ()) -> list[Floe]:
    """Every floe moved at random by up to `amount` (m); a move that would make an overlap is not made."""
    if amount <= 0:
        return floes
    rng = np.random.default_rng([seed, 0x5EED])
    way = amount * np.sqrt(rng.random(len(floes)))
    angle = rng.uniform(0, 2 * np.pi, len(floes))
    shift = np.stack([way * np.cos(angle), way * np.sin(angle)], axis=1)
    while True:
        made = [_moved(f, s) for f, s in zip(floes, shift)]
        overlaps = Scene(made, obstacles).overlaps()
        bad = sorted({k for i, j, _ in overlaps for k in (i, j) if k < len(floes) and shift[k].any()})
        if not bad:
            return made
        shift[bad] = 0.0


def _moved(floe: Floe, shift: Array) -> Floe:
    return like(floe, floe.ring + shift, [ring + shift for ring in floe.holes])


def thick(floes: list[Floe], thickness: Any, seed: int) -> list[Floe]:
    """The floes with a thickness (m): a number, or (low, high) drawn evenly."""
    low, high = (thickness, thickness) if np.ndim(thickness) == 0 else thickness
    values = np.random.default_rng([seed, 0x71CE]).uniform(low, high, len(floes))
    return [
        Disc(f.ring[0], f.radius, thickness=t)
        if len(f.ring) == 1
        else Floe(f.ring, f.holes, thickness=float(t), radius=f.radius)
        for f, t in zip(floes, values)
    ]


def flows_from(source: Any, start_hour: float, days: float, seed: int) -> tuple[Any, Any]:
    """Wind and current of a file from an hour on, or of the package's own weather."""
    if source is not None:
        return tuple(read_forcing(source, name, start_hour=start_hour) for name in ("wind", "current"))
    return weather(days, seed)


def weather(days: float, seed: int = 0) -> tuple[Series, Series]:
    """Wind of passing lows and a current that follows it, with a tide: hourly series made from a seed (m/s).

    The wind is a sum of five turning parts with periods of two to eight days, 8 m/s in the mean square; the current 1 % of it,
    turned 30 degrees to the right, and a tide of 12.42 h and 5 cm/s.
    """
    rng = np.random.default_rng([seed, 0x3EA])
    hours = np.arange(0.0, 24 * days + 2.0)
    period = np.array([48.0, 72.0, 96.0, 144.0, 192.0])
    size = rng.rayleigh(1.0, 5)
    size *= 8.0 / np.sqrt(np.sum(size**2))
    turn = rng.choice([-1.0, 1.0], 5) * 2 * np.pi / period
    wind = np.exp(1j * (np.outer(hours, turn) + rng.uniform(0, 2 * np.pi, 5))) @ size
    tide = 0.05 * np.cos(2 * np.pi * hours / 12.42) * np.exp(1j * rng.uniform(0, np.pi))
    current = 0.01 * wind * np.exp(-1j * np.pi / 6) + tide
    return Series(3600 * hours, wind.real, wind.imag), Series(3600 * hours, current.real, current.imag)
