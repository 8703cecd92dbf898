"""The crack of a blow in a run: on a rough mesh first, on the law's own where that leaves a doubt.

Most blows that reach a search break the floe many times over, or not at all: half of those in a storm have three times the
load that the crack needs. A rough mesh finds nearly the same crack as a fine one, and tells its critical load to some per cent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_whole
from banquise.fracture._kernels_whole import CRACK_LENGTH, FACTOR, FAILED, FOUND, GIVES, RELEASED, X0, X1, Y0, Y1, Quest
from banquise.fracture.griffith import Griffith
from banquise.fracture.mesh import PATCH_EDGES
from banquise.fracture.percussion import Contact, from_impulses
from banquise.fracture.search import REFINE_STEPS, Crack, search
from banquise.fracture.slits import extend
from banquise.fracture.split import border_length
from banquise.scene.floe import Floe

Array = NDArray[np.float64]
Index = NDArray[np.int64]

ROUGH_NODES, ROUGH_POINTS, ROUGH_EDGES, ROUGH_STEPS = 45, 12, 3.0, 2  # of the mesh, of the border, on a patch; halvings
# Of the factor on the load found on a rough mesh: below it breaks, above it does not, whatever a fine one would say. Where small
# pieces may be cut off, the rough factor is rarely far above the fine one; where only halves may, few chords are to choose from.
SURE = 0.9
NEVER, NEVER_OF_SMALL, SMALL = 1.25, 1.15, 0.1  # the last: part of the area that the least piece is
FARTHER = 1.2  # times as far cracks are looked for on a rough mesh
DOUBT = 1.2  # factor on the load within which the other side's own compliance may decide
SHARE = 1.4  # of the energy that a floe stores, at most so many times what thicknesses alone would give it

_NO_ROWS = np.empty((0, 6))
_NOWHERE = (math.nan, math.nan)
_NONE = Crack(False, _NOWHERE, _NOWHERE, 0.0, 0.0, math.inf, 0.0, 0.0, False, 0, 0, _NO_ROWS)


class Blow(NamedTuple):
    """Contacts of a floe at one instant as kernels want them."""

    spots: Array  # (k, 4) place (m) and push
    pattern: Array  # (k, 2) N s of the compression along the push and across it
    kinetic: float  # J, twice the energy that they carry

    @classmethod
    def of(cls, contacts: Sequence[Contact], restitution: float, mobility: Array) -> Blow:
        spots = np.array([(*c.point, *c.normal) for c in contacts])
        pattern = np.array([(c.impulse, c.tangential) for c in contacts]) / (1 + restitution)
        flat = pattern.ravel()
        return cls(spots, pattern, float(flat @ mobility @ flat))


def serves(ice: Griffith) -> bool:
    """Whether the search in one call knows all that this law asks for."""
    return not ice.arrested and ice.crushing is None


def rings_of(floe: Floe) -> tuple[Array, Index]:
    """Corners of all rings, ice on the left, and where each ring begins."""
    if floe.radius == 0 and not floe.holes:
        return floe.ring, np.array([0, len(floe.ring)])
    if floe.radius == 0:
        rings: list[Array] = [floe.ring, *floe.holes]
    else:
        polygon = floe.polygon
        rings = [np.asarray(r.coords)[:-1] for r in (polygon.exterior, *polygon.interiors)]
        ccw = [bool(r.is_ccw) for r in (polygon.exterior, *polygon.interiors)]
        rings = [r if way == (k == 0) else r[::-1] for k, (r, way) in enumerate(zip(rings, ccw))]
    return np.ascontiguousarray(np.concatenate(rings)), np.cumsum([0, *(len(r) for r in rings)])


def check(floe: Floe, blow: Blow) -> None:
    """Raise where impulses cancel: there is no load."""
    if not blow.kinetic > 1e-12 * float(np.sum(blow.pattern**2)) / floe.mass:
        raise ShapeError("fracture: these impulses cancel and carry no kinetic energy.")


def seek(floe: Floe, blow: Blow, ice: Griffith, rough: bool, limit: float) -> tuple[Crack | None, float]:
    """The crack that pays first as if against a rock, None when there is none up to `limit`; and what the floe yields.

    Yields are compliance times Young's modulus times thickness times the square of the impulses. Raises where there is no mesh.
    """
    corners, first = rings_of(floe)
    strength = ice.strength or 0.0
    gate = ice.gate_length or (ice.young * ice.toughness / strength**2 if strength else 0.0)
    quest = Quest(
        ice.young, ice.poisson, ice.toughness, float(ice.lip_friction), ice.min_piece, strength, gate,
        ice.rule == "least-energy", *_fineness(ice, rough), float(limit),
    )  # fmt: skip
    thickness, found = floe.thickness, np.empty(8)
    code = _kernels_whole.searched(
        corners, first, blow.spots, blow.pattern, thickness, ice.patch * math.sqrt(floe.area), blow.kinetic, quest, found,
    )  # fmt: skip
    if code == FAILED:
        raise ShapeError("fracture: this floe could not be meshed.")
    if code != FOUND:
        return None, float(found[GIVES])
    f = found.tolist()
    surface = ice.toughness * thickness * f[CRACK_LENGTH]
    crack = Crack(
        breaks=f[FACTOR] <= 1,
        start=(f[X0], f[Y0]),
        end=(f[X1], f[Y1]),
        length=math.hypot(f[X1] - f[X0], f[Y1] - f[Y0]),
        release=f[RELEASED],
        critical=f[FACTOR],
        energy=0.5 * blow.kinetic,
        surface=surface,
        separates=True,
        candidates=0,
        solved=0,
        landscape=_NO_ROWS,
    )
    return crack, f[GIVES]


def _fineness(ice: Griffith, rough: bool) -> tuple[float, float, float, int]:
    """Nodes, edges on a patch, border points, halvings."""
    if rough:
        return float(min(ROUGH_NODES, ice.nodes)), ROUGH_EDGES, float(min(ROUGH_POINTS, ice.border_points)), ROUGH_STEPS
    return float(ice.nodes), float(PATCH_EDGES), float(ice.border_points), REFINE_STEPS


class Other(NamedTuple):
    """The floe on the other side of a contact."""

    thickness: float
    where: Callable[[], Floe]  # as it lay, in the frame of the struck floe


def _other_yields(other: Floe, blow: Blow, k: int, width: float, ice: Griffith, rough: bool) -> float:
    """What the other floe of contact k yields, in the units of `seek` by its own thickness."""
    corners, first = rings_of(other)
    spot = blow.spots[k : k + 1].copy()
    spot[0, 2:] *= -1.0
    nodes, edges, _, _ = _fineness(ice, rough)
    # One patch serves both floes; on a much smaller partner it cannot be wider than its border allows.
    width = min(width, 0.25 * border_length(other))
    found = _kernels_whole.yielding(corners, first, spot, blow.pattern[k : k + 1], width, ice.poisson, nodes, edges)
    if found < 0:
        raise ShapeError("fracture: the other floe could not be meshed.")
    return float(found)


def crack_of(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], limit: float
) -> tuple[float, Crack]:
    """Energy (J) that a blow stores in a floe, and the crack that pays first; its factor is infinite when there is none.

    The other side only shares the energy: which crack pays first does not depend on how high the load goes. Compliances go as
    one over the thickness, and with shape by a third or so; the other side is meshed only where that third decides.

    others : of each contact, None for an obstacle; limit : factor on the load beyond which nobody asks
    """
    check(floe, blow)
    if ice.rough_first and ice.nodes > ROUGH_NODES:
        try:
            energy, crack = _weighed(floe, blow, ice, others, limit, rough=True)
            if not SURE < crack.critical < _never(ice):
                return energy, crack
        except ShapeError:
            pass  # what a rough mesh cannot fill a fine one often can
    return _weighed(floe, blow, ice, others, limit, rough=False)


def _weighed(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], limit: float, rough: bool
) -> tuple[float, Crack]:
    """`crack_of` on one mesh. Where there is no crack up to `limit`, the energy is the most that may be stored."""
    share = _share_by_thickness(floe, blow, others)
    most = min(1.0, SHARE * share)
    crack, gives = seek(floe, blow, ice, rough, limit * math.sqrt(most) * (FARTHER if rough else 1.0))
    if crack is None:
        return 0.5 * blow.kinetic * most, _NONE
    critical = crack.critical / math.sqrt(share)
    low, high = (SURE, _never(ice)) if rough else (1.0, 1.0)
    if share < 1 and low / DOUBT < critical < high * DOUBT:
        share = _share_by_yield(floe, blow, ice, others, gives, rough)
        critical = crack.critical / math.sqrt(share)
    energy = 0.5 * blow.kinetic * share
    return energy, replace(crack, critical=critical, energy=energy)


def _never(ice: Griffith) -> float:
    return NEVER_OF_SMALL if ice.min_piece < SMALL else NEVER


def _share_by_thickness(floe: Floe, blow: Blow, others: Sequence[Other | None]) -> float:
    """Part of the energy that the floe stores if compliances went as one over the thickness."""
    if all(other is None for other in others):
        return 1.0
    weight = blow.pattern[:, 0] ** 2
    ratio = np.array([0.0 if other is None else floe.thickness / other.thickness for other in others])
    return 1 / (1 + float(weight @ ratio) / float(weight.sum()))


def _share_by_yield(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], gives: float, rough: bool
) -> float:
    """Part of the energy that the floe stores, by what each side yields."""
    own, width = gives / floe.thickness, ice.patch * math.sqrt(floe.area)
    beside = sum(
        _other_yields(other.where(), blow, k, width, ice, rough) / other.thickness
        for k, other in enumerate(others)
        if other is not None
    )
    return own / (own + beside)


def crack_by_steps(
    floe: Floe, contacts: Sequence[Contact], restitution: float, mobility: Array, ice: Griffith,
    others: Sequence[Other | None], slits: Sequence[Any], limit: float,
) -> tuple[float, Crack]:  # fmt: skip
    """The same with slits to go on, cracks that end inside, or patches that are crushed: by `impact` and `search`."""
    hit = from_impulses(floe, contacts, restitution, ice=ice, mobility=mobility)
    crack = extend(floe, hit, ice, slits) if slits else None
    if crack is None or crack.critical > 1:
        crack = search(floe, hit, ice, limit=limit)
    if crack.critical > 1 or all(other is None for other in others):
        return hit.energy, crack
    energy = hit.energy * _share_by_thickness(floe, Blow.of(contacts, restitution, mobility), others)
    critical = crack.critical * math.sqrt(hit.energy / energy)
    if 1 / DOUBT < critical < DOUBT:
        both = [c if other is None else replace(c, other=other.where()) for c, other in zip(contacts, others)]
        energy = from_impulses(floe, both, restitution, ice=ice, mobility=mobility).energy
        critical = crack.critical * math.sqrt(hit.energy / energy)
    return energy, replace(crack, critical=critical, energy=energy)
