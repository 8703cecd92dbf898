# mypy: ignore-errors
"""What the phases of a group do: its problems written and solved, impacts picked and booked, impulses kept and handed in."""

import math

import numpy as np

from banquise.contact._kernels_laws import (
    add_scaled,
    book,
    contact_rows,
    gather_y,
    guard,
    island_reference,
    speeds,
    velocity_changes,
    write_event,
)
from banquise.jit import bare_inline as inline
from banquise.jit import bare_inner as inner
from banquise.jit import bare_kernel as kernel
from banquise.motion._kernels import free_motion
from banquise.schemes._kernels import relative_speed
from banquise.schemes.codes import (
    ADDED,
    AGAIN,
    BODIES,
    FOUND,
    FROM_OBSTACLES,
    HOLD,
    ISLAND_COUNT,
    ISLANDS,
    LARGEST,
    LOADS,
    LOST,
    MOVE,
    NO_ROOM,
    PHASE,
    RESIDUAL,
    ROWS,
    SOLVED,
)
from banquise.solvers._kernels_island import solve_island
from banquise.solvers._kernels_large import quick_island

# typed: written out they would compile copies of what they are handed to
ZERO, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)
REST = 1e-4  # of the speed that forces would give: slower is at rest
POLISH = 1e-3  # of the tolerance to which large islands at rest are solved
SEQUENCE = 1000  # passes of the sequential order before the rest is taken at once, and said
RELAX = 2000  # passes from which on the approach that the threshold let be is taken up
NX, NY, AX, AY, BX, BY = 0, 1, 2, 3, 4, 5


@inner
def fly(rows, steps, b, f, room, free_velocity, free_displacement, force, ahead):
    """Free motion of some floes over their steps, and their velocity at the end where contacts look for it."""
    free_motion(
        ZERO, len(rows), rows, steps, f.coriolis, f.gravity, f.euler, f.turn_c, f.turn_s,
        b.cos, b.sin, b.u, b.v, b.spin, b.mass, b.inertia, b.area, b.extent,
        b.qx, b.qy, b.qw, b.moment_x, b.moment_y, b.spread,
        f.air_mode, f.relative, f.air_u, f.air_v, f.air_flow, f.air_density, f.air_drag,
        f.water_mode, f.water_u, f.water_v, f.water_flow, f.water_density, f.water_drag,
        f.pushes, math.inf, room, free_velocity, free_displacement, force,
    )  # fmt: skip
    for q in range(len(rows)):
        i = rows[q]
        for k in range(3):
            ahead[i, k] = free_velocity[i, k]


@inner
def place_obstacles(n_free, gone, left, obstacles, velocity, extent, drift, pose, reach):
    """Moving obstacles where they are `gone` seconds into the step: on the straight way of this step."""
    for o in range(len(obstacles)):
        k = n_free + o
        turn = obstacles[o, 2] + gone * velocity[k, 2]
        pose[k, 0] = obstacles[o, 0] + gone * velocity[k, 0]
        pose[k, 1] = obstacles[o, 1] + gone * velocity[k, 1]
        pose[k, 2], pose[k, 3] = math.cos(turn), math.sin(turn)
        speed = math.sqrt((velocity[k, 0] - drift[0]) ** 2 + (velocity[k, 1] - drift[1]) ** 2)
        reach[k] = left * (speed + extent[k] * abs(velocity[k, 2]))


@inner
def write_problem(
    count, chosen, value, who, slot, inverse_mass, inverse_inertia, velocity, rate, bounce, material, table, control, p
):  # fmt: skip
    """The problem of the contacts chosen[:count] at these velocities."""
    bodies, islands = contact_rows(
        chosen[:count], value, who, slot, inverse_mass, inverse_inertia, velocity, rate, bounce, material, table.friction,
        table.restitution, p.bodies, p.order, p.start, p.G, p.W, p.c, p.bias, p.mu, p.epsilon, p.a, p.b,
    )  # fmt: skip
    for row in range(count):
        p.lower[row] = p.r[row, 0] = p.r[row, 1] = 0.0
    for body in range(bodies + 1):
        p.y[body, 0] = p.y[body, 1] = p.y[body, 2] = 0.0
    control[ROWS], control[BODIES], control[ISLANDS] = count, bodies, islands
    island_reference(p.start[: islands + 1], p.c, p.bias, p.W, p.lower, p.reference)


@inline
def solved(small, fine, wide, rough, control, total, p, work, ahead, inverse_mass, inverse_inertia, extent):
    """Solve the problem at hand, unless the caller just has; whether that is done. The proof goes to the totals.

    Islands of up to `small` contacts to a residual of `fine`, up to `wide` to `rough`, if the quick methods do; others not.
    """
    islands, bodies = control[ISLANDS], control[BODIES]
    start = p.start[: islands + 1]
    largest = ZERO
    for i in range(islands):
        largest = max(largest, start[i + 1] - start[i])
    if control[SOLVED] == 0:
        y = p.y[: bodies + 1]
        if largest > wide or not _solve_islands(small, fine, rough, islands, p, y, work):
            return False
        if largest > small and control[PHASE] == HOLD:
            _polish(small, rough, islands, bodies, p, y, ahead, inverse_mass, inverse_inertia, extent)
    control[SOLVED] = 0
    total[ISLAND_COUNT] = max(total[ISLAND_COUNT], islands)
    total[LARGEST] = max(total[LARGEST], largest)
    for i in range(islands):
        total[RESIDUAL] = max(total[RESIDUAL], p.error[i])
    return True


@inline
def _solve_islands(small, fine, rough, islands, p, y, work):
    """Whether every island was solved; what the quick methods leave of large ones is as it was."""
    done = True
    for i in range(islands):
        first, last = p.start[i], p.start[i + 1]
        if last - first <= small:
            e, _, _ = solve_island(
                first, last, p.G, p.W, p.a, p.b, p.c, p.mu, p.lower, p.r, y, p.reference[i], fine, ZERO, work
            )
        else:
            e = quick_island(
                first, last, p.G, p.W, p.a, p.b, p.c, p.bias, p.mu, p.lower, p.r, y, p.reference[i], rough, TWO
            )
        p.error[i] = e / p.reference[i]
        done = done and p.error[i] <= (fine if last - first <= small else rough)
    return done


@inline
def _polish(small, rough, islands, bodies, p, y, ahead, inverse_mass, inverse_inertia, extent):
    """Take large islands at rest on to a part of their residual, as far as one try from there goes."""
    fastest = 0.0
    for i in range(islands):
        fastest = max(fastest, p.reference[i])
    if not at_rest(p.bodies[:bodies], y, fastest, ahead, inverse_mass, inverse_inertia, extent):
        return
    for i in range(islands):
        first, last, goal = p.start[i], p.start[i + 1], POLISH * rough
        if last - first > small:
            e = quick_island(
                first, last, p.G, p.W, p.a, p.b, p.c, p.bias, p.mu, p.lower, p.r, y, p.reference[i], goal, ONE
            )
            p.error[i] = e / p.reference[i] if e <= goal * p.reference[i] else p.error[i]


@kernel
def at_rest(rows, y, speed, ahead, inverse_mass, inverse_inertia, extent):
    """Whether contacts bring these floes all but to rest, against the speed their forces would give them.

    What a solver leaves then is all that moves them: a locked jam creeps by it.
    """
    for l in range(len(rows)):
        i = rows[l]
        root = math.sqrt(inverse_mass[i])
        u, v = ahead[i, 0] + root * y[l, 0], ahead[i, 1] + root * y[l, 1]
        spin = ahead[i, 2] + math.sqrt(inverse_inertia[i]) * y[l, 2]
        if not abs(u) + abs(v) + extent[i] * abs(spin) <= REST * speed:
            return False
    return True


@inner
def pick(found, passes, rule, value, who, velocity, state, gap_rate, bounce, taken, chosen, rate, rebounds):
    """Choose the contacts that enter this pass of an impact; how many.

    An approach is one by the fastest speed of all passes: floes that stick together are left with round-off alone.
    """
    relaxed = passes > RELAX  # what the threshold let be: taken up without rebound, and without an event
    partial = rule.sequential or rule.active_only or relaxed
    threshold = 0.0 if relaxed else rule.threshold
    fastest = 0.0
    if partial:
        for k in range(found):
            if state[k] & 3:
                un, ut = relative_speed(value, who, k, velocity)
                taken[k, 4] = max(taken[k, 4], abs(un), abs(ut))
                fastest = max(fastest, taken[k, 4])
    still = rule.still * fastest + threshold if rule.sequential or relaxed else 0.0
    last = rule.sequential and passes >= SEQUENCE  # termination is not proved: take what is left at once, and say so
    count = 0
    for k in range(found):
        if not state[k] & 3:
            continue
        if partial and (relaxed or not last):
            un, _ = relative_speed(value, who, k, velocity)
            if not un + gap_rate[k] < -still:
                continue
        chosen[count] = k
        rate[count] = gap_rate[k] + threshold
        rebounds[count] = bounce[k] and not last and not relaxed
        count += 1
    return count


@inner
def begin_rebound(law, m, islands, p):
    """After the compression: the problem of the rebound takes its place, where there is one."""
    rebounds, share = False, 0.0
    for k in range(m):
        share = max(share, p.epsilon[k])
        p.first[k, 0], p.first[k, 1] = p.r[k, 0], p.r[k, 1]
        p.before[k, 0], p.before[k, 1] = p.c[k, 0] - p.bias[k, 0], p.c[k, 1] - p.bias[k, 1]
        rebounds = rebounds or p.epsilon[k] * p.r[k, 0] > 0.0
    speeds(p.G, p.a[:m], p.b, p.before, p.y, p.middle)
    if not rebounds:
        return False
    for k in range(m):
        if law == 2:
            asked = p.epsilon[k] * min(p.before[k, 0], 0.0)
            p.c[k, 0] += asked
            p.bias[k, 0] += asked
        else:
            p.lower[k] = p.epsilon[k] * p.r[k, 0]
            for j in range(2):
                p.c[k, j] = p.middle[k, j] + p.bias[k, j]
                p.r[k, j] *= share  # to start from: what is pressed against what is struck rebounds with it
    island_reference(p.start[: islands + 1], p.c, p.bias, p.W, p.lower, p.reference)
    return True


@inner
def end_rebound(law, m, islands, bodies, p):
    """Compression and rebound together, as far as no island gains energy: into p.r and p.y."""
    start = p.start[: islands + 1]
    speeds(p.G, p.a[:m], p.b, p.before if law == 2 else p.middle, p.y, p.after)
    if law == 2:
        for k in range(m):
            p.r[k, 0] -= p.first[k, 0]
            p.r[k, 1] -= p.first[k, 1]
    guard(start, p.before, p.middle, p.after, p.first, p.r, p.share)
    if law == 1:
        # W = (1 + epsilon) W_c - epsilon W- in the islands that gain energy: cannot gain, but may approach again
        for i in range(islands):
            least = 1.0
            for k in range(start[i], start[i + 1]):
                least = min(least, p.epsilon[k])
            for k in range(start[i], start[i + 1] if p.share[i] < 1.0 else start[i]):
                p.r[k, 0], p.r[k, 1] = least * p.first[k, 0], least * p.first[k, 1]
            p.share[i] = 1.0
    add_scaled(start, p.share, p.r, p.first)
    for k in range(m):
        p.r[k, 0], p.r[k, 1] = p.first[k, 0], p.first[k, 1]
    for body in range(bodies + 1):
        p.y[body, 0] = p.y[body, 1] = p.y[body, 2] = 0.0
    gather_y(p.G, p.a[:m], p.b, p.r, p.y)


@inner
def enter(m, n_free, chosen, value, who, velocity, on_obstacles, stress, total, p):
    """Book the impulses p.r, with the relative speeds before and after in p.before and p.after."""
    lost, work = book(
        chosen, p.order[:m], value, who, velocity, p.r, p.before, p.after, n_free, on_obstacles, stress, p.loss
    )
    total[LOST] += lost
    total[FROM_OBSTACLES] += work


@inner
def note_contacts(group, m, chosen, value, who, ids, x, y, order, r, at, out):
    """The impulses p.r by pair, on the one of the higher id: group, ids, place, impulse; where the next goes."""
    for row in range(m):
        if r[row, 0] == 0.0 and r[row, 1] == 0.0:
            continue
        k = chosen[order[row]]
        i, j = who[k, 0], who[k, 1]
        sign = 1.0 if ids[i] < ids[j] else -1.0
        out[at, 0], out[at, 1], out[at, 2] = group, min(ids[i], ids[j]), max(ids[i], ids[j])
        out[at, 3], out[at, 4] = x[i] + value[k, AX], y[i] + value[k, AY]
        out[at, 5] = sign * (r[row, 0] * value[k, NX] - r[row, 1] * value[k, NY])
        out[at, 6] = sign * (r[row, 0] * value[k, NY] + r[row, 1] * value[k, NX])
        at += 1
    return at


@inner
def change_velocities(m, bodies, chosen, inverse_mass, inverse_inertia, u, v, spin, velocity, change, taken, p):
    """The velocities after one pass of an impact; what each contact took."""
    velocity_changes(p.bodies, bodies, p.y, inverse_mass, inverse_inertia, change)
    for l in range(bodies):
        i = p.bodies[l]
        for k in range(3):
            velocity[i, k] += change[i, k]
            change[i, k] = 0.0
        u[i], v[i], spin[i] = velocity[i, 0], velocity[i, 1], velocity[i, 2]
    for row in range(m):
        k = chosen[p.order[row]]
        taken[k, 0] += p.r[row, 0]
        taken[k, 1] += p.r[row, 1]
        taken[k, 2] += p.loss[row]
        taken[k, 3] = p.mu[row]


@inner
def write_events(group, found, now, value, who, state, bounce, ids, x, y, taken, at, out):
    """One row an impact that took an impulse (not one that is only kept apart: state 8 and up); where the next goes."""
    for k in range(found):
        rn, rt = taken[k, 0], taken[k, 1]
        if not rn > 0.0 or (state[k] >= 8 and not bounce[k]) or not state[k] & 3:
            continue
        write_event(k, value, who, ids, x, y, now, rn, rt, taken[k, 2], taken[k, 3], at, out)
        out[at, 16] = group
        at += 1
    return at


@inner
def remembered(m, chosen, key, h, table, order, r):
    """Start from the impulses a second that held the same contacts at the last step."""
    known = len(table.key)
    for row in range(m if known else 0):
        wanted = key[chosen[order[row]]]
        low, high = 0, known
        while low < high:
            middle = (low + high) // 2
            if table.key[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < known and table.key[low] == wanted:
            r[row, 0], r[row, 1] = h * table.rate[low, 0], h * table.rate[low, 1]


@inner
def without_forces(rows, count, h, free_velocity, force, pushes, gravity, b, out):
    """The velocities of some floes at the end of the step less what wind, water, gravity and pushes gave them."""
    for l in range(count):
        i = rows[l]
        for k in range(3):
            given = force[i, 0, k] + force[i, 1, k] + pushes[i, k] + (b.mass[i] * gravity[k] if k < 2 else 0.0)
            out[i, k] = free_velocity[i, k] - h * given * (b.inverse_mass[i] if k < 2 else b.inverse_inertia[i])


@inner
def fresh_pairs(count, pairs):
    """Nothing is known of these pairs, and no contact of them (the look passes over those that are apart)."""
    for q in range(count):
        pairs.until[q] = pairs.known_until[q] = -math.inf
        pairs.seen[q] = pairs.seen_at[q, 0] = pairs.seen_at[q, 1] = 0


@inner
def hold_on(m, p):
    """Keep the impulses of a problem, contact by contact, while it is written anew."""
    for row in range(m):
        p.first[p.order[row], 0], p.first[p.order[row], 1] = p.r[row, 0], p.r[row, 1]


@inner
def take_up_again(m, count, p):
    """Start from the impulses kept; contacts that came after have none."""
    for row in range(count):
        place = p.order[row]
        p.r[row, 0] = p.first[place, 0] if place < m else 0.0
        p.r[row, 1] = p.first[place, 1] if place < m else 0.0


@inner
def start_anew(rows, h, steps, change, control):
    """Take the round again, for h seconds only: without the contacts that the longer way brought about."""
    steps[rows[0]] = h
    control[FOUND] -= control[ADDED]
    control[AGAIN] = control[ADDED] = control[NO_ROOM] = 0
    for q in range(len(rows)):
        i = rows[q]
        change[i, 0] = change[i, 1] = change[i, 2] = 0.0
    control[PHASE] = MOVE


@inner
def hand_in(group, pairs, n_free, control, out):
    """What the group left on obstacles, obstacle by obstacle."""
    for p in range(len(pairs)):
        o = pairs[p, 1] - n_free
        if o < 0 or (out.on_obstacles[o, 0] == 0.0 and out.on_obstacles[o, 1] == 0.0 and out.on_obstacles[o, 2] == 0.0):
            continue
        at = control[LOADS]
        out.loads[at, 0], out.loads[at, 1] = group, o
        for k in range(3):
            out.loads[at, 2 + k] = out.on_obstacles[o, k]
            out.on_obstacles[o, k] = 0.0
        control[LOADS] += 1
