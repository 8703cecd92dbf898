"""Work space of the kernels: one set a thread, kept from call to call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from banquise.detection.shapes import Shapes

Array = NDArray[np.float64]

AT_ONCE = 512  # pairs that go through the sieve before any is looked at: their bodies are still in the cache then


class Memory:
    """Arrays kept from call to call: asking the system for fresh pages costs as much as filling them."""

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def take(self, name: Any, n: int, *width: int, kind: Any = np.float64) -> Any:
        """An array (n, *width) whose content is not defined; the same one as before under that name while it fits."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < n:
            kept = self._kept[name] = np.empty((n + n // 4 + 16, *width), kind)
        return kept[:n]


class Scratch(NamedTuple):
    """Work space of one thread."""

    slots: Any
    near: Array
    runs: Any
    rows: Any
    measure: Array
    frame: Array
    tag: Any
    at: Any
    chosen: Any
    alarm: Array
    awake: NDArray[np.int32]


class Found(NamedTuple):
    """Contacts as the kernel writes them."""

    value: Array
    who: Any
    key: Any


def make_scratch(shapes: Shapes, rows: int) -> Scratch:
    """Work space for the largest body and `rows` rows or frames."""
    slots = int(np.diff(shapes.body[:, 1]).max(initial=0)) + 1
    return Scratch(
        np.empty(slots, np.int64),
        np.empty((slots, 2)),
        np.empty(slots + 8 * AT_ONCE, np.int32),
        np.empty(rows, np.int64),
        np.empty((rows, 3)),
        np.empty((rows, 8)),
        np.empty((rows, 4), np.int64),
        np.empty(rows, np.int64),
        np.empty(rows, np.int8),
        np.empty(len(shapes.frame)),
        np.empty(AT_ONCE, np.int32),
    )


def refit_scratch(scratch: Scratch, shapes: Shapes) -> Scratch | None:
    """The work space for other bodies; None where one of them has too many points for it."""
    slots = int(np.diff(shapes.body[:, 1]).max(initial=0)) + 1
    return scratch._replace(alarm=np.empty(len(shapes.frame))) if slots <= len(scratch.slots) else None


def make_found(n: int) -> Found:
    """Room for n contacts."""
    return Found(np.empty((n, 9)), np.empty((n, 3), np.int32), np.empty(n, np.int64))
