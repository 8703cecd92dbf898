"""Kernels of a search: candidate cracks cut, opened and weighed one after the other, and the best one refined."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.fracture._kernels import cut_mesh
from banquise.fracture._kernels_border import (
    beside_patch,
    most_cut_off,
    on_patch,
    opposite,
    place,
    runs_inside,
    swept_from,
)
from banquise.fracture._kernels_lips import open_cut
from banquise.jit import making_inner, making_kernel, plain_inner

SLOWLY = 1.5  # factor by which the release of a chord exceeds those of the chords on both sides of it, at most
SPARED = 5e-3  # of the area: a cut through elements, whose nodes are kept off it, cuts off no more than that besides
NO_CRACK, SKIPPED, SOLVED = 0, 1, 2  # what became of a candidate
STATUS, LENGTH, SEPARATES, RELEASE, BOUND, CRITICAL = range(6)  # columns of what is noted of it
BEST, FIRST, BEST_AT, FIRST_AT = range(4)  # scores so far, and the candidates that have them


class Sheet(NamedTuple):
    """A loaded floe ready to be cut: see `Mesh`, `Body` and `Loaded`."""

    nodes: NDArray[np.float64]
    elements: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    stiffness: NDArray[np.float64]
    area: NDArray[np.float64]
    size: NDArray[np.float64]
    stress: NDArray[np.float64]
    modes: NDArray[np.float64]
    moments: NDArray[np.float64]
    grip: NDArray[np.int64]
    grips: NDArray[np.float64]
    inverse: NDArray[np.float64]
    drift: NDArray[np.float64]
    drift_energy: NDArray[np.float64]
    push: NDArray[np.float64]
    frozen: bool  # whether mean motions are
    whole: float  # area
    hold: float  # stiffness that keeps a gripped ghost still


class Aim(NamedTuple):
    """What a crack must do to win. Energies in the units of the body; prices and strengths too."""

    energy: float  # stored
    price: float  # of a unit of crack
    friction: float
    least: float  # area to be cut off
    width: float  # of what is cut off: area over the length of the crack
    strength: float  # 0: no gate
    reach: float  # over which the gate looks
    least_energy: bool  # the rule
    skip: bool  # candidates that cannot win
    arrested: bool


def known_sides(unknowns: int, room: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Room for the sides of some cracks, see `open_cut`."""
    return np.empty((room, 3, unknowns)), np.empty((room, 3, unknowns)), np.zeros(1, np.int64)


@plain_inner
def _enough(length, aim, best):
    """Release below which a crack of that length cannot beat the best so far."""
    if not aim.skip:
        return -1.0
    if best[BEST] == math.inf:
        if best[FIRST] == math.inf:
            return 0.0
        return aim.price * length / best[FIRST] ** 2 if best[FIRST] > 1.0 else aim.price * length
    if aim.least_energy:
        return aim.price * length - best[BEST]
    return aim.price * length / best[BEST] ** 2


@plain_inner
def _mean_pull(stretch, pressure, low, high):
    """Mean normal tension of the uncracked state over a stretch of the chord."""
    total = 0.0
    for k in range(stretch.shape[0]):
        a, b = stretch[k, 0], stretch[k, 1]
        total -= pressure[k] * max(min(b, high) - max(a, low), 0.0) / max(b - a, 1e-12)
    return total / (high - low)


@plain_inner
def _critical(length, release, stretch, pressure, aim):
    """Factor on the load at which a crack first pays, and reaches the strength if there is a gate."""
    if release <= 0.0:
        return math.inf
    energy = math.sqrt(aim.price * length / release)
    if aim.strength <= 0.0:
        return energy
    reach = min(aim.reach, length)
    tension = max(_mean_pull(stretch, pressure, 0.0, reach), _mean_pull(stretch, pressure, length - reach, length))
    return max(energy, aim.strength / tension) if tension > 0.0 else math.inf


@plain_inner
def _on_border(elements, neighbours, i, j):
    """Whether the edge between two nodes is of the border."""
    for e in range(elements.shape[0]):
        for k in range(3):
            a, b = elements[e, k], elements[e, (k + 1) % 3]
            if neighbours[e, k] < 0 and ((a == i and b == j) or (a == j and b == i)):
                return True
    return False


@making_inner
def _weigh(sheet, chord, aim, best, known, at, note):
    """Cut and open one chord (x0, y0, x1, y1, whether its end is a tip) and note what came of it."""
    for q in range(note.shape[0]):
        note[q] = 0.0
    start, end = chord[0:2], chord[2:4]
    tip = chord[4] != 0.0
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    note[LENGTH], note[RELEASE], note[BOUND], note[CRITICAL] = length, math.nan, aim.energy, math.inf
    if not aim.energy > _enough(length, aim, best):
        note[STATUS] = NO_CRACK if tip else SKIPPED
        return
    ghosts, separates, plus, touched, D, B, QA, QP, lip, weight, way, pressure, stretch, t = cut_mesh(
        sheet.nodes, sheet.elements, sheet.neighbours, sheet.stiffness, sheet.area, sheet.size, sheet.stress, sheet.modes,
        sheet.grip, sheet.grips, sheet.hold, start, end, tip,
    )  # fmt: skip
    if ghosts == 0 or (not tip and not separates and not aim.arrested):
        return
    if separates and min(plus, sheet.whole - plus) < max(aim.least, aim.width * length):
        return
    if tip:
        # a tip lies on the next element edge: where that is the border, the crack has gone through, and is no candidate here
        if _on_border(sheet.elements, sheet.neighbours, touched[touched.shape[0] - 2], touched[touched.shape[0] - 1]):
            return
        length = 0.0
        for k in range(stretch.shape[0]):
            length = max(length, stretch[k, 1])
    release, frictionless, free, _, _ = open_cut(
        sheet.inverse, sheet.drift, sheet.drift_energy, sheet.push, sheet.moments, sheet.frozen,
        touched, D, B, QA, QP, lip, weight, way, pressure, t, separates, known, aim.friction,
        _enough(length, aim, best),
    )  # fmt: skip
    note[LENGTH], note[SEPARATES], note[BOUND] = length, 1.0 if separates else 0.0, free
    if frictionless == 0.0 and free > 0.0:
        note[STATUS] = SKIPPED
        return
    note[STATUS], note[RELEASE] = SOLVED, release
    critical = _critical(length, release, stretch, pressure, aim)
    note[CRITICAL] = critical
    if critical < best[FIRST]:
        best[FIRST], best[FIRST_AT] = critical, at
    score = critical
    if aim.least_energy:
        score = aim.price * length - release if critical <= 1.0 else math.inf
    if score < best[BEST]:
        best[BEST], best[BEST_AT] = score, at


@plain_inner
def _beside(chords, angle, weighed, c):
    """Chords from the same start next to chord c on either side, of those that were weighed; -1 where there is none."""
    left, right = -1, -1
    for d in range(chords.shape[0]):
        if not weighed[d] or chords[d, 0] != chords[c, 0] or chords[d, 1] != chords[c, 1]:
            continue
        if angle[d] < angle[c]:
            if left < 0 or angle[d] > angle[left]:
                left = d
        elif right < 0 or angle[d] < angle[right]:
            right = d
    return left, right


@plain_inner
def _ranks(chords, angle, rank):
    """Place of each chord among those from the same start, by angle; the last one of a start is noted as a multiple of 4."""
    n = chords.shape[0]
    for c in range(n):
        angle[c] = math.atan2(chords[c, 3] - chords[c, 1], chords[c, 2] - chords[c, 0])
    for c in range(n):
        before = after = 0
        for d in range(n):
            if d != c and chords[d, 0] == chords[c, 0] and chords[d, 1] == chords[c, 1]:
                if angle[d] < angle[c] or (angle[d] == angle[c] and d < c):
                    before += 1
                else:
                    after += 1
        rank[c] = before if after > 0 else 4 * ((before + 3) // 4)


@plain_inner
def _bounded(note, aim):
    """Whether the release with free lips is known."""
    return note[STATUS] == SOLVED or (note[STATUS] == SKIPPED and note[BOUND] < aim.energy)


@making_kernel
def look(sheet, chords, aim, best, known, offset, notes):
    """Weigh candidates (k, 5) in their order; `notes` (k, 6) and `best` (4,) are written, candidates counted from `offset`.

    Of the chords from one start every fourth one first, then those amid two of them, then the rest. Releases change slowly from
    one to the next: one in between is left out where SLOWLY times (for each step to the farther of them) those on both sides of
    it, even with free lips, could not win.
    """
    n = chords.shape[0]
    weighed = np.zeros(n, np.bool_)
    angle, rank = np.zeros(n), np.zeros(n, np.int64)
    if aim.skip and not aim.arrested:
        _ranks(chords, angle, rank)
    for c in range(n):
        if rank[c] % 4 == 0:
            _weigh(sheet, chords[c], aim, best, known, offset + c, notes[c])
            weighed[c] = True
    for turn in range(2):
        for c in range(n):
            if weighed[c] or (turn == 0 and rank[c] % 4 != 2):
                continue
            left, right = _beside(chords, angle, weighed, c)
            if left >= 0 and right >= 0 and _bounded(notes[left], aim) and _bounded(notes[right], aim):
                length = math.hypot(chords[c, 2] - chords[c, 0], chords[c, 3] - chords[c, 1])
                steps = min(max(rank[c] - rank[left], rank[right] - rank[c]), 3)
                most = max(notes[left, BOUND], notes[right, BOUND])
                for _ in range(steps):
                    most *= SLOWLY
                if most <= _enough(length, aim, best):
                    notes[c, STATUS], notes[c, LENGTH], notes[c, SEPARATES] = SKIPPED, length, 0.0
                    notes[c, RELEASE], notes[c, BOUND], notes[c, CRITICAL] = math.nan, aim.energy, math.inf
                    continue
            _weigh(sheet, chords[c], aim, best, known, offset + c, notes[c])
            weighed[c] = True


@making_kernel
def refine(sheet, corners, first, along, turn, taken, spots, step, halvings, aim, best, known, offset, chords, notes):
    """Pattern search on the two ends `spots` (2, 2: ring, distance) of the best crack along the border; chords tried.

    A crack that begins at no contact is turned first, its pieces as large as before: where a floe can just be halved, neither
    end moves alone.
    """
    tried = 0
    turns = spots[0, 0] == 0.0 and spots[1, 0] == 0.0 and not beside_patch(spots, taken, turn)
    for _ in range(halvings):
        for move in range(0 if turns else 1, 3):
            which = 1 if move == 1 else 0
            for way in (-1.0, 1.0):
                ring, old, other = int(spots[which, 0]), spots[which, 1], spots[1, 1]
                new = old + way * step
                if on_patch(ring, new, taken, turn):
                    continue
                if move == 0:
                    part = swept_from(spots, corners, first, along, turn)
                    spots[1, 1] = opposite(new, part, corners, first, along, turn)
                    if on_patch(0, spots[1, 1], taken, turn):
                        spots[1, 1] = other
                        continue
                spots[which, 1] = new
                for q in range(2):
                    x, y = place(int(spots[q, 0]), spots[q, 1], corners, first, along, turn)
                    chords[tried, 2 * q], chords[tried, 2 * q + 1] = x, y
                chords[tried, 4] = 0.0
                ax, ay, bx, by = chords[tried, 0], chords[tried, 1], chords[tried, 2], chords[tried, 3]
                better, length = False, math.hypot(bx - ax, by - ay)
                enough = max(aim.least, aim.width * length) - SPARED * sheet.whole
                narrow = ring == 0 and most_cut_off(spots, corners, first, along, turn) < enough
                if length > 1e-6 and not narrow and runs_inside(ax, ay, bx, by, corners, first):
                    _weigh(sheet, chords[tried], aim, best, known, offset + tried, notes[tried])
                    better = best[BEST_AT] == offset + tried
                    tried += 1
                if better:
                    break
                spots[which, 1] = old
                if move == 0:
                    spots[1, 1] = other
        step *= 0.5
    return tried
