# mypy: ignore-errors
"""Large islands start to end inside Numba, as far as the first methods of their chain go (`_kernels_path`).

An island is first sieved: of its contacts most have room to spare. What is left falls into parts that share no body that moves,
and each is solved by itself: a part that is hard keeps no other from its end. Contacts that then close are taken in, and only
parts that they belong to are solved again.

Python about an island of a hundred contacts takes longer than its solution. What these methods leave, and islands so large
that their order of elimination is worth keeping, are for `frictional.IslandRun`, which goes on from there.
"""

import numpy as np

from banquise.contact._kernels_problem import label_islands
from banquise.jit import apart
from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.solvers._kernels import natural_map, residual, velocity_of
from banquise.solvers._kernels_block import block_places, body_graph, minimum_degree, number_bodies
from banquise.solvers._kernels_island import AUTO, SMALL, solve_island
from banquise.solvers._kernels_newton import LOW, SLOPE, WNN, WTT, Island, Plan, Room
from banquise.solvers._kernels_path import first_methods, keep
from banquise.solvers._kernels_small import scratch_for

SIEVE = 0.03  # of the largest speed: contacts with more room than to close at this speed are left out at first
SIEVES = 12  # times contacts are taken in before all are
# residual: parts are solved no better until it is known which contacts close. (From memory they mostly are: the first turn goes
# to the end. The start of a rebound is none, it closes others than the compression did.)
ROUGH = 1e-2
ENDLESS = np.int64(2**62)  # block products: whatever the factor takes
ZERO, WHOLE = np.int64(0), np.int64(AUTO)  # typed: written out they would compile copies of what they are handed to


@kernel
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


@kernel
def list_parts(first, near, a, b, fixed, members, start):
    """Sort the contacts of an island that are near into parts that share no body that moves; how many there are.

    Part p has the rows members[start[p]:start[p + 1]], in their order; the first row of the island is `first`, and `fixed` is
    what cannot move.
    """
    count = ZERO
    for k in range(near.shape[0]):
        count += near[k]
    one, other, label = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    l = 0
    for k in range(near.shape[0]):
        if near[k]:
            one[l], other[l] = a[first + k], b[first + k]
            l += 1
    free = np.ones(fixed + 1, np.bool_)
    free[fixed] = False
    parts = label_islands(one, other, free, label)
    for p in range(parts + 1):
        start[p] = 0
    for l in range(count):
        start[label[l] + 1] += 1
    for p in range(parts):
        start[p + 1] += start[p]
    place = start[:parts].copy()
    l = 0
    for k in range(near.shape[0]):
        if near[k]:
            members[place[label[l]]] = first + k
            place[label[l]] += 1
            l += 1
    return parts


@inner
def take_part(rows, G, W, a, b, c, mu, low, r, fixed):
    """Some contacts as an island of their own, how many bodies it has, and the impulses to start from."""
    count = rows.shape[0]
    island = Island(
        np.empty((count, 2, 6)), np.empty((count, 3)), np.empty(count, np.int64), np.empty(count, np.int64),
        np.empty((count, 2)), np.empty(count), np.empty(count),
    )  # fmt: skip
    point = np.empty((count, 2))
    for l in range(count):
        k = rows[l]
        for j in range(6):
            island.G[l, 0, j], island.G[l, 1, j] = G[k, 0, j], G[k, 1, j]
        for j in range(3):
            island.W[l, j] = W[k, j]
        island.a[l], island.b[l], island.mu[l], island.low[l] = a[k], b[k], mu[k], low[k]
        island.c[l, 0], island.c[l, 1], point[l, 0], point[l, 1] = c[k, 0], c[k, 1], r[k, 0], r[k, 1]
    bodies = number_bodies(island.a.copy(), island.b.copy(), fixed, island.a, island.b)
    return island, bodies, point


@kernel
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


@kernel
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
def largest_map(rows, G, W, a, b, c, mu, low, r, y):
    """The largest natural map of these contacts, y being that of the impulses."""
    e = 0.0
    for k in rows:
        un, ut = velocity_of(k, G, a, b, c, y)
        e = max(e, natural_map(r[k, 0], r[k, 1], un, ut, W[k, 0], W[k, 2], mu[k], low[k]))
    return e


@apart
def solve_parts(parts, members, start, most, G, W, a, b, c, mu, low, r, y, reference, aim, goal, tries, left):
    """Solve each part by itself where it is not: small ones to the goal, those of up to `most` contacts to the aim.

    y is that of the impulses, in. tries : how many of the first methods. `left` flags parts that are not solved: small ones keep
    the impulses they had, others get the best that was found, for the methods that come after. Returns the steps of all.
    """
    largest, total, before = np.int64(1), 0, np.empty(parts)
    for p in range(parts):
        rows = members[start[p] : start[p + 1]]
        small = rows.shape[0] <= SMALL
        before[p] = largest_map(rows, G, W, a, b, c, mu, low, r, y)
        left[p] = not before[p] <= (goal if small else aim)
        if left[p] and small:
            largest = max(largest, rows.shape[0])
    work = scratch_for(largest)  # as large as needed: half a megabyte for parts of 50
    for p in range(parts):
        rows = members[start[p] : start[p + 1]]
        m = rows.shape[0]
        if not left[p] or m > most:
            continue
        wanted = goal if m <= SMALL else aim
        island, bodies, point = take_part(rows, G, W, a, b, c, mu, low, r, y.shape[0] - 1)
        best = np.empty_like(point)
        if m <= SMALL:
            e, _, steps = solve_island(
                ZERO, m, island.G, island.W, island.a, island.b, island.c, island.mu, island.low, point,
                np.empty((bodies + 1, 3)), reference, goal / reference, WHOLE, work,
            )  # fmt: skip
            keep(point, best)
        else:
            plan = plan_of(island.a, island.b, bodies)
            _, e, steps = first_methods(island, plan, room_for(island, plan), point, best, reference, aim, tries)
        total += steps
        left[p] = not e <= wanted
        better = e < before[p] if m > SMALL else not left[p]
        for l in range(m if better else 0):
            r[rows[l], 0], r[rows[l], 1] = best[l, 0], best[l, 1]
    return total


@inner
def take_in(first, near, turn, G, a, b, c, y, least):
    """Flag the contacts that close on those that were solved for, too; in the last turn all. How many came, and are flagged."""
    came = count = 0
    for k in range(near.shape[0]):
        speed, _ = velocity_of(first + k, G, a, b, c, y)
        closes = not near[k] and (speed < least or turn >= SIEVES - 1)
        near[k] = near[k] or closes
        came += closes
        count += near[k]
    return came, count


@apart
def quick_island(first, last, G, W, a, b, c, bias, mu, low, r, y, reference, tolerance, tries):
    """Solve the island of the rows first..last-1 (as in `solve_island`), but for parts that the first methods leave.

    tries : how many of them. Returns the residual as a velocity, from the impulses alone.
    """
    m, goal, mine = last - first, tolerance * reference, r[first:last]
    idle, known, forced = True, False, False
    for k in range(first, last):
        idle = idle and c[k, 0] >= 0.0 and low[k] <= 0.0
        known, forced = known or r[k, 0] != 0.0 or r[k, 1] != 0.0, forced or low[k] > 0.0
    if idle:  # whatever it starts from: what bears nothing is told so, and not left to press against itself
        for k in range(m):
            mine[k, 0] = mine[k, 1] = 0.0
        return residual(first, last, G, W, a, b, c, mu, low, r, y)
    near, left = np.empty(m, np.bool_), np.empty(m, np.bool_)
    members, start = np.empty(m, np.int64), np.empty(m + 1, np.int64)
    count, least = near_contacts(first, last, W, c, bias, low, r, goal, near)
    for k in range(m):
        if not near[k]:
            mine[k, 0] = mine[k, 1] = 0.0
    e, rough = residual(first, last, G, W, a, b, c, mu, low, r, y), max(goal, ROUGH * reference)
    for turn in range(SIEVES + 1):
        if e <= goal:
            break
        aim = goal if count == m or (turn == 0 and known and not forced) else rough
        parts = list_parts(first, near, a, b, y.shape[0] - 1, members, start)
        solve_parts(parts, members, start, m, G, W, a, b, c, mu, low, r, y, reference, aim, goal, tries, left)
        e = residual(first, last, G, W, a, b, c, mu, low, r, y)
        if count == m or left[:parts].any():
            break
        came, count = take_in(first, near, turn, G, a, b, c, y, least)
        if came == 0:
            rough = goal
    return e
