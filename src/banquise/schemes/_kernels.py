"""Kernels of the schemes: how far floes may come, what each contact does, steps of groups, the move itself."""

import math

from banquise.jit import bare_inner as inner
from banquise.jit import bare_kernel as kernel
from banquise.schemes._kernels_held import curving

ZONE = 1e-4  # of the smaller size: within it bodies may rest against each other
TOLERANCE = 1e-5  # of the smaller size: overlap that no step may leave behind
MARGIN = 1.05  # on how far a floe in a group may come: it may be struck
COLLAPSE = 6  # impacts in quick succession after which a floe no longer rebounds
# columns of a contact as the detector writes it
NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8


@kernel
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
    count, value, who, velocity, ahead, left, step, quick, rounds, rebounds, n_free, size, pull, shortest, skin, touching,
    blur, soft, direct, largest, state, gap_rate, bounce,
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
        room = gap - skin * small
        touches = room <= touch
        closes = False
        if direct and rounds == 0 and speed < -slow:
            later, _ = relative_speed(value, who, k, ahead)
            closes = room + 0.5 * left * (speed + later) < 0.0
        whole = direct or rounds >= rebounds + (2 if soft else 10) or (soft and abs(speed) <= slow)
        if whole:
            gap_rate[k] = max(room, 0.0) / left if not (touches or closes) else 0.0
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
        bounce[k] = closes if direct else touches and rounds < rebounds
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
            bounce[k] = bounce[k] and steady and largest * approach > slow
    # what is too slow to be an impact, the contacts that hold over the step take away as well: one solve, not two
    return near, 0 if direct and fast == 0 else striking, held


@inner
def longest_step(rows, count, who, state, left, pace, cap, velocity, pull, extent, size, n_free, bend, turn):
    """The time left, cut to its pace for a group in which longer steps left an overlap, or whose bodies are held apart.

    Held bodies are kept apart along arcs, which a point that turns at spin w while it moves at speed v past the other body
    leaves by w^2 v h^3 / 6 in a step h: no more than `bend` tolerances are allowed, nor a `turn` by more than that (radians).
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
        step = min(step, turn / max(spins, 1e-300))
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
def watched(found, value, who, state, n_free, size, skin, touch, aim, blur, pair_a, pair_b, shift, distances, held):
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
            distances[count, 0] = (skin + touch) * small + blur
            distances[count, 1] = (skin + aim) * small + 0.5 * blur
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
