# mypy: ignore-errors
"""Kernels of one Newton step on the smoothed equations of a large island: linearisation, direction, merit.

s(x) = (x + sqrt(x^2 + 4 nu^2)) / 2 smooths max(0, x), with nu a velocity. Per contact, in velocity units,

    F_n = W_nn (r_n - low) - s(W_nn (r_n - low) - u_n)
    c = mu W_tt r_n,  z = W_tt r_t - u_t,   F_t = W_tt r_t - [s(z + c) - s(z - c) - c]

Newton: dr = c0 - S G dy with dy = G' dr, so (1 + sum G' S G) dy = G' c0: 3 x 3 blocks on the body graph.

Loops over contacts alone work on `Room.Z` and `Room.S`, one row a quantity: so the compiler takes four contacts at once, a
third of the time. Elsewhere numbers of a contact are read into scalars before anything is stored: the compiler cannot know
that the arrays do not overlap, and reading them again after each store doubles the time.
"""

from collections import namedtuple

import numpy as np

from banquise.jit import making_inner as inner
from banquise.solvers._kernels import natural_map, push
from banquise.solvers._kernels_block import factor, substitute

REFINE = 1e-8  # relative error of a linear solution above which it is corrected once

# One island: rows as in ScaledRows, bodies numbered 0..n-1; n stands for what cannot move.
Island = namedtuple("Island", "G W a b c mu low")
# Elimination order and places of one body graph (see `_kernels_block`); position has one more, that of n.
Plan = namedtuple("Plan", "position column rows start target ab ba")
# Work arrays: factor A, bodies y and dy, rows Z and S of all contacts (below), right side x by position, best point,
# and the one to go back to.
Room = namedtuple("Room", "A y Z S dy x first best here")
# Rows of Z: own Delassus block, least impulse, mu W_tt, impulse, speed, and the direction of both.
WNN, WTT, LOW, SLOPE, RN, RT, UN, UT, DRN, DRT, DUN, DUT = range(12)
# Rows of S: the matrix S, c0, and F.
SNN, STN, STT, CN, CT, FN, FT = range(7)
ABSENT = 1e100  # speed of a contact at which nothing can move: it stays open, with zeros in all that follows


@inner
def smooth(x, nu):
    """s(x) and s'(x), without the cancellation of the plain formulas for x far below zero, and without a branch."""
    root = np.sqrt(x * x + 4.0 * nu * nu)
    rest = 2.0 * nu * nu / (root + abs(x))
    share = rest / root
    return max(x, 0.0) + rest, 1.0 - share if x >= 0.0 else share


@inner
def response(k, G, a, b, y):
    """G y of contact k."""
    i, j = a[k], b[k]
    y0, y1, y2, y3, y4, y5 = y[i, 0], y[i, 1], y[i, 2], y[j, 0], y[j, 1], y[j, 2]
    n = G[k, 0, 0] * y0 + G[k, 0, 1] * y1 + G[k, 0, 2] * y2 + (G[k, 0, 3] * y3 + G[k, 0, 4] * y4 + G[k, 0, 5] * y5)
    t = G[k, 1, 0] * y0 + G[k, 1, 1] * y1 + G[k, 1, 2] * y2 + (G[k, 1, 3] * y3 + G[k, 1, 4] * y4 + G[k, 1, 5] * y5)
    return n, t


@inner
def look(island, room, r):
    """Impulses r and their speeds into Z, all from scratch; the largest natural map."""
    G, W, a, b, c, mu, low = island
    y, Z = room.y, room.Z
    for i in range(y.shape[0]):
        y[i, 0] = y[i, 1] = y[i, 2] = 0.0
    for k in range(a.shape[0]):
        push(k, G, a, b, y, r[k, 0], r[k, 1])
    e = 0.0
    for k in range(a.shape[0]):
        n, t = response(k, G, a, b, y)
        rn, rt, un, ut, wnn = r[k, 0], r[k, 1], c[k, 0] + n, c[k, 1] + t, W[k, 0]
        e = max(e, natural_map(rn, rt, un, ut, wnn, W[k, 2], mu[k], low[k]))
        Z[RN, k], Z[RT, k] = rn, rt
        Z[UN, k], Z[UT, k] = (un, ut) if wnn > 0.0 else (ABSENT, 0.0)
    return e


@inner
def advance(room, step, r):
    """r and Z moved by step times the direction; the largest natural map there.

    Speeds change by what the impulses change them, a sixth of the time of `look`. Round-off adds up: a caller looks again
    before it believes an answer.
    """
    Z, S = room.Z, room.S
    for k in range(Z.shape[1]):
        wnn, wtt = Z[WNN, k], Z[WTT, k]
        rn, rt = Z[RN, k] + step * Z[DRN, k], Z[RT, k] + step * Z[DRT, k]
        un, ut = Z[UN, k] + step * Z[DUN, k], Z[UT, k] + step * Z[DUT, k]
        Z[RN, k], Z[RT, k], Z[UN, k], Z[UT, k] = rn, rt, un, ut
        lifted, bound = wnn * (rn - Z[LOW, k]), Z[SLOPE, k] * max(0.0, rn)
        S[FN, k] = lifted - max(0.0, lifted - un)
        S[FT, k] = wtt * rt - min(max(wtt * rt - ut, -bound), bound)
    for k in range(Z.shape[1]):
        r[k, 0], r[k, 1] = Z[RN, k], Z[RT, k]
    return sizes(S)[1]


@inner
def sizes(S):
    """(sum of squares, largest) of the rows FN and FT of S; four sums, so that they do not wait for each other."""
    m = S.shape[1]
    s0 = s1 = s2 = s3 = most = 0.0
    for k in range(0, m - 1, 2):
        n0, t0, n1, t1 = S[FN, k], S[FT, k], S[FN, k + 1], S[FT, k + 1]
        s0, s1, s2, s3 = s0 + n0 * n0, s1 + t0 * t0, s2 + n1 * n1, s3 + t1 * t1
        most = max(most, max(max(abs(n0), abs(t0)), max(abs(n1), abs(t1))))
    if m % 2 == 1:
        n0, t0 = S[FN, m - 1], S[FT, m - 1]
        s0, s1 = s0 + n0 * n0, s1 + t0 * t0
        most = max(most, abs(n0), abs(t0))
    return (s0 + s1) + (s2 + s3), most


@inner
def add_block(n0, n1, n2, t0, t1, t2, g0, g1, g2, h0, h1, h2, A, place):
    """Add (n, t)' (g, h) to a block: rows of a contact, times its S G."""
    A[place, 0] += n0 * g0 + t0 * h0
    A[place, 1] += n0 * g1 + t0 * h1
    A[place, 2] += n0 * g2 + t0 * h2
    A[place, 3] += n1 * g0 + t1 * h0
    A[place, 4] += n1 * g1 + t1 * h1
    A[place, 5] += n1 * g2 + t1 * h2
    A[place, 6] += n2 * g0 + t2 * h0
    A[place, 7] += n2 * g1 + t2 * h1
    A[place, 8] += n2 * g2 + t2 * h2


@inner
def coefficients(room, nu, delta):
    """S and c0 of every contact; returns the sum of squares of F.

    `delta` adds delta W dr to the linearised speed: a proximal term, which changes the step and not the equations.
    """
    Z, S = room.Z, room.S
    for k in range(Z.shape[1]):
        wnn, wtt, slope, rn, rt = Z[WNN, k], Z[WTT, k], Z[SLOPE, k], Z[RN, k], Z[RT, k]
        lifted, z = wnn * (rn - Z[LOW, k]), wtt * rt - Z[UT, k]
        value, alpha = smooth(lifted - Z[UN, k], nu)
        above, plus = smooth(z + slope * rn, nu)
        below, minus = smooth(z - slope * rn, nu)
        fn, ft = lifted - value, wtt * rt - (above - below - slope * rn)
        dn = 1.0 / (wnn * (1.0 - alpha + delta * alpha + 1e-14))
        dt = 1.0 / (wtt * (1.0 - plus + minus + delta * (plus - minus) + 1e-14))
        coupling = (plus + minus - 1.0) * slope * dt
        S[SNN, k], S[STN, k], S[STT, k] = alpha * dn, coupling * (alpha * dn), (plus - minus) * dt
        S[CN, k], S[CT, k] = -fn * dn, -ft * dt - coupling * (fn * dn)
        S[FN, k], S[FT, k] = fn, ft
    return sizes(S)[0]


@inner
def assemble(island, plan, room):
    """The matrix A = 1 + sum G' S G, and the right side x = G' c0 by position.

    A loop of its own: together with the coefficients, whose roots and divisions leave the memory idle, it is no quicker.
    """
    G, a, b = island.G, island.a, island.b
    A, S, y, position = room.A, room.S, room.dy, plan.position
    n = position.shape[0] - 1  # the last is the spare place of what cannot move
    for i in range(A.shape[0]):
        for j in range(9):
            A[i, j] = 0.0
    for i in range(n):
        A[i, 0] = A[i, 4] = A[i, 8] = 1.0
    for i in range(n + 1):
        y[i, 0] = y[i, 1] = y[i, 2] = 0.0
    for k in range(a.shape[0]):
        i, j, nn, tn, tt = a[k], b[k], S[SNN, k], S[STN, k], S[STT, k]
        n0, n1, n2, n3, n4, n5 = G[k, 0, 0], G[k, 0, 1], G[k, 0, 2], G[k, 0, 3], G[k, 0, 4], G[k, 0, 5]
        t0, t1, t2, t3, t4, t5 = G[k, 1, 0], G[k, 1, 1], G[k, 1, 2], G[k, 1, 3], G[k, 1, 4], G[k, 1, 5]
        g0, g1, g2, g3, g4, g5 = nn * n0, nn * n1, nn * n2, nn * n3, nn * n4, nn * n5
        h0, h1, h2 = tn * n0 + tt * t0, tn * n1 + tt * t1, tn * n2 + tt * t2
        h3, h4, h5 = tn * n3 + tt * t3, tn * n4 + tt * t4, tn * n5 + tt * t5
        add_block(n0, n1, n2, t0, t1, t2, g0, g1, g2, h0, h1, h2, A, position[i])
        add_block(n3, n4, n5, t3, t4, t5, g3, g4, g5, h3, h4, h5, A, position[j])
        add_block(n0, n1, n2, t0, t1, t2, g3, g4, g5, h3, h4, h5, A, plan.ab[k])
        add_block(n3, n4, n5, t3, t4, t5, g0, g1, g2, h0, h1, h2, A, plan.ba[k])
        push(k, G, a, b, y, S[CN, k], S[CT, k])
    for i in range(n):
        p = position[i]
        room.x[p, 0], room.x[p, 1], room.x[p, 2] = y[i, 0], y[i, 1], y[i, 2]


@inner
def direction(island, plan, room):
    """dr = c0 - S G dy from the solved x; then dy and du again from dr itself, so that they agree with it.

    Returns how far the two dy differ, against the largest: the error of the linear solution.
    """
    G, a, b = island.G, island.a, island.b
    Z, S, dy, x, position = room.Z, room.S, room.dy, room.x, plan.position
    n = x.shape[0]
    for i in range(n):
        p = position[i]
        dy[i, 0], dy[i, 1], dy[i, 2] = x[p, 0], x[p, 1], x[p, 2]
    for j in range(3):
        dy[n, j] = 0.0
    for k in range(a.shape[0]):
        gn, gt = response(k, G, a, b, dy)
        Z[DRN, k], Z[DRT, k] = S[CN, k] - S[SNN, k] * gn, S[CT, k] - S[STN, k] * gn - S[STT, k] * gt
    for i in range(n):
        dy[i, 0] = dy[i, 1] = dy[i, 2] = 0.0
    for k in range(a.shape[0]):
        push(k, G, a, b, dy, Z[DRN, k], Z[DRT, k])
    off = most = 0.0
    for i in range(n):
        for j in range(3):
            most = max(most, abs(dy[i, j]))
            off = max(off, abs(dy[i, j] - x[position[i], j]))
    for k in range(a.shape[0]):
        Z[DUN, k], Z[DUT, k] = response(k, G, a, b, dy)
    return off / most if most > 0.0 else 0.0


@inner
def linear_solution(island, plan, room, fine, corrections):
    """The direction for the S and c0 at hand; the error of the linear solution, NaN if there is none.

    No pivoting between blocks: where that costs digits (more than `fine`), corrections bring them back.
    """
    assemble(island, plan, room)
    A, x, first = room.A, room.x, room.first
    if not factor(A, plan.column, plan.start, plan.target):
        return np.nan
    substitute(A, plan.column, plan.rows, x)
    off = direction(island, plan, room)
    for _ in range(corrections):
        if not off > fine:
            break
        for i in range(x.shape[0]):
            p = plan.position[i]
            for j in range(3):
                first[p, j] = x[p, j]
                x[p, j] = room.dy[i, j] - first[p, j]
        substitute(A, plan.column, plan.rows, x)
        for i in range(x.shape[0]):
            for j in range(3):
                x[i, j] += first[i, j]
        off = direction(island, plan, room)
    return off


@inner
def newton_step(island, plan, room, nu, delta):
    """Newton direction at the point of Z, with that of the speeds; the merit there, NaN if there is no direction."""
    before = coefficients(room, nu, delta)
    off = linear_solution(island, plan, room, REFINE, np.int64(1))
    return before if np.isfinite(off) else np.nan


@inner
def merit(room, step, nu):
    """(sum of squares, largest) of F a step along the direction from the point of Z."""
    Z, S = room.Z, room.S
    for k in range(Z.shape[1]):
        wnn, wtt, slope = Z[WNN, k], Z[WTT, k], Z[SLOPE, k]
        rn, rt = Z[RN, k] + step * Z[DRN, k], Z[RT, k] + step * Z[DRT, k]
        lifted, z = wnn * (rn - Z[LOW, k]), wtt * rt - Z[UT, k] - step * Z[DUT, k]
        S[FN, k] = lifted - smooth(lifted - Z[UN, k] - step * Z[DUN, k], nu)[0]
        S[FT, k] = wtt * rt - (smooth(z + slope * rn, nu)[0] - smooth(z - slope * rn, nu)[0] - slope * rn)
    return sizes(S)
