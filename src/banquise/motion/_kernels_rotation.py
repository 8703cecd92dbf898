# mypy: ignore-errors
"""Rotation of many bodies over one step. Quaternions are w, x, y, z; spin and torque come and go in the world frame."""

import numpy as np

from banquise.jit import inner, kernel

EXPLICIT, HUGHES_WINGET, MIDPOINT = 0, 1, 2


@inner
def matrix(q, r):
    """Rotation matrix of a unit quaternion, body axes to world."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    r[0, 0], r[0, 1], r[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    r[1, 0], r[1, 1], r[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    r[2, 0], r[2, 1], r[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@inner
def times(m, v, out):
    """out = m v."""
    for r in range(3):
        out[r] = m[r, 0] * v[0] + m[r, 1] * v[1] + m[r, 2] * v[2]


@inner
def back(m, v, out):
    """out = m^T v."""
    for r in range(3):
        out[r] = m[0, r] * v[0] + m[1, r] * v[1] + m[2, r] * v[2]


@inner
def cross(a, b, out):
    """out = a x b."""
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def solve3(m, b, x):
    """x with m x = b, by Cramer's rule."""
    c0 = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    c1 = m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]
    c2 = m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]
    det = m[0, 0] * c0 + m[0, 1] * c1 + m[0, 2] * c2
    x0 = b[0] * c0 + m[0, 1] * (m[1, 2] * b[2] - b[1] * m[2, 2]) + m[0, 2] * (b[1] * m[2, 1] - m[1, 1] * b[2])
    x1 = m[0, 0] * (b[1] * m[2, 2] - m[1, 2] * b[2]) + b[0] * c1 + m[0, 2] * (m[1, 0] * b[2] - b[1] * m[2, 0])
    x2 = m[0, 0] * (m[1, 1] * b[2] - b[1] * m[2, 1]) + m[0, 1] * (b[1] * m[2, 0] - m[1, 0] * b[2]) + b[0] * c2
    x[0], x[1], x[2] = x0 / det, x1 / det, x2 / det


@inner
def middle_spin(inertia, spin, torque, h, mid, a, b, c, slope):
    """Spin at mid-step of the implicit midpoint rule, body frame, by Newton's method from the spin at the start.

    2 I (m - spin) + h m x I m = h X, X = torque - h/2 m x torque: that X makes the world angular momentum change
    by exactly h times the torque.
    """
    mid[0], mid[1], mid[2] = spin[0], spin[1], spin[2]
    for _ in range(30):
        times(inertia, mid, a)  # I m
        cross(mid, a, b)  # m x I m
        cross(mid, torque, c)
        size, wrong = 0.0, 0.0
        for r in range(3):
            lag = 0.0
            for k in range(3):
                lag += inertia[r, k] * (mid[k] - spin[k])
            c[r] = -(2.0 * lag + h * b[r] - h * torque[r] + 0.5 * h * h * c[r])
        # d(m x I m) = dm x I m + m x I dm
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for r in range(3):
                slope[r, k] = 2.0 * inertia[r, k]
            slope[i, k] -= h * a[j] + 0.5 * h * h * torque[j]
            slope[j, k] += h * a[i] + 0.5 * h * h * torque[i]
            b[0], b[1], b[2] = inertia[0, k], inertia[1, k], inertia[2, k]
            slope[0, k] += h * (mid[1] * b[2] - mid[2] * b[1])
            slope[1, k] += h * (mid[2] * b[0] - mid[0] * b[2])
            slope[2, k] += h * (mid[0] * b[1] - mid[1] * b[0])
        solve3(slope, c, b)
        for r in range(3):
            mid[r] += b[r]
            wrong = max(wrong, abs(b[r]))
            size = max(size, abs(mid[r]))
        if wrong <= 4e-16 * size:
            return True
    return wrong <= 1e-12 * size


@inner
def turn_by_cayley(q, vector):
    """Turn quaternion q, in place, by the Cayley map of a rotation vector in the body frame: exactly (1, vector /
    2).
    """
    x, y, z = 0.5 * vector[0], 0.5 * vector[1], 0.5 * vector[2]
    w0, x0, y0, z0 = q[0], q[1], q[2], q[3]
    w1 = w0 - x0 * x - y0 * y - z0 * z
    x1 = x0 + w0 * x + y0 * z - z0 * y
    y1 = y0 + w0 * y + z0 * x - x0 * z
    z1 = z0 + w0 * z + x0 * y - y0 * x
    size = 1.0 / np.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    q[0], q[1], q[2], q[3] = w1 * size, x1 * size, y1 * size, z1 * size


@inner
def turn_by_columns(q, r, spin, h):
    """Move each body axis by h spin x axis (world), make them orthonormal again in turn, and read q off."""
    e = np.empty((3, 3))
    for k in range(3):
        for i in range(3):
            m, n = (i + 1) % 3, (i + 2) % 3
            e[k, i] = r[i, k] + h * (spin[m] * r[n, k] - spin[n] * r[m, k])
        for j in range(k):
            along = e[k, 0] * e[j, 0] + e[k, 1] * e[j, 1] + e[k, 2] * e[j, 2]
            for i in range(3):
                e[k, i] -= along * e[j, i]
        size = np.sqrt(e[k, 0] ** 2 + e[k, 1] ** 2 + e[k, 2] ** 2)
        for i in range(3):
            e[k, i] /= size
    # e[k, i] = R[i, k]. The largest of the four squares keeps the quaternion accurate.
    w, x = 1 + e[0, 0] + e[1, 1] + e[2, 2], 1 + e[0, 0] - e[1, 1] - e[2, 2]
    y, z = 1 - e[0, 0] + e[1, 1] - e[2, 2], 1 - e[0, 0] - e[1, 1] + e[2, 2]
    if w >= x and w >= y and w >= z:
        q0, q1, q2, q3 = w, e[1, 2] - e[2, 1], e[2, 0] - e[0, 2], e[0, 1] - e[1, 0]
    elif x >= y and x >= z:
        q0, q1, q2, q3 = e[1, 2] - e[2, 1], x, e[0, 1] + e[1, 0], e[2, 0] + e[0, 2]
    elif y >= z:
        q0, q1, q2, q3 = e[2, 0] - e[0, 2], e[0, 1] + e[1, 0], y, e[1, 2] + e[2, 1]
    else:
        q0, q1, q2, q3 = e[0, 1] - e[1, 0], e[2, 0] + e[0, 2], e[1, 2] + e[2, 1], z
    sign = 1.0 if q0 * q[0] + q1 * q[1] + q2 * q[2] + q3 * q[3] >= 0.0 else -1.0  # stay on the same sheet
    size = sign / np.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    q[0], q[1], q[2], q[3] = q0 * size, q1 * size, q2 * size, q3 * size


@kernel
def advance(first, last, method, implicit, h, inertia, torque, orientation, spin, failed):
    """Turn bodies first..last over a step h under torques (n, 3); orientation (n, 4) and spin (n, 3) change in
    place.
    """
    r, slope = np.empty((3, 3)), np.empty((3, 3))
    body, pull, mid, new = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    a, b, c = np.empty(3), np.empty(3), np.empty(3)
    for n in range(first, last):
        matrix(orientation[n], r)
        back(r, spin[n], body)
        back(r, torque[n], pull)
        failed[n] = False
        if implicit:
            failed[n] = not middle_spin(inertia[n], body, pull, h, mid, a, b, c, slope)
            for k in range(3):
                new[k] = 2.0 * mid[k] - body[k]
        else:
            times(inertia[n], body, a)
            cross(body, a, b)
            for k in range(3):
                c[k] = pull[k] - b[k]
            solve3(inertia[n], c, a)
            for k in range(3):
                new[k] = body[k] + h * a[k]
                mid[k] = 0.5 * (new[k] + body[k])
        if method == EXPLICIT:
            times(r, mid, a)
            turn_by_columns(orientation[n], r, a, h)
        else:
            for k in range(3):
                a[k] = h * mid[k]
            turn_by_cayley(orientation[n], a)
        matrix(orientation[n], r)
        times(r, new, b)
        spin[n, 0], spin[n, 1], spin[n, 2] = b[0], b[1], b[2]
