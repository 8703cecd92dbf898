"""`Polyhedron`: a rigid block in space."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from banquise.errors import ShapeError, in_short, known_keywords
from banquise.given import in_si
from banquise.scene import solids
from banquise.scene.meshes import Floats, Ints, as_vertices
from banquise.settings import number
from banquise.units import quantity


def _vector(value: ArrayLike, name: str, length: int = 3, kind: str = "") -> Floats:
    """Numbers, or text with units of that kind."""
    try:
        array = in_si(value, kind, name) if kind else np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (length,) or not np.isfinite(array).all():
        raise ShapeError(f"{name}: got {in_short(value)}, expected {length} finite numbers.")
    return array


def rotation_matrix(orientation: ArrayLike) -> Floats:
    """Matrices (..., 3, 3) that carry body axes to the world, of unit quaternions (..., 4) w, x, y, z.

    >>> rotation_matrix([np.sqrt(0.5), 0, 0, np.sqrt(0.5)]).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    w, x, y, z = np.moveaxis(np.asarray(orientation, dtype=np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), (0, 1), (-2, -1)))


@known_keywords
class Polyhedron:
    """A rigid block: a convex hull, a closed skin, or several convex parts, with an optional radius around it.

    A point fixed to the block is at `position + R @ point` in the world, `point` in the frame in which the vertices
    were given. That origin need not be the centre of mass. Sizes, places, speeds and density may be text with a unit ("40 cm").

    Parameters
    ----------
    vertices : (n, 3) float array, m, body frame. Alone: the block is their convex hull
    faces : (m, 3) int array or list of polygons of vertex numbers, counter-clockwise from outside: a closed skin
    density : kg/m3
    position, orientation : m; unit quaternion w, x, y, z (normalised here)
    velocity, spin : of the centre of mass, m/s; rad/s in the world frame
    radius : m, of a ball swept over the block (a point becomes a ball, a segment a capsule)
    fixed : the block never moves
    parts : convex parts that make up the block, as vertex arrays; touching, not overlapping
    path : of a fixed block that is led: time (s) -> position, or (position, orientation)

    Examples
    --------
    >>> block = Polyhedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], density=6.0)
    >>> round(block.mass, 12), block.centre.tolist()
    (1.0, [0.25, 0.25, 0.25])
    """

    def __init__(
        self,
        vertices: ArrayLike | None,
        faces: ArrayLike | Iterable[Sequence[int]] | None = None,
        density: float = 1000.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
        radius: float = 0.0,
        fixed: bool = False,
        *,
        parts: Iterable[Any] | None = None,
        material: str = "ice",
        name: str | None = None,
        path: Callable[[float], Any] | None = None,
    ) -> None:
        self.solid = solids.solid_from(
            vertices, faces, parts, number(quantity(radius, "length", "radius"), "radius", at_least=0.0, at_most=1e9)
        )
        self.density = number(quantity(density, "density", "density"), "density", above=0.0)
        self._place(position, orientation, velocity, spin)
        if not isinstance(fixed, bool | np.bool_):
            raise ShapeError(f"fixed: got {fixed!r}, expected True or False.")
        self.fixed = bool(fixed)
        self.material = str(material)
        self.name = None if name is None else str(name)
        if path is not None and not (callable(path) and self.fixed):
            raise ShapeError("path: expected a function of time, for a block with fixed=True.")
        self.path = path

    def _place(self, position: ArrayLike, orientation: ArrayLike, velocity: ArrayLike, spin: ArrayLike) -> None:
        self.position = _vector(position, "position", kind="length")
        quaternion = _vector(orientation, "orientation", 4)
        length = float(np.linalg.norm(quaternion))
        if length == 0.0:
            raise ShapeError("orientation: (0, 0, 0, 0) is no rotation; (1, 0, 0, 0) leaves the block as given.")
        self.orientation = quaternion / length
        self.velocity = _vector(velocity, "velocity", kind="speed")
        self.spin = _vector(spin, "spin", kind="rate")

    @classmethod
    def box(cls, sides: ArrayLike, **keywords: Any) -> Polyhedron:
        """A box of three sides (m) centred on its origin."""
        half = 0.5 * _vector(sides, "sides", kind="length")
        if not (half > 0).all():
            raise ShapeError(f"box: sides are {(2 * half).tolist()} m, expected three above 0.")
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        return cls(signs * half, **keywords)

    @classmethod
    def ball(cls, radius: float, **keywords: Any) -> Polyhedron:
        """A ball centred on its origin."""
        return cls([[0.0, 0.0, 0.0]], radius=radius, **keywords)

    @classmethod
    def clump(cls, centres: ArrayLike, radii: ArrayLike, **keywords: Any) -> Polyhedron:
        """A rigid clump of balls; where they overlap the common volume counts once."""
        points = as_vertices(centres, "centres")
        try:
            sizes = np.broadcast_to(np.asarray(radii, dtype=np.float64), (len(points),))
        except (TypeError, ValueError, OverflowError):
            raise ShapeError(
                f"radii: got {radii!r}, expected one number, or one for each of {len(points)} balls."
            ) from None
        return cls(None, parts=[solids.convex_part([c], float(r)) for c, r in zip(points, sizes)], **keywords)

    @classmethod
    def from_file(cls, path: str | Path, scale: float = 1.0, **keywords: Any) -> Polyhedron:
        """A block from the closed skin in an STL, OBJ or PLY file, its lengths times `scale`."""
        from banquise.scene.mesh_files import read_mesh

        vertices, triangles = read_mesh(path)
        return cls(vertices * number(scale, "scale", above=0.0), triangles, **keywords)

    def moved(self, **changes: Any) -> Polyhedron:
        """A copy of the block that shares its shape, with other position, orientation, velocity, spin, fixed or
        name.
        """
        other = copy.copy(self)
        pose = {key: changes.pop(key, getattr(self, key)) for key in ("position", "orientation", "velocity", "spin")}
        other._place(**pose)
        for key, value in changes.items():
            if key not in ("fixed", "name", "material", "density", "path"):
                raise ShapeError(
                    f"moved: no {key!r}; a block can change pose, motion, fixed, name, material, density and path."
                )
            setattr(other, key, value)
        return other

    def in_parts(self, concavity: float = 0.05, cache: str | Path | None = None) -> Polyhedron:
        """The block with its concave skin cut into convex parts by the optional library `coacd` (see `decompose`)."""
        from banquise.scene.decomposition import decompose

        other = copy.copy(self)
        solid = self.solid
        if not solid.parts:
            cut = tuple(
                solids.convex_part(p, solid.radius)
                for p in decompose(solid.vertices, solid.triangles, concavity, cache)
            )
            other.solid = solids.Solid(
                solid.vertices, solid.triangles, cut, False, solid.mass, solid.radius, solid.edges
            )
        return other

    @property
    def vertices(self) -> Floats:
        """(n, 3), m, body frame."""
        return self.solid.vertices

    @property
    def faces(self) -> Ints:
        """(m, 3) triangles, counter-clockwise from outside."""
        return self.solid.triangles

    @property
    def parts(self) -> tuple[solids.ConvexPart, ...]:
        """Convex parts; empty for a concave skin that was not cut."""
        return self.solid.parts

    @property
    def convex(self) -> bool:
        """Whether the block is one convex part."""
        return self.solid.convex

    @property
    def radius(self) -> float:
        """Radius around the block, m."""
        return self.solid.radius

    @property
    def rotation(self) -> Floats:
        """(3, 3) matrix that carries body axes to the world."""
        return rotation_matrix(self.orientation)

    @property
    def world_vertices(self) -> Floats:
        """(n, 3), m, world frame."""
        return self.position + self.vertices @ self.rotation.T

    @property
    def volume(self) -> float:
        """m3, the radius included (for a concave skin with a radius: of the skin alone)."""
        return self.solid.mass.volume

    @property
    def mass(self) -> float:
        """kg."""
        return self.density * self.volume

    @property
    def centre(self) -> Floats:
        """Centre of mass, m, world frame."""
        return self.position + self.rotation @ self.solid.mass.centre

    @property
    def inertia(self) -> Floats:
        """(3, 3) tensor about the centre of mass, kg m2, along the body axes as given."""
        return self.density * self.solid.mass.inertia

    @property
    def principal(self) -> tuple[Floats, Floats]:
        """Principal moments (3,), ascending, and their axes (3, 3) as columns, a right-handed body frame."""
        moments, axes = np.linalg.eigh(self.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return moments, axes

    def __repr__(self) -> str:
        kind = "convex" if self.convex else f"{len(self.parts)} parts" if self.parts else "concave skin"
        label = f" {self.name!r}" if self.name else ""
        rounded = f", radius {self.radius:g} m" if self.radius else ""
        return f"<Polyhedron{label} {kind}, {len(self.vertices)} vertices, {self.mass:.6g} kg{rounded}>"
