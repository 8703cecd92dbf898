"""The loaded floe before any crack, ready to be cut: displacement, what is frozen, and the inverse under that.

A crack opens in a frozen frame. After an impact that means: the push patches keep their displacement along the push
(the slow variables of Balasoiu's limit), and each piece keeps its mean place and rotation. A dead force would let
a piece run away and release any energy. Under given displacements (`Dirichlet`) only those are frozen.

With G the inverse of the body whose frozen components are held, Y the rigid motions that this leaves free and MZ the mean
motions, the response to a load under (MZ)^T w = 0 comes from one small saddle system:
w = G f - [G MZ, Y] saddle^-1 [G MZ, Y]^T f.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, known_keywords
from banquise.fracture import _kernels_mesh
from banquise.fracture._kernels_search import Sheet
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.elasticity import Body, Held, body_of, border_edges
from banquise.fracture.given import a_floe, an_ice
from banquise.fracture.griffith import Griffith
from banquise.fracture.held import Dirichlet
from banquise.fracture.percussion import Impact
from banquise.given import ask_numbers
from banquise.scene.floe import Floe

Array = NDArray[np.float64]

HOLD = 1e4  # stiffness that keeps a gripped ghost still, in units of Young's modulus * thickness


@dataclass(frozen=True)
class Loaded:
    """A loaded elastic body in its own units; `joule` converts its energies."""

    body: Body
    u0: Array  # (n, 2)
    stress: Array  # (ne, 3)
    energy: float  # J stored before any crack
    joule: float  # J per unit of energy
    inverse: Array  # (2n, 2n) under the frozen components
    drift: Array | None  # (3, 2n) response to a unit moment on each rigid mode; None: rigid motions are not frozen
    drift_energy: Array  # (3, 3)
    push: Array  # (3,) inertial load of the percussion on the rigid modes
    grip: NDArray[np.int64]  # (ne, 3) edge -> row of grips, or -1
    grips: Array  # (k, 2, 2) projectors on the frozen components
    sources: tuple[int, ...]  # patches from which a crack may start
    borders: dict[Any, Any] = field(default_factory=dict, repr=False)  # candidate cracks, made by the first search

    @cached_property
    def sheet(self) -> Sheet:
        """All that a kernel needs to cut it."""
        body, mesh = self.body, self.body.mesh
        return Sheet(
            mesh.nodes, mesh.elements, mesh.neighbours, body.stiffness, mesh.area, mesh.size, self.stress, body.modes,
            body.moments, self.grip, self.grips, self.inverse,
            np.empty((0, 3)) if self.drift is None else self.drift, self.drift_energy, self.push,
            self.drift is not None, float(mesh.area.sum()), HOLD,
        )  # fmt: skip


def loaded(floe: Floe, load: Any, ice: Griffith) -> Loaded:
    """Prepare a floe under an impact or given displacements; kept with an impact, which is used again and again."""
    if isinstance(load, Dirichlet):
        return _held(a_floe(floe), load, ice)
    if not isinstance(load, Impact):
        raise ShapeError(f"fracture: the load is {load!r}, expected what `impact` gives or a `Dirichlet`.")
    if not _same(load, a_floe(floe)):
        raise ShapeError(f"fracture: the impact was made on another floe than this {floe!r}.")
    known = load.__dict__.get("_loaded")
    if known is None:
        known = _struck(floe, load)
        object.__setattr__(load, "_loaded", known)
    return known


def _same(hit: Impact, floe: Floe) -> bool:
    """Whether a floe is the one that was struck: its size, place, border and thickness."""
    polygon, body = floe.polygon, hit.body
    near = 1e-6 * body.unit
    moved = np.abs(np.array(polygon.centroid.coords[0]) - body.origin).max()
    if abs(body.unit**2 - polygon.area) > near * body.unit or moved > near or hit.thickness != floe.thickness:
        return False
    return all(polygon.boundary.distance(shapely.Point(c.point)) <= near for c in hit.contacts)


@known_keywords
@one_blas_thread()
def stored_energy(floe: Floe, load: Any, ice: Griffith | None = None) -> float:
    """Elastic energy (J) that a load stores in a floe before any crack."""
    return loaded(floe, load, an_ice(ice)).energy


def _struck(floe: Floe, hit: Impact) -> Loaded:
    body = hit.body
    ne, n = len(body.mesh.elements), len(body.mesh.nodes)
    grip = np.full((ne, 3), -1, np.int64)
    edges = [border_edges(body, k) for k in range(len(body.patches))]
    ways = np.array([patch.direction for patch in body.patches])
    both = np.array(hit.gripped)
    grips = np.where(both[:, None, None], np.eye(2), ways[:, :, None] * ways[:, None, :])
    owner = np.repeat(np.arange(len(edges)), [len(e) for e in edges])
    held = body.held(
        *_kernels_mesh.frozen_components(body.mesh.elements, n, np.concatenate(edges), owner, ways, both, grip)
    )
    inverse, drift, drift_energy = _still(body, held)
    u0 = hit.displacement / body.unit
    return Loaded(
        body=body,
        u0=np.ascontiguousarray(u0),
        stress=body.stresses(u0),
        energy=hit.energy,
        joule=hit.ice.young * floe.thickness * body.unit**2,
        inverse=inverse,
        drift=drift,
        drift_energy=drift_energy,
        push=hit.push,
        grip=grip,
        grips=grips,
        sources=tuple(range(len(body.patches))),
    )


def _held(floe: Floe, load: Dirichlet, ice: Griffith) -> Loaded:
    pieces = [(a, b) for a, b, _, _ in load.stretches]
    body = body_of(floe, stretches=pieces, nodes=ice.nodes, poisson=ice.poisson)
    ne, n = len(body.mesh.elements), len(body.mesh.nodes)
    grip = np.full((ne, 3), -1, np.int64)
    grips = []
    values: dict[int, float] = {}
    for k, (_, _, *given) in enumerate(load.stretches):
        edges = border_edges(body, k)
        grip[edges[:, 0], edges[:, 1]] = k
        grips.append(np.diag([float(g is not None) for g in given]))
        for node in _ends(body, edges):
            x, y = body.to_world(body.mesh.nodes[node])
            for c, value in enumerate(given):
                if value is not None:
                    values[2 * int(node) + c] = _given(value, float(x), float(y)) / body.unit
    at = np.array(list(values))
    held = body.held(at // 2, np.eye(2)[at % 2])
    u0 = np.zeros((n, 2))
    u0.ravel()[list(values)] = list(values.values())
    u0 -= held.solved(_unheld(held, body.forces(u0)[None]))[0].reshape(n, 2)
    inverse = held.inverse(np.empty((2 * n, 0)), np.empty((2 * n, 0)))
    joule = ice.young * floe.thickness * body.unit**2
    return Loaded(
        body=body,
        u0=u0,
        stress=body.stresses(u0),
        energy=body.energy(u0) * joule,
        joule=joule,
        inverse=inverse,
        drift=None,
        drift_energy=np.zeros((3, 3)),
        push=np.zeros(3),
        grip=grip,
        grips=np.array(grips),
        sources=(),
    )


def _given(value: Any, x: float, y: float) -> float:
    """A held displacement (m) at a place (m)."""
    if not callable(value):
        return float(value)
    what = f"Dirichlet: displacement at ({x:g}, {y:g})"
    found = float(ask_numbers(value, x, y, what=what, gives="a finite number of m for x, y in m", shape=()))
    if not np.isfinite(found):
        raise ShapeError(f"{what} is {found!r}, expected a finite number of m.")
    return found


def _ends(body: Body, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    element, edge = edges.T
    both = [body.mesh.elements[element, edge], body.mesh.elements[element, (edge + 1) % 3]]
    return np.unique(np.concatenate(both))


def _unheld(held: Held, loads: Array) -> Array:
    """Loads (k, 2n) without their parts on the held components (those of one node are orthogonal)."""
    out = loads.reshape(len(loads), -1, 2).copy()
    along = np.einsum("kic,ic->ki", out[:, held.nodes], held.ways)
    for k, load in enumerate(out):
        np.subtract.at(load, held.nodes, along[k, :, None] * held.ways)
    return out.reshape(len(loads), -1)


def _still(body: Body, held: Held) -> tuple[Array, Array, Array]:
    """Inverse with the mean motion of the floe frozen too, responses to a unit of each mean motion, their mutual energies."""
    moments, free = body.moments, held.free
    wide = np.hstack([held.solved(_unheld(held, np.ascontiguousarray(moments.T))).T, free])
    saddle = np.zeros((wide.shape[1], wide.shape[1]))
    saddle[:3, :3] = moments.T @ wide[:, :3]
    saddle[:3, 3:] = moments.T @ free
    saddle[3:, :3] = saddle[:3, 3:].T
    small = np.linalg.inv(saddle)
    responses = wide @ small
    return held.inverse(responses, wide), np.ascontiguousarray(responses[:, :3].T), np.ascontiguousarray(small[:3, :3])
