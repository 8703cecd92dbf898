"""Blocks in motion: sliding, bouncing, chains, towers and floating against their known answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from banquise.validation import Row

G = 9.81


def rows() -> Iterator[Row]:
    """All rows of this part."""
    yield from _incline()
    yield from _stop_and_bounce()
    yield from _chain()
    yield from _tower()
    yield from _capsize()
    yield from _events()
    yield from _penalty()
    yield from _bonds()
    yield from _wall()
    yield from _high_wall()
    yield from _tumbling()
    yield from _arch()
    yield from _berg()


def _run(blocks: list[Any], step: float, until: float, friction: float, restitution: float, gravity: float = G) -> Any:
    import banquise as bq

    sim = bq.Simulation(
        bq.Scene(blocks=blocks), bq.Forcing(gravity=(0, 0, -gravity)),
        bq.Contact(friction=friction, restitution=restitution), scheme=bq.TimeStepping(step),
    )  # fmt: skip
    return sim.run(until=until, every=step)


def _incline() -> Iterator[Row]:
    from banquise.scene.polyhedron import Polyhedron

    half = np.pi / 12
    q = (np.cos(half), 0, np.sin(half), 0)
    cube = Polyhedron.box((1, 1, 1), orientation=q)
    plane = Polyhedron.box((20, 4, 1), orientation=q, fixed=True)
    scene = [plane, cube.moved(position=cube.rotation @ [0, 0, 1.0])]
    d = _run(scene, 0.01, 1.0, 0.5, 0.0).dataset.isel(block=1, time=-1)
    speed = float(np.sqrt(d.u**2 + d.v**2 + d.w**2))
    yield Row("block on an incline", "Coulomb", "30 degrees, friction 0.5: speed after 1 s", 0.657145, speed, 1e-6)
    d = _run(scene, 0.01, 1.0, 0.58, 0.0).dataset.isel(block=1)
    drift = float(np.abs(d.x - d.x[0]).max())
    yield Row("block on an incline", "Coulomb", "30 degrees, friction 0.58: drift in 1 s", 0.0, drift, 1e-8)


def _stop_and_bounce() -> Iterator[Row]:
    from banquise.scene.polyhedron import Polyhedron
    from banquise.scenes.blocks import floor

    step = 0.001
    cube = Polyhedron.box((1, 1, 1))
    d = _run([floor(), cube.moved(position=(0, 0, 0.5), velocity=(1, 0, 0))], step, 0.36, 0.3, 0.0).dataset
    u = d.u.values[:, 1]
    stop = float(d.time.values[np.argmax(np.abs(u) < 1e-10)])
    yield Row("sliding block", "Coulomb", "1 m/s, friction 0.3: stops at", 0.339789, stop, step)
    yield Row("sliding block", "Coulomb", "1 m/s, friction 0.3: stops after", 0.169895, float(d.x[-1, 1]), step)
    d = _run([floor(), cube.moved(position=(0, 0, 1.5))], step, 0.9, 0.3, 0.5).dataset
    t, w = d.time.values, d.w.values[:, 1]
    yield Row("dropped cube", "restitution", "1 m: impact at", 0.451524, float(t[np.argmax(w > 0)]), 1.5 * step)
    apex = float(d.z.values[t > 0.5, 1].max()) - 0.5
    yield Row("dropped cube", "restitution", "restitution 0.5: height of the first apex", 0.25, apex, 3 * step)


def _chain() -> Iterator[Row]:
    from banquise.scene.polyhedron import Polyhedron

    cube = Polyhedron.box((1, 1, 1))
    for gap, after, words in ((0.0, (-1 / 3, 2 / 3, 2 / 3), "touching"), (0.05, (0.0, 0.0, 1.0), "apart")):
        scene = [cube.moved(position=(k * (1 + gap), 0, 0), velocity=(float(k == 0), 0, 0)) for k in range(3)]
        d = _run(scene, 0.01, 0.2, 0.3, 1.0, 0.0).dataset
        for k in range(3):
            got = float(d.u[-1, k])
            yield Row(f"chain of three, {words}", "Newton's law", f"speed of body {k}", after[k], got, 1e-9)


def _tower() -> Iterator[Row]:
    from banquise.scenes.blocks import tower

    run = _run(list(tower(10).blocks), 0.005, 0.5, 0.5, 0.0)
    yield Row("tower of ten", "forces", "weight on the floor, N", 10 * G, -float(run.loads.force_z[-1, 0]), 1e-5)
    speed = float(np.abs(run.dataset.w.values[-1]).max())
    yield Row("tower of ten", "rest", "fastest block, m/s", 0.0, speed, 1e-6)


def _capsize() -> Iterator[Row]:
    import banquise as bq
    from banquise.scenes.blocks import tall_iceberg

    ratio = 917.0 / 1025.0
    critical = (6 * ratio * (1 - ratio)) ** 0.5
    for factor, capsized in ((0.95, 1.0), (1.05, 0.0)):
        sim = bq.Simulation(
            tall_iceberg(1.0, factor * critical), bq.Forcing(gravity=(0, 0, -G), water_level=0.0),
            scheme=bq.TimeStepping(0.025),
        )  # fmt: skip
        d = sim.run(until=25.0, every=0.25).dataset.isel(block=0)
        got = float(np.max(np.abs(2 * np.arctan2(d.qy.values, d.qw.values))) > 1.0)
        yield Row("floating box", "capsize", f"aspect {factor:g} of the critical one", capsized, got, 0.0)


def _strategy(blocks: list[Any], scheme: Any, until: float, **options: Any) -> tuple[Any, Any]:
    import banquise as bq

    contact = bq.Contact(options.pop("friction", 0.3), options.pop("restitution", 0.0))
    gravity = bq.Forcing(gravity=(0, 0, -G))
    sim = bq.Simulation(bq.Scene(blocks=blocks), gravity, contact, scheme=scheme, **options)
    return sim, sim.run(until=until, every=until)


def _events() -> Iterator[Row]:
    from banquise.blocks import Events
    from banquise.scene.polyhedron import Polyhedron
    from banquise.scenes.blocks import floor

    cube = Polyhedron.box((1, 1, 1), position=(0, 0, 1.5))
    _, run = _strategy([floor(), cube], Events(0.02, 1e-4), 1.4, restitution=0.5)
    times = run.events["time"].to_numpy()
    first = (2 / G) ** 0.5
    for k, factor in enumerate((1.0, 2.0, 2.5)):
        yield Row(
            "dropped cube", "event detection", f"time of impact {k + 1}, s", factor * first, float(times[k]), 1e-10
        )
    yield Row("dropped cube", "event detection", "last impact, s", 1.354571, float(times[-1]), 2e-4)


def _penalty() -> Iterator[Row]:
    from banquise.blocks import Penalty
    from banquise.scene.polyhedron import Polyhedron
    from banquise.scenes.blocks import floor

    cube, deep = Polyhedron.box((1, 1, 1), position=(0, 0, 0.5)), 1000 * G / 1e7
    _, run = _strategy([floor(), cube], Penalty(1e7, damping=0.5), 1.0)
    yield Row("penalty law", "rest", "overlap of 1 t on 1e7 N/m, m", deep, 0.5 - float(run.dataset.z[-1, 1]), 1e-12)
    for factor in (0.95, 1.05):
        law = Penalty(1e7, damping=0.0, step=factor * 0.02)
        _, run = _strategy([floor(), cube.moved(position=(0, 0, 0.5 - 1.1 * deep))], law, 2.0, friction=0.0)
        blown = float(abs(float(run.dataset.z[-1, 1]) - 0.5) > 2.5 * deep)
        yield Row("penalty law", "stability", f"unstable at {factor:g} x 2 sqrt(m/k)", float(factor > 1), blown, 0.0)


def _bonds() -> Iterator[Row]:
    from banquise.blocks import Bond, Moreau
    from banquise.scene.polyhedron import Polyhedron

    cube = Polyhedron.box((1, 1, 1))
    row = [cube.moved(position=(0, 0, 10), fixed=True), *(cube.moved(position=(0, 0, 9 - k)) for k in range(3))]
    for factor in (1.001, 0.999):
        sim, _ = _strategy(row, Moreau(0.005), 0.1, bond=Bond(tension=factor * 3 * 1000 * G, shear=1e6))
        broken = float(np.sum(sim.bonds.alive == 0))
        expected = 0.0 if factor > 1 else 4.0
        yield Row("bonded row", "strength", f"points broken at {factor:g} of the load", expected, broken, 0.0)


def _wall() -> Iterator[Row]:
    import banquise as bq
    from banquise.scenes.blocks import WALL_CONTACT, wall

    sim = bq.Simulation(wall(), bq.Forcing(gravity=(0, 0, -G)), WALL_CONTACT, scheme=bq.TimeStepping(1e-3))
    run = sim.run(until=0.02, every=0.01)
    base = -float(run.loads.force_z[-1, :2].sum())
    yield Row("wall of 105 blocks", "forces", "base reaction, N", 221.73, base, 1e-4 * 221.73)
    deepest = float(run.ledger.max_overlap.max())
    yield Row("wall of 105 blocks", "no overlap", "deepest overlap, m", 0.0, deepest, 1e-5)


def _high_wall() -> Iterator[Row]:
    import banquise as bq
    from banquise.scenes.blocks import WALL_CONTACT, wall

    sim = bq.Simulation(
        wall(courses=40, row=5), bq.Forcing(gravity=(0, 0, -G)), WALL_CONTACT, scheme=bq.TimeStepping(1e-3)
    )
    base = -float(sim.run(until=1e-3, every=1e-3).loads.force_z[-1, :2].sum())
    weight = G * float(sim.columns.mass[sim.columns.free].sum())
    yield Row("wall of 40 courses", "forces", "base reaction at the first step, N", weight, base, 1e-4 * weight)


def _tumbling() -> Iterator[Row]:
    from banquise.scene.polyhedron import Polyhedron

    rod, rng = Polyhedron.box((1.0, 0.1, 0.1), density=917.0), np.random.default_rng(0)
    scene = []
    for k in range(6):
        scene.append(rod.moved(position=(1.5 * k, 0, 0), orientation=(1, 0, 0, 1), fixed=True))
        turned, spin = rng.normal(size=4), rng.normal(0, 10, 3)
        scene.append(rod.moved(position=(1.5 * k, 0, 0.7), orientation=turned, velocity=(0, 0, -5), spin=spin))
    run = _run(scene, 0.01, 0.25, 0.5, 0.0)
    deepest = float(run.ledger.max_overlap.max())
    yield Row("rods that tumble on bars", "no overlap", "5 m/s, 10 rad/s, step 10 ms: deepest, m", 0.0, deepest, 2e-4)


def _arch() -> Iterator[Row]:
    import banquise as bq
    from banquise.scenes.structures import arch_bridge

    for thickness, falls in ((0.14, 0.0), (0.08, 1.0)):
        sim = bq.Simulation(
            arch_bridge(27, 1, 1.0, thickness, 0.3), bq.Forcing(gravity=(0, 0, -G)),
            bq.Contact(friction=1.5, restitution=0.0, tolerance=1e-6), scheme=bq.TimeStepping(2e-3), sweeps=1000,
        )  # fmt: skip
        sim.run(until=0.1, every=0.1)
        got = float(np.abs(sim.columns.velocity[:, 2]).max() > 1e-3)
        words = f"thickness {thickness:g} of the radius (critical 0.1075): falls"
        yield Row("semicircular arch", "limit state", words, falls, got, 0.0)


def _berg() -> Iterator[Row]:
    """The box in space against the planar iceberg of the glacier, both without drag, added mass or front."""
    import banquise as bq
    from banquise.glacier.iceberg import Iceberg
    from banquise.scene.polyhedron import Polyhedron

    height, aspect, tilt, step, until = 100.0, 0.5, 2.0, 0.02, 30.0
    flat = Iceberg(height=height, aspect=aspect, tilt=tilt, density=917.0, drag=0.0, added_mass=0.0, gravity=G).afloat(
        step
    )
    half = 0.5 * flat.state[2]
    box = Polyhedron.box(
        (aspect * height, 100.0, height), density=917.0, orientation=(np.cos(half), 0, np.sin(half), 0)
    )
    box = box.moved(position=(0, 0, flat.state[1]))
    water = bq.Forcing(gravity=(0, 0, -G), water_level=0.0, form_drag=0.0, skin_drag=0.0)
    sim = bq.Simulation(bq.Scene(blocks=[box]), water, scheme=bq.TimeStepping(step))
    run = sim.run(until=until, every=until)
    for _ in range(round(until / step)):
        flat.advance(1e9, 0.0)
    q = run.dataset.isel(time=-1, block=0)
    angle = 2.0 * float(np.arctan2(q.qy, q.qw))
    # both second order: (omega step)^2 over the turn
    yield Row("capsizing iceberg", "space against plane", "turn after 30 s, rad", abs(flat.state[2]), abs(angle), 5e-3)
    yield Row("capsizing iceberg", "space against plane", "height of its centre, m", flat.state[1], float(q.z), 0.05)
