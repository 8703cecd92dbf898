"""Free motion: what the forces do to floes that touch nothing over a step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError
from banquise.forcing.flows import Field, Flow, Series, Uniform
from banquise.forcing.forcing import Forcing
from banquise.forcing.grid import Points
from banquise.motion._kernels import free_motion
from banquise.scene.bodies import Bodies
from banquise.threads import over_blocks

Array = NDArray[np.float64]
_FARTHEST = 1e12  # m in a step, as far as coordinates may be; beyond, squares overflow (NaN counts as beyond)
_NO_FLOW = np.zeros((1, 2, 1))


@dataclass(frozen=True)
class FreeMotion:
    """Velocity (n, 3) at the end of the step, displacement (n, 3) over it; forces (n, 2, 3) of wind and water."""

    velocity: Array
    displacement: Array
    force: Array
    pushes: Array
    gravity: Array  # (2,)

    def work(self, bodies: Bodies, displacement: Array) -> dict[str, float]:
        """Work of each force over the displacement (n, 3) that came about (J).

        Plain sums: a dot product is left to BLAS, whose own threads may change the last bits.
        """
        n = bodies.n_free
        fall = displacement[:, 0] * self.gravity[0] + displacement[:, 1] * self.gravity[1]
        return {
            "work_wind": float(np.sum(self.force[:, 0] * displacement)),
            "work_current": float(np.sum(self.force[:, 1] * displacement)),
            "work_gravity": float(np.sum(bodies.mass[:n] * fall)) if self.gravity.any() else 0.0,
            "work_loads": float(np.sum(self.pushes * displacement)),
        }


class Flows(NamedTuple):
    """What moves floes that touch nothing over a step: flows (uniform, or at the points of every floe), turn, pushes."""

    coriolis: Array
    gravity: Array  # (2,)
    euler: bool
    turn: float
    water_mode: int
    water_u: float
    water_v: float
    water_flow: Array
    water: Array
    air_mode: int
    relative: bool
    air_u: float
    air_v: float
    air_flow: Array
    air: Array
    pushes: Array  # (n, 3) loads and the user's own forces


def flows_of(bodies: Bodies, forcing: Forcing, time: float, lead: Any, pushes: Array, euler: bool = False) -> Flows:
    """The forcing at `time` (the middle of the step: then the scheme is second order).

    Flows that vary in space are taken at the points where they will be after `lead` seconds of steady motion.
    """
    n = bodies.n_free
    water_mode, water_u, water_v, water_flow = _flow_at(forcing.current, bodies, time, lead)
    air_mode, air_u, air_v, air_flow = _flow_at(forcing.wind, bodies, time, lead)
    water = forcing.water_density * bodies.water_drag[:n] * (water_mode > 0)
    air = forcing.air_density * bodies.air_drag[:n] * (air_mode > 0)
    gravity = np.array(forcing.gravity[:2] if forcing.gravity else (0.0, 0.0))
    return Flows(
        forcing.coriolis_of(bodies), gravity, euler, math.radians(forcing.turning_angle),
        water_mode, float(water_u), float(water_v), water_flow, water,
        air_mode, bool(forcing.relative_wind), float(air_u), float(air_v), air_flow, air, pushes,
    )  # fmt: skip


def free_motion_of(
    bodies: Bodies, flows: Flows, steps: Array, rows: NDArray[np.int64], out: FreeMotion, time: float
) -> FreeMotion:
    """Free motion of some floes, each over its own step (n,), 0 for a floe that waits; written into their rows of `out`."""
    n, b, f = bodies.n_free, bodies, flows

    def work(first: int, last: int) -> None:
        free_motion(
            first, last, rows, steps, f.coriolis, f.gravity, f.euler, f.turn,
            b.cos, b.sin, b.u, b.v, b.spin, b.mass, b.inertia, b.area, b.extent,
            b.qx, b.qy, b.qw, b.moment_x, b.moment_y,
            f.water_mode, f.water_u, f.water_v, f.water_flow, f.water,
            f.air_mode, f.relative, f.air_u, f.air_v, f.air_flow, f.air,
            f.pushes, out.velocity, out.displacement, out.force,
        )  # fmt: skip

    over_blocks(work, len(rows))
    if len(rows) < n:
        return out
    sane = (np.abs(out.displacement) < _FARTHEST).all(axis=1) & np.isfinite(out.velocity).all(axis=1)
    if not sane.all():
        lost = int(bodies.ids[:n][~sane][0])
        raise ForcingError(
            f"floe {lost}: the forces on it at t = {time:g} s give no sensible motion. Look at its loads, its mass and the "
            "flow there; a run with an output file keeps its records up to here."
        )
    return out


def _flow_at(flow: Flow, bodies: Bodies, time: float, lead: Any) -> tuple[int, float, float, Array]:
    """(mode, u, v, flow at the points): 0 no fluid, 1 uniform, 2 at the points where they will be `lead` s from now."""
    if flow is None:
        return 0, 0.0, 0.0, _NO_FLOW
    if isinstance(flow, Uniform | Series):
        u, v = flow.at(time)
        return 1, u, v, _NO_FLOW
    if not isinstance(flow, Field):
        return 2, 0.0, 0.0, flow.at_points(Points.of_bodies(bodies, lead), time)
    x, y = quadrature_positions(bodies, lead)
    return 2, 0.0, 0.0, np.stack(flow.sample(x, y, time), axis=1)


def quadrature_positions(bodies: Bodies, lead: Any = 0.0) -> tuple[Array, Array]:
    """Quadrature points (n, 75) in the map frame, moved on by `lead` seconds ((n, 1) or a number) of steady motion."""
    b, n = bodies, bodies.n_free
    turn = b.spin[:n, None] * lead
    ch, sh = np.cos(turn), np.sin(turn)
    c, s = b.cos[:n, None] * ch - b.sin[:n, None] * sh, b.sin[:n, None] * ch + b.cos[:n, None] * sh
    x = b.x[:n, None] + lead * b.u[:n, None] + c * b.qx - s * b.qy
    y = b.y[:n, None] + lead * b.v[:n, None] + s * b.qx + c * b.qy
    return x, y


def euler_bound(bodies: Bodies, forcing: Forcing, time: float) -> float:
    """Largest stable step of explicit Euler (s), the papers' two bounds with rho h for their rho; inf without drag.

    With k = rho_w C_w / (rho h) and N the Nansen number: 1 / (2 k N |U_a|), and 2 K / L with K = |N U_a + U_w|,
    L = k (N^2 U_a^2 + (N U_a + 2 U_w)^2). Two things the papers leave open: where wind and water oppose each other K
    goes to zero though nothing is unstable, so the second bound is at least 1 / (2 k (N |U_a| + 2 |U_w|)); and both
    suppose a floe that starts from rest, so the speed |V - U_w| it has now is held to the same 1 / (2 k |V - U_w|).
    """
    n = bodies.n_free
    if n == 0 or forcing.current is None:
        return math.inf
    rate = forcing.water_density * bodies.water_drag[:n] * bodies.area[:n] / bodies.mass[:n]
    air = forcing.air_density * bodies.air_drag[:n] / np.maximum(forcing.water_density * bodies.water_drag[:n], 1e-300)
    nansen = np.sqrt(air)
    wind = _largest(forcing.wind, bodies, time)
    water = _largest(forcing.current, bodies, time)
    u_a, u_w = math.hypot(*wind), math.hypot(*water)
    drift = np.hypot(nansen * wind[0] + water[0], nansen * wind[1] + water[1])
    relative = np.hypot(bodies.u[:n] - water[0], bodies.v[:n] - water[1]) + np.abs(bodies.spin[:n]) * bodies.extent[:n]
    with np.errstate(divide="ignore", invalid="ignore"):
        first = 1 / (2 * rate * nansen * u_a)
        second = 2 * drift / (rate * (nansen**2 * u_a**2 + (nansen * u_a + 2 * u_w) ** 2))
        second = np.maximum(second, 1 / (2 * rate * (nansen * u_a + 2 * u_w)))
        third = 1 / (2 * rate * relative)
    bounds = np.stack([first, second, third])
    return float(np.where(np.isfinite(bounds), bounds, math.inf).min())


def _largest(flow: Flow, bodies: Bodies, time: float) -> tuple[float, float]:
    """The flow where it is strongest over the floes."""
    if flow is None:
        return 0.0, 0.0
    if isinstance(flow, Uniform | Series):
        return flow.at(time)
    n = bodies.n_free
    u, v = flow.sample(bodies.x[:n], bodies.y[:n], time)
    k = int(np.argmax(u * u + v * v))
    return float(u[k]), float(v[k])
