"""Random bodies as bare columns, in bulk: building a hundred thousand `Floe` objects would take the whole test."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import shapely


def star_rings(rng, n, points=(3, 30), size=(1.0, 1.0), rough=0.6):
    """n star-shaped rings about the origin, counter-clockwise: list of (k, 2). Concave where rough is large."""
    counts = rng.integers(points[0], points[1] + 1, n)
    sizes = size[0] * (size[1] / size[0]) ** rng.random(n)
    rings = []
    for k, s in zip(counts, sizes):
        # no gap of half a turn or more: the origin stays inside and the ring simple
        angle = 2 * np.pi * (np.arange(k) + 0.8 * rng.random(k)) / k
        radius = s * (1 - rough * rng.random(k))
        rings.append(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    return rings


def columns(rings, x, y, angle, holes=None, radius=None, n_free=None, u=None, v=None, spin=None):
    """Columns of bodies from rings in their own frames; holes: {row: [rings, clockwise]}."""
    n = len(rings)
    holes = holes or {}
    every, counts = [], []
    for k, ring in enumerate(rings):
        every += [ring, *holes.get(k, [])]
        counts.append(1 + len(holes.get(k, [])))
    length = np.array([len(r) for r in every])
    start = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
    body = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    vertices = np.ascontiguousarray(np.concatenate(every))
    radius = np.zeros(n) if radius is None else np.asarray(radius, dtype=float)
    reach = np.hypot(*vertices.T)
    area = np.abs(shapely.area(polygons(vertices, start[body[:-1]], start[body[:-1] + 1])))
    area = np.where(area > 0, area, np.pi * radius**2)
    zero = np.zeros(n)
    return SimpleNamespace(
        x=np.array(x, dtype=float),
        y=np.array(y, dtype=float),
        cos=np.cos(angle) + zero,
        sin=np.sin(angle) + zero,
        u=zero.copy() if u is None else np.array(u, dtype=float),
        v=zero.copy() if v is None else np.array(v, dtype=float),
        spin=zero.copy() if spin is None else np.array(spin, dtype=float),
        vertices=vertices,
        ring_start=start,
        body_ring=body,
        radius=radius,
        area=area,
        extent=np.maximum.reduceat(reach, start[body[:-1]]) + radius,
        ids=np.arange(n),
        n_free=n if n_free is None else n_free,
    )


def polygons(vertices, first, last):
    """Shapely polygons of the rings vertices[first[k]:last[k]] (points for rings of one point, with area zero)."""
    first, last = np.asarray(first), np.asarray(last)
    length = last - first
    out = np.empty(len(first), dtype=object)
    for k in np.unique(length):
        rows = np.flatnonzero(length == k)
        rings = vertices[first[rows, None] + np.arange(k)]
        out[rows] = shapely.points(rings[:, 0]) if k == 1 else shapely.polygons(rings)
    return out


def world_polygons(bodies, rows=None, about=None):
    """Shapely polygons of bodies where they are, holes included; `about`: origin for each (keeps digits)."""
    rows = np.arange(len(bodies.x)) if rows is None else np.asarray(rows)
    about = np.zeros((len(rows), 2)) if about is None else about
    starts = bodies.ring_start[bodies.body_ring[rows]]
    ends = bodies.ring_start[bodies.body_ring[rows] + 1]
    length = ends - starts
    index = np.repeat(starts, length) + np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    owner = np.repeat(np.arange(len(rows)), length)
    vx, vy = bodies.vertices[index].T
    c, s = bodies.cos[rows][owner], bodies.sin[rows][owner]
    x = c * vx - s * vy + (bodies.x[rows] - about[:, 0])[owner]
    y = s * vx + c * vy + (bodies.y[rows] - about[:, 1])[owner]
    bounds = np.concatenate([[0], np.cumsum(length)])
    outer = polygons(np.stack([x, y], axis=1), bounds[:-1], bounds[1:])
    for k, row in enumerate(rows):
        first, last = bodies.body_ring[row] + 1, bodies.body_ring[row + 1]
        if last > first:
            c, s = bodies.cos[row], bodies.sin[row]
            turn = np.array([[c, s], [-s, c]])
            at = np.array([bodies.x[row], bodies.y[row]]) - about[k]
            holes = [
                bodies.vertices[bodies.ring_start[r] : bodies.ring_start[r + 1]] @ turn + at for r in range(first, last)
            ]
            outer[k] = shapely.Polygon(outer[k].exterior.coords, holes)
    return outer
