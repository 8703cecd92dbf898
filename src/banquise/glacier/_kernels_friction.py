"""Friction laws as curves (v(z), tau(z)), and the scalar implicit solve they share.

Every law is written in a parameter z in which both speed and stress are smooth and increasing: z = v^(1/m) for a power
law, z = v for a regularised one, z = tau / (N a) for rate-and-state. The infinite slope of a power law at rest, which
breaks Newton in v, is then an ordinary point. All laws are odd in v.
"""

# mypy: ignore-errors

import math

import numpy as np

from banquise.jit import checked_inner, njit

POWER, LINEAR_BELOW, SMOOTH, SATURATING, PEAKED, CAPPED, RATE_STATE = range(7)
COLUMNS = 6
MOST_ITERATIONS = 100


@checked_inner
def _raised(z, m):
    return z * z * z if m == 3.0 else z**m


@checked_inner
def _root(s, m):
    return np.cbrt(s) if m == 3.0 else s ** (1.0 / m)


@checked_inner
def _state_exponent(row, theta):
    # psi = (f0 + b ln(v0 theta / Dc)) / a
    return (row[3] + row[2] * math.log(row[4] * theta / row[5])) / row[1]


@njit(cache=True, nogil=True)
def parameter(code, row, theta, speed):
    """z of a speed (signed)."""
    s = abs(speed)
    if LINEAR_BELOW <= code <= SMOOTH:
        z = s
    elif code == RATE_STATE:
        z = math.asinh(s / (2.0 * row[4]) * math.exp(_state_exponent(row, theta)))
    else:
        z = _root(s, row[0])
    return z if speed >= 0.0 else -z


@checked_inner
def curve(code, row, theta, z):
    """(v, dv/dz, tau, dtau/dz) at z, for the parameters in `row`."""
    a = abs(z)
    m = row[0]
    if code == POWER:
        v, dv = _raised(a, m), m * _raised(a, m - 1.0)
        tau, dtau = row[1] * a, row[1]
    elif code == LINEAR_BELOW:  # slope C nu^(1/m - 1) below nu, continuous there
        v, dv = a, 1.0
        if a < row[2]:
            dtau = row[1] * _root(row[2], m) / row[2]
            tau = dtau * a
        else:
            tau = row[1] * _root(a, m)
            dtau = tau / (m * a)
    elif code == SMOOTH:  # C v (v^2 + nu^2)^((1/m - 1)/2)
        v, dv = a, 1.0
        square = a * a + row[2] * row[2]
        # For m = 3 the power is -1/3, and a cube root is several times cheaper than a general power.
        factor = row[1] / np.cbrt(square) if m == 3.0 else row[1] * square ** (0.5 / m - 0.5)
        tau = factor * a
        dtau = factor * (1.0 + (1.0 / m - 1.0) * a * a / square)
    elif code == SATURATING:  # A v^(1/m) / (1 + v/u0)^(1/m)
        v, dv = _raised(a, m), m * _raised(a, m - 1.0)
        base = 1.0 + v / row[2]
        factor = row[1] / _root(base, m)
        tau = factor * a
        dtau = factor * (1.0 - a * dv / (m * row[2] * base))
    elif code == PEAKED:  # A v^(1/m) / (1 + a (v/X)^q)^(1/m)
        v, dv = _raised(a, m), m * _raised(a, m - 1.0)
        bump = row[4] * (v / row[2]) ** row[3]
        factor = row[1] / _root(1.0 + bump, m)
        tau = factor * a
        dtau = factor * (1.0 - row[3] * bump / (1.0 + bump))
    elif code == CAPPED:
        v, dv = _raised(a, m), m * _raised(a, m - 1.0)
        tau, dtau = row[1] * a, row[1]
        if tau > row[2]:
            tau, dtau = row[2], 0.0
    else:  # rate and state: v = 2 v0 exp(-psi) sinh z, tau = N a z
        psi = _state_exponent(row, theta)
        up, down = math.exp(a - psi), math.exp(-a - psi)
        v, dv = row[4] * (up - down), row[4] * (up + down)
        tau, dtau = row[0] * row[1] * a, row[0] * row[1]
    if z < 0.0:
        v, tau = -v, -tau
    return v, dv, tau, dtau


@checked_inner
def solve(code, row, theta, gain, target, guess):
    """z such that v(z) + gain tau(z) = target, by Newton kept inside a bracket; `guess` is a z near the answer."""
    goal = abs(target)
    low, high = 0.0, parameter(code, row, theta, goal)
    z = min(abs(guess), high)
    for _ in range(MOST_ITERATIONS):
        v, dv, tau, dtau = curve(code, row, theta, z)
        excess = v + gain * tau - goal
        if excess > 0.0:
            high = z
        else:
            low = z
        slope = dv + gain * dtau
        new = z - excess / slope if slope > 0.0 else -1.0
        if LINEAR_BELOW <= code <= SMOOTH and z > row[2] and slope > 0.0:
            # Above nu these are power laws in all but name: step in z^(1/m), where they are nearly straight.
            new = z * _raised(max(0.0, 1.0 - excess / (row[0] * z * slope)), row[0])
        halved = not low <= new <= high
        if halved:
            new = 0.5 * (low + high)
        change = abs(new - z)
        z = new
        # Newton squares its error: after a step of 1e-9 the next would be lost in rounding. Halving does not.
        if change <= (4e-16 if halved else 1e-9) * z:
            break
    return z if target >= 0.0 else -z


@njit(cache=True, nogil=True)
def aged(row, theta, speed, step):
    """State theta after `step` at a constant speed: theta' = 1 - |v| theta / Dc, solved exactly."""
    travel = abs(speed) * step / row[5]
    if travel < 1e-12:
        return theta + step
    steady = row[5] / abs(speed)
    return theta * math.exp(-travel) - steady * math.expm1(-travel)


@njit(cache=True, nogil=True)
def stresses(code, rows, theta, speed, stress, slope):
    """Stress and its derivative d tau / d v at every node."""
    for i in range(speed.size):
        z = parameter(code, rows[i], theta[i], speed[i])
        _, dv, stress[i], dtau = curve(code, rows[i], theta[i], z)
        slope[i] = dtau / dv if dv > 0.0 else np.inf


@njit(cache=True, nogil=True)
def solves(code, rows, theta, gain, target, speed):
    """Speed v with v + gain tau(v) = target, at every node."""
    for i in range(speed.size):
        z = solve(code, rows[i], theta[i], gain[i], target[i], parameter(code, rows[i], theta[i], target[i]))
        speed[i] = curve(code, rows[i], theta[i], z)[0]
