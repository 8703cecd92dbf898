"""Hilber-Hughes-Taylor with Newton on the whole chain: a tridiagonal system in q = D v + s tau, what a node's own
speed and friction make of its row; v and tau follow from q by the scalar solve the laws share.

    m a' = (1 + alpha) N(u', v') - alpha N(u, v),     N = elastic(u) - w (tau(v) - tau_eq) - d (v - v_eq) + F e_0
    v' = v + dt ((1 - gamma) a + gamma a'),  u' = u + dt (v - v_eq) + dt^2 ((1/2 - beta) a + beta a')
    gamma = 1/2 - alpha,  beta = (1 - alpha)^2 / 4
"""

# mypy: ignore-errors

from banquise.glacier._kernels_friction import RATE_STATE, aged, curve, parameter, solve
from banquise.glacier._kernels_schemes import (
    ITERATIONS,
    LAST_B,
    LAST_F,
    LAST_S,
    MOST,
    UNCONVERGED,
    book,
    elastic,
    end_force,
    follow,
    keep_record,
)
from banquise.jit import checked_inner, njit

MOST_NEWTON = 60
MOST_HALVINGS = 12
SCRATCH = 15
# Rows of State.scratch
(
    STRESS,
    V_PART,
    U_PART,
    CARRIED,
    RESIDUAL,
    LOWER,
    DIAGONAL,
    UPPER,
    CHANGE,
    TRIAL,
    TRIAL_V,
    TRIAL_U,
    KEPT_V,
    KEPT_STRESS,
    OWN,
) = range(15)


@checked_inner
def _thomas(lower, diagonal, upper, right):
    """Solve in place a tridiagonal system, without pivoting: scaled by the masses its rows are diagonally dominant."""
    n = right.size
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    right[n - 1] /= diagonal[n - 1]
    for i in range(n - 2, -1, -1):
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]


@checked_inner
def _own_share(chain, i, blend, reach, ratio):
    """Factors D, s of a node's own part q = D v + s tau of its row."""
    k, n = chain.stiffness, chain.weight.size
    share = reach * chain.inverse_mass[i] * blend
    springs = (k[i] if i < n - 1 else 0.0) + (k[i - 1] if i > 0 else 0.0)
    return 1.0 + share * (ratio * springs + chain.dashpot[i]), share * chain.weight[i]


@checked_inner
def _residual(chain, state, z, blend, reach, ratio, out):
    """Residual (m/s) of the velocity equation at z; fills trial v, u and stress; returns its squared norm."""
    s = state.scratch
    for i in range(z.size):
        s[TRIAL_V, i], _, s[STRESS, i], _ = curve(chain.code, chain.rows[i], state.theta[i], z[i])
        s[TRIAL_U, i] = s[U_PART, i] + ratio * (s[TRIAL_V, i] - s[V_PART, i])
    elastic(chain.stiffness, s[TRIAL_U], out)
    norm = 0.0
    for i in range(z.size):
        drag = chain.weight[i] * (s[STRESS, i] - chain.steady_stress[i])
        inner = out[i] - drag - chain.dashpot[i] * (s[TRIAL_V, i] - chain.steady_speed)
        out[i] = s[TRIAL_V, i] - s[V_PART, i] - reach * chain.inverse_mass[i] * (blend * inner + s[CARRIED, i])
        norm += out[i] * out[i]
    return norm


@checked_inner
def _newton_direction(chain, state, z, blend, reach, ratio):
    """OWN = q of every node, CHANGE = the Newton step in q.

    dv/dq = v_z / (D v_z + s tau_z) lies between 0 and 1/D whatever the law: neither a vertical law nor a frictionless
    block at rest spoils the matrix, as the first does for Newton in v and the second in z.
    """
    s, k, n = state.scratch, chain.stiffness, z.size
    for i in range(n):
        v, dv, tau, dtau = curve(chain.code, chain.rows[i], state.theta[i], z[i])
        own, rub = _own_share(chain, i, blend, reach, ratio)
        s[OWN, i] = own * v + rub * tau
        slope = own * dv + rub * dtau
        passed = dv / slope if slope > 0.0 else 1.0 / own
        if i > 0:  # this column's entry in the row above
            s[UPPER, i - 1] = -reach * chain.inverse_mass[i - 1] * blend * ratio * k[i - 1] * passed
        if i < n - 1:
            s[LOWER, i + 1] = -reach * chain.inverse_mass[i + 1] * blend * ratio * k[i] * passed
        s[DIAGONAL, i] = 1.0
        s[CHANGE, i] = -s[RESIDUAL, i]
    _thomas(s[LOWER], s[DIAGONAL], s[UPPER], s[CHANGE])


@checked_inner
def _newton(chain, state, z, blend, reach, ratio, tolerance, stress_scale):
    """Newton with halving until speed and stress move by less than `tolerance` of their scales; steps taken or -1."""
    s = state.scratch
    norm = _residual(chain, state, z, blend, reach, ratio, s[RESIDUAL])
    speed = abs(chain.steady_speed)
    for i in range(z.size):
        speed = max(speed, abs(s[V_PART, i]))
    noise = z.size * (1e-15 * speed) ** 2  # below this the residual is rounding and cannot be made to fall
    for iteration in range(1, MOST_NEWTON + 1):
        _newton_direction(chain, state, z, blend, reach, ratio)
        for i in range(z.size):
            s[KEPT_V, i], s[KEPT_STRESS, i] = s[TRIAL_V, i], s[STRESS, i]
        length = 1.0
        for _ in range(MOST_HALVINGS):
            for i in range(z.size):
                own, rub = _own_share(chain, i, blend, reach, ratio)
                goal = (s[OWN, i] + length * s[CHANGE, i]) / own
                s[TRIAL, i] = solve(chain.code, chain.rows[i], state.theta[i], rub / own, goal, z[i])
            new = _residual(chain, state, s[TRIAL], blend, reach, ratio, s[RESIDUAL])
            if new <= norm or new <= noise:
                break
            length *= 0.5
        norm = new
        moved, fastest, tilted = 0.0, speed, 0.0
        for i in range(z.size):
            z[i] = s[TRIAL, i]
            moved = max(moved, abs(s[TRIAL_V, i] - s[KEPT_V, i]))
            fastest = max(fastest, abs(s[TRIAL_V, i]))
            tilted = max(tilted, abs(s[STRESS, i] - s[KEPT_STRESS, i]))
            stress_scale = max(stress_scale, abs(s[STRESS, i]))
        if moved <= tolerance * fastest and tilted <= tolerance * stress_scale:
            return iteration
    return -1


@njit(cache=True, nogil=True)
def hht(chain, state, record, tally, loads, first, last, final, step, alpha, tolerance):
    """Take the chain through the arrivals first..last - 1 with the alpha method."""
    u, v, z, a, s = state.u, state.v, state.z, state.acceleration, state.scratch
    gamma, beta, blend = 0.5 - alpha, 0.25 * (1.0 - alpha) ** 2, 1.0 + alpha
    reach, ratio = gamma * step, beta * step / gamma
    stress_scale = 0.0
    for i in range(u.size):
        stress_scale = max(stress_scale, abs(chain.steady_stress[i]))
    for n in range(first, last):
        load = loads[n - first]
        if n > 0:
            for i in range(u.size):
                s[V_PART, i] = v[i] + step * (1.0 - gamma) * a[i]
                s[U_PART, i] = u[i] + step * (v[i] - chain.steady_speed) + step * step * (0.5 - beta) * a[i]
                s[CARRIED, i] = -alpha * state.force[i]
                if chain.code == RATE_STATE:
                    state.theta[i] = aged(chain.rows[i], state.theta[i], v[i], step)
                    z[i] = parameter(chain.code, chain.rows[i], state.theta[i], v[i])
            s[CARRIED, 0] += blend * load
            taken = _newton(chain, state, z, blend, reach, ratio, tolerance, stress_scale)
            tally[UNCONVERGED] += 1.0 if taken < 0 else 0.0
            taken = MOST_NEWTON if taken < 0 else taken
            tally[ITERATIONS] += taken
            tally[MOST] = max(tally[MOST], taken)
            for i in range(u.size):
                v[i], u[i] = s[TRIAL_V, i], s[TRIAL_U, i]
        elastic(chain.stiffness, u, state.force)
        state.force[0] += load
        ends = end_force(chain, state.force, v)
        seismic = 0.0
        for i in range(u.size):
            if n == 0:
                z[i] = parameter(chain.code, chain.rows[i], state.theta[i], v[i])
                s[STRESS, i] = curve(chain.code, chain.rows[i], state.theta[i], z[i])[2]
            drag = chain.weight[i] * (s[STRESS, i] - chain.steady_stress[i])
            seismic += drag
            state.force[i] -= drag + chain.dashpot[i] * (v[i] - chain.steady_speed)
        if n == 0:
            for i in range(u.size):
                a[i] = chain.inverse_mass[i] * state.force[i]
            book(tally, step * (1.0 - gamma), seismic, load, ends, 0.0)
        else:
            for i in range(u.size):
                a[i] = (v[i] - s[V_PART, i]) / reach
            # The blended force here acts for gamma dt before it and, unless it is the last, (1 - gamma) dt after.
            share = step * (1.0 if n < final else gamma)
            book(tally, share * blend, seismic, load, ends, n * step)
            book(tally, -share * alpha, tally[LAST_S], tally[LAST_F], tally[LAST_B], (n - 1) * step)
        tally[LAST_S], tally[LAST_F], tally[LAST_B] = seismic, load, ends
        if n % record.stride == 0:
            keep_record(record, n, u, v, s[STRESS], seismic, load)
        follow(record, u, v)
