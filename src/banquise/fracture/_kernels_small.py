"""Kernels of the small problem of one crack: all but its ghosts eliminated, mean motions frozen, pressures of its lips."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def eliminated(inverse, touched, D, B, S):
    """S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

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
        for b in range(m):
            S[a, b] = D[a, b]
        for at in range(first[a], first[a + 1]):
            k = index[at]
            value = B[k, a]
            for b in range(m):
                S[a, b] -= value * spread[k, b]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def frozen(drift, drift_energy, push, touched, B, moments, side, spread, separates, S, t):
    """Add to S and t what keeps the mean motion of the floe, and of each of two pieces, as it was.

    With W = [whole, B^T drift, (B^T spread - own)], the moments of the ghosts on the rigid modes and what standard functions
    take of them, S gets W core W^T; core couples the first two by -1, and holds the drift's energy and (side^T spread)^-1.
    """
    m = S.shape[0]
    wide = np.zeros((m, 9))
    core = np.zeros((9, 9))
    mixed = np.zeros((3, 3))  # drift^T side
    square = np.zeros((3, 3))  # side^T spread
    for p in range(3):
        core[p, 3 + p] = core[3 + p, p] = -1.0
        for q in range(3):
            core[p, q] = drift_energy[p, q]
    if separates:
        for i in range(side.shape[0]):
            for q in range(3):
                value = side[i, q]
                if value != 0.0:
                    for p in range(3):
                        mixed[p, q] += drift[i, p] * value
                        square[q, p] += value * spread[i, p]
        _inverse_of_three(square, 6, core)
    for a in range(m):
        for q in range(3):
            wide[a, q] = moments[a, q]
            t[a] -= moments[a, q] * push[q]
            if separates:
                wide[a, 6 + q] = -moments[a, 3 + q]
                for p in range(3):
                    wide[a, 6 + q] += moments[a, p] * mixed[p, q]
    for k in range(B.shape[0]):
        i = 2 * touched[k // 2] + k % 2
        for a in range(m):
            value = B[k, a]
            if value != 0.0:
                for q in range(3):
                    wide[a, 3 + q] += value * drift[i, q]
                    if separates:
                        wide[a, 6 + q] += value * spread[i, q]
    row = np.empty(9)
    for a in range(m):
        for q in range(9):
            row[q] = 0.0
            for p in range(9):
                row[q] += wide[a, p] * core[p, q]
        for b in range(m):
            for q in range(9):
                S[a, b] += row[q] * wide[b, q]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
