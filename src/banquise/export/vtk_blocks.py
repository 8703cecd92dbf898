"""Runs of blocks for ParaView: a .vtp file of skins a record, and a .pvd that strings them in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from banquise.export.vtk import vtp_text, write_pvd
from banquise.recording.block_shapes import blocks_from
from banquise.scene.polyhedron import rotation_matrix
from banquise.scene.skins import skin_of


def write_vtk(run: Any, folder: Path, stride: int = 1) -> None:
    """A folder of .vtp files and the .pvd beside them in it; rounded blocks as the triangles the player shows."""
    folder.mkdir(parents=True, exist_ok=True)
    skins = [skin_of(block)[:2] for block in blocks_from(run.shapes)]
    counts = [len(points) for points, _ in skins]
    points = np.concatenate([p for p, _ in skins])
    point_block = np.repeat(np.arange(len(skins)), counts)
    triangles = np.concatenate([t + first for (_, t), first in zip(skins, np.cumsum([0, *counts]))])
    owner = np.repeat(np.arange(len(skins)), [len(t) for _, t in skins])
    shapes, times = run.shapes, np.asarray(run.records["time"], dtype=float)
    mass, fixed = shapes["mass"].values, shapes["fixed"].values.astype(np.int64)
    names: dict[float, str] = {}
    for k in range(0, len(times), stride):
        state = run.records["state"][k].T  # (block, 14)
        turned = rotation_matrix(state[:, 3:7])[point_block]
        world = np.einsum("kij,kj->ki", turned, points) + state[point_block, :3]
        cells: dict[str, tuple[Any, int]] = {
            "block": (owner, 1),
            "velocity": (state[owner, 7:10].ravel(), 3),
            "speed": (np.linalg.norm(state[:, 7:10], axis=1)[owner], 1),
            "spin": (state[owner, 10:13].ravel(), 3),
            "contact_force": (state[owner, 13], 1),
            "mass": (mass[owner], 1),
            "fixed": (fixed[owner], 1),
        }
        names[float(times[k])] = f"blocks_{k:06d}.vtp"
        (folder / names[float(times[k])]).write_text(vtp_text(world, triangles, cells))
    write_pvd(folder / "blocks.pvd", names)
