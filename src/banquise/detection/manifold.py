"""The contact points of a scene, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int32]

VANISHED = 2  # kind of a contact whose two points are in one place


@dataclass(frozen=True)
class Contacts:
    """m contact points, sorted by (a, b, key): the same for any number of threads (m, world axes).

    Attributes
    ----------
    a, b : (m,) rows of the bodies, a < b
    normal : (m, 2) unit, from a to b
    lever_a, lever_b : (m, 2) from the centre of a, of (the image of) b, to the contact point on its own border
    gap : (m,) signed: negative where the bodies overlap
    key : (m,) identity of the contact (touching point and its body, other body), the same from step to step
    shift : (m, 2) offset of the image of b, zero but in a periodic domain
    pair_a, pair_b : (p,) the pairs that touch
    pair_start : (p + 1,) contacts pair_start[k]:pair_start[k + 1] belong to pair k
    """

    a: Index
    b: Index
    normal: Array
    lever_a: Array
    lever_b: Array
    gap: Array
    key: NDArray[np.int64]
    shift: Array
    pair_a: Index
    pair_b: Index
    pair_start: Index

    def __len__(self) -> int:
        return len(self.gap)

    def __repr__(self) -> str:
        least = f", least gap {self.gap.min():.4g} m" if len(self) else ""
        return f"Contacts: {len(self)} points of {len(self.pair_a)} pairs{least}"


def contacts_of(value: Array, who: Index, key: NDArray[np.int64], radius: Array, memory: Contacts | None) -> Contacts:
    """Columns from the rows the kernel wrote; directions that vanished are taken from the memory where it has them."""
    if memory is not None and len(memory) and np.any(who[:, 2] & 3 == VANISHED):
        value = _remembered(value, who, np.flatnonzero(who[:, 2] & 3 == VANISHED), key, radius, memory)
    a, b = np.ascontiguousarray(who[:, 0]), np.ascontiguousarray(who[:, 1])
    shift = np.ascontiguousarray(value[:, 7:9])
    new = np.empty(len(a), bool)
    if len(a):
        new[0] = True
        new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1]) | np.any(shift[1:] != shift[:-1], axis=1)
    start = np.flatnonzero(new)
    return Contacts(
        a,
        b,
        np.ascontiguousarray(value[:, 0:2]),
        np.ascontiguousarray(value[:, 2:4]),
        np.ascontiguousarray(value[:, 4:6]),
        np.ascontiguousarray(value[:, 6]),
        key,
        shift,
        a[start],
        b[start],
        np.append(start, len(a)).astype(np.int32),
    )


def _remembered(
    value: Array, who: Index, rows: NDArray[np.intp], key: NDArray[np.int64], radius: Array, memory: Contacts
) -> Array:
    """The rows with their normals as they were; the rounding follows the normal, the points within it stay."""
    order = np.argsort(memory.key)
    place = np.minimum(np.searchsorted(memory.key, key[rows], sorter=order), len(order) - 1)
    found = memory.key[order[place]] == key[rows]
    rows, normal = rows[found], memory.normal[order[place[found]]]
    value = value.copy()
    change = normal - value[rows, 0:2]
    value[rows, 0:2] = normal
    value[rows, 2:4] += radius[who[rows, 0], None] * change
    value[rows, 4:6] -= radius[who[rows, 1], None] * change
    return value
