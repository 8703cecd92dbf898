"""The crack of a blow in a run: on a rough mesh first, on finer ones up to the law's own while that leaves a doubt.

Most blows that reach a search break the floe many times over, or not at all: half of those in a storm have three times the
load that the crack needs. A rough mesh finds nearly the same crack as a fine one, and tells its critical load to some per cent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.errors import ShapeError
from banquise.fracture import _kernels_whole
from banquise.fracture._kernels_whole import (
    FACTOR,
    FAILED,
    FOUND,
    GIVES,
    NOWHERE,
    RELEASED,
    X0,
    X1,
    Y0,
    Y1,
    Quest,
)
from banquise.fracture.griffith import Griffith
from banquise.fracture.mesh import PATCH_EDGES
from banquise.fracture.percussion import Contact, from_impulses
from banquise.fracture.search import REFINE_STEPS, Crack, search
from banquise.fracture.slits import extend
from banquise.fracture.split import border_length
from banquise.scene.floe import Floe

Array = NDArray[np.float64]
Index = NDArray[np.int64]

SMALL = 0.1  # part of the area that the least piece is
DOUBT = 1.2  # factor on the load within which the other side's own compliance may decide
SHARE = 1.4  # of the energy that a floe stores, at most so many times what thicknesses alone would give it

_NO_ROWS = np.empty((0, 6))
_NOWHERE = (math.nan, math.nan)
_NONE = Crack(False, _NOWHERE, _NOWHERE, 0.0, 0.0, math.inf, 0.0, 0.0, False, 0, 0, _NO_ROWS)
NO_CANDIDATE = replace(_NONE)  # of a floe that no chord between the ends tried cuts as the law asks


class Fineness(NamedTuple):
    """How finely a crack is sought, and what the factor on the load that is found so says about the one on a fine mesh."""

    nodes: float  # of the mesh
    patch_edges: float
    border_points: float
    halvings: int
    few_ends: bool  # of candidates, see `_kernels_border.ends`
    sure: float = 1.0  # a factor up to here breaks, whatever a fine mesh would say
    # One from here on does not. Where small pieces may be cut off, a rough factor is rarely far above the fine one; where only
    # halves may, few chords are to choose from.
    never: float = 1.0
    never_of_small: float = 1.0
    farther: float = 1.0  # times as far cracks are looked for

    def least_refusal(self, ice: Griffith) -> float:
        """The factor from which on a floe that may leave such pieces does not break."""
        return self.never_of_small if ice.min_piece < SMALL else self.never


ROUGH = Fineness(45.0, 3.0, 12.0, 2, True, sure=0.88, never=1.25, never_of_small=1.15, farther=1.2)
MIDDLING = Fineness(90.0, 5.0, 16.0, 3, True, sure=0.88, never=1.1, never_of_small=1.07, farther=1.1)


def own_fineness(ice: Griffith) -> Fineness:
    """That of the law."""
    return Fineness(float(ice.nodes), float(PATCH_EDGES), float(ice.border_points), REFINE_STEPS, False)


@lru_cache
def _rougher(own: Fineness) -> list[Fineness]:
    """What is tried in turn before the law's own."""
    rougher = [f for f in (ROUGH, MIDDLING) if f.nodes < own.nodes]
    return [f._replace(border_points=min(f.border_points, own.border_points)) for f in rougher]


class Blow(NamedTuple):
    """Contacts of a floe at one instant as kernels want them."""

    spots: Array  # (k, 4) place (m) and push
    pattern: Array  # (k, 2) N s of the compression along the push and across it
    kinetic: float  # J, twice the energy that they carry

    @classmethod
    def of(cls, contacts: Sequence[Contact], restitution: float, mobility: Array) -> Blow:
        spots = np.array([(*c.point, *c.normal) for c in contacts])
        return cls.under(spots, np.array([(c.impulse, c.tangential) for c in contacts]) / (1 + restitution), mobility)

    @classmethod
    def under(cls, spots: Array, pattern: Array, mobility: Array) -> Blow:
        flat = pattern.ravel()
        return cls(spots, pattern, float(flat @ mobility @ flat))

    @property
    def energy(self) -> float:
        """J that the compression takes up."""
        return 0.5 * self.kinetic


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
    flat = blow.pattern.ravel()
    if not blow.kinetic > 1e-12 * float(flat @ flat) / floe.mass:
        raise ShapeError("fracture: these impulses cancel and carry no kinetic energy.")


def seek(floe: Floe, blow: Blow, ice: Griffith, fineness: Fineness, limit: float) -> tuple[Crack | None, float]:
    """The crack that pays first as if against a rock, None when there is none up to `limit`; and what the floe yields.

    Yields are compliance times Young's modulus times thickness times the square of the impulses. Raises where there is no mesh.
    """
    found = _sought(floe, blow, ice, fineness, limit)
    crack = None if found[FACTOR] == math.inf else _crack(floe, ice, found, found[FACTOR], blow.energy)
    return crack, found[GIVES]


def _sought(floe: Floe, blow: Blow, ice: Griffith, fineness: Fineness, limit: float) -> list[float]:
    """What the kernel found, its factor infinite where it found no crack, its yield NaN where there was not even a candidate."""
    corners, first = rings_of(floe)
    strength = ice.strength or 0.0
    gate = ice.gate_length or (ice.young * ice.toughness / strength**2 if strength else 0.0)
    quest = Quest(
        ice.young, ice.poisson, ice.toughness, float(ice.lip_friction), ice.min_piece, ice.min_width or 0.0,
        strength, gate, ice.rule == "least-energy", *fineness[:5], float(limit),
    )  # fmt: skip
    thickness, found = floe.thickness, np.empty(8)
    code = _kernels_whole.searched(
        corners, first, blow.spots, blow.pattern, thickness, ice.patch * math.sqrt(floe.area), blow.kinetic, quest, found,
    )  # fmt: skip
    if code == FAILED:
        raise ShapeError("fracture: this floe could not be meshed.")
    if code != FOUND:
        found[FACTOR] = math.inf
    if code == NOWHERE:
        found[GIVES] = math.nan
    return found.tolist()


def _crack(floe: Floe, ice: Griffith, f: list[float], critical: float, energy: float) -> Crack:
    """The crack that `_sought` found, in a floe that stores this energy (J).

    Its surface is that of the cut, from border to border of the floe itself; the meshed border leaves out small detail.
    """
    length = math.hypot(f[X1] - f[X0], f[Y1] - f[Y0])
    return Crack(
        breaks=f[FACTOR] <= 1,
        start=(f[X0], f[Y0]),
        end=(f[X1], f[Y1]),
        length=length,
        release=f[RELEASED],
        critical=critical,
        energy=energy,
        surface=ice.toughness * floe.thickness * length,
        separates=True,
        candidates=0,
        solved=0,
        landscape=_NO_ROWS,
    )


class Other(NamedTuple):
    """The floe on the other side of a contact."""

    thickness: float
    where: Callable[[], Floe]  # as it lay, in the frame of the struck floe


def _other_yields(other: Floe, blow: Blow, k: int, width: float, ice: Griffith, fineness: Fineness) -> float:
    """What the other floe of contact k yields, in the units of `seek` by its own thickness."""
    corners, first = rings_of(other)
    spot = blow.spots[k : k + 1].copy()
    spot[0, 2:] *= -1.0
    # One patch serves both floes; on a much smaller partner it cannot be wider than its border allows.
    width = min(width, 0.25 * border_length(other))
    found = _kernels_whole.yielding(corners, first, spot, blow.pattern[k : k + 1], width, ice.poisson, *fineness[:2])
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
    own = own_fineness(ice)
    for fineness in _rougher(own) if ice.rough_first else ():
        try:
            energy, crack = _weighed(floe, blow, ice, others, limit, fineness)
        except ShapeError:
            continue  # what a rough mesh cannot fill a fine one often can
        # few ends may leave a floe that can just be halved without a candidate
        if crack is not NO_CANDIDATE and not fineness.sure < crack.critical < fineness.least_refusal(ice):
            return energy, crack
    return _weighed(floe, blow, ice, others, limit, own)


def _weighed(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], limit: float, fineness: Fineness
) -> tuple[float, Crack]:
    """`crack_of` on one mesh. Where there is no crack up to `limit`, the energy is the most that may be stored."""
    share = _share_by_thickness(floe, blow, others)
    most = min(1.0, SHARE * share)
    found = _sought(floe, blow, ice, fineness, limit * math.sqrt(most) * fineness.farther)
    factor = found[FACTOR]
    if factor == math.inf:
        return blow.energy * most, NO_CANDIDATE if math.isnan(found[GIVES]) else _NONE
    critical = factor / math.sqrt(share)
    if share < 1 and fineness.sure / DOUBT < critical < fineness.least_refusal(ice) * DOUBT:
        share = _share_by_yield(floe, blow, ice, others, found[GIVES], fineness)
        critical = factor / math.sqrt(share)
    energy = blow.energy * share
    return energy, _crack(floe, ice, found, critical, energy)


def _share_by_thickness(floe: Floe, blow: Blow, others: Sequence[Other | None]) -> float:
    """Part of the energy that the floe stores if compliances went as one over the thickness."""
    if all(other is None for other in others):
        return 1.0
    ratio = [0.0 if other is None else floe.thickness / other.thickness for other in others]
    if len(ratio) == 1:  # as of most blows; numbers take a tenth of the time that arrays of one do
        weight = float(blow.pattern[0, 0]) * float(blow.pattern[0, 0])
        return 1 / (1 + weight * ratio[0] / weight)
    weights = np.square(blow.pattern[:, 0])
    return 1 / (1 + float(weights @ np.array(ratio)) / float(weights.sum()))


def _share_by_yield(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], gives: float, fineness: Fineness
) -> float:
    """Part of the energy that the floe stores, by what each side yields."""
    own, width = gives / floe.thickness, ice.patch * math.sqrt(floe.area)
    beside = sum(
        _other_yields(other.where(), blow, k, width, ice, fineness) / other.thickness
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
