"""Who touches whom in the plane: the detector that schemes call at every step.

It holds scratch memory, a neighbour list and what it saw last, never anything that changes an answer: it finds out by
itself how far bodies have come since it last saw them, so a step may be undone and done again in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import threads
from banquise.detection import _kernels_follow, _kernels_grid, _kernels_look, _kernels_overlap
from banquise.detection.broad_phase import PairState, empty_state, pairs_of_boxes, world_boxes
from banquise.detection.impact_time import impact_times
from banquise.detection.manifold import Contacts, contacts_of
from banquise.detection.scratch import Found, Memory, Scratch, make_found, make_scratch, refit_scratch
from banquise.detection.shapes import Shapes, reshaped, shapes_of
from banquise.jit import SameTypes
from banquise.scene.domain import Domain, Periodic

Array = NDArray[np.float64]
Index = NDArray[np.int32]

SKIN = 0.15  # part of the median size by which each body may come before the list is made anew
AGE = 8.0  # times its reach that a body may come before the list is made anew
AHEAD = 0.08  # part of the median size looked beyond the reach, so that the rows found serve again
GRAIN = 4000  # pairs a thread, at least


@dataclass(frozen=True)
class PairBounds:
    """Near pairs and how far apart they are.

    distance is exact (smallest signed distance) where `exact`, else a lower bound. Two bodies without a row here are
    farther apart than horizon[i] + horizon[j].
    """

    a: Index
    b: Index
    distance: Array
    exact: NDArray[np.bool_]
    horizon: Array


class Detector:
    """Contacts, distances and overlaps of a set of bodies that move.

    Parameters
    ----------
    bodies : their columns
    domain : None, `bq.Box` (its walls are obstacles, see `box_walls`) or `bq.Periodic`
    """

    def __init__(self, bodies: Any, domain: Domain = None):
        periodic = isinstance(domain, Periodic)
        self.period = np.zeros(2)
        self.bounds = (0.0, 0.0)
        if periodic:
            assert isinstance(domain, Periodic)
            self.period = np.array([domain.xmax - domain.xmin, domain.ymax - domain.ymin], dtype=float)
            self.bounds = (domain.xmin, domain.ymin)
        self._look_pairs = SameTypes(_kernels_look.look_pairs)
        self._look_overlaps = SameTypes(_kernels_overlap.look_overlaps)
        self.reset(bodies)

    def reset(self, bodies: Any, before: NDArray[np.int64] | None = None) -> None:
        """Forget everything and take up `bodies` (floes broken, rows sorted anew).

        before : row that each had so far, -1 for a new shape; None: all are new. What is known of pairs that stayed is kept.
        """
        former = None if before is None else self._carry(before)
        self.shapes: Shapes = shapes_of(bodies) if before is None else reshaped(self.shapes, bodies, before)
        self._columns = (bodies.vertices, bodies.ids)
        n = len(bodies.x)
        self.n_free = int(bodies.n_free)
        self.pose = np.stack([bodies.x, bodies.y, bodies.cos, bodies.sin], axis=1)
        self.wraps = np.zeros((n, 2), np.int64)
        self.path = np.zeros(n)  # how far any of its points may have come
        self.turned = np.zeros(n)  # by turning alone
        self._common = np.zeros(2)
        self.moved_at = np.zeros(n, np.int64)
        self.looks = 1  # pairs of a new list were last seen at look 0, which is not the one before any
        self._parts = 0
        self._last: tuple[Array, Array, float, int, int, list[Found]] | None = (
            None  # a look since which nothing has moved
        )
        self._still = np.zeros(n)
        self._moved = True  # anything, since the last look
        self._moved_unchecked = True  # since overlaps were last looked for
        self._rows_checked = False  # whether they were looked for where the rows were found, or later
        self._most = int(np.diff(self.shapes.body[:, 0]).max(initial=0))  # boxes over the runs of a body
        self.margin = np.full(n, -np.inf)  # covers nothing yet
        self.path_at_build = np.zeros(n)
        size = self.shapes.frame[: self.n_free, 5]
        self.scale = float(np.median(size)) if self.n_free else 1.0
        if former is None or before is None:
            self.pairs: Index = np.empty((0, 4), np.int32)
            self.state: PairState = empty_state(0)
            self.rebuilds = 0
            self._memory = Memory()
        else:
            new = np.flatnonzero(before < 0)
            # poses when they were last seen: what they have come since is still to be added to their paths
            for column, known in zip((self.path, self.turned, self.wraps, self.pose), former):
                fresh = column[new]
                known.take(before, axis=0, out=column, mode="clip")
                column[new] = fresh
        if before is None:
            self._scratch: dict[int, Scratch] = {}
            self._found: dict[tuple[int, int], Found] = {}  # room only: looks begin anew
            self._rows = 64
            self._overlap_room = 64
        else:
            refitted = {part: refit_scratch(scratch, self.shapes) for part, scratch in self._scratch.items()}
            self._scratch = {part: scratch for part, scratch in refitted.items() if scratch is not None}
        self._overlap_work: dict[int, tuple[Array, Array, NDArray[np.int64]]] = {}
        self._need = np.empty(n)

    def _carry(self, before: NDArray[np.int64]) -> tuple[Any, ...] | None:
        """Give the pairs the new rows of their bodies, for the next list to start from what is known of them; columns of all
        bodies so far.

        None where rows have changed their order: lists are sorted by them.
        """
        rows = np.flatnonzero(before >= 0)
        if (np.diff(before[rows]) <= 0).any():
            return None
        now = np.full(len(self.path), -1, np.int32)
        now[before[rows]] = rows
        one, other = now[self.pairs[:, 0]], now[self.pairs[:, 1]]
        # a pair of which one is gone stays where it was in the list, as a pair with nobody
        self.pairs[:, 0] = np.maximum.accumulate(now)[self.pairs[:, 0]]
        self.pairs[:, 1] = np.where(one >= 0, other, -1)
        return self.path, self.turned, self.wraps, self.pose

    def contacts(
        self, bodies: Any, zone: Array, travel: Array | None = None, memory: Contacts | None = None
    ) -> Contacts:
        """All contact points of all pairs with gap <= reach, reduced to those that matter.

        Parameters
        ----------
        zone : (n,) contact distance of each body (m); of a pair the smaller, against an obstacle the floe's own
        travel : (n,) how far any point of a body may move (m), added for both
        memory : contacts of the last step, for normals where two points are in one place
        """
        value, who, key = self.found(bodies, zone, travel)
        return contacts_of(value.copy(), who.copy(), key.copy(), self.shapes.frame[:, 4], memory)

    def found(self, bodies: Any, zone: Array, travel: Array | None = None, bounce: float = -1.0) -> Found:
        """The contacts as the kernel writes them, for the schemes' own kernels (columns as in `contacts_of`).

        They are views, good until the look after the next; whoever changes one must move one of its bodies.

        With `bounce` (a restitution) >= 0 the travel of bodies that may be struck on the way is first raised, in place, by
        what the impact may give them.
        """
        zone, travel = self._columns_of(zone, travel)
        self.follow(bodies, zone, travel)  # the list must be there for neighbours to be known
        if bounce >= 0.0:
            _kernels_follow.raise_travel(
                self.pairs, self.n_free, self.state.until, self.path, bodies.mass, bounce, travel.copy(), travel
            )
            self.cover(zone, travel)
        return _one(self.look(zone, travel, 0))

    def found_and_distances(self, bodies: Any, zone: Array, reach: Array) -> tuple[Found, Index, Array]:
        """The contacts with gap <= zone, and the near pairs with the distance of their borders, or a lower bound of it.

        The distance (m) is exact below zone + reach[a] + reach[b]; two bodies that are not listed are farther apart.
        Pairs are (p, 4): rows, images of b. All are views, good until the next look.
        """
        zone, reach = self._columns_of(zone, reach)
        self.follow(bodies, zone, reach)
        return _one(self.look(zone, reach, 2)), self.pairs, self.state.distance

    def pair_bounds(self, bodies: Any, reach: Array) -> PairBounds:
        """Near pairs with their exact smallest distance where it is below reach[a] + reach[b], else a lower bound.

        Parameters
        ----------
        reach : (n,) m
        """
        zone, travel = self._columns_of(np.zeros(len(self.path)), reach)
        self.follow(bodies, zone, travel)
        self.look(zone, travel, 1)
        horizon = self.margin - (self.path - self.path_at_build)
        a, b = np.ascontiguousarray(self.pairs[:, 0]), np.ascontiguousarray(self.pairs[:, 1])
        return PairBounds(a, b, self.state.distance.copy(), self.state.exact.copy(), horizon)

    def overlaps(self, bodies: Any, trust: bool = False) -> tuple[Index, Index, Array]:
        """All pairs that overlap now, as rows a, b and depth (m), by a routine apart from the contact code.

        With `trust`, pairs that were too far apart at the last look to have met since are not looked at again, and of those
        that were apart at the last call the edges that were near each other then.
        """
        self.follow(bodies)
        # who looks at contacts at each step need not hear how far apart they are
        self._checks = trust, trust and self._rows_checked, 0.0 if trust else AHEAD * self.scale
        found = threads.over_blocks(self._overlaps_of, len(self.pairs), GRAIN)
        self._moved_unchecked, self._rows_checked = False, True
        if not found:
            return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
        if len(found) == 1:
            return found[0]  # type: ignore[no-any-return]
        a, b, depth = zip(*found)
        return np.concatenate(a), np.concatenate(b), np.concatenate(depth)

    def _overlaps_of(self, first: int, last: int) -> tuple[Index, Index, Array]:
        """Those of the pairs first:last, as `overlaps` asks for them."""
        work = self._overlap_work.get(first)
        if work is None:
            work = self._overlap_work[first] = np.empty(5), np.empty(32), np.empty(self._most, np.int64)
        while True:
            room = self._overlap_room
            a, b, depth = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
            count = self._look_overlaps(
                first, last, self.pairs, self.shapes, self.pose, self.wraps, self.period, self.path, self.state,
                *self._checks, *work, a, b, depth,
            )  # fmt: skip
            if count <= room:
                return a[:count], b[:count], depth[:count]
            self._overlap_room = 2 * count

    def max_overlap(self, bodies: Any) -> tuple[float, int, int]:
        """Largest overlap depth (m) and its rows; (0.0, -1, -1) when nothing overlaps."""
        a, b, depth = self.overlaps(bodies)
        if not len(depth):
            return 0.0, -1, -1
        k = int(np.argmax(depth))
        return float(depth[k]), int(a[k]), int(b[k])

    def time_to_contact(
        self, bodies: Any, a: Any, b: Any, distance: Any, dt: float, shift: Array | None = None
    ) -> Array:
        """First time in [0, dt] (s) at which pairs of rows come within `distance` (m) at steady velocity and spin.

        Infinite when they do not; 0 when they are that near already. `shift`: image offset of b, by default the image
        whose centre is nearest.
        """
        a, b = np.asarray(a), np.asarray(b)
        if shift is None:
            shift = np.zeros((len(a), 2))
            for axis, x in enumerate((bodies.x, bodies.y)):
                if self.period[axis] > 0:
                    shift[:, axis] = -self.period[axis] * np.round((x[b] - x[a]) / self.period[axis])
        shift = np.ascontiguousarray(shift, dtype=float)
        return impact_times(self.shapes, bodies, a, b, shift, distance, dt, AHEAD * self.scale)

    def _columns_of(self, zone: Array, travel: Array | None) -> tuple[Array, Array]:
        """Both as writable columns (a read-only view would compile every kernel a second time), given ones as they are."""
        n = len(self.path)
        return _column(zone, n), np.zeros(n) if travel is None else _column(travel, n)

    def follow(self, bodies: Any, zone: Array | None = None, travel: Array | None = None) -> None:
        """Add how far each body has come since it was last seen to its path, and make the list anew unless it `cover`s a look
        with these (none: at what touches)."""
        if bodies.vertices is not self._columns[0] or bodies.ids is not self._columns[1]:
            self.reset(bodies)
        if zone is None or travel is None:
            zone = travel = self._still
        if threads.alone(len(self.path), 20000):
            moved, covers = _kernels_follow.follow(
                self.n_free, bodies.x, bodies.y, bodies.cos, bodies.sin, bodies.extent,
                self.period, self._common, self.looks, self.pose, self.wraps, self.path, self.turned, self.moved_at,
                self.path_at_build, zone, travel, self.margin, self._need,
            )  # fmt: skip
        else:
            moved, covers = self._follow_in_parts(bodies), False
        if moved:
            self._last = None
            self._moved_unchecked = self._moved = True
        if not covers:
            self.cover(zone, travel)

    def _follow_in_parts(self, bodies: Any) -> bool:
        """The same by all threads."""
        _kernels_follow.common_way(self.n_free, bodies.x, bodies.y, self.period, self.pose, self._common)

        def part(first: int, last: int) -> bool:
            return _kernels_follow.advance(  # type: ignore[no-any-return]
                first, last, bodies.x, bodies.y, bodies.cos, bodies.sin, bodies.extent,
                self.period, self._common, self.looks, self.pose, self.wraps, self.path, self.turned, self.moved_at,
            )  # fmt: skip

        return any(threads.over_blocks(part, len(self.path), 20000))

    def cover(self, zone: Array, travel: Array) -> None:
        """Make the list anew unless it holds every pair that a look with these would look at."""
        n, need = self.n_free, self._need
        if _kernels_follow.covers(self.path, self.path_at_build, zone, travel, n, self.margin, need):
            return
        # each its own: one fast floe shall not make the list anew for all
        self.margin = need + np.maximum(SKIN * self.scale, AGE * need)
        box = world_boxes(self.shapes, self.pose, self.margin, self._memory)
        side = self.rebuilds % 2
        pairs = pairs_of_boxes(box, n, self.period, self.bounds, self._memory, side)
        state = empty_state(len(pairs), self._memory, side)
        columns = (pairs, box, self.margin, self.period, self.path, self.wraps, self.pairs, self.state, state)
        threads.over_blocks(lambda i, j: _kernels_grid.start_values(i, j, *columns), len(pairs), 2 * GRAIN)
        self.pairs, self.state = pairs, state
        self.path_at_build = self.path.copy()
        self.rebuilds += 1

    def look(self, zone: Array, travel: Array, mode: int, ahead: float | None = None) -> list[Found]:
        """Run the narrow phase over the list; contacts in pair order, in one part a thread.

        zone, travel: columns as `_columns_of` makes them. Rows within the reach and `ahead` (m) more are remembered.
        """
        ahead = AHEAD * self.scale if ahead is None else ahead
        parts = threads.threads()
        if mode == 0 and self._last is not None and self._same_look(zone, travel, ahead, parts):
            return self._last[-1]
        self._last = None
        self._rows_checked = self._rows_checked and not self._moved_unchecked
        if mode != 1:
            self.looks += 1
            if self._parts != parts:  # other cuts: what the last look wrote lies elsewhere
                self.looks, self._parts = self.looks + 1, parts
        self._asked = zone, travel, ahead, mode
        found = threads.over_blocks(self._found_of, len(self.pairs), GRAIN)
        if mode == 0 and not self._moved:  # what moves now will have moved before the next look
            self._last = zone.copy(), travel.copy(), ahead, self.rebuilds, self._parts, found
        self._moved = False
        return found

    def _found_of(self, first: int, last: int) -> Found:
        """The contacts of the pairs first:last, as `look` asks for them."""
        zone, travel, ahead, mode = self._asked
        side = self.looks % 2
        while True:
            scratch = self._scratch.get(first)
            if scratch is None or len(scratch.rows) < self._rows:
                scratch = self._scratch[first] = make_scratch(self.shapes, self._rows)
            found = self._found.get((first, side)) or self._room(first, side, 256)
            before = self._found.get((first, 1 - side), found)
            count, need = self._look_pairs(
                first, last, self.pairs, self.shapes, self.pose, self.wraps, self.period, self.n_free,
                zone, travel, self.path, self.turned, self.moved_at, self.state, ahead, mode, self.looks, scratch, before, found,
            )  # fmt: skip
            if need:
                self._rows = max(self._rows, 2 * need)
            elif count > len(found.value):
                self._room(first, side, 2 * count)
            else:
                return Found(found.value[:count], found.who[:count], found.key[:count])

    def forget_look(self) -> None:
        """Look again next time, whether or not anything has moved."""
        self._last = None

    def _same_look(self, zone: Array, travel: Array, ahead: float, parts: int) -> bool:
        """Whether the last look was this one: the same reach, and nothing has moved since."""
        return (
            self._last is not None
            and self._last[2:5] == (ahead, self.rebuilds, parts)
            and bool((self._last[0] == zone).all())
            and bool((self._last[1] == travel).all())
        )

    def _room(self, part: int, side: int, n: int) -> Found:
        """Room for n contacts of a part; two sides, so that a look can take over from the one before."""
        found = self._found[part, side] = make_found(n)
        return found


def _column(given: Any, n: int) -> Array:
    if isinstance(given, np.ndarray) and given.shape == (n,) and given.dtype == float and given.flags.carray:
        return given
    return np.array(np.broadcast_to(np.asarray(given, dtype=float), n))


def _one(parts: list[Found]) -> Found:
    """The contacts found by all threads."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Found(np.empty((0, 9)), np.empty((0, 3), np.int32), np.empty(0, np.int64))
    return Found(*(np.concatenate(columns) for columns in zip(*parts)))
