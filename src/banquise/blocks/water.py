"""Water that blocks float in: exact displaced volume and its centre, buoyancy, drag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from banquise.blocks import _kernels_water
from banquise.errors import ForcingError
from banquise.forcing.forcing import Forcing
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.threads import over_blocks

if TYPE_CHECKING:
    from banquise.blocks.columns import Columns


class Water:
    """The skins of the blocks, cut at the surface at every step."""

    def __init__(self, blocks: Sequence[Polyhedron], forcing: Forcing, gravity: float):
        assert forcing.water_level is not None
        if forcing.gravity is None or np.any(np.array(forcing.gravity)[:2] != 0.0) or forcing.gravity[-1] > 0.0:
            raise ForcingError(f"water_level: gravity is {forcing.gravity}, expected (0, 0, -g): the surface is level.")
        skins = []
        for k, block in enumerate(blocks):
            if block.radius > 0.0 or any(part.radius > 0.0 for part in block.parts):
                raise ForcingError(f"water_level: block {k} is rounded; only sharp polyhedra float.")
            skins.append(block.vertices[block.faces] - block.solid.mass.centre)
        self.bounds = np.cumsum([0] + [len(s) for s in skins]).astype(np.int64)
        self.corners = np.ascontiguousarray(np.concatenate(skins))
        self.level, self.density, self.gravity = forcing.water_level, forcing.water_density, gravity
        self.form, self.skin = 0.5 * self.density * forcing.form_drag, 0.5 * self.density * forcing.skin_drag

    def measure(self, columns: Columns, drag: bool = True) -> tuple[Floats, Floats, Floats]:
        """Displaced volume (n,) m3, its first moment about the centre of mass (n, 3) m4, wrench (n, 6)."""
        n = len(columns)
        volume, moment, wrench = np.empty(n), np.empty((n, 3)), np.empty((n, 6))
        turned = columns.rotation
        form, skin = (self.form, self.skin) if drag else (0.0, 0.0)

        def work(first: int, last: int) -> None:
            _kernels_water.under_water(
                first, last, self.bounds, self.corners, columns.centre, turned, columns.velocity, self.level,
                self.density * self.gravity, form, skin, volume, moment, wrench,
            )  # fmt: skip

        over_blocks(work, n, grain=200)
        return volume, moment, wrench

    def wrench(self, columns: Columns, step: float) -> Floats:
        """Buoyancy and drag (n, 6): N, then N m about the centre of mass, world axes; none on fixed blocks.

        Drag is what slows the block by the law v' = -k v^2 over the whole step, v / (1 + k v step): a light block in
        fast water is slowed, never thrown back.
        """
        still = self.measure(columns, drag=False)[2]
        drag = self.measure(columns)[2] - still
        velocity = columns.velocity
        lost = -np.sum(drag * velocity, axis=1)  # W; over twice the kinetic energy this is k v
        spin = np.einsum("nij,nj->ni", columns.world_inertia(columns.rotation), velocity[:, 3:])
        stored = columns.mass * np.sum(velocity[:, :3] ** 2, axis=1) + np.sum(spin * velocity[:, 3:], axis=1)
        hold = stored / np.maximum(stored + step * np.maximum(lost, 0.0), 1e-300)
        return np.where(columns.free[:, None], still + hold[:, None] * drag, 0.0)
