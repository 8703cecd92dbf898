"""From a percussion to the elastic state at its peak: force, duration, energy stored in the floe.

While two floes touch, their inside is at every instant in equilibrium with the inertia of their rigid motion
(Balasoiu's limit), so a contact is a spring: of the compliance C = C1 + C2 of the two floes under inertia relief,
between the effective mass m of the contact. A contact met at the speed v peaks at the force v sqrt(m / C) after half
of pi sqrt(m C).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import ShapeError, in_short, known_keywords
from banquise.fracture import _kernels_mesh
from banquise.fracture.blas import one_blas_thread
from banquise.fracture.elasticity import Body, body_of, border_edges
from banquise.fracture.given import a_floe, an_ice, finite, pair, unit
from banquise.fracture.griffith import Griffith
from banquise.scene.floe import Floe, Obstacle

Array = NDArray[np.float64]


SWEEPS = 6  # for the width of a crushed patch, which acts on the force only through a logarithm


@known_keywords
@dataclass(frozen=True)
class Contact:
    """One contact of a floe: place (m), direction of the push into the floe, impulse (N s) along it and across it."""

    point: tuple[float, float]
    normal: tuple[float, float]
    impulse: float
    tangential: float = 0.0  # N s, along the normal turned left
    other: Floe | Obstacle | None = None  # None and obstacles are rigid


def _checked(floe: Floe, contact: Any) -> Contact:
    """A contact with its push made a direction and its place led to the floe's border."""
    if not isinstance(contact, Contact):
        raise ShapeError(f"fracture: a contact is {in_short(contact)}, expected fracture.Contact(...).")
    where = _on_border(floe, pair(contact.point, "point of a contact"))
    _check_other(contact.other, where)
    way, tangential = unit(contact.normal, "normal of a contact"), finite(contact.tangential, "tangential impulse")
    return Contact(where, way, finite(contact.impulse, "impulse"), tangential, contact.other)


def _check_other(other: Any, point: tuple[float, float]) -> None:
    """What is met must be there; an obstacle is rigid wherever it is."""
    if not (other is None or isinstance(other, Floe | Obstacle)):
        raise ShapeError(
            f"fracture: other is {in_short(other)}, expected a floe, an obstacle or None for a rigid wall."
        )
    if isinstance(other, Floe):
        _on_border(other, point)


@dataclass(frozen=True)
class Impact:
    """The elastic state of a floe at the peak of a percussion."""

    force: float  # N, normal, at the (first) contact
    duration: float  # s, of the contact
    energy: float  # J stored in this floe
    compliance: float  # m/N of this floe alone under the pattern of its contacts
    effective_mass: float  # kg of the (first) contact
    patch: float  # m, width of the (first) patch
    contacts: tuple[Contact, ...]
    ice: Griffith
    body: Body = field(repr=False)
    displacement: Array = field(repr=False)  # (n, 2) m at the nodes of the mesh
    push: Array = field(repr=False)  # load on the rigid modes, in the units of the body
    gripped: tuple[bool, ...] = (False,)  # patches held along the border too, because they are rubbed
    thickness: float = 0.0  # m, of the floe

    def stresses(self) -> Array:
        """(ne, 3) Pa: xx, yy, xy in each element of `body.mesh`."""
        return self.ice.young * self.body.stresses(self.displacement / self.body.unit)


@known_keywords
def impact(
    floe: Floe,
    point: Any,
    normal: Any,
    speed: float,
    other: Floe | Obstacle | None = None,
    patch: float | None = None,
    ice: Griffith | None = None,
) -> Impact:
    """The percussion of a floe at one point of its border.

    Parameters
    ----------
    point : (x, y) m, on the border (the nearest border point is taken)
    normal : direction in which the floe is pushed there (into the floe); an outward one pulls
    speed : m/s, at which the two surfaces approach along the normal; negative pulls
    other : the floe it meets; None or an obstacle: a rigid wall
    patch : m, width of the contact; None: `ice.patch` times the square root of the floe's area

    >>> square = Floe([[0, 0], [100, 0], [100, 100], [0, 100]], density=910.0)
    >>> hit = impact(square, point=(0, 50), normal=(1, 0), speed=0.1)
    >>> round(hit.energy), round(hit.duration, 2)
    (45500, 0.14)
    """
    speed = finite(speed, "speed")
    where, way = _on_border(a_floe(floe), pair(point, "point")), unit(normal, "normal")
    _check_other(other, where)
    mass = 1 / _mobility(floe, other, where, way)
    contact = Contact(where, way, mass * speed, 0.0, other)
    return from_impulses(floe, [contact], restitution=0.0, patch=patch, ice=ice)


def _on_border(floe: Floe, point: tuple[float, float]) -> tuple[float, float]:
    """The nearest point of the floe's border; what lies beside it by more than a twentieth of its size is a mistake."""
    border = floe.polygon.boundary
    off = float(border.distance(shapely.Point(point)))
    size = math.sqrt(floe.area)
    if off > 0.05 * size:
        raise ShapeError(f"fracture: point ({point[0]:g}, {point[1]:g}) is {off:.3g} m from the border of {floe!r}.")
    if off <= 1e-9 * size:
        return point
    x, y = border.interpolate(border.project(shapely.Point(point))).coords[0]
    return float(x), float(y)


@known_keywords
@one_blas_thread()
def from_impulses(
    floe: Floe,
    contacts: Sequence[Contact],
    restitution: float = 0.0,
    patch: float | None = None,
    ice: Griffith | None = None,
    mobility: Array | None = None,
) -> Impact:
    """The percussion of a floe at one or several contacts at once, from the impulses that a contact solver found.

    The forces rise together in the proportion of the impulses J; in the compression phase, J / (1 + e), they carry the
    kinetic energy J.W.J / 2 (W: the mobility of the contacts) into the springs, F.C.F / 2, which gives F and the time.
    `mobility` is W (2k, 2k; normal and tangential of each contact) where it is known; else the floes of the contacts give it.
    """
    ice, floe = an_ice(ice), a_floe(floe)
    if not contacts:
        raise ShapeError("fracture: an impact needs at least one contact.")
    if not (0 <= finite(restitution, "restitution") <= 1):
        raise ShapeError(f"fracture: restitution is {restitution!r}, expected a number from 0 to 1.")
    contacts = [_checked(floe, c) for c in contacts]
    scale = max(abs(c.impulse) for c in contacts)
    if not (math.isfinite(scale) and scale > 0):
        raise ShapeError(f"fracture: the largest normal impulse is {scale!r} N s, expected a finite number above 0.")
    width = ice.patch * math.sqrt(floe.area) if patch is None else finite(patch, "patch")
    if not 0 < width <= 0.5 * floe.polygon.length:
        raise ShapeError(f"fracture: patch of {width!r} m, expected a width between 0 and half the floe's border.")
    if mobility is None:
        mobility = _mobilities(floe, contacts)
    found = _peak(floe, contacts, restitution, width, ice, mobility)
    if ice.crushing is not None:
        least = width
        for _ in range(SWEEPS):
            wanted = max(least, found.force / (ice.crushing * floe.thickness))
            wanted = min(wanted, 0.25 * floe.polygon.length)
            if abs(wanted - width) < 0.02 * width:
                break
            width = wanted
            found = _peak(floe, contacts, restitution, width, ice, mobility)
    return found


def _peak(
    floe: Floe, contacts: Sequence[Contact], restitution: float, width: float, ice: Griffith, mobility: Array
) -> Impact:
    spots = [(c.point, c.normal, width) for c in contacts]
    body = body_of(floe, spots, nodes=ice.nodes, poisson=ice.poisson)
    pattern = np.array([(c.impulse, c.tangential) for c in contacts]) / (1 + restitution)
    loads = np.stack([patch_load(body, k) for k in range(len(contacts))])  # (contacts, 2, 2n) along normal, tangent
    load = np.einsum("kd,kdi->i", pattern, loads)
    shape, push = body.relief(load)
    stiff = ice.young * floe.thickness
    own = float(load @ shape.ravel()) / stiff  # m/N times (N s)^2
    partners = sum(_partner(c, p, width, ice) for c, p in zip(contacts, pattern) if isinstance(c.other, Floe))
    kinetic = float(pattern.ravel() @ mobility @ pattern.ravel())
    if kinetic <= 1e-12 * float(np.sum(pattern**2)) / floe.mass:
        raise ShapeError("fracture: these impulses cancel and carry no kinetic energy. Name the floes that give them.")
    rate = math.sqrt(kinetic / (own + partners))  # 1/s: force over compression impulse
    force = rate * pattern
    first = force[0, 0]
    return Impact(
        force=float(abs(first)),
        duration=math.pi / rate,
        energy=0.5 * own * rate**2,
        compliance=own / float(pattern[0, 0]) ** 2 if pattern[0, 0] else math.inf,
        effective_mass=1 / float(mobility[0, 0]),
        patch=body.patches[0].width * body.unit,
        contacts=tuple(contacts),
        ice=ice,
        body=body,
        displacement=shape * (rate / stiff),
        push=push * (rate / stiff / body.unit),
        gripped=tuple(c.tangential != 0 for c in contacts),
        thickness=floe.thickness,
    )


def patch_load(body: Body, which: int) -> Array:
    """(2, 2n) nodal loads of a unit force spread evenly over a patch, along its push and along the push turned left."""
    mesh, way = body.mesh, body.patches[which].direction
    weight = _kernels_mesh.end_weights(mesh.nodes, mesh.elements, border_edges(body, which))
    turned = np.array([-way[1], way[0]])
    return np.stack([np.outer(weight, way).ravel(), np.outer(weight, turned).ravel()])


def _partner(contact: Contact, pattern: Array, width: float, ice: Griffith) -> float:
    """What the other floe of a contact yields, in m/N times (N s)^2: its own spring under the same impulses."""
    other = contact.other
    assert isinstance(other, Floe)
    back = (-contact.normal[0], -contact.normal[1])
    # One patch serves both floes; on a much smaller partner it cannot be wider than its border allows.
    width = min(width, 0.25 * other.polygon.length)
    body = body_of(other, [(contact.point, back, width)], nodes=ice.nodes, poisson=ice.poisson)
    load = pattern @ patch_load(body, 0)
    shape, _ = body.relief(load)
    return float(load @ shape.ravel()) / (ice.young * other.thickness)


def _lever(body: Floe, point: tuple[float, float], way: Array) -> Array:
    """Generalised direction of a push on a floe: force and moment about its centre."""
    r = np.asarray(point) - body.centre
    return np.array([way[0], way[1], r[0] * way[1] - r[1] * way[0]])


def _mobilities(floe: Floe, contacts: Sequence[Contact]) -> Array:
    """W (2k, 2k): velocity change of each contact (normal, tangential) for a unit impulse at each."""
    ways = [np.array(w) for c in contacts for w in (c.normal, (-c.normal[1], c.normal[0]))]
    owners = [c for c in contacts for _ in (0, 1)]
    total = np.zeros((len(ways), len(ways)))
    partners: list[Floe] = []
    for c in contacts:
        if isinstance(c.other, Floe) and not any(p is c.other for p in partners):
            partners.append(c.other)
    for body in [floe, *partners]:
        rows = np.array(
            [_lever(body, c.point, w) if body is floe or c.other is body else np.zeros(3) for c, w in zip(owners, ways)]
        )
        total += rows @ np.diag([1 / body.mass, 1 / body.mass, 1 / body.inertia]) @ rows.T
    return total


def _mobility(floe: Floe, other: Any, point: tuple[float, float], way: tuple[float, float]) -> float:
    """1 / effective mass of one contact along its normal (1/kg)."""
    return float(_mobilities(floe, [Contact(point, way, 1.0, 0.0, other)])[0, 0])
