# mypy: ignore-errors
"""Dense kernels for small islands: Delassus matrix, statuses, active-set steps, enumeration, Lemke.

None allocates: each takes its work arrays from a `Scratch` made once for the largest island (see `_kernels_island`).
"""

from collections import namedtuple

import numpy as np

from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.solvers import _kernels_lemke
from banquise.solvers._kernels import natural_map

LEAST_PROX = 1e-8

# Work arrays for islands of up to `most` contacts. Matrices are flat and reshaped to the size of the island at hand, so
# that a small one stays in a few cache lines.
Scratch = namedtuple(
    "Scratch",
    "most matrix system dictionary speed point trial step slope u x change scale rhs line kept status unknown columns basic "
    "nonbasic place",
)


@kernel
def scratch_for(most):
    """Work arrays for islands of up to `most` contacts: one set a thread; can be made in Python or in a kernel."""
    n = 4 * most
    return Scratch(
        most, np.empty(n * most), np.empty(n * most), np.empty(n * (n + 1)), np.empty((most, 2)), np.empty((most, 2)),
        np.empty((most, 2)), np.empty((most, 2)), np.empty(most), np.empty(2 * most), np.empty(2 * most),
        np.empty(2 * most), np.empty(2 * most), np.empty(n), np.empty(n + 1), np.empty(64 * min(most, 8)),
        np.empty(most, np.int64), np.empty(2 * most, np.int64), np.empty(2 * most, np.int64), np.empty(n, np.int64),
        np.empty(n + 1, np.int64), np.empty(2 * n + 1, np.int64),
    )  # fmt: skip


@inner
def delassus(first, last, G, a, b, fixed, D):
    """D = G G' of one island, (2 m, 2 m), contact by contact; `fixed` numbers the bodies that cannot move."""
    m = last - first
    for i in range(m):
        k = first + i
        for j in range(i, m):
            l = first + j
            for s in range(2):
                for t in range(2):
                    D[2 * i + s, 2 * j + t] = 0.0
            for side_k in range(2):
                body = a[k] if side_k == 0 else b[k]
                if body == fixed:
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


@inner
def echelon(A, x, value):
    """`eliminate` with a work array of its own."""
    eliminate(A, x, value, np.empty(A.shape[0], np.int64))


@inner
def eliminate(A, x, value, columns):
    """Solve A value = x by elimination with row exchanges (A and x are overwritten); unknowns without a pivot stay 0.

    A hyperstatic island has a singular A; its equations agree with each other, so any solution serves. `columns` (n,)
    is scratch.
    """
    n = A.shape[0]
    rank = 0
    for j in range(n):
        value[j] = 0.0
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
    for p in range(rank - 1, -1, -1):
        j = columns[p]
        s = x[p]
        for l in range(j + 1, n):
            s -= A[p, l] * value[l]
        value[j] = s / A[p, j]


@kernel
def solve_square(A, right):
    """x with A x = right, or as near as a singular A allows, with one step of iterative refinement.

    Own elimination and not LAPACK: the same bits with any library behind numpy, and no threads woken for small systems.
    """
    n = A.shape[0]
    x, change = np.empty(n), np.empty(n)
    for step in range(2):
        work, rest = A.copy(), right.copy()
        if step == 1:
            for i in range(n):
                for j in range(n):
                    rest[i] -= A[i, j] * x[j]
        echelon(work, rest, change)
        for i in range(n):
            x[i] = change[i] if step == 0 else x[i] + change[i]
    return x


@inner
def add_response(D, r, u):
    """u += D r, row by row, D being symmetric: numbers that follow each other are added at once. Most contacts bear nothing."""
    for k in range(D.shape[0] // 2):
        rn, rt = r[k, 0], r[k, 1]
        if rn != 0.0 or rt != 0.0:
            for i in range(D.shape[0]):
                u[i] += D[2 * k, i] * rn + D[2 * k + 1, i] * rt


@inner
def dense_residual(D, c, mu, low, r, u):
    """Velocities u = c + D r of a dense island and its largest natural map."""
    m = mu.shape[0]
    e = 0.0
    for k in range(m):
        u[2 * k], u[2 * k + 1] = c[k, 0], c[k, 1]
    add_response(D, r, u)
    for k in range(m):
        wnn, wtt = D[2 * k, 2 * k], D[2 * k + 1, 2 * k + 1]
        e = max(e, natural_map(r[k, 0], r[k, 1], u[2 * k], u[2 * k + 1], wnn, wtt, mu[k], low[k]))
    return e


@inner
def classify(D, mu, low, r, u, status):
    """Status of each contact by the natural map; returns whether any changed.

    status = closed (1) or not (0), plus 0 free, 2 sticks, 4 slips with r_t = mu r_n, 6 with r_t = -mu r_n.
    """
    changed = False
    for k in range(mu.shape[0]):
        wnn, wtt = D[2 * k, 2 * k], D[2 * k + 1, 2 * k + 1]
        now = 1 if wnn * (r[k, 0] - low[k]) - u[2 * k] > 0.0 else 0
        if now == 1 or low[k] > 0.0:
            bound = wtt * mu[k] * max(0.0, r[k, 0])
            z = wtt * r[k, 1] - u[2 * k + 1]
            if abs(z) <= bound and mu[k] > 0.0:
                now += 2
            else:
                now += 4 if z > 0.0 else 6
        changed = changed or now != status[k]
        status[k] = now
    return changed


@inner
def status_step(D, mu, low, r, u, status, prox, work):
    """Move r to the solution of the equations the statuses imply; u is used up.

    Unknowns: the change of r_n where closed, of r_t where it sticks, in units that make the diagonal of D one; a
    slipping contact follows its cone. `prox` is added to that diagonal: impulses then change little where they change nothing.
    """
    m = mu.shape[0]
    unknown, step, slope = work.unknown, work.step, work.slope
    n = 0
    # First the part that is known at once: open contacts go to their bound, slipping ones onto the cone.
    for k in range(m):
        step[k, 0] = step[k, 1] = slope[k] = 0.0
        kind = status[k] // 2
        if status[k] % 2 == 1:
            unknown[n] = 2 * k
            n += 1
        else:
            step[k, 0] = low[k] - r[k, 0]
        if kind == 0:
            step[k, 1] = -r[k, 1]
        elif kind == 1:
            unknown[n] = 2 * k + 1
            n += 1
        else:
            slope[k] = mu[k] if kind == 2 else -mu[k]
            step[k, 1] = slope[k] * (r[k, 0] + step[k, 0]) - r[k, 1]
    add_response(D, step, u)
    A, x, change, scale = work.system[: n * n].reshape((n, n)), work.x, work.change, work.scale
    for p in range(n):
        scale[p] = 1.0 / np.sqrt(D[unknown[p], unknown[p]])
    for p in range(n):
        i = unknown[p]
        x[p] = -u[i] * scale[p]
        for q in range(n):
            j = unknown[q]
            v = D[i, j]
            if j % 2 == 0:
                v += slope[j // 2] * D[i, j + 1]
            A[p, q] = v * scale[p] * scale[q]
        A[p, p] += prox
    eliminate(A, x, change, work.columns)
    for p in range(n):
        j = unknown[p]
        d = change[p] * scale[p]
        step[j // 2, j % 2] += d
        if j % 2 == 0:
            step[j // 2, 1] += slope[j // 2] * d
    for k in range(m):
        r[k, 0] += step[k, 0]
        r[k, 1] += step[k, 1]


@kernel
def enumerate_statuses(D, c, mu, low, goal, apart, r, most, work):
    """Try every combination of statuses of a few contacts until `most` solutions are found; r becomes the first.

    Returns how many there are (32 are told apart).
    Solutions count as different when some contact velocity differs by more than `apart`: where bodies are held by more
    contacts than needed, impulses are not unique and velocities are.
    """
    m = mu.shape[0]
    kinds = (0, 3, 5, 7)
    point, u, status = work.trial, work.u, work.status
    kept = work.kept[: 64 * m].reshape((32, 2 * m))
    found = 0
    for code in range(4**m):
        rest = code
        for k in range(m):
            status[k] = kinds[rest % 4]
            rest //= 4
            point[k, 0] = point[k, 1] = 0.0
            u[2 * k], u[2 * k + 1] = c[k, 0], c[k, 1]
        status_step(D, mu, low, point, u, status, 0.0, work)
        if not dense_residual(D, c, mu, low, point, u) <= goal:
            continue
        known = False
        for f in range(min(found, 32)):
            gap = 0.0
            for i in range(2 * m):
                gap = max(gap, abs(u[i] - kept[f, i]))
            known = known or gap <= apart
        if known:
            continue
        if found < 32:
            for i in range(2 * m):
                kept[found, i] = u[i]
        if found == 0:
            copy_rows(m, point, r)
        found += 1
        if found == most:
            break
    return found


@inner
def copy_rows(m, source, target):
    """The first m rows (of two): a loop, because Numba spends a second of compilation on each slice assignment."""
    for k in range(m):
        target[k, 0], target[k, 1] = source[k, 0], source[k, 1]


@inner
def active_set(D, c, mu, low, r, fine, steps, prox, fall, work):
    """Up to `steps` active-set steps from r; r becomes the best point seen. Returns its residual.

    Two contacts along one edge all but share their rows: without `prox` a step may send their impulses anywhere, out of
    their cones and back. With it, it falls to `fall` of itself whenever the statuses stay.
    """
    m = mu.shape[0]
    u, status, point = work.u, work.status, work.trial
    for k in range(m):
        status[k] = -1
    best = dense_residual(D, c, mu, low, r, u)
    copy_rows(m, r, point)
    for i in range(steps):
        changed = classify(D, mu, low, point, u, status)
        status_step(D, mu, low, point, u, status, prox, work)
        e = dense_residual(D, c, mu, low, point, u)
        if e < best:
            best = e
            copy_rows(m, point, r)
        if e <= fine or (prox == 0.0 and not changed and i > 1):
            break
        if not changed:
            prox = min(prox, max(fall * prox, LEAST_PROX))
    return best


@kernel
def dense_island(first, last, G, W, a, b, c, fixed, D, speed):
    """Delassus matrix and free speeds of an island, copied out for the dense methods.

    A contact of two obstacles gets a unit diagonal and an opening speed: nothing can move it, nothing divides by zero.
    """
    delassus(first, last, G, a, b, fixed, D)
    for k in range(first, last):
        i = k - first
        speed[i, 0], speed[i, 1] = c[k, 0], c[k, 1]
        if W[k, 0] <= 0.0:
            D[2 * i, 2 * i] = D[2 * i + 1, 2 * i + 1] = speed[i, 0] = 1.0


@kernel
def pivoting(D, c, mu, low, r, reference, goal, work):
    """Lemke on the Stewart-Trinkle form, finished by active-set steps; r becomes the best point seen.

    Covering vectors tried in turn: 1 + spread * an aperiodic pattern, which breaks the ties of symmetric problems and
    is the same on every run. Returns (residual, pivots), the residual a velocity.
    """
    m = mu.shape[0]
    n = 4 * m
    T, rhs = work.dictionary[: n * (n + 1)].reshape((n, n + 1)), work.rhs[:n]
    basic, nonbasic, place, point = work.basic, work.nonbasic, work.place, work.point[:m]
    best, total = dense_residual(D, c, mu, low, r, work.u), 0
    largest_diagonal = 0.0
    for i in range(2 * m):
        largest_diagonal = max(largest_diagonal, D[i, i])
    unit = reference / np.sqrt(largest_diagonal)
    for spread in (0.0, 1.0, 0.1, 10.0):
        _kernels_lemke.friction_dictionary(D, c, mu, low, unit, T, rhs)
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(rhs[i]))
        for i in range(n):
            rhs[i] /= largest
            T[i, n] = 1.0 + spread * ((i * 0.6180339887498949) % 1.0)
            basic[i], nonbasic[i], place[i], place[n + i] = i, n + i, i, n + 1 + i
        nonbasic[n], place[2 * n] = 2 * n, 2 * n + 1
        _, pivots, _ = _kernels_lemke.lemke(
            T, rhs, basic, nonbasic, place, np.int64(-1), 12 * n + 50, np.int64(_kernels_lemke.LARGEST), work.line
        )
        total += pivots
        _kernels_lemke.friction_impulses(D, low, unit * largest, rhs, basic, point)
        e = active_set(D, c, mu, low, point, 1e-13 * reference, np.int64(4), 0.0, 1.0, work)
        if e < best:
            best = e
            copy_rows(m, point, r)
        if best <= goal:
            break
    return best, total
