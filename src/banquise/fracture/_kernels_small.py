"""Kernels of the small problem of one crack: all but its ghosts eliminated, mean motions frozen, pressures of its lips."""

import numpy as np

from banquise.jit import inner, kernel

SMALL = 1e-10  # part of its diagonal added to S: loose pieces leave it singular, in directions that no load sees


@inner
def _eliminated(inverse, touched, D, B, S):
    """Upper triangle of S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    B couples nodes of one cut element only, some ten entries a column: no products with zero are made.
    """
    n, m = B.shape
    first = np.zeros(m + 1, np.int64)
    index = np.empty(n * m, np.int64)
    at = 0
    for a in range(m):
        for k in range(n):
            if B[k, a] != 0.0:
                index[at] = k
                at += 1
        first[a + 1] = at
    local = np.empty((n, n))
    for i in range(touched.shape[0]):
        for j in range(touched.shape[0]):
            p, q = 2 * touched[i], 2 * touched[j]
            local[2 * i, 2 * j] = inverse[p, q]
            local[2 * i, 2 * j + 1] = inverse[p, q + 1]
            local[2 * i + 1, 2 * j] = inverse[p + 1, q]
            local[2 * i + 1, 2 * j + 1] = inverse[p + 1, q + 1]
    row = np.empty(n)
    spread = np.empty((n, m))  # G B
    for a in range(m):
        for k in range(n):
            row[k] = 0.0
        for at in range(first[a], first[a + 1]):
            k = index[at]
            value = B[k, a]
            for c in range(n):
                row[c] += value * local[k, c]
        for k in range(n):
            spread[k, a] = row[k]
    for a in range(m):
        for b in range(a, m):
            S[a, b] = D[a, b]
        for at in range(first[a], first[a + 1]):
            k = index[at]
            value = B[k, a]
            for b in range(a, m):
                S[a, b] -= value * spread[k, b]


@inner
def _inverse_of_three(X, at, out):
    """Inverse of a 3 x 3 matrix by its cofactors, written to out[at:, at:]."""
    for i in range(3):
        for j in range(3):
            a, b, c, d = (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3
            out[at + i, at + j] = X[a, c] * X[b, d] - X[a, d] * X[b, c]
    det = X[0, 0] * out[at, at] + X[0, 1] * out[at + 1, at] + X[0, 2] * out[at + 2, at]
    for i in range(3):
        for j in range(3):
            out[at + i, at + j] /= det


@inner
def _frozen(inverse, drift, drift_energy, push, touched, B, moments, side, separates, S, t):
    """Add to S and t what keeps the mean motion of the floe, and of each of two pieces, as it was.

    With W = [whole, B^T drift, (B^T spread - own)], the moments of the ghosts on the rigid modes and what standard functions
    take of them, S gets W core W^T; core couples the first two by -1, and holds the drift's energy and (side^T spread)^-1.
    `side` (2n, 3) and moments[:, 3:] are of one of the two pieces, spread = inverse side.
    """
    m, n = S.shape[0], side.shape[0]
    wide = np.zeros((9, m))
    core = np.zeros((9, 9))
    mixed = np.zeros((3, 3))  # drift^T side
    square = np.zeros((3, 3))  # side^T spread
    spread = np.zeros((3, n))
    for p in range(3):
        core[p, 3 + p] = core[3 + p, p] = -1.0
        for q in range(3):
            core[p, q] = drift_energy[p, q]
    if separates:
        for i in range(n):
            a, b, c = side[i, 0], side[i, 1], side[i, 2]
            if a != 0.0 or b != 0.0 or c != 0.0:
                for p in range(3):
                    mixed[p, 0] += drift[i, p] * a
                    mixed[p, 1] += drift[i, p] * b
                    mixed[p, 2] += drift[i, p] * c
                for j in range(n):
                    value = inverse[i, j]
                    spread[0, j] += a * value
                    spread[1, j] += b * value
                    spread[2, j] += c * value
        for i in range(n):
            for q in range(3):
                for p in range(3):
                    square[q, p] += side[i, q] * spread[p, i]
        _inverse_of_three(square, 6, core)
    for a in range(m):
        for q in range(3):
            wide[q, a] = moments[a, q]
            t[a] -= moments[a, q] * push[q]
            if separates:
                wide[6 + q, a] = -moments[a, 3 + q]
                for p in range(3):
                    wide[6 + q, a] += moments[a, p] * mixed[p, q]
    for k in range(B.shape[0]):
        i = 2 * touched[k // 2] + k % 2
        for a in range(m):
            value = B[k, a]
            if value != 0.0:
                for q in range(3):
                    wide[3 + q, a] += value * drift[i, q]
                    if separates:
                        wide[6 + q, a] += value * spread[q, i]
    for a in range(m):
        for q in range(9):
            value = 0.0
            for p in range(9):
                value += wide[p, a] * core[p, q]
            for b in range(a, m):
                S[a, b] += value * wide[q, b]


@inner
def _factored(S):
    """S = U^T U in place, U in the upper triangle; False when S is not positive."""
    m = S.shape[0]
    for k in range(m):
        if not S[k, k] > 0.0:
            return False
        root = np.sqrt(S[k, k])
        for j in range(k, m):
            S[k, j] /= root
        for i in range(k + 1, m):
            value = S[k, i]
            for j in range(i, m):
                S[i, j] -= value * S[k, j]
    return True


@inner
def _solve_chosen(gram, rhs, chosen, L, x):
    """Solve the chosen rows of gram x = rhs by Cholesky in place; zero elsewhere. False when not positive."""
    n = rhs.shape[0]
    index = np.empty(n, np.int64)
    m = 0
    for i in range(n):
        x[i] = 0.0
        if chosen[i]:
            index[m] = i
            m += 1
    for i in range(m):
        for j in range(i + 1):
            s = gram[index[i], index[j]]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                if s <= 0.0:
                    return False
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    y = np.empty(m)
    for i in range(m):
        s = rhs[index[i]]
        for k in range(i):
            s -= L[i, k] * y[k]
        y[i] = s / L[i, i]
    for i in range(m - 1, -1, -1):
        s = y[i]
        for k in range(i + 1, m):
            s -= L[k, i] * x[index[k]]
        x[index[i]] = s / L[i, i]
    return True


@kernel
def non_negative(gram, rhs, x):
    """Minimise x.gram.x/2 - rhs.x over x >= 0 (block principal pivoting, single exchanges when that stalls).

    Returns the number of rounds, negative when it did not settle; x is then non-negative all the same, and for our
    use (a bound from above that any x >= 0 gives) still safe.
    """
    n = rhs.shape[0]
    chosen = np.empty(n, np.bool_)
    for i in range(n):
        chosen[i] = rhs[i] > 0.0
    L = np.empty((n, n))
    grad = np.empty(n)
    scale = 0.0
    for i in range(n):
        scale = max(scale, abs(rhs[i]))
    eps = 1e-11 * scale
    least = n + 1
    patience = 4
    for rounds in range(1, 60 + 4 * n):
        if not _solve_chosen(gram, rhs, chosen, L, x):
            break
        top = 0.0
        for i in range(n):
            top = max(top, abs(x[i]))
        bad = 0
        last = -1
        for i in range(n):
            grad[i] = -rhs[i]
            for j in range(n):
                if chosen[j]:
                    grad[i] += gram[i, j] * x[j]
            if (chosen[i] and x[i] < -1e-12 * top) or (not chosen[i] and grad[i] < -eps):
                bad += 1
                last = i
        if bad == 0:
            for i in range(n):
                x[i] = max(x[i], 0.0)
            return rounds
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


@kernel
def open_cut(
    inverse, drift, drift_energy, push, body_moments, frozen,
    touched, D, B, QA, QP, jump, slip, before, load, separates, minus, friction, enough,
):  # fmt: skip
    """How a cut (see `cut_mesh`) opens: releases net of friction, frictionless, free; ghosts, and pressures of the lips.

    Parameters
    ----------
    frozen : whether mean motions are (under an impact); minus : whether to freeze the piece on the - side, the smaller one
    before : (m,) force that presses on each crossing before; enough : a free release of so much or less ends it
    """
    m, n, lips = D.shape[0], QP.shape[0], jump.shape[0]
    S = np.empty((m, m))
    y = np.empty(m)
    pressure = np.zeros(lips)
    ghosts = np.zeros(m)
    for a in range(m):
        y[a] = load[a]
    _eliminated(inverse, touched, D, B, S)
    if frozen:
        side = np.empty((2 * n, 3))
        own = np.empty((m, 6))
        for a in range(m):
            for q in range(3):
                own[a, q] = QA[a, q]
                own[a, 3 + q] = QA[a, q] - QA[a, 3 + q] if minus else QA[a, 3 + q]
        for i in range(2 * n):
            for q in range(3):
                value = QP[i // 2, i % 2, q]
                side[i, q] = body_moments[i, q] - value if minus else value
        if minus:
            for i in range(2 * n):  # what is on the + side alone must be nothing, not rounding
                for q in range(3):
                    if abs(side[i, q]) < 1e-14:
                        side[i, q] = 0.0
        _frozen(inverse, drift, drift_energy, push, touched, B, own, side, separates, S, y)
    for a in range(m):
        S[a, a] += SMALL * D[a, a]
    if not _factored(S):  # a piece without area: nothing to release
        return 0.0, 0.0, 0.0, ghosts, pressure
    for k in range(m):
        y[k] /= S[k, k]
        for j in range(k + 1, m):
            y[j] -= y[k] * S[k, j]
    free = 0.0
    for k in range(m):
        free += 0.5 * y[k] * y[k]
    if free <= enough:
        return 0.0, 0.0, free, ghosts, pressure
    A = np.empty((m, lips))
    for k in range(m):
        for c in range(lips):
            A[k, c] = jump[c, k]
    parting = np.zeros(lips)
    for k in range(m):
        for c in range(lips):
            A[k, c] /= S[k, k]
            parting[c] += A[k, c] * y[k]
        for i in range(k + 1, m):
            value = S[k, i]
            for c in range(lips):
                A[i, c] -= value * A[k, c]
    least = 0.0
    for c in range(lips):
        least = min(least, parting[c])
    if least < 0.0:
        gram = np.zeros((lips, lips))
        for k in range(m):
            for c in range(lips):
                value = A[k, c]
                for d in range(lips):
                    gram[c, d] += value * A[k, d]
        for c in range(lips):
            parting[c] = -parting[c]
        non_negative(gram, parting, pressure)
        for k in range(m):
            for c in range(lips):
                y[k] += A[k, c] * pressure[c]
    frictionless = 0.0
    for k in range(m):
        frictionless += 0.5 * y[k] * y[k]
    for k in range(m - 1, -1, -1):
        value = y[k]
        for j in range(k + 1, m):
            value -= S[k, j] * ghosts[j]
        ghosts[k] = value / S[k, k]
    first = last = 0.0
    for c in range(lips):
        slid = 0.0
        for k in range(m):
            slid += slip[c, k] * ghosts[k]
        first += max(before[c], 0.0) * abs(slid)
        last += pressure[c] * abs(slid)
    drive = 2.0 * frictionless - friction * first
    net = 0.5 * drive * drive / (drive + friction * last) if drive > 0.0 else 0.0
    return net, frictionless, free, ghosts, pressure
