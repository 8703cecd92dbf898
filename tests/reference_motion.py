"""An independent reference for free motion: the equations written out in numpy and solved by scipy to 1e-11."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp


def solve(
    floe,
    until,
    points=None,
    wind=None,
    current=None,
    f=0.0,
    relative_wind=False,
    turn=0.0,
    push=None,
    air_density=1.341,
    water_density=1024.071,
    rtol=1e-11,
):
    """State x, y, angle, u, v, spin at `until`. wind and current: functions (x, y, t) -> u, v. `points`: (x, y, weight)
    in the body frame. push: function (t, state) -> force x, y, torque."""
    x, y, w = points
    c_t, s_t = np.cos(turn), np.sin(turn)

    def rate(t, state):
        px, py, angle, u, v, spin = state
        c, s = np.cos(angle), np.sin(angle)
        rx, ry = c * x - s * y, s * x + c * y
        force = np.zeros(3) if push is None else np.asarray(push(t, state), dtype=float)
        vx, vy = u - spin * ry, v + spin * rx
        for flow, density, drag, relative, cosine, sine in (
            (wind, air_density, floe.air_drag, relative_wind, 1.0, 0.0),
            (current, water_density, floe.water_drag, True, c_t, s_t),
        ):
            if flow is None:
                continue
            fu, fv = np.broadcast_arrays(*flow(px + rx, py + ry, t), rx)[:2]
            du, dv = (fu - vx, fv - vy) if relative else (fu, fv)
            stress = density * drag * np.hypot(du, dv)
            tx, ty = stress * (cosine * du - sine * dv), stress * (sine * du + cosine * dv)
            force += np.array([(w * tx).sum(), (w * ty).sum(), (w * (rx * ty - ry * tx)).sum()])
        m, inertia = floe.mass, floe.inertia
        return [u, v, spin, force[0] / m + f * v, force[1] / m - f * u, force[2] / inertia]

    start = [*floe.centre, 0.0, *floe.velocity, floe.spin]
    found = solve_ivp(rate, (0.0, until), start, method="DOP853", rtol=rtol, atol=1e-13)
    assert found.success
    return found.y[:, -1]


def body_points(floe, varying=True):
    """The floe's own points: those for a flow that varies, or for one that is the same everywhere."""
    import banquise as bq

    x, y, w = bq.Scene([floe]).bodies().points(varying)
    return x[0], y[0], w[0]


def dense_points(floe, n=400):
    """Midpoints of a fine grid of cells inside the floe's polygon, body frame: shares nothing with the floe's own points."""
    import shapely

    polygon = floe.polygon
    x0, y0, x1, y1 = polygon.bounds
    hx, hy = (x1 - x0) / n, (y1 - y0) / n
    gx, gy = np.meshgrid(x0 + hx * (np.arange(n) + 0.5), y0 + hy * (np.arange(n) + 0.5))
    inside = shapely.contains_xy(polygon, gx, gy)
    weight = np.full(inside.sum(), polygon.area / inside.sum())
    return gx[inside] - floe.centre[0], gy[inside] - floe.centre[1], weight


def last_state(run, floe=0):
    d = run.dataset.isel(time=-1, floe=floe)
    return np.array([float(d[name]) for name in ("x", "y", "rotation", "u", "v", "spin")])


def slope(steps, errors):
    """Order of convergence fitted to log error against log step."""
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]
