"""THE pipeline: a line a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.forcing.loads import pushes_on
from banquise.motion.free_velocity import FreeMotion, flows_of, free_motion_of
from banquise.update.positions import move, set_velocity

if TYPE_CHECKING:
    from banquise.simulation import Simulation


def free_step(sim: Simulation, step: float) -> None:
    """Floes that touch nothing: push, move, account."""
    b, n = sim.bodies, sim.bodies.n_free
    pushes = pushes_on(b, sim.forcing, sim.time, step)
    time, lead = sim.time + 0.5 * step, 0.0 if sim.euler else 0.5 * step
    flows = flows_of(b, sim.forcing, time, lead, pushes, sim.euler)
    out = FreeMotion(np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 2, 3)), pushes, flows.gravity)
    free = free_motion_of(b, flows, np.full(n, step), np.arange(n), out, time)
    sim.obstacle_motion.set_velocity(sim.bodies, sim.time, step)
    set_velocity(sim.bodies, free.velocity)
    move(sim.bodies, free.displacement)
    sim.obstacle_motion.place(sim.bodies, sim.time + step)
    sim.ledger.add(steps=1, **free.work(sim.bodies, free.displacement))
    sim.time += step
