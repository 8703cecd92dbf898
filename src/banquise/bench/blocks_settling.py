"""Other engines on the wall whose ground settles, for the page on it. Not part of `banquise bench`, for LMGC90 takes minutes.

`python -m banquise.bench.blocks_settling NAME STEP [TIME_CONSTANT]` (banquise, lmgc90 or mujoco; s) prints the farthest
centre, its way across and down, the farthest corner and the overlap at the end (for Banquise of the whole run), in mm. The
time constant is that of MuJoCo's contacts, 0.02 by default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron
from banquise.scene.scene import Scene
from banquise.scenes.blocks import WALL_CONTACT, settlement, wall

JOINT, END, GRAVITY = 2e-4, 4.0, 9.81
Found = tuple[Floats, Floats, float]  # centres (n, 3) and rotations (n, 3, 3) of the stones at the end, overlap


def banquise(scene: Scene, step: float, time_constant: float) -> Found:
    """This package, at a tolerance of 1e-4."""
    import banquise as bq

    contact, forcing = replace(WALL_CONTACT, tolerance=1e-4), bq.Forcing(gravity=(0, 0, -GRAVITY))
    sim = bq.Simulation(scene, forcing, contact, scheme=bq.TimeStepping(step))
    run = sim.run(until=END, every=END)
    return sim.columns.centre[2:], sim.columns.rotation[2:], float(run.ledger.max_overlap.max())


def lmgc90(scene: Scene, step: float, time_constant: float) -> Found:
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
    for _ in range(round(END / step)):
        state = solver.lmgc90.compute_one_step()
    moved = np.array(state.bodies) - before[0]
    turned = np.einsum("nji,njk->nik", np.array(state.body_frames).reshape(-1, 3, 3), before[1])
    centre = np.array([b.centre for b in scene.blocks]) + moved
    return centre[2:], turned[2:], -min(0.0, *state.interaction_gap)


def mujoco(scene: Scene, step: float, time_constant: float) -> Found:
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
    for k in range(round(END / step)):
        data.mocap_pos[0, 2] = level - settlement()((k + 1) * step)
        engine.mj_step(model, data)
    return data.xpos[3:], data.xmat[3:].reshape(-1, 3, 3), -min(0.0, float(data.contact.dist.min()))


def line(scene: Scene, found: Found) -> str:
    """What moved how far, in mm."""
    centre, turned, overlap = found
    start = np.array([b.centre for b in scene.blocks[2:]])
    corners = np.array([b.world_vertices for b in scene.blocks[2:]])
    moved = 1e3 * (centre - start)
    after = np.einsum("nij,nkj->nki", turned, corners - start[:, None]) + centre[:, None]
    far = int(np.linalg.norm(moved, axis=1).argmax())
    corner = 1e3 * np.linalg.norm(after - corners, axis=2).max()
    return (
        f"centre {np.linalg.norm(moved[far]):.2f} (stone {far}: {moved[far, 0]:.2f} across, {-moved[far, 2]:.2f} down), "
        f"corner {corner:.2f}, overlap {1e3 * overlap:.2g}"
    )


ENGINES: dict[str, Callable[[Scene, float, float], Any]] = {"banquise": banquise, "lmgc90": lmgc90, "mujoco": mujoco}

if __name__ == "__main__":
    walled = wall(joint=JOINT, settle=settlement())
    constant = float(sys.argv[3]) if len(sys.argv) > 3 else 0.02
    print(line(walled, ENGINES[sys.argv[1]](walled, float(sys.argv[2]), constant)))
