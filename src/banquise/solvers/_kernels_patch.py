# mypy: ignore-errors
"""Where Newton's method on a large island gets stuck: the few contacts about the worst of them are solved exactly.

What stops it is mostly local, a fold of a dozen contacts that no smooth step passes, while the rest of the island is fine. Sweeps
do not pass it either: they change one contact at a time. Dense methods for small islands do, from whatever point; so a patch
is solved with all other impulses held.
"""

import numpy as np

from banquise.jit import apart
from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.solvers._kernels import gather, natural_map, push, velocity_of
from banquise.solvers._kernels_island import AUTO, solve_island
from banquise.solvers._kernels_newton import Island
from banquise.solvers._kernels_small import scratch_for

PATCHES, PATCH = 4, 12  # how many are solved at a time, and the contacts of each
WORST = 0.1  # of the largest natural map: what is nearer to its law needs no patch
EXACT = 0.1  # of the goal that the whole island has
ZERO, WHOLE = np.int64(0), np.int64(AUTO)  # typed: written out they would compile copies of what they are handed to


@kernel
def contacts_of(a, b, n):
    """The contacts of each of the n bodies: those of body v at of[start[v]:start[v + 1]]."""
    start = np.zeros(n + 2, np.int64)
    for k in range(a.shape[0]):
        for body in (a[k], b[k]):
            if body < n:
                start[body + 2] += 1
    for v in range(2, n + 2):
        start[v] += start[v - 1]
    of = np.empty(start[n + 1], np.int64)
    for k in range(a.shape[0]):
        for body in (a[k], b[k]):
            if body < n:
                of[start[body + 1]] = k
                start[body + 1] += 1
    return start[: n + 1], of


@inner
def neighbourhood(worst, a, b, start, of, n, stamp, mark, rows):
    """The contacts nearest to one of them, from body to body; how many. `stamp` tells who is in it, by the `mark`."""
    rows[0], stamp[worst] = worst, mark
    head, count = 0, 1
    while head < count and count < rows.shape[0]:
        k = rows[head]
        head += 1
        for body in (a[k], b[k]):
            for q in range(start[body] if body < n else 0, start[body + 1] if body < n else 0):
                l = of[q]
                if stamp[l] != mark and count < rows.shape[0]:
                    rows[count], stamp[l] = l, mark
                    count += 1
    return count


@inner
def solve_patch(rows, island, r, y, reference, goal, patch, point, speed, number, work):
    """Solve the contacts `rows` for the impulses of all others; where that fails theirs are left. y is that of r."""
    G, W, a, b, c, mu, low = island
    n, bodies, m = y.shape[0] - 1, ZERO, rows.shape[0]
    for l in range(m):
        k = rows[l]
        push(k, G, a, b, y, -r[k, 0], -r[k, 1])
        for body in (a[k], b[k]):
            if body < n and number[body] < 0:
                number[body] = bodies
                bodies += 1
    for l in range(m):
        k = rows[l]
        for j in range(6):
            patch.G[l, 0, j], patch.G[l, 1, j] = G[k, 0, j], G[k, 1, j]
        for j in range(3):
            patch.W[l, j] = W[k, j]
        patch.a[l] = number[a[k]] if a[k] < n else bodies
        patch.b[l] = number[b[k]] if b[k] < n else bodies
        patch.c[l, 0], patch.c[l, 1] = velocity_of(k, G, a, b, c, y)
        patch.mu[l], patch.low[l] = mu[k], low[k]
        point[l, 0], point[l, 1] = r[k, 0], r[k, 1]
    e, _, _ = solve_island(
        ZERO, m, patch.G, patch.W, patch.a, patch.b, patch.c, patch.mu, patch.low, point, speed[: bodies + 1], reference,
        EXACT * goal / reference, WHOLE, work,
    )  # fmt: skip
    for l in range(m):
        k = rows[l]
        if e <= EXACT * goal:
            r[k, 0], r[k, 1] = point[l, 0], point[l, 1]
        push(k, G, a, b, y, r[k, 0], r[k, 1])
        for body in (a[k], b[k]):
            if body < n:
                number[body] = -1


@apart
def solve_patches(island, start, of, r, y, reference, goal):
    """Solve the patches about the contacts farthest from their laws, one after the other; y is scratch."""
    G, W, a, b, c, mu, low = island
    m, n = a.shape[0], y.shape[0] - 1
    gather(0, m, G, a, b, r, y)
    off, most = np.empty(m), goal
    for k in range(m):
        un, ut = velocity_of(k, G, a, b, c, y)
        off[k] = natural_map(r[k, 0], r[k, 1], un, ut, W[k, 0], W[k, 2], mu[k], low[k])
        most = max(most, WORST * off[k])
    stamp, number, rows = np.zeros(m, np.int64), np.full(n + 1, -1, np.int64), np.empty(PATCH, np.int64)
    patch = Island(
        np.empty((PATCH, 2, 6)), np.empty((PATCH, 3)), np.empty(PATCH, np.int64), np.empty(PATCH, np.int64),
        np.empty((PATCH, 2)), np.empty(PATCH), np.empty(PATCH),
    )  # fmt: skip
    point, speed, work = np.empty((PATCH, 2)), np.empty((2 * PATCH + 1, 3)), scratch_for(np.int64(PATCH))
    for mark in range(1, PATCHES + 1):
        worst = -1
        for k in range(m):
            if stamp[k] == 0 and off[k] > most and (worst < 0 or off[k] > off[worst]):
                worst = k
        if worst < 0:
            return
        count = neighbourhood(worst, a, b, start, of, n, stamp, mark, rows)
        solve_patch(rows[:count], island, r, y, reference, goal, patch, point, speed, number, work)
