"""The papers' threshold and step rules on cases with known answers.

Floes meet at a distance of up to eta, a hundredth of their size. Where the answer does not depend on that distance (impacts
along a line, between flat faces, or of floes in touch) it holds to round-off; a bouncing disc turns back up to eta above the
ground, so its apexes hold to eta, and to round-off once the height at which it turned is counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from banquise.forcing.forcing import Forcing
from banquise.scene.floe import Disc, Floe, Obstacle
from banquise.scene.scene import Scene
from banquise.schemes.event_driven import EventDriven
from banquise.schemes.papers import RULES, PapersStep
from banquise.settings import Contact
from banquise.simulation import Simulation
from banquise.validation import Row
from banquise.validation.impact import EXACT, GRAVITY, GROUND, bernoulli_rows


def rows() -> Iterator[Row]:
    """All rows, for both rules."""
    for rule in RULES:
        yield from step_of_two_discs(rule)
        yield from cradle(rule)
        yield from bernoulli(rule)
        yield from offset_squares(rule)
        yield from bouncing_disc(rule)


def _disc(x: float, y: float, **options: Any) -> Disc:
    """Radius 1 m, 1 kg."""
    return Disc((x, y), 1.0, thickness=1.0, density=1 / math.pi, **options)


ETA = math.sqrt(math.pi) / 100  # of that disc


def _simulation(floes: list[Floe], rule: str, contact: Contact, max_step: float, **more: Any) -> Simulation:
    scene = Scene(floes, more.pop("obstacles", ()))
    return Simulation(scene, more.pop("forcing", None), contact, EventDriven(max_step, threshold="papers", rule=rule))


def step_of_two_discs(rule: str) -> Iterator[Row]:
    """Closed forms of the step: one disc moves at (u, v) and turns at w, the other, `gap` away along x, is still."""
    horizon, tol3 = 100.0, ETA / 20
    for gap, u, v, w in ((3.0, 0.5, 0.0, 0.0), (3.0, 0.5, 0.2, 0.1), (0.5 * ETA, -0.3, 0.1, 0.2), (0.0, 0.0, 0.2, 0.3)):
        sim = _simulation([_disc(0, 0, velocity=(u, v), spin=w), _disc(2 + gap, 0)], rule, Contact(), horizon)
        got = PapersStep(sim, horizon, 1e-6, RULES[rule]).largest()
        if rule == "half":
            expected = 0.5 * max(gap, ETA) / (math.hypot(u, v) + abs(w))
        else:
            # seen from the still disc; and the still one seen from the disc that turns under it
            fastest = max(math.hypot(u, v) + abs(w), math.hypot(u, v + w * (2 + gap)) + abs(w))
            expected = (max(gap, ETA) - tol3) / fastest
            if gap > tol3:
                expected = max(expected, (gap - tol3) / u if u > 0 else horizon)
        where = f"{rule}, gap {gap:.3g} m, velocity ({u:g}, {v:g}), spin {w:g}"
        yield Row("step of two discs", "step rule", where, min(expected, horizon), got, EXACT * horizon)


def cradle(rule: str) -> Iterator[Row]:
    expected = {"simultaneous": (-1 / 3, 2 / 3, 2 / 3), "sequential": (0.0, 0.0, 1.0)}
    for order, speeds in expected.items():
        floes: list[Floe] = [_disc(0, 0, velocity=(1, 0)), _disc(5, 0), _disc(7, 0)]
        run = _simulation(floes, rule, Contact(friction=0.0, restitution=1.0, order=order), 1.0).run(5.0, 5.0)
        for k in range(3):
            got = float(run.dataset.u[-1, k])
            yield Row("Newton's cradle", "coherence in time", f"{rule}, {order}, disc {k}", speeds[k], got, EXACT)


def bernoulli(rule: str) -> Iterator[Row]:
    """The three in touch from the start: how far away the first is when it meets them would change the angle."""
    for degrees, epsilon in ((45.0, 1.0), (40.0, 0.5), (60.0, 0.3)):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        floes: list[Floe] = [_disc(0, 0, velocity=(1, 0)), _disc(2 * c, 2 * s), _disc(2 * c, -2 * s)]
        run = _simulation(floes, rule, Contact(friction=0.0, restitution=epsilon), 1.0).run(1.0, 1.0)
        yield from bernoulli_rows(run, c, epsilon, f"{rule}, theta {degrees:g} deg, epsilon {epsilon:g}")


def offset_squares(rule: str) -> Iterator[Row]:
    """Two squares of 30 km face to face, 1 m apart (eta is 300 m), offset by a part of the side: mu 0.

    Ends of the shared edge have arms (a, b) about the two centres. The relative velocity is along the normal and the two
    impulses are equal by symmetry, so one unknown is left.
    """
    side, speed = 30e3, 0.1
    mass = 917.0 * 0.25 * side**2
    inertia = mass * side**2 / 6
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]])
    for share, epsilon in ((1 / 3, 0.0), (1 / 3, 0.5), (1 / 3, 1.0)):
        d = share * side
        left = Floe(square, thickness=0.25, velocity=(speed, 0))
        right = Floe(square + (side + 1, d), thickness=0.25)
        sim = _simulation([left, right], rule, Contact(friction=0.0, restitution=epsilon), 1.0)
        run = sim.run(1e-3, 1e-3)
        # sum of the arms: d about the left centre, -d about the right; approach rate of both ends over the impulse
        p = (1 + epsilon) * speed / (4 / mass + 2 * (0.5 * d) ** 2 * 2 / inertia)
        where = f"{rule}, offset {share:.3g} of the side, epsilon {epsilon:g}"
        impulses = run.events["normal_impulse"].to_numpy()
        scale = mass * speed
        yield Row("offset squares", "symmetry", where + ", impulses equal", 0.0, float(np.ptp(impulses)), EXACT * scale)
        yield Row("offset squares", "momentum", where + ", impulse", p, float(impulses[0]), EXACT * scale)
        yield Row(
            "offset squares", "momentum", where + ", spin", p * d / inertia, float(run.dataset.spin[-1, 0]), EXACT * speed / side
        )  # fmt: skip
        lost = p * speed * (1 - epsilon)
        got = float(run.ledger.dissipated_contact[-1])
        yield Row("offset squares", "energy", where + ", lost", lost, got, EXACT * scale * speed)


def bouncing_disc(rule: str) -> Iterator[Row]:
    for epsilon, height in ((0.6, 1.0), (0.8, 0.5)):
        sim = _simulation(
            [_disc(0, 1 + height)], rule, Contact(friction=0.0, restitution=epsilon), 0.5,
            obstacles=[Obstacle(GROUND)], forcing=Forcing(gravity=(0, -GRAVITY)),
        )  # fmt: skip
        rest = math.sqrt(2 * height / GRAVITY) * (1 + epsilon) / (1 - epsilon)
        run = sim.run(2 * rest, 2 * rest)
        where = f"{rule}, epsilon {epsilon:g}, H {height:g} m"
        apex = height
        for n, (impulse, turned) in enumerate(zip(run.events["normal_impulse"], 2 * run.events["y"]), 1):
            # an event lies halfway between the disc and the ground at y = 0
            if epsilon ** (2 * n) * height < 2 * ETA:
                break
            after = epsilon * impulse / (1 + epsilon)
            known = turned + epsilon**2 * (apex - turned)
            apex = turned + after**2 / (2 * GRAVITY)
            yield Row("bouncing disc", "energy", f"{where}, apex {n} from where it turned", known, apex, EXACT)
            yield Row(
                "bouncing disc", "energy", f"{where}, apex {n}, within eta", epsilon ** (2 * n) * height, apex, ETA
            )
        last = float(run.dataset.y[-1, 0]) - 1
        yield Row("bouncing disc", "accumulation", f"{where}, rests within eta", 0.5 * ETA, last, 0.5 * ETA)
        yield Row("bouncing disc", "accumulation", f"{where}, at rest", 0.0, float(run.dataset.v[-1, 0]), EXACT)
        balance = float(run.ledger.balance[-1]) / (GRAVITY * height)
        yield Row("bouncing disc", "energy", f"{where}, balance over m g H", 0.0, balance, EXACT)
