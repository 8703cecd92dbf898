"""Kernels for linear complementarity problems: Lemke's pivoting on a condensed dictionary, Gauss-Seidel, enumeration.

w = M z + q + d z0. Variables are numbered w_i = i, z_i = n + i, z0 = 2 n. The dictionary T (n, n + 1) holds
basic = rhs + T nonbasic: half the numbers and half the work of a tableau with both blocks.
"""

import numpy as np
from numba import njit

SOLVED, RAY, CAP, STALLED = 0, 1, 2, 3
LEXICOGRAPHIC, LARGEST = 0, 1


@njit(cache=True, nogil=True)
def lexicographic_less(i, j, T, column, basic, place):
    """Whether row i comes before row j in the ratio test under q + (e, e^2, ...): compares the columns of the inverse basis.

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


@njit(cache=True, nogil=True)
def pivot(T, rhs, basic, nonbasic, place, row, column):
    """Exchange basic[row] and nonbasic[column]; rows with a zero in the column are left alone."""
    n = T.shape[0]
    inverse = 1.0 / T[row, column]
    for j in range(n + 1):
        T[row, j] *= -inverse
    T[row, column] = inverse
    rhs[row] *= -inverse
    for i in range(n):
        factor = T[i, column]
        if i == row or factor == 0.0:
            continue
        T[i, column] = 0.0
        for j in range(n + 1):
            T[i, j] += factor * T[row, j]
        rhs[i] += factor * rhs[row]
    leaving, entering = basic[row], nonbasic[column]
    basic[row], nonbasic[column] = entering, leaving
    place[entering], place[leaving] = row, n + 1 + column


@njit(cache=True, nogil=True)
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
    limit = least + 1e-12 * (1.0 + least)
    row = -1
    for i in range(n):
        t = T[i, column]
        if t >= -1e-11 or max(rhs[i], 0.0) / -t > limit:
            continue
        if basic[i] == 2 * n:
            return i
        if row < 0:
            row = i
        elif rule == LARGEST:
            if t < T[row, column]:
                row = i
        elif lexicographic_less(i, row, T, column, basic, place):
            row = i
    return row


@njit(cache=True, nogil=True)
def lemke(T, rhs, basic, nonbasic, place, entering, cap, rule):
    """Pivot until solved, on a ray, or `cap` pivots are done; returns (status, pivots, entering column).

    Resumable: `entering` is -1 at the start, else the column returned by a call that hit its cap.
    """
    n = T.shape[0]
    pivots = 0
    if entering < 0:
        row = -1
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
        pivot(T, rhs, basic, nonbasic, place, row, n)
        pivots = 1
        entering = place[leaving + n] - n - 1
    while pivots < cap:
        row = leaving_row(T, rhs, basic, place, entering, rule)
        if row < 0:
            return RAY, pivots, entering
        if abs(T[row, entering]) < 1e-11:
            return STALLED, pivots, entering
        leaving = basic[row]
        pivot(T, rhs, basic, nonbasic, place, row, entering)
        pivots += 1
        if leaving == 2 * n:
            return SOLVED, pivots, -1
        entering = place[leaving + n if leaving < n else leaving - n] - n - 1
    return CAP, pivots, entering


@njit(cache=True, nogil=True)
def friction_dictionary(D, c, mu, low, unit, T, rhs):
    """Dictionary of the Stewart-Trinkle problem (normals, two tangents each, sliding speeds), scaled to a unit diagonal.

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


@njit(cache=True, nogil=True)
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
