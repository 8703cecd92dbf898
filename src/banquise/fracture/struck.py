"""Floes that break where they are struck: Griffith's criterion on every impact of a run.

Each impact is first looked at by its energy alone (microseconds); of the few that could pay for a crack the elastic
state is made and the crack searched. A crack is paid with the energy that its own impact lost, and where that is not
enough with a slower rebound. The piece that carries the contact may break again, with what is left of the energy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_generations, _kernels_screen
from banquise.fracture._kernels_generations import UNLIKE, Beside, Touch
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.blow import Struck
from banquise.fracture.breaking import Breaking, Cuts
from banquise.fracture.griffith import Griffith
from banquise.fracture.screen import may_pay, shortest_cut, shortest_cuts
from banquise.fracture.search import Crack
from banquise.fracture.slits import longer
from banquise.fracture.sought import (
    NO_CANDIDATE,
    Blow,
    Fate,
    Other,
    crack_at,
    crack_by_steps,
    first_crack,
    outlines,
    serves,
    terms,
)
from banquise.fracture.split import nearest_piece, parts_of, rings_of
from banquise.fracture.till import Till
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Floe, weigh
from banquise.threads import over_blocks
from banquise.update.impulses import OBSTACLE_IDS

Array = NDArray[np.float64]

LIMIT = (
    2.0  # factor on the load up to which cracks are looked for: moving the ends of one gains up to 1.5 on ragged floes
)
NEAR = 0.5  # of a patch: a contact this near to one searched before, from the same side, breaks at the same energy
SAME_SIDE = 0.98  # cosine
SURE = 0.8  # of that energy, below which it is not searched again
# Of the strongest impulse on a floe at one instant: less is what solvers leave on contacts that bear nothing (in a storm 1e-12
# to 1e-8; the next faintest was 3e-4). Such a contact neither loads the floe nor holds its border.
FAINT = 1e-6


class Look(NamedTuple):
    """A blow that is worth a search: what is struck, under which law, how, and the slits that it has."""

    struck: Struck
    floe: Floe
    ice: Griffith  # with the least piece of this floe
    blow: Blow
    slits: Sequence[Any] = ()
    terms: tuple[Any, ...] = ()  # of a search in one call, where that serves


@dataclass
class Proposal:
    """A floe that its impact would break, and what becomes of it if all its cracks are paid for."""

    critical: float
    struck: Struck
    floe: Floe
    energy: float  # J stored
    crack: Crack
    fate: Fate | None = None  # of a floe that has been thought through in one call
    cuts: Cuts | None = None
    bills: list[tuple[Struck, Crack]] = field(default_factory=list)  # what is to be paid, in this order


def _effort(look: Look | None) -> float:
    """How long a floe may take, beside others: of what is known before its search, contacts and least piece tell most."""
    return 0.0 if look is None else len(look.struck.spots) / math.sqrt(look.ice.min_piece)


class StruckFloes(Breaking):
    """Floes under `Griffith`."""

    NOT_STORED = ("_row_of", "_scratch")

    def __init__(self, law: Griffith, bodies: Bodies):
        super().__init__(bodies)
        self.least = np.full(bodies.n_free, np.nan)  # J, what the shortest crack of each floe costs
        self.searched: dict[
            str, list[list[float]]
        ] = {}  # by id: place, direction and energy of searches that found none
        self.searches = 0

    def renumber(self, before: NDArray[np.int64]) -> None:
        self.least = np.where(before >= 0, self.least[before], np.nan)
        self.__dict__.pop("_scratch", None)

    # ------------------------------------------------------------ the cheap look

    def proposed(self, sim: Any) -> list[Cuts]:
        tables = sim.impulses.events[self.seen :]
        if not tables:
            return []
        events = tables[0] if len(tables) == 1 else np.concatenate(tables)
        hard = self._hard(sim, events)
        if not hard:
            return []
        found = self._found(sim, events, hard)
        # lowest critical load first; ties by length, then by number
        found.sort(key=lambda p: (p.critical, p.crack.length, int(sim.bodies.ids[p.struck.row])))
        till = Till(sim, self.rows(sim), events, np.maximum(events[:, 8], 0.0))
        return [cuts for p in found if (cuts := self._break(till, p)) is not None]

    def _found(self, sim: Any, events: Array, hard: list[tuple[int, int]]) -> list[Proposal]:
        """The cracks of the floes that are struck hard, and those of their pieces after them.

        Each floe is a matter by itself until cracks are paid for, and is taken by whichever thread is free.
        """
        blows: dict[int, list[int]] = {}
        for row, k in hard:
            blows.setdefault(row, []).append(k)
        floes = list(blows.items())
        weigh([self.floe(sim, row) for row in blows])
        counts = [0] * len(floes)
        misses = [self.searched.get(str(int(sim.bodies.ids[row])), []) for row in blows]

        # All before the first search: right after one a look takes twice as long (Python's memory has left the caches, it seems).
        looks: list[Look | None] = [None] * len(floes)

        def first_looks(first: int, last: int) -> None:
            for at in range(first, last):
                row, (k, *_) = floes[at]
                looks[at] = self._looked(sim, self._struck(sim, events, row, k), misses[at])

        over_blocks(first_looks, len(floes), grain=4)
        # what takes longest first: nobody shall wait for it at the end
        queue = iter(sorted(range(len(floes)), key=lambda at: _effort(looks[at]), reverse=True))
        found: list[Proposal] = []
        uncut: list[Proposal] = []

        def searches(_first: int, _last: int) -> None:
            for at in queue:
                row, (_, *later) = floes[at]
                p, counts[at] = self._first_break(sim, events, row, looks[at], later, misses[at])
                if p is not None:
                    found.append(p)
                    if p.fate is not None:
                        uncut.append(p)
            # who has nothing left to search need not wait idly for the last search of another thread
            while uncut:
                try:
                    p = uncut.pop()
                except IndexError:  # another one has taken it
                    break
                self._take(sim, p)

        over_blocks(searches, len(floes), grain=1)
        self.searches += sum(counts)
        for row, missed in zip(blows, misses):
            if missed:
                self.searched[str(int(sim.bodies.ids[row]))] = missed
        return found

    def _first_break(
        self, sim: Any, events: Array, row: int, look: Look | None, later: list[int], misses: list[list[float]]
    ) -> tuple[Proposal | None, int]:
        """The first blow in the step that breaks a floe, of one that has been looked at and `later` ones; searches that it took.

        What strikes it after that strikes its pieces, which are not there yet.
        """
        p, searches = (None, 0) if look is None else self._searched(sim, look, misses)
        for k in later:
            if p is not None:
                break
            look = self._looked(sim, self._struck(sim, events, row, k), misses)
            if look is not None:
                p, count = self._searched(sim, look, misses)
                searches += count
        return p, searches

    def _hard(self, sim: Any, events: Array) -> list[tuple[int, int]]:
        """(row, event) of floes struck hard enough for some crack."""
        b = sim.bodies
        n = b.n_free
        scratch = self.__dict__.setdefault("_scratch", [])
        if not scratch:
            scratch += [np.full(n, -1.0), np.zeros(n), np.full(n, -1.0)]
        while True:
            room = np.empty((2 * len(events), 2), np.int64)
            scratch[0].fill(-1.0)
            scratch[2].fill(-1.0)
            count = _kernels_screen.strong_percussions(
                events, self.rows(sim), n, OBSTACLE_IDS, b.inverse_mass, b.inverse_inertia, b.material,
                sim.laws.restitution, self.least, scratch[0], scratch[1], scratch[2], room,
            )  # fmt: skip
            if not count:
                return []
            found = room[:count]
            new = np.unique(found[np.isnan(self.least[found[:, 0]]), 0])
            if not len(new):
                return found.tolist()
            self._price(sim, new)

    def _price(self, sim: Any, rows: NDArray[np.int64]) -> None:
        """Note what the shortest crack of these floes costs (J); infinite for one too small to break."""
        b, ice = sim.bodies, sim.fracture
        least = np.maximum(ice.min_piece, np.square(ice.least_size(b.thickness[rows])) / b.area[rows])
        width = ice.least_width(b.thickness[rows]) * np.ones(len(rows))
        cost = np.full(len(rows), math.inf)
        plain = (b.radius[rows] == 0) & (b.body_ring[rows + 1] - b.body_ring[rows] == 1)
        large = least <= 0.5
        odd = large & ~plain
        cost[large & plain] = shortest_cuts(b, rows[large & plain], least[large & plain], width[large & plain])
        cost[odd] = [
            shortest_cut(self.floe(sim, row), *enough)
            for row, *enough in zip(rows[odd].tolist(), least[odd].tolist(), width[odd].tolist())
        ]
        self.least[rows] = ice.toughness * b.thickness[rows] * cost
        # a crack that ends inside has no shortest length
        slit = [ice.arrested or str(int(number)) in self.family.slits for number in b.ids[rows]]
        self.least[rows[large & np.array(slit, np.bool_)]] = 0.0

    # ------------------------------------------------------------ from events to the floe's own frame

    def _struck(self, sim: Any, events: Array, row: int, k: int) -> Struck:
        """All contacts of a floe at the instant of event k."""
        b, time = sim.bodies, float(events[k, 0])
        turn = float(b.angle[row] - b.spin[row] * (sim.time - time))
        return Struck(
            row,
            *_kernels_screen.at_instant(
                events, time, int(b.ids[row]), FAINT, math.cos(turn), math.sin(turn), *self.floe(sim, row).centre.tolist(),
                self.rows(sim), b.n_free, OBSTACLE_IDS, int(b.material[row]), b.material, sim.laws.restitution,
            ),
        )  # fmt: skip

    def _partner(self, sim: Any, struck: Struck, k: int) -> Floe:
        """The floe on the other side of a contact, where it was, in the frame of the struck one."""
        b, row = sim.bodies, struck.others[k]
        floe = self.floe(sim, row)
        turn = b.angle[row] - b.angle[struck.row]
        c, s = math.cos(turn), math.sin(turn)
        corners, first = rings_of(floe)
        middle = struck.spots[k, :2] - struck.levers[k]
        turned = (corners - floe.centre) @ np.array([[c, s], [-s, c]]) + middle
        ring, *holes = (turned[low:high] for low, high in pairwise(first.tolist()))
        return Floe(ring, holes=holes, thickness=floe.thickness, density=floe.density)

    def _terms(self, sim: Any, struck: Struck, floe: Floe, ice: Griffith, blow: Blow, breaks: bool) -> tuple[Any, ...]:
        """What is asked of a search in one call."""
        b, others = sim.bodies, struck.others
        shapes, rings = others, (b.vertices, b.ring_start, b.body_ring)
        if b.radius[others].any():  # of arcs the columns have no points
            floes = [self.floe(sim, row) if row < b.n_free else None for row in others.tolist()]
            shapes, rings = np.arange(len(others)), outlines(floes)
        beside = Beside(b.n_free, b.thickness, b.angle, b.inverse_mass, b.inverse_inertia, *rings)
        touch = Touch(
            struck.spots, struck.impulses, struck.levers, others, shapes, struck.restitution, float(b.angle[struck.row])
        )
        return terms(floe, touch, blow, beside, sim.fracture, ice, LIMIT, breaks)

    # ------------------------------------------------------------ the search

    def _looked(self, sim: Any, struck: Struck, misses: list[list[float]]) -> Look | None:
        """An impact that may open a crack, None for one that does not; `misses` are searches of this floe that found none."""
        floe = self.floe(sim, struck.row)
        ice = sim.fracture.in_run(floe)
        if ice is None:
            return None
        blow = struck.blow(sim.bodies, floe)
        slits = self.family.slits.get(str(int(sim.bodies.ids[struck.row])), [])
        bound = blow.energy * self._share(sim, struck, floe)
        may = self._may_pay(struck, floe, ice, bound, misses, bool(slits))
        if not may:
            return None
        if slits or not serves(ice):
            return Look(struck, floe, ice, blow, slits)
        plain = floe.radius == 0 and not floe.holes and floe.flat
        return Look(struck, floe, ice, blow, slits, self._terms(sim, struck, floe, ice, blow, plain))

    def _searched(self, sim: Any, look: Look, misses: list[list[float]]) -> tuple[Proposal | None, int]:
        """The cracks that the impact opens in a floe and its pieces, if any; and how many searches that took.

        A search that finds none is added to the floe's `misses`.
        """
        struck, (found, fate) = look.struck, self._crack(sim, look)
        searches = 1 if fate is None else fate.searches
        if found is None:
            return None, searches
        energy, crack = found
        if crack.critical <= 1:
            p = Proposal(crack.critical, struck, look.floe, energy, crack)
            if fate is not None and fate.broken:
                p.fate = fate
            else:
                p.cuts, count = self._cuts(sim, p)
                searches += count
            return p, searches
        if len(struck.spots) == 1 and crack is NO_CANDIDATE:
            # wherever it is struck; several patches may only have taken what border there was
            self.least[struck.row] = math.inf
        elif len(struck.spots) == 1 and not look.slits:
            misses.append([*struck.spots[0].tolist(), min(crack.critical, LIMIT) ** 2 * energy])
        return None, searches

    def _share(self, sim: Any, struck: Struck, floe: Floe) -> float:
        """At most this part of the energy is stored in the floe: the other side of a contact yields too."""
        b, most = sim.bodies, 0.0
        for row, thickness in zip(struck.others.tolist(), b.thickness[struck.others].tolist()):
            if row >= b.n_free:
                return 1.0
            most = max(most, UNLIKE * thickness / (floe.thickness + UNLIKE * thickness))
        return most

    def _may_pay(
        self, struck: Struck, floe: Floe, ice: Griffith, energy: float, misses: list[list[float]], slit: bool
    ) -> bool:
        """Whether a search is worth it: a crack starts beside a contact, and must cut off enough of the floe."""
        if slit or ice.arrested:
            return energy > 0
        width = ice.patch * math.sqrt(floe.area)
        if not may_pay(floe, struck.spots, width, ice, energy):
            return False
        if len(struck.spots) > 1:
            return True
        ((px, py, ox, oy),) = struck.spots.tolist()
        for x, y, nx, ny, needed in misses:
            near = math.hypot(px - x, py - y) < NEAR * width
            if near and ox * nx + oy * ny > SAME_SIDE and energy < SURE * needed:
                return False
        return True

    def _crack(self, sim: Any, look: Look) -> tuple[tuple[float, Crack] | None, Fate | None]:
        """Energy stored in a floe and the crack that pays first, None where nothing can be said; and all that a search in one
        call found."""
        struck, floe, ice, _, slits, given = look
        fate = Fate(*_kernels_generations.fate(*given)) if given else None
        try:
            if fate is not None:
                return first_crack(fate), fate
            n, rows = sim.bodies.n_free, struck.others.tolist()
            others = [
                None if row >= n else Other(float(sim.bodies.thickness[row]), partial(self._partner, sim, struck, k))
                for k, row in enumerate(rows)
            ]
            mobility = struck.mobility(sim.bodies, floe)
            with one_blas_thread():
                found = crack_by_steps(floe, struck.contacts(), struck.restitution, mobility, ice, others, slits, LIMIT)
            return found, None
        except ShapeError:
            return None, fate  # impulses that cancel, or a shape that cannot be meshed: no crack

    # ------------------------------------------------------------ the break

    def _break(self, till: Till, p: Proposal) -> Cuts | None:
        """Pay for the cracks of a floe, one after the other, and cut it; where one is not paid, what follows is thought over."""
        paid = 0
        for struck, crack in p.bills:
            if not till.payable(struck, crack):
                break
            till.pay(struck, crack)
            paid += 1
        cuts = p.cuts
        if paid < len(p.bills):
            cuts, searches = self._cuts(till.sim, p, till, paid)
            self.searches += searches
        if cuts is None:
            return None
        if len(cuts.pieces) > 1:
            self.searched.pop(str(cuts.number), None)
        if any(not crack.separates for _, crack in p.bills):
            self.least[p.struck.row] = 0.0  # a crack that ends inside has no shortest length
        return cuts

    def _take(self, sim: Any, p: Proposal) -> None:
        """Cuts and bill of a floe that has been thought through in one call."""
        fate = p.fate
        assert fate is not None
        p.cuts = self.start_cuts(sim, p.struck.row)
        p.cuts.pieces = parts_of(p.floe, *fate.pieces)
        p.cuts.slits = [[] for _ in p.cuts.pieces]
        for row, bears in zip(fate.cracks.tolist(), fate.bears.tolist()):
            crack = crack_at(row)
            p.cuts.made.append((np.add(crack.start, crack.end) / 2, crack.surface))
            p.bills.append((p.struck.only([k for k, mine in enumerate(bears) if mine]), crack))

    def _cuts(self, sim: Any, p: Proposal, till: Till | None = None, paid: int = 0) -> tuple[Cuts | None, int]:
        """Cut the floe, and go on with the piece that carries the contact while energy is left; how many searches that took.

        Without a till all is taken to be payable, and put on the bill. The first `paid` cracks have been paid before.
        """
        cuts, searches = self.start_cuts(sim, p.struck.row), 0
        queue = [(0, p.struck, p.crack, p.energy, 1)]
        p.bills = []
        while queue:
            which, struck, crack, budget, generation = queue.pop(0)
            settled = till is None or len(p.bills) < paid
            if not settled and not till.payable(struck, crack):  # type: ignore[union-attr]
                continue
            two: Any = ()
            if crack.separates:
                two = cuts.cut(which, [crack.start, crack.end], crack.surface)
                if two is None:
                    continue
            else:
                cuts.slits[which] = longer(cuts.slits[which], crack)
                cuts.made.append((np.mean([crack.start, crack.end], axis=0), crack.surface))
            if not settled:
                till.pay(struck, crack)  # type: ignore[union-attr]
            p.bills.append((struck, crack))
            if two:
                queue = [(w + (w > which), *rest) for w, *rest in queue]  # type: ignore[misc]
            left = budget - crack.surface
            if two and left > 0 and generation < sim.fracture.generations:
                carriers = [nearest_piece(cuts.pieces, x, y) for x, y, _, _ in struck.spots.tolist()]
                for place in two:
                    mine = [k for k, carrier in enumerate(carriers) if carrier == place]
                    again, count = self._again(sim, struck.only(mine), cuts.pieces[place], left) if mine else (None, 0)
                    searches += count
                    if again is not None:
                        queue.append((place, *again, left, generation + 1))
        return cuts if cuts.made else None, searches

    def _again(self, sim: Any, own: Struck, piece: Floe, budget: float) -> tuple[tuple[Struck, Crack] | None, int]:
        """The crack of a piece under its `own` contacts, with at most `budget` (J) of stored energy; searches that it took."""
        ice = sim.fracture.in_run(piece)
        if ice is None:
            return None, 0
        blow = own.blow(sim.bodies, piece)
        if not may_pay(piece, own.spots, ice.patch * math.sqrt(piece.area), ice, min(blow.energy, budget)):
            return None, 0
        given = self._terms(sim, own, piece, ice, blow, False) if serves(ice) else ()
        found, _ = self._crack(sim, Look(own, piece, ice, blow, (), given))
        if found is None:
            return None, 1
        energy, crack = found
        critical = crack.critical * math.sqrt(max(energy / budget, 1.0))
        return ((own, crack) if critical <= 1 else None), 1
