"""Impacts of blocks, one row a pair and an instant: pairs that come together, not those that lean on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.recording.block_file import EVENTS
from banquise.scene.meshes import Floats

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

STILL = 1e-9  # of the greatest speed: approaches slower than this are rounding


def note_impacts(sim: BlockSimulation, meets: NDArray[np.bool_], before: Floats, time: float) -> None:
    """Enter the pairs that met at the points `meets` (m,) of the last kick, with all that acted between the two.

    before : (n, 6) velocities before the kick
    """
    touching = sim.touching
    if touching is None or not meets.any():
        return
    push = np.einsum("ki,ki->k", touching.impulse, touching.normal)
    fastest = float(np.abs(before).max(initial=0.0))
    meets = meets & (push > 0.0) & (touching.along(before) < -STILL * fastest)
    pair = touching.body_a.astype(np.int64) * len(sim.columns) + touching.body_b
    met = np.unique(pair[meets])
    rows = np.flatnonzero(np.isin(pair, met))
    which = np.searchsorted(met, pair[rows])

    def total(values: Floats) -> Floats:
        out = np.zeros((len(met), *values.shape[1:]))
        np.add.at(out, which, values[rows])
        return out

    along = np.abs(push)
    across = touching.impulse - push[:, None] * touching.normal
    mean = 0.5 * (touching.speed(before) + touching.speed(sim.columns.velocity))
    events = np.zeros((len(met), len(EVENTS)))
    events[:, 0] = time
    events[:, 2], events[:, 3] = met // len(sim.columns), met % len(sim.columns)
    events[:, 4:7] = total(along[:, None] * touching.point) / total(along)[:, None]
    events[:, 7], events[:, 8] = total(push), np.linalg.norm(total(across), axis=1)
    events[:, 9] = -total(np.einsum("ki,ki->k", touching.impulse, mean))
    sim.events.append(events)
    sim.ledger.add(collisions=len(events))
