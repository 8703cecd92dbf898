# mypy: ignore-errors
"""Small islands, start to end inside Numba: thousands a step, so one call loops over them and each costs microseconds.

`solve_island` is the door for one island, from Python or from another kernel; `solve_islands` for many. Chain: nothing to do,
closed form, sweeps, active-set Newton on the dense Delassus matrix, Lemke.
"""

import numpy as np

from banquise.indices import PlainIndices
from banquise.jit import making_kernel as kernel
from banquise.jit import njit
from banquise.solvers._kernels import gather, one_contact, residual, sweeps
from banquise.solvers._kernels_small import active_set, dense_island, pivoting, scratch_for

SMALL = 50  # contacts; up to here an island is solved dense
OPEN, CLOSED, SWEEPS, ACTIVE, LEMKE, NEWTON, ENUMERATION = 0, 1, 2, 3, 4, 5, 6
AUTO = 0  # `method` of the functions below: the whole chain, or SWEEPS or ACTIVE alone
SWEEPS_FIRST = 5  # more only put off active-set steps, which find the statuses in about as many
# of the three trials of active-set steps: the prox term, and what is left of it when no status changes. The first goes without
# one where there are few contacts: it saves a few steps, and one in ten goes astray; of FEW and more, one in three
PROX, FALL = (0.0, 0.1, 0.1), (1.0, 0.1, 0.3)
FEW = 25
PATIENT = 60  # steps of the last of them
ROUND_OFF = 1e-14  # where sweeps may stop: a digit above the unit round-off of the contact speeds


@kernel
def solve_island(first, last, G, W, a, b, c, mu, low, r, y, reference, tolerance, method, work):
    """Solve ONE small island to `tolerance`, with no allocation: call it from Python or from inside a kernel.

    The island is the rows first..last-1 of arrays in mass-scaled form (`contact.problem.ScaledRows` says how to make
    them): y = M^1/2 (W+ - W_free) = sum G' r, u = c + G y.

    first, last : rows; last - first is at most `work.most`
    G (m, 2, 6) : rows (normal, tangent) x (body a, body b), times M^-1/2;  W (m, 3) : nn, nt, tt of G G'
    a, b (m,) int64 : rows of y; what cannot move has the last row of y, and zeros in G
    c (m, 2) : free contact speed plus gap rate and bias;  mu, low (m,) : friction, least normal impulse (usually 0)
    r (m, 2) : impulses to start from, in; the answer, out;  y (bodies + 1, 3) : out, the rows of these bodies
    reference : speed the tolerance is a fraction of (say the largest |c|, above 0);  tolerance : say 1e-10
    method : AUTO;  work : `scratch_for(most)`, made once a thread

    Returns (residual as a velocity, from r alone; method that gave it; iterations). Solved: residual <= tolerance *
    reference. Exact for one contact; two to some dozen contacts take 1 to 50 microseconds, mostly to 1e-13.
    """
    m = last - first
    idle = True
    for k in range(first, last):
        idle = idle and c[k, 0] >= 0.0 and low[k] <= 0.0
    for k in range(first, last):
        if idle or W[k, 0] <= 0.0:
            r[k, 0] = r[k, 1] = 0.0
    if idle:
        gather(first, last, G, a, b, r, y)
        return 0.0, OPEN, 0
    if m == 1:
        if W[first, 0] > 0.0:
            rn, rt = one_contact(c[first, 0], c[first, 1], W[first, 0], W[first, 1], W[first, 2], mu[first], low[first])
            r[first, 0], r[first, 1] = rn, rt
        return residual(first, last, G, W, a, b, c, mu, low, r, y), CLOSED, 1
    done = 0
    fine = ROUND_OFF * reference
    if method != ACTIVE:
        count = 3000 if method == SWEEPS else SWEEPS_FIRST
        e, done = sweeps(first, last, count, fine, G, W, a, b, c, mu, low, r, y)
        if method == SWEEPS or e <= 10 * fine:
            return e, SWEEPS, done
    D, speed = work.matrix[: 4 * m * m].reshape((2 * m, 2 * m)), work.speed[:m]
    point, friction, least = r[first:last], mu[first:last], low[first:last]
    dense_island(first, last, G, W, a, b, c, y.shape[0] - 1, D, speed)
    goal = tolerance * reference
    # active-set steps take it to round-off; where they go astray, more sweeps give another start, and a prox term holds them
    for trial in range(3):
        if trial > 0:
            e, more = sweeps(first, last, 10 * trial, fine, G, W, a, b, c, mu, low, r, y)
            done += more
        steps = 10 + m if trial < 2 else PATIENT
        held = max(trial, 1) if m > FEW else trial
        e = active_set(D, speed, friction, least, point, 16 * fine, steps, PROX[held], FALL[held], work)
        done += steps
        if e <= 0.01 * goal:
            break
    way = ACTIVE
    if not e <= goal and method != ACTIVE:
        e, pivots = pivoting(D, speed, friction, least, point, reference, goal, work)
        way, done = LEMKE, done + pivots
    return residual(first, last, G, W, a, b, c, mu, low, r, y), way, done


# bare kernels call it, and it makes arrays
@njit(cache=True, nogil=True, _nrt=True, error_model="numpy", pipeline_class=PlainIndices)
def solve_islands(
    begin, end, members, start, G, W, a, b, c, mu, low, r, y, reference, tolerance, method, error, how, iterations
):
    """The small islands members[begin:end]; writes residual / reference, method and iterations of each."""
    most = np.int64(1)
    for p in range(begin, end):
        most = max(most, start[members[p] + 1] - start[members[p]])
    work = scratch_for(most)
    for p in range(begin, end):
        i = members[p]
        first, last = start[i], start[i + 1]
        e, way, done = solve_island(first, last, G, W, a, b, c, mu, low, r, y, reference[i], tolerance, method, work)
        error[i], how[i], iterations[i] = e / reference[i], way, done
