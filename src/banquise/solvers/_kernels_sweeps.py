# mypy: ignore-errors
"""Passes over the contacts of blocks: each is given its own exact impulse in turn, the others held.

Notation of `_kernels_cone`. V (m, 3, 3) is the inverse of W, zero where W is singular. A contact that sticks costs one
product with V; one that slips looks for its direction from the last one, and over the whole circle if that fails.
"""

import numpy as np

from banquise.jit import inner, kernel
from banquise.solvers._kernels_cone import one_spatial, spatial_map, spatial_residual, spatial_speed

NEARLY = 1e-13  # of the speeds at hand: how exactly the direction of slip is found


@kernel
def invert_blocks(W, V):
    """V = inverse of each W (m, 3, 3), zero where it is not safely regular."""
    for k in range(W.shape[0]):
        w = W[k]
        c0 = w[1, 1] * w[2, 2] - w[1, 2] * w[2, 1]
        c1 = w[1, 2] * w[2, 0] - w[1, 0] * w[2, 2]
        c2 = w[1, 0] * w[2, 1] - w[1, 1] * w[2, 0]
        det = w[0, 0] * c0 + w[0, 1] * c1 + w[0, 2] * c2
        f = 1.0 / det if det > 1e-6 * w[0, 0] * w[1, 1] * w[2, 2] else 0.0
        V[k, 0, 0], V[k, 0, 1], V[k, 0, 2] = f * c0, f * c1, f * c2
        V[k, 1, 1], V[k, 2, 2] = (
            f * (w[0, 0] * w[2, 2] - w[0, 2] * w[2, 0]),
            f * (w[0, 0] * w[1, 1] - w[0, 1] * w[1, 0]),
        )
        V[k, 1, 2] = f * (w[0, 2] * w[1, 0] - w[0, 0] * w[1, 2])
        V[k, 1, 0], V[k, 2, 0], V[k, 2, 1] = V[k, 0, 1], V[k, 0, 2], V[k, 1, 2]


@inner
def slip_from(q0, q1, q2, w, mu, x, y):
    """(found, r_n, x, y): slip along a direction near (x, y), by Newton's method on the angle."""
    size = abs(q0) + abs(q1) + abs(q2)
    for _ in range(12):
        e, fe, along, rn, f = 1e-6, 0.0, 0.0, 0.0, 0.0
        for s in range(2):
            dx, dy = (x - e * y, y + e * x) if s == 0 else (x, y)
            d = w[0, 0] + mu * (w[0, 1] * dx + w[0, 2] * dy)
            if d <= 1e-10 * w[0, 0]:
                return False, 0.0, x, y
            rn = -q0 / d
            ux = q1 + rn * (w[1, 0] + mu * (w[1, 1] * dx + w[1, 2] * dy))
            uy = q2 + rn * (w[2, 0] + mu * (w[2, 1] * dx + w[2, 2] * dy))
            f = dx * uy - dy * ux
            along = dx * ux + dy * uy
            if s == 0:
                fe = f
        if abs(f) <= NEARLY * size:
            return along <= 0.0 and rn >= 0.0, rn, x, y
        slope = (fe - f) / e
        if slope == 0.0:
            return False, 0.0, x, y
        t = min(max(-f / slope, -0.5), 0.5)
        x, y = x - t * y, y + t * x
        norm = 1.0 / np.sqrt(x * x + y * y)
        x, y = x * norm, y * norm
    return False, 0.0, x, y


@kernel
def one_pass(order, first, last, G, W, V, a, b, c, mu, low, r, y):
    """Contacts order[first:last] (backwards when last < first) in turn; the largest change, as a speed."""
    q, new = np.empty(3), np.empty(3)
    change = 0.0
    step = 1 if last >= first else -1
    for p in range(first, last, step):
        k = order[p]
        w00 = W[k, 0, 0]
        if w00 <= 0.0:
            continue
        i, j = a[k], b[k]
        u0, u1, u2 = c[k, 0], c[k, 1], c[k, 2]
        for l in range(6):
            yi, yj = y[i, l], y[j, l]
            u0 += G[k, 0, l] * yi + G[k, 0, 6 + l] * yj
            u1 += G[k, 1, l] * yi + G[k, 1, 6 + l] * yj
            u2 += G[k, 2, l] * yi + G[k, 2, 6 + l] * yj
        r0, r1, r2 = r[k, 0], r[k, 1], r[k, 2]
        n0, n1, n2 = 0.0, 0.0, 0.0
        simple = low[k] == 0.0 and V[k, 0, 0] > 0.0 and mu[k] > 0.0
        if simple:
            q0 = u0 - W[k, 0, 0] * r0 - W[k, 0, 1] * r1 - W[k, 0, 2] * r2
            if q0 < 0.0:
                n0 = r0 - V[k, 0, 0] * u0 - V[k, 0, 1] * u1 - V[k, 0, 2] * u2
                n1 = r1 - V[k, 1, 0] * u0 - V[k, 1, 1] * u1 - V[k, 1, 2] * u2
                n2 = r2 - V[k, 2, 0] * u0 - V[k, 2, 1] * u1 - V[k, 2, 2] * u2
                most = mu[k] * n0
                tangent = n1 * n1 + n2 * n2
                if n0 < 0.0 or tangent > most * most:
                    q1 = u1 - W[k, 1, 0] * r0 - W[k, 1, 1] * r1 - W[k, 1, 2] * r2
                    q2 = u2 - W[k, 2, 0] * r0 - W[k, 2, 1] * r1 - W[k, 2, 2] * r2
                    x, z = r1, r2
                    if x == 0.0 and z == 0.0:
                        x, z = n1, n2
                    if x == 0.0 and z == 0.0:
                        x = 1.0
                    norm = 1.0 / np.sqrt(x * x + z * z)
                    simple, n0, x, z = slip_from(q0, q1, q2, W[k], mu[k], x * norm, z * norm)
                    n1, n2 = mu[k] * n0 * x, mu[k] * n0 * z
        if not simple:
            q[0] = u0 - W[k, 0, 0] * r0 - W[k, 0, 1] * r1 - W[k, 0, 2] * r2
            q[1] = u1 - W[k, 1, 0] * r0 - W[k, 1, 1] * r1 - W[k, 1, 2] * r2
            q[2] = u2 - W[k, 2, 0] * r0 - W[k, 2, 1] * r1 - W[k, 2, 2] * r2
            one_spatial(q, W[k], mu[k], low[k], new)
            n0, n1, n2 = new[0], new[1], new[2]
        d0, d1, d2 = n0 - r0, n1 - r1, n2 - r2
        if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
            continue
        r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
        change = max(change, abs(d0) * w00, abs(d1) * W[k, 1, 1], abs(d2) * W[k, 2, 2])
        for l in range(6):
            y[i, l] += G[k, 0, l] * d0 + G[k, 1, l] * d1 + G[k, 2, l] * d2
            y[j, l] += G[k, 0, 6 + l] * d0 + G[k, 1, 6 + l] * d1 + G[k, 2, 6 + l] * d2
    return change


@kernel
def passes(members, count, goal, G, W, V, a, b, c, mu, low, r, y):
    """Up to `count` passes forth and back; returns (residual, passes)."""
    e = spatial_residual(members, G, W, a, b, c, mu, low, r, y)
    m = members.shape[0]
    for sweep in range(count):
        if e <= goal:
            return e, sweep
        if sweep % 2 == 0:
            change = one_pass(members, np.int64(0), m, G, W, V, a, b, c, mu, low, r, y)
        else:
            change = one_pass(members, m - 1, np.int64(-1), G, W, V, a, b, c, mu, low, r, y)
        if change <= goal or sweep == count - 1:
            e = spatial_residual(members, G, W, a, b, c, mu, low, r, y)
    return e, count


@kernel
def stand(bodies, start, members, count, goal, own, W, V, one, other, c, mu, low, r, y, G, a, b):
    """Hold each body in turn by its contacts members[start[body]:start[body + 1]], then push those below it.

    First without friction, which is then asked for what is left: begun with it, the contacts of a body on a level bed push
    against each other along it, and so the bodies below apart. `own` (m, 3, 12) has only the side of the body that is
    held, G both; y has two rows beyond the bodies that move.
    """
    fixed, smooth = y.shape[0] - 2, np.zeros(mu.shape[0])
    for body in bodies:
        first, last = start[body], start[body + 1]
        if first == last:
            continue
        for rough in range(2):
            friction = mu if rough else smooth
            for sweep in range(count):
                if sweep % 2 == 0:
                    change = one_pass(members, first, last, own, W, V, one, other, c, friction, low, r, y)
                else:
                    change = one_pass(members, last - 1, first - 1, own, W, V, one, other, c, friction, low, r, y)
                if change <= goal:
                    break
        for p in range(first, last):
            k = members[p]
            below, side = (b[k], 6) if one[k] == body else (a[k], 0)
            if below < fixed:
                for l in range(side, side + 6):
                    y[below, l - side] += G[k, 0, l] * r[k, 0] + G[k, 1, l] * r[k, 1] + G[k, 2, l] * r[k, 2]


@kernel
def colours(order, a, b, fixed, colour, last_of):
    """Colour of each contact order[p]: two of one colour share no body that moves. Returns how many colours.

    `last_of` (bodies, 64) is scratch: which colours a body has. Contacts beyond 64 colours get the last one, alone.
    """
    most = 0
    for p in range(order.shape[0]):
        k = order[p]
        i, j = a[k], b[k]
        c = 0
        while c < 63 and ((i != fixed and last_of[i, c]) or (j != fixed and last_of[j, c])):
            c += 1
        colour[p] = c
        if c < 63:
            if i != fixed:
                last_of[i, c] = True
            if j != fixed:
                last_of[j, c] = True
        most = max(most, c + 1)
    return most


@kernel
def residual_of(order, first, last, G, W, a, b, c, mu, low, r, y, out):
    """Natural map of each contact order[first:last], y being that of r."""
    u = np.empty(3)
    for p in range(first, last):
        k = order[p]
        out[p] = 0.0
        if W[k, 0, 0] > 0.0:
            spatial_speed(k, G, a, b, c, y, u)
            out[p] = spatial_map(r[k], u, W[k], mu[k], low[k])
