# mypy: ignore-errors
"""Kernels that foresee who meets: contacts gathered into pairs, those that rest together or close within the step, and those
that the first impacts will send on."""

import math

from banquise.jit import bare_inner as inner
from banquise.schemes._kernels import (
    AX,
    AY,
    BX,
    BY,
    GAP,
    NX,
    NY,
    SX,
    SY,
    ZONE,
    gap_ahead,
    relative_speed,
    rest_speed,
    way_between,
)
from banquise.schemes._kernels_held import curving

SWEEPS = 3  # floes in a row that are foreseen to be struck one after the other


@inner
def _strike(value, who, begin, end, later, velocity, step, n_free, inverse_mass, inverse_inertia, largest, struck):
    """Add to the way of two floes what the first of their contacts to close will give them, each pair taken by itself."""
    best, rest = -1, 0.0
    for k in range(begin, end):
        dx, dy, _, _ = way_between(value, who, k, later, velocity, step, n_free)
        closing = -(dx * value[k, NX] + dy * value[k, NY])
        if closing > max(value[k, GAP], 0.0) and closing - max(value[k, GAP], 0.0) > rest:
            best, rest = k, closing - max(value[k, GAP], 0.0)
    if best < 0:
        return
    i, j = who[best, 0], who[best, 1]
    nx, ny = value[best, NX], value[best, NY]
    arm_i, arm_j = value[best, AX] * ny - value[best, AY] * nx, value[best, BX] * ny - value[best, BY] * nx
    w = inverse_mass[i] + inverse_mass[j] + arm_i * arm_i * inverse_inertia[i] + arm_j * arm_j * inverse_inertia[j]
    way = (1.0 + largest) * rest / w
    for side in range(2):
        body, sign, arm = (i, -way, arm_i) if side == 0 else (j, way, arm_j)
        if body < n_free:
            struck[body] = True
            later[body, 0] += sign * nx * inverse_mass[body]
            later[body, 1] += sign * ny * inverse_mass[body]
            later[body, 2] += sign * arm * inverse_inertia[body]


@inner
def foresee(
    value, who, pairs, velocity, displacement, step, n_free, size, extent, inverse_mass, inverse_inertia, largest, live,
    struck, later,
):  # fmt: skip
    """Make live the pairs that meet when floes go on as their first impacts will send them.

    Each pair is taken by itself, without friction: a guess, which only has to be right more often than not, for a pair that
    meets and was not foreseen overlaps, and is done again. struck: scratch, false for every body; later: scratch.
    """
    for i in range(n_free):
        later[i, 0], later[i, 1], later[i, 2] = displacement[i, 0], displacement[i, 1], displacement[i, 2]
    for p in range(len(pairs)):
        if live[p]:
            begin = pairs[p, 4]
            _strike(
                value, who, begin, begin + pairs[p, 5], later, velocity, step, n_free, inverse_mass,
                inverse_inertia, largest, struck,
            )  # fmt: skip
    for _ in range(SWEEPS):
        more = False
        for p in range(len(pairs)):
            i, j = pairs[p, 0], pairs[p, 1]
            if live[p] or not (struck[i] or (j < n_free and struck[j])):
                continue
            small = size[i] if j >= n_free else min(size[i], size[j])
            begin, end = pairs[p, 4], pairs[p, 4] + pairs[p, 5]
            for k in range(begin, end):
                dx, dy, da, db = way_between(value, who, k, later, velocity, step, n_free)
                if gap_ahead(value, k, dx, dy, da, db, extent[i], extent[j]) <= ZONE * small + 0.1 * math.sqrt(
                    dx * dx + dy * dy
                ):
                    live[p] = more = True
            if live[p]:
                _strike(
                    value, who, begin, end, later, velocity, step, n_free, inverse_mass, inverse_inertia,
                    largest, struck,
                )  # fmt: skip
        if not more:
            break
    for p in range(len(pairs)):
        struck[pairs[p, 0]] = struck[pairs[p, 1]] = False


@inner
def survey(
    value, who, velocity, displacement, step, n_free, size, pull, extent, reach, shortest, touch, blur, pairs, first, live,
    rest, struck, hopeful,
):  # fmt: skip
    """Gather the contacts into pairs (a, b, images, first contact, contacts); mark those that are live; their count.

    A pair is live when it rests together or a contact point of it may close within the step: its gap, carried on by the
    free displacement of both bodies, with room for the turning of levers and normals. So is a pair with a floe that may
    be struck by another, if its reach (raised by that) takes it there, unless one is `hopeful`: few that are struck meet
    another in the same step, and those that do overlap and are done again. rest: whether it
    rests together. struck: scratch, false for every body.
    """
    count = 0
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        fresh = (
            k == 0
            or who[k - 1, 0] != i
            or who[k - 1, 1] != j
            or value[k - 1, SX] != value[k, SX]
            or value[k - 1, SY] != value[k, SY]
        )
        if fresh:
            pairs[count, 0], pairs[count, 1], pairs[count, 4] = i, j, k
            pairs[count, 2] = pairs[count, 3] = pairs[count, 5] = 0
            first[count] = k
            live[count] = rest[count] = False
            count += 1
        pairs[count - 1, 5] += 1
        if live[count - 1]:
            continue
        small = size[i] if j >= n_free else min(size[i], size[j])
        speed, tangent = relative_speed(value, who, k, velocity)
        turn = max(-curving(value, who, k, velocity, tangent), 0.0)
        slow = rest_speed(pull[i] + pull[j] + turn, touch * small + blur, shortest)
        if value[k, GAP] <= ZONE * small and speed <= slow:
            live[count - 1] = rest[count - 1] = True
            continue
        dx, dy, da, db = way_between(value, who, k, displacement, velocity, step, n_free)
        ahead = gap_ahead(value, k, dx, dy, da, db, extent[i], extent[j])
        # on the way the gap may be smaller than at the end, by what the pull can do
        live[count - 1] = ahead - 0.125 * (pull[i] + pull[j]) * step * step <= ZONE * small
    if hopeful:
        return count
    for p in range(count):
        i, j = pairs[p, 0], pairs[p, 1]
        if live[p] and j < n_free:
            struck[i] = struck[j] = True
    for p in range(count):
        i, j = pairs[p, 0], pairs[p, 1]
        if live[p] or not (struck[i] or struck[j]):
            continue
        last = first[p + 1] if p + 1 < count else len(value)
        for k in range(first[p], last):
            if value[k, GAP] <= reach[i] + reach[j]:
                live[p] = True
    for p in range(count):
        struck[pairs[p, 0]] = struck[pairs[p, 1]] = False
    return count
