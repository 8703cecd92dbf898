"""Kernels of triangles: a border cut into ears, points put in, edges flipped until Delaunay's rule holds, points smoothed.

Border edges are never flipped, so the triangulation is a constrained one and covers the ice and nothing else. `tri` (t, 3)
are nodes counter-clockwise, `nb` (t, 3) the neighbours over the edges k -> k + 1, -1 at the border.
"""

import math

import numpy as np

from banquise.fracture._kernels_points import size_at
from banquise.jit import making_inner, making_kernel, plain_inner

FLAT = 1e-12  # twice the area below which a triangle is none; the shortest edges are of 1e-3
SLACK = 1e-10  # of sin(sum of two opposite angles): four points on a circle stay as they are


@plain_inner
def _turn(at, a, b, c):
    """Twice the area of a triangle of nodes."""
    return (at[b, 0] - at[a, 0]) * (at[c, 1] - at[a, 1]) - (at[b, 1] - at[a, 1]) * (at[c, 0] - at[a, 0])


@plain_inner
def _crosses(at, a, b, c, d):
    """Whether segments ab and cd, which share no node, meet."""
    one, two = _turn(at, a, b, c), _turn(at, a, b, d)
    three, four = _turn(at, c, d, a), _turn(at, c, d, b)
    return (one > FLAT) != (two > FLAT) and (three > FLAT) != (four > FLAT)


@making_inner
def _one_loop(at, first, loop):
    """Corners of the outer ring with every hole tied in by the shortest bridge to what is there; how many, 0 if none fits."""
    count = first[1]
    for k in range(count):
        loop[k] = k
    rings = first.shape[0] - 1
    tied = np.zeros(rings, np.bool_)
    tied[0] = True
    for _ in range(1, rings):
        best, hole, spot, corner = math.inf, -1, -1, -1
        for r in range(1, rings):
            if tied[r]:
                continue
            for i in range(first[r], first[r + 1]):
                for k in range(count):
                    away = (at[i, 0] - at[loop[k], 0]) ** 2 + (at[i, 1] - at[loop[k], 1]) ** 2
                    if away >= best:
                        continue
                    free = True
                    for q in range(rings):
                        j = first[q + 1] - 1
                        for p in range(first[q], first[q + 1]):
                            if p != i and j != i and p != loop[k] and j != loop[k]:
                                free = free and not _crosses(at, i, loop[k], j, p)
                            j = p
                    if free:
                        best, hole, spot, corner = away, r, k, i
        if hole < 0:
            return 0
        tied[hole] = True
        size = first[hole + 1] - first[hole]
        for k in range(count - 1, spot, -1):
            loop[k + size + 2] = loop[k]
        for k in range(size + 1):
            loop[spot + 1 + k] = first[hole] + (corner - first[hole] + k) % size
        loop[spot + size + 2] = loop[spot]
        count += size + 2
    return count


@plain_inner
def _is_ear(at, loop, count, k, least):
    a, b, c = loop[(k - 1) % count], loop[k], loop[(k + 1) % count]
    if _turn(at, a, b, c) <= FLAT:
        return False
    for q in range(count):
        p = loop[q]
        if p == a or p == b or p == c:
            continue
        if _turn(at, a, b, p) > least and _turn(at, b, c, p) > least and _turn(at, c, a, p) > least:
            return False
    return True


@plain_inner
def _ears(at, loop, count, tri):
    """Cut a loop of nodes into triangles; how many, 0 when it cannot be done."""
    made = 0
    k = 0
    while count > 3:
        found = False
        for least in (-FLAT, FLAT):  # points on the rim of an ear would leave a flat rest, unless there is no other ear
            for tried in range(count):
                q = (k + tried) % count
                if _is_ear(at, loop, count, q, least):
                    found = True
                    k = q
                    break
            if found:
                break
        if not found:
            return 0
        tri[made, 0], tri[made, 1], tri[made, 2] = loop[(k - 1) % count], loop[k], loop[(k + 1) % count]
        made += 1
        for q in range(k, count - 1):
            loop[q] = loop[q + 1]
        count -= 1
        k = (k + 1) % count  # not the same corner again: that would make a fan
    tri[made, 0], tri[made, 1], tri[made, 2] = loop[0], loop[1], loop[2]
    return made + 1


@plain_inner
def _link(tri, nb, count):
    """Neighbours from common edges."""
    for t in range(count):
        for k in range(3):
            nb[t, k] = -1
    for t in range(count):
        for k in range(3):
            if nb[t, k] >= 0:
                continue
            a, b = tri[t, k], tri[t, (k + 1) % 3]
            for s in range(t + 1, count):
                for m in range(3):
                    if tri[s, m] == b and tri[s, (m + 1) % 3] == a and nb[s, m] < 0 and nb[t, k] < 0:
                        nb[t, k], nb[s, m] = s, t


@plain_inner
def _relink(nb, t, old, new):
    if t >= 0:
        for k in range(3):
            if nb[t, k] == old:
                nb[t, k] = new
                return


@plain_inner
def _should_flip(at, a, b, c, d):
    """Whether the edge a -> b between the triangles abc and bad gives way to c - d."""
    acx, acy, bcx, bcy = at[a, 0] - at[c, 0], at[a, 1] - at[c, 1], at[b, 0] - at[c, 0], at[b, 1] - at[c, 1]
    adx, ady, bdx, bdy = at[a, 0] - at[d, 0], at[a, 1] - at[d, 1], at[b, 0] - at[d, 0], at[b, 1] - at[d, 1]
    sin_c, cos_c = acx * bcy - acy * bcx, acx * bcx + acy * bcy
    sin_d, cos_d = bdx * ady - bdy * adx, adx * bdx + ady * bdy
    together = sin_c * cos_d + cos_c * sin_d
    flat = sin_c <= FLAT or sin_d <= FLAT  # these are twice the areas of the two triangles
    if not flat and together >= 0.0:  # of most edges
        return False
    if _turn(at, c, a, d) <= FLAT or _turn(at, d, b, c) <= FLAT:
        return False
    return flat or together < -SLACK * math.sqrt((sin_c * sin_c + cos_c * cos_c) * (sin_d * sin_d + cos_d * cos_d))


@plain_inner
def _settle(at, tri, nb, stack, top):
    """Flip edges of the triangles on the stack, and of what that changes, until none is wrong."""
    left = 200 * tri.shape[0]  # flips only ever improve the angles; this is against rounding
    while top > 0 and left > 0:
        top -= 1
        t = stack[top]
        k = 0
        while k < 3:
            n = nb[t, k]
            a, b, c = tri[t, k], tri[t, (k + 1) % 3], tri[t, (k + 2) % 3]
            k += 1
            if n < 0:
                continue
            m = 0
            while tri[n, m] != b or tri[n, (m + 1) % 3] != a:
                m += 1
            d = tri[n, (m + 2) % 3]
            if not _should_flip(at, a, b, c, d):
                continue
            left -= 1
            ca, ad = nb[t, (k + 1) % 3], nb[n, (m + 1) % 3]
            db, bc = nb[n, (m + 2) % 3], nb[t, k % 3]
            tri[t, 0], tri[t, 1], tri[t, 2] = c, a, d
            nb[t, 0], nb[t, 1], nb[t, 2] = ca, ad, n
            tri[n, 0], tri[n, 1], tri[n, 2] = d, b, c
            nb[n, 0], nb[n, 1], nb[n, 2] = db, bc, t
            _relink(nb, ad, n, t)
            _relink(nb, bc, t, n)
            if top < stack.shape[0] - 1:
                stack[top] = n
                top += 1
            k = 0


@plain_inner
def _on_border(at, tri, nb, count, a, b, p, stack):
    """Put point p on the border edge a -> b; how many triangles there are then."""
    for t in range(count - 1, -1, -1):  # mostly of a triangle that was made for the point before
        for k in range(3):
            if nb[t, k] < 0 and tri[t, k] == a and tri[t, (k + 1) % 3] == b:
                c = tri[t, (k + 2) % 3]
                bc, ca = nb[t, (k + 1) % 3], nb[t, (k + 2) % 3]
                tri[t, 0], tri[t, 1], tri[t, 2] = a, p, c
                nb[t, 0], nb[t, 1], nb[t, 2] = -1, count, ca
                tri[count, 0], tri[count, 1], tri[count, 2] = p, b, c
                nb[count, 0], nb[count, 1], nb[count, 2] = -1, bc, t
                _relink(nb, bc, t, count)
                stack[0], stack[1] = t, count
                _settle(at, tri, nb, stack, np.int64(2))
                return count + 1
    return -1


@plain_inner
def _within(at, tri, nb, count, p, stack):
    """Put point p in the triangle that it is deepest in; how many triangles there are then."""
    best, where = -math.inf, 0
    for t in range(count):
        a, b, c = tri[t, 0], tri[t, 1], tri[t, 2]
        deep = _turn(at, a, b, p)
        if deep > best:  # or it is not this one, whatever the other two edges say
            deep = min(deep, min(_turn(at, b, c, p), _turn(at, c, a, p)))
        if deep > best:
            best, where = deep, t
        if deep > 0.0:
            break
    t = where
    a, b, c = tri[t, 0], tri[t, 1], tri[t, 2]
    bc, ca = nb[t, 1], nb[t, 2]
    tri[t, 2] = p
    nb[t, 1], nb[t, 2] = count, count + 1
    tri[count, 0], tri[count, 1], tri[count, 2] = b, c, p
    nb[count, 0], nb[count, 1], nb[count, 2] = bc, count + 1, t
    tri[count + 1, 0], tri[count + 1, 1], tri[count + 1, 2] = c, a, p
    nb[count + 1, 0], nb[count + 1, 1], nb[count + 1, 2] = ca, t, count
    _relink(nb, bc, t, count)
    _relink(nb, ca, t, count + 1)
    stack[0], stack[1], stack[2] = t, count, count + 1
    _settle(at, tri, nb, stack, np.int64(3))
    return count + 2


@making_inner
def _smoothed(at, tri, fixed, fine, growth, top):
    """Move each inner node to the mean of its triangles' centres, weighed for the wanted size, unless one would fold over."""
    n = at.shape[0]
    goal = np.zeros((n, 3))
    first = np.zeros(n + 1, np.int64)
    for t in range(tri.shape[0]):
        a, b, c = tri[t, 0], tri[t, 1], tri[t, 2]
        x, y = (at[a, 0] + at[b, 0] + at[c, 0]) / 3.0, (at[a, 1] + at[b, 1] + at[c, 1]) / 3.0
        size = size_at(x, y, fine, growth, top)
        weight = _turn(at, a, b, c) / (size * size * size * size)
        for k in range(3):
            i = tri[t, k]
            goal[i, 0] += weight * x
            goal[i, 1] += weight * y
            goal[i, 2] += weight
            first[i + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    of = np.empty(first[n], np.int64)
    used = np.zeros(n, np.int64)
    for t in range(tri.shape[0]):
        for k in range(3):
            i = tri[t, k]
            of[first[i] + used[i]] = t
            used[i] += 1
    for i in range(fixed, n):
        x, y = at[i, 0], at[i, 1]
        at[i, 0], at[i, 1] = goal[i, 0] / goal[i, 2], goal[i, 1] / goal[i, 2]
        for q in range(first[i], first[i + 1]):
            t = of[q]
            if _turn(at, tri[t, 0], tri[t, 1], tri[t, 2]) <= 1e-9:
                at[i, 0], at[i, 1] = x, y
                break


@making_kernel
def triangulated(at, first, parts, border, fine, growth, top, rounds):
    """Triangles and neighbours over nodes `at` (n, 2), whose inner ones are moved; none when it cannot be done.

    Parameters
    ----------
    first : of the corners of each ring, which come first; parts : border points after each corner, which come next
    border : number of corners and border points; rounds : of smoothing
    """
    n, corners, rings = at.shape[0], first[first.shape[0] - 1], first.shape[0] - 1
    tri = np.empty((2 * n + 2 * rings, 3), np.int64)
    nb = np.empty((2 * n + 2 * rings, 3), np.int64)
    stack = np.empty(64 * tri.shape[0], np.int64)
    loop = np.empty(corners + 2 * rings, np.int64)
    corners_in_loop = _one_loop(at, first, loop)
    count = _ears(at, loop, corners_in_loop, tri) if corners_in_loop > 0 else 0
    if count == 0:
        return tri[:0].copy(), nb[:0].copy()
    _link(tri, nb, count)
    p = corners
    for r in range(rings):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            last = i
            for _ in range(parts[i]):
                count = _on_border(at, tri, nb, count, last, j, p, stack)
                if count < 0:
                    return tri[:0].copy(), nb[:0].copy()
                last = p
                p += 1
    for p in range(border, n):
        count = _within(at, tri, nb, count, p, stack)
    tri, nb = tri[:count].copy(), nb[:count].copy()
    for _ in range(rounds):
        _smoothed(at, tri, border, fine, growth, top)
        for t in range(count):
            stack[t] = count - 1 - t
        _settle(at, tri, nb, stack, count)
    return tri, nb
