"""The ice of a run as analyses need it: outlines at a record, areas, what touches what, times."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, in_short
from banquise.recording.run_file import Run
from banquise.scene.domain import periods_passed
from banquise.units import duration

Array = NDArray[np.float64]
Index = NDArray[np.intp]
ETA = 1e-2  # of the smaller size (square root of the area): nearer than this is contact, as in the papers
ARC = 16  # segments in a quarter of a round outline


class Ice:
    """Shapes of a run once, and their outlines at any record.

    Outlines of round and rounded floes are polygons scaled to the exact area. Bodies are the floes by id, then the
    obstacles where they stood at the start.
    """

    def __init__(self, run: Run):
        self.run = run
        shapes = run.shapes
        self.state: Array = run.records["state"]
        self.times: Array = np.asarray(run.records["time"], dtype=float)
        self.n = self.state.shape[2]
        self.area: Array = shapes["area"].values[: self.n]
        self.mass: Array = shapes["mass"].values[: self.n]
        self.thickness: Array = shapes["thickness"].values[: self.n]
        self.round: Array = shapes["radius"].values
        self.size = np.sqrt(shapes["area"].values)
        self.is_obstacle = shapes["obstacle"].values.astype(bool)
        self.start = np.column_stack([shapes["start_x"].values, shapes["start_y"].values])
        self.domain = dict(run.case.get("domain") or {})
        if self.period is not None:
            self.state = np.array(self.state)
            places = np.moveaxis(self.state[:, :2], 1, 2)  # a view
            places -= periods_passed(places, self.domain)

    @cached_property
    def cores(self) -> NDArray[Any]:
        """Outlines without their rounding, about their own centres; a disc is its centre."""
        shapes = self.run.shapes
        ends = np.concatenate([[0], np.cumsum(shapes["part_node_count"].values)])
        nodes = np.column_stack([shapes["node_x"].values, shapes["node_y"].values])
        rings: list[list[Array]] = [[] for _ in range(len(self.size))]
        for k, owner in enumerate(shapes["ring_body"].values):
            rings[int(owner)].append(nodes[ends[k] : ends[k + 1]])
        made = [shapely.Point(r[0][0]) if len(r[0]) == 1 else shapely.Polygon(r[0], r[1:]) for r in rings]
        return np.array(made, dtype=object)

    @cached_property
    def outlines(self) -> NDArray[Any]:
        """Whole outlines about their own centres."""
        made = self.cores.copy()
        rounded = np.flatnonzero(self.round > 0)
        made[rounded] = shapely.buffer(made[rounded], self.round[rounded], quad_segs=ARC)
        for k in rounded:
            scale = self.size[k] / np.sqrt(made[k].area)
            made[k] = shapely.transform(made[k], lambda p, scale=scale: p * scale)
        return made

    @cached_property
    def reach(self) -> Array:
        """Largest distance (m) of an outline from its centre."""
        points, owner = shapely.get_coordinates(self.outlines, return_index=True)
        far = np.zeros(len(self.size))
        np.maximum.at(far, owner, np.hypot(points[:, 0], points[:, 1]))
        return far

    def there(self, frame: int) -> Index:
        """Ids of the floes that are there at a record."""
        return np.flatnonzero(np.isfinite(self.state[frame, 0]))

    def placed(self, shapes: NDArray[Any], frame: int, who: Any) -> NDArray[Any]:
        """Some bodies' shapes (`cores` or `outlines`) where they are at a record; obstacles at their start."""
        who = np.asarray(who, dtype=np.intp)
        pose = np.column_stack([self.start, np.zeros(len(self.start))])
        pose[: self.n] = self.state[frame, :3].T
        points, owner = shapely.get_coordinates(shapes[who], return_index=True)
        x, y, angle = pose[who][owner].T
        c, s = np.cos(angle), np.sin(angle)
        placed = np.column_stack([c * points[:, 0] - s * points[:, 1] + x, s * points[:, 0] + c * points[:, 1] + y])
        return np.asarray(shapely.set_coordinates(shapes[who].copy(), placed))

    @property
    def period(self) -> Array | None:
        """Sides (m) of a periodic domain, None for others."""
        d = self.domain
        return np.array([d["xmax"] - d["xmin"], d["ymax"] - d["ymin"]]) if d.get("kind") == "periodic" else None

    def paths(self) -> Array:
        """Places (time, floe, 2) as recorded: they go on across the borders of a periodic domain, where `state` is folded."""
        return np.moveaxis(np.array(self.run.records["state"])[:, :2], 1, 2).copy()

    def middle(self, frame: int) -> Array:
        """Centre of mass (2,) of the ice at a record; in a periodic domain the middle of the domain."""
        if self.period is not None:
            d = self.domain
            return np.array([0.5 * (d["xmin"] + d["xmax"]), 0.5 * (d["ymin"] + d["ymax"])])
        who = self.there(frame)
        return np.average(self.state[frame, :2, who], axis=0, weights=self.mass[who])

    def touching(self, frame: int, gap: float = ETA, obstacles: bool = False) -> Index:
        """Pairs (m, 2) of bodies nearer than `gap` times the smaller size; with obstacles numbered after the floes."""
        who = self.there(frame)
        if obstacles:
            who = np.append(who, np.flatnonzero(self.is_obstacle))
        cores, limit = self.placed(self.cores, frame, who), self.round[who]
        shifts = [np.zeros(2)]
        if self.period is not None:
            shifts = [self.period * np.array(k) for k in ((0, 0), (1, 0), (0, 1), (1, 1), (1, -1))]
        tree = shapely.STRtree(cores)
        farthest = 2 * limit.max(initial=0.0) + gap * self.size[who].max(initial=0.0)
        found = []
        for shift in shifts:
            moved = shapely.transform(cores, lambda p, shift=shift: p + shift) if shift.any() else cores
            i, j = tree.query(moved, predicate="dwithin", distance=farthest)
            keep = i < j if not shift.any() else i != j
            i, j = i[keep], j[keep]
            apart = shapely.distance(moved[i], cores[j]) - limit[i] - limit[j]
            smaller = np.minimum(self.size[who[i]], self.size[who[j]])
            rock = self.is_obstacle[who]
            smaller = np.where(rock[i], self.size[who[j]], np.where(rock[j], self.size[who[i]], smaller))
            near = (apart < gap * smaller) & ~(rock[i] & rock[j])
            found.append(np.sort(np.column_stack([who[i[near]], who[j[near]]]), axis=1))
        return np.unique(np.concatenate(found), axis=0)


def as_ice(run: Run | Ice) -> Ice:
    """The ice of a run; what is ice already is handed on, so that several analyses share its outlines."""
    if isinstance(run, Ice):
        return run
    if getattr(run, "kind", None) or not hasattr(run, "shapes"):
        kind = getattr(run, "kind", None)
        got = f"a run of {kind}" if kind else in_short(run)
        raise CaseError(f"analysis: got {got}, expected a run of floes, such as bq.open_run('run.nc').")
    return Ice(run)


def frames_of(ice: Ice, times: Any = None) -> Index:
    """Record numbers: all, those nearest to given times (s, or text with units), or of a slice(start, stop) of times."""
    if times is None:
        return np.arange(len(ice.times))
    if isinstance(times, slice):
        first = ice.times[0] if times.start is None else duration(times.start, "start")
        last = ice.times[-1] if times.stop is None else duration(times.stop, "stop")
        chosen = np.flatnonzero((ice.times >= first) & (ice.times <= last))
        if not len(chosen):
            raise CaseError(f"times: no record from {first:g} to {last:g} s; the run goes to {ice.times[-1]:g} s.")
        return chosen
    wanted = np.array([duration(t, "time") for t in np.atleast_1d(np.asarray(times, dtype=object))])
    outside = (wanted < ice.times[0]) | (wanted > ice.times[-1])
    if outside.any():
        raise CaseError(
            f"time: got {wanted[outside][0]:g} s, the run goes from {ice.times[0]:g} to {ice.times[-1]:g} s."
        )
    return np.abs(ice.times[None, :] - wanted[:, None]).argmin(axis=1)


def one_frame(ice: Ice, time: Any = None) -> int:
    """Number of the record nearest to a time; the last by default."""
    return len(ice.times) - 1 if time is None else int(frames_of(ice, [time])[0])
