# mypy: ignore-errors
"""The kernel that takes groups of floes through a step, from meeting to meeting.

One group at a time, in phases. Where a phase needs an island solved that is too large or too hard for the kernel, or more
room, it returns; the caller sees to that and calls again, and the phase goes on where it was. So one text serves both
groups of two floes (hundreds a step, a few microseconds each) and a jam of thousands of contacts.
"""

import numpy as np

from banquise.detection._kernels_look import look_pairs
from banquise.jit import bare_inline as inline
from banquise.jit import bare_kernel as kernel
from banquise.schemes._kernels import close_levers, contact_state, reaches
from banquise.schemes._kernels_followed import due_by_gap, due_by_reach, known, look_again, note_reach, take_rows
from banquise.schemes._kernels_impacts import pick_impacts, take_impacts
from banquise.schemes._kernels_phases import fly, fresh_pairs, hand_in, place_obstacles, solved
from banquise.schemes._kernels_round import begin_round, end_round
from banquise.schemes.codes import (
    BLUR,
    COMPRESS,
    CONTACT_ROOM,
    CONTACTS,
    DONE,
    EVENTS,
    FOUND,
    FRESH,
    GROUP,
    HALVED,
    HELD,
    HOLD,
    KEPT,
    LOADS,
    LOOK,
    LOOKED,
    MOVE,
    NEED,
    PASS,
    PHASE,
    PICK,
    REBOUND,
    ROUND,
    ROUNDS,
    ROW_ROOM,
    ROWS,
    SOLVE,
    SOLVED,
    STRUCK,
)

ZERO, TWO = np.int64(0), np.int64(2)  # typed: written out they would compile copies of what they are handed to


@inline
def _look(group, rows, near, follow, before, total, b, f, s, rule, view, shapes, d):
    """LOOK and STRUCK: the contacts of a group where it is now, and what they ask for; a group whose time is up hands in."""
    control, out, n, phase, lead = d.control, d.out, rule.n_free, d.control[PHASE], rows[0]
    value, who, found = d.found.value, d.found.who, d.control[FOUND]
    left = s.left[lead]
    if phase == LOOK and not left > 0.0:
        hand_in(group, near, n, control, out)
        total[ROUNDS] = control[ROUND]
        control[ROUND] = control[FRESH] = control[LOOKED] = control[HALVED] = 0
        control[GROUP] += 1
        return DONE
    room = len(d.state)
    if max(control[EVENTS] + room, control[LOADS] + len(near), control[KEPT] + room) > len(out.events):
        return CONTACT_ROOM
    # followed contacts know nothing of forces before an impact is over
    if phase == STRUCK or (control[FRESH] > 0 and not follow):
        fly(rows, s.left, b, f, d.flight, s.free_velocity, s.free_displacement, s.force, s.ahead)
        reaches(rows, s.left, s.velocity, s.free_velocity, b.extent, s.drift, s.reach, s.pull)
    if rule.moving:
        place_obstacles(n, rule.step - left, left, s.obstacles, s.velocity, b.extent, s.drift, s.pose, s.reach)
    due, need, looked = ZERO, ZERO, control[LOOKED]
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
    if due > 0:
        found, need = look_again(
            near, d.pairs, d.ends, shapes, s.pose, view, n, b.zone, s.reach, d.scratch, d.one, d.later, d.found
        )
    if need > 0 or found > room:  # called again with more, it does the same as if that had been there
        control[NEED] = need if need > 0 else found
        return ROW_ROOM if need > 0 else CONTACT_ROOM
    if looked == 1 and phase == STRUCK:
        note_reach(rows, s.reach, s.looked)
    control[LOOKED] = 1
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
            d.taken[k, 0] = d.taken[k, 1] = d.taken[k, 2] = d.taken[k, 4] = 0.0
        control[PASS] = 0
        control[PHASE] = PICK
    return DONE


@kernel
def run_groups(
    last, member_start, members, pair_start, pairs, before, b, f, s, rule, table, view, shapes, careful, totals, d
):
    """Take the groups from the one the desk is at up to `last` through the step; DONE, or what is needed to go on.

    before: the contacts at the start of the step, of which the pairs know theirs. careful: groups whose contacts are not
    followed, for where they were an overlap came of it.
    """
    control = d.control
    while control[GROUP] < last:
        group = control[GROUP]
        rows, near = (
            members[member_start[group] : member_start[group + 1]],
            pairs[pair_start[group] : pair_start[group + 1]],
        )
        total = totals[group]
        follow = rule.follow and not careful[group]
        phase = control[PHASE]
        asks = phase == COMPRESS or phase == REBOUND or (phase == HOLD and control[HELD] > 0)
        if asks and not solved(
            rule.small, rule.tolerance, rule.wide, rule.rough, control, total, d.problem, d.work, s.ahead, b.inverse_mass,
            b.inverse_inertia, b.extent,
        ):  # fmt: skip
            return SOLVE
        if rule.contacts and asks and control[CONTACTS] + control[ROWS] > len(d.out.contacts):
            control[SOLVED] = 1
            return CONTACT_ROOM
        status = DONE
        if phase == LOOK or phase == STRUCK:
            status = _look(group, rows, near, follow, before, total, b, f, s, rule, view, shapes, d)
        elif phase == PICK:
            pick_impacts(group, rows, total, b, s, rule, table, d)
        elif phase == COMPRESS or phase == REBOUND:
            take_impacts(group, total, b, s, rule, d)
        elif phase == MOVE:
            begin_round(rows, follow, b, f, s, rule, table, shapes, d)
        else:  # HOLD
            status = end_round(group, rows, near, follow, total, b, f, s, rule, view, shapes, d)
        if status != DONE:
            return status
    return DONE
