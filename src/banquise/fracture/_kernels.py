"""Kernels of cracks: cutting a mesh along a chord.

A chord cuts the elements it crosses in two; on each of them every node gets a second displacement (its ghost, the
value of the other lip's field at that node). Constant strains make every cut integral a matter of the two sub-areas.
"""

import numpy as np

from banquise.jit import making_inner, making_kernel, plain_inner

NUDGE = 0.01  # a node nearer to the chord than this part of the local size is taken to lie that far from it
GRAZE = 1e-3  # an element crossed over less than this part of its size is not crossed
FEW = 12  # crossings: of so many or fewer lips are kept apart at their ends, not amid them, if one is
LONG = 0.25  # of the chord or more
ASIDE = 0.2  # of the first and of the last crossing: how far from the border
NEAR = 0.02  # of the chord: places nearer to each other count as one


@plain_inner
def _levels(nodes, elements, size, grip, x0, y0, tx, ty, level):
    """Signed distances to the line of the chord, kept off zero so that no cut part vanishes.

    A node on the chord that ends a frozen edge goes with that edge, or the piece across would be held by it.
    """
    for i in range(nodes.shape[0]):
        d = (nodes[i, 1] - y0) * tx - (nodes[i, 0] - x0) * ty
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


@plain_inner
def _crossed(nodes, elements, size, x0, y0, tx, ty, length, level, cut, chain, entry, leave):
    """The elements that the chord itself (not its line) crosses, in their order along it: `chain` and its inverse `cut`
    (-1: not crossed), with the stretch of the chord in each. Neighbours in the chain are neighbours in the matrices.

    Returns how many, and how many its line crosses.
    """
    count = lined = 0
    for e in range(elements.shape[0]):
        cut[e] = -1
        one = level[elements[e, 0]] > 0
        if one == (level[elements[e, 1]] > 0) and one == (level[elements[e, 2]] > 0):
            continue
        lined += 1
        low = np.inf
        high = -np.inf
        for k in range(3):
            i, j = elements[e, k], elements[e, (k + 1) % 3]
            if (level[i] > 0) != (level[j] > 0):
                f = level[i] / (level[i] - level[j])
                x = nodes[i, 0] + f * (nodes[j, 0] - nodes[i, 0])
                y = nodes[i, 1] + f * (nodes[j, 1] - nodes[i, 1])
                s = (x - x0) * tx + (y - y0) * ty
                low = min(low, s)
                high = max(high, s)
        if high > low:
            graze = GRAZE * size[elements[e, 0]]
            if min(high, length) - max(low, 0.0) > graze and (high <= length + graze or low < length - graze):
                at = count
                while at > 0 and entry[at - 1] > low:
                    chain[at], entry[at], leave[at] = chain[at - 1], entry[at - 1], leave[at - 1]
                    at -= 1
                chain[at], entry[at], leave[at] = e, low, high
                count += 1
    for at in range(count):
        cut[chain[at]] = at
    return count, lined


@plain_inner
def _sides(elements, neighbours, level, cut, chain, lined, side, stack):
    """Side +1 or -1 of each uncut element; False when the two are joined.

    Where the chord cuts all that its line crosses, their nodes tell. Elsewhere they are flooded from both lips.
    """
    n = elements.shape[0]
    if lined == chain.shape[0]:
        for e in range(n):
            side[e] = 0 if cut[e] >= 0 else (1 if level[elements[e, 0]] > 0 else -1)
        return True
    for e in range(n):
        side[e] = 0
    top = 0
    for e in chain:
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


@making_inner
def _number_ghosts(nodes, elements, x0, y0, tx, ty, level, chain, leave, tip, number):
    """Number the nodes that get a ghost, along the chord, then the two of the edge at the tip, which get none."""
    for i in range(number.shape[0]):
        number[i] = -1
    one = two = -1
    if tip:
        last = -np.inf
        for row in range(chain.shape[0]):
            last = max(last, leave[row])
        for row in range(chain.shape[0]):
            if leave[row] < last - 1e-12:
                continue
            e = chain[row]
            for k in range(3):
                i, j = elements[e, k], elements[e, (k + 1) % 3]
                if (level[i] > 0) != (level[j] > 0):
                    f = level[i] / (level[i] - level[j])
                    x = nodes[i, 0] + f * (nodes[j, 0] - nodes[i, 0])
                    y = nodes[i, 1] + f * (nodes[j, 1] - nodes[i, 1])
                    if (x - x0) * tx + (y - y0) * ty >= last - 1e-12:
                        one, two = i, j
    ghosts = 0
    for e in chain:
        for k in range(3):
            i = elements[e, k]
            if number[i] == -1 and i != one and i != two:
                number[i] = ghosts
                ghosts += 1
    if tip:
        number[one] = ghosts
        number[two] = ghosts + 1
    return ghosts


@plain_inner
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
    for k in range(3):
        for q in range(3):
            bary[k, q] = 0.0
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


@plain_inner
def _whole_moments(elements, area, modes, side, QP):
    """Moments of the uncut elements of the + side; returns their area."""
    plus = 0.0
    for e in range(elements.shape[0]):
        if side[e] > 0:
            plus += area[e]
            a, b, c = elements[e, 0], elements[e, 1], elements[e, 2]
            weight = area[e] / 12.0
            x = modes[a, 0, 2] + modes[b, 0, 2] + modes[c, 0, 2]
            y = modes[a, 1, 2] + modes[b, 1, 2] + modes[c, 1, 2]
            for k in range(3):
                i = elements[e, k]
                QP[0, 2 * i] += area[e] / 3.0 * modes[i, 0, 0]
                QP[1, 2 * i + 1] += area[e] / 3.0 * modes[i, 1, 1]
                QP[2, 2 * i] += weight * (x + modes[i, 0, 2])
                QP[2, 2 * i + 1] += weight * (y + modes[i, 1, 2])
    return plus


@plain_inner
def _element_moments(elements, e, k, mass, modes):
    """Moments of node k of an element by a mass matrix: x on the first mode, y on the second, x and y on the third."""
    a, b, c = elements[e, 0], elements[e, 1], elements[e, 2]
    p, q, r = mass[k, 0], mass[k, 1], mass[k, 2]
    total = p + q + r
    x = p * modes[a, 0, 2] + q * modes[b, 0, 2] + r * modes[c, 0, 2]
    y = p * modes[a, 1, 2] + q * modes[b, 1, 2] + r * modes[c, 1, 2]
    return total * modes[a, 0, 0], total * modes[a, 1, 1], x, y


@plain_inner
def _between(entry, leave, crossed, length, place):
    """Number the places where lips are kept apart if few elements are crossed: `place` of where each crossing begins, and of
    the last one's end, the same for places next to each other. Returns how many; 0 where they are kept apart amid crossings.

    Pieces that are kept apart amid one long crossing and one short one turn through each other: a release five times too large.
    """
    longest = 0.0
    for row in range(crossed):
        longest = max(longest, leave[row] - entry[row])
    if crossed > FEW or longest < LONG * length:
        return 0
    count, last = 1, entry[0] + ASIDE * (leave[0] - entry[0])
    place[0] = 0
    for row in range(crossed):
        at = leave[row] - (ASIDE * (leave[row] - entry[row]) if row == crossed - 1 else 0.0)
        if at - last > NEAR * length:
            count += 1
            last = at
        place[row + 1] = count - 1
    return count


@plain_inner
def _lips(nodes, elements, e, row, crossed, level, bary, number, tx, ty, place, lip, weight):
    """Ghosts that part the lips where the chord leaves a crossed element, and where it comes into the first one."""
    along = 0.0
    for k in range(3):
        i = elements[e, k]
        along += (bary[2, k] - bary[1, k]) * (nodes[i, 0] * tx + nodes[i, 1] * ty)
    one, two = (1, 2) if along >= 0.0 else (2, 1)  # where it comes in, where it leaves
    for end in range(2):
        at = place[row + end]
        # of places next to each other the one on the longer crossing counts: across a short one lips are as good as free to turn
        if (end == 0 and row > 0) or (end == 1 and at == place[row] and at > 0):
            continue
        f = 1.0 if end == 1 else ASIDE
        if end == 1 and row == crossed - 1:
            f = 1.0 - ASIDE
        for k in range(3):
            i = elements[e, k]
            moved = (1.0 - f) * bary[one, k] + f * bary[two, k]
            lip[at, k] = number[i]
            weight[at, k] = -moved if level[i] > 0 else moved  # a ghost on the + side moves the + lip


@plain_inner
def _hold(elements, e, level, size, grip, grips, hold, number, ghosts, D):
    """Keep the ghosts of frozen edges of a cut element still. A crack that leaves through a node is not gripped by the frozen
    edges that end there."""
    for k in range(3):
        if grip[e, k] < 0:
            continue
        i, j = elements[e, k], elements[e, (k + 1) % 3]
        nudged = min(abs(level[i]) / size[i], abs(level[j]) / size[j]) < NUDGE * (1.0 + 1e-9)
        if (level[i] > 0) != (level[j] > 0) and not nudged:
            for c in range(2):
                for d in range(2):
                    held = hold * grips[grip[e, k], c, d]
                    if number[i] < ghosts:
                        D[2 * number[i] + c, 2 * number[i] + d] += held
                    if number[j] < ghosts:
                        D[2 * number[j] + c, 2 * number[j] + d] += held


@making_kernel
def cut_mesh(nodes, elements, neighbours, stiffness, area, size, stress, modes, grip, grips, hold, start, end, tip):
    """The small problem of one chord: ghosts, separates, area of the + side, then the arrays below. Ghosts 0: no ice.

    Parameters
    ----------
    stiffness : (ne, 6, 6) of the elements; area : (ne,); size : (n,) local size at the nodes; stress : (ne, 3) before
    modes : (n, 2, 3) rigid modes at the nodes, see `rigid`; grip : (ne, 3) index into `grips` (k, 2, 2) of each element edge,
        -1 where the displacement is free; hold : stiffness that keeps a gripped ghost still
    tip : whether the chord ends inside; the nodes of the last edge crossed then get no ghost

    Returns
    -------
    touched : nodes of the small problem: first those with a ghost, in their order along the chord, then those of the tip
    D, B : ghost x ghost and touched x ghost; QA : moments of the ghosts, in all and on the + side, 3 columns each
    QP : (3, 2n) moments of the standard functions on the + side
    lip, weight : (m, 3) ghosts that open the middle of each crossing, or where few are crossed its ends (-1: none), and by how
        much; way : the crack's normal and direction, four numbers
    pressure : (m,) force that presses on each before; stretch : (m, 2) of the chord in each; t : (2g,) load on the ghosts
    """
    ne = elements.shape[0]
    x0, y0 = start[0], start[1]
    length = np.sqrt((end[0] - x0) ** 2 + (end[1] - y0) ** 2)
    tx, ty = (end[0] - x0) / length, (end[1] - y0) / length
    level = np.empty(nodes.shape[0])
    cut = np.empty(ne, np.int64)
    entry = np.empty(ne)
    leave = np.empty(ne)
    chain = np.empty(ne, np.int64)
    _levels(nodes, elements, size, grip, x0, y0, tx, ty, level)
    crossed, lined = _crossed(nodes, elements, size, x0, y0, tx, ty, length, level, cut, chain, entry, leave)
    chain = chain[:crossed]
    side = np.zeros(ne, np.int64)
    separates = False
    if not tip and crossed > 0:
        separates = _sides(elements, neighbours, level, cut, chain, lined, side, np.empty(ne, np.int64))
    number = np.empty(nodes.shape[0], np.int64)
    ghosts = _number_ghosts(nodes, elements, x0, y0, tx, ty, level, chain, leave, tip and crossed > 0, number)
    touched = np.empty(ghosts + (2 if tip and crossed > 0 else 0), np.int64)
    for i in range(nodes.shape[0]):
        if number[i] >= 0:
            touched[number[i]] = i
    D = np.zeros((2 * ghosts, 2 * ghosts))
    B = np.zeros((2 * touched.shape[0], 2 * ghosts))
    QA = np.zeros((2 * ghosts, 6))
    QP = np.zeros((3, 2 * nodes.shape[0]))
    place = np.empty(crossed + 1, np.int64)
    between = 0 if tip or crossed == 0 else _between(entry, leave, crossed, length, place)
    lips = between if between > 0 else crossed
    lip, weight = np.empty((lips, 3), np.int64), np.empty((lips, 3))
    pressure = np.zeros(lips)
    stretch = np.empty((lips, 2))
    t = np.zeros(2 * ghosts)
    plus = _whole_moments(elements, area, modes, side, QP) if separates else 0.0
    mass = np.empty((2, 3, 3))
    part = np.empty(2)
    bary = np.empty((3, 3))
    for row in range(crossed):
        e = chain[row]
        _parts(level, elements, e, area[e], bary, part, mass)
        plus += area[e] * part[1]
        pull = stress[e, 0] * ty * ty + stress[e, 1] * tx * tx - 2.0 * stress[e, 2] * tx * ty
        pressed = -pull * (leave[row] - entry[row])
        if between > 0:
            one, two, middle = place[row], place[row + 1], 0.5 * (entry[row] + leave[row])
            pressure[one] += 0.5 * pressed
            pressure[two] += 0.5 * pressed
            if row == 0:
                stretch[one, 0] = entry[0]
            if one < two:
                stretch[one, 1] = stretch[two, 0] = middle
            stretch[two, 1] = leave[row]
            _lips(nodes, elements, e, row, crossed, level, bary, number, tx, ty, place, lip, weight)
        else:
            stretch[row, 0], stretch[row, 1], pressure[row] = entry[row], leave[row], pressed
        for k in range(3):
            i = elements[e, k]
            other = 0 if level[i] > 0 else 1  # the side of its ghost
            a = number[i]
            if between == 0:
                half = 0.5 * (bary[1, k] + bary[2, k])
                lip[row, k] = a if a < ghosts else -1
                weight[row, k] = half if other == 1 else -half  # a ghost on the + side moves the + lip
            u, v, x, y = _element_moments(elements, e, k, mass[1], modes)
            QP[0, 2 * i] += u
            QP[1, 2 * i + 1] += v
            QP[2, 2 * i] += x
            QP[2, 2 * i + 1] += y
            if a >= ghosts:
                continue
            if other == 1:
                QA[2 * a, 3] += u
                QA[2 * a + 1, 4] += v
                QA[2 * a, 5] += x
                QA[2 * a + 1, 5] += y
            else:
                u, v, x, y = _element_moments(elements, e, k, mass[0], modes)
            QA[2 * a, 0] += u
            QA[2 * a + 1, 1] += v
            QA[2 * a, 2] += x
            QA[2 * a + 1, 2] += y
            # area times the gradient of the node's function: with the stress, what the element bears on the node
            i, j = elements[e, (k + 1) % 3], elements[e, (k + 2) % 3]
            gx, gy = 0.5 * (nodes[i, 1] - nodes[j, 1]), 0.5 * (nodes[j, 0] - nodes[i, 0])
            t[2 * a] -= part[other] * (stress[e, 0] * gx + stress[e, 2] * gy)
            t[2 * a + 1] -= part[other] * (stress[e, 2] * gx + stress[e, 1] * gy)
            for q in range(3):
                b = number[elements[e, q]]
                same = b < ghosts and (level[elements[e, q]] > 0) == (other == 0)
                for c in range(2):
                    for d in range(2):
                        s = part[other] * stiffness[e, 2 * k + c, 2 * q + d]
                        B[2 * b + d, 2 * a + c] += s
                        if same:
                            D[2 * a + c, 2 * b + d] += s
        _hold(elements, e, level, size, grip, grips, hold, number, ghosts, D)
    way = np.empty(4)
    way[0], way[1], way[2], way[3] = -ty, tx, tx, ty
    return ghosts, separates, plus, touched, D, B, QA, QP, lip, weight, way, pressure, stretch, t
