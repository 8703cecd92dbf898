"""The sieve before the narrow phase: which pairs of the list have to be looked at. Most are told apart by less."""

import math

import numpy as np

from banquise.detection._kernels_rows import SECTORS, box_gap, told_apart
from banquise.detection.jit import fetch, inline, inner

ROUND = 1e-12  # part of the path length set aside for its round-off
SOON = 6  # how many pairs ahead memory is asked for: a fetch takes as long as six sieves


@inner
def pair_reach(i, j, n_free, zone, travel):
    """How near the two bodies must come to be of interest."""
    near = zone[i] if j >= n_free else min(zone[i], zone[j])
    return near + travel[i] + travel[j]


@inline
def from_a_to_b(p, i, j, pairs, pose, wraps, period):
    """Image offset of b, and its place seen from a, world axes."""
    shift_x = shift_y = 0.0
    if period[0] > 0.0 or period[1] > 0.0:
        shift_x = (pairs[p, 2] + wraps[i, 0] - wraps[j, 0]) * period[0]
        shift_y = (pairs[p, 3] + wraps[i, 1] - wraps[j, 1]) * period[1]
    return shift_x, shift_y, pose[j, 0] + shift_x - pose[i, 0], pose[j, 1] + shift_y - pose[i, 1]


@inline
def turned_into(p, i, j, pairs, pose, wraps, period):
    """Image offset of b; what carries its frame into that of a: cosine, sine, place; place of a in the frame of b."""
    shift_x, shift_y, dx, dy = from_a_to_b(p, i, j, pairs, pose, wraps, period)
    ca, sa, cb, sb = pose[i, 2], pose[i, 3], pose[j, 2], pose[j, 3]
    c, s = ca * cb + sa * sb, ca * sb - sa * cb
    return shift_x, shift_y, c, s, ca * dx + sa * dy, ca * dy - sa * dx, -cb * dx - sb * dy, sb * dx - cb * dy


@inner
def path_of(i, j, path):
    """How far two bodies have come, with what its round-off may hide."""
    moved = path[i] + path[j]
    return moved + ROUND * moved


@inline
def wake(first, last, pairs, n_free, zone, travel, path, state, mode, quick, alarm, awake):
    """List the pairs first:last that do not sleep; their number. quick: alarm tells of most that they do."""
    until = state.until
    n = 0
    for p in range(first, last):
        i, j = pairs[p, 0], pairs[p, 1]
        if quick and j < n_free and until[p] > alarm[i] + alarm[j]:
            continue
        if quick:  # or nearly so: the sieve will tell
            awake[n] = p
            n += 1
            continue
        lower = until[p] - path_of(i, j, path)
        if lower <= pair_reach(i, j, n_free, zone, travel):
            awake[n] = p
            n += 1
        elif mode != 0:
            state.distance[p], state.exact[p] = lower, False
    return n


@inner
def _apart_along(p, i, j, dx, dy, line, turned):
    """Lower bound of the distance of a pair, -inf or NaN where nothing is known.

    Two bodies that were told apart along a line are apart along it by that, by how far they have drawn apart along it since,
    and less what turning may have taken, however far they have come: half of those that wake up move away from each other.
    """
    gone = line[p, 0] * dx + line[p, 1] * dy - turned[i] - turned[j]
    return line[p, 2] + gone - ROUND * (abs(dx) + abs(dy) + turned[i] + turned[j])


@inner
def _keep_line(p, i, j, gap, x, y, dx, dy, pose, line, turned):
    """Note that a pair is `gap` apart along (x, y) in the frame of the first."""
    nx, ny = pose[i, 2] * x - pose[i, 3] * y, pose[i, 3] * x + pose[i, 2] * y
    line[p, 0], line[p, 1] = nx, ny
    line[p, 2] = gap - nx * dx - ny * dy + turned[i] + turned[j]


@inline
def strike_apart(awake, n, pairs, pose, wraps, period, n_free, zone, travel, path, turned, state, mode):
    """Strike from the list awake[:n] what sleeps or is told apart along the line along which it was; how many are left."""
    until, line = state.until, state.line
    left = 0
    for k in range(n):
        if k + SOON < n:
            p = awake[k + SOON]
            fetch(line, 3 * np.int64(p))
            fetch(pose, 4 * np.int64(pairs[p, 1]))
        p = awake[k]
        i, j = pairs[p, 0], pairs[p, 1]
        reach = pair_reach(i, j, n_free, zone, travel)
        moved = path_of(i, j, path)
        _, _, dx, dy = from_a_to_b(p, i, j, pairs, pose, wraps, period)
        apart = _apart_along(p, i, j, dx, dy, line, turned)
        if until[p] > -math.inf and apart > reach and apart > until[p] - moved:
            until[p] = apart + moved
        awake[left] = p
        left += until[p] - moved <= reach
        if mode != 0 and until[p] - moved > reach:
            state.distance[p], state.exact[p] = until[p] - moved, False
    return left


@inline
def sieve(awake, n, pairs, sh, pose, wraps, period, n_free, zone, travel, path, turned, moved_at, state, mode, look):
    """Strike from the list awake[:n] whose boxes or rims are apart; how many are left.

    A pair for which neither the last look nor its rows will do is listed as ~p.
    """
    until, known_until, seen, seen_reach = state.until, state.known_until, state.seen, state.seen_reach
    box, rim = sh.frame, sh.rim
    left = 0
    for k in range(n):
        if k + SOON < n:
            p = awake[k + SOON]
            i, j = pairs[p, 0], pairs[p, 1]
            if known_until[p] - path[i] - path[j] < zone[i]:
                for line in range(0, 2 * SECTORS, 16):
                    fetch(rim, 2 * SECTORS * np.int64(i) + line)
                    fetch(rim, 2 * SECTORS * np.int64(j) + line)
                fetch(box, 6 * np.int64(j))
                fetch(pose, 4 * np.int64(j))
        p = awake[k]
        i, j = pairs[p, 0], pairs[p, 1]
        reach = pair_reach(i, j, n_free, zone, travel)
        moved = path_of(i, j, path)
        full = reach > known_until[p] - moved
        if full and mode != 1 and seen[p] == look - 1 and moved_at[i] < seen[p] and moved_at[j] < seen[p]:
            full = seen_reach[p, 0] != reach or seen_reach[p, 1] != reach - travel[i] - travel[j]
        if full:
            _, _, c, s, tx, ty, ux, uy = turned_into(p, i, j, pairs, pose, wraps, period)
            radii = box[i, 4] + box[j, 4]
            gap = box_gap(box, i, j, c, s, tx, ty, ux, uy) - radii
            state.line[p, 0], state.line[p, 1], state.line[p, 2] = 0.0, 0.0, -math.inf
            if gap <= reach:
                gap, x, y = told_apart(rim, i, j, c, s, tx, ty, reach + radii)
                gap -= radii
                _, _, dx, dy = from_a_to_b(p, i, j, pairs, pose, wraps, period)
                _keep_line(p, i, j, gap, x, y, dx, dy, pose, state.line, turned)
            if gap > reach:
                until[p] = gap + moved
                if mode != 0:
                    state.distance[p], state.exact[p] = gap, False
                continue
        awake[left] = ~p if full else p
        left += 1
    return left
