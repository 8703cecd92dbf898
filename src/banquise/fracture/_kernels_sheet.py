"""Kernels that make a loaded floe ready to be cut: patches of its contacts, mesh, load under inertia relief, what is frozen.

What `mesh`, `elasticity`, `percussion` and `state` do with an object for each step, for searches that are one call of a kernel
(`_kernels_whole`).
"""

import math

import numpy as np

from banquise.fracture import _kernels_border, _kernels_delaunay, _kernels_mesh, _kernels_points, _kernels_skyline
from banquise.fracture._kernels_ring import patch_line, simplified
from banquise.jit import making_inner, plain_inner

GROWTH = 0.18  # of the size per unit of distance from a fine place, at 300 nodes; see `mesh`
ROUNDS = 2  # of smoothing
BESIDE = 0.04  # a crack starts this part of a patch's width beside the patch


@making_inner
def patches(corners, first, spots, width):
    """Lines of the patches one after the other (m, 2), where each begins, and their widths."""
    along, turn = _kernels_border.marks(corners, first)
    contacts = spots.shape[0]
    lines, begin = np.empty((2 * contacts + 8, 2)), np.zeros(contacts + 1, np.int64)
    wide = np.zeros(contacts)
    for k in range(contacts):
        line = patch_line(corners, first, along, turn, spots[k, 0], spots[k, 1], spots[k, 2], spots[k, 3], width)
        at = begin[k]
        begin[k + 1] = at + line.shape[0]
        if begin[k + 1] > lines.shape[0]:
            wider = np.empty((2 * begin[k + 1], 2))
            for i in range(at):
                wider[i, 0], wider[i, 1] = lines[i, 0], lines[i, 1]
            lines = wider
        for i in range(line.shape[0]):
            lines[at + i, 0], lines[at + i, 1] = line[i, 0], line[i, 1]
            if i > 0:
                wide[k] += math.hypot(line[i, 0] - line[i - 1, 0], line[i, 1] - line[i - 1, 1])
    return lines[: begin[contacts]].copy(), begin, wide


@making_inner
def _with_patch_ends(corners, first, lines, begin, wide):
    """The rings with the ends and corners of the patches as points of them."""
    rings = first.shape[0] - 1
    out, start = np.empty((corners.shape[0] + rings * lines.shape[0], 2)), np.zeros(rings + 1, np.int64)
    at = 0
    for r in range(rings):
        ring = corners[first[r] : first[r + 1]].copy()
        for k in range(begin.shape[0] - 1):
            ring = _kernels_points.with_points(ring, lines[begin[k] : begin[k + 1]].copy(), 0.02 * wide[k])
        for i in range(ring.shape[0]):
            out[at, 0], out[at, 1] = ring[i, 0], ring[i, 1]
            at += 1
        start[r + 1] = at
    return out[:at].copy(), start


@making_inner
def meshed_border(corners, first, spots, width, nodes):
    """The border as it is meshed, with its rings: without small detail, with the ends of the patches as points of it; and the
    patches, see `patches`.

    They are sought on the border without detail: a notch that is left out would take the patch in it along.
    """
    simple, starts = simplified(corners, first, math.sqrt(1.15 / nodes))
    lines, begin, wide = patches(simple, starts, spots, width)
    rim, starts = _with_patch_ends(simple, starts, lines, begin, wide)
    return rim, starts, lines, begin, wide


@making_inner
def meshed(rim, starts, lines, begin, wide, nodes, patch_edges):
    """Nodes, elements and neighbours within a `meshed_border`; no elements when it cannot be done."""
    coarse = math.sqrt(1.15 / nodes)
    edges = patch_edges * max(1.0, math.sqrt(nodes / 300.0)) + 0.5
    fine = np.empty((lines.shape[0] - wide.shape[0], 5))
    at = 0
    for k in range(wide.shape[0]):
        for i in range(begin[k], begin[k + 1] - 1):
            fine[at, 0], fine[at, 1] = lines[i, 0], lines[i, 1]
            fine[at, 2], fine[at, 3], fine[at, 4] = lines[i + 1, 0], lines[i + 1, 1], wide[k] / edges
            at += 1
    growth = GROWTH * math.sqrt(300.0 / nodes)
    sizes = _kernels_points.fine_places(rim, starts, fine, coarse, growth)
    top, cells, grid = _kernels_points.top_size(rim, starts, sizes, growth, nodes)
    points, parts = _kernels_points.border_points(rim, starts, sizes, growth, top)
    border = np.concatenate((rim, points))
    unordered = _kernels_points.filled(rim, starts, border, sizes, growth, top, cells, grid)
    elements, neighbours = _kernels_delaunay.triangulated(
        unordered, starts, parts, border.shape[0], sizes, growth, top, np.int64(ROUNDS)
    )
    n = unordered.shape[0]
    out = np.empty((n, 2))
    if elements.shape[0] > 0:
        seed, least = np.int64(0), math.inf
        for i in range(n):
            away = (unordered[i, 0] - lines[0, 0]) ** 2 + (unordered[i, 1] - lines[0, 1]) ** 2
            if away < least:
                seed, least = i, away
        number = _kernels_skyline.narrow_order(elements, n, seed)
        for i in range(n):
            out[number[i], 0], out[number[i], 1] = unordered[i, 0], unordered[i, 1]
        for e in range(elements.shape[0]):
            for k in range(3):
                elements[e, k] = number[elements[e, k]]
    return out, elements, neighbours


@making_inner
def spread_force(nodes, elements, edges, along, across, dx, dy, load):
    """Add to a load (2n) a force along a push (dx, dy) and one across it, spread over border edges."""
    weight = _kernels_mesh.end_weights(nodes, elements, edges)
    fx, fy = along * dx - across * dy, along * dy + across * dx
    for i in range(nodes.shape[0]):
        load[2 * i] += weight[i] * fx
        load[2 * i + 1] += weight[i] * fy


@plain_inner
def mean_stiffness(stiffness, n):
    """Of a displacement."""
    total = 0.0
    for e in range(stiffness.shape[0]):
        for i in range(6):
            total += stiffness[e, i, i]
    return total / (2 * n)


@making_inner
def relieved(elements, stiffness, low, modes, moments, stiff, load, shape, push):
    """Displacement (2n) under a load balanced by the floe's own inertia, and the load on the rigid modes; the work of the load
    on it, negative when the mesh falls apart."""
    n = modes.shape[0]
    all_nodes, all_ways, _ = _kernels_skyline.pinned(modes, np.empty(0, np.int64), np.empty((0, 2)))
    factor = _kernels_skyline.factored(elements, stiffness, low, all_nodes, all_ways, np.int64(0), stiff)
    if factor.shape[0] == 0:
        return -1.0
    for z in range(3):
        push[z] = 0.0
        for i in range(n):
            push[z] += modes[i, 0, z] * load[2 * i] + modes[i, 1, z] * load[2 * i + 1]
    right = np.empty((1, 2 * n))
    for i in range(2 * n):
        right[0, i] = load[i] - moments[i, 0] * push[0] - moments[i, 1] * push[1] - moments[i, 2] * push[2]
    _kernels_skyline.solved(factor, low, right)
    mean = np.zeros(3)
    for i in range(2 * n):
        for z in range(3):
            mean[z] += moments[i, z] * right[0, i]
    work = 0.0
    for i in range(2 * n):
        shape[i] = right[0, i]
        for z in range(3):
            shape[i] -= modes[i // 2, i % 2, z] * mean[z]
        work += load[i] * shape[i]
    return work


@making_inner
def _small_inverse(A):
    """Inverse of a small matrix, which is lost; rows exchanged for the largest pivot."""
    n = A.shape[0]
    B = np.eye(n)
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(A[r, c]) > abs(A[best, c]):
                best = r
        for k in range(n):
            A[c, k], A[best, k] = A[best, k], A[c, k]
            B[c, k], B[best, k] = B[best, k], B[c, k]
        pivot = A[c, c]
        for k in range(n):
            A[c, k] /= pivot
            B[c, k] /= pivot
        for r in range(n):
            value = A[r, c]
            if r != c:
                for k in range(n):
                    A[r, k] -= value * A[c, k]
                    B[r, k] -= value * B[c, k]
    return B


@making_inner
def frozen_inverse(elements, stiffness, low, high, modes, moments, stiff, nodes, ways):
    """Inverse with components and the mean motion frozen, drift and its energy, see `state`; empty when the mesh falls apart."""
    n = modes.shape[0]
    all_nodes, all_ways, free = _kernels_skyline.pinned(modes, nodes, ways)
    factor = _kernels_skyline.factored(elements, stiffness, low, all_nodes, all_ways, nodes.shape[0], stiff)
    if factor.shape[0] == 0:
        return np.empty((0, 0)), np.empty((0, 3)), np.empty((0, 3))
    m = 3 + free.shape[1]
    wide = np.empty((m, 2 * n))
    right = np.empty((3, 2 * n))
    for z in range(3):
        for i in range(2 * n):
            right[z, i] = moments[i, z]
        for k in range(nodes.shape[0]):
            i = 2 * nodes[k]
            along = moments[i, z] * ways[k, 0] + moments[i + 1, z] * ways[k, 1]
            right[z, i] -= along * ways[k, 0]
            right[z, i + 1] -= along * ways[k, 1]
    _kernels_skyline.solved(factor, low, right)
    for i in range(2 * n):
        for z in range(m):
            wide[z, i] = right[z, i] if z < 3 else free[i, z - 3]
    saddle = np.zeros((m, m))
    for p in range(3):
        for q in range(m):
            for i in range(2 * n):
                saddle[p, q] += moments[i, p] * wide[q, i]
            if q >= 3:
                saddle[q, p] = saddle[p, q]
    small = _small_inverse(saddle)
    responses, drift, energy = np.zeros((2 * n, m)), np.empty((3, 2 * n)), np.empty((3, 3))
    for i in range(2 * n):
        for p in range(m):
            for q in range(m):
                responses[i, p] += wide[q, i] * small[q, p]
        for p in range(3):
            drift[p, i] = responses[i, p]
    for p in range(3):
        for q in range(3):
            energy[p, q] = small[p, q]
    G = _kernels_skyline.inverted(factor, low, high, nodes, ways, nodes.shape[0], stiff, responses, wide)
    return G, drift, energy


@making_inner
def stresses(strain, elements, shape, poisson, out):
    """(ne, 3) xx, yy, xy of a displacement (2n,), in units of Young's modulus."""
    u = np.empty(6)
    for e in range(elements.shape[0]):
        for k in range(3):
            u[2 * k], u[2 * k + 1] = shape[2 * elements[e, k]], shape[2 * elements[e, k] + 1]
        xx = yy = xy = 0.0
        for p in range(6):
            xx += strain[e, 0, p] * u[p]
            yy += strain[e, 1, p] * u[p]
            xy += strain[e, 2, p] * u[p]
        out[e, 0] = (xx + poisson * yy) / (1.0 - poisson * poisson)
        out[e, 1] = (yy + poisson * xx) / (1.0 - poisson * poisson)
        out[e, 2] = xy / (1.0 + poisson)


@making_inner
def taken_stretches(corners, first, along, turn, lines, begin, wide):
    """(k, 3) ring of each patch and the stretch along it that is just wider than the patch."""
    out = np.empty((wide.shape[0], 3))
    for k in range(wide.shape[0]):
        a, b = begin[k], begin[k + 1] - 1
        ring, low = _kernels_border.nearest(lines[a, 0], lines[a, 1], corners, first, along)
        _, high = _kernels_border.nearest(lines[b, 0], lines[b, 1], corners, first, along)
        whole, reach = turn[ring], BESIDE * wide[k]
        if (high - low) % whole >= (low - high) % whole:
            low, high = high, low
        out[k, 0], out[k, 1], out[k, 2] = ring, low - reach, low + (high - low) % whole + reach
    return out
