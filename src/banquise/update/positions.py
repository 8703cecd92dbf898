"""The only place that moves a body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.given import ask_numbers, jump_of
from banquise.scene.bodies import Bodies
from banquise.scene.floe import Obstacle

Array = NDArray[np.float64]
FAR = 0.25  # in a step, of an obstacle's size or in radians: beyond, its path is looked at for a jump


def set_velocity(bodies: Bodies, velocity: Array) -> None:
    """Give the floes new velocities (n, 3): u, v, spin."""
    n = bodies.n_free
    bodies.u[:n], bodies.v[:n], bodies.spin[:n] = velocity[:, 0], velocity[:, 1], velocity[:, 2]


def move(bodies: Bodies, displacement: Array) -> None:
    """Move the floes by (n, 3): x, y, angle."""
    n = bodies.n_free
    bodies.x[:n] += displacement[:, 0]
    bodies.y[:n] += displacement[:, 1]
    turn(bodies, slice(0, n), bodies.angle[:n] + displacement[:, 2])


def turn(bodies: Bodies, rows: Any, angle: Array) -> None:
    """Set the angle of some rows and the cosine and sine that go with it."""
    bodies.angle[rows] = angle
    bodies.cos[rows] = np.cos(angle)
    bodies.sin[rows] = np.sin(angle)


class ObstacleMotion:
    """Where each obstacle is at any time, and the velocity over a step that takes it there exactly."""

    def __init__(self, obstacles: Sequence[Obstacle]):
        self.obstacles = tuple(obstacles)
        self.start = np.array([o.centre for o in obstacles]).reshape(len(obstacles), 2)
        self.steady = np.array([(*o.velocity, o.spin) for o in obstacles]).reshape(len(obstacles), 3)
        self.paths = [k for k, o in enumerate(obstacles) if o.path is not None]
        self.still = not self.paths and not self.steady.any()

    def pose(self, time: float) -> Array:
        """(k, 3) x, y, angle."""
        pose = np.column_stack([self.start, np.zeros(len(self.start))]) + time * self.steady
        for k in self.paths:
            path = self.obstacles[k].path
            assert path is not None
            pose[k] = ask_numbers(
                path, time, what=f"obstacle {k}: its path at t = {time:g} s", gives="x, y of its centre (m), angle (rad)",
                shape=(3,), spread=False, error=ShapeError,
            )  # fmt: skip
            if not np.isfinite(pose[k]).all():
                raise ShapeError(
                    f"obstacle {k}: its path at t = {time:g} s is {pose[k].tolist()}, expected finite numbers."
                )
        return pose

    def set_velocity(self, bodies: Bodies, time: float, step: float) -> None:
        """Velocities that carry the obstacles from their pose at `time` to the one at `time + step`."""
        if self.still or not len(self.start):
            return
        n = bodies.n_free
        if self.paths:
            now = np.column_stack([bodies.x[n:], bodies.y[n:], bodies.angle[n:]])
            then = self.pose(time + step)
            self._check_jumps(now, then, time, step)
            velocity = (then - now) / step
        else:
            velocity = self.steady
        bodies.u[n:], bodies.v[n:], bodies.spin[n:] = velocity.T

    def _check_jumps(self, now: Array, then: Array, time: float, step: float) -> None:
        """A path that goes far in a step is looked at between: one that jumps would sweep through what lies on the way."""
        for k in self.paths:
            size = float(np.sqrt(self.obstacles[k].area))
            scale = np.array([size, size, 1.0])
            if np.abs((then[k] - now[k]) / scale).max() > FAR:
                at = jump_of(self._scaled(k, scale), time, time + step, FAR)
                if at is not None:
                    raise ShapeError(
                        f"obstacle {k}: its path jumps at t = {at:.6g} s, from {now[k].tolist()} to {then[k].tolist()} within "
                        f"{step:.3g} s. Expected x, y (m) and angle (rad) that change without a jump (angles go on past 2 pi)."
                    )

    def _scaled(self, k: int, scale: Array) -> Callable[[float], Array]:
        return lambda time: np.asarray(self.pose(time)[k] / scale)

    def place(self, bodies: Bodies, time: float) -> None:
        """Put the obstacles where they are at `time`."""
        if self.still or not len(self.start):
            return
        n = bodies.n_free
        pose = self.pose(time)
        bodies.x[n:], bodies.y[n:] = pose[:, 0], pose[:, 1]
        turn(bodies, slice(n, len(bodies)), pose[:, 2])
