"""Floes that break in a run: what every rule of breaking shares. Called once a step, after it has been entered.

A rule proposes cuts; here they become pieces: rows of bodies, ids, parents, events. All of a step's breaks are made at its
end, together: rows, detector and laws are made anew once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import BanquiseError, ShapeError
from banquise.fracture.family import Family, Slit
from banquise.fracture.splice import Broken, centres_on_map, splice
from banquise.fracture.split import pieces_of
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe
from banquise.update.impulses import EVENT_COLUMNS, KINDS, OBSTACLE_IDS

Array = NDArray[np.float64]


@dataclass
class Cuts:
    """How one floe breaks in this step: its cuts in order, each of a piece made before."""

    row: int
    number: int  # its id
    whole: Floe
    pieces: list[Floe]
    slits: list[list[Slit]]  # of each piece
    made: list[tuple[Array, float]] = field(default_factory=list)  # each cut: its middle, its surface energy

    def cut(self, which: int, path: Any, surface: float) -> tuple[int, int] | None:
        """Cut a piece along a broken line; places of the two new pieces, None when it does not cut it in two."""
        try:
            two = pieces_of(self.pieces[which], path)
        except ShapeError:
            return None
        old = self.slits[which]
        self.pieces[which : which + 1] = two
        self.slits[which : which + 1] = [_slits_in(piece, old) for piece in two]
        self.made.append((np.sum(path, axis=0) / len(path), surface))
        return which, which + 1


def _slits_in(piece: Floe, slits: list[Slit]) -> list[Slit]:
    """The slits of a floe that lie in one of its pieces, those that the cut has not touched."""
    if not slits:
        return []
    inside = piece.polygon.buffer(1e-9 * np.sqrt(piece.area))
    return [slit for slit in slits if inside.covers(shapely.LineString(slit))]


class Breaking:
    """The floes of a run that may break: families, and what has been looked at."""

    NOT_STORED: tuple[str, ...] = ("_row_of",)

    def __init__(self, bodies: Bodies):
        self.family = Family(bodies.n_free)
        self.seen = 0  # tables of events that have been looked at
        bodies.ids[bodies.n_free :] = OBSTACLE_IDS + np.arange(len(bodies) - bodies.n_free)

    def new_window(self) -> None:
        """The events and sums of impulses start anew: they have been recorded."""
        self.seen = 0

    def after_step(self, sim: Any) -> None:
        """Break what the step that was just entered breaks."""
        cuts = self.proposed(sim)
        self.seen = len(sim.impulses.events)
        if cuts:
            self._apply(sim, cuts)

    def proposed(self, sim: Any) -> list[Cuts]:
        """The cuts of this step, by floe."""
        raise NotImplementedError

    def floe(self, sim: Any, row: int) -> Floe:
        """The floe of a row, in the frame it is cut in."""
        return self.family.floe(sim.scene.floes, int(sim.bodies.ids[row]))

    def rows(self, sim: Any) -> NDArray[np.int64]:
        """Row of each id, -1 for floes that have ended."""
        known: NDArray[np.int64] | None = self.__dict__.get("_row_of")
        if known is None or len(known) != len(self.family):
            known = np.full(len(self.family), -1)
            known[sim.bodies.ids[: sim.bodies.n_free]] = np.arange(sim.bodies.n_free)
            self.__dict__["_row_of"] = known
        return known

    def start_cuts(self, sim: Any, row: int) -> Cuts:
        """A floe that is about to break."""
        number = int(sim.bodies.ids[row])
        whole = self.floe(sim, row)
        return Cuts(row, number, whole, [whole], [self.family.slits.get(str(number), [])])

    def _apply(self, sim: Any, cuts: list[Cuts]) -> None:
        """Make the pieces: the only place that makes or removes a floe."""
        b = sim.bodies
        events = []
        broken = []
        apart = [c for c in cuts if len(c.pieces) > 1]
        born: list[list[int]] = []
        starts = None
        if apart:
            starts = centres_on_map(b, apart)
            born = self.family.add([c.number for c in apart], [c.pieces for c in apart], sim.time, starts)
        for c, ids in zip(apart, born):
            if ids[-1] >= OBSTACLE_IDS:
                raise BanquiseError(f"fracture: more than {OBSTACLE_IDS:,} floes. Raise min_size or stop earlier.")
            for number, slits in zip(ids, c.slits):
                if slits:
                    self.family.slits[str(number)] = slits
            for middle, surface in c.made:
                events.append(self.event(sim, c, middle, surface, "break", ids[0]))
            self.family.keep(sim.scene.floes, ids, c.pieces)
            broken.append(Broken(c.row, c.whole, c.pieces, ids))
        for c in cuts:
            if len(c.pieces) == 1:
                self.family.slits[str(c.number)] = c.slits[0]
                events += [self.event(sim, c, middle, surface, "crack", c.number) for middle, surface in c.made]
        sim.impulses.events.append(np.array(events))
        self.seen = len(sim.impulses.events)
        if broken:
            bodies, before = splice(b, broken, starts)
            if any(c.whole.radius > 0 for c in broken):
                # arcs are cut as chains of chords: the pieces have all of the mass and the momenta, but a little less inertia
                sim.ledger.add(dissipated_contact=b.kinetic_energy() - bodies.kinetic_energy())
            self.__dict__.pop("_row_of", None)
            self.renumber(before)
            sim.take_bodies(bodies, before, len(self.family))

    def event(self, sim: Any, c: Cuts, middle: Array, surface: float, kind: str, child: int) -> Array:
        """A row of the events: the floe that broke, its first piece, where, and the energy of the crack's surface."""
        b, row = sim.bodies, c.row
        cos, sin = b.cos[row], b.sin[row]
        away = middle - c.whole.centre
        x, y = b.x[row] + cos * away[0] - sin * away[1], b.y[row] + sin * away[0] + cos * away[1]
        out = np.zeros(len(EVENT_COLUMNS))
        out[:6] = sim.time, KINDS.index(kind), c.number, child, x, y
        out[8] = surface
        return out

    def renumber(self, before: NDArray[np.int64]) -> None:
        """Rows have changed: row k is what row before[k] was, -1 for a piece."""
