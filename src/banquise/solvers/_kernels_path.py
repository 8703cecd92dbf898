# mypy: ignore-errors
"""The two Newton methods for large islands, each start to end in one kernel, and what is tried first: sweeps, then one after the
other. `docs/design/large-islands.md` says why."""

import numpy as np

from banquise.jit import apart
from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.solvers._kernels import sweeps
from banquise.solvers._kernels_newton import advance, look, merit, newton_step
from banquise.solvers._kernels_patch import contacts_of, solve_patches

PATIENCE = 4  # failed line searches before the quick method gives way to the sure one
FOLD = 30  # steps at one nu, after which the path must have folded there, and nu falls all the same
AFRESH = 16  # steps after which speeds are computed anew from the impulses
SWEEPS, CURE = 20, 10  # before the first Newton step and after a failed line search: they cure local trouble
CLOSE = 0.1  # residual, from which on the best point is far from the path
HURRY = 0.9, 0.5  # in a hurry: what each single step in a row multiplies the fall of nu by, and the least fall
HASTE = np.bool_(True)  # typed: written out it would compile a copy
STAGNANT = 400  # steps of the path without halving the best residual, after which it stops


@inner
def keep(r, best):
    """best = r."""
    for k in range(r.shape[0]):
        best[k, 0], best[k, 1] = r[k, 0], r[k, 1]


@kernel
def smoothing_newton(island, plan, room, r, reference, goal, nu, fall, steps):
    """Newton with line search on the smoothed equations, nu falling fast; sweeps and patches where the search fails.

    Quick where friction is low or the start is near. After `PATIENCE` failed searches it gives up: then the path to the
    solution folds, and `central_path` is for that. goal and nu are velocities, `fall` is what a full step multiplies nu
    by; r is used up, room.best is the answer. Returns (residual as a velocity, steps).
    """
    G, W, a, b, c, mu, low = island
    least, failures, done = np.inf, 0, 0
    start, of = contacts_of(a, b, room.y.shape[0] - 1)
    e, age = look(island, room, r), 0
    while True:
        if age > 0 and (e <= goal or age == AFRESH):
            e, age = look(island, room, r), 0
        if e < least:
            least = e
            keep(r, room.best)
        if e <= goal or failures > PATIENCE or done == steps:
            break
        done += 1
        before = newton_step(island, plan, room, nu, 1e-7)
        if not before > 0.0:
            break
        alpha, after, most = 1.0, np.inf, np.inf
        for _ in range(12):
            after, most = merit(room, alpha, nu)
            if after <= (1.0 - 0.02 * alpha) * before:
                break
            alpha *= 0.5
        if alpha >= 0.02 or after < 1.5 * before:
            e, age = advance(room, alpha, r), age + 1
        if alpha == 1.0:
            nu *= fall
        elif alpha >= 0.25:
            nu *= 0.5 * (1.0 + fall)
        if most < 0.1 * nu:
            nu *= 0.1
        if alpha < 0.02:
            failures += 1
            sweeps(np.int64(0), a.shape[0], np.int64(CURE), goal, G, W, a, b, c, mu, low, r, room.y)
            solve_patches(island, start, of, r, room.y, reference, goal)
            e, age = look(island, room, r), 0
            nu = max(nu, e)
    return least, done


@kernel
def central_path(island, plan, room, r, goal, nu, steps, hurry):
    """Follow the solutions of the smoothed equations to small nu in small steps, without a line search.

    With much friction the path folds, and a method that only goes downhill ends in a hollow at the fold. Here each
    Newton step carries a proximal term delta that grows when the equations get worse and shrinks when they get better
    (pseudo-transient continuation): the point may climb out of a fold and drifts to the next stable branch. nu falls
    by a tenth where one step suffices, else by three hundredths, and by a tenth where the point lingers at a fold. In a hurry
    it falls faster and faster while single steps suffice, and a step suffices sooner: for starts that are near.
    Arguments and answer as in `smoothing_newton`.
    """
    least, delta = np.inf, 1e-2
    pace, near, patient = 0.9, (0.25 if hurry else 0.15), (2 if hurry else 1)
    done = since = 0
    mark, marked = np.inf, 0
    e, age = look(island, room, r), 0
    while True:
        if age > 0 and (e <= goal or age == AFRESH):
            e, age = look(island, room, r), 0
        if e < least:
            least = e
            keep(r, room.best)
        if least < 0.5 * mark:
            mark, marked = least, done
        if e <= goal or done - marked > STAGNANT or done == steps:
            break
        done += 1
        before = newton_step(island, plan, room, nu, delta)
        after, most = merit(room, 1.0, nu)
        ratio = np.sqrt(after / before) if before > 0.0 else np.inf
        since += 1
        if not ratio < 4.0 and delta < 0.25:
            delta *= 4.0
            pace = 0.9
            continue
        if not np.isfinite(ratio):
            break
        e, age = advance(room, 1.0, r), age + 1
        if ratio < 0.9:
            delta = max(delta * max(ratio, 0.35), 1e-9)
        elif ratio < 1.05:
            delta = max(0.8 * delta, 1e-9)
        elif ratio > 1.2:
            delta = min(1.5 * delta, 1.0)
        if most < near * nu:
            nu *= pace if since == 1 else 0.9 if since <= patient else 0.97
            pace = max(HURRY[0] * pace, HURRY[1]) if hurry and since == 1 else 0.9
            since = 0
        elif since > FOLD:
            nu *= 0.9
            pace, since = 0.9, 0
    return least, done


@apart
def first_methods(island, plan, room, r, best, reference, goal, tries):
    """Sweeps, the quick method and the path from its best point, until one reaches the goal; `tries`: of the last two.

    r is the start, and the swept point on return. Returns (its residual, that of the best point, steps of all).
    """
    G, W, a, b, c, mu, low = island
    warm = False
    for k in range(r.shape[0]):
        warm = warm or r[k, 0] != 0.0 or r[k, 1] != 0.0
    swept, total = sweeps(np.int64(0), a.shape[0], np.int64(SWEEPS), goal, G, W, a, b, c, mu, low, r, room.y)
    point, least = np.empty_like(r), swept
    keep(r, best)
    for trial in range(tries):
        if least <= goal or (trial == 1 and least > CLOSE * reference):
            break
        keep(best, point)
        if trial == 0:
            nu, fall = (swept, 0.5) if warm else (10.0 * reference, 0.64)
            e, steps = smoothing_newton(island, plan, room, point, reference, goal, nu, fall, np.int64(80))
        else:
            e, steps = central_path(island, plan, room, point, goal, 3.0 * least, np.int64(200), HASTE)
        total += steps
        if e < least:
            least = e
            keep(room.best, best)
    return swept, least, total
