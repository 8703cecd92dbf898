"""The kernel of the narrow phase: looks at the pairs that are awake and writes their contacts.

It is longer than a kernel should be: what it does to a pair after the sieve shares two dozen arrays and numbers from the first
line to the last, and functions that were handed all of them would say less.
"""

import math

import numpy as np

from banquise.detection._kernels_frames import TOUCH, frames_of_point, to_world
from banquise.detection._kernels_reduce import reduce_frames
from banquise.detection._kernels_rows import OWN, measure_rows, near_runs, rows_of_runs, sort_rows
from banquise.detection._kernels_sieve import ROUND, pair_reach, path_of, sieve, strike_apart, turned_into, wake
from banquise.detection.jit import fetch, inline, kernel

ROWS = 31  # rows of a pair that are remembered; a pair with more is looked at in full each time
NEXT = 3  # how many pairs ahead memory is asked for


@inline
def _fetch_nodes(p, pairs, sh):
    """Ask for the boxes of the runs of a pair that is to be looked at in full."""
    for side in range(2 if p < 0 else 0):
        b = pairs[~p, side]
        begin = np.int64(sh.body[b, 0])
        for number in range(7 * begin, min(7 * (begin + 8), 7 * np.int64(sh.body[b + 1, 0])), 8):
            fetch(sh.node, number)
        fetch(sh.node_link, 3 * begin)
        fetch(sh.node_link, 3 * begin + 16)


@inline
def _sift(awake, first, last, pairs, sh, pose, wraps, period, n_free, zone, travel, ahead, runs):
    """List the runs that may be near for the pairs first:last of the list that are to be looked at in full, and ask for
    them; up to which of the list they are, as many as there is room for.

    Of each pair four numbers come first: where in `runs` its edges of a and points of b end, then its edges of b and points
    of a.
    """
    body = sh.body
    used = np.int64(0)
    for k in range(first, last):
        if k + NEXT < last:
            _fetch_nodes(awake[k + NEXT], pairs, sh)
        if awake[k] >= 0:
            continue
        p = ~awake[k]
        i, j = pairs[p, 0], pairs[p, 1]
        if used + 4 + (body[i + 1, 1] - body[i, 1] + body[j + 1, 1] - body[j, 1]) // 2 >= len(runs):
            return np.int64(k)
        _, _, c, s, tx, ty, ux, uy = turned_into(p, i, j, pairs, pose, wraps, period)
        limit = pair_reach(i, j, n_free, zone, travel) + ahead + (sh.frame[i, 4] + sh.frame[j, 4])
        head = used
        used += 4
        for who in range(2):
            v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
            begin = used
            middle, used = near_runs(
                sh.node, sh.node_link, body, sh.frame, v, e, c, turn, ox, oy, limit, runs, used
            )  # fmt: skip
            runs[head + 2 * who], runs[head + 2 * who + 1] = middle, used
            if used == head + 4:  # nor are there rows the other way round
                runs[head + 2], runs[head + 3] = used, used
                break
            for l in range(begin, used):
                fetch(sh.coarse, 16 * np.int64(sh.node_link[runs[l], 0]))
    return np.int64(last)


@inline
def _fetch_soon(p, pairs, sh, pose, state):
    """Ask for what a pair of the list will need: what was seen, or its rows and where its bodies are."""
    q = p if p >= 0 else ~p
    fetch(state.seen_reach, 2 * np.int64(q))
    fetch(state.seen_at, 2 * np.int64(q))
    if p >= 0:
        fetch(state.known, (1 + ROWS) * np.int64(p))
    for side in range(2):
        b = np.int64(pairs[q, side])
        fetch(sh.ids, b)
        if p >= 0:  # the others have just been through the sieve
            fetch(pose, 4 * b)
            fetch(sh.frame, 6 * b)
            fetch(sh.body, 2 * b)


@inline
def _fetch_next(p, pairs, sh, moved_at, seen, known):
    """Ask for the points and edges of its rows, unless it stands still."""
    if p < 0 or (moved_at[pairs[p, 0]] < seen[p] and moved_at[pairs[p, 1]] < seen[p]) or known[p, 0] == 0:
        return
    n0 = known[p, 0] & 0xFF
    n1 = min(n0 + (known[p, 0] >> 8), ROWS)  # a pair that stands still with another reach may have none
    a0, b0 = np.int64(sh.body[pairs[p, 0], 1]), np.int64(sh.body[pairs[p, 1], 1])
    for k in range(1, n1 + 1):
        row = known[p, k]
        v, e = (b0, a0) if k <= n0 else (a0, b0)
        fetch(sh.block, 8 * (v + np.int64(row >> 16)))
        fetch(sh.block, 8 * (e + np.int64(row & 0xFFFF)))


@kernel
def look_pairs(
    first, last, pairs, sh, pose, wraps, period, n_free, zone, travel, path, turned, moved_at, state, ahead, mode, look,
    scratch, before, out,
):  # fmt: skip
    """Look at pairs first:last; (contacts found, rows or frames needed when a scratch array was too short).

    mode 0: contacts only; 1: distances only (state.distance, state.exact: the least one, or a lower bound of it); 2: distances
    within the reach, contacts within the zone. look: the number of this look. What the last one found, `before`, is taken
    over for pairs of which neither body has moved.
    """
    until, known, known_until = state.until, state.known, state.known_until
    distance, exact = state.distance, state.exact
    slots, places, runs, rows, measure = scratch.slots, scratch.near, scratch.runs, scratch.rows, scratch.measure
    frame, tag, at, chosen, awake = scratch.frame, scratch.tag, scratch.at, scratch.chosen, scratch.awake
    block, link, node, node_link, body, box = sh.block, sh.link, sh.node, sh.node_link, sh.body, sh.frame
    ids, value, rows_of, key = sh.ids, out.value, out.who, out.key
    seen, seen_reach, seen_at = state.seen, state.seen_reach, state.seen_at
    count = np.int64(0)
    need = np.int64(0)
    # min(zone) <= mean(zone): one sum a body tells of most pairs that they sleep
    alarm = scratch.alarm
    quick = mode == 0 and 2 * (last - first) > len(alarm)
    for b in range(len(alarm) if quick else 0):
        alarm[b] = (path[b] + travel[b] + 0.5 * zone[b]) * (1.0 + 4.0 * ROUND)
    done = first  # pairs listed so far
    listed = left = 0
    sifted = sift_at = np.int64(0)  # pairs whose runs are listed; where those of the next one are
    while listed < left or done < last:
        if listed == left:
            stop = min(done + len(awake), last)
            left = wake(done, stop, pairs, n_free, zone, travel, path, state, mode, quick, alarm, awake)
            left = strike_apart(
                awake, left, pairs, pose, wraps, period, n_free, zone, travel, path, turned, state, mode
            )  # fmt: skip
            left = sieve(
                awake, left, pairs, sh, pose, wraps, period, n_free, zone, travel, path, turned, moved_at, state, mode, look
            )  # fmt: skip
            done, listed, sifted = stop, 0, np.int64(0)
            continue
        if listed == sifted:
            sift_at = np.int64(0)
            sifted = _sift(awake, listed, left, pairs, sh, pose, wraps, period, n_free, zone, travel, ahead, runs)
        if listed + NEXT < left:
            _fetch_soon(awake[listed + NEXT], pairs, sh, pose, state)
            _fetch_next(awake[listed + 1], pairs, sh, moved_at, seen, known)
        p = ~awake[listed] if awake[listed] < 0 else awake[listed]
        listed += 1
        i, j = pairs[p, 0], pairs[p, 1]
        reach = pair_reach(i, j, n_free, zone, travel)
        moved = path_of(i, j, path)
        near = reach - travel[i] - travel[j]
        if mode != 1:
            still = seen[p] == look - 1 and moved_at[i] < seen[p] and moved_at[j] < seen[p]
            seen[p] = look
            if still and seen_reach[p, 0] == reach and seen_reach[p, 1] == near:
                begun, m = seen_at[p, 0], seen_at[p, 1]
                seen_at[p, 0] = count
                count = copy_contacts(before.value, before.who, before.key, begun, m, value, rows_of, key, count)
                continue
            seen_reach[p, 0], seen_reach[p, 1] = reach, near
            seen_at[p, 0], seen_at[p, 1] = count, 0
        shift_x, shift_y, c, s, tx, ty, ux, uy = turned_into(p, i, j, pairs, pose, wraps, period)
        radii = box[i, 4] + box[j, 4]
        cached = reach <= known_until[p] - moved
        limit = known_until[p] - moved if cached else reach + ahead
        if cached:
            n0 = np.int64(known[p, 0] & 0xFF)
            n1 = n0 + np.int64(known[p, 0] >> 8)
            for k in range(n1):
                rows[k] = (np.int64(known[p, 1 + k] >> 16) << 32) | (known[p, 1 + k] & 0xFFFF)
        else:
            n0, n1 = np.int64(0), np.int64(0)
            head, begin = sift_at, sift_at + 4
            for who in range(2):
                n0 = n1
                middle, sift_at = np.int64(runs[head + 2 * who]), np.int64(runs[head + 2 * who + 1])
                v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
                n1 = rows_of_runs(
                    block, sh.coarse, node, node_link, body[v, 1], body[e, 1], c, turn, ox, oy, limit + radii, runs,
                    begin, middle, sift_at, slots, places, rows, n0,
                )  # fmt: skip
                begin = sift_at
                if n1 <= len(rows):
                    sort_rows(rows, n0, n1)
            if n1 > len(rows):
                need = max(need, n1)
                continue
            known_until[p] = -math.inf
            if n1 <= ROWS and body[i + 1, 1] - body[i, 1] < 65536 > body[j + 1, 1] - body[j, 1]:
                known_until[p] = limit + moved
                known[p, 0] = n0 | (n1 - n0) << 8
                for k in range(n1):
                    known[p, 1 + k] = ((rows[k] >> 32) << 16) | (rows[k] & 0xFFFF)
        wanted = near if mode == 2 else reach
        least = math.inf
        near0 = near1 = np.int64(0)  # rows that are near enough: of points of b, of both
        for who in range(2):
            v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
            k0, k1 = (np.int64(0), n0) if who == 0 else (n0, n1)
            near0 = near1
            square, near1 = measure_rows(
                block, body[v, 1], body[e, 1], c, turn, ox, oy, rows, k0, k1, wanted + radii, measure, near1
            )
            least = min(least, square)
        least = math.sqrt(least) - radii
        until[p] = min(least, limit) + moved
        if mode != 0:
            distance[p], exact[p] = min(least, limit), least <= limit
        if least > wanted:
            continue
        for k in range(near1):
            measure[k, 2] = math.sqrt(measure[k, 2])
        size = min(box[i, 5], box[j, 5])
        m = np.int64(0)
        for who in range(2):
            v, e, turn, ox, oy = (j, i, s, tx, ty) if who == 0 else (i, j, -s, ux, uy)
            k, top = (np.int64(0), near0) if who == 0 else (near0, near1)
            begun = m
            while k < top:
                end = k + 1
                closest = measure[k, 2]
                while end < top and rows[end] >> 32 == rows[k] >> 32:
                    closest = min(closest, measure[end, 2])
                    end += 1
                if closest <= wanted + radii:
                    m = frames_of_point(
                        block, link, who == 1, body[v, 1], body[e, 1], TOUCH * size, c, turn, ox, oy, rows, k, end,
                        measure, wanted + radii, frame, tag, m,
                    )  # fmt: skip
                k = end
            to_world(
                block, who, pose[e, 2], pose[e, 3], box[e, 4], pose[v, 2], pose[v, 3], box[v, 4], frame, tag, begun,
                min(m, len(frame)),
            )  # fmt: skip
        if m > len(frame):
            need = max(need, m)
            continue
        m = reduce_frames(link, size, near, frame, tag, m, at, chosen)
        for k in range(m if mode != 0 else 0):
            distance[p] = min(distance[p], frame[k, 6])
        if mode != 1:
            seen_at[p, 1] = m
            count = _write(link, ids, i, j, shift_x, shift_y, frame, tag, m, at, value, rows_of, key, count)
    return count, need


@inline
def copy_contacts(value, who, key, first, m, to_value, to_who, to_key, count):
    """Append m contacts of another set, from `first`; the count so far. Counts on when it is full."""
    for k in range(m if count + m <= len(to_value) else 0):
        for column in range(9):
            to_value[count + k, column] = value[first + k, column]
        for column in range(3):
            to_who[count + k, column] = who[first + k, column]
        to_key[count + k] = key[first + k]
    return count + m


@inline
def _write(link, ids, i, j, shift_x, shift_y, frame, tag, m, at, value, who, key, count):
    """Append the frames of a pair, in the order of their keys; the count so far. Counts on when it is full."""
    for k in range(m if count + m <= len(value) else 0):
        rank = 0
        for l in range(m):
            if tag[l, 0] == tag[k, 0] and tag[l, 1] == tag[k, 1] and tag[l, 2] < tag[k, 2]:
                rank += 1
        owner, other = (j, i) if tag[k, 0] == 0 else (i, j)
        code = ((ids[owner] & 0x3FFFFF) << 41) | ((ids[other] & 0x3FFFFF) << 19)
        code |= ((link[tag[k, 1], OWN] & 0x1FFFF) << 2) | min(rank, 3)
        at[k] = k
        key[count + k] = code
    for k in range(1, m if count + m <= len(value) else 0):
        code, row = key[count + k], at[k]
        l = k
        while l > 0 and key[count + l - 1] > code:
            key[count + l], at[l] = key[count + l - 1], at[l - 1]
            l -= 1
        key[count + l], at[l] = code, row
    for k in range(m if count + m <= len(value) else 0):
        for column in range(7):
            value[count + k, column] = frame[at[k], column]
        value[count + k, 7], value[count + k, 8] = shift_x, shift_y
        who[count + k, 0], who[count + k, 1], who[count + k, 2] = i, j, tag[at[k], 3] + 4 * tag[at[k], 0]
    return count + m
