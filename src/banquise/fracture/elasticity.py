"""Plane-stress elasticity of one floe: P1 elements, a narrow factor of the stiffness, exact handling of rigid motions.

Units of a body: lengths in the square root of the floe's area, stiffness in Young's modulus times thickness. In these
units nothing depends on the size, so the Griffith scaling is exact. A floe is free in space, so its stiffness K has
three rigid modes Z. It is factored with three pins, which loads in equilibrium do not feel; with M the mass matrix (density 1,
Z M-orthonormal) what comes out is made mass-orthogonal to the rigid motions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_mesh, _kernels_skyline
from banquise.fracture.mesh import Mesh, Patch, find_patch, make_mesh, meshed_border
from banquise.scene.floe import Floe

Array = NDArray[np.float64]

_KEPT = 16  # bodies in the cache, some 100 kB each
_cache: OrderedDict[Any, Body] = OrderedDict()
_lock = threading.Lock()  # of the cache: floes are searched on several threads


_NO_NODES, _NO_WAYS = np.empty(0, np.int64), np.empty((0, 2))


@dataclass(frozen=True)
class Held:
    """A body some displacements of which are kept at zero: its factor, see `_kernels_skyline`."""

    factor: Array
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    nodes: NDArray[np.int64]
    ways: Array
    free: Array  # (2n, k) rigid motions that nothing holds
    stiff: float

    def solved(self, loads: Array) -> Array:
        """Displacements (k, 2n) under loads that are zero on what is held and in equilibrium with the free motions."""
        out = np.array(loads)
        _kernels_skyline.solved(self.factor, self.low, out)
        return out

    def inverse(self, one: Array, two: Array) -> Array:
        """(2n, 2n), less one two^T."""
        return np.asarray(
            _kernels_skyline.inverted(
                self.factor, self.low, self.high, self.nodes, self.ways, len(self.nodes), self.stiff,
                np.ascontiguousarray(one), np.ascontiguousarray(two.T),
            )
        )  # fmt: skip


@dataclass(frozen=True)
class Body:
    """A meshed elastic floe in its own units."""

    mesh: Mesh
    patches: tuple[Patch, ...]
    origin: Array  # (2,) m, world place of the mesh's origin
    unit: float  # m, the square root of the floe's area
    poisson: float
    stiffness: Array  # (ne, 6, 6) of the elements
    modes: Array  # (n, 2, 3) rigid, M-orthonormal
    moments: Array  # (2n, 3) M Z
    strain: Array  # (ne, 3, 6) strain xx, yy, xy (tensor) from element displacements
    edges: tuple[NDArray[np.int64], ...]  # (k, 2) element and local edge of the border edges of each patch
    reach: tuple[NDArray[np.int64], NDArray[np.int64]]  # first and last node that each has to do with
    stiff: float  # of a typical node

    def to_mesh(self, point: Any) -> Array:
        return np.asarray((np.asarray(point, dtype=float) - self.origin) / self.unit)

    def to_world(self, point: Any) -> Array:
        return np.asarray(self.origin + np.asarray(point) * self.unit)

    def stresses(self, u: Array) -> Array:
        """(ne, 3) xx, yy, xy of a displacement (n, 2), in units of Young's modulus for displacements in mesh units."""
        e = np.einsum("eij,ej->ei", self.strain, u[self.mesh.elements].reshape(-1, 6))
        nu = self.poisson
        return np.column_stack(
            [(e[:, 0] + nu * e[:, 1]) / (1 - nu**2), (e[:, 1] + nu * e[:, 0]) / (1 - nu**2), e[:, 2] / (1 + nu)]
        )

    def energy(self, u: Array) -> float:
        """Stored by a displacement (n, 2), in units of Young's modulus * thickness * unit^2."""
        v = u[self.mesh.elements].reshape(-1, 6)
        return 0.5 * float(np.einsum("ei,eij,ej->", v, self.stiffness, v))

    def forces(self, u: Array) -> Array:
        """(2n,) that hold a displacement (n, 2)."""
        elements = self.mesh.elements
        pulls = np.einsum("eij,ej->ei", self.stiffness, u[elements].reshape(-1, 6)).reshape(-1)
        rows = np.stack([2 * elements, 2 * elements + 1], axis=-1).reshape(-1)
        return np.asarray(np.bincount(rows, pulls, 2 * len(u)), dtype=float)

    def relief(self, load: Array) -> tuple[Array, Array]:
        """Displacement (n, 2) under a load (2n,) balanced by the floe's own inertia, and the load on the modes (3,).

        Inertia relief: the load makes the floe accelerate as a rigid body; minus mass times that acceleration is
        added, which leaves a load in equilibrium.
        """
        modes = self.modes.reshape(-1, 3)
        push = modes.T @ load
        u = self.held(_NO_NODES, _NO_WAYS).solved((load - self.moments @ push)[None])[0]
        return (u - modes @ (self.moments.T @ u)).reshape(-1, 2), push

    def held(self, nodes: NDArray[np.int64], ways: Array) -> Held:
        """The body with some displacements kept at zero: components `ways` (k, 2; unit, and orthogonal where two are of one
        node) at `nodes`."""
        all_nodes, all_ways, free = _kernels_skyline.pinned(self.modes, nodes, ways)
        low, high = self.reach
        factor = _kernels_skyline.factored(
            self.mesh.elements, self.stiffness, low, all_nodes, all_ways, len(nodes), self.stiff
        )
        if not len(factor):
            raise ShapeError("fracture: the mesh of this floe falls apart. Simplify its ring and try again.")
        return Held(factor, low, high, nodes, ways, free, self.stiff)


def body_of(floe: Floe, contacts: Any = (), stretches: Any = (), nodes: int = 300, poisson: float = 0.295) -> Body:
    """The elastic body of a floe, meshed for its contacts and held stretches; cached.

    Parameters
    ----------
    contacts : [(point, direction, width), ...] patches of border about a point, world frame
    stretches : [(start, end), ...] straight pieces of border, world frame; patches after those of the contacts
    """
    places = tuple((tuple(map(float, p)), tuple(map(float, d)), float(w)) for p, d, w in contacts)
    rings = (floe.ring.tobytes(), *(h.tobytes() for h in floe.holes))
    pieces = tuple((tuple(map(float, a)), tuple(map(float, b))) for a, b in stretches)
    key = (rings, floe.radius, places, pieces, nodes, poisson)
    with _lock:
        if key in _cache:
            _cache.move_to_end(key)
            return _cache[key]
    polygon, origin = floe.polygon, np.array(floe.polygon.centroid.coords[0])
    unit = float(np.sqrt(polygon.area))

    def to_mesh(xy: Any) -> Array:
        """Off by 1e-10 of the floe's size at most: the last bits of a place would choose among the lattice's points."""
        return np.round((np.asarray(xy, dtype=float) - origin) / unit, 10)

    # Patches are sought on the border that is meshed: a notch left out of it would take the patch in it along.
    scaled = shapely.transform(polygon, to_mesh)
    border = meshed_border(scaled, nodes)
    patches = [find_patch(border, to_mesh(p), np.array(d), w / unit) for p, d, w in places]
    patches += [Patch(_led(to_mesh(piece), scaled, border), np.zeros(2)) for piece in pieces]
    mesh = make_mesh(border, patches, nodes)
    body = _assemble(mesh, tuple(patches), origin, unit, poisson)
    with _lock:
        _cache[key] = body
        if len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return body


def _led(ends: Array, polygon: Any, border: Any) -> Array:
    """Ends (2, 2) of a stretch, those on the border of a floe led to the border that is meshed."""
    spots = shapely.points(ends)
    on_it = shapely.distance(polygon.boundary, spots) < 1e-6
    near = shapely.get_coordinates(shapely.shortest_line(border.boundary, spots))[::2]
    return np.where(on_it[:, None], near, ends)


def border_edges(body: Body, which: int) -> NDArray[np.int64]:
    """(k, 2) element and local edge of the border edges that make up a patch."""
    edges = body.edges[which]
    if not len(edges):
        place = body.to_world(body.patches[which].line.mean(axis=0))
        raise ShapeError(
            f"fracture: no border of the floe near ({place[0]:.6g}, {place[1]:.6g}) for the load to act on."
        )
    return edges


def clear_cache() -> None:
    """Forget every meshed floe."""
    _cache.clear()


def _assemble(mesh: Mesh, patches: tuple[Patch, ...], origin: Array, unit: float, poisson: float) -> Body:
    strain, stiffness = _kernels_mesh.strains_and_stiffness(mesh.nodes, mesh.elements, mesh.area, poisson)
    modes, moments = _kernels_mesh.rigid(mesh.nodes, mesh.elements, mesh.area)
    edges = tuple(
        _kernels_mesh.edges_on(mesh.nodes, mesh.elements, mesh.neighbours, np.ascontiguousarray(p.line))
        for p in patches
    )
    reach = _kernels_skyline.lows(mesh.elements, len(mesh.nodes))
    stiff = float(np.einsum("eii->", stiffness)) / (2 * len(mesh.nodes))
    return Body(mesh, patches, origin, unit, poisson, stiffness, modes, moments, strain, edges, reach, stiff)
