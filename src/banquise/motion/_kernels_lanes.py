"""Free flight in a uniform flow, sixteen floes at a time: one instruction of the processor serves several of them at once.

A floe has a lane: number k of a block is at g[COLUMN + k]. Loops over lanes run over all of them, also where a short block
has left some as they were: so a floe goes through the same instructions wherever a thread's share begins, and comes out the
same to the last bit. The scratch is one flat array and columns are written out as numbers: only
so does the compiler see that they do not overlap. (Floe by floe, what is not the sum over points took three fifths of the time.)
"""

from banquise.jit import bare_inline
from banquise.motion._kernels_drag import coarse_forces, uniform_forces
from banquise.motion._kernels_series import WEAK, fitted_theta, inverse_of, theta_of_weak, turn, turn_means

LANES = 16
COLUMNS = 72
ROOM = COLUMNS * LANES  # numbers of scratch
TOLERANCE = 1e-10  # of the speed: what the solution of a step may leave
SLOW = 0.03  # how much of an error a pass may leave, for one or two to be enough
# pose in the middle of the step; start; forces that do not depend on the velocity, without and with the air's (frame of the floe)
_C, _S, _U, _V, _W, _PX, _PY, _PT, _AX, _AY, _AT, _X, _Y, _T = (LANES * k for k in range(14))
# the turn by Coriolis, the floe, the water in its frame
_EC, _ES, _P1R, _P1I, _P2R, _P2I, _STEP, _MASS, _INERTIA, _OVER_M, _OVER_I, _EXTENT = (LANES * k for k in range(14, 26))
_AREA, _OX, _OY, _CXX, _CXY, _CYY, _WATER_U, _WATER_V, _KC, _KS, _RATE = (LANES * k for k in range(26, 37))
# derivatives of the drag, and the inverse of the equations they make
_S0, _S1, _S2, _S3, _S4, _S5, _S6, _S7, _S8 = (LANES * k for k in range(37, 46))
_I0, _I1, _I2, _I3, _I4, _I5, _I6, _I7, _I8 = (LANES * k for k in range(46, 55))
# forces; velocity at which they are taken; start of the way there, theta times the step, its length; accelerations
_FX, _FY, _FT, _FR, _AU, _AV, _AW, _BU, _BV, _H, _WAY, _OUT_BY = (LANES * k for k in range(55, 67))
_N0, _N1, _N2, _Z, FOUND = (LANES * k for k in range(67, 72))
_NO, _YET, YES = -1.0, 0.0, 1.0  # FOUND: whether this way leads to the accelerations


@bare_inline
def _slopes(g, k):
    """Force of the water at the start of the step and its derivatives, from the spread of the points alone."""
    fx, fy, ft, fr, saa, sab, sbb, saw, sbw, sww, ra, rb, rw, out_by = coarse_forces(
        g[_AREA + k], g[_OX + k], g[_OY + k], g[_CXX + k], g[_CXY + k], g[_CYY + k], g[_WATER_U + k] - g[_U + k],
        g[_WATER_V + k] - g[_V + k], g[_W + k],
    )  # fmt: skip
    kc, ks = g[_KC + k], g[_KS + k]
    s0, s4 = kc * saa - ks * sab, ks * sab + kc * sbb
    g[_S0 + k], g[_S1 + k], g[_S2 + k] = s0, kc * sab - ks * sbb, ks * sbw - kc * saw
    g[_S3 + k], g[_S4 + k], g[_S5 + k] = ks * saa + kc * sab, s4, -(ks * saw + kc * sbw)
    g[_S6 + k], g[_S7 + k], g[_S8 + k] = ks * ra - kc * saw, ks * rb - kc * sbw, -(kc * sww + ks * rw)
    g[_FX + k], g[_FY + k], g[_FT + k] = kc * fx - ks * fy, ks * fx + kc * fy, kc * ft + ks * fr
    g[_OUT_BY + k] = out_by
    g[_Z + k] = g[_STEP + k] * 0.5 * (s0 + s4) * g[_OVER_M + k]
    g[_H + k] = theta_of_weak(g[_Z + k])


@bare_inline
def _guess(g, k):
    """The first guess of the velocity at which the drag of the step is taken (see `_accelerations`)."""
    u0, v0, w0, theta = g[_U + k], g[_V + k], g[_W + k], g[_H + k]
    over_mass, over_inertia, p1r, p1i = g[_OVER_M + k], g[_OVER_I + k], g[_P1R + k], g[_P1I + k]
    h = theta * g[_STEP + k]
    i0, i1, i2, i3, i4, i5, i6, i7, i8 = inverse_of(
        g[_S0 + k], g[_S1 + k], g[_S2 + k], g[_S3 + k], g[_S4 + k], g[_S5 + k], g[_S6 + k], g[_S7 + k], g[_S8 + k],
        over_mass, over_inertia, h, p1r, p1i,
    )  # fmt: skip
    bu = theta * ((g[_EC + k] - 1.0) * u0 + g[_ES + k] * v0)
    bv = theta * ((g[_EC + k] - 1.0) * v0 - g[_ES + k] * u0)
    r0 = over_mass * (g[_FX + k] + g[_X + k] - g[_S0 + k] * bu - g[_S1 + k] * bv)
    r1 = over_mass * (g[_FY + k] + g[_Y + k] - g[_S3 + k] * bu - g[_S4 + k] * bv)
    r2 = over_inertia * (g[_FT + k] + g[_T + k] - g[_S6 + k] * bu - g[_S7 + k] * bv)
    n0, n1, n2 = i0 * r0 + i1 * r1 + i2 * r2, i3 * r0 + i4 * r1 + i5 * r2, i6 * r0 + i7 * r1 + i8 * r2
    du, dv, dw = bu + h * (p1r * n0 - p1i * n1), bv + h * (p1i * n0 + p1r * n1), h * n2
    g[_I0 + k], g[_I1 + k], g[_I2 + k], g[_I3 + k], g[_I4 + k] = i0, i1, i2, i3, i4
    g[_I5 + k], g[_I6 + k], g[_I7 + k], g[_I8 + k] = i5, i6, i7, i8
    g[_AU + k], g[_AV + k], g[_AW + k] = u0 + du, v0 + dv, w0 + dw
    g[_BU + k], g[_BV + k], g[_H + k] = u0 + bu, v0 + bv, h
    way = abs(du) + abs(dv) + g[_EXTENT + k] * abs(dw)
    g[_WAY + k] = way
    g[FOUND + k] = _YET if g[_RATE + k] * (way + g[_OUT_BY + k]) < SLOW and g[_STEP + k] > 0.0 else _NO


@bare_inline
def _improve(g, k):
    """Accelerations from the forces at the points, and whether they are near enough; lanes that are done stay as they are."""
    fx, fy, ft, fr, kc, ks = g[_FX + k], g[_FY + k], g[_FT + k], g[_FR + k], g[_KC + k], g[_KS + k]
    au, av, aw, h, way = g[_AU + k], g[_AV + k], g[_AW + k], g[_H + k], g[_WAY + k]
    p1r, p1i, extent, rate = g[_P1R + k], g[_P1I + k], g[_EXTENT + k], g[_RATE + k]
    bu, bv, bw = g[_BU + k] - au, g[_BV + k] - av, g[_W + k] - aw
    r0 = g[_OVER_M + k] * (
        kc * fx - ks * fy + g[_X + k] - g[_S0 + k] * bu - g[_S1 + k] * bv - g[_S2 + k] * bw
    )  # fmt: skip
    r1 = g[_OVER_M + k] * (
        ks * fx + kc * fy + g[_Y + k] - g[_S3 + k] * bu - g[_S4 + k] * bv - g[_S5 + k] * bw
    )  # fmt: skip
    r2 = g[_OVER_I + k] * (
        kc * ft + ks * fr + g[_T + k] - g[_S6 + k] * bu - g[_S7 + k] * bv - g[_S8 + k] * bw
    )  # fmt: skip
    n0 = g[_I0 + k] * r0 + g[_I1 + k] * r1 + g[_I2 + k] * r2
    n1 = g[_I3 + k] * r0 + g[_I4 + k] * r1 + g[_I5 + k] * r2
    n2 = g[_I6 + k] * r0 + g[_I7 + k] * r1 + g[_I8 + k] * r2
    du, dv, dw = bu + h * (p1r * n0 - p1i * n1), bv + h * (p1i * n0 + p1r * n1), bw + h * n2
    change = abs(du) + abs(dv) + extent * abs(dw)
    speed = abs(au + du) + abs(av + dv) + extent * abs(aw + dw) + change
    near = rate * (3.0 * way + change + g[_OUT_BY + k]) * change <= TOLERANCE * speed
    due = g[FOUND + k] == _YET
    g[_N0 + k] = n0 if due else g[_N0 + k]
    g[_N1 + k] = n1 if due else g[_N1 + k]
    g[_N2 + k] = n2 if due else g[_N2 + k]
    g[_AU + k], g[_AV + k], g[_AW + k], g[_WAY + k] = au + du, av + dv, aw + dw, way + change
    g[FOUND + k] = (YES if near else _YET) if due else g[FOUND + k]


@bare_inline
def _finish(g, k):
    """Velocity, displacement and the water's force from the accelerations, and how far all that goes, in columns free by now."""
    c, s, step, w0 = g[_C + k], g[_S + k], g[_STEP + k], g[_W + k]
    u0, v0 = c * g[_U + k] - s * g[_V + k], s * g[_U + k] + c * g[_V + k]
    ec, es, p1r, p1i, p2r, p2i = g[_EC + k], g[_ES + k], g[_P1R + k], g[_P1I + k], g[_P2R + k], g[_P2I + k]
    nx, ny, n2 = c * g[_N0 + k] - s * g[_N1 + k], s * g[_N0 + k] + c * g[_N1 + k], g[_N2 + k]
    ux, uy = ec * u0 + es * v0 + step * (p1r * nx - p1i * ny), ec * v0 - es * u0 + step * (p1i * nx + p1r * ny)
    dx = step * (p1r * u0 - p1i * v0 + step * (p2r * nx - p2i * ny))
    dy = step * (p1i * u0 + p1r * v0 + step * (p2i * nx + p2r * ny))
    w, angle = w0 + step * n2, step * (w0 + 0.5 * step * n2)
    g[_AU + k], g[_AV + k], g[_AW + k], g[_S0 + k], g[_S1 + k], g[_S2 + k] = ux, uy, w, dx, dy, angle
    # the water's force is what is left of the acceleration: so the work adds up
    g[_FX + k] = g[_MASS + k] * nx - g[_AX + k] - g[_PX + k]
    g[_FY + k] = g[_MASS + k] * ny - g[_AY + k] - g[_PY + k]
    g[_FT + k] = g[_INERTIA + k] * n2 - g[_AT + k] - g[_PT + k]
    # NaN is beyond all; a velocity beyond shows in the displacement, unless the step is far below a second
    g[_WAY + k] = abs(dx) + abs(dy) + abs(angle) + abs(ux) + abs(uy) + abs(w)


@bare_inline
def _place(g, k, air, air_u, air_v, water_u, water_v):
    """Pose, start, air and water in the frame of the floe; from the half turn, in the columns of slopes, and the map."""
    ch, sh, c0, s0 = g[_S0 + k], g[_S1 + k], g[_S2 + k], g[_S3 + k]
    c, s = c0 * ch - s0 * sh, s0 * ch + c0 * sh  # pose in the middle of the step
    u0, v0, m, area = g[_U + k], g[_V + k], g[_MASS + k], g[_AREA + k]
    g[_C + k], g[_S + k], g[_U + k], g[_V + k] = c, s, c * u0 + s * v0, c * v0 - s * u0
    stress, moment_x, moment_y = air * g[_S4 + k], g[_OX + k], g[_OY + k]
    ax, ay = stress * air_u * area, stress * air_v * area
    at = stress * (moment_x * (c * air_v - s * air_u) - moment_y * (c * air_u + s * air_v))
    fx, fy = g[_PX + k] + ax, g[_PY + k] + ay
    g[_AX + k], g[_AY + k], g[_AT + k] = ax, ay, at
    g[_X + k], g[_Y + k], g[_T + k] = c * fx + s * fy, c * fy - s * fx, g[_PT + k] + at
    over_area, over_mass = 1.0 / area, 1.0 / m
    g[_OX + k], g[_OY + k], g[_OVER_M + k], g[_OVER_I + k] = (
        over_area * moment_x, over_area * moment_y, over_mass, 1.0 / g[_INERTIA + k],
    )  # fmt: skip
    g[_WATER_U + k], g[_WATER_V + k] = c * water_u + s * water_v, c * water_v - s * water_u
    g[_RATE + k] = g[_STEP + k] * over_mass * area * g[_RATE + k]


@bare_inline
def fly_together(
    begin, end, rows, steps, coriolis, gravity, turn_c, turn_s, cos, sin, u, v, spin, mass, inertia, area, extent, qx, qy, qw,
    moment_x, moment_y, spread, air, air_u, air_v, air_drag, water_u, water_v, water_density, water_drag, pushes, farthest, g,
    velocity, displacement, forces, lost,
):  # fmt: skip
    """The floes rows[begin:end], at most LANES, in uniform water: g[FOUND + k] is YES for those that are done.

    air: its density times its speed. lost: the first floe whose motion is not sane so far, -1; so is what is returned.
    """
    lanes = len(g) // COLUMNS  # written out as sixteen, loops are unrolled and no longer serve several floes at once
    phase = 0.0
    ec, es, p1r, p1i, p2r, p2i = turn_means(phase)
    for k in range(end - begin):
        i = rows[begin + k]
        step, m = steps[i], mass[i]
        f = coriolis[i] if len(coriolis) > 1 else coriolis[0]
        if f * step != phase:
            phase = f * step
            ec, es, p1r, p1i, p2r, p2i = turn_means(phase)
        g[_EC + k], g[_ES + k], g[_P1R + k], g[_P1I + k], g[_P2R + k], g[_P2I + k] = ec, es, p1r, p1i, p2r, p2i
        g[_S0 + k], g[_S1 + k] = turn(0.5 * step * spin[i])
        g[_S2 + k], g[_S3 + k], g[_S4 + k] = cos[i], sin[i], air_drag[i]
        g[_STEP + k], g[_MASS + k], g[_INERTIA + k], g[_EXTENT + k] = step, m, inertia[i], extent[i]
        g[_U + k], g[_V + k], g[_W + k] = u[i], v[i], spin[i]
        g[_PX + k], g[_PY + k] = pushes[i, 0] + m * gravity[0], pushes[i, 1] + m * gravity[1]
        g[_PT + k], g[_AREA + k], g[_OX + k], g[_OY + k] = pushes[i, 2], area[i], moment_x[i], moment_y[i]
        g[_CXX + k], g[_CXY + k], g[_CYY + k] = spread[i, 0], spread[i, 1], spread[i, 2]
        drag = water_density * water_drag[i]
        g[_RATE + k], g[_KC + k], g[_KS + k] = drag, drag * turn_c, drag * turn_s
    for k in range(lanes):
        _place(g, k, air, air_u, air_v, water_u, water_v)
    for k in range(lanes):
        _slopes(g, k)
    for k in range(lanes):
        if g[_Z + k] >= WEAK:
            g[_H + k] = fitted_theta(g[_Z + k])
    for k in range(lanes):
        _guess(g, k)
    for _ in range(2):
        left = 0
        for k in range(end - begin):
            if g[FOUND + k] == _YET:
                g[_FX + k], g[_FY + k], g[_FT + k], g[_FR + k] = uniform_forces(
                    rows[begin + k], qx, qy, qw, g[_WATER_U + k] - g[_AU + k], g[_WATER_V + k] - g[_AV + k], g[_AW + k]
                )
                left += 1
        if left == 0:
            break
        for k in range(lanes):
            _improve(g, k)
    for k in range(lanes):
        _finish(g, k)
    for k in range(end - begin):
        if g[FOUND + k] != YES:
            continue
        i = rows[begin + k]
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = g[_AU + k], g[_AV + k], g[_AW + k]
        displacement[i, 0], displacement[i, 1], displacement[i, 2] = g[_S0 + k], g[_S1 + k], g[_S2 + k]
        forces[i, 0, 0], forces[i, 0, 1], forces[i, 0, 2] = g[_AX + k], g[_AY + k], g[_AT + k]
        forces[i, 1, 0], forces[i, 1, 1], forces[i, 1, 2] = g[_FX + k], g[_FY + k], g[_FT + k]
        if lost < 0 and not g[_WAY + k] < farthest:
            lost = i
    return lost
