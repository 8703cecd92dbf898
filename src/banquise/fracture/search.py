"""The crack it pays to open: straight candidates, their releases, and the rule that chooses.

Rule "first": the load is thought to grow from zero; releases grow with its square, so the crack that pays first has
the least |s| / R, at the factor sqrt(toughness h |s| / R) on the load. Rule "least-energy": the crack that leaves the
least total energy at the full load. Bounds skip candidates: R is below the stored energy, and below its value with
free lips.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, in_short, known_keywords
from banquise.fracture import _kernels_search
from banquise.fracture._kernels_search import (
    BEST_AT,
    BOUND,
    CRITICAL,
    FIRST_AT,
    LENGTH,
    RELEASE,
    SEPARATES,
    SKIPPED,
    SOLVED,
    STATUS,
    Aim,
    known_sides,
)
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.candidates import Border
from banquise.fracture.given import an_ice
from banquise.fracture.griffith import Griffith, check_rule
from banquise.fracture.state import Loaded, loaded
from banquise.scene.floe import Floe
from banquise.settings import one_of

Array = NDArray[np.float64]

STARTS = ("contact", "all")
ARRESTS = (0.25, 0.5, 0.75)  # of a chord, where a crack that ends inside may stop
KNOWN = 8  # cracks whose sides are kept for the next ones
REFINE_STEPS = 4  # halvings of the steps of the two ends


@dataclass(frozen=True)
class Crack:
    """The chosen crack."""

    breaks: bool  # whether it pays at the full load
    start: tuple[float, float]  # m
    end: tuple[float, float]
    length: float  # m
    release: float  # J, net of lip friction
    critical: float  # factor on the load at which it first pays
    energy: float  # J stored in the floe before
    surface: float  # J that its surface costs
    separates: bool  # whether it cuts the floe in two
    candidates: int  # chords looked at
    solved: int  # of them, with non-penetrating lips
    landscape: Array = field(repr=False)  # (candidates, 6) x0, y0, x1, y1 (m), release (J), bound (J)


@known_keywords
@one_blas_thread()
def search(
    floe: Floe,
    load: Any,
    ice: Griffith | None = None,
    rule: str | None = None,
    starts: str | None = None,
    refine: bool = True,
    limit: float = math.inf,
) -> Crack:
    """The straight crack that a loaded floe opens, and whether it does.

    Parameters
    ----------
    load : what `impact` gives, or a `Dirichlet`
    ice : toughness, lip friction, gate and candidates; elastic constants and mesh of an impact are those of the impact
    rule : "first" or "least-energy"; None: that of `ice`
    starts : "contact" (cracks from beside the contact patches; default of an impact) or "all" border points
    refine : move the ends of the best candidate to its local optimum
    limit : factor on the load beyond which nobody asks: a crack that pays later is not looked for
    """
    ice = an_ice(getattr(load, "ice", None) if ice is None else ice)
    rule = ice.rule if rule is None else rule
    check_rule(rule)
    if starts is not None:
        one_of(starts, STARTS, "fracture: starts")
    if not (isinstance(limit, int | float) and limit > 0):
        raise ShapeError(f"fracture: limit is {in_short(limit)}, expected a number above 0.")
    limit = float(min(limit, sys.float_info.max)) if isinstance(limit, int) else limit
    state = loaded(floe, load, ice)
    hunt = _Hunt(state, floe, ice, rule, limit=limit)
    chords = hunt.border.chords(starts == "contact" or (starts is None and bool(state.sources)))
    hunt.look(chords)
    if hunt.empty and starts is None:
        hunt.look(hunt.border.chords(False))  # a contact in a corner so sharp that no chord from it cuts off enough
    if refine:
        hunt.refine()
    return hunt.result()


@known_keywords
@one_blas_thread()
def landscape(floe: Floe, load: Any, ice: Griffith | None = None, starts: str = "all") -> Array:
    """Release of every candidate chord: rows x0, y0, x1, y1 (m), release (J), bound with free lips (J)."""
    ice = an_ice(ice or getattr(load, "ice", None))
    one_of(starts, STARTS, "fracture: starts")
    hunt = _Hunt(loaded(floe, load, ice), floe, ice, "first", skip=False)
    hunt.look(hunt.border.chords(starts == "contact"))
    return hunt.rows()


class _Hunt:
    """One search: what was tried and the best so far."""

    def __init__(self, state: Loaded, floe: Floe, ice: Griffith, rule: str, skip: bool = True, limit: float = math.inf):
        self.state, self.floe, self.ice = state, floe, ice
        body = state.body
        self.price = ice.toughness * floe.thickness * body.unit  # J per mesh unit of crack
        kind = (ice.border_points, ice.arrested, ice.min_piece, ice.min_width)
        if kind not in state.borders:
            state.borders[kind] = Border(body, state.sources, ice)
        self.border: Border = state.borders[kind]
        strength = ice.strength or 0.0
        gate = ice.gate_length or (ice.young * ice.toughness / strength**2 if strength else 0.0)
        self.aim = Aim(
            energy=state.energy / state.joule,
            price=self.price / state.joule,
            friction=float(ice.lip_friction),
            least=self.border.least,
            width=self.border.width,
            strength=strength / ice.young,
            reach=gate / body.unit,
            least_energy=rule == "least-energy",
            skip=skip,
            arrested=ice.arrested,
        )
        self.best = np.array([math.inf if self.aim.least_energy else limit, limit, -1.0, -1.0])
        self.known = known_sides(len(body.moments), KNOWN)
        self.tried, self.notes = np.empty((0, 5)), np.empty((0, 6))

    @property
    def empty(self) -> bool:
        """Whether no candidate would ever pay: none found, none left out as too dear."""
        return bool(self.best[FIRST_AT] < 0 and not (self.notes[:, STATUS] == SKIPPED).any())

    def look(self, chords: Array) -> None:
        """Weigh candidates, shortest first; with arrested ones each chord is stopped on its way too, from either end."""
        if self.ice.arrested and len(chords):
            chords = np.concatenate([_stopped(chord) for chord in chords])
        notes = np.empty((len(chords), 6))
        _kernels_search.look(self.state.sheet, chords, self.aim, self.best, self.known, len(self.tried), notes)
        self._add(chords, notes)

    def _add(self, chords: Array, notes: Array) -> None:
        self.tried, self.notes = np.concatenate([self.tried, chords]), np.concatenate([self.notes, notes])

    def refine(self) -> None:
        """Move the two ends of the best crack along the border."""
        if self.best[BEST_AT] < 0:
            return
        chosen = self.tried[int(self.best[BEST_AT])]
        if chosen[4] or not self.notes[int(self.best[BEST_AT]), SEPARATES]:
            return
        b = self.border
        spots = np.array([b.nearest(chosen[:2]), b.nearest(chosen[2:4])], dtype=float)
        chords, notes = np.empty((6 * REFINE_STEPS, 5)), np.empty((6 * REFINE_STEPS, 6))
        aim = self.aim._replace(arrested=False)  # two ends on the border: it cuts through
        count = _kernels_search.refine(
            self.state.sheet, b.corners, b.first, b.along, b.turn, b.taken, spots, 0.5 * b.step, REFINE_STEPS, aim, self.best,
            self.known, len(self.tried), chords, notes,
        )  # fmt: skip
        self._add(chords[:count], notes[:count])

    def rows(self) -> Array:
        """The landscape: rows x0, y0, x1, y1 (m), release (J), bound (J) of all candidates."""
        kept = self.notes[:, STATUS] > 0
        body, notes, ends = self.state.body, self.notes[kept], self.tried[kept, :4].copy()
        tips = self.tried[kept, 4] > 0
        if tips.any():
            ends[tips, 2:] = _tips(ends[tips], notes[tips, LENGTH])
        world = body.to_world(ends.reshape(-1, 2)).reshape(-1, 4)
        return np.column_stack([world, notes[:, [RELEASE, BOUND]] * self.state.joule])

    def _on_true_border(self, chord: Array, length: float) -> tuple[Array, Array]:
        """Ends (m) of a through crack on the border of the floe itself; the meshed border leaves out small detail."""
        body = self.state.body
        start, end = body.to_world(chord[:2]), body.to_world(chord[2:4])
        if _corners(self.floe.polygon) == _corners(body.mesh.border):
            return start, end
        polygon, near = self.floe.polygon, 1e-9 * body.unit
        reach = (end - start) * (0.5 * float(np.median(body.mesh.size)) / length)
        line = polygon.intersection(shapely.LineString([start - reach, end + reach]))
        parts = [p for p in getattr(line, "geoms", [line]) if isinstance(p, shapely.LineString)]
        if not parts:
            return start, end
        ends = np.asarray(min(parts, key=lambda p: p.distance(shapely.Point((start + end) / 2))).coords)
        ends = ends if (ends[-1] - ends[0]) @ (end - start) > 0 else ends[::-1]
        found = []
        for own, true, way in ((start, ends[0], -reach), (end, ends[-1], reach)):
            # The line may go on in the ice beyond a corner that it touches: then the end of the chord is already right.
            on_border = [polygon.boundary.distance(shapely.Point(p)) < near for p in (own, true)]
            short = (true - own) @ way < 0  # the true border comes before the meshed one
            if on_border[0] and not short:
                found.append(own)
            elif on_border[1]:
                found.append(true)
            else:
                found.append(np.array(shapely.shortest_line(polygon.boundary, shapely.Point(own)).coords[0]))
        return found[0], found[1]

    def result(self) -> Crack:
        at = int(self.best[BEST_AT] if self.best[BEST_AT] >= 0 else self.best[FIRST_AT])
        rows = self.rows()
        solved = int((self.notes[:, STATUS] == SOLVED).sum())
        energy = self.state.energy
        if at < 0:
            nowhere = (math.nan, math.nan)
            return Crack(False, nowhere, nowhere, 0.0, 0.0, math.inf, energy, 0.0, False, len(rows), solved, rows)
        chord, note = self.tried[at], self.notes[at]
        if note[SEPARATES]:
            start, end = self._on_true_border(chord, note[LENGTH])
        else:
            tip = _tips(chord[None, :4], note[LENGTH : LENGTH + 1])[0] if chord[4] else chord[2:4]
            start, end = self.state.body.to_world(chord[:2]), self.state.body.to_world(tip)
        length = float(np.hypot(*(end - start)))
        return Crack(
            breaks=bool(note[CRITICAL] <= 1),
            start=(float(start[0]), float(start[1])),
            end=(float(end[0]), float(end[1])),
            length=length,
            release=float(note[RELEASE] * self.state.joule),
            critical=float(note[CRITICAL]),
            energy=energy,
            surface=self.ice.toughness * self.floe.thickness * length,
            separates=bool(note[SEPARATES]),
            candidates=len(rows),
            solved=solved,
            landscape=rows,
        )


def _corners(polygon: Any) -> int:
    return sum(len(ring.coords) for ring in (polygon.exterior, *polygon.interiors))


def _stopped(chord: Array) -> Array:
    """A chord stopped at some parts of its way from either end (tips lie on the next element edge), then the chord."""
    rows = []
    for first, last in ((chord[:2], chord[2:4]), (chord[2:4], chord[:2])):
        rows += [[*first, *(first + part * (last - first)), 1.0] for part in ARRESTS]
    return np.array([*rows, chord])


def _tips(ends: Array, length: Array) -> Array:
    """Where chords (k, 4) of these lengths end."""
    way = ends[:, 2:] - ends[:, :2]
    return np.asarray(ends[:, :2] + way * (length / np.hypot(*way.T))[:, None])
