"""Functions of one angle or rate that a flight takes, by series where a call of the library would cost more, and the inverse of
its three equations."""

import math

import numpy as np

from banquise.jit import bare_inline, bare_inner

# coefficients of series: a division costs ten products
_6TH, _12TH, _24TH, _120TH, _720TH, _5040TH, _30240TH = 1 / 6, 1 / 12, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 30240
_C8, _C10, _C12, _C14, _C16 = (1 / math.factorial(k) for k in (8, 10, 12, 14, 16))
_S9, _S11, _S13, _S15 = (1 / math.factorial(k) for k in (9, 11, 13, 15))
# pi / 2 in parts of 33, 33 and 53 bits
_QUARTERS = 2 / math.pi
_TURN_1, _TURN_2, _TURN_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
WEAK = 0.1  # drag over a step up to which theta has a series


@bare_inline
def theta_of_weak(z):
    """`fitted_theta` for weak drag; the next term is below round-off."""
    return 0.5 + z * (_12TH - z * z * (_720TH - z * z * _30240TH))


@bare_inner
def fitted_theta(z):
    """Weight of the end of the step for which linear decay at rate z / step is exact: 1/2 for z -> 0, 1 for large z."""
    if z < WEAK:
        return theta_of_weak(z)
    return 1.0 / -np.expm1(-z) - 1.0 / z


@bare_inline
def cos_sin(angle):
    """Cosine and sine together, to the last digit or one off it: Taylor's series about the nearest quarter turn.

    Two calls of the library take three times as long. Beyond a hundred thousand turns it is asked all the same: there the
    quarter turns that are taken off would need more digits.
    """
    if not abs(angle) < 6e5:
        return np.cos(angle), np.sin(angle)
    quarter = np.floor(angle * _QUARTERS + 0.5)
    # a quarter turn in three parts, the first two short enough for their products to be exact
    x = ((angle - quarter * _TURN_1) - quarter * _TURN_2) - quarter * _TURN_3
    q = x * x
    s = x - x * q * (_6TH - q * (_120TH - q * (_5040TH - q * (_S9 - q * (_S11 - q * (_S13 - q * _S15))))))
    c = 1.0 - q * (0.5 - q * (_24TH - q * (_720TH - q * (_C8 - q * (_C10 - q * (_C12 - q * (_C14 - q * _C16)))))))
    turn = int(quarter) & 3
    if turn == 0:
        return c, s
    if turn == 1:
        return -s, c
    if turn == 2:
        return -c, -s
    return s, -c


@bare_inline
def turn(angle):
    """Cosine and sine, by series where the angle is small, as it is over most steps."""
    if abs(angle) > 0.03:
        return np.cos(angle), np.sin(angle)
    s = angle * angle
    return 1 - s * (0.5 - s * (_24TH - s * _720TH)), angle * (1 - s * (_6TH - s * (_120TH - s * _5040TH)))


@bare_inline
def turn_means(phase):
    """e^(-i phase) and phi_1, phi_2 of -i phase, each as real and imaginary part (minus, for the first)."""
    if abs(phase) < 1e-2:
        s2 = phase * phase
        p1r, half = 1 - s2 * (_6TH - s2 * _120TH), 0.5 - s2 * (_24TH - s2 * _720TH)
        sixth = _6TH - s2 * (_120TH - s2 * _5040TH)
        return 1 - s2 * half, phase * p1r, p1r, -phase * half, half, -phase * sixth
    ec, es = np.cos(phase), np.sin(phase)
    return ec, es, es / phase, -(1 - ec) / phase, (1 - ec) / phase**2, -(phase - es) / phase**2


@bare_inline
def inverse_of(s0, s1, s2, s3, s4, s5, s6, s7, s8, over_mass, over_inertia, g, p1r, p1i):
    """Inverse of 1 + g M^-1 slope phi_1, by Cramer's rule: identity plus a positive part, so the determinant is at
    least one."""
    gm, gi = g * over_mass, g * over_inertia
    a00 = 1 + gm * (s0 * p1r + s1 * p1i)
    a01 = gm * (s1 * p1r - s0 * p1i)
    a02 = gm * s2
    a10 = gm * (s3 * p1r + s4 * p1i)
    a11 = 1 + gm * (s4 * p1r - s3 * p1i)
    a12 = gm * s5
    a20 = gi * (s6 * p1r + s7 * p1i)
    a21 = gi * (s7 * p1r - s6 * p1i)
    a22 = 1 + gi * s8
    c00, c01, c02 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    d = 1.0 / (a00 * c00 + a01 * c01 + a02 * c02)
    return (
        d * c00, d * (a02 * a21 - a01 * a22), d * (a01 * a12 - a02 * a11),
        d * c01, d * (a00 * a22 - a02 * a20), d * (a02 * a10 - a00 * a12),
        d * c02, d * (a01 * a20 - a00 * a21), d * (a00 * a11 - a01 * a10),
    )  # fmt: skip
