"""Jams: an arch of blocks under a steady push comes to rest, and its abutments carry the push."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from banquise.scenes.jams import arch
from banquise.validation import Row

GRAVITY = 0.01  # m/s2 in the plane


def rows() -> Iterator[Row]:
    """Speed at the end, and forces on both abutments over the push."""
    for n, restitution in ((5, 0.0), (7, 0.35), (12, 0.35)):
        sim = arch(n=n, restitution=restitution, gravity=GRAVITY)
        run = sim.run(until=300.0, every=50.0)
        push = GRAVITY * sum(floe.mass for floe in sim.scene.floes)
        where = f"arch of {n} blocks, epsilon {restitution:g}"
        fastest = float(np.hypot(run.dataset.u[-1], run.dataset.v[-1]).max())
        # without the arch the push would have made 3 m/s of it
        yield Row("jam", "accumulation", f"{where}, fastest block (m/s)", 0.0, fastest, 1e-6)
        carried = -float(run.loads.force_y[-1].sum()) / push
        yield Row("jam", "momentum", f"{where}, force on the abutments over the push", 1.0, carried, 1e-2)
        sideways = float(run.loads.force_x[-1].sum()) / push
        yield Row("jam", "symmetry", f"{where}, thrust of both sides over the push", 0.0, sideways, 1e-2)
