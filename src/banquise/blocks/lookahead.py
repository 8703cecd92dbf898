"""What a step would run into: where blocks would overlap at its end, further contact points for the same step.

Contacts are found at one instant, along one normal a pair. Corners of quick blocks come round, or meet another face than the
nearest one, within the step. The velocities found are therefore tried: blocks are moved to where the next contacts will be
looked for, and where they overlap there the step is solved again with those points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from banquise.blocks.contacts import Touching, watched
from banquise.detection.spatial import Distances, contacts, distances
from banquise.motion import rotation
from banquise.scene.meshes import Floats

if TYPE_CHECKING:
    from banquise.blocks.simulation import BlockSimulation

ROUNDS = 2  # solutions of a step beside the first
QUICK = 1e-3  # of a block's size: slower ones, by what they move within the step, are not looked at
DEEP = 2e-4  # of the smaller block: an overlap that is worth another solution


def overlooked(sim: BlockSimulation, touching: Touching, velocity: Floats, ahead: float) -> Touching | None:
    """The contacts with those points where quick blocks, at these velocities, overlap `ahead` seconds later.

    Their `gap` is that at which the overlap would begin: a further point like any other, held by the same law. None where
    nothing overlaps.
    """
    if not len(touching.gap):  # nobody came within reach, and nobody was given another velocity
        return None
    now = sim.columns
    path = ahead * (np.linalg.norm(velocity[:, :3], axis=1) + np.linalg.norm(velocity[:, 3:], axis=1) * now.reach)
    quick = path > QUICK * now.size
    if not quick.any():
        return None
    orientation, _ = rotation.advance(now.orientation, velocity[:, 3:], now.inertia, ahead)
    later = replace(now, centre=now.centre + ahead * velocity[:, :3], orientation=orientation, velocity=velocity)
    turned = later.rotation
    blocks = later.placed(turned)
    pairs = sim.finder.candidates(later, blocks, watched(later, ahead, sim.strength))
    own = blocks.block_of[pairs]
    pairs = pairs[quick[own].any(axis=1) & sim.bonds.loose(own, len(now))]
    near = distances(blocks, pairs, 0.0)
    size = now.size[blocks.block_of[pairs]].min(axis=1)
    deep = np.flatnonzero(~near.far & (near.distance < -DEEP * size))
    if not len(deep):
        return None
    near = Distances(*(getattr(near, name)[deep] for name in ("distance", "normal", "on_a", "on_b", "status")))
    met = contacts(blocks, pairs[deep], near)
    pair, place = np.nonzero(met.gap < 0.0)  # beyond the count of a pair there are NaN
    a, b = blocks.block_of[pairs[deep[pair]]].T
    # where the two material points that meet are now; their middle stands for both, so that angular momentum is kept
    back = now.rotation @ turned.transpose(0, 2, 1)
    on_a, on_b = (
        now.centre[k] + np.einsum("kij,kj->ki", back[k], met.point[pair, place] - later.centre[k]) for k in (a, b)
    )
    point, normal = 0.5 * (on_a + on_b), near.normal[pair]
    lever_a, none = point - now.centre[a], np.zeros((len(pair), 3))
    more = touching.joined(
        body_a=a.astype(np.int32), body_b=b.astype(np.int32), point=point, normal=normal, gap=met.gap[pair, place],
        lever_a=lever_a, lever_b=point - now.centre[b], spot=np.einsum("kji,kj->ki", now.rotation[a], lever_a),
        size=size[deep[pair]], guess=none, impulse=none,
    )  # fmt: skip
    more.gap[len(touching.gap) :] -= ahead * more.along(velocity)[len(touching.gap) :]
    return more
