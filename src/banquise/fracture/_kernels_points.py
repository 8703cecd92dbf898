"""Kernels of the points of a mesh: the size wanted at a place, the border resampled by it, the inside filled by it."""

import math

import numpy as np

from banquise.jit import making_inner, making_kernel, plain_inner

SAMPLES = 32  # of a border edge, over which its points are spaced by the local size
CELLS = 6  # for each node, over which points are counted before they are made
PACKING = 0.9  # points that fit, as a part of a perfect hexagonal packing (measured on graded meshes)
RATIO = 1.25  # of the steps of two lattices
SIZE = 5  # column of the `fine_places`
APART = 0.7  # of the local size: the least distance of two points


@plain_inner
def inside(x, y, corners, first):
    """Whether a place is in the ice: corners (k, 2) of all rings one after the other, ring r from first[r] to first[r + 1]."""
    odd = False
    for r in range(first.shape[0] - 1):
        j = first[r + 1] - 1
        for i in range(first[r], first[r + 1]):
            if (corners[i, 1] > y) != (corners[j, 1] > y):
                part = (y - corners[i, 1]) / (corners[j, 1] - corners[i, 1])
                if x < corners[i, 0] + part * (corners[j, 0] - corners[i, 0]):
                    odd = not odd
            j = i
    return odd


@plain_inner
def size_at(x, y, fine, growth, top):
    """The least of `top` and, for each of the `fine_places`, its size + growth * distance."""
    least, square = top, growth * growth
    for k in range(fine.shape[0]):
        room = least - fine[k, SIZE]
        if room <= 0.0:  # nor do the places after it, which are less fine
            break
        ex, ey = fine[k, 2], fine[k, 3]
        dx, dy = x - fine[k, 0], y - fine[k, 1]
        part = min(max((dx * ex + dy * ey) * fine[k, 4], 0.0), 1.0)
        dx -= part * ex
        dy -= part * ey
        away = square * (dx * dx + dy * dy)
        if away < room * room:
            least = fine[k, SIZE] + math.sqrt(away)
    return least


@plain_inner
def _across(x, y, dx, dy, corners, first):
    """Distance from a border point, straight into the ice, to the opposite border (inf when none is met)."""
    out = math.inf
    for r in range(first.shape[0] - 1):
        j = first[r + 1] - 1
        for i in range(first[r], first[r + 1]):
            ax, ay = corners[j, 0] - x, corners[j, 1] - y
            ex, ey = corners[i, 0] - corners[j, 0], corners[i, 1] - corners[j, 1]
            j = i
            det = dx * ey - dy * ex
            if abs(det) < 1e-14:
                continue
            t = (ax * ey - ay * ex) / det
            s = (ax * dy - ay * dx) / det
            if t > 1e-7 and -1e-9 <= s <= 1 + 1e-9 and t < out:
                out = t
    return out


@making_inner
def _finest_first(places, growth):
    """What `fine_places` returns, of stretches x0, y0, x1, y1, size (which is lost)."""
    out = np.empty((places.shape[0], 6))
    count = 0
    for _ in range(places.shape[0]):
        k = 0
        for q in range(places.shape[0]):
            if places[q, 4] < places[k, 4]:
                k = q
        x, y, size = places[k, 0], places[k, 1], places[k, 4]
        ex, ey = places[k, 2] - x, places[k, 3] - y
        places[k, 4] = math.inf
        long = ex * ex + ey * ey
        if long > 0.0 or size_at(x, y, out[:count], growth, math.inf) > size:
            out[count, 0], out[count, 1], out[count, 2], out[count, 3] = x, y, ex, ey
            out[count, 4], out[count, SIZE] = 1.0 / long if long > 0.0 else 0.0, size
            count += 1
    return out[:count].copy()


@making_kernel
def fine_places(corners, first, patches, coarse, growth):
    """(k, 6) stretches and the size wanted there, finest first: the patches as given (x0, y0, x1, y1, size), and where the ice
    is narrow.

    A stretch is x0, y0, x1 - x0, y1 - y0 and one over the square of its length, 0 of a point: `size_at` is asked a thousand
    times a mesh. So places at which another wants as fine a mesh are left out, half of them.
    """
    room = patches.shape[0]
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            room += 1 + int(math.hypot(corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]) / coarse)
    out = np.empty((room, 5))
    count = patches.shape[0]
    for k in range(count):
        for q in range(5):
            out[k, q] = patches[k, q]
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
            long = math.hypot(ex, ey)
            parts = max(1, int(math.ceil(long / coarse)))
            for k in range(parts):
                x, y = corners[i, 0] + (k + 0.5) / parts * ex, corners[i, 1] + (k + 0.5) / parts * ey
                gap = _across(x, y, -ey / long, ex / long, corners, first)
                if gap < 3.0 * coarse:
                    out[count, 0] = out[count, 2] = x
                    out[count, 1] = out[count, 3] = y
                    out[count, 4] = max(gap / 2.5, coarse / 6.0)
                    count += 1
    return _finest_first(out[:count], growth)


@making_kernel
def top_size(corners, first, fine, growth, nodes):
    """The greatest size, such that the number of nodes to be expected is the one asked for; and the sizes that the fine places
    alone want amid the cells (rows, columns) of a grid over the floe, with its step."""
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for i in range(first[1]):
        x0, x1 = min(x0, corners[i, 0]), max(x1, corners[i, 0])
        y0, y1 = min(y0, corners[i, 1]), max(y1, corners[i, 1])
    grid = math.sqrt((x1 - x0) * (y1 - y0) / min(CELLS * nodes, 1200.0))
    columns, rows = int(math.ceil((x1 - x0) / grid)), int(math.ceil((y1 - y0) / grid))
    sizes = np.empty((rows, columns))
    dense = np.empty(columns * rows)  # wanted there, nodes on a square of unit size
    count = 0
    for j in range(rows):
        for i in range(columns):
            x, y = x0 + (i + 0.5) * grid, y0 + (j + 0.5) * grid
            sizes[j, i] = size_at(x, y, fine, growth, math.inf)
            if inside(x, y, corners, first):
                dense[count] = 1.0 / (sizes[j, i] * sizes[j, i])
                count += 1
    rim = np.empty((corners.shape[0], 2))
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            x, y = 0.5 * (corners[i, 0] + corners[j, 0]), 0.5 * (corners[i, 1] + corners[j, 1])
            rim[i, 0] = 1.0 / size_at(x, y, fine, growth, math.inf)
            rim[i, 1] = math.hypot(corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1])
    low, high = 0.2 * math.sqrt(1.15 / nodes), 4.0 * math.sqrt(1.15 / nodes)
    for _ in range(24):  # to a ten-thousandth
        top = math.sqrt(low * high)
        least, inner, border = 1.0 / top, 0.0, 0.0
        for k in range(count):
            inner += max(least * least, dense[k])
        for k in range(rim.shape[0]):
            border += rim[k, 1] * max(least, rim[k, 0])
        if PACKING * grid * grid / 0.866 * inner + 0.5 * border < nodes:
            high = top
        else:
            low = top
    return math.sqrt(low * high), sizes, grid


@making_kernel
def border_points(corners, first, fine, growth, top):
    """Points (k, 2) on the border edges at the local spacing, without the corners; how many on the edge after each corner."""
    c = corners.shape[0]
    parts = np.ones(c, np.int64)
    summed = np.zeros((c, SAMPLES + 1))
    total = 0
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            ex, ey = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
            step = math.hypot(ex, ey) / SAMPLES
            before = 0.0
            for k in range(SAMPLES + 1):
                part = k / SAMPLES
                wanted = 1.0 / size_at(corners[i, 0] + part * ex, corners[i, 1] + part * ey, fine, growth, top)
                if k > 0:
                    summed[i, k] = summed[i, k - 1] + 0.5 * (wanted + before) * step
                before = wanted
            parts[i] = max(1, int(math.ceil(summed[i, SAMPLES] - 0.2)))
            total += parts[i] - 1
    out = np.empty((total, 2))
    at = 0
    for r in range(first.shape[0] - 1):
        for i in range(first[r], first[r + 1]):
            j = i + 1 if i + 1 < first[r + 1] else first[r]
            k = 0
            for p in range(1, parts[i]):
                goal = summed[i, SAMPLES] * p / parts[i]
                while summed[i, k + 1] < goal:
                    k += 1
                part = (k + (goal - summed[i, k]) / (summed[i, k + 1] - summed[i, k])) / SAMPLES
                out[at, 0] = corners[i, 0] + part * (corners[j, 0] - corners[i, 0])
                out[at, 1] = corners[i, 1] + part * (corners[j, 1] - corners[i, 1])
                at += 1
    for i in range(c):
        parts[i] -= 1
    return out, parts


@making_kernel
def filled(corners, first, points, fine, growth, top, sizes, grid):
    """Border points and inner points (k, 2): hexagonal lattices of each size where it is wanted, finest first, kept apart.

    By the sizes wanted amid the cells of a grid (see `top_size`) most places of a lattice are told to want another one.
    """
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for i in range(first[1]):
        x0, x1 = min(x0, corners[i, 0]), max(x1, corners[i, 0])
        y0, y1 = min(y0, corners[i, 1]), max(y1, corners[i, 1])
    finest = top
    for k in range(fine.shape[0]):
        finest = min(finest, fine[k, SIZE])
    levels = int(math.ceil(math.log(top / finest) / math.log(RATIO)))
    half, by_grid = 0.5 * growth * math.sqrt(2.0) * grid, 1.0 / grid
    out = np.empty((4 * points.shape[0] + 64, 2))
    count = points.shape[0]
    for k in range(count):
        out[k, 0], out[k, 1] = points[k, 0], points[k, 1]
    for level in range(levels, -1, -1):
        step = top / RATIO**level
        # outside of this box the size wanted is larger
        xa, xb, ya, yb = x1, x0, y1, y0
        if top < 1.13 * step:
            xa, xb, ya, yb = x0, x1, y0, y1
        for k in range(fine.shape[0]):
            reach = (1.13 * step - fine[k, SIZE]) / growth
            if reach > 0.0:
                x, y = fine[k, 0], fine[k, 1]
                xa, xb = min(xa, x + min(fine[k, 2], 0.0) - reach), max(xb, x + max(fine[k, 2], 0.0) + reach)
                ya, yb = min(ya, y + min(fine[k, 3], 0.0) - reach), max(yb, y + max(fine[k, 3], 0.0) + reach)
        xa, xb, ya, yb = max(xa, x0), min(xb, x1), max(ya, y0), min(yb, y1)
        least = 0.9 * step - half
        most = 1.13 * step + half if top >= 1.13 * step else math.inf
        left, right = max(int(math.floor((xa - x0) / step)) - 1, 0), int(math.ceil((xb - x0) / step)) + 1
        low = max(int(math.floor((ya - y0) / (0.866 * step))) - 1, 0)
        for j in range(low, int(math.ceil((yb - y0) / (0.866 * step))) + 1):
            y = y0 + 0.866 * step * (j + 0.5)
            row = int((y - y0) * by_grid)
            if row >= sizes.shape[0]:
                break
            for i in range(left, right):  # thousands of places, of which some tens are wanted
                x = x0 + step * (i + 0.5 * (j % 2))
                column = int((x - x0) * by_grid)
                if column >= sizes.shape[1]:
                    break
                if not least <= sizes[row, column] < most:
                    continue
                size = size_at(x, y, fine, growth, top)
                if not 0.9 * step <= size < 1.13 * step:
                    continue
                reach = (APART * size) ** 2
                free = True
                for k in range(count - 1, -1, -1):
                    if (out[k, 0] - x) ** 2 + (out[k, 1] - y) ** 2 < reach:
                        free = False
                        break
                if not free or not inside(x, y, corners, first):
                    continue
                if count == out.shape[0]:
                    wider = np.empty((2 * count, 2))
                    for k in range(count):
                        wider[k, 0], wider[k, 1] = out[k, 0], out[k, 1]
                    out = wider
                out[count, 0], out[count, 1] = x, y
                count += 1
    return out[:count].copy()


@making_kernel
def with_points(ring, spots, reach):
    """The ring (k, 2) with those places as points of it that lie on it (within `reach`) and at no point of it."""
    out = np.empty((ring.shape[0] + spots.shape[0], 2))
    count = ring.shape[0]
    for i in range(count):
        out[i, 0], out[i, 1] = ring[i, 0], ring[i, 1]
    for s in range(spots.shape[0]):
        best, edge, x, y, clear = math.inf, 0, 0.0, 0.0, math.inf
        for i in range(count):
            j = (i + 1) % count
            ex, ey = out[j, 0] - out[i, 0], out[j, 1] - out[i, 1]
            px, py = spots[s, 0] - out[i, 0], spots[s, 1] - out[i, 1]
            part = min(max((px * ex + py * ey) / (ex * ex + ey * ey), 0.0), 1.0)
            away = math.hypot(px - part * ex, py - part * ey)
            clear = min(clear, math.hypot(px, py))
            if away < best:
                best, edge, x, y = away, i, out[i, 0] + part * ex, out[i, 1] + part * ey
        if best < reach and clear > reach:
            for i in range(count, edge + 1, -1):
                out[i, 0], out[i, 1] = out[i - 1, 0], out[i - 1, 1]
            out[edge + 1, 0], out[edge + 1, 1] = x, y
            count += 1
    return out[:count].copy()
