# mypy: ignore-errors
"""Contacts followed through a step: carried along with their bodies, and looked for again only where they matter.

Within a step floes move by a small part of their size, and the nearest points of a pair stay the nearest. So a group's
contacts are looked for once; then points and edges move with their bodies, a meeting is the root of a quadratic, and only
the pair that meets is looked at again, with all the care that normals and corners need. Where this goes wrong (a point
passes the end of an edge, another point comes nearer) either the look tells, or the bodies overlap at the end of the step:
then the group is done again, with every look.
"""

import math

import numpy as np

from banquise.detection._kernels_look import copy_contacts, look_pairs
from banquise.jit import bare_inner as inner
from banquise.schemes._kernels import close_levers, relative_speed
from banquise.schemes._kernels_held import NONE, carried, curving

ONE, TWO = np.int64(1), np.int64(2)  # typed: written out they would compile copies of what they are handed to
NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8
FIRST, ROWS = (
    4,
    5,
)  # columns of a pair: its first contact at the start of the step, and how many there are (-1: not known)


@inner
def carry(found, value, who, radius, h, way, velocity, n_free):
    """Carry the contacts on to where their bodies are after h seconds."""
    for k in range(found):
        carried(value, who, k, radius, h, way, velocity, n_free, value)


@inner
def carry_to(found, value, who, radius, h, way, velocity, n_free, out, out_who):
    """The contacts where their bodies are after h seconds, in other rows; how many."""
    for k in range(found):
        carried(value, who, k, radius, h, way, velocity, n_free, out)
        out[k, SX], out[k, SY] = value[k, SX], value[k, SY]
        for column in range(3):
            out_who[k, column] = who[k, column]
    return found


@inner
def known(near):
    """Whether the contacts of all these pairs at the start of the step are known."""
    count = 0
    for q in range(len(near)):
        count += near[q, ROWS] >= 0
    return count == len(near)


@inner
def due_by_gap(near, pairs, value, who, size, n_free, skin, touch, blur):
    """Mark the pairs that have come to touch since they were looked at; how many there are."""
    count = 0
    for q in range(len(near)):
        pairs.seen[q] = 0
        i, j = near[q, 0], near[q, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        for k in range(pairs.seen_at[q, 0], pairs.seen_at[q, 0] + pairs.seen_at[q, 1]):
            if value[k, GAP] <= skin * small + 2.0 * (touch * small + blur):
                pairs.seen[q] = 1
        count += pairs.seen[q]
    return count


@inner
def due_by_reach(near, pairs, reach, looked):
    """Mark the pairs of floes that reach farther than when they were looked at; how many there are."""
    count = 0
    for q in range(len(near)):
        i, j = near[q, 0], near[q, 1]
        pairs.seen[q] = 1 if reach[i] > looked[i] or reach[j] > looked[j] else 0
        count += pairs.seen[q]
    return count


@inner
def note_reach(rows, reach, looked):
    """These floes are looked at with this reach."""
    for q in range(len(rows)):
        looked[rows[q]] = reach[rows[q]]


@inner
def take_rows(near, before, pairs, found):
    """Take over the contacts of these pairs at the start of the step; how many, also when that is more than fit."""
    at = 0
    for q in range(len(near)):
        count = np.int64(near[q, ROWS])
        pairs.seen_at[q, 0], pairs.seen_at[q, 1] = at, count
        first = np.int64(near[q, FIRST])
        at = copy_contacts(
            before.value, before.who, before.key, first, count, found.value, found.who, found.key, at
        )  # fmt: skip
    return at


@inner
def look_again(near, pairs, kept, shapes, pose, view, n_free, zone, reach, scratch, one, other, found):
    """Look at the pairs that are marked, and put their contacts among those of the others; (contacts, rows needed).

    More contacts than there is room for, or rows needed: all is left as it was, to be called again with more room. (Looking at
    all pairs instead would find the same contacts only to rounding, and a run that is resumed has less room at first.)
    one: room for the contacts of a pair; other: for those of all, from where they go to `found`; kept: for the pairs.
    """
    at, short = 0, NONE
    for q in range(len(near)):
        kept.seen_at[q, 0], kept.seen_at[q, 1] = pairs.seen_at[q, 0], pairs.seen_at[q, 1]
    for q in range(len(near)):
        first, count = np.int64(pairs.seen_at[q, 0]), np.int64(pairs.seen_at[q, 1])
        if pairs.seen[q] == 0:
            copy_contacts(found.value, found.who, found.key, first, count, other.value, other.who, other.key, at)
        else:
            pairs.until[q] = pairs.known_until[q] = -math.inf
            pairs.seen[q] = 0
            count, rows = look_pairs(
                np.int64(q), np.int64(q) + ONE, near, shapes, pose, view.wraps, view.period, n_free, zone, reach,
                view.still, view.still, view.moved_at, pairs, 0.0, NONE, TWO, scratch, one, one,
            )  # fmt: skip
            short = max(short, rows)
            if count <= len(one.value) and at + count <= len(other.value):
                close_levers(count, one.value, one.who, pose)
                copy_contacts(one.value, one.who, one.key, NONE, count, other.value, other.who, other.key, at)
            elif count > len(one.value):
                at += len(other.value)  # it has too little room: that shows in the count
        pairs.seen_at[q, 0], pairs.seen_at[q, 1] = at, count
        at += count
    if short == 0 and at <= len(other.value):
        copy_contacts(other.value, other.who, other.key, NONE, at, found.value, found.who, found.key, NONE)
        return at, short
    for q in range(len(near)):
        pairs.seen_at[q, 0], pairs.seen_at[q, 1] = kept.seen_at[q, 0], kept.seen_at[q, 1]
    return at, short


@inner
def first_touch(near, pairs, value, who, state, size, n_free, skin, touch, aim, blur, motion, h):
    """When the first contact comes to touch on these paths, inf if none does within h.

    The gap to second order in time; contacts that touch count once they have come apart, never in a pair that is held.
    """
    first = math.inf
    for q in range(len(near)):
        begin, end = pairs.seen_at[q, 0], pairs.seen_at[q, 0] + pairs.seen_at[q, 1]
        held = False
        for k in range(begin, end):
            held = held or state[k] & 4 != 0
        i, j = near[q, 0], near[q, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        for k in range(begin, end):
            gap = value[k, GAP] - skin * small
            touches = gap <= touch * small + blur
            if state[k] >= 4 or (held and touches):
                continue
            speed, tangent = relative_speed(value, who, k, motion)
            bend = 0.5 * curving(value, who, k, motion, tangent)
            u = motion[j, 3] - motion[j, 5] * value[k, BY] - motion[i, 3] + motion[i, 5] * value[k, AY]
            v = motion[j, 4] + motion[j, 5] * value[k, BX] - motion[i, 4] - motion[i, 5] * value[k, AX]
            bend += u * value[k, NX] + v * value[k, NY]
            when = math.inf
            if touches:
                if speed > 0.0 > bend:
                    when = -speed / bend
            else:
                room = gap - aim * small - 0.5 * blur
                square = speed * speed - 4.0 * bend * room
                if square >= 0.0 and speed < 0.0:
                    when = 2.0 * room / (math.sqrt(square) - speed)
                elif speed >= 0.0 > bend:
                    when = -0.5 * (speed + math.sqrt(square)) / bend
            first = min(first, when)
    return first if first < h else math.inf
