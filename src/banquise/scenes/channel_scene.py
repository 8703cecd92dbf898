"""Floes blown into a channel (Rabatel, Labbe and Weiss 2015, section 4.1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from banquise.errors import CaseError
from banquise.forcing.forcing import Forcing
from banquise.scene.floe import Obstacle
from banquise.scene.makers.pack import pack
from banquise.scene.makers.tools import like, shift
from banquise.scene.scene import Scene
from banquise.scenes.starts import floes_from, scheme_of, shaken, simplified, thick
from banquise.settings import Contact
from banquise.simulation import Simulation

# friction, restitution, Coriolis (1/s) of the paper's five tests
TESTS = {
    "1": {"friction": 0.7, "restitution": 0.35, "coriolis": 0.0},
    "2": {"friction": 0.7, "restitution": 0.6, "coriolis": 0.0},
    "3": {"friction": 0.7, "restitution": 1.0, "coriolis": 0.0},
    "4": {"friction": 0.5, "restitution": 0.6, "coriolis": 0.0},
    "5": {"friction": 0.7, "restitution": 0.35, "coriolis": 1.44e-4},
}


def channel(
    floes: Any = None,
    n: int = 100,
    width: float = 850.0,
    length: float = 2000.0,
    slope: float = 45.0,
    approach: float | None = None,
    distance: float = 20.0,
    wind: float = 10.0,
    wind_angle: float = 10.0,
    thickness: float = 1.0,
    friction: float = 0.7,
    restitution: float = 0.35,
    coriolis: float = 0.0,
    order: str = "simultaneous",
    simplify: float = 1.0,
    shake: float = 0.0,
    flip: bool = False,
    max_step: float = 5.0,
    step: float | None = None,
    seed: int = 0,
) -> Simulation:
    """Floes at rest before the mouth of a channel, blown into it by a steady wind; the water is still.

    The mouth lies at y = 0, the channel below it, the floes above; the banks are obstacles 0 (right) and 1 (left).

    Parameters
    ----------
    floes : a file of floes (a catalogue of outlines), a scene or a list; by default `n` of the package's own, as large
        for the channel as those of Robeson channel (41 % of a field twice as wide as the channel)
    width, length : m, of the channel
    slope : degrees of the shoulders from the x axis: 0 is a hole in a straight coast, 90 a channel without a mouth
    approach : m, width of the funnel at its top; by default 1.3 times that of the field of floes
    distance : m, free way between the shoulders and the nearest floe
    wind, wind_angle : m/s, and degrees from straight down, to the right
    coriolis : 1/s
    simplify : m, how far outlines of given floes may be moved to have fewer points (a pixel of their picture)
    step : s, for time stepping; by default event-driven, steps up to max_step
    shake : m, every floe is moved at random by up to this, with the seed: the starts of an ensemble
    flip : mirror given floes top to bottom: pictures count their rows downwards, and files do not say which way up they lie
    """
    for what, value, most in (("width", width, math.inf), ("length", length, math.inf), ("slope", slope, 90.0)):
        if not 0 <= value <= most or (what != "slope" and value == 0):
            raise CaseError(f"channel: {what} is {value!r}, expected a number above 0 (slope: 0 to 90 degrees).")
    if floes is None:
        side = 1.96 * width
        # the seed of a shaken ensemble moves the floes of one field; without shaking it makes another field
        field_seed = 0 if shake > 0 else seed
        made = pack(n, 0.41, (side, 0.69 * side), 1.2, 0.28 * width, thickness, field_seed)
        given = list(made.floes)
    else:
        given = thick(simplified(floes_from(floes), simplify), thickness, seed)
    if flip:
        given = [like(f, f.ring * (1.0, -1.0), [hole * (1.0, -1.0) for hole in f.holes]) for f in given]
    points = np.concatenate([np.array(f.polygon.bounds).reshape(2, 2) for f in given])
    (x0, y0), (x1, _) = points.min(axis=0), points.max(axis=0)
    top = float(approach) if approach is not None else max(1.3 * (x1 - x0), width)
    if top < width:
        raise CaseError(
            f"channel: approach is {approach!r} m, expected at least the width of the channel, {width:g} m."
        )
    given = list(shift(Scene(given), -0.5 * (x0 + x1), -y0).floes)
    high = 0.5 * (top - width) * math.tan(math.radians(min(slope, 89.9)))
    banks = _banks(width, length, top, high)
    given = list(shift(Scene(given), 0.0, _room(given, banks, distance)).floes)
    given = shaken(given, shake, seed, banks)
    angle = math.radians(wind_angle)
    return Simulation(
        Scene(given, banks),
        Forcing(wind=(wind * math.sin(angle), -wind * math.cos(angle)), current=(0.0, 0.0), coriolis=coriolis),
        Contact(friction=friction, restitution=restitution, order=order),
        scheme_of(step, max_step),
        seed=seed,
        title="channel",
    )


def _banks(width: float, length: float, top: float, high: float) -> list[Obstacle]:
    banks = []
    for side, name in ((1.0, "right bank"), (-1.0, "left bank")):
        near, far, end = 0.5 * width, 0.5 * top, 0.5 * top + 0.15 * width
        ring = [(near, -length), (end, -length), (end, high)]
        ring += [(far, high), (near, 0.0)] if far > near else [(near, high)]
        banks.append(Obstacle([(side * x, y) for x, y in ring], name=name))
    return banks


def _room(floes: Any, banks: Any, distance: float) -> float:
    """How far up (m) the floes must go to be `distance` above the mouth and clear of the shoulders."""
    import shapely

    ice = shapely.union_all([f.polygon for f in floes])
    rock = shapely.union_all([b.polygon for b in banks])
    low, high = distance, distance + 1e4
    if shapely.distance(shapely.transform(ice, lambda p: p + (0.0, low)), rock) >= distance:
        return low
    for _ in range(40):
        middle = 0.5 * (low + high)
        clear = shapely.distance(shapely.transform(ice, lambda p, up=middle: p + (0.0, up)), rock) >= distance
        low, high = (low, middle) if clear else (middle, high)
    return high
