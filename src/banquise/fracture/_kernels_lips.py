"""Kernels of the lips of one crack: how it opens, with pressures where they would overlap, and what that releases."""

import numpy as np

from banquise.fracture._kernels_ghosts import (
    coupled,
    eliminated,
    factored,
    four_rows_after_rows,
    frozen,
    mean_motion,
    row_after_rows,
)
from banquise.jit import making_loose_inner, making_loose_kernel, plain_loose_inner

SMALL = 1e-10  # part of its diagonal added to S: loose pieces leave it singular, in directions that no load sees


@plain_loose_inner
def _gram(A, begin, out):
    """out = A A^T for rows that begin at those columns, each at or after the one before."""
    lips, m = A.shape
    for c in range(lips):
        own, start = A[c], begin[c]
        full = (c + 1) - (c + 1) % 4
        for d in range(0, full, 4):
            p, q, r, s = A[d], A[d + 1], A[d + 2], A[d + 3]
            x = y = z = w = 0.0
            for k in range(start, m):
                value = own[k]
                x += value * p[k]
                y += value * q[k]
                z += value * r[k]
                w += value * s[k]
            out[c, d], out[c, d + 1], out[c, d + 2], out[c, d + 3] = x, y, z, w
        for d in range(full, c + 1):
            x = 0.0
            for k in range(start, m):
                x += own[k] * A[d, k]
            out[c, d] = x
    for c in range(lips):
        for d in range(c):
            out[d, c] = out[c, d]


@making_loose_inner
def _solve_chosen(gram, rhs, chosen, index, x):
    """Solve the chosen rows of gram x = rhs; zero elsewhere. False when these are not positive."""
    n = rhs.shape[0]
    m = 0
    for i in range(n):
        x[i] = 0.0
        if chosen[i]:
            index[m] = i
            m += 1
    even = m + m % 2  # one more that is coupled to none, where the number is odd: rows are taken two at a time
    L, y = np.zeros((even, even)), np.zeros(even)
    for i in range(m):
        row, own = gram[index[i]], L[i]
        for j in range(i + 1):
            own[j] = row[index[j]]
        y[i] = rhs[index[i]]
    if even > m:
        L[m, m] = 1.0
    if not factored(L):
        return False
    row_after_rows(L, y, 0, even)
    for i in range(m - 1, -1, -1):
        value = y[i] * L[i, i]
        x[index[i]] = value
        for k in range(i):
            y[k] -= L[i, k] * value
    return True


@plain_loose_inner
def _kept_back(gram, rhs, x):
    """What the pressures max(x, 0) keep from being released, at the least: rhs.x - x.gram.x/2."""
    n = rhs.shape[0]
    total = 0.0
    for i in range(n):
        if x[i] > 0.0:
            row = gram[i]
            along = 0.0
            for j in range(n):
                along += row[j] * max(x[j], 0.0)
            total += x[i] * (rhs[i] - 0.5 * along)
    return total


@making_loose_kernel
def non_negative(gram, rhs, x, enough):
    """Minimise x.gram.x/2 - rhs.x over x >= 0 (block principal pivoting, single exchanges when that stalls).

    Returns the number of rounds; 0 when some x >= 0 has brought it to -enough or below, which is all that is asked then;
    negative when it did not settle: x is then non-negative all the same, and for our use (a bound from above that any x >= 0
    gives) still safe.
    """
    n = rhs.shape[0]
    chosen, index = np.empty(n, np.bool_), np.empty(n, np.int64)
    for i in range(n):
        chosen[i] = rhs[i] > 0.0
    grad = np.empty(n)
    scale = 0.0
    for i in range(n):
        scale = max(scale, abs(rhs[i]))
    eps = 1e-11 * scale
    least = n + 1
    patience = 4
    for rounds in range(1, 60 + 4 * n):
        if not _solve_chosen(gram, rhs, chosen, index, x):
            break
        top = 0.0
        for i in range(n):
            top = max(top, abs(x[i]))
        bad = 0
        last = -1
        for i in range(n):
            row = gram[i]
            slope = -rhs[i]
            for j in range(n):
                slope += row[j] * x[j]
            grad[i] = slope
            if (chosen[i] and x[i] < -1e-12 * top) or (not chosen[i] and slope < -eps):
                bad += 1
                last = i
        if bad == 0:
            for i in range(n):
                x[i] = max(x[i], 0.0)
            return rounds
        if _kept_back(gram, rhs, x) >= enough:
            return 0
        if bad < least:
            least = bad
            patience = 4
        else:
            patience -= 1
        if patience > 0:
            for i in range(n):
                if (chosen[i] and x[i] < -1e-12 * top) or (not chosen[i] and grad[i] < -eps):
                    chosen[i] = not chosen[i]
        else:
            chosen[last] = not chosen[last]
    for i in range(n):
        x[i] = max(x[i], 0.0)
    return -1


@making_loose_inner
def _pressed(A, begin, y, pressure, enough):
    """Pressures of lips that would overlap, A (lips, m) their openings; y becomes the state under them. False as soon as they
    are known to keep back `enough`: then neither is right."""
    lips, m = A.shape
    parting = np.zeros(lips)
    most = 0.0
    for c in range(lips):
        for k in range(begin[c], m):
            parting[c] -= A[c, k] * y[k]
        most = max(most, parting[c])
    if most <= 0.0:
        return True
    gram = np.empty((lips, lips))
    _gram(A, begin, gram)
    if non_negative(gram, parting, pressure, enough) == 0:
        return False
    for c in range(lips):
        if pressure[c] > 0.0:
            for k in range(begin[c], m):
                y[k] += A[c, k] * pressure[c]
    return True


@plain_loose_inner
def _openings(S, lip, weight, way, A, begin):
    """Openings A (lips, m) of the lips by the ghosts in the coordinates of the factor S, each zero before its `begin`."""
    lips, m = A.shape
    low = m
    for c in range(lips - 1, -1, -1):
        for k in range(m):
            A[c, k] = 0.0
        for k in range(3):
            if lip[c, k] >= 0:
                a = 2 * lip[c, k]
                A[c, a] += weight[c, k] * way[0]
                A[c, a + 1] += weight[c, k] * way[1]
                low = min(low, a)
        begin[c] = low  # the first unknown that opens this lip or one after it
    for top in range(0, lips - 3, 4):
        four_rows_after_rows(S, A, top, begin[top], m)
    for c in range(lips - lips % 4, lips):
        row_after_rows(S, A[c], begin[c], m)


@plain_loose_inner
def _rubbed(lip, weight, way, ghosts, before, pressure):
    """Work of a unit of friction as the lips slide: under what pressed them before, and under what does after."""
    before_work = after_work = 0.0
    for c in range(lip.shape[0]):
        slid = 0.0
        for k in range(3):
            if lip[c, k] >= 0:
                a = 2 * lip[c, k]
                slid += weight[c, k] * (way[2] * ghosts[a] + way[3] * ghosts[a + 1])
        before_work += max(before[c], 0.0) * abs(slid)
        after_work += pressure[c] * abs(slid)
    return before_work, after_work


@making_loose_kernel
def open_cut(
    inverse, drift, drift_energy, push, body_moments, still,
    touched, D, B, QA, QP, lip, weight, way, before, load, separates, known, friction, enough,
):  # fmt: skip
    """How a cut (see `cut_mesh`) opens: releases net of friction, frictionless, free; ghosts, and pressures of the lips.

    Parameters
    ----------
    still : whether mean motions are frozen (under an impact); known : of the chords before, see `mean_motion`
    before : (m,) force that presses on each crossing before; enough : what releases so much or less is not looked at further
    """
    m, n, lips = D.shape[0], QP.shape[1], lip.shape[0]
    S = np.empty((m, m))
    y = np.empty(m)
    pressure = np.zeros(lips)
    ghosts = np.zeros(m)
    for a in range(m):
        y[a] = load[a]
    first, last = np.empty(m // 2 + 1, np.int64), np.empty(m // 2, np.int64)
    index = np.empty(m // 2 * touched.shape[0], np.int64)
    coupled(B, first, index, last)
    eliminated(inverse, touched, D, B, first, index, last, S)
    if still:
        spread = np.empty((3, n))
        if separates:
            mean_motion(inverse, body_moments, QP, known, spread)
        frozen(drift, drift_energy, push, touched, B, first, index, QA, QP, spread, separates, S, y)
    for a in range(m):
        S[a, a] += SMALL * D[a, a]
    if not factored(S):  # a piece without area: nothing to release
        return 0.0, 0.0, 0.0, ghosts, pressure
    row_after_rows(S, y, 0, m)
    free = 0.0
    for k in range(m):
        free += 0.5 * y[k] * y[k]
    if free <= enough:
        return 0.0, 0.0, free, ghosts, pressure
    A, begin = np.empty((lips, m)), np.empty(lips, np.int64)
    _openings(S, lip, weight, way, A, begin)
    if not _pressed(A, begin, y, pressure, free - enough):
        return 0.0, 0.0, free, ghosts, pressure
    frictionless = 0.0
    for k in range(m):
        frictionless += 0.5 * y[k] * y[k]
    for k in range(m - 1, -1, -1):
        value = y[k] * S[k, k]
        ghosts[k] = value
        for j in range(k):
            y[j] -= S[k, j] * value
    before_work, after_work = _rubbed(lip, weight, way, ghosts, before, pressure)
    drive = 2.0 * frictionless - friction * before_work
    net = 0.5 * drive * drive / (drive + friction * after_work) if drive > 0.0 else 0.0
    return net, frictionless, free, ghosts, pressure
