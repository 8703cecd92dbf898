"""Bodies from look to look: how far they have come, and whether the list of pairs still holds all that matter."""

import math

import numpy as np

from banquise.detection.jit import kernel


@kernel
def common_way(n_free, x, y, period, pose, out):
    """Mean displacement of the floes since the last look: what all do together brings nobody nearer to another.

    Zero when most have stayed where they were: then those shall count as still.
    """
    out[0] = out[1] = 0.0
    moved = 0
    for i in range(n_free):
        dx, dy = x[i] - pose[i, 0], y[i] - pose[i, 1]
        moved += dx != 0.0 or dy != 0.0
        if period[0] > 0.0:
            dx -= math.floor(dx / period[0] + 0.5) * period[0]
        if period[1] > 0.0:
            dy -= math.floor(dy / period[1] + 0.5) * period[1]
        out[0] += dx
        out[1] += dy
    share = 1.0 / n_free if 2 * moved > n_free else 0.0
    out[0] *= share
    out[1] *= share


@kernel
def advance(first, last, x, y, c, s, extent, period, common, looks, pose, wraps, path, turned, moved_at):
    """Add to each body's path how far any of its points can have come since the last look, and remember the pose.

    Ways count from the one that is `common` to the floes: only how bodies move against each other matters. Whatever
    happened between two looks, the path is at least the distance between the poses seen: a step that was undone only
    makes it longer. turned: the part of the path that is due to turning. In a periodic domain a jump by whole periods is
    counted in `wraps` instead. moved_at: how many looks had been taken when the body last moved (a path may swallow a tiny
    step). Whether any has.
    """
    any_moved = False
    for i in range(first, last):
        dx, dy = x[i] - pose[i, 0], y[i] - pose[i, 1]
        dc, ds = c[i] - pose[i, 2], s[i] - pose[i, 3]
        if dx == 0.0 and dy == 0.0 and dc == 0.0 and ds == 0.0:
            path[i] += math.sqrt(common[0] * common[0] + common[1] * common[1])
            continue
        moved_at[i] = looks
        any_moved = True
        if period[0] > 0.0:
            jump = math.floor(dx / period[0] + 0.5)
            dx -= jump * period[0]
            wraps[i, 0] += int(jump)
        if period[1] > 0.0:
            jump = math.floor(dy / period[1] + 0.5)
            dy -= jump * period[1]
            wraps[i, 1] += int(jump)
        dx, dy = dx - common[0], dy - common[1]
        turn = extent[i] * math.sqrt(dc * dc + ds * ds)
        path[i] += math.sqrt(dx * dx + dy * dy) + turn
        turned[i] += turn
        pose[i, 0], pose[i, 1], pose[i, 2], pose[i, 3] = x[i], y[i], c[i], s[i]
    return any_moved


@kernel
def covers(path, path_at_build, zone, travel, n_free, margin, need):
    """Whether a list of these margins, made at those paths, holds every pair nearer than need[i] + need[j], half the zone and
    the travel of each; need is written.

    Of obstacles it is raised by what the zones of floes ask of them, for their own do not count.
    """
    widest = 0.0
    for i in range(n_free):
        widest = max(widest, zone[i])
    enough = True
    for i in range(len(need)):
        need[i] = 0.5 * zone[i] + travel[i]
        if i >= n_free:
            need[i] += 0.5 * (widest - zone[i])
        enough &= path[i] - path_at_build[i] + need[i] <= margin[i]
    return enough


@kernel
def follow(
    n_free, x, y, c, s, extent, period, common, looks, pose, wraps, path, turned, moved_at, path_at_build, zone, travel, margin,
    need,
):  # fmt: skip
    """Both of these for all bodies, and `covers`: calls from Python take as long as a thousand bodies. (Moved, covers)"""
    common_way(n_free, x, y, period, pose, common)
    moved = advance(
        np.int64(0), len(path), x, y, c, s, extent, period, common, looks, pose, wraps, path, turned, moved_at
    )
    return moved, covers(path, path_at_build, zone, travel, n_free, margin, need)


@kernel
def raise_travel(pairs, n_free, until, path, mass, bounce, own, travel):
    """Add to the travel of floes that may be struck by a neighbour the way its impulse may send them.

    A frontal impact of masses m, M at closing speed v changes the speed of m by (1 + bounce) M / (m + M) v. own: the
    travel as it was.
    """
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        if j >= n_free or until[p] - path[i] - path[j] > own[i] + own[j]:
            continue
        gain = (1.0 + bounce) * (own[i] + own[j]) / (mass[i] + mass[j])
        travel[i] = max(travel[i], own[i] + gain * mass[j])
        travel[j] = max(travel[j], own[j] + gain * mass[i])
