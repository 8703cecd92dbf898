"""Kernels of the border as ends of cracks: places along it, chords between them that run through the ice.

A border is the corners (c, 2) of its rings one after the other, ring r from first[r] to first[r + 1]; a place on it is a ring
and a distance along it. `taken` (k, 3) are ring, begin and end of the stretches where no crack may end: the contact patches.
"""

import math

import numpy as np

from banquise.fracture._kernels_points import inside
from banquise.jit import making_inner, making_kernel, plain_inner, plain_kernel

TOUCH = 1e-7  # of the floe's size: ends of chords are on the border only to rounding
SPARE = 1e-3  # of the area: a cut through elements, whose nodes are kept off it, may take as much away


@plain_inner
def _after(i, r, first):
    return i + 1 if i + 1 < first[r + 1] else first[r]


@making_kernel
def marks(corners, first):
    """Distance of each corner along its ring, and the length of each ring."""
    along = np.empty(corners.shape[0])
    turn = np.empty(first.shape[0] - 1)
    for r in range(first.shape[0] - 1):
        total = 0.0
        for i in range(first[r], first[r + 1]):
            j = _after(i, r, first)
            along[i] = total
            total += math.hypot(corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1])
        turn[r] = total
    return along, turn


@plain_kernel
def nearest(x, y, corners, first, along):
    """Ring and distance along it of the border place nearest to (x, y)."""
    best, ring, where = math.inf, 0, 0.0
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = _after(i, r, first)
            ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
            long = math.hypot(ex, ey)
            part = ((x - corners[i, 0]) * ex + (y - corners[i, 1]) * ey) / (long * long)
            part = min(max(part, 0.0), 1.0)
            away = math.hypot(corners[i, 0] + part * ex - x, corners[i, 1] + part * ey - y)
            if away < best:
                best, ring, where = away, r, along[i] + part * long
    return ring, where


@plain_inner
def edge_at(ring, s, first, along, turn):
    """Corner before the place `s` along a ring, and how far beyond it; s may be past the ring's end."""
    s = s % turn[ring]
    low, high = first[ring], first[ring + 1] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if along[middle] <= s:
            low = middle
        else:
            high = middle - 1
    return low, s - along[low]


@plain_inner
def place(ring, s, corners, first, along, turn):
    """(x, y) of a place on the border."""
    i, beyond = edge_at(ring, s, first, along, turn)
    j = _after(i, ring, first)
    ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
    part = beyond / math.hypot(ex, ey)
    return corners[i, 0] + part * ex, corners[i, 1] + part * ey


@plain_inner
def on_patch(ring, s, taken, turn):
    """Whether a place lies on a patch; a start just beside the patch is off it."""
    slack = 1e-9 * turn[ring]
    for k in range(taken.shape[0]):
        if int(taken[k, 0]) == ring:
            beyond = (s - taken[k, 1]) % turn[ring]
            if beyond > slack and beyond < taken[k, 2] - taken[k, 1] - slack:
                return True
    return False


@plain_inner
def beside_patch(spots, taken, turn):
    """Whether one of two places (2, 2) is next to a patch, where cracks begin."""
    for q in range(2):
        ring = int(spots[q, 0])
        for k in range(taken.shape[0]):
            if int(taken[k, 0]) == ring:
                near = 1e-6 * turn[ring]
                for end in range(1, 3):
                    away = (spots[q, 1] - taken[k, end] + near) % turn[ring]
                    if away < 2.0 * near:
                        return True
    return False


@making_kernel
def runs_inside(ax, ay, bx, by, corners, first):
    """Whether a chord stays in the ice (it may touch a corner): the middle of each part between two meetings is tested."""
    dx, dy = bx - ax, by - ay
    long = math.hypot(dx, dy)
    near = TOUCH * long
    met = np.empty(corners.shape[0] + 2)  # in their order along the chord
    met[0], met[1] = 0.0, 1.0
    count = 2
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = _after(i, r, first)
            px, py = corners[i, 0] - ax, corners[i, 1] - ay
            off, beyond = py * dx - px * dy, (corners[j, 1] - ay) * dx - (corners[j, 0] - ax) * dy
            if min(off, beyond) > near or max(off, beyond) < -near:
                continue
            ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
            det = dx * ey - dy * ex
            size = math.hypot(ex, ey)
            if abs(det) < 1e-12 * long * size:
                continue
            s = -off / det
            t = (px * ey - py * ex) / det
            if -TOUCH / size <= s <= 1.0 + TOUCH / size and 0.0 < t < 1.0:
                k = count
                while met[k - 1] > t:
                    met[k] = met[k - 1]
                    k -= 1
                met[k] = t
                count += 1
    for k in range(count - 1):
        if (met[k + 1] - met[k]) * long > 10.0 * TOUCH:
            t = 0.5 * (met[k] + met[k + 1])
            if not inside(ax + t * dx, ay + t * dy, corners, first):
                return False
    return True


@plain_inner
def _stands_out(corners, first, ring, k):
    """Whether the border turns left at corner k of a ring."""
    own = first[ring + 1] - first[ring]
    h, i, j = first[ring] + (k - 1) % own, first[ring] + k, first[ring] + (k + 1) % own
    ax, ay = corners[i, 0] - corners[h, 0], corners[i, 1] - corners[h, 1]
    bx, by = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
    return ax * by - ay * bx >= 0.0


@making_kernel
def ends(corners, first, along, turn, taken, count, step, few):
    """(k, 2) ring and distance of ends of cracks: beside the patches (2 a patch), corners, and `count` spaced ones; none on a
    patch, none next to one already there. With `few`, corners that stand out count no more than places between them: cracks
    end at them by chance only, whereas those that come in are near."""
    room = 2 * taken.shape[0] + corners.shape[0] + int(count) + 4 * turn.shape[0]
    out = np.empty((room, 2))
    found = 0
    for k in range(taken.shape[0]):
        for q in range(1, 3):
            ring = int(taken[k, 0])
            out[found, 0], out[found, 1] = taken[k, 0], taken[k, q] % turn[ring]
            found += 1
    for ring in range(turn.shape[0]):
        parts = max(1, int(round(turn[ring] / step)))
        own = first[ring + 1] - first[ring]
        for k in range(own + parts):
            corner = k < own
            s = along[first[ring] + k] if corner else (k - own + 0.5) * turn[ring] / parts
            away = (0.25 if corner else 0.5) * step
            if few and not corner:
                away = 0.7 * step
            elif few and _stands_out(corners, first, ring, k):
                away = 0.9 * step
            free = not on_patch(ring, s, taken, turn)
            for q in range(found):
                if int(out[q, 0]) == ring:
                    gap = abs(out[q, 1] - s)
                    free = free and min(gap, turn[ring] - gap) > away
            if free and found < room:
                out[found, 0], out[found, 1] = ring, s
                found += 1
    return out[:found].copy()


@making_inner
def _swept(corners, first, along, turn, spots, at):
    """Cross products summed along each ring up to each place."""
    out = np.empty(spots.shape[0])
    summed = np.zeros(corners.shape[0])
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1] - 1):
            summed[i + 1] = summed[i] + corners[i, 0] * corners[i + 1, 1] - corners[i, 1] * corners[i + 1, 0]
    for k in range(spots.shape[0]):
        i, _ = edge_at(int(spots[k, 0]), spots[k, 1], first, along, turn)
        out[k] = summed[i] + corners[i, 0] * at[k, 1] - corners[i, 1] * at[k, 0]
    return out


@plain_kernel
def most_cut_off(spots, corners, first, along, turn):
    """Area on the smaller side of the chord between two places (2, 2) on the outer ring, with all holes as ice."""
    a, b = spots[0, 1] % turn[0], spots[1, 1] % turn[0]
    a, b = min(a, b), max(a, b)
    ax, ay = place(0, a, corners, first, along, turn)
    bx, by = place(0, b, corners, first, along, turn)
    i, _ = edge_at(0, a, first, along, turn)
    j, _ = edge_at(0, b, first, along, turn)
    part, whole, x, y = bx * ay - by * ax, 0.0, ax, ay
    for k in range(first[1]):
        cross = corners[k, 0] * corners[_after(k, 0, first), 1] - corners[k, 1] * corners[_after(k, 0, first), 0]
        whole += 0.5 * cross
        if i < k <= j:  # a corner between the two
            part += x * corners[k, 1] - y * corners[k, 0]
            x, y = corners[k, 0], corners[k, 1]
    part = 0.5 * (part + x * by - y * bx)
    return min(part, whole - part)


@plain_inner
def swept_from(spots, corners, first, along, turn):
    """Area between the outer ring from the first to the second of two places (2, 2) on it, and the chord back."""
    a, b = spots[0, 1] % turn[0], spots[1, 1] % turn[0]
    ax, ay = place(0, a, corners, first, along, turn)
    bx, by = place(0, b, corners, first, along, turn)
    i, _ = edge_at(0, a, first, along, turn)
    j, _ = edge_at(0, b, first, along, turn)
    n = first[1]
    steps = j - i + (n if j < i or (j == i and b < a) else 0)
    total, x, y = 0.0, 0.0, 0.0
    for q in range(1, steps + 1):
        k = (i + q) % n
        u, v = corners[k, 0] - ax, corners[k, 1] - ay
        total += 0.5 * (x * v - y * u)
        x, y = u, v
    return total + 0.5 * (x * (by - ay) - y * (bx - ax))


@plain_inner
def opposite(s, part, corners, first, along, turn):
    """Where the chord from the place s of the outer ring ends that leaves that area between itself and the ring after s."""
    x, y = place(0, s, corners, first, along, turn)
    i, _ = edge_at(0, s, first, along, turn)
    n, total = first[1], 0.0
    for q in range(1, n):
        k, m = (i + q) % n, (i + q + 1) % n
        more = 0.5 * ((corners[k, 0] - x) * (corners[m, 1] - y) - (corners[k, 1] - y) * (corners[m, 0] - x))
        if total + more >= part:
            long = math.hypot(corners[m, 0] - corners[k, 0], corners[m, 1] - corners[k, 1])
            return along[k] + long * min(max((part - total) / more, 0.0), 1.0)
        total += more
    return s


@plain_inner
def _spare(part, whole, length, least, width):
    """How much more than it must a chord of this length cuts off on its smaller side, if `part` is on one side of it."""
    return min(part, whole - part) - max(least, width * length)


@plain_inner
def _spare_at(f, ix, iy, jx, jy, swept, part, whole, least, width):
    """`_spare` of the chord to the part f of an edge that goes from (ix, iy) to (jx, jy) as seen from the chord's start."""
    x, y = ix + f * (jx - ix), iy + f * (jy - iy)
    length = math.sqrt(x * x + y * y)  # asked hundreds of times: a third of the time of `hypot`
    return _spare(swept + f * part, whole, length, least, width)


@making_inner
def _least_cuts(x, y, s, corners, first, along, least, width, whole, out, count):
    """Add to `out` the chords from the place (x, y), at s along the outer ring, that cut off just enough; how many there are
    then.

    Where little less than half of a floe may be cut off, few of the spaced ends do, or none. The area swept from a fixed start
    grows in proportion along an edge; before and after half of the whole there is one such chord at most on it.
    """
    spare = min(SPARE, 0.25 * (whole - 2.0 * least))
    n, before = first[1], 0
    while before + 1 < n and along[before + 1] <= s:
        before += 1
    swept = 0.0
    for q in range(1, n):
        i, j = (before + q) % n, (before + q + 1) % n
        ix, iy, jx, jy = corners[i, 0] - x, corners[i, 1] - y, corners[j, 0] - x, corners[j, 1] - y
        part = 0.5 * (ix * jy - iy * jx)
        half = min(max((0.5 * whole - swept) / part, 0.0), 1.0) if part != 0.0 else 1.0
        for side in range(2):
            low, high = (0.0, half) if side == 0 else (half, 1.0)
            enough = _spare_at(low, ix, iy, jx, jy, swept, part, whole, least, width) >= spare
            changes = (_spare_at(high, ix, iy, jx, jy, swept, part, whole, least, width) >= spare) != enough
            if not changes or count >= out.shape[0]:
                continue
            for _ in range(30):
                f = 0.5 * (low + high)
                if (_spare_at(f, ix, iy, jx, jy, swept, part, whole, least, width) >= spare) == enough:
                    low = f
                else:
                    high = f
            ex, ey = x + ix + low * (jx - ix), y + iy + low * (jy - iy)
            if math.hypot(ex - x, ey - y) > 1e-3 and runs_inside(x, y, ex, ey, corners, first):
                out[count, 0], out[count, 1], out[count, 2], out[count, 3], out[count, 4] = x, y, ex, ey, 0.0
                count += 1
        swept += part
    return count


@making_kernel
def chords(corners, first, along, turn, spots, starts, least, width, open_ended):
    """(k, 5) chords x0, y0, x1, y1, 0 in the ice from the first `starts` of the places `spots` to all others, by length.

    On the outer ring they cut off at least the area `least`, and `width` for each unit of their length (bounds: holes are not
    counted), and those that cut off just enough come in besides; chords from ring to ring only where cracks may be open-ended.
    """
    n = spots.shape[0]
    at = np.empty((n, 2))
    for k in range(n):
        at[k, 0], at[k, 1] = place(int(spots[k, 0]), spots[k, 1], corners, first, along, turn)
    swept = _swept(corners, first, along, turn, spots, at)
    whole = 0.0
    for i in range(first[1]):
        j = _after(i, 0, first)
        whole += 0.5 * (corners[i, 0] * corners[j, 1] - corners[i, 1] * corners[j, 0])
    out = np.empty((n * (n - 1) // 2 + 4 * min(starts, n), 5))
    count = np.int64(0)
    for i in range(min(starts, n)):
        for j in range(i + 1, n):
            if spots[i, 0] == spots[j, 0]:
                low, high = (i, j) if spots[i, 1] < spots[j, 1] else (j, i)
                part = swept[high] - swept[low] + at[high, 0] * at[low, 1] - at[high, 1] * at[low, 0]
                part = abs(0.5 * part)
                outer = spots[i, 0] == 0.0
                length = math.hypot(at[j, 0] - at[i, 0], at[j, 1] - at[i, 1])
                if outer and _spare(part, whole, length, least, width) < 0.0:
                    continue
                if not outer and part <= 1e-9:
                    continue
            elif not open_ended:
                continue
            if runs_inside(at[i, 0], at[i, 1], at[j, 0], at[j, 1], corners, first):
                out[count, 0], out[count, 1], out[count, 2], out[count, 3] = at[i, 0], at[i, 1], at[j, 0], at[j, 1]
                out[count, 4] = 0.0
                count += 1
        if spots[i, 0] == 0.0 and 2.0 * least < whole and not open_ended:
            room = out[: count + 4]
            count = _least_cuts(
                at[i, 0], at[i, 1], spots[i, 1], corners, first, along, least, width, whole, room, count
            )
    length, order = np.empty(count), np.empty(count, np.int64)
    for k in range(count):
        long, at_last = math.hypot(out[k, 2] - out[k, 0], out[k, 3] - out[k, 1]), k
        while at_last > 0 and length[at_last - 1] > long:
            length[at_last], order[at_last] = length[at_last - 1], order[at_last - 1]
            at_last -= 1
        length[at_last], order[at_last] = long, k
    ordered = np.empty((count, 5))
    for k in range(count):
        for q in range(5):
            ordered[k, q] = out[order[k], q]
    return ordered
