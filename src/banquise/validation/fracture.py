"""Fracture and percussion against their closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from banquise.validation import Row

YOUNG, TOUGHNESS, DENSITY = 8.95e9, 10.0, 910.0


def percussion_rows() -> Iterator[Row]:
    """The 1-D table: two bodies, a floe of two nodes, a clamped floe, a chain."""
    from banquise import percussion

    table = [
        # m1, m2, v1, v2, k, c; then e, T, v1+, v2+ of release at zero distance; e', T' of release at zero force
        ((1.2, 1.5, 2.2, -1.8, 7.0, 0.0), (1.0, 0.9695165413, -2.2444444444, 1.7555555556), (1.0, 0.9695165413)),
        (
            (1.2, 1.5, 2.2, -1.8, 7.0, 0.5),
            (0.6934833516, 0.9760747889, -1.563296337, 1.210637070),
            (0.7124820350, 0.9040015499),
        ),
        (
            (8.19e6, 9.1e6, 0.3, -0.1, 3e9, 2e7),
            (0.7577981035, 0.1195473967, -0.07006275864, 0.2330564828),
            (0.7696710691, 0.1128461471),
        ),
    ]
    for given, distance, force in table:
        text = "m1, m2, v1, v2, k, c = " + ", ".join(f"{g:g}" for g in given)
        hit = percussion.two_bodies(*given, release="distance")
        got = (hit.restitution, hit.duration, hit.v1, hit.v2)
        for what, want, have in zip(("restitution", "duration", "v1", "v2"), distance, got):
            yield Row(f"two bodies, part at zero distance: {what}", "closed form", text, want, have, 1e-9)
        hit = percussion.two_bodies(*given, release="force")
        for what, want, have in zip(("restitution", "duration"), force, (hit.restitution, hit.duration)):
            yield Row(f"two bodies, part at zero force: {what}", "closed form", text, want, have, 1e-9)
    x1, x2 = percussion.two_nodes(1.0, 18.0, 1.3, 0.6, 0.8, [0.25, 0.5, 1.0])
    for want, have in zip((0.0608573963, -0.0368205537, -0.1134499953), x1):
        yield Row("floe of two nodes, x1", "closed form", "m 1, k 18, mu 1.3, v 0.6, 0.8", want, float(have), 1e-9)
    for want, have in zip((-0.1108573963, -0.0631794463, -0.0865500047), x2):
        yield Row("floe of two nodes, x2", "closed form", "m 1, k 18, mu 1.3, v 0.6, 0.8", want, float(have), 1e-9)
    for damping, want in (((4.0, 2.5), -0.62229), ((2.8, 2.5), -0.55825)):
        system = percussion.clamped_hit((1, 1), (16, 5), damping, -1.0, [0.0]).system
        top = float(system.eigenvalues().real.max())
        yield Row("hit on a clamped floe: slowest decay", "passivity", f"mu, mu' = {damping}", want, top, 1e-5)
    run = percussion.chain(7, 1.2, 7.0, 0.5).motion([0] * 7, [2.2] * 6 + [-76 / 45], [0.25, 0.5])
    for row, (stretch, energy) in enumerate(((-0.7796660097, 2.155211117), (-0.9820661961, 3.899583040))):
        text = f"7 nodes, t = {run.times[row]:g} s"
        yield Row("chain: last spring", "exact motion", text, stretch, float(run.elongations[row, -1]), 1e-9)
        yield Row("chain: elastic energy", "exact motion", text, energy, float(run.elastic_energy[row]), 1e-9)
        yield Row("chain: momentum", "momentum", text, 1.2 * (13.2 - 76 / 45), float(run.momentum[row]), 1e-12)
    pair = percussion.pair_with_springs(1.2, 1.5, 2.2, -1.8, 0.75)
    yield Row("pair with relaxed springs: loss", "energy", "e = 0.75", 7 / 3, pair.loss, 1e-12)


def rows() -> Iterator[Row]:
    """Plane fracture, then the 1-D percussions."""
    yield from _strip()
    yield from _bending()
    yield from _bar()
    yield from _square()
    yield from percussion_rows()


def _floe(width: float, height: float, low: float = 0.0) -> Any:
    from banquise.scene.floe import Floe

    return Floe([[0, low], [width, low], [width, low + height], [0, low + height]], density=DENSITY)


def _strip() -> Iterator[Row]:
    """A: a strip at Griffith's elongation releases just what a cut through it costs; pressed, nothing."""
    from banquise import fracture

    floe = _floe(100, 100)
    critical = math.sqrt(2 * TOUGHNESS * 100 / YOUNG)

    def pulled(by: float) -> Any:
        return fracture.Dirichlet([((0, 0), (0, 100), 0.0, None), ((100, 0), (100, 100), by, None)])

    for start, end in (((50, 0), (50, 100)), ((31, 0), (74, 100))):
        got = fracture.release(floe, pulled(critical), start, end)
        yield Row("pulled strip", "Griffith", f"crack {start}-{end}", 1000.0, got, 1e-3)
    yield Row("pressed strip, straight cut", "non-penetration", "crack at 50 m", 0.0,
              fracture.release(floe, pulled(-critical), (50, 0), (50, 100)), 1e-3)  # fmt: skip
    for shift, friction in ((40, 0.0), (40, 0.3), (80, 0.3), (20, 0.3)):
        ends = (50 - shift / 2, 0), (50 + shift / 2, 100)
        got = fracture.release(floe, pulled(-critical), *ends, lip_friction=friction)
        want = 1000 * max(0.0, 1 - friction / (shift / 100))
        text = f"tan(angle) = {shift / 100:g}, friction {friction:g}"
        # A strip in uniaxial stress slides by friction work in the proportion friction / tan(angle).
        yield Row("pressed strip, oblique cut", "lip friction", text, want, got, 1e-2)
    crack = fracture.search(floe, pulled(2 * critical))
    yield Row("pulled strip: critical load", "Griffith", "twice the critical elongation", 0.5, crack.critical, 1e-6)


def _bending() -> Iterator[Row]:
    """C: pure bending at the curvature where the stored energy is that of a full crack."""
    from banquise import fracture

    floe = _floe(100, 40, -20)
    curvature = math.sqrt(24 * TOUGHNESS / (YOUNG * 40**2 * 100))
    held = fracture.Dirichlet(
        [
            ((0, -20), (0, 20), lambda x, y: curvature * 50 * y, None),
            ((100, -20), (100, 20), lambda x, y: -curvature * 50 * y, None),
        ]
    )
    # Linear elements are stiff in bending: the error falls as 1 / nodes, 1.7 % at 300 and 0.6 % here.
    got = fracture.stored_energy(floe, held, fracture.Griffith(nodes=900))
    yield Row("bent strip: stored energy", "elasticity", "100 m x 40 m, 900 nodes", 400.0, got, 4.0)


def _bar() -> Iterator[Row]:
    """F: a bar struck over its whole end, under inertia relief."""
    from banquise import fracture

    floe = _floe(100, 10)
    hit = fracture.impact(floe, (0, 5), (1, 0), 0.1, patch=10.0)
    unit = YOUNG * 10 / 100
    yield Row("struck bar: compliance x E h W / L", "inertia relief", "10:1", 1 / 3, hit.compliance * unit, 1e-3)
    yield Row("struck bar: cut across", "non-penetration", "x = L/4", 0.0,
              fracture.release(floe, hit, (25, 0), (25, 10)) / hit.energy, 1e-6)  # fmt: skip
    hit = fracture.impact(floe, (0, 5), (1, 0), -0.1, patch=10.0)
    for part in (0.25, 0.5, 0.75):
        got = fracture.release(floe, hit, (100 * part, 0), (100 * part, 10)) / hit.energy
        want = 1 - part * (3 - part) ** 2 / 4
        yield Row("pulled bar: release / energy", "frozen rigid motion", f"cut at {part:g} L", want, got, 3e-3)


def _square() -> Iterator[Row]:
    """G: a square struck amid a side, and the speed from which it breaks."""
    from banquise import fracture

    floe = _floe(100, 100)
    for width, want in ((5.0, 1.95), (10.0, 1.56)):
        hit = fracture.impact(floe, (0, 50), (1, 0), 0.1, patch=width)
        got = hit.compliance * YOUNG
        yield Row("struck square: compliance x E h", "elasticity", f"patch {width:g} m", want, got, 0.02)
    # A patch half as wide yields (2 / pi) ln 2 more, by the field of a line load; graded to resolve it.
    fine = fracture.Griffith(nodes=900)
    two = [fracture.impact(floe, (0, 50), (1, 0), 0.1, patch=w, ice=fine).compliance * YOUNG for w in (4.0, 8.0)]
    yield Row("struck square: effect of the width", "Flamant", "4 m against 8 m", 2 / math.pi * math.log(2),
              two[0] - two[1], 0.01)  # fmt: skip
    speeds = []
    for size in (10.0, 100.0):
        floe = _floe(size, size)
        hit = fracture.impact(floe, (0, size / 2), (1, 0), 0.1)
        speeds.append(0.1 * fracture.search(floe, hit).critical)
    yield Row("critical speed, 10 m over 100 m", "Griffith scaling", "squares on a wall", math.sqrt(10),
              speeds[0] / speeds[1], 0.01 * math.sqrt(10))  # fmt: skip
