# mypy: ignore-errors
"""The phases of a group in which it is struck: impacts are picked, solved, booked and given to its floes."""

import numpy as np

from banquise.contact._kernels_laws import speeds
from banquise.jit import bare_inline as inline
from banquise.schemes._kernels import note_impacts
from banquise.schemes._kernels_phases import (
    RELAX,
    SEQUENCE,
    begin_rebound,
    change_velocities,
    end_rebound,
    enter,
    note_contacts,
    pick,
    write_events,
    write_problem,
)
from banquise.schemes.codes import (
    BODIES,
    COLLISIONS,
    COMPRESS,
    CONTACTS,
    EVENTS,
    FOUND,
    ISLANDS,
    PASS,
    PHASE,
    PICK,
    REBOUND,
    ROWS,
    STRUCK,
    TIME,
    UNSOLVED,
)

ZERO = np.int64(0)  # typed: written out it would compile copies of what it is handed to


@inline
def pick_impacts(group, rows, total, b, s, rule, table, d):
    """PICK: the impacts that are taken next, written as a problem; where none is left, those taken are booked."""
    control, p, out, n, lead = d.control, d.problem, d.out, rule.n_free, rows[0]
    value, who, found = d.found.value, d.found.who, d.control[FOUND]
    count = ZERO
    if control[PASS] == 0 or (rule.sequential and control[PASS] <= SEQUENCE):
        count = pick(
            found, control[PASS], rule, value, who, s.velocity, d.state, d.gap_rate, d.bounce, d.taken,
            d.chosen, d.picked_rate, d.picked_bounce,
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
                found, RELAX + 1, rule, value, who, s.velocity, d.state, d.gap_rate, d.bounce, d.taken,
                d.chosen, d.picked_rate, d.picked_bounce,
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


@inline
def take_impacts(group, total, b, s, rule, d):
    """COMPRESS and REBOUND: what the solved impulses of impacts do."""
    control, p, out, n, phase = d.control, d.problem, d.out, rule.n_free, d.control[PHASE]
    m, islands, bodies = control[ROWS], control[ISLANDS], control[BODIES]
    value, who = d.found.value, d.found.who
    if phase == COMPRESS and begin_rebound(rule.law, m, islands, p):
        control[PHASE] = REBOUND
        return
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
