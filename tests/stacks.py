"""Stacks of cubes as contact problems in space, for tests."""

import numpy as np

from banquise.contact.spatial import SpatialProblem

GRAVITY, STEP = 9.81, 0.01


def cube_stack(height, friction=0.5, slope=0.0, heading=0.0):
    """Unit cubes of 1 kg on an inclined plane, four contacts a face; velocities after one step of gravity."""
    push = GRAVITY * STEP * np.array(
        [np.sin(slope) * np.cos(heading), np.sin(slope) * np.sin(heading), -np.cos(slope)]
    )  # fmt: skip
    bodies = height + 1
    inverse_mass, inverse_inertia = np.ones(bodies), np.tile(6.0 * np.eye(3), (bodies, 1, 1))
    inverse_mass[0], inverse_inertia[0] = 0.0, 0.0
    corners = np.array([(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    body_a = np.repeat(np.arange(height), 4)
    corner = np.tile(corners, (height, 1))
    velocity = np.zeros((bodies, 6))
    velocity[1:, :3] = push
    top = np.where(body_a > 0, 0.5, 0.0)
    return SpatialProblem(
        body_a=body_a, body_b=body_a + 1, inverse_mass=inverse_mass, inverse_inertia=inverse_inertia,
        normal=np.tile([0.0, 0.0, 1.0], (4 * height, 1)), lever_a=np.column_stack((corner, top)),
        lever_b=np.column_stack((corner, np.full(4 * height, -0.5))), gap_rate=np.zeros(4 * height),
        friction=np.full(4 * height, friction), free_velocity=velocity,
    )  # fmt: skip
