"""One step of blocks: half a drift, a kick by forces and contacts at mid-step, half a drift (Moreau's time stepping).

Drifts keep energy, so the ledger of a step is that of its kick: impulse times the mean of the velocities before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from banquise.blocks import contacts
from banquise.blocks.columns import turn
from banquise.blocks.contacts import Touching
from banquise.contact.spatial import SpatialProblem
from banquise.scene.meshes import Floats
from banquise.solvers import spatial

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

OVERLAP = 1e-5  # of the smaller block's size: overlaps deeper than this are pushed apart
PUSH_TO = 0.1  # of that tolerance: what is left after a push, so that contacts are not lost to rounding
MEET = 1e-6  # of a gap: rounding by which points of one face may differ
SMALL, FINE, COARSE = 200, 1e-9, 1e-4  # up to so many contacts islands are solved to FINE, else to COARSE


@dataclass(frozen=True)
class Forces:
    """Wrenches (n, 6) of one kick by origin: force, N, then torque about the centre, N m, world axes."""

    gravity: Floats
    water: Floats
    loads: Floats

    @property
    def total(self) -> Floats:
        return self.gravity + self.water + self.loads


def advance(sim: BlockSimulation, step: float) -> None:
    """Move the simulation on by `step` seconds."""
    columns = sim.columns
    if sim.fresh:  # bodies that meet at the very start would overlap by the middle of the first step
        columns.path_velocity(sim.time, 0.5 * step)
        kick(sim, 0.0, 0.5 * step)
        sim.fresh = False
    columns.drift(0.5 * step)
    middle = sim.time + 0.5 * step
    columns.follow(middle)
    kick(sim, step, max(step, sim.step), middle)
    columns.drift(0.5 * step)
    sim.time += step
    columns.follow(sim.time)
    sim.ledger.add(steps=1)


def kick(sim: BlockSimulation, step: float, ahead: float, time: float | None = None) -> None:
    """Velocities jump by `step` seconds of forces and by what contacts need to stay apart for `ahead` seconds."""
    columns = sim.columns
    touching = contacts.find(columns, columns.rotation, ahead, sim.strength, sim.memory)
    _push_apart(sim, touching)
    inverse_inertia = columns.world_inverse_inertia(columns.rotation)
    before = columns.velocity.copy()
    if time is not None:
        columns.path_velocity(time, ahead)
    free, forces = columns.velocity.copy(), None
    if step > 0.0:
        forces = sim.forces(step, time)
        total = forces.total
        free[:, :3] += step * columns.inverse_mass[:, None] * total[:, :3]
        free[:, 3:] += step * np.einsum("nij,nj->ni", inverse_inertia, total[:, 3:])
    found = _solve(sim, touching, inverse_inertia, before, free, ahead)
    columns.velocity[:] = found.velocity
    touching.impulse = found.forces
    sim.touching, sim.memory = touching, touching.memory()
    _account(sim, touching, forces, before, step)
    sim.ledger.add(
        residual=found.residual, unsolved=found.unsolved, islands=found.islands, largest_island=found.largest_island,
        max_overlap=touching.overlap, contacts=int(np.sum(found.impulses[:, 0] > 0.0)),
    )  # fmt: skip


def _solve(
    sim: BlockSimulation, touching: Touching, inverse_inertia: Floats, before: Floats, free: Floats, ahead: float
) -> spatial.SpatialSolution:
    """Newton's law of restitution where bodies would meet, and elsewhere: come no nearer than the gap."""
    columns = sim.columns
    kinds = columns.material[touching.body_a], columns.material[touching.body_b]
    approach = touching.along(before)
    # A fall of two steps is not told from rest: its rebound would be shorter than the step.
    # The points of a face meet together, whatever rounding makes of their gaps.
    meets = (approach < -2.0 * sim.strength * ahead) & (touching.gap + (1.0 + MEET) * ahead * approach < 0.0)
    open_rate = np.maximum(touching.gap, 0.0) / ahead
    problem = SpatialProblem(
        touching.body_a.astype(np.int32), touching.body_b.astype(np.int32),
        columns.inverse_mass, inverse_inertia, touching.normal, touching.lever_a,
        touching.lever_b, np.where(meets, sim.restitution[kinds] * approach, open_rate), sim.friction[kinds], free,
    )  # fmt: skip
    guess = np.einsum("kij,kj->ki", problem.frames(), touching.guess)
    tolerance = sim.contact.tolerance or (FINE if problem.contacts <= SMALL else COARSE)
    # Without a memory the sweeps start from nothing: a stack then needs about the square of its height of them.
    sweeps = sim.sweeps if len(sim.memory.pairs) else 10 * sim.sweeps
    return spatial.solve(problem, guess, tolerance, sweeps)


def _push_apart(sim: BlockSimulation, touching: Touching) -> None:
    """Displace blocks that overlap too deeply, without touching their velocities: no energy comes from an overlap."""
    columns = sim.columns
    size = np.minimum(columns.size[touching.body_a], columns.size[touching.body_b])
    if not len(size) or np.all(touching.gap >= -OVERLAP * size):
        return
    n = len(columns)
    problem = SpatialProblem(
        touching.body_a.astype(np.int32), touching.body_b.astype(np.int32),
        columns.inverse_mass, columns.world_inverse_inertia(columns.rotation),
        touching.normal, touching.lever_a, touching.lever_b, touching.gap + PUSH_TO * OVERLAP * size,
        np.zeros(len(size)), np.zeros((n, 6)),
    )  # fmt: skip
    shift = spatial.solve(problem, tolerance=0.01, sweeps=100).velocity
    columns.centre += shift[:, :3]
    before = columns.rotation
    columns.orientation[:] = turn(columns.orientation, shift[:, 3:])
    # The spin turns along: kept in the world it would change its energy with the axes of inertia.
    own = np.einsum("nji,nj->ni", before, columns.velocity[:, 3:])
    columns.velocity[:, 3:] = np.einsum("nij,nj->ni", columns.rotation, own)
    touching.gap += touching.along(shift)
    sim.ledger.add(projection=float(np.linalg.norm(shift[:, :3], axis=1).max()))


def _account(sim: BlockSimulation, touching: Touching, forces: Forces | None, before: Floats, step: float) -> None:
    """Work of the kick, by origin, and the impulses on fixed blocks."""
    columns = sim.columns
    mean = 0.5 * (before + columns.velocity)
    held = np.where(columns.free[:, None], 0.0, mean)
    sim.ledger.add(
        dissipated_contact=-float(np.sum(touching.impulse * touching.speed(mean))),
        work_obstacles=-float(np.sum(touching.impulse * touching.speed(held))),
    )
    if forces is not None:
        moving = step * np.where(columns.free[:, None], mean, 0.0)
        sim.ledger.add(
            work_gravity=float(np.sum(forces.gravity * moving)),
            work_current=float(np.sum(forces.water * moving)),
            work_loads=float(np.sum(forces.loads * moving)),
        )
    for body, lever, sign in ((touching.body_a, touching.lever_a, -1.0), (touching.body_b, touching.lever_b, 1.0)):
        rows = ~columns.free[body]
        push = sign * touching.impulse[rows]
        np.add.at(sim.on_fixed, body[rows], np.hstack([push, np.cross(lever[rows], push)]))
