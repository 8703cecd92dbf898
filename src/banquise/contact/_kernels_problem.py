# mypy: ignore-errors
"""Kernels of the contact problem: islands, mass-scaled rows, relative velocities."""

import numpy as np

from banquise.jit import njit


@njit(cache=True, nogil=True, _nrt=True)  # makes arrays: bare kernels call it
def label_islands(body_a, body_b, free, label):
    """Write the island number of each contact into `label`, islands in order of first contact; return their count.

    Union-find on the free bodies only: an obstacle joins nobody, so islands are cut there.
    """
    n, m = free.shape[0], body_a.shape[0]
    parent, number = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        parent[i], number[i] = i, -1
    for k in range(m):
        a, b = body_a[k], body_b[k]
        if not (free[a] and free[b]):
            continue
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a < b:
            parent[b] = a
        else:
            parent[a] = b
    count = 0
    for k in range(m):
        root = body_a[k]
        if not free[root]:
            root = body_b[k]
        if not free[root]:  # two obstacles: an island of its own, in which nothing can move
            label[k] = count
            count += 1
            continue
        while parent[root] != root:
            root = parent[root]
        if number[root] < 0:
            number[root] = count
            count += 1
        label[k] = number[root]
    return count


@njit(cache=True, nogil=True)
def scaled_rows(
    order,
    body_a,
    body_b,
    inverse_mass,
    inverse_inertia,
    normal,
    lever_a,
    lever_b,
    velocity,
    G,
    W,
    speed,
    local_a,
    local_b,
):
    """Rows of the contacts in `order`, scaled by masses: G (2 x 6), Delassus block W (nn, nt, tt) and free speed.

    A body that cannot move gets the number of bodies, a row past the last: its columns are zero, so it stays zero.
    """
    for i in range(order.shape[0]):
        k = order[i]
        nx, ny = normal[k, 0], normal[k, 1]
        un = ut = wnn = wnt = wtt = 0.0
        for side in range(2):
            body = body_a[k] if side == 0 else body_b[k]
            sign = -1.0 if side == 0 else 1.0
            lx = lever_a[k, 0] if side == 0 else lever_b[k, 0]
            ly = lever_a[k, 1] if side == 0 else lever_b[k, 1]
            cn = lx * ny - ly * nx
            ct = lx * nx + ly * ny
            vx, vy, spin = velocity[body, 0], velocity[body, 1], velocity[body, 2]
            un += sign * (nx * vx + ny * vy + cn * spin)
            ut += sign * (-ny * vx + nx * vy + ct * spin)
            sm, si = sign * np.sqrt(inverse_mass[body]), sign * np.sqrt(inverse_inertia[body])
            first = 3 * side
            G[i, 0, first], G[i, 0, first + 1], G[i, 0, first + 2] = nx * sm, ny * sm, cn * si
            G[i, 1, first], G[i, 1, first + 1], G[i, 1, first + 2] = -ny * sm, nx * sm, ct * si
            number = body if sm != 0.0 or si != 0.0 else inverse_mass.shape[0]
            if side == 0:
                local_a[i] = number
            else:
                local_b[i] = number
        for j in range(6):
            wnn += G[i, 0, j] * G[i, 0, j]
            wnt += G[i, 0, j] * G[i, 1, j]
            wtt += G[i, 1, j] * G[i, 1, j]
        W[i, 0], W[i, 1], W[i, 2] = wnn, wnt, wtt
        speed[i, 0], speed[i, 1] = un, ut
