# mypy: ignore-errors
"""Kernels of contact frames in space."""

import numpy as np

from banquise.jit import kernel


@kernel
def spatial_frames(normal, out):
    """Normal, then two tangents, of each contact; the first is built from the axis the normal is least along."""
    for k in range(normal.shape[0]):
        n = normal[k]
        i = 0
        for r in range(1, 3):
            if abs(n[r]) < abs(n[i]):
                i = r
        j, l = (i + 1) % 3, (i + 2) % 3
        size = np.sqrt(n[j] * n[j] + n[l] * n[l])
        out[k, 1, i], out[k, 1, j], out[k, 1, l] = 0.0, n[l] / size, -n[j] / size
        t = out[k, 1]
        out[k, 0, 0], out[k, 0, 1], out[k, 0, 2] = n[0], n[1], n[2]
        out[k, 2, 0] = n[1] * t[2] - n[2] * t[1]
        out[k, 2, 1] = n[2] * t[0] - n[0] * t[2]
        out[k, 2, 2] = n[0] * t[1] - n[1] * t[0]
