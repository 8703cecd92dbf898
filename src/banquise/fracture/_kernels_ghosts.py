"""Kernels of the ghosts of one crack: their matrix, all else eliminated and mean motions frozen, and its factor."""

import numpy as np

from banquise.jit import making_loose_inner, plain_loose_inner

NOTHING = 1e-14  # moments that differ by less are the same: rounding


@plain_loose_inner
def coupled(B, first, index, last):
    """Which touched nodes each ghost g is coupled to by B: index[first[g]:first[g + 1]], five or so, near each other because
    both are numbered along the chord; last[g] is the highest of those of g and of all ghosts before it."""
    nodes, ghosts = B.shape[0] // 2, B.shape[1] // 2
    at = high = 0
    first[0] = 0
    for g in range(ghosts):
        for j in range(nodes):
            p, q = 2 * j, 2 * g
            if B[p, q] != 0.0 or B[p + 1, q] != 0.0 or B[p, q + 1] != 0.0 or B[p + 1, q + 1] != 0.0:
                index[at] = j
                at += 1
                high = max(high, j)
        first[g + 1], last[g] = at, high


@making_loose_inner
def eliminated(inverse, touched, D, B, first, index, last, S):
    """Lower triangle of S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    No products with blocks of B that are zero (see `coupled`), nor with those that only the upper triangle would need.
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
    one, two = np.empty(n), np.empty(n)  # two columns of G B
    for g in range(ghosts):
        p, end = 2 * g, 2 * last[g] + 2
        for q in range(end):
            one[q] = two[q] = 0.0
        odd = (first[g + 1] - first[g]) % 2
        for at in range(first[g], first[g] + odd):
            k = 2 * index[at]
            a, b, c, d = B[k, p], B[k + 1, p], B[k, p + 1], B[k + 1, p + 1]
            for q in range(end):
                x, y = local[k, q], local[k + 1, q]
                one[q] = a * x + b * y
                two[q] = c * x + d * y
        for at in range(first[g] + odd, first[g + 1], 2):  # two at once: half the sums to be read and written
            k, i = 2 * index[at], 2 * index[at + 1]
            a, b, c, d = B[k, p], B[k + 1, p], B[k, p + 1], B[k + 1, p + 1]
            e, f, r, s = B[i, p], B[i + 1, p], B[i, p + 1], B[i + 1, p + 1]
            for q in range(end):
                x, y, z, w = local[k, q], local[k + 1, q], local[i, q], local[i + 1, q]
                one[q] += a * x + b * y + e * z + f * w
                two[q] += c * x + d * y + r * z + s * w
        for q in range(0, p + 2, 2):
            a = b = c = d = 0.0
            for at in range(first[q // 2], first[q // 2 + 1]):
                k = 2 * index[at]
                x, y, z, w = one[k], one[k + 1], two[k], two[k + 1]
                a += B[k, q] * x + B[k + 1, q] * y
                b += B[k, q + 1] * x + B[k + 1, q + 1] * y
                c += B[k, q] * z + B[k + 1, q] * w
                d += B[k, q + 1] * z + B[k + 1, q + 1] * w
            S[p, q], S[p, q + 1] = D[p, q] - a, D[p, q + 1] - b
            S[p + 1, q], S[p + 1, q + 1] = D[p + 1, q] - c, D[p + 1, q + 1] - d


@making_loose_inner
def mean_motion(inverse, moments, side, known, spread):
    """`spread` (3, 2n), inverse times the moments of the standard functions on the + side, `side` (3, 2n).

    Chords that start at one place have most of their sides in common: the difference to the nearest one of those that came
    before (`known`: sides, spreads, and how many there were) is spread. Nothing and all of the floe are always known: both
    spread to nothing.
    """
    sides, spreads, count = known
    n, room = side.shape[1], sides.shape[0]
    near, least = -1, 0
    for i in range(n):
        least += 1 if abs(side[0, i]) > NOTHING else 0
    apart = 0
    for i in range(n):
        apart += 1 if abs(side[0, i] - moments[i, 0]) > NOTHING else 0
    if apart < least:
        near, least = -2, apart
    for ref in range(min(count[0], room)):
        apart, other = 0, sides[ref, 0]
        for i in range(n):
            apart += 1 if abs(side[0, i] - other[i]) > NOTHING else 0
        if apart < least:
            near, least = ref, apart
    for q in range(3):
        for j in range(n):
            spread[q, j] = spreads[near, q, j] if near >= 0 else 0.0
    many, rows, parts = 0, np.empty(n + 1, np.int64), np.empty((n + 1, 3))
    for i in range(n):
        a, b, c = side[0, i], side[1, i], side[2, i]
        if near >= 0:
            a, b, c = a - sides[near, 0, i], b - sides[near, 1, i], c - sides[near, 2, i]
        elif near == -2:
            a, b, c = a - moments[i, 0], b - moments[i, 1], c - moments[i, 2]
        if abs(a) > NOTHING or abs(b) > NOTHING or abs(c) > NOTHING:
            rows[many], parts[many, 0], parts[many, 1], parts[many, 2] = i, a, b, c
            many += 1
    if many % 2 == 1:  # two at once: half the sums to be read and written
        rows[many], parts[many, 0], parts[many, 1], parts[many, 2] = 0, 0.0, 0.0, 0.0
    for at in range(0, many, 2):
        one, two = inverse[rows[at]], inverse[rows[at + 1]]
        a, b, c = parts[at, 0], parts[at, 1], parts[at, 2]
        d, e, f = parts[at + 1, 0], parts[at + 1, 1], parts[at + 1, 2]
        for j in range(n):
            x, y = one[j], two[j]
            spread[0, j] += a * x + d * y
            spread[1, j] += b * x + e * y
            spread[2, j] += c * x + f * y
    if room > 0:
        at = count[0] % room
        for q in range(3):
            for i in range(n):
                sides[at, q, i] = side[q, i]
                spreads[at, q, i] = spread[q, i]
        count[0] += 1


@plain_loose_inner
def _inverse_of_three(X, out):
    """Inverse of a 3 x 3 matrix by its cofactors."""
    for i in range(3):
        for j in range(3):
            a, b, c, d = (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3
            out[i, j] = X[a, c] * X[b, d] - X[a, d] * X[b, c]
    det = X[0, 0] * out[0, 0] + X[0, 1] * out[1, 0] + X[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= det


@making_loose_inner
def _taken(drift, touched, B, first, index, moments, side, spread, separates, mixed, wide):
    """Rows of `wide` (9, m): moments of the ghosts, B^T drift, and B^T spread less the ghosts' own moments on the + side.

    `mixed` (3, 3) is drift^T side. Drift and spread are gathered at the touched nodes first: six sums over each block of B.
    """
    m = moments.shape[0]
    near = np.empty((2 * touched.shape[0], 6))
    for j in range(touched.shape[0]):
        for c in range(2):
            i = 2 * touched[j] + c
            for q in range(3):
                near[2 * j + c, q] = drift[q, i]
                near[2 * j + c, 3 + q] = spread[q, i] if separates else 0.0
    for a in range(m):
        u = v = w = x = y = z = 0.0
        for at in range(first[a // 2], first[a // 2 + 1]):
            for k in range(2 * index[at], 2 * index[at] + 2):
                value = B[k, a]
                u += value * near[k, 0]
                v += value * near[k, 1]
                w += value * near[k, 2]
                x += value * near[k, 3]
                y += value * near[k, 4]
                z += value * near[k, 5]
        p, q, r = moments[a, 0], moments[a, 1], moments[a, 2]
        wide[0, a], wide[1, a], wide[2, a] = p, q, r
        wide[3, a], wide[4, a], wide[5, a] = u, v, w
        wide[6, a] = x - moments[a, 3] + p * mixed[0, 0] + q * mixed[1, 0] + r * mixed[2, 0]
        wide[7, a] = y - moments[a, 4] + p * mixed[0, 1] + q * mixed[1, 1] + r * mixed[2, 1]
        wide[8, a] = z - moments[a, 5] + p * mixed[0, 2] + q * mixed[1, 2] + r * mixed[2, 2]


@making_loose_inner
def frozen(drift, drift_energy, push, touched, B, first, index, moments, side, spread, separates, S, t):
    """Add to S and t what keeps the mean motion of the floe, and of each of two pieces, as it was.

    With W = [whole, B^T drift, (B^T spread - own)], the moments of the ghosts on the rigid modes and what standard functions
    take of them, S gets W core W^T; core couples the first two by -1, and holds the drift's energy and (side^T spread)^-1.
    `side` (3, 2n) and moments[:, 3:] are of the + piece, spread (3, 2n) = inverse side; the other would give the same.
    """
    m, n = S.shape[0], side.shape[1]
    wide, image = np.empty((9, m)), np.empty((9, m))
    mixed, square, inner = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    if separates:
        for q in range(3):
            a = b = c = d = e = f = 0.0
            for i in range(n):
                value = side[q, i]
                a += drift[0, i] * value
                b += drift[1, i] * value
                c += drift[2, i] * value
                d += spread[0, i] * value
                e += spread[1, i] * value
                f += spread[2, i] * value
            mixed[0, q], mixed[1, q], mixed[2, q] = a, b, c
            square[q, 0], square[q, 1], square[q, 2] = d, e, f
        _inverse_of_three(square, inner)
    _taken(drift, touched, B, first, index, moments, side, spread, separates, mixed, wide)
    for q in range(3):
        a, b, c = drift_energy[q, 0], drift_energy[q, 1], drift_energy[q, 2]
        d, e, f = inner[q, 0], inner[q, 1], inner[q, 2]
        for i in range(m):
            image[q, i] = a * wide[0, i] + b * wide[1, i] + c * wide[2, i] - wide[3 + q, i]
            image[3 + q, i] = -wide[q, i]
            image[6 + q, i] = d * wide[6, i] + e * wide[7, i] + f * wide[8, i]
    for i in range(m):
        t[i] -= wide[0, i] * push[0] + wide[1, i] * push[1] + wide[2, i] * push[2]
    for a in range(m):
        x, y, z, u, v, w = image[0, a], image[1, a], image[2, a], image[3, a], image[4, a], image[5, a]
        for b in range(a + 1):
            S[a, b] += (
                x * wide[0, b] + y * wide[1, b] + z * wide[2, b] + u * wide[3, b] + v * wide[4, b] + w * wide[5, b]
            )
        if separates:
            x, y, z = image[6, a], image[7, a], image[8, a]
            for b in range(a + 1):
                S[a, b] += x * wide[6, b] + y * wide[7, b] + z * wide[8, b]


@plain_loose_inner
def row_after_rows(L, row, start, end):
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


@plain_loose_inner
def four_rows_after_rows(L, A, top, start, end):
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


@plain_loose_inner
def factored(S):
    """S = L L^T in place, L in the lower triangle with its diagonal inverted; False when S is not positive.

    Rows four at a time: sums of products of rows run along the memory, twice as fast as rows taken out of the rest.
    """
    m = S.shape[0]
    for top in range(0, m, 4):
        end = min(top + 4, m)
        if end == top + 4:
            four_rows_after_rows(S, S, top, 0, top)
        else:
            for i in range(top, end):
                row_after_rows(S, S[i], 0, top)
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
