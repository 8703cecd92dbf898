# mypy: ignore-errors
"""Kernels of the whole scene: the start of a step, how far all come, who is alone, and what the groups add up to."""

import math

from banquise.jit import bare_inline, bare_kernel
from banquise.motion._kernels_series import cos_sin
from banquise.schemes._kernels import GAP, MARGIN
from banquise.schemes.codes import BLUR, CURRENT, GRAVITY, PUSH, ROUNDS, TIME, WIND

ROUND_OFF = 2e-15  # of the largest coordinate: nearer than this nobody can tell
BLOCK = 1024  # floes whose work is added up together, whatever the threads


@bare_kernel
def begin_step(time, step, b, s, start, careful):
    """Keep the bodies' motion as it is at the start of the step (8, all: x, y, angle, cos, sin, u, v, spin), take up that of
    the obstacles, and note the time and how near nobody can tell."""
    n, far = len(s.steps), 0.0
    for i in range(start.shape[1]):
        start[0, i], start[1, i], start[2, i], start[3, i], start[4, i] = b.x[i], b.y[i], b.angle[i], b.cos[i], b.sin[i]
        start[5, i], start[6, i], start[7, i] = b.u[i], b.v[i], b.spin[i]
        far = max(far, abs(b.x[i]), abs(b.y[i]))
    for i in range(n):
        s.steps[i], s.pace[i], careful[i] = step, math.inf, False
    for i in range(n, start.shape[1]):
        s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
        s.ahead[i, 0], s.ahead[i, 1], s.ahead[i, 2] = b.u[i], b.v[i], b.spin[i]
        s.pose[i, 0], s.pose[i, 1], s.pose[i, 2], s.pose[i, 3] = b.x[i], b.y[i], b.cos[i], b.sin[i]
        s.obstacles[i - n, 0], s.obstacles[i - n, 1], s.obstacles[i - n, 2] = b.x[i], b.y[i], b.angle[i]
    s.now[TIME], s.now[BLUR] = time, ROUND_OFF * far


@bare_kernel
def reaches_of_all(step, b, s):
    """How far any point of each body comes over the whole step, and a bound on the acceleration of the points of floes.

    drift: the mean velocity of all floes, from which ways are counted: what all do together brings nobody nearer to another.
    """
    u, v, spin, extent, free_velocity, way = b.u, b.v, b.spin, b.extent, s.free_velocity, s.free_displacement
    drift, reach, pull = s.drift, s.reach, s.pull
    n = len(free_velocity)
    drift[0] = drift[1] = 0.0
    for i in range(n):
        drift[0] += way[i, 0]
        drift[1] += way[i, 1]
    mx, my = drift[0] / max(n, 1), drift[1] / max(n, 1)
    drift[0], drift[1] = mx / step, my / step
    for i in range(n):
        dx, dy = free_velocity[i, 0] - u[i], free_velocity[i, 1] - v[i]
        pull[i] = (math.sqrt(dx * dx + dy * dy) + extent[i] * abs(free_velocity[i, 2] - spin[i])) / step
        far = math.sqrt((way[i, 0] - mx) ** 2 + (way[i, 1] - my) ** 2) + extent[i] * abs(way[i, 2])
        reach[i] = MARGIN * (far + 0.125 * pull[i] * step * step)
    for i in range(n, len(reach)):
        reach[i] = step * (math.sqrt((u[i] - drift[0]) ** 2 + (v[i] - drift[1]) ** 2) + extent[i] * abs(spin[i]))


@bare_inline
def take_up_row(i, step, b, s):
    """The state of floe i at the start of the step."""
    s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
    s.pose[i, 0], s.pose[i, 1], s.pose[i, 2], s.pose[i, 3] = b.x[i], b.y[i], b.cos[i], b.sin[i]
    s.left[i], s.since[i], s.quick[i] = step, math.inf, 0
    for k in range(3):
        s.ahead[i, k] = s.free_velocity[i, k]
        s.change[i, k] = s.stress[i, k] = s.water[i, k] = 0.0


@bare_kernel
def take_up(rows, step, b, s):
    """The state of some floes at the start of the step."""
    for q in range(len(rows)):
        take_up_row(rows[q], step, b, s)


@bare_kernel
def take_up_found(value, who, b, s):
    """The velocities of the floes of some contacts at the start of the step; the deepest overlap, of the smaller size."""
    n_free, deepest = len(s.steps), 0.0
    for k in range(len(who)):
        if value[k, GAP] < 0.0:
            i, j = who[k, 0], who[k, 1]
            small = b.size[i] if j >= n_free else min(b.size[i], b.size[j])
            deepest = max(deepest, -value[k, GAP] / small)
        for side in range(2):
            i = who[k, side]
            if i < n_free:
                s.velocity[i, 0], s.velocity[i, 1], s.velocity[i, 2] = b.u[i], b.v[i], b.spin[i]
    return deepest


@bare_kernel
def move_idle(first, last, label, step, b, f, s, sums):
    """Move the floes of blocks first:last that are in no group; the work on each block."""
    n = len(label)
    for block in range(first, last):
        w0 = w1 = w2 = w3 = 0.0
        for i in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            if label[i] >= 0:
                continue
            dx, dy, da = s.free_displacement[i, 0], s.free_displacement[i, 1], s.free_displacement[i, 2]
            w0 += s.force[i, 0, 0] * dx + s.force[i, 0, 1] * dy + s.force[i, 0, 2] * da
            w1 += s.force[i, 1, 0] * dx + s.force[i, 1, 1] * dy + s.force[i, 1, 2] * da
            w2 += b.mass[i] * (f.gravity[0] * dx + f.gravity[1] * dy)
            w3 += f.pushes[i, 0] * dx + f.pushes[i, 1] * dy + f.pushes[i, 2] * da
            b.x[i] += dx
            b.y[i] += dy
            b.angle[i] += da
            b.cos[i], b.sin[i] = cos_sin(b.angle[i])
            b.u[i], b.v[i], b.spin[i] = s.free_velocity[i, 0], s.free_velocity[i, 1], s.free_velocity[i, 2]
            for k in range(3):
                s.water[i, k] = s.force[i, 1, k] * step
        sums[block, 0], sums[block, 1], sums[block, 2], sums[block, 3] = w0, w1, w2, w3


@bare_kernel
def put_back(rows, start, b):
    """Put some floes back to where they were at the start of the step (8, n: x, y, angle, cos, sin, u, v, spin)."""
    for q in range(len(rows)):
        i = rows[q]
        b.x[i], b.y[i], b.angle[i], b.cos[i], b.sin[i] = start[0, i], start[1, i], start[2, i], start[3, i], start[4, i]
        b.u[i], b.v[i], b.spin[i] = start[5, i], start[6, i], start[7, i]


@bare_kernel
def sum_up(member_start, members, stale, totals, stress, sums, most, all_stress):
    """Add the groups' totals up, group by group, and the stress of their members; find the largest of each total.

    Those done again elsewhere are left out (but for how many rounds they took).
    """
    for g in range(len(totals)):
        most[ROUNDS] = max(most[ROUNDS], totals[g, ROUNDS])
        if stale[g]:
            continue
        for k in range(totals.shape[1]):
            sums[k] += totals[g, k]
            most[k] = max(most[k], totals[g, k])
        for q in range(member_start[g], member_start[g + 1]):
            i = members[q]
            for k in range(3):
                all_stress[i, k] += stress[i, k]


@bare_kernel
def begin_sums(idle, sums, most):
    """Totals of the step before any group's: the work on floes that are in none, block by block."""
    for k in range(len(sums)):
        sums[k] = most[k] = 0.0
    for block in range(len(idle)):
        sums[WIND] += idle[block, 0]
        sums[CURRENT] += idle[block, 1]
        sums[GRAVITY] += idle[block, 2]
        sums[PUSH] += idle[block, 3]


@bare_kernel
def lengthen(cap, step, times):
    """Let floes that had to take shorter steps take longer ones again, up to the whole."""
    for i in range(len(cap)):
        if cap[i] < math.inf:
            cap[i] *= times
            if cap[i] >= step:
                cap[i] = math.inf
