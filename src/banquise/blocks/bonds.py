"""Bonds: faces frozen or mortared together, which carry tension and shear up to a stated strength, then break.

Each point of a bonded face has its share of the strength. Mohr and Coulomb: with T the tension a point bears and S its shear
at no load, (r_n + T) >= 0 and |r_t| <= S / T (r_n + T). That is friction S / T on r_n + T, so a bond enters the contact
problem as a plain contact and a known pull T: one law, one solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banquise.errors import known_keywords
from banquise.scene.meshes import Floats, Ints
from banquise.settings import number

if TYPE_CHECKING:
    from banquise.blocks.columns import Columns
    from banquise.blocks.contacts import Touching


@known_keywords
@dataclass(frozen=True)
class Bond:
    """Strength of frozen or mortared faces.

    Parameters
    ----------
    tension : Pa a face bears when pulled
    shear : Pa along the face, at no load across it
    materials : pairs of materials that are bonded; None: all that touch at the start
    within : m; faces no farther apart than this at the start are bonded
    """

    tension: float
    shear: float
    materials: tuple[tuple[str, str], ...] | None = None
    within: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "tension", number(self.tension, "bond tension", above=0.0))
        object.__setattr__(self, "shear", number(self.shear, "bond shear", at_least=0.0))
        object.__setattr__(self, "within", number(self.within, "bond within", at_least=0.0))


@dataclass
class Bonds:
    """Bonded points as plain columns; `alive` and `impulse` change, the rest stays."""

    body_a: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    body_b: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    spot_a: Floats = field(default_factory=lambda: np.empty((0, 3)))  # m, from the centre, body axes of a
    spot_b: Floats = field(default_factory=lambda: np.empty((0, 3)))
    normal: Floats = field(default_factory=lambda: np.empty((0, 3)))  # body axes of a
    tension: Floats = field(default_factory=lambda: np.empty(0))  # N
    friction: Floats = field(default_factory=lambda: np.empty(0))  # shear / tension
    alive: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # 1, or 0 once broken
    impulse: Floats = field(default_factory=lambda: np.empty((0, 3)))  # N s on b, world, without the pull

    def arrays(self) -> dict[str, Floats | Ints]:
        """For a checkpoint."""
        return dict(self.__dict__)

    @classmethod
    def between(cls, bond: Bond, columns: Columns, touching: Touching, area: Floats) -> Bonds:
        """Bonds of all faces that touch now; `area` (p,) m2 of the contact polygon of each pair."""
        count = np.diff(touching.start)
        pair = np.repeat(np.arange(len(count)), count)
        a, b = touching.body_a.astype(np.int64), touching.body_b.astype(np.int64)
        nearest = np.minimum.reduceat(touching.gap, touching.start[:-1]) if len(count) else np.empty(0)
        held = (area > 0.0)[pair] & (nearest <= bond.within)[pair] & (touching.gap <= 10.0 * bond.within + 1e-12)
        if bond.materials is not None:
            known = {name: k for k, name in enumerate(columns.materials)}
            named = np.zeros((len(known), len(known)), bool)
            for one, other in bond.materials:
                if one in known and other in known:
                    named[known[one], known[other]] = named[known[other], known[one]] = True
            held &= named[columns.material[a], columns.material[b]]
        turned = columns.rotation
        k = np.flatnonzero(held)
        a, b = a[k], b[k]
        share = (area / np.maximum(count, 1))[pair[k]]
        return cls(
            a, b, touching.spot[k].copy(), np.einsum("kji,kj->ki", turned[b], touching.lever_b[k]),
            np.einsum("kji,kj->ki", turned[a], touching.normal[k]), bond.tension * share,
            np.full(len(k), bond.shear / bond.tension), np.ones(len(k), np.int64), np.zeros((len(k), 3)),
        )  # fmt: skip

    def loose(self, own: Ints, blocks: int) -> NDArray[np.bool_]:
        """Which pairs (p, 2) of that many blocks do not hang together."""
        rows = np.flatnonzero(self.alive)
        one, other = np.sort([self.body_a[rows], self.body_b[rows]], axis=0)
        found: NDArray[np.bool_] = ~np.isin(own[:, 0] * blocks + own[:, 1], one * blocks + other)
        return found

    def joined(self, touching: Touching, columns: Columns) -> tuple[Touching, Ints]:
        """The contacts with the living bonds as further points at the end, and the rows of those bonds."""
        rows = np.flatnonzero(self.alive)
        if not len(rows):
            return touching, rows
        a, b = self.body_a[rows], self.body_b[rows]
        turned = columns.rotation
        lever_a = np.einsum("kij,kj->ki", turned[a], self.spot_a[rows])
        lever_b = np.einsum("kij,kj->ki", turned[b], self.spot_b[rows])
        normal = np.einsum("kij,kj->ki", turned[a], self.normal[rows])
        on_a, on_b = columns.centre[a] + lever_a, columns.centre[b] + lever_b
        gap = np.einsum("ki,ki->k", on_b - on_a, normal)
        more = touching.joined(
            body_a=a.astype(np.int32), body_b=b.astype(np.int32), point=0.5 * (on_a + on_b), normal=normal, gap=gap,
            lever_a=lever_a, lever_b=lever_b, spot=self.spot_a[rows], size=np.minimum(columns.size[a], columns.size[b]),
            guess=self.impulse[rows], impulse=np.zeros((len(rows), 3)),
        )  # fmt: skip
        return more, rows
