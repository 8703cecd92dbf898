"""Restitution and friction from observed trajectories: least squares over short simulations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import CaseError, known_keywords
from banquise.forcing.forcing import Forcing
from banquise.recording.recorder import frame_of
from banquise.scene.scene import Scene
from banquise.settings import Contact, one_of
from banquise.simulation import Simulation

Array = NDArray[np.float64]

# name -> (least, largest) value tried; friction beyond 5 is stick in any impact
BOUNDS = {"restitution": (0.0, 1.0), "friction": (0.0, 5.0)}
COLUMNS = ("x", "y", "rotation")
STEP = 1e-5  # of a parameter's own scale, for differences: well above the 1e-12 to which meetings are located


@dataclass(frozen=True)
class Calibration:
    """Fitted values and their standard errors (inf where the trajectories say nothing of a parameter).

    `noise` is the standard deviation (m) of what is left over; `start` (floe, 6) the fitted x, y, rotation, u, v, spin.
    """

    values: dict[str, float]
    errors: dict[str, float]
    noise: float
    evaluations: int
    start: Array = field(repr=False)
    residuals: Array = field(repr=False)  # (time, floe, 3), m; rotations times the size of the floe

    def __str__(self) -> str:
        return ", ".join(f"{name} {self.values[name]:.4g} +- {self.errors[name]:.2g}" for name in self.values)


@known_keywords
def calibrate(
    observed: Any,
    scene: Scene,
    forcing: Forcing | None = None,
    contact: Contact | None = None,
    scheme: Any = None,
    parameters: Sequence[str] = ("restitution",),
    fit_start: bool = True,
) -> Calibration:
    """Fit restitution, friction or both so that a simulation of `scene` follows observed floes.

    Parameters
    ----------
    observed : xarray Dataset with x, y, rotation on (time, floe), or a mapping with `time` and those arrays; NaN where
        a floe was not seen. Rotation may be left out (discs without marks)
    scene : the floes at the first observed time, with about their motion then
    contact : where the fit starts, and the settings that are not fitted
    parameters : of "restitution" and "friction"
    fit_start : fit the pose and velocity of each floe at the first time too (they are observed with noise as well)
    """
    names = [one_of(name, tuple(BOUNDS), "calibrate: parameter") for name in parameters]
    times, seen = _observed(observed, len(scene.floes))
    base = contact if contact is not None else Contact()
    for name in names:
        if isinstance(getattr(base, name), dict):
            raise CaseError(f"calibrate: {name} is a table by material pair, expected a number to fit.")
    model = _Model(scene, forcing, base, scheme, names, times, seen)
    return model.fit(fit_start)


def _observed(observed: Any, floes: int) -> tuple[Array, Array]:
    """Times from zero, and (time, floe, 3) x, y, rotation."""
    try:
        times = np.asarray(observed["time"], dtype=float)
        columns = [np.asarray(observed[name], dtype=float) for name in COLUMNS[:2]]
    except KeyError as missing:
        raise CaseError(
            f"calibrate: the observed trajectories have no {missing}. Expected time, x, y, rotation."
        ) from None
    turned = (
        np.asarray(observed["rotation"], dtype=float) if "rotation" in observed else np.full(columns[0].shape, np.nan)
    )
    wanted = (len(times), floes)
    for name, column in zip(COLUMNS, (*columns, turned)):
        if column.shape != wanted:
            raise CaseError(f"calibrate: observed {name} has shape {column.shape}, expected (times, floes) = {wanted}.")
    if len(times) < 3 or np.any(np.diff(times) <= 0):
        raise CaseError(f"calibrate: {len(times)} observed times, expected at least three, increasing.")
    return times - times[0], np.stack([*columns, turned], axis=2)


class _Model:
    """Simulated trajectories as a function of one vector: the contact parameters, then the start of each floe."""

    def __init__(
        self, scene: Scene, forcing: Any, contact: Contact, scheme: Any, names: list[str], times: Array, seen: Array
    ):
        self.scene, self.forcing, self.contact, self.scheme = scene, forcing, contact, scheme
        self.names, self.times, self.seen = names, times, seen
        self.size = np.array([math.sqrt(floe.area) for floe in scene.floes])
        self.visible = np.isfinite(seen)
        self.evaluations = 0
        self.given = np.array([[*floe.centre, 0.0, *floe.velocity, floe.spin] for floe in scene.floes])

    def fit(self, fit_start: bool) -> Calibration:
        from scipy.optimize import least_squares

        first = np.array([float(getattr(self.contact, name)) for name in self.names])
        low, high = np.array([BOUNDS[name] for name in self.names]).T
        # the ends of the range have a one-sided slope only: begin inside
        first = np.clip(first, low + 0.02, high - 0.02)
        scale = np.ones(len(first))
        if fit_start:
            span = float(self.times[-1])
            metres = np.stack([self.size, self.size, np.ones_like(self.size)], axis=1)
            first = np.concatenate([first, np.zeros(self.given.size)])
            scale = np.concatenate([scale, np.hstack([metres, metres / span]).ravel()])
            low = np.concatenate([low, np.full(self.given.size, -np.inf)])
            high = np.concatenate([high, np.full(self.given.size, np.inf)])
        found = least_squares(
            self._left_over, first, self._slopes(scale, low, high), (low, high), x_scale=scale, xtol=1e-10, ftol=1e-12
        )
        return self._answer(found, scale)

    def _slopes(self, scale: Array, low: Array, high: Array) -> Any:
        """Central differences, of steps that are a part of each parameter's scale."""

        def slopes(p: Array) -> Array:
            columns = []
            for k in range(len(p)):
                up, down = p.copy(), p.copy()
                up[k] = min(p[k] + STEP * scale[k], high[k])
                down[k] = max(p[k] - STEP * scale[k], low[k])
                columns.append((self._left_over(up) - self._left_over(down)) / (up[k] - down[k]))
            return np.stack(columns, axis=1)

        return slopes

    def _start(self, p: Array) -> Array:
        extra = p[len(self.names) :]
        return self.given + extra.reshape(self.given.shape) if len(extra) else self.given

    def _trajectory(self, p: Array) -> Array:
        """(time, floe, 3) x, y, rotation at the observed times."""
        self.evaluations += 1
        values: dict[str, Any] = {name: float(value) for name, value in zip(self.names, p)}
        sim = Simulation(self.scene, self.forcing, replace(self.contact, **values), self.scheme)
        b, n = sim.bodies, sim.bodies.n_free
        start = self._start(p)[b.ids[:n]]
        b.x[:n], b.y[:n], b.angle[:n] = start[:, 0], start[:, 1], start[:, 2]
        b.cos[:n], b.sin[:n] = np.cos(start[:, 2]), np.sin(start[:, 2])
        b.u[:n], b.v[:n], b.spin[:n] = start[:, 3], start[:, 4], start[:, 5]
        frames = []
        for time in self.times:
            while sim.time < time * (1 - 1e-12):
                sim.scheme.advance(sim, time)
            frames.append(frame_of(b, sim.n_ids)[:3].T)
        return np.stack(frames)

    def _difference(self, p: Array) -> Array:
        out = self._trajectory(p) - self.seen
        out[:, :, 2] *= self.size  # rotations as the way of a point of the rim, so that all are metres
        return out

    def _left_over(self, p: Array) -> Array:
        return self._difference(p)[self.visible]

    def _answer(self, found: Any, scale: Array) -> Calibration:
        p, count = found.x, len(self.names)
        noise = math.sqrt(float(found.fun @ found.fun) / max(1, len(found.fun) - len(p)))
        _, strength, directions = np.linalg.svd(found.jac * scale, full_matrices=False)
        known = strength > 1e-9 * strength[0]
        spread = scale * np.sqrt(np.sum((directions[known] / strength[known, None]) ** 2, axis=0)) * noise
        blind = np.sum(directions[~known] ** 2, axis=0) > 1e-6  # the data say nothing of these
        spread[blind] = np.inf
        return Calibration(
            {name: float(p[k]) for k, name in enumerate(self.names)},
            {name: float(spread[k]) for k, name in enumerate(self.names[:count])},
            noise,
            self.evaluations,
            self._start(p),
            self._difference(p),
        )
