"""Kernels of the broad phase: world boxes, and a grid in which a body stands in every cell its box meets.

The grid is folded: cell (i, j) is bucket (i mod nx, j mod ny), so that neither an empty ocean nor a periodic seam needs
anything special. Far cells that share a bucket cost a box test, no more; a body never stands twice in one bucket.
"""

import math

import numpy as np

from banquise.detection._kernels_rows import SECTORS, sector
from banquise.detection.jit import fetch, inner, kernel

SOON = 12  # how many pairs ahead their rows are asked for, how many places of the grid ahead the boxes


@kernel
def world_boxes(first, last, rim, frame, pose, margin, box):
    """Box of each body where it is now, rounding and margin included: by its rim, a hundredth wider than by its points."""
    for b in range(first, last):
        for line in range(0, 2 * SECTORS, 16):
            fetch(rim, 2 * SECTORS * (b + SOON) + line)
        x, y, c, s = pose[b, 0], pose[b, 1], pose[b, 2], pose[b, 3]
        add = frame[b, 4] + margin[b]
        east = sector(c, -s)
        north, west, south = east + SECTORS // 4, east + SECTORS // 2, east - SECTORS // 4
        north, west, south = north % SECTORS, west % SECTORS, south % SECTORS
        box[b, 0], box[b, 1] = (
            x + c * rim[b, west, 0] - s * rim[b, west, 1] - add,
            y + s * rim[b, south, 0] + c * rim[b, south, 1] - add,
        )
        box[b, 2], box[b, 3] = (
            x + c * rim[b, east, 0] - s * rim[b, east, 1] + add,
            y + s * rim[b, north, 0] + c * rim[b, north, 1] + add,
        )


@kernel
def extent_of(box, out):
    """Box around all boxes, and their mean area: five numbers."""
    x0 = y0 = math.inf
    x1 = y1 = -math.inf
    area = 0.0
    for b in range(len(box)):
        x0, y0, x1, y1 = min(x0, box[b, 0]), min(y0, box[b, 1]), max(x1, box[b, 2]), max(y1, box[b, 3])
        area += (box[b, 2] - box[b, 0]) * (box[b, 3] - box[b, 1])
    out[0], out[1], out[2], out[3], out[4] = x0, y0, x1, y1, area / len(box)


@inner
def _cell(x, x0, per_x):
    """Column (or row) of a coordinate."""
    return int(math.floor((x - x0) * per_x))


@inner
def _folded(i, n):
    """Column (or row) i of a grid folded to n."""
    return i if 0 <= i < n else i % n  # most are: a remainder takes as long as all the rest


@kernel
def count_cells(box, x0, y0, per_x, per_y, nx, ny, cells, start):
    """Cells of each box, no more than the grid is wide: first column and row, columns, rows; start[k + 2]: how many
    bodies stand in the buckets up to k. The number in the fullest.

    A billionth of a cell is added all round: an image is not on the same side of a cell border to the last bit.
    """
    for k in range(len(start)):
        start[k] = 0
    for b in range(len(box)):
        i0 = int(math.floor((box[b, 0] - x0) * per_x - 1e-9))
        j0 = int(math.floor((box[b, 1] - y0) * per_y - 1e-9))
        ni = min(int(math.floor((box[b, 2] - x0) * per_x + 1e-9)) - i0 + 1, nx)
        nj = min(int(math.floor((box[b, 3] - y0) * per_y + 1e-9)) - j0 + 1, ny)
        cells[b, 0], cells[b, 1], cells[b, 2], cells[b, 3] = i0, j0, ni, nj
        j = _folded(j0, ny)
        for _ in range(nj):
            i = _folded(i0, nx)
            for _ in range(ni):
                start[j * nx + i + 2] += 1
                i = i + 1 if i + 1 < nx else 0
            j = j + 1 if j + 1 < ny else 0
    most = np.int64(0)
    for k in range(2, len(start)):
        most = max(most, start[k])
        start[k] += start[k - 1]
    return most


@kernel
def fill_cells(cells, nx, ny, start, bodies):
    """Bodies of each bucket in row order; afterwards those of bucket k are bodies[start[k]:start[k + 1]]."""
    for b in range(len(cells)):
        j = _folded(cells[b, 1], ny)
        for _ in range(cells[b, 3]):
            i = _folded(cells[b, 0], nx)
            for _ in range(cells[b, 2]):
                bodies[start[j * nx + i + 1]] = b
                start[j * nx + i + 1] += 1
                i = i + 1 if i + 1 < nx else 0
            j = j + 1 if j + 1 < ny else 0


@kernel
def find_pairs(
    first, last, box, n_free, period, x0, y0, per_x, per_y, nx, ny, cells, start, bodies, near, place, pairs
):  # fmt: skip
    """Pairs (a, b > a, image of b) whose boxes meet, from the rows of buckets first:last, in no order; their number, also
    when they do not fit.

    A pair is reported by the bucket that holds the low corner of the intersection of its boxes, and by no other. Bucket by
    bucket, for its boxes stay at hand (near, place: work space), and without a jump a test, for none could be foreseen: every
    test writes, and the last place of `pairs` is for those that find no pair.
    """
    count = np.int64(0)
    room = len(pairs) - 1
    images = period[0] > 0.0 or period[1] > 0.0
    for j in range(first, last):
        for i in range(nx):
            begin = start[j * nx + i]
            m = start[j * nx + i + 1] - begin
            for p in range(m if m > 1 else 0):
                soon = begin + p + SOON
                if soon < len(bodies):
                    fetch(box, 4 * np.int64(bodies[soon]))
                    fetch(cells, 4 * np.int64(bodies[soon]))
                b = bodies[begin + p]
                near[p, 0], near[p, 1], near[p, 2], near[p, 3] = box[b, 0], box[b, 1], box[b, 2], box[b, 3]
                i0, j0, ni, nj = cells[b, 0], cells[b, 1], cells[b, 2], cells[b, 3]
                # as wide as the grid: perhaps wider, cut off
                beyond = i0 < 0 or j0 < 0 or i0 + ni > nx or j0 + nj > ny or ni == nx or nj == ny
                place[p, 0], place[p, 1], place[p, 2], place[p, 3] = b, i0, j0, images or beyond
            for p in range(m - 1):
                a, ia, ja, folded = place[p, 0], place[p, 1], place[p, 2], place[p, 3]
                if a >= n_free:
                    break
                ax0, ay0, ax1, ay1 = near[p, 0], near[p, 1], near[p, 2], near[p, 3]
                for q in range(p + 1, m):
                    meets = (near[q, 0] <= ax1) & (near[q, 2] >= ax0) & (near[q, 1] <= ay1) & (near[q, 3] >= ay0)
                    here = (max(ia, place[q, 1]) == i) & (max(ja, place[q, 2]) == j) & (folded & place[q, 3] == 0)
                    at = min(count, room)
                    pairs[at, 0], pairs[at, 1], pairs[at, 2], pairs[at, 3] = a, place[q, 0], 0, 0
                    count += meets & here
                for q in range(p + 1, m if folded else 0):  # two that both reach beyond the grid, or have images
                    if place[q, 3]:
                        b = place[q, 0]
                        count = _images(a, b, box, period, x0, y0, per_x, per_y, nx, ny, i, j, pairs, count)
    return count


@kernel
def sort_pairs(raw, start, pairs):
    """The pairs in order; start: work space, two numbers more than there are bodies."""
    for k in range(len(start)):
        start[k] = 0
    for p in range(len(raw)):
        start[raw[p, 0] + 2] += 1
    for k in range(2, len(start)):
        start[k] += start[k - 1]
    for p in range(len(raw)):
        at = start[raw[p, 0] + 1]
        start[raw[p, 0] + 1] = at + 1
        pairs[at, 0], pairs[at, 1], pairs[at, 2], pairs[at, 3] = raw[p, 0], raw[p, 1], raw[p, 2], raw[p, 3]
    for a in range(len(start) - 2):
        if start[a + 1] - start[a] > 1:
            _sort_pairs(pairs, start[a], start[a + 1])


@inner
def _span(low_a, high_a, low_b, high_b, period):
    """First and last image of b (in periods) that can meet a along one axis."""
    if period == 0.0:
        return 0, 0
    return int(math.ceil((low_a - high_b) / period)), int(math.floor((high_a - low_b) / period))


@inner
def _images(a, b, box, period, x0, y0, per_x, per_y, nx, ny, bi, bj, pairs, count):
    """Append every image of b that meets a and belongs to this bucket; the count so far."""
    k0, k1 = _span(box[a, 0], box[a, 2], box[b, 0], box[b, 2], period[0])
    l0, l1 = _span(box[a, 1], box[a, 3], box[b, 1], box[b, 3], period[1])
    for l in range(l0, l1 + 1):
        for k in range(k0, k1 + 1):
            x = max(box[a, 0], box[b, 0] + k * period[0])
            y = max(box[a, 1], box[b, 1] + l * period[1])
            if x > min(box[a, 2], box[b, 2] + k * period[0]) or y > min(box[a, 3], box[b, 3] + l * period[1]):
                continue
            if (_cell(x, x0, per_x) - bi) % nx != 0 or (_cell(y, y0, per_y) - bj) % ny != 0:
                continue
            if count < len(pairs):
                pairs[count, 0], pairs[count, 1], pairs[count, 2], pairs[count, 3] = a, b, k, l
            count += 1
    return count


@inner
def _before(p, i, q, j):
    """Whether pair i of list p comes before pair j of list q."""
    for k in range(4):
        if p[i, k] != q[j, k]:
            return p[i, k] < q[j, k]
    return False


@inner
def _sort_pairs(pairs, first, last):
    """Sort pairs of one body in place (Shell's gaps: a coast may have thousands)."""
    gap = 1
    while 3 * gap + 1 < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            j = i
            while j >= first + gap and _before(pairs, j, pairs, j - gap):
                for k in range(4):
                    pairs[j, k], pairs[j - gap, k] = pairs[j - gap, k], pairs[j, k]
                j -= gap
        gap //= 3


@kernel
def start_values(first, last, pairs, box, margin, period, path, wraps, old_pairs, old, new):
    """Values of the pairs first:last of a new list: carried over for those of the old one, else from the gap of the boxes.

    Both lists are sorted, so one pass merges them. Turns the images into what stays when bodies are wrapped.
    """
    q, beyond = np.int64(0), len(old_pairs)  # the first old pair of the first body
    while q < beyond:
        middle = (q + beyond) // 2
        if old_pairs[middle, 0] < pairs[first, 0]:
            q = middle + 1
        else:
            beyond = middle
    width = old.known.shape[1]
    images = period[0] > 0.0 or period[1] > 0.0
    for p in range(first, last):
        if p + SOON < last:
            soon = np.int64(pairs[p + SOON, 1])
            fetch(box, 4 * soon)
            fetch(margin, soon)
            fetch(path, soon)
        if q + SOON < len(old_pairs) and old.known_until[q + SOON] > -math.inf:
            fetch(old.known, width * (q + SOON))
            fetch(new.known, width * (p + SOON))
        i, j = pairs[p, 0], pairs[p, 1]
        sx, sy = pairs[p, 2] * period[0], pairs[p, 3] * period[1]
        if images:
            pairs[p, 2] += wraps[j, 0] - wraps[i, 0]
            pairs[p, 3] += wraps[j, 1] - wraps[i, 1]
        # boxes carry their margins: what separates them without is the gap
        add = margin[i] + margin[j]
        gx = max(box[j, 0] + sx - box[i, 2], box[i, 0] - box[j, 2] - sx) + add
        gy = max(box[j, 1] + sy - box[i, 3], box[i, 1] - box[j, 3] - sy) + add
        gap = math.sqrt(max(gx, 0.0) ** 2 + max(gy, 0.0) ** 2)
        new.until[p] = (gap if gap > 0.0 else -math.inf) + path[i] + path[j]
        new.clear[p] = new.until[p]
        new.known_until[p] = -math.inf
        new.line[p, 0] = new.line[p, 1] = 0.0
        new.line[p, 2] = -math.inf
        new.seen[p] = 0
        while q < len(old_pairs) and (
            old_pairs[q, 0] < i or (old_pairs[q, 0] == i and _before(old_pairs, q, pairs, p))
        ):
            q += 1
        if q < len(old_pairs) and old_pairs[q, 0] == i and old_pairs[q, 1] == j and not _before(pairs, p, old_pairs, q):
            new.until[p] = max(new.until[p], old.until[q])
            new.clear[p] = max(new.clear[p], old.clear[q])
            new.known_until[p] = old.known_until[q]
            if old.until[q] > -math.inf:
                new.line[p, 0], new.line[p, 1], new.line[p, 2] = old.line[q, 0], old.line[q, 1], old.line[q, 2]
            if new.known_until[p] > -math.inf:
                for k in range(1 + (old.known[q, 0] & 0xFF) + (old.known[q, 0] >> 8)):
                    new.known[p, k] = old.known[q, k]
