"""Loads and the user's own forces, as one push (n, 3) a floe over a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError, in_short
from banquise.forcing.forcing import Forcing
from banquise.given import ask, floats, place_of
from banquise.scene.bodies import Bodies

Array = NDArray[np.float64]


class State:
    """What a user's own force or callback sees: the time and the floes' columns, one entry a floe id.

    Attributes: time (s); x, y (m), rotation (rad), u, v (m/s), spin (rad/s), mass (kg), inertia (kg m2), area (m2).
    A force sees the places the floes will have in the middle of the step (`lead` seconds on), so that one that depends
    on place and time is second order; the velocities are those at its start.
    """

    ids: NDArray[np.int64]
    x: Array
    y: Array
    u: Array
    v: Array
    spin: Array
    mass: Array
    inertia: Array
    area: Array

    def __init__(self, bodies: Bodies, time: float, lead: float = 0.0):
        self.time = time
        n = bodies.n_free
        order = np.argsort(bodies.ids[:n])
        self.ids = bodies.ids[:n][order]
        for name in ("x", "y", "u", "v", "spin", "mass", "inertia", "area"):
            setattr(self, name, getattr(bodies, name)[:n][order])
        self.rotation = bodies.angle[:n][order]
        if lead:
            self.x, self.y = self.x + lead * self.u, self.y + lead * self.v
            self.rotation = self.rotation + lead * self.spin
        self._rows = order


def asked_force(
    force: Callable[[Any], Any], k: int, state: Any, time: float, shape: tuple[int, int], columns: str
) -> Array:
    """What the user's force number k gives for a state, of the shape there must be; not looked at for NaN."""
    at, gives = f"forces[{k}] at t = {time:g} s", f"{shape}: {columns}"
    given = ask(force, state, what=at, gives=gives, error=ForcingError)
    try:
        found = floats(given)
    except (TypeError, ValueError, OverflowError):
        raise ForcingError(
            f"{at} gave no array of numbers: {in_short(given)} ({place_of(force)}). Expected {gives}."
        ) from None
    if found.shape != shape:
        raise ForcingError(f"forces[{k}] returned shape {found.shape}, expected {gives} ({place_of(force)}).")
    return found


def pushes_on(bodies: Bodies, forcing: Forcing, time: float, step: float) -> Array:
    """Force x, y (N) and torque (N m) on each floe row, taken at the middle of the step from `time`."""
    n = bodies.n_free
    pushes = np.zeros((n, 3))
    if not forcing.loads and not forcing.forces:
        return pushes
    middle = time + 0.5 * step
    if forcing.loads:
        row_of = np.full(bodies.ids[:n].max() + 1 if n else 0, -1)
        row_of[bodies.ids[:n]] = np.arange(n)
        for load in forcing.loads:
            row = row_of[load.floe] if load.floe < len(row_of) else -1
            if not load.start <= middle < load.stop or row < 0:
                continue
            pushes[row, :2] += load.force
            pushes[row, 2] += load.torque
            if load.point is not None:
                turn = bodies.angle[row] + 0.5 * step * bodies.spin[row]
                c, s = np.cos(turn), np.sin(turn)
                px, py = c * load.point[0] - s * load.point[1], s * load.point[0] + c * load.point[1]
                pushes[row, 2] += px * load.force[1] - py * load.force[0]
    if forcing.forces:
        state = State(bodies, middle, lead=0.5 * step)
        for k, force in enumerate(forcing.forces):
            given = asked_force(force, k, state, middle, (n, 3), "force x, y, torque")
            if not np.isfinite(given).all():
                bad = int(state.ids[np.argmin(np.isfinite(given).all(axis=1))])
                raise ForcingError(f"forces[{k}] at t = {middle:g} s is not finite on floe {bad}. Expected N and N m.")
            pushes[state._rows] += given
    return pushes
