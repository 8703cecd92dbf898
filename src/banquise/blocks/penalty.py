"""Penalty law: springs and dashpots where blocks overlap, the stiffness of a pair shared by its points; explicit steps.

A block of weight P rests P / stiffness deep whatever the number of its points, and the step is stable below
2 sqrt(m / k). Along the face a spring takes up the slip since the point first touched, as far as friction lets it
(Cundall and Strack).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.blocks import step as stepping
from banquise.blocks.contacts import Touching
from banquise.blocks.schemes import Penalty
from banquise.scene.meshes import Floats

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation


def advance(sim: BlockSimulation, step: float, law: Penalty) -> None:
    """Half a flight, the kick of forces and springs, half a flight."""
    columns = sim.columns
    columns.drift(0.5 * step)
    middle = sim.time + 0.5 * step
    columns.follow(middle)
    columns.path_velocity(middle, step)
    touching = sim.find(0.0)
    touching = touching.only(touching.gap < 0.0)
    before = columns.velocity.copy()
    touching.impulse = _springs(sim, touching, step, law)
    forces = sim.forces(step, middle)
    inverse_root = columns.world_inverse_root(columns.rotation)
    change = columns.response(touching, touching.impulse, inverse_root)
    total = forces.total
    change[:, :3] += step * columns.inverse_mass[:, None] * total[:, :3]
    change[:, 3:] += step * np.einsum("nij,nkj,nk->ni", inverse_root, inverse_root, total[:, 3:])
    columns.velocity += change
    sim.touching, sim.memory = touching, touching.memory()
    stepping.account(sim, touching, forces, before, step)
    sim.ledger.add(max_overlap=touching.overlap, contacts=len(touching.gap))
    columns.drift(0.5 * step)
    sim.time += step
    columns.follow(sim.time)


def _springs(sim: BlockSimulation, touching: Touching, step: float, law: Penalty) -> Floats:
    """Impulses (m, 3) on b over the step."""
    columns, a, b = sim.columns, touching.body_a, touching.body_b
    count = np.diff(touching.start)
    share = 1.0 / np.repeat(count, count)
    mass = 1.0 / np.maximum(columns.inverse_mass[a] + columns.inverse_mass[b], 1e-300)
    normal, speed = touching.normal, touching.speed(columns.velocity)
    opening = np.einsum("ki,ki->k", speed, normal)
    damping = 2.0 * law.damping * np.sqrt(law.stiffness * mass)
    push = np.maximum(0.0, share * (-law.stiffness * touching.gap - damping * opening))
    # the spring along the face: what memory holds of it, turned into this face, and the slip of this step
    kept = touching.guess / step
    kept -= np.einsum("ki,ki->k", kept, normal)[:, None] * normal
    slip = speed - opening[:, None] * normal
    along = kept - (law.tangential * law.stiffness * step * share)[:, None] * slip
    most = sim.friction[columns.material[a], columns.material[b]] * push
    size = np.linalg.norm(along, axis=1)
    along *= np.where(size > most, most / np.maximum(size, 1e-300), 1.0)[:, None]
    found: Floats = step * (push[:, None] * normal + along)
    return found
