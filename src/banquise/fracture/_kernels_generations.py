"""What becomes of a floe that is struck, in one call: its crack, the two pieces, the crack of the piece that carries the contact.

Between two searches there is little to do, but Python does it slowly right after one: what it needs has left the caches.
"""

import math
from typing import NamedTuple

import numpy as np

from banquise.fracture._kernels_blow import load
from banquise.fracture._kernels_screen import PAYS, SAMPLES, shortest_from
from banquise.fracture._kernels_split import NEAR, cut_ring, distance, length
from banquise.fracture._kernels_whole import (
    CHORDS,
    CRACK_LENGTH,
    DOUBTFUL,
    FACTOR,
    FAILED,
    FOUND,
    GIVES,
    NONE,
    X0,
    X1,
    Y0,
    Y1,
    Quest,
    searched,
    yielding,
)
from banquise.jit import inner, kernel

# Times as much (or as little) as thicknesses alone tell, that one side of a contact may yield beside the other: a sharp corner
# yields more than a straight border, a small floe less under the patch of a large one. In a storm 0.09 to 8 in nine of ten.
UNLIKE = 10.0
NEAR_ONE = 0.1  # a factor as near to 1 asks for what the other sides yield on the finest mesh, too
HOPES = 1024  # chords
# columns of a fineness
NODES, EDGES, POINTS, HALVINGS, FEW_ENDS, DETAIL, FARTHER, SURE, NEVER, SURE_IN_DOUBT, NEVER_IN_DOUBT = range(11)
UNCUT = 3  # besides FAILED, NONE, FOUND and NOWHERE: there is a crack, but the plain way of cutting does not serve
CRITICAL, ENERGY, SURFACE, COLUMNS = 10, 11, 12, 13  # columns of a crack, after those of `searched`


class Ice(NamedTuple):
    """The law as given, of which every piece makes its own."""

    young: float  # Pa
    poisson: float
    toughness: float  # J/m2
    friction: float
    patch: float  # part of the square root of the area
    strength: float  # Pa, 0: no gate
    gate: float  # m
    least_energy: bool  # the rule
    min_piece: float  # part of the area
    min_size: float  # m, NaN: ten thicknesses
    min_width: float  # m, NaN: the least size


class Plate(NamedTuple):
    """A floe or a piece of one, and the least that may be cut off it."""

    corners: np.ndarray  # of all rings (m)
    first: np.ndarray  # where each ring begins
    moments: np.ndarray  # (6,) see `area_moments`, the first the area (m2)
    thickness: float  # m
    density: float  # kg/m3
    mass: float  # kg
    inertia: float  # kg m2
    x: float  # m, its centre
    y: float
    least: float  # part of the area
    width: float  # m


class Touch(NamedTuple):
    """All contacts of a floe at one instant; see `_kernels_blow.load`."""

    spots: np.ndarray  # (k, 4) place (m) and push
    impulses: np.ndarray  # (k, 2) N s along the push, and along the push turned left
    levers: np.ndarray  # (k, 2) of the others, in the frame of the floe
    others: np.ndarray  # (k,) rows of the other sides
    outlines: np.ndarray  # (k,) of them, rows of the columns of rings
    restitution: float
    angle: float  # of the floe


class Beside(NamedTuple):
    """Bodies as columns: the other sides of contacts among them."""

    n_free: int  # rows from here on are obstacles, which yield nothing
    thickness: np.ndarray  # m
    angle: np.ndarray
    inverse_mass: np.ndarray
    inverse_inertia: np.ndarray
    vertices: np.ndarray  # m, about the centre of each outline
    ring_start: np.ndarray
    body_ring: np.ndarray


@inner
def _taken(table, mine):
    """Rows of a table."""
    out = np.empty((mine.shape[0], table.shape[1]))
    for i in range(mine.shape[0]):
        for q in range(table.shape[1]):
            out[i, q] = table[mine[i], q]
    return out


@inner
def _share_by_thickness(plate, pattern, touch, beside, mine, times):
    """Part of the energy that the floe stores if compliances went as one over the thickness, its own times so much."""
    weights = there = 0.0
    for i in range(mine.shape[0]):
        weight, row = pattern[i, 0] * pattern[i, 0], touch.others[mine[i]]
        weights += weight
        if row < beside.n_free:
            there += weight * (plate.thickness / beside.thickness[row])
    return 1.0 / (1.0 + there / (times * weights)) if there > 0.0 else 1.0


@inner
def _placed(touch, beside, k):
    """Rings of the other side of contact k where it was, in the frame of the floe; and where they begin."""
    low, high = beside.body_ring[touch.outlines[k]], beside.body_ring[touch.outlines[k] + 1]
    begin = beside.ring_start[low]
    first, corners = np.empty(high - low + 1, np.int64), np.empty((beside.ring_start[high] - begin, 2))
    for r in range(first.shape[0]):
        first[r] = beside.ring_start[low + r] - begin
    turn = beside.angle[touch.others[k]] - touch.angle
    cos, sin = math.cos(turn), math.sin(turn)
    for i in range(corners.shape[0]):
        x, y = beside.vertices[begin + i, 0], beside.vertices[begin + i, 1]
        corners[i, 0] = x * cos - y * sin + (touch.spots[k, 0] - touch.levers[k, 0])
        corners[i, 1] = x * sin + y * cos + (touch.spots[k, 1] - touch.levers[k, 1])
    return corners, first


@inner
def _share_by_yield(plate, pattern, touch, beside, mine, ice, gives, fineness):
    """Part of the energy that the floe stores, by what each side yields; negative: no mesh."""
    own, there = gives / plate.thickness, 0.0
    for i in range(mine.shape[0]):
        k = mine[i]
        if touch.others[k] < beside.n_free:
            corners, first = _placed(touch, beside, k)
            border = 0.0
            for r in range(first.shape[0] - 1):
                border += length(corners[first[r] : first[r + 1]])
            spot = touch.spots[k : k + 1].copy()
            spot[0, 2], spot[0, 3] = -spot[0, 2], -spot[0, 3]
            # One patch serves both floes; on a much smaller partner it cannot be wider than its border allows.
            width = min(ice.patch * math.sqrt(plate.moments[0]), 0.25 * border)
            found = yielding(
                corners, first, spot, pattern[i : i + 1], width, ice.poisson, fineness[NODES], fineness[EDGES]
            )
            if found < 0.0:
                return -1.0
            there += found / beside.thickness[touch.others[k]]
    return own / (own + there)


@inner
def _crack(plate, spots, pattern, kinetic, touch, beside, mine, ice, finenesses, limit, crack):
    """The crack that pays first under the contacts `mine`, on a rough mesh first, on finer ones while that leaves a doubt.

    FAILED, NONE, FOUND or NOWHERE; where there is no crack up to `limit`, the energy is the most that may be stored. The other
    side only shares the energy: which crack pays first does not depend on how high the load goes. Compliances go as one over the
    thickness, and with shape; the other side is meshed only where that may decide.
    """
    squares = 0.0
    for i in range(mine.shape[0]):
        squares += pattern[i, 0] ** 2 + pattern[i, 1] ** 2
    if not kinetic > 1e-12 * squares / plate.mass:  # impulses cancel
        return FAILED
    width = ice.patch * math.sqrt(plate.moments[0])
    code, told, lowest, hopes = FAILED, -1.0, math.inf, np.empty(HOPES, np.bool_)
    crack[CHORDS] = 0.0
    for f in range(finenesses.shape[0]):
        fineness, last = finenesses[f], f + 1 == finenesses.shape[0]
        share = _share_by_thickness(plate, pattern, touch, beside, mine, 1.0)
        least = _share_by_thickness(plate, pattern, touch, beside, mine, 1.0 / UNLIKE)
        most = _share_by_thickness(plate, pattern, touch, beside, mine, UNLIKE)
        if told >= 0.0:  # by a rougher mesh: both sides are too stiff there, by nearly as much
            share = least = most = told
        quest = Quest(
            ice.young, ice.poisson, ice.toughness, ice.friction, plate.least, plate.width, ice.strength, ice.gate,
            ice.least_energy, fineness[NODES], fineness[EDGES], fineness[POINTS], int(fineness[HALVINGS]),
            fineness[FEW_ENDS] > 0.0, fineness[DETAIL], limit * math.sqrt(most) * fineness[FARTHER],
        )  # fmt: skip
        code = searched(
            plate.corners, plate.first, spots, pattern, plate.thickness, width, kinetic, quest, crack, hopes
        )
        doubtful = crack[DOUBTFUL] > 0.0
        sure = fineness[SURE_IN_DOUBT] if doubtful else fineness[SURE]
        refusal = fineness[NEVER_IN_DOUBT] if doubtful else fineness[NEVER]
        if code == FOUND:
            critical = crack[FACTOR] / math.sqrt(share)
            surely, hardly = crack[FACTOR] / math.sqrt(most), crack[FACTOR] / math.sqrt(least)
            open_ = surely < refusal and hardly > sure
            if told >= 0.0:
                open_ = last and abs(critical - 1.0) < NEAR_ONE
            if share < 1.0 and open_:
                found = _share_by_yield(plate, pattern, touch, beside, mine, ice, crack[GIVES], fineness)
                if found < 0.0 and told < 0.0 and not last:
                    code = FAILED
                    continue
                if found >= 0.0:  # else thicknesses must do
                    share, critical, told = found, crack[FACTOR] / math.sqrt(found), found
            crack[CRITICAL], crack[ENERGY] = critical, 0.5 * kinetic * share
        else:
            crack[CRITICAL], crack[ENERGY] = math.inf, 0.5 * kinetic * most
        # what a rough mesh cannot fill a fine one often can, and few ends may leave a floe that can just be halved without a
        # candidate
        lowest = min(lowest, crack[CRITICAL])
        settled = code == FOUND and (crack[CRITICAL] <= sure or lowest >= refusal)
        if settled or (code == NONE and (f == 0 or not doubtful)):  # found before, and lost on another mesh: a doubt
            break
    # from border to border of the floe itself; the meshed border leaves out small detail
    crack[CRACK_LENGTH] = math.hypot(crack[X1] - crack[X0], crack[Y1] - crack[Y0])
    crack[SURFACE] = ice.toughness * plate.thickness * crack[CRACK_LENGTH]
    return code


@inner
def _piece(ring, moments, density, span, ice):
    """A part of a flat floe: all as `Floe` has it, to the last bit."""
    area = moments[0]
    thickness = area * span / area
    mass, x, y = density * (area * span), density * (moments[1] * span), density * (moments[2] * span)
    xx, yy = density * (moments[3] * span), density * (moments[5] * span)
    dx, dy = x / mass, y / mass
    inertia = xx - 2.0 * dx * x + dx * dx * mass + (yy - 2.0 * dy * y + dy * dy * mass)
    size = 10.0 * thickness if math.isnan(ice.min_size) else ice.min_size
    least = max(ice.min_piece, size * size / area)
    width = size if math.isnan(ice.min_width) else ice.min_width
    first = np.zeros(2, np.int64)
    first[1] = ring.shape[0]
    return Plate(
        ring, first, moments, thickness, density, mass, inertia, ring[0, 0] + dx, ring[0, 1] + dy, least, width
    )


@inner
def _carried(pieces, which, spots, bears):
    """The contacts among those that are borne whose nearest piece is this one, the first of equals."""
    mine, count = np.empty(spots.shape[0], np.int64), 0
    for k in range(spots.shape[0]):
        if bears[k]:
            nearest, least = 0, math.inf
            for p in range(len(pieces)):
                away = distance(pieces[p].corners, spots[k, 0], spots[k, 1])
                if away < least:
                    nearest, least = p, away
            if nearest == which:
                mine[count] = k
                count += 1
    return mine[:count].copy()


@inner
def _worth(piece, own, pattern, kinetic, ice, budget):
    """Whether a search of a piece is worth it, with at most `budget` (J) of stored energy; see `screen.may_pay`."""
    if pattern.shape[0] == 0 or piece.least > 0.5:
        return False
    area = piece.moments[0]
    longest = min(0.5 * kinetic, budget) / (PAYS * ice.toughness * piece.thickness)
    reach = ice.patch * math.sqrt(area)
    return longest > shortest_from(
        piece.corners, own, reach, piece.least * area, piece.width, np.int64(SAMPLES), longest
    )


@inner
def _loaded(piece, touch, beside, mine):
    """The contacts `mine` on a piece: spots, pattern and twice their energy."""
    own, others = _taken(touch.spots, mine), np.empty_like(mine)
    for i in range(mine.shape[0]):
        others[i] = touch.others[mine[i]]
    pattern, kinetic = load(
        own, _taken(touch.impulses, mine), _taken(touch.levers, mine), others, touch.restitution, piece.x, piece.y,
        1.0 / piece.mass, 1.0 / piece.inertia, beside.inverse_mass, beside.inverse_inertia,
    )  # fmt: skip
    return own, pattern, kinetic


@inner
def _packed(pieces):
    """Corners of all pieces and where each begins; moments and densities."""
    begin = np.zeros(len(pieces) + 1, np.int64)
    for p in range(len(pieces)):
        begin[p + 1] = begin[p] + pieces[p].corners.shape[0]
    corners, moments, density = np.empty((begin[-1], 2)), np.empty((len(pieces), 6)), np.empty(len(pieces))
    for p in range(len(pieces)):
        density[p] = pieces[p].density
        for q in range(6):
            moments[p, q] = pieces[p].moments[q]
        for i in range(pieces[p].corners.shape[0]):
            for q in range(2):
                corners[begin[p] + i, q] = pieces[p].corners[i, q]
    return corners, begin, moments, density


@kernel
def fate(plate, touch, pattern, kinetic, beside, ice, finenesses, limit, span, generations):
    """The crack of a floe, and if it breaks by it the pieces, of which the one that carries the contact may break again.

    All cracks are taken to be payable. With no generations the floe is only searched.

    Parameters
    ----------
    plate : the floe; of one ring and of the thickness `span` (m) everywhere, if there are generations
    pattern, kinetic : see `searched`
    finenesses : (m, 9) in the order they are tried; limit : factor on the load beyond which nobody asks
    generations : how often in a row the piece with the contact may break

    Returns: what became of the first search (also UNCUT); searches; cracks (c, COLUMNS) in the order they open; which contacts
    load each (c, k); and corners, where they begin, moments and density of the pieces.
    """
    spots, contacts = touch.spots, touch.spots.shape[0]
    most = contacts * generations + 1
    cracks, bears = np.zeros((most, COLUMNS)), np.zeros((most, contacts), np.bool_)
    which, generation, budget = np.zeros(most, np.int64), np.ones(most, np.int64), np.empty(most)
    pieces = [plate]
    for k in range(contacts):
        bears[0, k] = True
    every = np.arange(contacts)
    code = _crack(plate, spots, pattern, kinetic, touch, beside, every, ice, finenesses, limit, cracks[0])
    searches, count, at = 1, 1, 0
    budget[0] = cracks[0, ENERGY]
    breaks = code == FOUND and generations > 0 and cracks[0, CRITICAL] <= 1.0
    while breaks and at < count:
        place, crack = which[at], cracks[at]
        whole = pieces[place]
        small, large, one, two = cut_ring(
            whole.corners, crack[X0], crack[Y0], crack[X1], crack[Y1], math.sqrt(whole.moments[0]), NEAR
        )
        if one.shape[0] == 0:
            code = UNCUT
            break
        # with all of its mass, to the last digits
        density = whole.density * (whole.mass / (whole.density * (one[0] * span) + whole.density * (two[0] * span)))
        pieces[place] = _piece(small, one, density, span, ice)
        pieces.insert(place + 1, _piece(large, two, density, span, ice))
        for q in range(at + 1, count):
            which[q] += which[q] > place
        left = budget[at] - crack[SURFACE]
        if left > 0.0 and generation[at] < generations:
            for p in range(place, place + 2):
                mine = _carried(pieces, p, spots, bears[at])
                own, pattern, kinetic = _loaded(pieces[p], touch, beside, mine)
                if not _worth(pieces[p], own, pattern, kinetic, ice, left):
                    continue
                next_crack = cracks[count]
                found = _crack(
                    pieces[p], own, pattern, kinetic, touch, beside, mine, ice, finenesses, limit, next_crack
                )
                searches += 1
                strain = math.sqrt(max(next_crack[ENERGY] / left, 1.0))  # no more is stored than what is left
                if found == FOUND and next_crack[CRITICAL] * strain <= 1.0:
                    which[count], budget[count], generation[count] = p, left, generation[at] + 1
                    for k in range(mine.shape[0]):
                        bears[count, mine[k]] = True
                    count += 1
        at += 1
    return code, searches, cracks[:count].copy(), bears[:count].copy(), _packed(pieces)
