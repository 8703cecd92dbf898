"""The glacier seen from above: bilinear plane-stress elements, leapfrog, pointwise implicit friction."""

# mypy: ignore-errors

import math
from collections import namedtuple

import numpy as np

from banquise.glacier._kernels_friction import curve, solve
from banquise.glacier._kernels_schemes import book
from banquise.jit import njit

# element: (8, 8) stiffness for E H = 1, degrees of freedom (x, y) of corners (0,0) (1,0) (1,1) (0,1)
Plan = namedtuple("Plan", "element modulus weight inverse_mass steady_speed steady_stress share slip code rows")
PlanState = namedtuple("PlanState", "u v z force")
PlanRecord = namedtuple("PlanRecord", "u v seismic contact most stride")


@njit(cache=True, nogil=True)
def elastic(plan, u, force):
    """Force of the strained ice on every node, N; u and force are (nx, ny, 2)."""
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            force[i, j, 0] = force[i, j, 1] = 0.0
    local = np.empty(8)
    for i in range(plan.modulus.shape[0]):
        for j in range(plan.modulus.shape[1]):
            for d in range(2):
                local[d] = u[i, j, d]
                local[2 + d] = u[i + 1, j, d]
                local[4 + d] = u[i + 1, j + 1, d]
                local[6 + d] = u[i, j + 1, d]
            for d in range(2):
                a, b, c, e = 0.0, 0.0, 0.0, 0.0
                for k in range(8):
                    a += plan.element[d, k] * local[k]
                    b += plan.element[2 + d, k] * local[k]
                    c += plan.element[4 + d, k] * local[k]
                    e += plan.element[6 + d, k] * local[k]
                force[i, j, d] -= plan.modulus[i, j] * a
                force[i + 1, j, d] -= plan.modulus[i, j] * b
                force[i + 1, j + 1, d] -= plan.modulus[i, j] * c
                force[i, j + 1, d] -= plan.modulus[i, j] * e


@njit(cache=True, nogil=True)
def plan_steps(plan, state, record, tally, loads, first, last, final, step):
    """Take the plan view through the arrivals first..last - 1 of 0..final, as the chain's IMEX scheme does.

    Friction opposes the velocity vector, so v + g tau(|v|) v/|v| = r is a scalar equation for |v| along r.
    """
    u, v, force = state.u, state.v, state.force
    nx, ny = plan.weight.shape
    for n in range(first, last):
        load = loads[n - first]
        keep = n % record.stride == 0
        k = n // record.stride
        elastic(plan, u, force)
        seismic = 0.0
        for i in range(nx):
            for j in range(ny):
                w, gain = plan.weight[i, j], step * plan.inverse_mass[i, j]
                push = w * plan.steady_stress[i, j] + (load * plan.share[j] if i == 0 else 0.0)
                rx = v[i, j, 0] + gain * (force[i, j, 0] + push)
                ry = v[i, j, 1] + gain * force[i, j, 1]
                if plan.slip and (j == 0 or j == ny - 1):
                    ry = 0.0
                size = math.hypot(rx, ry)
                if keep:
                    record.v[k, i, j, 0], record.v[k, i, j, 1] = 0.5 * v[i, j, 0], 0.5 * v[i, j, 1]
                row = plan.rows[i * ny + j]
                z = solve(plan.code, row, 1.0, gain * w, size, state.z[i, j])
                state.z[i, j] = z
                speed, _, stress, _ = curve(plan.code, row, 1.0, z)
                share = speed / size if size > 0.0 else 0.0
                v[i, j, 0], v[i, j, 1] = share * rx, share * ry
                seismic += w * ((stress * rx / size if size > 0.0 else 0.0) - plan.steady_stress[i, j])
        book(tally, step, seismic, load, 0.0, n * step)
        if keep:
            for i in range(nx):
                for j in range(ny):
                    for d in range(2):
                        record.v[k, i, j, d] += 0.5 * v[i, j, d]  # mean of the half-steps before and after
                        record.u[k, i, j, d] = u[i, j, d]
            record.seismic[k] = seismic
            record.contact[k] = load
        if n < final:
            for i in range(nx):
                for j in range(ny):
                    u[i, j, 0] += step * (v[i, j, 0] - plan.steady_speed[i, j])
                    u[i, j, 1] += step * v[i, j, 1]
                    record.most[i, j] = max(record.most[i, j], math.hypot(u[i, j, 0], u[i, j, 1]))
