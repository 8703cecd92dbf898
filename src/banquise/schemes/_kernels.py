"""Kernels of the schemes: who may meet within a step, what each contact does, steps of groups, the move itself."""

import math

from numba import njit

COLLAPSE = 6  # impacts in quick succession after which a floe no longer rebounds
# columns of a contact as the detector writes it
NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8


@njit(cache=True, nogil=True)
def reaches(left, velocity, free_velocity, extent, obstacle_time, reach, pull):
    """How far any point of a body may come in the time it has left, and a bound on the acceleration of its points.

    Rows behind the floes (len(left)) are obstacles: steady over `obstacle_time`.
    """
    n = len(left)
    for i in range(len(reach)):
        h = left[i] if i < n else obstacle_time
        speed = math.sqrt(velocity[i, 0] ** 2 + velocity[i, 1] ** 2)
        spin = abs(velocity[i, 2])
        pull[i] = 0.0
        if i < n and h > 0.0:
            later = math.sqrt(free_velocity[i, 0] ** 2 + free_velocity[i, 1] ** 2)
            dx, dy = free_velocity[i, 0] - velocity[i, 0], free_velocity[i, 1] - velocity[i, 1]
            pull[i] = (math.sqrt(dx * dx + dy * dy) + extent[i] * abs(free_velocity[i, 2] - velocity[i, 2])) / h
            speed = max(speed, later)
            spin = max(spin, abs(free_velocity[i, 2]))
        reach[i] = h * (speed + extent[i] * spin)


@njit(cache=True, nogil=True)
def _speed(value, who, k, velocity):
    """Normal speed of b seen from a at contact k."""
    i, j = who[k, 0], who[k, 1]
    u = velocity[j, 0] - velocity[j, 2] * value[k, BY] - velocity[i, 0] + velocity[i, 2] * value[k, AY]
    v = velocity[j, 1] + velocity[j, 2] * value[k, BX] - velocity[i, 1] - velocity[i, 2] * value[k, AX]
    return u * value[k, NX] + v * value[k, NY]


@njit(cache=True, nogil=True)
def rest_speed(pull, touch, shortest):
    """Slower than this two bodies part neither for as long as the shortest flight nor as far as can be told."""
    return max(shortest * pull, 2 * math.sqrt(pull * touch))


@njit(cache=True, nogil=True)
def survey(
    value, who, velocity, displacement, step, n_free, size, pull, extent, reach, shortest, zone, touch, blur, pairs, first,
    live, struck,
):  # fmt: skip
    """Gather the contacts into pairs (a, b) with the first contact of each; mark those that are live; their count.

    A pair is live when it rests together or a contact point of it may close within the step: its gap, carried on by the
    free displacement of both bodies, with room for the turning of levers and normals. So is a pair with a floe that may
    be struck by another, if its reach (raised by that) takes it there.
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
            pairs[count, 0], pairs[count, 1] = i, j
            first[count] = k
            live[count] = False
            count += 1
        if live[count - 1]:
            continue
        small = size[i] if j >= n_free else min(size[i], size[j])
        speed = _speed(value, who, k, velocity)
        slow = rest_speed(pull[i] + pull[j], touch * small + blur, shortest)
        if value[k, GAP] <= zone * small and speed <= slow:
            live[count - 1] = True
            continue
        dx, dy, da, db = 0.0, 0.0, 0.0, 0.0
        for side in range(2):
            body = i if side == 0 else j
            sign = -1.0 if side == 0 else 1.0
            lx, ly = value[k, AX + 2 * side], value[k, AY + 2 * side]
            if body < n_free:
                mx, my, turn = displacement[body, 0], displacement[body, 1], displacement[body, 2]
            else:
                mx, my, turn = step * velocity[body, 0], step * velocity[body, 1], step * velocity[body, 2]
            dx += sign * (mx - turn * ly)
            dy += sign * (my + turn * lx)
            if side == 0:
                da = abs(turn)
            else:
                db = abs(turn)
        ahead = value[k, GAP] + dx * value[k, NX] + dy * value[k, NY]
        bend = (da + db) * math.sqrt(dx * dx + dy * dy) + 0.5 * (
            extent[i] * da * da + min(extent[j], 1e3 * extent[i]) * db * db
        )
        # on the way the gap may be smaller than at the end, by what the pull can do
        live[count - 1] = ahead - bend - 0.125 * (pull[i] + pull[j]) * step * step <= zone * small
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
    return count


@njit(cache=True, nogil=True)
def label_groups(pairs, chosen, n_free, label):
    """Number the groups of floes joined by the chosen pairs (obstacles join nobody) in label; single floes get -1."""
    for i in range(n_free):
        label[i] = -1
    for q in range(len(chosen)):
        for side in range(2):
            i = pairs[chosen[q], side]
            if i < n_free:
                label[i] = i
    for q in range(len(chosen)):
        i, j = pairs[chosen[q], 0], pairs[chosen[q], 1]
        if i >= n_free or j >= n_free:
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
    count = 0
    for i in range(n_free):  # the root is the smallest of its group, so it is met first
        if label[i] < 0:
            continue
        root = i
        while label[root] != root:
            root = label[root]
        label[i] = root
        count += 1
    return count


@njit(cache=True, nogil=True)
def classify(
    value, who, velocity, left, quick, group, rounds, rebounds, n_free, size, pull, shortest, zone, touch, blur, soft,
    largest, approach, state, gap_rate, bounce,
):  # fmt: skip
    """What each contact does now; (how many are near, how many strike, how many are held).

    state: 0 nothing, 1 near (touches), 2 strikes (touches and approaches), +4 held (rests together), +8 whole (its group
    met too often, or `soft` and too slow to rebound: kept apart over the whole step without being met).
    quick: impacts of each floe in quick succession. gap_rate: room over the time left, for contacts that are whole. bounce:
    whether restitution (at most `largest`) acts. approach is scratch.
    """
    near = striking = held = 0
    fastest = 0.0
    for k in range(len(value)):
        i = who[k, 0]
        approach[group[i]] = 0.0
        fastest = max(fastest, abs(_speed(value, who, k, velocity)))
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        state[k], gap_rate[k], bounce[k] = 0, 0.0, False
        if not left[i] > 0.0:
            continue
        small = size[i] if j >= n_free else min(size[i], size[j])
        speed = _speed(value, who, k, velocity)
        slow = max(rest_speed(pull[i] + pull[j], touch * small + blur, shortest), 1e-13 * fastest)
        gap = value[k, GAP]
        touches = gap <= touch * small + blur
        whole = rounds >= rebounds[group[i]] + 10 or (soft and abs(speed) <= slow)
        if whole:
            gap_rate[k] = max(gap, 0.0) / left[i] if not touches else 0.0
        if touches or whole:
            state[k] = 1
            near += 1
            if speed < -slow - gap_rate[k] or (whole and speed < -gap_rate[k] - 1e-13 * fastest):
                state[k] = 2
                striking += 1
                approach[group[i]] = max(approach[group[i]], -speed)
        if whole:
            state[k] += 8
        if whole or (gap <= zone * small and abs(speed) <= slow):
            state[k] += 4
            held += 1
    if striking:
        for k in range(len(value)):
            if state[k] & 3:
                i, j = who[k, 0], who[k, 1]
                small = size[i] if j >= n_free else min(size[i], size[j])
                slow = max(rest_speed(pull[i] + pull[j], touch * small + blur, shortest), 1e-13 * fastest)
                # a rebound too slow to be followed is none; the fastest approach of the group counts, for a contact at
                # rest rebounds too when its neighbour is struck
                # (and one of a floe that is struck again and again, sooner than the shortest flight, is part of a collapse:
                # none either)
                steady = quick[i] < COLLAPSE and (j >= n_free or quick[j] < COLLAPSE)
                bounce[k] = (
                    state[k] < 8 and steady and rounds < rebounds[group[i]] and largest * approach[group[i]] > slow
                )
    return near, striking, held


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def held_rates(value, who, chosen, steps, n_free, size, rest, out):
    """Room over the step at held contacts: what is nearer than `rest` of the smaller size stays where it is."""
    for r in range(len(chosen)):
        k = chosen[r]
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        out[r] = max(value[k, GAP] - rest * small, 0.0) / steps[i]


@njit(cache=True, nogil=True)
def watched(value, who, state, left, n_free, size, touch, aim, blur, pair_a, pair_b, shift, distances, held):
    """Pairs to watch for meetings: those whose time is not up and that are not taken whole; their count."""
    count = 0
    last = -1
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        if not left[i] > 0.0 or state[k] >= 8:
            last = -1
            continue
        if (
            last < 0
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
            last = k
        if state[k] & 4:
            held[count - 1] = True
    return count


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def cut_steps(pair_a, when, chosen, group, together, least, steps):
    """Shorten the steps of groups to their first meeting; how many floes were cut. The first of a pair is a floe."""
    first = math.inf
    for q in range(len(chosen)):
        least[group[chosen[q]]] = math.inf
    for p in range(len(pair_a)):
        g = group[pair_a[p]]
        least[g] = min(least[g], when[p])
        first = min(first, when[p])
    cut = 0
    for q in range(len(chosen)):
        i = chosen[q]
        limit = first if together else least[group[i]]
        if limit < steps[i] * (1 - 1e-12):
            steps[i] = limit
            cut += 1
    return cut


@njit(cache=True, nogil=True)
def held_displacement(chosen, steps, change, displacement, out):
    """Displacement with the velocity change of the contacts spread evenly over the step."""
    for q in range(len(chosen)):
        i = chosen[q]
        for k in range(3):
            out[i, k] = displacement[i, k] + 0.5 * steps[i] * change[i, k]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def contact_speeds(chosen, order, value, who, velocity, out):
    """Relative speeds (normal, tangent) at the contacts of the rows of a problem."""
    for row in range(len(order)):
        k = chosen[order[row]]
        i, j = who[k, 0], who[k, 1]
        u = velocity[j, 0] - velocity[j, 2] * value[k, BY] - velocity[i, 0] + velocity[i, 2] * value[k, AY]
        v = velocity[j, 1] + velocity[j, 2] * value[k, BX] - velocity[i, 1] - velocity[i, 2] * value[k, AX]
        out[row, 0] = u * value[k, NX] + v * value[k, NY]
        out[row, 1] = -u * value[k, NY] + v * value[k, NX]
