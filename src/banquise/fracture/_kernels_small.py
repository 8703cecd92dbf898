"""Kernels of the small problem of one crack: all but its ghosts eliminated, mean motions frozen, pressures of its lips."""

import numpy as np

from banquise.jit import loose_inner, loose_kernel

SMALL = 1e-10  # part of its diagonal added to S: loose pieces leave it singular, in directions that no load sees


@loose_inner
def _eliminated(inverse, touched, D, B, S):
    """Upper triangle of S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    B couples nodes of one cut element only, five or so to each ghost: no products with the other blocks, which are zero.
    """
    n, m = B.shape
    ghosts, nodes = m // 2, n // 2
    first = np.zeros(ghosts + 1, np.int64)
    index = np.empty(ghosts * nodes, np.int64)
    at = 0
    for g in range(ghosts):
        for j in range(nodes):
            p, q = 2 * j, 2 * g
            if B[p, q] != 0.0 or B[p + 1, q] != 0.0 or B[p, q + 1] != 0.0 or B[p + 1, q + 1] != 0.0:
                index[at] = j
                at += 1
        first[g + 1] = at
    local = np.empty((n, n))
    for i in range(nodes):
        p = 2 * touched[i]
        for j in range(nodes):
            q = 2 * touched[j]
            local[2 * i, 2 * j] = inverse[p, q]
            local[2 * i, 2 * j + 1] = inverse[p, q + 1]
            local[2 * i + 1, 2 * j] = inverse[p + 1, q]
            local[2 * i + 1, 2 * j + 1] = inverse[p + 1, q + 1]
    one, two = np.empty(n), np.empty(n)
    spread = np.empty((n, m))  # G B
    for g in range(ghosts):
        for c in range(n):
            one[c] = two[c] = 0.0
        for at in range(first[g], first[g + 1]):
            k = 2 * index[at]
            a, b, c, d = B[k, 2 * g], B[k + 1, 2 * g], B[k, 2 * g + 1], B[k + 1, 2 * g + 1]
            for q in range(n):
                x, y = local[k, q], local[k + 1, q]
                one[q] += a * x + b * y
                two[q] += c * x + d * y
        for k in range(n):
            spread[k, 2 * g] = one[k]
            spread[k, 2 * g + 1] = two[k]
    for g in range(ghosts):
        p = 2 * g
        for q in range(p, m):
            S[p, q] = D[p, q]
            S[p + 1, q] = D[p + 1, q]
        for at in range(first[g], first[g + 1]):
            k = 2 * index[at]
            a, b, c, d = B[k, p], B[k + 1, p], B[k, p + 1], B[k + 1, p + 1]
            for q in range(p, m):
                x, y = spread[k, q], spread[k + 1, q]
                S[p, q] -= a * x + b * y
                S[p + 1, q] -= c * x + d * y


@loose_inner
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


@loose_inner
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


@loose_inner
def _factored(S, y):
    """S = U^T U in place, U in the upper triangle, and y = U^-T y; False when S is not positive.

    Four rows at a time are taken out of the rest: each number is then read and written once for four products.
    """
    m = S.shape[0]
    for top in range(0, m, 4):
        end = min(top + 4, m)
        for k in range(top, end):
            if not S[k, k] > 0.0:
                return False
            root = np.sqrt(S[k, k])
            for j in range(k, m):
                S[k, j] /= root
            y[k] /= root
            for i in range(k + 1, end):
                value = S[k, i]
                for j in range(i, m):
                    S[i, j] -= value * S[k, j]
                y[i] -= value * y[k]
        if end < top + 4:
            break
        for i in range(end, m):
            a, b, c, d = S[top, i], S[top + 1, i], S[top + 2, i], S[top + 3, i]
            for j in range(i, m):
                S[i, j] -= a * S[top, j] + b * S[top + 1, j] + c * S[top + 2, j] + d * S[top + 3, j]
            y[i] -= a * y[top] + b * y[top + 1] + c * y[top + 2] + d * y[top + 3]
    return True


@loose_inner
def _solved_rows(U, A):
    """A = U^-T A in place, four rows at a time."""
    m, n = A.shape
    for top in range(0, m, 4):
        end = min(top + 4, m)
        for k in range(top, end):
            for c in range(n):
                A[k, c] /= U[k, k]
            for i in range(k + 1, end):
                for c in range(n):
                    A[i, c] -= U[k, i] * A[k, c]
        if end < top + 4:
            break
        for i in range(end, m):
            p, q, r, s = U[top, i], U[top + 1, i], U[top + 2, i], U[top + 3, i]
            for c in range(n):
                A[i, c] -= p * A[top, c] + q * A[top + 1, c] + r * A[top + 2, c] + s * A[top + 3, c]


@loose_inner
def _gram(A, out):
    """out = A^T A."""
    m, n = A.shape
    for c in range(n):
        for d in range(n):
            out[c, d] = 0.0
    for k in range(0, m - 1, 2):
        for c in range(n):
            a, b = A[k, c], A[k + 1, c]
            for d in range(n):
                out[c, d] += a * A[k, d] + b * A[k + 1, d]
    if m % 2:
        for c in range(n):
            for d in range(n):
                out[c, d] += A[m - 1, c] * A[m - 1, d]


@loose_inner
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


@loose_kernel
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


@loose_inner
def _pressed(A, y, pressure):
    """Pressures of lips that would overlap, A (m, lips) their openings; y becomes the state under them."""
    m, lips = A.shape
    parting = np.zeros(lips)
    for k in range(m):
        for c in range(lips):
            parting[c] -= A[k, c] * y[k]
    most = 0.0
    for c in range(lips):
        most = max(most, parting[c])
    if most <= 0.0:
        return
    gram = np.empty((lips, lips))
    _gram(A, gram)
    non_negative(gram, parting, pressure)
    for k in range(m):
        for c in range(lips):
            y[k] += A[k, c] * pressure[c]


@loose_kernel
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
    if not _factored(S, y):  # a piece without area: nothing to release
        return 0.0, 0.0, 0.0, ghosts, pressure
    free = 0.0
    for k in range(m):
        free += 0.5 * y[k] * y[k]
    if free <= enough:
        return 0.0, 0.0, free, ghosts, pressure
    A = np.empty((m, lips))
    for k in range(m):
        for c in range(lips):
            A[k, c] = jump[c, k]
    _solved_rows(S, A)
    _pressed(A, y, pressure)
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
