"""Convex parts and poses as flat arrays, the form in which kernels take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from banquise.detection.spatial import _kernels_farthest as farthest
from banquise.detection.spatial import _kernels_support as kernels
from banquise.errors import ShapeError
from banquise.scene.meshes import Floats, Ints
from banquise.scene.polyhedron import Polyhedron, rotation_matrix
from banquise.scene.solids import ConvexPart, convex_part

Shorts = NDArray[np.int32]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

BOXED_ABOVE = 36  # corners: trying all axes grows as the square of the edges


@cache
def _padded(n: int, extra: int) -> Ints:
    """Row numbers 0 to n - 1, the last one `extra` times more."""
    return np.minimum(np.arange(n + extra), n - 1)


def _cells(corners: Floats, bounds: Ints, counts: Sequence[int]) -> tuple[Words, Shorts, Shorts]:
    """Lists of the corners that are the farthest in each cell of directions, of the parts too large to look at all."""
    words = np.zeros((len(counts), kernels.CELLS**2), dtype=np.uint64)
    cells = np.zeros((len(counts), kernels.CELLS**2 + 1), dtype=np.int32)
    listed, used = np.empty(0, dtype=np.int32), 0
    for part, count in enumerate(counts):
        if bounds[part + 1] - bounds[part] <= kernels.LOOK_UP_TO:
            continue
        first, last = int(bounds[part]), int(bounds[part]) + count
        slack = 1e-12 * float(
            np.abs(corners[first:last]).max()
        )  # rounding of a product; a corner too many does no harm
        end = -1
        while end < 0:  # mostly there is room
            end = kernels.list_cells(corners, first, last, slack, words[part], cells[part], listed, used)
            if end < 0:
                listed = np.append(listed, np.empty(len(listed) + 2000 + 8 * count, dtype=np.int32))
        used = end
    return words, cells, listed[:used].copy()


@cache
def _coarse_ways() -> Floats:
    """Directions of the middles of the coarse table's cells."""
    side = (np.arange(farthest.COARSE) + 0.5) / (0.5 * farthest.COARSE) - 1.0
    u, v = np.repeat(side, farthest.COARSE), np.tile(side, farthest.COARSE)
    z = 1.0 - np.abs(u) - np.abs(v)
    below = z < 0.0
    x = np.where(below, (1.0 - np.abs(v)) * np.sign(u), u)
    y = np.where(below, (1.0 - np.abs(u)) * np.sign(v), v)
    return np.column_stack([x, y, z])


def _inner(part: ConvexPart) -> float:
    """Radius of a ball around the origin of the frame that lies in the part; 0 where the origin does not."""
    if not len(part.triangles):
        return 0.0
    a, b, c = (part.corners[part.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    offsets = np.einsum("ij,ij->i", normals, a)
    real = areas > 0.0
    return max(float(np.min(offsets[real] / areas[real])), 0.0) if real.any() else 0.0


def _box(corners: Floats) -> Floats:
    """Middle and half sides of a box along the axes, NaN for any other body."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    away = np.minimum(np.abs(corners - low), np.abs(corners - high)).max()
    half = 0.5 * (high - low)
    distinct = len(np.unique(corners > low + half, axis=0)) == 8
    if len(corners) != 8 or not distinct or away > 1e-15 * np.abs(corners).max():
        return np.full(6, np.nan)
    return np.concatenate([low + half, half])


def oriented_box(part: ConvexPart) -> ConvexPart:
    """A box around a part, along the principal axes of its corners."""
    middle = part.corners.mean(axis=0)
    axes = np.linalg.svd(part.corners - middle, full_matrices=False)[2]
    along = (part.corners - middle) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    signs = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    box = convex_part(middle + (low + signs * (high - low)) @ axes)
    return ConvexPart(box.corners, box.triangles, part.radius)


@dataclass(frozen=True)
class Shapes:
    """Corners of all convex parts in a row, with what finds the farthest of them quickly."""

    parts: tuple[ConvexPart, ...]
    corners: Floats  # (v, 3)
    bounds: Ints  # (s + 1,) corners of part k are corners[bounds[k]:bounds[k + 1]]
    words: Words  # (s, CELLS^2) the corners of a cell of directions in a word; zeros for parts of few corners
    cells: Shorts  # (s, CELLS^2 + 1) into listed
    listed: Shorts  # corners that are the farthest somewhere in a cell of directions, numbered within the part
    radius: Floats  # (s,)
    size: Floats  # (s,) largest distance from the origin of the frame

    @classmethod
    def of(cls, parts: Sequence[ConvexPart]) -> Shapes:
        """The table of some parts."""
        padding = [-len(p.corners) % 4 for p in parts]  # the last corner again: a tie never chooses it
        bounds = np.cumsum([0] + [len(p.corners) + extra for p, extra in zip(parts, padding)])
        corners = np.vstack([p.corners[_padded(len(p.corners), extra)] for p, extra in zip(parts, padding)])
        words, cells, listed = _cells(corners, bounds, [len(p.corners) for p in parts])
        return cls(
            tuple(parts),
            np.ascontiguousarray(corners),
            bounds.astype(np.int64),
            words,
            cells,
            listed,
            np.array([p.radius for p in parts]),
            np.array([np.linalg.norm(p.corners, axis=1).max() for p in parts]),
        )

    @cached_property
    def support(self) -> tuple[Floats, Words, Shorts, Shorts]:
        """What the support function reads."""
        return self.corners, self.words, self.cells, self.listed

    @cached_property
    def solid(self) -> tuple[Floats, Ints, Ints, Bytes, Floats]:
        """Corners in rows of x, of y and of z, for `_kernels_farthest`: the rows, where those of each part begin, their
        width (0: too many corners for rows), the farthest corner along the middle of each cell of a coarse table, one part
        after the other, and the radius of a ball within each part (minus infinity: no rows).
        """
        counts = np.array([len(part.corners) for part in self.parts])
        width = np.append(farthest.WIDTHS, 0)[np.searchsorted(farthest.WIDTHS, counts)]
        begin = np.cumsum(np.append(0, 3 * width))
        rows = np.zeros(begin[-1] + 3)
        coarse = np.zeros((len(counts), farthest.COARSE**2), dtype=np.uint8)
        inner = np.full(len(counts), -np.inf)
        for k, (part, n, w) in enumerate(zip(self.parts, counts.tolist(), width.tolist())):
            if w:
                rows[begin[k] : begin[k + 1]] = part.corners[_padded(n, w - n)].T.ravel()
                coarse[k] = np.argmax(part.corners @ _coarse_ways().T, axis=0)
                inner[k] = _inner(part)
        return rows, begin[:-1].astype(np.int64), width.astype(np.int64), coarse.ravel(), inner

    @cached_property
    def boxes(self) -> Floats:
        """(s, 6): middle and half sides of parts that are boxes along the axes of their frame; NaN for all others."""
        return np.array([_box(part.corners) for part in self.parts]).reshape(-1, 6)

    @cached_property
    def planes(self) -> tuple[Floats, Floats, Ints]:
        """Unit normals and offsets of the faces of all parts, and where each part's begin."""
        faces = [part.faces for part in self.parts]
        first = np.cumsum([0] + [len(normals) for normals, _ in faces])
        normals = np.ascontiguousarray(np.vstack([normals for normals, _ in faces]))
        return normals, np.concatenate([offsets for _, offsets in faces]), first.astype(np.int64)

    @cached_property
    def edges(self) -> tuple[Ints, Floats, Floats, Ints]:
        """Sharp edges of all parts: corners (numbered in `corners`), normals left and right, where each part's
        begin.
        """
        own = [part.sharp_edges for part in self.parts]
        first = np.cumsum([0] + [len(ends) for ends, _, _ in own])
        ends = np.vstack([ends + shift for (ends, _, _), shift in zip(own, self.bounds)])
        left = np.ascontiguousarray(np.vstack([normals for _, normals, _ in own]))
        right = np.ascontiguousarray(np.vstack([normals for _, _, normals in own]))
        return np.ascontiguousarray(ends, dtype=np.int64), left, right, first.astype(np.int64)

    @cached_property
    def boxed(self) -> Shapes:
        """The same with oriented boxes in place of the parts of many corners."""
        return Shapes.of([p if len(p.corners) <= BOXED_ABOVE else oriented_box(p) for p in self.parts])

    @property
    def widest(self) -> int:
        """Most corners of a part, padding included."""
        return int(np.diff(self.bounds).max())


@dataclass(frozen=True)
class Blocks:
    """Convex parts placed in the world: part `shape_of[k]` at `position[k]`, `rotation[k]`, of block `block_of[k]`."""

    shapes: Shapes
    shape_of: Ints  # (n,)
    position: Floats  # (n, 3)
    rotation: Floats  # (n, 3, 3)
    block_of: Ints  # (n,)

    @classmethod
    def of(cls, blocks: Sequence[Polyhedron]) -> Blocks:
        """Every convex part of some blocks, equal shapes once."""
        number: dict[int, int] = {}
        parts: list[ConvexPart] = []
        shape_of, block_of = [], []
        for row, block in enumerate(blocks):
            if not block.parts:
                raise ShapeError(
                    f"block {row} ({block!r}) is a concave skin: give convex `parts`, or cut it with block.in_parts()."
                )
            for part in block.parts:
                if id(part) not in number:
                    number[id(part)] = len(parts)
                    parts.append(part)
                shape_of.append(number[id(part)])
                block_of.append(row)
        own = np.array(block_of, dtype=np.int64)
        position = np.array([b.position for b in blocks]).reshape(-1, 3)
        orientation = np.array([b.orientation for b in blocks]).reshape(-1, 4)
        return cls(
            Shapes.of(parts), np.array(shape_of, dtype=np.int64), position[own], rotation_matrix(orientation)[own], own
        )
