"""Kernels of the mesh of a floe: sizes, lattices, points kept apart; and its stiffness matrix."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def spread(points, sizes, placed, factor):
    """Keep points one by one, each at `factor` times its size from all `placed` and all kept before it."""
    n = points.shape[0]
    m = placed.shape[0]
    kept = np.zeros(n, np.bool_)
    near = np.empty((m + n, 2))
    for j in range(m):
        near[j, 0], near[j, 1] = placed[j, 0], placed[j, 1]
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
            near[count, 0], near[count, 1] = points[i, 0], points[i, 1]
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
