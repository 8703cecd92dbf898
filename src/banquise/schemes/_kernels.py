"""Kernels of the schemes: who may meet within a step, what each contact does, steps of groups, the move itself."""

import math

import numpy as np
from numba import njit

from banquise.jit import checked_inner as inner
from banquise.schemes._kernels_held import curving

ZONE = 1e-4  # of the smaller size: within it bodies may rest against each other
TOLERANCE = 1e-5  # of the smaller size: overlap that no step may leave behind
TURN = 0.1  # radians: how far held bodies may turn in a step
MARGIN = 1.05  # on how far a floe in a group may come: it may be struck
BLOCK = 1024  # floes whose work is added up together, whatever the threads
LARGE = 32  # pairs at rest from which on a group takes in what may meet it
SWEEPS = 3  # floes in a row that are foreseen to be struck one after the other
COLLAPSE = 6  # impacts in quick succession after which a floe no longer rebounds
# columns of a contact as the detector writes it
NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8


@njit(cache=True, nogil=True)
def reaches(rows, left, velocity, free_velocity, extent, drift, reach, pull):
    """How far any point of some floes may come in the time left, and a bound on the acceleration of their points.

    drift: mean velocity of all floes over the step, from which ways are counted.
    """
    for q in range(len(rows)):
        i = rows[q]
        h = left[i]
        speed = math.sqrt((velocity[i, 0] - drift[0]) ** 2 + (velocity[i, 1] - drift[1]) ** 2)
        spin = abs(velocity[i, 2])
        pull[i] = 0.0
        if h > 0.0:
            later = math.sqrt((free_velocity[i, 0] - drift[0]) ** 2 + (free_velocity[i, 1] - drift[1]) ** 2)
            dx, dy = free_velocity[i, 0] - velocity[i, 0], free_velocity[i, 1] - velocity[i, 1]
            pull[i] = (math.sqrt(dx * dx + dy * dy) + extent[i] * abs(free_velocity[i, 2] - velocity[i, 2])) / h
            speed = max(speed, later)
            spin = max(spin, abs(free_velocity[i, 2]))
        reach[i] = MARGIN * h * (speed + extent[i] * spin)


@inner
def relative_speed(value, who, k, velocity):
    """Normal and tangential speed of b seen from a at contact k."""
    i, j = who[k, 0], who[k, 1]
    u = velocity[j, 0] - velocity[j, 2] * value[k, BY] - velocity[i, 0] + velocity[i, 2] * value[k, AY]
    v = velocity[j, 1] + velocity[j, 2] * value[k, BX] - velocity[i, 1] - velocity[i, 2] * value[k, AX]
    return u * value[k, NX] + v * value[k, NY], -u * value[k, NY] + v * value[k, NX]


@inner
def rest_speed(pull, touch, shortest):
    """Slower than this two bodies part neither for as long as the shortest flight nor as far as can be told."""
    return max(shortest * pull, 2 * math.sqrt(pull * touch))


@inner
def way_between(value, who, k, displacement, velocity, step, n_free):
    """How far b comes at contact k seen from a over a step, and how far each of them turns."""
    i, j = who[k, 0], who[k, 1]
    ix, iy, turn_i = displacement[i, 0], displacement[i, 1], displacement[i, 2]
    if j < n_free:
        jx, jy, turn_j = displacement[j, 0], displacement[j, 1], displacement[j, 2]
    else:
        jx, jy, turn_j = step * velocity[j, 0], step * velocity[j, 1], step * velocity[j, 2]
    dx = jx - turn_j * value[k, BY] - ix + turn_i * value[k, AY]
    dy = jy + turn_j * value[k, BX] - iy - turn_i * value[k, AX]
    return dx, dy, abs(turn_i), abs(turn_j)


@inner
def gap_ahead(value, k, dx, dy, da, db, extent_a, extent_b):
    """The gap of contact k at the end of such a way, less what the turning of levers and normals can take from it."""
    bend = (da + db) * math.sqrt(dx * dx + dy * dy) + 0.5 * (
        extent_a * da * da + min(extent_b, 1e3 * extent_a) * db * db
    )
    return value[k, GAP] + dx * value[k, NX] + dy * value[k, NY] - bend


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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
            pairs[count, 5] = 0
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


@inner
def close_levers(count, value, who, pose):
    """Let both levers of a contact end in one place, halfway across: else the gap is an arm for the friction."""
    for k in range(count):
        i, j = who[k, 0], who[k, 1]
        dx, dy = value[k, GAP] * value[k, NX], value[k, GAP] * value[k, NY]
        if who[k, 2] & 3 == 2:  # two points in one place are not across the normal from each other
            dx = pose[j, 0] + value[k, SX] + value[k, BX] - pose[i, 0] - value[k, AX]
            dy = pose[j, 1] + value[k, SY] + value[k, BY] - pose[i, 1] - value[k, AY]
        value[k, AX] += 0.5 * dx
        value[k, AY] += 0.5 * dy
        value[k, BX] -= 0.5 * dx
        value[k, BY] -= 0.5 * dy


@inner
def contact_state(
    count, value, who, velocity, ahead, left, step, quick, rounds, rebounds, n_free, size, pull, shortest, touching, blur,
    soft, direct, largest, state, gap_rate, bounce,
):  # fmt: skip
    """What each contact of a group does now; (how many are near, how many strike, how many are held).

    state: 0 nothing, 1 near (touches), 2 strikes (touches and approaches), +4 held (rests together), +8 whole (the group
    met too often, or `soft` and too slow to rebound: kept apart over the whole step without being met).
    direct: all are whole from the start, and those that would close within the step strike and rebound where they are.
    quick: impacts of each floe in quick succession. gap_rate: room over the time left, for contacts that are whole.
    bounce: whether restitution (at most `largest`) acts.
    """
    near = striking = held = fast = 0
    fastest = approach = 0.0
    for k in range(count):
        fastest = max(fastest, abs(relative_speed(value, who, k, velocity)[0]))
    for k in range(count):
        i, j = who[k, 0], who[k, 1]
        state[k], gap_rate[k], bounce[k] = 0, 0.0, False
        small = size[i] if j >= n_free else min(size[i], size[j])
        speed, tangent = relative_speed(value, who, k, velocity)
        turn = max(-curving(value, who, k, velocity, tangent), 0.0)  # what rolls and slides is pulled in as well
        # nor does what parts or nears by less than the touch in a whole step: round-off where nothing pulls
        touch = touching * small + blur
        slow = max(rest_speed(pull[i] + pull[j] + turn, touch, shortest), touch / step, 1e-13 * fastest)
        gap = value[k, GAP]
        touches = gap <= touch
        closes = False
        if direct and rounds == 0 and speed < -slow:
            later, _ = relative_speed(value, who, k, ahead)
            closes = gap + 0.5 * left * (speed + later) < 0.0
        whole = direct or rounds >= rebounds + (2 if soft else 10) or (soft and abs(speed) <= slow)
        if whole:
            gap_rate[k] = max(gap, 0.0) / left if not (touches or closes) else 0.0
        if touches or whole:
            state[k] = 1
            near += 1
            # what sinks in less than a part of the tolerance is for the contacts that hold to keep out
            little = 1e-6 * small / left if soft else 1e-13 * fastest
            if speed < -slow - gap_rate[k] or (whole and speed < -gap_rate[k] - little):
                state[k] = 2
                striking += 1
                fast += speed < -slow - gap_rate[k]
                approach = max(approach, -speed)
        bounce[k] = closes
        if whole:
            state[k] += 8
        if whole or (gap <= ZONE * small and abs(speed) <= slow):
            state[k] += 4
            held += 1
    for k in range(count if striking else 0):
        if state[k] & 3:
            i, j = who[k, 0], who[k, 1]
            small = size[i] if j >= n_free else min(size[i], size[j])
            slow = max(rest_speed(pull[i] + pull[j], touching * small + blur, shortest), 1e-13 * fastest)
            # a rebound too slow to be followed is none; the fastest approach of the group counts, for a contact at
            # rest rebounds too when its neighbour is struck (and one of a floe that is struck again and again, sooner
            # than the shortest flight, is part of a collapse: none either)
            steady = quick[i] < COLLAPSE and (j >= n_free or quick[j] < COLLAPSE)
            followed = bounce[k] if direct else state[k] < 8 and rounds < rebounds
            bounce[k] = followed and steady and largest * approach > slow
    # what is too slow to be an impact, the contacts that hold over the step take away as well: one solve, not two
    return near, 0 if direct and fast == 0 else striking, held


@inner
def longest_step(rows, count, who, state, left, pace, cap, velocity, pull, extent, size, n_free, bend):
    """The time left, cut to its pace for a group in which longer steps left an overlap, or whose bodies are held apart.

    Held bodies are kept apart along arcs, which a point that turns at spin w while it moves at speed v past the other body
    leaves by w^2 v h^3 / 6 in a step h: no more than `bend` tolerances are allowed, nor a turn by more than TURN.
    """
    step = min(left, pace)
    for q in range(len(rows)):
        step = min(step, cap[rows[q]])
    for k in range(count):
        if state[k] < 4:
            continue
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        dx, dy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
        spins = abs(velocity[i, 2]) + abs(velocity[j, 2])
        speed = math.sqrt(dx * dx + dy * dy) + left * (pull[i] + pull[j])
        speed += extent[i] * abs(velocity[i, 2]) + min(extent[j], 1e3 * extent[i]) * abs(velocity[j, 2])
        step = min(step, (6 * bend * TOLERANCE * small / max(spins * spins * speed, 1e-300)) ** (1.0 / 3.0))
        step = min(step, TURN / max(spins, 1e-300))
    return left / math.ceil(left / step - 1e-9)  # in equal parts: a short one at the end costs as much as the others


@inner
def note_impacts(who, state, n_free, shortest, since, quick):
    """Count the impacts of each floe that come sooner after its last one than the shortest flight; start its clock anew."""
    for k in range(len(who)):
        if not state[k] & 2:
            continue
        for side in range(2):
            i = who[k, side]
            if i < n_free and since[i] > 0.0:
                quick[i] = quick[i] + 1 if since[i] < shortest else 0
                since[i] = 0.0


@inner
def watched(found, value, who, state, n_free, size, touch, aim, blur, pair_a, pair_b, shift, distances, held):
    """Pairs of a group to watch for meetings: those that are not taken whole; their count."""
    count = 0
    fresh = True
    for k in range(found):
        if state[k] >= 8:
            fresh = True
            continue
        i, j = who[k, 0], who[k, 1]
        if (
            fresh
            or pair_a[count - 1] != i
            or pair_b[count - 1] != j
            or shift[count - 1, 0] != value[k, SX]
            or shift[count - 1, 1] != value[k, SY]
        ):
            small = size[i] if j >= n_free else min(size[i], size[j])
            pair_a[count], pair_b[count] = i, j
            shift[count, 0], shift[count, 1] = value[k, SX], value[k, SY]
            distances[count, 0], distances[count, 1] = touch * small + blur, aim * small + 0.5 * blur
            held[count] = False
            count += 1
            fresh = False
        if state[k] & 4:
            held[count - 1] = True
    return count


@inner
def paths(chosen, velocity, displacement, steps, n_free, motion):
    """Velocity and half acceleration (n, 6) of the path that has this velocity at first and this displacement at the end."""
    for q in range(len(chosen)):
        i = chosen[q]
        h = steps[i]
        for k in range(3):
            motion[i, k] = velocity[i, k]
            motion[i, 3 + k] = (displacement[i, k] / h - velocity[i, k]) / h if h > 0.0 else 0.0
    for i in range(n_free, len(motion)):
        for k in range(3):
            motion[i, k], motion[i, 3 + k] = velocity[i, k], 0.0


@inner
def held_displacement(chosen, steps, change, displacement, out):
    """Displacement with the velocity change of the contacts spread evenly over the step."""
    for q in range(len(chosen)):
        i = chosen[q]
        for k in range(3):
            out[i, k] = displacement[i, k] + 0.5 * steps[i] * change[i, k]


@inner
def move(
    chosen, steps, free_velocity, change, displacement, force, pushes, mass, gravity, x, y, angle, cos, sin, u, v, spin,
    velocity, pose, left, since, work,
):  # fmt: skip
    """Move the chosen floes by their displacement, give them their velocities, add up the work of each force."""
    for q in range(len(chosen)):
        i = chosen[q]
        if steps[i] == 0.0:
            continue
        since[i] += steps[i]
        dx, dy, da = displacement[i, 0], displacement[i, 1], displacement[i, 2]
        for k in range(2):
            work[k] += force[i, k, 0] * dx + force[i, k, 1] * dy + force[i, k, 2] * da
        work[2] += mass[i] * (gravity[0] * dx + gravity[1] * dy)
        work[3] += pushes[i, 0] * dx + pushes[i, 1] * dy + pushes[i, 2] * da
        x[i] += dx
        y[i] += dy
        angle[i] += da
        cos[i], sin[i] = math.cos(angle[i]), math.sin(angle[i])
        pose[i, 0], pose[i, 1], pose[i, 2], pose[i, 3] = x[i], y[i], cos[i], sin[i]
        for k in range(3):
            velocity[i, k] = free_velocity[i, k] + change[i, k]
        u[i], v[i], spin[i] = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        left[i] = 0.0 if steps[i] >= left[i] else left[i] - steps[i]


@inner
def contact_speeds(chosen, order, value, who, velocity, out):
    """Relative speeds (normal, tangent) at the contacts of the rows of a problem."""
    for row in range(len(order)):
        out[row, 0], out[row, 1] = relative_speed(value, who, chosen[order[row]], velocity)


@njit(cache=True, nogil=True)
def farthest(x, y):
    """The largest coordinate."""
    far = 0.0
    for i in range(len(x)):
        far = max(far, abs(x[i]), abs(y[i]))
    return far


@njit(cache=True, nogil=True)
def reaches_of_all(step, u, v, spin, free_velocity, way, extent, drift, reach, pull):
    """How far any point of each floe comes over the whole step, and a bound on the acceleration of its points.

    drift: the mean velocity of all, from which ways are counted: what all do together brings nobody nearer to another.
    """
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


@njit(cache=True, nogil=True)
def take_up_found(who, n_free, step, b, s, mark):
    """The state of the floes of some contacts at the start of the step. mark: scratch, false for every body."""
    for k in range(len(who)):
        mark[who[k, 0]] = mark[who[k, 1]] = True
    row = np.empty(1, np.int64)
    for i in range(n_free):
        if mark[i]:
            row[0] = i
            take_up(row, step, b, s)
    for i in range(len(mark)):
        mark[i] = False


@njit(cache=True, nogil=True)
def near_contacts(value, who, size, n_free, near):
    """List the contacts at which bodies may rest against each other; how many, and the deepest overlap, of the smaller size."""
    count, deepest = 0, 0.0
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        if value[k, GAP] <= ZONE * small:
            near[count] = k
            count += 1
            deepest = max(deepest, -value[k, GAP] / small)
    return count, deepest


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def take_up(rows, step, b, s):
    """The state of some floes at the start of the step."""
    for q in range(len(rows)):
        i = rows[q]
        s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
        s.pose[i, 0], s.pose[i, 1], s.pose[i, 2], s.pose[i, 3] = b.x[i], b.y[i], b.cos[i], b.sin[i]
        s.left[i], s.since[i], s.quick[i] = step, math.inf, 0
        for k in range(3):
            s.ahead[i, k] = s.free_velocity[i, k]
            s.change[i, k] = s.stress[i, k] = s.water[i, k] = 0.0


@njit(cache=True, nogil=True)
def list_groups(pairs, live, n_free, label, number, members, member_start, listed, pair_start, where):
    """Groups of floes joined by live pairs, as lists; (how many, members in all, pairs in all).

    pairs (p, 6): rows, images, contacts; obstacles join nobody. Groups are numbered by their first member; a group has every
    pair of its members, live or not, for an impact may send them anywhere. label: root of each floe, -1 for those in
    none. where: scratch (p,).
    """
    for i in range(n_free):
        label[i] = number[i] = -1
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
    last, last_pair = total, count
    for g in range(groups - 1, -1, -1):  # ends of the groups, moved down to their starts as they fill
        size, size_pair = member_start[g], pair_start[g]
        member_start[g], pair_start[g] = last, last_pair
        last, last_pair = last - size, last_pair - size_pair
    member_start[groups], pair_start[groups] = total, count
    for i in range(n_free - 1, -1, -1):
        if label[i] >= 0:
            g = number[label[i]]
            member_start[g] -= 1
            members[member_start[g]] = i
    for p in range(len(pairs) - 1, -1, -1):
        g = where[p]
        if g >= 0:
            pair_start[g] -= 1
            at = pair_start[g]
            for k in range(6):
                listed[at, k] = pairs[p, k]
    return groups, total, count


@njit(cache=True, nogil=True)
def join_large(pairs, rest, n_free, label, number, groups, live):
    """Make live what may meet a group of which much rests together: to do it again is dear; whether there is any."""
    resting = np.zeros(groups, np.int64)
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


@njit(cache=True, nogil=True)
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
            b.cos[i], b.sin[i] = math.cos(b.angle[i]), math.sin(b.angle[i])
            b.u[i], b.v[i], b.spin[i] = s.free_velocity[i, 0], s.free_velocity[i, 1], s.free_velocity[i, 2]
            for k in range(3):
                s.water[i, k] = s.force[i, 1, k] * step
        sums[block, 0], sums[block, 1], sums[block, 2], sums[block, 3] = w0, w1, w2, w3


@njit(cache=True, nogil=True)
def put_back(rows, start, b):
    """Put some floes back to where they were at the start of the step (8, n: x, y, angle, cos, sin, u, v, spin)."""
    for q in range(len(rows)):
        i = rows[q]
        b.x[i], b.y[i], b.angle[i], b.cos[i], b.sin[i] = start[0, i], start[1, i], start[2, i], start[3, i], start[4, i]
        b.u[i], b.v[i], b.spin[i] = start[5, i], start[6, i], start[7, i]
