# mypy: ignore-errors
"""Kernels for contacts in space: a normal and a disc of friction, bodies with six freedoms.

Mass-scaled as in the plane: y = sum G' r, u = c + G y, G (m, 3, 12), W (m, 3, 3) the contact's own Delassus block.
Bodies that cannot move share the last row of y.
"""

import numpy as np

from banquise.jit import inner, njit
from banquise.solvers._kernels_small import echelon

DIRECTIONS = 24  # where slip directions are looked for first


@njit(cache=True, nogil=True, error_model="numpy")
def spatial_rows(
    body_a, body_b, inverse_mass, root_inertia, frame, lever_a, lever_b, velocity, G, W, speed, local_a, local_b
):
    """Rows of all contacts scaled by masses; frame (m, 3, 3) holds normal and two tangents, I^-1 = root root'."""
    n = inverse_mass.shape[0]
    for k in range(body_a.shape[0]):
        for side in range(2):
            body = body_a[k] if side == 0 else body_b[k]
            sign = -1.0 if side == 0 else 1.0
            lever = lever_a[k] if side == 0 else lever_b[k]
            moves = inverse_mass[body] > 0.0
            for j in range(3):
                d = frame[k, j]
                tx = lever[1] * d[2] - lever[2] * d[1]
                ty = lever[2] * d[0] - lever[0] * d[2]
                tz = lever[0] * d[1] - lever[1] * d[0]
                v = velocity[body]
                part = sign * (d[0] * v[0] + d[1] * v[1] + d[2] * v[2] + tx * v[3] + ty * v[4] + tz * v[5])
                speed[k, j] = part if side == 0 else speed[k, j] + part
                root = root_inertia[body]
                for i in range(3):
                    G[k, j, 6 * side + i] = sign * d[i] * np.sqrt(inverse_mass[body])
                    G[k, j, 6 * side + 3 + i] = sign * (tx * root[0, i] + ty * root[1, i] + tz * root[2, i])
                    moves = moves or G[k, j, 6 * side + 3 + i] != 0.0
            if side == 0:
                local_a[k] = body if moves else n
            else:
                local_b[k] = body if moves else n
        for i in range(3):
            for j in range(3):
                s = 0.0
                for l in range(12):
                    s += G[k, i, l] * G[k, j, l]
                W[k, i, j] = s


@inner
def slip_gap(x, y, q, w, mu):
    """(cross speed d' x u_t, along d.u_t, r_n) of a contact slipping with r_t = mu r_n (x, y) and u_n = 0."""
    d = w[0, 0] + mu * (w[0, 1] * x + w[0, 2] * y)
    if d <= 1e-14 * w[0, 0]:
        return np.inf, np.inf, 0.0
    rn = -q[0] / d
    ux = q[1] + rn * (w[1, 0] + mu * (w[1, 1] * x + w[1, 2] * y))
    uy = q[2] + rn * (w[2, 0] + mu * (w[2, 1] * x + w[2, 2] * y))
    return x * uy - y * ux, x * ux + y * uy, rn


@inner
def slipping(q, w, mu, r):
    """Slip on the cone: the direction is a root of one function of an angle; scan, then halve. False if none is found.

    Of several roots the one with the least normal impulse is taken.
    """
    found = False
    step = 2.0 * np.pi / DIRECTIONS
    old, _, _ = slip_gap(1.0, 0.0, q, w, mu)
    for i in range(DIRECTIONS):
        low, high = i * step, (i + 1) * step
        new, _, _ = slip_gap(np.cos(high), np.sin(high), q, w, mu)
        if np.isfinite(old) and np.isfinite(new) and (old <= 0.0) != (new <= 0.0):
            left = old
            for _ in range(60):
                middle = 0.5 * (low + high)
                g, _, _ = slip_gap(np.cos(middle), np.sin(middle), q, w, mu)
                if (g <= 0.0) == (left <= 0.0):
                    low = middle
                else:
                    high = middle
                if high - low < 1e-16 * (1.0 + high):
                    break
            x, y = np.cos(0.5 * (low + high)), np.sin(0.5 * (low + high))
            _, along, rn = slip_gap(x, y, q, w, mu)
            if along <= 0.0 and rn >= 0.0 and (not found or rn < r[0]):
                r[0], r[1], r[2] = rn, mu * rn * x, mu * rn * y
                found = True
        old = new
    return found


@inner
def disc(q1, q2, w, bound, r):
    """Tangential impulse of a contact whose normal impulse is given: |r_t| <= bound, opposed to q + W_tt r_t."""
    det = w[1, 1] * w[2, 2] - w[1, 2] * w[2, 1]
    r[1] = (w[1, 2] * q2 - w[2, 2] * q1) / det
    r[2] = (w[2, 1] * q1 - w[1, 1] * q2) / det
    if r[1] * r[1] + r[2] * r[2] <= bound * bound:
        return
    low, high = 0.0, np.sqrt(q1 * q1 + q2 * q2) / max(bound, 1e-300)  # (W_tt + s) r_t = -q with |r_t| = bound
    for _ in range(100):
        s = 0.5 * (low + high)
        det = (w[1, 1] + s) * (w[2, 2] + s) - w[1, 2] * w[2, 1]
        r[1] = (w[1, 2] * q2 - (w[2, 2] + s) * q1) / det
        r[2] = (w[2, 1] * q1 - (w[1, 1] + s) * q2) / det
        if r[1] * r[1] + r[2] * r[2] > bound * bound:
            low = s
        else:
            high = s


@inner
def sticking(q, w):
    """The impulse with q + W r = 0 of a regular symmetric W (3, 3), and whether it is regular: no arrays, no search."""
    c0 = w[1, 1] * w[2, 2] - w[1, 2] * w[2, 1]
    c1 = w[1, 2] * w[2, 0] - w[1, 0] * w[2, 2]
    c2 = w[1, 0] * w[2, 1] - w[1, 1] * w[2, 0]
    det = w[0, 0] * c0 + w[0, 1] * c1 + w[0, 2] * c2
    if not det > 1e-6 * w[0, 0] * w[1, 1] * w[2, 2]:
        return 0.0, 0.0, 0.0, False
    d1, d2 = w[0, 0] * w[2, 2] - w[0, 2] * w[2, 0], w[0, 0] * w[1, 1] - w[0, 1] * w[1, 0]
    e = w[0, 2] * w[1, 0] - w[0, 0] * w[1, 2]
    x = -(c0 * q[0] + c1 * q[1] + c2 * q[2]) / det
    y = -(c1 * q[0] + d1 * q[1] + e * q[2]) / det
    z = -(c2 * q[0] + e * q[1] + d2 * q[2]) / det
    return x, y, z, True


@njit(cache=True, nogil=True, error_model="numpy")
def one_spatial(q, w, mu, low, r):
    """The impulse r (3) of a single contact with u = q + W r, by exact Coulomb friction: open, stick, or slip."""
    r[0], r[1], r[2] = low, 0.0, 0.0
    if low > 0.0 and mu > 0.0:
        disc(q[1] + w[1, 0] * low, q[2] + w[2, 0] * low, w, mu * low, r)
    if q[0] + w[0, 0] * r[0] + w[0, 1] * r[1] + w[0, 2] * r[2] >= 0.0:
        return
    if mu <= 0.0:
        r[0], r[1], r[2] = -q[0] / w[0, 0], 0.0, 0.0
        return
    s0, s1, s2, regular = sticking(q, w)
    if not regular:
        A, x, s = np.empty((3, 3)), np.empty(3), np.empty(3)
        for i in range(3):
            x[i] = -q[i] / np.sqrt(w[i, i])
            for j in range(3):
                A[i, j] = w[i, j] / np.sqrt(w[i, i] * w[j, j])
        echelon(A, x, s)
        s0, s1, s2 = s[0] / np.sqrt(w[0, 0]), s[1] / np.sqrt(w[1, 1]), s[2] / np.sqrt(w[2, 2])
    if s0 >= low and s1 * s1 + s2 * s2 <= mu * mu * s0 * s0:
        r[0], r[1], r[2] = s0, s1, s2
        return
    if not slipping(q, w, mu, r):  # round-off at the edge of the cone: pull the sticking impulse onto it
        size = np.sqrt(s1 * s1 + s2 * s2)
        r[0] = max(low, s0)
        r[1], r[2] = (mu * r[0] * s1 / size, mu * r[0] * s2 / size) if size > 0.0 else (0.0, 0.0)
    elif r[0] < low:
        r[0] = low
        disc(q[1] + w[1, 0] * low, q[2] + w[2, 0] * low, w, mu * low, r)


@inner
def spatial_speed(k, G, a, b, c, y, u):
    """u = c + G y of contact k."""
    for i in range(3):
        s = c[k, i]
        for j in range(6):
            s += G[k, i, j] * y[a[k], j] + G[k, i, 6 + j] * y[b[k], j]
        u[i] = s


@inner
def spatial_push(k, G, a, b, y, dr):
    """y += G' dr."""
    for j in range(6):
        y[a[k], j] += G[k, 0, j] * dr[0] + G[k, 1, j] * dr[1] + G[k, 2, j] * dr[2]
        y[b[k], j] += G[k, 0, 6 + j] * dr[0] + G[k, 1, 6 + j] * dr[1] + G[k, 2, 6 + j] * dr[2]


@inner
def spatial_map(r, u, w, mu, low):
    """Distance of one contact from Signorini and Coulomb, in velocity units."""
    wt = 0.5 * (w[1, 1] + w[2, 2])
    lifted = w[0, 0] * (r[0] - low)
    e = abs(lifted - max(0.0, lifted - u[0]))
    bound = wt * mu * max(0.0, r[0])
    z1, z2 = wt * r[1] - u[1], wt * r[2] - u[2]
    size = np.sqrt(z1 * z1 + z2 * z2)
    f = bound / size if size > bound else 1.0
    return max(e, np.sqrt((wt * r[1] - f * z1) ** 2 + (wt * r[2] - f * z2) ** 2))


@njit(cache=True, nogil=True, error_model="numpy")
def spatial_residual(members, G, W, a, b, c, mu, low, r, y):
    """Largest natural map over the contacts `members`, y recomputed from r."""
    u = np.empty(3)
    for k in members:
        for j in range(6):
            y[a[k], j] = y[b[k], j] = 0.0
    for k in members:
        spatial_push(k, G, a, b, y, r[k])
    e = 0.0
    for k in members:
        if W[k, 0, 0] > 0.0:
            spatial_speed(k, G, a, b, c, y, u)
            e = max(e, spatial_map(r[k], u, W[k], mu[k], low[k]))
    return e


@njit(cache=True, nogil=True, error_model="numpy")
def spatial_delassus(members, G, a, b, fixed, D):
    """D = G G' (3 m, 3 m) of an island."""
    m = members.shape[0]
    for p in range(m):
        for q in range(m):
            k, l = members[p], members[q]
            for s in range(3):
                for t in range(3):
                    D[3 * p + s, 3 * q + t] = 0.0
            for i in range(2):
                body = a[k] if i == 0 else b[k]
                for j in range(2):
                    if body == fixed or body != (a[l] if j == 0 else b[l]):
                        continue
                    for s in range(3):
                        for t in range(3):
                            for x in range(6):
                                D[3 * p + s, 3 * q + t] += G[k, s, 6 * i + x] * G[l, t, 6 * j + x]


@inner
def cone_step(members, D, W, mu, low, r, u, delta):
    """One semismooth Newton step on the natural map, dense; r is moved. Of a singular matrix any solution serves.

    The step solves A dr + B D dr = -F with A, B the 3 x 3 derivatives of each contact's own map.
    """
    m = members.shape[0]
    J, F, x = np.zeros((3 * m, 3 * m)), np.zeros(3 * m), np.zeros(3 * m)
    B = np.zeros((3, 3))
    for p in range(m):
        k = members[p]
        w = W[k]
        wn, wt = w[0, 0], 0.5 * (w[1, 1] + w[2, 2])
        o = 3 * p
        B[:] = 0.0
        lifted = wn * (r[k, 0] - low[k])
        if lifted - u[o] > 0.0:
            B[0, 0] = 1.0
            F[o] = u[o]
        else:
            J[o, o] = wn
            F[o] = lifted
        bound = wt * mu[k] * max(0.0, r[k, 0])
        z1, z2 = wt * r[k, 1] - u[o + 1], wt * r[k, 2] - u[o + 2]
        size = np.sqrt(z1 * z1 + z2 * z2)
        if bound <= 0.0:
            J[o + 1, o + 1] = J[o + 2, o + 2] = wt
            F[o + 1], F[o + 2] = wt * r[k, 1], wt * r[k, 2]
        elif size <= bound:
            B[1, 1] = B[2, 2] = 1.0
            F[o + 1], F[o + 2] = u[o + 1], u[o + 2]
        else:
            d1, d2, f = z1 / size, z2 / size, bound / size
            B[1, 1], B[1, 2] = f * (1.0 - d1 * d1), -f * d1 * d2
            B[2, 1], B[2, 2] = -f * d1 * d2, f * (1.0 - d2 * d2)
            for i in range(2):
                J[o + 1 + i, o + 1 + i] += wt
                for j in range(2):
                    J[o + 1 + i, o + 1 + j] -= wt * B[1 + i, 1 + j]
            J[o + 1, o], J[o + 2, o] = -wt * mu[k] * d1, -wt * mu[k] * d2
            F[o + 1], F[o + 2] = wt * r[k, 1] - f * z1, wt * r[k, 2] - f * z2
        for i in range(3):
            J[o + i, o + i] += delta * (wn if i == 0 else wt)
            for j in range(3):
                if B[i, j] != 0.0:
                    for l in range(3 * m):
                        J[o + i, l] += B[i, j] * D[o + j, l]
    for i in range(3 * m):
        si = 1.0 / np.sqrt(W[members[i // 3], i % 3, i % 3])
        F[i] *= -si
        for j in range(3 * m):
            J[i, j] *= si / np.sqrt(W[members[j // 3], j % 3, j % 3])
    echelon(J, F, x)
    for i in range(3 * m):
        k = members[i // 3]
        r[k, i % 3] += x[i] / np.sqrt(W[k, i % 3, i % 3])


@njit(cache=True, nogil=True, error_model="numpy")
def spatial_newton(members, steps, goal, G, W, a, b, c, mu, low, r, y):
    """Semismooth Newton steps with a proximal term that follows their success; r becomes the best point seen."""
    m = members.shape[0]
    D, u, w = np.empty((3 * m, 3 * m)), np.empty(3 * m), np.empty(3)
    best_r = r.copy()
    spatial_delassus(members, G, a, b, y.shape[0] - 1, D)
    best = spatial_residual(members, G, W, a, b, c, mu, low, r, y)
    delta, old = 0.0, best
    for _ in range(steps):
        if best <= goal:
            break
        for p in range(m):
            spatial_speed(members[p], G, a, b, c, y, w)
            for i in range(3):
                u[3 * p + i] = w[i]
        cone_step(members, D, W, mu, low, r, u, delta)
        e = spatial_residual(members, G, W, a, b, c, mu, low, r, y)
        if not e < 10.0 * best:
            for k in members:
                for i in range(3):
                    r[k, i] = best_r[k, i]
            e = spatial_residual(members, G, W, a, b, c, mu, low, r, y)
            delta = max(1e-4, 4.0 * delta)
            if delta > 10.0:
                break
        elif e < 0.9 * old:
            delta *= 0.2
        else:
            delta = max(1e-6, 2.0 * delta)
        if e < best:
            best = e
            for k in members:
                for i in range(3):
                    best_r[k, i] = r[k, i]
        old = e
    for k in members:
        for i in range(3):
            r[k, i] = best_r[k, i]
    return best
