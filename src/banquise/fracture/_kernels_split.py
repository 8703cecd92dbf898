"""Kernels of cutting a plain ring in two, and of what a piece weighs."""

import math

import numpy as np

from banquise.jit import inner, kernel

NEAR = 1e-6  # ends this near to the border, as a part of the floe's size, are on it
ROUNDING = 1e-13  # of a floe's size: an end this near to the border stays as it is


@inner
def _on_ring(ring, x, y, size, near):
    """The edge that an end of a cut lies on, and its place: as given if that is on the border, else the nearest place there.

    The edge is negative where the border is farther than `near`.
    """
    n = ring.shape[0]
    best, edge, bx, by = math.inf, -1, x, y
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        part = ((x - ring[i, 0]) * ex + (y - ring[i, 1]) * ey) / (ex * ex + ey * ey)
        part = min(max(part, 0.0), 1.0)
        px, py = ring[i, 0] + part * ex, ring[i, 1] + part * ey
        away = math.hypot(px - x, py - y)
        if away < best:
            best, edge, bx, by = away, i, px, py
    if not best <= near * size:
        return -1, x, y
    if best <= ROUNDING * size:
        bx, by = x, y
    return edge, bx, by


@inner
def _at_corner(ring, edge, x, y, reach):
    """The corner of that edge within reach of a place, or -1."""
    n = ring.shape[0]
    j = edge + 1 if edge + 1 < n else 0
    if math.hypot(ring[edge, 0] - x, ring[edge, 1] - y) <= reach:
        return edge
    return j if math.hypot(ring[j, 0] - x, ring[j, 1] - y) <= reach else -1


@inner
def _clear(ring, ax, ay, bx, by, a, b, corner_a, corner_b, span, reach):
    """Whether nothing of the ring comes near the cut but at its two ends, and there is ice on both sides of it."""
    n = ring.shape[0]
    dx, dy = (bx - ax) / span, (by - ay) / span
    for i in range(n):
        if i == corner_a or i == corner_b:
            continue
        along = (ring[i, 0] - ax) * dx + (ring[i, 1] - ay) * dy
        off = abs((ring[i, 0] - ax) * dy - (ring[i, 1] - ay) * dx)
        if off <= reach and -reach <= along <= span + reach:
            return False
    odd = False  # whether the middle of the cut is in the ice
    mx, my = 0.5 * (ax + bx), 0.5 * (ay + by)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        x0, y0, x1, y1 = ring[i, 0], ring[i, 1], ring[j, 0], ring[j, 1]
        if (y0 > my) != (y1 > my) and mx < x0 + (my - y0) / (y1 - y0) * (x1 - x0):
            odd = not odd
        own = i == a or i == b
        for corner in (corner_a, corner_b):
            own = own or (corner >= 0 and (i == corner or j == corner))
        if own:
            continue
        one, two = dx * (y0 - ay) - dy * (x0 - ax), dx * (y1 - ay) - dy * (x1 - ax)
        if (one > 0.0) != (two > 0.0):
            f = one / (one - two)
            along = (x0 + f * (x1 - x0) - ax) * dx + (y0 + f * (y1 - y0) - ay) * dy
            if -reach <= along <= span + reach:
                return False
    return odd


@inner
def _walk(ring, a, corner_a, b, corner_b, ax, ay, bx, by):
    """The ring from one end of the cut on to the other, both included."""
    n = ring.shape[0]
    out = np.empty((n + 2, 2))
    out[0, 0], out[0, 1] = ax, ay
    count = 1
    first = (corner_a if corner_a >= 0 else a) + 1
    last = corner_b if corner_b >= 0 else b + 1  # first corner that is not on the way
    steps = (last - first) % n
    if steps == 0 and corner_a < 0 and corner_b < 0 and a == b:
        # both on one edge: nothing between them, or all of the ring
        ex, ey = ring[(a + 1) % n, 0] - ring[a, 0], ring[(a + 1) % n, 1] - ring[a, 1]
        steps = 0 if (bx - ax) * ex + (by - ay) * ey > 0.0 else n
    for k in range(steps):
        i = (first + k) % n
        out[count, 0], out[count, 1] = ring[i, 0], ring[i, 1]
        count += 1
    out[count, 0], out[count, 1] = bx, by
    return out[: count + 1].copy()


@kernel
def cut_ring(ring, ax, ay, bx, by, size, near):
    """The two rings left by a straight cut of a ring and their `area_moments`, smaller first; empty ones where this plain way
    does not serve.

    size : square root of the area; near : of it, within which an end is on the border, and of the cut, within which a corner is
    its end
    """
    none, nothing = np.empty((0, 2)), np.empty(0)
    a, ax, ay = _on_ring(ring, ax, ay, size, near)
    b, bx, by = _on_ring(ring, bx, by, size, near)
    span = math.hypot(bx - ax, by - ay)
    if a < 0 or b < 0 or not span > 10.0 * near * size:
        return none, none, nothing, nothing
    reach = near * span
    corner_a, corner_b = _at_corner(ring, a, ax, ay, reach), _at_corner(ring, b, bx, by, reach)
    if corner_a >= 0:
        ax, ay = ring[corner_a, 0], ring[corner_a, 1]
    if corner_b >= 0:
        bx, by = ring[corner_b, 0], ring[corner_b, 1]
    if not _clear(ring, ax, ay, bx, by, a, b, corner_a, corner_b, span, reach):
        return none, none, nothing, nothing
    right = _walk(ring, a, corner_a, b, corner_b, ax, ay, bx, by)
    left = _walk(ring, b, corner_b, a, corner_a, bx, by, ax, ay)
    if right.shape[0] < 3 or left.shape[0] < 3:
        return none, none, nothing, nothing
    one, two = area_moments(left), area_moments(right)
    if not (one[0] > 0.0 and two[0] > 0.0):
        return none, none, nothing, nothing
    return (left, right, one, two) if one[0] <= two[0] else (right, left, two, one)


@kernel
def area_moments(ring):
    """Integrals of 1, x, y, x^2, xy, y^2 over a ring about its first point, as `scene.moments.ring_moments`."""
    n = ring.shape[0]
    out = np.zeros(6)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        x, y = ring[i, 0] - ring[0, 0], ring[i, 1] - ring[0, 1]
        x1, y1 = ring[j, 0] - ring[0, 0], ring[j, 1] - ring[0, 1]
        cross = x * y1 - x1 * y
        out[0] += cross / 2.0
        out[1] += (x + x1) * cross / 6.0
        out[2] += (y + y1) * cross / 6.0
        out[3] += (x * x + x * x1 + x1 * x1) * cross / 12.0
        out[4] += (2.0 * x * y + x * y1 + x1 * y + 2.0 * x1 * y1) * cross / 24.0
        out[5] += (y * y + y * y1 + y1 * y1) * cross / 12.0
    return out


@kernel
def distance(ring, x, y):
    """From (x, y) to the border of a ring."""
    n = ring.shape[0]
    best = math.inf
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        ex, ey = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        part = ((x - ring[i, 0]) * ex + (y - ring[i, 1]) * ey) / (ex * ex + ey * ey)
        part = min(max(part, 0.0), 1.0)
        best = min(best, math.hypot(ring[i, 0] + part * ex - x, ring[i, 1] + part * ey - y))
    return best


@kernel
def length(ring):
    """Of the border of a ring."""
    n = ring.shape[0]
    total = 0.0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        total += math.hypot(ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1])
    return total
