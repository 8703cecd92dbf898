"""Numbers as text in a page: byte planes, deflate, base64. The browser unpacks them with its own DecompressionStream.

Differences in time leave mostly small numbers; written byte by byte (all low bytes, then all high bytes) the high
planes are nearly all zero and deflate removes them.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 6


def text_of(data: bytes) -> str:
    """Deflated, as base64."""
    return base64.b64encode(zlib.compress(data, LEVEL)).decode("ascii")


def planes_of(array: NDArray[Any]) -> bytes:
    """The array's little-endian bytes, plane by plane: the first byte of each number, then the second ones, ..."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).reshape(-1, little.dtype.itemsize).T.tobytes()


def encode_array(array: NDArray[Any]) -> tuple[dict[str, Any], str]:
    """(type and shape, text) of one array."""
    return {"type": array.dtype.name, "shape": list(array.shape)}, text_of(planes_of(array))


def differences(values: NDArray[np.int64], order: int) -> NDArray[np.uint32]:
    """Differences in time (axis 0) of `order` 1 or 2, folded to unsigned: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4."""
    d = values.copy()
    for _ in range(order):
        d[1:] = d[1:] - d[:-1].copy()
    return ((d << 1) ^ (d >> 63)).astype(np.uint32)


def undo_differences(folded: NDArray[np.uint32], order: int) -> NDArray[np.int64]:
    """The inverse of `differences`; the page does the same in JavaScript."""
    z = folded.astype(np.int64)
    d = (z >> 1) ^ -(z & 1)
    for _ in range(order):
        d = np.cumsum(d, axis=0)
    return d


def encode_chunk(columns: list[tuple[NDArray[np.int64], int]]) -> str:
    """Text of one chunk of frames: columns (frames, bodies) of whole numbers, each with its order of differences.

    One header byte a column says how many byte planes follow; planes that are all zero are left out.
    """
    header, body = bytearray(), bytearray()
    for values, order in columns:
        planes = differences(values, order).reshape(-1).astype("<u4").view(np.uint8).reshape(-1, 4)
        used = 1 + max((k for k in range(4) if planes[:, k].any()), default=0)
        header.append(used)
        body += planes[:, :used].T.tobytes()
    return text_of(bytes(header) + bytes(body))
