"""The loaded floe before any crack, ready to be cut: displacement, what is frozen, and the inverse under that.

A crack opens in a frozen frame. After an impact that means: the push patches keep their displacement along the push
(the slow variables of Balasoiu's limit), and each piece keeps its mean place and rotation. A dead force would let
a piece run away and release any energy. Under given displacements (`Dirichlet`) only those are frozen.

With P the frozen components, U = [P, MZ] (MZ alone under an impact) and Z the rigid modes, the response to any load
under U^T w = 0 comes from the free inverse G and one small saddle system:  w = G f - [G U, Z] saddle^+ [G U, Z]^T f.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_mesh
from banquise.fracture._kernels_search import Sheet
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.elasticity import Body, body_of, border_edges
from banquise.fracture.griffith import Griffith
from banquise.fracture.held import Dirichlet
from banquise.fracture.percussion import Impact
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
    drift: Array | None  # (2n, 3) response to a unit moment on each rigid mode; None: rigid motions are not frozen
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
            body.moments, self.grip, self.grips, self.u0, self.inverse,
            np.empty((0, 3)) if self.drift is None else self.drift, self.drift_energy, self.push,
            self.drift is not None, float(mesh.area.sum()), HOLD,
        )  # fmt: skip


def loaded(floe: Floe, load: Any, ice: Griffith) -> Loaded:
    """Prepare a floe under an impact or given displacements; kept with an impact, which is used again and again."""
    if isinstance(load, Dirichlet):
        return _held(floe, load, ice)
    if not isinstance(load, Impact):
        raise ShapeError(f"fracture: the load is {load!r}, expected what `impact` gives or a `Dirichlet`.")
    if abs(load.body.unit**2 - floe.polygon.area) > 1e-9 * floe.polygon.area:
        raise ShapeError(f"fracture: the impact was made on another floe than this {floe!r}.")
    known = load.__dict__.get("_loaded")
    if known is None:
        known = _struck(floe, load)
        object.__setattr__(load, "_loaded", known)
    return known


@one_blas_thread()
def stored_energy(floe: Floe, load: Any, ice: Griffith | None = None) -> float:
    """Elastic energy (J) that a load stores in a floe before any crack."""
    return loaded(floe, load, ice or Griffith()).energy


def _struck(floe: Floe, hit: Impact) -> Loaded:
    body = hit.body
    ne, n = len(body.mesh.elements), len(body.mesh.nodes)
    grip = np.full((ne, 3), -1, np.int64)
    grips, columns = [], []
    for k, patch in enumerate(body.patches):
        way = patch.direction
        edges = border_edges(body, k)
        grip[edges[:, 0], edges[:, 1]] = k
        turned = np.array([-way[1], way[0]])
        frozen = [way, turned] if hit.gripped[k] else [way]
        grips.append(sum(np.outer(d, d) for d in frozen))
        columns += [(int(node), d) for node in _ends(body, edges) for d in frozen]
    frozen_columns = np.zeros((2 * n, len(columns) + 3))
    for k, (node, d) in enumerate(columns):
        frozen_columns[2 * node : 2 * node + 2, k] = d
    frozen_columns[:, -3:] = body.moments
    inverse, responses, energies = _constrained(body, frozen_columns)
    u0 = hit.displacement / body.unit
    return Loaded(
        body=body,
        u0=np.ascontiguousarray(u0),
        stress=body.stresses(u0),
        energy=hit.energy,
        joule=hit.ice.young * floe.thickness * body.unit**2,
        inverse=inverse,
        drift=np.ascontiguousarray(responses[:, -3:]),
        drift_energy=np.ascontiguousarray(energies[-3:, -3:]),
        push=hit.push,
        grip=grip,
        grips=np.array(grips),
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
                    values[2 * int(node) + c] = float(value(x, y) if callable(value) else value) / body.unit
    frozen_columns = np.zeros((2 * n, len(values)))
    frozen_columns[list(values), np.arange(len(values))] = 1
    inverse, responses, _ = _constrained(body, frozen_columns)
    u0 = np.ascontiguousarray((responses @ np.array(list(values.values()))).reshape(n, 2))
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


def _ends(body: Body, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    element, edge = edges.T
    both = [body.mesh.elements[element, edge], body.mesh.elements[element, (edge + 1) % 3]]
    return np.unique(np.concatenate(both))


def _constrained(body: Body, columns: Array) -> tuple[Array, Array, Array]:
    """Inverse under columns^T w = 0, responses to a unit of each column's value, and their mutual energies."""
    k = columns.shape[1]
    modes = body.modes.reshape(-1, 3)
    wide = np.hstack([body.inverse @ columns, modes])
    saddle = np.zeros((k + 3, k + 3))
    saddle[:k, :k] = columns.T @ wide[:, :k]
    saddle[:k, k:] = columns.T @ modes
    saddle[k:, :k] = saddle[:k, k:].T
    # Rigid motions that nothing holds leave the saddle singular; loads of cracks are in equilibrium and do not see
    # them.
    small = np.linalg.pinv(saddle, rcond=1e-11, hermitian=True)
    responses = wide @ small
    inverse = responses @ wide.T
    np.subtract(body.inverse, inverse, out=inverse)
    _kernels_mesh.mirror(inverse)  # symmetric to the last bit
    return inverse, responses[:, :k], small[:k, :k]
