# mypy: ignore-errors
"""Kernels of moving blocks: relative speeds, remembered impulses."""

from banquise.jit import kernel


@kernel
def relative_speed(body_a, body_b, lever_a, lever_b, velocity, out):
    """Velocity (m, 3) of b minus that of a at each contact, world axes."""
    for k in range(body_a.shape[0]):
        va, vb, la, lb = velocity[body_a[k]], velocity[body_b[k]], lever_a[k], lever_b[k]
        out[k, 0] = vb[0] + vb[4] * lb[2] - vb[5] * lb[1] - va[0] - va[4] * la[2] + va[5] * la[1]
        out[k, 1] = vb[1] + vb[5] * lb[0] - vb[3] * lb[2] - va[1] - va[5] * la[0] + va[3] * la[2]
        out[k, 2] = vb[2] + vb[3] * lb[1] - vb[4] * lb[0] - va[2] - va[3] * la[1] + va[4] * la[0]


@kernel
def recall(pairs, start, spot, old_pairs, old_start, old_spot, old_impulse, near, impulse):
    """Impulses of the last step for the contacts of this one: those of the same pair, each to the nearest new point.

    pairs, old_pairs (p, 2) are sorted; contacts of pair i are start[i]:start[i + 1]. `spot` (m, 3) lie in the frame of
    the first body, `near` (p,) m is how far a point may have moved. Impulses that found no point are shared by all
    points of the pair, so that the sum over a face is kept when its outline changes.
    """
    j = 0
    for i in range(pairs.shape[0]):
        while j < old_pairs.shape[0] and (
            old_pairs[j, 0] < pairs[i, 0] or (old_pairs[j, 0] == pairs[i, 0] and old_pairs[j, 1] < pairs[i, 1])
        ):
            j += 1
        if j == old_pairs.shape[0]:
            return
        if old_pairs[j, 0] != pairs[i, 0] or old_pairs[j, 1] != pairs[i, 1] or start[i] == start[i + 1]:
            continue
        for o in range(old_start[j], old_start[j + 1]):
            best, where = near[i] * near[i], -1
            for k in range(start[i], start[i + 1]):
                d = 0.0
                for r in range(3):
                    d += (spot[k, r] - old_spot[o, r]) ** 2
                if d < best:
                    best, where = d, k
            if where >= 0:
                for r in range(3):
                    impulse[where, r] += old_impulse[o, r]
            else:
                for k in range(start[i], start[i + 1]):
                    for r in range(3):
                        impulse[k, r] += old_impulse[o, r] / (start[i + 1] - start[i])


@kernel
def recall_normals(pairs, old_pairs, old_normal, normal):
    """Normals (p, 3) of the same pairs at the last step, zero where there was none; both lists are sorted."""
    j = 0
    for i in range(pairs.shape[0]):
        while j < old_pairs.shape[0] and (
            old_pairs[j, 0] < pairs[i, 0] or (old_pairs[j, 0] == pairs[i, 0] and old_pairs[j, 1] < pairs[i, 1])
        ):
            j += 1
        if j == old_pairs.shape[0]:
            return
        if old_pairs[j, 0] == pairs[i, 0] and old_pairs[j, 1] == pairs[i, 1]:
            for r in range(3):
                normal[i, r] = old_normal[j, r]
