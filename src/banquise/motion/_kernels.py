"""Free flight of floes: drag at the quadrature points, solved implicitly with an exact Coriolis turn."""

import numpy as np
from numba import njit

# Division must not raise (error_model), or its check keeps the loop over the points from being vectorised.
# Sums may be reordered for SIMD: each floe is summed by one thread, so the bits do not depend on their number
_SIMD = {"reassoc", "contract", "nsz"}
_TINY = 1e-150


@njit(cache=True, nogil=True, fastmath=_SIMD, error_model="numpy")
def _drag_uniform(qx, qy, qw, a, b, w, out):
    """Sums over the points of |r| r, its moment and radial part, and its derivatives; r = (a + w y, b - w x).

    out = Fx, Fy, T, R, then the derivatives with respect to (a, b, w): the symmetric ones Faa, Fab, Fbb, Faw, Fbw, Tww,
    and Ra, Rb, Rw, which only a turning angle needs.
    """
    fx = fy = t = r = 0.0
    saa = sab = sbb = saw = sbw = sww = 0.0
    ra = rb = rw = 0.0
    for k in range(len(qx)):
        x, y, weight = qx[k], qy[k], qw[k]
        p = a + w * y
        q = b - w * x
        speed = np.sqrt(p * p + q * q + _TINY)
        g = weight * speed
        i = weight / speed
        fx += g * p
        fy += g * q
        t += g * (x * q - y * p)
        r += g * (x * p + y * q)
        maa = g + i * p * p
        mab = i * p * q
        mbb = g + i * q * q
        caw = maa * y - mab * x
        cbw = mab * y - mbb * x
        saa += maa
        sab += mab
        sbb += mbb
        saw += caw
        sbw += cbw
        sww += x * cbw - y * caw
        ra += x * maa + y * mab
        rb += x * mab + y * mbb
        rw += x * caw + y * cbw
    out[0], out[1], out[2], out[3] = fx, fy, t, r
    out[4], out[5], out[6], out[7], out[8], out[9] = saa, sab, sbb, saw, sbw, sww
    out[10], out[11], out[12] = ra, rb, rw


@njit(cache=True, nogil=True, fastmath=_SIMD, error_model="numpy")
def _drag_points(qx, qy, qw, pu, pv, c, s, a, b, w, out):
    """As `_drag_uniform`, with the flow (pu, pv) of the map frame added at each point, turned by (c, s)."""
    fx = fy = t = r = 0.0
    saa = sab = sbb = saw = sbw = sww = 0.0
    ra = rb = rw = 0.0
    for k in range(len(qx)):
        x, y, weight = qx[k], qy[k], qw[k]
        p = a + w * y + c * pu[k] + s * pv[k]
        q = b - w * x - s * pu[k] + c * pv[k]
        speed = np.sqrt(p * p + q * q + _TINY)
        g = weight * speed
        i = weight / speed
        fx += g * p
        fy += g * q
        t += g * (x * q - y * p)
        r += g * (x * p + y * q)
        maa = g + i * p * p
        mab = i * p * q
        mbb = g + i * q * q
        caw = maa * y - mab * x
        cbw = mab * y - mbb * x
        saa += maa
        sab += mab
        sbb += mbb
        saw += caw
        sbw += cbw
        sww += x * cbw - y * caw
        ra += x * maa + y * mab
        rb += x * mab + y * mbb
        rw += x * caw + y * cbw
    out[0], out[1], out[2], out[3] = fx, fy, t, r
    out[4], out[5], out[6], out[7], out[8], out[9] = saa, sab, sbb, saw, sbw, sww
    out[10], out[11], out[12] = ra, rb, rw


@njit(cache=True, nogil=True, error_model="numpy")
def _add_drag(
    qx, qy, qw, flow, i, coefficient, turn_c, turn_s, c, s, u, v, w, mode, uniform_u, uniform_v, sums, force, slope
):
    """Add one fluid's force (3,) and minus its derivative (3, 3) by the floe's own (u, v, spin), map frame.

    mode 1: uniform flow, 2: flow at the points. The stress is turned by (turn_c, turn_s).
    """
    if mode == 1:
        ru, rv = uniform_u - u, uniform_v - v
        _drag_uniform(qx[i], qy[i], qw[i], c * ru + s * rv, -s * ru + c * rv, w, sums)
    else:
        _drag_points(qx[i], qy[i], qw[i], flow[i, 0], flow[i, 1], c, s, -(c * u + s * v), s * u - c * v, w, sums)
    fx, fy = turn_c * sums[0] - turn_s * sums[1], turn_s * sums[0] + turn_c * sums[1]
    force[0] += coefficient * (c * fx - s * fy)
    force[1] += coefficient * (s * fx + c * fy)
    force[2] += coefficient * (turn_c * sums[2] + turn_s * sums[3])
    # the derivative in the map frame before the turn of the stress: R S R', and R on the column of the spin
    saa, sab, sbb, saw, sbw, sww = sums[4], sums[5], sums[6], sums[7], sums[8], sums[9]
    mxx = c * c * saa - 2 * c * s * sab + s * s * sbb
    mxy = c * s * (saa - sbb) + (c * c - s * s) * sab
    myy = s * s * saa + 2 * c * s * sab + c * c * sbb
    mxw, myw = c * saw - s * sbw, s * saw + c * sbw
    rx, ry = c * sums[10] - s * sums[11], s * sums[10] + c * sums[11]
    kc, ks = coefficient * turn_c, coefficient * turn_s
    slope[0, 0] += kc * mxx - ks * mxy
    slope[0, 1] += kc * mxy - ks * myy
    slope[1, 0] += ks * mxx + kc * mxy
    slope[1, 1] += ks * mxy + kc * myy
    slope[0, 2] -= kc * mxw - ks * myw
    slope[1, 2] -= ks * mxw + kc * myw
    slope[2, 0] -= kc * mxw - ks * rx
    slope[2, 1] -= kc * myw - ks * ry
    slope[2, 2] -= kc * sww + ks * sums[12]


@njit(cache=True, nogil=True, error_model="numpy")
def _solve3(a, b, out):
    """Cramer's rule; the matrices are identity plus a positive part, so the determinant is at least one."""
    c00 = a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]
    c01 = a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]
    c02 = a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]
    det = a[0, 0] * c00 + a[0, 1] * c01 + a[0, 2] * c02
    out[0] = (
        b[0] * c00 + b[1] * (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2]) + b[2] * (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1])
    ) / det
    out[1] = (
        b[0] * c01 + b[1] * (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]) + b[2] * (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2])
    ) / det
    out[2] = (
        b[0] * c02 + b[1] * (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]) + b[2] * (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    ) / det


@njit(cache=True, nogil=True, error_model="numpy")
def _fitted_theta(z):
    """Weight of the end of the step for which linear decay at rate z / step is exact: 1/2 for z -> 0, 1 for large z."""
    if z < 1e-3:
        return 0.5 + z / 12
    return 1.0 / -np.expm1(-z) - 1.0 / z


@njit(cache=True, nogil=True, error_model="numpy")
def free_motion(
    first, last, chosen, steps, coriolis, gravity, euler, turn,
    cos, sin, u, v, spin, mass, inertia, area, extent, qx, qy, qw, moment_x, moment_y,
    water_mode, water_u, water_v, water_flow, water_coefficient,
    air_mode, air_relative, air_u, air_v, air_flow, air_coefficient,
    pushes, velocity, displacement, force,
):  # fmt: skip
    """Velocity and displacement of the floes chosen[first:last], each over its own step, with nothing in their way.

    All forces but Coriolis are held constant over the step, at the value of the drag for W_theta = (1 - theta) W +
    theta W+, found by Newton's method; the Coriolis turn of velocity and displacement is exact. So inertial circles
    close, a steady drift stays steady, work = force . displacement adds up to the kinetic energy exactly, and
    theta (fitted to the drag's rate) keeps any step stable.

    velocity (n, 3): u, v, spin at the end. displacement (n, 3): x, y, angle. force (n, 2, 3): wind and water, x, y and
    torque. pushes (n, 3): loads and own forces, N and N m. Flows at the points are (n, 2, 75), map frame.
    """
    sums = np.empty(13)
    air = np.zeros(3)
    drag = np.zeros(3)
    air_slope = np.zeros((3, 3))
    slope = np.zeros((3, 3))
    matrix = np.empty((3, 3))
    right = np.empty(3)
    n = np.zeros(3)
    target = np.empty(3)
    at = np.empty(3)
    turn_c, turn_s = np.cos(turn), np.sin(turn)
    for place in range(first, last):
        i = chosen[place]
        step = steps[i]
        if step == 0.0:
            velocity[i, 0], velocity[i, 1], velocity[i, 2] = u[i], v[i], spin[i]
            displacement[i, :] = 0.0
            force[i, :, :] = 0.0
            continue
        f = coriolis[i] if len(coriolis) > 1 else coriolis[0]
        phase = f * step
        # e^(-i phase), phi_1, phi_2 of -i phase as (real, imaginary)
        if abs(phase) < 1e-2:
            s2 = phase * phase
            ec, es = 1 - s2 / 2 * (1 - s2 / 12 * (1 - s2 / 30)), phase * (1 - s2 / 6 * (1 - s2 / 20))
            p1r, p1i = 1 - s2 / 6 * (1 - s2 / 20), -phase / 2 * (1 - s2 / 12 * (1 - s2 / 30))
            p2r, p2i = 0.5 - s2 / 24 * (1 - s2 / 30), -phase / 6 * (1 - s2 / 20 * (1 - s2 / 42))
        else:
            ec, es = np.cos(phase), np.sin(phase)
            p1r, p1i = es / phase, -(1 - ec) / phase
            p2r, p2i = (1 - ec) / phase**2, -(phase - es) / phase**2
        m, inert = mass[i], inertia[i]
        u0, v0, w0 = u[i], v[i], spin[i]
        # pose at the middle of the step, for the frame of the points
        half = 0.5 * step * w0
        ch, sh = np.cos(half), np.sin(half)
        c, s = cos[i] * ch - sin[i] * sh, sin[i] * ch + cos[i] * sh
        air[:] = 0.0
        air_slope[:] = 0.0
        if air_mode > 0 and not air_relative:
            if air_mode == 1:
                stress = air_coefficient[i] * np.sqrt(air_u * air_u + air_v * air_v)
                air[0], air[1] = stress * air_u * area[i], stress * air_v * area[i]
                mx, my = c * moment_x[i] - s * moment_y[i], s * moment_x[i] + c * moment_y[i]
                air[2] = stress * (mx * air_v - my * air_u)
            else:
                _add_drag(
                    qx, qy, qw, air_flow, i, air_coefficient[i], 1.0, 0.0, c, s,
                    0.0, 0.0, 0.0, 2, 0.0, 0.0, sums, air, air_slope,
                )  # fmt: skip
        steady_x = pushes[i, 0] + m * gravity[0]
        steady_y = pushes[i, 1] + m * gravity[1]
        steady_t = pushes[i, 2]
        if euler:
            drag[:] = 0.0
            slope[:] = 0.0
            if water_mode > 0:
                _add_drag(
                    qx, qy, qw, water_flow, i, water_coefficient[i], turn_c, turn_s, c, s,
                    u0, v0, w0, water_mode, water_u, water_v, sums, drag, slope,
                )  # fmt: skip
            if air_mode > 0 and air_relative:
                _add_drag(
                    qx, qy, qw, air_flow, i, air_coefficient[i], 1.0, 0.0, c, s,
                    u0, v0, w0, air_mode, air_u, air_v, sums, air, air_slope,
                )  # fmt: skip
            velocity[i, 0] = u0 + step * ((air[0] + drag[0] + steady_x) / m + f * v0)
            velocity[i, 1] = v0 + step * ((air[1] + drag[1] + steady_y) / m - f * u0)
            velocity[i, 2] = w0 + step * (air[2] + drag[2] + steady_t) / inert
            # by the mean velocity, so that force . displacement is the work that the kinetic energy sees
            displacement[i, 0] = 0.5 * step * (u0 + velocity[i, 0])
            displacement[i, 1] = 0.5 * step * (v0 + velocity[i, 1])
            displacement[i, 2] = 0.5 * step * (w0 + velocity[i, 2])
        else:
            ru, rv = ec * u0 + es * v0 - u0, -es * u0 + ec * v0 - v0  # turned minus unturned
            at[0], at[1], at[2] = u0, v0, w0
            relative_air = air_mode > 0 and air_relative
            passes = 60 if water_mode > 0 or relative_air else 1
            for _ in range(passes):
                drag[:] = 0.0
                slope[:] = 0.0
                if water_mode > 0:
                    _add_drag(
                        qx, qy, qw, water_flow, i, water_coefficient[i], turn_c, turn_s, c, s,
                        at[0], at[1], at[2], water_mode, water_u, water_v, sums, drag, slope,
                    )  # fmt: skip
                if relative_air:
                    air[:] = 0.0
                    air_slope[:] = 0.0
                    _add_drag(
                        qx, qy, qw, air_flow, i, air_coefficient[i], 1.0, 0.0, c, s,
                        at[0], at[1], at[2], air_mode, air_u, air_v, sums, air, air_slope,
                    )  # fmt: skip
                    slope += air_slope
                theta = _fitted_theta(step * 0.5 * (slope[0, 0] + slope[1, 1]) / m)
                # W_theta(n) = W + theta (turned - W + step phi_1 n), and
                # n + M^-1 slope (W_theta(n) - at) = (air + drag + steady) / M
                bu, bv = u0 + theta * ru - at[0], v0 + theta * rv - at[1]
                bw = w0 - at[2]
                g = theta * step
                for row in range(3):
                    scale = 1 / m if row < 2 else 1 / inert
                    right[row] = -scale * (slope[row, 0] * bu + slope[row, 1] * bv + slope[row, 2] * bw)
                    matrix[row, 0] = scale * g * (slope[row, 0] * p1r + slope[row, 1] * p1i)
                    matrix[row, 1] = scale * g * (-slope[row, 0] * p1i + slope[row, 1] * p1r)
                    matrix[row, 2] = scale * g * slope[row, 2]
                    matrix[row, row] += 1.0
                right[0] += (air[0] + drag[0] + steady_x) / m
                right[1] += (air[1] + drag[1] + steady_y) / m
                right[2] += (air[2] + drag[2] + steady_t) / inert
                _solve3(matrix, right, n)
                target[0] = u0 + theta * ru + g * (p1r * n[0] - p1i * n[1])
                target[1] = v0 + theta * rv + g * (p1i * n[0] + p1r * n[1])
                target[2] = w0 + g * n[2]
                change = abs(target[0] - at[0]) + abs(target[1] - at[1]) + extent[i] * abs(target[2] - at[2])
                if relative_air:  # what the air gave at W_theta, for its share of the work
                    for row in range(3):
                        for k in range(3):
                            air[row] -= air_slope[row, k] * (target[k] - at[k])
                at[:] = target
                # Newton's remainder is quadratic in the change: what it leaves in the velocity is known without another
                # look
                speed = abs(at[0]) + abs(at[1]) + extent[i] * abs(at[2]) + change
                rate = (water_coefficient[i] + air_coefficient[i]) * area[i] / m
                if step * rate * change * change <= 1e-10 * speed:
                    break
            velocity[i, 0] = u0 + ru + step * (p1r * n[0] - p1i * n[1])
            velocity[i, 1] = v0 + rv + step * (p1i * n[0] + p1r * n[1])
            velocity[i, 2] = w0 + step * n[2]
            displacement[i, 0] = step * (p1r * u0 - p1i * v0 + step * (p2r * n[0] - p2i * n[1]))
            displacement[i, 1] = step * (p1i * u0 + p1r * v0 + step * (p2i * n[0] + p2r * n[1]))
            displacement[i, 2] = step * (w0 + 0.5 * step * n[2])
            drag[0] = m * n[0] - air[0] - steady_x
            drag[1] = m * n[1] - air[1] - steady_y
            drag[2] = inert * n[2] - air[2] - steady_t
        for k in range(3):
            force[i, 0, k], force[i, 1, k] = air[k], drag[k]
