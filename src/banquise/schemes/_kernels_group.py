# mypy: ignore-errors
"""The kernel that takes groups of floes through a step, from meeting to meeting.

One group at a time, in phases. Where a phase needs an island solved that is too large or too hard for the kernel, or more
room, it returns; the caller sees to that and calls again, and the phase goes on where it was. So one text serves both
groups of two floes (hundreds a step, a few microseconds each) and a jam of thousands of contacts.
"""

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
)
from banquise.detection._kernels_look import look_pairs
from banquise.detection._kernels_meeting import first_meetings
from banquise.jit import bare_inner as inner
from banquise.jit import bare_kernel as kernel
from banquise.motion._kernels import free_motion
from banquise.schemes._kernels import (
    TOLERANCE,
    close_levers,
    contact_speeds,
    contact_state,
    held_displacement,
    longest_step,
    move,
    note_impacts,
    paths,
    reaches,
    relative_speed,
    watched,
)
from banquise.schemes._kernels_followed import (
    carry,
    carry_to,
    due_by_gap,
    due_by_reach,
    first_touch,
    known,
    look_again,
    note_reach,
    take_rows,
)
from banquise.schemes._kernels_held import add_sunken, back, held_rows, place, sunken
from banquise.solvers._kernels_island import solve_island

ZERO, TWO = np.int64(0), np.int64(2)  # typed: written out they would compile copies of what they are handed to
DONE, SOLVE, CONTACT_ROOM, ROW_ROOM = 0, 1, 2, 3  # what the caller is asked for
LOOK, PICK, COMPRESS, REBOUND, STRUCK, MOVE, HOLD = 0, 1, 2, 3, 4, 5, 6  # phases
# controls of a desk
GROUP, PHASE, SOLVED, FOUND, ROUND, HELD = 0, 1, 2, 3, 4, 5
CUT, PASS, ROWS, BODIES, ISLANDS, WATCHED = 6, 7, 8, 9, 10, 11
EVENTS, LOADS, KEPT, NEED, CONTACTS, FRESH, AGAIN, ADDED = 12, 13, 14, 15, 16, 17, 18, 19
LOOKED, SHORTER, NO_ROOM = 20, 21, 22
# totals of a group
LOST, FROM_OBSTACLES, WIND, CURRENT, GRAVITY, PUSH = 0, 1, 2, 3, 4, 5
RESIDUAL, UNSOLVED, ISLAND_COUNT, LARGEST, COLLISIONS, TOUCHING = 6, 7, 8, 9, 10, 11
ROUNDS = 12

SEQUENCE = 1000  # passes of the sequential order before the rest is taken at once, and said
RELAX = 2000  # passes from which on the approach that the threshold let be is taken up
SINK = 1e-7  # of the smaller size: what is held sinks in no deeper in a step, or it is solved again
AGAINS = 3  # times that is done
# of the tolerance: what is deeper then, and sank in by more than a little in a round, makes the round shorter
FREE, LITTLE = 0.8 * TOLERANCE, 0.1 * TOLERANCE
HALVES = 10  # times it is halved
CUTS = 6  # times a round is shortened before its meeting is taken where it is
NX, NY, AX, AY, BX, BY = 0, 1, 2, 3, 4, 5


@inner
def fly(rows, steps, b, f, flows, scratch, free_velocity, free_displacement, force, ahead):
    """Free motion of some floes over their steps, and their velocity at the end where contacts look for it."""
    free_motion(
        ZERO, len(rows), rows, steps, f.coriolis, f.gravity, f.euler, f.turn_c, f.turn_s,
        b.cos, b.sin, b.u, b.v, b.spin, b.mass, b.inertia, b.area, b.extent,
        b.qx, b.qy, b.qw, b.moment_x, b.moment_y, b.spread,
        f.air_mode, f.relative, f.air_u, f.air_v, f.air_flow, f.air_density, f.air_drag,
        f.water_mode, f.water_u, f.water_v, f.water_flow, f.water_density, f.water_drag,
        f.pushes, math.inf, flows, scratch, free_velocity, free_displacement, force,
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


@inner
def solved(small, tolerance, control, total, p, work):
    """Solve the problem at hand, unless the caller just has; whether that is done. The proof goes to the totals."""
    islands, bodies = control[ISLANDS], control[BODIES]
    start = p.start[: islands + 1]
    if control[SOLVED] == 0:
        for i in range(islands):
            if start[i + 1] - start[i] > small:
                return False
        y = p.y[: bodies + 1]
        for i in range(islands):
            e, _, _ = solve_island(
                start[i], start[i + 1], p.G, p.W, p.a, p.b, p.c, p.mu, p.lower, p.r, y, p.reference[i], tolerance, ZERO,
                work,
            )  # fmt: skip
            p.error[i] = e / p.reference[i]
        for i in range(islands):
            if not p.error[i] <= tolerance:
                return False
    control[SOLVED] = 0
    total[ISLAND_COUNT] = max(total[ISLAND_COUNT], islands)
    for i in range(islands):
        total[RESIDUAL] = max(total[RESIDUAL], p.error[i])
        total[LARGEST] = max(total[LARGEST], start[i + 1] - start[i])
    return True


@inner
def pick(found, passes, rule, value, who, velocity, state, gap_rate, bounce, chosen, rate, rebounds):
    """Choose the contacts that enter this pass of an impact; how many."""
    relaxed = passes > RELAX  # what the threshold let be: taken up without rebound, and without an event
    partial = rule.sequential or rule.active_only or relaxed
    threshold = 0.0 if relaxed else rule.threshold
    fastest = 0.0
    if partial:
        for k in range(found):
            if state[k] & 3:
                un, ut = relative_speed(value, who, k, velocity)
                fastest = max(fastest, abs(un), abs(ut))
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
    rebounds = False
    for k in range(m):
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
                p.r[k, j] *= p.epsilon[k]
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
        i, j = who[k, 0], who[k, 1]
        out[at, 0], out[at, 1] = now, 0.0
        out[at, 2], out[at, 3] = min(ids[i], ids[j]), max(ids[i], ids[j])
        out[at, 4], out[at, 5] = x[i] + value[k, AX], y[i] + value[k, AY]
        out[at, 6], out[at, 7], out[at, 8] = rn, rt, taken[k, 2]
        out[at, 9] = 1.0 if abs(rt) >= taken[k, 3] * rn * (1 - 1e-9) else 0.0
        # where it fell on the two bodies, for what may break: the normal from floe_a to floe_b, and the levers
        swap = ids[i] > ids[j]
        sign = -1.0 if swap else 1.0
        one, two = (BX, AX) if swap else (AX, BX)
        out[at, 10], out[at, 11] = sign * value[k, NX], sign * value[k, NY]
        out[at, 12], out[at, 13] = value[k, one], value[k, one + 1]
        out[at, 14], out[at, 15] = value[k, two], value[k, two + 1]
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
    """Nothing is known of these pairs."""
    for q in range(count):
        pairs.until[q] = pairs.known_until[q] = -math.inf
        pairs.seen[q] = 0


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


@kernel
def run_groups(
    last, member_start, members, pair_start, pairs, before, b, f, s, rule, table, view, shapes, careful, totals, d
):
    """Take the groups from the one the desk is at up to `last` through the step; DONE, or what is needed to go on.

    before: the contacts at the start of the step, of which the pairs know theirs. careful: groups whose contacts are not
    followed, for where they were an overlap came of it.
    """
    control, p, watch, out, n = d.control, d.problem, d.watch, d.out, rule.n_free
    value, who, key = d.found.value, d.found.who, d.found.key
    while control[GROUP] < last:
        group = control[GROUP]
        rows, near = (
            members[member_start[group] : member_start[group + 1]],
            pairs[pair_start[group] : pair_start[group + 1]],
        )
        total = totals[group]
        lead = rows[0]
        follow = rule.follow and not careful[group]
        phase = control[PHASE]
        asks = phase == COMPRESS or phase == REBOUND or (phase == HOLD and control[HELD] > 0)
        if asks and not solved(rule.small, rule.tolerance, control, total, p, d.work):
            return SOLVE
        m, islands, bodies, found = control[ROWS], control[ISLANDS], control[BODIES], control[FOUND]
        if rule.contacts and asks and control[CONTACTS] + m > len(out.contacts):
            control[SOLVED] = 1
            return CONTACT_ROOM

        if phase == LOOK or phase == STRUCK:
            left = s.left[lead]
            if phase == LOOK and not left > 0.0:
                hand_in(group, near, n, control, out)
                total[ROUNDS] = control[ROUND]
                control[ROUND] = control[FRESH] = control[LOOKED] = 0
                control[GROUP] += 1
                continue
            room = len(d.state)
            if max(control[EVENTS] + room, control[LOADS] + len(near), control[KEPT] + room) > len(out.events):
                return CONTACT_ROOM
            # followed contacts know nothing of forces before an impact is over
            if phase == STRUCK or (control[FRESH] > 0 and not follow):
                fly(rows, s.left, b, f, d.flows, d.sums, s.free_velocity, s.free_displacement, s.force, s.ahead)
                reaches(rows, s.left, s.velocity, s.free_velocity, b.extent, s.drift, s.reach, s.pull)
            if rule.moving:
                place_obstacles(n, rule.step - left, left, s.obstacles, s.velocity, b.extent, s.drift, s.pose, s.reach)
            due, need = ZERO, ZERO
            if follow and control[LOOKED] == 0 and known(near):
                found = take_rows(near, before, d.pairs, d.found)
                close_levers(found if found <= room else ZERO, value, who, s.pose)
            elif control[LOOKED] == 0 or not follow:
                fresh_pairs(len(near), d.pairs)
                found, need = look_pairs(
                    ZERO, len(near), near, shapes, s.pose, view.wraps, view.period, n, b.zone, s.reach,
                    view.still, view.moved_at, d.pairs, 0.0, ZERO, TWO, d.scratch, d.found, d.found,
                )  # fmt: skip
                close_levers(found if found <= room else ZERO, value, who, s.pose)
                note_reach(rows, s.reach, s.looked)
            elif phase == LOOK:
                due = due_by_gap(near, d.pairs, value, who, b.size, n, rule.touch, rule.blur)
            else:
                due = due_by_reach(near, d.pairs, s.reach, s.looked)
                note_reach(rows, s.reach, s.looked)
            if due > 0:
                found, need = look_again(
                    near, d.pairs, shapes, s.pose, view, n, b.zone, s.reach, d.scratch, d.one, d.later, d.found
                )
            control[LOOKED] = 1
            if need > 0 or found > room:
                control[NEED], control[LOOKED] = need if need > 0 else found, 0
                return ROW_ROOM if need > 0 else CONTACT_ROOM
            rebounds = rule.rebounds_many + rule.rebounds_few // len(rows)
            _, striking, held = contact_state(
                found, value, who, s.velocity, s.ahead, left, rule.step, s.quick, control[ROUND], rebounds, n, b.size,
                s.pull, rule.shortest, rule.touch, rule.blur, rule.soft, len(rows) > rule.direct, rule.largest, d.state,
                d.gap_rate, d.bounce,
            )  # fmt: skip
            stale = follow and phase == LOOK and control[FRESH] > 0  # forces are those of the time before
            control[FOUND], control[HELD], control[FRESH] = found, held, 1
            control[PHASE] = STRUCK if stale else MOVE
            if phase == LOOK and striking > 0:
                for k in range(found):
                    d.taken[k, 0] = d.taken[k, 1] = d.taken[k, 2] = 0.0
                control[PASS] = 0
                control[PHASE] = PICK
        elif phase == PICK:
            count = ZERO
            if control[PASS] == 0 or (rule.sequential and control[PASS] <= SEQUENCE):
                count = pick(
                    found, control[PASS], rule, value, who, s.velocity, d.state, d.gap_rate, d.bounce, d.chosen,
                    d.picked_rate, d.picked_bounce,
                )  # fmt: skip
            if count == 0 and control[PASS] <= RELAX:
                at = write_events(
                    group, found, rule.time + rule.step - s.left[lead], value, who, d.state, d.bounce, b.ids, b.x, b.y,
                    d.taken, control[EVENTS], out.events,
                )  # fmt: skip
                total[COLLISIONS] += at - control[EVENTS]
                control[EVENTS] = at
                note_impacts(who[:found], d.state, n, rule.shortest, s.since, s.quick)
                control[PASS] = RELAX
                if rule.threshold > 0.0:
                    count = pick(
                        found, RELAX + 1, rule, value, who, s.velocity, d.state, d.gap_rate, d.bounce, d.chosen,
                        d.picked_rate, d.picked_bounce,
                    )  # fmt: skip
            if count == 0:
                control[PHASE] = STRUCK
            else:
                if control[PASS] == SEQUENCE:
                    total[UNSOLVED] += 1
                control[PASS] += 1
                write_problem(
                    count, d.chosen, value, who, d.slot, b.inverse_mass, b.inverse_inertia, s.velocity, d.picked_rate,
                    d.picked_bounce, b.material, table, control, p,
                )  # fmt: skip
                control[PHASE] = COMPRESS
        elif phase == COMPRESS or phase == REBOUND:
            if phase == COMPRESS and begin_rebound(rule.law, m, islands, p):
                control[PHASE] = REBOUND
                continue
            if phase == REBOUND:
                end_rebound(rule.law, m, islands, bodies, p)
            speeds(p.G, p.a[:m], p.b, p.before, p.y, p.after)
            enter(m, n, d.chosen, value, who, s.velocity, out.on_obstacles, s.stress, total, p)
            if rule.contacts:
                control[CONTACTS] = note_contacts(
                    group, m, d.chosen, value, who, b.ids, b.x, b.y, p.order, p.r, control[CONTACTS], out.contacts
                )
            change_velocities(
                m, bodies, d.chosen, b.inverse_mass, b.inverse_inertia, b.u, b.v, b.spin, s.velocity, s.change, d.taken, p
            )  # fmt: skip
            control[PHASE] = PICK
        elif phase == MOVE:  # the step of this round, and what is held over it
            left = s.left[lead]
            if control[CUT] == 0 and control[AGAIN] == 0 and control[SHORTER] == 0:
                h = longest_step(
                    rows,
                    found,
                    who,
                    d.state,
                    left,
                    s.pace[lead],
                    s.cap,
                    s.velocity,
                    s.pull,
                    b.extent,
                    b.size,
                    n,
                    rule.bend,
                )
                if not follow:
                    control[WATCHED] = watched(
                        found, value, who, d.state, n, b.size, rule.touch, rule.aim, rule.blur,
                        watch.pair_a, watch.pair_b, watch.shift, watch.distances, watch.held,
                    )  # fmt: skip
            else:
                h = s.steps[lead]
            for q in range(len(rows)):
                s.steps[rows[q]] = h
            if h < left and control[AGAIN] == 0:
                fly(rows, s.steps, b, f, d.flows, d.sums, s.free_velocity, s.free_displacement, s.force, s.ahead)
            if control[HELD] > 0:
                count = ZERO
                for k in range(found):
                    if d.state[k] & 4:
                        d.chosen[count] = k
                        d.picked_bounce[count] = False
                        count += 1
                # the way they took, or before that is known where their velocities lead: forces may not move them at all, and
                # room that they would need is not there in a jam
                held_rows(
                    count, d.chosen, value, who, shapes.frame, h, s.displacement, s.velocity,
                    np.int64(n) if control[AGAIN] > 0 else ZERO, n, b.size, found - control[ADDED], d.gap_rate, d.middle,
                    d.picked_rate,
                )  # fmt: skip
                hold_on(m, p)
                write_problem(
                    count, d.chosen, d.middle, who, d.slot, b.inverse_mass, b.inverse_inertia, s.ahead, d.picked_rate,
                    d.picked_bounce, b.material, table, control, p,
                )  # fmt: skip
                if control[AGAIN] == 0:
                    remembered(count, d.chosen, key, h, table, p.order, p.r)
                else:
                    take_up_again(m, count, p)
            control[PHASE] = HOLD
        else:  # HOLD: all move, unless they meet on the way
            h = s.steps[lead]
            if control[HELD] > 0:
                velocity_changes(p.bodies, bodies, p.y, b.inverse_mass, b.inverse_inertia, s.change)
            held_displacement(rows, s.steps, s.change, s.free_displacement, s.displacement)
            if control[HELD] > 0:
                # what the way itself brings into the way: found where it ends, and held off from there
                gone = rule.step - s.left[lead]
                place(
                    rows, h, b.x, b.y, b.cos, b.sin, s.displacement, s.velocity, rule.moving, n, s.obstacles, gone, s.pose
                )  # fmt: skip
                need = ZERO
                if follow:
                    count = carry_to(
                        found - control[ADDED], value, who, shapes.frame, h, s.displacement, s.velocity, n,
                        d.later.value, d.later.who,
                    )  # fmt: skip
                else:
                    fresh_pairs(len(near), d.pairs)
                    count, need = look_pairs(
                        ZERO, len(near), near, shapes, s.pose, view.wraps, view.period, n, b.zone, s.reach,
                        view.still, view.moved_at, d.pairs, 0.0, ZERO, TWO, d.scratch, d.later, d.later,
                    )  # fmt: skip
                room = found + count
                short = need > 0 or room > len(d.state)
                count, excess = sunken(
                    ZERO if short else count, d.later.value, d.later.who, found - control[ADDED], value, who, d.state, h,
                    s.displacement, s.velocity, b.extent, n, b.size, SINK, FREE, LITTLE, control[CUT] >= CUTS,
                    d.picked_rate,
                )  # fmt: skip
                again = control[AGAIN] < AGAINS and control[NO_ROOM] == 0
                count = count if again else ZERO
                add_sunken(
                    count, d.later.value, d.later.who, d.picked_rate, h, s.displacement, s.velocity, s.ahead, s.change, n,
                    s.pose, found, value, who, key, d.state, d.gap_rate,
                )  # fmt: skip
                if rule.moving:
                    place_obstacles(n, gone, s.left[lead], s.obstacles, s.velocity, b.extent, s.drift, s.pose, s.reach)
                back(rows, b.x, b.y, b.cos, b.sin, s.pose)
                if short:
                    control[NEED], control[SOLVED] = need if need > 0 else room, 1
                    return ROW_ROOM if need > 0 else CONTACT_ROOM
                if count > 0:
                    control[FOUND] += count
                    control[ADDED] += count
                    control[AGAIN] += 1
                    control[PHASE] = MOVE
                    continue
                if not again and excess > 0.0 and control[SHORTER] < HALVES:
                    # a jam has no room for what the way asks, or points come into the way faster than they are found
                    control[SHORTER] += 1
                    start_anew(rows, 0.5 * h, s.steps, s.change, control)
                    continue
            count, first = control[WATCHED], math.inf
            if follow and control[CUT] < (CUTS if control[HELD] > 0 else 1):
                paths(rows, s.velocity, s.displacement, s.steps, n, s.motion)
                first = first_touch(
                    near, d.pairs, value, who, d.state, b.size, n, rule.touch, rule.aim, rule.blur, s.motion, h
                )
            elif not follow and count > 0 and control[CUT] < CUTS:
                paths(rows, s.velocity, s.displacement, s.steps, n, s.motion)
                for q in range(count):
                    watch.horizon[q], watch.touch[q], watch.aim[q] = h, watch.distances[q, 0], watch.distances[q, 1]
                need = first_meetings(
                    ZERO, count, watch.pair_a, watch.pair_b, watch.shift, shapes, s.pose, b.extent, s.motion, watch.horizon,
                    watch.touch, watch.aim, watch.held, watch.rows, watch.slots, watch.near, watch.dist, watch.rate,
                    watch.begin, watch.armed, watch.when,
                )  # fmt: skip
                if need > 0:
                    control[NEED] = need
                    control[SOLVED] = 1 if control[HELD] > 0 else 0
                    return ROW_ROOM
                for q in range(count):
                    first = min(first, watch.when[q])
            if first < h * (1 - 1e-12):
                control[CUT] += 1
                start_anew(rows, first, s.steps, s.change, control)
                continue
            if control[HELD] > 0:
                # before the step's forces, not before the impulses: the forces' work is on the way that came about; and
                # turned as the Coriolis force turns it, which does no work
                without_forces(p.bodies, bodies, h, s.free_velocity, s.force, f.pushes, f.gravity, b, s.velocity)
                contact_speeds(d.chosen, p.order[:m], d.middle, who, s.velocity, p.before)
                for l in range(bodies):
                    i = p.bodies[l]
                    for k in range(3):
                        s.ahead[i, k] = s.free_velocity[i, k] + s.change[i, k]
                contact_speeds(d.chosen, p.order[:m], d.middle, who, s.ahead, p.after)
                enter(m, n, d.chosen, d.middle, who, s.velocity, out.on_obstacles, s.stress, total, p)
                if rule.contacts:
                    control[CONTACTS] = note_contacts(
                        group,
                        m,
                        d.chosen,
                        d.middle,
                        who,
                        b.ids,
                        b.x,
                        b.y,
                        p.order,
                        p.r,
                        control[CONTACTS],
                        out.contacts,
                    )
                total[TOUCHING] = 0
                for row in range(m):
                    if p.r[row, 0] == 0.0:
                        continue
                    total[TOUCHING] += 1
                    if h >= s.left[lead] and key[d.chosen[p.order[row]]] >= 0:
                        at = control[KEPT]
                        out.kept_key[at] = key[d.chosen[p.order[row]]]
                        out.kept_rate[at, 0], out.kept_rate[at, 1] = p.r[row, 0] / h, p.r[row, 1] / h
                        control[KEPT] += 1
            if follow:
                carry(found - control[ADDED], value, who, shapes.frame, h, s.displacement, s.velocity, n)
            for q in range(len(rows)):
                i = rows[q]
                for k in range(3 if rule.ocean else 0):
                    s.water[i, k] += s.force[i, 1, k] * h
            move(
                rows, s.steps, s.free_velocity, s.change, s.displacement, s.force, f.pushes, b.mass, f.gravity,
                b.x, b.y, b.angle, b.cos, b.sin, b.u, b.v, b.spin, s.velocity, s.pose, s.left, s.since,
                total[WIND : PUSH + 1],
            )  # fmt: skip
            for q in range(len(rows)):
                i = rows[q]
                s.change[i, 0] = s.change[i, 1] = s.change[i, 2] = 0.0
            s.pace[lead] = h if control[SHORTER] > 0 else 1.5 * s.pace[lead]
            control[ROUND] += 1
            control[CUT] = control[AGAIN] = control[ADDED] = control[SHORTER] = control[NO_ROOM] = 0
            control[PHASE] = LOOK
    return DONE
