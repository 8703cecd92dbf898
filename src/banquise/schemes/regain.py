"""Overlaps within the tolerance are pushed apart before a step, positions only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from banquise.contact import _kernels_laws
from banquise.detection.scratch import Found
from banquise.recording.stages import timed
from banquise.schemes import _kernels_regain
from banquise.schemes._kernels import TOLERANCE
from banquise.schemes.workspace import MOVING
from banquise.solvers._kernels import sweeps
from banquise.update.positions import turn

if TYPE_CHECKING:
    from banquise.schemes.rounds import Engine

START = 0.25  # tolerances of overlap from which on bodies are pushed apart
AGAIN = 0.5  # of the skin that they get back
PASSES = 50  # over the contacts of bodies that overlap


@timed("contact")
def regain(engine: Engine, found: Found) -> float:
    """Push bodies that overlap by a good part of the tolerance apart, positions only; the largest way (m).

    What turning leaves behind over many steps would otherwise use the tolerance up, and every further step would have
    to be split. It is entered in the ledger. No more than the tolerance is moved, all of an island in proportion (so that
    nothing comes nearer than it was): a jam may have no room.
    """
    sim, n = engine.sim, engine.n
    if engine.deepest <= START * TOLERANCE:
        return 0.0
    gap = found.value[:, 6]
    near = np.empty(len(gap), np.int64)
    chosen = near[: _kernels_regain.near_contacts(found.value, found.who, sim.size, n, near)]
    still = np.zeros((len(engine.bodies), 3))
    one, other = found.who[chosen, 0], found.who[chosen, 1]
    small = engine.bodies.smaller_size(one, other)
    missing = gap[chosen] - AGAIN * engine.rule.skin * small
    problem = sim.laws.touches(chosen, found, still, missing, np.zeros(len(chosen), np.bool_))
    r, m = problem.rows, len(chosen)
    island = np.repeat(np.arange(len(problem.start) - 1), np.diff(problem.start))
    deepest = np.minimum.reduceat((gap[chosen] / small)[problem.order], problem.start[:-1])
    r.c[deepest[island] > -START * TOLERANCE, 0] = 0.0  # what uses its skin is none the worse for it
    push, y = np.zeros((m, 2)), np.zeros((r.bodies + 1, 3))
    # sweeps, not a solution: where a jam has no room there is none, and the sweeps share the overlap out
    sweeps(0, m, PASSES, 1e-3 * float(-missing.min()), r.G, r.W, r.a, r.b, r.c, np.zeros(m), r.lower, push, y)
    b, rows = engine.bodies, problem.bodies
    engine.pushed = rows, engine.start[:, rows]
    change = np.zeros((n, 3))
    _kernels_laws.velocity_changes(rows, len(rows), y, b.inverse_mass, b.inverse_inertia, change)
    way = np.hypot(change[rows, 0], change[rows, 1]) + b.extent[rows] * np.abs(change[rows, 2])
    share = np.append(np.minimum(1.0, (TOLERANCE + engine.rule.skin) * sim.size[rows] / np.maximum(way, 1e-300)), 1.0)
    of_island = np.minimum.reduceat(np.minimum(share[problem.rows.a], share[problem.rows.b]), problem.start[:-1])
    share[problem.rows.a], share[problem.rows.b] = of_island[island], of_island[island]
    change[rows] *= share[:-1, None]
    b.x[rows] += change[rows, 0]
    b.y[rows] += change[rows, 1]
    turn(b, rows, b.angle[rows] + change[rows, 2])
    for row, name in zip(engine.start, MOVING):
        row[rows] = getattr(b, name)[rows]
    if engine.rule.soft:  # a ten-thousandth of the size further contacts are where they are carried to
        _kernels_regain.shift_contacts(found.value, found.who, change, n)
    else:
        engine._look()
    return float((share[:-1] * way).max(initial=0.0))
