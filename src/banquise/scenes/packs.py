"""Packs of floes for benchmarks and tests: made here from a seed, or tiled from a scene."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from banquise.detection.broad_phase import spatial_order
from banquise.scene.bodies import COLUMNS, POINTS, Bodies, rings_of_rows
from banquise.scene.floe import Floe
from banquise.scene.scene import Scene

Array = NDArray[np.float64]


def _discs(rng: np.random.Generator, n: int, exponent: float, ratio: float, cover: float) -> tuple[Array, Array]:
    """Centres and radii of n discs apart from each other on the periodic unit square, largest placed first."""
    # P(> r) ~ r^-exponent between 1 and `ratio`
    u = (np.arange(n) + 0.5) / n
    radius = np.sort((1 - u * (1 - ratio**-exponent)) ** (-1 / exponent))[::-1]
    radius *= math.sqrt(cover / (math.pi * np.sum(radius**2)))
    centre = np.empty((n, 2))
    for k in range(n):
        while True:
            place = rng.random((64, 2))
            d = place[:, None] - centre[None, :k]
            d -= np.round(d)
            free = np.all(np.einsum("ijk,ijk->ij", d, d) > (radius[k] + radius[:k]) ** 2, axis=1)
            if free.any():
                centre[k] = place[np.argmax(free)]
                break
    return centre, radius


def _cell_radii(centre: Array, radius: Array, points: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Distance from each centre to the border of its cell, along `points` directions.

    Cells are those of the power diagram of the discs: convex, they fill the square, and each holds its disc.
    """
    n = len(centre)
    tree = cKDTree(centre % 1.0, boxsize=1.0)
    _, near = tree.query(centre, k=min(65, n))
    large = np.broadcast_to(
        np.arange(min(60, n)), (n, min(60, n))
    )  # sorted by size: a far one may still be a neighbour
    others = np.concatenate([near, large], axis=1)
    d = centre[others] - centre[:, None]
    d -= np.round(d)
    square = np.einsum("ijk,ijk->ij", d, d)
    power = 0.5 * (square + radius[:, None] ** 2 - radius[others] ** 2)
    angle = 2 * np.pi * (np.arange(points) + 0.7 * rng.random((n, points))) / points
    reach = np.full((n, points), np.inf)
    for k in range(points):
        toward = d[:, :, 0] * np.cos(angle[:, k, None]) + d[:, :, 1] * np.sin(angle[:, k, None])
        away = np.where((toward > 0) & (square > 0), power / np.where(toward > 0, toward, 1.0), np.inf)
        reach[:, k] = away.min(axis=1)
    return np.minimum(reach, 2 * radius[:, None] + 0.1), angle


def pack_tile(
    n: int = 1000,
    concentration: float = 0.65,
    exponent: float = 1.5,
    size: float = 25.0,
    points: int = 24,
    seed: int = 0,
) -> tuple[Scene, float]:
    """A periodic tile of n star-shaped floes that do not overlap, and its side (m).

    Sizes follow a power law of the given exponent over a ratio of 30; `size` is the median square root of the area.
    """
    rng = np.random.default_rng(seed)
    centre, radius = _discs(rng, n, exponent, 30.0, 0.5)
    reach, angle = _cell_radii(centre, radius, points, rng)
    reach = reach * (1 - 0.1 * rng.random(reach.shape))
    turn = np.roll(angle, -1, axis=1) - angle
    area = 0.5 * np.sum(reach * np.roll(reach, -1, axis=1) * np.sin(turn), axis=1)
    shrink = min(1.0, math.sqrt(concentration / area.sum()))
    side = size / (shrink * float(np.median(np.sqrt(area))))
    speed = 0.1 * rng.standard_normal((n, 2))
    spin = 1e-3 * rng.standard_normal(n)
    floes = []
    for k in range(n):
        ring = centre[k] + shrink * reach[k, :, None] * np.stack([np.cos(angle[k]), np.sin(angle[k])], axis=1)
        floes.append(Floe(side * ring, velocity=speed[k], spin=spin[k]))
    return Scene(floes), side


def tile(bodies: Bodies, side: float, across: int, seed: int = 0) -> Bodies:
    """The floes of a square tile of the given side, across x across times, tiles turned by quarter turns, rows sorted
    in space. The tile's middle is taken as the middle of its centres' box."""
    n, copies = bodies.n_free, across * across
    quarter = np.random.default_rng(seed).integers(0, 4, copies)
    c, s = np.array([1.0, 0, -1, 0])[quarter][:, None], np.array([0.0, 1, 0, -1])[quarter][:, None]
    at_x, at_y = side * (np.arange(copies) % across)[:, None], side * (np.arange(copies) // across)[:, None]
    many: Any = Bodies.__new__(Bodies)
    for name in (*COLUMNS, *POINTS):
        column = getattr(bodies, name)[:n]
        setattr(many, name, np.concatenate([column] * copies))
    x = bodies.x[:n] - 0.5 * (bodies.x[:n].min() + bodies.x[:n].max())
    y = bodies.y[:n] - 0.5 * (bodies.y[:n].min() + bodies.y[:n].max())
    many.x, many.y = (c * x - s * y + at_x).ravel(), (s * x + c * y + at_y).ravel()
    many.u, many.v = (c * bodies.u[:n] - s * bodies.v[:n]).ravel(), (s * bodies.u[:n] + c * bodies.v[:n]).ravel()
    many.cos = (c * bodies.cos[:n] - s * bodies.sin[:n]).ravel()
    many.sin = (s * bodies.cos[:n] + c * bodies.sin[:n]).ravel()
    many.n_free, many.materials = n * copies, bodies.materials
    order = spatial_order(many)
    for name in (*COLUMNS, *POINTS):
        setattr(many, name, np.ascontiguousarray(getattr(many, name)[order]))
    many.ids = np.arange(n * copies)
    many.vertices, many.ring_start, many.body_ring = rings_of_rows(
        bodies.vertices, bodies.ring_start, bodies.body_ring, order % n
    )
    return many
