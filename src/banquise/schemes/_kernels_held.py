# mypy: ignore-errors
"""Contacts that are held over a step: where they are in the middle of it, and how their gaps curve.

A point that slides on an edge that turns leaves the line of its first instant. Impulses act along the normals of the
middle of the step, and the gap is asked for where the motion ends: so what rolls and slides keeps touching, neither sinks
in nor gains speed, and need not be followed in short steps.
"""

import math

import numpy as np

from banquise.jit import bare_inner as inner

NONE = np.int64(0)  # floes on a way of their own
REST = 1e-6  # of the smaller size: bodies at rest this near stay where they are
SWING = 0.9  # cosine: a normal between two points that turns farther in a step says nothing
NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8


@inner
def curving(value, who, k, velocity, tangent):
    """Second derivative of the gap of contact k when nothing accelerates; `tangent`: speed along the edge.

    The normal turns with the body that owns the edge; a normal between two points is taken as it is.
    """
    i, j = who[k, 0], who[k, 1]
    wi, wj = velocity[i, 2], velocity[j, 2]
    ax, ay, bx, by = value[k, AX], value[k, AY], value[k, BX], value[k, BY]
    sweep = wi * wi * (value[k, NX] * ax + value[k, NY] * ay) - wj * wj * (value[k, NX] * bx + value[k, NY] * by)
    if who[k, 2] & 3 != 0:
        return sweep
    return sweep + 2.0 * tangent * (wj if who[k, 2] >> 2 else wi)


@inner
def carried(value, who, k, radius, h, way, velocity, n_free, out):
    """Contact k after h seconds, floes below n_free on their way, others steady: normal, levers and gap go to out.

    Both levers end halfway across the gap, in one place: no angular momentum comes from it.
    """
    i, j = who[k, 0], who[k, 1]
    nx, ny = value[k, NX], value[k, NY]
    ri, rj = radius[i, 4], radius[j, 4]
    xi, yi, ti = h * velocity[i, 0], h * velocity[i, 1], h * velocity[i, 2]
    xj, yj, tj = h * velocity[j, 0], h * velocity[j, 1], h * velocity[j, 2]
    if i < n_free:
        xi, yi, ti = way[i, 0], way[i, 1], way[i, 2]
    if j < n_free:
        xj, yj, tj = way[j, 0], way[j, 1], way[j, 2]
    # points of the rings, without their rounding; the levers end halfway between
    half = 0.5 * value[k, GAP]
    ax, ay = value[k, AX] - (ri + half) * nx, value[k, AY] - (ri + half) * ny
    bx, by = value[k, BX] + (rj + half) * nx, value[k, BY] + (rj + half) * ny
    # how the turn moves them: cos - 1 by itself, for levers are long and steps may be short
    si, sj = math.sin(ti), math.sin(tj)
    ki, kj = -2.0 * math.sin(0.5 * ti) ** 2, -2.0 * math.sin(0.5 * tj) ** 2
    ui, vi, uj, vj = ki * ax - si * ay, si * ax + ki * ay, kj * bx - sj * by, sj * bx + kj * by
    apart = value[k, GAP] + ri + rj
    dx, dy = apart * nx + (xj - xi) + (uj - ui), apart * ny + (yj - yi) + (vj - vi)
    px, py, qx, qy = ax + ui, ay + vi, bx + uj, by + vj
    mx, my = nx, ny
    if who[k, 2] & 3 == 0:
        c, s = (1.0 + kj, sj) if who[k, 2] >> 2 else (1.0 + ki, si)
        mx, my = c * nx - s * ny, s * nx + c * ny
        along = -dx * my + dy * mx  # the foot follows the point along the edge
        if who[k, 2] >> 2:
            qx, qy = qx + along * my, qy - along * mx
        else:
            px, py = px - along * my, py + along * mx
    elif who[k, 2] & 3 == 1:
        d = math.sqrt(dx * dx + dy * dy)
        d = d if apart >= 0.0 else -d
        if abs(dx * nx + dy * ny) > SWING * abs(d):
            mx, my = dx / d, dy / d
    gap = dx * mx + dy * my - ri - rj
    # from the one surface to the other: along the normal, but for two points that slide past each other
    sx, sy = dx - (ri + rj) * mx, dy - (ri + rj) * my
    if who[k, 2] & 3 == 0:
        sx, sy = gap * mx, gap * my
    out[k, NX], out[k, NY], out[k, GAP] = mx, my, gap
    out[k, AX], out[k, AY] = px + ri * mx + 0.5 * sx, py + ri * my + 0.5 * sy
    out[k, BX], out[k, BY] = qx - rj * mx - 0.5 * sx, qy - rj * my - 0.5 * sy


@inner
def straight(value, who, k, h, way, velocity, n_free):
    """How far the gap of contact k would open if its normal and levers did not turn."""
    total = 0.0
    for side in range(2):
        i = who[k, side]
        sign = -1.0 if side == 0 else 1.0
        x, y, turn = h * velocity[i, 0], h * velocity[i, 1], h * velocity[i, 2]
        if i < n_free:
            x, y, turn = way[i, 0], way[i, 1], way[i, 2]
        lx, ly = value[k, AX + 2 * side], value[k, AY + 2 * side]
        total += sign * ((x - turn * ly) * value[k, NX] + (y + turn * lx) * value[k, NY])
    return total


@inner
def held_rows(
    count, chosen, value, who, radius, h, way, velocity, on_way, n_free, size, skin, first, given, middle, rate
):
    """The contacts chosen[:count] in the middle of the step (into `middle`), and the speed at which each may close.

    Floes below `on_way` go their way, the others are steady. Those from `first` on were found at the end of the way,
    and are taken as they are, with their `given` speeds.

    What is very near stays where it is. The gap is asked for at the end, by impulses along the normal of the middle; that
    is where steady velocities lead in half the time, for there an impulse spread over the step has its moment.
    """
    for r in range(count):
        k = chosen[r]
        if k >= first:
            for column in range(7):
                middle[k, column] = value[k, column]
            rate[r] = given[k]
            continue
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        carried(value, who, k, radius, h, way, velocity, on_way, middle)
        curve = middle[k, GAP] - value[k, GAP] - straight(value, who, k, h, way, velocity, on_way)
        carried(value, who, k, radius, 0.5 * h, way, velocity, NONE, middle)
        rate[r] = (max(value[k, GAP] - (skin + REST) * small, 0.0) + curve) / h


@inner
def place(rows, h, x, y, cos, sin, way, velocity, moving, n_free, obstacles, gone, pose):
    """The poses of some floes at the end of their way, and of obstacles h seconds on."""
    for q in range(len(rows)):
        i = rows[q]
        c, s = math.cos(way[i, 2]), math.sin(way[i, 2])
        pose[i, 0], pose[i, 1] = x[i] + way[i, 0], y[i] + way[i, 1]
        pose[i, 2], pose[i, 3] = cos[i] * c - sin[i] * s, sin[i] * c + cos[i] * s
    for o in range(len(obstacles) if moving else 0):
        k = n_free + o
        turn = obstacles[o, 2] + (gone + h) * velocity[k, 2]
        pose[k, 0] = obstacles[o, 0] + (gone + h) * velocity[k, 0]
        pose[k, 1] = obstacles[o, 1] + (gone + h) * velocity[k, 1]
        pose[k, 2], pose[k, 3] = math.cos(turn), math.sin(turn)


@inner
def back(rows, x, y, cos, sin, pose):
    """The poses of some floes where they are."""
    for q in range(len(rows)):
        i = rows[q]
        pose[i, 0], pose[i, 1], pose[i, 2], pose[i, 3] = x[i], y[i], cos[i], sin[i]


@inner
def way_of(i, h, way, velocity, extent, n_free):
    """How far any point of body i comes in h seconds, at most."""
    x, y, turn = h * velocity[i, 0], h * velocity[i, 1], h * velocity[i, 2]
    if i < n_free:
        x, y, turn = way[i, 0], way[i, 1], way[i, 2]
    return math.sqrt(x * x + y * y) + extent[i] * abs(turn)


@inner
def sunken(
    count, value, who, known, known_value, known_who, state, h, way, velocity, extent, n_free, size, sink, free, little,
    every, deep,
):  # fmt: skip
    """How many of `count` contacts of pairs that are held sank in by more than `sink` of the smaller size; they come first.

    deep: how deep their pair was before: an overlap that was there is not for impulses to mend. Also by how much a pair that
    is held or was not expected (or any, if `every`) is deeper at worst, as a part of the smaller size, than `free`, or than
    it was and a `little`. Nothing sinks in deeper than it moved: where bodies overlap already, a point that is behind a
    farther edge as well may be told deeper.
    """
    kept, excess = 0, -1.0
    for k in range(count):
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        if not value[k, GAP] < -sink * small:
            continue
        before, held, expected = 0.0, False, False
        for l in range(known):
            if known_who[l, 0] == i and known_who[l, 1] == j:
                before = min(before, known_value[l, GAP])
                held, expected = held or state[l] & 4 != 0, True
        sank = before - value[k, GAP]
        longest = way_of(i, h, way, velocity, extent, n_free) + way_of(j, h, way, velocity, extent, n_free)
        if not sink * small < sank <= longest:
            continue
        if held or every or not expected:
            excess = max(excess, min(-value[k, GAP] / small - free, sank / small - little))
        if held:
            for column in range(9):
                value[kept, column] = value[k, column]
            for column in range(3):
                who[kept, column] = who[k, column]
            deep[kept] = before
            kept += 1
    return kept, excess


@inner
def add_sunken(
    count, later, later_who, deep, h, way, velocity, ahead, change, n_free, pose, at, value, who, key, state, rate
):  # fmt: skip
    """Put contacts found at the end of the way after the `at` others: what held them must open their gaps by as much.

    Their levers end in one place in the middle of the step. pose: at the end of the way. rate: the normal speed at the end
    that they have, less the one that would bring them out in the step.
    """
    for q in range(count):
        k = at + q
        i, j = later_who[q, 0], later_who[q, 1]
        for column in range(9):
            value[k, column] = later[q, column]
        who[k, 0], who[k, 1], who[k, 2] = i, j, later_who[q, 2]
        key[k], state[k] = -1, 12
        ex = pose[j, 0] + value[k, SX] + value[k, BX] - pose[i, 0] - value[k, AX]
        ey = pose[j, 1] + value[k, SY] + value[k, BY] - pose[i, 1] - value[k, AY]
        for side in range(2):
            body = i if side == 0 else j
            sign = 1.0 if side == 0 else -1.0
            tx, ty = 0.5 * h * velocity[body, 0], 0.5 * h * velocity[body, 1]
            if body < n_free:
                tx, ty = way[body, 0] - tx, way[body, 1] - ty
            ex += sign * tx
            ey += sign * ty
        value[k, AX] += 0.5 * ex
        value[k, AY] += 0.5 * ey
        value[k, BX] -= 0.5 * ex
        value[k, BY] -= 0.5 * ey
        speed = 0.0
        for side in range(2):
            body = i if side == 0 else j
            sign = -1.0 if side == 0 else 1.0
            u, v, w = ahead[body, 0], ahead[body, 1], ahead[body, 2]
            if body < n_free:
                u, v, w = u + change[body, 0], v + change[body, 1], w + change[body, 2]
            lx, ly = value[k, AX + 2 * side], value[k, AY + 2 * side]
            speed += sign * ((u - w * ly) * value[k, NX] + (v + w * lx) * value[k, NY])
        rate[k] = 2.0 * (value[k, GAP] - deep[q]) / h - speed
