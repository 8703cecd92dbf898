"""Kernels of the contact laws: relative speeds, the energy guard, velocities."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def speeds(G, a, b, c, y, out):
    """Relative speeds c + G y of every row."""
    for k in range(len(a)):
        for s in range(2):
            value = c[k, s]
            if a[k] >= 0:
                value += G[k, s, 0] * y[a[k], 0] + G[k, s, 1] * y[a[k], 1] + G[k, s, 2] * y[a[k], 2]
            if b[k] >= 0:
                value += G[k, s, 3] * y[b[k], 0] + G[k, s, 4] * y[b[k], 1] + G[k, s, 5] * y[b[k], 2]
            out[k, s] = value


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
        root = np.sqrt(max(c1 * c1 - 4 * c2 * c0, 0.0))
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
    """y = sum of G' r over the rows, in row order; y must be zero where the rows' bodies are."""
    for k in range(len(a)):
        for j in range(3):
            if a[k] >= 0:
                y[a[k], j] += G[k, 0, j] * r[k, 0] + G[k, 1, j] * r[k, 1]
            if b[k] >= 0:
                y[b[k], j] += G[k, 0, j + 3] * r[k, 0] + G[k, 1, j + 3] * r[k, 1]


@njit(cache=True, nogil=True)
def velocity_change(y, inverse_mass, inverse_inertia, n, out):
    """M^-1/2 y of the first n bodies."""
    for i in range(n):
        root = np.sqrt(inverse_mass[i])
        out[i, 0], out[i, 1] = root * y[i, 0], root * y[i, 1]
        out[i, 2] = np.sqrt(inverse_inertia[i]) * y[i, 2]
