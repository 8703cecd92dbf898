"""Fields on grids: onto the lattice of the run once a time slice, from there to the points of the floes every step."""

import numpy as np

from banquise.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def resample(first, last, source, row, column, out):
    """Bilinear from `source` (K, ny, nx) at fractional (row, column) of lattice rows first..last; NaN outside.

    A corner of weight zero does not count, so a missing neighbour spoils nothing that lies on the grid line.
    """
    n_rows, n_columns = source.shape[1], source.shape[2]
    for j in range(first, last):
        for i in range(row.shape[1]):
            r, c = row[j, i], column[j, i]
            inside = r >= 0 and c >= 0 and r <= n_rows - 1 and c <= n_columns - 1
            if not inside:
                for k in range(source.shape[0]):
                    out[k, j, i] = np.nan
                continue
            a, b = min(int(r), n_rows - 2), min(int(c), n_columns - 2)
            t, s = r - a, c - b
            for k in range(source.shape[0]):
                value = 0.0
                if t < 1 and s < 1:
                    value += (1 - t) * (1 - s) * source[k, a, b]
                if t < 1 and s > 0:
                    value += (1 - t) * s * source[k, a, b + 1]
                if t > 0 and s < 1:
                    value += t * (1 - s) * source[k, a + 1, b]
                if t > 0 and s > 0:
                    value += t * s * source[k, a + 1, b + 1]
                out[k, j, i] = value


@njit(cache=True, nogil=True, error_model="numpy")
def sample_bodies(
    first, last, lead, x, y, cos, sin, u, v, spin, extent, px, py, x0, y0, hx, hy, before, after, weight, out, missing
):
    """The field at the points (px, py) (n, m) of bodies first..last where they will be in `lead` (n,) seconds.

    The lattice holds `before` and `after` (K, ny, nx), blended by `weight`, its first node at (x0, y0). When a body's
    disc lies in one cell the field is one polynomial a + b s + c t + d s t for all its points; else each point
    finds its own cell. missing[i] is 1 where a point has no value.
    """
    n_components, n_rows, n_columns = before.shape
    for i in range(first, last):
        turn = spin[i] * lead[i]
        ch, sh = np.cos(turn), np.sin(turn)
        c, s = cos[i] * ch - sin[i] * sh, sin[i] * ch + cos[i] * sh
        cx = (x[i] + lead[i] * u[i] - x0) / hx
        cy = (y[i] + lead[i] * v[i] - y0) / hy
        reach_x, reach_y = extent[i] / hx, extent[i] / hy
        missing[i] = 0
        inside = cx >= reach_x and cy >= reach_y and cx + reach_x <= n_columns - 1 and cy + reach_y <= n_rows - 1
        if not inside:
            missing[i] = 1
            out[i] = np.nan
            continue
        a, b = min(int(cy), n_rows - 2), min(int(cx), n_columns - 2)
        one_cell = cx - reach_x >= b and cx + reach_x <= b + 1 and cy - reach_y >= a and cy + reach_y <= a + 1
        for k in range(n_components):
            if one_cell:
                f00 = before[k, a, b] + weight * (after[k, a, b] - before[k, a, b])
                f01 = before[k, a, b + 1] + weight * (after[k, a, b + 1] - before[k, a, b + 1])
                f10 = before[k, a + 1, b] + weight * (after[k, a + 1, b] - before[k, a + 1, b])
                f11 = before[k, a + 1, b + 1] + weight * (after[k, a + 1, b + 1] - before[k, a + 1, b + 1])
                fs, ft, fst = f01 - f00, f10 - f00, f11 - f10 - f01 + f00
                for m in range(px.shape[1]):
                    p = cx - b + (c * px[i, m] - s * py[i, m]) / hx
                    q = cy - a + (s * px[i, m] + c * py[i, m]) / hy
                    out[i, k, m] = f00 + fs * p + ft * q + fst * p * q
            else:
                for m in range(px.shape[1]):
                    p = cx + (c * px[i, m] - s * py[i, m]) / hx
                    q = cy + (s * px[i, m] + c * py[i, m]) / hy
                    e, g = min(max(int(q), 0), n_rows - 2), min(max(int(p), 0), n_columns - 2)
                    p -= g
                    q -= e
                    f00 = before[k, e, g] + weight * (after[k, e, g] - before[k, e, g])
                    f01 = before[k, e, g + 1] + weight * (after[k, e, g + 1] - before[k, e, g + 1])
                    f10 = before[k, e + 1, g] + weight * (after[k, e + 1, g] - before[k, e + 1, g])
                    f11 = before[k, e + 1, g + 1] + weight * (after[k, e + 1, g + 1] - before[k, e + 1, g + 1])
                    out[i, k, m] = f00 + (f01 - f00) * p + (f10 - f00) * q + (f11 - f10 - f01 + f00) * p * q
        if np.isnan(out[i, :, :].sum()):
            missing[i] = 1


@njit(cache=True, nogil=True)
def place(x, y, cos, sin, px, py, out_x, out_y):
    """The points (px, py) (n, m) of n bodies at (x, y) that are turned by the angle of (cos, sin), on the map."""
    for b in range(px.shape[0]):
        for k in range(px.shape[1]):
            out_x[b, k] = x[b] + cos[b] * px[b, k] - sin[b] * py[b, k]
            out_y[b, k] = y[b] + sin[b] * px[b, k] + cos[b] * py[b, k]
