"""Kernels of the papers' scheme: which contacts approach, the largest safe step, the move."""

import math

import numpy as np

from banquise.jit import inner, njit
from banquise.schemes._kernels import close_levers

SLACK = 1e-6  # of the speeds at a contact: a slower approach is what solvers leave, while there is room
ROUND_OFF = 1e-12  # the same where there is none
PUSHED = 1e-3  # of the squares of the speeds at a contact: energy that holding it too early may give it
MARGIN = 0.05  # of eta: the thesis' tol3, which no step may use up
FARTHEST = 1e12  # m in a step; beyond, squares overflow
HALF, PAIRS = 0, 1  # the two step rules
# columns of a contact as the detector writes it
NX, NY, AX, AY, BX, BY, GAP = 0, 1, 2, 3, 4, 5, 6


@njit(cache=True, nogil=True, error_model="numpy")
def begin(x, y, cos, sin, angle, u, v, spin, extent, eta, n_free, horizon, start, velocity, reach):
    """Poses (n, 5) and velocities (n, 3) now, and how far each body is looked ahead: `horizon` of its fastest point, eta."""
    for i in range(len(u)):
        start[i, 0], start[i, 1], start[i, 2], start[i, 3], start[i, 4] = x[i], y[i], cos[i], sin[i], angle[i]
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = u[i], v[i], spin[i]
        reach[i] = horizon * (math.sqrt(u[i] * u[i] + v[i] * v[i]) + extent[i] * abs(spin[i]))
        if i < n_free:
            reach[i] += eta[i]


@njit(cache=True, nogil=True, error_model="numpy")
def meet_halfway(value, who, pose):
    """Both levers of a contact end in one place: friction at two places eta apart would make angular momentum."""
    close_levers(len(value), value, who, pose)


@inner
def _zone(eta, i, j, n_free):
    """Contact distance of a pair: the smaller eta, against an obstacle the floe's own."""
    return eta[i] if j >= n_free else min(eta[i], eta[j])


@inner
def _point_speeds(value, who, k, velocity):
    """At contact k: normal and tangential speed of b seen from a, and a scale of the speeds they are the difference of."""
    i, j = who[k, 0], who[k, 1]
    ua, va = velocity[i, 0] - velocity[i, 2] * value[k, AY], velocity[i, 1] + velocity[i, 2] * value[k, AX]
    ub, vb = velocity[j, 0] - velocity[j, 2] * value[k, BY], velocity[j, 1] + velocity[j, 2] * value[k, BX]
    nx, ny = value[k, NX], value[k, NY]
    scale = abs(ua) + abs(va) + abs(ub) + abs(vb)
    return (ub - ua) * nx + (vb - va) * ny, (vb - va) * nx - (ub - ua) * ny, scale


@inner
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def approaching(value, who, n_free, eta, velocity, extent, allowed, step, shortest, chosen, rate, bounce):
    """The contacts (gap within eta) of all islands in which one approaches faster than it may; their number.

    allowed: m/s, the relaxation c; where `step` is given no more than uses the gap up in it. rate: what is allowed at
    each. bounce: whether restitution acts: not where the rule would ask for steps below `shortest`.
    """
    m = len(value)
    parent = np.arange(n_free)
    struck = np.zeros(n_free, np.bool_)
    fast = np.zeros(m, np.bool_)
    some = False
    for k in range(m):
        i, j = who[k, 0], who[k, 1]
        zone = _zone(eta, i, j, n_free)
        if value[k, GAP] > zone:
            continue
        speed, _, scale = _point_speeds(value, who, k, velocity)
        slack = (SLACK if value[k, GAP] > MARGIN * zone else ROUND_OFF) * scale
        may = allowed if step == 0.0 else min(allowed, max(value[k, GAP], 0.0) / step)
        fast[k] = speed < -may - slack
        some = some or fast[k]
        if j < n_free:
            a, b = _root(parent, i), _root(parent, j)
            parent[max(a, b)] = min(a, b)
    if not some:
        return 0
    for k in range(m):
        if fast[k]:
            struck[_root(parent, who[k, 0])] = True
    count = 0
    for k in range(m):
        i, j = who[k, 0], who[k, 1]
        zone = _zone(eta, i, j, n_free)
        if value[k, GAP] > zone or not struck[_root(parent, i)]:
            continue
        fastest = 0.0
        for side in range(2):
            b = who[k, side]
            if b < n_free:
                turning = extent[b] * abs(velocity[b, 2])
                fastest = max(fastest, math.sqrt(velocity[b, 0] ** 2 + velocity[b, 1] ** 2) + turning)
        chosen[count] = k
        rate[count] = 0.0 if step == 0.0 else min(allowed, max(value[k, GAP], 0.0) / step)
        bounce[count] = 0.5 * zone >= shortest * fastest
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def turning(value, who, n_free, eta, before, after):
    """Part of the step after which the first contact that parts at its start (velocities `before`) begins to approach.

    Where that matters: a contact held over the whole step would be given the energy -first * last, per mass.
    """
    least = 1.0
    for k in range(len(value)):
        if value[k, GAP] > _zone(eta, who[k, 0], who[k, 1], n_free):
            continue
        first, _, scale = _point_speeds(value, who, k, before)
        last, _, _ = _point_speeds(value, who, k, after)
        if first > 0.0 and last < 0.0 and -first * last > PUSHED * scale * scale:
            least = min(least, first / (first - last))
    return least


@inner
def _seen_from(motion, i, j, dx, dy, extent):
    """How fast the fastest point of body i goes, seen from the turning body j; (dx, dy) from the centre of i to j's."""
    x = motion[i, 0] - motion[j, 0] - motion[j, 2] * dy
    y = motion[i, 1] - motion[j, 1] + motion[j, 2] * dx
    return math.sqrt(x * x + y * y) + extent[i] * abs(motion[i, 2] - motion[j, 2])


@njit(cache=True, nogil=True, error_model="numpy")
def largest_factor(pairs, distance, n_free, eta, motion, extent, pose, wraps, period, reach, rule):
    """Largest s for which the motion s times `motion` (n, 3) keeps the rule; with velocities, the largest step (s).

    Half: no point of a body goes farther than half its distance to a neighbour, half of eta where they are in contact.
    Pairs: discs that are apart come no nearer than tol3 = eta / 20; where they meet, no point of one goes farther, seen
    from the other, than their distance less tol3, or eta less tol3 where they are in contact. (Both keep the pair apart,
    so the longer of the two counts: discs that are about to meet do not stop the clock.) Pairs that are not listed are
    farther apart than reach[i] + reach[j].
    """
    least = math.inf
    share = 0.5 if rule == HALF else 1.0
    for i in range(n_free):
        way = math.sqrt(motion[i, 0] ** 2 + motion[i, 1] ** 2) + extent[i] * abs(motion[i, 2])
        if way > 0.0:
            least = min(least, share * reach[i] / way)
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        zone = _zone(eta, i, j, n_free)
        apart = max(distance[p], zone)
        if apart > reach[i] + reach[j]:
            continue
        dx = pose[j, 0] + (pairs[p, 2] + wraps[i, 0] - wraps[j, 0]) * period[0] - pose[i, 0]
        dy = pose[j, 1] + (pairs[p, 3] + wraps[i, 1] - wraps[j, 1]) * period[1] - pose[i, 1]
        centres = math.sqrt(dx * dx + dy * dy)
        if rule == HALF:
            for side in range(2):
                b = pairs[p, side]
                # of a long bank that turns only the part that the floe can meet counts
                lever = extent[b] if b < n_free else min(extent[b], centres + extent[i] + apart)
                way = math.sqrt(motion[b, 0] ** 2 + motion[b, 1] ** 2) + lever * abs(motion[b, 2])
                if way > 0.0:
                    least = min(least, 0.5 * apart / way)
            continue
        tol3 = MARGIN * zone
        fastest = _seen_from(motion, i, j, dx, dy, extent)
        if j < n_free:
            fastest = max(fastest, _seen_from(motion, j, i, -dx, -dy, extent))
        s = (apart - tol3) / fastest if fastest > 0.0 else math.inf
        discs = centres - extent[i] - extent[j]
        if j < n_free and discs > tol3:
            closing = ((motion[i, 0] - motion[j, 0]) * dx + (motion[i, 1] - motion[j, 1]) * dy) / centres
            s = max(s, (discs - tol3) / closing if closing > 0.0 else math.inf)
        least = min(least, s)
    return least


@njit(cache=True, nogil=True, error_model="numpy")
def displacements(step, velocity, free, change, n_free, way):
    """Way (n, 3) of every body in the step: free motion, and the velocity change of the contacts spread evenly over it.

    False when it is not a sensible number.
    """
    sane = True
    for i in range(len(way)):
        for c in range(3):
            way[i, c] = free[i, c] + 0.5 * step * change[i, c] if i < n_free else step * velocity[i, c]
            sane = sane and abs(way[i, c]) < FARTHEST
    return sane


@njit(cache=True, nogil=True, error_model="numpy")
def loss_speeds(step, chosen, order, value, who, velocity, free, force, pushes, gravity, mass, inertia, start, out):
    """Speeds (m, 2) at the contacts before the step's forces, as the energy books want them; start (n, 3) is scratch.

    Velocity at the end less what the forces gave: turned by Coriolis, which does no work. The loss at a contact is then
    exactly what the work of the forces on the way that came about leaves over.
    """
    n = len(free)
    for i in range(len(velocity)):
        for c in range(3):
            start[i, c] = velocity[i, c]
            if i < n:
                inert = mass[i] if c < 2 else inertia[i]
                start[i, c] = free[i, c] - step * (force[i, 0, c] + force[i, 1, c] + pushes[i, c]) / inert
                if c < 2:
                    start[i, c] -= step * gravity[c]
    for row in range(len(order)):
        out[row, 0], out[row, 1], _ = _point_speeds(value, who, chosen[order[row]], start)


@njit(cache=True, nogil=True, error_model="numpy")
def move(step, way, velocity, change, force, pushes, mass, gravity, x, y, angle, cos, sin, u, v, spin, work):
    """Move the floes, give them their velocities; the work of wind, water, gravity and loads."""
    for c in range(4):
        work[c] = 0.0
    for i in range(len(velocity)):
        dx, dy, da = way[i, 0], way[i, 1], way[i, 2]
        for c in range(2):
            work[c] += force[i, c, 0] * dx + force[i, c, 1] * dy + force[i, c, 2] * da
        work[2] += mass[i] * (gravity[0] * dx + gravity[1] * dy)
        work[3] += pushes[i, 0] * dx + pushes[i, 1] * dy + pushes[i, 2] * da
        x[i] += dx
        y[i] += dy
        angle[i] += da
        cos[i], sin[i] = math.cos(angle[i]), math.sin(angle[i])
        u[i], v[i], spin[i] = (
            velocity[i, 0] + change[i, 0],
            velocity[i, 1] + change[i, 1],
            velocity[i, 2] + change[i, 2],
        )
