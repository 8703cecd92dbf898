"""Kernels of the contact laws: the problem of some contacts, relative speeds, the energy guard, what impulses leave."""

import math

import numpy as np

from banquise.contact._kernels_problem import label_islands
from banquise.jit import checked_inner as inner
from banquise.jit import njit

# columns of a contact as the detector writes it
NX, NY, AX, AY, BX, BY, GAP = 0, 1, 2, 3, 4, 5, 6


@njit(cache=True, nogil=True, _nrt=True)  # makes arrays: bare kernels call it
def contact_rows(
    chosen, value, who, slot, inverse_mass, inverse_inertia, velocity, gap_rate, bounce, material, friction_table,
    restitution_table, bodies, order, start, G, W, c, bias, mu, epsilon, a, b,
):  # fmt: skip
    """The contacts `chosen` grouped by island and scaled by masses; (bodies that can move, islands).

    bodies[l]: row of local body l; a, b: local bodies of each row, the number of local bodies for what cannot move.
    order[r]: place in `chosen` of row r, islands in the order of their first contact, cut at obstacles. slot is scratch,
    -1 for every body, and is left so.
    """
    m = len(chosen)
    local = 0
    one, other = np.empty(m, np.int64), np.empty(m, np.int64)
    for r in range(m):
        for side in range(2):
            body = who[chosen[r], side]
            number = np.int64(-1)
            if inverse_mass[body] > 0.0 or inverse_inertia[body] > 0.0:
                if slot[body] < 0:
                    slot[body] = local
                    bodies[local] = body
                    local += 1
                number = slot[body]
            if side == 0:
                one[r] = number
            else:
                other[r] = number
    for l in range(local):
        slot[bodies[l]] = -1
    free = np.ones(local + 1, np.bool_)
    free[local] = False
    for r in range(m):
        one[r] = one[r] if one[r] >= 0 else local
        other[r] = other[r] if other[r] >= 0 else local
    label = np.empty(m, np.int64)
    islands = label_islands(one, other, free, label)
    for i in range(islands + 1):
        start[i] = 0
    for r in range(m):
        start[label[r] + 1] += 1
    for i in range(islands):
        start[i + 1] += start[i]
    fill = start[:islands].copy()
    for r in range(m):
        order[fill[label[r]]] = r
        fill[label[r]] += 1
    for row in range(m):
        r = order[row]
        k = chosen[r]
        nx, ny = value[k, NX], value[k, NY]
        un = ut = 0.0
        for side in range(2):
            body = who[k, side]
            sign = -1.0 if side == 0 else 1.0
            lx, ly = value[k, AX + 2 * side], value[k, AY + 2 * side]
            cn, ct = lx * ny - ly * nx, lx * nx + ly * ny
            vx, vy, spin = velocity[body, 0], velocity[body, 1], velocity[body, 2]
            un += sign * (nx * vx + ny * vy + cn * spin)
            ut += sign * (-ny * vx + nx * vy + ct * spin)
            sm, si = sign * math.sqrt(inverse_mass[body]), sign * math.sqrt(inverse_inertia[body])
            first = 3 * side
            G[row, 0, first], G[row, 0, first + 1], G[row, 0, first + 2] = nx * sm, ny * sm, cn * si
            G[row, 1, first], G[row, 1, first + 1], G[row, 1, first + 2] = -ny * sm, nx * sm, ct * si
        wnn = wnt = wtt = 0.0
        for j in range(6):
            wnn += G[row, 0, j] * G[row, 0, j]
            wnt += G[row, 0, j] * G[row, 1, j]
            wtt += G[row, 1, j] * G[row, 1, j]
        W[row, 0], W[row, 1], W[row, 2] = wnn, wnt, wtt
        bias[row, 0], bias[row, 1] = gap_rate[r], 0.0
        c[row, 0], c[row, 1] = un + gap_rate[r], ut
        p, q = material[who[k, 0]], material[who[k, 1]]
        mu[row] = friction_table[p, q]
        epsilon[row] = restitution_table[p, q] if bounce[r] else 0.0
        a[row], b[row] = one[r], other[r]
    return local, islands


@njit(cache=True, nogil=True)
def speeds(G, a, b, c, y, out):
    """Relative speeds c + G y of every row."""
    for k in range(len(a)):
        i, j = a[k], b[k]
        for s in range(2):
            out[k, s] = (
                c[k, s]
                + (G[k, s, 0] * y[i, 0] + G[k, s, 1] * y[i, 1] + G[k, s, 2] * y[i, 2])
                + (G[k, s, 3] * y[j, 0] + G[k, s, 4] * y[j, 1] + G[k, s, 5] * y[j, 2])
            )


@njit(cache=True, nogil=True)
def island_reference(start, c, bias, W, lower, out):
    """The speed each island's residual is measured in: its fastest contact, bias or impulse asked for."""
    for i in range(len(start) - 1):
        largest = 0.0
        for k in range(start[i], start[i + 1]):
            largest = max(largest, abs(c[k, 0] - bias[k, 0]), abs(c[k, 1] - bias[k, 1]))
            largest = max(largest, -bias[k, 0], abs(bias[k, 1]), W[k, 0] * lower[k])
        out[i] = largest if largest > 0 else 1.0


@njit(cache=True, nogil=True)
def guard(start, before, middle, after, first, second, share):
    """share[i]: largest s in [0, 1] for which first + s second loses energy in island i; returns how many are below 1.

    -2 loss(s) = first.(before + middle) + s [first.change + second.(before + middle)] + s^2 second.change, a quadratic
    that is not positive at s = 0. Non-penetration holds for every s since it holds at both ends.
    """
    guarded = 0
    for i in range(len(start) - 1):
        c0 = c1 = c2 = scale = 0.0
        for k in range(start[i], start[i + 1]):
            for j in range(2):
                total = before[k, j] + middle[k, j]
                change = after[k, j] - middle[k, j]
                c0 += first[k, j] * total
                c1 += first[k, j] * change + second[k, j] * total
                c2 += second[k, j] * change
                scale += (abs(first[k, j]) + abs(second[k, j])) * (abs(before[k, j]) + abs(middle[k, j]) + abs(change))
        share[i] = 1.0
        if c0 + c1 + c2 <= 1e-14 * scale:
            continue
        guarded += 1
        c0 = min(c0, 0.0)
        root = math.sqrt(max(c1 * c1 - 4 * c2 * c0, 0.0))
        s = 0.0
        if c1 + root > 0:  # the form of the positive root without cancellation
            s = -2 * c0 / (c1 + root)
        elif c2 > 0:
            s = (-c1 + root) / (2 * c2)
        share[i] = min(max(s, 0.0), 1.0)
    return guarded


@njit(cache=True, nogil=True)
def add_scaled(start, share, second, first):
    """first += share of the island * second."""
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            first[k, 0] += share[i] * second[k, 0]
            first[k, 1] += share[i] * second[k, 1]


@njit(cache=True, nogil=True)
def gather_y(G, a, b, r, y):
    """y = sum of G' r over the rows, in row order (the spare row of what cannot move collects zeros)."""
    for k in range(len(a)):
        for j in range(3):
            y[a[k], j] += G[k, 0, j] * r[k, 0] + G[k, 1, j] * r[k, 1]
            y[b[k], j] += G[k, 0, j + 3] * r[k, 0] + G[k, 1, j + 3] * r[k, 1]


@njit(cache=True, nogil=True)
def velocity_changes(bodies, n, y, inverse_mass, inverse_inertia, change):
    """change[row] = M^-1/2 y of the first n local bodies; the other rows are left alone."""
    for l in range(n):
        i = bodies[l]
        root = math.sqrt(inverse_mass[i])
        change[i, 0], change[i, 1] = root * y[l, 0], root * y[l, 1]
        change[i, 2] = math.sqrt(inverse_inertia[i]) * y[l, 2]


@njit(cache=True, nogil=True)
def book(chosen, order, value, who, velocity, impulses, before, after, n_free, on_obstacles, stress, loss):
    """Enter impulses: loads on obstacles, stress of floes, energy lost at each row; (total loss, work of obstacles)."""
    total = work = 0.0
    for row in range(len(order)):
        k = chosen[order[row]]
        rn, rt = impulses[row, 0], impulses[row, 1]
        loss[row] = -0.5 * (rn * (before[row, 0] + after[row, 0]) + rt * (before[row, 1] + after[row, 1]))
        total += loss[row]
        if rn == 0.0 and rt == 0.0:
            continue
        nx, ny = value[k, NX], value[k, NY]
        jx, jy = rn * nx - rt * ny, rn * ny + rt * nx
        for side in range(2):
            i = who[k, side]
            sign = -1.0 if side == 0 else 1.0
            lx, ly = value[k, AX + 2 * side], value[k, AY + 2 * side]
            if i < n_free:
                stress[i, 0] += sign * jx * lx
                stress[i, 1] += sign * 0.5 * (jx * ly + jy * lx)
                stress[i, 2] += sign * jy * ly
                continue
            o = i - n_free
            on_obstacles[o, 0] += sign * jx
            on_obstacles[o, 1] += sign * jy
            on_obstacles[o, 2] += sign * (lx * jy - ly * jx)
            # the obstacle's own speed at the point, times the impulse on the floe
            u, v = velocity[i, 0] - velocity[i, 2] * ly, velocity[i, 1] + velocity[i, 2] * lx
            work -= sign * (jx * u + jy * v)
    return total, work


@inner
def write_event(k, value, who, ids, x, y, now, rn, rt, loss, mu, at, out):
    """Row `at`: an impact at contact k that took the impulse (rn, rt)."""
    i, j = who[k, 0], who[k, 1]
    out[at, 0], out[at, 1] = now, 0.0
    out[at, 2], out[at, 3] = min(ids[i], ids[j]), max(ids[i], ids[j])
    out[at, 4], out[at, 5] = x[i] + value[k, AX], y[i] + value[k, AY]
    out[at, 6], out[at, 7], out[at, 8] = rn, rt, loss
    out[at, 9] = 1.0 if abs(rt) >= mu * rn * (1 - 1e-9) else 0.0
    # where it fell on the two bodies, for what may break: the normal from floe_a to floe_b, and the levers
    swap = ids[i] > ids[j]
    sign = -1.0 if swap else 1.0
    one, two = (BX, AX) if swap else (AX, BX)
    out[at, 10], out[at, 11] = sign * value[k, NX], sign * value[k, NY]
    out[at, 12], out[at, 13] = value[k, one], value[k, one + 1]
    out[at, 14], out[at, 15] = value[k, two], value[k, two + 1]


@njit(cache=True, nogil=True)
def write_events(chosen, order, value, who, ids, x, y, mu, impulses, loss, time, left, state, out):
    """One row an impact that took an impulse (not one that is only kept apart: state 8 and up); how many."""
    count = 0
    for row in range(len(order)):
        k = chosen[order[row]]
        rn, rt = impulses[row, 0], impulses[row, 1]
        if not rn > 0.0 or state[k] >= 8:
            continue
        write_event(k, value, who, ids, x, y, time - left[who[k, 0]], rn, rt, loss[row], mu[row], count, out)
        count += 1
    return count
