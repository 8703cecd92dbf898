# mypy: ignore-errors
"""Kernels for a sparse LU of 3 x 3 blocks on the body graph: minimum degree, symbolic part, factor, solve.

The graph of bodies in contact is nearly planar, so the fill is tiny; blocks are stored flat, and the symbolic part
writes down where each product of the elimination goes, so that the numerical part is three plain loops.
Block layout: n diagonal blocks, then the entries of L column by column, then those of U row by row in the same order.
"""

import numpy as np

from banquise.indices import PlainIndices
from banquise.jit import making_inner as inner
from banquise.jit import making_kernel as kernel
from banquise.jit import njit


@inner
def _unlink(v, degree, head, after, before):
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        head[degree[v]] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]


@inner
def _link(v, degree, head, after, before):
    d = degree[v]
    after[v], before[v] = head[d], -1
    if head[d] >= 0:
        before[head[d]] = v
    head[d] = v


@kernel
def body_graph(a, b, n):
    """Neighbours of each of the n bodies, each once, those of body v at neighbours[start[v]:start[v + 1]]."""
    start = np.zeros(n + 2, np.int64)
    for k in range(a.shape[0]):
        if a[k] < n and b[k] < n:
            start[a[k] + 2] += 1
            start[b[k] + 2] += 1
    for v in range(2, n + 2):
        start[v] += start[v - 1]
    neighbours = np.empty(start[n + 1], np.int64)
    for k in range(a.shape[0]):
        if a[k] < n and b[k] < n:
            neighbours[start[a[k] + 1]] = b[k]
            neighbours[start[b[k] + 1]] = a[k]
            start[a[k] + 1] += 1
            start[b[k] + 1] += 1
    seen, kept = np.full(n, -1, np.int64), 0
    for v in range(n):  # several contacts join the same two: leave one
        first, start[v] = start[v], kept
        for p in range(first, start[v + 1]):
            u = neighbours[p]
            if seen[u] != v:
                seen[u] = v
                neighbours[kept] = u
                kept += 1
    start[n] = kept
    return start[: n + 1], neighbours[:kept]


@kernel
def minimum_degree(start, neighbours, most):
    """Eliminate the node of least degree first, on the explicit graph; returns (position, column starts, rows).

    rows hold, for each eliminated node in order, its neighbours at that moment: the pattern of L for free (the end of
    the array is spare). As soon as the factor takes more than `most` block products it stops, and position is cut short.
    """
    n = start.shape[0] - 1
    degree, first, room = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    pool = np.empty(4 * neighbours.shape[0] + 16 * n + 16, np.int64)
    top = 0
    for v in range(n):
        first[v], degree[v] = top, start[v + 1] - start[v]
        room[v] = degree[v] + 4
        for p in range(degree[v]):
            pool[top + p] = neighbours[start[v] + p]
        top += room[v]
    head = np.full(n + 1, -1, np.int64)
    after, before = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n - 1, -1, -1):
        _link(v, degree, head, after, before)
    position, mark = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    column, rows = np.zeros(n + 1, np.int64), np.empty(4 * neighbours.shape[0] + 16, np.int64)
    least, products = 0, 0
    for step in range(n):
        while head[least] < 0:
            least += 1
        v = head[least]
        d, here = degree[v], first[v]
        products += d * d
        if products > most:
            return position[:step], column[: step + 1], rows
        _unlink(v, degree, head, after, before)
        position[v] = step
        if column[step] + d > rows.shape[0]:
            more = np.empty(2 * rows.shape[0] + d, np.int64)
            for p in range(column[step]):
                more[p] = rows[p]
            rows = more
        for p in range(d):
            rows[column[step] + p] = pool[here + p]
        column[step + 1] = column[step] + d
        for p in range(d):
            u = pool[here + p]
            _unlink(u, degree, head, after, before)
            if top + degree[u] + 2 * d + 8 > pool.shape[0]:
                more = np.empty(2 * pool.shape[0] + degree[u] + 2 * d + 8, np.int64)
                for i in range(top):
                    more[i] = pool[i]
                pool = more
            old, size = first[u], 0
            mark[u] = u
            for i in range(degree[u]):  # keep what is left of the list of u in place, v taken out
                w = pool[old + i]
                mark[w] = u
                if w != v:
                    pool[old + size] = w
                    size += 1
            grown = size
            for i in range(d):
                if mark[pool[here + i]] != u:
                    grown += 1
            if grown > room[u]:
                for i in range(size):
                    pool[top + i] = pool[old + i]
                first[u], room[u] = top, grown + d
                top += room[u]
            for i in range(d):
                w = pool[here + i]
                if mark[w] != u:
                    pool[first[u] + size] = w
                    size += 1
            for i in range(size):  # the stamps of u must not be taken for those of a later node
                mark[pool[first[u] + i]] = -1
            mark[u] = mark[v] = -1
            degree[u] = size
            _link(u, degree, head, after, before)
            least = min(least, size)
    return position, column, rows


@kernel
def block_places(position, column, rows, a, b):
    """Where products and contacts go: (row positions, start of targets, targets, place of block ab, place of ba).

    Row lists are sorted by position; the targets of column v are its d x d pairs (i, j), row by row. What would go to a
    body that cannot move goes to a spare block after the last, so that assembly need not ask.
    """
    n = position.shape[0]
    size = column[n]
    for v in range(n):
        for p in range(column[v], column[v + 1]):
            rows[p] = position[rows[p]]
        for p in range(
            column[v] + 1, column[v + 1]
        ):  # a handful of numbers: insertion; Numba's sort compiles for seconds
            x, q = rows[p], p
            while q > column[v] and rows[q - 1] > x:
                rows[q] = rows[q - 1]
                q -= 1
            rows[q] = x
    start = np.zeros(n + 1, np.int64)
    for v in range(n):
        d = column[v + 1] - column[v]
        start[v + 1] = start[v] + d * d
    target = np.empty(start[n], np.int64)
    where = np.empty(n, np.int64)
    for v in range(n):
        d = column[v + 1] - column[v]
        for p in range(d):
            c = rows[column[v] + p]
            for e in range(column[c], column[c + 1]):
                where[rows[e]] = e
            target[start[v] + p * d + p] = c
            for q in range(p + 1, d):
                e = where[rows[column[v] + q]]
                target[start[v] + q * d + p] = n + e
                target[start[v] + p * d + q] = n + size + e
    m, spare = a.shape[0], n + 2 * size
    ab, ba = np.full(m, spare, np.int64), np.full(m, spare, np.int64)
    for k in range(m):
        if a[k] == n or b[k] == n:
            continue
        i, j = position[a[k]], position[b[k]]
        low, high = min(i, j), max(i, j)
        e = column[low]
        while rows[e] != high:
            e += 1
        ab[k], ba[k] = (n + size + e, n + e) if i < j else (n + e, n + size + e)
    return start, target, ab, ba


@inner
def invert(A, v):
    """Inverse of the 3 x 3 block A[v] in place, by its LU with row exchanges; False if it is singular.

    All in scalars: with rows kept in an array it takes three times as long. Cofactors cost two digits of the whole solution.
    """
    a0, a1, a2, b0, b1, b2 = A[v, 0], A[v, 1], A[v, 2], A[v, 3], A[v, 4], A[v, 5]
    c0, c1, c2 = A[v, 6], A[v, 7], A[v, 8]
    first, second, third = 0, 1, 2  # which row of the block stands where
    if abs(b0) > abs(a0):
        a0, a1, a2, b0, b1, b2 = b0, b1, b2, a0, a1, a2
        first, second = second, first
    if abs(c0) > abs(a0):
        a0, a1, a2, c0, c1, c2 = c0, c1, c2, a0, a1, a2
        first, third = third, first
    f = 1.0 / a0
    lb, lc = b0 * f, c0 * f
    b1, b2, c1, c2 = b1 - lb * a1, b2 - lb * a2, c1 - lc * a1, c2 - lc * a2
    if abs(c1) > abs(b1):
        b1, b2, c1, c2, lb, lc = c1, c2, b1, b2, lc, lb
        second, third = third, second
    g = 1.0 / b1
    lower = c1 * g
    c2 -= lower * b2
    h = 1.0 / c2
    # rows x, y, z of U^-1 L^-1, the last first; its columns go back to where the rows came from
    z0, z1 = (lower * lb - lc) * h, -lower * h
    y0, y1, y2 = (-lb - b2 * z0) * g, (1.0 - b2 * z1) * g, -b2 * h * g
    A[v, first], A[v, second] = (1.0 - a1 * y0 - a2 * z0) * f, -(a1 * y1 + a2 * z1) * f
    A[v, third] = -(a1 * y2 + a2 * h) * f
    A[v, 3 + first], A[v, 3 + second], A[v, 3 + third] = y0, y1, y2
    A[v, 6 + first], A[v, 6 + second], A[v, 6 + third] = z0, z1, h
    return abs(a0) > 0.0 and abs(b1) > 0.0 and abs(c2) > 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, pipeline_class=PlainIndices)
def factor(A, column, start, target):
    """Block LU in place: inverse diagonals, unit L. Right-looking, columns in order, so the bits are always the same.

    False if a diagonal block is singular. Fused multiply-adds: a seventh less time.
    """
    n = column.shape[0] - 1
    size = column[n]
    for v in range(n):
        if not invert(A, v):
            return False
        # Scalars, not views: the inverse stays in registers over the column of L, a block of L over the row of U.
        i0, i1, i2, i3, i4 = A[v, 0], A[v, 1], A[v, 2], A[v, 3], A[v, 4]
        i5, i6, i7, i8 = A[v, 5], A[v, 6], A[v, 7], A[v, 8]
        d, base = column[v + 1] - column[v], column[v]
        for p in range(d):
            l = n + base + p
            x0, x1, x2, x3, x4 = A[l, 0], A[l, 1], A[l, 2], A[l, 3], A[l, 4]
            x5, x6, x7, x8 = A[l, 5], A[l, 6], A[l, 7], A[l, 8]
            l0, l1, l2 = x0 * i0 + x1 * i3 + x2 * i6, x0 * i1 + x1 * i4 + x2 * i7, x0 * i2 + x1 * i5 + x2 * i8
            l3, l4, l5 = x3 * i0 + x4 * i3 + x5 * i6, x3 * i1 + x4 * i4 + x5 * i7, x3 * i2 + x4 * i5 + x5 * i8
            l6, l7, l8 = x6 * i0 + x7 * i3 + x8 * i6, x6 * i1 + x7 * i4 + x8 * i7, x6 * i2 + x7 * i5 + x8 * i8
            A[l, 0], A[l, 1], A[l, 2], A[l, 3], A[l, 4] = l0, l1, l2, l3, l4
            A[l, 5], A[l, 6], A[l, 7], A[l, 8] = l5, l6, l7, l8
            for q in range(d):
                u = n + size + base + q
                t = target[start[v] + p * d + q]
                for j in range(3):
                    u0, u1, u2 = A[u, j], A[u, 3 + j], A[u, 6 + j]
                    A[t, j] -= l0 * u0 + l1 * u1 + l2 * u2
                    A[t, 3 + j] -= l3 * u0 + l4 * u1 + l5 * u2
                    A[t, 6 + j] -= l6 * u0 + l7 * u1 + l8 * u2
    return True


@inner
def substitute(A, column, rows, x):
    """Solve with the factor; x (n, 3) by position, in place."""
    n = column.shape[0] - 1
    size = column[n]
    for v in range(n):
        s0, s1, s2 = x[v, 0], x[v, 1], x[v, 2]
        for p in range(column[v], column[v + 1]):
            l, i = n + p, rows[p]
            x[i, 0] -= A[l, 0] * s0 + A[l, 1] * s1 + A[l, 2] * s2
            x[i, 1] -= A[l, 3] * s0 + A[l, 4] * s1 + A[l, 5] * s2
            x[i, 2] -= A[l, 6] * s0 + A[l, 7] * s1 + A[l, 8] * s2
    for v in range(n - 1, -1, -1):
        s0, s1, s2 = x[v, 0], x[v, 1], x[v, 2]
        for p in range(column[v], column[v + 1]):
            u, x0, x1, x2 = n + size + p, x[rows[p], 0], x[rows[p], 1], x[rows[p], 2]
            s0 -= A[u, 0] * x0 + A[u, 1] * x1 + A[u, 2] * x2
            s1 -= A[u, 3] * x0 + A[u, 4] * x1 + A[u, 5] * x2
            s2 -= A[u, 6] * x0 + A[u, 7] * x1 + A[u, 8] * x2
        for s in range(3):
            x[v, s] = A[v, 3 * s] * s0 + A[v, 3 * s + 1] * s1 + A[v, 3 * s + 2] * s2


@kernel
def number_bodies(a, b, fixed, local_a, local_b):
    """Number the bodies of some contacts 0, 1, ... in order of first appearance; `fixed` becomes their count, returned."""
    lowest, highest = fixed, -1
    for k in range(a.shape[0]):
        for body in (a[k], b[k]):
            if body != fixed:
                lowest, highest = min(lowest, body), max(highest, body)
    number = np.full(max(highest - lowest + 1, 1), -1, np.int64)
    n = 0
    for k in range(a.shape[0]):
        for body in (a[k], b[k]):
            if body != fixed and number[body - lowest] < 0:
                number[body - lowest] = n
                n += 1
    for k in range(a.shape[0]):
        local_a[k] = number[a[k] - lowest] if a[k] != fixed else n
        local_b[k] = number[b[k] - lowest] if b[k] != fixed else n
    return n
