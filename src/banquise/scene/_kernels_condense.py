"""Kernel that leaves of many quadrature points a few, with other weights, that give the same sums.

A point of a floe goes through the water at w k x (r - c), c the place about which the floe turns: far away where it hardly turns,
and then the drag is all but a polynomial of the place r; at its centre where it only turns. Between the two, polynomials do not
do, and sums for four such places are kept too.
"""

import numpy as np

from banquise.jit import checked_inner, njit, plain_inner

DEGREE = 6  # of the polynomials whose sums stay as they are
AROUND = 3  # places off the centre, besides the centre itself, about which a floe may turn
OFF = 0.45  # of its extent
# polynomials; force (2) and torque of the drag on a floe that turns about each place, which are none
FUNCTIONS = (DEGREE + 1) * (DEGREE + 2) // 2 + 3 * (1 + AROUND)
NOTHING = 1e-10  # of its largest value: less is left of a function that is a sum of others


@checked_inner
def _legendre(x, out):
    """Legendre's polynomials at x, to DEGREE."""
    out[0], out[1] = 1.0, x
    for k in range(2, DEGREE + 1):
        out[k] = ((2 * k - 1) * x * out[k - 1] - (k - 1) * out[k - 2]) / k


@checked_inner
def _tabulate(x, y, w, table):
    """The functions (rows) at the points of one floe (columns), each at most about 1.

    Polynomials are taken along the axes of the floe, over its own length and width: they know no slender floes.
    """
    n = len(x)
    area = sx = sy = sxx = sxy = syy = reach = 0.0
    for k in range(n):
        area += w[k]
        sx += w[k] * x[k]
        sy += w[k] * y[k]
        reach = max(reach, x[k] * x[k] + y[k] * y[k])
    cx, cy, reach = sx / area, sy / area, np.sqrt(reach)
    for k in range(n):
        dx, dy = x[k] - cx, y[k] - cy
        sxx += w[k] * dx * dx
        sxy += w[k] * dx * dy
        syy += w[k] * dy * dy
    angle = 0.5 * np.arctan2(2 * sxy, sxx - syy)
    c, s = np.cos(angle), np.sin(angle)
    length = width = 0.0
    for k in range(n):
        dx, dy = x[k] - cx, y[k] - cy
        length, width = max(length, abs(c * dx + s * dy)), max(width, abs(c * dy - s * dx))
    along, across = np.empty(DEGREE + 1), np.empty(DEGREE + 1)
    for k in range(n):
        dx, dy = x[k] - cx, y[k] - cy
        _legendre((c * dx + s * dy) / length, along)
        _legendre((c * dy - s * dx) / width, across)
        row = 0
        for i in range(DEGREE + 1):
            for j in range(DEGREE + 1 - i):
                table[row, k] = along[i] * across[j]
                row += 1
        px, py = x[k] / reach, y[k] / reach
        for place in range(1 + AROUND):
            turn = 2 * np.pi * place / AROUND
            off = OFF if place > 0 else 0.0
            dx, dy = px - off * np.cos(turn), py - off * np.sin(turn)
            d = np.sqrt(dx * dx + dy * dy)
            table[row, k], table[row + 1, k], table[row + 2, k] = d * dx, d * dy, d * (px * dx + py * dy)
            row += 3


@plain_inner
def _take_out(table, first, last, row, column, pivot):
    """Make `column` zero in the rows first:last but `row`, whose numbers `pivot` gets, over that of the column."""
    over = 1.0 / table[row, column]
    for k in range(len(pivot)):
        pivot[k] = over * table[row, k]
    for r in range(first, last):
        times = table[r, column] if r != row else table[r, column] - 1.0
        for k in range(len(pivot)):
            table[r, k] -= times * pivot[k]


@plain_inner
def _solve_for_some(table, basic, pivot):
    """Bring the table into the form in which a column tells how the `basic` points make up for its point; how many there are.

    Rows of functions that are sums of others, at these points, fall out.
    """
    rows = np.int64(0)
    for row in range(table.shape[0]):
        column, largest = np.int64(0), 0.0
        for k in range(len(pivot)):
            table[rows, k] = table[row, k]
            if abs(table[rows, k]) > largest:
                column, largest = k, abs(table[rows, k])
        if largest > NOTHING:
            _take_out(table, np.int64(row + 1), table.shape[0], rows, column, pivot)  # these are still as they were
            _take_out(table, np.int64(0), rows + 1, rows, column, pivot)
            basic[rows] = column
            rows += 1
    return rows


@njit(cache=True, nogil=True)
def condense(first, last, x, y, w, qx, qy, qw):
    """Of points x, y (n, many) of bodies first:last choose as many as qx has columns, with weights that give the same sums as w.

    Point by point the weight of one that is not `basic` is handed over to those that are; where one of these is used up first,
    it changes places with it (Caratheodory's theorem, by the steps of a simplex method). No weight becomes negative.
    """
    many, few = x.shape[1], qx.shape[1]
    table, pivot = np.empty((FUNCTIONS, many)), np.empty(many)
    basic, is_basic, weight = np.empty(FUNCTIONS, np.int64), np.empty(many, np.bool_), np.empty(many)
    for body in range(first, last):
        for k in range(many):
            weight[k] = w[body, k]
        _tabulate(x[body], y[body], weight, table)
        rows = _solve_for_some(table, basic, pivot)
        is_basic[:] = False
        for r in range(rows):
            is_basic[basic[r]] = True
        for k in range(many):
            if is_basic[k]:
                continue
            leaving, most = -1, weight[k]
            for r in range(rows):
                if -table[r, k] * most > weight[basic[r]]:
                    leaving, most = r, weight[basic[r]] / -table[r, k]
            for r in range(rows):
                weight[basic[r]] = max(weight[basic[r]] + most * table[r, k], 0.0)
            weight[k] -= most
            if leaving >= 0:
                weight[basic[leaving]] = 0.0
                _take_out(table, np.int64(0), rows, np.int64(leaving), np.int64(k), pivot)
                basic[leaving] = k
            else:
                weight[k] = 0.0
        count = 0
        for k in range(many):
            if weight[k] > 0.0 and count < few:
                qx[body, count], qy[body, count], qw[body, count] = x[body, k], y[body, k], weight[k]
                count += 1
        for k in range(count, few):  # fewer are enough: the heaviest is two
            heavy = np.argmax(qw[body, :k])
            qw[body, heavy] *= 0.5
            qx[body, k], qy[body, k], qw[body, k] = qx[body, heavy], qy[body, heavy], qw[body, heavy]
