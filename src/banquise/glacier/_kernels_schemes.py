"""Time schemes of the chain: each kernel takes it through the arrivals first..last - 1 of 0..final, at times n * step.

u is the displacement less the steady slide, v the speed; the equation solved is
    m v' = elastic(u) - w (tau(v) - tau_eq) - d (v - v_eq) + F e_0,      u' = v - v_eq,
which is the chain's own with the steady state taken out, so that a chain at equilibrium stays there to the last bit.
An arrival n has the displacement u(n) known, forms the forces there, records, and drifts to n + 1 unless n is the last.
"""

# mypy: ignore-errors

from collections import namedtuple

import numpy as np

from banquise.glacier._kernels_friction import RATE_STATE, aged, curve, parameter, solve
from banquise.jit import checked_inner, njit

# Sums over nodes may be reordered (they are serial: the bits do not depend on threads); nothing else is loosened.
REORDER = {"reassoc", "contract", "nsz"}
reordered_inner = njit(cache=True, nogil=True, fastmath=REORDER, no_cpython_wrapper=True, no_cfunc_wrapper=True)

Chain = namedtuple("Chain", "weight inverse_mass stiffness dashpot steady_stress steady_speed code rows")
State = namedtuple("State", "u v z theta force acceleration scratch")
Record = namedtuple("Record", "u v stress seismic contact most_u most_v least_v stride")

# Rows of the tally: running sums (each with its compensation), peaks and counts.
SEISMIC, APPLIED, ENDS, SIZE, PEAK, PEAK_TIME, ITERATIONS, MOST, UNCONVERGED, LAST_S, LAST_F, LAST_B = (
    0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
TALLY = 16


@checked_inner
def _add(tally, at, value):
    # Kahan's sum: impulses are sums of up to 1e7 steps and must close to 1e-12.
    value -= tally[at + 1]
    total = tally[at] + value
    tally[at + 1] = (total - tally[at]) - value
    tally[at] = total


@checked_inner
def book(tally, weight, seismic, applied, ends, time):
    """Add one arrival to the impulses, `weight` seconds of it, and follow the peak."""
    _add(tally, SEISMIC, weight * seismic)
    _add(tally, APPLIED, weight * applied)
    _add(tally, ENDS, weight * ends)
    _add(tally, SIZE, weight * abs(applied))
    if abs(seismic) > abs(tally[PEAK]):
        tally[PEAK] = seismic
        tally[PEAK_TIME] = time


@reordered_inner
def elastic(stiffness, u, force):
    n = u.size
    if n == 1:
        force[0] = 0.0
        return
    force[0] = stiffness[0] * (u[1] - u[0])
    for i in range(1, n - 1):
        force[i] = stiffness[i] * (u[i + 1] - u[i]) - stiffness[i - 1] * (u[i] - u[i - 1])
    force[n - 1] = -stiffness[n - 2] * (u[n - 1] - u[n - 2])


@checked_inner
def end_force(chain, force, v):
    """Force of the surroundings on the two ends: dashpots, and what holds an end of infinite mass."""
    total = 0.0
    for k in range(2 if v.size > 1 else 1):
        i = k * (v.size - 1)
        if chain.inverse_mass[i] == 0.0:
            total -= force[i]
        total -= chain.dashpot[i] * (v[i] - chain.steady_speed)
    return total


@reordered_inner
def _cubic_targets(chain, u, z, gain, push, target):
    # target = v + dt/m (elastic + w tau_eq), fused with the spring differences: this loop is bound by memory.
    n, k = u.size, chain.stiffness
    if n == 1:
        target[0] = z[0] * z[0] * z[0] + push[0]
        return
    target[0] = z[0] * z[0] * z[0] + push[0] + gain[0] * (k[0] * (u[1] - u[0]))
    for i in range(1, n - 1):
        spring = k[i] * (u[i + 1] - u[i]) - k[i - 1] * (u[i] - u[i - 1])
        target[i] = z[i] * z[i] * z[i] + push[i] + gain[i] * spring
    n -= 1
    target[n] = z[n] * z[n] * z[n] + push[n] - gain[n] * (k[n - 1] * (u[n] - u[n - 1]))


@reordered_inner
def _cubic_newton(z, target, linear, floor):
    """Two Newton steps of z^3 + linear z = target at every node; returns how many nodes still moved."""
    moved = 0.0
    for i in range(z.size):
        p, r = linear[i], target[i]
        a = z[i]
        s = a * a
        a = (2.0 * s * a + r) / (3.0 * s + p)
        s = a * a
        b = (2.0 * s * a + r) / (3.0 * s + p)
        d = b - a
        # The step after one of relative size 1e-8 would be 1e-16: the convergence is quadratic.
        moved += 1.0 if d * d > 1e-16 * (b * b + floor) else 0.0
        z[i] = b
    return moved


@reordered_inner
def _cubic_seismic(rows, weight, z, steady):
    total = 0.0
    for i in range(z.size):
        total += weight[i] * (rows[i, 1] * z[i] - steady[i])
    return total


@reordered_inner
def _cubic_drift(u, z, step, steady_speed, most_u, most_z, least_z):
    for i in range(u.size):
        a = z[i]
        x = u[i] + step * (a * a * a - steady_speed)
        u[i] = x
        x = abs(x)
        a = abs(a)
        most_u[i] = x if x > most_u[i] else most_u[i]
        most_z[i] = a if a > most_z[i] else most_z[i]
        least_z[i] = a if a < least_z[i] else least_z[i]


@checked_inner
def keep_record(record, n, u, v, stress, seismic, contact):
    # Node by node: assigning whole rows drags the compiler through the text of its shape errors, three seconds of it.
    k = n // record.stride
    for i in range(u.size):
        record.u[k, i] = u[i]
        record.v[k, i] = v[i]
        record.stress[k, i] = stress[i]
    record.seismic[k] = seismic
    record.contact[k] = contact


@checked_inner
def follow(record, u, v):
    for i in range(u.size):
        record.most_u[i] = max(record.most_u[i], abs(u[i]))
        record.most_v[i] = max(record.most_v[i], abs(v[i]))
        record.least_v[i] = min(record.least_v[i], abs(v[i]))


@njit(cache=True, nogil=True)
def imex_cubic(chain, state, record, tally, loads, first, last, final, step):
    """Leapfrog for the springs, backward Euler for a cube-root friction law in z = cbrt(v).

    Four Newton steps a node and step on average and no transcendental function: four times the rate of the closed form
    with asinh and sinh, and of a cube root a step.
    """
    u, z, target = state.u, state.z, state.scratch[0]
    gain, push, linear = state.scratch[1], state.scratch[2], state.scratch[3]
    steady = chain.steady_speed
    for i in range(u.size):
        # v (1 + dt d/m) + dt/m w tau = v_old + dt/m (...): the dashpot, implicit too, divides the row.
        share = step * chain.inverse_mass[i]
        state.scratch[4, i] = 1.0 / (1.0 + share * chain.dashpot[i])
        gain[i] = share
        push[i] = share * (chain.weight[i] * chain.steady_stress[i] + chain.dashpot[i] * steady)
        linear[i] = share * chain.weight[i] * chain.rows[i, 1] * state.scratch[4, i] + 1e-300  # held end at rest: 0/0
    floor = 1e-8 * np.cbrt(steady) ** 2 + 1e-40
    top = u.size - 1
    for n in range(first, last):
        load = loads[n - first]
        keep = n % record.stride == 0
        if keep:
            for i in range(u.size):
                state.v[i] = z[i] * z[i] * z[i]
        _cubic_targets(chain, u, z, gain, push, target)
        target[0] = (target[0] + gain[0] * load) * state.scratch[4, 0]
        if top > 0:
            target[top] *= state.scratch[4, top]
        sweeps = 0
        while sweeps < 40:
            sweeps += 1
            if _cubic_newton(z, target, linear, floor) == 0.0:
                break
        tally[ITERATIONS] += 2 * sweeps
        tally[MOST] = max(tally[MOST], 2.0 * sweeps)
        tally[UNCONVERGED] += 1.0 if sweeps == 40 else 0.0
        seismic = _cubic_seismic(chain.rows, chain.weight, z, chain.steady_stress)
        ends = 0.0
        for k in range(2 if top > 0 else 1):
            i = k * top
            if chain.inverse_mass[i] == 0.0:
                inner = 1 if i == 0 else top - 1
                ends += chain.stiffness[min(i, inner)] * (u[i] - u[inner]) - (load if i == 0 else 0.0)
            ends -= chain.dashpot[i] * (z[i] * z[i] * z[i] - steady)
        book(tally, step, seismic, load, ends, n * step)
        if keep:
            for i in range(u.size):
                state.v[i] = 0.5 * (state.v[i] + z[i] * z[i] * z[i])
                target[i] = chain.rows[i, 1] * z[i]
            keep_record(record, n, u, state.v, target, seismic, load)
        # The last arrival drifts no more; its speeds are followed all the same.
        _cubic_drift(u, z, step if n < final else 0.0, steady, record.most_u, record.most_v, record.least_v)
    for i in range(u.size):
        state.v[i] = z[i] * z[i] * z[i]


@njit(cache=True, nogil=True)
def imex(chain, state, record, tally, loads, first, last, final, step):
    """Leapfrog for the springs, backward Euler for any friction law."""
    u, v, z, force, stress = state.u, state.v, state.z, state.force, state.scratch[0]
    steady = chain.steady_speed
    for n in range(first, last):
        load = loads[n - first]
        elastic(chain.stiffness, u, force)
        force[0] += load
        seismic = 0.0
        for i in range(u.size):
            share = step * chain.inverse_mass[i]
            damp = 1.0 / (1.0 + share * chain.dashpot[i])
            rest = force[i] + chain.weight[i] * chain.steady_stress[i] + chain.dashpot[i] * steady
            state.scratch[1, i] = v[i]
            if chain.code == RATE_STATE:  # the state ages over the step just made, then friction acts at that age
                state.theta[i] = aged(chain.rows[i], state.theta[i], v[i], step)
                z[i] = parameter(chain.code, chain.rows[i], state.theta[i], v[i])
            target = (v[i] + share * rest) * damp
            z[i] = solve(chain.code, chain.rows[i], state.theta[i], share * damp * chain.weight[i], target, z[i])
            v[i], _, stress[i], _ = curve(chain.code, chain.rows[i], state.theta[i], z[i])
            seismic += chain.weight[i] * (stress[i] - chain.steady_stress[i])
        book(tally, step, seismic, load, end_force(chain, force, v), n * step)
        if n % record.stride == 0:
            for i in range(u.size):
                state.scratch[1, i] = 0.5 * (state.scratch[1, i] + v[i])
            keep_record(record, n, u, state.scratch[1], stress, seismic, load)
        if n < final:
            for i in range(u.size):
                u[i] += step * (v[i] - steady)
        follow(record, u, v)


@njit(cache=True, nogil=True)
def verlet(chain, state, record, tally, loads, first, last, final, step):
    """Velocity Verlet with the friction of the speed one step before: explicit, stable for a + b/2 < 1 only."""
    u, v, z, old, force, stress = state.u, state.v, state.z, state.force, state.scratch[1], state.scratch[0]
    steady = chain.steady_speed
    for n in range(first, last):
        load = loads[n - first]
        elastic(chain.stiffness, u, force)
        force[0] += load
        ends = end_force(chain, force, v)
        seismic = 0.0
        for i in range(u.size):
            if chain.code == RATE_STATE and n > 0:
                state.theta[i] = aged(chain.rows[i], state.theta[i], v[i], step)
            z[i] = parameter(chain.code, chain.rows[i], state.theta[i], v[i])
            stress[i] = curve(chain.code, chain.rows[i], state.theta[i], z[i])[2]
            drag = chain.weight[i] * (stress[i] - chain.steady_stress[i])
            seismic += drag
            force[i] -= drag + chain.dashpot[i] * (v[i] - steady)
        if n > 0:
            for i in range(u.size):
                v[i] += 0.5 * step * chain.inverse_mass[i] * (old[i] + force[i])
            # Trapezoids: half of this arrival and half of the last, as the speed itself received them.
            book(tally, 0.5 * step, tally[LAST_S], tally[LAST_F], tally[LAST_B], (n - 1) * step)
            book(tally, 0.5 * step, seismic, load, ends, n * step)
        tally[LAST_S], tally[LAST_F], tally[LAST_B] = seismic, load, ends
        if n % record.stride == 0:
            keep_record(record, n, u, v, stress, seismic, load)
        for i in range(u.size):
            old[i] = force[i]
            if n < final:
                u[i] += step * (v[i] - steady) + 0.5 * step * step * chain.inverse_mass[i] * force[i]
        follow(record, u, v)
