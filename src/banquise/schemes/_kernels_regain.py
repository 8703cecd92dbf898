# mypy: ignore-errors
"""Kernels of contacts that are pushed apart at the start of a step: which of them, and where they are afterwards."""

from banquise.jit import bare_kernel
from banquise.schemes._kernels import AX, AY, BX, BY, GAP, NX, NY, ZONE


@bare_kernel
def near_contacts(value, who, size, n_free, near):
    """List the contacts at which bodies may rest against each other; how many."""
    count = 0
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        small = size[i] if j >= n_free else min(size[i], size[j])
        if value[k, GAP] <= ZONE * small:
            near[count] = k
            count += 1
    return count


@bare_kernel
def shift_contacts(value, who, change, n_free):
    """Carry contacts along with floes that are shifted and turned a very little (n, 3), to first order."""
    for k in range(len(value)):
        i, j = who[k, 0], who[k, 1]
        free = j < n_free
        ix, iy, turn_i = change[i, 0], change[i, 1], change[i, 2]
        jx, jy, turn_j = (change[j, 0], change[j, 1], change[j, 2]) if free else (0.0, 0.0, 0.0)
        if ix == 0.0 and iy == 0.0 and turn_i == 0.0 and jx == 0.0 and jy == 0.0 and turn_j == 0.0:
            continue
        nx, ny, ax, ay, bx, by = value[k, NX], value[k, NY], value[k, AX], value[k, AY], value[k, BX], value[k, BY]
        dx, dy = jx - turn_j * by - ix + turn_i * ay, jy + turn_j * bx - iy - turn_i * ax
        turn = turn_i if who[k, 2] < 4 else turn_j  # that of the body which has the edge
        value[k, GAP] += dx * nx + dy * ny
        value[k, NX], value[k, NY] = nx - turn * ny, ny + turn * nx
        value[k, AX], value[k, AY] = ax - turn_i * ay, ay + turn_i * ax
        value[k, BX], value[k, BY] = bx - turn_j * by, by + turn_j * bx
