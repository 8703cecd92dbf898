"""What a straight crack releases: the floe is let find its new equilibrium, lips that may part, slide, but not overlap.

With w = u - u0 the change and a the ghost displacements of the cut elements (see `_kernels`), eliminating w from the
cut problem leaves

    R = max over a of  t.a - a.S.a / 2   under   jump a >= 0,      S = D - B^T G B + Y X^-1 Y^T (+ drift terms),

where Y and X freeze the mean motion of the two pieces of a through crack. Its dual is a small non-negative problem:
R = min over pressures p >= 0 of |L^-1 (t + jump^T p)|^2 / 2, S = L L^T. Without pressures R is larger, so p = 0 is a
bound.

Friction of the lips: they are let go along the frictionless path, u0 + b w with b from 0 to 1, until friction stops
them, while the pressure on them goes evenly from that of u0 to the final one. With F0 and F1 the work that friction
would do over the whole path at the first and at the last of these pressures, the release net of friction is greatest
at b = (2R - F0) / (2R - F0 + F1), where it is (2R - F0)^2 / (2 (2R - F0 + F1)); it is zero when F0 > 2R: the lips
stick. For a compressed strip cut obliquely this is exact, R (1 - mu / tan(angle)). Friction at the final pressure of
the frictionless state alone would cost nothing there, because that state has no pressure left. Leaving out the first
pressure where the lips end up parted makes the answer jump from mesh to mesh by 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, known_keywords
from banquise.fracture import _kernels, _kernels_lips
from banquise.fracture._kernels_search import known_sides
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.given import an_ice, finite, pair
from banquise.fracture.griffith import Griffith
from banquise.fracture.state import HOLD, Loaded, loaded
from banquise.scene.floe import Floe

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """The small problem of one chord, before its release is computed."""

    start: Array  # mesh units
    end: Array
    length: float
    separates: bool
    plus: float  # area on the left of the chord
    touched: NDArray[np.int64]  # nodes, those with a ghost first
    D: Array
    B: Array
    moments: Array  # (2g, 6)
    side: Array  # (3, 2n)
    lip: NDArray[np.int64]  # (m, 3) ghosts that open each crossing, -1 for none
    weight: Array  # (m, 3) by how much
    way: Array  # (4,) normal and direction
    pressure: Array
    stretch: Array
    t: Array

    @property
    def jump(self) -> Array:
        """(m, 2g) normal opening at the middle of each crossing."""
        out = np.zeros((len(self.lip), len(self.D)))
        row, corner = np.nonzero(self.lip >= 0)
        at = 2 * self.lip[row, corner]
        for c in range(2):
            out[row, at + c] = self.weight[row, corner] * self.way[c]
        return out


@dataclass(frozen=True)
class Opening:
    """How a cut opens."""

    release: float  # J, net of lip friction
    frictionless: float  # J
    free: float  # J, with lips that may overlap: a bound
    ghosts: Array  # (2g,)
    pressure: Array  # (m,) after, mesh units


class Cutter:
    """Cuts one loaded floe along chord after chord."""

    def __init__(self, state: Loaded):
        self.state = state

    def cut(self, start: Array, end: Array, tip: bool = False) -> Cut | None:
        """The small problem of a chord (mesh units), or None when it crosses no ice."""
        s, mesh = self.state, self.state.body.mesh
        ghosts, separates, plus, touched, D, B, QA, QP, lip, weight, way, pressure, stretch, t = _kernels.cut_mesh(
            mesh.nodes, mesh.elements, mesh.neighbours, s.body.stiffness, mesh.area, mesh.size, s.stress, s.body.modes,
            s.grip, s.grips, HOLD, start, end, tip,
        )  # fmt: skip
        if ghosts == 0:
            return None
        length = span = float(np.hypot(*(end - start)))
        if tip:
            length = float(stretch[:, 1].max())
            end = start + (end - start) * (length / span)
        return Cut(
            start, end, length, separates, plus, touched, D, B, QA, QP, lip, weight, way, pressure, stretch, t
        )  # fmt: skip

    def open(self, cut: Cut, friction: float) -> Opening:
        """Release of a cut."""
        sheet, joule = self.state.sheet, self.state.joule
        net, frictionless, free, ghosts, pressure = _kernels_lips.open_cut(
            sheet.inverse, sheet.drift, sheet.drift_energy, sheet.push, sheet.moments, sheet.frozen,
            cut.touched, cut.D, cut.B, cut.moments, cut.side, cut.lip, cut.weight, cut.way, cut.pressure, cut.t, cut.separates,
            known_sides(len(sheet.moments), 0), friction, -1.0,
        )  # fmt: skip
        return Opening(net * joule, frictionless * joule, free * joule, ghosts, pressure)


@known_keywords
@one_blas_thread()
def release(
    floe: Floe, load: Any, start: Any, end: Any, lip_friction: float = 0.3, ice: Griffith | None = None
) -> float:
    """Energy (J) released by the straight crack from `start` on the border to `end` on the border or inside.

    Parameters
    ----------
    load : what `impact` gives, or a `Dirichlet`
    ice : elastic constants and mesh under a `Dirichlet`; an impact brings its own
    """
    state = loaded(floe, load, an_ice(ice))
    lip_friction = finite(lip_friction, "lip_friction")
    if lip_friction < 0:
        raise ShapeError(f"fracture: lip_friction is {lip_friction:g}, expected 0 or more.")
    start, end = pair(start, "start of a crack"), pair(end, "end of a crack")
    cutter = Cutter(state)
    a, b, tip = chord_of(state, start, end, floe)
    if not tip:
        cut = _through(cutter, a, b)
        return 0.0 if cut is None else cutter.open(cut, lip_friction).release
    return _tip_release(cutter, a, b, lip_friction)


def _through(cutter: Cutter, a: Array, b: Array) -> Cut | None:
    """A cut from border to border. One that grazes a re-entrant corner is moved aside by a part of an element."""
    mesh = cutter.state.body.mesh
    across = np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a)) * float(np.median(mesh.size))
    rings = [mesh.border.exterior, *mesh.border.interiors]
    one, two = (int(np.argmin([r.distance(shapely.Point(p)) for r in rings])) for p in (a, b))
    first = cutter.cut(a, b)
    if first is None or first.separates or one != two:
        return first
    for shift in (0.03, -0.03, 0.1, -0.1):
        cut = cutter.cut(a + shift * across, b + shift * across)
        if cut is not None and cut.separates:
            return cut
    return first


def _tip_release(cutter: Cutter, a: Array, b: Array, friction: float) -> float:
    """Between the two element edges about the tip: a tip can only lie on an edge, the release in between is a line."""
    way = (b - a) / np.hypot(*(b - a))
    length = float(np.hypot(*(b - a)))
    beyond = cutter.cut(a, b, tip=True)
    if beyond is None:
        return 0.0
    far = cutter.open(beyond, friction).release
    behind = float(beyond.stretch[np.argmax(beyond.stretch[:, 1]), 0])
    near = 0.0
    if behind > 1e-9:
        nearer = cutter.cut(a, a + way * (behind - 1e-6), tip=True)
        if nearer is not None:
            near, behind = cutter.open(nearer, friction).release, nearer.length
    part = np.clip((length - behind) / max(beyond.length - behind, 1e-12), 0, 1)
    return float(near + part * (far - near))


def chord_of(state: Loaded, start: Any, end: Any, floe: Floe) -> tuple[Array, Array, bool]:
    """Ends of a crack in mesh units, snapped to the border, and whether the second is a tip inside the floe."""
    body = state.body
    a, b = body.to_mesh(start), body.to_mesh(end)
    if not (np.isfinite(a).all() and np.isfinite(b).all()) or np.hypot(*(b - a)) < 1e-9:
        raise ShapeError(f"fracture: a crack from {start} to {end}, expected two different places.")
    border = body.mesh.border
    reach = 0.05 * float(np.median(body.mesh.size))
    inside = border.intersection(shapely.LineString([a, b]))
    parts = [p for p in getattr(inside, "geoms", [inside]) if p.length > 1e-9]
    if len(parts) != 1:
        what = "does not run through the floe" if not parts else "leaves the floe on its way"
        raise ShapeError(f"fracture: the crack from {start} to {end} {what}.")
    ends = np.array(parts[0].coords)
    a, b = (ends[0], ends[-1]) if np.hypot(*(ends[0] - a)) <= np.hypot(*(ends[-1] - a)) else (ends[-1], ends[0])
    on = [border.boundary.distance(shapely.Point(p)) < reach for p in (a, b)]
    # The meshed border leaves out small detail: an end on the floe's own border may lie within the mesh. It is led out.
    out = (b - a) * (10 * reach / np.hypot(*(b - a)))
    own = floe.polygon.boundary
    for k, (end_point, way) in enumerate(((a, -out), (b, out))):
        if not on[k] and own.distance(shapely.Point(body.to_world(end_point))) < 1e-6 * body.unit:
            on[k] = True
            end_point += way
    if not on[0]:
        a, b, on = b, a, on[::-1]
    if not on[0]:
        raise ShapeError(f"fracture: neither {start} nor {end} is on the border of the floe; a crack starts there.")
    return np.ascontiguousarray(a), np.ascontiguousarray(b), not on[1]
