"""The shapes of all bodies as the kernels want them: runs of four edges in the body frame, with boxes above them.

Nothing here moves. A run is four consecutive points of one ring and the edges that start there, padded by repeating
the last point (edge of length zero, `own` = -1). Over the runs of a body stand boxes in depth-first order with skip
links: a body of up to eight runs is a plain list of them, a coast of thousands of points a tree of eight branches.

What is read together lies together: of 100,000 floes every line of the cache comes from far memory. All about a point and
its edge fills one, and the four points and edges of a run, as rows are searched by, another.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.detection import _kernels_shapes
from banquise.detection._kernels_rows import OWN, SECTORS
from banquise.scene.bodies import rings_of_rows

RUN = 4
LINE = 64  # bytes that come from memory together

Array = NDArray[np.float64]
Index = NDArray[np.int32]


class Shapes(NamedTuple):
    """Static geometry of n bodies (m, body frames). Few wide arrays: each costs the compiler at every call."""

    block: (
        Array  # (slots, 8) x, y of a point, ex, ey of the edge from there, 1 / length^2 (0: no edge), 1 / length, links
    )
    link: Index  # (slots, 16) the same memory as integers: see `OWN`
    coarse: NDArray[
        np.float32
    ]  # (runs, 4, 4) x, y, ex, ey of the four points and edges of a run, for the search of rows
    node: Array  # (nodes, 7) box (xmin, ymin, xmax, ymax) of the edges below; centre and radius of a disc around them
    node_link: (
        Index  # (nodes, 3) run of a leaf or -1, where to go on when the node is of no interest, points of the run
    )
    body: Index  # (n + 1, 2) first node, first slot
    frame: Array  # (n, 6) box, radius, size: square root of the area, infinite for obstacles (the floe's counts)
    ids: NDArray[np.int64]
    rim: NDArray[
        np.float32
    ]  # (n, SECTORS, 2) corners of a convex polygon around the body, its sides in fixed directions


def shapes_of(bodies: Any) -> Shapes:
    """The static geometry of `bodies` (anything with the shape columns of `Bodies`)."""
    n = len(bodies.x)
    run_start = np.zeros(len(bodies.ring_start), np.int32)
    np.cumsum((np.diff(bodies.ring_start) + RUN - 1) // RUN, out=run_start[1:])
    runs = int(run_start[-1])
    block, link, coarse = _slots(RUN * runs)
    run_box = np.empty((runs, 4))
    _kernels_shapes.runs_of(
        bodies.vertices, bodies.ring_start, bodies.body_ring, run_start, block, link, coarse, run_box
    )
    body_run = run_start[bodies.body_ring]
    body_slot = RUN * body_run
    node_box, node_link, body_node = _kernels_shapes.tree_over_runs(run_box, body_run)
    middle = 0.5 * (node_box[:, :2] + node_box[:, 2:])
    points_of = np.append((link[:, OWN].reshape(-1, RUN) >= 0).sum(axis=1), 0)  # and none below a node that is no leaf
    node = np.column_stack([node_box, middle, np.hypot(*(node_box[:, 2:] - middle).T)])
    low = np.minimum.reduceat(run_box[:, :2], body_run[:-1]) if n else np.empty((0, 2))
    high = np.maximum.reduceat(run_box[:, 2:], body_run[:-1]) if n else np.empty((0, 2))
    size = np.where(np.arange(n) < bodies.n_free, np.sqrt(bodies.area), np.inf)
    return Shapes(
        block,
        link,
        coarse,
        node,
        np.column_stack([node_link, points_of[node_link[:, 0]]]).astype(np.int32),
        np.column_stack([body_node, body_slot]).astype(np.int32),
        np.column_stack([low, high, bodies.radius, size]),
        np.ascontiguousarray(bodies.ids, dtype=np.int64),
        _rims(block, body_slot),
    )


def reshaped(shapes: Shapes, bodies: Any, before: NDArray[np.int64]) -> Shapes:
    """What `shapes_of` gives for `bodies`, from the shapes before: row k had the row before[k], -1 for a new shape."""
    new = np.flatnonzero(before < 0)
    vertices, ring_start, body_ring = rings_of_rows(bodies.vertices, bodies.ring_start, bodies.body_ring, new)
    made = shapes_of(
        SimpleNamespace(
            x=new, vertices=vertices, ring_start=ring_start, body_ring=body_ring, radius=bodies.radius[new],
            area=bodies.area[new], ids=bodies.ids[new], n_free=int((new < bodies.n_free).sum()),
        )
    )  # fmt: skip
    source = before.copy()
    source[new] = len(shapes.frame) + np.arange(len(new))
    counts = np.concatenate([np.diff(shapes.body, axis=0), np.diff(made.body, axis=0)])
    (nodes, slots), n = counts.take(source, axis=0).sum(axis=0).tolist(), len(before)
    out = Shapes(
        *_slots(slots),
        np.empty((nodes, 7)),
        np.empty((nodes, 3), np.int32),
        np.empty((n + 1, 2), np.int32),
        np.empty((n, 6)),
        np.ascontiguousarray(bodies.ids, dtype=np.int64),
        np.empty((n, SECTORS, 2), np.float32),
    )
    _kernels_shapes.gathered(shapes, made, source, out)
    return out


def _on_lines(shape: tuple[int, ...], kind: Any) -> Any:
    """An array whose content is not defined and whose first number begins a line of the cache."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.empty(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size].view(kind).reshape(shape)


def _slots(n: int) -> tuple[Array, Index, NDArray[np.float32]]:
    """Room for the block, links and coarse coordinates of n slots."""
    block = _on_lines((n, 8), np.float64)
    return block, block.view(np.int32), _on_lines((n // RUN, 4, RUN), np.float32)


def _rims(block: Array, body_slot: Index) -> NDArray[np.float32]:
    """Around each body the polygon of SECTORS sides that touch it, in the directions that `sector` counts."""
    step = 2.0 * np.arange(SECTORS // 4) / (SECTORS // 4) - 1.0
    x, y = 1.0 / np.hypot(1.0, step), step / np.hypot(1.0, step)
    x, y = np.concatenate([x, -y, -x, y]), np.concatenate([y, x, -y, -x])
    out = np.empty((len(body_slot) - 1, SECTORS, 2), np.float32)
    _kernels_shapes.rims(block, body_slot, x, y, np.empty(SECTORS), out)
    return out
