"""Many pairs of concave floes, each pair far from the others, on their way to an oblique impact."""

from __future__ import annotations

import numpy as np
from random_bodies import star_rings

import banquise as bq
from banquise.schemes import rounds

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


def watch_impacts(monkeypatch):
    """Every impact problem of the runs that follow, with its outcome: a list that fills."""
    seen = []
    solve = rounds.impact

    def watched(problem, laws):
        outcome = solve(problem, laws)
        seen.append((problem, outcome))
        return outcome

    monkeypatch.setattr(rounds, "impact", watched)
    return seen


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
