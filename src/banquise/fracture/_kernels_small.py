"""Kernels of the small problem of one crack: all but its ghosts eliminated, mean motions frozen, pressures of its lips."""

import numpy as np

from banquise.jit import loose_inner, loose_kernel

NOTHING = 1e-14  # moments that differ by less are the same: rounding
SMALL = 1e-10  # part of its diagonal added to S: loose pieces leave it singular, in directions that no load sees


@loose_inner
def _eliminated(inverse, touched, D, B, S):
    """Upper triangle of S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    B couples nodes of one cut element only, five or so to each ghost, and both are numbered along the chord: no products with
    the other blocks, which are zero, nor with those that only the lower triangle would need.
    """
    n, m = B.shape
    ghosts, nodes = m // 2, n // 2
    first = np.zeros(ghosts + 1, np.int64)
    reach = np.empty(ghosts, np.int64)  # nodes below this number matter to this ghost or to one before it
    index = np.empty(ghosts * nodes, np.int64)
    at = 0
    far = 0
    for g in range(ghosts):
        for j in range(nodes):
            p, q = 2 * j, 2 * g
            if B[p, q] != 0.0 or B[p + 1, q] != 0.0 or B[p, q + 1] != 0.0 or B[p + 1, q + 1] != 0.0:
                index[at] = j
                at += 1
                far = max(far, j + 1)
        first[g + 1] = at
        reach[g] = far
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
        end = 2 * reach[g]
        for c in range(end):
            one[c] = two[c] = 0.0
        for at in range(first[g], first[g + 1]):
            k = 2 * index[at]
            a, b, c, d = B[k, 2 * g], B[k + 1, 2 * g], B[k, 2 * g + 1], B[k + 1, 2 * g + 1]
            for q in range(end):
                x, y = local[k, q], local[k + 1, q]
                one[q] += a * x + b * y
                two[q] += c * x + d * y
        for k in range(end):
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
def _mean_motion(inverse, moments, QP, known, side, spread):
    """`side` (2n, 3), the moments of the standard functions on the + side, and `spread` (3, 2n), inverse times that.

    Chords that start at one place have most of their sides in common: the difference to the nearest one of those that came
    before (`known`: sides, spreads, and how many there were) is spread. Nothing and all of the floe are always known: both
    spread to nothing.
    """
    sides, spreads, count = known
    n, room = side.shape[0], sides.shape[0]
    for i in range(n):
        for q in range(3):
            side[i, q] = QP[i // 2, i % 2, q]
    near, least = -1, 0
    for i in range(0, n, 2):
        if abs(side[i, 0]) > NOTHING:
            least += 1
    for ref in range(-2, min(count[0], room)):
        if ref == -1:
            continue
        apart = 0
        for i in range(0, n, 2):
            other = moments[i, 0] if ref == -2 else sides[max(ref, 0), i, 0]
            if abs(side[i, 0] - other) > NOTHING:
                apart += 1
        if apart < least:
            near, least = ref, apart
    for q in range(3):
        for j in range(n):
            spread[q, j] = spreads[near, q, j] if near >= 0 else 0.0
    for i in range(n):
        a, b, c = side[i, 0], side[i, 1], side[i, 2]
        if near >= 0:
            a, b, c = a - sides[near, i, 0], b - sides[near, i, 1], c - sides[near, i, 2]
        elif near == -2:
            a, b, c = a - moments[i, 0], b - moments[i, 1], c - moments[i, 2]
        if abs(a) > NOTHING or abs(b) > NOTHING or abs(c) > NOTHING:
            for j in range(n):
                value = inverse[i, j]
                spread[0, j] += a * value
                spread[1, j] += b * value
                spread[2, j] += c * value
    if room > 0:
        at = count[0] % room
        for i in range(n):
            for q in range(3):
                sides[at, i, q] = side[i, q]
                spreads[at, q, i] = spread[q, i]
        count[0] += 1


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
def _frozen(drift, drift_energy, push, touched, B, moments, side, spread, separates, S, t):
    """Add to S and t what keeps the mean motion of the floe, and of each of two pieces, as it was.

    With W = [whole, B^T drift, (B^T spread - own)], the moments of the ghosts on the rigid modes and what standard functions
    take of them, S gets W core W^T; core couples the first two by -1, and holds the drift's energy and (side^T spread)^-1.
    `side` (2n, 3) and moments[:, 3:] are of the + piece, spread (3, 2n) = inverse side; the other would give the same.
    """
    m, n = S.shape[0], side.shape[0]
    wide = np.zeros((9, m))
    core = np.zeros((9, 9))
    mixed = np.zeros((3, 3))  # drift^T side
    square = np.zeros((3, 3))  # side^T spread
    for p in range(3):
        core[p, 3 + p] = core[3 + p, p] = -1.0
        for q in range(3):
            core[p, q] = drift_energy[p, q]
    if separates:
        for i in range(n):
            for q in range(3):
                value = side[i, q]
                if value != 0.0:
                    for p in range(3):
                        mixed[p, q] += drift[i, p] * value
                        square[q, p] += value * spread[p, i]
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
    last = 9 if separates else 6
    value = np.empty(9)
    for a in range(m):
        for q in range(last):
            value[q] = 0.0
            for p in range(last):
                value[q] += wide[p, a] * core[p, q]
        for q in range(0, last, 3):
            x, y, z = value[q], value[q + 1], value[q + 2]
            for b in range(a, m):
                S[a, b] += x * wide[q, b] + y * wide[q + 1, b] + z * wide[q + 2, b]


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
        for i in range(end, m - 1, 2):  # and two rows of the rest at once: one number below the diagonal is written in vain
            a, b, c, d = S[top, i], S[top + 1, i], S[top + 2, i], S[top + 3, i]
            e, f, g, h = S[top, i + 1], S[top + 1, i + 1], S[top + 2, i + 1], S[top + 3, i + 1]
            for j in range(i, m):
                p, q, r, s = S[top, j], S[top + 1, j], S[top + 2, j], S[top + 3, j]
                S[i, j] -= a * p + b * q + c * r + d * s
                S[i + 1, j] -= e * p + f * q + g * r + h * s
            y[i] -= a * y[top] + b * y[top + 1] + c * y[top + 2] + d * y[top + 3]
            y[i + 1] -= e * y[top] + f * y[top + 1] + g * y[top + 2] + h * y[top + 3]
        if (m - end) % 2:
            a, b, c, d = S[top, m - 1], S[top + 1, m - 1], S[top + 2, m - 1], S[top + 3, m - 1]
            S[m - 1, m - 1] -= a * a + b * b + c * c + d * d
            y[m - 1] -= a * y[top] + b * y[top + 1] + c * y[top + 2] + d * y[top + 3]
    return True


@loose_inner
def _solved_rows(U, A, begun):
    """A = U^-T A in place, four rows at a time; of row k only the first begun[k] columns are not zero."""
    m = A.shape[0]
    for top in range(0, m, 4):
        end = min(top + 4, m)
        n = begun[end - 1]
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
def _gram(A, begun, out):
    """out = A^T A, columns as in `_solved_rows`."""
    m, lips = A.shape
    for c in range(lips):
        for d in range(lips):
            out[c, d] = 0.0
    for k in range(0, m - 1, 2):
        n = begun[k + 1]
        for c in range(n):
            a, b = A[k, c], A[k + 1, c]
            for d in range(c, n):
                out[c, d] += a * A[k, d] + b * A[k + 1, d]
    if m % 2:
        for c in range(lips):
            for d in range(c, lips):
                out[c, d] += A[m - 1, c] * A[m - 1, d]
    for c in range(lips):
        for d in range(c):
            out[c, d] = out[d, c]


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
def _pressed(A, y, begun, pressure):
    """Pressures of lips that would overlap, A (m, lips) their openings; y becomes the state under them."""
    m, lips = A.shape
    parting = np.zeros(lips)
    for k in range(m):
        for c in range(begun[k]):
            parting[c] -= A[k, c] * y[k]
    most = 0.0
    for c in range(lips):
        most = max(most, parting[c])
    if most <= 0.0:
        return
    gram = np.empty((lips, lips))
    _gram(A, begun, gram)
    non_negative(gram, parting, pressure)
    for k in range(m):
        for c in range(begun[k]):
            y[k] += A[k, c] * pressure[c]


@loose_kernel
def open_cut(
    inverse, drift, drift_energy, push, body_moments, frozen,
    touched, D, B, QA, QP, jump, slip, before, load, separates, known, friction, enough,
):  # fmt: skip
    """How a cut (see `cut_mesh`) opens: releases net of friction, frictionless, free; ghosts, and pressures of the lips.

    Parameters
    ----------
    frozen : whether mean motions are (under an impact); known : of the chords before, see `_mean_motion`
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
        side, spread = np.empty((2 * n, 3)), np.empty((3, 2 * n))
        if separates:
            _mean_motion(inverse, body_moments, QP, known, side, spread)
        _frozen(drift, drift_energy, push, touched, B, QA, side, spread, separates, S, y)
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
    begun = np.empty(m, np.int64)  # lips, in their order along the chord, that an unknown up to this one opens
    last_lip = 0
    for k in range(m):
        for c in range(lips):
            A[k, c] = jump[c, k]
            if jump[c, k] != 0.0:
                last_lip = max(last_lip, c + 1)
        begun[k] = last_lip
    _solved_rows(S, A, begun)
    _pressed(A, y, begun, pressure)
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
