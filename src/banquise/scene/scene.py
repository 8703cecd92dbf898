"""A scene: floes, obstacles and the domain they live in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from banquise.errors import CaseError, ShapeError, in_short, known_keywords
from banquise.given import counted
from banquise.scene.bodies import Bodies
from banquise.scene.domain import Box, Domain, Periodic
from banquise.scene.floe import Floe, Obstacle
from banquise.scene.polyhedron import Polyhedron


@known_keywords
class Scene:
    """Floes, obstacles and a domain.

    Parameters
    ----------
    floes : list of `bq.Floe` and `bq.Disc`
    obstacles : list of `bq.Obstacle`
    domain : None (open sea), `bq.Box` or `bq.Periodic`
    blocks : list of `bq.Polyhedron`: a scene in space, without floes, obstacles or domain

    >>> from banquise.scene.floe import Disc
    >>> Scene([Disc((0, 0), 1.0)])
    Scene: 1 floe, 3.142 m2 of ice, no obstacles, open sea
    """

    def __init__(
        self,
        floes: Iterable[Floe] = (),
        obstacles: Iterable[Obstacle] = (),
        domain: Domain = None,
        blocks: Iterable[Polyhedron] = (),
    ):
        for name, given in (("floes", floes), ("obstacles", obstacles), ("blocks", blocks)):
            if not np.iterable(given):
                raise CaseError(f"scene: {name} is one {type(given).__name__}, expected a list: {name}=[...].")
        self.blocks: tuple[Polyhedron, ...] = tuple(blocks)
        self.floes: tuple[Floe, ...] = tuple(floes)
        self.obstacles: tuple[Obstacle, ...] = tuple(obstacles)
        for k, floe in enumerate(self.floes):
            if not isinstance(floe, Floe):
                other = {Polyhedron: "blocks", Obstacle: "obstacles"}.get(type(floe))
                where = f" These go into bq.Scene({other}=[...])." if other else ""
                raise ShapeError(f"scene: floes[{k}] is {type(floe).__name__}, expected bq.Floe or bq.Disc.{where}")
        for k, obstacle in enumerate(self.obstacles):
            if not isinstance(obstacle, Obstacle):
                raise ShapeError(f"scene: obstacles[{k}] is {type(obstacle).__name__}, expected bq.Obstacle.")
        if domain is not None and not isinstance(domain, Box | Periodic):
            raise CaseError(f"scene: domain is {type(domain).__name__}, expected None, bq.Box or bq.Periodic.")
        self.domain = domain
        if isinstance(domain, Periodic):
            self._check_periods(domain)
        for k, block in enumerate(self.blocks):
            if not isinstance(block, Polyhedron):
                raise ShapeError(f"scene: blocks[{k}] is {type(block).__name__}, expected bq.Polyhedron.")
        if self.blocks and (self.floes or self.obstacles or domain is not None):
            raise CaseError("scene: blocks live in space, floes and domains in the plane; expected one or the other.")

    def _check_periods(self, domain: Periodic) -> None:
        """A floe as wide as the periodic domain would lie upon itself."""
        sides = domain.xmax - domain.xmin, domain.ymax - domain.ymin
        for k, floe in enumerate(self.floes):
            width = np.ptp(floe.ring, axis=0) + 2 * floe.radius
            if width[0] >= sides[0] or width[1] >= sides[1]:
                raise CaseError(
                    f"scene: floe {k} is {width[0]:g} m by {width[1]:g} m, the periodic domain {sides[0]:g} m by "
                    f"{sides[1]:g} m: it would meet itself. Take a larger domain."
                )

    def bodies(self) -> Bodies:
        """Fresh columns of this scene, for a simulation to move."""
        return Bodies.of(self.floes, self.obstacles)

    def overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs (i, j, overlap area m2) of floes, obstacles (numbered after the floes) that overlap, for checks."""
        parts: Sequence[Any] = [*self.floes, *self.obstacles]
        polygons: NDArray[Any] = np.array([p.polygon for p in parts], dtype=object)
        if len(polygons) < 2:
            return []
        i, j = shapely.STRtree(polygons).query(polygons, predicate="intersects")
        keep = (i < j) & (i < len(self.floes))
        i, j = i[keep], j[keep]
        area = shapely.area(shapely.intersection(polygons[i], polygons[j]))
        small = np.minimum([parts[k].area for k in i], [parts[k].area for k in j])
        # what touches along a border intersects in a line: an overlap is more than round-off of the smaller floe
        found = area > 1e-9 * small
        return [(int(a), int(b), float(s)) for a, b, s in zip(i[found], j[found], area[found])]

    def _repr_html_(self) -> str:
        return import_module("banquise.view.reprs").scene_html(self)

    def __repr__(self) -> str:
        if self.blocks:
            fixed = sum(b.fixed for b in self.blocks)
            return f"Scene: {counted(len(self.blocks), 'block')}, {fixed} of them fixed"
        ice = sum(f.area for f in self.floes)
        count = counted(len(self.floes), "floe")
        rock = counted(len(self.obstacles), "obstacle") if self.obstacles else "no obstacles"
        where = "open sea" if self.domain is None else repr(self.domain)
        return f"Scene: {count}, {ice:.4g} m2 of ice, {rock}, {where}"


def as_scene(value: Any, what: str) -> Scene:
    """A scene of floes, or a sentence about what was given instead.

    >>> as_scene([], "shift")
    Traceback (most recent call last):
    banquise.errors.CaseError: shift: got [], expected a bq.Scene (of a run: run.scene).
    """
    if not isinstance(value, Scene):
        raise CaseError(f"{what}: got {in_short(value)}, expected a bq.Scene (of a run: run.scene).")
    if value.blocks:
        raise CaseError(f"{what}: the scene is one of blocks, expected one of floes.")
    return value


def area_of(scene: Scene, bodies: Bodies) -> tuple[float, float, float, float]:
    """xmin, xmax, ymin, ymax (m) of the floes' discs and the domain."""
    n, d = bodies.n_free, scene.domain
    x, y, r = bodies.x[:n], bodies.y[:n], bodies.extent[:n]
    bounds = [(x - r).min(initial=np.inf), (x + r).max(initial=-np.inf), (y - r).min(initial=np.inf)]
    bounds.append((y + r).max(initial=-np.inf))
    if d is not None:
        bounds = [min(bounds[0], d.xmin), max(bounds[1], d.xmax), min(bounds[2], d.ymin), max(bounds[3], d.ymax)]
    if not np.isfinite(bounds).all():
        return 0.0, 0.0, 0.0, 0.0
    return float(bounds[0]), float(bounds[1]), float(bounds[2]), float(bounds[3])
