"""Kernels of the elastic body of a mesh: areas, strains, stiffness, rigid motions."""

import math

import numpy as np

from banquise.jit import making_kernel


@making_kernel
def areas(nodes, elements):
    """Area of each element, and the shortest edge at each node."""
    area = np.empty(elements.shape[0])
    size = np.full(nodes.shape[0], math.inf)
    for e in range(elements.shape[0]):
        a, b, c = elements[e, 0], elements[e, 1], elements[e, 2]
        area[e] = 0.5 * (
            (nodes[b, 0] - nodes[a, 0]) * (nodes[c, 1] - nodes[a, 1])
            - (nodes[b, 1] - nodes[a, 1]) * (nodes[c, 0] - nodes[a, 0])
        )
        for k in range(3):
            i, j = elements[e, k], elements[e, (k + 1) % 3]
            long = math.hypot(nodes[j, 0] - nodes[i, 0], nodes[j, 1] - nodes[i, 1])
            size[i], size[j] = min(size[i], long), min(size[j], long)
    return area, size


@making_kernel
def strains_and_stiffness(nodes, elements, area, poisson):
    """Strain xx, yy, xy from the displacements of each element (ne, 3, 6), and its stiffness (ne, 6, 6)."""
    ne = elements.shape[0]
    strain = np.zeros((ne, 3, 6))
    stiffness = np.zeros((ne, 6, 6))
    plain = 1.0 / (1.0 - poisson * poisson)
    for e in range(ne):
        for k in range(3):
            i, j = elements[e, (k + 1) % 3], elements[e, (k + 2) % 3]
            dx = 0.5 * (nodes[i, 1] - nodes[j, 1]) / area[e]
            dy = 0.5 * (nodes[j, 0] - nodes[i, 0]) / area[e]
            strain[e, 0, 2 * k] = dx
            strain[e, 1, 2 * k + 1] = dy
            strain[e, 2, 2 * k] = 0.5 * dy
            strain[e, 2, 2 * k + 1] = 0.5 * dx
        for p in range(6):
            sx = plain * (strain[e, 0, p] + poisson * strain[e, 1, p])
            sy = plain * (strain[e, 1, p] + poisson * strain[e, 0, p])
            sxy = 2.0 * plain * (1.0 - poisson) * strain[e, 2, p]  # tensor shear: 4 G exy^2 / 2
            for q in range(6):
                stiffness[e, p, q] = area[e] * (sx * strain[e, 0, q] + sy * strain[e, 1, q] + sxy * strain[e, 2, q])
    return strain, stiffness


@making_kernel
def rigid(nodes, elements, area):
    """Rigid modes (n, 2, 3) and their moments M Z (2n, 3), with Z^T M Z = 1.

    About the centre of the elements' mass the three are orthogonal to rounding: they only need their lengths.
    """
    n = nodes.shape[0]
    total = cx = cy = 0.0
    for e in range(elements.shape[0]):
        for k in range(3):
            total += area[e] / 3.0
            cx += area[e] / 3.0 * nodes[elements[e, k], 0]
            cy += area[e] / 3.0 * nodes[elements[e, k], 1]
    cx /= total
    cy /= total
    modes = np.zeros((n, 2, 3))
    moments = np.zeros((2 * n, 3))
    for i in range(n):
        modes[i, 0, 0] = modes[i, 1, 1] = 1.0
        modes[i, 0, 2] = cy - nodes[i, 1]
        modes[i, 1, 2] = nodes[i, 0] - cx
    for e in range(elements.shape[0]):
        for k in range(3):
            i = elements[e, k]
            for q in range(3):
                j = elements[e, q]
                weight = area[e] / 12.0 * (2.0 if k == q else 1.0)
                for c in range(2):
                    for z in range(3):
                        moments[2 * i + c, z] += weight * modes[j, c, z]
    for z in range(3):
        long = 0.0
        for i in range(n):
            long += modes[i, 0, z] * moments[2 * i, z] + modes[i, 1, z] * moments[2 * i + 1, z]
        long = math.sqrt(long)
        for i in range(n):
            for c in range(2):
                modes[i, c, z] /= long
                moments[2 * i + c, z] /= long
    return modes, moments


@making_kernel
def edges_on(nodes, elements, neighbours, line):
    """(k, 2) element and local edge of the border edges that lie on a broken line."""
    out = np.empty((elements.shape[0], 2), np.int64)
    count = 0
    for k in range(3):
        for e in range(elements.shape[0]):
            if neighbours[e, k] >= 0:
                continue
            a, b = elements[e, k], elements[e, (k + 1) % 3]
            x, y = 0.5 * (nodes[a, 0] + nodes[b, 0]), 0.5 * (nodes[a, 1] + nodes[b, 1])
            near = math.inf
            for p in range(line.shape[0] - 1):
                ex, ey = line[p + 1, 0] - line[p, 0], line[p + 1, 1] - line[p, 1]
                part = ((x - line[p, 0]) * ex + (y - line[p, 1]) * ey) / (ex * ex + ey * ey)
                part = min(max(part, 0.0), 1.0)
                near = min(near, math.hypot(x - line[p, 0] - part * ex, y - line[p, 1] - part * ey))
            if near < 0.25 * math.hypot(nodes[b, 0] - nodes[a, 0], nodes[b, 1] - nodes[a, 1]):
                out[count, 0], out[count, 1] = e, k
                count += 1
    return out[:count].copy()


@making_kernel
def frozen_components(elements, n, edges, patch, direction, both, grip):
    """Nodes and unit directions of what the patches freeze: along the push, and across it where `both`.

    edges (k, 2) are the border edges of all patches, patch (k,) whose they are; grip (ne, 3) gets that too. Two directions of
    one node (a corner of two patches) are made orthogonal; a third adds nothing.
    """
    ways = np.zeros((n, 2, 2))
    count = np.zeros(n, np.int64)
    for k in range(edges.shape[0]):
        e, side, own = edges[k, 0], edges[k, 1], patch[k]
        grip[e, side] = own
        for end in range(2):
            i = elements[e, (side + end) % 3]
            for turn in range(2 if both[own] else 1):
                x, y = direction[own, 0], direction[own, 1]
                if turn == 1:
                    x, y = -y, x
                if count[i] == 0:
                    ways[i, 0, 0], ways[i, 0, 1] = x, y
                    count[i] = 1
                elif count[i] == 1 and abs(ways[i, 0, 0] * y - ways[i, 0, 1] * x) > 1e-6:
                    ways[i, 1, 0], ways[i, 1, 1] = -ways[i, 0, 1], ways[i, 0, 0]
                    count[i] = 2
    nodes, out = np.empty(count.sum(), np.int64), np.empty((count.sum(), 2))
    at = 0
    for i in range(n):
        for q in range(count[i]):
            nodes[at], out[at, 0], out[at, 1] = i, ways[i, q, 0], ways[i, q, 1]
            at += 1
    return nodes, out


@making_kernel
def end_weights(nodes, elements, edges):
    """(n,) part of a force spread evenly over border edges (k, 2) that each node takes."""
    out = np.zeros(nodes.shape[0])
    total = 0.0
    for k in range(edges.shape[0]):
        i, j = elements[edges[k, 0], edges[k, 1]], elements[edges[k, 0], (edges[k, 1] + 1) % 3]
        long = math.hypot(nodes[j, 0] - nodes[i, 0], nodes[j, 1] - nodes[i, 1])
        out[i] += 0.5 * long
        out[j] += 0.5 * long
        total += long
    for i in range(nodes.shape[0]):
        out[i] /= total
    return out
