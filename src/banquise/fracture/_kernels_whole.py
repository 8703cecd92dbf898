"""A whole search in one call: from the border of a floe and the impulses on it to the crack that pays first.

A run makes hundreds of searches; what lay between the kernels of `search` took as long as they did.
"""

import math
from typing import NamedTuple

import numpy as np

from banquise.fracture import _kernels_border, _kernels_mesh, _kernels_skyline
from banquise.fracture._kernels_ring import own_units, rounded
from banquise.fracture._kernels_search import (
    BEST,
    BEST_AT,
    BOUND,
    CRITICAL,
    FIRST,
    FIRST_AT,
    LENGTH,
    NO_CRACK,
    RELEASE,
    SKIPPED,
    SOLVED,
    STATUS,
    Aim,
    Sheet,
    look,
    refine,
)
from banquise.fracture._kernels_sheet import (
    frozen_inverse,
    mean_stiffness,
    meshed,
    meshed_border,
    relieved,
    spread_force,
    stresses,
    taken_stretches,
)
from banquise.jit import making_inner, plain_inner

FAILED, NONE, FOUND, NOWHERE = -1, 0, 1, 2  # no mesh; no crack that pays; a crack; not even a candidate
# Columns of what is found. DOUBTFUL: a rough mesh may be far off; CHORDS: how many are marked in `hopes`.
X0, Y0, X1, Y1, CRACK_LENGTH, FACTOR, GIVES, RELEASED, DOUBTFUL, CHORDS = range(10)
HOLD = 1e4  # stiffness that keeps a gripped ghost still, in units of Young's modulus * thickness
UNSTRUCK = 0.34  # of the edges on a patch, on a rough mesh, where cracks start elsewhere
KNOWN = 8  # cracks whose sides are kept for the next ones
FEW, FEW_FROM_CONTACT = (
    8,
    4,
)  # chords: with fewer on a rough mesh twice as many ends are tried, and what there are is soon opened
GAIN = 1.15  # by which moving its ends betters the best chord: from here on the ends were too few
HOPE, HOPE_ELSEWHERE = (
    1.25,
    1.35,
)  # times the best factor: what a chord may have on a rougher mesh, and be the best on a fine one


class Quest(NamedTuple):
    """Ice, and how finely and how far to look."""

    young: float  # Pa
    poisson: float
    toughness: float  # J/m2
    friction: float
    least: float  # part of the area
    width: float  # m
    strength: float  # Pa, 0: no gate
    gate: float  # m
    least_energy: bool  # the rule
    nodes: float
    patch_edges: float
    border_points: float
    halvings: int
    few_ends: bool
    detail: float  # nodes of the mesh whose border is taken: detail that is small beside its elements is left out
    limit: float  # factor on the load


@making_inner
def _scaled(corners, spots, x0, y0, unit):
    """Border and contacts in the floe's own units."""
    at, where = np.empty_like(corners), np.empty_like(spots)
    for i in range(corners.shape[0]):
        at[i, 0], at[i, 1] = rounded((corners[i, 0] - x0) / unit), rounded((corners[i, 1] - y0) / unit)
    for k in range(spots.shape[0]):
        where[k, 0], where[k, 1] = rounded((spots[k, 0] - x0) / unit), rounded((spots[k, 1] - y0) / unit)
        where[k, 2], where[k, 3] = spots[k, 2], spots[k, 3]
    return at, where


@making_inner
def yielding(corners, first, spots, pattern, width, poisson, nodes, patch_edges):
    """What a floe yields under its contacts (see `searched`), times Young's modulus and thickness; negative: no mesh."""
    x0, y0, unit = own_units(corners, first)
    at, where = _scaled(corners, spots, x0, y0, unit)
    rim, starts, lines, begin, wide = meshed_border(at, first, where, width / unit, nodes)
    points, elements, neighbours = meshed(rim, starts, lines, begin, wide, nodes, patch_edges)
    n = points.shape[0]
    if elements.shape[0] == 0:
        return -1.0
    area, _ = _kernels_mesh.areas(points, elements)
    for e in range(elements.shape[0]):
        if area[e] <= 0.0:
            return -1.0
    _, stiffness = _kernels_mesh.strains_and_stiffness(points, elements, area, poisson)
    modes, moments = _kernels_mesh.rigid(points, elements, area)
    low, _ = _kernels_skyline.lows(elements, n)
    load = np.zeros(2 * n)
    for k in range(spots.shape[0]):
        edges = _kernels_mesh.edges_on(points, elements, neighbours, lines[begin[k] : begin[k + 1]].copy())
        if edges.shape[0] == 0:
            return -1.0
        spread_force(points, elements, edges, pattern[k, 0], pattern[k, 1], spots[k, 2], spots[k, 3], load)
    stiff = mean_stiffness(stiffness, n)
    return relieved(elements, stiffness, low, modes, moments, stiff, load, np.empty(2 * n), np.empty(3))


@making_inner
def _loaded(
    points, elements, neighbours, area, size, whole, lines, begin, where, pattern, thickness, kinetic, unit, quest
):
    """Whether a meshed floe can be loaded by what strikes it along these lines; its sheet, and what it yields."""
    ne, n, contacts = elements.shape[0], points.shape[0], where.shape[0]
    good = True
    strain, stiffness = _kernels_mesh.strains_and_stiffness(points, elements, area, quest.poisson)
    modes, moments = _kernels_mesh.rigid(points, elements, area)
    low, high = _kernels_skyline.lows(elements, n)
    stiff = mean_stiffness(stiffness, n)
    load, shape, push = np.zeros(2 * n), np.zeros(2 * n), np.zeros(3)
    ways, both, grips = np.empty((contacts, 2)), np.empty(contacts, np.bool_), np.zeros((contacts, 2, 2))
    all_edges, owner = np.empty((ne + 1, 2), np.int64), np.empty(ne + 1, np.int64)
    count = 0
    for k in range(contacts):
        edges = _kernels_mesh.edges_on(points, elements, neighbours, lines[begin[k] : begin[k + 1]].copy())
        good = good and edges.shape[0] > 0 and count + edges.shape[0] <= ne
        if not good:
            break
        spread_force(points, elements, edges, pattern[k, 0], pattern[k, 1], where[k, 2], where[k, 3], load)
        ways[k, 0], ways[k, 1] = where[k, 2], where[k, 3]
        both[k] = pattern[k, 1] != 0.0
        for c in range(2):
            for d in range(2):
                grips[k, c, d] = (1.0 if c == d else 0.0) if both[k] else ways[k, c] * ways[k, d]
        for i in range(edges.shape[0]):
            all_edges[count, 0], all_edges[count, 1], owner[count] = edges[i, 0], edges[i, 1], k
            count += 1
    gives = relieved(elements, stiffness, low, modes, moments, stiff, load, shape, push) if good else -1.0
    G, drift, drift_energy = np.empty((0, 0)), np.empty((0, 3)), np.empty((0, 3))
    stress, grip = np.empty((ne, 3)), np.full((ne, 3), -1, np.int64)
    if gives > 0.0:
        scale = math.sqrt(kinetic / (gives * quest.young * thickness)) / unit
        for i in range(2 * n):
            shape[i] *= scale
        for z in range(3):
            push[z] *= scale
        held, held_ways = _kernels_mesh.frozen_components(
            elements, n, all_edges[:count].copy(), owner[:count].copy(), ways, both, grip
        )
        G, drift, drift_energy = frozen_inverse(elements, stiffness, low, high, modes, moments, stiff, held, held_ways)
        stresses(strain, elements, shape, quest.poisson, stress)
    sheet = Sheet(
        points, elements, neighbours, stiffness, area, size, stress, modes, moments, grip, grips, G,
        drift, drift_energy, push, True, whole, HOLD,
    )  # fmt: skip
    return G.shape[0] > 0, sheet, gives


@making_inner
def _hopeful(chords, hopes):
    """Those that are marked."""
    out, count = np.empty_like(chords), 0
    for c in range(chords.shape[0]):
        if hopes[c]:
            for q in range(chords.shape[1]):
                out[count, q] = chords[c, q]
            count += 1
    return out[:count].copy()


@plain_inner
def _in_question(note, most, aim):
    """Whether the chord of a note has a factor up to `most`, or may have."""
    if note[STATUS] == NO_CRACK:
        return True
    if note[STATUS] == SOLVED:
        return note[CRITICAL] <= most
    if not note[BOUND] < aim.energy:  # left out for those beside it
        return False
    return aim.price * note[LENGTH] <= most * most * note[BOUND]


@making_inner
def searched(corners, first, spots, pattern, thickness, width, kinetic, quest, found, hopes):
    """Search the crack of a floe: FAILED, NONE, FOUND or NOWHERE.

    Parameters
    ----------
    corners, first : rings of the floe (m); spots : (k, 4) place (m) and push (unit) of each contact; width : m, of its patch
    pattern : (k, 2) N s along the push and across it, of the compression; kinetic : J, twice the energy that they carry
    found : (10,) gets the ends of the crack (m), its length, the factor on the load, what the floe yields, the release (J),
        whether a rough mesh may be far off
    hopes : (n,) bool, chords that a search on a rougher mesh with the same border and ends has left in question, if CHORDS of
        them are told by `found`; the others are not opened. Gets those that this one leaves.
    """
    x0, y0, unit = own_units(corners, first)
    at, where = _scaled(corners, spots, x0, y0, unit)
    rim, starts, lines, begin, wide = meshed_border(at, first, where, width / unit, quest.detail)
    along, turn = _kernels_border.marks(rim, starts)
    taken = taken_stretches(rim, starts, along, turn, lines, begin, wide)
    step = 0.0
    for r in range(turn.shape[0]):
        step += turn[r]
    step /= quest.border_points
    _, _, across = own_units(rim, starts)
    least, wide_enough, no = quest.least * across * across, quest.width / unit, np.bool_(False)
    everywhere, few, parts = no, quest.few_ends, 1.0
    while True:
        ends = _kernels_border.ends(rim, starts, along, turn, taken, parts * quest.border_points, step / parts, few)
        sources = ends.shape[0] if everywhere else 2 * spots.shape[0]  # the first ends are those beside the patches
        chords = _kernels_border.chords(rim, starts, along, turn, ends, sources, least, wide_enough, no)
        if chords.shape[0] >= (FEW if everywhere else FEW_FROM_CONTACT):
            break
        if few:
            few, parts = no, 2.0
        elif chords.shape[0] > 0 or everywhere:
            break
        else:  # a contact in a corner so sharp that no chord from it cuts off enough
            everywhere, few, parts = not no, quest.few_ends, 1.0
    step /= parts
    found[DOUBTFUL] = 1.0 if everywhere or chords.shape[0] < FEW_FROM_CONTACT else 0.0
    marked = chords.shape[0] <= hopes.shape[0] and not quest.few_ends and not quest.least_energy
    if marked and found[CHORDS] == chords.shape[0]:
        chords = _hopeful(chords, hopes)
        marked = False
    found[CHORDS] = 0.0
    if chords.shape[0] == 0:  # told before the floe is meshed
        return NOWHERE
    edges = quest.patch_edges  # fewer where no crack will start beside a patch: nodes for the rest of the floe
    if quest.few_ends and everywhere:
        edges *= UNSTRUCK
    points, elements, neighbours = meshed(rim, starts, lines, begin, wide, quest.nodes, edges)
    area, size = _kernels_mesh.areas(points, elements)
    whole, thinnest = 0.0, math.inf
    for e in range(elements.shape[0]):
        whole += area[e]
        thinnest = min(thinnest, area[e])
    if not 0.0 < thinnest < math.inf:
        return FAILED
    good, sheet, gives = _loaded(
        points, elements, neighbours, area, size, whole, lines, begin, where, pattern, thickness, kinetic, unit, quest
    )
    found[GIVES] = gives
    if not good:
        return FAILED
    joule = quest.young * thickness * unit * unit
    aim = Aim(
        0.5 * kinetic / joule, quest.toughness * thickness * unit / joule, quest.friction, least, wide_enough,
        quest.strength / quest.young, quest.gate / unit, quest.least_energy, True, False,
    )  # fmt: skip
    best = np.empty(4)
    best[BEST] = math.inf if quest.least_energy else quest.limit
    best[FIRST] = quest.limit
    best[BEST_AT] = best[FIRST_AT] = -1.0
    n = sheet.nodes.shape[0]
    known = (np.empty((KNOWN, 3, 2 * n)), np.empty((KNOWN, 3, 2 * n)), np.zeros(1, np.int64))
    notes = np.empty((chords.shape[0], 6))
    look(sheet, chords, aim, best, known, np.int64(0), notes)
    none = best[FIRST_AT] < 0.0
    for c in range(chords.shape[0]):
        none = none and notes[c, STATUS] != SKIPPED
    if none and sources < ends.shape[0]:  # none of them goes through
        chords = _kernels_border.chords(rim, starts, along, turn, ends, ends.shape[0], least, wide_enough, no)
        notes = np.empty((chords.shape[0], 6))
        look(sheet, chords, aim, best, known, np.int64(0), notes)
    chosen = int(best[BEST_AT]) if best[BEST_AT] >= 0.0 else int(best[FIRST_AT])
    if chosen < 0:
        return NONE
    chord, note = chords[chosen], notes[chosen]
    before = note[CRITICAL]
    if marked:
        found[CHORDS] = chords.shape[0]
        for c in range(chords.shape[0]):
            hopes[c] = _in_question(notes[c], before * (HOPE_ELSEWHERE if everywhere else HOPE), aim)
    if best[BEST_AT] >= 0.0:
        spot = np.empty((2, 2))
        for q in range(2):
            spot[q, 0], spot[q, 1] = _kernels_border.nearest(chord[2 * q], chord[2 * q + 1], rim, starts, along)
        more, more_notes = np.empty((6 * quest.halvings, 5)), np.empty((6 * quest.halvings, 6))
        offset = chords.shape[0]
        refine(
            sheet, rim, starts, along, turn, taken, spot, 0.5 * step, quest.halvings, aim, best, known, offset, more,
            more_notes,
        )  # fmt: skip
        if best[BEST_AT] >= offset:
            chord, note = more[int(best[BEST_AT]) - offset], more_notes[int(best[BEST_AT]) - offset]
    if before > GAIN * note[CRITICAL]:
        found[DOUBTFUL] = 1.0
    if rim.shape[0] != at.shape[0]:
        _to_true_border(chord, at, first)
    for q in range(2):
        found[2 * q], found[2 * q + 1] = x0 + unit * chord[2 * q], y0 + unit * chord[2 * q + 1]
    found[CRACK_LENGTH], found[FACTOR], found[RELEASED] = note[LENGTH] * unit, note[CRITICAL], note[RELEASE] * joule
    return FOUND


@making_inner
def _to_true_border(chord, corners, first):
    """Move the ends of a chord along its line to the border of the floe itself: the meshed one leaves out small detail."""
    ax, ay = chord[0], chord[1]
    dx, dy = chord[2] - ax, chord[3] - ay
    long = math.hypot(dx, dy)
    along, turn = _kernels_border.marks(corners, first)
    for q in range(2):
        x, y = chord[2 * q], chord[2 * q + 1]
        ring, where = _kernels_border.nearest(x, y, corners, first, along)
        nx, ny = _kernels_border.place(ring, where, corners, first, along, turn)
        off = math.hypot(nx - x, ny - y)
        if off < 1e-9:
            continue
        best, t_best = 8.0 * off, math.nan  # an end that the line meets only far away goes to the nearest place
        for r in range(first.shape[0] - 1):
            j = first[r + 1] - 1
            for i in range(first[r], first[r + 1]):
                ex, ey = corners[i, 0] - corners[j, 0], corners[i, 1] - corners[j, 1]
                px, py = corners[j, 0] - ax, corners[j, 1] - ay
                j = i
                det = dx * ey - dy * ex
                if abs(det) < 1e-12 * long:
                    continue
                s, t = (px * dy - py * dx) / det, (px * ey - py * ex) / det
                if 0.0 <= s <= 1.0 and abs(t - q) * long < best:
                    best, t_best = abs(t - q) * long, t
        if math.isnan(t_best):
            chord[2 * q], chord[2 * q + 1] = nx, ny
        else:
            chord[2 * q], chord[2 * q + 1] = ax + t_best * dx, ay + t_best * dy
