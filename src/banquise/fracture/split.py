"""Cut a floe in two along a crack, exactly: mass, momentum, angular momentum and energy are those of the parent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, known_keywords
from banquise.fracture import _kernels_split
from banquise.fracture._kernels_split import NEAR
from banquise.fracture.given import a_floe
from banquise.scene.floe import Floe

Array = NDArray[np.float64]


@known_keywords
def split(floe: Floe, start: Any, end: Any) -> tuple[Floe, Floe]:
    """The two floes left by the straight cut from `start` to `end`, the smaller first.

    Each moves as its part of the parent did: the velocity of the parent at its own centre, and the parent's spin.
    Only the ice between `start` and `end` is cut, also where the line would meet a concave floe again.

    >>> square = Floe([[0, 0], [100, 0], [100, 100], [0, 100]], density=910.0, velocity=(0.2, -0.1), spin=1e-3)
    >>> small, large = split(square, (0, 50), (43.75, 0))
    >>> small.mass, [round(v, 7) for v in small.velocity]
    (995312.5, [0.2333333, -0.1354167])
    """
    return split_along(floe, [start, end])


@known_keywords
def split_along(floe: Floe, path: Any) -> tuple[Floe, Floe]:
    """The two floes left by a cut along a broken line (k, 2): its ends on the border, its corners in the ice.

    >>> square = Floe([[0, 0], [100, 0], [100, 100], [0, 100]])
    >>> [piece.area for piece in split_along(square, [(0, 50), (50, 40), (100, 50)])]
    [4500.0, 5500.0]
    """
    parts = pieces_of(floe, _points(floe, path))
    settle(floe, parts)
    return parts[0], parts[1]


def pieces_of(floe: Floe, path: Any) -> list[Floe]:
    """The two pieces of a cut along points, the smaller first, at rest, their masses those of the floe to the last digits."""
    if len(path) == 2 and floe.radius == 0 and not floe.holes:
        plain = _plain_pieces(floe, path)
        if plain is not None:
            return plain
    polygon = floe.polygon
    a, b = _on_border(floe, path[0]), _on_border(floe, path[-1])
    line = np.array([a, *path[1:-1], b])
    if np.hypot(*(np.diff(line, axis=0).T)).max() <= NEAR * np.sqrt(floe.area):
        raise ShapeError(f"{floe!r}: a cut from {_spot(path[0])} to {_spot(path[-1])} has no length.")
    pieces = _simple_cut(polygon, line)
    if pieces is None:
        for x, y in line[1:-1]:
            if not polygon.contains(shapely.Point(x, y)):
                raise ShapeError(f"{floe!r}: the cut turns at {_spot((x, y))}, expected a place in its ice.")
        pieces = _general_cut(polygon, line)
    if len(pieces) != 2:
        raise ShapeError(
            f"{floe!r}: the cut from {_spot(path[0])} to {_spot(path[-1])} leaves {len(pieces)} piece(s), expected 2. "
            "Give two border points that see each other through the ice."
        )
    pieces.sort(key=lambda p: (p.area, -_left(p, a, b)))
    names = [None, None] if floe.name is None else [f"{floe.name}.1", f"{floe.name}.2"]
    parts = [
        like(floe, [r.coords for r in (p.exterior, *p.interiors)], floe.density, name) for p, name in zip(pieces, names)
    ]
    return _of_its_mass(floe, parts)


def _of_its_mass(floe: Floe, parts: list[Floe]) -> list[Floe]:
    """The parts with all of the floe's mass."""
    mass = sum(p.mass for p in parts)
    for part in parts:
        part.density *= floe.mass / mass
    return parts


def _plain_pieces(floe: Floe, path: Any) -> list[Floe] | None:
    """The same for a straight cut of a plain ring that meets it at its ends only; None where it is not one.

    Parts of a simple ring on both sides of such a cut are simple: nothing has to be checked again.
    """
    (ax, ay), (bx, by) = path
    *rings, one, two = _kernels_split.cut_ring(floe.ring, ax, ay, bx, by, math.sqrt(floe.area), NEAR)
    if not len(one):
        return None
    names = [None, None] if floe.name is None else [f"{floe.name}.1", f"{floe.name}.2"]
    parts = [_part(floe, *own) for own in zip(rings, (one, two), names)]
    return _of_its_mass(floe, parts)


def _part(floe: Floe, ring: Array, moments: Array, name: str | None = None) -> Floe:
    """A part with this ring and its area moments; of a flat floe with its thickness, too."""
    part = floe.part(ring, name)
    part.__dict__["area_moments"] = moments
    if floe.flat:
        part.__dict__.update(flat=True, _span=floe._span, _thickness=(moments * floe._span, floe._thickness[1]))
    return part


def parts_of(floe: Floe, corners: Array, begin: NDArray[np.int64], moments: Array, density: Array) -> list[Floe]:
    """The pieces of a flat floe from their columns: corners of all and where each begins, area moments, densities."""
    weighed = density[:, None] * (moments * floe._span)
    centres = corners[begin[:-1]] + weighed[:, 1:3] / weighed[:, :1]  # of all at once: each will be asked for
    parts = [_part(floe, corners[low:high], own) for (low, high), own in zip(pairwise(begin.tolist()), moments)]
    for part, dense, centre in zip(parts, density.tolist(), centres):
        part.density, part.__dict__["centre"] = dense, centre
    return parts


def rings_of(floe: Floe) -> tuple[Array, NDArray[np.int64]]:
    """Corners of all rings, ice on the left, and where each ring begins."""
    if floe.radius == 0 and not floe.holes:
        return floe.ring, np.array([0, len(floe.ring)])
    if floe.radius == 0:
        rings: list[Array] = [floe.ring, *floe.holes]
    else:
        polygon = floe.polygon
        rings = [np.asarray(r.coords)[:-1] for r in (polygon.exterior, *polygon.interiors)]
        ccw = [bool(r.is_ccw) for r in (polygon.exterior, *polygon.interiors)]
        rings = [r if way == (k == 0) else r[::-1] for k, (r, way) in enumerate(zip(rings, ccw))]
    return np.ascontiguousarray(np.concatenate(rings)), np.cumsum([0, *(len(r) for r in rings)])


def nearest_piece(pieces: Sequence[Floe], x: float, y: float) -> int:
    """Which piece carries a contact at (x, y); the first of equals."""
    away = [_away(piece, x, y) for piece in pieces]
    return away.index(min(away))


def _away(floe: Floe, x: float, y: float) -> float:
    """From (x, y) to the border of a floe (m)."""
    if floe.radius == 0 and not floe.holes:
        return float(_kernels_split.distance(floe.ring, x, y))
    corners, first = rings_of(floe)
    return min(float(_kernels_split.distance(corners[low:high], x, y)) for low, high in pairwise(first.tolist()))


def _points(floe: Floe, path: Any) -> list[tuple[float, float]]:
    """The points of a cut, two at least."""
    a_floe(floe)
    try:
        given = list(path)
    except TypeError:
        raise ShapeError(f"{floe!r}: a cut along {path!r}, expected two points or more.") from None
    if len(given) < 2:
        raise ShapeError(f"{floe!r}: a cut along {len(given)} point, expected two ends at least.")
    return [_pair(floe, point) for point in given]


def _pair(floe: Floe, point: Any) -> tuple[float, float]:
    try:
        x, y = (float(c) for c in point)
    except (TypeError, ValueError, OverflowError):
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ShapeError(f"{floe!r}: a point of a cut is {point!r}, expected two finite numbers.")
    return x, y


def _spot(point: Any) -> str:
    return "(" + ", ".join(f"{float(c):.6g}" for c in point) + ")"


def _on_border(floe: Floe, point: tuple[float, float]) -> Array:
    """The border point at `point`; one a little inside or outside is moved to the border."""
    spot = np.array(point)
    border = floe.polygon.boundary
    where = shapely.Point(spot)
    # A rounded floe's border is a chain of chords; its exact points may lie outside by the height of an arc.
    reach = NEAR * np.sqrt(floe.area) + 1e-3 * floe.radius
    away = border.distance(where)
    if not away <= reach:
        raise ShapeError(f"{floe!r}: {_spot(point)} is not on its border. A cut runs from border to border.")
    if away <= 1e-13 * np.sqrt(floe.area):
        return spot
    return np.array(shapely.shortest_line(border, where).coords[0])


def _simple_cut(polygon: Any, path: Array) -> list[Any] | None:
    """Both ends on the outer ring and nothing but ice between: the ring in two parts, holes to their part."""
    ring = np.asarray(polygon.exterior.coords)[:-1]
    a, b = path[0], path[-1]
    span = float(np.hypot(*np.diff(path, axis=0).T).sum())
    inner = np.array([a + 1e-3 * (path[1] - a), *path[1:-1], b - 1e-3 * (b - path[-2])])
    middle = shapely.LineString(inner)
    if any(middle.distance(r) <= NEAR * span for r in polygon.interiors) or not polygon.contains(middle):
        return None
    lengths = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(np.vstack([ring, ring[:1]]), axis=0).T))])
    line = polygon.exterior
    ends = shapely.points([a, b])
    if (shapely.distance(line, ends) > 2 * NEAR * np.sqrt(polygon.area) + 1e-9 * span).any():
        return None
    places = shapely.line_locate_point(line, ends)
    snap = NEAR * span
    marks = []
    for p, s in zip((a, b), places):
        corner = int(np.argmin(np.hypot(*(ring - p).T)))
        if np.hypot(*(ring[corner] - p)) <= snap:
            marks.append((lengths[corner], ring[corner]))  # a cut that ends at a corner leaves no sliver beside it
        else:
            marks.append((s, p))
    within = list(path[1:-1])
    (s0, p0), (s1, p1) = marks
    if s0 > s1:
        (s0, p0), (s1, p1), within = (s1, p1), (s0, p0), within[::-1]
    between = (lengths[:-1] > s0) & (lengths[:-1] < s1)
    first = _ring([p0, *ring[between], p1, *within[::-1]])
    second = _ring([p1, *ring[lengths[:-1] > s1], *ring[lengths[:-1] < s0], p0, *within])
    if len(first) < 3 or len(second) < 3:
        return None
    solids = [shapely.Polygon(first), shapely.Polygon(second)]
    if not all(p.is_valid and p.area > 0 for p in solids):
        return None
    if not polygon.interiors:
        return solids
    holes: list[list[Any]] = [[], []]
    for hole in polygon.interiors:
        inner_point = shapely.Polygon(hole).representative_point()
        holes[0 if solids[0].contains(inner_point) else 1].append(hole)
    cut = [shapely.Polygon(p.exterior, h) for p, h in zip(solids, holes)]
    return cut if all(p.is_valid for p in cut) else None


def _ring(points: list[Array]) -> Array:
    ring = np.array(points)
    keep = np.any(ring != np.roll(ring, 1, axis=0), axis=1)
    return ring[keep]


def _general_cut(polygon: Any, path: Array) -> list[Any]:
    """Through holes, or from hole to hole: the arrangement of the border and the cut, faces inside kept."""
    reach = NEAR / 2 * np.sqrt(polygon.area)
    ways = [path[0] - path[1], path[-1] - path[-2]]
    out = [p + w * (reach / np.hypot(*w)) for p, w in zip((path[0], path[-1]), ways)]
    lines = shapely.union_all([polygon.boundary, shapely.LineString([out[0], *path[1:-1], out[1]])])
    faces = shapely.get_parts(shapely.polygonize([lines]))
    return [f for f in faces if f.area > NEAR**2 * polygon.area and polygon.contains(f.representative_point())]


def _left(piece: Any, a: Array, b: Array) -> float:
    c = np.array(piece.centroid.coords[0]) - a
    d = b - a
    return float(d[0] * c[1] - d[1] * c[0])


def like(floe: Floe, rings: Sequence[Any], density: float, name: str | None) -> Floe:
    """A piece of a floe with these rings, at rest."""
    shape: dict[str, Any] = (
        {"thickness": floe.upper} if floe.lower == 0.0 else {"lower": floe.lower, "upper": floe.upper}
    )
    part = Floe(
        np.asarray(rings[0]),
        holes=[np.asarray(r) for r in rings[1:]],
        density=density,
        water_drag=floe.water_drag,
        air_drag=floe.air_drag,
        material=floe.material,
        name=name,
        **shape,
    )
    if not part.holes:  # by the kernel that weighs parts when they are cut: the same bits whoever makes the part
        part.__dict__["area_moments"] = _kernels_split.area_moments(part.ring)
    return part


def settle(floe: Floe, parts: list[Floe]) -> None:
    """Give the parts the parent's rigid motion, and its momenta to the last digits."""
    velocity, spin = shared_motion(
        (
            np.array([floe.mass]),
            np.array([floe.inertia]),
            floe.centre[None],
            np.array([floe.velocity]),
            np.array([floe.spin]),
        ),
        np.array([p.mass for p in parts]),
        np.array([p.inertia for p in parts]),
        np.array([p.centre for p in parts]),
        np.array([0, len(parts)]),
    )
    for part, v in zip(parts, velocity):
        part.velocity = (float(v[0]), float(v[1]))
        part.spin = float(spin[0])


def shared_motion(
    parents: tuple[Array, Array, Array, Array, Array],
    mass: Array,
    inertia: Array,
    centre: Array,
    first: NDArray[np.int64],
) -> tuple[Array, Array]:
    """Velocities (pieces, 2) of the pieces first[k] to first[k + 1] of body k (columns mass, inertia, centre, velocity, spin),
    moving as it did, and their spin (bodies,).

    For a polygon of even thickness nothing but rounding is left to settle. A rounded floe is cut as a chain of chords
    and loses the slivers outside them; its momenta go to the pieces as a common motion.
    """
    m, turning, middle, velocity, spin = parents
    of, start = np.repeat(np.arange(len(m)), np.diff(first)), first[:-1]
    total = np.add.reduceat(mass, start)
    moved = velocity[of] + spin[of, None] * _turned(centre - middle[of])
    lost = m[:, None] * velocity - np.add.reduceat(mass[:, None] * moved, start)
    moved = moved + (lost / total[:, None])[of]
    common = np.add.reduceat(mass[:, None] * centre, start) / total[:, None]
    arm = _turned(centre - common[of])
    whole = np.add.reduceat(inertia, start)
    now = whole * spin + np.add.reduceat(mass * np.sum(arm * moved, axis=1), start)
    wanted = turning * spin + m * np.sum(_turned(middle - common) * velocity, axis=1)
    extra = (wanted - now) / (whole + np.add.reduceat(mass * np.sum(arm**2, axis=1), start))
    return moved + extra[of, None] * arm, spin + extra


def _turned(r: Array) -> Array:
    return np.stack([-r[..., 1], r[..., 0]], axis=-1)
