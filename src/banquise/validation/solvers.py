"""Contact problems with answers known in closed form, given straight to the solvers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from banquise.validation import Row

ROUND_OFF = 1e-12  # small problems are solved to round-off


def rows() -> Iterator[Row]:
    """All rows of the group."""
    yield from complementarity()
    yield from disc_on_wall()
    yield from block_on_slope()


def complementarity() -> Iterator[Row]:
    """Murty's matrix, on which pivoting can walk through 2^n bases, and a problem without solution."""
    from banquise.solvers import lcp

    n = 16
    M = np.eye(n) + 2 * np.tril(np.ones((n, n)), -1)
    z = lcp.solve(M, -np.ones(n)).z
    yield Row("Murty's problem", "complementarity", "n = 16, q = -1: z = (1, 0, ...)", 1.0, float(z[0]), ROUND_OFF)
    yield Row("Murty's problem", "complementarity", "the other z", 0.0, float(z[1:].max()), ROUND_OFF)
    none = lcp.solve([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])
    proof = np.nan if none.ray is None else float(np.sum(-none.ray) / none.ray.max())
    yield Row("no solution", "complementarity", "q.v of the proof v, v scaled to 1", -2.0, proof, ROUND_OFF)


def disc_on_wall() -> Iterator[Row]:
    """A unit disc (I = m/2) meets a wall at speed 1 with sliding speed s: sticks when s / 3 <= mu, else slips."""
    from banquise.contact.problem import ContactProblem
    from banquise.solvers import frictional

    mu = 0.5
    for slide in (0.6, 3.0):
        problem = ContactProblem(
            body_a=np.array([0], np.int32), body_b=np.array([1], np.int32), inverse_mass=np.array([1.0, 0.0]),
            inverse_inertia=np.array([2.0, 0.0]), normal=np.array([[0.0, -1.0]]), lever_a=np.array([[0.0, -1.0]]),
            lever_b=np.zeros((1, 2)), gap_rate=np.zeros(1), friction=np.array([mu]), restitution=np.zeros(1),
            free_velocity=np.array([[slide, -1.0, 0.0], [0.0, 0.0, 0.0]]),
        )  # fmt: skip
        answer = frictional.solve(problem)
        rub = min(slide / 3, mu)
        yield Row(
            "oblique impact", "Coulomb", f"s = {slide}, mu = {mu}: J_t", rub, float(answer.impulses[0, 1]), ROUND_OFF
        )
        # The wall holds the disc back by J_t, at one radius from the centre.
        yield Row(
            "oblique impact", "Coulomb", "speed along the wall", slide - rub, float(answer.velocity[0, 0]), ROUND_OFF
        )


def block_on_slope() -> Iterator[Row]:
    """A unit cube on four corners, one step of gravity down a slope that does not run along a tangent of the contacts."""
    from banquise.contact.spatial import SpatialProblem
    from banquise.solvers import spatial

    mu, push, heading = 0.5, 0.0981, 0.7
    corners = np.array([(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    for slope in (0.3, 0.6):
        velocity = np.zeros((2, 6))
        velocity[1, :3] = push * np.array(
            [np.sin(slope) * np.cos(heading), np.sin(slope) * np.sin(heading), -np.cos(slope)]
        )
        answer = spatial.solve(
            SpatialProblem(
                body_a=np.zeros(4, np.int32),
                body_b=np.ones(4, np.int32),
                inverse_mass=np.array([0.0, 1.0]),
                inverse_inertia=np.stack((np.zeros((3, 3)), 6 * np.eye(3))),
                normal=np.tile([0.0, 0.0, 1.0], (4, 1)),
                lever_a=corners + np.array([0.0, 0.0, 0.5]),
                lever_b=corners,
                gap_rate=np.zeros(4),
                friction=np.full(4, mu),
                free_velocity=velocity,
            )
        )
        slide = push * max(0.0, np.sin(slope) - mu * np.cos(slope))
        got = float(answer.velocity[1, :2] @ [np.cos(heading), np.sin(heading)])
        # 1e-9 of the push is the tolerance of islands in space
        yield Row("block on a slope", "Coulomb", f"slope {slope} rad, mu = {mu}: speed", slide, got, 2e-9 * push)
