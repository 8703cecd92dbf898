# mypy: ignore-errors
"""Large islands start to end inside Numba, as far as the first methods of their chain go (`_kernels_path`).

Python about an island of a hundred contacts takes longer than its solution. What these methods leave, and islands so large
that their order of elimination is worth keeping, are for `frictional.IslandRun`.
"""

import numpy as np

from banquise.jit import inner, njit
from banquise.solvers._kernels import residual, velocity_of
from banquise.solvers._kernels_block import block_places, body_graph, minimum_degree, number_bodies
from banquise.solvers._kernels_newton import LOW, SLOPE, WNN, WTT, Island, Plan, Room
from banquise.solvers._kernels_path import first_methods, keep

SIEVE = 0.03  # of the largest speed: contacts with more room than to close at this speed are left out at first
SIEVES = 6  # times contacts are taken in before all are
ROUGH = 1e-2  # residual: from nothing, a part is solved no better until it is known which contacts close
ENDLESS = np.int64(2**62)  # block products: whatever the factor takes


@njit(cache=True, nogil=True, error_model="numpy")
def near_contacts(first, last, W, c, bias, low, r, goal, near):
    """Flag the contacts of an island that may matter: those that bear, would close, or are nearly closed.

    Far more are found than bear anything: all whose bodies could reach each other within the step. Those left out are
    asked when the others are solved, and those that close are taken in. What is near is told by the speeds before the
    impulses and not by the reference: that of a rebound is what its impulses do, ten times as fast, and all would be near.
    Returns (how many, the closing speed below which a contact is near).
    """
    fastest, count = 0.0, 0
    for k in range(first, last):
        fastest = max(fastest, abs(c[k, 0] - bias[k, 0]), abs(c[k, 1] - bias[k, 1]))
    least = SIEVE * fastest
    for k in range(first, last):
        bears = low[k] > 0.0 or W[k, 0] * r[k, 0] > goal
        near[k - first] = bears or c[k, 0] < least or bias[k, 0] < least
        count += near[k - first]
    return count, least


@inner
def take_near(first, near, count, G, W, a, b, c, mu, low, r, fixed):
    """The contacts that are near as an island of their own, how many bodies it has, and the impulses to start from."""
    island = Island(
        np.empty((count, 2, 6)), np.empty((count, 3)), np.empty(count, np.int64), np.empty(count, np.int64),
        np.empty((count, 2)), np.empty(count), np.empty(count),
    )  # fmt: skip
    point = np.empty((count, 2))
    l = 0
    for k in range(first, first + near.shape[0]):
        if not near[k - first]:
            continue
        for j in range(6):
            island.G[l, 0, j], island.G[l, 1, j] = G[k, 0, j], G[k, 1, j]
        for j in range(3):
            island.W[l, j] = W[k, j]
        island.a[l], island.b[l], island.mu[l], island.low[l] = a[k], b[k], mu[k], low[k]
        island.c[l, 0], island.c[l, 1], point[l, 0], point[l, 1] = c[k, 0], c[k, 1], r[k, 0], r[k, 1]
        l += 1
    bodies = number_bodies(island.a.copy(), island.b.copy(), fixed, island.a, island.b)
    return island, bodies, point


@njit(cache=True, nogil=True, error_model="numpy")
def plan_of(a, b, bodies):
    """Elimination order and places of the graph of bodies that contacts (a, b) join; `bodies`: one that cannot move."""
    start, neighbours = body_graph(a, b, bodies)
    order, column, rows = minimum_degree(start, neighbours, ENDLESS)
    places = block_places(order, column, rows, a, b)
    position = np.empty(bodies + 1, np.int64)
    for v in range(bodies):
        position[v] = order[v]
    position[bodies] = bodies + 2 * column[bodies]
    return Plan(position, column, rows[: column[bodies]].copy(), places[0], places[1], places[2], places[3])


@njit(cache=True, nogil=True, error_model="numpy")
def room_for(island, plan):
    """The work arrays of the methods, with what does not change in place."""
    m, n = island.a.shape[0], plan.column.shape[0] - 1
    Z = np.zeros((12, m))
    for k in range(m):
        wnn, wtt = island.W[k, 0], island.W[k, 2]
        moves = wnn > 0.0
        Z[WNN, k], Z[WTT, k] = (wnn, wtt) if moves else (1.0, 1.0)
        Z[LOW, k], Z[SLOPE, k] = (island.low[k], island.mu[k] * wtt) if moves else (0.0, 0.0)
    return Room(
        np.empty((n + 2 * plan.rows.shape[0] + 1, 9)), np.zeros((n + 1, 3)), Z, np.empty((7, m)), np.zeros((n + 1, 3)),
        np.empty((n, 3)), np.empty((n, 3)), np.empty((m, 2)), np.empty((m, 2)),
    )  # fmt: skip


@inner
def take_in(first, near, turn, G, a, b, c, y, least):
    """Flag the contacts that close on those that were solved for, too; in the last turn all. Returns how many are flagged."""
    count = 0
    for k in range(near.shape[0]):
        speed, _ = velocity_of(first + k, G, a, b, c, y)
        near[k] = near[k] or speed < least or turn >= SIEVES - 1
        count += near[k]
    return count


@njit(cache=True, nogil=True, _nrt=True, error_model="numpy")  # makes arrays: bare kernels call it
def quick_island(first, last, G, W, a, b, c, bias, mu, low, r, y, reference, tolerance, tries):
    """Solve the island of the rows first..last-1 (as in `solve_island`), or leave its impulses as they are.

    tries : how many of the first methods. Returns the residual as a velocity, from the impulses alone.
    """
    m, goal, mine = last - first, tolerance * reference, r[first:last]
    idle, warm = True, False
    for k in range(first, last):
        idle = idle and c[k, 0] >= 0.0 and low[k] <= 0.0
        warm = warm or r[k, 0] != 0.0 or r[k, 1] != 0.0
    if idle:  # whatever it starts from: what bears nothing is told so, and not left to press against itself
        for k in range(m):
            mine[k, 0] = mine[k, 1] = 0.0
        return residual(first, last, G, W, a, b, c, mu, low, r, y)
    before, near = mine.copy(), np.empty(m, np.bool_)
    (count, least), e = near_contacts(first, last, W, c, bias, low, r, goal, near), np.inf
    rough = goal if warm else max(goal, ROUGH * reference)  # what a part is solved to
    for turn in range(SIEVES + 1):
        aim = goal if count == m else rough
        island, bodies, point = take_near(first, near, count, G, W, a, b, c, mu, low, r, y.shape[0] - 1)
        plan = plan_of(island.a, island.b, bodies)
        best = np.empty_like(point)
        _, there, _ = first_methods(island, plan, room_for(island, plan), point, best, reference, aim, tries)
        place = 0
        for k in range(m):
            mine[k, 0], mine[k, 1] = (best[place, 0], best[place, 1]) if near[k] else (0.0, 0.0)
            place += near[k]
        e = residual(first, last, G, W, a, b, c, mu, low, r, y)
        if e <= goal or count == m:
            break
        known = count
        count = take_in(first, near, turn if there <= aim else SIEVES, G, a, b, c, y, least)
        if there > aim:  # a part may be harder than the whole
            keep(before, mine)
        elif count == known:
            rough = goal
    if not e <= goal:
        keep(before, mine)
        residual(first, last, G, W, a, b, c, mu, low, r, y)
    return e
