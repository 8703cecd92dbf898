"""The crack it pays to open: straight candidates, their releases, and the rule that chooses.

Rule "first": the load is thought to grow from zero; releases grow with its square, so the crack that pays first has
the least |s| / R, at the factor sqrt(toughness h |s| / R) on the load. Rule "least-energy": the crack that leaves the
least total energy at the full load. Bounds skip candidates: R is below the stored energy, and below its value with
free lips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.fracture.blas import one_blas_thread
from banquise.fracture.candidates import Border, Point
from banquise.fracture.cracks import Cut, Cutter, Opening
from banquise.fracture.griffith import Griffith, check_rule
from banquise.fracture.state import Loaded, loaded
from banquise.scene.floe import Floe

Array = NDArray[np.float64]

BATCH = 48  # candidates whose side moments are spread in one matrix product
ARRESTS = (0.25, 0.5, 0.75)  # of a chord, where a crack that ends inside may stop
REFINE_STEPS = 3  # halvings of the steps of the two ends


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


@one_blas_thread()
def search(
    floe: Floe,
    load: Any,
    ice: Griffith | None = None,
    rule: str | None = None,
    starts: str | None = None,
    refine: bool = True,
) -> Crack:
    """The straight crack that a loaded floe opens, and whether it does.

    Parameters
    ----------
    load : what `impact` gives, or a `Dirichlet`
    ice : toughness, lip friction, gate and candidates; elastic constants and mesh of an impact are those of the impact
    rule : "first" or "least-energy"; None: that of `ice`
    starts : "contact" (cracks from beside the contact patches; default of an impact) or "all" border points
    refine : move the ends of the best candidate to its local optimum
    """
    ice = ice or getattr(load, "ice", None) or Griffith()
    rule = rule or ice.rule
    check_rule(rule)
    state = loaded(floe, load, ice)
    hunt = _Hunt(state, floe, ice, rule)
    chords = hunt.border.chords(starts == "contact" or (starts is None and bool(state.sources)))
    hunt.look(chords)
    if hunt.first is None and starts is None:
        hunt.look(hunt.border.chords(False))  # a contact in a corner so sharp that no chord from it cuts off enough
    if refine and hunt.best is not None:
        hunt.refine()
    return hunt.result()


@one_blas_thread()
def landscape(floe: Floe, load: Any, ice: Griffith | None = None, starts: str = "all") -> Array:
    """Release of every candidate chord: rows x0, y0, x1, y1 (m), release (J), bound with free lips (J)."""
    ice = ice or getattr(load, "ice", None) or Griffith()
    hunt = _Hunt(loaded(floe, load, ice), floe, ice, "first", skip=False)
    hunt.look(hunt.border.chords(starts == "contact"))
    return np.array(hunt.rows).reshape(-1, 6)


class _Hunt:
    """One search: what was tried and the best so far."""

    def __init__(self, state: Loaded, floe: Floe, ice: Griffith, rule: str, skip: bool = True):
        self.skip = skip
        self.state, self.floe, self.ice, self.rule = state, floe, ice, rule
        self.cutter = Cutter(state)
        self.price = ice.toughness * floe.thickness * state.body.unit  # J per mesh unit of crack
        self.best: tuple[float, Cut, Opening] | None = None
        self.first: tuple[float, Cut, Opening] | None = None
        self.rows: list[tuple[float, ...]] = []
        self.solved = 0
        self.near: tuple[Cut, Array] | None = None  # the crack that is being refined, and its spread
        kind = (ice.border_points, ice.arrested, ice.min_piece)
        if kind not in state.borders:
            state.borders[kind] = Border(state.body, state.sources, ice)
        self.border: Border = state.borders[kind]

    def look(self, chords: list[tuple[Point, Point]]) -> None:
        """Evaluate candidates, shortest first, in batches."""
        for first in range(0, len(chords), BATCH):
            cuts = []
            for a, b in chords[first : first + BATCH]:
                start, end = np.array(a.place), np.array(b.place)
                if self.ice.arrested:
                    self._look_arrested(start, end)
                if not self._may_win(float(np.hypot(*(end - start))), self.state.energy):
                    self._note(start, end, math.nan, self.state.energy)
                    continue
                cut = self.cutter.cut(start, end)
                if cut is not None and self._admissible(cut):
                    cuts.append(cut)
            self._open_all(cuts)

    def _look_arrested(self, start: Array, end: Array) -> None:
        """The same chord stopped at some parts of its way, from either end; tips lie on the next element edge."""
        for first, last in ((start, end), (end, start)):
            for part in ARRESTS:
                tip = first + part * (last - first)
                if not self._may_win(float(np.hypot(*(tip - first))), self.state.energy):
                    continue
                cut = self.cutter.cut(first, tip, tip=True)
                if cut is not None:
                    self._weigh(cut)

    def _admissible(self, cut: Cut) -> bool:
        if not cut.separates:
            return self.ice.arrested
        total = float(self.state.body.mesh.area.sum())
        return min(cut.plus, total - cut.plus) >= self.ice.min_piece * total

    def _open_all(self, cuts: list[Cut]) -> None:
        spread = None
        sides = [c.side for c in cuts if c.separates]
        if self.state.drift is not None and sides:
            spread = (self.state.inverse @ np.hstack(sides)).reshape(-1, len(sides), 3).transpose(1, 0, 2).copy()
        column = 0
        for cut in cuts:
            mine = None
            if spread is not None and cut.separates:
                mine = spread[column]
                column += 1
            self._weigh(cut, mine)

    def _weigh(self, cut: Cut, spread: Array | None = None) -> float:
        """Evaluate one cut against the best; returns its score (less is better)."""
        opening = self.cutter.open(cut, self.ice.lip_friction, spread, self._enough(cut.length))
        if opening.frictionless == 0.0 and opening.free > 0.0:
            self._note(cut.start, cut.end, math.nan, opening.free)
            return math.inf
        self.solved += 1
        self._note(cut.start, cut.end, opening.release, opening.free)
        critical = self._critical(cut, opening)
        if math.isfinite(critical) and (self.first is None or critical < self.first[0]):
            self.first = (critical, cut, opening)
        score = critical
        if self.rule == "least-energy":
            score = self.price * cut.length - opening.release if critical <= 1 else math.inf
        if score < (math.inf if self.best is None else self.best[0]):
            self.best = (score, cut, opening)
        return score

    def _note(self, start: Array, end: Array, release: float, bound: float) -> None:
        to_world = self.state.body.to_world
        self.rows.append((*to_world(start), *to_world(end), release, bound))

    def _critical(self, cut: Cut, opening: Opening) -> float:
        """Factor on the load at which this crack first pays, and reaches the strength if there is a gate."""
        if opening.release <= 0:
            return math.inf
        energy = math.sqrt(self.price * cut.length / opening.release)
        if self.ice.strength is None:
            return energy
        reach = self.ice.gate_length or self.ice.young * self.ice.toughness / self.ice.strength**2
        reach = min(reach / self.state.body.unit, cut.length)
        tension = max(self._mean_pull(cut, 0.0, reach), self._mean_pull(cut, cut.length - reach, cut.length))
        return max(energy, self.ice.strength / (tension * self.ice.young)) if tension > 0 else math.inf

    @staticmethod
    def _mean_pull(cut: Cut, low: float, high: float) -> float:
        """Mean normal tension of the uncracked state over a stretch of the chord."""
        a, b = cut.stretch.T
        part = np.clip(np.minimum(b, high) - np.maximum(a, low), 0, None) / np.maximum(b - a, 1e-12)
        return float(-(part @ cut.pressure) / (high - low))

    def _enough(self, length: float) -> float:
        """Release (J) below which a crack of that length cannot beat the best so far."""
        if not self.skip:
            return -1.0
        if self.best is None:
            if self.first is None:
                return 0.0
            return self.price * length / self.first[0] ** 2 if self.first[0] > 1 else self.price * length
        if self.rule == "least-energy":
            return self.price * length - self.best[0]
        return self.price * length / self.best[0] ** 2

    def _may_win(self, length: float, bound: float) -> bool:
        return bound > self._enough(length)

    def refine(self) -> None:
        """Pattern search on the two ends of the best crack along the border."""
        assert self.best is not None
        cut = self.best[1]
        if not cut.separates:
            return
        ends = [self.border.nearest(cut.start), self.border.nearest(cut.end)]
        self.near = (cut, self.cutter.spread(cut)) if self.state.drift is not None else None
        step = self.border.step / 2
        for _ in range(REFINE_STEPS):
            for which in (1, 0):
                for way in (-step, step):
                    trial = list(ends)
                    trial[which] = (ends[which][0], ends[which][1] + way)
                    if self.border.on_patch(*trial[which]):
                        continue
                    if self._try(trial):
                        ends = trial
                        break
            step /= 2

    def _try(self, ends: list[tuple[int, float]]) -> bool:
        a, b = (np.array(self.border.at(*e).place) for e in ends)
        line = shapely.LineString([a, b])
        if line.length < 1e-6 or not self.border.inside.covers(line):
            return False
        cut = self.cutter.cut(a, b)
        if cut is None or not cut.separates or not self._admissible(cut):
            return False
        before = self.best
        self._weigh(cut, None if self.near is None else self.cutter.spread(cut, self.near))
        return self.best is not before

    def _on_true_border(self, cut: Cut) -> tuple[Array, Array]:
        """Ends (m) of a through crack on the border of the floe itself; the meshed border leaves out small detail."""
        body = self.state.body
        start, end = body.to_world(cut.start), body.to_world(cut.end)
        if not cut.separates:
            return start, end
        polygon, near = self.floe.polygon, 1e-9 * body.unit
        reach = (end - start) * (0.5 * float(np.median(body.mesh.size)) / cut.length)
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
        chosen = self.best or self.first
        rows = np.array(self.rows).reshape(-1, 6)
        if chosen is None:
            nowhere = (math.nan, math.nan)
            return Crack(
                False, nowhere, nowhere, 0.0, 0.0, math.inf, self.state.energy, 0.0, False, len(rows), self.solved, rows
            )
        _, cut, opening = chosen
        start, end = self._on_true_border(cut)
        critical = self._critical(cut, opening)
        return Crack(
            breaks=critical <= 1,
            start=(float(start[0]), float(start[1])),
            end=(float(end[0]), float(end[1])),
            length=float(np.hypot(*(end - start))),
            release=opening.release,
            critical=critical,
            energy=self.state.energy,
            surface=self.price * cut.length,
            separates=cut.separates,
            candidates=len(rows),
            solved=self.solved,
            landscape=rows,
        )
