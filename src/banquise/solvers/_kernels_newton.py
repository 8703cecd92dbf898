# mypy: ignore-errors
"""Kernels of the smoothing Newton method for large islands: linearisation, step, merit.

s(x) = (x + sqrt(x^2 + 4 nu^2)) / 2 smooths max(0, x), with nu a velocity. Per contact, in velocity units,

    F_n = W_nn (r_n - low) - s(W_nn (r_n - low) - u_n)
    c = mu W_tt r_n,  z = W_tt r_t - u_t,   F_t = W_tt r_t - [s(z + c) - s(z - c) - c]

Newton: dr = c0 - S G dy with dy = G' dr, so (1 + sum G' S G) dy = G' c0: 3 x 3 blocks on the body graph.
"""

import numpy as np
from numba import njit

from banquise.solvers._kernels import push, velocity_of


@njit(cache=True, nogil=True, error_model="numpy")
def smooth(x, nu):
    """s(x) and s'(x), without the cancellation of the plain formulas for x far below zero."""
    root = np.sqrt(x * x + 4.0 * nu * nu)
    if x >= 0.0:
        return 0.5 * (x + root), 0.5 + 0.5 * x / root
    rest = 2.0 * nu * nu / (root - x)
    return rest, rest / root


@njit(cache=True, nogil=True, error_model="numpy")
def speeds(G, a, b, c, y, u):
    """u = c + G y for all contacts."""
    for k in range(a.shape[0]):
        u[k, 0], u[k, 1] = velocity_of(k, G, a, b, c, y)


@njit(cache=True, nogil=True, error_model="numpy")
def linearise(G, W, a, b, ab, ba, position, mu, low, r, u, nu, delta, F, P, S, A):
    """F (m, 2), its pivots P (1/d_n, 1/d_t, coupling) and S (nn, tn, tt) of every contact, and the matrix A.

    `delta` adds delta W dr to the linearised speed: a proximal term, which changes the step and not the equations.
    Returns the sum of squares of F.
    """
    n = position.shape[0]
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(9):
            A[i, j] = 0.0
    for i in range(n):
        A[i, 0] = A[i, 4] = A[i, 8] = 1.0
    for k in range(a.shape[0]):
        wnn, wtt = W[k, 0], W[k, 2]
        if wnn <= 0.0:
            F[k, 0] = F[k, 1] = 0.0
            for j in range(3):
                S[k, j] = P[k, j] = 0.0
            continue
        lifted = wnn * (r[k, 0] - low[k])
        c = mu[k] * wtt * r[k, 0]
        z = wtt * r[k, 1] - u[k, 1]
        value, alpha = smooth(lifted - u[k, 0], nu)
        above, plus = smooth(z + c, nu)
        below, minus = smooth(z - c, nu)
        F[k, 0] = lifted - value
        F[k, 1] = wtt * r[k, 1] - (above - below - c)
        total += F[k, 0] * F[k, 0] + F[k, 1] * F[k, 1]
        dn = wnn * (1.0 - alpha + delta * alpha + 1e-14)
        dt = wtt * (1.0 - plus + minus + delta * (plus - minus) + 1e-14)
        coupling = (plus + minus - 1.0) * mu[k] * wtt / dt
        P[k, 0], P[k, 1], P[k, 2] = 1.0 / dn, 1.0 / dt, coupling
        S[k, 0], S[k, 1], S[k, 2] = alpha / dn, coupling * alpha / dn, (plus - minus) / dt
        i, j = a[k], b[k]
        if i < n:
            add_block(k, G, S, 0, 0, A, position[i])
        if j < n:
            add_block(k, G, S, 3, 3, A, position[j])
            if i < n:
                add_block(k, G, S, 0, 3, A, ab[k])
                add_block(k, G, S, 3, 0, A, ba[k])
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def add_block(k, G, S, left, right, A, place):
    """Add the block (rows `left`, columns `right`) of G_k' S_k G_k."""
    n0, n1, n2 = G[k, 0, left], G[k, 0, left + 1], G[k, 0, left + 2]
    t0, t1, t2 = G[k, 1, left], G[k, 1, left + 1], G[k, 1, left + 2]
    nn, tn, tt = S[k, 0], S[k, 1], S[k, 2]
    for j in range(3):
        gn, gt = G[k, 0, right + j], G[k, 1, right + j]
        hn, ht = nn * gn, tn * gn + tt * gt
        A[place, j] += n0 * hn + t0 * ht
        A[place, 3 + j] += n1 * hn + t1 * ht
        A[place, 6 + j] += n2 * hn + t2 * ht


@njit(cache=True, nogil=True, error_model="numpy")
def right_side(G, a, b, position, F, P, c0, y, x):
    """c0 with the contact's own part of -F solved, and x = G' c0 by position (y is scratch)."""
    n = position.shape[0]
    for i in range(n + 1):
        y[i, 0] = y[i, 1] = y[i, 2] = 0.0
    for k in range(a.shape[0]):
        c0[k, 0] = -F[k, 0] * P[k, 0]
        c0[k, 1] = -F[k, 1] * P[k, 1] + P[k, 2] * c0[k, 0]
        push(k, G, a, b, y, c0[k, 0], c0[k, 1])
    for i in range(n):
        for j in range(3):
            x[position[i], j] = y[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def direction(G, a, b, position, S, c0, x, zero, dr, dy, du):
    """dr = c0 - S G dy from the solved x; then dy and du again from dr itself, so that they agree with it.

    Returns how far the two dy differ, against the largest: the error of the linear solution.
    """
    n = position.shape[0]
    for i in range(n):
        for j in range(3):
            dy[i, j] = x[position[i], j]
    for k in range(a.shape[0]):
        gn, gt = velocity_of(k, G, a, b, zero, dy)
        dr[k, 0] = c0[k, 0] - S[k, 0] * gn
        dr[k, 1] = c0[k, 1] - S[k, 1] * gn - S[k, 2] * gt
    for i in range(n + 1):
        dy[i, 0] = dy[i, 1] = dy[i, 2] = 0.0
    for k in range(a.shape[0]):
        push(k, G, a, b, dy, dr[k, 0], dr[k, 1])
    off = most = 0.0
    for i in range(n):
        for j in range(3):
            most = max(most, abs(dy[i, j]))
            off = max(off, abs(dy[i, j] - x[position[i], j]))
    for k in range(a.shape[0]):
        du[k, 0], du[k, 1] = velocity_of(k, G, a, b, zero, dy)
    return off / most if most > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def merit(W, mu, low, r, u, dr, du, step, nu):
    """(sum of squares, largest) of F at r + step dr."""
    total = most = 0.0
    for k in range(mu.shape[0]):
        wnn, wtt = W[k, 0], W[k, 2]
        if wnn <= 0.0:
            continue
        rn, rt = r[k, 0] + step * dr[k, 0], r[k, 1] + step * dr[k, 1]
        lifted = wnn * (rn - low[k])
        c = mu[k] * wtt * rn
        z = wtt * rt - u[k, 1] - step * du[k, 1]
        fn = lifted - smooth(lifted - u[k, 0] - step * du[k, 0], nu)[0]
        ft = wtt * rt - (smooth(z + c, nu)[0] - smooth(z - c, nu)[0] - c)
        total += fn * fn + ft * ft
        most = max(most, abs(fn), abs(ft))
    return total, most
