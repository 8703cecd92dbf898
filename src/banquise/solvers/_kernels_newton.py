"""Kernels of the smoothing Newton method for large islands: linearisation, step, merit.

s(x) = (x + sqrt(x^2 + 4 nu^2)) / 2 smooths max(0, x), with nu a velocity. Per contact, in velocity units,

    F_n = W_nn (r_n - low) - s(W_nn (r_n - low) - u_n)
    c = mu W_tt r_n,  z = W_tt r_t - u_t,   F_t = W_tt r_t - [s(z + c) - s(z - c) - c]

Newton: dr = c0 - S G dy with dy = G' dr, so (1 + sum G' S G) dy = G' c0: 3 x 3 blocks on the body graph.
"""

import numpy as np
from numba import njit

from banquise.solvers._kernels import push, velocity_of


@njit(cache=True, nogil=True)
def smooth(x, nu):
    """s(x), without the cancellation of the plain formula for x far below zero."""
    root = np.sqrt(x * x + 4.0 * nu * nu)
    return 0.5 * (x + root) if x >= 0.0 else 2.0 * nu * nu / (root - x)


@njit(cache=True, nogil=True)
def slope(x, nu):
    """s'(x)."""
    root = np.sqrt(x * x + 4.0 * nu * nu)
    if root == 0.0:
        return 0.5
    return 0.5 * (1.0 + x / root) if x >= 0.0 else 2.0 * nu * nu / (root * (root - x))


@njit(cache=True, nogil=True)
def speeds(G, a, b, c, y, u):
    """u = c + G y for all contacts."""
    for k in range(a.shape[0]):
        u[k, 0], u[k, 1] = velocity_of(k, G, a, b, c, y)


@njit(cache=True, nogil=True)
def linearise(G, W, a, b, ab, ba, position, mu, low, r, u, nu, delta, S, c0, A, x):
    """S (m, 3: nn, tn, tt) and c0 of every contact, the matrix A and the right side x (by position)."""
    for i in range(A.shape[0]):
        for j in range(9):
            A[i, j] = 0.0
    for i in range(position.shape[0]):
        A[i, 0] = A[i, 4] = A[i, 8] = 1.0
        x[i, 0] = x[i, 1] = x[i, 2] = 0.0
    for k in range(a.shape[0]):
        wnn, wtt = W[k, 0], W[k, 2]
        if wnn <= 0.0:
            S[k, 0] = S[k, 1] = S[k, 2] = c0[k, 0] = c0[k, 1] = 0.0
            continue
        lifted = wnn * (r[k, 0] - low[k])
        alpha = slope(lifted - u[k, 0], nu)
        c = mu[k] * wtt * r[k, 0]
        z = wtt * r[k, 1] - u[k, 1]
        plus, minus = slope(z + c, nu), slope(z - c, nu)
        fn = lifted - smooth(lifted - u[k, 0], nu)
        ft = wtt * r[k, 1] - (smooth(z + c, nu) - smooth(z - c, nu) - c)
        dn = wnn * (1.0 - alpha + delta)
        dt = wtt * (1.0 - plus + minus + delta)
        coupling = (plus + minus - 1.0) * mu[k] * wtt / dt
        S[k, 0], S[k, 1], S[k, 2] = alpha / dn, coupling * alpha / dn, (plus - minus) / dt
        c0[k, 0] = -fn / dn
        c0[k, 1] = -ft / dt - coupling * fn / dn
        add_contact(k, G, a, b, ab, ba, position, S, A)
        add_impulse(k, G, a, b, position, c0[k, 0], c0[k, 1], x)


@njit(cache=True, nogil=True)
def add_contact(k, G, a, b, ab, ba, position, S, A):
    """Add G_k' S_k G_k to the blocks of its two bodies."""
    for side in range(2):
        body = a[k] if side == 0 else b[k]
        if body < 0:
            continue
        for other in range(2):
            if (a[k] if other == 0 else b[k]) < 0:
                continue
            if side == other:
                block = A[position[body]]
            else:
                block = A[ab[k]] if side == 0 else A[ba[k]]
            for j in range(3):
                hn = S[k, 0] * G[k, 0, 3 * other + j]
                ht = S[k, 1] * G[k, 0, 3 * other + j] + S[k, 2] * G[k, 1, 3 * other + j]
                for i in range(3):
                    block[3 * i + j] += G[k, 0, 3 * side + i] * hn + G[k, 1, 3 * side + i] * ht


@njit(cache=True, nogil=True)
def add_impulse(k, G, a, b, position, dn, dt, x):
    """x += G_k' dr, x by position."""
    for side in range(2):
        body = a[k] if side == 0 else b[k]
        if body >= 0:
            i = position[body]
            for j in range(3):
                x[i, j] += G[k, 0, 3 * side + j] * dn + G[k, 1, 3 * side + j] * dt


@njit(cache=True, nogil=True)
def direction(G, a, b, position, S, c0, x, dr, dy, du):
    """dr = c0 - S G dy from the solved x; then dy and du again from dr itself, so that they agree with it."""
    for i in range(dy.shape[0]):
        for j in range(3):
            dy[i, j] = x[position[i], j]
    for k in range(a.shape[0]):
        gn = gt = 0.0
        for side in range(2):
            body = a[k] if side == 0 else b[k]
            if body >= 0:
                for j in range(3):
                    gn += G[k, 0, 3 * side + j] * dy[body, j]
                    gt += G[k, 1, 3 * side + j] * dy[body, j]
        dr[k, 0] = c0[k, 0] - S[k, 0] * gn
        dr[k, 1] = c0[k, 1] - S[k, 1] * gn - S[k, 2] * gt
    for i in range(dy.shape[0]):
        dy[i, 0] = dy[i, 1] = dy[i, 2] = 0.0
    for k in range(a.shape[0]):
        push(k, G, a, b, dy, dr[k, 0], dr[k, 1])
    for k in range(a.shape[0]):
        gn = gt = 0.0
        for side in range(2):
            body = a[k] if side == 0 else b[k]
            if body >= 0:
                for j in range(3):
                    gn += G[k, 0, 3 * side + j] * dy[body, j]
                    gt += G[k, 1, 3 * side + j] * dy[body, j]
        du[k, 0], du[k, 1] = gn, gt


@njit(cache=True, nogil=True)
def merit(W, mu, low, r, u, dr, du, step, nu):
    """(sum of squares, largest) of F at r + step dr."""
    total = most = 0.0
    for k in range(mu.shape[0]):
        wnn, wtt = W[k, 0], W[k, 2]
        if wnn <= 0.0:
            continue
        rn, rt = r[k, 0] + step * dr[k, 0], r[k, 1] + step * dr[k, 1]
        lifted = wnn * (rn - low[k])
        fn = lifted - smooth(lifted - u[k, 0] - step * du[k, 0], nu)
        c = mu[k] * wtt * rn
        z = wtt * rt - u[k, 1] - step * du[k, 1]
        ft = wtt * rt - (smooth(z + c, nu) - smooth(z - c, nu) - c)
        total += fn * fn + ft * ft
        most = max(most, abs(fn), abs(ft))
    return total, most
