"""Cracks that ended inside a floe, and how later impacts take them on.

A slit goes on along its own line: what a longer crack releases beyond the slit itself must pay for the new surface. It
does not turn (a crack that turns would need elements enriched along a broken line). Until the far side is reached the floe
is in one piece and opens like a hinge, so that is the release by which it gets there: two pieces that keep their own mean
motions release less, and would never come off a slit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.fracture.cracks import Cutter
from banquise.fracture.griffith import Griffith
from banquise.fracture.search import Crack
from banquise.fracture.state import loaded
from banquise.scene.floe import Floe

Array = NDArray[np.float64]

PARTS = (0.5,)  # of the way that is left, where a slit that goes on may stop again; or it goes through


def extend(floe: Floe, load: Any, ice: Griffith, slits: Sequence[Any]) -> Crack | None:
    """The slit that goes on first under a load, and how far; None when none can."""
    state = loaded(floe, load, ice)
    cutter, body = Cutter(state), state.body
    price = ice.toughness * floe.thickness * body.unit
    best: Crack | None = None
    for slit in slits:
        start, tip = (body.to_mesh(p) for p in (slit[0], slit[-1]))
        ends = _ahead(floe, np.asarray(slit[0]), np.asarray(slit[-1]))
        old = cutter.cut(start, tip, tip=True)
        if ends is None or old is None:
            continue
        there = cutter.open(old, ice.lip_friction).release
        far = body.to_mesh(ends)
        for part in (*PARTS, 1.0):
            through = part == 1.0
            if not through and not ice.arrested:
                continue
            cut = cutter.cut(start, tip + part * (far - tip), tip=True)
            if cut is None or (through and not _cuts_off_enough(cutter, start, far, ice)):
                continue
            if not through and cut.length >= (1 - 1e-6) * float(np.hypot(*(far - start))):
                continue  # a tip lies on the next element edge: here that is the far side
            more = cutter.open(cut, ice.lip_friction).release - there
            length = cut.length - old.length
            if more <= 0 or length <= 0:
                continue
            critical = math.sqrt(price * length / more)
            if best is None or critical < best.critical:
                end = ends if through else body.to_world(cut.end)
                best = Crack(
                    breaks=critical <= 1,
                    start=(float(slit[0][0]), float(slit[0][1])),
                    end=(float(end[0]), float(end[1])),
                    length=float(np.hypot(*(np.asarray(end) - slit[0]))),
                    release=more,
                    critical=critical,
                    energy=state.energy,
                    surface=price * length,
                    separates=through,
                    candidates=len(slits),
                    solved=len(slits),
                    landscape=np.empty((0, 6)),
                )
    return best


def _cuts_off_enough(cutter: Cutter, start: Array, far: Array, ice: Griffith) -> bool:
    cut = cutter.cut(start, far)
    total = float(cutter.state.body.mesh.area.sum())
    if cut is None or not cut.separates:
        return False
    width = (ice.min_width or 0.0) / cutter.state.body.unit
    return min(cut.plus, total - cut.plus) >= max(ice.min_piece * total, width * float(np.hypot(*(far - start))))


def _ahead(floe: Floe, start: Array, tip: Array) -> Array | None:
    """Where the line of a slit leaves the floe beyond its tip (m)."""
    reach = 4 * math.sqrt(floe.area) + float(np.hypot(*(tip - start)))
    way = (tip - start) / np.hypot(*(tip - start))
    line = floe.polygon.intersection(shapely.LineString([tip, tip + reach * way]))
    # empty where the tip is a rounding beyond the border
    parts = [p for p in getattr(line, "geoms", [line]) if isinstance(p, shapely.LineString) and not p.is_empty]
    if not parts:
        return None
    first = min(parts, key=lambda p: p.distance(shapely.Point(tip)))
    ends = np.asarray(first.coords)
    return np.asarray(max(ends, key=lambda p: float(np.hypot(*(p - tip)))))


def longer(slits: list[Any], crack: Crack) -> list[Any]:
    """The slits with this crack: a new one, or an old one that reaches farther."""
    line = [list(crack.start), list(crack.end)]
    kept = [s for s in slits if math.hypot(s[0][0] - line[0][0], s[0][1] - line[0][1]) > 1e-9 * (1 + crack.length)]
    return [*kept, line]
