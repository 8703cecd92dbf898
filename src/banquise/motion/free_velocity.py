"""Free motion: what the forces do to floes that touch nothing over a step."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError
from banquise.forcing.flows import Field, Flow, Series, Uniform
from banquise.forcing.forcing import Forcing
from banquise.forcing.grid import Points
from banquise.motion._kernels import SCRATCH, free_motion
from banquise.motion._kernels_lanes import ROOM
from banquise.scene.bodies import Bodies
from banquise.threads import over_blocks

Array = NDArray[np.float64]
FARTHEST = 1e12  # m in a step (and m/s), as far as coordinates may be; beyond, squares overflow (NaN counts as beyond)
_NO_FLOW = np.zeros((1, 2, 1))
_own = threading.local()  # work space of each thread


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
    """What moves floes that touch nothing over a step, as `motion._kernels.free_motion` takes it."""

    coriolis: Array  # (1,) or (n,)
    gravity: Array  # (2,)
    euler: bool
    turn_c: float
    turn_s: float
    air_mode: int  # 0 no fluid, 1 uniform, 2 at the points
    relative: bool
    air_u: float
    air_v: float
    air_flow: Array  # (n, 2, 75)
    air_density: float
    air_drag: Array
    water_mode: int
    water_u: float
    water_v: float
    water_flow: Array
    water_density: float
    water_drag: Array
    pushes: Array  # (n, 3)


class Room(NamedTuple):
    """Work space of free motion, one a thread."""

    flows: Array  # (2, 2, points) of the frame of a floe
    scratch: Array
    lanes: Array

    @classmethod
    def of(cls, points: int) -> Room:
        return cls(np.zeros((2, 2, points)), np.zeros(SCRATCH), np.ones(ROOM))


def _room(points: int) -> Room:
    """That of this thread."""
    room: Room | None = getattr(_own, "room", None)
    if room is None or room.flows.shape[2] != points:
        room = _own.room = Room.of(points)
    return room


def flows_of(bodies: Bodies, forcing: Forcing, time: float, steps: Array, pushes: Array, euler: bool = False) -> Flows:
    """The forcing over a step: flows at `time` (its middle: then the scheme is second order), Coriolis, pushes (n, 3).

    Flows that vary in space are taken at the points where the floes will be in the middle of their steps (n,).
    """
    lead = 0.0 if euler else 0.5
    turn = math.radians(forcing.turning_angle)
    gravity = np.array(forcing.gravity[:2] if forcing.gravity else (0.0, 0.0))
    return Flows(
        forcing.coriolis_of(bodies), gravity, bool(euler), math.cos(turn), math.sin(turn),
        *_flow_at(forcing.wind, bodies, time, lead * steps, bool(forcing.relative_wind)), float(forcing.air_density),
        bodies.air_drag, *_without(_flow_at(forcing.current, bodies, time, lead * steps, False)),
        float(forcing.water_density), bodies.water_drag, pushes,
    )  # fmt: skip


def fly(bodies: Bodies, flows: Flows, steps: Array, rows: NDArray[np.int64], out: FreeMotion, time: float) -> None:
    """Free motion of some floes, each over its own step (n,), 0 for a floe that waits; into their rows of `out`."""
    b, f = bodies, flows
    points = b.points(f.air_mode == 2 or f.water_mode == 2)
    lost: list[int] = []

    def work(first: int, last: int) -> None:
        row = free_motion(
            first, last, rows, steps, f.coriolis, f.gravity, f.euler, f.turn_c, f.turn_s,
            b.cos, b.sin, b.u, b.v, b.spin, b.mass, b.inertia, b.area, b.extent,
            *points, b.moment_x, b.moment_y, b.spread,
            f.air_mode, f.relative, f.air_u, f.air_v, f.air_flow, f.air_density, f.air_drag,
            f.water_mode, f.water_u, f.water_v, f.water_flow, f.water_density, f.water_drag,
            f.pushes, FARTHEST, _room(points[0].shape[1]), out.velocity, out.displacement, out.force,
        )  # fmt: skip
        if row >= 0:
            lost.append(row)

    over_blocks(work, len(rows))
    if lost:
        raise ForcingError(
            f"floe {bodies.ids[min(lost)]}: the forces on it at t = {time:g} s give no sensible motion. Look at its loads, its "
            "mass and the flow there."
        )


def free_motion_of(
    bodies: Bodies,
    forcing: Forcing,
    time: float,
    steps: Array,
    pushes: Array,
    euler: bool = False,
    chosen: NDArray[np.int64] | None = None,
    out: FreeMotion | None = None,
) -> FreeMotion:
    """Free motion of all floes, each over its own step (n,), with the forcing at `time`; of some rows, into `out`."""
    n = bodies.n_free
    flows = flows_of(bodies, forcing, time, steps, pushes, euler)
    if out is None:
        out = FreeMotion(np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 2, 3)), pushes, flows.gravity)
    fly(bodies, flows, steps, np.arange(n) if chosen is None else chosen, out, time)
    return out


def _flow_at(
    flow: Flow, bodies: Bodies, time: float, lead: Array, relative: bool
) -> tuple[int, bool, float, float, Array]:
    """Mode, whether the floe's own velocity counts, u, v, flow at the points where they will be `lead` (n,) s from now."""
    if flow is None:
        return 0, relative, 0.0, 0.0, _NO_FLOW
    if isinstance(flow, Uniform | Series):
        u, v = flow.at(time)
        return 1, relative, float(u), float(v), _NO_FLOW
    points = Points.of_bodies(bodies, lead, None)
    if not isinstance(flow, Field):
        return 2, relative, 0.0, 0.0, flow.at_points(points, time)
    return 2, relative, 0.0, 0.0, np.stack(flow.sample(*points.positions(), time), axis=1)


def _without(flow: tuple[int, bool, float, float, Array]) -> tuple[int, float, float, Array]:
    return flow[0], flow[2], flow[3], flow[4]


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
