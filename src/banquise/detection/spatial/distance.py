"""Signed distance of many convex pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from banquise.detection.spatial import _kernels_distance as kernels
from banquise.detection.spatial import _kernels_polytope as polytope
from banquise.detection.spatial.table import Blocks
from banquise.scene.meshes import Floats, Ints
from banquise.threads import over_blocks

TIE = 1e-10  # of the size: a normal this close to the best one counts as equally good


@dataclass(frozen=True)
class Distances:
    """One row a pair. Where `far` the pair is farther than `reach`: distance is a lower bound, there are no points."""

    distance: Floats  # (n,) m; negative: depth of the smallest shift that parts the pair
    normal: Floats  # (n, 3) unit, from a to b
    on_a: Floats  # (n, 3) m; on_b - on_a = distance * normal
    on_b: Floats  # (n, 3) m
    status: Ints  # (n,) 0, or 2 where the pair is beyond reach

    @property
    def far(self) -> np.ndarray:
        """Pairs beyond reach."""
        return self.status == polytope.FAR


def distances(blocks: Blocks, pairs: Ints, reach: float = np.inf, last: Floats | None = None) -> Distances:
    """Signed distance, normal and closest points of `pairs` (n, 2) of convex parts.

    Parameters
    ----------
    reach : m; farther pairs are left as soon as that is certain
    last : (n, 3) normals of the last step, zeros where there is none. A good guess makes the search short, and the
        last normal is kept where it is as good as the best (the normal of a touching corner is not unique).
    """
    n = len(pairs)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(n, 2)
    shapes = blocks.shapes
    normal = np.zeros((n, 3)) if last is None else np.array(last, dtype=np.float64, order="C").reshape(n, 3)
    distance, status = np.empty(n), np.empty(n, dtype=np.int64)
    on_a, on_b = np.empty((n, 3)), np.empty((n, 3))
    tie = TIE * float(shapes.size.max()) if len(shapes.size) else 0.0

    def work(first: int, end: int) -> None:
        kernels.distances(
            first, end, pairs, blocks.shape_of, blocks.position, blocks.rotation, shapes.support, shapes.bounds,
            shapes.boxes, shapes.radius, shapes.size, shapes.solid, float(reach), tie, distance, normal, on_a, on_b,
            status,
        )  # fmt: skip

    over_blocks(work, n)
    found = Distances(distance, normal, on_a, on_b, status)
    unsure = np.flatnonzero(status == polytope.UNSURE)
    if len(unsure):
        _settle(blocks, pairs, unsure, found)
    return found


def _settle(blocks: Blocks, pairs: Ints, rows: Ints, found: Distances) -> None:
    """Pairs on which the bounds did not meet (a few in a thousand nearly aligned ones): try every axis, then every
    face.
    """
    from banquise.detection.spatial.axes import separate
    from banquise.detection.spatial.polygon import contacts
    from banquise.detection.spatial.triangles import Skin, skin_distance

    shapes = blocks.shapes
    found.status[rows] = polytope.SURE
    rows = rows[[all(len(shapes.parts[blocks.shape_of[k]].triangles) for k in pairs[row]) for row in rows]]
    if not len(rows):
        return
    widest = separate(blocks, pairs[rows], reach=np.inf, exact=True)
    found.distance[rows], found.normal[rows] = widest.gap, widest.axis
    some = Distances(widest.gap, widest.axis, found.on_a[rows], found.on_b[rows], found.status[rows])
    middle = contacts(blocks, pairs[rows], some, points=1).middle
    half = 0.5 * widest.gap[:, None] * widest.axis
    found.on_a[rows], found.on_b[rows] = middle - half, middle + half
    for row, (a, b), gap, axis in zip(rows, pairs[rows], widest.gap, widest.axis):
        radii = [float(shapes.radius[blocks.shape_of[k]]) for k in (a, b)]
        if gap + sum(radii) <= 0.0:
            continue
        skins = []
        for k in (a, b):
            part = shapes.parts[blocks.shape_of[k]]
            corners = (blocks.position[k] - blocks.position[a]) + part.corners @ blocks.rotation[k].T
            skins.append(Skin.around(np.ascontiguousarray(corners[part.triangles])))
        apart, p, q = skin_distance(*skins)
        # Where a face decides, its axis is the better normal: that of two close points has lost its digits.
        best = (
            axis if apart - (gap + sum(radii)) <= 1e-12 * float(shapes.size.max()) or apart == 0.0 else (q - p) / apart
        )
        found.distance[row], found.normal[row] = apart - sum(radii), best
        found.on_a[row], found.on_b[row] = (
            blocks.position[a] + p + radii[0] * best,
            blocks.position[a] + q - radii[1] * best,
        )
