"""Kernels of the cheap look at impacts: their energies, and the shortest chord that cuts off enough of a floe."""

import math

import numpy as np

from banquise.jit import checked_inner, njit

# stored energy over the surface of a crack, below which none paid on any floe we tried (least seen: 1.5)
PAYS = 1.2
SAMPLES = 160  # border points of the bound: it is below the true shortest chord by at most a border step


@njit(cache=True, nogil=True)
def sampled(ring, count):
    """Border points (k, 3) of a ring, its corners and `count` evenly spaced ones in order: x, y and the area swept so
    far (twice, about the first); and the step between those."""
    corners = len(ring)
    total = 0.0
    for i in range(corners):
        j = i + 1 if i + 1 < corners else 0
        total += math.hypot(ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1])
    step = total / count
    out = np.empty((corners + count, 3))
    found, spaced, along = 0, 1, 0.0
    for i in range(corners):
        j = i + 1 if i + 1 < corners else 0
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        long = math.hypot(ex, ey)
        out[found, 0], out[found, 1] = ring[i, 0], ring[i, 1]
        found += 1
        while spaced < count and spaced * step < along + long:
            part = (spaced * step - along) / long
            if part > 0.0:
                out[found, 0], out[found, 1] = ring[i, 0] + part * ex, ring[i, 1] + part * ey
                found += 1
            spaced += 1
        along += long
    swept = 0.0
    for k in range(found):
        if k > 0:
            ax, ay = out[k - 1, 0] - out[0, 0], out[k - 1, 1] - out[0, 1]
            bx, by = out[k, 0] - out[0, 0], out[k, 1] - out[0, 1]
            swept += ax * by - bx * ay
        out[k, 2] = swept
    return out[:found].copy(), step


@njit(cache=True, nogil=True)
def shortest_chord(at, least, width, step, enough):
    """Shortest of the chords between border points `at` (x, y, swept) that cut off the area `least`, and `width` for each unit of
    their length; or infinity. One shorter than `enough` is as good as the shortest.
    """
    n = len(at)
    whole = abs(0.5 * at[n - 1, 2])
    few = _too_few(least, step)
    shortest = math.inf
    for i in range(n):
        for j in range(i + few, min(i + n - few + 1, n)):
            length = (at[j, 0] - at[i, 0]) ** 2 + (at[j, 1] - at[i, 1]) ** 2
            if length >= shortest * shortest:
                continue
            length = math.sqrt(length)
            if _cuts_enough(at, i, j, whole, length, least, width, step):
                shortest = length
                if shortest < enough:
                    return shortest
    return shortest


@checked_inner
def _too_few(least, step):
    """Steps of the border, one at least, with fewer of which no chord cuts off `least` in the sense of `shortest_chord`.

    A line and a curve of length s enclose at most s^2 / (2 pi) (Dido), and the chord is at most as long as the curve.
    """
    need = 2.0 * math.pi * (least - 0.5 * step * step)
    half = 0.5 * math.pi * step
    return max(1, int((1.0 - 1e-9) * (math.sqrt(half * half + max(need, 0.0)) - half) / step))


@njit(cache=True, nogil=True)
def shortest_cuts(low, high, rows, vertices, ring_start, body_ring, least, width, count, out):
    """Length below which no chord cuts off `least` (m2), and `width` (m) for each unit of its length, of the plain floes
    rows[low] to rows[high]; see `screen`."""
    for k in range(low, high):
        ring = body_ring[rows[k]]
        at, step = sampled(vertices[ring_start[ring] : ring_start[ring + 1]], count)
        out[k] = max(0.0, shortest_chord(at, least[k], width[k], step, 0.0) - step)


@njit(cache=True, nogil=True)
def shortest_from(ring, spots, reach, least, width, count, enough):
    """The same of one ring, for chords with an end within `reach` of any of the spots; where none of these cuts off enough, for
    all, for then cracks from elsewhere are looked for. Any length below `enough` stands for those below it."""
    at, step = sampled(ring, count)
    enough += step
    shortest = math.inf
    for k in range(len(spots)):
        if shortest < enough:
            break
        found = _shortest_chord_from(at, spots[k, 0], spots[k, 1], reach + step, least, width, step, enough)
        shortest = min(shortest, found)
    if shortest == math.inf:
        shortest = shortest_chord(at, least, width, step, enough)
    return max(0.0, shortest - step)


@checked_inner
def _shortest_chord_from(at, x, y, reach, least, width, step, enough):
    """`shortest_chord` of chords with an end within `reach` of (x, y)."""
    n = len(at)
    whole = abs(0.5 * at[n - 1, 2])
    few = _too_few(least, step)
    shortest = math.inf
    for i in range(n):
        if math.hypot(at[i, 0] - x, at[i, 1] - y) > reach:
            continue
        for steps in range(few, n - few + 1):
            j = (i + steps) % n
            length = (at[j, 0] - at[i, 0]) ** 2 + (at[j, 1] - at[i, 1]) ** 2
            if length >= shortest * shortest:
                continue
            length = math.sqrt(length)
            if _cuts_enough(at, min(i, j), max(i, j), whole, length, least, width, step):
                shortest = length
                if shortest < enough:
                    return shortest
    return shortest


@checked_inner
def _cuts_enough(at, i, j, whole, length, least, width, step):
    """Whether the chord from point i to point j > i may cut off enough on its smaller side.

    Its ends may be off by half a step each: the area by half a step times the longer chord, the length by a step.
    """
    xi, yi = at[i, 0] - at[0, 0], at[i, 1] - at[0, 1]
    xj, yj = at[j, 0] - at[0, 0], at[j, 1] - at[0, 1]
    part = abs(0.5 * (at[j, 2] - at[i, 2] + xj * yi - xi * yj))
    return min(part, whole - part) >= max(least, width * (length - step)) - 0.5 * step * (length + step)


@njit(cache=True, nogil=True)
def strong_percussions(
    events, row_of, n_free, obstacle_ids, inverse_mass, inverse_inertia, material, restitution, least, when, speed, noted,
    out,
):  # fmt: skip
    """Floes struck hard enough for a crack: rows of `out` (row, event); how many.

    Impulses of one floe at one instant add up to at most (sum of J sqrt(W) / (1 + e))^2 / 2 of kinetic energy; `least`
    (J, by row) is what the shortest crack costs, NaN where it is not known yet (those are listed too). when, speed, noted
    are scratch by row: the instant and the sum so far, and the last instant listed.
    """
    count = 0
    for k in range(len(events)):
        if events[k, 1] != 0.0:
            continue
        a, b = int(events[k, 2]), int(events[k, 3])
        a = row_of[a]
        b = n_free + b - obstacle_ids if b >= obstacle_ids else row_of[b]
        if a < 0 or b < 0:
            continue
        nx, ny = events[k, 10], events[k, 11]
        wn = wt = 0.0
        for side in range(2):
            row = a if side == 0 else b
            lx, ly = events[k, 12 + 2 * side], events[k, 13 + 2 * side]
            cn, ct = lx * ny - ly * nx, lx * nx + ly * ny
            wn += inverse_mass[row] + cn * cn * inverse_inertia[row]
            wt += inverse_mass[row] + ct * ct * inverse_inertia[row]
        hit = events[k, 6] * math.sqrt(wn) + abs(events[k, 7]) * math.sqrt(wt)
        hit /= 1.0 + restitution[material[a], material[b]]
        for side in range(2):
            row = a if side == 0 else b
            if row >= n_free:
                continue
            if when[row] != events[k, 0]:
                when[row], speed[row] = events[k, 0], 0.0
            speed[row] += hit
            if 0.5 * speed[row] * speed[row] <= least[row] or noted[row] == when[row]:
                continue
            noted[row] = when[row]
            out[count, 0], out[count, 1] = row, k
            count += 1
    return count


@njit(cache=True, nogil=True)
def at_instant(
    events, time, number, faint, cos, sin, x, y, row_of, n_free, obstacle_ids, kind, material, restitution
):  # fmt: skip
    """Impacts of the floe with this number at one instant, but for those with less than `faint` of the strongest impulse.

    Their places among the events; places and pushes (k, 4); impulses (k, 2); levers of the others (k, 2) and their rows; the
    largest restitution. All in the frame in which the floe is turned back by the angle of (cos, sin) and has its centre at
    (x, y). `kind` is the floe's material.
    """
    most, count = 0.0, 0
    which = np.empty(len(events), np.int64)
    for k in range(len(events)):
        if events[k, 0] == time and events[k, 1] == 0.0 and (events[k, 2] == number or events[k, 3] == number):
            most = max(most, events[k, 6])
            which[count] = k
            count += 1
    strong = 0
    for k in range(count):
        if events[which[k], 6] > faint * most:
            which[strong] = which[k]
            strong += 1
    spots, impulses, levers = np.empty((strong, 4)), np.empty((strong, 2)), np.empty((strong, 2))
    others = np.empty(strong, np.int64)
    largest = 0.0
    for k in range(strong):
        e = events[which[k]]
        first = e[2] == number
        own, other, way = (12, 14, -1.0) if first else (14, 12, 1.0)
        px, py = way * e[10], way * e[11]
        spots[k, 0] = x + (cos * e[own] + sin * e[own + 1])
        spots[k, 1] = y + (cos * e[own + 1] - sin * e[own])
        spots[k, 2], spots[k, 3] = cos * px + sin * py, cos * py - sin * px
        levers[k, 0] = cos * e[other] + sin * e[other + 1]
        levers[k, 1] = cos * e[other + 1] - sin * e[other]
        impulses[k, 0], impulses[k, 1] = e[6], e[7]
        partner = int(e[3] if first else e[2])
        others[k] = n_free + partner - obstacle_ids if partner >= obstacle_ids else row_of[partner]
        bounce = restitution[kind, material[others[k]]]
        if bounce > largest:
            largest = bounce
    return which[:strong].copy(), spots, impulses, levers, others, largest
