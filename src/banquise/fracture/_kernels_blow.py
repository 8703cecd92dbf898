"""Kernels of a blow: how contacts of a floe resist impulses, and the energy that their compression takes up."""

import numpy as np

from banquise.jit import inner, kernel


@kernel
def mobility(spots, levers, others, x, y, inverse_mass, inverse_inertia, beside_mass, beside_inertia):
    """W (2k, 2k) of k contacts of a floe, each along its push and along the push turned left.

    spots : (k, 4) place and push; (x, y), inverse_mass, inverse_inertia : of the floe
    levers : (k, 2) of the other sides; others : their rows in the columns beside_mass and beside_inertia (inverse, too)
    """
    n = 2 * spots.shape[0]
    ways, own, there = np.empty((n, 2)), np.empty(n), np.empty(n)
    for i in range(n):
        k = i // 2
        px, py = spots[k, 2], spots[k, 3]
        wx, wy = (px, py) if i % 2 == 0 else (-py, px)
        ways[i, 0], ways[i, 1] = wx, wy
        own[i] = (spots[k, 0] - x) * wy - (spots[k, 1] - y) * wx
        there[i] = levers[k, 0] * wy - levers[k, 1] * wx
    out = np.empty((n, n))
    for i in range(n):
        a = others[i // 2]
        for j in range(n):
            cosine = ways[i, 0] * ways[j, 0] + ways[i, 1] * ways[j, 1]
            out[i, j] = inverse_mass * cosine + inverse_inertia * own[i] * own[j]
            if a == others[j // 2]:  # two contacts share the other side where it is the same body
                out[i, j] += beside_mass[a] * cosine + beside_inertia[a] * there[i] * there[j]
    return out


@kernel
def load(
    spots, impulses, levers, others, restitution, x, y, inverse_mass, inverse_inertia, beside_mass, beside_inertia
):
    """Impulses (k, 2) of the compression, and twice the energy (J) that they carry; see `mobility`."""
    resists = mobility(spots, levers, others, x, y, inverse_mass, inverse_inertia, beside_mass, beside_inertia)
    pattern = np.empty_like(impulses)
    for k in range(impulses.shape[0]):
        for q in range(2):
            pattern[k, q] = impulses[k, q] / (1.0 + restitution)
    return pattern, _twice_energy(pattern, resists)


@inner
def _twice_energy(pattern, resists):
    n, total = 2 * pattern.shape[0], 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row += resists[i, j] * pattern[j // 2, j % 2]
        total += pattern[i // 2, i % 2] * row
    return total
