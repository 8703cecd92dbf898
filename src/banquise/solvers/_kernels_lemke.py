# mypy: ignore-errors
"""Kernels for linear complementarity problems: Lemke's pivoting on a condensed dictionary, Gauss-Seidel, enumeration.

w = M z + q + d z0. Variables are numbered w_i = i, z_i = n + i, z0 = 2 n. The dictionary T (n, n + 1) holds
basic = rhs + T nonbasic: half the numbers and half the work of a tableau with both blocks.
"""

import numpy as np

from banquise.jit import inner, njit

SOLVED, RAY, CAP, STALLED = 0, 1, 2, 3
LEXICOGRAPHIC, LARGEST = 0, 1


@inner
def lexicographic_less(i, j, T, column, basic, place):
    """Whether row i comes before row j in the ratio test under q + (e, e^2, ...), by the columns of the inverse basis.

    place[v] is the row of a basic variable v, or n + 1 + its column.
    """
    n = T.shape[0]
    pi, pj = -T[i, column], -T[j, column]
    for v in range(n):
        p = place[v]
        if p > n:
            vi, vj = -T[i, p - n - 1], -T[j, p - n - 1]
        else:
            vi, vj = 1.0 if p == i else 0.0, 1.0 if p == j else 0.0
        left, right = vi / pi, vj / pj
        if abs(left - right) > 1e-11 * (1.0 + abs(left)):
            return left < right
    return i < j


@inner
def pivot(T, rhs, basic, nonbasic, place, row, column, line):
    """Exchange basic[row] and nonbasic[column]; rows with a zero in the column are left alone. `line` is scratch."""
    n = T.shape[0]
    inverse = 1.0 / T[row, column]
    for j in range(n + 1):
        line[j] = -inverse * T[row, j]
    line[column] = inverse
    rhs[row] *= -inverse
    for i in range(n):
        factor = T[i, column]
        if factor == 0.0 or i == row:
            continue
        T[i, column] = 0.0
        target = T[i]
        for j in range(n + 1):
            target[j] += factor * line[j]
        rhs[i] += factor * rhs[row]
    for j in range(n + 1):
        T[row, j] = line[j]
    leaving, entering = basic[row], nonbasic[column]
    basic[row], nonbasic[column] = entering, leaving
    place[entering], place[leaving] = row, n + 1 + column


@inner
def leaving_row(T, rhs, basic, place, column, rule):
    """The row whose variable first reaches zero, -1 if none does. z0 is preferred, then the rule decides near-ties."""
    n = T.shape[0]
    least = np.inf
    for i in range(n):
        t = T[i, column]
        if t < -1e-11:
            least = min(least, max(rhs[i], 0.0) / -t)
    if least == np.inf:
        return -1
    # z0 may be late by round-off: leaving a tie with it undecided turns a solution into a ray.
    cover = place[2 * n]
    if cover < n and T[cover, column] < -1e-11 and rhs[cover] / -T[cover, column] <= least * (1.0 + 1e-8):
        return cover
    limit = least * (1.0 + 1e-13)
    row = np.int64(-1)
    for i in range(n):
        t = T[i, column]
        if t >= -1e-11 or max(rhs[i], 0.0) / -t > limit:
            continue
        if row < 0:
            row = i
        elif rule == LARGEST:
            if t < T[row, column]:
                row = i
        elif lexicographic_less(i, row, T, column, basic, place):
            row = i
    return row


@njit(cache=True, nogil=True, error_model="numpy")
def lemke(T, rhs, basic, nonbasic, place, entering, cap, rule, line):
    """Pivot until solved, on a ray, or `cap` pivots are done; returns (status, pivots, entering column).

    Resumable: `entering` is -1 at the start, else the column returned by a call that hit its cap. `line` (n + 1,) is
    scratch.
    """
    n = T.shape[0]
    pivots = 0
    if entering < 0:
        row = np.int64(-1)
        for i in range(n):  # z0 comes in at the largest -q / d; a tie goes to the lexicographic least
            if rhs[i] >= 0.0:
                continue
            if row < 0:
                row = i
                continue
            left, right = rhs[i] / T[i, n], rhs[row] / T[row, n]
            if left < right - 1e-13 * abs(right) or (left <= right and T[i, n] < T[row, n]):
                row = i
        if row < 0:
            return SOLVED, 0, -1
        leaving = basic[row]
        pivot(T, rhs, basic, nonbasic, place, row, n, line)
        pivots = 1
        entering = place[leaving + n] - n - 1
    while pivots < cap:
        row = leaving_row(T, rhs, basic, place, entering, rule)
        if row < 0:
            return RAY, pivots, entering
        if abs(T[row, entering]) < 1e-11:
            return STALLED, pivots, entering
        leaving = basic[row]
        pivot(T, rhs, basic, nonbasic, place, row, entering, line)
        pivots += 1
        if leaving == 2 * n:
            return SOLVED, pivots, -1
        entering = place[leaving + n if leaving < n else leaving - n] - n - 1
    return CAP, pivots, entering


@inner
def friction_dictionary(D, c, mu, low, unit, T, rhs):
    """Dictionary of the Stewart-Trinkle problem (normals, tangents in pairs, sliding speeds), with a unit diagonal.

    D (2 m, 2 m) is the Delassus matrix, `unit` a speed. The last column, the covering vector, is left to the caller.
    """
    m = mu.shape[0]
    for i in range(4 * m):
        for j in range(4 * m):
            T[i, j] = 0.0
    for i in range(m):
        sn, st = 1.0 / np.sqrt(D[2 * i, 2 * i]), 1.0 / np.sqrt(D[2 * i + 1, 2 * i + 1])
        qn, qt = c[i, 0], c[i, 1]
        p = m + 2 * i
        for j in range(m):
            qn += D[2 * i, 2 * j] * low[j]
            qt += D[2 * i + 1, 2 * j] * low[j]
            zn, zt = 1.0 / np.sqrt(D[2 * j, 2 * j]), 1.0 / np.sqrt(D[2 * j + 1, 2 * j + 1])
            nt = D[2 * i, 2 * j + 1] * sn * zt
            tn = D[2 * i + 1, 2 * j] * st * zn
            tt = D[2 * i + 1, 2 * j + 1] * st * zt
            q = m + 2 * j
            T[i, j], T[i, q], T[i, q + 1] = D[2 * i, 2 * j] * sn * zn, nt, -nt
            T[p, j], T[p, q], T[p, q + 1] = tn, tt, -tt
            T[p + 1, j], T[p + 1, q], T[p + 1, q + 1] = -tn, -tt, tt
        T[p, 3 * m + i] = T[p + 1, 3 * m + i] = 1.0
        T[3 * m + i, i] = mu[i] * sn / st
        T[3 * m + i, p] = T[3 * m + i, p + 1] = -1.0
        rhs[i], rhs[p], rhs[p + 1] = qn * sn / unit, qt * st / unit, -qt * st / unit
        rhs[3 * m + i] = mu[i] * low[i] / st / unit


@inner
def friction_impulses(D, low, unit, rhs, basic, r):
    """Impulses r (m, 2) of the basis Lemke stopped at."""
    m, n = low.shape[0], rhs.shape[0]
    for i in range(m):
        r[i, 0], r[i, 1] = low[i], 0.0
    for p in range(n):
        v = basic[p] - n
        if 0 <= v < m:
            r[v, 0] += max(0.0, rhs[p]) * unit / np.sqrt(D[2 * v, 2 * v])
        elif m <= v < 3 * m:
            i = (v - m) // 2
            value = max(0.0, rhs[p]) * unit / np.sqrt(D[2 * i + 1, 2 * i + 1])
            r[i, 1] += value if (v - m) % 2 == 0 else -value


@njit(cache=True, nogil=True, error_model="numpy")
def equilibrate(M, scale):
    """Positive factors S for S M S: a unit diagonal where M has a positive one, unit largest entries elsewhere.

    The same factor for row and column: separate ones would also leave the problem what it is (w' = R w, z = C z'), but
    would take away that M is copositive, and with it the promise that Lemke's method ends well. Largest entries alone
    serve badly: in a contact problem the ones that couple friction and sliding hide the masses.
    """
    n = M.shape[0]
    high = np.empty(n)
    for i in range(n):
        scale[i] = 1.0 / np.sqrt(M[i, i]) if M[i, i] > 0.0 else 0.0
    for i in range(n):
        if M[i, i] > 0.0:
            continue
        most = 0.0
        for j in range(n):
            if M[j, j] > 0.0:
                most = max(most, max(abs(M[i, j]), abs(M[j, i])) * scale[j])
        scale[i] = 1.0 / most if most > 0.0 else 1.0
    largest = 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(M[i, j]) * scale[i] * scale[j])
    if largest < 1e3:
        return
    for i in range(n):  # a diagonal that is tiny beside its row says nothing: fall back on largest entries
        scale[i] = 1.0
    for _ in range(4):
        for i in range(n):
            high[i] = 0.0
        for i in range(n):
            for j in range(n):
                v = abs(M[i, j]) * scale[i] * scale[j]
                high[i] = max(high[i], v)
                high[j] = max(high[j], v)
        for i in range(n):
            if high[i] > 0.0:
                scale[i] /= np.sqrt(high[i])


@njit(cache=True, nogil=True, error_model="numpy")
def complementarity(M, q, scale, z, w):
    """w = M z + q and the largest |min(z, w)| in equilibrated units. Own loop: the same bits with any BLAS."""
    n = q.shape[0]
    e = 0.0
    for i in range(n):
        s = q[i]
        for j in range(n):
            s += M[i, j] * z[j]
        w[i] = s
        e = max(e, abs(min(z[i] / scale[i], s * scale[i])))
    return e


@njit(cache=True, nogil=True, error_model="numpy")
def dictionary(M, q, scale, cover, T, rhs):
    """The first dictionary of w = M z + q + d z0 in equilibrated units, q to unit size; returns that size."""
    n = M.shape[0]
    unit = 0.0
    for i in range(n):
        unit = max(unit, abs(q[i]) * scale[i])
    if unit == 0.0:
        unit = 1.0
    for i in range(n):
        rhs[i] = q[i] * scale[i] / unit
        for j in range(n):
            T[i, j] = M[i, j] * scale[i] * scale[j]
        T[i, n] = cover[i]
    return unit


@njit(cache=True, nogil=True, error_model="numpy")
def gauss_seidel_dense(M, q, z, omega, cap, target):
    """Projected sweeps until the largest change, times M_ii, is at most `target`; the sweeps done, -1 on overflow."""
    n = M.shape[0]
    for it in range(cap):
        change = 0.0
        for i in range(n):
            s = q[i]
            for j in range(n):
                s += M[i, j] * z[j]
            new = max(0.0, z[i] - omega * s / M[i, i])
            change = max(change, abs(new - z[i]) * M[i, i])
            z[i] = new
        if not change < 1e200:
            return -1
        if change <= target:
            return it + 1
    return cap


@njit(cache=True, nogil=True, error_model="numpy")
def gauss_seidel_sparse(data, indices, indptr, diagonal, q, z, omega, cap, target):
    """The same on compressed rows."""
    n = q.shape[0]
    for it in range(cap):
        change = 0.0
        for i in range(n):
            s = q[i]
            for p in range(indptr[i], indptr[i + 1]):
                s += data[p] * z[indices[p]]
            new = max(0.0, z[i] - omega * s / diagonal[i])
            change = max(change, abs(new - z[i]) * diagonal[i])
            z[i] = new
        if not change < 1e200:
            return -1
        if change <= target:
            return it + 1
    return cap


@njit(cache=True, nogil=True, error_model="numpy")
def enumerate_bases(M, q, tolerance, z, singular):
    """Try every complementary basis of a small problem; returns how many solutions were found. z is the first.

    Two bases that give the same z (a degenerate problem) count once. singular: (2^n,) which bases were skipped as such.
    """
    n = q.shape[0]
    A, x, chosen = np.empty((n, n)), np.empty(n), np.empty(n, np.int64)
    kept = np.empty((64, n))
    found = 0
    for mask in range(1 << n):
        k = 0
        for i in range(n):
            if mask >> i & 1:
                chosen[k] = i
                k += 1
        for p in range(k):
            x[p] = -q[chosen[p]]
            for s in range(k):
                A[p, s] = M[chosen[p], chosen[s]]
        if not eliminate(A, x, k):
            singular[mask] = True
            continue
        good = True
        for p in range(k):
            good = good and x[p] >= -tolerance
        for i in range(n):
            if not good:
                break
            w = q[i]
            for p in range(k):
                w += M[i, chosen[p]] * x[p]
            good = w >= -tolerance
        if not good:
            continue
        known = False
        for f in range(min(found, 64)):
            gap = 0.0
            for i in range(n):
                v = 0.0
                for p in range(k):
                    if chosen[p] == i:
                        v = x[p]
                gap = max(gap, abs(v - kept[f, i]))
            known = known or gap <= 1e3 * tolerance
        if known:
            continue
        if found < 64:
            for i in range(n):
                kept[found, i] = 0.0
            for p in range(k):
                kept[found, chosen[p]] = max(0.0, x[p])
        found += 1
    if found > 0:
        for i in range(n):
            z[i] = kept[0, i]
    return found


@inner
def eliminate(A, x, k):
    """Solve the leading k x k system in place with row exchanges; False if it is singular."""
    for j in range(k):
        p = j
        for i in range(j + 1, k):
            if abs(A[i, j]) > abs(A[p, j]):
                p = i
        if abs(A[p, j]) < 1e-12:
            return False
        for l in range(j, k):
            A[p, l], A[j, l] = A[j, l], A[p, l]
        x[p], x[j] = x[j], x[p]
        for i in range(j + 1, k):
            f = A[i, j] / A[j, j]
            for l in range(j + 1, k):
                A[i, l] -= f * A[j, l]
            x[i] -= f * x[j]
    for i in range(k - 1, -1, -1):
        for l in range(i + 1, k):
            x[i] -= A[i, l] * x[l]
        x[i] /= A[i, i]
    return True
