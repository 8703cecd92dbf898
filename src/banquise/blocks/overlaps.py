"""Blocks that overlap before a run begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from banquise.detection.spatial import Blocks, distances, find_pairs, part_boxes
from banquise.scene.polyhedron import Polyhedron


def overlaps(blocks: Sequence[Polyhedron], part: float = 1e-3) -> list[tuple[int, int, float]]:
    """Pairs (i, j, depth m) of blocks that overlap deeper than `part` of the smaller one's size, fixed pairs left out."""
    placed = Blocks.of(blocks)
    pairs = find_pairs(part_boxes(placed, np.zeros(len(placed.block_of))), block_of=placed.block_of)
    size = np.cbrt([b.volume for b in blocks])
    deepest: dict[tuple[int, int], float] = {}
    for (p, q), gap in zip(pairs, distances(placed, pairs, reach=0.0).distance):
        i, j = sorted((int(placed.block_of[p]), int(placed.block_of[q])))
        if -gap > part * min(size[i], size[j]) and not (blocks[i].fixed and blocks[j].fixed):
            deepest[i, j] = max(deepest.get((i, j), 0.0), -float(gap))
    return [(i, j, depth) for (i, j), depth in sorted(deepest.items())]
