"""Islands: groups of contacts that share movable bodies, cut at obstacles. Each is a problem of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banquise.contact import _kernels_problem
from banquise.contact.problem import ContactProblem


@dataclass(frozen=True, eq=False)
class Islands:
    """Contacts grouped by island: island i holds the contacts order[start[i]:start[i + 1]], in their given order."""

    order: NDArray[np.int64]
    start: NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.start) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.start)


def find_islands(problem: ContactProblem) -> Islands:
    """The islands of a contact problem, numbered by their first contact.

    >>> from banquise.contact.samples import cradle
    >>> find_islands(cradle(4)).sizes.tolist()
    [3]
    """
    return group(problem.body_a, problem.body_b, (problem.inverse_mass > 0) | (problem.inverse_inertia > 0))


def group(body_a: NDArray[np.int32], body_b: NDArray[np.int32], free: NDArray[np.bool_]) -> Islands:
    """Islands of contacts between bodies, of which only the `free` ones join."""
    label = np.empty(len(body_a), np.int64)
    count = _kernels_problem.label_islands(body_a, body_b, free, label)
    start = np.concatenate(([0], np.cumsum(np.bincount(label, minlength=count)))).astype(np.int64)
    return Islands(np.argsort(label, kind="stable").astype(np.int64), start)
