"""Kernels that reduce the frames of a pair to those that matter."""

import numpy as np

from banquise.detection._kernels_frames import CORNER, FACE, MOST, NONE
from banquise.detection._kernels_rows import AFTER
from banquise.detection.jit import inline, inner

BINS = 64


@inline
def _contradict(link, out, tag, i, j, near):
    """Whether two frames are the two sides of one corner against corner: one or the other holds, never both."""
    apart = False
    if out[i, 0] * out[j, 0] + out[i, 1] * out[j, 1] >= CORNER:  # what most are
        return apart
    same_owner = tag[i, 0] == tag[j, 0] and tag[i, 3] == 0 and tag[j, 3] == 0
    if tag[i, 1] != tag[j, 1] and not same_owner:
        e, f = tag[i, 2], tag[j, 2]
        dx, dy = out[i, 2] - out[j, 2], out[i, 3] - out[j, 3]
        apart = dx * dx + dy * dy < near * near or (
            tag[i, 0] != tag[j, 0]
            and tag[i, 3] + tag[j, 3] == 0
            and (e == tag[j, 1] or link[e, AFTER] == tag[j, 1])
            and (f == tag[i, 1] or link[f, AFTER] == tag[i, 1])
        )
    return apart


@inline
def _drop_corners(link, near, out, tag, m, chosen):
    """Of frames that contradict each other keep the nearest, or the shallowest when both overlap: the others get 0."""
    for i in range(m):
        for j in range(m):
            if i == j or chosen[i] == 0 or chosen[j] == 0 or not _contradict(link, out, tag, i, j, near):
                continue
            gi, gj = out[i, 7], out[j, 7]
            if (gi < 0.0 and gj < 0.0 and gi < gj) or (max(gi, gj) >= 0.0 and gi > gj) or (gi == gj and i > j):
                chosen[i] = 0


@inline
def _place(out, i, nx, ny):
    """Where frame i stands along the face with normal n."""
    return out[i, 3] * nx - out[i, 2] * ny


@inline
def _sort_along(out, at, n, nx, ny):
    """Sort the frames at[:n] along the face."""
    for i in range(1, n):
        row = at[i]
        place = _place(out, row, nx, ny)
        j = i
        while j > 0 and _place(out, at[j - 1], nx, ny) > place:
            at[j] = at[j - 1]
            j -= 1
        at[j] = row


@inline
def _below(out, at, n, k, nx, ny, same, chosen):
    """How far frame at[k] lies below the chord of the chosen frames on both sides of it; zero at their places."""
    left, right = k - 1, k + 1
    while left >= 0 and chosen[at[left]] != 1:
        left -= 1
    while right < n and chosen[at[right]] != 1:
        right += 1
    if left < 0 or right == n:
        return 0.0
    low, high, here = _place(out, at[left], nx, ny), _place(out, at[right], nx, ny), _place(out, at[k], nx, ny)
    if here - low <= same or high - here <= same:
        return 0.0
    part = (here - low) / (high - low)
    return (1.0 - part) * out[at[left], 6] + part * out[at[right], 6] - out[at[k], 6]


@inline
def _thin_face(out, at, n, lowest, tolerance, same, chosen):
    """Choose (1, the others 0) the frames at[:n] of one face that can ever bind.

    With one normal the condition of a point is gap + rise + turn * place >= 0: only the lower hull of (place, gap) can
    bind. A smooth stretch is all hull, so it is thinned to the ends, the nearest, and what lies farthest below the
    chords, until that is less than the tolerance. Equals are taken together, so that a mirrored scene gives mirrored
    points.
    """
    nx, ny = out[lowest, 0], out[lowest, 1]
    _sort_along(out, at, n, nx, ny)
    first = last = lowest
    for k in range(n):
        chosen[at[k]] = 0
        if out[at[k], 6] <= out[lowest, 6] + 1e-3 * tolerance:
            if _place(out, at[k], nx, ny) < _place(out, first, nx, ny) - same:
                first = at[k]
            if _place(out, at[k], nx, ny) > _place(out, last, nx, ny) + same:
                last = at[k]
    chosen[first] = chosen[last] = 1
    kept = 1 if first == last else 2
    if chosen[at[0]] == 0 and _place(out, first, nx, ny) - _place(out, at[0], nx, ny) > same:
        chosen[at[0]] = 1
        kept += 1
    if chosen[at[n - 1]] == 0 and _place(out, at[n - 1], nx, ny) - _place(out, last, nx, ny) > same:
        chosen[at[n - 1]] = 1
        kept += 1
    more = True
    while more and kept < MOST:
        deepest = tolerance
        for k in range(n):
            if chosen[at[k]] == 0:
                deepest = max(deepest, _below(out, at, n, k, nx, ny, same, chosen))
        more = deepest > tolerance
        for k in range(n if more else 0):
            if chosen[at[k]] == 0 and _below(out, at, n, k, nx, ny, same, chosen) >= deepest * (1.0 - 1e-6):
                chosen[at[k]] = 2
                kept += 1
        for k in range(n):
            chosen[at[k]] = min(chosen[at[k]], 1)


@inner
def _nearest_by_place(out, m, at, chosen):
    """Of very many frames leave the nearest in each of BINS stretches along the nearest one's face: the rest get 0.

    Two fine borders have thousands of frames within a wide reach, and what follows compares each with each.
    """
    lowest = 0
    for k in range(m):
        if out[k, 6] < out[lowest, 6]:
            lowest = k
    nx, ny = out[lowest, 0], out[lowest, 1]
    low, high = np.inf, -np.inf
    for k in range(m):
        low, high = min(low, _place(out, k, nx, ny)), max(high, _place(out, k, nx, ny))
    for k in range(BINS):
        at[k] = -1
    scale = BINS / max(high - low, 1e-300)
    for k in range(m):
        chosen[k] = 0
        place = min(int((_place(out, k, nx, ny) - low) * scale), BINS - 1)
        if at[place] < 0 or out[k, 6] < out[at[place], 6]:
            at[place] = k
    for k in range(BINS):
        if at[k] >= 0:
            chosen[at[k]] = -1


@inline
def _two_to_tell(link, size, out, tag):
    """Whether two frames cannot simply both be kept: they contradict each other, or stand in one place of one face."""
    if out[0, 0] * out[1, 0] + out[0, 1] * out[1, 1] <= FACE:
        return _contradict(link, out, tag, np.int64(0), np.int64(1), 0.02 * size)
    lowest = 1 if out[1, 6] < out[0, 6] else 0
    nx, ny = out[lowest, 0], out[lowest, 1]
    return abs(_place(out, 0, nx, ny) - _place(out, 1, nx, ny)) <= 2e-4 * size


@inner
def reduce_frames(link, size, zone, out, tag, m, at, chosen):
    """Keep the frames of a pair that matter: no contradicting corners, few points a face; the count left."""
    if m < 2 or (m == 2 and not _two_to_tell(link, size, out, tag)):  # two pairs of three
        return m
    for k in range(m):
        chosen[k] = -1
    if m > 4 * BINS:
        _nearest_by_place(out, m, at, chosen)
    _drop_corners(link, 0.02 * size, out, tag, m, chosen)
    seed = NONE + 1
    while seed >= 0:
        seed = NONE
        for k in range(m):
            if chosen[k] < 0 and (seed < 0 or out[k, 6] < out[seed, 6]):
                seed = k
        n = np.int64(0)
        for k in range(m if seed >= 0 else 0):
            if k == seed or (chosen[k] < 0 and out[k, 0] * out[seed, 0] + out[k, 1] * out[seed, 1] > FACE):
                at[n] = k
                n += 1
        if n > 0:
            _thin_face(out, at, n, seed, 0.05 * zone, 2e-4 * size, chosen)
    left = 0
    for k in range(m):
        if chosen[k] == 1:
            for column in range(8):
                out[left, column] = out[k, column]
            for column in range(4):
                tag[left, column] = tag[k, column]
            left += 1
    return left
