"""Broad phase: the same pairs from every method."""

from __future__ import annotations

import numpy as np
import pytest

import banquise as bq
from banquise.detection.spatial import Blocks, find_pairs, part_boxes
from banquise.detection.spatial.broad_phase import METHODS, by_cells
from banquise.scenes.boxes import spread_boxes

from .shapes import l_of_parts


def scenes():
    rng = np.random.default_rng(4)
    yield "sizes 1:10", spread_boxes(rng, 1000, 10)
    yield "equal sizes", spread_boxes(rng, 600, 1)
    flat = spread_boxes(rng, 1000, 10)
    flat[:, 2], flat[:, 5] = -0.5, 0.5
    yield "all in a plane", flat
    line = spread_boxes(rng, 200, 3)
    line[:, [1, 2]], line[:, [4, 5]] = 0.0, 1.0
    yield "all on a line", line
    grid = np.stack(np.meshgrid(*[np.arange(7.0)] * 3), -1).reshape(-1, 3)
    yield "touching lattice", np.hstack([grid - 0.5, grid + 0.5])
    yield "one on another", np.vstack([spread_boxes(rng, 60, 2)] * 2)
    yield "points", np.tile(rng.normal(size=(50, 3)), (1, 2))
    yield "two", np.array([[0, 0, 0, 1, 1, 1], [0.5, 0, 0, 2, 1, 1.0]])
    far = spread_boxes(rng, 100, 2)
    far[0] += 1e6
    yield "one far away", far


SCENES = dict(scenes())


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("method", [m for m in METHODS if m != "brute"])
def test_every_method_finds_the_pairs_of_brute_force(scene, method):
    boxes = SCENES[scene]
    expected = find_pairs(boxes, "brute")
    np.testing.assert_array_equal(find_pairs(boxes, method), expected)
    if scene in ("sizes 1:10", "all in a plane"):
        assert len(expected) > 500


def test_cells_of_the_largest_body_find_the_same():
    boxes = SCENES["sizes 1:10"]
    largest = float((boxes[:, 3:] - boxes[:, :3]).max())
    assert len(by_cells(boxes, largest)) == len(find_pairs(boxes, "brute"))


def test_boxes_hold_the_turned_bodies_and_their_radius():
    rng = np.random.default_rng(2)
    cube = bq.Polyhedron.box((1, 2, 3), radius=0.25)
    blocks = [cube.moved(position=rng.normal(size=3), orientation=rng.normal(size=4)) for _ in range(20)]
    boxes = part_boxes(Blocks.of(blocks), margin=0.1)
    for block, box in zip(blocks, boxes):
        np.testing.assert_allclose(box[:3], block.world_vertices.min(axis=0) - 0.35, atol=1e-12)
        np.testing.assert_allclose(box[3:], block.world_vertices.max(axis=0) + 0.35, atol=1e-12)


def test_parts_of_one_block_are_no_pair():
    blocks = Blocks.of([l_of_parts(), l_of_parts().moved(position=(1.5, 0, 0))])
    pairs = find_pairs(part_boxes(blocks), block_of=blocks.block_of)
    assert all(blocks.block_of[i] != blocks.block_of[j] for i, j in pairs) and len(pairs) > 0


def test_bad_input_is_said():
    with pytest.raises(bq.BanquiseError, match="cells"):
        find_pairs(SCENES["two"], "cell")
    with pytest.raises(bq.BanquiseError, match="box 1"):
        find_pairs(np.array([[0, 0, 0, 1, 1, 1], [np.nan] * 6]))
    assert find_pairs(np.empty((0, 6))).shape == (0, 2)
