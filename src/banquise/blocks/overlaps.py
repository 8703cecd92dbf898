"""Blocks that overlap before a run begins."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from banquise.blocks.columns import Columns, Flags
from banquise.detection.spatial import Blocks, distances, find_pairs, part_boxes
from banquise.placing import NAMED
from banquise.scene.meshes import Floats
from banquise.scene.polyhedron import Polyhedron

PART = 1e-3  # of the smaller block's size: deeper is no matter of a step


def overlaps(blocks: Sequence[Polyhedron], part: float = PART) -> list[tuple[int, int, float]]:
    """Pairs (i, j, depth m) of blocks that overlap deeper than `part` of the smaller one's size, fixed pairs left out."""
    free = np.array([not b.fixed for b in blocks], dtype=bool)
    return _deep(Blocks.of(blocks), np.cbrt([b.volume for b in blocks]), free, part)


def said(i: int, j: int, depth: float) -> str:
    """A sentence for two blocks that overlap."""
    return f"blocks {i} and {j} overlap by {depth:.4g} m. Move one of them apart."


def warn_of_start(columns: Columns) -> None:
    """Warn of blocks that overlap, by number: `banquise check` calls these errors."""
    found = _deep(columns.placed(columns.rotation), columns.size, columns.free, PART)
    if found:
        more = f" And {len(found) - NAMED} more." if len(found) > NAMED else ""
        warnings.warn("at the start of the run: " + " ".join(said(*f) for f in found[:NAMED]) + more, stacklevel=4)


def _deep(placed: Blocks, size: Floats, free: Flags, part: float) -> list[tuple[int, int, float]]:
    """Pairs (i < j, depth) in order, the deepest of their parts."""
    pairs = find_pairs(part_boxes(placed, np.zeros(len(placed.block_of))), block_of=placed.block_of)
    own = np.sort(placed.block_of[pairs], axis=1)
    moves = free[own].any(axis=1)
    pairs, own = pairs[moves], own[moves]
    depth = -distances(placed, pairs, reach=0.0).distance
    deep = depth > part * size[own].min(axis=1)
    deepest: dict[tuple[int, int], float] = {}
    for i, j, d in zip(*own[deep].T.tolist(), depth[deep].tolist()):
        deepest[i, j] = max(deepest.get((i, j), 0.0), d)
    return [(i, j, d) for (i, j), d in sorted(deepest.items())]
