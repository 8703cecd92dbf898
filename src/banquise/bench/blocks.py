"""Distances of convex pairs a second, with and without overlap, beside coal when it is installed; broad phases."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from banquise import bench as registry
from banquise.bench import Figure, cpu_seconds
from banquise.detection.spatial import Blocks, Shapes, distances, find_pairs
from banquise.detection.spatial.broad_phase import METHODS
from banquise.scene.meshes import Floats, Ints
from banquise.scene.polyhedron import rotation_matrix
from banquise.scene.solids import ConvexPart, convex_part
from banquise.scenes.boxes import spread_boxes
from banquise.threads import set_threads, threads

BARS = {8: 800_000.0, 100: 300_000.0}  # pairs a second, one core
PEER_BAR = 6.0  # times coal driven from Python, in the same run


def bodies(rng: np.random.Generator, corners: int, count: int = 200) -> list[ConvexPart]:
    """Boxes (8 corners) or hulls of points on ellipsoids, about one metre across."""
    if corners == 8:
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        return [convex_part(signs * rng.uniform(0.3, 0.6, 3)) for _ in range(count)]
    points = rng.normal(size=(count, corners, 3))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    return [convex_part(p * rng.uniform(0.4, 0.6, 3)) for p in points]


def pairs_of(
    rng: np.random.Generator, parts: list[ConvexPart], count: int, near: float, far: float
) -> tuple[Blocks, Ints]:
    """Random pairs, turned at random, their centres `near` to `far` metres apart; each body is in one pair."""
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    position = rng.normal(size=(2 * count, 3))
    position[1::2] = position[::2] + direction * rng.uniform(near, far, count)[:, None]
    turns = rng.normal(size=(2 * count, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    shape_of = rng.integers(0, len(parts), 2 * count)
    blocks = Blocks(Shapes.of(parts), shape_of, position, rotation_matrix(turns), np.arange(2 * count))
    return blocks, np.arange(2 * count).reshape(-1, 2)


def coal_shapes(coal: Any, parts: Iterable[ConvexPart]) -> list[Any]:
    """The parts as convex shapes of coal."""
    shapes = []
    for part in parts:
        points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in part.corners:
            points.append(corner)
        for triangle in part.triangles:
            faces.append(coal.Triangle(*(int(k) for k in triangle)))
        shapes.append(coal.Convex(points, faces))
    return shapes


def coal_distances(coal: Any, shapes: list[Any], blocks: Blocks, pairs: Ints, tolerance: float | None = None) -> Floats:
    """The same distances by coal, pair by pair: poses from arrays in, distance and both points out."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    if tolerance is not None:
        request.gjk_tolerance = request.epa_tolerance = tolerance
        request.gjk_max_iterations = request.epa_max_iterations = 1000
    out, on_a, on_b = np.empty(len(pairs)), np.empty((len(pairs), 3)), np.empty((len(pairs), 3))
    first, second = coal.Transform3s(), coal.Transform3s()
    of, position, rotation = blocks.shape_of, blocks.position, blocks.rotation
    for k, (i, j) in enumerate(pairs.tolist()):
        first.setTransform(rotation[i], position[i])
        second.setTransform(rotation[j], position[j])
        result.clear()
        out[k] = coal.distance(shapes[of[i]], first, shapes[of[j]], second, request, result)
        on_a[k], on_b[k] = result.getNearestPoint1(), result.getNearestPoint2()
    return out


# Kinds of pairs: apart as most near pairs of a scene are; a neighbour list of a loose pile; a mixture in which a
# third to a half overlap; deep overlap, which no step makes: the hardest.
KINDS = {"apart": (1.5, 2.5), "near": (1.1, 2.1), "mixed": (0.4, 2.0), "overlapping": (0.0, 0.8)}


def bench(quick: bool = False) -> list[Figure]:
    """Pairs a second on one core for 8, 20, 50 and 100 corners, and the broad phases."""
    before = threads()
    set_threads(1)
    try:
        return [*_distances(quick), *_broad_phases(quick)]
    finally:
        set_threads(before)


def _distances(quick: bool) -> list[Figure]:
    coal: Any = None
    if registry.peers:
        with contextlib.suppress(ImportError):
            coal = importlib.import_module("coal")
    rng = np.random.default_rng(0)
    count = 4_000 if quick else 20_000
    figures = []
    for corners in (8, 20, 50, 100):
        parts = bodies(rng, corners)
        for kind, (near, far) in KINDS.items():
            blocks, pairs = pairs_of(rng, parts, count, near, far)
            rate = count / cpu_seconds(lambda: distances(blocks, pairs), 3 if quick else 7)  # noqa: B023
            overlap = float(np.mean(distances(blocks, pairs).distance < 0))
            bar = BARS.get(corners)
            note = f"{overlap:.0%} overlap"
            figures.append(Figure(f"distance, {corners} corners, {kind}", rate, "pairs/s", at_least=bar, note=note))
            if coal is not None:
                some = pairs[: count // 4]
                shapes = coal_shapes(coal, parts)  # made once, not timed
                coal_distances(coal, shapes, blocks, some[:100])
                start = time.thread_time()
                coal_distances(coal, shapes, blocks, some)
                peer = len(some) / (time.thread_time() - start)
                bar = PEER_BAR if corners in BARS else None
                figures.append(
                    Figure(f"... times coal from Python ({peer:,.0f}/s)", rate / peer, "x", at_least=bar, note=note)
                )
    return figures


def _broad_phases(quick: bool) -> list[Figure]:
    figures = []
    count = 1_000 if quick else 10_000
    for spread in (1, 10, 100):
        boxes = spread_boxes(np.random.default_rng(1), count, spread)
        for method in METHODS:
            if method == "brute" or (method == "triangulation" and not quick):
                continue
            seconds = cpu_seconds(lambda: find_pairs(boxes, method), 3)  # noqa: B023
            figures.append(Figure(f"broad phase, {count:,} boxes, sizes 1:{spread}, {method}", 1e3 * seconds, "ms"))
    return figures
