"""All bodies as columns: poses, velocities, masses, and their shapes once in the body frame.

Rows 0 to n_free - 1 are floes, the rest obstacles (inverse mass and inertia zero). Rows may be sorted in space; `ids`
says which body a row holds and never changes meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.scene.floe import Floe, Obstacle
from banquise.scene.moments import ring_moments, rounded_border, shifted
from banquise.scene.quadrature import fewer_points, quadrature_points

Array = NDArray[np.float64]
Index = NDArray[np.int32]

# columns that hold one number a body, in the order of rows
COLUMNS = (
    "ids",
    "x",
    "y",
    "cos",
    "sin",
    "angle",
    "u",
    "v",
    "spin",
    "mass",
    "inertia",
    "inverse_mass",
    "inverse_inertia",
    "area",
    "thickness",
    "extent",
    "radius",
    "material",
    "water_drag",
    "air_drag",
)
POINTS = ("qx", "qy", "qw")  # columns of the floes alone
FEW = ("few_x", "few_y", "few_w")  # so too, once a flow has asked for them


def rings_of_rows(
    vertices: Array, ring_start: Index, body_ring: Index, source: NDArray[np.intp]
) -> tuple[Array, Index, Index]:
    """The ring columns (vertices, ring_start, body_ring) of rows that are copies of the rows `source`."""
    rings = np.diff(body_ring)[source]
    ring = _ranges(body_ring[source], rings)
    length = np.diff(ring_start)[ring]
    return (
        np.ascontiguousarray(vertices[_ranges(ring_start[ring], length)]),
        np.concatenate([[0], np.cumsum(length)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(rings)]).astype(np.int32),
    )


def _ranges(first: Any, count: Any) -> NDArray[np.intp]:
    """first[0] ... first[0] + count[0] - 1, first[1] ... one after the other."""
    ends = np.cumsum(count)
    return np.repeat(first - (ends - count), count) + np.arange(ends[-1] if len(ends) else 0)


class Bodies:
    """Columns of n bodies (m, kg, s, rad). Built by `Bodies.of`; written only by `update/`.

    Shapes: body row b has the rings body_ring[b]:body_ring[b + 1], ring r the points
    vertices[ring_start[r]:ring_start[r + 1]] in the body frame (origin at the centre of mass): the outer ring
    counter-clockwise first, holes clockwise, so the ice is on the left of every edge. A disc is a ring of one point.
    `radius` rounds the ring. `extent` is the distance of the farthest point from the centre, rounding included.
    """

    NOT_STORED = FEW  # by a checkpoint: made anew from the others, to the same bits

    ids: NDArray[np.int64]
    x: Array
    y: Array
    cos: Array
    sin: Array
    angle: Array  # turned since the start, not wrapped
    u: Array
    v: Array
    spin: Array
    mass: Array
    inertia: Array
    inverse_mass: Array
    inverse_inertia: Array
    area: Array
    thickness: Array
    extent: Array
    radius: Array
    material: Index  # index into `materials`
    water_drag: Array
    air_drag: Array

    vertices: Array
    ring_start: Index
    body_ring: Index
    # quadrature points and weights of the floes (n_free, 75), body frame
    qx: Array
    qy: Array
    qw: Array
    # fewer of them (n_free, 40), for flows that are the same everywhere; made when first asked for (`points`)
    few_x: Array
    few_y: Array
    few_w: Array
    moment_x: Array  # first moments of the area about the centre of mass (m3): zero for constant thickness
    moment_y: Array
    spread: Array  # (n_free, 3) mean xx, xy, yy of the area about its own centre (m2)

    n_free: int
    materials: list[str]

    def __len__(self) -> int:
        return len(self.x)

    @property
    def size(self) -> Array:
        """Square root of the area (m), the length that contact distances and tolerances are parts of."""
        return np.sqrt(self.area)

    def smaller_size(self, one: Any, other: Any) -> Array:
        """Size (m) of the smaller body of each pair of rows, `one` a floe; an obstacle, whatever its size, is the larger."""
        return np.sqrt(np.minimum(self.area[one], np.where(other < self.n_free, self.area[other], np.inf)))

    @classmethod
    def of(cls, floes: Sequence[Floe], obstacles: Sequence[Obstacle] = ()) -> Bodies:
        """Columns of the given floes, then obstacles; ids are their places in these lists, obstacles after floes."""
        self = cls()
        parts: list[Any] = [*floes, *obstacles]
        n, self.n_free = len(parts), len(floes)
        self._quadrature(parts, self._shape_columns(parts))
        self.ids = np.arange(n)
        self.cos, self.sin, self.angle = np.ones(n), np.zeros(n), np.zeros(n)
        self.u = np.array([p.velocity[0] for p in parts], dtype=float)
        self.v = np.array([p.velocity[1] for p in parts], dtype=float)
        self.spin = np.array([p.spin for p in parts], dtype=float)
        self.radius = np.array([p.radius for p in parts], dtype=float)
        self.materials = sorted({p.material for p in parts})
        self.material = np.array([self.materials.index(p.material) for p in parts], dtype=np.int32)
        self.water_drag = np.array([getattr(p, "water_drag", 0.0) for p in parts], dtype=float)
        self.air_drag = np.array([getattr(p, "air_drag", 0.0) for p in parts], dtype=float)
        free = np.arange(n) < self.n_free
        self.inverse_mass = np.where(free, 1 / self.mass, 0.0)
        self.inverse_inertia = np.where(free, 1 / self.inertia, 0.0)
        return self

    @classmethod
    def shapes_of(cls, floes: Sequence[Floe], obstacles: Sequence[Obstacle] = ()) -> Bodies:
        """Rings, masses and centres alone, without points and motion: what a file keeps."""
        self = cls()
        self.n_free = len(floes)
        self._shape_columns([*floes, *obstacles])
        return self

    def _shape_columns(self, parts: Sequence[Any]) -> Array:
        """Rings, masses and centres; plain polygons in one batch, special ones each by itself. Returns the area moments
        (n, 6) about the centres of mass."""
        n = len(parts)
        rings = [ring for p in parts for ring in (p.ring, *p.holes)]
        self.body_ring = np.cumsum([0, *[1 + len(p.holes) for p in parts]]).astype(np.int32)
        self.ring_start = np.cumsum([0, *[len(r) for r in rings]]).astype(np.int32)
        vertices = np.concatenate(rings) if rings else np.empty((0, 2))
        owner = np.repeat(np.arange(n), np.diff(self.ring_start[self.body_ring]))
        origin = np.array([p.ring[0] for p in parts]).reshape(n, 2)
        special = [k for k, p in enumerate(parts) if p.radius > 0 or not getattr(p, "flat", True)]
        local = vertices - origin[owner]
        area_moments = (
            np.add.reduceat(ring_moments(local, self.ring_start), self.body_ring[:-1], axis=0)
            if n
            else np.empty((0, 6))
        )
        height = np.array([p._span if getattr(p, "flat", False) else 1.0 for p in parts], dtype=float)
        density = np.array([getattr(p, "density", 1.0) for p in parts], dtype=float)
        mass_moments = area_moments * (height * density)[:, None]
        for k in special:
            area_moments[k] = parts[k].area_moments
            mass_moments[k] = parts[k].mass_moments
            height[k] = parts[k].thickness if isinstance(parts[k], Floe) else 1.0
        offset = mass_moments[:, 1:3] / mass_moments[:, :1]
        about = shifted(mass_moments.T, offset[:, 0], offset[:, 1])
        self.mass, self.inertia = np.ascontiguousarray(about[0]), np.ascontiguousarray(about[3] + about[5])
        self.area, self.thickness = np.ascontiguousarray(area_moments[:, 0]), height
        centre = origin + offset
        self.x, self.y = np.ascontiguousarray(centre[:, 0]), np.ascontiguousarray(centre[:, 1])
        self.vertices = np.ascontiguousarray(local - offset[owner])
        radius = np.array([p.radius for p in parts], dtype=float)
        reach = np.hypot(self.vertices[:, 0], self.vertices[:, 1])
        self.extent = (np.maximum.reduceat(reach, self.ring_start[self.body_ring[:-1]]) if n else reach) + radius
        return shifted(area_moments.T, offset[:, 0], offset[:, 1]).T

    def _quadrature(self, parts: Sequence[Any], moments: Array) -> None:
        """Points of the floes; rounded ones are drawn with chords first."""
        n = self.n_free
        start, body = self.ring_start[: self.body_ring[n] + 1], self.body_ring[: n + 1]
        vertices = self.vertices[: start[-1]]
        if n and any(p.radius > 0 for p in parts[:n]):
            rings: list[Array] = []
            counts = [0]
            for k in range(n):
                own = [vertices[start[r] : start[r + 1]] for r in range(body[k], body[k + 1])]
                radius = parts[k].radius
                if len(own[0]) == 1:
                    turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
                    own = [own[0] + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)]
                elif radius > 0:
                    own = rounded_border(own, radius, segments=8)
                rings += own
                counts.append(len(own))
            vertices = np.concatenate(rings)
            start = np.cumsum([0, *[len(r) for r in rings]]).astype(np.int32)
            body = np.cumsum(counts).astype(np.int32)
        self.qx, self.qy, self.qw = quadrature_points(np.ascontiguousarray(vertices), start, body, moments[:n])
        self.moment_x, self.moment_y = np.ascontiguousarray(moments[:n, 1]), np.ascontiguousarray(moments[:n, 2])
        area, mx, my, mxx, mxy, myy = moments[:n].T
        self.spread = (
            np.column_stack([mxx - mx * mx / area, mxy - mx * my / area, myy - my * my / area]) / area[:, None]
        )

    def points(self, varying: bool) -> tuple[Array, Array, Array]:
        """Points and weights for the drag of flows that vary from place to place, or do not."""
        if varying:
            return self.qx, self.qy, self.qw
        if not self.has_few:
            self._choose_few()
        return self.few_x, self.few_y, self.few_w

    @property
    def has_few(self) -> bool:
        """Whether a flow that is the same everywhere has asked for its points."""
        return "few_x" in self.__dict__

    def _choose_few(self) -> None:
        n = self.n_free
        area, mx, my = self.area[:n], self.moment_x, self.moment_y
        second = (area[:, None] * self.spread).T + np.stack([mx * mx, mx * my, my * my]) / area
        moments = np.column_stack([area, mx, my, *second])
        self.few_x, self.few_y, self.few_w = fewer_points(self.qx, self.qy, self.qw, moments)

    def world_rings(self, row: int) -> list[Array]:
        """The rings of a row where they are now (rounding not included)."""
        c, s = self.cos[row], self.sin[row]
        rotation = np.array([[c, s], [-s, c]])
        centre = np.array([self.x[row], self.y[row]])
        first, last = self.body_ring[row], self.body_ring[row + 1]
        return [
            self.vertices[self.ring_start[r] : self.ring_start[r + 1]] @ rotation + centre for r in range(first, last)
        ]

    def kinetic_energy(self) -> float:
        """Of the floes (J)."""
        n = self.n_free
        return float(
            0.5 * np.sum(self.mass[:n] * (self.u[:n] ** 2 + self.v[:n] ** 2) + self.inertia[:n] * self.spin[:n] ** 2)
        )

    def copy(self) -> Bodies:
        """An independent copy of what moves; shapes are shared, for they never change in place."""
        other = Bodies.__new__(Bodies)
        other.__dict__.update(self.__dict__)
        for name in ("x", "y", "cos", "sin", "angle", "u", "v", "spin"):
            setattr(other, name, getattr(self, name).copy())
        return other
