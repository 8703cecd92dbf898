"""Bodies well inside each other: the short search against hulls of all differences, and against the careful one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from scipy.spatial import ConvexHull

from banquise.bits import bits_of, lowest_bit
from banquise.detection.spatial import Blocks, Shapes, distances
from banquise.detection.spatial import _kernels_farthest as kernels_farthest
from banquise.detection.spatial import _kernels_inside as kernels_inside
from banquise.detection.spatial.table import _coarse_ways
from banquise.scene.solids import convex_part

from .shapes import box_part, pebble_part, placed, random_pairs


def body(rng: np.random.Generator, corners: int, kind: str):
    """A hull of random points around the origin."""
    points = rng.normal(size=(corners, 3))
    if kind != "loose":
        points /= np.linalg.norm(points, axis=1)[:, None]
    points *= 0.5 * rng.uniform(0.5, 1.5, 3)
    points *= {"flat": [1.0, 1.0, 10.0 ** rng.uniform(-4, -1)], "needle": [1.0, *10.0 ** rng.uniform(-3, -1, 2)]}.get(
        kind, 1.0
    )
    points *= 10.0 ** rng.uniform(-3, 0) if kind == "small" else 1.0
    return convex_part(points - points.mean(axis=0))


def deep_pairs(rng: np.random.Generator, count: int) -> tuple[Blocks, np.ndarray]:
    """Bodies of 4 to 130 corners, round, flat, thin and a thousand times smaller, deep in each other."""
    kinds = ("round", "loose", "flat", "needle", "small")
    parts = [body(rng, int(rng.integers(4, 16) if k % 2 else rng.integers(4, 131)), kinds[k % 5]) for k in range(60)]
    size = np.array([np.linalg.norm(part.corners, axis=1).max() for part in parts])
    shape_of = rng.integers(0, len(parts), 2 * count)
    least = np.minimum(size[shape_of[::2]], size[shape_of[1::2]])
    position = np.zeros((2 * count, 3))
    position[1::2] = rng.normal(size=(count, 3)) * (0.3 * least * 10.0 ** rng.uniform(-3, 0, count))[:, None]
    return placed(parts, shape_of, position, rng.normal(size=(2 * count, 4)))


def in_world(blocks: Blocks, k: int) -> np.ndarray:
    return blocks.position[k] + blocks.shapes.parts[blocks.shape_of[k]].corners @ blocks.rotation[k].T


def test_depth_is_that_of_the_hull_of_all_differences():
    blocks, pairs = deep_pairs(np.random.default_rng(1), 1500)
    found = distances(blocks, pairs)
    inside = np.flatnonzero(found.distance < 0.0)
    assert len(inside) > 1000 and np.all(found.status == 0)
    for row in inside:
        a, b = pairs[row]
        first, second = in_world(blocks, a), in_world(blocks, b)
        size = blocks.shapes.size[blocks.shape_of[a]] + blocks.shapes.size[blocks.shape_of[b]]
        hull = ConvexHull((first[:, None] - second[None]).reshape(-1, 3))
        assert -found.distance[row] == pytest.approx(-hull.equations[:, 3].max(), abs=1e-12 * size)
        # the points lie that far apart along the normal, in the planes where the bodies end
        normal = found.normal[row]
        np.testing.assert_allclose(found.on_b[row] - found.on_a[row], found.distance[row] * normal, atol=1e-11 * size)
        assert (first @ normal).max() == pytest.approx(found.on_a[row] @ normal, abs=1e-11 * size)
        assert (second @ normal).min() == pytest.approx(found.on_b[row] @ normal, abs=1e-11 * size)


def careful(blocks: Blocks) -> Blocks:
    """The same bodies without rows of corners: the short search has nothing to go by."""
    shapes = replace(blocks.shapes)
    rows, at, width, coarse, inner = blocks.shapes.solid
    shapes.__dict__["solid"] = rows, at, 0 * width, coarse, 0.0 * inner
    return replace(blocks, shapes=shapes)


@pytest.mark.parametrize("remembered", [False, True])
def test_the_short_search_and_the_careful_one_agree(remembered):
    rng = np.random.default_rng(2)
    parts = [pebble_part(rng, n) for n in (4, 6, 8, 12, 24, 25, 40, 41, 64, 80, 104, 105, 128, 129, 150)]
    blocks, pairs = random_pairs(rng, [*parts, box_part((1, 1, 1))], 4000, 0.0, 1.2)
    last = rng.normal(size=(len(pairs), 3)) if remembered else None
    if last is not None:
        last /= np.linalg.norm(last, axis=1)[:, None]
    found, other = distances(blocks, pairs, last=last), distances(careful(blocks), pairs, last=last)
    assert np.mean(found.distance < 0.0) > 0.6
    np.testing.assert_allclose(found.distance, other.distance, atol=1e-12)
    np.testing.assert_allclose(found.on_b - found.on_a, found.distance[:, None] * found.normal, atol=1e-11)


def test_the_same_body_in_its_own_place():
    rng = np.random.default_rng(3)
    parts = [pebble_part(rng, n) for n in (4, 10, 30, 60, 100, 140)]
    blocks, pairs = placed(parts, np.repeat(np.arange(6), 2), np.zeros((12, 3)), np.tile([1.0, 0, 0, 0], (12, 1)))
    found = distances(blocks, pairs)
    for row, part in enumerate(parts):
        hull = ConvexHull((part.corners[:, None] - part.corners[None]).reshape(-1, 3))
        assert -found.distance[row] == pytest.approx(-hull.equations[:, 3].max(), abs=1e-12)


FARTHEST = vars(kernels_farthest)["farthest"]  # an inner function: called from a kernel only


@njit
def look(rows, at, width, size, ways, out):
    for k in range(len(ways)):
        x, y, z = ways[k]
        out[k] = FARTHEST(rows, at, width, size, x, y, z)


@pytest.mark.parametrize("corners", [5, 24, 25, 40, 41, 64, 65, 104, 105, 128])
def test_the_farthest_corner_of_rows(corners):
    rng = np.random.default_rng(4)
    part = pebble_part(rng, corners)
    shapes = Shapes.of([box_part((1, 1, 1)), part])
    rows, at, width, _, inner = shapes.solid
    assert width[1] >= corners and width[0] == kernels_farthest.WIDTHS[0]

    shape_size = float(shapes.size[1])
    ways = rng.normal(size=(2000, 3)) * 10.0 ** rng.uniform(-6, 6, (2000, 1))
    out = np.empty(len(ways), dtype=np.int64)
    look(rows, at[1], width[1], shape_size, ways, out)
    reach = part.corners @ ways.T
    lost = (reach.max(axis=0) - reach[out, np.arange(len(ways))]) / np.linalg.norm(ways, axis=1)
    assert lost.max() <= 2e-13 * shape_size
    planes = ConvexHull(part.corners).equations
    assert inner[1] == pytest.approx(max(0.0, -planes[:, 3].max()), abs=1e-14)


def test_the_coarse_table_names_the_farthest_corner_along_the_middle_of_each_cell():
    part = pebble_part(np.random.default_rng(5), 90)
    coarse = Shapes.of([part]).solid[3]
    for cell, way in enumerate(_coarse_ways()):
        assert kernels_farthest.near_cell.py_func(*way) == cell
        assert part.corners[coarse[cell]] @ way == pytest.approx(np.max(part.corners @ way), rel=1e-14)


@pytest.mark.parametrize("kind", [0, 1])
def test_first_polytopes_are_closed_and_convex(kind):
    (way, face, edge), (next_way, next_face, next_edge) = kernels_inside.BEGIN[kind : kind + 2]
    ways, faces = kernels_inside.WAYS[way:next_way], kernels_inside.FIRST[face:next_face]
    edges = {(t[k], t[(k + 1) % 3]) for t in faces.tolist() for k in range(3)}
    assert len(edges) == 3 * len(faces) == 6 * (len(ways) - 2)
    assert all((j, i) in edges for i, j in edges)
    assert next_edge - edge == len(edges) // 2
    np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 1.0)
    for f, corner in kernels_inside.ACROSS[edge:next_edge]:
        a, b, c = ways[faces[f]]
        normal = np.cross(b - a, c - a)
        assert normal @ a > 0.1 * np.linalg.norm(normal) and normal @ (ways[corner] - a) < 0.0


def test_bits_of_numbers():
    @njit
    def bits(values, words, out, places):
        for k in range(len(values)):
            out[k] = bits_of(values[k])
            places[k] = lowest_bit(words[k])

    values = np.sort(np.abs(np.random.default_rng(6).normal(size=64)) * 10.0 ** np.linspace(-200, 200, 64))
    words = np.uint64(2) ** np.arange(64).astype(np.uint64) + np.uint64(2**63) * (np.arange(64) < 63)
    out, places = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.uint64)
    bits(values, words.astype(np.uint64), out, places)
    np.testing.assert_array_equal(out, values.view(np.int64))
    assert np.all(np.diff(out) > 0)
    np.testing.assert_array_equal(places, np.arange(64))
