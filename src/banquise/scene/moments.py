"""Area, first and second moments of rings: closed formulas of the border (Green), arcs included."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Moments are six numbers (S, Sx, Sy, Sxx, Sxy, Syy): the integrals of 1, x, y, x^2, xy, y^2.


def ring_moments(vertices: Array, start: NDArray[np.integer]) -> Array:
    """Signed moments (n, 6) of n closed rings, ring k being vertices[start[k]:start[k + 1]], about the origin.

    Give coordinates relative to a point of the ring: moments about a far origin lose digits.
    """
    x, y = vertices[:, 0], vertices[:, 1]
    following = np.arange(1, len(vertices) + 1)
    following[start[1:] - 1] = start[:-1]
    x1, y1 = x[following], y[following]
    cross = x * y1 - x1 * y
    terms = np.stack(
        [
            cross / 2,
            (x + x1) * cross / 6,
            (y + y1) * cross / 6,
            (x * x + x * x1 + x1 * x1) * cross / 12,
            (2 * x * y + x * y1 + x1 * y + 2 * x1 * y1) * cross / 24,
            (y * y + y * y1 + y1 * y1) * cross / 12,
        ],
        axis=1,
    )
    return np.add.reduceat(terms, start[:-1], axis=0)


def polygon_moments(rings: list[Array], origin: Array) -> Array:
    """Moments (6,) of an outer ring less its holes (clockwise, so signed) about `origin`."""
    start = np.cumsum([0, *[len(r) for r in rings]])
    return ring_moments(np.concatenate(rings) - origin, start).sum(axis=0)


def shifted(moments: Array, dx: float, dy: float) -> Array:
    """The same moments about the point (dx, dy)."""
    s, sx, sy, sxx, sxy, syy = moments
    return np.array(
        [
            s,
            sx - dx * s,
            sy - dy * s,
            sxx - 2 * dx * sx + dx * dx * s,
            sxy - dx * sy - dy * sx + dx * dy * s,
            syy - 2 * dy * sy + dy * dy * s,
        ]
    )


def rounded_border(rings: list[Array], radius: float, segments: int = 64) -> list[Array]:
    """Rings of the Minkowski sum of a polygon and a disc, arcs as chords (outer first, holes clockwise)."""
    grown = shapely.Polygon(rings[0], rings[1:]).buffer(radius, quad_segs=segments)
    grown = shapely.orient_polygons(grown)
    return [np.asarray(r.coords)[:-1] for r in (grown.exterior, *grown.interiors)]


def rounded_moments(rings: list[Array], radius: float, origin: Array) -> Array:
    """Moments (6,) of the polygon grown by `radius`: those of its chords plus the slivers between chord and arc.

    A border edge both of whose ends lie at `radius` from one and the same vertex of the ring is a chord of the arc
    around that vertex; its sliver is a circular segment with closed moments.
    """
    border = rounded_border(rings, radius)
    total = polygon_moments(border, origin)
    corners = np.concatenate(rings) - origin
    for ring in border:
        p = ring - origin
        q = np.roll(p, -1, axis=0)
        middle = 0.5 * (p + q)
        # the arc's centre is the ring vertex nearest to the chord's middle, if both ends are at the radius from it
        centre = corners[np.argmin(((middle[:, None] - corners[None]) ** 2).sum(-1), axis=1)]
        on_arc = (np.abs(np.hypot(*(p - centre).T) - radius) < 1e-9 * radius) & (
            np.abs(np.hypot(*(q - centre).T) - radius) < 1e-9 * radius
        )
        chord = np.hypot(*(q - p).T)
        for k in np.flatnonzero(on_arc & (chord > 1e-9 * radius)):
            total = total + _segment_moments(centre[k], middle[k], radius, chord[k])
    return total


def _segment_moments(centre: Array, middle: Array, radius: float, chord: float) -> Array:
    """Moments of the circular segment cut off by a chord, on the side away from the centre."""
    half = np.arcsin(min(1.0, 0.5 * chord / radius))
    area = radius**2 * (half - np.sin(half) * np.cos(half))
    # in the frame of the bisector: first moment along it, second moments along and across
    first = 2.0 / 3.0 * (radius * np.sin(half)) ** 3
    quarter = radius**4 / 4
    along = quarter * (half - np.sin(4 * half) / 4)
    across = quarter * (half - 2 * np.sin(2 * half) / 3 + np.sin(4 * half) / 12)
    ex, ey = (middle - centre) / np.hypot(*(middle - centre))
    about_centre = np.array(
        [
            area,
            first * ex,
            first * ey,
            along * ex * ex + across * ey * ey,
            (along - across) * ex * ey,
            along * ey * ey + across * ex * ex,
        ]
    )
    return shifted(about_centre, -centre[0], -centre[1])
