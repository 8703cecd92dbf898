# mypy: ignore-errors
"""Kernels that list groups: floes joined by the pairs that look as if they will meet or that rest together."""

import numpy as np

from banquise.jit import bare_inner as inner
from banquise.jit import bare_kernel, kernel
from banquise.schemes._kernels_scene import take_up_row
from banquise.schemes._kernels_survey import foresee, survey
from banquise.schemes.codes import BLUR

ZERO = np.int64(0)  # typed: written out it would compile copies of what it is handed to
LARGE = 32  # pairs at rest from which on a group takes in what may meet it


@kernel
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


@bare_kernel
def list_groups(pairs, live, n_free, first, label, number, members, member_start, listed, pair_start, where, home):
    """Groups of floes joined by live pairs, as lists; (how many, members in all, pairs in all, pairs of the largest).

    pairs (p, 6): rows, images, contacts; obstacles join nobody. Groups are numbered by their first member; a group has every
    pair of its members, live or not, for an impact may send them anywhere. label: root of each floe, -1 for those in
    none. home: the number of its group, counted from `first`; of those in none it stays as it is, or is -1 where first is 0.
    where: scratch (p,).
    """
    for i in range(n_free):
        label[i] = number[i] = -1
        if first == 0:
            home[i] = -1
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
    last, last_pair, most = total, count, 0
    for g in range(groups - 1, -1, -1):  # ends of the groups, moved down to their starts as they fill
        size, size_pair = member_start[g], pair_start[g]
        most = max(most, size_pair)
        member_start[g], pair_start[g] = last, last_pair
        last, last_pair = last - size, last_pair - size_pair
    member_start[groups], pair_start[groups] = total, count
    for i in range(n_free - 1, -1, -1):
        if label[i] >= 0:
            g = number[label[i]]
            member_start[g] -= 1
            members[member_start[g]] = i
            home[i] = first + g
    for p in range(len(pairs) - 1, -1, -1):
        g = where[p]
        if g >= 0:
            pair_start[g] -= 1
            at = pair_start[g]
            for k in range(6):
                listed[at, k] = pairs[p, k]
    return groups, total, count, most


@inner
def _join_large(pairs, rest, n_free, label, number, groups, live, resting):
    """Make live what may meet a group of which much rests together: to do it again is dear; whether there is any.

    resting: scratch, a number a group.
    """
    for g in range(groups):
        resting[g] = 0
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


@inner
def _note_images(value, pairs, count, wraps, period):
    """Which image of its second body each pair is about, by whole periods."""
    for p in range(count):
        i, j, k = pairs[p, 0], pairs[p, 1], pairs[p, 4]
        for axis in range(2):
            image = round(value[k, 7 + axis] / period[axis]) if period[axis] > 0.0 else 0
            pairs[p, 2 + axis] = image - wraps[i, axis] + wraps[j, axis]


@bare_kernel
def group_up(step, value, who, rule, b, s, view, mark, label, number, home, lists):
    """The pairs that may meet in this step, and groups of those that look as if they will or rest together, whose state at the
    start of the step is taken up.

    Returns how many pairs, groups, members of groups, pairs in groups, and pairs in the largest of them.
    """
    n = len(s.steps)
    pairs, live, rest = lists.pairs, lists.live, lists.rest
    count = survey(
        value, who, s.velocity, s.free_displacement, step, n, b.size, s.pull, b.extent, s.reach, rule.shortest, rule.touch,
        s.now[BLUR], pairs, lists.first, live, rest, mark, rule.soft,
    )  # fmt: skip
    pairs, live, rest = pairs[:count], live[:count], rest[:count]
    if rule.soft:
        foresee(
            value, who, pairs, s.velocity, s.free_displacement, step, n, b.size, b.extent, b.inverse_mass, b.inverse_inertia,
            rule.largest, live, mark, s.displacement,
        )  # fmt: skip
    if view.period[0] > 0.0 or view.period[1] > 0.0:
        _note_images(value, pairs, count, view.wraps, view.period)
    while True:
        groups, total, listed, most = list_groups(
            pairs, live, n, ZERO, label, number, lists.members, lists.member_start, lists.listed, lists.pair_start, lists.where,
            home,
        )  # fmt: skip
        if not (rule.soft and _join_large(pairs, rest, n, label, number, groups, live, lists.resting)):
            break
    for q in range(total):
        take_up_row(lists.members[q], step, b, s)
    return count, groups, total, listed, most
