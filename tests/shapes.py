"""Random shapes for tests: concave stars with holes, and an exact (rational) oracle of their moments."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
import shapely


def star(rng, n=12, size=50.0, centre=(0.0, 0.0), rough=0.6):
    """A simple, usually concave ring of n points around `centre`, counter-clockwise."""
    turn = (np.arange(n) + rng.uniform(0.05, 0.95, n)) * 2 * np.pi / n
    reach = size * rng.uniform(1 - rough, 1.0, n)
    return np.asarray(centre) + np.stack([reach * np.cos(turn), reach * np.sin(turn)], axis=1)


def holed(rng, n=12, holes=2, size=50.0, centre=(0.0, 0.0)):
    """A concave ring and `holes` small rings inside it, apart from each other."""
    ring = star(rng, n, size, centre)
    places = [0.18 * size * np.array([np.cos(a), np.sin(a)]) for a in 2 * np.pi * np.arange(holes) / max(holes, 1)]
    return ring, [star(rng, 5, 0.1 * size, np.asarray(centre) + p) for p in places]


def exact_moments(ring, holes, height, origin, degree=4):
    """Integrals of h, h x, h y, h x^2, h x y, h y^2 about `origin` in rational arithmetic, by triangles.

    `height` maps (i, j) to the coefficient of x^i y^j (map frame). Nothing is shared with the package: no border
    integral, no floating-point sum. Returns floats, each rounded once.
    """
    triangles = shapely.constrained_delaunay_triangles(shapely.Polygon(ring, holes)).geoms
    ox, oy = (Fraction(float(c)) for c in origin)
    terms = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    totals = [Fraction(0)] * 6
    for triangle in triangles:
        (ax, ay), (bx, by), (cx, cy) = (
            (Fraction(float(x)), Fraction(float(y))) for x, y in list(triangle.exterior.coords)[:3]
        )
        # x and y as polynomials of the unit triangle's (s, t): {(i, j): coefficient}
        x = {(0, 0): ax, (1, 0): bx - ax, (0, 1): cx - ax}
        y = {(0, 0): ay, (1, 0): by - ay, (0, 1): cy - ay}
        jacobian = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))
        h = {}
        for (i, j), value in height.items():
            h = _add(h, _times(_power(x, i), _power(y, j)), Fraction(float(value)))
        dx, dy = _add(x, {(0, 0): Fraction(1)}, -ox), _add(y, {(0, 0): Fraction(1)}, -oy)
        for k, (i, j) in enumerate(terms):
            totals[k] += jacobian * _integral(_times(h, _times(_power(dx, i), _power(dy, j))))
    return np.array([float(t) for t in totals])


def _times(a, b):
    out = {}
    for (i, j), p in a.items():
        for (k, l), q in b.items():
            out[i + k, j + l] = out.get((i + k, j + l), 0) + p * q
    return out


def _power(a, n):
    out = {(0, 0): Fraction(1)}
    for _ in range(n):
        out = _times(out, a)
    return out


def _add(a, b, factor):
    out = dict(a)
    for key, value in b.items():
        out[key] = out.get(key, 0) + factor * value
    return out


def _integral(a):
    """Over the unit triangle: s^i t^j gives i! j! / (i + j + 2)!."""
    return sum(value * Fraction(factorial(i) * factorial(j), factorial(i + j + 2)) for (i, j), value in a.items())
