"""Kernels of the small problem of one crack: all but its ghosts eliminated, mean motions frozen, pressures of its lips."""

import numpy as np

from banquise.jit import loose_inner, loose_kernel

NOTHING = 1e-14  # moments that differ by less are the same: rounding
SMALL = 1e-10  # part of its diagonal added to S: loose pieces leave it singular, in directions that no load sees


@loose_inner
def _coupled(B, first, index, last):
    """Which touched nodes each ghost g is coupled to by B: index[first[g]:first[g + 1]], five or so, near each other because
    both are numbered along the chord; last[g] is the lowest of those of g and of all later ghosts."""
    nodes, ghosts = B.shape[0] // 2, B.shape[1] // 2
    at = 0
    first[0] = 0
    for g in range(ghosts):
        for j in range(nodes):
            p, q = 2 * j, 2 * g
            if B[p, q] != 0.0 or B[p + 1, q] != 0.0 or B[p, q + 1] != 0.0 or B[p + 1, q + 1] != 0.0:
                index[at] = j
                at += 1
        first[g + 1] = at
    low = nodes
    for g in range(ghosts - 1, -1, -1):
        for k in range(first[g], first[g + 1]):
            low = min(low, index[k])
        last[g] = low


@loose_inner
def _eliminated(inverse, touched, D, B, first, index, last, S):
    """Lower triangle of S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    No products with blocks of B that are zero (see `_coupled`), nor with those that only the upper triangle would need.
    """
    n, m = B.shape
    ghosts, nodes = m // 2, n // 2
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
        low = 2 * last[g]
        for q in range(low, n):
            one[q] = two[q] = 0.0
        odd = (first[g + 1] - first[g]) % 2
        for at in range(first[g], first[g] + odd):
            k = 2 * index[at]
            a, b, c, d = B[k, 2 * g], B[k + 1, 2 * g], B[k, 2 * g + 1], B[k + 1, 2 * g + 1]
            for q in range(low, n):
                x, y = local[k, q], local[k + 1, q]
                one[q] = a * x + b * y
                two[q] = c * x + d * y
        for at in range(first[g] + odd, first[g + 1], 2):  # two at once: half the sums to be read and written
            k, i = 2 * index[at], 2 * index[at + 1]
            a, b, c, d = B[k, 2 * g], B[k + 1, 2 * g], B[k, 2 * g + 1], B[k + 1, 2 * g + 1]
            e, f, r, s = B[i, 2 * g], B[i + 1, 2 * g], B[i, 2 * g + 1], B[i + 1, 2 * g + 1]
            for q in range(low, n):
                x, y, z, w = local[k, q], local[k + 1, q], local[i, q], local[i + 1, q]
                one[q] += a * x + b * y + e * z + f * w
                two[q] += c * x + d * y + r * z + s * w
        for k in range(low, n):
            spread[k, 2 * g] = one[k]
            spread[k, 2 * g + 1] = two[k]
    for g in range(ghosts):
        p = 2 * g
        for q in range(p + 2):
            S[p, q] = D[p, q]
            S[p + 1, q] = D[p + 1, q]
        for at in range(first[g], first[g + 1]):
            k = 2 * index[at]
            a, b, c, d = B[k, p], B[k + 1, p], B[k, p + 1], B[k + 1, p + 1]
            for q in range(p + 2):
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
def _frozen(drift, drift_energy, push, touched, B, first, index, moments, side, spread, separates, S, t):
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
        for q in range(3):
            a = b = c = d = e = f = 0.0
            for i in range(n):
                value = side[i, q]
                a += drift[i, 0] * value
                b += drift[i, 1] * value
                c += drift[i, 2] * value
                d += spread[0, i] * value
                e += spread[1, i] * value
                f += spread[2, i] * value
            mixed[0, q], mixed[1, q], mixed[2, q] = a, b, c
            square[q, 0], square[q, 1], square[q, 2] = d, e, f
        _inverse_of_three(square, 6, core)
    for a in range(m):
        for q in range(3):
            wide[q, a] = moments[a, q]
            t[a] -= moments[a, q] * push[q]
            if separates:
                wide[6 + q, a] = -moments[a, 3 + q]
                for p in range(3):
                    wide[6 + q, a] += moments[a, p] * mixed[p, q]
    for a in range(m):
        for at in range(first[a // 2], first[a // 2 + 1]):
            for c in range(2):
                value, i = B[2 * index[at] + c, a], 2 * touched[index[at]] + c
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
            for b in range(a + 1):
                S[a, b] += x * wide[q, b] + y * wide[q + 1, b] + z * wide[q + 2, b]


@loose_inner
def _row_after_rows(L, row, start, end):
    """Columns start to end (both even) of row L^-T for one row: of the factor itself, of a load or of a lip's opening, zero
    before `start`. Two columns at a time."""
    for j in range(start, end, 2):
        a = b = 0.0
        for k in range(start, j):
            a += row[k] * L[j, k]
            b += row[k] * L[j + 1, k]
        a = (row[j] - a) * L[j, j]
        row[j] = a
        row[j + 1] = (row[j + 1] - b - a * L[j + 1, j]) * L[j + 1, j + 1]


@loose_inner
def _four_rows_after_rows(L, A, top, start, end):
    """The same for rows top to top + 3 of A at once: eight sums over numbers that are read once."""
    p, q, r, s = A[top], A[top + 1], A[top + 2], A[top + 3]
    for j in range(start, end, 2):
        one, two = L[j], L[j + 1]
        a = b = c = d = e = f = g = h = 0.0
        for k in range(start, j):
            u, v = one[k], two[k]
            x, y, z, w = p[k], q[k], r[k], s[k]
            a += x * u
            b += y * u
            c += z * u
            d += w * u
            e += x * v
            f += y * v
            g += z * v
            h += w * v
        first, across, second = one[j], two[j], two[j + 1]
        a, b, c, d = (p[j] - a) * first, (q[j] - b) * first, (r[j] - c) * first, (s[j] - d) * first
        p[j], q[j], r[j], s[j] = a, b, c, d
        p[j + 1] = (p[j + 1] - e - a * across) * second
        q[j + 1] = (q[j + 1] - f - b * across) * second
        r[j + 1] = (r[j + 1] - g - c * across) * second
        s[j + 1] = (s[j + 1] - h - d * across) * second


@loose_inner
def _factored(S):
    """S = L L^T in place, L in the lower triangle with its diagonal inverted; False when S is not positive.

    Rows four at a time: sums of products of rows run along the memory, twice as fast as rows taken out of the rest.
    """
    m = S.shape[0]
    for top in range(0, m, 4):
        end = min(top + 4, m)
        if end == top + 4:
            _four_rows_after_rows(S, S, top, 0, top)
        else:
            for i in range(top, end):
                _row_after_rows(S, S[i], 0, top)
        for i in range(top, end):
            for j in range(top, i + 1):
                value = S[i, j]
                for k in range(j):
                    value -= S[i, k] * S[j, k]
                if j < i:
                    S[i, j] = value * S[j, j]
                elif value > 0.0:
                    S[i, i] = 1.0 / np.sqrt(value)
                else:
                    return False
    return True


@loose_inner
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
def _pressed(A, begin, y, pressure):
    """Pressures of lips that would overlap, A (lips, m) their openings; y becomes the state under them."""
    lips, m = A.shape
    parting = np.zeros(lips)
    most = 0.0
    for c in range(lips):
        for k in range(begin[c], m):
            parting[c] -= A[c, k] * y[k]
        most = max(most, parting[c])
    if most <= 0.0:
        return
    gram = np.empty((lips, lips))
    _gram(A, begin, gram)
    non_negative(gram, parting, pressure)
    for c in range(lips):
        if pressure[c] > 0.0:
            for k in range(begin[c], m):
                y[k] += A[c, k] * pressure[c]


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
    first, last = np.empty(m // 2 + 1, np.int64), np.empty(m // 2, np.int64)
    index = np.empty(m // 2 * touched.shape[0], np.int64)
    _coupled(B, first, index, last)
    _eliminated(inverse, touched, D, B, first, index, last, S)
    if frozen:
        side, spread = np.empty((2 * n, 3)), np.empty((3, 2 * n))
        if separates:
            _mean_motion(inverse, body_moments, QP, known, side, spread)
        _frozen(drift, drift_energy, push, touched, B, first, index, QA, side, spread, separates, S, y)
    for a in range(m):
        S[a, a] += SMALL * D[a, a]
    if not _factored(S):  # a piece without area: nothing to release
        return 0.0, 0.0, 0.0, ghosts, pressure
    _row_after_rows(S, y, 0, m)
    free = 0.0
    for k in range(m):
        free += 0.5 * y[k] * y[k]
    if free <= enough:
        return 0.0, 0.0, free, ghosts, pressure
    A = np.empty((lips, m))
    begin = np.empty(lips, np.int64)  # the first unknown that opens a lip or one after it
    low = m
    for c in range(lips - 1, -1, -1):
        for k in range(m - 1, -1, -1):
            A[c, k] = jump[c, k]
            if jump[c, k] != 0.0:
                low = min(low, k - k % 2)
        begin[c] = low
    for top in range(0, lips - 3, 4):
        _four_rows_after_rows(S, A, top, begin[top], m)
    for c in range(lips - lips % 4, lips):
        _row_after_rows(S, A[c], begin[c], m)
    _pressed(A, begin, y, pressure)
    frictionless = 0.0
    for k in range(m):
        frictionless += 0.5 * y[k] * y[k]
    for k in range(m - 1, -1, -1):
        value = y[k] * S[k, k]
        ghosts[k] = value
        for j in range(k):
            y[j] -= S[k, j] * value
    before_work = after_work = 0.0
    for c in range(lips):
        slid = 0.0
        for k in range(m):
            slid += slip[c, k] * ghosts[k]
        before_work += max(before[c], 0.0) * abs(slid)
        after_work += pressure[c] * abs(slid)
    drive = 2.0 * frictionless - friction * before_work
    net = 0.5 * drive * drive / (drive + friction * after_work) if drive > 0.0 else 0.0
    return net, frictionless, free, ghosts, pressure
