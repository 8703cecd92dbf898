# mypy: ignore-errors
"""The phases of a group in which time passes: the round it takes, what is held over it, and how all move."""

import math

import numpy as np

from banquise.contact._kernels_laws import velocity_changes
from banquise.detection._kernels_look import look_pairs
from banquise.detection._kernels_meeting import first_meetings
from banquise.jit import bare_inline as inline
from banquise.schemes._kernels import TOLERANCE, contact_speeds, held_displacement, longest_step, move, paths, watched
from banquise.schemes._kernels_followed import carry, carry_to, first_touch
from banquise.schemes._kernels_held import add_sunken, back, held_rows, place, sunken
from banquise.schemes._kernels_phases import (
    enter,
    fly,
    fresh_pairs,
    hold_on,
    note_contacts,
    place_obstacles,
    remembered,
    start_anew,
    take_up_again,
    without_forces,
    write_problem,
)
from banquise.schemes.codes import (
    ADDED,
    AGAIN,
    BLUR,
    BODIES,
    CONTACT_ROOM,
    CONTACTS,
    CUT,
    DONE,
    FOUND,
    HALVED,
    HELD,
    HOLD,
    KEPT,
    LOOK,
    MOVE,
    NEED,
    NO_ROOM,
    PHASE,
    PUSH,
    ROUND,
    ROW_ROOM,
    ROWS,
    SHORTER,
    SOLVED,
    TOUCHING,
    WATCHED,
    WIND,
)

ZERO, TWO = np.int64(0), np.int64(2)  # typed: written out they would compile copies of what they are handed to
AGAINS = 3  # times that what sinks in on the way is held off, and the round solved again
# of the tolerance: what is deeper then, and sank in by more than a little in a round, makes the round shorter
FREE, LITTLE = 0.8 * TOLERANCE, 0.1 * TOLERANCE
HALVES = 10  # times a round is halved
STUBBORN = 30  # times the rounds of a step are, where obstacles move: what a ship crushes against a wall no round mends
CUTS = 6  # times a round is shortened before its meeting is taken where it is
TURN, FAR = 0.1, 0.4  # radians: how far held bodies may turn in a round, followed or in a group taken at once
LEAST = 1e-6  # part of a round that is left of it at least: a meeting at once leaves no time in which to hold anything
ANEW = -1  # a round that is not over: it is held off or shorter now


@inline
def begin_round(rows, follow, b, f, s, rule, table, shapes, d):
    """MOVE: the step of this round, and what is held over it, written as a problem."""
    control, p, watch, n, lead = d.control, d.problem, d.watch, rule.n_free, rows[0]
    value, who, key = d.found.value, d.found.who, d.found.key
    m, found = control[ROWS], control[FOUND]
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


@inline
def _hold_off(rows, near, follow, h, b, s, rule, view, shapes, d):
    """What the way itself brings into the way: found where it ends, and held off from there.

    DONE if nothing is in the way, ANEW if the round is taken anew, held off or shorter, else what is short of room.
    """
    control, n, lead = d.control, rule.n_free, rows[0]
    value, who, key, found = d.found.value, d.found.who, d.found.key, d.control[FOUND]
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
        return ANEW
    patient = not rule.moving or control[HALVED] < STUBBORN
    if not again and excess > 0.0 and control[SHORTER] < HALVES and patient:
        # a jam has no room for what the way asks, or points come into the way faster than they are found
        control[SHORTER] += 1
        control[HALVED] += 1
        start_anew(rows, 0.5 * h, s.steps, s.change, control)
        return ANEW
    return DONE


@inline
def _first_meeting(rows, near, follow, h, b, s, rule, shapes, d):
    """(rows of pairs that were short, or 0; when the first of those that nothing holds meet on their way, or infinity)."""
    control, watch, n = d.control, d.watch, rule.n_free
    value, who = d.found.value, d.found.who
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
            return need, first
        for q in range(count):
            first = min(first, watch.when[q])
    return ZERO, first


@inline
def _book_held(group, h, left, total, b, f, s, rule, d):
    """Work, contacts and impulses of what is held over the round."""
    control, p, out, n = d.control, d.problem, d.out, rule.n_free
    who, key, m, bodies = d.found.who, d.found.key, d.control[ROWS], d.control[BODIES]
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
        if h >= left and key[d.chosen[p.order[row]]] >= 0:
            at = control[KEPT]
            out.kept_key[at] = key[d.chosen[p.order[row]]]
            out.kept_rate[at, 0], out.kept_rate[at, 1] = p.r[row, 0] / h, p.r[row, 1] / h
            control[KEPT] += 1


@inline
def end_round(group, rows, near, follow, total, b, f, s, rule, view, shapes, d):
    """HOLD: all move, unless they meet on the way; DONE, or what is short of room."""
    control, p, n, lead = d.control, d.problem, rule.n_free, rows[0]
    value, who = d.found.value, d.found.who
    bodies, found = control[BODIES], control[FOUND]
    h = s.steps[lead]
    if control[HELD] > 0:
        velocity_changes(p.bodies, bodies, p.y, b.inverse_mass, b.inverse_inertia, s.change)
    held_displacement(rows, s.steps, s.change, s.free_displacement, s.displacement)
    if control[HELD] > 0:
        status = _hold_off(rows, near, follow, h, b, s, rule, view, shapes, d)
        if status != DONE:
            return DONE if status == ANEW else status
    need, first = _first_meeting(rows, near, follow, h, b, s, rule, shapes, d)
    if need > 0:
        return ROW_ROOM
    if first < h * (1 - 1e-12):
        control[CUT] += 1
        start_anew(rows, max(first, LEAST * h), s.steps, s.change, control)
        return DONE
    if control[HELD] > 0:
        _book_held(group, h, s.left[lead], total, b, f, s, rule, d)
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
