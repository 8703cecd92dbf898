"""When pairs of bodies meet, each body on its own quadratic path."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from banquise.detection._kernels_meeting import first_meetings
from banquise.detection.planar import Detector

Array = NDArray[np.float64]


def meetings(
    detector: Detector,
    pose: Array,
    extent: Array,
    pair_a: NDArray[np.int32],
    pair_b: NDArray[np.int32],
    shift: Array,
    motion: Array,
    horizon: Array,
    touch: Array,
    aim: Array,
    held: NDArray[np.bool_],
) -> Array:
    """First instant (p,) within `horizon` at which each pair comes to distance `aim`; inf where it does not.

    pose (n, 4): x, y, cos, sin. motion (n, 6): velocity and half acceleration of x, y, angle. Points nearer
    than `touch` at the start count once they have come apart; in a pair that is `held` never.
    """
    shapes = detector.shapes
    slots = int(np.diff(shapes.body[:, 1]).max(initial=0)) + 1
    when = np.full(len(pair_a), math.inf)
    room = detector.meeting_rows
    while True:
        need = first_meetings(
            0, len(pair_a), pair_a, pair_b, shift, shapes, pose, extent, motion, horizon, touch, aim, held,
            np.empty(room, np.int64), np.empty(slots, np.int64), np.empty((slots, 2)),
            np.empty(room), np.empty(room), np.empty(room), np.empty(room, np.bool_), when,
        )  # fmt: skip
        if not need:
            return when
        room = detector.meeting_rows = 2 * need
