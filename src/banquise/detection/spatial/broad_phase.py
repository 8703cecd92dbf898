"""Broad phase: which boxes meet. Several methods, one answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from banquise.detection.spatial import _kernels_broad as kernels
from banquise.detection.spatial.table import Blocks
from banquise.errors import CaseError, nearest
from banquise.scene.meshes import Floats, Ints
from banquise.scene.tree import Tree
from banquise.threads import over_blocks


def part_boxes(blocks: Blocks, margin: ArrayLike = 0.0) -> Floats:
    """Boxes (n, 6) of all parts in the world: low corner, high corner, with `margin` (m) around."""
    n = len(blocks.shape_of)
    boxes = np.empty((n, 6))
    grow = np.array(np.broadcast_to(np.asarray(margin, dtype=np.float64), (n,)))
    shapes = blocks.shapes

    def work(first: int, last: int) -> None:
        kernels.part_boxes(
            first, last, blocks.shape_of, blocks.position, blocks.rotation, shapes.corners, shapes.bounds,
            shapes.radius,
            grow, boxes,
        )  # fmt: skip

    over_blocks(work, n)
    return boxes


def _grown(find: Callable[[Ints], int], guess: int) -> Ints:
    """Pairs of a kernel that counts always and writes what fits."""
    out = np.empty((guess, 2), dtype=np.int64)
    count = find(out)
    if count > guess:
        out = np.empty((count, 2), dtype=np.int64)
        find(out)
    return out[:count]


def by_brute_force(boxes: Floats) -> Ints:
    """Every pair tried: the reference."""
    return _grown(lambda out: kernels.brute(boxes, out), 16 * len(boxes))


def by_sweep(boxes: Floats) -> Ints:
    """Sort and sweep along the axis on which the bodies are spread most, measured in bodies."""
    extent = boxes[:, 3:] - boxes[:, :3]
    axis = int(np.argmax(np.ptp(boxes[:, :3], axis=0) / np.maximum(extent.mean(axis=0), 1e-300)))
    order = np.argsort(boxes[:, axis], kind="stable")
    return _grown(lambda out: kernels.sweep(boxes, order, axis, out), 16 * len(boxes))


def by_cells(boxes: Floats, cell: float | None = None) -> Ints:
    """Linked cells, a body in every cell its box meets.

    Cells of the mean extent of the bodies keep the number of entries in proportion to the bodies whatever their
    sizes; cells of the largest body (the classical choice) hold thousands of small ones when sizes are spread.
    """
    low = boxes[:, :3].min(axis=0)
    span = boxes[:, 3:].max(axis=0) - low
    if cell is None:
        cell = float((boxes[:, 3:] - boxes[:, :3]).mean())
    cell = max(cell, 1e-12 * float(span.max()), 1e-300)
    while (
        np.prod(np.floor(span / cell) + 1) > 8 * len(boxes) + 512
    ):  # a sparse scene: no more cells than bodies ask for
        cell *= 1.26
    shape = (np.floor(span / cell) + 1).astype(np.int64) + 1  # one to spare, for what rounds up
    start = np.empty(int(np.prod(shape)) + 1, dtype=np.int64)
    member = np.empty(kernels.count_cells(boxes, low, cell, shape, start), dtype=np.int64)
    return _grown(lambda out: kernels.in_cells(boxes, low, cell, shape, start, member, out), 16 * len(boxes))


def by_tree(boxes: Floats) -> Ints:
    """A tree of boxes in Morton order."""
    return Tree.of(boxes).overlapping()


def by_triangulation(boxes: Floats) -> Ints:
    """Delaunay triangulation of the centres, walked from each body as far as the ball around its box can touch
    another's.
    """
    from scipy.spatial import Delaunay

    centres = np.ascontiguousarray(0.5 * (boxes[:, :3] + boxes[:, 3:]))
    reach = 0.5 * np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1)
    places, place_of = np.unique(centres, axis=0, return_inverse=True)
    place_of = place_of.ravel()
    middle = places - places.mean(axis=0)
    size, axes = np.linalg.svd(middle, full_matrices=False)[1:] if len(places) > 1 else (np.zeros(1), np.zeros((1, 3)))
    rank = int(np.sum(size > 1e-9 * max(float(size[0]), 1e-300)))
    flat = middle @ axes[:rank].T
    if len(places) <= rank + 1:
        links = np.array([[i, j] for i in range(len(places)) for j in range(i)]).reshape(-1, 2)
    elif rank == 1:  # all on a line
        order = np.argsort(flat[:, 0])
        links = np.column_stack([order[:-1], order[1:]])
    else:
        mesh = Delaunay(flat)
        corners = [mesh.simplices[:, [i, j]] for i in range(rank + 1) for j in range(i)]
        links = np.vstack([*corners, mesh.coplanar[:, [0, 2]]])  # points Qhull left out hang on their nearest
    # Bodies with one centre hang on the first of them.
    head = np.full(len(places), -1, dtype=np.int64)
    head[place_of[::-1]] = np.arange(len(boxes))[::-1]
    links = np.vstack([head[links], np.column_stack([np.arange(len(boxes)), head[place_of]])])
    links = np.unique(np.vstack([links, links[:, ::-1]]), axis=0)
    links = links[links[:, 0] != links[:, 1]]
    start = np.searchsorted(links[:, 0], np.arange(len(boxes) + 1))
    joined = np.ascontiguousarray(links[:, 1])
    return _grown(lambda out: kernels.along_triangulation(boxes, centres, reach, start, joined, out), 16 * len(boxes))


METHODS: dict[str, Callable[[Floats], Ints]] = {
    "cells": by_cells,
    "sweep": by_sweep,
    "triangulation": by_triangulation,
    "tree": by_tree,
    "brute": by_brute_force,
}


def find_pairs(boxes: Floats, method: str = "cells", block_of: Ints | None = None) -> Ints:
    """(k, 2) pairs i < j of boxes that meet, in order; pairs of one block left out when `block_of` is given.

    `method`: "cells" (default: fastest for equal sizes and for sizes spread 1:10, see the page on blocks), "sweep",
    "tree", "triangulation" or "brute". All give the same pairs.
    """
    if method not in METHODS:
        raise CaseError(f"broad phase: no method {method!r}. {nearest(method, METHODS)}")
    if len(boxes) < 2:
        return np.empty((0, 2), dtype=np.int64)
    boxes = np.ascontiguousarray(boxes, dtype=np.float64)
    if not np.isfinite(boxes).all():
        row = int(np.argmin(np.isfinite(boxes).all(axis=1)))
        raise CaseError(f"broad phase: box {row} is not finite ({boxes[row]}). Look at what moves that body.")
    pairs = METHODS[method](boxes)
    if block_of is not None:
        pairs = pairs[block_of[pairs[:, 0]] != block_of[pairs[:, 1]]]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
