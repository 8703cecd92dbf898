"""THE pipeline: a line a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import free_motion_of
from banquise.update.positions import move, set_velocity

if TYPE_CHECKING:
    from banquise.simulation import Simulation


def free_step(sim: Simulation, step: float) -> None:
    """Floes that touch nothing: push, move, account."""
    pushes = pushes_on(sim.bodies, sim.forcing, sim.time, step)
    free = free_motion_of(
        sim.bodies, sim.forcing, sim.time + 0.5 * step, np.full(sim.bodies.n_free, step), pushes, sim.euler
    )
    sim.obstacle_motion.set_velocity(sim.bodies, sim.time, step)
    set_velocity(sim.bodies, free.velocity)
    move(sim.bodies, free.displacement)
    sim.obstacle_motion.place(sim.bodies, sim.time + step)
    sim.ledger.add(steps=1, **free.work(sim.bodies, free.displacement))
    sim.time += step
