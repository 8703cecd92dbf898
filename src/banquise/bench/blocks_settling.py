"""Engines and laws on the wall whose ground settles, for the page on it. Not part of `banquise bench`, for it takes minutes.

`python -m banquise.bench.blocks_settling NAME STEP [SOFTNESS]` (one of `ENGINES`; s) prints the farthest centre, its way
across and down, the farthest corner, the deepest overlap and the largest speed at which a contact closes that may not, in mm.
How soft contacts are is the time constant of MuJoCo's (s; 0.02 by default) or the stiffness of springs (N/m; their step is
their own where it is given as 0).

Banquise comes in six ways: as it is; its gap law with overlaps left where they are, which is the law that LMGC90 is run
with (`IQS_CLB`: a contact may close by its gap, and what overlaps is kept from getting deeper); that with a hundred sweeps a
step in place of a solution; the velocity law with and without pushing overlaps apart; and springs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene
from banquise.scenes.blocks import WALL_CONTACT, settlement, wall

JOINT, END, GRAVITY = 2e-4, 4.0, 9.81


class Found(NamedTuple):
    """What became of the stones."""

    centre: Floats  # (n, 3) m, at the end
    rotation: Floats  # (n, 3, 3)
    overlap: float  # m, the deepest
    closing: float = float("nan")  # m/s beyond what the law allows: the worst contact of a step, mean over the steps
    rest: float = float("nan")  # m, the farthest that a centre had moved when the ground began to sink


def banquise(
    scene: Scene,
    step: float,
    time_constant: float,
    law: str = "gap",
    pushes: bool = True,
    sweeps: int = 0,
    end: float = END,
) -> Found:
    """This package, at a tolerance of 1e-4.

    Without `pushes` overlaps are left where they are, and nothing is looked at ahead. `sweeps`, if any, take the place of a
    solution of each step.
    """
    import banquise as bq
    from banquise.blocks import step as stepping

    contact, forcing = replace(WALL_CONTACT, tolerance=1e-4), bq.Forcing(gravity=(0, 0, -GRAVITY))
    sim = bq.Simulation(scene, forcing, contact, scheme=bq.blocks.Moreau(step, law=law))
    start, overlap, closing, rest = sim.columns.centre.copy(), 0.0, [], float("nan")
    with _changed(pushes, sweeps):
        for k in range(round(end / step)):
            stepping.advance(sim, step)
            assert sim.touching is not None
            overlap = max(overlap, sim.touching.overlap)
            closing.append(_closing(sim.touching.along(sim.columns.velocity), sim.touching.gap, step, law))
            if k + 1 == round(1.0 / step):
                rest = float(np.linalg.norm(sim.columns.centre - start, axis=1)[2:].max())
    return Found(sim.columns.centre[2:], sim.columns.rotation[2:], overlap, float(np.mean(closing)), rest)


def springs(scene: Scene, step: float, stiffness: float, end: float = END) -> Found:
    """This package with springs (N/m of a pair) where stones overlap."""
    import banquise as bq

    scheme = bq.blocks.Penalty(stiffness, step=step or None)
    sim = bq.Simulation(scene, bq.Forcing(gravity=(0, 0, -GRAVITY)), WALL_CONTACT, scheme=scheme)
    start, rest, overlap = sim.columns.centre.copy(), float("nan"), 0.0
    for until in (1.0, end) if end > 1.0 else (end,):
        run = sim.run(until=until, every=until)
        overlap = max(overlap, float(run.ledger.max_overlap.max()))
        if until == 1.0:
            rest = float(np.linalg.norm(sim.columns.centre - start, axis=1)[2:].max())
    return Found(sim.columns.centre[2:], sim.columns.rotation[2:], overlap, rest=rest)


@contextmanager
def _changed(pushes: bool, sweeps: int) -> Iterator[None]:
    """Steps without pushes, or without a solver: for comparison only, so there is no setting for it."""
    from banquise.blocks import step as stepping
    from banquise.solvers import spatial

    def swept(members: Any, goal: float, reference: float, most: int, rows: Any) -> tuple[float, int]:
        return rows.passes(members, sweeps, 0.0)

    with ExitStack() as stack:
        if not pushes:
            stack.enter_context(patch.object(stepping, "OVERLAP", np.inf))
            stack.enter_context(patch.object(stepping, "ROUNDS", 0))
        if sweeps:
            stack.enter_context(patch.object(spatial, "_island", swept))
            stack.enter_context(patch.object(spatial, "_damped", lambda members, rows, *_: rows.residual(members)))
        yield


def lmgc90(scene: Scene, step: float, time_constant: float, end: float = END) -> Found:
    """LMGC90 by compas_lmgc90: one friction coefficient only, 0.6."""
    from compas_lmgc90.solver import Solver

    solver = Solver(dt=step, theta=0.5, density=600.0)
    for block in scene.blocks:
        hull = Polyhedron(block.world_vertices)
        solver.geometry_from_v_f({"vertices": hull.vertices.tolist(), "faces": hull.faces.tolist()})
    solver.set_supports(z_threshold=0.0)
    times = np.linspace(0.0, END, 4001)
    solver.apply_velocity(1, "Vz", np.array([times, -np.gradient([settlement()(t) for t in times], times)]))
    solver.contact_law("IQS_CLB", 0.6, alert=1e-3)
    solver.preprocess()
    before = np.array(solver.init_coor), np.array(solver.init_frame).reshape(-1, 3, 3)
    overlap, closing, rest = 0.0, [], float("nan")
    for k in range(round(end / step)):
        state = solver.lmgc90.compute_one_step()
        gap, speed = np.array(state.interaction_gap), np.array(state.interaction_vloc).reshape(-1, 3)[:, 1]
        overlap = max(overlap, -float(gap.min(initial=0.0)))
        closing.append(_closing(speed, gap, step, "gap"))
        if k + 1 == round(1.0 / step):
            rest = float(np.linalg.norm(np.array(state.bodies) - before[0], axis=1)[2:].max())
    moved = np.array(state.bodies) - before[0]
    turned = np.einsum("nji,njk->nik", np.array(state.body_frames).reshape(-1, 3, 3), before[1])
    centre = np.array([b.centre for b in scene.blocks]) + moved
    return Found(centre[2:], turned[2:], overlap, float(np.mean(closing)), rest)


def _closing(speed: Floats, gap: Floats, step: float, law: str) -> float:
    """Largest speed (m/s) by which contacts close faster than they may: by their gap in a step, not at all where they overlap."""
    allowed = np.maximum(gap, 0.0) / step if law == "gap" else np.where(gap > 0.0, np.inf, 0.0)
    return float(np.max(-speed - allowed, initial=0.0))


def mujoco(scene: Scene, step: float, time_constant: float, end: float = END) -> Found:
    """MuJoCo with boxes and the elliptic cone; its right half of the ground is led."""
    import mujoco as engine

    bodies = []
    for k, block in enumerate(scene.blocks):
        half = 0.5 * np.ptp(block.world_vertices, axis=0)
        size, where = (" ".join(map(str, v)) for v in (half, block.centre))
        friction = f'friction="{0.7 if block.fixed else 0.6} 0 0" condim="3" solref="{time_constant} 1"'
        geom = f'<geom type="box" size="{size}" density="600" {friction}/>'
        joint = "" if block.fixed else "<freejoint/>"
        led = 'mocap="true"' if k == 1 else ""
        bodies.append(f'<body pos="{where}" {led}>{joint}{geom}</body>')
    model = engine.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 -{GRAVITY}" cone="elliptic"/><size memory="200M"/>'
        f"<worldbody>{''.join(bodies)}</worldbody></mujoco>"
    )
    data, level = engine.MjData(model), float(scene.blocks[1].centre[2])
    for k in range(round(end / step)):
        data.mocap_pos[0, 2] = level - settlement()((k + 1) * step)
        engine.mj_step(model, data)
    return Found(data.xpos[3:], data.xmat[3:].reshape(-1, 3, 3), -min(0.0, float(data.contact.dist.min())))


def line(scene: Scene, found: Found) -> str:
    """What moved how far, in mm."""
    start = np.array([b.centre for b in scene.blocks[2:]])
    corners = np.array([b.world_vertices for b in scene.blocks[2:]])
    moved = 1e3 * (found.centre - start)
    after = np.einsum("nij,nkj->nki", found.rotation, corners - start[:, None]) + found.centre[:, None]
    far = int(np.linalg.norm(moved, axis=1).argmax())
    corner = 1e3 * np.linalg.norm(after - corners, axis=2).max()
    return (
        f"centre {np.linalg.norm(moved[far]):.2f} (stone {far}: {moved[far, 0]:.2f} across, {-moved[far, 2]:.2f} down; "
        f"{1e3 * found.rest:.2g} before the ground moves), corner {corner:.2f}, overlap {1e3 * found.overlap:.2g}, "
        f"closing at {1e3 * found.closing:.2g} a second"
    )


ENGINES: dict[str, Callable[[Scene, float, float], Any]] = {
    "banquise": banquise,
    "gap-law": partial(banquise, pushes=False),
    "swept": partial(banquise, pushes=False, sweeps=100),
    "velocity-law": partial(banquise, law="velocity", pushes=False),
    "velocity-law-pushed": partial(banquise, law="velocity"),
    "springs": springs,
    "lmgc90": lmgc90,
    "mujoco": mujoco,
}

if __name__ == "__main__":
    walled = wall(joint=JOINT, settle=settlement())
    softness = float(sys.argv[3]) if len(sys.argv) > 3 else 0.02
    print(line(walled, ENGINES[sys.argv[1]](walled, float(sys.argv[2]), softness)))
