# mypy: ignore-errors
"""Kernels of the smoothing Newton method in space: the planar equations with the disc of friction in radial form.

s(z) = (z + sqrt(z^2 + 4 nu^2)) / 2 smooths max(0, z). With z = W_t r_t - u_t, rho = |z|, d = z / rho and
c = mu W_t r_n the disc is

    F_t = W_t r_t - d f(rho),   f(rho) = s(rho + c) - s(rho - c) - c,

which is odd in rho and so smooth at z = 0, and the planar equation where only one tangent moves. Linearised and solved for
dr = c0 - S G dy each contact leaves a 3 x 3 matrix S; the bodies keep A = I + sum G' S G in 6 x 6 blocks.
"""

import numpy as np

from banquise.jit import inner, kernel
from banquise.solvers._kernels_cone import spatial_push, spatial_speed

BLOCK = 36


@inner
def smooth(x, nu):
    """s(x) and s'(x), without the cancellation of the plain formulas for x far below zero."""
    root = np.sqrt(x * x + 4.0 * nu * nu)
    if x >= 0.0:
        return 0.5 * (x + root), 0.5 + 0.5 * x / root
    rest = 2.0 * nu * nu / (root - x)
    return rest, rest / root


@inner
def equations(r0, r1, r2, u0, u1, u2, wn, wt, mu, low, nu):
    """F (3), s' of the normal, and of the disc: direction, f / rho, f', df/dc."""
    value, alpha = smooth(wn * (r0 - low) - u0, nu)
    z1, z2, c = wt * r1 - u1, wt * r2 - u2, mu * wt * r0
    rho = np.sqrt(z1 * z1 + z2 * z2)
    above, plus = smooth(rho + c, nu)
    below, minus = smooth(rho - c, nu)
    radial = plus - minus
    # f / rho at z = 0 is f'; near it the quotient would lose its digits
    across = (above - below - c) / rho if rho > 1e-6 * (abs(c) + nu) else radial
    d1, d2 = (z1 / rho, z2 / rho) if rho > 0.0 else (1.0, 0.0)
    return (
        wn * (r0 - low) - value, wt * r1 - across * z1, wt * r2 - across * z2, alpha, d1, d2, across, radial,
        plus + minus - 1.0,
    )  # fmt: skip


@kernel
def speeds(G, a, b, c, y, u):
    """u = c + G y for all contacts."""
    for k in range(a.shape[0]):
        spatial_speed(k, G, a, b, c, y, u[k])


@inner
def add_block(k, G, S, left, right, A, place):
    """Add the block (rows `left`, columns `right`) of G_k' S_k G_k."""
    for j in range(6):
        g0, g1, g2 = G[k, 0, right + j], G[k, 1, right + j], G[k, 2, right + j]
        h0 = S[k, 0] * g0
        h1 = S[k, 1] * g0 + S[k, 2] * g1 + S[k, 3] * g2
        h2 = S[k, 4] * g0 + S[k, 5] * g1 + S[k, 6] * g2
        for i in range(6):
            A[place, 6 * i + j] += G[k, 0, left + i] * h0 + G[k, 1, left + i] * h1 + G[k, 2, left + i] * h2


@kernel
def linearise(G, W, a, b, ab, ba, position, mu, low, r, u, nu, delta, F, S, c0, A):
    """F (m, 3), S (m, 7: nn, 1n, 11, 12, 2n, 21, 22), c0 (m, 3) of every contact, and the matrix A.

    `delta` adds delta W dr to the linearised speed: a proximal term, which changes the step and not the equations.
    Returns the sum of squares of F.
    """
    n = position.shape[0]
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(BLOCK):
            A[i, j] = 0.0
    for i in range(n):
        for j in range(6):
            A[i, 7 * j] = 1.0
    for k in range(a.shape[0]):
        wn, wt = W[k, 0, 0], 0.5 * (W[k, 1, 1] + W[k, 2, 2])
        if wn <= 0.0:
            for j in range(3):
                F[k, j] = c0[k, j] = 0.0
            for j in range(7):
                S[k, j] = 0.0
            continue
        f0, f1, f2, alpha, d1, d2, across, radial, rise = equations(
            r[k, 0], r[k, 1], r[k, 2], u[k, 0], u[k, 1], u[k, 2], wn, wt, mu[k], low[k], nu
        )
        F[k, 0], F[k, 1], F[k, 2] = f0, f1, f2
        total += f0 * f0 + f1 * f1 + f2 * f2
        pn = 1.0 / (wn * (1.0 - alpha + delta * alpha + 1e-14))
        pl = 1.0 / (wt * (1.0 - radial + delta * radial + 1e-14))
        pc = 1.0 / (wt * (1.0 - across + delta * across + 1e-14))
        lift = rise * mu[k] * wt * pl  # dr along d for a unit of dr_n
        S[k, 0] = alpha * pn
        S[k, 1], S[k, 4] = lift * alpha * pn * d1, lift * alpha * pn * d2
        sl, sc = radial * pl, across * pc
        S[k, 2] = sl * d1 * d1 + sc * d2 * d2
        S[k, 3] = S[k, 5] = (sl - sc) * d1 * d2
        S[k, 6] = sl * d2 * d2 + sc * d1 * d1
        c0[k, 0] = -f0 * pn
        along = -pl * (d1 * f1 + d2 * f2) + lift * c0[k, 0]
        aside = -pc * (d1 * f2 - d2 * f1)
        c0[k, 1], c0[k, 2] = along * d1 - aside * d2, along * d2 + aside * d1
        i, j = a[k], b[k]
        if i < n:
            add_block(k, G, S, np.int64(0), np.int64(0), A, position[i])
        if j < n:
            add_block(k, G, S, np.int64(6), np.int64(6), A, position[j])
            if i < n:
                add_block(k, G, S, np.int64(0), np.int64(6), A, ab[k])
                add_block(k, G, S, np.int64(6), np.int64(0), A, ba[k])
    return total


@kernel
def right_side(G, a, b, position, c0, y, x):
    """x = G' c0 by position (y is scratch)."""
    n = position.shape[0]
    for i in range(n + 1):
        for j in range(6):
            y[i, j] = 0.0
    for k in range(a.shape[0]):
        spatial_push(k, G, a, b, y, c0[k])
    for i in range(n):
        for j in range(6):
            x[position[i], j] = y[i, j]


@kernel
def direction(G, a, b, position, S, c0, x, zero, dr, dy, du):
    """dr = c0 - S G dy from the solved x; then dy and du again from dr itself, so that they agree with it.

    Returns how far the two dy differ, against the largest: the error of the linear solution.
    """
    n = position.shape[0]
    for i in range(n):
        for j in range(6):
            dy[i, j] = x[position[i], j]
    for k in range(a.shape[0]):
        spatial_speed(k, G, a, b, zero, dy, du[k])
        g0, g1, g2 = du[k, 0], du[k, 1], du[k, 2]
        dr[k, 0] = c0[k, 0] - S[k, 0] * g0
        dr[k, 1] = c0[k, 1] - S[k, 1] * g0 - S[k, 2] * g1 - S[k, 3] * g2
        dr[k, 2] = c0[k, 2] - S[k, 4] * g0 - S[k, 5] * g1 - S[k, 6] * g2
    for i in range(n + 1):
        for j in range(6):
            dy[i, j] = 0.0
    for k in range(a.shape[0]):
        spatial_push(k, G, a, b, dy, dr[k])
    off = most = 0.0
    for i in range(n):
        for j in range(6):
            off = max(off, abs(dy[i, j] - x[position[i], j]))
            most = max(most, abs(dy[i, j]))
    for k in range(a.shape[0]):
        spatial_speed(k, G, a, b, zero, dy, du[k])
    return off / max(most, 1e-300)


@kernel
def merit(W, mu, low, r, u, dr, du, step, nu):
    """(sum of squares, largest) of the smoothed equations at r + step dr."""
    total = most = 0.0
    for k in range(r.shape[0]):
        wn, wt = W[k, 0, 0], 0.5 * (W[k, 1, 1] + W[k, 2, 2])
        if wn <= 0.0:
            continue
        f0, f1, f2, _, _, _, _, _, _ = equations(
            r[k, 0] + step * dr[k, 0], r[k, 1] + step * dr[k, 1], r[k, 2] + step * dr[k, 2], u[k, 0] + step * du[k, 0],
            u[k, 1] + step * du[k, 1], u[k, 2] + step * du[k, 2], wn, wt, mu[k], low[k], nu,
        )  # fmt: skip
        total += f0 * f0 + f1 * f1 + f2 * f2
        most = max(most, abs(f0), abs(f1), abs(f2))
    return total, most


@inner
def invert_six(A, v, B):
    """Inverse of block v (36 numbers) in place, by Gauss-Jordan with exchanges; False if it is singular."""
    for i in range(6):
        for j in range(6):
            B[i, j] = A[v, 6 * i + j]
            B[i, 6 + j] = 1.0 if i == j else 0.0
    for j in range(6):
        p = j
        for i in range(j + 1, 6):
            if abs(B[i, j]) > abs(B[p, j]):
                p = i
        if not abs(B[p, j]) > 0.0:
            return False
        if p != j:
            for l in range(12):
                B[p, l], B[j, l] = B[j, l], B[p, l]
        f = 1.0 / B[j, j]
        for l in range(12):
            B[j, l] *= f
        for i in range(6):
            if i != j:
                f = B[i, j]
                for l in range(12):
                    B[i, l] -= f * B[j, l]
    for i in range(6):
        for j in range(6):
            A[v, 6 * i + j] = B[i, 6 + j]
    return True


@kernel
def factor(A, column, start, target):
    """Block LU in place: inverse diagonals, unit L. Right-looking, columns in order. False if a block is singular."""
    n = column.shape[0] - 1
    size = column[n]
    B, L = np.empty((6, 12)), np.empty((6, 6))
    for v in range(n):
        if not invert_six(A, v, B):
            return False
        d, base = column[v + 1] - column[v], column[v]
        for p in range(d):
            l = n + base + p
            for i in range(6):
                for j in range(6):
                    s = 0.0
                    for k in range(6):
                        s += A[l, 6 * i + k] * A[v, 6 * k + j]
                    L[i, j] = s
            for i in range(6):
                for j in range(6):
                    A[l, 6 * i + j] = L[i, j]
            for q in range(d):
                u = n + size + base + q
                t = target[start[v] + p * d + q]
                for i in range(6):
                    l0, l1, l2, l3, l4, l5 = L[i, 0], L[i, 1], L[i, 2], L[i, 3], L[i, 4], L[i, 5]
                    for j in range(6):
                        A[t, 6 * i + j] -= (
                            l0 * A[u, j] + l1 * A[u, 6 + j] + l2 * A[u, 12 + j] + l3 * A[u, 18 + j] + l4 * A[u, 24 + j]
                            + l5 * A[u, 30 + j]
                        )  # fmt: skip
    return True


@kernel
def substitute(A, column, rows, x):
    """Solve with the factor; x (n, 6) by position, in place."""
    n = column.shape[0] - 1
    size = column[n]
    s = np.empty(6)
    for v in range(n):
        for p in range(column[v], column[v + 1]):
            i = rows[p]
            for j in range(6):
                for k in range(6):
                    x[i, j] -= A[n + p, 6 * j + k] * x[v, k]
    for v in range(n - 1, -1, -1):
        for j in range(6):
            s[j] = x[v, j]
        for p in range(column[v], column[v + 1]):
            i = rows[p]
            for j in range(6):
                for k in range(6):
                    s[j] -= A[n + size + p, 6 * j + k] * x[i, k]
        for j in range(6):
            x[v, j] = 0.0
            for k in range(6):
                x[v, j] += A[v, 6 * j + k] * s[k]
