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
