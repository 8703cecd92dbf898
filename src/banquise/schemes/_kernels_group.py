# mypy: ignore-errors
"""The kernel that takes groups of floes through a step, from meeting to meeting.

One group at a time, in phases. Where a phase needs an island solved that is too large or too hard for the kernel, or more
room, it returns; the caller sees to that and calls again, and the phase goes on where it was. So one text serves both
groups of two floes (hundreds a step, a few microseconds each) and a jam of thousands of contacts.
"""

import math

import numpy as np

from banquise.contact._kernels_laws import speeds, velocity_changes
from banquise.detection._kernels_look import look_pairs
from banquise.detection._kernels_meeting import first_meetings
from banquise.jit import bare_kernel as kernel
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
from banquise.schemes._kernels_phases import (
    RELAX,
    SEQUENCE,
    begin_rebound,
    change_velocities,
    end_rebound,
    enter,
    fly,
    fresh_pairs,
    hand_in,
    hold_on,
    note_contacts,
    pick,
    place_obstacles,
    remembered,
    solved,
    start_anew,
    take_up_again,
    without_forces,
    write_events,
    write_problem,
)
from banquise.schemes.codes import (
    ADDED,
    AGAIN,
    BLUR,
    BODIES,
    COLLISIONS,
    COMPRESS,
    CONTACT_ROOM,
    CONTACTS,
    CUT,
    DONE,
    EVENTS,
    FOUND,
    FRESH,
    GROUP,
    HALVED,
    HELD,
    HOLD,
    ISLANDS,
    KEPT,
    LOADS,
    LOOK,
    LOOKED,
    MOVE,
    NEED,
    NO_ROOM,
    PASS,
    PHASE,
    PICK,
    PUSH,
    REBOUND,
    ROUND,
    ROUNDS,
    ROW_ROOM,
    ROWS,
    SHORTER,
    SOLVE,
    SOLVED,
    STRUCK,
    TIME,
    TOUCHING,
    UNSOLVED,
    WATCHED,
    WIND,
)

ZERO, TWO = np.int64(0), np.int64(2)  # typed: written out they would compile copies of what they are handed to
AGAINS = 3  # times that is done
# of the tolerance: what is deeper then, and sank in by more than a little in a round, makes the round shorter
FREE, LITTLE = 0.8 * TOLERANCE, 0.1 * TOLERANCE
HALVES = 10  # times it is halved
STUBBORN = 30  # times rounds of a step are, where obstacles move: what a ship crushes against a wall no round mends
CUTS = 6  # times a round is shortened before its meeting is taken where it is
TURN, FAR = 0.1, 0.4  # radians: how far held bodies may turn in a round, followed or in a group taken at once
LEAST = 1e-6  # part of a round that is left of it at least: a meeting at once leaves no time in which to hold anything


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
                control[ROUND] = control[FRESH] = control[LOOKED] = control[HALVED] = 0
                control[GROUP] += 1
                continue
            room = len(d.state)
            if max(control[EVENTS] + room, control[LOADS] + len(near), control[KEPT] + room) > len(out.events):
                return CONTACT_ROOM
            # followed contacts know nothing of forces before an impact is over
            if phase == STRUCK or (control[FRESH] > 0 and not follow):
                fly(rows, s.left, b, f, d.flight, s.free_velocity, s.free_displacement, s.force, s.ahead)
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
                    view.still, view.still, view.moved_at, d.pairs, 0.0, ZERO, TWO, d.scratch, d.found, d.found,
                )  # fmt: skip
                close_levers(found if found <= room else ZERO, value, who, s.pose)
                note_reach(rows, s.reach, s.looked)
            elif phase == LOOK:
                due = due_by_gap(near, d.pairs, value, who, b.size, n, rule.skin, rule.touch, s.now[BLUR])
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
                s.pull, rule.shortest, rule.skin, rule.touch, s.now[BLUR], rule.soft, len(rows) > rule.direct, rule.largest,
                d.state, d.gap_rate, d.bounce,
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
                    group, found, s.now[TIME] + rule.step - s.left[lead], value, who, d.state, d.bounce, b.ids, b.x, b.y,
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
                    math.inf if len(rows) > rule.direct else rule.bend,
                    FAR if len(rows) > rule.direct else TURN,
                )
                if not follow:
                    control[WATCHED] = watched(
                        found, value, who, d.state, n, b.size, rule.skin, rule.touch, rule.aim, s.now[BLUR],
                        watch.pair_a, watch.pair_b, watch.shift, watch.distances, watch.held,
                    )  # fmt: skip
            else:
                h = s.steps[lead]
            for q in range(len(rows)):
                s.steps[rows[q]] = h
            if h < left and control[AGAIN] == 0:
                fly(rows, s.steps, b, f, d.flight, s.free_velocity, s.free_displacement, s.force, s.ahead)
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
                    np.int64(n) if control[AGAIN] > 0 else ZERO, n, b.size, rule.skin, found - control[ADDED],
                    d.gap_rate, d.middle, d.picked_rate,
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
                if follow and len(rows) <= rule.direct:
                    count = carry_to(
                        found - control[ADDED], value, who, shapes.frame, h, s.displacement, s.velocity, n,
                        d.later.value, d.later.who,
                    )  # fmt: skip
                else:
                    fresh_pairs(len(near), d.ends)
                    count, need = look_pairs(
                        ZERO, len(near), near, shapes, s.pose, view.wraps, view.period, n, b.zone, s.reach,
                        view.still, view.still, view.moved_at, d.ends, 0.0, ZERO, TWO, d.scratch, d.later, d.later,
                    )  # fmt: skip
                room = found + count
                short = need > 0 or room > len(d.state)
                count, excess = sunken(
                    ZERO if short else count, d.later.value, d.later.who, found - control[ADDED], value, who, d.state, h,
                    s.displacement, s.velocity, b.extent, n, b.size, rule.sink, FREE, LITTLE, control[CUT] >= CUTS,
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
                patient = not rule.moving or control[HALVED] < STUBBORN
                if not again and excess > 0.0 and control[SHORTER] < HALVES and patient:
                    # a jam has no room for what the way asks, or points come into the way faster than they are found
                    control[SHORTER] += 1
                    control[HALVED] += 1
                    start_anew(rows, 0.5 * h, s.steps, s.change, control)
                    continue
            count, first = control[WATCHED], math.inf
            if follow and control[CUT] < (CUTS if control[HELD] > 0 else 1):
                paths(rows, s.velocity, s.displacement, s.steps, n, s.motion)
                first = first_touch(
                    near,
                    d.pairs,
                    value,
                    who,
                    d.state,
                    b.size,
                    n,
                    rule.skin,
                    rule.touch,
                    rule.aim,
                    s.now[BLUR],
                    s.motion,
                    h,
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
                start_anew(rows, max(first, LEAST * h), s.steps, s.change, control)
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
