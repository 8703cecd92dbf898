"""Grids that forcing comes on, and the lattice of the run that it is brought to.

Vectors are turned into the map frame at the nodes of the file's grid, then interpolated: east and north are not
directions one can average near a pole. Each time slice is brought once to a square lattice in the map frame, from
which the points of the floes are served every step; a grid that already is such a lattice is used as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ForcingError
from banquise.forcing._kernels import place, resample, sample_bodies
from banquise.forcing.names import EAST
from banquise.projection import Projection
from banquise.threads import over_blocks

Array = NDArray[np.float64]
Bounds = tuple[float, float, float, float]  # xmin, xmax, ymin, ymax (m)
METRES_A_DEGREE = 111_195.0
FINER = 4  # lattice nodes for one spacing of the file: the second interpolation adds 1/16 of the first one's error
MOST_NODES = 30_000_000


@dataclass
class SourceGrid:
    """The grid of a file: increasing axes, and what they are: degrees, metres of a map, or metres of the run."""

    x: Array
    y: Array
    kind: str  # "lonlat", "map" (with crs), "plane" (the run's own frame), "point" (one place for all)
    crs: Any = None

    def __post_init__(self) -> None:
        self.wraps = self.pad_low = self.pad_high = False
        if self.kind != "lonlat":
            return
        step = float(np.median(np.diff(self.x)))
        self.wraps = bool(abs(self.x[-1] - self.x[0] + step - 360) < 0.01 * step)
        around = self.wraps or abs(self.x[-1] - self.x[0] - 360) < 0.01 * step
        lat_step = float(np.median(np.diff(self.y)))
        # a ring of points closes over the pole when the pole is less than a row and a half away
        self.pad_high = bool(around and 1e-9 < 90 - self.y[-1] < 1.5 * lat_step)
        self.pad_low = bool(around and 1e-9 < 90 + self.y[0] < 1.5 * lat_step)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.y), len(self.x)

    def is_lattice_of(self, projection: Projection | None) -> bool:
        """Whether the nodes are a regular lattice in the frame of the run already."""
        if self.kind == "plane":
            same = projection is None
        else:
            same = self.kind == "map" and projection is not None and self.crs == projection.crs
        return same and all(
            np.allclose(axis, np.linspace(axis[0], axis[-1], len(axis)), rtol=0, atol=1e-4 * (axis[1] - axis[0]))
            for axis in (self.x, self.y)
        )

    def spacing(self) -> float:
        """Typical distance of rows on the ground (m)."""
        step = min(float(np.median(np.diff(axis))) for axis in (self.x, self.y))
        if self.kind == "lonlat" or (self.crs is not None and self.crs.is_geographic):
            return float(np.median(np.diff(self.y))) * METRES_A_DEGREE
        return step

    def _geographic(self) -> bool:
        return self.kind in ("lonlat", "point")

    def place(self, projection: Projection | None, x: Array, y: Array) -> tuple[Array, Array]:
        """Fractional (row, column) in the padded grid of places of the run; NaN outside."""
        if self.kind == "point":
            return np.zeros_like(x), np.zeros_like(x)
        if self.kind == "plane":
            return _fraction(self.y, y), _fraction(self.x, x)
        assert projection is not None
        if self.kind == "map":
            import pyproj

            gx, gy = pyproj.Transformer.from_crs(projection.crs, self.crs, always_xy=True).transform(x, y)
            return _fraction(self.y, np.asarray(gy)), _fraction(self.x, np.asarray(gx))
        longitude, latitude = projection.to_lonlat(x, y)
        axis = np.append(self.x, self.x[0] + 360) if self.wraps else self.x
        turned = axis[0] + np.mod(longitude - axis[0], 360.0)
        # a hair west of the first column is that column, not a whole turn east of it
        turned = np.where((turned > axis[-1]) & (turned - 360 > axis[0] - 1e-9), axis[0], turned)
        rows = np.concatenate([[-90.0] * self.pad_low, self.y, [90.0] * self.pad_high])
        return _fraction(rows, latitude), _fraction(axis, turned)

    def directions(self, projection: Projection | None, frame: str, rows: slice) -> tuple[Array, Array] | None:
        """Where the first component of a vector points in the map frame, at the nodes; None for straight along x.

        The second component is a quarter turn on: maps used for floes keep angles, or nearly.
        """
        if self.kind == "plane" or projection is None:
            return None
        x, y = np.meshgrid(self.x, self.y[rows])
        if self.kind in ("lonlat", "point"):
            return projection.east(x, y)
        import pyproj

        to_run = pyproj.Transformer.from_crs(self.crs, projection.crs, always_xy=True)
        if frame == EAST:
            mx, my = to_run.transform(x, y)
            return projection.east(*projection.to_lonlat(np.asarray(mx), np.asarray(my)))
        if self.crs == projection.crs:
            return None
        small = 1e-4 * (self.x[1] - self.x[0])
        x1, y1 = to_run.transform(x + small, y)
        x0, y0 = to_run.transform(x - small, y)
        length = np.hypot(np.subtract(x1, x0), np.subtract(y1, y0))
        return np.subtract(x1, x0) / length, np.subtract(y1, y0) / length

    def pad(self, values: Array, rows: slice) -> Array:
        """Values (K, rows, nx) with the seam closed and, for a ring about the pole, the pole added as its mean."""
        if self.kind == "point":
            return np.ascontiguousarray(np.broadcast_to(values, (len(values), 2, 2)))
        if self.wraps:
            values = np.concatenate([values, values[:, :, :1]], axis=2)
        ring = slice(0, -1) if self.wraps else slice(None)
        parts = [values]
        if self.pad_low and rows.start == 0:
            pole = values[:, :1, ring].mean(axis=2, keepdims=True)
            parts.insert(0, np.broadcast_to(pole, (len(values), 1, values.shape[2])))
        if self.pad_high and rows.stop == len(self.y):
            pole = values[:, -1:, ring].mean(axis=2, keepdims=True)
            parts.append(np.broadcast_to(pole, (len(values), 1, values.shape[2])))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def rows_for(self, row: Array) -> tuple[slice, int]:
        """Rows of the file needed for fractional rows of the padded grid, and what to subtract from those."""
        known = row[np.isfinite(row)]
        if self.kind == "point" or not len(known):
            return slice(0, len(self.y)), 0
        low = max(0, int(known.min()) - self.pad_low - 1)
        high = min(len(self.y), int(np.ceil(known.max())) - self.pad_low + 2)
        return slice(low, high), (low + self.pad_low if low else 0)

    def describe(self) -> str:
        """One line: what the axes are and how far they reach."""
        if self.kind == "point":
            return f"one place, {self.y[0]:g} N {self.x[0]:g} E"
        reach = f"{self.x[0]:g} to {self.x[-1]:g}, {self.y[0]:g} to {self.y[-1]:g}"
        size = f"{len(self.x)} x {len(self.y)}"
        if self.kind == "lonlat":
            closed = ", closed around the pole" if self.pad_high or self.pad_low or self.wraps else ""
            return f"longitude/latitude grid {size}, {reach} degrees{closed}"
        name = "the run's own frame" if self.kind == "plane" else self.crs.name
        unit = "degrees" if self.crs is not None and self.crs.is_geographic else "m"
        return f"grid {size} in {name}, {reach} {unit}"


def _fraction(axis: Array, value: Array) -> Array:
    """Fractional index in an increasing axis; NaN outside, but for a rounding error."""
    slack = 1e-9 * (axis[-1] - axis[0])
    index = np.interp(value, axis, np.arange(len(axis), dtype=float))
    outside = ~((value >= axis[0] - slack) & (value <= axis[-1] + slack))
    return np.where(outside, np.nan, index)


class Lattice:
    """Nodes at (x0 + i hx, y0 + j hy); a window of them is held, and grows with where the floes are.

    A node's value does not depend on the window, so neither do the bits of the run.
    """

    def __init__(self, hx: float, hy: float, x0: float = 0.0, y0: float = 0.0, fixed: tuple[int, int] | None = None):
        self.hx, self.hy, self.x0, self.y0 = hx, hy, x0, y0
        self.fixed = fixed is not None
        self.first = (0, 0)  # column, row of the window's first node
        self.size = fixed if fixed is not None else (0, 0)  # columns, rows

    @property
    def origin(self) -> tuple[float, float]:
        return self.x0 + self.first[0] * self.hx, self.y0 + self.first[1] * self.hy

    def holds(self, bounds: Bounds) -> bool:
        (x, y), (nx, ny) = self.origin, self.size
        return bool(
            nx > 1
            and bounds[0] >= x
            and bounds[2] >= y
            and bounds[1] <= x + (nx - 1) * self.hx
            and bounds[3] <= y + (ny - 1) * self.hy
        )

    def grow(self, bounds: Bounds, what: str) -> bool:
        """Make the window hold `bounds`, with room to drift; True when it changed."""
        if self.fixed or self.holds(bounds):
            return False
        if not np.isfinite(bounds).all():
            raise ForcingError(f"{what}: a floe is no longer at a finite place. Use a smaller step.")
        cuts = []
        for low, high, start, step in (
            (bounds[0], bounds[1], self.x0, self.hx),
            (bounds[2], bounds[3], self.y0, self.hy),
        ):
            room = 0.1 * (high - low) + 8 * step
            cuts.append((int(np.floor((low - room - start) / step)), int(np.ceil((high + room - start) / step))))
        if self.size[0]:  # keep what was held: floes come back
            cuts = [(min(a, f), max(b, f + n - 1)) for (a, b), f, n in zip(cuts, self.first, self.size)]
        size = (cuts[0][1] - cuts[0][0] + 1, cuts[1][1] - cuts[1][0] + 1)
        if size[0] * size[1] > MOST_NODES:
            raise ForcingError(
                f"{what}: the floes are spread over {(bounds[1] - bounds[0]) / 1e3:.4g} x "
                f"{(bounds[3] - bounds[2]) / 1e3:.4g} km, too far for a field of {self.hx / 1e3:.3g} km. "
                "Has a floe been lost? Otherwise use a coarser file."
            )
        self.first, self.size = (cuts[0][0], cuts[1][0]), size
        return True

    def nodes(self) -> tuple[Array, Array]:
        """x, y of the window's nodes (ny, nx)."""
        columns = self.x0 + (self.first[0] + np.arange(self.size[0])) * self.hx
        rows = self.y0 + (self.first[1] + np.arange(self.size[1])) * self.hy
        x, y = np.meshgrid(columns, rows)
        return x, y


def onto_lattice(source: Array, row: Array, column: Array) -> Array:
    """`source` (K, ny, nx) at fractional places (rows, columns of the lattice)."""
    out = np.empty((len(source), *row.shape))
    over_blocks(lambda first, last: resample(first, last, source, row, column, out), len(row), grain=64)
    return out


@dataclass
class Points:
    """Where a field is wanted: m points in the frame of each of n moving bodies."""

    x: Array
    y: Array
    cos: Array
    sin: Array
    u: Array
    v: Array
    spin: Array
    extent: Array
    px: Array
    py: Array
    lead: Array

    @classmethod
    def of_bodies(cls, b: Any, lead: Array, chosen: NDArray[np.int64] | None = None) -> Points:
        """The quadrature points of the floes (or of some rows of them) in `lead` seconds (n,)."""
        columns = (b.x, b.y, b.cos, b.sin, b.u, b.v, b.spin, b.extent, b.qx, b.qy)
        if chosen is not None:
            columns = tuple(c[chosen] for c in columns)  # type: ignore[assignment]
        return cls(*columns, lead)

    @classmethod
    def at(cls, x: Array, y: Array) -> Points:
        """Places that stand still (n,)."""
        n, zero, one = len(x), np.zeros(len(x)), np.ones(len(x))
        return cls(x, y, one, zero, zero, zero, zero, zero, np.zeros((n, 1)), np.zeros((n, 1)), zero)

    def positions(self) -> tuple[Array, Array]:
        """The points (n, m) in the map frame at the moment they are wanted."""
        n, lead = len(self.px), self.lead
        turn = self.spin[:n] * lead
        ch, sh = np.cos(turn), np.sin(turn)
        c0, s0 = self.cos[:n], self.sin[:n]
        x, y = np.empty(self.px.shape), np.empty(self.px.shape)
        place(
            self.x[:n] + lead * self.u[:n], self.y[:n] + lead * self.v[:n], c0 * ch - s0 * sh, s0 * ch + c0 * sh,
            self.px, self.py, x, y,
        )  # fmt: skip
        return x, y

    def bounds(self) -> Bounds:
        """A box around all the bodies' discs, at the moment they are wanted."""
        n = len(self.px)
        x, y, r = self.x[:n] + self.lead * self.u[:n], self.y[:n] + self.lead * self.v[:n], self.extent[:n]
        return float((x - r).min()), float((x + r).max()), float((y - r).min()), float((y + r).max())


def sample(lattice: Lattice, before: Array, after: Array, weight: float, points: Points) -> tuple[Array, NDArray[Any]]:
    """The field (n, K, m) at the points, and the bodies (indices) where it has no value."""
    n, m = points.px.shape
    out = np.empty((n, len(before), m))
    missing = np.zeros(n, dtype=np.int8)
    x0, y0 = lattice.origin
    p = points

    def work(first: int, last: int) -> None:
        sample_bodies(
            first, last, p.lead, p.x, p.y, p.cos, p.sin, p.u, p.v, p.spin, p.extent, p.px, p.py,
            x0, y0, lattice.hx, lattice.hy, before, after, weight, out, missing,
        )  # fmt: skip

    over_blocks(work, n)
    return out, np.flatnonzero(missing)
