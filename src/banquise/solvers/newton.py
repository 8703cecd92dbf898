"""Smoothing Newton with sweeps, for large hyperstatic islands. See `docs/design/large-islands.md` for why this one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact.problem import ScaledRows
from banquise.solvers import _kernels, _kernels_block, _kernels_cells, _kernels_path
from banquise.solvers._kernels_newton import LOW, SLOPE, WNN, WTT, Island, Plan, Room

SWEEPS = 20  # before the first Newton step: they cure local trouble
CLOSE = 1e-2  # residual, from which on the best point is far from the path
MAX_STEPS = 1600  # of the path; the hardest jam at hand takes 1,100
CELLS = 6000, 2000  # passed at most, in the whole chain and in a part of it: nine in ten problems take fewer than 1,000

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def symbolic(a: Ints, b: Ints, bodies: int) -> Plan:
    """Order the bodies by minimum degree and find the pattern of the factor.

    a, b : (m,) local rows of the bodies of each contact, `bodies` for one that cannot move
    """
    plan = symbolic_within(a, b, bodies, int(np.iinfo(np.int64).max))
    assert plan is not None
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

    def room(self, plan: Plan) -> Room:
        """The work arrays of the methods, with what does not change in place."""
        m, n = self.m, self.n
        W, mu, low = self.columns.W, self.columns.mu, self.columns.low
        Z = np.zeros((12, m))
        moves = W[:, 0] > 0
        Z[WNN], Z[WTT], Z[LOW] = np.where(moves, W[:, 0], 1.0), np.where(moves, W[:, 2], 1.0), np.where(moves, low, 0.0)
        Z[SLOPE] = np.where(moves, mu * W[:, 2], 0.0)
        three = (n + 1, 3)
        return Room(
            np.empty((n + 2 * len(plan.rows) + 1, 9)), np.zeros(three), Z, np.empty((7, m)), np.zeros(three),
            np.empty((n, 3)), np.empty((n, 3)), np.empty((m, 2)), np.empty((m, 2)),
        )  # fmt: skip

    def sweeps(self, r: Floats, y: Floats, count: int, goal: float) -> float:
        """Up to `count` passes over the contacts; the residual they reach."""
        G, W, a, b, c, mu, low = self.columns
        return float(_kernels.sweeps(0, self.m, count, goal, G, W, a, b, c, mu, low, r, y)[0])


def solve_large(
    island: LargeIsland, plan: Plan, start: Floats, reference: float, goal: float, tries: int | None = None
) -> Outcome:
    """The chain for a large island, from memory (`start` not zero) or cold. The best point of all is returned.

    `reference` and `goal` are velocities; `tries`: how much of the chain is gone through, None for all.
    """
    warm = bool(start.any())
    r = start.copy()
    room = island.room(plan)
    swept = island.sweeps(r, room.y, SWEEPS, goal)
    best, least, total = r.copy(), swept, SWEEPS
    columns = island.columns
    tried = np.inf  # the residual from which the way through the cells was tried last
    for method, origin, nu, most in _chain(warm, reference, swept, CELLS[tries is not None])[:tries]:
        if least <= goal:
            break
        if origin == "best" and method != "newton" and least > CLOSE * reference:
            continue
        if method == "cells" and least == tried:
            continue
        point = {"swept": r, "zero": np.zeros_like(r), "best": best}[origin].copy()
        nu = nu * least if origin == "best" else nu
        if method == "newton":
            fall, passes = (0.5 if warm or origin == "best" else 0.64), (30 if warm else 20)
            e, steps = _kernels_path.smoothing_newton(columns, plan, room, point, goal, nu, fall, most, passes)
        elif method == "path":
            e, steps = _kernels_path.central_path(columns, plan, room, point, goal, nu, most)
        else:
            tried = least
            work = np.empty((10, island.m)), np.empty((2, island.m), np.int64)
            e, steps = _kernels_cells.cell_path(columns, plan, room, *work, point, goal, most)
        total += steps
        if e < least:
            best, least = room.best.copy(), e
    return Outcome(best, least, total)


def _chain(warm: bool, reference: float, swept: float, cells: int) -> list[tuple[str, str, float, int]]:
    """What is tried in turn: (method, point to start from, nu (from the best point: times its residual), most steps).

    What the quick method leaves is mostly near. The path from there takes one or two hundred steps while nu is well above
    the residual that is asked for, and then goes from fold to fold; the way through the cells ends it.
    """
    near, far = _kernels_path.NEAR, 10 * reference
    first = ("newton", "swept", near * swept, 80) if warm else ("newton", "swept", far, 80)
    again = [("path", "swept", min(0.1 * reference, 10 * swept), 1000), ("cells", "best", 0.0, cells)] if warm else []
    return [
        first,
        ("path", "best", 10.0, 200),
        ("cells", "best", 0.0, cells),
        *again,
        ("path", "zero", far, MAX_STEPS),
        ("cells", "best", 0.0, cells),
        ("newton", "best", near, 80),
    ]
