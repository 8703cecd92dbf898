"""Kernels of the stiffness matrix of a mesh: nodes in an order that keeps it narrow, its factor, solutions, its inverse.

A row of the matrix begins at the first node that shares an element with its own (`low`, by node), and its Cholesky factor
begins there too. So a factor of 400 unknowns takes half a million products instead of twenty million, and an inverse three
million instead of forty.

Some displacements may be kept at zero: component `ways[k]` (unit) at node `nodes[k]`. The stiffness forgets them (Q K Q, with
Q what is left), and the inverse is zero there. Rigid motions that this leaves free are pinned at as many more components:
a load in equilibrium does not feel the pins, and its displacement is right up to these motions.
"""

import math

import numpy as np

from banquise.jit import making_inner, making_kernel, making_loose_inner, making_loose_kernel, plain_loose_kernel

LOOSE = 1e-6  # a rigid motion of unit size that moves a held component by less is not held by it


@making_kernel
def narrow_order(elements, n, seed):
    """New number of each node: last the node `seed`, before it its neighbours, before them theirs (Cuthill and McKee)."""
    first = np.zeros(n + 1, np.int64)
    for e in range(elements.shape[0]):
        for k in range(3):
            first[elements[e, k] + 1] += 2
    for i in range(n):
        first[i + 1] += first[i]
    near = np.empty(first[n], np.int64)
    filled = first[:n].copy()
    for e in range(elements.shape[0]):
        for k in range(3):
            i = elements[e, k]
            near[filled[i]], near[filled[i] + 1] = elements[e, (k + 1) % 3], elements[e, (k + 2) % 3]
            filled[i] += 2
    number = np.full(n, -1, np.int64)
    queue = np.empty(n, np.int64)
    found = 0
    for start in range(-1, n):  # nodes that nothing joins to the first one get their turn too
        i = seed if start < 0 else start
        if number[i] >= 0:
            continue
        queue[found], number[i] = i, n - 1 - found
        done = found
        found += 1
        while done < found:
            i = queue[done]
            done += 1
            for at in range(first[i], first[i + 1]):
                j = near[at]
                if number[j] < 0:
                    queue[found], number[j] = j, n - 1 - found
                    found += 1
    return number


@making_kernel
def lows(elements, n):
    """The first node with which each node shares an element, and the last one whose row reaches back to each."""
    low, high = np.arange(n), np.arange(n)
    for e in range(elements.shape[0]):
        least = min(elements[e, 0], min(elements[e, 1], elements[e, 2]))
        for k in range(3):
            low[elements[e, k]] = min(low[elements[e, k]], least)
    for i in range(n):
        for j in range(low[i], i):
            high[j] = max(high[j], i)
    return low, high


@making_inner
def _left_free(basis, left, held):
    """Take the motion that a held component feels (its rows, 3) out of the `left` columns of a basis; how many are left."""
    felt = np.zeros(3)
    long = 0.0
    for q in range(left):
        for p in range(3):
            felt[q] += basis[p, q] * held[p]
        long += felt[q] * felt[q]
    long = math.sqrt(long)
    # a reflection that brings `felt` to the last column, which then goes
    last = left - 1
    felt[last] += long if felt[last] >= 0.0 else -long
    square = 0.0
    for q in range(left):
        square += felt[q] * felt[q]
    for p in range(3):
        along = 0.0
        for q in range(left):
            along += basis[p, q] * felt[q]
        for q in range(left):
            basis[p, q] -= 2.0 * along / square * felt[q]
    return last


@making_kernel
def pinned(modes, nodes, ways):
    """The held components with pins for the rigid motions that they leave free after them, and these motions (2n, free)."""
    n, given = modes.shape[0], nodes.shape[0]
    basis = np.eye(3)
    left = 3
    while left > 0:  # the component that feels most of what is still free first
        best, chosen = LOOSE, -1
        for k in range(given):
            moved = 0.0
            for q in range(left):
                felt = 0.0
                for p in range(3):
                    felt += basis[p, q] * (ways[k, 0] * modes[nodes[k], 0, p] + ways[k, 1] * modes[nodes[k], 1, p])
                moved += felt * felt
            if math.sqrt(moved) > best:
                best, chosen = math.sqrt(moved), k
        if chosen < 0:
            break
        held = np.empty(3)
        for p in range(3):
            held[p] = ways[chosen, 0] * modes[nodes[chosen], 0, p] + ways[chosen, 1] * modes[nodes[chosen], 1, p]
        left = _left_free(basis, left, held)
    free = np.zeros((2 * n, left))
    for i in range(n):
        for c in range(2):
            for q in range(left):
                for p in range(3):
                    free[2 * i + c, q] += modes[i, c, p] * basis[p, q]
    all_nodes, all_ways = np.empty(given + left, np.int64), np.empty((given + left, 2))
    for k in range(given):
        all_nodes[k], all_ways[k, 0], all_ways[k, 1] = nodes[k], ways[k, 0], ways[k, 1]
    at = given
    while left > 0:  # pinned where the last of the free motions is greatest
        best, chosen, x, y = -1.0, 0, 0.0, 0.0
        for i in range(n):
            u = v = 0.0
            for p in range(3):
                u += modes[i, 0, p] * basis[p, left - 1]
                v += modes[i, 1, p] * basis[p, left - 1]
            if u * u + v * v > best:
                best, chosen, x, y = u * u + v * v, i, u, v
        long = math.sqrt(best)
        all_nodes[at], all_ways[at, 0], all_ways[at, 1] = chosen, x / long, y / long
        held = np.empty(3)
        for p in range(3):
            held[p] = all_ways[at, 0] * modes[chosen, 0, p] + all_ways[at, 1] * modes[chosen, 1, p]
        left = _left_free(basis, left, held)
        at += 1
    return all_nodes, all_ways, free


@making_loose_inner
def _assembled(elements, stiffness, low, nodes, ways, held, stiff, L):
    """Rows of Q K Q from their first column on, with springs on the components that are held or pinned."""
    n = low.shape[0]
    Q = np.zeros((n, 2, 2))
    for i in range(n):
        Q[i, 0, 0] = Q[i, 1, 1] = 1.0
    for k in range(held):
        for c in range(2):
            for d in range(2):
                Q[nodes[k], c, d] -= ways[k, c] * ways[k, d]
    touched = np.zeros(n, np.bool_)
    for k in range(held):
        touched[nodes[k]] = True
    for e in range(elements.shape[0]):
        for k in range(3):
            i = elements[e, k]
            for q in range(3):
                j = elements[e, q]
                if j > i:
                    continue
                at = 2 * (j - low[i])
                a, b = stiffness[e, 2 * k, 2 * q], stiffness[e, 2 * k, 2 * q + 1]
                c, d = stiffness[e, 2 * k + 1, 2 * q], stiffness[e, 2 * k + 1, 2 * q + 1]
                if touched[i]:
                    P = Q[i]
                    a, c = P[0, 0] * a + P[0, 1] * c, P[1, 0] * a + P[1, 1] * c
                    b, d = P[0, 0] * b + P[0, 1] * d, P[1, 0] * b + P[1, 1] * d
                if touched[j]:
                    P = Q[j]
                    a, b = a * P[0, 0] + b * P[1, 0], a * P[0, 1] + b * P[1, 1]
                    c, d = c * P[0, 0] + d * P[1, 0], c * P[0, 1] + d * P[1, 1]
                L[2 * i, at] += a
                L[2 * i, at + 1] += b
                L[2 * i + 1, at] += c
                L[2 * i + 1, at + 1] += d
    for k in range(nodes.shape[0]):
        i = nodes[k]
        at = 2 * (i - low[i])
        for c in range(2):
            for d in range(2):
                L[2 * i + c, at + d] += stiff * ways[k, c] * ways[k, d]


@making_loose_kernel
def factored(elements, stiffness, low, nodes, ways, held, stiff):
    """Cholesky factor, row 2 i + c from column 2 low[i] on, diagonal inverted; empty when the matrix is not positive.

    The first `held` components are kept at zero, the others pinned, by springs of stiffness `stiff`. Two rows and two columns
    at a time: four sums over the same numbers.
    """
    n = low.shape[0]
    wide = 0
    for i in range(n):
        wide = max(wide, i - low[i] + 1)
    L = np.zeros((2 * n, 2 * wide))
    _assembled(elements, stiffness, low, nodes, ways, held, stiff, L)
    for i in range(n):
        p, q = 2 * i, 2 * i + 1
        for j in range(low[i], i + 1):
            start = max(low[i], low[j])
            mine, its, many = 2 * (start - low[i]), 2 * (start - low[j]), 2 * (j - start)
            a = b = c = d = 0.0
            for k in range(many):
                x, y, u, v = L[p, mine + k], L[q, mine + k], L[2 * j, its + k], L[2 * j + 1, its + k]
                a += x * u
                b += x * v
                c += y * u
                d += y * v
            at = 2 * (j - low[i])
            a, b, c, d = L[p, at] - a, L[p, at + 1] - b, L[q, at] - c, L[q, at + 1] - d
            if j < i:
                own = 2 * (j - low[j])
                first, across, second = L[2 * j, own], L[2 * j + 1, own], L[2 * j + 1, own + 1]
                a *= first
                c *= first
                L[p, at], L[p, at + 1] = a, (b - a * across) * second
                L[q, at], L[q, at + 1] = c, (d - c * across) * second
            else:
                if not a > 0.0:
                    return np.empty((0, 0))
                a = 1.0 / math.sqrt(a)
                c *= a
                d -= c * c
                if not d > 0.0:
                    return np.empty((0, 0))
                L[p, at], L[p, at + 1], L[q, at], L[q, at + 1] = a, 0.0, c, 1.0 / math.sqrt(d)
    return L


@plain_loose_kernel
def solved(L, low, X):
    """Solve for the rows of X (k, 2n) in place."""
    n = L.shape[0]
    for s in range(X.shape[0]):
        for r in range(n):
            start = 2 * low[r // 2]
            value = X[s, r]
            for c in range(start, r):
                value -= L[r, c - start] * X[s, c]
            X[s, r] = value * L[r, r - start]
        for r in range(n - 1, -1, -1):
            start = 2 * low[r // 2]
            value = X[s, r] * L[r, r - start]
            X[s, r] = value
            for c in range(start, r):
                X[s, c] -= L[r, c - start] * value


@making_loose_kernel
def inverted(L, low, high, nodes, ways, held, stiff, taken, by):
    """The inverse (2n, 2n) less taken (2n, k) by (k, 2n), a symmetric product, zero on the components that are held.

    From the last row up: row r of L^T G = L^-1 is zero beyond the diagonal, so what is beyond it in row r of G follows from
    rows below, of which those count that reach back to r. The two rows of a node at a time, by two nodes below.
    """
    n = L.shape[0]
    G = np.empty((n, n))
    rows, parts = np.empty(n // 2 + 1, np.int64), np.empty((n // 2 + 1, 4))
    for node in range(n // 2 - 1, -1, -1):
        p, q, own = 2 * node, 2 * node + 1, 2 * (node - low[node])
        first, across, second = L[p, own], L[q, own], L[q, own + 1]
        many = 0
        for k in range(node + 1, high[node] + 1):
            at = 2 * (node - low[k])
            if at >= 0:
                rows[many] = 2 * k
                parts[many, 0], parts[many, 1] = -first * L[2 * k, at], -first * L[2 * k + 1, at]
                parts[many, 2], parts[many, 3] = -second * L[2 * k, at + 1], -second * L[2 * k + 1, at + 1]
                many += 1
        one, two = G[p], G[q]
        for x in range(q + 1, n):
            one[x] = two[x] = 0.0
        if many % 2 == 1:
            rows[many] = rows[0]
            parts[many, 0] = parts[many, 1] = parts[many, 2] = parts[many, 3] = 0.0
        for at in range(0, many, 2):
            a, b, c, d = parts[at, 0], parts[at, 1], parts[at, 2], parts[at, 3]
            e, f, g, h = parts[at + 1, 0], parts[at + 1, 1], parts[at + 1, 2], parts[at + 1, 3]
            i, j, k, m = G[rows[at]], G[rows[at] + 1], G[rows[at + 1]], G[rows[at + 1] + 1]
            for x in range(q + 1, n):
                one[x] += a * i[x] + b * j[x] + e * k[x] + f * m[x]
                two[x] += c * i[x] + d * j[x] + g * k[x] + h * m[x]
        across *= -first
        for x in range(q + 1, n):
            one[x] += across * two[x]
        a, b, c = first * first, 0.0, second * second
        for at in range(many):
            i, j = rows[at], rows[at] + 1
            c += parts[at, 2] * two[i] + parts[at, 3] * two[j]
            b += parts[at, 0] * two[i] + parts[at, 1] * two[j]
            a += parts[at, 0] * one[i] + parts[at, 1] * one[j]
        b += across * c
        one[p], one[q], two[p], two[q] = a + across * b, b, b, c
        for k in range(q + 1, 2 * high[node] + 2):  # rows further up look at these
            G[k, p], G[k, q] = one[k], two[k]
    for k in range(held):
        i = 2 * nodes[k]
        for c in range(2):
            for d in range(2):
                G[i + c, i + d] -= ways[k, c] * ways[k, d] / stiff
    for r in range(n):
        for q in range(0, taken.shape[1] - 2, 3):
            a, b, c = taken[r, q], taken[r, q + 1], taken[r, q + 2]
            for x in range(r, n):
                G[r, x] -= a * by[q, x] + b * by[q + 1, x] + c * by[q + 2, x]
        for q in range(taken.shape[1] - taken.shape[1] % 3, taken.shape[1]):
            a = taken[r, q]
            for x in range(r, n):
                G[r, x] -= a * by[q, x]
    for top in range(0, n, 32):  # tile by tile: rows and columns of a tile stay in the cache
        for left in range(0, top + 1, 32):
            for i in range(top, min(top + 32, n)):
                for j in range(left, min(left + 32, i)):
                    G[i, j] = G[j, i]
    return G
