"""Kernels of a floe's border before it is meshed: its own units, detail left out, the patches of its contacts.

Rings are corners (c, 2) one after the other, ring r from first[r] to first[r + 1], ice on the left.
"""

import math

import numpy as np

from banquise.fracture._kernels_border import edge_at, nearest
from banquise.jit import making_kernel, plain_inner, plain_kernel

FINE = (
    1e10  # places are rounded to this part of the floe's size: their last bits would choose among the lattice's points
)
FACING = 0.2  # cosine below which a border stretch does not face the push
CORNERS = 90  # of a border that is meshed as it is; with more, the eye gets coarser


@plain_kernel
def own_units(corners, first):
    """Centre of the area, and its square root: origin and unit of the floe's own units."""
    x0, y0 = corners[0, 0], corners[0, 1]
    area = mx = my = 0.0
    for r in range(first.shape[0] - 1):
        j = first[r + 1] - 1
        for i in range(first[r], first[r + 1]):
            ax, ay, bx, by = corners[j, 0] - x0, corners[j, 1] - y0, corners[i, 0] - x0, corners[i, 1] - y0
            cross = ax * by - ay * bx
            area += 0.5 * cross
            mx += cross * (ax + bx) / 6.0
            my += cross * (ay + by) / 6.0
            j = i
    return x0 + mx / area, y0 + my / area, math.sqrt(area)


@plain_inner
def rounded(x):
    return math.floor(x * FINE + 0.5) / FINE


@plain_inner
def _off(at, i, j, k):
    """Distance of corner k from the chord i to j."""
    ex, ey = at[j, 0] - at[i, 0], at[j, 1] - at[i, 1]
    px, py = at[k, 0] - at[i, 0], at[k, 1] - at[i, 1]
    long = ex * ex + ey * ey
    part = min(max((px * ex + py * ey) / long, 0.0), 1.0) if long > 0.0 else 0.0
    return math.hypot(px - part * ex, py - part * ey)


@plain_inner
def _least_detail(at, begin, end, after, tolerance):
    """The corner before the one whose leaving moves the border of a ring least, or -1; `after` links those that are left.

    The first corner stays.
    """
    left, i = 1, begin
    while after[i] != begin:
        i = after[i]
        left += 1
    best, found = tolerance, -1
    for _ in range(left if left > 4 else 0):
        k = after[i]
        j = after[k]
        if k != begin:
            most, q = 0.0, i
            while True:  # corner k, and what has been left out between i and j before
                q = q + 1 if q + 1 < end else begin
                if q == j:
                    break
                most = max(most, _off(at, i, j, q))
            if most < best:
                best, found = most, i
        i = k
    return found


@making_kernel
def simplified(corners, first, spacing):
    """The rings without detail far below the mesh size; much detail allows a coarser eye."""
    n, rings = corners.shape[0], first.shape[0] - 1
    after = np.empty(n, np.int64)
    for r in range(rings):
        for i in range(first[r], first[r + 1]):
            after[i] = i + 1 if i + 1 < first[r + 1] else first[r]
    left, tolerance = n, 0.02 * spacing
    while True:
        for r in range(rings):
            i = _least_detail(corners, first[r], first[r + 1], after, tolerance)
            while i >= 0:
                after[i] = after[after[i]]
                left -= 1
                i = _least_detail(corners, first[r], first[r + 1], after, tolerance)
        if left <= CORNERS or tolerance > 0.3 * spacing:
            break
        tolerance *= 1.6
    out, begin = np.empty((left, 2)), np.zeros(rings + 1, np.int64)
    at = 0
    for r in range(rings):
        i = first[r]
        for _ in range(first[r + 1] - first[r]):
            out[at, 0], out[at, 1] = corners[i, 0], corners[i, 1]
            at += 1
            i = after[i]
            if i == first[r]:
                break
        begin[r + 1] = at
    return out, begin


@plain_inner
def _faces(corners, i, j, dx, dy):
    """Cosine between the push and the inward normal of a border edge."""
    ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
    return (ex * dy - ey * dx) / math.hypot(ex, ey)


@plain_inner
def _reached(corners, first, along, turn, ring, place, way, half, dx, dy, all_of_it):
    """How far the border faces the push from a place on, up to `half`."""
    low, size = first[ring], first[ring + 1] - first[ring]
    i, beyond = edge_at(ring, place, first, along, turn)
    edge = i - low
    if way < 0.0 and beyond == 0.0:
        edge = (edge - 1) % size
    done = 0.0
    position = beyond
    for step in range(2 * size + 2):
        i = low + edge
        j = low + (edge + 1) % size
        if not (all_of_it or abs(_faces(corners, i, j, dx, dy)) > FACING):
            break
        long = math.hypot(corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1])
        if step == 0:
            room = long - position if way > 0.0 else (position if position > 0.0 else long)
        else:
            room = long
        if done + room >= half:
            return half
        done += room
        edge = (edge + 1) % size if way > 0.0 else (edge - 1) % size
    return done


@making_kernel
def patch_line(corners, first, along, turn, x, y, dx, dy, width):
    """(k, 2) the stretch of border of that width about the border point nearest to (x, y), as far as it faces the push."""
    ring, place = nearest(x, y, corners, first, along)
    low, size = first[ring], first[ring + 1] - first[ring]
    whole = turn[ring]
    near, corner = math.inf, 0.0
    for i in range(low, low + size + 1):
        mark = along[i] if i < low + size else whole
        if abs(mark - place) < near:
            near, corner = abs(mark - place), mark
    if near < 1e-8 * whole:
        place = corner  # a contact at a corner: its last bits would choose the side to start from
    place = place % whole
    most = 0.0
    for k in range(size):
        most = max(most, abs(_faces(corners, low + k, low + (k + 1) % size, dx, dy)))
    half = 0.5 * min(width, 0.5 * whole)
    back = _reached(corners, first, along, turn, ring, place, -1.0, half, dx, dy, most <= FACING)
    ahead = _reached(corners, first, along, turn, ring, place, 1.0, half, dx, dy, most <= FACING)
    if back + ahead <= 0.02 * width:
        back = ahead = half
    cuts = np.empty(3 * size + 2)
    cuts[0] = -back
    count = 1
    for turns in range(-1, 2):
        for k in range(size):
            s = along[low + k] + turns * whole - place
            if -back + 1e-9 < s < ahead - 1e-9:
                cuts[count] = s
                count += 1
    cuts[count] = ahead
    count += 1
    out = np.empty((count, 2))
    for k in range(count):
        i, beyond = edge_at(ring, place + cuts[k], first, along, turn)
        j = i + 1 if i + 1 < low + size else low
        long = math.hypot(corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1])
        part = beyond / long
        out[k, 0] = corners[i, 0] + part * (corners[j, 0] - corners[i, 0])
        out[k, 1] = corners[i, 1] + part * (corners[j, 1] - corners[i, 1])
    return out
