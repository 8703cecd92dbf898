# mypy: ignore-errors
"""Pairs of boxes: the fifteen axes that can part them, and the points where the best of them touches.

R (3, 3) holds the axes of box B in the frame of box A, t the middle of B from that of A, g and h the half sides. The
widest gap over three axes of A, three of B and nine products of edges is the signed distance of boxes that overlap, and of
boxes apart whose closest points lie inside the two features that face each other.
"""

import numpy as np

from banquise.jit import bare_inner as bare

EDGES = 6  # number of the first axis that is a product of edges
# Sines of the angle between two edges: below the first they are parallel and a face does as well; between the two the
# product has lost digits, and skipping it would be a mistake of that size: such pairs go another way.
PARALLEL, SLANTED = 1e-12, 1e-4
SNAP = 1e-12  # of the sizes: corners this close to the lowest are as low as it


@bare
def widest_of_boxes(R, t, g, h, scale, best):
    """Widest gap over the axes; best: unit axis (3) from A to B. Returns the gap and the number of the axis, -1: unclear."""
    widest, chosen = -np.inf, -1
    for i in range(3):
        gap = abs(t[i]) - g[i] - h[0] * abs(R[i, 0]) - h[1] * abs(R[i, 1]) - h[2] * abs(R[i, 2])
        if gap > widest:
            widest, chosen = gap, i
    for j in range(3):
        along = t[0] * R[0, j] + t[1] * R[1, j] + t[2] * R[2, j]
        gap = abs(along) - h[j] - g[0] * abs(R[0, j]) - g[1] * abs(R[1, j]) - g[2] * abs(R[2, j])
        if gap > widest:
            widest, chosen = gap, 3 + j
    widest += 1e-13 * scale  # of equals a face is the better answer
    for i in range(3):
        k, l = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            m, n = (j + 1) % 3, (j + 2) % 3
            size2 = R[k, j] * R[k, j] + R[l, j] * R[l, j]
            if size2 < SLANTED * SLANTED:
                if size2 > PARALLEL * PARALLEL:
                    return widest, -1
                continue
            # e_i x R_j = (-R_lj) e_k + R_kj e_l; along it B's other axes reach |R_in| and |R_im|
            along = abs(R[k, j] * t[l] - R[l, j] * t[k])
            along -= g[k] * abs(R[l, j]) + g[l] * abs(R[k, j]) + h[m] * abs(R[i, n]) + h[n] * abs(R[i, m])
            gap = along / np.sqrt(size2)
            if gap > widest:
                widest, chosen = gap, EDGES + 3 * i + j
    if chosen < 3:
        best[0], best[1], best[2] = 0.0, 0.0, 0.0
        best[chosen] = 1.0 if t[chosen] >= 0.0 else -1.0
        return widest - 1e-13 * scale, chosen
    if chosen < EDGES:
        j = chosen - 3
        x, y, z = R[0, j], R[1, j], R[2, j]
        widest -= 1e-13 * scale
    else:
        i, j = (chosen - EDGES) // 3, (chosen - EDGES) % 3
        k, l = (i + 1) % 3, (i + 2) % 3
        best[i], best[k], best[l] = 0.0, -R[l, j], R[k, j]
        x, y, z = best[0], best[1], best[2]
    size = np.sqrt(x * x + y * y + z * z)
    if t[0] * x + t[1] * y + t[2] * z < 0.0:
        size = -size
    best[0], best[1], best[2] = x / size, y / size, z / size
    return widest, chosen


@bare
def cut(polygon, count, axis, sign, bound, row):
    """Keep what of polygon[row, :count] has sign * coordinate <= bound, in the other row; returns its corners' number."""
    other, kept = 1 - row, 0
    for k in range(count):
        n = k + 1 if k + 1 < count else 0
        here, there = sign * polygon[row, k, axis] - bound, sign * polygon[row, n, axis] - bound
        if here <= 0.0:
            for r in range(3):
                polygon[other, kept, r] = polygon[row, k, r]
            kept += 1
        if (here < 0.0 and there > 0.0) or (here > 0.0 and there < 0.0):
            f = here / (here - there)
            for r in range(3):
                polygon[other, kept, r] = polygon[row, k, r] + f * (polygon[row, n, r] - polygon[row, k, r])
            kept += 1
    return kept


@bare
def below_face(R, t, g, h, axis, sign, scale, polygon, out):
    """Middle of what the lowest corners of box B cover of face (axis, sign) of box A, out (3); False where they miss it.

    Lowest: against the outer normal of that face. One corner, an edge or a face of B: cut by the sides of A's face.
    """
    slack = SNAP * scale
    count, row = 0, 0
    # the free directions of the lowest feature: those along which the height does not change
    flat0 = 2.0 * h[0] * abs(R[axis, 0]) <= slack
    flat1 = 2.0 * h[1] * abs(R[axis, 1]) <= slack
    flat2 = 2.0 * h[2] * abs(R[axis, 2]) <= slack
    s0 = -1.0 if sign * R[axis, 0] > 0.0 else 1.0
    s1 = -1.0 if sign * R[axis, 1] > 0.0 else 1.0
    s2 = -1.0 if sign * R[axis, 2] > 0.0 else 1.0
    free = (1 if flat0 else 0) + (1 if flat1 else 0) + (1 if flat2 else 0)
    for k in range(1 if free == 0 else (2 if free == 1 else 4)):
        f = -1.0 if k == 0 or k == 3 else 1.0  # around: (-, -), (+, -), (+, +), (-, +)
        w = -1.0 if k < 2 else 1.0
        a, b, c = s0, s1, s2
        if free == 1:
            a, b, c = (f if flat0 else s0), (f if flat1 else s1), (f if flat2 else s2)
        elif free == 2:
            a = f if flat0 else s0
            b = (w if flat0 else f) if flat1 else s1
            c = w if flat2 else s2
        for r in range(3):
            polygon[0, count, r] = t[r] + a * h[0] * R[r, 0] + b * h[1] * R[r, 1] + c * h[2] * R[r, 2]
        count += 1
    for side in range(4):
        edge = (axis + 1 + side // 2) % 3
        count = cut(polygon, count, edge, 1.0 - 2.0 * (side % 2), g[edge] + slack, row)
        row = 1 - row
        if count == 0:
            return False
    for r in range(3):
        out[r] = 0.0
        for k in range(count):
            out[r] += polygon[row, k, r] / count
    return True


@bare
def edge_points(R, t, g, h, i, j, best, scale, out):
    """Point out (3) of A's edge along axis i closest to B's along axis j, on the sides that face each other along `best`.

    False where the closest points of the two lines lie beyond the edges.
    """
    px, py, pz = 0.0, 0.0, 0.0  # middle of A's edge to middle of B's
    for r in range(3):
        if r != j:
            away = h[r] if best[0] * R[0, r] + best[1] * R[1, r] + best[2] * R[2, r] < 0.0 else -h[r]
            px, py, pz = px + away * R[0, r], py + away * R[1, r], pz + away * R[2, r]
    for r in range(3):
        out[r] = 0.0 if r == i else (g[r] if best[r] >= 0.0 else -g[r])
    px, py, pz = px + t[0] - out[0], py + t[1] - out[1], pz + t[2] - out[2]
    c = R[i, j]
    along_a = px if i == 0 else (py if i == 1 else pz)
    along_b = px * R[0, j] + py * R[1, j] + pz * R[2, j]
    s = (along_a - c * along_b) / (1.0 - c * c)
    r = (c * along_a - along_b) / (1.0 - c * c)
    out[i] = s
    return abs(s) <= g[i] + SNAP * scale and abs(r) <= h[j] + SNAP * scale


@bare
def boxes_apart(boxes, sa, sb, turn, shift, scale, frame, polygon, best, on_a):
    """Gap of two boxes along its widest axis best (3), from A to B; whether there is one; whether it is the signed distance.

    on_a (3): closest point of A. All in the frame of A's body. frame (3, 3) is scratch: t, g, h.
    """
    t, g, h = frame[0], frame[1], frame[2]
    for r in range(3):
        g[r], h[r] = boxes[sa, 3 + r], boxes[sb, 3 + r]
        t[r] = shift[r] - boxes[sa, r]
        t[r] += turn[r, 0] * boxes[sb, 0] + turn[r, 1] * boxes[sb, 1] + turn[r, 2] * boxes[sb, 2]
    gap, chosen = widest_of_boxes(turn, t, g, h, scale, best)
    if chosen < 0:
        return gap, False, False
    if chosen >= EDGES:
        proven = edge_points(turn, t, g, h, (chosen - EDGES) // 3, (chosen - EDGES) % 3, best, scale, on_a)
    else:
        # a face of B is looked at from B: its frame has the transposed axes, and A at -R't
        of_b = chosen >= 3
        axis = chosen - 3 if of_b else chosen
        seen = polygon[2, :4]
        for r in range(3):
            for c in range(3):
                seen[r, c] = turn[c, r] if of_b else turn[r, c]
            seen[3, r] = -(turn[0, r] * t[0] + turn[1, r] * t[1] + turn[2, r] * t[2]) if of_b else t[r]
        sign = 1.0 if seen[3, axis] >= 0.0 else -1.0
        near, far = (h, g) if of_b else (g, h)
        proven = below_face(seen, seen[3], near, far, axis, sign, scale, polygon, on_a)
        on_a[axis] = sign * near[axis]
        if of_b:  # the point of B, and from it that of A
            x, y, z = on_a[0], on_a[1], on_a[2]
            for r in range(3):
                on_a[r] = t[r] + turn[r, 0] * x + turn[r, 1] * y + turn[r, 2] * z - gap * best[r]
    for r in range(3):
        on_a[r] += boxes[sa, r]
    return gap, True, proven
