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
from banquise.fracture import _kernels_generations
from banquise.fracture._kernels_generations import CRITICAL, ENERGY, SURFACE, UNCUT, UNLIKE, Beside, Ice, Plate, Touch
from banquise.fracture._kernels_whole import CRACK_LENGTH, FAILED, FOUND, GIVES, NOWHERE, RELEASED, X0, X1, Y0, Y1
from banquise.fracture.griffith import Griffith
from banquise.fracture.mesh import PATCH_EDGES
from banquise.fracture.percussion import Contact, from_impulses
from banquise.fracture.search import REFINE_STEPS, Crack, search
from banquise.fracture.slits import extend
from banquise.fracture.split import rings_of
from banquise.scene.floe import Floe

Array = NDArray[np.float64]
Index = NDArray[np.int64]

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
    detail: float  # nodes of the mesh whose border is taken
    farther: float = 1.0  # times as far cracks are looked for
    sure: float = 1.0  # a factor up to here breaks, whatever a fine mesh would say
    never: float = 1.0  # one from here on does not
    # The same where a rough mesh may be far off: no chord from the contact is wide enough, or few are, or moving the ends of
    # the best one gained much.
    sure_in_doubt: float = 1.0
    never_in_doubt: float = 1.0


ROUGH = Fineness(
    45.0, 3.0, 12.0, 2, True, 45.0, farther=2.0, sure=0.88, never=1.4, sure_in_doubt=0.77, never_in_doubt=2.0
)
# With border and ends of the law's own mesh, so that chords which are hopeless here need not be opened there.
MIDDLING = Fineness(
    60.0, 3.0, 24.0, 3, False, 200.0, farther=1.1, sure=0.91, never=1.2, sure_in_doubt=0.84, never_in_doubt=1.22
)


def own_fineness(ice: Griffith) -> Fineness:
    """That of the law."""
    return Fineness(
        float(ice.nodes), float(PATCH_EDGES), float(ice.border_points), REFINE_STEPS, False, float(ice.nodes)
    )


class Blow(NamedTuple):
    """Contacts of a floe at one instant as kernels want them."""

    spots: Array  # (k, 4) place (m) and push
    pattern: Array  # (k, 2) N s of the compression along the push and across it
    kinetic: float  # J, twice the energy that they carry

    @property
    def energy(self) -> float:
        """J that the compression takes up."""
        return 0.5 * self.kinetic


def serves(ice: Griffith) -> bool:
    """Whether the search in one call knows all that this law asks for."""
    return not ice.arrested and ice.crushing is None


class Other(NamedTuple):
    """The floe on the other side of a contact."""

    thickness: float
    where: Callable[[], Floe]  # as it lay, in the frame of the struck floe


class Fate(NamedTuple):
    """What becomes of a floe that is struck."""

    code: int  # FAILED, NOWHERE, NONE, FOUND, UNCUT
    searches: int
    cracks: Array  # (c, ...) in the order they open; see `_kernels_generations.fate`
    bears: NDArray[np.bool_]  # (c, k) the contacts that load each
    pieces: tuple[Array, Index, Array, Array]  # corners, where they begin, moments, density

    @property
    def broken(self) -> bool:
        """Whether it has been cut."""
        return self.code == FOUND and len(self.pieces[3]) > 1


@lru_cache
def _terms(law: Griffith) -> tuple[Ice, Array]:
    """The law as kernels want it, and how finely is searched in turn."""
    strength = law.strength or 0.0
    gate = law.gate_length or (law.young * law.toughness / strength**2 if strength else 0.0)
    sizes = (math.nan if size is None else size for size in (law.min_size, law.min_width))
    own = own_fineness(law)
    middling = MIDDLING._replace(border_points=own.border_points, detail=own.detail)
    rough = ROUGH._replace(border_points=min(ROUGH.border_points, own.border_points))
    tried = [*(f for f in (rough, middling) if law.rough_first and f.nodes < own.nodes), own]
    return Ice(
        law.young, law.poisson, law.toughness, law.lip_friction, law.patch, strength, gate, law.rule == "least-energy",
        law.min_piece, *sizes,
    ), np.array(tried)  # fmt: skip


def terms(
    floe: Floe, touch: Touch, blow: Blow, beside: Beside, law: Griffith, ice: Griffith, limit: float, breaks: bool = False
) -> tuple[Any, ...]:  # fmt: skip
    """What `_kernels_generations.fate` is called with.

    law : as given; ice : with the least piece of this floe; limit : factor on the load beyond which nobody asks
    breaks : whether the floe is cut as well, and its pieces searched; if so it is one ring, as thick everywhere
    """
    (corners, first), (x, y) = rings_of(floe), floe.centre.tolist()
    plate = Plate(
        corners, first, floe.area_moments, floe.thickness, floe.density, floe.mass, floe.inertia, x, y, ice.min_piece,
        ice.min_width or 0.0,
    )  # fmt: skip
    span, generations = (floe.thickness_measures[0], law.generations) if breaks else (0.0, 0)
    return plate, touch, blow.pattern, blow.kinetic, beside, *_terms(law), float(limit), span, generations


def outlines(floes: Sequence[Floe | None]) -> tuple[Array, NDArray[np.int32], NDArray[np.int32]]:
    """Columns of the rings of floes about their centres, arcs as chords: vertices, ring_start, body_ring; none of None."""
    shapes = [(np.empty((0, 2)), np.zeros(1, np.int64)) if floe is None else rings_of(floe) for floe in floes]
    corners = [at if floe is None else at - floe.centre for floe, (at, _) in zip(floes, shapes)]
    lengths = [length for _, first in shapes for length in np.diff(first).tolist()]
    return (
        np.concatenate(corners),
        np.cumsum([0, *lengths], dtype=np.int32),
        np.cumsum([0, *(len(first) - 1 for _, first in shapes)], dtype=np.int32),
    )


def crack_at(f: Sequence[float]) -> Crack:
    """The crack of a row of `Fate.cracks`."""
    return Crack(
        breaks=f[CRITICAL] <= 1,
        start=(f[X0], f[Y0]),
        end=(f[X1], f[Y1]),
        length=f[CRACK_LENGTH],
        release=f[RELEASED],
        critical=f[CRITICAL],
        energy=f[ENERGY],
        surface=f[SURFACE],
        separates=True,
        candidates=0,
        solved=0,
        landscape=_NO_ROWS,
    )


def first_crack(found: Fate) -> tuple[float, Crack]:
    """Energy (J) that a blow stores in a floe, and the crack that pays first; its factor is infinite when there is none.

    Raises where there is no mesh, or no load.
    """
    row = found.cracks[0].tolist()
    if found.code == FAILED:
        raise ShapeError("fracture: this floe could not be meshed, or its impulses cancel and carry no kinetic energy.")
    if found.code in (FOUND, UNCUT):
        return row[ENERGY], crack_at(row)
    return row[ENERGY], NO_CANDIDATE if found.code == NOWHERE else _NONE


def seek(floe: Floe, blow: Blow, ice: Griffith, fineness: Fineness, limit: float) -> tuple[Crack | None, float]:
    """The crack that pays first as if against a rock, None when there is none up to `limit`; and what the floe yields.

    Yields are compliance times Young's modulus times thickness times the square of the impulses. Raises where there is no mesh.
    """
    found = _alone(floe, blow, ice, [None] * len(blow.spots), limit, np.array([fineness._replace(farther=1.0)]))
    _, crack = first_crack(found)
    gives = math.nan if crack is NO_CANDIDATE else float(found.cracks[0, GIVES])
    return (None if crack.critical == math.inf else crack), gives


def crack_of(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], limit: float
) -> tuple[float, Crack]:
    """`first_crack` of a blow.

    others : of each contact, None for an obstacle; limit : factor on the load beyond which nobody asks
    """
    return first_crack(_alone(floe, blow, ice, others, limit, _terms(ice)[1]))


def _alone(
    floe: Floe, blow: Blow, ice: Griffith, others: Sequence[Other | None], limit: float, finenesses: Array
) -> Fate:  # fmt: skip
    """A search of a floe that is in no run."""
    k = len(others)
    floes = [None if other is None else other.where() for other in others]
    levers = np.array([(0.0, 0.0) if f is None else spot - f.centre for f, spot in zip(floes, blow.spots[:, :2])])
    rows = np.array([k if other is None else i for i, other in enumerate(others)])
    thickness = np.array([0.0 if other is None else other.thickness for other in others])
    touch = Touch(blow.spots, blow.pattern, levers, rows, np.arange(k), 0.0, 0.0)
    nothing = np.zeros(k)
    beside = Beside(k, thickness, nothing, nothing, nothing, *outlines(floes))
    plate, *given, _, limit, span, generations = terms(floe, touch, blow, beside, ice, ice, limit)
    return Fate(*_kernels_generations.fate(plate, *given, finenesses, limit, span, generations))


def _share_by_thickness(
    floe: Floe, contacts: Sequence[Contact], others: Sequence[Other | None], times: float = 1.0
) -> float:
    """Part of the energy that the floe stores if compliances went as one over the thickness, its own times so much."""
    ratio = [0.0 if other is None else floe.thickness / other.thickness for other in others]
    weights = np.square([c.impulse for c in contacts])
    return 1 / (1 + float(weights @ np.array(ratio)) / (times * float(weights.sum())))


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
    energy = hit.energy * _share_by_thickness(floe, contacts, others)
    critical = crack.critical * math.sqrt(hit.energy / energy)
    surely, hardly = (
        crack.critical / math.sqrt(_share_by_thickness(floe, contacts, others, times)) for times in (UNLIKE, 1 / UNLIKE)
    )
    if surely < 1 < hardly:
        both = [c if other is None else replace(c, other=other.where()) for c, other in zip(contacts, others)]
        energy = from_impulses(floe, both, restitution, ice=ice, mobility=mobility).energy
        critical = crack.critical * math.sqrt(hit.energy / energy)
    return energy, replace(crack, critical=critical, energy=energy)
