"""Kernels that tell bodies which lie on each other, so that neither border is inside the other, from those that only touch."""

import math

from banquise.detection._kernels_border import crossings, holds, nearest
from banquise.detection._kernels_rows import edge, point
from banquise.detection.jit import inline, inner


@inner
def in_common(block, node, node_link, body, v_body, e_body, c, s, tx, ty, cuts):
    """Whether bodies whose borders lie on each other have ice in common: the middle of one of the chords that go straight
    in from the middles of the edges of v_body lies in e_body too, away from its border."""
    at, end = body[v_body, 0], body[v_body + 1, 0]
    e_at, e_end = body[e_body, 0], body[e_body + 1, 0]
    reach = 4.0 * node[at, 6]  # from any point of the border to beyond it
    for k in range(body[v_body, 1], body[v_body + 1, 1]):
        px, py = point(block, k)
        ex, ey, inv = edge(block, k)
        unit = reach * math.sqrt(inv)
        px, py, dx, dy = px + 0.5 * ex, py + 0.5 * ey, -ey * unit, ex * unit  # the ice is on the left
        n = crossings(block, node, node_link, at, end, px, py, dx, dy, cuts) if inv > 0.0 else 0
        l = 0
        while l < n and cuts[l] < 1e-9:  # the edge itself
            l += 1
        if l == n:
            continue
        px, py = px + 0.5 * cuts[l] * dx, py + 0.5 * cuts[l] * dy
        x, y = c * px - s * py + tx, s * px + c * py + ty
        if holds(block, node, node_link, e_at, e_end, x, y):
            bound = 0.25 * (cuts[l] * reach) ** 2  # of its own border, to which the other one must be about as near
            square, _, _ = nearest(block, node, node_link, e_at, e_end, x, y, bound)
            if square > 1e-4 * bound:
                return True
    return False


@inner
def width(block, body, which):
    """Least distance of two parallel lines, one along an edge, that hold a body: the way to leave one that it lies on."""
    least = math.inf
    for k in range(body[which, 1], body[which + 1, 1]):
        ex, ey, inv = edge(block, k)
        if inv == 0.0:
            continue
        low, high = math.inf, -math.inf
        for l in range(body[which, 1], body[which + 1, 1]):
            x, y = point(block, l)
            low, high = min(low, x * ey - y * ex), max(high, x * ey - y * ex)
        least = min(least, (high - low) * math.sqrt(inv))
    return least


@inline
def may_coincide(block, node, node_link, body, i, j, c, s, tx, ty, ux, uy, slight):
    """Whether two bodies may lie on each other: the middles of their boxes in each other's, a point of one on the other's
    border. All but none of the pairs that only touch are told from those by the first of it."""
    a, b = body[i, 0], body[j, 0]
    x, y = c * node[b, 4] - s * node[b, 5] + tx, s * node[b, 4] + c * node[b, 5] + ty
    if x < node[a, 0] or x > node[a, 2] or y < node[a, 1] or y > node[a, 3]:
        return False
    x, y = c * node[a, 4] + s * node[a, 5] + ux, c * node[a, 5] - s * node[a, 4] + uy
    if x < node[b, 0] or x > node[b, 2] or y < node[b, 1] or y > node[b, 3]:
        return False
    x, y = point(block, body[j, 1])
    x, y = c * x - s * y + tx, s * x + c * y + ty
    square, _, _ = nearest(block, node, node_link, a, body[i + 1, 0], x, y, slight * slight)
    return square < slight * slight
