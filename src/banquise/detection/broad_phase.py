"""The broad phase: which pairs of bodies can touch at all. A neighbour list with a skin, rebuilt when it must.

A list made with margins m_i holds every pair with distance <= m_i + m_j. While each body has come a path g_i since, it
still holds every pair with distance <= (m_i - g_i) + (m_j - g_j).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise import threads
from banquise.detection import _kernels_grid
from banquise.detection._kernels_look import ROWS
from banquise.detection.scratch import Memory
from banquise.detection.shapes import Shapes

Array = NDArray[np.float64]

EXTENT_LIMIT = 4.0  # buckets a body


class PairState(NamedTuple):
    """What is remembered of each pair of a list; never anything that changes an answer."""

    until: Array  # paths at which the bodies may first touch
    line: Array  # (p, 3) a direction along which they were told apart, and how far, less place and turns (see `_apart_along`)
    known: NDArray[
        np.uint32
    ]  # (p, 1 + ROWS) rows of the last full look; first their number, points of b + 256 x points of a
    known_until: Array  # paths up to which they are all there is, less the reach
    distance: Array  # least distance, or a lower bound, at the last look
    exact: NDArray[np.bool_]
    clear: Array  # paths at which the bodies may first overlap, by the overlap routine
    seen: NDArray[np.int64]  # number of the look that last wrote its contacts
    seen_reach: Array  # (p, 2) reach and zone of that look
    seen_at: NDArray[np.int32]  # (p, 2) where it wrote them, and how many


def empty_state(n: int, memory: Memory | None = None, side: int = 0) -> PairState:
    """Columns for n pairs, to be filled; two sides, so that a new list can be made from the old one."""
    memory = memory or Memory()
    return PairState(
        memory.take(("until", side), n),
        memory.take(("line", side), n, 3),
        memory.take(("known", side), n, 1 + ROWS, kind=np.uint32),
        memory.take(("known_until", side), n),
        memory.take(("distance", side), n),
        memory.take(("exact", side), n, kind=np.bool_),
        memory.take(("clear", side), n),
        memory.take(("seen", side), n, kind=np.int64),
        memory.take(("seen_reach", side), n, 2),
        memory.take(("seen_at", side), n, 2, kind=np.int32),
    )


class Grid(NamedTuple):
    """The folded grid over a set of boxes."""

    x0: float
    y0: float
    per_x: float  # cells a metre
    per_y: float
    nx: int
    ny: int


def grid_over(box: Array, n_free: int, period: Array, bounds: tuple[float, float]) -> Grid:
    """A grid whose cell is about the mean box of the floes, folded to a few buckets a body.

    The mean box, not the area of the domain over the number of bodies: floes crowded in a corner of an empty sea then
    still get cells of their own size.
    """
    around = np.empty(5)
    _kernels_grid.extent_of(box[:n_free] if n_free else box, around)
    x0, y0, x1, y1, area = around.tolist()
    cell = max(math.sqrt(area), 1e-150)
    most = max(8.0, math.sqrt(EXTENT_LIMIT * len(box)))
    spans = [float(p) if p > 0 else s for p, s in zip(period, (x1 - x0, y1 - y0))]
    count = [max(math.floor(min(span / cell, 1e9)), 1) for span in spans]
    if count[0] * count[1] > most**2:
        limit = most if min(count) >= most else most**2 / min(count)
        count = [max(int(min(k, limit)), 1) for k in count]
    per = [k / float(p) if p > 0 else 1.0 / cell for k, p in zip(count, period)]
    origin = [float(b) if p > 0 else low for b, p, low in zip(bounds, period, (x0, y0))]
    return Grid(origin[0], origin[1], per[0], per[1], count[0], count[1])


def pairs_of_boxes(
    box: Array,
    n_free: int,
    period: Array,
    bounds: tuple[float, float],
    memory: Memory | None = None,
    side: int = 0,
) -> NDArray[np.int32]:
    """Pairs (a, b, image of b along x, along y), a < b, a a floe, whose boxes meet; sorted."""
    if n_free == 0 or len(box) < 2:
        return np.empty((0, 4), np.int32)
    kept = memory or Memory()
    grid = grid_over(box, n_free, period, bounds)
    cells = kept.take("cells", len(box), 4, kind=np.int64)
    start = kept.take("start", grid.nx * grid.ny + 2, kind=np.int32)
    most = _kernels_grid.count_cells(box, *grid, cells, start)
    bodies = kept.take("bodies", int(start[-1]), kind=np.int32)
    _kernels_grid.fill_cells(cells, grid.nx, grid.ny, start, bodies)

    def part(first: int, last: int) -> NDArray[np.int32]:
        near = kept.take(("near", first), most, 4)
        place = kept.take(("place", first), most, 4, kind=np.int64)
        room = 3 * len(box) * (last - first) // grid.ny + 64
        while True:
            pairs = kept.take(("raw", first), room, 4, kind=np.int32)
            count = _kernels_grid.find_pairs(
                first, last, box, n_free, period, *grid, cells, start, bodies, near, place, pairs
            )
            if count < room:
                return pairs[:count]
            room = count + 1

    found = threads.over_blocks(part, grid.ny, max(3000 * grid.ny // len(box), 1))
    raw = found[0] if len(found) == 1 else np.concatenate(found)
    pairs: NDArray[np.int32] = kept.take(("pairs", side), len(raw), 4, kind=np.int32)
    _kernels_grid.sort_pairs(raw, kept.take("first pair", n_free + 2, kind=np.int32), pairs)
    return pairs


def world_boxes(shapes: Shapes, pose: Array, margin: Array, memory: Memory | None = None) -> Array:
    """(n, 4) boxes of the bodies where they are, rounding and margin included."""
    box = (memory or Memory()).take("box", len(pose), 4)
    columns = (shapes.rim, shapes.frame, pose, margin, box)
    threads.over_blocks(lambda i, j: _kernels_grid.world_boxes(i, j, *columns), len(pose), 3000)
    return box


def spatial_order(bodies: Any) -> NDArray[np.intp]:
    """Permutation of the floes along a Morton curve of their centres; obstacles stay behind them.

    Rows in this order keep neighbours near in memory: detection of a large pack is a quarter to a third faster.
    """
    n = bodies.n_free
    x, y = bodies.x[:n], bodies.y[:n]
    span = max(float(np.ptp(x)), float(np.ptp(y)), 1e-300) if n else 1.0
    code = np.zeros(n, np.uint64)
    for axis, values in enumerate((x, y)):
        cell = ((values - values.min()) / span * 0xFFFF).astype(np.uint64) if n else values.astype(np.uint64)
        for bit in range(16):
            code |= ((cell >> np.uint64(bit)) & np.uint64(1)) << np.uint64(2 * bit + axis)
    return np.concatenate([np.argsort(code, kind="stable"), np.arange(n, len(bodies.x))])
