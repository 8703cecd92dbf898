# mypy: ignore-errors
"""Contacts that are held over a step: where they are in the middle of it, and how their gaps curve.

A point that slides on an edge that turns leaves the line of its first instant. Impulses act along the normals of the
middle of the step, and the gap is asked for where the motion ends: so what rolls and slides keeps touching, neither sinks
in nor gains speed, and need not be followed in short steps.
"""

import math

from banquise.jit import bare_inner as inner

REST = 1e-6  # of the smaller size: bodies at rest this near stay where they are
SWING = 0.9  # cosine: a normal between two points that turns farther in a step says nothing
NX, NY, AX, AY, BX, BY, GAP = 0, 1, 2, 3, 4, 5, 6


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
    # points of the rings, without their rounding
    ax, ay = value[k, AX] - ri * nx, value[k, AY] - ri * ny
    bx, by = value[k, BX] + rj * nx, value[k, BY] + rj * ny
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
def held_rows(count, chosen, value, who, radius, h, way, velocity, n_free, size, middle, rate):
    """The contacts chosen[:count] in the middle of the step (into `middle`), and the speed at which each may close.

    What is very near stays where it is. The gap is asked for at the end, by impulses along the normal of the middle; that
    is where steady velocities lead in half the time, for there an impulse spread over the step has its moment.
    """
    for r in range(count):
        k = chosen[r]
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        carried(value, who, k, radius, h, way, velocity, n_free, middle)
        curve = middle[k, GAP] - value[k, GAP] - straight(value, who, k, h, way, velocity, n_free)
        carried(value, who, k, radius, 0.5 * h, way, velocity, 0, middle)
        rate[r] = (max(value[k, GAP] - REST * small, 0.0) + curve) / h


@inner
def sunk(count, chosen, value, who, radius, h, way, velocity, n_free, size, scratch):
    """How far the deepest of the contacts chosen[:count] has sunk in at the end of its way, as a part of the smaller size."""
    deepest = 0.0
    for r in range(count):
        k = chosen[r]
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        carried(value, who, k, radius, h, way, velocity, n_free, scratch)
        deepest = max(deepest, (min(value[k, GAP], 0.0) - scratch[k, GAP]) / small)
    return deepest
