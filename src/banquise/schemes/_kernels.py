"""Kernels shared by the schemes: bounds on motion, speeds at contacts, steps of groups."""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def reaches(left, velocity, free_velocity, extent, obstacle_time, reach, acceleration):
    """How far any point of a body may come in the time it has left, and a bound on the acceleration of its points.

    Rows behind the floes (len(left)) are obstacles: steady over `obstacle_time`.
    """
    n = len(left)
    for i in range(len(reach)):
        h = left[i] if i < n else obstacle_time
        speed = math.sqrt(velocity[i, 0] ** 2 + velocity[i, 1] ** 2)
        spin = abs(velocity[i, 2])
        acceleration[i] = 0.0
        if i < n and h > 0.0:
            later = math.sqrt(free_velocity[i, 0] ** 2 + free_velocity[i, 1] ** 2)
            dx, dy = free_velocity[i, 0] - velocity[i, 0], free_velocity[i, 1] - velocity[i, 1]
            acceleration[i] = (math.sqrt(dx * dx + dy * dy) + extent[i] * abs(free_velocity[i, 2] - velocity[i, 2])) / h
            speed = max(speed, later)
            spin = max(spin, abs(free_velocity[i, 2]))
        reach[i] = h * (speed + extent[i] * spin)


@njit(cache=True, nogil=True)
def normal_speeds(a, b, normal, lever_a, lever_b, velocity, out):
    """Normal speed of b seen from a at each contact."""
    for k in range(len(a)):
        i, j = a[k], b[k]
        u = velocity[j, 0] - velocity[j, 2] * lever_b[k, 1] - velocity[i, 0] + velocity[i, 2] * lever_a[k, 1]
        v = velocity[j, 1] + velocity[j, 2] * lever_b[k, 0] - velocity[i, 1] - velocity[i, 2] * lever_a[k, 0]
        out[k] = u * normal[k, 0] + v * normal[k, 1]


@njit(cache=True, nogil=True)
def label_groups(pair_a, pair_b, n_free, label):
    """Number the groups of floes joined by pairs (obstacles join nobody); their count. Single floes are groups too."""
    for i in range(n_free):
        label[i] = i
    for p in range(len(pair_a)):
        i, j = pair_a[p], pair_b[p]
        if i >= n_free or j >= n_free:
            continue
        while label[i] != i:
            label[i] = label[label[i]]
            i = label[i]
        while label[j] != j:
            label[j] = label[label[j]]
            j = label[j]
        if i < j:
            label[j] = i
        else:
            label[i] = j
    count = 0
    number = np.empty(n_free, np.int64)
    for i in range(n_free):  # the root is the smallest of its group, so it comes first
        root = i
        while label[root] != root:
            root = label[root]
        label[i] = root
        if root == i:
            number[i] = count
            count += 1
    for i in range(n_free):
        label[i] = number[label[i]]
    return count


@njit(cache=True, nogil=True)
def paths(velocity, displacement, steps, obstacle_velocity, motion):
    """Velocity and half acceleration (n, 6) of the path that has this velocity at first and this displacement at the end."""
    n = len(steps)
    for i in range(n):
        h = steps[i]
        for k in range(3):
            motion[i, k] = velocity[i, k]
            motion[i, 3 + k] = (displacement[i, k] / h - velocity[i, k]) / h if h > 0.0 else 0.0
    for i in range(n, len(motion)):
        for k in range(3):
            motion[i, k], motion[i, 3 + k] = obstacle_velocity[i, k], 0.0


@njit(cache=True, nogil=True)
def cut_steps(pair_a, when, group, steps, slack):
    """Shorten the steps of groups to their first meeting; how many floes were cut. The first of a pair is a floe."""
    n = len(steps)
    least = np.full(n, math.inf)
    for p in range(len(pair_a)):
        g = group[pair_a[p]]
        least[g] = min(least[g], when[p])
    cut = 0
    for i in range(n):
        if least[group[i]] < steps[i] * (1 - slack):
            steps[i] = least[group[i]]
            cut += 1
    return cut
