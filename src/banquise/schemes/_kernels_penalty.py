# mypy: ignore-errors
"""Kernels of the penalty scheme: one resultant a contact from its points or its overlap area, and the impulses of a step.

Columns of a resultant: normal from a to b (2), levers on a and b (4), measure, stiffness, exponent part of the damping.
"""

import math

import numpy as np

from banquise.jit import inner, kernel

NX, NY, AX, AY, BX, BY, GAP, SX, SY = 0, 1, 2, 3, 4, 5, 6, 7, 8
LINEAR, HERTZ, AREA = 0, 1, 2
TOGETHER = 0.7  # cosine: points of a pair whose normals differ by more belong to contacts of their own
PLACES = 8  # contacts of a pair, at most
# columns of a resultant
FORCE, RATE, SHEAR = 6, 7, 8
# columns of the memory of a contact
SPRING, START, NORMAL, TANGENT, LOSS, X, Y, SLIP = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def shared(value, who, law, stiffness, shear, out, pair):
    """Resultants of the points that overlap, their stiffness shared by depth; how many.

    With depths d the points carry stiffness * d / sum(d) each: a face that comes down flat on two points meets the
    stiffness once, and a second point that begins to touch changes nothing at that moment.
    """
    count, first, m = 0, 0, len(who)
    while first < m:
        last = first + 1
        while last < m and who[last, 0] == who[first, 0] and who[last, 1] == who[first, 1]:
            if value[last, SX] != value[first, SX] or value[last, SY] != value[first, SY]:
                break
            last += 1
        place, begin = 0, count
        for k in range(first, last):
            if not value[k, GAP] < 0.0:
                continue
            at = -1
            for r in range(begin, count):
                if value[k, NX] * out[r, NX] + value[k, NY] * out[r, NY] > TOGETHER * math.hypot(
                    out[r, NX], out[r, NY]
                ):
                    at = r
            if at < 0 and place == PLACES:
                at = count - 1
            if at < 0:
                at = count
                for c in range(9):
                    out[at, c] = 0.0
                pair[at, 0], pair[at, 1], pair[at, 2] = who[k, 0], who[k, 1], place
                count, place = count + 1, place + 1
            d = -value[k, GAP]
            for c in range(6):
                out[at, c] += d * d * value[k, c]
            out[at, FORCE] += d
            out[at, RATE] += d * d
        for r in range(begin, count):
            square, sum_ = out[r, RATE], out[r, FORCE]
            for c in range(AX, GAP):
                out[r, c] /= square
            size = math.hypot(out[r, NX], out[r, NY])
            out[r, NX], out[r, NY] = out[r, NX] / size, out[r, NY] / size
            depth = square / sum_
            root = math.sqrt(depth) if law == HERTZ else 1.0
            out[r, FORCE] = stiffness * depth * root
            out[r, RATE] = math.sqrt(root)  # the damping of Hertz' law goes with depth^(1/4)
            out[r, SHEAR] = shear * stiffness * root
        first = last
    return count


@inner
def inside(x, y, points, first, last):
    """Whether a place lies in the ice whose rings are edges first..last of `points` (x0, y0, x1, y1)."""
    odd = False
    for e in range(first, last):
        y0, y1 = points[e, 1], points[e, 3]
        if (y0 > y) != (y1 > y) and x < points[e, 0] + (points[e, 2] - points[e, 0]) * (y - y0) / (y1 - y0):
            odd = not odd
    return odd


@inner
def edges_of(row, dx, dy, x, y, cos, sin, vertices, ring_start, body_ring, edges, at):
    """World edges of a body, moved by (dx, dy), from edges[at] on; where they end."""
    for ring in range(body_ring[row], body_ring[row + 1]):
        begin, end = ring_start[ring], ring_start[ring + 1]
        for k in range(begin, end):
            n = k + 1 if k + 1 < end else begin
            for p in range(2):
                v = k if p == 0 else n
                edges[at, 2 * p] = x[row] + dx + cos[row] * vertices[v, 0] - sin[row] * vertices[v, 1]
                edges[at, 2 * p + 1] = y[row] + dy + sin[row] * vertices[v, 0] + cos[row] * vertices[v, 1]
            at += 1
    return at


@inner
def border_inside(edges, first, last, other_first, other_last, cuts, ox, oy, sums):
    """Add the parts of a border within another body: normals (2), area, first moments (2) about (ox, oy)."""
    for e in range(first, last):
        x0, y0 = edges[e, 0] - ox, edges[e, 1] - oy
        dx, dy = edges[e, 2] - edges[e, 0], edges[e, 3] - edges[e, 1]
        count = 2
        cuts[0], cuts[1] = 0.0, 1.0
        for o in range(other_first, other_last):
            ex, ey = edges[o, 2] - edges[o, 0], edges[o, 3] - edges[o, 1]
            cross = dx * ey - dy * ex
            if cross == 0.0:
                continue
            px, py = edges[o, 0] - edges[e, 0], edges[o, 1] - edges[e, 1]
            t, s = (px * ey - py * ex) / cross, (px * dy - py * dx) / cross
            if 0.0 < t < 1.0 and 0.0 <= s <= 1.0:
                k = count
                while cuts[k - 1] > t:
                    cuts[k] = cuts[k - 1]
                    k -= 1
                cuts[k] = t
                count += 1
        for k in range(count - 1):
            t0, t1 = cuts[k], cuts[k + 1]
            middle = 0.5 * (t0 + t1)
            if t1 <= t0 or not inside(ox + x0 + middle * dx, oy + y0 + middle * dy, edges, other_first, other_last):
                continue
            ax, ay, bx, by = x0 + t0 * dx, y0 + t0 * dy, x0 + t1 * dx, y0 + t1 * dy
            twice = ax * by - ay * bx
            sums[0] += by - ay
            sums[1] -= bx - ax
            sums[2] += 0.5 * twice
            sums[3] += twice * (ax + bx) / 6.0
            sums[4] += twice * (ay + by) / 6.0


@kernel
def areas(value, who, stiffness, shear, x, y, cos, sin, vertices, ring_start, body_ring, edges, cuts, out, pair):
    """Resultants of the pairs that overlap: stiffness * area, at its centroid, square to the chord; how many.

    The border of the overlap is the border of a within b and that of b within a. The normals of the first, times length,
    sum to the chord turned by a right angle, for any shape.
    """
    count, sums, first = 0, np.zeros(5), np.int64(0)
    for k in range(len(who)):
        i, j = who[k, 0], who[k, 1]
        if count and pair[count - 1, 0] == i and pair[count - 1, 1] == j:
            continue
        ox, oy = x[i] + value[k, AX], y[i] + value[k, AY]  # moments about a place near: far ones would cancel
        middle = edges_of(i, 0.0, 0.0, x, y, cos, sin, vertices, ring_start, body_ring, edges, first)
        end = edges_of(j, value[k, SX], value[k, SY], x, y, cos, sin, vertices, ring_start, body_ring, edges, middle)
        sums[:] = 0.0
        border_inside(edges, first, middle, middle, end, cuts, ox, oy, sums)
        nx, ny = sums[0], sums[1]
        border_inside(edges, middle, end, first, middle, cuts, ox, oy, sums)
        chord, area = math.hypot(nx, ny), sums[2]
        if not (area > 0.0 and chord > 0.0):
            continue
        cx, cy = ox + sums[3] / area, oy + sums[4] / area
        out[count, NX], out[count, NY] = nx / chord, ny / chord
        out[count, AX], out[count, AY] = cx - x[i], cy - y[i]
        out[count, BX], out[count, BY] = cx - x[j] - value[k, SX], cy - y[j] - value[k, SY]
        out[count, FORCE], out[count, RATE], out[count, SHEAR] = stiffness * area, chord, shear * stiffness * chord
        pair[count, 0], pair[count, 1], pair[count, 2] = i, j, 0
        count += 1
    return count


@inner
def relative(r, i, j, velocity, out):
    """Velocity of b seen from a at the contact, along the normal and along the tangent (normal turned left)."""
    u = velocity[j, 0] - velocity[j, 2] * out[r, BY] - velocity[i, 0] + velocity[i, 2] * out[r, AY]
    v = velocity[j, 1] + velocity[j, 2] * out[r, BX] - velocity[i, 1] - velocity[i, 2] * out[r, AX]
    return u * out[r, NX] + v * out[r, NY], v * out[r, NX] - u * out[r, NY]


@inner
def effective_mass(r, i, j, tx, ty, out, inverse_mass, inverse_inertia):
    """What an impulse along (tx, ty) at the contact has to move (kg)."""
    a, b = out[r, AX] * ty - out[r, AY] * tx, out[r, BX] * ty - out[r, BY] * tx
    return 1.0 / (
        inverse_mass[i] + inverse_mass[j] + inverse_inertia[i] * a * a + inverse_inertia[j] * b * b
    )  # fmt: skip


@kernel
def impulses(
    count, out, pair, memory, law, stiffness, damping, pulls, step, velocity, inverse_mass, inverse_inertia, material,
    friction, ratio, change, found,
):  # fmt: skip
    """Impulses (normal, tangential) of all resultants over a step, into `found`; velocity changes into `change`.

    Dampers and the spring in the tangent act on the mean of the velocities before and after (each contact by itself): of
    second order, and stable for any damping. `ratio` is the damping ratio by material pair, for `damping` < 0.
    """
    for r in range(count):
        i, j = pair[r, 0], pair[r, 1]
        nx, ny = out[r, NX], out[r, NY]
        mn = effective_mass(r, i, j, nx, ny, out, inverse_mass, inverse_inertia)
        mt = effective_mass(r, i, j, -ny, nx, out, inverse_mass, inverse_inertia)
        vn, vt = relative(r, i, j, velocity, out)
        z = ratio[material[i], material[j]]
        if damping >= 0.0:
            c = damping * out[r, RATE]
        elif law == HERTZ:
            c = z * math.sqrt(5.0 * stiffness * mn) * out[r, RATE]
        else:
            c = 2.0 * z * math.sqrt(stiffness * mn * (out[r, RATE] if law == AREA else 1.0))
        rate = (-vn - 0.5 * step * out[r, FORCE] / mn) / (1.0 + 0.5 * step * c / mn)
        rn = step * (out[r, FORCE] + c * rate)
        if rn < 0.0 and not pulls:
            rn = 0.0
        most = friction[material[i], material[j]] * max(rn, 0.0)
        k, s = out[r, SHEAR], memory[r, SPRING]
        ct = 2.0 * z * math.sqrt(k * mt)
        mean = (vt - 0.5 * step * k * s / mt) / (1.0 + 0.5 * step * (0.5 * step * k + ct) / mt)
        rt = -step * (k * (s + 0.5 * step * mean) + ct * mean)
        s += step * mean
        if abs(rt) > most:
            rt = math.copysign(most, rt)
            s = -rt / (step * k) if k > 0.0 else 0.0
        else:
            memory[r, SLIP] = 0.0
        memory[r, SPRING] = s
        found[r, 0], found[r, 1] = rn, rt
        jx, jy = rn * nx - rt * ny, rn * ny + rt * nx
        for side in range(2):
            row, sign = (i, -1.0) if side == 0 else (j, 1.0)
            lx, ly = out[r, AX + 2 * side], out[r, AY + 2 * side]
            change[row, 0] += sign * jx * inverse_mass[row]
            change[row, 1] += sign * jy * inverse_mass[row]
            change[row, 2] += sign * (lx * jy - ly * jx) * inverse_inertia[row]


@kernel
def enter(count, out, pair, memory, found, before, after, n_free, x, y, on_obstacles, stress):
    """Enter the impulses into memory and books: (energy lost, work of obstacles). Exact, whatever acts at once."""
    total = work = 0.0
    for r in range(count):
        i, j, rn, rt = pair[r, 0], pair[r, 1], found[r, 0], found[r, 1]
        n0, t0 = relative(r, i, j, before, out)
        n1, t1 = relative(r, i, j, after, out)
        loss = -0.5 * (rn * (n0 + n1) + rt * (t0 + t1))
        total += loss
        memory[r, NORMAL] += rn
        memory[r, TANGENT] += rt
        memory[r, LOSS] += loss
        memory[r, X], memory[r, Y] = x[i] + out[r, AX], y[i] + out[r, AY]
        jx, jy = rn * out[r, NX] - rt * out[r, NY], rn * out[r, NY] + rt * out[r, NX]
        for side in range(2):
            row, sign = (i, -1.0) if side == 0 else (j, 1.0)
            lx, ly = out[r, AX + 2 * side], out[r, AY + 2 * side]
            if row < n_free:
                stress[row, 0] += sign * jx * lx
                stress[row, 1] += sign * 0.5 * (jx * ly + jy * lx)
                stress[row, 2] += sign * jy * ly
                continue
            o = row - n_free
            on_obstacles[o, 0] += sign * jx
            on_obstacles[o, 1] += sign * jy
            on_obstacles[o, 2] += sign * (lx * jy - ly * jx)
            u, v = before[row, 0] - before[row, 2] * ly, before[row, 1] + before[row, 2] * lx
            work -= sign * (jx * u + jy * v)
    return total, work
