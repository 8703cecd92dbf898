"""Other engines on the 105-block wall at rest, each in a process of its own: LMGC90 can end the process from Fortran.

`python -m banquise.bench.blocks_peers NAME STEPS` prints steps a second of processor time, and the deepest overlap in mm.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

STEP, GRAVITY = 1e-3, 9.81
PEERS = {"lmgc90": "compas_lmgc90", "mujoco": "mujoco"}


def rate(name: str, steps: int) -> tuple[float, float] | None:
    """(steps a second, deepest overlap in mm) of a peer; None when it is not installed or fails."""
    command = [sys.executable, "-m", "banquise.bench.blocks_peers", name, str(steps)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        found = [float(x) for x in done.stdout.split()[-2:]]
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return (found[0], found[1]) if done.returncode == 0 and len(found) == 2 else None


def _boxes() -> list[tuple[Any, Any, bool]]:
    from banquise.scenes.blocks import wall

    return [(b.world_vertices, b.position, b.fixed) for b in wall().blocks]


def lmgc90(steps: int) -> tuple[float, float]:
    """LMGC90 by compas_lmgc90: one friction coefficient only, 0.6."""
    from compas_lmgc90.solver import Solver

    from banquise.scene.polyhedron import Polyhedron

    solver = Solver(dt=STEP, theta=0.5, density=600.0)
    for vertices, _, _ in _boxes():
        hull = Polyhedron(vertices)
        solver.geometry_from_v_f({"vertices": hull.vertices.tolist(), "faces": hull.faces.tolist()})
    solver.set_supports(z_threshold=0.0)
    solver.contact_law("IQS_CLB", 0.6, alert=1e-3)
    solver.preprocess()
    for _ in range(20):
        solver.lmgc90.compute_one_step()
    began = time.process_time()
    for _ in range(steps):
        result = solver.lmgc90.compute_one_step()
    spent = time.process_time() - began
    solver.last_result = result
    return steps / spent, -1e3 * min(0.0, *solver.get_contacts()["gaps"])


def mujoco(steps: int) -> tuple[float, float]:
    """MuJoCo with boxes, its soft contacts as they come."""
    import mujoco as engine
    import numpy as np

    geoms = []
    for vertices, place, fixed in _boxes():
        half = 0.5 * (vertices.max(axis=0) - vertices.min(axis=0))
        size, where = " ".join(map(str, half)), " ".join(map(str, place))
        friction = 0.7 if fixed else 0.6
        geom = f'<geom type="box" size="{size}" density="600" friction="{friction} 0 0" condim="3"/>'
        joint = "" if fixed else "<freejoint/>"
        geoms.append(f'<body pos="{where}">{joint}{geom}</body>')
    text = (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -{GRAVITY}" cone="elliptic"/><size memory="200M"/>'
        f"<worldbody>{''.join(geoms)}</worldbody></mujoco>"
    )
    model = engine.MjModel.from_xml_string(text)
    data = engine.MjData(model)
    for _ in range(50):
        engine.mj_step(model, data)
    began = time.process_time()
    for _ in range(steps):
        engine.mj_step(model, data)
    spent = time.process_time() - began
    return steps / spent, -1e3 * min(0.0, float(np.min(data.contact.dist)))


if __name__ == "__main__":
    print(*{"lmgc90": lmgc90, "mujoco": mujoco}[sys.argv[1]](int(sys.argv[2])))
