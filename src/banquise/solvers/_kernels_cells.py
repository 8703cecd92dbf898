# mypy: ignore-errors
"""From cell to cell to a solution: for large islands that the smoothed equations bring near one and not to it.

A point is x = (x_n, x_t) a contact, velocities, with the impulses and speeds

    r_n = low + max(0, x_n) / W_nn,   r_t = clip(x_t, +-mu W_tt r_n) / W_tt,
    u_n = W_nn (r_n - low) - x_n,     u_t = W_tt r_t - x_t

which obey Signorini and Coulomb whatever x is (Robinson's normal map). What is left to solve is linear in each cell, that is
as long as no contact opens, closes, sticks or slips:

    u = c + G G' r + delta W (r - r_0) + t d

d makes it true for the start r_0 at t = 1. t falls to 0 along straight lines, one in each cell; where a line can only go on
with t rising, it rises (a fold, passed exactly as in Lemke's method). delta makes impulses unique where more contacts hold
than are needed; what it leaves, delta W (r - r_0), is gone as delta falls and r_0 follows.
"""

import numpy as np

from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.solvers._kernels_newton import (
    ABSENT,
    CN,
    CT,
    DRN,
    DRT,
    DUN,
    DUT,
    LOW,
    SLOPE,
    SNN,
    STN,
    STT,
    UN,
    UT,
    WNN,
    WTT,
    linear_solution,
    look,
)

# Rows of V: point x, impulses r, shift d, start r_0, and the direction of x.
XN, XT, PN, PT, DN, DT, ON, OT, GN, GT = range(10)
OPEN, CLOSED = 0, 1  # rows of `cell`: open or closed; stuck (0) or the side to which it slips (-1, 1)
FINE, CORRECTIONS = 1e-11, 2  # relative error of a linear solution above which it is corrected, and how often
AFRESH = 16  # cells after which speeds are computed anew from the impulses
CELLS, FOLDS = 300, 15  # passed on one way before another delta is tried
FIRST = 1e-2  # delta
FALL, RISE = 0.6, 4.0  # times delta after a way to the end, and after one that is given up
EASY = 12  # cells; after a way through fewer, delta falls twice
STIFFEST, SOFTEST = 1e-8, 0.3  # delta: below the first nothing but round-off is left


@inner
def enter_cells(island, room, r, V, cell):
    """The point of impulses r and its cell; r becomes what the point says, the start of the way."""
    Z = room.Z
    look(island, room, r)
    for k in range(r.shape[0]):
        wnn, wtt = Z[WNN, k], Z[WTT, k]
        xn, xt = wnn * (r[k, 0] - Z[LOW, k]) - Z[UN, k], wtt * r[k, 1] - Z[UT, k]
        if Z[UN, k] >= ABSENT:
            xn, xt = -1.0, 0.0
        rn = Z[LOW, k] + max(0.0, xn) / wnn
        bound = Z[SLOPE, k] * rn
        cell[0, k] = CLOSED if xn > 0.0 else OPEN
        slips = abs(xt) > bound or bound <= 0.0
        cell[1, k] = 0 if not slips else (1 if xt >= 0.0 else -1)
        rt = min(max(xt, -bound), bound) / wtt
        V[XN, k], V[XT, k], V[PN, k], V[PT, k], V[ON, k], V[OT, k] = xn, xt, rn, rt, rn, rt


@inner
def shift(island, room, r, V, t, delta):
    """d, from what the equations lack at this point and t; r is its impulses. Their residual."""
    Z = room.Z
    for k in range(r.shape[0]):
        r[k, 0], r[k, 1] = V[PN, k], V[PT, k]
    e = look(island, room, r)
    for k in range(r.shape[0]):
        wnn, wtt, rn, rt = Z[WNN, k], Z[WTT, k], V[PN, k], V[PT, k]
        lack_n = wnn * (rn - Z[LOW, k]) - V[XN, k] - Z[UN, k] - delta * wnn * (rn - V[ON, k])
        lack_t = wtt * rt - V[XT, k] - Z[UT, k] - delta * wtt * (rt - V[OT, k])
        there = Z[UN, k] < ABSENT
        V[DN, k], V[DT, k] = lack_n / t if there else 0.0, lack_t / t if there else 0.0
    return e


@inner
def way_through(island, plan, room, V, cell, delta):
    """The direction of the point within its cell as t falls; NaN if there is none."""
    Z, S = room.Z, room.S
    for k in range(Z.shape[1]):
        wnn, wtt, side = Z[WNN, k], Z[WTT, k], cell[1, k]
        nn = 1.0 / (delta * wnn) if cell[0, k] == CLOSED else 0.0
        tn = side * (Z[SLOPE, k] / wtt) * nn
        tt = 1.0 / (delta * wtt) if side == 0 else 0.0
        S[SNN, k], S[STN, k], S[STT, k] = nn, tn, tt
        S[CN, k], S[CT, k] = nn * V[DN, k], tn * V[DN, k] + tt * V[DT, k]
    off = linear_solution(island, plan, room, FINE, np.int64(CORRECTIONS))
    for k in range(Z.shape[1]):
        drn, drt = Z[WNN, k] * Z[DRN, k], Z[WTT, k] * Z[DRT, k]
        V[GN, k] = drn if cell[0, k] == CLOSED else V[DN, k] - Z[DUN, k]
        V[GT, k] = drt if cell[1, k] == 0 else drt - (Z[DUT, k] - V[DT, k] + delta * drt)
    return off


@inner
def first_wall(room, V, cell, way, limit, last, wall):
    """(step, contact, wall): where the point leaves its cell; contact -1: not before `limit`.

    Walls of a contact: 0 (opens, closes), 1 and -1 (sticks, slips to that side). It has just come in by that one of `last`.
    """
    Z = room.Z
    step, contact, which = limit, np.int64(-1), np.int64(0)
    for k in range(Z.shape[1]):
        outside = cell[0, k] == OPEN
        x, g = (-V[XN, k], -way * V[GN, k]) if outside else (V[XN, k], way * V[GN, k])
        mine = k == last
        if g < 0.0 and x < -g * step and not (mine and wall == 0):
            step, contact, which = max(x, 0.0) / -g, k, 0
        bound = Z[SLOPE, k] * V[PN, k]
        if outside and bound <= 0.0:
            continue
        widens, xt, gt, side = way * Z[SLOPE, k] * Z[DRN, k], V[XT, k], way * V[GT, k], cell[1, k]
        if side == 0:
            x, g = bound - xt, widens - gt
            if g < 0.0 and x < -g * step and not (mine and wall == 1):
                step, contact, which = max(x, 0.0) / -g, k, 1
            x, g = bound + xt, widens + gt
            if g < 0.0 and x < -g * step and not (mine and wall == -1):
                step, contact, which = max(x, 0.0) / -g, k, -1
        else:
            x, g = side * xt - bound, side * gt - widens
            if g < 0.0 and x < -g * step and not (mine and wall == side):
                step, contact, which = max(x, 0.0) / -g, k, side
    return step, contact, which


@inner
def walk(room, V, cell, step):
    """The point moved along its direction, within its cell."""
    Z = room.Z
    for k in range(Z.shape[1]):
        xn, xt = V[XN, k] + step * V[GN, k], V[XT, k] + step * V[GT, k]
        rn = Z[LOW, k] + (max(xn, 0.0) / Z[WNN, k] if cell[0, k] == CLOSED else 0.0)
        V[XN, k], V[XT, k], V[PN, k] = xn, xt, rn
        V[PT, k] = (xt if cell[1, k] == 0 else cell[1, k] * (Z[SLOPE, k] * rn)) / Z[WTT, k]


@inner
def cross(V, cell, low, k, wall):
    """Contact k goes through a wall; the sign that its distance from it must now take."""
    if wall == 0:
        cell[0, k] = OPEN if cell[0, k] == CLOSED else CLOSED
        V[XN, k] = 0.0
        if low[k] <= 0.0:  # without a normal impulse there is nothing to stick with
            cell[1, k] = 1 if V[XT, k] >= 0.0 else -1
        return 1.0 if cell[0, k] == CLOSED else -1.0
    if cell[1, k] == 0:
        cell[1, k] = wall
        return 1.0
    cell[1, k] = 0
    return -1.0


@inner
def follow_cells(island, plan, room, V, cell, r, delta):
    """The way from impulses r with one delta: (t where it ended, residual there, cells); r is the end."""
    enter_cells(island, room, r, V, cell)
    t, done, folds = 1.0, 0, 0
    last, wall, inward = np.int64(-1), np.int64(0), 1.0
    while done < CELLS and folds <= FOLDS:
        if done % AFRESH == 0:
            shift(island, room, r, V, t, delta)
        done += 1
        if not np.isfinite(way_through(island, plan, room, V, cell, delta)):
            break
        way = 1.0
        if last >= 0:
            g = V[GN, last] if wall == 0 else wall * V[GT, last] - room.Z[SLOPE, last] * room.Z[DRN, last]
            if g * inward < 0.0:
                way, folds = -1.0, folds + 1
        step, last, wall = first_wall(room, V, cell, way, t if way > 0.0 else np.inf, last, wall)
        if not np.isfinite(step):
            break
        walk(room, V, cell, way * step)
        t = max(t - way * step, 0.0)
        if last < 0 or t == 0.0:
            t = 0.0
            break
        inward = cross(V, cell, island.low, last, wall)
    e = shift(island, room, r, V, 1.0, delta)
    return t, e, done


@kernel
def cell_path(island, plan, room, V, cell, r, goal, most):
    """Ways from cell to cell with delta falling, each from the end of the last; where one meets fold upon fold, delta rises.

    With a large delta the way is short and meets no folds, and the point drifts; so it comes to where smaller ones go through.
    goal is a velocity, `most` the cells to pass, V (10, m) and cell (2, m) work arrays; r is used up, room.best is the
    answer. Returns (residual as a velocity, cells).
    """
    least, done, delta = np.inf, 0, FIRST
    here = room.here
    for k in range(r.shape[0]):
        here[k, 0], here[k, 1] = r[k, 0], r[k, 1]
    while done < most:
        t, e, cells = follow_cells(island, plan, room, V, cell, r, delta)
        done += cells
        if e < least:
            least = e
            for k in range(r.shape[0]):
                room.best[k, 0], room.best[k, 1] = r[k, 0], r[k, 1]
        if e <= goal:
            break
        through = t == 0.0
        for k in range(r.shape[0]):
            if through:
                here[k, 0], here[k, 1] = r[k, 0], r[k, 1]
            else:
                r[k, 0], r[k, 1] = here[k, 0], here[k, 1]
        if not through:
            delta = min(RISE * delta, SOFTEST)
        else:
            delta = max((FALL if cells > EASY else FALL * FALL) * delta, STIFFEST)
    return least, done
