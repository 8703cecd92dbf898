"""Classical impacts, slides and bounces with known answers (closed forms; this module solves no contact problem)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from banquise.forcing.forcing import Forcing, Load
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.settings import Contact
from banquise.simulation import Simulation
from banquise.validation import Row

# Relative to the speeds and impulses involved: what a few dozen operations in double precision leave.
EXACT = 1e-9
GROUND = [[-50.0, -5.0], [50.0, -5.0], [50.0, 0.0], [-50.0, 0.0]]
GRAVITY = 9.81
Maker = Callable[..., Any]  # of a scheme, from its longest step


def event_driven(step: float, **options: Any) -> Any:
    """The scheme of the rows; `validation.stepping` takes another."""
    return EventDriven(max_step=step, **options)


def _after(
    floes: Sequence[Floe], until: float, contact: Contact, scheme: Any, obstacles: Any = (), forcing: Any = None
) -> Any:
    sim = Simulation(Scene(floes, obstacles), forcing, contact, scheme)
    return sim.run(until=until, every=until)


def _unit_disc(x: float, y: float, mass: float = 1.0, **options: Any) -> Disc:
    """A disc of radius 1 m and the given mass."""
    return Disc((x, y), 1.0, thickness=1.0, density=mass / math.pi, **options)


def rows(scheme: Maker = event_driven) -> Iterator[Row]:
    """All impact rows."""
    yield from cradle(scheme)
    yield from bernoulli(scheme)
    yield from sliding_box(scheme)
    yield from bouncing_disc(scheme)
    yield from cannon(scheme)
    yield from oblique(scheme)
    yield from offset_squares(scheme)
    yield from wood_discs(scheme)


def cradle(scheme: Maker) -> Iterator[Row]:
    expected = {"simultaneous": (-1 / 3, 2 / 3, 2 / 3), "sequential": (0.0, 0.0, 1.0)}
    for order, speeds in expected.items():
        for law in ("poisson", "newton"):
            floes = [_unit_disc(0, 0, velocity=(1, 0)), _unit_disc(5, 0), _unit_disc(7, 0)]
            run = _after(floes, 5.0, Contact(friction=0.0, restitution=1.0, order=order, law=law), scheme(1.0))
            for k in range(3):
                yield Row(
                    "Newton's cradle",
                    "coherence in time",
                    f"{order}, {law}, disc {k}",
                    speeds[k],
                    float(run.dataset.u[-1, k]),
                    EXACT,
                )


def bernoulli(scheme: Maker) -> Iterator[Row]:
    for degrees, epsilon in ((45.0, 1.0), (45.0, 0.3), (40.0, 0.5), (60.0, 1.0), (75.0, 0.0)):
        theta = math.radians(degrees)
        c, s = math.cos(theta), math.sin(theta)
        # the two wait where the first touches both at once; the first comes from 3 m away
        floes = [_unit_disc(-3, 0, velocity=(1, 0)), _unit_disc(2 * c, 2 * s), _unit_disc(2 * c, -2 * s)]
        run = _after(floes, 4.0, Contact(friction=0.0, restitution=epsilon), scheme(1.0))
        yield from bernoulli_rows(run, c, epsilon, f"theta {degrees:g} deg, epsilon {epsilon:g}")


def bernoulli_rows(run: Any, c: float, epsilon: float, where: str) -> list[Row]:
    """What one disc at 1 m/s gives two alike at an angle of cosine c to either side of its way, by momentum and restitution."""
    p = (1 + epsilon) * c / (1 + 2 * c * c)
    u, v = run.dataset.u.values[-1], run.dataset.v.values[-1]
    return [
        Row("Bernoulli", "momentum", where + ", first disc", 1 - 2 * p * c, float(u[0]), EXACT),
        Row("Bernoulli", "momentum", where + ", upper disc", p, math.hypot(u[1], v[1]), EXACT),
        Row("Bernoulli", "symmetry", where, 0.0, float(abs(u[1] - u[2]) + abs(v[1] + v[2]) + abs(v[0])), 1e-14),
    ]


def sliding_box(scheme: Maker) -> Iterator[Row]:
    """1 kg, 1 m box on a line, pushed with 1 N from 1 s to 5 s; the one that slides longest stops at 9.2 s."""
    for mu in (0.05, 0.09, 0.11, 0.3):
        box = Floe([[0, 0], [1, 0], [1, 1], [0, 1]], density=1.0)
        run = Simulation(
            Scene([box], [Obstacle(GROUND)]),
            Forcing(gravity=(0, -GRAVITY), loads=[Load(0, (1.0, 0.0), start=1.0, stop=5.0)]),
            Contact(friction=mu, restitution=0.0),
            scheme(0.5),
        ).run(until=10.0, every=0.5)
        speed = run.dataset.u.sel(time=5.0).item()
        pushed = max(0.0, 1 - GRAVITY * mu) * 4.0
        way = 0.5 * pushed * 4.0 + pushed**2 / (2 * GRAVITY * mu)
        yield Row("sliding box", "Coulomb", f"mu {mu:g}, speed after the push", pushed, speed, EXACT)
        # stopping within a step is located to first order in that step, here the step of the records
        yield Row(
            "sliding box",
            "Coulomb",
            f"mu {mu:g}, way to rest",
            way,
            float(run.dataset.x[-1, 0] - run.dataset.x[0, 0]),
            0.15 * pushed + EXACT,
        )
        yield Row(
            "sliding box", "Coulomb", f"mu {mu:g}, at rest in the end", 0.0, abs(float(run.dataset.u[-1, 0])), EXACT
        )


def bouncing_disc(scheme: Maker) -> Iterator[Row]:
    for epsilon, height in ((0.6, 1.0), (0.35, 2.0), (0.9, 0.5)):
        disc = _unit_disc(0, 1 + height)
        first = math.sqrt(2 * height / GRAVITY)
        rest = first * (1 + epsilon) / (1 - epsilon)
        sim = Simulation(
            Scene([disc], [Obstacle(GROUND)]),
            Forcing(gravity=(0, -GRAVITY)),
            Contact(friction=0.0, restitution=epsilon),
            scheme(0.5, min_step=1e-10),
        )
        run = sim.run(until=1.5 * rest, every=1.5 * rest)
        where = f"epsilon {epsilon:g}, H {height:g} m"
        times = run.events["time"].to_numpy()
        at, speed = first, math.sqrt(2 * GRAVITY * height)
        for n in range(1, 4):
            speed *= epsilon
            # two bounces n and n + 1 are a flight of 2 v / g apart: its apex is v^2 / 2 g
            apex = (0.5 * (times[n] - times[n - 1]) * GRAVITY) ** 2 / (2 * GRAVITY)
            yield Row("bouncing disc", "energy", f"{where}, apex {n}", epsilon ** (2 * n) * height, float(apex), EXACT)
            at += 2 * speed / GRAVITY
        # flights lower than 1e-10 of the size are not followed: those left over last this long together
        blur = math.sqrt(8 * 1e-10 * math.sqrt(math.pi) / GRAVITY) * 2 / (1 - epsilon)
        yield Row("bouncing disc", "accumulation", f"{where}, time of rest", rest, float(times[-1]), blur)
        yield Row(
            "bouncing disc",
            "accumulation",
            f"{where}, at rest in the end",
            0.0,
            abs(float(run.dataset.v[-1, 0])),
            EXACT,
        )
        yield Row(
            "bouncing disc",
            "energy",
            f"{where}, balance of the ledger over m g H",
            0.0,
            float(run.ledger.balance[-1]) / (GRAVITY * height),
            EXACT,
        )


def cannon(scheme: Maker) -> Iterator[Row]:
    """A light disc just above a heavy one, both falling onto the ground, epsilon 1."""
    for heavy, light in ((10.0, 1.0), (3.0, 1.0), (100.0, 0.5)):
        speed = 2.0
        for gap, expected, kind in (
            (0.05, speed * (3 * heavy - light) / (heavy + light), "one by one"),
            (0.0, speed, "at once"),
        ):
            floes = [_unit_disc(0, 2, heavy, velocity=(0, -speed)), _unit_disc(0, 4 + gap, light, velocity=(0, -speed))]
            run = _after(floes, 1.0, Contact(friction=0.0, restitution=1.0), scheme(1.0), [Obstacle(GROUND)])
            where = f"M {heavy:g}, m {light:g}, {kind}"
            yield Row(
                "Newton's cannon", "coherence in time", where, expected, float(run.dataset.v[-1, 1]), EXACT * speed
            )


def oblique(scheme: Maker) -> Iterator[Row]:
    """A disc with spin on a wall: m = 1, I = 1/2, radius 1. Compression then decompression, stick or slip in each."""
    for mu, epsilon, u0, w0 in (
        (0.1, 0.0, 1.0, 0.0),
        (0.7, 0.0, 0.2, 0.3),
        (0.2, 0.5, 2.0, -1.0),
        (0.8, 0.5, 0.3, 0.1),
        (0.0, 0.9, 1.0, 1.0),
    ):
        v0 = -1.0
        disc = _unit_disc(0, 2, velocity=(u0, v0), spin=w0)
        run = _after([disc], 2.0, Contact(friction=mu, restitution=epsilon), scheme(1.0), [Obstacle(GROUND)])
        slide = u0 + w0  # speed of the lowest point: u + w R with y = -R gives u + w
        sticking = -slide / 3  # impulse that stops it: 1 / m + R^2 / I = 3
        along = float(np.clip(sticking, -mu * abs(v0), mu * abs(v0)))
        rest = slide + 3 * along
        more = float(np.clip(-rest / 3, -mu * epsilon * abs(v0), mu * epsilon * abs(v0)))
        total = along + more
        where = f"mu {mu:g}, epsilon {epsilon:g}, u {u0:g}, spin {w0:g}"
        yield Row("oblique impact", "Coulomb", where + ", u", u0 + total, float(run.dataset.u[-1, 0]), EXACT)
        yield Row("oblique impact", "Coulomb", where + ", v", epsilon, float(run.dataset.v[-1, 0]), EXACT)
        yield Row("oblique impact", "Coulomb", where + ", spin", w0 + 2 * total, float(run.dataset.spin[-1, 0]), EXACT)


def offset_squares(scheme: Maker) -> Iterator[Row]:
    """Two equal squares face to face, offset sideways: two equal impulses P at the ends of the shared edge, mu 0.

    Side L, offset d, shared edge L - d with ends at lever arms y1 and y2 from each centre; relative approach v.
    Compression: P1 = P2 = P by symmetry, normal speed zero at both ends is met by the translation and the spin.
    """
    side = 30e3
    for share, epsilon in ((1 / 3, 0.0), (1 / 3, 0.5), (1 / 3, 1.0), (0.5, 0.5), (0.1, 1.0)):
        d = share * side
        mass = 917.0 * 0.25 * side**2
        inertia = mass * side**2 / 6
        speed = 0.1
        left = Floe([[0, 0], [side, 0], [side, side], [0, side]], thickness=0.25, velocity=(speed, 0))
        right = Floe([[side + 1, d], [2 * side + 1, d], [2 * side + 1, side + d], [side + 1, side + d]], thickness=0.25)
        # looked at just after they meet at 10 s: later the turning faces slide on each other
        run = _after([left, right], 10.0001, Contact(friction=0.0, restitution=epsilon), scheme(10.0))
        # ends of the shared edge: y = d and y = side; levers from the left centre (side / 2), from the right (side / 2 + d)
        a1, a2 = d - side / 2, side / 2
        b1, b2 = -side / 2, side / 2 - d
        w = np.array(
            [
                [2 / mass + (a1 * a1 + b1 * b1) / inertia, 2 / mass + (a1 * a2 + b1 * b2) / inertia],
                [2 / mass + (a1 * a2 + b1 * b2) / inertia, 2 / mass + (a2 * a2 + b2 * b2) / inertia],
            ]
        )
        p1, p2 = (1 + epsilon) * np.linalg.solve(w, [speed, speed])
        where = f"offset {share:.3g} of the side, epsilon {epsilon:g}"
        found = run.events.sort_values("y")["normal_impulse"].to_numpy()
        scale = mass * speed
        yield Row(
            "offset squares", "symmetry", where + ", impulses equal", 0.0, float(found[0] - found[1]) / scale, EXACT
        )
        yield Row("offset squares", "momentum", where + ", impulse", p1, float(found[0]), EXACT * scale)
        yield Row(
            "offset squares",
            "momentum",
            where + ", u left",
            speed - (p1 + p2) / mass,
            float(run.dataset.u[-1, 0]),
            EXACT * speed,
        )
        spin = (p1 * a1 + p2 * a2) / inertia
        yield Row(
            "offset squares",
            "momentum",
            where + ", spin left",
            spin,
            float(run.dataset.spin[-1, 0]),
            EXACT * speed / side,
        )
        yield Row(
            "offset squares",
            "momentum",
            where + ", spin right",
            -(p1 * b1 + p2 * b2) / inertia,
            float(run.dataset.spin[-1, 1]),
            EXACT * speed / side,
        )
        # energy: 1 - (1 - epsilon^2) (lost part of the plastic impact)
        lost = 0.5 * (p1 + p2) / (1 + epsilon) * speed * (1 - epsilon**2)
        ratio = 1 - lost / (0.5 * mass * speed**2)
        got = float(run.ledger.kinetic_energy[-1] / run.ledger.kinetic_energy[0])
        yield Row("offset squares", "energy", where + ", energy ratio", ratio, got, EXACT)


def wood_discs(scheme: Maker) -> Iterator[Row]:
    """Two discs of 14 kg, epsilon 0.35, mu 0.4: head-on, offset, with spin."""
    radius, mass, epsilon, mu = 0.3, 14.0, 0.35, 0.4
    cases = (
        [(s, 0.0, 0.0) for s in (0.2, 0.5, 1.0)]
        + [(0.5, o, 0.0) for o in (0.1, 0.25, 0.4)]
        + [(0.5, 0.1, w) for w in (-3.0, 1.0, 4.0)]
    )
    for speed, offset, spin in cases:
        density = mass / (math.pi * radius**2)
        floes = [
            Disc((0, offset), radius, density=density, velocity=(speed, 0), spin=spin),
            Disc((1, 0), radius, density=density),
        ]
        run = _after(floes, 3.0, Contact(friction=mu, restitution=epsilon), scheme(1.0))
        n = np.array([math.sqrt(4 * radius**2 - offset**2), -offset]) / (2 * radius)
        t = np.array([-n[1], n[0]])
        # v of the second minus the first at the point; the first's point moves with + R spin along t
        approach, slide = -speed * n[0], -speed * t[0] - radius * spin
        jn = -approach / (2 / mass)
        total_n, total_t, rate = 0.0, 0.0, 2 / mass * 3
        for part in (jn, epsilon * jn):
            jt = float(np.clip(-slide / rate, -mu * part, mu * part))
            slide += rate * jt
            total_n, total_t = total_n + part, total_t + jt
        push = total_n * n + total_t * t
        where = f"speed {speed:g}, offset {offset:g}, spin {spin:g}"
        for name, k, value in (
            ("u", 0, speed - push[0] / mass),
            ("v", 0, -push[1] / mass),
            ("u", 1, push[0] / mass),
            ("v", 1, push[1] / mass),
        ):
            yield Row(
                "wood discs", "momentum", f"{where}, {name} of disc {k}", value, float(run.dataset[name][-1, k]), EXACT
            )
        turned = -radius * total_t / (0.5 * mass * radius**2)
        yield Row(
            "wood discs", "momentum", f"{where}, spin of disc 1", turned, float(run.dataset.spin[-1, 1]), EXACT / radius
        )
