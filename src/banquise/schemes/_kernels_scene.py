# mypy: ignore-errors
"""Kernels of the whole scene: who may meet within a step, the groups of those that will, what is pushed, and who is alone."""

import math

import numpy as np

from banquise.jit import bare_inline, bare_kernel, kernel
from banquise.jit import bare_inner as inner
from banquise.motion._kernels_series import cos_sin
from banquise.schemes._kernels import (
    AX,
    AY,
    BX,
    BY,
    GAP,
    MARGIN,
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
from banquise.schemes.codes import BLUR, CURRENT, GRAVITY, PUSH, ROUNDS, TIME, WIND

ZERO = np.int64(0)  # typed: written out it would compile copies of what it is handed to
ROUND_OFF = 2e-15  # of the largest coordinate: nearer than this nobody can tell
BLOCK = 1024  # floes whose work is added up together, whatever the threads
LARGE = 32  # pairs at rest from which on a group takes in what may meet it
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
def _foresee(
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
def _survey(
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


@bare_kernel
def begin_step(time, step, b, s, start, careful):
    """Keep the bodies' motion as it is at the start of the step (8, all: x, y, angle, cos, sin, u, v, spin), take up that of
    the obstacles, and note the time and how near nobody can tell."""
    n, far = len(s.steps), 0.0
    for i in range(start.shape[1]):
        start[0, i], start[1, i], start[2, i], start[3, i], start[4, i] = b.x[i], b.y[i], b.angle[i], b.cos[i], b.sin[i]
        start[5, i], start[6, i], start[7, i] = b.u[i], b.v[i], b.spin[i]
        far = max(far, abs(b.x[i]), abs(b.y[i]))
    for i in range(n):
        s.steps[i], s.pace[i], careful[i] = step, math.inf, False
    for i in range(n, start.shape[1]):
        s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
        s.ahead[i, 0], s.ahead[i, 1], s.ahead[i, 2] = b.u[i], b.v[i], b.spin[i]
        s.pose[i, 0], s.pose[i, 1], s.pose[i, 2], s.pose[i, 3] = b.x[i], b.y[i], b.cos[i], b.sin[i]
        s.obstacles[i - n, 0], s.obstacles[i - n, 1], s.obstacles[i - n, 2] = b.x[i], b.y[i], b.angle[i]
    s.now[TIME], s.now[BLUR] = time, ROUND_OFF * far


@bare_kernel
def reaches_of_all(step, b, s):
    """How far any point of each body comes over the whole step, and a bound on the acceleration of the points of floes.

    drift: the mean velocity of all floes, from which ways are counted: what all do together brings nobody nearer to another.
    """
    u, v, spin, extent, free_velocity, way = b.u, b.v, b.spin, b.extent, s.free_velocity, s.free_displacement
    drift, reach, pull = s.drift, s.reach, s.pull
    n = len(free_velocity)
    drift[0] = drift[1] = 0.0
    for i in range(n):
        drift[0] += way[i, 0]
        drift[1] += way[i, 1]
    mx, my = drift[0] / max(n, 1), drift[1] / max(n, 1)
    drift[0], drift[1] = mx / step, my / step
    for i in range(n):
        dx, dy = free_velocity[i, 0] - u[i], free_velocity[i, 1] - v[i]
        pull[i] = (math.sqrt(dx * dx + dy * dy) + extent[i] * abs(free_velocity[i, 2] - spin[i])) / step
        far = math.sqrt((way[i, 0] - mx) ** 2 + (way[i, 1] - my) ** 2) + extent[i] * abs(way[i, 2])
        reach[i] = MARGIN * (far + 0.125 * pull[i] * step * step)
    for i in range(n, len(reach)):
        reach[i] = step * (math.sqrt((u[i] - drift[0]) ** 2 + (v[i] - drift[1]) ** 2) + extent[i] * abs(spin[i]))


@bare_inline
def _take_up(i, step, b, s):
    """The state of floe i at the start of the step."""
    s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
    s.pose[i, 0], s.pose[i, 1], s.pose[i, 2], s.pose[i, 3] = b.x[i], b.y[i], b.cos[i], b.sin[i]
    s.left[i], s.since[i], s.quick[i] = step, math.inf, 0
    for k in range(3):
        s.ahead[i, k] = s.free_velocity[i, k]
        s.change[i, k] = s.stress[i, k] = s.water[i, k] = 0.0


@bare_kernel
def take_up_found(value, who, b, s):
    """The velocities of the floes of some contacts at the start of the step; the deepest overlap, of the smaller size."""
    n_free, deepest = len(s.steps), 0.0
    for k in range(len(who)):
        if value[k, GAP] < 0.0:
            i, j = who[k, 0], who[k, 1]
            small = b.size[i] if j >= n_free else min(b.size[i], b.size[j])
            deepest = max(deepest, -value[k, GAP] / small)
        for side in range(2):
            i = who[k, side]
            if i < n_free:
                s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
    return deepest


@bare_kernel
def near_contacts(value, who, size, n_free, near):
    """List the contacts at which bodies may rest against each other; how many."""
    count = 0
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        if value[k, GAP] <= ZONE * small:
            near[count] = k
            count += 1
    return count


@bare_kernel
def shift_contacts(value, who, change, n_free):
    """Carry contacts along with floes that are shifted and turned a very little (n, 3), to first order."""
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        free = j < n_free
        ix, iy, turn_i = change[i, 0], change[i, 1], change[i, 2]
        jx, jy, turn_j = (change[j, 0], change[j, 1], change[j, 2]) if free else (0.0, 0.0, 0.0)
        if ix == 0.0 and iy == 0.0 and turn_i == 0.0 and jx == 0.0 and jy == 0.0 and turn_j == 0.0:
            continue
        nx, ny, ax, ay, bx, by = value[k, NX], value[k, NY], value[k, AX], value[k, AY], value[k, BX], value[k, BY]
        dx, dy = jx - turn_j * by - ix + turn_i * ay, jy + turn_j * bx - iy - turn_i * ax
        turn = turn_i if who[k, 2] < 4 else turn_j  # that of the body which has the edge
        value[k, GAP] += dx * nx + dy * ny
        value[k, NX], value[k, NY] = nx - turn * ny, ny + turn * nx
        value[k, AX], value[k, AY] = ax - turn_i * ay, ay + turn_i * ax
        value[k, BX], value[k, BY] = bx - turn_j * by, by + turn_j * bx


@kernel
def find_pairs(pairs, wanted, mark):
    """Where each of a few pairs (k, 2) stands in a list of pairs, -1 for none. mark: scratch, false for every body."""
    place = np.full(len(wanted), -1, np.int64)
    for k in range(len(wanted)):
        mark[wanted[k, 0]] = mark[wanted[k, 1]] = True
    for p in range(len(pairs)):
        if not (mark[pairs[p, 0]] and mark[pairs[p, 1]]):
            continue
        for k in range(len(wanted)):
            if pairs[p, 0] == wanted[k, 0] and pairs[p, 1] == wanted[k, 1]:
                place[k] = p
    for k in range(len(wanted)):
        mark[wanted[k, 0]] = mark[wanted[k, 1]] = False
    return place


@bare_kernel
def take_up(rows, step, b, s):
    """The state of some floes at the start of the step."""
    for q in range(len(rows)):
        _take_up(rows[q], step, b, s)


@bare_kernel
def list_groups(pairs, live, n_free, first, label, number, members, member_start, listed, pair_start, where, home):
    """Groups of floes joined by live pairs, as lists; (how many, members in all, pairs in all, pairs of the largest).

    pairs (p, 6): rows, images, contacts; obstacles join nobody. Groups are numbered by their first member; a group has every
    pair of its members, live or not, for an impact may send them anywhere. label: root of each floe, -1 for those in
    none. home: the number of its group, counted from `first`; of those in none it stays as it is, or is -1 where first is 0.
    where: scratch (p,).
    """
    for i in range(n_free):
        label[i] = number[i] = -1
        if first == 0:
            home[i] = -1
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        if not live[p]:
            continue
        for side in range(2):
            k = pairs[p, side]
            if k < n_free and label[k] < 0:
                label[k] = k
        if j >= n_free:
            continue
        while label[i] != i:
            label[i] = label[label[i]]
            i = label[i]
        while label[j] != j:
            label[j] = label[label[j]]
            j = label[j]
        if i < j:
            label[j] = i
        else:
            label[i] = j
    groups = total = 0
    for i in range(n_free):  # the root is the smallest of its group, so it is met first
        if label[i] < 0:
            continue
        root = i
        while label[root] != root:
            root = label[root]
        label[i] = root
        if root == i:
            number[i] = groups
            member_start[groups] = 0
            pair_start[groups] = 0
            groups += 1
        member_start[number[root]] += 1
        total += 1
    count = 0
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        where[p] = -1
        if label[i] >= 0 and (j >= n_free or label[j] == label[i]):
            where[p] = number[label[i]]
            pair_start[where[p]] += 1
            count += 1
    last, last_pair, most = total, count, 0
    for g in range(groups - 1, -1, -1):  # ends of the groups, moved down to their starts as they fill
        size, size_pair = member_start[g], pair_start[g]
        most = max(most, size_pair)
        member_start[g], pair_start[g] = last, last_pair
        last, last_pair = last - size, last_pair - size_pair
    member_start[groups], pair_start[groups] = total, count
    for i in range(n_free - 1, -1, -1):
        if label[i] >= 0:
            g = number[label[i]]
            member_start[g] -= 1
            members[member_start[g]] = i
            home[i] = first + g
    for p in range(len(pairs) - 1, -1, -1):
        g = where[p]
        if g >= 0:
            pair_start[g] -= 1
            at = pair_start[g]
            for k in range(6):
                listed[at, k] = pairs[p, k]
    return groups, total, count, most


@inner
def _join_large(pairs, rest, n_free, label, number, groups, live, resting):
    """Make live what may meet a group of which much rests together: to do it again is dear; whether there is any.

    resting: scratch, a number a group.
    """
    for g in range(groups):
        resting[g] = 0
    for p in range(len(pairs)):
        if rest[p]:
            resting[number[label[pairs[p, 0]]]] += 1
    joined = False
    for p in range(len(pairs)):
        if live[p] or pairs[p, 1] >= n_free:
            continue
        for side in range(2):
            i = pairs[p, side]
            if label[i] >= 0 and resting[number[label[i]]] >= LARGE:
                live[p] = joined = True
    return joined


@inner
def _note_images(value, pairs, count, wraps, period):
    """Which image of its second body each pair is about, by whole periods."""
    for p in range(count):
        i, j, k = pairs[p, 0], pairs[p, 1], pairs[p, 4]
        for axis in range(2):
            image = round(value[k, 7 + axis] / period[axis]) if period[axis] > 0.0 else 0
            pairs[p, 2 + axis] = image - wraps[i, axis] + wraps[j, axis]


@bare_kernel
def group_up(step, value, who, rule, b, s, view, mark, label, number, home, lists):
    """The pairs that may meet in this step, and groups of those that look as if they will or rest together, whose state at the
    start of the step is taken up.

    Returns how many pairs, groups, members of groups, pairs in groups, and pairs in the largest of them.
    """
    n = len(s.steps)
    pairs, live, rest = lists.pairs, lists.live, lists.rest
    count = _survey(
        value, who, s.velocity, s.free_displacement, step, n, b.size, s.pull, b.extent, s.reach, rule.shortest, rule.touch,
        s.now[BLUR], pairs, lists.first, live, rest, mark, rule.soft,
    )  # fmt: skip
    pairs, live, rest = pairs[:count], live[:count], rest[:count]
    if rule.soft:
        _foresee(
            value, who, pairs, s.velocity, s.free_displacement, step, n, b.size, b.extent, b.inverse_mass, b.inverse_inertia,
            rule.largest, live, mark, s.displacement,
        )  # fmt: skip
    if view.period[0] > 0.0 or view.period[1] > 0.0:
        _note_images(value, pairs, count, view.wraps, view.period)
    while True:
        groups, total, listed, most = list_groups(
            pairs, live, n, ZERO, label, number, lists.members, lists.member_start, lists.listed, lists.pair_start, lists.where,
            home,
        )  # fmt: skip
        if not (rule.soft and _join_large(pairs, rest, n, label, number, groups, live, lists.resting)):
            break
    for q in range(total):
        _take_up(lists.members[q], step, b, s)
    return count, groups, total, listed, most


@bare_kernel
def move_idle(first, last, label, step, b, f, s, sums):
    """Move the floes of blocks first:last that are in no group; the work on each block."""
    n = len(label)
    for block in range(first, last):
        w0 = w1 = w2 = w3 = 0.0
        for i in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            if label[i] >= 0:
                continue
            dx, dy, da = s.free_displacement[i, 0], s.free_displacement[i, 1], s.free_displacement[i, 2]
            w0 += s.force[i, 0, 0] * dx + s.force[i, 0, 1] * dy + s.force[i, 0, 2] * da
            w1 += s.force[i, 1, 0] * dx + s.force[i, 1, 1] * dy + s.force[i, 1, 2] * da
            w2 += b.mass[i] * (f.gravity[0] * dx + f.gravity[1] * dy)
            w3 += f.pushes[i, 0] * dx + f.pushes[i, 1] * dy + f.pushes[i, 2] * da
            b.x[i] += dx
            b.y[i] += dy
            b.angle[i] += da
            b.cos[i], b.sin[i] = cos_sin(b.angle[i])
            b.u[i], b.v[i], b.spin[i] = s.free_velocity[i, 0], s.free_velocity[i, 1], s.free_velocity[i, 2]
            for k in range(3):
                s.water[i, k] = s.force[i, 1, k] * step
        sums[block, 0], sums[block, 1], sums[block, 2], sums[block, 3] = w0, w1, w2, w3


@bare_kernel
def put_back(rows, start, b):
    """Put some floes back to where they were at the start of the step (8, n: x, y, angle, cos, sin, u, v, spin)."""
    for q in range(len(rows)):
        i = rows[q]
        b.x[i], b.y[i], b.angle[i], b.cos[i], b.sin[i] = start[0, i], start[1, i], start[2, i], start[3, i], start[4, i]
        b.u[i], b.v[i], b.spin[i] = start[5, i], start[6, i], start[7, i]


@bare_kernel
def sum_up(member_start, members, stale, totals, stress, sums, most, all_stress):
    """Add the groups' totals up, group by group, and the stress of their members; find the largest of each total.

    Those done again elsewhere are left out (but for how many rounds they took).
    """
    for g in range(len(totals)):
        most[ROUNDS] = max(most[ROUNDS], totals[g, ROUNDS])
        if stale[g]:
            continue
        for k in range(totals.shape[1]):
            sums[k] += totals[g, k]
            most[k] = max(most[k], totals[g, k])
        for q in range(member_start[g], member_start[g + 1]):
            i = members[q]
            for k in range(3):
                all_stress[i, k] += stress[i, k]


@bare_kernel
def begin_sums(idle, sums, most):
    """Totals of the step before any group's: the work on floes that are in none, block by block."""
    for k in range(len(sums)):
        sums[k] = most[k] = 0.0
    for block in range(len(idle)):
        sums[WIND] += idle[block, 0]
        sums[CURRENT] += idle[block, 1]
        sums[GRAVITY] += idle[block, 2]
        sums[PUSH] += idle[block, 3]


@bare_kernel
def lengthen(cap, step, times):
    """Let floes that had to take shorter steps take longer ones again, up to the whole."""
    for i in range(len(cap)):
        if cap[i] < math.inf:
            cap[i] *= times
            if cap[i] >= step:
                cap[i] = math.inf
