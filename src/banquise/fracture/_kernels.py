"""Kernels of the fracture part: spreading mesh points, cutting a mesh along a chord, the small non-negative problem.

A chord cuts the elements it crosses in two; on each of them every node gets a second displacement (its ghost, the
value of the other lip's field at that node). Constant strains make every cut integral a matter of the two sub-areas.
"""

import numpy as np
from numba import njit

NUDGE = 0.01  # a node nearer to the chord than this part of the local size is taken to lie that far from it
GRAZE = 1e-3  # an element crossed over less than this part of its size is not crossed


@njit(cache=True, nogil=True)
def spread(points, sizes, placed, factor):
    """Keep points one by one, each at `factor` times its size from all `placed` and all kept before it."""
    n = points.shape[0]
    m = placed.shape[0]
    kept = np.zeros(n, np.bool_)
    near = np.empty((m + n, 2))
    near[:m] = placed
    count = m
    for i in range(n):
        reach = (factor * sizes[i]) ** 2
        free = True
        for j in range(count):
            dx = near[j, 0] - points[i, 0]
            dy = near[j, 1] - points[i, 1]
            if dx * dx + dy * dy < reach:
                free = False
                break
        if free:
            kept[i] = True
            near[count] = points[i]
            count += 1
    return kept


@njit(cache=True, nogil=True)
def _size_at(x, y, fine, growth, top):
    """The least of `top` and, for each fine place (x0, y0, x1, y1, size: a stretch), size + growth * distance."""
    least = top
    for k in range(fine.shape[0]):
        if fine[k, 4] < least:
            ex, ey = fine[k, 2] - fine[k, 0], fine[k, 3] - fine[k, 1]
            dx, dy = x - fine[k, 0], y - fine[k, 1]
            long = ex * ex + ey * ey
            if long > 0.0:
                part = min(max((dx * ex + dy * ey) / long, 0.0), 1.0)
                dx -= part * ex
                dy -= part * ey
            away = dx * dx + dy * dy
            room = (least - fine[k, 4]) / growth
            if away < room * room:
                least = fine[k, 4] + growth * np.sqrt(away)
    return least


@njit(cache=True, nogil=True)
def local_size(points, fine, growth, top):
    """Size wanted at each point."""
    out = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        out[i] = _size_at(points[i, 0], points[i, 1], fine, growth, top)
    return out


@njit(cache=True, nogil=True)
def lattice(x0, y0, step, columns, rows, first_column, first_row, fine, growth, top):
    """(k, 3) x, y, size wanted: those points of a hexagonal lattice of that step from (x0, y0) where about it is wanted."""
    out = np.empty((columns * rows, 3))
    count = 0
    for j in range(first_row, first_row + rows):
        for i in range(first_column, first_column + columns):
            x, y = x0 + step * (i + 0.5 * (j % 2)), y0 + 0.866 * step * (j + 0.5)
            size = _size_at(x, y, fine, growth, top)
            if 0.9 * step <= size < 1.13 * step:
                out[count, 0], out[count, 1], out[count, 2] = x, y, size
                count += 1
    return out[:count].copy()


@njit(cache=True, nogil=True)
def across(points, inward, segments):
    """Distance from each border point, straight into the ice, to the opposite border (inf when none is met)."""
    n = points.shape[0]
    out = np.full(n, np.inf)
    for i in range(n):
        px, py = points[i, 0], points[i, 1]
        dx, dy = inward[i, 0], inward[i, 1]
        for k in range(segments.shape[0]):
            ax, ay = segments[k, 0] - px, segments[k, 1] - py
            ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
            det = dx * ey - dy * ex
            if abs(det) < 1e-14:
                continue
            t = (ax * ey - ay * ex) / det
            s = (ax * dy - ay * dx) / det
            if t > 1e-7 and -1e-9 <= s <= 1 + 1e-9 and t < out[i]:
                out[i] = t
    return out


@njit(cache=True, nogil=True)
def assembled(elements, stiffness, moments, weight):
    """Sum of the element stiffnesses (ne, 6, 6) and weight * moments moments^T, as (2n, 2n)."""
    n = moments.shape[0]
    K = np.empty((n, n))
    for i in range(n):
        a, b, c = weight * moments[i, 0], weight * moments[i, 1], weight * moments[i, 2]
        for j in range(n):
            K[i, j] = a * moments[j, 0] + b * moments[j, 1] + c * moments[j, 2]
    for e in range(elements.shape[0]):
        for k in range(6):
            for q in range(6):
                K[2 * elements[e, k // 2] + k % 2, 2 * elements[e, q // 2] + q % 2] += stiffness[e, k, q]
    return K


@njit(cache=True, nogil=True)
def mirror(matrix):
    """Copy the lower triangle over the upper one, tile by tile: rows and columns of a tile stay in the cache."""
    n = matrix.shape[0]
    for top in range(0, n, 32):
        for left in range(0, top + 1, 32):
            for i in range(top, min(top + 32, n)):
                for j in range(left, min(left + 32, i)):
                    matrix[j, i] = matrix[i, j]


@njit(cache=True, nogil=True)
def _levels(nodes, elements, size, grip, start, nu, level):
    """Signed distances to the line of the chord, kept off zero so that no cut part vanishes.

    A node on the chord that ends a frozen edge goes with that edge, or the piece across would be held by it.
    """
    for i in range(nodes.shape[0]):
        d = (nodes[i, 0] - start[0]) * nu[0] + (nodes[i, 1] - start[1]) * nu[1]
        least = NUDGE * size[i]
        if abs(d) < least:
            d = least if d >= 0 else -least
        level[i] = d
    for e in range(elements.shape[0]):
        for k in range(3):
            if grip[e, k] < 0:
                continue
            for i, j in ((elements[e, k], elements[e, (k + 1) % 3]), (elements[e, (k + 1) % 3], elements[e, k])):
                least = NUDGE * size[i]
                if abs(level[i]) <= least and abs(level[j]) > NUDGE * size[j]:
                    level[i] = least if level[j] > 0 else -least


@njit(cache=True, nogil=True)
def _crossed(nodes, elements, size, start, tangent, length, level, cut, entry, leave):
    """Mark the elements that the chord itself (not its line) crosses, with the stretch of the chord in each."""
    count = 0
    for e in range(elements.shape[0]):
        cut[e] = -1
        low = np.inf
        high = -np.inf
        for k in range(3):
            i, j = elements[e, k], elements[e, (k + 1) % 3]
            if (level[i] > 0) != (level[j] > 0):
                f = level[i] / (level[i] - level[j])
                x = nodes[i, 0] + f * (nodes[j, 0] - nodes[i, 0])
                y = nodes[i, 1] + f * (nodes[j, 1] - nodes[i, 1])
                s = (x - start[0]) * tangent[0] + (y - start[1]) * tangent[1]
                low = min(low, s)
                high = max(high, s)
        if high > low:
            graze = GRAZE * size[elements[e, 0]]
            if min(high, length) - max(low, 0.0) > graze and (high <= length + graze or low < length - graze):
                cut[e] = count
                entry[count] = low
                leave[count] = high
                count += 1
    return count


@njit(cache=True, nogil=True)
def _sides(elements, neighbours, level, cut, side, stack):
    """Flood the uncut elements from both lips: side +1 or -1 of each; False when one reaches the other."""
    n = elements.shape[0]
    for e in range(n):
        side[e] = 0
    top = 0
    for e in range(n):
        if cut[e] < 0:
            continue
        for k in range(3):
            i, j = elements[e, k], elements[e, (k + 1) % 3]
            f = neighbours[e, k]
            if f < 0 or cut[f] >= 0 or (level[i] > 0) != (level[j] > 0):
                continue
            sign = 1 if level[i] > 0 else -1
            if side[f] == 0:
                side[f] = sign
                stack[top] = f
                top += 1
                while top > 0:
                    top -= 1
                    g = stack[top]
                    for q in range(3):
                        h = neighbours[g, q]
                        if h >= 0 and cut[h] < 0 and side[h] == 0:
                            side[h] = sign
                            stack[top] = h
                            top += 1
            elif side[f] != sign:
                return False
    missed = 0
    for e in range(n):
        if cut[e] < 0 and side[e] == 0:
            missed += 1
    return missed == 0


@njit(cache=True, nogil=True)
def _corner(level, elements, e):
    """The node of a cut element that is alone on its side, as 0, 1 or 2."""
    p0 = level[elements[e, 0]] > 0
    p1 = level[elements[e, 1]] > 0
    p2 = level[elements[e, 2]] > 0
    if p1 == p2:
        return 0
    return 1 if p0 == p2 else 2


@njit(cache=True, nogil=True)
def _number_ghosts(nodes, elements, start, tangent, level, cut, leave, tip, number):
    """Number the nodes that get a ghost, then the two nodes of the edge at the tip, which get none."""
    number[:] = -1
    ne = elements.shape[0]
    held = np.full(2, -1, np.int64)
    if tip:
        last = -np.inf
        for e in range(ne):
            if cut[e] >= 0:
                last = max(last, leave[cut[e]])
        for e in range(ne):
            if cut[e] < 0 or leave[cut[e]] < last - 1e-12:
                continue
            for k in range(3):
                i, j = elements[e, k], elements[e, (k + 1) % 3]
                if (level[i] > 0) != (level[j] > 0):
                    f = level[i] / (level[i] - level[j])
                    x = nodes[i, 0] + f * (nodes[j, 0] - nodes[i, 0])
                    y = nodes[i, 1] + f * (nodes[j, 1] - nodes[i, 1])
                    if (x - start[0]) * tangent[0] + (y - start[1]) * tangent[1] >= last - 1e-12:
                        held[0], held[1] = i, j
    ghosts = 0
    for e in range(ne):
        if cut[e] >= 0:
            for k in range(3):
                i = elements[e, k]
                if number[i] == -1 and i != held[0] and i != held[1]:
                    number[i] = ghosts
                    ghosts += 1
    if tip:
        number[held[0]] = ghosts
        number[held[1]] = ghosts + 1
    return ghosts


@njit(cache=True, nogil=True)
def _parts(level, elements, e, area, bary, part, mass):
    """Sub-areas (as parts of the element) and P1 mass matrices of the two sides of a cut element; 1 is the + side.

    Rows 1 and 2 of `bary` are the two crossing points in barycentric coordinates.
    """
    p0 = level[elements[e, 0]] > 0
    p1 = level[elements[e, 1]] > 0
    p2 = level[elements[e, 2]] > 0
    corner = 2  # the node alone on its side
    if p1 == p2:
        corner = 0
    elif p0 == p2:
        corner = 1
    c1, c2 = (corner + 1) % 3, (corner + 2) % 3
    l0, l1, l2 = level[elements[e, corner]], level[elements[e, c1]], level[elements[e, c2]]
    f1, f2 = l0 / (l0 - l1), l0 / (l0 - l2)
    bary[:] = 0.0
    bary[0, corner] = 1.0
    bary[1, corner], bary[1, c1] = 1.0 - f1, f1
    bary[2, corner], bary[2, c2] = 1.0 - f2, f2
    alone = 1 if l0 > 0 else 0
    part[alone] = f1 * f2
    part[1 - alone] = 1.0 - f1 * f2
    for k in range(3):
        for q in range(3):
            total = area / 12.0 * (2.0 if k == q else 1.0)
            sums = (bary[0, k] + bary[1, k] + bary[2, k]) * (bary[0, q] + bary[1, q] + bary[2, q])
            both = bary[0, k] * bary[0, q] + bary[1, k] * bary[1, q] + bary[2, k] * bary[2, q]
            mass[alone, k, q] = area * f1 * f2 / 12.0 * (both + sums)
            mass[1 - alone, k, q] = total - mass[alone, k, q]


@njit(cache=True, nogil=True)
def _whole_moments(elements, area, modes, side, QP):
    """Moments of the uncut elements of the + side; returns their area."""
    plus = 0.0
    for e in range(elements.shape[0]):
        if side[e] > 0:
            plus += area[e]
            for k in range(3):
                for q in range(3):
                    m = area[e] / 12.0 * (2.0 if k == q else 1.0)
                    for c in range(2):
                        for z in range(3):
                            QP[elements[e, k], c, z] += m * modes[elements[e, q], c, z]
    return plus


@njit(cache=True, nogil=True)
def cut_mesh(nodes, elements, neighbours, stiffness, area, size, stress, modes, grip, grips, hold, start, end, tip, u0):
    """The small problem of one chord: ghosts, separates, area of the + side, then the arrays below. Ghosts 0: no ice.

    Parameters
    ----------
    stiffness : (ne, 6, 6) of the elements; area : (ne,); size : (n,) local size at the nodes; stress : (ne, 3) of u0
    modes : (n, 2, 3) rigid modes at the nodes; grip : (ne, 3) index into `grips` (k, 2, 2) of each element edge,
        -1 where the displacement is free; hold : stiffness that keeps a gripped ghost still
    tip : whether the chord ends inside; the nodes of the last edge crossed then get no ghost

    Returns
    -------
    touched : nodes of the small problem: first those with a ghost, then those of the tip
    D, B : ghost x ghost and touched x ghost; QA : moments of the ghosts, in all and on the + side, 3 columns each
    QP : (n, 2, 3) moments of the standard functions on the + side
    jump, slip : (m, 2g) normal and tangential opening at the middle of each crossing
    pressure : (m,) force that u0 presses on each; stretch : (m, 2) of the chord in each; t : (2g,) load on the ghosts
    """
    ne = elements.shape[0]
    length = np.sqrt((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2)
    tangent = (end - start) / length
    nu = np.array([-tangent[1], tangent[0]])
    level = np.empty(nodes.shape[0])
    cut = np.empty(ne, np.int64)
    entry = np.empty(ne)
    leave = np.empty(ne)
    _levels(nodes, elements, size, grip, start, nu, level)
    crossed = _crossed(nodes, elements, size, start, tangent, length, level, cut, entry, leave)
    side = np.zeros(ne, np.int64)
    separates = False
    if not tip and crossed > 0:
        separates = _sides(elements, neighbours, level, cut, side, np.empty(ne, np.int64))
    number = np.empty(nodes.shape[0], np.int64)
    ghosts = _number_ghosts(nodes, elements, start, tangent, level, cut, leave, tip and crossed > 0, number)
    touched = np.empty(ghosts + (2 if tip and crossed > 0 else 0), np.int64)
    for i in range(nodes.shape[0]):
        if number[i] >= 0:
            touched[number[i]] = i
    D = np.zeros((2 * ghosts, 2 * ghosts))
    B = np.zeros((2 * touched.shape[0], 2 * ghosts))
    QA = np.zeros((2 * ghosts, 6))
    QP = np.zeros((nodes.shape[0], 2, 3))
    jump = np.zeros((crossed, 2 * ghosts))
    slip = np.zeros((crossed, 2 * ghosts))
    pressure = np.empty(crossed)
    stretch = np.empty((crossed, 2))
    t = np.zeros(2 * ghosts)
    plus = _whole_moments(elements, area, modes, side, QP) if separates else 0.0
    mass = np.empty((2, 3, 3))
    part = np.empty(2)
    bary = np.empty((3, 3))
    for e in range(ne):
        row = cut[e]
        if row < 0:
            continue
        _parts(level, elements, e, area[e], bary, part, mass)
        plus += area[e] * part[1]
        stretch[row, 0] = entry[row]
        stretch[row, 1] = leave[row]
        pull = stress[e, 0] * nu[0] ** 2 + stress[e, 1] * nu[1] ** 2 + 2.0 * stress[e, 2] * nu[0] * nu[1]
        pressure[row] = -pull * (leave[row] - entry[row])
        for k in range(3):
            i = elements[e, k]
            other = 0 if level[i] > 0 else 1  # the side of its ghost
            a = number[i]
            sign = 1.0 if other == 1 else -1.0  # a ghost on the + side moves the + lip
            for c in range(2):
                if a < ghosts:
                    jump[row, 2 * a + c] += sign * 0.5 * (bary[1, k] + bary[2, k]) * nu[c]
                    slip[row, 2 * a + c] += sign * 0.5 * (bary[1, k] + bary[2, k]) * tangent[c]
                for q in range(3):
                    j = elements[e, q]
                    b = number[j]
                    for z in range(3):
                        QP[i, c, z] += mass[1, k, q] * modes[j, c, z]
                        if a < ghosts:
                            QA[2 * a + c, z] += mass[other, k, q] * modes[j, c, z]
                            if other == 1:
                                QA[2 * a + c, 3 + z] += mass[1, k, q] * modes[j, c, z]
                    if a >= ghosts:
                        continue
                    same = b < ghosts and (level[j] > 0) == (level[i] > 0)
                    for d in range(2):
                        s = part[other] * stiffness[e, 2 * k + c, 2 * q + d]
                        t[2 * a + c] -= s * u0[j, d]
                        B[2 * b + d, 2 * a + c] += s
                        if same:
                            D[2 * a + c, 2 * b + d] += s
        for k in range(3):
            i, j = elements[e, k], elements[e, (k + 1) % 3]
            nudged = min(abs(level[i]) / size[i], abs(level[j]) / size[j]) < NUDGE * (1.0 + 1e-9)
            # A crack that leaves through a node is not gripped by the frozen edges that end there.
            if grip[e, k] >= 0 and (level[i] > 0) != (level[j] > 0) and not nudged:
                for c in range(2):
                    for d in range(2):
                        held = hold * grips[grip[e, k], c, d]
                        if number[i] < ghosts:
                            D[2 * number[i] + c, 2 * number[i] + d] += held
                        if number[j] < ghosts:
                            D[2 * number[j] + c, 2 * number[j] + d] += held
    return ghosts, separates, plus, touched, D, B, QA, QP, jump, slip, pressure, stretch, t


@njit(cache=True, nogil=True)
def eliminated(inverse, touched, D, B, S):
    """S = D - B^T G B, with G the rows and columns of `inverse` at the touched nodes.

    B couples nodes of one cut element only, some ten entries a column: no products with zero are made.
    """
    n, m = B.shape
    first = np.zeros(m + 1, np.int64)
    index = np.empty(n * m, np.int64)
    at = 0
    for a in range(m):
        for k in range(n):
            if B[k, a] != 0.0:
                index[at] = k
                at += 1
        first[a + 1] = at
    local = np.empty((n, n))
    for i in range(touched.shape[0]):
        for j in range(touched.shape[0]):
            p, q = 2 * touched[i], 2 * touched[j]
            local[2 * i, 2 * j] = inverse[p, q]
            local[2 * i, 2 * j + 1] = inverse[p, q + 1]
            local[2 * i + 1, 2 * j] = inverse[p + 1, q]
            local[2 * i + 1, 2 * j + 1] = inverse[p + 1, q + 1]
    row = np.empty(n)
    spread = np.empty((n, m))  # G B
    for a in range(m):
        for k in range(n):
            row[k] = 0.0
        for at in range(first[a], first[a + 1]):
            k = index[at]
            value = B[k, a]
            for c in range(n):
                row[c] += value * local[k, c]
        for k in range(n):
            spread[k, a] = row[k]
    for a in range(m):
        for b in range(m):
            S[a, b] = D[a, b]
        for at in range(first[a], first[a + 1]):
            k = index[at]
            value = B[k, a]
            for b in range(m):
                S[a, b] -= value * spread[k, b]


@njit(cache=True, nogil=True)
def _inverse_of_three(X, out):
    """Inverse of a 3 x 3 matrix by its cofactors."""
    for i in range(3):
        for j in range(3):
            a, b, c, d = (j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3
            out[i, j] = X[a, c] * X[b, d] - X[a, d] * X[b, c]
    det = X[0, 0] * out[0, 0] + X[0, 1] * out[1, 0] + X[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= det


@njit(cache=True, nogil=True)
def frozen(drift, drift_energy, push, touched, B, moments, side, spread, separates, S, t):
    """Add to S and t what keeps the mean motion of the floe, and of each of two pieces, as it was.

    With W = [whole, B^T drift, (B^T spread - own)], the moments of the ghosts on the rigid modes and what standard functions
    take of them, S gets W core W^T; core couples the first two by -1, and holds the drift's energy and (side^T spread)^-1.
    """
    m = S.shape[0]
    wide = np.zeros((m, 9))
    core = np.zeros((9, 9))
    mixed = np.zeros((3, 3))  # drift^T side
    square = np.zeros((3, 3))  # side^T spread
    for p in range(3):
        core[p, 3 + p] = core[3 + p, p] = -1.0
        for q in range(3):
            core[p, q] = drift_energy[p, q]
    if separates:
        for i in range(side.shape[0]):
            for q in range(3):
                value = side[i, q]
                if value != 0.0:
                    for p in range(3):
                        mixed[p, q] += drift[i, p] * value
                        square[q, p] += value * spread[i, p]
        _inverse_of_three(square, core[6:, 6:])
    for a in range(m):
        for q in range(3):
            wide[a, q] = moments[a, q]
            t[a] -= moments[a, q] * push[q]
            if separates:
                wide[a, 6 + q] = -moments[a, 3 + q]
                for p in range(3):
                    wide[a, 6 + q] += moments[a, p] * mixed[p, q]
    for k in range(B.shape[0]):
        i = 2 * touched[k // 2] + k % 2
        for a in range(m):
            value = B[k, a]
            if value != 0.0:
                for q in range(3):
                    wide[a, 3 + q] += value * drift[i, q]
                    if separates:
                        wide[a, 6 + q] += value * spread[i, q]
    row = np.empty(9)
    for a in range(m):
        for q in range(9):
            row[q] = 0.0
            for p in range(9):
                row[q] += wide[a, p] * core[p, q]
        for b in range(m):
            for q in range(9):
                S[a, b] += row[q] * wide[b, q]


@njit(cache=True, nogil=True)
def _solve_chosen(gram, rhs, chosen, L, x):
    """Solve the chosen rows of gram x = rhs by Cholesky in place; zero elsewhere. False when not positive."""
    n = rhs.shape[0]
    index = np.empty(n, np.int64)
    m = 0
    for i in range(n):
        x[i] = 0.0
        if chosen[i]:
            index[m] = i
            m += 1
    for i in range(m):
        for j in range(i + 1):
            s = gram[index[i], index[j]]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                if s <= 0.0:
                    return False
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    y = np.empty(m)
    for i in range(m):
        s = rhs[index[i]]
        for k in range(i):
            s -= L[i, k] * y[k]
        y[i] = s / L[i, i]
    for i in range(m - 1, -1, -1):
        s = y[i]
        for k in range(i + 1, m):
            s -= L[k, i] * x[index[k]]
        x[index[i]] = s / L[i, i]
    return True


@njit(cache=True, nogil=True)
def non_negative(gram, rhs, x):
    """Minimise x.gram.x/2 - rhs.x over x >= 0 (block principal pivoting, single exchanges when that stalls).

    Returns the number of rounds, negative when it did not settle; x is then non-negative all the same, and for our
    use (a bound from above that any x >= 0 gives) still safe.
    """
    n = rhs.shape[0]
    chosen = rhs > 0.0
    L = np.empty((n, n))
    grad = np.empty(n)
    scale = 0.0
    for i in range(n):
        scale = max(scale, abs(rhs[i]))
    eps = 1e-11 * scale
    least = n + 1
    patience = 4
    for rounds in range(1, 60 + 4 * n):
        if not _solve_chosen(gram, rhs, chosen, L, x):
            break
        top = 0.0
        for i in range(n):
            top = max(top, abs(x[i]))
        bad = 0
        last = -1
        for i in range(n):
            grad[i] = -rhs[i]
            for j in range(n):
                if chosen[j]:
                    grad[i] += gram[i, j] * x[j]
            if (chosen[i] and x[i] < -1e-12 * top) or (not chosen[i] and grad[i] < -eps):
                bad += 1
                last = i
        if bad == 0:
            for i in range(n):
                x[i] = max(x[i], 0.0)
            return rounds
        if bad < least:
            least = bad
            patience = 4
        else:
            patience -= 1
        if patience > 0:
            for i in range(n):
                if (chosen[i] and x[i] < -1e-12 * top) or (not chosen[i] and grad[i] < -eps):
                    chosen[i] = not chosen[i]
        else:
            chosen[last] = not chosen[last]
    for i in range(n):
        x[i] = max(x[i], 0.0)
    return -1
