"""Free flight of floes: drag at the quadrature points, solved implicitly with an exact Coriolis turn.

All of a floe's step is done in its own frame in the middle of the step, so that no point is ever turned.
"""

import numpy as np

from banquise.jit import bare_inline, bare_inner, bare_kernel
from banquise.motion._kernels_drag import coarse_forces, point_forces, point_forces_and_slopes
from banquise.motion._kernels_lanes import FOUND, LANES, TOLERANCE, YES, fly_together
from banquise.motion._kernels_series import fitted_theta, inverse_of, turn, turn_means

SCRATCH = 9, 40  # work space of a thread, for floes one by one
_COARSE, _FORCES, _SLOPES = 0, 1, 2  # what `_drags` works out, and from what
# columns of a fluid in the frame of a floe
_ACTS, _U, _V, _COEFFICIENT, _COS, _SIN = range(6)


@bare_inline
def _drags(how, i, u, v, w, fluids, flows, qx, qy, qw, area, moment_x, moment_y, spread, sums, force, slope):
    """Forces (2, 3) of the fluids that act on floe i at (u, v, w), and with _COARSE or _SLOPES minus their derivatives
    (2, 9), in the frame of the floe. Returns how far the derivatives may be out."""
    out_by = 0.0
    for f in range(2):
        if fluids[f, _ACTS] == 0.0:
            continue
        a, b = fluids[f, _U] - u, fluids[f, _V] - v
        if how == _COARSE:
            over_area = 1.0 / area[i]
            (
                sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8], sums[9], sums[10], sums[11],
                sums[12], part,
            ) = coarse_forces(
                area[i], over_area * moment_x[i], over_area * moment_y[i], spread[i, 0], spread[i, 1], spread[i, 2], a, b, w
            )  # fmt: skip
            out_by = max(out_by, part)
        elif how == _FORCES:
            point_forces(qx[i], qy[i], qw[i], flows[f], a, b, w, sums)
        else:
            point_forces_and_slopes(qx[i], qy[i], qw[i], flows[f], a, b, w, sums)
        kc, ks = fluids[f, _COEFFICIENT] * fluids[f, _COS], fluids[f, _COEFFICIENT] * fluids[f, _SIN]
        force[f, 0] = kc * sums[0] - ks * sums[1]
        force[f, 1] = ks * sums[0] + kc * sums[1]
        force[f, 2] = kc * sums[2] + ks * sums[3]
        if how == _FORCES:
            continue
        saa, sab, sbb, saw, sbw = sums[4], sums[5], sums[6], sums[7], sums[8]
        slope[f, 0], slope[f, 1], slope[f, 2] = kc * saa - ks * sab, kc * sab - ks * sbb, ks * sbw - kc * saw
        slope[f, 3], slope[f, 4], slope[f, 5] = ks * saa + kc * sab, ks * sab + kc * sbb, -(ks * saw + kc * sbw)
        slope[f, 6], slope[f, 7] = ks * sums[10] - kc * saw, ks * sums[11] - kc * sbw
        slope[f, 8] = -(kc * sums[9] + ks * sums[12])
    return out_by


@bare_inline
def _fluid(fluid, mode, u, v, coefficient, turn_c, turn_s, c, s):
    """One fluid in the frame of a floe: mode 0 none, 1 uniform, 2 flow at the points. Its stress is turned."""
    fluid[_ACTS], fluid[_U], fluid[_V] = mode, c * u + s * v, c * v - s * u
    fluid[_COEFFICIENT], fluid[_COS], fluid[_SIN] = coefficient if mode > 0 else 0.0, turn_c, turn_s


@bare_inner
def _clean(flows, force, slope):
    """Nothing is left of a fluid that another call had, and this one has not, or has the same everywhere."""
    for f in range(2):
        for k in range(9):
            slope[f, k] = 0.0
        for k in range(3):
            force[f, k] = 0.0
        for k in range(flows.shape[2]):
            flows[f, 0, k] = flows[f, 1, k] = 0.0


@bare_inner
def _into_frame(flow, c, s, out):
    """The flow at the points (2, 75) of the map frame in the frame of the floe."""
    u, v = flow[0], flow[1]
    for k in range(len(u)):
        out[0, k] = c * u[k] + s * v[k]
        out[1, k] = c * v[k] - s * u[k]


@bare_inline
def _accelerations(
    euler, i, step, u0, v0, w0, steady_x, steady_y, steady_t, ec, es, p1r, p1i, mass, inertia, extent,
    fluids, flows, qx, qy, qw, area, moment_x, moment_y, spread, sums, force, slope, inverse,
):  # fmt: skip
    """Accelerations for which the drag is that of W_theta, in the frame of the floe; force[0] is left as the air's.
    With `euler` those of the drag now.

    In a uniform flow the first guess comes from the spread of the points alone, and with its slopes the forces at the
    points give the answer in one or two passes. Newton's method with the points' own slopes takes over where that
    converges slowly: long steps, slow flow past a floe that spins.
    """
    over_mass, over_inertia = 1.0 / mass[i], 1.0 / inertia[i]
    ru, rv = (ec - 1.0) * u0 + es * v0, (ec - 1.0) * v0 - es * u0  # turned minus unturned
    au, av, aw = u0, v0, w0  # where the drag is worked out
    n0 = n1 = n2 = theta = out_by = way = 0.0
    rate = step * over_mass * area[i] * (fluids[0, _COEFFICIENT] + fluids[1, _COEFFICIENT])
    how = _SLOPES if fluids[0, _ACTS] == 2.0 or fluids[1, _ACTS] == 2.0 else _COARSE
    passes = 60 if fluids[0, _ACTS] + fluids[1, _ACTS] > 0.0 else 1
    total = slope[2]
    if euler:
        how, passes = _FORCES, 1
        for k in range(9):
            total[k], inverse[k] = 0.0, 1.0 if k % 4 == 0 else 0.0
    for count in range(passes):
        part = _drags(
            how, i, au, av, aw, fluids, flows, qx, qy, qw, area, moment_x, moment_y, spread, sums, force, slope
        )  # fmt: skip
        if how != _FORCES:
            for k in range(9):
                total[k] = slope[0, k] + slope[1, k]
            theta = fitted_theta(step * 0.5 * (total[0] + total[4]) * over_mass)
            (
                inverse[0], inverse[1], inverse[2], inverse[3], inverse[4], inverse[5], inverse[6], inverse[7], inverse[8],
            ) = inverse_of(
                total[0], total[1], total[2], total[3], total[4], total[5], total[6], total[7], total[8], over_mass,
                over_inertia, theta * step, p1r, p1i,
            )  # fmt: skip
            out_by, way = part, 0.0
        # W_theta(n) = W + theta (turned - W + step phi_1 n), and
        # n + M^-1 slope (W_theta(n) - at) = (air + drag + steady) / M
        bu, bv, bw = u0 + theta * ru - au, v0 + theta * rv - av, w0 - aw
        r0 = over_mass * (force[0, 0] + force[1, 0] + steady_x - total[0] * bu - total[1] * bv - total[2] * bw)
        r1 = over_mass * (force[0, 1] + force[1, 1] + steady_y - total[3] * bu - total[4] * bv - total[5] * bw)
        r2 = over_inertia * (force[0, 2] + force[1, 2] + steady_t - total[6] * bu - total[7] * bv - total[8] * bw)
        n0 = inverse[0] * r0 + inverse[1] * r1 + inverse[2] * r2
        n1 = inverse[3] * r0 + inverse[4] * r1 + inverse[5] * r2
        n2 = inverse[6] * r0 + inverse[7] * r1 + inverse[8] * r2
        g = theta * step
        du = bu + g * (p1r * n0 - p1i * n1)
        dv = bv + g * (p1i * n0 + p1r * n1)
        dw = bw + g * n2
        for k in range(3):  # what the air gave at W_theta, for its share of the work
            force[0, k] -= slope[0, 3 * k] * du + slope[0, 3 * k + 1] * dv + slope[0, 3 * k + 2] * dw
        au, av, aw = au + du, av + dv, aw + dw
        change = abs(du) + abs(dv) + extent[i] * abs(dw)
        speed = abs(au) + abs(av) + extent[i] * abs(aw) + change
        # What is left is quadratic in the change for Newton's method, and linear with slopes that are out or were taken
        # some way off: known without another look
        left = rate * (3.0 * way + change + out_by)
        if how != _COARSE and left * change <= TOLERANCE * speed:
            break
        how = _FORCES if left < 0.03 and count < 4 else _SLOPES
        way += change
    return n0, n1, n2


@bare_inline
def _write(
    i, step, c, s, u0, v0, w0, n0, n1, n2, steady_x, steady_y, steady_t, air_x, air_y, air_t, ec, es, p1r, p1i, p2r, p2i, m,
    inertia, farthest, velocity, displacement, forces,
):  # fmt: skip
    """Velocity, displacement and forces of floe i from its accelerations n, in its frame; whether they are sane."""
    nx, ny = c * n0 - s * n1, s * n0 + c * n1
    ux, uy = ec * u0 + es * v0 + step * (p1r * nx - p1i * ny), ec * v0 - es * u0 + step * (p1i * nx + p1r * ny)
    dx = step * (p1r * u0 - p1i * v0 + step * (p2r * nx - p2i * ny))
    dy = step * (p1i * u0 + p1r * v0 + step * (p2i * nx + p2r * ny))
    w, turn = w0 + step * n2, step * (w0 + 0.5 * step * n2)
    velocity[i, 0], velocity[i, 1], velocity[i, 2] = ux, uy, w
    displacement[i, 0], displacement[i, 1], displacement[i, 2] = dx, dy, turn
    # the water's force is what is left of the acceleration: so the work adds up
    forces[i, 0, 0], forces[i, 0, 1], forces[i, 0, 2] = air_x, air_y, air_t
    forces[i, 1, 0], forces[i, 1, 1] = m * nx - air_x - steady_x, m * ny - air_y - steady_y
    forces[i, 1, 2] = inertia * n2 - air_t - steady_t
    # NaN is beyond all; a velocity beyond shows in the displacement, unless the step is far below a second
    return abs(dx) + abs(dy) + abs(turn) + abs(ux) + abs(uy) + abs(w) < farthest


@bare_kernel
def free_motion(
    first, last, rows, steps, coriolis, gravity, euler, turn_c, turn_s,
    cos, sin, u, v, spin, mass, inertia, area, extent, qx, qy, qw, moment_x, moment_y, spread,
    air_mode, air_relative, air_u, air_v, air_flow, air_density, air_drag,
    water_mode, water_u, water_v, water_flow, water_density, water_drag,
    pushes, farthest, room, velocity, displacement, forces,
):  # fmt: skip
    """Velocity and displacement of the floes rows[first:last], each over its own step, with nothing in their way.

    All forces but Coriolis are held constant over the step, at the value of the drag for W_theta = (1 - theta) W +
    theta W+; the Coriolis turn of velocity and displacement is exact. So inertial circles close, a steady drift stays
    steady, work = force . displacement adds up to the kinetic energy exactly, and theta (fitted to the drag's rate)
    keeps any step stable.

    velocity (n, 3): u, v, spin at the end. displacement (n, 3): x, y, angle. forces (n, 2, 3): wind and water, x, y and
    torque. pushes (n, 3): loads and own forces, N and N m. Flows at the points are (n, 2, 75), map frame. Coriolis: one
    f for all, or one a floe. room: work space, this thread's own (`Room`).
    Returns the first floe whose motion is not finite or beyond `farthest`, -1 if all are sane.
    """
    flows, scratch, lanes = room.flows, room.scratch, room.lanes
    fluids, force, slope, sums, inverse = scratch[0:2], scratch[2:4], scratch[4:7], scratch[7], scratch[8]
    lost, phase, clean = np.int64(-1), 0.0, False
    ec, es, p1r, p1i, p2r, p2i = turn_means(phase)
    uniform = water_mode == 1 and not euler and (air_mode == 0 or (air_mode == 1 and not air_relative))
    air = air_density * np.sqrt(air_u * air_u + air_v * air_v) if air_mode == 1 else 0.0
    for begin in range(first, last, LANES):
        end = min(begin + LANES, last)
        if uniform:
            lost = fly_together(
                begin, end, rows, steps, coriolis, gravity, turn_c, turn_s, cos, sin, u, v, spin, mass, inertia, area, extent,
                qx, qy, qw, moment_x, moment_y, spread, air, air_u, air_v, air_drag, water_u, water_v, water_density, water_drag,
                pushes, farthest, lanes, velocity, displacement, forces, lost,
            )  # fmt: skip
        for place in range(begin, end):
            if uniform and lanes[FOUND + place - begin] == YES:
                continue
            i = rows[place]
            step, m, u0, v0, w0 = steps[i], mass[i], u[i], v[i], spin[i]
            if step == 0.0:
                velocity[i, 0], velocity[i, 1], velocity[i, 2] = u0, v0, w0
                for k in range(3):
                    displacement[i, k] = forces[i, 0, k] = forces[i, 1, k] = 0.0
                continue
            f = coriolis[i] if len(coriolis) > 1 else coriolis[0]
            if f * step != phase:
                phase = f * step
                ec, es, p1r, p1i, p2r, p2i = turn_means(phase)
            steady_x, steady_y, steady_t = pushes[i, 0] + m * gravity[0], pushes[i, 1] + m * gravity[1], pushes[i, 2]
            if not clean:
                _clean(flows, force, slope)
                clean = True
            ch, sh = turn(0.5 * step * w0)
            c, s = cos[i] * ch - sin[i] * sh, sin[i] * ch + cos[i] * sh  # pose in the middle of the step
            _fluid(fluids[0], air_mode, air_u, air_v, air_density * air_drag[i], 1.0, 0.0, c, s)
            _fluid(fluids[1], water_mode, water_u, water_v, water_density * water_drag[i], turn_c, turn_s, c, s)
            if air_mode == 2:
                _into_frame(air_flow[i], c, s, flows[0])
            if water_mode == 2:
                _into_frame(water_flow[i], c, s, flows[1])
            if air_mode > 0 and not air_relative:
                if air_mode == 1:
                    a, b = fluids[0, _U], fluids[0, _V]
                    stress = fluids[0, _COEFFICIENT] * np.sqrt(a * a + b * b)
                    force[0, 0], force[0, 1] = stress * a * area[i], stress * b * area[i]
                    force[0, 2] = stress * (moment_x[i] * b - moment_y[i] * a)
                else:
                    point_forces(qx[i], qy[i], qw[i], flows[0], 0.0, 0.0, 0.0, sums)
                    for k in range(3):
                        force[0, k] = fluids[0, _COEFFICIENT] * sums[k]
                fluids[0, _ACTS] = fluids[0, _COEFFICIENT] = 0.0
            bx, by, bu, bv = c * steady_x + s * steady_y, c * steady_y - s * steady_x, c * u0 + s * v0, c * v0 - s * u0
            n0, n1, n2 = _accelerations(
                euler, i, step, bu, bv, w0, bx, by, steady_t, ec, es, p1r, p1i, mass, inertia, extent,
                fluids, flows, qx, qy, qw, area, moment_x, moment_y, spread, sums, force, slope, inverse,
            )  # fmt: skip
            air_x, air_y, air_t = c * force[0, 0] - s * force[0, 1], s * force[0, 0] + c * force[0, 1], force[0, 2]
            sane = _write(
                i, step, c, s, u0, v0, w0, n0, n1, n2, steady_x, steady_y, steady_t, air_x, air_y, air_t,
                ec, es, p1r, p1i, p2r, p2i, m, inertia[i], farthest, velocity, displacement, forces,
            )  # fmt: skip
            if euler:
                nx, ny = c * n0 - s * n1, s * n0 + c * n1
                velocity[i, 0], velocity[i, 1] = u0 + step * (nx + f * v0), v0 + step * (ny - f * u0)
                # by the mean velocity, so that force . displacement is the work that the kinetic energy sees
                displacement[i, 0] = 0.5 * step * (u0 + velocity[i, 0])
                displacement[i, 1] = 0.5 * step * (v0 + velocity[i, 1])
            lost = i if lost < 0 and not sane else lost
    return lost
