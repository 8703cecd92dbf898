"""Kernels of the scene: quadrature points by cutting a floe into pieces."""

import numpy as np

from banquise.jit import checked_inner, njit


@checked_inner
def _edge_moments(ex, first, last, out):
    """Moments S, Sx, Sy, Sxx, Sxy, Syy of a closed set of directed edges (x0, y0, x1, y1)."""
    out[:] = 0.0
    for e in range(first, last):
        x0, y0, x1, y1 = ex[e, 0], ex[e, 1], ex[e, 2], ex[e, 3]
        cross = x0 * y1 - x1 * y0
        out[0] += cross / 2
        out[1] += (x0 + x1) * cross / 6
        out[2] += (y0 + y1) * cross / 6
        out[3] += (x0 * x0 + x0 * x1 + x1 * x1) * cross / 12
        out[4] += (2 * x0 * y0 + x0 * y1 + x1 * y0 + 2 * x1 * y1) * cross / 24
        out[5] += (y0 * y0 + y0 * y1 + y1 * y1) * cross / 12


@checked_inner
def _cut(ex, first, last, cx, cy, nx, ny, free, exits, entries):
    """Write the part with (p - c).n >= 0 behind `free`, then the other part; (end of one, end of both) or (-1, -1).

    A piece is a closed set of directed edges, in any order. Every pairing of the points where the border leaves
    with those where it returns closes the part with the same moments, since the closing edges all lie on the cut.
    """
    n_exit = n_entry = 0
    end = free
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        for e in range(first, last):
            x0, y0, x1, y1 = ex[e, 0], ex[e, 1], ex[e, 2], ex[e, 3]
            d0 = (x0 - cx) * nx + (y0 - cy) * ny
            d1 = (x1 - cx) * nx + (y1 - cy) * ny
            in0, in1 = (d0 >= 0) == (side == 0), (d1 >= 0) == (side == 0)
            if not in0 and not in1:
                continue
            if end >= len(ex):
                return -1, -1
            if in0 and in1:
                ex[end, 0], ex[end, 1], ex[end, 2], ex[end, 3] = x0, y0, x1, y1
                end += 1
                continue
            t = d0 / (d0 - d1)
            x, y = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
            if in0:
                ex[end, 0], ex[end, 1], ex[end, 2], ex[end, 3] = x0, y0, x, y
                if side == 0:
                    exits[n_exit, 0], exits[n_exit, 1] = x, y
                    n_exit += 1
            else:
                ex[end, 0], ex[end, 1], ex[end, 2], ex[end, 3] = x, y, x1, y1
                if side == 0:
                    entries[n_entry, 0], entries[n_entry, 1] = x, y
                    n_entry += 1
            end += 1
        for k in range(n_exit):
            if end >= len(ex):
                return -1, -1
            a, b = (exits[k], entries[k]) if sign > 0 else (entries[k], exits[k])
            ex[end, 0], ex[end, 1], ex[end, 2], ex[end, 3] = a[0], a[1], b[0], b[1]
            end += 1
        if side == 0:
            middle = end
    return middle, end


@checked_inner
def _spread(m):
    """Second moment of a piece about its own centroid (trace), what the cut makes small."""
    return m[3] + m[5] - (m[1] * m[1] + m[2] * m[2]) / m[0]


@njit(cache=True, nogil=True)
def quadrature(vertices, ring_start, body_ring, pieces, first, last, qx, qy, qw):
    """3 * `pieces` points a body, weights exact for the area, first and second moments of the polygon.

    The polygon is cut `pieces - 1` times, each time the piece of largest spread through its centroid across its
    long axis. In each piece three equal weights at centroid + sqrt(2) L (cos, sin)(2 pi k / 3), L L' its
    covariance, carry its moments exactly. Weights are positive for any ring. Bodies first..last are filled.
    """
    m = np.empty((pieces, 6))
    begin = np.empty(pieces, np.int64)
    finish = np.empty(pieces, np.int64)
    for body in range(first, last):
        r0, r1 = body_ring[body], body_ring[body + 1]
        v0, v1 = ring_start[r0], ring_start[r1]
        n = v1 - v0
        capacity = 16 * n + 1024
        while True:
            ex = np.empty((capacity, 4))
            crossings = np.empty((capacity, 2))
            crossings_back = np.empty((capacity, 2))
            end = np.int64(0)
            for r in range(r0, r1):
                a, b = ring_start[r], ring_start[r + 1]
                for v in range(a, b):
                    w = v + 1 if v + 1 < b else a
                    ex[end, 0], ex[end, 1] = vertices[v, 0], vertices[v, 1]
                    ex[end, 2], ex[end, 3] = vertices[w, 0], vertices[w, 1]
                    end += 1
            begin[0], finish[0] = 0, end
            _edge_moments(ex, np.int64(0), end, m[0])
            count = 1
            while count < pieces:
                worst = 0
                for k in range(1, count):
                    if _spread(m[k]) > _spread(m[worst]):
                        worst = k
                area = m[worst, 0]
                cx, cy = m[worst, 1] / area, m[worst, 2] / area
                cxx = m[worst, 3] / area - cx * cx
                cxy = m[worst, 4] / area - cx * cy
                cyy = m[worst, 5] / area - cy * cy
                angle = 0.5 * np.arctan2(2 * cxy, cxx - cyy)
                middle, total = _cut(
                    ex,
                    begin[worst],
                    finish[worst],
                    cx,
                    cy,
                    np.cos(angle),
                    np.sin(angle),
                    end,
                    crossings,
                    crossings_back,
                )
                if middle < 0:
                    break
                begin[worst], finish[worst] = end, middle
                begin[count], finish[count] = middle, total
                _edge_moments(ex, end, middle, m[worst])
                _edge_moments(ex, middle, total, m[count])
                end = total
                count += 1
            if count == pieces:
                break
            capacity *= 4
        for k in range(pieces):
            area = m[k, 0]
            cx, cy = m[k, 1] / area, m[k, 2] / area
            cxx = max(m[k, 3] / area - cx * cx, 0.0)
            cxy = m[k, 4] / area - cx * cy
            cyy = max(m[k, 5] / area - cy * cy, 0.0)
            l00 = np.sqrt(cxx)
            l10 = cxy / l00 if l00 > 0 else 0.0
            l11 = np.sqrt(max(cyy - l10 * l10, 0.0))
            for j in range(3):
                c = np.sqrt(2.0) * np.cos(2 * np.pi * j / 3)
                s = np.sqrt(2.0) * np.sin(2 * np.pi * j / 3)
                qx[body, 3 * k + j] = cx + l00 * c
                qy[body, 3 * k + j] = cy + l10 * c + l11 * s
                qw[body, 3 * k + j] = area / 3
