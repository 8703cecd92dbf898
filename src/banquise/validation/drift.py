"""Free drift, inertial circles, spin-down: closed answers of the floe model without contact."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator

from banquise.forcing.forcing import Forcing, Load
from banquise.scene.floe import Disc, Floe
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.simulation import Simulation
from banquise.validation import Row

# constants of the model as literals: a slip in `constants.py` must show here
AIR, WATER, ICE = 1.341 * 1.7e-3, 1024.071 * 5e-3, 917.0
NANSEN = math.sqrt(AIR / WATER)
_L_SHAPE = [[0, 0], [40, 0], [40, 30], [10, 30], [10, 10], [0, 10]]


def _end(floe: Floe, forcing: Forcing, until: float, step: float, integrator: str = "fitted") -> tuple[float, ...]:
    """x, y, angle, u, v, spin, and the ledger's balance at the end."""
    sim = Simulation(Scene([floe]), forcing, scheme=EventDriven(max_step=step), integrator=integrator)
    sim.run(until=until, every=until)
    b = sim.bodies
    state = (b.x[0], b.y[0], b.angle[0], b.u[0], b.v[0], b.spin[0])
    return (*map(float, state), sim.ledger.balance(b.kinetic_energy()))


def rows() -> Iterator[Row]:
    """All rows of the group."""
    yield Row("Nansen number", "drift", "printed constants", 0.0211, NANSEN, 5e-5)  # the print has four digits
    yield from _terminal()
    yield from _tanh()
    yield from _circle()
    yield from _spin_down()
    yield from _loads()


def _terminal() -> Iterator[Row]:
    u, v = _end(Floe(_L_SHAPE), Forcing(wind=(10, 0), current=(0.1, -0.2)), 4e5, 600.0)[3:5]
    yield Row("terminal drift u", "drift", "wind 10 m/s, current (0.1, -0.2)", NANSEN * 10 + 0.1, u, 1e-12)
    yield Row("terminal drift v", "drift", "wind 10 m/s, current (0.1, -0.2)", -0.2, v, 1e-12)
    # tau = V (k |V| + i m f)
    f = 2 * 7.292e-5 * math.sin(math.radians(81.0))
    tau, mf = AIR * 100.0, ICE * 2.0 * f
    speed = math.sqrt((math.sqrt(mf**4 + 4 * WATER**2 * tau**2) - mf**2) / (2 * WATER**2))
    expected = tau / (WATER * speed + 1j * mf)
    u, v = _end(Floe(_L_SHAPE, thickness=2.0), Forcing(wind=(10, 0), current=(0, 0), latitude=81), 8e5, 1800.0)[3:5]
    where = "wind 10 m/s, h = 2 m, 81 degrees north"
    yield Row("terminal drift with Coriolis, speed", "drift", where, abs(expected), math.hypot(u, v), 1e-12)
    yield Row("terminal drift with Coriolis, angle", "drift", where, cmath.phase(expected), math.atan2(v, u), 1e-11)
    u = _end(Floe(_L_SHAPE), Forcing(wind=(10, 0), current=(0, 0), relative_wind=True), 4e5, 600.0)[3]
    yield Row("terminal drift, relative wind", "drift", "wind 10 m/s", NANSEN * 10 / (1 + NANSEN), u, 1e-12)


def _tanh() -> Iterator[Row]:
    for h in (0.25, 1.0):
        k = NANSEN * 10.0
        expected = k * math.tanh(k * 600.0 * WATER / (ICE * h))
        u = _end(Floe(_L_SHAPE, thickness=h), Forcing(wind=(10, 0), current=(0, 0)), 600.0, 1.0)[3]
        # second order: a step of 1 s is at most 1/200 of the drag's time
        yield Row("start from rest (tanh)", "drift", f"wind 10 m/s, h = {h:g} m, at 600 s, step 1 s", expected, u, 1e-6)


def _circle() -> Iterator[Row]:
    f = 1.4e-4
    period, radius = 2 * math.pi / f, 0.5 / f
    floe = Floe(_L_SHAPE, velocity=(0.3, 0.4))
    x, y, _, u, v, _, balance = _end(floe, Forcing(coriolis=f), period, period / 50)
    start_x, start_y = floe.centre
    gap = math.hypot(x - start_x, y - start_y) / radius
    where = f"f = {f:g} 1/s, 50 steps a turn"
    yield Row("inertial circle closes", "drift", where + ", in radii", 0.0, gap, 1e-6)
    yield Row("inertial circle, speed", "energy", where, 0.5, math.hypot(u, v), 1e-14)
    yield Row("work of Coriolis", "energy", where + ", of the energy", 0.0, balance / (0.125 * floe.mass), 1e-13)


def _spin_down() -> Iterator[Row]:
    radius, spin, until = 25.0, 0.05, 900.0
    # dw/dt = -c w^2, c = rho_w C_w (2 pi / 5) R^5 / I and I = rho h pi R^4 / 2
    c = WATER * 4 * radius / (5 * ICE)
    got = _end(Disc((0, 0), radius, spin=spin), Forcing(current=(0, 0)), until, 1.0)[5]
    where = f"disc of {radius:g} m, {spin:g} rad/s, after {until:g} s"
    # points on |r|^3: a part in a thousand
    yield Row("spin-down in still water", "drift", where, spin / (1 + c * spin * until), got, 3e-3 * got)
    got = _end(Floe(_L_SHAPE), Forcing(wind=(7, 3), current=(1, -1)), 5000.0, 50.0)[5]
    yield Row("no torque in uniform flow", "symmetry", "an L, wind (7, 3), current (1, -1)", 0.0, got, 1e-15)


def _loads() -> Iterator[Row]:
    floe = Floe(_L_SHAPE)
    load = Load(0, force=(5e4, 0.0), start=1.3, stop=4.7)
    u = _end(floe, Forcing(loads=[load]), 20.0, 7.0)[3]
    where = "5e4 N from 1.3 to 4.7 s, steps of 7 s"
    yield Row("load lands on its instants", "momentum", where, 5e4 * 3.4, floe.mass * u, 1e-8)
