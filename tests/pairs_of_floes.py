"""Many pairs of concave floes, each pair far from the others, on their way to an oblique impact."""

from __future__ import annotations

import numpy as np
from random_bodies import star_rings

import banquise as bq

SIZE = 10.0  # m, the largest reach of a floe from its centre


def pairs_of_floes(rng, n, mirrored=False):
    """2 n floes, two by two: stars of 5 to 14 points, aimed at each other with an offset, turning."""
    across = int(np.ceil(np.sqrt(n)))
    flip = np.array([-1.0, 1.0]) if mirrored else np.ones(2)
    floes = []
    for k in range(n):
        at = 8 * SIZE * np.array([k % across - 0.5 * across, k // across - 0.5 * across])
        turn = rng.uniform(0, 2 * np.pi)
        along = np.array([np.cos(turn), np.sin(turn)])
        side = np.array([-along[1], along[0]])
        speed = rng.uniform(0.2, 1.0)
        for sign, ring in zip((-1, 1), star_rings(rng, 2, (5, 14), (0.4 * SIZE, SIZE), 0.6)):
            centre = at + 1.05 * sign * SIZE * along + rng.uniform(-0.3, 0.3) * SIZE * side
            velocity = -sign * speed * along + 0.1 * rng.standard_normal(2)
            thickness, spin = rng.uniform(0.3, 2.0), 0.05 * rng.standard_normal()
            floes.append(
                bq.Floe(
                    flip * (ring + centre),
                    thickness=thickness,
                    velocity=flip * velocity,
                    spin=-spin if mirrored else spin,
                )
            )
    return floes


def single_impacts(run, floes):
    """Pairs that met at one point, once: approach before and after (n,), m/s, along the impulse's normal.

    The normal follows from the change of momentum and the two parts of the impulse, the lever from where it fell.
    """
    events, data = run.events, run.dataset
    pair = events.floe_a.to_numpy() // 2
    once = np.flatnonzero(np.bincount(pair, minlength=len(floes) // 2)[pair] == 1)
    events, a = events.iloc[once], 2 * pair[once]
    mass = np.array([f.mass for f in floes])
    u, v, spin, x, y = (data[name].values for name in ("u", "v", "spin", "x", "y"))
    jump = mass[a + 1] * np.stack([u[-1] - u[0], v[-1] - v[0]])[:, a + 1]
    rn, rt = events.normal_impulse.to_numpy(), events.tangential_impulse.to_numpy()
    normal = np.stack([rn * jump[0] + rt * jump[1], rn * jump[1] - rt * jump[0]]) / (rn**2 + rt**2)
    speeds = []
    for k in (0, -1):
        point = []
        for row in (a, a + 1):
            cx = x[0, row] + u[0, row] * events.time.to_numpy()
            cy = y[0, row] + v[0, row] * events.time.to_numpy()
            lever = events.x.to_numpy() - cx, events.y.to_numpy() - cy
            point.append(np.stack([u[k, row] - spin[k, row] * lever[1], v[k, row] + spin[k, row] * lever[0]]))
        speeds.append(((point[1] - point[0]) * normal).sum(axis=0))
    return speeds


def books_of_pairs(run, floes):
    """Momentum (time, pair, 2), angular momentum and energy (time, pair) of each pair about where it met, and the size
    of the terms they are sums of."""
    mass, inertia = (np.array([getattr(f, name) for f in floes]) for name in ("mass", "inertia"))
    x, y, u, v, spin = (run.dataset[name].values for name in ("x", "y", "u", "v", "spin"))

    def pair(values):
        return values.reshape(len(values), -1, 2).sum(axis=2)

    x = x - np.repeat(x[0].reshape(-1, 2).mean(axis=1), 2)
    y = y - np.repeat(y[0].reshape(-1, 2).mean(axis=1), 2)
    momentum = np.stack([pair(mass * u), pair(mass * v)], axis=2)
    angular = pair(mass * (x * v - y * u) + inertia * spin)
    energy = pair(0.5 * mass * (u**2 + v**2) + 0.5 * inertia * spin**2)
    size = pair(mass * np.hypot(u, v)).max(axis=0)
    turning = pair(mass * np.hypot(x, y) * np.hypot(u, v) + np.abs(inertia * spin)).max(axis=0)
    return momentum, angular, energy, size, turning
