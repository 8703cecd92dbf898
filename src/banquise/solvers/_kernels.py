# mypy: ignore-errors
"""Kernels shared by the frictional solvers: one contact exactly, sweeps over many, and the residual.

All of them work on the contacts first..last-1 of arrays sorted by island, in mass-scaled form (see `ScaledRows`):
y = sum G' r, u = c + G y. Bodies that cannot move share the last row of y: their columns of G are zero, so it stays
zero, and no loop needs to ask (a branch a body made these loops seven times slower).
"""

import numpy as np

from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel


@inner
def one_contact(qn, qt, wnn, wnt, wtt, mu, low):
    """The impulse of a single contact with u = q + W r: exact Coulomb friction in the plane.

    Candidates in the order open, stick, slip: where a contact with much friction has several answers, the one with
    the least impulse is taken. A positive definite W always has one of them; the last lines only serve round-off.
    """
    rt = 0.0
    if low > 0.0:
        rt = min(max(-(qt + wnt * low) / wtt, -mu * low), mu * low)
    if qn + wnn * low + wnt * rt >= 0.0:
        return low, rt
    det = wnn * wtt - wnt * wnt
    if det > 1e-14 * wnn * wtt:
        rn = (wnt * qt - wtt * qn) / det
        rt = (wnt * qn - wnn * qt) / det
        if rn >= low and abs(rt) <= mu * rn:
            return rn, rt
    best_n, best_t, best = low, 0.0, np.inf
    for side in range(2):
        s = mu if side == 0 else -mu
        d = wnn + s * wnt
        if d <= 1e-14 * wnn:
            continue
        rn = max(low, -qn / d)
        rt = s * rn
        ut = qt + wnt * rn + wtt * rt
        wrong = max(0.0, ut if side == 0 else -ut)
        if wrong < best:
            best_n, best_t, best = rn, rt, wrong
    return best_n, best_t


@inner
def velocity_of(k, G, a, b, c, y):
    """Contact velocity u = c + G y of contact k."""
    i, j = a[k], b[k]
    un = c[k, 0] + (G[k, 0, 0] * y[i, 0] + G[k, 0, 1] * y[i, 1] + G[k, 0, 2] * y[i, 2])
    un += G[k, 0, 3] * y[j, 0] + G[k, 0, 4] * y[j, 1] + G[k, 0, 5] * y[j, 2]
    ut = c[k, 1] + (G[k, 1, 0] * y[i, 0] + G[k, 1, 1] * y[i, 1] + G[k, 1, 2] * y[i, 2])
    ut += G[k, 1, 3] * y[j, 0] + G[k, 1, 4] * y[j, 1] + G[k, 1, 5] * y[j, 2]
    return un, ut


@inner
def push(k, G, a, b, y, dn, dt):
    """Add the impulse (dn, dt) at contact k to the bodies: y += G' dr."""
    i, j = a[k], b[k]
    y[i, 0] += G[k, 0, 0] * dn + G[k, 1, 0] * dt
    y[i, 1] += G[k, 0, 1] * dn + G[k, 1, 1] * dt
    y[i, 2] += G[k, 0, 2] * dn + G[k, 1, 2] * dt
    y[j, 0] += G[k, 0, 3] * dn + G[k, 1, 3] * dt
    y[j, 1] += G[k, 0, 4] * dn + G[k, 1, 4] * dt
    y[j, 2] += G[k, 0, 5] * dn + G[k, 1, 5] * dt


@inner
def gather(first, last, G, a, b, r, y):
    """y = sum G' r from scratch, for the bodies of these contacts, in contact order."""
    for k in range(first, last):
        i, j = a[k], b[k]
        y[i, 0] = y[i, 1] = y[i, 2] = 0.0
        y[j, 0] = y[j, 1] = y[j, 2] = 0.0
    for k in range(first, last):
        push(k, G, a, b, y, r[k, 0], r[k, 1])


@inner
def natural_map(rn, rt, un, ut, wnn, wtt, mu, low):
    """Distance of one contact from Signorini and Coulomb, in velocity units."""
    if wnn <= 0.0:
        return 0.0
    e = abs(wnn * (rn - low) - max(0.0, wnn * (rn - low) - un))
    bound = wtt * mu * max(0.0, rn)
    z = wtt * rt - ut
    return max(e, abs(wtt * rt - min(max(z, -bound), bound)))


@kernel
def residual(first, last, G, W, a, b, c, mu, low, r, y):
    """Largest natural map over the contacts, y recomputed from r."""
    gather(first, last, G, a, b, r, y)
    e = 0.0
    for k in range(first, last):
        un, ut = velocity_of(k, G, a, b, c, y)
        e = max(e, natural_map(r[k, 0], r[k, 1], un, ut, W[k, 0], W[k, 2], mu[k], low[k]))
    return e


@inner
def sweep(first, last, G, W, a, b, c, mu, low, r, y, backward):
    """One Gauss-Seidel pass with exact local solutions; returns the largest change, in velocity units."""
    change = 0.0
    for i in range(first, last):
        k = last - 1 - (i - first) if backward else i
        wnn, wnt, wtt = W[k, 0], W[k, 1], W[k, 2]
        if wnn <= 0.0:
            continue
        un, ut = velocity_of(k, G, a, b, c, y)
        qn = un - wnn * r[k, 0] - wnt * r[k, 1]
        qt = ut - wnt * r[k, 0] - wtt * r[k, 1]
        rn, rt = one_contact(qn, qt, wnn, wnt, wtt, mu[k], low[k])
        dn, dt = rn - r[k, 0], rt - r[k, 1]
        if dn != 0.0 or dt != 0.0:
            push(k, G, a, b, y, dn, dt)
            r[k, 0], r[k, 1] = rn, rt
            change = max(change, wnn * abs(dn), wtt * abs(dt))
    return change


@kernel
def sweeps(first, last, count, target, G, W, a, b, c, mu, low, r, y):
    """Up to `count` forward-backward passes, until the residual is at most `target`; returns (residual, passes)."""
    gather(first, last, G, a, b, r, y)
    for i in range(count):
        change = sweep(first, last, G, W, a, b, c, mu, low, r, y, i % 2 == 1)
        if change <= target:
            e = residual(first, last, G, W, a, b, c, mu, low, r, y)
            if e <= target:
                return e, i + 1
    return residual(first, last, G, W, a, b, c, mu, low, r, y), count


@kernel
def damp(first, last, G, a, b, c, bias, low, r, y):
    """Scale the impulses of an unsolved island so that they add no energy beyond what the bias allows.

    The gain is s r.(c - bias) + s^2 |y|^2 / 2 for impulses s r; a negative bias may do the work -bias r. Returns s.
    """
    gather(first, last, G, a, b, r, y)
    power = allowed = square = 0.0
    for k in range(first, last):
        if low[k] > 0.0:
            return 1.0  # a prescribed impulse is the caller's to guard
        power += r[k, 0] * (c[k, 0] - bias[k, 0]) + r[k, 1] * (c[k, 1] - bias[k, 1])
        allowed += max(0.0, -bias[k, 0]) * r[k, 0] + abs(bias[k, 1] * r[k, 1])
        un, ut = velocity_of(k, G, a, b, c, y)
        square += r[k, 0] * (un - c[k, 0]) + r[k, 1] * (ut - c[k, 1])
    s = 1.0
    if power + 0.5 * square > allowed and square > 0.0:
        s = min(1.0, max(0.0, (allowed - power) / square))
        for k in range(first, last):
            r[k, 0] *= s
            r[k, 1] *= s
        gather(first, last, G, a, b, r, y)
    return s
