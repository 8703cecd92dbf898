"""A run of floes packed for the player: shapes once, poses in chunks of frames, contacts, tracks and curves.

Places are whole numbers of a quantum (a small part of a small floe), angles and speeds likewise: data to look at,
never to compute with. Poses between records are interpolated by the page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banquise import __version__
from banquise.recording.run_file import Run
from banquise.view.encode import encode_array, encode_chunk
from banquise.view.outlines import crack_edges, outlines_of, triangles
from banquise.view.series import breaks_of, curves_of, flow_of, merged_contacts, obstacle_poses, thin

Array = NDArray[np.float64]

POSES_PER_CHUNK = 500_000  # decoded in some tens of milliseconds, so that jumping in time feels immediate
MAX_CHUNK_FRAMES = 250
QUANTA_PER_FLOE = 128  # of the smallest floes' size: half a quantum is below a pixel until one floe fills the window
ANGLE_QUANTA = 2**15  # a turn
SPEED_QUANTA = 2000  # of the square root of speed over the largest: slow floes keep their digits
TRACK_POINTS = 400_000
Columns = list[tuple[NDArray[np.int64], int]]  # with the order of differences in time each is packed with
COLOURS = ("ice", "speed", "thickness", "cluster", "impulse", "age")


@dataclass
class Packed:
    """What the page holds: `meta` (plain), `blobs` (arrays as text by name), `chunks` (poses as text)."""

    meta: dict[str, Any]
    blobs: dict[str, str] = field(default_factory=dict)
    chunks: list[str] = field(default_factory=list)

    def add(self, name: str, array: NDArray[Any]) -> None:
        self.meta["arrays"][name], self.blobs[name] = encode_array(array)

    def add_chunks(self, columns: Columns) -> None:
        """Columns (frames, bodies) of whole numbers, in chunks of `meta["frames_per_chunk"]` frames."""
        n, per_chunk = len(columns[0][0]), self.meta["frames_per_chunk"]
        for begin in range(0, n, per_chunk):
            part = [(values[begin : begin + per_chunk], order) for values, order in columns]
            self.chunks.append(encode_chunk(part))
        self.meta |= {"frames": n, "chunks": len(self.chunks), "orders": [order for _, order in columns]}

    @property
    def size(self) -> int:
        """Characters of data in the page."""
        return sum(map(len, self.blobs.values())) + sum(map(len, self.chunks)) + len(json.dumps(self.meta))


def pack_floes(run: Run, max_frames: int | None = None) -> Packed:
    """Pack a run of floes; `max_frames` thins its records evenly (for a notebook or a report)."""
    frames = thin(len(run.records["time"]), max_frames or len(run.records["time"]))
    time = np.asarray(run.records["time"], dtype=float)[frames]
    state = run.records["state"]
    n_floes = state.shape[2]
    obstacles = obstacle_poses(run)[frames]
    period = _period(run)
    first, last = _lives(state[frames, 0, :])
    size = np.sqrt(run.shapes["area"].values)
    extent = extent_of(state[frames], run)
    quantum = _quantum(extent, size[:n_floes], period)
    n_bodies = n_floes + obstacles.shape[1]
    per_chunk = int(np.clip(POSES_PER_CHUNK // max(n_bodies, 1), 8, MAX_CHUNK_FRAMES))
    top_speed = float(np.nanmax(np.hypot(state[:, 3], state[:, 4]), initial=0.0)) if state.size else 0.0
    packed = Packed(
        {
            "kind": "floes",
            "title": str(run.case.get("title", "Banquise run")),
            "version": __version__,
            "floes": n_floes,
            "bodies": n_bodies,
            "walls": int(run.case.get("walls", 0)),
            "frames": len(frames),
            "frames_per_chunk": per_chunk,
            "quantum": [float(q) for q in quantum],
            "origin": [float(extent[0]), float(extent[2])],
            "angle_quantum": 2 * np.pi / ANGLE_QUANTA,
            "speed_quanta": SPEED_QUANTA,
            "top_speed": top_speed,
            "usual_top_speed": usual_top_speed(state, top_speed),
            "extent": [float(e) for e in extent],
            "domain": run.case.get("domain"),
            "start": run.case.get("start"),
            "colours": list(COLOURS),
            "colour": "speed",
            "arrays": {},
        }
    )
    packed.add("time", time)
    packed.add("first", first.astype(np.int32))
    packed.add("last", last.astype(np.int32))
    _add_shapes(packed, run)
    columns = _columns(state, frames, obstacles, first, last, period, packed.meta)
    packed.add_chunks(columns)
    _add_tracks(packed, columns, n_floes)
    _add_events(packed, run)
    _add_curves(packed, run, frames)
    return packed


def usual_top_speed(state: Array, top: float) -> float:
    """End of the scale of speeds: the largest, or what 99.5 % stay below where a few far outrun the rest."""
    some = state[:: max(1, len(state) // 50)]
    speed = np.hypot(some[:, 3], some[:, 4])
    speed = speed[np.isfinite(speed)]
    usual = float(np.percentile(speed, 99.5)) if len(speed) else 0.0
    return usual if 0 < usual < 0.75 * top else top


def _lives(x: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last frame of each floe; first > last for one never seen at a frame."""
    there = np.isfinite(x)
    seen = there.any(axis=0)
    first = np.where(seen, there.argmax(axis=0), len(x))
    last = np.where(seen, len(x) - 1 - there[::-1].argmax(axis=0), -1)
    return first, last


def _period(run: Run) -> tuple[float, float] | None:
    domain = run.case.get("domain")
    if not domain or domain.get("kind") != "periodic":
        return None
    return domain["xmax"] - domain["xmin"], domain["ymax"] - domain["ymin"]


def extent_of(state: Array, run: Run) -> Array:
    """xmin, xmax, ymin, ymax of the run's domain, or of all that moves in it and of the obstacles within reach."""
    domain = run.case.get("domain")
    if domain:
        return np.array([domain[k] for k in ("xmin", "xmax", "ymin", "ymax")], dtype=float)
    reach = reach_of(run.shapes)
    n = state.shape[2]
    poses = obstacle_poses(run)
    rocks, sides = np.moveaxis(poses[:, :, :2], 2, 1), _sides(run.shapes, poses, reach[n:])
    bounds = np.concatenate([_bounds(state[:, :2, :], np.tile(reach[:n], (4, 1))), _bounds(rocks, sides)])
    if n and np.isfinite(bounds[0]).all():
        # a shore far larger than the field of floes would leave them a dot
        span = (bounds[0, 1::2] - bounds[0, ::2]).max()
        shore = _shore(bounds[0], bounds[1], 0.25 * span)
        bounds = np.concatenate([bounds[:1], _bounds(rocks, sides, near=(bounds[0], span)), shore])
    extent = np.array([bounds[:, 0].min(), bounds[:, 1].max(), bounds[:, 2].min(), bounds[:, 3].max()])
    return extent if np.isfinite(extent).all() else np.array([0.0, 1.0, 0.0, 1.0])


def _shore(box: Array, rocks: Array, margin: float) -> Array:
    """(1, 4): what all rocks fill of the box of the floes and a margin around it, so that a jam is seen with its banks."""
    way = np.array([-1.0, 1.0, -1.0, 1.0])
    if not np.isfinite(rocks).all():
        return box[None]
    return (way * np.minimum(way * rocks, way * box + margin))[None]


def _sides(shapes: Any, poses: Array, reach: Array) -> Array:
    """(4, obstacles): how far each goes left, right, down and up of its place: by its ring, or by `reach` if it turns."""
    n = shapes.sizes["body"] - len(reach)
    owner = np.repeat(shapes["ring_body"].values, shapes["part_node_count"].values) - n
    rock = owner >= 0
    owner, x, y = owner[rock], shapes["node_x"].values[rock], shapes["node_y"].values[rock]
    turned, still = poses[0, :, 2][owner], np.ptp(poses[:, :, 2], axis=0) == 0
    px, py = np.cos(turned) * x - np.sin(turned) * y, np.sin(turned) * x + np.cos(turned) * y
    sides = np.tile(reach, (4, 1))
    for side, away in zip(sides, (-px, px, -py, py)):
        far = np.full(len(reach), -np.inf)
        np.maximum.at(far, owner, away)
        side[still] = (far + shapes["radius"].values[n:])[still]
    return sides


def _bounds(places: Array, sides: Array, near: tuple[Array, float] | None = None) -> Array:
    """(1, 4): xmin, xmax, ymin, ymax of bodies at places (time, 2, n), `sides` (4, n) around them; far and huge ones left out."""
    if near is not None:
        box, span = near
        low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
        keep = sides.max(axis=0) < span
        for k in range(2):
            keep &= (low[k] > box[2 * k] - span) & (high[k] < box[2 * k + 1] + span)
        places, sides = places[:, :, keep], sides[:, keep]
    return np.array(
        [
            [
                np.nanmin(places[:, 0] - sides[0], initial=np.inf),
                np.nanmax(places[:, 0] + sides[1], initial=-np.inf),
                np.nanmin(places[:, 1] - sides[2], initial=np.inf),
                np.nanmax(places[:, 1] + sides[3], initial=-np.inf),
            ]
        ]
    )


def reach_of(shapes: Any) -> Array:
    """(body,): largest distance of a point of each body from its centre (m)."""
    owner = np.repeat(shapes["ring_body"].values, shapes["part_node_count"].values)
    reach = np.zeros(shapes.sizes["body"])
    np.maximum.at(reach, owner, np.hypot(shapes["node_x"].values, shapes["node_y"].values))
    return reach + shapes["radius"].values


def _quantum(extent: Array, sizes: Array, period: tuple[float, float] | None) -> Array:
    """Grid of places along x and y (m); a period is a whole number of quanta."""
    span = max(extent[1] - extent[0], extent[3] - extent[2], 1e-9)
    small = np.percentile(sizes, 5) / QUANTA_PER_FLOE if len(sizes) else span / 2**16
    quantum = float(np.clip(small, span / 2**24, span / 2**15))
    if period is None:
        return np.array([quantum, quantum])
    return np.array([length / np.ceil(length / quantum) for length in period])


def _columns(
    state: Array,
    frames: NDArray[np.int64],
    obstacles: Array,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    period: tuple[float, float] | None,
    meta: dict[str, Any],
) -> Columns:
    """x, y, angle and speed (frames, bodies) as whole numbers, with the order of differences each is packed with."""
    columns: Columns = []
    row = np.arange(len(frames))[:, None]
    # where a floe is not there its pose is held, which costs nothing: differences are zero
    held = np.clip(row, np.minimum(first, len(frames) - 1), np.maximum(last, 0))
    floe = np.arange(state.shape[2])
    for k in range(3):
        ice = state[frames, k, :][held, floe]
        ice = np.where(np.isfinite(ice), ice, 0.0)
        if period is not None and k < 2:
            jump = np.diff(ice, axis=0)
            ice[1:] -= np.cumsum(period[k] * np.round(jump / period[k]), axis=0)
        values = np.concatenate([ice, obstacles[:, :, k]], axis=1)
        quantum = meta["quantum"][k] if k < 2 else meta["angle_quantum"]
        start = meta["origin"][k] if k < 2 else 0.0
        columns.append((np.rint((values - start) / quantum).astype(np.int64), 2))
    speed = np.hypot(state[frames, 3, :], state[frames, 4, :])[held, floe]
    share = np.sqrt(np.where(np.isfinite(speed), speed, 0.0) / (meta["top_speed"] or 1.0))
    still = np.zeros((len(frames), obstacles.shape[1]))
    columns.append((np.rint(np.concatenate([share, still], axis=1) * SPEED_QUANTA).astype(np.int64), 1))
    return columns


def _add_shapes(packed: Packed, run: Run) -> None:
    """Outlines as 16-bit parts of each body's reach, triangles of those not convex, and the bodies' numbers."""
    shapes = run.shapes
    outlines = outlines_of(shapes)
    start = np.column_stack([shapes["start_x"].values, shapes["start_y"].values])
    cracks = crack_edges(outlines, shapes["parent"].values, start)
    points, ring_points, ring_counts, fill, fill_counts, marks = [], [], [], [], [], []
    for body, rings in enumerate(outlines.rings):
        scale = 32767.0 / (outlines.reach[body] or 1.0)
        disc = outlines.radius[body] > 0
        corners = np.empty((0, 3), dtype=np.int64) if disc else triangles(rings)
        fill.append(corners.reshape(-1))
        fill_counts.append(len(corners))
        ring_counts.append(len(rings))
        for k, ring in enumerate(rings):
            ring_points.append(len(ring))
            points.append(np.rint(ring * scale))
            marks.append(cracks[body] if k == 0 else np.zeros(len(ring), dtype=bool))
    join = np.concatenate
    packed.add("points", (join(points) if points else np.empty((0, 2))).astype(np.int16).T.copy())
    packed.add("crack", join(marks).astype(np.uint8) if marks else np.empty(0, dtype=np.uint8))
    packed.add("ring_points", np.array(ring_points, dtype=np.int32))
    packed.add("ring_counts", np.array(ring_counts, dtype=np.int32))
    packed.add("fill", join(fill).astype(np.int32) if fill else np.empty(0, dtype=np.int32))
    packed.add("fill_counts", np.array(fill_counts, dtype=np.int32))
    packed.add("reach", outlines.reach.astype(np.float32))
    packed.add("disc", (outlines.radius > 0).astype(np.uint8))
    for name in ("area", "thickness", "mass"):
        values = shapes[name].values
        packed.add(name, np.where(np.isfinite(values), values, 0.0).astype(np.float32))
    packed.add("birth", shapes["birth"].values.astype(np.float64))
    end = shapes["end"].values.astype(np.float64)
    packed.add("end", np.where(np.isfinite(end), end, np.finfo(np.float64).max))
    packed.add("parent", shapes["parent"].values.astype(np.int32))
    names = [str(n) for n in shapes["name"].values]
    packed.meta["names"] = {str(k): n for k, n in enumerate(names) if n}


def _add_tracks(packed: Packed, columns: Columns, n_floes: int) -> None:
    """Thinned paths of all floes: places at some of the frames, in quanta."""
    n_frames = packed.meta["frames"]
    each = int(np.clip(TRACK_POINTS // max(n_floes, 1), 24, 400))
    chosen = thin(n_frames, each)
    packed.add("track_frames", chosen.astype(np.int32))
    for name, (values, _) in zip(("track_x", "track_y"), columns):
        path = values[chosen, :n_floes]
        packed.add(name, np.diff(path, axis=0, prepend=0).astype(np.int32))


def _add_events(packed: Packed, run: Run) -> None:
    contacts, left_out = merged_contacts(run)
    packed.meta["contacts_left_out"] = left_out
    packed.meta["impacts"] = int((run.events["kind"] == "impact").sum())
    for name, table in (("contact", contacts), ("break", breaks_of(run))):
        packed.add(f"{name}_time", table["time"].to_numpy(dtype=np.float64))
        packed.add(f"{name}_a", table["floe_a"].to_numpy(dtype=np.int32))
        packed.add(f"{name}_b", table["floe_b"].to_numpy(dtype=np.int32))
        # float32 far from the origin would lose the metres
        packed.add(f"{name}_x", (table["x"].to_numpy(dtype=float) - packed.meta["origin"][0]).astype(np.float32))
        packed.add(f"{name}_y", (table["y"].to_numpy(dtype=float) - packed.meta["origin"][1]).astype(np.float32))
    packed.add("contact_impulse", contacts["impulse"].to_numpy(dtype=np.float32))


def _add_curves(packed: Packed, run: Run, frames: NDArray[np.int64]) -> None:
    chosen = thin(len(run.records["time"]))
    curves = curves_of(run)
    packed.meta["curves"] = [{k: v for k, v in c.items() if k != "values"} for c in curves]
    packed.add("curve_time", np.asarray(run.records["time"], dtype=np.float64)[chosen])
    packed.add("curve_values", np.array([np.asarray(c["values"], dtype=np.float32)[chosen] for c in curves]))
    for name in ("wind", "current"):
        flow = flow_of(run, name)
        if flow is not None:
            packed.add(name, np.nan_to_num(flow[frames]).astype(np.float32))
