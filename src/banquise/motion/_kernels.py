"""Free flight of floes: drag at the quadrature points, solved implicitly with an exact Coriolis turn.

All of a floe's step is done in its own frame in the middle of the step, so that no point is ever turned.
"""

import numpy as np

from banquise.jit import bare_inline, bare_inner, bare_kernel, bare_loose_inner

_TINY = 1e-150
# coefficients of series: a division costs ten products
_6TH, _12TH, _24TH, _120TH, _720TH, _5040TH, _30240TH = 1 / 6, 1 / 12, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 30240
_TOLERANCE = 1e-10  # of the speed: what the solution of a step may leave
_COARSE, _FORCES, _SLOPES = 0, 1, 2  # what `_drags` works out, and from what
# columns of a fluid in the frame of a floe
_ACTS, _U, _V, _COEFFICIENT, _COS, _SIN = range(6)


# Sums may be reordered for SIMD: each floe is summed by one thread, so the bits do not depend on their number
@bare_loose_inner
def _forces(qx, qy, qw, flow, a, b, w, out):
    """Sums over the points of |r| r, its moment and its radial part, r = (a + w y, b - w x) + flow; out = Fx, Fy, T, R."""
    fx = fy = t = r = 0.0
    u, v = flow[0], flow[1]
    for k in range(len(qx)):
        x, y = qx[k], qy[k]
        p = a + w * y + u[k]
        q = b - w * x + v[k]
        g = qw[k] * np.sqrt(p * p + q * q)
        gp, gq = g * p, g * q
        fx += gp
        fy += gq
        t += x * gq - y * gp
        r += x * gp + y * gq
    out[0], out[1], out[2], out[3] = fx, fy, t, r


@bare_loose_inner
def _forces_and_slopes(qx, qy, qw, flow, a, b, w, out):
    """As `_forces`, with the derivatives with respect to (a, b, w): three times the work.

    out = Fx, Fy, T, R, then the symmetric derivatives Faa, Fab, Fbb, Faw, Fbw, Tww, and Ra, Rb, Rw, which only a
    turning angle needs.
    """
    fx = fy = t = r = 0.0
    saa = sab = sbb = saw = sbw = sww = 0.0
    ra = rb = rw = 0.0
    u, v = flow[0], flow[1]
    for k in range(len(qx)):
        x, y, weight = qx[k], qy[k], qw[k]
        p = a + w * y + u[k]
        q = b - w * x + v[k]
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


@bare_loose_inner
def _coarse(area, ox, oy, cxx, cxy, cyy, a, b, w, out):
    """What `_forces_and_slopes` gives in a uniform flow, from area, centre and spread of the points alone.

    Second order in e = w size / |flow at the centre|, and of the right size where e is large: |flow| is taken as the
    root mean square s over the points. Returns how far the slopes may be out, as a speed.
    """
    p, q = a + w * oy, b - w * ox
    epp, epq, eqq = w * cyy, -w * cxy, w * cxx  # spread of the points' own velocity, over w
    turning = w * (epp + eqq)
    square = p * p + q * q
    inverse = 1.0 / np.sqrt(square + turning + _TINY)
    s = (square + turning) * inverse
    ep, eq = epp * p + epq * q, epq * p + eqq * q
    along = 0.5 * (p * ep + q * eq) * inverse * inverse
    # what the spread adds to the force, over w; s holds half of its trace already
    gp, gq = (ep - along * p) * inverse, (eq - along * q) * inverse
    jpp, jpq, jqq = s + p * p * inverse, p * q * inverse, s + q * q * inverse
    fx, fy = area * (s * p + w * gp), area * (s * q + w * gq)
    half = 0.5 * (epp + eqq) * inverse
    out[0], out[1] = fx, fy
    out[2] = ox * fy - oy * fx - area * w * (jqq * cxx - 2 * jpq * cxy + jpp * cyy)
    out[3] = ox * fx + oy * fy + area * w * ((jpp - jqq) * cxy + jpq * (cyy - cxx))
    jpp, jpq, jqq = jpp + w * epp * inverse, jpq + w * epq * inverse, jqq + w * eqq * inverse
    out[4], out[5], out[6] = area * jpp, area * jpq, area * jqq
    out[7] = area * (jpp * oy - jpq * ox + 2 * (half * p + gp))
    out[8] = area * (jpq * oy - jqq * ox + 2 * (half * q + gq))
    mxx, mxy, myy = cxx + ox * ox, cxy + ox * oy, cyy + oy * oy
    out[9] = -area * (jqq * mxx - 2 * jpq * mxy + jpp * myy)
    out[10], out[11] = area * (ox * jpp + oy * jpq), area * (ox * jpq + oy * jqq)
    out[12] = area * ((jpp - jqq) * mxy + jpq * (myy - mxx))
    return 2.0 * turning * inverse


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
            part = _coarse(
                area[i], over_area * moment_x[i], over_area * moment_y[i], spread[i, 0], spread[i, 1], spread[i, 2], a, b, w, sums
            )  # fmt: skip
            out_by = max(out_by, part)
        elif how == _FORCES:
            _forces(qx[i], qy[i], qw[i], flows[f], a, b, w, sums)
        else:
            _forces_and_slopes(qx[i], qy[i], qw[i], flows[f], a, b, w, sums)
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
def _into_frame(flow, c, s, out):
    """The flow at the points (2, 75) of the map frame in the frame of the floe."""
    u, v = flow[0], flow[1]
    for k in range(len(u)):
        out[0, k] = c * u[k] + s * v[k]
        out[1, k] = c * v[k] - s * u[k]


@bare_inner
def _fitted_theta(z):
    """Weight of the end of the step for which linear decay at rate z / step is exact: 1/2 for z -> 0, 1 for large z."""
    if z < 0.1:
        return 0.5 + z * (_12TH - z * z * (_720TH - z * z * _30240TH))  # the next term is below round-off
    return 1.0 / -np.expm1(-z) - 1.0 / z


@bare_inline
def _turn(angle):
    """Cosine and sine, by series where the angle is small, as it is over most steps."""
    if abs(angle) > 0.03:
        return np.cos(angle), np.sin(angle)
    s = angle * angle
    return 1 - s * (0.5 - s * (_24TH - s * _720TH)), angle * (1 - s * (_6TH - s * (_120TH - s * _5040TH)))


@bare_inline
def _turn_means(phase):
    """e^(-i phase) and phi_1, phi_2 of -i phase, each as real and imaginary part (minus, for the first)."""
    if abs(phase) < 1e-2:
        s2 = phase * phase
        p1r, half = 1 - s2 * (_6TH - s2 * _120TH), 0.5 - s2 * (_24TH - s2 * _720TH)
        sixth = _6TH - s2 * (_120TH - s2 * _5040TH)
        return 1 - s2 * half, phase * p1r, p1r, -phase * half, half, -phase * sixth
    ec, es = np.cos(phase), np.sin(phase)
    return ec, es, es / phase, -(1 - ec) / phase, (1 - ec) / phase**2, -(phase - es) / phase**2


@bare_inline
def _inverse(slope, over_mass, over_inertia, g, p1r, p1i, inverse):
    """Inverse of 1 + g M^-1 slope phi_1, by Cramer's rule: identity plus a positive part, so the determinant is at
    least one."""
    gm, gi = g * over_mass, g * over_inertia
    a00 = 1 + gm * (slope[0] * p1r + slope[1] * p1i)
    a01 = gm * (slope[1] * p1r - slope[0] * p1i)
    a02 = gm * slope[2]
    a10 = gm * (slope[3] * p1r + slope[4] * p1i)
    a11 = 1 + gm * (slope[4] * p1r - slope[3] * p1i)
    a12 = gm * slope[5]
    a20 = gi * (slope[6] * p1r + slope[7] * p1i)
    a21 = gi * (slope[7] * p1r - slope[6] * p1i)
    a22 = 1 + gi * slope[8]
    c00, c01, c02 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    d = 1.0 / (a00 * c00 + a01 * c01 + a02 * c02)
    inverse[0], inverse[1], inverse[2] = d * c00, d * (a02 * a21 - a01 * a22), d * (a01 * a12 - a02 * a11)
    inverse[3], inverse[4], inverse[5] = d * c01, d * (a00 * a22 - a02 * a20), d * (a02 * a10 - a00 * a12)
    inverse[6], inverse[7], inverse[8] = d * c02, d * (a01 * a20 - a00 * a21), d * (a00 * a11 - a01 * a10)


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
            theta = _fitted_theta(step * 0.5 * (total[0] + total[4]) * over_mass)
            _inverse(total, over_mass, over_inertia, theta * step, p1r, p1i, inverse)
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
        if how != _COARSE and left * change <= _TOLERANCE * speed:
            break
        how = _FORCES if left < 0.03 and count < 4 else _SLOPES
        way += change
    return n0, n1, n2


@bare_kernel
def free_motion(
    first, last, rows, steps, coriolis, gravity, euler, turn_c, turn_s,
    cos, sin, u, v, spin, mass, inertia, area, extent, qx, qy, qw, moment_x, moment_y, spread,
    air_mode, air_relative, air_u, air_v, air_flow, air_density, air_drag,
    water_mode, water_u, water_v, water_flow, water_density, water_drag,
    pushes, farthest, flows, scratch, velocity, displacement, forces,
):  # fmt: skip
    """Velocity and displacement of the floes rows[first:last], each over its own step, with nothing in their way.

    All forces but Coriolis are held constant over the step, at the value of the drag for W_theta = (1 - theta) W +
    theta W+; the Coriolis turn of velocity and displacement is exact. So inertial circles close, a steady drift stays
    steady, work = force . displacement adds up to the kinetic energy exactly, and theta (fitted to the drag's rate)
    keeps any step stable.

    velocity (n, 3): u, v, spin at the end. displacement (n, 3): x, y, angle. forces (n, 2, 3): wind and water, x, y and
    torque. pushes (n, 3): loads and own forces, N and N m. Flows at the points are (n, 2, 75), map frame. Coriolis: one
    f for all, or one a floe. `flows` (2, 2, 75) and `scratch` (9, 13), zero at first, are this thread's own.
    Returns the first floe whose motion is not finite or beyond `farthest`, -1 if all are sane.
    """
    fluids, force, slope, sums, inverse = scratch[0:2], scratch[2:4], scratch[4:7], scratch[7], scratch[8]
    lost, phase = -1, 0.0
    ec, es, p1r, p1i, p2r, p2i = _turn_means(phase)
    for place in range(first, last):
        i = rows[place]
        step = steps[i]
        if step == 0.0:
            velocity[i, 0], velocity[i, 1], velocity[i, 2] = u[i], v[i], spin[i]
            for k in range(3):
                displacement[i, k] = forces[i, 0, k] = forces[i, 1, k] = 0.0
            continue
        m, u0, v0, w0 = mass[i], u[i], v[i], spin[i]
        ch, sh = _turn(0.5 * step * w0)
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
                _forces(qx[i], qy[i], qw[i], flows[0], 0.0, 0.0, 0.0, sums)
                for k in range(3):
                    force[0, k] = fluids[0, _COEFFICIENT] * sums[k]
            fluids[0, _ACTS] = fluids[0, _COEFFICIENT] = 0.0
        steady_x, steady_y, steady_t = pushes[i, 0] + m * gravity[0], pushes[i, 1] + m * gravity[1], pushes[i, 2]
        bx, by, bu, bv = c * steady_x + s * steady_y, c * steady_y - s * steady_x, c * u0 + s * v0, c * v0 - s * u0
        f = coriolis[i] if len(coriolis) > 1 else coriolis[0]
        if f * step != phase:
            phase = f * step
            ec, es, p1r, p1i, p2r, p2i = _turn_means(phase)
        n0, n1, n2 = _accelerations(
            euler, i, step, bu, bv, w0, bx, by, steady_t, ec, es, p1r, p1i, mass, inertia, extent,
            fluids, flows, qx, qy, qw, area, moment_x, moment_y, spread, sums, force, slope, inverse,
        )  # fmt: skip
        nx, ny = c * n0 - s * n1, s * n0 + c * n1
        if euler:
            velocity[i, 0], velocity[i, 1] = u0 + step * (nx + f * v0), v0 + step * (ny - f * u0)
            # by the mean velocity, so that force . displacement is the work that the kinetic energy sees
            displacement[i, 0] = 0.5 * step * (u0 + velocity[i, 0])
            displacement[i, 1] = 0.5 * step * (v0 + velocity[i, 1])
        else:
            velocity[i, 0] = ec * u0 + es * v0 + step * (p1r * nx - p1i * ny)
            velocity[i, 1] = ec * v0 - es * u0 + step * (p1i * nx + p1r * ny)
            displacement[i, 0] = step * (p1r * u0 - p1i * v0 + step * (p2r * nx - p2i * ny))
            displacement[i, 1] = step * (p1i * u0 + p1r * v0 + step * (p2i * nx + p2r * ny))
        velocity[i, 2] = w0 + step * n2
        displacement[i, 2] = step * (w0 + 0.5 * step * n2)
        # the water's force is what is left of the acceleration: so the work adds up
        forces[i, 0, 0], forces[i, 0, 1] = c * force[0, 0] - s * force[0, 1], s * force[0, 0] + c * force[0, 1]
        forces[i, 0, 2] = force[0, 2]
        forces[i, 1, 0] = m * nx - forces[i, 0, 0] - steady_x
        forces[i, 1, 1] = m * ny - forces[i, 0, 1] - steady_y
        forces[i, 1, 2] = inertia[i] * n2 - forces[i, 0, 2] - steady_t
        way = abs(displacement[i, 0]) + abs(displacement[i, 1]) + abs(displacement[i, 2])
        # NaN is beyond all; a velocity beyond shows in the displacement, unless the step is far below a second
        if lost < 0 and not way + abs(velocity[i, 0]) + abs(velocity[i, 1]) + abs(velocity[i, 2]) < farthest:
            lost = i
    return lost
