"""A rigid iceberg in the vertical plane against the glacier's front.

x up-glacier (the front is at x = front, the sea on its left), y up from the water line, angle counter-clockwise.
State: x, y, angle of the centre of mass; u, v velocity along the body's axes 1 (across the long faces) and 2 (along
them); spin. Kirchhoff's equations with added mass, buoyancy of the clipped outline, normal drag, contact of corners.
"""

# mypy: ignore-errors

import math
from collections import namedtuple

import numpy as np

from banquise.jit import checked_inner, njit

Berg = namedtuple(
    "Berg",
    "outline mass inertia added_1 added_2 added_spin gravity water_density drag contact_stiffness contact_damping area",
)
# Gauss points on [0, 1] for the drag along an edge: |v_n| v_n is a quadratic where v_n keeps its sign.
_POINTS = (0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263)
_SHARES = (0.17392742256872692, 0.32607257743127307, 0.32607257743127307, 0.17392742256872692)


@njit(cache=True, nogil=True)
def placed(berg, state, corners):
    c, s = math.cos(state[2]), math.sin(state[2])
    for k in range(berg.outline.shape[0]):
        corners[k, 0] = state[0] + c * berg.outline[k, 0] - s * berg.outline[k, 1]
        corners[k, 1] = state[1] + s * berg.outline[k, 0] + c * berg.outline[k, 1]


@checked_inner
def _world_velocity(state):
    c, s = math.cos(state[2]), math.sin(state[2])
    return c * state[3] - s * state[4], s * state[3] + c * state[4]


@njit(cache=True, nogil=True)
def contact(berg, state, corners, front, front_speed):
    """Force (N/m) on the front and its moment about the centre: springs and dashpots at corners past the front."""
    placed(berg, state, corners)
    vx, _ = _world_velocity(state)
    force, moment = 0.0, 0.0
    for k in range(corners.shape[0]):
        depth = corners[k, 0] - front
        if depth > 0.0:
            arm = corners[k, 1] - state[1]
            rate = vx - state[5] * arm - front_speed
            push = max(0.0, berg.contact_stiffness * depth + berg.contact_damping * rate)
            force += push
            moment += push * arm  # the front pushes back along -x: torque = -arm * (-push)
    return force, moment


@checked_inner
def _wet_edge(corners, k):
    """Both ends of what lies under the water line of the edge from corner k to the next; one place where nothing does."""
    n = corners.shape[0]
    ax, ay = corners[k, 0], corners[k, 1]
    bx, by = corners[(k + 1) % n, 0], corners[(k + 1) % n, 1]
    if ay > 0.0 and by > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if ay > 0.0:
        ax, ay = ax + (bx - ax) * ay / (ay - by), 0.0
    elif by > 0.0:
        bx, by = bx + (ax - bx) * by / (by - ay), 0.0
    return ax, ay, bx, by


@njit(cache=True, nogil=True)
def submerged(corners):
    """Area under the water line and its centroid (x, y)."""
    area, mx, my = 0.0, 0.0, 0.0
    # Triangles from the origin on the water line: the closing edge lies on y = 0 and adds nothing to the area.
    for k in range(corners.shape[0]):
        ax, ay, bx, by = _wet_edge(corners, k)
        cross = 0.5 * (ax * by - bx * ay)
        area += cross
        mx += cross * (ax + bx) / 3.0
        my += cross * (ay + by) / 3.0
    if area <= 0.0:
        return 0.0, 0.0, 0.0
    return area, mx / area, my / area


@njit(cache=True, nogil=True)
def _drag(berg, state, corners):
    """Force and torque of the water: pressure rho Cd |v_n| v_n / 2 against the motion of every wet edge."""
    fx, fy, torque = 0.0, 0.0, 0.0
    if berg.drag == 0.0:
        return fx, fy, torque
    vx, vy = _world_velocity(state)
    for k in range(corners.shape[0]):
        ax, ay, bx, by = _wet_edge(corners, k)
        length = math.hypot(bx - ax, by - ay)
        if length == 0.0:
            continue
        nx, ny = (by - ay) / length, -(bx - ax) / length  # outward: the outline runs counter-clockwise
        for g in range(4):
            px, py = ax + _POINTS[g] * (bx - ax) - state[0], ay + _POINTS[g] * (by - ay) - state[1]
            normal = (vx - state[5] * py) * nx + (vy + state[5] * px) * ny
            push = -0.5 * berg.water_density * berg.drag * abs(normal) * normal * _SHARES[g] * length
            fx += push * nx
            fy += push * ny
            torque += px * push * ny - py * push * nx
    return fx, fy, torque


@checked_inner
def _rates(berg, state, corners, front, front_speed, out):
    push, moment = contact(berg, state, corners, front, front_speed)
    wet, bx, _ = submerged(corners)
    fx, fy, torque = _drag(berg, state, corners)
    lift = berg.water_density * berg.gravity * wet
    fx -= push
    fy += lift - berg.mass * berg.gravity
    torque += moment + lift * (bx - state[0])
    c, s = math.cos(state[2]), math.sin(state[2])
    share = wet / berg.area
    m1, m2 = berg.mass + share * berg.added_1, berg.mass + share * berg.added_2
    u, v, w = state[3], state[4], state[5]
    out[0] = c * u - s * v
    out[1] = s * u + c * v
    out[2] = w
    out[3] = (c * fx + s * fy + m2 * v * w) / m1
    out[4] = (-s * fx + c * fy - m1 * u * w) / m2
    out[5] = (torque + (m1 - m2) * u * v) / (berg.inertia + share * berg.added_spin)


@njit(cache=True, nogil=True)
def advance(berg, state, front, front_speed, step, parts):
    """Runge-Kutta of order four over `step` in `parts`, the front moving steadily."""
    corners = np.empty_like(berg.outline)
    k1, k2, k3, k4, at = np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    h = step / parts
    for part in range(parts):
        where = front + front_speed * part * h
        middle, end = where + 0.5 * h * front_speed, where + h * front_speed
        _rates(berg, state, corners, where, front_speed, k1)
        for d in range(6):
            at[d] = state[d] + 0.5 * h * k1[d]
        _rates(berg, at, corners, middle, front_speed, k2)
        for d in range(6):
            at[d] = state[d] + 0.5 * h * k2[d]
        _rates(berg, at, corners, middle, front_speed, k3)
        for d in range(6):
            at[d] = state[d] + h * k3[d]
        _rates(berg, at, corners, end, front_speed, k4)
        for d in range(6):
            state[d] += h / 6.0 * (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d])


@njit(cache=True, nogil=True)
def energy(berg, state, corners):
    """Kinetic (with added mass) and potential energy (J/m) of ice and displaced water."""
    placed(berg, state, corners)
    wet, _, by = submerged(corners)
    share = wet / berg.area
    kinetic = 0.5 * (berg.mass + share * berg.added_1) * state[3] ** 2
    kinetic += 0.5 * (berg.mass + share * berg.added_2) * state[4] ** 2
    kinetic += 0.5 * (berg.inertia + share * berg.added_spin) * state[5] ** 2
    return kinetic, berg.gravity * (berg.mass * state[1] - berg.water_density * wet * by)
