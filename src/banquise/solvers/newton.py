"""Smoothing Newton with sweeps, for large hyperstatic islands. See `docs/design/large-islands.md` for why this one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ScaledRows
from banquise.solvers import _kernels, _kernels_block, _kernels_cells, _kernels_large, _kernels_path
from banquise.solvers._kernels_newton import Island, Plan, Room

FIRST = 2  # methods of the chain that are one kernel: the quick one, and the path from its best point
MAX_STEPS = 1600  # of the path; the hardest jam at hand takes 1,100
CELLS = 6000, 2000  # passed at most, in the whole chain and in a part of it: nine in ten problems take fewer than 1,000

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def symbolic(a: Ints, b: Ints, bodies: int) -> Plan:
    """Order the bodies by minimum degree and find the pattern of the factor.

    a, b : (m,) local rows of the bodies of each contact, `bodies` for one that cannot move
    """
    plan: Plan = _kernels_large.plan_of(a, b, bodies)
    return plan


def symbolic_within(a: Ints, b: Ints, bodies: int, most: int) -> Plan | None:
    """The same; None as soon as the factor is known to take more than `most` block products."""
    start, neighbours = _kernels_block.body_graph(a, b, bodies)
    position, column, rows = _kernels_block.minimum_degree(start, neighbours, most)
    if len(position) < bodies:
        return None
    rows = rows[: column[-1]].copy()
    places = _kernels_block.block_places(position, column, rows, a, b)
    spare = bodies + 2 * len(rows)
    return Plan(np.append(position, spare), column, rows, *places)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best impulses of a method, their residual (a velocity) and the steps it took."""

    impulses: Floats
    residual: float
    steps: int


class LargeIsland:
    """One island with its bodies numbered 0..n-1 (n: those that cannot move)."""

    def __init__(self, rows: ScaledRows, which: slice | Ints) -> None:
        self.m = len(rows.a[which])
        self.a, self.b = np.empty(self.m, np.int64), np.empty(self.m, np.int64)
        self.n = int(_kernels_block.number_bodies(rows.a[which], rows.b[which], rows.bodies, self.a, self.b))
        self.columns = Island(
            rows.G[which], rows.W[which], self.a, self.b, rows.c[which], rows.friction[which], rows.lower[which]
        )


def solve_large(
    island: LargeIsland, plan: Plan, start: Floats, reference: float, goal: float, tries: int | None = None,
    begun: bool = False,
) -> Outcome:  # fmt: skip
    """The chain for a large island, from memory (`start` not zero) or cold. The best point of all is returned.

    `reference` and `goal` are velocities; `tries`: how much of the chain is gone through, None for all; `begun`: the first
    methods ended at the start.
    """
    warm = bool(start.any())
    r, best = start.copy(), start.copy()
    columns, room = island.columns, _kernels_large.room_for(island.columns, plan)
    first = FIRST if tries is None else min(tries, FIRST)
    if begun:
        G, W, a, b, c, mu, low = columns
        swept, total = _kernels.residual(0, island.m, G, W, a, b, c, mu, low, r, room.y), 0
        least = swept
    else:
        swept, least, total = _kernels_path.first_methods(columns, plan, room, r, best, reference, goal, first)
    tried = np.inf  # the residual from which the way through the cells was tried last
    for method, origin, nu, most in _chain(warm, reference, swept, CELLS[tries is not None])[: tries and tries - first]:
        if least <= goal:
            break
        if origin == "best" and method != "newton" and least > _kernels_path.CLOSE * reference:
            continue
        if method == "cells" and least == tried:
            continue
        nu = nu * least if origin == "best" else nu
        point = {"swept": r, "zero": np.zeros_like(r), "best": best}[origin].copy()
        if method in ("eased", "afresh"):
            eased, e, steps = _from_less_friction(columns, plan, room, nu, reference, goal)
            total += steps
            if e < least:
                best, least = eased, e
            if method == "eased" or e <= goal or e > _kernels_path.CLOSE * reference:
                continue
            point = eased.copy()  # though it is farther than the best: through other cells
        if method == "newton":
            e, steps = _kernels_path.smoothing_newton(columns, plan, room, point, reference, goal, nu, 0.5, most)
        elif method == "path":
            e, steps = _kernels_path.central_path(columns, plan, room, point, goal, nu, most, False)
        else:
            tried = least
            work = np.empty((10, island.m)), np.empty((2, island.m), np.int64)
            e, steps = _kernels_cells.cell_path(columns, plan, room, *work, point, goal, most)
        total += steps
        if e < least:
            best, least = room.best.copy(), e
    return Outcome(best, least, total)


def _from_less_friction(
    island: Island, plan: Plan, room: Room, part: float, reference: float, goal: float
) -> tuple[Floats, float, int]:
    """The first methods from where they end with a part of the friction: the best point, its residual and the steps."""
    less = island._replace(mu=part * island.mu)
    start, point, best = np.zeros((len(island.mu), 2)), np.empty((len(island.mu), 2)), np.empty((len(island.mu), 2))
    _, _, steps = _kernels_path.first_methods(
        less, plan, _kernels_large.room_for(less, plan), start, point, reference, goal, FIRST
    )
    _, e, more = _kernels_path.first_methods(island, plan, room, point, best, reference, goal, FIRST)
    return best, float(e), int(steps + more)


def _chain(warm: bool, reference: float, swept: float, cells: int) -> list[tuple[str, str, float, int]]:
    """What is tried after the first methods: (method, point to start from, nu (from the best point: times its residual;
    eased, afresh: the part of the friction), most steps).

    What the quick method leaves is mostly near. The path from there takes one or two hundred steps while nu is well above
    the residual that is asked for, and then goes from fold to fold; the way through the cells ends it. What is left then is often
    solved at once from where there is no friction, or half of it. What nothing solves is tried through the cells from such
    points, too.
    """
    again = [("path", "swept", min(0.1 * reference, 10 * swept), 1000), ("cells", "best", 0.0, cells)] if warm else []
    return [
        ("cells", "best", 0.0, cells),
        ("eased", "zero", 0.0, 0),
        ("cells", "best", 0.0, cells),
        ("eased", "zero", 0.5, 0),
        ("cells", "best", 0.0, cells),
        *again,
        ("path", "zero", 10 * reference, MAX_STEPS),
        ("cells", "best", 0.0, cells),
        ("newton", "best", 1.0, 80),
        ("afresh", "zero", 0.25, cells),
        ("afresh", "zero", 0.75, cells),
    ]
