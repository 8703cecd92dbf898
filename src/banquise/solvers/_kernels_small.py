"""Kernels for small islands: thousands a step, so one call loops over them and each costs microseconds.

Chain: nothing to do, closed form, sweeps, active-set Newton on the dense Delassus matrix, Lemke; each is checked.
"""

import numpy as np
from numba import njit

from banquise.solvers._kernels import damp, gather, natural_map, one_contact, residual, sweeps
from banquise.solvers._kernels_lemke import LARGEST, lemke

OPEN, CLOSED, SWEEPS, ACTIVE, LEMKE, NEWTON, ENUMERATION = 0, 1, 2, 3, 4, 5, 6
ROUND_OFF = 1e-14  # where sweeps may stop: a digit above the unit round-off of the contact speeds


@njit(cache=True, nogil=True)
def delassus(first, last, G, a, b):
    """D = G G' of one island, (2 m, 2 m), contact by contact."""
    m = last - first
    D = np.zeros((2 * m, 2 * m))
    for i in range(m):
        k = first + i
        for j in range(i, m):
            l = first + j
            for side_k in range(2):
                body = a[k] if side_k == 0 else b[k]
                if body < 0:
                    continue
                for side_l in range(2):
                    if body != (a[l] if side_l == 0 else b[l]):
                        continue
                    p, q = 3 * side_k, 3 * side_l
                    for s in range(2):
                        for t in range(2):
                            D[2 * i + s, 2 * j + t] += (
                                G[k, s, p] * G[l, t, q]
                                + G[k, s, p + 1] * G[l, t, q + 1]
                                + G[k, s, p + 2] * G[l, t, q + 2]
                            )
            if j > i:
                for s in range(2):
                    for t in range(2):
                        D[2 * j + t, 2 * i + s] = D[2 * i + s, 2 * j + t]
    return D


@njit(cache=True, nogil=True)
def echelon(A, x, n):
    """Solve A[:n, :n] x = x in place by elimination with row exchanges; unknowns without a pivot stay 0.

    A hyperstatic island has a singular A; its equations agree with each other, so any solution serves.
    """
    columns = np.empty(n, np.int64)
    rank = 0
    for j in range(n):
        p, best = -1, 1e-11
        for i in range(rank, n):
            if abs(A[i, j]) > best:
                p, best = i, abs(A[i, j])
        if p < 0:
            continue
        if p != rank:
            for l in range(j, n):
                A[p, l], A[rank, l] = A[rank, l], A[p, l]
            x[p], x[rank] = x[rank], x[p]
        for i in range(rank + 1, n):
            if A[i, j] != 0.0:
                f = A[i, j] / A[rank, j]
                for l in range(j + 1, n):
                    A[i, l] -= f * A[rank, l]
                x[i] -= f * x[rank]
        columns[rank] = j
        rank += 1
    value = np.zeros(n)
    for p in range(rank - 1, -1, -1):
        j = columns[p]
        s = x[p]
        for l in range(j + 1, n):
            s -= A[p, l] * value[l]
        value[j] = s / A[p, j]
    x[:n] = value


@njit(cache=True, nogil=True)
def dense_residual(D, c, mu, low, r, u):
    """Velocities u = c + D r of a dense island and its largest natural map."""
    m = mu.shape[0]
    e = 0.0
    for i in range(2 * m):
        s = c[i // 2, i % 2]
        for j in range(m):
            s += D[i, 2 * j] * r[j, 0] + D[i, 2 * j + 1] * r[j, 1]
        u[i] = s
    for k in range(m):
        wnn, wtt = D[2 * k, 2 * k], D[2 * k + 1, 2 * k + 1]
        e = max(e, natural_map(r[k, 0], r[k, 1], u[2 * k], u[2 * k + 1], wnn, wtt, mu[k], low[k]))
    return e


@njit(cache=True, nogil=True)
def newton_step(D, mu, low, r, u, status):
    """One active-set step: read each contact's status from the natural map, then solve the equations it implies.

    Unknowns: the change of r_n where closed, of r_t where it sticks, in units that make the diagonal of D one; a
    slipping contact follows its cone. Returns whether any status changed.
    """
    m = mu.shape[0]
    unknown = np.empty(2 * m, np.int64)
    n = 0
    changed = False
    for k in range(m):
        wnn, wtt = D[2 * k, 2 * k], D[2 * k + 1, 2 * k + 1]
        now = 0
        if wnn > 0.0 and wnn * (r[k, 0] - low[k]) - u[2 * k] > 0.0:
            now = 1
            unknown[n] = 2 * k
            n += 1
        if now == 1 or low[k] > 0.0:
            bound = wtt * mu[k] * max(0.0, r[k, 0])
            z = wtt * r[k, 1] - u[2 * k + 1]
            if abs(z) <= bound and mu[k] > 0.0:
                now += 2
                unknown[n] = 2 * k + 1
                n += 1
            elif z > 0.0:
                now += 4
            else:
                now += 6
        changed = changed or now != status[k]
        status[k] = now
    # First the part that is known at once: open contacts go to their bound, slipping ones onto the cone.
    step = np.zeros((m, 2))
    slope = np.zeros(m)
    for k in range(m):
        if status[k] % 2 == 0:
            step[k, 0] = low[k] - r[k, 0]
        kind = status[k] // 2
        if kind == 0:
            step[k, 1] = -r[k, 1]
        elif kind > 1:
            slope[k] = mu[k] if kind == 2 else -mu[k]
            step[k, 1] = slope[k] * (r[k, 0] + step[k, 0]) - r[k, 1]
    A = np.empty((n, n))
    x = np.empty(n)
    for p in range(n):
        i = unknown[p]
        scale = 1.0 / np.sqrt(D[i, i])
        s = u[i]
        for k in range(m):
            s += D[i, 2 * k] * step[k, 0] + D[i, 2 * k + 1] * step[k, 1]
        x[p] = -s * scale
        for q in range(n):
            j = unknown[q]
            v = D[i, j]
            if j % 2 == 0:
                v += slope[j // 2] * D[i, j + 1]
            A[p, q] = v * scale / np.sqrt(D[j, j])
    echelon(A, x, n)
    for p in range(n):
        j = unknown[p]
        d = x[p] / np.sqrt(D[j, j])
        step[j // 2, j % 2] += d
        if j % 2 == 0:
            step[j // 2, 1] += slope[j // 2] * d
    for k in range(m):
        r[k, 0] += step[k, 0]
        r[k, 1] += step[k, 1]
    return changed


@njit(cache=True, nogil=True)
def active_set(D, c, mu, low, r, fine, steps):
    """Up to `steps` active-set steps from r; r becomes the best point seen. Returns its residual."""
    m = mu.shape[0]
    u = np.empty(2 * m)
    status = np.full(m, -1, np.int64)
    best = dense_residual(D, c, mu, low, r, u)
    point = r.copy()
    for i in range(steps):
        changed = newton_step(D, mu, low, point, u, status)
        e = dense_residual(D, c, mu, low, point, u)
        if e < best:
            best = e
            r[:] = point
        if e <= fine or (not changed and i > 1):
            break
    return best


@njit(cache=True, nogil=True)
def friction_lemke(D, c, mu, low, r, reference, covering):
    """Lemke's method on the Stewart-Trinkle form (normal, two tangents, sliding speed), in units of the contact's own W.

    Returns (status, pivots); r holds the point reached.
    """
    m = mu.shape[0]
    n = 4 * m
    T = np.zeros((n, n + 1))
    rhs = np.zeros(n)
    for i in range(m):
        scale = 1.0 / np.sqrt(D[2 * i, 2 * i])
        scale_t = 1.0 / np.sqrt(D[2 * i + 1, 2 * i + 1])
        qn, qt = c[i, 0], c[i, 1]
        for j in range(m):
            qn += D[2 * i, 2 * j] * low[j]
            qt += D[2 * i + 1, 2 * j] * low[j]
            sn, st = 1.0 / np.sqrt(D[2 * j, 2 * j]), 1.0 / np.sqrt(D[2 * j + 1, 2 * j + 1])
            T[i, j] = D[2 * i, 2 * j] * scale * sn
            nt = D[2 * i, 2 * j + 1] * scale * st
            tn = D[2 * i + 1, 2 * j] * scale_t * sn
            tt = D[2 * i + 1, 2 * j + 1] * scale_t * st
            T[i, m + 2 * j], T[i, m + 2 * j + 1] = nt, -nt
            T[m + 2 * i, j], T[m + 2 * i + 1, j] = tn, -tn
            T[m + 2 * i, m + 2 * j], T[m + 2 * i, m + 2 * j + 1] = tt, -tt
            T[m + 2 * i + 1, m + 2 * j], T[m + 2 * i + 1, m + 2 * j + 1] = -tt, tt
        T[m + 2 * i, 3 * m + i] = T[m + 2 * i + 1, 3 * m + i] = 1.0
        T[3 * m + i, i] = mu[i] * scale / scale_t
        T[3 * m + i, m + 2 * i] = T[3 * m + i, m + 2 * i + 1] = -1.0
        rhs[i] = qn * scale / reference
        rhs[m + 2 * i], rhs[m + 2 * i + 1] = qt * scale_t / reference, -qt * scale_t / reference
        rhs[3 * m + i] = mu[i] * low[i] / scale_t / reference
    unit = np.abs(rhs).max()
    if unit > 0.0:
        rhs /= unit
    for i in range(n):  # an irrational, aperiodic pattern breaks the ties of symmetric problems, the same on every run
        T[i, n] = 1.0 + covering * ((i * 0.6180339887498949) % 1.0)
    basic, nonbasic, place = np.arange(n), np.arange(n, 2 * n + 1), np.empty(2 * n + 1, np.int64)
    for i in range(n):
        place[i] = i
    for j in range(n + 1):
        place[n + j] = n + 1 + j
    status, pivots, _ = lemke(T, rhs, basic, nonbasic, place, -1, 12 * n + 50, LARGEST)
    for i in range(m):
        r[i, 0], r[i, 1] = low[i], 0.0
    for p in range(n):
        v = basic[p] - n
        if 0 <= v < m:
            r[v, 0] += max(0.0, rhs[p]) * unit * reference / np.sqrt(D[2 * v, 2 * v])
        elif m <= v < 3 * m:
            i = (v - m) // 2
            value = max(0.0, rhs[p]) * unit * reference / np.sqrt(D[2 * i + 1, 2 * i + 1])
            r[i, 1] += value if (v - m) % 2 == 0 else -value
    return status, pivots


@njit(cache=True, nogil=True)
def dense_chain(D, c, mu, low, r, reference, tolerance, pivoting):
    """Active set from r, then Lemke with several covering vectors, each finished by the active set.

    Returns (residual, method, pivots) with the best point in r.
    """
    fine = 16 * ROUND_OFF * reference
    best = active_set(D, c, mu, low, r, fine, 12)
    if best <= 1e-2 * tolerance * reference or not pivoting:
        return best, ACTIVE, 0
    how, total = ACTIVE, 0
    point = r.copy()
    for attempt in range(4):
        status, pivots = friction_lemke(D, c, mu, low, point, reference, (0.0, 1.0, 0.1, 10.0)[attempt])
        total += pivots
        e = active_set(D, c, mu, low, point, fine, 4)
        if e < best:
            best, how = e, LEMKE
            r[:] = point
        if best <= tolerance * reference:
            break
    return best, how, total


@njit(cache=True, nogil=True)
def solve_island(first, last, G, W, a, b, c, mu, low, r, y, reference, tolerance, method):
    """One small island; returns (residual in velocity units, method, iterations).

    `method`: 0 the whole chain, SWEEPS, ACTIVE or LEMKE alone (each still checked).
    """
    m = last - first
    idle = True
    for k in range(first, last):
        idle = idle and c[k, 0] >= 0.0 and low[k] <= 0.0
        if W[k, 0] <= 0.0:
            r[k, 0] = r[k, 1] = 0.0
    if idle:
        r[first:last] = 0.0
        gather(first, last, G, a, b, r, y)
        return 0.0, OPEN, 0
    if m == 1:
        if W[first, 0] > 0.0:
            rn, rt = one_contact(c[first, 0], c[first, 1], W[first, 0], W[first, 1], W[first, 2], mu[first], low[first])
            r[first, 0], r[first, 1] = rn, rt
        return residual(first, last, G, W, a, b, c, mu, low, r, y), CLOSED, 1
    done = 0
    best = np.inf
    if method == 0 or method == SWEEPS:
        count = 10 + 2 * m if method == 0 else 3000
        best, done = sweeps(first, last, count, ROUND_OFF * reference, G, W, a, b, c, mu, low, r, y)
        if method == SWEEPS or best <= 10 * ROUND_OFF * reference:
            return best, SWEEPS, done
    return finish_dense(first, last, G, W, a, b, c, mu, low, r, y, reference, tolerance, method, best, done)


@njit(cache=True, nogil=True)
def finish_dense(first, last, G, W, a, b, c, mu, low, r, y, reference, tolerance, method, best, done):
    """Take an island that sweeps left at residual `best` to round-off with the dense chain, more sweeps in between."""
    # A contact of two obstacles gets a unit diagonal: nothing can move it, but nothing may divide by zero either.
    D = delassus(first, last, G, a, b)
    for k in range(first, last):
        if W[k, 0] <= 0.0:
            i = 2 * (k - first)
            D[i, i] = D[i + 1, i + 1] = 1.0
    how = SWEEPS
    point = r[first:last].copy()
    speed, rub, floor = c[first:last].copy(), mu[first:last], low[first:last]
    for i in range(last - first):
        if W[first + i, 0] <= 0.0:
            speed[i, 0] = 1.0
    for trial in range(3):
        pivoting = method == LEMKE or (method == 0 and trial == 2)
        if method == LEMKE:
            point[:] = 0.0
        e, way, pivots = dense_chain(D, speed, rub, floor, point, reference, tolerance, pivoting)
        done += pivots
        if e < best:
            best, how = e, way
            r[first:last] = point
        if method != 0 or best <= tolerance * reference or trial == 2:
            break
        e, more = sweeps(first, last, 20, ROUND_OFF * reference, G, W, a, b, c, mu, low, r, y)
        done += more
        point[:] = r[first:last]
        best = min(best, e) if e <= best else np.inf
        if e <= tolerance * reference:
            best, how = e, SWEEPS
    return residual(first, last, G, W, a, b, c, mu, low, r, y), how, done


@njit(cache=True, nogil=True)
def solve_islands(
    begin, end, members, start, G, W, a, b, c, bias, mu, low, r, y, reference, tolerance, method, error, how, work
):
    """The small islands members[begin:end]; writes residual / reference, method and iterations of each."""
    for p in range(begin, end):
        i = members[p]
        first, last = start[i], start[i + 1]
        e, way, done = solve_island(first, last, G, W, a, b, c, mu, low, r, y, reference[i], tolerance, method)
        if not e <= tolerance * reference[i]:
            damp(first, last, G, a, b, c, bias, low, r, y)
            e = residual(first, last, G, W, a, b, c, mu, low, r, y)
        gather(first, last, G, a, b, r, y)
        error[i], how[i], work[i] = e / reference[i], way, done
